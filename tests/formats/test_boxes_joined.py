"""COCO files are joined by file name and class name; by id where nothing else is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import consilience as cs
from consilience.errors import UsageError
from tests.measures.coco_twin import drawn, evaluated


def renumbered(truth: dict[str, Any], results: list[dict[str, Any]]) -> dict[str, Any]:
    """Write results as a COCO file of its own, with the same names and other ids."""
    images = {one["id"]: 1000 - one["id"] for one in truth["images"]}
    # ids of classes are exchanged: each stands for another class in the truth
    ids = [one["id"] for one in truth["categories"]]
    classes = dict(zip(ids, [*ids[1:], ids[0]], strict=True))
    return {
        "images": [{**one, "id": images[one["id"]]} for one in truth["images"]],
        "categories": [{**one, "id": classes[one["id"]]} for one in truth["categories"]],
        "annotations": [
            {
                **one,
                "id": place,
                "image_id": images[one["image_id"]],
                "category_id": classes[one["category_id"]],
            }
            for place, one in enumerate(results, start=1)
        ],
    }


def written(folder: Path, name: str, data: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps(data))
    return path


def test_files_with_other_ids_are_joined_by_name() -> None:
    truth, results = drawn(3)
    theirs = evaluated(truth, results).stats[1]
    made = cs.detections(truth, renumbered(truth, results)).payload()
    assert made["ap"]["summary"]["AP50"] == pytest.approx(theirs)
    assert any("images by file name and classes by name" in note for note in made["notes"])


def test_results_go_by_the_ids_of_the_truth() -> None:
    truth, results = drawn(3)
    made = cs.detections(truth, results).payload()
    assert made["ap"]["summary"]["AP50"] == pytest.approx(evaluated(truth, results).stats[1])
    assert not any("joined" in note for note in made["notes"])


def test_studies_join_by_name_too(tmp_path: Path) -> None:
    truth, results = drawn(3)
    gold = written(tmp_path, "gold.json", truth)
    mine = written(tmp_path, "mine.json", renumbered(truth, results))
    plain = written(tmp_path, "plain.json", results)
    study = cs.read([mine, plain], truth=[gold], duplicates="each")
    assert study.systems == ("mine", "plain")
    assert {*study.queries} == {str(one["id"]) for one in truth["images"]}
    matched = cs.rank(study, match=cs.soft_matching("boxes", mode="instances"), measures=["F1"])
    scores = [one["scores"]["F1"]["value"] for one in matched.payload()["systems"]]
    assert scores[0] == pytest.approx(scores[1])


def test_folders_before_file_names_do_not_matter() -> None:
    truth, results = drawn(3)
    other = renumbered(truth, results)
    for one in other["images"]:
        one["file_name"] = f"val/{one['file_name']}"
    made = cs.detections(truth, other).payload()
    theirs = evaluated(truth, results).stats[1]
    assert made["ap"]["summary"]["AP50"] == pytest.approx(theirs)


def test_files_whose_ids_contradict_and_whose_names_do_not_help_are_refused() -> None:
    truth, results = drawn(3)
    other = renumbered(truth, results)
    for one in other["categories"]:
        one["name"] = one["name"].upper()
    with pytest.raises(UsageError, match=r"category 2 is 'C2' in .* and 'c0' in .*call images"):
        cs.detections(truth, other)
    other = renumbered(truth, results)
    other["categories"] = [{**one, "name": "same"} for one in other["categories"]]
    with pytest.raises(UsageError, match="names are not unique"):
        cs.detections(truth, other)


def test_without_names_ids_count() -> None:
    truth, results = drawn(3)
    other = {**truth, "annotations": [{**one, "id": n} for n, one in enumerate(results)]}
    other["images"] = [{"id": one["id"]} for one in truth["images"]]
    made = cs.detections(truth, other).payload()
    theirs = evaluated(truth, results).stats[1]
    assert made["ap"]["summary"]["AP50"] == pytest.approx(theirs)


def test_a_class_that_the_truth_does_not_know_stays_one_of_its_own() -> None:
    truth, results = drawn(3)
    other = renumbered(truth, results)
    other["categories"][0]["name"] = "zebra"
    made = cs.detections(truth, other).payload()
    assert any("does not know: zebra" in note for note in made["notes"])
