"""The results in tables: few labels, curves, labels needed, forecasts, stops, averaged scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bench.bars import Bar
from bench.labels import sections as s
from bench.labels.figures import Row
from bench.labels.hidden import F1
from bench.labels.sections import Stops

#: What is asked of a ranking and of its figures: the figure, the goal, whether more is better.
GOALS = (("tau", 0.8, True), ("tau", 0.9, True), ("mae", 0.05, False), ("mae", 0.03, False))
SIGNS = {"tau": "τ ≥", "mae": "MAE ≤"}
COLUMNS = (s.EVEN_ALONE, s.DESIGNED_ALONE, s.EVEN, s.DESIGNED, s.SHRUNK)
WAYS = (
    *(s.EVEN_ALONE, s.EVEN, s.DESIGNED, s.SHRUNK, s.ROUNDS, s.ROUNDS_SHRUNK),
    *(s.POOL, s.CONDENSED),
)


@dataclass
class Results:
    """Everything that was found; ``about`` describes the sets, ``missing`` names absent ones."""

    about: dict[str, str] = field(default_factory=dict)
    few: list[Row] = field(default_factory=list)
    curves: list[Row] = field(default_factory=list)
    macro: list[Row] = field(default_factory=list)
    stops: list[Stops] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, data: dict[str, Any]) -> Results:
        """Make results of plain data again."""
        rows = {name: [Row(**row) for row in data[name]] for name in ("few", "curves", "macro")}
        stops = [Stops(**{**one, "labels": tuple(one["labels"])}) for one in data["stops"]]
        return cls(data["about"], **rows, stops=stops, missing=data["missing"])


def bars(results: Results) -> list[Bar]:
    """Say what must hold of labels drawn by design in one round."""
    found = {(row.set, row.budget): row for row in results.few if row.method == s.DESIGNED}
    wanted: tuple[tuple[str, int, str, dict[str, float]], ...] = (
        ("LLMJudge ≥ 2", 200, "mae", {"most": 0.035}),
        ("LLMJudge ≥ 2", 200, "coverage", {"least": 0.93}),
        ("two engines 12/12", 100, "mae", {"most": 0.05}),
        ("two engines 12/12", 100, "coverage", {"least": 0.93}),
        ("two engines 12/12", 100, "tau", {"least": 0.80}),
    )
    return [
        Bar(
            f"{name}, {budget} labels: {_called(what)} of micro F1",
            float(getattr(found[name, budget], what)),
            **limit,
        )
        for name, budget, what, limit in wanted
        if (name, budget) in found
    ]


def _called(what: str) -> str:
    return {"mae": "MAE", "tau": "τ"}.get(what, what)


def few(rows: Sequence[Row]) -> list[str]:
    """Write τ / MAE / coverage by set, labels and way of estimating."""
    lines = head("set, labels", *COLUMNS)
    for name, budget in dict.fromkeys((row.set, row.budget) for row in rows):
        here = {row.method: row for row in rows if (row.set, row.budget) == (name, budget)}
        lines.append(line(f"{name}, {budget}", [three(here.get(way)) for way in COLUMNS]))
    return lines


def errors(rows: Sequence[Row]) -> list[str]:
    """Say how sure the table itself is."""
    if not rows:
        return []
    widest = max(row.coverage_error or 0.0 for row in rows if row.method == s.DESIGNED)
    draws = sorted({row.draws for row in rows})
    binomial = np.sqrt(0.95 * 0.05 / draws[0])
    return [
        f"{' or '.join(map(str, draws))} draws each. Systems of a draw err together, so the "
        f"standard error of coverage is that of the mean over draws: at most {number(widest)} in "
        f"the column “{s.DESIGNED}” (a binomial share of as many draws: {number(binomial)})."
    ]


def three(row: Row | None) -> str:
    """Write τ / MAE / coverage."""
    if row is None:
        return "–"
    figures = [row.tau, row.mae] + ([] if row.coverage is None else [row.coverage])
    return " / ".join(number(value, 3 if at == 1 else 2) for at, value in enumerate(figures))


def curve(rows: Sequence[Row], name: str) -> list[str]:
    """Write how figures grow with labels, on one set."""
    here = [row for row in rows if row.set == name]
    guess = next((row for row in here if row.method == s.GUESS), None)
    budgets = sorted({row.budget for row in here if row.budget})
    lines = head("way", *(f"{budget}" for budget in budgets))
    for way in WAYS:
        by = {row.budget: row for row in here if row.method == way}
        lines.append(line(way, [_four(by.get(budget)) for budget in budgets]))
    if guess is not None:
        lines += ["", f"Without labels, the guess alone: {_four(guess)}."]
    return lines


def _four(row: Row | None) -> str:
    return "–" if row is None else f"{three(row)}, r {number(row.regret, 3)}"


def needed(rows: Sequence[Row], goals: Iterable[tuple[str, float, bool]] = GOALS) -> list[str]:
    """Write how many labels each way needs to reach a goal, and how many times fewer that is."""
    lines = head("set, goal", *WAYS)
    for name in dict.fromkeys(row.set for row in rows):
        for what, goal, more in goals:
            cells = reached(rows, name, what, goal, more=more)
            asked = f"{name}, {SIGNS[what]} {number(goal, 2)}"
            lines.append(line(asked, [cells[way] for way in WAYS]))
    return lines


def reached(
    rows: Sequence[Row], name: str, what: str, goal: float, *, more: bool
) -> dict[str, str]:
    """Give labels needed by way; in brackets, uniform labels alone ÷ this, or the best reached."""
    found: dict[str, str] = {}
    base: float | None = None
    for way in WAYS:
        here = sorted(
            (row for row in rows if (row.set, row.method) == (name, way)),
            key=lambda row: row.budget,
        )
        if not here:
            found[way] = "–"
            continue
        most = here[-1].budget
        labels = labels_for(here, what, goal, more=more)
        if way == s.EVEN_ALONE:
            base = labels if labels is not None else None
        if labels is None:
            best = (max if more else min)(getattr(row, what) for row in here)
            found[way] = f"– ({number(best)})"
        elif way == s.EVEN_ALONE:
            found[way] = f"{labels:.0f}"
        else:
            times = f"{base / labels:.1f}" if base is not None else f"> {most / labels:.1f}"
            found[way] = f"{labels:.0f} ({times}×)"
    return found


def labels_for(here: Sequence[Row], what: str, goal: float, *, more: bool) -> float | None:
    """Give the labels at which a figure reaches its goal, between two budgets on a log scale.

    A goal counts as reached where no larger budget falls behind it again; None: never.
    """
    sign = 1.0 if more else -1.0
    short = [sign * (getattr(row, what) - goal) for row in here]
    behind = [at for at, value in enumerate(short) if value < 0]
    if not behind:
        return float(here[0].budget)
    last = behind[-1]
    if last == len(here) - 1:
        return None
    share = -short[last] / (short[last + 1] - short[last])
    low, high = np.log([here[last].budget, here[last + 1].budget])
    return float(np.exp(low + share * (high - low)))


def forecasts(rows: Sequence[Row]) -> list[str]:
    """Write expected and stated standard errors over the errors that were made (1: right)."""
    ways = (s.DESIGNED, s.ROUNDS, s.EVEN)
    heads = [f"{way}: {what}" for way in ways for what in ("expected", "stated")]
    lines = head("set, labels", *heads)
    for name, budget in dict.fromkeys((row.set, row.budget) for row in rows if row.budget):
        cells = []
        for way in ways:
            row = next(r for r in rows if (r.set, r.budget, r.method) == (name, budget, way))
            cells += [_ratio(row.expected, row.rmse), _ratio(row.standard_error, row.rmse)]
        lines.append(line(f"{name}, {budget}", cells))
    return lines


def _ratio(said: float | None, made: float) -> str:
    return "–" if said is None else f"{said / made:.2f}"


def stops(rows: Sequence[Stops]) -> list[str]:
    """Write when the rule stopped, and how often the system it stopped for was not near enough."""
    lines = head(
        "set, δ", "stopped", "wrong", "labels at the stop (quartiles)", "labels at most", "regret"
    )
    for one in rows:
        wrong = "–" if not one.settled else f"{one.wrong} of {one.settled}"
        quartiles = " / ".join("–" if x is None else f"{x:.0f}" for x in one.labels)
        cells = [f"{one.settled} of {one.draws}", wrong, quartiles, f"{one.most:,}"]
        regret = "–" if one.regret is None else number(one.regret)
        lines.append(line(f"{one.set}, {one.delta:g}", [*cells, regret]))
    return lines


def macro(rows: Sequence[Row]) -> list[str]:
    """Write bias, MAE and coverage of scores that average over queries, beside micro ones."""
    lines = head("set, labels, score", *_sides("drawn for the score"), *_sides("drawn for F1"))
    keys = dict.fromkeys((row.set, row.budget, row.measure) for row in rows)
    for name, budget, measure in sorted(keys, key=lambda key: (key[0], key[1])):
        cells: list[str] = []
        for drawn_for in (measure, F1):
            cells += next(
                [f"{row.bias:+.3f}", number(row.mae), number(row.coverage or 0.0, 2)]
                for row in rows
                if (row.set, row.budget, row.measure) == (name, budget, measure)
                and row.drawn_for == drawn_for
            )
        lines.append(line(f"{name}, {budget}, {measure}", cells))
    return lines


def _sides(what: str) -> list[str]:
    return [f"{figure}, {what}" for figure in ("bias", "MAE", "coverage")]


def sections(results: Results) -> list[tuple[str, list[str]]]:
    """Give every part of the page, each with its heading."""
    parts: list[tuple[str, Callable[[], list[str]], Sequence[Any]]] = [
        (
            "Few labels: micro F1, τ / MAE / coverage of the 95 % interval",
            lambda: [*few(results.few), "", *errors(results.few)],
            results.few,
        ),
        (
            "Labels needed (in brackets: how many times fewer than uniform labels alone; "
            "– not reached: the best)",
            lambda: needed(results.curves),
            results.curves,
        ),
        (
            "Forecasts: standard errors expected before labelling, and stated after it, over the "
            "errors made",
            lambda: forecasts(results.curves),
            results.curves,
        ),
        ("When to stop (95 %)", lambda: stops(results.stops), results.stops),
        (
            "Scores that average over queries, and micro ones",
            lambda: macro(results.macro),
            results.macro,
        ),
    ]
    made = [(head, lines()) for head, lines, rows in parts if rows]
    for name in dict.fromkeys(row.set for row in results.curves):
        head = f"{name}: τ / MAE / coverage, r: regret, by labels"
        made.append((head, curve(results.curves, name)))
    return made


def number(value: float, digits: int = 3) -> str:
    """Write a share as .95, and 1.00 in full."""
    text = f"{value:.{digits}f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def head(first: str, *names: str) -> list[str]:
    """Begin a table."""
    return [line(first, names), "|---|" + "--:|" * len(names)]


def line(first: str, cells: Iterable[str]) -> str:
    """Write a row of a table."""
    return f"| {first} | {' | '.join(cells)} |"
