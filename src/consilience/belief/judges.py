"""Believing the judges: what gold says, or the share of judges who call an item relevant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consilience.belief.model import Belief
from consilience.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Study


def gold(study: Study, *, relevant_from: float = 1.0) -> Belief:
    """Believe the judges: what gold says, or the share of judges who call an item relevant.

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
    evidence = study.evidence
    if not evidence.lists:
        raise UsageError(
            "there is no truth to compare with (fix: name a file with --truth; in Python: truth=…)"
        )
    votes = said(study, relevant_from)
    spoken = ~np.isnan(votes)
    item, place = np.unique(evidence.item[spoken], return_inverse=True)
    count = np.bincount(place, minlength=len(item))
    judges = int(count.max(initial=0))
    voices = np.unique(evidence.respondent)
    listed = all(study.respondents.silence[code] == "no" for code in voices)
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
        method="gold" if judges <= 1 else "shares of judges",
        assumes=(
            "gold lists every relevant item"
            if listed
            else "an item that was not judged is not relevant"
        ),
        effective_respondents=float(len(voices)) if judges > 1 else 1.0,
    )


def said(study: Study, relevant_from: float) -> NDArray[np.float64]:
    """What each answer of a judge says: 1, 0, a fraction, or NaN for "not judged"."""
    evidence = study.evidence
    if evidence.grade is None:
        return np.ones(len(evidence)) if evidence.vote is None else evidence.vote
    unsaid = np.isnan(evidence.grade) | (evidence.grade < 0)
    votes = np.where(unsaid, np.nan, (evidence.grade >= relevant_from).astype(np.float64))
    if evidence.vote is None:
        return votes
    return np.where(np.isnan(evidence.grade), evidence.vote, votes)
