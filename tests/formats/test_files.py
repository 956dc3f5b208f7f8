"""Files as people have them: packed, encoded, broken, missing, given twice."""

from __future__ import annotations

import gzip
import os
import random
import threading
from pathlib import Path
from typing import Any

import pytest

import consilience as cs
from consilience.errors import InputError, UsageError

read: Any = cs.read

RUN = "q1 Q0 d1 1 3.5 bm25\nq1 Q0 d2 2 2.5 bm25\nq2 Q0 d1 1 9 bm25\n"
CSV = "query,item,system,vote\nq1,dé,A,1\nq1,d2,A,0\n"


def problems(*args, **options) -> list[str]:
    """Read what cannot be read; give the lines of the error."""
    with pytest.raises(UsageError) as caught:
        read(*args, **options)
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    "content",
    [
        RUN,
        RUN.replace(" ", "\t"),
        RUN.replace(" ", " \t  "),
        RUN.replace("\n", "\r\n"),
        RUN.replace("\n", "\r"),
        RUN.replace("\n", "\n\n  \n"),
        RUN.rstrip("\n"),
        b"\xef\xbb\xbf" + RUN.encode(),
        RUN.encode("utf-16"),
        RUN.encode("utf-32"),
        gzip.compress(RUN.encode(), mtime=0),
        gzip.compress(RUN[:20].encode(), mtime=0) + gzip.compress(RUN[20:].encode(), mtime=0),
    ],
)
def test_a_run_means_the_same_however_it_is_written(write, content) -> None:
    study = read(write(content))
    assert study.systems == ("bm25",)
    assert study.queries == ("q1", "q2")
    assert study.items.names([0, 1, 2]) == ["d1", "d2", "d1"]
    assert study.answers.score.tolist() == [3.5, 2.5, 9]
    assert study.sources[0].recognised == "TREC run"


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        (CSV.encode("latin-1"), "latin-1"),
        (CSV.encode("utf-16"), None),
        (CSV.encode("utf-16-le"), "utf-16-le"),
        (b"\xef\xbb\xbf" + CSV.encode(), None),
        (b"\xef\xbb\xbf" + CSV.encode(), "latin-1"),  # the mark knows better
        (CSV.replace("\n", "\r\n").encode(), None),
        (CSV.replace("\n", "\r").encode(), None),
        (gzip.compress(CSV.encode("latin-1"), mtime=0), "cp1252"),
    ],
)
def test_tables_in_any_encoding(write, content, encoding) -> None:
    study = read(write(content), encoding=encoding)
    assert study.items.names([0, 1]) == ["dé", "d2"]


def test_every_line_that_cannot_be_decoded_is_named(write) -> None:
    path = write(("é one\n" * 3).encode("latin-1") + b"fine\n")
    lines = problems(path)
    assert [line.split(": ")[0] for line in lines] == [f"{path}:{n}" for n in (1, 2, 3)]
    assert "not valid UTF-8: byte 0xe9 at column 1" in lines[0]
    assert "--encoding latin-1" in lines[0]
    broken = write("a\nb\nc\n".encode("utf-16") + b"\x00\xd8")  # half a pair
    assert "not valid utf-16" in problems(broken)[0]


def test_decoding_and_cell_problems_come_together(write) -> None:
    path = write(b"item,system,vote\na,A,7\n\xe9,A,1\nb,A\nc,A,x\n", "x.csv")
    assert [line.split(": ")[0].rpartition(":")[2] for line in problems(path)] == list("2345")


@pytest.mark.parametrize(
    "content",
    [b"item\t\xffS1\tS2\na\t1\t0\n\t\tyes\n", b"\n\xffitem,S1\na,1\n", b"item,\xff\na,1\n"],
)
def test_a_header_that_cannot_be_decoded_is_named(write, content) -> None:
    for name in ("x.tsv", "x.csv", "x.txt"):
        (line,) = problems(write(content, name))
        number = 1 + content.startswith(b"\n")
        assert f"{name}:{number}: not valid UTF-8: byte 0xff" in line


def test_a_header_may_hold_the_replacement_character(write) -> None:
    assert read(write("item,\ufffdS\na,1\n", "x.csv")).systems == ("\ufffdS",)


