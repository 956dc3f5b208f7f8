"""Segments as events: which predicted segment stands for which gold one, one to one.

Durations do not tell whether a minute of speech was found in one piece or in forty. So segments
are matched, each at most once, and matches are counted:

- *IoU*: two segments of a class may match where their overlap / union reaches a threshold;
- *events*: the start within a tolerance, the end within a tolerance or a share of the gold
  event's length, whichever is more (the rule of sed_eval and of DCASE);
- *overlap*: any shared time. What matched segments share, over all predicted and over all gold
  time, is the *mapped overlap* (fuzzy precision and recall as Fränti & Mariescu-Istodor use it).

As many pairs as possible are matched (or, for the mapped overlap, as much time as possible), and
of all ways to do so the one with the greatest likeness is taken.

References
----------
A. Mesaros, T. Heittola, T. Virtanen, "Metrics for polyphonic sound event detection", Applied
Sciences 6(6), 2016. B. Ziółko, "Fuzzy precision and recall measures for audio signals
segmentation", Fuzzy Sets and Systems 279, 2015.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.durations import Spans, overlapping, ranges, ranked

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Two times closer than this are the same time: a tolerance of 0.2 s takes 100.3 - 100.1 in.
SLACK = 1e-9
#: So many pairs that hang together are settled at a time: the cost grows faster than their number.
_CHUNK = 512


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of a gold and a predicted segment (places), and how alike they are."""

    gold: NDArray[np.int64]
    predicted: NDArray[np.int64]
    worth: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.gold)

    def pick(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> Pairs:
        """Give some of the pairs."""
        return Pairs(self.gold[rows], self.predicted[rows], self.worth[rows])


def shared_time(
    gold: Spans, predicted: Spans, i: NDArray[np.int64], j: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Give the time that pairs of segments share."""
    end = np.minimum(gold.end[i], predicted.end[j])
    start: NDArray[np.float64] = np.maximum(gold.start[i], predicted.start[j])
    return np.clip(end - start, 0.0, None)


def overlap_pairs(gold: Spans, predicted: Spans) -> Pairs:
    """Find all pairs of a recording and class that share time, with the seconds they share.

    Examples
    --------
    >>> pairs = overlap_pairs(Spans.of([(0, 0, 0, 10)]), Spans.of([(0, 0, 8, 9), (0, 1, 0, 10)]))
    >>> pairs.gold.tolist(), pairs.predicted.tolist(), pairs.worth.tolist()
    ([0], [0], [1.0])
    """
    i, j = overlapping(gold, predicted)
    return Pairs(i, j, shared_time(gold, predicted, i, j))


def iou_pairs(gold: Spans, predicted: Spans, pairs: Pairs) -> Pairs:
    """Give the same pairs with their IoU, and those of segments without length at one point."""
    both = gold.length()[pairs.gold] + predicted.length()[pairs.predicted] - pairs.worth
    i, j = _same_points(gold, predicted)
    worth = np.concatenate([np.minimum(pairs.worth / both, 1.0), np.ones(len(i))])
    return Pairs(np.append(pairs.gold, i), np.append(pairs.predicted, j), worth)


def _same_points(gold: Spans, predicted: Spans) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pair segments without length that stand at the same point in time."""
    points = [np.flatnonzero(one.end == one.start) for one in (gold, predicted)]
    i, j = _near(gold.pick(points[0]), predicted.pick(points[1]), 0.0)
    return points[0][i], points[1][j]


def _near(
    gold: Spans, predicted: Spans, tolerance: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the pairs of a recording and class whose starts are at most so far from each other."""
    many = int(max(gold.label.max(initial=0), predicted.label.max(initial=0))) + 1
    group = gold.document * many + gold.label
    low, high, start = ranked(
        [group, group, predicted.document * many + predicted.label],
        [gold.start - tolerance, gold.start + tolerance, predicted.start],
    )
    order = np.argsort(start, kind="stable")
    begin = np.searchsorted(start[order], low)
    i, place = ranges(begin, np.searchsorted(start[order], high, side="right"))
    return i, order[place]


def event_pairs(gold: Spans, predicted: Spans, *, onset: float, offset: float | None) -> Pairs:
    """Find the pairs of a recording and class that may be the same event.

    Parameters
    ----------
    gold, predicted
        The segments.
    onset
        Seconds that the start may be off.
    offset
        The share of the gold event's length that the end may be off, but at least ``onset``
        seconds; None: ends may be anywhere.

    Examples
    --------
    >>> gold, predicted = Spans.of([(0, 0, 1, 11)]), Spans.of([(0, 0, 1.2, 13), (0, 0, 1.3, 11)])
    >>> event_pairs(gold, predicted, onset=0.2, offset=0.2).predicted.tolist()
    [0]
    """
    i, j = _near(gold, predicted, onset + SLACK)
    off = np.abs(gold.start[i] - predicted.start[j])
    if offset is not None:
        late = np.abs(gold.end[i] - predicted.end[j])
        allowed = np.maximum(onset, offset * gold.length()[i])
        near = late <= allowed + SLACK
        i, j, off = i[near], j[near], (off + late)[near]
    return Pairs(i, j, 1 / (1 + off))


def matched(pairs: Pairs, *, most: bool = True) -> Pairs:
    """Choose pairs so that every segment is in at most one of them.

    Parameters
    ----------
    pairs
        The pairs that may be chosen; their worth is positive.
    most
        Whether as many pairs as possible are chosen, and of these choices the one that is worth
        most; otherwise the choice that is worth most.

    Examples
    --------
    >>> pairs = Pairs(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([0.5, 0.9, 0.3]))
    >>> matched(pairs).worth.tolist(), matched(pairs, most=False).worth.tolist()
    ([0.9, 0.3], [0.9, 0.3])
    >>> pairs = Pairs(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([0.9, 0.2, 0.3]))
    >>> matched(pairs).worth.tolist(), matched(pairs, most=False).worth.tolist()
    ([0.2, 0.3], [0.9])
    """
    alone = (np.bincount(pairs.gold)[pairs.gold] == 1) & (
        np.bincount(pairs.predicted)[pairs.predicted] == 1
    )
    rest = np.flatnonzero(~alone)
    chosen = [np.flatnonzero(alone)]
    chosen += [some[_solved(pairs.pick(some), most)] for some in _chunks(pairs, rest)]
    return pairs.pick(np.sort(np.concatenate(chosen)))


def _chunks(pairs: Pairs, rest: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Part pairs into those that hang together by common segments, some of these at a time."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not len(rest):
        return
    gold, i = np.unique(pairs.gold[rest], return_inverse=True)
    _, j = np.unique(pairs.predicted[rest], return_inverse=True)
    nodes = len(gold) + int(j.max()) + 1
    graph = coo_array((np.ones(len(i), np.int8), (i, len(gold) + j)), shape=(nodes, nodes))
    _, part = connected_components(graph, directed=False)
    order = np.argsort(part[i], kind="stable")
    ends = np.append(np.flatnonzero(np.diff(part[i][order])) + 1, len(order))
    begin = 0
    while begin < len(order):
        at = int(np.searchsorted(ends, begin + _CHUNK, side="right")) - 1
        if at < 0 or ends[at] <= begin:
            at = int(np.searchsorted(ends, begin, side="right"))
        yield rest[order[begin : ends[at]]]
        begin = int(ends[at])


def _solved(pairs: Pairs, most: bool) -> NDArray[np.int64]:
    """Choose among pairs by a sparse assignment, in which a gold segment may stay alone."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    gold, i = np.unique(pairs.gold, return_inverse=True)
    predicted, j = np.unique(pairs.predicted, return_inverse=True)
    worth = pairs.worth / pairs.worth.max() + (len(gold) if most else 0)
    top = float(worth.max()) + 1
    rows = np.concatenate([i, np.arange(len(gold))])
    columns = np.concatenate([j, len(predicted) + np.arange(len(gold))])
    cost = csr_array(
        (np.concatenate([top - worth, np.full(len(gold), top)]), (rows, columns)),
        shape=(len(gold), len(predicted) + len(gold)),
    )
    row, column = min_weight_full_bipartite_matching(cost)
    partner = np.full(len(gold), -1)
    partner[row] = column
    return np.flatnonzero(partner[i] == j)


@dataclass(frozen=True, slots=True)
class Shattered:
    """Gold segments that were found in several pieces, predicted ones that hold several."""

    fragments: NDArray[np.int64]
    merges: NDArray[np.int64]


def shattered(gold: Spans, predicted: Spans, pairs: Pairs) -> Shattered:
    """Find gold segments in several pieces, and predicted segments that run several together.

    A piece is a segment of which more than half lies in the other one; two pieces make a gold
    segment *fragmented*, or a predicted one a *merge*.

    Parameters
    ----------
    gold, predicted
        The segments.
    pairs
        Their overlaps (:func:`overlap_pairs`).

    Examples
    --------
    >>> gold, predicted = Spans.of([(0, 0, 0, 9)]), Spans.of([(0, 0, 0, 4), (0, 0, 5, 9.5)])
    >>> found = shattered(gold, predicted, overlap_pairs(gold, predicted))
    >>> found.fragments.tolist(), found.merges.tolist()
    ([0], [])
    """
    inside = pairs.worth * 2 > predicted.length()[pairs.predicted]
    holds = pairs.worth * 2 > gold.length()[pairs.gold]
    in_gold = np.bincount(pairs.gold[inside], minlength=len(gold))
    in_predicted = np.bincount(pairs.predicted[holds], minlength=len(predicted))
    return Shattered(np.flatnonzero(in_gold > 1), np.flatnonzero(in_predicted > 1))


def boundaries(spans: Spans) -> Spans:
    """Give the boundaries of segments as points: each point of a recording once."""
    document = np.concatenate([spans.document] * 2)
    time = np.concatenate([spans.start, spans.end])
    (number,) = ranked([document], [time])
    _, first = np.unique(number, return_index=True)
    zero = np.zeros(len(first), np.int64)
    return Spans(document[first], zero, time[first], time[first])


def nearest(points: Spans, others: Spans) -> NDArray[np.float64]:
    """Give the distance of each point to the nearest other point of its recording.

    NaN where a recording has no other point.

    Examples
    --------
    >>> one, two = Spans.of([(0, 0, 1, 1), (1, 0, 3, 3)]), Spans.of([(0, 0, 1.5, 1.5)])
    >>> nearest(one, two).tolist()
    [0.5, nan]
    """
    far = np.full(len(points), np.inf)
    if not len(others):
        return np.full(len(points), np.nan)
    order = np.lexsort((others.start, others.document))
    document, time = others.document[order], others.start[order]
    mine, theirs = ranked([points.document, document], [points.start, time])
    after = np.searchsorted(theirs, mine)
    for place in (after - 1, after):
        there = np.clip(place, 0, len(time) - 1)
        same = (place == there) & (document[there] == points.document)
        far = np.where(same, np.minimum(far, np.abs(time[there] - points.start)), far)
    return np.where(np.isinf(far), np.nan, far)
