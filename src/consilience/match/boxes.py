"""How alike two boxes are: the share of their union that they have in common.

Boxes are continuous: one from 10 to 12 is 2 wide, as in COCO's own program (some programs count
pixels and add 1). Boxes of different classes are not alike at all, unless classes are left aside.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.formats.boxed import parsed
from consilience.match.kernel import many

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A prepared box: left, top, right, bottom, area, and its class as a number.
_SIDES = 6


def _prepare(items: Sequence[Any], *, classes: bool = True) -> NDArray[np.float64]:
    """Give boxes as rows of numbers; a class becomes a number that only depends on its name."""
    box, names = parsed(items)
    held = np.empty((len(box), _SIDES))
    held[:, :2] = box[:, :2]
    held[:, 2:4] = box[:, :2] + box[:, 2:]
    held[:, 4] = box[:, 2] * box[:, 3]
    held[:, 5] = [_number(name) if classes else 0.0 for name in names]
    return held


def _number(name: str) -> float:
    """Give a name a number that no other name is likely to have, the same in every process."""
    import hashlib

    digest = hashlib.blake2b(name.encode(), digest_size=8).digest()
    return float(int.from_bytes(digest, "big") >> 11)


def _compare(
    rows: NDArray[np.float64], columns: NDArray[np.float64], *, floor: float, classes: bool = True
) -> NDArray[np.float64]:
    return _overlap(rows[:, None, :], columns[None, :, :])


def _pairs(
    left: NDArray[np.float64], right: NDArray[np.float64], *, floor: float, classes: bool = True
) -> NDArray[np.float64]:
    return _overlap(left, right)


def _overlap(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    wide = np.minimum(a[..., 2], b[..., 2]) - np.maximum(a[..., 0], b[..., 0])
    high = np.minimum(a[..., 3], b[..., 3]) - np.maximum(a[..., 1], b[..., 1])
    common = np.maximum(wide, 0.0) * np.maximum(high, 0.0)
    union = a[..., 4] + b[..., 4] - common
    flat = union <= 0  # boxes without an area: alike where they are the same
    found: NDArray[np.float64] = np.zeros(np.shape(common))
    np.divide(common, union, out=found, where=~flat)
    same = (a[..., :4] == b[..., :4]).all(axis=-1)
    found[same] = 1.0
    np.clip(found, 0.0, 1.0, out=found)
    found[a[..., 5] != b[..., 5]] = 0.0
    return found


@many(prepare=_prepare, compare=_compare, pairs=_pairs, floor=0.5, of="boxes")
def boxes(a: Any, b: Any, *, classes: bool = True) -> float:
    r"""Intersection over union of two boxes, \|A ∩ B\| / \|A ∪ B\|.

    Parameters
    ----------
    a, b
        Boxes as text, ``left top width height class``, or as tuples of the same.
    classes
        Whether boxes of different classes are unlike, whatever they share.

    Notes
    -----
    A box without an area is 1 like itself and 0 like all others.

    Examples
    --------
    >>> boxes("0 0 10 10 cat", "5 0 10 10 cat")
    0.3333333333333333
    >>> boxes("0 0 10 10 cat", "5 0 10 10 dog"), boxes((0, 0, 4, 4), (0, 0, 4, 2))
    (0.0, 0.5)
    """
    both = _prepare([a, b], classes=classes)
    return float(_overlap(both[0:1], both[1:2])[0])


def overlaps(
    detected: NDArray[np.float64], true: NDArray[np.float64], crowd: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Intersection over union of boxes row by row, as COCO counts it.

    Where the true box is a crowd, what is shared is divided by the area of the detected box: a
    detection inside a crowd is no fault.

    Parameters
    ----------
    detected, true
        Left, top, width and height.
    crowd
        Which of the true boxes are crowds.

    Examples
    --------
    >>> one, two = np.array([[0.0, 0, 2, 2]] * 2), np.array([[1.0, 0, 9, 2]] * 2)
    >>> overlaps(one, two, np.array([False, True])).tolist()
    [0.1, 0.5]
    """
    wide = np.minimum(detected[:, 2] + detected[:, 0], true[:, 2] + true[:, 0])
    wide -= np.maximum(detected[:, 0], true[:, 0])
    high = np.minimum(detected[:, 3] + detected[:, 1], true[:, 3] + true[:, 1])
    high -= np.maximum(detected[:, 1], true[:, 1])
    common = np.where((wide > 0) & (high > 0), wide * high, 0.0)
    own, others = detected[:, 2] * detected[:, 3], true[:, 2] * true[:, 3]
    union = np.where(crowd, own, own + others - common)
    return np.divide(common, union, out=np.zeros(len(common)), where=common > 0)
