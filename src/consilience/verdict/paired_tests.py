"""Standard paired tests over queries, corrected for many comparisons.

Each asks: could two systems that are equally good differ so much on queries like these? Four
answers are given side by side because each has its own assumption:

- *t*: differences are roughly normal;
- *Wilcoxon* signed ranks: differences are symmetric (:mod:`consilience.verdict.signed_ranks`);
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
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience import progress
from consilience.given import numbers_of
from consilience.verdict.signed_ranks import signs, wilcoxon

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: Every swap is tried up to so many queries.
ALL = 12
#: So many swaps are drawn beyond.
SWAPS, BATCH = 10_000, 500
#: Differences that are no larger are rounding errors.
DUST = 1e-12
#: So many cells (pairs × swaps) are worked on at a time: few enough for the processor's cache.
CELLS = 1 << 17
#: Where every pair has queries of its own, their differences are in memory so many blocks at once.
ROOM = 16
#: Sign tests of so many queries are added up in whole numbers, larger ones by scipy.
WHOLE = 2000
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
    return all_paired_tests(numbers_of(differences, "differences"), seed=seed)[0]


def all_paired_tests(differences: ArrayLike, *, seed: int = 0) -> list[PairedTests]:
    """Test many rows of differences; the names of all pairs are swapped at the same queries."""
    rows = undusted(np.atleast_2d(np.asarray(differences, np.float64)))
    p = row_tests(rows) | {"randomisation": _swapped_rows(rows, seed)}
    told = [_told(p[name], rows).tolist() for name in TESTS]
    counts = (~np.isnan(rows)).sum(axis=1).tolist()
    return [
        PairedTests(n, dict(zip(TESTS, each, strict=True)))
        for n, *each in zip(counts, *told, strict=True)
    ]


def pair_tests(
    values: NDArray[np.float64], a: NDArray[np.intp], b: NDArray[np.intp], *, seed: int = 0
) -> dict[str, NDArray[np.float64]]:
    """Test many pairs of systems: the p-values of every test, pair by pair.

    The same as :func:`all_paired_tests` of the pairs' differences, but these are never all in
    memory, and the randomisation test swaps systems rather than pairs: s · (x − y) is s · x − s · y
    for any signs s, so one product of signs and systems serves all pairs.

    Parameters
    ----------
    values
        Systems × queries; NaN where undefined.
    a, b
        The rows of each pair's systems.
    seed
        The seed of the swaps.

    Examples
    --------
    >>> values = np.array([[0.5, 0.7, 0.3, 0.9, 0.6], [0.4, 0.5, 0.25, 0.6, 0.5]])
    >>> p = pair_tests(values, np.array([0]), np.array([1]))
    >>> {name: round(float(one[0]), 4) for name, one in p.items()}
    {'t': 0.0285, 'wilcoxon': 0.0625, 'sign': 0.0625, 'randomisation': 0.0625}
    """
    p = {name: np.full(len(a), np.nan) for name in TESTS}
    with progress.part(0.0, 0.5):
        swapped = _swapped_pairs(values, a, b, seed)
    with progress.part(0.5, 1.0):
        for some in blocks(len(a), values.shape[1]):
            rows = undusted(values[a[some]] - values[b[some]])
            for name, found in (row_tests(rows) | {"randomisation": swapped[some]}).items():
                p[name][some] = _told(found, rows)
            progress.report(some.stop, len(a))
    return p


def undusted(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Set what is only a rounding error to 0."""
    return np.where(np.abs(differences) <= DUST, 0.0, differences)


