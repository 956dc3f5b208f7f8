"""How sure a ranking is, as plain data (part of the contract of ``rank``)."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.verdict.paired_tests import TESTS
from consilience.verdict.sureness import FLAT

if TYPE_CHECKING:
    from consilience.verdict.pairs import Pair
    from consilience.verdict.rank import Verdict
    from consilience.verdict.sureness import Detail, Interval, Sureness


def of_detail(detail: Detail, *, hidden: bool) -> dict[str, Any]:
    """Give what is known about one score; nothing absolute where that is hidden."""
    given = None
    if detail.given is not None and not hidden:
        given = {"interval": list(detail.given), "assumes": detail.assumes}
    posterior = detail.posterior
    return {
        "interval": None if hidden else _ends(detail.interval),
        "bounds": None if hidden else _ends(detail.bounds),
        "interval_withheld": detail.withheld,
        "given": given,
        "posterior": None
        if posterior is None or hidden
        else {**asdict(posterior), "interval": list(posterior.interval)},
        "standard_error": detail.standard_error,
        "shrunk": detail.shrunk,
        "plain": detail.plain,
    }


def of_pairs(verdict: Verdict) -> list[dict[str, Any]]:
    """Give systems pair by pair; differences and intervals only where they hold."""
    first = verdict.sure.details[verdict.measure]
    withheld = {
        name: None if detail.withheld == FLAT else detail.withheld  # a difference may vary
        for name, detail in zip(verdict.scores.systems, first, strict=True)
    }
    hidden = verdict.agreement.withheld is not None
    return [
        _pair(one, verdict.sure, hidden=hidden, withheld=withheld[one.a] or withheld[one.b])
        for one in verdict.pairs
    ]


def _pair(pair: Pair, sure: Sureness, *, hidden: bool, withheld: str | None) -> dict[str, Any]:
    ends = None if hidden else _ends(pair.interval)
    given = None
    if withheld and ends is not None:
        given, ends = {"interval": ends, "assumes": sure.given}, None
    return {
        "a": pair.a,
        "b": pair.b,
        "p_a_beats_b": pair.p_a_beats_b,
        "difference": None if hidden else pair.difference,
        "interval": ends,
        "interval_withheld": withheld,
        "given": given,
        "standard_error": pair.standard_error,
        "p_equivalent": pair.p_equivalent,
        "p_a_better": pair.p_a_better,
        "p_b_better": pair.p_b_better,
        "tests": None
        if pair.tests is None
        else {
            name: {"p": _number(p), "holm": _number(holm)} for name, (p, holm) in pair.tests.items()
        },
        "effect": None if pair.effect is None or hidden else asdict(pair.effect),
    }


def of_beats(verdict: Verdict) -> dict[str, Any] | None:
    """Give P(row beats column), systems in the order of their ranks."""
    found = verdict.beats()
    if found is None:
        return None
    names = [one.name for one in verdict.standings[: len(found)]]
    return {"systems": names, "p": [[_number(p) for p in row] for row in found.tolist()]}


def of_tests(verdict: Verdict) -> dict[str, Any] | None:
    """Say what the paired tests were made over, and how they were corrected."""
    tested = [pair for pair in verdict.pairs if pair.tests is not None]
    if not tested:
        return None
    return {
        "unit": "queries",
        "n": verdict.sure.n,
        "correction": "Holm",
        "comparisons": len(tested),
        "names": list(TESTS),
    }


def of_resampling(verdict: Verdict) -> dict[str, Any] | None:
    """Say what was drawn anew, how often and how."""
    sure = verdict.sure
    if sure.tail is None:
        return None
    return {
        "unit": sure.unit,
        "n": sure.n,
        "samples": sure.samples,
        "method": sure.method,
        "seed": verdict.seed,
    }


def _ends(interval: Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
