"""Distributions for people and programs: every figure as it was computed, pictures of its shape."""

from __future__ import annotations

import csv
import io
import math
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.render import VERBS, charts_of, render
from consilience.render.distributions_bars import bars
from consilience.render.distributions_report import COLUMNS, report, rows
from consilience.render.report import Picture, Table
from consilience.verdict.uncertain import distributions
from tests.render import laws
from tests.render.conftest import HOSTILE
from tests.render.uncertain import distributions_payload

NAMES = [*HOSTILE, "<script>alert(1)</script>", "x" * 300]


@pytest.fixture
def one() -> dict[str, Any]:
    return distributions_payload(["alpha", "beta", "gamma"])


@pytest.fixture
def several() -> dict[str, Any]:
    return distributions_payload(["alpha", "beta", "gamma"], queries=30)


@pytest.fixture
def hostile() -> dict[str, Any]:
    return distributions_payload(NAMES, queries=2)


@pytest.fixture
def single() -> dict[str, Any]:
    return distributions_payload(["only"], queries=3)


@pytest.fixture
def bare() -> dict[str, Any]:
    """Nothing is defined, nothing is ordered, nobody is compared."""
    made = distributions_payload(["alpha"])
    gone: dict[str, Any] = {"support": [], "mass": [], "mean": None, "median": None}
    gone |= {"interval": None, "undefined": "nothing can be relevant", "p_undefined": 1.0}
    for measure in ("precision", "recall", "recall_fixed", "f1", "ap"):
        made["results"][0][measure] = gone
        made["systems"][0][measure] = {**gone, "method": "exact"}
    made["systems"][0]["band"] = made["results"][0]["band"] = None
    return made


@pytest.fixture(params=["one", "several", "hostile", "single", "bare"])
def payload(request: pytest.FixtureRequest) -> dict[str, Any]:
    made: dict[str, Any] = request.getfixturevalue(request.param)
    return made


def test_laws_of_documents(payload: dict[str, Any]) -> None:
    laws.every_format_is_written(payload)
    laws.pages_are_closed_small_and_deaf_to_names(payload)


def test_what_is_needed_is_all_that_is_needed(one: dict[str, Any]) -> None:
    laws.what_is_needed_is_enough(one)


def test_rows_hold_every_probability(several: dict[str, Any]) -> None:
    read = list(csv.DictReader(io.StringIO(str(render(several, "csv")), newline="")))
    assert list(read[0]) == list(COLUMNS)
    held: dict[tuple[str, str, str], list[tuple[float, float]]] = {}
    for row in read:
        key = row["system"], row["query"], row["measure"]
        held.setdefault(key, []).append((float(row["value"]), float(row["probability"])))
    assert len(held) == 3 * 30 * 5
    for result in several["results"]:
        for measure in ("precision", "recall", "recall_fixed", "f1", "ap"):
            points = held[result["system"], result["query"], measure]
            assert math.isclose(sum(p for _, p in points), 1)
            mean = sum(x * p for x, p in points)
            assert math.isclose(mean, result[measure]["mean"], rel_tol=1e-9)


def test_what_is_undefined_has_one_row_and_its_reason(bare: dict[str, Any]) -> None:
    made = rows(bare)
    assert [row["value"] for row in made] == [None] * 5
    assert {row["undefined"] for row in made} == {"nothing can be relevant"}
    text = str(render(bare, "text"))
    assert "precision of alpha is undefined: nothing can be relevant" in text
    assert set(charts_of(bare)) == {"spreads"}


def tables(payload: dict[str, Any]) -> list[Table]:
    blocks = [block for section in report(payload).sections for block in section.blocks]
    return [block for block in blocks if isinstance(block, Table)]


