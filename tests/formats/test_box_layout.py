# mypy: disable-error-code="return-value,var-annotated,arg-type,misc"
"""Corners, sizes or centres: decided where one fits, asked for where several do, never misread."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.errors import ChoiceError, InputError, UsageError
from consilience.formats.box_layout import _log_chance
from consilience.formats.boxes import read_several
from tests.measures.coco_twin import evaluated

Write = Callable[..., Path]
Box = tuple[float, float, float, float]


def scattered(count: int, seed: int, *, width: int = 640, height: int = 480) -> list[Box]:
    """Draw small boxes anywhere in an image: left, top, width, height."""
    rng = random.Random(seed)
    made: list[Box] = []
    for _ in range(count):
        w, h = rng.randint(20, 70), rng.randint(20, 70)
        made.append((rng.randint(0, width - w), rng.randint(0, height - h), w, h))
    return made


def corners(box: Box) -> Box:
    return box[0], box[1], box[0] + box[2], box[1] + box[3]


def folder(
    write: Write, name: str, images: Sequence[Sequence[Box]], *, scores: bool = False
) -> Path:
    """Write a text file for each image, with the numbers as they are given."""
    path = write("", f"{name}/none.txt").parent
    (path / "none.txt").unlink()
    for number, boxes in enumerate(images):
        lines = [
            f"cat {f'0.{place + 1:02d} ' if scores else ''}{' '.join(f'{v:g}' for v in box)}\n"
            for place, box in enumerate(boxes)
        ]
        write("".join(lines), f"{name}/im{number}.txt")
    return path


def moved(boxes: Sequence[Box], seed: int) -> list[Box]:
    rng = random.Random(seed)
    return [(x + rng.randint(-6, 6), y + rng.randint(-6, 6), w, h) for x, y, w, h in boxes]


def as_coco(images: Sequence[Sequence[Box]], found: Sequence[Sequence[Box]]) -> tuple[Any, Any]:
    truth: dict[str, Any] = {
        "images": [{"id": number} for number in range(len(images))],
        "categories": [{"id": 1, "name": "cat"}],
        "annotations": [
            {"image_id": n, "category_id": 1, "bbox": [*box], "area": box[2] * box[3], "iscrowd": 0}
            for n, boxes in enumerate(images)
            for box in boxes
        ],
    }
    for place, one in enumerate(truth["annotations"], start=1):
        one["id"] = place
    results = [
        {"image_id": n, "category_id": 1, "bbox": [*box], "score": (place + 1) / 100}
        for n, boxes in enumerate(found)
        for place, box in enumerate(boxes)
    ]
    return truth, results


@pytest.mark.parametrize("written", ["corners", "sizes"])
@pytest.mark.parametrize("said", [True, False])
def test_ap50_is_that_of_pycocotools_however_boxes_are_written(
    write: Write, written: str, said: bool
) -> None:
    images = [scattered(24, seed) for seed in range(4)]
    found = [moved(boxes, seed) for seed, boxes in enumerate(images)]
    theirs = evaluated(*as_coco(images, found)).stats[1]
    shape: Callable[[Box], Box] = corners if written == "corners" else lambda box: box
    gold = folder(write, "gold", [[shape(box) for box in boxes] for boxes in images])
    mine = folder(write, "mine", [[shape(box) for box in boxes] for boxes in found], scores=True)
    options: Any = {"boxes": written} if said else {}
    made = cs.detections(gold, mine, **options).payload()
    assert made["ap"]["summary"]["AP50"] == pytest.approx(theirs)
    order = "left top right bottom" if written == "corners" else "left top width height"
    assert any(f"boxes are {order}: " in note for note in made["notes"])


def brute_ap50(truth: Sequence[Any], found: Sequence[Any]) -> float:
    """Return the area under the interpolated curve of one class, box by box (VOC's rule)."""

    def iou(one: Box, other: Box) -> float:
        width = min(one[2], other[2]) - max(one[0], other[0])
        height = min(one[3], other[3]) - max(one[1], other[1])
        area = [(b[2] - b[0]) * (b[3] - b[1]) for b in (one, other)]
        both = max(width, 0) * max(height, 0)
        return both / (sum(area) - both)

    taken, right = set(), []
    for image, _, box in sorted(found, key=lambda one: -one[1]):
        near = [(iou(box, b), n) for n, (i, b, _) in enumerate(truth) if i == image]
        best, number = max(near, default=(0.0, -1))
        if best >= 0.5 and truth[number][2]:
            continue  # difficult: neither right nor wrong
        right.append(best >= 0.5 and number not in taken)
        if right[-1]:
            taken.add(number)
    hits = np.cumsum(right)
    precision = hits / np.arange(1, len(right) + 1)
    best_later = np.maximum.accumulate(precision[::-1])[::-1]
    count = sum(not one[2] for one in truth)
    return float(sum(p for p, good in zip(best_later, right, strict=True) if good) / count)


@pytest.mark.parametrize("seed", range(6))
def test_corner_folders_with_difficult_boxes_give_what_brute_force_gives(
    write: Write, seed: int
) -> None:
    rng = random.Random(seed)
    truth, found = [], []
    for image in range(3):
        lines, guesses = [], []
        for x, y, w, h in scattered(8, 10 * seed + image):
            left, top = x + 40, y + 40  # far from the border: the numbers fit sizes as well
            box = (left, top, left + w + 60, top + h + 60)
            hard = rng.random() < 0.3
            truth.append((image, box, hard))
            lines.append(f"cat {' '.join(map(str, box))}{' difficult' * hard}\n")
            shift, score = rng.randint(-60, 60), round(rng.random(), 4)
            guess = (box[0] + shift, box[1], box[2] + shift, box[3])
            found.append((image, score, guess))
            guesses.append(f"cat {score} {' '.join(map(str, guess))}\n")
        gold = write("".join(lines), f"gold/im{image}.txt").parent
        mine = write("".join(guesses), f"mine/im{image}.txt").parent
    with pytest.raises(ChoiceError):
        cs.detections(gold, mine)
    made = cs.detections(gold, mine, boxes="corners").payload()
    wrong = cs.detections(gold, mine, boxes="sizes").payload()
    assert made["ap"]["variants"]["voc"]["interpolated"] == pytest.approx(brute_ap50(truth, found))
    assert wrong["ap"]["variants"]["voc"] != made["ap"]["variants"]["voc"]
    assert any("true boxes are difficult" in note for note in made["notes"])


def test_few_boxes_that_fit_both_are_asked_for(write: Write) -> None:
    gold = folder(write, "gold", [[(10, 20, 30, 60)], [(50, 60, 90, 80)]])
    with pytest.raises(ChoiceError, match="'left top right bottom' or 'left top width height'"):
        cs.read_boxes(gold)
    with pytest.raises(ChoiceError):
        cs.read([gold])
    assert cs.read_boxes(gold, boxes="corners").box.tolist()[0] == [10, 20, 20, 40]
    assert cs.read_boxes(gold, boxes="sizes").box.tolist()[0] == [10, 20, 30, 60]
    with pytest.raises(UsageError, match="unknown layout of boxes 'corner'"):
        cs.read_boxes(gold, boxes="corner")


def test_large_objects_with_sizes_are_not_taken_for_corners(write: Write) -> None:
    # objects that fill their images: each width is above its left end, in images of any size
    images = [[(20 * k, 15 * k, 300 * k, 200 * k)] for k in range(1, 40)]
    with pytest.raises(ChoiceError):
        cs.read_boxes(folder(write, "filled", images))


def test_one_scene_again_and_again_decides_nothing(write: Write) -> None:
    # two large objects in sixty frames are one coincidence, not sixty
    frames = [[(10, 5, 50, 100), (60, 5, 100, 120)]] * 60
    with pytest.raises(ChoiceError):
        cs.read_boxes(folder(write, "frames", frames))


def test_many_detections_of_one_object_decide_nothing(write: Write) -> None:
    near: list[Box] = [(10 + k / 10, 5, 50, 100) for k in range(10)]
    far: list[Box] = [(60 + k / 10, 5, 100, 120) for k in range(10)]
    with pytest.raises(ChoiceError):
        cs.read_boxes(folder(write, "found", [[*near, *far]], scores=True))
    with pytest.raises(ChoiceError):
        cs.read_boxes(folder(write, "marked", [[*near, *far]]))


def test_a_mistyped_line_refutes_nothing(write: Write) -> None:
    boxes = [(k, k, k + 40.0, k + 40.0) for k in range(1, 60)]
    with pytest.raises(ChoiceError):
        cs.read_boxes(folder(write, "typed", [[*boxes[:59], (90.0, 90.0, 80.0, 99.0)]]))


def test_truth_and_predictions_are_decided_together(write: Write) -> None:
    gold = folder(write, "gold", [[(200, 150, 40, 30), (10, 20, 30, 60)]])
    mine = folder(write, "mine", [[(10, 20, 31, 61)]], scores=True)
    left, right = read_several([gold, mine])
    assert left.box.tolist()[1] == [10, 20, 30, 60]
    assert right.box.tolist() == [[10, 20, 31, 61]]
    study = cs.read([mine], truth=[gold])
    assert "10 20 31 61 cat" in study.items.names(range(3))


def test_sides_that_are_written_differently_are_refused(write: Write) -> None:
    images = [scattered(14, seed) for seed in range(3)]
    gold = folder(write, "gold", images)
    mine = folder(write, "mine", [[*map(corners, boxes)] for boxes in images], scores=True)
    with pytest.raises(UsageError, match="mine reads as corners in all of 42 lines"):
        cs.detections(gold, mine)
    left, right = cs.read_boxes(gold, boxes="sizes"), cs.read_boxes(mine, boxes="corners")
    assert cs.detections(left, right).payload()["at_threshold"]["missed"] == 0


def test_an_image_whose_size_is_known_decides(write: Write) -> None:
    truth, _ = as_coco([[(300, 200, 80, 60)]], [[]])
    truth["images"] = [{"id": 0, "file_name": "im0.jpg", "width": 400, "height": 300}]
    mine = folder(write, "mine", [[(300, 200, 380, 260)]], scores=True)
    made = cs.detections(truth, mine).payload()
    assert made["pairs"][0]["similarity"] == 1
    assert any("as sizes, 1 of 1 ends before it begins or leaves" in one for one in made["notes"])
    table = write(
        "filename,width,height,xmin,ymin,xmax,ymax,class\nim0.jpg,400,300,300,200,380,260,cat\n",
        "t.csv",
    )
    assert cs.detections(table, mine).payload()["pairs"][0]["similarity"] == 1


@pytest.mark.parametrize(
    ("lines", "box", "relative"),
    [
        ("0 0.5 0.5 0.2 0.4\n1 0.1 0.1 0.2 0.2\n", [0.4, 0.3, 0.2, 0.4], True),  # YOLO
        ("0 0.5 0.5 0.2 0.4 0.9\n", [0.4, 0.3, 0.2, 0.4], True),  # YOLO with a score
        ("0 0.9 0.5 0.5 0.2 0.4\n", [0.4, 0.3, 0.2, 0.4], True),  # Padilla's, the score second
        ("cat 0.1 0.2 0.5 0.9\n", [0.1, 0.2, 0.4, 0.7], True),  # corners in parts
        ("cat 100 50 20 40\n", [100, 50, 20, 40], False),
    ],
)
def test_other_texts_are_decided(
    write: Write, lines: str, box: list[float], relative: bool
) -> None:
    boxes = cs.read_boxes(write(lines, "alone/a.txt"))
    np.testing.assert_allclose(boxes.box[0], box)
    assert boxes.relative is relative


@pytest.mark.parametrize(
    "lines", ["0 0.5 0.5 0.6 0.7\n", "cat 0.5 0.5 0.2 0.4\n", "cat 0.5 0.5 0.5 0.5\n"]
)
def test_other_texts_are_asked_for(write: Write, lines: str) -> None:
    with pytest.raises(ChoiceError):
        cs.read_boxes(write(lines, "alone/a.txt"))


def test_a_score_that_may_stand_second_or_last_is_refused(write: Write) -> None:
    path = write("0 0.5 0.4 0.3 0.2 0.5\n", "alone/a.txt")
    with pytest.raises(InputError, match="the score may stand second or last"):
        cs.read_boxes(path)
    boxes = cs.read_boxes(path, boxes="centres")
    assert boxes.score is not None
    np.testing.assert_allclose(boxes.box, [[0.35, 0.3, 0.3, 0.2]])


def test_parts_of_an_image_become_pixels_where_its_size_is_known(write: Write) -> None:
    truth, _ = as_coco([[(80, 90, 40, 120)]], [[]])
    truth["images"] = [{"id": 0, "file_name": "im0.jpg", "width": 200, "height": 300}]
    truth["categories"][0]["id"] = truth["annotations"][0]["category_id"] = 0
    path = write("0 0.5 0.5 0.2 0.4 0.9\n", "yolo/im0.txt").parent
    made = cs.detections(truth, path).payload()
    assert made["pairs"][0]["similarity"] == pytest.approx(1)
    assert any("became pixels" in note for note in made["notes"])
    del truth["images"][0]["width"]
    with pytest.raises(UsageError, match=r"as YOLO does.*the size of image 'im0' is not known"):
        cs.detections(truth, path)


def test_boxes_that_are_neither_are_refused_with_a_line(write: Write) -> None:
    path = write("cat 100 50 20 -40\ncat 100 50 20 -30\n", "alone/a.txt")
    with pytest.raises(InputError):
        cs.read_boxes(path)


@pytest.mark.parametrize("seed", range(20))
def test_the_share_of_dealings_is_that_of_all_permutations(seed: int) -> None:
    rng = random.Random(seed)
    low = [rng.randint(0, 9) for _ in range(5)]
    high = [one + rng.randint(0, 6) for one in low]
    ways = itertools.permutations(high)
    kept = sum(all(h >= one for h, one in zip(way, low, strict=True)) for way in ways)
    share = math.exp(_log_chance(np.array(low, float), np.array(high, float)))
    assert share == pytest.approx(kept / math.factorial(5))
