"""Labels given in the app as rows of a study, like rows of any file of labels.

Everybody is an annotator. What counts is the last that each said. An item that was drawn by design
and has no answer yet is a row without a label, as in :mod:`consilience.formats.drawn`, so that it
is not drawn again. "Cannot tell" is such a row as well, of the person who said it. A label that was
not drawn names the last round that had been drawn when it came: that round speaks for its item
already (:mod:`consilience.belief.sample`).

A pair says which of two items is better. An item's relevance for a person is the share of its
pairs that it won::

    v = (wins + ties / 2) / (wins + ties + losses)

which depends on what it was compared with; "cannot tell" counts as nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa

from consilience.columns import Codes, Text
from consilience.formats.drawn import NOBODY
from consilience.formats.rows import Rows
from consilience.store import schema as s
from consilience.store.answering import current
from consilience.store.answers import source_of
from consilience.store.projects import project_of
from consilience.store.question import SINGLE, Question, question_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sqlalchemy.engine import Connection, Row

    from consilience.formats.rows import Kind, Source
    from consilience.store.projects import Project

#: Who (name, kind, family), query, item, and what was said.
_Who = tuple[str, "Kind", "str | None"]
_Row = tuple[_Who, str, str, dict[str, Any]]
#: What is said of an item, in the order of a table's columns.
_SAID = ("vote", "grade", "score", "rank", "category")


def label_rows(conn: Connection, row: Row[Any]) -> Rows:
    """Give what people said in the app and what was drawn for them, as a table.

    Parameters
    ----------
    conn
        The database.
    row
        The source of role ``labels`` of a project.
    """
    project = project_of(conn, row.project_id)
    question = question_of(project)
    rows = _pairs(conn, project) if question.kind == "pairs" else _said(conn, project)
    if question.kind in SINGLE:
        rows += _waiting(conn, project, rows)
    return _table(source_of(row), rows, question)


def _names(conn: Connection, project: Project, table: sa.Table) -> dict[int, str]:
    here = sa.select(table.c.id, table.c.name).where(table.c.project_id == project.id)
    return dict(conn.execute(here).all())


def _people(conn: Connection, project: Project) -> dict[int, _Who]:
    c = s.respondent.c
    here = sa.select(c.id, c.name, c.kind, c.family).where(c.project_id == project.id)
    return {number: (name, kind, family) for number, name, kind, family in conn.execute(here)}


def _said(conn: Connection, project: Project) -> list[_Row]:
    """Give what counts, one row an item; the draw is that of the task."""
    people = _people(conn, project)
    queries, items = _names(conn, project, s.query), _names(conn, project, s.item)
    draws = _draws(conn, project)
    answers = [row for rows in current(conn, project).values() for row in rows]
    found: list[_Row] = []
    for row in sorted(answers, key=lambda row: row.id):
        if row.other_id is not None and row.cannot_tell:
            continue  # an order that nobody could tell says nothing of its items
        said = {name: getattr(row, name) for name in _SAID}
        if row.other_id is None:
            own = (row.probability, None if row.cannot_tell else row.round)
            chance, turn = draws.get((row.query_id, row.item_id), own)
            said |= {"probability": chance, "round": turn}
        who = people[row.respondent_id]
        found.append((who, queries[row.query_id], items[row.item_id], said))
    return found


def _draws(conn: Connection, project: Project) -> dict[tuple[int, int], tuple[float, int]]:
    """Give the probability and the round of what was drawn by design."""
    c = s.task.c
    here = sa.select(c.query_id, c.item_id, c.probability, c.round)
    here = here.where(c.project_id == project.id, c.other_id.is_(None), c.probability.is_not(None))
    return {(query, item): (chance, turn) for query, item, chance, turn in conn.execute(here)}


def _waiting(conn: Connection, project: Project, said: Sequence[_Row]) -> list[_Row]:
    """Give what was drawn by design and has no answer: nobody's, or that of the only annotator."""
    told = {(query, item) for _, query, item, _ in said}
    who = {person for person, *_ in said}
    nobody: _Who = who.pop() if len(who) == 1 else (NOBODY, "person", None)
    queries, items = _names(conn, project, s.query), _names(conn, project, s.item)
    c = s.task.c
    here = s.task.select().where(c.project_id == project.id, c.probability.is_not(None))
    return [
        (nobody, query, item, {"probability": task.probability, "round": task.round})
        for task in conn.execute(here.order_by(c.round, c.place))
        if (query := queries[task.query_id], item := items[task.item_id]) not in told
    ]


def _pairs(conn: Connection, project: Project) -> list[_Row]:
    """Give the share of its pairs that each item won, person by person."""
    people = _people(conn, project)
    queries, items = _names(conn, project, s.query), _names(conn, project, s.item)
    won: dict[tuple[int, int, int], list[float]] = {}
    for person, rows in sorted(current(conn, project).items()):
        for row in rows:
            if row.vote is not None:
                won.setdefault((person, row.query_id, row.item_id), []).append(row.vote)
                won.setdefault((person, row.query_id, row.other_id), []).append(1 - row.vote)
    return [
        (people[person], queries[query], items[item], {"vote": sum(votes) / len(votes)})
        for (person, query, item), votes in won.items()
    ]


def _table(source: Source, rows: Sequence[_Row], question: Question) -> Rows:
    """Lay rows in columns; of a column that nobody used there is none."""
    people = [*dict.fromkeys(person for person, *_ in rows)]
    number = {person: code for code, person in enumerate(people)}
    said = [cells for *_, cells in rows]
    values: dict[str, Any] = {}
    for name in ("vote", "grade", "score", "rank", "probability", "round"):
        column = _column(said, name)
        if column is not None:
            whole = name in ("rank", "round")
            values[name] = np.nan_to_num(column).astype(np.int64) if whole else column
    if "round" in values and "probability" not in values:  # a round is one that was drawn
        values["probability"] = np.full(len(rows), np.nan)
    if question.kind == "category" or any(cells.get("category") for cells in said):
        values["category"] = Codes.of([cells.get("category") or "" for cells in said])
    if not {"vote", "grade", "rank", "category"} & values.keys():  # nobody could tell so far
        values["grade"] = np.full(len(rows), np.nan)
    code = np.array([number[person] for person, *_ in rows], np.int32)
    return Rows(
        source,
        Codes.of([query for _, query, _, _ in rows]),
        Codes(code, tuple(name for name, _, _ in people)),
        Text.of(item for _, _, item, _ in rows),
        kind=tuple(kind for _, kind, _ in people),
        family=tuple(family for _, _, family in people),
        silence="unknown",
        silences=tuple("unknown" for _ in people),
        **values,
    )


def _column(said: Sequence[dict[str, Any]], name: str) -> NDArray[np.float64] | None:
    """Lay what was said in a column, NaN where nothing was; None where nobody said anything."""
    cells = [cells.get(name) for cells in said]
    if all(cell is None for cell in cells):
        return None
    return np.array([np.nan if cell is None else cell for cell in cells], np.float64)
