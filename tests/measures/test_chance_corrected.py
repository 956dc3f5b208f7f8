"""Coefficients of agreement against other programs, against their definitions, and by laws."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

import consilience as cs
from consilience.errors import UsageError
from consilience.measures.chance_corrected import METRICS
from consilience.measures.coders import against_rest, deviations, pair_kappas
from consilience.measures.disagreement import Metric
from consilience.study.labels import Labels, labels_of

#: A label of five, or none.
grades = st.one_of(st.none(), st.integers(0, 4))
tables = st.lists(st.lists(grades, min_size=4, max_size=4), min_size=3, max_size=12)
pairs = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30)


def holes(rows: list[list[int | None]]) -> np.ndarray[Any, Any]:
    return np.array([[np.nan if one is None else one for one in row] for row in rows], float)


def by_definition(rows: list[list[Any]], apart: Any) -> float:
    """α as it is defined: every ordered pair of labels of an item, then every one of all."""
    units = [[one for one in row if one is not None] for row in rows]
    units = [unit for unit in units if len(unit) > 1]
    every = [one for unit in units for one in unit]
    observed = sum(
        apart(x, y) / (len(unit) - 1) for unit in units for x, y in itertools.permutations(unit, 2)
    )
    expected = sum(apart(x, y) for x, y in itertools.permutations(every, 2)) / (len(every) - 1)
    return 1 - observed / expected if expected else float("nan")


def same(found: float, expected: float) -> bool:
    return found == pytest.approx(expected, abs=1e-9, nan_ok=True)


def labels(rows: list[list[Any]]) -> Labels:
    names = [f"a{k}" for k in range(len(rows[0]))]
    frame = {"item": [f"i{k:03}" for k in range(len(rows))]}
    frame |= {name: [row[k] for row in rows] for k, name in enumerate(names)}
    return labels_of(cs.study(frame, labels=True))


@pytest.mark.parametrize("metric", METRICS)
@given(rows=tables)
def test_alpha_is_that_of_krippendorff(metric: Any, rows: list[list[int | None]]) -> None:
    said = [{one for one in row if one is not None} for row in rows]
    pairable = [row for row in rows if sum(one is not None for one in row) > 1]
    values = {one for row in pairable for one in row if one is not None}
    found = cs.krippendorff_alpha(rows, metric=metric)
    if len(values) < 2:
        assert np.isnan(found)
        return
    assert any(said)
    expected = krippendorff.alpha(
        reliability_data=holes(pairable).T, level_of_measurement=metric, value_domain=[*range(5)]
    )
    assert same(found, expected)


@given(rows=tables)
def test_alpha_with_missing_labels_is_its_definition(rows: list[list[int | None]]) -> None:
    assert same(cs.krippendorff_alpha(rows), by_definition(rows, lambda x, y: x != y))
    squared = by_definition(rows, lambda x, y: (x - y) ** 2)
    assert same(cs.krippendorff_alpha(rows, metric="interval"), squared)


@given(rows=tables)
def test_alpha_over_a_tree_is_its_definition(rows: list[list[int | None]]) -> None:
    tree = cs.tree({"all": None, "0": "all", "1": "0", "2": "0", "3": "2", "4": "all"})
    paths = {"0": "0", "1": "01", "2": "02", "3": "023", "4": "4"}

    def edges(x: str, y: str) -> int:
        common = sum(1 for a, b in zip(paths[x], paths[y], strict=False) if a == b)
        return len(paths[x]) + len(paths[y]) - 2 * common

    text = [[None if one is None else str(one) for one in row] for row in rows]
    assert same(cs.krippendorff_alpha(text, metric=tree), by_definition(text, edges))


@given(rows=tables)
def test_on_a_star_the_tree_says_what_names_say(rows: list[list[int | None]]) -> None:
    star = cs.tree({"all": None} | {str(k): "all" for k in range(5)})
    text = [[None if one is None else str(one) for one in row] for row in rows]
    assert same(cs.krippendorff_alpha(text, metric=star), cs.krippendorff_alpha(text))


@given(rows=tables)
def test_alpha_does_not_depend_on_order_or_names(rows: list[list[int | None]]) -> None:
    found = cs.krippendorff_alpha(rows)
    assert same(cs.krippendorff_alpha(rows[::-1]), found)
    assert same(cs.krippendorff_alpha([row[::-1] for row in rows]), found)
    renamed = [[None if one is None else "vwxyz"[(one * 3) % 5] for one in row] for row in rows]
    assert same(cs.krippendorff_alpha(renamed), found)
    stretched = [[None if one is None else 10.0 + 2.0 * one for one in row] for row in rows]
    for metric in ("ordinal", "interval"):
        plain = cs.krippendorff_alpha(rows, metric=metric)
        assert same(cs.krippendorff_alpha(stretched, metric=metric), plain)


@given(rows=tables)
def test_items_with_one_label_do_not_matter(rows: list[list[int | None]]) -> None:
    more = [*rows, [3, None, None, None], [None] * 4]
    assert same(cs.krippendorff_alpha(more), cs.krippendorff_alpha(rows))


@given(rows=tables)
def test_doubled_items_change_kappa_not_at_all(rows: list[list[int | None]]) -> None:
    table = [[row.count(k) for k in range(5)] for row in rows]
    assert same(cs.fleiss_kappa(table * 3), cs.fleiss_kappa(table))
    first, second = [row[0] for row in rows], [row[1] for row in rows]
    assert same(cs.cohen_kappa(first * 2, second * 2), cs.cohen_kappa(first, second))


def test_unanimity_is_one_with_two_categories_and_undefined_with_one() -> None:
    assert cs.krippendorff_alpha([["a", "a"], ["b", "b"]]) == 1
    assert np.isnan(cs.krippendorff_alpha([["a", "a"], ["a", "a"]]))
    assert cs.fleiss_kappa([[3, 0], [0, 3]]) == 1
    assert np.isnan(cs.fleiss_kappa([[3, 0], [3, 0]]))
    assert cs.cohen_kappa([1, 2], [1, 2]) == 1
    assert np.isnan(cs.cohen_kappa([1, 1], [1, 1]))
    assert np.isnan(cs.cohen_kappa([1, None], [None, 1]))
    assert cs.cohen_kappa([1, 1], [2, 2]) == 0  # they always differ, and would by chance


@given(st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=2, max_size=15))
def test_fleiss_is_that_of_statsmodels_where_all_labelled_all(rows: list[list[int]]) -> None:
    table = np.array([[row.count(k) for k in range(4)] for row in rows])
    found = cs.fleiss_kappa(table)
    if (table.sum(axis=0) > 0).sum() < 2:
        assert np.isnan(found)
    else:
        assert same(found, inter_rater.fleiss_kappa(table))


@given(tables)
def test_fleiss_with_missing_labels_is_its_formula(rows: list[list[int | None]]) -> None:
    units = [[one for one in row if one is not None] for row in rows]
    units = [unit for unit in units if len(unit) > 1]
    every = [one for unit in units for one in unit]
    found = cs.fleiss_kappa([[row.count(k) for k in range(5)] for row in rows])
    if len({*every}) < 2:
        assert np.isnan(found)
        return
    agreed = np.mean([np.mean([x == y for x, y in itertools.permutations(u, 2)]) for u in units])
    by_chance = sum((every.count(k) / len(every)) ** 2 for k in range(5))
    assert same(found, (agreed - by_chance) / (1 - by_chance))


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
@given(rows=pairs)
def test_cohen_is_that_of_scikit_learn(weights: Any, rows: list[tuple[int, int]]) -> None:
    a, b = zip(*rows, strict=True)
    found = cs.cohen_kappa(a, b, weights=weights)
    if len({*a, *b}) < 2:
        assert np.isnan(found)
    else:
        assert same(found, cohen_kappa_score(a, b, weights=weights))


@given(rows=tables)
def test_pairs_are_cohens_kappa_on_common_items(rows: list[list[int | None]]) -> None:
    rows = [[0, 1, 2, 3], [4, 4, 4, 4], *rows]
    said = labels(rows)
    place = np.arange(5.0)
    metrics = [Metric("nominal"), Metric("linear", place), Metric("interval", place)]
    found = pair_kappas(said, range(4), metrics)
    for k, (a, b) in enumerate(zip(found.a, found.b, strict=True)):
        both = [(r[a], r[b]) for r in rows if r[a] is not None and r[b] is not None]
        assert found.n[k] == len(both)
        assert found.percent[k] == pytest.approx(np.mean([x == y for x, y in both]))
        first, second = zip(*both, strict=True)
        for kappa, weights in zip(found.kappa, (None, "linear", "quadratic"), strict=True):
            expected = cohen_kappa_score(first, second, weights=weights, labels=[*range(5)])
            assert same(kappa[k], expected)


@given(rows=pairs)
def test_of_two_each_ones_kappa_is_that_of_the_pair(rows: list[tuple[int, int]]) -> None:
    said = labels([[0, 0], [1, 1], [2, 0], *map(list, rows)])
    for metric in (Metric("nominal"), Metric("interval", np.array(said.values))):
        pair = pair_kappas(said, [0, 1], [metric]).kappa[0][0]
        assert against_rest(said, metric).kappa == pytest.approx([pair, pair])


@given(rows=pairs)
def test_the_error_of_kappa_is_that_of_fleiss_cohen_and_everitt(
    rows: list[tuple[int, int]],
) -> None:
    rows = [(0, 0), (1, 1), (2, 0), (3, 3), *rows]
    found = against_rest(labels([*map(list, rows)]), Metric("nominal"))
    table = np.zeros((4, 4))
    np.add.at(table, tuple(np.array(rows).T), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = inter_rater.cohens_kappa(table).std_kappa
    n = len(rows)
    assert found.error * np.sqrt((n - 1) / n) == pytest.approx([expected, expected])


@given(rows=tables)
def test_against_the_rest_is_its_definition(rows: list[list[int | None]]) -> None:
    rows = [[0, 1, 2, 3], *rows]
    said = labels(rows)
    found = against_rest(said, Metric("interval", np.array(said.values)))
    for who in range(4):
        mine = [r for r in rows if r[who] is not None and sum(o is not None for o in r) > 1]
        rest = [[o for k, o in enumerate(r) if k != who and o is not None] for r in mine]
        own = [c for r in mine if (c := r[who]) is not None]
        observed = np.mean([np.mean([(c - o) ** 2 for o in r]) for c, r in zip(own, rest)])  # noqa: B905
        expected = np.mean([[np.mean([(c - o) ** 2 for o in r]) for r in rest] for c in own])
        alike = np.mean([np.mean([c == o for o in r]) for c, r in zip(own, rest)])  # noqa: B905
        assert found.n[who] == len(mine)
        assert found.percent[who] == pytest.approx(alike)
        kappa = float(1 - observed / expected) if expected > 1e-12 else float("nan")
        assert same(found.kappa[who], kappa)


@given(rows=tables)
def test_the_typical_deviation_is_the_most_frequent_one(rows: list[list[int | None]]) -> None:
    rows = [[0, 1, 2, 3], *rows]
    said = labels(rows)
    found = deviations(said)
    for who in range(4):
        met: dict[tuple[str, str], float] = {}
        n = 0
        for row in rows:
            rest = [o for k, o in enumerate(row) if k != who and o is not None]
            if row[who] is None or not rest:
                continue
            n += 1
            for other in rest:
                if other != row[who]:
                    key = (str(row[who]), str(other))
                    met[key] = met.get(key, 0) + 1 / len(rest)
        name = (said.categories[found.says[who]], said.categories[found.others[who]])
        assert met[name] == pytest.approx(max(met.values()))
        assert found.share[who] == pytest.approx(max(met.values()) / n)


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(UsageError, match="3 labels, the other 2"):
        cs.cohen_kappa([1, 2, 3], [1, 2])
    with pytest.raises(UsageError, match="unknown metric 'ordnal'; did you mean 'ordinal'"):
        cs.krippendorff_alpha([[1, 2]], metric="ordnal")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="needs numbers, found 'a'"):
        cs.krippendorff_alpha([["a", "b"]], metric="interval")
    with pytest.raises(UsageError, match="text and numbers"):
        cs.krippendorff_alpha([["a", 1]])
    with pytest.raises(UsageError, match="unknown weights 'cubic'"):
        cs.cohen_kappa([1], [1], weights="cubic")  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [[1, 2, 2, 1, 1, 2], ["a", "b", "b", "a", "a", "b"]])
def test_a_frame_is_its_values(values: list[Any]) -> None:
    rows = [[values[0], values[1]], [values[2], None], [values[3], values[4]], [None, values[5]]]
    rows += [[values[5], values[5]]]
    frame = pd.DataFrame(rows, columns=["ann", "ben"])
    expected = cs.krippendorff_alpha(rows)
    assert not np.isnan(expected)
    assert cs.krippendorff_alpha(frame) == expected
    assert cs.krippendorff_alpha(frame.convert_dtypes()) == expected  # with pandas.NA
    assert (
        cs.krippendorff_alpha(pl.DataFrame(rows, schema=["ann", "ben"], orient="row")) == expected
    )


@pytest.mark.parametrize("odd", ["ab", ["ab", "cd"], [1, 2, 3], {"x": [1, 2]}, pd.Series([1, 2])])
def test_what_is_no_table_has_no_alpha(odd: Any) -> None:
    with pytest.raises(UsageError, match=r"a table of items × annotators, found .* \(fix: give a "):
        cs.krippendorff_alpha(odd)
