"""From single queries to systems: expected scores averaged, intervals over possible truths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from consilience.measures.bands import Band, cutoffs
from consilience.measures.distribution import Distribution
from consilience.verdict.outcomes import (
    Method,
    Outcome,
    ap_of,
    expected_aps_of,
    outcome,
    summed_up,
)
from consilience.verdict.possible import (
    Draws,
    Part,
    Parts,
    Scored,
    averaged,
    drawn_scores,
    every_score,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.lists import Lists

#: Bands of single queries are computed for so many lists; beyond, only those of systems.
BANDS = 60
#: With more lists than this, so many points of each distribution are kept.
LISTS, POINTS = 400, 400
#: With more systems than this, bands and pairs are given for so many: the first ones.
SYSTEMS = 30
#: The most cutoffs of a band over several queries.
CUTOFFS = 50


@dataclass(frozen=True, slots=True)
class Extent:
    """All that there is to be gone through, where lists are those of some of the queries.

    ``first`` is the number of their first query among all. ``longest`` has the length of every
    system's longest list, ``ordered`` tells whether all lists of a system have an order.
    """

    queries: int
    first: int
    longest: tuple[int, ...]
    ordered: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be computed: the lists, what queries may be about, the settings, what ranks.

    ``extent`` is that of the whole, where the lists are a part; None: they are all. ``keep`` is how
    many points of a query's distribution are kept, where there are very many (None: some hundred).
    """

    lists: Lists
    parts: Parts
    measures: tuple[str, ...]
    beta: float
    level: float
    delta: float
    draws: int
    seed: int
    leads: str = "f1"
    extent: Extent | None = None
    keep: int | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems."""
        return self.lists.systems

    @property
    def queries(self) -> int:
        """How many queries there are in all."""
        return len(self.lists.queries) if self.extent is None else self.extent.queries

    @property
    def first(self) -> int:
        """The number of the first query of these lists."""
        return 0 if self.extent is None else self.extent.first

    @property
    def longest(self) -> int:
        """The length of the longest list of all."""
        if self.extent is None:
            return self.lists.longest
        return max(self.extent.longest, default=0)

    @property
    def single(self) -> bool:
        """Whether there is one query only."""
        return self.queries == 1

    def longest_of(self, system: int) -> int:
        """Give the length of a system's longest list."""
        return self.lists.longest_of(system) if self.extent is None else self.extent.longest[system]

    def ordered(self, system: int) -> bool:
        """Tell whether all lists of a system that hold something have an order."""
        return self.lists.ordered(system) if self.extent is None else self.extent.ordered[system]

    def rng(self, column: int) -> np.random.Generator:
        """Give each query a source of chance of its own."""
        return np.random.default_rng([self.seed, self.first + column])


#: Gives what is asked of every part of the lists, one after the other.
Several: TypeAlias = "Callable[[], Iterable[Asked]]"


@dataclass(frozen=True, slots=True)
class Standing:
    """One system over all queries: expected values, intervals and how these were found.

    ``spreads`` holds the distribution of each measure's average. ``defined`` counts the queries
    that have a value. ``shown`` tells whether pairs and bands are given for the system.
    """

    name: str
    queries: int
    missing: int
    means: dict[str, float]
    intervals: dict[str, tuple[float, float] | None]
    spreads: dict[str, Distribution]
    methods: dict[str, Method]
    reasons: dict[str, str | None]
    defined: dict[str, int]
    band: Band | None
    shown: bool


def measures_of(beta: float) -> tuple[str, ...]:
    """Name the measures that a truth gives a value to."""
    more = ("f_beta",) if beta != 1.0 else ()
    return ("precision", "recall", "recall_fixed", "f1", *more, "ap")


def gone_through(asked: Asked, several: Several) -> tuple[tuple[Outcome, ...], Scored]:
    """Go through the queries: what each system may score on each, and on their average."""
    outcomes: list[Outcome] = []
    bands = len(asked.systems) * asked.queries <= BANDS
    joint = not asked.single and len(asked.systems) <= SYSTEMS
    k = cutoffs(asked.longest, CUTOFFS) if joint else np.zeros(0, np.int64)

    def scores() -> Iterator[Scored]:
        for one in several():
            for column, query in enumerate(one.lists):
                parts = one.parts(column, query)
                every = every_score(parts, one.measures, one.beta)
                drawn = every
                if drawn is None or not one.single:
                    how = Draws(one.draws, one.rng(column), k, tuple(range(len(one.systems))))
                    drawn = drawn_scores(parts, one.measures, one.beta, how)
                outcomes.extend(_outcomes(one, parts, every or drawn, bands=bands))
                yield drawn

    over = next(scores()) if asked.single else averaged(scores())
    return tuple(outcomes), over


