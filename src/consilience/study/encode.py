"""Equal (query, item) pairs get equal numbers: exactly, and without sorting names.

Rows are handled some ten thousand at a time, whole queries together. Each row's name is made a
64-bit number; rows write their own place into a small table where that number points to and read
back who stands there. Whoever finds an equal number has found the first appearance of its name,
the others try again elsewhere; a few whole-array rounds place everybody. What was put together is
then compared letter by letter, so the result does not rest on luck: if two names really shared a
number, the block is numbered anew with another hash.

Working by query keeps the table in the processor's cache, and a query is the right unit anyway:
whether an item is relevant is a fact about the pair, so the same document under two queries is
two items.

Names that come as numbers (dictionaries, whole numbers) need no spelling: query and name make one
64-bit number. Where these lie close together each has a place of its own in a small table;
elsewhere Arrow finds the different ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.columns import alike, changes, numbers, rises
from consilience.study.spelling import Spelling

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from consilience.columns import Text

#: Rows handled at a time, at least: their temporaries stay in the processor's cache.
BLOCK = 1 << 16
_ODD = np.uint64(0xD6E8FEB86659FD93)
_LOW16 = 0xFFFF
_SEEDS = 64
_FEWEST_BITS = 12
#: Places of a table of numbers that there are for a row, at most.
_PLACES = 4


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


def encode(tables: Sequence[tuple[NDArray[np.integer], Text]], *, queries: int) -> Encoded:
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
    texts = alike([names for _, names in tables])
    tables = [(query, names) for (query, _), names in zip(tables, texts, strict=True)]
    numbered = any(names.numbered for names in texts)
    return _by_number(tables, queries) if numbered else _by_name(tables, queries)


def _by_number(tables: Sequence[tuple[NDArray[np.integer], Text]], queries: int) -> Encoded:
    """Number the pairs of tables whose names are numbers: pairs are then numbers, too."""
    query = [part for part, _ in tables]
    names = [text.codes()[0] for _, text in tables]
    codes = tuple(np.empty(len(part), np.int32) for part in query)
    offsets = np.cumsum([0, *map(len, query)])
    starts = np.zeros(queries + 1, np.int64)
    rows = [np.zeros(0, np.int64)]
    repeats = np.zeros(len(tables), bool)
    for low, high, here in _stretches(query, queries):
        parts = [part[cut] for part, cut in zip(query, here, strict=True)]
        cuts = np.cumsum([0, *map(len, parts)])
        said = [code[cut] for code, cut in zip(names, here, strict=True)]
        name = np.concatenate(said, dtype=np.int32, casting="unsafe")  # of fewer bytes, or as many
        least = int(name.min(initial=np.iinfo(np.int32).max))
        span = max(int(name.max(initial=least)) - least + 1, 1)
        key = np.concatenate(parts, dtype=np.int64)
        key -= low
        key *= span
        key += name
        key -= least
        number, first, ends = _first_come(key, span, high - low)
        begin = int(starts[low])
        starts[low + 1 : high + 1] = begin + ends
        table = np.searchsorted(cuts, first, side="right") - 1
        shift = offsets[:-1] + [cut.start for cut in here] - cuts[:-1]
        rows.append(first + shift[table])
        for t, cut in enumerate(here):
            mine = number[cuts[t] : cuts[t + 1]]
            np.add(mine, np.int32(begin), out=codes[t][cut])
            repeats[t] |= len(first) < len(mine) or _names_twice(mine, len(first))
    kind = np.int32 if offsets[-1] < 2**31 else np.int64
    every: NDArray[np.integer] = np.concatenate(rows, dtype=kind, casting="same_kind")
    return Encoded(codes, starts, every, tuple(map(bool, repeats)))


def _names_twice(number: NDArray[np.int32], count: int) -> bool:
    named = np.zeros(count, bool)
    named[number] = True
    return bool(np.count_nonzero(named) < len(number))


def _stretches(
    query: Sequence[NDArray[np.integer]], queries: int
) -> Iterator[tuple[int, int, list[slice]]]:
    """Cut tables into stretches of whole queries; where one is in no order, all is one stretch."""
    if not all(rises(part) for part in query):
        yield 0, queries, [slice(0, len(part)) for part in query]
        return
    starts = [_starts(part, queries) for part in query]
    for low, high in _blocks(starts):
        yield low, high, [slice(int(begin[low]), int(begin[high])) for begin in starts]


def _starts(query: NDArray[np.integer], queries: int) -> NDArray[np.int64]:
    """Tell where the rows of every query begin, and the last ones end; rows stand by query.

    Examples
    --------
    >>> _starts(np.array([0, 0, 2], np.uint8), 3).tolist()
    [0, 2, 2, 3]
    """
    begins = changes(query)
    place = np.searchsorted(query[begins], np.arange(queries + 1))
    return np.append(begins, len(query))[place]


def _first_come(
    key: NDArray[np.int64], span: int, queries: int
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
    """Number equal keys alike, query by query and as they come; a query has ``span`` keys.

    Returns
    -------
    tuple
        The numbers, the row where each first stands, and how many there are up to each query.

    Examples
    --------
    >>> number, first, ends = _first_come(np.array([13, 5, 13, 11, 7]), 10, 2)
    >>> number.tolist(), first.tolist(), ends.tolist()
    ([2, 0, 2, 3, 1], [1, 4, 0, 3], [2, 4])
    """
    near = span * queries <= _PLACES * len(key)
    number, first = _placed(key, span * queries) if near else _hashed(key)
    different = key[first]
    query = (different // span).astype(np.int32)
    order = group(query)
    if order is not None:
        to = np.empty(len(order), np.int32)
        to[order] = np.arange(len(order), dtype=np.int32)
        number, first, query = to[number], first[order], query[order]
    return number, first, np.searchsorted(query, np.arange(1, queries + 1, dtype=np.int32))


def _placed(key: NDArray[np.int64], places: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number equal keys alike, as they come, and find where each first stands.

    Every key below ``places`` has a place of its own.

    Examples
    --------
    >>> number, first = _placed(np.array([3, 5, 3, 1]), 6)
    >>> number.tolist(), first.tolist()
    ([0, 1, 0, 2], [0, 1, 3])
    """
    table = np.empty(places, np.int32)  # of several writers the last one stays
    back = np.arange(len(key) - 1, -1, -1, dtype=np.int32)
    table[np.ascontiguousarray(key[::-1])] = back
    number = np.empty(len(key), np.int32)
    table.take(key, out=number, mode="clip")
    first = np.flatnonzero(number == back[::-1])
    table[key[first]] = np.arange(len(first), dtype=np.int32)
    table.take(key, out=number, mode="clip")
    return number, first


