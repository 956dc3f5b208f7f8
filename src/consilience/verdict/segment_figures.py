"""All figures of segments against segments: shared time, events, boundaries, a random answer's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.durations import (
    Durations,
    Spans,
    Sums,
    around,
    durations,
    merged,
    outside,
    overlapping,
    within,
)
from consilience.measures.events import (
    Pairs,
    Shattered,
    boundaries,
    event_pairs,
    iou_pairs,
    matched,
    nearest,
    overlap_pairs,
    shared_time,
    shattered,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.verdict.segment_sides import Sides
    from consilience.verdict.segments import Chosen

#: The length of the segments of the grid, in seconds (sed_eval's usual one).
GRID = 1.0


@dataclass(frozen=True, slots=True)
class Matched:
    """Matched pairs, and how many segments there are on both sides."""

    pairs: Pairs
    gold: int
    predicted: int

    def sums(self) -> Sums:
        """Give the pairs as counts of what was found."""
        return Sums(*(np.array([float(n)]) for n in (self.gold, self.predicted, len(self.pairs))))


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside shared time: events and boundaries, matched one to one.

    ``gold`` and ``predicted`` are the segments that touch the scored region, ``rows`` their places
    among all; ``covered`` are the shares of each that the other side covers; ``best`` is the most
    alike segment of the other side (-1: none), ``similarity`` how alike it is.
    """

    gold: Spans
    predicted: Spans
    rows: tuple[NDArray[np.int64], NDArray[np.int64]]
    iou: Matched
    events: Matched
    overlap: Matched
    all_iou: Matched
    same: Matched
    edges: Matched
    deviations: tuple[NDArray[np.float64], NDArray[np.float64]]
    shattered: Shattered
    covered: tuple[NDArray[np.float64], NDArray[np.float64]]
    best: tuple[NDArray[np.int64], NDArray[np.int64]]
    similarity: tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that was computed; ``time`` is the scored time of each recording.

    ``mapping`` lists recording, gold class and predicted class, where classes were mapped.
    """

    names: tuple[str, ...]
    time: Durations
    scored: NDArray[np.float64]
    grid: Durations
    mapping: tuple[tuple[int, int, int, float], ...]
    beside: Beside


def figures(sides: Sides, region: Spans, chosen: Chosen, *, given: bool) -> Figures:
    """Compute all figures; ``given`` tells that the user gave the region."""
    gold, predicted, names = sides.gold, sides.predicted, sides.names
    if chosen.labels == "ignored":
        gold, predicted, names = gold.one_class(), predicted.one_class(), ("",)
    none = around(gold.pick(np.zeros(0, np.int64)), 0.0)
    scored = outside(region, around(gold, chosen.collar) if chosen.collar > 0 else none)
    cut = chosen.collar > 0 or given
    parts = [within(side, scored) if cut else side for side in (gold, predicted)]
    mapping: tuple[tuple[int, int, int, float], ...] = ()
    if chosen.labels == "mapped":
        mapping = mapped_classes(*parts)
        predicted, _ = renamed(predicted, mapping, names)
        parts[1], names = renamed(parts[1], mapping, names)
    count = len(sides.documents)
    return Figures(
        names,
        durations(parts[0], parts[1], documents=count),
        np.bincount(scored.document, scored.length(), count).astype(np.float64),
        durations(*map(_on_grid, parts), documents=count),
        mapping,
        beside(gold, predicted, outside(region, none) if given else None, chosen),
    )


def mapped_classes(gold: Spans, predicted: Spans) -> tuple[tuple[int, int, int, float], ...]:
    """Map predicted classes to gold classes, recording by recording, so that most time is shared.

    Returns
    -------
    tuple
        Recording, gold class, predicted class and the seconds they share; classes that share
        nothing are not mapped.

    Examples
    --------
    >>> gold = Spans.of([(0, 0, 0, 6), (0, 1, 6, 9)])
    >>> mapped_classes(gold, Spans.of([(0, 7, 0, 5), (0, 8, 5, 9), (0, 9, 0, 1)]))
    ((0, 0, 7, 5.0), (0, 1, 8, 3.0))
    """
    one, two = merged(gold), merged(predicted)
    i, j = overlapping(one, two, classes=False)
    many = int(max(one.label.max(initial=0), two.label.max(initial=0))) + 1
    key = (one.document[i] * many + one.label[i], two.document[j] * many + two.label[j])
    named = [np.unique(some, return_inverse=True) for some in key]
    size = max(len(named[1][0]), 1)
    pair, place = np.unique(named[0][1] * size + named[1][1], return_inverse=True)
    seconds = np.bincount(place, shared_time(one, two, i, j)).astype(np.float64)
    chosen = matched(Pairs(pair // size, pair % size, seconds), most=False)
    left, right = named[0][0][chosen.gold], named[1][0][chosen.predicted]
    rows = zip(left // many, left % many, right % many, chosen.worth, strict=True)
    return tuple((int(d), int(a), int(b), float(s)) for d, a, b, s in rows)


def renamed(
    predicted: Spans, mapping: tuple[tuple[int, int, int, float], ...], names: tuple[str, ...]
) -> tuple[Spans, tuple[str, ...]]:
    """Call predicted classes by their gold names; those that have none keep their own, marked."""
    many = len(names)
    known = {(document, mine): gold for document, gold, mine, _ in mapping}
    every = predicted.document * many + predicted.label
    different, place = np.unique(every, return_inverse=True)
    to = [
        known.get((int(one) // many, int(one) % many), many + int(one) % many) for one in different
    ]
    label = np.array(to, np.int64)[place] if len(to) else predicted.label
    unmapped = (f"{name} (not mapped)" for name in names)
    spans = Spans(predicted.document, label, predicted.start, predicted.end)
    return spans, (*names, *unmapped)


def _on_grid(spans: Spans) -> Spans:
    """Widen segments to the grid: a cell counts where any part of it does."""
    start, end = np.floor(spans.start / GRID), np.ceil(spans.end / GRID)
    return Spans(spans.document, spans.label, start * GRID, end * GRID)


def beside(gold: Spans, predicted: Spans, region: Spans | None, chosen: Chosen) -> Beside:
    """Match segments as events; those that do not touch the region are left out, others whole."""
    rows = tuple(_touching(side, region) for side in (gold, predicted))
    gold, predicted = gold.pick(rows[0]), predicted.pick(rows[1])
    counts = len(gold), len(predicted)
    overlaps = overlap_pairs(gold, predicted)
    alike = iou_pairs(gold, predicted, overlaps)
    near = event_pairs(gold, predicted, onset=chosen.onset, offset=chosen.offset)
    edges = boundaries(gold), boundaries(predicted)
    hits = event_pairs(*edges, onset=chosen.onset, offset=None)
    best = _best(alike, counts)
    return Beside(
        *(gold, predicted, (rows[0], rows[1])),
        iou=Matched(matched(alike.pick(alike.worth >= chosen.threshold - 1e-12)), *counts),
        events=Matched(matched(near), *counts),
        overlap=Matched(matched(overlaps, most=False), *counts),
        all_iou=Matched(matched(alike, most=False), *counts),
        same=Matched(matched(alike.pick(_equal(gold, predicted, alike))), *counts),
        edges=Matched(matched(hits), len(edges[0]), len(edges[1])),
        deviations=(nearest(*edges), nearest(edges[1], edges[0])),
        shattered=shattered(gold, predicted, overlaps),
        covered=(_covered(gold, predicted), _covered(predicted, gold)),
        best=(best[0][0], best[1][0]),
        similarity=(best[0][1], best[1][1]),
    )


def _touching(side: Spans, region: Spans | None) -> NDArray[np.int64]:
    """Find the segments that touch the region; points count where they lie in it."""
    if region is None:
        return np.arange(len(side))
    wide = Spans(
        side.document, side.label, side.start, np.nextafter(side.end, np.inf)
    )  # a point gets the least length there is
    return np.unique(overlapping(wide, _wider(region), classes=False)[0])


def _wider(region: Spans) -> Spans:
    return Spans(region.document, region.label, region.start, np.nextafter(region.end, np.inf))


def _equal(gold: Spans, predicted: Spans, pairs: Pairs) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = gold.start[pairs.gold] == predicted.start[pairs.predicted]
    same &= gold.end[pairs.gold] == predicted.end[pairs.predicted]
    return same


def _covered(side: Spans, other: Spans) -> NDArray[np.float64]:
    """Give the share of each segment that the other side covers; NaN for points."""
    whole = merged(other)
    i, j = overlapping(side, whole)
    seconds = np.bincount(i, shared_time(side, whole, i, j), len(side))
    length = side.length()
    share = np.full(len(side), np.nan)
    np.divide(seconds, length, out=share, where=length > 0)
    np.minimum(share, 1.0, out=share)
    return share


def _best(
    pairs: Pairs, counts: tuple[int, int]
) -> list[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Find the most alike segment of the other side, for each segment of both sides."""
    order = np.argsort(pairs.worth, kind="stable")
    found = []
    for mine, other, count in (
        (pairs.gold, pairs.predicted, counts[0]),
        (pairs.predicted, pairs.gold, counts[1]),
    ):
        best, worth = np.full(count, -1), np.zeros(count)
        best[mine[order]], worth[mine[order]] = other[order], pairs.worth[order]
        found.append((best, worth))
    return found
