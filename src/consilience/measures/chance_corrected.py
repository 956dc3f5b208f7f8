"""Agreement beyond chance: Cohen's κ, Fleiss' κ, Krippendorff's α, as plain functions of labels.

All have the form 1 − D_o / D_e: the disagreement that was observed over the one that would be
expected if labels met by chance; 1 is agreement throughout, 0 what chance gives, below 0 is less.
They differ in who chance is. Cohen lets each of two annotators draw from their own labels, Fleiss
lets everybody draw from all labels, Krippendorff does, too, but draws without putting back (so that
few labels are no advantage), takes any metric, and any number of labels for each item.

Where all labels are the same category, chance would agree as well: 0/0. That is undefined (NaN),
neither 1 nor 0. Missing labels stay missing; nothing is filled in.

References
----------
.. [1] J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological
   Measurement 20, 1960; weights: "Weighted kappa", Psychological Bulletin 70, 1968.
.. [2] J. L. Fleiss, "Measuring nominal scale agreement among many raters", Psychological Bulletin
   76, 1971.
.. [3] K. Krippendorff, "Computing Krippendorff's alpha-reliability", 2011.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.errors import UsageError, is_number, quote, unknown
from consilience.given import is_missing, listed, numbers_of
from consilience.measures.disagreement import Metric, alphas, counted, within

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.disagreement import Sparse
    from consilience.study.taxonomy import Tree

#: The metrics of :func:`krippendorff_alpha` that go by name.
METRICS = ("nominal", "ordinal", "interval")
#: The weights of :func:`cohen_kappa`.
WEIGHTS = ("linear", "quadratic")


def krippendorff_alpha(
    table: Any, *, metric: Literal["nominal", "ordinal", "interval"] | Tree = "nominal"
) -> float:
    """Krippendorff's α of a table of labels.

    α = 1 − D_o / D_e, where D_o = Σ_u Σ_{c,k} n_uc n_uk δ²_ck / (m_u − 1) over the items u with
    m_u ≥ 2 labels, D_e = Σ_{c,k} n_c n_k δ²_ck / (n − 1) over their n labels.

    Parameters
    ----------
    table
        Items × annotators: numbers or text, as rows, an array or a frame that has a column for
        each annotator and no other; None, NaN and "" are missing.
    metric
        "nominal" (same or not), "ordinal" (ranks of numbers), "interval" (squared differences of
        numbers), or a :class:`~consilience.Tree`: the edges between two categories are their δ².

    Returns
    -------
    float
        NaN where no item has two labels, or all labels are the same.

    Examples
    --------
    Krippendorff's example of four observers and twelve units [3]_:

    >>> x = None
    >>> observers = [
    ...     [1, 2, 3, 3, 2, 1, 4, 1, 2, x, x, x],
    ...     [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, x, 3],
    ...     [x, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, x],
    ...     [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, x],
    ... ]
    >>> units = list(zip(*observers))
    >>> [round(krippendorff_alpha(units, metric=m), 3) for m in METRICS]
    [0.743, 0.815, 0.849]
    >>> krippendorff_alpha([["a", "a"], ["a", "a"]])  # nobody had a choice
    nan
    """
    item, names, category = _said(table)
    if not len(item):
        return float("nan")
    counts = counted(item, category, (int(item[-1]) + 1, len(names)))
    return alpha(counts, _metric(metric, names))


def _said(table: Any) -> tuple[NDArray[np.int64], list[Any], NDArray[np.int64]]:
    """Give the item of every label, the categories, and the category of every label."""
    if hasattr(table, "columns"):  # a frame
        table = np.asarray(table)
    if isinstance(table, np.ndarray) and table.ndim == 2 and table.dtype.kind in "biuf":
        known = ~np.isnan(table)
        values, category = np.unique(table[known], return_inverse=True)
        return np.nonzero(known)[0], values.tolist(), category
    given = listed(table)
    rows = [listed(row) for row in given or ()]
    if given is None or None in rows:
        found = quote(table) if given is None else f"a row {quote(given[rows.index(None)])}"
        raise UsageError(
            f"labels are a table of items × annotators, found {found} "
            "(fix: give a list of the labels for each item, such as [['a', 'b'], ['a', 'a']])"
        )
    said = [(u, one) for u, row in enumerate(rows) for one in row or () if not _missing(one)]
    names, category = _numbered([one for _, one in said])
    return np.array([u for u, _ in said], np.int64), names, category


def _missing(one: object) -> bool:
    return is_missing(one) or (isinstance(one, str) and not one)


def _numbered(said: Sequence[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    """Number labels by value or by name; numbers and text do not mix."""
    text = [one for one in said if isinstance(one, str)]
    if text and len(text) < len(said):
        odd = next(one for one in said if not isinstance(one, str))
        raise UsageError(
            f"labels are text and numbers, such as {quote(text[0])} and {quote(odd)} "
            "(fix: write all as text, or all as numbers)"
        )
    try:
        names = sorted({*said})
    except Exception:  # noqa: BLE001 (lists, complex numbers, whatever has no order)
        odd = next((one for one in said if not is_number(one)), said[0])
        raise UsageError(
            f"a label is text or a number, found {quote(odd)} (fix: write all labels as text)"
        ) from None
    number = {name: code for code, name in enumerate(names)}
    return names, np.array([number[one] for one in said], np.int64)


def _metric(metric: str | Tree, names: Sequence[Any]) -> Metric:
    if not isinstance(metric, str) and not hasattr(metric, "distance"):
        raise unknown("metric", metric, METRICS)
    if not isinstance(metric, str):
        codes = [metric.code(str(name)) for name in names]
        return Metric("tree", table=np.asarray(metric.distance(codes), np.float64))
    if metric not in METRICS:
        raise unknown("metric", metric, METRICS)
    if metric == "nominal":
        return Metric("nominal")
    if any(isinstance(name, str) for name in names):
        raise UsageError(
            f"the {metric} metric needs numbers, found {quote(names[0])} "
            "(fix: write the labels as numbers, or use metric='nominal')"
        )
    if metric == "ordinal":
        return Metric("ordinal")
    return Metric("interval", place=numbers_of(names, "labels"))


def alpha(counts: Sparse, metric: Metric) -> float:
    """Krippendorff's α of counted labels (sparse, items × categories); NaN where undefined."""
    several = np.asarray(counts.sum(axis=1)).ravel() > 1
    pairable = counts if several.all() else counts[np.flatnonzero(several)]
    if not pairable.shape[0]:
        return float("nan")
    return float(alphas(pairable, metric, np.ones((1, pairable.shape[0])))[0])


