"""Small studies with judges who disagree, for tests of what follows from that."""

from __future__ import annotations

from typing import Any

import numpy as np

import consilience as cs
from consilience.verdict.uncertain import Distributions

#: Lamiroy & Sun's Table 3.
TABLE3: dict[str, list[Any]] = {
    "item": [f"d{number}" for number in range(1, 8)],
    "S1": [1, 1, 0, 1, 1, 0, 0],
    "S2": [1, 1, 1, 0, 0, 0, 0],
    "S3": [1, 1, 0, 0, 0, 1, 0],
}


def judged(
    shares: dict[str, dict[str, int]], lists: dict[str, dict[str, list[str]]], judges: int = 4
) -> cs.Study:
    """Make judges of whom so many call each item relevant (query → item → how many)."""
    rows = [
        (query, item, f"j{judge}", int(judge < votes))
        for query, items in shares.items()
        for item, votes in items.items()
        for judge in range(judges)
    ]
    names = ("query", "item", "annotator", "vote")
    return cs.study(lists, truth={n: [row[i] for row in rows] for i, n in enumerate(names)})


def random_study(seed: int, *, queries: int = 1, items: int = 7) -> cs.Study:
    rng = np.random.default_rng(seed)
    shares: dict[str, dict[str, int]] = {}
    lists: dict[str, dict[str, list[str]]] = {}
    for query in (f"q{number}" for number in range(queries)):
        names = [f"i{number}" for number in range(items)]
        votes = rng.integers(0, 5, items)
        votes[0] = 2
        shares[query] = dict(zip(names, votes.tolist(), strict=True))
        for system in ("a", "b", "c"):
            some = rng.permutation(names)[: rng.integers(1, items)].tolist()
            lists.setdefault(system, {})[query] = some
    return judged(shares, lists)


def of(found: Distributions, system: str, query: int = 0) -> Any:
    return [one for one in found.outcomes if one.system == system][query]
