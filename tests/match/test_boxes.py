"""Overlap of boxes: against pycocotools, against plain arithmetic, and as a similarity."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocotools import mask

from consilience.errors import UsageError
from consilience.formats.boxed import parsed, written
from consilience.match.boxes import boxes, overlaps
from consilience.match.kernel import comparer, table

BOX = st.tuples(
    *[st.floats(-50, 50)] * 2, *[st.floats(0, 50)] * 2, st.sampled_from(["cat", "a b", ""])
)

Box = tuple[Any, ...]


@given(st.lists(BOX, min_size=1, max_size=6), st.lists(BOX, min_size=1, max_size=6))
def test_blocks_are_single_comparisons(left: list[Box], right: list[Box]) -> None:
    for classes in (True, False):
        how = partial(boxes, classes=classes)
        found = table(how, left, right)
        one = [[how(a, b) for b in right] for a in left]
        assert found.tolist() == one
        assert ((found >= 0) & (found <= 1)).all()
        np.testing.assert_array_equal(found, table(how, right, left).T)
        assert (np.diag(table(how, left)) == 1).all()
        both = comparer(how)
        some = min(len(left), len(right))
        pairs = both.many.pairs
        assert pairs is not None
        got = pairs(
            both.prepare(left[:some]), both.prepare(right[:some]), floor=0.0, **both.settings
        )
        assert got.tolist() == [found[i, i] for i in range(some)]


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.integers(0, 2**32 - 1))
def test_overlaps_are_those_of_pycocotools(crowd: list[bool], seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, two = rng.uniform(0.1, 40, (2, len(crowd), 4))
    found = overlaps(one, two, np.array(crowd))
    theirs = mask.iou(one, two, [int(value) for value in crowd])
    np.testing.assert_array_equal(found, np.diag(theirs))


def test_boxes_are_continuous() -> None:
    assert boxes("10 10 2 2", "11 10 2 2") == pytest.approx(1 / 3)  # in whole pixels: 1/2


def test_boxes_without_an_area() -> None:
    assert boxes("3 3 0 0 cat", "3 3 0 0 cat") == 1
    assert boxes("3 3 0 0 cat", "3 4 0 0 cat") == 0
    assert boxes("3 3 0 5 cat", "0 0 9 9 cat") == 0


@given(BOX)
def test_text_reads_back_as_the_same_box(box: Box) -> None:
    text = written(box[:4], box[4])
    held, names = parsed([text])
    assert held[0].tolist() == list(box[:4])
    assert names == [box[4]]


@pytest.mark.parametrize(
    "item", ["cat", "1 2 3", "1 2 x 4 cat", "1 2 -3 4 cat", "nan 1 2 3", 7, None]
)
def test_what_is_no_box_is_refused(item: object) -> None:
    with pytest.raises(UsageError, match=r"is not a box.*\(fix: "):
        boxes(item, "1 2 3 4 cat")
