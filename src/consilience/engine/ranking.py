"""Rankings of what does not fit into memory: part by part, then joined.

Queries do not depend on each other. So a belief and the scores by it are computed on parts of some
million votes, by as many processes as there are processors; what parts give is small (a number for
every system and query) and is joined to what the whole would have given. Facts that no part knows
(who copies whom, which family has how many members) are found before, on a sample of the queries.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience import progress
from consilience.engine.believing import FITTED, Weighted, fitted, weighted
from consilience.engine.opening import work_folder
from consilience.engine.parts import Task, each
from consilience.engine.rank_part import Ranked, RankPart, cut_to
from consilience.engine.sampling import known_dependence, sample_of
from consilience.errors import UsageError
from consilience.measures.joined import joined
from consilience.measures.names import parse
from consilience.study.condition import condition_of, joined_facts
from consilience.study.depth import cut
from consilience.study.outline import Outline
from consilience.verdict.agreement import (
    CUTOFFS,
    AtCutoffs,
    agreement_of,
    caveat_of,
    ordered_lists,
    virtual_of,
)
from consilience.verdict.gathered import Gathered, Survey, finish, joined_scores, survey
from consilience.verdict.rank import decide

if TYPE_CHECKING:
    from consilience.belief import Belief
    from consilience.belief.dependence import Dependence
    from consilience.engine.source import Votes
    from consilience.engine.streaming import Streamed
    from consilience.measures.left_out import LeaveOut
    from consilience.study import Study
    from consilience.study.condition import Condition
    from consilience.study.ranking import Ties
    from consilience.verdict.rank import Verdict
    from consilience.verdict.settling import Rules

#: Votes of a part, at most (more would not make it quicker), and at least.
PART, SMALLEST = 2_000_000, 250_000
#: Bytes that a worker takes before it has read anything, and for each vote of a part.
WORKER, PER_VOTE = 300_000_000, 200


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
    check_room(votes, way)
    sample = sample_of(votes)
    if depth is not None:
        sample = cut_to(sample, depth, rules.ties, judged=judged)
    work = RankPart(
        Weighted("gold"),
        tuple(measures),
        rules.ties,
        rules.convention,
        whole,
        rules.leave_out,
        depth,
        virtual=rules.show.virtual,
        judged=judged,
    )
    begin = 0.02
    if belief in FITTED:
        if rules.leave_out != "none":
            raise UsageError(f"--leave-out with {belief} needs --engine memory (fix: add it)")
        rel = parse(measures[0]).rel
        every = partial(studies, votes, way, depth, rules.ties, judged=judged)
        with progress.part(begin, 0.4):
            believe = fit(belief, votes, sample, every, way, options, rel=rel)
        work, begin = replace(work, believe=believe), 0.4
    else:
        groups = _groups(sample, rules.leave_out)
        weighed = weighted(belief, sample, options=options, groups=groups)
        shallow = _shallow(weighed, sample, votes, rules, options, groups)
        work = replace(work, believe=weighed, shallow=shallow)
    known = None if belief == "gold" else known_dependence(votes, sample)
    del sample  # it may be as large as all else together
    with progress.part(begin, 0.85):
        task = Task(votes, tuple(votes.ranges(way.votes)), work)
        done = each(task, workers=way.workers, folder=work_folder() / "parts")
    parts: list[Ranked] = done.found
    notes = []
    if done.resumed:
        count = f"{done.resumed} of {len(parts)} parts were"
        notes.append(f"{count} finished before: they were not computed again")
    return _joined(votes, parts, known, rules, depth, tuple(notes))


def _joined(
    votes: Votes,
    parts: Sequence[Ranked],
    known: Dependence | None,
    rules: Rules,
    depth: int | None,
    notes: tuple[str, ...],
) -> Verdict:
    """Join what parts gave, and decide."""
    what = condition_of(joined_facts([part.facts for part in parts]))
    gathered = [_under(part.gathered, what) for part in parts]
    scores = joined_scores(gathered)
    known = known if caveat_of(scores.belief) else None
    if known is not None and depth is not None:
        known = replace(known, items=sum(part.answered for part in parts))
    beside = agreement_of(
        scores.systems,
        scores.belief,
        known,
        cutoffs=_at_cutoffs(parts, rules, scores.belief),
        virtual=_virtual(parts),
    )
    outline = replace(
        outlined(votes, sum(part.items for part in parts), depth),
        notes=(*dict.fromkeys(note for part in parts for note in part.notes), *notes),
    )
    with progress.part(0.85, 1.0):
        return decide(outline, finish(gathered, beside, rules, scores=scores), rules, beside)


def outlined(votes: Votes, items: int, depth: int | None = None) -> Outline:
    """Tell what a result must know of a study whose rows are elsewhere."""
    return Outline(
        votes.queries,
        votes.respondents,
        range(items),
        range(votes.index.rows),
        votes.fingerprint(),
        votes.ordered,
        votes.universe,
        votes.sources,
        depth=depth,
    )


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


def check_room(votes: Votes, way: Way) -> None:
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


def fit(
    belief: str,
    votes: Votes,
    sample: Study,
    parts: Callable[[], Iterator[Study]],
    way: Way,
    options: Mapping[str, Any] | None,
    *,
    rel: float,
) -> Streamed:
    """Find the rates of Dawid–Skene or of hidden engines by EM over all parts."""
    from consilience.engine.streaming import How

    families = None
    if belief == "hds" and not any(sample.respondents.family):
        known = known_dependence(votes, sample) if (options or {}).get("learn") else None
        if known is None:
            raise UsageError("hds needs families (fix: --families FILE, or --families auto)")
        families = {member: one.name for one in known.learned for member in one.members}
    evidence = (options or {}).get("evidence", "clamp")
    scratch = work_folder()
    scratch.mkdir(parents=True, exist_ok=True, mode=0o700)
    how = How(evidence, rel, memory=max(way.memory // 4, 1 << 28), scratch=scratch)
    return fitted(belief, sample, parts, families=families, how=how)


def studies(
    votes: Votes, way: Way, depth: int | None, ties: Ties, *, judged: bool
) -> Iterator[Study]:
    """Read all parts, one after the other, each list as far down as it counts."""
    for low, high in votes.ranges(way.votes):
        study = votes.study((low, high))
        yield study if depth is None else cut_to(study, depth, ties, judged=judged)


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
