"""What two results tell side by side: their verdicts, what differs in them, who moved."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

from consilience.render import diff_charts as charts
from consilience.render.report import (
    NUMBER,
    SCORE,
    ColumnKind,
    Lines,
    Picture,
    Report,
    Said,
    Section,
    Table,
)
from consilience.render.words import DASH, Payload, chance, count, estimate, fixed, place, plain

#: Writes the cell of a row.
Cell: TypeAlias = Callable[[Payload], str]
#: The columns of CSV and Parquet.
COLUMNS = {
    "name": "string",
    "measure": "string",
    "before": "float64",
    "before_low": "float64",
    "before_high": "float64",
    "before_rank": "int64",
    "after": "float64",
    "after_low": "float64",
    "after_high": "float64",
    "after_rank": "int64",
    "difference": "float64",
}


def rows(payload: Payload) -> list[dict[str, Any]]:
    """Give one row per system, in full precision."""
    return [
        {
            "name": one["name"],
            "measure": payload["measure"],
            **_cells("before", one["before"]),
            **_cells("after", one["after"]),
            "difference": one["difference"],
        }
        for one in payload["figures"]
    ]


def _cells(side: str, figure: Payload | None) -> dict[str, Any]:
    known = figure or {}
    low, high = known.get("interval") or (None, None)
    value = {side: known.get("value"), f"{side}_low": low, f"{side}_high": high}
    return value | {f"{side}_rank": known.get("rank")}


def report(payload: Payload) -> Report:
    """Say all that two results tell side by side."""
    before, after = payload["before"], payload["after"]
    return Report(
        title=f"Two results of {payload['of']}, side by side",
        headline=payload["headline"],
        sections=(
            Section("What each of them says", (_verdicts(payload),)),
            Section(_moved_title(payload), (_picture(payload), _figures(payload))),
            Section("What differs in the question", (_settings(payload), _same_settings(payload))),
            Section("What differs in the data", (_files(payload), _same_files(payload))),
        ),
        facts=(("before", _which(before)), ("now", _which(after))),
        methods="Two stored results were put side by side; nothing was computed anew.",
        badges=(
            "same inputs" if payload["same_inputs"] else "inputs differ",
            count(len(payload["settings"]), "other setting"),
        ),
        caution=before["caveat"] or after["caveat"] or "",
    )


def _which(side: Payload) -> str:
    return plain(f"{side['id']}, Consilience {side['version']}, {side['created']}")


def _moved_title(payload: Payload) -> str:
    return f"{payload['measure'] or 'Scores'} before and now"


def _verdicts(payload: Payload) -> Table:
    sides = (("before", payload["before"]), ("now", payload["after"]))
    return Table(
        "The two verdicts",
        ("", "what it says", "settled"),
        tuple((when, plain(one["headline"]), _settled(one)) for when, one in sides),
        ("head", "", ""),
    )


def _settled(side: Payload) -> str:
    return DASH if side["settled"] is None else "yes" if side["settled"] else "no"


def _picture(payload: Payload) -> Picture:
    twin = Table(
        f"{payload['measure']} before and now",
        (payload["noun"] or "name", *charts.SIDES, "difference"),
        tuple(
            (
                plain(one["name"]),
                *(fixed(one[side]["value"]) for side in ("before", "after")),
                signed(one["difference"]),
            )
            for one in charts.drawn(payload)
        ),
        ("head", NUMBER, NUMBER, NUMBER),
    )
    return Picture("moved", partial(charts.moved, payload), charts.moved_words(payload), twin)


def signed(value: float | None) -> str:
    """Write a difference with its sign.

    Examples
    --------
    >>> signed(0.25), signed(-0.25), signed(0.0), signed(None)
    ('+0.2500', '−0.2500', '0.0000', '–')
    """
    told = fixed(value)
    return f"+{told}" if value is not None and value > 0 and told.strip("0.") else told


def _figures(payload: Payload) -> Table:
    """Scores and ranks of both, in the later one's order."""
    noun = payload["noun"] or "name"
    columns: list[tuple[str, ColumnKind, Cell]] = [(noun, "head", lambda one: plain(one["name"]))]
    if noun == "system":
        columns += [
            ("rank before", NUMBER, lambda one: _rank(one["before"])),
            ("rank now", NUMBER, lambda one: _rank(one["after"])),
        ]
    columns += [
        ("before", SCORE, lambda one: estimate(one["before"])),
        ("now", SCORE, lambda one: estimate(one["after"])),
        ("difference", NUMBER, lambda one: signed(one["difference"])),
    ]
    if any(figure and figure["p_best"] is not None for figure in _all(payload)):
        columns += [
            ("P(first) before", NUMBER, lambda one: chance((one["before"] or {}).get("p_best"))),
            ("P(first) now", NUMBER, lambda one: chance((one["after"] or {}).get("p_best"))),
        ]
    return Table(
        f"{payload['measure'] or 'Scores'} of each {noun}, with intervals",
        tuple(title for title, _, _ in columns),
        tuple(tuple(cell(one) for _, _, cell in columns) for one in payload["figures"]),
        tuple(kind for _, kind, _ in columns),
        main=True,
    )


def _all(payload: Payload) -> list[Payload | None]:
    return [one[side] for one in payload["figures"] for side in ("before", "after")]


def _rank(figure: Payload | None) -> str:
    return place(figure) if figure else DASH


def _settings(payload: Payload) -> Table:
    return Table(
        "Settings that differ",
        ("setting", *charts.SIDES),
        tuple(
            (plain(one["name"].replace("_", " ")), _said(one["before"]), _said(one["after"]))
            for one in payload["settings"]
        ),
        ("head", "", ""),
    )


def _same_settings(payload: Payload) -> Said:
    return Said("" if payload["settings"] else "Both were asked alike, with the same settings.")


def _said(value: Any) -> str:
    return "not given" if value is None else plain(value)


def _files(payload: Payload) -> Table:
    return Table(
        "Files that differ, with their rows",
        ("file", *charts.SIDES),
        tuple(
            (plain(one["file"]), _rows_of(one["before"]), _rows_of(one["after"]))
            for one in payload["files"]
        ),
        ("head", NUMBER, NUMBER),
    )


def _rows_of(value: int | None) -> str:
    return "not there" if value is None else f"{value:,}"


def _same_files(payload: Payload) -> Lines:
    lines = ["The same inputs, by their hash."] if payload["same_inputs"] else []
    hashes = [f"{when}: sha256 {payload[side]['input_hash']}" for when, side in _HASHES]
    return Lines((*lines, *([] if payload["same_inputs"] else hashes)))


_HASHES = (("before", "before"), ("now", "after"))
