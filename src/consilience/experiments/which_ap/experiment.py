"""Average precision has many meanings: one list under all of them, systems under each.

The post warns that two papers' "average precision" need not be the same figure. Here are

- its own list of ten images, every figure that it prints, and what a claimed figure can mean
  (:mod:`consilience.experiments.which_ap.post`);
- two published sets of detections under every variant and convention, beside the programs that
  people use (:mod:`consilience.experiments.which_ap.boxes`): Padilla's worked example, computed
  now, and COCO's 100 example images, whose terms do not allow passing them on: figures of them
  were recorded;
- systems whose order may depend on the figure: detectors derived from COCO's example, 143 runs of
  TREC-COVID (recorded), eight keyphrase extractors
  (:mod:`consilience.experiments.which_ap.systems`).

COCO's example results are called *fake* by their publisher: true boxes, moved, with scores that
say next to nothing. They serve to check programs against each other, not to praise a detector.
"""

from __future__ import annotations

import gzip
import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

from consilience import progress
from consilience.errors import UsageError
from consilience.experiments import recorded
from consilience.experiments.recorded import Recording, need, others_data, packages, stopwatch
from consilience.experiments.reproduced import Asked, Reproduced
from consilience.experiments.which_ap import post as which_ap_post
from consilience.experiments.which_ap import told as which_ap_told

NAME = RECORDED = "which-ap"
#: Folders of others' data, and where they come from.
COCO, RUNS = "detection_coco_val2014_100", "ir_trec_covid_round1"
ORIGIN = {COCO: "MiXaiLL76/faster_coco_eval", RUNS: "castorini/TREC-COVID"}
TRUTH = "instances_val2014_100.json.gz"
FOUND = "instances_val2014_fakebbox100_results.json.gz"
MASKS = "instances_val2014_fakesegm100_results.json.gz"
PUBLISHED = "val2014_fake_eval_res.txt"
#: What the figures are computed of.
DATA = (
    "the post's own list (the scores are ours, they only keep the order). Padilla's worked "
    "example, rafaelpadilla/Object-Detection-Metrics, commit dcb285e7, MIT (bundled). COCO's "
    "example results for 100 images of val2014, which COCO calls fake, from "
    "MiXaiLL76/faster_coco_eval, commit 33ab6097, and the first 100 answers of 143 runs of "
    "TREC-COVID round 1, castorini/TREC-COVID, commit be3ed3fc: figures only, neither is passed "
    "on. Eight keyphrase extractors on 60 abstracts (bundled)"
)
#: The overlap at which Padilla's example is published, and the one that is usual.
PADILLA_IOU, IOU = 0.3, 0.5


def run(asked: Asked) -> Reproduced:
    """Compute what can be passed on, and read what was recorded of the rest."""
    if asked.size is not None and not asked.again:
        raise UsageError(
            "what was recorded is about all images and runs (fix: --again --size "
            f"{asked.size} runs the stage on {asked.size} of each)"
        )
    recording = record(asked) if asked.again else recorded.load(RECORDED)
    output = recording.output
    boxes = padilla()
    words = extractors()
    return Reproduced(
        name=NAME,
        title="Which average precision?",
        headline=which_ap_told.headline(output),
        tables=(*which_ap_post.tables(), *which_ap_told.tables(output, boxes, words)),
        findings=(*which_ap_post.findings(), *which_ap_told.findings(output, boxes, words)),
        figures=(which_ap_post.figure(), *which_ap_told.figures(output)),
        notes=which_ap_told.notes(output),
        seed=asked.seed if asked.again else Asked().seed,  # chance is in what was recorded alone
        versions=packages("consilience", "numpy"),
        stages=(recording.stage(),),
        commands=(
            "consilience reproduce which-ap",
            "cd $(python -c 'import consilience as cs; print(*cs.__path__)')/examples",
            "consilience curve airplanes.csv --claimed 0.782",
            "cd ../experiments/data/padilla",
            "consilience soft groundtruths detections --iou 0.3",
        ),
        data=DATA,
    )


def record(asked: Asked) -> Recording:
    """Compute the figures of data that may not be passed on; ``size`` takes images and runs."""
    need(modules=("pycocotools", "pytrec_eval", "ir_measures", "sklearn"))
    coco, runs = _folder(COCO, asked), _folder(RUNS, asked)
    from consilience.experiments.which_ap import systems as which_ap_systems

    with stopwatch() as taken:
        with progress.part(0.0, 0.4):
            output = of_coco(coco, asked)
        with progress.part(0.4, 1.0):
            output["runs"] = which_ap_systems.of_runs(runs, seed=asked.seed, size=asked.size)
    return recorded.made(
        "figures of others' data",
        output,
        versions=packages(
            *("consilience", "numpy", "pycocotools", "pytrec_eval-terrier"),
            *("ir_measures", "scikit-learn"),
        ),
        seconds=taken[0],
    )


