"""The study of a project: everything that counts, built as if it had been read at once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import sqlalchemy as sa

from consilience.errors import UsageError
from consilience.store import schema as s
from consilience.store.answers import tables_of
from consilience.store.connect import reading
from consilience.store.frames import by_item
from consilience.store.sources import duplicates_of
from consilience.store.trees import fetched_tree
from consilience.study.assigned import of_tables
from consilience.study.build import build
from consilience.study.models import models_vote

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from consilience.formats.rows import Rows
    from consilience.store.connect import Database
    from consilience.store.projects import Project
    from consilience.study.model import Study
    from consilience.study.repeats import Duplicates
    from consilience.study.taxonomy import Tree

Made = TypeVar("Made")

#: How many studies stay in memory.
KEPT = 6

_kept: OrderedDict[tuple[object, ...], Any] = OrderedDict()
_lock = threading.Lock()
_making = threading.Lock()
_NOTHING = object()


@dataclass(frozen=True, slots=True)
class _Read:
    """What a project holds at one moment; ``tree`` is read where it is asked for."""

    tables: list[Rows]
    duplicates: Duplicates
    tree: Tree | None


def study_of(db: Database, project: Project, *, universe: int | None = None) -> Study:
    """Give the study of a project as it is now.

    It is the study that :func:`consilience.read` makes of the files that were added and are not set
    aside, together with the labels that were given in the app.

    Raises
    ------
    UsageError
        Where the project holds no answers yet.
    """

    def made(read: _Read) -> Study:
        study = by_item(build(read.tables, duplicates=read.duplicates, universe=universe))
        note = models_vote(study)
        return study if note is None else replace(study, notes=(*study.notes, note))

    return _made(db, project, ("study", universe), made)


def labels_study(db: Database, project: Project) -> Study:
    """Give the study of all people, language models and gold as annotators, for agreement."""

    def made(read: _Read) -> Study:
        people = _of_kinds(read.tables, system=False)
        if not people:
            raise UsageError(
                "nobody but systems has answered yet (fix: add labels, or let people label)"
            )
        return build(people, duplicates=read.duplicates)

    return _made(db, project, ("labels",), made)


def results_study(db: Database, project: Project) -> Study | None:
    """Give the study of the systems' answers alone; None where there are none."""

    def made(read: _Read) -> Study | None:
        systems = _of_kinds(read.tables, system=True)
        return build(systems, duplicates=read.duplicates) if systems else None

    return _made(db, project, ("results",), made)


def assigned_study(db: Database, project: Project) -> Study:
    """Give the study of who put which item into which category of the project's tree.

    Raises
    ------
    UsageError
        Where there is no tree, nobody's categories, or a category that the tree does not have.
    """

    def made(read: _Read) -> Study:
        if read.tree is None:
            raise UsageError("the project has no tree of categories (fix: add its file)")
        people = [
            rows for rows in _of_kinds(read.tables, system=False) if rows.category is not None
        ]
        if not people:
            raise UsageError("nobody has put items into categories yet (fix: add assignments)")
        return of_tables(people, read.tree, read.duplicates)

    return _made(db, project, ("assigned",), made, with_tree=True)


def tree_of(db: Database, project: Project) -> Tree | None:
    """Give a project's tree of categories: the newest that is not set aside; None without one."""
    with reading(db) as conn:
        return fetched_tree(conn, project.id)


def _made(
    db: Database,
    project: Project,
    what: tuple[object, ...],
    make: Callable[[_Read], Made],
    *,
    with_tree: bool = False,
) -> Made:
    """Make a study of a project, or give the one that was made of the same version."""
    with reading(db) as conn:
        known = _known((db.id, project.id, _version(conn, project), *what))
    if known is not _NOTHING:
        return cast("Made", known)
    with _making:  # of many who ask at once one makes it
        with reading(db) as conn:
            key = (db.id, project.id, _version(conn, project), *what)
            known = _known(key)
            if known is not _NOTHING:
                return cast("Made", known)
            tables = tables_of(db, conn, project.id)
            duplicates = duplicates_of(conn, project.id)
            tree = fetched_tree(conn, project.id) if with_tree else None
        if not tables:
            fix = "add files, or let people label"
            raise UsageError(f"the project holds no answers yet (fix: {fix})")
        made = make(_Read(tables, duplicates, tree))
        _keep(key, made)
    return made


def _known(key: tuple[object, ...]) -> object:
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
        return _kept.get(key, _NOTHING)


def _keep(key: tuple[object, ...], made: object) -> None:
    with _lock:
        _kept[key] = made
        while len(_kept) > KEPT:
            _kept.popitem(last=False)


def _version(conn: Connection, project: Project) -> int:
    version = conn.execute(sa.select(s.project.c.version).where(s.project.c.id == project.id))
    found = version.scalar()
    if found is None:
        raise UsageError("the project is not there any more (fix: choose another one)")
    return int(found)


def _of_kinds(tables: Sequence[Rows], *, system: bool) -> list[Rows]:
    """Give the rows of systems, or those of all others."""
    kept = []
    for rows in tables:
        mine = np.array([(kind == "system") == system for kind in rows.kind], bool)
        if mine.all():
            kept.append(rows)
        elif mine.any():
            kept.append(rows.pick(np.flatnonzero(mine[rows.respondent.code])))
    return kept
