"""A database that is busy, full, damaged or gone: told as "try again", and nothing of the server.

What is wrong with it stands in the app's log. The trouble is real: SQLite files that are locked,
full, closed to writing or overwritten, and a PostgreSQL server that is killed.
"""

from __future__ import annotations

import io
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from consilience.store import connect
from consilience.store.connect import Database, open_database
from consilience.store.draws import draw_items
from consilience.store.labels import history
from consilience.store.people import add_person, respondents
from consilience.store.projects import make_project, project
from consilience.store.sources import add_files
from consilience.web import worker
from consilience.web.jobs import AWAY
from tests import postgres
from tests.store.labelling import write_runs
from tests.web.asked import FOR_EVER
from tests.web.labelling import apart, person
from tests.web.served import PROGRAM, Served, serving

#: Words of the server's innards: parts of paths, of addresses and of errors.
INNARDS = ("hidden-folder", "study.db", "sqlite", "postgres", "127.0.0.1", "tests@", "psycopg")
#: Pages that read, as a person and as the organiser.
READ = ("/work", "/work/answers", "/p/runs/overview", "/p/runs/items", "/p/runs/label", "/")


@contextmanager
def full(db: Database) -> Iterator[None]:
    """Let the file have no page more than it has."""

    def few(connection: sqlite3.Connection, _: object) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")

    with _connected(db, few):
        yield


@contextmanager
def closed(db: Database) -> Iterator[None]:
    """Let the file be read only."""
    with _connected(db, lambda connection, _: connection.execute("PRAGMA query_only = ON")):
        yield


