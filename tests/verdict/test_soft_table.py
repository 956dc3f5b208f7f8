"""Similarities given as a table, and STORM's measure with vectors whose cosines fall below 0."""

from __future__ import annotations

import json
import math
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.errors import UsageError
from consilience.match.entries import entries
from consilience.match.kernel import comparer
from consilience.measures.soft import soft_scores
from tests.match.storm import storm_heading_soft_recall

HALF = np.array([[1, 0.5], [0.5, 1]])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (np.eye(3), "3 × 3, and there are 1 gold and 1 predicted items (fix: 2 × 2, gold's items"),
        (np.ones((1, 2)), "the table of similarities is 1 × 2"),
        (np.eye(2) * 2, "the table of similarities gives 2, and similarities lie in [0, 1]"),
        ([[1, -0.5], [-0.5, 1]], "cosines below 0 mean unrelated"),
        ([[1, math.nan], [0.5, 1]], "gives nan"),
        ([[1, 0.5], [0.5, 0.9]], "gives 0.9 for item 2 and itself (fix: it must be 1)"),
        ([[1, 0.5], [0.5]], "is not a similarity"),
        ([["a", "b"], ["c", "d"]], "is not a similarity"),
        (np.ones(2), "is not a similarity"),
        (0.5, "is not a similarity"),
    ],
)
def test_tables_that_cannot_be(table, message) -> None:
    with pytest.raises(UsageError) as error:
        cs.soft(["a"], ["b"], similarity=table)
    assert message in str(error.value)


@pytest.mark.parametrize("make", [np.array, list, pd.DataFrame])
def test_a_table_of_any_make(make) -> None:
    result = cs.soft(["a"], ["b"], similarity=make([[1, 0.5], [0.5, 1]]))
    assert result.recall == 0.5
    payload = result.payload()
    assert (payload["similarity"]["name"], payload["text"]) == ("table", None)
    assert payload["pairs"] == [
        {"document": "all", "gold": "a", "predicted": "b", "similarity": 0.5, "times": 1}
    ]


def test_a_table_that_is_not_symmetric_is_mended_and_stays_as_it_was() -> None:
    table = np.array([[1, 0.2], [0.4, 1]])
    payload = cs.soft(["a"], ["b"], similarity=table).payload()
    assert payload["recall"] == pytest.approx(0.3)
    said = "the table of similarities is not symmetric: both ways were averaged"
    assert payload["similarity"]["repairs"] == [said]
    assert said in payload["notes"]
    assert table[0, 1] == 0.2


def test_a_table_is_for_one_document() -> None:
    both = {"d": ["a"], "e": ["b"]}
    with pytest.raises(UsageError, match="a table of similarities is for one document"):
        cs.soft(both, both, similarity=np.eye(4))


def test_items_of_one_name_are_two_places() -> None:
    table = np.array([[1, 0.2, 0.9], [0.2, 1, 0.1], [0.9, 0.1, 1]])
    payload = cs.soft(["a", "a"], ["a"], similarity=table).payload()
    assert [row["similarity"] for row in payload["counts"]["gold"]] == [0.9, 0.1]
    assert [row["times"] for row in payload["counts"]["gold"]] == [1, 1]
    assert payload["table"]["similarity"] == [[0.9], [0.1]]


def test_a_table_of_things_that_are_not_text() -> None:
    payload = cs.soft([{"x": 1}], [None], similarity=HALF).payload()
    assert json.dumps(payload, allow_nan=False)
    assert payload["pairs"][0]["gold"] == "{'x': 1}"


@settings(max_examples=25)
@given(st.lists(st.text("abc", min_size=1, max_size=4), max_size=5), st.data())
def test_a_table_of_a_similarity_says_the_same_as_the_similarity(gold, data) -> None:
    """Where no item is named twice: in a table two of one name are two places."""
    every = list(dict.fromkeys(gold))
    cut = data.draw(st.integers(0, len(every)))
    gold, predicted = every[:cut], every[cut:]
    cells = [cs.similarity.levenshtein(a, b) for a in every for b in every]
    table = np.array(cells, float).reshape(len(every), len(every))
    ways: list[dict[str, Any]] = [{"floor": 0.5}, {"variant": "paper"}]
    for asked in ways:
        one = cs.soft(gold, predicted, similarity=table, **asked)
        other = cs.soft(gold, predicted, similarity="levenshtein", **asked)
        for name in ("precision", "recall", "f1"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), nan_ok=True)


