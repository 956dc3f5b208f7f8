"""Tables of assignments: which subject put which item into which category.

They are tables of answers whose answers are names. A long table has a row for every answer
(``item, subject, category``); a wide one a row for every item and a column for every subject, with
names of categories in its cells. Both become long tables with these three columns and are read as
any other from there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from consilience import formats
from consilience.columns import Codes, Text, coded
from consilience.errors import InputError, Problems, UsageError, bad, placed, quote
from consilience.formats import files, sheets, table
from consilience.formats import roles as r
from consilience.formats.aside import counted, is_it, is_prose, may_name, missing, stands_beside
from consilience.formats.cells import Sheet, strings
from consilience.formats.drawn import DRAWN
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
_READ = ("item", "respondent", "family", "kind", *DRAWN)
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
    queries: bool = False,
) -> list[Rows]:
    """Read files, folders and globs of assignments; all problems are raised in one go."""
    columns = by_role(columns)
    problems = Problems()
    tables: list[Rows] = []
    seen: dict[str, None] = {}
    found, again = files.expand(paths, problems)
    for path in found:
        try:
            file = files.look(path, encoding=encoding)
            sheet = formats.open_file(file, "person", columns)
            if not isinstance(sheet, Sheet):
                form = _with_article(sheet[0].source.recognised)
                raise bad(file.name, None, f"this is read as {form}, not as a table", _TABLE)
            seen.update(dict.fromkeys(sheet.table.column_names))
            rows = read_sheet(sheet, columns=columns, knows=knows, queries=queries)
            tables += formats.named_twice(rows) if path in again else rows
        except InputError as error:
            problems.merge(error)
    if seen or not problems:
        formats.check_mapping(columns, list(seen))
    problems.raise_any()
    return tell_apart(tables)


def _with_article(form: str) -> str:
    """Put an article before the name of a form, where it takes one.

    Examples
    --------
    >>> _with_article("event table"), _with_article("boxes of an image"), _with_article("RTTM")
    ('an event table', 'boxes of an image', 'RTTM')
    """
    first = form.split(maxsplit=1)[0]
    if first in ("boxes", "points", "boundaries", "RTTM", "GPX", "GeoJSON", "JSON"):
        return form
    return f"an {form}" if first[0] in "aeiou" else f"a {form}"


def by_role(columns: Mapping[str, str]) -> dict[str, str]:
    """Give a mapping by role; a label or a class is a category here.

    Examples
    --------
    >>> by_role({"annotator": "who", "label": "choice"})
    {'respondent': 'who', 'category': 'choice'}
    """
    return r.by_role(columns, category=_CATEGORY)


def read_sheet(
    sheet: Sheet, *, columns: Mapping[str, str], knows: Knows, queries: bool = False
) -> list[Rows]:
    """Read a table of assignments in whichever form it is in.

    Parameters
    ----------
    sheet
        The table.
    columns
        Role → column, where names do not say it.
    knows
        Tells whether a cell names a category: so the subjects of a wide table are found.
    queries
        Whether an item under two queries is two items; otherwise a column of queries is not used.
    """
    names = sheet.table.column_names
    doubled = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if doubled:
        found = f"column {quote(doubled[0])} appears twice"
        raise bad(sheet.name, sheet.header, found, "rename one of them")
    given = {role: name for role, name in columns.items() if name in names}
    roles = _roles(sheet, given)
    subjects = _subjects(sheet, roles, given, knows)
    read = ("query", *_READ) if queries else _READ
    if subjects:
        roles = {role: name for role, name in roles.items() if role in ("query", "item", *DRAWN)}
        kept = [roles[role] for role in read if role in roles]
        made, used = _melted(sheet, kept, subjects), [*kept, *subjects]
        roles |= {"respondent": _free(names, "subject"), "category": _free(names, "category")}
    else:
        roles["category"] = _category(sheet, roles, given, knows)
        used = [roles[role] for role in (*read, "category") if role in roles]
        made = replace(sheet, table=sheet.table.select(used))
    mapped = {role: roles[role] for role in (*read, "category") if role in roles}
    unused = [name for name in names if name not in used]
    query = None if queries else roles.get("query")
    notes = _notes(made, roles["category"], [n for n in unused if n != query], query, knows)
    who = () if "respondent" in roles else may_name(sheet, [n for n in unused if n != query])
    if who:
        told = f"no column says who answered: all rows count as {quote(sheet.stem)}"
        notes.insert(0, f"{told}; {is_it(who, 'subject')}")
    rows = table.read(made, kind="person", columns=mapped, knows=knows)
    return [_told(one, sheet, notes, who) for one in rows]


def _notes(
    made: Sheet, category: str, unused: Sequence[str], query: str | None, knows: Knows
) -> list[str]:
    """Note what of a table was not used, and how many answers are missing."""
    notes = []
    untold = {
        word: n
        for word, n in counted(Codes.of_arrow(strings(made, category))).items()
        if not knows(word) and is_missing(word) and (word or not made.form.endswith(", wide"))
    }
    if untold:
        notes.append(missing(untold))
    if query is not None:
        notes.append(f"{query} was not used: an item's category does not depend on the query")
    if unused:
        notes.append(f"columns not used: {', '.join(unused)}")
    return notes


def _roles(sheet: Sheet, given: Mapping[str, str]) -> dict[str, str]:
    """Find the columns of items and subjects; a column of answers of another kind is no matter."""
    wanted = {name for role in _READ for name in r.ROLES[role]} | {*r.ROLES["query"]}
    every = sheet.table.column_names
    called = "category" in given or any(plain(name) in _CATEGORY for name in every)
    names = [
        name
        for name in every
        if name in given.values() or plain(name) in wanted or (called and r.is_maybe(name))
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
    taken = {roles[role] for role in ("item", "query", *DRAWN) if role in roles}
    rest = [name for name in sheet.table.column_names if name not in taken]
    told = {name: _told_in(sheet, name, knows) for name in rest}
    mostly = [name for name in rest if _share(told[name], knows) >= 0.5]
    if len(mostly) == 1 and plain(mostly[0]) in _CATEGORY:
        return []
    named = {word.casefold() for said in told.values() for word in said if knows(word)}
    return [name for name in rest if name in mostly or _may_answer(name, told[name], named)]


def _told_in(sheet: Sheet, column: str, knows: Knows) -> dict[str, int]:
    """Count what the cells of a column say, missing answers aside."""
    import pyarrow as pa

    if pa.types.is_nested(sheet.table[column].type):
        return {}
    said = counted(Codes.of_arrow(strings(sheet, column)))
    return {word: n for word, n in said.items() if knows(word) or not is_missing(word)}


def _share(said: Mapping[str, int], knows: Knows) -> float:
    """Tell which share of a column's answers name categories; 0 where there are none."""
    return sum(n for word, n in said.items() if knows(word)) / max(sum(said.values()), 1)


