"""Detections as a result: names of both sides, figures, intervals, and what is undefined."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.errors import InputError, UsageError
from consilience.formats.boxes import read_boxes
from consilience.verdict.boxes import detections
from tests.measures.coco_twin import drawn, evaluated
from tests.shipped import SHIPPED

PADILLA = SHIPPED / "padilla"
KEYS = (
    *("headline", "warnings", "of", "mode", "variant", "similarity", "text", "names", "documents"),
    *("averaged", "precision", "recall", "f1", "undefined", "level", "intervals", "resampling"),
    *("null", "adjusted", "cardinality", "sizes", "counts", "pairs", "table", "baselines"),
    *("threshold", "per_document", "ap", "notes", "inputs", "input_hash", "id", "version"),
)


def coco(**changes: Any) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    truth: dict[str, Any] = {
        "images": [{"id": 1, "file_name": "x/cat.jpg"}, {"id": 2, "file_name": "x/dog.jpg"}],
        "categories": [{"id": 5, "name": "cat"}, {"id": 6, "name": "dog"}],
        "annotations": [
            {"id": 1, "image_id": 1, "category_id": 5, "bbox": [0, 0, 10, 10], "iscrowd": 0},
            {"id": 2, "image_id": 2, "category_id": 6, "bbox": [0, 0, 10, 10], "iscrowd": 0},
        ],
        **changes,
    }
    found = [{"image_id": 1, "category_id": 5, "bbox": [0, 0, 10, 8], "score": 0.5}]
    return truth, found


def test_every_key_of_soft_is_there() -> None:
    made = detections(*coco()).payload()
    assert set(KEYS) <= made.keys()
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    assert (made["verb"], made["of"], made["mode"]) == ("soft", "boxes", "instances")
    assert made["precision"] == 0.8
    assert made["recall"] == 0.4
    assert made["f1"] == pytest.approx(1.6 / 3)
    assert made["cardinality"] == pytest.approx(
        {"gold": 2, "predicted": 1, "union": 2.2, "intersection": 0.8}
    )
    at = made["at_threshold"]
    assert (at["matched"], at["false"], at["missed"]) == (1, 0, 1)
    assert made["pairs"] == [
        {
            "document": "x/cat.jpg",
            "gold": "0 0 10 10 cat",
            "predicted": "0 0 10 8 cat",
            "similarity": 0.8,
            "score": 0.5,
        }
    ]
    assert made["counts"]["gold"][1]["best"] is None
    assert made["intervals"]["recall"] is None  # two images are too few


def test_the_twelve_figures_have_names_and_are_those_of_pycocotools() -> None:
    truth, found = drawn(7)
    made = detections(truth, found).payload()["ap"]
    names = ["AP", "AP50", "AP75", "AP_small", "AP_medium", "AP_large"]
    names += ["AR_1", "AR_10", "AR_100", "AR_small", "AR_medium", "AR_large"]
    assert list(made["summary"]) == names
    theirs = evaluated(truth, found).stats
    np.testing.assert_allclose([made["summary"][name] for name in names], theirs, atol=1e-12)
    assert np.mean([one["ap"] for one in made["per_iou"]]) == pytest.approx(theirs[0])
    known = [one["AP50"] for one in made["per_class"] if one["AP50"] is not None]
    assert np.mean(known) == pytest.approx(theirs[1])
    curve = next(one for one in made["curves"] if one["iou"] == 0.5)
    assert np.mean(curve["precision"]) == pytest.approx(theirs[1])
    assert len(made["recall_points"]) == 101
    assert set(made["variants"]["coco"]) == {
        *("step", "interpolated", "11-point", "101-point", "trapezoid")
    }
    assert made["variants"]["coco"]["101-point"] == pytest.approx(theirs[1], abs=0.01)


@given(st.integers(0, 2**32 - 1))
def test_values_lie_in_their_intervals_and_bounds(seed: int) -> None:
    made = detections(*drawn(seed, images=8, true=30, found=40)).payload()
    for one in (made, made["at_threshold"]):
        for name in ("precision", "recall", "f1"):
            low, high = one["intervals"][name]
            assert 0 <= low <= high <= 1
            assert low - 1e-9 <= one[name] <= high + 1e-9
    at = made["at_threshold"]
    assert made["precision"] <= at["precision"] + 0.35  # greedy pairs may be fewer
    low, high = made["ap"]["intervals"]["AP"]
    assert 0 <= low <= made["ap"]["summary"]["AP"] <= high <= 1
    assert made["null"]["precision"] <= made["precision"] + 0.05
    assert sum(one["matched"] for one in made["per_document"]) == at["matched"]


def test_perfect_detections() -> None:
    truth, _ = drawn(3)
    for one in truth["annotations"]:
        one["iscrowd"] = 0
    found = [
        {key: one[key] for key in ("image_id", "category_id", "bbox")} | {"score": 1 - place / 1000}
        for place, one in enumerate(truth["annotations"])
    ]
    made = detections(truth, found).payload()
    assert made["precision"] == made["recall"] == made["f1"] == pytest.approx(1)
    assert made["ap"]["summary"]["AP"] == pytest.approx(1)
    assert made["adjusted"]["f1"] == pytest.approx(1)


def test_names_of_images_and_classes_are_looked_up(tmp_path: Path) -> None:
    truth, found = coco()
    by_id = detections(truth, found).payload()
    table = tmp_path / "found.csv"
    for image in ("x/cat.jpg", "cat.jpg", "cat", "1"):
        table.write_text(f"image,class,x,y,w,h,score\n{image},cat,0,0,10,8,0.5\n")
        made = detections(truth, table).payload()
        assert made["recall"] == by_id["recall"]
        assert made["ap"]["summary"] == by_id["ap"]["summary"]
    table.write_text("image,class,x,y,w,h,score\nbird.jpg,cat,0,0,10,8,0.5\n")
    with pytest.raises(UsageError, match="boxes and found have no image in common"):
        detections(truth, table)
    table.write_text("image,class,x,y,w,h\ncat,cat,0,0,10,8\nbird.jpg,cat,0,0,10,8\n")
    with pytest.raises(InputError, match=r"an image is not in boxes, such as 'bird\.jpg'"):
        detections(truth, table)


def test_classes_that_the_truth_does_not_know_are_false() -> None:
    truth, found = coco()
    found.append({**found[0], "category_id": 77})
    made = detections(truth, found).payload()
    assert made["at_threshold"]["false"] == 1
    assert any("77; all of them are false" in note for note in made["notes"])
    assert made["ap"]["summary"]["AP"] == detections(*coco()).payload()["ap"]["summary"]["AP"]
    aside = detections(truth, found, classes=False).payload()
    assert aside["at_threshold"]["matched"] == 1


def test_sides_without_a_class_in_common_are_refused() -> None:
    truth, found = coco()
    other = [{**one, "category_id": 70 + one["category_id"]} for one in found]
    with pytest.raises(UsageError, match="boxes and boxes have no class in common: 'cat' here, '7"):
        detections(truth, other)
    aside = detections(truth, other, classes=False).payload()
    assert aside["recall"] == detections(truth, found, classes=False).payload()["recall"]


def test_crowds_need_not_be_found() -> None:
    truth, found = coco()
    truth["annotations"][1]["iscrowd"] = 1
    inside = {"image_id": 2, "category_id": 6, "bbox": [1, 1, 2, 2], "score": 0.9}
    made = detections(truth, [*found, inside, inside]).payload()
    assert made["sizes"] == {"gold": 1, "predicted": 1}
    assert made["recall"] == 0.8
    assert any("2 detections inside them do not count" in note for note in made["notes"])


def test_studies_hold_both_sides(tmp_path: Path) -> None:
    study = cs.read([PADILLA / "detections"], truth=[PADILLA / "groundtruths"])
    whole = detections(PADILLA / "groundtruths", PADILLA / "detections").payload()
    made = detections(study).payload()
    assert made["ap"]["summary"] == whole["ap"]["summary"]
    assert made["recall"] == whole["recall"]
    with pytest.raises(UsageError, match="a study holds both sides"):
        detections(study, PADILLA / "detections")
    with pytest.raises(UsageError, match="boxes are missing: found nothing"):
        detections(PADILLA / "groundtruths")
    words = cs.study({"run": {"q": ["a"]}}, truth={"gold": {"q": ["a"]}})
    with pytest.raises(InputError, match="'a' is not a box"):
        detections(words)


def test_boxes_without_scores_have_no_ap() -> None:
    result = detections(PADILLA / "groundtruths", PADILLA / "groundtruths")
    made = result.payload()
    assert made["ap"] is None
    assert made["ap_undefined"] == "the predicted boxes have no scores"
    assert made["recall"] == 1
    assert made["names"] == {"gold": "groundtruths (truth)", "predicted": "groundtruths"}
    assert "without AP" in str(result)


def test_nothing_detected_and_nothing_true() -> None:
    truth, found = coco()
    made = detections(truth, []).payload()
    assert made["precision"] is None
    assert made["undefined"]["precision"] == "nothing was detected"
    assert made["recall"] == 0
    empty = detections({**truth, "annotations": []}, found).payload()
    assert empty["recall"] is None
    assert empty["ap"]["summary"]["AP"] is None
    assert empty["ap"]["undefined"]["AP"] == "no true box of this kind"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"iou": 0}, "iou must be above 0"),
        ({"iou": 1.5}, "iou must be above 0"),
        ({"iou": "x"}, "iou must be above 0"),
        ({"max_detections": 0}, "max_detections must be 1"),
        ({"max_detections": 1.5}, "max_detections must be 1"),
        ({"classes": "no"}, "classes must be True or False"),
        ({"level": 1.0}, "level must be between"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_what_cannot_be_asked(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        detections(*coco(), **asked)


def test_parts_and_pixels_do_not_mix(tmp_path: Path) -> None:
    (tmp_path / "00001.txt").write_text("0 0.5 0.5 0.2 0.2\n")
    with pytest.raises(
        UsageError, match=r"in parts of an image .as YOLO does., the other side in pixels"
    ):
        detections(PADILLA / "groundtruths", read_boxes(tmp_path / "00001.txt"))


def test_the_same_question_gives_the_same_id() -> None:
    one, two = (detections(*drawn(5)).payload() for _ in range(2))
    assert one["id"] == two["id"]
    assert detections(*drawn(6)).payload()["id"] != one["id"]


def test_boxes_compared_as_items_of_a_list_are_paired_alike() -> None:
    """What the general way of comparing makes of every image: one to one, from the same IoU on."""
    from consilience.cli.soft import compared

    files = Path(__file__).parents[2] / "docs" / "files" / "boxes"
    truth, found = (str(files / name) for name in ("truth.json", "detector.json"))
    general = compared(truth, found, similarity="boxes", level=0.95, seed=0)
    ours = detections(truth, found).payload()
    theirs = {one["document"]: one for one in general["per_document"]}
    for place, one in enumerate(ours["per_document"], start=1):
        for key in ("gold", "predicted", "precision", "recall", "f1"):
            assert one[key] == pytest.approx(theirs[str(place)][key])
