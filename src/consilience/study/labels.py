"""Who labelled what: every respondent as an annotator, every answer as a label.

Here it does not matter who is a system and who is a judge: whoever says something of an item has
labelled it. What was not said is missing. In particular silence is never an answer, also not of
people who list what they found: nobody knows whether they saw the rest.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import UsageError, quote
from consilience.formats.roles import read_vote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from consilience.study.model import Answers, Study


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels, one a row: who (``annotator``), of what (``item``), which (``category``).

    Items are numbered from 0 and stand for ``items[item]`` of the study. ``values`` are the
    numbers that the categories stand for, rising; None where some category is not a number.
    Categories that are text stand in the order of their names.
    """

    annotators: tuple[str, ...]
    categories: tuple[str, ...]
    values: NDArray[np.float64] | None
    graded: bool
    items: NDArray[np.int64]
    annotator: NDArray[np.int64]
    item: NDArray[np.int64]
    category: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.item)

    def answers(self) -> NDArray[np.int64]:
        """Count the labels of each item."""
        return np.bincount(self.item, minlength=len(self.items))


def labels_of(study: Study) -> Labels:
    """Gather the labels of a study, systems' and judges' alike.

    A label is the category that was assigned; without one it is the grade, without a grade the
    vote; an item that was only named got a yes.

    Examples
    --------
    >>> import consilience as cs
    >>> said = labels_of(cs.study({"item": ["a", "b"], "ann": [1, 0], "ben": [1, None]}))
    >>> said.annotators, said.categories, said.annotator.tolist(), said.item.tolist()
    (('ann', 'ben'), ('0', '1'), [0, 0, 1], [0, 1, 0])
    """
    sides = [_said(side) for side in (study.answers, study.evidence)]
    who, item, assigned = (np.concatenate([side[k] for side in sides]) for k in range(3))
    number = np.concatenate([side[3] for side in sides])
    names, values, code = _categories(study.categories, assigned, number)
    heard, annotator = np.unique(who, return_inverse=True)
    items, place = np.unique(item, return_inverse=True)
    return Labels(
        annotators=tuple(study.respondents.names[k] for k in heard),
        categories=names,
        values=values,
        graded=not bool((assigned >= 0).any()),
        items=items.astype(np.int64),
        annotator=annotator.astype(np.int64),
        item=place.astype(np.int64),
        category=code,
    )


def _said(
    side: Answers,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Give annotator, item, category (-1: none) and number (NaN: none) of every label."""
    who = side.respondent[side.list_of_row()].astype(np.int64)
    size = len(side)
    assigned = np.full(size, -1) if side.category is None else side.category.astype(np.int64)
    number = np.full(size, np.nan) if side.grade is None else side.grade.copy()
    only_named = side.grade is None and side.category is None
    vote = side.vote if side.vote is not None else np.full(size, 1.0 if only_named else np.nan)
    number = np.where(np.isnan(number), vote, number)
    sorts = np.zeros(int(who.max(initial=0)) + 1, bool)
    sorts[who[assigned >= 0]] = True  # whoever assigns categories says nothing with an empty one
    number[sorts[who] & (assigned < 0)] = np.nan
    number[assigned >= 0] = np.nan
    told = (assigned >= 0) | ~np.isnan(number)
    return who[told], side.item[told].astype(np.int64), assigned[told], number[told]


def _categories(
    names: tuple[str, ...], assigned: NDArray[np.int64], number: NDArray[np.float64]
) -> tuple[tuple[str, ...], NDArray[np.float64] | None, NDArray[np.int64]]:
    """Number what was said: by value where all are numbers, by name otherwise.

    Where all mean yes or no, and one of them is spelt in several ways, they are 1 and 0.
    """
    used = np.unique(assigned[assigned >= 0])
    figures = np.unique(number[~np.isnan(number)])
    words = [names[k].strip() for k in used] + [spelt(value) for value in figures]
    votes = [read_vote(word) for word in words]
    voted = {vote for vote in votes if vote is not None and vote == vote}
    several = len(voted) < len({*words}) and len(voted) > 0
    read = votes if several and not _unread(votes) else [as_number(word) for word in words]
    if all(value is not None for value in read):
        values, place = np.unique(np.array(read, np.float64), return_inverse=True)
        called = tuple(spelt(value) for value in values)
    else:
        values = None
        called = tuple(sorted({*words}))
        at = {word: k for k, word in enumerate(called)}
        place = np.array([at[word] for word in words], np.int64)
    to = np.zeros(len(names) + 1, np.int64)
    to[used] = place[: len(used)]
    by_number = np.searchsorted(figures, np.nan_to_num(number))
    by_number = np.minimum(by_number, max(len(figures) - 1, 0))
    rest = place[len(used) :] if len(figures) else np.zeros(1, np.int64)
    return called, values, np.where(assigned >= 0, to[assigned], rest[by_number]).astype(np.int64)


def check_order(labels: Labels, order: Sequence[str]) -> None:
    """See that an order names labels as they were given: a misspelt one is told.

    Examples
    --------
    >>> import consilience as cs
    >>> said = labels_of(cs.study({"item": ["a", "b"], "x": ["low", "mid"]}, labels=True))
    >>> check_order(said, ["lo", "mid", "high"])
    Traceback (most recent call last):
    consilience.errors.UsageError: nobody gave the label 'lo', and the order lacks 'low' (fix: ...
    """
    given = [name.strip() for name in order]
    lacking = [name for name in labels.categories if name not in given]
    for name in given:
        near = difflib.get_close_matches(name, lacking, n=1, cutoff=0.5)
        if name not in labels.categories and near:
            raise UsageError(
                f"nobody gave the label {quote(name)}, and the order lacks {quote(near[0])} "
                f"(fix: did you mean {quote(near[0])}?)"
            )


def _unread(votes: Sequence[float | None]) -> bool:
    """Tell whether some word means neither yes nor no."""
    return any(vote is None or vote != vote for vote in votes)


def as_number(word: str) -> float | None:
    """Read a category as a number; None where it is none.

    Examples
    --------
    >>> as_number("2"), as_number("cat"), as_number("nan")
    (2.0, None, None)
    """
    try:
        value = float(word)
    except ValueError:
        return None
    return value if np.isfinite(value) and "_" not in word else None


def spelt(value: float) -> str:
    """Write a number as a category: whole ones without a point.

    Examples
    --------
    >>> spelt(3.0), spelt(0.25)
    ('3', '0.25')
    """
    return str(int(value)) if value == int(value) else repr(float(value))
