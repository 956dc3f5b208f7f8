"""Distributions as plain data: the contract of ``distributions --json``, shared by ``tree``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.verdict.agreement import caveat_of, condition_under
from consilience.verdict.payload import number, stamped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consilience.measures.bands import Band
    from consilience.measures.distribution import Distribution
    from consilience.verdict.duels import Duel, Meeting
    from consilience.verdict.outcomes import Outcome
    from consilience.verdict.over_queries import Standing
    from consilience.verdict.uncertain import Distributions

#: The most points of a distribution that are written, and of all distributions together.
POINTS, ALL_POINTS = 2000, 400_000
#: However many there are, so many points of each.
FEWEST = 21
#: The two ways in which a pair can end.
BEATS = ("p_a_beats_b", "p_b_beats_a")
#: What is random in every interval.
RANDOM = "which items are relevant, each with its probability, independently; queries are fixed"


def of_distributions(found: Distributions) -> dict[str, Any]:
    """Give distributions as plain data."""
    return stamped("distributions", found.study, body_of(found), seed=found.seed)


def body_of(found: Distributions) -> dict[str, Any]:
    """Give all but what identifies a result."""
    belief = found.belief
    known = condition_under(found.study, belief)
    written = len(found.outcomes) * len(found.measures)
    points = min(POINTS, max(FEWEST, ALL_POINTS // max(written, 1)))
    return {
        "headline": headline(found),
        "condition": known.name,
        "condition_why": known.why,
        "belief": {
            "method": belief.method,
            "assumes": belief.assumes,
            "effective_respondents": belief.effective_respondents,
        },
        "caveat": caveat_of(belief),
        "random": RANDOM,
        "level": found.level,
        "delta": found.delta,
        "beta": found.beta,
        "measures": list(found.measures),
        "settings": {
            "ties": found.ties,
            "depth": found.study.depth,
            "universe": found.study.universe,
        },
        "simulation": None
        if found.draws is None
        else {"draws": found.draws, "seed": found.seed, "unit": "truths"},
        "queries": len(found.queries),
        "items": len(found.study.items),
        "results": [_result(one, points) for one in found.outcomes],
        "systems": [_system(one) for one in found.standings],
        "pairs": [_pair(one, found) for one in found.duels],
        "notes": list(found.notes),
    }


def _result(one: Outcome, points: int) -> dict[str, Any]:
    return {
        "system": one.system,
        "query": one.query,
        "returned": one.returned,
        "unjudged": one.unjudged,
        "missing": not one.put,
        **{name: _distribution(v, one, name, points) for name, v in one.values.items()},
        "p_none_found": one.p_none_found,
        "p_none_relevant": one.p_none_relevant,
        "band": _band(one.band),
    }


def _distribution(values: Distribution, one: Outcome, name: str, points: int) -> dict[str, Any]:
    written = values.fewer(points)
    return {
        "support": written.support.tolist(),
        "mass": written.mass.tolist(),
        "mean": number(one.means[name]),
        "median": number(one.medians[name]),
        "interval": None if (given := one.intervals[name]) is None else list(given),
        "undefined": one.reasons[name],
        "p_undefined": values.p_undefined,
        "grouped": written.grouped,
        "method": one.methods[name],
    }


def _band(band: Band | None) -> list[dict[str, Any]] | None:
    if band is None:
        return None
    return [
        {
            "k": int(k),
            "precision": number(band.precision[at]),
            "precision_interval": [number(x) for x in band.precision_interval[:, at]],
            "recall": number(band.recall[at]),
            "recall_interval": [number(x) for x in band.recall_interval[:, at]],
        }
        for at, k in enumerate(band.k)
    ]


def _system(one: Standing) -> dict[str, Any]:
    return {
        "name": one.name,
        "queries": one.queries,
        "missing_queries": one.missing,
        **{
            name: {
                "support": one.spreads[name].support.tolist(),
                "mass": one.spreads[name].mass.tolist(),
                "grouped": one.spreads[name].grouped,
                "mean": number(mean),
                "interval": None if (given := one.intervals[name]) is None else list(given),
                "method": one.methods[name],
                "defined_queries": one.defined[name],
                "undefined": one.reasons[name],
            }
            for name, mean in one.means.items()
        },
        "band": _band(one.band),
    }


def _pair(duel: Duel, found: Distributions) -> dict[str, Any]:
    paired, apart = duel.paired, duel.independent
    known = len(paired.difference) > 0
    tested = any(not np.isnan(p) for p, _ in duel.tests.values())
    return {
        "a": duel.a,
        "b": duel.b,
        "measure": duel.measure,
        "difference": number(duel.difference),
        "interval": list(paired.difference.interval(found.level)) if known else None,
        "undefined": None if known else "undefined for at least one of the two under every truth",
        **_chances(duel, found.delta),
        "paired": {"method": paired.method, "draws": paired.draws, "seed": found.seed},
        "independent": {
            "p_a_beats_b": number(apart.greater),
            "p_b_beats_a": number(apart.less),
            "p_a_beats_b_by_delta": number(apart.by_delta),
            "wasserstein": number(apart.wasserstein),
            "ks": number(apart.ks),
        },
        "tests": {
            "n": duel.n,
            **{name: {"p": number(p), "p_holm": number(q)} for name, (p, q) in duel.tests.items()},
        }
        if tested
        else None,
        "per_query": [
            {
                "query": one.query,
                **_chances(one, found.delta),
                "method": one.paired.method,
                "wasserstein": number(one.independent.wasserstein),
                "ks": number(one.independent.ks),
            }
            for one in duel.meetings
        ],
    }


def _chances(one: Duel | Meeting, delta: float) -> dict[str, float | None]:
    paired = one.paired
    if not len(paired.difference):
        return dict.fromkeys((*BEATS, *(f"{name}_by_delta" for name in BEATS), "p_equal"))
    return {
        "p_a_beats_b": paired.greater,
        "p_b_beats_a": paired.less,
        "p_equal": paired.equal,
        "p_a_beats_b_by_delta": paired.by(delta),
        "p_b_beats_a_by_delta": paired.behind(delta),
    }


def headline(found: Distributions) -> str:
    """Say in a sentence who is expected to score highest, and how probably it beats the next.

    Average precision or F1 decide: F1 where any list has no order.
    """
    standings = [one for one in found.standings if not np.isnan(one.means["f1"])]
    if not standings:
        return "No system has a defined F1: nothing can be relevant."
    order = sorted(standings, key=lambda one: -one.means["f1"])
    first = order[0]
    over = f"over {len(found.queries):,} queries" if len(found.queries) > 1 else "on the one query"
    said = f"{first.name} has the highest expected F1: {_with_interval(first, found.level)} {over}"
    if len(order) == 1:
        return f"{first.name} has an expected F1 of {_with_interval(first, found.level)} {over}."
    second = order[1]
    duel = _between(found.duels, first.name, second.name)
    if duel is None:
        return f"{said}."
    ahead, behind = duel.paired.greater, duel.paired.less
    return (
        f"{said}. It beats {second.name} ({_figure(second.means['f1'])}) with probability "
        f"{_chance(ahead)} and loses with {_chance(behind)}, given this belief."
    )


def _between(duels: Sequence[Duel], a: str, b: str) -> Duel | None:
    return next((one for one in duels if one.measure == "f1" and {one.a, one.b} == {a, b}), None)


def _figure(value: float) -> str:
    return f"{value:.4f}"


def _with_interval(one: Standing, level: float) -> str:
    given = one.intervals["f1"]
    between = "" if given is None else f" [{_figure(given[0])}, {_figure(given[1])}]"
    return f"{_figure(one.means['f1'])}{between}"


def _chance(p: float) -> str:
    """Write a probability; never 1 or 0 where it is only near.

    Examples
    --------
    >>> _chance(0.9999), _chance(1.0), _chance(0.25), _chance(0.0)
    ('above 0.999', '1', '0.25', '0')
    """
    if p in (0.0, 1.0):
        return f"{p:.0f}"
    if p > 0.999:
        return "above 0.999"
    return "below 0.001" if p < 0.001 else f"{p:.2f}" if 0.01 <= p <= 0.99 else f"{p:.3f}"
