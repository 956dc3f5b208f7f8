"""What the four numbers of a box mean in files that do not name them: corners, sizes or centres.

=========  ======================================  ================================
layout     the four numbers                        who writes it
=========  ======================================  ================================
corners    left, top, right, bottom                Cartucho's mAP, VOC as text
sizes      left, top, width, height                Padilla's Object-Detection-Metrics
centres    centre x, centre y, width, height       YOLO, in parts of the image
=========  ======================================  ================================

Numbers decide, all files of a side together, and all sides together that are written alike. A
layout is refuted where a box in twenty ends before it begins, or leaves its image (a small share
of mistyped lines refutes nothing). What is written in parts of an image has an image of 1 × 1;
other images are known from a COCO file or from a table beside. Where one layout is left, it is
taken. Where several are left, only one thing decides: if the third numbers were widths, they would
have nothing to do with the left ends of their boxes, but that a box far to the right cannot be
wide. Where in one image fewer than one in a million ways to deal out the third numbers keeps every
one beyond its first, they are right ends. Otherwise the reader must be told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from consilience.errors import ChoiceError, UsageError, bad, unknown

if TYPE_CHECKING:
    from numpy.typing import NDArray

Layout = Literal["corners", "sizes", "centres"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
#: How the numbers of each layout are called.
CALLED: dict[Layout, str] = {
    "corners": "left top right bottom",
    "sizes": "left top width height",
    "centres": "x y width height (the centre)",
}
#: A layout is refuted by one line in so many, and by any of fewer lines.
_ONE_IN = 20
#: How far a box may reach over the border of its image: a share of it, and a pixel.
_OVER, _PIXEL = 0.02, 1.0
#: How unlikely a coincidence must be to decide, and to say that sides are written differently.
_NEVER, _HARDLY = 1e-6, 1e-3
#: Overlaps from here on are one object that was marked twice.
_TWICE = 0.5


@dataclass(frozen=True, slots=True)
class Reading:
    """A layout, and whether the score stands before it or behind."""

    layout: Layout
    last: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """The numbers of all lines of one side, as they stand: four a line, or five with scores.

    ``image`` numbers the image of each line, ``size`` gives its width and height (NaN: unknown);
    ``numbered`` tells that classes are numbers, as YOLO writes them. ``file`` and ``line`` are
    where each line stands.
    """

    name: str
    values: NDArray[np.float64]
    image: NDArray[np.int64]
    size: NDArray[np.float64]
    numbered: bool
    file: Sequence[str]
    line: Sequence[int]

    @property
    def scored(self) -> bool:
        """Whether there are scores."""
        return bool(self.values.shape[1] == 5)

    @property
    def parts(self) -> bool:
        """Whether boxes are written in parts of their image."""
        sides = [self.values[:, -4:], self.values[:, :4]] if self.scored else [self.values]
        return any(
            bool(((one >= -_OVER) & (one <= 1 + _OVER)).all())
            and bool((one != np.round(one)).any(axis=1).all())
            for one in sides
        )

    def readings(self) -> list[Reading]:
        """Give the ways in which the lines may be meant."""
        if not self.parts:
            return [Reading("corners"), Reading("sizes")]
        if not self.numbered:
            return [Reading("corners"), Reading("sizes"), Reading("centres")]
        if self.scored:  # with a number for its class and parts of an image it is YOLO's, or alike
            return [Reading("corners"), Reading("centres"), Reading("centres", last=True)]
        return [Reading("corners"), Reading("centres")]


@dataclass(frozen=True, slots=True)
class Decided:
    """How a side is read, and why."""

    reading: Reading
    parts: bool
    why: str


def check_layout(layout: object) -> None:
    """See that a layout that somebody chose is known."""
    if layout is not None and layout not in LAYOUTS:
        raise unknown("layout of boxes", str(layout), LAYOUTS)


def boxes_of(
    values: NDArray[np.float64], reading: Reading
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Return boxes as left, top, width and height, and their scores where there are any.

    Examples
    --------
    >>> boxes_of(np.array([[0.9, 10, 20, 30, 60]]), Reading("corners"))
    (array([[10., 20., 20., 40.]]), array([0.9]))
    """
    score = None
    if values.shape[1] == 5:
        score = values[:, 4] if reading.last else values[:, 0]
        values = values[:, :4] if reading.last else values[:, 1:]
    box = values.copy()
    if reading.layout == "corners":
        box[:, 2:] -= box[:, :2]
    elif reading.layout == "centres":
        box[:, :2] -= box[:, 2:] / 2
    return box, score


