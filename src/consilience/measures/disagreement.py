"""How far apart two labels are, and how far the labels of items are apart on average.

A *metric* says how much two categories c and k differ:

========  ==========================================  =========================================
nominal   1 if c ≠ k                                  names without an order
linear    abs(x_c − x_k)                              positions on a line
interval  (x_c − x_k)²                                numbers whose differences mean something
ordinal   (r_c − r_k)², r the mean rank of a label    an order; ranks are those of the labels
tree      edges on the shortest path between c and k  places in a tree of categories
========  ==========================================  =========================================

Why edges, and not their square: what α and κ compare are *squared* distances (of numbers in
``interval``; 1 is the square of 1 in ``nominal``). In a tree the number of edges is itself the
square of a Euclidean distance: give each edge a dimension of its own, then two nodes differ by 1 in
as many dimensions as there are edges between them. So the average over pairs is a variance, as in
the other metrics, and among the leaves of a star, all two edges apart, tree is nominal.

Labels come counted: a sparse matrix of items × categories. Items with the same counts are one
row, with a number of times, so that drawing items anew costs little. Every cost is linear in the
labels; nothing loops over them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Sparse = Any  # scipy.sparse.csr_array has no types

MetricName = Literal["nominal", "linear", "interval", "ordinal", "tree"]
#: So many cells of a matrix are held at a time.
CELLS = 1 << 22


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric between categories: ``place`` on a line, or ``table`` of all differences.

    Examples
    --------
    >>> squared = Metric("interval", place=np.array([0.0, 1.0, 3.0]))
    >>> squared.between(np.array([0, 1]), np.array([2, 2])).tolist()
    [9.0, 4.0]
    >>> squared.from_each(np.array([[1.0, 0.0, 1.0]])).tolist()  # one label 0, one label 3
    [[9.0, 5.0, 9.0]]
    """

    name: MetricName
    place: NDArray[np.float64] | None = None
    table: NDArray[np.float64] | None = None

    def settled(self, totals: NDArray[np.float64]) -> Metric:
        """Give ordinal categories their places: the mean ranks of so many labels of each."""
        if self.name != "ordinal":
            return self
        return replace(self, name="interval", place=mean_ranks(totals))

    def between(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
        """Tell how far labels are apart, pair by pair."""
        if self.table is not None:
            looked_up: NDArray[np.float64] = self.table[a, b]
            return looked_up
        if self.place is None:
            return np.not_equal(a, b).astype(np.float64)
        apart = self.place[a] - self.place[b]
        return np.abs(apart) if self.name == "linear" else apart**2

    def from_each(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up how far each category is from counted labels (rows × categories)."""
        if self.table is not None:
            return counts @ self.table
        total = counts.sum(axis=1, keepdims=True)
        if self.place is None:
            others: NDArray[np.float64] = total - counts
            return others
        x = self.place - self.place.mean()
        if self.name == "linear":
            below, reached = np.cumsum(counts, axis=1), np.cumsum(counts * x, axis=1)
            linear: NDArray[np.float64] = x * (2 * below - total) - 2 * reached + reached[:, -1:]
            return linear
        first, second = (counts @ x)[:, None], (counts @ x**2)[:, None]
        squared: NDArray[np.float64] = np.maximum(total * x**2 - 2 * first * x + second, 0)
        return squared


def mean_ranks(totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the mean rank of each category's labels among all, counted from the middle rank.

    Krippendorff's ordinal difference Σ_{g=c..k} n_g − (n_c + n_k)/2 is the difference of these.

    Examples
    --------
    >>> mean_ranks(np.array([2.0, 1.0, 1.0])).tolist()
    [-1.0, 0.5, 1.5]
    """
    half: NDArray[np.float64] = np.sum(totals, axis=-1, keepdims=True) / 2
    ranks: NDArray[np.float64] = np.cumsum(totals, axis=-1) - totals / 2 - half
    return ranks


def counted(item: NDArray[np.int64], category: NDArray[np.int64], shape: tuple[int, int]) -> Sparse:
    """Count the labels: a sparse matrix of items × categories.

    Examples
    --------
    >>> counted(np.array([0, 0, 1]), np.array([1, 1, 0]), (2, 2)).toarray().tolist()
    [[0.0, 2.0], [1.0, 0.0]]
    """
    from scipy.sparse import coo_array, csr_array

    cells = shape[0] * shape[1]
    if cells <= len(item):  # few categories: counting every cell is quickest
        counts = np.bincount(item * shape[1] + category, minlength=cells)
        return csr_array(counts.reshape(shape).astype(np.float64))
    return coo_array((np.ones(len(item)), (item, category)), shape=shape).tocsr()


def patterns(counts: Sparse) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find items with the same counts: one item of each kind, and the kind of every item.

    Two sums of random 64-bit numbers, one for each category, tell kinds apart: that two kinds
    out of a million share both has a probability below 10⁻²⁶.

    Examples
    --------
    >>> counts = counted(np.array([0, 0, 1, 2, 2]), np.array([0, 1, 0, 1, 0]), (3, 2))
    >>> first, kind = patterns(counts)
    >>> len(first), len({*kind[[0, 2]].tolist()}), len({*kind[:2].tolist()})
    (2, 1, 2)
    """
    rng = np.random.default_rng(0)
    sums = np.zeros((counts.shape[0], 2), np.uint64)
    row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    for column in range(2):
        drawn = rng.integers(0, 1 << 64, size=counts.shape[1], dtype=np.uint64)
        with np.errstate(over="ignore"):
            worth = counts.data.astype(np.uint64) * drawn[counts.indices]
            np.add.at(sums[:, column], row, worth)
    keys = sums.view([("a", np.uint64), ("b", np.uint64)]).ravel()
    _, first, kind = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)  # by first appearance: names of categories have no say in it
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return first[order].astype(np.int64), place[kind]


def within(counts: Sparse, metric: Metric) -> NDArray[np.float64]:
    """Add up how far the labels of each item are apart, over ordered pairs of them.

    Examples
    --------
    >>> counts = counted(np.array([0, 0, 0]), np.array([0, 0, 1]), (1, 2))
    >>> within(counts, Metric("nominal")).tolist()
    [4.0]
    """
    answers = np.asarray(counts.sum(axis=1)).ravel()
    if metric.table is not None:
        found = np.zeros(counts.shape[0])
        step = max(1, CELLS // counts.shape[1])
        for begin in range(0, len(found), step):
            some = counts[begin : begin + step].toarray()
            found[begin : begin + step] = (metric.from_each(some) * some).sum(axis=1)
        return found
    if metric.place is None:
        same: NDArray[np.float64] = answers**2 - np.asarray(counts.power(2).sum(axis=1)).ravel()
        return same
    x = metric.place - metric.place.mean()
    spread: NDArray[np.float64] = 2 * (answers * (counts @ x**2) - (counts @ x) ** 2)
    alike = np.diff(counts.indptr) < 2  # exactly nothing, whatever rounding says
    return np.where(alike, 0.0, np.maximum(spread, 0))


def alphas(counts: Sparse, metric: Metric, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Krippendorff's α of items that occur so many times, for each row of ``times``.

    α = 1 − D_o / D_e with D_o = Σ_u Σ_{c,k} n_uc n_uk δ²_ck / (m_u − 1) and
    D_e = Σ_{c,k} n_c n_k δ²_ck / (n − 1). NaN where all labels are the same.

    Parameters
    ----------
    counts
        Items × categories; every item has at least two labels.
    metric
        How far categories are apart; ordinal ranks are taken anew for each row of ``times``.
    times
        Draws × items.

    Examples
    --------
    >>> counts = counted(np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 1, 1, 0, 1]), (3, 2))
    >>> round(float(alphas(counts, Metric("nominal"), np.ones((1, 3)))[0]), 4)
    0.4444
    """
    answers = np.asarray(counts.sum(axis=1)).ravel()
    totals: NDArray[np.float64] = (counts.T @ times.T).T
    if metric.name == "ordinal":
        places = mean_ranks(totals)
        observed = _observed_ranks(counts, answers, times, places)
        n = totals.sum(axis=1)
        expected = 2 * (n * (totals * places**2).sum(axis=1) - (totals * places).sum(axis=1) ** 2)
    else:
        observed = times @ (within(counts, metric) / (answers - 1))
        expected = (metric.from_each(totals) * totals).sum(axis=1)
    varied = (totals > 0).sum(axis=1) > 1
    with np.errstate(divide="ignore", invalid="ignore"):
        found = 1 - observed * (totals.sum(axis=1) - 1) / expected
    return np.where(varied, found, np.nan)


def _observed_ranks(
    counts: Sparse,
    answers: NDArray[np.float64],
    times: NDArray[np.float64],
    places: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Observed disagreement of ordinal labels, whose places differ from draw to draw."""
    weight = times / (answers - 1)
    squares = ((counts.T @ (weight * answers).T).T * places**2).sum(axis=1)
    sums = (counts @ places.T).T
    observed: NDArray[np.float64] = 2 * (squares - (weight * sums**2).sum(axis=1))
    return np.maximum(observed, 0)
