"""The work on one part of a ranking, and what it gives: small, and ready to be joined."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief.joined import without_items
from consilience.belief.judges import gold
from consilience.engine.believing import Formed, Weighted
from consilience.measures.left_out import score_left_out
from consilience.measures.names import Measure, parse
from consilience.study.condition import Facts, facts
from consilience.study.depth import cut
from consilience.verdict.agreement import ordered_lists, virtual_sums
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

    ``shallow`` are the beliefs from everybody's first 1, 2, … answers, where these are wanted
    (``ordered``: or else it is an error where lists have no order); ``judged`` tells whether there
    is a truth at all.
    """

    believe: Formed
    measures: tuple[str, ...]
    ties: Ties
    convention: Convention
    survey: Survey
    leave_out: LeaveOut = "none"
    depth: int | None = None
    shallow: tuple[Formed, ...] = ()
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
            self._cutoffs(study),
            sums,
            len(study.items),
        )

    def _worth(self, study: Study, believe: Callable[..., Belief]) -> Any:
        """Say what items are worth, where ties are settled by that."""
        return believe(study).of if self.ties in ("best", "worst") else None

    def _cutoffs(self, study: Study) -> NDArray[np.float64] | None:
        """Score everybody's first 1, 2, … answers; the belief is formed anew from these."""
        if not self.shallow or not (self.ordered or ordered_lists(study)):
            return None
        rel = parse(self.measures[0]).rel
        names = [str(Measure(base, rel=rel)) for base in ("P", "R")]
        worth = self._worth(study, self.believe)
        first = cut(study, len(self.shallow), ties=self.ties, worth=worth)
        found = []
        for k, believe in enumerate(self.shallow, start=1):
            part = cut(first, k, ties=self.ties, worth=worth)
            scores = score_left_out(
                part,
                measures=names,
                belief=believe,
                leave_out=self.leave_out,
                ties=self.ties,
                convention=self.convention,
            )
            each = [[scores[system][name].per_query for system in scores.systems] for name in names]
            known = ~np.isnan(each)
            found.append(np.stack([np.nansum(each, axis=2), known.sum(axis=2)], axis=2))
        return np.stack(found)


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
