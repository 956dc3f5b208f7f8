"""Tasks as they lie in the table and as people see them: a query, and one item or several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from consilience.errors import UsageError
from consilience.store import schema as s
from consilience.store.connect import reading
from consilience.store.projects import project_of
from consilience.store.question import Question, question_of

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from consilience.store.connect import Database
    from consilience.store.people import Respondent
    from consilience.store.projects import Project


@dataclass(frozen=True, slots=True)
class Shown:
    """A query or an item as people see it: its name, and its text or picture where there is one."""

    id: int
    name: str
    text: str | None = None
    file: str | None = None
    media_type: str | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """What somebody is asked: a query and an item, two of them, or several to put in order."""

    id: int
    query: Shown
    items: tuple[Shown, ...]
    round: int
    probability: float | None
    place: int


def heads(project: Project, question: Question) -> sa.ColumnElement[bool]:
    """Tell which rows are tasks: items to be put in order have one row for all."""
    return (s.task.c.project_id == project.id) & stands_for_all(s.task, question)


def stands_for_all(table: sa.Table, question: Question) -> sa.ColumnElement[bool]:
    """Tell which rows of tasks or answers are counted: of items to be put in order, one for all."""
    return table.c.other_id == table.c.item_id if question.kind == "ranking" else sa.true()


def load_task(conn: Connection, project: Project, task_id: int, question: Question) -> Task:
    """Fetch a task with what is shown of it."""
    c = s.task.c
    row = conn.execute(s.task.select().where(c.id == task_id, c.project_id == project.id)).first()
    if row is None:
        raise UsageError("there is no such task (fix: go on with the next one)")
    asked = conn.execute(s.query.select().where(s.query.c.id == row.query_id)).one()
    numbers = [row.item_id]
    if question.kind == "pairs":
        numbers.append(row.other_id)
    elif question.kind == "ranking":
        group = (c.project_id == project.id, c.query_id == row.query_id, c.round == row.round)
        members = sa.select(c.item_id).where(*group, c.other_id == row.other_id)
        numbers = [*conn.scalars(members.order_by(c.place))]
    found = conn.execute(s.item.select().where(s.item.c.id.in_(numbers))).all()
    items = {one.id: Shown(one.id, one.name, one.text, one.file, one.media_type) for one in found}
    query = Shown(asked.id, asked.name, asked.text, asked.file)
    shown = tuple(items[number] for number in numbers)
    return Task(row.id, query, shown, row.round, row.probability, row.place)


def lent_task(db: Database, project: Project, person: Respondent, task_id: int) -> Task:
    """Fetch a task that is or was lent to somebody; what others do is not theirs to see."""
    c = s.assignment.c
    lent = sa.select(c.id).where(c.task_id == task_id, c.respondent_id == person.id)
    with reading(db) as conn:
        if conn.execute(lent).first() is None:
            raise UsageError("there is no such task among yours (fix: go on with the next one)")
        question = question_of(project_of(conn, project.id))
        return load_task(conn, project, task_id, question)


def sees_file(db: Database, project: Project, person: Respondent, sha256: str) -> bool:
    """Tell whether a picture belongs to a task that was lent to somebody."""
    t, c = s.task.c, s.assignment.c
    lent = (
        sa.select(t.query_id, t.item_id, t.other_id)
        .join(s.assignment, c.task_id == t.id)
        .where(c.respondent_id == person.id, t.project_id == project.id)
        .subquery()
    )
    group = sa.select(t.item_id).join(
        lent, (t.query_id == lent.c.query_id) & (t.other_id == lent.c.other_id)
    )
    items = sa.union(sa.select(lent.c.item_id), sa.select(lent.c.other_id), group).subquery()
    pictures = (
        (s.item, s.item.c.id.in_(sa.select(items.c[0]))),
        (s.query, s.query.c.id.in_(sa.select(lent.c.query_id))),
    )
    with reading(db) as conn:
        return any(
            conn.execute(sa.select(table.c.id).where(here, table.c.file == sha256)).first()
            for table, here in pictures
        )
