"""The number of relevant items: brute force, high precision, laws, many lists at once."""

from __future__ import annotations

from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import poisson_binom

from consilience.errors import UsageError
from consilience.measures import trials
from consilience.measures.trials import Count, number_relevant, numbers_relevant

PROBABILITY = st.one_of(st.sampled_from([0.0, 1.0, 0.5]), st.floats(0, 1))


def brute(p: list[float]) -> list[float]:
    """Add up Santini's eq. 10 set by set."""
    mass = [0.0] * (len(p) + 1)
    for truth in product((0, 1), repeat=len(p)):
        mass[sum(truth)] += float(
            np.prod([q if x else 1 - q for x, q in zip(truth, p, strict=True)])
        )
    return mass


def whole(count: Count, items: int) -> np.ndarray:
    mass = np.zeros(items + 1)
    mass[count.first : count.last + 1] = count.mass
    return mass


@given(st.lists(PROBABILITY, max_size=9))
def test_equals_the_sum_over_all_sets(p: list[float]) -> None:
    np.testing.assert_allclose(whole(number_relevant(p), len(p)), brute(p), rtol=1e-12, atol=1e-300)


def test_the_paper_s_recall_example() -> None:
    # METHODS: the belief of Lamiroy & Sun's Table 3, nothing of it relevant with 0.004147
    assert number_relevant([0.8, 0.8, 0.4, 0.4, 0.4, 0.4, 0.2]).of(0) == pytest.approx(
        0.2**2 * 0.6**4 * 0.8
    )


def in_whole_numbers(p: np.ndarray) -> list[mpmath.mpf]:
    """Add one item at a time, in units of 2⁻¹²⁰⁰; each step is off by less than one of them."""
    bits = 1200
    mass = np.array([1 << bits], dtype=object)
    for one in p.tolist():
        q = int(mpmath.ldexp(one, bits))  # every bit of it
        without, with_it = mass * ((1 << bits) - q), mass * q
        mass = (np.append(without, 0) + np.append(0, with_it)) >> bits
    with mpmath.workdps(50):
        return [mpmath.ldexp(int(one), -bits) for one in mass]


@pytest.mark.parametrize("n", [300, 1500])
def test_every_mass_is_right_far_into_the_tails(n: int) -> None:
    p = np.random.default_rng(n).random(n)
    ours = whole(number_relevant(p), n)
    theirs = in_whole_numbers(p)
    checked = 0
    for k, mass in enumerate(theirs):
        if mass > mpmath.mpf(10) ** -30:
            assert abs(mpmath.mpf(ours[k]) / mass - 1) < 1e-12
            checked += 1
    assert checked > 80  # the tails are there
    if n <= trials.FULL:  # every one of them, down to 1e-150
        with mpmath.workdps(50):
            small = [abs(mpmath.mpf(ours[k]) / m - 1) for k, m in enumerate(theirs) if m > 1e-290]
        assert len(small) == n + 1
        assert max(small) < 1e-12


def binomials_in_mpmath(groups: dict[float, int], k: int) -> mpmath.mpf:
    """Convolve two binomials at one place, with 60 digits."""
    with mpmath.workdps(60):
        (p, n), (q, m) = groups.items()
        p, q = mpmath.mpf(p), mpmath.mpf(q)
        total = mpmath.mpf(0)
        centre = int(k * n * float(p) / (n * float(p) + m * float(q)))
        term = None
        for i in _spiral(centre, max(0, k - m), min(n, k)):
            term = (
                mpmath.binomial(n, i)
                * p**i
                * (1 - p) ** (n - i)
                * mpmath.binomial(m, k - i)
                * q ** (k - i)
                * (1 - q) ** (m - k + i)
            )
            total += term
        return total


def _spiral(centre: int, low: int, high: int) -> range:
    return range(max(low, centre - 2500), min(high, centre + 2500) + 1)


@pytest.mark.parametrize("deviations", [-11, -8, 0, 7, 11])
def test_a_million_items_of_two_kinds_against_high_precision(deviations: int) -> None:
    # 11 standard deviations out the masses are about 1e-30
    groups = {0.3: 20_000, 0.6: 980_000}
    p = np.repeat(list(groups), list(groups.values()))
    count = number_relevant(np.random.default_rng(0).permutation(p))
    spread = np.sqrt((p * (1 - p)).sum())
    k = int(p.sum() + deviations * spread)
    exact = binomials_in_mpmath(groups, k)
    assert abs(mpmath.mpf(count.of(k)) / exact - 1) < 1e-11


