"""One method on one set: Kendall's τ with people's ranking, error of the figures, regret."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import consilience as cs
from bench.accuracy.sets import Set
from consilience.belief.names import BELIEFS, belief_by_name
from consilience.measures.left_out import score_left_out
from consilience.measures.orders import kendall
from consilience.study.depth import cut

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience import Belief, Study

#: Methods that look at no label.
METHODS = tuple(name for name in BELIEFS if name not in ("gold", "aipw"))


@dataclass(frozen=True)
class Compared:
    """Kendall's τ-b, mean absolute error, regret; None where there is no such figure."""

    tau: float | None
    mae: float | None
    regret: float | None


@dataclass(frozen=True)
class Trial:
    """How a method did. ``why`` says why there is nothing (the figures are None then).

    ``tau`` is Kendall's τ-b; ``mae`` the mean absolute error of the figures, where truth is
    measured by the same measure; ``regret`` what the system put first lacks to the best one, in the
    true measure.
    """

    set: str
    truth: str
    method: str
    measure: str
    depth: int | None
    systems: int
    tau: float | None = None
    mae: float | None = None
    regret: float | None = None
    seconds: float | None = None
    why: str | None = None


def label_free(method: str, **options: Any) -> Callable[..., Belief]:
    """Give a method as a function of a study that looks at no judge."""
    make = belief_by_name(method)

    def believe(study: Study, **more: Any) -> Belief:
        return make(study, evidence="ignore", **options, **more)

    return believe


def values_of(scores: cs.Scores, measure: str) -> NDArray[np.float64]:
    """Give every system's value."""
    return np.array([scores[system][measure].value for system in scores.systems])


def compared(
    estimate: NDArray[np.float64], truth: NDArray[np.float64], *, same_scale: bool
) -> Compared:
    """Compare estimated values with true ones; undefined estimates come last."""
    known = ~np.isnan(truth)
    estimate, truth = estimate[known], truth[known]
    both = ~np.isnan(estimate)
    filled = np.where(both, estimate, np.min(estimate[both], initial=0.0) - 1.0)
    chosen = filled == filled.max()  # several: one of them is taken at random
    tau = kendall(filled, truth)
    error = float(np.abs(filled - truth)[both].mean()) if same_scale and both.any() else None
    lacks = float(truth.max() - truth[chosen].mean())
    return Compared(None if np.isnan(tau) else tau, error, lacks)


def trials(one: Set, methods: Sequence[str] = METHODS) -> Iterator[Trial]:
    """Try methods on a set, at every depth, by every measure."""
    true = cs.score(one.seen, measures=one.truths)
    kept = _spoken(one)
    for depth in one.depths:
        blind = one.blind if depth is None else cut(one.blind, depth)
        for method in methods:
            began = time.process_time()
            scores, why = None, _unfit(blind, method)
            if why is None:
                try:
                    scores = cs.score(blind, measures=one.measures, belief=label_free(method))
                except (cs.UsageError, ModuleNotFoundError) as error:
                    why = str(error)
            seconds = time.process_time() - began
            for measure in one.measures:
                for truth in one.truths:
                    what = (one.name, truth, method, measure, depth, int(kept.sum()))
                    if scores is None:
                        yield Trial(*what, why=why)
                        continue
                    found = compared(
                        values_of(scores, measure)[kept],
                        values_of(true, truth)[kept],
                        same_scale=measure == truth and depth is None,
                    )
                    yield Trial(*what, found.tau, found.mae, found.regret, seconds)


def _unfit(study: Study, method: str) -> str | None:
    """Say why a method is not for a set; None where it is."""
    families = {study.respondents.family[code] for code in study.respondents.of_kind("system")}
    if method == "hds" and families == {None}:
        return "no families are declared"
    return None


def _spoken(one: Set) -> NDArray[np.bool_]:
    """Tell which systems have said enough to be ranked."""
    answers = one.blind.answers
    said = np.bincount(
        answers.respondent, np.diff(answers.starts), len(one.blind.respondents)
    )  # one list for each query
    return said[one.blind.respondents.of_kind("system")] >= one.fewest


@dataclass(frozen=True)
class LeftOut:
    """τ with the own vote included, and left out of what a system is measured against."""

    set: str
    method: str
    measure: str
    included: float
    left_out: float


def left_out(one: Set, methods: Sequence[str] = ("consensus", "ls-eb")) -> Iterator[LeftOut]:
    """Leave each system's own vote out of the belief that it is measured against."""
    measure = one.measures[0]
    true = values_of(cs.score(one.seen, measures=[one.truths[0]]), one.truths[0])
    for method in methods:
        tau = []
        for what in ("none", "system"):
            scores = score_left_out(
                one.blind,
                measures=[measure],
                belief=label_free(method),
                leave_out="system" if what == "system" else "none",
            )
            tau.append(kendall(values_of(scores, measure), true))
        yield LeftOut(one.name, method, measure, *tau)


@dataclass(frozen=True)
class Coverage:
    """Which share of the true figures lies inside what is shown, and how wide that is."""

    set: str
    measure: str
    range: str
    covered: float
    width: float


def coverage(one: Set) -> Iterator[Coverage]:
    """Look whether true figures lie in the interval, in the envelope, in the bounds."""
    measure = one.measures[0]
    true = cs.score(one.seen, measures=[measure])
    verdict = cs.rank(one.blind, measures=[measure])
    found = verdict.agreement.panel
    envelope = None if found is None else found.envelope(measure)
    ranges: dict[str, list[tuple[float, float, float]]] = {}
    for standing in verdict.standings:
        value = true[standing.name][measure].value
        code = one.blind.systems.index(standing.name)
        ends = None if envelope is None else tuple(envelope[code].tolist())
        shown = {
            "95 % interval (resampled queries)": standing.intervals[measure],
            "envelope of methods and families": None
            if envelope is None
            else tuple(envelope[code].tolist()),
            "bounds as shown (both)": standing.bounds[measure],
        }
        for name, ends in shown.items():
            if ends is not None:
                ranges.setdefault(name, []).append((*ends, value))
    for name, rows in ranges.items():
        low, high, value = np.array(rows).T
        inside = (low - 1e-12 <= value) & (value <= high + 1e-12)
        yield Coverage(one.name, measure, name, float(inside.mean()), float((high - low).mean()))
