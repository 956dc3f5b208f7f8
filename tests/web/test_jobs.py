"""Background work: done once, told how far it is, stopped at once, and never silent."""

from __future__ import annotations

import io
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from consilience.errors import ConsilienceError, UsageError
from consilience.store.connect import open_database
from consilience.store.projects import Project, make_project
from consilience.store.sources import add_files
from consilience.web import jobs as work
from consilience.web import verbs, worker
from consilience.web.jobs import GONE, Jobs

#: Enough to be at work for seconds.
LONG = {"samples": 1_000_000, "measures": ["AP", "nDCG@10", "P@10"], "seed": 1}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Jobs, Project]]:
    import consilience as cs

    db = open_database(tmp_path_factory.mktemp("jobs") / "study.db")
    project = make_project(db, "keyphrases")
    truth = [str(cs.example("keyphrases-gold.csv"))]
    add_files(db, project, [str(cs.example("keyphrases.csv"))], truth=truth)
    jobs = Jobs(db)
    from consilience.store.projects import project as fetched

    yield jobs, fetched(db, project.slug)
    jobs.close()
    db.close()


def until_running(job: object, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and getattr(job, "state", "") == "waiting":
        time.sleep(0.01)


def test_a_job_is_done_once_and_leaves_its_result(place: tuple[Jobs, Project]) -> None:
    jobs, project = place
    job = jobs.start(project, "rank", {"samples": 200})
    assert jobs.start(project, "rank", {"samples": 200}) is job
    assert job.ended.wait(60)
    assert (job.state, job.message) == ("done", None)
    assert str(job.result).startswith("rank-")


def test_an_error_is_told_in_the_librarys_words(place: tuple[Jobs, Project]) -> None:
    jobs, project = place
    job = jobs.start(project, "rank", {"measures": ["nDGC@10"]})
    assert job.ended.wait(60)
    assert job.state == "failed"
    assert "did you mean" in (job.message or "")
    assert jobs.start(project, "rank", {"measures": ["nDGC@10"]}) is job, "it would fail again"


@pytest.mark.parametrize(
    ("error", "anew"), [(UsageError, False), (ConsilienceError, True), (MemoryError, True)]
)
def test_what_may_go_well_another_time_is_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception], anew: bool
) -> None:
    def fails(*_: object) -> None:
        raise error("another program has been writing for 30 seconds (fix: try again)")

    db = open_database(tmp_path / "a.db")
    project = make_project(db, "busy")
    monkeypatch.setitem(verbs.VERBS, "rank", fails)
    asked = {"verb": "rank", "project": project.slug, "settings": {}}
    told = worker.done(db, asked, io.BytesIO())
    monkeypatch.setattr(Jobs, "_asked", lambda *_: "no process")
    monkeypatch.setattr(work, "_heard", lambda _: told)
    jobs = Jobs(db)
    first = jobs.start(project, "rank", {})
    assert first.ended.wait(10)
    assert (jobs.start(project, "rank", {}) is not first) == anew
    jobs.close()
    db.close()


def test_a_job_can_be_stopped_and_the_next_one_begins(place: tuple[Jobs, Project]) -> None:
    jobs, project = place
    job, waiting = (jobs.start(project, "rank", LONG | {"seed": seed}) for seed in (2, 3))
    until_running(job)
    jobs.cancel(waiting)
    assert waiting.state == "cancelled"
    time.sleep(0.5)
    begun = time.monotonic()
    jobs.cancel(job)
    assert job.state == "cancelled"
    assert time.monotonic() - begun < 5
    after = jobs.start(project, "rank", {"samples": 300})
    assert after.ended.wait(60)
    assert after.state == "done"


def test_a_process_that_dies_is_told_and_replaced(place: tuple[Jobs, Project]) -> None:
    jobs, project = place
    job = jobs.start(project, "rank", LONG | {"seed": 4})
    until_running(job)
    assert jobs._process is not None
    os.kill(jobs._process.pid, signal.SIGKILL)
    assert job.ended.wait(60)
    assert (job.state, job.message) == ("failed", GONE)
    again = jobs.start(project, "rank", {"samples": 400})
    assert again.ended.wait(60)
    assert again.state == "done"


def test_the_process_ends_with_the_app(tmp_path: Path) -> None:
    db = open_database(tmp_path / "a.db")
    jobs = Jobs(db)
    job = jobs.start(make_project(db, "empty"), "rank", {})
    assert job.ended.wait(60)
    assert job.state == "failed"
    process = jobs._process
    assert process is not None
    first_to_go = Path(f"/proc/{process.pid}/oom_score_adj")
    assert not first_to_go.exists() or first_to_go.read_text() == "1000\n"
    jobs.close()
    assert process.poll() is not None
    assert not jobs._jobs[1].told()["result"]
    db.close()


def test_the_same_question_waits_once_whatever_the_state(place: tuple[Jobs, Project]) -> None:
    jobs, project = place
    busy = jobs.start(project, "rank", LONG | {"seed": 5})
    until_running(busy)
    states = [replace(project, version=project.version + more) for more in (1, 2, 3)]
    asked = [jobs.start(state, "rank", {"samples": 500}) for state in states]
    assert len({job.id for job in asked}) == 1
    assert jobs.start(states[-1], "rank", {"samples": 500}) is asked[0]
    jobs.cancel(busy)
    assert asked[0].ended.wait(60)
    assert asked[0].state == "done"


def test_a_process_that_cannot_be_started_is_told_and_tried_again(
    place: tuple[Jobs, Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs, project = place

    def full(*_: object, **__: object) -> object:
        raise OSError(11, "Resource temporarily unavailable")

    jobs._stop_process()
    with monkeypatch.context() as patched:
        patched.setattr("consilience.web.jobs.subprocess.Popen", full)
        job = jobs.start(project, "rank", {"samples": 600})
        assert job.ended.wait(60)
    assert (job.state, "temporarily" in (job.message or "")) == ("failed", True)
    again = jobs.start(project, "rank", {"samples": 600})
    assert again.ended.wait(60)
    assert again.state == "done"
