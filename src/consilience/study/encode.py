"""Equal (query, item) pairs get equal numbers: exactly, and without sorting names.

Rows are handled some ten thousand at a time, whole queries together. Each row's name is hashed
to 64 bits; rows write their number into a small table where their hash points to and read back
who stands there. Whoever finds an equal hash has found the first appearance of its name, the
others try again elsewhere; a few whole-array rounds place everybody. What was put together is
then compared letter by letter, so the result does not rest on luck: if two names really shared a
hash, everything is hashed anew with another seed.

Working by query keeps the table in the processor's cache, and a query is the right unit anyway:
whether an item is relevant is a fact about the pair, so the same document under two queries is
two items.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.columns import Prints

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from consilience.columns import Text

#: Rows handled at a time, at least: their temporaries stay in the processor's cache.
BLOCK = 1 << 15
#: Names up to this many bytes are known from their first and last eight.
_SHORT = 16
_ODD = np.uint64(0xD6E8FEB86659FD93)
_LOW16 = 0xFFFF


@dataclass(frozen=True, slots=True)
class Encoded:
    """Numbers for the different (query, item) pairs of some tables.

    ``codes[t][r]`` is the number of row ``r`` of table ``t``. Pairs are numbered query by query:
    query ``q`` owns ``starts[q]`` to ``starts[q + 1] - 1``. Pair ``i`` first stands in row
    ``rows[i]``, counted over all tables. ``repeats[t]`` tells whether table ``t`` names a pair
    more than once.
    """

    codes: tuple[NDArray[np.int32], ...]
    starts: NDArray[np.int64]
    rows: NDArray[np.integer]
    repeats: tuple[bool, ...]


def encode(tables: Sequence[tuple[NDArray[np.int32], Text]], *, queries: int) -> Encoded:
    """Number the different (query, item) pairs of tables of (query code, item name).

    Examples
    --------
    >>> from consilience.columns import Text
    >>> run = np.array([0, 0, 1], np.int32), Text.of(["a", "b", "a"])
    >>> gold = np.array([1, 0, 0], np.int32), Text.of(["c", "b", "d"])
    >>> encoded = encode([run, gold], queries=2)
    >>> [codes.tolist() for codes in encoded.codes], encoded.starts.tolist()
    ([[0, 1, 3], [4, 1, 2]], [0, 3, 5])
    """
    parts = [_Part.of(query, names, queries) for query, names in tables]
    for seed in range(64):
        encoded = _encode(parts, queries, seed)
        if encoded is not None:
            return encoded
    raise AssertionError("names kept sharing 64-bit hashes under 64 seeds")  # pragma: no cover


@dataclass(frozen=True, slots=True)
class _Part:
    """One table: its rows in order of query, and where each query's rows begin."""

    names: Text
    order: NDArray[np.int64] | None
    starts: NDArray[np.int64]

    @staticmethod
    def of(query: NDArray[np.int32], names: Text, queries: int) -> _Part:
        order = group(query)
        if order is None:
            grouped = query
        else:
            grouped, names = query[order], names.combined()  # rows are fetched in any order
        return _Part(names, order, np.searchsorted(grouped, np.arange(queries + 1, dtype=np.int32)))

    def rows(self, begin: int, end: int) -> NDArray[np.int64]:
        return np.arange(begin, end) if self.order is None else self.order[begin:end]

    def pieces(self, begin: int, end: int) -> list[pa.Array]:
        if self.order is None:
            return self.names.pieces(begin, end)
        chunks: list[pa.Array] = self.names.arrow(self.order[begin:end]).chunks
        return chunks


def group(codes: NDArray[np.int32]) -> NDArray[np.int64] | None:
    """Give the stable order that groups equal codes, or None where they are grouped already.

    Two counting sorts, by the low and the high half of the code: linear in the rows.

    Examples
    --------
    >>> group(np.array([1, 0, 1, 0], np.int32)).tolist()
    [1, 3, 0, 2]
    >>> group(np.array([0, 0, 2], np.int32)) is None
    True
    """
    if bool((codes[1:] >= codes[:-1]).all()):
        return None
    order = np.argsort((codes & _LOW16).astype(np.uint16), kind="stable")
    high = (codes >> 16).astype(np.uint16)
    if high.any():
        order = order[np.argsort(high[order], kind="stable")]
    return order


