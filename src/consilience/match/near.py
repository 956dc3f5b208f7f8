"""Are items nearly right? A quick look at a part of a study, before anything is computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.study.condition import spoken

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Study

#: How many queries, and items of one, are looked at; how alike a near miss is at least.
QUERIES, ITEMS, NEAR = 25, 60, 0.8
#: Items with digits are ids, and ids are near each other by accident.
_WORDS = 0.8
#: Near misses are worth a word from so many on, and from this share of the exact matches on;
#: where no more than so many gold items were looked at, one is enough.
_FEWEST, _SHARE, _FEW = 3, 0.05, 30


@dataclass(frozen=True, slots=True)
class NearMisses:
    """Of the gold items that were looked at: found exactly, found nearly, and one example.

    ``beside`` counts further returned items that are nearly a gold item which was found exactly.
    """

    looked: int
    exact: int
    near: int
    beside: int
    example: tuple[str, str]


def near_misses(study: Study) -> NearMisses | None:
    """Count gold items that systems returned nearly; None where that is nothing to speak of.

    Examples
    --------
    >>> import consilience as cs
    >>> gold = {"q": ["neural network", "grey colour", "soil moisture", "harbour"]}
    >>> mine = {"q": ["neural networks", "gray colour", "soil moisture", "harbor"]}
    >>> near_misses(cs.study({"mine": mine}, truth=gold))
    NearMisses(looked=4, exact=1, near=3, beside=0, example=('neural network', 'neural networks'))
    >>> near_misses(cs.study({"mine": {"q": ["cafe", "caffe"]}}, truth={"q": ["cafe", "hotel"]}))
    NearMisses(looked=2, exact=1, near=0, beside=1, example=('cafe', 'caffe'))
    >>> near_misses(cs.study({"mine": {"q": ["d1", "d2"]}}, truth={"q": ["d1", "d3"]}))
    """
    looked = exact = 0
    near: list[tuple[str, str]] = []
    beside: list[tuple[str, str]] = []
    for gold, found in _both(study):
        named, returned = {*gold}, {*found}
        looked += len(gold)
        exact += len(named & returned)
        others = [name for name in found if name not in named]
        near += _nearest([name for name in gold if name not in returned], others)
        equal = [name for name in gold if name in returned]
        beside += [(name, other) for other, name in _nearest(others, equal)]
    enough = 1 if looked <= _FEW else _FEWEST
    many = len(near) + len(beside)
    if many < enough or many < _SHARE * exact:
        return None
    return NearMisses(looked, exact, len(near), len(beside), (near or beside)[0])


def _nearest(names: list[str], others: list[str]) -> list[tuple[str, str]]:
    """Give each name with the other that is most like it, where one is near."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import extractOne

    scorer, least = Levenshtein.normalized_similarity, NEAR - 1e-3  # 1 - 1/5 must not fall below
    found = ((name, extractOne(name, others, scorer=scorer, score_cutoff=least)) for name in names)
    return [(name, best[0]) for name, best in found if best is not None]


def _both(study: Study) -> list[tuple[list[str], list[str]]]:
    """Give what gold names and what systems name, for the first queries that have both."""
    if not study.evidence.lists or not study.answers.lists:
        return []
    relevant = np.zeros(len(study.items), bool)
    relevant[study.evidence.item[_yes(study)]] = True
    returned = np.zeros(len(study.items), bool)
    returned[study.answers.item] = True
    starts, made = study.items.starts, []
    for query in range(len(study.queries)):
        span = slice(int(starts[query]), int(starts[query + 1]))
        sides = [np.flatnonzero(side[span])[:ITEMS] + span.start for side in (relevant, returned)]
        if len(sides[0]) and len(sides[1]):
            gold, found = (study.items.names(side) for side in sides)
            made.append((list(gold), list(found)))
        if len(made) == QUERIES:
            break
    every = [name for pair in made for side in pair for name in side]
    words = sum(not any(letter.isdigit() for letter in name) for name in every)
    return made if words >= _WORDS * len(every) else []


def _yes(study: Study) -> NDArray[np.bool_]:
    """Tell which answers of judges say yes."""
    said = spoken(study)
    evidence = study.evidence
    if evidence.grade is not None:
        said &= ~(evidence.grade <= 0)
    if evidence.vote is not None:
        said &= ~(evidence.vote <= 0)
    return said
