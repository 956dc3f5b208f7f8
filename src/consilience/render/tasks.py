"""What to label next, as labelling tools take it: CSV, Label Studio, Argilla, our own queue.

Every row carries the probability with which it was drawn and its round. They come home with the
label: the readers of these tools' exports look for them where they were put.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from typing import Any

from consilience.errors import unknown

#: The columns of a row that is to be labelled.
COLUMNS = ("query", "item", "probability", "round")
#: The version of the queue's form.
QUEUE = 1


def tasks(payload: Mapping[str, Any], fmt: str) -> str:
    """Write the rows that are to be labelled for a labelling tool.

    Parameters
    ----------
    payload
        What ``next`` found: ``rows`` of query, item, probability and round, in the order in which
        they are to be labelled; ``input_hash`` and ``seed``.
    fmt
        ``csv`` (with an empty column label), ``label-studio`` (tasks to import), ``argilla``
        (records, as its ``from_json`` takes them) or ``queue``.

    Examples
    --------
    >>> rows = [{"query": "q1", "item": "d7", "probability": 0.25, "round": 1}]
    >>> print(tasks({"rows": rows}, "csv"))
    query,item,probability,round,label
    q1,d7,0.25,1,
    <BLANKLINE>
    >>> print(tasks({"rows": rows}, "label-studio"))
    [
     {"data": {"query": "q1", "item": "d7", "probability": 0.25, "round": 1}}
    ]
    <BLANKLINE>
    """
    if fmt not in TASKS:
        raise unknown("format of tasks", fmt, list(TASKS))
    return TASKS[fmt](payload)


def _rows(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{name: row[name] for name in COLUMNS} for row in payload["rows"]]


def _csv(payload: Mapping[str, Any]) -> str:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*COLUMNS, "label"])
    writer.writerows([*row.values(), ""] for row in _rows(payload))
    return stream.getvalue()


def _label_studio(payload: Mapping[str, Any]) -> str:
    return _listed([{"data": row} for row in _rows(payload)])


def _argilla(payload: Mapping[str, Any]) -> str:
    """Give records; the id tells rounds apart, so that all can go into one dataset."""
    records = [
        {
            "id": f"{row['round']}-{place}",
            "fields": {name: str(row[name]) for name in ("query", "item")},
            "metadata": {name: row[name] for name in ("probability", "round")},
        }
        for place, row in enumerate(_rows(payload), start=1)
    ]
    return _listed(records)


def _queue(payload: Mapping[str, Any]) -> str:
    head = {"queue": QUEUE, "study": payload.get("input_hash"), "seed": payload.get("seed")}
    rows = [{**row, "order": place} for place, row in enumerate(_rows(payload), start=1)]
    begin = json.dumps(head, ensure_ascii=False, allow_nan=False).removesuffix("}")
    return f'{begin}, "tasks": {_listed(rows).rstrip()}}}\n'


def _listed(rows: list[dict[str, Any]]) -> str:
    """Write an array with one object a line."""
    lines = ",\n".join(f" {json.dumps(row, ensure_ascii=False, allow_nan=False)}" for row in rows)
    return f"[\n{lines}\n]\n" if rows else "[]\n"


#: How rows are written, by the name of the form.
TASKS = {"csv": _csv, "label-studio": _label_studio, "argilla": _argilla, "queue": _queue}