def test_a_million_different_items() -> None:
    """Blocks and windows against the same items added in halves, and against their moments."""
    p = np.random.default_rng(1).random(1_000_000)
    count = number_relevant(p)
    assert count.mass.sum() == pytest.approx(1, abs=1e-12)
    assert count.mean == pytest.approx(p.sum(), rel=1e-12)
    variance = float(((count.values - p.sum()) ** 2) @ count.mass)
    assert variance == pytest.approx((p * (1 - p)).sum(), rel=1e-10)
    halves = number_relevant(p[:300_000]).plus(number_relevant(p[300_000:]))
    far = np.array([count.of(k) for k in halves.values])
    seen = halves.mass > 1e-30
    np.testing.assert_allclose(far[seen], halves.mass[seen], rtol=1e-11)


def test_a_long_list_whose_masses_are_known_from_whole_numbers() -> None:
    """p = a/16: Python's whole numbers give every mass without rounding."""
    a = np.random.default_rng(2).integers(1, 16, 1200)
    polynomial = [1]
    for one in a.tolist():
        polynomial = [
            (polynomial[k] * (16 - one) if k < len(polynomial) else 0)
            + (polynomial[k - 1] * one if k else 0)
            for k in range(len(polynomial) + 1)
        ]
    count = number_relevant(a / 16)
    for k in count.values.tolist():
        exact = mpmath.mpf(polynomial[k]) / mpmath.mpf(16) ** 1200
        if exact > mpmath.mpf(10) ** -40:
            assert abs(mpmath.mpf(count.of(k)) / exact - 1) < 1e-11


def test_rare_items_in_a_long_list() -> None:
    # n p = 1: nearly Poisson; P(0) = (1 - p)^n
    count = number_relevant(np.full(100_000, 1e-5))
    with mpmath.workdps(40):
        exact = (1 - mpmath.mpf(1e-5)) ** 100_000
    assert count.of(0) == pytest.approx(float(exact), rel=1e-12)
    assert count.first == 0
    # relevant for certain
    assert number_relevant(np.ones(5000)).mass.tolist() == [1.0]
    assert number_relevant(np.ones(5000)).first == 5000


@given(st.lists(st.lists(PROBABILITY, max_size=40), max_size=8))
def test_many_lists_equal_single_ones(lists: list[list[float]]) -> None:
    flat = [p for one in lists for p in one]
    starts = np.concatenate([[0], np.cumsum([len(one) for one in lists])]).astype(int)
    many = numbers_relevant(flat, starts)
    assert len(many) == len(lists)
    for number, one in enumerate(lists):
        np.testing.assert_allclose(
            many[number].mass, whole(number_relevant(one), len(one)), rtol=1e-12
        )


def test_many_lists_some_of_them_long() -> None:
    rng = np.random.default_rng(3)
    lengths = np.array([0, 3, 2000, 17, 1, 1500])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    p = rng.random(starts[-1])
    many = numbers_relevant(p, starts)
    for number, length in enumerate(lengths):
        mine = p[starts[number] : starts[number + 1]]
        np.testing.assert_allclose(many[number].mass.sum(), 1)
        k = np.arange(length + 1)
        if length:
            theirs = poisson_binom.pmf(k, mine)
            np.testing.assert_allclose(many[number].mass, theirs, atol=1e-13)


@given(st.lists(PROBABILITY, min_size=1, max_size=30), st.floats(-2, 40))
def test_tails_are_sums_of_masses(p: list[float], x: float) -> None:
    count = number_relevant(p)
    mass = count.mass[count.values >= x].sum()
    assert count.tail(x) == pytest.approx(mass, abs=1e-12)


def test_draws_follow_the_masses() -> None:
    count = number_relevant([0.2, 0.9, 0.5])
    drawn = count.draw(200_000, np.random.default_rng(0))
    share = np.bincount(drawn, minlength=4) / len(drawn)
    np.testing.assert_allclose(share, whole(count, 3), atol=0.005)


@pytest.mark.parametrize("wrong", [[1.1], [-0.1], [0.5, np.nan]])
def test_what_is_no_probability(wrong: list[float]) -> None:
    with pytest.raises(UsageError, match=r"must be in \[0, 1\]"):
        number_relevant(wrong)
