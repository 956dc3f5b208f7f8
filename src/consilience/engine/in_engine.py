"""Rankings whose sums are made inside an engine, and finished by the code that works in memory.

DuckDB or Spark add up, for every system and query, what precision, recall, F and the share of
judged answers need (:func:`consilience.engine.gathering.sums_of`). How much voters count is found
on some of the queries, which are fetched for that. All the rest (averages, intervals, comparisons,
sentences) is made of these numbers alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience import progress
from consilience.belief.dependence import Dependence, dependence
from consilience.belief.joined import without_items
from consilience.belief.looked import looked_at
from consilience.belief.votes import VOTING
from consilience.belief.weights import BOTTOM, TOP
from consilience.engine.asked import check_company
from consilience.engine.believing import weighted
from consilience.engine.collected import collected
from consilience.engine.counting import Counted, counted, judges_shares
from consilience.engine.gathering import sums_of, tied_answers
from consilience.engine.planning import Believing, Plan
from consilience.engine.sums import cutoffs_of, scores_of
from consilience.engine.unjudged_sums import partial_of_sums
from consilience.errors import UsageError
from consilience.measures.names import Measure, parse
from consilience.measures.scores import Scores
from consilience.study.condition import condition_of, no_common_query_of
from consilience.study.outline import Outline
from consilience.verdict.agreement import agreement_of, caveat_of
from consilience.verdict.gathered import Finished, Gathered, finish
from consilience.verdict.partial import SHOWN
from consilience.verdict.rank import decide
from consilience.verdict.sureness import over_queries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief import Belief
    from consilience.belief.votes import Evidence
    from consilience.engine.believing import Weighted
    from consilience.engine.sums import Sums
    from consilience.engine.tables import Tables
    from consilience.study import Study
    from consilience.study.condition import Condition
    from consilience.verdict.rank import Verdict
    from consilience.verdict.settling import Rules

#: What can be believed inside an engine.
BELIEFS = ("gold", "consensus", "ls-eb", "families")


def rank_in_engine(
    tables: Tables,
    *,
    belief: str,
    measures: Sequence[str],
    rules: Rules,
    options: Mapping[str, Any] | None = None,
    known: Counted | None = None,
    notes: Sequence[str] = (),
) -> Verdict:
    """Rank the systems of tables on an engine by sums that the engine makes.

    Parameters
    ----------
    tables
        Answers and evidence on an engine.
    belief, options
        Whom to believe, by name: "gold", "consensus", "ls-eb" or "families"; what else the
        belief is told (weights, evidence, near, prior, families).
    measures
        P, R, F or Judged, with or without a cutoff; the first one ranks.
    rules
        How the ranking is made.
    known
        What was counted before; None: it is counted now.
    notes
        What else readers must know.
    """
    parsed = list(dict.fromkeys(parse(one) for one in measures))
    cutoffs_of(parsed)
    _check(belief, rules)
    if known is None:
        with progress.part(0.0, 0.3):
            known = counted(tables)
    what = condition_of(known.facts)
    _check_truth(tables, belief, known)
    evidence: Evidence = (options or {}).get("evidence", _usual(belief))
    sample = collected(tables, _looked(tables, known, evidence))
    grades = [measure.rel for measure in parsed]
    believe = weighted(belief, sample, options=options, grades=grades)
    with progress.part(0.3, 0.8):
        sums = _sums(tables, believe, parsed, rules, evidence, partial=what.name == "partial")
    first = sums[parsed[0].rel]
    plan = Plan.of(tables, _believing(believe, parsed[0].rel, evidence))
    believed = _belief(believe(sample, relevant_from=parsed[0].rel), plan, known, what)
    scores = _scored(tables, parsed, sums, believed, rules)
    found = _finished(tables, scores, sums, what, known, rules, sample)
    outline = Outline(
        tables.queries,
        tables.respondents,
        range(int(known.items.sum())),
        range(tables.votes),
        _digest(tables, known, first),
        tables.said.scored or tables.said.ranked,
        tables.universe,
        tables.sources,
        (*tables.notes, *notes),
    )
    with progress.part(0.8, 1.0):
        return decide(outline, *found)


def _scored(
    tables: Tables,
    measures: Sequence[Measure],
    sums: Mapping[float, Sums],
    belief: Belief,
    rules: Rules,
) -> Scores:
    """Turn sums into scores; measures may ask for several thresholds of relevance."""
    first = sums[measures[0].rel]
    table: dict[str, dict[str, Any]] = {system: {} for system in first.systems}
    for measure in measures:
        one = scores_of(sums[measure.rel], [measure], convention=rules.convention)
        for system in first.systems:
            table[system] |= one[system]
    names = tuple(map(str, measures))
    tied = tied_answers(tables)
    return Scores(
        first.systems, names, first.queries, table, belief, tied, first.put, rules.ties,
        rules.convention,
    )  # fmt: skip


def _check(belief: str, rules: Rules) -> None:
    """See that everything can be said in sums."""
    if belief not in BELIEFS:
        raise UsageError(
            f"--belief {belief} is not made of sums (fix: one of {', '.join(BELIEFS)}, or "
            "--engine duckdb)"
        )
    wanted = {
        "--leave-out": rules.leave_out != "none",
        "--panel": bool(rules.show.panel),
        "--cutoffs": bool(rules.show.cutoffs),
        "--virtual": rules.show.virtual,
    }
    for option, asked in wanted.items():
        if asked:
            raise UsageError(f"{option} needs whole lists, not sums (fix: --engine duckdb)")


def _check_truth(tables: Tables, belief: str, known: Counted) -> None:
    """See that there is something to compare with."""
    apart = no_common_query_of(known.facts.shared)
    if belief == "gold" and apart is not None:
        raise UsageError(apart)
    if belief == "gold" and known.facts.lacking is not None:
        fix = "name a file with --truth, or let others vote: --belief ls-eb"
        raise UsageError(f"{known.facts.lacking} (fix: {fix})")
    if known.facts.drawn:
        raise UsageError("labels that were drawn by design need --engine memory (fix: add it)")
    check_company(belief, tables.systems, judged=known.facts.spoken > 0)


def _usual(belief: str) -> Evidence:
    return "vote" if belief == "consensus" else "clamp"


def _looked(tables: Tables, known: Counted, evidence: Evidence) -> NDArray[np.int64]:
    """Choose the queries that tell how much voters count."""
    people = zip(tables.respondents.kind, tables.heard.tolist(), strict=True)
    judges = sum(kind in VOTING[evidence] and heard for kind, heard in people)
    sizes = known.returned if evidence == "ignore" else known.items
    return looked_at(tables.queries, sizes, voters=tables.systems + judges).queries


def _dependence(
    tables: Tables, known: Counted, sample: Study, evidence: Evidence
) -> Dependence | None:
    """Tell who answers alike, of how many queries and items."""
    looked = looked_at(tables.queries, known.returned, voters=tables.systems)
    if not np.array_equal(looked.queries, _looked(tables, known, evidence)):
        sample = collected(tables, looked.queries)
    found = dependence(sample)
    if found is None:
        return None
    return replace(
        found,
        items=int(known.returned.sum()),
        step=looked.step,
        queries=len(tables.queries),
        looked=len(looked.queries),
    )


def _believing(believe: Weighted, rel: float, evidence: Evidence) -> Believing:
    """Say to the engine what is believed."""
    if believe.name == "gold":
        return Believing("gold", relevant_from=rel)
    weights, options = dict(dict(believe.counts)[(), rel]), dict(believe.options)
    top, bottom = weights.pop(TOP, 0.0), weights.pop(BOTTOM, 0.0)
    if believe.name == "consensus":
        return Believing("consensus", weights, top, bottom, evidence=evidence, relevant_from=rel)
    prior = float(options.get("prior", 1.0))
    return Believing("shrunk", weights, prior=prior, evidence=evidence, relevant_from=rel)


def _sums(
    tables: Tables,
    believe: Weighted,
    measures: Sequence[Measure],
    rules: Rules,
    evidence: Evidence,
    *,
    partial: bool,
) -> dict[float, Sums]:
    """Add up what measures need, for every threshold of relevance that they ask for."""
    thresholds = list(dict.fromkeys(measure.rel for measure in measures))
    deep = {SHOWN} if partial and (tables.said.scored or tables.said.ranked) else set[int]()
    found = {}
    for place, rel in enumerate(thresholds):
        cutoffs = {*cutoffs_of([one for one in measures if one.rel == rel]), *deep}
        cutoffs |= {*cutoffs_of(measures)} if rel == thresholds[0] else set()
        with progress.part(place / len(thresholds), (place + 1) / len(thresholds)):
            believing = _believing(believe, rel, evidence)
            found[rel] = sums_of(tables, believing, cutoffs=sorted(cutoffs), ties=rules.ties)
    return found


def _belief(some: Belief, plan: Plan, known: Counted, what: Condition) -> Belief:
    """Say of all queries what some of them tell of a belief."""
    tables = plan.tables
    gold = plan.believing.method == "gold"
    speaks = (plan.voters.gold | plan.voters.person) if gold else plan.voters.votes
    queries = np.asarray(tables.asked[speaks].any(axis=0), bool)
    belief = replace(without_items(some), queries=queries, unseen=None, certain=False)
    if gold:
        voices = known.voices
        return replace(
            belief,
            method=voices.method,
            effective_respondents=voices.effective,
            tally=voices,
            certain=what.name in ("complete", "partial"),
        )
    judges = tables.asked[tables.systems :].any()
    if plan.believing.evidence == "ignore" or not judges or some.tally is None:
        return belief
    tally = judges_shares(plan)
    return replace(belief, truth=tally.truth, heard=tally.voiced, tally=tally)


def _finished(
    tables: Tables,
    scores: Scores,
    sums: Mapping[float, Sums],
    what: Condition,
    known: Counted,
    rules: Rules,
    sample: Study,
) -> tuple[Finished, Rules, Any]:
    """Say how sure all is, and what belongs to it."""
    belief = scores.belief
    alike = None
    if caveat_of(belief):
        evidence: Evidence = "ignore" if not tables.asked[tables.systems :].any() else "vote"
        alike = _dependence(tables, known, sample, evidence)
    beside = agreement_of(scores.systems, belief, alike)
    if belief.method == "gold" and what.name == "partial":
        partial = partial_of_sums(tables, scores, sums, known.judged, what)
        sure = over_queries(scores, beside, partial, rules=rules, lacking={})
        return Finished(scores, what, sure, partial), rules, beside
    gathered = Gathered(scores, what, judged=_judged(scores, sums[parse(scores.measures[0]).rel]))
    return finish([gathered], beside, rules, scores=scores), rules, beside


def _judged(scores: Scores, sums: Sums) -> Scores | None:
    """Score how much of the answers was judged, as far down as measures look."""
    belief = scores.belief
    rests = belief.truth == 1.0 or (belief.tally is not None and not belief.truth + belief.heard)
    depths = [parse(name).k for name in scores.measures if parse(name).base != "Judged"]
    if not rests or not np.isnan(belief.elsewhere) or not depths:
        return None
    asked = [str(Measure("Judged", k)) for k in dict.fromkeys(depths)]
    return replace(scores, measures=tuple(asked), table=scores_of(sums, asked), convention="ours")


def _digest(tables: Tables, known: Counted, sums: Sums) -> str:
    """Hash all that was counted: the same input gives the same hash.

    Sums of fractions may differ in their last digits from run to run: these are left out.
    """
    digest = hashlib.sha256()
    said = (tables.queries, tables.respondents, tables.universe, tables.votes)
    digest.update(repr(said).encode(errors="backslashreplace"))
    for column in (tables.asked, known.items, known.returned, sums.length):
        digest.update(np.ascontiguousarray(column).data)
    for column in (sums.returned, sums.relevant, *sums.found.values()):
        digest.update(np.ascontiguousarray(np.round(column, 6) + 0.0).data)
    return digest.hexdigest()
