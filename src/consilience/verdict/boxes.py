"""Detected boxes against true ones: precision and recall by overlap, and average precision."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from consilience.verdict.shown import Shown

if TYPE_CHECKING:
    from consilience.formats.boxes import Boxes
    from consilience.study import Study

#: Boxes as people have them: a file or folder, or what was read from one.
Given: TypeAlias = "str | os.PathLike[str] | Boxes"


@dataclass(frozen=True, slots=True)
class DetectionResult(Shown):
    """Precision, recall, average precision and matched pairs of two sets of boxes."""

    headline: str
    notes: tuple[str, ...]

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        raise NotImplementedError


def detections(
    gold: Given | Study,
    predicted: Given | None = None,
    *,
    iou: float = 0.5,
    classes: bool = True,
    max_detections: int = 100,
    level: float = 0.95,
    seed: int = 0,
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
    """
    raise NotImplementedError
