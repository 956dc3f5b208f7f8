"""Shared time: precision and recall of segments, by exact arithmetic on their boundaries.

The cardinality of a set of segments is the time that it covers (Fränti & Mariescu-Istodor,
"Soft precision and recall", Figure 3, Table 5), so

- precision is the share of the predicted time that is gold, |P ∩ G| / |P|;
- recall is the share of the gold time that was predicted, |P ∩ G| / |G|.

All segments of a class are first put together: where two of them overlap, their time counts
once. Different classes (two speakers at once) each count their own time, and the seconds of all
classes are added up. Nothing is laid on a grid of frames: boundaries are sorted, and between two
neighbouring boundaries nothing changes.

The same as pyannote.metrics' ``DetectionPrecision`` and ``DetectionRecall`` where classes are
ignored, and with sed_eval's segment-based figures in the limit of short segments. An empty side
is undefined here (0/0); pyannote gives 1, sed_eval 0 or NaN.

References
----------
P. Fränti, R. Mariescu-Istodor, "Soft precision and recall", Pattern Recognition Letters 167, 2023.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.sets import Counts

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Spans:
    """Segments as columns: the recording and class of each (numbers), its start and its end."""

    document: NDArray[np.int64]
    label: NDArray[np.int64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]

    @staticmethod
    def of(rows: Sequence[tuple[int, int, float, float]]) -> Spans:
        """Take rows of recording, class, start, end."""
        table = np.array(rows, np.float64).reshape(-1, 4)
        document, label = table[:, :2].astype(np.int64).T
        return Spans(document, label, table[:, 2].copy(), table[:, 3].copy())

    def __len__(self) -> int:
        return len(self.start)

    def pick(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> Spans:
        """Give some of the segments."""
        return Spans(self.document[rows], self.label[rows], self.start[rows], self.end[rows])

    def one_class(self) -> Spans:
        """Take all segments for segments of one class."""
        return Spans(self.document, np.zeros_like(self.label), self.start, self.end)

    def length(self) -> NDArray[np.float64]:
        """Give the length of each segment."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Pieces:
    """Time between neighbouring boundaries: in how many segments each piece lies.

    ``group`` is the group of a piece, ``depth`` (sides × pieces) how many segments of each side
    it lies in.
    """

    group: NDArray[np.int64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    depth: NDArray[np.int64]

    @property
    def length(self) -> NDArray[np.float64]:
        """Give the length of each piece."""
        return self.end - self.start


def sweep(
    sides: Sequence[tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]],
) -> Pieces:
    """Cut time at every boundary, group by group.

    Parameters
    ----------
    sides
        For each side the groups, starts and ends of its segments.

    Examples
    --------
    Gold from 0 to 4, predicted from 3 to 6:

    >>> none = np.zeros(1, np.int64)
    >>> cut = sweep(
    ...     [(none, np.array([0.0]), np.array([4.0])), (none, np.array([3.0]), np.array([6.0]))]
    ... )
    >>> cut.length.tolist(), cut.depth.tolist()
    ([3.0, 1.0, 2.0], [[1, 1, 0], [0, 1, 1]])
    """
    group = np.concatenate([one for side, _, _ in sides for one in (side, side)])
    time = np.concatenate([one for _, start, end in sides for one in (start, end)])
    order = np.lexsort((time, group))
    group, time = group[order], time[order]
    counts = np.array([len(side) for side, _, _ in sides for _ in (0, 1)])
    of = np.repeat(np.arange(len(counts)), counts)[order]
    depth = np.empty((len(sides), len(time)), np.int64)
    for place in range(len(sides)):
        step = (of == 2 * place).astype(np.int64) - (of == 2 * place + 1)
        np.cumsum(step, out=depth[place])
    real = (group[1:] == group[:-1]) & (time[1:] > time[:-1])
    return Pieces(group[:-1][real], time[:-1][real], time[1:][real], depth[:, :-1][:, real])


def _runs(pieces: Pieces, which: NDArray[np.bool_]) -> tuple[NDArray[np.int64], ...]:
    """Put chosen pieces that touch together: the first and the last piece of each run."""
    chosen = np.flatnonzero(which)
    group, start, end = pieces.group[chosen], pieces.start[chosen], pieces.end[chosen]
    fresh = np.ones(len(chosen), bool)
    fresh[1:] = (group[1:] != group[:-1]) | (start[1:] != end[:-1])
    first = np.flatnonzero(fresh)
    return chosen[first], chosen[np.append(first[1:], len(chosen))[: len(first)] - 1]


