"""Boxes as arrays, and as the text that stands for a box in a study.

A box is written ``left top width height class``: ``10 20 30.5 40 traffic light``. Numbers are
written so that they read back as the same numbers; the class may hold blanks or be missing.
Coordinates are continuous, as in COCO: a box from 10 to 12 is 2 wide, not 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.columns import Codes, Text
from consilience.errors import UsageError, quote
from consilience.formats.rows import Kind, Rows, Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIX = "write left, top, width, height and a class: 10 20 30 40 cat"


@dataclass(frozen=True, slots=True)
class Boxes:
    """Boxes of one respondent: a ground truth, an annotator or a detector.

    Box ``i`` lies in image ``images[image[i]]``, is of class ``classes[label[i]]`` and spans
    ``box[i]``: left, top, width, height. ``images`` and ``classes`` are ids as the file has them;
    ``image_names`` and ``class_names`` are what people call them (the same where a file knows no
    more). ``score`` is None where there are none. ``area`` is what a box is counted by as small,
    medium or large; ``crowd`` marks regions that hold many objects, ``difficult`` boxes that need
    not be found (VOC; None: there are none). ``listed`` tells that ``images`` names all images
    there are, also those without a box; ``by_id`` that images and classes go by the numbers of a
    ground truth; ``relative`` that boxes are given in parts of their image, not in pixels.
    ``named_images`` and ``named_classes`` tell that names stand beside the ids of all of them;
    ``sizes`` gives width and height of images, by id and by name, where they are known.
    """

    name: str
    source: Source
    images: tuple[str, ...]
    image: NDArray[np.int32]
    box: NDArray[np.float64]
    classes: tuple[str, ...]
    label: NDArray[np.int32]
    score: NDArray[np.float64] | None
    area: NDArray[np.float64]
    crowd: NDArray[np.bool_]
    image_names: tuple[str, ...]
    class_names: tuple[str, ...]
    listed: bool = False
    by_id: bool = False
    relative: bool = False
    difficult: NDArray[np.bool_] | None = None
    named_images: bool = False
    named_classes: bool = False
    sizes: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    locate: Callable[[int], int] | None = None

    def __len__(self) -> int:
        return len(self.box)

    def __repr__(self) -> str:
        crowds = int(self.crowd.sum())
        beside = f", {crowds} of them crowds" if crowds else ""
        return (
            f"<Boxes: {self.name}, {len(self):,} boxes of {len(self.classes):,} classes in "
            f"{len(self.images):,} images{beside}>"
        )

    def texts(self) -> list[str]:
        """Write each box as the text that stands for it in a study."""
        names = [self.classes[code] for code in self.label.tolist()]
        return [written(box, name) for box, name in zip(self.box.tolist(), names, strict=True)]

    def with_scores(self, score: NDArray[np.float64]) -> Boxes:
        """Give the same boxes with scores."""
        return replace(self, score=score)

    def rows(self, kind: Kind) -> Rows:
        """Give the boxes as answers: images are queries, boxes are items."""
        seen = np.unique(self.image)
        without = np.setdiff1d(np.arange(len(self.images)), seen)
        aside = self.crowd if self.difficult is None else self.crowd | self.difficult
        note = f"{int(aside.sum()):,} boxes are crowds or difficult: here they count like others"
        notes = (*self.source.notes, note) if aside.any() else self.source.notes
        return Rows(
            replace(self.source, notes=notes),
            Codes(self.image, self.images),
            Codes.constant(self.name, len(self)),
            Text.of(self.texts()),
            kind=(kind,),
            family=(None,),
            silence="no",
            score=self.score,
            asked=tuple((self.name, self.images[place]) for place in without.tolist()),
            locate=self.locate,
        )


def made(
    name: str,
    source: Source,
    *,
    image: Sequence[str],
    box: Sequence[Sequence[float]] | NDArray[np.float64],
    label: Sequence[str],
    score: Sequence[float] | NDArray[np.float64] | None = None,
    area: Sequence[float] | None = None,
    crowd: Sequence[bool] | None = None,
    images: Sequence[str] = (),
    classes: Sequence[str] = (),
    **others: Any,
) -> Boxes:
    """Put boxes together from a value of each kind for each of them.

    ``images`` and ``classes`` name those that are known beside the ones that have boxes; they come
    first and keep their order.
    """
    pictures = Codes.of([*images, *image])
    labels = Codes.of([*classes, *label])
    held = np.array(box, np.float64).reshape(-1, 4)
    held.setflags(write=False)
    return Boxes(
        name,
        replace(source, rows=len(held)),
        pictures.names,
        pictures.code[len(images) :].astype(np.int32),
        held,
        labels.names,
        labels.code[len(classes) :].astype(np.int32),
        None if score is None else np.array(score, np.float64),
        held[:, 2] * held[:, 3] if area is None else np.array(area, np.float64),
        np.zeros(len(held), bool) if crowd is None else np.array(crowd, bool),
        image_names=tuple(others.pop("image_names", pictures.names)),
        class_names=tuple(others.pop("class_names", labels.names)),
        **others,
    )


def written(box: Sequence[float], name: str) -> str:
    """Write a box as text.

    Examples
    --------
    >>> written([10.0, 20.5, 30.0, 40.0], "traffic light")
    '10 20.5 30 40 traffic light'
    """
    numbers = (repr(int(v)) if v == int(v) and abs(v) < 2**53 else repr(float(v)) for v in box)
    return f"{' '.join(numbers)} {name}".rstrip()


def parsed(items: Sequence[Any]) -> tuple[NDArray[np.float64], list[str]]:
    """Read boxes from their text, or from tuples ``(left, top, width, height[, class])``.

    Returns
    -------
    tuple
        An array of left, top, width and height, and the classes ("" where there is none).

    Examples
    --------
    >>> box, names = parsed(["10 20 30 40 traffic light", (1, 2, 3, 4.5)])
    >>> box.tolist(), names
    ([[10.0, 20.0, 30.0, 40.0], [1.0, 2.0, 3.0, 4.5]], ['traffic light', ''])
    """
    boxes = np.zeros((len(items), 4))
    names: list[str] = []
    for place, item in enumerate(items):
        fields = item.split(None, 4) if isinstance(item, str) else _fields(item)
        try:
            boxes[place] = [float(value) for value in fields[:4]]
        except (ValueError, TypeError):
            raise UsageError(f"{quote(item)} is not a box (fix: {_FIX})") from None
        names.append(str(fields[4]).rstrip() if len(fields) > 4 else "")
    wrong = fault(boxes)
    if wrong is not None:
        raise UsageError(f"{quote(items[wrong[0]])} is not a box: {wrong[1]} (fix: {_FIX})")
    return boxes, names


def _fields(item: object) -> Sequence[Any]:
    if isinstance(item, (tuple, list, np.ndarray)) and len(item) in (4, 5):
        return list(item)
    raise UsageError(f"{quote(item)} is not a box (fix: {_FIX})")


def fault(boxes: NDArray[np.float64]) -> tuple[int, str] | None:
    """Find the first box that cannot be one, and say why."""
    finite = np.asarray(np.isfinite(boxes).all(axis=1))
    sized = np.asarray((boxes[:, 2:] >= 0).all(axis=1))
    wrong = np.flatnonzero(~(finite & sized))
    if not len(wrong):
        return None
    first = int(wrong[0])
    return first, "a width or height below 0" if finite[first] else "a number that is not finite"
