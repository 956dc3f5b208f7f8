"""Opening a database: what is refused, and how it is told; who waits for whom."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path, PurePosixPath

import pytest
import sqlalchemy as sa

from consilience.errors import ConsilienceError, UsageError
from consilience.store import connect, drives
from consilience.store import schema as s
from consilience.store.connect import Database, open_database, reading, writing
from consilience.store.content import item_view
from consilience.store.projects import changed, make_project, projects
from consilience.store.projects import project as find_project
from consilience.store.settings import secret
from consilience.store.sources import add_files, sources
from consilience.store.studies import study_of
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


def test_a_busy_database_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "_PRAGMAS", ("PRAGMA busy_timeout = 10",))
    db = open_database(tmp_path / "a.db")
    with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as other:
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


def refused(where: str | Path, *, create: bool = True) -> str:
    with pytest.raises(UsageError) as error:
        open_database(where, create=create)
    message = str(error.value)
    assert "\n" not in message
    assert "(fix: " in message
    return message


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


def test_copies_of_a_database_are_told_apart(tmp_path: Path) -> None:
    """What is kept in memory of one is not taken for the other's, though both count alike."""
    open_database(tmp_path / "a.db").close()
    (tmp_path / "b.db").write_bytes((tmp_path / "a.db").read_bytes())
    votes, found = tmp_path / "votes.csv", []
    for name, vote in (("a.db", 0), ("b.db", 1)):
        votes.write_text(f"item,system,vote\nx,{name},{vote}\ny,{name},1\n")
        db = open_database(tmp_path / name)
        project = make_project(db, "one")
        add_files(db, project, [votes])
        found.append(study_of(db, project).systems)
        db.close()
    assert found == [("a.db",), ("b.db",)]


def test_a_full_disk_is_told_and_changes_nothing(tmp_path: Path) -> None:
    db = open_database(tmp_path / "a.db")
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


def test_all_connections_in_use_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = {"pool_size": 1, "max_overflow": 0, "pool_timeout": 0}
    monkeypatch.setattr(connect, "_POOL", few)
    db = open_database(tmp_path / "a.db")
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


def test_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"SQLite format 3\0" + b"\1" * 5000)
    assert "cannot be opened" in refused(path)


def test_a_file_that_is_damaged_while_it_is_open_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    db = open_database(path)
    for number in range(200):
        make_project(db, f"{number} {'x' * 250}")
    db.close()
    whole = path.read_bytes()
    with closing(sqlite3.connect(path)) as conn:
        here = conn.execute("SELECT rootpage FROM sqlite_master WHERE name = 'project'").fetchone()
    page = int.from_bytes(whole[16:18])
    first = (here[0] - 1) * page
    path.write_bytes(whole[:first] + b"\x5a" * page + whole[first + page :])
    with pytest.raises(ConsilienceError, match=r"malformed \(fix: use a copy of the file"):
        projects(db)
    db.close()


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
    assert "PostgreSQL's driver is not installed (fix: pip install 'consilience[postgres]')" in last
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


MOUNTS = r"""22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 27 0:40 / /home rw,relatime shared:20 - nfs4 server:/home rw,vers=4.2
41 40 0:41 / /home/local\040disk rw,relatime - xfs /dev/vdb rw
42 27 0:42 / /mnt/c rw,noatime - 9p drvfs rw,dirsync
43 27 0:43 / /far rw,nosuid - fuse.sshfs me@host: rw
44 27 0:44 / /data rw - nfs nas:/data rw
45 44 0:45 / /data rw - ext4 /dev/vdc rw
46 27 0:46 / /shared rw - virtiofs host rw
47 27 0:47 / /over rw - overlay overlay rw
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var/a.db", None),
        ("/home/ann/a.db", "nfs4"),
        ("/homework/a.db", None),
        ("/home/local disk/a.db", None),
        ("/mnt/c/Users/ann/a.db", "9p"),
        ("/far/a.db", "fuse.sshfs"),
        ("/data/a.db", None),  # mounted over
        ("/shared/a.db", None),
        ("/over/a.db", None),
    ],
)
def test_network_drives_are_found(path: str, kind: str | None) -> None:
    assert drives.network_mount(PurePosixPath(path), MOUNTS) == kind


def test_machine_that_lies_on_9p_as_a_whole_is_no_network() -> None:
    mounts = "1 0 0:1 / / rw - 9p none rw\n"
    assert drives.network_mount(PurePosixPath("/work/a.db"), mounts) is None


def test_network_drive_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"1 0 0:1 / / rw - ext4 d rw\n2 1 0:2 / {tmp_path} rw - cifs //nas/x rw\n")
    monkeypatch.setattr(drives, "_MOUNTS", mounts)
    message = refused(tmp_path / "a.db")
    assert "network drive (cifs)" in message
    assert "PostgreSQL" in message
    assert not (tmp_path / "a.db").exists()
    link = tmp_path.parent / f"{tmp_path.name}-link"
    link.symlink_to(tmp_path)
    assert "network drive" in refused(link / "a.db")


def test_server_that_went_away_is_told_and_found_again() -> None:
    with postgres.server(safe=True) as server:
        db = open_database(server.fresh())
        make_project(db, "one")
        server.kill()
        with pytest.raises(
            ConsilienceError, match=r"^postgresql://tests@127\.0\.0\.1:\d+/fresh_0: "
        ):
            projects(db)
        server.start()
        assert [one.name for one in projects(db)] == ["one"]
        db.close()
