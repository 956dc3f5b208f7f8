"""Rank documents by the words they share with a query."""

from collections import Counter


def score(query: str, document: str) -> int:
    """Return how many words two texts share."""
    shared = Counter(query.lower().split()) & Counter(document.lower().split())
    return sum(shared.values())


def ranked(query: str, documents: list[str]) -> list[str]:
    """Return the documents, best first."""
    return sorted(documents, key=lambda text: -score(query, text))
