"""Average precision over images drawn anew: how far it depends on the images at hand.

Detections are matched within an image, so drawing images changes no match: an image that is drawn
twice counts twice. Precision and recall are cumulative sums with the images' counts as weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.detection import Side, match
from consilience.measures.detection_ap import Lists

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The most sums that are held at a time.
_HELD = 1 << 22
#: The most draws, and the most sums in all: large sets are drawn less often.
SAMPLES, _WORK = 500, 1 << 27


def drawn_ap(
    gold: Side,
    predicted: Side,
    *,
    images: int,
    labels: int,
    max_detections: int = 100,
    classes: bool = True,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Give AP at each of COCO's thresholds for images drawn anew: draws × thresholds.

    Examples
    --------
    >>> box, no = np.array([[0.0, 0, 10, 10]] * 2), np.zeros(2, bool)
    >>> image, label = np.array([0, 1]), np.zeros(2, int)
    >>> gold = Side(image, label, box, np.full(2, 100.0), np.ones(2), no)
    >>> found = gold.pick(np.array([0]))
    >>> drawn = drawn_ap(gold, found, images=2, labels=1)
    >>> sorted({round(float(value), 2) for value in drawn[:, 0]})
    [0.0, 0.5, 1.0]
    """
    found = match(gold, predicted, max_detections=max_detections, classes=classes)
    labels = labels if classes else 1
    lists = Lists.of(gold, predicted, found, labels, classes)
    draws = int(np.clip(_WORK // max(1, len(found.row)), 100, SAMPLES))
    times = _times(images, draws, seed)
    true = gold.label if classes else np.zeros(len(gold), np.int64)
    sums = np.zeros((draws, found.match.shape[1]))
    known = np.zeros(draws)
    for label in range(labels):
        mine = np.flatnonzero(found.counted[0] & (true == label))
        total = times[:, gold.image[mine]].sum(axis=1)
        if not len(mine):
            continue
        hit, false, _ = lists.flags(found, 0, label)
        image = predicted.image[found.row[lists.rows(label)]]
        known += total > 0
        sums += np.where(total[:, None] > 0, _ap(hit, false, times[:, image], total), 0.0)
    means: NDArray[np.float64] = np.full(sums.shape, np.nan)
    np.divide(sums, known[:, None], out=means, where=known[:, None] > 0)
    return means


def _times(images: int, draws: int, seed: int) -> NDArray[np.float64]:
    """How often each image was drawn: draws × images."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, images, size=(draws, images))
    drawn += np.arange(draws)[:, None] * images
    times = np.bincount(drawn.ravel(), minlength=draws * images)
    return times.reshape(draws, images).astype(np.float64)


def _ap(
    hit: NDArray[np.bool_],
    false: NDArray[np.bool_],
    weight: NDArray[np.float64],
    total: NDArray[np.float64],
) -> NDArray[np.float64]:
    """AP at 101 points of recall, draws × thresholds, of one class.

    Precision matters where recall rises: at the detections that are right.
    """
    found = np.zeros((len(weight), len(hit)))
    step = max(1, _HELD // max(1, hit.shape[1]))
    for begin in range(0, len(weight), step):
        some, part = weight[begin : begin + step], total[begin : begin + step]
        first = hit[0] | false[0]
        every = np.cumsum(some * first, axis=1)
        for bar in np.flatnonzero(hit.any(axis=1)).tolist():
            places = np.flatnonzero(hit[bar])
            right = np.cumsum(some[:, places], axis=1)
            shown = every[:, places] + _others(some, first, hit[bar] | false[bar], places)
            found[begin : begin + step, bar] = _points(right, shown, part)
    return found


def _others(
    weight: NDArray[np.float64],
    first: NDArray[np.bool_],
    counts: NDArray[np.bool_],
    places: NDArray[np.int64],
) -> NDArray[np.float64]:
    """How many more detections count up to some places than at the first threshold.

    Few do: those that lie in a crowd at one threshold and not at another.
    """
    changed = np.flatnonzero(counts != first)
    sums = np.zeros((len(weight), len(changed) + 1))
    signs = np.where(counts[changed], 1.0, -1.0)
    np.cumsum(weight[:, changed] * signs, axis=1, out=sums[:, 1:])
    return np.asarray(sums[:, np.searchsorted(changed, places, side="right")])


def _points(
    right: NDArray[np.float64], every: NDArray[np.float64], total: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Average the highest precision at 101 points of recall, for each draw."""
    precision = np.divide(right, every, out=np.zeros(right.shape), where=every > 0)
    highest = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    reached = np.floor(100 * right / np.maximum(total, 1.0)[:, None] + 1e-9)
    gained = np.diff(reached, axis=1, prepend=-1.0)  # recall 0 is reached at once
    return np.asarray((gained * highest).sum(axis=1) / 101)
