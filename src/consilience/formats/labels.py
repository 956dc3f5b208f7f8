"""Tables of labels: every respondent is an annotator, and a label may be any word or number.

Elsewhere a column ``label`` holds grades, and the columns of a wide table hold votes. Whoever asks
how far annotators agree has text, too. So such tables are brought into long form, with one column
that is a *grade* where the labels are numbers (or yes and no), and a *category* where they are
text; the usual reader does the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.columns import Codes, Text, coded
from consilience.errors import UsageError
from consilience.formats import roles as r
from consilience.formats.cells import Sheet, strings, strings_of

if TYPE_CHECKING:
    import pyarrow as pa

#: Where labels stand in a long table, the likeliest first.
_VALUES = ("category", "vote", "grade")
#: Text that is no label; elsewhere "none" and "unknown" mean the same, here they may be labels.
NO_LABEL = ("", "?", "na", "n/a", "nan", "null", "cannot tell", "can't tell")
#: Roles that a table of labels keeps.
_KEPT = ("query", "item", "respondent", "family", "kind")


def prepare(sheet: Sheet, columns: Mapping[str, str]) -> tuple[Sheet, Mapping[str, str]]:
    """Bring a table of labels into long form, and say whether they are grades or categories.

    Parameters
    ----------
    sheet
        The table, long (one label a row) or wide (one item a row, one column an annotator).
    columns
        Role → column, as the user mapped them.

    Returns
    -------
    tuple
        A long table, and the mapping that reads it. What cannot be understood comes back as it
        is: the reader of tables says what is wrong.

    Examples
    --------
    >>> from consilience.formats.sheets import of_columns
    >>> wide = {"item": ["a", "b"], "ann1": ["cat", "dog"], "ann2": ["cat", None]}
    >>> sheet, mapping = prepare(of_columns(wide, name="wide"), {})
    >>> mapping["category"], sheet.table.num_rows
    ('label', 4)
    """
    names = sheet.table.column_names
    given = {role: name for role, name in columns.items() if name in names}
    try:
        roles = r.assign(_without_truth(names, given), given)
    except UsageError:
        return sheet, columns
    if "item" not in roles or not sheet.table.num_rows or len({*names}) < len(names):
        return sheet, columns
    value = next((roles[role] for role in _VALUES if role in roles), None)
    ordered = {"score", "rank"} & {*roles} and value is None
    voters = [] if "respondent" in roles or ordered else _annotators(sheet, roles, value)
    if len(voters) > 1:
        return _melted(sheet, roles, voters)
    return (sheet, columns) if value is None else _long(sheet, roles, value)


def _without_truth(names: Sequence[str], given: Mapping[str, str]) -> list[str]:
    """Leave out a column of truth beside the annotators' own labels, in a table that names them."""
    roles = {name: _role(name) for name in names}
    kept = [name for name in names if not r.is_truth(name) or name in given.values()]
    labelled = {*_VALUES} & {*given, *(roles[name] for name in kept)}
    return kept if labelled and "respondent" in {*roles.values(), *given} else [*names]


def _role(name: str) -> str:
    return next(iter(r.assign([name], {})), "")


def _cells(sheet: Sheet, column: str) -> Codes:
    """Number the labels of a column; blanks around them are taken off."""
    cells = Codes.of_arrow(strings(sheet, column))
    plain = Codes.of(name.strip() for name in cells.names)
    return Codes(plain.code[cells.code], plain.names)


def _annotators(sheet: Sheet, roles: Mapping[str, str], value: str | None) -> list[str]:
    """Name the columns of a wide table that hold labels; none where the table is long.

    Columns of text belong together where they hold a word that another one holds, too: a column
    of comments does not. Where there are no such columns, those of numbers count.
    """
    taken = {name for role, name in roles.items() if role not in _VALUES}
    rest = [name for name in sheet.table.column_names if name not in taken]
    held = {name: _held(sheet, name) for name in rest}
    told = {name: cells for name, cells in held.items() if cells}
    in_columns = Counter(word for cells in told.values() for word in cells)
    text, figures = [], []
    for name, cells in told.items():
        if all(r.read_grade(word) is not None for word in cells):
            figures.append(name)
        if any(in_columns[word] > 1 for word in cells):
            text.append(name)
    voters = text if any(name not in figures for name in text) else figures
    return voters if value is None or len(voters) > 1 else []


