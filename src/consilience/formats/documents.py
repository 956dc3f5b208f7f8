"""JSON: one object a line, an array of objects, or a whole study's worth of nested answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

from consilience.errors import EmptyError, Problem, Problems, UsageError, bad, placed, quote
from consilience.formats import roles
from consilience.formats.cells import Sheet, strings_of
from consilience.formats.exports import Export, exported, settled
from consilience.formats.files import NUL, stem_of
from consilience.formats.refused import NESTED

if TYPE_CHECKING:
    from consilience.formats.files import File

_FLAT = "write one flat JSON object a line"
#: Lines that are read together.
_MANY = 1 << 12


class _DoubledKeyError(ValueError):
    """A key appears twice in a JSON object."""


def read_json_lines(file: File, *, why: str, columns: Mapping[str, str] | None = None) -> Sheet:
    """Read one JSON object a line; fields that hold lists or objects are set aside and noted.

    Parameters
    ----------
    file
        The file.
    why
        Why it was taken for JSON lines.
    columns
        Role → column, as the user mapped them, where what labelling tools export is a table, too.
    """
    return read_fast(file, why=why, columns=columns) or read_lines(file, why=why, columns=columns)


def read_lines(file: File, *, why: str, columns: Mapping[str, str] | None) -> Sheet:
    """Read line by line, gather every problem: this defines what JSON lines mean."""
    problems = Problems()
    rows: list[Mapping[str, str]] = []
    lines: list[int] = []
    nested: dict[str, dict[int, Any]] = {}
    entries: list[Any] | None = None
    for number, line in file.lines(problems):
        if not line.strip():
            continue
        found = _parsed(line)
        if not (lines or problems) and entries is None and columns is not None and _is_task(found):
            entries = []
        if entries is not None:
            entries.append(found)
            continue
        row = _row(found) if isinstance(found, dict) else found
        if isinstance(found, dict) and {"type", "coordinates"} <= found.keys():
            point = f"a GeoJSON {found['type']} is no track"
            problems.add(Problem(file.name, number, point, "give a LineString"))
        elif isinstance(row, str):
            fix = NUL[1] if row == NUL[0] else _FLAT
            problems.add(Problem(file.name, number, row, fix))
        elif isinstance(found, dict):
            rows.append(row)
            lines.append(number)
            for name in [name for name in found if name not in row]:
                nested.setdefault(name, {})[len(rows) - 1] = found[name]
    if entries is not None and columns is not None:
        problems.raise_any()
        return _of_entries(file, entries, why, columns)
    kept, rows, notes = _without(
        nested,
        rows,
        columns or {},
        lambda row, found: problems.add(Problem(file.name, lines[row], found, _FLAT)),
    )
    lines = [lines[row] for row in kept]
    return replace(_sheet(file, "JSON lines", rows, lines, why, problems.sorted()), notes=notes)


def _without(
    nested: Mapping[str, Mapping[int, Any]],
    rows: Sequence[Mapping[str, str]],
    columns: Mapping[str, str],
    wrong: Callable[[int, str], None],
) -> tuple[list[int], list[Mapping[str, str]], tuple[str, ...]]:
    """Return rows without fields that hold lists or objects, and a note that names these.

    Such a field is an error where it was mapped, or where its name says that it is needed and no
    other field stands for the same: its rows are left out.

    Parameters
    ----------
    nested
        What such fields hold, by name and number of the row.
    rows
        The single values of each row.
    columns
        Role → column, as the user mapped them.
    wrong
        Takes the number of a row and what is wrong with it.
    """
    names = [name for name in dict.fromkeys(chain.from_iterable(rows)) if name not in nested]
    needed = [name for name in nested if _is_needed(name, names, columns)]
    out: set[int] = set()
    for name in needed:
        for row, value in nested[name].items():
            wrong(row, f"{name} holds {quote(json.dumps(value))}, not a single value")
            out.add(row)
    aside = [name for name in nested if name not in needed]
    kept = [row for row in range(len(rows)) if row not in out]
    made = [{name: rows[row][name] for name in rows[row] if name not in aside} for row in kept]
    note = f"{NESTED}{', '.join(aside)}"
    return kept, [*made], (note,) if aside else ()


def _is_needed(name: str, others: Sequence[str], columns: Mapping[str, str]) -> bool:
    if name in columns.values():
        return True
    given = {role: column for role, column in columns.items() if column in others}
    try:
        return bool(roles.assign([name], {}).keys() - roles.assign(others, given).keys())
    except UsageError:  # two columns for one role: the reader of tables says so
        return False


def read_fast(file: File, *, why: str, columns: Mapping[str, str] | None) -> Sheet | None:
    """Read as :func:`read_lines` does, many lines at a time; None where that may not be the same.

    Every line must hold one flat object, from its first to its last byte. A third of the time.
    """
    import pyarrow as pa

    broken = Problems()
    lines = file.read(broken).splitlines()
    numbers = [number for number, line in enumerate(lines, start=1) if line and not line.isspace()]
    lines = [lines[number - 1] for number in numbers]
    cells: dict[str, list[str]] = {}
    nested: dict[str, None] = {}
    try:
        for begin in range(0, len(lines), _MANY):
            rows = _objects(lines[begin : begin + _MANY])
            if rows is None or broken or (not begin and columns is not None and _is_task(rows[0])):
                return None
            for name in dict.fromkeys([*cells, *chain.from_iterable(rows)]):
                said = _said([row.get(name) for row in rows])
                if said is None:
                    nested[name] = None
                    said = [""] * len(rows)
                cells.setdefault(name, [""] * begin).extend(said)
        others = [name for name in cells if name not in nested]
        if any(_is_needed(name, others, columns or {}) for name in nested):
            return None
        if "coordinates" in nested and "type" in cells:  # GeoJSON that holds no line
            return None
        cells = {name: cells[name] for name in others}
        names = [name.encode().decode().strip() for name in cells]
        table = pa.Table.from_arrays([strings_of(said) for said in cells.values()], names=names)
    except (ValueError, RecursionError, UsageError):  # not JSON or UTF-8, a key that is twice there
        return None
    if not names:
        return None
    note = f"{NESTED}{', '.join(nested)}"
    made = Sheet(file.name, "JSON lines", table, stem_of(file.called), numbers.__getitem__, why)
    return replace(made, notes=(note,)) if nested else made


def _objects(lines: Sequence[bytes]) -> list[dict[str, Any]] | None:
    """Read lines that hold an object each; None where they may hold anything else.

    A brace that ends a line is no part of a text, so it closes an object: where every line begins
    and ends with one, and there are as many values as lines, all objects, each line holds one.
    """
    text = b"\n,\n".join(lines)
    if text.count(b"}\n,\n{") + 1 < len(lines) or text[:1] != b"{" or text[-1:] != b"}":
        return None
    rows: list[dict[str, Any]] = _DECODER.decode(f"[{text.decode()}]")
    each = len(rows) == len(lines) and all(type(row) is dict for row in rows)
    return rows if each else None


def _said(values: Sequence[object]) -> list[str] | None:
    """Write the values of one key; None where one of them is no single value."""
    kinds = {*map(type, values)}
    if kinds == {str}:
        return cast("list[str]", values)
    if kinds == {int}:
        return [*map(repr, values)]
    said = [_cell(value) for value in values]
    return None if None in said else cast("list[str]", said)


def _is_task(found: object) -> bool:
    return exported(found) is not None or exported([found]) is not None


def _of_entries(file: File, entries: list[Any], why: str, columns: Mapping[str, str]) -> Sheet:
    """Read tasks, one a line, or a queue of them on one line."""
    export = exported(entries[0]) if len(entries) == 1 else None
    export = export or exported(entries)
    if export is None:
        found = "some lines are tasks of a labelling tool, others are not"
        raise bad(file.name, None, found, "give the export as it was written")
    return _of_export(file, export, why, columns)


def _sheet(
    file: File,
    form: str,
    rows: Sequence[Mapping[str, str]],
    lines: Sequence[int] | None,
    why: str,
    problems: Problems,
) -> Sheet:
    import pyarrow as pa

    names = list(dict.fromkeys(name for row in rows for name in row))
    if not names:
        problems.raise_any()
        raise bad(
            file.name, None, "the JSON objects hold no single values", "give every one an item"
        )
    columns = [strings_of(row.get(name, "") for row in rows) for name in names]
    table = pa.Table.from_arrays(columns, names=[name.strip() for name in names])
    locate = None if lines is None else lines.__getitem__
    return Sheet(file.name, form, table, stem_of(file.called), locate, why, problems)


def load(file: File) -> Any:
    """Read what one JSON document holds; a key that stands twice in an object is an error."""
    problems = Problems()
    text = file.text(problems)
    problems.raise_any()
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        found = f"not JSON: {error.msg} at column {error.colno}"
        raise bad(file.name, error.lineno, found, "mend it, or write it again") from None
    except (ValueError, RecursionError) as error:
        raise bad(file.name, None, f"not readable: {_reason(error)}", _FLAT) from None


def _of_export(file: File, export: Export, why: str, columns: Mapping[str, str]) -> Sheet:
    """Make a table of what a labelling tool exported."""
    try:
        export = settled(export, columns)
    except UsageError as error:
        raise placed(error, file.name) from None
    problems = Problems()
    rows, notes = _entries(export.rows, columns, file, problems)
    sheet = _sheet(file, export.form, rows, None, why, problems)
    return replace(sheet, notes=(*export.notes, *notes))


def _entries(
    data: Sequence[Any], columns: Mapping[str, str], file: File, problems: Problems
) -> tuple[list[Mapping[str, str]], tuple[str, ...]]:
    """Read the entries of an array as rows; note what is wrong with them, and what is not read."""
    rows: list[Mapping[str, str]] = []
    places: list[int] = []
    nested: dict[str, dict[int, Any]] = {}

    def wrong(place: int, found: str) -> None:
        problems.add(Problem(file.name, None, f"entry {place}: {found}", "write flat objects"))

    for place, entry in enumerate(data, start=1):
        row = (
            _row(entry) if isinstance(entry, dict) else f"expected an object, found {quote(entry)}"
        )
        if isinstance(row, str):
            wrong(place, row)
            continue
        rows.append(row)
        places.append(place)
        for name in [name for name in entry if name not in row]:
            nested.setdefault(name, {})[len(rows) - 1] = entry[name]
    _, rows, notes = _without(nested, rows, columns, lambda row, found: wrong(places[row], found))
    return rows, notes


def read_document(file: File, *, columns: Mapping[str, str] | None = None) -> Sheet | Any:
    """Read one JSON document: an array of objects is a table, anything else is given as it is.

    ``columns`` is as in :func:`read_json_lines`.
    """
    problems = Problems()
    data = load(file)
    export = None if columns is None else exported(data)
    if export is not None and columns is not None:
        return _of_export(file, export, f"a JSON document of {len(export.rows):,} labels", columns)
    if not isinstance(data, list):
        return data
    if not data:
        fix = "leave it out, or write it again"
        raise EmptyError(Problem(file.name, None, "the JSON array is empty", fix), "JSON")
    if not isinstance(data[0], dict):
        return data
    rows, notes = _entries(data, columns or {}, file, problems)
    why = "one JSON array of objects"
    return replace(_sheet(file, "JSON", rows, None, why, problems), notes=notes)


def _parsed(line: str) -> dict[str, Any] | str:
    if "\0" in line:
        return NUL[0]
    try:
        row = _DECODER.decode(line)
    except json.JSONDecodeError as error:
        return f"not JSON: {error.msg} at column {error.colno}"
    except (ValueError, RecursionError) as error:
        return f"not readable: {_reason(error)}"
    return row if isinstance(row, dict) else f"expected a JSON object, found {quote(line)}"


def _reason(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error).split(":")[0]


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        doubled = next(name for name in names if names.count(name) > 1)
        raise _DoubledKeyError(f"{quote(doubled)} appears twice in one object")
    return row


_DECODER = json.JSONDecoder(object_pairs_hook=_pairs)


def _row(entry: Mapping[str, Any]) -> dict[str, str] | str:
    """Return the single values of an object as text; what holds lists or objects is not in it."""
    read = {name: _cell(value) for name, value in entry.items()}
    row = {name: cell for name, cell in read.items() if cell is not None}
    for name, cell in row.items():
        if not cell.isascii() or not name.isascii():
            try:
                (name + cell).encode()
            except UnicodeEncodeError:
                return f"{quote(name)} holds half of a character pair (a lone surrogate)"
    return row


def _cell(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return None if isinstance(value, (dict, list)) else repr(value)
