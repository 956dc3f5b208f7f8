"""From a study, a belief and names of measures to scores: per query, and averaged.

*Macro* averages the queries' values; a query without a defined value is left out and counted.
*Micro* adds the counts of all queries up and divides once. A query that a system was not asked or
did not answer counts 0 by default (and is counted); ``missing="skip"`` averages over the queries
that each system has answered.

``convention="trec_eval"`` averages as trec_eval does without ``-c``: missing queries are skipped,
undefined values are 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.belief import Belief, gold
from consilience.errors import UsageError, unknown
from consilience.measures import ranked, sets
from consilience.measures.hits import Hits, find_hits
from consilience.measures.names import BASES, Measure, parse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.ranking import Ties
    from consilience.study import Study

Convention = Literal["ours", "missing-skipped", "trec_eval"]
CONVENTIONS: tuple[Convention, ...] = ("ours", "missing-skipped", "trec_eval")

_NOT_CRISP = "needs a 0/1 belief and 0/1 votes"
_NO_ORDER = "the answers have no order (neither score nor rank)"
_NO_QUERY = "undefined for every query"


@dataclass(frozen=True, slots=True)
class Score:
    """One system under one measure: the average, the queries behind it, why it is undefined."""

    value: float
    per_query: NDArray[np.float64]
    defined: int
    undefined: int
    missing: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Scores:
    """Every system under every measure; ``scores[system][measure]`` by name.

    ``queries`` names the queries that were evaluated, in the order of ``per_query``.
    """

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    queries: tuple[str, ...]
    table: dict[str, dict[str, Score]]
    belief: Belief
    tied: int
    put: NDArray[np.bool_]

    def __getitem__(self, system: str) -> dict[str, Score]:
        if system not in self.table:
            raise unknown("system", system, self.systems)
        return self.table[system]

    def matrix(self, measure: str) -> NDArray[np.float64]:
        """Give a measure's values, systems × queries."""
        return np.stack([self.table[system][measure].per_query for system in self.systems])


def score(
    study: Study,
    *,
    measures: Sequence[str | Measure] = ("AP", "nDCG@10", "P@10"),
    ties: Ties = "trec",
    convention: Convention = "ours",
) -> Scores:
    """Score the systems of a study against its truth.

    Parameters
    ----------
    study
        A study with truth.
    measures
        Names of measures.
    ties
        How equal scores are settled: "trec", "rank", "order", "best" or "worst".
    convention
        How missing queries and undefined values enter averages: "ours" (missing is 0, undefined
        is left out), "missing-skipped", or "trec_eval" (missing is left out, undefined is 0).

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"s": {"q": ["a", "b", "c"]}}, truth={"q": {"a": 1, "b": 0, "c": 1}})
    >>> scores = score(made, measures=["AP", "P@2", "R"])
    >>> {name: round(one.value, 4) for name, one in scores["s"].items()}
    {'AP': 0.8333, 'P@2': 0.5, 'R': 1.0}
    """
    parsed = list(dict.fromkeys(parse(measure) for measure in measures))
    if not parsed:
        raise UsageError("no measure was asked for (fix: name one, such as AP)")
    beliefs: dict[float, Belief] = {}
    found: dict[tuple[float, str], Hits] = {}
    table: dict[str, dict[str, Score]] = {system: {} for system in study.systems}
    for measure in parsed:
        if measure.rel not in beliefs:
            beliefs[measure.rel] = gold(study, relevant_from=measure.rel)
        belief = beliefs[measure.rel]

        def hits_under(rule: Ties, belief: Belief = belief, rel: float = measure.rel) -> Hits:
            if (rel, rule) not in found:
                found[rel, rule] = find_hits(study, belief, ties=rule)
            return found[rel, rule]

        hits = hits_under(ties)
        if measure.base == "AUC" and hits.tied:  # half a point for ties: between best and worst
            values = (ranked.auc(hits_under("best")) + ranked.auc(hits_under("worst"))) / 2
        else:
            values = _values(hits, measure)
        for system, one in zip(study.systems, _average(hits, measure, values, convention), strict=True):
            table[system][str(measure)] = one
    evaluated = np.nonzero(belief.queries)[0]
    return Scores(
        study.systems,
        tuple(str(measure) for measure in parsed),
        tuple(study.queries[code] for code in evaluated),
        table,
        belief,
        hits.tied,
        hits.put.reshape(hits.systems, hits.queries),
    )


def _values(hits: Hits, measure: Measure) -> NDArray[np.float64]:
    """Compute a measure for every cell."""
    if measure.base in sets.DIVIDE:
        return _divide(sets.counts(hits, measure.k), measure)
    takes = BASES[measure.base]
    options: dict[str, Any] = {} if takes[0] == "never" else {"k": measure.k}
    options |= {name: getattr(measure, name) for name in takes[1] if name != "rel"}
    return ranked.RANKED[measure.base](hits, **options)


def _divide(counts: sets.Counts, measure: Measure) -> NDArray[np.float64]:
    extra = {"beta": measure.beta} if measure.base == "F" else {}
    return sets.DIVIDE[measure.base](counts, **extra)


def _average(
    hits: Hits, measure: Measure, values: NDArray[np.float64], convention: Convention
) -> list[Score]:
    """Average each system's values over the queries, under a convention."""
    shape = (hits.systems, hits.queries)
    values, put = values.reshape(shape), hits.put.reshape(shape)
    unordered = put & ~hits.ordered.reshape(shape) & (hits.length.reshape(shape) > 0)
    values = np.where(put, values, np.nan if convention != "ours" else 0.0)
    if convention == "trec_eval":
        values = np.where(put & np.isnan(values), 0.0, values)
    scores = []
    for system in range(hits.systems):
        row, asked = values[system], put[system]
        reason = None
        if measure.ranked and unordered[system].any():
            reason = _NO_ORDER
        elif measure.base in ranked.RANKED and measure.base not in ("nDCG", "Judged") and not hits.crisp:
            reason = _NOT_CRISP
        row = np.full_like(row, np.nan) if reason else row
        defined = ~np.isnan(row)
        value = float(row[defined].mean()) if defined.any() else float("nan")
        if measure.average == "micro" and not reason:
            value = _micro(hits, measure, system, asked)
        if np.isnan(value) and reason is None:
            reason = _NO_QUERY
        undefined = int((~defined & (asked | (convention == "ours"))).sum())
        scores.append(Score(value, row, int(defined.sum()), undefined, int((~asked).sum()), reason))
    return scores


def _micro(hits: Hits, measure: Measure, system: int, asked: NDArray[np.bool_]) -> float:
    """Add the counts of a system's queries up, then divide once."""
    whole = sets.counts(hits, measure.k)
    here = slice(system * hits.queries, (system + 1) * hits.queries)
    total = sets.Counts(*(getattr(whole, name)[here].sum() for name in ("tp", "fp", "fn", "tn")))
    return float(_divide(total, measure))
