"""Difficult boxes (VOC): ignored, with ordinary overlap; equal to VOC's rule in plain loops."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from consilience.formats.boxes import read_boxes
from consilience.measures.detection import Side, match
from consilience.verdict.boxes import detections

HEADER = "image,left,top,width,height,class,score,difficult\n"


def side(rng: np.random.Generator, many: int, images: int, around: NDArray[np.float64]) -> Side:
    box = around[rng.integers(len(around), size=many)] + rng.normal(0, 3, (many, 4))
    box[:, 2:] = np.abs(box[:, 2:]) + 1
    image, label = rng.integers(images, size=many), rng.integers(2, size=many)
    difficult = rng.random(many) < 0.4
    none = np.zeros(many, bool)
    return Side(image, label, box, box[:, 2] * box[:, 3], rng.random(many), none, difficult)


def iou(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    wide = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    high = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    common = max(wide, 0) * max(high, 0)
    return float(common / (a[2] * a[3] + b[2] * b[3] - common))


def slowly(gold: Side, found: Side, bar: float) -> dict[int, str]:
    """VOC's rule as its paper and program have it, a detection after the other."""
    assert gold.difficult is not None
    taken: set[int] = set()
    told = {}
    for row in np.argsort(-found.score, kind="stable").tolist():
        mine = np.flatnonzero((gold.image == found.image[row]) & (gold.label == found.label[row]))
        shared = [iou(found.box[row], gold.box[one]) for one in mine]
        if not shared or max(shared) < bar:
            told[row] = "false"
            continue
        best = int(mine[int(np.argmax(shared))])
        if gold.difficult[best]:
            told[row] = "ignored"
        else:
            told[row] = "false" if best in taken else "right"
            taken.add(best)
    return told


@pytest.mark.parametrize("seed", range(10))
def test_difficult_boxes_are_those_of_voc(seed: int):
    rng = np.random.default_rng(seed)
    around = np.column_stack([rng.uniform(0, 60, (6, 2)), rng.uniform(10, 20, (6, 2))])
    gold, found = side(rng, 25, 3, around), side(rng, 60, 3, around)
    one = match(gold, found, thresholds=[0.4], rule="voc")
    states = np.where(one.ignored, "ignored", np.where(one.hit, "right", "false"))[0, 0]
    assert dict(zip(one.row.tolist(), states.tolist(), strict=True)) == slowly(gold, found, 0.4)
    assert {*states.tolist()} == {"ignored", "right", "false"}


def test_a_small_box_in_a_difficult_one_is_false_and_in_a_crowd_is_not():
    box = np.array([[0.0, 0, 100, 100]])
    yes, no, zero = np.ones(1, bool), np.zeros(1, bool), np.zeros(1, np.int64)
    difficult = Side(zero, zero, box, np.full(1, 1e4), np.ones(1), no, yes)
    small = Side(zero, zero, box * [1, 1, 0.1, 0.1], np.full(1, 100.0), np.ones(1), no)
    for rule in ("coco", "voc"):
        one = match(difficult, small, thresholds=[0.5], rule=rule)
        assert one.false.all()
        assert not one.ignored.any()
        crowd = replace(difficult, crowd=yes, difficult=None)
        assert match(crowd, small, thresholds=[0.5], rule=rule).ignored.all()


def test_a_table_with_difficult_boxes(tmp_path: Path):
    true, found = tmp_path / "true.csv", tmp_path / "found.csv"
    true.write_text(f"{HEADER}a,0,0,10,10,cat,1,0\na,50,50,10,10,cat,1,1\n")
    found.write_text(
        f"{HEADER}a,0,0,10,10,cat,0.9,\na,50,50,10,10,cat,0.8,\na,50,50,10,9,cat,0.7,\n"
        "a,50,50,2,2,cat,0.6,\n"
    )
    read = read_boxes(true)
    assert read.difficult is not None
    assert read.difficult.tolist() == [False, True]
    assert not read.crowd.any()
    result = detections(true, found)
    made = result.payload()["at_threshold"]
    assert (made["matched"], made["false"], made["missed"]) == (1, 1, 0)
    assert any("1 true boxes are difficult" in note for note in result.notes)
