"""Precision, recall and F as random variables, from counts of what is relevant.

A list of n items holds K relevant ones; L of the items that it leaves out are relevant. Both are
random and independent of each other (:mod:`consilience.measures.trials`). Then

- precision is K / n (Santini, eq. 11, as a proper distribution: the printed equation divides the
  mass by n as well, and no longer sums to 1);
- recall is K / (K + L), undefined where nothing is relevant at all;
- recall as in the paper (eq. 12) is K / |ω| with the *expected* size |ω| = E[K + L] fixed: it
  can exceed 1;
- F_β is (1 + β²) K / (β² (K + L) + n), undefined only where nothing is relevant and n = 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.distribution import Distribution
from consilience.measures.trials import Count

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

#: So many pairs of counts are looked at in one go; more of them row by row.
PAIRS = 1 << 21
#: Where there are more pairs than this, counts whose probability is below 1e-18 are left out.
FEW = 1 << 14
#: So many values are told apart where there are more pairs than that.
CELLS = 4096


def precision(found: Count, returned: int) -> Distribution:
    """Give the distribution of K / n; never defined where nothing was returned.

    Examples
    --------
    >>> from consilience.measures.trials import number_relevant
    >>> precision(number_relevant([0.6, 0.4]), 2).mass.round(10).tolist()
    [0.24, 0.52, 0.24]
    """
    if not returned:
        return Distribution.of([], [])
    return Distribution.of(found.values / returned, found.mass)


def recall(found: Count, rest: Count) -> Distribution:
    """Give the distribution of K / (K + L), given that something is relevant.

    Examples
    --------
    The belief of Lamiroy & Sun's Table 3 and their system S1:

    >>> from consilience.measures.trials import number_relevant
    >>> found, rest = number_relevant([0.8, 0.8, 0.4, 0.4]), number_relevant([0.4, 0.4, 0.2])
    >>> one = recall(found, rest)
    >>> round(one.mean, 6), round(one.p_undefined, 6)
    (0.727021, 0.004147)
    """

    def share(k: NDArray[np.float64], missed: NDArray[np.float64]) -> NDArray[np.float64]:
        return k / np.maximum(k + missed, 1)

    return _joint(found, rest, share, found.of(0) * rest.of(0))


def recall_fixed(found: Count, size: float) -> Distribution:
    """Give the distribution of K / |ω|; never defined where |ω| is 0."""
    if not size:
        return Distribution.of([], [])
    return Distribution.of(found.values / size, found.mass)


def f_measure(found: Count, rest: Count, returned: int, *, beta: float = 1.0) -> Distribution:
    """Give the distribution of F_β.

    Examples
    --------
    >>> from consilience.measures.trials import number_relevant
    >>> found, rest = number_relevant([0.8, 0.8, 0.4, 0.4]), number_relevant([0.4, 0.4, 0.2])
    >>> round(f_measure(found, rest, 4).mean, 6)
    0.634729
    """
    square = beta**2

    def of_counts(k: NDArray[np.float64], missed: NDArray[np.float64]) -> NDArray[np.float64]:
        return (1 + square) * k / np.maximum(square * (k + missed) + returned, 1e-300)

    return _joint(found, rest, of_counts, 0.0 if returned else found.of(0) * rest.of(0))


def _joint(
    found: Count,
    rest: Count,
    value: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]],
    undefined: float,
) -> Distribution:
    """Give the distribution of a function of both counts."""
    if len(found.mass) * len(rest.mass) > FEW:
        found, rest = found.trimmed(), rest.trimmed()
    k, missed = found.values.astype(np.float64), rest.values.astype(np.float64)
    nothing = (k[:, None] == 0) & (missed == 0) if undefined else None
    if len(k) * len(missed) <= PAIRS:
        mass = np.outer(found.mass, rest.mass)
        if nothing is not None:
            mass[nothing] = 0.0
        return Distribution.of(value(k[:, None], missed), mass, p_undefined=undefined)
    return _grouped(found, rest, value, undefined)


def _grouped(
    found: Count,
    rest: Count,
    value: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]],
    undefined: float,
) -> Distribution:
    """Put the values of very many pairs into narrow cells, each with its own mean."""
    k, missed = found.values.astype(np.float64), rest.values.astype(np.float64)
    corners = value(k[[0, 0, -1, -1]], missed[[0, -1, 0, -1]])
    low, high = float(corners.min()), float(corners.max())
    mass, total = np.zeros(CELLS), np.zeros(CELLS)
    rows = max(1, PAIRS // len(missed))
    for begin in range(0, len(k), rows):
        some = k[begin : begin + rows, None]
        values = value(some, missed)
        weight = np.outer(found.mass[begin : begin + rows], rest.mass)
        if undefined:
            weight[(some == 0) & (missed == 0)] = 0.0
        cell = ((values - low) / max(high - low, 1e-300) * CELLS).astype(np.int64)
        cell = np.clip(cell, 0, CELLS - 1).ravel()
        mass += np.bincount(cell, weight.ravel(), CELLS)
        total += np.bincount(cell, (weight * values).ravel(), CELLS)
    kept = mass > 0
    return Distribution.of(
        total[kept] / mass[kept], mass[kept], p_undefined=undefined, grouped=True
    )
