"""How compared rankings are told: tables, charts, names that would break them, what is cut."""

from __future__ import annotations

from typing import Any

import pytest

import consilience as cs
from consilience.render import correlate_charts as charts
from consilience.render import correlate_report, render
from tests.render import laws
from tests.render.conftest import HOSTILE


def rankings(names: list[str], *others: int) -> list[dict[str, float]]:
    """Rank systems in their order, then with some neighbours swapped."""
    true = {name: 1 - place / 100 for place, name in enumerate(names)}
    made = [true]
    for step in others:
        order = sorted(names, key=lambda name: (names.index(name) * step) % (len(names) + 1))
        made.append({name: float(-place) for place, name in enumerate(order)})
    return made


def told(names: list[str], *others: int, **options: Any) -> dict[str, Any]:
    payload: dict[str, Any] = cs.correlate(*rankings(names, *others), **options).payload()
    return payload


FEW = [f"s{place}" for place in range(6)]
MANY = [f"s{place:03}" for place in range(80)]


@pytest.fixture(scope="module")
def of_runs() -> dict[str, Any]:
    study = cs.example_study("keyphrases")
    payload: dict[str, Any] = cs.correlate_study(study, samples=50).payload()
    return payload


@pytest.mark.parametrize("names", [FEW, MANY, HOSTILE, ["a", "b"]], ids=len)
def test_laws_of_documents(names: list[str]) -> None:
    payload = told(names, 2, 3)
    laws.every_format_is_written(payload)
    laws.what_is_needed_is_enough(payload)
    laws.pages_are_closed_small_and_deaf_to_names(payload)


def test_hostile_names_of_rankings() -> None:
    scores = rankings(FEW, 2)
    made = cs.correlate(*scores)
    from dataclasses import replace

    from consilience.verdict.correlation import correlated
    from consilience.verdict.correlation_input import Ranking

    given = [Ranking(name, scores[0], measure=name) for name in HOSTILE]
    payload = correlated(given[0], given[1:]).payload()
    laws.every_format_is_written(payload)
    laws.pages_are_closed_small_and_deaf_to_names(payload)
    assert replace(made, headline="x").payload()["headline"] == "x"


def test_results_of_runs_are_told_with_intervals(of_runs: dict[str, Any]) -> None:
    laws.every_format_is_written(of_runs)
    laws.what_is_needed_is_enough(of_runs)
    said = " ".join(str(render(of_runs, "text")).split())
    assert "Agreement with the ranking by truth; in brackets: 95% intervals over queries" in said
    assert "60 queries drawn anew 50 times (bootstrap: Student's t times the standard error" in said
    (row, *_) = correlate_report.rows(of_runs)
    assert row["tau_b_low"] < row["tau_b"] < row["tau_b_high"]
    assert "no ground truth was used for them" in said


def test_what_is_undefined_is_a_dash_with_its_reason() -> None:
    flat = cs.correlate({"a": 1, "b": 2}, {"a": 3, "b": 3}).payload()
    text = str(render(flat, "text"))
    assert "are undefined: b ties all systems" in " ".join(text.split())
    row = next(line for line in text.splitlines() if line.startswith("b  "))
    assert row.split()[1] == "–"
    assert correlate_report.rows(flat)[0]["undefined"].startswith("tau_b: b ties all systems; tau")


@pytest.mark.parametrize("dark", [True, False])
def test_lines_are_drawn_of_few_systems_and_dots_of_many(dark: bool) -> None:
    few, many = told(FEW, 2, 3), told(MANY, 3)
    drawn = charts.slopes(few, dark=dark)
    assert drawn is not None
    assert len(drawn["data"]["values"]) == 3 * len(FEW)
    assert charts.scatter(few, dark=dark) is None
    assert charts.slopes(many, dark=dark) is None
    dots = charts.scatter(many, dark=dark)
    assert dots is not None
    assert len(dots["data"]["values"]) == len(MANY)
    assert {*cs.charts(few)} == {"slopes"}
    assert {*cs.charts(many)} == {"places"}
    assert {*cs.charts(told(MANY[:20], 3))} == {"slopes", "places"}
    assert cs.charts(cs.correlate({"a": 1}, {"a": 2}).payload()) == {}


def test_lines_tell_the_best_from_the_chosen() -> None:
    payload = cs.correlate({"a": 3, "b": 2, "c": 1}, {"a": 2, "b": 3, "c": 1}).payload()
    drawn = charts.slopes(payload)
    assert drawn is not None
    first = {row["system"]: row["first"] for row in drawn["data"]["values"]}
    assert first == {"a": "best", "b": "chosen", "c": ""}


def test_shared_tops_are_counted() -> None:
    payload = cs.correlate({"a": 3, "b": 2, "c": 1}, {"a": 3, "b": 1, "c": 1}, top=2).payload()
    assert "1.5 of 2" in str(render(payload, "text"))


def test_many_systems_are_cut_short_in_tables() -> None:
    text = str(render(told(MANY, 3), "text"))
    assert f"{80 - correlate_report.SYSTEMS} further systems: see -f json." in text
    page = str(render(told(MANY, 3), "html"))
    assert page.count("<td") > 80


def test_systems_that_one_ranking_lacks_have_a_dash() -> None:
    payload = cs.correlate({"a": 3, "b": 2, "c": 1}, {"a": 1, "b": 2}, {"a": 1, "c": 2}).payload()
    cells = {row[0]: row[3:] for row in charts.place_cells(payload)}
    assert cells == {"a": ("2", "2"), "b": ("1", "–"), "c": ("–", "1")}
