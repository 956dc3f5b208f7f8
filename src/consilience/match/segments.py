"""How alike two segments of time are: the time they share, out of the time of both.

Segments are compared as text ``start end class`` (how files of segments are read), as tuples
``(start, end)`` or ``(start, end, class)``, or as
:class:`~consilience.formats.segment_text.Segment`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.formats.segment_text import Segment, columns_of
from consilience.match.kernel import many

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Segment", "segments"]

#: A prepared segment: its times, and 128 bits that stand for its class.
_PREPARED = np.dtype([("start", "f8"), ("end", "f8"), ("class0", "u8"), ("class1", "u8")])


def _prepare(items: Sequence[Any], *, classes: bool = True) -> NDArray[np.void]:
    """Read segments; classes become numbers that are the same in every call."""
    read = columns_of(items)
    digests = [hashlib.blake2b(name.encode(), digest_size=16).digest() for name in read.names]
    codes = np.frombuffer(b"".join(digests), np.uint64).reshape(-1, 2)
    held = np.empty(len(read), _PREPARED)
    held["start"], held["end"] = read.start, read.end
    held["class0"], held["class1"] = codes[read.label].T if len(read) else (0, 0)
    return held


def _iou(a: NDArray[np.void], b: NDArray[np.void], classes: bool) -> NDArray[np.float64]:
    """Compare arrays of prepared segments of the same shape, or of shapes that fit."""
    shared = np.minimum(a["end"], b["end"]) - np.maximum(a["start"], b["start"])
    np.maximum(shared, 0.0, out=shared)
    both = (a["end"] - a["start"]) + (b["end"] - b["start"]) - shared
    found = np.zeros(shared.shape)
    np.divide(shared, both, out=found, where=both > 0)
    found[(both <= 0) & (a["start"] == b["start"])] = 1.0  # two points in time
    np.minimum(found, 1.0, out=found)
    if classes:
        found[(a["class0"] != b["class0"]) | (a["class1"] != b["class1"])] = 0.0
    return found


def _block(
    rows: NDArray[np.void], columns: NDArray[np.void], *, floor: float, classes: bool = True
) -> NDArray[np.float64]:
    return _iou(rows[:, None], columns[None, :], classes)


def _pairs(
    left: NDArray[np.void], right: NDArray[np.void], *, floor: float, classes: bool = True
) -> NDArray[np.float64]:
    return _iou(left, right, classes)


@many(prepare=_prepare, compare=_block, pairs=_pairs, of="segments")
def segments(a: Any, b: Any, *, classes: bool = True) -> float:
    """Temporal IoU, the length of the overlap / the length of the union.

    Parameters
    ----------
    a, b
        Two segments: text ``start end class``, tuples, or ``Segment``.
    classes
        Whether segments of different classes have nothing in common.

    Notes
    -----
    Two points in time (segments without length) are alike, 1, where they are the same point.

    Examples
    --------
    >>> segments("0 10 speech", "5 15 speech")
    0.3333333333333333
    >>> segments((0, 10, "speech"), (5, 15, "noise")), segments((0, 10), (0, 10))
    (0.0, 1.0)
    >>> segments("0 10 speech", "0 8 noise", classes=False)
    0.8
    """
    return float(_pairs(_prepare([a]), _prepare([b]), floor=0.0, classes=classes)[0])