def test_systems_are_in_the_order_of_their_expected_f1(one: dict[str, Any]) -> None:
    one["systems"].reverse()
    means = {system["name"]: system["f1"]["mean"] for system in one["systems"]}
    main = tables(one)[0]
    assert main.main
    assert [row[0] for row in main.rows] == sorted(means, key=lambda name: -means[name])
    low, high = next(s for s in one["systems"] if s["name"] == main.rows[0][0])["f1"]["interval"]
    assert main.rows[0][4] == f"{means[main.rows[0][0]]:.4f} [{low:.4f}, {high:.4f}]"


def test_queries_are_cut_and_said(several: dict[str, Any], one: dict[str, Any]) -> None:
    assert "24 of 90 rows are shown; csv, parquet and json hold all." in render(several, "text")
    titles = [section.title for section in report(one).sections if section.blocks]
    assert "Each query" not in titles


def test_tests_over_queries_stand_beside_probabilities(
    several: dict[str, Any], one: dict[str, Any]
) -> None:
    text = " ".join(str(render(several, "text")).split())
    assert "0.012 [0.072]" in text
    assert "Neither stands for the other." in text
    assert "Wilcoxon" not in str(render(one, "text"))


def test_a_margin_has_a_column_only_where_it_was_set(one: dict[str, Any]) -> None:
    assert "P(first by 0.05)" in str(render(one, "text"))
    assert "P(second by 0.05)" in str(render(one, "text"))
    assert "P(first by" not in str(render(one | {"delta": 0.0}, "text"))


def test_zero_and_one_are_written_only_where_they_are_exact(one: dict[str, Any]) -> None:
    pair = one["pairs"][0]
    pair |= {"p_a_beats_b": 1.0, "p_b_beats_a": 0.0, "p_equal": 0.0, "difference": 0.25}
    pair["paired"] = {"method": "exact", "draws": None, "seed": 0}
    listed = next(table for table in tables(one) if table.title.startswith("Pairs"))
    row = next(row for row in listed.rows if row[0] == "precision")
    assert row[4:7] == ("1", "0", "0")
    pair["paired"] = {"method": "simulation", "draws": 400, "seed": 0}
    listed = next(table for table in tables(one) if table.title.startswith("Pairs"))
    row = next(row for row in listed.rows if row[0] == "precision")
    assert row[4:7] == (">0.999", "<0.001", "<0.001")


def test_every_format_says_that_no_truth_was_used(one: dict[str, Any]) -> None:
    absent = one | {"condition": "absent", "caveat": "no ground truth was used: this is agreement"}
    for fmt in ("text", "md", "latex", "html"):
        assert "No ground truth was used: this is agreement." in str(render(absent, fmt))
    assert rows(absent)[0]["caveat"]
    captions = re.findall(r"\\caption\{.*\}", str(render(absent, "latex")))
    assert [caption.count("No ground truth") for caption in captions] == [1, 1]


def test_pictures_are_those_that_the_data_allow(
    one: dict[str, Any], several: dict[str, Any], single: dict[str, Any]
) -> None:
    assert set(charts_of(one)) == {"spreads", "band", "pairs"}
    assert set(charts_of(several)) == {"spreads", "queries", "band", "pairs"}
    assert set(charts_of(single)) == {"spreads", "queries", "band"}
    two = distributions_payload(["alpha", "beta"])
    assert set(charts_of(two)) == {"spreads", "band"}


def test_bars_of_a_chart_stand_on_their_system_and_hold_its_probability(
    one: dict[str, Any],
) -> None:
    drawn = charts_of(one)["spreads"]["data"]["values"]
    for place, system in enumerate(s["name"] for s in report_order(one)):
        own = [row for row in drawn if row["system"] == system and row["kind"] == "bar"]
        up = [row for row in own if row["measure"] == "precision"]
        down = [row for row in own if row["measure"] == "recall"]
        assert all(place < row["y2"] <= row["y"] < place + 0.5 for row in up)
        assert all(place + 0.5 < row["y"] <= row["y2"] < place + 1 for row in down)
    means = [row for row in drawn if row["kind"] == "mean"]
    assert len(means) == 6


