"""Two lists whose items need not be equal, as a result: what goes in, what comes out."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.errors import UsageError
from consilience.verdict import soft_payload

CAFE = ["cafe", "pizza", "hotel"], ["cafe", "coffee", "caffe", "pizza", "plaza"]
THREE = {"d1": ["cafe", "bar"], "d2": ["hotel"], "d3": ["pizza", "plaza"]}
WAYS: list[dict[str, Any]] = [
    {"variant": "coverage"},
    {"variant": "diversity"},
    {"variant": "paper"},
    {"variant": "storm"},
    {"mode": "instances"},
]


def plain(result: cs.SoftResult) -> dict[str, Any]:
    """A payload as a reader of JSON gets it, without the time."""
    made: dict[str, Any] = json.loads(json.dumps(result.payload(), allow_nan=False))
    del made["created"]
    return made


# what goes in ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        np.array,
        pd.Series,
        pl.Series,
        lambda items: (item for item in items),
        lambda items: dict.fromkeys(items).keys(),
        lambda items: {"all": items},
    ],
    ids=["list", "tuple", "array", "pandas", "polars", "generator", "keys", "dict"],
)
def test_lists_of_any_make(make) -> None:
    result = cs.soft(make(CAFE[0]), make(CAFE[1]), variant="paper")
    assert (round(result.precision, 3), round(result.recall, 3)) == (0.9, 0.826)
    payload = plain(result)
    assert [row["item"] for row in payload["counts"]["predicted"]] == CAFE[1]
    assert payload["documents"] == 1
    assert payload["averaged"] == "one document"


def test_sets_have_no_order_but_results_have() -> None:
    payload = plain(cs.soft({*CAFE[0]}, {*CAFE[1]}))
    assert [row["item"] for row in payload["counts"]["gold"]] == ["cafe", "hotel", "pizza"]


def test_files(tmp_path: Path) -> None:
    for name, items in zip(("gold.txt", "mine.txt"), CAFE, strict=True):
        (tmp_path / name).write_text("\n".join(items), "utf-8")
    result = cs.soft(tmp_path / "gold.txt", str(tmp_path / "mine.txt"), variant="paper")
    assert round(result.f1, 3) == 0.862
    payload = plain(result)
    assert payload["names"] == {"gold": "gold", "predicted": "mine"}
    assert [Path(one["file"]).name for one in payload["inputs"]] == ["gold.txt", "mine.txt"]


def test_a_study_of_gold_and_one_system() -> None:
    study = cs.study(
        {"mine": THREE}, truth={"d1": {"cafe": 2, "tea": 0, "pub": -1}, "d2": {"inn": 1}}
    )
    result = cs.soft(study)
    payload = plain(result)
    assert payload["names"] == {"gold": "truth", "predicted": "mine"}
    assert [one["document"] for one in payload["per_document"]] == ["d1", "d2"]
    assert [one["gold"] for one in payload["per_document"]] == [1, 1]
    assert "1 document has no gold: left out (d3)" in payload["notes"]
    assert result.f1 == cs.soft({"d1": ["cafe"], "d2": ["inn"]}, THREE).f1


def test_a_study_of_segments_is_one_of_segments(tmp_path: Path) -> None:
    line = "SPEAKER a 1 {} {} <NA> <NA> ann <NA> <NA>\n"
    (tmp_path / "gold.rttm").write_text(line.format(0, 10))
    (tmp_path / "mine.rttm").write_text(line.format(2, 10))
    study = cs.read([tmp_path / "mine.rttm"], truth=[tmp_path / "gold.rttm"])
    payload = plain(cs.soft(study, mode="instances"))
    assert (payload["of"], payload["similarity"]["name"]) == ("segments", "segments")
    assert payload["recall"] == pytest.approx(8 / 12)
    assert payload["text"] is None
    assert len(payload["inputs"]) == 2


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        (["a"], None, "there is nothing to compare gold with (fix: soft(gold, predicted)"),
        (["a"], 7, "predicted must be a list of items, found '7'"),
        (["a"], "text", "predicted must be a list of items, found 'text'"),
        ({"d": {"a": 1}}, {"d": ["a"]}, "gold must be a list of items"),
        ({"d": "text"}, {"d": ["a"]}, "gold must be a list of items, found 'text'"),
        (pd.DataFrame({"item": ["a"]}), ["a"], "gold must be a list of items, found a table with"),
        (["a"], pl.DataFrame({"item": ["a"]}), "predicted must be a list of items, found a table"),
        ({"d": ["a"]}, {"e": ["a"]}, "share no document: gold has d; predicted has e (fix: name"),
        ({"d": ["a"]}, ["a"], "gold and predicted share no document"),
        ({}, {}, "gold and predicted share no document"),
        ({1: ["a"], "1": ["b"]}, {1: ["a"]}, "gold has two documents of one name"),
        ("/nowhere/a.txt", "/nowhere/b.txt", "/nowhere/a.txt"),
        ([1, 2], [2], "levenshtein compares texts, and one item is '1' (fix: str(item)"),
        (["a", None], ["a"], "one item is 'None'"),
        (["a"], ["a", math.nan], "one item is 'nan'"),
        (cs.study({"a": {"q": ["x"]}}), None, "the study has no gold"),
        (cs.study({"a": {"q": ["x"]}}, truth={"q": ["x"]}), ["x"], "predictions beside it"),
        (cs.example_study("keyphrases"), None, "one system with gold, and the study has 8"),
    ],
)
def test_what_cannot_be_compared(gold, predicted, message) -> None:
    with pytest.raises(UsageError) as error:
        cs.soft(gold, predicted)
    assert message in str(error.value)


def test_anything_can_be_equal() -> None:
    assert cs.soft([1, None], [1], similarity="exact").recall == 0.5


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"variant": "papers"}, "did you mean 'paper'? possible: coverage, diversity, paper, stor"),
        ({"variant": 3}, "unknown variant '3'; possible: coverage"),
        ({"mode": "instance"}, "did you mean 'instances'? possible: concepts, instances"),
        ({"mode": "instances", "variant": "paper"}, "leave the variant out, or mode concepts"),
        ({"floor": 2}, "the floor must be a number in [0, 1], found 2"),
        ({"floor": -0.1}, "found -0.1"),
        ({"floor": math.nan}, "the floor must be a number in [0, 1], found nan"),
        ({"floor": "0.5"}, "the floor must be a number in [0, 1], found '0.5'"),
        ({"threshold": 1.5}, "the threshold must be a number in [0, 1], found 1.5"),
        ({"threshold": None}, "the threshold must be a number in [0, 1], found None"),
        ({"wording": 5}, "'5' is no wording"),
        ({"level": 1}, "the level must be between 0 and 1"),
        ({"seed": -1}, "the seed must be a whole number from 0"),
        ({"similarity": "levenstein"}, "did you mean 'levenshtein'?"),
        ({"similarity": 5}, "'5' is not a similarity"),
        ({"similarity": ["levenshtein"]}, "is not a similarity"),
    ],
)
def test_settings_that_are_wrong(asked, message) -> None:
    with pytest.raises(UsageError) as error:
        cs.soft(*CAFE, **asked)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "item",
    [
        "",
        " ",
        "\n",
        "a\nb",
        "\x00",
        "a\x00b",
        "None",
        "nan",
        "\ud800",
        "e\u0301",
        "🦊" * 50,
        "x" * 9999,
    ],
    ids=lambda item: ascii(item[:9]),
)
@pytest.mark.parametrize("other", ["word", "1"])
def test_odd_texts(item, other) -> None:
    result = cs.soft([item, other], [item, "cc", other])
    assert result.recall == 1
    assert plain(result)["f1"] == result.f1
    assert str(result)


# how texts are made alike ----------------------------------------------------------------------


@pytest.mark.parametrize("make", [list, np.array, lambda items: [*items, 7]])
def test_wording_reaches_every_text(make) -> None:
    """Also texts of an array, and texts beside something else."""
    asked = cs.Wording(unicode="ascii", case="fold")
    gold, predicted = make(["Café", "BAR "]), make(["cafe", "bar"])
    result = cs.soft(gold, predicted, similarity=lambda a, b: float(a == b), wording=asked)
    assert result.f1 == 1
    assert plain(result)["text"] == {"unicode": "ascii", "case": "fold", "space": "collapse"}
    assert cs.soft(make(["Café"]), make(["cafe"]), similarity="exact").f1 < 1


def test_wording_is_none_where_nothing_is_text() -> None:
    assert plain(cs.soft([1, 2], [2], similarity="exact"))["text"] is None
    assert plain(cs.soft(["a"], ["b"], similarity=np.eye(2)))["text"] is None


# documents -------------------------------------------------------------------------------------


def test_documents_that_one_side_has() -> None:
    payload = plain(cs.soft({**THREE, "d4": ["x"]}, {**THREE, "d5": ["y"]}))
    assert [one["document"] for one in payload["per_document"]] == ["d1", "d2", "d3", "d4"]
    assert payload["per_document"][3] == {
        "document": "d4", "gold": 1, "predicted": 0, "precision": None, "recall": 0, "f1": 0,
    }  # fmt: skip
    assert (payload["precision"], payload["recall"], payload["f1"]) == (1, 0.75, 0.75)
    notes = " / ".join(payload["notes"])
    assert "1 document has no predictions: recall 0, precision undefined (d4)" in notes
    assert "1 document has no gold: left out (d5)" in notes
    assert "precision is undefined in 1 of 4 documents (nothing was predicted)" in notes
    assert payload["sizes"] == {"gold": 6, "predicted": 5}


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize(
    ("gold", "predicted", "figures", "why"),
    [
        (["a"], [], (None, 0, 0), ("nothing was predicted", None, None)),
        ([], ["a"], (0, None, 0), (None, "gold is empty", None)),
        ([], [], (None,) * 3, ("nothing was predicted", "gold is empty", "both lists are empty")),
    ],
)
def test_empty_lists_are_undefined_with_reasons(way, gold, predicted, figures, why) -> None:
    payload = plain(cs.soft(gold, predicted, **way))
    assert tuple(payload[name] for name in ("precision", "recall", "f1")) == figures
    assert tuple(payload["undefined"].values()) == why
    assert payload["pairs"] == []
    assert payload["table"] is None
    many = plain(cs.soft(dict.fromkeys("abc", gold), dict.fromkeys("abc", predicted), **way))
    assert tuple(many[name] for name in ("precision", "recall", "f1")) == figures
    if not gold and not predicted:
        assert payload["headline"] == "Nothing can be compared: both lists are empty."
        assert many["headline"] == (
            "Nothing can be compared: both lists are empty in all 3 documents."
        )
        assert many["resampling"] is None


def test_intervals_need_three_documents() -> None:
    gold = {f"d{place}": ["cafe", "bar"] for place in range(8)}
    predicted = {name: ["cafe", "inn"][: place % 3] for place, name in enumerate(gold)}
    result = cs.soft(gold, predicted, level=0.9)
    payload = plain(result)
    assert payload["resampling"]["unit"] == "documents"
    assert (payload["resampling"]["n"], payload["level"]) == (8, 0.9)
    for name in ("precision", "recall", "f1"):
        low, high = payload["intervals"][name]
        assert low <= payload[name] <= high
    assert payload["intervals"]["recall"][0] < payload["intervals"]["recall"][1]
    few = plain(
        cs.soft(*({name: side[name] for name in ("d0", "d1")} for side in (gold, predicted)))
    )
    assert few["resampling"] is None
    assert few["intervals"] == {"precision": None, "recall": None, "f1": None}


def test_no_interval_where_few_documents_have_a_value() -> None:
    gold = {str(place): ["cafe"] for place in range(6)}
    predicted = {str(place): ["cafe"] if place < 2 else [] for place in range(6)}
    payload = plain(cs.soft(gold, predicted))
    assert payload["intervals"]["precision"] is None
    assert payload["intervals"]["recall"] is not None


# what comes out --------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same() -> None:
    other = {"d1": ["caffe"], "d2": ["motel", "inn"], "d3": ["plaza"]}
    assert plain(cs.soft(THREE, other, seed=1)) == plain(cs.soft(THREE, other, seed=1))
    one, two = (plain(cs.soft(THREE, other, seed=seed)) for seed in (1, 2))
    drawn = [cs.soft(THREE, other, seed=seed).drawn.draws for seed in (1, 2)]
    assert not np.array_equal(drawn[0], drawn[1])
    assert [one[name] for name in ("f1", "pairs", "input_hash")] == [
        two[name] for name in ("f1", "pairs", "input_hash")
    ]
    assert one["id"] != two["id"]


def test_the_headline_says_how_and_beside_what() -> None:
    assert cs.soft(*CAFE).headline.startswith(
        "Soft F1 is 0.719 (precision 0.780, recall 0.667), by levenshtein similarity from 0.5 on, "
        "variant coverage; equal items alone give 0.500; random predictions would get 0."
    )
    said = cs.soft(THREE, THREE, mode="instances").headline
    assert "mean over 3 documents" in said
    assert "matched one to one" in said
    assert "as in the paper" in cs.soft(*CAFE, variant="paper").headline


def test_values_above_one_are_warned_of() -> None:
    gold = {"a": ["catdog"], "b": ["x"], "c": ["y"]}
    payload = plain(cs.soft(gold, {"a": ["cat", "dog"], "b": ["x"], "c": ["y"]}, variant="paper"))
    assert payload["warnings"][0] == (
        "recall above 1 (1.167) in 1 of 3 documents: both lists together have a smaller soft "
        "cardinality than the predicted one alone; variants coverage and diversity stay in [0, 1]"
    )


words = st.text("abcd", min_size=1, max_size=4)
lists = st.lists(words, max_size=6)


@settings(max_examples=30)
@given(lists, lists, st.sampled_from(WAYS))
def test_swapping_sides_swaps_precision_and_recall(gold, predicted, way) -> None:
    one, other = cs.soft(gold, predicted, **way), cs.soft(predicted, gold, **way)
    assert one.precision == pytest.approx(other.recall, nan_ok=True)
    assert one.f1 == pytest.approx(other.f1, nan_ok=True)


@given(lists, lists, st.sampled_from(WAYS))
def test_figures_counts_pairs_and_table_belong_together(gold, predicted, way) -> None:
    payload = plain(cs.soft(gold, predicted, **way))
    cards, counts, pairs = payload["cardinality"], payload["counts"], payload["pairs"]
    for side, items in (("gold", gold), ("predicted", predicted)):
        assert [row["item"] for row in counts[side]] == [*dict.fromkeys(items)]
        assert {row["item"]: row["times"] for row in counts[side]} == {
            item: items.count(item) for item in items
        }
        if way.get("variant") != "diversity":
            assert sum(row["count"] for row in counts[side]) == pytest.approx(cards[side])
    assert cards["gold"] + cards["predicted"] - cards["union"] == pytest.approx(
        cards["intersection"]
    )
    assert [row["similarity"] for row in pairs] == sorted(
        (row["similarity"] for row in pairs), reverse=True
    )
    if payload["table"]:
        table = payload["table"]
        known = {
            (one, other): value
            for one, row in zip(table["gold"], table["similarity"], strict=True)
            for other, value in zip(table["predicted"], row, strict=True)
        }
        for row in pairs:
            assert row["similarity"] == pytest.approx(known[row["gold"], row["predicted"]])
        for row in counts["gold"]:
            if row["best"] is not None:
                assert row["similarity"] == pytest.approx(known[row["item"], row["best"]])
    if way.get("variant") == "coverage" and gold:
        covered = sum(row["count"] * row["similarity"] for row in counts["gold"])
        assert payload["recall"] == pytest.approx(covered / cards["gold"])


def test_large_documents_keep_results_small(monkeypatch) -> None:
    monkeypatch.setattr(soft_payload, "MOST_ROWS", 50)
    items = [f"word {place}" for place in range(300)]
    payload = plain(cs.soft(items[:200], items[100:], similarity="exact"))
    table = payload["table"]
    assert table["of"] == {"gold": 200, "predicted": 200}
    assert table["gold"] == table["predicted"] == items[100:160]  # those that have a match
    assert table["similarity"] == np.eye(60).tolist()
    assert len(payload["pairs"]) == len(payload["counts"]["gold"]) == 50
    assert "items and pairs are told one by one up to 50; all of them count" in payload["notes"]
    assert payload["recall"] == 0.5
    assert payload["sizes"] == {"gold": 200, "predicted": 200}


def test_the_table_is_that_of_the_worst_document_that_fits() -> None:
    long = [f"w{place}" for place in range(61)]
    gold = {"long": long, "good": ["a"], "bad": ["b", "c"]}
    payload = plain(cs.soft(gold, {"long": ["x"], "good": ["a"], "bad": ["c", "d"]}))
    assert payload["table"] == {
        "document": "bad",
        "gold": ["b", "c"],
        "predicted": ["c", "d"],
        "of": {"gold": 2, "predicted": 2},
        "similarity": [[0, 0], [1, 0]],
    }
