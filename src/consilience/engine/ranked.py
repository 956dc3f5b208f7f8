"""The door to rankings on any engine: from files and names to a verdict."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any

from consilience.belief.declaring import declared
from consilience.belief.judges import gold
from consilience.belief.names import BELIEFS, belief_by_name
from consilience.belief.sample import is_designed
from consilience.belief.votes import EVIDENCE
from consilience.engine.opening import expanded, opened
from consilience.engine.ranking import Way, rank_parts
from consilience.engine.sizes import chosen, limit, weigh
from consilience.errors import UsageError, unknown
from consilience.measures.names import parse
from consilience.study import read
from consilience.study.condition import no_common_query, no_truth, sorts_only
from consilience.study.depth import cut
from consilience.verdict.agreement import Wanted
from consilience.verdict.panel import MOST_VOTES
from consilience.verdict.rank import default_measures, rank
from consilience.verdict.resample import SAMPLES, check_chance
from consilience.verdict.settling import Rules

if TYPE_CHECKING:
    from consilience.belief import Belief
    from consilience.engine.source import Votes
    from consilience.measures.left_out import LeaveOut
    from consilience.measures.scores import Convention
    from consilience.study import Study
    from consilience.study.ranking import Ties
    from consilience.study.repeats import Duplicates
    from consilience.verdict.rank import Verdict

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def rank_tables(
    files: Paths,
    *,
    truth: Paths = (),
    engine: str = "auto",
    memory: str | int | None = None,
    workers: int | None = None,
    master: str | None = None,
    session: Any = None,
    measures: Sequence[str] = (),
    also: Sequence[str] = (),
    rel: float | None = None,
    belief: str = "auto",
    weights: Mapping[str, float] | None = None,
    families: str | None = None,
    evidence: str | None = None,
    depth: int | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    duplicates: Duplicates = "error",
    universe: int | None = None,
    ties: Ties = "trec",
    convention: Convention = "ours",
    level: float = 0.95,
    seed: int = 0,
    samples: int = SAMPLES,
    delta: float | None = None,
    leave_out: LeaveOut = "none",
    show: Wanted | None = None,
    unit: str = "labels",
    proxy: str | None = None,
) -> Verdict:
    """Rank systems whose votes may be too many for memory; as :func:`consilience.rank` does.

    Parameters
    ----------
    files, truth
        Files, folders or globs: the systems' answers, and the truth. A votes file
        (:func:`consilience.convert`) is read where it lies; others are sorted first.
    engine
        "memory", "duckdb" (beyond memory, on this machine), "spark" (a cluster), or "auto": in
        memory where the votes fit, else duckdb.
    memory
        How much may be used, such as "4GB"; None: a share of what is free.
    workers
        How many processes work; None: one for each processor, as far as memory goes round.
    master, session
        With "spark": the cluster's URL, or a session that is there already.
    measures, also, rel
        Names of measures, the first one ranks; those that are wanted whatever else is; the
        lowest grade that counts as relevant where a name does not say.
    belief, weights, families, evidence
        Whom to believe, by name ("auto": the truth, or where there is none "ls-eb"); confidences
        for "consensus"; a file of families, "auto" or "none"; what judges' answers do.
    depth
        Count only so many answers of each list.
    columns, encoding, duplicates, universe
        As in :func:`consilience.read`.
    ties, convention, level, seed, samples, delta, leave_out, show, unit, proxy
        As in :func:`consilience.rank`.

    Examples
    --------
    >>> import consilience as cs
    >>> verdict = cs.rank_tables(cs.example("keyphrases.csv"), engine="duckdb", memory="1.5GB")
    >>> verdict.standings[0].name, verdict.condition.name
    ('yake', 'absent')
    """
    paths, judged = _listed(files), _listed(truth)
    if unit != "labels" or proxy is not None:
        raise UsageError("labels that were drawn by design need --engine memory (fix: add it)")
    most = limit(memory)
    where = chosen(engine, weigh(expanded(paths)), most)
    check_chance(level, seed)
    rules = Rules(ties, convention, level, seed, samples, delta, leave_out, show or Wanted())
    how: dict[str, Any] = {"columns": columns, "encoding": encoding, "duplicates": duplicates}
    asked = _Asked(belief, weights, families, evidence, tuple(measures), tuple(also), rel, depth)
    if where == "memory":
        study = declared(read(paths, truth=judged, universe=universe, **how), families)
        return _whole(study, asked, rules)
    votes = opened(paths, truth=judged, universe=universe, memory=most, **how)
    found = _beyond(votes, asked, rules, Way.of(most, workers))
    if votes.scratch:
        votes.path.unlink(missing_ok=True)
    return found


def _beyond(votes: Votes, asked: _Asked, rules: Rules, way: Way) -> Verdict:
    """Rank votes on disk: at once where they are few, else part by part."""
    people = declared(votes.judges(), asked.families)
    votes = replace(votes, families=people.respondents.family)
    if votes.index.rows <= MOST_VOTES:
        whole = replace(votes.study((0, len(votes.queries))), whole=None)
        return _whole(replace(whole, notes=(*whole.notes, *people.notes)), asked, rules)
    name = asked.believed(_some(votes))
    return rank_parts(
        votes,
        belief=name,
        measures=asked.names(_some(votes), name),
        rules=rules,
        way=way,
        options=asked.options(name),
        depth=asked.depth,
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was asked for, as far as it depends on the study what is meant by it."""

    belief: str
    weights: Mapping[str, float] | None
    families: str | None
    evidence: str | None
    measures: tuple[str, ...]
    also: tuple[str, ...]
    rel: float | None
    depth: int | None

    def believed(self, study: Study) -> str:
        """Name whom to believe: the truth where there is some; weights are the papers' consensus.

        Of a study too large to be here, some queries and all that judges said tell enough.
        """
        if self.belief != "auto" and self.belief not in BELIEFS:
            raise unknown("belief", self.belief, ["auto", *BELIEFS])
        if self.belief != "auto":
            return self.belief
        if self.weights is not None:
            return "consensus"
        apart = no_common_query(study)
        if apart is not None:
            raise UsageError(apart)
        if no_truth(study) is not None or sorts_only(study):
            return "ls-eb"
        return "aipw" if is_designed(study) else "gold"

    def names(self, study: Study, belief: str) -> list[str]:
        """Name the measures."""
        usual = default_measures(study, belief=belief_by_name(belief))
        names = [str(parse(one, rel=self.rel)) for one in self.measures or usual]
        return list(dict.fromkeys([*names, *self.also]))

    def options(self, belief: str) -> dict[str, Any]:
        """Give what the belief is told."""
        takes = signature(belief_by_name(belief)).parameters
        given = {"weights": self.weights, "evidence": self.evidence}
        for name, value in given.items():
            if value is not None and name not in takes:
                raise UsageError(f"--{name} is for a consensus, not for {belief} (fix: drop it)")
        if self.evidence is not None and self.evidence not in EVIDENCE:
            raise unknown("way with evidence", self.evidence, EVIDENCE)
        return {name: value for name, value in given.items() if value is not None}


