"""What a simulation gives: intervals beside the truth that they should hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: The level of all intervals here.
LEVEL = 0.95
#: Coverage may miss the level by so much and is called full, and nearly full.
FULL, NEAR = 0.01, 0.03
#: Ends that touch the truth hold it: rounding.
DUST = 1e-9


@dataclass(frozen=True)
class Trials:
    """Intervals, the values they belong to, and the truth; ``run`` tells which were made together.

    Intervals that were not given are NaN. Those of one run share their data, so their hits are not
    independent: the error of a coverage is that of the runs' means.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    value: NDArray[np.float64]
    truth: NDArray[np.float64]
    run: NDArray[np.int64]

    @staticmethod
    def of(rows: Iterable[tuple[int, float, tuple[float, float] | None, float]]) -> Trials:
        """Take (run, value, interval, truth)."""
        table = np.array(
            [(run, value, *(ends or (np.nan, np.nan)), truth) for run, value, ends, truth in rows]
        )
        run, value, low, high, truth = table.T
        return Trials(low, high, value, truth, run.astype(np.int64))

    def hits(self, width: float = 1.0) -> NDArray[np.bool_]:
        """Tell which intervals hold the truth, if they were so many times as wide."""
        low = self.value - width * (self.value - self.low)
        high = self.value + width * (self.high - self.value)
        return (low - DUST <= self.truth) & (self.truth <= high + DUST)

    def coverage(self, width: float = 1.0) -> tuple[float, float, int]:
        """Give the share of intervals that hold the truth, its standard error, and the runs."""
        given = ~np.isnan(self.low)
        _, run = np.unique(self.run[given], return_inverse=True)
        count = np.bincount(run)
        share = np.bincount(run, self.hits(width)[given]) / count
        mean = float(self.hits(width)[given].mean())
        runs = len(count)
        apart = (share - mean) * count / count.mean()
        spread = float(np.sqrt((apart**2).sum() / max(runs - 1, 1)))
        return mean, max(spread, _least(runs)) / float(np.sqrt(runs)), runs

    @property
    def withheld(self) -> float:
        """The share of trials in which no interval was given."""
        return float(np.isnan(self.low).mean())


def _least(runs: int) -> float:
    """Of runs that all agree, a spread of 0 would be too good to be true."""
    return min(0.2, float(1 / np.sqrt(runs)))


@dataclass(frozen=True)
class Case:
    """One kind of interval in one situation.

    ``unit`` is what the interval speaks of, ``narrow`` says why it is known to hold the truth less
    often than it says, ``most`` how often it can at most. ``bends`` is False where half of an
    interval is no sensible interval.
    """

    kind: str
    about: str
    unit: str
    narrow: str | None = None
    bends: bool = True
    most: float = LEVEL


#: Makes so many runs: case → what came out.
Simulate = Callable[[int, int], dict[str, Trials]]


@dataclass(frozen=True)
class Simulation:
    """A simulation that tries some cases; ``runs`` are made for the record, ``few`` in tests."""

    name: str
    simulate: Simulate
    cases: dict[str, Case]
    runs: int
    few: int


@dataclass(frozen=True)
class Found:
    """How often one kind of interval held the truth."""

    simulation: str
    case: str
    kind: str
    about: str
    unit: str
    coverage: float
    error: float
    halved: float
    runs: int
    withheld: float
    verdict: str
    why: str | None


def found(simulation: Simulation, trials: dict[str, Trials]) -> list[Found]:
    """Judge every case of a simulation."""
    made = []
    for name, case in simulation.cases.items():
        coverage, error, runs = trials[name].coverage()
        made.append(
            Found(
                simulation.name,
                name,
                case.kind,
                case.about,
                case.unit,
                coverage,
                error,
                trials[name].coverage(0.5)[0],
                runs,
                trials[name].withheld,
                verdict(coverage, error),
                case.narrow,
            )
        )
    return made


def verdict(coverage: float, error: float) -> str:
    """Say whether intervals hold the truth as often as they say, up to an error of the trial."""
    if coverage + error >= LEVEL - FULL:
        return "covers"
    return "nearly covers" if coverage + error >= LEVEL - NEAR else "too narrow"
