"""Detected boxes against true ones: precision and recall by overlap, and average precision.

Three ways to count stand side by side, because users mean different things by them:

- *soft*: boxes of an image (and class) are paired one to one so that the shares of their unions
  add up to as much as possible; the sum is divided by the number of detections and of true boxes.
  This is what ``precision``, ``recall`` and ``f1`` are;
- *at a threshold*: a detection that shares at least ``iou`` with a free true box is right, the
  highest scores first, as COCO matches;
- *average precision*: COCO's twelve figures, and AP under every other meaning by name.

Images are pooled: counts are added up over all images, then divided once. What is random is which
images there are: intervals come from images drawn anew.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from consilience.errors import UsageError, is_number, quote
from consilience.measures.detection import Matched, match
from consilience.measures.detection_ap import (
    DetectionScores,
    average_precisions,
    detection_scores,
    mean,
    ranked_flags,
)
from consilience.measures.detection_drawn import drawn_ap
from consilience.measures.detection_soft import Assigned, assign, null_sums
from consilience.measures.names import AP_VARIANTS
from consilience.measures.sets import Counts, f_measure, precision, recall
from consilience.verdict.boxes_sides import Both, both_sides
from consilience.verdict.resample import FEWEST, Resampled, check_chance, resample_counts
from consilience.verdict.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.formats.box_layout import Layout
    from consilience.formats.boxes import Boxes
    from consilience.study import Study

#: Boxes as people have them: a file or folder, COCO's objects, or what was read from one.
Given: TypeAlias = "str | os.PathLike[str] | Boxes | dict[str, Any] | list[Any]"
#: The three figures, and what makes them of counts.
FIGURES = {"precision": precision, "recall": recall, "f1": f_measure}
#: How often detections are put into other images.
NULL_DRAWS = 20
Interval: TypeAlias = "tuple[float, float] | None"


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was asked for."""

    iou: float
    classes: bool
    max_detections: int
    level: float
    seed: int


@dataclass(frozen=True, slots=True)
class Averages:
    """Average precision: COCO's figures, other meanings by name, and what images drawn anew give.

    ``variants`` are those at the threshold asked for, by COCO's rule and by VOC's, class by class.
    """

    scores: DetectionScores
    variants: dict[str, dict[str, NDArray[np.float64]]]
    intervals: dict[str, Interval]
    draws: int


@dataclass(frozen=True, slots=True)
class DetectionResult(Shown):
    """Precision, recall, average precision and matched pairs of two sets of boxes.

    ``soft`` and ``crisp`` hold counts by image; in ``soft`` a pair counts by its overlap.
    """

    both: Both
    chosen: Chosen
    matched: Matched
    pairs: Assigned
    soft: Counts
    crisp: Counts
    intervals: dict[str, dict[str, Interval]]
    null: dict[str, float | None]
    ap: Averages | None
    headline: str
    notes: tuple[str, ...]

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        from consilience.verdict.boxes_payload import of_detections

        return of_detections(self)