def _whole(study: Study, asked: _Asked, rules: Rules) -> Verdict:
    """Rank a study that is here."""
    name = asked.believed(study)
    believe: Callable[..., Belief] = belief_by_name(name)
    options = asked.options(name)
    if asked.depth is not None:
        worth = gold(study).of if no_truth(study) is None else None
        study = cut(study, asked.depth, ties=rules.ties, worth=worth)
    return rank(
        study,
        measures=asked.names(study, name),
        belief=partial(believe, **options) if options else believe,
        ties=rules.ties,
        convention=rules.convention,
        level=rules.level,
        seed=rules.seed,
        leave_out=rules.leave_out,
        show=rules.show,
        delta=rules.delta,
        samples=rules.samples,
    )


def _some(votes: Votes) -> Study:
    """Read some queries, and all that judges said: enough to know what there is.

    Where answers and truth share a query it is among them.
    """
    first = len(votes.index.queries)
    judged = [name for rows in votes.truth for name in rows.query.names]
    place = {name: code for code, name in enumerate(votes.index.queries)}
    common = next((place[name] for name in judged if name in place), 0)
    near = (common, min(common + 4, first))
    return votes.study(near, (first, len(votes.queries)))


def _listed(paths: Paths) -> list[str | os.PathLike[str]]:
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
