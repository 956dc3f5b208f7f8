"""Precision, recall and F given counts: against simulation, quadrature and textbook cases."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

import consilience as cs

COUNTS = [(30, 10, 20), (0, 0, 0), (0, 5, 3), (3, 0, 0), (1, 200, 400), (5000, 900, 1200)]


@pytest.mark.parametrize("counts", COUNTS)
def test_f_is_the_ratio_of_the_papers_gamma_variables(counts: tuple[int, int, int]) -> None:
    """Goutte & Gaussier (2005): F = U / (U + W), drawn a million times."""
    tp, fp, fn = counts
    rng = np.random.default_rng(1)
    u, w = rng.gamma(tp + 0.5, 2, 10**6), rng.gamma(fp + fn + 1, 1, 10**6)
    drawn = u / (u + w)
    found = cs.count_posterior(*counts).f1
    assert found.mean == pytest.approx(drawn.mean(), abs=5 * drawn.std() / 1000)
    assert found.sd == pytest.approx(drawn.std(), rel=0.01)
    for end, q in zip((*found.interval, found.median), (0.025, 0.975, 0.5), strict=True):
        assert float(np.mean(drawn <= end)) == pytest.approx(q, abs=5 * math.sqrt(0.25 / 10**6))


@pytest.mark.parametrize("counts", COUNTS)
def test_moments_of_f_by_quadrature(counts: tuple[int, int, int]) -> None:
    tp, fp, fn = counts
    beta = stats.beta(tp + 0.5, fp + fn + 1)

    def moment(n: int) -> float:
        edges = beta.ppf([0, 1e-12, 1e-4, 0.05, 0.5, 0.95, 1 - 1e-4, 1 - 1e-12, 1])
        parts = (
            integrate.quad(lambda x: (2 * x / (1 + x)) ** n * beta.pdf(x), low, high, limit=200)[0]
            for low, high in pairwise(edges)
            if high > low
        )
        return float(sum(parts))

    found = cs.count_posterior(*counts).f1
    assert found.mean == pytest.approx(moment(1), rel=1e-7)
    assert found.sd == pytest.approx(math.sqrt(moment(2) - moment(1) ** 2), rel=1e-5)


def test_precision_and_recall_are_beta() -> None:
    found = cs.count_posterior(30, 10, 20, level=0.9)
    for one, wrong in ((found.precision, 10), (found.recall, 20)):
        beta = stats.beta(30.5, wrong + 0.5)
        assert one.value == 30 / (30 + wrong)
        assert (one.mean, one.sd) == pytest.approx((beta.mean(), beta.std()), rel=1e-12)
        assert one.interval == pytest.approx(beta.ppf([0.05, 0.95]), rel=1e-9)
        assert one.median == pytest.approx(beta.median(), rel=1e-9)


@given(*(st.integers(0, 10**6) for _ in range(3)), st.floats(0.5, 0.999))
def test_laws(tp: int, fp: int, fn: int, level: float) -> None:
    found = cs.count_posterior(tp, fp, fn, level)
    wider = cs.count_posterior(tp, fp, fn, (1 + level) / 2)
    for one, other in (
        (found.precision, wider.precision),
        (found.recall, wider.recall),
        (found.f1, wider.f1),
    ):
        low, high = one.interval
        assert 0 <= other.interval[0] <= low <= one.median <= high <= other.interval[1] <= 1
        assert 0 < one.mean < 1
        assert one.sd >= 0
    swapped = cs.count_posterior(tp, fn, fp, level)
    assert swapped.f1.interval == pytest.approx(found.f1.interval)
    assert swapped.precision.interval == pytest.approx(found.recall.interval)


def test_nothing_counted_leaves_everything_open() -> None:
    found = cs.count_posterior(0, 0, 0)
    assert math.isnan(found.f1.value)
    assert found.precision.mean == 0.5
    assert found.f1.interval[0] < 0.01
    assert found.f1.interval[1] > 0.97


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((-1, 0, 0), "tp must be a count from 0, found '-1'"),
        ((1, "x", 0), "fp must be a count from 0, found 'x'"),
        ((1, 0, math.inf), "fn must be a count from 0"),
        ((1, 0, 0, 95), "the level must be between 0 and 1, found '95'"),
    ],
)
def test_what_is_no_count(given, said: str) -> None:
    with pytest.raises(cs.UsageError, match=said):
        cs.count_posterior(*given)
