"""What could be drawn in each round: files that come after a draw bring items it could not take.

Each draw by design notes the files that counted then, by their places among the project's files
(``project.task``, "drawn"): numbers of rows change from database to database, the order does not.
The answers of a file that a round did not know carry the number of the last such round, and
estimates leave its items to later ones (:mod:`consilience.belief.sample`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa

from consilience.store import schema as s
from consilience.store.connect import reading
from consilience.store.projects import project_of

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from consilience.formats.rows import Rows
    from consilience.store.connect import Database
    from consilience.store.projects import Project

#: Where the settings of labelling hold what was there when each round was drawn.
DRAWN = "drawn"


@dataclass(frozen=True, slots=True)
class _File:
    """A file of a project: its number, whether it counts, and whether systems speak in it."""

    id: int
    counts: bool
    systems: bool


def note_draw(conn: Connection, project: Project, turn: int) -> None:
    """Note what could be drawn in a round; nothing where no system has answered yet."""
    files = _files(conn, project.id)
    if not any(one.counts and one.systems for one in files):
        return
    task = project_of(conn, project.id).task
    there = [place for place, one in enumerate(files) if one.counts]
    noted = {**task, DRAWN: {**_noted(task), str(turn): there}}
    here = s.project.c.id == project.id
    conn.execute(s.project.update().where(here).values(task=noted))


def marked(conn: Connection, project_id: int, tables: dict[int, Rows]) -> list[Rows]:
    """Mark the answers of files that came after a draw with the last round that is earlier."""
    since = _since(conn, project_id)
    return [
        replace(rows, round=np.full(len(rows), since[number], np.int64))
        if since.get(number) and rows.round is None and rows.probability is None
        else rows
        for number, rows in tables.items()
    ]


def came_after(db: Database, project: Project) -> int:
    """Count what systems name, nobody has labelled, and the last draw by design could not take."""
    from consilience.store.pools import judged, labelled

    with reading(db) as conn:
        last = max(map(int, _noted(project_of(conn, project.id).task)), default=0)
        late = [number for number, turn in _since(conn, project.id).items() if turn == last]
        if not last or not late:
            return 0
        others = [one.id for one in _files(conn, project.id) if one.counts and one.id not in late]
        named = sa.except_(_named(project, late), _named(project, others))
        fresh = {(row.query_id, row.item_id) for row in conn.execute(named)}
        return len(fresh - labelled(conn, project) - judged(conn, project)) if fresh else 0


def _since(conn: Connection, project_id: int) -> dict[int, int]:
    """Give, for files that count, the last round that was drawn without them."""
    noted = _noted(project_of(conn, project_id).task)
    if not noted:
        return {}
    found = {}
    for place, one in enumerate(_files(conn, project_id)):
        lacking = [int(turn) for turn, there in noted.items() if place not in there]
        if one.counts and one.systems and lacking:
            found[one.id] = max(lacking)
    return found


def _noted(task: Any) -> dict[str, list[int]]:
    """Read what was noted; an archive may hold anything."""
    held = task.get(DRAWN)
    if not isinstance(held, dict):
        return {}
    return {
        turn: there
        for turn, there in held.items()
        if turn.isascii() and turn.isdecimal() and len(turn) < 10 and isinstance(there, list)
    }


def _files(conn: Connection, project_id: int) -> list[_File]:
    """List the files of a project in the order in which they came."""
    c = s.source.c
    system = sa.exists().where(
        s.voice.c.source_id == c.id,
        s.voice.c.respondent_id == s.respondent.c.id,
        s.respondent.c.kind == "system",
    )
    here = sa.select(c.id, c.set_aside, system).where(
        c.project_id == project_id, c.role != "labels"
    )
    return [
        _File(number, not aside, told) for number, aside, told in conn.execute(here.order_by(c.id))
    ]


def _named(project: Project, files: list[int]) -> sa.Select[tuple[int, int]]:
    """Select what systems name in some files."""
    a, r = s.answer.c, s.respondent
    return (
        sa.select(a.query_id, a.item_id)
        .join(r, r.c.id == a.respondent_id)
        .where(a.project_id == project.id, a.source_id.in_(files), r.c.kind == "system")
    )
