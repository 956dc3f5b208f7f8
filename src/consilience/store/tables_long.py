"""Long tables of a project, ready to be read again: answers, truth, labels, and the tree.

A table says who answered what about which item, and what kind of respondent that is. Tables that
were read go into one file as far as reading it again tells the same: not where their columns
differ, nor where silence means something else in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.columns import coded
from consilience.store import schema as s
from consilience.store.answers import _fetched
from consilience.store.sources import duplicates_of
from consilience.store.table_files import TableFile
from consilience.store.trees import fetched_tree
from consilience.study.people import _silence

if TYPE_CHECKING:
    import pyarrow as pa
    from sqlalchemy.engine import Connection

    from consilience.formats.rows import Rows
    from consilience.store.projects import Project

#: How the columns of a long table are called, the values behind them.
NAMES = ("query", "respondent", "kind", "family", "item")


def write_long(conn: Connection, project: Project, folder: Path, fmt: str) -> list[str]:
    """Write the long tables; give notes of what they cannot say."""
    way = duplicates_of(conn, project.id)
    notes = [] if way == "error" else [f"read them again with duplicates={way}"]
    for role, tables in _by_role(conn, project).items():
        groups: dict[Any, list[Rows]] = {}
        for rows in tables:
            groups.setdefault(_sort(rows), []).append(rows)
        for number, some in enumerate(groups.values(), 1):
            name = role if number == 1 else f"{role}-{number}"
            _write(folder / f"{name}.{fmt}", some if way == "each" else [*map(_once, some)])
            notes += _unsaid(f"{name}.{fmt}", some)
    _write_tree(conn, project, folder / f"tree.{fmt}")
    return notes


def _by_role(conn: Connection, project: Project) -> dict[str, list[Rows]]:
    """Give the tables that count, by role, in the order in which they make the study."""
    from consilience.store.label_rows import label_rows

    c = s.source.c
    here = s.source.select().where(c.project_id == project.id, ~c.set_aside)
    found: dict[str, list[Rows]] = {role: [] for role in s.ROLES}
    for row in conn.execute(here.order_by(c.id)).all():
        rows = label_rows(conn, row) if row.role == "labels" else _fetched(conn, row)
        if len(rows):
            found[row.role].append(rows)
    return {role: tables for role, tables in found.items() if tables}


def _columns(rows: Rows) -> list[str]:
    return [name for name in s.VALUES if getattr(rows, name) is not None]


def _sort(rows: Rows) -> object:
    """Tell which tables can go into one file."""
    silences = {*zip(rows.kind, _silence(rows), strict=True)}
    families = any(family is not None for family in rows.family)
    return tuple(_columns(rows)), tuple(sorted(silences)), families


def _once(rows: Rows) -> Rows:
    """Leave out what stands twice in a list whose ranks were counted: its first place counts."""
    if not rows.counted:
        return rows
    code, names = rows.item.codes()
    who = rows.respondent.code.astype(np.int64) * len(rows.query.names) + rows.query.code
    _, first = np.unique(who * len(names) + code, return_index=True)
    return rows if len(first) == len(rows) else rows.pick(np.sort(first))


def _write(path: Path, tables: Sequence[Rows]) -> None:
    with TableFile(path) as file:
        for rows in tables:
            file.write(_table(rows))


def _table(rows: Rows) -> pa.Table:
    import pyarrow as pa

    who = rows.respondent
    cells: dict[str, Any] = {
        "query": _named(rows.query.code, rows.query.names),
        "respondent": _named(who.code, who.names),
        "kind": _named(who.code, rows.kind),
    }
    if any(family is not None for family in rows.family):
        cells["family"] = _named(who.code, rows.family)
    cells["item"] = pa.chunked_array(rows.item.chunks, pa.string())
    for name in _columns(rows):
        column = getattr(rows, name)
        if name == "category":
            cells[name] = _named(column.code, [one or None for one in column.names])
        elif name in ("rank", "round"):
            cells[name] = pa.array(column.astype(np.int64), mask=column == 0)
        else:
            cells[name] = pa.array(column, mask=np.isnan(column))
    return pa.table(cells)


def _named(code: np.ndarray[Any, Any], names: Sequence[str | None]) -> pa.Array:
    import pyarrow as pa

    return coded(code, pa.array([*names], pa.string())).cast(pa.string())


def _unsaid(file: str, tables: Sequence[Rows]) -> list[str]:
    """Note what reading a file again cannot tell."""
    notes = []
    empty = sum(len(rows.asked) for rows in tables)
    if empty:
        lists = "1 list that is empty has" if empty == 1 else f"{empty:,} lists that are empty have"
        notes.append(f"{file}: {lists} no row there")
    for rows in tables:
        plain = {"vote", "grade"} & {*_columns(rows)}
        again = replace(rows, silences=None, silence="unknown" if plain else "no")
        pairs = zip(rows.respondent.names, _silence(rows), _silence(again), strict=True)
        odd = [name for name, now, then in pairs if now != then]
        if odd:
            notes.append(
                f"{file}: nothing there tells what silence of {', '.join(odd[:5])} means; read "
                "again, it means something else"
            )
    return notes


def _write_tree(conn: Connection, project: Project, path: Path) -> None:
    import pyarrow as pa

    tree = fetched_tree(conn, project.id)
    if tree is None:
        return
    links = [
        (name, tree.names[parent] if parent >= 0 else None)
        for name, parents in zip(tree.names, tree.parents, strict=True)
        for parent in (parents or (-1,))
    ]
    child, parent = zip(*links, strict=True)
    with TableFile(path) as file:
        file.write(
            pa.table(
                {"category": pa.array(child, pa.string()), "parent": pa.array(parent, pa.string())}
            )
        )
