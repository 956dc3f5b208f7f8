"""Databases for the tests: every test of the store runs on SQLite and on PostgreSQL."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from consilience.store.connect import Database, open_database
from consilience.store.projects import Project, make_project
from tests import postgres


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


@pytest.fixture(params=["sqlite", "postgresql"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """A fresh database, with our tables and without rows."""
    if request.param == "sqlite":
        path = tmp_path / "benchmark.db"
        shutil.copy(request.getfixturevalue("template"), path)
        made = open_database(path, files=tmp_path / "files")
    else:
        url = request.getfixturevalue("server").fresh()
        made = open_database(url, files=tmp_path / "files")
    yield made
    made.close()
    if request.param == "postgresql":
        request.getfixturevalue("server").drop(url)


@pytest.fixture
def project(db: Database) -> Project:
    """A project without anything in it."""
    return make_project(db, "Benchmark")
