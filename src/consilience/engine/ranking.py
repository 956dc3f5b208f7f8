"""Rankings of what does not fit into memory: part by part, then joined.

Queries do not depend on each other. So a belief and the scores by it are computed on parts of some
million votes, by as many processes as there are processors; what parts give is small (a number for
every system and query) and is joined to what the whole would have given. Facts that no part knows
(who copies whom, which family has how many members) are found before, on a sample of the queries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience import progress
from consilience.columns import let_go
from consilience.engine.believing import FITTED, Forming
from consilience.engine.opening import work_folder
from consilience.engine.parts import Task, each
from consilience.engine.rank_part import Ranked, RankPart, Returned, cut_to
from consilience.engine.sampling import (
    known_dependence,
    learned_families,
    looked_queries,
    returned,
    sample_of,
)
from consilience.engine.sizes import processors, shown
from consilience.errors import UsageError
from consilience.measures.names import parse
from consilience.measures.sets import ratio
from consilience.study.condition import condition_of, joined_facts
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
    from numpy.typing import NDArray

    from consilience.belief import Belief
    from consilience.belief.dependence import Dependence
    from consilience.engine.source import Votes
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
#: Bytes for each vote on the queries that tell who answers alike.
SAMPLED = 100


@dataclass(frozen=True, slots=True)
class Way:
    """How large work is done: with how much memory, by how many processes."""

    memory: int
    workers: int

    @staticmethod
    def of(memory: int, workers: int | None = None) -> Way:
        """Use all processors, as far as memory goes round."""
        most = max(1, memory // (WORKER + SMALLEST * PER_VOTE))
        return Way(memory, max(1, min(workers or processors(), most)))

    @property
    def votes(self) -> int:
        """How many votes a part may have.

        There are few such numbers: what is free changes all the time, and work that was stopped
        can only go on with the same parts.
        """
        share = (self.memory - WORKER) // self.workers - WORKER
        most = min(max(share // PER_VOTE, SMALLEST), PART)
        return int(SMALLEST << (most // SMALLEST).bit_length() - 1)


def rank_parts(
    votes: Votes,
    *,
    belief: str,
    measures: Sequence[str],
    rules: Rules,
    way: Way,
    options: Mapping[str, Any] | None = None,
    learn: bool = False,
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
    learn
        Whether "hds" may learn families from the votes.
    depth
        Count only so many answers of each list.
    """
    check_room(votes, way)
    whole = _surveyed(votes)
    judged = whole.facts.lacking is None
    every = partial(studies, votes, way, depth, rules.ties, judged=judged)
    with progress.part(0.0, 0.02):
        sizes = sizes_of(votes, way, depth, rules.ties, judged=judged)
    check_sample(votes, sizes, way)
    sample = sample_of(votes, sizes)
    families = learned_families(votes, learn=learn) if belief == "hds" else None
    if depth is not None:
        sample = cut_to(sample, depth, rules.ties, judged=judged)
    grades = [parse(one).rel for one in measures]
    if rules.ties in ("best", "worst"):
        grades.append(1.0)
    how = Forming(
        belief,
        way.memory,
        tuple(dict.fromkeys(grades)),
        options or {},
        _groups(sample, rules.leave_out),
        families,
    )
    begin = 0.4 if belief in FITTED else 0.02
    with progress.part(0.02, begin):
        believe = how.formed(sample, every)
    known = None if belief == "gold" else known_dependence(votes, sample, sizes)
    work = RankPart(
        believe,
        tuple(measures),
        rules.ties,
        rules.convention,
        whole,
        rules.leave_out,
        depth,
        _deepest(belief, sample, rules),
        ordered=bool(rules.show.cutoffs),
        virtual=rules.show.virtual,
        judged=judged,
    )
    del sample  # it may be as large as all else together
    let_go(everything=True)
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
    beside = agreement_of(
        scores.systems,
        scores.belief,
        known,
        cutoffs=_at_cutoffs(parts, rules, scores.belief),
        virtual=_virtual(parts),
    )
    outline = outlined(votes, sum(part.items for part in parts), depth)
    outline = replace(outline, notes=(*outline.notes, *notes))
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
        votes.notes,
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
    most = int(votes.votes.max(initial=0))
    query = votes.queries[int(votes.votes.argmax())] if most else ""
    _check_need(f"query {query!r} alone has", most, most * PER_VOTE + 2 * WORKER, way)


def check_sample(votes: Votes, sizes: NDArray[np.int64], way: Way) -> None:
    """See that the queries fit that tell who answers alike."""
    queries = looked_queries(votes, sizes)
    most = int(votes.votes[queries].sum())
    what = f"the {len(queries):,} queries that tell who answers alike have"
    _check_need(what, most, most * SAMPLED + WORKER, way)


def _check_need(what: str, votes: int, need: int, way: Way) -> None:
    if need > way.memory:
        raise UsageError(
            f"{what} {votes:,} votes, which need some {shown(need)} of memory "
            f"(fix: --memory {shown(need * 1.1)})"
        )


def studies(
    votes: Votes, way: Way, depth: int | None, ties: Ties, *, judged: bool
) -> Iterator[Study]:
    """Read all parts, one after the other, each list as far down as it counts."""
    for low, high in votes.ranges(way.votes):
        study = votes.study((low, high))
        yield study if depth is None else cut_to(study, depth, ties, judged=judged)


def sizes_of(
    votes: Votes, way: Way, depth: int | None, ties: Ties, *, judged: bool
) -> NDArray[np.int64]:
    """Count the items of each query, in as much of the lists as counts."""
    if depth is None:
        return returned(votes)
    task = Task(votes, tuple(votes.ranges(way.votes)), Returned(depth, ties, judged))
    return np.concatenate(each(task, workers=way.workers).found)


def _groups(sample: Study, leave_out: LeaveOut) -> list[list[str]]:
    """Name the groups of systems that are left out together, one at a time."""
    from consilience.measures.left_out import mates

    if leave_out == "none":
        return []
    groups = [sorted(mates(sample, system, leave_out)) for system in sample.systems]
    return [list(group) for group in dict.fromkeys(map(tuple, groups))]


def _deepest(belief: str, sample: Study, rules: Rules) -> int:
    """Return how far down precision and recall are shown at each cutoff."""
    if rules.show.cutoffs is not None:
        return rules.show.cutoffs
    usual = belief != "gold" and rules.leave_out == "none"  # dropped where judges decided something
    return CUTOFFS if usual and ordered_lists(sample) else 0


def _at_cutoffs(parts: Sequence[Ranked], rules: Rules, belief: Belief) -> AtCutoffs | None:
    """Average precision and recall at each cutoff over the queries of all parts."""
    unasked = rules.show.cutoffs is None and belief.truth > 0.0
    sums = [part.cutoffs for part in parts if part.cutoffs is not None]
    if unasked or len(sums) < len(parts):
        return None
    total, count = np.moveaxis(np.sum(sums, axis=0), -1, 0)
    found = ratio(total, count)
    systems = parts[0].gathered.scores.systems
    return {system: found[:, :, place] for place, system in enumerate(systems)}


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
