"""Names that come as numbers (dictionaries, whole numbers) against the same names as text.

The twin is the same input read with nothing numbered: same study, or the same words of complaint.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience import columns as columns_of_names
from consilience.errors import UsageError
from consilience.formats import cells, numbered, sheets
from consilience.study import DUPLICATES
from consilience.study import encode as encoding

study: Any = cs.study
read: Any = cs.read

NAMES = ["a", "b", "doc7", "7", "07", "Zürich", "\U0001f600", "a\u00a0b", "x" * 20, "NaN", "-"]
ODD = [" a", "a ", "\tb", "", " ", "a\0", None]
texts = st.sampled_from(NAMES)
odd_texts = st.sampled_from([*NAMES, *NAMES, *ODD])
numbers = st.sampled_from([7, 8, 0, -1, 2**31, -(2**40), 10, 100])
ways = st.sampled_from(["plain", "dictionary", "dictionary", "large", "small", "chunks"])


@st.composite
def columns(draw: st.DrawFn, rows: int, names: st.SearchStrategy[Any]) -> pa.ChunkedArray:
    """A column of names, dressed in one of the ways in which they come."""
    if draw(st.booleans()):
        values = draw(st.lists(numbers, min_size=rows, max_size=rows))
        column = pa.chunked_array([pa.array(values, pa.int64())])
    else:
        values = draw(st.lists(names, min_size=rows, max_size=rows))
        column = pa.chunked_array([pa.array(values, pa.string())])
    way = draw(ways)
    if way in ("plain", "chunks"):
        cut = draw(st.integers(0, rows)) if way == "chunks" else 0
        return pa.chunked_array([column.chunk(0).slice(0, cut), column.chunk(0).slice(cut)])
    held = [*dict.fromkeys(values), *draw(st.lists(numbers if values == [] else names, max_size=3))]
    return dictionary(values, held, column.type, way, random.Random(draw(st.integers(0, 99))))


def dictionary(
    values: list[Any], held: list[Any], kind: pa.DataType, way: str, rng: random.Random
) -> pa.ChunkedArray:
    """A dictionary whose names stand in any order, some twice, some in no row."""
    held = [
        value for value in held if value is None or isinstance(value, str) == (kind == pa.string())
    ]
    held += [value for value in held if rng.random() < 0.3]
    rng.shuffle(held)
    held = held or [values[0]]
    places = [rng.choice([p for p, v in enumerate(held) if v == value]) for value in values]
    if way == "large" and kind == pa.string():
        kind = pa.large_string()
    index = pa.int8() if way == "small" else pa.int32()
    array = pa.DictionaryArray.from_arrays(pa.array(places, index), pa.array(held, kind))
    return pa.chunked_array([array])


@st.composite
def frames(draw: st.DrawFn, names: st.SearchStrategy[Any]) -> pa.Table:
    rows = draw(st.integers(1, 25))
    made = {name: draw(columns(rows, names)) for name in ("query", "respondent", "item")}
    extra = draw(st.sampled_from(["", "", "vote", "score", "category", "kind"]))
    if extra == "category":  # people sort items into categories
        made["annotator"] = made.pop("respondent")
        made[extra] = pa.array(
            draw(st.lists(st.sampled_from(["c", "d", ""]), min_size=rows, max_size=rows))
        )
    elif extra == "kind":  # one a respondent, so that tables are cut in two
        made[extra] = pa.array(
            [
                "gold" if str(who).strip() in ("a", "7", "10") else "system"
                for who in made["respondent"].to_pylist()
            ]
        )
    elif extra:
        choice = st.sampled_from([0.0, 0.5, 1.0])
        made[extra] = pa.array(draw(st.lists(choice, min_size=rows, max_size=rows)))
    return pa.table(made)


def outcome(make: Callable[[], Any]) -> Any:
    """Everything that a study says, or what was wrong."""
    try:
        made = make()
    except UsageError as error:
        return str(error)
    arrays = [(name, column.dtype, column.tolist()) for name, column in made._columns()]
    names = made.items.names(range(len(made.items)))
    items = [made.items.text[row] for row in range(len(made.items.text))]
    said = (made.queries, made.respondents, made.sources, made.notes, made.categories)
    return repr((said, names, items, arrays))


def twins_agree(make: Callable[[], Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns_of_names, "_RARE", 0)  # numbered, however little it saves
        fast = outcome(make)
    assert fast == outcome(make)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "_PLACES", 0)  # numbers are hashed, however close they lie
        patch.setattr(numbered, "_FEW", 0)
        assert fast == outcome(make)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cells, "numbered", lambda column, **options: (None, column))
        patch.setattr(sheets, "texts", lambda *known: [])
        assert fast == outcome(make)


@settings(max_examples=100)
@given(table=frames(odd_texts), how=st.sampled_from(DUPLICATES))
def test_odd_names(table: pa.Table, how: str) -> None:
    twins_agree(lambda: study(table, duplicates=how))


@settings(max_examples=100)
@given(
    tables=st.lists(frames(texts), min_size=1, max_size=3),
    truth=st.none() | frames(texts),
    how=st.sampled_from(DUPLICATES),
)
def test_several_tables(tables: list[pa.Table], truth: pa.Table | None, how: str) -> None:
    given_tables = {f"t{place}": table for place, table in enumerate(tables)}
    twins_agree(lambda: study(given_tables, truth=truth, duplicates=how))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("numbered")


@settings(max_examples=80)
@given(
    table=frames(odd_texts),
    truth=frames(texts),
    group=st.integers(1, 30),
    packed=st.booleans(),
    how=st.sampled_from(DUPLICATES),
)
def test_parquet_files(
    folder: Path, table: pa.Table, truth: pa.Table, group: int, packed: bool, how: str
) -> None:
    run, gold = folder / "run.parquet", folder / "gold.parquet"
    pq.write_table(writable(table), run, row_group_size=group, use_dictionary=packed)
    pq.write_table(truth, gold, row_group_size=group)
    twins_agree(lambda: read(run, truth=gold, duplicates=how))


def writable(table: pa.Table) -> pa.Table:
    """Gaps among the names of a dictionary cannot be written."""
    for place, name in enumerate(table.column_names):
        kind = table[name].type
        if pa.types.is_dictionary(kind) and table[name].chunk(0).dictionary.null_count:
            table = table.set_column(place, name, table[name].cast(kind.value_type))
    return table


@settings(max_examples=50)
@given(table=frames(texts), how=st.sampled_from([how for how in DUPLICATES if how != "error"]))
def test_parquet_and_csv_are_one_study(folder: Path, table: pa.Table, how: str) -> None:
    run, text = folder / "votes.parquet", folder / "votes.csv"
    pq.write_table(table, run, row_group_size=7)
    pd.DataFrame(table.to_pydict()).to_csv(text, index=False)
    assert read(run, duplicates=how).fingerprint() == read(text, duplicates=how).fingerprint()


@settings(max_examples=20)
@example(values=[3, 3, 3, 5, 5] * 30)
@given(values=st.lists(st.integers(-3, 300), min_size=1, max_size=60))
@pytest.mark.parametrize("kind", ["int8", "uint16", "int32", "int64", "uint64"])
def test_whole_numbers_of_all_kinds(kind: str, values: list[int]) -> None:
    held = np.array(values).astype(kind)
    on_end = np.repeat(held, 20)
    for column in (held, on_end):
        table = pa.table({"item": column, "system": np.sort(column)})
        made = study(table, duplicates="each")
        text = study(
            pa.table(
                {"item": [str(v) for v in column], "system": [str(v) for v in np.sort(column)]}
            ),
            duplicates="each",
        )
        assert made.fingerprint() == text.fingerprint()


@settings(max_examples=60)
@example(ranks=[0, 1, 2], kind="int64")
@example(ranks=[2**40, 1, 2**31 - 1], kind="int64")
@given(
    ranks=st.lists(st.integers(-1, 120), min_size=1, max_size=30),
    kind=st.sampled_from(["int8", "uint8", "int32", "int64", "uint64"]),
)
def test_ranks_as_whole_numbers_and_as_fractions(ranks: list[int], kind: str) -> None:
    held = np.maximum(ranks, 0 if kind == "uint64" else -1).astype(kind)
    items = [f"d{row}" for row in range(len(ranks))]
    pieces = pa.chunked_array([held[:1], held[1:]])
    whole = pa.table({"item": items, "system": ["s"] * len(ranks), "rank": pieces})
    fractions = whole.set_column(2, "rank", pa.array(held.astype(np.float64)))
    said = outcome(lambda: study(fractions)).replace(
        ".0'", "'"
    )  # messages repeat the cell as it is
    assert outcome(lambda: study(whole)) == said


@pytest.mark.parametrize("items", [7, 5_000, 50_000])
def test_long_columns(folder: Path, items: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    drawn = rng.integers(0, items, 50_000)
    table = pa.table({"query": drawn % 7, "system": rng.integers(0, 3, len(drawn)), "item": drawn})
    written = pa.table(
        {
            name: column.cast(pa.string())
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
    )
    prints = set()
    for place, one in enumerate((table, written)):
        path = folder / f"long{place}.parquet"
        pq.write_table(one, path, row_group_size=20_000)
        made = read(path, duplicates="each")
        assert made.items.text.numbered == (items < 50_000)
        prints.add(made.fingerprint())
    monkeypatch.setattr(cells, "numbered", lambda column, **options: (None, column))
    prints.add(study(written.combine_chunks(), duplicates="each").fingerprint())
    assert len(prints) == 1


def test_frames_with_numbers_and_categories() -> None:
    plain: dict[str, Any] = {
        "query": ["q2", "q2", "q1", "q1"],
        "system": ["B", "A", "B", "A"],
        "item": ["x", "y", "x", "x"],
    }
    expected = study(plain).fingerprint()
    assert study(pd.DataFrame(plain).astype("category")).fingerprint() == expected
    categories = pl.DataFrame(plain).with_columns(pl.all().cast(pl.Categorical))
    assert study(categories).fingerprint() == expected
    kinds = pl.Enum(["y", "unused", "x"])
    listed = pl.DataFrame(plain).with_columns(pl.col("item").cast(kinds))
    assert study(listed).fingerprint() == expected
    numbers_of: dict[str, Any] = plain | {"item": [7, 8, 7, 7]}
    expected = study(plain | {"item": ["7", "8", "7", "7"]}).fingerprint()
    for frame in (pd.DataFrame(numbers_of), pl.DataFrame(numbers_of), pa.table(numbers_of)):
        assert study(frame).fingerprint() == expected


@pytest.mark.parametrize("count", [3, 40_000])
def test_a_study_does_not_change_with_the_frame_it_was_made_of(count: int) -> None:
    names = pd.Series([f"d{row}" for row in range(count)] * 2, dtype="category")
    frame = pd.DataFrame({"item": names, "system": np.arange(2 * count) % 2, "vote": 1.0})
    columns_given = {
        "item": np.arange(count),
        "system": np.arange(count) % 2,
        "vote": np.ones(count),
    }
    for data, column in (
        (frame, "item"),
        (frame, "vote"),
        (columns_given, "item"),
        (columns_given, "vote"),
    ):
        made = study(data)
        before = made.fingerprint()
        given_array = data[column]
        if isinstance(given_array, np.ndarray):
            given_array[:] = given_array[-1] / 2
        else:
            frame.loc[:, column] = given_array.iloc[0]
            given_array.iloc[:] = given_array.iloc[0]
        assert made.fingerprint() == before


def test_reading_parquet_does_not_import_pandas(folder: Path) -> None:
    path = folder / "light.parquet"
    pq.write_table(pa.table({"query": [1, 1], "system": ["A", "B"], "item": [7, 8]}), path)
    code = (
        f"import sys, consilience as cs; cs.read({str(path)!r}); sys.exit('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("form", ["string", "large_string", "string_view"])
def test_the_word_nan_is_no_score_in_any_form_of_text(form: str) -> None:
    columns = {"system": ["a", "a"], "query": ["q", "q"], "item": ["x", "y"], "score": ["nan", "1"]}
    kind = getattr(pa, form)()
    table = pa.table({name: pa.array(values, kind) for name, values in columns.items()})
    with pytest.raises(cs.InputError, match="score must be a number, found 'nan'"):
        cs.study(table)
