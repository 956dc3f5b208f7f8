"""Precision-recall curves averaged over queries, at eleven recall levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.hits import find_hits
from consilience.measures.ranked import precision_at_levels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.scores import Scores
    from consilience.study import Study

LEVELS = 10


@dataclass(frozen=True, slots=True)
class Levels:
    """What curves are averages of: sums over queries; those of parts of a study add up.

    ``total`` (systems × levels) adds up the precision at each level of recall over ``count``
    queries with relevant items; ``ordered`` tells whose answers all have an order, ``crisp``
    whether truth and votes are 0/1.
    """

    total: NDArray[np.float64]
    count: NDArray[np.int64]
    ordered: NDArray[np.bool_]
    crisp: bool


def levels(study: Study, scores: Scores) -> Levels:
    """Add up interpolated precision at recall 0, .1, …, 1 over the queries with relevant items."""
    if not scores.belief.crisp:  # no curve is wanted then, and nearly every answer would be a hit
        systems = len(study.systems)
        none = np.zeros((systems, LEVELS + 1)), np.zeros(systems, np.int64)
        return Levels(*none, np.zeros(systems, bool), crisp=False)
    hits = find_hits(study, scores.belief, ties=scores.ties, graded=False)
    total, count = np.zeros((hits.systems, LEVELS + 1)), np.zeros(hits.systems, np.int64)
    shape = (hits.systems, hits.queries)
    ordered = (hits.ordered | (hits.length == 0)).reshape(shape).all(axis=1)
    if not hits.crisp:
        return Levels(total, count, ordered, crisp=False)
    points = np.stack(list(precision_at_levels(hits, LEVELS))).reshape(LEVELS + 1, *shape)
    asked = (hits.relevant > 0).reshape(shape)
    for place in range(hits.systems):
        total[place] = points[:, place, asked[place]].sum(axis=1)
        count[place] = asked[place].sum()
    return Levels(total, count, ordered, crisp=True)


def joined_levels(parts: Sequence[Levels]) -> Levels:
    """Add up what curves of parts of a study are averages of."""
    return Levels(
        np.sum([part.total for part in parts], axis=0),
        np.sum([part.count for part in parts], axis=0),
        np.all([part.ordered for part in parts], axis=0),
        all(part.crisp for part in parts),
    )


def curves_of(levels: Levels, systems: Sequence[str]) -> dict[str, NDArray[np.float64]]:
    """Average each system's precision over its queries; see :func:`eleven_points`."""
    if not levels.crisp:
        return {}
    return {
        system: levels.total[place] / levels.count[place]
        for place, system in enumerate(systems)
        if levels.ordered[place] and levels.count[place]
    }


def eleven_points(study: Study, scores: Scores) -> dict[str, NDArray[np.float64]]:
    """Average interpolated precision at recall 0, .1, …, 1 over the queries with relevant items.

    Systems whose answers have no order are left out, and all of them where truth is not 0/1.
    """
    return curves_of(levels(study, scores), study.systems)
