"""Large votes: made from a seed, query by query; or taken from a folder where they lie already.

Systems return the first thousand of the two thousand items of each query, by scores that
tell good items from others, the better the system. A billion votes take minutes to make: the
variable ``CONSILIENCE_BENCH_DATA`` names a folder where files are looked for, and kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.inputs import elsewhere

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.formats.rows import Kind, Silence

LISTED, POOL = 1_000, 2_000
#: The share of good items, and of items that are judged where there is a truth.
GOOD, JUDGED = 0.1, 0.1
#: Queries that are written together.
TOGETHER = 10
#: Names of items are numbers below this, from a start of each query's own.
NAMES, APART = 1_000_000, 7_919


def large_votes(folder: Path, votes: int, *, systems: int, text: bool) -> Path:
    """Give a Parquet file of so many votes: a votes file with names, or a table of numbers."""
    path = _home(folder) / f"{systems}-systems-{votes}-{'names' if text else 'numbers'}.parquet"
    make = _make_names if text else _make_numbers
    return _made(make, path, systems, votes // (systems * LISTED))


def large_truth(folder: Path, votes: int, *, systems: int) -> Path:
    """Give judgments of a tenth of each query's items, as TREC writes them."""
    path = _home(folder) / f"{systems}-systems-{votes}.qrels"
    return _made(_make_truth, path, systems, votes // (systems * LISTED))


def trec_files(folder: Path, *, files: int, queries: int) -> Path:
    """Give a folder of TREC runs, a file for each system, a thousand results a query."""
    return _made(_make_runs, _home(folder) / f"{files}-runs-{queries}", files, queries)


def _made(make: Callable[[Path, int, int], None], path: Path, systems: int, queries: int) -> Path:
    """Make what is not there; it gets its name when it is whole."""
    if not path.exists():
        aside = path.with_name(f"unfinished-{path.name}")
        elsewhere(make, aside, systems, queries)
        aside.replace(path)
    return path


def _home(folder: Path) -> Path:
    given = os.environ.get("CONSILIENCE_BENCH_DATA")
    return Path(given) if given else folder


def _make_numbers(path: Path, systems: int, queries: int) -> None:
    """Write votes with numbers for names, in the order of queries."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ("query", "respondent", "item", "rank")
    schema = pa.schema([(name, pa.int32()) for name in names])
    who, rank = _lists(systems)
    with pq.ParquetWriter(path, schema, compression="zstd", compression_level=1) as writer:
        batches = []
        for query, (picked, _, _) in enumerate(_queries(systems, queries)):
            item = (picked.ravel() + 7 * query).astype(np.int32)
            columns = (np.full(len(item), query, np.int32), who, item, rank)
            batches.append(pa.RecordBatch.from_arrays(list(map(pa.array, columns)), schema=schema))
            if len(batches) == TOGETHER or query == queries - 1:
                writer.write_table(pa.Table.from_batches(batches))
                batches.clear()


def _make_names(path: Path, systems: int, queries: int) -> None:
    """Write a votes file."""
    import numpy as np

    from consilience.columns import Text
    from consilience.engine.votes_file import Batch, VotesWriter
    from consilience.study.model import Respondents

    who, rank = _lists(systems)
    kind: Kind = "system"
    silence: Silence = "no"
    names = tuple(f"s{system:03d}" for system in range(systems))
    everybody = Respondents(names, (kind,) * systems, (None,) * systems, (silence,) * systems)
    made = _queries(systems, queries)
    with VotesWriter(path, [_query(query) for query in range(queries)], everybody, ["rank"]) as to:
        for low in range(0, queries, TOGETHER):
            here = range(low, min(low + TOGETHER, queries))
            count = len(here)
            items = [next(made)[0].ravel() + POOL * place for place in range(count)]
            (called,) = Text.of(
                [_item(query, item) for query in here for item in range(POOL)]
            ).chunks
            to.write(
                Batch(
                    low,
                    np.full(count, len(who)),
                    np.arange(count + 1) * POOL,
                    called,
                    np.tile(who, count),
                    np.concatenate(items).astype(np.int32),
                    {"rank": np.tile(rank, count)},
                )
            )
        to.finish()


def _make_truth(path: Path, systems: int, queries: int) -> None:
    """Write judgments of items that are drawn without looking; the good ones are relevant."""
    import numpy as np

    rng = np.random.default_rng(1)
    with path.open("w") as file:
        for query, (_, good, _) in enumerate(_queries(systems, queries)):
            drawn = np.sort(rng.choice(POOL, int(JUDGED * POOL), replace=False))
            judged = zip(drawn.tolist(), good[drawn].tolist(), strict=True)
            file.writelines(
                f"{_query(query)} 0 {_item(query, item)} {int(yes)}\n" for item, yes in judged
            )


def _make_runs(path: Path, systems: int, queries: int) -> None:
    """Write what each system returns to a file of its own, best results first."""
    path.mkdir(parents=True)
    streams = [(path / f"s{system:03d}.run").open("w") for system in range(systems)]
    for query, (picked, _, score) in enumerate(_queries(systems, queries)):
        names = [_item(query, item) for item in range(POOL)]
        for system, stream in enumerate(streams):
            found = zip(picked[system].tolist(), score[system].tolist(), strict=True)
            stream.writelines(
                f"{_query(query)} Q0 {names[item]} {rank} {value:.6f} s{system:03d}\n"
                for rank, (item, value) in enumerate(found, start=1)
            )
    for stream in streams:
        stream.close()


def _queries(systems: int, count: int) -> Iterator[tuple[NDArray[Any], ...]]:
    """Make queries: what each system returns, best first; which items are good; the scores."""
    import numpy as np

    rng = np.random.default_rng(0)
    quality = np.linspace(0.3, 1.5, systems, dtype=np.float32)[:, None]
    for _ in range(count):
        good = rng.random(POOL, dtype=np.float32) < GOOD
        score = rng.standard_normal((systems, POOL), dtype=np.float32) + quality * good
        picked = np.argpartition(-score, LISTED, axis=1)[:, :LISTED]
        value = np.take_along_axis(score, picked, 1)
        order = np.argsort(-value, axis=1)
        yield np.take_along_axis(picked, order, 1), good, np.take_along_axis(value, order, 1)


def _lists(systems: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Give the systems and ranks of a query's rows."""
    import numpy as np

    who = np.repeat(np.arange(systems, dtype=np.int32), LISTED)
    return who, np.tile(np.arange(1, LISTED + 1, dtype=np.int32), systems)


def _query(query: int) -> str:
    return f"q{query + 1:05d}"


def _item(query: int, item: int) -> str:
    return f"D{(query * APART + item) % NAMES:07d}"
