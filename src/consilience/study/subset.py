"""Part of a study: some lists left out, every item kept, so that numbers stay what they are."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import unknown
from consilience.study.model import VALUES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study.model import Answers, Study


def keep_lists(answers: Answers, kept: NDArray[np.bool_]) -> Answers:
    """Keep some lists, with their rows."""
    if bool(kept.all()):
        return answers
    length = np.diff(answers.starts)
    rows = rows_of(answers.starts[:-1][kept], length[kept])
    columns: dict[str, Any] = {
        name: None if (column := getattr(answers, name)) is None else column[rows]
        for name in ("item", *VALUES)
    }
    starts = np.concatenate([[0], np.cumsum(length[kept])]).astype(np.int64)
    return replace(
        answers,
        respondent=answers.respondent[kept],
        query=answers.query[kept],
        starts=starts,
        **columns,
    )


def rows_of(begins: NDArray[np.int64], length: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give the rows of lists that begin somewhere and have some length.

    Examples
    --------
    >>> rows_of(np.array([3, 9]), np.array([2, 1])).tolist()
    [3, 4, 9]
    """
    before = np.cumsum(length) - length
    return np.repeat(begins - before, length) + np.arange(int(length.sum()))


def without_models(study: Study) -> Study:
    """Leave language models' answers out of what bears on the truth: they are never the truth.

    Every respondent and every item stays, so that numbers stay what they are.

    Examples
    --------
    >>> from consilience.study import study
    >>> said = {"item": ["x", "x"], "judge": ["ann", "bot"], "kind": ["person", "llm"]}
    >>> made = study({"s": {"all": ["x"]}}, truth={**said, "label": [0, 1]})
    >>> len(made.evidence), len(without_models(made).evidence)
    (2, 1)
    """
    models = np.isin(study.evidence.respondent, study.respondents.of_kind("llm"))
    if not models.any():
        return study
    return replace(study, evidence=keep_lists(study.evidence, ~models))


def of_items(
    study: Study, queries: NDArray[np.bool_], kept: NDArray[np.bool_], *, one_in: int = 1
) -> Study:
    """Keep some items of some queries, with what was said of them; the others lose their lists.

    Items are numbered anew; every query keeps its number. A universe shrinks alike where one item
    in so many was kept.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y"], "r": ["z"]}})
    >>> part = of_items(made, np.array([True, False]), np.array([False, True, False]))
    >>> part.items.names([0]), part.answers.lists, part.queries
    (['y'], 1, ('q', 'r'))
    """
    before = np.concatenate([[0], np.cumsum(kept)])
    starts = before[study.items.starts]
    items = replace(study.items, rows=study.items.rows[kept], starts=starts)
    universe = study.universe
    if universe is not None:
        universe = max(universe // one_in, int(np.diff(starts).max(initial=0)))
    answers, evidence = (
        keep_items(keep_lists(table, queries[table.query]), kept)
        for table in (study.answers, study.evidence)
    )
    return replace(study, items=items, answers=answers, evidence=evidence, universe=universe)


def chosen(items: int, n: int) -> NDArray[np.bool_]:
    """Choose about one item in n: the same ones every time, without a pattern among them."""
    return mixed(items) < (1 << 32) // n if n > 1 else np.ones(items, bool)


def mixed(count: int, salt: np.integer | int = 0) -> NDArray[np.uint32]:
    """Give numbers below 2³² without a pattern among them, the same ones for the same salt."""
    numbers = np.arange(count, dtype=np.uint32) * np.uint32(0x9E3779B1)
    numbers ^= np.uint32(int(salt) & 0xFFFFFFFF)
    numbers ^= numbers >> np.uint32(15)
    numbers *= np.uint32(0x85EBCA77)
    return numbers


def keep_items(answers: Answers, kept: NDArray[np.bool_]) -> Answers:
    """Keep what was said of some items, which are numbered anew."""
    number = np.cumsum(kept, dtype=np.int32) - np.int32(1)
    rows = kept[answers.item]
    columns: dict[str, Any] = {
        name: None if (column := getattr(answers, name)) is None else column[rows]
        for name in VALUES
    }
    starts = np.concatenate([[0], np.cumsum(rows)])[answers.starts]
    return replace(answers, item=number[answers.item[rows]], starts=starts, **columns)


def answered(study: Study) -> tuple[Study, NDArray[np.int64]]:
    """Leave out judges, and items that only they mentioned; tell which items are left.

    Examples
    --------
    >>> from consilience.study import study
    >>> made, items = answered(study({"a": {"q": ["x"]}}, truth={"q": {"x": 1, "y": 0}}))
    >>> len(made.items), items.tolist(), made.evidence.lists
    (1, [0], 0)
    """
    kept = np.zeros(len(study.items), bool)
    kept[study.answers.item] = True
    nobody = keep_lists(study.evidence, np.zeros(study.evidence.lists, bool))
    if bool(kept.all()):
        return replace(study, evidence=nobody), np.arange(len(kept))
    before = np.concatenate([[0], np.cumsum(kept)])
    items = replace(study.items, rows=study.items.rows[kept], starts=before[study.items.starts])
    answers = keep_items(study.answers, kept)
    return replace(study, items=items, answers=answers, evidence=nobody), np.flatnonzero(kept)


def silenced(study: Study, systems: Collection[str]) -> Study:
    """Take some systems' votes away; what they returned stays among the items.

    They are no systems any more. A belief of the silenced study is a belief about the items of
    the whole study.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = silenced(study({"a": {"q": ["x", "y"]}, "b": {"q": ["x"]}}), ["a"])
    >>> len(made.items), made.systems
    (2, ('b',))
    """
    _check(study, systems)
    people = study.respondents
    kind: Any = tuple(
        "silenced" if name in systems else kind
        for name, kind in zip(people.names, people.kind, strict=True)
    )
    return replace(study, respondents=replace(people, kind=kind))


def only(study: Study, systems: Collection[str]) -> Study:
    """Keep some systems' answers; every item and every respondent stays."""
    _check(study, systems)
    named = np.array([name in systems for name in study.respondents.names], bool)
    return replace(study, answers=keep_lists(study.answers, named[study.answers.respondent]))


def _check(study: Study, systems: Collection[str]) -> None:
    """See that systems are systems."""
    for name in systems:
        if name not in study.systems:
            raise unknown("system", name, study.systems)
