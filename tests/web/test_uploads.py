"""What comes in is limited, is seen by nobody else, and goes again."""

from __future__ import annotations

import gzip
import io
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from consilience.store.connect import open_database
from consilience.store.projects import make_project
from consilience.web import jobs
from consilience.web.jobs import Jobs
from tests.web.served import PROGRAM, Served, serving
from tests.web.worlds import DOT

#: The most bytes that the app takes here.
MOST = 1_000_000
LINES = b"item,S1\n" + b"".join(b"%d,1\n" % number for number in range(1000))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An app that takes little."""
    with serving(tmp_path_factory.mktemp("small") / "study.db", upload=MOST) as served:
        yield served


@pytest.fixture
def here(small: Served) -> str:
    return f"{small.url}/p/{make_project(small.db, 'p').slug}/upload"


def left(served: Served) -> list[Path]:
    """What is still there of what came in."""
    assert served.db.files is not None
    return [*served.db.files.glob(".consilience-upload-*")]


def repeated(rows: int) -> bytes:
    """A table of one value, which takes next to no room."""
    sink = io.BytesIO()
    table = pa.table({"item": pa.array(np.zeros(rows, np.int8)), "S1": np.ones(rows, np.int8)})
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue()


@pytest.mark.parametrize("name", ["zeros.csv.gz", "lines.csv.gz", "same.parquet"])
def test_what_is_packed_counts_unpacked(small: Served, here: str, name: str) -> None:
    made = {
        "zeros.csv.gz": gzip.compress(LINES + b"0" * 2 * MOST),
        "lines.csv.gz": gzip.compress(LINES) * 200,
        "same.parquet": repeated(MOST),
    }
    assert len(made[name]) < MOST
    sent = [("files", ("a.csv", LINES)), ("files", (name, made[name]))]
    answer = httpx.post(here, files=sent, headers=PROGRAM, timeout=60)
    assert answer.status_code == 422
    assert f"{name}: unpacked, this is more than 1,000,000 bytes" in answer.json()["error"]
    assert not left(small)


def test_packed_files_that_are_not_too_large_are_read(small: Served, here: str) -> None:
    sent = [("files", ("a.csv.gz", gzip.compress(LINES)))]
    answer = httpx.post(here, files=sent, headers=PROGRAM, timeout=60)
    assert answer.status_code == 200, answer.text
    assert small.jobs.find(answer.json()["job"]["id"]).ended.wait(60)
    assert not left(small)


def test_a_small_file_does_not_fill_the_memory_of_the_page_soft_match(app: Served) -> None:
    bomb = gzip.compress(b"cafe\n" * 4_000_000)
    for file in ({"gold_file": ("gold.txt.gz", bomb)}, {"gold_file": ("g.csv", repeated(10**7))}):
        answer = httpx.post(f"{app.url}/soft.json", files=file, headers=PROGRAM, timeout=60)
        assert answer.status_code == 422
        assert "unpacked" in answer.json()["error"]
    assert not left(app)


def test_what_is_refused_leaves_nothing(
    small: Served, here: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = [("files", ("a.csv", LINES)), ("files", ("x" * 300, LINES))]
    assert httpx.post(here, files=sent, headers=PROGRAM).status_code == 422
    assert not left(small)
    monkeypatch.setattr(jobs, "MOST", 0)
    answer = httpx.post(here, files=sent[:1], headers=PROGRAM)
    assert answer.status_code == 409
    assert "too much" in answer.json()["error"]
    assert not left(small)


def test_what_a_killed_app_left_goes_when_the_next_one_starts(tmp_path: Path) -> None:
    files = tmp_path / "study.db.files"
    for name in (".consilience-upload-old", ".consilience-made-old", ".consilience-upload-new"):
        (files / name).mkdir(parents=True)
        (files / name / "0000").write_bytes(b"x")
    (files / "upload-mine").mkdir()
    for path in files.iterdir():
        if not path.name.endswith("new"):
            os.utime(path, (time.time() - 10**6,) * 2)
    with serving(tmp_path / "study.db"):
        assert {path.name for path in files.iterdir()} == {".consilience-upload-new", "upload-mine"}


def test_files_are_for_their_owner(tmp_path: Path) -> None:
    with serving(tmp_path / "study.db") as served:
        slug = make_project(served.db, "p").slug
        sent = [("files", ("dot.png", DOT))]
        answer = httpx.post(
            f"{served.url}/p/{slug}/upload", files=sent, data={"role": "content"}, headers=PROGRAM
        )
        assert served.jobs.find(answer.json()["job"]["id"]).ended.wait(60)
        rights = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert rights.pop("study.db.files") == 0o700
    assert {"study.db", "study.db-wal"} <= {*rights}
    assert {*rights.values()} == {0o600}


def test_modules_that_lie_about_are_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The app is started where data lie, and somebody else may have made these."""
    monkeypatch.chdir(tmp_path)
    for name in ("json", "traceback", "sqlalchemy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('hijacked')")
    db = open_database(tmp_path / "study.db")
    work = Jobs(db)
    job = work.start(make_project(db, "empty"), "check", {})
    assert job.ended.wait(60)
    work.close()
    db.close()
    assert job.message is not None
    assert job.message != jobs.GONE


def test_fields_that_nobody_reads_are_refused(client: httpx.Client, make_project: Any) -> None:
    """A truth that was sent with another word for it went in as a system's answers."""
    slug = make_project("Fields", {"s.csv": b"item,s1\nx,1\ny,0\n"})
    here, sent = f"/p/{slug}/upload", {"files": ("t.csv", b"item,judge\nx,1\ny,0\n")}
    for name in ("kind", "truth", "Role"):
        ran = client.post(here, files=sent, data={name: "truth"})
        assert ran.status_code == 422
        assert f"unknown field '{name}' (fix: role (answers, truth, content)" in ran.json()["error"]
    ran = client.post(f"{here}?role=truth", files=sent)
    assert (ran.status_code, "send it as a field" in ran.json()["error"]) == (422, True)
    assert len(client.get(f"/p/{slug}/overview.json").json()["sources"]) == 1
    client.post(here, files=sent, data={"role": "truth", "csrf": "x"}).raise_for_status()
