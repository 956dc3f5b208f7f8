"""Intervals from labels that were drawn by design: these queries, and queries like these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

import consilience as cs
from bench.coverage.trials import Case, Simulation, Trials
from consilience.measures.names import parse
from consilience.study.model import Answers
from consilience.verdict.design import draw, even, frame, probabilities

#: What labels are drawn for, and by which systems are compared.
GOAL = "F1(average=micro)"
MEASURES = (GOAL, "P(average=micro)", "R(average=micro)", "F1", "P", "R")
SYSTEMS, QUERIES, ITEMS = 6, 15, 60
#: Designs: how many labels in how many rounds, and whether evenly.
DESIGNS = {
    "100 labels": (100, 1, False),
    "100 labels, 2 rounds": (100, 2, False),
    "200 labels, 4 rounds": (200, 4, False),
    "200 labels, evenly": (200, 1, True),
}
#: How often they are drawn in tests.
_FEW = {"100 labels": 30, "100 labels, 2 rounds": 15, "200 labels, evenly": 20}
#: How many queries are drawn, with six labels each.
CLUSTERS = (15, 40)

_RATIOS = (
    "a mean of ratios: what each query's recall is divided by is itself estimated, from few labels"
)

Rows = dict[str, list[tuple[int, float, tuple[float, float] | None, float]]]
Lists = dict[str, dict[str, list[str]]]


def simulated(rng: np.random.Generator, queries: int) -> tuple[cs.Study, NDArray[np.float64]]:
    """Make systems of two engines, and the truth of every item that some system returned."""
    return as_study(*returned(rng, queries))


def returned(rng: np.random.Generator, queries: int) -> tuple[Lists, NDArray[np.bool_]]:
    """Make what systems of two engines return, and the truth of every item of every query."""
    share = rng.beta(2, 8, (queries, 1))
    truth = rng.random((queries, ITEMS)) < share
    loses, invents = np.array([0.2, 0.45]), np.array([0.03, 0.12])
    engine = np.arange(SYSTEMS) % 2
    wrong = rng.random((2, queries, ITEMS))
    read = np.where(truth, wrong > loses[:, None, None], wrong < invents[:, None, None])
    noise = rng.random((SYSTEMS, queries, ITEMS)) < np.linspace(0.05, 0.3, SYSTEMS)[:, None, None]
    more = rng.random((SYSTEMS, queries, ITEMS)) < 0.02
    found = (read[engine] & ~noise) | more
    names = [f"i{item:02}" for item in range(ITEMS)]
    lists: Lists = {
        f"s{system}": {
            f"q{query:05}": [names[item] for item in np.flatnonzero(found[system, query])]
            for query in range(queries)
        }
        for system in range(SYSTEMS)
    }
    return lists, truth


def as_study(lists: Lists, truth: NDArray[np.bool_]) -> tuple[cs.Study, NDArray[np.float64]]:
    """Give the study of some systems, and the truth of its items."""
    known = next(one["q00000"][0] for one in lists.values() if one["q00000"])
    study = cs.study(lists, truth={"q00000": {known: 1}})
    every = np.arange(len(study.items))
    query = np.array([int(name[1:]) for name in study.queries])[study.items.query(every)]
    item = np.array([int(name[1:]) for name in study.items.names(every)])
    return study, truth[query, item].astype(np.float64)


def told(
    study: cs.Study,
    truth: NDArray[np.float64],
    item: NDArray[np.int64],
    probability: NDArray[np.float64],
    turn: NDArray[np.int64],
) -> cs.Study:
    """Give a study with the labels of some items."""
    order = np.argsort(item)
    query = study.items.query(item[order])
    queries, first = np.unique(query, return_index=True)
    code = study.respondents.of_kind("gold")[0]
    labels = Answers(
        np.full(len(queries), code, np.int32),
        queries.astype(np.int32),
        np.append(first, len(item)).astype(np.int64),
        item[order].astype(np.int32),
        vote=truth[item[order]],
        probability=probability[order],
        round=turn[order],
    )
    return replace(study, evidence=labels)


def labelled(
    study: cs.Study,
    truth: NDArray[np.float64],
    budget: int,
    rounds: int,
    *,
    evenly: bool,
    seed: int,
) -> cs.Study:
    """Draw labels in one round or several."""
    nothing = np.zeros(0, np.int64)
    item, probability, turn = nothing, np.zeros(0), nothing
    seen = told(study, truth, item, probability, turn)
    for _ in range(rounds):
        known = frame(seen, parse(GOAL), seed=seed)
        pi = (even if evenly else probabilities)(known, budget / rounds)
        drawn = draw(known, pi, seed=seed)
        item = np.concatenate([item, drawn.item])
        probability = np.concatenate([probability, drawn.probability])
        turn = np.concatenate([turn, np.full(len(drawn.item), drawn.round)])
        seen = told(study, truth, item, probability, turn)
    return seen


def true_scores(study: cs.Study, truth: NDArray[np.float64]) -> dict[str, list[float]]:
    """Score with the truth of every item."""
    ones = np.ones(len(truth), np.int64)
    whole = told(study, truth, np.arange(len(truth)), np.full(len(truth), np.nan), ones)
    whole = replace(whole, evidence=replace(whole.evidence, probability=None, round=None))
    scores = cs.score(whole, measures=MEASURES)
    return {name: [scores[s][name].value for s in scores.systems] for name in MEASURES}


def add(rows: Rows, run: int, verdict: cs.Verdict, true: dict[str, list[float]]) -> None:
    """Put the intervals of all scores, and of all differences by F1, beside the truth."""
    place = {system: number for number, system in enumerate(verdict.scores.systems)}
    for one in verdict.standings:
        for name in MEASURES:
            row = (run, one.scores[name].value, one.intervals[name], true[name][place[one.name]])
            rows.setdefault(name, []).append(row)
    for pair in verdict.pairs:
        gap = true[GOAL][place[pair.a]] - true[GOAL][place[pair.b]]
        rows.setdefault("difference", []).append((run, pair.difference, pair.interval, gap))


def by_design(name: str) -> Callable[[int, int], dict[str, Trials]]:
    """Draw labels again and again from the same items; every ten runs others."""
    budget, rounds, evenly = DESIGNS[name]

    def simulate(runs: int, seed: int) -> dict[str, Trials]:
        rows: Rows = {}
        for run in range(runs):
            if run % 10 == 0:
                rng = np.random.default_rng([seed, run])
                study, truth = simulated(rng, QUERIES)
                true = true_scores(study, truth)
            seen = labelled(study, truth, budget, rounds, evenly=evenly, seed=1000 * seed + run)
            add(rows, run, cs.rank(seen, measures=MEASURES, seed=run), true)
        return {measure: Trials.of(some) for measure, some in rows.items()}

    return simulate


def clustered(queries: int) -> Callable[[int, int], dict[str, Trials]]:
    """Draw queries as well; the truth is that over very many of them."""

    def simulate(runs: int, seed: int) -> dict[str, Trials]:
        true = true_scores(
            *simulated(np.random.default_rng([seed, 10**6]), 4000 if runs > 100 else 800)
        )
        rows: Rows = {}
        for run in range(runs):
            study, truth = simulated(np.random.default_rng([seed, queries, run]), queries)
            seen = labelled(study, truth, 6 * queries, 1, evenly=False, seed=1000 * seed + run)
            add(rows, run, cs.rank(seen, measures=MEASURES, unit="queries", seed=run), true)
        return {measure: Trials.of(some) for measure, some in rows.items()}

    return simulate


def cases(kind: str, unit: str) -> dict[str, Case]:
    made = {
        name: Case(kind, _short(name), unit, narrow=_RATIOS if name == "R" else None)
        for name in MEASURES
    }
    return made | {"difference": Case(kind, "difference by F1, micro", unit)}


def _short(name: str) -> str:
    return f"{name.partition('(')[0]}, {'micro' if 'micro' in name else 'macro'}"


SIMULATIONS = (
    *(
        Simulation(
            name,
            by_design(name),
            cases(
                f"{name} drawn by design" if not DESIGNS[name][2] else "200 labels drawn evenly",
                "labels",
            ),
            runs=600 if DESIGNS[name][1] == 1 else 300,
            few=_FEW.get(name, 0),
        )
        for name in DESIGNS
    ),
    *(
        Simulation(
            f"{queries} queries",
            clustered(queries),
            cases(f"labels drawn by design, {queries} queries", "queries and labels"),
            runs=600,
            few=20 if queries == 15 else 0,
        )
        for queries in CLUSTERS
    ),
)
