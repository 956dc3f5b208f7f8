"""What designed labels count: right on average, in one round or several, with gaps or without."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.belief.sample import sample_of
from consilience.study import Study
from tests.verdict.labelled import labelled

ITEMS = 40
ALL = [f"i{number:02d}" for number in range(ITEMS)]
SYSTEMS = {"a": {"q": ALL[:20]}, "b": {"q": ALL[10:]}}
TRUTH = np.array([1.0, 0.0, 1.0, 1.0] * 5 + [0.0, 1.0, 0.0, 0.0] * 5)


@pytest.fixture(scope="module")
def plain() -> Study:
    return cs.study(SYSTEMS, truth={"q": dict(zip(ALL, TRUTH.astype(int).tolist(), strict=True))})


def two_rounds(plain: Study, rng: np.random.Generator, share: float) -> tuple[float, float]:
    """Draw two rounds, label a part of the first; estimate Σ (T − ½), and its variance.

    The second round looks harder where the first one found something.
    """
    pi = np.where(np.arange(ITEMS) < 20, 0.6, 0.3)
    chance = rng.random(ITEMS)
    first = np.flatnonzero(chance < pi)
    first = first[np.argsort((chance / pi)[first])]
    said = first[: max(1, round(share * len(first)))]
    left = np.setdiff1d(np.arange(ITEMS), first)
    found = TRUTH[said].mean()
    pi_then = np.where(left < 20, 0.2 + 0.6 * found, 0.5)
    second = rng.random(len(left)) < pi_then
    seen = np.full(ITEMS, np.nan)
    seen[said] = TRUTH[said]
    seen[left[second]] = TRUTH[left[second]]
    made = labelled(
        plain,
        seen,
        np.concatenate([first, left[second]]),
        np.concatenate([pi[first], pi_then[second]]),
        np.concatenate([np.full(len(first), 1), np.full(int(second.sum()), 2)]),
    )
    sample = sample_of(made)
    assert sample is not None
    apart = sample.truth - TRUTH.mean()
    return float(sample.weight @ apart), float(sample.spread @ apart**2)


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_sums_are_right_on_average_and_so_are_their_variances(plain: Study, share: float) -> None:
    """Items that were drawn and not labelled are not drawn again, and yet are not forgotten."""
    rng = np.random.default_rng(1)
    made = [two_rounds(plain, rng, share) for _ in range(1500)]
    total, variance = np.array(made).T
    error = total.std() / np.sqrt(len(total))
    assert abs(total.mean()) < 3.5 * error
    assert variance.mean() == pytest.approx(total.var(), rel=0.2)


def test_labels_on_everything_count_once(plain: Study) -> None:
    """After the last item is labelled nothing is left to chance, however the rounds went."""
    when = np.where(np.arange(ITEMS) % 3 == 0, 1, 2)
    pi = np.where(when == 1, 0.3, 1.0)
    whole = sample_of(labelled(plain, TRUTH, np.arange(ITEMS), pi, when))
    assert whole is not None
    assert whole.weight.tolist() == [1.0] * ITEMS
    assert whole.spread.tolist() == [0.0] * ITEMS


def test_a_round_without_any_label_counts_nothing(plain: Study) -> None:
    when = np.where(np.arange(10) < 5, 1, 2)
    seen = np.where(np.arange(ITEMS) < 5, TRUTH, np.nan)
    made = labelled(plain, seen, np.arange(10), np.full(10, 0.25), when)
    sample = sample_of(made)
    assert sample is not None
    assert (sample.drawn, sample.labelled) == ((5, 5), (5, 0))
    assert sample.weight.tolist() == [4.0] * 5
    assert "5 of 10 drawn items have no label" in sample.notes[0]


@given(st.lists(st.floats(0.05, 1.0), min_size=4, max_size=ITEMS - 1), st.data())
def test_one_round_is_horvitz_and_thompson(pi: list[float], data: st.DataObject) -> None:
    count = len(pi)
    said = data.draw(st.integers(1, count))
    seen = np.where(np.arange(ITEMS) < said, TRUTH, np.nan)
    study = cs.study(SYSTEMS, truth={"q": dict.fromkeys(ALL, 1)})
    made = labelled(study, seen, np.arange(count), np.array(pi), np.ones(count, np.int64))
    sample = sample_of(made)
    assert sample is not None
    whole = np.array(pi)[:said] * said / count
    assert sample.weight == pytest.approx(1 / whole)
    assert sample.spread == pytest.approx((1 - whole) / whole**2)


@pytest.mark.parametrize("rounds", [1, 2])
def test_labels_that_came_after_a_draw_are_not_counted_twice(plain: Study, rounds: int) -> None:
    """Whoever labels what a draw left, without a draw, adds nothing to what it speaks for."""
    rng = np.random.default_rng(4)
    total = []
    for _ in range(600):
        first = np.flatnonzero(rng.random(ITEMS) < 0.4)
        chosen = np.setdiff1d(np.arange(8, 18), first)  # half of them right, most of the rest not
        left = np.setdiff1d(np.arange(ITEMS), [*first, *chosen])
        second = left[rng.random(len(left)) < 0.5][: ITEMS * (rounds - 1)]
        item = np.concatenate([first, chosen, second])
        pi = np.repeat([0.4, np.nan, 0.5], [len(first), len(chosen), len(second)])
        when = np.repeat([1, 1, 2], [len(first), len(chosen), len(second)])
        seen = np.full(ITEMS, np.nan)
        seen[item] = TRUTH[item]
        sample = sample_of(labelled(plain, seen, item, pi, when))
        assert sample is not None
        assert ["came after a draw" in note for note in sample.notes] == [True]
        total.append(float(sample.weight @ (sample.truth - 0.3)))
    error = np.std(total) / np.sqrt(len(total))
    assert abs(np.mean(total) - float((TRUTH - 0.3).sum())) < 3.5 * error


def test_items_that_came_after_a_draw_are_left_to_later_rounds(plain: Study) -> None:
    """The second system came when one round had been drawn, with items 20 to 39."""
    rng = np.random.default_rng(5)
    who = plain.answers.respondent[plain.answers.list_of_row()]
    named = replace(plain.answers, round=(who == plain.respondents.names.index("b")).astype(int))
    study = replace(plain, answers=named)
    total, spread = [], []
    for _ in range(800):
        first = np.flatnonzero(rng.random(20) < 0.5)
        left = np.setdiff1d(np.arange(ITEMS), first)
        second = left[rng.random(len(left)) < 0.4]
        item = np.concatenate([first, second])
        pi = np.repeat([0.5, 0.4], [len(first), len(second)])
        when = np.repeat([1, 2], [len(first), len(second)])
        seen = np.full(ITEMS, np.nan)
        seen[item] = TRUTH[item]
        sample = sample_of(labelled(study, seen, item, pi, when))
        assert sample is not None
        assert sample.late == 0
        total.append(float(sample.weight @ (sample.truth - 0.3)))
        spread.append(float(sample.spread @ (sample.truth - 0.3) ** 2))
    error = np.std(total) / np.sqrt(len(total))
    assert abs(np.mean(total) - float((TRUTH - 0.3).sum())) < 3.5 * error
    assert np.mean(spread) == pytest.approx(np.var(total), rel=0.15)
    only = np.where(np.arange(ITEMS) < 15, TRUTH, np.nan)
    early = sample_of(labelled(study, only, np.arange(15), np.full(15, 0.75), np.ones(15, int)))
    assert early is not None
    assert (early.late, early.weight.sum()) == (20, pytest.approx(20))
    assert "20 items came after the draw" in early.notes[0]


def test_what_was_drawn_before_its_file_was_left_out_stands_for_what_waits_with_it(
    plain: Study,
) -> None:
    """Ten items were drawn and five of them labelled; then a round was drawn without their file."""
    study = replace(plain, answers=replace(plain.answers, round=np.full(len(plain.answers), 2)))
    seen = np.where((np.arange(ITEMS) < 5) | (np.arange(ITEMS) >= 10), TRUTH, np.nan)
    item, when = np.arange(ITEMS), np.repeat([1, 3], [10, ITEMS - 10])
    pi = np.repeat([0.25, 1.0], [10, ITEMS - 10])
    sample = sample_of(labelled(study, seen, item, pi, when))
    assert sample is not None
    assert sample.weight.tolist() == [2.0] * 5 + [1.0] * (ITEMS - 10)
    assert sample.spread.tolist() == [2.0] * 5 + [0.0] * (ITEMS - 10)
