"""Detections: COCO's twelve figures, beside COCO's own program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bench.bars import QUICK, Bar, Result, Row, Sizes
from bench.detectors import DETECTORS, NAMES
from bench.measure import best

#: Images.
IMAGES, FEW = (100, 1_000), (10,)
EXACT = 1e-12


def detection(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """Boxes of 80 classes, 8 true ones and 12 detections an image: average precision and recall.

    CPU is that of the evaluation alone (boxes in memory to figures), the peak that of everything.
    """
    rows, bars = [], []
    for images in FEW if sizes is QUICK else IMAGES:
        what = f"{images:,} images"
        costs = best(list(DETECTORS), str(images), cache=None, times=sizes.times)
        rows += [
            Row(
                what,
                name,
                replace(
                    cost,
                    cpu=cost.values["work s"],
                    values={key: cost.values[key] for key in ("AP", "AP50", "AR_100")},
                ),
            )
            for name, cost in costs.items()
        ]
        ours, theirs = (costs[name].values for name in DETECTORS)
        ratio = theirs["work s"] / ours["work s"]
        apart = max(abs(ours[name] - theirs[name]) for name in NAMES)
        bars += [
            Bar(f"{what}: times less CPU than pycocotools", ratio, least=5.0),
            Bar(f"{what}: values apart from pycocotools'", apart, most=EXACT),
        ]
    return rows, bars