def decide(sides: Sequence[Written], chosen: Layout | None = None) -> list[Decided]:
    """Return how each side is read; those that are written alike are read alike."""
    groups: dict[tuple[bool, bool], list[int]] = {}
    for place, side in enumerate(sides):
        groups.setdefault((side.parts, side.parts and side.numbered), []).append(place)
    made: dict[int, Decided] = {}
    for group in groups.values():
        some = [sides[place] for place in group]
        found = _chosen(some, chosen) if chosen else _decided(some)
        made |= dict(zip(group, found, strict=True))
    return [made[place] for place in range(len(sides))]


def _chosen(sides: Sequence[Written], layout: Layout) -> list[Decided]:
    made = []
    for side in sides:
        mine = [one for one in side.readings() if one.layout == layout]
        left = [one for one in mine if not _is_refuted(_wrong(side, one))] or mine
        reading = left[-1] if left else Reading(layout)
        made.append(Decided(reading, side.parts, f"boxes are {CALLED[layout]}: chosen"))
    return made


def _decided(sides: Sequence[Written]) -> list[Decided]:
    """Decide about sides that are written alike."""
    wrong = [{one: _wrong(side, one) for one in side.readings()} for side in sides]
    _check_lines(sides, wrong)
    fits = [[one for one, lines in of.items() if not _is_refuted(lines)] for of in wrong]
    for side, of, left in zip(sides, wrong, fits, strict=True):
        if not left:
            _refuse_none(side, of)
    layouts = [
        layout for layout in LAYOUTS if all(layout in [one.layout for one in left] for left in fits)
    ]
    if not layouts:
        _refuse_both(sides, fits)
    if len(layouts) > 1:
        if "corners" in layouts and (told := _dealt(sides)):
            return _taken(sides, fits, "corners", told)
        _ask(sides[0], layouts)
    _check_alike(sides, wrong, layouts[0])
    return _taken(sides, fits, layouts[0], _told(sides, wrong, layouts[0]))


def _taken(
    sides: Sequence[Written], fits: Sequence[Sequence[Reading]], layout: Layout, told: str
) -> list[Decided]:
    made = []
    for side, left in zip(sides, fits, strict=True):
        mine = [one for one in left if one.layout == layout]
        if len(mine) > 1:
            found = "the score may stand second or last: all numbers lie between 0 and 1 either way"
            fix = "write it last and say --boxes centres, or write boxes in pixels"
            raise bad(side.name, None, found, fix)
        made.append(Decided(mine[0], side.parts, f"boxes are {CALLED[layout]}: {told}"))
    return made


def _wrong(side: Written, reading: Reading) -> NDArray[np.bool_]:
    """Tell which lines cannot be meant so."""
    box, score = boxes_of(side.values, reading)
    size = np.ones_like(side.size) if side.parts else side.size
    over = _OVER * size + (0 if side.parts else _PIXEL)
    ends = box[:, :2] + box[:, 2:]
    wrong = (box[:, 2:] < 0).any(axis=1) | (ends > size + over).any(axis=1)
    wrong |= (box[:, :2] < -over).any(axis=1)
    if score is not None and side.parts:
        wrong |= (score < 0) | (score > 1)
    return np.asarray(wrong)


def _is_refuted(wrong: NDArray[np.bool_]) -> bool:
    return bool(wrong.any()) and int(wrong.sum()) * _ONE_IN >= len(wrong)


def _told(
    sides: Sequence[Written],
    wrong: Sequence[Mapping[Reading, NDArray[np.bool_]]],
    layout: Layout,
) -> str:
    """Say how many lines refute what was not taken."""
    said = []
    for other in LAYOUTS:
        found = [
            lines
            for of in wrong
            for one, lines in of.items()
            if one.layout == other != layout and _is_refuted(lines)
        ]
        if found:
            count, every = sum(int(lines.sum()) for lines in found), sum(map(len, found))
            ends = "ends before it begins" if count == 1 else "end before they begin"
            leaves = " or leaves its image" if count == 1 else " or leave their images"
            said.append(f"as {other}, {count:,} of {every:,} {ends}{leaves}")
    return "; ".join(said)


def _dealt(sides: Sequence[Written]) -> str | None:
    """Say so where right ends follow left ends as widths never would, in one image of a truth.

    Detections do not count: many of them are of one object.
    """
    best, images, boxes = 0.0, 0, 0
    for side in (one for one in sides if not one.scored):
        for image in np.unique(side.image):
            some = _once(side.values[side.image == image])
            images += 1
            chance = _log_chance(some[:, 0], some[:, 2])
            if chance < best:
                best, boxes = chance, len(some)
    if best + np.log(max(images, 1)) >= np.log(_NEVER):
        return None
    return (
        f"the third number is above the first in all of {boxes:,} boxes of one image, which widths "
        "would not be by chance (less than one in a million)"
    )


