"""Stored results as people look through them: lists with headlines, what came before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from consilience.errors import UsageError, quote
from consilience.store import schema as s
from consilience.store.connect import reading, writing
from consilience.store.projects import checked_name, project_of
from consilience.store.question import question_of
from consilience.store.results import PAGE, Kept, _kept, key_of
from consilience.store.tasks import stands_for_all

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection
    from sqlalchemy.sql import ColumnElement

    from consilience.store.connect import Database
    from consilience.store.projects import Project

#: What PostgreSQL cannot read in JSON: NUL, and halves of characters.
_ODD = r"\\u(0000|[dD][89a-fA-F])"


@dataclass(frozen=True, slots=True)
class Listed:
    """A result in a list: what is known of it, the sentence that it begins with, its inputs."""

    kept: Kept
    headline: str
    input_hash: str | None


def listed(
    db: Database,
    project: Project,
    *,
    page: int = 1,
    size: int = PAGE,
    verb: str | None = None,
    kept: bool = False,
) -> tuple[list[Listed], int]:
    """List a project's results, the newest first, a page at a time.

    Parameters
    ----------
    db, project
        Whose results.
    page, size
        Which page, counted from 1, and how many are on it.
    verb
        Those of one verb only; else all but ``check``, which is computed for every overview.
    kept
        Those only that somebody keeps.

    Returns
    -------
    tuple
        What is on the page, and how many there are in all.
    """
    c = s.result.c
    here = [c.project_id == project.id, c.verb == verb if verb else c.verb != "check"]
    here += [c.kept] if kept else []
    columns = [column for column in c if column is not c.payload]
    said = _headline(db).label("headline")
    statement = sa.select(*columns, said).where(*here).order_by(-c.number)
    with reading(db) as conn:
        count = conn.execute(sa.select(sa.func.count()).where(*here)).scalar_one()
        rows: list[Any] = [*conn.execute(statement.limit(size).offset((max(page, 1) - 1) * size))]
    return [Listed(_kept(row), row.headline or "", row.input_hash) for row in rows], count


def verbs_with_results(db: Database, project: Project) -> list[str]:
    """Name the verbs of which a project has results."""
    c = s.result.c
    here = (c.project_id == project.id) & (c.verb != "check")
    with reading(db) as conn:
        return [*conn.scalars(sa.select(c.verb).where(here).distinct().order_by(c.verb))]


def previous(
    db: Database, project: Project, verb: str, settings: Mapping[str, Any], *, version: int
) -> Kept | None:
    """Fetch the newest answer to a question that is older than a version of the project."""
    c = s.result.c
    here = (c.project_id == project.id) & (c.key == key_of(verb, settings)) & (c.version < version)
    with reading(db) as conn:
        row = conn.execute(s.result.select().where(here).order_by(-c.version).limit(1)).first()
    return None if row is None else _kept(row)


def answers_since(db: Database, project: Project, when: str) -> int:
    """Count the answers that people have given in the app since a moment, and that still hold.

    An order of items is one answer; what was taken back, or said anew, does not count.
    """
    c, later = s.answer.c, s.answer.alias("later")
    here = (c.project_id == project.id) & (c.created > when) & ~c.withdrawn
    holds = ~sa.exists().where(later.c.supersedes == c.id)
    with reading(db) as conn:
        one = stands_for_all(s.answer, question_of(project_of(conn, project.id)))
        return int(conn.execute(sa.select(sa.func.count()).where(here, holds, one)).scalar_one())


def keep(db: Database, project: Project, id: str, *, name: str = "") -> None:
    """Keep a result for good, under a name where one is given."""
    called = checked_name(name, "result") if name.strip() else None
    with writing(db) as conn:
        _there(conn, project, id)
        conn.execute(s.result.update().where(_of(project, id)).values(kept=True, name=called))


def release(db: Database, project: Project, id: str) -> None:
    """Say that a result need not stay: it goes when newer ones have come."""
    with writing(db) as conn:
        _there(conn, project, id)
        conn.execute(s.result.update().where(_of(project, id)).values(kept=False, name=None))


def forget(db: Database, project: Project, id: str, *, sure: bool = False) -> None:
    """Remove a result; one that somebody keeps only where that is ``sure``.

    Raises
    ------
    UsageError
        Where it is kept and nobody has said that it may go; where it is not there.
    """
    with writing(db) as conn:
        if _there(conn, project, id) and not sure:
            raise UsageError("this result is kept (fix: say that you are sure, or leave it)")
        conn.execute(s.result.delete().where(_of(project, id)))


def _of(project: Project, id: str) -> ColumnElement[bool]:
    return (s.result.c.id == id) & (s.result.c.project_id == project.id)


def _there(conn: Connection, project: Project, id: str) -> bool:
    """See that a result is there; tell whether somebody keeps it."""
    kept = [*conn.scalars(sa.select(s.result.c.kept).where(_of(project, id)))]
    if not kept:
        raise UsageError(f"no result {quote(id)} is kept here (fix: choose another one)")
    return any(kept)


def _headline(db: Database) -> ColumnElement[Any]:
    """Take the sentence that a result begins with out of its payload, within the database."""
    text = s.result.c.payload
    read: Any = sa.type_coerce(text, sa.JSON) if db.is_sqlite else sa.cast(text, sa.JSON)
    said = sa.func.coalesce(read["headline"].as_string(), read["verdict"].as_string())
    if db.is_sqlite:
        return said
    return sa.case((text.regexp_match(_ODD), None), else_=said)
