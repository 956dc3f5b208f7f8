"""Which AP: the post's figures, published ones of boxes, other programs, systems that change."""

from __future__ import annotations

import gzip
import json
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.errors import UsageError
from consilience.experiments import recorded
from consilience.experiments.reproduced import Asked, Reproduced
from consilience.experiments.which_ap import boxes as which_ap_boxes
from consilience.experiments.which_ap import experiment as which_ap
from consilience.experiments.which_ap import post as which_ap_post
from consilience.experiments.which_ap import systems as which_ap_systems
from consilience.experiments.which_ap import tables as which_ap_tables
from consilience.experiments.which_ap import told as which_ap_told
from consilience.measures.detection_ap import average_precisions, ranked_flags
from consilience.measures.names import AP_VARIANTS
from tests.measures.coco_twin import drawn
from tests.shipped import SHIPPED

TREC = Path(__file__).parent.parent / "data" / "trec_eval"
#: COCO's own output for its example results of boxes (val2014_fake_eval_res.txt of cocoapi).
COCO = (0.505, 0.697, 0.573, 0.586, 0.519, 0.501, 0.387, 0.594, 0.595, 0.640, 0.566, 0.564)


@pytest.fixture(scope="module")
def ran() -> Reproduced:
    return which_ap.run(Asked())


def agrees(ran: Reproduced, begin: str) -> bool | None:
    (one,) = [one for one in ran.findings if one.claim.startswith(begin)]
    return one.agrees


def test_the_post(ran: Reproduced) -> None:
    """0.782 is what comes of 0.66 and 0.57 instead of 2/3 and 4/7, and of no variant."""
    assert which_ap_post.of_cut_precisions(which_ap_post.measured()) == Decimal("0.782")
    assert which_ap_post.measured("0.782").matches == ()
    assert which_ap_post.measured("0.803").matches == ("11-point",)
    assert agrees(ran, "precision and recall at ten cutoffs")
    assert agrees(ran, "the first four images")
    assert agrees(ran, "average precision of the list") is False


def test_published_figures_of_padilla(ran: Reproduced) -> None:
    """The README of Object-Detection-Metrics at IoU 0.3."""
    ours = which_ap.padilla()["pixels"]
    assert ours["interpolated"] == pytest.approx(0.2457, abs=5e-5)
    assert ours["11-point"] == pytest.approx(0.2684, abs=5e-5)
    assert agrees(ran, "Padilla's worked example")


def test_what_was_recorded_of_coco_are_its_published_figures(ran: Reproduced) -> None:
    output = recorded.load("which-ap").output
    assert list(output["published"].values()) == list(COCO)
    assert [round(one, 3) for one in output["ours"].values()] == list(COCO)
    assert agrees(ran, "COCO's twelve figures")
    assert len(output["runs"]["systems"]) == 143


def padilla() -> list[which_ap_boxes.Ranked]:
    folder = SHIPPED / "padilla"
    sides = (cs.read_boxes(folder / name) for name in ("groundtruths", "detections"))
    gold, found = (which_ap_boxes.wider(one) for one in sides)
    return which_ap_boxes.ranked(cs.detections(gold, found, iou=0.3))


def test_other_programs_on_the_same_list() -> None:
    """7 of 24 detections are right (README), of 15 boxes: every program on the same list."""
    (one,) = padilla()
    assert (len(one.right), sum(one.right), one.total) == (24, 7, 15)
    step = cs.average_precision(one.right, total=one.total)
    theirs = which_ap_boxes.peers([one])
    for name in ("trec_eval map (pytrec_eval)", "ir_measures AP"):
        assert theirs[name] == pytest.approx(step)
    assert theirs["scikit-learn, times the share found"] == pytest.approx(step)
    assert theirs["scikit-learn, what was returned"] == pytest.approx(step * 15 / 7)


def test_a_study_of_classes_scores_as_detections_do() -> None:
    result = cs.detections(*drawn(5))
    both = result.both
    flags = ranked_flags(both.gold, both.predicted, iou=0.5, labels=len(both.classes))
    ours = which_ap_boxes.variants(which_ap_boxes.ranked(result))
    for variant in AP_VARIANTS:
        want = average_precisions(flags, variant)
        np.testing.assert_allclose(list(ours[variant].values()), want[~np.isnan(want)])


def test_derived_systems_are_what_they_say() -> None:
    _, found = drawn(7, found=120)
    made = which_ap_systems.derived(found, found, seed=0)
    assert list(made) == list(which_ap_systems.ABOUT)
    assert all(one["score"] >= 0.2 for one in made["scores from 0.2"])
    images = [one["image_id"] for one in made["five an image"]]
    assert max(images.count(image) for image in images) == 5
    kept = made["overlap at most 0.3"]

    def near(a: dict[str, Any], b: dict[str, Any]) -> bool:
        same = (a["image_id"], a["category_id"]) == (b["image_id"], b["category_id"])
        return same and which_ap_systems.share(a["bbox"], b["bbox"]) > 0.3

    assert not any(near(a, b) for a, b in combinations(kept, 2))
    dropped = [one for one in found if one not in kept]
    assert dropped
    assert all(any(near(a, b) and b["score"] >= a["score"] for b in kept) for a in dropped)
    a, b = made["as published"][0]["bbox"], made["15% too large"][0]["bbox"]
    assert which_ap_systems.share(a, b) == pytest.approx(1 / 1.15**2)


