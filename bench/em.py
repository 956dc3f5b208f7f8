"""A step of EM over votes, beside what any EM over a sparse matrix of them must do."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.bars import Bar, Result, Row, Sizes
from bench.inputs import SEED, SYSTEMS
from bench.measure import best

EXACT = 1e-9
#: EM steps that are compared, and how often everything is timed.
STEPS, TIMES = 20, 5
#: Workers of a crowd, and how many of them see an item.
WORKERS, EACH = 12, 5


def em(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """A step of two-coin Dawid–Skene over votes, and products of a sparse matrix of these votes.

    Two kinds of votes: a hundred systems that return half of a query's items each, so that no two
    items are voted on alike; and a crowd of twelve, five of whom say yes or no to an item. CPU is
    that of one step, start-up and preparation taken off. *files* is EM over parts of the study, all
    of whose words lie in files. *scipy* is EM as one would write it down, with a matrix of items ×
    voters: ``product s`` is this matrix times one of voters × 2, ``back s`` its transpose times one
    of items × 2, and its step is made of both; ``one column s`` is the matrix times one column.
    """
    rows, bars = [], []
    for kind in ("systems", "crowd"):
        names = ["em_consilience", "em_files", "em_scipy"]
        given = (kind, str(sizes.votes))
        costs = best(names, *given, cache=cache, times=1, first=(kind, "10000"))
        what = f"{sizes.votes:,} votes, {kind}"
        for name in names:
            cost = costs[name]
            rows.append(Row(what, name, type(cost)(cost.values["step s"], cost.peak, cost.values)))
        ours, files, theirs = (costs[name].values for name in names)
        both = theirs["product s"] + theirs["back s"]
        bars += [
            Bar(f"{what}: a step over one product", ours["step s"] / theirs["product s"], most=2.0),
            Bar(f"{what}: a step over both products", ours["step s"] / both, most=1.0),
            Bar(f"{what}, in files: a step over both products", files["step s"] / both, most=2.0),
        ]
        for name, values in (("in memory", ours), ("in files", files)):
            apart = max(
                abs(values[figure] - theirs[figure])
                for figure in ("prevalence", "sensitivity", "false positives", "log-likelihood")
            )
            bars.append(Bar(f"{what}, {name}: values apart from scipy's", apart, most=EXACT))
    return rows, bars


def em_consilience(kind: str, votes: str) -> dict[str, float]:
    from consilience.belief.blocks import blocks_of
    from consilience.belief.coins_em import fit
    from consilience.belief.patterns import patterns_of
    from consilience.belief.votes import votes_of

    study, _, _ = _made(kind, int(votes))
    began = time.process_time()
    patterns = patterns_of(votes_of(study))
    blocks = blocks_of(patterns)
    ready = time.process_time() - began
    weight = _ones(patterns.voters)

    def run(steps: int) -> Any:
        return fit(blocks, weight=weight, iterations=steps, tolerance=-float("inf"))

    return {**_stepped(run, len(study.items)), "prepare s": ready, "patterns": len(patterns.count)}


def em_files(kind: str, votes: str) -> dict[str, float]:
    from consilience.belief.coins_em import fit
    from consilience.belief.patterns import patterns_of
    from consilience.belief.votes import votes_of
    from consilience.engine.kept import Kept
    from consilience.study.outline import ranges

    study, _, _ = _made(kind, int(votes))
    queries = len(study.queries)
    began = time.process_time()
    weight = _ones(len(study.respondents))
    kept = Kept((0 * weight).astype(int), 0, None)
    for part in ranges(study, range(0, queries, max(queries // 10, 1))):
        kept.add(patterns_of(votes_of(part)))
    kept.finish()
    ready = time.process_time() - began

    def run(steps: int) -> Any:
        return fit(kept, weight=weight, iterations=steps, tolerance=-float("inf"))

    found = _stepped(run, len(study.items))
    kept.close()
    return {**found, "prepare s": ready}


def em_scipy(kind: str, votes: str) -> dict[str, float]:
    import numpy as np

    _, yes, spoken = _made(kind, int(votes))
    both = yes if spoken is None else spoken  # all votes, whatever they say
    voters, items = _ones((yes.shape[1], 2)), _ones((yes.shape[0], 2))
    products = {
        "product s": _least(lambda: both @ voters),
        "back s": _least(lambda: both.T @ items),
        "one column s": _least(lambda: both @ voters[:, 0]),
    }
    heard = yes.shape[1] if spoken is None else spoken.sum(axis=1)
    everything = yes.shape[0] * yes.shape[1] if spoken is None else spoken.sum()
    mean = (yes.sum() + 0.5) / (everything + 1)
    size = 1 / min(mean, 1 - mean)
    start = (yes.sum(axis=1) + mean) / (heard + 1)

    def coins(p: Any) -> tuple[Any, float]:
        mass = np.stack([p, 1 - p], axis=1)
        about = mass.sum(axis=0) if spoken is None else spoken.T @ mass
        return (yes.T @ mass + 0.5) / (about + 1), (p.sum() + size * mean) / (len(p) + size)

    def joint(coin: Any, prevalence: float) -> Any:
        no = np.log1p(-coin)
        silent = no.sum(axis=0) if spoken is None else spoken @ no
        return yes @ (np.log(coin) - no) + silent + np.log([prevalence, 1 - prevalence])

    def run(steps: int) -> Any:
        p = start
        for _ in range(steps):
            logs = joint(*coins(p))
            p = 1 / (1 + np.exp(logs[:, 1] - logs[:, 0]))
        return p

    coin, prevalence = coins(run(STEPS))
    likelihood = np.logaddexp(*joint(coin, prevalence).T).mean()
    return {
        "step s": _least(lambda: run(STEPS)) / STEPS,
        **products,
        **_figures(coin, prevalence, float(likelihood)),
    }


def _stepped(run: Callable[[int], Any], items: int) -> dict[str, float]:
    """Give what a step costs, and what some of them find."""
    found = run(STEPS)
    step = (_least(lambda: run(STEPS)) - _least(lambda: run(0))) / STEPS
    return {"step s": step, **_figures(found.coin, found.prevalence, found.log_likelihood / items)}


def _figures(coin: Any, prevalence: float, likelihood: float) -> dict[str, float]:
    return {
        "prevalence": float(prevalence),
        "sensitivity": float(coin[:, 0].mean()),
        "false positives": float(coin[:, 1].mean()),
        "log-likelihood": likelihood,
    }


def _least(work: Callable[[], object]) -> float:
    """Give the CPU seconds of some work, the least of several times."""
    taken = []
    for _ in range(TIMES):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return min(taken)


def _ones(shape: int | tuple[int, int]) -> Any:
    import numpy as np

    return np.ones(shape)


def _made(kind: str, votes: int) -> tuple[Any, Any, Any]:
    """Make a study of votes, and the same as matrices, items × voters: who says yes, who spoke.

    Who spoke is None where everybody did.
    """
    return _crowd(votes) if kind == "crowd" else _systems(votes)


def _systems(votes: int) -> tuple[Any, Any, Any]:
    """A hundred systems, better and worse ones, return the better half of each query's items."""
    import numpy as np
    from scipy.sparse import csr_array

    rng = np.random.default_rng(SEED)
    listed = 1000 if votes >= 1_000_000 else 100
    pool, queries = 2 * listed, max(votes // (SYSTEMS * listed), 1)
    quality = np.linspace(0.3, 1.5, SYSTEMS, dtype=np.float32)[:, None]
    item = np.empty((SYSTEMS, queries, listed), np.int32)
    for query in range(queries):
        worth = (rng.random(pool) < 0.1).astype(np.float32)
        score = rng.standard_normal((SYSTEMS, pool), np.float32) + quality * worth
        item[:, query] = np.argpartition(-score, listed, axis=1)[:, :listed] + query * pool
    voter = np.repeat(np.arange(SYSTEMS, dtype=np.int32), queries * listed)
    shape = (queries * pool, SYSTEMS)
    yes = csr_array((np.ones(item.size), (item.ravel(), voter)), shape=shape)
    sizes = (SYSTEMS, queries, pool, listed)
    return _study(sizes, item.ravel(), None), yes, None


def _crowd(votes: int) -> tuple[Any, Any, Any]:
    """Some workers see an item and say yes or no; the others say nothing of it."""
    import numpy as np
    from scipy.sparse import csr_array

    rng = np.random.default_rng(SEED)
    queries, items = 10, votes // EACH // 10
    seen = np.argsort(rng.random((items * queries, WORKERS), np.float32), axis=1)[:, :EACH]
    truth = rng.random(items * queries) < 0.3
    right = rng.random(seen.shape) < np.linspace(0.6, 0.9, WORKERS)[seen]
    vote = np.where(right, truth[:, None], ~truth[:, None]).astype(np.float64)
    item = np.repeat(np.arange(items * queries, dtype=np.int32), EACH)
    order = np.lexsort((item, seen.ravel()))
    voter, item, vote = seen.ravel()[order], item[order], vote.ravel()[order]
    shape = (items * queries, WORKERS)
    yes = csr_array((vote, (item, voter)), shape=shape)
    yes.eliminate_zeros()
    spoken = csr_array((np.ones(len(item)), (item, voter)), shape=shape)
    length = np.bincount(voter * queries + item // items, minlength=WORKERS * queries)
    return _study((WORKERS, queries, items, length), item, vote), yes, spoken


def _study(sizes: tuple[int, int, int, Any], item: Any, vote: Any) -> Any:
    """Make a study in memory; voters, queries, items of a query and answers of a list are given."""
    import numpy as np

    from consilience.columns import Text
    from consilience.formats.rows import Kind, Silence
    from consilience.study.model import Answers, Items, Respondents, Study

    voters, queries, pool, length = sizes
    names = tuple(f"run{code}" for code in range(voters))
    kind: Kind = "system"
    silence: Silence = "no" if vote is None else "unknown"
    starts = np.concatenate([[0], np.cumsum(np.broadcast_to(length, voters * queries))])
    none = np.zeros(0, np.int32)
    return Study(
        tuple(f"q{code}" for code in range(queries)),
        Respondents(names, (kind,) * voters, (None,) * voters, (silence,) * voters),
        Items(
            Text.of([f"doc{code}" for code in range(pool)]),
            np.tile(np.arange(pool, dtype=np.int32), queries),
            np.arange(queries + 1) * pool,
        ),
        Answers(
            np.repeat(np.arange(voters, dtype=np.int32), queries),
            np.tile(np.arange(queries, dtype=np.int32), voters),
            starts,
            item,
            vote=vote,
        ),
        Answers(none, none, np.zeros(1, np.int64), none),
    )


STEPPERS: dict[str, Callable[..., dict[str, float]]] = {
    function.__name__: function for function in (em_consilience, em_files, em_scipy)
}
