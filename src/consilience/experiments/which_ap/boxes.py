"""One set of detections under every average precision, and under every other convention.

Detections of a class become one ranked list: right or false by the matching, best score first,
and the number of true boxes is known. That list is what every "average precision" is computed of,
by this library's functions and by the programs that people use (:func:`peers`). :func:`conventions`
changes one thing at a time: the formula, the rule of matching, what a crowd is, how equal scores
are ordered, whether missed boxes count.

Conventions
-----------
- A class is a query, a detection an answer, a true box a relevant item: the k-th right detection of
  a class is ``box k``, so that lists of several systems share one truth (:func:`as_study`).
- A class without a true box has no AP and is left out of averages, as in COCO.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from consilience.measures.detection_ap import (
    average_precisions,
    detection_scores,
    mean,
    ranked_flags,
)
from consilience.measures.names import AP_VARIANTS

if TYPE_CHECKING:
    from consilience.formats.boxed import Boxes
    from consilience.measures.detection import Side
    from consilience.study import Study
    from consilience.verdict.boxes import DetectionResult

#: The measures of a study that stand for the five variants.
MEASURES = {name: "AP" if name == "step" else f"AP(variant={name})" for name in AP_VARIANTS}


@dataclass(frozen=True, slots=True)
class Ranked:
    """One class: which detections are right, best score first; their scores; true boxes in all."""

    name: str
    right: tuple[bool, ...]
    scores: tuple[float, ...]
    total: int

    def answers(self) -> list[str]:
        """Name what was returned, in order: ``box k`` where it is right, ``false k`` otherwise."""
        found = np.cumsum(self.right)
        return [
            f"box {found[place]}" if right else f"false {place + 1 - found[place]}"
            for place, right in enumerate(self.right)
        ]


def ranked(result: DetectionResult) -> list[Ranked]:
    """Give the ranked list of every class that has a true box.

    Examples
    --------
    >>> import consilience as cs
    >>> true = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10]}]
    >>> found = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 8], "score": 0.9}]
    >>> ranked(cs.detections(true, found))[0].answers()
    ['box 1']
    """
    both, chosen = result.both, result.chosen
    flags = ranked_flags(both.gold, both.predicted, iou=chosen.iou, labels=len(both.classes))
    return [
        Ranked(name, tuple(right.tolist()), tuple(scores.tolist()), total)
        for name, (right, scores, total) in zip(both.classes, flags, strict=True)
        if total
    ]


def as_study(systems: Mapping[str, Sequence[Ranked]], *, scored: bool = False) -> Study:
    """Put lists of several systems into one study: classes are queries, true boxes are relevant.

    ``scored`` keeps the scores, equal ones among them; otherwise the order alone counts.
    """
    import consilience as cs

    truth = {
        one.name: {f"box {k}": 1 for k in range(1, one.total + 1)}
        for lists in systems.values()
        for one in lists
    }

    def answer(one: Ranked) -> Any:
        return dict(zip(one.answers(), one.scores, strict=True)) if scored else one.answers()

    runs = {name: {one.name: answer(one) for one in lists} for name, lists in systems.items()}
    return cs.study(runs, truth=truth)


def variants(lists: Sequence[Ranked]) -> dict[str, dict[str, float]]:
    """Give every class's AP under the five variants, by the library's scores of a study."""
    import consilience as cs

    scores = cs.score(as_study({"detections": lists}), measures=list(MEASURES.values()))
    return {
        name: dict(zip(scores.queries, scores.matrix(measure)[0].tolist(), strict=True))
        for name, measure in MEASURES.items()
    }


def averaged(values: Mapping[str, float]) -> float:
    """Average over classes."""
    return mean(np.array(list(values.values())))


def conventions(result: DetectionResult) -> dict[str, float]:
    """Change one thing at a time: how AP at the threshold moves when a convention does."""
    import consilience as cs

    assert result.ap is not None  # the detections have scores
    both, iou = result.both, result.chosen.iou
    made = {name: averaged(values) for name, values in variants(ranked(result)).items()}
    tied = as_study({"detections": ranked(result)}, scored=True)
    for rule in ("best", "worst"):
        scores = cs.score(tied, measures=["AP(variant=101-point)"], ties=rule)
        one = scores["detections"]["AP(variant=101-point)"]
        made[f"equal scores, {rule} order"] = one.value
    made["VOC's matching"] = mean(result.ap.variants["voc"]["101-point"])
    gold, found = both.gold, both.predicted
    plain = replace(gold, crowd=np.zeros(len(gold), bool))
    made["crowds are boxes"] = _at(plain, found, iou, len(both.classes))
    made["pixels are counted"] = _at(wider(gold), wider(found), iou, len(both.classes))
    made["missed boxes forgotten"] = averaged(
        {
            one.name: cs.average_precision(one.right, variant="101-point")
            if any(one.right)
            else 0.0
            for one in ranked(result)
        }
    )
    return made


#: Boxes as they are read, or as one of two sides.
AnyBoxes = TypeVar("AnyBoxes", "Side", "Boxes")


def wider(side: AnyBoxes) -> AnyBoxes:
    """Count pixels as some programs do: a box from 10 to 12 is 3 wide."""
    return replace(side, box=side.box + np.array([0.0, 0.0, 1.0, 1.0]))


def _at(gold: Side, found: Side, iou: float, labels: int) -> float:
    flags = ranked_flags(gold, found, iou=iou, labels=labels)
    return mean(average_precisions(flags, "101-point"))


def peers(lists: Sequence[Ranked]) -> dict[str, float]:
    """Compute AP of the same lists with other programs, averaged over classes.

    All of them get the same order: the scores are those of the places, so that nothing is tied.
    """
    made: dict[str, Callable[[Ranked], float]] = {
        "trec_eval map (pytrec_eval)": lambda one: _trec(one, "map"),
        "trec_eval 11pt_avg (pytrec_eval)": lambda one: _trec(one, "11pt_avg"),
        "ir_measures AP": _ir_measures,
        "scikit-learn, what was returned": _sklearn,
        "scikit-learn, times the share found": lambda one: _sklearn(one) * _found(one),
        "scikit-learn, missed boxes last": _sklearn_whole,
    }
    return {name: averaged({one.name: of(one) for one in lists}) for name, of in made.items()}


def _found(one: Ranked) -> float:
    return sum(one.right) / one.total


def _places(one: Ranked) -> dict[str, float]:
    return {item: float(-place) for place, item in enumerate(one.answers())}


def _trec(one: Ranked, measure: str) -> float:
    import pytrec_eval

    truth = {"q": {f"box {k}": 1 for k in range(1, one.total + 1)}}
    if not one.right:
        return 0.0  # trec_eval leaves a query without an answer out
    found = pytrec_eval.RelevanceEvaluator(truth, {measure}).evaluate({"q": _places(one)})
    return float(found["q"][measure])


def _ir_measures(one: Ranked) -> float:
    import ir_measures

    truth = {"q": {f"box {k}": 1 for k in range(1, one.total + 1)}}
    found = ir_measures.calc_aggregate([ir_measures.AP], truth, {"q": _places(one)})
    return float(found[ir_measures.AP])


def _sklearn(one: Ranked) -> float:
    from sklearn.metrics import average_precision_score

    if not any(one.right):
        return 0.0  # scikit-learn warns, and says 0
    places = [-place for place in range(len(one.right))]
    return float(average_precision_score(one.right, places))


def _sklearn_whole(one: Ranked) -> float:
    from sklearn.metrics import average_precision_score

    missed = one.total - sum(one.right)
    truth = [*one.right, *[True] * missed]
    places = [-place for place in range(len(one.right))] + [-len(truth)] * missed
    return float(average_precision_score(truth, places))


def pycocotools(truth: dict[str, Any], found: list[dict[str, Any]]) -> dict[str, float]:
    """Give COCO's twelve figures by its own program, under our names."""
    import contextlib
    import io

    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = truth
        coco.createIndex()
        run = COCOeval(coco, coco.loadRes([dict(one) for one in found]), "bbox")
        run.evaluate()
        run.accumulate()
        run.summarize()
    return dict(zip(TWELVE, run.stats.tolist(), strict=True))


#: COCO's figures, in its order, by our names.
TWELVE = (
    *("AP", "AP50", "AP75", "AP_small", "AP_medium", "AP_large"),
    *("AR_1", "AR_10", "AR_100", "AR_small", "AR_medium", "AR_large"),
)


def twelve(result: DetectionResult) -> dict[str, float]:
    """Give COCO's twelve figures by ours."""
    both = result.both
    return detection_scores(both.gold, both.predicted, labels=len(both.classes)).summary()
