"""Charts of agreement: the payload's numbers in the payload's order, readable with many systems."""

from __future__ import annotations

import json
from typing import Any

import pytest

from consilience.render import agreement_charts, render
from consilience.render.agreement_charts import shown_systems, system_labels
from consilience.render.charts import NUMBERS_LIMIT, PAIRS_LIMIT
from consilience.render.cutoff_charts import DRAWN, cutoffs, cutoffs_twin, spread
from consilience.render.dendrogram import branches
from consilience.render.theme import PAGE
from tests.render.consensus import consensus_payload

ALL = [
    cutoffs,
    agreement_charts.alike,
    agreement_charts.methods_alike,
    agreement_charts.method_ranks,
]
MEGABYTE = 1_000_000


@pytest.mark.parametrize("chart", ALL)
@pytest.mark.parametrize("total", [2, 8, 13, 60])
def test_a_chart_is_json_and_light_and_dark_hold_the_same(chart: Any, total: int) -> None:
    payload = consensus_payload(total)
    light, dark = chart(payload), chart(payload, dark=True)
    assert json.loads(json.dumps(light, allow_nan=False)) == light
    assert light["description"].endswith(".")
    assert light["data"] == dark["data"]
    assert (light["config"]["background"], dark["config"]["background"]) == PAGE


@pytest.mark.parametrize("chart", ALL)
def test_nothing_to_draw_is_none(chart: Any, normal: dict[str, Any]) -> None:
    assert chart(normal) is None
    empty = {"dependence": None, "panel": None, "cutoffs": None}
    assert chart(normal | empty) is None
    one = {"systems": ["bm25"], "phi": [[1.0]], "tree": [], "order": [0], "families": []}
    panel: dict[str, Any] = {"methods": [], "tau": [], "skipped": []}
    assert chart(normal | {"dependence": one, "panel": panel, "cutoffs": []}) is None


def test_the_matrix_is_in_the_order_of_the_tree(consensus: dict[str, Any]) -> None:
    dependence = consensus["dependence"]
    spec = agreement_charts.alike(consensus)
    assert spec is not None
    order = dependence["order"]
    assert shown_systems(consensus) == order
    rows, columns = system_labels(consensus)
    assert columns == [dependence["systems"][leaf] for leaf in order]
    assert "abbyy-1 · abbyy" in rows
    assert "kraken-1" in rows  # a family of one is no family
    cells = {(c["r"], c["c"]): c["v"] for c in spec["data"]["values"] if "r" in c}
    for (row, column), value in cells.items():
        assert value == round(dependence["phi"][order[row]][order[column]], 4)
    assert len(cells) == 8 * 8 - 2  # two are undefined
    assert "Empty cells are undefined." in spec["description"]
    colour = spec["hconcat"][0]["layer"][0]["encoding"]["color"]
    assert colour["scale"]["domain"] == [-1, 0, 1]


def test_few_systems_get_numbers_and_many_get_numbered_labels() -> None:
    few = agreement_charts.alike(consensus_payload(NUMBERS_LIMIT))
    many = agreement_charts.alike(consensus_payload(NUMBERS_LIMIT + 1))
    assert few is not None
    assert many is not None
    assert [len(spec["hconcat"][0]["layer"]) for spec in (few, many)] == [2, 1]
    rows, columns = system_labels(consensus_payload(NUMBERS_LIMIT + 1))
    assert columns == [str(i) for i in range(1, NUMBERS_LIMIT + 2)]
    assert all(row.startswith(f"{i}. ") for i, row in enumerate(rows, 1))


def test_of_many_systems_the_first_are_shown() -> None:
    payload = consensus_payload(143)
    spec = agreement_charts.alike(payload)
    assert spec is not None
    shown = shown_systems(payload)
    assert sorted(shown) == list(range(PAIRS_LIMIT))  # the systems stand in rank order
    places = [payload["dependence"]["order"].index(leaf) for leaf in shown]
    assert places == sorted(places)
    assert f"the first {PAIRS_LIMIT} of 143 systems" in spec["description"]
    merges = [row for row in spec["data"]["values"] if row.get("part") == "branch"]
    assert len(merges) == 3 * (PAIRS_LIMIT - 1)


