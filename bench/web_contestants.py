"""The web app and its database, and the least that such programs can take."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

#: Who saves at once.
WRITERS = 20
#: Pages that are opened after the first.
PAGES = 12
#: The least app: one page, as its documentation shows.
_HELLO = """
import sys
import uvicorn
from fastapi import FastAPI
from fastapi.responses import HTMLResponse
app = FastAPI()
@app.get("/", response_class=HTMLResponse)
def home():
    return "<h1>hello</h1>"
import socket
listening = socket.create_server(("127.0.0.1", 0))
print(f"at http://127.0.0.1:{listening.getsockname()[1]}", file=sys.stderr, flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])
"""
#: As the app sets SQLite up.
_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA busy_timeout = 30000",
    "PRAGMA foreign_keys = ON",
)


def _get(address: str) -> str:
    from urllib.request import urlopen

    with urlopen(address) as answer:
        return str(answer.read().decode())


def _served(command: list[str], path: str) -> dict[str, float]:
    """Start a server, ask for a page, stop it: CPU of all its processes, and seconds until then."""
    before, began = getrusage(RUSAGE_CHILDREN), time.monotonic()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[-1].rstrip("/")
        page = _get(address + path)
        wall = time.monotonic() - began
        process.terminate()
        process.stderr.read()
    after = getrusage(RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"work s": cpu, "wall s": wall, "page": float(len(page))}


def web_first_page(database: str) -> dict[str, float]:
    command = [sys.executable, "-m", "consilience", "serve", "--database", database]
    return _served([*command, "--port", "0", "--no-browser"], "/")


def web_overview(database: str) -> dict[str, float]:
    command = [sys.executable, "-m", "consilience", "serve", "--database", database]
    return _served([*command, "--port", "0", "--no-browser"], "/p/benchmark/overview")


def web_least_app(_: str) -> dict[str, float]:
    return _served([sys.executable, "-c", _HELLO], "/")


@contextmanager
def _here(database: str) -> Iterator[str]:
    """Serve in this process; give the address."""
    import socket
    import threading

    import uvicorn

    from consilience.store.connect import open_database
    from consilience.web.app import create_app

    db = open_database(database)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_app(db), log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join()
    db.close()


def web_items(database: str) -> dict[str, float]:
    """Open the page Items: the first time, later pages, other orders."""
    with _here(database) as home:
        here = f"{home}/p/benchmark/items"
        _get(home)  # the app itself is there
        began = time.process_time()
        first = _get(f"{here}.json")  # a page waits a second at most, a program for the table
        opened = time.process_time() - began
        later, page = [], ""
        for number in range(2, PAGES + 2):
            began = time.process_time()
            page = _get(f"{here}?page={number}")
            later.append(time.process_time() - began)
        began = time.process_time()
        _get(f"{here}?sort=disagreement")
        sort = time.process_time() - began
        began = time.process_time()
        _get(f"{here}?text=7")
        find = time.process_time() - began
    assert "item-" in first
    assert "item-" in page
    later.sort()
    middle = later[len(later) // 2]
    told = {"first s": opened, "later s": middle, "slowest s": later[-1]}
    return told | {"sort s": sort, "find s": find}


def web_answers(votes: str, database: str) -> dict[str, float]:
    """Read a file of answers into a project; read them again as a study."""
    from consilience.store import studies
    from consilience.store.connect import open_database
    from consilience.store.projects import make_project
    from consilience.store.sources import add_files

    Path(database).unlink(missing_ok=True)
    db = open_database(database)
    project = make_project(db, "Benchmark")
    began = time.process_time()
    add_files(db, project, [votes])
    stored = time.process_time() - began
    db.close()
    db = open_database(database)
    began = time.process_time()
    study = studies.study_of(db, project)
    read = time.process_time() - began
    db.close()
    return {"stored s": stored, "read s": read, "answers": float(study.answers.item.size)}


def web_answers_sqlite3(votes: str, database: str) -> dict[str, float]:
    """Keep the same rows in one table of SQLite's, and fetch them all again."""
    import sqlite3

    import pyarrow.parquet as pq

    Path(database).unlink(missing_ok=True)
    conn = sqlite3.connect(database, isolation_level=None)
    for pragma in _PRAGMAS:
        conn.execute(pragma)
    conn.execute("CREATE TABLE answer (id INTEGER PRIMARY KEY, query, system, item, vote)")
    began = time.process_time()
    columns = pq.read_table(votes).to_pydict()
    rows = zip(*(columns[name] for name in ("query", "system", "item", "vote")), strict=True)
    conn.execute("BEGIN IMMEDIATE")
    conn.executemany("INSERT INTO answer (query, system, item, vote) VALUES (?, ?, ?, ?)", rows)
    conn.execute("COMMIT")
    stored = time.process_time() - began
    conn.close()
    conn = sqlite3.connect(database)
    began = time.process_time()
    found = conn.execute("SELECT query, system, item, vote FROM answer").fetchall()
    read = time.process_time() - began
    return {"stored s": stored, "read s": read, "answers": float(len(found))}


