"""Which detection is which true box: the one-to-one matching that COCO and VOC define.

Detections of an image (and class) are taken by score, the highest first; equal scores in the order
given. Each takes the free true box that it overlaps most, if they share at least the threshold of
their union. Rules that matter, as in COCO's own program (pycocotools):

- Where two true boxes are overlapped equally, the later one is taken.
- A true box is *ignored* if it is a crowd, or if its area lies outside the range in question. An
  ignored box is taken only if no other can be; the detection is then ignored, too. A crowd can be
  taken any number of times, and overlap with it is measured in parts of the detection.
- A true box that is *difficult* (VOC) is ignored, too, and can be taken any number of times, but
  overlap with it is measured like any other.
- A detection without a match is ignored if its own area lies outside the range.

VOC's rule differs: each detection goes to the box it overlaps most, free or not; where that box is
taken the detection is false, even if another true box would fit.

All images are matched at once: what is left of a loop goes over the places in a list of detections.

References
----------
T.-Y. Lin et al., "Microsoft COCO: common objects in context", ECCV 2014; the detection evaluation
of cocoapi. M. Everingham et al., "The Pascal visual object classes challenge", IJCV 2010.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.match.boxes import overlaps

if TYPE_CHECKING:
    from numpy.typing import NDArray

Rule = Literal["coco", "voc"]
#: What is small, medium and large: the sides of squares of 32 and 96 pixels.
AREAS: dict[str, tuple[float, float]] = {
    "all": (0.0, 1e10),
    "small": (0.0, 32.0**2),
    "medium": (32.0**2, 96.0**2),
    "large": (96.0**2, 1e10),
}
#: COCO's ten thresholds.
THRESHOLDS = np.linspace(0.5, 0.95, 10)
#: The most overlaps that are held at a time.
_HELD = 1 << 18


@dataclass(frozen=True, slots=True)
class Side:
    """Boxes of one side: image and class as numbers, box, area, score, what is a crowd.

    Images are numbered in the order in which equal scores are settled. ``difficult`` boxes need not
    be found; None: there are none.
    """

    image: NDArray[np.int64]
    label: NDArray[np.int64]
    box: NDArray[np.float64]
    area: NDArray[np.float64]
    score: NDArray[np.float64]
    crowd: NDArray[np.bool_]
    difficult: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.box)

    @property
    def aside(self) -> NDArray[np.bool_]:
        """Which boxes need not be found, and may be taken any number of times."""
        return self.crowd if self.difficult is None else self.crowd | self.difficult

    def pick(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> Side:
        """Give some of the boxes."""
        columns = {name: getattr(self, name) for name in self.__slots__}
        held: dict[str, Any] = {k: one[rows] for k, one in columns.items() if one is not None}
        return Side(**held)


@dataclass(frozen=True, slots=True)
class Matched:
    """Detections in the order in which they were taken, and what became of them.

    ``row`` says which detection it was, ``place`` its place among those of its image (and class),
    from 0. ``match`` (areas × thresholds × detections) is the row of the true box that was taken,
    -1 without; ``ignored`` tells what does not count at all. ``overlap`` is the share of the union
    with the box that was taken. ``counted`` (areas × true boxes) tells which true boxes count.
    """

    row: NDArray[np.int64]
    place: NDArray[np.int64]
    match: NDArray[np.int64]
    ignored: NDArray[np.bool_]
    overlap: NDArray[np.float64]
    counted: NDArray[np.bool_]

    @property
    def hit(self) -> NDArray[np.bool_]:
        """Which detections are right."""
        found: NDArray[np.bool_] = (self.match >= 0) & ~self.ignored
        return found

    @property
    def false(self) -> NDArray[np.bool_]:
        """Which detections are wrong."""
        found: NDArray[np.bool_] = (self.match < 0) & ~self.ignored
        return found


def match(
    gold: Side,
    predicted: Side,
    *,
    thresholds: NDArray[np.float64] | Sequence[float] = THRESHOLDS,
    areas: Sequence[str] = ("all",),
    max_detections: int = 100,
    classes: bool = True,
    rule: Rule = "coco",
) -> Matched:
    """Match detections with true boxes, for every range of areas and every threshold.

    Examples
    --------
    Two detections of one box: the one with the higher score has it.

    >>> def side(boxes, scores):
    ...     n, box = len(boxes), np.array(boxes, float)
    ...     zero = np.zeros(n, np.int64)
    ...     area = box[:, 2] * box[:, 3]
    ...     return Side(zero, zero, box, area, np.array(scores), np.zeros(n, bool))
    >>> gold = side([[0, 0, 10, 10]], [1.0])
    >>> found = side([[0, 0, 10, 10], [0, 0, 10, 9]], [0.5, 0.8])
    >>> one = match(gold, found, thresholds=[0.5])
    >>> one.row.tolist(), one.match[0, 0].tolist(), one.overlap[0, 0].tolist()
    ([1, 0], [0, -1], [0.9, 0.0])
    """
    bars = np.minimum(np.asarray(thresholds, np.float64), 1 - 1e-10)
    ranges = np.array([AREAS[name] for name in areas])
    ignore = _outside(gold.area, ranges) | gold.aside
    groups = _Groups.of(gold, predicted, max_detections, classes)
    shape = (len(ranges), len(bars), len(groups.row))
    state = _State(np.full(shape, -1, np.int64), np.zeros(shape, bool), np.zeros(shape))
    for block in groups.blocks():
        _match_block(block, gold, predicted, ignore, bars, rule, state)
    outside = _outside(predicted.area[groups.row], ranges)[:, None, :]
    state.ignored |= (state.match < 0) & outside
    return Matched(groups.row, groups.place, state.match, state.ignored, state.overlap, ~ignore)


def _outside(area: NDArray[np.float64], ranges: NDArray[np.float64]) -> NDArray[np.bool_]:
    low, high = ranges[:, :1], ranges[:, 1:]
    found: NDArray[np.bool_] = (area[None, :] < low) | (area[None, :] > high)
    return found


@dataclass(slots=True)
class _State:
    match: NDArray[np.int64]
    ignored: NDArray[np.bool_]
    overlap: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Groups:
    """Detections (``row``, by image, class and score) and true boxes (``truth``) in groups.

    Group ``g`` has the detections from ``begin[g]``, ``found[g]`` of them, and the true boxes from
    ``first[g]``, ``true[g]`` of them.
    """

    row: NDArray[np.int64]
    place: NDArray[np.int64]
    truth: NDArray[np.int64]
    begin: NDArray[np.int64]
    found: NDArray[np.int64]
    first: NDArray[np.int64]
    true: NDArray[np.int64]

    @staticmethod
    def of(gold: Side, predicted: Side, most: int, classes: bool) -> _Groups:
        """Sort both sides into groups."""
        width = int(max(gold.label.max(initial=0), predicted.label.max(initial=0))) + 1
        keys = [
            one.image * width + one.label if classes else one.image for one in (gold, predicted)
        ]
        truth = np.lexsort((gold.label, keys[0]))
        row = np.lexsort((predicted.label, -predicted.score, keys[1]))  # stable: then as given
        row, place = _first(row, keys[1], most)
        names, begin, found = np.unique(keys[1][row], return_index=True, return_counts=True)
        first = np.asarray(np.searchsorted(keys[0][truth], names), np.int64)
        true = np.asarray(np.searchsorted(keys[0][truth], names, side="right"), np.int64) - first
        return _Groups(row, place, truth, begin, found, first, true)

    def blocks(self) -> Iterator[_Block]:
        """Give groups of about the same size together, padded to the largest of them."""
        both = np.flatnonzero(self.true > 0)
        sizes = np.stack([_log2(self.true[both]), _log2(self.found[both])])
        for size in np.unique(sizes, axis=1).T:
            some = both[(sizes == size[:, None]).all(axis=0)]
            some = some[np.argsort(-self.found[some], kind="stable")]
            step = max(1, _HELD // int(self.true[some].max() * self.found[some].max()))
            for start in range(0, len(some), step):
                yield _Block.of(self, some[start : start + step])


def _first(
    row: NDArray[np.int64], key: NDArray[np.int64], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Keep the first detections of each group, and tell their places in it."""
    sorted_key = key[row]
    fresh = np.flatnonzero(np.append(True, sorted_key[1:] != sorted_key[:-1])[: len(row)])
    length = np.diff(np.append(fresh, len(row)))
    place = np.arange(len(row)) - np.repeat(fresh, length)
    kept = place < most
    return row[kept], place[kept]


