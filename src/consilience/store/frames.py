"""What could be drawn in each round: files that come after a draw bring items it could not take.

Each draw by design notes the files that counted then, by their places among the project's files
(``project.task``, "drawn"): numbers of rows change from database to database, the order does not.
The answers of a file that a round did not know carry the number of the last such round, and
estimates leave its items to later ones (:mod:`consilience.belief.sample`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa

from consilience.errors import UsageError
from consilience.store import schema as s
from consilience.store.bulk import fetch_columns
from consilience.store.connect import reading
from consilience.store.projects import project_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sqlalchemy.engine import Connection

    from consilience.formats.rows import Rows
    from consilience.store.connect import Database
    from consilience.store.projects import Project
    from consilience.study.model import Study

#: Where the settings of labelling hold what was there when each round was drawn.
DRAWN = "drawn"


@dataclass(frozen=True, slots=True)
class _File:
    """A file of a project: its number, whether it counts, and whether systems speak in it."""

    id: int
    counts: bool
    systems: bool


def note_draw(conn: Connection, project: Project, turn: int, known: set[int] | None = None) -> None:
    """Note what could be drawn in a round; nothing where no system has answered yet.

    ``known``: the files that counted before the draw was computed, where it was not just now.
    """
    files = _files(conn, project.id)
    if any(one.counts and one.id not in known for one in files if known is not None):
        raise UsageError("files came while this was drawn (fix: draw anew)")
    if not any(one.counts and one.systems for one in files):
        return
    task = project_of(conn, project.id).task
    there = [place for place, one in enumerate(files) if one.counts]
    noted = {**task, DRAWN: {**_held(task), str(turn): there}}
    here = s.project.c.id == project.id
    conn.execute(s.project.update().where(here).values(task=noted))


def marked(conn: Connection, project_id: int, tables: dict[int, Rows]) -> list[Rows]:
    """Mark the answers of files that came after a draw with the last round that is earlier.

    What a file names that was in that draw, and is left out now, could be drawn nevertheless.
    """
    noted = _noted(conn, project_id)
    files = _files(conn, project_id) if noted else []
    lacking = {
        one.id: [turn for turn in sorted(noted) if one.id not in noted[turn]]
        for one in files
        if one.counts and one.systems
    }
    gone = {one.id for one in files if one.systems and not one.counts}
    made = []
    for number, rows in tables.items():
        turns = lacking.get(number)
        if turns and rows.round is None and rows.probability is None:
            last = np.zeros(len(rows), np.int64)
            for turn in turns:
                before = noted[turn] & gone
                known = _named_by(conn, project_id, number, before) if before else False
                last = np.where(known, last, turn)
            rows = replace(rows, round=last)
        made.append(rows)
    return made


def by_item(study: Study) -> Study:
    """Let every answer carry the round of its item, whichever file named that first.

    So it stays what it is where only some systems, or the first ranks, are looked at. Nothing is
    marked where a later file brought nothing new.
    """
    answers = study.answers
    if answers.round is None or answers.probability is not None:
        return study
    first = np.full(len(study.items), np.iinfo(np.int64).max)
    np.minimum.at(first, answers.item, answers.round)
    turn = first[answers.item]
    turn.setflags(write=False)
    return replace(study, answers=replace(answers, round=turn if turn.any() else None))


def counting(db: Database, project: Project) -> set[int]:
    """Give the files of a project that count now: what is computed after this can draw from."""
    with reading(db) as conn:
        return {one.id for one in _files(conn, project.id) if one.counts}


def came_after(db: Database, project: Project) -> int:
    """Count what systems name, nobody has labelled, and the last draw by design could not take."""
    with reading(db) as conn:
        return len(missed(conn, project))


def missed(conn: Connection, project: Project) -> set[tuple[int, ...]]:
    """Find what systems name, nobody has labelled, and the last draw by design could not take."""
    from consilience.store.pools import judged, labelled
    from consilience.store.question import question_of

    noted = _noted(conn, project.id)
    there = noted[max(noted)] if noted else set()
    files = _files(conn, project.id) if noted else []
    late = {one.id for one in files if one.counts and one.systems} - there
    if not late:
        return set()
    a = s.answer.c
    alone = question_of(project_of(conn, project.id)).of_items
    told = [a.item_id] if alone else [a.query_id, a.item_id]
    fresh = sa.except_(_named(project.id, late, told), _named(project.id, there, told))
    found = {tuple(row) for row in conn.execute(fresh)}
    if found:
        known = labelled(conn, project) | judged(conn, project)
        found -= {place[1:] for place in known} if alone else known
    return found


def _noted(conn: Connection, project_id: int) -> dict[int, set[int]]:
    """Give the files that could be drawn from, round by round."""
    held = _held(project_of(conn, project_id).task)
    files = [one.id for one in _files(conn, project_id)] if held else []
    return {
        int(turn): {
            files[place] for place in there if isinstance(place, int) and 0 <= place < len(files)
        }
        for turn, there in held.items()
    }


def _held(task: Any) -> dict[str, list[Any]]:
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


def _named(
    project_id: int, files: set[int], columns: Sequence[sa.ColumnElement[Any]]
) -> sa.Select[Any]:
    """Select what systems name in some files."""
    a, r = s.answer.c, s.respondent
    here = (a.project_id == project_id) & a.source_id.in_(files) & (r.c.kind == "system")
    return sa.select(*columns).join(r, r.c.id == a.respondent_id).where(here)


def _named_by(conn: Connection, project_id: int, number: int, files: set[int]) -> NDArray[np.bool_]:
    """Tell which rows of a file name what systems name in some others."""
    a = s.answer.c
    rows = sa.select(a.query_id, a.item_id).where(a.project_id == project_id, a.source_id == number)
    mine = fetch_columns(conn, rows.order_by(a.place), ["int", "int"])
    others = fetch_columns(conn, _named(project_id, files, [a.query_id, a.item_id]), ["int", "int"])
    key, known = (query.astype(np.int64) << 32 | item for query, item in (mine, others))
    return np.isin(key, known)
