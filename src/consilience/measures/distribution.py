"""A measure that is not one number: its values, how probable each is, what can be said of it.

When it is uncertain which items are relevant, precision and recall are random (Santini, §4). A
:class:`Distribution` holds the values and their probabilities; the probability that the measure
is undefined (recall, where nothing at all is relevant) stands apart.

Two distributions are compared here as *independent*: for systems that are measured by the same
uncertain truth, use :mod:`consilience.measures.paired`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import UsageError, quote
from consilience.given import listed, numbers_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: Values and probabilities that differ by less are the same.
SAME = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """The values of a measure and their probabilities, given that it is defined.

    ``support`` rises; ``mass`` sums to 1, or both are empty where the measure is never defined.
    ``p_undefined`` is the probability that it is not. ``grouped`` tells that neighbouring values
    were put together: each stands for its neighbourhood, with the neighbourhood's mean.

    Examples
    --------
    >>> one = Distribution.of([0.0, 0.5, 1.0], [0.25, 0.5, 0.25])
    >>> one.mean, one.median, one.interval(0.5), one.at_least(0.5)
    (0.5, 0.5, (0.0, 0.5), 0.75)
    """

    support: NDArray[np.float64]
    mass: NDArray[np.float64]
    p_undefined: float = 0.0
    grouped: bool = False

    @staticmethod
    def of(
        values: ArrayLike,
        probabilities: ArrayLike,
        *,
        p_undefined: float = 0.0,
        grouped: bool = False,
    ) -> Distribution:
        """Take values in any order, some perhaps several times; bring probabilities to sum 1."""
        value = np.asarray(values, np.float64).ravel()
        weight = np.asarray(probabilities, np.float64).ravel()
        order = np.argsort(value, kind="stable")
        value, weight = value[order], weight[order]
        kept = weight > 0
        value, weight = value[kept], weight[kept]
        if not len(value):
            return Distribution(value, weight, 1.0, grouped)
        new = np.concatenate([[True], np.diff(value) > SAME * np.maximum(1.0, abs(value[1:]))])
        mass = np.add.reduceat(weight, np.flatnonzero(new))
        return Distribution(value[new], mass / mass.sum(), p_undefined, grouped)

    @staticmethod
    def point(value: float) -> Distribution:
        """Be sure of a value; of none where it is NaN."""
        return Distribution.of([] if np.isnan(value) else [value], [] if np.isnan(value) else [1.0])

    def __len__(self) -> int:
        return len(self.support)

    @property
    def mean(self) -> float:
        """The expected value, given that it is defined; NaN where it never is."""
        return float(self.support @ self.mass) if len(self) else float("nan")

    @property
    def sd(self) -> float:
        """The standard deviation."""
        if not len(self):
            return float("nan")
        return float(np.sqrt(max(0.0, float((self.support - self.mean) ** 2 @ self.mass))))

    @property
    def median(self) -> float:
        """The lowest value that is reached or undercut with probability ½."""
        return self.quantile(0.5)

    def quantile(self, q: float) -> float:
        """Give the lowest value x with P(value ≤ x) ≥ q."""
        if not len(self):
            return float("nan")
        place = int(np.searchsorted(np.cumsum(self.mass), q - SAME))
        return float(self.support[min(place, len(self) - 1)])

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Give the middle: below it and above it lies at most (1 - level) / 2 each."""
        return self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)

    def at_least(self, value: float) -> float:
        """Give the probability of a value or more."""
        return float(self.mass[self.support >= value - SAME].sum())

    def drawn(self, draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw values, as if the measure were always defined."""
        place = np.searchsorted(np.cumsum(self.mass), rng.random(draws), side="right")
        return self.support[np.minimum(place, len(self) - 1)]

    def fewer(self, points: int) -> Distribution:
        """Put neighbouring values together until there are so many at most; the mean stays."""
        if len(self) <= points:
            return self
        low, high = self.support[0], self.support[-1]
        cell = ((self.support - low) / (high - low) * points).astype(np.int64)
        cell = np.minimum(cell, points - 1)
        mass = np.bincount(cell, self.mass, points)
        total = np.bincount(cell, self.mass * self.support, points)
        kept = mass > 0
        return Distribution.of(
            total[kept] / mass[kept], mass[kept], p_undefined=self.p_undefined, grouped=True
        )


def mixed(parts: Sequence[Distribution], weights: Sequence[float]) -> Distribution:
    """Mix distributions: with probability ``weights[i]`` the i-th one holds (Santini, eq. 13).

    Examples
    --------
    >>> half = mixed([Distribution.point(1.0), Distribution.point(0.0)], [0.5, 0.5])
    >>> half.support.tolist(), half.mass.tolist()
    ([0.0, 1.0], [0.5, 0.5])
    """
    weights = numbers_of(weights, "weights").tolist()
    given: list[Distribution] = listed(parts) or []
    odd = [one for one in given if type(one) is not Distribution]
    if odd or len(weights) != len(given) or not all(w >= 0 for w in weights):
        found = quote(odd[0]) if odd else f"{len(given)} and {quote(weights)}"
        raise UsageError(
            f"a mixture takes distributions and as many weights from 0, found {found} "
            "(fix: mixed([a, b], [0.5, 0.5]))"
        )
    if len(given) == 1 and weights[0] == 1.0:
        return given[0]
    total = sum(weights)
    if abs(total - 1) > 1e-9:
        raise UsageError(f"the weights of a mixture must sum to 1, not {total:g}")
    share = [w * (1 - one.p_undefined) for one, w in zip(given, weights, strict=True)]
    undefined = sum(w * one.p_undefined for one, w in zip(given, weights, strict=True))
    return Distribution.of(
        np.concatenate([one.support for one in given]),
        np.concatenate([one.mass * w for one, w in zip(given, share, strict=True)]),
        p_undefined=undefined,
        grouped=any(one.grouped for one in given),
    )


@dataclass(frozen=True, slots=True)
class Comparison:
    """How two independent measures compare, given that both are defined.

    ``by_delta`` is P(A ≥ B + δ). ``wasserstein`` is the mean distance between equal quantiles,
    ∫ |F_A - F_B|; ``ks`` (Kolmogorov–Smirnov) is the largest distance of the two distribution
    functions.
    """

    greater: float
    less: float
    equal: float
    by_delta: float
    wasserstein: float
    ks: float


def compared(a: Distribution, b: Distribution, *, delta: float = 0.0) -> Comparison:
    """Compare two measures as if they were independent.

    Examples
    --------
    >>> a, b = Distribution.of([0, 1], [0.5, 0.5]), Distribution.of([0, 1], [0.75, 0.25])
    >>> compared(a, b, delta=1.0)  # doctest: +NORMALIZE_WHITESPACE
    Comparison(greater=0.375, less=0.125, equal=0.5, by_delta=0.375, wasserstein=0.25, ks=0.25)
    """
    if not len(a) or not len(b):
        nan = float("nan")
        return Comparison(nan, nan, nan, nan, nan, nan)
    upto = np.concatenate([[0.0], np.cumsum(b.mass)])
    below = upto[np.searchsorted(b.support, a.support - SAME)]
    not_above = upto[np.searchsorted(b.support, a.support + SAME, side="right")]
    far = upto[np.searchsorted(b.support, a.support - delta + SAME, side="right")]
    beyond = np.concatenate([np.cumsum(b.mass[::-1])[::-1], [0.0]])
    above = beyond[np.searchsorted(b.support, a.support + SAME, side="right")]
    points = np.union1d(a.support, b.support)
    gap = np.abs(_upto(a, points) - _upto(b, points))
    return Comparison(
        greater=float(a.mass @ below),
        less=float(a.mass @ above),
        equal=float(a.mass @ (not_above - below)),
        by_delta=float(a.mass @ far),
        wasserstein=float(gap[:-1] @ np.diff(points)),
        ks=float(gap.max()),
    )


def _upto(one: Distribution, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give P(value ≤ x) for some x, whatever rounding did to the values."""
    place = np.searchsorted(one.support, points + SAME, side="right")
    return np.concatenate([[0.0], np.cumsum(one.mass)])[place]
