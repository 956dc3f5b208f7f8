"""Which truth is there? A fact read off the study, not a mode that users choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from consilience.errors import quote
from consilience.formats.rows import ONLY_QUERY
from consilience.study.drawn import is_labelled
from consilience.study.subset import without_models

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study.model import Study

Name = Literal["complete", "partial", "uncertain", "inexact", "absent"]
#: Why there is no truth: nobody has judged, nobody who is believed, or nobody yet.
NO_JUDGES = "only the systems' own answers were given"
ONLY_MODELS = "only language models have judged, and they are not the truth"
UNLABELLED = "items were drawn to be judged, and none has a label yet"
#: How many query ids of each side a message shows.
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition of truth, why, and how much of what systems returned has been judged."""

    name: Name
    why: str
    judged: float
    queries_judged: int


def spoken(study: Study) -> NDArray[np.bool_]:
    """Tell which answers of judges say something (a negative grade: pooled, but not judged).

    What language models say does not count: they are never the truth.
    """
    evidence = study.evidence
    models = np.isin(evidence.respondent, study.respondents.of_kind("llm"))
    people = ~models[evidence.list_of_row()]
    if evidence.grade is None:
        return people if evidence.vote is None else people & ~np.isnan(evidence.vote)
    said = evidence.grade >= 0
    return people & (said if evidence.vote is None else said | ~np.isnan(evidence.vote))


def judged_queries(study: Study) -> NDArray[np.int32]:
    """Give the queries that gold or people were asked, rising."""
    return np.unique(without_models(study).evidence.query)


def judged_items(study: Study) -> NDArray[np.bool_]:
    """Tell which items somebody has judged who is not a language model."""
    judged = np.zeros(len(study.items), bool)
    judged[study.evidence.item[spoken(study)]] = True
    return judged


def no_truth(study: Study) -> str | None:
    """Say why nobody who can be believed has judged; None where somebody has.

    Examples
    --------
    >>> from consilience.study import study
    >>> said = {"item": ["x"], "judge": ["bot"], "kind": ["llm"], "label": [1]}
    >>> no_truth(study({"s": {"all": ["x"]}}, truth=said))
    'only language models have judged, and they are not the truth'
    """
    if not study.evidence.lists:
        return NO_JUDGES
    evidence = without_models(study).evidence
    if not evidence.lists:
        return ONLY_MODELS
    waiting = evidence.probability is not None and not is_labelled(evidence).any()
    return UNLABELLED if waiting else None


def condition(study: Study) -> Condition:
    """Read the condition of truth off a study.

    - *absent*: nobody but the systems has answered, or nobody about what they answered; nobody
      but language models has judged; or items were drawn to be judged, and none has a label yet;
    - *uncertain*: several judges have answered about the same item, or judges gave fractions, or
      categories and labels that do not say what is relevant;
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
    lacking = no_truth(study)
    study = without_models(study)
    evidence = study.evidence
    queries = len(np.unique(evidence.query))
    if lacking is not None:
        return Condition("absent", lacking, 0.0, queries)
    if sorts_only(study):
        return Condition("uncertain", _sorted_by(study), _sorted_share(study), queries)
    apart = _apart(study)
    if apart:
        return Condition("absent", apart, 0.0, queries)
    total, known = _returned(study)
    share = known / total if total else float(study.answers.lists > 0)
    doubt = _doubt(study)
    if doubt:
        return Condition("uncertain", doubt, share, queries)
    if not study.answers.lists:
        why = "truth was given, but no systems' answers that it could be about"
        return Condition("absent", why, 0.0, queries)
    if all(study.respondents.silence[code] == "no" for code in np.unique(evidence.respondent)):
        why = "gold lists what is relevant; what it does not list is not"
        return Condition("complete", why, 1.0, queries)
    if not total:
        return Condition("complete", "no item was returned that could be judged", share, queries)
    if known == total:
        return Condition("complete", "every returned item has been judged", share, queries)
    why = f"{total - known:,} of {total:,} returned items are not judged"
    return Condition("partial", why, share, queries)


def no_common_query(study: Study) -> str | None:
    """Say that truth and answers share no query, and what to do; None where that is not so.

    Where there is no truth, or no answer, there is nothing to share, and None is given too; so it
    is with categories, which do not depend on the query.

    Examples
    --------
    >>> from consilience.study import study
    >>> print(no_common_query(study({"a": {"q1": ["d1"]}}, truth={"1": {"d1": 1}})))
    truth and answers share no query: answers have 'q1'; truth has '1' (fix: write the ...)
    >>> no_common_query(study({"a": {"q1": ["d1"]}}, truth={"q1": {"d1": 1}}))
    """
    study = without_models(study)
    apart = None if sorts_only(study) else _apart(study)
    if apart is None:
        return None
    only = [
        side
        for side, given in (("answers", study.answers), ("truth", study.evidence))
        if {study.queries[query] for query in np.unique(given.query)} == {ONLY_QUERY}
    ]
    fix = "write the ids of the queries alike in both, or give the truth of these answers"
    if only:
        fix = f"the {only[0]} came without queries: give each row one, in a column 'query'"
    return f"{apart} (fix: {fix})"


def _apart(study: Study) -> str | None:
    """Say which queries truth and answers have, where they share none."""
    asked, judged = np.unique(study.answers.query), np.unique(study.evidence.query)
    if not len(asked) or not len(judged) or len(np.intersect1d(asked, judged)):
        return None
    ours, theirs = _first_ids(study, asked), _first_ids(study, judged)
    return f"truth and answers share no query: answers have {ours}; truth has {theirs}"


def sorts_only(study: Study) -> bool:
    """Tell whether judges put items into categories and said nothing else of them."""
    evidence = study.evidence
    return evidence.category is not None and evidence.grade is None and evidence.vote is None


def _sorted_by(study: Study) -> str:
    """Say how many items people put into categories."""
    evidence = study.evidence
    assert evidence.category is not None
    count = np.bincount(evidence.item[evidence.category >= 0])
    several = int((count > 1).sum())
    if several:
        return f"{several:,} items have categories or labels of several people"
    return "people gave categories or labels, which do not say what is relevant"


def _sorted_share(study: Study) -> float:
    """Tell which share of the returned items was put into categories, by their names."""
    returned = {*study.items.names(np.unique(study.answers.item))}
    placed = {*study.items.names(np.unique(study.evidence.item))}
    return len(returned & placed) / len(returned) if returned else 0.0


def _first_ids(study: Study, queries: NDArray[np.int32]) -> str:
    shown = ", ".join(quote(study.queries[query]) for query in queries[:_SHOWN])
    return f"{shown}, …" if len(queries) > _SHOWN else shown


def _returned(study: Study) -> tuple[int, int]:
    """Count the items that systems returned for queries with truth, and those judged of them."""
    has_truth = np.zeros(len(study.queries), bool)
    has_truth[study.evidence.query] = True
    returned = np.zeros(len(study.items), bool)
    returned[study.answers.item] = True
    returned &= np.repeat(has_truth, np.diff(study.items.starts))
    return int(returned.sum()), int((returned & judged_items(study)).sum())


def _doubt(study: Study) -> str | None:
    """Say why what judges said leaves room for doubt; None where it does not."""
    judges = np.bincount(study.evidence.item[spoken(study)])
    if (judges > 1).any():
        return f"{int((judges > 1).sum()):,} items have several judges"
    votes = study.evidence.vote
    if votes is not None and bool(((votes > 0) & (votes < 1)).any()):
        return "judges gave fractions"
    return None