def _may_answer(column: str, said: Mapping[str, int], named: Collection[str]) -> bool:
    """Tell whether a column in which only some cells name categories is a subject all the same.

    Then the other cells are mistakes; other capitals are one, too. Comments may name a category
    here and there.
    """
    strange = {word: n for word, n in said.items() if word.casefold() not in named}
    return len(strange) < len(said) and not stands_beside(column) and not is_prose(strange)


def _category(
    sheet: Sheet, roles: Mapping[str, str], given: Mapping[str, str], knows: Knows
) -> str:
    """Find the column of categories of a long table: by its name, else by what it holds."""
    if "category" in given:
        return given["category"]
    taken = {roles[role] for role in _READ if role in roles}
    names: list[str] = [name for name in sheet.table.column_names if name not in taken]
    matches = [name for name in names if plain(name) in _CATEGORY]
    exact = [name for name in matches if plain(name) == "category"]
    if len(exact or matches) == 1:
        return (exact or matches)[0]
    if not matches:
        holding = [n for n in names if _share(_told_in(sheet, n, knows), knows) >= 0.5]
        if len(holding) == 1:
            return holding[0]
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


def _melted(sheet: Sheet, kept: Sequence[str], subjects: Sequence[str]) -> Sheet:
    """Make a long table of a wide one: every subject's column becomes its rows."""
    import pyarrow as pa

    rows, names = sheet.table.num_rows, sheet.table.column_names
    cells = [chunk for name in subjects for chunk in strings(sheet, name).chunks]
    code = np.repeat(np.arange(len(subjects), dtype=np.int32), rows)
    who = coded(code, Text.of(subjects).chunks[0])
    long = pa.table(
        {
            **{one: pa.chunked_array(sheet.table[one].chunks * len(subjects)) for one in kept},
            _free(names, "subject"): pa.chunked_array([who]),
            _free(names, "category"): pa.chunked_array(cells, pa.string()),
        }
    )
    locate = sheet.locate
    melted = None if locate is None else lambda row: locate(row % rows)
    return replace(sheet, table=long, locate=melted, form=f"{sheet.form}, wide")


def _told(rows: Rows, sheet: Sheet, notes: Sequence[str], who: tuple[str, ...]) -> Rows:
    """Add the notes, and name the columns that were there; silence of a subject says nothing."""
    names, told = tuple(sheet.table.column_names), (*rows.source.notes, *notes)
    count = sheet.table.num_rows
    source = replace(rows.source, notes=told, columns=names, rows=count, who=who)
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
    return read_sheet(sheet, columns=by_role(columns), knows=knows)


def _columns_of(data: Mapping[Any, Mapping[Any, Any]]) -> dict[str, list[Any]]:
    """Write {subject: {item: category}} as columns."""
    rows = [(who, item, one) for who, said in data.items() for item, one in said.items()]
    return {
        "subject": [text_of(who) for who, _, _ in rows],
        "item": [text_of(item) for _, item, _ in rows],
        "category": [None if one is None else text_of(one) for _, _, one in rows],
    }
