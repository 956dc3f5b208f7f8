"""How far would the averages move with other queries? The bootstrap over queries.

A test collection's queries are a sample of what people might ask. Queries are drawn again, with
replacement, as often as there are; every system is averaged over the same draw, so differences
between systems are paired. Plain bootstrap percentiles are too narrow for few queries; they are
widened to the level that Student's t would need (the *expanded percentile* interval of Hesterberg
2015, "What teachers should know about the bootstrap", §4.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience import progress
from consilience.errors import UsageError, quote
from consilience.measures.sets import Counts, ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: How often queries are drawn again.
SAMPLES = 2000
METHOD = "percentile bootstrap, expanded for small samples (Hesterberg 2015)"
#: Fewer queries than this say nothing about other queries.
FEWEST = 3
#: So many numbers are drawn at a time: few enough to stay in the processor's cache.
_CELLS = 1 << 18


def check_chance(level: object, seed: object, samples: object = SAMPLES) -> None:
    """Refuse what cannot be a level of intervals, a seed of chance or a number of draws."""
    if not isinstance(level, float | int) or not 0 < level < 1:
        raise UsageError(f"the level must be between 0 and 1, found {level} (fix: 0.95)")
    if not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise UsageError(f"the seed must be a whole number from 0, found {seed} (fix: 0)")
    if not isinstance(samples, int) or isinstance(samples, bool) or samples < 1:
        raise UsageError(
            f"samples must be a whole number from 1, found {quote(samples)} (fix: {SAMPLES})"
        )


@dataclass(frozen=True, slots=True)
class Resampled:
    """Averages of each system over many draws of the queries (draws × systems)."""

    draws: NDArray[np.float64]
    queries: int
    seed: int

    def tail(self, level: float) -> float | None:
        """Give the share of draws on each side of an interval; None with too few queries.

        Examples
        --------
        >>> drawn = resample(np.array([[0.2, 0.4, 0.9, 0.3, 0.6, 0.5, 0.1, 0.7, 0.8, 0.5]]), seed=0)
        >>> round(drawn.tail(0.95), 4)
        0.0086
        """
        return expanded_tail(level, self.queries) if self.queries >= FEWEST else None

    def interval(self, column: NDArray[np.float64], level: float) -> tuple[float, float] | None:
        """Give the interval of a column of draws; None where it cannot be had."""
        column = column[~np.isnan(column)]
        tail = self.tail(level)
        if tail is None or not len(column):
            return None
        low, high = np.quantile(column, [tail, 1 - tail])
        return float(low), float(high)


def expanded_tail(level: float, n: int) -> float:
    """The tail of the percentile interval that covers as Student's interval would.

    Φ(−√(n / (n − 1)) · t), where t is the quantile of Student's t with n − 1 degrees of freedom.

    Examples
    --------
    >>> round(expanded_tail(0.95, 10), 4), round(expanded_tail(0.95, 10_000), 4)
    (0.0086, 0.025)
    """
    from scipy.special import ndtr, stdtrit

    t = float(stdtrit(n - 1, (1 - level) / 2))
    return float(ndtr(t * np.sqrt(n / (n - 1))))


def resample(values: NDArray[np.float64], *, seed: int, samples: int = SAMPLES) -> Resampled:
    """Average each system over queries drawn anew; undefined values are left out of a draw.

    Queries that are undefined for every system say nothing and are not drawn. Draws are made some
    at a time; their number and the systems decide how much memory is used, not the queries.

    Parameters
    ----------
    values
        Systems × queries; NaN where undefined.
    seed
        The seed of chance.
    samples
        How many draws.

    Examples
    --------
    >>> drawn = resample(np.array([[0.2, 0.4, 0.9]]), seed=0)
    >>> low, high = drawn.interval(drawn.draws[:, 0], 0.9)
    >>> 0.2 <= low < 0.5 < high <= 0.9
    True
    """
    known = values[:, ~np.isnan(values).all(axis=0)]
    filled, defined = np.nan_to_num(known).T, (~np.isnan(known)).T.astype(np.float64)
    queries, systems = filled.shape
    everywhere = bool(defined.all())  # then every draw has as many values as there are queries
    draws = np.full((samples, systems), np.nan)
    for place, times in _draw(queries, seed, samples):
        draws[place] = ratio(times @ filled, queries if everywhere else times @ defined)
    return Resampled(draws, queries, seed)


def resample_counts(
    counts: Sequence[Counts],
    divide: Callable[[Counts], NDArray[np.float64]],
    *,
    seed: int,
    samples: int = SAMPLES,
) -> Resampled:
    """Micro averages over queries drawn anew: counts are added up, then divided once.

    Parameters
    ----------
    counts
        Each system's counts, query by query.
    divide
        What makes a measure of counts.
    seed, samples
        As in :func:`resample`.

    Examples
    --------
    >>> from consilience.measures.sets import precision
    >>> one = Counts.of(tp=[1, 9], fp=[1, 1], fn=[0, 0], tn=[0, 0])  # 1/2 and 9/10
    >>> drawn = resample_counts([one], precision, seed=0)
    >>> sorted({round(float(value), 3) for value in drawn.draws[:, 0]})
    [0.5, 0.833, 0.9]
    """
    parts = [
        np.stack([getattr(one, part) for one in counts]).T for part in ("tp", "fp", "fn", "tn")
    ]
    queries, systems = parts[0].shape
    draws = np.full((samples, systems), np.nan)
    for place, times in _draw(queries, seed, samples):
        draws[place] = divide(Counts(*(times @ part for part in parts)))
    return Resampled(draws, queries, seed)


def _draw(queries: int, seed: int, samples: int) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Draw as many queries as there are, many times: how often each came, some draws at a time."""
    rng = np.random.default_rng(seed)
    step = max(1, _CELLS // max(queries, 1))
    for begin in range(0, samples if queries else 0, step):
        count = min(step, samples - begin)
        drawn = rng.integers(0, queries, size=(count, queries))
        drawn += np.arange(count)[:, None] * queries
        times = np.bincount(drawn.ravel(), minlength=count * queries).reshape(count, queries)
        yield slice(begin, begin + count), times.astype(np.float64)
        progress.report(begin + count, samples)
