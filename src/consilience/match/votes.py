"""Soft votes: what a source would say of an item that it did not return, but something like it.

Where nobody holds the truth, systems are compared by what they agree on. Systems that extract
(phrases, entities) seldom return the same string, so an item's vote is its best similarity to what
a source returned::

    S_k(i) = max over j of v_k(j) · S(i, j)

An item that a source returned itself has its full vote; one that resembles nothing of it has none
(or the no that the source said). With similarities of 0 and 1 these are the votes as they were.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.match.kernel import BLOCK, Comparer, spans
from consilience.match.text import Wording, worded
from consilience.study.model import Answers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Study


def votes_by_similarity(
    study: Study, how: Comparer, *, floor: float, wording: Wording | None = None
) -> Study:
    """Let every source vote on everything that resembles what it returned.

    Parameters
    ----------
    study
        Who returned what.
    how
        The similarity of items.
    floor
        Similarities below it are no votes.
    wording
        How texts are made alike first.

    Examples
    --------
    >>> from consilience.match.characters import levenshtein
    >>> from consilience.match.kernel import comparer
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["colour"]}, "b": {"q": ["color", "grey"]}})
    >>> soft = votes_by_similarity(made, comparer(levenshtein), floor=0.5)
    >>> soft.items.names(soft.answers.item), soft.answers.vote.round(2).tolist()
    (['colour', 'color', 'colour', 'color', 'grey'], [1.0, 0.83, 0.83, 1.0, 1.0])
    """
    sides = {"answers": study.answers, "evidence": study.evidence}
    rows: dict[str, list[tuple[NDArray[Any], NDArray[Any]]]] = {
        name: [_NOTHING] * side.lists for name, side in sides.items()
    }
    order = {name: np.argsort(side.query, kind="stable") for name, side in sides.items()}
    first = {
        name: np.searchsorted(side.query[order[name]], np.arange(len(study.queries) + 1))
        for name, side in sides.items()
    }
    for query in range(len(study.queries)):
        begin, end = int(study.items.starts[query]), int(study.items.starts[query + 1])
        names = study.items.names(np.arange(begin, end))
        prepared = how.prepare(worded(names, wording) if wording else names)
        how.check_same(prepared, names)
        for name, side in sides.items():
            for number in order[name][first[name][query] : first[name][query + 1]]:
                mine, vote = _said(side, int(number))
                mine = mine - begin
                yes = np.nan_to_num(vote) > 0
                found = _best(how, prepared, mine[yes], vote[yes], floor)
                found[mine] = np.where(found[mine] > 0, found[mine], vote)
                kept = found != 0
                kept[mine] = True
                alike = np.nonzero(kept)[0]
                rows[name][number] = (alike + begin, found[alike])
    made = {name: _drawn(_answers(sides[name], rows[name]), sides[name]) for name in sides}
    return replace(study, answers=made["answers"], evidence=made["evidence"])


_NOTHING = (np.zeros(0, np.int64), np.zeros(0))


def _said(side: Answers, number: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Give the items of a list and the votes on them; NaN: cannot tell, or not judged.

    Grades count as relevant from 1 on; those below 0 mean "not judged".
    """
    rows = slice(int(side.starts[number]), int(side.starts[number + 1]))
    item = side.item[rows].astype(np.int64)
    vote = np.ones(len(item)) if side.vote is None else side.vote[rows].copy()
    if side.grade is not None:
        grade = side.grade[rows]
        unsaid = np.isnan(grade)
        if side.vote is None:
            vote[unsaid] = np.nan
        vote[~unsaid] = np.where(grade[~unsaid] < 0, np.nan, grade[~unsaid] >= 1)
    return item, vote


def _best(
    how: Comparer,
    prepared: Any,
    mine: NDArray[np.int64],
    vote: NDArray[np.float64],
    floor: float,
) -> NDArray[np.float64]:
    """Give for every item of a query its best similarity to a list's, times the vote."""
    found = np.zeros(len(prepared) if not hasattr(prepared, "shape") else prepared.shape[0])
    for columns in spans(len(mine)):
        chosen = prepared[mine[columns]]
        for rows in spans(len(found), BLOCK):
            block = how.block(prepared[rows], chosen, floor) * vote[columns]
            np.maximum(found[rows], block.max(axis=1), out=found[rows])
    np.maximum.at(found, mine, vote)
    return found


def _answers(side: Answers, rows: list[tuple[NDArray[np.int64], NDArray[np.float64]]]) -> Answers:
    """Put lists of votes in the place of lists of items."""
    lengths = [len(items) for items, _ in rows]
    items = np.concatenate([one for one, _ in rows]) if rows else _NOTHING[0]
    votes = np.concatenate([one for _, one in rows]) if rows else _NOTHING[1]
    return Answers(
        side.respondent,
        side.query,
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        items.astype(np.int32),
        vote=votes,
    )


def _drawn(made: Answers, side: Answers) -> Answers:
    """Keep how labels were drawn with the items that they were drawn for.

    The items of a list that was made rise.
    """
    if side.probability is None:
        return made
    wide = max(int(made.item.max(initial=0)), int(side.item.max(initial=0))) + 1
    key, mine = (table.list_of_row() * wide + table.item for table in (made, side))
    place = np.searchsorted(key, mine)
    probability = np.full(len(made), np.nan)
    probability[place] = side.probability
    if side.round is None:
        return replace(made, probability=probability)
    number = np.zeros(len(made), np.int64)
    number[place] = side.round
    return replace(made, probability=probability, round=number)
