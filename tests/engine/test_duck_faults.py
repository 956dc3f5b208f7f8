"""What DuckDB as an engine refuses, and what it says when something goes wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from consilience.engine import duck as engine
from consilience.engine.duck import Duck, connected, open_duck
from consilience.engine.gathering import sums_of
from consilience.engine.planning import Believing
from consilience.errors import ConsilienceError, UsageError

WRONG = {
    "vote": ("query,item,system,vote\nq,a,s,1\nq,b,s,1.5\n", "a.csv:3: vote must be a vote"),
    "word": ("query,item,system,vote\nq,a,s,perhaps\n", "a.csv:2: vote must be .* 'perhaps'"),
    "score": ("query,item,system,score\nq,a,s,inf\n", "a.csv:2: score must be finite"),
    "nan": ("query,item,system,score\nq,a,s,nan\n", "a.csv:2: score must be a number"),
    "rank": ("query,item,system,rank\nq,a,s,1.5\n", "a.csv:2: rank must be a whole number"),
    "item": ("query,item,system\nq,,s\n", "a.csv:2: item: the item is empty"),
    "query": ("query,item,system\nq,a,s\n,b,s\n", "a.csv:3: query: the query is empty"),
    "torn": ("query,item,system,score\nq,a,s,1\nq,b,s,\n", "a.csv:3: score is empty, but other"),
    "none": ("query,item,system\n", "a header and no rows"),
    "no item": ("query,system,score\nq,s,1\n", "no column holds the items"),
    "wide": ("item,S1,S2\na,1,0\n", "a wide table .'S1', 'S2' hold votes.*consilience convert"),
    "wide, judged": ("item,S1,gold\na,1,0\n", "a wide table.*put gold into a file of its own"),
    "figures": ("item,x\na,17\n", "x: numbers, but not votes"),
    "both ways": ("item,system,a,b\nx,s,1,0\n", "a, b hold votes, but system names"),
    "all systems": ("item,system,kind,score,grade\na,s,system,1,1\n", "a file of its own"),
    "twice": (
        'query,item,system,score\nq,"a\n",s,1\n\nq,b,s,3\nq,a,s,2\n',
        r"a\.csv:6: item 'a' of query 'q' was answered before \(line 2\) and differently by 's'",
    ),
    "kind": ("item,system,kind\na,s,robot\n", "a.csv:2: kind of 's' is 'robot'"),
    "kinds": ("item,system,kind\na,s,person\nb,s,gold\n", "a.csv:.: kind of 's' is .* elsewhere"),
    "family": ("item,system,family\na,s,x\nb,s,\n", "family of 's' is '.?' here and '.?' else"),
    "ragged": ("query,item,system\nq,a\n", "a.csv:2: Expected cells: 3 Found: 2"),
    "too long": ("query,item,system\nq,a,s\nq,a,t,u\n", "a.csv:3: Expected cells: 3 Found: 4"),
    "doubled": ("query,item,item,system\nq,a,b,s\n", "a.csv:1: column 'item' appears twice"),
    "both": ("item,system,kind\na,s,system\nb,s,gold\n", "kind of 's' is 'system' in some rows"),
    "run": ("q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n", "this is a TREC run.*consilience convert"),
    "curve": ("query,item,system,score,label\nq,a,s,1,1\n", "a file of its own.*--truth"),
    "hex": ("query,item,system,score\nq,a,s,0x10\n", "a.csv:2: score must be a number"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_with_its_place(duck: Duck, tmp_path: Path, name: str) -> None:
    text, told = WRONG[name]
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match=told) as error:
        open_duck(duck, [path])
    assert "(fix: " in str(error.value)


def test_files_that_cannot_be_read(duck: Duck, tmp_path: Path) -> None:
    broken = tmp_path / "b.parquet"
    broken.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(UsageError, match=r"b\.parquet: .*\(fix: write it again\)"):
        open_duck(duck, [broken])
    with pytest.raises(UsageError, match="nowhere"):
        open_duck(duck, [tmp_path / "nowhere.parquet"])
    with pytest.raises(UsageError, match="nothing to read"):
        open_duck(duck, [])
    path = tmp_path / "gold.csv"
    path.write_text("query,item,grade\nq,a,1\n")
    with pytest.raises(UsageError, match="nobody votes"):
        open_duck(duck, [], truth=[path])
    (tmp_path / "a.csv").write_text("query,item,system\nq,a,s\n")
    tables = open_duck(duck, [tmp_path / "a.csv"])
    with pytest.raises(UsageError, match="there is no truth"):
        sums_of(tables, Believing("gold"))
    (tmp_path / "m.csv").write_text("query,item,respondent,kind,vote\nq,a,m,llm,1\n")
    judged = open_duck(duck, [tmp_path / "a.csv"], truth=[tmp_path / "m.csv"])
    with pytest.raises(UsageError, match="only language models have judged"):
        sums_of(judged, Believing("gold"))
    assert sums_of(tables, Believing("shrunk"), cutoffs=(3,), ties="rank").length.sum() == 1
    (tmp_path / "b.csv").write_text("query,item,system,score\nq,a,s,1\nq,b,s,1\n")
    tied = open_duck(duck, [tmp_path / "b.csv"])
    with pytest.raises(UsageError, match="there are no ranks"):
        sums_of(tied, Believing("shrunk"), cutoffs=(3,), ties="rank")
    with pytest.raises(UsageError, match="needs all lists in memory"):
        sums_of(tables, Believing("shrunk"), cutoffs=(3,), ties="best")


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (duckdb.OutOfMemoryException("failed to pin block of size 256"), "--memory"),
        (duckdb.IOException('Could not write file: "No space left on device"'), "set TMPDIR"),
        (duckdb.OutOfMemoryException("… max_temp_directory_size …"), "set TMPDIR"),
        (duckdb.IOException("Could not read from file"), r"x\.parquet: cannot be read"),
        (duckdb.CatalogException("no such table\nLINE 1"), "DuckDB: no such table$"),
    ],
)
def test_what_goes_wrong_is_said_in_our_words(tmp_path: Path, error: Any, told: str) -> None:
    def fail() -> None:
        with engine.told(tmp_path, "x.parquet"):
            raise error

    with pytest.raises(ConsilienceError, match=told):
        fail()


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="TMPDIR"), connected(folder=tmp_path / "none"):
        pass
