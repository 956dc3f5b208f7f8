"""Pipes, FIFOs and standard input in every verb: read once, given to every reader."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import consilience as cs
from consilience.cli import VERBS, group
from consilience.cli.paths import Input
from consilience.errors import InputError
from consilience.formats import files, pipes
from tests.cli.command import Ran, consilience
from tests.cli.test_outputs import CONTEXT, DOCS

#: For every verb that reads files, a command; words with a slash in front are read.
LINES = {
    "check": "/runs/bm25.run --truth /qrels.txt --json",
    "rank": "/runs/bm25.run /runs/dense.run --truth /qrels.txt --families /families.csv --json",
    "correlate": "/rankings/people.csv /rankings/judge.csv --measure nDCG@10 --json",
    "next": "/labelling/votes.csv --truth /labelling/labels-1.csv "
    "--families /labelling/families.csv --budget 5 --json",
    "belief": "/runs/bm25.run /runs/dense.run --families /families.csv --json",
    "distributions": "/runs/bm25.run /runs/dense.run --truth /judges.csv --json",
    "tree": "--tree /pictures/tree.csv --assignments /pictures/assignments.csv "
    "--results /pictures/results.csv --json",
    "curve": "/airplanes.csv --json",
    "displacement": "/runs/bm25.run --subjects /judges.csv --json",
    "soft": "/meeting/gold.rttm /meeting/mine.rttm --region /meeting/scored.uem --json",
    "align": "/readings/quick.txt /readings/old.txt --truth /readings/typed.txt --json",
    "agree": "/labels.csv --tree /pictures.csv --json",
    "convert": "/runs/bm25.run /runs/dense.run out.parquet --json",
    "export": "/stored.json -f json",
    "unpack": "/search.zip new.db --json",
}
#: Verbs whose inputs are no files, or that serve until they are stopped.
OTHERS = {"serve", "pack", "reproduce", "demo", "label"}


def test_every_verb_is_here() -> None:
    assert {*LINES} | OTHERS == {*VERBS}
    for verb, words in LINES.items():
        command = group.get_command(CONTEXT, verb)
        assert command is not None
        taken = {max(p.opts, key=len) for p in command.params if isinstance(p.type, Input)}
        named = {word for word in words.split() if word.startswith("--")}
        optional = {one for one in taken if one.startswith("--")} - {"--benchmark", "--similarity"}
        lacking = optional - named - {"--truth", "--families"}
        assert not lacking, (verb, lacking)


@contextmanager
def sent(path: Path) -> Iterator[str]:
    """Send a file through a pipe; its name is that of the end to read from."""
    read, write = os.pipe()

    def send() -> None:
        with open(write, "wb") as stream:
            stream.write(path.read_bytes())

    sender = threading.Thread(target=send)
    sender.start()
    try:
        yield f"/dev/fd/{read}"
    finally:
        os.close(read)
        sender.join(timeout=30)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONSILIENCE_RESULTS", str(tmp_path / "results"))
    stored = consilience("curve", DOCS / "airplanes.csv", "--json", "--no-save")
    (tmp_path / "stored.json").write_text(stored.out)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def real(word: str, place: Path) -> Path:
    mine = place / word[1:]
    return mine if mine.exists() else DOCS / word[1:]


def facts(ran: Ran) -> Any:
    """What was found, whenever that was."""
    assert ran.code == 0, ran
    found = json.loads(ran.out)
    return {name: one for name, one in found.items() if name not in ("created", "seconds")}


def _places(words: str) -> list[int]:
    return [place for place, word in enumerate(words.split()) if word.startswith("/")]


@pytest.mark.parametrize(
    ("verb", "number"), [(verb, n) for verb, words in LINES.items() for n in _places(words)]
)
def test_any_input_of_any_verb_may_be_a_pipe(verb: str, number: int, place: Path) -> None:
    words = LINES[verb].split()
    args = [str(real(word, place)) if word.startswith("/") else word for word in words]
    source = Path(args[number])
    shutil.copy(source, "pipe-1")  # the same, as a file of that name
    args[number] = "pipe-1"
    wanted = facts(consilience(verb, *args))
    for made in ("out.parquet", "new.db", "pipe-1"):
        Path(made).unlink(missing_ok=True)
    with sent(source) as args[number]:
        ran = consilience(verb, *args)
    assert facts(ran) == wanted
    assert "consilience-pipes" not in ran.err


def test_pipes_are_named_by_tags_or_numbers(tmp_path: Path) -> None:
    with sent(DOCS / "runs" / "bm25.run") as run, sent(DOCS / "qrels.txt") as truth:
        ran = consilience("rank", run, "--truth", truth, "--json", "--no-save")
    assert [one["name"] for one in ran.json()["systems"]] == ["bm25"]
    assert [one["file"] for one in ran.json()["inputs"]] == ["pipe-1", "pipe-2"]
    votes = tmp_path / "votes.csv"
    votes.write_text("query,item,score\nq,a,3\nq,b,2\n")
    with sent(votes) as first, sent(votes) as second:
        ran = consilience("rank", first, second, "--json", "--no-save")
    assert sorted(one["name"] for one in ran.json()["systems"]) == ["pipe-1", "pipe-2"]


def shell(line: str, stdin: bytes = b"", cwd: Path = DOCS) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", line.replace("consilience", f"{sys.executable} -m consilience")],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        timeout=120,
        check=False,
    )


def test_substitutions_of_the_shell_work() -> None:
    done = shell(
        "consilience rank <(cat runs/bm25.run) <(gzip -c runs/dense.run) --truth <(cat qrels.txt) "
        "--json --no-save"
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    plain = consilience(
        *("rank", DOCS / "runs/bm25.run", DOCS / "runs/dense.run"),
        *("--truth", DOCS / "qrels.txt", "--json", "--no-save"),
    ).json()
    assert found["systems"] == plain["systems"]


@pytest.mark.parametrize("engine", ["memory", "duckdb", "auto"])
def test_engines_take_pipes(engine: str) -> None:
    votes = DOCS / "labelling" / "votes.csv"
    done = shell(f"cat {votes} | consilience rank - --engine {engine} --json --no-save")
    assert done.returncode == 0, done.stderr
    plain = consilience("rank", votes, "--engine", engine, "--json", "--no-save").json()
    assert json.loads(done.stdout)["systems"] == plain["systems"]
    assert json.loads(done.stdout)["inputs"][0]["file"] == "stdin"


def test_the_truth_may_be_standard_input() -> None:
    done = shell("consilience rank runs/ --truth - --json --no-save < qrels.txt")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["condition"] != "absent"


def test_one_writer_may_feed_several_fifos(tmp_path: Path) -> None:
    # a writer that opens both, as tee does, waits until both are read
    for name in ("bm25.run", "truth"):
        os.mkfifo(tmp_path / name)
    feed = (
        f"(cat {DOCS}/runs/bm25.run; exec 5> truth; cat {DOCS}/qrels.txt >&5) > bm25.run & "
        "consilience rank bm25.run --truth truth --json --no-save; wait"
    )
    done = shell(feed, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [one["file"] for one in json.loads(done.stdout)["inputs"]] == ["bm25.run", "truth"]


def test_one_writer_may_open_fifos_in_any_order(tmp_path: Path) -> None:
    for name in ("a.run", "b.run"):
        os.mkfifo(tmp_path / name)
    done = shell(
        f"tee b.run < {DOCS}/runs/bm25.run > a.run & "
        "consilience rank b.run a.run --duplicates first --json --no-save; wait",
        cwd=tmp_path,
    )
    assert b"Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr


def test_standard_input_is_read_once() -> None:
    done = shell("consilience rank - --truth - < qrels.txt")
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: standard input is named twice (- and --truth -)")


def test_a_terminal_is_not_waited_for() -> None:
    import pty

    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "consilience", "rank", "-"],
        stdin=theirs,
        capture_output=True,
        timeout=60,
        check=False,
    )
    os.close(ours)
    os.close(theirs)
    assert done.returncode == 2
    assert done.stderr.startswith(b"error: stdin: standard input is the terminal")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("consilience rank /dev/zero", "/dev/zero: this is a device, not a file"),
        ("consilience rank /dev/urandom", "/dev/urandom: this is a device, not a file"),
        ("consilience check /dev/zero", "/dev/zero: this is a device, not a file"),
        ("consilience rank runs/ --truth /dev/zero", "/dev/zero: this is a device"),
        ("consilience rank - < /dev/zero", "stdin: this is a binary file, not text"),
        ("cat /dev/urandom | consilience rank -", "stdin: this is a binary file, not text"),
        ("consilience rank <(cat /dev/zero)", "pipe-1: this is a binary file, not text"),
        ("consilience rank - --encoding latin-1 < /dev/zero", "stdin: this is a binary file"),
        ("consilience rank /dev/null", "/dev/null: the file is empty"),
        ("consilience pack - < search.zip", "-: a database is a file on a disk"),
        ("consilience unpack - new.db < qrels.txt", "stdin: this is no .zip that can be read"),
    ],
)
def test_what_never_ends_is_refused(line: str, said: str, tmp_path: Path) -> None:
    for name in ("qrels.txt", "search.zip"):
        shutil.copy(DOCS / name, tmp_path)
    shutil.copytree(DOCS / "runs", tmp_path / "runs")
    done = shell(line, cwd=tmp_path)
    assert done.returncode == 2, done
    assert done.stderr.decode().startswith(f"error: {said}"), done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_more_than_can_be_kept_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipes, "LIMIT", 3 * 10**6)
    source = subprocess.Popen(["yes", "q1 Q0 d1 1 1.0 tag"], stdout=subprocess.PIPE)
    assert source.stdout is not None
    try:
        ran = consilience("rank", f"/dev/fd/{source.stdout.fileno()}")
    finally:
        source.stdout.close()
        source.wait(timeout=30)
    assert ran.code == 2
    assert ran.err == (
        "error: pipe-1: more than 0.003 GB came through this pipe (fix: write it into a file, and "
        "name that)\n"
    )


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    done = shell("cat votes.csv | consilience rank - --no-save")
    assert done.returncode == 0, done.stderr
    done = shell("cat votes.csv | consilience rank - /dev/zero --no-save")
    assert done.returncode == 2
    assert not [*tmp_path.glob("consilience-pipes*")]


def test_python_reads_pipes_too(tmp_path: Path) -> None:
    with sent(DOCS / "runs" / "bm25.run") as run, sent(DOCS / "runs" / "dense.run") as other:
        assert cs.read([run, other]).systems == ("bm25", "dense")
    with sent(DOCS / "runs" / "bm25.run") as run:
        made = cs.convert(run, tmp_path / "votes.parquet")
    assert made.index.rows == 120
    votes = DOCS / "labelling" / "votes.csv"
    plain = cs.rank_tables(votes, engine="duckdb").payload()["systems"]
    with sent(votes) as pipe:
        assert cs.rank_tables(pipe, engine="duckdb").payload()["systems"] == plain


def test_a_link_to_nothing_is_called_so(tmp_path: Path) -> None:
    link = tmp_path / "bm25.run"
    link.symlink_to("gone.run")
    for named in (link, tmp_path, tmp_path / "*.run"):
        ran = consilience("rank", named)
        assert ran.code == 2
        assert f"{link}: the link points to nothing: 'gone.run'" in ran.err


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_LARGE", 1 << 24)
    bomb = tmp_path / "bomb.run.gz"
    with gzip.open(bomb, "wb") as stream:
        for _ in range(64):
            stream.write(b"q1 Q0 d1 1 1.0 tag\n" * 50_000)
    seen: list[int] = []
    whole = gzip.GzipFile.readinto

    def count(self: gzip.GzipFile, buffer: Any) -> int:
        seen.append(whole(self, buffer))
        return seen[-1]

    monkeypatch.setattr(gzip.GzipFile, "readinto", count)
    with pytest.raises(InputError, match="it unpacks into more than 250 times its size"):
        cs.read(bomb)
    assert sum(seen) < 1 << 26


def test_packed_text_is_read_as_ever(tmp_path: Path) -> None:
    packed = tmp_path / "bm25.run.gz"
    packed.write_bytes(gzip.compress((DOCS / "runs" / "bm25.run").read_bytes()))
    assert cs.read(packed).systems == ("bm25",)
    with files.look(packed).open() as stream:
        data = stream.read()
        assert stream.seek(10) == 10
        assert stream.read(5) == data[10:15]
