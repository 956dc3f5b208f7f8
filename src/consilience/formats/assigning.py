"""Tables of assignments: which subject put which item into which category.

They are tables of answers whose answers are names. A long table has a row for every answer
(``item, subject, category``); a wide one a row for every item and a column for every subject, with
names of categories in its cells. Both become long tables with these three columns and are read as
any other from there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from consilience import formats
from consilience.columns import Codes, Text, coded
from consilience.errors import InputError, Problems, UsageError, bad, placed, quote
from consilience.formats import files, sheets, table
from consilience.formats import roles as r
from consilience.formats.cells import Sheet, strings
from consilience.formats.links import plain
from consilience.formats.naming import tell_apart
from consilience.formats.sheets import text_of

if TYPE_CHECKING:
    from consilience.formats.rows import Rows

#: Tells whether a cell names a category.
Knows: TypeAlias = Callable[[str], bool]
#: What a column of categories may be called, the usual name first.
_CATEGORY = ("category", "label", "class", "category_name", "class_name", "concept")
#: Roles that are read beside the category; whatever else a table has is not used.
_READ = ("item", "respondent", "family", "kind")
_TABLE = "begin with a header line such as item,subject,category"
_FORMS = (
    "a frame, rows or a dict with columns item, subject and category, or "
    "{subject: {item: category}}"
)


def is_missing(cell: str) -> bool:
    """Tell whether a cell says that no answer was given.

    Examples
    --------
    >>> is_missing("Cannot tell"), is_missing(" "), is_missing("dog")
    (True, True, False)
    """
    value = r.read_grade(cell)
    return value is not None and value != value


def read_files(
    paths: Iterable[str | os.PathLike[str]],
    *,
    columns: Mapping[str, str],
    knows: Knows,
    encoding: str | None = None,
) -> list[Rows]:
    """Read files, folders and globs of assignments; all problems are raised in one go."""
    r.check_given(columns)
    problems = Problems()
    tables: list[Rows] = []
    seen: dict[str, None] = {}
    found, again = files.expand(paths, problems)
    for path in found:
        try:
            file = files.look(path, encoding=encoding)
            sheet = formats.open_file(file, "person", columns)
            if not isinstance(sheet, Sheet):
                form = sheet[0].source.recognised
                raise bad(file.name, None, f"this is read as a {form}, not as a table", _TABLE)
            seen.update(dict.fromkeys(sheet.table.column_names))
            rows = read_sheet(sheet, columns=columns, knows=knows)
            tables += formats.named_twice(rows) if path in again else rows
        except InputError as error:
            problems.merge(error)
    if seen or not problems:
        formats.check_mapping(columns, list(seen))
    problems.raise_any()
    return tell_apart(tables)


def read_sheet(sheet: Sheet, *, columns: Mapping[str, str], knows: Knows) -> list[Rows]:
    """Read a table of assignments in whichever form it is in.

    Parameters
    ----------
    sheet
        The table.
    columns
        Role → column, where names do not say it.
    knows
        Tells whether a cell names a category: so the subjects of a wide table are found.
    """
    names = sheet.table.column_names
    doubled = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if doubled:
        found = f"column {quote(doubled[0])} appears twice"
        raise bad(sheet.name, sheet.header, found, "rename one of them")
    given = {role: name for role, name in columns.items() if name in names}
    roles = _roles(sheet, given)
    subjects = _subjects(sheet, roles, given, knows)
    if subjects:
        roles = {role: name for role, name in roles.items() if role == "item"}
        made, used = _melted(sheet, roles["item"], subjects), [roles["item"], *subjects]
        roles |= {"respondent": _free(names, "subject"), "category": _free(names, "category")}
    else:
        roles["category"] = _category(sheet, roles, given)
        used = [roles[role] for role in (*_READ, "category") if role in roles]
        made = replace(sheet, table=sheet.table.select(used))
    mapped = {role: roles[role] for role in (*_READ, "category") if role in roles}
    rows = table.read(made, kind="person", columns=mapped, knows=knows)
    return [_told(one, sheet, used, roles.get("query")) for one in rows]


def _roles(sheet: Sheet, given: Mapping[str, str]) -> dict[str, str]:
    """Find the columns of items and subjects; a column of answers of another kind is no matter."""
    wanted = {name for role in _READ for name in r.ROLES[role]} | {*r.ROLES["query"]}
    names = [
        name for name in sheet.table.column_names if name in given.values() or plain(name) in wanted
    ]
    try:
        roles = r.assign(names, given)
    except UsageError as error:
        raise placed(error, sheet.name, sheet.header) from None
    if "item" not in roles:
        found = ", ".join(map(quote, sheet.table.column_names))
        fix = "name one 'item', or map it: --columns item=NAME"
        raise bad(sheet.name, sheet.header, f"no column holds the items; found {found}", fix)
    return roles


def _subjects(
    sheet: Sheet, roles: Mapping[str, str], given: Mapping[str, str], knows: Knows
) -> list[str]:
    """Name the columns that are subjects of a wide table; none where the table is long."""
    if "respondent" in roles or "category" in given:
        return []
    taken = {roles[role] for role in ("item", "query") if role in roles}
    rest = [name for name in sheet.table.column_names if name not in taken]
    said = [name for name in rest if _share(sheet, name, knows) >= 0.5]
    return [] if len(said) == 1 and plain(said[0]) in _CATEGORY else said


def _share(sheet: Sheet, column: str, knows: Knows) -> float:
    """Tell which share of a column's cells name categories; missing ones aside, 0 where all are."""
    import pyarrow as pa

    if pa.types.is_nested(sheet.table[column].type):
        return 0.0
    cells = Codes.of_arrow(strings(sheet, column))
    count = np.bincount(cells.code, minlength=len(cells.names)).astype(np.float64)
    known = np.array([knows(name.strip()) for name in cells.names], bool)
    count[[not k and is_missing(n) for k, n in zip(known, cells.names, strict=True)]] = 0
    return float(count[known].sum() / count.sum()) if count.any() else 0.0


