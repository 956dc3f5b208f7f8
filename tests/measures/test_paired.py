"""Two systems under the same truth: all truths by brute force, laws, drawn numbers."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.errors import UsageError
from consilience.measures import paired as room
from consilience.measures.paired import SHARED, Paired, paired

PROBABILITY = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0.05, 0.95))
ITEMS = 6
BELIEF = st.lists(PROBABILITY, min_size=ITEMS, max_size=ITEMS)
ANSWER = st.lists(st.integers(0, ITEMS - 1), unique=True, max_size=ITEMS)


def value(truth: np.ndarray, answer: list[int], measure: str, beta: float) -> float:
    k, total, n = truth[answer].sum(), truth.sum(), len(answer)
    above, below = {
        "precision": (k, n),
        "recall": (k, total),
        "f": ((1 + beta**2) * k, beta**2 * total + n),
    }[measure]
    return above / below if below else float("nan")


def by_hand(
    p: list[float], first: list[int], second: list[int], measure: str, beta: float = 1.0
) -> tuple[float, float, float]:
    """Go through every truth: P(first > second), P(first < second), P(undefined)."""
    greater = less = undefined = 0.0
    for bits in product((0, 1), repeat=len(p)):
        truth = np.array(bits)
        weight = float(np.prod(np.where(truth, p, 1 - np.array(p))))
        gap = value(truth, first, measure, beta) - value(truth, second, measure, beta)
        if np.isnan(gap):
            undefined += weight
        else:
            greater += weight * (gap > 1e-12)
            less += weight * (gap < -1e-12)
    defined = 1 - undefined
    if defined < 1e-12:
        return float("nan"), float("nan"), 1.0
    return greater / defined, less / defined, undefined


@given(BELIEF, ANSWER, ANSWER, st.sampled_from(SHARED), st.sampled_from([0.5, 1.0, 2.0]))
def test_equals_the_sum_over_all_truths(
    p: list[float], first: list[int], second: list[int], measure: room.Shared, beta: float
) -> None:
    found = paired(p, first, second, measure=measure, beta=beta)
    greater, less, undefined = by_hand(p, first, second, measure, beta)
    assert found.method == "exact"
    assert found.difference.p_undefined == pytest.approx(undefined, abs=1e-9)
    if undefined < 1:
        assert found.greater == pytest.approx(greater, abs=1e-9)
        assert found.less == pytest.approx(less, abs=1e-9)
        assert found.greater + found.less + found.equal == pytest.approx(1)


@given(BELIEF, ANSWER, ANSWER, st.sampled_from(SHARED), st.floats(0, 1))
def test_turned_round(
    p: list[float], first: list[int], second: list[int], measure: room.Shared, delta: float
) -> None:
    one = paired(p, first, second, measure=measure)
    other = paired(p, second, first, measure=measure)
    assert one.greater == pytest.approx(other.less)
    assert one.by(delta) <= one.by(0) + 1e-12
    assert one.by(0) == pytest.approx(one.greater + one.equal)
    same = paired(p, first, first, measure=measure)
    assert same.equal == pytest.approx(0 if same.difference.p_undefined > 1 - 1e-12 else 1)


def test_what_both_return_does_not_count_for_lists_of_equal_length() -> None:
    """K_A - K_B alone decides: here 0.9 against 0.4, whatever the shared item is."""
    for shared in (0.0, 0.3, 1.0):
        one = paired([shared, 0.9, 0.4], [0, 1], [0, 2])
        assert one.greater == pytest.approx(0.9 * 0.6)
        assert one.less == pytest.approx(0.1 * 0.4)


def test_shared_items_make_systems_dependent() -> None:
    """Nearly the same lists: independent truths would make them look undecided."""
    p = np.full(20, 0.5)
    first, second = list(range(10)), [*range(9), 10]
    one = paired(p, first, second)
    assert one.equal == pytest.approx(0.5)
    from consilience.measures.distribution import compared
    from consilience.measures.ratios import precision
    from consilience.measures.trials import number_relevant

    alone = precision(number_relevant(p[:10]), 10)
    assert compared(alone, alone).equal == pytest.approx(0.176, abs=0.001)  # Σ of squares


@pytest.mark.parametrize("measure", SHARED)
def test_numbers_that_are_drawn_agree_with_those_gone_through(
    measure: room.Shared, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(5)
    p = rng.random(60)
    first, second = rng.permutation(60)[:25], rng.permutation(60)[:18]
    exact = paired(p, first, second, measure=measure)
    monkeypatch.setattr(room, "COMBINATIONS", 0)
    drawn = paired(p, first, second, measure=measure, seed=1)
    again = paired(p, first, second, measure=measure, seed=1)
    assert (exact.method, drawn.method, drawn.draws) == ("exact", "simulation", room.DRAWS)
    near = 4 * np.sqrt(0.25 / room.DRAWS)
    for name in ("greater", "less", "equal"):
        assert getattr(drawn, name) == pytest.approx(getattr(exact, name), abs=near)
        assert getattr(drawn, name) == getattr(again, name)
    assert drawn.difference.mean == pytest.approx(exact.difference.mean, abs=0.003)


def test_long_lists_are_drawn_or_gone_through_and_say_so() -> None:
    rng = np.random.default_rng(6)
    p = rng.random(30_000)
    equal = paired(p, np.arange(10_000), np.arange(5_000, 15_000))
    unequal = paired(p, np.arange(10_000), np.arange(5_000, 16_000), measure="f")
    assert isinstance(equal, Paired)
    assert equal.method == "exact"
    assert unequal.method == "simulation"
    with pytest.raises(UsageError, match="unknown measure"):
        paired(p, [0], [1], measure="recal")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("first", "message"),
    [
        (
            [-1],
            "the first system returned item -1, and there are 2 .fix: whole numbers from 0 to 1",
        ),
        ([2], "the first system returned item 2, and there are 2"),
        ([1, 0, 1], "the first system returned item 1 twice"),
        ([0.5], "the first system's items are numbers of items, found '.0.5.'"),
        ([True, False], "the first system's items are numbers of items"),
        ("ab", "the first system's items are numbers of items, found 'ab'"),
    ],
)
def test_items_are_named_once_by_their_numbers(first: list[int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        paired([0.5, 0.9], first, [0])
    with pytest.raises(UsageError, match=message.replace("first", "second")):
        paired([0.5, 0.9], [0], first)


def test_a_system_may_return_nothing() -> None:
    found = paired([0.5, 0.9], [], [0], measure="recall")  # defined where an item is relevant
    assert found.less == pytest.approx(0.5 / 0.95)