def _folder(name: str, asked: Asked) -> Path:
    folder = others_data(name, asked)
    if folder is None:
        raise UsageError(
            f"{name} of {ORIGIN[name]} is not here (fix: --data names the folder that holds it; or "
            "leave --again out: what the stage gave was recorded)"
        )
    return folder


def of_coco(folder: Path, asked: Asked) -> dict[str, Any]:
    """Compute every figure of COCO's example, by ours and by others, and of derived systems."""
    import consilience as cs
    from consilience.experiments.which_ap import boxes, systems

    truth, found, masks = (_read(folder / name) for name in (TRUTH, FOUND, MASKS))
    if asked.size is not None:
        images = {one["id"] for one in truth["images"][: asked.size]}
        truth["images"] = truth["images"][: asked.size]
        truth["annotations"] = [o for o in truth["annotations"] if o["image_id"] in images]
        found, masks = ([o for o in some if o["image_id"] in images] for some in (found, masks))
    made = systems.derived(found, [_around(one) for one in masks], seed=asked.seed)
    results = {}
    for place, (name, detected) in enumerate(made.items(), start=1):
        results[name] = cs.detections(truth, detected, iou=IOU, seed=asked.seed)
        progress.report(place, len(made) + 2)
    result = results["as published"]
    lists = boxes.ranked(result)
    output = {
        "facts": _facts(truth, result, lists),
        "published": published((folder / PUBLISHED).read_text(encoding="utf-8")),
        "pycocotools": boxes.pycocotools(truth, found),
        "ours": boxes.twelve(result),
        "intervals": dict(result.ap.intervals) if result.ap else {},
        "conventions": boxes.conventions(result),
        "peers": boxes.peers(lists),
        "classes": {name: list(row.values()) for name, row in boxes.variants(lists).items()},
        "systems": systems.compared(results, seed=asked.seed),
    }
    progress.report(1, 1)
    return {key: _without_nan(one) for key, one in output.items()}


def _without_nan(value: Any) -> Any:
    """Put nothing where a figure is undefined: recordings know no NaN."""
    if isinstance(value, dict):
        return {key: _without_nan(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_without_nan(one) for one in value]
    return None if value != value else value


def _read(path: Path) -> Any:
    return json.loads(gzip.decompress(path.read_bytes()))


def _around(one: dict[str, Any]) -> dict[str, Any]:
    """Give the box around a mask."""
    from pycocotools import mask

    kept = {key: value for key, value in one.items() if key != "segmentation"}
    return {**kept, "bbox": [float(x) for x in mask.toBbox(one["segmentation"])]}


def _facts(truth: Any, result: Any, lists: Any) -> dict[str, Any]:
    right = [
        (score, hit) for one in lists for score, hit in zip(one.scores, one.right, strict=True)
    ]
    crowds = int(result.both.gold.crowd.sum())
    return {
        "images": len(truth["images"]),
        "boxes": len(truth["annotations"]) - crowds,
        "crowds": crowds,
        "detections": len(result.both.predicted),
        "classes": len(lists),
        "score_right": _mean([score for score, hit in right if hit]),
        "score_false": _mean([score for score, hit in right if not hit]),
        "tied": sum(len(one.scores) - len({*one.scores}) for one in lists),
    }


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def published(text: str) -> dict[str, float]:
    """Read COCO's own twelve figures of boxes from the output that it publishes."""
    from consilience.experiments.which_ap.boxes import TWELVE

    part = text.split("type=bbox")[1].split("type=")[0]
    found = [float(one) for one in re.findall(r"= (\d\.\d+)$", part, flags=re.MULTILINE)]
    return dict(zip(TWELVE, found, strict=True))


def padilla() -> dict[str, dict[str, float]]:
    """Compute Padilla's example: by continuous coordinates, and by counted pixels."""
    import consilience as cs
    from consilience.experiments.which_ap.boxes import conventions, wider

    folder = resources.files("consilience.experiments") / "data" / "padilla"
    gold, found = (cs.read_boxes(str(folder / name)) for name in ("groundtruths", "detections"))
    sides = {"continuous": (gold, found), "pixels": (wider(gold), wider(found))}
    return {
        name: conventions(cs.detections(*both, iou=PADILLA_IOU)) for name, both in sides.items()
    }


def extractors() -> dict[str, list[float]]:
    """Score eight keyphrase extractors by the five variants: means over 60 abstracts."""
    import consilience as cs
    from consilience.experiments.which_ap.boxes import MEASURES

    study = cs.read(cs.example("keyphrases.csv"), truth=cs.example("keyphrases-gold.csv"))
    scores = cs.score(study, measures=list(MEASURES.values()))
    return {
        name: [scores[one][measure].value for one in scores.systems]
        for name, measure in MEASURES.items()
    }
