"""Kinds of answers that a user may name, and which columns he mapped where."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal, get_args

from consilience.errors import UsageError, unknown
from consilience.formats import roles

#: What ``--answers`` settles: lines are items, whatever they look like; a score orders a list of
#: items, though no column names queries; numbers between 0 and 1 are shares of a vote.
Named = Literal["lines", "lists", "votes"]
ANSWER_KINDS: tuple[Named, ...] = get_args(Named)
#: Beside a truth a score orders a list though nobody says so: "scored".
AnswerKind = Named | Literal["scored"]
#: Readers hand the last one on; nobody need name it.
_KNOWN: tuple[AnswerKind, ...] = (*ANSWER_KINDS, "scored")
_NOT_YET = ("labels", "multilabel", "probabilities", "outcomes", "text", "spans")
#: Roles of what systems answer: the truth's column of that name is something else.
_SYSTEMS = ("vote", "score", "rank")


def answer_kind(name: str | None) -> AnswerKind | None:
    """Return the kind of answers that a user named; None where he named none.

    Examples
    --------
    >>> answer_kind("votes")
    'votes'
    >>> answer_kind("outcomes")
    Traceback (most recent call last):
    consilience.errors.UsageError: answers of the kind 'outcomes' are not read yet (fix: use one ...
    """
    if name in _NOT_YET:
        raise UsageError(
            f"answers of the kind {name!r} are not read yet "
            f"(fix: use one of {', '.join(ANSWER_KINDS)}, or leave --answers out)"
        )
    for kind in _KNOWN:
        if kind == name:
            return kind
    if name is None:
        return None
    raise unknown("kind of answers", name, ANSWER_KINDS)


def beside_truth(answers: AnswerKind | None, *, truth: bool) -> AnswerKind | None:
    """Return the kind of answers: a score beside a truth orders a list, unless the user says else.

    Examples
    --------
    >>> beside_truth(None, truth=True), beside_truth("votes", truth=True)
    ('scored', 'votes')
    """
    return "scored" if truth and answers is None else answers


def are_lists(answers: AnswerKind | None) -> bool:
    """Tell whether a score orders a list, because the user says so or a truth stands beside it.

    Examples
    --------
    >>> are_lists("lists"), are_lists("scored"), are_lists(None)
    (True, True, False)
    """
    return answers in ("lists", "scored")


def truth_mapping(
    columns: Mapping[str, str],
    truth_columns: Mapping[str, str] | None,
    answered: Collection[str],
) -> dict[str, str]:
    """Return which of the truth's columns is what: role → column.

    What the user said of the truth's columns alone counts. Where he said nothing, what he said of
    the answers' holds for both, but for votes, scores and ranks that the answers have: those are
    the systems', and a column of that name in the truth is something else.

    Parameters
    ----------
    columns, truth_columns
        Role → column, of the answers and of the truth.
    answered
        The columns that the answers have.

    Examples
    --------
    >>> truth_mapping({"item": "page", "score": "target"}, None, ["page", "target"])
    {'item': 'page'}
    >>> truth_mapping({"score": "p", "grade": "y"}, {"label": "target"}, ["p"])
    {'grade': 'target'}
    """
    if truth_columns:
        return roles.by_role(truth_columns)
    return {
        role: column
        for role, column in roles.by_role(columns).items()
        if role not in _SYSTEMS or column not in answered
    }


def not_mapped(
    columns: Mapping[str, str], mapped: Mapping[str, str], found: Collection[str]
) -> list[str]:
    """Return notes on columns of a truth that bear a name which was mapped in the answers only."""
    given = roles.by_role(columns)
    return [
        f"{column!r} is the {role} in the answers only (--truth-columns says what it is here)"
        for role, column in given.items()
        if role in _SYSTEMS and role not in mapped and column in found
    ]
