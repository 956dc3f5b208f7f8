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
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from consilience.formats.rows import Kind, Silence

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


#: Systems that vote, what each returns for a query, and what a query chooses from.
SYSTEMS, LISTED, CANDIDATES = 100, 100, 400


def make_votes(folder: Path, *, votes: int, text: bool) -> Path:
    """Write votes (query, system, item) to a Parquet file, query by query.

    Items are documents of a large collection, by number or by name.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    path = folder / f"votes-{votes}-{'text' if text else 'numbers'}.parquet"
    queries = votes // (SYSTEMS * LISTED)
    place = _picked(queries).transpose(1, 0, 2)
    rng = np.random.default_rng(SEED)
    # A random start and steps of odd length, modulo a power of two: no document comes twice.
    start, step = rng.integers(0, 1 << 23, queries), 2 * rng.integers(1, 1 << 20, queries) + 1
    item = (start[:, None, None] + step[:, None, None] * place) & ((1 << 23) - 1)
    query = np.repeat(np.arange(queries), SYSTEMS * LISTED)
    system = np.tile(np.repeat(np.arange(SYSTEMS), LISTED), queries)
    columns = {"query": query, "system": system, "item": item.ravel()}
    table = pa.table({name: pa.array(column) for name, column in columns.items()})
    if text:
        called = zip(("q", "run", "doc"), table.columns, table.column_names, strict=True)
        table = pa.table(
            {
                name: pc.binary_join_element_wise(prefix, column.cast(pa.string()), "")
                for prefix, column, name in called
            }
        )
    pq.write_table(table, path)
    return path


def make_labels(
    folder: Path, *, labels: int, each: int, best: float, categories: int = 4
) -> tuple[Path, Path, Path]:
    """Save who (of a thousand) put which task into which category, in any order.

    Every task has ``each`` labels; workers know between 0.3 and ``best`` of the answers, and guess
    the others.
    """
    import numpy as np

    rng = np.random.default_rng(SEED)
    tasks, workers = labels // each, 1000
    truth = rng.integers(0, categories, tasks)
    quality = rng.uniform(0.3, best, workers)
    task = np.repeat(np.arange(tasks), each)
    worker = (rng.integers(0, workers, tasks)[:, None] + 7 * np.arange(each)).ravel() % workers
    right = rng.random(len(task)) < quality[worker]
    label = np.where(right, truth[task], rng.integers(0, categories, len(task)))
    order = rng.permutation(len(task))
    paths = tuple(folder / f"{name}-{labels}-{each}.npy" for name in ("task", "worker", "label"))
    for path, column in zip(paths, (task, worker, label), strict=True):
        np.save(path, column[order])
    return paths[0], paths[1], paths[2]


def same_share(a: Path, b: Path) -> float:
    """Give the share of equal numbers in two files."""
    import numpy as np

    return float((np.load(a) == np.load(b)).mean())


def study_of_votes(votes: int) -> Any:
    """Make a study of so many votes in memory, without reading or naming anything."""
    import numpy as np

    from consilience.columns import Text
    from consilience.study.model import Answers, Items, Respondents, Study

    queries = votes // (SYSTEMS * LISTED)
    item = _picked(queries)
    item += np.arange(queries, dtype=np.int32)[:, None] * CANDIDATES
    lists = SYSTEMS * queries
    starts = np.arange(queries + 1) * CANDIDATES
    names = tuple(f"run{code}" for code in range(SYSTEMS))
    answers = Answers(
        np.repeat(np.arange(SYSTEMS, dtype=np.int32), queries),
        np.tile(np.arange(queries, dtype=np.int32), SYSTEMS),
        np.arange(lists + 1) * LISTED,
        item.ravel(),
    )
    none = np.zeros(0, np.int32)
    kind: Kind = "system"
    silence: Silence = "no"
    return Study(
        tuple(f"q{code}" for code in range(queries)),
        Respondents(names, (kind,) * SYSTEMS, (None,) * SYSTEMS, (silence,) * SYSTEMS),
        Items(
            Text.of([f"doc{code}" for code in range(CANDIDATES)]),
            np.tile(np.arange(CANDIDATES, dtype=np.int32), queries),
            starts,
        ),
        answers,
        Answers(none, none, np.zeros(1, np.int64), none),
    )


def _picked(queries: int) -> Any:
    """Pick what each system returns of each query's candidates (systems × queries × listed).

    A good system picks from few candidates, a bad one from many, so that they agree in part.
    """
    import numpy as np

    rng = np.random.default_rng(SEED)
    mixed = rng.permutation(CANDIDATES).astype(np.int32)
    window = np.linspace(LISTED + 20, CANDIDATES, SYSTEMS).astype(np.int32)
    picked = np.empty((SYSTEMS, queries, LISTED), np.int32)
    for system in range(SYSTEMS):
        start = rng.integers(0, window[system], (queries, 1), np.int32)
        picked[system] = mixed[(start + np.arange(LISTED, dtype=np.int32)) % window[system]]
    return picked
