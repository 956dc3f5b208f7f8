"""Standard paired tests over queries, corrected for many comparisons.

Each asks: could two systems that are equally good differ so much on queries like these? Four
answers are given side by side because each has its own assumption:

- *t*: differences are roughly normal;
- *Wilcoxon* signed ranks: differences are symmetric;
- *sign*: none, but only the direction counts (exact binomial, ties left out);
- *randomisation*: the systems' names could have been swapped on any query; exact up to
  :data:`ALL` queries, otherwise so many seeded swaps (Smucker, Allan & Carterette 2007).

p-values of all pairs are corrected by Holm's step-down method (Holm 1979), which keeps the chance
of any false claim below the level whatever the dependence between the tests.

References
----------
S. Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6, 1979.
M. Smucker, J. Allan and B. Carterette, "A comparison of statistical significance tests for
information retrieval evaluation", CIKM 2007.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: Every swap is tried up to so many queries.
ALL = 12
#: So many swaps are drawn beyond.
SWAPS, BATCH = 10_000, 500
#: Differences that are no larger are rounding errors.
DUST = 1e-12
#: Fewer queries than this tell nothing.
FEWEST = 2

TESTS = ("t", "wilcoxon", "sign", "randomisation")


@dataclass(frozen=True, slots=True)
class PairedTests:
    """p-values (two-sided) of one pair; NaN where a test says nothing. ``n``: queries."""

    n: int
    p: dict[str, float]


def paired_tests(differences: ArrayLike, *, seed: int = 0) -> PairedTests:
    """Test whether differences, one per query, are centred at 0; NaN is left out.

    Examples
    --------
    >>> found = paired_tests([0.1, 0.2, 0.05, 0.3, 0.1])
    >>> round(found.p["sign"], 4), round(found.p["randomisation"], 4), round(found.p["t"], 4)
    (0.0625, 0.0625, 0.0285)
    """
    return all_paired_tests(np.asarray(differences, np.float64), seed=seed)[0]


def all_paired_tests(differences: ArrayLike, *, seed: int = 0) -> list[PairedTests]:
    """Test many rows of differences; the names of all pairs are swapped at the same queries."""
    rows = np.atleast_2d(np.asarray(differences, np.float64))
    rows = np.where(np.abs(rows) <= DUST, 0.0, rows)
    swapped = _randomised(np.nan_to_num(rows), seed)
    return [_tests(row[~np.isnan(row)], float(p)) for row, p in zip(rows, swapped, strict=True)]


def _tests(d: NDArray[np.float64], randomised: float) -> PairedTests:
    from scipy import stats

    if len(d) < FEWEST:
        return PairedTests(len(d), dict.fromkeys(TESTS, float("nan")))
    if not d.any():
        return PairedTests(len(d), dict.fromkeys(TESTS, 1.0))
    up, moved = int((d > 0).sum()), int((d != 0).sum())
    constant = bool(np.ptp(d) <= 1e-12 * np.abs(d).max())
    return PairedTests(
        len(d),
        {
            "t": float("nan") if constant else float(stats.ttest_1samp(d, 0.0).pvalue),
            "wilcoxon": _wilcoxon(d[d != 0]),
            "sign": sign_test(up, moved - up),
            "randomisation": randomised,
        },
    )


def _wilcoxon(d: NDArray[np.float64]) -> float:
    """Test signed ranks: over all signs where there are few, ties or not; otherwise scipy's way."""
    from scipy import stats

    if len(d) > ALL + 1:
        return float(stats.wilcoxon(d).pvalue)
    ranks = stats.rankdata(np.abs(d))
    far = abs(float(ranks @ np.sign(d)))
    return float((np.abs(_signs(len(d)) @ ranks) >= far - 1e-9).mean())


def _signs(count: int) -> NDArray[np.float64]:
    """Give all ways to set signs."""
    bits = (np.arange(1 << count)[:, None] >> np.arange(count)) & 1
    return bits.astype(np.float64) * 2 - 1


def _randomised(rows: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Tell how often each mean is as far from 0 when names are swapped query by query."""
    far = np.abs(rows.sum(axis=1)) * (1 - 1e-12)
    queries = rows.shape[1]
    if queries <= ALL:
        shares: NDArray[np.float64] = (np.abs(_signs(queries) @ rows.T) >= far).mean(axis=0)
        return shares
    rng = np.random.default_rng(seed)
    count = np.ones(len(rows))
    for _ in range(0, SWAPS, BATCH):
        signs = rng.integers(0, 2, (BATCH, queries)) * 2.0 - 1
        count += (np.abs(signs @ rows.T) >= far).sum(axis=0)
    return count / (SWAPS + 1)


def sign_test(better: int, worse: int) -> float:
    """The exact two-sided p of the sign test; 1 where nothing differs.

    Examples
    --------
    >>> sign_test(5, 0), sign_test(3, 1), sign_test(0, 0)
    (0.0625, 0.625, 1.0)
    """
    n = better + worse
    tail = sum(math.comb(n, i) for i in range(min(better, worse) + 1))
    return min(1.0, float(2 * tail / 2**n))


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Correct p-values for their number by Holm's method; NaN stays and is not counted.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p, np.float64)
    corrected = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    factor = len(order) - np.arange(len(order))
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * factor), 1.0)
    return corrected
