"""What can be drawn to be labelled: the items of a project, and what is known of them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from consilience.errors import UsageError
from consilience.formats.rows import ONLY_QUERY
from consilience.store import schema as s
from consilience.store.answering import current

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from consilience.store.projects import Project

#: The most tasks that a project holds.
MOST = 1_000_000
#: Those whose labels are believed.
_JUDGES = ("gold", "person")

#: A query and an item, by their numbers.
Place = tuple[int, int]


def _answers(*columns: sa.ColumnElement[Any]) -> sa.Select[Any]:
    """Select from the answers that were read and are not left out."""
    a = s.answer.c
    return (
        sa.select(*columns)
        .select_from(s.answer)
        .join(s.source, s.source.c.id == a.source_id)
        .join(s.respondent, s.respondent.c.id == a.respondent_id)
        .where(s.source.c.set_aside.is_(False), s.source.c.role != "labels")
    )


def places(conn: Connection, project: Project) -> list[Place]:
    """List what can be labelled: what systems and models named; without these, all items."""
    a = s.answer.c
    here = _answers(a.query_id, a.item_id).where(a.project_id == project.id)
    voters = s.respondent.c.kind.in_(("system", "llm"))
    named = conn.execute(here.where(voters).distinct()).all()
    if named:
        return sorted((query, item) for query, item in named)
    items = conn.scalars(sa.select(s.item.c.id).where(s.item.c.project_id == project.id)).all()
    if not items:
        raise UsageError("there is nothing to label yet (fix: bring answers of systems, or items)")
    queries = conn.scalars(sa.select(s.query.c.id).where(s.query.c.project_id == project.id)).all()
    queries = queries or [only_query(conn, project)]
    said = conn.execute(here.distinct()).all()  # people's answers tell which items belong where
    if said and len(queries) > 1:
        return sorted((query, item) for query, item in said)
    if len(items) * len(queries) > MOST:
        raise UsageError(
            f"{len(items):,} items for each of {len(queries):,} queries are too many (fix: bring "
            "answers of systems, so that it is known which items belong to which query)"
        )
    return [*itertools.product(sorted(queries), sorted(items))]


def alone(conn: Connection, project: Project) -> list[Place]:
    """List the items of all queries, each once, as files of categories have them."""
    items = sorted({item for _, item in places(conn, project)})
    only = only_query(conn, project)
    return [(only, item) for item in items]


def only_query(conn: Connection, project: Project) -> int:
    """Give the query that stands for all, of items that are asked about by themselves."""
    here = (s.query.c.project_id == project.id) & (s.query.c.name == ONLY_QUERY)
    found = conn.scalar(sa.select(s.query.c.id).where(here))
    if found is None:
        made = s.query.insert().values(project_id=project.id, name=ONLY_QUERY)
        found = conn.execute(made.returning(s.query.c.id)).scalar_one()
    return int(found)


def by_query(conn: Connection, project: Project) -> list[tuple[int, list[int]]]:
    """List what can be labelled, query by query."""
    grouped: dict[int, list[int]] = {}
    for query, item in places(conn, project):
        grouped.setdefault(query, []).append(item)
    return [*grouped.items()]


def judged(conn: Connection, project: Project) -> set[Place]:
    """Find what has a label of gold or of people, or was drawn for one, in files."""
    a = s.answer.c
    listing = [  # sources whose rows say yes by naming an item
        number
        for number, has in conn.execute(
            sa.select(s.source.c.id, s.source.c.has).where(s.source.c.project_id == project.id)
        )
        if not {"vote", "grade", "category"} & {*(has or ())}
    ]
    said = sa.or_(
        a.vote.is_not(None),
        a.grade >= 0,
        a.category.is_not(None),
        a.probability.is_not(None),
        a.source_id.in_(listing),
    )
    people = s.respondent.c.kind.in_(_JUDGES)
    here = _answers(a.query_id, a.item_id).where(a.project_id == project.id, people, said)
    return {(query, item) for query, item in conn.execute(here.distinct())}


def shares(conn: Connection, project: Project) -> dict[Place, float]:
    """Give the share of systems that name an item, of those that answered its query."""
    a = s.answer.c
    system = s.respondent.c.kind == "system"
    yes = sa.or_(a.vote.is_(None), a.vote > 0.5)
    who = sa.func.count(a.respondent_id.distinct())
    here = _answers(a.query_id, who).where(a.project_id == project.id, system)
    asked: dict[int, int] = dict(conn.execute(here.group_by(a.query_id)).all())
    named = _answers(a.query_id, a.item_id, who).where(a.project_id == project.id, system, yes)
    counted = conn.execute(named.group_by(a.query_id, a.item_id))
    return {(query, item): count / asked[query] for query, item, count in counted}


def labelled(conn: Connection, project: Project) -> set[Place]:
    """Find the items of which somebody told something here; models tell no truth."""
    c = s.respondent.c
    people = {*conn.scalars(sa.select(c.id).where(c.project_id == project.id, c.kind.in_(_JUDGES)))}
    return {
        (row.query_id, row.item_id)
        for person, rows in current(conn, project).items()
        for row in rows
        if person in people and not row.cannot_tell
    }
