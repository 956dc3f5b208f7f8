"""What users are told of a few labels: the main figures, in the documentation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bench.labels import sections as s
from bench.labels import tables
from bench.labels.figures import Row
from bench.labels.tables import Results, head, line, number, three

#: What is shown of the table of few labels, and of the labels needed.
SHOWN = (
    ("two engines 12/12", 100),
    ("two engines 12/12", 500),
    ("two engines 4/12", 100),
    ("LLMJudge ≥ 2", 50),
    ("LLMJudge ≥ 2", 200),
    ("LLMJudge ≥ 1", 50),
    ("LLMJudge ≥ 1", 200),
)
WAYS = {
    s.EVEN_ALONE: "evenly drawn, labels alone",
    s.EVEN: "evenly drawn, guess corrected",
    s.DESIGNED: "drawn by `next`, guess corrected",
    s.SHRUNK: "the same, shrunk",
}
NEEDED = {
    s.EVEN_ALONE: "evenly drawn, labels alone",
    s.EVEN: "evenly drawn, guess corrected",
    s.ROUNDS: "`next` in rounds",
    s.ROUNDS_SHRUNK: "the same, shrunk",
    s.POOL: "pool from the top, the rest not relevant",
}
GOALS = (("tau", 0.8, True), ("mae", 0.05, False))


def lines(results: Results) -> list[str]:
    """Write the part of the page that has figures in it."""
    return [
        *_few(results.few),
        "",
        *_needed(results.curves),
        "",
        *(f"- {sentence}" for sentence in sentences(results)),
    ]


def _few(rows: Sequence[Row]) -> list[str]:
    found = {(row.set, row.budget, row.method): row for row in rows}
    made = head("τ / MAE / coverage of micro F1", *WAYS.values())
    for name, budget in SHOWN:
        cells = [three(found.get((name, budget, way))) for way in WAYS]
        made.append(line(f"{name}, {budget} labels", cells))
    return made


def _needed(rows: Sequence[Row]) -> list[str]:
    made = head("labels needed for", *NEEDED.values())
    for name in dict.fromkeys(row.set for row in rows):
        for what, goal, more in GOALS:
            cells = tables.reached(rows, name, what, goal, more=more)
            asked = f"{name}: {tables.SIGNS[what]} {number(goal, 2)}"
            made.append(line(asked, [cells[way] for way in NEEDED]))
    return made


def sentences(results: Results) -> list[str]:
    """Say in words how far intervals, forecasts and the stop rule can be trusted."""
    own = [row for row in results.few if row.method == s.DESIGNED]
    first = [row for row in results.curves if row.method == s.DESIGNED]
    later = [row for row in results.curves if row.method == s.ROUNDS and row.budget > s.CURVE[0]]
    stopped = [one for one in results.stops if one.settled]
    macro = [row for row in results.macro if row.measure in ("R", "F1")]
    micro = [row for row in results.macro if row.measure.endswith("(average=micro)")]
    return [
        f"**Intervals.** The 95 % intervals of micro F1 held the true figure in {_covered(own)} of "
        f"the cases ({min(s.FEW)} to {max(s.FEW)} labels, {own[0].draws} draws each); those of all "
        f"micro figures in {_covered(micro)}, those of recall and F1 averaged over queries in "
        f"{_covered(macro)}.",
        f"**Forecasts.** The error that `next` expects of a first round, when no label has been "
        f"seen, was {_ratios(first)} times the error that came; that of later rounds "
        f"{_ratios(later)} times.",
        f"**Stopping.** In {sum(one.wrong for one in stopped)} of "
        f"{sum(one.settled for one in stopped)} runs that the rule stopped at 95 %, the system put "
        "first was worse than the best by more than δ. With δ = .05 half of the runs had stopped "
        f"after {_halves(results, 0.05)}.",
    ]


def _covered(rows: Iterable[Row]) -> str:
    shares = [row.coverage for row in rows if row.coverage is not None]
    return f"{100 * min(shares):.0f} to {100 * max(shares):.0f} %"


def _ratios(rows: Iterable[Row]) -> str:
    found = [row.expected / row.rmse for row in rows if row.expected is not None]
    return f"{number(min(found), 1)} to {number(max(found), 1)}"


def _halves(results: Results, delta: float) -> str:
    said = []
    for one in results.stops:
        if one.delta == delta:
            middle = one.labels[1]
            count = f"more than {one.most:,}" if middle is None else f"about {middle:,.0f}"
            said.append(f"{count} labels ({one.set})")
    return ", ".join(said)
