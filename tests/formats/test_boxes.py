"""Files of boxes: what is read, what is refused, and what stays what it was."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.errors import InputError, UsageError
from consilience.formats.boxes import holds_boxes, read_boxes
from consilience.formats.files import look
from consilience.formats.recognise import recognise
from tests.formats.conftest import Write
from tests.shipped import SHIPPED

PADILLA = SHIPPED / "padilla"
TRUTH: dict[str, Any] = {
    "info": {"year": 2014, "description": 'boxes "quoted" {'},
    "images": [{"id": 74, "file_name": "dog.jpg"}, {"id": 9, "file_name": "empty.jpg"}],
    "annotations": [
        {"id": 1, "image_id": 74, "category_id": 18, "bbox": [1.5, 2, 30, 40], "iscrowd": 0},
        {"id": 2, "image_id": 74, "category_id": 1, "bbox": [5, 5, 5, 5], "area": 20, "iscrowd": 1},
    ],
    "categories": [{"id": 18, "name": "dog"}, {"id": 1, "name": "person"}],
}
RESULTS = [
    {"image_id": 74, "category_id": 18, "bbox": [1, 2, 30, 40], "score": 0.5},
    {"image_id": 9, "category_id": 1, "bbox": [0, 0, 1, 1], "score": 0.25},
]


def write(folder: Path, name: str, data: Any, **how: Any) -> Path:
    path = folder / name
    path.write_text(data if isinstance(data, str) else json.dumps(data, **how))
    return path


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("order", [1, -1])
def test_a_ground_truth_is_known_whatever_stands_first(
    tmp_path: Path, indent: int | None, order: int
) -> None:
    data = dict(list(TRUTH.items())[::order])
    boxes = read_boxes(write(tmp_path, "truth.json", data, indent=indent))
    assert boxes.source.recognised == "COCO ground truth"
    assert boxes.images == ("9", "74")
    assert boxes.image_names == ("empty.jpg", "dog.jpg")
    assert boxes.classes == ("1", "18")
    assert boxes.class_names == ("person", "dog")
    assert boxes.texts() == ["1.5 2 30 40 18", "5 5 5 5 1"]
    assert boxes.area.tolist() == [1200, 20]
    assert boxes.crowd.tolist() == [False, True]
    assert boxes.score is None
    assert boxes.listed


def test_a_truth_whose_boxes_begin_late_is_known(tmp_path: Path) -> None:
    images = [{"id": n} for n in range(5000)]
    data = {"images": images, "categories": TRUTH["categories"], "annotations": []}
    data["annotations"] = [{"id": 1, "image_id": 7, "category_id": 1, "bbox": [0, 0, 1, 1]}]
    path = write(tmp_path, "late.json", data, indent=1)
    assert holds_boxes(path)
    assert len(read_boxes(path).images) == 5000


@pytest.mark.parametrize("indent", [None, 2])
def test_results_are_known(tmp_path: Path, indent: int | None) -> None:
    path = tmp_path / "found.json.gz"
    path.write_bytes(gzip.compress(json.dumps(RESULTS, indent=indent).encode()))
    boxes = read_boxes(path)
    assert boxes.source.recognised == "COCO results"
    assert boxes.name == "found"
    assert boxes.score is not None
    assert boxes.score.tolist() == [0.5, 0.25]
    lines = write(tmp_path, "found.jsonl", "\n".join(map(json.dumps, RESULTS)))
    again = read_boxes(lines)
    assert again.source.recognised == "COCO results, one a line"
    assert again.texts() == boxes.texts()
    assert read_boxes(RESULTS).texts() == boxes.texts()


def test_studies_take_boxes(tmp_path: Path) -> None:
    truth = write(tmp_path, "truth.json", TRUTH)
    study = cs.read([write(tmp_path, "found.json", RESULTS)], truth=[truth])
    assert set(study.queries) == {"74", "9"}
    assert study.systems == ("found",)
    assert len(study.answers) == 2
    both = cs.read([truth, tmp_path / "found.json"])
    assert set(both.respondents.kind) == {"gold", "system"}


def test_folders_of_text_files(tmp_path: Path) -> None:
    gold, found = (read_boxes(PADILLA / name) for name in ("groundtruths", "detections"))
    assert (len(gold), len(found), len(gold.images)) == (15, 24, 7)
    assert gold.texts()[0] == "25 16 38 56 person"
    assert found.score is not None
    assert found.score[0] == 0.88
    folder = tmp_path / "mine"
    folder.mkdir()
    write(folder, "a.txt", "cat 0.9 1 2 3 4\n")
    write(folder, "b.txt", "\n")
    boxes = read_boxes(folder, boxes="sizes")
    assert boxes.images == ("a", "b")
    assert boxes.name == "mine"
    write(folder, "c.txt", "cat 1 2 3 4\n")
    with pytest.raises(InputError, match="some files have scores"):
        read_boxes(folder)
    write(folder, "c.txt", "cat 1 2 3\n")
    with pytest.raises(InputError, match="no boxes that can be read"):
        read_boxes(folder)


def test_parts_of_an_image(tmp_path: Path) -> None:
    boxes = read_boxes(write(tmp_path, "a.txt", "0 0.5 0.5 0.2 0.4 0.75\n3 0.1 0.1 0.2 0.2 0.5\n"))
    assert boxes.relative
    np.testing.assert_allclose(boxes.box, [[0.4, 0.3, 0.2, 0.4], [0, 0, 0.2, 0.2]])
    assert boxes.classes == ("0", "3")
    assert boxes.score is not None
    assert boxes.score.tolist() == [0.75, 0.5]


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("image,class,x,y,w,h,score", "a.jpg,cat,1,2,3,4,0.5"),
        ("filename,width,height,class,xmin,ymin,xmax,ymax,score", "a.jpg,640,480,cat,1,2,4,6,0.5"),
        ("image_id\tx1\ty1\tx2\ty2\tlabel\tconfidence", "a.jpg\t1\t2\t4\t6\tcat\t0.5"),
        ("image;left;top;width;height;category;score", "a.jpg;1;2;3;4;cat;0.5"),
    ],
)
def test_tables_of_boxes(tmp_path: Path, header: str, row: str) -> None:
    boxes = read_boxes(write(tmp_path, "t.csv", f"{header}\n{row}\n"))
    assert boxes.texts() == ["1 2 3 4 cat"]
    assert boxes.images == ("a.jpg",)
    assert boxes.score is not None
    assert boxes.score.tolist() == [0.5]


def test_tables_of_several_systems(tmp_path: Path) -> None:
    path = write(tmp_path, "t.csv", "image,system,x,y,w,h\na,A,1,2,3,4\na,B,1,2,3,5\nb,B,0,0,1,1\n")
    assert cs.read([path]).systems == ("A", "B")
    assert read_boxes(path, system="B").images == ("a", "b")
    with pytest.raises(UsageError, match="boxes of 2 systems: A, B"):
        read_boxes(path)
    with pytest.raises(UsageError, match="unknown system 'C'"):
        read_boxes(path, system="C")


def test_no_boxes_is_an_answer(tmp_path: Path) -> None:
    assert len(read_boxes(write(tmp_path, "none.json", "[]\n"))) == 0


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([{"image_id": 1, "bbox": [1, 2, 3]}], "entry 1: bbox is not four numbers"),
        ([{"image_id": 1, "bbox": [1, 2, -3, 4]}], "a width or height below 0"),
        ([RESULTS[0], {"bbox": [1, 2, 3, 4]}], "entry 2: image_id is missing"),
        ([RESULTS[0], 7], "entry 2: expected an object"),
        ([RESULTS[0], {**RESULTS[0], "score": "x"}], "entry 2: score must be a number"),
        ([RESULTS[0], {"image_id": 1, "bbox": [1, 2, 3, 4]}], "give all boxes a score, or none"),
        ({**TRUTH, "images": []}, "annotation 1: no image has the id 74"),
        ({**TRUTH, "images": [*TRUTH["images"], {"id": 9}]}, "two image entries have the id 9"),
        ({**TRUTH, "categories": [{"id": 18}]}, "no category has the id 1"),
        ({**TRUTH, "images": None}, "the list 'images' is missing"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, data: Any, message: str) -> None:
    path = write(tmp_path, "a.json", data)
    with pytest.raises(InputError, match=r"a\.json: .*\(fix: ") as error:
        read_boxes(path)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "image,x,y,w,h\na,1,2,3,four\n", "a.csv:2: h must be a number, found 'four'"),
        ("a.csv", "image,x1,y1,x2,y2\na,0,0,1,1\nb,5,5,1,9\n", "a.csv:3: the box has a width"),
        ("a.csv", "image,x,y,w,h,y\na,1,2,3,4,5\n", "a.csv:1: two columns are called 'y'"),
        ("a.txt", "cat 1 2 3 4\n" * 300 + "cat 1 2 3\n", "a.txt:301: expected a class and 4"),
        ("a.txt", "cat 1 2 3 4\n" * 300 + "cat 1 2 -3 4\n", "a.txt:301: the box has a width"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    path = write(tmp_path, name, text)
    with pytest.raises(InputError) as error:
        read_boxes(path)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [
        ("a.run", "q1 Q0 7 1 2.5 9\nq1 Q0 8 2 1.5 9\n", "TREC run"),
        ("a.txt", "q1 0 7 1 2.5 9\nq1 0 8 2 1.5 9\n", "TREC run"),
        ("a.txt", "301 0 12 1\n301 0 13 0\n", "TREC qrels"),
        ("a.csv", "query,item,x,y,w,h\nq,a,1,2,3,4\n", "CSV"),
        ("a.csv", "item,width,height\na,3,4\n", "CSV"),
        ("a.json", '{"q1": {"a": 1.5}, "images": {"b": 2}}', "JSON"),
        ("a.json", '[{"query": "q", "item": "a", "score": 1}]', "JSON"),
        ("a.txt", "one 1 2 3 four\n", "list"),
    ],
)
def test_other_files_stay_what_they_were(tmp_path: Path, name: str, text: str, form: str) -> None:
    path = write(tmp_path, name, text)
    assert not holds_boxes(path)
    assert recognise(look(path)).form == form


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("0 0.5 0.5 0.2 0.2\n", "boxes of an image (YOLO)"),
        ("cat 10 20 15 18\n", "boxes of an image"),
    ],
)
def test_one_box_in_one_file(tmp_path: Path, line: str, form: str) -> None:
    """A single line was a list of one item."""
    assert recognise(look(write(tmp_path, "img1.txt", line))).form == form


def test_boxes_of_several_images_are_not_pooled(write: Write) -> None:
    header, rows = "x1,y1,x2,y2,label,score", ["1,1,5,5,a,.5", "2,2,5,5,a,.4"]
    text = f"photo_id,{header}\np1,{rows[0]}\np2,{rows[1]}\n"
    with pytest.raises(InputError, match="'photo_id' is not used, and may say where"):
        cs.read(write(text, "b.csv"))
    read = cs.read(write(text.replace("photo_id", "image"), "named.csv"))
    assert len(read.queries) == 2
    rows_alone = text.replace("photo_id", "annotation_id")
    assert len(cs.read(write(rows_alone, "ids.csv")).queries) == 1


def test_parts_of_an_image_in_a_table(write: Write) -> None:
    """A table in parts is never laid beside one in pixels of an image whose size is unknown."""
    parts = write("image,x,y,w,h,label,score\np,.1,.1,.5,.5,a,.5\nq,.1,.2,.5,.5,a,.5\n", "s.csv")
    pixels = "image,x,y,w,h,label\np,64,48,320,240,a\nq,64,96,320,240,a\n"
    with pytest.raises(UsageError, match=r"parts of an image.*the size of image 'p'"):
        cs.soft(write(pixels, "t.csv"), parts)
    head, *rows = pixels.splitlines()
    sized = "\n".join([f"{head},image_width,image_height", *(f"{row},640,480" for row in rows)])
    (pair, other) = cs.soft(write(sized, "sized.csv"), parts).payload()["pairs"]
    assert pair["similarity"] == other["similarity"] == pytest.approx(1)
