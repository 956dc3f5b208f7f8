"""Large Parquet files row group by row group, against the same file read in one go."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import consilience as cs
from consilience.formats import row_groups
from consilience.formats.row_groups import read_groups


def table(rng: np.random.Generator, rows: int) -> pa.Table:
    """Numbers of several kinds, text, names that come numbered, with and without gaps."""
    gaps = pa.array(rng.integers(0, 9, rows).astype(np.int16), mask=rng.random(rows) < 0.1)
    late = np.zeros(rows, bool)
    late[-1] = True
    words = np.array([f"w{number}" for number in range(40)])
    names = pa.array(words[np.sort(rng.integers(0, 40, rows))])
    return pa.table(
        {
            "small": rng.integers(-5, 5, rows).astype(np.int8),
            "wider": np.sort(rng.integers(0, 70_000, rows)),
            "widest": rng.integers(0, 200, rows) - 2**40 * late,
            "large": rng.integers(0, 2**60, rows).astype(np.uint64),
            "gaps": gaps,
            "late": pa.array(rng.integers(0, 9, rows), mask=late),
            "fractions": rng.random(rows),
            "text": names,
            "names": names.dictionary_encode(),
            "unnamed": pa.array(
                [None if gap else word for gap, word in zip(late, names.to_pylist(), strict=True)]
            ).dictionary_encode(),
            "yes": rng.random(rows) < 0.5,
        }
    )


@pytest.mark.parametrize("rows", [2, 7, 100])
@pytest.mark.parametrize("group", [3, 50])
def test_every_column_as_read_in_one_go(tmp_path: Path, rows: int, group: int) -> None:
    path = tmp_path / "t.parquet"
    pq.write_table(table(np.random.default_rng(rows), rows), path, row_group_size=group)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_groups, "MANY", 0)
        with pq.ParquetFile(path, read_dictionary=["text"]) as stored:
            found = read_groups(stored)
        with pq.ParquetFile(path, read_dictionary=["text"]) as stored:
            whole = stored.read()
    found.validate(full=True)
    assert found.column_names == whole.column_names
    assert found.to_pydict() == whole.to_pydict()
    if rows > group:
        assert found["small"].num_chunks == found["names"].num_chunks == 1
        assert {found[name].nbytes for name in ("small", "widest")} == {2 * rows, 8 * rows}


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("text", [False, True])
def test_the_same_study(tmp_path: Path, text: bool, first: int) -> None:
    rng = np.random.default_rng(1)
    rows: dict[str, list[Any]] = {"query": [], "system": [], "item": [], "rank": []}
    for query in range(30):
        for system in rng.permutation(5).tolist():
            for rank, item in enumerate(rng.permutation(40)[:20].tolist()):
                values = (query + 3, system, item, rank + first)
                for name, value in zip(rows, values, strict=True):
                    rows[name].append(f"{name}{value}" if text and name != "rank" else value)
    kinds = {
        name: pa.string() if isinstance(said[0], str) else pa.int32() for name, said in rows.items()
    }
    frame = pa.table({name: pa.array(said, kinds[name]) for name, said in rows.items()})
    path = tmp_path / "votes.parquet"
    pq.write_table(frame, path, row_group_size=700)
    whole = cs.read(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_groups, "MANY", 0)
        found = cs.read(path)
    assert found.fingerprint() == whole.fingerprint() == cs.study(frame).fingerprint()
    assert found.answers.rank is not None
    assert not found.answers.rank.flags.writeable
    assert int(found.answers.rank.min()) == 1


def test_ranks_share_the_memory_of_nobody(tmp_path: Path) -> None:
    """A study of a frame keeps a copy; one of a file needs none."""
    held = np.array([1, 2], np.int32)
    frame = pa.table({"system": ["s", "s"], "item": ["a", "b"], "rank": held})
    study: Any = cs.study(frame)
    held[:] = 7
    assert study.answers.rank.tolist() == [1, 2]


def test_a_damaged_row_group_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "votes.parquet"
    rng = np.random.default_rng(0)
    frame = pa.table({"system": ["s"] * 5000, "item": rng.permutation(5000)})
    pq.write_table(frame, path, row_group_size=1000, write_page_checksum=True, use_dictionary=False)
    data = bytearray(path.read_bytes())
    column = pq.read_metadata(path).row_group(3).column(1)
    place = column.data_page_offset + column.total_compressed_size // 2
    data[place] ^= 0xFF
    path.write_bytes(data)
    monkeypatch.setattr(row_groups, "MANY", 0)
    with pytest.raises(cs.InputError, match=r"row group 4 of 5"):
        cs.read(path)
