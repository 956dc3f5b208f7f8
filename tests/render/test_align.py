"""How alignments are told: tables, charts, and what is left out."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs
from consilience.render import align_charts as charts
from consilience.render import align_report, render
from tests.match.copies import noisy, text_of


def payload(sources: int = 3, length: int = 60, *, truth: bool = False, share: float = 0.2):
    rng = np.random.default_rng(11)
    text = text_of(rng, length)
    copies = {f"s{k}": noisy(rng, text, share) for k in range(sources)}
    return cs.align(copies, truth=text if truth else None).payload()


def test_tables_show_the_first_columns_that_differ():
    told = payload(length=400)
    shown = [at for _, here in align_report.chosen_columns(told) for at in here]
    assert len(shown) == align_report.SHOWN
    said = " ".join(str(render(told, "text")).split())
    assert "further columns on which not all agree: see -f csv." in said


def test_columns_that_all_agree_are_not_shown():
    told = cs.align({"a": "x y", "b": "x y"}).payload()
    assert list(align_report.chosen_columns(told)) == []
    assert "Where they differ" not in str(render(told, "text"))


def test_many_pairs_are_cut_short():
    told = payload(sources=8)
    assert "8 further pairs: see -f json." in str(render(told, "text"))


@pytest.mark.parametrize("truth", [True, False])
@pytest.mark.parametrize("dark", [True, False])
def test_charts_are_drawn_of_all_sources(truth, dark):
    told = payload(truth=truth)
    chosen = list(align_report.chosen_columns(told))
    for spec in (
        charts.methods(told, dark=dark),
        charts.places(told, dark=dark),
        charts.cells(told, chosen, dark=dark),
    ):
        assert spec is not None
        assert {row["source"] for row in spec["data"]["values"]} >= {"s0", "s1", "s2"}


def test_charts_hold_tokens_against_the_truth_where_there_is_one():
    told = cs.align({"a": "x q", "b": "y q"}, truth="y q").payload()
    cells = charts.cell_rows(told, list(align_report.chosen_columns(told)))
    said = {row["source"]: row["is"] for row in cells if row["column"] == "1"}
    assert said == {"a": "differs", "b": "agrees", "truth": "agrees"}
    assert "the truth" in charts.places_words(told)
    shares = {row["source"]: row["share"] for row in charts.place_rows(told) if not row["stretch"]}
    assert shares == {"a": 1.0, "b": 0.0}


def test_many_sources_have_no_chart_of_cells():
    told = payload(sources=12)
    assert charts.cells(told, list(align_report.chosen_columns(told))) is None


def test_empty_alignments_are_told():
    told = cs.align({"a": "", "b": ""}).payload()
    assert "of 0 columns all agree on 0." in str(render(told, "text"))
    assert charts.places(told) is None
    for fmt in ("md", "latex", "html", "csv"):
        assert render(told, fmt)


HOSTILE = ("<b>&x</b>", "a_b%$#{}\\", "two\nlines\x1b[31m", "x" * 300, "\u202eright", "|", "")


@pytest.mark.parametrize("fmt", ["text", "md", "latex", "html", "csv", "json", "parquet"])
def test_names_and_tokens_of_any_kind_are_written(fmt):
    read = {name or "none": [*HOSTILE, f"t{k}"] for k, name in enumerate(HOSTILE)}
    made = render(cs.align(read, truth=list(HOSTILE)).payload(), fmt)
    assert made
    if fmt == "html":
        assert "<b>&x</b>" not in str(made)
    if fmt == "text":
        assert "\x1b" not in str(made)


def test_the_caveat_stands_in_every_format():
    told = payload()
    for fmt in ("text", "md", "html"):
        assert "no ground truth was used" in str(render(told, fmt)).lower()