def _held(sheet: Sheet, column: str) -> set[str]:
    """Give the different labels of a column."""
    import pyarrow as pa

    if pa.types.is_nested(sheet.table[column].type):
        return set()
    return {name for name in _cells(sheet, column).names if name.lower() not in NO_LABEL}


def _melted(
    sheet: Sheet, roles: Mapping[str, str], voters: Sequence[str]
) -> tuple[Sheet, Mapping[str, str]]:
    """Put the columns of a wide table one below the other."""
    import pyarrow as pa

    rows, table, locate = sheet.table.num_rows, sheet.table, sheet.locate
    kept = [role for role in ("query", "item") if role in roles]
    parts = [_cells(sheet, voter) for voter in voters]
    every = {name: code for code, name in enumerate({n: None for p in parts for n in p.names})}
    to = [np.array([every[name] for name in part.names], np.int32) for part in parts]
    cells = Codes(
        np.concatenate([new[part.code] for new, part in zip(to, parts, strict=True)]), tuple(every)
    )
    names = Text.of(voters).chunks[0]
    who = coded(np.repeat(np.arange(len(voters), dtype=np.int32), rows), names)
    label, role = _label(cells)
    long = pa.table(
        {
            **{roles[one]: _repeated(table[roles[one]], len(voters)) for one in kept},
            "respondent": pa.chunked_array([who]),
            "label": label,
        }
    )
    unused = [n for n in table.column_names if n not in {*voters, *(roles[k] for k in kept)}]
    left = f"; columns not used: {', '.join(unused)}" if unused else ""
    why = f"{sheet.why}; wide, annotators={', '.join(voters)}{left}".removeprefix("; ")
    found = None if locate is None else lambda row: locate(row % rows)
    melted = replace(sheet, table=long, why=why, locate=found)
    return melted, {**{one: roles[one] for one in kept}, "respondent": "respondent", role: "label"}


def _repeated(column: pa.ChunkedArray, times: int) -> pa.ChunkedArray:
    import pyarrow as pa

    return pa.chunked_array(column.chunks * times, column.type)


def _long(sheet: Sheet, roles: Mapping[str, str], value: str) -> tuple[Sheet, Mapping[str, str]]:
    """Clean the column of labels of a long table; keep what else matters."""
    cells = _cells(sheet, value)
    label, role = _label(cells, category=roles.get("category") == value)
    kept = {one: roles[one] for one in _KEPT if one in roles}
    table = sheet.table
    others = [n for n in table.column_names if _role(n) in (*_VALUES, "score", "rank")]
    table = table.drop_columns([n for n in others if n not in {*kept.values(), value}])
    place = table.column_names.index(value)
    return replace(sheet, table=table.set_column(place, value, label)), {**kept, role: value}


def _label(cells: Codes, *, category: bool = False) -> tuple[pa.ChunkedArray, str]:
    """Give the column of labels and its role: grades where at least half are numbers.

    Words alone are grades where all of them mean yes, no or unknown.
    """
    import pyarrow as pa

    count = np.bincount(cells.code, minlength=len(cells.names)).astype(np.float64)
    told = np.array([name.lower() not in NO_LABEL for name in cells.names], bool)
    figures = np.array([r.read_number(name) is not None for name in cells.names], bool)
    words = all(r.read_grade(name) is not None for name in cells.names)
    numbers = 2 * count[figures & told].sum() >= count[told].sum()
    if not category and (numbers or words):
        names, role = list(cells.names), "grade"
    else:
        said = zip(cells.names, told, strict=True)
        names, role = [name if label else "" for name, label in said], "category"
    numbered = coded(cells.code, strings_of(names).combine_chunks())
    return pa.chunked_array([numbered]), role
