"""What ``runs`` computes from recorded scores: agreement of rankings, places, what labels bought.

Everything here is computed anew whenever the experiment is shown; only scores were recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.experiments.runs.labels import DESIGNED, EVEN, POOL
from consilience.experiments.runs.measured import ALL, COUNTING, METHODS, OTHERS, TEN
from consilience.measures.orders import kendall, places
from consilience.measures.tops import regret
from consilience.store.rankings import correlate

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: How many runs the top is.
TOP = 10
#: The consensus of the papers, by which runs are placed without judgments.
PAPERS = "consensus"
#: Pairs of rankings whose agreement is told.
HALVES, MEASURES = "AP: odd, even topics", "AP and P@10"
TRUE, POPULAR, ALIKE = "consensus and AP", "likeness and AP", "consensus and likeness"
#: Estimates from labels drawn by design, drawn towards what votes say.
SHRUNK = f"{DESIGNED}, shrunk"
#: The ways of spending labels, as they are shown: the key, whether shrunk values, the name.
WAYS = (
    (DESIGNED, "shrunk", SHRUNK),
    (DESIGNED, "value", DESIGNED),
    (EVEN, "value", EVEN),
    (POOL, "value", POOL),
)


@dataclass(frozen=True, slots=True)
class Compared:
    """One method against the ranking by judgments; intervals are over topics.

    ``top`` is how many runs the top is, for what both share of it.
    """

    method: str
    figures: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float] | None]
    first: tuple[str, ...]
    top: int

    @property
    def shared(self) -> float:
        """How many runs both rankings have among their first ones."""
        return self.figures["overlap"] * self.top


@dataclass(frozen=True, slots=True)
class Bought:
    """What so many labels told, over draws: means, and the lowest and highest τ.

    ``covered`` is the share of true scores inside their 95 % interval (None: no intervals).
    """

    way: str
    budget: int
    draws: int
    labels: float
    tau: float
    ends: tuple[float, float]
    error: float
    regret: float
    covered: float | None


@dataclass(frozen=True, slots=True)
class Results:
    """All that is computed from the scores, once: rankings compared, what labels bought.

    ``compared`` holds methods against judgments, over all answers and over the first ten;
    ``yardsticks`` pairs of rankings with τ over all runs and over the best third; ``others`` τ by
    other measures of agreement; ``unlabelled`` τ, mean error and regret without a label.
    """

    compared: Mapping[str, tuple[Compared, ...]]
    yardsticks: tuple[tuple[str, float, float], ...]
    others: tuple[tuple[str, tuple[tuple[float, float], ...]], ...]
    bought: tuple[Bought, ...]
    unlabelled: tuple[float, float, float]

    @property
    def consensus(self) -> Compared:
        """The papers' consensus over all answers, against judgments."""
        return next(one for one in self.compared[ALL] if one.method == PAPERS)


def results(field: Field) -> Results:
    """Compute everything that is told, from the scores."""
    return Results(
        {over: tuple(compared(field, over)) for over in (ALL, TEN)},
        tuple(yardsticks(field)),
        tuple(by_other_measures(field)),
        tuple(bought(field)),
        unlabelled(field),
    )


@dataclass(frozen=True, slots=True)
class Field:
    """All runs with their scores, as columns of the same order."""

    told: Mapping[str, Any]

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(self.told["runs"])

    def truth(self, measure: str) -> NDArray[np.float64]:
        """Scores by the judgments."""
        return column(self.told["truth"][measure])

    def agreed(self, over: str, method: str = PAPERS) -> NDArray[np.float64]:
        """Scores by a method that saw no judgment."""
        return column(self.told["agreed"][over][method]["scores"])

    def other(self, method: str, measure: str) -> NDArray[np.float64]:
        """Scores by a further measure against what a method believes."""
        return column(self.told["others"][method][measure])

    @property
    def likeness(self) -> NDArray[np.float64]:
        """How much each run is like the others: its mean φ with them."""
        return column(self.told["dependence"]["likeness"])

    @property
    def best_third(self) -> NDArray[np.int64]:
        """The third of the runs that has the highest AP."""
        count = max(2, round(len(self.runs) / 3))
        return np.argsort(-self.truth("AP"), kind="stable")[:count]

    def fitting(self, over: str) -> list[str]:
        """Name the methods that gave a ranking."""
        told = self.told["agreed"][over]
        return [name for name in METHODS if "scores" in told.get(name, {})]


def column(values: Sequence[float | None]) -> NDArray[np.float64]:
    """Give recorded scores as numbers, NaN where undefined."""
    return np.array([np.nan if value is None else value for value in values], np.float64)


def compared(field: Field, over: str) -> list[Compared]:
    """Hold every method against the ranking by judgments."""
    true = dict(zip(field.runs, field.truth("AP" if over == ALL else "P@10"), strict=True))
    names = field.fitting(over)
    others = [dict(zip(field.runs, field.agreed(over, name), strict=True)) for name in names]
    found = correlate(true, *others)
    kept = field.told["agreed"][over]
    return [
        Compared(name, one.figures, _spans(kept[name]["intervals"]), one.first, one.top)
        for name, one in zip(names, found.rankings, strict=True)
    ]


