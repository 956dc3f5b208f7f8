"""A segment of time as text: ``106.183 106.808 speaker1`` (start, end, class), and back.

Times are written so that they read back to the very same numbers. The class is all that follows
the second blank; it may be missing. The same is taken from tuples ``(start, end)`` or
``(start, end, class)`` and from :class:`Segment`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError, quote, written
from consilience.given import is_missing, listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The latest second that a segment may name: seconds since 1970 fit, milliseconds do not.
LATEST = 1e10
_FIX = "write 'start end class' in seconds, or (start, end, class)"


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment of time in seconds, with its class ("" for none).

    Examples
    --------
    >>> str(Segment(106.183, 106.808, "MEE071"))
    '106.183 106.808 MEE071'
    """

    start: float
    end: float
    label: str = ""

    def __str__(self) -> str:
        return as_text(self.start, self.end, self.label)


def as_text(start: float, end: float, label: str = "") -> str:
    """Write a segment.

    Examples
    --------
    >>> as_text(0.0, 1.5, "door slam"), as_text(2.0, 3.25)
    ('0.0 1.5 door slam', '2.0 3.25')
    """
    return f"{start!r} {end!r} {label}" if label else f"{start!r} {end!r}"


def texts_of(start: Iterable[float], end: Iterable[float], labels: Iterable[str]) -> list[str]:
    """Write many segments."""
    return [as_text(a, b, c) for a, b, c in zip(start, end, labels, strict=True)]


@dataclass(frozen=True, slots=True)
class Columns:
    """Many segments: starts, ends, and the number of each one's class among ``names``."""

    start: NDArray[np.float64]
    end: NDArray[np.float64]
    label: NDArray[np.int64]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.start)


def columns_of(items: Sequence[Any]) -> Columns:
    """Read segments from text, tuples or :class:`Segment`; what is no segment is an error.

    Examples
    --------
    >>> read = columns_of(["0 1.5 a", (2, 3.25, "b"), Segment(4.0, 5.0)])
    >>> read.start.tolist(), read.end.tolist(), [read.names[code] for code in read.label]
    ([0.0, 2.0, 4.0], [1.5, 3.25, 5.0], ['a', 'b', ''])
    >>> columns_of(["0 x a"])
    Traceback (most recent call last):
    consilience.errors.UsageError: '0 x a' is no segment (fix: write 'start end class' in ...)
    """
    start, end = np.empty(len(items)), np.empty(len(items))
    codes: dict[str, int] = {}
    label = np.empty(len(items), np.int64)
    for place, item in enumerate(items):
        try:
            start[place], end[place], name = _parts(item)
        except (ValueError, TypeError, IndexError, OverflowError):
            raise UsageError(f"{quote(item)} is no segment (fix: {_FIX})") from None
        label[place] = codes.setdefault(name, len(codes))
    wrong = np.flatnonzero(~((end >= start) & (np.abs(start) <= LATEST) & (np.abs(end) <= LATEST)))
    if len(wrong):
        place = int(wrong[0])
        found, fix = wrong_times(start[place], end[place]) or ("", "")
        raise UsageError(f"{quote(items[place])}: {found} (fix: {fix})")
    return Columns(start, end, label, tuple(codes))


def _parts(item: Any) -> tuple[float, float, str]:
    if isinstance(item, str):
        parts: list[Any] | None = item.split(None, 2)
    elif isinstance(item, Segment):
        return item.start, item.end, item.label
    else:
        parts = listed(item)
    if parts is None or not 2 <= len(parts) <= 3:
        raise ValueError
    return float(parts[0]), float(parts[1]), _class(parts[2]) if len(parts) > 2 else ""


def _class(given: Any) -> str:
    return "" if is_missing(given) else written(given).strip()


def wrong_times(start: float, end: float, *, negative: bool = True) -> tuple[str, str] | None:
    """Say what is wrong with the times of a segment, and how to mend it; None if they are right.

    Examples
    --------
    >>> wrong_times(3.0, 2.0)
    ('ends at 2 before it starts at 3', 'swap the two, or correct one')
    """
    if not (math.isfinite(start) and math.isfinite(end)):
        return f"times must be finite, found {start:g} and {end:g}", "write seconds such as 12.5"
    if max(abs(start), abs(end)) > LATEST:
        found = f"times of {start:g} and {end:g} s lie beyond {LATEST:,.0f} s"
        return found, "write seconds, not milliseconds"
    if not negative and start < 0:
        return f"starts at {start:g}, before the recording", "count seconds from its start"
    if end < start:
        return f"ends at {end:g} before it starts at {start:g}", "swap the two, or correct one"
    return None


def end_of(start: str, duration: str) -> float:
    """Add a duration to a start as they are written, so that the sum has no digits of its own.

    Examples
    --------
    >>> 0.1 + 0.2, end_of("0.1", "0.2")
    (0.30000000000000004, 0.3)
    """
    total = float(start) + float(duration)
    if "e" in start.lower() or "e" in duration.lower() or not math.isfinite(total):
        return total
    return round(total, max(_places(start), _places(duration)))


def _places(number: str) -> int:
    return len(number.strip().partition(".")[2])
