"""What to label next, as a reader meets it: what it buys, when to stop, and rows to fill in."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import Any

import pyarrow.parquet as pq
import pytest

from consilience.errors import UsageError
from consilience.render import charts_of, html_fragment, next_charts, render
from consilience.render.next_report import SHOWN, about, worth
from tests.render import laws
from tests.render.conftest import HOSTILE
from tests.render.labelling import next_payload
from tests.render.test_agreement import flat


def hostile() -> dict[str, Any]:
    payload = next_payload(12)
    for row, name in zip(payload["rows"], HOSTILE, strict=False):
        row |= {"query": name, "item": name}
    return payload | {"headline": f"Label {HOSTILE[0]}.", "measure": HOSTILE[1]}


@pytest.mark.parametrize("made", [next_payload, lambda: next_payload(0), hostile])
def test_every_format_is_written(made: Any) -> None:
    laws.every_format_is_written(made())
    laws.what_is_needed_is_enough(made())
    laws.pages_are_closed_small_and_deaf_to_names(made())


def test_the_text_says_what_labels_buy_and_when_to_stop() -> None:
    made = flat(render(next_payload(), "text"))
    assert "These 100 labels are worth about 340 drawn at random." in made
    assert "Not settled at 95% for δ = 0.02 after 40 of 10,000 labels; about 210 more" in made
    assert "… and 80 more: write them to a file with -o labels.csv" in made
    assert "a system's F1 0.0410 0.0168 0.0309" in made
    assert made.index("worth about") < made.index("Not settled") < made.index("doc-")


def test_a_first_round_has_no_figure_of_now() -> None:
    payload = next_payload(30, labelled=0, stop=False)
    made = flat(render(payload, "text"))
    assert "a system's F1 – 0.0168" in made
    assert "settled" not in made
    assert "ls-eb, not calibrated" in made


@pytest.mark.parametrize("fmt", ["text", "md", "html"])
def test_people_see_the_first_rows(fmt: str) -> None:
    payload = next_payload()
    made = flat(render(payload, fmt))
    seen = [row["item"] in made for row in payload["rows"]]
    assert seen == [True] * SHOWN + [False] * (100 - SHOWN)
    assert "and 1 more" in flat(render(next_payload(SHOWN + 1), fmt))
    assert "more: write" not in flat(render(next_payload(SHOWN), fmt))


def test_rows_to_fill_in_have_five_columns() -> None:
    payload = next_payload()
    read = list(csv.reader(io.StringIO(str(render(payload, "csv")), newline="")))
    assert read[0] == ["query", "item", "probability", "round", "label"]
    for line, row in zip(read[1:], payload["rows"], strict=True):
        assert line[:2] == [row["query"], row["item"]]
        assert float(line[2]) == row["probability"]
        assert line[3:] == ["2", ""]


def test_parquet_holds_the_same_rows() -> None:
    payload = next_payload()
    made = render(payload, "parquet")
    assert isinstance(made, bytes)
    table = pq.read_table(io.BytesIO(made))
    assert table.column_names == ["query", "item", "probability", "round", "label"]
    assert table.column("probability").to_pylist() == [r["probability"] for r in payload["rows"]]
    assert table.column("label").null_count == 100


@pytest.mark.parametrize("fmt", ["label-studio", "argilla", "queue"])
def test_labelling_tools_get_json(fmt: str) -> None:
    payload = next_payload(5)
    made = str(render(payload, fmt))
    assert json.loads(made)
    assert all(row["item"] in made for row in payload["rows"])


def test_labelling_tools_are_for_next(normal: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="a result of rank has no queue form; possible: text"):
        render(normal, "queue")


def test_a_notebook_shows_what_matters() -> None:
    made = flat(html_fragment(next_payload()))
    assert "These 100 labels are worth about 340 drawn at random." in made
    assert "about 210 more would settle it" in made
    assert "doc-00218" in made


def test_charts_hold_what_the_payload_holds() -> None:
    payload = next_payload()
    drawn = charts_of(payload)
    assert list(drawn) == ["curve", "probabilities"]
    points = payload["gain"]["curve"]
    held = [row["error"] for row in drawn["curve"]["data"]["values"]]
    assert held == [p["designed"] for p in points] + [p["uniform"] for p in points]
    assert charts_of(next_payload(0) | {"gain": None}) == {}


@pytest.mark.parametrize("squeezed", [None, (0.1, 0.2), (0.341, 0.342), (0.5, 1.0), (0.3, 0.3)])
def test_every_item_is_in_one_bar(squeezed: tuple[float, float] | None) -> None:
    payload = next_payload()
    for i, row in enumerate(payload["rows"]):
        if squeezed:
            row["probability"] = squeezed[0] + (squeezed[1] - squeezed[0]) * i / 99
    bars = next_charts.bins(payload)
    assert sum(bar["items"] for bar in bars) == 100
    assert len(bars) <= 13
    for bar in bars:
        low, high = (float(end) for end in bar["between"].split("–"))
        inside = [row for row in payload["rows"] if low < row["probability"] <= high]
        assert abs(len(inside) - bar["items"]) <= bool(squeezed)  # rounding at an end
    assert next_charts.bins({"rows": [{"probability": 1e-9}]})[0]["items"] == 1


@pytest.mark.parametrize("value", [0.4, 9.4, 9.6, 10.0, 99.6, 338.4, 98_765.0])
def test_a_number_of_labels_is_rounded_to_two_digits(value: float) -> None:
    said = float(about(value).replace(",", ""))
    assert math.isclose(said, value, rel_tol=0.051, abs_tol=0.5)


def test_one_label_is_one() -> None:
    payload = next_payload(1) | {"gain": {"worth": 3.4, "ratio": 3.4}}
    assert worth(payload) == "this label is worth about 3 drawn at random"
    other = next_payload(103)
    told = "100 labels that are drawn like these are worth about 340 drawn at random"
    assert worth(other) == told
    assert f"{told}." in flat(render(other, "text"))
    said = other | {"headline": "Label these: they are worth about 340 drawn at random."}
    assert flat(render(said, "text")).count("worth about") == 1
    assert worth(payload | {"gain": None}) == ""