def _log2(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.ceil(np.log2(np.maximum(sizes, 1))).astype(np.int64)


@dataclass(frozen=True, slots=True)
class _Block:
    """Groups padded to one size: ``detected`` and ``truth`` are places, -1 where there is none."""

    detected: NDArray[np.int64]  # groups × places: place in ``row`` of the groups
    rows: NDArray[np.int64]  # the same: row of the predicted side
    truth: NDArray[np.int64]  # groups × true boxes: row of the gold side

    @staticmethod
    def of(groups: _Groups, some: NDArray[np.int64]) -> _Block:
        """Pad groups that are sorted by their number of detections, most first."""
        deep = np.arange(int(groups.found[some].max()))
        wide = np.arange(int(groups.true[some].max()))
        detected = groups.begin[some][:, None] + deep
        detected[deep >= groups.found[some][:, None]] = -1
        truth = groups.first[some][:, None] + wide
        inside = wide < groups.true[some][:, None]
        truth = np.where(inside, groups.truth[np.where(inside, truth, 0)], -1)
        return _Block(detected, groups.row[detected], truth)


def _match_block(
    block: _Block,
    gold: Side,
    predicted: Side,
    ignore: NDArray[np.bool_],
    bars: NDArray[np.float64],
    rule: Rule,
    state: _State,
) -> None:
    """Take detections place by place, for all groups, areas and thresholds at once."""
    n, deep = block.detected.shape
    wide = block.truth.shape[1]
    crowd, again = gold.crowd[block.truth], gold.aside[block.truth]
    shared = overlaps(
        predicted.box[np.repeat(block.rows, wide, axis=1).ravel()],
        gold.box[np.tile(block.truth, (1, deep)).ravel()],
        np.tile(crowd, (1, deep)).ravel(),
    ).reshape(n, deep, wide)
    shared[np.broadcast_to((block.truth < 0)[:, None, :], shared.shape)] = -1.0
    aside = ignore[:, block.truth].transpose(1, 0, 2)[:, :, None, :]  # groups × areas × 1 × true
    taken = np.zeros((n, aside.shape[1], len(bars), wide), bool)
    choose = _coco if rule == "coco" else _voc
    for place in range(deep):
        active = int(np.count_nonzero(block.detected[:, place] >= 0))
        row = shared[:active, place][:, None, None, :]
        chosen, has, ignored = choose(
            row, aside[:active], taken[:active], again[:active, None, None, :], bars[:, None]
        )
        at = block.detected[:active, place]
        truth = np.take_along_axis(block.truth[:active], chosen.reshape(active, -1), axis=1)
        common = np.take_along_axis(shared[:active, place], chosen.reshape(active, -1), axis=1)
        state.match[:, :, at] = np.where(has, truth.reshape(has.shape), -1).transpose(1, 2, 0)
        state.overlap[:, :, at] = np.where(has, common.reshape(has.shape), 0.0).transpose(1, 2, 0)
        state.ignored[:, :, at] = ignored.transpose(1, 2, 0)
        g, a, t = np.nonzero(has)
        taken[g, a, t, chosen[g, a, t]] = True


def _coco(
    row: NDArray[np.float64],
    aside: NDArray[np.bool_],
    taken: NDArray[np.bool_],
    again: NDArray[np.bool_],
    bars: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Choose the free box that is overlapped most, one that counts before one that does not."""
    possible = (row >= bars) & (~taken | again)
    counts = possible & ~aside
    has = np.asarray(counts.any(axis=-1))
    wanted = np.where(has[..., None], counts, possible)
    worth = np.where(wanted, row, -2.0)[..., ::-1]  # of equal overlaps the last one is taken
    chosen = worth.shape[-1] - 1 - worth.argmax(axis=-1)
    matched = np.asarray(possible.any(axis=-1))
    return chosen, matched, matched & ~has


def _voc(
    row: NDArray[np.float64],
    aside: NDArray[np.bool_],
    taken: NDArray[np.bool_],
    again: NDArray[np.bool_],
    bars: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Choose the box that is overlapped most; it counts if it is free."""
    chosen = np.broadcast_to(row, taken.shape).argmax(axis=-1)
    near = (np.broadcast_to(row, taken.shape) >= bars).any(axis=-1)
    out = np.take_along_axis(np.broadcast_to(aside, taken.shape), chosen[..., None], -1)[..., 0]
    free = ~np.take_along_axis(taken, chosen[..., None], -1)[..., 0]
    return chosen, near & (free | out), near & out
