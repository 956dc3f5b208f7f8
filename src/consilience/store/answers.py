"""Answers of a source, in and out: what reading gave is kept, and given again as it was.

A source that was read from a file never changes: its rows are kept in memory once they have been
fetched. Labels that are given in the app are fetched anew, those that count: neither superseded nor
withdrawn.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa

from consilience.columns import Codes, Text, coded, whole
from consilience.errors import UsageError
from consilience.formats.rows import Rows, Source
from consilience.store import schema as s
from consilience.store.bulk import (
    add_rows,
    counted_off,
    fetch_columns,
    name_ids,
    names_by_id,
    places_of,
    storable,
)
from consilience.store.connect import now
from consilience.store.frames import marked
from consilience.store.people import respondent_ids

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sqlalchemy.engine import Connection, Row

    from consilience.store.connect import Database

#: The columns of numbers, and which of them are whole.
_NUMBERS = ("vote", "grade", "score", "rank", "probability", "round")
_WHOLE = ("rank", "round")
_MOST = 2**63
#: How many answers stay in memory once they have been fetched.
KEPT = 8_000_000

_kept: OrderedDict[tuple[int, int], Rows] = OrderedDict()
_lock = threading.Lock()


def store_rows(
    conn: Connection,
    project_id: int,
    rows: Rows,
    *,
    role: str,
    sha256: str | None = None,
    options: dict[str, Any] | None = None,
    first_id: int | None = None,
) -> int:
    """Keep a table that was read, as a source; give the source's number."""
    has = [name for name in s.VALUES if getattr(rows, name) is not None]
    source_id = _store_source(
        conn,
        rows,
        project_id=project_id,
        role=role,
        sha256=sha256,
        options=options or {},
        first_id=first_id,
        has=has,
    )
    who = _store_voices(conn, project_id, source_id, rows)
    asked = dict.fromkeys(query for _, query in rows.asked)
    put = [*rows.query.names, *(name for name in asked if name not in {*rows.query.names})]
    queries = name_ids(conn, s.query, project_id, put)
    _store_queries(conn, source_id, rows, queries[: len(rows.query.names)])
    _store_asked(conn, source_id, rows, who, dict(zip(put, queries.tolist(), strict=True)))
    if len(rows):
        code, names = rows.item.codes()
        used, code = counted_off(code)  # a dictionary may hold names that no row has
        items = name_ids(conn, s.item, project_id, names.take(whole(used)).to_pylist())
        columns: dict[str, Any] = {
            "project_id": np.full(len(rows), project_id),
            "source_id": np.full(len(rows), source_id),
            "place": np.arange(len(rows)),
            "respondent_id": who[rows.respondent.code],
            "query_id": queries[rows.query.code],
            "item_id": items[code],
            **{name: _checked(name, getattr(rows, name)) for name in has if name != "category"},
        }
        if rows.category is not None:
            storable(rows.category.names, "category")
            said = np.array([*rows.category.names, ""], object)[:-1]
            columns["category"] = said[rows.category.code].tolist()
        add_rows(conn, s.answer, columns)
    return source_id


def _checked(name: str, values: NDArray[Any]) -> NDArray[Any]:
    if name not in _WHOLE:
        return values.astype(np.float64, copy=False)
    if len(values) and int(values.max()) >= _MOST:
        raise UsageError(f"a {name} of {int(values.max())} is too large (fix: count from 1)")
    return values.astype(np.int64, copy=False)


def _store_source(conn: Connection, rows: Rows, *, has: list[str], **about: Any) -> int:
    source = rows.source
    texts = (source.name, source.why, *source.notes, *source.columns, *source.who)
    storable(texts, "source")
    values = {
        **about,
        "name": source.name,
        "recognised": source.recognised,
        "why": source.why,
        "rows": source.rows,
        "notes": list(source.notes),
        "columns": list(source.columns),
        "who": list(source.who),
        "silence": rows.silence,
        "counted": rows.counted,
        "has": has,
        "layout": _layout(rows),
        "created": now(),
    }
    added = conn.execute(s.source.insert().values(values).returning(s.source.c.id))
    return int(added.scalar_one())


