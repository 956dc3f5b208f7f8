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
SWAPS = 10_000
#: Fewer queries than this tell nothing.
FEWEST = 2

TESTS = ("t", "wilcoxon", "sign", "randomisation")


@dataclass(frozen=True, slots=True)
class PairedTests:
    """p-values (two-sided) of one pair; NaN where a test says nothing. ``n``: queries."""

    n: int
    p: dict[str, float]


def paired_tests(differences: ArrayLike, *, seed: int = 0) -> PairedTests:
    """Test whether differences, one per query, are centred at 0.

    Examples
    --------
    >>> found = paired_tests([0.1, 0.2, 0.05, 0.3, 0.1])
    >>> round(found.p["sign"], 4), round(found.p["randomisation"], 4), round(found.p["t"], 4)
    (0.0625, 0.0625, 0.0285)
    """
    from scipy import stats

    d = np.asarray(differences, np.float64)
    d = d[~np.isnan(d)]
    nothing = dict.fromkeys(TESTS, float("nan"))
    if len(d) < FEWEST:
        return PairedTests(len(d), nothing)
    if not d.any():
        return PairedTests(len(d), dict.fromkeys(TESTS, 1.0))
    up, moved = int((d > 0).sum()), int((d != 0).sum())
    constant = bool(np.ptp(d) <= 1e-12 * np.abs(d).max())
    with np.errstate(divide="ignore", invalid="ignore"):
        wilcoxon = stats.wilcoxon(d) if moved else None
    return PairedTests(
        len(d),
        {
            "t": float("nan") if constant else float(stats.ttest_1samp(d, 0.0).pvalue),
            "wilcoxon": float("nan") if wilcoxon is None else float(wilcoxon.pvalue),
            "sign": sign_test(up, moved - up),
            "randomisation": _randomised(d, np.random.default_rng(seed)),
        },
    )


def _randomised(d: NDArray[np.float64], rng: np.random.Generator) -> float:
    """Tell how often the mean is as far from 0 when names are swapped query by query."""
    far = abs(float(d.sum())) * (1 - 1e-12)
    if len(d) <= ALL:
        signs = ((np.arange(1 << len(d))[:, None] >> np.arange(len(d))) & 1) * 2 - 1
        return float((np.abs(signs @ d) >= far).mean())
    signs = rng.integers(0, 2, (SWAPS, len(d)), dtype=np.int8) * 2 - 1
    return float(((np.abs(signs @ d) >= far).sum() + 1) / (SWAPS + 1))


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
