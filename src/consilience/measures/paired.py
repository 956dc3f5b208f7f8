"""Two systems under the same uncertain truth: which one is better, and how probably.

Items that both return help or hurt both. Of a query's items, C are relevant and returned by both,
A by the first system only, B by the second only, O by neither: four independent numbers
(:mod:`consilience.measures.trials`). Precision, recall and F of both systems are functions of
these four, so the difference of two systems has an exact distribution, which is gone through where
the numbers are small; otherwise the four numbers are drawn, seeded.

With lists of equal length it is simpler still: what both return cancels, and the first system is
better exactly where A > B.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from consilience.errors import UsageError, quote, unknown
from consilience.measures.distribution import SAME, Distribution
from consilience.measures.sets import ratio
from consilience.measures.trials import Count, number_relevant

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: So many combinations of counts are gone through; where there are more, numbers are drawn.
COMBINATIONS = 1 << 21
#: How many numbers are drawn then.
DRAWS = 100_000

Shared = Literal["precision", "recall", "f"]
SHARED: tuple[Shared, ...] = ("precision", "recall", "f")


@dataclass(frozen=True, slots=True)
class Paired:
    """The first system's measure less the second's, under the same truth.

    ``difference`` is given that both measures are defined; ``method`` says whether all cases were
    gone through ("exact") or ``draws`` of them drawn ("simulation").
    """

    difference: Distribution
    method: Literal["exact", "simulation"]
    draws: int | None = None

    @property
    def greater(self) -> float:
        """P(first > second)."""
        return float(self.difference.mass[self.difference.support > SAME].sum())

    @property
    def less(self) -> float:
        """P(first < second)."""
        return float(self.difference.mass[self.difference.support < -SAME].sum())

    @property
    def equal(self) -> float:
        """P(first = second)."""
        return float(self.difference.mass[np.abs(self.difference.support) <= SAME].sum())

    def by(self, delta: float) -> float:
        """P(first ≥ second + δ)."""
        return self.difference.at_least(delta)

    def behind(self, delta: float) -> float:
        """P(second ≥ first + δ)."""
        return float(self.difference.mass[self.difference.support <= SAME - delta].sum())


def paired(
    p: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    measure: Shared = "precision",
    beta: float = 1.0,
    seed: int = 0,
) -> Paired:
    """Compare two systems' answers to one query under the same uncertain truth.

    Parameters
    ----------
    p
        The probability of every item of the query.
    first, second
        Which of these items each system returned: their numbers, from 0, each once.
    measure
        "precision", "recall" or "f" (with ``beta``).
    seed
        Where chance starts, if numbers have to be drawn.

    Examples
    --------
    Both return item 0; one adds item 1, the other item 2:

    >>> both = paired([0.5, 0.9, 0.4], [0, 1], [0, 2])
    >>> round(both.greater, 6), round(both.less, 6), round(both.equal, 6), both.method
    (0.54, 0.04, 0.42, 'exact')
    """
    if measure not in SHARED:
        raise unknown("measure", measure, SHARED)
    p = np.asarray(p, np.float64)
    in_first, in_second = _returned("first", first, len(p)), _returned("second", second, len(p))
    parts = (
        p[in_first & in_second],
        p[in_first & ~in_second],
        p[in_second & ~in_first],
        p[~(in_first | in_second)],
    )
    return of_counts(
        [number_relevant(part) for part in parts],
        (int(in_first.sum()), int(in_second.sum())),
        measure=measure,
        beta=beta,
        rng=np.random.default_rng(seed),
    )


def _returned(which: str, given: ArrayLike, items: int) -> NDArray[np.bool_]:
    """Tell which items a system returned; each is named once, by its number."""
    number, found = np.atleast_1d(np.asarray(given)), np.zeros(items, bool)
    if number.size and (number.ndim != 1 or number.dtype.kind not in "iu"):
        raise UsageError(
            f"the {which} system's items are numbers of items, found {quote(given)} "
            f"(fix: whole numbers from 0 to {items - 1})"
        )
    number = number.astype(np.int64)
    out = number[(number < 0) | (number >= items)]
    if len(out):
        raise UsageError(
            f"the {which} system returned item {out[0]}, and there are {items:,} "
            f"(fix: whole numbers from 0 to {items - 1})"
        )
    found[number] = True
    if found.sum() < len(number):
        twice = int(np.flatnonzero(np.bincount(number) > 1)[0])
        raise UsageError(f"the {which} system returned item {twice} twice (fix: name it once)")
    return found


def of_counts(
    counts: Sequence[Count],
    lengths: tuple[int, int],
    *,
    measure: Shared,
    beta: float = 1.0,
    rng: np.random.Generator,
) -> Paired:
    """Compare from the four counts: in both, in the first, in the second, in neither."""
    both, one, other, neither = (count.trimmed() for count in counts)
    if measure == "precision" and lengths[0] == lengths[1]:
        ahead = np.arange(one.first - other.last, one.last - other.first + 1)
        mass = np.convolve(one.mass, other.mass[::-1])
        return Paired(_of(ratio(ahead, lengths[0]), mass), "exact")
    if measure == "precision":
        neither = Count(0, np.ones(1))
    elif measure == "recall" or lengths[0] == lengths[1]:  # only the sum of these two matters
        both, neither = Count(0, np.ones(1)), both.plus(neither).trimmed()
        wide = len(one.mass) + len(other.mass)
        if wide * (wide + len(neither.mass)) <= COMBINATIONS:
            ahead, total, mass = _ahead(one, other, neither)
            value = _value(ahead, total, lengths[0], measure, beta)
            return Paired(_of(np.broadcast_to(value, mass.shape), mass), "exact")
    four = both, one, other, neither
    if np.prod([float(len(count.mass)) for count in four]) <= COMBINATIONS:
        grid = np.meshgrid(*(count.values for count in four), indexing="ij", sparse=True)
        mass = four[0].mass
        for count in four[1:]:
            mass = np.multiply.outer(mass, count.mass)
        value = np.broadcast_to(_difference(grid, lengths, measure, beta), mass.shape)
        return Paired(_of(value, mass), "exact")
    drawn = [count.draw(DRAWS, rng) for count in four]
    value = _difference(drawn, lengths, measure, beta)
    return Paired(_of(value, np.full(DRAWS, 1 / DRAWS)), "simulation", DRAWS)


def _ahead(
    one: Count, other: Count, rest: Count
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Give the joint distribution of A - B (rows) and A + B + O (columns)."""
    ahead = np.arange(one.first - other.last, one.last - other.first + 1)
    total = np.arange(one.first + other.first, one.last + other.last + 1)
    sums = np.zeros((len(ahead), len(total)))
    for place, mass in enumerate(one.mass.tolist()):
        b = np.arange(len(other.mass))
        sums[place - b + len(b) - 1, place + b] = mass * other.mass
    joint = np.stack([np.convolve(row, rest.mass) for row in sums])
    return ahead[:, None], np.arange(total[0] + rest.first, total[-1] + rest.last + 1), joint


def _value(
    ahead: NDArray[np.int64], total: NDArray[np.int64], length: int, measure: str, beta: float
) -> NDArray[np.float64]:
    """Give the difference of recall, or of F of two lists of equal length."""
    if measure == "recall":
        return ratio(ahead, total)
    return ratio((1 + beta**2) * ahead, beta**2 * total + length)


def _of(value: NDArray[np.float64], mass: NDArray[np.float64]) -> Distribution:
    defined = ~np.isnan(value)
    undefined = float(mass[~defined].sum())
    return Distribution.of(value[defined], mass[defined], p_undefined=min(undefined, 1.0))


def _difference(
    counts: Sequence[NDArray[np.int64]], lengths: tuple[int, int], measure: str, beta: float
) -> NDArray[np.float64]:
    both, one, other, neither = counts
    first, second = both + one, both + other
    if measure == "precision":
        return ratio(first, lengths[0]) - ratio(second, lengths[1])
    total = both + one + other + neither
    if measure == "recall":
        return ratio(first - second, total)
    square = beta**2
    return (1 + square) * (
        ratio(first, square * total + lengths[0]) - ratio(second, square * total + lengths[1])
    )
