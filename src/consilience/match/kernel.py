"""Similarities of many items at once, block by block: memory for a block, never for a table.

A *similarity* is a plain function of two items with a value in [0, 1] that is 1 for an item and
itself, and the same both ways. Settings are keyword arguments, bound with
:func:`functools.partial`. Any such function will do; one that can compare many items faster than
one by one says so with the decorator :func:`many`::

    @many(prepare=objects, compare=_cdist, pairs=_cpdist)
    def levenshtein(a: str, b: str) -> float: ...

*Prepare* turns items into whatever is compared (vectors, sets of tokens) once; *compare* gives a
block of similarities of prepared rows and columns; *pairs* compares row by row. The slow way (the
function itself) and the fast way must agree: a test goes through all of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

import numpy as np

from consilience.errors import UsageError, quote
from consilience.given import is_hashed, listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A function of two items with a value in [0, 1].
Similarity: TypeAlias = "Callable[..., float]"
#: What kind of items a similarity compares.
Of = Literal["text", "segments", "boxes", "tracks", "anything"]
F = TypeVar("F", bound=Callable[..., float])

#: Rows and columns of a block: two megabytes of similarities, which stay in the cache.
BLOCK = 512
#: Rounding that is no fault of a similarity.
TINY = 1e-9


@dataclass(frozen=True, slots=True)
class Many:
    """How a similarity compares many items.

    ``prepare(items, **settings)`` gives something with a length that can be sliced and indexed by
    arrays of places. ``compare(rows, columns, floor=…, **settings)`` gives similarities as an
    array; those below the floor may be given as 0. ``pairs(left, right, floor=…, **settings)``
    compares items of two prepared sequences of equal length one by one. ``floor`` is the usual
    floor: what is less alike is as good as unrelated. ``symmetric`` tells that the order of the
    two items does not matter; ``of`` what the items are; ``light`` that small blocks are compared
    faster than as many pairs.

    Where there are very many items, ``sums(prepared, weights, floor=…, **settings)`` gives the
    weighted sums of all similarities at once and ``best(rows, columns, floor=…, **settings)`` the
    most similar column of every row with its similarity, perhaps on a graphics processor.
    """

    prepare: Callable[..., Any]
    compare: Callable[..., NDArray[np.float64]]
    pairs: Callable[..., NDArray[np.float64]] | None = None
    floor: float = 0.0
    symmetric: bool = True
    of: Of = "text"
    sums: Callable[..., NDArray[np.float64]] | None = None
    best: Callable[..., tuple[NDArray[np.float64], NDArray[np.int64]]] | None = None
    light: bool = False


def many(
    *,
    prepare: Callable[..., Any],
    compare: Callable[..., NDArray[np.float64]],
    pairs: Callable[..., NDArray[np.float64]] | None = None,
    floor: float = 0.0,
    symmetric: bool = True,
    of: Of = "text",
    sums: Callable[..., NDArray[np.float64]] | None = None,
    best: Callable[..., tuple[NDArray[np.float64], NDArray[np.int64]]] | None = None,
    light: bool = False,
) -> Callable[[F], F]:
    """Tell of a similarity how it compares many items; see :class:`Many`."""

    def told(function: F) -> F:
        how = Many(prepare, compare, pairs, floor, symmetric, of, sums, best, light)
        setattr(function, _MANY, how)
        return function

    return told


_MANY = "many"
#: The similarities of texts that compare anything else as well.
_ANYTHING = ("exact", "vectors")


@dataclass(frozen=True, slots=True)
class Comparer:
    """A similarity, ready to compare many items.

    ``trusted`` similarities are ours; others are checked as they are used, and what was mended is
    kept in ``repairs``.
    """

    name: str
    function: Similarity
    many: Many
    settings: dict[str, Any]
    trusted: bool = True
    repairs: set[str] = field(default_factory=set, compare=False)

    def quiet(self) -> Comparer:
        """Give the same, with repairs of its own: what it mends is not reported."""
        return replace(self, repairs=set())

    def prepare(self, items: Sequence[Any]) -> Any:
        """Turn items into what is compared; what is to be said of that goes to the repairs."""
        prepared = self.many.prepare(items, **self.settings)
        self.repairs.update(getattr(prepared, "notes", ()))
        return prepared

    def block(self, rows: Any, columns: Any, floor: float = 0.0) -> NDArray[np.float64]:
        """Compare prepared rows with prepared columns; below the floor similarities are 0."""
        least = floor if self.many.symmetric else 0.0  # it is the mean that must reach the floor
        found = self.many.compare(rows, columns, floor=least, **self.settings)
        if not self.trusted:
            check_values(found, self.name)
        if not self.many.symmetric:
            other = self.many.compare(columns, rows, floor=0.0, **self.settings)
            if not self.trusted:
                check_values(other, self.name)
            if np.abs(found - other.T).max(initial=0.0) > TINY:
                self.repairs.add(f"{self.name} is not symmetric: both ways were averaged")
            found = (found + other.T) / 2
        if floor > 0:
            found[found < floor - TINY] = 0.0
        return found

    def check_same(self, prepared: Any, items: Sequence[Any]) -> None:
        """See that items are as alike as can be to themselves."""
        if self.trusted:
            return
        for place in range(len(items)):
            one = prepared[place : place + 1]
            same = float(self.many.compare(one, one, floor=0.0, **self.settings)[0, 0])
            if not abs(same - 1) <= 1e-6:
                raise UsageError(
                    f"{self.name} gives {same:g} for {quote(items[place])} and itself "
                    "(fix: a similarity must give 1 for an item and itself)"
                )


def check_values(found: NDArray[np.float64], name: str) -> None:
    """See that similarities lie in [0, 1]."""
    wrong = ~((found >= -TINY) & (found <= 1 + TINY))
    if wrong.any():
        worst = found[wrong][0]
        fix = "distances become similarities as 1 / (1 + distance) or 1 - distance / largest"
        if -1 - TINY <= worst < 0:
            fix = "cosines below 0 mean unrelated: clip them at 0"
        raise UsageError(f"{name} gives {worst:g}, and similarities lie in [0, 1] (fix: {fix})")
    np.clip(found, 0.0, 1.0, out=found)


def check_texts(how: Comparer, items: Iterable[Any]) -> None:
    """See that items have letters, or parts, that a similarity of texts can compare."""
    if how.many.of != "text" or how.name.partition(":")[0] in _ANYTHING:
        return
    for item in items:
        parts = listed(item) if hasattr(item, "__getitem__") else None
        if not isinstance(item, str) and (parts is None or not all(map(is_hashed, parts))):
            raise UsageError(
                f"{how.name} compares texts, and one item is {quote(item)} (fix: str(item), or a "
                "function of two items with values in [0, 1])"
            )


def comparer(similarity: Similarity, name: str | None = None) -> Comparer:
    """Make a similarity ready to compare many items.

    Parameters
    ----------
    similarity
        A function of two items, ours or the user's own.
    name
        What it is called in messages; by default by its own name.

    Examples
    --------
    >>> both = comparer(lambda a, b: float(a[0] == b[0]), name="first letter")
    >>> both.block(["cat", "dog"], ["cow", "ant"]).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    if not callable(similarity):
        raise UsageError(
            f"{quote(similarity)} is not a similarity (fix: pass a function of two items, or a "
            "name such as 'levenshtein')"
        )
    settings: dict[str, Any] = {}
    function: Any = similarity
    while isinstance(function, partial) and not function.args:
        settings = {**function.keywords, **settings}
        function = function.func
    known: Many | None = getattr(function, _MANY, None)
    called = name or _called(function, settings)
    if known is not None:
        return Comparer(called, similarity, known, settings)
    return Comparer(called, similarity, _one_by_one(similarity, called), {}, trusted=False)


