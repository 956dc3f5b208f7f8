"""What the benchmark of large votes is made of: its inputs, its clock, its look at memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from unittest import mock

from bench.inputs import elsewhere
from bench.large_inputs import LISTED, POOL, large_truth, large_votes, trec_files
from bench.measure import run
from bench.scale_page import PAGE, TABLES, Results, filled
from bench.watch import Tree

SYSTEMS, QUERIES = 4, 3
VOTES = SYSTEMS * QUERIES * LISTED


def facts(path: Path, truth: Path, runs: Path) -> dict[str, object]:
    """Read what was made; in a process of its own, for the peak of those that are measured."""
    import consilience as cs
    from consilience.engine.votes_file import read_index

    study, same = cs.read(path, truth=truth), cs.read(runs)
    index = read_index(path)
    return {
        "votes": len(study.answers),
        "systems": study.systems,
        "queries": study.queries,
        "judged": len(study.evidence),
        "index": None if index is None else index.votes.tolist(),
        "same": (same.systems, same.queries, len(same.answers)),
    }


def test_inputs_are_what_they_say_in_every_form(tmp_path: Path) -> None:
    path = large_votes(tmp_path, VOTES, systems=SYSTEMS, text=True)
    truth = large_truth(tmp_path, VOTES, systems=SYSTEMS)
    runs = trec_files(tmp_path, files=SYSTEMS, queries=QUERIES)
    found = elsewhere(facts, path, truth, runs)
    assert found["votes"] == VOTES
    assert found["systems"] == ("s000", "s001", "s002", "s003")
    assert found["index"] == [SYSTEMS * LISTED] * QUERIES
    assert found["judged"] == QUERIES * POOL // 10
    assert found["queries"] == ("q00001", "q00002", "q00003")
    assert found["same"] == (found["systems"], found["queries"], VOTES)


def test_files_that_lie_in_the_named_folder_are_taken(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.mkdir()
    lies = there / f"{SYSTEMS}-systems-{VOTES}-numbers.parquet"
    lies.write_bytes(b"as it is")
    with mock.patch.dict(os.environ, {"CONSILIENCE_BENCH_DATA": str(there)}):
        assert large_votes(tmp_path, VOTES, systems=SYSTEMS, text=False) == lies
    assert lies.read_bytes() == b"as it is"
    assert [*tmp_path.iterdir()] == [there]


def test_memory_of_children_counts() -> None:
    child = (
        "import sys; held = bytearray(b'x' * 60_000_000); print(1, flush=True); sys.stdin.read()"
    )
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", parent], stdin=pipe, stdout=pipe) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"1\n"
        with Tree(process.pid) as watch:
            pass
        process.stdin.close()
    assert watch.peak > 60


def test_parts_are_timed_and_the_verdict_is_that_of_the_command(tmp_path: Path) -> None:
    path = large_votes(tmp_path, VOTES, systems=SYSTEMS, text=True)
    out = tmp_path / "verdict.json"
    homes = {"CONSILIENCE_WORK": str(tmp_path / "work"), "CONSILIENCE_RESULTS": str(tmp_path)}
    cost = run("rank_parts", path, out, "2GB", cache=None, variables=homes, tree=True)
    assert cost.values["exit"] == 0
    assert cost.values["parts"] == 1
    assert 0 < cost.values["parts s"] < cost.cpu
    assert cost.values["wall s"] > 0
    assert '"verb": "rank"' in out.read_text()


def test_the_page_holds_the_results() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert all(f"<!-- {name}: " in page for name in TABLES)
    assert filled(page, Results.read()) == page, "run python -m bench.scale_page"
