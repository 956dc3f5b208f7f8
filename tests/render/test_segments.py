"""Segments told: every format, the picture and its twin, nothing lost where there is nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import consilience as cs
from consilience.render import charts_of, render
from consilience.render.documents import document, pictures
from consilience.render.segments_charts import timeline, timeline_rows

AMI = Path(__file__).parents[1] / "data" / "ami"
SMALL = (
    [(0, 10, "speech"), (20, 30, "speech"), (31, 40, "music")],
    [(2, 12, "speech"), (22, 24, "speech"), (25, 29.5, "speech"), (50, 55, "music")],
)


def test_text_says_the_figures() -> None:
    result = cs.segments(*SMALL)
    told = str(result)
    for part in ("recall 0.5000", "F1 0.5743", "Missed 14.50 s", "several pieces: 1 gold segment"):
        assert part in told
    assert repr(result).startswith("<SegmentResult: predicted finds 50.0% of the time in gold")


@pytest.mark.parametrize("fmt", ["text", "json", "csv", "md", "latex", "html", "parquet"])
def test_formats(fmt: str) -> None:
    payload = cs.segments(AMI / "reference.rttm.gz", AMI / "vb.rttm.gz", labels="mapped").payload()
    assert render(payload, fmt)
    assert render(cs.segments({"a": []}, {"a": []}).payload(), fmt)


def test_the_picture_has_a_twin() -> None:
    payload = cs.segments(*SMALL).payload()
    (picture,) = pictures(document(payload))
    rows = timeline_rows(payload)
    assert len(picture.twin.rows) == len(rows) == 7
    states = [(row["side"], row["start"], row["state"]) for row in rows]
    assert ("gold", 31.0, "missed") in states
    assert ("predicted", 50.0, "false") in states
    assert ("gold", 20.0, "partly") in states
    assert timeline(payload, dark=True) is not None
    assert [*charts_of(payload)] == ["timeline"]
    assert timeline(cs.segments({"a": []}, {"a": []}).payload()) is None


def test_the_picture_says_what_it_leaves_out() -> None:
    payload = cs.segments(AMI / "reference.rttm.gz", AMI / "vb.rttm.gz").payload()
    (picture,) = pictures(document(payload))
    assert " of 2,023 segments" in picture.words
    assert "No class is on both sides" in str(render(payload, "text"))
