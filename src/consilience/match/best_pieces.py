"""The best match of every piece of a string among those of another, for many strings at once.

What :mod:`consilience.match.soft_tokens` is made of: pieces are compared once, however many strings
have them, and then looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from consilience.errors import UsageError
from consilience.match.kernel import TINY, Similarity, comparer, table
from consilience.match.pieces import Pieces, used
from consilience.match.sums import compared

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"
#: From the places of pieces, on either side, to their similarities.
LookUp: TypeAlias = Callable[["NDArray[np.int64]", "NDArray[np.int64]"], Floats]

#: So many pieces of pairs of strings may meet at a time.
CROSSINGS = 1 << 20
#: All pieces are compared with all unless these are so many times more than meet.
MANY = 4


def compared_closely(
    inner: Similarity, names: Sequence[str], others: Sequence[str], close: float
) -> Floats:
    """Compare all pieces with all others; what is less alike than close has nothing in common."""
    found = table(inner, names, others)
    found[found < _checked(close) - TINY] = 0.0
    return found


def _checked(close: float) -> float:
    if not 0 <= close <= 1:
        raise UsageError(f"close must lie in [0, 1], found {close} (fix: 0.5, or 0 for all words)")
    return close


def _each(some: Pieces) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Go through the first pieces of all strings, then the second of those that have one, ..."""
    for k in range(int(some.sizes.max(initial=0))):
        having = np.flatnonzero(some.sizes > k)
        yield having, some.starts[having] + k


def _best_in_block(
    alike: Floats, places: NDArray[np.int64], strings: Pieces, weighted: bool
) -> Floats:
    """Find for each string (row) and piece (column) the similarity to the best piece of the string.

    ``alike`` has a row for each piece of the strings. If weighted, times what that best one
    weighs; of equally similar ones that which weighs most is the best.
    """
    best = np.zeros((len(strings), alike.shape[1]))
    weight = np.zeros_like(best) if weighted else best
    for having, at in _each(strings):
        now, before = alike[places[at]], best[having]
        if weighted:
            new, old = strings.times[at, None], weight[having]
            weight[having] = np.select(
                [now > before, now == before], [new, np.maximum(new, old)], old
            )
        best[having] = np.maximum(now, before)
    return best * weight if weighted else best


def _summed(values: Floats, places: NDArray[np.int64], strings: Pieces) -> Floats:
    """Sum up for each string what its pieces (rows) have, as often as they occur."""
    found = np.zeros((len(strings), values.shape[1]))
    for having, at in _each(strings):
        found[having] += strings.times[at, None] * values[places[at]]
    return found


def block_sums(
    rows: Pieces, columns: Pieces, inner: Similarity, close: float, weighted: bool
) -> tuple[Floats, Floats]:
    """Sum up the best similarities of the pieces of rows to columns, and of columns to rows."""
    names, places = used(rows)
    others, at = used(columns)
    alike = compared_closely(inner, names.tolist(), others.tolist(), close)
    there = _best_in_block(np.ascontiguousarray(alike.T), at, columns, weighted)
    back = _best_in_block(alike, places, rows, weighted)
    return (
        _summed(np.ascontiguousarray(there.T), places, rows),
        _summed(np.ascontiguousarray(back.T), at, columns).T,
    )


def pair_sums(
    left: Pieces, right: Pieces, inner: Similarity, close: float, weighted: bool
) -> tuple[Floats, Floats]:
    """Sum up as for a block, for the left and the right string of each pair."""
    (names, places), (others, at) = used(left), used(right)
    left, right = replace(left, codes=places), replace(right, codes=at)
    crossings = left.sizes * right.sizes
    look_up = _look_up(inner, names.tolist(), others.tolist(), int(crossings.sum()))
    close = _checked(close)
    there, back = np.zeros(len(left)), np.zeros(len(right))
    for some in _stretches(crossings):
        ours, theirs = left[some], right[some]
        there[some] = _one_way(ours, theirs, look_up, close, weighted)
        back[some] = _one_way(theirs, ours, lambda a, b: look_up(b, a), close, weighted)
    return there, back


def _look_up(inner: Similarity, names: list[str], others: list[str], crossings: int) -> LookUp:
    """Give a way to find similarities: all pieces with all, or only those that meet."""
    if len(names) * len(others) <= MANY * crossings:
        whole = table(inner, names, others)
        return lambda a, b: whole[a, b]
    how = comparer(inner)
    prepared = how.prepare([*names, *others])

    def look_up(a: NDArray[np.int64], b: NDArray[np.int64]) -> Floats:
        different, which = np.unique(a * len(others) + b, return_inverse=True)
        one, other = different // len(others), different % len(others) + len(names)
        found: Floats = compared(how, prepared, one, other, 0.0)[which.reshape(-1)]
        return found

    return look_up


def _stretches(crossings: NDArray[np.int64]) -> Iterator[slice]:
    """Part pairs so that not too many pieces meet at a time."""
    total = np.cumsum(crossings)
    begin = 0
    while begin < len(total):
        done = total[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(total, done + CROSSINGS, side="right")))
        yield slice(begin, end)
        begin = end


def _one_way(ours: Pieces, theirs: Pieces, look_up: LookUp, close: float, weighted: bool) -> Floats:
    """Sum up the best similarities of our pieces to theirs."""
    times = theirs.sizes[ours.owners]
    starts = np.cumsum(times) - times
    one = np.repeat(np.arange(len(ours.codes)), times)
    other = np.arange(len(one)) + np.repeat(theirs.starts[ours.owners] - starts, times)
    alike = look_up(ours.codes[one], theirs.codes[other])
    alike[alike < close - TINY] = 0.0
    best, having = np.zeros(len(ours.codes)), times > 0
    if having.any():
        best[having] = np.maximum.reduceat(alike, starts[having])
    if weighted and having.any():
        weighs = np.where(alike == np.repeat(best, times), theirs.times[other], 0.0)
        best[having] *= np.maximum.reduceat(weighs, starts[having])
    return ours.sums(ours.times * best)
