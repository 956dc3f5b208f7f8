"""Rankings of what does not fit into memory: part by part, then joined.

Queries do not depend on each other. So a belief and the scores by it are computed on parts of some
million votes, by as many processes as there are processors; what parts give is small (a number for
every system and query) and is joined to what the whole would have given. Facts that no part knows
(who copies whom, which family has how many members) are found before, on a sample of the queries.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience import progress
from consilience.belief.judges import gold
from consilience.engine.believing import Weighted, weighted
from consilience.engine.opening import work_folder
from consilience.engine.parts import Task, each
from consilience.engine.sampling import known_dependence, sample_of
from consilience.errors import UsageError
from consilience.measures.joined import joined
from consilience.measures.left_out import score_left_out
from consilience.measures.names import Measure, parse
from consilience.study.condition import Facts, condition_of, facts, joined_facts
from consilience.study.depth import cut
from consilience.study.outline import Outline
from consilience.verdict.agreement import (
    CUTOFFS,
    AtCutoffs,
    agreement_of,
    caveat_of,
    ordered_lists,
    virtual_of,
    virtual_sums,
)
from consilience.verdict.gathered import Gathered, Survey, finish, gather, joined_scores, survey
from consilience.verdict.rank import decide
from consilience.verdict.sureness import judged_shares

if TYPE_CHECKING:
    from consilience.belief import Belief
    from consilience.engine.source import Votes
    from consilience.measures.left_out import LeaveOut
    from consilience.measures.scores import Convention, Scores
    from consilience.study import Study
    from consilience.study.condition import Condition
    from consilience.study.ranking import Ties
    from consilience.verdict.agreement import VirtualSums
    from consilience.verdict.rank import Verdict
    from consilience.verdict.settling import Rules

#: Votes of a part, at most (more would not make it quicker), and at least.
PART, SMALLEST = 4_000_000, 250_000
#: Bytes that a worker takes before it has read anything, and for each vote of a part.
WORKER, PER_VOTE = 300_000_000, 200


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a part gives to a ranking; ``cutoffs`` are its scores over the first 1, 2, … answers."""

    gathered: Gathered
    facts: Facts
    cutoffs: tuple[Scores, ...]
    virtual: VirtualSums | None
    items: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RankPart:
    """The work on a part: score its systems by a belief, and whatever belongs to that.

    ``shallow`` are the beliefs from everybody's first 1, 2, … answers, where these are wanted;
    ``judged`` tells whether there is a truth at all.
    """

    believe: Weighted
    measures: tuple[str, ...]
    ties: Ties
    convention: Convention
    survey: Survey
    leave_out: LeaveOut = "none"
    depth: int | None = None
    shallow: tuple[Weighted, ...] = ()
    virtual: bool = False
    judged: bool = False

    def __call__(self, study: Study) -> Ranked:
        """Do it."""
        believe: Callable[..., Belief] = gold if self.believe.name == "gold" else self.believe
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
            found, facts(study), self._cutoffs(study), sums, len(study.items), study.notes
        )

    def _worth(self, study: Study, believe: Callable[..., Belief]) -> Any:
        """Say what items are worth, where ties are settled by that."""
        return believe(study).of if self.ties in ("best", "worst") else None

    def _cutoffs(self, study: Study) -> tuple[Scores, ...]:
        """Score everybody's first 1, 2, … answers; the belief is formed anew from these."""
        if not self.shallow or not ordered_lists(study):
            return ()
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
            found.append(_light(scores))
        return tuple(found)


def cut_to(study: Study, depth: int, ties: Ties, *, judged: bool) -> Study:
    """Count only the first answers of each list; what judges say may settle ties."""
    worth = gold(study).of if judged and ties in ("best", "worst") else None
    return cut(study, depth, ties=ties, worth=worth)


def _light(scores: Scores) -> Scores:
    from consilience.belief.joined import without_items

    return replace(scores, belief=without_items(scores.belief))