def report_order(payload: dict[str, Any]) -> list[dict[str, Any]]:
    return sorted(payload["systems"], key=lambda system: -system["f1"]["mean"])


def test_every_picture_has_a_twin_with_rows(payload: dict[str, Any]) -> None:
    drawn = charts_of(payload)
    blocks = [block for section in report(payload).sections for block in section.blocks]
    for picture in (block for block in blocks if isinstance(block, Picture)):
        if picture.name in drawn:
            assert picture.twin.rows
            assert drawn[picture.name]["description"] == picture.words


def test_the_queries_drawn_are_those_in_which_systems_differ_most(
    several: dict[str, Any],
) -> None:
    means: dict[str, list[float]] = {}
    for result in several["results"]:
        means.setdefault(result["query"], []).append(result["f1"]["mean"])
    far = sorted(means, key=lambda query: min(means[query]) - max(means[query]))
    drawn = charts_of(several)["queries"]
    shown = drawn["layer"] and drawn["encoding"]["y"]["scale"]["domain"]
    assert shown == far[: len(shown)]
    assert (
        f"{len(shown)} of 30 queries, those in which the systems differ most"
        in (drawn["description"])
    )


@given(
    st.dictionaries(
        st.floats(0, 1).map(lambda x: round(x, 4)), st.floats(0.01, 1), min_size=1, max_size=300
    )
)
def test_bars_lose_no_probability_that_can_be_seen(held: dict[float, float]) -> None:
    total = sum(held.values())
    support = sorted(held)
    made = bars({"support": support, "mass": [held[x] / total for x in support]})
    assert math.isclose(sum(bar.mass for bar in made), 1, abs_tol=1e-2)
    for x in support:
        assert any(bar.low - 1e-9 <= x <= bar.high + 1e-9 for bar in made)


@pytest.mark.parametrize("points", [201, 333, 1000, 2000])
def test_bars_of_a_lattice_hold_equally_many_values(points: int) -> None:
    """Even values give even bars: bins that cut a lattice unevenly would draw a comb."""
    made = bars({"support": [i / points for i in range(points + 1)], "mass": [1.0] * (points + 1)})
    assert len(made) <= 101
    assert len({bar.mass for bar in made[:-1]}) == 1


def test_bins_are_narrow_where_values_lie_close_together() -> None:
    support = [0.5 + (i * math.sqrt(2) % 1) / 10 for i in range(300)]
    made = bars({"support": sorted(support), "mass": [1 / 300] * 300})
    assert {bar.width for bar in made} == {0.005}
    assert bars({"support": sorted(support), "mass": [1 / 300] * 300})[0].said == "0.5 to 0.505"


def test_the_verb_itself_is_told() -> None:
    """Lamiroy and Sun's Table 3 under their consensus: the figures of METHODS, section 4."""
    votes = {
        "item": ["d1", "d2", "d3", "d4", "d5", "d6", "d7"],
        "S1": [1, 1, 0, 1, 1, 0, 0],
        "S2": [1, 1, 1, 0, 0, 0, 0],
        "S3": [1, 1, 0, 0, 0, 1, 0],
    }
    found = distributions(cs.study(votes), belief=cs.consensus, beta=2.0)
    text = str(found)
    made = re.compile(r"made by .*")  # when it was made is another second by now
    assert made.sub("", text) == made.sub("", str(render(found.payload(), "text")))
    assert re.search(r"^S1 +0\.6000 \[.*\] +0\.7270 \[", text, flags=re.MULTILINE)
    assert "F2" in text
    assert "with probability 0.0041 there is no recall of S1, S2, S3" in text
    assert "AP of S1, S2, S3 is undefined: the answer has no order" in text
    assert set(cs.charts(found)) == {"spreads", "pairs"}
    assert "application/vnd.vegalite.v6+json" in found._repr_mimebundle_()
    for fmt in VERBS["distributions"]:
        assert render(found.payload(), fmt)
