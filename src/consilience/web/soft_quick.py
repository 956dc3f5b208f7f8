"""Similarities as the page Soft match computes them: they can be stopped, and slow ones remember.

What is compared is compared again and again: with random lists, and for the figures beside. The
similarities of the two lists to each other stay the same meanwhile, so slow ones are computed once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.match.kernel import Many, Similarity, comparer, many

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Similarities that cost more to compute than to look up.
SLOW = ("damerau", "substring", "needleman-wunsch", "smith-waterman", "smith-waterman-gotoh")
#: The most items whose similarities are remembered.
MOST = 2_000


def watched(similarity: Similarity, check: Callable[[], None]) -> Similarity:
    """Give the same similarity, which calls ``check`` before everything that it does.

    Whatever ``check`` raises ends the computation. The name, the settings and every value stay.

    Examples
    --------
    >>> from consilience.match.characters import damerau
    >>> asked = []
    >>> how = comparer(watched(damerau, lambda: asked.append(1)))
    >>> both = how.prepare(["cafe", "hotel"])
    >>> how.name, how.block(both, both).round(2).tolist(), len(asked)
    ('damerau', [[1.0, 0.2], [0.2, 1.0]], 2)
    """
    how = comparer(similarity)
    name = how.name.partition(":")[0]
    done = _remembering(how.many) if name in SLOW else how.many
    function: Any = similarity
    while isinstance(function, functools.partial):
        function = function.func

    def checked(work: Callable[..., Any]) -> Callable[..., Any]:
        def does(*args: Any, **given: Any) -> Any:
            check()
            return work(*args, **given)

        return does

    @functools.wraps(function)
    def same(a: Any, b: Any, **settings: Any) -> float:
        return float(function(a, b, **settings))

    made = many(
        prepare=checked(done.prepare),
        compare=checked(done.compare),
        pairs=None if done.pairs is None else checked(done.pairs),
        floor=done.floor,
        symmetric=done.symmetric,
        of=done.of,
        light=done.light,
    )(same)
    return functools.partial(made, **how.settings) if how.settings else made


@dataclass(frozen=True, slots=True)
class _Held:
    """Prepared items, each with its place among those that are remembered (the last: none).

    ``number`` tells items apart that were prepared together.
    """

    items: Any
    place: NDArray[np.int64]
    number: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.place)

    def __getitem__(self, at: Any) -> _Held:
        return _Held(self.items[at], self.place[at], self.number[at])


class _Memory:
    """Similarities of the items that were prepared first; NaN: not computed yet."""

    def __init__(self, how: Many) -> None:
        self._how = how
        self._place: dict[Any, int] = {}
        self._table = np.full((1, 1), np.nan)
        self._prepared = 0

    def prepare(self, items: Sequence[Any], **settings: Any) -> _Held:
        if not self._place and len(items) <= MOST:
            self._place = {item: at for at, item in enumerate(dict.fromkeys(items))}
            self._table = np.full((len(self._place) + 1,) * 2, np.nan)
        none = len(self._table) - 1
        place = np.array([self._place.get(item, none) for item in items], np.int64)
        number = np.arange(len(items)) + self._prepared
        self._prepared += len(items)
        return _Held(self._how.prepare(items, **settings), place, number)

    def pairs(self, left: _Held, right: _Held, **settings: Any) -> NDArray[np.float64]:
        found = self._table[left.place, right.place]
        new = np.flatnonzero(np.isnan(found))
        found[new] = self._computed(left[new], right[new], settings)
        return found

    def compare(self, rows: _Held, columns: _Held, **settings: Any) -> NDArray[np.float64]:
        found = self._table[np.ix_(rows.place, columns.place)]
        new = np.isnan(found)
        same = np.array_equal(rows.number, columns.number)
        one, other = np.nonzero(np.triu(new) if same else new)
        found[one, other] = self._computed(rows[one], columns[other], settings)
        if same:
            found[other, one] = found[one, other]
        return found

    def _computed(self, left: _Held, right: _Held, settings: Any) -> NDArray[np.float64]:
        """Compare pairs, with no floor: what is remembered serves every floor."""
        assert self._how.pairs is not None
        value = self._how.pairs(left.items, right.items, **settings | {"floor": 0.0})
        self._table[left.place, right.place] = value
        self._table[right.place, left.place] = value
        self._table[-1], self._table[:, -1] = np.nan, np.nan
        return value


def _remembering(how: Many) -> Many:
    memory = _Memory(how)
    return replace(how, prepare=memory.prepare, compare=memory.compare, pairs=memory.pairs)
