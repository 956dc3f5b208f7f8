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
#: Larger groups are not searched, others from so many sets of items.
_SEARCHED = 60
_STARTS = 24
#: Weights that are no more than this are none but for rounding.
_NONE = 1e-12
#: The most items of a group: the table of a group is held whole.
MOST = 4000


def max_diversity(table: NDArray[np.float64]) -> float:
    """Give the maximum diversity of items with a table of similarities.

    The optimum is exact where the table has no negative eigenvalue, and for groups of few items.
    Larger groups with an indefinite table (string similarities with a high floor make such ones)
    are a hard problem: weights are found for the nearest table that has none, then improved on the
    true one, item by item; the value is that of the true table at the best weights found.

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
    start = _weights(np.maximum(value, 1e-8), vector)
    return max(_reached(table, start), _searched(table, np.flatnonzero(start > 0)))


def _convex(
    table: NDArray[np.float64], value: NDArray[np.float64], vector: NDArray[np.float64]
) -> float:
    return _reached(table, _weights(value, vector))


def _weights(value: NDArray[np.float64], vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Maximise 2·1'w - w'Sw over w ≥ 0: least squares with the root of the table."""
    from scipy.optimize import nnls

    root = (vector * np.sqrt(value)) @ vector.T
    weight, _ = nnls(root, vector @ ((vector.T @ np.ones(len(value))) / np.sqrt(value)))
    found: NDArray[np.float64] = weight
    return found


def _reached(table: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    return float(weight.sum() ** 2 / (weight @ table @ weight))


def _searched(table: NDArray[np.float64], start: NDArray[np.int64]) -> float:
    """Add or drop items that have weight as long as that helps, from several sets of them."""
    n = len(table)
    if n > _SEARCHED:
        return 1.0
    order = np.argsort(table.sum(axis=1), kind="stable")  # unlike ones first
    tried = [np.isin(np.arange(n), start)]
    tried += [_unlike(table, np.concatenate([[seed], order])) for seed in order[:_STARTS]]
    rng = np.random.default_rng(0)
    tried += [_unlike(table, rng.permutation(n)) for _ in range(2 * _STARTS)]
    seen: set[bytes] = set()
    return max(_climbed(table, chosen, seen) for chosen in tried)


def _unlike(table: NDArray[np.float64], order: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Take items one after the other that resemble none taken before."""
    chosen = np.zeros(len(table), bool)
    for place in order:
        if not table[place, chosen].any():
            chosen[place] = True
    return chosen


def _climbed(table: NDArray[np.float64], chosen: NDArray[np.bool_], seen: set[bytes]) -> float:
    """Go on to the best neighbour while that helps; where another way has been, it went on."""
    best = _at_support(table, chosen)
    while chosen.tobytes() not in seen:
        seen.add(chosen.tobytes())
        reached = _neighbours(table, chosen)
        place = int(np.argmax(reached.round(9)))  # of those that are equally good the first
        if reached[place] <= best * (1 + 1e-12):
            break
        chosen = chosen ^ (np.arange(len(table)) == place)
        best = float(reached[place])
    return _at_support(table, chosen)


def _neighbours(table: NDArray[np.float64], chosen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Give, for each item, the diversity with it added or dropped; 0 where that cannot be.

    With A the table of the chosen items, w = A⁻¹1 and D = 1'w, an item of similarities b to them
    gets x = (1 - b'w) / (1 - b'A⁻¹b), takes x A⁻¹b from the others, and D grows by x (1 - b'w).
    Without item k the others get - A⁻¹ₖ wₖ / A⁻¹ₖₖ, and D shrinks by wₖ² / A⁻¹ₖₖ.
    """
    inverse = _inverse(table[np.ix_(chosen, chosen)])
    if inverse is None:
        return np.array(
            [_at_support(table, step) for step in chosen ^ np.eye(len(table), dtype=bool)]
        )
    weight, found = inverse.sum(axis=1), np.zeros(len(table))
    near = table[np.ix_(chosen, ~chosen)]
    taken, left = inverse @ near, 1.0 - weight @ near
    rest = table.diagonal()[~chosen] - (near * taken).sum(axis=0)
    good = np.abs(rest) > 1e-9
    fresh = np.divide(left, rest, out=np.zeros(len(rest)), where=good)
    good &= (fresh > _NONE) & (weight[:, None] - taken * fresh > _NONE).all(axis=0)
    found[~chosen] = np.where(good, weight.sum() + fresh * left, 0.0)
    own = inverse.diagonal()
    good = np.abs(own) > 1e-9
    gone = np.divide(weight, own, out=np.zeros(len(own)), where=good)
    others = weight[:, None] - inverse * gone
    np.fill_diagonal(others, 1.0)
    good &= (others > _NONE).all(axis=0)
    found[chosen] = np.where(good, weight.sum() - weight * gone, 0.0)
    return found


def _inverse(part: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Invert a table; None where that loses too many digits."""
    try:
        inverse = np.asarray(np.linalg.inv(part), np.float64)
    except np.linalg.LinAlgError:
        return None
    return inverse if np.abs(inverse).max(initial=0.0) < 1e6 else None


def _at_support(table: NDArray[np.float64], chosen: NDArray[np.bool_]) -> float:
    """Give the diversity where just these items have weight; 0 where that cannot be."""
    part = table[np.ix_(chosen, chosen)]
    if not len(part):
        return 0.0
    try:
        weight = np.linalg.solve(part, np.ones(len(part)))
    except np.linalg.LinAlgError:
        return 0.0
    return float(weight.sum()) if (weight > _NONE).all() else 0.0


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
