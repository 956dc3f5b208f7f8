"""Laws that every similarity of strings keeps, and that nobody is forgotten."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.floors import measured
from consilience.match import similarity as every_similarity
from consilience.match.kernel import TINY, comparer
from consilience.match.names import SIMILARITIES, similarity_by_name
from consilience.match.soft_tokens import inverse_frequencies
from consilience.match.sums import compared

#: Similarities of other things than characters and words; they have their own tests.
ELSEWHERE = {"meanings", "vectors", "segments", "boxes", "tracks"}
STRINGS = sorted(name for name, module in SIMILARITIES.items() if module not in ELSEWHERE)
#: With settings, too.
SETTINGS = [
    "jaro-winkler:prefix=0.25",
    "needleman-wunsch:match=2,mismatch=-1,gap=0.3",
    "smith-waterman:mismatch=-0.5,gap=0.7",
    "smith-waterman-gotoh:gap=2,extend=0.1",
    *(f"{name}:{how}" for name in ("jaccard", "dice", "cosine", "overlap")
      for how in ("q=2", "bag=yes", "q=2,bag=yes", "q=3,pad=yes")),
    "monge-elkan:inner=levenshtein",
    "monge-elkan:inner=smith-waterman",
    "soft-jaccard:inner=jaro-winkler,close=0.8",
    "soft-dice:inner=dice,q=2",
    "soft-tfidf:inner=levenshtein,close=0.4",
    "soft-tfidf:inner=monge-elkan,close=0.4",
]  # fmt: skip
BOUND = {name: similarity_by_name(name) for name in [*STRINGS, *SETTINGS]}
BOUND["soft-tfidf with weights"] = partial(
    every_similarity.soft_tfidf, idf=inverse_frequencies(["a b", "b c", "b", "ab a"]), close=0.5
)

letters = st.sampled_from("ab éß漢\U0001f600")
texts = st.one_of(
    st.text(letters, max_size=9),
    st.lists(st.sampled_from(["a", "ab", "abc", "colour", "color"]), max_size=4).map(" ".join),
    st.text(max_size=5),
)
lists = st.lists(texts, min_size=1, max_size=6)
every = pytest.mark.parametrize("name", list(BOUND))


def both_ways(similarity: Any, a: str, b: str) -> float:
    """Compare as many are compared: averaged if the order matters."""
    if comparer(similarity).many.symmetric:
        return float(similarity(a, b))
    return float(similarity(a, b) + similarity(b, a)) / 2


def test_nobody_is_forgotten() -> None:
    assert set(SIMILARITIES.values()) >= ELSEWHERE
    for name in STRINGS:
        how = comparer(similarity_by_name(name))
        assert how.trusted
        assert how.many.pairs is not None
        assert how.many.of == "text"
        assert getattr(every_similarity, name.replace("-", "_")) is similarity_by_name(name)


@pytest.mark.parametrize("name", [*STRINGS, *SETTINGS])
def test_names_print_and_parse_back(name: str) -> None:
    printed = comparer(similarity_by_name(name)).name
    again = similarity_by_name(printed)
    assert comparer(again).name == printed
    assert again("grey colour", "gray colours") == BOUND[name]("grey colour", "gray colours")
    if ":" not in name:
        assert printed == name


@every
@given(a=texts, b=texts)
@settings(max_examples=40)
def test_range_reflexive_symmetric(name: str, a: str, b: str) -> None:
    similarity = BOUND[name]
    value = similarity(a, b)
    assert isinstance(value, float)
    assert 0 <= value <= 1
    assert similarity(a, a) == pytest.approx(1, abs=1e-12)
    if comparer(similarity).many.symmetric:
        assert similarity(b, a) == pytest.approx(value, abs=1e-12)


@every
def test_empty_strings(name: str) -> None:
    similarity = BOUND[name]
    assert similarity("", "") == 1
    assert similarity("", "a") == similarity("a", "") == 0


@every
@given(rows=lists, columns=lists)
@settings(max_examples=25)
def test_blocks_and_pairs_are_the_function(name: str, rows: list[str], columns: list[str]) -> None:
    similarity = BOUND[name]
    how = comparer(similarity)
    slow = np.array([[both_ways(similarity, a, b) for b in columns] for a in rows])
    left, right = how.prepare(rows), how.prepare(columns)
    block = how.block(left, right)
    assert block.dtype == np.float64
    assert block.flags.writeable
    np.testing.assert_allclose(block, slow, rtol=0, atol=1e-12)

    joint = how.prepare([*rows, *columns])
    a = np.repeat(np.arange(len(rows)), len(columns))
    b = np.tile(np.arange(len(columns)), len(rows)) + len(rows)
    np.testing.assert_allclose(compared(how, joint, a, b, 0.0), slow.ravel(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        how.block(joint[: len(rows)], joint[len(rows) :]), slow, rtol=0, atol=1e-12
    )
    few = min(len(rows), len(columns))
    assert how.many.pairs is not None
    apart = how.many.pairs(left[:few], right[:few], floor=0.0, **how.settings)
    one_way = [similarity(a, b) for a, b in zip(rows, columns, strict=False)]
    np.testing.assert_allclose(apart, one_way, rtol=0, atol=1e-12)


@every
def test_prepared_items_can_be_picked(name: str) -> None:
    similarity = BOUND[name]
    how = comparer(similarity)
    items = ["grey colour", "", "gray", "color space grey", "ab", "grey"]
    prepared = how.prepare(items)
    whole = how.block(prepared, prepared)
    assert len(prepared) == len(items)
    for places in (slice(1, 4), slice(0, 0), slice(None, None, 2)):
        some = prepared[places]
        assert len(some) == len(items[places])
        np.testing.assert_allclose(how.block(some, prepared), whole[places], atol=1e-12)
        np.testing.assert_allclose(how.block(prepared, some), whole[:, places], atol=1e-12)
    picked = np.array([4, 0, 0, 3])
    np.testing.assert_allclose(
        how.block(prepared[picked][1:], prepared[picked]),
        whole[np.ix_(picked[1:], picked)],
        atol=1e-12,
    )
    none = prepared[np.array([], np.int64)]
    assert how.block(none, prepared).shape == (0, len(items))
    assert how.block(prepared, none).shape == (len(items), 0)
    assert compared(how, prepared, np.array([], int), np.array([], int), 0.3).shape == (0,)


@every
def test_below_the_floor_is_nothing(name: str) -> None:
    how = comparer(BOUND[name])
    rng = np.random.default_rng(7)
    items = ["".join(rng.choice([*"abc "], rng.integers(0, 12))) for _ in range(60)]
    prepared = how.prepare(items)
    plain = how.block(prepared, prepared)
    a, b = (one.ravel() for one in np.indices(plain.shape))
    for floor in (0.1, 1 / 3, 0.5, 0.6, 2 / 3, 0.7, 0.9, 1.0):
        wanted = np.where(plain < floor - TINY, 0.0, plain)
        np.testing.assert_allclose(how.block(prepared, prepared, floor), wanted, atol=1e-12)
        found = compared(how, prepared, a, b, floor)
        np.testing.assert_allclose(found, wanted.ravel(), atol=1e-12)


@pytest.mark.parametrize(
    "name", ["levenshtein", "damerau", "hamming", "lcs", "substring", "needleman-wunsch"]
)
def test_what_equals_the_floor_stays(name: str) -> None:
    """Every similarity k/n, against the floor k/n written in either way."""
    how = comparer(similarity_by_name(name))
    for n in range(1, 41):
        prepared = how.prepare(["a" * n, *("a" * k + "b" * (n - k) for k in range(1, n + 1))])
        for k in range(1, n + 1):
            for floor in (k / n, 1 - (n - k) / n, float(Fraction(k, n)), float(f"{k / n:.9f}")):
                row = how.block(prepared[:1], prepared[1:], floor)[0]
                assert row[k - 1] == pytest.approx(k / n, abs=1e-12), (n, k, floor)
                assert np.count_nonzero(row) == n - k + 1


def test_usual_floors_leave_likely_spellings_alone() -> None:
    """*colour* and *color* are alike for all that look at characters."""
    for name in STRINGS:
        similarity = similarity_by_name(name)
        floor = comparer(similarity).many.floor
        assert 0 <= floor < 1
        if SIMILARITIES[name] != "tokens" and name != "exact":
            assert both_ways(similarity, "colour", "color") >= floor, name


@pytest.mark.parametrize("name", ["levenshtein", "hamming", "jaro-winkler", "lcs", "jaccard:q=2"])
def test_usual_floors_are_measured(name: str) -> None:
    figures, floor = measured(name)
    assert comparer(similarity_by_name(name)).many.floor == floor
    assert figures == sorted(figures[:3]) + sorted(figures[3:])


def test_all_are_documented_with_their_floors() -> None:
    page = Path(__file__).parent.parent.parent / "docs" / "similarities.md"
    listed = dict(re.findall(r"^\| `([\w-]+)` \| .* \| (\S.*) \|$", _overview(page), re.MULTILINE))
    assert list(listed) == list(SIMILARITIES)
    for name in SIMILARITIES:
        assert float(listed[name]) == comparer(similarity_by_name(name)).many.floor, name


def _overview(page: Path) -> str:
    text = page.read_text(encoding="utf-8")
    return text[text.index("## All of them") : text.index("## Strings")]
