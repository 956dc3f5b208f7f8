"""Databases for the tests: every test of the store runs on SQLite and on PostgreSQL."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest

from consilience.store.archive import pack
from consilience.store.connect import Database, open_database
from consilience.store.projects import Project, make_project
from consilience.store.sources import add_files
from tests import postgres
from tests.postgres import quick_place
from tests.store.archived import DATA, Full, full_project
from tests.store.kept import Kept, KeptFile, KeptOnServer


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    """A PostgreSQL server that all tests of this process share."""
    with postgres.server() as made:
        yield made


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with our tables, to be copied."""
    path = tmp_path_factory.mktemp("template") / "benchmark.db"
    open_database(path).close()
    return path


@pytest.fixture
def file(template: Path, tmp_path: Path) -> Path:
    """A SQLite file of a test's own, with our tables: to be damaged, locked and filled."""
    return Path(shutil.copy(template, tmp_path / "a.db"))


@pytest.fixture(scope="session")
def kept(request: pytest.FixtureRequest) -> Iterator[Callable[[str], Kept]]:
    """A database of each kind that stays open, made when it is asked for first."""
    found: dict[str, Kept] = {}
    with ExitStack() as stack:

        def of(kind: str) -> Kept:
            if kind not in found:
                make = _kept_file if kind == "sqlite" else _kept_on_server
                found[kind] = make(request, stack)
            return found[kind]

        yield of


def _kept_file(request: pytest.FixtureRequest, stack: ExitStack) -> Kept:
    template = request.getfixturevalue("template")
    folder = tempfile.TemporaryDirectory(prefix="kept", dir=quick_place())
    path = Path(stack.enter_context(folder)) / "benchmark.db"
    shutil.copy(template, path)
    db = open_database(path)
    stack.callback(db.close)
    return KeptFile(db, template)


def _kept_on_server(request: pytest.FixtureRequest, stack: ExitStack) -> Kept:
    url = request.getfixturevalue("server").fresh()
    db = open_database(url)
    stack.callback(db.close)
    return KeptOnServer(db, stack.enter_context(psycopg.connect(url, autocommit=True)))


@pytest.fixture(params=["sqlite", "postgresql"])
def dialect(request: pytest.FixtureRequest) -> str:
    """The kind of the database that a test works on."""
    return str(request.param)


@pytest.fixture
def db(dialect: str, kept: Callable[[str], Kept], tmp_path: Path) -> Database:
    """A database with our tables and without rows."""
    return kept(dialect).fresh(tmp_path / "files")


@pytest.fixture
def project(db: Database) -> Project:
    """A project without anything in it."""
    return make_project(db, "Benchmark")


@pytest.fixture
def elsewhere(dialect: str, kept: Callable[[str], Kept], tmp_path: Path) -> Database:
    """A database of the other kind, with a project in it already."""
    other = "postgresql" if dialect == "sqlite" else "sqlite"
    made = kept(other).fresh(tmp_path / "elsewhere")
    add_files(made, make_project(made, "Other"), [DATA / "runs"])
    return made


@pytest.fixture(scope="session")
def states() -> dict[tuple[str, str], tuple[Project, Any, Path]]:
    """Full projects that were made: each with its database's state and its pictures."""
    return {}


@pytest.fixture
def full(
    dialect: str,
    kept: Callable[[str], Kept],
    db: Database,
    states: dict[tuple[str, str], tuple[Project, Any, Path]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Full:
    """Put a project with something in every table into ``db``; it is made once and put back."""

    def put(kind: str = "grades") -> Project:
        assert db.files is not None
        if (dialect, kind) not in states:
            folder = tmp_path_factory.mktemp("full")
            made = full_project(db, folder / "in", kind=kind)
            shutil.copytree(db.files, folder / "files")
            states[dialect, kind] = (made, kept(dialect).state(folder), folder / "files")
            return made
        made, state, files = states[dialect, kind]
        kept(dialect).put(state)
        shutil.copytree(files, db.files)
        return made

    return put


@pytest.fixture(scope="session")
def archive(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Give the archive of a full project, by its kind of question."""

    @cache
    def of(kind: str) -> Path:
        folder = tmp_path_factory.mktemp("archive")
        shutil.copy(template, folder / "benchmark.db")
        db = open_database(folder / "benchmark.db")
        pack(db, full_project(db, folder / "in", kind=kind), folder / f"{kind}.zip")
        db.close()
        return folder / f"{kind}.zip"

    return of


@pytest.fixture(scope="session")
def good(archive: Callable[[str], Path]) -> Path:
    """An archive with something in every table."""
    return archive("grades")


@pytest.fixture(scope="session")
def untouched(template: Path) -> Iterator[Database]:
    """A database that bad archives must leave as it is."""
    with tempfile.TemporaryDirectory(prefix="untouched", dir=quick_place()) as folder:
        shutil.copy(template, Path(folder) / "benchmark.db")
        made = open_database(Path(folder) / "benchmark.db")
        yield made
        made.close()
