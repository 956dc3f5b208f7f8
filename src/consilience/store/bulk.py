"""Many rows at once, into a table and out of it, as columns.

A million answers are no million Python objects longer than they must be: SQLite takes and gives
tuples in blocks, PostgreSQL takes CSV, which Arrow writes, and gives arrays. NaN is NULL in both.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import sqlalchemy as sa

from consilience.errors import UsageError, quote

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray
    from sqlalchemy.engine import Connection

#: Rows that are handed over together; so few are taken together that no garbage is collected.
BLOCK, TAKEN = 50_000, 500
#: So many rows are looked up by their numbers; for more of them all rows are fetched.
_FEW = 500
#: Columns in which 0 stands for what was not said.
_ZERO = ("rank", "round")

#: What new rows refer to is looked up by a join. A server that takes a table for small, as it was a
#: moment ago, would go through all of it for every row; a plan that it remembers may do so, too.
_FOR_MANY = "DISCARD PLANS; SET LOCAL enable_nestloop = off"
_AS_EVER = "SET LOCAL enable_nestloop = on"

Column: TypeAlias = "NDArray[Any] | Sequence[str | None]"


def add_rows(conn: Connection, table: sa.Table, columns: Mapping[str, Column]) -> None:
    """Add rows to a table; a NaN, and a rank or round of 0, becomes NULL."""
    rows = len(next(iter(columns.values())))
    blocks = (
        {name: column[begin : begin + BLOCK] for name, column in columns.items()}
        for begin in range(0, rows, BLOCK)
    )
    if conn.dialect.name == "sqlite":
        _add_to_sqlite(conn, table, list(columns), blocks)
    else:
        _copy_in(conn, table, list(columns), blocks)


def inserting(conn: Connection, table: sa.Table) -> Any:
    """Begin an insertion that can say what becomes of rows that are there already."""
    from sqlalchemy.dialects import postgresql, sqlite

    return (sqlite if conn.dialect.name == "sqlite" else postgresql).insert(table)


def _add_to_sqlite(
    conn: Connection, table: sa.Table, names: Sequence[str], blocks: Iterator[dict[str, Column]]
) -> None:
    marks = ", ".join("nullif(?, 0)" if name in _ZERO else "?" for name in names)
    listed = ", ".join(f'"{name}"' for name in names)
    statement = f'INSERT INTO "{table.name}" ({listed}) VALUES ({marks})'
    plain = conn.connection.driver_connection
    assert plain is not None
    for block in blocks:
        values = [
            column.tolist() if isinstance(column, np.ndarray) else column
            for column in block.values()
        ]
        plain.executemany(statement, zip(*values, strict=True))  # SQLite takes NaN for NULL


def _copy_in(
    conn: Connection, table: sa.Table, names: Sequence[str], blocks: Iterator[dict[str, Column]]
) -> None:
    import pyarrow as pa
    from pyarrow import csv

    listed = ", ".join(f'"{name}"' for name in names)
    plain = conn.connection.driver_connection
    assert plain is not None
    statement = f'COPY "{table.name}" ({listed}) FROM STDIN WITH (FORMAT csv)'
    with plain.cursor() as cursor:
        cursor.execute(_FOR_MANY)
        with cursor.copy(statement) as copy:
            for block in blocks:
                arrays = [_arrow(name, column) for name, column in block.items()]
                sink = pa.BufferOutputStream()
                options = csv.WriteOptions(include_header=False)
                csv.write_csv(pa.Table.from_arrays(arrays, list(block)), sink, options)
                copy.write(memoryview(sink.getvalue()))
        cursor.execute(_AS_EVER)


def _arrow(name: str, column: Column) -> pa.Array:
    import pyarrow as pa

    if not isinstance(column, np.ndarray):
        return pa.array(column, pa.string())
    said = ~np.isnan(column) if column.dtype.kind == "f" else np.ones(len(column), bool)
    if name in _ZERO:
        said &= column != 0
    bits = pa.py_buffer(np.packbits(said, bitorder="little"))
    buffers = [bits, pa.py_buffer(np.ascontiguousarray(column))]
    return pa.Array.from_buffers(pa.from_numpy_dtype(column.dtype), len(column), buffers)


def fetch_columns(
    conn: Connection, statement: sa.Select[Any], kinds: Sequence[str]
) -> list[NDArray[Any]]:
    """Fetch rows as columns: of ``kinds`` "int" (NULL is 0), "float" (NaN), "text" (None)."""
    compiled = statement.compile(conn, compile_kwargs={"literal_binds": True})
    plain = conn.connection.driver_connection
    assert plain is not None
    if conn.dialect.name != "sqlite":
        return _from_server(plain, str(compiled), kinds)
    pieces: list[list[NDArray[Any]]] = [[_made((), kind)] for kind in kinds]
    cursor = plain.execute(str(compiled))
    while found := cursor.fetchmany(TAKEN):
        for piece, values, kind in zip(pieces, zip(*found, strict=True), kinds, strict=True):
            piece.append(_made(values, kind))
    return [np.concatenate(piece) for piece in pieces]


def _made(values: Sequence[Any], kind: str) -> NDArray[Any]:
    if kind == "text":
        made = np.empty(len(values), object)
        made[:] = values
        return made
    if kind == "float":
        return np.array(values, np.float64)
    try:
        return np.array(values, np.int64)
    except TypeError:  # some are NULL
        return np.array([value or 0 for value in values], np.int64)


def _from_server(plain: Any, statement: str, kinds: Sequence[str]) -> list[NDArray[Any]]:
    """Fetch rows as one array a column: row by row, a million of them would take seconds."""
    rows = f"({statement}) AS t({', '.join(f'c{place}' for place in range(len(kinds)))})"
    wanted = ", ".join(_AGGREGATE[kind].format(f"c{place}") for place, kind in enumerate(kinds))
    with plain.cursor(binary=True) as cursor:
        cursor.execute(f"SELECT {wanted} FROM {rows}")
        sent = [cursor.pgresult.get_value(0, place) for place in range(len(kinds))]
    return [_unpacked(data, kind) for data, kind in zip(sent, kinds, strict=True)]


#: How a column becomes an array of PostgreSQL's: what is missing is said as elsewhere.
_AGGREGATE = {
    "int": "array_agg(coalesce({}, 0)::int8)",
    "float": "array_agg(coalesce({}, 'NaN')::float8)",
    "text": "array_agg({})",
}
#: An element of such an array, without NULLs, as it is sent: its size in bytes, and its value.
_ELEMENT = {
    kind: np.dtype([("size", ">i4"), ("value", value)])
    for kind, value in (("int", ">i8"), ("float", ">f8"))
}
#: So many bytes come before the first element: how many there are, and of what type.
_HEADER = 20


def _unpacked(sent: bytes | None, kind: str) -> NDArray[Any]:
    if sent is None:  # no rows
        return _made((), kind)
    if kind == "text":
        return _made([*_texts(sent)], kind)
    values = np.frombuffer(sent, _ELEMENT[kind], offset=_HEADER)["value"]
    return values.astype(values.dtype.newbyteorder("="))


def _texts(sent: bytes) -> Iterator[str | None]:
    """Give the elements of an array of texts: each comes with its size, −1 for NULL."""
    at, size_of = _HEADER, struct.Struct(">i").unpack_from
    while at < len(sent):
        (size,) = size_of(sent, at)
        at += 4
        yield sent[at : at + size].decode() if size >= 0 else None
        at += max(size, 0)


def name_ids(
    conn: Connection, table: sa.Table, project_id: int, names: Sequence[str]
) -> NDArray[np.int64]:
    """Give the numbers of a project's items or queries by their names; new ones are added.

    The caller has locked the project: nobody else adds names meanwhile.
    """
    storable(names, table.name)
    known = _known(conn, table, project_id, names)
    fresh = [name for name in dict.fromkeys(names) if name not in known]
    if fresh:
        ids, project = _new_ids(conn, table, len(fresh)), np.full(len(fresh), project_id)
        add_rows(conn, table, {"id": ids, "project_id": project, "name": fresh})
        known |= dict(zip(fresh, ids.tolist(), strict=True))
    return np.fromiter((known[name] for name in names), np.int64, len(names))


def _new_ids(conn: Connection, table: sa.Table, count: int) -> NDArray[np.int64]:
    """Give numbers that no row of a table has."""
    if conn.dialect.name == "sqlite":  # nobody else writes meanwhile
        last = conn.execute(sa.select(sa.func.max(table.c.id))).scalar() or 0
        return np.arange(last + 1, last + 1 + count)
    statement = sa.text(
        "SELECT nextval(pg_get_serial_sequence(:name, 'id')) FROM generate_series(1, :count)"
    )
    found = conn.scalars(statement, {"name": f'"{table.name}"', "count": count})
    return np.fromiter(found, np.int64, count)


def _known(
    conn: Connection, table: sa.Table, project_id: int, names: Sequence[str]
) -> dict[str, int]:
    statement = sa.select(table.c.name, table.c.id).where(table.c.project_id == project_id)
    if len(names) <= _FEW:
        shown = table.c.name
        if conn.dialect.name == "sqlite":
            statement = statement.where(shown.in_(names))
        else:  # as the index has them
            hashed = [sa.func.md5(sa.literal(name)) for name in names]
            statement = statement.where(sa.func.md5(shown).in_(hashed))
    return {row.name: row.id for row in conn.execute(statement)}


def names_by_id(
    conn: Connection, table: sa.Table, project_id: int, ids: NDArray[np.int64]
) -> list[str]:
    """Give the names of items or queries by their numbers."""
    statement = sa.select(table.c.id, table.c.name).where(table.c.project_id == project_id)
    if len(ids) <= _FEW:
        statement = statement.where(table.c.id.in_(ids.tolist()))
    known, names = fetch_columns(conn, statement, ["int", "text"])
    named: list[str] = names[places_of(ids, known)].tolist()
    return named


def places_of(ids: NDArray[np.int64], listed: NDArray[np.int64]) -> NDArray[np.int32]:
    """Give the places that numbers have in a list of different numbers.

    Examples
    --------
    >>> places_of(np.array([7, 9, 7]), np.array([9, 7])).tolist()
    [1, 0, 1]
    """
    order = np.argsort(listed)
    return order[np.searchsorted(listed[order], ids)].astype(np.int32)


def counted_off(ids: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Give the different ones of many numbers, as they rise, and the place of each number there.

    Examples
    --------
    >>> [array.tolist() for array in counted_off(np.array([7, 9, 7]))]
    [[7, 9], [0, 1, 0]]
    """
    low, high = (int(ids.min()), int(ids.max())) if len(ids) else (0, 0)
    if high - low > 4 * len(ids):  # too far apart for a table of all that lie between
        different, place = np.unique(ids, return_inverse=True)
        return different, place.astype(np.int32)
    there = np.zeros(high - low + 1, bool)
    there[ids - low] = True
    return np.flatnonzero(there) + low, (np.cumsum(there, dtype=np.int32) - 1)[ids - low]


def storable(names: Sequence[str], what: str) -> None:
    r"""See that names can be kept: PostgreSQL's text has no NUL, and UTF-8 no half characters.

    Examples
    --------
    >>> storable(["a", "b\0"], "item")
    Traceback (most recent call last):
    consilience.errors.UsageError: the name of an item holds a NUL character: 'b\x00' (fix: ...
    """
    joined, article = "".join(names), "an" if what[0] in "aeiou" else "a"
    if "\0" in joined:
        found = next(name for name in names if "\0" in name)
        raise UsageError(
            f"the name of {article} {what} holds a NUL character: {quote(found)} (fix: remove it)"
        )
    try:
        joined.encode()
    except UnicodeEncodeError:
        found = next(name for name in names if not _is_text(name))
        wrong = f"the name of {article} {what} cannot be written as UTF-8: {quote(found)}"
        raise UsageError(f"{wrong} (fix: rename it)") from None


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
