"""Answers of an archive: what a million rows must say together, seen column by column."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from consilience.store import schema as s
from consilience.store.archive_cells import WrongError, check, says_nothing, within
from consilience.store.archive_checks import Known
from consilience.store.question import SINGLE, Question

#: What an answer that was read from a file never has.
_OF_PEOPLE = ("other_id", "supersedes", "confidence", "seconds", "shown")
_FLAGS = ("cannot_tell", "withdrawn")

#: Between which bounds values lie.
_BOUNDS = (
    ("vote", 0, 1),
    ("probability", 0, 1),
    ("confidence", 0, 1),
    ("round", 0, math.inf),
    ("seconds", 0, math.inf),
)

Bools = NDArray[np.bool_]


class Answers:
    """What is known of the answers while they come in."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.labels = np.array([one["role"] == "labels" for one in known.sources], bool)
        self.voices = _sorted(known, "voice")
        self.posed = _sorted(known, "posed")
        self.counts = np.zeros(len(known.sources), np.int64)
        self.words = [
            {*one["layout"]["categories"]} if "category" in one["has"] and one["layout"] else None
            for one in known.sources
        ]

    def check(self, columns: Mapping[str, Sequence[Any]], first: int) -> None:
        """Check a block of answers; ``first`` is the number of its first row."""
        source = np.array(columns["source_id"], np.int64) - 1
        self._check_places(source, np.array(columns["place"], np.int64))
        labels = self.labels[source]
        _check_values(columns)
        if not labels.all():
            self._check_read(columns, source, ~labels)
        if labels.any():
            _check_labels(columns, labels, self.known.question)
        for row, before in enumerate(columns["supersedes"]):
            if before is not None and before >= first + row:
                raise WrongError("supersedes names no earlier answer", row)

    def check_counts(self) -> None:
        """See that every file's source has as many answers as it had when it was read."""
        for one, count in zip(self.known.sources, self.counts.tolist(), strict=True):
            if one["role"] != "labels" and sum(one["layout"]["chunks"]) != count:
                raise WrongError(f"a source has {count:,} answers, and its layout tells others")

    def _check_places(self, source: NDArray[np.int64], place: NDArray[np.int64]) -> None:
        for one in np.unique(source).tolist():
            mine = np.flatnonzero(source == one)
            wanted = self.counts[one] + np.arange(len(mine))
            _refuse(mine[place[mine] != wanted], "place does not count on")
            self.counts[one] += len(mine)

    def _check_read(
        self, columns: Mapping[str, Sequence[Any]], source: NDArray[np.int64], read: Bools
    ) -> None:
        """Check answers that were read from files."""
        for name, listed, who in (
            ("respondent_id", self.voices, "nobody who speaks in the source"),
            ("query_id", self.posed, "no query of the source"),
        ):
            said = ((source + 1) << 32) | np.array(columns[name], np.int64)
            _refuse(np.flatnonzero(read & ~np.isin(said, listed)), f"{name} names {who}")
        for name in (*_OF_PEOPLE, *_FLAGS):
            nothing = False if name in _FLAGS else None
            if columns[name].count(nothing) == len(read):
                continue
            given = [cell is not nothing for cell in columns[name]]
            found = f"{name} stands at an answer that was read from a file"
            _refuse(np.flatnonzero(read & np.array(given, bool)), found)
        category = columns["category"]
        if says_nothing(category) and not any(self.words[one] for one in np.unique(source[read])):
            return
        for one in np.unique(source[read]).tolist():
            words, mine = self.words[one], np.flatnonzero(source == one).tolist()
            wrong = [
                row
                for row in mine
                if (category[row] is not None if words is None else category[row] not in words)
            ]
            _refuse(np.array(wrong, np.int64), "category is none of the source")


def _sorted(known: Known, table: str) -> NDArray[np.int64]:
    return np.array(sorted(known.names.get(table, ())), np.int64)


def _refuse(rows: NDArray[np.int64], found: str) -> None:
    if len(rows):
        raise WrongError(found, int(rows[0]))


def _check_values(columns: Mapping[str, Sequence[Any]]) -> None:
    for name, least, most in _BOUNDS:
        within(columns[name], least, most, f"{name} is out of bounds")
    check(columns["probability"], lambda cell: cell > 0, "probability is 0")


def _check_labels(columns: Mapping[str, Sequence[Any]], labels: Bools, question: Question) -> None:
    """Check what people said in the app: it answers the question."""
    fits = _FITS[question.kind]
    single = question.kind in SINGLE
    for row in np.flatnonzero(labels).tolist():
        cells = {name: column[row] for name, column in columns.items()}
        if (cells["other_id"] is None) != single:
            raise WrongError(f"other_id does not fit a question about {question.kind}", row)
        if cells["created"] is None:
            raise WrongError("created is missing", row)
        if cells["withdrawn"]:
            if cells["supersedes"] is None:
                raise WrongError("what was taken back is not there", row)
        elif not cells["cannot_tell"] and not fits(cells, question):
            raise WrongError(f"this does not answer a question about {question.kind}", row)


def _graded(cells: Mapping[str, Any], question: Question) -> bool:
    most = len(question.grades) if question.kind == "grades" else 2
    return cells["grade"] in range(most)


def _ranked(cells: Mapping[str, Any], _: Question) -> bool:
    return cells["vote"] in (0, 1) and cells["rank"] is not None and cells["rank"] >= 1


#: Whether a row answers a question, by the question's kind.
_FITS: dict[str, Callable[[Mapping[str, Any], Question], bool]] = {
    "relevance": _graded,
    "grades": _graded,
    "category": lambda cells, _: cells["category"] is not None,
    "pairs": lambda cells, _: cells["vote"] in (0, 0.5, 1),
    "ranking": _ranked,
}


def superseding_others(project_id: int) -> sa.Select[tuple[int]]:
    """Find answers that supersede what somebody else said, or what was said of something else."""
    a, before = s.answer, s.answer.alias("before")
    same = ("source_id", "respondent_id", "query_id", "item_id")
    differs = [a.c[name] != before.c[name] for name in same]
    differs.append(sa.func.coalesce(a.c.other_id, 0) != sa.func.coalesce(before.c.other_id, 0))
    joined = a.join(before, a.c.supersedes == before.c.id)
    here = a.c.project_id == project_id
    return sa.select(a.c.id).select_from(joined).where(here, sa.or_(*differs)).limit(1)


def said_twice(project_id: int) -> sa.Select[tuple[int]]:
    """Find what somebody said twice of one thing, without taking the first back."""
    a, later = s.answer, s.answer.alias("later")
    of_labels = sa.select(s.source.c.id).where(
        s.source.c.project_id == project_id, s.source.c.role == "labels"
    )
    here = (a.c.project_id == project_id) & a.c.source_id.in_(of_labels)
    last = ~sa.exists().where(later.c.supersedes == a.c.id)
    same = (a.c.respondent_id, a.c.query_id, a.c.item_id, a.c.other_id)
    grouped = sa.select(sa.func.min(a.c.id)).where(here, last).group_by(*same)
    return grouped.having(sa.func.count() > 1).limit(1)
