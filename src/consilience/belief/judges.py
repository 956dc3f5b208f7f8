"""Believing the judges: what gold says, or the share of people who call an item relevant.

A language model is a judge that is never believed here: its answers are left out. It can vote
beside the systems (:func:`consilience.ls_eb`), or predict what labels drawn by design correct.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.belief.model import Belief, Shares, Voices
from consilience.errors import UsageError
from consilience.study.condition import NO_JUDGES, ONLY_MODELS, UNLABELLED, no_truth
from consilience.study.subset import keep_lists, without_models

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief.votes import Votes
    from consilience.study import Study


_FIXES = {
    NO_JUDGES: "name a file with --truth; in Python: truth=…",
    ONLY_MODELS: "let them vote with --belief ls-eb, or draw labels by design: consilience next",
    UNLABELLED: "fill in the labels; until then, --belief ls-eb tells who agrees with the others",
}


def gold(study: Study, *, relevant_from: float = 1.0) -> Belief:
    """Believe the judges: what gold says, or the share of people who call an item relevant.

    Language models' answers are left out: they are never the truth.

    Parameters
    ----------
    study
        A study with evidence of truth.
    relevant_from
        The lowest grade that counts as relevant; grades below 0 mean "not judged".

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"s": {"q": ["a", "d"]}}, truth={"q": {"a": 2, "b": 1, "c": 0, "d": -1}})
    >>> belief = gold(made, relevant_from=2)
    >>> dict(zip(made.items.names(belief.item), belief.p.tolist()))
    {'a': 1.0, 'b': 0.0, 'c': 0.0}
    """
    _check(study)
    return _believed(without_models(study), relevant_from, ("gold", "person"))


def _check(study: Study) -> None:
    """See that somebody has judged who can be believed; a part need not have such judges."""
    lacking = None if study.whole is not None and study.whole.judging else no_truth(study)
    if lacking is not None:
        what = "there is no truth to compare with" if lacking == NO_JUDGES else lacking
        raise UsageError(f"{what} (fix: {_FIXES[lacking]})")


def _believed(study: Study, relevant_from: float, kinds: Collection[str]) -> Belief:
    """Believe what some kinds of judges say; there are no others' answers."""
    evidence = study.evidence
    votes = said(study, relevant_from)
    spoken = ~np.isnan(votes)
    item, place = np.unique(evidence.item[spoken], return_inverse=True)
    count = np.bincount(place, minlength=len(item))
    judges = int(count.max(initial=0))
    count = count + _silent_noes(study, item, spoken)
    people = study.respondents
    listed = all(
        people.silence[code] == "no" for code in study.judging if people.kind[code] in kinds
    )
    alone = judges <= 1 and study.whole is None
    voices = None if alone else _voices(study, spoken, judges)
    queries = np.zeros(len(study.queries), bool)
    queries[evidence.query] = True
    gain = votes[spoken]
    if evidence.grade is not None:
        grade = evidence.grade[spoken]
        gain = np.where(np.isnan(grade), gain, grade)
    return Belief(
        item.astype(np.int64),
        np.bincount(place, weights=votes[spoken], minlength=len(item)) / count,
        np.bincount(place, weights=gain, minlength=len(item)) / count,
        elsewhere=0.0 if listed else float("nan"),
        queries=queries,
        method="gold" if voices is None else voices.method,
        assumes=(
            "gold lists every relevant item"
            if listed
            else "an item that was not judged is not relevant"
        ),
        effective_respondents=1.0 if voices is None else voices.effective,
        tally=voices,
    )


def _voices(study: Study, spoken: NDArray[np.bool_], most: int) -> Voices:
    """Tell who was asked, who has rows, and who says something in any of them."""
    evidence = study.evidence
    who = evidence.respondent[evidence.list_of_row()]
    asked, named, spoke = (
        frozenset(np.unique(codes).tolist()) for codes in (evidence.respondent, who, who[spoken])
    )
    return Voices(most, asked, named, spoke)


