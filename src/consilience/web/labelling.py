"""A task as people see it, and what they say as forms send it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from consilience.errors import UsageError, quote
from consilience.formats.rows import ONLY_QUERY
from consilience.store.beside import choices, people_beside, systems_beside
from consilience.store.connect import reading
from consilience.store.labels import said_before

if TYPE_CHECKING:
    from consilience.store.connect import Database
    from consilience.store.people import Respondent
    from consilience.store.projects import Project
    from consilience.store.question import Question
    from consilience.store.tasks import Shown, Task

#: How sure one can be: the word in forms, what it says, the number that is kept.
SURE = (("guess", "a guess", 1 / 3), ("fairly", "fairly sure", 2 / 3), ("sure", "sure", 1.0))
#: How the two of a pair are called, and their keys.
_SIDES = {"left": "ArrowLeft 1", "right": "ArrowRight 2"}


def seen(
    db: Database, project: Project, person: Respondent, question: Question, task: Task
) -> dict[str, Any]:
    """Give a task as plain data: query, items in this person's order, what can be said.

    Items are told by their places in that order: their numbers would tell which system named them
    first.
    """
    items = ordered(task, person, question)
    with reading(db) as conn:
        before = said_before(conn, project, person.id, task, question)
        data: dict[str, Any] = {
            "id": task.id,
            "query": _told(task.query) if task.query.name != ONLY_QUERY else None,
            "items": [_told(item) for item in items],
            "choices": _choices(question),
            "before": before and {**before, "said": word(question, task.items, before["value"])},
        }
        if question.kind == "category":
            data["choices"] = [
                {"value": one.name, "name": one.name, "level": one.level, "above": list(one.above)}
                for one in choices(conn, project, question)
            ]
        if question.predictions:
            named = systems_beside(conn, task)
            for one, item in zip(data["items"], items, strict=True):
                one["systems"] = named[item.id]
        if question.others:
            said = people_beside(conn, project, question, task, person.id)
            data["others"] = [
                {"name": name, "said": word(question, task.items, value)} for name, value in said
            ]
    return data


def ordered(task: Task, person: Respondent, question: Question) -> list[Shown]:
    """Give the items of a task in the order in which somebody sees them, always the same."""
    items = [*task.items]
    if question.kind in ("pairs", "ranking"):
        random.Random(f"{person.seed} {task.id}").shuffle(items)
    return items


def shown_of(task: Task, person: Respondent, question: Question) -> dict[str, Any]:
    """Tell what was on the page, to be kept with the answer."""
    shown: dict[str, Any] = {
        "kind": question.kind,
        "question": question.asked,
        "blind": question.blind,
        "order": question.order,
        "items": [item.name for item in ordered(task, person, question)],
    }
    if question.kind == "grades":
        shown["grades"] = list(question.grades)
    if question.kind == "category":
        shown["tree"] = "words" if question.words else question.tree
    if not question.blind:
        shown |= {"predictions": question.predictions, "others": question.others}
    return shown


def said_of(
    question: Question,
    shown: Sequence[Shown],
    *,
    said: str | None,
    items: Sequence[int] = (),
    places: Sequence[str] = (),
) -> Any:
    """Read what a form says to a task, as :class:`Said` takes it.

    Parameters
    ----------
    question, shown
        What was asked, and the items as somebody saw them.
    said
        The choice: yes or no, the number of a grade, a category; left, right or equal.
    items, places
        Of an order: items, by their numbers among those shown (from 1), and the place of each,
        empty where an item is not relevant.
    """
    if question.kind == "ranking":
        known = {number: one.id for number, one in enumerate(shown, 1)}
        return [known.get(number, 0) for number in _order(items, places)]
    if said is None or said == "":
        raise UsageError("nothing was chosen (fix: choose an answer, or say that you cannot tell)")
    if question.kind == "relevance":
        if said not in ("yes", "no"):
            raise UsageError(f"yes or no was asked, found {quote(said)} (fix: say yes or no)")
        return said == "yes"
    if question.kind == "category":
        return said
    if question.kind == "pairs":
        sides = {side: one.id for side, one in zip(_SIDES, shown, strict=True)} | {"equal": 0}
        if said not in sides:
            raise UsageError(f"{quote(said)} was no choice (fix: say left, right or equal)")
        return sides[said]
    if not said.isascii() or not said.isdigit() or len(said) > 9:
        raise UsageError(f"{quote(said)} cannot be chosen (fix: choose one of those shown)")
    return int(said)


def _order(items: Sequence[int], places: Sequence[str]) -> list[int]:
    """Put items in the order of their places; those without one are left out."""
    if len(items) != len(places):
        raise UsageError("an order has a place for every item (fix: open the page again)")
    given = []
    for item, place in zip(items, places, strict=True):
        if not place.strip():
            continue
        if not place.strip().isdecimal() or len(place) > 6:
            raise UsageError(f"{quote(place)} is no place (fix: a number from 1, or nothing)")
        given.append((int(place), item))
    return [item for _, item in sorted(given, key=lambda one: one[0])]


def confidence_of(sure: str | None) -> float | None:
    """Give how sure somebody is as the number that is kept."""
    return {name: number for name, _, number in SURE}.get(sure or "")


def word(question: Question, items: Sequence[Shown], value: Any) -> str:
    """Say in words what somebody said."""
    if value is None:
        return "cannot tell"
    if question.kind == "relevance":
        return "yes" if value else "no"
    if question.kind == "grades":
        return question.grades[value] if value < len(question.grades) else str(value)
    names = {item.id: item.text or item.name for item in items}
    if question.kind == "pairs":
        return names.get(value, "equal")
    if question.kind == "ranking":
        return " > ".join(names[item] for item in value) or "none is relevant"
    return str(value)


def _choices(question: Question) -> list[dict[str, Any]]:
    """List what can be said, each with its keys."""
    if question.kind == "relevance":
        return [
            {"value": "yes", "name": "yes", "keys": "1 y"},
            {"value": "no", "name": "no", "keys": "2 n"},
        ]
    if question.kind == "grades":
        return [
            {"value": str(place), "name": name, "keys": str(place + 1) if place < 9 else ""}
            for place, name in enumerate(question.grades)
        ]
    if question.kind == "pairs":
        sides = {**_SIDES, "equal": "= 3"}
        return [{"value": side, "name": side, "keys": keys} for side, keys in sides.items()]
    return []


def _told(shown: Shown) -> dict[str, Any]:
    return {
        "name": shown.name,
        "text": shown.text,
        "picture": None if shown.file is None else f"/work/pictures/{shown.file}",
    }
