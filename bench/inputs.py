"""What is measured on: made from a seed, the same everywhere.

Runs look like those of a passage ranking task: numbered documents, a thousand results a query,
scores with six decimals. Of every query fifty documents are judged, thirty of them returned.

They are made in a process of their own (:func:`elsewhere`): a child's peak memory counts from what
its parent held, so the one who measures must hold little.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

SEED = 20260415
DOCUMENTS = 8_800_000
JUDGED, RETURNED = 50, 30


def elsewhere(make: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Call a function in another process."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(make, *arguments, **options).result()


def make_run(folder: Path, *, queries: int, results: int) -> tuple[Path, Path]:
    """Write a run, best results first, and its judgments."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    run, qrels = folder / f"{queries}x{results}.run", folder / f"{queries}x{results}.qrels"
    with run.open("w") as run_file, qrels.open("w") as qrels_file:
        for query in range(100_000, 100_000 + queries):
            found = rng.choice(DOCUMENTS, results, replace=False)
            scores = np.sort(rng.gamma(2, 5, results))[::-1]
            lines = zip(found.tolist(), range(1, results + 1), scores.tolist(), strict=True)
            run_file.writelines(f"q{query} Q0 doc{d} {r} {s:.6f} run\n" for d, r, s in lines)
            seen = rng.choice(found, min(RETURNED, results), replace=False)
            others = rng.choice(DOCUMENTS, JUDGED - len(seen))
            pool = dict.fromkeys([*seen.tolist(), *others.tolist()])
            grades = rng.choice([0, 0, 1, 2, 3], len(pool)).tolist()
            judged = zip(pool, grades, strict=True)
            qrels_file.writelines(f"q{query} 0 doc{d} {g}\n" for d, g in judged)
    return run, qrels


def shuffle(path: Path) -> Path:
    """Write the lines of a file in another order."""
    import numpy as np
    import pyarrow as pa

    text = np.frombuffer(path.read_bytes(), np.uint8)
    ends = np.concatenate([[0], np.flatnonzero(text == ord("\n")) + 1])
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(text)]
    lines = pa.Array.from_buffers(pa.large_binary(), len(ends) - 1, buffers)
    order = np.random.default_rng(SEED).permutation(len(lines))
    shuffled = path.with_suffix(".shuffled")
    shuffled.write_bytes(lines.take(pa.array(order)).buffers()[2])
    return shuffled


def make_scores(folder: Path, *, items: int, share: float) -> tuple[Path, Path]:
    """Save which of many items are relevant, and scores that tell it somewhat."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    relevant = rng.random(items) < share
    scores = rng.normal(size=items) + relevant
    paths = folder / f"relevant-{items}-{share}.npy", folder / f"scores-{items}-{share}.npy"
    np.save(paths[0], relevant)
    np.save(paths[1], scores)
    return paths
