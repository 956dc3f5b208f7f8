"""Drawing what is to be labelled: tasks, each with its round and how probable it was.

A draw by :func:`consilience.next_labels` brings its own probabilities. Other draws are made here:
all items, a number of them with equal probability, those that systems dispute most, pairs of items
of one query, or whole queries whose items are put in order. What was chosen by design (by ``next``,
all, or evenly) has a probability, which stays with the task and with every answer to it for ever,
and a round: each is drawn from what had neither a label nor a place in an earlier one. Items that
were chosen otherwise have none and stand in round 0: they count as what they are, and for nothing
else; while they have no label a draw by design may take them. Pairs and queries are not what
estimates are made of; a pair's probability is kept, and says nothing of its items.

References
----------
D. G. Horvitz and D. J. Thompson, "A generalization of sampling without replacement from a finite
universe", JASA 47, 1952.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import sqlalchemy as sa

from consilience.errors import UsageError, quote, unknown
from consilience.formats.rows import ONLY_QUERY
from consilience.store import schema as s
from consilience.store.answering import label_source
from consilience.store.connect import writing
from consilience.store.projects import changed, lock, project_of
from consilience.store.question import SINGLE, Question, question_of

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from consilience.store.connect import Database
    from consilience.store.projects import Project

#: How items can be drawn here.
How = Literal["all", "random", "disputed"]
HOW: tuple[How, ...] = ("all", "random", "disputed")
#: The most tasks that a project holds.
MOST = 1_000_000

#: A query and an item, by their numbers.
Place = tuple[int, int]


def draw_tasks(db: Database, project: Project, rows: Iterable[Mapping[str, Any]]) -> int:
    """Take what ``next`` drew: rows of query, item, probability, round, in their order.

    Returns
    -------
    int
        How many tasks there are more.
    """
    given = [*rows]
    if not given:
        raise UsageError("nothing was drawn (fix: a larger budget)")
    with writing(db) as conn:
        if _begin(conn, project, single=True).of_items:
            raise UsageError(
                "what is drawn so tells of systems' answers to queries, and categories are asked "
                "about (fix: draw at random, or all)"
            )
        queries = _numbers(conn, s.query, project, {str(row["query"]) for row in given})
        items = _numbers(conn, s.item, project, {str(row["item"]) for row in given})
        known = _single(conn, project, designed=True)
        drawn = [(queries[str(row["query"])], items[str(row["item"])]) for row in given]
        twice = [row for row, place in zip(given, drawn, strict=True) if place in known]
        if twice:
            raise UsageError(
                f"item {quote(twice[0]['item'])} was drawn before (fix: draw anew: others have "
                "drawn meanwhile)"
            )
        chances = [float(row["probability"]) for row in given]
        rounds = {int(row.get("round", 1)) for row in given}
        if len(rounds) > 1:
            raise UsageError("these are rows of several rounds (fix: one draw at a time)")
        _add(conn, project, [(*place, None) for place in drawn], rounds.pop(), chances)
    return len(given)


def draw_items(
    db: Database,
    project: Project,
    how: How,
    *,
    number: int | None = None,
    seed: int = 0,
    again: bool = False,
) -> int:
    """Draw items: all, a number of them evenly, or the most disputed ones.

    Parameters
    ----------
    db, project
        Where.
    how
        ``all``: every item that has no label yet; ``random``: ``number`` of these, each with the
        same probability; ``disputed``: the ``number`` that most nearly half of the systems name.
    number
        How many; None: all.
    seed
        The seed of chance.
    again
        Whether items that have a label already are drawn as well. Then this is no draw by design,
        and there are no probabilities.

    Returns
    -------
    int
        How many tasks there are more.
    """
    if how not in HOW:
        raise unknown("way to draw", how, HOW)
    _check_number(number)
    with writing(db) as conn:
        question = _begin(conn, project, single=True)
        designed = how != "disputed" and not again
        taken = _single(conn, project, designed=designed)
        taken |= set() if again else _judged(conn, project)
        every = _alone(conn, project) if question.of_items else _places(conn, project)
        pool = [place for place in every if place not in taken]
        if not pool:
            raise UsageError(
                "every item has a label, or waits for one (fix: label what was drawn; or draw "
                "items that have a label again)"
            )
        rng = np.random.default_rng([seed, len(_drawn(conn, project))])
        pool = [pool[k] for k in rng.permutation(len(pool))]
        if how == "disputed":
            shares = _shares(conn, project)
            pool = [place for place in pool if 0 < shares.get(place, 0.0) < 1]
            pool.sort(key=lambda place: abs(shares[place] - 0.5))  # equal ones stay by chance
            if not pool:
                raise UsageError("no system disputes another one (fix: draw at random)")
        drawn = pool if how == "all" or number is None else pool[:number]
        chance = len(drawn) / len(pool) if designed else None
        turn = _last_round(conn, project) + 1 if designed else 0
        _add(conn, project, [(*place, None) for place in drawn], turn, [chance] * len(drawn))
    return len(drawn)


def draw_pairs(db: Database, project: Project, *, number: int | None = None, seed: int = 0) -> int:
    """Draw pairs of items of one query: all, or a number of them evenly.

    Returns
    -------
    int
        How many tasks there are more.
    """
    _check_number(number)
    with writing(db) as conn:
        _begin(conn, project, single=False)
        known = {
            (query, *sorted((item, other)))
            for query, item, other in _drawn(conn, project)
            if other is not None
        }
        groups = [sorted(items) for _, items in _by_query(conn, project)]
        queries = [query for query, _ in _by_query(conn, project)]
        sizes = [len(items) * (len(items) - 1) // 2 for items in groups]
        total = sum(sizes)
        wanted = total - len(known) if number is None else min(number, total - len(known))
        if wanted < 1:
            raise UsageError("there is no pair that was not drawn yet (fix: bring more items)")
        if wanted + len(known) > MOST:
            raise UsageError(f"{wanted:,} pairs are too many (fix: say how many)")
        chosen: list[tuple[int, int, int | None]] = []
        ends = [*itertools.accumulate(sizes)]
        for place in random.Random(f"{seed} {len(known)}").sample(
            range(total), min(total, wanted + len(known))
        ):
            group = int(np.searchsorted(ends, place, side="right"))
            one, other = _pair(groups[group], place - (ends[group] - sizes[group]))
            if (queries[group], one, other) not in known and len(chosen) < wanted:
                chosen.append((queries[group], one, other))
        chance = len(chosen) / (total - len(known))
        turn = _last_round(conn, project) + 1
        _add(conn, project, chosen, turn, [chance] * len(chosen))
    return len(chosen)


def _pair(items: Sequence[int], place: int) -> tuple[int, int]:
    """Give the pair of items at a place among all pairs.

    Examples
    --------
    >>> [_pair("abc", place) for place in range(3)]
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    for first in range(len(items)):
        rest = len(items) - first - 1
        if place < rest:
            return items[first], items[first + 1 + place]
        place -= rest
    raise AssertionError("there are not so many pairs")


