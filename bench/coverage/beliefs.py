"""Intervals of an uncertain truth: which items are relevant, given a belief that is right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import consilience as cs
from bench.coverage.trials import LEVEL, Case, Simulation, Trials

SYSTEMS, ITEMS, TRUTHS = 3, 12, 20
MEASURES = ("P", "R", "F1", "AP", "P@5", "F1(average=micro)")
#: What distributions call the same.
NAMES = {"P": "precision", "R": "recall", "F1": "f1", "AP": "ap"}

Rows = dict[str, list[tuple[int, float, tuple[float, float] | None, float]]]


def believed(rng: np.random.Generator, queries: int) -> tuple[cs.Study, NDArray[np.float64]]:
    """Make ranked lists and a probability for every item; one item of each query is sure."""
    p = rng.beta(0.6, 1.2, (queries, ITEMS)).round(3)
    p[:, 0] = 1.0
    names = [f"i{item:02}" for item in range(ITEMS)]
    asked = [f"q{query}" for query in range(queries)]
    lists = {}
    for system in range(SYSTEMS):
        noise = rng.normal(0, 0.3 + 0.3 * system, p.shape)
        order = np.argsort(-(p + noise), axis=1)[:, :7]
        lists[f"s{system}"] = {
            asked[query]: [names[item] for item in order[query]] for query in range(queries)
        }
    truth = {
        "query": np.repeat(asked, ITEMS).tolist(),
        "item": names * queries,
        "annotator": ["ann"] * (queries * ITEMS),
        "vote": p.ravel().tolist(),
    }
    study = cs.study(lists, truth=truth)
    return study, cs.gold(study).of_all(len(study.items))


def with_truth(study: cs.Study, truth: NDArray[np.bool_]) -> cs.Study:
    """Give a study whose truth is certain."""
    votes = truth[study.evidence.item].astype(np.float64)
    return replace(study, evidence=replace(study.evidence, vote=votes))


def in_rankings(runs: int, seed: int) -> dict[str, Trials]:
    """Draw the truth from the belief that a ranking tells the posterior of."""
    rows: Rows = {name: [] for name in MEASURES}
    for run in range(max(1, runs // TRUTHS)):
        rng = np.random.default_rng([seed, run])
        study, p = believed(rng, 6)
        verdict = cs.rank(study, measures=MEASURES, seed=run, samples=200)
        told = {one.name: one.details for one in verdict.standings}
        for draw in range(TRUTHS):
            scores = cs.score(with_truth(study, rng.random(len(p)) < p), measures=MEASURES)
            for name in MEASURES:
                for system in scores.systems:
                    one = told[system][name].posterior
                    assert one is not None
                    true = scores[system][name].value
                    rows[name].append((run * TRUTHS + draw, one.mean, one.interval, true))
    return {name: Trials.of(some) for name, some in rows.items()}


def in_distributions(runs: int, seed: int) -> dict[str, Trials]:
    """Draw the truth from the belief that distributions are made of."""
    rows: Rows = {}
    for run in range(max(1, runs // TRUTHS)):
        rng = np.random.default_rng([seed, run])
        study, p = believed(rng, 4)
        found = cs.distributions(study, seed=run, draws=1000)
        made = found.payload()
        for draw in range(TRUTHS):
            truth = rng.random(len(p)) < p
            scores = cs.score(with_truth(study, truth), measures=[*NAMES, "P@3"])
            _compare(rows, run * TRUTHS + draw, found, made, scores)
    return {name: Trials.of(some) for name, some in rows.items()}


def _compare(rows: Rows, run: int, found: Any, made: dict[str, Any], scores: cs.Scores) -> None:
    """Put averages, single queries, pairs and bands beside what the truth makes of them."""
    for name, key in NAMES.items():
        for one in found.standings:
            true = scores[one.name][name].value
            rows.setdefault(f"mean {name}", []).append(
                (run, one.means[key], one.intervals[key], true)
            )
        for one in found.outcomes:
            query = scores.queries.index(one.query)
            true = float(scores[one.system][name].per_query[query])
            rows.setdefault(f"one query {name}", []).append(
                (run, one.means[key], one.intervals[key], true)
            )
    for one in found.standings:
        place = one.band.k.tolist().index(3)
        ends = one.band.precision_interval[:, place].tolist()
        true = scores[one.name]["P@3"].value
        rows.setdefault("band", []).append(
            (run, one.band.precision[place], (ends[0], ends[1]), true)
        )
    for pair in made["pairs"]:
        true = scores[pair["a"]]["F1"].value - scores[pair["b"]]["F1"].value
        if pair["measure"] != "f1" or pair["interval"] is None:
            continue
        low, high = pair["interval"]
        rows.setdefault("pair F1", []).append((run, pair["difference"], (low, high), true))


#: A population of items and a system: what is right, wrong, missed, and the rest, in shares.
POPULATIONS = {"common": (0.2, 0.08, 0.1, 0.62), "rare": (0.03, 0.02, 0.02, 0.93)}


def counts(runs: int, seed: int) -> dict[str, Trials]:
    """Draw labels uniformly and count."""
    made: dict[str, Trials] = {}
    for kind, shares in POPULATIONS.items():
        tp, fp, fn, _ = shares
        true = {
            "precision": tp / (tp + fp),
            "recall": tp / (tp + fn),
            "f1": 2 * tp / (2 * tp + fp + fn),
        }
        for labels in (100, 1000):
            rng = np.random.default_rng([seed, labels, len(kind)])
            rows: Rows = {name: [] for name in true}
            for run, drawn in enumerate(rng.multinomial(labels, shares, size=runs).tolist()):
                found = cs.count_posterior(drawn[0], drawn[1], drawn[2], LEVEL)
                for name in true:
                    one = getattr(found, name)
                    rows[name].append((run, one.median, one.interval, true[name]))
            made |= {f"{kind}, {labels}, {name}": Trials.of(some) for name, some in rows.items()}
    return made


_BELIEF = "which items are relevant"
_SPREAD = "distributions"
SIMULATIONS = (
    Simulation(
        "posterior",
        in_rankings,
        {name: Case("posterior in a ranking", f"{name}, 6 queries", _BELIEF) for name in MEASURES},
        runs=2000,
        few=100,
    ),
    Simulation(
        "distributions",
        in_distributions,
        {
            **{f"mean {name}": Case(_SPREAD, f"{name}, 4 queries", _BELIEF) for name in NAMES},
            **{f"one query {name}": Case(_SPREAD, f"{name}, one query", _BELIEF) for name in NAMES},
            "band": Case(_SPREAD, "band at k = 3, 4 queries", _BELIEF),
            "pair F1": Case(_SPREAD, "difference by F1, 4 queries", _BELIEF),
        },
        runs=2000,
        few=100,
    ),
    Simulation(
        "counts",
        counts,
        {
            f"{kind}, {labels}, {name}": Case(
                "counts from uniform labels",
                f"{name}, {labels:,} labels, relevant items {kind}",
                "labels",
            )
            for kind in POPULATIONS
            for labels in (100, 1000)
            for name in ("precision", "recall", "f1")
        },
        runs=10_000,
        few=1000,
    ),
)
