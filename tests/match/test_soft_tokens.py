"""Similarities by alike words: other programs and plain twins."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from math import log, sqrt
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import textdistance
from hypothesis import given
from hypothesis import strategies as st

from consilience.errors import UsageError
from consilience.match import best_pieces
from consilience.match.characters import exact, jaro_winkler, levenshtein
from consilience.match.kernel import Similarity, comparer, table
from consilience.match.names import similarity_by_name
from consilience.match.soft_tokens import (
    inverse_frequencies,
    monge_elkan,
    soft_dice,
    soft_jaccard,
    soft_tfidf,
)
from consilience.match.sums import compared
from consilience.match.tokens import dice, jaccard

GOLDEN = Path(__file__).parent.parent / "golden" / "strings_py_stringmatching.json"
OTHERS = json.loads(GOLDEN.read_text(encoding="utf-8"))
THEIRS = OTHERS["py_stringmatching"]
PAIRS = [tuple(pair) for pair in OTHERS["pairs"]]
words = st.sampled_from(["grey", "gray", "greys", "colour", "color", "a", "space"])
phrases = st.lists(words, max_size=4).map(" ".join)


def plain_soft_tfidf(
    a: list[str],
    b: list[str],
    inner: Callable[[str, str], float],
    close: float,
    weight: Callable[[str, int], float],
) -> float:
    """Cohen, Ravikumar and Fienberg, word by word; not cut at 1."""
    one, other = ({word: weight(word, side.count(word)) for word in side} for side in (a, b))
    total = 0.0
    for word, value in one.items():
        best = max(inner(word, found) for found in other)
        if best >= close:
            total += (
                value
                * best
                * max(its for found, its in other.items() if inner(word, found) == best)
            )
    norms = [sqrt(sum(value**2 for value in side.values())) for side in (one, other)]
    return total / (norms[0] * norms[1])


def test_monge_elkan_of_py_stringmatching() -> None:
    for place, (a, b) in enumerate(PAIRS):
        wanted = THEIRS["monge_elkan levenshtein"][place]
        assert monge_elkan(a, b, inner=levenshtein) == pytest.approx(wanted, abs=1e-12)
        # Their Jaro–Winkler also raises what is not above 0.7.
        assert monge_elkan(a, b) <= THEIRS["monge_elkan jaro_winkler"][place] + 1e-6


def test_soft_tfidf_of_py_stringmatching() -> None:
    """Its weights are N / n, and how often a word occurs counts in full."""
    texts = OTHERS["corpus"]
    split = [text.split() for text in texts]
    idf = {word: len(split) / sum(word in one for one in split) for one in split for word in one}
    for place, (a, b) in enumerate(PAIRS):
        one, other = a.split(), b.split()
        wanted = THEIRS["soft_tfidf levenshtein 0.55"][place]
        twin = plain_soft_tfidf(one, other, levenshtein, 0.55, lambda word, n: n * idf[word])
        assert twin == pytest.approx(wanted, abs=1e-9) or a == b
        if len({*one}) == len(one) and len({*other}) == len(other):
            found = soft_tfidf(a, b, inner=levenshtein, close=0.55, idf=idf)
            assert found == pytest.approx(min(1.0, wanted), abs=1e-9), (a, b)
            found = soft_tfidf(a, b, inner=exact, idf=idf)
            assert found == pytest.approx(THEIRS["tfidf"][place], abs=1e-9)


def test_generalised_jaccard_is_another_thing() -> None:
    """That of py_stringmatching pairs words one to one and divides by the number of words left."""
    place = PAIRS.index(("grey colour space", "gray color space"))
    common = 3 / 4 + 5 / 6 + 1
    theirs = THEIRS["generalized_jaccard levenshtein 0.5"][place]
    assert theirs == pytest.approx(common / (3 + 3 - 3))
    assert soft_jaccard(*PAIRS[place]) == pytest.approx(common / (3 + 3 - common))


@given(a=phrases, b=phrases)
def test_monge_elkan_of_textdistance(a: str, b: str) -> None:
    """It divides by the number of words of a twice."""
    words: Any = {"qval": None, "algorithm": SimpleNamespace(similarity=levenshtein)}
    if a and b and a != b:
        wanted = textdistance.MongeElkan(**words, external=False)(a, b) * len(a.split())
        assert monge_elkan(a, b, inner=levenshtein) == pytest.approx(wanted, abs=1e-12)


@given(a=phrases, b=phrases, close=st.sampled_from([0.0, 0.5, 0.75, 0.9]))
def test_soft_jaccard_and_dice_twins(a: str, b: str, close: float) -> None:
    one, other = {*a.split()}, {*b.split()}
    if not one or not other:
        return

    def best(word: str, others: set[str]) -> float:
        value = max(levenshtein(word, found) for found in others)
        return value if value >= close else 0.0

    both = sum(best(word, other) for word in one) + sum(best(word, one) for word in other)
    sizes = len(one) + len(other)
    assert soft_dice(a, b, close=close) == pytest.approx(both / sizes)
    assert soft_jaccard(a, b, close=close) == pytest.approx(both / 2 / (sizes - both / 2))


@given(a=phrases, b=phrases)
def test_same_words_only_is_the_hard_form(a: str, b: str) -> None:
    assert soft_jaccard(a, b, inner=exact) == pytest.approx(jaccard(a, b), abs=1e-12)
    assert soft_dice(a, b, inner=exact) == pytest.approx(dice(a, b), abs=1e-12)


@given(a=phrases, b=phrases, close=st.sampled_from([0.5, 0.8, 0.9]))
def test_soft_tfidf_twin(a: str, b: str, close: float) -> None:
    if not a or not b:
        return
    idf = inverse_frequencies(["grey colour", "gray color", "a space", "a", "a greys"])
    twin = plain_soft_tfidf(
        a.split(), b.split(), jaro_winkler, close, lambda word, n: log(1 + n) * idf[word]
    )
    assert soft_tfidf(a, b, close=close, idf=idf) == pytest.approx(min(1, twin), abs=1e-12)


def test_weights_never_come_from_the_block() -> None:
    items = ["the colour", "the color", "the end", "grey"]
    how = comparer(soft_tfidf)
    whole = how.block(how.prepare(items), how.prepare(items))
    alone = how.block(how.prepare(items[:1]), how.prepare(items[1:2]))
    assert whole[0, 1] == alone[0, 0]


@pytest.mark.parametrize("similarity", [monge_elkan, soft_jaccard, soft_dice, soft_tfidf])
def test_pairs_by_all_pieces_or_by_those_that_meet(
    similarity: Similarity, monkeypatch: pytest.MonkeyPatch
) -> None:
    how = comparer(similarity)
    prepared = how.prepare(["grey colour", "gray colours", "", "the color grey grey", "space"])
    a, b = (one.ravel() for one in np.indices((5, 5)))
    wanted = how.block(prepared, prepared).ravel()
    for many, crossings in ((4, 1 << 20), (0, 1 << 20), (4, 1), (0, 3)):
        monkeypatch.setattr(best_pieces, "MANY", many)
        monkeypatch.setattr(best_pieces, "CROSSINGS", crossings)
        np.testing.assert_allclose(compared(how, prepared, a, b, 0.0), wanted, atol=1e-12)


def test_not_the_same_both_ways_is_said() -> None:
    how = comparer(monge_elkan)
    found = table(how, ["colour"], ["grey colour"])[0, 0]
    there, back = monge_elkan("colour", "grey colour"), monge_elkan("grey colour", "colour")
    assert found == pytest.approx((there + back) / 2)
    assert how.repairs == {"monge-elkan is not symmetric: both ways were averaged"}


def test_a_function_of_ones_own_inside() -> None:
    def first(a: str, b: str) -> float:
        return float(a[:1] == b[:1])

    assert soft_jaccard("grey colour", "green car", inner=first) == 1
    assert table(comparer(soft_dice), ["a"]).tolist() == [[1.0]]


def test_settings_that_are_none() -> None:
    for similarity in (soft_jaccard, soft_dice, soft_tfidf):
        with pytest.raises(UsageError, match=r"close must lie in \[0, 1\], found 2"):
            similarity("a", "b", close=2)
        with pytest.raises(UsageError, match=r"close must lie in \[0, 1\], found -1"):
            table(partial(similarity, close=-1), ["a", "b"])
    with pytest.raises(UsageError, match="idf must give a weight for each word, found 'x'"):
        similarity_by_name("soft-tfidf:idf=x")("a", "b")
    with pytest.raises(UsageError, match="weights of words must be above 0"):
        soft_tfidf("a", "b", idf={"a": 0.0, "b": 1.0})
