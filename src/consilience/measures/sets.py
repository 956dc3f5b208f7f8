"""Precision, recall and their kin, from counts of what was returned and what is relevant.

Counts come first (:func:`counts`), division comes last and in one place (:func:`ratio`): 0/0 is
undefined, never 0, 1 or infinity. Fractional votes and fractional beliefs enter as weights, so the
same lines serve consensus (Lamiroy & Sun 2011, eq. 11 and 12); with 0/1 votes and a 0/1 belief
they are the textbook's.

At a cutoff k, precision divides by k, whether or not k items were returned (trec_eval's ``P_k``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from consilience.measures.hits import Hits


@dataclass(frozen=True, slots=True)
class Counts:
    """True and false positives and negatives, of one answer or of many at once."""

    tp: NDArray[np.float64]
    fp: NDArray[np.float64]
    fn: NDArray[np.float64]
    tn: NDArray[np.float64]

    @staticmethod
    def of(tp: ArrayLike, fp: ArrayLike, fn: ArrayLike, tn: ArrayLike = np.nan) -> Counts:
        """Take counts as given; leave ``tn`` out where it is not known."""
        return Counts(*(np.asarray(count, np.float64) for count in (tp, fp, fn, tn)))

    def total(self) -> Counts:
        """Add the counts up."""
        return Counts.of(self.tp.sum(), self.fp.sum(), self.fn.sum(), self.tn.sum())


def counts(hits: Hits, k: int | None = None) -> Counts:
    """Count for every cell, over all that was returned or the first ``k``."""
    if k is None and hits.found is not None:
        tp = hits.found
    else:
        tp = hits.sum(hits.p * hits.vote, hits.within(k))
    returned = hits.returned if k is None else np.full(hits.cells, float(k))
    fp, fn = returned - tp, hits.relevant - tp
    return Counts(tp, fp, fn, hits.universe - hits.relevant - fp)


def ratio(above: ArrayLike, below: ArrayLike) -> NDArray[np.float64]:
    """Divide; where there is nothing to divide by, the result is undefined (NaN)."""
    above, below = np.asarray(above, np.float64), np.asarray(below, np.float64)
    result = np.full(np.broadcast(above, below).shape, np.nan)
    np.divide(above, below, out=result, where=below != 0)
    return result


def precision(c: Counts) -> NDArray[np.float64]:
    """Precision, tp / (tp + fp): how much of what was returned is relevant.

    Examples
    --------
    Three airplanes and a goose were retrieved, two airplanes missed, four geese left alone:

    >>> airplanes = Counts.of(tp=3, fp=1, fn=2, tn=4)
    >>> float(precision(airplanes)), float(recall(airplanes))
    (0.75, 0.6)
    """
    return ratio(c.tp, c.tp + c.fp)


def recall(c: Counts) -> NDArray[np.float64]:
    """Recall, tp / (tp + fn): how much of what is relevant was returned."""
    return ratio(c.tp, c.tp + c.fn)


def f_measure(c: Counts, *, beta: float = 1.0) -> NDArray[np.float64]:
    """(1 + β²) tp / ((1 + β²) tp + β² fn + fp): β times as much weight on recall.

    Defined wherever something was returned or is relevant (Lamiroy & Sun 2011, eq. 6); undefined
    only when both are empty.

    Examples
    --------
    >>> round(float(f_measure(Counts.of(tp=3, fp=1, fn=2))), 6)
    0.666667
    """
    weighted = (1 + beta**2) * c.tp
    return ratio(weighted, weighted + beta**2 * c.fn + c.fp)


def specificity(c: Counts) -> NDArray[np.float64]:
    """Specificity, tn / (tn + fp): how much of what is not relevant was left alone."""
    return ratio(c.tn, c.tn + c.fp)


def accuracy(c: Counts) -> NDArray[np.float64]:
    """(tp + tn) / all: how many items were treated rightly."""
    return ratio(c.tp + c.tn, c.tp + c.fp + c.fn + c.tn)


def mcc(c: Counts) -> NDArray[np.float64]:
    """Matthews' correlation between answer and truth, -1 to 1; undefined where either is constant.

    Examples
    --------
    >>> round(float(mcc(Counts.of(tp=3, fp=1, fn=2, tn=4))), 6)
    0.408248
    """
    product = (c.tp + c.fp) * (c.tp + c.fn) * (c.tn + c.fp) * (c.tn + c.fn)
    return ratio(c.tp * c.tn - c.fp * c.fn, np.sqrt(np.maximum(product, 0.0)))


#: Base name → what divides the counts (F takes β as well).
DIVIDE: dict[str, Callable[..., NDArray[np.float64]]] = {
    "P": precision,
    "R": recall,
    "F": f_measure,
    "Specificity": specificity,
    "Accuracy": accuracy,
    "MCC": mcc,
}
