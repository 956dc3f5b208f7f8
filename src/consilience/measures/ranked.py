"""Measures of ranked answers, each a few lines over the hits of every cell.

All follow trec_eval's normalisation: average precision and recall divide by *all* relevant items,
also those not returned; nDCG's ideal comes from the full judgments. A query without a relevant
item is undefined, not 0. Where these conventions differ from other programs', the page
"Differences" has the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import UsageError
from consilience.measures.partial import bpref, inferred_ap
from consilience.measures.sets import ratio
from consilience.measures.streams import added

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.hits import Hits
    from consilience.measures.streams import Stretch


#: The highest grade that exponential gain can take.
HIGHEST = 1000


def average_precision(
    hits: Hits, *, k: int | None = None, variant: str = "step"
) -> NDArray[np.float64]:
    """Average precision of each cell, under one of its five meanings.

    With R relevant items, of which the i-th found stands at position n_i, and P_i = i / n_i:

    - ``step``: Σ P_i / R (trec_eval's ``map``);
    - ``interpolated``: Σ max_{j ≥ i} P_j / R (PASCAL VOC from 2010);
    - ``11-point``: mean over r = 0, .1, …, 1 of the highest precision at recall r or above (VOC
      2007); ``101-point``: the same at r = 0, .01, …, 1 (COCO). Recall levels are compared in
      whole numbers, so no rounding shifts a level;
    - ``trapezoid``: the area by trapezoids from recall 0 and precision 1 on (scikit-learn's
      ``auc`` of its curve). It joins points by straight lines that no system need reach (Davis &
      Goadrich 2006); without ties it is never above ``step``.
    """
    kept = hits.p > 0
    if k is not None:
        kept &= hits.position <= k
    cell, position = hits.cell[kept], hits.position[kept].astype(np.float64)
    found = hits.cumulated[kept]
    precision = found / position
    if variant == "step":
        return ratio(np.bincount(cell, precision, hits.cells), hits.relevant)
    if variant == "interpolated":
        highest = highest_from_here(cell, precision)
        return ratio(np.bincount(cell, highest, hits.cells), hits.relevant)
    if variant == "trapezoid":
        before = np.where(position > 1, (found - 1) / np.maximum(position - 1, 1), 1.0)
        return ratio(np.bincount(cell, (before + precision) / 2, hits.cells), hits.relevant)
    points = int(variant.removesuffix("-point"))
    total = np.sum(list(precision_at_levels(hits, points - 1, k=k)), axis=0)
    return np.where(hits.relevant > 0, total / points, np.nan)


def highest_from_here(cell: NDArray[np.int64], value: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the highest value from each place to the end of its cell, by doubling steps.

    Examples
    --------
    >>> highest_from_here(np.array([0, 0, 0, 1]), np.array([0.2, 0.9, 0.5, 0.1])).tolist()
    [0.9, 0.9, 0.5, 0.1]
    """
    highest = value.copy()
    step = 1
    while step < len(value):
        same = cell[step:] == cell[:-step]
        if not same.any():
            break
        ahead = np.where(same, highest[step:], -np.inf)
        highest[:-step] = np.maximum(highest[:-step], ahead)
        step *= 2
    return highest


def precision_at_levels(
    hits: Hits, steps: int, *, k: int | None = None
) -> Iterator[NDArray[np.float64]]:
    """Give each cell's highest precision at recall 0 or above, at 1/steps or above, …, at 1.

    0 where a level is not reached. Levels are compared in whole numbers: of R relevant items,
    ⌈level · R⌉ must have been found.
    """
    kept = hits.p > 0
    if k is not None:
        kept &= hits.position <= k
    cell = hits.cell[kept]
    highest = highest_from_here(cell, hits.cumulated[kept] / hits.position[kept])
    count = np.bincount(cell, minlength=hits.cells)
    first = np.cumsum(count) - count
    relevant = hits.relevant.astype(np.int64)
    for level in range(steps + 1):
        needed = np.maximum(-(-level * relevant // steps), 1)
        reached = (needed <= count) & (relevant > 0)
        values = np.zeros(hits.cells)
        values[reached] = highest[(first + needed - 1)[reached]]
        yield values


def reciprocal_rank(hits: Hits, *, k: int | None = None) -> NDArray[np.float64]:
    """1 / position of the first relevant item; 0 where none was returned."""
    result = np.where(hits.relevant > 0, 0.0, np.nan)
    kept = (hits.p > 0) & (hits.position <= (np.inf if k is None else k))
    cell, first = np.unique(hits.cell[kept], return_index=True)
    result[cell] = 1 / hits.position[kept][first]
    return result


def r_precision(hits: Hits) -> NDArray[np.float64]:
    """Precision among the first R, where R is the number of relevant items."""
    return ratio(hits.sum(hits.p, hits.position <= hits.relevant[hits.cell]), hits.relevant)


def success(hits: Hits, *, k: int) -> NDArray[np.float64]:
    """1 where a relevant item stands among the first ``k``, else 0."""
    found = hits.sum(hits.p, hits.within(k)) > 0
    return np.where(hits.relevant > 0, found.astype(np.float64), np.nan)


def retrieval_efficiency(hits: Hits, *, k: int) -> NDArray[np.float64]:
    """How much of the possible was found: n / N where N ≤ k, else n / k.

    N items are relevant, n of them stand among the first ``k``.

    Kankanhalli, Mehtre & Wu (1995); used by Lamiroy & Sun (2011, §2.3.1).
    """
    return ratio(hits.sum(hits.p, hits.within(k)), np.minimum(hits.relevant, k))


def ndcg(hits: Hits, *, k: int | None = None, gain: str = "linear") -> NDArray[np.float64]:
    """Discounted gain over the ideal one: Σ g(grade) / log2(1 + position), over its maximum.

    ``linear``: g = grade (Järvelin & Kekäläinen 2002, trec_eval); ``exponential``: 2^grade − 1
    (Burges et al. 2005).
    """
    if k is None and hits.all is not None:
        gained = _gained(hits, hits.all(), gain)
    else:
        gained = hits.sum(worth(hits.gain, gain) / np.log2(1.0 + hits.position), hits.within(k))
    ideal = hits.ideal
    kept = slice(None) if k is None else ideal.position <= k
    best = np.bincount(
        ideal.query[kept],
        (worth(ideal.gain, gain) / np.log2(1.0 + ideal.position))[kept],
        minlength=hits.queries,
    )
    return ratio(gained, best[hits.query_of_cell()])


def _gained(hits: Hits, stretches: Iterator[Stretch], gain: str) -> NDArray[np.float64]:
    """Add up the discounted gains of each cell, some hits at a time."""
    discount = np.log2(1.0 + np.arange(int(hits.length.max(initial=0)) + 1))
    total = np.zeros(hits.cells)
    for one in stretches:
        added(one, worth(one.gain, gain) / discount[one.position], total)
    return total


def worth(grade: NDArray[np.float64], gain: str) -> NDArray[np.float64]:
    """Give what grades are worth: ``linear``, the grade; ``exponential``, 2^grade − 1."""
    if gain == "linear":
        return grade
    if bool((grade > HIGHEST).any()):
        raise UsageError(
            f"exponential gain of grade {grade.max():g} is beyond all numbers (fix: linear gain)"
        )
    return np.exp2(grade) - 1


def judged(hits: Hits, *, k: int | None = None) -> NDArray[np.float64]:
    """The share of the first ``k`` returned items (or of all) that somebody has judged."""
    length = hits.judged.ends - hits.judged.starts
    taken = length if k is None else np.minimum(length, k)
    cell = np.repeat(np.arange(hits.cells), taken)
    first = hits.judged.starts - (np.cumsum(taken) - taken)
    known = hits.judged.known(first[cell] + np.arange(len(cell)))
    return ratio(np.bincount(cell, known, hits.cells), taken)


def auc(hits: Hits) -> NDArray[np.float64]:
    """Area under the ROC curve: how often a relevant item stands above one that is not.

    Items that were not returned stand below all others and tie among themselves (half a point).
    Undefined where all items or none are relevant.
    """
    kept = hits.p > 0
    others = hits.universe - hits.relevant
    above = (hits.position - hits.cumulated)[kept]
    found = hits.sum(hits.p)
    won = np.bincount(hits.cell[kept], others[hits.cell[kept]] - above, hits.cells)
    left = others - (hits.length - found)
    drawn = (hits.relevant - found) * left
    return ratio(won + drawn / 2, hits.relevant * others)


#: Base name → function of the hits; options are passed by name.
RANKED: dict[str, Callable[..., NDArray[np.float64]]] = {
    "AP": average_precision,
    "RR": reciprocal_rank,
    "Rprec": r_precision,
    "Success": success,
    "Efficiency": retrieval_efficiency,
    "nDCG": ndcg,
    "Judged": judged,
    "AUC": auc,
    "Bpref": bpref,
    "infAP": inferred_ap,
}
