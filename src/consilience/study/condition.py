"""Which truth is there? A fact read off the study, not a mode that users choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study.model import Study

Name = Literal["complete", "partial", "uncertain", "absent"]


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition of truth, why, and how much of what systems returned has been judged."""

    name: Name
    why: str
    judged: float
    queries_judged: int


def spoken(study: Study) -> NDArray[np.bool_]:
    """Tell which answers of judges say something (a negative grade: pooled, but not judged)."""
    evidence = study.evidence
    if evidence.grade is None:
        return np.ones(len(evidence), bool) if evidence.vote is None else ~np.isnan(evidence.vote)
    said = evidence.grade >= 0
    return said if evidence.vote is None else said | ~np.isnan(evidence.vote)


def judged_items(study: Study) -> NDArray[np.bool_]:
    """Tell which items somebody has judged."""
    judged = np.zeros(len(study.items), bool)
    judged[study.evidence.item[spoken(study)]] = True
    return judged


def condition(study: Study) -> Condition:
    """Read the condition of truth off a study.

    - *absent*: nobody but the systems has answered;
    - *uncertain*: several judges have answered about the same item, or judges gave fractions;
    - *complete*: gold says of every item that a system returned whether it is relevant, or
      lists what is relevant and is silent about the rest;
    - *partial*: gold has judged some of the returned items only.

    Examples
    --------
    >>> from consilience.study import study
    >>> condition(study({"a": {"q": ["d1", "d2"]}}, truth={"q": {"d1": 1, "d2": 0}})).name
    'complete'
    >>> condition(study({"a": {"q": ["d1", "d2"]}}, truth={"q": {"d1": 1, "d3": 0}})).name
    'partial'
    >>> condition(study({"a": {"q": ["d1", "d2"]}, "b": {"q": ["d2"]}})).name
    'absent'
    """
    evidence = study.evidence
    if not evidence.lists:
        return Condition("absent", "only the systems' own answers were given", 0.0, 0)
    has_truth = np.zeros(len(study.queries), bool)
    has_truth[evidence.query] = True
    queries = int(has_truth.sum())
    judges = np.bincount(evidence.item[spoken(study)])
    returned = np.zeros(len(study.items), bool)
    returned[study.answers.item] = True
    returned &= np.repeat(has_truth, np.diff(study.items.starts))
    judged = judged_items(study)
    total = int(returned.sum())
    share = float((returned & judged).sum() / total) if total else 1.0
    if (judges > 1).any():
        count = int((judges > 1).sum())
        return Condition("uncertain", f"{count:,} items have several judges", share, queries)
    votes = evidence.vote
    if votes is not None and bool(((votes > 0) & (votes < 1)).any()):
        return Condition("uncertain", "judges gave fractions", share, queries)
    if all(study.respondents.silence[code] == "no" for code in np.unique(evidence.respondent)):
        why = "gold lists what is relevant; what it does not list is not"
        return Condition("complete", why, 1.0, queries)
    if share == 1.0:
        return Condition("complete", "every returned item has been judged", share, queries)
    why = f"{total - int((returned & judged).sum()):,} of {total:,} returned items are not judged"
    return Condition("partial", why, share, queries)
