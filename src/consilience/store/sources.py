"""Sources of a project: files are read as ``check`` reads them, and kept, or refused as a whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa

from consilience.errors import UsageError
from consilience.formats.naming import tell_apart
from consilience.store import schema as s
from consilience.store.answering import last_round
from consilience.store.answers import source_of, store_rows, tables_of
from consilience.store.connect import reading, writing
from consilience.store.incoming import How, Incoming, Paths, read_incoming
from consilience.store.projects import changed
from consilience.store.trees import store_tree
from consilience.study.build import build

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Row

    from consilience.formats.rows import Rows
    from consilience.store.connect import Database
    from consilience.store.projects import Project
    from consilience.study.repeats import Duplicates


@dataclass(frozen=True, slots=True)
class StoredSource:
    """A file that was read into a project, or the labels that were given there.

    ``role`` is answers, truth or labels; ``sha256`` is the hash of the file as it came.
    """

    id: int
    name: str
    role: str
    recognised: str
    why: str
    rows: int
    notes: tuple[str, ...]
    columns: tuple[str, ...]
    sha256: str | None
    created: str
    set_aside: bool


def add_files(
    db: Database,
    project: Project,
    files: Paths,
    *,
    truth: Paths = (),
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    answers: str | None = None,
    duplicates: Duplicates = "error",
    names: Mapping[Path, str] | None = None,
) -> list[StoredSource]:
    """Read files into a project.

    They become part of its study as if :func:`consilience.read` had read all files at once. Where
    a run carries the name of a system that the project has already, it is called after its file.
    Labels that come after items were drawn, without a draw of their own, are kept with the last
    round that was drawn.

    Parameters
    ----------
    db, project
        Where they go.
    files, truth, columns, encoding, answers, duplicates
        As in :func:`consilience.read`. Trees of categories are recognised.
    names
        What a file's owner calls it, where it lies elsewhere: by path.

    Returns
    -------
    list of StoredSource
        What was added, trees aside.

    Raises
    ------
    UsageError
        Where a file cannot be read or does not fit the others; then nothing is added.
    """
    how = How(columns or {}, encoding, duplicates, names or {}, answers)
    got = read_incoming(files, truth, how)
    with writing(db) as conn:
        changed(conn, project.id)
        _check_names(conn, project.id, got)
        there = tables_of(db, conn, project.id)
        got = _after_draws(_told_apart(there, got), last_round(conn, project))
        _check_fit(conn, project.id, there, got, how)
        added = _store(conn, project.id, got, how)
    return [one for one in sources(db, project) if one.id in added]


def sources(db: Database, project: Project) -> list[StoredSource]:
    """List a project's sources in the order in which they came, each file once."""
    with reading(db) as conn:
        return _listed(conn, project.id)


def set_aside(db: Database, project: Project, source_id: int, aside: bool) -> None:
    """Set a source aside: its answers stay and do not count. Or take it up again."""
    with writing(db) as conn:
        changed(conn, project.id)
        mine = [one for one in _listed(conn, project.id) if one.id == source_id]
        if not mine:
            raise UsageError(f"the project has no source {source_id} (fix: choose one of it)")
        if not aside and mine[0].set_aside:
            _refuse(conn, project.id, [mine[0].name])
        c = s.source.c
        here = (c.id == source_id) | (c.first_id == source_id)
        conn.execute(s.source.update().where(here).values(set_aside=aside))
        left = tables_of(db, conn, project.id)
        if not aside:
            _refuse_clash(left, mine[0].name)
        if left:
            build(left, duplicates=duplicates_of(conn, project.id))


def duplicates_of(conn: Connection, project_id: int, more: str = "error") -> Duplicates:
    """Tell what is done about second answers: what was asked for when files were added."""
    c = s.source.c
    here = (c.project_id == project_id) & ~c.set_aside
    said = {
        row.options.get("duplicates", "error")
        for row in conn.execute(sa.select(c.options).where(here, c.role != "labels"))
    }
    ways = sorted({*said, more} - {"error"})
    if len(ways) > 1:
        raise UsageError(
            f"files of this project are read with duplicates={ways[0]} and {ways[1]} "
            "(fix: use one way, or set files aside)"
        )
    way: Duplicates = ways[0] if ways else "error"
    return way