def test_the_tree_joins_neighbours() -> None:
    tree = [
        {"left": 0, "right": 2, "height": 0.1},
        {"left": 1, "right": 3, "height": 0.2},
        {"left": 4, "right": 5, "height": 0.7},
    ]
    lines = branches(tree, {0: 0, 2: 1, 1: 2, 3: 3}, 4)
    upright = [(line["x"], line["y"], line["y2"]) for line in lines if line["x"] == line["x2"]]
    assert upright == [(0.1, 0.5, 1.5), (0.2, 2.5, 3.5), (0.7, 1.0, 3.0)]


def test_a_tree_without_some_leaves_keeps_the_heights_of_the_others() -> None:
    tree = [
        {"left": 0, "right": 1, "height": 0.1},
        {"left": 2, "right": 4, "height": 0.3},
        {"left": 3, "right": 5, "height": 0.7},
    ]
    lines = branches(tree, {1: 0, 3: 1}, 4)
    assert [(line["x"], line["x2"]) for line in lines] == [(0.0, 0.7), (0.0, 0.7), (0.7, 0.7)]


def test_ranks_by_method_are_those_of_the_panel() -> None:
    payload = consensus_payload(30)
    spec = agreement_charts.method_ranks(payload)
    assert spec is not None
    rows = spec["data"]["values"]
    assert len({row["system"] for row in rows}) == 20
    assert "20 of 30 systems; the table holds all" in spec["description"]
    ranks = {method["name"]: method["ranks"] for method in payload["panel"]["methods"]}
    assert all(row["rank"] == ranks[row["method"]][row["system"]] for row in rows)
    assert spec["encoding"]["x"]["scale"]["domain"] == list(ranks)
    assert spec["encoding"]["y"]["axis"]["values"][:2] == [1, 5]
    few = agreement_charts.method_ranks(consensus_payload(3))
    assert few is not None
    assert few["encoding"]["y"]["axis"]["values"] == [1, 2, 3]


def test_a_method_without_a_rank_leaves_a_gap(consensus: dict[str, Any]) -> None:
    name = consensus["systems"][0]["name"]
    consensus["panel"]["methods"][2]["ranks"][name] = None
    spec = agreement_charts.method_ranks(consensus)
    assert spec is not None
    assert sum(row["rank"] is None for row in spec["data"]["values"]) == 1


def test_cutoffs_hold_the_payload_and_many_are_thinned() -> None:
    payload = consensus_payload(8)
    spec = cutoffs(payload)
    assert spec is not None
    assert spec["encoding"]["x"]["scale"].get("type") is None
    assert len(spec["data"]["values"]) == 8 * 12
    long = cutoffs(consensus_payload(30, ks=5000))
    assert long is not None
    assert long["encoding"]["x"]["scale"]["type"] == "log"
    assert len({row["system"] for row in long["data"]["values"]}) == 10
    assert len(long["data"]["values"]) <= 10 * DRAWN
    assert {1, 5000} <= {row["k"] for row in long["data"]["values"]}
    assert "the first 10 of 30 systems; the table holds all" in long["description"]
    twin = cutoffs_twin(consensus_payload(30, ks=5000))
    assert " of 5,000 cutoffs" in twin
    assert twin.count("<table") == 2


def test_thinning_keeps_both_ends_and_the_order() -> None:
    points = [{"k": k} for k in range(1, 98)]
    for most in (2, 3, 10, 96, 97, 200):
        ks = [point["k"] for point in spread(points, most)]
        assert (ks[0], ks[-1]) == (1, 97)
        assert ks == sorted(set(ks))
        assert len(ks) <= most


def test_fifty_systems_without_truth_stay_under_a_megabyte() -> None:
    assert len(str(render(consensus_payload(50, ks=1000), "html")).encode()) < MEGABYTE
