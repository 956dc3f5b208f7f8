"""From a study, a belief and names of measures to scores: per query, and averaged.

*Macro* averages the queries' values; a query without a defined value is left out and counted.
*Micro* adds the counts of all queries up and divides once.

A query that a system has no answer to counts 0 by default, and is counted, unless there was
nothing to find (a query without a relevant item is undefined for everybody). In micro averages
its relevant items count as missed. ``convention="missing-skipped"`` averages each system over the
queries that it has answered; ``convention="trec_eval"`` averages as trec_eval does without
``-c``: missing queries are skipped, undefined values are 0; ``convention="ir_measures"`` (and
trec_eval with ``-c``) counts 0 for both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from consilience.belief import Belief, gold
from consilience.errors import UsageError, quote, unknown
from consilience.measures import expected, ranked, sets
from consilience.measures.condensed import condensed
from consilience.measures.hits import Hits, find_hits
from consilience.measures.names import BASES, Measure, parse
from consilience.study.model import as_study
from consilience.study.ranking import TIES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Study
    from consilience.study.ranking import Ties

#: What makes a belief of a study; other thresholds than grade 1 come as ``relevant_from``.
Believe: TypeAlias = "Callable[..., Belief]"

Convention = Literal["ours", "missing-skipped", "trec_eval", "ir_measures"]
CONVENTIONS: tuple[Convention, ...] = ("ours", "missing-skipped", "trec_eval", "ir_measures")
#: Ranked measures that have an expected value where the belief is a fraction.
EXPECTED = {
    "AP": expected.average_precision,
    "RR": expected.reciprocal_rank,
    "Success": expected.success,
}
#: The conventions under which a query that a system has no answer to counts 0.
MISSING_IS_ZERO = ("ours", "ir_measures")

#: The options that hits are found with; measures do not see them.
_OF_HITS = ("rel", "judged_only")

#: Why a measure cannot be computed for a system at all.
NOT_CRISP = "needs a 0/1 belief and 0/1 votes"
NO_ORDER = "the answers have no order (neither score nor rank)"
_NO_QUERY = "undefined for every query"


@dataclass(frozen=True, slots=True)
class Score:
    """One system under one measure: the average, the queries behind it, why it is undefined.

    ``counts`` holds, for micro averages, what is added up over the queries. ``crisp`` tells whether
    belief and votes were all 0 or 1; ``unsure`` are the queries' values if they are not so in
    other parts of the study, where that makes a difference.
    """

    value: float
    per_query: NDArray[np.float64]
    defined: int
    undefined: int
    missing: int
    reason: str | None = None
    counts: sets.Counts | None = None
    crisp: bool = True
    unsure: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class Scores:
    """Every system under every measure; ``scores[system][measure]`` by name.

    ``queries`` names the queries that were evaluated, in the order of ``per_query``; ``belief``
    is what the first measure was computed from; ``tied`` counts the answers that share their
    score, ``ties`` tells how they were settled; ``put`` (systems × queries) tells which queries
    each system has answered.
    """

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    queries: tuple[str, ...]
    table: dict[str, dict[str, Score]]
    belief: Belief
    tied: int
    put: NDArray[np.bool_]
    ties: Ties = "trec"
    convention: Convention = "ours"

    def __getitem__(self, system: str) -> dict[str, Score]:
        if system not in self.table:
            raise unknown("system", system, self.systems)
        return self.table[system]

    def matrix(self, measure: str) -> NDArray[np.float64]:
        """Give a measure's values, systems × queries."""
        if measure not in self.measures:
            raise unknown("measure among those scored", measure, self.measures)
        return np.stack([self.table[system][measure].per_query for system in self.systems])


