"""Sorting beyond memory gives what sorting in memory gives, however rows come and wait."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consilience.columns import Text
from consilience.engine import sorting
from consilience.engine.sorting import Chunk, Sorter, joined

rows_of_chunks = st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=12), max_size=9)


def chunk(first: int, queries: list[int], **values: Any) -> Chunk:
    query = np.array(queries, np.int32)
    row = np.arange(first, first + len(query))
    item = Text.of(f"item {number}" for number in row)
    return Chunk(query, query % np.int32(3), row, item, values)


@pytest.mark.parametrize("few", [1, 5, 1 << 17])
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(queries=rows_of_chunks, most=st.sampled_from([1, 300, 1 << 30]), batch=st.integers(1, 9))
def test_rows_come_out_by_query_and_in_the_order_in_which_they_went_in(
    tmp_path_factory: pytest.TempPathFactory,
    few: int,
    queries: list[list[int]],
    most: int,
    batch: int,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "_FEW", few)
        patch.setattr(sorting, "BATCH", batch)
        sorter = Sorter(tmp_path_factory.mktemp("sorting") / "rows", most)
        rows = 0
        for number, some in enumerate(queries):
            score = {"score": np.arange(rows, rows + len(some)) / 2} if number % 2 else {}
            sorter.add(chunk(rows, some, **score))
            rows += len(some)
        query = np.array([name for some in queries for name in some], np.int64)
        found = []
        for low, high, chunks in sorter.ranges(np.bincount(query, minlength=7), 4):
            for one in [joined(chunks, ["score"])] if chunks else []:
                assert ((one.query >= low) & (one.query < high)).all()
                by = np.argsort(one.query, kind="stable")
                found += one.row[by].tolist()
                assert one.item.take(by) == [f"item {row}" for row in one.row[by]]
                assert (one.who == one.query % 3).all()
                said = one.values["score"]
                assert (np.isnan(said) | (said == one.row / 2)).all()
    assert found == np.argsort(query, kind="stable").tolist()
