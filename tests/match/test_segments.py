"""The likeness of two segments: laws, and the slow and fast ways side by side."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.formats.segment_text import Segment
from consilience.match.kernel import comparer, table
from consilience.match.names import similarity_by_name
from consilience.match.segments import segments

_TIMES = st.tuples(st.integers(0, 20), st.integers(0, 20), st.sampled_from("ab")).map(
    lambda one: (min(one[:2]), max(one[:2]), one[2])
)


def _cells(one: tuple[int, int, str]) -> set[int]:
    return set(range(one[0], one[1]))


@given(_TIMES, _TIMES)
def test_iou_is_that_of_cells(a: tuple[int, int, str], b: tuple[int, int, str]) -> None:
    both = _cells(a) | _cells(b)
    expected = len(_cells(a) & _cells(b)) / len(both) if both else float(a[0] == b[0])
    assert segments(a, b, classes=False) == pytest.approx(expected)
    assert segments(a, b) == pytest.approx(expected if a[2] == b[2] else 0.0)
    assert segments(a, b) == segments(b, a)
    assert segments(a, a) == 1.0


@given(st.lists(_TIMES, min_size=1, max_size=6), st.lists(_TIMES, min_size=1, max_size=6))
def test_the_fast_way_is_the_slow_way(
    rows: list[tuple[int, int, str]], columns: list[tuple[int, int, str]]
) -> None:
    expected = [[segments(a, b) for b in columns] for a in rows]
    assert table(segments, rows, columns).tolist() == expected


def test_forms_and_names() -> None:
    forms = ["1 3 a", (1, 3, "a"), Segment(1.0, 3.0, "a")]
    assert table(segments, forms).min() == 1.0
    loose = similarity_by_name("segments:classes=no")
    assert loose("0 1 a", "0 1 b") == 1.0
    how = comparer(loose)
    held = how.prepare(["0 1 a", "0 2 b", "4 5 c"])
    pairs = how.many.pairs
    assert pairs is not None
    assert pairs(held[:2], held[np.array([1, 2])], floor=0.0, classes=False).tolist() == [0.5, 0.0]
    assert how.many.of == "segments"