def detections(
    gold: Given | Study,
    predicted: Given | None = None,
    *,
    iou: float = 0.5,
    classes: bool = True,
    max_detections: int = 100,
    level: float = 0.95,
    seed: int = 0,
    encoding: str | None = None,
    boxes: Layout | None = None,
) -> DetectionResult:
    """Compare detected boxes with true ones.

    Parameters
    ----------
    gold
        The true boxes: a file (COCO ground truth, a table of boxes), a folder of text files, what
        :func:`consilience.read_boxes` gives, or a study that holds both sides.
    predicted
        The detected boxes, given the same way, with scores for average precision. None where a
        study holds both.
    iou
        How much of their union two boxes must share to be a match.
    classes
        Whether boxes must be of the same class to be a match.
    max_detections
        How many boxes of an image (and class) count, the highest scores first.
    level, seed
        The coverage of intervals, and the seed of chance.
    encoding
        The files' text encoding, where it is not UTF-8.
    boxes
        What the four numbers of a line are in text files: ``"corners"``, ``"sizes"`` or
        ``"centres"``; see :func:`consilience.read_boxes`. None: what fits.

    Examples
    --------
    >>> true = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10]}]
    >>> found = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 8], "score": 0.9}]
    >>> result = detections(true, found)
    >>> result.payload()["recall"], round(result.payload()["ap"]["summary"]["AP50"], 9)
    (0.8, 1.0)
    """
    chosen = _checked(iou, classes, max_detections, level, seed)
    both = both_sides(gold, predicted, encoding, boxes, classes=classes)
    matched = match(
        both.gold,
        both.predicted,
        thresholds=[chosen.iou],
        max_detections=max_detections,
        classes=classes,
    )
    counts = ~matched.ignored[0, 0]
    rows = np.sort(matched.row[counts])
    kept = np.flatnonzero(~both.gold.aside)
    pairs = assign(both.gold.pick(kept), both.predicted.pick(rows), iou=chosen.iou, classes=classes)
    pairs = Assigned(kept[pairs.gold], rows[pairs.predicted], pairs.overlap)
    soft, crisp = _counts(both, matched, rows, kept, pairs)
    null = _null(both, rows, kept, chosen)
    ap = _averages(both, chosen) if both.scored else None
    return DetectionResult(
        both,
        chosen,
        matched,
        pairs,
        soft,
        crisp,
        {"soft": _intervals(soft, chosen), "crisp": _intervals(crisp, chosen)},
        null,
        ap,
        _headline(both, chosen, crisp, ap),
        _notes(both, matched, max_detections),
    )


def _checked(iou: object, classes: object, max_detections: object, level: Any, seed: Any) -> Chosen:
    check_chance(level, seed)
    if not is_number(iou) or not 0 < iou <= 1:
        raise UsageError(f"iou must be above 0 and at most 1, found {quote(iou)} (fix: 0.5)")
    if (
        not isinstance(max_detections, int)
        or isinstance(max_detections, bool)
        or max_detections < 1
    ):
        found = f"max_detections must be 1 or more, and whole, found {quote(max_detections)}"
        raise UsageError(f"{found} (fix: 100)")
    if not isinstance(classes, (bool, np.bool_)):
        raise UsageError(f"classes must be True or False, found {quote(classes)} (fix: True)")
    return Chosen(float(iou), bool(classes), max_detections, level, seed)


def _counts(
    both: Both,
    matched: Matched,
    rows: NDArray[np.int64],
    kept: NDArray[np.int64],
    pairs: Assigned,
) -> tuple[Counts, Counts]:
    """Count by image: overlaps of the pairs, and matches at the threshold."""
    n = len(both.images)
    found = np.bincount(both.predicted.image[rows], minlength=n).astype(np.float64)
    true = np.bincount(both.gold.image[kept], minlength=n).astype(np.float64)
    shared = np.zeros(n)
    np.add.at(shared, both.gold.image[pairs.gold], pairs.overlap)
    right = matched.row[matched.hit[0, 0]]
    hits = np.bincount(both.predicted.image[right], minlength=n).astype(np.float64)
    zero = np.zeros(n)
    return (
        Counts(shared, found - shared, true - shared, zero),
        Counts(hits, found - hits, true - hits, zero),
    )


def _intervals(counts: Counts, chosen: Chosen) -> dict[str, Interval]:
    """Intervals of the three figures over images drawn anew."""
    if len(counts.tp) < FEWEST:
        return dict.fromkeys(FIGURES)
    found: dict[str, Interval] = {}
    for name, divide in FIGURES.items():
        drawn = resample_counts([counts], divide, seed=chosen.seed)
        found[name] = drawn.interval(drawn.draws[:, 0], chosen.level)
    return found


