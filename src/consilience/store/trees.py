"""Trees of categories of a project."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from consilience.errors import UsageError
from consilience.store import schema as s
from consilience.store.bulk import storable
from consilience.store.connect import now, reading, writing
from consilience.store.projects import changed

if TYPE_CHECKING:
    from os import PathLike

    from sqlalchemy.engine import Connection, Row

    from consilience.store.connect import Database
    from consilience.store.projects import Project
    from consilience.study.taxonomy import Tree


@dataclass(frozen=True, slots=True)
class StoredTree:
    """A tree that is kept; the newest that is not set aside is the project's."""

    id: int
    name: str
    categories: int
    dag: bool
    notes: tuple[str, ...]
    created: str
    set_aside: bool


def read_tree(path: str | PathLike[str], *, encoding: str | None, name: str) -> Tree:
    """Read a tree; it is a DAG where some category has several parents."""
    from consilience.study.taxonomy import tree

    made = tree(path, dag=True, encoding=encoding, name=name)
    several = any(len(parents) > 1 for parents in made.parents)
    return made if several else replace(made, dag=False)


def add_tree(db: Database, project: Project, tree: Tree, *, name: str) -> int:
    """Keep a tree; give its number."""
    with writing(db) as conn:
        changed(conn, project.id)
        return store_tree(conn, project.id, tree, name=name)


def store_tree(
    conn: Connection, project_id: int, tree: Tree, *, name: str, sha256: str | None = None
) -> int:
    """Keep a tree, within a transaction that writes."""
    storable([name, *tree.names, *tree.notes], "category")
    values = {
        "project_id": project_id,
        "name": name,
        "dag": tree.dag,
        "paths": tree.paths,
        "notes": list(tree.notes),
        "sha256": sha256,
        "created": now(),
    }
    tree_id = conn.execute(s.tree.insert().values(values).returning(s.tree.c.id)).scalar_one()
    rows = [
        {"tree_id": tree_id, "place": place, "name": called}
        for place, called in enumerate(tree.names)
    ]
    conn.execute(s.category.insert(), rows)
    c = s.category.c
    ids = [*conn.scalars(sa.select(c.id).where(c.tree_id == tree_id).order_by(c.place))]
    links = [
        {"category_id": ids[code], "place": place, "parent_id": ids[parent]}
        for code, parents in enumerate(tree.parents)
        for place, parent in enumerate(parents)
    ]
    if links:
        conn.execute(s.category_parent.insert(), links)
    return int(tree_id)


def trees(db: Database, project: Project) -> list[StoredTree]:
    """List a project's trees, the newest first."""
    c = s.tree.c
    count = sa.select(sa.func.count()).where(s.category.c.tree_id == c.id).scalar_subquery()
    statement = sa.select(s.tree, count.label("categories")).where(c.project_id == project.id)
    with reading(db) as conn:
        return [_tree(row) for row in conn.execute(statement.order_by(-c.id))]


def set_tree_aside(db: Database, project: Project, tree_id: int, aside: bool) -> None:
    """Set a tree aside, or take it up again."""
    c = s.tree.c
    with writing(db) as conn:
        changed(conn, project.id)
        here = (c.id == tree_id) & (c.project_id == project.id)
        done = conn.execute(s.tree.update().where(here).values(set_aside=aside))
        if not done.rowcount:
            raise UsageError(f"the project has no tree {tree_id} (fix: choose one of it)")


def fetched_tree(conn: Connection, project_id: int) -> Tree | None:
    """Fetch the newest tree that is not set aside; None where there is none."""
    from consilience.study.taxonomy import Tree

    t, c, p = s.tree.c, s.category.c, s.category_parent.c
    here = (t.project_id == project_id) & ~t.set_aside
    row = conn.execute(s.tree.select().where(here).order_by(-t.id).limit(1)).first()
    if row is None:
        return None
    named = conn.execute(sa.select(c.id, c.name).where(c.tree_id == row.id).order_by(c.place)).all()
    number = {one.id: code for code, one in enumerate(named)}
    parents: list[list[int]] = [[] for _ in named]
    links = (
        sa.select(p.category_id, p.parent_id)
        .join_from(s.category_parent, s.category, p.category_id == c.id)
        .where(c.tree_id == row.id)
        .order_by(c.place, p.place)
    )
    for child, parent in conn.execute(links):
        parents[number[child]].append(number[parent])
    names = tuple(one.name for one in named)
    above = tuple(map(tuple, parents))
    return Tree(names, above, row.dag, row.paths, tuple(row.notes or ()))


def _tree(row: Row[Any]) -> StoredTree:
    notes = tuple(row.notes or ())
    return StoredTree(row.id, row.name, row.categories, row.dag, notes, row.created, row.set_aside)
