"""Two lists of many documents, laid out for comparing: which items each side has, how often.

Soft measures of a document need the similarities of all its items to each other, whichever side
they stand on. So the two lists of a document become one list of different items, an *entry* each,
with how often gold and the prediction name it. Entries of a document stand together: what only
gold has, what both have, what only the prediction has. Either side is then a slice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Entries:
    """The different items of documents, and how often each side names them.

    Entries ``starts[d]`` to ``starts[d + 1] - 1`` belong to document ``d``; its gold items come
    first and end before ``gold_ends[d]``, its predicted ones begin at ``predicted_starts[d]``.
    Entry ``e`` is the item ``items[code[e]]``, named ``gold[e]`` and ``predicted[e]`` times.
    """

    items: list[Any]
    code: NDArray[np.int64]
    starts: NDArray[np.int64]
    gold_ends: NDArray[np.int64]
    predicted_starts: NDArray[np.int64]
    gold: NDArray[np.int64]
    predicted: NDArray[np.int64]

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return len(self.starts) - 1

    def lengths(self) -> NDArray[np.int64]:
        """Give the number of entries of every document."""
        return self.starts[1:] - self.starts[:-1]

    def document(self) -> NDArray[np.int64]:
        """Give the document of every entry."""
        return np.repeat(np.arange(self.documents), self.lengths())

    def total(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add values of entries up by document."""
        added: NDArray[np.float64] = np.zeros(self.documents)
        added += np.bincount(self.document(), values, minlength=self.documents)
        return added

    def sizes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Give the lengths of both lists of every document, repetitions counted."""
        added = [self.total(side.astype(np.float64)) for side in (self.gold, self.predicted)]
        return added[0].astype(np.int64), added[1].astype(np.int64)

    def part(self, first: int, last: int) -> Entries:
        """Give some documents, from the first to before the last."""
        begin, end = int(self.starts[first]), int(self.starts[last])
        return Entries(
            self.items,
            self.code[begin:end],
            self.starts[first : last + 1] - begin,
            self.gold_ends[first:last] - begin,
            self.predicted_starts[first:last] - begin,
            self.gold[begin:end],
            self.predicted[begin:end],
        )


def entries(gold: Sequence[Sequence[Any]], predicted: Sequence[Sequence[Any]]) -> Entries:
    """Lay out the two lists of every document.

    Parameters
    ----------
    gold, predicted
        One list of items for each document, in the same order. Items are equal where Python says
        so; items that cannot be hashed are all different.

    Examples
    --------
    >>> made = entries([["cafe", "hotel"]], [["pizza", "cafe", "pizza"]])
    >>> [made.items[code] for code in made.code], made.gold.tolist(), made.predicted.tolist()
    (['hotel', 'cafe', 'pizza'], [1, 1, 0], [0, 1, 2])
    """
    documents, lists = len(gold), [*gold, *predicted]
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    items, named = _coded(lists, int(lengths.sum()))
    different = max(len(items), 1)
    of_predicted, document = np.divmod(np.arange(len(lists)), max(documents, 1))
    named *= 2  # in place: with millions of items, new memory costs more than arithmetic
    named += np.repeat(2 * different * document + of_predicted, lengths)
    named.sort(kind="stable")  # by document, item and side
    first, times, predicted_times = _counted(named)
    document, code = np.divmod(named[first] >> 1, different)
    side = (predicted_times > 0).astype(np.int8) + (predicted_times == times)
    order, ends = _by_side(document, side, documents)
    return Entries(
        items,
        code[order],
        np.concatenate([[0], ends[2]]),
        ends[1],
        ends[0],
        (times - predicted_times)[order],
        predicted_times[order],
    )


def _by_side(
    document: NDArray[np.int64], side: NDArray[np.int8], documents: int
) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """Order entries within documents: gold's own, both sides', the prediction's own.

    Also gives where each of the three ends in every document.
    """
    members = [np.nonzero(side == which)[0] for which in range(3)]
    counts = [np.bincount(document[mine], minlength=documents) for mine in members]
    length = np.bincount(document, minlength=documents)
    end: NDArray[np.int64] = np.cumsum(length) - length  # of what comes before
    order, ends = np.empty(len(document), np.int64), []
    for mine, count in zip(members, counts, strict=True):
        shift = end - (np.cumsum(count) - count)
        order[np.arange(len(mine)) + shift[document[mine]]] = mine
        end = end + count
        ends.append(end)
    return order, ends


def _coded(lists: Sequence[Sequence[Any]], total: int) -> tuple[list[Any], NDArray[np.int64]]:
    """Number the different items of some lists."""
    numbers: defaultdict[Hashable, int] = defaultdict()
    numbers.default_factory = numbers.__len__  # a new item gets the next number
    try:
        codes = np.fromiter(map(numbers.__getitem__, chain.from_iterable(lists)), np.int64, total)
    except TypeError:  # arrays, lists: every item is one of its own
        return list(chain.from_iterable(lists)), np.arange(total)
    return list(numbers), codes


def _counted(
    named: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Find where each item of a document begins, how often it is named, and how often predicted.

    ``named`` holds, in order, twice the number of the item, plus 1 where it is predicted.
    """
    pair = named >> 1
    first = np.nonzero(np.concatenate([[True], pair[1:] != pair[:-1]])[: len(pair)])[0]
    times = np.append(first[1:], len(pair)) - first
    np.bitwise_and(named, 1, out=pair)
    return first, times, np.add.reduceat(pair, first) if len(first) else times
