"""What is tried: few labels, labels needed, when to stop, scores that average over queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.labels.draws import (
    Labelled,
    Outcome,
    corrected,
    judged_only,
    labels_only,
    plain,
    pool,
    rounds,
    shrunk,
    unjudged_wrong,
)
from bench.labels.figures import Row, Tally
from bench.labels.hidden import F1, Hidden, exact
from bench.labels.once import once
from consilience.belief.prediction import predict
from consilience.verdict.stop import stop_rule

#: Labels that are bought: in the table of few labels; in the curves, each in one go or as rounds.
FEW = (50, 100, 200, 500)
CURVE = (25, 50, 100, 200, 400, 800)
#: Labels after which one looks whether to stop.
LOOKS = (50, 100, 200, 400, 800, 1600, 3200)
DELTAS = (0.02, 0.05, 0.1)
MACRO = ("P", "R", "F1", "P(average=micro)", "R(average=micro)", F1)

GUESS = "no labels: the guess"
EVEN_ALONE, EVEN = "uniform, labels only", "uniform, guess corrected"
DESIGNED_ALONE, DESIGNED = "designed, labels only", "designed, guess corrected"
SHRUNK = "designed, shrunk"
ROUNDS, ROUNDS_SHRUNK = "rounds, guess corrected", "rounds, shrunk"
POOL, CONDENSED = "pool, unjudged not relevant", "pool, judged items only"


class _Tallies(dict[tuple[Any, ...], Tally]):
    """Tallies by what they are about."""

    def __missing__(self, key: tuple[Any, ...]) -> Tally:
        self[key] = Tally()
        return self[key]

    def rows(self, name: str) -> Iterator[Row]:
        """Average them all."""
        for (measure, method, budget, *drawn_for), tally in self.items():
            yield tally.row(name, measure, method, budget, *drawn_for)


def few(sets: Iterable[Hidden], draws: int) -> Iterator[Row]:
    """Estimate from labels of one round: drawn by design or evenly, with the guess or without."""
    tallies, name = _Tallies(), ""
    for one, seed in _draws(sets, draws):
        name, measure = one.name, one.measure
        true = one.true(measure)
        for budget in FEW:
            for evenly in (True, False):
                told = next(rounds(one, measure, [budget], seed=seed, evenly=evenly))
                alone = labels_only(one, told, measure)
                found = corrected(told, [measure], seed=seed)
                names = (EVEN_ALONE, EVEN) if evenly else (DESIGNED_ALONE, DESIGNED)
                tallies[measure, names[0], budget].add(alone, true)
                tallies[measure, names[1], budget].add(plain(told, found, measure), true)
                if not evenly:
                    tallies[measure, SHRUNK, budget].add(shrunk(told, found, measure), true)
    return tallies.rows(name)


def curves(sets: Iterable[Hidden], draws: int) -> Iterator[Row]:
    """Let labels grow: drawn by design at once or in rounds, drawn evenly, pooled."""
    tallies, name = _Tallies(), ""
    for one, seed in _draws(sets, draws):
        name, measure = one.name, one.measure
        true = one.true(measure)
        budgets = [budget for budget in CURVE if budget < len(one.truth) / 2]
        guess = Outcome(0, exact(one.table(measure), measure, predict(one.study).p))
        tallies[measure, GUESS, 0].add(guess, true)
        steps = rounds(one, measure, _steps(budgets), seed=seed)
        for told, budget in zip(steps, budgets, strict=True):
            found = corrected(told, [measure], seed=seed)
            tallies[measure, ROUNDS, budget].add(plain(told, found, measure), true)
            tallies[measure, ROUNDS_SHRUNK, budget].add(shrunk(told, found, measure), true)
        for budget in budgets:
            for method, outcome in _at_once(one, budget, seed):
                tallies[measure, method, budget].add(outcome, true)
    return tallies.rows(name)


def _at_once(one: Hidden, budget: int, seed: int) -> Iterator[tuple[str, Outcome]]:
    """Spend a budget in one go, in every way."""
    measure = one.measure
    for evenly in (False, True):
        told = next(rounds(one, measure, [budget], seed=seed, evenly=evenly))
        found = corrected(told, [measure], seed=seed)
        yield (EVEN if evenly else DESIGNED), plain(told, found, measure)
        if evenly:
            yield EVEN_ALONE, labels_only(one, told, measure)
        else:
            yield SHRUNK, shrunk(told, found, measure)
    held = pool(one, budget, seed=seed)
    yield POOL, unjudged_wrong(one, held, measure)
    yield CONDENSED, judged_only(one, held, measure)


def macro(sets: Iterable[Hidden], draws: int) -> Iterator[Row]:
    """Estimate scores that average over queries, beside those that add queries up.

    Labels are drawn for the score itself, and for micro F1.
    """
    tallies, name = _Tallies(), ""
    for one, seed in _draws(sets, draws):
        name = one.name
        true = {measure: one.true(measure) for measure in MACRO}
        for budget in (200, 500):
            for drawn_for in MACRO:
                told = next(rounds(one, drawn_for, [budget], seed=seed))
                read = MACRO if drawn_for == F1 else (drawn_for,)
                found = corrected(told, read, seed=seed)
                for measure in read:
                    outcome = plain(told, found, measure)
                    tallies[measure, DESIGNED, budget, drawn_for].add(outcome, true[measure])
    return tallies.rows(name)


@dataclass(frozen=True)
class Stops:
    """What came of stopping as soon as the rule says so.

    ``settled`` counts the draws that stopped before labels ran out; ``wrong`` those of them whose
    first system was worse than the best by more than δ; ``labels`` are the quartiles of labels at
    the stop (of all draws; None: not within the budget).
    """

    set: str
    measure: str
    delta: float
    draws: int
    settled: int
    wrong: int
    labels: tuple[float | None, float | None, float | None]
    most: int
    regret: float | None


def stops(sets: Iterable[Hidden], draws: int) -> Iterator[Stops]:
    """Label round by round until the rule says stop, many times."""
    ended: dict[float, list[tuple[float, float]]] = {delta: [] for delta in DELTAS}
    name, measure, most = "", "", 0
    for one, seed in _draws(sets, draws):
        name, measure = one.name, one.measure
        budgets = [budget for budget in LOOKS if budget < len(one.truth) / 2]
        most = budgets[-1]
        true = one.true(measure)
        going = set(DELTAS)
        for told in rounds(one, measure, _steps(budgets), seed=seed):
            for delta, lacks in _settled(one, told, going, true, seed):
                ended[delta].append((told.labels, lacks))
                going.discard(delta)
            if not going:
                break
        for delta in going:
            ended[delta].append((np.inf, np.nan))
    for delta, found in ended.items():
        yield _stops(name, measure, delta, most, np.array(found))


def _settled(
    one: Hidden, told: Labelled, going: set[float], true: Any, seed: int
) -> list[tuple[float, float]]:
    """Tell for which δ it is settled now, and what the first system lacks to the best."""
    found = corrected(told, [one.measure], seed=seed)
    result = []
    for delta in sorted(going):
        rule = stop_rule(found, one.study.systems, delta=delta, seed=seed)
        if rule.settled and rule.first is not None:
            first = true[one.study.systems.index(rule.first)]
            result.append((delta, float(true.max() - first)))
    return result


def _stops(name: str, measure: str, delta: float, most: int, found: Any) -> Stops:
    labels, lacks = found.T
    ended = np.isfinite(labels)
    quartiles = [float(x) for x in np.quantile(labels, (0.25, 0.5, 0.75), method="nearest")]
    shown = [x if np.isfinite(x) else None for x in quartiles]
    return Stops(
        name,
        measure,
        delta,
        len(labels),
        int(ended.sum()),
        int((lacks[ended] > delta).sum()),
        (shown[0], shown[1], shown[2]),
        most,
        float(lacks[ended].mean()) if ended.any() else None,
    )


def _steps(budgets: Sequence[int]) -> list[int]:
    """Give what each round adds."""
    return [int(step) for step in np.diff([0, *budgets])]


def _draws(sets: Iterable[Hidden], draws: int) -> Iterator[tuple[Hidden, int]]:
    """Give every study of a set, as often as draws are shared out among them, with a seed each."""
    studies = list(sets)
    for one in studies:
        with once():
            for number in range(max(1, draws // len(studies))):
                yield one, 1000 * one.seed + number
