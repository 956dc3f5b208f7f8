"""Annotators one by one and two by two: who agrees with whom, and how they deviate.

For two annotators the figure is Cohen's κ on the items that both labelled. For one annotator
against the others it is the same, with the others' labels in the place of the second annotator:
κ_a = 1 − D_o / D_e, where D_o is the mean over a's items of how far a's label is from the other
labels of the item, and D_e the same if a's labels met the others' at random (a's distribution
against the others' on the same items, each item counting once). With two annotators that is
Cohen's κ of the pair, whatever the weights.

The standard error of κ_a is linearised over items (the infinitesimal jackknife [1]_): each item
moves D_o and the two distributions a little, and κ_a with them. For two annotators this is the
usual large-sample error of κ [2]_.

References
----------
.. [1] B. Efron, The Jackknife, the Bootstrap and Other Resampling Plans, 1982, §6.
.. [2] J. L. Fleiss, J. Cohen, B. S. Everitt, "Large sample standard errors of kappa and weighted
   kappa", Psychological Bulletin 72, 1969.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.chance_corrected import kappas
from consilience.measures.disagreement import CELLS, Metric, counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.disagreement import Sparse
    from consilience.study.labels import Labels


@dataclass(frozen=True, slots=True)
class Paired:
    """Pairs of annotators: how many items both labelled, how often alike, κ by metric."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    n: NDArray[np.int64]
    percent: NDArray[np.float64]
    kappa: tuple[NDArray[np.float64], ...]


@dataclass(frozen=True, slots=True)
class AgainstRest:
    """Each annotator against the others: items with another label, agreement, κ and its error."""

    n: NDArray[np.int64]
    percent: NDArray[np.float64]
    kappa: NDArray[np.float64]
    error: NDArray[np.float64]


def pair_kappas(labels: Labels, chosen: Sequence[int], metrics: Sequence[Metric]) -> Paired:
    """Compare every two of some annotators on the items that both labelled.

    Parameters
    ----------
    labels
        What was said.
    chosen
        The annotators to compare.
    metrics
        How far categories are apart; nominal gives Cohen's κ, others its weighted forms.

    Examples
    --------
    >>> import consilience as cs
    >>> from consilience.study.labels import labels_of
    >>> votes = cs.study({"item": ["a", "b", "c", "d"], "x": [1, 1, 0, 0], "y": [1, 0, 0, 0]})
    >>> found = pair_kappas(labels_of(votes), [0, 1], [Metric("nominal")])
    >>> found.n.tolist(), found.percent.tolist(), found.kappa[0].round(6).tolist()
    ([4], [0.75], [0.5])
    """
    size, width = len(chosen), len(labels.categories)
    place = np.full(len(labels.annotators), -1)
    place[list(chosen)] = np.arange(size)
    kept = np.flatnonzero(place[labels.annotator] >= 0)
    kept = kept[np.argsort(labels.item[kept], kind="stable")]
    who, what = place[labels.annotator[kept]], labels.category[kept]
    item = labels.item[kept]
    starts = np.searchsorted(item, np.arange(len(labels.items) + 1))
    mine = np.argsort(who, kind="stable")
    bounds = np.searchsorted(who[mine], np.arange(size + 1))
    n = np.zeros((size, size))
    apart = np.zeros((len(metrics), size, size))
    chance = np.zeros((len(metrics), size, size))
    same = np.zeros((size, size))
    for a in range(size):
        rows = mine[bounds[a] : bounds[a + 1]]
        left, right = _beside(item[rows], starts)
        later = who[right] > a
        ca, cb, b = what[rows[left[later]]], what[right[later]], who[right[later]]
        n[a] = np.bincount(b, minlength=size)
        same[a] = np.bincount(b, weights=ca == cb, minlength=size)
        others = np.flatnonzero(n[a])
        p, q = (_distribution(b, code, others, size, width) for code in (ca, cb))
        for k, metric in enumerate(metrics):
            apart[k, a] = np.bincount(b, weights=metric.between(ca, cb), minlength=size)
            chance[k, a, others] = _by_chance(p, q, metric.from_each(p))
    upper = np.triu_indices(size, 1)
    count = n[upper]
    with np.errstate(divide="ignore", invalid="ignore"):
        percent = same[upper] / count
    return Paired(
        upper[0],
        upper[1],
        count.astype(np.int64),
        percent,
        tuple(kappas(o[upper] * count, e[upper]) for o, e in zip(apart, chance, strict=True)),
    )


