"""The condition of truth is read off the data."""

from __future__ import annotations

from typing import Any

import pytest

import consilience as cs

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
