"""Trees of categories as people write them: who is whose parent, with the line that says so.

Four forms of files are told apart by content:

- a table with a column ``category`` and a column ``parent``, empty for a root (CSV, TSV, JSON
  lines, JSON, Parquet);
- a table with a single column, ``path`` or ``category``, of paths such as ``animal/dog/poodle``;
- plain lines of such paths. Inner categories are implied, and a category is called by its path;
- one JSON document: ``{"animal": {"dog": {"poodle": {}}}}``, where a list, a text or null may
  stand for leaves, or ``{"name": "animal", "children": [{"name": "dog"}, …]}``.

In Python the same may be a frame, a dict of columns, a list of paths, a nested dict, or a dict
child → parent. Whether the links make a tree is seen to in :mod:`consilience.study.taxonomy`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from consilience.errors import Problem, Problems, bad, quote
from consilience.formats import files, recognise
from consilience.formats.links import (
    COLUMNS,
    Links,
    add_paths,
    checked,
    columns_of,
    of_sheet,
    plain,
)
from consilience.formats.nested import of_object
from consilience.formats.sheets import read_delimited, read_parquet

if TYPE_CHECKING:
    from consilience.formats.files import File

__all__ = ["Links", "of_object", "read_links"]

_DELIMITERS = {",": "CSV", "\t": "TSV", ";": "CSV with semicolons", "|": "CSV with bars"}
_TABLES = ("csv", "tsv", "tab")


def read_links(
    path: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    name: str | None = None,
) -> Links:
    """Read a tree's links from a file; see the top of this module for the forms.

    Messages call the file by its path, or by ``name``.

    Raises
    ------
    InputError
        If the file cannot be read, or is in none of these forms.
    """
    given = checked(columns)
    problems = Problems()
    found, _ = files.expand([path], problems)
    problems.raise_any()
    if len(found) != 1:
        fix = "name the one file that holds the tree"
        raise bad(str(path), None, f"a tree is one file, found {len(found)}", fix)
    file = files.look(found[0], encoding=encoding, name=name)
    if file.encoding == "parquet":
        return of_sheet(read_parquet(file, why="", columns={}), given)
    text = file.text(problems)
    lines = [line for line in text.splitlines() if line.strip()]
    if lines[0].lstrip().startswith(("{", "[")):
        return _of_json(file, lines, given)
    if lines[0].lstrip().startswith("<"):
        fix = "write rows category,parent, or paths such as animal/dog, one a line"
        raise bad(file.name, 1, "this is XML or HTML, not a tree that can be read here", fix)
    delimiter = _delimiter(file, lines, given)
    if delimiter is None:
        return _of_lines(file)
    sheet = read_delimited(file, delimiter=delimiter, form=_DELIMITERS[delimiter], why="")
    return of_sheet(sheet, given)


def _delimiter(file: File, lines: Sequence[str], given: Mapping[str, str]) -> str | None:
    """Find what parts the cells of a table; None for plain lines."""
    for delimiter in _DELIMITERS:
        header = recognise.cells(lines[0], delimiter)
        if len(header) > 1 and ({*columns_of(header, given)} - {"category"}):
            return delimiter
    only = lines[0].strip().strip('"')
    if plain(only) in (*COLUMNS["path"], "category") or only in given.values():
        return ","
    parted = [mark for mark in _DELIMITERS if mark in lines[0]]
    if parted and file.ending in _TABLES:
        return parted[0]
    bare = [mark for mark in _DELIMITERS if all(mark in line for line in lines)]
    if bare and not any("/" in line for line in lines):
        found = f"no header line; the first line is {quote(lines[0])}"
        raise bad(file.name, 1, found, f"begin with a line category{bare[0]}parent")
    return None


def _of_lines(file: File) -> Links:
    """Read plain lines of paths."""
    links = Links(file.name, "list of paths", paths=True)
    pairs = [(number, line) for number, line in file.lines(links.problems) if line.strip()]
    indented = [number for number, line in pairs if line[:1].isspace()]
    if indented:
        fix = "write every category with its path, such as animal/dog/poodle"
        raise bad(file.name, indented[0], "the line is indented: that says nothing here", fix)
    broken = [number for number, line in pairs if "\0" in line]
    links.problems.many(broken, lambda number: Problem(file.name, number, *files.NUL))
    add_paths(links, ((line.strip(), number) for number, line in pairs if "\0" not in line))
    return links


def _of_json(file: File, lines: Sequence[str], given: Mapping[str, str]) -> Links:
    """Read JSON: rows a line, an array of rows, or one nested document."""
    from consilience.formats import documents

    if len(lines) > 1 and _is_object(lines[0]):
        return of_sheet(documents.read_json_lines(file, why=""), given)
    links = of_object(documents.load(file), name=file.name, columns=given)
    links.form = f"JSON, {links.form}"
    return links


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False
