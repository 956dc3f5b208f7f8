"""All tables of a project with names instead of numbers: every answer that was ever given."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa

from consilience import progress
from consilience.store import schema as s
from consilience.store.archive import BLOCK
from consilience.store.bulk import fetch_columns
from consilience.store.table_files import TableFile

if TYPE_CHECKING:
    import pyarrow as pa
    from sqlalchemy.engine import Connection

    from consilience.store.projects import Project

_other = s.item.alias("other")
_parent = s.category.alias("parent")
_later = s.answer.alias("later")


def write_everything(conn: Connection, project: Project, folder: Path, fmt: str) -> None:
    """Write all tables of a project, each into a file of its own."""
    for name, statement in _statements(project.id).items():
        with TableFile(folder / f"{name}.{fmt}") as file:
            _write(conn, project.id, statement, file)


def _write(conn: Connection, project_id: int, statement: sa.Select[Any], file: TableFile) -> None:
    import pyarrow as pa

    columns = [*statement.selected_columns]
    schema = pa.schema([(column.name, _arrow(column)) for column in columns])
    numbers = _numbers(conn, project_id, statement)
    all_rows = max(len(numbers), 1)
    found = conn.execute(statement, execution_options={"yield_per": BLOCK})
    done = 0
    for block in found.partitions():
        cells = dict(zip(schema.names, zip(*block, strict=True), strict=True))
        for name in ("number", "supersedes", "task"):
            if name in cells:
                cells[name] = _places(cells[name], numbers)
        file.write(pa.table({n: _column(cells[n], schema.field(n).type) for n in schema.names}))
        done += len(block)
        progress.report(done, all_rows)
    if not done:
        file.write(schema.empty_table())


def _numbers(conn: Connection, project_id: int, statement: sa.Select[Any]) -> np.ndarray[Any, Any]:
    """Fetch the ids whose places are the numbers that a table shows."""
    names = [column.name for column in statement.selected_columns]
    table = s.answer if "supersedes" in names else s.task if {"number", "task"} & {*names} else None
    if table is None:
        return np.zeros(0, np.int64)
    ids = sa.select(table.c.id).where(table.c.project_id == project_id).order_by(table.c.id)
    return fetch_columns(conn, ids, ["int"])[0]


def _places(ids: Sequence[int | None], numbers: np.ndarray[Any, Any]) -> list[int | None]:
    places = np.searchsorted(numbers, [one or 0 for one in ids]) + 1
    return [None if one is None else place for one, place in zip(ids, places.tolist(), strict=True)]


def _column(cells: Sequence[Any], kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    if any(isinstance(cell, (dict, list)) for cell in cells):
        cells = [None if c is None else json.dumps(c, ensure_ascii=False) for c in cells]
    return pa.array(cells, kind)


def _arrow(column: Any) -> pa.DataType:
    import pyarrow as pa

    if isinstance(column.type, sa.Boolean):
        return pa.bool_()
    if isinstance(column.type, sa.Integer):
        return pa.int64()
    return pa.float64() if isinstance(column.type, sa.Double) else pa.string()


def _statements(project_id: int) -> dict[str, sa.Select[Any]]:
    """Give what each file shows."""
    return {
        "answers": _answers(project_id),
        "sources": _plain(
            s.source,
            project_id,
            *("name", "role", "recognised", "why", "rows", "notes", "sha256", "created"),
            "set_aside",
        ),
        "respondents": _plain(s.respondent, project_id, "name", "kind", "family", "created"),
        "queries": _plain(s.query, project_id, "name", "text", "file"),
        "items": _plain(s.item, project_id, "name", "text", "file", "media_type"),
        "categories": _categories(project_id),
        "tasks": _tasks(project_id),
        "assignments": _assignments(project_id),
        "results": _plain(
            s.result,
            project_id,
            *("id", "verb", "settings", "version", "seed", "made_by", "created", "name", "kept"),
            "payload",
        ),
    }


def _plain(table: sa.Table, project_id: int, *names: str) -> sa.Select[Any]:
    found = sa.select(*(table.c[name] for name in names))
    return found.where(table.c.project_id == project_id).order_by(*table.primary_key)


def _answers(project_id: int) -> sa.Select[Any]:
    a = s.answer.c
    superseded = sa.exists().where(_later.c.supersedes == a.id)
    counts = ~s.source.c.set_aside & ~a.withdrawn & ~superseded
    said = (
        *s.VALUES,
        *("cannot_tell", "confidence", "seconds", "shown", "supersedes", "withdrawn", "created"),
    )
    joined = (
        s.answer.join(s.source, s.source.c.id == a.source_id)
        .join(s.respondent, s.respondent.c.id == a.respondent_id)
        .join(s.query, s.query.c.id == a.query_id)
        .join(s.item, s.item.c.id == a.item_id)
        .outerjoin(_other, _other.c.id == a.other_id)
    )
    return (
        sa.select(
            a.id.label("number"),
            counts.label("counts"),
            s.source.c.name.label("source"),
            s.source.c.role,
            s.respondent.c.name.label("respondent"),
            s.respondent.c.kind,
            s.query.c.name.label("query"),
            s.item.c.name.label("item"),
            _other.c.name.label("other"),
            *(a[name] for name in said),
        )
        .select_from(joined)
        .where(a.project_id == project_id)
        .order_by(a.id)
    )


def _categories(project_id: int) -> sa.Select[Any]:
    c, p = s.category.c, s.category_parent.c
    joined = (
        s.category.join(s.tree, s.tree.c.id == c.tree_id)
        .outerjoin(s.category_parent, p.category_id == c.id)
        .outerjoin(_parent, _parent.c.id == p.parent_id)
    )
    return (
        sa.select(
            s.tree.c.name.label("tree"),
            c.name.label("category"),
            _parent.c.name.label("parent"),
            s.tree.c.set_aside,
        )
        .select_from(joined)
        .where(s.tree.c.project_id == project_id)
        .order_by(c.id, p.place)
    )


def _tasks(project_id: int) -> sa.Select[Any]:
    t = s.task.c
    joined = (
        s.task.join(s.query, s.query.c.id == t.query_id)
        .join(s.item, s.item.c.id == t.item_id)
        .outerjoin(_other, _other.c.id == t.other_id)
    )
    return (
        sa.select(
            t.id.label("number"),
            s.query.c.name.label("query"),
            s.item.c.name.label("item"),
            _other.c.name.label("other"),
            *(t[name] for name in ("round", "probability", "place")),
        )
        .select_from(joined)
        .where(t.project_id == project_id)
        .order_by(t.id)
    )


def _assignments(project_id: int) -> sa.Select[Any]:
    g = s.assignment.c
    joined = s.assignment.join(s.task, s.task.c.id == g.task_id).join(
        s.respondent, s.respondent.c.id == g.respondent_id
    )
    return (
        sa.select(
            g.task_id.label("task"),
            s.respondent.c.name.label("respondent"),
            *(g[name] for name in ("done", "created")),
        )
        .select_from(joined)
        .where(s.task.c.project_id == project_id)
        .order_by(g.id)
    )
