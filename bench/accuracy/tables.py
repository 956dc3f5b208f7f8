"""The results in tables: everything, and a summary of one figure for each method and set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bench.accuracy.crowds import Labelled
from bench.accuracy.simulated import Simulated
from bench.accuracy.trials import METHODS, Coverage, LeftOut, Trial
from bench.bars import Bar


@dataclass
class Results:
    """Everything that was found; ``about`` describes the sets, ``missing`` names absent ones."""

    about: dict[str, str] = field(default_factory=dict)
    trials: list[Trial] = field(default_factory=list)
    labelled: list[Labelled] = field(default_factory=list)
    simulated: list[Simulated] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    coverage: list[Coverage] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)


def bars(results: Results) -> list[Bar]:
    """Say what must hold: τ on TREC-COVID, with the defaults and as in the papers."""
    wanted = (
        ("ls-eb", "nDCG", None, "the defaults (ls-eb, nDCG, all answers)"),
        ("consensus", "P@10", 10, "consensus at depth 10, P@10"),
    )
    return [
        Bar(f"TREC-COVID: τ with MAP, {called}", one.tau or float("nan"), least=0.77)
        for method, measure, depth, called in wanted
        for one in results.trials
        if (one.set, one.truth) == ("TREC-COVID", "AP")
        if (one.method, one.measure, one.depth) == (method, measure, depth)
    ]


def main_trials(results: Results) -> dict[str, dict[str, Trial]]:
    """Give one trial for each set and method: the main measure against the main truth, all answers.

    The simulated mixes are averaged over their draws.
    """
    table: dict[str, dict[str, Trial]] = {}
    for one in results.trials:
        first = table.setdefault(one.set, {}).get(one.method)
        if first is None and one.depth is None:
            table[one.set][one.method] = one
    for mix in dict.fromkeys(one.mix for one in results.simulated):
        for method in METHODS:
            here = [x for x in results.simulated if (x.mix, x.method) == (mix, method)]
            why = next((x.why for x in here if x.why), None)
            means = {
                name: _mean(getattr(x, name) for x in here) for name in ("tau", "mae", "regret")
            }
            table.setdefault(f"simulated, {mix}", {})[method] = Trial(
                f"simulated, {mix}", "F1", method, "F1", None, 0, **means, why=why
            )
    return table


def summary(results: Results) -> list[str]:
    """Write the main table: τ by set and method, then mean and worst case."""
    table = main_trials(results)
    lines = [_head("set", METHODS), _rule(len(METHODS))]
    for name, row in table.items():
        known = [one.tau for one in row.values() if one.tau is not None and one.method in METHODS]
        best = max(known, default=None)
        cells = [_tau(row.get(method), best) for method in METHODS]
        if known:
            lines.append(_line(name, cells))
    for called, pick in (("real sets", "real"), ("simulated", "simulated")):
        sets = [name for name in table if name.startswith("simulated") == (pick == "simulated")]
        sets = [name for name in sets if any(m in table[name] for m in METHODS)]
        if not sets:
            continue
        for what, reduce in (("mean", np.mean), ("worst", np.min)):
            cells = [_reduced(table, sets, method, "tau", reduce) for method in METHODS]
            lines.append(_line(f"**{what} τ, {called}**", cells))
        cells = [_reduced(table, sets, method, "regret", np.mean) for method in METHODS]
        lines.append(_line(f"mean regret, {called}", cells))
        cells = [_reduced(table, sets, method, "regret", np.max) for method in METHODS]
        lines.append(_line(f"worst regret, {called}", cells))
        cells = [_reduced(table, sets, method, "mae", np.mean) for method in METHODS]
        lines.append(_line(f"mean MAE, {called}", cells))
    return lines


def _reduced(
    table: dict[str, dict[str, Trial]],
    sets: Sequence[str],
    method: str,
    what: str,
    reduce: Callable[[Any], Any],
) -> str:
    found = [getattr(table[name][method], what) for name in sets if method in table[name]]
    known = [value for value in found if value is not None]
    if not known:
        return "–"
    tried = sum(any(getattr(x, what) is not None for x in table[name].values()) for name in sets)
    note = "" if len(known) == tried else f" ({len(known)} of {tried} sets)"
    return f"{reduce(known):.3f}{note}"


def ranked(results: Results, name: str) -> list[str]:
    """Write τ of one set by depth and measure, against each truth."""
    here = [one for one in results.trials if one.set == name]
    depths = list(dict.fromkeys(one.depth for one in here))
    methods = list(dict.fromkeys(one.method for one in here))
    lines = [_head("truth, depth, measure", methods), _rule(len(methods))]
    for truth in dict.fromkeys(one.truth for one in here):
        for depth in depths:
            for measure in dict.fromkeys(one.measure for one in here):
                row = {
                    one.method: one
                    for one in here
                    if (one.truth, one.depth, one.measure) == (truth, depth, measure)
                }
                best = max((x.tau for x in row.values() if x.tau is not None), default=None)
                called = f"{truth}, {'all' if depth is None else depth}, {measure}"
                lines.append(_line(called, [_whole(row.get(method), best) for method in methods]))
    return lines


def _whole(one: Trial | None, best: float | None) -> str:
    """Write τ, with regret and error behind it."""
    if one is None or one.tau is None:
        return _tau(one, best)
    error = "" if one.mae is None else f", e {one.mae:.3f}"
    return f"{_tau(one, best)} (r {one.regret:.3f}{error})"


def crowds(results: Results) -> list[str]:
    """Write which share of tasks each method labels as gold does."""
    sets = list(dict.fromkeys(one.set for one in results.labelled))
    methods = list(dict.fromkeys(one.method for one in results.labelled))
    found = {(one.set, one.method): one for one in results.labelled}
    lines = [_head("set", methods), _rule(len(methods))] if sets else []
    for name in sets:
        row = [found.get((name, method)) for method in methods]
        lines.append(_line(name, ["–" if one is None else _number(one.accuracy) for one in row]))
    return lines


def phases(results: Results) -> list[str]:
    """Write what methods make of pipelines that share engines, averaged over draws."""
    lines = [
        "| mix | method | τ overall | τ within engines | F1 good (true) | F1 bad (true) | phase "
        "| MAE | regret |",
        "|---|---|--:|--:|--:|--:|---|--:|--:|",
    ]
    mixes = list(dict.fromkeys(one.mix for one in results.simulated))
    for mix in mixes:
        for method in METHODS:
            here = [x for x in results.simulated if (x.mix, x.method) == (mix, method)]
            why = next((x.why for x in here if x.why), None)
            if why:
                lines.append(f"| {mix} | {method} | {_short(why)} |  |  |  |  |  |  |")
                continue
            right = sum((x.good or 0) > (x.bad or 0) for x in here)
            m = {
                name: _number(_mean(getattr(x, name) for x in here))
                for name in (
                    *("tau", "inside", "good", "true_good", "bad", "true_bad", "mae", "regret"),
                )
            }
            phase = (
                f"right in {right}" if right == len(here) else f"opposite in {len(here) - right}"
            )
            lines.append(
                f"| {mix} | {method} | {m['tau']} | {m['inside']} | {m['good']} ({m['true_good']})"
                f" | {m['bad']} ({m['true_bad']}) | {phase} of {len(here)} | {m['mae']}"
                f" | {m['regret']} |"
            )
    return lines if mixes else []


def own_votes(results: Results) -> list[str]:
    """Write τ with the own vote and without."""
    lines = ["| set | method | measure | own vote included | left out |", "|---|---|---|--:|--:|"]
    return (lines if results.left_out else []) + [
        f"| {x.set} | {x.method} | {x.measure} | {x.included:.3f} | {x.left_out:.3f} |"
        for x in results.left_out
    ]


def covered(results: Results) -> list[str]:
    """Write which share of true figures lies inside what is shown."""
    lines = ["| set | measure | range | covers | mean width |", "|---|---|---|--:|--:|"]
    return (lines if results.coverage else []) + [
        f"| {x.set} | {x.measure} | {x.range} | {x.covered:.0%} | {x.width:.3f} |"
        for x in results.coverage
    ]


def failures(results: Results) -> list[str]:
    """List what gave nothing, and why."""
    found: dict[tuple[str, str], None] = {}
    for one in results.trials:
        if one.why:
            found[f"{one.set}: {one.method}", one.why] = None
    for draw in results.simulated:
        if draw.why:
            found[f"{draw.mix}: {draw.method}", draw.why] = None
    for label in results.labelled:
        if label.why:
            found[f"{label.set}: {label.method}", label.why] = None
    return [f"- {name}: {why}" for name, why in found]


def _tau(one: Trial | None, best: float | None) -> str:
    if one is None:
        return "–"
    if one.tau is None:
        return "constant" if one.why is None else "✗"
    text = f"{one.tau:.3f}"
    return f"**{text}**" if best is not None and one.tau >= best - 5e-4 else text


def _short(why: str) -> str:
    return f"✗ {why.partition('(')[0].strip()}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _head(first: str, names: Sequence[str]) -> str:
    return _line(first, names)


def _rule(columns: int) -> str:
    return "|---|" + "--:|" * columns


def _line(first: str, cells: Sequence[str]) -> str:
    return f"| {first} | {' | '.join(cells)} |"
