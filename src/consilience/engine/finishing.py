"""A range of queries before it is written: lists, items, second answers, as a study has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.columns import Text
from consilience.engine.collecting import Table, added_up
from consilience.engine.sorting import Chunk, joined
from consilience.engine.votes_file import Batch
from consilience.errors import SHOWN, InputError, Problem, Problems
from consilience.formats.naming import tell_apart
from consilience.study.build import sources_of, told_by
from consilience.study.drawn import drawn_again
from consilience.study.encode import encode
from consilience.study.lists import headers
from consilience.study.model import Answers, Items
from consilience.study.people import respondents_of
from consilience.study.repeats import Duplicates, Read, settle, without_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class _Origin(Read):
    """Where answers came from: the row of the input, its table, its line."""

    rows: NDArray[np.int64]
    first_rows: NDArray[np.int64]
    inputs: Sequence[Table]
    lines: bool

    def row(self, answer: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the rows of the input that some answers were."""
        return self.rows[answer if self.order is None else self.order.rows(answer)]

    def table(self, row: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the tables of some rows."""
        return np.searchsorted(self.first_rows, row, side="right") - 1

    def place(self, row: int) -> tuple[str, int | None]:
        """Give the file of a row, and its line, where lines are still to be told."""
        table = self.inputs[int(self.table(np.array([row]))[0])]
        line = table.input.place(table.number, row - table.start) if self.lines else None
        return table.source.name, line


class Finisher:
    """Knows everybody and every table; makes of the rows of some queries what is written.

    Parameters
    ----------
    tables
        The tables that were read.
    starts
        The number of the first respondent of each, as rows carry them.
    queries
        All queries, in order.
    columns
        The value columns of the file.
    duplicates
        What to do with second answers that differ.
    """

    def __init__(
        self,
        tables: Sequence[Table],
        starts: Sequence[int],
        queries: tuple[str, ...],
        columns: Sequence[str],
        duplicates: Duplicates,
    ) -> None:
        self.tables = tables
        self.queries = queries
        self.columns = columns
        self.duplicates = duplicates
        self.outlines = tell_apart([table.outline(queries) for table in tables])
        self.respondents, codes = respondents_of(self.outlines)
        self.who = np.concatenate(codes) if codes else np.zeros(0, np.int32)
        self.system = "system" in self.respondents.kind
        self.first_rows = np.array([table.start for table in tables], np.int64)
        self.sources = sources_of(self.outlines)
        self.problems = Problems()
        self.empty: list[tuple[int, int]] = []
        self.asked = self._asked(codes)
        self.told: list[str] = []

    def notes(self) -> list[str]:
        """Give what was noted: second answers first, then what is said of the sources."""
        return [*added_up(self.told), *told_by(self.sources)]

    def _asked(self, codes: Sequence[NDArray[np.int32]]) -> NDArray[np.int64]:
        """Give the (query, respondent) pairs that were put, sorted."""
        number = {name: code for code, name in enumerate(self.queries)}
        pairs: set[tuple[int, int]] = set()
        for rows, to in zip(self.outlines, codes, strict=True):
            renamed = dict(zip(rows.respondent.names, to.tolist(), strict=True))
            pairs |= {(number[q], renamed[r]) for r, q in rows.asked if r in renamed}
        return np.array(sorted(pairs), np.int64).reshape(-1, 2)

    def batch(self, low: int, high: int, chunks: Sequence[Chunk]) -> Batch | None:
        """Make of the rows of queries ``low`` to ``high - 1`` what is written.

        None once anything was found wrong: then there is nothing to write any more.
        """
        import pyarrow as pa

        chunk = joined(chunks, self.columns) if chunks else _nothing(self.columns)
        query, respondent = chunk.query - np.int32(low), self.who[chunk.who]
        values = self._mended(chunk, query, respondent)
        encoded = encode([(query, chunk.item)], queries=high - low)
        items = Items(chunk.item, encoded.rows, encoded.starts)
        found = headers(query, respondent)  # the other way round: lists stand by query first
        order = found.order
        columns: dict[str, Any] = {"item": encoded.codes[0], **values}
        if order is not None:
            columns = {name: order.pick(column) for name, column in columns.items()}
        starts = np.concatenate([[0], np.cumsum(found.counts)]).astype(np.int64)
        answers = Answers(found.query, found.respondent, starts, **columns)
        enough = len(self.problems.kept) >= SHOWN
        read = _Origin(
            self.outlines, order, chunk.row, self.first_rows, self.tables, lines=not enough
        )
        answers = self._settled(answers, read, items)
        self._note_empty(low, high, answers)
        if self.problems:
            return None
        length = np.diff(answers.starts)
        votes = np.bincount(answers.query, length, high - low).astype(np.int64)
        names = chunk.item.arrow(encoded.rows).combine_chunks()
        return Batch(
            low,
            votes,
            encoded.starts,
            names.combine_chunks() if isinstance(names, pa.ChunkedArray) else names,
            np.repeat(answers.respondent, length),
            answers.item,
            {name: getattr(answers, name) for name in self.columns},
        )

    def _settled(self, answers: Answers, read: Read, items: Items) -> Answers:
        """Leave out second answers that say the same; others are problems, unless one counts."""
        notes: list[str] = []
        try:
            drop = settle(answers, read, items, self.duplicates, notes)
            if answers.probability is not None and not self.system:
                again = drawn_again(answers, self.respondents, read, items, self.duplicates, notes)
                drop = np.union1d(drop, again)
        except InputError as error:
            self.problems.merge(error)
            return answers
        self.told += notes
        return without_rows(answers, drop)

    def _note_empty(self, low: int, high: int, answers: Answers) -> None:
        """Note the lists that were put and gave no row."""
        begin, end = np.searchsorted(self.asked[:, 0], [low, high]).tolist()
        put = self.asked[begin:end]
        size = len(self.respondents)
        there = (answers.query.astype(np.int64) + low) * size + answers.respondent
        empty = put[~np.isin(put[:, 0] * size + put[:, 1], there)]
        self.empty += [(respondent, query) for query, respondent in empty.tolist()]

    def _mended(
        self, chunk: Chunk, query: NDArray[np.int32], respondent: NDArray[np.int32]
    ) -> dict[str, NDArray[Any]]:
        """Give the values; those of tables read in blocks as the table as a whole has them."""
        values = {name: chunk.values[name] for name in self.columns}
        for table in self.tables:
            if not table.input.streamed or table.silences is not None:
                continue
            mine = (chunk.row >= table.start) & (chunk.row < table.start + table.rows)
            if not mine.any():
                continue
            if "rank" in values:
                values["rank"] = _ranks(values["rank"], mine, table)
            if table.source.recognised != "TREC run":
                lists = query.astype(np.int64) * len(self.respondents) + respondent
                self._check_torn(table, values, mine, lists, chunk.row)
        return values

    def _check_torn(
        self,
        table: Table,
        values: dict[str, NDArray[Any]],
        mine: NDArray[np.bool_],
        lists: NDArray[np.int64],
        rows: NDArray[np.int64],
    ) -> None:
        """See that lists are ordered as a whole, or not at all, also those that blocks cut."""
        score = values.get("score", np.full(len(mine), np.nan))
        torn = _torn(table, values, mine, lists, "score")
        self._lacking(table, rows[torn], "score")
        torn = _torn(table, values, mine, lists, "rank")
        if torn.any():
            self._lacking(table, rows[torn & np.isnan(score)], "rank")
            values["rank"] = np.where(mine & np.isin(lists, lists[torn]), 0, values["rank"])
            count = int(torn.sum())
            said = f"{count:,} rows have" if count > 1 else "1 row has"
            self.told.append(f"{table.source.name}: {said} no rank: scores alone order their lists")

    def _lacking(self, table: Table, rows: NDArray[np.int64], role: str) -> None:
        found = f"{role} is empty, but other items of this list have a {role}"
        fix = f"give every item of a list a {role}, or none"
        self.problems.many(
            rows.tolist(),
            lambda row: Problem(
                table.source.name, table.input.place(table.number, row - table.start), found, fix
            ),
        )


def _ranks(rank: NDArray[Any], mine: NDArray[np.bool_], table: Table) -> NDArray[Any]:
    """Give the ranks of a table read in blocks: it may lack some, or not begin at 0 after all."""
    if table.source.recognised == "TREC run":
        return np.where(mine, 0, rank) if table.rankless else rank
    return rank if table.from_zero else rank - (mine & (rank != 0))


def _torn(
    table: Table,
    values: dict[str, NDArray[Any]],
    mine: NDArray[np.bool_],
    lists: NDArray[np.int64],
    role: str,
) -> NDArray[np.bool_]:
    """Find rows that lack what other rows of their list have."""
    if role not in values:
        return np.zeros(len(mine), bool)
    said = values[role] != 0 if role == "rank" else ~np.isnan(values[role])
    missing: NDArray[np.bool_] = mine & ~said
    if "vote" in table.said:
        missing &= values["vote"] > 0
    if missing.any():
        missing &= np.isin(lists, lists[mine & said])
    return missing


def _nothing(columns: Sequence[str]) -> Chunk:
    none = np.zeros(0, np.int32)
    return Chunk(none, none, none.astype(np.int64), Text.of([]), {n: np.zeros(0) for n in columns})
