"""Precision and recall at every cutoff, ROC, and what "average precision" can mean.

These functions take plain arrays: which items are relevant, and their scores (or nothing, when
the array is in ranked order already). Items with equal scores cannot be told apart by any
threshold, so they enter together, as in scikit-learn. Relevant items that were not returned are
told by ``total``; without them recall would be too high (scikit-learn cannot know them).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError, is_number, quote, unknown
from consilience.given import numbers_of
from consilience.measures.names import AP_VARIANTS
from consilience.measures.sets import ratio

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class Curve:
    """Precision and recall at every cutoff that can be set.

    At cutoff ``k[i]`` (items from the top) there are ``tp[i]`` relevant ones; ``total`` items are
    relevant in all.
    """

    k: NDArray[np.int64]
    tp: NDArray[np.int64]
    total: int

    @property
    def precision(self) -> NDArray[np.float64]:
        """Relevant items over items, tp / k."""
        return self.tp / self.k

    @property
    def recall(self) -> NDArray[np.float64]:
        """Relevant items over all relevant ones, tp / total."""
        return ratio(self.tp, np.full(len(self.tp), self.total))


def precision_recall(
    relevant: ArrayLike, scores: ArrayLike | None = None, *, total: int | None = None
) -> Curve:
    """Precision and recall at every cutoff.

    Parameters
    ----------
    relevant
        Whether each item is relevant.
    scores
        Each item's score, higher is better; None: the items stand in ranked order.
    total
        How many items are relevant in all; None: those among the items.

    Examples
    --------
    The airplanes of the precision-recall post (relevant: 1, 2, 4, 6 and 10):

    >>> curve = precision_recall([1, 1, 0, 1, 0, 1, 0, 0, 0, 1])
    >>> [round(float(p), 3) for p in curve.precision]
    [1.0, 1.0, 0.667, 0.75, 0.6, 0.667, 0.571, 0.5, 0.444, 0.5]
    >>> [float(r) for r in curve.recall]
    [0.2, 0.4, 0.4, 0.6, 0.6, 0.8, 0.8, 0.8, 0.8, 1.0]
    """
    truth, values = _checked(relevant, scores)
    if values is None:
        tp = np.cumsum(truth, dtype=np.int64)
        k = np.arange(1, len(truth) + 1)
    else:
        order = np.argsort(-values, kind="stable")
        tp = np.cumsum(truth[order], dtype=np.int64)
        last = np.append(values[order][1:] != values[order][:-1], True)
        tp, k = tp[last], np.nonzero(last)[0] + 1
    return Curve(k, tp, _total(int(tp[-1]), total))


def average_precision(
    relevant: ArrayLike,
    scores: ArrayLike | None = None,
    *,
    variant: str = "step",
    total: int | None = None,
) -> float:
    """Average precision of one ranked list, under one of its five meanings.

    Parameters
    ----------
    relevant, scores, total
        As in :func:`precision_recall`.
    variant
        "step" (trec_eval, scikit-learn), "interpolated" (VOC 2010), "11-point" (VOC 2007),
        "101-point" (COCO) or "trapezoid"; see
        :func:`consilience.measures.ranked.average_precision` for the formulas.

    Returns
    -------
    float
        NaN where nothing is relevant.

    Notes
    -----
    Positives and negatives are sorted apart and merged; of the cutoffs only those that end in a
    relevant item matter.

    Examples
    --------
    >>> airplanes = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
    >>> for variant in AP_VARIANTS:
    ...     print(f"{variant:12s} {average_precision(airplanes, variant=variant):.6f}")
    step         0.783333
    interpolated 0.783333
    11-point     0.803030
    101-point    0.785479
    trapezoid    0.762778
    """
    if variant not in AP_VARIANTS:
        raise unknown("variant of average precision", variant, AP_VARIANTS)
    truth, values = _checked(relevant, scores)
    gained, tp, k = _steps(truth, values)
    whole = _total(int(gained.sum()), total)
    if whole == 0:
        return float("nan")
    precision = tp / k
    if variant == "step":
        return float((gained * precision).sum() / whole)
    highest = np.maximum.accumulate(precision[::-1])[::-1]
    if variant == "interpolated":
        return float((gained * highest).sum() / whole)
    if variant == "trapezoid":
        return _trapezoid(truth, values, whole)
    steps = int(variant[:-6]) - 1
    needed = np.maximum(-(-np.arange(steps + 1) * whole // steps), 1)
    place = np.searchsorted(tp, needed)
    return float(np.append(highest, 0.0)[place].sum() / (steps + 1))


def _steps(
    truth: NDArray[np.bool_], values: NDArray[np.float64] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Give the cutoffs at which recall rises: by how much, relevant items so far, items so far."""
    if values is None:
        places = np.nonzero(truth)[0]
        return np.ones(len(places), np.int64), np.arange(1, len(places) + 1), places + 1
    good, rest = np.sort(values[truth]), np.sort(values[~truth])
    lowest = np.ones(len(good), bool)
    np.not_equal(good[1:], good[:-1], out=lowest[1:])
    first = np.nonzero(lowest)[0]  # each value's lowest place
    tp = (len(good) - first)[::-1]  # from the highest score down
    fp = (len(rest) - np.searchsorted(rest, good[first], side="left"))[::-1]
    return np.diff(tp, prepend=0), tp, tp + fp