def _outcomes(
    asked: Asked, parts: Sequence[Part], scored: Scored, *, bands: bool
) -> Iterator[Outcome]:
    weights = scored.weight if scored.exact else None
    points = None if len(asked.systems) * asked.queries <= LISTS else POINTS
    means = expected_aps_of(parts)
    for number, name in enumerate(asked.systems):
        made = outcome(number, name, parts, beta=asked.beta, level=asked.level, bands=bands)
        cell = parts[0][1].cells[number]
        scores = scored.scores["ap"][number]
        ap, mean, why = ap_of(cell, float(means[number]), made.p_none_relevant, scores, weights)
        whole = replace(
            made,
            values={**made.values, "ap": ap},
            means={**made.means, "ap": mean},
            methods={**made.methods, "ap": "simulation" if weights is None else "exact"},
            reasons={**made.reasons, "ap": why},
        )
        whole = summed_up(whole, asked.level, points)
        if points is not None and asked.keep is not None:
            few = {name: one.fewer(asked.keep) for name, one in whole.values.items()}
            whole = replace(whole, values=few)
        yield whole


def standings_of(asked: Asked, outcomes: Sequence[Outcome], over: Scored) -> tuple[Standing, ...]:
    """Average every system over the queries."""
    count = len(asked.systems)  # outcomes stand query by query, every system's in each
    made = [_standing(asked, n, outcomes[n::count], over) for n in range(count)]
    if len(made) <= SYSTEMS:
        return tuple(made)
    order = sorted(range(len(made)), key=lambda n: -np.nan_to_num(made[n].means[asked.leads]))
    first = {*order[:SYSTEMS]}
    return tuple(replace(one, shown=number in first) for number, one in enumerate(made))


def _standing(asked: Asked, number: int, mine: Sequence[Outcome], over: Scored) -> Standing:
    measures = tuple(mine[0].values)
    values = {m: np.array([one.means[m] for one in mine]) for m in measures}
    known = {m: values[m][~np.isnan(values[m])] for m in measures}
    means = {m: float(known[m].mean()) if len(known[m]) else float("nan") for m in measures}
    spreads = {m: mine[0].values[m] if asked.single else _over(over, number, m) for m in measures}
    methods: dict[str, Method] = (
        mine[0].methods if asked.single else dict.fromkeys(measures, "simulation")
    )
    intervals: dict[str, tuple[float, float] | None] = {
        m: one.interval(asked.level) if len(one) and len(known[m]) else None
        for m, one in spreads.items()
    }
    reasons = {m: None if len(known[m]) else mine[0].reasons[m] for m in measures}
    return Standing(
        mine[0].system,
        sum(one.put for one in mine),
        sum(not one.put for one in mine),
        means,
        intervals,
        {m: one.fewer(POINTS) for m, one in spreads.items()},
        methods,
        reasons,
        {m: len(known[m]) for m in measures},
        mine[0].band if asked.single else _band(over, number, asked),
        shown=True,
    )


def _over(over: Scored, number: int, measure: str) -> Distribution:
    """Give a system's average over the queries under the truths."""
    values = over.scores[measure][number]
    known = ~np.isnan(values)
    return Distribution.of(values[known], over.weight[known])


def _band(over: Scored, number: int, asked: Asked) -> Band | None:
    """Give the band of a system over several queries, from drawn truths."""
    if not over.at:
        return None
    if not asked.ordered(number):
        return None
    k = cutoffs(asked.longest, CUTOFFS)
    k = k[k <= asked.longest_of(number)]
    tails = [(1 - asked.level) / 2, (1 + asked.level) / 2]

    def spread(name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        values = over.at[name][number, : len(k)]
        if np.isnan(values).any():  # nothing can be relevant, under any truth
            return np.full(len(k), np.nan), np.full((2, len(k)), np.nan)
        return values.mean(axis=1), np.quantile(values, tails, axis=1)

    precision, recall = spread("precision"), spread("recall")
    return Band(k, *precision, *recall)
