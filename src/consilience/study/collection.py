"""The whole collection: items that no system returned are items, too.

Recall counts what there was to be found. Where it is known what a collection holds, every query
of a study can be given all of it: beliefs then speak of every item, and measures add them up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.columns import Text
from consilience.errors import UsageError, quote
from consilience.formats.sheets import text_of
from consilience.given import listed
from consilience.study.model import Items

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study.model import Answers, Study


def with_collection(study: Study, names: Sequence[str]) -> Study:
    """Add to every query the items of a collection that nobody mentioned under it.

    What was said stays as it was; items are numbered anew, those that are added behind the others
    of their query. Where all are there already, the study itself is given.

    Parameters
    ----------
    study
        The study.
    names
        The names of the collection's items, each once.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"s": {"q1": ["a"], "q2": ["b", "z"]}})
    >>> whole = with_collection(made, ["a", "b", "c"])
    >>> whole.items.names(range(len(whole.items))), whole.items.starts.tolist()
    (['a', 'b', 'c', 'b', 'z', 'a', 'c'], [0, 3, 7])
    >>> whole.items.names(whole.answers.item)
    ['a', 'b', 'z']
    """
    items, names = study.items, _named(names)
    queries, size = len(study.queries), len(names)
    place = places(items, names)
    there = np.zeros((queries, size), bool)
    known = place >= 0
    there[items.query(np.flatnonzero(known)), place[known]] = True
    query, added = np.nonzero(~there)
    if not len(added):
        return study
    starts = items.starts + np.concatenate([[0], np.cumsum(np.bincount(query, minlength=queries))])
    _check_universe(study, starts)
    shift = starts[:-1] - items.starts[:-1]
    rows = np.empty(int(starts[-1]), np.int64)
    moved = np.arange(len(items)) + np.repeat(shift, np.diff(items.starts))
    rows[moved] = items.rows
    fresh = np.ones(len(rows), bool)
    fresh[moved] = False
    rows[fresh] = len(items.text) + added
    text = Text.concat([items.text, Text.of(names)])
    answers, evidence = (_moved(side, moved) for side in (study.answers, study.evidence))
    return replace(
        study,
        items=Items(text, rows, starts.astype(np.int64)),
        answers=answers,
        evidence=evidence,
    )


def _named(names: object) -> list[str]:
    """Return the names of a collection's items as text."""
    several = listed(names)
    if several is None:
        raise UsageError(f"{quote(names)} is no collection (fix: give a list of items' names)")
    for name in several:
        if not isinstance(name, (str, int, np.integer)) or isinstance(name, bool):
            raise UsageError(f"{quote(name)} is not the name of an item (fix: write it as text)")
    return [text_of(name) for name in several]


def _moved(answers: Answers, to: NDArray[np.int64]) -> Answers:
    return replace(answers, item=to[answers.item].astype(np.int32))


def _check_universe(study: Study, starts: NDArray[np.int64]) -> None:
    largest = int(np.diff(starts).max(initial=0))
    if study.universe is not None and study.universe < largest:
        raise UsageError(
            f"a universe of {study.universe:,} items is too small: with its collection a query "
            f"has {largest:,} (fix: give its true size, or --universe pool)"
        )


def places(items: Items, names: Sequence[str]) -> NDArray[np.int64]:
    """Tell for every item of a study where its name stands among some names; -1: nowhere.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"s": {"q1": ["a", "b"], "q2": ["b", "z"]}})
    >>> places(made.items, ["b", "a"]).tolist()
    [1, 0, 0, -1]
    """
    number = {name: code for code, name in enumerate(names)}
    code, different = items.text.codes()
    to = np.array([number.get(name, -1) for name in different.to_pylist()], np.int64)
    place: NDArray[np.int64] = to[code[items.rows]]
    return place