def _null(
    both: Both, rows: NDArray[np.int64], kept: NDArray[np.int64], chosen: Chosen
) -> dict[str, float | None]:
    """What the same detections would get in other images."""
    true, found = len(kept), len(rows)
    if len(both.images) < 2 or not true or not found:
        return dict.fromkeys(FIGURES)
    sums = null_sums(
        both.gold.pick(kept),
        both.predicted.pick(rows),
        iou=chosen.iou,
        classes=chosen.classes,
        draws=NULL_DRAWS,
        seed=chosen.seed,
        images=len(both.images),
    )
    one = Counts.of(sums.mean(), found - sums.mean(), true - sums.mean(), 0.0)
    return {name: float(divide(one)) for name, divide in FIGURES.items()}


def _averages(both: Both, chosen: Chosen) -> Averages:
    labels = len(both.classes)
    asked: dict[str, Any] = {
        "labels": labels,
        "max_detections": chosen.max_detections,
        "classes": chosen.classes,
    }
    scores = detection_scores(both.gold, both.predicted, **asked)
    variants = {}
    for rule in ("coco", "voc"):
        flags = ranked_flags(both.gold, both.predicted, iou=chosen.iou, rule=rule, **asked)
        variants[rule] = {name: average_precisions(flags, name) for name in AP_VARIANTS}
    images = len(both.images)
    intervals: dict[str, Interval] = dict.fromkeys(("AP", "AP50", "AP75"))
    draws = 0
    if images >= FEWEST:
        drawn = drawn_ap(both.gold, both.predicted, images=images, seed=chosen.seed, **asked)
        draws = len(drawn)
        held = Resampled(drawn, images, chosen.seed)
        figures = scores.summary()
        columns = {"AP": drawn.mean(axis=1), "AP50": drawn[:, 0], "AP75": drawn[:, 5]}
        centred = {name: _centred(one, figures[name]) for name, one in columns.items()}
        intervals = {name: held.interval(one, chosen.level) for name, one in centred.items()}
    return Averages(scores, variants, intervals, draws)


def _centred(drawn: NDArray[np.float64], value: float) -> NDArray[np.float64]:
    """Move draws so that their mean is the value.

    Drawing images anew leaves rare classes out and makes others easier, which moves all draws the
    same way: that is no news about the images.
    """
    known = drawn[~np.isnan(drawn)]
    return np.clip(known - known.mean() + value, 0.0, 1.0) if len(known) else known


def _headline(both: Both, chosen: Chosen, crisp: Counts, ap: Averages | None) -> str:
    total = crisp.total()
    hits, found, true = (
        round(float(v)) for v in (total.tp, total.tp + total.fp, total.tp + total.fn)
    )
    said = f"{both.names[1]} finds {hits:,} of {true:,} boxes of {both.names[0]}"
    said += f" at IoU {chosen.iou:g}, and {found - hits:,} of its {found:,} detections are false"
    average = float("nan") if ap is None else mean(ap.scores.ap())
    if ap is None or np.isnan(average):
        return f"{said}."
    return f"{said}; AP is {average:.3f} (AP50 {mean(ap.scores.ap(iou=0.5)):.3f})."


def _notes(both: Both, matched: Matched, most: int) -> tuple[str, ...]:
    notes = list(both.notes)
    took = matched.match[0, 0][matched.ignored[0, 0]]
    taken = both.gold.crowd[took[took >= 0]]
    crowds, inside = int(both.gold.crowd.sum()), int(taken.sum())
    if crowds:
        notes.append(
            f"{crowds:,} true boxes are crowds: they need not be found, and {inside:,} detections "
            "inside them do not count"
        )
    difficult = int((both.gold.aside & ~both.gold.crowd).sum())
    if difficult:
        notes.append(
            f"{difficult:,} true boxes are difficult: they need not be found, and "
            f"{len(taken) - inside:,} detections of them do not count"
        )
    beyond = len(both.predicted) - len(matched.row)
    if beyond:
        each = "of an image and class"
        notes.append(f"{beyond:,} detections beyond the first {most:,} {each} do not count")
    if not both.scored and len(both.predicted):
        notes.append("the predicted boxes have no scores: they are taken as they stand, without AP")
    if both.relative:
        notes.append("boxes are in parts of their images: small, medium and large mean nothing")
    return tuple(notes)
