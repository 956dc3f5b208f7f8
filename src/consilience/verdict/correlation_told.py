"""Compared rankings in words and as plain data: the headline, notes, and what JSON shows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.measures.orders import places
from consilience.verdict.correlation import FIGURES, Against, Correlation
from consilience.verdict.payload import number, stamped

if TYPE_CHECKING:
    from consilience.verdict.correlation_input import Ranking

#: The most names that a note lists.
NAMED = 10
#: What a ranking by partial truth assumes.
UNJUDGED = "an item that was not judged is not relevant"


def headline(result: Correlation) -> str:
    """Say how far the first ranking agrees with the reference, then how the others range."""
    said = _first(result, result.rankings[0])
    known = [one for one in result.rankings if not math.isnan(one.figures["tau_b"])]
    if len(known) < 2:
        return said
    low = min(known, key=lambda one: one.figures["tau_b"])
    high = max(known, key=lambda one: one.figures["tau_b"])
    what = f"{len(known)} {'rankings' if result.study is None else 'methods without truth'}"
    lowest, highest = (_tau(one.figures["tau_b"]) for one in (low, high))
    if lowest == highest:
        return f"{said} τ_b is the same for all {what}."
    return (
        f"{said} Over {what} τ_b goes from {lowest} ({low.ranking.name}) to {highest} "
        f"({high.ranking.name})."
    )


def _first(result: Correlation, one: Against) -> str:
    """Tell one comparison in a sentence."""
    pair = f"{result.reference.name} and {one.ranking.name}"
    tau = one.figures["tau_b"]
    if math.isnan(tau):
        said = f"τ_b between {pair} is undefined: {one.reasons['tau_b']}"
    else:
        said = f"τ_b = {_tau(tau)}{_span(one)} between {pair}"
    said += f" ({_systems(len(one.systems))})"
    if one.top < len(one.systems) and one.top > 1:
        said += f"; the top {one.top} share {_shared(one)}"
    return f"{said}{_cost(result, one)}."


def _cost(result: Correlation, one: Against) -> str:
    """Say what it costs to choose by a ranking."""
    if not one.systems:
        return ""
    same = {*one.first} == {*_first_of(result.reference, one)}
    named = f"both put {_listed(one.first, 3)} first" if same else ""
    lost, name = one.figures["regret"], one.ranking.name
    if math.isnan(lost):
        return f"; {named or 'they put different systems first'}"
    of = f" {result.reference.measure}" if result.reference.measure else ""
    if not lost:
        return f"; choosing by {name} costs nothing" + (f": {named}" if named else "")
    if same:  # tied for the first place in both
        return f"; {named}"
    return f"; they put different systems first, and choosing by {name} costs {lost:.4f}{of}"


def _first_of(ranking: Ranking, one: Against) -> tuple[str, ...]:
    """Name the systems that the reference puts first, of those compared."""
    best = max(ranking.scores[system] for system in one.systems)
    return tuple(system for system in one.systems if ranking.scores[system] == best)


def _span(one: Against) -> str:
    interval = one.intervals.get("tau_b")
    return "" if interval is None else f" [{_tau(interval[0])}, {_tau(interval[1])}]"


def _tau(value: float) -> str:
    """Write a correlation with two digits, or with more where two would make it 1."""
    digits = 4 if abs(value) < 1 and f"{abs(value):.2f}" == "1.00" else 2
    text = f"{value:.{digits}f}"
    return text.replace("-", "−" if text.strip("-0.") else "")


def _systems(count: int) -> str:
    return "1 system" if count == 1 else f"{count:,} systems"


def _shared(one: Against) -> str:
    shared = one.figures["overlap"] * one.top
    whole = abs(shared - round(shared)) < 1e-9
    return str(round(shared)) if whole else f"{shared:.1f} (ties broken by lot)"


def _listed(names: Iterable[str], most: int = NAMED) -> str:
    every = list(names)
    beyond = len(every) - most
    return ", ".join(every[:most]) + (f" and {beyond} more" if beyond > 0 else "")


def notes(
    result: Correlation,
    *,
    skipped: Sequence[tuple[str, str]] = (),
    left: int = 0,
    queries: int | None = None,
) -> tuple[str, ...]:
    """Say what was left out, and what figures rest on."""
    said = [*_missing(result)]
    for one in (result.reference, *(one.ranking for one in result.rankings)):
        said += [*one.notes]
    said += _few(result)
    agreed = [one.ranking.name for one in result.rankings if one.ranking.caveat]
    if agreed and result.study is not None:
        said.append(
            f"scores by {_listed(agreed)} rest on agreement alone: no ground truth was used for "
            "them, only to compare"
        )
    elif agreed:
        said += [f"{one}: {_caveat(result, one)}" for one in agreed]
    if result.condition is not None and _is_partial(result):
        said.append(
            f"the truth is partial ({result.condition.why}): in the ranking by truth {UNJUDGED}"
        )
    said += [f"{name} was left out: {why}" for name, why in skipped]
    if left:
        what = "1 query was" if left == 1 else f"{left:,} queries were"
        said.append(f"{what} left out of all rankings: the truth says nothing there")
    if queries is not None and result.drawn is None:
        said.append(f"no intervals: {queries} queries say nothing about other queries")
    if result.study is not None:
        said += [*result.study.notes]
    return tuple(dict.fromkeys(said))


def _is_partial(result: Correlation) -> bool:
    return result.condition is not None and result.condition.name == "partial"


def _caveat(result: Correlation, name: str) -> str:
    return next(o.ranking.caveat or "" for o in result.rankings if o.ranking.name == name)


def _missing(result: Correlation) -> list[str]:
    """Name the systems that are not compared."""
    said = []
    reference = result.reference
    for one in result.rankings:
        other = one.ranking
        for here, there in ((reference, other), (other, reference)):
            alone = [system for system in here.scores if system not in there.scores]
            if alone:
                said.append(
                    f"{_systems(len(alone))} only in {here.name}, not in {there.name}, left out: "
                    f"{_listed(alone)}"
                )
        for here in (reference, other):
            bare = [
                system
                for system, score in here.scores.items()
                if not math.isfinite(score)
                and system in reference.scores
                and system in other.scores
            ]
            if bare:
                who = f"{_systems(len(bare))} without a score in {here.name}"
                said.append(f"{who}, left out: {_listed(bare)}")
    return said


def _few(result: Correlation) -> list[str]:
    """Say where the top is not what was asked for, or says nothing."""
    asked = result.chosen.top
    if asked is None:
        return []
    most = min((len(one.systems) for one in result.rankings), default=0)
    if asked < most:
        return []
    return [
        f"the top {asked} is all systems, so that its overlap says nothing "
        f"(fix: --top {max(1, most // 2)})"
    ]


def of_correlation(result: Correlation) -> dict[str, Any]:
    """Give compared rankings as plain data (the contract of ``correlate --json``)."""
    body: dict[str, Any] = {
        "headline": result.headline,
        "reference": {
            "name": result.reference.name,
            "measure": result.reference.measure,
            "by": "ranks" if result.reference.ranks else "scores",
            "systems": len(result.reference.scores),
        },
        "rankings": [_ranking(one) for one in result.rankings],
        "systems": _systems_told(result),
        "settings": {"top": result.chosen.top, "rbo_p": result.chosen.rbo_p},
        "level": result.chosen.level,
        "condition": None if result.condition is None else result.condition.name,
        "resampling": _resampling(result),
        "notes": list(result.notes),
    }
    seed = 0 if result.drawn is None else result.drawn.seed
    if result.study is not None:
        return stamped("correlate", result.study, body, seed=seed)
    others = [one.ranking for one in result.rankings]
    return stamped("correlate", result.reference, body, seed=seed, also=others)


def _resampling(result: Correlation) -> dict[str, Any] | None:
    from consilience.verdict.correlation_study import METHOD

    if result.drawn is None:
        return None
    return {
        "unit": "queries",
        "n": result.drawn.queries,
        "samples": result.drawn.samples,
        "method": METHOD,
        "seed": result.drawn.seed,
        "about": "queries were drawn anew, the same for both rankings; every belief was formed "
        "once, from all queries",
        "assumes": UNJUDGED if _is_partial(result) else None,
    }


def _ranking(one: Against) -> dict[str, Any]:
    return {
        "name": one.ranking.name,
        "measure": one.ranking.measure,
        "by": "ranks" if one.ranking.ranks else "scores",
        **{name: number(one.figures[name]) for name in FIGURES},
        "top": one.top,
        "intervals": {
            name: None if interval is None else _closed(interval)
            for name, interval in one.intervals.items()
        },
        "undefined": {name: one.reasons[name] for name in FIGURES if name in one.reasons},
        "first": list(one.first),
        "systems": len(one.systems),
        "caveat": one.ranking.caveat,
    }


def _closed(interval: tuple[float, float]) -> list[float]:
    return [float(end) for end in interval]


def _systems_told(result: Correlation) -> list[dict[str, Any]]:
    """Give every compared system with its score and rank in each ranking, by the reference."""
    reference = result.reference
    compared = {system for one in result.rankings for system in one.systems}
    shown = [system for system in reference.scores if system in compared]
    mine = _ranks(reference, shown)
    ranks = {one.ranking.name: _ranks(one.ranking, one.systems) for one in result.rankings}
    scores = {one.ranking.name: one.ranking for one in result.rankings}
    return [
        {
            "name": system,
            "reference": _told(reference, system, mine),
            "others": {
                name: _told(scores[name], system, ranks[name])
                for name in ranks
                if system in ranks[name]
            },
        }
        for system in sorted(shown, key=lambda one: (mine[one], one))
    ]


def _told(ranking: Ranking, system: str, ranks: dict[str, int]) -> dict[str, Any]:
    score = None if ranking.ranks else number(ranking.scores[system])
    return {"score": score, "rank": ranks[system]}


def _ranks(ranking: Ranking, systems: Sequence[str]) -> dict[str, int]:
    """Rank systems among each other; equal scores share a rank."""
    scores = np.array([ranking.scores[system] for system in systems], np.float64)
    return dict(zip(systems, places(scores)[0].tolist(), strict=True))
