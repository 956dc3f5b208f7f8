"""The programs that are compared on votes; called as in :mod:`bench.contestants`.

``… s`` among the values are CPU seconds that a contestant has measured itself: how its time is
shared out, and what is left when start-up is taken off.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: EM steps when the cost of a step is measured.
STEPS = 20


def votes_consilience(file: str) -> dict[str, float]:
    import pyarrow.compute
    import pyarrow.parquet  # noqa: F401  (they are loaded on use; that is start-up)

    import consilience as cs
    from consilience.belief.agreement import consensus

    began = time.process_time()
    study = cs.read(file)
    read = time.process_time()
    belief = consensus(study)
    believed = time.process_time()
    scores = cs.score(study, measures=["P", "R", "F1"], belief=belief)
    values = {
        measure: sum(scores[system][measure].value for system in study.systems) / len(study.systems)
        for measure in ("P", "R", "F1")
    }
    ended = time.process_time()
    return values | {
        "work s": ended - began,
        "read s": read - began,
        "consensus s": believed - read,
        "score s": ended - believed,
    }


def votes_scan(file: str) -> dict[str, float]:
    """The floor: every column of the file is read and added up, and nothing else."""
    import polars as pl

    began = time.process_time()
    frame = pl.scan_parquet(file)
    text = frame.collect_schema()["item"] == pl.String
    total = frame.select(pl.all().str.len_bytes().sum() if text else pl.all().sum()).collect()
    return {"total": float(sum(total.row(0))), "work s": time.process_time() - began}


def votes_polars(file: str) -> dict[str, float]:
    """The same consensus in polars' words, for the values and as a good peer."""
    import polars as pl

    began = time.process_time()
    per_item = pl.len().over("query", "item")
    asked = pl.col("system").n_unique().over("query")
    votes = pl.scan_parquet(file).with_columns(p=(per_item + 1) / (asked + 2))
    relevant = votes.unique(["query", "item"]).group_by("query").agg(whole=pl.col("p").sum())
    cells = (
        votes.group_by("query", "system")
        .agg(found=pl.col("p").sum(), returned=pl.len())
        .join(relevant, on="query")
    )
    whole = cells.select(
        P=pl.col("found") / pl.col("returned"),
        R=pl.col("found") / pl.col("whole"),
        F1=2 * pl.col("found") / (pl.col("returned") + pl.col("whole")),
    )
    means = whole.mean().collect().row(0, named=True)
    return {**means, "work s": time.process_time() - began}


def labels_consilience(task: str, worker: str, label: str) -> dict[str, float]:
    import numpy as np
    import scipy.sparse  # noqa: F401  (it is loaded on use; that is start-up)

    from consilience.belief.classes import em

    began = time.process_time()
    found = em(np.load(task), np.load(worker), np.load(label))
    np.save(labels_of(task, "consilience"), found.label)
    return {"iterations": found.iterations, "work s": time.process_time() - began}


def labels_crowdkit(task: str, worker: str, label: str) -> dict[str, float]:
    from importlib import import_module

    import numpy as np
    import pandas as pd

    DawidSkene = import_module("crowdkit.aggregation").DawidSkene  # not installed where types are

    began = time.process_time()
    columns = {"task": np.load(task), "worker": np.load(worker), "label": np.load(label)}
    model = DawidSkene(n_iter=100, tol=1e-5)
    found = model.fit_predict(pd.DataFrame(columns))
    np.save(labels_of(task, "crowdkit"), found.sort_index().to_numpy())
    return {"iterations": len(model.loss_history_), "work s": time.process_time() - began}


def labels_of(task: str | Path, program: str) -> Path:
    """Where a program leaves the labels it found."""
    return Path(task).with_suffix(f".{program}.npy")


def scale_consensus(votes: str) -> dict[str, float]:
    from consilience.belief.agreement import consensus

    return _scaled(int(votes), consensus)


def scale_ls_eb(votes: str) -> dict[str, float]:
    from consilience.belief.agreement import ls_eb

    return _scaled(int(votes), ls_eb)


def scale_dawid_skene(votes: str) -> dict[str, float]:
    from consilience.belief.coins import dawid_skene

    def believe(study: Any) -> Any:
        return dawid_skene(study, iterations=STEPS, tolerance=-float("inf"))

    return _scaled(int(votes), believe)


def _scaled(votes: int, believe: Callable[[Any], Any]) -> dict[str, float]:
    """Form a belief and score every system; give the CPU seconds of that alone, the best of some.

    A small study comes first, so that nothing is loaded while time is taken.
    """
    from bench.inputs import study_of_votes
    from consilience.measures.scores import score

    tiny = study_of_votes(10_000)
    score(tiny, measures=["P", "R", "F1"], belief=believe(tiny))
    study = study_of_votes(votes)
    taken = []
    for _ in range(2 if votes > 1_000_000 else 10):
        began = time.process_time()
        scores = score(study, measures=["P", "R", "F1"], belief=believe(study))
        taken.append(time.process_time() - began)
    size = sum(column.nbytes for _, column in study._columns()) / 1e6
    mean = sum(scores[name]["F1"].value for name in study.systems) / len(study.systems)
    return {"F1": mean, "work s": min(taken), "study MB": size}


VOTERS: dict[str, Callable[..., dict[str, float]]] = {
    function.__name__: function
    for function in (
        *(votes_consilience, votes_scan, votes_polars, labels_consilience, labels_crowdkit),
        *(scale_consensus, scale_ls_eb, scale_dawid_skene),
    )
}
