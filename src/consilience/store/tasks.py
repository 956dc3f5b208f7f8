"""Who labels what next: tasks are lent, to as many people as are to see each.

A task is lent for a while (a *lease*), so that two people do not take its last place together; a
tab that was closed finds the same task again while the lease lives, and what nobody came back to
is lent to others. A late answer is kept all the same.

**Orders.** Everybody has an order of their own within each round; rounds follow each other, and
what was not drawn by design comes last. ``next`` draws every item by itself and lists them in the
order of u / π, which given the draw is a permutation that all orders are equally probable for
(Ohlsson 1998): *any* other permutation that does not look at the items is as good. So whoever stops
early, and whoever works beside others, has labelled a random part of what was drawn, and estimates
from a part of a round (:mod:`consilience.belief.sample`) hold. An order that looked at the items,
say the difficult ones last, would break them; so would skipping.

References
----------
E. Ohlsson, "Sequential Poisson sampling", Journal of Official Statistics 14, 1998.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from consilience.store import schema as s
from consilience.store.connect import now, reading, writing
from consilience.store.people import LABELLING
from consilience.store.projects import lock, project_of
from consilience.store.question import Question, question_of
from consilience.store.shown_tasks import (
    Shown,
    Task,
    heads,
    lent_task,
    load_task,
    sees_file,
    stands_for_all,
)

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from consilience.store.connect import Database
    from consilience.store.people import Respondent
    from consilience.store.projects import Project

__all__ = [
    "Far",
    "Progress",
    "Share",
    "Shown",
    "Task",
    "assign",
    "how_far",
    "how_many",
    "lend",
    "lent_task",
    "load_task",
    "mixed",
    "next_task",
    "progress",
    "sees_file",
    "stands_for_all",
]

#: How long a task is lent, in minutes.
LEASE = 15
#: How many tasks are looked at, at a time, for one that is free.
AHEAD = 32
#: A prime, for orders that are computed from numbers.
PRIME = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Share:
    """How far one person is; ``seconds`` is the median time of an answer."""

    id: int
    name: str
    open: int
    done: int
    cannot_tell: int
    seconds: float | None
    last: str | None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far labelling is: ``complete`` tasks were answered by as many people as are to see them.

    ``answers`` counts the people who answered, task by task; ``begun`` tasks have some answers.
    """

    tasks: int
    complete: int
    begun: int
    answers: int
    rounds: tuple[tuple[int, int, int], ...]
    people: tuple[Share, ...]


def next_task(
    db: Database, project: Project, person: Respondent, *, minutes: float = LEASE
) -> Task | None:
    """Lend somebody their next task; None where nothing is left for them.

    What they hold already comes first, and is lent anew.
    """
    while True:
        with reading(db) as conn:
            question = question_of(project_of(conn, project.id))
            held = _held(conn, project, person.id)
            ahead = [held] if held is not None else _ahead(conn, project, person, question)
        if not ahead:
            return None
        with writing(db) as conn:
            lock(conn, project.id)
            for number in ahead:
                if _free(conn, number, person.id, question):
                    lend(conn, number, person.id, minutes=minutes)
                    return load_task(conn, project, number, question)


def lend(conn: Connection, task_id: int, person_id: int, *, minutes: float = LEASE) -> None:
    """Lend a task, or lend it anew."""
    until = datetime.now(UTC) + timedelta(minutes=minutes)
    text = until.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assign(conn, task_id, person_id, leased_until=text, done=False)


def assign(conn: Connection, task_id: int, person_id: int, **values: Any) -> None:
    """Note what somebody has to do with a task."""
    c = s.assignment.c
    here = (c.task_id == task_id) & (c.respondent_id == person_id)
    if not conn.execute(s.assignment.update().where(here).values(values)).rowcount:
        named = {"task_id": task_id, "respondent_id": person_id, "created": now()}
        conn.execute(s.assignment.insert().values(**named, **values))


def _busy(others_than: int, *, held: bool = True) -> sa.ScalarSelect[int]:
    """Count the others who answered a task or, with ``held``, hold it now."""
    c = s.assignment.c
    live = c.done.is_(True) | (c.leased_until > now()) if held else c.done.is_(True)
    counted = sa.select(sa.func.count()).select_from(s.assignment)
    of_others = c.respondent_id != others_than
    return counted.where(c.task_id == s.task.c.id, of_others, live).scalar_subquery()


def _mine(person_id: int) -> sa.Exists:
    c = s.assignment.c
    return sa.exists().where(
        c.task_id == s.task.c.id, c.respondent_id == person_id, c.done.is_(True)
    )


def _held(conn: Connection, project: Project, person_id: int) -> int | None:
    """Find what somebody holds; what was lent last comes first."""
    c = s.assignment.c
    mine = (c.respondent_id == person_id) & c.done.is_(False) & (c.leased_until > now())
    found = (
        sa.select(c.task_id)
        .join(s.task, s.task.c.id == c.task_id)
        .where(mine, s.task.c.project_id == project.id)
        .order_by(c.leased_until.desc(), c.id.desc())
        .limit(1)
    )
    return conn.scalar(found)


def _ahead(conn: Connection, project: Project, person: Respondent, question: Question) -> list[int]:
    """List the next tasks of somebody that seem free, in their order."""
    c = s.task.c
    free = ~_mine(person.id) & (_busy(person.id) < question.overlap)
    last = sa.case((c.round == 0, 1), else_=0)
    found = (
        sa.select(c.id)
        .where(heads(project, question), free)
        .order_by(last, c.round, _order(person.seed, question), c.place)
        .limit(AHEAD)
    )
    return [*conn.scalars(found)]


def _order(seed: int, question: Question) -> sa.ColumnElement[int]:
    """Give the number by which somebody's tasks are ordered."""
    place = sa.cast(s.task.c.place, sa.BigInteger)
    return place if question.order == "draw" else mixed(place, seed)


