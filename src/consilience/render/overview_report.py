"""What ``check`` tells, as a document: who answered, what is known, what can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from consilience.render import overview_charts as charts
from consilience.render.agreement import dependence_lines
from consilience.render.overview import join_lines, pair_lines
from consilience.render.report import (
    CELL,
    HEAD,
    NUMBER,
    TEXT,
    Block,
    Lines,
    Picture,
    Report,
    Said,
    Section,
    Table,
)
from consilience.render.words import Payload, count, plain

#: The columns of CSV and Parquet.
COLUMNS = {
    "name": "string",
    "kind": "string",
    "family": "string",
    "queries": "int64",
    "missing_queries": "int64",
    "answers": "int64",
}
#: Rows that people see; the file holds all.
SHOWN, PAIRS = 60, 20
#: What every page says that shows answers without truth.
NO_TRUTH = "there is no truth: what can be told is agreement, not correctness"


def rows(payload: Payload) -> list[dict[str, Any]]:
    """Give one row per respondent, systems first."""
    return [{name: one[name] for name in COLUMNS} for one in _everybody(payload)]


def report(payload: Payload) -> Report:
    """Say what there is."""
    return Report(
        title="What there is",
        headline=_headline(payload),
        sections=(
            Section("What can be computed", (Lines(_plainly(payload["can"])),)),
            Section("What cannot be computed", (Lines(_plainly(payload["cannot"])),)),
            Section("Who answered", _who(payload)),
            Section("Answers and truth", _joins(payload)),
            Section("Systems that answer alike", _alike(payload)),
            Section("Dependence", (Lines(tuple(dependence_lines(payload.get("dependence")))),)),
            Section("What was noticed in the files", (Lines(_noticed(payload)),)),
        ),
        facts=(),
        methods="",
        badges=_badges(payload),
        caution=NO_TRUTH if payload["condition"] == "absent" and payload["systems"] else "",
    )


def _everybody(payload: Payload) -> list[Mapping[str, Any]]:
    return [*payload["systems"], *payload["judges"]]


def _plainly(lines: list[str]) -> tuple[str, ...]:
    return tuple(plain(line) for line in lines)


def _headline(payload: Payload) -> str:
    """Say in a sentence or two who answered what, and which truth there is."""
    if not payload["condition"]:
        return "There are no answers yet."
    what = f"{plain(payload['what'])}. " if payload.get("what") else ""
    sides = (("systems", "system"), ("judges", "judge"))
    known = [count(len(payload[key]), noun) for key, noun in sides if payload[key]]
    queries, items = payload["queries"]["all"], count(payload["items"], "item")
    spoke = f"answered {queries:,} queries with {items}" if queries > 1 else f"spoke of {items}"
    truth = f"Truth: {payload['condition']} ({plain(payload['why'])})."
    return f"{what}{' and '.join(known) or 'Nobody'} {spoke}. {truth}"


def _badges(payload: Payload) -> tuple[str, ...]:
    """Give short facts: the condition, how many of everything, how much was judged."""
    if not payload["condition"]:
        return ()
    judged = payload["judged"]
    said = [
        f"truth {payload['condition']}",
        *(count(len(payload[key]), key[:-1]) for key in ("systems", "judges") if payload[key]),
        count(payload["queries"]["all"], "query"),
        count(payload["items"], "item"),
        *([f"{judged:.0%} of returned items judged"] if judged is not None else []),
    ]
    return tuple(said)


def _who(payload: Payload) -> tuple[Block, ...]:
    """Tell who answered, and who answered what."""
    told = payload.get("coverage")
    if not told:
        return (_respondents(payload),)
    if not charts.gaps(payload):
        said = f"Nobody left out any of {told['total']:,} {told['unit']}."
        return (Said(said if told["respondents"] else ""), _respondents(payload))
    names = tuple(charts.labels(payload))
    more = told["left_out"]
    twin = Table(
        f"Share of {told['unit']} answered",
        ("respondent", "answered", *names),
        tuple(charts.coverage_cells(payload)),
        (HEAD, NUMBER, *(CELL for _ in names)),
        left_out=f"{count(more, 'further respondent')} not shown." if more else "",
    )
    words = charts.coverage_words(payload)
    drawn = Picture("coverage", partial(charts.coverage, payload), words, twin)
    return (drawn, _respondents(payload))


def _respondents(payload: Payload) -> Table:
    """List who answered."""
    everybody = _everybody(payload)
    lost = len(everybody) - SHOWN
    return Table(
        "Systems first, then judges, with how much they answered",
        ("respondent", "kind", "family", "queries", "answers"),
        tuple(
            (
                plain(one["name"]),
                one["kind"],
                plain(one["family"] or ""),
                f"{one['queries']:,} of {payload['queries']['all']:,}",
                f"{one['answers']:,}",
            )
            for one in everybody[:SHOWN]
        ),
        (HEAD, TEXT, TEXT, NUMBER, NUMBER),
        left_out=f"{count(lost, 'further respondent')}: see -f csv." if lost > 0 else "",
        main=True,
    )


def _joins(payload: Payload) -> tuple[Block, ...]:
    """Tell how answers and truth fit together."""
    lines = Lines(_plainly(join_lines(payload)) if payload["condition"] else ())
    told = charts.judged_rows(payload)
    if not told:
        return (lines,)
    twin = Table(
        "What was judged of each system's answers",
        ("system", "returned", "judged", "share", "share of the first 10"),
        tuple(charts.judged_cells(told)),
        (HEAD, NUMBER, NUMBER, NUMBER, NUMBER),
    )
    words = charts.judged_words(payload)
    return (lines, Picture("judged", partial(charts.judged, payload), words, twin))


def _alike(payload: Payload) -> tuple[Block, ...]:
    pairs = payload["alike"]
    rest = len(pairs) - PAIRS
    lines = _plainly(pair_lines(pairs[:PAIRS]))
    return (Lines(lines), Said(f"{count(rest, 'further pair')}: see -f json." if rest > 0 else ""))


def _noticed(payload: Payload) -> tuple[str, ...]:
    """List what reading the files noted."""
    return tuple(
        plain(f"{file['file']}: {note}") for file in payload["files"] for note in file["notes"]
    )
