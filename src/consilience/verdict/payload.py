"""Results as plain data: what JSON shows, what is stored, what every rendering reads."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from consilience._version import __version__
from consilience.formats.drawn import NOBODY
from consilience.verdict.estimated import of_design

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consilience.formats.rows import Source
    from consilience.verdict.curve import CurveResult
    from consilience.verdict.matched import Matching
    from consilience.verdict.rank import Verdict
    from consilience.verdict.standing import Standing


class Told(Protocol):
    """What results can be computed from: a study, or anything that can be told like one."""

    @property
    def sources(self) -> tuple[Source, ...]:
        """The files that were read."""
        ...

    def fingerprint(self) -> str:
        """Hash everything that was said: the same input gives the same fingerprint."""
        ...


def of_verdict(verdict: Verdict) -> dict[str, Any]:
    """Give a verdict as plain data (the contract of ``rank --json``)."""
    from consilience.verdict import agreed, sure_payload

    scores, belief = verdict.scores, verdict.scores.belief
    body: dict[str, Any] = {
        "condition": verdict.condition.name,
        "condition_why": verdict.condition.why,
        "judged": verdict.condition.judged,
        "belief": agreed.of_belief(belief, verdict.agreement),
        "caveat": verdict.agreement.caveat,
        "withheld": verdict.agreement.withheld,
        "leave_out": verdict.leave_out,
        "measure": verdict.measure,
        "measures": list(scores.measures),
        "level": verdict.level,
        "settings": {
            "ties": scores.ties,
            "convention": scores.convention,
            "depth": verdict.study.depth,
            "universe": verdict.study.universe,
        },
        "queries": len(scores.queries),
        "respondents": sum(name != NOBODY for name in verdict.study.respondents.names),
        "items": len(verdict.study.items),
        "systems": [_system(one, verdict) for one in verdict.standings],
        "ties": [list(group) for group in verdict.ties],
        "pairs": sure_payload.of_pairs(verdict),
        "delta": verdict.delta,
        "beats": sure_payload.of_beats(verdict),
        "tests": sure_payload.of_tests(verdict),
        "settled": verdict.settled,
        "verdict": verdict.sentence,
        "notes": list(verdict.notes),
        "resampling": sure_payload.of_resampling(verdict),
        "uncertainty": verdict.sure.payload(),
        "partial": None if verdict.partial is None else verdict.partial.payload(),
        "design": None if verdict.design is None else of_design(verdict.design),
        "stop": None if verdict.stop is None else verdict.stop.payload(),
        "curves": [] if verdict.agreement.withheld or verdict.design else _curves(verdict),
        "dependence": agreed.of_dependence(verdict.agreement.dependence),
        "panel": agreed.of_panel(verdict.agreement),
        "cutoffs": agreed.of_cutoffs(verdict.agreement, verdict.standings),
        "virtual": agreed.of_virtual(verdict.agreement),
        "matching": None if verdict.matching is None else of_matching(verdict.matching, verdict),
    }
    made = stamped("rank", verdict.study, body, seed=verdict.seed)
    return made | {"engine": verdict.ran.payload()}  # the id does not depend on it


def of_matching(matching: Matching, verdict: Verdict) -> dict[str, Any]:
    """Give how items were matched, and whether the winner changes with that."""
    settings = matching.settings
    return {
        "similarity": settings.how.name,
        "floor": settings.floor,
        "variant": settings.variant if matching.truth else None,
        "mode": settings.mode if matching.truth else None,
        "text": None if settings.wording is None else settings.wording.settings(),
        "winner": list(matching.first),
        "winner_changes": bool(matching.changes),
        "sentence": matching.sentence,
        "repairs": sorted(settings.how.repairs),
        "alternatives": [
            {
                "similarity": one.similarity,
                "variant": one.variant if matching.truth else None,
                "floor": one.floor,
                "winner": list(one.first),
                "same_winner": one not in matching.changes,
                "tau": number(one.tau),
                "scores": {
                    name: number(value)
                    for name, value in zip(verdict.scores.systems, one.values, strict=True)
                },
            }
            for one in matching.again
        ],
    }


def of_curve(result: CurveResult) -> dict[str, Any]:
    """Give a curve as plain data (the contract of ``curve --json``)."""
    body: dict[str, Any] = {
        "name": result.name,
        "query": result.queries[0] if len(result.queries) == 1 else None,
        "queries": len(result.queries),
        "relevant": result.relevant,
        "retrieved": result.retrieved,
        "ties": result.ties,
        "settings": {"ties": result.ties, "universe": result.study.universe, "rel": result.rel},
        "cutoffs": [
            {"k": k, "precision": number(precision), "recall": number(recall)}
            for k, (precision, recall) in enumerate(
                zip(result.precision, result.recall, strict=True), start=1
            )
        ],
        "ap": {variant: number(value) for variant, value in result.ap.items()},
        "auc": number(result.auc),
        "undefined": None if result.relevant else "no item is relevant",
        "claimed": None if result.claimed is None else float(result.claimed),
        "claimed_text": result.claimed,
        "matches": None if result.matches is None else list(result.matches),
        "notes": list(result.notes),
    }
    return stamped("curve", result.study, body, seed=0)


def _system(one: Standing, verdict: Verdict) -> dict[str, Any]:
    from consilience.verdict import agreed

    first = one.scores[verdict.measure]
    return {
        "name": one.name,
        "family": one.family,
        "counted_as": agreed.counted_as(verdict.agreement.dependence, one.name),
        "rank": one.rank,
        "rank_interval": None if one.rank_interval is None else list(one.rank_interval),
        "p_best": one.p_best,
        "judged": None if verdict.partial is None else verdict.partial.judged[one.name],
        "queries": len(first.per_query) - first.missing,
        "missing_queries": first.missing,
        "scores": {name: _score(one, name, verdict) for name in one.scores},
    }


def _score(one: Standing, name: str, verdict: Verdict) -> dict[str, Any]:
    """Give a score; without absolute values where they are withheld."""
    from consilience.verdict import sure_payload

    score, beside = one.scores[name], verdict.agreement
    hidden = beside.withheld is not None
    return {
        "value": None if hidden else number(score.value),
        **sure_payload.of_detail(one.details[name], hidden=hidden),
        "undefined": beside.withheld if hidden else score.reason,
        "defined_queries": score.defined,
        "undefined_queries": score.undefined,
        "caveat": beside.caveat,
    }


def _curves(verdict: Verdict) -> list[dict[str, Any]]:
    """Average precision-recall curves at eleven recall levels, where answers have an order."""
    from consilience.measures.averaged import eleven_points
    from consilience.study.model import Study

    curves = verdict.curves or {}
    if verdict.curves is None and isinstance(verdict.study, Study):
        curves = eleven_points(verdict.study, verdict.scores)
    return [
        {
            "name": one.name,
            "points": [
                {"recall": level / 10, "precision": float(precision)}
                for level, precision in enumerate(curves[one.name])
            ],
        }
        for one in verdict.standings
        if one.name in curves
    ]


def stamped(
    verb: str,
    study: Told,
    body: dict[str, Any],
    *,
    seed: int,
    also: Sequence[Told] = (),
    inputs: Sequence[Source] = (),
) -> dict[str, Any]:
    """Add what identifies a result: id, version, time, seed, inputs and their hash.

    The id is a hash of what went in and what came out: the same question gives the same id. Where
    more went in than a study, ``also`` holds the other studies and ``inputs`` other files.
    """
    studies = [study, *also]
    prints = [one.fingerprint() for one in studies]
    both = hashlib.sha256(" ".join(prints).encode()).hexdigest() if also else prints[0]
    head = {
        "verb": verb,
        "version": __version__,
        "seed": seed,
        "inputs": [
            {"file": s.name, "rows": s.rows, "recognised": s.recognised, "why": s.why}
            for s in (*inputs, *(source for one in studies for source in one.sources))
        ],
        "input_hash": both,
    }
    digest = hashlib.sha256(json.dumps([head, body], sort_keys=True).encode()).hexdigest()
    created = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return {**head, "id": f"{verb}-{digest[:12]}", "created": created, **body}


def number(value: float) -> float | None:
    """Give a number, or None where it is undefined: JSON has no NaN."""
    return None if np.isnan(value) else float(value)
