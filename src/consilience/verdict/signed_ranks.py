"""Wilcoxon's signed ranks, of many rows of differences at once.

The differences that are not 0 are ranked by size, equal ones share the mean of their ranks, and
the ranks of the positive ones are added up: R⁺. If the differences are symmetric about 0, every
rank could as well have had the other sign. p (two-sided) is exact for up to :data:`SMALL`
differences, and up to :data:`NO_TIES` where no two are equally large; otherwise R⁺ is taken as
normal with mean n(n + 1)/4 and variance n(n + 1)(2n + 1)/24 − Σ(t³ − t)/48 over groups of t equal
ones, without correction for continuity. These are the choices of ``scipy.stats.wilcoxon`` for
differences that are not 0.

References
----------
F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1, 1945.
M. Hollander, D. A. Wolfe and E. Chicken, "Nonparametric Statistical Methods", 3rd ed., 2014, §3.1.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: All signs are tried up to so many differences, ties or not.
SMALL = 13
#: Without ties the exact distribution is used up to so many.
NO_TIES = 50
#: Differences as close as this are equally large: scores are means, and means are rounded.
EQUAL = 1e-12
_CELLS = 1 << 20


def wilcoxon(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give p of each row of differences; zeros and NaN are left out, 1 where nothing is left.

    Examples
    --------
    >>> wilcoxon(np.array([[0.1, 0.2, 0.05, 0.3, 0.12], [0.1, -0.1, 0.0, 0.2, np.nan]])).tolist()
    [0.0625, 0.75]
    >>> bool(wilcoxon(np.array([[0.1 + 0.2, 0.3, 0.5]]))[0] == wilcoxon(np.array([[3, 3, 5]]))[0])
    True
    """
    from scipy.special import ndtr

    ranks, positive, n = _ranked(rows)
    plus = (ranks * positive).sum(axis=1)
    ties = _ties(ranks)
    p = np.ones(len(rows))
    exact = (n > 0) & (n <= NO_TIES) & (ties == 0)
    tied = (n > 0) & (n <= SMALL) & (ties > 0)
    for count in np.unique(n[exact]).tolist():
        some = np.flatnonzero(exact & (n == count))
        least = np.minimum(plus[some], count * (count + 1) / 2 - plus[some])
        p[some] = np.minimum(1.0, 2 * _below(count)[least.astype(np.intp)])
    for count in np.unique(n[tied]).tolist():
        some = np.flatnonzero(tied & (n == count))
        p[some] = _all_signs(ranks[some, ranks.shape[1] - count :], plus[some])
    many = (n > 0) & ~exact & ~tied
    count = n[many].astype(np.float64)
    variance = count * (count + 1) * (2 * count + 1) / 24 - ties[many] / 48
    p[many] = 2 * ndtr(-np.abs(plus[many] - count * (count + 1) / 4) / np.sqrt(variance))
    return p


def _ranked(
    rows: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.intp]]:
    """Rank each row by size, smallest first: the ranks in that order, whose is positive, how many.

    What is left out comes first and has rank 0.
    """
    size = np.abs(np.nan_to_num(rows))
    order = np.argsort(size, axis=1)
    size = np.take_along_axis(size, order, axis=1)
    place = np.broadcast_to(np.arange(size.shape[1]), size.shape)
    begins = np.ones(size.shape, np.bool_)
    begins[:, 1:] = size[:, 1:] - size[:, :-1] > EQUAL
    ends = np.ones(size.shape, np.bool_)
    ends[:, :-1] = begins[:, 1:]
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=1)
    last = np.where(ends, place, size.shape[1])[:, ::-1]
    last = np.minimum.accumulate(last, axis=1)[:, ::-1]
    n = (size > 0).sum(axis=1)
    ranks = (first + last) / 2 + 1 - (size.shape[1] - n)[:, None]
    return np.where(size > 0, ranks, 0.0), np.take_along_axis(rows > 0, order, axis=1), n


def _ties(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give Σ(t³ − t) over groups of t equal ranks.

    A group whose ranks were replaced by their mean has lost (t³ − t)/12 of its sum of squares.
    """
    n = (ranks > 0).sum(axis=1).astype(np.float64)
    lost: NDArray[np.float64] = n * (n + 1) * (2 * n + 1) / 6 - (ranks * ranks).sum(axis=1)
    return 12 * lost


def signs(count: int) -> NDArray[np.float64]:
    """Give all ways to set signs.

    Examples
    --------
    >>> signs(2).tolist()
    [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]]
    """
    bits = (np.arange(1 << count)[:, None] >> np.arange(count)) & 1
    return bits.astype(np.float64) * 2 - 1


def _all_signs(ranks: NDArray[np.float64], plus: NDArray[np.float64]) -> NDArray[np.float64]:
    """Try all signs of each row of ranks: the share that is as far from the middle."""
    ways = signs(ranks.shape[1])
    far = np.abs(2 * plus - ranks.sum(axis=1))
    p = np.empty(len(ranks))
    step = max(1, _CELLS // len(ways))
    for begin in range(0, len(ranks), step):
        some = slice(begin, begin + step)
        p[some] = (np.abs(ranks[some] @ ways.T) >= far[some, None] - 1e-9).mean(axis=1)
    return p


@lru_cache(maxsize=NO_TIES)
def _below(n: int) -> NDArray[np.float64]:
    """Give P(R⁺ ≤ 0), P(R⁺ ≤ 1), … for n different ranks; all counts are whole and below 2⁵³."""
    ways = np.zeros(n * (n + 1) // 2 + 1)
    ways[0] = 1
    for rank in range(1, n + 1):
        ways[rank:] += ways[:-rank].copy()
    below: NDArray[np.float64] = np.cumsum(ways) / 2.0**n
    below.flags.writeable = False
    return below
