"""Intervals over queries drawn anew: means, differences, micro averages, ranks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bench.coverage.trials import LEVEL, Case, Simulation, Trials
from consilience.measures.sets import Counts, f_measure, precision
from consilience.verdict.pairs import compare, places
from consilience.verdict.resample import Resampled, resample, resample_counts

#: So many systems, independent of each other, share the draws of a run: more is tried at once.
ABREAST = 25
QUERIES = (10, 30, 100)
#: The last one is 1 for one query in ten.
RARE = "0 or rarely 1"
SHAPES = ("normal", "skewed", "0 or 1", RARE)
_KIND = "mean over queries"
_SKEWED = "few queries, and scores that pile up at 0: the rare high ones are missing too often"
_UNEQUAL = "few queries of very unequal size: one large query decides the sum"


def _scores(rng: np.random.Generator, shape: str, size: tuple[int, int]) -> NDArray[np.float64]:
    """Draw scores whose mean is known (:data:`MEANS`)."""
    if shape == "normal":
        return rng.normal(0.4, 0.15, size)
    if shape == "skewed":
        return rng.beta(0.4, 1.6, size)
    return (rng.random(size) < MEANS[shape]).astype(np.float64)


MEANS = {"normal": 0.4, "skewed": 0.2, "0 or 1": 0.3, RARE: 0.1}


def _at_most(shape: str, queries: int) -> float:
    """Give how often an interval can hold the mean: not where all scores are 0, rare ones."""
    return min(LEVEL, 1 - (1 - MEANS[shape]) ** queries) if shape == RARE else LEVEL


def _ends(drawn: Resampled, place: int, value: float) -> tuple[float, float]:
    """Give the interval of a score as a ranking does: it holds the score itself."""
    found = drawn.interval(drawn.draws[:, place], LEVEL)
    assert found is not None
    return min(found[0], value), max(found[1], value)


def means(runs: int, seed: int) -> dict[str, Trials]:
    """Average scores over queries of several shapes."""
    made = {}
    for queries in QUERIES:
        for shape in SHAPES:
            rng = np.random.default_rng([seed, queries, SHAPES.index(shape)])
            rows = []
            for run in range(max(1, runs // ABREAST)):
                values = _scores(rng, shape, (ABREAST, queries))
                drawn = resample(values, seed=int(rng.integers(2**31)))
                mean = values.mean(axis=1).tolist()
                rows += [
                    (run * ABREAST + place, value, _ends(drawn, place, value), MEANS[shape])
                    for place, value in enumerate(mean)
                ]
            made[f"{shape}, {queries}"] = Trials.of(rows)
    return made


def differences(runs: int, seed: int) -> dict[str, Trials]:
    """Compare two systems that find the same queries hard."""
    made = {}
    for queries in QUERIES:
        rng = np.random.default_rng([seed, queries])
        rows = []
        for run in range(runs):
            hard = rng.beta(0.5, 1.5, queries)
            values = hard + rng.normal([[0.03], [0.0]], 0.1, (2, queries))
            drawn = resample(values, seed=int(rng.integers(2**31)))
            mean = values.mean(axis=1)
            (pair,) = compare(
                drawn.draws, values=mean, names=["a", "b"], tail=drawn.tail(LEVEL), matrix=None
            )
            rows.append((run, pair.difference, pair.interval, 0.03))
        made[f"{queries}"] = Trials.of(rows)
    return made


def _counts(rng: np.random.Generator, size: tuple[int, int]) -> list[NDArray[np.float64]]:
    """Draw tp, fp and fn of queries: long lists are worse, so micro and macro differ."""
    returned = rng.geometric(0.1, size)
    found = rng.binomial(returned, rng.beta(2, 2, size) / (1 + returned / 30))
    missed = rng.poisson(3, size)
    return [part.astype(np.float64) for part in (found, returned - found, missed)]


def micro(runs: int, seed: int) -> dict[str, Trials]:
    """Add counts up over queries, then divide."""
    many = _counts(np.random.default_rng([seed, 99]), (1, 1_000_000))
    right, wrong, missed = (float(part.sum()) for part in many)
    true = {"P": right / (right + wrong), "F1": 2 * right / (2 * right + wrong + missed)}
    made: dict[str, Trials] = {}
    for queries in QUERIES:
        rng = np.random.default_rng([seed, queries])
        rows: dict[str, list[tuple[int, float, tuple[float, float], float]]] = {"P": [], "F1": []}
        for run in range(max(1, runs // ABREAST)):
            tp, fp, fn = _counts(rng, (ABREAST, queries))
            nothing = np.zeros(queries)
            counts = [Counts(*one, nothing) for one in zip(tp, fp, fn, strict=True)]
            for name, divide in (("P", precision), ("F1", f_measure)):
                drawn = resample_counts(counts, divide, seed=int(rng.integers(2**31)))
                for place, one in enumerate(counts):
                    value = float(divide(one.total()))
                    ends = _ends(drawn, place, value)
                    rows[name].append((run * ABREAST + place, value, ends, true[name]))
        made |= {f"{name}, {queries}": Trials.of(some) for name, some in rows.items()}
    return made


#: True means of eight systems: well apart, and hardly.
APART = {"apart": np.arange(8) * -0.03 + 0.6, "close": np.arange(8) * -0.004 + 0.6}


def ranks(runs: int, seed: int) -> dict[str, Trials]:
    """Rank eight systems over 30 queries; the true rank is that over all queries."""
    made = {}
    for name, true in APART.items():
        rng = np.random.default_rng([seed, len(name)])
        rows = []
        for run in range(runs):
            values = true[:, None] + rng.normal(0, 0.15, 30) + rng.normal(0, 0.1, (8, 30))
            drawn = resample(values, seed=int(rng.integers(2**31)))
            tail = drawn.tail(LEVEL)
            assert tail is not None
            _, ends = places(drawn.draws, tail)
            order = np.argsort(np.argsort(-values.mean(axis=1))) + 1
            rows += [(run, float(order[s]), ends[s], s + 1.0) for s in range(8)]
        made[name] = Trials.of(rows)
    return made


SIMULATIONS = (
    Simulation(
        "means",
        means,
        {
            f"{shape}, {queries}": Case(
                _KIND,
                f"{shape} scores, {queries} queries",
                "queries",
                narrow=_SKEWED if shape in ("skewed", RARE) and queries < 100 else None,
                most=_at_most(shape, queries),
            )
            for queries in QUERIES
            for shape in SHAPES
        },
        runs=10_000,
        few=250,
    ),
    Simulation(
        "differences",
        differences,
        {
            f"{queries}": Case("difference of two systems", f"{queries} queries", "queries")
            for queries in QUERIES
        },
        runs=4000,
        few=300,
    ),
    Simulation(
        "micro",
        micro,
        {
            f"{name}, {queries}": Case(
                "micro average",
                f"{name}, {queries} queries of very unequal size",
                "queries",
                narrow=_UNEQUAL if queries == 10 else None,
            )
            for queries in QUERIES
            for name in ("P", "F1")
        },
        runs=5000,
        few=250,
    ),
    Simulation(
        "ranks",
        ranks,
        {
            name: Case(
                "rank",
                f"8 systems {'well apart' if name == 'apart' else 'close together'}, 30 queries",
                "queries",
                bends=name == "close",
            )
            for name in APART
        },
        runs=2000,
        few=100,
    ),
)