@pytest.mark.parametrize("encoding", ["latn-1", "base64", "rot13", "undefined", "", "utf-99"])
def test_unknown_encodings_are_said(write, encoding) -> None:
    assert "unknown encoding" in problems(write(RUN), encoding=encoding)[0]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b" \n\t\r\n",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbf \n",
        "\n \n".encode("utf-16"),
        gzip.compress(b"", mtime=0),
        gzip.compress(b"\n\n", mtime=0),
    ],
)
def test_empty_files_are_said_to_be_empty(write, content) -> None:
    assert problems(write(content))[0].endswith(
        "the file is empty (fix: leave it out, or write it again)"
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG picture"),
        (b"PK\x03\x04" + bytes(30), "a zip archive"),
        (b"%PDF-1.7\n", "a PDF"),
        (b"\xfd7zXZ\0\0", "an xz archive"),
        (b"SQLite format 3\0" + bytes(30), "an SQLite database"),
        (random.Random(1).randbytes(5000), "this is a binary file"),
        (bytes(b for b in random.Random(2).randbytes(5000) if b), "this is a binary file"),
        (("item,v\n" * 99).encode("utf-16-le"), "--encoding utf-16-le"),
        (("item,v\n" * 99).encode("utf-16-be"), "--encoding utf-16-be"),
        (gzip.compress(RUN.encode() * 99, mtime=0)[:-9], "copy it or pack it again"),
        (gzip.compress(RUN.encode() * 99, mtime=0)[:15], "copy it or pack it again"),
        (b"\x1f\x8bnonsense", "cannot be read"),
        (b"PAR1" + b"x" * 40 + b"PAR1", "not readable as Parquet"),
        (b"PAR1", "not readable as Parquet"),
    ],
)
def test_what_is_not_text_is_named(write, content, said) -> None:
    (line,) = problems(write(content))
    assert said in line
    assert "fix: " in line


@pytest.mark.parametrize("place", [0, 5, 20_000])
def test_nul_bytes_early_and_late_are_found_with_their_lines(write, place) -> None:
    cases = {
        "run.txt": [f"q Q0 d{n} {n} {-n} t" for n in range(20_001)],
        "list.txt": [f"phrase {n}" for n in range(20_001)],
        "x.csv": ["item,system,score", *(f"d{n},A,{n}" for n in range(20_001))],
        "x.jsonl": [f'{{"item": "d{n}", "score": {n}}}' for n in range(20_001)],
    }
    for name, lines in cases.items():
        where = place + (name == "x.csv")
        lines[where] = lines[where].replace("d", "d\0").replace("p", "p\0")
        (line,) = problems(write("\n".join(lines), name))
        assert f"{name}:{where + 1}: holds a NUL byte" in line


def test_very_long_lines(write) -> None:
    (line,) = problems(write("x" * 10**6 + "\n" + "y" * 10**6 + "\n"))
    assert "does not look like a list: lines are longer than 400 characters" in line
    assert len(line) < 400
    study = read(write("item,system,vote\n" + "x" * 10**6 + ",A,1\n", "x.csv"))
    assert len(study.items.names([0])[0]) == 10**6
    header = ",".join(["item", *(f"system{n}" for n in range(5_000))])
    study = read(write(f"{header}\nd{',1' * 5_000}\n", "x.csv"))
    assert len(study.systems) == 5_000
    (line,) = problems(write("item,system,vote\na,A," + "7" * 10**6 + "\n", "x.csv"))
    assert len(line) < 400


def test_much_white_space_before_the_content(write) -> None:
    study = read(write("\n" * 200_000 + RUN))
    assert len(study.answers) == 3


def test_folders_globs_and_files_are_read_once_each(write, tmp_path: Path) -> None:
    write(RUN, "runs/a.run")
    write(RUN.replace("bm25", "tfidf"), "runs/b.run")
    write("not to be read", "runs/.hidden")
    (tmp_path / "runs" / "deeper").mkdir()
    folder = tmp_path / "runs"
    for paths in (folder, str(folder / "*.run"), [folder / "a.run", folder / "b.run"]):
        assert read(paths).systems == ("bm25", "tfidf")
    study = read([folder / "a.run", folder / "deeper" / ".." / "a.run", str(folder / "a*")])
    assert len(study.answers) == 3
    assert study.sources[0].notes == ("the file was named twice: read once",)
    assert read(str(folder / "**" / "a.run")).systems == ("bm25",)


