"""Two sets of boxes brought together: one numbering of images and classes for both.

A ground truth in COCO's form knows the names of its images and classes beside their ids; results
know the ids alone; tables and text files know names. So what stands on the predicted side is looked
up among the ids and names of the gold side: ids first where the file goes by ids, names first where
it does not; an image also by its name without folder and ending. Two COCO files with names have
been brought under one numbering before (:mod:`consilience.formats.boxes_joined`).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError, bad, quote
from consilience.formats.boxed import Boxes, written
from consilience.formats.boxes import of_texts, read_several
from consilience.formats.boxes_coco import BY_ID, in_order
from consilience.formats.rows import Source
from consilience.measures.detection import Side
from consilience.study.model import Answers, Study

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.formats.box_layout import Layout

_BOTH = "detections(truth, predicted) takes two files, folders or Boxes, or a study with both"


@dataclass(frozen=True, slots=True)
class Both:
    """Boxes of two sides under one numbering; ``images`` and ``classes`` are names for people."""

    names: tuple[str, str]
    images: tuple[str, ...]
    classes: tuple[str, ...]
    gold: Side
    predicted: Side
    scored: bool
    relative: bool
    sources: tuple[Source, ...]
    notes: tuple[str, ...]

    def fingerprint(self) -> str:
        """Hash everything that was said."""
        digest = hashlib.sha256(repr((self.names, self.images, self.classes)).encode())
        for side in (self.gold, self.predicted):
            for name in Side.__slots__:
                digest.update(np.ascontiguousarray(getattr(side, name)).tobytes())
        return digest.hexdigest()

    def text(self, side: Side, row: int) -> str:
        """Write a box, with the name of its class."""
        return written(side.box[row].tolist(), self.classes[int(side.label[row])])


def both_sides(
    gold: object,
    predicted: object,
    encoding: str | None = None,
    boxes: Layout | None = None,
    *,
    classes: bool = True,
) -> Both:
    """Read two sets of boxes and bring them together; ``classes`` tells whether classes count."""
    if isinstance(gold, Study):
        if predicted is not None:
            raise UsageError(f"a study holds both sides (fix: {_BOTH})")
        left, right = _of_study(gold)
    else:
        sides = [_given(one) for one in (gold, predicted)]
        left, right = read_several(sides, encoding=encoding, boxes=boxes)
    return _together(left, right, classes)


def _given(given: object) -> Any:
    if isinstance(given, (str, os.PathLike, Boxes, Mapping, list, tuple)):
        return given
    found = "nothing" if given is None else type(given).__name__
    raise UsageError(f"boxes are missing: found {found} (fix: {_BOTH})")


def _of_study(study: Study) -> tuple[Boxes, Boxes]:
    people = study.respondents
    sides = []
    for table, kinds in ((study.evidence, ("gold", "person")), (study.answers, ("system",))):
        who = [code for code, kind in enumerate(people.kind) if kind in kinds]
        if len(who) != 1:
            names = ", ".join(people.names[code] for code in who[:8]) or "nobody"
            side = "the predicted boxes" if kinds == ("system",) else "the true boxes"
            raise UsageError(
                f"{side} must be of one respondent, found {names} (fix: read one of each)"
            )
        sides.append(_of_respondent(study, table, who[0]))
    return sides[0], sides[1]


def _of_respondent(study: Study, table: Answers, who: int) -> Boxes:
    lists = table.list_of_row()
    rows = np.flatnonzero(table.respondent[lists] == who)
    images = [study.queries[code] for code in table.query[lists[rows]].tolist()]
    source = Source("study", "study", "given", len(rows))
    found = of_texts(
        study.respondents.names[who], source, images, study.items.names(table.item[rows])
    )
    if table.score is None:
        return found
    return found.with_scores(table.score[rows])


def _together(gold: Boxes, predicted: Boxes, by_class: bool) -> Both:
    told = dict.fromkeys((*gold.source.notes, *predicted.source.notes))
    notes = [note for note in told if note != BY_ID]
    images = _images(gold, predicted)
    labels = _looked_up(
        *(predicted.classes, predicted.by_id, gold.classes, gold.class_names), stems=False
    )
    strange = sorted({name for name in labels if name not in gold.classes})
    if by_class and labels and len(gold) and len(strange) == len({*labels}):
        raise UsageError(
            f"{gold.name} and {predicted.name} have no class in common: "
            f"{quote(gold.class_names[0])} here, {quote(strange[0])} there "
            "(fix: call classes the same; or leave them aside: --labels ignored)"
        )
    if strange and len(gold):
        notes.append(_strange(strange))
    every = in_order(dict.fromkeys([*gold.images, *images]))
    classes = [*gold.classes, *strange]
    picture = dict(zip(gold.images, gold.image_names, strict=True))
    called = dict(zip(gold.classes, gold.class_names, strict=True))
    return Both(
        _names(gold.name, predicted.name),
        tuple(picture.get(one, one) for one in every),
        tuple(called.get(one, one) for one in classes),
        _side(gold, gold.images, gold.classes, every, classes),
        _side(predicted, images, labels, every, classes),
        predicted.score is not None,
        gold.relative,
        (gold.source, predicted.source),
        tuple(notes),
    )


def _names(gold: str, predicted: str) -> tuple[str, str]:
    return (f"{gold} (truth)", predicted) if gold == predicted else (gold, predicted)


def _strange(names: Sequence[str]) -> str:
    shown = ", ".join(name or "(none)" for name in names[:8])
    return f"classes of detections that the truth does not know: {shown}; all of them are false"


def _images(gold: Boxes, predicted: Boxes) -> list[str]:
    """Give the gold side's id of each image of the predicted side."""
    found = _looked_up(
        *(predicted.images, predicted.by_id, gold.images, gold.image_names), stems=True
    )
    known = set(gold.images)
    strange = [one for one in found if one not in known]
    if found and gold.images and len(strange) == len(found):
        raise UsageError(
            f"{gold.name} and {predicted.name} have no image in common: "
            f"{quote(gold.image_names[0])} here, {quote(found[0])} "
            "there (fix: call images the same)"
        )
    if strange and gold.listed:
        some = "an image is" if len(strange) == 1 else f"{len(strange)} images are"
        said = f"{some} not in {gold.source.name}, such as {quote(strange[0])}"
        raise bad(predicted.source.name, None, said, "list them among the images of the truth")
    return found


