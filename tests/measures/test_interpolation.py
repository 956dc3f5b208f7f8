"""Average precision in its five meanings: against COCOeval, against the definitions, by hand."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

import consilience as cs
from consilience.measures.names import AP_VARIANTS, parse

#: The ranked list of the post "It's a bird… it's a plane… it… depends on your classifier's
#: threshold" (2011). Step and 11 points: the post, with exact fractions; the others by hand.
AIRPLANES = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
AIRPLANE_VALUES = {
    "step": (1 + 1 + Fraction(3, 4) + Fraction(2, 3) + Fraction(1, 2)) / 5,
    "interpolated": (1 + 1 + Fraction(3, 4) + Fraction(2, 3) + Fraction(1, 2)) / 5,
    # levels 0–.4 (5), .5 and .6 (2), .7 and .8 (2), .9 and 1 (2)
    "11-point": (5 + 2 * Fraction(3, 4) + 2 * Fraction(2, 3) + 2 * Fraction(1, 2)) / 11,
    # levels 0–.40 (41), then four times 20
    "101-point": (41 + 20 * (Fraction(3, 4) + Fraction(2, 3) + Fraction(1, 2))) / 101,
    # between neighbouring cutoffs: (1+1)/2, (1+1)/2, (2/3+3/4)/2, (3/5+2/3)/2, (4/9+1/2)/2
    "trapezoid": (2 + Fraction(17, 24) + Fraction(19, 30) + Fraction(17, 36)) / 5,
}


def of_study(relevant: list[int], total: int, variant: str) -> float:
    """The same list as a study of one query."""
    names = [f"i{place:03d}" for place in range(len(relevant))]
    truth = dict(zip(names, relevant, strict=True))
    truth |= {f"missed{number}": 1 for number in range(total - sum(relevant))}
    measure = str(parse(f"AP(variant={variant})"))
    study = cs.study({"s": {"q": names}}, truth={"q": truth})
    return cs.score(study, measures=[measure])["s"][measure].value


def test_every_variant_is_here():
    assert set(AIRPLANE_VALUES) == set(AP_VARIANTS)


@pytest.mark.parametrize("variant", AP_VARIANTS)
def test_airplanes(variant):
    expected = float(AIRPLANE_VALUES[variant])
    assert cs.average_precision(AIRPLANES, variant=variant) == pytest.approx(expected, abs=1e-12)
    assert of_study(AIRPLANES, 5, variant) == pytest.approx(expected, abs=1e-12)


def test_airplanes_in_six_digits():
    assert round(cs.average_precision(AIRPLANES), 6) == 0.783333
    assert round(cs.average_precision(AIRPLANES, variant="interpolated"), 6) == 0.783333
    assert round(cs.average_precision(AIRPLANES, variant="11-point"), 6) == 0.803030
    assert round(cs.average_precision(AIRPLANES, variant="101-point"), 6) == 0.785479
    assert round(cs.average_precision(AIRPLANES, variant="trapezoid"), 6) == 0.762778


#: Relevant at ranks 1, 3, 6 of 3 or of 5: figures of trec_eval, VOC and COCO programs.
@pytest.mark.parametrize(
    ("variant", "of_three", "of_five"),
    [
        ("step", 0.7222, 0.4333),
        ("interpolated", 0.7222, 0.4333),
        ("11-point", 0.7273, 0.4848),
        ("101-point", 0.7228, 0.4389),
    ],
)
def test_ranks_1_3_6(variant, of_three, of_five):
    ranks = [1, 0, 1, 0, 0, 1]
    for total, expected in ((3, of_three), (5, of_five)):
        ours = cs.average_precision(ranks, variant=variant, total=total)
        assert ours == pytest.approx(expected, abs=0.5e-4)
        assert of_study(ranks, total, variant) == pytest.approx(ours, abs=1e-12)


def points(relevant: list[int], total: int, levels: list[Fraction]) -> float:
    """VOC's definition: the highest precision at recall r or above, averaged over levels."""
    curve = [
        (Fraction(sum(relevant[:k]), k), Fraction(sum(relevant[:k]), total))
        for k in range(1, len(relevant) + 1)
    ]
    best = [max((p for p, r in curve if r >= level), default=Fraction(0)) for level in levels]
    return float(sum(best) / Fraction(len(levels)))


