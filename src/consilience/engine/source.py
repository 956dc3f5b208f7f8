"""Votes on disk, read some queries at a time: each part is a whole study of its queries.

Everything that depends on one query alone can be computed part by part. So that parts fit
together, all of them number respondents alike, and know of everybody what silence means, though a
part by itself could not tell.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.columns import Codes, Text, changes, numbers
from consilience.errors import InputError, bad
from consilience.formats.rows import Rows, Source
from consilience.study.build import build, told_by
from consilience.study.model import Respondents, Study, Whole
from consilience.study.models import models_vote
from consilience.study.outline import part_of
from consilience.study.people import respondents_of

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from consilience.engine.votes_file import Index
    from consilience.study.repeats import Duplicates

#: What stands where a row says nothing, by column.
_UNSAID = {"rank": 0, "round": 0}
_VALUES = ("vote", "grade", "score", "rank", "probability", "round")


@dataclass(frozen=True)
class Votes:
    """A votes file and the judges' answers beside it.

    ``truth`` holds the judges' tables; ``queries`` are those of the votes file, and behind them
    those that only judges know; ``votes`` counts the systems' answers to each. ``judged`` is a
    hash of what judges said, ``noted`` what else readers must know; a ``scratch`` file was made of
    other files, for this work alone.
    """

    path: Path
    index: Index
    truth: tuple[Rows, ...] = ()
    universe: int | None = None
    duplicates: Duplicates = "error"
    families: tuple[str | None, ...] | None = None
    judged: str = ""
    noted: tuple[str, ...] = ()
    scratch: bool = False

    def fingerprint(self) -> str:
        """Hash everything that was said; the votes file brings its own hash."""
        said = (self.index.fingerprint, self.judged, self.universe, self.families)
        return hashlib.sha256(repr(said).encode(errors="backslashreplace")).hexdigest()

    @cached_property
    def queries(self) -> tuple[str, ...]:
        """The names of all queries."""
        named = [self.index.queries, *(_queries(rows) for rows in self.truth)]
        return tuple(dict.fromkeys(name for names in named for name in names))

    @cached_property
    def votes(self) -> NDArray[np.int64]:
        """How many answers of systems there are to each query."""
        more = len(self.queries) - len(self.index.queries)
        return np.concatenate([self.index.votes, np.zeros(more, np.int64)])

    @cached_property
    def respondents(self) -> Respondents:
        """Everybody: those of the votes file, then judges."""
        everybody, _ = respondents_of([self._rows(0, 0), *self.truth])
        return everybody if self.families is None else replace(everybody, family=self.families)

    @property
    def source(self) -> Source:
        """What the votes file is, as results name it."""
        index = self.index
        made = f"its footer says so; made of {len(index.sources):,} inputs, sorted by query"
        columns = ("query", "respondent", "item", *index.columns)
        return Source(str(self.path), "votes file", made, index.rows, index.notes, columns)

    @property
    def sources(self) -> tuple[Source, ...]:
        """All files that were read."""
        mine = self.index.sources if self.scratch else (self.source,)
        return tuple(dict.fromkeys((*mine, *(rows.source for rows in self.truth))))

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What was noted in reading, as of files that were read at once."""
        told = told_by(self.sources)
        files = told_by(self.index.sources)
        twice = self.index.notes[: len(self.index.notes) - len(files)] if self.scratch else ()
        judges = self.judges()
        again = [note for note in judges.notes if note not in told_by(judges.sources)]
        models = models_vote(judges)
        return (*twice, *again, *told, *([] if models is None else [models]), *self.noted)

    @property
    def ordered(self) -> bool:
        """Whether answers carry scores or ranks."""
        return bool({"score", "rank"} & {*self.index.columns})

    def judges(self) -> Study:
        """Make a study of what judges said, without any answer."""
        made = build([self._rows(0, 0), *self.truth], duplicates=self.duplicates)
        return part_of(replace(made, respondents=self.respondents), self.whole)

    def ranges(self, rows: int) -> list[tuple[int, int]]:
        """Cut the queries into ranges of at most so many answers, or of one query.

        Cuts lie between row groups where they can: no group is then read twice.
        """
        ends = np.cumsum(self.votes)
        edges = np.unique([*self.index.group_starts.tolist(), len(self.queries)])
        found, low, before = [], 0, 0
        while low < len(ends):
            high = max(int(np.searchsorted(ends, before + rows, side="right")), low + 1)
            near = int(edges[np.searchsorted(edges, high, side="right") - 1])
            high = near if near > low else high
            found.append((low, high))
            low, before = high, int(ends[high - 1])
        return found

    def study(self, *ranges: tuple[int, int]) -> Study:
        """Make a study of some ranges of queries (low, high), rising."""
        tables = [self._rows(low, high) for low, high in ranges if low < len(self.index.queries)]
        judges = [
            _within(rows, order, starts, low, high, self.queries)
            for rows, (order, starts) in zip(self.truth, self.judged_rows, strict=True)
            for low, high in ranges
        ]
        tables = tables or [self._rows(0, 0)]
        made = build([*tables, *judges], duplicates=self.duplicates, universe=self.universe)
        return part_of(replace(made, respondents=self.respondents), self.whole)

    @cached_property
    def whole(self) -> Whole:
        """What the rows of a part do not tell of all: who answers, who judges, in fractions."""
        kinds = self.respondents.kind
        codes = range(len(self.respondents))
        fractions = _fractions(self.path, self.index) if "vote" in self.index.columns else ()
        return Whole(
            tuple(code for code in codes if kinds[code] == "system"),
            tuple(code for code in codes if kinds[code] != "system"),
            fractions,
            tuple(name for name in ("vote", "score", "rank") if name in self.index.columns),
        )

    @cached_property
    def judged_rows(self) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]:
        """Give the order of each judges' table by query, and where each query's rows begin."""
        number = {name: code for code, name in enumerate(self.queries)}
        found = []
        for rows in self.truth:
            to = np.array([number[name] for name in rows.query.names], np.int64)
            code = to[rows.query.code] if len(rows) else np.zeros(0, np.int64)
            order = np.argsort(code, kind="stable")
            edges = np.arange(len(self.queries) + 1)
            found.append((order, np.searchsorted(code[order], edges)))
        return tuple(found)

    def _rows(self, low: int, high: int) -> Rows:
        """Read the answers to a range of queries."""
        index = self.index
        high = min(high, len(index.queries))
        asked = tuple(
            (index.respondents.names[who], index.queries[query])
            for who, query in index.asked
            if low <= query < high
        )
        table = self._table(low, high)
        rows = 0 if table is None else table.num_rows
        names = index.queries[low:high]
        votes = index.votes[low:high]
        said = [name for name in _VALUES if name in index.columns]
        values: dict[str, Any] = {name: _value(table, name, rows) for name in said}
        return Rows(
            self.source,
            Codes(np.repeat(np.arange(len(names), dtype=np.int32), votes), names),
            _coded(table, index.respondents.names),
            Text.of_arrow([] if table is None else table["item"].chunks),
            kind=index.respondents.kind,
            family=index.respondents.family,
            silence="unknown" if "unknown" in index.respondents.silence else "no",
            silences=index.respondents.silence,
            asked=asked,
            **values,
        )

    def _table(self, low: int, high: int) -> pa.Table | None:
        """Read the row groups of a range of queries, and see that they hold what the index says."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        groups = self.index.groups(low, high)
        if not groups or low >= high:
            return None
        begin = int(self.index.votes[:low].sum() - self.index.group_rows[: groups.start].sum())
        count = int(self.index.votes[low:high].sum())
        columns = ["query", "respondent", "item", *self.index.columns]
        try:
            with pq.ParquetFile(str(self.path), read_dictionary=columns[:3]) as file:
                table = file.read_row_groups(list(groups), columns=columns, use_threads=False)
        except MemoryError:
            raise
        except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
            raise _broken(self.path, groups, columns, error) from None
        table = table.slice(begin, count)
        if not self._is_sorted(table, low, high):
            found = "its rows are not those that its index speaks of"
            raise bad(str(self.path), None, found, "convert the inputs anew")
        return table

    def _is_sorted(self, table: pa.Table, low: int, high: int) -> bool:
        """Tell whether every row is of the query that the index says."""
        votes = self.index.votes[low:high]
        if table.num_rows != int(votes.sum()):
            return False
        told = [self.index.queries[low + one] for one in np.flatnonzero(votes).tolist()]
        ends = np.cumsum(votes[votes > 0])
        code, names = Text.of_arrow(table["query"].chunks).codes()
        begins = changes(code)
        spelt = names.to_pylist()
        here = [spelt[one] for one in code[begins].tolist()]
        return here == told and np.array_equal(begins[1:], ends[:-1])


def _broken(
    path: Path, groups: Sequence[int], columns: Sequence[str], error: Exception
) -> InputError:
    """Say which row group of a file cannot be read, and why."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    place = f"row groups {groups[0]} to {groups[-1]}"
    for group in groups:
        try:
            with pq.ParquetFile(str(path)) as file:
                file.read_row_group(group, columns=list(columns), use_threads=False)
        except (OSError, pa.ArrowException, UnicodeDecodeError) as found:
            place, error = f"row group {group}", found
            break
    reason = str(error).splitlines()[0].replace(f" '{path}'", "")
    fix = "the file is damaged: convert the inputs anew"
    return bad(str(path), None, f"{place} cannot be read: {reason}", fix)


