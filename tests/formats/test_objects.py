"""Frames, dicts, records and arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import consilience as cs
from consilience.errors import UsageError

study: Any = cs.study
LONG = {"query": ["q1", "q1"], "item": ["a", "b"], "system": ["A", "A"], "score": [1.0, 2.0]}
WIDE = {"item": ["a", "b"], "S1": [1, 0], "S2": [None, 1]}
FRAMES: list[Callable[..., Any]] = [
    pd.DataFrame,
    pl.DataFrame,
    pl.LazyFrame,
    pa.table,
    pa.RecordBatch.from_pydict,
    dict,
]


@pytest.mark.parametrize("frame", FRAMES)
def test_every_kind_of_frame_is_one_study(frame) -> None:
    assert study(frame(LONG)).fingerprint() == study(LONG).fingerprint()
    assert study(frame(WIDE)).fingerprint() == study(WIDE).fingerprint()


def test_records_and_structured_arrays() -> None:
    records = [dict(zip(LONG, row, strict=True)) for row in zip(*LONG.values(), strict=True)]
    assert study(records).fingerprint() == study(LONG).fingerprint()
    array = np.array([("a", 1.5)], dtype=[("item", "U3"), ("score", "f8")])
    assert study(array).answers.score.tolist() == [1.5]


@pytest.mark.parametrize(
    ("item", "names"),
    [
        ([1, 2], ["1", "2"]),
        ([1.0, 2.0], ["1", "2"]),
        ([1.0, 2.5], ["1", "2.5"]),
        (["1.0", "01"], ["1.0", "01"]),
        ([1, "1.0"], ["1", "1.0"]),
        ([2**60 + 1, 0], [str(2**60 + 1), "0"]),
        (pd.Categorical(["a", "b"], categories=["z", "b", "a"]), ["a", "b"]),
        (pd.array([1, 2], dtype="Int64"), ["1", "2"]),
        (pd.array(["x", "y"], dtype="string"), ["x", "y"]),
    ],
)
def test_names_of_any_type(item, names) -> None:
    made = study(pd.DataFrame({"item": item, "S1": [1, 0]}))
    assert made.items.names([0, 1]) == names


def test_polars_types() -> None:
    frame = pl.DataFrame(
        {
            "item": pl.Series(["a", "b"], dtype=pl.Categorical),
            "system": pl.Series(["A", "B"], dtype=pl.Enum(["Z", "A", "B"])),
            "vote": [True, None],
            "unused": [[1], [2]],
        }
    )
    made = study(frame)
    assert made.systems == ("A", "B")
    assert made.answers.vote.tolist() == pytest.approx([1, math.nan], nan_ok=True)
    assert made.sources[0].notes == ("columns not used: unused",)


@pytest.mark.parametrize("missing", [None, math.nan, pd.NA])
def test_missing_names_are_problems(missing) -> None:
    for frame in (
        pd.DataFrame({"item": ["a", missing], "S1": [1, 0]}),
        pd.DataFrame({"item": [1.0, missing], "S1": [1, 0]}),
    ):
        with pytest.raises(UsageError, match="row 2: item: the item is empty"):
            study(frame)


def test_an_index_is_no_column_unless_it_has_a_name() -> None:
    frame = pd.DataFrame({"item": list("abcd"), "S1": [1, 0, 1, 0]}).iloc[[3, 1]]
    assert study(frame).systems == ("S1",)
    assert study(frame.set_index("item")).items.names([0, 1]) == ["d", "b"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"item": ["a", "b"], "system": ["A", "A"], "vote": [1, 7]}, "row 2: vote must be"),
        ({"item": ["a", "b"], "system": ["A", "A"], "vote": [1, "x"]}, "found 'x'"),
        ({"item": [["a"], ["b"]], "S1": [1, 0]}, "holds list"),
        ({"item": ["a"], "S1": [1, 0]}, "columns differ in length"),
        (pd.DataFrame([["a", 1, 0]], columns=["item", "S1", "S1"]), "'S1'"),
        (pd.DataFrame({"item": [], "S1": []}), "no rows"),
        (pd.DataFrame(), "no column holds the items"),
        (pa.table({"item": [b"\xff"], "S1": [1]}), "cannot be read as text"),
        ({"A": {"B": {"q1": {"a": 1}}}}, "nested too deeply"),
        ({"q1": {"a": 1.5, "b": "x"}}, "q1: 'b': expected a number, found 'x'"),
        ({"q1": {"a": 1}, "q2": {"b": "x"}}, "q2: 'b': expected a number, found 'x'"),
        ({"A": {"q1": {"a": "x"}}}, "A: 'q1', 'a': expected a number, found 'x'"),
        ({"q1": {"a": 1, "b": [2]}}, "q1: 'a' holds a single value, 'b' holds several"),
        ({"q1": {"a": 1}, "B": {"q1": ["a"]}}, "nested less deeply than the others"),
        ({"q1": ["a"], "q2": {"a": 1}}, "use the same form for all queries"),
        ({"q1": {"a": None}}, "the score is missing"),
        ({"q1": {"a": math.nan, "b": math.nan}}, "(and 1 more)"),
        ({"q1": "abc"}, "cannot read answers from str"),
        ({}, "is empty"),
        ([], "cannot read answers from list"),
        (5, "cannot read answers from int"),
        (None, "cannot read answers from NoneType"),
        (["a", "b"], "cannot read answers from list"),
        (pd.Series([1, 2]), "cannot read answers from Series"),
        ("nowhere.csv", "there is no such file"),
        ([[1, 0], [0]], "all rows of one length"),
        (np.array([1, 0]), "items × systems"),
        (np.array([[1, 7]]), "row 1, column 2: found 7"),
        (np.array([["x"]]), "does not hold votes"),
        (np.zeros((0, 2)), "items × systems"),
        ({"q": [""]}, "is not a name"),
        ({"q": ["a\0"]}, "is not a name"),
        ({"q": ["a\ud800"]}, "is not valid text"),
    ],
)
def test_what_cannot_be_read_is_said(data, said) -> None:
    with pytest.raises(UsageError) as caught:
        study(data)
    assert said in str(caught.value)
    assert "fix: " in str(caught.value)


def test_mapped_columns_must_exist_somewhere() -> None:
    data = {"phrase": ["a"], "S1": [1]}
    assert study(data, columns={"item": "phrase"}).systems == ("S1",)
    with pytest.raises(UsageError, match="unknown column"):
        study(LONG, columns={"score": "scroe"})
    with pytest.raises(UsageError, match="unknown role"):
        study(LONG, columns={"scores": "score"})
    truth = {"item": ["a"], "worth": [2], "query": ["q1"]}
    assert study(LONG, truth=truth, columns={"grade": "worth"}).evidence.grade.tolist() == [2]


def test_dicts() -> None:
    made = study(
        {"A": {"q1": {"a": 1, 7: np.float32(2)}, 3: {}}, "B": {"q1": ("b",), "q2": np.array([7])}},
        truth={"q1": {"a": True, "7": np.int8(0)}},
    )
    assert made.queries == ("q1", "3", "q2")
    assert made.answers.lists == 4
    assert made.answers.starts.tolist() == [0, 2, 2, 3, 4]
    assert study({"q": {"b", "a", "c"}}).items.names([0, 1, 2]) == ["a", "b", "c"]
    assert study({"q1": [], "q2": []}).answers.lists == 2
    frames = {"A": pd.DataFrame(WIDE)[["item"]], "B": pl.DataFrame(WIDE)[["item"]]}
    assert study(frames).systems == ("A", "B")


def test_arrays_of_votes() -> None:
    votes = np.array([[1, 0], [np.nan, 0.5]])
    made = study(votes, truth={"all": {1: 1, 2: 0}}, answer_kind="votes")
    assert made.systems == ("S1", "S2")
    assert made.items.names([0, 1]) == ["1", "2"]
    assert made.answers.vote.tolist() == pytest.approx([1, math.nan, 0, 0.5], nan_ok=True)
    assert cs.condition(made).name == "complete"


@pytest.mark.parametrize("form", [lambda frame: frame, lambda frame: frame.set_index("item")])
def test_probabilities_beside_a_truth_of_its_own(form: Any) -> None:
    """As in files: F1 would be that of shares of a vote."""
    said = pd.DataFrame(
        {"item": list("abcd"), "A": [0.1, 0.9, 0.4, 0.7], "B": [0.2, 0.8, 0.6, 0.3]}
    )
    truth = pd.DataFrame({"item": list("abcd"), "gold": [0, 1, 1, 0]})
    for answers in (form(said), form(said).to_dict("list"), form(said)[["A", "B"]].to_numpy()):
        if isinstance(answers, dict) and "item" not in answers:
            continue
        with pytest.raises(UsageError, match="probabilities, which are not compared yet"):
            study(answers, truth=form(truth))
    assert study(form(said), truth=form(truth), answer_kind="votes").systems == ("A", "B")


@pytest.mark.parametrize(
    "columns", [pd.DataFrame({"a": [1]}), pd.DataFrame(), pd.Series([1]), np.array([1, 2]), "item"]
)
def test_a_mapping_of_columns_is_a_dict(columns: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("item,A,B\na,1,0\n")
    votes = {"item": ["a"], "A": [1], "B": [0]}
    for call in (
        lambda: study(votes, columns=columns),
        lambda: study(votes, truth={"item": ["a"], "gold": [1]}, truth_columns=columns),
        lambda: cs.read(file, columns=columns),
        lambda: cs.read(file, truth=file, truth_columns=columns),
    ):
        with pytest.raises(UsageError, match="columns are a dict of role → column"):
            call()


def test_the_users_data_are_neither_changed_nor_shared() -> None:
    votes = np.array([[1.0, 0.0]])
    made = study(votes)
    votes[:] = 0.5
    assert made.answers.vote.tolist() == [1, 0]
    frame = pd.DataFrame({"item": ["a"], "S1": [0.25]})
    made = study(frame)
    frame.loc[0, "S1"] = 0.75
    assert made.answers.vote.tolist() == [0.25]


def test_zeros_and_ones_for_the_same_items_are_asked_about() -> None:
    """A frame of votes as pandas writes it is in the same form as lists of two queries."""
    said = {"S1": {"d1": 1, "d2": 0, "d3": 1}, "S2": {"d1": 0, "d2": 0, "d3": 1}}
    with pytest.raises(UsageError, match="say which: --answers lists, or --answers votes"):
        study(said)
    votes = study(said, answer_kind="votes")
    assert votes.systems == ("S1", "S2")
    assert votes.answers.vote.tolist() == [1, 0, 1, 0, 0, 1]
    lists = study(said, answer_kind="lists")
    assert lists.queries == ("S1", "S2")
    assert study({"q1": {"d1": 2.5, "d2": 1}, "q2": {"d1": 1, "d2": 0}}).queries == ("q1", "q2")
    deep = {"A": {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 0, "d2": 1}}}
    with pytest.raises(UsageError, match="say which: --answers lists, or --answers votes"):
        study(deep)
    assert study(deep, answer_kind="lists").systems == ("A",)
    assert study({"q1": {"d1": 1.0}}, truth=said).queries == ("q1", "S1", "S2")
