"""Trees of categories for people and programs: sizes, beliefs, where nodes are drawn."""

from __future__ import annotations

import csv
import io
import math
import re
from typing import Any

import pytest

from consilience.render import charts_of, render
from consilience.render.tree_layout import direct_sizes, entropy, left_out, places, upper, walk
from consilience.render.tree_report import COLUMNS, rows
from tests.render import laws
from tests.render.conftest import HOSTILE
from tests.render.uncertain import TREE, tree_payload

WIDE = {"all": "", **{f"group {i}": "all" for i in range(30)}} | {
    f"leaf {i}": f"group {i % 30}" for i in range(90)
}


@pytest.fixture
def small() -> dict[str, Any]:
    return tree_payload(["alpha", "beta", "gamma"])


@pytest.fixture
def alone() -> dict[str, Any]:
    """A tree without systems: nothing of distributions is there."""
    made = tree_payload([])
    for key in ("level", "delta", "beta", "settings", "condition"):
        del made[key]
    return made | {"queries": 0, "query": {"kind": "none", "name": None, "mixture": {}}}


@pytest.fixture
def wide() -> dict[str, Any]:
    return tree_payload(["alpha"], WIDE, items=60)


@pytest.fixture
def hostile() -> dict[str, Any]:
    names = [*HOSTILE, "<script>alert(1)</script>", "x" * 300]
    made = tree_payload(names[:3], {n: names[i - 1] if i else "" for i, n in enumerate(names)})
    first = next(iter(made["direct"]))
    for key in ("direct", "belief", "answers"):
        made[key][names[0]] = made[key].pop(first)
    return made


@pytest.fixture(params=["small", "alone", "wide", "hostile"])
def payload(request: pytest.FixtureRequest) -> dict[str, Any]:
    made: dict[str, Any] = request.getfixturevalue(request.param)
    return made


def test_laws_of_documents(payload: dict[str, Any]) -> None:
    laws.every_format_is_written(payload)
    laws.pages_are_closed_small_and_deaf_to_names(payload)


def test_what_is_needed_is_all_that_is_needed(alone: dict[str, Any]) -> None:
    laws.what_is_needed_is_enough(alone)


def test_rows_are_the_beliefs(small: dict[str, Any]) -> None:
    read = list(csv.DictReader(io.StringIO(str(render(small, "csv")), newline="")))
    assert list(read[0]) == list(COLUMNS)
    for category in TREE:
        held = [row for row in read if row["category"] == category]
        assert math.isclose(sum(float(row["belief"]) for row in held), small["size"][category])
        for row in held:
            assert float(row["direct"]) == small["direct"][row["item"]].get(category, 0.0)
            assert int(row["answers"]) == small["answers"][row["item"]]


def test_zeros_have_no_row_and_an_item_without_answers_has_one(small: dict[str, Any]) -> None:
    before = len(rows(small))
    small["belief"]["item 1"] |= {c: 0.0 for c in TREE if c not in small["belief"]["item 1"]}
    assert len(rows(small)) == before
    nothing = dict.fromkeys(TREE)
    small["belief"]["new"], small["direct"]["new"], small["answers"]["new"] = nothing, nothing, 0
    assert rows(small)[-1] == {
        "item": "new",
        "category": None,
        "direct": None,
        "belief": None,
        "answers": 0,
    }
    assert render(small, "html")


def test_sizes_are_indented_in_the_order_of_the_tree(small: dict[str, Any]) -> None:
    lines = str(render(small, "text")).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("category"))
    names = [re.split(r"\s{2,}", line)[0] for line in lines[start + 1 : start + 12]]
    assert names == [
        "animals",
        "· mammals",
        "· · dogs",
        "· · · terriers",
        "· · cats",
        "· birds",
        "· · finches",
        "things",
        "· vehicles",
        "· · aircraft",
        "· · boats",
    ]
    assert f"{small['size']['animals']:.4f}" in lines[start + 1]


def test_the_most_uncertain_items_come_first(small: dict[str, Any]) -> None:
    text = str(render(small, "text"))
    assert "20 of 24 items are shown; csv, parquet and json hold all." in text
    far = max(small["direct"], key=lambda item: entropy(small["direct"][item]))
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("item  "))
    assert entropy(small["direct"][lines[start + 1].split("  ")[0]]) == entropy(
        small["direct"][far]
    )


