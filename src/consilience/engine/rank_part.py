"""The work on one part of a ranking, and what it gives: small, and ready to be joined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.belief.joined import without_items
from consilience.belief.judges import gold
from consilience.engine.believing import Formed, Weighted
from consilience.measures.names import parse
from consilience.study.condition import Facts, facts
from consilience.study.depth import cut
from consilience.verdict.agreement import (
    cutoff_names,
    ordered_lists,
    score_cutoffs,
    virtual_sums,
)
from consilience.verdict.gathered import Gathered, Survey, gather
from consilience.verdict.sureness import judged_shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief import Belief
    from consilience.measures.left_out import LeaveOut
    from consilience.measures.scores import Convention, Scores
    from consilience.study import Study
    from consilience.study.ranking import Ties
    from consilience.verdict.agreement import VirtualSums


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a part gives to a ranking.

    ``cutoffs`` adds up P and R over the first 1, 2, … answers (cutoffs × measures × systems), and
    beside it counts the queries where they are defined; ``items`` counts the part's items.
    """

    gathered: Gathered
    facts: Facts
    cutoffs: NDArray[np.float64] | None
    virtual: VirtualSums | None
    items: int


@dataclass(frozen=True, slots=True)
class RankPart:
    """The work on a part: score its systems by a belief, and whatever belongs to that.

    ``cutoffs`` is how far down precision and recall are wanted at each cutoff (``ordered``: or else
    it is an error where lists have no order); ``judged`` tells whether there is a truth at all.
    """

    believe: Formed
    measures: tuple[str, ...]
    ties: Ties
    convention: Convention
    survey: Survey
    leave_out: LeaveOut = "none"
    depth: int | None = None
    cutoffs: int = 0
    ordered: bool = False
    virtual: bool = False
    judged: bool = False

    def __call__(self, study: Study) -> Ranked:
        """Do it."""
        believe: Callable[..., Belief] = gold if is_gold(self.believe) else self.believe
        if self.depth is not None:
            study = cut_to(study, self.depth, self.ties, judged=self.judged)
        found = gather(
            study,
            believe=believe,
            measures=self.measures,
            ties=self.ties,
            convention=self.convention,
            leave_out=self.leave_out,
            survey=self.survey,
        )
        first = parse(self.measures[0]).rel
        belief = believe(study) if first == 1.0 else believe(study, relevant_from=first)
        sums = virtual_sums(study, found.scores.measures, belief, believe) if self.virtual else None
        if found.partial is not None:  # should all have been judged after all
            shares = judged_shares(study, replace(found.scores, belief=belief))
            found = replace(found, judged=None if shares is None else _light(shares))
        return Ranked(
            found,
            facts(study),
            self._cutoffs(study, believe),
            sums,
            len(study.items),
        )

    def _cutoffs(self, study: Study, believe: Callable[..., Belief]) -> NDArray[np.float64] | None:
        """Return sums of P@k and R@k over queries, and how many queries they are defined for."""
        if not self.cutoffs or not (self.ordered or ordered_lists(study)):
            return None
        rel = parse(self.measures[0]).rel
        scores = score_cutoffs(
            study,
            believe,
            deepest=self.cutoffs,
            rel=rel,
            leave_out=self.leave_out,
            ties=self.ties,
            convention=self.convention,
        )
        each = np.array(
            [
                [[scores[system][name].per_query for system in scores.systems] for name in pair]
                for pair in cutoff_names(self.cutoffs, rel)
            ]
        )
        return np.stack([np.nansum(each, axis=3), (~np.isnan(each)).sum(axis=3)], axis=3)


@dataclass(frozen=True, slots=True)
class Returned:
    """The work on a part: count the items that systems returned for each query, down to a depth."""

    depth: int
    ties: Ties
    judged: bool

    def __call__(self, study: Study) -> NDArray[np.int64]:
        """Do it."""
        study = cut_to(study, self.depth, self.ties, judged=self.judged)
        items = np.unique(study.answers.item)
        return np.diff(np.searchsorted(items, study.items.starts))


def is_gold(believe: Formed) -> bool:
    """Tell whether the truth is believed."""
    return isinstance(believe, Weighted) and believe.name == "gold"


def cut_to(study: Study, depth: int, ties: Ties, *, judged: bool) -> Study:
    """Count only the first answers of each list; what judges say may settle ties."""
    worth = gold(study).of if judged and ties in ("best", "worst") else None
    return cut(study, depth, ties=ties, worth=worth)


def _light(scores: Scores) -> Scores:
    return replace(scores, belief=without_items(scores.belief))
