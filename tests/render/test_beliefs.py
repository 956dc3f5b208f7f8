"""Beliefs in every format they have."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pyarrow.parquet as pq
import pytest

from consilience.errors import UsageError
from consilience.render import VERBS, render
from consilience.render.layout import cells_of
from consilience.render.text import text
from tests.render.conftest import HOSTILE
from tests.render.consensus import belief_payload


def test_a_belief_reads_as_a_whole(belief: dict[str, Any]) -> None:
    made = text(belief, width=100)
    start = """\
3 beliefs by ls-eb.

No ground truth was used: this is agreement.

query  item  belief
q1     d1    0.8000
q1     d2    0.5000
q1     d3         –
3 rows

Notes:
"""
    assert made.startswith(start)
    assert "belief    ls-eb, counted as 1.7 independent respondents" in made
    assert "assumes   errors of different families are independent" in made
    assert "caveat    no ground truth was used: this is agreement" in made


def test_a_long_belief_is_cut_and_says_so() -> None:
    made = text(belief_payload(1234), width=100)
    assert "40 of 1,234 rows are shown; csv, parquet and json hold all." in made
    assert len(made.splitlines()) < 70
    assert "40 of 1,234 rows are shown" in str(render(belief_payload(1234), "md"))


def test_every_format_of_a_belief_is_made(belief: dict[str, Any]) -> None:
    before = json.dumps(belief)
    for fmt in VERBS["belief"]:
        assert render(belief, fmt)
    assert json.dumps(belief) == before
    assert json.loads(str(render(belief, "json"))) == belief


@pytest.mark.parametrize("fmt", ["latex", "html"])
def test_other_formats_are_refused(belief: dict[str, Any], fmt: str) -> None:
    said = f"a result of belief has no {fmt} form; possible: text, json, csv, md, parquet, qrels"
    with pytest.raises(UsageError, match=said):
        render(belief, fmt)


def test_csv_and_parquet_hold_every_row(belief: dict[str, Any]) -> None:
    assert render(belief, "csv") == "query,item,belief\r\nq1,d1,0.8\r\nq1,d2,0.5\r\nq1,d3,\r\n"
    made = render(belief, "parquet")
    assert isinstance(made, bytes)
    assert pq.read_table(io.BytesIO(made)).to_pylist() == belief["rows"]


def test_categories_have_a_column(belief: dict[str, Any]) -> None:
    for row in belief["rows"]:
        row["category"] = "cat"
    read = list(csv.reader(io.StringIO(str(render(belief, "csv")), newline="")))
    assert read[:2] == [["query", "item", "belief", "category"], ["q1", "d1", "0.8", "cat"]]
    assert "q1     d1    0.8000  cat" in text(belief, width=100)
    assert "| q1 | d1 | 0.8000 | cat |" in str(render(belief, "md"))
    with pytest.raises(UsageError, match="about categories has no qrels form"):
        render(belief, "qrels")


def test_mentions_have_a_column(belief: dict[str, Any]) -> None:
    for i, row in enumerate(belief["rows"], 1):
        row |= {"item": "d1", "mention": i}
    read = list(csv.reader(io.StringIO(str(render(belief, "csv")), newline="")))
    assert read[:2] == [["query", "item", "mention", "belief"], ["q1", "d1", "1", "0.8"]]
    made = render(belief, "parquet")
    assert isinstance(made, bytes)
    assert pq.read_table(io.BytesIO(made)).to_pylist() == [
        {name: row[name] for name in ("query", "item", "mention", "belief")}
        for row in belief["rows"]
    ]
    assert "query  item  mention  belief\nq1     d1          1  0.8000" in text(belief, width=100)
    assert "| q1 | d1 | 2 | 0.5000 |" in str(render(belief, "md"))
    with pytest.raises(UsageError, match=r"items are mentions here; .*\(fix: -f csv\)"):
        render(belief, "qrels")


def test_qrels_grade_from_one_half_on() -> None:
    made = str(render(belief_payload(8), "qrels"))
    assert made.splitlines() == [
        "q1 0 d1 1",
        "q1 0 d2 1",
        "q2 0 d4 0",
        "q2 0 d5 1",
        "q2 0 d6 1",
        "q3 0 d8 0",
    ]


@pytest.mark.parametrize("name", ["query", "item"])
@pytest.mark.parametrize("bad", ["two words", "tab\there", "", " d1", "line\n"])
def test_qrels_refuse_white_space(belief: dict[str, Any], name: str, bad: str) -> None:
    belief["rows"][0][name] = bad
    with pytest.raises(UsageError, match=rf"the {name} .* cannot stand in qrels.*use csv"):
        render(belief, "qrels")


def test_hostile_items_stay_text(belief: dict[str, Any]) -> None:
    belief["rows"] = [{"query": "q", "item": bad, "belief": 0.5} for bad in HOSTILE]
    made = text(belief, width=60)
    assert all(character == "\n" or character.isprintable() for character in made)
    assert all(cells_of(line) <= 79 for line in made.splitlines())
    read = list(csv.DictReader(io.StringIO(str(render(belief, "csv")), newline="")))
    assert [row["item"] for row in read] == HOSTILE
    assert "\\<img src=x" in str(render(belief, "md"))


def test_an_empty_belief_is_still_a_result(belief: dict[str, Any]) -> None:
    belief["rows"] = []
    for fmt in set(VERBS["belief"]) - {"qrels"}:
        assert render(belief, fmt)
    assert render(belief, "qrels") == ""
    assert "0 rows" in text(belief, width=80)


def test_a_belief_from_truth_has_no_caveat(belief: dict[str, Any]) -> None:
    belief |= {"caveat": None, "method": "gold"}
    assert "agreement" not in text(belief, width=100)
