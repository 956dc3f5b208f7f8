"""The document of ``agree``: nothing to draw, many annotators, odd names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.render import FORMATS, render
from consilience.render import agree_charts as charts
from consilience.render.agree_report import COLUMNS, report, rows
from consilience.render.report import Table

PEOPLE = ("text", "md", "latex", "html")


def payload(rows: list[list[Any]], **options: Any) -> dict[str, Any]:
    frame: dict[str, list[Any]] = {"item": [f"i{k}" for k in range(len(rows))]}
    frame |= {f"a{k}": [row[k] for row in rows] for k in range(len(rows[0]))}
    return cs.agree(cs.study(frame, labels=True), **options).payload()


@pytest.mark.parametrize(
    "said",
    [
        [["x", "x"]] * 4,  # one category
        [["x", "x"], ["y", "y"], ["x", "x"]],  # unanimous
        [["x", "y"], ["y", "x"]],  # too few for an interval
        [[0.25, 0.5], [0.75, 0.5], [1, 0.9]],
        [[1, 2], [2, 2], [3, 1], [5, 4]],
    ],
)
def test_every_result_has_every_form(said: list[list[Any]]) -> None:
    told = payload(said)
    for fmt in ("json", "csv", "parquet", *PEOPLE):
        assert fmt in FORMATS
        assert render(told, fmt)
    assert [{*row} for row in rows(told)] == [{*COLUMNS}] * 2


def test_what_is_undefined_is_said_and_not_drawn() -> None:
    told = payload([["x", "x"]] * 4)
    text = str(render(told, "text"))
    assert "undefined: all labels are 'x': chance would agree as well" in text
    assert charts.pair_matrix(told) is None
    assert charts.each_annotator(told) is None
    assert charts.category_matrix(told) is None
    assert "nan" not in text.lower()


def test_charts_show_what_the_result_holds() -> None:
    told = payload([["x", "y", "x"], ["y", "y", "y"], ["x", "x", "z"], ["z", "x", "z"]])
    for dark in (False, True):
        matrix = charts.pair_matrix(told, dark=dark)
        assert matrix is not None
        drawn = {(row["row"], row["column"]): row["v"] for row in matrix["data"]["values"]}
        for pair in told["pairs"]:
            assert drawn[pair["a"], pair["b"]] == drawn[pair["b"], pair["a"]] == pair["kappa"]
    cells = {(one["row"], one["column"]): one["pairs"] for one in charts.category_cells(told)}
    assert cells["y", "y"] == 3
    assert cells["x", "y"] == cells["y", "x"] == 2
    assert cells["x", "z"] == cells["z", "x"] == told["confusions"][0]["pairs"] == 4
    whole = sum(n for (a, b), n in cells.items() if a <= b)
    assert whole == 4 * 3  # four items, three pairs each
    share = sum(one["share"] for one in charts.category_cells(told) if one["row"] == "x")
    assert share == pytest.approx(1)


def test_with_many_annotators_tables_say_what_they_leave_out() -> None:
    rng = np.random.default_rng(0)
    said = rng.integers(0, 3, (40, 70)).astype(float)
    said[rng.random(said.shape) < 0.5] = np.nan
    told = payload(said.tolist(), scale="nominal")
    assert len(charts.paired(told)) == 60
    assert "60 of 70 annotators" in charts.pair_matrix_words(told)
    tables = [b for s in report(told).sections for b in s.blocks if isinstance(b, Table)]
    left = [table.left_out for table in tables if table.left_out]
    assert any(words.startswith("30 of 70 annotators") for words in left)
    defined = sum(pair["kappa"] is not None for pair in told["pairs"])
    assert any(words.startswith(f"15 of {defined:,} pairs") for words in left)
    assert len(told["pairs"]) == 70 * 69 // 2
    assert len(rows(told)) == 70


def test_names_cannot_break_the_page() -> None:
    nasty = ["<script>alert(1)</script>", "a|b", "50% & _more_"]
    frame = {"item": nasty, "ann": ["x", nasty[0], nasty[0]], "ben": ["x", "x", nasty[0]]}
    told = cs.agree(cs.study(frame, labels=True)).payload()
    page = str(render(told, "html"))
    assert "<script>alert" not in page
    assert r"a\|b" in str(render(told, "md"))
