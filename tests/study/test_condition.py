"""The condition of truth is read off the data."""

from __future__ import annotations

from typing import Any

import pytest

import consilience as cs
from consilience.study.condition import no_common_query
from consilience.study.overview import overview

RUN = {"A": {"q": ["a", "b"]}}


@pytest.mark.parametrize(
    ("truth", "name", "judged"),
    [
        (None, "absent", 0.0),
        ({"q": {"a": 1, "b": 0}}, "complete", 1.0),
        ({"q": ["a"]}, "complete", 1.0),
        ({"q": {"a": 1}}, "complete", 1.0),  # lists only what is relevant
        ({"q": {"a": 1, "c": 0}}, "partial", 0.5),
        ({"q": {"a": 1, "b": -1}}, "partial", 0.5),
        ({"q": {"a": 0, "b": None}}, "partial", 0.5),
        ({"p": {"q": {"a": 1, "b": 0}}, "r": {"q": {"a": 0, "b": 0}}}, "uncertain", 1.0),
        ({"p": {"q": {"a": 1, "b": 0}}, "r": {"q": {"c": 0, "d": 0}}}, "complete", 1.0),
        ({"p": {"q": {"a": 1, "b": 0}}, "r": {"q": {"a": None, "c": 0}}}, "complete", 1.0),
        ({"item": ["a", "b"], "query": ["q", "q"], "vote": [0.5, 1.0]}, "uncertain", 1.0),
    ],
)
def test_condition(truth: Any, name: str, judged: float) -> None:
    what = cs.condition(cs.study(RUN, truth=truth))
    assert what.name == name
    assert what.why
    assert what.judged == judged


def test_truth_of_other_queries_is_no_truth() -> None:
    runs = {"A": {f"q{n}": ["a"] for n in range(5)}}
    apart = cs.study(runs, truth={"0": {"a": 1, "b": 0}})
    what = cs.condition(apart)
    assert (what.name, what.judged) == ("absent", 0.0)
    assert what.why == (
        "truth and answers share no query: answers have 'q0', 'q1', 'q2', …; truth has '0'"
    )
    said = no_common_query(apart)
    assert str(said).startswith(f"{what.why} (fix: write the ids of the queries alike")
    facts = overview(apart)
    assert (facts["condition"], facts["judged"], facts["can"]) == ("absent", 0.0, [])
    assert facts["cannot"] == [f"scores against truth: {said}"]


@pytest.mark.parametrize(
    "truth",
    [{"p": ["a"]}, {"x": {"p": {"a": 1, "b": 0}}, "y": {"p": {"a": 0, "b": 0}}}],
)
def test_neither_lists_nor_several_judges_of_other_queries_are_truth(truth: Any) -> None:
    what = cs.condition(cs.study(RUN, truth=truth))
    assert (what.name, what.judged) == ("absent", 0.0)


def test_what_has_no_queries_is_asked_for_them() -> None:
    gold = {"item": ["a", "b"], "relevant": [1, 0]}
    said = no_common_query(cs.study(RUN, truth=gold))
    assert said is not None
    assert "truth has 'all' (fix: the truth came without queries" in said


@pytest.mark.parametrize(
    ("answers", "truth"),
    [
        (RUN, None),
        (RUN, {"q": {"a": 1, "b": 0}, "other": {"c": 1}}),
        ({"item": ["a", "b"], "annotator": ["x", "x"], "label": [1, 0]}, None),
    ],
)
def test_one_common_query_is_enough_and_one_side_alone_has_none(answers: Any, truth: Any) -> None:
    assert no_common_query(cs.study(answers, truth=truth)) is None


@pytest.mark.parametrize(("who", "name"), [("xx", "absent"), ("xy", "uncertain")])
def test_judges_alone_have_judged_nothing_that_was_returned(who: str, name: str) -> None:
    items = ["a", "b"] if who == "xx" else ["a", "a"]
    judges = cs.study({"item": items, "annotator": [*who], "label": [1, 0]})
    what = cs.condition(judges)
    assert (what.name, what.judged) == (name, 0.0)
    assert "returned" not in what.why
    assert overview(judges)["judged"] is None


def test_empty_answers_leave_nothing_to_judge() -> None:
    what = cs.condition(cs.study({"A": {"q": []}}, truth={"q": {"a": 1, "b": 0}}))
    assert (what.name, what.why) == ("complete", "no item was returned that could be judged")


def test_documents_of_two_endings_are_named_as_the_cause() -> None:
    """A folder with d1.key and d1.txt calls its documents with their endings: no truth fits."""
    apart = cs.study({"A": {"a/d1.key": ["x"], "a/d1.txt": ["y"]}}, truth={"d1": {"x": 1}})
    with pytest.raises(cs.UsageError) as error:
        cs.rank(apart)
    assert "keep one file for each document: a/d1.key and a/d1.txt differ" in str(error.value)
