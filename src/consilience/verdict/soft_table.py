"""A similarity that is given as a table: items become places in it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError, quote
from consilience.match.kernel import TINY, Comparer, Many, check_values

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.verdict.soft_input import Given


class Place(str):
    """An item's name, with its place in the table: two items of one name may be two places."""

    __slots__ = ("place",)
    place: int

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.place == other.place

    def __hash__(self) -> int:
        return hash(self.place)


def matrix_of(both: Given, similarity: Any) -> tuple[Given, Comparer]:
    """Compare by a table of similarities: gold's items first, then the predicted ones."""
    if len(both.documents) != 1:
        raise UsageError(
            "a table of similarities is for one document (fix: pass a function of two items)"
        )
    try:
        table = np.array(similarity, np.float64)
    except (TypeError, ValueError):
        table = np.zeros(())
    if table.ndim != 2:
        raise UsageError(
            f"{quote(similarity)} is not a similarity (fix: a name such as 'levenshtein', a "
            "function of two items, or a table of numbers)"
        )
    gold, predicted = both.gold[0], both.predicted[0]
    n = len(gold) + len(predicted)
    if table.shape != (n, n):
        raise UsageError(
            f"the table of similarities is {' × '.join(map(str, table.shape))}, and there are "
            f"{len(gold)} gold and {len(predicted)} predicted items (fix: {n} × {n}, gold's "
            "items first)"
        )
    how = Comparer("table", lambda a, b: float(table[a.place, b.place]), _many(table), {}, True)
    check_values(table, "the table of similarities")
    wrong = np.nonzero(np.abs(np.diagonal(table) - 1) > 1e-6)[0]
    if len(wrong):
        raise UsageError(
            f"the table of similarities gives {table[wrong[0], wrong[0]]:g} for item "
            f"{wrong[0] + 1} and itself (fix: it must be 1)"
        )
    if np.abs(table - table.T).max(initial=0.0) > TINY:
        how.repairs.add("the table of similarities is not symmetric: both ways were averaged")
        table[:] = (table + table.T) / 2
    named = [_place(item, number) for number, item in enumerate([*gold, *predicted])]
    moved = replace(
        both, gold=(named[: len(gold)],), predicted=(named[len(gold) :],), of="anything"
    )
    return moved, how


def _place(item: Any, place: int) -> Place:
    made = Place(item)
    made.place = place
    return made


def _many(table: NDArray[np.float64]) -> Many:
    def prepare(items: Any) -> NDArray[np.int64]:
        return np.array([item.place for item in items], np.int64)

    def compare(rows: Any, columns: Any, *, floor: float) -> NDArray[np.float64]:
        return table[np.ix_(rows, columns)]

    def pairs(left: Any, right: Any, *, floor: float) -> NDArray[np.float64]:
        found: NDArray[np.float64] = table[left, right]
        return found

    return Many(prepare, compare, pairs, of="anything")
