"""Many label at once, and the app dies in the middle: no acknowledged answer is lost."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from consilience.store import schema as s
from consilience.store.connect import Database, open_database, reading, writing
from consilience.store.draws import draw_items
from consilience.store.people import add_person
from consilience.store.projects import Project, make_project
from consilience.store.question import Question, ask
from consilience.store.sources import add_files
from consilience.store.tasks import lend
from tests import postgres
from tests.store.labelling import write_runs
from tests.web.labelling import Apart, apart, person

PEOPLE, SAVES = 20, 50


@dataclass(frozen=True, slots=True)
class World:
    """A database with a project, the tasks that everybody is asked, and people's links."""

    where: str
    db: Database
    project: Project
    tasks: list[int]
    secrets: list[str]

    def keys(self) -> set[str]:
        """Give the keys of all answers that are there."""
        with reading(self.db) as conn:
            found = conn.scalars(sa.select(s.answer.c.key).where(s.answer.c.key.is_not(None)))
            return {*found}


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    """A PostgreSQL server."""
    with postgres.server() as made:
        yield made


@pytest.fixture(params=["sqlite", "postgresql"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """A database on either server."""
    where = str(tmp_path / "study.db")
    if request.param == "postgresql":
        where = request.getfixturevalue("server").fresh()
    db = open_database(where, files=tmp_path / "files")
    project = make_project(db, "Benchmark")
    named = {"s": {f"q{number}": "abcde" for number in range(SAVES // 5)}}
    add_files(db, project, write_runs(tmp_path / "runs", named))
    ask(db, project, Question(overlap=PEOPLE))
    assert draw_items(db, project, "all") == SAVES
    with reading(db) as conn:
        tasks = [*conn.scalars(sa.select(s.task.c.id))]
    people = [add_person(db, project, f"p{number}") for number in range(PEOPLE)]
    with writing(db) as conn:
        for who, number in itertools.product(people, tasks):
            lend(conn, number, who[0].id)
    yield World(where, db, project, tasks, [secret for _, secret in people])
    db.close()


def _save(app: Apart, secret: str, tasks: list[int], kept: set[str]) -> None:
    """Answer tasks one after the other; note what was acknowledged, stop when nobody is there."""
    try:
        with person(f"{app.url}/w/{secret}") as somebody:
            for number in tasks:
                key = f"{secret[:12]} {number} {len(kept)}"
                sent = {"task": number, "said": "yes", "key": key, "seconds": "0.5"}
                if somebody.post("/work/save", data=sent).status_code == 200:
                    kept.add(key)
    except httpx.TransportError:
        return


def _together(
    app: Apart, world: World, tasks: list[int]
) -> tuple[list[threading.Thread], list[set[str]]]:
    kept = [set[str]() for _ in world.secrets]
    threads = [
        threading.Thread(target=_save, args=(app, secret, tasks, mine))
        for secret, mine in zip(world.secrets, kept, strict=True)
    ]
    for thread in threads:
        thread.start()
    return threads, kept


def test_twenty_people_save_fifty_answers_each(world: World, tmp_path: Path) -> None:
    with apart(world.where, tmp_path / "files") as app:
        threads, kept = _together(app, world, world.tasks)
        for thread in threads:
            thread.join()
    acknowledged = set[str]().union(*kept)
    assert len(acknowledged) == PEOPLE * SAVES
    assert acknowledged == world.keys()


def test_what_was_acknowledged_survives_the_death_of_the_app(world: World, tmp_path: Path) -> None:
    with apart(world.where, tmp_path / "files") as app:
        threads, kept = _together(app, world, world.tasks * 20)
        while sum(map(len, kept)) < 120:
            time.sleep(0.01)
        app.kill()
        for thread in threads:
            thread.join()
    acknowledged = set[str]().union(*kept)
    assert len(acknowledged) >= 120
    with apart(world.where, tmp_path / "files") as app:
        assert acknowledged <= world.keys()
        more = set[str]()
        _save(app, world.secrets[0], world.tasks[:3], more)
        assert len(more) == 3
    assert acknowledged | more <= world.keys()
