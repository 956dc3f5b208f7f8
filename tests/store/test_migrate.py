"""Tables from every earlier revision: nothing is lost, and what comes out is what is written."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from consilience.errors import ConsilienceError, UsageError
from consilience.store import connect, migrate
from consilience.store import schema as s
from consilience.store.connect import Database, open_database, reading
from consilience.store.migrate import HEAD, VERSIONS, bring_up_to_date
from consilience.store.projects import make_project, projects
from tests import postgres

REVISIONS = sorted(path.name.partition("_")[0] for path in VERSIONS.glob("[0-9]*_*.py"))
#: What a database of a revision may hold, as it was when that revision was the newest.
FILLED = Path(__file__).parent / "versions"


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Database]:
    """A database without tables: what opening makes stays away."""
    with monkeypatch.context() as patch:
        patch.setattr(migrate, "bring_up_to_date", lambda db: "")
        if request.param == "sqlite":
            made = open_database(tmp_path / "benchmark.db")
        else:
            made = open_database(request.getfixturevalue("server").empty())
    yield made
    made.close()


def filled(db: Database, revision: str, versions: Path = VERSIONS) -> dict[str, list[Any]]:
    """Make the tables of a revision, fill them, and give what they hold."""
    bring_up_to_date(db, head=revision, versions=versions)
    with db.engine.connect().execution_options(writing=True) as conn, conn.begin():
        for line in (FILLED / f"{revision}.sql").read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("--"):
                conn.exec_driver_sql(line.replace("%", "%%"))
    return held(db)


def held(db: Database) -> dict[str, list[Any]]:
    """Give all rows of all tables, each as a dict."""
    found = sa.MetaData()
    with reading(db) as conn:
        found.reflect(conn)
        return {
            name: sorted((dict(row._mapping) for row in conn.execute(table.select())), key=repr)
            for name, table in found.tables.items()
        }


def test_head_is_the_newest_revision() -> None:
    assert REVISIONS[-1] == HEAD
    assert {path.stem for path in FILLED.glob("*.sql")} == {*REVISIONS}


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_revision_comes_up_to_date(empty: Database, revision: str) -> None:
    db = empty
    before = filled(db, revision)
    assert all(rows for name, rows in before.items()), "a table of the fixture is empty"
    bring_up_to_date(db)
    after = held(db)
    assert after.pop(migrate.TABLE) == [{"version_num": HEAD}]
    for name, rows in before.items():
        if name != migrate.TABLE:
            kept = [{key: row[key] for key in rows[0] if key in row} for row in after[name]]
            assert kept == rows
    assert sound(db)
    assert differences(db) == []
    db.close()


def same_rows(found: list[Any], wanted: list[Any]) -> bool:
    return sorted(map(repr_of, found)) == sorted(map(repr_of, wanted))


def repr_of(row: dict[str, Any]) -> str:
    return repr(sorted(row.items()))


def kept_to_their_rules(db: Database) -> None:
    """See that answers are still added, never changed, go with their project and refer to rows."""
    for statement, told in (
        ("UPDATE answer SET vote = 0.5", "answers are added, never changed"),
        ("DELETE FROM answer", "answers go with their project alone"),
        ("DELETE FROM source", "answers go with their project alone"),
        (
            "INSERT INTO answer (id, project_id, source_id, place, respondent_id, query_id, "
            "item_id) VALUES (1000, 1, 1, 99, 1, 1, 999)",
            "FOREIGN KEY|refers to what is not there",
        ),
    ):
        with pytest.raises(sa.exc.DBAPIError, match=told), connect.writing(db) as conn:
            conn.exec_driver_sql(statement)


def sound(db: Database) -> bool:
    if not db.is_sqlite:
        return True  # it looks at every statement
    with reading(db) as conn:
        return conn.exec_driver_sql("PRAGMA foreign_key_check").first() is None


def written(db: Database) -> sa.MetaData:
    """Give the schema as this kind of database has it: Alembic does not look at that."""
    other = "md5" if db.is_sqlite else "name"
    made = sa.MetaData(naming_convention=s.metadata.naming_convention)
    for table in s.metadata.tables.values():
        copy = table.to_metadata(made)
        copy.indexes -= {one for one in copy.indexes if one.name == f"uq_{copy.name}_{other}"}
        if copy.name == "answer" and not db.is_sqlite:
            copy.constraints -= copy.foreign_key_constraints
    return made


def differences(db: Database) -> list[Any]:
    """Compare a database's tables with what is written in the schema."""
    with reading(db) as conn:
        context = MigrationContext.configure(conn, opts={"version_table": migrate.TABLE})
        return [*compare_metadata(context, written(db))]


def test_new_database_is_as_written(db: Database) -> None:
    assert differences(db) == []


SECOND = '''
"""Rewrites tables that others refer to, and answers, which have triggers."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    for name in ("project", "respondent", "query"):
        with op.batch_alter_table(name, recreate="auto") as table:
            table.add_column(sa.Column("colour", sa.Text, server_default="red", nullable=False))
            table.alter_column("name", new_column_name="title")
    with op.batch_alter_table("answer", recreate="auto") as table:
        table.alter_column("shown", new_column_name="seen")
'''
#: What the second revision calls otherwise, table by table.
RENAMED = {name: {"name": "title"} for name in ("project", "respondent", "query")}
RENAMED["answer"] = {"shown": "seen"}
BROKEN = SECOND + '    op.execute("UPDATE nothing SET nothing = 1")\n'