def _called(function: Any, settings: dict[str, Any]) -> str:
    """Name a function the way it is named at the doors: jaccard:q=3."""
    plain = str(getattr(function, "__name__", type(function).__name__)).replace("_", "-")
    parts = [f"{name}={_shown(value)}" for name, value in settings.items()]
    return ":".join([plain, ",".join(parts)]) if parts else plain


def _shown(value: Any) -> str:
    """Write a setting the way it is read at the doors, where it can be."""
    if isinstance(value, Mapping):
        return f"{len(value):,} vectors"
    if callable(value):
        return comparer(value).name
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    known = isinstance(value, str | int | os.PathLike)
    return str(value) if known else f"<{type(value).__name__}>"


def _one_by_one(similarity: Similarity, name: str) -> Many:
    """Compare with a user's function, pair by pair."""

    def compare(rows: Any, columns: Any, *, floor: float) -> NDArray[np.float64]:
        found = [similarity(a, b) for a in rows for b in columns]
        return _numbers(found, name).reshape(len(rows), len(columns))

    def pairs(left: Any, right: Any, *, floor: float) -> NDArray[np.float64]:
        return _numbers([similarity(a, b) for a, b in zip(left, right, strict=True)], name)

    return Many(objects, compare, pairs, symmetric=False, of="anything")


def _numbers(found: list[Any], name: str) -> NDArray[np.float64]:
    """Take what a user's function gave, which must be numbers."""
    return np.array([one if type(one) is float else _number(one, name) for one in found])


def _number(one: Any, name: str) -> float:
    try:
        plain = one.item() if hasattr(one, "item") else one  # an array that holds one number
        if not isinstance(plain, str | bytes):
            return float(plain)
    except (TypeError, ValueError):
        pass
    raise UsageError(
        f"{name} gives {quote(one)}, which is no number (fix: a similarity gives one number "
        "from 0 to 1 for two items)"
    )


def objects(items: Sequence[Any]) -> NDArray[np.object_]:
    """Hold any objects, also tuples, in an array of one dimension."""
    return np.fromiter(items, object, len(items))


def table(
    similarity: Similarity | Comparer,
    rows: Sequence[Any],
    columns: Sequence[Any] | None = None,
    *,
    floor: float = 0.0,
) -> NDArray[np.float64]:
    """Give the similarities of all rows to all columns (to all rows by default).

    Examples
    --------
    >>> from consilience.match.characters import levenshtein
    >>> table(levenshtein, ["gray", "color"], ["grey", "colour"]).round(2).tolist()
    [[0.75, 0.0], [0.0, 0.83]]
    """
    how = similarity if isinstance(similarity, Comparer) else comparer(similarity)
    left = how.prepare(rows)
    how.check_same(left, rows)
    if columns is None:
        return how.block(left, left, floor)
    right = how.prepare(columns)
    how.check_same(right, columns)
    return how.block(left, right, floor)


def spans(length: int, size: int = BLOCK) -> Iterator[slice]:
    """Part a length into slices."""
    for begin in range(0, length, size):
        yield slice(begin, min(begin + size, length))
