"""What annotators disagree about: categories set against each other, and items to discuss first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from consilience.measures.chance_corrected import disagreements
from consilience.measures.disagreement import Metric, counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.disagreement import Sparse
    from consilience.study import Study
    from consilience.study.labels import Labels
    from consilience.study.taxonomy import Tree

Relation = Literal["siblings", "lineage", "elsewhere"]
#: How two categories can lie to each other in a tree.
RELATIONS: tuple[Relation, ...] = ("siblings", "lineage", "elsewhere")


@dataclass(frozen=True, slots=True)
class Confusion:
    """Two categories that were set against each other: pairs of labels, and items with both.

    ``share`` is the part of all pairs of labels that differ. ``relation`` tells how the two lie to
    each other in the tree, where there is one.
    """

    a: str
    b: str
    pairs: int
    share: float
    items: int
    relation: Relation | None


@dataclass(frozen=True, slots=True)
class Dispute:
    """An item and what was said of it.

    ``disagreement`` is the mean difference of two of its labels, as a multiple of the difference
    of two labels drawn from all: 1 is what chance gives.
    """

    query: str
    item: str
    labels: int
    disagreement: float
    percent: float
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Confused:
    """The most frequent confusions, how many there are, and what they are all together.

    ``agreed`` counts for each category the pairs of labels that are both this category;
    ``shares`` tell which part of the differing pairs lies where in the tree, if there is one.
    """

    first: tuple[Confusion, ...]
    count: int
    agreed: NDArray[np.int64]
    shares: dict[str, float] | None


def confusions(labels: Labels, tree: Tree | None, most: int) -> Confused:
    """Count the pairs of labels of an item: those that differ, and by category those that agree.

    The most frequent confusion comes first; equally frequent ones in the order of the categories.

    Examples
    --------
    >>> import consilience as cs
    >>> from consilience.study.labels import labels_of
    >>> votes = cs.study({"item": ["a", "b"], "x": [1, 0], "y": [1, 1], "z": [1, 1]})
    >>> found = confusions(labels_of(votes), None, 10)
    >>> found.first[0].pairs, found.first[0].share, found.agreed.tolist()
    (2, 1.0, [0, 4])
    """
    names = labels.categories
    counts = counted(labels.item, labels.category, (len(labels.items), len(names)))
    met = (counts.T @ counts).tocoo()
    upper = np.flatnonzero(met.row < met.col)
    order = upper[np.lexsort((met.col[upper], met.row[upper], -met.data[upper]))]
    a, b, pairs = met.row[order], met.col[order], met.data[order]
    related = _relations(tree, names, a, b)
    marked = counts.copy()
    marked.data[:] = 1.0
    columns = marked.tocsc()
    with np.errstate(invalid="ignore"):
        share = pairs / pairs.sum()
    first = tuple(
        Confusion(
            names[a[k]],
            names[b[k]],
            int(pairs[k]),
            float(share[k]),
            int((columns[:, [a[k]]].T @ columns[:, [b[k]]]).sum()),
            None if related is None else RELATIONS[related[k]],
        )
        for k in range(min(most, len(order)))
    )
    squares = np.asarray(counts.multiply(counts).sum(axis=0)).ravel()
    agreed = (squares - np.asarray(counts.sum(axis=0)).ravel()) / 2
    shares = None
    if related is not None and len(order):
        parts = np.bincount(related, share, len(RELATIONS)).tolist()
        shares = dict(zip(RELATIONS, parts, strict=True))
    return Confused(first, len(order), agreed.astype(np.int64), shares)


def _relations(
    tree: Tree | None,
    names: tuple[str, ...],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
) -> NDArray[np.int64] | None:
    """Tell how pairs of categories lie to each other; one above the other comes before siblings.

    Roots are siblings of each other.
    """
    if tree is None:
        return None
    code = np.array([tree.code(name) for name in names], np.int64)
    above = [{*tree.ancestors(one)} for one in code.tolist()]
    parents = [{*tree.parents[one]} or {-1} for one in code.tolist()]
    found = np.full(len(a), RELATIONS.index("elsewhere"))
    for k, (i, j) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        if code[i] in above[j] or code[j] in above[i]:
            found[k] = RELATIONS.index("lineage")
        elif parents[i] & parents[j]:
            found[k] = RELATIONS.index("siblings")
    return found


def disputes(study: Study, labels: Labels, metric: Metric, most: int) -> tuple[list[Dispute], int]:
    """List the items whose labels differ most, and count all whose labels differ.

    The largest mean difference of two labels comes first, then the item with more labels, then
    names.
    """
    counts = counted(labels.item, labels.category, (len(labels.items), len(labels.categories)))
    answers = labels.answers()
    pairable = counts[np.flatnonzero(answers > 1)]
    totals = np.asarray(pairable.sum(axis=0)).ravel().astype(np.float64)
    metric = metric.settled(totals)
    apart, nominal = disagreements(counts, metric), disagreements(counts, Metric("nominal"))
    n = totals.sum()
    chance = float((metric.from_each(totals[None]) * totals).sum() / (n * (n - 1)))
    chance = chance or 1.0  # labels may differ by less than a square can tell from 0
    level = np.nan_to_num(apart).round(12)
    differing = np.flatnonzero(np.nan_to_num(nominal) > 0)
    order = differing[np.lexsort((-answers[differing], -level[differing]))]
    if len(order) > most:  # keep those that tie with the last one: names decide
        last = order[most - 1]
        ties = (level[order] > level[last]) | (
            (level[order] == level[last]) & (answers[order] >= answers[last])
        )
        order = order[ties]
    told = _named(study, labels, order)
    ranked = sorted(told, key=lambda one: (-level[one[0]], -answers[one[0]], one[1], one[2]))
    return [
        Dispute(
            query,
            name,
            int(answers[k]),
            float(apart[k] / chance),
            float(1 - nominal[k]),
            _counts_of(counts, k, labels.categories),
        )
        for k, query, name in ranked[:most]
    ], len(differing)


def _named(study: Study, labels: Labels, which: NDArray[np.int64]) -> list[tuple[int, str, str]]:
    items = labels.items[which]
    queries = study.items.query(items).tolist()
    names = study.items.names(items)
    return [
        (k, study.queries[query], name)
        for k, query, name in zip(which.tolist(), queries, names, strict=True)
    ]


def _counts_of(counts: Sparse, item: int, names: tuple[str, ...]) -> dict[str, int]:
    """Give an item's labels and how often each was given, the most frequent first."""
    begin, end = counts.indptr[item], counts.indptr[item + 1]
    held = zip(counts.indices[begin:end].tolist(), counts.data[begin:end].tolist(), strict=True)
    return {names[k]: int(n) for k, n in sorted(held, key=lambda one: (-one[1], one[0]))}
