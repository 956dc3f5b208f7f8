"""Misspelt names of countries (Fränti & Mariescu-Istodor 2023, Table 4)."""
