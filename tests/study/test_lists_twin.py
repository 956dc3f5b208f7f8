"""Lists and second answers, found stretch by stretch and field by field, against plain Python."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.columns import Text
from consilience.study.lists import answers_of, headers
from consilience.study.model import Items

lists = importlib.import_module("consilience.study.lists")
repeats = importlib.import_module("consilience.study.repeats")

QUERIES, ITEMS = 4, 3  # items of each query
rows = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, QUERIES - 1), st.integers(0, ITEMS - 1)),
    max_size=60,
)
#: Rows that stand together, as most files have them.
together = rows.map(lambda drawn: [row for row in drawn for _ in range(row[2] + 1)])


@pytest.mark.parametrize("block", [1, 5, 1 << 16])
@pytest.mark.parametrize("sparse", [0, 1, 32])
@pytest.mark.parametrize("short", [0, 8])
@given(drawn=rows | together, asked=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3))))
def test_lists_and_repeats_equal_those_of_plain_python(
    block: int,
    sparse: int,
    short: int,
    drawn: list[tuple[int, int, int]],
    asked: list[tuple[int, int]],
) -> None:
    who, query, item = (np.array([row[k] for row in drawn], np.int32) for k in range(3))
    item += query * ITEMS
    asked = sorted({*asked})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lists, "BLOCK", block)
        patch.setattr(lists, "_SHORT", short)
        patch.setattr(repeats, "_FIELDS", block)
        patch.setattr(repeats, "_SPARSE", sparse)
        found = headers(who, query)
        columns: dict[str, Any] = {"item": item, "score": np.arange(len(item)) / 2, "vote": None}
        made = answers_of(found, columns, asked)
        count = QUERIES * ITEMS
        named = Text.of(str(code) for code in range(count))
        items = Items(named, np.arange(count), np.arange(QUERIES + 1) * ITEMS)
        again, before = repeats._repeats(made, items)
    order = sorted(range(len(drawn)), key=lambda row: drawn[row][:2])
    everybody = np.arange(len(drawn))
    read = everybody if found.order is None else found.order.rows(everybody)
    assert read.tolist() == order
    assert made.item.tolist() == item[order].tolist()
    assert made.score is not None
    assert made.score.tolist() == [row / 2 for row in order]
    expected = sorted({*(row[:2] for row in drawn), *asked})
    assert [*zip(made.respondent.tolist(), made.query.tolist(), strict=True)] == expected
    sizes = [sum(row[:2] == pair for row in drawn) for pair in expected]
    assert np.diff(made.starts).tolist() == sizes
    last: dict[tuple[int, int, int], int] = {}
    wanted = []
    for place, row in enumerate(order):
        if drawn[row] in last:
            wanted.append((place, last[drawn[row]]))
        last[drawn[row]] = place
    assert sorted(zip(again.tolist(), before.tolist(), strict=True)) == wanted
    listed = [drawn[order[place]] for place in again.tolist()]
    assert listed == sorted(listed)  # by list, then item
