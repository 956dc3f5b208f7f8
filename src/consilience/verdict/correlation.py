"""One ranking of systems against others: correlations, overlap at the top, what a choice costs.

The first ranking is the reference: by truth, as a rule. Against it stands every other one. Systems
that are not in both are left out, counted and named. Figures are those of
:mod:`consilience.measures.orders` and :mod:`consilience.measures.tops`; with the scores of every
query at hand (:mod:`consilience.verdict.correlation_study`) some have intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError
from consilience.measures.orders import kendall, spearman, tau_ap, weighted_tau
from consilience.measures.tops import (
    PATIENCE,
    TOP,
    check_patience,
    check_top,
    rbo,
    regret,
    top_overlap,
)
from consilience.verdict.correlation_input import Ranking, in_both, told_apart
from consilience.verdict.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Study
    from consilience.study.condition import Condition

Interval = tuple[float, float]
#: The figures of a comparison, in the order in which they are shown.
FIGURES = (
    *("tau_b", "tau_ap", "tau_ap_symmetric", "weighted_tau", "spearman"),
    *("rbo", "overlap", "regret", "regret_top"),
)
#: Those that are undefined where a ranking ties all systems, and for fewer than two systems.
CORRELATIONS = FIGURES[:5]
#: Those that need the reference's scores, not its ranks alone.
COSTS = ("regret", "regret_top")
#: How many systems are the top of a few, when nobody says: overlap of all of them says nothing.
TOP_OF_FEW = 3


@dataclass(frozen=True, slots=True)
class Against:
    """One ranking against the reference, over the systems that have a score in both.

    ``figures`` are NaN where undefined, and ``reasons`` tell why. ``first`` names the systems that
    the ranking puts first, ``top`` is how many systems the top is. ``intervals`` holds those
    figures that have one.
    """

    ranking: Ranking
    systems: tuple[str, ...]
    figures: Mapping[str, float]
    reasons: Mapping[str, str]
    first: tuple[str, ...]
    top: int
    intervals: Mapping[str, Interval | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Drawn:
    """How intervals came about: so many queries, drawn anew so many times."""

    queries: int
    samples: int
    seed: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was asked for; ``top`` None: as many as suit the number of systems."""

    top: int | None = None
    rbo_p: float = PATIENCE
    level: float = 0.95


@dataclass(frozen=True, slots=True)
class Correlation(Shown):
    """Rankings against a reference; shows itself in notebooks and prints as text."""

    reference: Ranking
    rankings: tuple[Against, ...]
    chosen: Chosen
    headline: str
    notes: tuple[str, ...]
    drawn: Drawn | None = None
    study: Study | None = None
    condition: Condition | None = None

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        from consilience.verdict.correlation_told import of_correlation

        return of_correlation(self)


def correlated(
    reference: Ranking,
    others: Sequence[Ranking],
    *,
    top: int | None = None,
    rbo_p: float = PATIENCE,
) -> Correlation:
    """Compare rankings with a reference.

    Parameters
    ----------
    reference
        The ranking that is held for true.
    others
        The rankings to compare with it.
    top
        How many systems the top is; None: 10, and 3 (or 1) where there are 10 systems (3) or fewer.
    rbo_p
        How patient the reader of RBO is.

    Examples
    --------
    >>> truth = Ranking("truth", {"a": 0.5, "b": 0.4, "c": 0.3}, "AP")
    >>> print(correlated(truth, [Ranking("guess", {"a": 2, "b": 3, "c": 1})]).headline)
    τ_b = 0.33 between truth and guess (3 systems); they put different systems first, and choosing
    by guess costs 0.1000 AP.
    """
    from consilience.verdict.correlation_told import headline, notes

    chosen = Chosen(top, rbo_p)
    check(chosen)
    reference, *others = named(reference, others)
    made = tuple(against(reference, other, chosen) for other in others)
    result = Correlation(reference, made, chosen, "", ())
    return replace(result, headline=headline(result), notes=notes(result))


def check(chosen: Chosen) -> None:
    """Refuse what cannot be a top or a patience."""
    if chosen.top is not None:
        check_top(chosen.top)
    check_patience(chosen.rbo_p)


def named(reference: Ranking, others: Sequence[Ranking]) -> list[Ranking]:
    """Call all rankings differently, the reference first."""
    every = [reference, *others]
    names = told_apart(every)
    return [replace(one, name=name) for one, name in zip(every, names, strict=True)]


def against(reference: Ranking, other: Ranking, chosen: Chosen) -> Against:
    """Compare one ranking with the reference."""
    systems, a, b = in_both(reference, other)
    if not {*reference.scores} & {*other.scores}:
        raise UsageError(
            f"{reference.name} and {other.name} have no system in common: one has "
            f"{_some(reference)}, the other {_some(other)} (fix: write the systems' names alike)"
        )
    top = _top(chosen.top, len(systems))
    reasons = _reasons(reference, other, a, b)
    figures = {
        "tau_b": kendall(a, b),
        "tau_ap": tau_ap(a, b),
        "tau_ap_symmetric": tau_ap(a, b, symmetric=True),
        "weighted_tau": weighted_tau(a, b),
        "spearman": spearman(a, b),
        "rbo": rbo(a, b, p=chosen.rbo_p),
        "overlap": top_overlap(a, b, k=top),
        "regret": regret(a, b),
        "regret_top": regret(a, b, k=top),
    }
    known = {name: np.nan if name in reasons else figures[name] for name in FIGURES}
    first = tuple(np.array(systems, object)[b == b.max()]) if len(b) else ()
    return Against(other, systems, known, reasons, first, top)


def _some(ranking: Ranking, most: int = 3) -> str:
    names = list(ranking.scores)
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def _top(asked: int | None, systems: int) -> int:
    """Say how many systems the top is: at most all of them."""
    if asked is not None:
        return max(1, min(asked, systems))
    if systems > TOP:
        return TOP
    return TOP_OF_FEW if systems > TOP_OF_FEW else 1


def _reasons(
    reference: Ranking, other: Ranking, a: NDArray[np.float64], b: NDArray[np.float64]
) -> dict[str, str]:
    """Say why figures are undefined, for those that are."""
    if not len(a):
        return dict.fromkeys(FIGURES, "no system has a score in both rankings")
    reasons: dict[str, str] = {}
    if len(a) == 1:
        reasons = dict.fromkeys(CORRELATIONS, "only one system has a score in both rankings")
    else:
        for column, ranking in ((a, reference), (b, other)):
            if (column == column[0]).all():
                why = f"{ranking.name} ties all systems"
                reasons = dict.fromkeys(CORRELATIONS, why) | reasons
    if reference.ranks:
        why = f"{reference.name} gives ranks, not scores"
        reasons |= dict.fromkeys(COSTS, why)
    return reasons
