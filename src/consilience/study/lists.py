"""Rows become lists: what one respondent said to one query stands together.

Rows that stand together already, a *stretch*, are moved together: ten million votes written query
by query and system by system are a hundred thousand stretches, and only these are sorted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.columns import changes
from consilience.study.encode import group
from consilience.study.model import Answers

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Rows moved at a time, at least: their temporaries stay in the processor's cache.
BLOCK = 1 << 16
#: Stretches of fewer rows than this, on average, are not worth it.
_SHORT = 8
#: Stretches of more rows than this, on average, are copied one by one.
_LONG = 128


@dataclass(frozen=True, slots=True)
class Order:
    """Where answers were read: stretch ``k`` begins at row ``begins[k]`` as read.

    Its answers are ``starts[k]`` to ``starts[k + 1] - 1``.

    Examples
    --------
    >>> order = Order(np.array([3, 0]), np.array([0, 2, 5]))
    >>> order.rows(np.array([0, 1, 2])).tolist(), order.pick(np.array(list("abcde"))).tolist()
    ([3, 4, 0], ['d', 'e', 'a', 'b', 'c'])
    """

    begins: NDArray[np.int64]
    starts: NDArray[np.int64]

    def rows(self, answers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the rows of some answers."""
        stretch = np.searchsorted(self.starts, answers, side="right") - 1
        return self.begins[stretch] + answers - self.starts[stretch]

    def pick(self, column: NDArray[Any]) -> NDArray[Any]:
        """Give a column of rows in the order of the answers."""
        if len(self.begins) == len(column):  # every row is a stretch
            return column[self.begins]
        if len(self.begins) * _LONG < len(column):
            ends = (self.begins + np.diff(self.starts)).tolist()
            stretches = zip(self.begins.tolist(), ends, strict=True)
            return np.concatenate([column[begin:end] for begin, end in stretches])
        picked = np.empty(len(column), column.dtype)
        for low, high in blocks(self.starts, BLOCK):
            begin, end = int(self.starts[low]), int(self.starts[high])
            length = np.diff(self.starts[low : high + 1])
            rows = np.repeat(self.begins[low:high] - self.starts[low:high], length)
            rows += np.arange(begin, end)
            column.take(rows, out=picked[begin:end], mode="clip")
        return picked


def blocks(starts: NDArray[np.int64], size: int) -> Iterator[tuple[int, int]]:
    """Cut what begins at ``starts`` (and ends at its last) into blocks of at least ``size``.

    Examples
    --------
    >>> [*blocks(np.array([0, 3, 4, 9, 10, 11]), 4)]
    [(0, 2), (2, 3), (3, 5)]
    """
    low, last = 0, len(starts) - 1
    while low < last:
        high = int(np.searchsorted(starts, starts[low] + size))
        high = min(max(high, low + 1), last)
        yield low, high
        low = high


@dataclass(frozen=True, slots=True)
class Headers:
    """Whose lists there are, to which query, how long, and where their rows stand.

    ``order`` is None where rows stand list by list already.
    """

    respondent: NDArray[np.int32]
    query: NDArray[np.int32]
    counts: NDArray[np.int64]
    order: Order | None


def headers(respondent: NDArray[np.integer], query: NDArray[np.integer]) -> Headers:
    """Find the lists, by respondent and then query; rows keep their order inside a list.

    Examples
    --------
    >>> found = headers(np.array([0, 0, 1, 0]), np.array([1, 1, 0, 0]))
    >>> found.respondent.tolist(), found.query.tolist(), found.counts.tolist()
    ([0, 0, 1], [0, 1, 0], [1, 2, 1])
    >>> found.order.rows(np.arange(4)).tolist()
    [3, 0, 1, 2]
    """
    begins, rows = changes(respondent, query), len(query)
    if _in_order(respondent[begins], query[begins]):
        return _headers(respondent[begins], query[begins], np.diff(begins, append=rows), None)
    if len(begins) * _SHORT > rows:  # then stretches cost more than they save
        by = _sorted(respondent, query)
        respondent, query = respondent[by], query[by]
        order = Order(by, np.arange(rows + 1))
    else:
        respondent, query, length = respondent[begins], query[begins], np.diff(begins, append=rows)
        by = _sorted(respondent, query)
        respondent, query = respondent[by], query[by]
        order = Order(begins[by], np.concatenate([[0], np.cumsum(length[by])]))
    lists = changes(respondent, query)
    counts = np.diff(order.starts[lists], append=rows)
    return _headers(respondent[lists], query[lists], counts, order)


def _headers(
    respondent: NDArray[np.integer],
    query: NDArray[np.integer],
    counts: NDArray[np.int64],
    order: Order | None,
) -> Headers:
    """Give lists their usual types: rows may carry numbers of fewer bytes."""
    return Headers(respondent.astype(np.int32), query.astype(np.int32), counts, order)


def _in_order(respondent: NDArray[np.integer], query: NDArray[np.integer]) -> bool:
    """Tell whether rows stand by respondent, then query."""
    later = respondent[1:] > respondent[:-1]
    return bool((later | ((respondent[1:] == respondent[:-1]) & (query[1:] >= query[:-1]))).all())


def _sorted(respondent: NDArray[np.integer], query: NDArray[np.integer]) -> NDArray[np.int64]:
    """Give the stable order by respondent, then query."""
    by_query = group(query)
    if by_query is None:
        by_query = np.arange(len(query))
    by_respondent = group(respondent[by_query])
    return by_query if by_respondent is None else by_query[by_respondent]


def answers_of(
    found: Headers,
    columns: dict[str, NDArray[Any] | None],
    asked: Sequence[tuple[int, int]],
) -> Answers:
    """Group rows into lists; add an empty one for each (respondent, query) that gave no row.

    ``columns`` are emptied one by one, so that of many rows no more than one is held twice.
    """
    respondent, query, counts = found.respondent, found.query, found.counts
    laid = {name: _laid(columns, name, found.order) for name in [*columns]}
    present = set(zip(respondent.tolist(), query.tolist(), strict=True)) if asked else set()
    empty = [pair for pair in asked if pair not in present]
    if empty:
        respondent = np.append(respondent, np.array([r for r, _ in empty], np.int32))
        query = np.append(query, np.array([q for _, q in empty], np.int32))
        counts = np.append(counts, np.zeros(len(empty), np.int64))
        by = np.lexsort((query, respondent))
        respondent, query, counts = respondent[by], query[by], counts[by]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Answers(respondent, query, starts, **laid)


def _laid(columns: dict[str, NDArray[Any] | None], name: str, order: Order | None) -> Any:
    """Take out a column of rows, and lay it in the order of the answers."""
    column = columns.pop(name)
    if column is not None and order is not None:
        column = order.pick(column)
    return _narrow(column) if name == "rank" else column


def _narrow(rank: NDArray[Any] | None) -> NDArray[Any] | None:
    """Give ranks in 32 bits, where they fit: half the memory of very many answers."""
    if rank is None or rank.dtype == np.int32:
        return rank
    fits = not len(rank) or int(rank.max()) <= np.iinfo(np.int32).max
    return rank.astype(np.int32 if fits else np.int64)
