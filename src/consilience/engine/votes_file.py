"""The votes file: answers sorted by query in a Parquet file, with an index in its footer.

Columns are ``query``, ``respondent``, ``item`` (text, dictionary-encoded), then those of ``vote``,
``grade``, ``score``, ``rank``, ``probability`` and ``round`` that somebody used, and ``kind`` and
``family`` where there is more to say than "system". Empty cells mean: not said. Any reader of
Parquet reads it as a table with one answer a row.

Rows are sorted by query, then respondent, each in the order in which they first came; the rows of
a list keep their order. Row groups are cut between queries, at about a million rows; a query with
more rows than that has row groups of its own. So a range of queries is read without the rest:
:meth:`Index.groups` tells where it stands. The index travels as :mod:`consilience.formats.footer`
writes it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.columns import coded, numbers
from consilience.engine.aside import Hashed, aside, clean, sync_folder, told
from consilience.errors import bad
from consilience.formats import footer
from consilience.formats.rows import Source
from consilience.store import like, protect
from consilience.study.model import Respondents

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

#: The value columns a votes file can have, and how each is stored.
VALUES = {
    **dict.fromkeys(("vote", "grade", "score"), "float64"),
    "rank": "int32",
    "probability": "float64",
    "round": "int32",
}
#: Rows of a row group, about.
GROUP = 1 << 20
#: The largest dictionary of a row group; beyond it names are written one by one.
_DICTIONARY = 1 << 28
_ARRAYS = ("votes", "items", "group_starts", "group_rows")


@dataclass(frozen=True, slots=True)
class Index:
    """What a votes file says of itself: read in no time, however many rows there are.

    ``queries`` and ``respondents`` stand in the order in which the inputs first named them, and
    that is how the file is sorted. ``votes`` counts the rows of each query, ``items`` its different
    items. ``asked`` holds (respondent, query) pairs, as codes, that were put and gave no row.
    ``group_starts`` is the first query of each row group, ``group_rows`` how many rows it has.
    ``columns`` names the value columns; ``fingerprint`` is a hash of what was written.
    """

    queries: tuple[str, ...]
    votes: NDArray[np.int64]
    items: NDArray[np.int64]
    respondents: Respondents
    asked: tuple[tuple[int, int], ...]
    group_starts: NDArray[np.int64]
    group_rows: NDArray[np.int64]
    rows: int
    columns: tuple[str, ...]
    sources: tuple[Source, ...]
    notes: tuple[str, ...]
    fingerprint: str

    def groups(self, low: int, high: int) -> range:
        """Give the row groups that hold queries ``low`` to ``high - 1``."""
        if not len(self.group_starts) or low >= high:
            return range(0)
        first = int(np.searchsorted(self.group_starts, low, side="left"))
        inside = first < len(self.group_starts) and int(self.group_starts[first]) == low
        end = int(np.searchsorted(self.group_starts, high, side="left"))
        return range(first if inside else max(first - 1, 0), end)


def read_index(path: str | os.PathLike[str]) -> Index | None:
    """Read the index of a votes file; None where the file is none, or was changed since.

    Raises
    ------
    InputError
        If the file cannot be read as Parquet, or its index is damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    name = os.fspath(path)
    try:
        held = footer.held(pq.read_metadata(name), Path(name).stat().st_size)
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0].replace(f" '{name}'", "")
        raise bad(name, None, f"not readable as Parquet: {reason}", "write it again") from None
    facts = footer.unpack(held, name)
    return None if facts is None else _index(facts)


def _index(facts: Mapping[str, Any]) -> Index:
    who = facts["respondents"]
    return Index(
        queries=tuple(facts["queries"]),
        respondents=Respondents(*(tuple(who[field.name]) for field in fields(Respondents))),
        asked=tuple(map(tuple, facts["asked"].reshape(-1, 2).tolist())),
        rows=int(facts["votes"].sum()),
        columns=tuple(facts["columns"]),
        sources=tuple(_source(*given) for given in facts["sources"]),
        notes=tuple(facts["notes"]),
        fingerprint=facts["fingerprint"],
        **{name: facts[name] for name in _ARRAYS},
    )


def _source(name: str, recognised: str, why: str, rows: int, notes: Sequence[str]) -> Source:
    return Source(name, recognised, why, rows, tuple(notes))


@dataclass(frozen=True, slots=True)
class Batch:
    """Whole queries as they are written: rows sorted by query, then respondent.

    Query ``low + k`` has ``votes[k]`` rows and the items ``starts[k]`` to ``starts[k + 1] - 1``;
    item ``i`` is called ``names[i]``. ``respondent`` and ``item`` hold a code a row, ``values`` the
    columns by name (NaN, and a rank or round of 0: not said).
    """

    low: int
    votes: NDArray[np.int64]
    starts: NDArray[np.int64]
    names: pa.Array
    respondent: NDArray[np.int32]
    item: NDArray[np.integer]
    values: Mapping[str, NDArray[Any]]


