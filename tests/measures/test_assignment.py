"""Instances: one-to-one matching against brute force, group by group, and its laws."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.errors import UsageError
from consilience.match.characters import exact, levenshtein
from consilience.match.entries import entries
from consilience.match.kernel import comparer
from consilience.measures import assignment
from consilience.measures.assignment import instance_scores

words = st.text(alphabet="abcde", min_size=1, max_size=5)
lists = st.lists(words, max_size=5)


def brute(gold, predicted, floor) -> float:
    """Try every way of matching the shorter list with items of the longer one."""
    short, long = sorted((gold, predicted), key=len)

    def similar(a, b):
        value = levenshtein(a, b)
        return value if value >= floor - 1e-9 else 0.0

    return max(
        math.fsum(similar(a, b) for a, b in zip(short, chosen, strict=True))
        for chosen in permutations(long, len(short))
    )


def scored(gold, predicted, floor=0.5, similarity=levenshtein):
    return instance_scores(comparer(similarity), entries([gold], [predicted]), floor=floor)


@given(lists, lists, st.sampled_from([0.0, 0.3, 0.5, 0.8]))
def test_no_matching_is_better(gold, predicted, floor) -> None:
    found = scored(gold, predicted, floor)
    best = brute(gold, predicted, floor)
    assert found.matched[0] == pytest.approx(best)
    for value, size in (
        (found.precision[0], len(predicted)),
        (found.recall[0], len(gold)),
        (found.f1[0], (len(gold) + len(predicted)) / 2),
    ):
        assert np.isnan(value) if size == 0 else value == pytest.approx(best / size)


@given(lists, lists)
def test_pairs_are_one_to_one_and_add_up(gold, predicted) -> None:
    lists = entries([gold], [predicted])
    found = instance_scores(comparer(levenshtein), lists, floor=0.4)
    pairs = found.pairs
    assert math.fsum(pairs.similarity * pairs.times) == pytest.approx(found.matched[0])
    used = np.bincount(pairs.gold, pairs.times, minlength=len(lists.code))
    assert (used <= lists.gold).all()
    used = np.bincount(pairs.predicted, pairs.times, minlength=len(lists.code))
    assert (used <= lists.predicted).all()
    for one, other, value in zip(pairs.gold, pairs.predicted, pairs.similarity, strict=True):
        items = [lists.items[lists.code[entry]] for entry in (one, other)]
        assert value == pytest.approx(levenshtein(*items))
        assert value >= 0.4 - 1e-9


@given(st.lists(st.tuples(lists, lists), max_size=5))
def test_documents_do_not_touch_each_other(both) -> None:
    gold, predicted = [one for one, _ in both], [other for _, other in both]
    together = instance_scores(comparer(levenshtein), entries(gold, predicted))
    apart = [scored(one, other) for one, other in both]
    for name in ("precision", "recall", "f1", "matched"):
        np.testing.assert_allclose(
            getattr(together, name), [getattr(one, name)[0] for one in apart]
        )
    assert len(together.pairs.gold) == sum(len(one.pairs.gold) for one in apart)


@given(lists, lists)
def test_swapping_sides_swaps_precision_and_recall(gold, predicted) -> None:
    one, other = scored(gold, predicted), scored(predicted, gold)
    np.testing.assert_allclose(one.precision, other.recall)
    np.testing.assert_allclose(one.f1, other.f1)


@given(lists, lists)
def test_equal_items_alone_are_counted_as_often_as_both_have_them(gold, predicted) -> None:
    found = scored(gold, predicted, 0.0, exact)
    both = sum(min(gold.count(item), predicted.count(item)) for item in {*gold})
    assert found.matched[0] == both


def random_words(n: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list("abcdefgh"), size=rng.integers(3, 9))) for _ in range(n)]


@pytest.mark.parametrize("floor", [0.5, 0.65, 0.9])
def test_group_by_group_is_the_same(monkeypatch, floor) -> None:
    """Long lists fall into groups that cannot meet; each is matched by itself."""
    gold, predicted = random_words(300, 1), random_words(260, 2)
    predicted += gold[:20] + gold[:5]  # some twice
    whole = scored(gold, predicted, floor)
    monkeypatch.setattr(assignment, "_SMALL", 10)
    monkeypatch.setattr("consilience.match.kernel.spans.__defaults__", (64,))
    parts = scored(gold, predicted, floor)
    assert parts.matched[0] == pytest.approx(whole.matched[0], rel=1e-12)
    assert (parts.pairs.similarity * parts.pairs.times).sum() == pytest.approx(whole.matched[0])
    assert parts.pairs.times.sum() <= len(predicted)


def test_group_by_group_where_nothing_is_alike(monkeypatch) -> None:
    monkeypatch.setattr(assignment, "_SMALL", 1)
    found = scored(["aaa", "bbb"], ["ccc", "ddd", "eee"])
    assert (found.matched[0], found.recall[0]) == (0, 0)
    assert len(found.pairs.gold) == 0


def test_what_is_entangled_without_a_floor_is_refused_early(monkeypatch) -> None:
    monkeypatch.setattr(assignment, "_SMALL", 10)
    monkeypatch.setattr(assignment, "_MOST_CELLS", 50)
    words, blocks = [f"word{place}" for place in range(10)], 0
    how = comparer(levenshtein)

    def compare(*given, **settings):
        nonlocal blocks
        blocks += 1
        return how.many.compare(*given, **settings)

    counting = replace(how, many=replace(how.many, compare=compare))
    halves = [slice(0, 5), slice(5, 10)]
    monkeypatch.setattr(assignment, "spans", lambda _: iter(halves))
    with pytest.raises(UsageError, match="10 items of one side and 10 of the other"):
        instance_scores(counting, entries([words], [words]), floor=0.0)
    assert blocks == 1
    # few of many are alike: groups stay small, and no floor is needed
    assert instance_scores(comparer(exact), entries([words], [words]), floor=0.0).matched == [10]


def test_what_is_all_entangled_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(assignment, "_SMALL", 10)
    monkeypatch.setattr(assignment, "_MOST_CELLS", 50)
    with pytest.raises(UsageError, match=r"10 items of one side and 9 of the other are all entan"):
        scored([f"word{place}" for place in range(10)], [f"wort{place}" for place in range(9)])
    fine = scored([f"word{place}" for place in range(10)], ["word1"] * 5)  # 10 × 5
    assert fine.recall[0] == pytest.approx((1 + 4 * 0.8) / 10)


def test_repetitions_are_instances_of_their_own() -> None:
    found = scored(["a", "a", "b"], ["a", "a", "a", "b"])
    assert found.matched[0] == 3
    assert (found.precision[0], found.recall[0]) == (0.75, 1)
    assert sorted(found.pairs.times) == [1, 2]
    payload = cs.soft(["a", "a", "b"], ["a", "a", "a", "b"], mode="instances").payload()
    assert payload["variant"] == "assignment"
    assert payload["cardinality"] == {"gold": 3, "predicted": 4, "union": 4, "intersection": 3}
    assert {row["item"]: row["times"] for row in payload["counts"]["predicted"]} == {"a": 3, "b": 1}
    assert {row["item"]: row["count"] for row in payload["counts"]["predicted"]} == {"a": 3, "b": 1}


def test_one_of_six_tours_around_a_lake() -> None:
    """Near-identical tours are one concept but six instances (SOFT: recall .86 against .17)."""
    table = np.full((7, 7), 0.97)
    np.fill_diagonal(table, 1.0)
    table[6] = table[0]  # the tour that was returned is the first of the six
    table[:, 6] = table[:, 0]
    tours = [f"tour {place}" for place in range(6)]
    concepts = cs.soft(tours, ["tour 0"], similarity=table)
    assert concepts.recall == pytest.approx(0.975, abs=0.001)
    assert concepts.precision == 1
    paper = cs.soft(tours, ["tour 0"], similarity=table, variant="paper")
    assert paper.recall > 0.85
    instances = cs.soft(tours, ["tour 0"], similarity=table, mode="instances")
    assert instances.recall == pytest.approx(1 / 6)
    assert instances.precision == 1
    others = {one["name"]: one["recall"] for one in concepts.payload()["baselines"]}
    assert others["assignment"] == pytest.approx(1 / 6)


def test_empty_lists() -> None:
    found = scored([], [])
    assert np.isnan([found.precision[0], found.recall[0], found.f1[0]]).all()
    only = scored(["a"], [])
    assert np.isnan(only.precision[0])
    assert (only.recall[0], only.f1[0]) == (0, 0)
    none = instance_scores(comparer(levenshtein), entries([], []))
    assert len(none.precision) == len(none.pairs.gold) == 0


def test_the_usual_floor_is_that_of_the_similarity() -> None:
    lists = entries([["abcd"]], [["abxy"]])
    assert instance_scores(comparer(levenshtein), lists).matched[0] == 0.5
    lists = entries([["abcd"]], [["axyz"]])
    assert instance_scores(comparer(levenshtein), lists).matched[0] == 0
    assert instance_scores(comparer(levenshtein), lists, floor=0).matched[0] == 0.25


def test_the_best_sum_beats_the_nearest_first() -> None:
    """By greed b1 takes a1 (.9), and what is left is 0; matched as a whole both get .8."""
    table = np.array([[1, 0, 0.9, 0.8], [0, 1, 0.8, 0], [0.9, 0.8, 1, 0], [0.8, 0, 0, 1]])
    result = cs.soft(["a1", "a2"], ["b1", "b2"], similarity=table, mode="instances")
    assert result.f1 == pytest.approx(0.8)
    mapped = next(one for one in result.baselines if one.name == "mapped")
    assert mapped.f1[0] == pytest.approx(0.45)
