"""Sums of similarities: by blocks, by pairs, or as a whole, they are the same."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import partial

import numpy as np
import pytest

from consilience.match import sums as adding
from consilience.match.characters import levenshtein
from consilience.match.entries import entries
from consilience.match.kernel import comparer
from consilience.match.vectors import vectors
from consilience.measures.soft import soft_scores


@pytest.fixture(scope="module")
def made():
    rng = np.random.default_rng(5)
    known = {f"w{place}": row for place, row in enumerate(rng.normal(size=(120, 8)))}
    names = list(known)
    gold = [list(rng.choice(names, 40)), list(rng.choice(names, 30))]
    predicted = [list(rng.choice(names, 50)), list(rng.choice(names, 3))]
    return comparer(partial(vectors, of=known)), entries(gold, predicted)


@pytest.mark.parametrize("variant", ["coverage", "paper", "storm"])
@pytest.mark.parametrize(("large", "vast"), [(1, 10**9), (1, 1)], ids=["by blocks", "as a whole"])
def test_all_ways_are_the_same(made, variant, large, vast, monkeypatch) -> None:
    how, given = made
    plain = soft_scores(how, given, variant=variant)
    monkeypatch.setattr(adding, "LARGE", large)
    monkeypatch.setattr(adding, "VAST", vast)
    other = soft_scores(how, given, variant=variant)
    for name in ("precision", "recall", "f1", "gold", "predicted", "union"):
        # products of 32 bits; sums of raw cosines may be near 0, and are divided by
        close = 1e-4 if variant == "storm" else 1e-5
        assert getattr(other, name) == pytest.approx(getattr(plain, name), rel=close)
    if variant == "coverage":
        here = given.predicted > 0
        assert other.sums.best_gold_at[here].tolist() == plain.sums.best_gold_at[here].tolist()
        assert other.sums.best_gold[here] == pytest.approx(plain.sums.best_gold[here], abs=1e-6)


def test_a_gold_item_that_nothing_resembles(monkeypatch) -> None:
    monkeypatch.setattr(adding, "LARGE", 1)
    monkeypatch.setattr(adding, "VAST", 1)
    known = {"a": [1.0, 0], "b": [0, 1.0], "c": [1.0, 0.1]}
    how = comparer(partial(vectors, of=known))
    found = soft_scores(how, entries([["a", "b"]], [["c", "qwx"]]))
    assert found.recall[0] == pytest.approx(0.995 / 2, abs=1e-3)
    assert found.sums.best_predicted_at.tolist()[:2] == [2, -1]


@pytest.mark.parametrize(
    "way",
    ["by the most frequent words", "by documents", "pair by pair", "by blocks", "in stretches"],
)
@pytest.mark.parametrize("variant", ["coverage", "paper", "storm"])
def test_lists_of_words_are_compared_the_same_in_all_ways(way, variant, monkeypatch) -> None:
    rng = np.random.default_rng(8)
    words = ["".join(rng.choice(list("abcde"), 4)) for _ in range(60)]
    lists = [list(rng.choice(words, size)) for size in rng.integers(0, 25, 80)]
    how, given = comparer(levenshtein), entries(lists[:40], lists[40:])
    plain = soft_scores(how, given, variant=variant)
    if way == "by the most frequent words":
        monkeypatch.setattr(adding, "BLOCK", 1)
    elif way == "by blocks":
        monkeypatch.setattr(adding, "LARGE", 10)
    elif way == "in stretches":
        monkeypatch.setattr(adding, "_PAIRS", 50)
    else:
        monkeypatch.setattr(adding, "_HELD", 0)
        how = replace(how, many=replace(how.many, light=way == "by documents"))
    other = soft_scores(how, given, variant=variant)
    assert other.f1 == pytest.approx(plain.f1, abs=1e-12, nan_ok=True)
    for one in fields(adding.Sums):
        found, wanted = getattr(other.sums, one.name), getattr(plain.sums, one.name)
        assert found == pytest.approx(wanted, abs=1e-12), one.name