def _check_names(conn: Connection, project_id: int, got: Incoming) -> None:
    _refuse(conn, project_id, [*dict.fromkeys(rows.source.name for _, rows in got.tables)])


def _refuse(conn: Connection, project_id: int, names: Sequence[str]) -> None:
    """Refuse files that are called like one that counts already."""
    c = s.source.c
    here = (c.project_id == project_id) & ~c.set_aside & (c.role != "labels")
    taken = {*conn.scalars(sa.select(c.name).where(here))}
    again = [name for name in names if name in taken]
    if again:
        raise UsageError(
            f"{again[0]}: a file of this name is in the project already "
            "(fix: set that one aside first, or rename this one)"
        )


def _refuse_clash(tables: Sequence[Rows], name: str) -> None:
    """Refuse a run whose system is called like that of another file: they would become one."""
    clash = False
    for system in (True, False):  # answers and truth are told apart on their own
        side = [rows for rows in tables if ("system" in rows.kind) == system]
        told = tell_apart(side)
        clash |= any(one is not other for one, other in zip(side, told, strict=True))
    if clash:
        raise UsageError(
            f"{name}: a file that came meanwhile has a system of the same name (fix: add this file "
            "again, and its system is called after it; or set the other one aside)"
        )


def _told_apart(there: Sequence[Rows], got: Incoming) -> Incoming:
    """Call new runs after their files where the project has systems of the same name.

    What is in the project keeps its name.
    """
    answers = tell_apart([*there, *got.answers])[len(there) :]
    truth = tell_apart([*there, *got.truth])[len(there) :]
    return Incoming(answers, truth, got.trees, got.sha256)


def _after_draws(got: Incoming, turn: int) -> Incoming:
    """Say of labels that nobody drew after which round they came.

    That round could have drawn them and speaks for them; later ones know them.
    """
    return replace(got, truth=[_after(rows, turn) for rows in got.truth])


def _after(rows: Rows, turn: int) -> Rows:
    labels = rows.grade is not None or rows.vote is not None
    drawn = rows.round is not None or rows.probability is not None
    if not turn or drawn or not labels or {*rows.kind} & {"system", "llm"}:
        return rows
    return replace(rows, round=np.full(len(rows), turn, np.int64))


def _check_fit(
    conn: Connection, project_id: int, there: Sequence[Rows], got: Incoming, how: How
) -> None:
    """See that old and new answers make a study together."""
    way = duplicates_of(conn, project_id, how.duplicates)
    if there and got.tables:
        build([*there, *(rows for _, rows in got.tables)], duplicates=way)


def _store(conn: Connection, project_id: int, got: Incoming, how: How) -> set[int]:
    first: dict[str, int] = {}
    for role, rows in got.tables:
        name = rows.source.name
        added = store_rows(
            conn,
            project_id,
            rows,
            role=role,
            sha256=got.sha256.get(name),
            options=how.options(),
            first_id=first.get(name),
        )
        first.setdefault(name, added)
    for name, tree in got.trees:
        store_tree(conn, project_id, tree, name=name, sha256=got.sha256.get(name))
    return {*first.values()}


def _listed(conn: Connection, project_id: int) -> list[StoredSource]:
    c = s.source.c
    found = conn.execute(s.source.select().where(c.project_id == project_id).order_by(c.id)).all()
    more: dict[int, list[Row[Any]]] = {}
    for row in found:
        more.setdefault(row.first_id or row.id, []).append(row)
    return [_stored(parts) for parts in more.values()]


def _stored(parts: Sequence[Row[Any]]) -> StoredSource:
    row = parts[0]
    source = source_of(row)
    notes = dict.fromkeys(note for part in parts for note in part.notes or ())
    return StoredSource(
        row.id,
        *(row.name, row.role, row.recognised, row.why, row.rows),
        tuple(notes),
        source.columns,
        *(row.sha256, row.created, row.set_aside),
    )