def draw_rankings(
    db: Database, project: Project, *, number: int | None = None, seed: int = 0
) -> int:
    """Draw queries whose items are put in order: all, or a number of them evenly.

    Of a query with many items those that most systems name are shown, as many as the question
    says; equal ones by chance.

    Returns
    -------
    int
        How many tasks there are more.
    """
    _check_number(number)
    with writing(db) as conn:
        question = _begin(conn, project, single=False)
        known = {query for query, _, _ in _drawn(conn, project)}
        shares = _shares(conn, project)
        rng = np.random.default_rng([seed, len(known)])
        groups = [(query, items) for query, items in _by_query(conn, project) if len(items) > 1]
        groups = [group for group in groups if group[0] not in known]
        if not groups:
            raise UsageError("there is no query that was not drawn yet (fix: bring more queries)")
        groups = [groups[k] for k in rng.permutation(len(groups))][:number]
        rows: list[tuple[int, int, int | None]] = []
        for query, items in groups:
            mixed = [items[k] for k in rng.permutation(len(items))]
            mixed.sort(key=lambda item, query=query: -shares.get((query, item), 0.0))  # type: ignore[misc]
            shown = mixed[: question.most]
            rows += [(query, item, shown[0]) for item in shown]
        _add(conn, project, rows, _last_round(conn, project) + 1, [None] * len(rows))
    return len(groups)


