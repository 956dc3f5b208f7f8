"""Who waits for whom, and what a database in use says of itself: busy, full, damaged, gone."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from consilience.errors import ConsilienceError, UsageError
from consilience.store import connect
from consilience.store import schema as s
from consilience.store.connect import Database, open_database, reading, writing
from consilience.store.content import item_view
from consilience.store.projects import changed, make_project, projects
from consilience.store.projects import project as find_project
from consilience.store.settings import secret
from consilience.store.sources import add_files, sources
from tests import postgres


def test_tables_are_as_they_should_be_opened(db: Database) -> None:
    with reading(db) as conn:
        assert conn.execute(sa.select(sa.func.count()).select_from(s.project)).scalar() == 0
        if not db.is_sqlite:
            assert conn.exec_driver_sql("SHOW transaction_read_only").scalar() == "on"
            assert conn.exec_driver_sql("SHOW transaction_isolation").scalar() == "repeatable read"
            return
        found = {
            name: conn.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "busy_timeout", "foreign_keys", "synchronous")
        }
    assert found == {
        "journal_mode": "wal",
        "busy_timeout": 30_000,
        "foreign_keys": 1,
        "synchronous": 2,
    }


def test_what_fails_is_not_kept(db: Database) -> None:
    def fail() -> None:
        with writing(db) as conn:
            conn.execute(s.setting.insert().values(name="a", value="b"))
            raise KeyError("a")

    with pytest.raises(KeyError):
        fail()
    with reading(db) as conn:
        assert conn.execute(s.setting.select().where(s.setting.c.name == "a")).first() is None


def test_readers_see_one_moment(db: Database) -> None:
    make_project(db, "one")
    with reading(db) as conn:
        before = [*conn.scalars(sa.select(s.project.c.name))]
        make_project(db, "two")  # nobody waits for a reader
        assert [*conn.scalars(sa.select(s.project.c.name))] == before
    assert len(projects(db)) == 2


def test_writers_wait_for_each_other(db: Database) -> None:
    """Every writer reads a number and writes the next one: none is lost."""

    def count() -> None:
        for _ in range(10):
            with writing(db) as conn:
                here = s.setting.c.name == "count"
                found = sa.select(s.setting.c.value).where(here).with_for_update()
                value = int(conn.execute(found).scalar_one())
                conn.execute(s.setting.update().where(here).values(value=str(value + 1)))

    with writing(db) as conn:
        conn.execute(s.setting.insert().values(name="count", value="0"))
    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with reading(db) as conn:
        here = sa.select(s.setting.c.value).where(s.setting.c.name == "count")
        assert conn.execute(here).scalar() == "80"


def test_a_busy_database_is_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "_PRAGMAS", ("PRAGMA busy_timeout = 10",))
    db = open_database(file)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(ConsilienceError, match=r"a\.db: another program has been writing"):
            make_project(db, "x")
    db.close()


def test_secret_is_made_once(db: Database) -> None:
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(secret(db))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert len({*found}) == 1
    assert len(found[0]) == 43  # 256 bits, six a character


def test_nobody_waits_for_a_project_that_is_made_while_another_is_written(
    server: postgres.Server,
) -> None:
    db = open_database(server.fresh())
    one, two = make_project(db, "one"), make_project(db, "two")
    made: list[str] = []
    with writing(db) as conn:
        changed(conn, one.id)  # a long write
        thread = threading.Thread(target=lambda: made.append(make_project(db, "three").slug))
        thread.start()
        thread.join(10)
        assert made == ["three"]
        with writing(db) as other:
            other.exec_driver_sql("SET LOCAL lock_timeout = '5s'")
            assert changed(other, two.id) == 1
        assert len(secret(db)) == 43
    thread.join()
    db.close()


def test_two_programs_do_not_choose_one_slug(db: Database) -> None:
    slugs: list[str] = []
    make = [
        threading.Thread(target=lambda: slugs.append(make_project(db, "same").slug))
        for _ in range(6)
    ]
    for thread in make:
        thread.start()
    for thread in make:
        thread.join()
    assert sorted(slugs) == ["same", *(f"same-{number}" for number in range(2, 7))]


def test_a_full_disk_is_told_and_changes_nothing(file: Path, tmp_path: Path) -> None:
    db = open_database(file)
    project = make_project(db, "one")
    votes = tmp_path / "votes.csv"
    lines = [f"item {number},A,1\n" for number in range(5_000)]
    votes.write_text("item,system,vote\n" + "".join(lines))

    def few_pages(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA max_page_count = 60")

    db.close()
    sa.event.listen(db.engine, "connect", few_pages)
    with pytest.raises(ConsilienceError, match=r"a\.db: database or disk is full$"):
        add_files(db, project, [votes])
    assert sources(db, project) == []
    db.close()


def test_all_connections_in_use_is_told(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = {"pool_size": 1, "max_overflow": 0, "pool_timeout": 0}
    monkeypatch.setattr(connect, "_POOL", few)
    db = open_database(file)
    with reading(db), pytest.raises(ConsilienceError, match="all connections are in use"):
        projects(db)
    db.close()


@pytest.mark.parametrize("number", [3_000_000_000, 2**63, 2**70])
def test_numbers_that_no_row_has(db: Database, number: int) -> None:
    """PostgreSQL's whole numbers end at 2³¹, SQLite's at 2⁶³; addresses go on."""
    project = make_project(db, "one")
    with pytest.raises(UsageError):
        item_view(db, project, number)


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_text_that_is_none(db: Database, name: str) -> None:
    with pytest.raises(UsageError):
        find_project(db, name)


def test_a_file_that_is_damaged_while_it_is_open_is_told(file: Path) -> None:
    db = open_database(file)
    make_project(db, "one")
    db.close()
    whole = file.read_bytes()
    with closing(sqlite3.connect(file)) as conn:
        here = conn.execute("SELECT rootpage FROM sqlite_master WHERE name = 'project'").fetchone()
    page = int.from_bytes(whole[16:18])
    first = (here[0] - 1) * page
    file.write_bytes(whole[:first] + b"\x5a" * page + whole[first + page :])
    with pytest.raises(ConsilienceError, match=r"malformed \(fix: use a copy of the file"):
        projects(db)
    db.close()


def test_wrong_statements_of_our_own_are_not_taken_for_the_servers_fault(
    server: postgres.Server,
) -> None:
    db = open_database(server.fresh())
    for wrong in ("SELECT nothing FROM project", "SELEC", "SELECT 1 / 0 FROM missing"):
        with pytest.raises(sa.exc.ProgrammingError), reading(db) as conn:
            conn.exec_driver_sql(wrong)
    with pytest.raises(sa.exc.IntegrityError), writing(db) as conn:
        conn.exec_driver_sql("INSERT INTO setting VALUES ('a', 'b'), ('a', 'c')")
    db.close()


def test_many_rows_are_not_looked_up_as_few_would_be(
    server: postgres.Server, tmp_path: Path
) -> None:
    """A server that takes its tables for empty keeps a large file about as quickly as any."""
    db, many = open_database(server.fresh()), tmp_path / "many.csv"
    rows = (f"item {number},A,1\n" for number in range(15_000))
    many.write_text("item,system,vote\n" + "".join(rows))
    took = []
    for known in ("reltuples = 0, relpages = 9", "reltuples = -1, relpages = 0"):
        with writing(db) as conn:  # as it is after a project went, and before anything came
            tables = "('item', 'query', 'source', 'respondent')"
            conn.exec_driver_sql(f"UPDATE pg_class SET {known} WHERE relname IN {tables}")
        begun = time.perf_counter()
        add_files(db, make_project(db, known), [many])
        took.append(time.perf_counter() - begun)
    db.close()
    assert took[0] < 4 * took[1]
