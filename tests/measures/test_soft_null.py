"""The null score: what an answer that knows nothing would get, in each of the four ways."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.match.characters import levenshtein
from consilience.match.kernel import comparer
from consilience.measures import soft_null
from consilience.measures.soft import soft_scores
from consilience.measures.soft_null import adjusted, null_score

HOW = {
    "documents": "predictions of other documents",
    "words": "random English words of the same lengths",
    "letters": "the predictions' letters, shuffled",
    "background": "the median similarity in place of each",
}


def scored(variant="paper", floor=None):
    def score(how, lists):
        found = soft_scores(how, lists, variant=variant, floor=floor)
        return found.precision, found.recall, found.f1

    return score


def null(gold, predicted, *, seed=0, variant="paper", floor=None, similarity=levenshtein):
    return null_score(
        comparer(similarity),
        gold,
        predicted,
        scored=scored(variant, floor),
        rng=np.random.default_rng(seed),
    )


@pytest.fixture(scope="module")
def vocabulary() -> list[str]:
    text = Path(cs.example("keyphrases-gold.csv")).read_text("utf-8").lower()
    return sorted({word for word in text.replace(",", " ").split() if word.isalpha()})


@pytest.mark.parametrize(
    ("n", "plain", "floored"), [(3, 0.48, 0.02), (10, 0.75, 0.06), (30, 0.92, 0.20)]
)
def test_all_wrong_answers(vocabulary, n, plain, floored) -> None:
    """SOFT: all-wrong words under Levenshtein get soft recall .48, .75, .92; with a floor of .5
    .02, .06, .20. What the null score says must be what they get."""
    rng = np.random.default_rng(n)
    for floor, wanted in ((None, plain), (0.5, floored)):
        got, said = [], []
        for _ in range(12):
            both = rng.permutation(vocabulary)[: 2 * n].tolist()
            gold, predicted = both[:n], both[n:]
            result = cs.soft(gold, predicted, variant="paper", floor=floor)
            assert result.payload()["null"]["how"] == HOW["words"]
            got.append(result.recall)
            said.append(result.null.recall)
        assert np.mean(said) == pytest.approx(wanted, abs=0.1)
        assert np.mean(got) == pytest.approx(np.mean(said), abs=0.06)


def test_the_usual_variant_has_a_low_null_score(vocabulary) -> None:
    rng = np.random.default_rng(5)
    both = rng.permutation(vocabulary)[:60].tolist()
    result = cs.soft(both[:30], both[30:])
    assert result.null.recall < 0.3
    assert abs(result.payload()["adjusted"]["f1"]) < 0.1


# the four ways ---------------------------------------------------------------------------------


def test_other_documents() -> None:
    gold = [["red", "green"], ["four", "five"], ["north"], []]
    found = null(gold, gold, variant="coverage")
    assert found.how == "documents"
    assert found.draws == 20  # 5 for each of 4 documents
    assert found.f1 == 0
    assert cs.soft(dict(enumerate(gold)), dict(enumerate(gold))).null.f1 == 0


def test_two_documents_are_too_few_to_be_others() -> None:
    assert null([["red"], ["four"]], [["red"], ["four"]]).how == "words"
    assert null([["red"], ["four"], ["x"]], [["red"], ["four"], []]).how == "words"
    assert null([["red"], ["four"], []], [["red"], ["four"], ["x"]]).how == "documents"


@given(st.lists(st.lists(st.integers(0, 99), max_size=5), min_size=3, max_size=6), st.integers(0))
def test_another_document_s_predictions(predicted, seed) -> None:
    if sum(map(bool, predicted)) < 3:
        return
    made = soft_null._other_documents(predicted, np.random.default_rng(seed))
    assert [len(one) for one in made] == [len(one) for one in predicted]
    assert {item for one in made for item in one} <= {item for one in predicted for item in one}


def test_nobody_gets_their_own_predictions() -> None:
    predicted = [[document] * length for document, length in enumerate([3, 0, 1, 7, 2])]
    for seed in range(20):
        made = soft_null._other_documents(predicted, np.random.default_rng(seed))
        for document, (one, other) in enumerate(zip(made, predicted, strict=True)):
            assert len(one) == len(other)
            assert document not in one


def test_words_keep_lengths_and_shape() -> None:
    rng = np.random.default_rng(0)
    for item in ("Café du Nord 12", "a-b", "neural networks (NN)", "x\ny"):
        made = soft_null._words(item, rng)
        assert [part.isdigit() for part in made.split()] == [p.isdigit() for p in item.split()]
        assert len(made) == len(item)
        assert "12" in made if "12" in item else True
    assert len(soft_null._words("z" * 10_000, rng)) < 40  # no word is as long


def test_letters_of_another_script_are_shuffled() -> None:
    predicted = [["新聞", "天気予報", "東京"]]
    found = null([["経済"]], predicted)
    assert found.how == "letters"
    made = soft_null._shuffled(predicted, np.random.default_rng(1))
    assert [len(item) for item in made[0]] == [2, 4, 2]
    assert sorted("".join(made[0])) == sorted("".join(predicted[0]))
    assert null([["1", "22"]], [["12", "3", "word"]]).how == "letters"  # not all are words
    rng = np.random.default_rng(1)
    assert soft_null._shuffled([[], ["", "\x00\x00"]], rng) == [[], ["", "\x00\x00"]]


@given(st.lists(st.lists(st.text(max_size=4), max_size=4), max_size=3))
def test_shuffling_keeps_lengths_whatever_the_letters(predicted) -> None:
    made = soft_null._shuffled(predicted, np.random.default_rng(0))
    lengths = [[len(item) for item in one] for one in predicted]
    assert [[len(item) for item in one] for one in made] == lengths


@pytest.mark.parametrize("n", [3, 10, 30])
@pytest.mark.parametrize("level", [0.05, 0.29, 0.6])
def test_a_constant_background(n, level) -> None:
    """SOFT: P = R = 2 − 2(1+(n−1)s) / (1+(2n−1)s)."""
    items = [[(side, place) for place in range(n)] for side in range(2)]
    found = null([items[0]], [items[1]], similarity=lambda a, b: 1.0 if a == b else level)
    wanted = 2 - 2 * (1 + (n - 1) * level) / (1 + (2 * n - 1) * level)
    assert found.how == "background"
    assert found.background == pytest.approx(level)
    for value in (found.precision, found.recall, found.f1):
        assert value == pytest.approx(wanted)


def test_a_few_matches_do_not_move_the_background() -> None:
    gold = list(range(10))
    found = null([gold], [gold], similarity=lambda a, b: 1.0 if a == b else 0.2)
    assert found.background == 0.2


def test_of_a_single_pair_there_is_no_background() -> None:
    found = null([[1, 2]], [[3, 4]], similarity=lambda a, b: float(a == b))
    assert (found.how, found.draws) == ("background", 0)
    assert math.isnan(found.f1)
    payload = cs.soft([1, 2], [3, 4], similarity=lambda a, b: float(a == b)).payload()
    why = "too few pairs of items"
    nothing = {"precision": None, "recall": None, "f1": None, "undefined": why}
    assert payload["null"] == {**nothing, "how": HOW["background"], "draws": 0}
    assert payload["adjusted"] == nothing
    assert "random predictions" not in payload["headline"]


def test_a_background_has_the_same_floor() -> None:
    def half(a, b):
        return 1.0 if a == b else 0.4

    items = list(range(4)), list(range(10, 14))
    assert cs.soft(*items, similarity=half, floor=0.0).null.f1 == pytest.approx(0.4)
    assert cs.soft(*items, similarity=half, floor=0.5).null.f1 == 0
    matched = cs.soft(*items, similarity=half, mode="instances")
    assert matched.null.f1 == pytest.approx(0.4)


# chance ----------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same(vocabulary) -> None:
    gold, predicted = [vocabulary[:8]], [vocabulary[20:28]]
    assert null(gold, predicted, seed=3) == null(gold, predicted, seed=3)
    assert null(gold, predicted, seed=3) != null(gold, predicted, seed=4)
    assert null(gold, predicted, seed=3).f1 == pytest.approx(
        null(gold, predicted, seed=4).f1, abs=0.1
    )


words = st.text("abcdefgh", min_size=3, max_size=9)


@given(st.lists(words, min_size=1, max_size=8, unique=True), st.sampled_from(["words", "docs"]))
def test_a_perfect_answer_is_better_than_chance(items, way) -> None:
    lists = [items] if way == "words" else [items, ["xyz"], ["uvw xx"]]
    result = cs.soft(dict(enumerate(lists)), dict(enumerate(lists)))
    assert result.f1 == 1
    assert result.null.f1 <= 1 + 1e-9


def test_long_lists_have_fewer_draws(monkeypatch) -> None:
    monkeypatch.setattr(soft_null, "_MOST_PAIRS", 500)
    assert null([["word"] * 2], [["other"] * 2]).draws == 20
    assert null([["word"] * 6], [["other"] * 6]).draws == 3
    assert null([["word"] * 60], [["other"] * 60]).draws == 2


@pytest.mark.parametrize(
    ("gold", "predicted", "recall", "f1"),
    [([], [], None, None), (["word"], [], 0.0, 0.0), ([], ["word"], None, 0.0)],
)
def test_empty_lists(gold, predicted, recall, f1) -> None:
    payload = cs.soft(gold, predicted).payload()
    assert payload["null"]["recall"] in (recall, None)
    assert payload["null"]["f1"] in (f1, None)
    assert payload["adjusted"]["recall"] in (recall, None)


def test_adjusted_for_chance() -> None:
    assert adjusted(1.0, 0.3) == 1
    assert adjusted(0.3, 0.3) == 0
    assert adjusted(0.0, 0.5) == -1
    for null in (1.0, 1.2, math.nan):
        assert math.isnan(adjusted(0.5, null))
    assert math.isnan(adjusted(math.nan, 0.5))


def test_a_high_null_score_is_said() -> None:
    payload = cs.soft(["red", "green"] * 8, ["four", "five"] * 8, variant="paper").payload()
    assert payload["null"]["f1"] > 0.2
    said = payload["warnings"][-1]
    assert said.startswith(f"background similarity {payload['similarity']['background']:.2f}")
    assert f"would score {payload['null']['f1']:.2f}" in said
    left = f"{payload['adjusted']['f1']:.2f}".replace("-", "−")
    assert f"adjusted for chance F1 is {left}" in said
    assert "a floor, or variant coverage" in said


def test_vectors_of_ones_own_have_a_background() -> None:
    """Random words would have no vectors, and a null score of 0 would be a false one."""
    rng = np.random.default_rng(0)
    known = {f"t{place}": row + 3 for place, row in enumerate(rng.normal(size=(40, 8)))}
    names = list(known)
    result = cs.soft(names[:10], names[10:20], similarity=partial(cs.similarity.vectors, of=known))
    assert result.null.how == "background"
    assert result.null.f1 > 0.8
    assert result.warnings
    payload = result.payload()
    assert payload["similarity"]["repairs"] == []
    assert payload["id"] == result.payload()["id"]


def test_repairs_are_those_of_the_items_given() -> None:
    known = {"tea": [1.0, 0.2], "coffee": [0.9, 0.4]}
    result = cs.soft(
        ["tea"], ["coffee", "qwx"], similarity=partial(cs.similarity.vectors, of=known)
    )
    assert [note for note in result.payload()["notes"] if "vector" in note] == [
        "1 of 3 items has no vector ('qwx') and is like itself alone"
    ]