def _check_number(number: int | None) -> None:
    if number is not None and number < 1:
        raise UsageError(f"{number} is no number of tasks to draw (fix: 1 or more)")


def _begin(conn: Connection, project: Project, *, single: bool) -> Question:
    """Keep others out, note the change, and see that such tasks can be asked."""
    lock(conn, project.id)
    question = question_of(project_of(conn, project.id))
    if (question.kind in SINGLE) != single:
        fits = "items" if question.kind in SINGLE else question.kind
        raise UsageError(f"the question is about {fits} (fix: draw these, or ask another one)")
    label_source(conn, project, question)
    changed(conn, project.id)
    return question


def _numbers(
    conn: Connection, table: sa.Table, project: Project, names: set[str]
) -> dict[str, int]:
    """Find queries or items by name."""
    c = table.c
    known = dict(conn.execute(sa.select(c.name, c.id).where(c.project_id == project.id)).all())
    lacking = names - known.keys()
    if lacking:
        raise unknown(table.name, min(lacking), [*known])
    return {name: known[name] for name in names}


def _drawn(conn: Connection, project: Project) -> list[tuple[int, int, int | None]]:
    c = s.task.c
    here = sa.select(c.query_id, c.item_id, c.other_id).where(c.project_id == project.id)
    return [(query, item, other) for query, item, other in conn.execute(here)]


def _single(conn: Connection, project: Project, *, designed: bool) -> set[Place]:
    """Give the places that are tasks already; ``designed``: those that were drawn by design."""
    c = s.task.c
    here = sa.select(c.query_id, c.item_id).where(c.project_id == project.id)
    here = here.where(c.probability.is_not(None)) if designed else here
    return {(query, item) for query, item in conn.execute(here)}


def _answers(*columns: sa.ColumnElement[Any]) -> sa.Select[Any]:
    """Select from the answers that were read and are not left out."""
    a = s.answer.c
    return (
        sa.select(*columns)
        .select_from(s.answer)
        .join(s.source, s.source.c.id == a.source_id)
        .join(s.respondent, s.respondent.c.id == a.respondent_id)
        .where(s.source.c.set_aside.is_(False), s.source.c.role != "labels")
    )


def _places(conn: Connection, project: Project) -> list[Place]:
    """List what can be labelled: what systems and models named; without these, all items."""
    a = s.answer.c
    here = _answers(a.query_id, a.item_id).where(a.project_id == project.id)
    voters = s.respondent.c.kind.in_(("system", "llm"))
    named = conn.execute(here.where(voters).distinct()).all()
    if named:
        return sorted((query, item) for query, item in named)
    items = conn.scalars(sa.select(s.item.c.id).where(s.item.c.project_id == project.id)).all()
    if not items:
        raise UsageError("there is nothing to label yet (fix: bring answers of systems, or items)")
    queries = conn.scalars(sa.select(s.query.c.id).where(s.query.c.project_id == project.id)).all()
    queries = queries or [only_query(conn, project)]
    said = conn.execute(here.distinct()).all()  # people's answers tell which items belong where
    if said and len(queries) > 1:
        return sorted((query, item) for query, item in said)
    if len(items) * len(queries) > MOST:
        raise UsageError(
            f"{len(items):,} items for each of {len(queries):,} queries are too many (fix: bring "
            "answers of systems, so that it is known which items belong to which query)"
        )
    return [*itertools.product(sorted(queries), sorted(items))]


def _alone(conn: Connection, project: Project) -> list[Place]:
    """List the items of all queries, each once, as files of categories have them."""
    items = sorted({item for _, item in _places(conn, project)})
    only = only_query(conn, project)
    return [(only, item) for item in items]


