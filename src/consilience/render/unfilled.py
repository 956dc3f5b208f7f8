"""Whether a list that was written for labelling is still as it was written: without a label."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from consilience.render.tasks import TASKS, tasks

#: What comes of reading something else as a list.
_OTHER = (
    *(OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, csv.Error),
)
_HASH = re.compile(r"[0-9a-f]*")


def is_unfilled(path: Path) -> bool:
    r"""Tell whether a file is empty, or a list for labelling that nobody has touched.

    What it says is written again: only the same text shows that nothing else is in it. Reports,
    and files that other programs have saved, are not taken for untouched lists.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "labels.csv"
    >>> _ = file.write_text("query,item,probability,round,label\nq1,d7,0.25,1,\n")
    >>> is_unfilled(file)
    True
    >>> _ = file.write_text("query,item,probability,round,label\nq1,d7,0.25,1,yes\n")
    >>> is_unfilled(file)
    False
    """
    try:
        text = path.read_bytes().decode()
        if not text:
            return True
        told = _of_json(text) if text[0] in "[{" else _of_csv(text)
        return _is_drawn(told) and any(tasks(told, fmt) == text for fmt in TASKS)
    except _OTHER:
        return False


def _of_csv(text: str) -> dict[str, Any]:
    rows = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    numbers = {"probability": float, "round": int}
    return {"rows": [{**row, **{at: of(row[at]) for at, of in numbers.items()}} for row in rows]}


def _of_json(text: str) -> dict[str, Any]:
    data = json.loads(text)
    if isinstance(data, list):
        return {"rows": [*map(_flat, data)]}
    return {"rows": data["tasks"], "input_hash": data["study"], "seed": data["seed"]}


def _flat(task: Mapping[str, Any]) -> dict[str, Any]:
    """Give the cells of a task, wherever its form has them."""
    return {**task.get("data", {}), **task.get("fields", {}), **task.get("metadata", {})}


def _is_drawn(told: Mapping[str, Any]) -> bool:
    """Tell whether every cell is what was drawn: a label may stand in the place of a number."""
    rows = told["rows"]
    return (
        all(isinstance(row[name], str) for row in rows for name in ("query", "item"))
        and all(type(row["probability"]) is float and 0 < row["probability"] <= 1 for row in rows)
        and all(type(row["round"]) is int and row["round"] > 0 for row in rows)
        and len({row["round"] for row in rows}) <= 1
        and _HASH.fullmatch(told.get("input_hash", "")) is not None
        and type(told.get("seed", 0)) is int
    )
