"""The facts of ``check`` as a document: what there is, with pictures where there are gaps."""

from __future__ import annotations

from typing import Any

import pytest

import consilience as cs
from consilience.render import charts_of, parts, render
from consilience.render.documents import document, pictures
from consilience.render.overview_charts import coverage_cells, judged_rows
from consilience.render.overview_report import COLUMNS, rows
from consilience.verdict.checked import check_result
from tests.render import laws
from tests.render.every_verb import result_of


@pytest.fixture
def payload() -> dict[str, Any]:
    return result_of("check")


def test_laws_of_documents(payload: dict[str, Any]) -> None:
    laws.every_format_is_written(payload)
    laws.what_is_needed_is_enough(payload)
    laws.pages_are_closed_small_and_deaf_to_names(payload)


def test_the_page_says_what_there_is(payload: dict[str, Any]) -> None:
    told = parts(payload)
    assert told.headline.startswith("3 systems and 1 judge answered 5 queries with ")
    assert "Truth: partial (" in told.headline
    assert ("fact", "truth partial") in told.badges
    for title in ("What can be computed", "Who answered", "Answers and truth"):
        assert f"<h2>{title}</h2>" in told.content
    assert "1 have answers but no truth" not in told.content
    assert "1 has answers but no truth: left out" in told.content


def test_pictures_have_twins(payload: dict[str, Any]) -> None:
    coverage, judged = pictures(document(payload))
    drawn = charts_of(payload)
    cells = drawn["coverage"]["data"]["values"]
    assert len(cells) == len(coverage.twin.rows) * (len(coverage.twin.header) - 2) == 4 * 5
    assert [row[1] for row in coverage_cells(payload)] == ["5", "5", "3", "4"]
    assert len(judged.twin.rows) == len(judged_rows(payload)) == 3
    shares = [row["share"] for row in drawn["judged"]["data"]["values"] if "all" in row["depth"]]
    assert [f"{share:.4f}" for share in shares] == [row[3] for row in judged.twin.rows]


def test_the_first_ten_are_drawn_where_lists_are_longer(payload: dict[str, Any]) -> None:
    depths = {row["depth"] for row in charts_of(payload)["judged"]["data"]["values"]}
    assert depths == {"among all"}
    study = cs.study({"a": {"q": {f"d{k}": -float(k) for k in range(12)}}}, truth={"q": {"d3": 0}})
    found = charts_of(check_result(study))["judged"]["data"]["values"]
    assert [(row["depth"], row["share"]) for row in found] == [
        ("among the first 10", 1 / 10),
        ("among all", 1 / 12),
    ]


def test_nothing_is_drawn_where_nothing_is_missing() -> None:
    study = cs.study({"a": {"q": ["x"], "r": ["x"]}}, truth={"q": {"x": 1}, "r": {"x": 0}})
    payload = check_result(study)
    assert charts_of(payload) == {}
    assert "Nobody left out any of 2 queries." in str(render(payload, "text"))


def test_without_coverage_there_is_a_table(payload: dict[str, Any]) -> None:
    bare = {key: value for key, value in payload.items() if key != "coverage"}
    assert charts_of(bare) == {}
    assert "Who answered" in str(render(bare, "md"))


def test_without_truth_there_is_a_caution() -> None:
    told = parts(check_result(cs.study({"a": {"q": ["x"]}, "b": {"q": ["y"]}})))
    caution = "there is no truth: what can be told is agreement, not correctness"
    assert told.badges[-1] == ("caution", caution)


def test_people_alone() -> None:
    words = {"item": ["a", "b"], "ann": ["cat", "dog"], "bob": ["cat", None]}
    told = parts(check_result(cs.study(words, labels=True)))
    assert told.headline.startswith("People gave labels that are words, 2 different ones. 2 judges")
    assert "spoke of 2 items" in told.headline
    assert list(told.drawings) == ["coverage"]


def test_many_queries_are_drawn_in_blocks() -> None:
    runs = {
        name: {f"q{k:03}": ["x"] for k in range(0, 130, step)}
        for name, step in (("a", 1), ("b", 2))
    }
    told = parts(check_result(cs.study(runs)))
    cells = told.drawings["coverage"]["data"]
    assert "Which of 130 queries each respondent answered, in blocks of 3" in told.content
    assert cells[0]["column"] == "1"
    assert cells[0]["what"] == "q000 – q002"


def test_rows_are_respondents(payload: dict[str, Any]) -> None:
    made = rows(payload)
    assert [{*row} for row in made] == [{*COLUMNS}] * 4
    assert [row["missing_queries"] for row in made] == [0, 0, 1, None]