def later(tmp_path: Path, text: str) -> Path:
    """Make a folder of revisions with one more."""
    folder = tmp_path / "later" / "versions"
    shutil.copytree(VERSIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "0002_second.py").write_text(text)
    return folder


def test_rewriting_a_table_keeps_what_refers_to_it(empty: Database, tmp_path: Path) -> None:
    db, versions = empty, later(tmp_path, SECOND)
    before = filled(db, "0001", versions)
    bring_up_to_date(db, head="0002", versions=versions)
    after = held(db)
    for name in before.keys() - {migrate.TABLE}:
        called = RENAMED.get(name, {})
        rows = [{called.get(key, key): row[key] for key in row} for row in before[name]]
        more = {"colour": "red"} if "name" in called else {}
        assert same_rows(after[name], [row | more for row in rows]), name
    kept_to_their_rules(db)
    assert sound(db)
    if db.is_sqlite:
        with db.engine.connect() as conn:  # and from now on foreign keys hold again
            assert conn.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        copy = tmp_path / "benchmark.db.before-0002"
        with closing(sqlite3.connect(copy)) as kept:
            assert kept.execute("SELECT version_num FROM schema_version").fetchall() == [("0001",)]
            count = kept.execute("SELECT count(*) FROM answer").fetchone()[0]
            assert count == len(before["answer"])
        assert not [*tmp_path.glob(".*")]
    db.close()


def test_a_copy_that_cannot_be_written_stops_the_change(file: Path, tmp_path: Path) -> None:
    db, versions = open_database(file), later(tmp_path, SECOND)
    make_project(db, "one")
    (tmp_path / "a.db.before-0002").mkdir()
    with pytest.raises(ConsilienceError, match=r"a\.db\.before-0002: the copy .* \(fix: make room"):
        bring_up_to_date(db, head="0002", versions=versions)
    assert [one.name for one in projects(db)] == ["one"]
    assert not [*tmp_path.glob(".*")]
    db.close()


def test_a_change_that_fails_changes_nothing(empty: Database, tmp_path: Path) -> None:
    db, versions = empty, later(tmp_path, BROKEN)
    before = filled(db, "0001", versions)
    with pytest.raises((ConsilienceError, sa.exc.DBAPIError), match="nothing"):
        bring_up_to_date(db, head="0002", versions=versions)
    assert held(db) == before
    assert differences(db) == []
    db.close()


def test_rows_that_refer_to_nothing_are_told(file: Path, tmp_path: Path) -> None:
    db = open_database(file)
    db.close()
    with closing(sqlite3.connect(file)) as conn:  # foreign keys are off
        conn.execute("INSERT INTO tree (project_id, name, created) VALUES (7, 'x', '')")
        conn.commit()
    with pytest.raises(ConsilienceError, match="rows of tree refer to rows of project"):
        bring_up_to_date(db, head="0002", versions=later(tmp_path, SECOND))
    db.close()


def test_later_schema_is_refused(db: Database, tmp_path: Path) -> None:
    with db.engine.connect().execution_options(writing=True) as conn, conn.begin():
        conn.exec_driver_sql(f"UPDATE {migrate.TABLE} SET version_num = '0999'")
    with pytest.raises(
        UsageError, match=f"revision 0999, and this program knows them up to {HEAD}"
    ):
        bring_up_to_date(db)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_programs_that_start_at_once_make_one_database(
    kind: str, tmp_path: Path, server: postgres.Server
) -> None:
    where = str(tmp_path / "a.db") if kind == "sqlite" else server.empty()
    opened: list[Database] = []
    threads = [
        threading.Thread(target=lambda: opened.append(open_database(where))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(opened) == 6
    for db in opened:
        with reading(db) as conn:
            assert migrate.revision(conn) == HEAD
        db.close()


def test_opening_what_is_up_to_date_does_not_import_alembic(file: Path) -> None:
    code = (
        "import sys; from consilience.store.connect import open_database\n"
        f"open_database({str(file)!r})\n"
        "sys.exit('alembic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_answers_are_added_never_changed(db: Database) -> None:
    filled(db, HEAD)
    with (
        pytest.raises(sa.exc.DBAPIError, match="answers are added, never changed"),
        connect.writing(db) as conn,
    ):
        conn.execute(s.answer.update().values(vote=0.5))
    for table in (s.answer, s.source):
        with (
            pytest.raises(sa.exc.DBAPIError, match="answers go with their project alone"),
            connect.writing(db) as conn,
        ):
            conn.execute(table.delete())


@pytest.mark.parametrize("column", sorted(s.REFERS))
def test_answers_refer_to_what_is_there(db: Database, column: str) -> None:
    filled(db, HEAD)
    with connect.reading(db) as conn:
        row = dict(conn.execute(s.answer.select().where(s.answer.c.id == 1)).one()._mapping)
    row |= {"id": 1000, "key": None, "supersedes": None, column: 999}
    with pytest.raises(sa.exc.IntegrityError), connect.writing(db) as conn:
        conn.execute(s.answer.insert().values(row))
