"""Opening a database: what is refused, and how it is told."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from consilience.errors import ConsilienceError
from consilience.store.connect import open_database
from consilience.store.projects import make_project, projects
from consilience.store.sources import add_files
from consilience.store.studies import study_of
from tests import postgres
from tests.store.refused import refused


def test_paths_that_are_refused(tmp_path: Path) -> None:
    assert "folder" in refused(tmp_path / "missing" / "a.db")
    assert "is missing" in refused(tmp_path / "missing" / "a.db")
    assert "this is a folder" in refused(tmp_path)
    assert "no such database" in refused(tmp_path / "a.db", create=False)
    assert not (tmp_path / "a.db").exists()
    for odd in ("a\0b", "a\ud800b", ":memory:", "file:a.db?mode=ro"):
        assert "not the name of a file" in refused(odd)
    text = tmp_path / "notes.txt"
    text.write_text("These are my notes, and they are precious.")
    assert "no SQLite database" in refused(text)
    assert text.read_text().startswith("These are my notes")
    (tmp_path / "short").write_bytes(b"x")
    assert "no SQLite database" in refused(tmp_path / "short")


def test_odd_names_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a b.db", "ü猫.db", "a?b=c#d%20e.db", "x:y;z.db"):
        open_database(name).close()
        open_database(Path(name), create=False).close()
        assert (tmp_path / name).is_file()


def test_links_lead_to_the_same_database_and_pictures(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    open_database(tmp_path / "there" / "a.db").close()
    (tmp_path / "link.db").symlink_to(tmp_path / "there" / "a.db")
    db = open_database(tmp_path / "link.db", create=False)
    assert db.files == tmp_path / "there" / "a.db.files"
    db.close()


def test_copies_of_a_database_are_told_apart(file: Path, tmp_path: Path) -> None:
    """What is kept in memory of one is not taken for the other's, though both count alike."""
    (tmp_path / "b.db").write_bytes(file.read_bytes())
    votes, found = tmp_path / "votes.csv", []
    for name, vote in (("a.db", 0), ("b.db", 1)):
        votes.write_text(f"item,system,vote\nx,{name},{vote}\ny,{name},1\n")
        db = open_database(tmp_path / name)
        project = make_project(db, "one")
        add_files(db, project, [votes])
        found.append(study_of(db, project).systems)
        db.close()
    assert found == [("a.db",), ("b.db",)]


def test_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"SQLite format 3\0" + b"\1" * 5000)
    assert "cannot be opened" in refused(path)


def test_somebody_elses_database_is_refused_and_left_alone(
    tmp_path: Path, server: postgres.Server
) -> None:
    path = tmp_path / "recipes.db"
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("CREATE TABLE recipe (name)")
    assert "not Consilience's: it holds the table 'recipe'" in refused(path)
    with closing(sqlite3.connect(path)) as conn:
        assert conn.execute("SELECT name FROM sqlite_master").fetchall() == [("recipe",)]
    url = server.empty()
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as there:
        there.exec_driver_sql("CREATE TABLE recipe (name text)")
    engine.dispose()
    assert "not Consilience's: it holds the table 'recipe'" in refused(url)


@pytest.mark.parametrize("column", ["version", "version_num"])
def test_others_count_versions_too(tmp_path: Path, server: postgres.Server, column: str) -> None:
    path, url = tmp_path / "recipes.db", server.empty()
    for where in (f"sqlite:///{path}", url.replace("postgresql:", "postgresql+psycopg:")):
        engine = sa.create_engine(where)
        with engine.begin() as there:
            there.exec_driver_sql(f"CREATE TABLE schema_version ({column} text)")
            there.exec_driver_sql("INSERT INTO schema_version VALUES ('0001')")
        engine.dispose()
    for mine in (path, url):
        assert "not Consilience's: it holds the table 'schema_version'" in refused(mine)


def test_empty_file_becomes_a_database(tmp_path: Path) -> None:
    (tmp_path / "a.db").touch()
    open_database(tmp_path / "a.db").close()


