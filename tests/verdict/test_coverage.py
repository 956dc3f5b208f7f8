"""Who answered what, beside a count list by list."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.verdict.coverage import COLUMNS, ROWS, coverage


@pytest.mark.parametrize("queries", [2, COLUMNS, 130])
def test_shares_of_queries(queries: int) -> None:
    rng = np.random.default_rng(queries)
    asked = rng.random((4, queries)) < 0.7
    asked[:, 0] = True
    asked[0] = True
    runs = {
        f"s{who}": {f"q{k:03}": ["x"] for k in range(queries) if asked[who, k]} for who in range(4)
    }
    told = coverage(cs.study(runs))
    size = -(-queries // COLUMNS)
    blocks = [list(range(k, min(k + size, queries))) for k in range(0, queries, size)]
    assert told["unit"] == "queries"
    assert told["total"] == queries
    assert [one["size"] for one in told["columns"]] == [len(block) for block in blocks]
    assert [one["first"] for one in told["columns"]] == [f"q{block[0]:03}" for block in blocks]
    for who, one in enumerate(told["respondents"]):
        assert one["answered"] == asked[who].sum()
        expected = [asked[who, block].mean() for block in blocks]
        assert one["shares"] == pytest.approx(expected)


def test_one_query_is_told_by_items() -> None:
    votes = {
        "item": ["a", "b", "c", "d"],
        "ann": [1, 0, None, 1],
        "bob": [1, None, None, None],
    }
    told = coverage(cs.study(votes))
    assert (told["unit"], told["total"]) == ("items", 4)
    shares = {one["name"]: one["shares"] for one in told["respondents"]}
    assert shares == {"ann": [1, 1, 0, 1], "bob": [1, 0, 0, 0]}
    lists = coverage(cs.study({"s": {"q": ["a"]}, "t": {"q": ["b"]}}))
    assert [one["shares"] for one in lists["respondents"]] == [[1, 1], [1, 1]]


def test_what_was_drawn_and_has_no_label_was_not_answered() -> None:
    runs = {"s": {"q": ["a"], "r": ["a"]}}
    labels = {"query": ["q", "r"], "item": ["a", "a"], "pi": [0.5, 0.5], "label": ["yes", None]}
    told = coverage(cs.study(runs, truth=labels))
    assert [one["answered"] for one in told["respondents"]] == [2, 1]


def test_what_was_judged() -> None:
    deep = {f"d{k}": float(-k) for k in range(12)}
    runs: dict[str, Any] = {"deep": {"q": deep, "r": {"d0": 1.0}}, "flat": {"q": {"d1": 1.0}}}
    told = coverage(cs.study(runs, truth={"q": {f"d{k}": 0 for k in (0, 1, 10, 11)}}))
    deep_one, flat_one = told["judged"]
    assert deep_one == {
        "name": "deep",
        "returned": 12,
        "judged": 4,
        "first": 10,
        "first_judged": 2,
    }
    assert (flat_one["returned"], flat_one["judged"]) == (1, 1)
    assert coverage(cs.study(runs))["judged"] is None


def test_sets_have_no_first_ten() -> None:
    told = coverage(cs.study({"s": {"q": {"a", "b"}}}, truth={"q": {"a": 0}}))
    assert told["judged"] == [
        {"name": "s", "returned": 2, "judged": 1, "first": None, "first_judged": None}
    ]


def test_many_respondents_are_cut() -> None:
    told = coverage(cs.study({f"s{k:03}": {"q": ["a"], "r": ["a"]} for k in range(ROWS + 5)}))
    assert len(told["respondents"]) == ROWS
    assert told["left_out"] == 5
