"""Files that are read in blocks: what is wrong in them is said as if they were read at once."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import consilience as cs
from consilience.engine.blocks import Input
from consilience.engine.convert import Limits, Reading, written
from consilience.errors import InputError
from tests.engine.test_convert import LIMITS, convert
from tests.engine.test_convert_faults import RUN

#: Files that cannot be converted: every way through says the same of them as reading does.
BROKEN: dict[str, dict[str, str]] = {
    "cells": {
        "a.csv": "query,system,item,vote\n"
        + "".join(f"q{k},s,d{k},{'maybe not' if k in (3, 11) else 1}\n" for k in range(14))
    },
    "lines of runs": {
        "a.run": "".join(f"q{k} Q0 d{k} {k} {k if k != 7 else 'x'} s\n" for k in range(12)),
        "b.run": "q1 Q0 a 1 2 s\n\nq1 Q0 b 2\n",
    },
    "no items": {"a.csv": "query,system,thing that is,vote\nq,s,a,1\n" * 5},
    "objects": {
        "a.jsonl": '{"query": "q1", "item": "a", "vote": 1}\n' * 3 + "{nonsense}\n"
        '{"query": "q1", "item": "", "vote": 1}\n'
    },
    "rows of unequal length": {
        "a.csv": "query,system,item\n" + "q,s,a\n" * 6 + "q,s\n" + "q,s,b,c\n"
    },
    "bytes": {"a.run": "q1 Q0 a 1 2 s\n" * 5 + "q1 Q0 \udcff 1 2 s\n"},
    "answers that differ": {
        "a.csv": "query,system,item,vote\nq1,s,a,1\nq2,s,a,0\nq2,s,b,0\nq1,s,b,0\nq1,s,a,0\n"
    },
    "runs that differ": {"a.run": "q1 Q0 a 1 2 s\nq1 Q0 b 2 2 s\nq2 Q0 b 2 2 s\nq1 Q0 a 1 3 s\n"},
    "scores that lack": {
        "a.csv": "query,system,item,score\nq1,s,a,1\nq2,s,a,1\nq3,s,a,1\nq4,s,a,1\nq1,s,d,\n"
    },
    "grades of systems": {"a.csv": "query,system,item,grade\nq1,s,a,1\nq1,s,b,7\n"},
    "the first line, and a later one": {
        "a.run": "q1 Q0 a 1 x s\n" + "q1 Q0 b 1 2 s\n" * 9 + "q1 Q0 c 1 x s\n"
    },
}


TRUTH = ", or give the file with --truth"


@pytest.mark.parametrize("way", LIMITS)
@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_is_said_as_reading_says_it(tmp_path: Path, name: str, way: str) -> None:
    paths = []
    for file, content in BROKEN[name].items():
        paths.append(tmp_path / file)
        paths[-1].write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError) as read:
        cs.read(paths)
    with pytest.raises(InputError) as converted:
        convert(paths, tmp_path / "out.parquet", LIMITS[way])
    said = {str(problem) for problem in converted.value.problems}
    if name == "grades of systems":  # a verb that has no --truth
        said = {problem.replace("; --kind gold if judges gave them", TRUTH) for problem in said}
    assert said == {str(problem) for problem in read.value.problems}
    assert converted.value.total == read.value.total
    assert sorted(tmp_path.iterdir()) == sorted(paths)


def test_rows_of_parquet_are_counted_from_the_first_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    votes = ["1"] * 30
    votes[2] = votes[17] = "perhaps"
    pq.write_table(pa.table({"item": [f"d{k}" for k in range(30)], "vote": votes}), path)
    how = Reading({}, None, "error", "system", Limits(1 << 30, small=0, rows=4))
    with pytest.raises(InputError, match=r"a\.parquet: row 3: vote must be") as error:
        written([path], tmp_path / "out.parquet", how)
    assert "row 18: vote must be" in str(error.value)


@pytest.mark.parametrize(
    ("content", "encoding", "found"),
    [
        (RUN.encode("utf-16"), None, "utf-16 cannot be cut"),
        ("".join(f"item {n}\n" for n in range(40)).encode(), None, "list of .* is too large"),
        (gzip.compress(RUN.encode())[:-300], None, "cannot be read"),
    ],
)
def test_large_files_that_cannot_be_read_in_blocks_say_so(
    tmp_path: Path, content: bytes, encoding: str | None, found: str
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    how = Reading({}, encoding, "error", "system", Limits(1 << 30, small=0, block=100))
    with pytest.raises(InputError, match=found):
        written([path], tmp_path / "out.parquet", how)


#: What only whole tables tell, found late: read in blocks, it must not be overlooked.
LATE = {
    "a key": (
        "a.jsonl",
        '{"query": "q", "item": "a"}\n' * 5 + '{"query": "q", "item": "b", "vote": 0}\n' * 9,
        r"a\.jsonl:\d: 'vote' \(vote\) first appears here",
    ),
    "a voter whose column was empty": (
        "a.csv",
        "item,s1,s2\n" + "".join(f"item-{k},1,{1 if k > 20 else ''}\n" for k in range(30)),
        r"a\.csv:23: 's2' votes here, and said nothing before",
    ),
    "votes in columns that were empty": (
        "a.csv",
        "item,s1\n" + "".join(f"item-{k},{1 if k > 20 else '?'}\n" for k in range(30)),
        r"a\.csv:23: 's1' votes here, and said nothing before",
    ),
    "a voter without a column": (
        "a.jsonl",
        '{"item": "a", "s1": 1}\n{"item": "b", "s1": 0}\n' * 3 + '{"item": "c", "s2": 1}\n' * 9,
        r"a\.jsonl:7: 's2' votes here, and said nothing before",
    ),
    "people by a lesser name": (
        "a.csv",
        "user_id,item,vote\n" + "".join(f"{u},item-{k},1\n" for u in "xy" for k in range(20)),
        r"a\.csv:1: 'user_id' may say who answered.*--columns respondent=user_id",
    ),
    "nobody in particular": (
        "a.csv",
        "annotator,item,label,probability\n"
        + "".join(f"{'ann' if k < 9 else 'bob'},item-{k},1,0.5\n" for k in range(18))
        + ",item-99,,0.5\n",
        r"a\.csv:20: annotator is empty",
    ),
}


@pytest.mark.parametrize("name", LATE)
def test_what_comes_late_in_a_large_file_is_named(tmp_path: Path, name: str) -> None:
    file, content, found = LATE[name]
    path = tmp_path / file
    path.write_text(content)
    how = Reading({}, None, "error", "system", Limits(1 << 30, small=0, block=60))
    with pytest.raises(InputError, match=found) as error:
        written([path], tmp_path / "out.parquet", how)
    assert error.value.total == 1
    assert [*tmp_path.iterdir()] == [path]


def test_numbers_with_a_point_are_no_names_of_a_large_file(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"query": [1.0, 2.5], "item": ["a", "b"]}), path)
    how = Reading({}, None, "error", "system", Limits(1 << 30, small=0))
    with pytest.raises(InputError, match="query holds numbers with a point"):
        written([path], tmp_path / "out.parquet", how)


@pytest.mark.parametrize(
    ("content", "encoding"),
    [(gzip.compress(RUN.encode()), None), (RUN.replace("d1", "dü").encode("latin-1"), "latin-1")],
)
def test_packed_files_and_other_encodings_are_read_in_blocks(
    tmp_path: Path, content: bytes, encoding: str | None
) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(content)
    how = Reading({}, encoding, "error", "system", Limits(1 << 30, small=0, block=100))
    made = written([path], tmp_path / "out.parquet", how)
    there, here = cs.read(path, encoding=encoding), cs.read(made.path)
    assert there.queries == here.queries
    assert there.items.names(there.answers.item) == here.items.names(here.answers.item)
    one = Input(path, encoding=encoding, small=0, block=100)
    rows = sum(len(tables[0]) for tables in one.blocks())
    assert [one.place(0, row) for row in (0, 17, rows - 1)] == [1, 18, 300]


def test_files_that_are_read_ahead_count_for_what_they_unpack_to(tmp_path: Path) -> None:
    packed, table = tmp_path / "a.run.gz", tmp_path / "b.parquet"
    packed.write_bytes(gzip.compress(RUN.encode()))
    pq.write_table(pa.table({"item": [f"d{k % 5}" for k in range(10_000)]}), table)
    for path, least in ((packed, 5 * packed.stat().st_size), (table, 50 * 10_000)):
        one = Input(path, small=least - 1)
        assert one.size < least <= one.weight
        assert one.streamed
    assert not Input(tmp_path / "none").streamed
