"""What is known of tables whose rows have gone to be sorted: who, what silence means, which rows.

A :class:`Table` stands for a table of the input. It learns from blocks of its rows as they pass,
and in the end is given as a table of a few rows (:meth:`Table.outline`) from which everything that
is told from tables as a whole comes out as it would from all rows: names told apart, kinds,
families, silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.columns import Codes, Text
from consilience.engine.blocks import Input
from consilience.errors import bad, quote
from consilience.formats.rows import Kind, Rows, Silence, Source

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
_EMPTY = ": the column is empty"
_FROM_ZERO = "ranks begin at 0"


@dataclass(slots=True)
class Table:
    """A table of the input, without its rows, which are ``start`` to ``start + rows - 1``.

    ``lowest`` holds the lowest vote or grade of every respondent, ``unsure`` and ``drawn`` those
    who could not tell and whose labels were drawn.
    """

    input: Input
    number: int
    source: Source
    start: int
    rows: int = 0
    blocks: int = 0
    queries: dict[str, None] = field(default_factory=dict)
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

    def learn(self, rows: Rows) -> NDArray[np.int32]:
        """Look at a block of rows; give the table's own codes of the block's respondents."""
        self.rows += len(rows)
        self.blocks += 1
        self.queries |= dict.fromkeys(rows.query.names)
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

    def outline(self) -> Rows:
        """Give a few rows that tell of everybody what all rows tell."""
        told = [(code, low, np.nan) for code, low in enumerate(self.lowest) if low < np.inf]
        told += [(code, np.nan, np.nan) for code in sorted(self.unsure)]
        told += [(code, np.nan if code in self.unsure else 1.0, 0.5) for code in sorted(self.drawn)]
        said = np.array([one[1] for one in told]) if self.said else None
        chance = np.array([one[2] for one in told]) if self.drawn else None
        rows = len(told)
        return Rows(
            replace(self.source, rows=self.rows, notes=self._told()),
            Codes(np.zeros(rows, np.int32), tuple(self.queries)),
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
