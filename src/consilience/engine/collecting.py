"""What is known of tables whose rows have gone to be sorted: who, what silence means, which rows.

:class:`Collected` takes blocks of rows: it sees that they can stand in a votes file, and sends them
to be sorted. A :class:`Table` stands for a table of the input. It learns from blocks of its rows as
they pass, and in the end is given as a table of a few rows (:meth:`Table.outline`) from which
everything that is told from tables as a whole comes out as it would from all rows: names told
apart, kinds, families, silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.columns import Codes, Text
from consilience.engine.blocks import Input
from consilience.engine.sorting import Chunk, Sorter
from consilience.engine.votes_file import VALUES
from consilience.errors import InputError, UsageError, bad, quote
from consilience.formats import shapes
from consilience.formats.rows import Kind, Rows, Silence, Source
from consilience.study.build import systems_votes

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Words behind a number, for one and for several, by which notes of several blocks are added up.
_COUNTED = (
    ("row has", "rows have"),
    ("answer was", "answers were"),
    ("label was", "labels were"),
    ("row without a label repeats", "rows without a label repeat"),
    ("names were", "names were"),
    ("lines without", "lines without"),
)
#: Ranks are stored in 32 bits.
_HIGHEST = 2**31 - 1
_EMPTY = ": the column is empty"
_FROM_ZERO = "ranks begin at 0"


@dataclass(slots=True)
class Table:
    """A table of the input, without its rows, which are ``start`` to ``start + rows - 1``.

    ``queries`` holds their numbers, ``lowest`` the lowest vote or grade of every respondent,
    ``unsure`` and ``drawn`` those who could not tell and whose labels were drawn.
    """

    input: Input
    number: int
    source: Source
    start: int
    rows: int = 0
    blocks: int = 0
    queries: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    who: dict[str, int] = field(default_factory=dict)
    kind: list[Kind] = field(default_factory=list)
    family: list[str | None] = field(default_factory=list)
    silence: Silence = "no"
    silences: tuple[Silence, ...] | None = None
    asked: tuple[tuple[str, str], ...] = ()
    counted: bool = False
    columns: set[str] = field(default_factory=set)
    said: set[str] = field(default_factory=set)
    lowest: list[float] = field(default_factory=list)
    unsure: set[int] = field(default_factory=set)
    drawn: set[int] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    from_zero: bool = False
    rankless: bool = False

    def learn(self, rows: Rows, queries: NDArray[np.int32]) -> NDArray[np.int32]:
        """Look at a block of rows; give the table's own codes of the block's respondents.

        ``queries`` are the numbers of the block's queries, among those of all tables.
        """
        self.rows += len(rows)
        self.blocks += 1
        self.queries = np.union1d(self.queries, queries)
        self.asked, self.counted, self.silences = rows.asked, rows.counted, rows.silences
        self.silence = "unknown" if "unknown" in (self.silence, rows.silence) else "no"
        self.notes += rows.source.notes
        self.from_zero |= any(note.startswith(_FROM_ZERO) for note in rows.source.notes)
        self.rankless |= rows.rank is None and self.source.recognised == "TREC run"
        codes = self._people(rows)
        self._answers(rows, codes)
        return codes

    def _people(self, rows: Rows) -> NDArray[np.int32]:
        codes = []
        for name, kind, family in zip(rows.respondent.names, rows.kind, rows.family, strict=True):
            code = self.who.setdefault(name, len(self.who))
            if code == len(self.kind):
                self.kind.append(kind)
                self.family.append(family)
                self.lowest.append(np.inf)
            for role, before, now in (
                ("kind", self.kind[code], kind),
                ("family", self.family[code], family),
            ):
                if before != now:
                    found = f"{role} of {quote(name)} is {quote(before or '')} in some rows"
                    fix = f"say the same in all rows, or {quote(now or '')} is another respondent"
                    raise bad(self.source.name, None, f"{found} and {quote(now or '')} here", fix)
            codes.append(code)
        return np.array(codes, np.int32)

    def _answers(self, rows: Rows, codes: NDArray[np.int32]) -> None:
        """Note what silence will be told from."""
        for name in ("vote", "grade"):
            if getattr(rows, name) is not None:
                self.said.add(name)
        said = rows.grade if rows.grade is not None else rows.vote
        if rows.silences is not None or not len(rows):
            return
        if rows.probability is not None:
            self.drawn |= {
                *codes[np.unique(rows.respondent.code[~np.isnan(rows.probability)])].tolist()
            }
        if rows.silence == "no":
            return
        local = np.full(len(codes), np.inf)
        if said is None:
            local[np.unique(rows.respondent.code)] = 1.0
        else:
            np.fmin.at(local, rows.respondent.code, said)
            self.unsure |= {*codes[np.unique(rows.respondent.code[np.isnan(said)])].tolist()}
        for code, low in zip(codes.tolist(), local.tolist(), strict=True):
            self.lowest[code] = min(self.lowest[code], low)

    def used(self) -> set[str]:
        """Name the value columns of the table: one line of a run without a rank, and none has."""
        return self.columns - {"rank"} if self.rankless else self.columns

    def outline(self, queries: Sequence[str]) -> Rows:
        """Give a few rows that tell of everybody what all rows tell; ``queries`` are all names."""
        told = [(code, low, np.nan) for code, low in enumerate(self.lowest) if low < np.inf]
        told += [(code, np.nan, np.nan) for code in sorted(self.unsure)]
        told += [(code, np.nan if code in self.unsure else 1.0, 0.5) for code in sorted(self.drawn)]
        said = np.array([one[1] for one in told]) if self.said else None
        chance = np.array([one[2] for one in told]) if self.drawn else None
        rows = len(told)
        return Rows(
            replace(self.source, rows=self.rows, notes=self._told()),
            Codes(np.zeros(rows, np.int32), tuple(map(queries.__getitem__, self.queries.tolist()))),
            Codes(np.array([one[0] for one in told], np.int32), tuple(self.who)),
            Text.of(["_"] * rows),
            kind=tuple(self.kind),
            family=tuple(self.family),
            silence=self.silence,
            silences=self.silences,
            vote=None if "grade" in self.said else said,
            grade=said if "grade" in self.said else None,
            probability=chance,
            asked=self.asked,
            counted=self.counted,
        )

    def _told(self) -> tuple[str, ...]:
        """Give the notes of all blocks; a column is empty only where it is in every one."""
        empty = [note for note in self.notes if note.endswith(_EMPTY)]
        kept = [n for n in self.notes if n not in empty or empty.count(n) == self.blocks]
        return tuple(added_up(kept))


def added_up(notes: Iterable[str]) -> list[str]:
    """Say once what notes of several blocks say, and add up what they count.

    Examples
    --------
    >>> added_up(
    ...     ["1 answer was given twice", "columns not used: x", "1,200 answers were given twice"]
    ... )
    ['1,201 answers were given twice', 'columns not used: x']
    """
    counts: dict[tuple[str, str, str, str], int] = {}
    for note in notes:
        key, count = (note, "", "", ""), 0
        for one, several in _COUNTED:
            found = re.search(rf"(?<!\S)(\d[\d,]*) (?:{one}|{several})(?!\w)", note)
            if found:
                key = (note[: found.start()], one, several, note[found.end() :])
                count = int(found[1].replace(",", ""))
                break
        counts[key] = counts.get(key, 0) + count
    return [
        f"{before}{count:,} {one if count == 1 else several}{behind}" if one else before
        for (before, one, several, behind), count in counts.items()
    ]


@dataclass(slots=True)
class Collected:
    """What was read: tables without their rows, which wait to be sorted."""

    sorter: Sorter
    inputs: list[Input] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)  # of everybody's numbers, by table
    queries: dict[str, int] = field(default_factory=dict)
    votes: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    rows: int = 0

    def add(self, one: Input, number: int, rows: Rows) -> None:
        """Take a block of a table's rows."""
        rows = self._checked(rows)
        table = self._table(one, number, rows)
        named = (*rows.query.names, *(query for _, query in rows.asked))
        to = np.array(
            [self.queries.setdefault(name, len(self.queries)) for name in named], np.int32
        )
        who = table.learn(rows, to[: len(rows.query.names)]) + self.starts[-1]
        if not len(rows):
            return
        values = _values(rows, lifted=one.streamed and rows.silences is None)
        table.columns |= {*values}
        query = to[rows.query.code]
        self._count(query)
        row = np.arange(self.rows, self.rows + len(rows))
        item = Text.of_arrow(rows.item.chunks)
        self.sorter.add(Chunk(query, who[rows.respondent.code], row, item, values))
        self.rows += len(rows)

    def _checked(self, rows: Rows) -> Rows:
        """See that rows are votes, and of the same side as the rows before."""
        name = rows.source.name
        if rows.category is not None:
            found = "it puts items into categories, which a votes file cannot hold"
            raise bad(name, None, found, "leave the column out, or use the file as it is")
        shape = shapes.kind_of_form(rows.source.recognised)
        if shape != "text":
            found = f"it holds {shape}, which need not be equal to be right"
            raise bad(name, None, found, "use the file as it is")
        sides = {kind != "system" for kind in rows.kind}
        before = self.tables[0] if self.tables else None
        if len(sides) > 1 or (before is not None and (before.kind[0] != "system") not in sides):
            raise _mixed(rows, None if before is None else before.source.name)
        return rows if True in sides else _votes(rows)

    def _table(self, one: Input, number: int, rows: Rows) -> Table:
        last = self.tables[-1] if self.tables else None
        if last is not None and last.input is one and last.number == number:
            return last
        start = 0 if last is None else self.starts[-1] + len(last.who)
        self.tables.append(Table(one, number, rows.source, self.rows))
        self.starts.append(start)
        return self.tables[-1]

    def _count(self, query: NDArray[np.int32]) -> None:
        counts = np.bincount(query, minlength=len(self.votes))
        counts[: len(self.votes)] += self.votes
        self.votes = counts

    def used(self) -> list[str]:
        """Name the value columns: where some grade and others do not, those others vote."""
        said = [table.used() for table in self.tables if table.rows]
        mixed = {"vote"} if len({"grade" in columns for columns in said}) > 1 else set()
        return [name for name in VALUES if name in mixed.union(*said)]


