"""The best match of every piece of a string among those of another, for many strings at once.

What :mod:`consilience.match.soft_tokens` is made of: pieces are compared once, however many strings
have them, and then looked up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from consilience.match.kernel import TINY, Similarity, comparer, table
from consilience.match.pieces import Pieces, used
from consilience.match.sums import compared

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"


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
    alike = table(inner, names.tolist(), others.tolist())
    alike[alike < close - TINY] = 0.0
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
    names, places = used(left)
    others, at = used(right)
    one, other = _crossed(left, right)
    width = max(1, len(others))
    different, which = np.unique(places[one] * width + at[other], return_inverse=True)
    how = comparer(inner)
    prepared = how.prepare([*names, *others])
    alike = compared(how, prepared, different // width, different % width + len(names), 0.0)
    alike[alike < close - TINY] = 0.0
    alike = alike[which.reshape(-1)]
    there = _best_of(alike, one, right.times[other], len(left.codes), weighted)
    back = _best_of(alike, other, left.times[one], len(right.codes), weighted)
    return left.sums(left.times * there), right.sums(right.times * back)


def _crossed(left: Pieces, right: Pieces) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pair each piece of a left string with each piece of the right one."""
    times = right.sizes[left.owners]
    one = np.repeat(np.arange(len(left.codes)), times)
    begins = np.repeat(np.cumsum(times) - times, times)
    return one, np.arange(len(one)) - begins + right.starts[left.owners[one]]


def _best_of(
    alike: Floats, group: NDArray[np.int64], weights: Floats, size: int, weighted: bool
) -> Floats:
    """Find the largest of each group; if weighted, times the largest weight of the largest."""
    order = np.lexsort((weights, alike, group))
    best = np.zeros(size)
    # Of the values that go to one place the last one stays.
    best[group[order]] = (alike * weights if weighted else alike)[order]
    return best
