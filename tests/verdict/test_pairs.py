"""Systems pair by pair: slow twins, laws, other programs' figures."""

from __future__ import annotations

import tracemalloc
from dataclasses import asdict, replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.multitest import multipletests

from consilience.errors import UsageError
from consilience.progress import listening
from consilience.verdict import paired_tests
from consilience.verdict.effects import effects
from consilience.verdict.pairs import (
    MOST_SYSTEMS,
    Pair,
    beats,
    check_delta,
    compare,
    places,
    tie_groups,
)
from consilience.verdict.resample import expanded_tail, resample

TAIL = 0.025


def made(systems: int, queries: int, *, undefined: float = 0.0, whole: bool = False, seed: int = 0):
    """Scores of systems that differ a little: continuous, or tenths with many ties."""
    rng = np.random.default_rng(seed)
    values = rng.beta(0.8, 1.2, (systems, queries)) * 0.9 + np.linspace(0.1, 0, systems)[:, None]
    values = values.round(1) if whole else values
    values[rng.random(values.shape) < undefined] = np.nan
    return values


def named(count: int) -> list[str]:
    return [f"s{one}" for one in range(count)]


DRAWS = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 12), st.integers(1, 5)),
    elements=st.sampled_from([0.0, 0.1, 0.2, 0.1 + 0.2, 0.3, 0.5, np.nan]),
)


