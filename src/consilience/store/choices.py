"""The categories that people choose from: the words of the question, or a stored tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlalchemy as sa

from consilience.errors import UsageError
from consilience.store import schema as s

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from consilience.store.projects import Project
    from consilience.store.question import Question


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


def has_tree(conn: Connection, project: Project) -> bool:
    """Tell whether there is a tree to choose from."""
    return _tree_id(conn, project) is not None


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
