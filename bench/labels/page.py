"""What users are told of a few labels: the main figures, in the documentation."""

from __future__ import annotations

from bench.labels.tables import Results


def lines(results: Results) -> list[str]:
    """Write the part of the page that has figures in it."""
    return []
