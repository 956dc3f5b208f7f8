"""Many sequences side by side: laws, the best possible alignment of three, and how near it is."""

from __future__ import annotations

import itertools
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import consilience as cs
from consilience.match import progressive
from consilience.match.profiles import cost_of_row, layers_of, sum_of_pairs
from consilience.match.progressive import align_tokens
from tests.match.copies import noisy, text_of

TOKENS = st.lists(st.sampled_from("abcde"), max_size=10)
MANY = st.lists(TOKENS, min_size=2, max_size=5)


def named(sequences: list[list[str]]) -> dict[str, list[str]]:
    return {f"s{k}": one for k, one in enumerate(sequences)}


def edits_of(sequences: dict[str, list[str]]) -> NDArray[np.int64]:
    found = align_tokens(sequences, refine=0).edits
    assert found is not None
    return found


def best_cost(sequences: tuple[str, ...]) -> float:
    """The least sum of pairs of all alignments, by going through all of them."""
    moves = [m for m in itertools.product((0, 1), repeat=len(sequences)) if any(m)]

    @cache
    def rest(at: tuple[int, ...]) -> float:
        if all(k == len(s) for k, s in zip(at, sequences, strict=True)):
            return 0.0
        found = np.inf
        for move in moves:
            after = tuple(k + m for k, m in zip(at, move, strict=True))
            if any(k > len(s) for k, s in zip(after, sequences, strict=True)):
                continue
            column = [s[k] if m else "" for s, k, m in zip(sequences, at, move, strict=True)]
            cost = sum(x != y for x, y in itertools.combinations(column, 2))
            found = min(found, cost + rest(after))
        return found

    return rest((0,) * len(sequences))


@given(MANY)
def test_rows_without_gaps_are_the_sequences(sequences):
    found = align_tokens(named(sequences))
    for name, one in named(sequences).items():
        assert [token for token in found.row(name) if token is not None] == one
    assert (found.columns >= 0).any(axis=0).all()  # no column of gaps


@given(TOKENS, st.integers(2, 5))
def test_identical_sequences_have_no_gaps(one, number):
    found = align_tokens(named([one] * number))
    assert found.columns.shape == (number, len(one))
    assert found.cost == 0
    assert list(found.consensus()) == one


@given(MANY, st.permutations("abcde"))
def test_renaming_tokens_changes_nothing(sequences, letters):
    to = dict(zip("abcde", letters, strict=True))
    found = align_tokens(named(sequences))
    other = align_tokens(named([[to[token] for token in one] for one in sequences]))
    assert np.array_equal(found.columns, other.columns)


@given(MANY, st.randoms(use_true_random=False))
def test_the_order_of_sources_does_not_change_edits(sequences, chance):
    order = list(range(len(sequences)))
    chance.shuffle(order)
    found = edits_of(named(sequences))
    other = edits_of({f"s{k}": sequences[k] for k in order})
    assert np.array_equal(found[np.ix_(order, order)], other)


@given(st.lists(st.text("abc", max_size=4), min_size=3, max_size=3))
def test_three_short_sequences_cost_little_more_than_they_must(texts):
    """A guide tree is a guess; it never beats the best, and stays within an edit of a pair."""
    found = align_tokens(named([list(text) for text in texts]))
    best = best_cost(tuple(texts))
    assert best <= found.cost <= best + 2


def test_most_triples_are_aligned_as_well_as_they_can_be():
    rng = np.random.default_rng(5)
    exact = 0
    for _ in range(60):
        texts = tuple("".join(rng.choice(list("abcd"), rng.integers(1, 6))) for _ in range(3))
        exact += align_tokens(named([list(text) for text in texts])).cost == best_cost(texts)
    assert exact >= 54


def test_realigning_comes_near_the_bound():
    """No alignment costs less than its pairs do alone."""
    rng = np.random.default_rng(6)
    text = text_of(rng, 600)
    copies = {f"s{k}": noisy(rng, text, 0.1) for k in range(10)}
    rough, fine = (align_tokens(copies, refine=passes) for passes in (0, 2))
    bound = edits_of(copies).sum() / 2
    assert bound <= fine.cost <= rough.cost <= 1.1 * bound
    assert fine.cost <= 1.03 * bound


def test_the_truth_keeps_its_edit_distances():
    rng = np.random.default_rng(7)
    text = text_of(rng, 500)
    copies = {f"s{k}": noisy(rng, text, 0.05 + 0.02 * k) for k in range(6)}
    found = align_tokens({**copies, "truth": text})
    apart = (found.columns[:-1] != found.columns[-1]).sum(axis=1)
    assert found.edits is not None
    assert np.all(apart <= 1.01 * found.edits[-1, :-1])


@given(MANY)
def test_costs_add_up(sequences):
    found = align_tokens(named(sequences))
    rows = range(len(sequences))
    each = sum(cost_of_row(found.columns, row, 1.0, None) for row in rows)
    pairs = sum(
        (found.columns[i] != found.columns[j]).sum() for i, j in itertools.combinations(rows, 2)
    )
    assert found.cost == each / 2 == pairs


def test_soft_costs_add_up():
    words = {"a": ["the", "grey", "cat"], "b": ["the", "gray", "cart"], "c": ["gray", "hat"]}
    found = align_tokens(words, similarity=cs.similarity.levenshtein)
    rows = range(3)
    each = sum(cost_of_row(found.columns, row, 1.0, found.alike) for row in rows)
    assert found.cost == pytest.approx(each / 2)
    assert found.cost == pytest.approx(sum_of_pairs(found.columns, 1.0, found.alike))
    assert found.row("c") == (None, "gray", "hat")


def test_layers_count_tokens():
    found = layers_of(np.array([[3, -1], [2, -1], [2, -1]], np.int32))
    assert found.codes.tolist() == [[2, -1], [3, -1]]
    assert found.counts.tolist() == [[2, 0], [1, 0]]


def test_many_sources_are_grouped_by_the_tokens_they_share(monkeypatch):
    monkeypatch.setattr(progressive, "MANY", 3)
    copies = named([list("abcde"), list("abcxe"), list("abde"), list("abcde"), []])
    found = align_tokens(copies)
    assert found.edits is None
    assert found.consensus() == tuple("abcde")


def test_one_source_and_none_align_with_themselves():
    assert align_tokens({"a": ["x", "y"]}).columns.tolist() == [[0, 1]]
    assert align_tokens({}).columns.shape == (0, 0)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"gap": 0}, "a gap costs a number above 0"),
        ({"gap": "x"}, "a gap costs a number above 0"),
        ({"refine": -1}, "refine is a number of passes"),
        ({"similarity": cs.similarity.levenshtein, "floor": 2}, "a floor lies in"),
        ({"similarity": lambda a, b: 0.5}, "itself"),
    ],
)
def test_settings_are_checked(settings, said):
    with pytest.raises(cs.UsageError, match=said):
        align_tokens({"a": ["x"], "b": ["y"]}, **settings)


def test_unknown_sources_are_named():
    with pytest.raises(cs.UsageError, match="unknown source 'z'"):
        align_tokens({"a": ["x"], "b": ["x"]}).row("z")
