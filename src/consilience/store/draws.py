"""Drawing what is to be labelled: tasks, each with its round and how probable it was.

A draw by :func:`consilience.next_labels` brings its own probabilities. Other draws are made here:
all items, a number of them with equal probability, those that systems dispute most, pairs of items
of one query, or whole queries whose items are put in order. What was chosen by design (by ``next``,
all, or evenly) has a probability, which stays with the task and with every answer to it for ever,
and a round: each is drawn from what had neither a label nor a place in an earlier one. A round of
which nothing has a label yet says nothing of what was left, so it comes first: nothing more is
drawn by design, except that a number that was drawn evenly can be made larger (a random part of
what a random part left is, with it, a random part).

Items that were chosen otherwise have no probability and stand in round 0: they count as what they
are, and for nothing else; while they have no label a draw by design may take them. Pairs and
queries are not what estimates are made of; a pair's probability is kept, and says nothing of its
items.

Tasks are numbered in an order that says nothing of what systems answered: people are blind to it.

References
----------
D. G. Horvitz and D. J. Thompson, "A generalization of sampling without replacement from a finite
universe", JASA 47, 1952.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
import sqlalchemy as sa

from consilience.errors import UsageError, quote, unknown
from consilience.store import schema as s
from consilience.store.answering import label_source, last_round
from consilience.store.connect import writing
from consilience.store.frames import missed, note_draw
from consilience.store.pools import MOST, Place, alone, by_query, judged, labelled, places, shares
from consilience.store.projects import changed, lock, project_of
from consilience.store.question import SINGLE, Question, question_of

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from consilience.store.connect import Database
    from consilience.store.projects import Project

#: How items can be drawn here.
How = Literal["all", "random", "disputed"]
HOW: tuple[How, ...] = ("all", "random", "disputed")
_T = TypeVar("_T")


def draw_tasks(
    db: Database,
    project: Project,
    rows: Iterable[Mapping[str, Any]],
    *,
    files: set[int] | None = None,
) -> int:
    """Take what ``next`` drew: rows of query, item, probability, round, in their order.

    ``files``: those that counted before it drew. Where others do now nothing is taken: it could
    not draw from them.

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
        turn = rounds.pop()
        if turn <= _last_designed(conn, project):
            raise UsageError(f"round {turn} was drawn meanwhile (fix: draw anew)")
        note_draw(conn, project, turn, files)
        _add(conn, project, [(*place, None) for place in drawn], turn, chances)
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
        told = labelled(conn, project)
        taken = _single(conn, project, designed=designed)
        taken |= set() if again else told | judged(conn, project)
        every = (alone if question.of_items else places)(conn, project)
        pool = [place for place in every if place not in taken]
        if not pool:
            raise UsageError(
                "every item has a label, or waits for one (fix: label what was drawn; or draw "
                "items that have a label again)"
            )
        rng = np.random.default_rng([seed, len(_drawn(conn, project))])
        pool = _mixed(pool, rng)
        if how == "disputed":
            pool = _disputed(conn, project, pool)
        drawn = pool if how == "all" or number is None else pool[:number]
        drawn = _mixed(drawn, rng)
        turn, chance = 0, None
        if designed:
            turn, waiting = _round(conn, project, told, len(pool))
            chance = (waiting + len(drawn)) / (waiting + len(pool))
            here = (s.task.c.project_id == project.id) & (s.task.c.round == turn)
            conn.execute(s.task.update().where(here).values(probability=chance))
            note_draw(conn, project, turn)
        _add(conn, project, [(*place, None) for place in drawn], turn, [chance] * len(drawn))
    return len(drawn)


def _disputed(conn: Connection, project: Project, pool: Sequence[Place]) -> list[Place]:
    """Put what most nearly half of the systems name first; equal ones stay as they are."""
    share = shares(conn, project)
    found = [place for place in pool if 0 < share.get(place, 0.0) < 1]
    if not found:
        raise UsageError("no system disputes another one (fix: draw at random)")
    return sorted(found, key=lambda place: abs(share[place] - 0.5))


def _round(conn: Connection, project: Project, told: set[Place], pool: int) -> tuple[int, int]:
    """Give the round that items are drawn for now, and how many it has already.

    It is a new one, or the last one where nothing of it has a label yet and it was drawn evenly
    from what is left and itself.
    """
    c, last = s.task.c, _last_designed(conn, project)
    here = sa.select(c.query_id, c.item_id, c.probability)
    here = here.where(c.project_id == project.id, c.round == last, c.probability.is_not(None))
    found = conn.execute(here).all()
    if not found or any((query, item) in told for query, item, _ in found):
        return last_round(conn, project) + 1, 0
    evenly = len(found) / (len(found) + pool)
    if any(abs(chance - evenly) > 1e-9 for *_, chance in found) or missed(conn, project):
        raise UsageError(
            f"round {last} was drawn and none of its items has a label yet (fix: label some of "
            "them first)"
        )
    return last, len(found)


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
        groups = [sorted(items) for _, items in by_query(conn, project)]
        queries = [query for query, _ in by_query(conn, project)]
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
        turn = last_round(conn, project) + 1
        note_draw(conn, project, turn)
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
        share = shares(conn, project)
        rng = np.random.default_rng([seed, len(known)])
        groups = [(query, items) for query, items in by_query(conn, project) if len(items) > 1]
        groups = [group for group in groups if group[0] not in known]
        if not groups:
            raise UsageError("there is no query that was not drawn yet (fix: bring more queries)")
        groups = _mixed(groups, rng)[:number]
        rows: list[tuple[int, int, int | None]] = []
        for query, items in groups:
            shown = _most_named(query, _mixed(items, rng), share)[: question.most]
            shown = _mixed(shown, rng)
            rows += [(query, item, shown[0]) for item in shown]
        _add(conn, project, rows, last_round(conn, project) + 1, [None] * len(rows))
    return len(groups)


def _most_named(query: int, items: Iterable[int], share: Mapping[Place, float]) -> list[int]:
    """Put items of a query in order: what most systems name first, equal ones as they stand."""
    return sorted(items, key=lambda item: -share.get((query, item), 0.0))


def _mixed(items: Sequence[_T], rng: np.random.Generator) -> list[_T]:
    """Give things in an order of chance."""
    return [items[k] for k in rng.permutation(len(items))]


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


def _last_designed(conn: Connection, project: Project) -> int:
    """Find the last round that was drawn by design here; 0 where none was."""
    c = s.task.c
    here = sa.select(sa.func.max(c.round)).where(c.project_id == project.id)
    return int(conn.scalar(here.where(c.probability.is_not(None))) or 0)


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