def beats_slowly(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    systems = draws.shape[1]
    p = np.full((systems, systems), np.nan)
    for a in range(systems):
        for b in range(systems):
            meetings = [(row[a], row[b]) for row in draws if not np.isnan(row[a] + row[b])]
            if a != b and meetings:
                points = [0.5 if abs(x - y) < 1e-12 else float(x > y) for x, y in meetings]
                p[a, b] = sum(points) / len(points)
    return p


def places_slowly(draws: NDArray[np.float64], tail: float):
    best = np.zeros(draws.shape[1])
    ranks: list[list[int]] = []
    for row in draws.tolist():
        filled = [-1.0 if np.isnan(one) else one for one in row]
        mine = [1 + sum(other > one + 1e-12 for other in filled) for one in filled]
        best += np.array([(one == 1) / mine.count(1) for one in mine])
        ranks.append(mine)
    ends = [np.quantile(one, [tail, 1 - tail], method="inverted_cdf") for one in np.array(ranks).T]
    return best / len(draws), [(int(low), int(high)) for low, high in ends]


@given(DRAWS)
def test_who_beats_whom_is_what_counting_gives(draws: NDArray[np.float64]) -> None:
    found = beats(draws)
    np.testing.assert_allclose(found, beats_slowly(draws), atol=1e-12)
    both = found + found.T
    assert np.isnan(found.diagonal()).all()
    np.testing.assert_allclose(both[~np.isnan(both)], 1.0)


@given(DRAWS, st.sampled_from([0.0, 0.025, 0.2]))
def test_places_are_what_counting_gives(draws: NDArray[np.float64], tail: float) -> None:
    best, ranks = places(draws, tail)
    expected, intervals = places_slowly(draws, tail)
    np.testing.assert_allclose(best, expected, atol=1e-12)
    assert ranks == intervals
    assert best.sum() == pytest.approx(1)


def test_sums_that_differ_by_rounding_alone_are_ties() -> None:
    """Tenths: 0.1 + 0.2 is not 0.3 for a computer, but no system is better for that."""
    draws = np.array([[0.1 + 0.2, 0.3]] * 10)
    assert beats(draws)[0, 1] == 0.5
    assert places(draws, TAIL)[0].tolist() == [0.5, 0.5]
    assert tie_groups(draws, names=["x", "y"], tail=TAIL) == (("x", "y"),)


@pytest.mark.parametrize("undefined", [0.0, 0.3])
@pytest.mark.parametrize("whole", [False, True])
def test_pairs_are_what_one_pair_at_a_time_gives(undefined: float, whole: bool) -> None:
    matrix = made(6, 9, undefined=undefined, whole=whole)
    drawn = resample(matrix, seed=1, samples=400)
    values = np.nanmean(matrix, axis=1)
    tail = expanded_tail(0.9, 9)
    assert tail == drawn.tail(0.9)
    found = compare(
        drawn.draws, values=values, names=named(6), tail=tail, delta=0.05, matrix=matrix, seed=3
    )
    assert [(one.a, one.b) for one in found] == list(combinations(named(6), 2))
    for one, (a, b) in zip(found, combinations(range(6), 2), strict=True):
        gap = drawn.draws[:, a] - drawn.draws[:, b]
        gap = gap[~np.isnan(gap)]
        assert one.p_a_beats_b == pytest.approx(beats(drawn.draws)[a, b])
        assert one.difference == values[a] - values[b]
        assert one.interval == tuple(np.quantile(gap, [tail, 1 - tail]))
        assert one.interval == drawn.interval(gap, 0.9)
        assert one.p_a_better == pytest.approx((gap > 0.05 + 1e-12).mean())
        assert one.p_b_better == pytest.approx((gap < -0.05 - 1e-12).mean())
        assert one.p_equivalent == pytest.approx((np.abs(gap) <= 0.05 + 1e-12).mean())
        assert one.tests is not None
        p = paired_tests.paired_tests(matrix[a] - matrix[b], seed=3).p
        assert {name: test[0] for name, test in one.tests.items()} == pytest.approx(p)
        assert one.effect == effects(matrix[a] - matrix[b])[0]


@pytest.mark.parametrize("undefined", [0.0, 0.1])
def test_p_values_are_those_of_scipy_and_statsmodels(undefined: float) -> None:
    matrix = made(7, 40, undefined=undefined, seed=5)
    drawn = resample(matrix, seed=0, samples=50)
    found = compare(drawn.draws, values=np.zeros(7), names=named(7), tail=TAIL, matrix=matrix)
    theirs: dict[str, list[float]] = {"t": [], "wilcoxon": [], "sign": []}
    for one, (a, b) in zip(found, combinations(range(7), 2), strict=True):
        x, y = matrix[:, ~np.isnan(matrix[a] + matrix[b])][[a, b]]
        theirs["t"].append(float(stats.ttest_rel(x, y).pvalue))
        theirs["wilcoxon"].append(float(stats.wilcoxon(x, y).pvalue))
        theirs["sign"].append(stats.binomtest(int((x > y).sum()), len(x)).pvalue)
        assert one.effect is not None
        assert one.effect.dz == pytest.approx((x - y).mean() / (x - y).std(ddof=1))
        assert one.effect.superiority == pytest.approx((x > y).mean())
    for name, p in theirs.items():
        ours = np.array([one.tests[name] for one in found if one.tests is not None])
        np.testing.assert_allclose(ours[:, 0], p, rtol=1e-12, atol=0)
        np.testing.assert_allclose(ours[:, 1], multipletests(p, method="holm")[1], rtol=1e-12)


def test_the_randomisation_test_is_that_of_scipy() -> None:
    matrix = made(3, 80, seed=8)
    drawn = resample(matrix, seed=0, samples=10)
    found = compare(drawn.draws, values=np.zeros(3), names=named(3), tail=None, matrix=matrix)
    for one, (a, b) in zip(found, combinations(range(3), 2), strict=True):
        theirs = stats.permutation_test(
            (matrix[a] - matrix[b],),
            lambda d, axis: d.mean(axis=axis),
            permutation_type="samples",
            n_resamples=20_000,
            rng=np.random.default_rng(1),
        ).pvalue
        assert one.tests is not None
        assert one.tests["randomisation"][0] == pytest.approx(theirs, abs=0.02)


@given(st.randoms(use_true_random=False), st.floats(0, 0.3), st.booleans())
@settings(max_examples=25, deadline=None)
def test_another_order_of_systems_gives_the_same_pairs(
    random, delta: float, undefined: bool
) -> None:
    matrix = made(5, 16, undefined=0.2 * undefined)
    names = dict(zip(named(5), matrix, strict=True))
    order = random.sample(named(5), 5)

    def pairs_of(given_names: list[str]) -> dict[tuple[str, str], Pair]:
        rows = np.stack([names[one] for one in given_names])
        drawn = resample(rows, seed=2, samples=100)
        values = np.nanmean(rows, axis=1)
        found = compare(
            drawn.draws, values=values, names=given_names, tail=TAIL, delta=delta, matrix=rows
        )
        return {(one.a, one.b): one for one in found}

    usual, other = pairs_of(named(5)), pairs_of(order)
    for (a, b), one in other.items():
        same = usual.get((a, b)) or turned(usual[b, a])
        assert one.p_a_beats_b == pytest.approx(same.p_a_beats_b)
        assert one.difference == pytest.approx(same.difference)
        assert one.interval == pytest.approx(same.interval, abs=1e-12)
        assert regions(one) == pytest.approx(regions(same))
        assert sum(regions(one)) == pytest.approx(1)
        assert one.tests is not None
        assert same.tests is not None
        for name, figures in one.tests.items():
            assert figures == pytest.approx(same.tests[name])
        assert one.effect is not None
        assert same.effect is not None
        assert asdict(one.effect) == pytest.approx(asdict(same.effect))


def regions(pair: Pair) -> list[float]:
    shares = [pair.p_equivalent, pair.p_a_better, pair.p_b_better]
    return [one for one in shares if one is not None]


def turned(pair: Pair) -> Pair:
    """The same comparison with the systems' names the other way round."""
    assert pair.interval is not None
    assert pair.effect is not None
    assert pair.effect.dz is not None
    assert pair.effect.superiority is not None
    low, high = pair.interval
    return replace(
        pair,
        a=pair.b,
        b=pair.a,
        p_a_beats_b=1 - pair.p_a_beats_b,
        difference=-pair.difference,
        interval=(-high, -low),
        p_a_better=pair.p_b_better,
        p_b_better=pair.p_a_better,
        effect=replace(
            pair.effect,
            dz=-pair.effect.dz,
            wins=pair.effect.losses,
            losses=pair.effect.wins,
            superiority=1 - pair.effect.superiority,
        ),
    )


def test_many_systems_are_compared_with_the_first_and_their_neighbours() -> None:
    draws = np.random.default_rng(0).random((20, 7))
    found = compare(draws, values=np.zeros(7), names=named(7), tail=TAIL, most=6)
    first = [("s0", other) for other in named(7)[1:]]
    neighbours = list(zip(named(7)[1:], named(7)[2:], strict=False))
    assert [(one.a, one.b) for one in found] == first + neighbours
    assert MOST_SYSTEMS == 200


def test_pairs_that_never_meet_are_left_out() -> None:
    draws = np.array([[0.5, np.nan, 0.1], [np.nan, 0.4, 0.2]])
    found = compare(draws, values=[0.5, 0.4, 0.15], names=["x", "y", "z"], tail=0.0)
    assert [(one.a, one.b, one.interval) for one in found] == [
        ("x", "z", (0.4, 0.4)),
        ("y", "z", (0.2, 0.2)),
    ]
    assert np.isnan(beats(draws)[0, 1])


def test_without_intervals_and_without_queries() -> None:
    draws = np.array([[0.5, 0.4], [0.5, 0.6]])
    (one,) = compare(draws, values=[0.5, 0.5], names=["x", "y"], tail=None, delta=0.2)
    assert (one.interval, one.p_a_beats_b, one.p_equivalent) == (None, 0.5, 1.0)
    assert (one.tests, one.effect, one.standard_error) == (None, None, None)
    nothing = np.full((2, 3), np.nan)
    (one,) = compare(draws, values=[0.5, 0.5], names=["x", "y"], tail=None, matrix=nothing)
    assert one.tests is not None
    assert all(np.isnan(p) and np.isnan(holm) for p, holm in one.tests.values())
    assert one.effect is not None
    assert (one.effect.dz, one.effect.wins, one.effect.superiority) == (None, 0, None)
    assert compare(draws[:, :1], values=[0.5], names=["x"], tail=0.1) == ()


def test_tie_groups_begin_with_the_highest() -> None:
    """Each system is compared with the highest one of its group, so that chains do not grow."""
    rng = np.random.default_rng(0)
    draws = rng.normal([0.8, 0.75, 0.7, 0.2, np.nan], 0.03, (2000, 5))
    names = ["u", "v", "w", "x", "y"]
    assert tie_groups(draws[:, :4], names=names[:4], tail=TAIL) == (("u", "v"),)
    assert tie_groups(draws[:, :4], names=names[:4], tail=None) == ()
    assert tie_groups(draws[:, [0, 3]], names=["u", "x"], tail=TAIL) == ()


def test_effects_by_hand() -> None:
    """Hollander, Wolfe & Chicken, depression scores (Table 3.1): 7 of 9 patients improve."""
    before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
    after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
    (found,) = effects([np.subtract(before, after)])
    assert (found.wins, found.draws, found.losses) == (7, 0, 2)
    assert found.superiority == pytest.approx(7 / 9)
    t = stats.ttest_rel(before, after).statistic
    assert found.dz == pytest.approx(t / 3)  # t is dz times the root of n


@pytest.mark.parametrize("delta", [-0.1, float("nan"), float("inf"), "much", None])
def test_a_delta_that_makes_no_sense_is_refused(delta: object) -> None:
    with pytest.raises(UsageError, match="delta must be a number from 0"):
        check_delta(delta)


def test_a_delta_of_0_is_one() -> None:
    check_delta(0)
    draws = np.array([[0.5, 0.4], [0.5, 0.5]])
    (one,) = compare(draws, values=[0.5, 0.45], names=["x", "y"], tail=None, delta=0.0)
    assert (one.p_equivalent, one.p_a_better, one.p_b_better) == (0.5, 0.5, 0.0)


@pytest.mark.parametrize("undefined", [0.0, 0.05])
def test_how_far_the_work_is_only_grows(undefined: float) -> None:
    matrix = made(40, 60, undefined=undefined)
    heard: list[float] = []
    with listening(heard.append):
        drawn = resample(matrix, seed=0)
    assert heard == sorted(heard)
    assert heard[-1] == 1
    heard.clear()
    values = np.nanmean(matrix, axis=1)
    with listening(heard.append):
        compare(drawn.draws, values=values, names=named(40), tail=TAIL, matrix=matrix)
    assert heard == sorted(heard)
    assert heard[-1] == pytest.approx(1)
    assert len(set(heard)) > 10


def test_memory_stays_a_few_times_that_of_the_draws() -> None:
    """All pairs of 60 systems would be 1,770 columns of draws; few are there at a time."""
    matrix = made(60, 100)
    draws = resample(matrix, seed=0, samples=4000).draws
    tracemalloc.start()
    beats(draws)
    places(draws, TAIL)
    compare(draws, values=np.zeros(60), names=named(60), tail=TAIL, delta=0.01, matrix=matrix)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6 * draws.nbytes