def _hashed(key: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Do what :func:`_placed` does, for keys that lie far apart."""
    import pyarrow as pa

    keys = pa.Array.from_buffers(pa.int64(), len(key), [None, pa.py_buffer(key)])
    encoded = keys.dictionary_encode()
    number = numbers([encoded.indices], copy=False)
    first = np.empty(len(encoded.dictionary), np.int64)
    first[number[::-1].astype(np.intp)] = np.arange(len(number) - 1, -1, -1)
    return number, first


def _by_name(tables: Sequence[tuple[NDArray[np.integer], Text]], queries: int) -> Encoded:
    """Number the pairs of tables whose names are text."""
    parts = [_Part.of(query, names, queries) for query, names in tables]
    sizes = [int(part.starts[-1]) for part in parts]
    offsets = np.cumsum([0, *sizes])
    codes = tuple(np.empty(size, np.int32) for size in sizes)
    kind = np.int32 if offsets[-1] < 2**31 else np.int64
    rows: NDArray[np.integer] = np.empty(int(offsets[-1]), kind)
    starts = np.zeros(queries + 1, np.int64)
    repeats = np.zeros(len(parts), bool)
    for low, high in _blocks([part.starts for part in parts]):
        here = [(int(part.starts[low]), int(part.starts[high])) for part in parts]
        counts = [np.diff(part.starts[low : high + 1]) for part in parts]
        cuts = np.cumsum([0, *(end - begin for begin, end in here)])
        old, before = _repeated(parts, here, counts)
        number, ends = _numbers(old, cuts, counts, int(starts[low]))
        number[old] = number[before]
        starts[low + 1 : high + 1] = ends
        table = np.searchsorted(cuts, old, side="right") - 1
        repeats |= _repeating(table, before, cuts)
        places = [part.rows(*bounds) for part, bounds in zip(parts, here, strict=True)]
        read = np.concatenate([at + place for at, place in zip(offsets, places, strict=False)])
        rows[number] = read
        rows[number[before]] = read[before]
        for t, (part, (begin, end)) in enumerate(zip(parts, here, strict=True)):
            place = slice(begin, end) if part.order is None else places[t]
            codes[t][place] = number[cuts[t] : cuts[t + 1]]
    return Encoded(codes, starts, rows[: starts[-1]], tuple(map(bool, repeats)))


@dataclass(frozen=True, slots=True)
class _Part:
    """One table: its rows in order of query, and where each query's rows begin."""

    names: Text
    order: NDArray[np.int64] | None
    starts: NDArray[np.int64]

    @staticmethod
    def of(query: NDArray[np.integer], names: Text, queries: int) -> _Part:
        order = group(query)
        if order is None:
            grouped = query
        else:
            grouped, names = query[order], names.combined()  # rows are fetched in any order
        return _Part(names, order, _starts(grouped, queries))

    def rows(self, begin: int, end: int) -> NDArray[np.int64]:
        return np.arange(begin, end) if self.order is None else self.order[begin:end]

    def pieces(self, begin: int, end: int) -> list[pa.Array]:
        if self.order is None:
            return self.names.pieces(begin, end)
        chunks: list[pa.Array] = self.names.arrow(self.order[begin:end]).chunks
        return chunks


def group(codes: NDArray[np.integer]) -> NDArray[np.int64] | None:
    """Give the stable order that groups equal codes, or None where they are grouped already.

    Two counting sorts, by the low and the high half of the code: linear in the rows.

    Examples
    --------
    >>> group(np.array([1, 0, 1, 0], np.int32)).tolist()
    [1, 3, 0, 2]
    >>> group(np.array([0, 0, 2], np.int32)) is None
    True
    """
    if rises(codes):
        return None
    if codes.dtype.itemsize <= 2:
        return np.argsort(codes, kind="stable")
    order = np.argsort((codes & _LOW16).astype(np.uint16), kind="stable")
    high = (codes >> 16).astype(np.uint16)
    if high.any():
        order = order[np.argsort(high[order], kind="stable")]
    return order


def _repeated(
    parts: Sequence[_Part],
    here: Sequence[tuple[int, int]],
    counts: Sequence[NDArray[np.int64]],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Find a block's rows whose pair stood in it before, and where it first stood.

    Names that end alike are hashed whole; should that fail, too, with other seeds.
    """
    pieces = [part.pieces(*bounds) for part, bounds in zip(parts, here, strict=True)]
    names = Spelling.of([piece for table in pieces for piece in table])
    queries = np.arange(len(counts[0]), dtype=np.uint64)
    query = np.concatenate([np.repeat(queries, count) for count in counts])
    apart = query * _ODD
    for seed in range(_SEEDS):
        key = names.endings() if seed == 0 else names.hashes(seed)
        old, before = _earlier(key + apart)
        if np.array_equal(query[old], query[before]) and names.same(old, before):
            return old, before
    raise AssertionError(f"names kept sharing 64-bit hashes under {_SEEDS} seeds")


def _repeating(
    table: NDArray[np.int64], before: NDArray[np.int32], cuts: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Tell which tables name a pair twice; it may have stood in an earlier table first."""
    found = np.zeros(len(cuts) - 1, bool)
    found[table[before >= cuts[table]]] = True
    bounds = np.searchsorted(table, np.arange(len(cuts)))
    for t in np.flatnonzero(~found):
        elsewhere = before[bounds[t] : bounds[t + 1]]
        named = np.zeros(int(cuts[t]), bool)
        named[elsewhere] = True
        found[t] = np.count_nonzero(named) < len(elsewhere)
    return found


def _numbers(
    old: NDArray[np.int64],
    cuts: NDArray[np.int64],
    counts: Sequence[NDArray[np.int64]],
    begin: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number a block's new pairs query by query, the tables' in turn; tell where queries end.

    Rows whose pair is not new get no number of their own.
    """
    new = np.ones(cuts[-1] + 1, np.int32)
    new[0] = 0
    new[old + 1] = 0
    total = np.cumsum(new, dtype=np.int32)
    edges = [
        cut + np.concatenate([[0], np.cumsum(count)])
        for cut, count in zip(cuts, counts, strict=False)
    ]
    fresh = [np.diff(total[edge]) for edge in edges]
    ends = begin + np.cumsum(np.sum(fresh, axis=0, dtype=np.int64))
    place = np.concatenate([[begin], ends[:-1]])
    number = total[:-1]
    for cut, edge, added, count in zip(cuts, edges, fresh, counts, strict=False):
        shift = (place - total[edge[:-1]]).astype(np.int32)
        number[cut : cut + edge[-1] - edge[0]] += np.repeat(shift, count)
        place = place + added
    return number, ends


def _blocks(begins: Sequence[NDArray[np.integer]]) -> Iterator[tuple[int, int]]:
    """Cut the queries into runs of at least ``BLOCK`` rows, the last one aside."""
    starts = np.sum(begins, axis=0)
    low, last = 0, len(starts) - 1
    while low < last:
        high = int(np.searchsorted(starts, starts[low] + BLOCK))
        high = min(max(high, low + 1), last)
        yield low, high
        low = high


def _earlier(key: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Find the rows whose key stood in a row before, rising, and the first row it stood in.

    Examples
    --------
    >>> rows, first = _earlier(np.array([7, 9, 7, 7, 8], np.uint64))
    >>> rows.tolist(), first.tolist()
    ([2, 3], [0, 0])
    """
    found = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    rows = np.arange(len(key) - 1, -1, -1, dtype=np.int32)  # of several writers the last one stays
    mixed = key[::-1]
    while len(rows):
        bits = max(int(len(rows) * 2).bit_length(), _FEWEST_BITS)
        place = (mixed >> np.uint64(64 - bits)).view(np.int64)
        table = np.empty(1 << bits, np.int32)
        table[place] = rows
        winner = table.take(place)
        beaten = (winner != rows).nonzero()[0]
        rows, winner = rows.take(beaten), winner.take(beaten)
        again = key.take(winner) == key.take(rows)
        found[0].append(rows[again])
        found[1].append(winner[again])
        others = (~again).nonzero()[0]
        rows, mixed = rows.take(others), mixed.take(beaten.take(others)) * _ODD
    old, first = map(np.concatenate, found)
    by = np.argsort(old)
    return old[by].astype(np.int64), first[by]
