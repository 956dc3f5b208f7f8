"""How answers to tasks lie in the table: which rows each kind of question has, and which count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from consilience.errors import UsageError, quote, unknown
from consilience.store import schema as s
from consilience.store.connect import now
from consilience.store.question import HAS, Question

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Row

    from consilience.store.projects import Project
    from consilience.store.tasks import Task

#: What labels given in the app are called among the sources of a study.
NAME = "labels given in the app"
#: What is said of an item.
SAID = ("vote", "grade", "rank", "category", "cannot_tell")
#: Answers that supersede others.
_LATER = s.answer.alias("later")
#: What an answer's rows hold: item → columns.
Values = Sequence[tuple[int, Mapping[str, Any]]]


def current(
    conn: Connection, project: Project, person_id: int | None = None
) -> dict[int, list[Row[Any]]]:
    """Give what counts, person by person: answers that were not superseded nor taken back."""
    a = s.answer.c
    here = s.answer.select().where(
        a.source_id.in_(_sources(project)),
        a.withdrawn.is_(False),
        ~_superseded(),
    )
    if person_id is not None:
        here = here.where(a.respondent_id == person_id)
    found: dict[int, list[Row[Any]]] = {}
    for row in conn.execute(here.order_by(a.id)):
        found.setdefault(row.respondent_id, []).append(row)
    return found


def _superseded() -> sa.Exists:
    return sa.exists().where(_LATER.c.supersedes == s.answer.c.id)


def label_source(conn: Connection, project: Project, question: Question) -> int:
    """Find the source of the labels given in the app, or make it."""
    c = s.source.c
    here = (c.project_id == project.id) & (c.role == "labels")
    found = conn.scalar(sa.select(c.id).where(here))
    if found is not None:
        return int(found)
    made = s.source.insert().values(
        project_id=project.id,
        name=NAME,
        role="labels",
        recognised="labels",
        why=f"{question.kind}: {question.asked}",
        rows=0,
        notes=[],
        columns=[],
        who=[],
        silence="unknown",
        counted=False,
        has=HAS[question.kind],
        options={},
        created=now(),
        set_aside=False,
    )
    return int(conn.execute(made.returning(c.id)).scalar_one())


def values_of(
    conn: Connection, project: Project, question: Question, task: Task, value: Any
) -> Values:
    """Turn an answer into what its rows hold, item by item; refuse what does not fit."""
    items = [item.id for item in task.items]
    if value is None:
        return [(item, {"cannot_tell": True}) for item in items_of(question, task)]
    if question.kind == "relevance":
        if value not in (0, 1):
            raise UsageError(f"yes or no was asked, found {quote(value)} (fix: say yes or no)")
        return [(items[0], {"grade": float(value)})]
    if question.kind == "grades":
        if isinstance(value, bool) or not isinstance(value, int):
            raise UsageError(f"a grade is a number, found {quote(value)} (fix: from 0)")
        if not 0 <= value < len(question.grades):
            fix = f"from 0 to {len(question.grades) - 1}"
            raise UsageError(f"there is no grade {value} (fix: {fix})")
        return [(items[0], {"grade": float(value)})]
    if question.kind == "category":
        return [(items[0], {"category": _category(conn, project, question, value)})]
    if question.kind == "pairs":
        if value not in (0, *items):
            raise UsageError("this item is not one of the pair (fix: choose one of the two)")
        vote = 0.5 if value == 0 else float(value == items[0])
        return [(items[0], {"vote": vote})]
    return _ranked(items, value)


def _ranked(items: list[int], value: Any) -> Values:
    """Give ranks to items in order; all that were left out share the place behind them."""
    order = [*value] if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    if len({*order}) < len(order) or not {*order} <= {*items}:
        raise UsageError("an order names items of the task, each once (fix: order these alone)")
    ranks = {item: place for place, item in enumerate(order, 1)}
    last = len(order) + 1
    return [(item, {"vote": float(item in ranks), "rank": ranks.get(item, last)}) for item in items]


def _category(conn: Connection, project: Project, question: Question, value: Any) -> str:
    from consilience.store.beside import category_names

    names = category_names(conn, project, question)
    if value not in names:
        raise unknown("category", str(value), [*names])
    return str(value)


def items_of(question: Question, task: Task) -> list[int]:
    """Name the items that an answer has rows of: one, but of an order all."""
    return [item.id for item in task.items[: None if question.kind == "ranking" else 1]]


def add_answer(
    conn: Connection,
    project: Project,
    task: Task,
    person_id: int,
    values: Values,
    *,
    question: Question,
    **about: Any,
) -> int:
    """Add the rows of an answer; each supersedes what was said of its item before.

    Parameters
    ----------
    conn, project, task, person_id
        Where, to what, who; others are kept out.
    values, question
        What is said, to what question.
    about
        Of the whole answer: ``key``, and ``confidence``, ``seconds``, ``shown``, ``withdrawn``.

    Returns
    -------
    int
        The number of its first row.
    """
    source = label_source(conn, project, question)
    before = rows_of(conn, project, person_id, task, question)
    known = {row.item_id: row.id for row in before}
    turn = task.round or _since(conn, project, before)
    c = s.answer.c
    last = conn.scalar(
        sa.select(sa.func.max(c.place)).where(c.project_id == project.id, c.source_id == source)
    )
    begin = 0 if last is None else int(last) + 1
    withdrawn = bool(about.get("withdrawn"))
    common = {
        "project_id": project.id,
        "source_id": source,
        "respondent_id": person_id,
        "query_id": task.query.id,
        "other_id": _other(question, task),
        "probability": task.probability,
        "round": turn or None,
        "withdrawn": withdrawn,
        "created": now(),
    }
    numbers = []
    for number, (item, cells) in enumerate(values):
        row = {**common, "place": begin + number, "item_id": item, **cells}
        row |= about if number == 0 else {}
        row["supersedes"] = known.get(item)
        numbers.append(conn.execute(s.answer.insert().values(row).returning(c.id)).scalar_one())
    gone = sum(not row.withdrawn for row in before)
    more = s.source.c.rows - gone + (0 if withdrawn else len(numbers))
    conn.execute(s.source.update().where(s.source.c.id == source).values(rows=more))
    return int(numbers[0])


def _since(conn: Connection, project: Project, before: Sequence[Row[Any]]) -> int:
    """Give the last round that had been drawn when an item that was not drawn got its label.

    That round could have drawn it; later ones know its label. Who says something else of it does
    not change that.
    """
    if before and not before[0].withdrawn and not before[0].cannot_tell:
        return int(before[0].round or 0)
    return last_round(conn, project)


def last_round(conn: Connection, project: Project) -> int:
    """Find the last round that was drawn, here or in files; 0 where none was."""
    t, c, a = s.task.c, s.source.c, s.answer.c
    rounds = [conn.scalar(sa.select(sa.func.max(t.round)).where(t.project_id == project.id))]
    files = sa.select(c.id, c.has).where(c.project_id == project.id, c.role != "labels")
    for number, has in conn.execute(files).all():
        if "round" in (has or ()):
            here = sa.select(sa.func.max(a.round)).where(a.source_id == number)
            rounds.append(conn.scalar(here.where(a.project_id == project.id)))
    return max(int(one or 0) for one in rounds)


def rows_of(
    conn: Connection, project: Project, person_id: int, task: Task, question: Question
) -> list[Row[Any]]:
    """Give the last that somebody said to a task, taken back or not: no row of it is superseded."""
    a = s.answer.c
    other = _other(question, task)
    here = s.answer.select().where(
        a.respondent_id == person_id,
        a.query_id == task.query.id,
        a.item_id.in_(items_of(question, task)),
        a.other_id.is_(None) if other is None else a.other_id == other,
        a.source_id.in_(_sources(project)),
        ~_superseded(),
    )
    return [*conn.execute(here.order_by(a.id))]


def last_row(
    conn: Connection, project: Project, person_id: int, *, withdrawn: bool
) -> Row[Any] | None:
    """Find the last thing that somebody said, or took back, and that still holds."""
    a = s.answer.c
    here = s.answer.select().where(
        a.respondent_id == person_id,
        a.withdrawn.is_(withdrawn),
        a.source_id.in_(_sources(project)),
        ~_superseded(),
    )
    return conn.execute(here.order_by(a.id.desc()).limit(1)).first()


def task_of(conn: Connection, question: Question, row: Row[Any]) -> int:
    """Find the task that a row answers."""
    c = s.task.c
    item = row.other_id if question.kind == "ranking" else row.item_id
    other = c.other_id.is_(None) if row.other_id is None else c.other_id == row.other_id
    here = (c.project_id == row.project_id) & (c.query_id == row.query_id) & (c.item_id == item)
    return int(conn.execute(sa.select(c.id).where(here, other)).scalars().first() or 0)


def _sources(project: Project) -> sa.Select[tuple[int]]:
    c = s.source.c
    return sa.select(c.id).where(c.project_id == project.id, c.role == "labels")


def _other(question: Question, task: Task) -> int | None:
    if question.kind == "pairs":
        return task.items[1].id
    return task.items[0].id if question.kind == "ranking" else None
