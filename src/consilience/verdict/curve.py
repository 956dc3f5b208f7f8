"""One system's curve: precision and recall at every cutoff, every "average precision" by name.

Given a figure that somebody claims, :func:`curve` says which variant of average precision gives
it: the warning of the precision-recall post, made a tool.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief import gold
from consilience.errors import UsageError, quote, unknown
from consilience.measures import ranked, sets
from consilience.measures.hits import Hits, find_hits
from consilience.measures.names import AP_VARIANTS
from consilience.study.condition import judged_queries, no_common_query
from consilience.study.model import as_study, check_equal
from consilience.study.ranking import TIES
from consilience.verdict.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Study
    from consilience.study.ranking import Ties

#: Cutoffs beyond this one are left out of averaged curves.
DEEPEST = 100_000
#: A claimed figure has at most as many decimals as numbers here can tell apart.
DECIMALS = 15


@dataclass(frozen=True, slots=True)
class CurveResult(Shown):
    """Precision and recall at the cutoffs 1, 2, …, and average precision in five meanings."""

    study: Study
    name: str
    queries: tuple[str, ...]
    relevant: int
    retrieved: int
    ties: Ties
    rel: float
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    ap: dict[str, float]
    auc: float
    claimed: str | None
    matches: tuple[str, ...] | None
    notes: tuple[str, ...]

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        from consilience.verdict.payload import of_curve

        return of_curve(self)


def curve(
    study: Study,
    *,
    system: str | None = None,
    query: str | None = None,
    relevant: int | None = None,
    claimed: str | float | None = None,
    ties: Ties = "trec",
    rel: float = 1.0,
) -> CurveResult:
    """Compute one system's precision-recall curve and all its average precisions.

    Parameters
    ----------
    study
        A study with 0/1 truth.
    system
        Which system, where there are several.
    query
        Which query; None: all, averaged.
    relevant
        How many items are relevant in all, where some were not returned (one query only).
    claimed
        A figure to find the variant of; its decimals say how exactly it must be met.
    ties
        How equal scores are settled.
    rel
        The lowest grade that counts as relevant.

    Examples
    --------
    >>> import consilience as cs
    >>> result = curve(cs.example_study("airplanes"), claimed="0.803")
    >>> result.matches, round(result.ap["step"], 6)
    (('11-point',), 0.783333)
    """
    as_study(study, "curve")
    check_equal(study, "curve")
    _check(relevant, ties, rel)
    apart = no_common_query(study)
    if apart is not None:
        raise UsageError(apart)
    name, queries = _chosen(study, system, query)
    belief = gold(study, relevant_from=rel)

    def hits_under(rule: Ties) -> Hits:
        found = _picked(study, find_hits(study, belief, ties=rule), name, queries)
        return found if relevant is None else _with_relevant(found, relevant)

    hits = hits_under(ties)
    if not hits.crisp:
        raise UsageError("a curve needs 0/1 truth and 0/1 votes (fix: use --measure P, R or F1)")
    if not bool(hits.ordered[hits.length > 0].all()):
        raise UsageError(f"{quote(name)} has no order (fix: give a score or a rank)")
    precision, recall = _cutoffs(hits)
    ap = {v: _mean(ranked.average_precision(hits, variant=v)) for v in AP_VARIANTS}
    # equal scores count half for the ROC curve: the middle of their best and their worst order
    extremes = [hits_under("best"), hits_under("worst")] if hits.tied else [hits]
    text = None if claimed is None else str(claimed)
    return CurveResult(
        study,
        name,
        queries,
        int(hits.relevant.sum()),
        int(hits.length.sum()),
        ties,
        rel,
        precision,
        recall,
        ap,
        float(np.mean([_mean(ranked.auc(one)) for one in extremes])),
        text,
        None if text is None else variants_giving(text, ap),
        (*study.notes, *_notes(hits, queries, ties)),
    )


def _check(relevant: object, ties: Ties, rel: float) -> None:
    """Refuse settings that make no sense."""
    if ties not in TIES:
        raise unknown("rule for ties", ties, TIES)
    if not 0 < rel < math.inf:
        raise UsageError(f"the lowest relevant grade must be above 0, found {rel} (fix: 1)")
    if relevant is not None and (not isinstance(relevant, int) or relevant < 0):
        raise UsageError(f"the number of relevant items must be whole, found {quote(relevant)}")


def _chosen(study: Study, system: str | None, query: str | None) -> tuple[str, tuple[str, ...]]:
    """Settle which system and which queries are meant."""
    if not study.systems:
        raise UsageError("there is no system (fix: name its file)")
    if system is None and len(study.systems) > 1:
        raise UsageError(
            f"there are {len(study.systems)} systems: {', '.join(study.systems[:10])} "
            "(fix: choose one with --system)"
        )
    if system is not None and system not in study.systems:
        raise unknown("system", system, study.systems)
    judged = tuple(study.queries[code] for code in judged_queries(study))
    if query is not None and query not in judged:
        raise unknown("query", query, judged)
    return system or study.systems[0], judged if query is None else (query,)


def _picked(study: Study, hits: Hits, system: str, queries: Sequence[str]) -> Hits:
    """Keep one system's cells of some queries."""
    judged = [study.queries[code] for code in judged_queries(study)]
    wanted = np.isin(judged, queries)
    line = study.systems.index(system)
    cells = np.zeros(hits.cells, bool)
    cells[line * hits.queries : (line + 1) * hits.queries] = wanted
    number = np.cumsum(cells) - 1
    mine = cells[hits.cell]
    fields = ("put", "ordered", "returned", "length", "relevant", "universe")
    per_hit = ("position", "p", "vote", "gain", "cumulated")
    return replace(
        hits,
        systems=1,
        queries=int(wanted.sum()),
        cell=number[hits.cell[mine]],
        **{name: getattr(hits, name)[cells] for name in fields},
        **{name: getattr(hits, name)[mine] for name in per_hit},
    )