def score(
    study: Study,
    *,
    measures: Sequence[str | Measure] = ("AP", "nDCG@10", "P@10"),
    belief: Belief | Believe = gold,
    ties: Ties = "trec",
    convention: Convention = "ours",
) -> Scores:
    """Score the systems of a study against its truth, or against another belief.

    Parameters
    ----------
    study
        A study, with truth or without.
    measures
        Names of measures.
    belief
        What is believed of every item: a function of the study such as :func:`consilience.gold`
        or :func:`consilience.ls_eb`, or a belief that was made before.
    ties
        How equal scores are settled: "trec", "rank", "order", "best" or "worst".
    convention
        How missing queries and undefined values enter averages: "ours" (missing is 0, undefined
        is left out), "missing-skipped", "trec_eval" (missing is left out, undefined is 0) or
        "ir_measures" (both are 0).

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"s": {"q": ["a", "b", "c"]}}, truth={"q": {"a": 1, "b": 0, "c": 1}})
    >>> scores = score(made, measures=["AP", "P@2", "R"])
    >>> {name: round(one.value, 4) for name, one in scores["s"].items()}
    {'AP': 0.8333, 'P@2': 0.5, 'R': 1.0}
    """
    as_study(study, "score")
    if not callable(belief) and not isinstance(belief, Belief):
        raise UsageError(
            f"{quote(belief)} is not a belief (fix: pass a function, such as consilience.ls_eb)"
        )
    measures = [measures] if isinstance(measures, str | Measure) else measures
    if not hasattr(measures, "__iter__"):
        raise UsageError(f"measures are a list of names, found {quote(measures)} (fix: ['F1'])")
    parsed = list(dict.fromkeys(parse(measure) for measure in measures))
    if not parsed:
        raise UsageError("no measure was asked for (fix: name one, such as AP)")
    if convention not in CONVENTIONS:
        raise unknown("convention", convention, CONVENTIONS)
    if ties not in TIES:
        raise unknown("rule for ties", ties, TIES)

    @cache
    def believed(rel: float) -> Belief:
        if isinstance(belief, Belief):
            return belief
        return belief(study) if rel == 1.0 else belief(study, relevant_from=rel)

    @cache
    def hits(rel: float, rule: Ties, judged_only: bool = False) -> Hits:
        belief = believed(rel)
        graded = any(measure.base == "nDCG" for measure in parsed)
        deepest = _deepest(parsed, belief)
        lists = condensed(study, belief) if judged_only else study
        return find_hits(lists, belief, ties=rule, deepest=deepest, graded=graded)

    table: dict[str, dict[str, Score]] = {system: {} for system in study.systems}
    for measure in parsed:
        found = hits(measure.rel, ties, measure.judged_only)
        if measure.base == "AUC" and found.tied:  # half a point for ties: between best and worst
            extremes = [hits(measure.rel, "best"), hits(measure.rel, "worst")]
            values = np.mean([ranked.auc(one) for one in extremes], axis=0)
        else:
            values = _values(found, measure)
        averages = average(found, measure, values, convention)
        if study.whole is not None and _differs_unsure(found, measure):
            unsure = average(found, measure, EXPECTED[measure.base](found, k=measure.k), convention)
            averages = [
                replace(one, unsure=other.per_query)
                for one, other in zip(averages, unsure, strict=True)
            ]
        for system, one in zip(study.systems, averages, strict=True):
            table[system][str(measure)] = one
    first = hits(parsed[0].rel, ties, False)
    evaluated = np.nonzero(believed(parsed[0].rel).queries)[0]
    return Scores(
        study.systems,
        tuple(str(measure) for measure in parsed),
        tuple(study.queries[code] for code in evaluated),
        table,
        believed(parsed[0].rel),
        first.tied,
        first.put.reshape(first.systems, first.queries),
        ties,
        convention,
    )


def _deepest(measures: Sequence[Measure], belief: Belief) -> int | None:
    """Say how far down hits are kept, where nearly every answer is one; None: all the way.

    Measures that look at whole lists, but only add something up, need none to be kept.
    """
    if len(belief.item) == 0 or belief.truth == 1.0:
        return None
    depths = [0 if _adds_up(measure, belief) else None for measure in measures]
    depths = [
        depth if measure.k is None else measure.k
        for depth, measure in zip(depths, measures, strict=True)
    ]
    known = [depth for depth in depths if depth is not None]
    return max(known) if len(known) == len(depths) else None


def _adds_up(measure: Measure, belief: Belief) -> bool:
    """Tell whether a measure of whole lists only adds something up over their hits."""
    if measure.base in EXPECTED:  # of a belief that is 0 or 1 the textbook's is taken
        return not belief.crisp and measure.variant == "step"
    return measure.base in sets.DIVIDE or measure.base in ("nDCG", "Judged")


def _values(hits: Hits, measure: Measure) -> NDArray[np.float64]:
    """Compute a measure for every cell."""
    if measure.base in sets.DIVIDE:
        return divide(sets.counts(hits, measure.k), measure)
    if not hits.crisp and _has_expectation(hits, measure):
        return EXPECTED[measure.base](hits, k=measure.k)
    takes = BASES[measure.base]
    options: dict[str, Any] = {} if takes[0] == "never" else {"k": measure.k}
    options |= {name: getattr(measure, name) for name in takes[1] if name not in _OF_HITS}
    return ranked.RANKED[measure.base](hits, **options)


