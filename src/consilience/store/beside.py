"""What is shown beside a task where labelling is not blind: systems' answers, others' labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from consilience.store import schema as s
from consilience.store.answering import current, task_of
from consilience.store.labels import value_of

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from consilience.store.projects import Project
    from consilience.store.question import Question
    from consilience.store.tasks import Task


def systems_beside(conn: Connection, task: Task) -> dict[int, list[str]]:
    """Name the systems that answered with each item of a task, in the order of their names."""
    a = s.answer.c
    here = (
        sa.select(a.item_id, s.respondent.c.name)
        .join(s.respondent, s.respondent.c.id == a.respondent_id)
        .join(s.source, s.source.c.id == a.source_id)
        .where(
            a.query_id == task.query.id,
            a.item_id.in_([item.id for item in task.items]),
            s.respondent.c.kind == "system",
            s.source.c.set_aside.is_(False),
            sa.or_(a.vote.is_(None), a.vote > 0.5),
        )
        .distinct()
        .order_by(s.respondent.c.name)
    )
    found: dict[int, list[str]] = {item.id: [] for item in task.items}
    for item, name in conn.execute(here):
        found[item].append(name)
    return found


def people_beside(
    conn: Connection, project: Project, question: Question, task: Task, person_id: int
) -> list[tuple[str, Any]]:
    """Tell what others said to a task: names, and what :class:`Said` takes as a value."""
    c = s.respondent.c
    names = dict(conn.execute(sa.select(c.id, c.name).where(c.project_id == project.id)).all())
    items = {item.id for item in task.items}
    found = []
    for other, rows in current(conn, project).items():
        mine = [row for row in rows if row.query_id == task.query.id and row.item_id in items]
        mine = [row for row in mine if task_of(conn, question, row) == task.id]
        if mine and other != person_id:
            found.append((names[other], value_of(question, mine)))
    return found