def blocks(count: int, width: int) -> Iterator[slice]:
    """Cut rows of some width into blocks of :data:`CELLS` cells or so."""
    step = max(1, CELLS // max(width, 1))
    return (slice(begin, min(begin + step, count)) for begin in range(0, count, step))


def _told(p: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Too few queries tell nothing, and where nothing differs nothing is surprising."""
    few = (~np.isnan(rows)).sum(axis=1) < FEWEST
    same = ~np.nan_to_num(rows).any(axis=1)
    return np.where(few, np.nan, np.where(same, 1.0, p))


def paired_t(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the p of the paired t-test of each row of differences; NaN where it says nothing.

    Examples
    --------
    >>> paired_t(np.array([[0.1, 0.2, 0.05, 0.3, 0.1], [0.0, 0.0, 0.0, np.nan, 0.0]])).round(4)
    array([0.0285, 1.    ])
    """
    rows = undusted(differences)
    return _told(_t(rows), rows)


def row_tests(rows: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Give the p-values of t, Wilcoxon's and sign tests of rows of differences without dust."""
    up, down = (rows > 0).sum(axis=1), (rows < 0).sum(axis=1)
    return {"t": _t(rows), "wilcoxon": wilcoxon(rows), "sign": _signed(up, down)}


def _t(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Student's t of each row; NaN where all differences are equal, so that t has no end."""
    from scipy.special import stdtr

    n = (~np.isnan(rows)).sum(axis=1)
    mean, sd = moments(rows)
    t = np.full(len(rows), np.nan)
    np.divide(mean * np.sqrt(n), sd, out=t, where=sd > 0)
    p: NDArray[np.float64] = 2 * stdtr(np.maximum(n - 1, 1), -np.abs(t))
    return p


def moments(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give mean and standard deviation (n − 1) of each row without its NaN.

    The deviation is 0 where all are equal but for rounding errors; both are NaN where they are
    undefined.

    Examples
    --------
    >>> mean, sd = moments(np.array([[1.0, np.nan, 3.0], [0.1, 0.1, 0.1], [2.0, np.nan, np.nan]]))
    >>> mean.round(3).tolist(), sd.round(3).tolist()
    ([2.0, 0.1, 2.0], [1.414, 0.0, nan])
    """
    known = ~np.isnan(rows)
    n = known.sum(axis=1)
    mean, variance = np.full((2, len(rows)), np.nan)
    np.divide(np.where(known, rows, 0.0).sum(axis=1), n, out=mean, where=n > 0)
    away = np.where(known, rows - mean[:, None], 0.0)
    np.divide((away * away).sum(axis=1), n - 1, out=variance, where=n > 1)
    largest = np.abs(np.where(known, rows, 0.0)).max(axis=1, initial=0.0)
    spread = away.max(axis=1, initial=0.0) - away.min(axis=1, initial=0.0)
    return mean, np.sqrt(np.where((spread <= DUST * largest) & (n > 1), 0.0, variance))


def _swaps(queries: int, seed: int) -> Iterator[tuple[float, NDArray[np.float64]]]:
    """Give signs, some at a time, each with its part of the whole: all of them, or seeded ones."""
    if queries <= ALL:
        yield 1.0, signs(queries)
        return
    rng = np.random.default_rng(seed)
    for begin in range(0, SWAPS, BATCH):
        heads = rng.integers(0, 2, (BATCH, queries)).astype(np.float64)
        yield (begin + BATCH) / SWAPS, heads * 2 - 1


def _share(as_far: NDArray[np.intp], queries: int) -> NDArray[np.float64]:
    """Turn how many swaps were as far into p; drawn swaps count the data as one more."""
    share: NDArray[np.float64] = (
        as_far / (1 << queries) if queries <= ALL else (as_far + 1) / (SWAPS + 1)
    )
    return share


def _swapped_rows(rows: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    """Tell how often each mean is as far from 0 when names are swapped query by query."""
    rows = np.nan_to_num(rows)
    least = np.abs(rows.sum(axis=1)) - DUST * np.abs(rows).sum(axis=1)
    as_far = np.zeros(len(rows), np.intp)
    for done, swaps in _swaps(rows.shape[1], seed):
        for some in blocks(len(rows), len(swaps)):
            as_far[some] += (np.abs(rows[some] @ swaps.T) >= least[some, None]).sum(axis=1)
        progress.report(done, 1)
    return _share(as_far, rows.shape[1])


def _swapped_pairs(
    values: NDArray[np.float64], a: NDArray[np.intp], b: NDArray[np.intp], seed: int
) -> NDArray[np.float64]:
    """The same for pairs of systems: one product for those that are defined on the same queries."""
    p = np.full(len(a), np.nan)
    _, pattern = np.unique(np.isnan(values), axis=0, return_inverse=True)
    alike = pattern[a] == pattern[b]
    apart = np.flatnonzero(~alike)
    with progress.part(0.0, 1 - len(apart) / max(len(a), 1)):
        p[alike] = _swapped_products(np.nan_to_num(values), a[alike], b[alike], seed)
    for few in blocks(len(apart), values.shape[1] // ROOM):
        some = apart[few]
        with progress.part(1 - (len(apart) - few.start) / len(a), 1.0):
            p[some] = _swapped_rows(undusted(values[a[some]] - values[b[some]]), seed)
    return p


def _swapped_products(
    values: NDArray[np.float64], a: NDArray[np.intp], b: NDArray[np.intp], seed: int
) -> NDArray[np.float64]:
    """Swap systems, and look at the pairs' differences."""
    total, size = values.sum(axis=1), np.abs(values).sum(axis=1)
    least = np.abs(total[a] - total[b]) - DUST * (size[a] + size[b])
    as_far = np.zeros(len(a), np.intp)
    for done, swaps in _swaps(values.shape[1], seed) if len(a) else ():
        product = values @ swaps.T
        for some in blocks(len(a), len(swaps)):
            gap = product[a[some]]
            gap -= product[b[some]]
            as_far[some] += (np.abs(gap, out=gap) >= least[some, None]).sum(axis=1)
        progress.report(done, 1)
    return _share(as_far, values.shape[1])


def _signed(better: NDArray[np.intp], worse: NDArray[np.intp]) -> NDArray[np.float64]:
    """Sign tests of many pairs: for each number of queries the tails are added up once."""
    from scipy.special import bdtr

    n, fewer = better + worse, np.minimum(better, worse)
    p = np.ones(len(n))
    large = n > WHOLE
    p[large] = np.minimum(1.0, 2 * bdtr(fewer[large], n[large], 0.5))
    for count in np.unique(n[(n > 0) & ~large]).tolist():
        rows = np.flatnonzero(n == count)
        tails = _tails(count, int(fewer[rows].max()))
        p[rows] = tails[fewer[rows]]
    return p


def _tails(n: int, most: int) -> NDArray[np.float64]:
    """Give the two-sided p of 0, 1, …, ``most`` successes in n fair trials."""
    ways, tail, p = 1, 0, []
    for k in range(most + 1):
        tail += ways
        p.append(min(1.0, 2 * tail / 2**n))
        ways = ways * (n - k) // (k + 1)
    return np.array(p)


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
    p = numbers_of(p, "p-values")
    corrected = np.full(p.shape, np.nan)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    factor = len(order) - np.arange(len(order))
    corrected[order] = np.minimum(np.maximum.accumulate(p[order] * factor), 1.0)
    return corrected
