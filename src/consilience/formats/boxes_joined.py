"""Boxes of several files under one numbering of images and classes, and in one unit.

COCO files number their images and classes. Two of them may number the same images differently, so
they are joined by file name and class name where both have them. Results know ids alone, and these
are the truth's, as in COCO's own program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from consilience.errors import UsageError, quote
from consilience.formats.box_layout import keys_of
from consilience.formats.boxed import Boxes

_FIX = "call images and classes alike in both files, or number them alike"


def joined(several: Sequence[Sequence[Boxes]], truth: Sequence[bool]) -> list[list[Boxes]]:
    """Return the same boxes, those of all COCO files with names under the numbers of the truth."""
    pairs = sorted(zip(truth, several, strict=True), key=lambda pair: not pair[0])
    named = [one for _, of in pairs for one in of if one.by_id and one.listed]
    return [[_renumbered(one, named[0]) if named else one for one in of] for of in several]


def _renumbered(boxes: Boxes, truth: Boxes) -> Boxes:
    if boxes is truth or not boxes.listed or not boxes.by_id:
        return boxes
    images, moved = _numbers(
        *(boxes.images, boxes.image_names, boxes.named_images),
        *(truth.images, truth.image_names, truth.named_images),
        what="image",
        where=(boxes.source.name, truth.source.name),
    )
    classes, changed = _numbers(
        *(boxes.classes, boxes.class_names, boxes.named_classes),
        *(truth.classes, truth.class_names, truth.named_classes),
        what="category",
        where=(boxes.source.name, truth.source.name),
    )
    if not moved and not changed:
        return boxes
    what = " and ".join(["images by file name"] * bool(moved) + ["classes by name"] * bool(changed))
    of = f"{moved + changed:,} {'id is' if moved + changed == 1 else 'ids are'} other"
    note = f"joined with {truth.source.name}: {what} ({of} there)"
    source = replace(boxes.source, notes=(*boxes.source.notes, note))
    return replace(boxes, source=source, images=images, classes=classes)


def _numbers(
    ids: Sequence[str],
    names: Sequence[str],
    named: bool,
    there: Sequence[str],
    called: Sequence[str],
    also: bool,
    *,
    what: str,
    where: tuple[str, str],
) -> tuple[tuple[str, ...], int]:
    """Return the other file's ids of the same names, and how many are other than before."""
    own, other = dict(zip(ids, names, strict=False)), dict(zip(there, called, strict=False))
    short = _short(what, names, called)
    odd = [one for one in own if one in other and short(own[one]) != short(other[one])]
    if not (named and also):
        return tuple(ids), 0
    known = {short(name): one for one, name in other.items()}
    unique = len(known) == len(other) and len({short(name) for name in names}) == len(ids)
    shared = any(short(name) in known for name in names)
    if odd and (not unique or not shared):
        first = odd[0]
        raise UsageError(
            f"{what} {first} is {quote(own[first])} in {where[0]} and {quote(other[first])} in "
            f"{where[1]}{', and names are not unique' if not unique else ''} (fix: {_FIX})"
        )
    if not unique:
        return tuple(ids), 0
    made = []
    for one in ids:
        mine = known.get(short(own[one]))
        taken = one if one not in other else f"{own[one]} ({one})"
        made.append(taken if mine is None else mine)
    return tuple(made), sum(a != b for a, b in zip(ids, made, strict=True))


def _short(what: str, names: Sequence[str], called: Sequence[str]) -> Callable[[str], str]:
    """Tell how names are compared: images without their folders, where that is unique."""
    plain = all(
        len({PurePath(name).name for name in some}) == len({*some}) for some in (names, called)
    )
    return (lambda name: PurePath(name).name) if what == "image" and plain else str


def in_pixels(
    several: Sequence[Sequence[Boxes]], sizes: Mapping[str, tuple[float, float]]
) -> list[list[Boxes]]:
    """Return boxes in pixels where some are, and the others' images have a known size."""
    some = [one for of in several for one in of if len(one)]
    if len({one.relative for one in some}) < 2:
        return [list(of) for of in several]
    return [[_scaled(one, sizes) if one.relative else one for one in of] for of in several]


def _scaled(boxes: Boxes, sizes: Mapping[str, tuple[float, float]]) -> Boxes:
    found = [
        next((sizes[key] for key in keys_of(name) if key in sizes), None) for name in boxes.images
    ]
    used = np.unique(boxes.image).tolist()
    unknown = next((boxes.images[code] for code in used if found[code] is None), None)
    if unknown is not None:
        raise UsageError(
            f"{boxes.source.name} gives boxes in parts of an image (as YOLO does), the other side "
            f"in pixels, and the size of image {quote(unknown)} is not known (fix: write both in "
            "pixels, or give a COCO truth whose images have width and height)"
        )
    size = np.array([(1.0, 1.0) if one is None else one for one in found])[boxes.image]
    box = boxes.box * np.concatenate([size, size], axis=1)
    note = "boxes in parts of an image became pixels: other files know the size of each image"
    notes = tuple(dict.fromkeys((*boxes.source.notes, note)))
    source = replace(boxes.source, notes=notes)
    area = box[:, 2] * box[:, 3]
    return replace(boxes, source=source, box=box, area=area, relative=False)
