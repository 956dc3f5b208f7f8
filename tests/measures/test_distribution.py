"""Distributions of measures: laws, peers, brute force over all truths."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from consilience.errors import UsageError
from consilience.measures import ratios
from consilience.measures.distribution import Distribution, compared, mixed
from consilience.measures.trials import number_relevant

PROBABILITY = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0.01, 0.99))
FEW = st.lists(PROBABILITY, max_size=6)
VALUES = st.lists(
    st.tuples(st.floats(0, 1).map(lambda x: round(x, 2)), st.floats(0.05, 1)),
    min_size=1,
    max_size=8,
)


def made(pairs: list[tuple[float, float]]) -> Distribution:
    return Distribution.of([v for v, _ in pairs], [w for _, w in pairs])


def brute(found: list[float], rest: list[float], value: object) -> tuple[dict[float, float], float]:
    """Go through every truth; add up the masses of equal values, and of undefined ones."""
    masses: dict[float, float] = {}
    undefined = 0.0
    p = [*found, *rest]
    for truth in product((0, 1), repeat=len(p)):
        weight = float(np.prod([q if x else 1 - q for x, q in zip(truth, p, strict=True)]))
        if not weight:
            continue
        got = value(sum(truth[: len(found)]), sum(truth[len(found) :]))  # type: ignore[operator]
        if got is None:
            undefined += weight
        else:
            masses[round(got, 9)] = masses.get(round(got, 9), 0.0) + weight
    return masses, undefined


def agree(one: Distribution, masses: dict[float, float], undefined: float) -> None:
    assert one.p_undefined == pytest.approx(undefined if masses else 1.0, abs=1e-12)
    total = sum(masses.values())
    assert one.support.round(9).tolist() == sorted(masses)
    expected = [masses[value] / total for value in sorted(masses)]
    np.testing.assert_allclose(one.mass, expected, rtol=1e-9)


@given(FEW, FEW)
def test_recall_over_all_truths(found: list[float], rest: list[float]) -> None:
    one = ratios.recall(number_relevant(found), number_relevant(rest))
    agree(one, *brute(found, rest, lambda k, m: k / (k + m) if k + m else None))


@given(FEW, FEW, st.sampled_from([0.5, 1.0, 2.0]))
def test_f_over_all_truths(found: list[float], rest: list[float], beta: float) -> None:
    one = ratios.f_measure(number_relevant(found), number_relevant(rest), len(found), beta=beta)
    square, n = beta**2, len(found)

    def value(k: int, missed: int) -> float | None:
        below = square * (k + missed) + n
        return (1 + square) * k / below if below else None

    agree(one, *brute(found, rest, value))


@given(FEW)
def test_precision_over_all_truths(found: list[float]) -> None:
    one = ratios.precision(number_relevant(found), len(found))
    agree(one, *brute(found, [], lambda k, m: k / len(found) if found else None))


def test_the_figures_of_the_methods() -> None:
    """METHODS §4, to six digits: the belief of Table 3 and system S1."""
    found, rest = number_relevant([0.8, 0.8, 0.4, 0.4]), number_relevant([0.4, 0.4, 0.2])
    recall = ratios.recall(found, rest)
    assert round(recall.mean, 6) == 0.727021
    assert round(recall.p_undefined, 6) == 0.004147
    assert round(ratios.f_measure(found, rest, 4).mean, 6) == 0.634729
    # and the ratios of means that they are set against
    assert round(2.4 / 3.4, 6) == 0.705882
    assert round(2 * 2.4 / (3.4 + 4), 6) == 0.648649


@given(st.lists(st.booleans(), max_size=12), st.lists(st.booleans(), max_size=12))
def test_sure_truth_gives_points_at_the_textbook_s_values(
    found: list[bool], rest: list[bool]
) -> None:
    k, missed, n = sum(found), sum(rest), len(found)
    counts = number_relevant(np.array(found, float)), number_relevant(np.array(rest, float))
    one = ratios.recall(*counts)
    if k + missed:
        assert one.support.tolist() == [k / (k + missed)]
        assert ratios.recall_fixed(counts[0], k + missed).support.tolist() == [k / (k + missed)]
        f1 = ratios.f_measure(*counts, n)
        assert f1.support.tolist() == [2 * k / (n + k + missed)]
    else:
        assert one.p_undefined == 1.0
        assert not len(one)
        assert np.isnan(one.mean)
    if n:
        assert ratios.precision(counts[0], n).support.tolist() == [k / n]


def test_very_many_pairs_are_grouped_and_keep_their_mean() -> None:
    rng = np.random.default_rng(0)
    found, rest = number_relevant(rng.random(40_000)), number_relevant(rng.random(90_000))
    one = ratios.recall(found, rest)
    assert one.grouped
    # E[K / (K + L)]: all pairs, row by row
    k, missed = found.values.astype(float), rest.values.astype(float)
    exact = sum(
        m * float((a / (a + missed)) @ rest.mass) for a, m in zip(k, found.mass, strict=True)
    )
    assert one.mean == pytest.approx(exact, rel=1e-12)
    assert one.mass.sum() == pytest.approx(1)
    low, high = one.interval(0.9)
    upto = sum(
        m * float(rest.tail(a * (1 - high) / high)) for a, m in zip(k, found.mass, strict=True)
    )
    assert upto == pytest.approx(0.95, abs=0.002)
    assert low < one.median < high


@given(VALUES, VALUES, st.floats(0, 0.5))
def test_comparisons_are_sums_over_all_pairs(
    first: list[tuple[float, float]], second: list[tuple[float, float]], delta: float
) -> None:
    a, b = made(first), made(second)
    delta = round(delta, 2)
    found = compared(a, b, delta=delta)
    joint = np.outer(a.mass, b.mass)
    gap = np.subtract.outer(a.support, b.support)
    assert found.greater == pytest.approx(joint[gap > 1e-9].sum(), abs=1e-9)
    assert found.less == pytest.approx(joint[gap < -1e-9].sum(), abs=1e-9)
    assert found.equal == pytest.approx(joint[np.abs(gap) <= 1e-9].sum(), abs=1e-9)
    assert found.by_delta == pytest.approx(joint[gap >= delta - 1e-9].sum(), abs=1e-9)
    theirs = stats.wasserstein_distance(a.support, b.support, a.mass, b.mass)
    assert found.wasserstein == pytest.approx(theirs, abs=1e-9)
    points = np.union1d(a.support, b.support)
    gaps = [abs(a.mass[a.support <= x].sum() - b.mass[b.support <= x].sum()) for x in points]
    assert found.ks == pytest.approx(max(gaps), abs=1e-9)


@given(VALUES)
def test_compared_with_itself(pairs: list[tuple[float, float]]) -> None:
    one = made(pairs)
    found = compared(one, one)
    assert found.greater == pytest.approx(found.less)
    assert found.wasserstein == found.ks == 0
    assert found.by_delta == pytest.approx(found.greater + found.equal)


@given(VALUES, st.floats(0.05, 0.99))
def test_intervals_hold_their_level(pairs: list[tuple[float, float]], level: float) -> None:
    one = made(pairs)
    low, high = one.interval(level)
    assert one.mass[(one.support >= low) & (one.support <= high)].sum() >= level - 1e-9
    assert one.mass[one.support < low].sum() <= (1 - level) / 2 + 1e-9
    assert one.mass[one.support > high].sum() <= (1 - level) / 2 + 1e-9
    assert low <= one.median <= high
    assert one.support[0] - 1e-12 <= one.mean <= one.support[-1] + 1e-12


@given(VALUES, st.integers(1, 6))
def test_fewer_points_keep_mean_and_mass(pairs: list[tuple[float, float]], points: int) -> None:
    one = made(pairs)
    fewer = one.fewer(points)
    assert len(fewer) <= max(points, 1) or len(one) <= points
    assert fewer.mean == pytest.approx(one.mean)
    assert fewer.mass.sum() == pytest.approx(1)
    assert fewer.grouped == (len(one) > points)


def test_rounding_is_no_distance() -> None:
    found = compared(Distribution.of([0.3, 0.7], [1, 1]), Distribution.of([0.1 + 0.2, 0.7], [1, 1]))
    assert found.ks == pytest.approx(0)
    assert found.equal == pytest.approx(0.5)


def test_mixtures() -> None:
    sometimes = Distribution.of([1.0], [1.0], p_undefined=0.5)
    half = mixed([sometimes, Distribution.point(0.0)], [0.5, 0.5])
    # defined: 1 with ½·½, 0 with ½; undefined ¼
    assert half.p_undefined == 0.25
    assert half.mass.tolist() == pytest.approx([2 / 3, 1 / 3])
    with pytest.raises(UsageError, match="must sum to 1"):
        mixed([sometimes], [0.5])


def test_equal_values_reached_in_different_ways_are_one() -> None:
    one = Distribution.of([0.1 + 0.2, 0.3, 0.5], [1, 1, 2])
    assert one.mass.tolist() == [0.5, 0.5]
