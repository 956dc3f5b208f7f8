"""Files of segments: told by their content, read losslessly, mistakes named with their lines."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import consilience as cs
from consilience.errors import InputError, UsageError
from consilience.formats import read_files
from consilience.formats.regions import read_uem, region_of
from consilience.formats.segment_text import Segment, as_text, columns_of
from consilience.formats.shapes import kind_of_form
from tests.formats.conftest import Write

DATA = Path(__file__).parents[1] / "data"
RTTM = """;; made by hand
SPKR-INFO a 1 <NA> <NA> <NA> unknown Ann <NA> <NA>
SPEAKER a 1 106.183 0.625 <NA> <NA> MEE071 <NA> <NA>
SPEAKER b 1 0.1 0.2 <NA> <NA> MEE073 <NA>
"""


def _read(path: Path) -> tuple[str, list[tuple[str, str]]]:
    (rows,) = read_files([path])
    queries = [rows.query.names[code] for code in rows.query.code]
    return rows.source.recognised, [*zip(queries, rows.item.take(range(len(rows))), strict=True)]


def test_rttm(write: Write) -> None:
    (rows,) = read_files([write(RTTM, "sys.rttm")])
    form, items = _read(write(RTTM, "sys.rttm"))
    assert (form, kind_of_form(form)) == ("RTTM", "segments")
    assert items == [("a", "106.183 106.808 MEE071"), ("b", "0.1 0.3 MEE073")]
    assert rows.respondent.names == ("sys",)
    assert rows.source.notes == ("1 line is of another type than SPEAKER: not read",)
    assert rows.place(1) == 4


def test_packed(write: Write) -> None:
    (rows,) = read_files([write(gzip.compress(RTTM.encode(), mtime=0), "sys.rttm.gz")])
    assert (rows.respondent.names, len(rows)) == (("sys",), 2)


@pytest.mark.parametrize(
    ("content", "name", "form", "items"),
    [
        (
            "0.5\t1.25\tdoor slam\n\\\t100\t200\n2\t3\t\n",
            "labels.txt",
            "label file",
            [("all", "0.5 1.25 door slam"), ("all", "2.0 3.0")],
        ),
        ("0.000 2.612 N\n2.612 4.5 E:min\n", "x.lab", "label file", None),
        (
            "0.0\tSilence\n0.4\tIntro\n16.2\tEnd",
            "song.txt",
            "boundaries",
            [("all", "0.0 0.4 Silence"), ("all", "0.4 16.2 Intro")],
        ),
        (
            "0.0\tIntro\n16.2\tEnd\n16.2\tSilence\n",
            "song.txt",
            "boundaries",
            [("all", "0.0 16.2 Intro")],
        ),
        (
            "filename\tonset\toffset\tevent_label\na.wav\t0.000\t9.971\tVacuum_cleaner\nb.wav\t\t\t\n",
            "dcase.tsv",
            "event table",
            [("a.wav", "0.0 9.971 Vacuum_cleaner")],
        ),
        (
            "start,duration,speaker\n0.1,0.2,Ann\n",
            "t.csv",
            "event table",
            [("all", "0.1 0.3 Ann")],
        ),
        (
            "document;start;end;class\nd1;1;2;x\n",
            "t.csv",
            "event table",
            [("d1", "1.0 2.0 x")],
        ),
    ],
)
def test_forms(
    write: Write, content: str, name: str, form: str, items: list[tuple[str, str]] | None
) -> None:
    found, read = _read(write(content, name))
    assert found == form
    assert items is None or read == items


def test_a_label_at_the_end_is_no_segment(write: Write) -> None:
    (rows,) = read_files([write("0.0\tIntro\n16.2\tEnd\n16.2\tSilence\n", "song.txt")])
    assert rows.source.notes == ("1 label at the end lasts no time: not read",)
    with pytest.raises(InputError, match="a line stands after End"):
        read_files([write("0.5\ta\n1.0\tEnd\n1.0\tb\n1.5\tc\n1.5\tEnd\n", "song.txt")])


def test_columns_for_who_and_how_sure(write: Write) -> None:
    text = "system,file,onset,offset,label,score,note\nA,f,0,1,x,0.5,\nB,f,0,2,x,,odd\nB,g,,,,,\n"
    (rows,) = read_files([write(text, "t.csv")])
    assert rows.respondent.names == ("A", "B")
    assert rows.score is not None
    assert rows.score[0] == 0.5
    assert rows.source.notes == ("columns not used: note",)
    assert ("B", "g") in rows.asked  # a recording in which nothing happens was answered
    study = cs.read(write(text, "t.csv"))
    assert study.queries == ("f", "g")


@pytest.mark.parametrize(
    ("content", "name", "form"),
    [
        ("query,item,start,end,vote\nq,d1,1,2,1\n", "t.csv", "CSV"),  # an item column: a table
        ("id,start,end,vote\nx,1,2,0\n", "t.csv", "CSV"),
        ("SPEAKER Q0 d1 1 2.5 tag\nSPEAKER Q0 d2 2 1.5 tag\n", "x.run", "TREC run"),
        ("q1 0 d1 1\nq1 0 d2 0\n", "x.qrels", "TREC qrels"),
        ("rec 1 0.0 12\nrec 1 20.0 30\n", "x.txt", "TREC qrels"),
        ("first item\nsecond item\n", "x.txt", "list"),
        ("item,label\na,1\n", "t.csv", "CSV"),
    ],
)
def test_other_files_stay_what_they_were(write: Write, content: str, name: str, form: str) -> None:
    (rows, *_) = read_files([write(content, name)])
    assert rows.source.recognised.startswith(form)


@pytest.mark.parametrize(
    ("content", "line", "what"),
    [
        (RTTM + "SPEAKER c 1 x 0.2 <NA> <NA> A <NA>\n", 5, "start must be a number, found 'x'"),
        (RTTM + "SPEAKER c 1 1 -2 <NA> <NA> A <NA>\n", 5, "duration is negative"),
        (RTTM + "SPEAKER c 1 1\n", 5, "expected at least 8 fields"),
        (RTTM + "SPEKER c 1 1 2 <NA> <NA> A <NA>\n", 5, "unknown type 'SPEKER'"),
        (RTTM + "SPEAKER c 1 1 inf <NA> <NA> A <NA>\n", 5, "duration must be a number"),
        (RTTM + "SPEAKER c 1 -1 2 <NA> <NA> A <NA>\n", 5, "starts at -1, before the recording"),
        ("1.0\t2.0\ta\n2.5\t3.5\tb\n5.0\t4.0\tc\n", 3, "ends at 4 before it starts at 5"),
        ("1.0\t2.0\ta\n2.5\t3.5\tb\nx\t4.0\tc\n", 3, "expected start, end and label"),
        ("onset,offset,label\n1,2,a\n3,nan,b\n", 3, "end must be a number, found 'nan'"),
        ("onset,offset,label\n1,2,a\n3,1,b\n", 3, "ends at 1 before it starts at 3"),
        ("onset,duration\n1,2\n3,-1\n", 3, "duration is negative"),
        ("onset,offset,score\n1,2,a\n", 2, "score must be a number, found 'a'"),
    ],
)
def test_mistakes_have_lines(write: Write, content: str, line: int, what: str) -> None:
    with pytest.raises(InputError) as caught:
        read_files([write(content, "x.txt" if "\t" in content or "SPE" in content else "x.csv")])
    (problem,) = caught.value.problems
    assert problem.line == line
    assert what in problem.found
    assert problem.fix


def test_text_is_lossless() -> None:
    values = [(0.1, 0.30000000000000004, "a b"), (1e-17, 12345678.123456789, "")]
    read = columns_of([as_text(*one) for one in values])
    assert [*zip(read.start, read.end, strict=True)] == [one[:2] for one in values]
    assert [read.names[code] for code in read.label] == ["a b", ""]


@pytest.mark.parametrize("item", ["1", "a b c", (1,), (1, 2, 3, 4), None, 5, "3 2 x", "0 inf x"])
def test_no_segment(item: object) -> None:
    with pytest.raises(UsageError, match="fix: "):
        columns_of([Segment(0, 1), item])


def test_uem(write: Write) -> None:
    path = write(";; scored\na 1 0 10\na 1 20 30.5\nb 1 0 5\n", "x.uem")
    assert read_uem(path) == {"a": [(0.0, 10.0), (20.0, 30.5)], "b": [(0.0, 5.0)]}
    with pytest.raises(InputError, match=r"x\.uem:1: this is no line of a UEM file"):
        read_uem(write("a 1 0\n", "x.uem"))
    with pytest.raises(InputError) as error:
        read_uem(write("a 1 0\nb 1 0\nc 1 0\nd 1 0 5\n", "x.uem"))
    assert str(error.value).count("no line of a UEM file, nor are 2 more: 'a 1 0'") == 1
    assert len(error.value.problems) == 1
    with pytest.raises(InputError, match=r"x\.uem:1: ends at 1 before it starts at 5"):
        read_uem(write("a 1 5 1\n", "x.uem"))
    with pytest.raises(UsageError, match="is no region"):
        region_of("x" and 5)


def test_real_files() -> None:
    form, items = _read(DATA / "ami" / "reference.rttm.gz")
    assert (form, len(items)) == ("RTTM", 814)
    for path in sorted((DATA / "salami").glob("*.txt")):
        assert _read(path)[0] == "boundaries"


def test_events_of_several_recordings_are_not_pooled(write: Write) -> None:
    text = "show_id,start,end,label,system\np,0,2,a,s\nq,3,5,a,s\n"
    path = write(text, "e.csv")
    with pytest.raises(InputError, match="'show_id' is not used") as told:
        cs.read(path)
    assert "--columns query=show_id" in str(told.value)
    assert len(cs.read(path, columns={"query": "show_id"}).queries) == 2
    assert len(cs.read(write(text.replace("show_id", "segment_id"), "i.csv")).queries) == 1
