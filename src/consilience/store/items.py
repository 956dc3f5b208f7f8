"""Items one by one: what they show, all that was ever said of them, and asking people about one.

An answer is never changed: the history of an item holds what counts, what was said before it, what
was taken back, and what files said that were left out since.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import sqlalchemy as sa

from consilience.errors import UsageError
from consilience.store import schema as s
from consilience.store.answering import label_source
from consilience.store.connect import reading, writing
from consilience.store.content import View, view_of
from consilience.store.pools import only_query
from consilience.store.projects import changed, lock, project_of
from consilience.store.question import SINGLE, question_of

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Row

    from consilience.store.connect import Database
    from consilience.store.projects import Project

#: What of an answer is told.
_VALUES = (*s.VALUES, "cannot_tell", "confidence", "seconds")


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as it was given.

    ``state`` is "counts", "replaced" (the same person said something else later), "taken back" or
    "left out" (its file was). ``other`` is the second item of a pair. ``when`` is when it was given
    in the app, or else when its file was read.
    """

    id: int
    respondent: str
    kind: str
    source: str
    role: str
    said: dict[str, Any]
    other: str | None
    state: str
    when: str


class Who(NamedTuple):
    """Somebody who answers."""

    name: str
    kind: str
    family: str | None


def contents(
    db: Database, project: Project, *, queries: Sequence[str], items: Sequence[str]
) -> tuple[dict[str, View], dict[str, View]]:
    """Find queries and items by their names, such as those of a page of a table."""
    with reading(db) as conn:
        return (
            {one.name: one for one in _named(conn, s.query, project.id, queries)},
            {one.name: one for one in _named(conn, s.item, project.id, items)},
        )


def history(db: Database, project: Project, *, query_id: int, item_id: int) -> list[Given]:
    """List all that was ever said of an item, the latest first."""
    a, later, other = s.answer.c, s.answer.alias("later"), s.item.alias("other")
    replaced = sa.exists().where(later.c.supersedes == a.id)
    asked: sa.Select[Any] = sa.select(
        *(a[name] for name in (*_VALUES, "id", "withdrawn", "created")),
        s.respondent.c.name,
        s.respondent.c.kind,
        s.source.c.name.label("source"),
        s.source.c.role,
        s.source.c.set_aside,
        s.source.c.created.label("read"),
        other.c.name.label("other"),
        replaced.label("replaced"),
    )
    joined = (
        s.answer.join(s.respondent, s.respondent.c.id == a.respondent_id)
        .join(s.source, s.source.c.id == a.source_id)
        .outerjoin(other, other.c.id == a.other_id)
    )
    each = (
        sa.select(a.id).where(a.project_id == project.id, a.query_id == query_id, column == item_id)
        for column in (a.item_id, a.other_id)
    )
    here = a.id.in_(sa.union(*each))  # each by an index of its own
    with reading(db) as conn:
        rows = conn.execute(asked.select_from(joined).where(here).order_by(a.id.desc())).all()
    return [_given(row) for row in rows]


def unsure(db: Database, project: Project) -> dict[tuple[str, str], list[Who]]:
    """Return who says of which item that they cannot tell: by query and item, those who do.

    An order and a pair are about all their items.
    """
    a, later = s.answer.c, s.answer.alias("later")
    who = (s.respondent.c.name, s.respondent.c.kind, s.respondent.c.family)
    last = ~sa.exists().where(later.c.supersedes == a.id)
    said = (
        s.answer.join(s.source, s.source.c.id == a.source_id)
        .join(s.respondent, s.respondent.c.id == a.respondent_id)
        .join(s.query, s.query.c.id == a.query_id)
        .join(s.item, s.item.c.id.in_((a.item_id, a.other_id)))
    )
    here = sa.select(s.query.c.name, s.item.c.name, *who).select_from(said).distinct()
    here = here.where(s.source.c.project_id == project.id, s.source.c.role == "labels")
    here = here.where(~s.source.c.set_aside, a.cannot_tell, ~a.withdrawn, last)
    found: dict[tuple[str, str], list[Who]] = {}
    with reading(db) as conn:
        for query, item, name, kind, family in conn.execute(here.order_by(*who)):
            found.setdefault((query, item), []).append(Who(name, kind, family))
    return found


