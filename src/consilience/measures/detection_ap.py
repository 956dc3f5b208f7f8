"""Average precision and recall of detections, as COCO sums them up.

For each class, range of areas and threshold, detections of all images are put in one list by
score. Precision at recall r is the highest precision at recall r or above, taken at r = 0, 0.01 …
1; its mean is the AP of the class, and the mean over classes and thresholds is what is called AP
(mAP in older papers). Average recall is the recall of the whole list, averaged the same way. A
class without a true box has neither, and is left out of averages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.detection import AREAS, THRESHOLDS, Matched, Rule, Side, match

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The points of recall at which precision is read.
RECALLS = np.linspace(0.0, 1.0, 101)
#: What is said where nothing can be averaged.
NO_TRUTH = "no true box of this kind"


@dataclass(frozen=True, slots=True)
class DetectionScores:
    """Precision and recall of every class.

    ``precision`` is areas × thresholds × points of recall × classes, at the most detections an
    image; ``recall`` is limits × thresholds × classes, where ``limits`` names ranges of areas and
    how many detections of an image counted. NaN: no true box.
    """

    thresholds: NDArray[np.float64]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    limits: tuple[tuple[str, int], ...]

    def ap(self, area: str = "all", iou: float | None = None) -> NDArray[np.float64]:
        """Give the AP of every class, averaged over thresholds unless one is named."""
        return self._at(self.precision[list(AREAS).index(area)].mean(axis=1), iou)

    def ar(self, limit: int, iou: float | None = None) -> NDArray[np.float64]:
        """Give the recall of every class under one of the limits."""
        return self._at(self.recall[limit], iou)

    def _at(self, values: NDArray[np.float64], iou: float | None) -> NDArray[np.float64]:
        if iou is None:
            return np.asarray(values.mean(axis=0))
        place = int(np.argmin(np.abs(self.thresholds - iou)))
        return np.asarray(values[place])

    def summary(self) -> dict[str, float]:
        """Give COCO's twelve figures; NaN where there is no true box of the kind."""
        found = {
            "AP": mean(self.ap()),
            "AP50": mean(self.ap(iou=0.5)),
            "AP75": mean(self.ap(iou=0.75)),
            **{f"AP_{area}": mean(self.ap(area)) for area in list(AREAS)[1:]},
        }
        for place, (area, most) in enumerate(self.limits):
            found[f"AR_{most}" if area == "all" else f"AR_{area}"] = mean(self.ar(place))
        return found


