"""Shared time: the paper's table, laws, a twin on a grid, and pyannote.metrics."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyannote.core import Annotation, Timeline
from pyannote.core import Segment as Span
from pyannote.metrics.detection import DetectionPrecision, DetectionRecall

import consilience as cs
from consilience.measures.durations import (
    Spans,
    around,
    durations,
    merged,
    outside,
    overlapping,
    within,
)

_ROW = st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 30), st.integers(0, 8)).map(
    lambda one: (one[0], one[1], float(one[2]), float(one[2] + one[3]))
)
_ROWS = st.lists(_ROW, max_size=12)
Rows = list[tuple[int, int, float, float]]


def _total(gold: Rows, predicted: Rows) -> tuple[float, float, float, float]:
    found = durations(Spans.of(gold), Spans.of(predicted), documents=2)
    sums = (found.gold, found.predicted, found.shared, found.confused)
    a, b, c, d = (float(one.sum()) for one in sums)
    return a, b, c, d


def _cells(rows: Rows) -> set[tuple[int, int, int]]:
    return {(d, c, t) for d, c, a, b in rows for t in range(int(a), int(b))}


def _confused(gold: Rows, predicted: Rows) -> int:
    g, p = _cells(gold), _cells(predicted)
    found = 0
    for key in {(d, t) for d, _, t in g | p}:
        mine = {c for d, c, t in g if (d, t) == key}
        theirs = {c for d, c, t in p if (d, t) == key}
        found += min(len(mine), len(theirs)) - len(mine & theirs)
    return found


@given(_ROWS, _ROWS)
def test_seconds_are_those_of_a_grid(gold: Rows, predicted: Rows) -> None:
    g, p = _cells(gold), _cells(predicted)
    expected = (len(g), len(p), len(g & p), _confused(gold, predicted))
    assert _total(gold, predicted) == expected


@given(_ROWS, _ROWS, st.integers(0, 3))
def test_regions_are_those_of_a_grid(gold: Rows, region: Rows, collar: int) -> None:
    whole = merged(Spans.of(region).one_class())
    scored = outside(whole, around(Spans.of(gold), float(collar)))
    inside = {(d, t) for d, _, t in _cells([(d, 0, a, b) for d, _, a, b in region])}
    near = {
        (d, t)
        for d, _, a, b in gold
        for e in (a, b)
        for t in range(int(e) - collar, int(e) + collar)
    }
    cells = {(d, c, t) for d, c, t in _cells(gold) if (d, t) in inside - near}
    left = within(Spans.of(gold), scored)
    assert durations(left, left, documents=2).gold.sum() == len(cells)


@given(_ROWS, _ROWS)
def test_overlaps_are_all_pairs(a: Rows, b: Rows) -> None:
    i, j = overlapping(Spans.of(a), Spans.of(b))
    expected = [
        (x, y)
        for x, one in enumerate(a)
        for y, two in enumerate(b)
        if one[:2] == two[:2] and min(one[3], two[3]) > max(one[2], two[2])
    ]
    assert sorted(zip(i.tolist(), j.tolist(), strict=True)) == expected


@given(_ROWS, _ROWS, st.data())
def test_splitting_doubling_and_order_change_nothing(
    gold: Rows, predicted: Rows, data: st.DataObject
) -> None:
    expected = _total(gold, predicted)
    halves = [
        part
        for d, c, a, b in predicted
        for part in ((d, c, a, (a + b) / 2), (d, c, (a + b) / 2, b))
    ]
    assert _total(gold, halves) == expected
    assert _total(gold + gold, predicted) == expected
    assert _total(data.draw(st.permutations(gold)), predicted) == expected


@given(_ROWS, _ROWS, st.integers(0, 1000))
def test_later_and_swapped(gold: Rows, predicted: Rows, later: int) -> None:
    a, b, shared, confused = _total(gold, predicted)
    moved = [[(d, c, x + later, y + later) for d, c, x, y in side] for side in (gold, predicted)]
    assert _total(*moved) == (a, b, shared, confused)
    assert _total(predicted, gold) == (b, a, shared, confused)


#: Segments of the lengths that fit Table 5 of Fränti & Mariescu-Istodor (2023).
CASES = {
    "A": ([(0, 20), (30, 55)], [(10, 25), (35, 43), (46, 50), (60, 72)]),
    "B": ([(0, 16)], [(2, 6), (8, 9)]),
}


@pytest.mark.parametrize(
    ("case", "soft", "fuzzy"),
    [
        ("A", (0.56, 0.49, 0.52), (0.46, 0.40, 0.43)),
        # the paper prints F as .47 and .55, which its own precision and recall do not give
        ("B", (1.00, 0.31, 0.48), (0.80, 0.25, 0.38)),
    ],
)
def test_the_papers_table(case: str, soft: tuple[float, ...], fuzzy: tuple[float, ...]) -> None:
    result = cs.segments(*CASES[case], threshold=0.8).payload()
    beside = {one["name"]: one for one in result["baselines"]}
    for expected, found in ((soft, result), (fuzzy, beside["fuzzy"])):
        rounded = [found[name] for name in ("precision", "recall", "f1")]
        assert rounded == pytest.approx(expected, abs=0.005)
    for name in ("crisp", "crisp*"):
        assert (beside[name]["precision"], beside[name]["recall"]) == (0.0, 0.0)


@pytest.mark.parametrize("collar", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(6))
def test_pyannote_detection(seed: int, collar: float) -> None:
    rng = np.random.default_rng(seed)
    sides = []
    for _ in range(2):
        start = rng.uniform(0, 100, 20).round(3)
        sides.append([(a, round(a + 4 * rng.random(), 3)) for a in start.tolist()])
    region = [(5.0, 40.0), (50.0, 95.0)]
    ours = cs.segments(*sides, region=region, collar=collar)
    annotated = []
    for side in sides:
        one = Annotation()
        for number, times in enumerate(side):
            one[Span(*times), number] = "speech"
        annotated.append(one)
    scored = Timeline([Span(*one) for one in region])
    for metric, value in ((DetectionPrecision, ours.precision), (DetectionRecall, ours.recall)):
        assert metric(collar=2 * collar)(*annotated, uem=scored) == pytest.approx(value, abs=1e-9)
