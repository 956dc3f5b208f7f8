"""Numbers for (query, item) pairs against a dictionary; hashing must not show."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience import columns as columns_of_names
from consilience.columns import Text
from consilience.study.spelling import Spelling

encoding = importlib.import_module("consilience.study.encode")

QUERIES = 5
# Many end alike, or are alike but for one letter somewhere.
names = st.one_of(
    st.sampled_from(["", "a", "b", "ab", "Zürich", "doc7", "\U0001f600"]),
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["x", "y", "x" * 9, "y" * 9, "x" * 17]),
        st.sampled_from(["", "-", "0123456789abcdef"]),
        st.sampled_from(["", "12345678", "123456789", "z"]),
    ),
)
tables = st.lists(
    st.lists(st.tuples(st.integers(0, QUERIES - 1), names), min_size=1, max_size=30),
    min_size=1,
    max_size=3,
)


@pytest.mark.parametrize("block", [1, 8, 1 << 16])
@pytest.mark.parametrize("in_order", [True, False])
@given(given_tables=tables)
def test_pairs_are_numbered_as_by_a_dictionary(
    block: int, in_order: bool, given_tables: list[list[tuple[int, str]]]
) -> None:
    rows = [sorted(table, key=lambda row: row[0]) if in_order else table for table in given_tables]
    columns = [
        (np.array([query for query, _ in table], np.int32), Text.of(name for _, name in table))
        for table in rows
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "BLOCK", block)
        encoded = encoding.encode(columns, queries=QUERIES)
    every = [pair for table in rows for pair in table]
    codes = [code for column in encoded.codes for code in column.tolist()]
    by_pair = dict(zip(every, codes, strict=True))
    assert all(by_pair[pair] == code for pair, code in zip(every, codes, strict=True))
    assert sorted(by_pair.values()) == list(range(len(by_pair)))
    for (query, _), code in by_pair.items():
        assert encoded.starts[query] <= code < encoded.starts[query + 1]
    assert {every[row]: code for code, row in enumerate(encoded.rows.tolist())} == by_pair
    assert [every.index(pair) for pair in by_pair] == [encoded.rows[c] for c in by_pair.values()]
    assert list(encoded.repeats) == [len(set(table)) < len(table) for table in rows]


@pytest.mark.parametrize("block", [1, 8, 1 << 16])
@pytest.mark.parametrize("in_order", [True, False])
@given(given_tables=tables, numbered=st.lists(st.booleans(), min_size=3, max_size=3))
def test_names_as_numbers_are_numbered_as_text(
    block: int, in_order: bool, given_tables: list[list[tuple[int, str]]], numbered: list[bool]
) -> None:
    columns = []
    for table in given_tables:
        rows = sorted(table, key=lambda row: row[0]) if in_order else table
        query = np.array([query for query, _ in rows], np.int32)
        columns.append((query, Text.of(name for _, name in rows)))
    dressed = [
        (query, Text.of_codes(*text.codes()) if number else text)
        for (query, text), number in zip(columns, numbered, strict=False)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "BLOCK", block)
        patch.setattr(columns_of_names, "_RARE", 0)  # numbered, however little it saves
        text = encoding.encode(columns, queries=QUERIES)
        number = encoding.encode(dressed, queries=QUERIES)
    for one, two in zip(text.codes, number.codes, strict=True):
        assert (one.dtype, one.tolist()) == (two.dtype, two.tolist())
    assert text.starts.tolist() == number.starts.tolist()
    assert (text.rows.dtype, text.rows.tolist()) == (number.rows.dtype, number.rows.tolist())
    assert text.repeats == number.repeats


@given(st.lists(names, min_size=1, max_size=40), st.integers(0, 3))
def test_names_are_the_same_where_all_their_letters_are(words: list[str], seed: int) -> None:
    spelt = Spelling.of([*Text.of(words[::2]).chunks, *Text.of(words[1::2]).chunks])
    words = [*words[::2], *words[1::2]]
    hashes, endings = spelt.hashes(seed).tolist(), spelt.endings().tolist()
    for one, word in enumerate(words):
        for two, other in enumerate(words):
            assert spelt.same(np.array([one]), np.array([two])) == (word == other)
            assert (hashes[one] == hashes[two]) == (word == other)
            alike = word.encode()[-8:] == other.encode()[-8:]
            same_length = len(word.encode()) == len(other.encode())
            assert (endings[one] == endings[two]) == (alike and same_length)


@given(st.lists(st.integers(0, 40), max_size=200))
def test_earlier_rows_of_equal_keys(values: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "_FEWEST_BITS", 1)  # so that rows meet in the table
        rows, first = encoding._earlier(np.array(values, np.uint64) << np.uint64(60))
    by_key = [(value << 60) % 2**64 for value in values]
    wanted = [(r, by_key.index(k)) for r, k in enumerate(by_key) if by_key.index(k) < r]
    assert list(zip(rows.tolist(), first.tolist(), strict=True)) == wanted
