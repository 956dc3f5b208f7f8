"""Maximum diversity: how many wholly different items a set is worth at most.

D(S) = 1 / min p'Sp over all weights p ≥ 0 that add up to 1 (Leinster & Meckes 2016, the maximum of
the diversities of all orders). It is 1 for copies of one item and n for n unrelated ones. Adding an
item never lowers it and adding a copy never changes it; soft cardinality, which gives every item
the same weight, lacks both. Items that resemble nobody of another group do not meet it: D of
separate groups adds up, so each group is solved for itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Groups of so many items are solved by trying all sets of items that may have weight.
_FEW = 11
#: The most items of a group: the table of a group is held whole.
MOST = 4000


def max_diversity(table: NDArray[np.float64]) -> float:
    """Give the maximum diversity of items with a table of similarities.

    The optimum is exact where the table has no negative eigenvalue, and for groups of few items.
    Larger groups with an indefinite table (edit similarities make such ones) are solved with the
    nearest table that has none; the value found is that of the true table at those weights.

    Examples
    --------
    >>> max_diversity(np.eye(3)), max_diversity(np.ones((3, 3)))
    (3.0, 1.0)
    >>> round(max_diversity(np.array([[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]])), 6)
    2.0
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    if not len(table):
        return 0.0
    groups, group = connected_components(csr_array((table > 0).astype(np.int8)), directed=False)
    return float(sum(_of_group(table[np.ix_(*[group == one] * 2)]) for one in range(groups)))


def _of_group(table: NDArray[np.float64]) -> float:
    if len(table) == 1:
        return 1.0
    if len(table) == 2:
        return 2.0 / (1.0 + float(table[0, 1]))
    value, vector = np.linalg.eigh(table)
    if value[0] >= 1e-10:
        return _convex(table, value, vector)
    if len(table) <= _FEW:
        return _all_supports(table)
    return _convex(table, np.maximum(value, 1e-8), vector)


def _convex(
    table: NDArray[np.float64], value: NDArray[np.float64], vector: NDArray[np.float64]
) -> float:
    """Maximise 2·1'w - w'Sw over w ≥ 0: least squares with the root of the table."""
    from scipy.optimize import nnls

    root = (vector * np.sqrt(value)) @ vector.T
    weight, _ = nnls(root, vector @ ((vector.T @ np.ones(len(table))) / np.sqrt(value)))
    return float(weight.sum() ** 2 / (weight @ table @ weight))


def _all_supports(table: NDArray[np.float64]) -> float:
    """Try every set of items that may have weight: at the optimum S w = 1 on it, w > 0."""
    n = len(table)
    sets = (np.arange(1, 2**n)[:, None] >> np.arange(n)) & 1
    best = 1.0
    for size in range(2, n + 1):
        chosen = np.nonzero(sets[sets.sum(axis=1) == size])[1].reshape(-1, size)
        parts = table[chosen[:, :, None], chosen[:, None, :]]
        parts = parts[np.abs(np.linalg.det(parts)) > 1e-9]
        if not len(parts):
            continue
        weight = np.linalg.solve(parts, np.ones((len(parts), size, 1)))[:, :, 0]
        inner = (weight > 0).all(axis=1)
        best = max(best, float(weight[inner].sum(axis=1).max(initial=1.0)))
    return best