def only_query(conn: Connection, project: Project) -> int:
    """Give the query that stands for all, of items that are asked about by themselves."""
    here = (s.query.c.project_id == project.id) & (s.query.c.name == ONLY_QUERY)
    found = conn.scalar(sa.select(s.query.c.id).where(here))
    if found is None:
        made = s.query.insert().values(project_id=project.id, name=ONLY_QUERY)
        found = conn.execute(made.returning(s.query.c.id)).scalar_one()
    return int(found)


def _by_query(conn: Connection, project: Project) -> list[tuple[int, list[int]]]:
    grouped: dict[int, list[int]] = {}
    for query, item in _places(conn, project):
        grouped.setdefault(query, []).append(item)
    return [*grouped.items()]


def _judged(conn: Connection, project: Project) -> set[Place]:
    """Find what has a label of gold or of people, or was drawn for one, in files."""
    a = s.answer.c
    listing = [  # sources whose rows say yes by naming an item
        number
        for number, has in conn.execute(
            sa.select(s.source.c.id, s.source.c.has).where(s.source.c.project_id == project.id)
        )
        if not {"vote", "grade", "category"} & {*(has or ())}
    ]
    said = sa.or_(
        a.vote.is_not(None),
        a.grade >= 0,
        a.category.is_not(None),
        a.probability.is_not(None),
        a.source_id.in_(listing),
    )
    people = s.respondent.c.kind.in_(("gold", "person"))
    here = _answers(a.query_id, a.item_id).where(a.project_id == project.id, people, said)
    return {(query, item) for query, item in conn.execute(here.distinct())}


def _shares(conn: Connection, project: Project) -> dict[Place, float]:
    """Give the share of systems that name an item, of those that answered its query."""
    a = s.answer.c
    system = s.respondent.c.kind == "system"
    yes = sa.or_(a.vote.is_(None), a.vote > 0.5)
    who = sa.func.count(a.respondent_id.distinct())
    here = _answers(a.query_id, who).where(a.project_id == project.id, system)
    asked: dict[int, int] = dict(conn.execute(here.group_by(a.query_id)).all())
    named = _answers(a.query_id, a.item_id, who).where(a.project_id == project.id, system, yes)
    counted = conn.execute(named.group_by(a.query_id, a.item_id))
    return {(query, item): count / asked[query] for query, item, count in counted}


def _last_round(conn: Connection, project: Project) -> int:
    """Find the last round that was drawn, here or before."""
    rounds = [
        conn.scalar(sa.select(sa.func.max(table.c.round)).where(table.c.project_id == project.id))
        for table in (s.task, s.answer)
    ]
    return max(int(one or 0) for one in rounds)


def _add(
    conn: Connection,
    project: Project,
    places: Sequence[tuple[int, int, int | None]],
    turn: int,
    chances: Sequence[float | None],
) -> None:
    """Add tasks behind those that are there."""
    c = s.task.c
    of_round = (c.project_id == project.id) & (c.round == turn)
    first = conn.scalar(sa.select(sa.func.max(c.place)).where(of_round))
    begin = 0 if first is None else int(first) + 1
    waiting = {}
    if turn:  # what waits in round 0 is drawn by design now
        loose = (c.project_id == project.id) & (c.round == 0) & c.other_id.is_(None)
        found = conn.execute(sa.select(c.query_id, c.item_id, c.id).where(loose))
        waiting = {(query, item): number for query, item, number in found}
    fresh = []
    for number, ((query, item, other), chance) in enumerate(zip(places, chances, strict=True)):
        values: dict[str, Any] = {"round": turn, "probability": chance, "place": begin + number}
        known = waiting.get((query, item)) if other is None else None
        if known is not None:
            conn.execute(s.task.update().where(c.id == known).values(values))
            continue
        named = {"project_id": project.id, "query_id": query, "item_id": item, "other_id": other}
        fresh.append(named | values)
    if fresh:
        conn.execute(s.task.insert(), fresh)