def _layout(rows: Rows) -> dict[str, Any]:
    """Note what the tables do not tell and the fingerprint of a study sees."""
    layout: dict[str, Any] = {
        "chunks": [len(array) for array in rows.item.stored],
        "numbered": rows.item.numbered,
    }
    if rows.category is not None:
        layout["categories"] = list(rows.category.names)
    negative = {}
    for name in ("vote", "grade", "score", "probability"):
        column = getattr(rows, name)
        if column is not None:  # SQLite keeps no sign of zero
            negative[name] = np.flatnonzero((column == 0) & np.signbit(column)).tolist()
    layout["negative"] = {name: places for name, places in negative.items() if places}
    return layout


def _store_voices(
    conn: Connection, project_id: int, source_id: int, rows: Rows
) -> NDArray[np.int64]:
    names = rows.respondent.names
    ids = respondent_ids(conn, project_id, [*zip(names, rows.kind, rows.family, strict=True)])
    silences = rows.silences or [None] * len(names)
    said = zip(ids, rows.family, silences, strict=True)
    voices = [
        {
            "source_id": source_id,
            "place": place,
            "respondent_id": who,
            "family": family,
            "silence": silence,
        }
        for place, (who, family, silence) in enumerate(said)
    ]
    if voices:
        conn.execute(s.voice.insert(), voices)
    return np.array(ids, np.int64)


def _store_queries(
    conn: Connection, source_id: int, rows: Rows, queries: NDArray[np.int64]
) -> None:
    count = len(rows.query.names)
    if count:
        here = np.full(count, source_id)
        columns = {"source_id": here, "place": np.arange(count), "query_id": queries}
        add_rows(conn, s.posed, columns)


def _store_asked(
    conn: Connection,
    source_id: int,
    rows: Rows,
    who: NDArray[np.int64],
    queries: dict[str, int],
) -> None:
    by_name = dict(zip(rows.respondent.names, who.tolist(), strict=True))
    pairs = [(by_name[name], queries[query]) for name, query in rows.asked]
    if pairs:
        respondents, put = np.array(pairs, np.int64).T
        here, place = np.full(len(pairs), source_id), np.arange(len(pairs))
        add_rows(
            conn,
            s.asked,
            {"source_id": here, "place": place, "respondent_id": respondents, "query_id": put},
        )


def tables_of(db: Database, conn: Connection, project_id: int) -> list[Rows]:
    """Give the tables of all sources that are not set aside: answers, then truth, then labels."""
    c = s.source.c
    here = (c.project_id == project_id) & ~c.set_aside
    found = sorted(
        conn.execute(s.source.select().where(here)),
        key=lambda row: (s.ROLES.index(row.role), row.id),
    )
    tables = {row.id: rows_of(db, conn, row) for row in found}
    empty = {row.id for row in found if row.role == "labels" and not len(tables[row.id])}
    return marked(conn, project_id, {key: rows for key, rows in tables.items() if key not in empty})


def rows_of(db: Database, conn: Connection, row: Row[Any]) -> Rows:
    """Give the table of a source."""
    if row.role == "labels":
        from consilience.store.label_rows import label_rows

        return label_rows(conn, row)
    key = (db.id, row.id)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    rows = _fetched(conn, row)
    with _lock:
        _kept[key] = rows
        while sum(map(len, _kept.values())) > KEPT and len(_kept) > 1:
            _kept.popitem(last=False)
    return rows


def _fetched(conn: Connection, row: Row[Any]) -> Rows:
    names, kinds, families, silences, who = _voices(conn, row.id)
    queries, put = _posed(conn, row.id)
    refers = {"respondent_id": who, "query_id": put}
    several = [name for name, listed in refers.items() if len(listed) > 1]
    columns = _columns(conn, row, several)
    code = {
        name: places_of(columns[name], listed)
        if name in several
        else np.zeros(len(columns["item_id"]), np.int32)
        for name, listed in refers.items()
    }
    values: dict[str, Any] = {name: columns[name] for name in _NUMBERS if name in columns}
    if "category" in columns:
        values["category"] = _categories(columns["category"], row.layout["categories"])
    return Rows(
        source_of(row),
        Codes(code["query_id"], queries),
        Codes(code["respondent_id"], names),
        _items(conn, row, columns["item_id"]),
        kind=kinds,
        family=families,
        silence=row.silence,
        asked=_asked(conn, row.id),
        counted=row.counted,
        silences=None if None in silences or not silences else silences,
        **values,
    )


