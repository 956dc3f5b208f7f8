"""Detections: equal to COCO's own program, to published figures, and to plain loops."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.formats.boxes import read_boxes
from consilience.measures.detection import AREAS, THRESHOLDS, Side, match
from consilience.measures.detection_ap import (
    average_precisions,
    detection_scores,
    mean,
    ranked_flags,
)
from consilience.measures.detection_drawn import drawn_ap
from consilience.measures.detection_soft import assign, null_sums
from consilience.verdict.boxes_sides import Both, both_sides
from tests.measures.coco_twin import drawn, evaluated
from tests.shipped import SHIPPED

PADILLA = SHIPPED / "padilla"


def check_equal(
    truth: dict[str, Any], found: list[dict[str, Any]], *, classes: bool = True, most: int = 100
) -> None:
    """See that every figure, every curve and every recall is that of pycocotools."""
    both = both_sides(truth, found)
    theirs = evaluated(truth, found, classes=classes, most=most)
    ours = detection_scores(
        both.gold,
        both.predicted,
        labels=len(both.classes),
        classes=classes,
        max_detections=most,
    )
    figures = np.array(list(ours.summary().values()))
    np.testing.assert_allclose(np.nan_to_num(figures, nan=-1.0), theirs.stats, atol=1e-12)
    curves = theirs.eval["precision"][..., 2].transpose(3, 0, 1, 2)
    held = np.nan_to_num(ours.precision, nan=-1.0)[..., : curves.shape[-1]]
    np.testing.assert_allclose(held, curves, atol=1e-12)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("classes", [True, False])
def test_figures_and_curves_are_those_of_pycocotools(seed: int, classes: bool) -> None:
    check_equal(*drawn(seed), classes=classes)


@pytest.mark.parametrize("most", [1, 3, 20])
def test_few_detections_are_those_of_pycocotools(most: int) -> None:
    # pycocotools sums up at 100 detections at most and has no figures for other numbers
    truth, found = drawn(50, images=2, classes=1)
    both = both_sides(truth, found)
    theirs = evaluated(truth, found, most=100)
    theirs.params.maxDets = [most]
    theirs.evaluate()
    theirs.accumulate()
    ours = detection_scores(both.gold, both.predicted, labels=1, max_detections=most)
    known = theirs.eval["precision"][..., 0]
    np.testing.assert_allclose(
        np.nan_to_num(ours.precision, nan=-1.0), known.transpose(3, 0, 1, 2), atol=1e-12
    )


def test_many_boxes_in_one_image_are_those_of_pycocotools() -> None:
    check_equal(*drawn(3, images=1, classes=2, true=200, found=350))


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(1, 12),
    st.integers(1, 20),
)
def test_small_cases_are_those_of_pycocotools(
    seed: int, images: int, classes: int, true: int, found: int
) -> None:
    check_equal(*drawn(seed, images=images, classes=classes, true=true, found=found))


def test_a_true_box_with_the_id_0_is_a_box_like_any_other() -> None:
    """pycocotools takes a match with id 0 for none: AP 0 instead of 1."""
    truth, _ = drawn(0, images=1, classes=1, true=1)
    truth["annotations"][0] |= {"iscrowd": 0, "id": 0}
    box = truth["annotations"][0]
    found = [{key: box[key] for key in ("image_id", "category_id", "bbox")} | {"score": 1.0}]
    both = both_sides(truth, found)
    ours = detection_scores(both.gold, both.predicted, labels=1).summary()
    assert ours["AP"] == pytest.approx(1)
    assert evaluated(truth, found).stats[0] == 0


def padilla() -> Both:
    return both_sides(PADILLA / "groundtruths", PADILLA / "detections")


def test_padilla_is_that_of_pycocotools() -> None:
    gold, found = (read_boxes(PADILLA / name) for name in ("groundtruths", "detections"))
    assert found.score is not None
    truth = {
        "images": [{"id": place + 1} for place in range(len(gold.images))],
        "categories": [{"id": 1, "name": "person"}],
        "annotations": [
            {
                "id": row + 1,
                "image_id": int(gold.image[row]) + 1,
                "category_id": 1,
                "bbox": gold.box[row].tolist(),
                "area": float(gold.area[row]),
                "iscrowd": 0,
            }
            for row in range(len(gold))
        ],
    }
    results = [
        {
            "image_id": int(found.image[row]) + 1,
            "category_id": 1,
            "bbox": found.box[row].tolist(),
            "score": float(found.score[row]),
        }
        for row in range(len(found))
    ]
    check_equal(truth, results)
    here = padilla()
    ours = detection_scores(here.gold, here.predicted, labels=1).summary()
    theirs = evaluated(truth, results).stats
    np.testing.assert_allclose(np.nan_to_num([*ours.values()], nan=-1.0), theirs, atol=1e-12)


def wider(side: Side) -> Side:
    """Count pixels as some programs do: a box from 10 to 12 is 3 wide."""
    return replace(side, box=side.box + np.array([0, 0, 1, 1]))


@pytest.mark.parametrize("rule", ["coco", "voc"])
def test_padilla_gets_the_published_figures(rule: Any) -> None:
    """The README of Object-Detection-Metrics at IoU 0.3, boxes counted in whole pixels."""
    both = padilla()
    flags = ranked_flags(wider(both.gold), wider(both.predicted), iou=0.3, labels=1, rule=rule)
    assert flags[0][0].sum() == 7
    assert average_precisions(flags, "interpolated")[0] == pytest.approx(0.2457, abs=5e-5)
    assert average_precisions(flags, "11-point")[0] == pytest.approx(0.2684, abs=5e-5)


def test_voc_gives_no_second_choice() -> None:
    """Two detections of one box: the second may take the neighbour with COCO, not with VOC."""
    zero, no = np.zeros(2, np.int64), np.zeros(2, bool)
    box = np.array([[0.0, 0, 10, 10], [0, 3, 10, 10]])
    gold = Side(zero, zero, box, np.full(2, 100.0), np.ones(2), no)
    found = Side(zero, zero, box[[0, 0]], np.full(2, 100.0), np.array([0.9, 0.8]), no)
    hits = {rule: match(gold, found, thresholds=[0.5], rule=rule).hit for rule in ("coco", "voc")}
    assert hits["coco"][0, 0].tolist() == [True, True]
    assert hits["voc"][0, 0].tolist() == [True, False]


def slowly(gold: Side, found: Side, bar: float, area: tuple[float, float]) -> list[int]:
    """Match one image and class with plain loops: a row of the truth, -1, or -2 for ignored."""
    taken: set[int] = set()
    made = []
    for row in np.argsort(-found.score, kind="stable"):
        best, best_key = -1, (-1.0, -1.0)
        for other in range(len(gold)):
            left, top, width, height = gold.box[other]
            x, y, w, h = found.box[row]
            wide, high = (
                min(left + width, x + w) - max(left, x),
                min(top + height, y + h) - max(top, y),
            )
            common = max(wide, 0) * max(high, 0)
            union = w * h if gold.crowd[other] else w * h + width * height - common
            if common / union < bar or (other in taken and not gold.crowd[other]):
                continue
            aside = gold.crowd[other] or not area[0] <= gold.area[other] <= area[1]
            key = (float(not aside), common / union)
            if key >= best_key:
                best, best_key = other, key
        if best >= 0:
            taken.add(best)
            made.append(best if best_key[0] else -2)
        else:
            inside = area[0] <= found.area[row] <= area[1]
            made.append(-1 if inside else -2)
    return made


@pytest.mark.parametrize("seed", range(5))
def test_matches_are_those_of_plain_loops(seed: int) -> None:
    both = both_sides(*drawn(seed, images=1, classes=1, true=25, found=40))
    names = list(AREAS)
    found = match(both.gold, both.predicted, areas=names)
    for (a, name), (t, bar) in itertools.product(enumerate(names), enumerate(THRESHOLDS)):
        held = np.where(found.ignored[a, t], -2, found.match[a, t])
        assert held.tolist() == slowly(both.gold, both.predicted, bar, AREAS[name])


@given(st.integers(0, 2**32 - 1), st.floats(0.05, 0.9))
def test_pairs_share_as_much_as_any_pairs_could(seed: int, iou: float) -> None:
    both = both_sides(*drawn(seed, images=1, classes=1, true=4, found=4))
    gold = both.gold.pick(~both.gold.crowd)
    pairs = assign(gold, both.predicted, iou=iou)
    assert len({*pairs.gold.tolist()}) == len({*pairs.predicted.tolist()}) == len(pairs.gold)
    assert (pairs.overlap >= iou).all()
    shared = np.zeros((4, 4))
    for a, b in itertools.product(range(len(gold)), range(4)):
        one = assign(gold.pick(np.array([a])), both.predicted.pick(np.array([b])), iou=iou)
        shared[a, b] = one.overlap.sum()
    best = max(
        sum(shared[i, j] for i, j in enumerate(order)) for order in itertools.permutations(range(4))
    )
    assert pairs.overlap.sum() == pytest.approx(best)


def test_moved_detections_find_less() -> None:
    both = both_sides(*drawn(1, images=30, classes=2, true=120, found=150))
    luck = null_sums(
        both.gold, both.predicted, iou=0.5, classes=True, draws=10, seed=0, images=len(both.images)
    )
    assert 0 <= luck.max() < 0.3 * assign(both.gold, both.predicted, iou=0.5).overlap.sum()


def test_images_drawn_once_each_give_the_value_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    from consilience.measures import detection_drawn

    both = both_sides(*drawn(2, ties=False))
    ones = np.ones((1, len(both.images)))
    monkeypatch.setattr(detection_drawn, "_times", lambda *_: ones)
    labels = len(both.classes)
    got = drawn_ap(both.gold, both.predicted, images=len(both.images), labels=labels)
    want = detection_scores(both.gold, both.predicted, labels=labels)
    expected = [mean(want.ap(iou=float(bar))) for bar in THRESHOLDS]
    np.testing.assert_allclose(got[0], expected, atol=0.005)  # points of recall, rounded apart


def test_an_image_drawn_twice_counts_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    from consilience.measures import detection_drawn

    truth, found = drawn(4, images=3, ties=False)
    both = both_sides(truth, found)
    monkeypatch.setattr(detection_drawn, "_times", lambda *_: np.array([[2.0, 1.0, 0.0]]))
    got = drawn_ap(both.gold, both.predicted, images=3, labels=3)
    again = {place: [7 * (place + 1), 100][: 2 - place] for place in (0, 1)}
    repeated = dict(truth)
    repeated["images"] = [{"id": one} for ids in again.values() for one in ids]
    copies = {7 * (place + 1): ids for place, ids in again.items()}

    def twice(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {**one, "image_id": new} for one in entries for new in copies.get(one["image_id"], [])
        ]

    repeated["annotations"] = twice(truth["annotations"])
    twin = both_sides(repeated, twice(found))
    want = detection_scores(twin.gold, twin.predicted, labels=3)
    expected = [mean(want.ap(iou=float(bar))) for bar in THRESHOLDS]
    np.testing.assert_allclose(got[0], expected, atol=0.01)


def test_no_detections_and_no_truth() -> None:
    both = both_sides(*drawn(0))
    none = both.predicted.pick(np.zeros(0, np.int64))
    nothing = detection_scores(both.gold, none, labels=3).summary()
    assert nothing["AP"] == 0
    assert nothing["AR_100"] == 0
    undefined = detection_scores(none, both.predicted, labels=3).summary()
    assert all(np.isnan(value) for value in undefined.values())
    assert not len(assign(both.gold, none, iou=0.5).gold)