def _queries(rows: Rows) -> list[str]:
    return list(dict.fromkeys((*rows.query.names, *(query for _, query in rows.asked))))


def _coded(table: pa.Table | None, names: Sequence[str]) -> Codes:
    """Number the respondents of a table as everywhere."""
    if table is None:
        return Codes(np.zeros(0, np.int32), tuple(names))
    code, here = Text.of_arrow(table["respondent"].chunks).codes()
    number = {name: place for place, name in enumerate(names)}
    to = np.array([number.get(name, -1) for name in here.to_pylist()], np.int32)
    return Codes(to[code], tuple(names))


def _value(table: pa.Table | None, name: str, rows: int) -> NDArray[Any] | None:
    """Give a column's values; what was not said is NaN, or 0 of ranks and rounds."""
    import pyarrow.compute as pc

    kind = np.int64 if name in _UNSAID else np.float64
    if table is None:
        return np.zeros(rows, kind)
    column = table[name]
    if column.null_count:
        column = pc.fill_null(column, _UNSAID.get(name, float("nan")))
    return numbers(column.chunks, copy=False).astype(kind, copy=False)


def _fractions(path: Path, index: Index) -> tuple[int, ...]:
    """Find the respondents who vote in fractions somewhere, in one pass over their votes."""
    import pyarrow.parquet as pq

    columns = ["respondent", "vote"]
    number = {name: code for code, name in enumerate(index.respondents.names)}
    found: set[int] = set()
    with pq.ParquetFile(str(path), read_dictionary=columns[:1]) as file:
        for batch in file.iter_batches(1 << 20, columns=columns, use_threads=False):
            table = _table_of(batch)
            vote = _value(table, "vote", len(batch))
            assert vote is not None
            odd = np.flatnonzero((vote > 0) & (vote < 1))
            code, names = Text.of_arrow(table["respondent"].chunks).codes()
            spelt = names.to_pylist()
            found |= {number[spelt[one]] for one in np.unique(code[odd]).tolist()}
    return tuple(sorted(found))