def area(relevant: list[int], total: int) -> float:
    """VOC 2010's definition: the area under the precision made monotone, from recall 0 on."""
    curve = [
        (Fraction(sum(relevant[:k]), k), Fraction(sum(relevant[:k]), total))
        for k in range(1, len(relevant) + 1)
    ]
    found, before = Fraction(0), Fraction(0)
    for place, (_, recall) in enumerate(curve):
        found += (recall - before) * max(p for p, _ in curve[place:])
        before = recall
    return float(found)


@given(st.lists(st.integers(0, 1), min_size=1, max_size=30), st.integers(0, 12))
def test_voc_by_definition(relevant, missed):
    total = sum(relevant) + missed
    if not total:
        return
    eleven = [Fraction(level, 10) for level in range(11)]
    hundred = [Fraction(level, 100) for level in range(101)]
    for variant, expected in (
        ("11-point", points(relevant, total, eleven)),
        ("101-point", points(relevant, total, hundred)),
        ("interpolated", area(relevant, total)),
    ):
        ours = cs.average_precision(relevant, variant=variant, total=total)
        assert ours == pytest.approx(expected, abs=1e-12)
        assert of_study(relevant, total, variant) == pytest.approx(expected, abs=1e-12)


def coco_eval(relevant: list[int], total: int) -> float:
    """AP by COCOeval of a ranked list of boxes: one class, any area, IoU 0.5.

    An image for each object; a relevant detection is the object's box, another lies elsewhere.
    """
    images = [{"id": number, "width": 100, "height": 100} for number in range(1, total + 2)]
    one = {"category_id": 1, "bbox": [10, 10, 20, 20], "area": 400, "iscrowd": 0}
    objects = [{"id": number, "image_id": number, **one} for number in range(1, total + 1)]
    found, detections = 0, []
    for place, good in enumerate(relevant):
        found += good
        box = [10, 10, 20, 20] if good else [60, 60, 20, 20]
        image = found if good else total + 1
        score = 1 - place / 1000
        detections.append({"image_id": image, "category_id": 1, "bbox": box, "score": score})
    truth = COCO()
    truth.dataset = {
        "info": {}, "images": images, "annotations": objects, "categories": [{"id": 1, "name": "x"}]
    }  # fmt: skip
    truth.createIndex()
    run = COCOeval(truth, truth.loadRes(detections), "bbox")
    run.params.iouThrs = np.array([0.5])
    run.params.areaRng, run.params.areaRngLbl = [[0, 1e10]], ["all"]
    run.params.maxDets = [1000]
    run.evaluate()
    run.accumulate()
    return float(run.eval["precision"][0, :, 0, 0, 0].mean())


@pytest.mark.parametrize("seed", range(12))
def test_coco(seed):
    rng = np.random.default_rng(seed)
    relevant = (rng.random(rng.integers(2, 40)) < 0.5).astype(int).tolist()
    relevant[0] = 1
    total = sum(relevant) + int(rng.integers(0, 5))
    total += total % 10 == 0  # see below
    ours = cs.average_precision(relevant, variant="101-point", total=total)
    assert ours == pytest.approx(coco_eval(relevant, total), abs=1e-9)


@pytest.mark.parametrize(("total", "expected"), [(3, 0.7228), (5, 0.4389)])
def test_coco_of_ranks_1_3_6(total, expected):
    assert coco_eval([1, 0, 1, 0, 0, 1], total) == pytest.approx(expected, abs=0.5e-4)


def test_a_level_that_coco_eval_misses():
    """Its level .7 is 0.7000000000000001: seven hits of ten do not reach it; here they do.

    One of the 101 levels falls from 1 to the precision of the later hits, 10/11.
    """
    relevant = [1] * 7 + [0, 1, 1, 1]
    exact = cs.average_precision(relevant, variant="101-point", total=10)
    assert exact == pytest.approx((71 * 1 + 30 * 10 / 11) / 101, abs=1e-12)
    theirs = coco_eval(relevant, 10)
    assert exact - theirs == pytest.approx((1 - 10 / 11) / 101, abs=1e-9)


def test_arange_ports_of_voc_lose_a_level():
    """Relevant at 1, 3, 6 of 5: with np.arange(0, 1.1, .1) recall 3/5 misses .6000000000000001."""
    recall, precision = np.array([1, 2, 3]) / 5, np.array([1, 2 / 3, 3 / 6])
    found = [precision[recall >= level].max(initial=0.0) for level in np.arange(0, 1.1, 0.1)]
    assert np.mean(found) == pytest.approx(0.4394, abs=0.5e-4)
    ours = cs.average_precision([1, 0, 1, 0, 0, 1], variant="11-point", total=5)
    assert ours == pytest.approx(0.4848, abs=0.5e-4)
