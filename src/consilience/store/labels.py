"""What people say: every answer is added, none is changed.

Whoever says something else adds an answer that ``supersedes`` the earlier one; whoever takes an
answer back adds one that is *withdrawn*; taking that back says the first thing again. What counts
is the last of each. An answer is acknowledged when it is on the disk, and an answer that is sent
twice under one key is kept once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from consilience.errors import UsageError, quote
from consilience.store import schema as s
from consilience.store.answering import (
    SAID,
    Values,
    add_answer,
    current,
    last_row,
    rows_of,
    task_of,
    values_of,
)
from consilience.store.connect import reading, writing
from consilience.store.projects import changed, lock, project_of
from consilience.store.question import Question, question_of
from consilience.store.tasks import assign, lend, load_task

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Row

    from consilience.store.connect import Database
    from consilience.store.projects import Project
    from consilience.store.tasks import Task

#: The longest key, and the longest time that an answer can have taken, in seconds.
KEY, LONGEST = 100, 7 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody says to a task; ``value`` is None where they cannot tell.

    ``value`` is yes or no for relevance, the number of a grade from 0, the name of a category, the
    number of the better item of a pair (0: neither is better), or the numbers of the relevant items
    in order, the best first; items of the task that are missing there are not relevant.
    ``confidence`` lies in [0, 1]; ``shown`` tells what was on the page, and ``mark`` which question
    it was (:attr:`Question.mark`; None: whatever is asked now).
    """

    value: bool | int | str | Sequence[int] | None
    confidence: float | None = None
    seconds: float | None = None
    shown: Mapping[str, Any] = field(default_factory=dict)
    mark: str | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """An answer that is on the disk; ``again`` tells that it had been kept before."""

    id: int
    task_id: int
    again: bool = False


def save_label(
    db: Database, project: Project, person_id: int, task_id: int, said: Said, *, key: str
) -> Saved:
    """Keep what somebody says to a task.

    Parameters
    ----------
    db, project
        Where.
    person_id
        Who.
    task_id
        The task. It need not be lent any more: late answers are kept.
    said
        What they say; it supersedes what they said to the task before.
    key
        Made by whoever sends this; the same key is kept once.

    Raises
    ------
    UsageError
        Where the answer does not fit the question; nothing is kept then.
    """
    _check(said, key)
    with writing(db) as conn:
        lock(conn, project.id)
        question = question_of(project_of(conn, project.id))
        task = load_task(conn, project, task_id, question)
        known = _by_key(conn, person_id, key)
        values = values_of(conn, project, question, task, said.value)
        if known is not None:
            if known.query_id != task.query.id or not _same(conn, known, values):
                raise UsageError(
                    "another answer was sent with this key (fix: open the page again, and say it "
                    "there)"
                )
            return Saved(known.id, task_id, again=True)
        if said.mark is not None and said.mark != question.mark:
            raise UsageError(
                "the question was changed while you were looking (fix: open the page again, and "
                "answer what is asked now)"
            )
        _check_person(conn, project, person_id)
        seconds = None if said.seconds is None else min(said.seconds, LONGEST)
        about: dict[str, Any] = {"question": question, "key": key, "seconds": seconds}
        about |= {"confidence": said.confidence, "shown": dict(said.shown)}
        number = add_answer(conn, project, task, person_id, values, **about)
        assign(conn, task_id, person_id, leased_until=None, done=True)
        changed(conn, project.id)
    return Saved(number, task_id)


def withdraw(
    db: Database, project: Project, person_id: int, *, key: str, task_id: int | None = None
) -> Saved | None:
    """Take back what somebody said last, or said to a task; None where there is nothing.

    The task is theirs again, and comes next.
    """
    with _found(db, project, person_id, key, task_id, withdrawn=False) as found:
        if not isinstance(found, _Found):
            return found
        nothing: Values = [(row.item_id, {}) for row in found.rows]
        number = found.add(nothing, key=key, withdrawn=True)
        lend(found.conn, found.task.id, person_id)
        changed(found.conn, project.id)
        return Saved(number, found.task.id)


def restore(
    db: Database, project: Project, person_id: int, *, key: str, task_id: int | None = None
) -> Saved | None:
    """Say again what somebody took back last, or of a task; None where nothing is taken back."""
    with _found(db, project, person_id, key, task_id, withdrawn=True) as found:
        if not isinstance(found, _Found):
            return found
        rows = _before(found.conn, found.rows)
        values = [(row.item_id, {name: getattr(row, name) for name in SAID}) for row in rows]
        about = {name: getattr(rows[0], name) for name in ("confidence", "seconds", "shown")}
        number = found.add(values, key=key, **about)
        assign(found.conn, found.task.id, person_id, leased_until=None, done=True)
        changed(found.conn, project.id)
        return Saved(number, found.task.id)


@dataclass(frozen=True, slots=True)
class _Found:
    """What somebody said to a task, or took back, ready to be superseded."""

    conn: Connection
    project: Project
    person_id: int
    question: Question
    task: Task
    rows: list[Row[Any]]

    def add(self, values: Values, **about: Any) -> int:
        """Say something else."""
        about |= {"question": self.question}
        return add_answer(self.conn, self.project, self.task, self.person_id, values, **about)


