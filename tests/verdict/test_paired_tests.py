"""Paired tests over queries: other programs' p-values, exact cases, false alarms."""

from __future__ import annotations

from itertools import product
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.multitest import multipletests

from consilience.verdict.paired_tests import (
    TESTS,
    all_paired_tests,
    holm,
    pair_tests,
    paired_tests,
    sign_test,
)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_equals_statsmodels(p: list[float]) -> None:
    with mock.patch("gc.collect"):  # it would tidy up all of this process, each time
        theirs = multipletests(p, method="holm")[1]
    np.testing.assert_allclose(holm(p), theirs, atol=1e-12)


def test_holm_leaves_out_what_is_unknown() -> None:
    corrected = holm([0.01, np.nan, 0.02])
    assert corrected[0] == 0.02
    assert np.isnan(corrected[1])


@pytest.mark.parametrize("seed", range(5))
def test_against_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.random(9), rng.random(9)
    found = paired_tests(a - b)
    assert found.n == 9
    assert found.p["t"] == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert found.p["wilcoxon"] == pytest.approx(stats.wilcoxon(a, b).pvalue)
    signs = int((a > b).sum())
    assert found.p["sign"] == pytest.approx(stats.binomtest(signs, 9).pvalue)
    swapped = [abs(np.dot(s, a - b)) for s in product((-1, 1), repeat=9)]
    exact = np.mean(np.array(swapped) >= abs((a - b).sum()) - 1e-12)
    assert found.p["randomisation"] == pytest.approx(exact)


@pytest.mark.parametrize(
    "d",
    [
        [0.1, 0.1, -0.1, 0.2, 0.3, 0.3, -0.2],  # ties
        [0.0, 0.1, 0.2, -0.05, 0.0, 0.4],  # zeros
        [0.1, 0.0],
        np.linspace(-0.1, 0.3, 13).round(2).tolist(),
        np.linspace(-0.1, 0.3, 20).tolist(),
        [0.1] * 8 + [-0.2] * 9,
    ],
)
def test_signed_ranks_with_ties_and_zeros_are_those_of_scipy(d: list[float]) -> None:
    assert paired_tests(d).p["wilcoxon"] == pytest.approx(stats.wilcoxon(d).pvalue)


def test_signed_ranks_of_a_textbook() -> None:
    """Depression scores of nine patients, Hollander & Wolfe, Table 3.1.

    R: wilcox.test(x, y, paired = TRUE, alternative = "greater") gives V = 40, p-value = 0.01953.
    """
    before = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
    after = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])
    assert paired_tests(before - after).p["wilcoxon"] == pytest.approx(2 * 0.01953, abs=1e-5)


@pytest.mark.parametrize("queries", [1, 2, 5, 9, 25, 50, 51, 120])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("undefined", [0.0, 0.2])
def test_many_rows_are_tested_as_scipy_tests_each(
    queries: int, whole: bool, undefined: float
) -> None:
    """Of scipy's signed ranks those of differences that are not 0: then p is exact if it can be."""
    rng = np.random.default_rng(queries)
    rows = rng.integers(-9, 9, (40, queries)) / 8 if whole else rng.normal(0.1, 1, (40, queries))
    rows[rng.random(rows.shape) < undefined] = np.nan
    for row, found in zip(rows, all_paired_tests(rows), strict=True):
        d = row[~np.isnan(row)]
        assert found.n == len(d)
        if len(d) < 2 or not d.any():
            continue
        if np.ptp(d) > 0:
            assert found.p["t"] == pytest.approx(stats.ttest_1samp(d, 0).pvalue, rel=1e-12)
        signed = stats.wilcoxon(d[d != 0]).pvalue
        assert found.p["wilcoxon"] == pytest.approx(signed, rel=1e-12)
        up = int((d > 0).sum())
        sign = stats.binomtest(up, int((d != 0).sum())).pvalue
        assert found.p["sign"] == pytest.approx(sign, rel=1e-12)


@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.integers(2, 5), st.integers(0, 30)),
        elements=st.sampled_from([*np.arange(11) / 10, np.nan]),
    )
)
@settings(deadline=None, max_examples=60)
def test_pairs_of_systems_are_tested_as_their_differences(values: NDArray[np.float64]) -> None:
    a, b = np.triu_indices(len(values), 1)
    found = pair_tests(values, a, b, seed=4)
    rows = all_paired_tests(values[a] - values[b], seed=4)
    for name in TESTS:
        expected = [one.p[name] for one in rows]
        np.testing.assert_allclose(found[name], expected, rtol=1e-12)


@pytest.mark.parametrize("queries", [4, 8, 11])
def test_swaps_that_are_as_far_are_counted_without_rounding(queries: int) -> None:
    """Tenths have many ties: whole numbers say which swaps are as far."""
    rng = np.random.default_rng(queries)
    for tenths in rng.integers(-10, 11, (30, queries)).tolist():
        far = abs(sum(tenths))
        ways = [
            abs(sum(s * t for s, t in zip(each, tenths, strict=True)))
            for each in product((-1, 1), repeat=queries)
        ]
        exact = sum(way >= far for way in ways) / len(ways)
        scores = rng.integers(0, 11, queries)
        x, y = (scores + tenths) / 10, scores / 10
        assert paired_tests(x - y).p["randomisation"] == exact
        first, second = np.array([0]), np.array([1])
        found = pair_tests(np.stack([x, y]), first, second)["randomisation"]
        assert found[0] == exact


@pytest.mark.parametrize("n", [2, 10, 57, 1100, 2500])
def test_sign_tests_of_many_pairs_are_exact(n: int) -> None:
    rows = np.where(np.arange(n) < np.linspace(0, n, 7).astype(int)[:, None], 1.0, -1.0)
    for row, tested in zip(rows, all_paired_tests(rows), strict=True):
        up, found = int((row > 0).sum()), tested.p["sign"]
        assert found == pytest.approx(sign_test(up, n - up), rel=1e-10)
        assert found == pytest.approx(stats.binomtest(up, n).pvalue, rel=1e-10)


def test_many_queries_are_swapped_at_random_and_seeded() -> None:
    d = np.random.default_rng(0).normal(0.3, 1, 60)
    one, again, other = (paired_tests(d, seed=s).p["randomisation"] for s in (1, 1, 2))
    assert one == again
    theirs = stats.permutation_test(
        (d,),
        lambda x, axis: x.mean(axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        rng=np.random.default_rng(0),
    ).pvalue
    assert one == pytest.approx(theirs, abs=0.02)
    assert other == pytest.approx(theirs, abs=0.02)


def test_what_says_nothing() -> None:
    assert paired_tests([1e-17, -1e-17, 2e-17, 1e-17]).p == dict.fromkeys(TESTS, 1.0)
    assert all(np.isnan(p) for p in paired_tests([0.3]).p.values())
    assert paired_tests([np.nan, 0.2, 0.1]).n == 2
    assert paired_tests([0.0, 0.0, 0.0]).p == dict.fromkeys(TESTS, 1.0)
    constant = paired_tests([0.5, 0.5, 0.5, 0.5])
    assert np.isnan(constant.p["t"])  # no spread: t would be infinite
    assert constant.p["sign"] == 0.125


@pytest.mark.parametrize("test", TESTS)
def test_false_alarms_stay_below_the_level(test: str) -> None:
    """Two equal systems: a p-value below 0.05 comes in at most 5 of 100 cases."""
    rng = np.random.default_rng(7)
    found = [paired_tests(rng.normal(0, 1, 15), seed=s).p[test] for s in range(400)]
    alarms = np.mean(np.array(found) < 0.05)
    assert alarms <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
