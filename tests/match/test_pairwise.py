"""Two sequences side by side: other programs, a slow twin, and what cutting into pieces loses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

import consilience as cs
from consilience.match import pairwise
from consilience.match.progressive import align_tokens
from tests.match.copies import noisy, text_of

GOLDEN = Path(__file__).parent.parent / "golden" / "alignments_biopython.json"
TOKENS = st.lists(st.sampled_from("abcd"), max_size=12)


def slow_cost(a: list[str], b: list[str], gap: float, alike: Callable[[str, str], float]) -> float:
    """The textbook's table (Needleman and Wunsch), cell by cell."""
    best = [[j * gap for j in range(len(b) + 1)]]
    for i, x in enumerate(a, start=1):
        row = [i * gap]
        for j, y in enumerate(b, start=1):
            beside = best[i - 1][j - 1] + 1 - alike(x, y)
            row.append(min(beside, best[i - 1][j] + gap, row[j - 1] + gap))
        best.append(row)
    return best[-1][-1]


def equal(x: str, y: str) -> float:
    return float(x == y)


@pytest.mark.parametrize("case", json.loads(GOLDEN.read_text())["cases"])
def test_costs_are_those_of_biopython(case):
    found = align_tokens({"a": list(case["a"]), "b": list(case["b"])}, gap=case["gap"])
    assert found.cost == pytest.approx(case["cost"])


@given(TOKENS, TOKENS, st.sampled_from([0.6, 1.0, 1.7]))
def test_the_cost_is_that_of_the_slow_table(a, b, gap):
    assert align_tokens({"a": a, "b": b}, gap=gap).cost == pytest.approx(
        slow_cost(a, b, gap, equal)
    )


@given(
    st.lists(st.sampled_from(["cat", "cart", "bat", "dog", "dig"]), max_size=8),
    st.lists(st.sampled_from(["cat", "cart", "bat", "dog", "dig"]), max_size=8),
)
def test_tokens_that_are_alike_cost_less(a, b):
    alike = cs.similarity.levenshtein
    found = align_tokens({"a": a, "b": b}, similarity=alike, floor=0.0)
    assert found.cost == pytest.approx(slow_cost(a, b, 1.0, alike))
    floored = align_tokens({"a": a, "b": b}, similarity=alike, floor=0.7)
    apart = slow_cost(a, b, 1.0, lambda x, y: alike(x, y) if alike(x, y) >= 0.7 else 0.0)
    assert floored.cost == pytest.approx(apart)


def test_equal_stretches_do_not_stand_in_the_way_of_a_cheaper_alignment():
    """Both were found by a search: what is equal is not always kept in the cheapest alignment."""
    cats = {"a": ["cat", "cart", "cart", "cat"], "b": ["cart", "cat", "cart", "cart"]}
    alike = cs.similarity.levenshtein
    assert align_tokens(cats, similarity=alike, floor=0.0).cost == pytest.approx(0.75)
    letters = {"a": list("aaabaaaa"), "b": list("aaaaaaab")}
    assert align_tokens(letters, gap=0.6).cost == pytest.approx(1.2)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.6])
def test_long_pairs_cost_their_edit_distance(share):
    rng = np.random.default_rng(1)
    text = text_of(rng, 2_000)
    a, b = noisy(rng, text, share), noisy(rng, text, share)
    assert align_tokens({"a": a, "b": b}).cost == Levenshtein.distance(a, b)


def test_a_user_s_own_similarity_is_averaged_both_ways():
    def lopsided(x: str, y: str) -> float:
        return 1.0 if x == y else 0.8 if x < y else 0.4

    found = align_tokens({"a": ["p"], "b": ["q"]}, similarity=lopsided)
    assert found.cost == pytest.approx(1 - 0.6)


def test_unrelated_sequences_are_halved_in_linear_memory(monkeypatch):
    rng = np.random.default_rng(2)
    sides = {name: [f"{name}{k}" for k in rng.integers(50, size=300)] for name in "ab"}
    sides["b"][100:130] = sides["a"][180:210:1]  # something in common, far from the diagonal
    whole = align_tokens(sides)
    monkeypatch.setattr(pairwise, "WHOLE", 0)
    monkeypatch.setattr(pairwise, "CELLS", 500)
    monkeypatch.setattr(pairwise, "HELD", 200)
    halved = align_tokens(sides)
    assert halved.cost == whole.cost == Levenshtein.distance(sides["a"], sides["b"])


def test_cutting_into_pieces_loses_next_to_nothing(monkeypatch):
    """Kept stretches are a guess: the full table is at most half a percent cheaper."""
    monkeypatch.setattr(pairwise, "WHOLE", 0)  # short ones are not cut otherwise
    rng = np.random.default_rng(3)
    for share in (0.05, 0.1, 0.2, 0.3):
        text = text_of(rng, 400)
        copies = {f"s{k}": noisy(rng, text, share) for k in range(6)}
        quick = align_tokens(copies, refine=0)
        with monkeypatch.context() as patch:
            patch.setattr(pairwise, "STRETCH", 10**9)
            patch.setattr(pairwise, "LARGE", 10**12)
            full = align_tokens(copies, refine=0)
        assert quick.cost <= 1.005 * full.cost


def test_large_pieces_are_cut_where_anything_is_equal(monkeypatch):
    """Texts of which nearly nothing is right: a few percent above the full table, at most."""
    rng = np.random.default_rng(12)
    text = text_of(rng, 500)
    copies = {f"s{k}": noisy(rng, text, 0.9) for k in range(3)}
    monkeypatch.setattr(pairwise, "WHOLE", 0)
    full = align_tokens(copies)
    monkeypatch.setattr(pairwise, "LARGE", 1_000)
    quick = align_tokens(copies)
    assert 0.99 * full.cost <= quick.cost <= 1.05 * full.cost


def test_a_very_long_pair_stays_small():
    import tracemalloc

    rng = np.random.default_rng(4)
    text = text_of(rng, 30_000)
    a, b = noisy(rng, text, 0.1), noisy(rng, text, 0.1)
    tracemalloc.start()
    found = align_tokens({"a": a, "b": b})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.edits is not None
    assert found.cost == found.edits[0, 1]
    assert peak < 100e6  # a table of all cells would take 900 MB