# STORM -----------------------------------------------------------------------------------------


def headings(seed: int, n: int, size: int) -> dict[str, list[float]]:
    """Vectors in all directions: about half of the cosines lie below 0."""
    rng = np.random.default_rng(seed)
    return {f"heading {place}": rng.normal(size=size).tolist() for place in range(n)}


@pytest.mark.parametrize("size", [3, 20, 300])
@pytest.mark.parametrize("seed", range(5))
def test_storm_is_as_it_was_defined(seed, size) -> None:
    """Cosines as they are, also below 0; lists and their union as sets."""
    rng = np.random.default_rng(seed)
    vectors = headings(seed, 24, size)
    names = [*vectors]
    gold = rng.choice(names, 9, replace=False).tolist()
    predicted = rng.choice(names, 7, replace=False).tolist()
    similarity = partial(cs.similarity.vectors, of=vectors)
    result = cs.soft(gold, predicted + predicted[:2], similarity=similarity, variant="storm")
    wanted = storm_heading_soft_recall(vectors, gold, predicted)
    assert result.recall == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    assert result.precision == pytest.approx(
        storm_heading_soft_recall(vectors, predicted, gold), rel=1e-9, abs=1e-9
    )
    assert result.settings.floor == 0


def test_storm_beside_other_variants_is_the_same() -> None:
    vectors = headings(1, 12, 8)
    gold, predicted = [*vectors][:7], [*vectors][5:]
    similarity = partial(cs.similarity.vectors, of=vectors)
    beside = cs.soft(gold, predicted, similarity=similarity).payload()["baselines"]
    found = next(one["recall"] for one in beside if one["name"] == "storm")
    assert found == pytest.approx(storm_heading_soft_recall(vectors, gold, predicted))


def test_storm_of_many_documents_at_once() -> None:
    vectors = headings(2, 40, 16)
    rng = np.random.default_rng(2)
    lists = [
        [rng.choice([*vectors], size, replace=False).tolist() for size in rng.integers(1, 9, 30)]
        for _ in range(2)
    ]
    how = comparer(partial(cs.similarity.vectors, of=vectors))
    found = soft_scores(how, entries(*lists), variant="storm").recall
    wanted = [storm_heading_soft_recall(vectors, *both) for both in zip(*lists, strict=True)]
    np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


def test_an_empty_prediction_has_recall_0() -> None:
    vectors = headings(3, 4, 5)
    similarity = partial(cs.similarity.vectors, of=vectors)
    result = cs.soft([*vectors], [], similarity=similarity, variant="storm")
    assert result.recall == storm_heading_soft_recall(vectors, [*vectors], []) == 0
    assert math.isnan(result.precision)


def test_cosines_that_cancel_out_are_undefined_with_a_reason() -> None:
    """Two opposite directions add up to 0, and nothing can be divided by that."""
    similarity = partial(cs.similarity.vectors, of={"up": [0, 1], "down": [0, -1], "on": [1, 0]})
    result = cs.soft(["up", "down"], ["on"], similarity=similarity, variant="storm")
    payload = result.payload()
    assert json.dumps(payload, allow_nan=False)
    assert payload["recall"] is None
    assert payload["undefined"]["recall"] == "cosines below 0 add up to 0"
    assert payload["headline"] == "Nothing can be compared: cosines below 0 add up to 0."
    assert payload["counts"]["gold"][0]["count"] is None
    beside = cs.soft(["up", "down"], ["on"], similarity=similarity).payload()
    assert json.dumps(beside, allow_nan=False)
    assert beside["recall"] == 0
