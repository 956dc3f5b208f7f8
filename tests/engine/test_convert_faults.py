"""What goes wrong while a votes file is written leaves no half file, and says what it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import consilience as cs
from consilience.engine import votes_file
from consilience.engine.aside import aside
from consilience.engine.convert import Limits, Reading, written
from consilience.engine.votes_file import read_index
from consilience.errors import InputError, UsageError
from consilience.formats import footer
from tests.cli.command import consilience

RUN = "".join(f"q{k // 10} Q0 d{k % 10} {k % 10 + 1} {20 - k % 10} bm25\n" for k in range(300))
#: Turns a run into a votes file under limits on its files, or until it is killed.
PROGRAM = """
import resource, sys, time
from pathlib import Path
from consilience.engine.convert import Limits, Reading, written
from consilience.engine.sorting import Sorter
from consilience.engine.votes_file import VotesWriter
from consilience.errors import ConsilienceError
what, path, output = sys.argv[1:]
limits = Limits(waiting=1 if what != "output" else 1 << 30, group=20)
def stop(self, *args):
    print("now", flush=True)
    time.sleep(60)
if what == "kill while sorting":
    Sorter.ranges = stop
elif what == "kill while writing":
    VotesWriter.finish = lambda self, **facts: stop(self)
else:
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
try:
    written([path], Path(output), Reading({}, None, "error", "system", limits))
except ConsilienceError as error:
    print(error)
"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "bm25.run"
    path.write_text(RUN)
    return path


def program(what: str, path: Path, output: Path) -> subprocess.Popen[str]:
    args = [sys.executable, "-c", PROGRAM, what, str(path), str(output)]
    return subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.mark.parametrize("what", ["sorting", "output"])
def test_a_full_disk_is_named_and_nothing_stays(tmp_path: Path, run: Path, what: str) -> None:
    output = tmp_path / "votes.parquet"
    with program(what, run, output) as done:
        said, _ = done.communicate(timeout=60)
    assert f"{output.name}" in said
    assert "cannot be written: File too large (fix: make room, or name another place)" in said
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize("what", ["kill while sorting", "kill while writing"])
def test_a_killed_process_leaves_the_old_file_and_its_rest_is_removed(
    tmp_path: Path, run: Path, what: str
) -> None:
    output = tmp_path / "votes.parquet"
    before = cs.convert(run, output).index.fingerprint
    run.write_text(RUN.replace("bm25", "bert"))
    with program(what, run, output) as done:
        assert done.stdout is not None
        assert done.stdout.readline() == "now\n"
        done.send_signal(signal.SIGKILL)
    index = read_index(output)
    assert index is not None
    assert index.fingerprint == before
    left = {path.name for path in tmp_path.iterdir()} - {"in", "votes.parquet"}
    assert left
    assert all(name.startswith(".votes.parquet.") for name in left)
    assert cs.read(tmp_path / "votes.parquet").systems == ("bm25",)
    made = cs.convert(run, output)
    assert made.index.respondents.names == ("bert",)
    assert {path.name for path in tmp_path.iterdir()} == {"in", "votes.parquet"}


def test_the_work_of_a_process_that_lives_is_left_alone(tmp_path: Path, run: Path) -> None:
    other = aside(tmp_path / "votes.parquet", "part")
    other.write_bytes(b"somebody works on this")
    cs.convert(run, tmp_path / "votes.parquet")
    assert other.exists()


def test_broken_rows_of_parquet_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    columns = {"query": [f"q{k}" for k in range(3000)], "item": [f"d{k}" for k in range(3000)]}
    pq.write_table(pa.table(columns), path, row_group_size=1000, write_page_checksum=True)
    with pq.ParquetFile(path) as file:
        place = file.metadata.row_group(1).column(1).data_page_offset
    data = bytearray(path.read_bytes())
    data[place + 40 : place + 60] = bytes(20)
    path.write_bytes(data)
    for small in (1 << 30, 0):
        how = Reading({}, None, "error", "system", Limits(1 << 30, small=small))
        with pytest.raises(
            InputError, match=r"a\.parquet: not readable as Parquet: row group 2 of 3"
        ):
            written([path], tmp_path / "out.parquet", how)
    assert list(tmp_path.iterdir()) == [path]


def test_a_pipe_is_kept_to_find_a_line(tmp_path: Path) -> None:
    out, into = os.pipe()
    os.write(into, b"q1 Q0 a 1 2 s\nq1 Q0 b 2 1 s\nq1 Q0 a 1 3 s\n")
    os.close(into)
    with pytest.raises(InputError, match="pipe-1:3: item 'a' was answered before"):
        cs.convert(f"/dev/fd/{out}", tmp_path / "out.parquet")
    os.close(out)


def test_the_output_is_no_input_no_folder_and_nobody_elses_file(tmp_path: Path, run: Path) -> None:
    with pytest.raises(UsageError, match=r"votes\.csv: a votes file is called \.parquet"):
        cs.convert(run, tmp_path / "votes.csv")
    made = cs.convert(run, tmp_path / "votes.parquet").path
    with pytest.raises(UsageError, match="is one of the inputs"):
        cs.convert([run, made], made)
    with pytest.raises(UsageError, match="is one of the inputs"):
        cs.convert(tmp_path, made)
    other = tmp_path / "other.parquet"
    pq.write_table(pa.table({"item": ["a"]}), other)
    with pytest.raises(UsageError, match=r"other\.parquet is there and is no votes file"):
        cs.convert(run, other)
    (tmp_path / "folder.parquet").mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        cs.convert(run, tmp_path / "folder.parquet")