def mixed(place: Any, seed: int) -> Any:
    """Mix places by somebody's seed; the least comes first. No number leaves 63 bits.

    Examples
    --------
    >>> sorted(range(8), key=lambda place: mixed(place, 12345))
    [0, 3, 5, 1, 2, 7, 6, 4]
    """
    first, second = 1 + seed * 48271 % (PRIME - 2), seed // 7 % PRIME
    once = (place * first + second) % PRIME
    return (once * (once + first)) % PRIME


def _free(conn: Connection, task_id: int, person_id: int, question: Question) -> bool:
    """Tell, with others kept out, whether somebody can take a task."""
    free = ~_mine(person_id) & (_busy(person_id) < question.overlap)
    held = sa.exists().where(
        s.assignment.c.task_id == s.task.c.id,
        s.assignment.c.respondent_id == person_id,
        s.assignment.c.done.is_(False),
        s.assignment.c.leased_until > now(),
    )
    found = sa.select(s.task.c.id).where(s.task.c.id == task_id, free | held)
    return conn.execute(found).first() is not None


def how_many(db: Database, project: Project) -> int:
    """Count the tasks that were drawn."""
    with reading(db) as conn:
        mine = heads(project, question_of(project_of(conn, project.id)))
        return int(conn.scalar(sa.select(sa.func.count()).select_from(s.task).where(mine)) or 0)


@dataclass(frozen=True, slots=True)
class Far:
    """How many tasks somebody has answered, and how many are left for them.

    Where none is left, others may hold some at the moment (``elsewhere``).
    """

    done: int
    left: int
    elsewhere: int


def how_far(db: Database, project: Project, person: Respondent) -> Far:
    """Tell how far somebody is."""
    with reading(db) as conn:
        question = question_of(project_of(conn, project.id))
        left = _open_for(conn, project, person.id, question)
        elsewhere = 0 if left else _open_for(conn, project, person.id, question, held=False)
        return Far(_done_by(conn, person.id), left, elsewhere)


def _done_by(conn: Connection, person_id: int) -> int:
    c = s.assignment.c
    here = sa.select(sa.func.count()).select_from(s.assignment)
    return int(conn.scalar(here.where(c.respondent_id == person_id, c.done.is_(True))) or 0)


def _open_for(
    conn: Connection, project: Project, person_id: int, question: Question, *, held: bool = True
) -> int:
    free = ~_mine(person_id) & (_busy(person_id, held=held) < question.overlap)
    here = sa.select(sa.func.count()).select_from(s.task).where(heads(project, question), free)
    return int(conn.scalar(here) or 0)


def progress(db: Database, project: Project) -> Progress:
    """Tell how far everybody is, and how far tasks are."""
    from consilience.store.answering import current

    with reading(db) as conn:
        question = question_of(project_of(conn, project.id))
        here = heads(project, question)
        turns = dict(conn.execute(sa.select(s.task.c.id, s.task.c.round).where(here)).all())
        done, busy = _taken(conn, project)
        said = current(conn, project)
        people = _people(conn, project, said)
    answers = Counter(number for numbers in done.values() for number in numbers)
    taken = Counter(number for numbers in busy.values() for number in numbers)
    full = {number for number, count in taken.items() if count >= question.overlap}
    shares = []
    for person in people:
        mine, held = done.get(person.id, set()), busy.get(person.id, set())
        closed = len(full - held) + sum(taken[one] > question.overlap for one in held - mine)
        left = len(turns) - len(mine) - closed
        ranked = question.kind == "ranking"  # one row stands for all
        rows = [one for one in said.get(person.id, []) if not ranked or one.item_id == one.other_id]
        shares.append(_share(person, left, len(mine), rows))
    begun = Counter(turns[number] for number in answers)
    return Progress(
        len(turns),
        sum(count >= question.overlap for count in answers.values()),
        len(answers),
        answers.total(),
        tuple(
            (turn, count, begun[turn]) for turn, count in sorted(Counter(turns.values()).items())
        ),
        tuple(shares),
    )


#: Who → the numbers of tasks.
_Tasks = dict[int, set[int]]


def _taken(conn: Connection, project: Project) -> tuple[_Tasks, _Tasks]:
    """Give what everybody answered, and what everybody answered or holds."""
    c = s.assignment.c
    live = c.done.is_(True) | (c.leased_until > now())
    here = sa.select(c.task_id, c.respondent_id, c.done).join(s.task, s.task.c.id == c.task_id)
    done: _Tasks = {}
    busy: _Tasks = {}
    for number, person, is_done in conn.execute(
        here.where(s.task.c.project_id == project.id, live)
    ):
        busy.setdefault(person, set()).add(number)
        if is_done:
            done.setdefault(person, set()).add(number)
    return done, busy


def _people(conn: Connection, project: Project, said: dict[int, Any]) -> list[Any]:
    """List those who label: who has a link, or had one, and who has said something."""
    c = s.respondent.c
    of_files = sa.exists().where(s.voice.c.respondent_id == c.id)
    invited = c.link_hash.is_not(None) | (c.kind.in_(LABELLING) & ~of_files)
    here = s.respondent.select().where(c.project_id == project.id, invited | c.id.in_([*said]))
    return [*conn.execute(here.order_by(c.id))]


def _share(person: Any, left: int, done: int, said: list[Any]) -> Share:
    """Tell how far one person is; ``said`` has one row for each answer."""
    taken = [row.seconds for row in said if row.seconds is not None]
    return Share(
        person.id,
        person.name,
        left,
        done,
        sum(row.cannot_tell for row in said),
        median(taken) if taken else None,
        max((row.created for row in said), default=None),
    )
