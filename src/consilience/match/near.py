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
#: Near misses are worth a word from so many on, and from this share of the exact matches on.
_FEWEST, _SHARE = 3, 0.05


@dataclass(frozen=True, slots=True)
class NearMisses:
    """Of the gold items that were looked at: found exactly, found nearly, and one example."""

    looked: int
    exact: int
    near: int
    example: tuple[str, str]


def near_misses(study: Study) -> NearMisses | None:
    """Count gold items that systems returned nearly; None where that is nothing to speak of.

    Examples
    --------
    >>> import consilience as cs
    >>> gold = {"q": ["neural network", "grey colour", "soil moisture", "harbour"]}
    >>> mine = {"q": ["neural networks", "gray colour", "soil moisture", "harbor"]}
    >>> near_misses(cs.study({"mine": mine}, truth=gold))
    NearMisses(looked=4, exact=1, near=3, example=('neural network', 'neural networks'))
    >>> near_misses(cs.study({"mine": {"q": ["d1", "d2"]}}, truth={"q": ["d1", "d3"]}))
    """
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import extractOne

    looked = exact = near = 0
    example = ("", "")
    for gold, found in _both(study):
        known = {*found}
        others = [name for name in found if name not in {*gold}]
        looked += len(gold)
        exact += sum(name in known for name in gold)
        for name in gold:
            if name in known:
                continue
            best = extractOne(
                name, others, scorer=Levenshtein.normalized_similarity, score_cutoff=NEAR
            )
            if best is not None:
                near += 1
                example = example if example[0] else (name, best[0])
    if near < _FEWEST or near < _SHARE * exact:
        return None
    return NearMisses(looked, exact, near, example)


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