def divide(counts: sets.Counts, measure: Measure) -> NDArray[np.float64]:
    """Turn counts into the measure's value."""
    extra = {"beta": measure.beta} if measure.base == "F" else {}
    return sets.DIVIDE[measure.base](counts, **extra)


def average(
    hits: Hits, measure: Measure, values: NDArray[np.float64], convention: Convention
) -> list[Score]:
    """Average each system's values over the queries, under a convention."""
    shape = (hits.systems, hits.queries)
    nothing = np.isnan(values) & (hits.relevant == 0)
    table = filled(values, hits.put, nothing, convention).reshape(shape)
    put = hits.put.reshape(shape)
    scores = []
    for system in range(hits.systems):
        row, asked = table[system], put[system]
        reason = cannot(hits, measure, system)
        row = np.full_like(row, np.nan) if reason else row
        undefined = int((np.isnan(row) & (asked | (convention in MISSING_IS_ZERO))).sum())
        counts = None
        if measure.average == "micro" and not reason:
            counts = _micro(hits, measure, system, convention)
        score = Score(np.nan, row, 0, undefined, int((~asked).sum()), reason, counts, hits.crisp)
        scores.append(averaged(score, measure))
    return scores


def averaged(score: Score, measure: Measure) -> Score:
    """Average the values of a system's queries, or divide what its counts add up to."""
    defined = ~np.isnan(score.per_query)
    value = float(score.per_query[defined].mean()) if defined.any() else float("nan")
    if score.counts is not None:
        value = float(divide(score.counts.total(), measure))
    reason = _NO_QUERY if np.isnan(value) and score.reason is None else score.reason
    return replace(score, value=value, defined=int(defined.sum()), reason=reason)


def filled(
    values: NDArray[np.float64],
    put: NDArray[np.bool_],
    nothing: NDArray[np.bool_],
    convention: Convention,
) -> NDArray[np.float64]:
    """Give every cell the value that enters the average; NaN where it is left out.

    ``put`` tells which queries were answered, ``nothing`` where there was nothing to find.
    """
    if convention == "ir_measures":
        return np.where(put, np.nan_to_num(values), 0.0)
    if convention == "trec_eval":
        return np.where(put, np.nan_to_num(values), np.nan)
    if convention == "missing-skipped":
        return np.where(put, values, np.nan)
    return np.where(put | nothing, values, 0.0)


def cannot(hits: Hits, measure: Measure, system: int) -> str | None:
    """Say why a measure cannot be computed for a system at all."""
    here = slice(system * hits.queries, (system + 1) * hits.queries)
    unordered = hits.put[here] & ~hits.ordered[here] & (hits.length[here] > 0)
    if measure.ranked and unordered.any():
        return NO_ORDER
    fractions = measure.base not in ranked.RANKED or measure.base in ("nDCG", "Judged")
    if hits.crisp or fractions or _has_expectation(hits, measure):
        return None
    return NOT_CRISP


def _has_expectation(hits: Hits, measure: Measure) -> bool:
    """Tell whether the expected value over an uncertain truth is known: votes must be 0 or 1."""
    votes = hits.judged.study.answers.vote
    if measure.base not in EXPECTED or getattr(measure, "variant", "step") != "step":
        return False
    return votes is None or not bool(((votes > 0) & (votes < 1)).any())


def _differs_unsure(hits: Hits, measure: Measure) -> bool:
    """Tell whether values that hold for a sure truth change if it is not sure elsewhere.

    Expected values under probabilities of 0 and 1 are the textbook's; but of items that nobody
    mentioned, the textbook counts a share.
    """
    unseen = hits.judged.belief.unseen
    if not hits.crisp or unseen is None or hits.judged.study.universe is None:
        return False
    return bool(((unseen > 0) & (unseen < 1)).any()) and _has_expectation(hits, measure)


def _micro(hits: Hits, measure: Measure, system: int, convention: Convention) -> sets.Counts:
    """Give the counts of a system's queries that a micro average adds up."""
    whole = sets.counts(hits, measure.k)
    here = slice(system * hits.queries, (system + 1) * hits.queries)
    asked = hits.put[here]
    tp, fp, fn, tn = (part[here] for part in (whole.tp, whole.fp, whole.fn, whole.tn))
    if convention not in MISSING_IS_ZERO:
        tp, fp, fn, tn = (np.where(asked, part, 0.0) for part in (tp, fp, fn, tn))
    elif measure.base in ("Accuracy", "Specificity", "MCC"):  # no answer gets nothing right
        fp, tn = np.where(asked, fp, fp + tn), np.where(asked, tn, 0.0)
    return sets.Counts(tp, fp, fn, tn)
