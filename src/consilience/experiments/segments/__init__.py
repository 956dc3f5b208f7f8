"""Segments of time, the paper's and real ones (Fränti & Mariescu-Istodor 2023, Table 5)."""
