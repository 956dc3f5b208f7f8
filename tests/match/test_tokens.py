"""Similarities by common pieces: other programs and plain twins."""

from __future__ import annotations

import json
from collections import Counter
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import textdistance
from hypothesis import given
from hypothesis import strategies as st

from consilience.errors import UsageError
from consilience.match.kernel import Similarity, comparer, table
from consilience.match.names import similarity_by_name
from consilience.match.pieces import pieces
from consilience.match.tokens import cosine, dice, jaccard, overlap

GOLDEN = Path(__file__).parent.parent / "golden" / "strings_py_stringmatching.json"
OTHERS = json.loads(GOLDEN.read_text(encoding="utf-8"))
FOUR: dict[str, Similarity] = {
    "jaccard": jaccard, "dice": dice, "cosine": cosine, "overlap": overlap,
}  # fmt: skip
texts = st.text(st.sampled_from("ab c"), max_size=10)


@pytest.mark.parametrize("name", FOUR)
@pytest.mark.parametrize(
    ("cut", "settings"),
    [("words", {}), ("3-grams", {"q": 3}), ("2-grams padded", {"q": 2, "pad": True})],
)
def test_figures_of_py_stringmatching(name: str, cut: str, settings: dict[str, int]) -> None:
    theirs = OTHERS["py_stringmatching"][f"{name} {cut}"]
    for (a, b), wanted in zip(OTHERS["pairs"], theirs, strict=True):
        if cut == "3-grams" and min(len(a), len(b)) < 3:
            continue  # theirs has no 3-gram of a shorter string, and is 0 or 1 at random
        assert FOUR[name](a, b, **settings) == pytest.approx(wanted, abs=1e-12), (a, b)


@given(a=texts, b=texts, q=st.integers(0, 3), bag=st.booleans())
def test_figures_of_textdistance(a: str, b: str, q: int, bag: bool) -> None:
    """Its cosine of bags is that of sets; it cannot pad and has no piece of a short string."""
    if min(len(a), len(b)) < max(1, q) or not a.split() or not b.split():
        return
    settings: dict[str, Any] = {"qval": q or None, "as_set": not bag, "external": False}
    peers = {
        "jaccard": textdistance.Jaccard(**settings),
        "dice": textdistance.Sorensen(**settings),
        "overlap": textdistance.Overlap(**settings),
    }
    if not bag:
        peers["cosine"] = textdistance.Cosine(**settings)
    for name, peer in peers.items():
        found = FOUR[name](a, b, q=q, bag=bag)
        assert found == pytest.approx(float(peer(a, b)), abs=1e-12), name


@given(a=texts, b=texts, q=st.integers(0, 3))
def test_bags_twin(a: str, b: str, q: int) -> None:
    one, other = Counter(pieces(a, q=q)), Counter(pieces(b, q=q))
    if not one or not other:
        return
    least = sum(min(one[piece], other[piece]) for piece in {*one, *other})
    most = sum(max(one[piece], other[piece]) for piece in {*one, *other})
    product = sum(one[piece] * other[piece] for piece in one)
    norms = sqrt(sum(n * n for n in one.values())) * sqrt(sum(n * n for n in other.values()))
    wanted = {
        "jaccard": least / most,
        "dice": 2 * least / (one.total() + other.total()),
        "overlap": least / min(one.total(), other.total()),
        "cosine": product / norms,
    }
    for name, value in wanted.items():
        assert FOUR[name](a, b, q=q, bag=True) == pytest.approx(value, abs=1e-12), name
        how = comparer(similarity_by_name(f"{name}:q={q},bag=yes"))
        assert how.block(how.prepare([a]), how.prepare([b]))[0, 0] == pytest.approx(
            value, abs=1e-12
        )


def test_exactly_the_textbook() -> None:
    assert dice("night", "nacht", q=2) == 0.25  # {ni, ig, gh, ht} and {na, ac, ch, ht}
    assert jaccard("night", "nacht", q=2) == 1 / 7
    assert jaccard("a a b", "a b b", bag=True) == 0.5
    assert jaccard("a a b", "a b b") == 1


def test_pieces_of_strings() -> None:
    assert pieces(" state-of-the-art  systems ") == ["state-of-the-art", "systems"]
    assert pieces("", q=2, pad=True) == []
    assert pieces("a", q=2, pad=True) == ["\x02a", "a\x03"]
    with pytest.raises(UsageError, match="q must be a whole number, 0 or above, found -1"):
        jaccard("a", "b", q=-1)
    with pytest.raises(UsageError, match=r"only q-grams are padded, and q is 0: words \(fix: q=2"):
        dice("a", "b", pad=True)


def test_words_of_two_lists_meet() -> None:
    """Lists are prepared apart, with words numbered apart."""
    rng = np.random.default_rng(5)
    words = [f"w{n}" for n in range(40)]
    left = [" ".join(rng.choice(words, 4)) for _ in range(50)]
    right = [" ".join(rng.choice(words[::-1], 3)) for _ in range(30)]
    for name, similarity in FOUR.items():
        found = table(similarity, left, right)
        wanted = [[similarity(a, b) for b in right] for a in left]
        np.testing.assert_allclose(found, wanted, atol=1e-12, err_msg=name)
