"""Precision and recall at every cutoff, as bands instead of a curve.

At cutoff k the first k items hold K relevant ones; L are relevant beyond them. Precision K / k and
recall K / (K + L) each have a mean and an interval, exact as in :mod:`consilience.measures.ratios`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.distribution import mixed
from consilience.measures.expected import shares_of_relevant
from consilience.measures.ratios import precision, recall
from consilience.measures.trials import Count, number_relevant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.lists import Cell, Query

#: The most cutoffs of a band; of longer lists some are chosen.
CUTOFFS = 100
#: So many pairs of counts are gone through for the interval of recall; beyond, it is searched.
PAIRS = 1 << 16


@dataclass(frozen=True, slots=True)
class Band:
    """Means and intervals of precision and recall at some cutoffs ``k`` (rows: low, high)."""

    k: NDArray[np.int64]
    precision: NDArray[np.float64]
    precision_interval: NDArray[np.float64]
    recall: NDArray[np.float64]
    recall_interval: NDArray[np.float64]


def cutoffs(longest: int, most: int = CUTOFFS) -> NDArray[np.int64]:
    """Choose cutoffs up to a length: all, or the first ones densely and then ever wider.

    Examples
    --------
    >>> cutoffs(4).tolist(), cutoffs(1000, 6).tolist()
    ([1, 2, 3, 4], [1, 4, 16, 63, 251, 1000])
    """
    if longest <= most:
        return np.arange(1, longest + 1)
    return np.unique(np.round(float(longest) ** (np.arange(most) / (most - 1))).astype(np.int64))


def band(parts: Sequence[tuple[float, Query, Cell]], *, level: float = 0.95) -> Band:
    """Compute the band of one system's list.

    Parameters
    ----------
    parts
        What may be true of the query: how probable that is, the query and the list under it. One
        part of weight 1, unless the query itself is uncertain.
    level
        How much probability the intervals hold.

    Examples
    --------
    >>> from consilience.measures.lists import Cell, Query
    >>> p = np.array([0.5, 1.0, 0.0])
    >>> query = Query("q", p, 0, 0.0, ())
    >>> one = band([(1.0, query, Cell(np.array([1, 0]), p[[1, 0]], None, True, True, 0))])
    >>> one.precision.tolist(), one.recall.round(9).tolist(), one.recall_interval.T.tolist()
    ([1.0, 0.75], [0.75, 1.0], [[0.5, 1.0], [1.0, 1.0]])
    """
    weights = [weight for weight, _, _ in parts]
    k = cutoffs(parts[0][2].returned)
    begun = [_prefixes(cell.p, k) for _, _, cell in parts]
    beyond = [_suffixes(query, cell, k) for _, query, cell in parts]
    tails = (1 - level) / 2, (1 + level) / 2
    spread, reached = [], []
    for place, at in enumerate(k.tolist()):
        one = mixed([precision(counts[place], at) for counts in begun], weights)
        spread.append([one.quantile(q) for q in tails])
        pairs = [
            (a[place].trimmed(), b[place].trimmed()) for a, b in zip(begun, beyond, strict=True)
        ]
        reached.append(_recall_interval(pairs, weights, tails))
    return Band(
        k,
        np.average([np.cumsum(cell.p)[k - 1] for _, _, cell in parts], axis=0, weights=weights) / k,
        np.array(spread).reshape(-1, 2).T,
        _mean_recall(parts, k),
        np.array(reached).reshape(-1, 2).T,
    )


def _mean_recall(
    parts: Sequence[tuple[float, Query, Cell]], k: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Give expected recall at each cutoff, given that something is relevant."""
    defined = [weight * query.something(cell) for weight, query, cell in parts]
    if not sum(defined):
        return np.full(len(k), np.nan)
    means = [np.cumsum(np.nan_to_num(_shares(query, cell)))[k - 1] for _, query, cell in parts]
    return np.minimum(np.average(means, axis=0, weights=defined), 1.0)


def _shares(query: Query, cell: Cell) -> NDArray[np.float64]:
    """Give the expected share of all that is relevant, item by item of the list."""
    held = query.p if cell.spoken is None else np.where(cell.spoken, query.p, 0.0)
    return shares_of_relevant(held, more=query.more, p_more=query.p_more)[cell.place]


def _prefixes(p: NDArray[np.float64], k: NDArray[np.int64]) -> list[Count]:
    """Count the relevant items up to each cutoff."""
    counts, count, before = [], Count(0, np.ones(1)), 0
    for at in k.tolist():
        count = count.plus(number_relevant(p[before:at]))
        counts.append(count)
        before = at
    return counts


def _suffixes(query: Query, cell: Cell, k: NDArray[np.int64]) -> list[Count]:
    """Count the relevant items beyond each cutoff: further down the list, or not in it."""
    counts, count, after = [], query.rest(cell), cell.returned
    for at in k[::-1].tolist():
        count = count.plus(number_relevant(cell.p[at:after]))
        counts.append(count)
        after = at
    return counts[::-1]


def _recall_interval(
    pairs: Sequence[tuple[Count, Count]], weights: Sequence[float], tails: tuple[float, float]
) -> list[float]:
    """Give the middle of K / (K + L)."""
    size = len(pairs[0][0].mass) * len(pairs[0][1].mass)
    if len(pairs) == 1 and size > PAIRS:
        return [_searched(*pairs[0], q) for q in tails]
    one = mixed([recall(found, rest) for found, rest in pairs], weights)
    return [one.quantile(q) for q in tails]


def _searched(found: Count, rest: Count, q: float) -> float:
    """Find the lowest x with P(K / (K + L) ≤ x) ≥ q by halving: P(L ≥ K (1 - x) / x)."""
    undefined = found.of(0) * rest.of(0)
    wanted = q * (1 - undefined) + undefined - 1e-12
    low, high = 0.0, 1.0
    k = found.values
    if found.of(0) >= wanted:
        return 0.0
    while high - low > 1e-9:
        x = (low + high) / 2
        if float(found.mass @ rest.tail(k * (1 - x) / x)) >= wanted:
            high = x
        else:
            low = x
    return high
