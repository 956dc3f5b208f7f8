"""What soft precision and recall are held against: definitions written out, and slow twins."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.match.characters import levenshtein
from consilience.match.entries import entries
from consilience.match.kernel import comparer
from consilience.measures import soft_baselines
from consilience.measures.soft import soft_scores
from consilience.measures.soft_baselines import crisp, crisp_at, pairings

words = st.text(alphabet="abcd", min_size=1, max_size=4)
lists = st.lists(words, max_size=6)
NAN = pytest.approx(math.nan, nan_ok=True)


def ratio(above: float, below: float):
    return pytest.approx(above / below) if below else NAN


def at(gold, predicted, threshold: float):
    given = entries([gold], [predicted])
    sums = soft_scores(comparer(levenshtein), given, variant="paper").sums
    return crisp_at(given, sums, threshold)


@given(lists, lists)
def test_crisp_is_that_of_sets(gold, predicted) -> None:
    found = crisp(entries([gold], [predicted]))
    both = len({*gold} & {*predicted})
    assert found.precision[0] == ratio(both, len({*predicted}))
    assert found.recall[0] == ratio(both, len({*gold}))
    assert found.f1[0] == ratio(2 * both, len({*gold}) + len({*predicted}))


@given(lists, lists, st.sampled_from([0.0, 0.25, 0.5, 2 / 3, 0.8, 1.0]))
def test_crisp_from_a_threshold_on(gold, predicted, threshold) -> None:
    found = at(gold, predicted, threshold)

    def hit(item, others) -> bool:
        return any(levenshtein(item, other) >= threshold - 1e-9 for other in others)

    right = sum(hit(item, gold) for item in {*predicted})
    covered = sum(hit(item, predicted) for item in {*gold})
    assert found.precision[0] == ratio(right, len({*predicted}))
    assert found.recall[0] == ratio(covered, len({*gold}))


@given(lists, lists)
def test_a_threshold_of_one_is_crisp(gold, predicted) -> None:
    one, other = at(gold, predicted, 1.0), crisp(entries([gold], [predicted]))
    for name in ("precision", "recall", "f1"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def paired(gold, predicted) -> tuple[float, float]:
    """Pair the most similar items one to one; then give the rest its most similar partners.

    Which of equally similar pairs comes first is settled by the names: of the shorter list, or of
    the one that comes first in the alphabet.
    """
    short, long = sorted((sorted(gold), sorted(predicted)), key=lambda one: (len(one), one))
    cells = [
        (-levenshtein(a, b), row, column)
        for row, a in enumerate(short)
        for column, b in enumerate(long)
    ]
    rows: set[int] = set()
    columns: set[int] = set()
    total = 0.0
    for value, row, column in sorted(cells):
        if row not in rows and column not in columns:
            rows.add(row)
            columns.add(column)
            total -= value
    rest = [item for column, item in enumerate(long) if column not in columns]
    left = math.fsum(max(levenshtein(a, item) for a in short) for item in rest) if short else 0.0
    return total, left


@given(lists, lists)
def test_pairs_by_greed(gold, predicted) -> None:
    matching, mapped = pairings(comparer(levenshtein), entries([gold], [predicted]))
    total, left = paired(gold, predicted)
    assert matching.f1[0] == ratio(total + left, max(len(gold), len(predicted)))
    assert np.isnan([matching.precision[0], matching.recall[0]]).all()
    assert mapped.precision[0] == ratio(total, len(predicted))
    assert mapped.recall[0] == ratio(total, len(gold))
    assert mapped.f1[0] == ratio(2 * total, len(gold) + len(predicted))


@given(lists, lists, st.randoms(use_true_random=False))
def test_both_ways_and_in_any_order_it_is_the_same(gold, predicted, random) -> None:
    matching, mapped = pairings(comparer(levenshtein), entries([gold], [predicted]))
    shuffled = [random.sample(one, len(one)) for one in (predicted, gold)]
    turned, overlap = pairings(comparer(levenshtein), entries([shuffled[0]], [shuffled[1]]))
    np.testing.assert_allclose(matching.f1, turned.f1)
    np.testing.assert_allclose(mapped.precision, overlap.recall)
    np.testing.assert_allclose(mapped.f1, overlap.f1)


@given(st.lists(st.tuples(lists, lists), max_size=4))
def test_documents_do_not_touch_each_other(both) -> None:
    gold, predicted = [one for one, _ in both], [other for _, other in both]
    together = pairings(comparer(levenshtein), entries(gold, predicted))
    for place, (one, other) in enumerate(both):
        alone = pairings(comparer(levenshtein), entries([one], [other]))
        for whole, part in zip(together, alone, strict=True):
            np.testing.assert_allclose(whole.f1[place], part.f1[0])


@given(lists)
def test_a_perfect_answer_is_perfect_under_all(items) -> None:
    given = entries([items], [items])
    everything = [crisp(given), at(items, items, 0.8), *pairings(comparer(levenshtein), given)]
    for one in everything:
        assert one.f1[0] == (pytest.approx(1) if items else NAN)


def test_the_papers_examples() -> None:
    """METHODS: crisp columns of Table 3 (café, gray color)."""
    cafe = entries([["cafe", "pizza", "hotel"]], [["cafe", "coffee", "caffe", "pizza", "plaza"]])
    found = crisp(cafe)
    assert (found.precision[0], found.recall[0]) == (0.4, pytest.approx(2 / 3))
    assert found.f1[0] == pytest.approx(0.5)
    gray = entries([["gray", "color"]], [["the", "grey", "colour"]])
    assert crisp(gray).f1[0] == 0
    star = at(["gray", "color"], ["the", "grey", "colour"], 0.8)  # colour (.83), not grey (.75)
    assert (star.precision[0], star.recall[0]) == (pytest.approx(1 / 3), 0.5)


@pytest.mark.parametrize(
    ("gold", "predicted", "precision", "recall"),
    [(["a"], [], math.nan, 0), ([], ["a"], 0, math.nan), ([], [], math.nan, math.nan)],
)
def test_empty_lists(gold, predicted, precision, recall) -> None:
    for threshold in (0.0, 0.8):
        found = at(gold, predicted, threshold)
        assert found.precision[0] == pytest.approx(precision, nan_ok=True)
        assert found.recall[0] == pytest.approx(recall, nan_ok=True)
    matching, mapped = pairings(comparer(levenshtein), entries([gold], [predicted]))
    assert mapped.precision[0] == pytest.approx(precision, nan_ok=True)
    assert matching.f1[0] == (0 if gold or predicted else NAN)


def test_long_lists_have_no_pairs_by_greed(monkeypatch) -> None:
    monkeypatch.setattr(soft_baselines, "MOST_CELLS", 5)
    both = entries([["a", "b", "c"], ["a"]], [["a", "b"], ["a"]])
    matching, mapped = pairings(comparer(levenshtein), both)
    assert np.isnan(matching.f1).tolist() == np.isnan(mapped.f1).tolist() == [True, False]


def test_all_of_them_stand_in_a_result() -> None:
    payload = cs.soft(["gray", "color"], ["the", "grey", "colour"], threshold=0.75).payload()
    rows = {one["name"]: one for one in payload["baselines"]}
    assert [*rows] == [
        *("crisp", "crisp*", "matching", "mapped", "diversity", "paper", "storm", "assignment"),
    ]
    assert rows["crisp*"]["label"] == "crisp* (similarity ≥ 0.75)"
    assert rows["crisp*"]["recall"] == 1
    assert rows["matching"]["precision"] is None
    assert rows["matching"]["f1"] == pytest.approx((0.75 + 5 / 6) / 3)
    other = cs.soft(["a"], ["a"], mode="instances").payload()["baselines"]
    assert [one["name"] for one in other][4:] == ["coverage", "diversity", "paper", "storm"]