def _given(row: Row[Any]) -> Given:
    said = {name: getattr(row, name) for name in _VALUES if getattr(row, name) is not None}
    about = (row.name, row.kind, row.source, row.role, said, row.other)
    return Given(row.id, *about, _state(row), row.created or row.read)


def _state(row: Row[Any]) -> str:
    if row.set_aside:
        return "left out"
    if row.replaced:
        return "replaced"
    return "taken back" if row.withdrawn else "counts"


def _named(conn: Connection, table: sa.Table, project_id: int, names: Sequence[str]) -> list[View]:
    wanted = [*dict.fromkeys(names)]
    shown: sa.ColumnElement[Any] = table.c.name
    said: list[Any] = wanted
    if conn.dialect.name != "sqlite":  # as the index has them
        shown, said = sa.func.md5(shown), [sa.func.md5(sa.literal(name)) for name in wanted]
    found = table.select().where(table.c.project_id == project_id, shown.in_(said))
    return [view_of(row) for row in conn.execute(found)]


def is_asked(db: Database, project: Project, *, query_id: int, item_id: int) -> bool:
    """Tell whether people are to label an item."""
    with reading(db) as conn:
        alone = question_of(project).of_items
        return _is_task(conn, project, None if alone else query_id, item_id)


def ask_about(db: Database, project: Project, *, query_id: int, item_id: int) -> None:
    """Ask people about an item that somebody chose.

    It was not drawn by design: it has no probability and stands in round 0, so that its label
    counts as what it is and stands for no other item.
    """
    with writing(db) as conn:
        lock(conn, project.id)
        _check_here(conn, project, s.query, query_id)
        _check_here(conn, project, s.item, item_id)
        question = question_of(project_of(conn, project.id))
        if question.kind not in SINGLE:
            raise UsageError(
                f"the question is about {question.kind} (fix: ask about single items first)"
            )
        if question.of_items:
            query_id = only_query(conn, project)
        if _is_task(conn, project, query_id, item_id):
            raise UsageError("people are asked about this item already (fix: wait for them)")
        label_source(conn, project, question)
        changed(conn, project.id)
        c = s.task.c
        loose = (c.project_id == project.id) & (c.round == 0)
        last = conn.scalar(sa.select(sa.func.max(c.place)).where(loose))
        place = 0 if last is None else int(last) + 1
        named = {"project_id": project.id, "query_id": query_id, "item_id": item_id}
        conn.execute(s.task.insert().values(**named, round=0, place=place))


def _check_here(conn: Connection, project: Project, table: sa.Table, number: int) -> None:
    here = (table.c.id == number) & (table.c.project_id == project.id)
    if conn.execute(sa.select(table.c.id).where(here)).first() is None:
        raise UsageError(f"the project has no {table.name} {number} (fix: choose one of it)")


def _is_task(conn: Connection, project: Project, query_id: int | None, item_id: int) -> bool:
    c = s.task.c
    here = (c.project_id == project.id) & (c.item_id == item_id)
    here = here if query_id is None else here & (c.query_id == query_id)
    return conn.execute(sa.select(c.id).where(here, c.other_id.is_(None))).first() is not None


def has_picture(db: Database, project: Project, sha256: str) -> bool:
    """Tell whether an item or a query of a project is shown by a picture."""
    with reading(db) as conn:
        return any(
            conn.execute(
                sa.select(table.c.id).where(
                    table.c.project_id == project.id, table.c.file == sha256
                )
            ).first()
            for table in (s.item, s.query)
        )
