"""Paired tests over queries: other programs' p-values, exact cases, false alarms."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from consilience.verdict.paired_tests import TESTS, holm, paired_tests


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_equals_statsmodels(p: list[float]) -> None:
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