def test_systems_are_told_only_where_there_are_some(
    small: dict[str, Any], alone: dict[str, Any]
) -> None:
    assert set(charts_of(small)) == {"spreads", "tree", "sizes", "matrix", "band", "pairs"}
    assert set(charts_of(alone)) == {"tree", "sizes", "matrix"}
    text = str(render(alone, "text"))
    assert "Systems:" not in text
    assert "asked for" not in text
    assert str(render(small, "text")).index("Systems:") < str(render(small, "text")).index(
        "Categories:"
    )


def test_nodes_stand_right_of_their_parents_and_in_the_middle_of_their_children(
    payload: dict[str, Any],
) -> None:
    at = places(payload)
    heights = [at[c][1] for c in walk(payload) if c not in {a for p in parents(payload) for a in p}]
    assert heights == sorted(heights)
    assert len(set(at.values())) == len(at)
    for category, above in payload["parents"].items():
        for parent in above:
            assert at[category][0] == at[parent][0] + 1
    for category in payload["categories"]:
        below = [at[c][1] for c, above in payload["parents"].items() if category in above]
        if below:
            assert min(below) <= at[category][1] <= max(below)


def parents(payload: dict[str, Any]) -> list[list[str]]:
    return list(payload["parents"].values())


def test_the_area_of_a_node_is_the_size_of_its_category(small: dict[str, Any]) -> None:
    drawn = charts_of(small)["tree"]["data"]["values"]
    nodes = [row for row in drawn if row["kind"] != "link"]
    assert len(nodes) == 11
    assert len(drawn) - len(nodes) == 9
    for row in nodes:
        share = row["outer"] / max(node["outer"] for node in nodes)
        assert math.isclose(share, row["size"] / max(small["size"].values()), abs_tol=1e-4)
        assert row["inner"] <= row["outer"] + 0.01
    assert [row["category"] for row in nodes if row["asked"]] == ["mammals"]


def test_direct_parts_add_up_to_the_items_that_were_answered(small: dict[str, Any]) -> None:
    assert math.isclose(sum(direct_sizes(small).values()), 24)
    bars = {row["name"]: row for row in charts_of(small)["sizes"]["data"]["values"]}
    assert math.isclose(bars["terriers"]["direct"], small["size"]["terriers"])
    assert bars["animals"]["direct"] < bars["animals"]["size"] == small["size"]["animals"]


def test_a_wide_tree_shows_its_upper_levels_and_says_so(wide: dict[str, Any]) -> None:
    wide["size"] = dict.fromkeys(wide["categories"], 1.0)
    assert len(upper(wide, 40)) == 31
    assert left_out(wide, 40) == "31 of 121 categories are shown: those higher up"
    assert "31 of 121 categories are shown: those higher up; json holds all." in str(
        render(wide, "text")
    )
    nodes = charts_of(wide)["tree"]["data"]["values"]
    assert sum(row["kind"] != "link" for row in nodes) == 31


def test_categories_that_hold_nothing_go_first(wide: dict[str, Any]) -> None:
    wide["size"] = {c: 1.0 if c in ("all", "group 1", "leaf 1") else 0.0 for c in wide["size"]}
    assert upper(wide, 40) == ["all", "group 1", "leaf 1"]
    assert left_out(wide, 40) == "3 of 121 categories are shown: the others hold nothing"


def test_a_category_with_two_parents_is_linked_to_both(small: dict[str, Any]) -> None:
    small["parents"]["cats"] = ["mammals", "things"]
    small["dag"] = True
    drawn = charts_of(small)["tree"]["data"]["values"]
    assert sum(row["kind"] == "link" for row in drawn) == 10
    assert "1 category with several parents" in str(render(small, "text"))


def test_a_question_by_item_says_its_weights(small: dict[str, Any]) -> None:
    small["query"] = {"kind": "item", "name": "item 3", "mixture": {"dogs": 0.75, "cats": 0.25}}
    assert "asked for: items like item 3 (dogs 0.750, cats 0.250)" in str(render(small, "text"))
    nodes = charts_of(small)["tree"]["data"]["values"]
    assert {row["category"] for row in nodes if row.get("asked")} == {"dogs", "cats"}