def _silent_noes(
    study: Study, item: NDArray[np.int32], spoken: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Count for every judged item the people who list what they found, and did not list it.

    Several gold files complete each other; several people contradict each other.
    """
    people, evidence = study.respondents, study.evidence
    lists = np.array(
        [
            silence == "no" and kind == "person"
            for silence, kind in zip(people.silence, people.kind, strict=True)
        ],
        bool,
    )[evidence.respondent]
    if not lists.any():
        return np.zeros(len(item), np.int64)
    asked = np.bincount(evidence.query[lists], minlength=len(study.queries))
    listed = evidence.item[lists[evidence.list_of_row()] & spoken]
    named = np.bincount(np.searchsorted(item, listed), minlength=len(item))
    return asked[study.items.query(item)] - named


def said(study: Study, relevant_from: float) -> NDArray[np.float64]:
    """What each answer of a judge says: 1, 0, a fraction, or NaN for "not judged"."""
    evidence = study.evidence
    if evidence.category is not None and evidence.grade is None and evidence.vote is None:
        raise UsageError(
            "the judges gave categories, which do not say what is relevant (fix: consilience tree "
            "--tree FILE --assignments FILE --results FILE; in Python: consilience.by_tree)"
        )
    if evidence.grade is None:
        return np.ones(len(evidence)) if evidence.vote is None else evidence.vote
    unsaid = np.isnan(evidence.grade) | (evidence.grade < 0)
    votes = np.where(unsaid, np.nan, (evidence.grade >= relevant_from).astype(np.float64))
    if evidence.vote is None:
        return votes
    return np.where(np.isnan(evidence.grade), evidence.vote, votes)


def in_between(study: Study, relevant_from: float) -> int:
    """Count the grades above 0 that are fractions and too low to count as relevant.

    Whole grades below the threshold are usual; fractions look like relevances of another kind.
    """
    grade = without_models(study).evidence.grade
    if grade is None:
        return 0
    return int(((grade > 0) & (grade < relevant_from) & (grade != np.round(grade))).sum())


def said_by_judges(
    votes: Votes,
    known: NDArray[np.bool_],
    p: NDArray[np.float64],
    unseen: NDArray[np.float64] | None,
) -> tuple[float, float]:
    """Tell of which share of items judges alone decided (known), and of which they spoke at all."""
    shares = shares_of_judges(votes, known, p, unseen)
    return shares.truth, shares.voiced


def shares_of_judges(
    votes: Votes,
    known: NDArray[np.bool_],
    p: NDArray[np.float64],
    unseen: NDArray[np.float64] | None,
) -> Shares:
    """Count the items that matter, those that judges alone decided (known), and spoke of at all.

    Those items matter that a system returned, and those that are believed to be relevant, however
    little; items of the universe that nobody mentioned among them. A language model that votes is
    one more voter, not a judge who spoke.
    """
    matters = np.nan_to_num(p) > 0
    matters[votes.study.answers.item] = True
    rest = 0.0 if unseen is None else float(votes.unmentioned[np.nan_to_num(unseen) > 0].sum())
    heard = known.copy()
    people = votes.study.respondents
    judges = np.array([people.kind[code] in ("person", "gold") for code in votes.respondent], bool)
    if judges.any():
        _, spoken, _ = votes.totals(judges.astype(np.float64))
        heard |= spoken > 0
    total = float(matters.sum()) + rest
    return Shares(total, float(known[matters].sum()), float(heard[matters].sum()))


def clamped(
    study: Study,
    p: NDArray[np.float64],
    unseen: NDArray[np.float64] | None,
    relevant_from: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None, NDArray[np.bool_]]:
    """Put gold's word in the place of estimates; tell which items gold has spoken of."""
    kept = np.isin(study.evidence.respondent, study.respondents.of_kind("gold"))
    known = np.zeros(len(p), bool)
    if not kept.any():
        return p, unseen, known
    theirs = replace(study, evidence=keep_lists(study.evidence, kept))
    word = _believed(theirs, relevant_from, ("gold",))
    known[word.item] = True
    if word.elsewhere == 0.0:
        known |= np.repeat(word.queries, np.diff(study.items.starts))
    p = np.where(known, 0.0, p)
    p[word.item] = word.p
    if word.elsewhere == 0.0 and unseen is not None:
        unseen = np.where(word.queries, 0.0, unseen)
    return p, unseen, known
