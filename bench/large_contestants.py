"""The programs that are compared on large votes; called as in :mod:`bench.contestants`.

``… s`` among the values are CPU seconds that a contestant has measured itself, but ``wall s``.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

MEASURES = ("P", "R", "F1", "P@10", "R@10", "F1@10")
#: Bytes that DuckDB may use.
ROOM = 1_000_000_000


def memory_consilience(file: str) -> dict[str, float]:
    """Read, believe the consensus, score; on arrays in memory."""
    import consilience as cs

    began = time.process_time()
    study = cs.read(file)
    read = time.process_time()
    belief = cs.consensus(study)
    believed = time.process_time()
    scores = cs.score(study, measures=["P", "R", "F1"], belief=belief)
    values = _mean([scores[system] for system in study.systems], ["P", "R", "F1"])
    ended = time.process_time()
    return values | {
        "read s": read - began,
        "consensus s": believed - read,
        "score s": ended - believed,
    }


def memory_cutoffs(file: str) -> dict[str, float]:
    """Compute the same and more at cutoffs, for the values."""
    import consilience as cs

    study = cs.read(file)
    scores = cs.score(study, measures=list(MEASURES), belief=cs.consensus(study))
    return _mean([scores[system] for system in study.systems], MEASURES)


def memory_polars(file: str) -> dict[str, float]:
    """The floor: every column is added up, of names their lengths."""
    import polars as pl

    frame = pl.scan_parquet(file)
    sums = [
        (pl.col(name).str.len_bytes() if kind == pl.String else pl.col(name).cast(pl.Int64)).sum()
        for name, kind in frame.collect_schema().items()
    ]
    return {"total": float(sum(frame.select(sums).collect().row(0)))}


def duckdb_consilience(file: str) -> dict[str, float]:
    """The consensus and the scores as expressions that DuckDB computes."""
    from consilience.engine.duck import connected, open_duck
    from consilience.engine.gathering import sums_of
    from consilience.engine.sums import cutoffs_of, scores_of

    began = time.process_time()
    with connected(memory=ROOM) as duck:
        tables = open_duck(duck, [file])
        opened = time.process_time()
        sums = sums_of(tables, _equal(tables), cutoffs=cutoffs_of(MEASURES))
        added = time.process_time()
        found = scores_of(sums, MEASURES)
    ended = time.process_time()
    return _mean(list(found.values()), MEASURES) | {
        "open s": opened - began,
        "sums s": added - opened,
        "score s": ended - added,
    }


def duckdb_scan(file: str) -> dict[str, float]:
    """The floor: DuckDB adds up every column, of names their lengths."""
    import duckdb

    with duckdb.connect(config={"memory_limit": f"{ROOM}B"}) as connection:
        table = connection.read_parquet(file)
        kinds = zip(table.columns, map(str, table.types), strict=True)
        sums = [f"sum({f'strlen({name})' if 'CHAR' in kind else name})" for name, kind in kinds]
        (row,) = table.aggregate(", ".join(sums)).fetchall()
    return {"total": float(sum(row))}


def spark_consilience(first: str, *files: str) -> dict[str, float]:
    """The same expressions on Spark, on two cores of this machine; CPU is that of its JVM.

    The first file is there for the values, and for Java to compile what it does.
    """
    from consilience.engine.spark import connected

    with connected(master="local[2]", settings={"spark.driver.memory": "4g"}) as spark:
        taken = [_children()]
        values = _on_spark(spark, first)
        taken.append(_children())
        for file in files:
            _on_spark(spark, file)
            taken.append(_children())
    names = ("first", *map(str, range(len(files))))
    each = (f"{name} s" for name in names)
    spent = (after - before for before, after in itertools.pairwise(taken))
    return values | {"start s": taken[0], **dict(zip(each, spent, strict=True))}


def _on_spark(spark: Any, file: str) -> dict[str, float]:
    from consilience.engine.gathering import sums_of
    from consilience.engine.spark import open_spark
    from consilience.engine.sums import cutoffs_of, scores_of

    tables = open_spark(spark, [file])
    sums = sums_of(tables, _equal(tables), cutoffs=cutoffs_of(MEASURES))
    return _mean(list(scores_of(sums, MEASURES).values()), MEASURES)


def _equal(tables: Any) -> Any:
    """Make the consensus in which all systems, ⊤ and ⊥ weigh alike."""
    from consilience.engine.planning import Believing

    share = 1 / (len(tables.respondents) + 2)
    weights = dict.fromkeys(tables.respondents.names, share)
    return Believing("consensus", weights=weights, top=share, bottom=share)


def _children() -> float:
    """Give the CPU seconds that child processes have used so far."""
    ticks = 0
    for children in Path("/proc/self/task").glob("*/children"):
        for child in children.read_text().split():
            used = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
            ticks += int(used[11]) + int(used[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def rank_parts(file: str, out: str, memory: str, *truth: str) -> dict[str, float]:
    """Run the command that ranks beyond memory; few votes, too, go part by part.

    The command's own functions do everything; the one that hands out parts takes their time.
    ``join MB`` is the most that the command itself held from then on.
    """
    from unittest import mock

    from bench.timed_parts import timed
    from bench.watch import peak
    from consilience.engine import ranked, ranking

    taken: list[float] = []
    given = [word for path in truth for word in ("--truth", path)]
    with (
        mock.patch.object(ranking, "each", timed(taken)),
        mock.patch.object(ranked, "MOST_VOTES", 0),
    ):
        code = _ranked(out, file, "--engine", "duckdb", "--memory", memory, *given)
    return {"exit": code, "parts": len(taken), "parts s": sum(taken), "join MB": peak()}


def rank_memory(file: str, out: str, *truth: str) -> dict[str, float]:
    """Run the command in memory."""
    given = [word for path in truth for word in ("--truth", path)]
    return {"exit": _ranked(out, file, "--engine", "memory", *given)}


def _ranked(out: str, *arguments: str) -> float:
    """Run ``consilience rank``; what it prints goes to a file."""
    from contextlib import redirect_stdout

    from consilience.cli import main

    sys.argv = ["consilience", "rank", *arguments, "--json"]
    with Path(out).open("w", encoding="utf-8") as stream, redirect_stdout(stream):
        try:
            main()
        except SystemExit as end:
            return float(end.code or 0)
    return 0.0


def convert_consilience(runs: str, folder: str) -> dict[str, float]:
    """Sort TREC files into a votes file."""
    import consilience as cs

    done = cs.convert(runs, Path(folder) / "votes.parquet")
    return _written(Path(folder) / "votes.parquet") | {"rows": float(done.index.rows)}


def convert_polars(runs: str, folder: str) -> dict[str, float]:
    """Sort TREC files by query and system; nothing is checked."""
    import polars as pl

    path = Path(folder) / "polars.parquet"
    names = ["query", "q0", "item", "rank", "score", "respondent"]
    how: dict[str, Any] = {"separator": " ", "has_header": False, "quote_char": None}
    frame = pl.scan_csv(f"{runs}/*.run", new_columns=names, **how).drop("q0")
    ordered = frame.sort("query", "respondent", maintain_order=True)
    ordered.sink_parquet(path, compression="zstd", compression_level=1)
    return _written(path) | {"rows": float(pl.scan_parquet(path).select(pl.len()).collect().item())}


def convert_duckdb(runs: str, folder: str) -> dict[str, float]:
    """Sort TREC files by query and system; nothing is checked."""
    import duckdb

    path = Path(folder) / "duckdb.parquet"
    text = "types = {'query': 'VARCHAR', 'item': 'VARCHAR'}"
    names = "names = ['query', 'q0', 'item', 'rank', 'score', 'respondent']"
    read = f"read_csv('{runs}/*.run', delim = ' ', header = false, {names}, {text})"
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT * EXCLUDE q0 FROM {read} ORDER BY query, respondent) TO '{path}' "
            "(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)"
        )
        (rows,) = connection.read_parquet(str(path)).aggregate("count(*)").fetchall()
    return _written(path) | {"rows": float(rows[0])}


def convert_cat(runs: str, folder: str) -> dict[str, float]:
    """The floor: files are read and thrown away."""
    with open(os.devnull, "w") as nowhere:
        subprocess.run(["cat", *map(str, sorted(Path(runs).iterdir()))], stdout=nowhere, check=True)
    return {"MB": 0.0}


def _written(path: Path) -> dict[str, float]:
    return {"MB": path.stat().st_size / 1e6}


def _mean(systems: list[Any], measures: Any) -> dict[str, float]:
    """Average over the systems."""
    return {
        measure: sum(scores[measure].value for scores in systems) / len(systems)
        for measure in measures
    }


LARGE: dict[str, Callable[..., dict[str, float]]] = {
    function.__name__: function
    for function in (
        *(memory_consilience, memory_cutoffs, memory_polars, duckdb_consilience, duckdb_scan),
        spark_consilience,
        *(rank_parts, rank_memory),
        *(convert_consilience, convert_polars, convert_duckdb, convert_cat),
    )
}
