"""The web app and its database: the first page, pages of many items, what storing costs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bench.bars import Bar, Result, Row, Sizes
from bench.inputs import SEED, elsewhere
from bench.measure import Cost, best, run

#: Systems whose answers stand beside each other on the page Items.
SYSTEMS = 10
#: CPU seconds until the first page, from a cold start; of a later page of items.
FIRST, LATER = 1.5, 0.15
#: Times the CPU of bare SQLite: storing answers, reading them, saving one after the other.
STORED, READ, SAVED = 3.0, 2.0, 40.0


def make_answers(folder: Path, answers: int) -> Path:
    """Write answers of ten systems: a vote on every item, in queries of a thousand."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    items = answers // SYSTEMS
    code = np.tile(np.arange(items), SYSTEMS)
    chances = np.random.default_rng(SEED).beta(0.5, 0.5, items)
    votes = np.random.default_rng(SEED + 1).random(len(code)) < chances[code]
    table = pa.table(
        {
            "query": pa.array([f"q{one // 1000:04d}" for one in code]),
            "system": pa.array([f"system-{one // items}" for one in range(len(code))]),
            "item": pa.array([f"item-{one:06d}" for one in code]),
            "vote": pa.array(votes.astype(np.int8)),
        }
    )
    path = folder / f"{answers}.parquet"
    pq.write_table(table, path)
    return path


def make_project(folder: Path, answers: Path, name: str) -> Path:
    """Read answers into a database, as ``serve`` does."""
    from consilience.store.connect import open_database
    from consilience.store.projects import make_project as begin
    from consilience.store.sources import add_files

    path = folder / name
    db = open_database(path)
    project = begin(db, "Benchmark")
    add_files(db, project, [answers])
    db.close()
    return path


def web(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """The web app and its database.

    *First page*: the command ``consilience serve`` on a database with a project, until the first
    page is there and it is stopped again; CPU of all its processes. Beside it the least app that
    FastAPI and uvicorn make. *Items*: the page of ten systems' answers to many items, opened for
    the first time and at later pages; CPU of server and client together. *Answers*: a file of
    answers read into a project and read again as a study, beside ``executemany`` and ``fetchall``
    of Python's own sqlite3 on one table. *Saves*: twenty people label at once, every answer a
    transaction that is on the disk, beside rows of one bare table with the same settings.
    """
    items, answers, saves = sizes.web
    small = elsewhere(make_answers, folder, 200)
    few = elsewhere(make_project, folder, small, "few.db")
    rows, bars = _first(few, cache, sizes.times)
    many = elsewhere(make_answers, folder, items * SYSTEMS)
    base = elsewhere(make_project, folder, many, "many.db")
    for section in (
        _items(base, items, cache),
        _stored(folder, elsewhere(make_answers, folder, answers), answers, cache),
        _saved(folder, saves, cache),
    ):
        rows += section[0]
        bars += section[1]
    return rows, bars


def _first(database: Path, cache: Path | None, times: int) -> Result:
    names = ["web_first_page", "web_overview", "web_least_app"]
    costs = best(names, database, cache=cache, times=times)
    told = {name: _worked(cost) for name, cost in costs.items()}
    ours = told["web_first_page"].cpu
    return [Row("first page", name, told[name]) for name in names], [
        Bar("first page from a cold start, CPU seconds", ours, most=FIRST),
        Bar("the same over the least app's", ours / told["web_least_app"].cpu, most=5.0),
    ]


def _worked(cost: Cost) -> Cost:
    """Take what was measured inside for the cost."""
    values = {name: value for name, value in cost.values.items() if name != "work s"}
    return replace(cost, cpu=cost.values["work s"], values=values)


def _items(database: Path, items: int, cache: Path | None) -> Result:
    cost = run("web_items", database, cache=cache)
    what = f"{items:,} items of {SYSTEMS} systems"
    later = cost.values["later s"]
    return [Row(what, "web_items", replace(cost, cpu=later))], [
        Bar(f"{what}: a later page, CPU seconds", later, most=LATER),
        Bar(f"{what}: in another order, CPU seconds", cost.values["sort s"], most=2 * LATER),
    ]


def _stored(folder: Path, votes: Path, answers: int, cache: Path | None) -> Result:
    what = f"{answers:,} answers"
    costs = {
        name: run(name, votes, folder / f"{name}.db", cache=cache)
        for name in ("web_answers", "web_answers_sqlite3")
    }
    ours, bare = (cost.values for cost in costs.values())
    told = [
        Row(what, name, replace(cost, cpu=cost.values["stored s"] + cost.values["read s"]))
        for name, cost in costs.items()
    ]
    return told, [
        Bar(f"{what}: storing over sqlite3", ours["stored s"] / bare["stored s"], most=STORED),
        Bar(f"{what}: reading over sqlite3", ours["read s"] / bare["read s"], most=READ),
        Bar(f"{what}: answers apart", abs(ours["answers"] - bare["answers"]), most=0),
    ]


def _saved(folder: Path, saves: int, cache: Path | None) -> Result:
    what = f"{saves:,} saves"
    costs = {
        name: run(name, str(saves), folder / f"{name}.db", cache=cache)
        for name in ("web_saves", "web_saves_sqlite3")
    }
    ours, bare = (_worked(cost) for cost in costs.values())
    told = [Row(what, name, cost) for name, cost in zip(costs, (ours, bare), strict=True)]
    return told, [
        Bar(f"{what}: CPU over bare sqlite3's", ours.cpu / bare.cpu, most=SAVED),
        Bar(f"{what}: apart from those that are kept", saves - ours.values["kept"], most=0),
    ]