def fleiss_kappa(counts: Any) -> float:
    """Fleiss' κ of counted labels.

    κ = (P̄ − P̄_e) / (1 − P̄_e), where P̄ is the mean over items of the share of pairs of labels
    that agree, P_i = Σ_c n_ic (n_ic − 1) / (m_i (m_i − 1)), and P̄_e = Σ_c p_c² with p_c the share
    of all labels that are c. Fleiss had the same number m of labels for every item. Here it may
    differ: every item with two labels or more counts once in P̄, every label of these items once
    in p_c; items with fewer labels count nowhere.

    Parameters
    ----------
    counts
        Items × categories: how many annotators gave the item this category.

    Returns
    -------
    float
        NaN where no item has two labels, or all labels are the same.

    Examples
    --------
    Fleiss' example [2]_, six diagnoses for each of thirty patients; a digit is a count:

    >>> patients = (
    ...     "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 "
    ...     "10050 11040 03300 10050 02031 00501 30012 51000 02040 10203 "
    ...     "00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"
    ... )
    >>> round(fleiss_kappa([list(map(int, patient)) for patient in patients.split()]), 3)
    0.43
    """
    from scipy.sparse import csr_array

    matrix = csr_array(_counts(counts))
    return float(fleiss_kappas(matrix, np.ones((1, matrix.shape[0])))[0])


def _counts(counts: Any) -> NDArray[np.float64]:
    fix = "give a row of counts for each item, as many as there are categories: [[2, 0], [1, 1]]"
    made = numbers_of(counts, "counts", axes=2, fix=fix)
    if not bool((np.isfinite(made) & (made >= 0)).all()):
        raise UsageError(f"a count is a number from 0 (fix: {fix})")
    return made