def _by_chance(
    p: NDArray[np.float64], q: NDArray[np.float64], from_each: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How far labels would be apart by chance; exactly 0 where only one category was used."""
    varied = ((p > 0) | (q > 0)).sum(axis=1) > 1
    return np.where(varied, (from_each * q).sum(axis=1), 0.0)


def _beside(
    item: NDArray[np.int64], starts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Put each of some labels beside all labels of its item: places here, and rows there."""
    count = starts[item + 1] - starts[item]
    left = np.repeat(np.arange(len(item)), count)
    first = np.cumsum(count) - count
    right = np.arange(len(left)) - np.repeat(first - starts[item], count)
    return left, right


def _distribution(
    who: NDArray[np.int64],
    code: NDArray[np.int64],
    others: NDArray[np.int64],
    size: int,
    width: int,
) -> NDArray[np.float64]:
    """Count categories, one row for each of some annotators."""
    to = np.zeros(size, np.int64)
    to[others] = np.arange(len(others))
    cells = np.bincount(to[who] * width + code, minlength=len(others) * width)
    return cells.reshape(len(others), width).astype(np.float64)


def against_rest(labels: Labels, metric: Metric) -> AgainstRest:
    """Compare each annotator with the other labels of the same items.

    Parameters
    ----------
    labels
        What was said.
    metric
        How far categories are apart.

    Examples
    --------
    >>> import consilience as cs
    >>> from consilience.study.labels import labels_of
    >>> votes = cs.study({"item": ["a", "b", "c", "d"], "x": [1, 1, 0, 0], "y": [1, 0, 0, 0]})
    >>> found = against_rest(labels_of(votes), Metric("nominal"))
    >>> found.n.tolist(), found.kappa.round(6).tolist()
    ([4, 4], [0.5, 0.5])
    """
    counts = counted(labels.item, labels.category, (len(labels.items), len(labels.categories)))
    answers = labels.answers()
    order = np.argsort(labels.annotator, kind="stable")
    order = order[answers[labels.item[order]] > 1]
    who = labels.annotator[order]
    size = len(labels.annotators)
    n = np.bincount(who, minlength=size)
    met = np.diff(counts.indptr)[labels.item[order]]
    cost = np.bincount(who, weights=met.astype(np.float64), minlength=size)
    cost += len(labels.categories)
    found = np.full((3, size), np.nan)
    for low, high in _groups(cost.astype(np.float64)):
        begin, end = np.searchsorted(who, [low, high])
        part = _one_group(
            labels, order[begin:end], who[begin:end] - low, counts, metric, high - low
        )
        found[:, low:high] = part
    return AgainstRest(n.astype(np.int64), *found)


def _groups(cost: NDArray[np.float64]) -> Iterator[tuple[int, int]]:
    """Cut the annotators into groups that fit into memory."""
    reached = np.concatenate([[0], np.cumsum(cost)])
    low = 0
    while low < len(cost):
        high = int(np.searchsorted(reached, reached[low] + CELLS))
        high = min(max(high, low + 1), len(cost))
        yield low, high
        low = high


def _one_group(
    labels: Labels,
    rows: NDArray[np.int64],
    who: NDArray[np.int64],
    counts: Sparse,
    metric: Metric,
    size: int,
) -> NDArray[np.float64]:
    """Agreement with the others, κ and its standard error of some annotators."""
    width = counts.shape[1]
    item, own = labels.item[rows], labels.category[rows]
    answers = labels.answers()[item] - 1.0
    n = np.bincount(who, minlength=size).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = _shares(who * width + own, np.ones(len(rows)), size, width) / n[:, None]
        left, at = _beside(item, counts.indptr)
        other, weight = counts.indices[at], counts.data[at]
        weight = (weight - (other == own[left])) / answers[left]
        q = _shares(who[left] * width + other, weight, size, width) / n[:, None]
        apart = np.bincount(left, weight * metric.between(own[left], other), len(rows))
        alike = np.bincount(left, weight * (own[left] == other), len(rows))
        observed = np.bincount(who, apart, size) / n
        from_own, from_others = metric.from_each(p), metric.from_each(q)
        expected = _by_chance(p, q, from_own)
        kappa = kappas(observed, expected)
        met = np.bincount(left, weight * from_own[who[left], other], len(rows))
        pull = from_others[who, own] + met - 2 * expected[who]
        ratio = observed / expected
        moved = ((apart - observed[who]) - ratio[who] * pull) / expected[who]
        error = np.sqrt(np.bincount(who, moved**2, size) / (n - 1) / n)
        found = np.stack([np.bincount(who, alike, size) / n, kappa, error])
    return np.where(np.isfinite(found), found, np.nan)


def _shares(
    key: NDArray[np.int64], weight: NDArray[np.float64], size: int, width: int
) -> NDArray[np.float64]:
    return np.bincount(key, weight, size * width).astype(np.float64).reshape(size, width)


@dataclass(frozen=True, slots=True)
class Deviations:
    """What annotators say most often where others say something else; -1: nothing.

    ``share`` is the part of the annotator's labels that met the other category (each label
    meets all others of its item, and counts once).
    """

    says: NDArray[np.int64]
    others: NDArray[np.int64]
    share: NDArray[np.float64]


def deviations(labels: Labels) -> Deviations:
    """Find each annotator's most frequent deviation from the others.

    Examples
    --------
    >>> import consilience as cs
    >>> from consilience.study.labels import labels_of
    >>> votes = cs.study({"item": ["a", "b", "c", "d"], "x": [1, 1, 0, 0], "y": [1, 0, 0, 0]})
    >>> found = deviations(labels_of(votes))
    >>> found.says.tolist(), found.others.tolist(), found.share.tolist()
    ([1, 0], [0, 1], [0.25, 0.25])
    """
    from scipy.sparse import coo_array

    width, size = len(labels.categories), len(labels.annotators)
    counts = counted(labels.item, labels.category, (len(labels.items), width))
    answers = labels.answers()[labels.item]
    several = answers > 1
    key, place = np.unique(
        (labels.annotator * width + labels.category)[several], return_inverse=True
    )
    weight = 1.0 / (answers[several] - 1)
    shape = (len(key), len(labels.items))
    met = (coo_array((weight, (place, labels.item[several])), shape=shape).tocsr() @ counts).tocoo()
    who, says = key[met.row] // width, key[met.row] % width
    differs = np.flatnonzero(says != met.col)
    order = differs[
        np.lexsort((met.col[differs], says[differs], -met.data[differs].round(9), who[differs]))
    ]
    first = order[np.unique(who[order], return_index=True)[1]]
    n = np.bincount(labels.annotator[several], minlength=size)
    found = Deviations(np.full(size, -1), np.full(size, -1), np.full(size, np.nan))
    found.says[who[first]], found.others[who[first]] = says[first], met.col[first]
    found.share[who[first]] = met.data[first] / n[who[first]]
    return found
