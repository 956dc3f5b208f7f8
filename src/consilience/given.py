"""What Python users hold, looked at before it is read: how deep it goes, what is a number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError, quote

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: No form of answers is nested more deeply than this; trees of categories may be.
DEEPEST = 100
#: What is made of parts, and what has parts that need no look.
_DEEP = (Mapping, Sequence, AbstractSet, np.ndarray)
_FLAT = (str, bytes, bytearray, memoryview, range)


def kinds_within(data: object, name: str, *, most: int = DEEPEST) -> set[type]:
    """Return the types of all that a value holds, at every level.

    What is nested more deeply than ``most`` is refused: what contains itself always is.

    Examples
    --------
    >>> sorted(kind.__name__ for kind in kinds_within({"q1": ["d1", 2]}, "answers"))
    ['int', 'list', 'str']
    >>> endless = []
    >>> endless.append(endless)
    >>> kinds_within(endless, "answers")
    Traceback (most recent call last):
    consilience.errors.UsageError: answers: nested more than 100 levels deep, or containing ...
    """
    kinds: set[type] = set()
    level: list[Any] = [data]
    for _ in range(most):
        deep: dict[int, Any] = {}
        for parts in map(_parts, level):
            here = {*map(type, parts)}
            kinds |= here
            inside = {kind for kind in here if _may_be_deep(kind)}
            deep |= {id(part): part for part in parts if inside and type(part) in inside}
        level = list(deep.values())
        if not level:
            return kinds
    raise UsageError(
        f"{name}: nested more than {most:,} levels deep, or containing itself "
        "(fix: give names and numbers in flat lists, dicts or tables)"
    )


def _parts(one: Any) -> list[Any]:
    """Return what a value is made of, where that may be anything."""
    parts: Iterable[Any] = ()
    if isinstance(one, Mapping):
        parts = one.values()
    elif isinstance(one, _DEEP) and not isinstance(one, (*_FLAT, np.ndarray)):
        parts = one
    elif hasattr(type(one), "iterrows"):  # a frame of pandas
        parts = [column for _, column in one.items()]
    elif hasattr(type(one), "get_columns"):  # a frame of polars
        parts = one.get_columns()
    elif str(getattr(one, "dtype", "")).lower() == "object":
        parts = np.ravel(one).tolist()
    return list(parts)


def _may_be_deep(kind: type) -> bool:
    return (issubclass(kind, _DEEP) and not issubclass(kind, _FLAT)) or hasattr(kind, "to_numpy")


def is_missing(value: object) -> bool:
    """Return whether a value says that there is none: None, NaN, pandas' NA and NaT.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), 0, "", [])]
    [True, True, False, False, False]
    """
    if value is None or isinstance(value, (str, bytes)):
        return value is None
    try:
        return bool(value != value)
    except Exception:  # noqa: BLE001 (a frame, an array, a class that compares in its own way)
        return type(value).__name__ == "NAType"


def listed(values: Any) -> list[Any] | None:
    """Return the values of a list, an array or a column; None for text, dicts and what is no list.

    Examples
    --------
    >>> listed(("a", 1)), listed("a"), listed(7), listed({"a": 1})
    (['a', 1], None, None, None)
    """
    if isinstance(values, (str, bytes, bytearray, Mapping)) or hasattr(values, "columns"):
        return None
    try:
        return [*values]
    except Exception:  # noqa: BLE001 (a number, an array of no dimension, whatever a class does)
        return None


def is_hashed(value: object) -> bool:
    """Return whether a value can stand in a dict or a set.

    Examples
    --------
    >>> is_hashed("a"), is_hashed(("a", 1)), is_hashed(["a"])
    (True, True, False)
    """
    try:
        return hash(value) is not None
    except Exception:  # noqa: BLE001 (lists, arrays, whatever a class does)
        return False


def float_of(value: Any) -> float:
    """Return a number as a float, endless where it is beyond all floats.

    Examples
    --------
    >>> float_of(2), float_of(-(10**400))
    (2.0, -inf)
    """
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else -float("inf")


def numbers_of(
    values: Any, what: str, *, axes: int | None = 1, fix: str = "give a list of numbers"
) -> NDArray[np.float64]:
    """Return numbers as an array of floats; None and pandas' NA are NaN.

    Parameters
    ----------
    values
        A list, an array, a column or a table of numbers.
    what
        What they are called in a message.
    axes
        1 for a list, 2 for a table; None for either.
    fix
        How to mend what is neither.

    Examples
    --------
    >>> numbers_of([1, None, 0.5], "scores").tolist()
    [1.0, nan, 0.5]
    >>> numbers_of([1, "x"], "scores")
    Traceback (most recent call last):
    consilience.errors.UsageError: scores must be numbers, found 'x' (fix: give a list of numbers)
    """
    try:
        made = np.asarray(values)
        made = made if made.dtype.kind in "biuf" else np.asarray(values, object)
    except Exception:  # noqa: BLE001 (rows of several lengths, a class with an array of its own)
        raise _no_numbers(what, values, fix) from None
    if made.dtype == object:
        cells = [_number(cell, what, fix) for cell in made.ravel().tolist()]
        made = np.array(cells, np.float64).reshape(made.shape)
    if axes is not None and made.ndim != axes:
        form = "a list" if axes == 1 else "a table"
        raise UsageError(f"{what} must be {form} of numbers, found {quote(values)} (fix: {fix})")
    return made.astype(np.float64, copy=False)


def _number(cell: Any, what: str, fix: str) -> float:
    if is_missing(cell):
        return float("nan")
    try:
        if isinstance(cell, (Real, Decimal)):
            return float(cell)
    except (OverflowError, TypeError, ValueError):  # beyond all floats; a NaN that signals
        pass
    raise _no_numbers(what, cell, fix)


def _no_numbers(what: str, found: object, fix: str) -> UsageError:
    return UsageError(f"{what} must be numbers, found {quote(found)} (fix: {fix})")
