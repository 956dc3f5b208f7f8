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
    rows = np.repeat(kept, length)
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


def every_nth(study: Study, n: int) -> Study:
    """Keep every n-th item, with what was said of it: a sample whose items are numbered anew.

    A universe shrinks alike.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = every_nth(study({"a": {"q": list("stuvwxyz")}, "b": {"q": ["w"]}}), 4)
    >>> made.items.names(range(len(made.items))), len(made.answers)
    (['s', 'w'], 3)
    """
    starts = -(-study.items.starts // n)
    items = replace(study.items, rows=study.items.rows[::n], starts=starts)
    universe = study.universe
    if universe is not None:
        universe = max(universe // n, int(np.diff(starts).max(initial=0)))
    answers, evidence = (nth_rows(table, n) for table in (study.answers, study.evidence))
    return replace(study, items=items, answers=answers, evidence=evidence, universe=universe)


def nth_rows(answers: Answers, n: int) -> Answers:
    """Keep what was said of every n-th item."""
    kept = answers.item % n == 0
    columns: dict[str, Any] = {
        name: None if (column := getattr(answers, name)) is None else column[kept]
        for name in VALUES
    }
    starts = np.concatenate([[0], np.cumsum(kept)])[answers.starts]
    return replace(answers, item=answers.item[kept] // n, starts=starts, **columns)


def silenced(study: Study, systems: Collection[str]) -> Study:
    """Leave some systems' answers out; every item stays, also those that only they returned.

    A belief of the silenced study is a belief about the items of the whole study.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = silenced(study({"a": {"q": ["x", "y"]}, "b": {"q": ["x"]}}), ["a"])
    >>> len(made.items), len(made.answers), made.systems
    (2, 1, ('a', 'b'))
    """
    return replace(study, answers=keep_lists(study.answers, ~_of(study, systems)))


def only(study: Study, systems: Collection[str]) -> Study:
    """Keep some systems' answers; every item and every respondent stays."""
    return replace(study, answers=keep_lists(study.answers, _of(study, systems)))


def _of(study: Study, systems: Collection[str]) -> NDArray[np.bool_]:
    """Tell which lists are some systems'."""
    for name in systems:
        if name not in study.systems:
            raise unknown("system", name, study.systems)
    named = np.array([name in systems for name in study.respondents.names], bool)
    return named[study.answers.respondent]
