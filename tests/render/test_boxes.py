"""Reports of detections: every format, charts with their tables, names that are no markup."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from consilience.render import charts_of, render
from consilience.render.boxes_report import COLUMNS, report, rows
from consilience.render.report import Picture, Table
from consilience.verdict.boxes import detections
from tests.measures.coco_twin import drawn
from tests.render import laws
from tests.render.conftest import HOSTILE
from tests.shipped import SHIPPED

PADILLA = SHIPPED / "padilla"


@pytest.fixture
def payload() -> dict[str, Any]:
    return detections(*drawn(1, classes=4)).payload()


@pytest.fixture
def bare() -> dict[str, Any]:
    """No scores, no images with boxes: as little as there can be."""
    truth = {"images": [{"id": 1}], "annotations": [], "categories": []}
    return detections(truth, []).payload()


@pytest.fixture
def hostile() -> dict[str, Any]:
    truth, found = drawn(2, classes=len(HOSTILE), images=len(HOSTILE))
    for name, image, label in zip(HOSTILE, truth["images"], truth["categories"], strict=True):
        image["file_name"] = label["name"] = f"<b>{name}"
    return detections(truth, found).payload()


def test_every_format_is_written(
    payload: dict[str, Any], bare: dict[str, Any], hostile: dict[str, Any]
) -> None:
    for one in (payload, bare, hostile):
        laws.every_format_is_written(one)


def test_names_are_no_markup(hostile: dict[str, Any]) -> None:
    laws.pages_are_closed_small_and_deaf_to_names(hostile)


def test_charts_have_tables(payload: dict[str, Any]) -> None:
    charts = charts_of(payload)
    assert set(charts) == {"curves", "classes", "boxes"}
    blocks = [block for section in report(payload).sections for block in section.blocks]
    for block in blocks:
        if isinstance(block, Picture):
            assert block.twin.rows
            assert block.draw(dark=True) != block.draw()
        if isinstance(block, Table):
            assert all(len(row) == len(block.header) == len(block.kinds) for row in block.rows)


def test_the_drawn_boxes_are_those_of_the_table(payload: dict[str, Any]) -> None:
    (picture,) = [
        block
        for section in report(payload).sections
        for block in section.blocks
        if isinstance(block, Picture) and block.name == "boxes"
    ]
    spec = picture.draw()
    assert spec is not None
    assert len(spec["data"]["values"]) == len(picture.twin.rows)
    states = {row["state"] for row in spec["data"]["values"]}
    assert states <= {"matched", "missed", "false"}


def test_rows_hold_classes_thresholds_and_images(payload: dict[str, Any]) -> None:
    made = rows(payload)
    assert all(set(one) <= set(COLUMNS) for one in made)
    levels = [one["level"] for one in made]
    assert levels.count("class") == 4
    assert levels.count("iou") == 10
    assert levels.count("image") == payload["documents"]
    read = list(csv.DictReader(io.StringIO(str(render(payload, "csv")))))
    assert float(read[0]["AP"]) == payload["ap"]["summary"]["AP"]


def test_text_says_what_matters() -> None:
    told = str(detections(PADILLA / "groundtruths", PADILLA / "detections", iou=0.3))
    assert "finds 6 of 15 boxes of groundtruths at IoU 0.3" in " ".join(told.split())
    assert "11-point" in told
    assert "0.2684" in told
