"""The figures of ``runs``."""

from __future__ import annotations

from typing import Any

from consilience.experiments.reproduced import Axis, Figure
from consilience.experiments.runs import figures as of
from consilience.experiments.runs.labels import POOL
from consilience.experiments.runs.measured import ALL


def figures(field: of.Field, found: of.Results) -> tuple[Figure, ...]:
    """Give all figures, what matters most first."""
    return (_scatter(field), _yardsticks(field, found), _methods(found), _labels(found))


def _scatter(field: of.Field) -> Figure:
    ap, agreed = field.truth("AP"), field.agreed(ALL)
    best, popular = {*of.first(ap)}, {*of.first(agreed)}
    names = {
        (True, True): "among the first ten of both",
        (True, False): "first ten by judgments only",
        (False, True): "first ten by consensus only",
        (False, False): "other runs",
    }
    rows: list[dict[str, Any]] = [
        {
            "run": name,
            "truth": float(ap[at]),
            "agreed": float(agreed[at]),
            "which": names[at in best, at in popular],
        }
        for at, name in enumerate(field.runs)
    ]
    order = list(names.values())
    rows.sort(key=lambda row: order.index(row["which"]))
    return Figure(
        "scatter",
        "Every run by judgments and by consensus",
        "Dots, one for each run: average precision by judgments, and by consensus.",
        tuple(rows),
        Axis("truth", "AP by judgments"),
        Axis("agreed", "AP by consensus"),
        "dot",
        series="which",
    )


def _yardsticks(field: of.Field, found: of.Results) -> Figure:
    groups = (f"all {len(field.runs)} runs", f"the {len(field.best_third)} with the highest AP")
    rows: list[dict[str, Any]] = [
        {"pair": name, "runs": which, "tau": tau}
        for name, *taus in found.yardsticks
        for which, tau in zip(groups, taus, strict=True)
    ]
    return Figure(
        "yardsticks",
        "How far rankings agree: all runs, and the best third",
        "Bars: Kendall's τ of pairs of rankings, over all runs and over those with the highest AP.",
        tuple(rows),
        Axis("tau", "τ_b", _ends(rows)),
        Axis("pair", "", names=tuple(name for name, *_ in found.yardsticks)),
        "bar",
        series="runs",
    )


def _methods(found: of.Results) -> Figure:
    rows: list[dict[str, Any]] = []
    for over, several in found.compared.items():
        for one in sorted(several, key=lambda one: -one.figures["tau_b"]):
            row = {"panel": over, "method": one.method, "tau": one.figures["tau_b"]}
            ends = one.intervals["tau_b"]
            rows.append(row if ends is None else row | {"low": ends[0], "high": ends[1]})
    return Figure(
        "methods",
        "τ with judgments, by method without judgments",
        "Bars: Kendall's τ between each method's ranking and the ranking by judgments, with 95% "
        "intervals over topics.",
        tuple(rows),
        Axis("tau", "τ_b", _ends(rows)),
        Axis("method", "", names=tuple(dict.fromkeys(row["method"] for row in rows))),
        "bar",
        panel="panel",
    )


def _ends(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """End an axis of τ at 0, or below where something is."""
    return min(0.0, *(row.get("low", row["tau"]) for row in rows)), 1.0


def _labels(found: of.Results) -> Figure:
    drawn = [one for one in found.bought if one.way != POOL]
    budgets = list(dict.fromkeys(one.budget for one in drawn))
    rows: list[dict[str, Any]] = [
        {
            "way": one.way,
            "labels": f"{one.budget:,}",
            "tau": one.tau,
            "low": one.ends[0],
            "high": one.ends[1],
        }
        for one in drawn
    ]
    rows += [
        {"way": "no labels: consensus", "labels": f"{one:,}", "tau": found.unlabelled[0]}
        for one in budgets
    ]
    return Figure(
        "labels",
        "τ with P@10 by all labels, by number of labels",
        "Lines: Kendall's τ between P@10 estimated from few labels and P@10 by all of them, means "
        "over draws with the lowest and highest; a level line for consensus without labels.",
        tuple(rows),
        Axis("labels", "labels", names=tuple(f"{one:,}" for one in budgets)),
        Axis("tau", "τ_b"),
        "line",
        series="way",
    )