def _looked_up(
    names: Sequence[str],
    by_id: bool,
    ids: Sequence[str],
    called: Sequence[str],
    *,
    stems: bool,
) -> list[str]:
    """Find names among ids and names; what is not found keeps its name."""
    by_name = dict(zip(called, ids, strict=True))
    own = dict(zip(ids, ids, strict=True))
    tables = [own, by_name] if by_id else [by_name, own]
    if stems:
        short = {PurePath(name).stem: one for name, one in by_name.items()}
        tables.append({**short, **{PurePath(one).stem: one for one in ids}})
    made = []
    for name in names:
        keys = (name, PurePath(name).stem) if stems else (name,)
        hits = (table[key] for key in keys for table in tables if key in table)
        made.append(next(hits, name))
    return made


def _side(
    boxes: Boxes,
    images: Sequence[str],
    labels: Sequence[str],
    every: Sequence[str],
    classes: Sequence[str],
) -> Side:
    picture = {name: place for place, name in enumerate(every)}
    label = {name: place for place, name in enumerate(classes)}
    return Side(
        _codes([picture[name] for name in images])[boxes.image],
        _codes([label[name] for name in labels])[boxes.label],
        boxes.box,
        boxes.area,
        np.ones(len(boxes)) if boxes.score is None else boxes.score,
        boxes.crowd,
        np.zeros(len(boxes), bool) if boxes.difficult is None else boxes.difficult,
    )


def _codes(values: Sequence[int]) -> NDArray[np.int64]:
    return np.array(values, np.int64)
