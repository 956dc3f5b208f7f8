"""What ``reproduce`` tells: the paper's tables beside ours, what agrees, what does not, and why."""

from __future__ import annotations

from functools import partial
from typing import Any

from consilience.render import reproduce_charts as charts
from consilience.render.report import (
    HEAD,
    NUMBER,
    TEXT,
    Block,
    ColumnKind,
    Lines,
    Picture,
    Report,
    Said,
    Section,
    Table,
)
from consilience.render.words import DASH, Payload, count, fixed, plain, sentence

#: The columns of CSV and Parquet: every cell of every table.
COLUMNS = {
    "table": "string",
    "row": "int64",
    "of": "string",
    "column": "string",
    "value": "float64",
    "low": "float64",
    "high": "float64",
    "text": "string",
}
_KINDS: dict[str, ColumnKind] = {"head": HEAD, "text": TEXT}
#: Agreement in a word.
_WORDS = {True: "Agrees", False: "Differs", None: "Not compared"}


def rows(payload: Payload) -> list[dict[str, Any]]:
    """Give one row per cell, in full precision."""
    return [
        {"table": table["title"], "row": place, "of": str(row[0]), "column": column["name"]}
        | _value(cell)
        for table in payload["tables"]
        for place, row in enumerate(table["rows"], start=1)
        for column, cell in zip(table["columns"], row, strict=True)
    ]


def _value(cell: Any) -> dict[str, Any]:
    if isinstance(cell, list):
        return {"low": cell[0], "high": cell[1]}
    if isinstance(cell, str):
        return {"text": cell}
    return {"value": None if cell is None else float(cell)}


def report(payload: Payload) -> Report:
    """Say all that an experiment tells."""
    return Report(
        title=f"{payload['title']} ({payload['source']})",
        headline=payload["headline"],
        sections=(
            Section("The paper and ours", tuple(_table(one) for one in payload["tables"])),
            Section("What agrees, what does not", _findings(payload)),
            Section("Figures", tuple(_picture(one) for one in payload["figures"])),
            Section("How to run it", (Lines(tuple(payload["commands"])),)),
        ),
        facts=_facts(payload),
        methods=payload["headline"],
        badges=_badges(payload),
        caution=payload["caveat"] or "",
        page=("Figures", "What agrees, what does not", "The paper and ours"),
    )


def _table(table: Payload) -> Table:
    columns = table["columns"]
    return Table(
        table["title"],
        tuple(column["name"] for column in columns),
        tuple(
            tuple(cell(one, column) for one, column in zip(row, columns, strict=True))
            for row in table["rows"]
        ),
        tuple(_KINDS.get(column["kind"], NUMBER) for column in columns),
        left_out=table["note"],
        main=True,
        notebook=True,
    )


def cell(value: Any, column: Payload) -> str:
    """Write a cell for people.

    Examples
    --------
    >>> figure = {"kind": "figure", "digits": 2}
    >>> cell(0.6667, figure), cell(None, figure), cell([0.25, 0.75], {"kind": "span", "digits": 2})
    ('0.67', '–', '0.25 to 0.75')
    >>> cell(1200, {"kind": "count", "digits": 2})
    '1,200'
    """
    if value is None:
        return DASH
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return " to ".join(fixed(end, column["digits"]) for end in value)
    return f"{value:,}" if column["kind"] == "count" else fixed(value, column["digits"])


def _findings(payload: Payload) -> tuple[Block, ...]:
    found = payload["findings"]
    return (Said(tally(found)), Lines(tuple(_finding(one) for one in found)))


def _finding(one: Payload) -> str:
    """Tell a claim, what the paper says of it, what came out here, and why the two differ.

    Examples
    --------
    >>> _finding(
    ...     {"claim": "F", "paper": "0.14", "ours": "0.20", "agrees": False, "why": "misprint"}
    ... )
    'Differs: F. Paper: 0.14; ours: 0.20. Misprint.'
    """
    told = f"{verdict(one)}: {one['claim'].rstrip('.')}. {_both(one)}"
    return f"{told} {sentence(one['why'])}" if one["why"] else told


def verdict(one: Payload) -> str:
    """Say in a word what became of a claim; what no paper says stands besides."""
    return _WORDS[one["agrees"]] if one["paper"] else "Besides"


def _both(one: Payload) -> str:
    return sentence(f"paper: {one['paper']}; ours: {one['ours']}" if one["paper"] else one["ours"])


def tally(found: list[Payload]) -> str:
    """Count the claims that come out as published; nothing where none can be compared."""
    agreed = sum(one["agrees"] is True for one in found)
    compared = sum(one["agrees"] is not None for one in found)
    verb = "comes" if agreed == 1 else "come"
    return f"{agreed} of {count(compared, 'claim')} {verb} out as published." if compared else ""


def _picture(one: Payload) -> Picture:
    header, cells = charts.cells(one)
    kinds: tuple[ColumnKind, ...] = (HEAD, *(TEXT,) * (len(header) - 1))
    twin = Table(one["title"], header, tuple(cells), kinds, drawn=True)
    words = plain(f"{one['title']}. {one['words']}")
    return Picture(one["name"], partial(charts.figure, one), words, twin)


def _badges(payload: Payload) -> tuple[str, ...]:
    said = [plain(payload["source"])]
    if any(stage["recorded"] for stage in payload["stages"]):
        said.append("slow stages as recorded")
    return tuple(said)


def _facts(payload: Payload) -> tuple[tuple[str, str], ...]:
    facts = [("data", payload["data"])] if payload["data"] else []
    for stage in payload["stages"]:
        how = "recorded" if stage["recorded"] else "just run"
        with_ = ", ".join(f"{name} {version}" for name, version in stage["versions"].items())
        facts.append((stage["what"], f"{how}, {stage['when']}, {stage['seconds']:,.0f} s; {with_}"))
    facts.append(("seed", str(payload["seed"])))
    if payload["versions"]:
        told = payload["versions"].items()
        facts.append(("versions", ", ".join(f"{name} {version}" for name, version in told)))
    if payload["seconds"] is not None:
        facts.append(("time", f"{payload['seconds']:.1f} s"))
    return tuple(facts)
