"""Weighted displacement: the paper's definition said slowly, hand-made lists, laws, asking."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.measures.displaced import Seen, displaced
from consilience.measures.qualities import as_quality
from consilience.study.subjects import SubjectLists

ITEMS = "abcdefghijkl"


def slow(subject: list[tuple[str, float]], answer: list[str], collection: int | None = None):
    """Santini §5, eq. 17 and 21–23, with a dictionary of positions; (w_A, w_B optimist, Σ_B s)."""
    order = sorted(subject, key=lambda pair: -pair[1])
    place = {item: number for number, item in enumerate(answer, start=1)}
    both = beyond = weight = 0.0
    last = len(answer)
    for k, (item, s) in enumerate(order, start=1):
        if item in place:
            both += s * abs(k - place[item])
        elif s > 0:
            last += 1  # the i-th item of B stands at n + i
            beyond += s * abs(k - last)
            weight += s
    return both, beyond, weight


lists = st.lists(
    st.tuples(st.sampled_from(ITEMS), st.sampled_from([0.0, 0.2, 0.5, 0.5, 0.8, 1.0])),
    unique_by=lambda pair: pair[0],
    min_size=1,
    max_size=8,
)
answers = st.lists(st.sampled_from(ITEMS), unique=True, min_size=1, max_size=10)


@given(lists, answers)
def test_as_the_paper_defines_it(subject, answer):
    both, beyond, weight = slow(subject, answer)
    found = cs.weighted_displacement(subject, answer, collection=100)
    assert found.w_optimist == pytest.approx(both + beyond, abs=1e-12)
    assert found.w_pessimist == pytest.approx(both + 100 * weight, abs=1e-9)
    assert found.exact == (weight == 0)
    assert found.w == found.w_optimist
    assert found.in_both == len({item for item, _ in subject} & {*answer})
    assert found.in_both + found.subject_only == len(subject)
    assert found.in_both + found.system_only == len(answer)
    assert {*found.missing} == {item for item, s in subject if s > 0} - {*answer}


def csr(subjects: list[list[tuple[str, float]]]) -> SubjectLists:
    ordered = [sorted(one, key=lambda pair: -pair[1]) for one in subjects]
    number = {item: code for code, item in enumerate(ITEMS)}
    flat = [(which, *pair) for which, one in enumerate(ordered) for pair in one]
    ties = [(which, s) for which, _, s in flat]
    group = np.cumsum([k > 0 and ties[k] != ties[k - 1] for k in range(len(ties))])
    every = np.arange(len(subjects))
    return SubjectLists(
        tuple(map(str, every)),
        every,
        np.zeros(len(subjects), np.int64),
        np.concatenate([[0], np.cumsum([len(one) for one in ordered])]),
        np.array([number[item] for _, item, _ in flat]),
        np.array([s for *_, s in flat]),
        group,
    )


def seen(answer: list[str]) -> Seen:
    place = {item: k for k, item in enumerate(answer, start=1)}
    return Seen(np.array([place.get(item, 0) for item in ITEMS]), np.array([len(answer)]))


@given(st.lists(lists, min_size=1, max_size=5), answers)
def test_many_lists_at_once_are_each_alone(subjects, answer):
    found = displaced(csr(subjects), seen(answer))
    for which, subject in enumerate(subjects):
        both, beyond, weight = slow(subject, answer)
        assert found.w_both[which] == pytest.approx(both, abs=1e-12)
        assert found.w_beyond[which] == pytest.approx(beyond, abs=1e-12)
        assert found.weight_beyond[which] == pytest.approx(weight, abs=1e-12)


# By hand. The subject: a 1, b .8, c .5, d .2. The system: b, x, a. n = 3.
#   a: |1 − 3| = 2 → 2;  b: |2 − 1| = 1 → .8;  w_A = 2.8
#   B = c, d: optimist at 4 and 5: .5·|3 − 4| + .2·|4 − 5| = .7;  pessimist, N = 50: .7·50 = 35
SUBJECT = {"a": 1.0, "b": 0.8, "c": 0.5, "d": 0.2}


def test_by_hand():
    found = cs.weighted_displacement(SUBJECT, ["b", "x", "a"], collection=50)
    assert found.w_optimist == pytest.approx(3.5)
    assert found.w_pessimist == pytest.approx(37.8)
    assert (found.exact, found.in_both, found.subject_only, found.system_only) == (False, 2, 2, 1)
    assert found.missing == ("c", "d")
    assert cs.rational(1)(found.w) == pytest.approx(1 / 4.5)
    assert cs.rational(2)(found.w) == pytest.approx(1 / 4.5**2)
    assert cs.exponential(0.1)(found.w) == pytest.approx(math.exp(-0.35))


def test_items_without_weight_hold_their_place_and_weigh_nothing():
    # z is listed third with 0: d is still third of those that weigh, and z costs nothing
    with_zero = cs.weighted_displacement([("a", 1), ("b", 0.5), ("z", 0)], ["b", "a"])
    assert (with_zero.w, with_zero.exact) == (1.5, True)
    assert with_zero.subject_only == 1


def test_without_a_collection_the_pessimist_is_undefined():
    found = cs.weighted_displacement(SUBJECT, ["a", "b"])
    assert math.isnan(found.w_pessimist)
    assert "the size of the collection is not given" in str(found.undefined)
    exact = cs.weighted_displacement(SUBJECT, list("abcd"))
    assert (exact.w, exact.w_pessimist, exact.undefined) == (0.0, 0.0, None)


def test_a_collection_too_small_is_an_error():
    with pytest.raises(cs.UsageError, match="too small: the two lists name 5 different items"):
        cs.weighted_displacement(SUBJECT, ["b", "x", "a"], collection=4)


def test_an_empty_answer_is_not_a_perfect_one():
    found = cs.weighted_displacement(SUBJECT, [], collection=50)
    assert math.isnan(found.w_optimist)
    assert found.w == found.w_pessimist == pytest.approx(2.5 * 50)
    assert "nothing was returned" in str(found.undefined)


@given(lists)
def test_identical_lists_are_at_distance_zero(subject):
    answer = [item for item, _ in sorted(subject, key=lambda pair: -pair[1])]
    found = cs.weighted_displacement(subject, answer)
    assert (found.w, found.exact) == (0.0, True)
    assert cs.rational(1)(found.w) == cs.exponential(0.3)(found.w) == 1.0


@given(lists, answers)
def test_laws(subject, answer):
    found = cs.weighted_displacement(subject, answer, collection=len(ITEMS) + 8)
    assert found.w_optimist <= found.w_pessimist + 1e-12
    half = [(item, s / 2) for item, s in subject]  # w is linear in s
    assert cs.weighted_displacement(half, answer).w == pytest.approx(found.w / 2, abs=1e-12)
    renamed = [(f"item {item}", s) for item, s in subject]
    assert cs.weighted_displacement(renamed, [f"item {item}" for item in answer]).w == found.w
    rest = [item for item in ITEMS if item not in answer]
    whole = cs.weighted_displacement(subject, [*answer, *rest])
    assert whole.exact
    assert found.w_optimist - 1e-12 <= whole.w <= found.w_pessimist + 1e-12


@given(st.permutations(ITEMS[:6]))
def test_reversing_both_lists_changes_nothing_where_all_weigh_alike(answer):
    forth = cs.weighted_displacement(list(ITEMS[:6]), list(answer)).w
    back = cs.weighted_displacement(list(ITEMS[:6])[::-1], list(answer)[::-1]).w
    assert forth == back


@given(lists, answers)
def test_ties_lie_between_best_and_worst(subject, answer):
    orders = {
        rule: cs.weighted_displacement(subject, answer, ties=rule).w
        for rule in ("order", "best", "worst")
    }
    assert orders["best"] - 1e-12 <= orders["order"] <= orders["worst"] + 1e-12
    if len({s for _, s in subject}) == len(subject):
        assert orders["best"] == orders["order"] == orders["worst"]


def test_ties_by_hand():
    # b and c weigh .5 each, the system has c before b: as given |2−3|·.5 + |3−2|·.5 = 1
    tied = {"a": 1.0, "b": 0.5, "c": 0.5}
    w = [cs.weighted_displacement(tied, ["a", "c", "b"], ties=t).w for t in ("order", "best")]
    assert w == [1.0, 0.0]
    assert cs.weighted_displacement(tied, ["a", "b", "c"], ties="worst").w == 1.0
    assert cs.weighted_displacement(tied, ["a", "b", "c"]).tied == 2


class Counting:
    """An endless system that counts how often it is asked."""

    def __init__(self, items: list[str]) -> None:
        self.items, self.drawn = items, 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self.drawn >= len(self.items):
            raise StopIteration
        self.drawn += 1
        return self.items[self.drawn - 1]


@given(lists, st.permutations(ITEMS))
def test_no_more_is_drawn_than_it_takes(subject, answer):
    wanted = {item for item, s in subject if s > 0}
    system = Counting(list(answer))
    found = cs.weighted_displacement(subject, system)
    assert found.exact
    assert system.drawn == max((answer.index(item) + 1 for item in wanted), default=0)
    assert found.asked == system.drawn
    both, beyond, _ = slow(subject, list(answer))
    assert beyond == 0
    assert found.w == pytest.approx(both, abs=1e-12)


def test_a_function_is_asked_for_twice_as_many_each_time():
    asked = []

    def system(n: int) -> list[str]:
        asked.append(n)
        return ([f"x{k}" for k in range(9)] + ["a", *(f"y{k}" for k in range(100))])[:n]

    found = cs.weighted_displacement({"a": 1, "x0": 0.5}, system)
    assert asked == [2, 4, 8, 16]
    assert (found.exact, found.w) == (True, 1 * 9 + 0.5 * 1)


def test_where_asking_ends_w_is_not_exact():
    system = Counting([f"x{k}" for k in range(1000)])
    found = cs.weighted_displacement({"a": 1}, system, limit=50)
    assert (found.exact, found.asked, system.drawn, found.w) == (False, 50, 50, 50.0)
    short = cs.weighted_displacement({"a": 1, "b": 0.5}, iter(["b"]), collection=10)
    assert (short.exact, short.asked, short.w) == (False, 1, 1.5)
    ended = cs.weighted_displacement({"a": 1}, lambda n: ["x"][:n])
    assert (ended.exact, ended.asked, ended.w) == (False, 1, 1.0)


@pytest.mark.parametrize(
    ("system", "message"),
    [
        (lambda n: [f"{n}-{k}" for k in range(n)], "at place 1, where it had '1-0' before"),
        (lambda n: ["x"] if n == 1 else [], "fewer than the 1 it gave before"),
        (lambda n: ["x"] * n, "returned 'x' twice"),
        (lambda n: ["x", "y", "z"], "asked for 1 results, the system gave 3"),
        (iter(["x", "x"]), "returned 'x' twice"),
        (7, "cannot be asked for results"),
        ("abc", "is no list of items"),
    ],
)
def test_systems_that_contradict_themselves(system, message):
    with pytest.raises(cs.UsageError, match=message):
        cs.weighted_displacement({"a": 1}, system)


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        ({"a": 3}, "the relevance of 'a' is 3 .fix: divide"),
        ({"a": float("nan")}, "the relevance of 'a' is nan"),
        ({"a": "x"}, "the relevance of 'a' is 'x'"),
        (["a", "b", "a"], "names 'a' twice"),
        ("abc", "is no list of items"),
    ],
)
def test_subjects_that_make_no_list(subject, message):
    with pytest.raises(cs.UsageError, match=message):
        cs.weighted_displacement(subject, ["a"])


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ("rationl:p=1", "did you mean 'rational'"),
        ("rational:lambda=1", "rational has the parameter p and no other"),
        ("rational:p", "fix: rational:p=1"),
        ("rational:p=x", "p must be a number above 0, found 'x'"),
        ("rational:p=0", "p must be above 0"),
        ("exponential:lambda=-1", "lambda must be above 0"),
        ("exponential:lambda=inf", "above 0 and finite"),
        (3, "'3' is no quality"),
        (lambda w: 2.0, "is 2 at w = 0 .fix: it must stay within"),
        (lambda w: min(1.0, w / 10), "rises from 0 at w = 0"),
        (lambda w: float("nan"), "is nan at w = 0"),
        (lambda w: 1 / w, "fails at w = 0: ZeroDivisionError"),
    ],
)
def test_qualities_that_are_none(given_, message):
    with pytest.raises(cs.UsageError, match=message):
        as_quality(given_)


def test_an_own_function_is_checked_on_what_it_meets():
    def dented(w: float) -> float:
        return 0.9 if w == 3.5 else 1 / (1 + w)

    quality = as_quality(dented)  # 3.5 is not on the grid
    with pytest.raises(cs.UsageError, match=r"rises from .* to 0.9 at w = 3\.5"):
        quality([1.0, 3.5])
    assert quality([1.0, np.nan]).tolist()[0] == 0.5


@pytest.mark.parametrize("name", ["rational:p=1", "rational:p=0.25", "exponential:lambda=0.1"])
def test_names_of_qualities_parse_back(name):
    assert as_quality(name).name == as_quality(as_quality(name).name).name == name
    values = as_quality(name)(np.array([0.0, 0.5, 10.0, 1e300]))
    assert values[0] == 1
    assert (np.diff(values) <= 0).all()


def test_a_million_rows_take_about_a_second():
    rng = np.random.default_rng(0)
    count, length = 100_000, 10
    item = np.arange(count * length)
    relevance = np.sort(rng.random((count, length)))[:, ::-1].ravel()
    every = np.arange(count)
    starts = np.arange(0, count * length + 1, length)
    subjects = SubjectLists(("s",), every * 0, every, starts, item, relevance, item)
    position = (rng.integers(0, 20, count * length)).astype(np.int64)
    begun = time.perf_counter()
    found = displaced(subjects, Seen(position, np.full(count, 20)))
    assert time.perf_counter() - begun < 5  # a third of a second on a quiet machine
    assert found.w_both.shape == (count,)


def test_a_series_says_what_a_dict_says():
    said, scores = {"a": 0.2, "b": 1.0, "c": 0.5}, {"a": 0.1, "c": 0.7, "b": 0.9}
    expected = cs.weighted_displacement(said, ["b", "c", "a"])
    assert expected.w == 0
    subjects: list[Any] = [said, pd.Series(said), [*said.items()], [[*p] for p in said.items()]]
    answers: list[Any] = [scores, pd.Series(scores), pd.Series([*"bca"]), np.array([*"bca"])]
    for subject in subjects:
        for answer in answers:
            assert cs.weighted_displacement(subject, answer) == expected
    asked = cs.weighted_displacement(said, lambda n: dict([*scores.items()][:n]))
    assert (asked.w, asked.exact) == (0, True)


def test_a_whole_array_is_a_whole_list():
    found = cs.weighted_displacement({"a": 1}, np.array(["a", "x", "y"]))
    assert (found.asked, found.system_only) == (3, 2)


def test_equal_scores_stand_by_name_as_in_rank():
    scores = {"a": 1.0, "c": 1.0, "b": 1.0}
    study = cs.study({"run": {"q": scores}}, truth={"q": {"c": 1, "b": 0.5, "a": 0.2}})
    assert cs.displacement(study).payload()["subjects"][0]["w"] == 0
    assert cs.weighted_displacement(["c", "b", "a"], scores).w == 0


@pytest.mark.parametrize(
    ("subject", "answer", "message"),
    [
        ([0.5, 1.0], ["a"], "'0.5' is no item"),
        ({"a", "b"}, ["a"], "a set of items has no order"),
        (pd.DataFrame({"a": [1]}), ["a"], "DataFrame is no list of items"),
        (["a"], {"a", "b"}, "a set of items has no order"),
        (["a"], {"a": "high"}, "the score of 'a' is 'high'"),
        (["a"], {"a": math.nan}, "the score of 'a' is 'nan'"),
        (["a"], pd.DataFrame({"a": [1]}), "DataFrame is no list of items"),
    ],
)
def test_what_has_no_order_is_refused(subject, answer, message):
    with pytest.raises(cs.UsageError, match=f"^{message}.*\\(fix: "):
        cs.weighted_displacement(subject, answer)
