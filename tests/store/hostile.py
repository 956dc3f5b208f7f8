"""Archives that nobody trusts: what is done to a good one, and what must come of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from consilience.errors import UsageError
from consilience.store.archive_read import Limits
from consilience.store.archive_unpack import unpack
from consilience.store.connect import Database
from consilience.store.people import respondents
from consilience.store.projects import Project, remove_project
from consilience.store.reports import listed
from consilience.store.studies import labels_study, study_of, tree_of
from consilience.store.tasks import progress
from tests.store.archived import (
    Edit,
    pictures_on_disk,
    rows_of_all,
)


def refused(db: Database, path: Path, match: str, limits: Limits | None = None) -> None:
    """See that an archive is refused in one sentence and leaves nothing behind."""
    before = rows_of_all(db), pictures_on_disk(db)
    with pytest.raises(UsageError, match=match) as error:
        unpack(db, path, limits=limits)
    said = str(error.value)
    assert said.startswith(f"{path}: ")
    assert said.endswith(")")
    assert "(fix: " in said
    assert len(said.splitlines()) == 1, said
    assert (rows_of_all(db), pictures_on_disk(db)) == before


def add(name: str, text: bytes = b"x") -> Edit:
    return lambda members: members.update({name: text})


def is_valid(db: Database, path: Path) -> bool:
    """Bring an archive; tell whether it is taken. Then everything of it can be looked at."""
    try:
        made = unpack(db, path)
    except UsageError:
        return False
    looked_at(db, made)
    remove_project(db, made.slug)
    return True


def looked_at(db: Database, project: Project) -> None:
    for look in (study_of, labels_study, tree_of, progress, respondents, listed):
        try:
            look(db, project)
        except UsageError:
            continue
