"""From long tables to the tables of an engine: everybody numbered, queries cut into parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from consilience.engine import facts
from consilience.engine.long_tables import Long, are_whole, assigned, check_apart, long_table
from consilience.engine.people import people as respondents_in
from consilience.engine.repeats import without_repeats
from consilience.engine.sheets import FAR, Sheet
from consilience.engine.tables import Engine, Part, Said, Tables, values
from consilience.errors import UsageError, quote
from consilience.formats.answer_kinds import beside_truth
from consilience.formats.rows import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from consilience.formats.answer_kinds import AnswerKind
    from consilience.study.model import Respondents

_LIST = ("query", "respondent")
#: Answers of a part, about: what is made of them stays small.
ROWS = 1 << 22
#: Judges' rows that may be looked through for every part.
FEW = 1 << 21


def assemble(
    engine: Engine,
    sheets: Sequence[Sheet],
    *,
    columns: tuple[Mapping[str, str], Mapping[str, str]],
    answers: AnswerKind | None = None,
    universe: int | None = None,
    rows: int = ROWS,
) -> Tables:
    """Make the tables of an engine of files that it has opened.

    Parameters
    ----------
    engine
        Where they are.
    sheets
        The files, in the order given; of systems and of judges.
    columns
        Role → column, where names do not say it: of the systems' files, and of the truth's.
    answers
        The kind of answers that the user named.
    universe
        How many items each query chooses from; None: those that somebody mentioned.
    rows
        How many answers a part may have, where queries can be told apart without reading all.
    """
    if not sheets:
        raise UsageError("there is nothing to read (fix: name at least one file)")
    kind = beside_truth(answers, truth=any(sheet.kind != "system" for sheet in sheets))
    told = [assigned(sheet, columns[sheet.kind != "system"], kind) for sheet in sheets]
    check_apart(told, kind)
    whole = are_whole(told)
    files = [long_table(*one, whole, code=code) for code, one in enumerate(told)]
    found = facts.lists([engine.collect(facts.facts(long)) for long in files])
    facts.check(files, found)
    found = facts.with_empty(files, found)
    files = [_with_ranks(engine, long, found, code) for code, long in enumerate(files)]
    study = _Study.of(files, found)
    made = _Frames(files, study, facts.held(files, found))
    parts = tuple(made.parts(rows))
    tables = Tables(
        engine,
        parts,
        study.queries,
        study.respondents,
        study.query_keys,
        study.system_keys,
        study.judge_keys,
        study.asked,
        made.said,
        universe,
        tuple(_source(long, found, code) for code, long in enumerate(files)),
    )
    _check_universe(tables)
    return without_repeats(tables, files)


def _source(long: Long, found: facts.Lists, code: int) -> Source:
    """Say what a file was taken for."""
    sheet, rows = long.sheet, int(found.rows[found.file == code].sum())
    what = "long table" if sheet.index is None else "votes file"
    why = "one answer a row: its columns are read by the engine"
    return Source(sheet.name, what, why, rows, long.told, tuple(sheet.columns))


def _with_ranks(engine: Engine, long: Long, found: facts.Lists, code: int) -> Long:
    """Count ranks from 1; leave those of a list out where some are missing and scores order it."""
    import pyarrow as pa

    frame, told = long.frame, [*long.told]
    torn = facts.torn_lists(found, code, "rank")
    if len(torn):
        lists = {name: found.table[name].take(torn).combine_chunks() for name in _LIST}
        names = frame.collect_schema().names()
        lacks = engine.small({**lists, "torn": pa.array(np.ones(len(torn)))})
        rank = nw.when(nw.col("torn").is_null()).then(nw.col("rank"))
        frame = frame.join(lacks, on=list(_LIST), how="left").with_columns(rank=rank).select(names)
        count = int(found.column("unranked")[torn].sum())
        said = "1 row has" if count == 1 else f"{count:,} rows have"
        told.append(f"{said} no rank: scores alone order their lists")
    low = found.column("low_rank")[found.file == code]
    if np.nanmin(low, initial=1) <= 0:
        frame = frame.with_columns(rank=nw.col("rank") + 1.0)
        told.append("ranks begin at 0: one was added to each")
    return replace(long, frame=frame, told=tuple(told))


@dataclass(frozen=True, slots=True)
class _Study:
    """Queries and respondents of all files, numbered in order of first appearance."""

    queries: tuple[str, ...]
    respondents: Respondents
    query_keys: pa.Array
    system_keys: pa.Array
    judge_keys: pa.Array
    asked: NDArray[np.bool_]
    found: facts.Lists
    query: NDArray[np.int64]

    @staticmethod
    def of(files: Sequence[Long], found: facts.Lists) -> _Study:
        import pyarrow as pa

        answering = {int(file) for file in np.unique(found.file[~found.judge])}
        first = sorted(range(len(files)), key=lambda file: (file not in answering, file))
        tables = np.argsort(first)
        when = facts.appearance(files, found, "query", tables)
        query, query_keys = _numbered(found.table["query"], when)
        when = facts.appearance(files, found, "respondent", tables)
        keys: list[pa.Array] = []
        codes = np.zeros(len(found.file), np.int64)
        for judge in (False, True):
            here = np.flatnonzero(found.judge == judge)
            names = found.table["respondent"].take(pa.array(here))
            mine, known = _numbered(names, when[here])
            codes[here] = mine + (len(keys[0]) if judge else 0)
            keys.append(known)
        systems = [str(one) for one in keys[0].to_pylist()]
        judges = [str(one) for one in keys[1].to_pylist()]
        people = respondents_in(files, found, codes, [*systems, *judges], len(systems))
        called = tuple(
            f"{name} ({kind})" if place >= len(systems) and name in systems else name
            for place, (name, kind) in enumerate(zip(people.names, people.kind, strict=True))
        )
        asked = np.zeros((len(called), len(query_keys)), bool)
        asked[codes, query] = True
        queries = tuple(str(one) for one in query_keys.to_pylist())
        people = replace(people, names=called)
        return _Study(queries, people, query_keys, keys[0], keys[1], asked, found, query)


def _numbered(
    column: pa.ChunkedArray, when: NDArray[np.int64]
) -> tuple[NDArray[np.int64], pa.Array]:
    """Number names in order of first appearance (``when``, of every row); give the names."""
    import pyarrow as pa

    coded = pa.concat_arrays(column.chunks).dictionary_encode() if len(column) else None
    if coded is None:
        return np.zeros(0, np.int64), pa.array([], column.type)
    code = values(pa.chunked_array([coded.indices])).astype(np.int64)
    first = np.full(len(coded.dictionary), np.iinfo(np.int64).max)
    np.minimum.at(first, code, when)
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place[code], coded.dictionary.take(pa.array(order))


@dataclass(frozen=True, slots=True)
class _Frames:
    """The frames of all files, and how they can be cut."""

    files: Sequence[Long]
    study: _Study
    said: Said

    def parts(self, rows: int) -> list[Part]:
        """Cut the queries into ranges, where every file holds them one after the other."""
        found, study = self.study.found, self.study
        count = len(study.queries)
        system = ~found.judge
        votes = np.bincount(study.query[system], found.rows[system], count).astype(np.int64)
        every = np.arange(count)
        ranges = self._ranges() if votes.sum() > rows else None
        if ranges is None:
            return [Part(every, self._answers(None), self._evidence(None), int(votes.sum()))]
        ends = np.cumsum(votes)
        cuts, low = [], 0
        while low < count:
            before = int(ends[low - 1]) if low else 0
            high = max(int(np.searchsorted(ends, before + rows, side="right")), low + 1)
            cuts.append((low, high))
            low = high
        return [
            Part(
                every[low:high],
                self._answers((ranges, low, high)),
                self._evidence((ranges, low, high)),
                int(votes[low:high].sum()),
            )
            for low, high in cuts
        ]

    def _ranges(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]] | None] | None:
        """Give for every file the first row of each query and the row after its last.

        None where some file of answers has no such ranges, or judges have too many rows to look
        through them again and again; None of a file whose rows are looked through.
        """
        found, study = self.study.found, self.study
        count = len(study.queries)
        ranges: list[tuple[NDArray[np.int64], NDArray[np.int64]] | None] = []
        for code, long in enumerate(self.files):
            here = (found.file == code) & (found.rows > 0)
            query, first = study.query[here], found.first[here]
            low, high = np.full(count, np.inf), np.full(count, -1.0)
            np.minimum.at(low, query, first)
            np.maximum.at(high, query, found.last[here] + 1)
            total = np.bincount(query, found.rows[here], count)
            there = total > 0
            apart = bool((high - low == total)[there].all())
            rising = bool((np.diff(low[there]) > 0).all())
            if long.sheet.cheap and apart and rising:
                ranges.append((np.where(there, low, 0).astype(np.int64), high.astype(np.int64)))
            elif long.judges and total.sum() <= FEW:
                ranges.append(None)
            else:
                return None
        return ranges

    def _answers(self, part: Any) -> nw.LazyFrame[Any]:
        """Give the answers of systems, to some queries or to all."""
        frames = [
            self._chosen(code, part).select(**self._columns(long, code))
            for code, long in enumerate(self.files)
            if not long.judges
        ]
        if not frames:
            raise UsageError("nobody votes: there are no systems' answers (fix: name their files)")
        return frames[0] if len(frames) == 1 else nw.concat(frames)

    def _columns(self, long: Long, code: int) -> dict[str, nw.Expr]:
        """Say how the columns of answers are made of those of a file."""
        names = {*long.values, *(["vote"] if "grade" in long.values else [])}
        made = {name: nw.col(name) for name in ("query", "respondent", "item")}
        made["vote"] = nw.col("vote") if "vote" in names else nw.lit(1.0)
        for name, given in (("score", self.said.scored), ("rank", self.said.ranked)):
            if given:
                none = nw.lit(None).cast(nw.Float64())
                made[name] = nw.col(name) if name in names else none
        made["row"] = nw.col("row") + code * FAR
        return made

    def _evidence(self, part: Any) -> nw.LazyFrame[Any] | None:
        """Give what judges said, of some queries or of all."""
        import itertools

        judging = [
            (code, long) for code, long in enumerate(self.files) if long.judges or long.mixed
        ]
        given = {*itertools.chain.from_iterable(long.values for _, long in judging)}
        wanted = [name for name in ("vote", "grade", "probability", "round") if name in given]
        frames = []
        for code, long in judging:
            frame = self._chosen(code, part, judge=True)
            made = {name: nw.col(name) for name in ("query", "respondent", "item")}
            for name in wanted:
                made[name] = nw.col(name) if name in long.values else _unsaid(name, long, wanted)
            made["row"] = nw.col("row") + code * FAR
            frames.append(frame.select(**made))
        if not frames or not self.study.found.judge.any():
            return None
        return frames[0] if len(frames) == 1 else nw.concat(frames)

    def _chosen(self, code: int, part: Any, *, judge: bool = False) -> nw.LazyFrame[Any]:
        """Give the rows of a file of systems or judges, to some queries or to all."""
        long = self.files[code]
        frame = facts.voting(long)
        if long.mixed:
            frame = frame.filter(nw.col("judge") == int(judge))
        if part is None:
            return frame
        ranges, low, high = part
        if ranges[code] is None:
            keys = self.study.query_keys.slice(low, high - low).to_pylist()
            return frame.filter(nw.col("query").is_in(keys))
        first, last = ranges[code]
        there = last[low:high] > 0
        begin = int(first[low:high][there].min()) if there.any() else 0
        end = int(last[low:high][there].max()) if there.any() else 0
        return frame.filter((nw.col("row") >= begin) & (nw.col("row") < end))


def _unsaid(name: str, long: Long, wanted: Sequence[str]) -> nw.Expr:
    """Say what stands in a column that a file of judges does not have.

    Where others vote or grade, a row that only names an item says yes, unless it was drawn.
    """
    none = nw.lit(None).cast(nw.Float64())
    if name != "vote" or {"vote", "grade"} & {*long.values}:
        return none
    yes = nw.lit(1.0)
    return (
        nw.when(nw.col("probability").is_null()).then(yes) if "probability" in long.values else yes
    )


def _check_universe(tables: Tables) -> None:
    """See that a universe is a number of items."""
    universe = tables.universe
    if universe is not None and (
        isinstance(universe, bool) or not isinstance(universe, (int, np.integer))
    ):
        raise UsageError(
            f"a universe is a number of items, found {quote(universe)} (fix: --universe N)"
        )
