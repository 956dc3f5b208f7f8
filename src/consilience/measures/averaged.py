"""Precision-recall curves averaged over queries, at eleven recall levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.hits import find_hits
from consilience.measures.ranked import precision_at_levels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.scores import Scores
    from consilience.study import Study

LEVELS = 10


def eleven_points(study: Study, scores: Scores) -> dict[str, NDArray[np.float64]]:
    """Average interpolated precision at recall 0, .1, …, 1 over the queries with relevant items.

    Systems whose answers have no order are left out, and all of them where truth is not 0/1.
    """
    hits = find_hits(study, scores.belief, ties=scores.ties)
    if not hits.crisp:
        return {}
    points = np.stack(list(precision_at_levels(hits, LEVELS)))
    shape = (hits.systems, hits.queries)
    asked = (hits.relevant > 0).reshape(shape)
    ordered = (hits.ordered | (hits.length == 0)).reshape(shape).all(axis=1)
    curves = {}
    for place, system in enumerate(study.systems):
        if ordered[place] and asked[place].any():
            here = points.reshape(LEVELS + 1, *shape)[:, place, asked[place]]
            curves[system] = here.mean(axis=1)
    return curves
