"""Large votes: what they cost in memory and beyond it, as their number grows, and to sort."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import median

from bench.bars import Bar, Result, Row, Sizes
from bench.inputs import elsewhere
from bench.large_inputs import LISTED, large_truth, large_votes, trec_files
from bench.measure import Cost, best, run

EXACT = 1e-9
#: CPU over that of a scan of the same file: in memory over polars', inside DuckDB over its own.
IN_MEMORY, IN_DUCKDB = 8.0, 15.0
#: MB that computing inside DuckDB takes at most, and a billion votes with ``--memory 20GB``.
SMALL, WHOLE = 1_500.0, 24 * 1024**3 / 1e6
#: How far the cost of a vote may lie from the median of all sizes.
APART = 0.3
#: Bytes of memory for a vote that ``--engine auto`` reckons with.
RECKONED = 100.0
#: The memory that part by part is allowed: little, and as much as the machine has.
LITTLE, MUCH = "2GB", "20GB"
#: Queries of a file that is small enough to compare values on, and to load programs with.
FEW = 2


def memory(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """From one Parquet file of votes to consensus and every system's P, R and F1, in memory.

    A hundred systems return a thousand items for each query, in order. *numbers* is a table of
    whole numbers, *names* a votes file with names for queries, systems and items. The floor is
    polars' scan of the same file: every column is added up, of names their lengths. Start-up
    counts.
    """
    rows, bars = [], []
    for what, text in (("numbers", False), ("names", True)):
        small, file = (
            large_votes(folder, votes, systems=sizes.systems, text=text)
            for votes in (_few(sizes), sizes.large)
        )
        names = ["memory_consilience", "memory_polars"]
        costs = best(names, file, cache=cache, times=min(sizes.times, 2), first=[small])
        rows += [Row(f"{sizes.large:,} votes, {what}", name, costs[name]) for name in names]
        ours, floor = (costs[name] for name in names)
        bars.append(Bar(f"{what}: CPU over the scan's", ours.cpu / floor.cpu, most=IN_MEMORY))
    return rows, bars


def duckdb(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """The consensus and P, R, F1, of all and of the first ten, as expressions inside DuckDB.

    The files are those of *memory*. DuckDB may use 1 GB; the peak is that of the whole process.
    The floor is DuckDB's own scan of the same file: every column is added up, of names their
    lengths. On a small file the values are compared with those of arrays in memory.
    """
    rows, bars = [], []
    for what, text in (("numbers", False), ("names", True)):
        small, file = (
            large_votes(folder, votes, systems=sizes.systems, text=text)
            for votes in (_few(sizes), sizes.large)
        )
        names = ["duckdb_consilience", "duckdb_scan"]
        costs = best(names, file, cache=cache, times=min(sizes.times, 2), first=[small])
        rows += [Row(f"{sizes.large:,} votes, {what}", name, costs[name]) for name in names]
        ours, floor = (costs[name] for name in names)
        bars.append(Bar(f"{what}: CPU over the scan's", ours.cpu / floor.cpu, most=IN_DUCKDB))
        bars.append(Bar(f"{what}: peak MB", ours.peak, most=SMALL))
        here, there = (
            run(name, small, cache=cache).values
            for name in ("memory_cutoffs", "duckdb_consilience")
        )
        apart = max(abs(there[measure] - value) for measure, value in here.items())
        bars.append(Bar(f"{what}: values apart from memory's", apart, most=EXACT))
    return rows, bars


def spark(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """The same expressions on Spark, on two cores of this machine.

    CPU is that of Spark's JVM for one file, *numbers* of *memory*, from opening it to the scores.
    ``start s`` is what Spark takes to start, ``first s`` what a small file takes, while Java
    compiles: both come once, before. The peak is that of everything, in which Spark may use 4 GB.
    """
    counts = sizes.flat[:2]
    small, *files = (
        large_votes(folder, votes, systems=sizes.systems, text=False)
        for votes in (_few(sizes), *counts)
    )
    cost = run("spark_consilience", small, *files, cache=cache, tree=True)
    here = run("memory_cutoffs", small, cache=cache).values
    once = {name: cost.values[name] for name in ("start s", "first s")}
    rows = [
        Row(f"{count:,} votes", "spark_consilience", Cost(cost.values[f"{n} s"], cost.peak, once))
        for n, count in enumerate(counts)
    ]
    apart = max(abs(cost.values[measure] - value) for measure, value in here.items())
    return rows, [Bar("values apart from memory's", apart, most=EXACT)]


def ranked(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """``consilience rank votes.parquet --engine memory --json``, as users run it.

    The files are as those of *memory*, with fewer votes; without truth, with the usual measures.
    ``--engine auto`` takes memory where 100 bytes for each vote are free.
    """
    rows, bars, votes = [], [], sizes.flat[1]
    for what, text in (("numbers", False), ("names", True)):
        file = large_votes(folder, votes, systems=sizes.systems, text=text)
        cost = run(
            "rank_memory",
            *(file, folder / "ranked.json"),
            cache=cache,
            variables=_homes(folder),
            tree=True,
        )
        rows.append(Row(f"{votes:,} votes, {what}", "rank_consilience", cost))
        each = cost.peak * 1e6 / votes
        bars.append(Bar(f"{what}: bytes a vote, at the peak", each, most=RECKONED))
    return rows, bars


def flat(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """Votes beyond memory are ranked part by part: a vote costs the same however many there are.

    ``consilience rank votes.parquet --engine duckdb --memory 2GB --json``, without truth, with the
    usual measures; also for few votes, which the command would rank at once, part by part.
    ``parts s`` is what is counted: the CPU of reading the parts, of belief and of
    scores, by whichever process. What is done once is left out, and shown as ``once s``: start-up
    of the command and its workers, what is found on a sample of the queries, joining, intervals,
    writing. CPU is that of the whole command, the peak that of all its processes together. On few
    votes the ranking is compared with that in memory.
    """
    rows, each = [], []
    for count in sizes.flat:
        cost = _ranked(sizes, folder, cache, count, LITTLE)
        name = f"{count:,} votes"
        each.append((name, cost.values["parts ns a vote"]))
        rows.append(Row(name, "rank_consilience", cost))
    middle = median(cost for _, cost in each)
    bars = [
        Bar(f"{name}: a vote over the median", cost / middle, least=1 - APART, most=1 + APART)
        for name, cost in each
    ]
    few = _few(sizes)
    small, out = large_votes(folder, few, systems=sizes.systems, text=True), folder / "memory.json"
    run("rank_memory", small, out, cache=cache, variables=_homes(folder))
    _ranked(sizes, folder, cache, few, LITTLE)
    apart = elsewhere(_apart, _verdict(folder, few), out)
    bars.append(Bar("values apart from memory's", apart, most=EXACT))
    return rows, bars


def billion(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """``consilience rank votes.parquet --engine duckdb --memory 20GB --json``, as users run it.

    A hundred systems, a thousand items for each of ten thousand queries: 10⁹ votes. Without truth;
    and, with fewer queries, with a tenth of each query's items judged. The peak is the sum over
    the command and its workers at any one time; pages that they share count once.
    """
    count, judged = sizes.billion
    told = _ranked(
        sizes, folder, cache, judged, MUCH, large_truth(folder, judged, systems=sizes.systems)
    )
    alone = _ranked(sizes, folder, cache, count, MUCH)
    rows = [
        Row(f"{count:,} votes", "rank_consilience", alone),
        Row(f"{judged:,} votes, and truth", "rank_consilience", told),
    ]
    return rows, [
        Bar("exit code", max(row.cost.values["exit"] for row in rows), most=0),
        Bar("peak MB", max(row.cost.peak for row in rows), most=WHOLE),
    ]


def convert(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """TREC files of a hundred systems become one Parquet file, sorted by query and system.

    ``consilience convert`` also checks every row, settles second answers, keeps the order of the
    inputs and writes an index. polars and DuckDB read, sort and write, and check nothing; *cat*
    reads and throws away. MB/s are of the input, by wall time; MB is what was written.
    """
    files, queries = sizes.files
    runs = trec_files(folder, files=files, queries=queries)
    size = sum(path.stat().st_size for path in runs.iterdir()) / 1e6
    names = [f"convert_{name}" for name in ("consilience", "polars", "duckdb", "cat")]
    rows, costs = [], {name: list[Cost]() for name in names}
    for _ in range(sizes.times):  # in turn, so that a busy minute falls on all of them
        for name in names:
            costs[name].append(run(name, runs, folder, cache=cache, tree=True))
    for name, tries in costs.items():
        cost = min(tries, key=lambda one: one.cpu)
        cost.values["MB/s"] = size / min(one.values["wall s"] for one in tries)
        rows.append(Row(f"{files} files, {size:,.0f} MB", name, cost))
    counts = [row.cost.values["rows"] for row in rows[:3]]
    return rows, [Bar("rows apart from polars'", max(counts) - min(counts), most=0)]


def _few(sizes: Sizes) -> int:
    return FEW * sizes.systems * LISTED


def _ranked(
    sizes: Sizes, folder: Path, cache: Path | None, votes: int, memory: str, *truth: Path
) -> Cost:
    """Rank a file, part by part; what is left of an earlier try is not gone on with."""
    file = large_votes(folder, votes, systems=sizes.systems, text=True)
    given: list[Path | str] = [file, _verdict(folder, votes, *truth), memory, *truth]
    cost = run("rank_parts", *given, cache=cache, variables=_homes(folder), tree=True)
    parts = cost.values["parts s"]
    told = {"once s": cost.cpu - parts, "parts ns a vote": parts / votes * 1e9}
    return replace(cost, values=cost.values | told)


def _homes(folder: Path) -> dict[str, str]:
    """Keep results and unfinished work out of the user's own."""
    return {f"CONSILIENCE_{name.upper()}": str(folder / name) for name in ("results", "work")}


def _verdict(folder: Path, votes: int, *truth: Path) -> Path:
    return folder / f"verdict-{votes}-{len(truth)}.json"


def _apart(one: Path, other: Path) -> float:
    """Give the largest difference of scores in two verdicts."""
    import json

    tables: list[dict[tuple[str, str], float]] = [
        {
            (system["name"], measure): score["value"]
            for system in json.loads(path.read_text())["systems"]
            for measure, score in system["scores"].items()
        }
        for path in (one, other)
    ]
    if tables[0].keys() != tables[1].keys():
        return float("inf")
    return max(abs(value - tables[1][key]) for key, value in tables[0].items())
