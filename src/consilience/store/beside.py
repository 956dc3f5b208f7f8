"""What is shown with a task: categories to choose from, and what others said if that is wanted.

Categories are the words of the question, or those of a stored tree. Where labelling is not blind,
people see which systems name an item, and what others said of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from consilience.errors import UsageError
from consilience.store import schema as s
from consilience.store.answering import rows_of
from consilience.store.labels import value_of

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from consilience.store.projects import Project
    from consilience.store.question import Question
    from consilience.store.tasks import Task


@dataclass(frozen=True, slots=True)
class Choice:
    """A category: how deep it lies in the tree, and the names above it, from the root."""

    name: str
    level: int = 0
    above: tuple[str, ...] = ()


def choices(conn: Connection, project: Project, question: Question) -> list[Choice]:
    """List the categories as they are shown: as a tree, or by name where the tree is hidden.

    A category with several parents stands below the first of them.
    """
    if question.words:
        return [Choice(word) for word in question.words]
    names, parents = _tree(conn, project)
    if question.tree == "hidden":
        return [Choice(name) for name in sorted(names.values(), key=lambda one: (one.lower(), one))]
    below: dict[int | None, list[int]] = {}
    for number in names:
        below.setdefault(parents.get(number), []).append(number)
    found: list[Choice] = []
    waiting: list[tuple[int, tuple[str, ...]]] = [(one, ()) for one in reversed(below[None])]
    while waiting:
        number, above = waiting.pop()
        found.append(Choice(names[number], len(above), above))
        deeper = (*above, names[number])
        waiting += [(one, deeper) for one in reversed(below.get(number, []))]
    return found


def category_names(conn: Connection, project: Project, question: Question) -> Sequence[str]:
    """Name the categories that can be chosen."""
    return question.words or [*_tree(conn, project)[0].values()]


def _tree_id(conn: Connection, project: Project) -> int | None:
    c = s.tree.c
    here = sa.select(c.id).where(c.project_id == project.id, c.set_aside.is_(False))
    return conn.scalar(here.order_by(c.id.desc()).limit(1))


def _tree(conn: Connection, project: Project) -> tuple[dict[int, str], dict[int, int]]:
    """Give the names of the tree's categories in their order, and the first parent of each."""
    number = _tree_id(conn, project)
    if number is None:
        raise UsageError(
            "there are no categories to choose from (fix: write them into the settings of "
            "labelling, or bring a tree)"
        )
    c, p = s.category.c, s.category_parent.c
    named = sa.select(c.id, c.name).where(c.tree_id == number).order_by(c.place)
    names = dict(conn.execute(named).all())
    above = sa.select(p.category_id, p.parent_id).join(s.category, c.id == p.category_id)
    parents: dict[int, int] = {}
    for one, parent in conn.execute(above.where(c.tree_id == number).order_by(p.place)):
        parents.setdefault(one, parent)
    return names, parents


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
    here = sa.select(c.id, c.name).where(c.project_id == project.id, c.id != person_id)
    done = sa.exists().where(
        s.assignment.c.task_id == task.id,
        s.assignment.c.respondent_id == c.id,
        s.assignment.c.done.is_(True),
    )
    found = []
    for number, name in conn.execute(here.where(done).order_by(c.id)).all():
        rows = rows_of(conn, project, number, task, question)
        if rows and not rows[0].withdrawn:
            found.append((name, value_of(question, rows)))
    return found