def _encode(parts: Sequence[_Part], queries: int, seed: int) -> Encoded | None:
    """Number all pairs under one seed; None where two different names share a hash."""
    sizes = [int(part.starts[-1]) for part in parts]
    offsets = np.cumsum([0, *sizes])
    codes = tuple(np.empty(size, np.int32) for size in sizes)
    item_rows = np.empty(int(offsets[-1]), np.int32 if offsets[-1] < 2**31 else np.int64)
    starts = np.zeros(queries + 1, np.int64)
    repeats = np.zeros(len(parts), bool)
    long: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for low, high in _blocks(parts):
        here = [(int(part.starts[low]), int(part.starts[high])) for part in parts]
        cuts = np.cumsum([0, *(end - begin for begin, end in here)])
        arrays = [a for p, (begin, end) in zip(parts, here, strict=True) for a in p.pieces(begin, end)]
        counts = [np.diff(part.starts[low : high + 1]) for part in parts]
        prints = Prints.of(arrays, seed=seed)
        query = np.concatenate([np.repeat(np.arange(high - low), count) for count in counts])
        first = _first(prints.key + query.astype(np.uint64) * _ODD)
        new = first == np.arange(len(first), dtype=np.int32)
        (old,) = np.nonzero(~new)
        before = first[old]
        if not _alike(prints, query, old, before):
            return None
        number, block_starts = _numbers(new, cuts, counts, int(starts[low]))
        starts[low + 1 : high + 1] = block_starts
        number[old] = number[before]
        table = np.searchsorted(cuts, old, side="right") - 1
        repeats[table[before >= cuts[table]]] = True
        rows = [p.rows(*bounds) + at for p, bounds, at in zip(parts, here, offsets, strict=False)]
        block_rows = np.concatenate(rows)
        item_rows[number[new]] = block_rows[new]
        unsure = prints.length[old] > _SHORT
        long.append((block_rows[old[unsure]], block_rows[before[unsure]]))
        for t, (part, (begin, end)) in enumerate(zip(parts, here, strict=True)):
            place = slice(begin, end) if part.order is None else part.order[begin:end]
            codes[t][place] = number[cuts[t] : cuts[t + 1]]
    if not _same(parts, long):
        return None
    return Encoded(codes, starts, item_rows[: starts[-1]], tuple(map(bool, repeats)))


def _numbers(
    new: NDArray[np.bool_], cuts: NDArray[np.int64], counts: Sequence[NDArray[np.int64]], begin: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number a block's new pairs query by query, the tables' in turn; tell where queries end."""
    total = np.concatenate([[0], np.cumsum(new)])
    edges = [cut + np.concatenate([[0], np.cumsum(count)]) for cut, count in zip(cuts, counts, strict=False)]
    fresh = [np.diff(total[edge]) for edge in edges]
    ends = begin + np.cumsum(np.sum(fresh, axis=0))
    place = np.concatenate([[begin], ends[:-1]])
    shifts = []
    for edge, added, count in zip(edges, fresh, counts, strict=True):
        shifts.append(np.repeat(place - total[edge[:-1]], count))
        place = place + added
    return (total[:-1] + np.concatenate(shifts)).astype(np.int32), ends


def _alike(
    prints: Prints, query: NDArray[np.int64], rows: NDArray[np.int64], first: NDArray[np.int32]
) -> bool:
    """Compare query, length, head and tail of what was put together."""
    columns = (query, prints.length, prints.head, prints.tail)
    return all(np.array_equal(column[rows], column[first]) for column in columns)


def _same(
    parts: Sequence[_Part], pairs: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]
) -> bool:
    """Compare long names that were put together letter by letter."""
    from consilience.columns import Text

    left, right = (np.concatenate(side) for side in zip(*pairs, strict=True))
    return not len(left) or Text.concat(part.names for part in parts).same(left, right)


def _blocks(parts: Sequence[_Part]) -> Iterator[tuple[int, int]]:
    """Cut the queries into runs of at least ``BLOCK`` rows, the last one aside."""
    starts = np.sum([part.starts for part in parts], axis=0)
    low, last = 0, len(starts) - 1
    while low < last:
        high = int(np.searchsorted(starts, starts[low] + BLOCK))
        high = min(max(high, low + 1), last)
        yield low, high
        low = high


def _first(key: NDArray[np.uint64]) -> NDArray[np.int32]:
    """For every row, find the first row with the same key.

    Examples
    --------
    >>> _first(np.array([7, 9, 7, 7, 8], np.uint64)).tolist()
    [0, 1, 0, 0, 4]
    """
    first = np.arange(len(key), dtype=np.int32)
    rows, here, mixed = first, key, key
    while len(rows):
        bits = max(int(len(rows) * 2).bit_length(), 1)
        place = (mixed >> np.uint64(64 - bits)).view(np.int64)
        table = np.empty(1 << bits, np.int32)
        table[place[::-1]] = rows[::-1]  # of several writers the last one stays: the first row
        winner = table[place]
        lost = key[winner] != here
        if rows is first:
            first = np.where(lost, first, winner)
        else:
            found = ~lost
            first[rows[found]] = winner[found]
        rows, here, mixed = rows[lost], here[lost], mixed[lost] * _ODD
    return first
