"""Precision and recall at every cutoff, as bands instead of a curve.

At cutoff k the first k items hold K relevant ones; L are relevant beyond them. Precision K / k and
recall K / (K + L) each have a mean and an interval, exact as in :mod:`consilience.measures.ratios`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.expected import shares_of_relevant
from consilience.measures.ratios import recall
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


def band(query: Query, cell: Cell, *, level: float = 0.95) -> Band:
    """Compute the band of one system's list.

    Examples
    --------
    >>> from consilience.measures.lists import Cell, Query
    >>> p = np.array([0.5, 1.0, 0.0])
    >>> query = Query("q", p, 0, 0.0, ())
    >>> one = band(query, Cell(np.array([1, 0]), p[[1, 0]], None, True, True, 0))
    >>> one.precision.tolist(), one.recall.tolist(), one.recall_interval.T.tolist()
    ([1.0, 0.75], [0.75, 1.0], [[0.5, 1.0], [1.0, 1.0]])
    """
    k = cutoffs(cell.returned)
    begun, beyond = _prefixes(cell.p, k), _suffixes(query, cell, k)
    tails = (1 - level) / 2, (1 + level) / 2
    spread = [[_quantile(one, q) / at for q in tails] for one, at in zip(begun, k, strict=True)]
    shares = _shares(query, cell)
    return Band(
        k,
        np.cumsum(cell.p)[k - 1] / k,
        np.array(spread).reshape(-1, 2).T,
        np.minimum(np.cumsum(shares)[k - 1], 1.0),
        np.array([_recall_interval(*pair, tails) for pair in zip(begun, beyond, strict=True)])
        .reshape(-1, 2)
        .T,
    )


def _shares(query: Query, cell: Cell) -> NDArray[np.float64]:
    """Give the expected share of all that is relevant, item by item of the list."""
    if cell.spoken is None:
        return shares_of_relevant(query.p, more=query.more, p_more=query.p_more)[cell.place]
    held = np.where(cell.spoken, query.p, 0.0)
    return shares_of_relevant(held)[cell.place]


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


def _quantile(count: Count, q: float) -> int:
    place = int(np.searchsorted(count.at_most, q - 1e-12))
    return count.first + min(place, len(count.mass) - 1)


def _recall_interval(found: Count, rest: Count, tails: tuple[float, float]) -> list[float]:
    """Give the middle of K / (K + L)."""
    found, rest = found.trimmed(), rest.trimmed()
    if len(found.mass) * len(rest.mass) <= PAIRS:
        one = recall(found, rest)
        return [one.quantile(q) for q in tails]
    return [_searched(found, rest, q) for q in tails]


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