def _once(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Leave out boxes that would lie on others, were they written with sizes."""
    kept: list[NDArray[np.float64]] = []
    for one in np.unique(values, axis=0):
        if not any(_overlap(one, other) > _TWICE for other in kept):
            kept.append(one)
    return np.array(kept)


def _overlap(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    low = np.maximum(one[:2], other[:2])
    high = np.minimum(one[:2] + one[2:], other[:2] + other[2:])
    both = float(np.prod(np.maximum(high - low, 0)))
    union = float(np.prod(one[2:]) + np.prod(other[2:])) - both
    return both / union if union > 0 else 1.0


def _log_chance(low: NDArray[np.float64], high: NDArray[np.float64]) -> float:
    """Return the log of the share of all ways to deal out ``high`` in which none is below its low.

    The highest ``low`` takes one of those above it, the next one of those that are left, and so on.

    Examples
    --------
    >>> round(float(np.exp(_log_chance(np.array([1, 3, 5]), np.array([2, 4, 6])))), 6)
    0.166667
    """
    ordered = np.sort(high)
    above = len(high) - np.searchsorted(ordered, np.sort(low)[::-1], side="left")
    rank = np.arange(len(high))
    if (above <= rank).any():
        return 0.0  # they are not all above
    return float((np.log(above - rank) - np.log(len(high) - rank)).sum())


def _check_lines(
    sides: Sequence[Written], wrong: Sequence[Mapping[Reading, NDArray[np.bool_]]]
) -> None:
    """Refuse a line that is a box in no layout, where nearly all others are."""
    for side, of in zip(sides, wrong, strict=True):
        never = np.logical_and.reduce(list(of.values()))
        if never.any() and not _is_refuted(never):
            place = int(np.flatnonzero(never)[0])
            found = "the box has a width or height below 0, or leaves its image"
            raise bad(side.file[place], side.line[place], found, "write left top width height")


def _refuse_none(side: Written, wrong: Mapping[Reading, NDArray[np.bool_]]) -> None:
    reading, lines = next(iter(wrong.items()))
    place = int(np.flatnonzero(lines)[0])
    names = " nor ".join(dict.fromkeys(CALLED[one.layout] for one in wrong))
    found = f"the boxes are neither {names}: as {reading.layout}, the box has a width or height "
    found += "below 0, or leaves its image"
    raise bad(side.file[place], side.line[place], found, "write left top width height")


def _refuse_both(sides: Sequence[Written], fits: Sequence[Sequence[Reading]]) -> None:
    said = "; ".join(
        f"{side.name} reads as {' or '.join(dict.fromkeys(one.layout for one in left))}"
        for side, left in zip(sides, fits, strict=True)
    )
    raise UsageError(f"boxes are written in several ways: {said} ({_ALIKE})")


_ALIKE = "fix: write all in one way, or in Python cs.read_boxes(…, boxes=…) for each"


def _check_alike(
    sides: Sequence[Written],
    wrong: Sequence[Mapping[Reading, NDArray[np.bool_]]],
    layout: Layout,
) -> None:
    """See that no side, which by itself fits another layout as well, is too well-behaved in it."""
    for other in (one for one in LAYOUTS if one != layout):
        shares = [lines.mean() for of in wrong for one, lines in of.items() if one.layout == other]
        most = max(shares, default=0.0)
        for side, of in zip(sides, wrong, strict=True):
            fit = [one for one, lines in of.items() if one.layout == other and not lines.any()]
            if fit and (1 - most) ** len(side.values) < _HARDLY:
                raise UsageError(
                    f"{side.name} reads as {other} in all of {len(side.values):,} lines, and other "
                    f"files only as {layout} ({_ALIKE})"
                )


def _ask(side: Written, layouts: Sequence[Layout]) -> None:
    shown = " ".join(f"{value:g}" for value in side.values[0][-4:])
    ways = " or ".join(f"'{CALLED[one]}'" for one in layouts)
    found = f"the boxes may be {ways}: every line fits both, such as {shown}"
    raise ChoiceError(side.name, found, "--boxes", layouts)


def keys_of(name: str) -> tuple[str, str]:
    """Give what an image may be looked up by: its name, and its name without folder and ending."""
    return name, PurePath(name).stem