def _table_of(batch: pa.RecordBatch) -> pa.Table:
    """Take a batch of rows for a table."""
    import pyarrow as pa

    return pa.Table.from_batches([batch])


def _within(
    rows: Rows,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    low: int,
    high: int,
    queries: Sequence[str],
) -> Rows:
    """Give a judges' table as far as it speaks of a range of queries; everybody stays named."""
    some = np.sort(order[starts[low] : starts[high]])
    mine = set(queries[low:high])
    columns: dict[str, Any] = {
        name: None if (column := getattr(rows, name)) is None else column[some] for name in _VALUES
    }
    used, code = np.unique(rows.query.code[some], return_inverse=True)
    category = rows.category
    return replace(
        rows,
        query=Codes(code.astype(np.int32), tuple(rows.query.names[one] for one in used.tolist())),
        respondent=Codes(rows.respondent.code[some], rows.respondent.names),
        item=rows.item.pick(some),
        asked=tuple(pair for pair in rows.asked if pair[1] in mine),
        category=None if category is None else replace(category, code=category.code[some]),
        locate=None,
        **columns,
    )


def open_votes(
    path: str | os.PathLike[str],
    index: Index,
    *,
    truth: Sequence[Rows] = (),
    universe: int | None = None,
    duplicates: Duplicates = "error",
) -> Votes:
    """Open a votes file; judges' tables beside it are kept in memory.

    What is wrong with the judges' tables is said here, once.
    """
    judges = tuple(replace(rows, locate=None) for rows in truth)
    said = build(list(truth), duplicates=duplicates).fingerprint() if truth else ""
    return Votes(Path(path), index, judges, universe, duplicates, judged=said)
