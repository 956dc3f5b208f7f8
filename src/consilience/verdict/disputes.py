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


def confusions(labels: Labels, tree: Tree | None) -> tuple[list[Confusion], NDArray[np.int64]]:
    """Count the pairs of labels of an item: those that differ, and by category those that agree.

    The most frequent confusion comes first; equally frequent ones by name.

    Examples
    --------
    >>> import consilience as cs
    >>> from consilience.study.labels import labels_of
    >>> votes = cs.study({"item": ["a", "b"], "x": [1, 0], "y": [1, 1], "z": [1, 1]})
    >>> found, agreed = confusions(labels_of(votes), None)
    >>> found[0].pairs, found[0].share, agreed.tolist()
    (2, 1.0, [0, 4])
    """
    names = labels.categories
    counts = counted(labels.item, labels.category, (len(labels.items), len(names)))
    met = (counts.T @ counts).tocoo()
    upper = np.flatnonzero(met.row < met.col)
    marked = counts.copy()
    marked.data[:] = 1.0
    both = (marked.T @ marked).tocsr()
    pairs = met.data[upper]
    order = upper[np.lexsort((met.col[upper], met.row[upper], -pairs))]
    differing = float(pairs.sum())
    related = _relations(tree, names, met.row[order], met.col[order])
    found = [
        Confusion(names[a], names[b], int(n), float(n / differing), int(both[a, b]), relation)
        for a, b, n, relation in zip(
            met.row[order].tolist(),
            met.col[order].tolist(),
            met.data[order].tolist(),
            related,
            strict=True,
        )
    ]
    squares = counts.multiply(counts).sum(axis=0)
    agreed = (np.asarray(squares) - np.asarray(counts.sum(axis=0))) / 2
    return found, agreed.ravel().astype(np.int64)


def _relations(
    tree: Tree | None,
    names: tuple[str, ...],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
) -> list[Relation | None]:
    """Tell how pairs of categories lie to each other; one above the other comes before siblings."""
    if tree is None:
        return [None] * len(a)
    code = [tree.code(name) for name in names]
    above = [{*tree.ancestors(one)} for one in code]
    found: list[Relation | None] = []
    for i, j in zip(a.tolist(), b.tolist(), strict=True):
        x, y = code[i], code[j]
        if x in above[j] or y in above[i]:
            found.append("lineage")
        elif {*tree.parents[x]} & {*tree.parents[y]} or not (tree.parents[x] or tree.parents[y]):
            found.append("siblings")
        else:
            found.append("elsewhere")
    return found


def tree_shares(found: list[Confusion]) -> dict[str, float] | None:
    """Say which part of the differing pairs lies where in the tree; None where none differ."""
    if not found or found[0].relation is None:
        return None
    return {name: sum(c.share for c in found if c.relation == name) for name in RELATIONS}


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
