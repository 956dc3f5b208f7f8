"""What kind of file is this? Told by its content, never by its name alone, and with the reason."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consilience.errors import UsageError
from consilience.formats import roles

if TYPE_CHECKING:
    from consilience.formats.files import File

#: How many lines are looked at.
SAMPLE = 200
_DELIMITERS = {",": "CSV", "\t": "TSV", ";": "CSV with semicolons", "|": "CSV with bars"}


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a file was taken for, and why; ``delimiter`` is set for delimited tables."""

    form: str
    why: str
    delimiter: str = ""


def recognise(file: File, *, columns: Mapping[str, str] | None = None) -> Recognised:
    """Tell what a file is from its first lines.

    The order of the questions is: Parquet's mark; JSON objects; a header line with column names
    we know (or that the user mapped); lines that look like a run or like judgments; otherwise a
    plain list, one item a line.
    """
    if file.encoding == "parquet":
        return Recognised("Parquet", "begins with Parquet's mark PAR1")
    lines = _sample(file)
    if lines[0].lstrip().startswith(("{", "[")):
        return _json(file, lines[0])
    delimited = _delimited(lines, columns or {})
    if delimited is not None:
        return delimited
    for form, test, shape in (
        ("TREC run", _is_run, "query Q0 item rank score tag"),
        ("TREC qrels", _is_qrels, "query iteration item grade"),
    ):
        fitting = sum(test(line.split()) for line in lines)
        if fitting * 2 > len(lines):
            return Recognised(form, f"{fitting} of the first {len(lines)} lines read as '{shape}'")
    return Recognised("list", "no header, no run, no judgments: one item a line")


def _sample(file: File) -> list[str]:
    encoding = "utf-8" if file.encoding == "utf-8-sig" else file.encoding
    text = file.head.decode(encoding, errors="replace").removeprefix("\ufeff")
    lines = [line for line in text.splitlines() if line.strip()]
    whole = lines[:-1] if len(lines) > 1 and not text.endswith("\n") else lines
    return whole[:SAMPLE]


def _json(file: File, line: str) -> Recognised:
    try:
        row = json.loads(line)
    except json.JSONDecodeError:
        row = None
    if line.lstrip().startswith("[") or (row is None and line.strip() in ("{", "[")):
        raise UsageError(
            f"{file.name}:1: one large JSON document (fix: write one JSON object a line, "
            'such as {"query": "q1", "item": "d7", "score": 1.5})'
        )
    return Recognised("JSON lines", "the first line is a JSON object")


def _delimited(lines: Sequence[str], given: Mapping[str, str]) -> Recognised | None:
    """Find a separator under which the first line is a header that names an item column."""
    for delimiter, form in _DELIMITERS.items():
        header = [cell.strip().strip('"') for cell in lines[0].split(delimiter)]
        if len(header) < 2:
            continue
        mapped = {role: column for role, column in given.items() if column in header}
        try:
            found = roles.assign(header, mapped)
        except UsageError:
            found = {"item": "?"}  # two candidates: the table reader explains
        if "item" in found:
            return Recognised(form, f"header line {', '.join(header)}", delimiter)
        if delimiter != "\t" or not _is_run(lines[0].split()) and not _is_qrels(lines[0].split()):
            if all(len(line.split(delimiter)) == len(header) for line in lines[:20]) and len(lines) > 1:
                if not any(map(_is_number, header)):
                    return Recognised(form, f"header line {', '.join(header)}", delimiter)
    if lines[0].strip().strip('"') in ("item", given.get("item")):
        return Recognised("CSV", "header line item", ",")
    return None


def _is_run(fields: Sequence[str]) -> bool:
    if len(fields) == 6:
        return _is_number(fields[4])
    return len(fields) == 5 and (_is_number(fields[3]) or _is_number(fields[4]))


def _is_qrels(fields: Sequence[str]) -> bool:
    return len(fields) == 4 and _is_number(fields[3])


def _is_number(text: str) -> bool:
    return bool(text.strip()) and roles.read_number(text) is not None
