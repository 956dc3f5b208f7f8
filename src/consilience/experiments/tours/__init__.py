"""GPS tours found by similarity (Fränti & Mariescu-Istodor 2023, Table 6)."""
