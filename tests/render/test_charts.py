"""Charts are data: what they show is in the payload, and nothing more."""

from __future__ import annotations

import json
from typing import Any

import pytest

from consilience.render import charts, forest_chart, pair_charts
from consilience.render.theme import DARK_HUES, GROUND, HUES, PAGE, QUIET

ALL = [forest_chart.forest, charts.precision_recall, pair_charts.pairs]


@pytest.mark.parametrize("chart", ALL)
@pytest.mark.parametrize("dark", [False, True])
def test_a_chart_is_json_with_a_description(normal: dict[str, Any], chart: Any, dark: bool) -> None:
    spec = chart(normal, dark=dark)
    assert json.loads(json.dumps(spec, allow_nan=False)) == spec
    assert spec["description"].endswith(".")
    assert spec["config"]["background"] == PAGE[dark]


def test_light_and_dark_show_the_same_data(normal: dict[str, Any]) -> None:
    for chart in ALL:
        light, dark = chart(normal), chart(normal, dark=True)
        assert light is not None
        assert dark is not None
        assert light["data"] == dark["data"]
        assert light != dark


def test_the_forest_is_in_rank_order(normal: dict[str, Any]) -> None:
    spec = forest_chart.forest(normal)
    assert spec is not None
    names = [system["name"] for system in normal["systems"]]
    assert spec["encoding"]["y"]["scale"]["domain"] == names
    first = spec["data"]["values"][0]
    score = normal["systems"][0]["scores"]["AP"]
    assert (first["value"], [first["low"], first["high"]]) == (score["value"], score["interval"])


def test_the_forest_marks_what_is_not_told_apart(normal: dict[str, Any]) -> None:
    standing = {row["system"]: row["standing"] for row in forest_chart.forest_rows(normal)}
    assert [name for name, said in standing.items() if said == forest_chart.LEADING] == [
        "bm25",
        "tfidf",
    ]


def test_an_undefined_score_stays_in_the_forest(undefined: dict[str, Any]) -> None:
    undefined["systems"][3]["scores"]["AP"]["interval"] = [0.0, 1.0]
    row = forest_chart.forest_rows(undefined)[3]
    assert (row["system"], row["value"], row["low"]) == ("empty", None, None)


def test_twenty_lines_are_drawn_and_more_are_not(many: dict[str, Any]) -> None:
    spec = charts.precision_recall(many)
    assert spec is not None
    assert len({row["system"] for row in spec["data"]["values"]}) == 10
    assert "the first 10 of 50 systems" in spec["description"]
    many["curves"] = many["curves"][:20]
    full = charts.precision_recall(many)
    assert full is not None
    assert len({row["system"] for row in full["data"]["values"]}) == 20


def test_twenty_lines_differ_in_hue_or_dash(many: dict[str, Any]) -> None:
    many["curves"] = many["curves"][:20]
    spec = charts.precision_recall(many)
    assert spec is not None
    hues = spec["encoding"]["color"]["scale"]["range"]
    dashes = [tuple(dash) for dash in spec["encoding"]["strokeDash"]["scale"]["range"]]
    assert len(set(zip(hues, dashes, strict=True))) == 20


def test_nothing_to_draw_is_none(single: dict[str, Any], curve: dict[str, Any]) -> None:
    assert pair_charts.pairs(single) is None
    assert charts.precision_recall(single | {"curves": []}) is None
    assert forest_chart.forest(single | {"systems": []}) is None
    undefined = [{"k": 1, "precision": 0.0, "recall": None}]
    assert charts.curve(curve | {"cutoffs": undefined}) is None


def test_pairs_are_only_those_of_the_payload(normal: dict[str, Any]) -> None:
    spec = pair_charts.pairs(normal)
    assert spec is not None
    drawn = {(row["row"], row["column"]): row["p"] for row in spec["data"]["values"]}
    assert drawn == {(p["a"], p["b"]): p["p_a_beats_b"] for p in normal["pairs"]}


def test_the_curve_goes_through_the_rises(curve: dict[str, Any]) -> None:
    points = charts.curve_points(curve)
    assert [point["k"] for point in points] == [0, 1, 2, 5, 6, 9]
    assert points[0]["recall"] == 0.0
    assert points[-1]["recall"] == 1.0


def test_a_long_curve_is_thinned_and_keeps_its_end(long_curve: dict[str, Any]) -> None:
    points = charts.curve_points(long_curve)
    assert len(points) <= charts.POINTS_LIMIT + 2
    reached = [row for row in long_curve["cutoffs"] if row["recall"] == points[-1]["recall"]]
    assert reached[0]["k"] == points[-1]["k"]
    assert reached[-1] is long_curve["cutoffs"][-1]


def luminance(colour: str) -> float:
    shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_letters_have_contrast(dark: bool) -> None:
    """WCAG 2.2, success criterion 1.4.3: at least 4.5 to 1."""
    ink, faint, _, _ = GROUND[dark]
    assert contrast(ink, PAGE[dark]) >= 4.5
    assert contrast(faint, PAGE[dark]) >= 4.5
    assert contrast(QUIET[dark], PAGE[dark]) >= 4.5


@pytest.mark.parametrize(("hues", "dark"), [(HUES, False), (DARK_HUES, True)])
def test_hues_are_distinct_and_visible(hues: tuple[str, ...], dark: bool) -> None:
    assert len(set(hues)) == 8
    assert all(contrast(hue, PAGE[dark]) >= 2 for hue in hues)