class VotesWriter:
    """Writes a votes file aside; :meth:`finish` makes it the file, or it never was.

    Parameters
    ----------
    path
        The file; what is there stays until the new file is whole.
    queries
        The names of all queries, in order.
    respondents
        Everybody, in order.
    columns
        The value columns that will be given with every batch.

    Examples
    --------
    >>> import tempfile
    >>> from consilience.columns import Text
    >>> everybody = Respondents(("bm25", "bert"), ("system",) * 2, (None,) * 2, ("no",) * 2)
    >>> (names,) = Text.of(["d1", "d7", "d1"]).chunks
    >>> who, item = np.array([0, 0, 1, 1], np.int32), np.array([0, 1, 1, 2])
    >>> batch = Batch(0, np.array([3, 1]), np.array([0, 2, 3]), names, who, item, {})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with VotesWriter(f"{folder}/v.parquet", ["q1", "q2"], everybody, []) as writer:
    ...         writer.write(batch)
    ...         _ = writer.finish()
    ...     index = read_index(f"{folder}/v.parquet")
    >>> index.queries, index.votes.tolist(), index.items.tolist()
    (('q1', 'q2'), [3, 1], [2, 1])
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        queries: Sequence[str],
        respondents: Respondents,
        columns: Sequence[str],
    ) -> None:
        self.path = Path(path).resolve()
        self.queries = tuple(queries)
        self.respondents = respondents
        self.columns = tuple(name for name in VALUES if name in columns)
        self.aside = aside(self.path, "part")
        self.digest = hashlib.sha256()
        self.counts: dict[str, list[Any]] = {name: [] for name in _ARRAYS}
        self.next = 0
        with told(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            clean(self.path)
            self.stream = Hashed(self.aside.open("xb"), self.digest)
            self.writer = self._opened()

    def write(self, batch: Batch) -> None:
        """Write whole queries, those that come next."""
        if batch.low != self.next:
            raise AssertionError(f"query {self.next} is next, not {batch.low}")
        self.next += len(batch.votes)
        with told(self.path):
            for first, table in self._tables(batch):
                self.writer.write_table(table, row_group_size=max(len(table), 1))
                self.counts["group_starts"].append([first])
                self.counts["group_rows"].append([len(table)])
        self.counts["votes"].append(batch.votes)
        self.counts["items"].append(np.diff(batch.starts))

    def finish(
        self,
        *,
        asked: Sequence[tuple[int, int]] = (),
        sources: Sequence[Source] = (),
        notes: Sequence[str] = (),
    ) -> Index:
        """Write the index, see the file to the disk, and give it its name."""
        if self.next != len(self.queries):
            raise AssertionError(f"{self.next} of {len(self.queries)} queries were written")
        who = self.respondents
        said: dict[str, Any] = {
            "queries": self.queries,
            "respondents": {field.name: getattr(who, field.name) for field in fields(who)},
            "columns": self.columns,
        }
        empty = np.zeros(0, np.int64)
        arrays = {name: np.concatenate([empty, *self.counts[name]]) for name in _ARRAYS}
        arrays["asked"] = np.array(sorted(asked), np.int64).reshape(-1)
        self.digest.update(footer.pack(said, arrays))
        said["fingerprint"] = self.digest.hexdigest()
        said["sources"] = [(s.name, s.recognised, s.why, s.rows, s.notes) for s in sources]
        said["notes"] = tuple(notes)
        with told(self.path):
            text = footer.pack(said, arrays)
            size = str(self.stream.tell()).encode()
            self.writer.add_key_value_metadata({footer.KEY: text, footer.BYTES: size})
            self.writer.close()
            self.stream.sync()
            like(self.path, self.aside)
            protect.check(self.path)
            self.aside.replace(self.path)
            sync_folder(self.path.parent)
        return _index(said | arrays)

    def close(self) -> None:
        """Remove what was written, unless it was finished."""
        self.stream.give_up()
        self.writer.close()
        with contextlib.suppress(OSError):
            self.aside.unlink(missing_ok=True)

    def __enter__(self) -> VotesWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _opened(self) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        text = pa.dictionary(pa.int32(), pa.string())
        kinds: list[tuple[str, Any]] = [(name, text) for name in ("query", "respondent", "item")]
        kinds += [(name, _type(VALUES[name])) for name in self.columns]
        kinds += [(name, text) for name in self._facts()]
        self.schema = pa.schema(kinds)
        return pq.ParquetWriter(
            pa.PythonFile(self.stream, mode="w"),
            self.schema,
            compression="zstd",
            compression_level=1,
            use_dictionary=[name for name, _ in kinds if name not in ("score", "probability")],
            dictionary_pagesize_limit=_DICTIONARY,
            store_schema=False,
            write_page_checksum=True,
            write_statistics=["query", "respondent", *self.columns],
        )

    def _facts(self) -> dict[str, tuple[str | None, ...]]:
        """Give what the file says of every respondent, where there is something to say."""
        who = self.respondents
        told: dict[str, tuple[str | None, ...]] = {}
        if {*who.kind} - {"system"}:
            told["kind"] = who.kind
        if {*who.family} - {None}:
            told["family"] = who.family
        return told

    def _tables(self, batch: Batch) -> Iterator[tuple[int, pa.Table]]:
        """Cut a batch into tables, one a row group, each with its first query."""
        ends = np.cumsum(batch.votes)
        for low, high in cuts(batch.votes, GROUP):
            begin, end = int(ends[low] - batch.votes[low]), int(ends[high - 1])
            for row in range(begin, end, GROUP if high == low + 1 else max(end - begin, 1)):
                rows = slice(row, min(row + GROUP, end))
                yield batch.low + low, self._table(batch, low, high, rows)

    def _table(self, batch: Batch, low: int, high: int, rows: slice) -> pa.Table:
        """Make a table of some rows of queries ``low`` to ``high - 1`` of a batch."""
        import pyarrow as pa

        here = slice(batch.low + low, batch.low + high)
        query = np.repeat(np.arange(high - low, dtype=np.int32), batch.votes[low:high])
        query = query[: rows.stop - rows.start]  # of one query alone there may be fewer
        who = batch.respondent[rows]
        columns = [_named(query, self.queries[here]), _named(who, self.respondents.names)]
        columns.append(_items(batch, int(batch.starts[low]), int(batch.starts[high]), rows))
        columns += [_value(batch.values[name][rows], VALUES[name]) for name in self.columns]
        columns += [_named(who, said) for said in self._facts().values()]
        return pa.Table.from_arrays(columns, names=self.schema.names)


def cuts(votes: NDArray[np.int64], size: int) -> Iterator[tuple[int, int]]:
    """Cut queries into ranges of at most ``size`` rows; a larger query is a range of its own.

    Examples
    --------
    >>> [*cuts(np.array([3, 1, 0, 9, 0, 2, 2]), 4)]
    [(0, 3), (3, 4), (4, 7)]
    """
    ends = np.cumsum(votes)
    low = 0
    while low < len(ends):
        begin = int(ends[low] - votes[low])
        high = max(int(np.searchsorted(ends, begin + size, side="right")), low + 1)
        yield low, high
        low = high


def _type(name: str) -> Any:
    import pyarrow as pa

    return pa.float64() if name == "float64" else pa.int32()


def _named(code: NDArray[np.integer], names: Sequence[str | None]) -> pa.Array:
    """Make a column of names of a code a row; each name stands once in its dictionary."""
    import pyarrow as pa

    different = {name: None for name in names if name is not None}
    place = {name: number for number, name in enumerate(different)}
    to = np.array([place.get(name, -1) if name is not None else -1 for name in names], np.int32)
    code = to[code]
    dictionary = pa.array([*different], pa.string())
    if (to >= 0).all():
        return coded(code, dictionary)
    indices = _nullable(np.maximum(code, 0), code >= 0, pa.int32())
    return pa.DictionaryArray.from_arrays(indices, dictionary)


def _items(batch: Batch, low: int, high: int, rows: slice) -> pa.Array:
    """Make the column of items: a name that several queries share stands once."""
    code = batch.item[rows] - low
    names = batch.names.slice(low, high - low)
    if high - low > len(code):  # part of a large query
        used, code = np.unique(code, return_inverse=True)
        names = names.take(_whole(used))
    different = names.dictionary_encode()
    to = numbers([different.indices], copy=False)
    return coded(to[code], different.dictionary)


def _whole(values: NDArray[np.integer]) -> pa.Array:
    import pyarrow as pa

    values = np.ascontiguousarray(values, np.int64)
    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values)])


def _value(values: NDArray[Any], kind: str) -> pa.Array:
    """Make a column of numbers; what was not said is null."""
    said = values != 0 if kind == "int32" else ~np.isnan(values)
    return _nullable(np.ascontiguousarray(values, kind), said, _type(kind))


def _nullable(values: NDArray[Any], said: NDArray[np.bool_], kind: Any) -> pa.Array:
    import pyarrow as pa

    valid = None if said.all() else pa.py_buffer(np.packbits(said, bitorder="little"))
    return pa.Array.from_buffers(kind, len(values), [valid, pa.py_buffer(values)])