def test_what_another_program_changed_is_read_as_any_table(tmp_path: Path, run: Path) -> None:
    path = cs.convert(run, tmp_path / "votes.parquet").path
    table = pq.read_table(path)
    assert footer.KEY in pq.read_metadata(path).metadata
    changed = tmp_path / "changed.parquet"
    pq.write_table(
        table.slice(0, 25).replace_schema_metadata(pq.read_metadata(path).metadata), changed
    )
    assert read_index(changed) is None
    study = cs.read(changed)
    assert study.queries == ("q0", "q1", "q2")
    assert len(study.answers) == 25


def test_large_queries_have_row_groups_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(votes_file, "GROUP", 8)
    sizes = [3, 4, 20, 0, 1, 8, 2, 5]
    lines = [f"q{q} Q0 d{k} 1 {k} s" for q, size in enumerate(sizes) for k in range(size)]
    path = tmp_path / "a.run"
    path.write_text("\n".join(lines))
    how = Reading({}, None, "error", "system", Limits(1 << 30, group=100))
    index = written([path], tmp_path / "out.parquet", how).index
    there = [name for name, size in zip(range(8), sizes, strict=True) if size]
    assert index.queries == tuple(f"q{q}" for q in there)
    with pq.ParquetFile(tmp_path / "out.parquet") as file:
        groups = [
            file.read_row_group(g).column("query").to_pylist() for g in range(file.num_row_groups)
        ]
    assert [len(group) for group in groups] == index.group_rows.tolist() == [7, 8, 8, 4, 1, 8, 7]
    for low in range(7):
        for high in range(low + 1, 8):
            some = set(index.queries[low:high])
            holding = [g for g, names in enumerate(groups) if some & set(names)]
            assert [*index.groups(low, high)] == holding
    study = cs.read(tmp_path / "out.parquet")
    assert study.items.names(study.answers.item) == [line.split()[2] for line in lines]


def test_a_million_queries_fit_into_a_small_index() -> None:
    names = [f"query-{k}" for k in range(100_000)]
    votes = np.random.default_rng(1).integers(1, 500, len(names))
    text = footer.pack({"queries": names}, {"votes": votes, "items": votes // 2})
    assert len(text) < 12 * len(names)
    facts = footer.unpack({footer.KEY: text}, "a.parquet")
    assert facts is not None
    assert facts["votes"].tolist() == votes.tolist()
    for damaged in (text[:-8], b"nonsense"):
        with pytest.raises(InputError, match="its index of votes is damaged"):
            footer.unpack({footer.KEY: damaged}, "a.parquet")


def test_the_command_line_says_what_it_wrote(tmp_path: Path, run: Path) -> None:
    done = consilience("convert", run, tmp_path / "votes.parquet")
    assert done.code == 0, done.err
    assert (
        f"{tmp_path / 'votes.parquet'}: 300 rows, 30 queries, 1 respondent; 5.9KB in, " in done.out
    )
    facts = consilience("convert", run, tmp_path / "votes.parquet", "--json").json()
    assert (facts["rows"], facts["queries"], facts["items"]) == (300, 30, 300)
    assert facts["bytes_out"] == (tmp_path / "votes.parquet").stat().st_size
    wrong = consilience("convert", run)
    assert wrong.code == 2
    assert "name the inputs, and last the file to write" in wrong.err
    for option in (("--duplicates", "each"), ("--kind", "robot"), ("--memory", "much")):
        assert consilience("convert", run, tmp_path / "votes.parquet", *option).code == 2


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ("item,s1,s2,gold\na,1,0,1\nb,0,1,0\n", r"both are in \S*a.csv \(gold is no system\)"),
        ("query,system,item,score,relevant\nq,s,a,1,1\nq,s,b,2,0\n", r"\(relevant is no system\)"),
        (
            "query,judge,item,label\nq,j,a,1\nq,j,b,0\n",
            r"bm25\.run and \S*a\.csv \(fix: convert each",
        ),
        ("query,annotator,item,category\nq,s,a,x\n", "it puts items into categories"),
    ],
)
def test_what_cannot_be_in_one_votes_file_is_said(
    tmp_path: Path, run: Path, table: str, found: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(table)
    with pytest.raises(UsageError, match=found):
        cs.convert([run, path] if "bm25" in found else path, tmp_path / "votes.parquet")
    assert {one.name for one in tmp_path.iterdir()} == {"in", "a.csv"}


def test_a_query_that_does_not_fit_into_memory_is_named(tmp_path: Path, run: Path) -> None:
    how = Reading({}, None, "error", "system", Limits(1, most=2000))
    with pytest.raises(UsageError, match="query 'q0' alone has 10 rows, which take some"):
        written([run], tmp_path / "votes.parquet", how)
    assert [one.name for one in tmp_path.iterdir()] == ["in"]
