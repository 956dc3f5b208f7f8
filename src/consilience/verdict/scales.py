"""On which scale labels are compared: names, ranks, numbers, or places in a tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from consilience.errors import UsageError, quote, unknown
from consilience.measures.disagreement import Metric

if TYPE_CHECKING:
    from consilience.study.labels import Labels
    from consilience.study.taxonomy import Tree

ScaleName = Literal["nominal", "ordinal", "interval", "tree"]
#: The scales of ``agree``, by name.
SCALES: tuple[str, ...] = ("auto", "nominal", "ordinal", "interval", "tree")


@dataclass(frozen=True, slots=True)
class Scale:
    """How labels are compared, and why so.

    ``metric`` is α's; ``weighted`` are the metrics of κ between two annotators by name, the first
    one always unweighted, the last one the scale's own.
    """

    name: ScaleName
    why: str
    metric: Metric
    weighted: dict[str, Metric]

    @property
    def kappa(self) -> str:
        """The name of the κ that fits the scale."""
        return list(self.weighted)[-1]


def on_scale(
    labels: Labels, scale: str, *, tree: Tree | None, order: Sequence[str] | None
) -> tuple[Labels, Scale]:
    """Settle the scale; number the categories in the order of the tree, or in the one given.

    Parameters
    ----------
    labels
        What was said.
    scale
        One of `SCALES`; "auto" takes a tree or an order where there is one, ranks for whole
        numbers with more than two values, differences for other numbers, and names otherwise.
    tree
        The tree that the categories are places of.
    order
        The categories from low to high.

    Examples
    --------
    >>> import consilience as cs
    >>> from consilience.study.labels import labels_of
    >>> votes = labels_of(cs.study({"item": ["a", "b"], "x": [1, 0], "y": [1, 1]}))
    >>> on_scale(votes, "auto", tree=None, order=None)[1].why
    'two values'
    """
    if scale not in SCALES:
        raise unknown("scale", scale, SCALES)
    if tree is not None and order is not None:
        raise UsageError("a tree and an order contradict each other (fix: give one of them)")
    if scale == "tree" and tree is None:
        raise UsageError("the tree scale needs a tree (fix: name its file with --tree)")
    if order is not None and scale in ("nominal", "interval"):
        raise UsageError(f"an order says nothing on the {scale} scale (fix: --scale ordinal)")
    if tree is not None:
        labels = _by_tree(labels, tree)
    if order is not None:
        labels = _by_order(labels, order)
    name, why = _chosen(labels, scale, tree=tree is not None, order=order is not None)
    return labels, _scale(labels, name, why, tree)


def _chosen(labels: Labels, scale: str, *, tree: bool, order: bool) -> tuple[ScaleName, str]:
    values = labels.values
    if scale == "nominal":
        return "nominal", "as asked"
    if scale == "tree" or (scale == "auto" and tree):
        return "tree", "a tree was given" if scale == "auto" else "as asked"
    if order:
        return "ordinal", "an order was given"
    if scale in ("ordinal", "interval"):
        if values is None:
            _refuse_text(labels, scale)
        return ("ordinal" if scale == "ordinal" else "interval"), "as asked"
    if values is None:
        return "nominal", "the labels are text"
    if not labels.graded:
        return "nominal", "the labels are categories"
    if len(values) <= 2:
        return "nominal", "two values" if len(values) == 2 else "a single value"
    if np.array_equal(values, np.floor(values)):
        return "ordinal", "whole numbers with more than two values"
    return "interval", "numbers that are not all whole"


def _refuse_text(labels: Labels, scale: str) -> None:
    from consilience.study.labels import as_number

    text = next(name for name in labels.categories if as_number(name) is None)
    if scale == "ordinal":
        few = labels.categories[:6]
        fix = f"give it from low to high, such as --order {','.join(few)}"
        raise UsageError(f"label {quote(text)} is text, and its order is not known (fix: {fix})")
    raise UsageError(
        f"label {quote(text)} is text; the interval scale needs numbers (fix: --scale nominal)"
    )


def _scale(labels: Labels, name: ScaleName, why: str, tree: Tree | None) -> Scale:
    plain = Metric("nominal")
    if name == "nominal":
        return Scale(name, why, plain, {"kappa": plain})
    if name == "tree":
        assert tree is not None
        codes = [tree.code(category) for category in labels.categories]
        metric = Metric("tree", table=np.asarray(tree.distance(codes), np.float64))
        return Scale(name, why, metric, {"kappa": plain, "kappa_tree": metric})
    place = np.arange(len(labels.categories), dtype=np.float64)
    if name == "interval":
        assert labels.values is not None
        place = labels.values
    weighted = {
        "kappa": plain,
        "kappa_linear": Metric("linear", place),
        "kappa_quadratic": Metric("interval", place),
    }
    metric = Metric("ordinal") if name == "ordinal" else weighted["kappa_quadratic"]
    return Scale(name, why, metric, weighted)


def _by_tree(labels: Labels, tree: Tree) -> Labels:
    """Call categories by their names in the tree, in its order; all must be in it."""
    strange = [name for name in labels.categories if name not in tree]
    if strange:
        listed = ", ".join(map(quote, strange[:5])) + (", …" if len(strange) > 5 else "")
        count = f"{len(strange):,} categories are" if len(strange) > 1 else "category is"
        raise UsageError(
            f"{count} not in the tree: {listed};{tree.possible(strange[0])} "
            "(fix: add them to the tree, or mend the labels)"
        )
    code = np.array([tree.code(name) for name in labels.categories], np.int64)
    used, place = np.unique(code, return_inverse=True)
    names = tuple(tree.names[k] for k in used)
    return replace(labels, categories=names, values=None, category=place[labels.category])


def _by_order(labels: Labels, order: Sequence[str]) -> Labels:
    """Number the categories from low to high."""
    given = [name.strip() for name in order]
    if len({*given}) < len(given):
        twice = next(name for name in given if given.count(name) > 1)
        raise UsageError(f"the order names {quote(twice)} twice (fix: name each label once)")
    strange = [name for name in labels.categories if name not in given]
    if strange:
        listed = ", ".join(map(quote, strange[:5])) + (", …" if len(strange) > 5 else "")
        raise UsageError(
            f"the order lacks {listed} (fix: name every label: {','.join([*given, *strange[:5]])})"
        )
    to = np.array([given.index(name) for name in labels.categories], np.int64)
    return replace(labels, categories=tuple(given), values=None, category=to[labels.category])