def _together(save: Callable[[int, int], None], saves: int) -> dict[str, float]:
    """Let twenty threads save at once."""
    from concurrent.futures import ThreadPoolExecutor

    each = saves // WRITERS

    def write(writer: int) -> None:
        for number in range(each):
            save(writer, number)

    began, wall = time.process_time(), time.monotonic()
    with ThreadPoolExecutor(WRITERS) as pool:
        for done in [pool.submit(write, writer) for writer in range(WRITERS)]:
            done.result()
    return {"work s": time.process_time() - began, "wall s": time.monotonic() - wall}


def web_saves(saves: str, database: str) -> dict[str, float]:
    """Twenty people label; every answer is a transaction of its own."""
    import sqlalchemy as sa

    from consilience.store import schema as s
    from consilience.store.connect import open_database, reading
    from consilience.store.content import add_items
    from consilience.store.draws import draw_items
    from consilience.store.labels import Said, save_label
    from consilience.store.people import add_person
    from consilience.store.projects import make_project
    from consilience.store.question import Question, ask

    number = int(saves)
    Path(database).unlink(missing_ok=True)
    db = open_database(database)
    project = make_project(db, "Benchmark")
    add_items(db, project, [(f"item {k}", f"text {k}") for k in range(number // WRITERS)])
    project = ask(db, project, Question(overlap=WRITERS))
    draw_items(db, project, "all")
    people = [add_person(db, project, f"person {k}")[0].id for k in range(WRITERS)]
    with reading(db) as conn:
        tasks = [*conn.scalars(sa.select(s.task.c.id))]

    def save(writer: int, turn: int) -> None:
        said = Said(turn % 2 == 0, None, 1.5, {"kind": "relevance"})
        save_label(db, project, people[writer], tasks[turn], said, key=f"{writer} {turn}")

    cost = _together(save, number)
    with reading(db) as conn:
        kept = conn.scalar(sa.select(sa.func.count()).select_from(s.answer))
    db.close()
    return cost | {"kept": float(kept or 0)}


def web_saves_sqlite3(saves: str, database: str) -> dict[str, float]:
    """The same number of rows, each in a transaction of its own, into one bare table."""
    import sqlite3
    import threading

    Path(database).unlink(missing_ok=True)
    held = threading.local()

    def connected() -> sqlite3.Connection:
        if not hasattr(held, "conn"):
            held.conn = sqlite3.connect(database, isolation_level=None)
            for pragma in _PRAGMAS:
                held.conn.execute(pragma)
        return held.conn  # type: ignore[no-any-return]

    connected().execute("CREATE TABLE answer (id INTEGER PRIMARY KEY, person, item, vote, key)")

    def save(writer: int, turn: int) -> None:
        conn = connected()
        conn.execute("BEGIN IMMEDIATE")
        conn.execute(
            "INSERT INTO answer (person, item, vote, key) VALUES (?, ?, ?, ?)",
            (writer, turn, turn % 2, f"{writer} {turn}"),
        )
        conn.execute("COMMIT")

    cost = _together(save, int(saves))
    (kept,) = connected().execute("SELECT count(*) FROM answer").fetchone()
    return cost | {"kept": float(kept)}


WEB: dict[str, Callable[..., dict[str, float]]] = {
    function.__name__: function
    for function in (
        *(web_first_page, web_overview, web_least_app, web_items),
        *(web_answers, web_answers_sqlite3, web_saves, web_saves_sqlite3),
    )
}
