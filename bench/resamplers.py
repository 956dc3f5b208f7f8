"""The programs that draw queries anew and compare all pairs; as in :mod:`bench.contestants`.

``work s`` among the values are CPU seconds of the work alone, ``wall s`` those of the clock, on
scores made before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import combinations
from typing import Any

SEED = 20260415
LEVEL, DELTA = 0.95, 0.01
#: Of so many systems, and pairs, scipy's work is measured and then taken times their number.
SOME = 3


def make_scores(systems: int, queries: int) -> Any:
    """Make scores of systems that differ a little, on queries of which some are harder."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    hard = rng.beta(1, 2, queries)
    return np.linspace(1, 0.8, systems)[:, None] * rng.beta(5 * hard + 0.1, 3, (systems, queries))


@contextmanager
def timed(values: dict[str, float], name: str) -> Iterator[None]:
    """Add the CPU and the clock's seconds of what is done within."""
    cpu, wall = time.process_time(), time.perf_counter()
    yield
    values[f"{name} s"] = time.process_time() - cpu
    values["wall s"] = values.get("wall s", 0.0) + time.perf_counter() - wall


def resampling_consilience(systems: str, queries: str, samples: str) -> dict[str, float]:
    """Give intervals, P(best), rank intervals, ties, and all pairs with tests and effect sizes."""
    from consilience.verdict.pairs import beats, compare, places, tie_groups
    from consilience.verdict.resample import resample

    matrix = make_scores(int(systems), int(queries))
    names = [f"s{one}" for one in range(int(systems))]
    values: dict[str, float] = {}
    with timed(values, "draws"):
        drawn = resample(matrix, seed=0, samples=int(samples))
    tail = drawn.tail(LEVEL)
    assert tail is not None
    with timed(values, "places"):
        best, _ = places(drawn.draws, tail)
        ends = [drawn.interval(column, LEVEL) for column in drawn.draws.T]
        tied = tie_groups(drawn.draws, names=names, tail=tail)
    with timed(values, "beats"):
        table = beats(drawn.draws)
    with timed(values, "pairs"):
        means = matrix.mean(axis=1)
        given = {"values": means, "names": names, "tail": tail, "delta": DELTA}
        pairs = compare(drawn.draws, **given, matrix=matrix)
    values["work s"] = sum(values[f"{part} s"] for part in ("draws", "places", "beats", "pairs"))
    tests = [one.tests for one in pairs[:SOME] if one.tests]
    return values | {
        "pairs": len(pairs),
        "P(first is best)": float(best[0]),
        "P(first beats second)": float(table[0, 1]),
        "groups": len(tied),
        "end": 0.0 if ends[0] is None else ends[0][1],
        **{name: sum(one[name][0] for one in tests) for name in ("t", "wilcoxon", "sign")},
    }


def resampling_rank(systems: str, queries: str, samples: str) -> dict[str, float]:
    """The same through ``consilience.rank``, from ten answers a query to the finished result."""
    import numpy as np

    import consilience as cs

    count, asked, answers = int(systems), int(queries), 10
    rng = np.random.default_rng(SEED)
    skill = np.linspace(0.6, 0.4, count)
    good = rng.random((count, asked, answers)) < skill[:, None, None]
    item = np.where(good, 0, 50) + rng.integers(0, 50, good.shape)
    who, which, _ = np.indices(good.shape)
    table = {
        "query": which.ravel(),
        "system": who.ravel(),
        "item": item.ravel(),
        "score": np.tile(np.arange(answers, 0, -1), count * asked),
    }
    gold = {"query": np.repeat(np.arange(asked), 100), "item": np.tile(np.arange(100), asked)}
    gold["relevant"] = (gold["item"] < 50).astype(int)
    study = cs.study(table, truth=gold, duplicates="first")
    values: dict[str, float] = {}
    with timed(values, "work"):
        verdict = cs.rank(study, measures=["P@10"], samples=int(samples), delta=DELTA)
        payload = verdict.payload()
    return values | {"pairs": len(payload["pairs"]), "queries": payload["queries"]}


def resampling_numpy(systems: str, queries: str, samples: str) -> dict[str, float]:
    """Do the least: two products with ready-made counts and signs; of each pair, a partition of
    its drawn differences and a count of its swapped ones."""
    import numpy as np

    matrix = make_scores(int(systems), int(queries))
    rng = np.random.default_rng(SEED)
    shape = int(samples), int(queries)
    counts = rng.multinomial(shape[1], np.full(shape[1], 1 / shape[1]), shape[0]).astype(float)
    signs = rng.integers(0, 2, shape) * 2.0 - 1
    values: dict[str, float] = {}
    with timed(values, "products"):
        draws, swaps = matrix @ counts.T / shape[1], matrix @ signs.T
    kth = int(0.025 * shape[0])
    with timed(values, "differences"):
        as_far = 0
        for a in range(len(matrix) - 1):
            for begin in range(a + 1, len(matrix), 16):
                some = slice(begin, begin + 16)
                gaps = draws[a] - draws[some]
                gaps.partition([kth, shape[0] - 1 - kth], axis=1)
                far = np.abs(matrix[a].sum() - matrix[some].sum(axis=1))
                as_far += int((np.abs(swaps[a] - swaps[some]) >= far[:, None]).sum())
    values["work s"] = values["products s"] + values["differences s"]
    return values | {"as far": as_far}


def resampling_scipy(systems: str, queries: str, samples: str) -> dict[str, float]:
    """Bootstrap some systems and test some pairs one by one, with as many draws and swaps."""
    import numpy as np
    from scipy import stats

    matrix = make_scores(int(systems), int(queries))
    count, batch = int(samples), 1_000

    def drawn(row: Any) -> None:
        rng = np.random.default_rng(0)
        stats.bootstrap(
            (row,), np.mean, method="percentile", rng=rng, n_resamples=count, batch=batch
        )

    def swapped(row: Any) -> None:
        rng = np.random.default_rng(0)
        stats.permutation_test(
            (row,), np.mean, permutation_type="samples", rng=rng, n_resamples=count, batch=batch
        )

    values: dict[str, float] = {}
    with timed(values, "systems"):
        for row in matrix[:SOME]:
            drawn(row)
    p = {"t": 0.0, "wilcoxon": 0.0, "sign": 0.0}
    with timed(values, "pairs"):
        for a, b in list(combinations(range(len(matrix)), 2))[:SOME]:
            x, y = matrix[a], matrix[b]
            drawn(x - y)
            swapped(x - y)
            p["t"] += float(stats.ttest_rel(x, y).pvalue)
            p["wilcoxon"] += float(stats.wilcoxon(x, y).pvalue)
            p["sign"] += stats.binomtest(int((x > y).sum()), len(x)).pvalue
    values["work s"] = values["systems s"] + values["pairs s"]
    return values | p


RESAMPLERS: dict[str, Callable[..., dict[str, float]]] = {
    "resampling_consilience": resampling_consilience,
    "resampling_rank": resampling_rank,
    "resampling_numpy": resampling_numpy,
    "resampling_scipy": resampling_scipy,
}
