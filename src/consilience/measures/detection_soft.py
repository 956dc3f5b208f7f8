"""Detections against true boxes, softly: what one-to-one pairs share, not only whether they do.

Each image (and class) is matched so that the overlaps of all pairs add up to as much as possible;
pairs below the threshold count nothing. With S the sum of overlaps, precision is S / detections and
recall is S / true boxes: a box found with half of its union in common is half found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.match.boxes import overlaps
from consilience.measures.detection import Side

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Assigned:
    """One-to-one pairs: rows of the gold side, rows of the predicted side, and their overlap."""

    gold: NDArray[np.int64]
    predicted: NDArray[np.int64]
    overlap: NDArray[np.float64]


def assign(gold: Side, predicted: Side, *, iou: float, classes: bool = True) -> Assigned:
    """Pair boxes of the same image (and class) one to one, the overlaps as large as can be.

    Examples
    --------
    >>> def side(boxes):
    ...     n, box = len(boxes), np.array(boxes, float)
    ...     zero = np.zeros(n, np.int64)
    ...     return Side(zero, zero, box, box[:, 2] * box[:, 3], np.ones(n), np.zeros(n, bool))
    >>> one = assign(side([[0, 0, 10, 10]]), side([[0, 0, 10, 6], [0, 0, 10, 9]]), iou=0.5)
    >>> one.gold.tolist(), one.predicted.tolist(), one.overlap.tolist()
    ([0], [1], [0.9])
    """
    left, right, shared = _near(gold, predicted, iou, classes)
    if not len(left):
        none = np.zeros(0, np.int64)
        return Assigned(none, none, np.zeros(0))
    kept = _alone(left, right)
    pairs = [(left[kept], right[kept], shared[kept])]
    pairs += _parted(left[~kept], right[~kept], shared[~kept])
    found = [np.concatenate(part) for part in zip(*pairs, strict=True)]
    order = np.lexsort((found[1], found[0]))
    return Assigned(found[0][order], found[1][order], found[2][order])


def _near(
    gold: Side, predicted: Side, iou: float, classes: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Find all pairs in one image (and class) that share enough."""
    width = int(max(gold.label.max(initial=0), predicted.label.max(initial=0))) + 1
    keys = [one.image * width + one.label if classes else one.image for one in (gold, predicted)]
    order = np.argsort(keys[0], kind="stable")
    first = np.searchsorted(keys[0][order], keys[1])
    many = np.asarray(np.searchsorted(keys[0][order], keys[1], side="right")) - first
    right = np.repeat(np.arange(len(predicted)), many)
    begin = np.cumsum(many) - many
    left = order[np.repeat(first - begin, many) + np.arange(len(right))]
    shared = overlaps(predicted.box[right], gold.box[left], np.zeros(len(left), bool))
    near = shared >= iou
    return left[near], right[near], shared[near]


def _alone(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which pairs have no rival: their boxes are in no other pair."""
    rivals = np.bincount(left)[left] + np.bincount(right)[right]
    return np.asarray(rivals == 2)


def _parted(
    left: NDArray[np.int64], right: NDArray[np.int64], shared: NDArray[np.float64]
) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]]:
    """Assign within groups of pairs that have boxes in common."""
    if not len(left):
        return []
    from scipy.optimize import linear_sum_assignment
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    a, at = np.unique(left, return_inverse=True)
    b, to = np.unique(right, return_inverse=True)
    size = len(a) + len(b)
    graph = coo_array((np.ones(len(at)), (at, len(a) + to)), shape=(size, size))
    _, part = connected_components(graph, directed=False)
    order = np.argsort(part[at], kind="stable")
    cuts = np.flatnonzero(np.diff(part[at][order])) + 1
    found = []
    for group in np.split(order, cuts):
        rows, row = np.unique(at[group], return_inverse=True)
        columns, column = np.unique(to[group], return_inverse=True)
        table = np.zeros((len(rows), len(columns)))
        table[row, column] = shared[group]
        i, j = linear_sum_assignment(table, maximize=True)
        real = table[i, j] > 0
        i, j = i[real], j[real]
        found.append((a[rows[i]], b[columns[j]], table[i, j]))
    return found


def null_sums(
    gold: Side, predicted: Side, *, iou: float, classes: bool, draws: int, seed: int, images: int
) -> NDArray[np.float64]:
    """Sum of overlaps where detections stand in an image drawn at random: what luck would give."""
    rng = np.random.default_rng(seed)
    found = np.zeros(draws)
    for draw in range(draws):
        to = (np.arange(images) + rng.integers(1, images)) % images
        shuffled = rng.permutation(images)
        back = np.empty(images, np.int64)
        back[shuffled] = shuffled[to]  # no image stays where it is
        moved = Side(
            back[predicted.image],
            *(predicted.label, predicted.box, predicted.area, predicted.score, predicted.crowd),
        )
        found[draw] = assign(gold, moved, iou=iou, classes=classes).overlap.sum()
    return found