def _columns(conn: Connection, row: Row[Any], refers: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Fetch the columns that a source has, in the order of its rows; ``refers``: to what."""
    has = [name for name in s.VALUES if name in row.has]
    wanted = [*refers, "item_id", *has]
    kinds = {
        "category": "text",
        **dict.fromkeys(("vote", "grade", "score", "probability"), "float"),
    }
    c = s.answer.c
    here = (c.project_id == row.project_id) & (c.source_id == row.id)
    statement = sa.select(*(c[name] for name in wanted)).where(here).order_by(c.place)
    found = fetch_columns(conn, statement, [kinds.get(name, "int") for name in wanted])
    columns = dict(zip(wanted, found, strict=True))
    for name, places in row.layout["negative"].items():
        columns[name][places] = -0.0
    return columns


def source_of(row: Row[Any]) -> Source:
    """Tell where the rows of a source came from."""
    told = (row.notes, row.columns, row.who)
    notes, columns, who = (tuple(names or ()) for names in told)
    return Source(row.name, row.recognised, row.why, row.rows, notes, columns, who)


def _voices(conn: Connection, source_id: int) -> tuple[Any, Any, Any, Any, NDArray[np.int64]]:
    v, r = s.voice.c, s.respondent.c
    statement = (
        sa.select(r.name, r.kind, v.family, v.silence, r.id)
        .join_from(s.voice, s.respondent)
        .where(v.source_id == source_id)
        .order_by(v.place)
    )
    found = [tuple(row) for row in conn.execute(statement)]
    names, kinds, families, silences, ids = zip(*found, strict=True) if found else ((),) * 5
    return names, kinds, families, silences, np.array(ids, np.int64)


def _posed(conn: Connection, source_id: int) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    p, q = s.posed.c, s.query.c
    statement = (
        sa.select(q.name, q.id)
        .join_from(s.posed, s.query)
        .where(p.source_id == source_id)
        .order_by(p.place)
    )
    found = [tuple(row) for row in conn.execute(statement)]
    return tuple(name for name, _ in found), np.array([number for _, number in found], np.int64)


def _asked(conn: Connection, source_id: int) -> tuple[tuple[str, str], ...]:
    a = s.asked.c
    statement = (
        sa.select(s.respondent.c.name, s.query.c.name)
        .select_from(s.asked.join(s.respondent).join(s.query, a.query_id == s.query.c.id))
        .where(a.source_id == source_id)
        .order_by(a.place)
    )
    return tuple((who, query) for who, query in conn.execute(statement))


def _items(conn: Connection, row: Row[Any], ids: NDArray[np.int64]) -> Text:
    """Give the names of items, laid out in memory as they were when they were read."""
    import pyarrow as pa

    different, code = counted_off(ids)
    spelt = Text.of(names_by_id(conn, s.item, row.project_id, different))
    names = spelt.chunks[0] if len(spelt) else pa.nulls(0, pa.string())
    ends = np.cumsum(row.layout["chunks"])[:-1]
    pieces = [coded(piece, names) for piece in np.split(code, ends)]
    if not row.layout["numbered"]:
        pieces = [array for piece in pieces for array in Text.of_arrow([piece]).chunks]
    return Text.of_arrow(pieces)


def _categories(said: NDArray[Any], names: Sequence[str]) -> Codes:
    number = {name: code for code, name in enumerate(names)}
    code, found = Text.of(said).codes()
    place = np.array([number[name] for name in found.to_pylist()], np.int32)
    return Codes(place[code], tuple(names))
