"""Strings as numbers, for what is computed character by character for many pairs at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError, quote

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Beyond the end of a left and of a right string: equal to no character, and to each other neither.
LEFT_END, RIGHT_END = -1, -2
#: Characters times pairs of a batch, small enough for the processor's cache.
CELLS = 1 << 15
#: The longest strings that are compared one character at a time.
ONE_BY_ONE = 5_000


@dataclass(frozen=True, slots=True)
class Codes:
    """Strings as code points, one after the other, with where each begins and how long it is.

    Examples
    --------
    >>> three = coded(["ab", "", "abc"])
    >>> len(three), three[1:].lengths.tolist(), three[np.array([2, 0])].lengths.tolist()
    (3, [0, 3], [3, 2])
    """

    points: NDArray[np.int32]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lengths)

    def __getitem__(self, places: slice | NDArray[Any]) -> Codes:
        return Codes(self.points, self.starts[places], self.lengths[places])


def check_lengths(items: Sequence[str], most: int) -> None:
    """Refuse strings of more than ``most`` characters: the work grows with their square.

    Examples
    --------
    >>> check_lengths(["lake view", "old town " * 100], 500)
    Traceback (most recent call last):
    consilience.errors.UsageError: 'old town ...' (900 characters) is too long ...
    """
    longest = max(items, key=len, default="")
    if len(longest) > most:
        raise UsageError(
            f"{quote(longest)} is too long to be compared character by character, for which "
            f"{most:,} are the most (fix: one item a line; consilience align compares whole texts)"
        )


def coded(items: Sequence[str]) -> Codes:
    """Turn strings into numbers."""
    check_lengths(items, ONE_BY_ONE)
    lengths = np.array([len(item) for item in items], np.int64)
    joined = "".join(items).encode("utf-32-le", "surrogatepass")
    return Codes(np.frombuffer(joined, "<i4"), np.cumsum(lengths) - lengths, lengths)


def _columns(codes: Codes, end: int) -> NDArray[np.int32]:
    """Lay strings side by side, one in each column, filled up below."""
    longest = int(codes.lengths.max(initial=0))
    place = np.arange(longest)[:, None]
    inside = place < codes.lengths
    laid = np.full((longest, len(codes)), end, np.int32)
    laid[inside] = codes.points[(codes.starts + place)[inside]]
    return laid


def in_batches(
    score: Callable[[NDArray[np.int32], NDArray[np.int32]], NDArray[np.float64]],
    left: Codes,
    right: Codes,
) -> NDArray[np.float64]:
    """Score pairs of strings, batches of about equal lengths at a time.

    ``score`` gets two arrays with a column for each pair, and gives a number for each.
    """
    found = np.zeros(len(left))
    order = np.lexsort((left.lengths, right.lengths))[::-1]
    begin = 0
    while begin < len(order):
        longest = int(right.lengths[order[begin]])
        some = order[begin : begin + max(1, CELLS // (longest + 1))]
        found[some] = score(_columns(left[some], LEFT_END), _columns(right[some], RIGHT_END))
        begin += len(some)
    return found


def all_pairs(
    pairs: Callable[..., NDArray[np.float64]], rows: Codes, columns: Codes, **settings: Any
) -> NDArray[np.float64]:
    """Compare all rows with all columns by what compares pairs."""
    row = np.repeat(np.arange(len(rows)), len(columns))
    column = np.tile(np.arange(len(columns)), len(rows))
    return pairs(rows[row], columns[column], **settings).reshape(len(rows), len(columns))
