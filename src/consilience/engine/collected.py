"""Some queries of an engine's tables as a study in memory: the one that memory would have read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from consilience.columns import Codes, Text
from consilience.engine.tables import joined, places, values
from consilience.formats.rows import Rows, Source
from consilience.study.build import build
from consilience.study.model import Study, Whole
from consilience.study.outline import part_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from consilience.engine.tables import Part, Tables

#: What stands where a row says nothing, by column.
_UNSAID = {"rank": 0, "round": 0}
_SOURCE = Source("engine", "long table", "some of the queries, from an engine", 0)


def collected(tables: Tables, queries: Sequence[int] | NDArray[np.int64]) -> Study:
    """Fetch what was said of some queries, and make a study of it.

    Respondents are numbered as in the tables, and the study knows the whole that it is part of:
    what it tells of these queries is what the whole in memory would tell.

    Parameters
    ----------
    tables
        Answers and evidence on an engine.
    queries
        The numbers of the queries, each once.
    """
    wanted = np.unique(np.asarray(queries, np.int64))
    sides = [_rows(tables, wanted, judges=False)]
    if len(tables.judge_keys):
        sides.append(_rows(tables, wanted, judges=True))
    made = build(sides, universe=tables.universe)
    return part_of(Study(
        made.queries, tables.respondents, made.items, made.answers, made.evidence,
        universe=tables.universe,
    ), whole_of(tables))  # fmt: skip


def whole_of(tables: Tables) -> Whole:
    """Say what some queries do not tell of all: who answers, who judges, in fractions."""
    here, said = tables.heard, tables.said
    answering = tuple(np.flatnonzero(here[: tables.systems]).tolist())
    judging = tuple((tables.systems + np.flatnonzero(here[tables.systems :])).tolist())
    columns = {"vote": not said.plain, "score": said.scored, "rank": said.ranked}
    return Whole(
        answering,
        judging,
        answering if said.fractions else (),
        tuple(name for name, there in columns.items() if there),
    )


def _rows(tables: Tables, queries: NDArray[np.int64], *, judges: bool) -> Rows:
    """Fetch the rows of systems or judges, in the order of the input."""
    first = tables.systems if judges else 0
    last = len(tables.respondents) if judges else tables.systems
    people = tables.respondents
    names = people.names[first:last]
    table = _fetched(tables, queries, judges=judges)
    place = np.full(len(tables.queries), -1)
    place[queries] = np.arange(len(queries))
    query, who = np.zeros(0, np.int64), np.zeros(0, np.int64)
    if table is not None:
        table = table.sort_by("row")
        query = tables.query_code(table)
        keys = tables.judge_keys if judges else tables.system_keys
        who = places(table["respondent"], keys)
    asked = tables.asked[first:last].copy()
    asked[who, query] = False
    empty = np.argwhere(asked[:, queries])
    return Rows(
        _SOURCE,
        Codes(place[query].astype(np.int32), tuple(tables.queries[one] for one in queries)),
        Codes(who.astype(np.int32), names),
        _items(table),
        kind=people.kind[first:last],
        family=people.family[first:last],
        silence="no",
        silences=people.silence[first:last],
        asked=tuple((names[one], tables.queries[queries[q]]) for one, q in empty.tolist()),
        **_columns(tables, table, judges=judges),
    )


def _fetched(tables: Tables, queries: NDArray[np.int64], *, judges: bool) -> pa.Table | None:
    """Collect what was said of some queries, part by part."""
    found = []
    for part in tables.parts:
        frame = part.evidence if judges else part.answers
        here = np.intersect1d(part.queries, queries)
        if frame is not None and len(here):
            found.append(tables.engine.collect(_of(tables, part, frame, here)))
    return joined(found) if found else None


def _of(
    tables: Tables, part: Part, frame: nw.LazyFrame[Any], queries: NDArray[np.int64]
) -> nw.LazyFrame[Any]:
    """Keep some queries of a part."""
    if len(queries) == len(part.queries):
        return frame
    return frame.join(tables.per_query(queries, {}), on="query", how="inner")


def _items(table: pa.Table | None) -> Text:
    import pyarrow as pa

    return Text.of_arrow([] if table is None else table["item"].cast(pa.string()).chunks)


def _columns(tables: Tables, table: pa.Table | None, *, judges: bool) -> dict[str, Any]:
    """Give the columns of values that somebody used."""
    if table is None:
        return {}
    names = ["vote", "grade", "probability", "round"]
    if not judges:
        told = {"vote": not tables.said.plain, "score": True, "rank": True}
        names = [name for name, there in told.items() if there]
    return {
        name: _filled(values(table[name]), name) for name in names if name in table.column_names
    }


def _filled(column: NDArray[np.float64], name: str) -> NDArray[Any]:
    if name not in _UNSAID:
        return column
    return np.nan_to_num(column, nan=_UNSAID[name]).astype(np.int64)
