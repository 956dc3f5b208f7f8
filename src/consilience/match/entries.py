"""Two lists of many documents, laid out for comparing: which items each side has, how often.

Soft measures of a document need the similarities of all its items to each other, whichever side
they stand on. So the two lists of a document become one list of different items, an *entry* each,
with how often gold and the prediction name it. Entries of a document stand together: what only
gold has, what both have, what only the prediction has. Either side is then a slice.
"""

from __future__ import annotations

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

    def document(self) -> NDArray[np.int64]:
        """Give the document of every entry."""
        return np.repeat(np.arange(self.documents), np.diff(self.starts))

    def total(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add values of entries up by document."""
        added: NDArray[np.float64] = np.zeros(self.documents)
        np.add.at(added, self.document(), values)
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
    items, codes = _coded([one for side in (gold, predicted) for one in side])
    lengths = np.array([len(one) for side in (gold, predicted) for one in side], np.int64)
    document = np.repeat(np.tile(np.arange(len(gold)), 2), lengths)
    is_gold = np.arange(len(codes)) < lengths[: len(gold)].sum()
    key, place = np.unique(document * max(len(items), 1) + codes, return_inverse=True)
    times = [
        np.bincount(place[mine], minlength=len(key)).astype(np.int64)
        for mine in (is_gold, ~is_gold)
    ]
    document, code = np.divmod(key, max(len(items), 1))
    side = np.where(times[1] == 0, 0, np.where(times[0] > 0, 1, 2))  # gold only, both, predicted
    order = np.argsort(document * 3 + side, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(document, minlength=len(gold)))])
    only = [np.bincount(document[side == which], minlength=len(gold)) for which in (0, 2)]
    return Entries(
        items,
        code[order],
        starts.astype(np.int64),
        (starts[1:] - only[1]).astype(np.int64),
        (starts[:-1] + only[0]).astype(np.int64),
        times[0][order],
        times[1][order],
    )


def _coded(lists: Sequence[Sequence[Any]]) -> tuple[list[Any], NDArray[np.int64]]:
    """Number the different items of some lists."""
    flat = list(chain.from_iterable(lists))
    try:
        numbers: dict[Hashable, int] = dict.fromkeys(flat, 0)
    except TypeError:  # arrays, lists: every item is one of its own
        return flat, np.arange(len(flat))
    numbers = {item: number for number, item in enumerate(numbers)}
    return list(numbers), np.fromiter(map(numbers.__getitem__, flat), np.int64, len(flat))
