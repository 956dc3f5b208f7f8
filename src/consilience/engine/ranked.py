"""The door to rankings on any engine: from files and names to a verdict."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from consilience.belief.declaring import declared
from consilience.belief.dependence import dependence
from consilience.belief.judges import gold
from consilience.belief.names import belief_by_name
from consilience.engine.asked import Asked, check_company
from consilience.engine.believing import FITTED, check_parts
from consilience.engine.by_sums import expressible, rank_in_duckdb, rank_in_spark
from consilience.engine.opening import expanded, grouped, is_votes_file, judged, opened, rest
from consilience.engine.ranking import Way, rank_parts
from consilience.engine.sampling import engines_of, some_of
from consilience.engine.sizes import Fit, chosen, limit, shown, weigh
from consilience.errors import ConsilienceError, UsageError
from consilience.formats.answer_kinds import answer_kind
from consilience.formats.files import once
from consilience.study import read
from consilience.study.build import build
from consilience.study.condition import Facts, facts, no_truth
from consilience.study.depth import cut
from consilience.verdict.agreement import Wanted
from consilience.verdict.pairs import check_delta
from consilience.verdict.panel import MOST_VOTES
from consilience.verdict.ran import Ran
from consilience.verdict.rank import rank
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

#: Files, folders and globs; with Spark also its frames.
Paths = str | os.PathLike[str] | Sequence[Any]


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
    truth_columns: Mapping[str, str] | None = None,
    answers: str | None = None,
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

    Where nothing would be lost that memory shows, all sums are made inside DuckDB; else arrays are
    read part by part. Spark makes sums alone: P, R, F and Judged, by "gold", "consensus", "ls-eb"
    or "families". The payload's ``engine`` tells what was done.

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
        With "spark": the cluster's URL, or a session that is there already, which is not stopped.
    measures, also, rel
        Names of measures, the first one ranks; those that are wanted whatever else is; the
        lowest grade that counts as relevant where a name does not say.
    belief, weights, families, evidence
        Whom to believe, by name ("auto": the truth, or where there is none "ls-eb"); confidences
        for "consensus"; a file of families, "auto" or "none"; what judges' answers do.
    depth
        Count only so many answers of each list.
    columns, truth_columns, answers, encoding, duplicates, universe
        As in :func:`consilience.read`.
    ties, convention, level, seed, samples, delta, leave_out, show, unit, proxy
        As in :func:`consilience.rank`.

    Examples
    --------
    >>> import consilience as cs
    >>> verdict = cs.rank_tables(cs.example("keyphrases.csv"), engine="duckdb", memory="1.5GB")
    >>> verdict.standings[0].name, verdict.condition.name
    ('yake-2', 'absent')
    """
    paths, judges = once(_listed(files)), once(_listed(truth))
    if unit != "labels" or proxy is not None:
        raise UsageError("labels that were drawn by design need --engine memory (fix: add it)")
    most = limit(memory)
    fit = Fit(0, 0) if engine == "spark" else weigh(expanded(paths))
    where = chosen(engine, fit, most)
    if where != "spark" and (master is not None or session is not None):
        raise UsageError("a cluster is for engine=spark (fix: add it, or name no cluster)")
    check_chance(level, seed)
    if delta is not None:
        check_delta(delta)
    rules = Rules(ties, convention, level, seed, samples, delta, leave_out, show or Wanted())
    asked = Asked(belief, weights, families, evidence, tuple(measures), tuple(also), rel, depth)
    asked.check(rules)
    table: dict[str, Any] = {
        "columns": columns,
        "truth_columns": truth_columns,
        "answers": answer_kind(answers),
        "universe": universe,
    }
    how: dict[str, Any] = {**table, "encoding": encoding, "duplicates": duplicates}
    if where == "memory":
        study = declared(read(paths, truth=judges, **how), families)
        return _whole(study, asked, rules, Ran())
    if where == "spark":
        _plain_reading(encoding, duplicates)
        return rank_in_spark(paths, judges, asked, rules, master=master, session=session, **table)
    if encoding is None and duplicates == "error":
        told = _truth(paths, judges, how)
        ready = is_votes_file(paths)
        why_not = expressible(asked, rules, votes=fit.votes, judged=told, in_order=ready)
        inside = None
        if why_not is None:
            inside = rank_in_duckdb(
                paths, judges, asked, rules, memory=most, workers=workers, **table
            )
        if inside is not None:
            return inside
    try:
        with opened(paths, truth=judges, memory=most, **how) as votes, rest(votes):
            return _beyond(votes, asked, rules, Way.of(most, workers))
    except MemoryError:
        raise ConsilienceError(
            f"less than {shown(most)} of memory can be had (fix: --memory with less)"
        ) from None


