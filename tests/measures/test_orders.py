"""Rank correlations: scipy, published figures, slow twins, and the laws that hold for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import consilience as cs
from consilience.errors import UsageError
from consilience.measures.orders import crossed, places

Two = tuple[list[float], list[float]]
#: Two columns of scores, with ties.
tied = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=12)

#: Scores and expected figures of the tests of ircor 1.0, the R package of Urbano and Marrero
#: (github.com/julian-urbano/ircor, tests/testthat; MIT): x, y, then both rounded, with ties.
IRCOR = {
    "set1": (
        [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992],
        [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988],
        [0.9, 0.4, 0.9, 0.9, 0.7, 0.1, 0.2, 0.4, 0.5, 1],
        [0.8, 0.4, 0.8, 1, 0.7, 0.1, 0.4, 0.5, 0.6, 1],
    ),
    "set2": (
        [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38],
        [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644],
        [0.3, 0.6, 0.2, 0.9, 0.6, 0.2, 0.7, 0.8, 0.7, 0.4],
        [0.3, 0.8, 0.7, 0.9, 0.1, 0.1, 0.5, 0.6, 1, 0.6],
    ),
    "set3": (
        [0.185, 0.573, 0.944, 0.129, 0.468, 0.553, 0.761, 0.405, 0.976, 0.445],
        [0.845, 0.272, 0.275, 0.924, 0.605, 0.334, 0.162, 0.872, 0.018, 0.25],
        [0.2, 0.6, 0.9, 0.1, 0.5, 0.6, 0.8, 0.4, 1, 0.4],
        [0.8, 0.3, 0.3, 0.9, 0.6, 0.3, 0.2, 0.9, 0, 0.2],
    ),
}
#: τ, τ_ap, symmetric τ_ap without ties; τ_b and τ_ap,b with ties.
FIGURES = {
    "set1": (0.9111, 0.8519, 0.8333, 0.9398, 0.7321),
    "set2": (0.2889, 0.2504, 0.2880, 0.3765, 0.297),
    "set3": (-0.6889, -0.6971, -0.668, -0.6510, -0.7047),
}


@pytest.mark.parametrize("name", IRCOR)
def test_the_figures_of_ircor(name: str) -> None:
    x, y, x_tied, y_tied = IRCOR[name]
    found = (
        cs.kendall(x, y),
        cs.tau_ap(x, y),
        cs.tau_ap(x, y, symmetric=True),
        cs.kendall(x_tied, y_tied),
        cs.tau_ap(x_tied, y_tied, symmetric=True),
    )
    assert found == pytest.approx(FIGURES[name], abs=5e-5)


def columns(pairs: Sequence[tuple[float, float]]) -> Two:
    return [float(a) for a, _ in pairs], [float(b) for _, b in pairs]


@given(tied)
def test_scipy_finds_the_same(pairs: list[tuple[int, int]]) -> None:
    a, b = columns(pairs)
    if len({*a}) < 2 or len({*b}) < 2:
        return
    assert cs.kendall(a, b) == pytest.approx(stats.kendalltau(a, b).statistic, abs=1e-12)
    assert cs.weighted_tau(a, b) == pytest.approx(stats.weightedtau(a, b).statistic, abs=1e-12)
    assert cs.spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-12)


def test_scipy_finds_the_same_for_many_systems() -> None:
    rng = np.random.default_rng(1)
    a = rng.normal(size=700)
    b = (a + rng.normal(size=700)).round(1)
    assert cs.kendall(a, b) == pytest.approx(stats.kendalltau(a, b).statistic, abs=1e-12)
    assert cs.weighted_tau(a, b) == pytest.approx(stats.weightedtau(a, b).statistic, abs=1e-12)
    assert cs.spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-12)


def slow_tau_ap(reference: Sequence[float], other: Sequence[float]) -> float:
    """Say τ_ap as Yilmaz et al. do: walk down the other ranking, which has no ties."""
    order = sorted(range(len(other)), key=lambda place: -other[place])
    share = 0.0
    for rank, here in enumerate(order[1:], start=2):
        right = sum(reference[above] > reference[here] for above in order[: rank - 1])
        share += right / (rank - 1)
    return 2 / (len(order) - 1) * share - 1


@given(st.integers(2, 15), st.integers(0, 10_000))
def test_ap_correlation_said_slowly(systems: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = (rng.permutation(systems).astype(float).tolist() for _ in "ab")
    assert cs.tau_ap(a, b) == pytest.approx(slow_tau_ap(a, b), abs=1e-12)
    both = (slow_tau_ap(a, b) + slow_tau_ap(b, a)) / 2
    assert cs.tau_ap(a, b, symmetric=True) == pytest.approx(both, abs=1e-12)


def slow_tied_tau_ap(reference: Sequence[float], other: Sequence[float]) -> float:
    """One half of τ_ap,b: each system below the first group, against those strictly above it."""
    shares = []
    for here in range(len(other)):
        above = [place for place in range(len(other)) if other[place] > other[here]]
        if above:
            right = sum(reference[place] > reference[here] for place in above)
            shares.append(right / len(above))
    ordered = len({*reference}) > 1 and bool(shares)
    return 2 * sum(shares) / len(shares) - 1 if ordered else float("nan")


@given(tied)
def test_ap_correlation_with_ties_said_slowly(pairs: list[tuple[int, int]]) -> None:
    a, b = columns(pairs)
    assert cs.tau_ap(a, b) == pytest.approx(slow_tied_tau_ap(a, b), abs=1e-12, nan_ok=True)


#: What runs from −1 (reversed) to 1 (the same).
SIGNED: dict[str, Callable[..., float]] = {
    "kendall": cs.kendall,
    "tau_ap": cs.tau_ap,
    "symmetric tau_ap": lambda a, b: cs.tau_ap(a, b, symmetric=True),
    "weighted_tau": cs.weighted_tau,
    "spearman": cs.spearman,
}
SYMMETRIC = [name for name in SIGNED if name != "tau_ap"]


@pytest.mark.parametrize("name", SIGNED)
@given(tied)
def test_a_ranking_agrees_with_itself_and_not_with_its_reverse(
    name: str, pairs: list[tuple[int, int]]
) -> None:
    a, _ = columns(pairs)
    if len({*a}) < 2:
        assert np.isnan(SIGNED[name](a, a))
        return
    assert SIGNED[name](a, a) == pytest.approx(1.0, abs=1e-12)
    backwards = [-value for value in a]
    assert SIGNED[name](a, backwards) == pytest.approx(-1.0, abs=1e-12)


@pytest.mark.parametrize("name", SIGNED)
@given(tied, st.randoms(use_true_random=False))
def test_order_of_systems_and_scale_of_scores_do_not_matter(
    name: str, pairs: list[tuple[int, int]], random: object
) -> None:
    a, b = columns(pairs)
    expected = SIGNED[name](a, b)
    mixed = list(pairs)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    one, other = columns(mixed)
    changed = [np.exp(value) for value in one], [value**3 - 7 for value in other]
    assert SIGNED[name](*changed) == pytest.approx(expected, abs=1e-12, nan_ok=True)
    assert np.isnan(expected) or -1 - 1e-12 <= expected <= 1 + 1e-12


@pytest.mark.parametrize("name", SYMMETRIC)
@given(tied)
def test_either_ranking_may_come_first(name: str, pairs: list[tuple[int, int]]) -> None:
    a, b = columns(pairs)
    assert SIGNED[name](a, b) == pytest.approx(SIGNED[name](b, a), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", SIGNED)
def test_what_has_no_score_in_both_is_left_out(name: str) -> None:
    a, b = [1.0, 4, 2, 3, np.nan, 9], [1.0, 3, 2, 4, 7, np.inf]
    assert SIGNED[name](a, b) == SIGNED[name](a[:4], b[:4])


@pytest.mark.parametrize("name", SIGNED)
@pytest.mark.parametrize("a", [[], [1.0], [1.0, np.nan], [2.0, 2.0, 2.0]])
def test_undefined_stays_undefined(name: str, a: list[float]) -> None:
    assert np.isnan(SIGNED[name](a, list(range(len(a)))))
    assert np.isnan(SIGNED[name](list(range(len(a))), a))


@pytest.mark.parametrize("name", SIGNED)
def test_columns_of_different_length_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match=r"two columns of one length, found shapes \(2,\) and \(3"):
        SIGNED[name]([1, 2], [1, 2, 3])


@settings(max_examples=30)
@given(st.integers(1, 8), st.integers(0, 1000))
def test_many_draws_at_once_are_each_alone(systems: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(0, 4, (6, systems)).astype(float) for _ in "ab")
    a[rng.random(a.shape) < 0.2] = np.nan
    found = crossed(a, b)
    alone = [cs.kendall(*pair) for pair in zip(a, b, strict=True)]
    assert found.kendall() == pytest.approx(alone, abs=1e-12, nan_ok=True)
    alone = [cs.tau_ap(*pair) for pair in zip(a, b, strict=True)]
    assert found.tau_ap() == pytest.approx(alone, abs=1e-12, nan_ok=True)


@given(st.lists(st.integers(0, 5), min_size=1, max_size=10))
def test_places_are_counted_one_by_one(scores: list[int]) -> None:
    first, last = places(np.array(scores, float))
    assert first.tolist() == [1 + sum(one > mine for one in scores) for mine in scores]
    assert last.tolist() == [sum(one >= mine for one in scores) for mine in scores]
