"""Decimal commas: ``0,5`` is a number in a table whose cells are parted by something else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from consilience.columns import Codes
from consilience.errors import UsageError, bad, quote
from consilience.formats import roles as r
from consilience.formats.cells import Sheet, strings, strings_of

if TYPE_CHECKING:
    import pyarrow as pa

#: Tables whose cells are not parted by commas.
_FORMS = ("CSV with semicolons", "CSV with bars", "TSV")
#: Columns of names are left as they are written.
_NAMES = ("query", "item", "respondent", "family", "kind", "category")
_COMMA = re.compile(r"[-+]?\d*,\d+(?:[eE][-+]?\d+)?")
#: Such a cell may as well be a whole number whose thousands are parted, by points or by a comma.
_POINTS = re.compile(r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")


def with_points(sheet: Sheet, columns: Mapping[str, str]) -> Sheet:
    """Return a table whose columns of numbers with a decimal comma have a point instead.

    Parameters
    ----------
    sheet
        The table; one whose cells are parted by commas comes back as it is.
    columns
        Role → column, as the user mapped them. Names of items, queries and respondents are no
        numbers.

    Examples
    --------
    >>> import pyarrow as pa
    >>> said = pa.table({"item": ["1,5", "2,5"], "ann": ["0,5", "1"], "year": ["1,999", "2,001"]})
    >>> sheet = with_points(Sheet("a.csv", "CSV with semicolons", said, "a"), {})
    >>> sheet.table["ann"].to_pylist(), sheet.table["item"][0].as_py(), sheet.notes
    (['0.5', '1'], '1,5', ('decimal commas were read as points: ann',))
    """
    if sheet.form not in _FORMS:
        return sheet
    names = sheet.table.column_names
    try:
        roles = r.assign(names, {role: name for role, name in columns.items() if name in names})
    except UsageError:  # whoever reads the table says it
        return sheet
    taken = {roles[role] for role in _NAMES if role in roles}
    table, changed = sheet.table, []
    for place, name in enumerate(names):
        if name not in taken and names.count(name) == 1:
            _check_thousands(sheet, name)
        pointed = None if name in taken or names.count(name) > 1 else _pointed(sheet, name)
        if pointed is not None:
            table = table.set_column(place, name, pointed)
            changed.append(name)
    if not changed:
        return sheet
    note = f"decimal commas were read as points: {', '.join(changed)}"
    return replace(sheet, table=table, notes=(*sheet.notes, note))


def _check_thousands(sheet: Sheet, column: str) -> None:
    """Refuse points that part thousands: three digits follow each, and others have no point.

    Examples
    --------
    >>> import pyarrow as pa
    >>> said = pa.table({"item": ["a", "b"], "score": ["1.250", "980"]})
    >>> with_points(Sheet("a.csv", "CSV with semicolons", said, "a"), {})
    Traceback (most recent call last):
    consilience.errors.InputError: a.csv: column 'score': '1.250' may be 1250, for others have no...
    """
    cells = [cell.strip() for cell in Codes.of_arrow(strings(sheet, column)).names]
    dotted = [cell for cell in cells if _POINTS.fullmatch(cell)]
    whole = [cell for cell in cells if cell.isdigit() and len(cell) == 3]
    if dotted and whole and all(cell in dotted or cell.isdigit() or not cell for cell in cells):
        number = dotted[0].replace(".", "")
        found = f"column {quote(column)}: {quote(dotted[0])} may be {number}, for others have no "
        raise bad(sheet.name, sheet.header, f"{found}point", f"write {number}, or {dotted[0]}0")


def _pointed(sheet: Sheet, column: str) -> pa.ChunkedArray | None:
    """Return a column with points for commas; None where it is not one of such numbers."""
    cells = Codes.of_arrow(strings(sheet, column))
    plain = [cell.strip() for cell in cells.names]
    commas = [bool(_COMMA.fullmatch(cell)) for cell in plain]
    if not all(comma or _is_number(cell) for comma, cell in zip(commas, plain, strict=True)):
        return None
    sure = [
        comma and not _THOUSANDS.fullmatch(cell) for comma, cell in zip(commas, plain, strict=True)
    ]
    if not any(sure):
        return None
    spelt = [
        cell.replace(",", ".") if comma else cell for comma, cell in zip(commas, plain, strict=True)
    ]
    return strings_of(spelt[code] for code in cells.code.tolist())


def _is_number(cell: str) -> bool:
    """Tell whether a cell is a number without a point, which would be for thousands, or missing."""
    value = r.read_grade(cell)
    return value is not None and ("." not in cell or value != value)