@dataclass(frozen=True, slots=True)
class Way:
    """How large work is done: with how much memory, by how many processes."""

    memory: int
    workers: int

    @staticmethod
    def of(memory: int, workers: int | None = None) -> Way:
        """Use all processors, as far as memory goes round."""
        most = max(1, memory // (WORKER + SMALLEST * PER_VOTE))
        return Way(memory, max(1, min(workers or len(os.sched_getaffinity(0)), most)))

    @property
    def votes(self) -> int:
        """How many votes a part may have."""
        share = (self.memory - WORKER) // self.workers - WORKER
        return int(min(max(share // PER_VOTE, SMALLEST), PART))


def rank_parts(
    votes: Votes,
    *,
    belief: str,
    measures: Sequence[str],
    rules: Rules,
    way: Way,
    options: Mapping[str, Any] | None = None,
    depth: int | None = None,
) -> Verdict:
    """Rank the systems of a votes file, part by part.

    Parameters
    ----------
    votes
        The votes file, and the truth beside it.
    belief, options
        Whom to believe, by name, and what else the belief is told.
    measures
        Names of measures; the first one ranks.
    rules
        How the ranking is made.
    way
        With how much memory, by how many processes.
    depth
        Count only so many answers of each list.
    """
    whole = _surveyed(votes)
    judged = whole.facts.lacking is None
    _check_room(votes, way)
    with progress.part(0.0, 0.05):
        sample = sample_of(votes)
        if depth is not None:
            sample = cut_to(sample, depth, rules.ties, judged=judged)
        groups = _groups(sample, rules.leave_out)
        believe = weighted(belief, sample, options=options, groups=groups)
    work = RankPart(
        believe,
        tuple(measures),
        rules.ties,
        rules.convention,
        whole,
        rules.leave_out,
        depth,
        _shallow(believe, sample, votes, rules, options, groups),
        rules.show.virtual,
        judged,
    )
    with progress.part(0.05, 0.85):
        task = Task(votes, tuple(votes.ranges(way.votes)), work)
        done = each(task, workers=way.workers, folder=work_folder() / "parts")
    parts: list[Ranked] = done.found
    notes = []
    if done.resumed:
        count = f"{done.resumed} of {len(parts)} parts were"
        notes.append(f"{count} finished before: they were not computed again")
    return _joined(votes, parts, sample, rules, depth, tuple(notes))


def _joined(
    votes: Votes,
    parts: Sequence[Ranked],
    sample: Study,
    rules: Rules,
    depth: int | None,
    notes: tuple[str, ...],
) -> Verdict:
    """Join what parts gave, and decide."""
    what = condition_of(joined_facts([part.facts for part in parts]))
    gathered = [_under(part.gathered, what) for part in parts]
    scores = joined_scores(gathered)
    known = known_dependence(votes, sample) if caveat_of(scores.belief) else None
    beside = agreement_of(
        scores.systems,
        scores.belief,
        known,
        cutoffs=_at_cutoffs(parts, rules, scores.belief),
        virtual=_virtual(parts),
    )
    outline = Outline(
        votes.queries,
        votes.respondents,
        range(sum(part.items for part in parts)),
        range(votes.index.rows),
        votes.fingerprint(),
        votes.ordered,
        votes.universe,
        votes.sources,
        (*dict.fromkeys(note for part in parts for note in part.notes), *notes),
        depth=depth,
    )
    with progress.part(0.85, 1.0):
        return decide(outline, finish(gathered, beside, rules, scores=scores), rules, beside)


def _under(found: Gathered, what: Condition) -> Gathered:
    """Put right what a part supposed of the condition of truth: that not all was judged."""
    if what.name == "partial":
        return replace(found, condition=what, judged=None)
    return replace(found, condition=what, partial=None)


def _surveyed(votes: Votes) -> Survey:
    """Say what parts must know of the whole, from what judges said and who answers.

    Whether gold has judged all that was returned is not known before; where its silence means
    "unknown" it is taken not to have, which is put right when the parts are joined.
    """
    told = survey(votes.study((len(votes.queries), len(votes.queries))))
    if votes.truth:
        judged = survey(votes.judges())
        told = replace(judged, facts=replace(judged.facts, lists=1, returned=1))
    return replace(told, whole=votes.whole)


def _check_room(votes: Votes, way: Way) -> None:
    """See that every query fits."""
    most, need = int(votes.votes.max(initial=0)), 0
    need = most * PER_VOTE + 2 * WORKER
    if need > way.memory:
        from consilience.engine.sizes import shown

        query = votes.queries[int(votes.votes.argmax())]
        raise UsageError(
            f"query {query!r} alone has {most:,} votes, which need some {shown(need)} of memory "
            f"(fix: --memory {shown(need)})"
        )


def _groups(sample: Study, leave_out: LeaveOut) -> list[list[str]]:
    """Name the groups of systems that are left out together, one at a time."""
    from consilience.measures.left_out import mates

    if leave_out == "none":
        return []
    groups = [sorted(mates(sample, system, leave_out)) for system in sample.systems]
    return [list(group) for group in dict.fromkeys(map(tuple, groups))]


def _shallow(
    believe: Weighted,
    sample: Study,
    votes: Votes,
    rules: Rules,
    options: Mapping[str, Any] | None,
    groups: Sequence[Sequence[str]],
) -> tuple[Weighted, ...]:
    """Weigh voters by their first 1, 2, … answers, where figures at cutoffs are wanted."""
    deepest = rules.show.cutoffs
    if deepest is None:  # dropped again where it turns out that judges decided something
        usual = believe.name != "gold" and rules.leave_out == "none" and votes.ordered
        deepest = CUTOFFS if usual else 0
    if not deepest:
        return ()
    if not ordered_lists(sample):
        return ()
    worth = believe(sample).of if rules.ties in ("best", "worst") else None
    first = cut(sample, deepest, ties=rules.ties, worth=worth)
    return tuple(
        weighted(
            believe.name,
            cut(first, k, ties=rules.ties, worth=worth),
            options=options,
            groups=groups,
        )
        for k in range(1, deepest + 1)
    )


def _at_cutoffs(parts: Sequence[Ranked], rules: Rules, belief: Belief) -> AtCutoffs | None:
    """Average precision and recall at each cutoff over the queries of all parts."""
    unasked = rules.show.cutoffs is None and belief.truth > 0.0
    if unasked or not all(part.cutoffs for part in parts):
        return None
    found = [joined(scores) for scores in zip(*(part.cutoffs for part in parts), strict=True)]
    return {
        system: np.array([[one.value for one in scores[system].values()] for scores in found])
        for system in found[0].systems
    }


def _virtual(parts: Sequence[Ranked]) -> dict[str, dict[str, float]] | None:
    """Score ⊤ and ⊥ over the queries of all parts."""
    sums = [part.virtual for part in parts if part.virtual is not None]
    if not sums:
        return None
    return virtual_of(
        {
            name: (
                np.concatenate([one[name][0] for one in sums]),
                np.concatenate([one[name][1] for one in sums]),
            )
            for name in sums[0]
        }
    )
