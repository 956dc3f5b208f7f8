"""Families of systems, declared in a file: who shares an engine, a model line, an author.

A table of two columns, system and family (CSV, TSV or anything that ``csv`` can read), or of more
with a header that names these; or JSON, ``{"system": "family"}`` or ``{"family": ["system", …]}``.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from consilience.errors import Problem, Problems, bad, quote
from consilience.formats.sheets import rows_of

#: What the first column may be called in a header.
_NAMES = ("system", "respondent", "name", "run", "pipeline", "annotator", "judge", "voter")
_FIX = "write one system and its family per line: bm25,lexical"


def read_families(path: str | Path) -> dict[str, str]:
    """Read system → family from a file.

    Raises
    ------
    InputError
        With every bad line.
    """
    name = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise bad(name, None, "this is no text in UTF-8", "save it as UTF-8") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise bad(name, None, f"cannot be read: {reason}", "name a file with families") from error
    families: dict[str, str] = {}
    problems = Problems()
    pairs = _json(name, text) if text.lstrip().startswith("{") else _table(name, text, problems)
    for line, system, family in pairs:
        if families.setdefault(system, family) != family:
            above, here = quote(families[system]), quote(family)
            found = f"{quote(system)} is of family {above} above, {here} here"
            problems.add(Problem(name, line, found, "give it one family"))
    problems.raise_any()
    if not families:
        raise bad(name, None, "no families here", _FIX)
    return families


def _table(name: str, text: str, problems: Problems) -> Iterator[tuple[int | None, str, str]]:
    first = text.lstrip("\n").partition("\n")[0]
    mark = next((mark for mark in "\t;," if mark in first), ",")
    order: tuple[int, int] | None = None
    for line, row in _rows(name, text, mark):
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        if order is None:
            order = _header(cells)
            if order is not None:
                continue
            order = 0, 1
        if len(cells) <= max(order) or not all(cells[place] for place in order):
            found = f"expected a system and its family, found {len(cells)} fields"
            problems.add(Problem(name, line, found, _FIX))
            continue
        yield line, cells[order[0]], cells[order[1]]


def _rows(name: str, text: str, mark: str) -> Iterator[tuple[int, list[str]]]:
    """Return the rows with their lines; what is no table at all is refused."""
    line = 0
    try:
        for line, row in rows_of(text, mark):
            yield line, row
    except csv.Error as error:
        raise bad(name, line + 1, str(error), _FIX) from None


def _header(cells: list[str]) -> tuple[int, int] | None:
    """Tell where system and family stand, if a line names its columns."""
    named = [cell.lower() for cell in cells]
    system = next((place for place, cell in enumerate(named) if cell in _NAMES), None)
    if system is None or "family" not in named:
        return None
    return system, named.index("family")


def _json(name: str, text: str) -> Iterator[tuple[int | None, str, str]]:
    try:
        data: dict[str, Any] = json.loads(text)
    except json.JSONDecodeError as error:
        raise bad(name, error.lineno, f"not JSON: {error.msg}", _FIX) from error
    except (ValueError, RecursionError):  # a number without end, brackets without end
        raise bad(name, None, "not JSON that can be read", _FIX) from None
    for key, value in data.items():
        if isinstance(value, str):
            yield None, key, value
        elif isinstance(value, list) and all(isinstance(one, str) for one in value):
            yield from ((None, one, key) for one in value)
        else:
            found = f"{quote(key)} has neither a family nor a list of systems"
            raise bad(name, None, found, 'write {"bm25": "lexical"} or {"lexical": ["bm25"]}')