def test_names_with_pattern_characters_are_files_first(write) -> None:
    assert read(write(RUN, "run[1].txt")).systems == ("bm25",)


def test_everything_missing_is_told_at_once(write, tmp_path: Path) -> None:
    write(RUN, "bm25.run")
    (tmp_path / "empty").mkdir()
    lines = problems(
        [tmp_path / "bm52.run", tmp_path / "empty", f"{tmp_path}/*.trec", ""],
        truth=tmp_path / "nowhere" / "qrels",
    )
    assert f"did you mean {tmp_path / 'bm25.run'}?" in lines[0]
    assert "the folder holds no files" in lines[1]
    assert "no file matches this pattern" in lines[2]
    assert "not the name of a file" in lines[3]
    assert "there is no such file" in lines[4]
    assert len(lines) == 5


def test_problems_of_systems_and_truth_come_together(write) -> None:
    run, qrels = write(RUN + "q Q0 d 1 x t\n", "a.run"), write("q 0 d x\nq 0 e 1\n", "qrels")
    lines = problems(run, truth=qrels)
    assert [line.partition(": ")[0] for line in lines] == [f"{run}:4", f"{qrels}:1"]


def test_thousands_of_problems_are_counted(write) -> None:
    rows = "".join(f"a,A,{number}\n" for number in range(7, 12_352))
    path = write(f"item,system,vote\n{rows}", "x.csv")
    with pytest.raises(InputError) as caught:
        read(path)
    lines = str(caught.value).splitlines()
    assert len(lines) == 21
    assert lines[-1] == "… 12345 problems in all, the first 20 are shown"
    assert caught.value.total == 12_345
    assert [problem.line for problem in caught.value.problems[:20]] == list(range(2, 22))


def test_a_problem_of_every_line_is_said_three_times(write) -> None:
    path = write("item,system,vote\n" + "a,A,7\n" * 12_345, "x.csv")
    other = write("item,system,vote\nb,A,8\nb,A,9\n", "y.csv")
    with pytest.raises(InputError) as caught:
        read([path, other])
    lines = str(caught.value).splitlines()
    assert [line.split(": ")[0] for line in lines[:-1]] == [
        *(f"{path}:{line}" for line in (2, 3, 4)),
        *(f"{other}:{line}" for line in (2, 3)),
    ]
    assert lines[-1] == "… 12347 problems in all, the first 5 are shown"
    assert len(caught.value.problems) == 22


def test_files_that_the_system_refuses_to_read_are_named() -> None:
    (said,) = problems(Path("/proc/self/mem"))
    assert said.startswith("/proc/self/mem: cannot be read: Input/output error")
    assert "fix: check the file and its rights" in said


@pytest.mark.parametrize(
    "content", [RUN.encode(), gzip.compress(RUN.encode(), mtime=0), CSV.encode()]
)
def test_pipes_are_read_once(tmp_path: Path, content: bytes) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(content), daemon=True)
    writer.start()
    assert len(read(pipe).answers) >= 2
    writer.join(5)


@pytest.mark.parametrize("repeats", [99, 9_999])  # found in its beginning, and behind it
def test_a_packed_pipe_that_breaks_off_is_named(tmp_path: Path, repeats: int) -> None:
    packed = gzip.compress(RUN.encode() * repeats, mtime=0)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(packed[:-4]), daemon=True)
    writer.start()
    (line,) = problems(pipe)
    assert "cannot be read: " in line
    assert "fix: copy it or pack it again" in line
    writer.join(5)


@pytest.mark.parametrize("wrong", [5, None, b"bytes", {"a": 1}, [1, 2]])
def test_what_is_no_file_name_is_said(wrong) -> None:
    with pytest.raises(UsageError, match="is not the name of a file"):
        read(wrong)


def test_all_problems_of_a_run_come_together(write) -> None:
    path = write(RUN.encode() + b"q3 Q0 d\xe9 1 1 t\nq3 Q0 d1 x 1 t\nq3 Q0 d\0 1 1 t\nq3\n")
    assert [line.partition(": ")[0] for line in problems(path)] == [
        f"{path}:{number}" for number in (4, 5, 6, 7)
    ]
