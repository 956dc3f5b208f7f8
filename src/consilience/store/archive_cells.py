"""Cells of an archive's tables: each has the type of its column, and any database can keep it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from consilience.store.archive_form import Field

#: The smallest and largest numbers of both databases.
_WHOLE, _LARGE = 2**31, 2**63
#: How deep data may be nested.
_DEPTH = 40
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")
_HASH = re.compile(r"[0-9a-f]{64}")
_NONE = type(None)


class WrongError(Exception):
    """A row is not as it should be; ``row`` counts from 0 within its block."""

    def __init__(self, found: str, row: int = 0) -> None:
        super().__init__(found)
        self.row = row


def columns_of(
    rows: Sequence[Mapping[str, Any]], fields: Sequence[Field], counts: Mapping[str, int]
) -> dict[str, list[Any]]:
    """Lay rows in columns, and see that every cell is what its column holds.

    Parameters
    ----------
    rows
        The rows as they were read.
    fields
        The columns.
    counts
        How many rows each table has that a column can refer to.

    Raises
    ------
    WrongError
        With the first row that is wrong.
    """
    said: set[str] = set().union(*rows)
    strange = said - {field.name for field in fields}
    if strange:
        name = min(strange)
        row = next(row for row, cells in enumerate(rows) if name in cells)
        raise WrongError(f"there is no column {name[:60]!r}", row)
    columns = {}
    for field in fields:
        cells = [row.get(field.name) for row in rows] if field.name in said else [None] * len(rows)
        columns[field.name] = _column(cells, field, counts)
    return columns


def _column(cells: list[Any], field: Field, counts: Mapping[str, int]) -> list[Any]:
    if field.kind == "flag":
        cells = [False if cell is None else cell for cell in cells]
    elif field.needed and None in cells:
        raise WrongError(f"{field.name} is missing", cells.index(None))
    if says_nothing(cells):
        return cells
    types = _TYPES[field.kind]
    if not {*map(type, cells)} <= {*types, _NONE}:
        row = next(row for row, cell in enumerate(cells) if type(cell) not in (*types, _NONE))
        raise WrongError(f"{field.name} is of the wrong type: {type(cells[row]).__name__}", row)
    if field.refers is not None:
        most = counts[field.refers]
        within(cells, 1, most, f"{field.name} names no row of {field.refers}")
    elif field.kind in ("whole", "large"):
        most = _WHOLE if field.kind == "whole" else _LARGE
        within(cells, -most, most - 1, f"{field.name} is too large")
    elif field.kind == "number":
        check(cells, _is_finite, f"{field.name} is not finite")
        return [None if cell is None else float(cell) for cell in cells]
    elif field.kind == "text":
        _check_texts(cells, field.name)
    elif field.kind == "data":
        check(cells, _is_plain, f"{field.name} holds what cannot be kept")
    return cells


_TYPES: dict[str, tuple[type, ...]] = {
    "whole": (int,),
    "large": (int,),
    "number": (float, int),
    "flag": (bool,),
    "text": (str,),
    "data": (dict, list),
}


def check(cells: Sequence[Any], good: Callable[[Any], bool], found: str) -> None:
    """See that every cell of a column that is given is good."""
    if says_nothing(cells):
        return
    for row, cell in enumerate(cells):
        if cell is not None and not good(cell):
            raise WrongError(found, row)


def within(cells: Sequence[Any], least: float, most: float, found: str) -> None:
    """See that every cell of a column that is given lies between two bounds."""
    given = [cell for cell in cells if cell is not None] if None in cells else cells
    if given and not (least <= min(given) and max(given) <= most):
        check(cells, lambda cell: least <= cell <= most, found)


def says_nothing(cells: Sequence[Any]) -> bool:
    """Tell whether nothing is given in a column."""
    return cells.count(None) == len(cells)


def _check_texts(cells: Sequence[str | None], name: str) -> None:
    joined = "".join(cell for cell in cells if cell)
    if not _is_text(joined):
        check(cells, _is_text, f"{name} holds a NUL or another character that cannot be kept")
    if name == "created":
        check(cells, is_time, "created is no time")
    if name == "sha256":
        check(cells, is_hash, "sha256 is no hash")


def _is_text(text: str) -> bool:
    if "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_finite(cell: float) -> bool:
    try:
        return math.isfinite(cell)
    except OverflowError:
        return False


def is_time(text: str) -> bool:
    """Tell whether a text is a time as the tables have it."""
    return _TIME.fullmatch(text) is not None


def is_hash(text: str) -> bool:
    """Tell whether a text is a SHA-256."""
    return _HASH.fullmatch(text) is not None


def _is_plain(data: Any, depth: int = 0) -> bool:
    """Tell whether data can be kept: text that both databases take, numbers that are finite."""
    if isinstance(data, str):
        return _is_text(data)
    if isinstance(data, bool) or data is None:
        return True
    if isinstance(data, int):
        return -_LARGE <= data < _LARGE
    if isinstance(data, float):
        return math.isfinite(data)
    if depth > _DEPTH:
        return False
    if isinstance(data, dict):
        return all(_is_text(name) and _is_plain(one, depth + 1) for name, one in data.items())
    return all(_is_plain(one, depth + 1) for one in data)


def are_texts(data: Any) -> bool:
    """Tell whether data is a list of texts."""
    return isinstance(data, list) and all(isinstance(one, str) for one in data)


def are_counts(data: Any, most: int) -> bool:
    """Tell whether data is a list of whole numbers from 0 to below a bound."""
    return isinstance(data, list) and all(type(one) is int and 0 <= one < most for one in data)


def dense(places: Iterable[tuple[Any, int]], known: dict[Any, int]) -> None:
    """See that places count from 0 within each group, in the order of the rows.

    Parameters
    ----------
    places
        Group and place of every row.
    known
        How many rows of each group came before; counted on here.
    """
    for row, (group, place) in enumerate(places):
        if place != known.get(group, 0):
            raise WrongError(f"place is {place}, and {known.get(group, 0)} was expected", row)
        known[group] = place + 1