def mean(values: NDArray[np.float64]) -> float:
    """Average what is defined; NaN where nothing is."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def detection_scores(
    gold: Side,
    predicted: Side,
    *,
    labels: int,
    max_detections: int = 100,
    classes: bool = True,
    rule: Rule = "coco",
) -> DetectionScores:
    """Average precision and recall as COCO defines them.

    Parameters
    ----------
    gold, predicted
        True boxes, and detections with scores.
    labels
        How many classes there are.
    max_detections
        How many detections of an image (and class) count.
    classes
        Whether classes must be the same; otherwise all boxes are of one class.
    rule
        "coco", or "voc": how detections find their true boxes.

    Notes
    -----
    Equal to pycocotools' COCOeval, with one difference: a true box whose id is 0 is a box like any
    other (pycocotools takes a match with it for none).

    Examples
    --------
    >>> from consilience.measures.detection import Side
    >>> box, zero, no = np.array([[0.0, 0, 10, 10]]), np.zeros(1, int), np.zeros(1, bool)
    >>> gold = Side(zero, zero, box, np.array([100.0]), np.ones(1), no)
    >>> found = Side(zero, zero, box * [1, 1, 0.9, 0.9], np.array([81.0]), np.ones(1), no)
    >>> one = detection_scores(gold, found, labels=1).summary()
    >>> round(one["AP"], 6), round(one["AP50"], 6), one["AP_large"]
    (0.7, 1.0, nan)
    """
    every = list(AREAS)
    found = match(
        gold,
        predicted,
        areas=every,
        max_detections=max_detections,
        classes=classes,
        rule=rule,
    )
    if not classes:
        labels = 1
    lists = Lists.of(gold, predicted, found, labels, classes)
    most = [1, 10, max_detections]
    limits = (*(("all", n) for n in most), *((area, max_detections) for area in every[1:]))
    precision = np.full((len(every), len(THRESHOLDS), len(RECALLS), labels), np.nan)
    recall = np.full((len(limits), len(THRESHOLDS), labels), np.nan)
    for label in range(labels):
        for area, name in enumerate(every):
            total = int(lists.total[area, label])
            if not total:
                continue
            hit, false, place = lists.flags(found, area, label)
            precision[area, :, :, label] = _interpolated(hit, false, total)
            for limit in [n for n, one in enumerate(limits) if one[0] == name]:
                inside = place < limits[limit][1]
                recall[limit, :, label] = hit[:, inside].sum(axis=1) / total
    return DetectionScores(THRESHOLDS, precision, recall, limits)


@dataclass(frozen=True, slots=True)
class Lists:
    """Detections of all images in one list a class: ``order`` from ``begin[c]`` to ``begin[c+1]``.

    ``total`` (areas × classes) is how many true boxes count.
    """

    order: NDArray[np.int64]
    begin: NDArray[np.int64]
    total: NDArray[np.int64]

    @staticmethod
    def of(gold: Side, predicted: Side, found: Matched, labels: int, classes: bool) -> Lists:
        """Sort detections by class and score; equal scores by image, then by place."""
        zero = np.zeros(1, np.int64)
        label = predicted.label[found.row] if classes else np.repeat(zero, len(found.row))
        true = gold.label if classes else np.repeat(zero, len(gold))
        image, score = predicted.image[found.row], predicted.score[found.row]
        order = np.lexsort((found.place, image, -score, label))
        begin = np.searchsorted(label[order], np.arange(labels + 1))
        total = np.stack([np.bincount(true[some], minlength=labels) for some in found.counted])
        return Lists(order, begin, total)

    def rows(self, label: int) -> NDArray[np.int64]:
        """Give the places of a class's detections among all that were matched."""
        return self.order[self.begin[label] : self.begin[label + 1]]

    def flags(
        self, found: Matched, area: int, label: int
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int64]]:
        """Give what is right and wrong (thresholds × detections), and places in the images."""
        rows = self.rows(label)
        match_, ignored = found.match[area][:, rows], found.ignored[area][:, rows]
        return (match_ >= 0) & ~ignored, (match_ < 0) & ~ignored, found.place[rows]


def _interpolated(
    hit: NDArray[np.bool_], false: NDArray[np.bool_], total: int
) -> NDArray[np.float64]:
    """Give the highest precision at each point of recall or beyond it; 0 where none is reached."""
    right = np.cumsum(hit, axis=1, dtype=np.float64)
    wrong = np.cumsum(false, axis=1, dtype=np.float64)
    precision = right / (wrong + right + np.spacing(1))
    highest = np.maximum.accumulate(precision[:, ::-1], axis=1)[:, ::-1]
    padded = np.concatenate([highest, np.zeros((len(hit), 1))], axis=1)
    recall = right / total
    return np.stack(
        [row[np.searchsorted(at, RECALLS)] for row, at in zip(padded, recall, strict=True)]
    )


def ranked_flags(
    gold: Side,
    predicted: Side,
    *,
    iou: float,
    labels: int,
    max_detections: int = 100,
    classes: bool = True,
    rule: Rule = "coco",
) -> list[tuple[NDArray[np.bool_], NDArray[np.float64], int]]:
    """For each class: which detections are right, best first; their scores; how many are true.

    Detections that do not count (in a crowd) are left out.
    """
    found = match(
        gold,
        predicted,
        thresholds=[iou],
        max_detections=max_detections,
        classes=classes,
        rule=rule,
    )
    labels = labels if classes else 1
    lists = Lists.of(gold, predicted, found, labels, classes)
    flags = []
    for label in range(labels):
        hit, false, _ = lists.flags(found, 0, label)
        rows = lists.rows(label)
        counts = (hit | false)[0]
        scores = predicted.score[found.row[rows]]
        flags.append((hit[0, counts], scores[counts], int(lists.total[0, label])))
    return flags


def average_precisions(
    flags: Sequence[tuple[NDArray[np.bool_], NDArray[np.float64], int]], variant: str
) -> NDArray[np.float64]:
    """Average precision of every class under one of its meanings; NaN without a true box.

    Examples
    --------
    >>> flags = [(np.array([True, False, True]), np.array([0.9, 0.8, 0.7]), 2)]
    >>> average_precisions(flags, "interpolated").round(4).tolist()
    [0.8333]
    """
    from consilience.measures.curve import average_precision

    return np.array(
        [
            average_precision(hit, variant=variant, total=total)
            if total and len(hit)
            else (0.0 if total else np.nan)
            for hit, _, total in flags
        ]
    )