@contextmanager
def locked(db: Database) -> Iterator[None]:
    """Let another program write, and not end."""

    def hasty(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA busy_timeout = 10")

    with closing(sqlite3.connect(str(db.engine.url.database), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with _connected(db, hasty):
            yield


@contextmanager
def overwritten(db: Database) -> Iterator[None]:
    """Put something else in the file's place."""
    db.close()
    file = Path(str(db.engine.url.database))
    whole = file.read_bytes()
    file.write_bytes(b"no database any more" * 1000)
    yield
    db.close()
    file.write_bytes(whole)


@contextmanager
def _connected(db: Database, change: Callable[..., Any]) -> Iterator[None]:
    """Change connections when they are made."""
    db.close()
    sa.event.listen(db.engine, "connect", change)
    yield
    sa.event.remove(db.engine, "connect", change)
    db.close()


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Served]:
    """An app on a SQLite file in a folder with a name that can be found again."""
    (tmp_path / "hidden-folder").mkdir()
    with serving(tmp_path / "hidden-folder" / "study.db") as served:
        yield served


def prepared(db: Database, folder: Path) -> str:
    """Bring runs and draw tasks; give the secret of a person's link."""
    made = make_project(db, "Runs")
    add_files(db, made, write_runs(folder / "runs"))
    draw_items(db, made, "all")
    return add_person(db, made, "Ann")[1]


def check_away(answer: httpx.Response) -> None:
    """See that an answer says to try again, and nothing of the server."""
    assert answer.status_code == 503, answer.text[:500]
    assert int(answer.headers["retry-after"]) >= 1
    assert "try again in a moment" in answer.text
    said = (answer.text + str(answer.headers)).lower()
    assert [word for word in INNARDS if word in said] == []
    if answer.headers["content-type"] == "application/json":
        told = answer.json()
        assert (told["error"], told["status"]) == (AWAY, 503)
    else:
        assert "<h1>Try again in a moment</h1>" in answer.text


def as_both(client: httpx.Client, address: str, **sent: Any) -> Iterator[httpx.Response]:
    """Ask for a page, or send a form, as a browser and as a program."""
    method = "POST" if sent else "GET"
    for accept in ("text/html", "application/json"):
        yield client.request(method, address, headers={"accept": accept}, **sent)


WAYS: dict[str, tuple[Callable[[Database], AbstractContextManager[None]], str]] = {
    "full": (full, "database or disk is full"),
    "closed": (closed, "attempt to write a readonly database"),
    "locked": (locked, "another program has been writing"),
    "overwritten": (overwritten, "file is not a database"),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_cannot_be_written_now_is_kept_later(
    app: Served, client: httpx.Client, tmp_path: Path, caplog: pytest.LogCaptureFixture, way: str
) -> None:
    trouble, reason = WAYS[way]
    secret = prepared(app.db, tmp_path)
    with person(f"{app.url}/w/{secret}") as ann:
        seen = ann.get("/work.json").raise_for_status().json()
        sent = {"task": seen["task"]["id"], "said": "yes", "key": seen["key"]}
        longer = {"kind": "relevance", "guide": "a long word " * 400}  # than there is room left
        with trouble(app.db):
            for answer in as_both(client, "/p/runs/label/question", data=longer):
                check_away(answer)
            for answer in as_both(ann, "/work/save", data=sent) if way != "full" else ():
                check_away(answer)
        assert reason in caplog.text
        assert "study.db" in caplog.text, "the log says where"
        ann.post("/work/save", data=sent).raise_for_status()
    here = project(app.db, "runs")
    (who,) = [one for one in respondents(app.db, here) if one.name == "Ann"]
    assert [one["value"] for one in history(app.db, here, who.id)] == [True]


def test_nobody_is_told_where_the_database_is(
    app: Served, client: httpx.Client, tmp_path: Path
) -> None:
    """Neither who is let in nor who is not: pages, their twins, links, pictures."""
    secret = prepared(app.db, tmp_path)
    with person(f"{app.url}/w/{secret}") as ann, overwritten(app.db):
        for address in READ:
            who = ann if address.startswith("/work") else client
            for answer in as_both(who, address):
                check_away(answer)
            twin = "/index" if address == "/" else address
            check_away(who.get(f"{twin}.json", headers={"accept": "*/*"}))
        for address in (f"/w/{secret}", "/w/xyz"):
            for answer in as_both(client, address):
                check_away(answer)
    assert client.get("/w/xyz").status_code == 404


def test_work_in_the_background_tells_it_too(
    app: Served, client: httpx.Client, tmp_path: Path
) -> None:
    """The app has the file open still; the process that computes does not find it any more."""
    prepared(app.db, tmp_path)
    file = Path(str(app.db.engine.url.database))
    file.rename(file.with_name("elsewhere"))
    sent = {"files": ("more.run", b"q1 Q0 a 1 1.0 more\n")}
    for answer in as_both(client, "/p/runs/upload", files=sent):
        check_away(answer)
    for _ in range(FOR_EVER):
        told = client.get("/p/runs/compare.json")
        if not (told.json().get("computed") or {}).get("job"):
            break
    check_away(told)
    file.with_name("elsewhere").rename(file)
    client.post("/p/runs/upload", files=sent).raise_for_status()


def test_a_file_that_was_removed_takes_nothing(
    app: Served, client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    """What is open still would take all of it, and nobody would find it again."""
    file = Path(str(app.db.engine.url.database))
    client.post("/projects", data={"name": "Before"}).raise_for_status()
    whole = file.with_name("whole.db")
    with closing(sqlite3.connect(file)) as one, closing(sqlite3.connect(whole)) as copy:
        one.backup(copy)
    for beside in file.parent.glob("study.db*"):
        if beside.is_file():
            beside.unlink()
    for answer in as_both(client, "/projects", data={"name": "Lost"}):
        check_away(answer)
    check_away(client.get("/index.json"))
    assert "the file is not there any more" in caplog.text
    assert not file.exists(), "no empty one in its place"
    whole.rename(file)
    client.post("/projects", data={"name": "After"}).raise_for_status()
    told = client.get("/index.json").raise_for_status().json()
    assert sorted(one["name"] for one in told["projects"]) == ["After", "Before"]


def test_what_is_the_users_stays_so(app: Served, client: httpx.Client, tmp_path: Path) -> None:
    """A page that was opened for somebody else is a conflict, and no trouble of the database."""
    secret = prepared(app.db, tmp_path)
    with person(f"{app.url}/w/{secret}") as ann:
        seen = ann.get("/work.json").json()
        sent = {"task": seen["task"]["id"], "said": "yes", "key": seen["key"], "who": 10**6}
        assert ann.post("/work/save", data=sent).status_code == 409


def test_a_disk_without_room_for_files_is_told(
    app: Served, client: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What should be the folder of the files is none."""
    prepared(app.db, tmp_path)
    assert app.db.files is not None
    app.db.files.write_text("in the way")
    for answer in as_both(client, "/p/runs/upload", files={"files": ("a.run", b"q Q0 a 1 1 s\n")}):
        check_away(answer)


def test_all_operations_say_that_they_may_have_to_be_repeated(client: httpx.Client) -> None:
    told = client.get("/openapi.json").raise_for_status().json()
    for methods in told["paths"].values():
        for operation in methods.values():
            assert "Retry-After" in operation["responses"]["503"]["headers"]


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    """A PostgreSQL server of our own, to be killed."""
    with postgres.server(safe=True) as made:
        yield made


def test_a_server_that_goes_away_and_comes_back(server: postgres.Server, tmp_path: Path) -> None:
    """The app of users, in a process of its own: its terminal says what is wrong."""
    where = server.fresh()
    db = open_database(where, files=tmp_path / "files")
    secret = prepared(db, tmp_path)
    db.close()
    with apart(where, tmp_path / "files") as app:
        home = httpx.Client(base_url=app.url, headers=PROGRAM, timeout=120)
        with person(f"{app.url}/w/{secret}") as ann, home as client:
            seen = ann.get("/work.json").raise_for_status().json()
            sent = {"task": seen["task"]["id"], "said": "no", "key": seen["key"]}
            server.kill()
            for answer in as_both(ann, "/work/save", data=sent):
                check_away(answer)
            for address in (f"/w/{secret}", "/w/xyz", "/p/runs/overview", "/p/runs/compare"):
                for answer in as_both(client, address):
                    check_away(answer)
            check_away(client.get("/p/runs/items.json"))
            server.start()
            assert ann.post("/work/save", data=sent).status_code == 200
            assert client.get("/p/runs/overview").status_code == 200
        app.process.terminate()
        assert app.process.stderr is not None
        said = app.process.stderr.read()
        assert f"the database: postgresql://tests@127.0.0.1:{server.port}/" in said
        assert secret not in said


def test_a_database_without_connections_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connect, "_POOL", {"pool_size": 1, "max_overflow": 0, "pool_timeout": 0})
    with (
        serving(tmp_path / "study.db") as served,
        httpx.Client(base_url=served.url, headers=PROGRAM, timeout=60) as client,
        connect.reading(served.db),
    ):
        check_away(client.get("/index.json"))


def test_an_archive_that_cannot_be_written_tells_no_place(app: Served, tmp_path: Path) -> None:
    """It was refused with the path of the server's folder, as if the user had made a mistake."""
    prepared(app.db, tmp_path)
    (tmp_path / "file").write_text("in the way")
    path = str(tmp_path / "file" / "0.zip")
    pack = {"verb": "pack", "project": "runs", "settings": {"form": "archive", "path": path}}
    ended = worker.done(app.db, pack, io.BytesIO())
    assert ended == {"state": "failed", "message": AWAY, "again": True}
