"""The document of ``soft``: what it shows for one list, for many documents, for nothing at all."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest

import consilience as cs
from consilience.render import render
from consilience.render import soft_charts as charts
from consilience.render.report import Table
from consilience.render.soft_report import DOCUMENTS, ITEMS, columns, report, rows
from tests.render import laws

GOLD = ["cafe", "pizza", "hotel"]
FOUND = ["cafe", "coffee", "caffe", "pizza", "plaza"]


def cafe(**options: Any) -> dict[str, Any]:
    return cs.soft(GOLD, FOUND, **options).payload()


def many(documents: int = 8) -> dict[str, Any]:
    gold = {f"d{n}": ["neural network", f"grey colour {n}", "harbour"] for n in range(documents)}
    mine = {f"d{n}": ["neural networks", "airport"][: 1 + n % 2] for n in range(documents)}
    return cs.soft(gold, mine).payload()


def nasty() -> dict[str, Any]:
    names = ["<script>alert(1)</script>", "a|b & _c_ 50%", "x\x1b[31m" + "y" * 5000, "", "‮abc"]
    return cs.soft(names, [*names[::-1], "<img src=x>"]).payload()


def table(payload: dict[str, Any], title: str) -> Table:
    """Give the first table of a section."""
    section = next(one for one in report(payload).sections if one.title == title)
    return next(block for block in section.blocks if isinstance(block, Table))


@pytest.mark.parametrize(
    "payload",
    [
        cafe(),
        cafe(variant="paper"),
        cafe(variant="storm"),
        cafe(variant="diversity"),
        cafe(mode="instances"),
        many(),
        many(2),
        nasty(),
        cs.soft({"a": ["x"], "b": []}, {"a": [], "b": ["y"]}).payload(),
        cs.soft(["catdog"], ["cat", "dog"], variant="paper").payload(),
    ],
    ids=lambda payload: f"{payload['variant']} {payload['sizes']}",
)
def test_every_form_is_written(payload: dict[str, Any]) -> None:
    laws.every_format_is_written(payload)
    laws.what_is_needed_is_enough(payload)
    laws.pages_are_closed_small_and_deaf_to_names(payload)
    assert "nan" not in str(render(payload, "csv")).lower()


def test_the_figures_of_the_paper_are_shown() -> None:
    text = str(render(cafe(variant="paper"), "text"))
    first = next(line for line in text.splitlines() if line.startswith("soft, as in the paper"))
    assert first.split()[-3:] == ["0.9003", "0.8263", "0.8617"]
    crisp = next(line for line in text.splitlines() if line.startswith("crisp "))
    assert crisp.split()[-3:] == ["0.4000", "0.6667", "0.5000"]
    for shown in ("2.6667", "2.4475", "2.9108", "2.2034"):
        assert shown in text


def test_rows_are_items_of_one_document_and_documents_of_several() -> None:
    one, several = cafe(), many()
    assert columns(one) == ITEMS
    assert columns(several) == DOCUMENTS
    read = list(csv.DictReader(io.StringIO(str(render(one, "csv")))))
    assert {row["item"] for row in read if row["side"] == "gold"} == {*GOLD}
    assert [row["side"] for row in read] == ["gold"] * 3 + ["predicted"] * 5
    assert [row["document"] for row in rows(several)] == [f"d{n}" for n in range(8)]


def test_the_map_marks_matched_pairs() -> None:
    told = cafe()
    drawn = charts.similarities(told)
    assert drawn is not None
    cells = {(one["gold"], one["predicted"]): one for one in drawn["data"]["values"]}
    assert len(cells) == 15
    marked = {pair for pair, one in cells.items() if one["pair"] == "matched"}
    assert marked == {(pair["gold"], pair["predicted"]) for pair in told["pairs"]}
    assert cells["cafe", "caffe"]["similarity"] == pytest.approx(0.8)
    assert charts.similarities(cs.soft(["x"], []).payload()) is None


def test_labels_beside_the_map_are_short_and_different() -> None:
    told = nasty()
    drawn = charts.similarities(told, dark=True)
    assert drawn is not None
    for side in ("x", "y"):
        labels = drawn["encoding"][side]["scale"]["domain"]
        assert len({*labels}) == len(labels)
        assert max(map(len, labels)) <= charts.LETTERS + 5


def test_methods_and_documents_are_drawn() -> None:
    told = many()
    methods = charts.by_method(told)
    assert methods is not None
    first = methods["data"]["values"][:3]
    assert [one["value"] for one in first] == [told[key] for key in ("precision", "recall", "f1")]
    spread = charts.by_document(told)
    assert spread is not None
    for called, key in (("precision", "precision"), ("recall", "recall"), ("F1", "f1")):
        bars = [one for one in spread["data"]["values"] if one["measure"] == called]
        known = [one for one in told["per_document"] if one[key] is not None]
        assert sum(one["documents"] for one in bars) == len(known)
    assert charts.by_document(cafe()) is None


def test_a_value_above_one_is_shown_and_warned_of() -> None:
    told = cs.soft(["catdog"], ["cat", "dog"], variant="paper").payload()
    assert told["recall"] == pytest.approx(7 / 6)
    made = report(told)
    assert made.caution
    assert "1.1667" in str(render(told, "text"))
    spec = charts.by_method(told)
    assert spec is not None
    assert max(spec["layer"][0]["encoding"]["x"]["scale"]["domain"]) >= 7 / 6


def test_warnings_stand_in_every_form_for_people() -> None:
    told = {**cafe(), "warnings": ["an all-wrong answer would score 0.85"]}
    for fmt in ("text", "md", "latex", "html"):
        said = " ".join(str(render(told, fmt)).split())
        assert re.search("an all-wrong answer would score 0.85", said, re.IGNORECASE)


def test_what_is_undefined_has_a_reason() -> None:
    told = cs.soft(["x"], []).payload()
    assert told["precision"] is None
    text = str(render(told, "text"))
    assert f"precision is undefined: {told['undefined']['precision']}" in text


def test_long_results_say_what_they_leave_out() -> None:
    words = [f"{letter * 5} {other * 5}" for letter in "abcdefgh" for other in "klmnop"]
    told = cs.soft(words, words[::-1]).payload()
    text = str(render(told, "text"))
    assert "23 further items: see -f csv." in text
    assert "23 further pairs: see -f json." in text
    wide = many(30)
    assert "10 further documents: see -f csv." in str(render(wide, "text"))


def test_a_notebook_shows_the_figures_and_the_chart() -> None:
    shown = cs.soft(GOLD, FOUND)._repr_mimebundle_()
    assert {"text/plain", "text/html"} < {*shown}
    assert any(kind.startswith("application/vnd.vegalite") for kind in shown)
    assert {*cs.charts(cs.soft(GOLD, FOUND))} == {"methods", "similarities"}
    figures = cs.soft(GOLD, FOUND)._repr_html_()
    assert "matched with them" in figures
    assert figures.count("<table") == 2
    drawn = shown["application/vnd.vegalite.v5+json"]
    assert {"gold", "predicted", "similarity"} < {*drawn["data"]["values"][0]}


def test_the_page_shows_what_was_matched_first_and_text_the_figures() -> None:
    def order(payload: dict[str, Any], fmt: str, *titles: str) -> list[str]:
        said = str(render(payload, fmt))
        said = said[said.index("<h2>") :] if fmt == "html" else said
        mark = "<h2>{}</h2>" if fmt == "html" else "\n{}:\n"
        return sorted(titles, key=lambda title: said.index(mark.format(title)))

    one = ("Similarities", "Matched pairs", "Precision, recall and F1", "What each item counts")
    assert order(cafe(), "html", *one) == list(one)
    assert order(cafe(), "text", *one)[0] == one[2]
    several = ("Documents", "Precision, recall and F1", "Matched pairs", "What each item counts")
    assert order(many(), "html", *several) == list(several)
    assert order(many(), "text", *several)[0] == several[1]


def test_long_items_are_spelt_out_whole_and_once() -> None:
    gold = [
        f"{letter} long sentence of many words about {letter * 40} and the like" for letter in "abc"
    ]
    mine = [one.replace("about", "on") for one in gold]
    text = str(render(cs.soft(gold, [*mine, "x" * 900]).payload(), "text"))
    flat = " ".join(text.split())
    for item in (*gold, *mine):
        assert 1 <= flat.count(f"= {item}") <= 2  # in the list, and above the table
    assert f"{'x' * 300}… (900 letters)" in flat
    told = re.findall(r"^  (\S.*?) = ", text, re.MULTILINE)
    assert len({*told}) == len(told)


def test_a_side_is_named_once_and_pairs_that_are_equal_are_counted_if_any() -> None:
    text = str(render(cafe(), "text"))
    assert "gold (gold)" not in text
    assert "Items of gold\n" in text
    assert "equal" not in table(many(), "Matched pairs").title
    same = cs.soft({"a": ["x", "cafe"], "b": ["y"]}, {"a": ["x", "caffe"], "b": ["y"]}).payload()
    assert "without the 2 pairs that are equal" in table(same, "Matched pairs").title


def test_charts_call_methods_as_tables_do() -> None:
    told = cafe(mode="instances")
    names = {one["method"] for one in charts.methods(told)}
    assert names <= {row[0] for row in table(told, "Precision, recall and F1").rows}
    assert {"instances, one to one", "soft, maximum diversity"} < names


def test_tracks_are_called_by_their_names() -> None:
    line = "LINESTRING (11.5 48.1, 11.6 48.2)"
    parts = "MULTILINESTRING ((11.5 48.1, 11.6 48.2), (11.7 48.2, 11.8 48.2))"
    told = cs.soft([f"{line} Monday"], [parts], similarity="c-sim").payload()
    text = str(render(told, "text"))
    assert "Monday, 2 points" in text
    assert "4 points from 11.5 48.1" in text
    assert "LINESTRING" not in text
