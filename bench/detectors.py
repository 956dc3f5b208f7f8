"""The programs that evaluate detections; called as in :mod:`bench.contestants`.

``work s`` among the values are CPU seconds of the evaluation alone, on boxes in memory.
"""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable
from typing import Any

SEED = 20260415
CLASSES, TRUE, FOUND = 80, 8, 12
#: COCO's figures, in its order.
NAMES = (
    *("AP", "AP50", "AP75", "AP_small", "AP_medium", "AP_large"),
    *("AR_1", "AR_10", "AR_100", "AR_small", "AR_medium", "AR_large"),
)


def make_boxes(images: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Draw true boxes of all sizes in few classes an image, and detections near and off them."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    many = images * TRUE
    boxes = np.concatenate(
        [rng.uniform(0, 400, (many, 2)), np.exp(rng.uniform(1.5, 5.5, (many, 2)))], axis=1
    ).round(2)
    label = (rng.zipf(1.4, many) % CLASSES + 1).tolist()
    crowd = (rng.random(many) < 0.02).tolist()
    truth = [
        {
            "id": place + 1,
            "image_id": place // TRUE + 1,
            "category_id": label[place],
            "bbox": box,
            "area": box[2] * box[3],
            "iscrowd": int(crowd[place]),
        }
        for place, box in enumerate(boxes.tolist())
    ]
    source = rng.integers(many, size=images * FOUND)
    moved = boxes[source] + rng.normal(0, 0.1, (len(source), 4)) * boxes[source][:, [2, 3, 2, 3]]
    moved[:, 2:] = np.abs(moved[:, 2:]) + 1
    scores = rng.random(len(source)).round(3).tolist()
    found = [
        {
            "image_id": truth[place]["image_id"],
            "category_id": truth[place]["category_id"],
            "bbox": box,
            "score": score,
        }
        for place, box, score in zip(source.tolist(), moved.round(2).tolist(), scores, strict=True)
    ]
    known = {
        "images": [{"id": place + 1} for place in range(images)],
        "categories": [{"id": place + 1, "name": f"c{place}"} for place in range(CLASSES)],
        "annotations": truth,
    }
    return known, found


def detect_consilience(images: str) -> dict[str, float]:
    """COCO's twelve figures."""
    from consilience.measures.detection_ap import detection_scores
    from consilience.verdict.boxes_sides import both_sides

    both = both_sides(*make_boxes(int(images)))
    began = time.process_time()
    found = detection_scores(both.gold, both.predicted, labels=len(both.classes)).summary()
    work = time.process_time() - began
    return {"work s": work, **{name: found[name] for name in NAMES}}


def detect_pycocotools(images: str) -> dict[str, float]:
    """The same by COCO's own program."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    truth, found = make_boxes(int(images))
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = truth
        coco.createIndex()
        run = COCOeval(coco, coco.loadRes(found), "bbox")
        began = time.process_time()
        run.evaluate()
        run.accumulate()
        run.summarize()
        work = time.process_time() - began
    return {"work s": work, **dict(zip(NAMES, map(float, run.stats), strict=True))}


DETECTORS: dict[str, Callable[..., dict[str, float]]] = {
    function.__name__: function for function in (detect_consilience, detect_pycocotools)
}