def _plain_reading(encoding: str | None, duplicates: str) -> None:
    """See that nothing is asked of reading that a cluster does not do."""
    for option, given in (("--encoding", encoding), ("--duplicates", duplicates)):
        if given not in (None, "error"):
            raise UsageError(f"{option} {given} is not for a cluster (fix: consilience convert)")


def _truth(
    paths: Sequence[Any], truth: Sequence[str | os.PathLike[str]], how: Mapping[str, Any]
) -> Facts | None:
    """Tell what judges said, without any answer; None where nobody judged."""
    if not truth:
        return None
    told = {name: how[name] for name in ("columns", "truth_columns", "answers", "encoding")}
    tables = judged(expanded(paths), truth, **told)
    return facts(build(tables, duplicates=how["duplicates"]))


def _beyond(votes: Votes, asked: Asked, rules: Rules, way: Way) -> Verdict:
    """Rank votes on disk: at once where they are few, else part by part."""
    votes = grouped(votes, asked.families)
    if votes.index.rows <= MOST_VOTES:
        whole = votes.study((0, len(votes.queries)))
        whole = replace(whole, whole=None, sources=votes.sources, notes=votes.notes)
        return _whole(whole, asked, rules, Ran("duckdb", memory=way.memory))
    some = some_of(votes)
    name = asked.believed(some)
    _check_parts(name, rules)
    check_company(name, len(votes.whole.answering), judged=bool(votes.whole.judging))
    found = rank_parts(
        votes,
        belief=name,
        measures=asked.names(some, name),
        rules=rules,
        way=way,
        options=asked.options(name),
        learn=asked.families == "auto",
        depth=asked.depth,
    )
    parts = len(votes.ranges(way.votes))
    return replace(found, ran=Ran("duckdb", "arrays", parts, way.workers, way.memory))


def _whole(study: Study, asked: Asked, rules: Rules, ran: Ran) -> Verdict:
    """Rank a study that is here."""
    name = asked.believed(study)
    believe: Callable[..., Belief] = belief_by_name(name)
    options = asked.options(name)
    if name == "hds" and not any(study.respondents.family):
        options["families"] = engines_of(dependence(study) if asked.families == "auto" else None)
    if asked.depth is not None:
        worth = gold(study).of if no_truth(study) is None else None
        study = cut(study, asked.depth, ties=rules.ties, worth=worth)
    found = rank(
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
    return replace(found, ran=ran)


def _check_parts(belief: str, rules: Rules) -> None:
    """See that all that was asked for can be done part by part."""
    check_parts(belief)
    if rules.show.panel:
        raise UsageError("the panel of other methods needs --engine memory (fix: add it)")
    if belief == "gold" and rules.leave_out != "none":
        raise UsageError("nobody votes on the truth (fix: drop --leave-out, or --belief ls-eb)")
    if belief in FITTED and rules.leave_out != "none":
        raise UsageError(f"--leave-out with {belief} needs --engine memory (fix: add it)")


def _listed(paths: Paths) -> list[Any]:
    if isinstance(paths, (str, os.PathLike)) or hasattr(paths, "sparkSession"):
        return [paths]
    return list(paths)
