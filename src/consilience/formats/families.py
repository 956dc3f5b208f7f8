"""Families of systems, declared in a file: who shares an engine, a model line, an author.

A table of two columns, system and family (CSV, TSV or anything that ``csv`` can read), with or
without a header; or JSON, ``{"system": "family"}`` or ``{"family": ["system", …]}``.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from consilience.errors import Problem, Problems, bad, quote

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
            found = f"{quote(system)} is of family {families[system]!r} above, {family!r} here"
            problems.add(Problem(name, line, found, "give it one family"))
    problems.raise_any()
    if not families:
        raise bad(name, None, "no families here", _FIX)
    return families


def _table(name: str, text: str, problems: Problems) -> Iterator[tuple[int | None, str, str]]:
    first = text.lstrip("\n").partition("\n")[0]
    mark = next((mark for mark in "\t;," if mark in first), ",")
    lines = csv.reader(io.StringIO(text), delimiter=mark)
    head = True
    for row in lines:
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        if head and cells[0].lower() in _NAMES and "family" in [cell.lower() for cell in cells]:
            head = False
            continue
        head = False
        if len(cells) != 2 or not all(cells):
            found = f"expected a system and its family, found {len(cells)} fields"
            problems.add(Problem(name, lines.line_num, found, _FIX))
            continue
        yield lines.line_num, cells[0], cells[1]


def _json(name: str, text: str) -> Iterator[tuple[int | None, str, str]]:
    try:
        data: dict[str, Any] = json.loads(text)
    except json.JSONDecodeError as error:
        raise bad(name, error.lineno, f"not JSON: {error.msg}", _FIX) from error
    for key, value in data.items():
        if isinstance(value, str):
            yield None, key, value
        elif isinstance(value, list) and all(isinstance(one, str) for one in value):
            yield from ((None, one, key) for one in value)
        else:
            found = f"{quote(key)} has neither a family nor a list of systems"
            raise bad(name, None, found, 'write {"bm25": "lexical"} or {"lexical": ["bm25"]}')
