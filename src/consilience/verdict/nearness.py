"""The result of ``displacement`` as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.measures.displaced import why_undefined
from consilience.verdict.payload import number, stamped
from consilience.verdict.resample import FEWEST, METHOD, SAMPLES
from consilience.verdict.subjects import by_query, by_subject

if TYPE_CHECKING:
    from consilience.verdict.subjects import DisplacementResult

#: What is random in the intervals.
UNIT = "subjects"


def of_displacement(result: DisplacementResult) -> dict[str, Any]:
    """Give systems against subjects as plain data (the contract of ``displacement --json``)."""
    chosen, lists = result.chosen, result.lists
    few = result.drawn.queries < FEWEST
    body: dict[str, Any] = {
        "headline": result.headline,
        "settings": {
            "quality": chosen.quality.name,
            "hypothesis": chosen.hypothesis,
            "collection": chosen.collection,
            "ties": chosen.ties,
            "subject_ties": chosen.subject_ties,
            "scale": chosen.scale,
            "depth": result.study.depth,
            "asked": list(chosen.asked),
            "limit": chosen.limit if chosen.asked else None,
        },
        "level": chosen.level,
        "systems": list(result.systems),
        "people": list(lists.names),
        "queries": len(np.unique(lists.query)),
        "subjects": _subjects(result),
        "aggregate": {name: _aggregate(result, i) for i, name in enumerate(result.systems)},
        "pairs": [
            {
                "a": pair.a,
                "b": pair.b,
                "nearer_a": pair.nearer_a,
                "nearer_b": pair.nearer_b,
                "equal": pair.equal,
                "difference": pair.difference,
                "interval": None if pair.interval is None else list(pair.interval),
                "sign_test": {"p": pair.p, "p_holm": pair.p_holm},
            }
            for pair in result.pairs
        ],
        "resampling": None
        if few
        else {
            "unit": UNIT,
            "n": result.drawn.queries,
            "samples": SAMPLES,
            "method": METHOD,
            "seed": chosen.seed,
        },
        "no_interval": f"fewer than {FEWEST} subjects say nothing about others" if few else None,
        "notes": list(result.notes),
    }
    return stamped("displacement", result.study, body, seed=chosen.seed)


def _subjects(result: DisplacementResult) -> list[dict[str, Any]]:
    """One entry per system, query and subject."""
    lists, figures, queries = result.lists, result.figures, result.study.queries
    tied = np.bincount(lists.list_of_row(), lists.tied(), minlength=len(lists)).astype(int)
    entries = []
    for s, system in enumerate(result.systems):
        order = np.lexsort((lists.subject, lists.query)).tolist()
        for i in order:
            optimist, pessimist = figures.optimist[s, i], figures.pessimist[s, i]
            exact, answered = bool(figures.exact[s, i]), bool(figures.returned[s, i])
            counts = result.chosen.hypothesis if answered else "pessimist"
            entries.append(
                {
                    "name": lists.names[lists.subject[i]],
                    "system": system,
                    "query": queries[lists.query[i]],
                    "w": number(figures.w[s, i]),
                    "w_optimist": number(optimist),
                    "w_pessimist": number(pessimist),
                    "quality": float(figures.quality[s, i]),
                    "quality_bounds": [float(figures.low[s, i]), float(figures.high[s, i])],
                    "exact": exact,
                    "hypothesis": "exact" if exact else counts,
                    "answered": answered,
                    "returned": int(figures.returned[s, i]),
                    "in_both": int(figures.in_both[s, i]),
                    "missing": int(figures.missing[s, i]),
                    "ties": int(tied[i]),
                    "undefined": why_undefined(optimist, pessimist),
                }
            )
    return entries


def _aggregate(result: DisplacementResult, s: int) -> dict[str, Any]:
    """Average one system: over each subject's queries first, then over subjects."""
    lists, figures, queries = result.lists, result.figures, result.study.queries
    values = by_subject(lists, figures.quality[s : s + 1])[0]
    asked = np.unique(lists.query)
    per_query = by_query(lists, figures.quality[s : s + 1])[0][asked]
    means = {
        key: number(by_subject(lists, getattr(figures, name)[s : s + 1]).mean())
        for key, name in (("w", "w"), ("w_optimist", "optimist"), ("w_pessimist", "pessimist"))
    }
    bounds = [by_subject(lists, getattr(figures, k)[s : s + 1]).mean() for k in ("low", "high")]
    interval = result.drawn.interval(result.drawn.draws[:, s], result.chosen.level)
    both = zip(figures.optimist[s], figures.pessimist[s], strict=True)
    lacking = [why for optimist, pessimist in both if (why := why_undefined(optimist, pessimist))]
    reasons = dict.fromkeys(part for why in lacking for part in why.split("; "))
    return {
        "quality": float(values.mean()),
        "quality_bounds": [float(bound) for bound in bounds],
        "interval": None if interval is None else list(interval),
        **means,
        "undefined": "; ".join(reasons) or None,
        "subjects": len(lists.names),
        "queries": len(asked),
        "exact": int(figures.exact[s].sum()),
        "lists": len(lists),
        "unanswered": len(np.unique(lists.query[(figures.returned[s] == 0) & ~figures.exact[s]])),
        "spread": {
            "sd": float(values.std(ddof=1)) if len(values) > 1 else None,
            "low": float(values.min()),
            "high": float(values.max()),
            "quartiles": [float(q) for q in np.quantile(values, [0.25, 0.5, 0.75])],
        },
        "by_subject": {name: float(value) for name, value in zip(lists.names, values, strict=True)},
        "by_query": {
            queries[code]: float(value)
            for code, value in zip(asked.tolist(), per_query, strict=True)
        },
    }