def example(folder: Path) -> None:
    """Write files such as COCO's: boxes, detections, masks of whole boxes, printed figures."""
    from pycocotools import mask

    truth, found = drawn(9, images=6, classes=2, true=40, found=50, ties=False)
    masks = []
    for one in found:
        left, top, width, height = (max(0, round(x)) for x in one["bbox"])
        drawn_ = np.zeros((400, 400), np.uint8, order="F")
        drawn_[top : top + max(height, 1), left : left + max(width, 1)] = 1
        coded = mask.encode(drawn_)
        shape = {"size": coded["size"], "counts": coded["counts"].decode()}
        masks.append({**{k: v for k, v in one.items() if k != "bbox"}, "segmentation": shape})
    files = {which_ap.TRUTH: truth, which_ap.FOUND: found, which_ap.MASKS: masks}
    for name, content in files.items():
        (folder / name).write_bytes(gzip.compress(json.dumps(content).encode()))
    lines = "".join(f" Average Precision (AP) @[ ... ] = {value:.3f}\n" for value in COCO)
    (folder / which_ap.PUBLISHED).write_text(f"type=segm\n{lines[:40]}type=bbox\n{lines}")


def test_the_slow_stage_on_small_files(tmp_path: Path) -> None:
    coco, runs = tmp_path / which_ap.COCO, tmp_path / which_ap.RUNS
    (runs / "runs_top100").mkdir(parents=True)
    coco.mkdir()
    example(coco)
    text = gzip.decompress((TREC / "results.test.gz").read_bytes()).decode()
    rows = [line.split() for line in text.splitlines()][:500]
    for name, sign in (("up", 1), ("down", -1)):
        told = "\n".join(f"{q} Q0 {d} 0 {sign * float(s)} {name}" for q, _, d, _, s, _ in rows)
        (runs / "runs_top100" / name).write_text(told)
    (runs / "qrels.txt").write_bytes(gzip.decompress((TREC / "qrels.test.gz").read_bytes()))
    output = which_ap.record(Asked(data=tmp_path)).output
    assert list(output["published"].values()) == list(COCO)
    assert output["ours"] == pytest.approx(output["pycocotools"])
    figures = output["systems"]["figures"]
    for a, b, told in output["systems"]["pairs"]:
        for figure, (gap, p) in told.items():
            assert gap == pytest.approx(figures[a][figure] - figures[b][figure])
            assert 0 <= p <= 1
    assert output["runs"]["systems"] == ["down", "up"]
    said = which_ap_told.headline(output)
    assert "One set of 50 detections" in said
    one = which_ap.run(Asked(again=True, size=1, data=tmp_path))
    assert agrees(one, "COCO's twelve figures") is None  # published of all images
    json.dumps(one.payload(), allow_nan=False)


def test_a_part_of_what_was_recorded_cannot_be_taken() -> None:
    with pytest.raises(UsageError, match="--again --size 3"):
        which_ap.run(Asked(size=3))


def test_commands_name_folders_that_are_there(ran: Reproduced) -> None:
    assert (SHIPPED.parent.parent / "examples" / "airplanes.csv").is_file()
    assert "cd ../experiments/data/padilla" in ran.commands
    assert (SHIPPED / "padilla" / "groundtruths").is_dir()


def test_without_the_data_it_says_where_they_belong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(recorded.VARIABLE, str(tmp_path))
    with pytest.raises(UsageError, match=r"is not here .*leave --again out"):
        which_ap.record(Asked())


def test_a_change_of_places_is_sure_only_if_both_orders_are() -> None:
    told = {"AP50": [0.1, 0.99], "AP": [-0.1, 0.02]}
    unsure = {"AP50": [-0.1, 0.2], "AP": [0.1, 0.99]}
    output = {"systems": {"pairs": [["a", "b", told], ["a", "c", unsure]]}}
    found = which_ap_tables.flips(output, "AP50", "AP")
    assert [one[:2] for one in found] == [("a", "b"), ("c", "a")]
    assert found[1][2] == [pytest.approx(0.1), pytest.approx(0.8)]
    assert [one[:2] for one in which_ap_told.sure(found)] == [("a", "b")]


def test_the_recorded_runs_keep_their_order(ran: Reproduced) -> None:
    """The post: with one variant for all there is no issue; with two, improvements are false."""
    assert agrees(ran, "where everybody uses the same variant")
    assert agrees(ran, "a figure of one kind held against one of another")
    assert agrees(ran, "interpolation gives a higher")
    assert agrees(ran, "detectors change places") is None
    assert "which COCO calls fake" in ran.data
    assert all(len(one.rows) < 400 for one in ran.figures)
    assert ran.payload()["stages"][0]["recorded"]