def _votes(rows: Rows) -> Rows:
    """Take systems' labels for votes; grades are a judge's, and it is said how to say so."""
    try:
        return systems_votes(rows)
    except InputError as error:
        fix = "call the column 'score' if it orders the items; --kind gold if judges gave them"
        problems = [replace(problem, fix=fix) for problem in error.problems]
        raise InputError(problems, error.total) from None


def _mixed(rows: Rows, before: str | None) -> UsageError:
    """Say where systems' answers and judges' answers come together, and how to part them."""
    named = zip(rows.respondent.names, rows.kind, strict=True)
    judges = ", ".join(name for name, kind in named if kind != "system")
    here = f"{rows.source.name} ({judges} is no system)" if judges else rows.source.name
    fix = "put the judges into a file of their own"
    if before not in (None, rows.source.name) and len({k == "system" for k in rows.kind}) == 1:
        here, fix = f"{before} and {rows.source.name}", "convert each apart"
    return UsageError(
        "systems' answers and judges' answers cannot be in one votes file; both are in "
        f"{here} (fix: {fix}, and name the judges' file with --truth when you rank)"
    )


def _values(rows: Rows, *, lifted: bool) -> dict[str, NDArray[Any]]:
    """Give the columns that rows have.

    Ranks of a block are ``lifted`` by one, unless they were already because they began at 0: only
    when all blocks are known can it be told whether that was right.
    """
    found: dict[str, NDArray[Any]] = {}
    for name, kind in VALUES.items():
        column = getattr(rows, name)
        if column is None:
            continue
        ends = (column.min(initial=0), column.max(initial=0)) if kind == "int32" else (0, 0)
        if ends[0] < -_HIGHEST or ends[1] > _HIGHEST:
            row = int(np.abs(column).argmax())
            what = f"{name} {column[row]} is too large for a votes file"
            raise bad(rows.source.name, rows.place(row), what, f"use at most {_HIGHEST}")
        found[name] = column.astype(kind, copy=False)
    shifted = any(note.startswith(_FROM_ZERO) for note in rows.source.notes)
    if lifted and "rank" in found and not shifted and rows.source.recognised != "TREC run":
        found["rank"] = found["rank"] + (found["rank"] != 0)
    return found
