"""Labels that were given in the app, as a table of answers: those that count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa

from consilience.columns import Codes, Text, coded
from consilience.formats.rows import Rows
from consilience.store import schema as s
from consilience.store.answers import coded_items, source_of
from consilience.store.bulk import fetch_columns, names_by_id

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sqlalchemy.engine import Connection, Row

_FLOATS = ("vote", "grade", "score", "probability")
_WHOLE = ("rank", "round")


def counting(source_id: int) -> sa.ColumnElement[bool]:
    """Tell which answers of a source count: neither superseded nor withdrawn, and no pairs."""
    a, later = s.answer.c, s.answer.alias("later")
    superseded = sa.exists().where(later.c.supersedes == a.id)
    return (a.source_id == source_id) & ~a.withdrawn & a.other_id.is_(None) & ~superseded


def labelled_rows(conn: Connection, row: Row[Any]) -> Rows:
    """Give the labels of a project that count; nobody's silence means anything.

    "Cannot tell" is a vote, grade or category that is not given. Of a column that nobody used there
    is none.
    """
    a = s.answer.c
    wanted = ("respondent_id", "query_id", "item_id", *_FLOATS, *_WHOLE, "category")
    here = (a.project_id == row.project_id) & counting(row.id)
    statement = sa.select(*(a[name] for name in wanted)).where(here).order_by(a.id)
    kinds = ["int"] * 3 + ["float"] * 4 + ["int"] * 2 + ["text"]
    columns = dict(zip(wanted, fetch_columns(conn, statement, kinds), strict=True))
    who, respondent = np.unique(columns["respondent_id"], return_inverse=True)
    put, query = np.unique(columns["query_id"], return_inverse=True)
    code, names = coded_items(conn, row.project_id, columns["item_id"])
    text = Text.of_arrow([coded(code, names)])
    people = _people(conn, row.project_id, who)
    return Rows(
        source_of(row),
        Codes(query.astype(np.int32), tuple(names_by_id(conn, s.query, row.project_id, put))),
        Codes(respondent.astype(np.int32), tuple(one.name for one in people)),
        Text.of_arrow(text.chunks),
        kind=tuple(one.kind for one in people),
        family=tuple(one.family for one in people),
        silence="unknown",
        silences=tuple("unknown" for _ in people),
        **_values(columns),
    )


def _values(columns: dict[str, NDArray[Any]]) -> dict[str, Any]:
    """Leave out the columns that nobody used; who says nothing at all cannot tell."""
    values: dict[str, Any] = {
        name: columns[name] for name in _FLOATS if not np.isnan(columns[name]).all()
    }
    values |= {name: columns[name] for name in _WHOLE if columns[name].any()}
    said = columns["category"]
    if any(name is not None for name in said):
        values["category"] = Codes.of("" if name is None else name for name in said)
    if not {"vote", "grade", "rank", "category"} & values.keys():
        values["vote"] = columns["vote"]
    return values


def _people(conn: Connection, project_id: int, who: NDArray[np.int64]) -> list[Row[Any]]:
    c = s.respondent.c
    found = conn.execute(s.respondent.select().where(c.project_id == project_id)).all()
    by_id = {row.id: row for row in found}
    return [by_id[number] for number in who.tolist()]
