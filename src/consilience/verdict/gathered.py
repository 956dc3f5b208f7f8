"""All that a ranking is made of, gathered part by part, and finished over all queries.

Queries do not depend on each other: whatever looks at answers and items is computed for a study,
or for every part of one (:func:`gather`), and gives values query by query, or sums. Averages,
intervals, bounds and comparisons need these alone (:func:`finish`). A study that is here as a
whole is ranked in the same way: it is its own and only part.

Parts must know what no part can tell by itself. So they are looked at twice: first for that
(:func:`survey`), then for the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience import progress
from consilience.belief.joined import without_items
from consilience.belief.judges import gold
from consilience.belief.model import Belief, Shares
from consilience.measures.averaged import Levels, curves_of, joined_levels, levels
from consilience.measures.extremes import MOST_GRADES, grades_of
from consilience.measures.joined import joined
from consilience.measures.left_out import check_votes, score_left_out
from consilience.study.condition import (
    Condition,
    Facts,
    condition,
    condition_of,
    facts,
    joined_facts,
)
from consilience.study.model import Whole
from consilience.study.outline import joined_whole, part_of, whole_of
from consilience.verdict.agreement import Agreement, brought, known_answers
from consilience.verdict.partial import Partial, Pieces, joined_pieces, partial_of, pieces
from consilience.verdict.sureness import (
    Posteriors,
    Sureness,
    judged_shares,
    lacking_judgments,
    over_queries,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.left_out import LeaveOut
    from consilience.measures.names import Measure
    from consilience.measures.scores import Convention, Scores
    from consilience.study import Study
    from consilience.study.ranking import Ties
    from consilience.verdict.settling import Rules


@dataclass(frozen=True, slots=True)
class Survey:
    """What must be known of all parts before any can be ranked; see :func:`survey`."""

    facts: Facts
    whole: Whole
    grades: NDArray[np.float64]

    @property
    def condition(self) -> Condition:
        """The condition of truth."""
        return condition_of(self.facts)


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a study, or a part of one, has to say about a ranking; no answers, no items.

    ``scores`` are those by the measures, ``condition`` is that of the whole; ``known`` counts the
    answers that the belief speaks of, and all of them, where it brings a truth of its own;
    ``judged`` scores how much was judged, ``partial`` is what unjudged items may have done,
    ``curves`` what precision-recall curves are averages of. None: not needed, or not asked for.
    """

    scores: Scores
    condition: Condition
    known: tuple[int, int] = (0, 0)
    judged: Scores | None = None
    partial: Pieces | None = None
    curves: Levels | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A ranking but for its order: scores, the condition of truth, how sure all is.

    ``curves`` are precision-recall curves by system; None: nobody asked for them.
    """

    scores: Scores
    condition: Condition
    sure: Sureness
    partial: Partial | None = None
    curves: dict[str, NDArray[np.float64]] | None = None


def survey(study: Study) -> Survey:
    """Tell what other parts must know of a part.

    Examples
    --------
    >>> from consilience.study import study
    >>> found = survey(study({"s": {"q": ["a", "b"]}}, truth={"q": {"a": 2, "c": 0}}))
    >>> found.condition.name, found.grades.tolist(), found.whole.answering
    ('partial', [2.0], (0,))
    """
    told = facts(study)
    grades = np.zeros(0)
    if told.lacking is None and not told.sorts_only:
        grades = grades_of(study, gold(study))
    return Survey(told, whole_of(study), grades)


def joined_survey(parts: Sequence[Survey]) -> Survey:
    """Join what parts of a study, each with some of its queries, tell in their order."""
    return Survey(
        joined_facts([part.facts for part in parts]),
        joined_whole([part.whole for part in parts]),
        np.unique(np.concatenate([part.grades for part in parts]))[: MOST_GRADES + 1],
    )


def gather(
    study: Study,
    *,
    believe: Callable[..., Belief],
    measures: Sequence[str | Measure],
    ties: Ties = "trec",
    convention: Convention = "ours",
    leave_out: LeaveOut = "none",
    survey: Survey | None = None,
    scores: Scores | None = None,
    matched: bool = False,
    curves: bool = True,
) -> Gathered:
    """Gather what a study, or a part of one, has to say about a ranking.

    Parameters
    ----------
    study
        A study of some consecutive queries, or of all. Respondents are numbered alike in all.
    believe
        Makes a belief of a part: what voters count must be settled for the whole.
    measures, ties, convention, leave_out
        As in :func:`consilience.rank`.
    survey
        What is known of the whole that this is part of; None: it is the whole. Then beliefs keep
        their items, which parts let go of.
    scores, matched
        Scores that were made before, and whether items were matched by their similarity.
    curves
        Whether precision-recall curves are wanted.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"s": {"q": ["a", "b"]}}, truth={"q": {"a": 1, "b": 0}})
    >>> found = gather(made, believe=gold, measures=["AP"])
    >>> found.condition.name, found.scores["s"]["AP"].value
    ('complete', 1.0)
    """
    if survey is not None:
        study = part_of(study, survey.whole)
    what = condition(study) if survey is None else survey.condition
    if scores is None:
        rules: dict[str, Any] = {"ties": ties, "convention": convention, "leave_out": leave_out}
        scores = score_left_out(study, measures=measures, belief=believe, **rules)
    open_truth = believe is gold and not matched and what.name == "partial"
    may_lack = not open_truth and _may_lack(scores.belief, what, matched)
    grades = None if survey is None else survey.grades
    found = Gathered(
        scores,
        what,
        known_answers(study, scores.belief) if what.name == "absent" else (0, 0),
        judged_shares(study, scores) if may_lack else None,
        pieces(study, scores, grades=grades) if open_truth else None,
        levels(study, scores) if curves else None,
    )
    return found if survey is None else light(found)


def light(found: Gathered) -> Gathered:
    """Let go of the items that beliefs speak of."""
    judged = found.judged
    if judged is not None:
        judged = replace(judged, belief=without_items(judged.belief))
    scores = replace(found.scores, belief=without_items(found.scores.belief))
    return replace(found, scores=scores, judged=judged)


def _may_lack(belief: Belief, what: Condition, matched: bool) -> bool:
    """Tell whether it may matter how much was judged: where all rests on truth, as far as known."""
    nothing = isinstance(belief.tally, Shares) and not belief.tally.matter
    return (belief.truth == 1.0 or nothing) and not (matched and what.judged < 1)


def joined_scores(parts: Sequence[Gathered]) -> Scores:
    """Join the scores of all parts, in the order of their queries."""
    return joined([part.scores for part in parts])


def finish(
    parts: Sequence[Gathered],
    beside: Agreement,
    rules: Rules,
    *,
    scores: Scores | None = None,
    posteriors: Posteriors | None = None,
    matched: bool = False,
) -> Finished:
    """Finish a ranking from what was gathered of all parts, in the order of their queries.

    Parameters
    ----------
    parts
        What was gathered.
    beside
        What belongs to a ranking without truth (:mod:`consilience.verdict.agreement`); it is made
        with the joined scores (:func:`joined_scores`).
    rules
        How the ranking is made.
    scores
        The joined scores, where they are there already.
    posteriors
        Tells how far scores move with who is right, where judges disagree; None: nobody does.
    matched
        Whether items were matched by their similarity.
    """
    scores = joined_scores(parts) if scores is None else scores
    check_votes(scores.belief, rules.leave_out)
    what = brought(parts[0].condition, scores.belief, [part.known for part in parts])
    if matched and what.name == "complete":
        what = replace(what, name="inexact", why=f"{what.why}; items were matched by similarity")
    found = [part.partial for part in parts if part.partial is not None]
    partial = partial_of(joined_pieces(found), scores, what) if found else None
    judged = [part.judged for part in parts if part.judged is not None]
    shares = joined(judged) if len(judged) == len(parts) else None
    lacking = lacking_judgments(scores, shares, soft=matched and what.judged < 1)
    with progress.part(0.0, 0.6):
        sure = over_queries(
            scores, beside, partial, rules=rules, lacking=lacking, posteriors=posteriors
        )
    drawn = [part.curves for part in parts if part.curves is not None]
    curves = curves_of(joined_levels(drawn), scores.systems) if drawn else None
    return Finished(scores, what, sure, partial, curves)