def _category(sheet: Sheet, roles: Mapping[str, str], given: Mapping[str, str]) -> str:
    """Find the column of categories of a long table."""
    if "category" in given:
        return given["category"]
    taken = {roles[role] for role in _READ if role in roles}
    names: list[str] = [name for name in sheet.table.column_names if name not in taken]
    matches = [name for name in names if plain(name) in _CATEGORY]
    exact = [name for name in matches if plain(name) == "category"]
    if len(exact or matches) == 1:
        return (exact or matches)[0]
    found = ", ".join(map(quote, matches or sheet.table.column_names))
    says = f"several columns could be the category: {found}"
    if not matches:
        says = f"no column holds categories of the tree; found {found}"
    fix = "name one 'category', or map it: --columns category=NAME"
    raise bad(sheet.name, sheet.header, says, fix)


def _free(names: Sequence[str], wanted: str) -> str:
    """Give a name that no column has."""
    while wanted in names:
        wanted += "_"
    return wanted


def _melted(sheet: Sheet, item: str, subjects: Sequence[str]) -> Sheet:
    """Make a long table of a wide one: every subject's column becomes its rows."""
    import pyarrow as pa

    rows, names = sheet.table.num_rows, sheet.table.column_names
    cells = [chunk for name in subjects for chunk in strings(sheet, name).chunks]
    code = np.repeat(np.arange(len(subjects), dtype=np.int32), rows)
    who = coded(code, Text.of(subjects).chunks[0])
    long = pa.table(
        {
            item: pa.chunked_array(sheet.table[item].chunks * len(subjects)),
            _free(names, "subject"): pa.chunked_array([who]),
            _free(names, "category"): pa.chunked_array(cells, pa.string()),
        }
    )
    locate = sheet.locate
    melted = None if locate is None else lambda row: locate(row % rows)
    return replace(sheet, table=long, locate=melted, form=f"{sheet.form}, wide")


def _told(rows: Rows, sheet: Sheet, used: Sequence[str], query: str | None) -> Rows:
    """Note what of a table was not used; silence of a subject says nothing."""
    names = tuple(sheet.table.column_names)
    notes = [*rows.source.notes]
    unused = [name for name in names if name not in used and name != query]
    if query is not None:
        notes.append(f"{query} was not used: an item's category does not depend on the query")
    if unused:
        notes.append(f"columns not used: {', '.join(unused)}")
    source = replace(rows.source, notes=tuple(notes), columns=names, rows=sheet.table.num_rows)
    return replace(rows, source=source, silence="unknown")


def of_object(data: Any, *, name: str, columns: Mapping[str, str], knows: Knows) -> list[Rows]:
    """Take assignments as Python users hold them.

    Examples
    --------
    >>> said = {"ann": {"x": "dog", "y": "cat"}, "bob": {"x": "cat"}}
    >>> (rows,) = of_object(said, name="assignments", columns={}, knows={"dog", "cat"}.__contains__)
    >>> rows.respondent.names, rows.category.names, rows.item.take([0, 1, 2])
    (('ann', 'bob'), ('dog', 'cat'), ['x', 'y', 'x'])
    """
    if isinstance(data, (list, tuple)) and data and all(isinstance(row, Mapping) for row in data):
        cells = dict.fromkeys(key for row in data for key in row)
        data = {key: [row.get(key) for row in data] for key in cells}
    if isinstance(data, Mapping):
        if data and all(isinstance(said, Mapping) for said in data.values()):
            data = _columns_of(data)
        if not data or not all(hasattr(column, "__len__") for column in data.values()):
            raise UsageError(f"{name}: not read as assignments (fix: give {_FORMS})")
        sheet = sheets.of_columns(data, name=name)
    else:
        try:
            sheet = sheets.of_frame(data, name=name)
        except TypeError:
            said = f"{type(data).__name__} {quote(data)}"
            raise UsageError(f"{name}: no assignments in {said} (fix: give {_FORMS})") from None
    return read_sheet(sheet, columns=columns, knows=knows)


def _columns_of(data: Mapping[Any, Mapping[Any, Any]]) -> dict[str, list[Any]]:
    """Write {subject: {item: category}} as columns."""
    rows = [(who, item, one) for who, said in data.items() for item, one in said.items()]
    return {
        "subject": [text_of(who) for who, _, _ in rows],
        "item": [text_of(item) for _, item, _ in rows],
        "category": [None if one is None else text_of(one) for _, _, one in rows],
    }