def fleiss_kappas(counts: Sparse, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fleiss' κ of items that occur so many times, for each row of ``times`` (draws × items)."""
    answers = np.asarray(counts.sum(axis=1)).ravel()
    times = times * (answers > 1)
    totals: NDArray[np.float64] = (counts.T @ times.T).T
    with np.errstate(divide="ignore", invalid="ignore"):
        share = totals / totals.sum(axis=1, keepdims=True)
        by_chance = (share**2).sum(axis=1)
        kappa = (percents(counts, times) - by_chance) / (1 - by_chance)
    return np.where((totals > 0).sum(axis=1) > 1, kappa, np.nan)


def percents(counts: Sparse, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of pairs of labels that agree, averaged over items that occur so many times.

    Examples
    --------
    >>> counts = counted(np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1]), (2, 2))
    >>> percents(counts, np.ones((1, 2))).round(4).tolist()
    [0.6667]
    """
    agreed = 1 - disagreements(counts, Metric("nominal"))
    known = ~np.isnan(agreed)
    weight = times[:, known]
    with np.errstate(divide="ignore", invalid="ignore"):
        found: NDArray[np.float64] = weight @ agreed[known] / weight.sum(axis=1)
    return found


def disagreements(counts: Sparse, metric: Metric) -> NDArray[np.float64]:
    """Mean difference of two labels of each item; NaN where it has fewer than two.

    Examples
    --------
    >>> counts = counted(np.array([0, 0, 0, 1]), np.array([0, 0, 1, 1]), (2, 2))
    >>> disagreements(counts, Metric("nominal")).round(4).tolist()
    [0.6667, nan]
    """
    answers = np.asarray(counts.sum(axis=1)).ravel()
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = within(counts, metric) / (answers * (answers - 1))
    return np.where(answers > 1, mean, np.nan)


def cohen_kappa(
    a: Sequence[Any] | NDArray[Any],
    b: Sequence[Any] | NDArray[Any],
    *,
    weights: Literal["linear", "quadratic"] | None = None,
) -> float:
    """Cohen's κ of two annotators on the items that both labelled.

    κ = 1 − Σ_{c,k} w_ck p_ck / Σ_{c,k} w_ck p_c q_k: p_ck is the share of items that ``a`` calls c
    and ``b`` calls k; p_c and q_k are their own shares. w_ck is 1 where c ≠ k; with weights it is
    |i − j| ("linear") or (i − j)² ("quadratic"), where c and k are the i-th and the j-th of all
    labels that occur.

    Parameters
    ----------
    a, b
        Labels in the order of the items; None, NaN and "" are missing.
    weights
        None: labels agree or not; otherwise labels have an order.

    Returns
    -------
    float
        NaN where no item has both labels, or both annotators gave all items the same one.

    Examples
    --------
    Cohen's example [1]_ of 200 cases: agreement 0.70, by chance 0.41.

    >>> cells = {"PP": 88, "PN": 14, "PX": 18, "NP": 10, "NN": 40, "NX": 10}
    >>> cells |= {"XP": 2, "XN": 6, "XX": 12}
    >>> a, b = zip(*(pair for pair, count in cells.items() for _ in range(count)))
    >>> round(cohen_kappa(a, b), 3)
    0.492
    >>> round(cohen_kappa([1, 2, 3, 3], [1, 2, 2, 3], weights="quadratic"), 3)
    0.8
    """
    if weights is not None and weights not in WEIGHTS:
        raise unknown("weights", str(weights), WEIGHTS)
    first, second = listed(a), listed(b)
    if first is None or second is None:
        found = quote(a if first is None else b)
        raise UsageError(f"labels are a list, found {found} (fix: ['yes', 'no'])")
    a, b = first, second
    if len(a) != len(b):
        raise UsageError(
            f"one annotator has {len(a):,} labels, the other {len(b):,} "
            "(fix: give both for the same items, None where one is missing)"
        )
    both = [(x, y) for x, y in zip(a, b, strict=True) if not _missing(x) and not _missing(y)]
    if not both:
        return float("nan")
    names, codes = _numbered([one for pair in both for one in pair])
    positions = np.arange(len(names), dtype=np.float64)
    kinds = {"linear": "linear", "quadratic": "interval"}
    metric = Metric("nominal")
    if weights is not None:
        metric = Metric(kinds[weights], place=positions)  # type: ignore[arg-type]
    mine, yours = codes[::2], codes[1::2]
    p, q = (np.bincount(one, minlength=len(names))[None].astype(float) for one in (mine, yours))
    observed = float(metric.between(mine, yours).sum()) * len(both)
    return float(kappas(np.array([observed]), (metric.from_each(p) * q).sum(axis=1))[0])


def kappas(observed: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 − observed / expected disagreement; NaN where none is expected.

    Examples
    --------
    >>> kappas(np.array([0.1, 0.0]), np.array([0.4, 0.0])).tolist()
    [0.75, nan]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1 - observed / expected, np.nan)
