"""Work part by part: the same as on the whole, by one process or several, and resumed."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from consilience.columns import Text
from consilience.engine import opening
from consilience.engine.parts import Task, each
from consilience.engine.ranking import Way
from consilience.engine.source import Votes, open_votes
from consilience.engine.votes_file import Batch, VotesWriter
from consilience.errors import ConsilienceError, InputError, UsageError
from consilience.formats.rows import Kind, Silence
from consilience.study.model import Respondents
from tests.engine.works import Count, Heavy, Recall

QUERIES, SYSTEMS, LISTED = 12, 4, 6


@pytest.fixture
def votes(tmp_path: Path) -> Votes:
    """Twelve queries, four systems, six of ten items each."""
    rng = np.random.default_rng(5)
    names = [f"q{number}" for number in range(QUERIES)]
    kind: Kind = "system"
    says_no: Silence = "no"
    called = tuple(f"s{number}" for number in range(SYSTEMS))
    who = Respondents(called, (kind,) * SYSTEMS, (None,) * SYSTEMS, (says_no,) * SYSTEMS)
    path = tmp_path / "votes.parquet"
    (items,) = Text.of([f"d{number}" for number in range(10)]).chunks
    with VotesWriter(path, names, who, ["rank"]) as writer:
        for query in range(QUERIES):
            picked = [rng.permutation(10)[:LISTED] for _ in range(SYSTEMS)]
            writer.write(
                Batch(
                    query,
                    np.array([SYSTEMS * LISTED]),
                    np.array([0, 10]),
                    items,
                    np.repeat(np.arange(SYSTEMS, dtype=np.int32), LISTED),
                    np.concatenate(picked),
                    {"rank": np.tile(np.arange(1, LISTED + 1), SYSTEMS)},
                )
            )
        index = writer.finish()
    return open_votes(path, index)


def one_by_one(votes: Votes) -> tuple[tuple[int, int], ...]:
    return tuple((low, low + 1) for low in range(len(votes.queries)))


@pytest.mark.parametrize("workers", [1, 3])
def test_parts_give_what_the_whole_gives(votes: Votes, workers: int) -> None:
    whole = Recall()(votes.study((0, QUERIES)))
    found = each(Task(votes, ((0, 5), (5, 6), (6, 12)), Recall()), workers=workers)
    np.testing.assert_allclose(np.hstack(found.found), whole, rtol=0, atol=1e-12)
    assert found.workers == workers


def test_ranges_hold_every_query_once(votes: Votes) -> None:
    for rows in (1, 24, 50, 100, 10_000):
        found = votes.ranges(rows)
        assert [q for low, high in found for q in range(low, high)] == list(range(QUERIES))


@pytest.mark.parametrize("how", ["kill", "memory"])
def test_what_was_finished_is_not_done_again(votes: Votes, tmp_path: Path, how: str) -> None:
    seen = tmp_path / "seen.txt"
    folder = tmp_path / "work"
    task = Task(votes, one_by_one(votes), Count("q9", how, str(seen)))
    said = "signal 9" if how == "kill" else "not enough memory"
    with pytest.raises(ConsilienceError, match=f"{said}.*the same command goes on"):
        each(task, workers=2, folder=folder)
    kept = len(list(folder.rglob("*.part")))
    assert kept >= 3
    began = len(seen.read_text(encoding="utf-8").splitlines())
    (mine,) = folder.iterdir()
    healed = Task(votes, task.ranges, Count(seen=str(seen)))
    mine.rename(folder / healed.key)  # the same work, but for what made it fail
    found = each(healed, workers=2, folder=folder)
    assert found.resumed == kept
    assert len(seen.read_text(encoding="utf-8").splitlines()) - began == QUERIES - kept
    assert [queries for queries, _ in found.found] == [(f"q{n}",) for n in range(QUERIES)]
    assert not list(folder.iterdir())


def test_a_damaged_part_is_done_again(votes: Votes, tmp_path: Path) -> None:
    task = Task(votes, one_by_one(votes), Count("q9", "memory"))
    with pytest.raises(ConsilienceError, match="not enough memory"):
        each(task, workers=1, folder=tmp_path)
    mine = tmp_path / task.key
    whole = (mine / "3.part").read_bytes()
    (mine / "3.part").write_bytes(whole[: len(whole) // 2])
    (mine / "4.part").write_bytes(whole[:-9] + b"\x80\x05]q.\0\0\0\0")  # still a pickle, of a list
    (mine / "5.part").write_bytes(b"")
    healed = Task(votes, task.ranges, Count())
    mine.rename(tmp_path / healed.key)
    found = each(healed, workers=1, folder=tmp_path)
    assert found.resumed == 6
    assert found.found == [((f"q{n}",), SYSTEMS * LISTED) for n in range(QUERIES)]


def test_nothing_is_left_where_nothing_was_finished(votes: Votes, tmp_path: Path) -> None:
    task = Task(votes, one_by_one(votes), Count("q0", "usage"))
    with pytest.raises(UsageError):
        each(task, workers=1, folder=tmp_path / "work")
    assert not list((tmp_path / "work").iterdir())


def test_a_worker_that_fails_says_why(
    votes: Votes, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    task = Task(votes, one_by_one(votes), Count("q1", "break"))
    with pytest.raises(ConsilienceError, match=r"exit code 1\) at part 2; it said why, above"):
        each(task, workers=2, folder=tmp_path)
    assert "ZeroDivisionError" in capfd.readouterr().err


def test_a_worker_is_not_interrupted_and_leaves_in_silence(votes: Votes, tmp_path: Path) -> None:
    """Ctrl-C reaches all processes of a terminal; the one that leads them ends the others."""
    worker = subprocess.Popen(
        [sys.executable, "-m", "consilience.engine.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert worker.stdin is not None
    assert worker.stdout is not None
    pickle.dump(Task(votes, one_by_one(votes), Recall(), tmp_path), worker.stdin)
    pickle.dump(0, worker.stdin)
    worker.stdin.flush()
    assert pickle.load(worker.stdout)[0] == "done"
    worker.send_signal(signal.SIGINT)
    worker.stdout.close()  # nobody hears it any more
    pickle.dump(1, worker.stdin)
    with suppress(BrokenPipeError):
        worker.stdin.close()
    assert worker.stderr is not None
    assert worker.stderr.read() == b""
    worker.stderr.close()
    assert worker.wait() == 0
    assert (tmp_path / "1.part").exists()


def test_workers_find_what_is_found_here_and_no_more(
    votes: Votes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "numpy.py").write_text("raise ImportError('not this one')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    assert len(each(Task(votes, one_by_one(votes), Recall()), workers=2).found) == QUERIES


def test_what_was_read_without_memory_is_not_called_damaged(
    votes: Votes, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    def full(*_: object, **__: object) -> None:
        raise pa.ArrowMemoryError("malloc of size 64 failed")

    monkeypatch.setattr(pq.ParquetFile, "read_row_groups", full)
    with pytest.raises(ConsilienceError, match="there is not enough memory for 1 queries"):
        each(Task(votes, one_by_one(votes), Count()), workers=1)


def test_parts_are_as_large_whatever_is_free_at_the_moment() -> None:
    sizes = {Way.of(megabytes * 10**6, 2).votes for megabytes in range(1000, 4000, 7)}
    assert sizes == {250_000, 500_000, 1_000_000, 2_000_000}


def test_errors_of_workers_are_those_of_the_whole(votes: Votes) -> None:
    task = Task(votes, one_by_one(votes), Count("q2", "usage"))
    with pytest.raises(UsageError, match=r"votes.parquet:3: the vote is wrong \(fix: mend it\)"):
        each(task, workers=2)


def test_other_work_is_told_apart(votes: Votes) -> None:
    keys = {
        Task(votes, one_by_one(votes), Count()).key,
        Task(votes, one_by_one(votes)[:3], Count()).key,
        Task(votes, one_by_one(votes), Count("q1", "kill")).key,
        Task(votes, one_by_one(votes), Recall()).key,
    }
    assert len(keys) == 4


def test_work_goes_on_where_nothing_can_be_kept(votes: Votes, tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file, no folder", encoding="utf-8")
    found = each(Task(votes, one_by_one(votes), Count()), workers=1, folder=blocked)
    assert len(found.found) == QUERIES


def test_forgotten_work_is_removed(
    votes: Votes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, thesis = (tmp_path / "work" / name for name in ("0" * 32, "thesis"))
    for folder in (old, thesis):
        folder.mkdir(parents=True)
    monkeypatch.setattr(opening, "FORGOTTEN", -1)
    each(Task(votes, one_by_one(votes), Count()), workers=1, folder=tmp_path / "work")
    assert not old.exists()
    assert thesis.exists()  # somebody else's


def test_a_reply_that_does_not_fit_is_said(votes: Votes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESTS_LEAD", str(os.getpid()))
    with pytest.raises(ConsilienceError, match="not enough memory for 1 queries"):
        each(Task(votes, one_by_one(votes), Heavy()), workers=2)


def test_a_damaged_file_is_said_to_be_damaged(votes: Votes) -> None:
    data = bytearray(votes.path.read_bytes())
    data[60:160] = bytes(100)
    votes.path.write_bytes(bytes(data))
    with pytest.raises(InputError, match=r"cannot be read.*convert the inputs anew"):
        votes.study((0, QUERIES))


def test_rows_that_were_changed_behind_the_index_are_found(votes: Votes) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(votes.path)
    turned = table.take(pa.array(range(len(table) - 1, -1, -1)))
    turned = turned.replace_schema_metadata(table.schema.metadata)
    pq.write_table(turned, votes.path, row_group_size=SYSTEMS * LISTED)
    with pytest.raises(InputError, match="its rows are not those that its index speaks of"):
        votes.study((0, QUERIES))