def merged(spans: Spans) -> Spans:
    """Put the segments of each recording and class together: what overlaps or touches is one.

    Examples
    --------
    >>> one = merged(Spans.of([(0, 0, 0, 2), (0, 0, 1, 3), (0, 0, 3, 4), (0, 0, 6, 7)]))
    >>> one.start.tolist(), one.end.tolist()
    ([0.0, 6.0], [4.0, 7.0])
    """
    classes = int(spans.label.max(initial=0)) + 1
    pieces = sweep([(spans.document * classes + spans.label, spans.start, spans.end)])
    first, last = _runs(pieces, pieces.depth[0] > 0)
    group = pieces.group[first]
    return Spans(group // classes, group % classes, pieces.start[first], pieces.end[last])


def outside(region: Spans, holes: Spans) -> Spans:
    """Give the region without the holes, recording by recording.

    Examples
    --------
    >>> left = outside(Spans.of([(0, 0, 0, 9)]), Spans.of([(0, 0, 2, 3), (0, 0, 5, 9)]))
    >>> left.start.tolist(), left.end.tolist()
    ([0.0, 3.0], [2.0, 5.0])
    """
    pieces = sweep([(one.document, one.start, one.end) for one in (region, holes)])
    first, last = _runs(pieces, (pieces.depth[0] > 0) & (pieces.depth[1] == 0))
    none = np.zeros(len(first), np.int64)
    return Spans(pieces.group[first], none, pieces.start[first], pieces.end[last])


def within(spans: Spans, region: Spans) -> Spans:
    """Cut segments to a region (without overlaps): one piece for each part of it that they meet.

    Examples
    --------
    >>> cut = within(Spans.of([(0, 7, 1, 6)]), Spans.of([(0, 0, 0, 2), (0, 0, 4, 5)]))
    >>> cut.start.tolist(), cut.end.tolist(), cut.label.tolist()
    ([1.0, 4.0], [2.0, 5.0], [7, 7])
    """
    i, j = overlapping(spans, region, classes=False)
    order = np.lexsort((j, i))
    i, j = i[order], j[order]
    start = np.maximum(spans.start[i], region.start[j])
    end = np.minimum(spans.end[i], region.end[j])
    return Spans(spans.document[i], spans.label[i], start, end)


def ranked(
    group: Sequence[NDArray[np.int64]], times: Sequence[NDArray[np.float64]]
) -> list[NDArray[np.int64]]:
    """Number points in time by group and time; the same point has the same number.

    Examples
    --------
    >>> zero = np.zeros(2, np.int64)
    >>> [some.tolist() for some in ranked([zero, zero], [np.array([5.0, 1]), np.array([1.0, 9])])]
    [[1, 0], [0, 2]]
    """
    every, time = np.concatenate(group), np.concatenate(times)
    order = np.lexsort((time, every))
    fresh = np.zeros(len(order), np.int64)
    by_group, by_time = every[order], time[order]
    fresh[1:] = (by_group[1:] != by_group[:-1]) | (by_time[1:] != by_time[:-1])
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(fresh)
    return np.split(number, np.cumsum([len(some) for some in times])[:-1])


def ranges(low: NDArray[np.int64], high: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """List the whole numbers from each ``low`` to before its ``high``, and whose they are.

    Examples
    --------
    >>> [some.tolist() for some in ranges(np.array([3, 5, 7]), np.array([5, 5, 8]))]
    [[0, 0, 2], [3, 4, 7]]
    """
    count = np.maximum(high - low, 0)
    whose = np.repeat(np.arange(len(low)), count)
    before = np.cumsum(count) - count
    return whose, np.arange(len(whose)) - before[whose] + low[whose]


def overlapping(
    a: Spans, b: Spans, *, classes: bool = True
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the pairs of segments of the same recording (and class) that share time.

    Of two segments that do, the later one starts within the other: each pair is found once, by
    looking for starts in sorted starts. The cost is that of sorting, and of the pairs found.

    Examples
    --------
    >>> one, two = Spans.of([(0, 0, 0, 5), (0, 0, 6, 9)]), Spans.of([(0, 0, 4, 7)])
    >>> [some.tolist() for some in overlapping(one, two)]
    [[0, 1], [0, 0]]
    """
    many = int(max(a.label.max(initial=0), b.label.max(initial=0))) + 1 if classes else 1
    key = [one.document * many + (one.label if classes else 0) for one in (a, b)]
    long = [np.flatnonzero(one.end > one.start) for one in (a, b)]
    groups = [key[0][long[0]], key[0][long[0]], key[1][long[1]], key[1][long[1]]]
    times = [a.start[long[0]], a.end[long[0]], b.start[long[1]], b.end[long[1]]]
    a_start, a_end, b_start, b_end = ranked(groups, times)
    by_a, by_b = np.argsort(a_start, kind="stable"), np.argsort(b_start, kind="stable")
    # b starts within a, the same start included; then a starts within b, later than it
    i, place = ranges(
        np.searchsorted(b_start[by_b], a_start), np.searchsorted(b_start[by_b], a_end)
    )
    j = by_b[place]
    other, place = ranges(
        np.searchsorted(a_start[by_a], b_start, side="right"),
        np.searchsorted(a_start[by_a], b_end),
    )
    return (
        long[0][np.concatenate([i, by_a[place]])],
        long[1][np.concatenate([j, other])],
    )


@dataclass(frozen=True, slots=True)
class Durations:
    """Seconds of gold, predicted and shared time, for each recording and class that has any.

    ``confused`` are the seconds, by recording, in which a gold class was taken for another one:
    they are part of both what was missed and what is false.
    """

    document: NDArray[np.int64]
    label: NDArray[np.int64]
    gold: NDArray[np.float64]
    predicted: NDArray[np.float64]
    shared: NDArray[np.float64]
    confused: NDArray[np.float64]

    def by(self, group: NDArray[np.int64], groups: int) -> Sums:
        """Add up by groups of cells: recordings or classes."""
        return Sums(
            *(_added(group, one, groups) for one in (self.gold, self.predicted, self.shared))
        )


@dataclass(frozen=True, slots=True)
class Sums:
    """Seconds of gold, predicted and shared time, of several recordings or classes."""

    gold: NDArray[np.float64]
    predicted: NDArray[np.float64]
    shared: NDArray[np.float64]

    def counts(self) -> Counts:
        """Give seconds as counts: shared ones are right, the others false or missed."""
        false, missed = self.predicted - self.shared, self.gold - self.shared
        return Counts.of(self.shared, np.maximum(false, 0), np.maximum(missed, 0), 0 * missed)


def _added(
    group: NDArray[np.int64], values: NDArray[np.float64], groups: int
) -> NDArray[np.float64]:
    return np.bincount(group, values, groups).astype(np.float64)


def durations(gold: Spans, predicted: Spans, *, documents: int) -> Durations:
    """Measure gold, predicted and shared time.

    Parameters
    ----------
    gold, predicted
        The segments of both sides; segments of one class may overlap.
    documents
        How many recordings there are.

    Examples
    --------
    >>> found = durations(
    ...     Spans.of([(0, 0, 0, 10)]), Spans.of([(0, 0, 4, 12), (0, 1, 0, 1)]), documents=1
    ... )
    >>> found.gold.tolist(), found.predicted.tolist(), found.shared.tolist()
    ([10.0, 0.0], [8.0, 1.0], [6.0, 0.0])
    >>> found.confused.tolist()
    [1.0]
    """
    many = int(max(gold.label.max(initial=0), predicted.label.max(initial=0))) + 1
    pieces = sweep(
        [(one.document * many + one.label, one.start, one.end) for one in (gold, predicted)]
    )
    is_gold, is_predicted = pieces.depth > 0
    both = is_gold & is_predicted
    key, cell = np.unique(pieces.group, return_inverse=True)
    total = [
        _added(cell, pieces.length * which, len(key)) for which in (is_gold, is_predicted, both)
    ]
    confused = _confused(pieces, (is_gold, is_predicted, both), many, documents)
    return Durations(key // many, key % many, total[0], total[1], total[2], confused)


def _confused(
    pieces: Pieces, which: Sequence[NDArray[np.bool_]], many: int, documents: int
) -> NDArray[np.float64]:
    """Measure time in which something else was predicted than what is there.

    Between two boundaries with g gold classes, p predicted ones and c of them shared, that is
    min(g, p) - c: what the diarization error rate and sed_eval's substitutions count.
    """
    if many == 1:
        return np.zeros(documents)
    sides = []
    for chosen in which:
        first, last = _runs(pieces, chosen)
        sides.append((pieces.group[first] // many, pieces.start[first], pieces.end[last]))
    at_once = sweep(sides)
    wrong = np.minimum(at_once.depth[0], at_once.depth[1]) - at_once.depth[2]
    return _added(at_once.group, at_once.length * wrong, documents)


def around(gold: Spans, collar: float) -> Spans:
    """Give the time within ``collar`` seconds of a boundary of a segment.

    Examples
    --------
    >>> near = around(Spans.of([(0, 0, 2, 5)]), 0.25)
    >>> near.start.tolist(), near.end.tolist()
    ([1.75, 4.75], [2.25, 5.25])
    """
    both = np.concatenate([gold.start, gold.end])
    document = np.concatenate([gold.document] * 2)
    return Spans(document, np.zeros_like(document), both - collar, both + collar)
