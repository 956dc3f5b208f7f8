"""Projects: each has its own items, queries, people, answers and results."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from consilience.errors import UsageError, quote, unknown
from consilience.store import schema as s
from consilience.store.connect import SLUGS, now, reading, rewriting, take_turn, writing

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Row

    from consilience.store.connect import Database

#: The longest name that a project or a respondent can have, in characters.
LONGEST = 300
_OTHER = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Project:
    """A project; ``version`` rises with every change of its study, ``task`` says what is labelled.

    ``slug`` is its name in addresses.
    """

    id: int
    slug: str
    name: str
    created: str
    version: int
    task: Mapping[str, Any] = field(default_factory=dict)


def make_project(db: Database, name: str) -> Project:
    """Make a project.

    Examples
    --------
    >>> import tempfile
    >>> from consilience.store.connect import open_database
    >>> db = open_database(tempfile.mkdtemp() + "/benchmark.db")
    >>> made = make_project(db, "Café photos"), make_project(db, "Café photos")
    >>> [one.slug for one in made]
    ['cafe-photos', 'cafe-photos-2']
    >>> project(db, "cafe-photo")
    Traceback (most recent call last):
    consilience.errors.UsageError: unknown project 'cafe-photo'; did you mean 'cafe-photos'? ...
    >>> db.close()
    """
    called = checked_name(name, "project")
    with writing(db) as conn:
        take_turn(conn, SLUGS)  # two programs do not choose one slug
        slug = _free(_slug(called), {*conn.scalars(sa.select(s.project.c.slug))})
        made = conn.execute(
            s.project.insert()
            .values(slug=slug, name=called, created=now(), version=0, task={})
            .returning(s.project)
        ).one()
    return _project(made)


def projects(db: Database) -> list[Project]:
    """List all projects, the newest first."""
    with reading(db) as conn:
        return [_project(row) for row in conn.execute(s.project.select().order_by(-s.project.c.id))]


def project(db: Database, slug: str) -> Project:
    """Fetch a project by its slug, as it is now."""
    with reading(db) as conn:
        row = conn.execute(s.project.select().where(s.project.c.slug == slug)).first()
        if row is not None:
            return _project(row)
        raise unknown("project", slug, [*conn.scalars(sa.select(s.project.c.slug))])


def rename(db: Database, project: Project, name: str) -> Project:
    """Give a project another name; its address stays."""
    called, here = checked_name(name, "project"), s.project.c.id == project.id
    with writing(db) as conn:
        lock(conn, project.id)
        named = s.project.update().where(here).values(name=called).returning(s.project)
        return _project(conn.execute(named).one())


def remove_project(db: Database, slug: str) -> None:
    """Remove a project with everything in it, its answers too; pictures stay on the disk."""
    gone = project(db, slug)
    with rewriting(db) as conn:  # one by one, SQLite would look for answers of every item
        lock(conn, gone.id)
        conn.execute(s.project.delete().where(s.project.c.id == gone.id))
        if db.is_sqlite:
            for table, here in _belongings(gone.id):
                conn.execute(table.delete().where(here))


def _belongings(project_id: int) -> Iterator[tuple[sa.Table, sa.ColumnElement[bool]]]:
    """Name the rows of a project, those before others by which they are found."""
    inside = {
        "source_id": sa.select(s.source.c.id).where(s.source.c.project_id == project_id),
        "task_id": sa.select(s.task.c.id).where(s.task.c.project_id == project_id),
        "tree_id": sa.select(s.tree.c.id).where(s.tree.c.project_id == project_id),
    }
    inside["category_id"] = sa.select(s.category.c.id).where(
        s.category.c.tree_id.in_(inside["tree_id"])
    )
    for table in reversed(s.metadata.sorted_tables):
        if "project_id" in table.c:
            yield table, table.c.project_id == project_id
        for name, those in inside.items():
            if name in table.c and "project_id" not in table.c:
                yield table, table.c[name].in_(those)


def changed(conn: Connection, project_id: int) -> int:
    """Note, within a transaction that writes, that a project's study changes.

    Whoever changes a project on a server waits here until earlier changes of it are done.

    Returns
    -------
    int
        The project's new version.
    """
    here = s.project.c.id == project_id
    later = {"version": s.project.c.version + 1}
    statement = s.project.update().where(here).values(later).returning(s.project.c.version)
    lock(conn, project_id)
    return int(conn.execute(statement).scalar_one())


def lock(conn: Connection, project_id: int) -> None:
    """Wait until earlier changes of a project are done, and keep others out until this one is."""
    here = s.project.c.id == project_id
    if conn.execute(sa.select(s.project.c.id).where(here).with_for_update()).first() is None:
        raise UsageError("the project is not there any more (fix: choose another one)")


def project_of(conn: Connection, project_id: int) -> Project:
    """Fetch a project by its number."""
    return _project(conn.execute(s.project.select().where(s.project.c.id == project_id)).one())


def checked_name(name: str, what: str) -> str:
    r"""See that a name can be kept and shown; give it without white space around it.

    Examples
    --------
    >>> checked_name(" Ann ", "person")
    'Ann'
    >>> checked_name("a\tb", "person")
    Traceback (most recent call last):
    consilience.errors.UsageError: the name of a person holds a control character: 'a\tb' (fix: ...
    """
    called = name.strip()
    if not called:
        raise UsageError(f"the name of a {what} is empty (fix: give it one)")
    if any(unicodedata.category(sign) in ("Cc", "Cs") for sign in called):
        found = f"the name of a {what} holds a control character: {quote(called)}"
        raise UsageError(f"{found} (fix: remove it)")
    if len(called) > LONGEST:
        found = f"the name of a {what} is too long: {quote(called)}"
        raise UsageError(f"{found} (fix: use at most {LONGEST} characters)")
    return called


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return _OTHER.sub("-", plain).strip("-")[:60].rstrip("-") or "project"


def _free(slug: str, taken: set[str]) -> str:
    if slug not in taken:
        return slug
    number = 2
    while f"{slug}-{number}" in taken:
        number += 1
    return f"{slug}-{number}"


def _project(row: Row[Any]) -> Project:
    return Project(row.id, row.slug, row.name, row.created, row.version, row.task or {})
