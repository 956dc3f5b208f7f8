"""What marks the state of a project for the app's downloads: every write, and nothing else."""

from __future__ import annotations

from pathlib import Path

from consilience.store.archive import pack
from consilience.store.connect import Database
from consilience.store.content import add_items
from consilience.store.people import add_person
from consilience.store.projects import make_project, projects
from consilience.web.archives import state_of


def test_a_state_is_the_same_until_something_is_written(db: Database, tmp_path: Path) -> None:
    here, other = make_project(db, "here"), make_project(db, "other")
    add_items(db, here, [("d1", "a text")])
    marks = [state_of(db, here)]
    pack(db, here, tmp_path / "a.zip")
    assert projects(db)
    assert state_of(db, other) != marks[0]
    if db.is_sqlite:  # on a server other databases are written to as well
        assert state_of(db, here) == marks[0]
    for change in (
        lambda: add_items(db, here, [("d1", "other")]),
        lambda: add_person(db, here, "A"),
    ):
        change()
        marks.append(state_of(db, here))
    assert len({*marks}) == 3
