"""COCO's own program on boxes in Python, and random boxes to try it on."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval


def evaluated(
    truth: dict[str, Any], found: list[dict[str, Any]], *, classes: bool = True, most: int = 100
) -> Any:
    """Run pycocotools' evaluation of boxes."""
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = truth
        coco.createIndex()
        run = COCOeval(coco, coco.loadRes([dict(one) for one in found]), "bbox")
        run.params.useCats = int(classes)
        run.params.maxDets = [1, 10, most]
        run.evaluate()
        run.accumulate()
        run.summarize()
    return run


def drawn(
    seed: int,
    *,
    images: int = 12,
    classes: int = 3,
    true: int = 60,
    found: int = 90,
    ties: bool = True,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Draw true boxes of all sizes, crowds among them, and detections near some of them."""
    rng = np.random.default_rng(seed)
    sizes = np.exp(rng.uniform(np.log(4), np.log(300), (true, 2)))
    boxes = np.concatenate([rng.uniform(0, 300, (true, 2)), sizes], axis=1).round(1)
    annotations = [
        {
            "id": place + 1,
            "image_id": int(rng.integers(1, images + 1)) * 7,
            "category_id": int(rng.integers(1, classes + 1)) * 2,
            "bbox": box,
            "area": box[2] * box[3] * float(rng.uniform(0.5, 1)),
            "iscrowd": int(rng.random() < 0.1),
        }
        for place, box in enumerate(boxes.tolist())
    ]
    results = []
    for _ in range(found):
        near = annotations[int(rng.integers(true))]
        box = np.array(near["bbox"]) + rng.normal(0, 1, 4) * rng.choice([0, 2, 20])
        box[2:] = np.abs(box[2:]) + 1
        results.append(
            {
                "image_id": near["image_id"] if rng.random() < 0.9 else 7,
                "category_id": near["category_id"] if rng.random() < 0.9 else 2,
                "bbox": box.round(1).tolist(),
                "score": float(rng.random().__round__(1 if ties else 6)),
            }
        )
    truth = {
        "images": [{"id": (place + 1) * 7, "file_name": f"{place}.jpg"} for place in range(images)],
        "annotations": annotations,
        "categories": [{"id": (place + 1) * 2, "name": f"c{place}"} for place in range(classes)],
    }
    return truth, results