def _with_relevant(hits: Hits, relevant: int) -> Hits:
    if hits.queries != 1:
        raise UsageError("--relevant goes with a single query (fix: choose one with --query)")
    found = int(hits.relevant[0])
    if relevant < found:
        raise UsageError(f"{found} relevant items are known, more than --relevant {relevant}")
    more = relevant - found
    return replace(hits, relevant=hits.relevant + more, universe=hits.universe + more)


def _mean(values: NDArray[np.float64]) -> float:
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def _cutoffs(hits: Hits) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Average precision and recall over the queries, at 1, 2, … up to the longest list."""
    depth = int(hits.length.max(initial=0))
    depth = depth if hits.queries == 1 else min(depth, DEEPEST)
    k = np.arange(1, depth + 1)
    near = hits.position <= depth
    weight = hits.p[near]
    gained = np.bincount(hits.position[near], weights=weight, minlength=depth + 1)[1:]
    precision = np.cumsum(gained) / k / hits.queries
    share = sets.ratio(weight, hits.relevant[hits.cell[near]])
    defined = int((hits.relevant > 0).sum())
    reached = np.cumsum(np.bincount(hits.position[near], weights=share, minlength=depth + 1)[1:])
    return precision, sets.ratio(reached, np.full(depth, defined))


def variants_giving(claimed: str, ap: dict[str, float]) -> tuple[str, ...]:
    """Name the variants that give a claimed figure, rounded or cut off to its decimals.

    Examples
    --------
    >>> variants_giving("0.78", {"step": 0.783333, "11-point": 0.80303})
    ('step',)
    """
    try:
        figure = Decimal(claimed)
    except (InvalidOperation, ValueError, TypeError):
        figure = Decimal("nan")
    decimals = -int(figure.as_tuple().exponent) if figure.is_finite() else math.inf
    if not decimals <= DECIMALS or not 0 <= figure <= 1:
        raise UsageError(
            f"the claimed figure must be a number from 0 to 1 with {DECIMALS} decimals at most, "
            f"found {quote(claimed)} (fix: --claimed 0.803)"
        )
    unit = Decimal(1).scaleb(-max(int(decimals), 0))
    return tuple(
        variant
        for variant, value in ap.items()
        if value == value
        and figure
        in {Decimal(value).quantize(unit, rounding) for rounding in (ROUND_HALF_EVEN, ROUND_DOWN)}
    )


def _notes(hits: Hits, queries: Sequence[str], ties: Ties) -> tuple[str, ...]:
    notes = []
    if len(queries) > 1:
        notes.append(f"averaged over {len(queries):,} queries, cutoff by cutoff")
        if int(hits.length.max(initial=0)) > DEEPEST:
            notes.append(f"the curve is cut after {DEEPEST:,} cutoffs; AP counts all")
    nothing = int((hits.relevant == 0).sum())
    if nothing:
        notes.append(f"{nothing:,} queries have no relevant item: undefined, left out of averages")
    missed = int(hits.relevant.sum() - hits.p.sum())
    if missed:
        notes.append(f"{missed:,} relevant items were not returned; recall and AP count them")
    if hits.tied:
        notes.append(f"{hits.tied:,} answers share their score with another one; ties: {ties}")
    return tuple(notes)