def _trapezoid(truth: NDArray[np.bool_], values: NDArray[np.float64] | None, whole: int) -> float:
    """Add up the trapezoids under the curve, from recall 0 and precision 1 on."""
    curve = precision_recall(truth, values, total=whole)
    recall = np.concatenate([[0.0], curve.recall])
    precision = np.concatenate([[1.0], curve.precision])
    return float((np.diff(recall) * (precision[1:] + precision[:-1]) / 2).sum())


def roc(relevant: ArrayLike, scores: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """False and true positive rates at every threshold, from (0, 0) to (1, 1).

    Examples
    --------
    >>> false_rate, true_rate = roc([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    >>> false_rate.tolist(), true_rate.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0])
    """
    truth, _ = _checked(relevant, scores)
    curve = precision_recall(relevant, scores)
    false = ratio(curve.k - curve.tp, np.full(len(curve.k), len(truth) - truth.sum()))
    return np.concatenate([[0.0], false]), np.concatenate([[0.0], curve.recall])


def auc(relevant: ArrayLike, scores: ArrayLike) -> float:
    """Area under the ROC curve; equal scores count half.

    Examples
    --------
    >>> auc([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    0.75
    """
    false, true = roc(relevant, scores)
    return float((np.diff(false) * (true[1:] + true[:-1]) / 2).sum())


def _checked(
    relevant: ArrayLike, scores: ArrayLike | None
) -> tuple[NDArray[np.bool_], NDArray[np.float64] | None]:
    known = getattr(relevant, "dtype", None) == np.bool_
    truth: NDArray[Any] = (
        np.asarray(relevant) if known else numbers_of(relevant, "relevance", axes=None)
    )
    if truth.ndim != 1 or not len(truth):
        raise UsageError(
            "relevance must be a list with at least one entry (fix: one 0 or 1 an item)"
        )
    if truth.dtype != np.bool_:
        if not bool(((truth == 0) | (truth == 1)).all()):
            raise UsageError(
                "relevance must be 0 or 1 (fix: compare grades with a threshold first)"
            )
        truth = truth.astype(bool)
    if scores is None:
        return truth, None
    values = numbers_of(scores, "scores")
    if values.shape != truth.shape:
        raise UsageError(
            f"{len(truth):,} relevances and {values.size:,} scores (fix: give one score an item)"
        )
    if bool(np.isnan(values).any()):
        raise UsageError("a score is NaN (fix: leave the item out, or give it a number)")
    return truth, values


def _total(found: int, total: int | None) -> int:
    asked: object = total
    if asked is not None and not is_number(asked):
        raise UsageError(f"the total is a number of items, found {quote(total)} (fix: {found})")
    if total is not None and total < found:
        raise UsageError(
            f"{found} relevant items were returned, but only {total} exist (fix: --relevant)"
        )
    return found if total is None else total