def _spans(kept: Mapping[str, Any]) -> dict[str, tuple[float, float] | None]:
    return {name: None if ends is None else (ends[0], ends[1]) for name, ends in kept.items()}


def without_copies(field: Field, method: str) -> float:
    """τ of a method that has neither seen nor ranked exact copies of other runs."""
    again = {run for group in field.told["copies"] for run in group[1:]}
    left = [place for place, run in enumerate(field.runs) if run not in again]
    return kendall(field.truth("AP")[left], column(field.told["distinct"][method]["scores"]))


def yardsticks(field: Field) -> list[tuple[str, float, float]]:
    """τ of pairs of rankings, over all runs and over the best third: what τ is to be held against.

    Every other topic with judgments against the topics between them tells how far judgments agree
    with themselves.
    """
    ap, agreed, alike = field.truth("AP"), field.agreed(ALL), field.likeness
    third = field.best_third
    pairs = (
        (HALVES, field.truth("AP, odd"), field.truth("AP, even")),
        (MEASURES, ap, field.truth("P@10")),
        (TRUE, agreed, ap),
        (POPULAR, alike, ap),
        (ALIKE, agreed, alike),
    )
    return [(name, kendall(a, b), kendall(a[third], b[third])) for name, a, b in pairs]


def tiers(field: Field) -> NDArray[np.int64]:
    """Count runs by their third by judgments (rows) and by consensus (columns)."""
    made = np.zeros((3, 3), np.int64)
    count = len(field.runs)
    for a, b in zip(place(field.truth("AP")), place(field.agreed(ALL)), strict=True):
        made[(a - 1) * 3 // count, (b - 1) * 3 // count] += 1
    return made


def place(scores: NDArray[np.float64]) -> list[int]:
    """Give every run's place; equal scores share the first of theirs."""
    return [int(one) for one in places(np.nan_to_num(scores, nan=-np.inf))[0]]


def first(scores: NDArray[np.float64], count: int = TOP) -> list[int]:
    """Give the runs that a ranking puts first, best first."""
    return [int(one) for one in np.argsort(-scores, kind="stable")[:count]]


def placed_by_labels(field: Field, budget: int, values: str) -> list[float] | None:
    """Give every run's median place over the draws of so many labels; None where there are none."""
    told = [one for one in _of(field, DESIGNED) if one["budget"] == budget]
    if not told:
        return None
    every = np.array([place(column(one[values])) for one in told])
    return [float(one) for one in np.median(every, axis=0)]


def by_other_measures(field: Field) -> list[tuple[str, tuple[tuple[float, float], ...]]]:
    """τ against AP and against P@10, by what agreement is measured by, for methods that count."""
    ap, precision = field.truth("AP"), field.truth("P@10")
    made = []
    for over in (ALL, *OTHERS, TEN):
        found = []
        for method in COUNTING:
            scores = field.other(method, over) if over in OTHERS else field.agreed(over, method)
            found.append((kendall(ap, scores), kendall(precision, scores)))
        made.append((f"{over}, all answers" if over in OTHERS else over, tuple(found)))
    return made


def bought(field: Field) -> list[Bought]:
    """Tell what labels bought, by way and number."""
    made = []
    for key, values, name in WAYS:
        several: dict[int, list[Mapping[str, Any]]] = {}
        for one in _of(field, key):
            several.setdefault(one["budget"], []).append(one)
        made += [_bought(field, name, values, told) for told in several.values()]
    return made


def _of(field: Field, way: str) -> Iterator[Mapping[str, Any]]:
    return (one for one in field.told["labels"]["draws"] if one["way"] == way)


def _bought(field: Field, name: str, values: str, told: Sequence[Mapping[str, Any]]) -> Bought:
    true = column(field.told["labels"]["truth"])
    found = [column(one[values]) for one in told]
    taus = [kendall(true, one) for one in found]
    sure = values == "value" and all("covered" in one for one in told)
    return Bought(
        name,
        told[0]["budget"],
        len(told),
        float(np.mean([one["labels"] for one in told])),
        float(np.mean(taus)),
        (min(taus), max(taus)),
        float(np.mean([np.nanmean(np.abs(one - true)) for one in found])),
        float(np.mean([regret(true, one) for one in found])),
        _covered(told) if sure else None,
    )


def _covered(told: Sequence[Mapping[str, Any]]) -> float | None:
    """Give the share of intervals that hold the truth, of those that there are."""
    given = sum(one["intervals"] for one in told)
    return sum(one["covered"] for one in told) / given if given else None


def unlabelled(field: Field) -> tuple[float, float, float]:
    """τ, mean error and regret of the consensus over the same answers, without a label."""
    true, agreed = (column(field.told["labels"][name]) for name in ("truth", "agreed"))
    error = float(np.nanmean(np.abs(agreed - true)))
    return kendall(true, agreed), error, regret(true, agreed)
