"""Distributions as plain data: the contract of ``distributions --json``, shared by ``tree``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.study.model import Study
from consilience.verdict.agreement import caveat_of, condition_under
from consilience.verdict.payload import number, stamped
from consilience.verdict.uncertain_words import LEADS, headline, settled

if TYPE_CHECKING:
    from consilience.measures.bands import Band
    from consilience.measures.distribution import Distribution
    from consilience.study.condition import Condition
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
#: The same where a query is itself uncertain.
MIXED = (
    "what a query item is, by the shares of its categories; given that, which items are relevant, "
    "each with its probability, independently; queries are fixed"
)


def of_distributions(found: Distributions) -> dict[str, Any]:
    """Give distributions as plain data."""
    made = stamped("distributions", found.study, body_of(found), seed=found.seed)
    return made | {"engine": found.ran.payload()}  # the id does not depend on it


def body_of(found: Distributions) -> dict[str, Any]:
    """Give all but what identifies a result."""
    belief = found.belief
    known = _condition(found)
    points = points_of(len(found.outcomes) * len(found.measures))
    return {
        "headline": headline(found),
        "settled": settled(found),
        "condition": known.name,
        "condition_why": known.why,
        "belief": {
            "method": belief.method,
            "assumes": belief.assumes,
            "effective_respondents": number(belief.effective_respondents),
        },
        "caveat": caveat_of(belief),
        "judged": _judged(found),
        "random": MIXED if found.mixed else RANDOM,
        "level": found.level,
        "delta": found.delta,
        "beta": found.beta,
        "measure": LEADS[found.measure],
        "measures": list(found.measures),
        "settings": {
            "ties": found.ties,
            "depth": found.study.depth,
            "universe": found.study.universe,
            "rel": found.rel,
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


def points_of(written: int) -> int:
    """Say how many points are written of each of so many distributions."""
    return min(POINTS, max(FEWEST, ALL_POINTS // max(written, 1)))


def _condition(found: Distributions) -> Condition:
    """Give the condition of truth: as it was told, or read off the study."""
    if found.condition is not None:
        return found.condition
    assert isinstance(found.study, Study)
    return condition_under(found.study, found.belief)


def _judged(found: Distributions) -> float | None:
    """Give the share of the returned items that somebody judged."""
    returned = sum(one.returned for one in found.outcomes)
    return 1 - sum(one.unjudged for one in found.outcomes) / returned if returned else None


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
        "band_method": None if one.band is None else one.methods["recall"],
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