@pytest.mark.parametrize(
    "tail", ["nobody:hunter2@127.0.0.1:1/x", "nobody@127.0.0.1:1/x?password=hunter2"]
)
def test_server_that_is_not_there_is_told_without_the_password(tail: str) -> None:
    message = refused(f"postgresql://{tail}")
    assert "the server cannot be reached" in message
    assert "hunter2" not in message
    assert "nobody" in message


def test_server_without_the_database_is_told(server: postgres.Server) -> None:
    assert 'database "missing" does not exist' in refused(server.url("missing"))


def test_rights_that_a_server_does_not_give_are_told(server: postgres.Server) -> None:
    server.run("CREATE ROLE plain LOGIN PASSWORD 'hunter2'")
    bare, made = server.empty(), server.fresh()
    as_plain = [url.replace("tests@", "plain:hunter2@") for url in (bare, made)]
    for url, denied, fix in zip(
        as_plain,
        ("for schema public", "for table schema_version"),
        ("GRANT CREATE ON SCHEMA public TO plain, ", "GRANT ALL ON ALL TABLES IN SCHEMA public TO"),
        strict=True,
    ):
        with pytest.raises(ConsilienceError) as error:
            open_database(url)
        message = str(error.value)
        assert f"permission denied {denied} (fix: let the owner" in message
        assert fix in message
        assert "hunter2" not in message
        assert "\n" not in message
    _run(made, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO plain")
    db = open_database(as_plain[1])
    assert projects(db) == []
    with pytest.raises(ConsilienceError, match=r"permission denied for table project \(fix: let"):
        make_project(db, "one")
    db.close()
    _run(made, f"ALTER DATABASE {made.rpartition('/')[2]} SET default_transaction_read_only = on")
    db = open_database(made)
    with pytest.raises(ConsilienceError, match="in a read-only transaction"):
        make_project(db, "one")
    db.close()


def _run(url: str, statement: str) -> None:
    engine = sa.create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.begin() as there:
        there.exec_driver_sql(statement)
    engine.dispose()


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("foo=bar", "PostgreSQL knows no option 'foo' of a URL"),
        ("row_factory=x", "PostgreSQL knows no option 'row_factory' of a URL"),
        ("connect_timeout=abc", "bad value for connect_timeout: 'abc'"),
        ("connect_timeout=hunter2", "bad value for connect_timeout: '***'"),
        ("sslmode=bogus", "invalid sslmode value"),
    ],
)
def test_odd_options_of_a_url_are_told(option: str, said: str) -> None:
    assert said in refused(f"postgresql://u@127.0.0.1:1/d?password=hunter2&{option}")


def test_other_urls_are_refused() -> None:
    assert "'mysql' is no kind of database known here" in refused("mysql://u:hunter2@h/d")
    assert "hunter2" not in refused("mysql://u:hunter2@h/d")
    assert "cannot be read" in refused("postgresql://u:hunter2@h:port/d")
    assert "hunter2" not in refused("postgresql://u:hunter2@h:port/d")


def test_missing_driver_is_told() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from consilience.store.connect import open_database\n"
        "open_database('postgresql://u:hunter2@127.0.0.1/d')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = done.stderr.splitlines()[-1]
    assert "PostgreSQL's driver is not installed (fix: pip install '.[postgres]' in a ch" in last
    assert "hunter2" not in last


def test_reader_of_a_closed_folder_is_told(tmp_path: Path) -> None:
    """Run as an ordinary user: root may write everywhere."""
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(0o555)
    for parent in (tmp_path, *tmp_path.parents):
        if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)
    code = (
        "import sys; from pathlib import Path\n"
        "from consilience.store.connect import open_database\n"
        f"open_database(Path({str(folder / 'a.db')!r}))"
    )
    nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups") * (os.geteuid() == 0)
    done = subprocess.run(
        [*nobody, sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False
    )
    assert "cannot be opened: Permission denied (fix: check its rights)" in done.stderr
