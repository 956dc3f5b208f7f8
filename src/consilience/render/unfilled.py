"""Whether a list that was written for labelling is still as it was written: without a label.

A file is replaced by a new list only where it is known to hold nothing that people wrote.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from consilience.errors import quote
from consilience.render.tasks import COLUMNS

#: What every report of next says of itself.
_REPORT = re.compile(r"\bnext-[0-9a-f]{12}\b")
#: What a task of a labelling tool, or a record, holds before anybody has seen it.
_BARE = {"data", "fields", "metadata", "id", "order"}
_STRANGE = "there is a file that next has not written, and it may hold labels"


def filled_in(path: Path) -> str | None:
    r"""Return why a file must be kept: what is filled in, or that it is no list; else None.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "labels.csv"
    >>> _ = file.write_text("query,item,probability,round,label\nq1,d7,0.25,1,\n")
    >>> filled_in(file)
    >>> _ = file.write_text("query,item,probability,round,label\nq1,d7,0.25,1,yes\n")
    >>> filled_in(file)
    "it was filled in ('yes'), and that would be lost"
    """
    try:
        data = path.read_bytes()
        if data.startswith(b"PAR1"):
            return _said(_of_parquet(data))
        text = data.decode("utf-8-sig")
    except (OSError, ValueError):
        return _STRANGE
    if not text.strip():
        return None
    if text.lstrip()[:1] in "{[":
        return _of_json(text)
    if _REPORT.search(text):
        return _said(_of_report(text.splitlines()))
    return _of_table(text)


def _said(labels: Iterable[Any]) -> str | None:
    """Say which label would be lost, if there is any."""
    found = next((one for one in labels if not _is_empty(one)), None)
    return None if found is None else f"it was filled in ({quote(found)}), and that would be lost"


def _is_empty(value: Any) -> bool:
    """Tell whether a cell says nothing; 0 and false are labels."""
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, Mapping):
        return all(map(_is_empty, value.values()))
    if isinstance(value, list):
        return all(map(_is_empty, value))
    return value is None or value != value


def _others(row: Mapping[Any, Any], known: Iterable[str] = ()) -> Iterable[Any]:
    """Give the cells of a row that were not there when it was written."""
    return [cell for name, cell in row.items() if name not in {*COLUMNS, *known}]


def _of_parquet(data: bytes) -> Iterable[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(pa.BufferReader(data))
    except pa.ArrowException as error:
        raise ValueError from error
    names = [name for name in table.column_names if name not in COLUMNS]
    if not {"query", "item"} <= {*table.column_names}:
        raise ValueError
    return (cell for name in names for cell in table[name].to_pylist())


def _of_table(text: str) -> str | None:
    head = text.partition("\n")[0]
    mark = next((mark for mark in "\t;," if mark in head), ",")
    try:
        rows = [*csv.DictReader(io.StringIO(text, newline=""), delimiter=mark, strict=True)]
    except csv.Error:
        return _STRANGE
    names = [name.strip().lower() for name in head.strip().split(mark)]
    if not {"query", "item"} <= {name.strip('"') for name in names}:
        return _STRANGE
    return _said(cell for row in rows for cell in _others(row))


def _of_json(text: str) -> str | None:
    try:
        data = json.loads(text)
    except ValueError:
        return _STRANGE
    if isinstance(data, dict) and data.get("verb") == "next":
        rows = data.get("rows")
    elif isinstance(data, dict) and "queue" in data:
        rows = data.get("tasks")
    else:
        rows = data
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        return _STRANGE
    if not all("data" in row or "fields" in row or "item" in row for row in rows):
        return _STRANGE
    inside = [row[part] for row in rows for part in _BARE if isinstance(row.get(part), dict)]
    return _said(
        [cell for row in rows for cell in _others(row, _BARE)]
        + [cell for part in inside for cell in _others(part)]
    )


def _of_report(lines: list[str]) -> Iterable[str]:
    """Give what stands beside the rows of a report's list, in text and Markdown."""
    ahead, width = "", 0
    for line in lines:
        names = line.replace("|", " ").split()
        if names[:3] == [*COLUMNS[:3]]:
            ahead, width = line.rstrip(), len(names)
            yield from (name for name in names[3:] if name not in COLUMNS)
        elif not line.strip():
            ahead = ""
        elif ahead.startswith("|"):
            yield from re.split(r"(?<!\\)\|", line)[width + 1 :]
        elif ahead and not line.startswith("…"):
            yield line[len(ahead) :]