@contextmanager
def _found(
    db: Database,
    project: Project,
    person_id: int,
    key: str,
    task_id: int | None,
    *,
    withdrawn: bool,
) -> Iterator[_Found | Saved | None]:
    """Find what is to be taken back or said again, with others kept out.

    Gives what was saved before where the key is known, and None where there is nothing.
    """
    _check(Said(None), key)
    with writing(db) as conn:
        lock(conn, project.id)
        question = question_of(project_of(conn, project.id))
        known = _by_key(conn, person_id, key)
        if known is not None:
            yield Saved(known.id, task_of(conn, question, known), again=True)
            return
        if task_id is None:
            last = last_row(conn, project, person_id, withdrawn=withdrawn)
            task_id = None if last is None else task_of(conn, question, last)
        task = None if task_id is None else load_task(conn, project, task_id, question)
        rows = [] if task is None else rows_of(conn, project, person_id, task, question)
        if task is None or not rows or bool(rows[0].withdrawn) != withdrawn:
            yield None
            return
        yield _Found(conn, project, person_id, question, task, rows)


def _before(conn: Connection, rows: Sequence[Row[Any]]) -> Sequence[Row[Any]]:
    """Give the rows that some rows supersede."""
    earlier = s.answer.select().where(s.answer.c.id.in_([row.supersedes for row in rows]))
    return conn.execute(earlier.order_by(s.answer.c.id)).all()


def history(
    db: Database, project: Project, person_id: int, *, most: int = 100
) -> list[dict[str, Any]]:
    """List what somebody says, the latest first; what they took back or said before is not in it.

    Returns
    -------
    list of dict
        The task's number, the names of query and items, and what was said.
    """
    with reading(db) as conn:
        question = question_of(project_of(conn, project.id))
        rows = current(conn, project, person_id).get(person_id, [])
        groups: dict[int, list[Row[Any]]] = {}
        for row in sorted(rows, key=lambda row: -row.id):
            groups.setdefault(task_of(conn, question, row), []).append(row)
            if len(groups) > most:
                break
        found = []
        for number, some in [*groups.items()][:most]:
            task = load_task(conn, project, number, question)
            found.append(
                {
                    "task": number,
                    "query": task.query,
                    "items": task.items,
                    "value": value_of(question, some),
                    "cannot_tell": bool(some[0].cannot_tell),
                    "confidence": some[0].confidence,
                    "created": some[0].created,
                }
            )
    return found


def said_before(
    conn: Connection, project: Project, person_id: int, task: Task, question: Question
) -> dict[str, Any] | None:
    """Give what somebody took back of a task; None where there is nothing."""
    rows = rows_of(conn, project, person_id, task, question)
    if not rows or not rows[0].withdrawn:
        return None
    some = _before(conn, rows)
    return {"value": value_of(question, some), "cannot_tell": bool(some[0].cannot_tell)}


def value_of(question: Question, rows: Sequence[Row[Any]]) -> Any:
    """Give what the rows of an answer say, as :class:`Said` takes it."""
    first = rows[0]
    if first.cannot_tell:
        return None
    if question.kind == "relevance":
        return bool(first.grade)
    if question.kind == "grades":
        return int(first.grade)
    if question.kind == "category":
        return first.category
    if question.kind == "pairs":
        return {1.0: first.item_id, 0.0: first.other_id}.get(first.vote, 0)
    ranked = sorted((row for row in rows if row.vote), key=lambda row: row.rank)
    return [row.item_id for row in ranked]


def _check(said: Said, key: str) -> None:
    if not key or len(key) > KEY:
        raise UsageError(f"an answer comes with a key of 1 to {KEY} letters (fix: make one)")
    sure = said.confidence
    if sure is not None and not 0 <= sure <= 1:
        raise UsageError(f"confidence lies between 0 and 1, found {quote(sure)} (fix: such as 0.9)")
    if said.seconds is not None and not (said.seconds >= 0 and math.isfinite(said.seconds)):
        raise UsageError(f"{quote(said.seconds)} seconds cannot be (fix: 0 or more)")


def _check_person(conn: Connection, project: Project, person_id: int) -> None:
    c = s.respondent.c
    here = sa.select(c.id).where(c.id == person_id, c.project_id == project.id)
    if conn.execute(here).first() is None:
        raise UsageError("this project has no such person (fix: ask for a link)")


def _same(conn: Connection, known: Row[Any], values: Values) -> bool:
    """Tell whether the answer that begins with a row says this."""
    a = s.answer.c
    here = s.answer.select().where(
        a.project_id == known.project_id,
        a.source_id == known.source_id,
        a.place.between(known.place, known.place + len(values) - 1),
    )
    kept = {row.item_id: [getattr(row, name) or 0 for name in SAID] for row in conn.execute(here)}
    unsaid = dict.fromkeys(SAID)
    return kept == {item: [(unsaid | {**one})[name] or 0 for name in SAID] for item, one in values}


def _by_key(conn: Connection, person_id: int, key: str) -> Row[Any] | None:
    found = conn.execute(s.answer.select().where(s.answer.c.key == key)).first()
    if found is not None and found.respondent_id != person_id:
        raise UsageError("this key belongs to an answer of somebody else (fix: make a new one)")
    return found
