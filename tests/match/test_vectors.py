"""Similarity by vectors: laws of cosines, where vectors come from, items without a vector."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consilience.errors import UsageError
from consilience.match import vectors as module
from consilience.match.entries import entries
from consilience.match.kernel import comparer, table
from consilience.match.names import similarity_by_name
from consilience.match.vector_files import read_vectors
from consilience.match.vectors import cosines, embedded, paired_cosines, sums_of, vectors
from consilience.measures.soft import soft_scores
from tests.match.storm import storm_heading_soft_recall

MINE = {
    "coffee": [0.6, 0.8, 0.0],
    "tea": [0.8, 0.6, 0.0],
    "black": [0.0, 1.0, 0.5],
    "New_York": [0.0, 0.0, 1.0],
    "nothing": [0.0, 0.0, 0.0],
    "chair": [-1.0, 0.0, 0.0],
}
MATRICES = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 8), st.integers(1, 4)),
    elements=st.floats(-1e3, 1e3, allow_subnormal=False),
)


def by_hand(a: list[float], b: list[float]) -> float:
    """A cosine, number by number."""
    dot = sum(x * y for x, y in zip(a, b, strict=True))
    return float(dot / (sum(x * x for x in a) * sum(y * y for y in b)) ** 0.5)


@given(MATRICES, st.booleans())
def test_similarities_are_symmetric_reflexive_and_in_range(matrix, clip):
    items = embedded(range(len(matrix)), matrix)
    found = cosines(items, items, clip=clip)
    np.testing.assert_allclose(found, found.T, atol=1e-12)
    assert (np.diag(found) == 1).all()
    assert (found <= 1).all()
    assert (found >= (0 if clip else -1 - 1e-12)).all()
    side = paired_cosines(items, items[::-1], clip=clip)
    np.testing.assert_allclose(side, np.diag(found[:, ::-1]), atol=1e-12)


@given(MATRICES)
def test_the_fast_way_and_the_slow_way_agree(matrix):
    names = [f"item{row}" for row in range(len(matrix))]
    similarity = partial(vectors, of=dict(zip(names, matrix.tolist(), strict=True)))
    slow = [[similarity(a, b) for b in names] for a in names]
    np.testing.assert_allclose(table(similarity, names), slow, atol=1e-12)


def test_cosines_are_those_by_hand():
    found = table(partial(vectors, of=MINE, clip=False), ["coffee", "tea", "chair"], ["black"])
    expected = [by_hand(MINE[name], MINE["black"]) for name in ("coffee", "tea", "chair")]
    np.testing.assert_allclose(found[:, 0], expected)
    assert vectors("coffee", "chair", of=MINE, clip=False) == pytest.approx(-0.6)
    assert vectors("coffee", "chair", of=MINE) == 0


def test_phrases_are_the_mean_of_their_words():
    mean = [(a + b) / 2 for a, b in zip(MINE["black"], MINE["coffee"], strict=True)]
    for phrase in (
        "black coffee",
        "Black COFFEE",
        "black-coffee",
        "black (coffee)",
        "black qwx coffee",
    ):
        found = vectors(phrase, "tea", of=MINE)
        assert found == pytest.approx(by_hand(mean, MINE["tea"])), phrase
    assert vectors("New York", "New_York", of=MINE) == 1  # as word2vec writes it


def test_an_item_without_a_vector_is_like_itself_alone():
    how = comparer(partial(vectors, of=MINE))
    items = ["coffee", "qwx", "nothing", "zzz"]
    ready = how.prepare(items)
    assert ready.notes == (
        "3 of 4 items have no vectors ('qwx', 'nothing', 'zzz') and each is like itself alone",
    )
    assert (how.block(ready, ready) == np.eye(4)).all()
    again = how.prepare(["zzz", "qwx", "tea"])  # prepared apart
    expected = np.array([[0, 0, 0.96], [0, 1, 0], [0, 0, 0], [1, 0, 0]])
    np.testing.assert_allclose(how.block(ready, again), expected)


def test_prepared_items_are_indexed_like_arrays():
    how = comparer(partial(vectors, of=MINE))
    ready = how.prepare(["coffee", "tea", "coffee", "qwx"])
    assert len(ready) == 4
    some = ready[np.array([3, 1])]
    expected = np.array([[0, 0, 1], [1, 0.96, 0]])
    np.testing.assert_allclose(how.block(some, ready[1:]), expected)


def test_a_function_embeds_different_items_once():
    asked: list[list[str]] = []

    def embed(items: list[str]) -> np.ndarray:
        asked.append(items)
        return np.array([[len(item), 1.0] for item in items])

    found = table(partial(vectors, of=embed), ["a", "bb", "a"])
    assert asked == [["a", "bb"]]
    assert found[0, 1] == pytest.approx(by_hand([1, 1], [2, 1]))
    assert found[0, 2] == 1
    assert len(comparer(partial(vectors, of=embed)).prepare([])) == 0


def test_a_file_is_read_once_until_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    reads: list[Path] = []

    def read(path: Path) -> dict[str, Any]:
        reads.append(path)
        return dict(read_vectors(path))

    monkeypatch.setattr(module, "read_vectors", read)
    file = tmp_path / "mine.txt"
    file.write_text("coffee 0.6 0.8\ntea 0.8 0.6\n")
    by_name = similarity_by_name(f"vectors:of={file}")
    assert by_name("coffee", "tea") == pytest.approx(0.96)
    assert similarity_by_name(f"vectors:of={file},clip=no")("coffee", "tea") == pytest.approx(0.96)
    assert len(reads) == 1
    file.write_text("coffee 0.6 0.8\ntea -0.6 -0.8\n")
    os.utime(file, ns=(1, 1))
    assert by_name("coffee", "tea") == 0
    assert similarity_by_name(f"vectors:of={file},clip=no")("coffee", "tea") == pytest.approx(-1)
    assert len(reads) == 2


@pytest.mark.parametrize(
    ("of", "message"),
    [
        (None, "none were given .fix: name a file of word vectors, vectors:of=glove.txt"),
        ("no/such.txt", "no/such.txt: cannot be read: No such file"),
        (3, "vectors cannot come from '3'"),
        ({}, "there are no vectors"),
        ({"a": [1.0], "b": [1.0, 2.0]}, "'a' has 1 numbers and 'b' 2"),
        ({"a": ["x"]}, "the vector of 'a' is no list of finite numbers"),
        ({"a": 1.0}, "the vector of 'a' is no list of finite numbers"),
        ({"x": [1.0], "a": [np.nan]}, "the vector of 'a' is no list of finite numbers"),
        (lambda items: [1.0, 2.0], r"an array of shape \(2,\) for 2 items"),
        (lambda items: [[1.0]], r"an array of shape \(1, 1\) for 2 items"),
        (lambda items: [[1.0], [np.inf]], "vector 2 has numbers that are not finite"),
    ],
)
def test_what_is_wrong_with_vectors_is_said(of, message):
    with pytest.raises(UsageError, match=message):
        vectors("a", "b", of=of)


def test_words_of_a_phrase_must_have_vectors_of_one_length():
    with pytest.raises(UsageError, match="the words of 'a b' have vectors of different lengths"):
        vectors("a b", "a", of={"a": [1.0], "b": [1.0, 2.0]})


@pytest.mark.parametrize("floor", [0.0, 0.5])
@pytest.mark.parametrize("clip", [True, False])
def test_sums_are_those_of_the_table(floor, clip):
    matrix = np.random.default_rng(5).normal(size=(40, 6))
    matrix[7] = 0.0
    items = embedded(range(40), matrix)
    weights = np.random.default_rng(6).random((40, 2))
    how = comparer(partial(vectors, of=lambda items: matrix[items], clip=clip))
    whole = how.block(items, items, floor)
    found = sums_of(items, weights, floor=floor, clip=clip)
    np.testing.assert_allclose(found, whole @ weights, atol=2e-6)


def test_storm_is_the_measure_of_its_authors():
    rng = np.random.default_rng(8)
    shared = rng.normal(size=12)
    names = [f"Heading {place}" for place in range(30)]
    known = {name: (shared + rng.normal(size=12)).tolist() for name in names}
    how = comparer(partial(vectors, of=known))
    for _ in range(30):
        gold, predicted = (
            rng.choice(names, rng.integers(1, 12), replace=False).tolist() for _ in range(2)
        )
        found = soft_scores(how, entries([gold], [predicted]), variant="storm")
        expected = storm_heading_soft_recall(known, gold, predicted)
        assert found.recall[0] == pytest.approx(expected, abs=1e-9)
    assert storm_heading_soft_recall(known, names[:3], []) == 0
    assert storm_heading_soft_recall(known, names[:3], names[:3]) == pytest.approx(1)
