"""Segments, boxes and tracks are told from runs, lists and tables of items that look alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import consilience as cs
from consilience.errors import InputError
from consilience.formats.files import look
from consilience.formats.recognise import recognise

Write = Callable[..., Path]


def form(path: Path, columns: Mapping[str, str] | None = None) -> str:
    return recognise(look(path), columns=columns).form


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        (
            "phrase,start,end,who,sure\na,1,2,A,0.5\nb,2,3,A,0.5\n",
            {"item": "phrase", "respondent": "who", "vote": "sure"},
        ),
        ("docno,lat,lon,score\nd1,1,2,3\nd2,2,3,2\n", {"item": "docno"}),
        (
            "query,doc,start,end,score\nq,d1,1,2,3\nq,d1,2,3,2\n",
            {"item": "doc", "query": "query"},
        ),
        (
            "place,track,lat,lon,sure\na,t,1,2,1\nb,t,2,3,0\n",
            {"item": "place", "respondent": "track", "vote": "sure"},
        ),
        ("thing,x,y,w,h,sure\na,1,2,3,4,1\nb,5,6,7,8,0\n", {"item": "thing", "vote": "sure"}),
        ("start,end,who\n1,2,A\n3,4,A\n", {"item": "start"}),
    ],
)
def test_a_mapping_makes_a_table(write: Write, content: str, columns: dict[str, str]) -> None:
    assert form(write(content, "t.csv"), columns) == "CSV"
    assert form(write(content, "t.csv"), {"item": "elsewhere"}) != "list"


def test_a_mapped_key_makes_json_lines(write: Write) -> None:
    lines = [{"name": "a", "point": "POINT(1 2)"}, {"name": "b", "point": "POINT(1 3)"}]
    path = write("\n".join(map(json.dumps, lines)), "x.jsonl")
    assert form(path) == "points of tracks, one a line"
    assert form(path, {"item": "name"}) == "JSON lines"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("q1 0 12 1 2.5\nq1 0 13 2 1.5\n", "TREC run"),
        ("q1 1 12 1 25\nq1 1 13 2 15\nq1 1 14 3 10\n", "TREC run"),
        ("q1 0.0 12 1 2.5 7\nq1 0.0 13 2 1.5 7\n", "TREC run"),
        ("14 0.431418 162 96 189 245\n", "boxes of an image"),
        ("q1 0.5 12 1 2.5 7\nq1 0.7 13 2 1.5 7\n", "boxes of an image"),
        ("q1 1 d1 1 2.5 bm25\n", "TREC run"),
        ("q1 Q0 d1 x 2.5 bm25\n", "TREC run"),
        ("q1 x 12 5 2.5 A\nq2 x 13 7 1.5 A\nq2 x 14 8 1.5 A\n", "TREC run"),
        ("1 0 0 1 0.5 1\n", "TREC run"),
        ("1 0 0 1 0.5 1\n1 0 1 2 0.25 1\n", "TREC run"),
        ("1 0.5 0.5 0.2 0.4\n", "boxes of an image (YOLO)"),
        ("1 0.5 0.5 0.2 0.4\n2 0.5 0.4 0.2 0.4\n", "boxes of an image (YOLO)"),
        ("0 0.5 0.5 0.2 0.4 0.9\n", "boxes of an image (YOLO)"),
        ("person .88 5 67 31 48\n", "boxes of an image"),
        ("person .88 5 67 31 48\ndog .7 1 2 3 4\n", "boxes of an image"),
        ("person 25 16 38 56\nperson 129 123 41 62\n", "boxes of an image"),
        ("hotel 1 2 3 4\n", "boxes of an image"),
        ("66 1 2 3 4\n", "list"),
    ],
)
def test_runs_come_before_boxes(write: Write, content: str, expected: str) -> None:
    assert form(write(content, "alone/x.txt")) == expected


@pytest.mark.parametrize(
    "content",
    [
        "1 0.95 0.5 0.2 0.4\n2 0.5 0.4 0.2 0.4\n",  # beyond the border
        "12 1 2 3 4\nb 5 6 7 8\n",
        "12 1 2 3 4\n13 5 6 7 8\n",
        "0 1 0 1\n1 1 0 0\n0 0 1 1\n",  # a matrix of votes, no judgments
    ],
)
def test_lines_of_numbers_are_nothing_else(write: Write, content: str) -> None:
    with pytest.raises(InputError, match="lines hold numbers parted by blanks"):
        form(write(content, "alone/x.txt"))


@pytest.mark.parametrize(
    "content",
    [
        "q1 0.5 12 1 2.5 7\n",
        "q1 0.5 12 1 2.5 7\nq1 0.5 13 2 1.5 7\n",
        "hotel 1.00 5 1 3 4\n",
        "person 0.5 10 20 30 40\nperson 0.5 11 5 30 41\nperson 0.5 12 70 30 42\n",
        "cat 0 10 20 30 40\n",
        "hotel 0 2 3 4\nhotel 0 2 3 5\n",
    ],
)
def test_what_fits_both_is_refused_with_both(write: Write, content: str) -> None:
    path = write(content, "alone/x.txt")
    with pytest.raises(InputError, match=r"x\.txt:1: .* of a run and as .* of boxes") as error:
        form(path)
    assert "write Q0 as its second field" in str(error.value)
    assert cs.read([path], boxes="sizes").sources[0].recognised == "boxes of an image"


def test_a_folder_tells_what_a_line_does_not(write: Write) -> None:
    first = write("66 1 2 3 4\n", "boxes/a.txt")
    assert form(first) == "list"
    write("66 5 6 7 8\n", "boxes/b.txt")
    write("\n", "boxes/empty.txt")
    assert form(first) == "boxes of an image"
    border = write("66 0 2 3 4\n", "boxes/c.txt")
    assert form(border) == "boxes of an image"
    assert cs.read_boxes(first.parent, boxes="sizes").images == ("a", "b", "c", "empty")
    sure = write("hotel 1.00 5 1 3 4\n", "found/a.txt")
    write("hotel .5 6 7 8 9\n", "found/b.txt")
    assert form(sure) == "boxes of an image"
    yolo = write("1 0.5 0.5 0.2 0.4\n", "yolo/a.txt")
    write("0 0.5 0.5 0.25 0.5\n2 0.3 0.3 0.1 0.1\n", "yolo/b.txt")
    assert form(yolo) == "boxes of an image (YOLO)"
    run = write("q1 0 12 1 2.5\n", "runs/a.txt")
    write("q1 1 12 1 25\nq1 1 13 2 15\nq1 1 14 3 10\n", "runs/b.txt")
    assert form(run) == "TREC run"


def test_whoever_asks_for_boxes_gets_them(write: Write) -> None:
    path = write("hotel 1 2 3 4\n", "alone/x.txt")
    assert cs.read_boxes(path, boxes="sizes").texts() == ["1 2 3 4 hotel"]
    assert cs.read_boxes(path, boxes="corners").texts() == ["1 2 2 2 hotel"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("query,doc,start,end,rank\nq,d1,1,2,1\nq,d1,3,4,2\n", "CSV"),
        ("document,start,end,relevant\nd1,1,2,1\nd1,3,4,0\n", "CSV"),
        ("doc,system,score,onset,offset\nd1,A,0.5,1,2\nd2,A,0.4,1,2\n", "CSV"),
        ("doc,system,score,onset,offset\nd1,A,0.5,1,2\nd1,A,0.4,3,4\n", "event table"),
        ("doc,run,start,length,vote\nd1,A,1,2,1\nd1,A,3,2,0\n", "CSV"),
        ("document,subject,start,end,category\nd1,S,1,2,a\nd1,S,3,4,b\n", "CSV"),
        ("doc,text,start,end,label\nd1,Ann,1,5,PER\nd1,Rom,13,17,LOC\n", "event table"),
        ("doc_id,entity,start,end,type\nd1,Ann,1,5,PER\nd1,Rom,13,17,LOC\n", "event table"),
        ("query,subject,doc,start,end,relevance,rank\nq,S,d1,1,2,1,1\n", "CSV"),
        ("doc,start,end,gold\nd1,1,0,1\nd2,0,1,1\n", "CSV"),
        ("doc,start,end\nd1,1,0\nd2,0,1\n", "CSV"),
        ("doc,start,end\nd1,0,0.5\nd2,0.25,1\n", "CSV"),
        ("doc,start,end\nd1,0,12.5\nd2,0.25,1\n", "event table"),
        ("query,document,begin,stop,rank\nq,d,1,2,1\n", "CSV"),
        ("query,start,end,rank\nq,1,2,1\n", "CSV"),
        ("doc,annotator,start,end,label\nd1,A,1,2,x\nd1,B,1,2,y\n", "CSV"),
        ("doc,annotator,start,end,label\nd1,A,1,2,x\nd1,A,3,4,y\n", "event table"),
        ("document,start,end,class\nd1,1,2,x\n", "event table"),
        ("filename,onset,offset,event_label\na.wav,0,1,dog\n", "event table"),
        ("filename,onset,offset,event_label,system\na.wav,0,1,dog,A\n", "event table"),
        ("filename,onset,offset,event_label\na.wav,,,\n", "event table"),
        ("filename,onset,offset,event_label\n", "event table"),
        ("uri,start,end\na,0,1\n", "event table"),
        ("doc,keyphrase,start,end\nd1,a,1,2\nd1,b,3,4\n", "CSV"),
    ],
)
def test_tables_of_events(write: Write, content: str, expected: str) -> None:
    assert form(write(content, "t.csv")) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("docno,x,y,w,h,score\nd1,1,2,3,4,5\n", "CSV"),
        ("id,x,y,w,h\na,1,2,3,4\n", "CSV"),
        ("passage,left,top,right,bottom\na,1,2,3,4\n", "CSV"),
        ("image,x,y,w,h,relevance\na,1,2,3,4,1\n", "CSV"),
        ("query,image,x,y,w,h\nq,a,1,2,3,4\n", "CSV"),
        ("image,x,y,w,h,rank\na,1,2,3,4,1\n", "CSV"),
        ("image,x,y,w,h\na,1,0,0,1\nb,0,0,1,1\n", "CSV"),
        ("image,x,y,w,h\na,1,0.5,0,1\nb,0,0,0.25,1\n", "CSV"),
        ("image_id,annotator,x,y,w,h,label\na,A,1,2,3,4,cat\na,B,1,2,3,4,dog\n", "CSV"),
        (
            "image_id,annotator,x,y,w,h,label\na,A,1,2,3,4,cat\na,A,9,2,3,4,dog\n",
            "table of boxes",
        ),
        ("image,rater,x,y,w,h,score\na,A,1,2,3,4,0.5\na,B,1,2,3,4,0.25\n", "CSV"),
        ("image,x,y,w,h,label\na,1,2,3,4,1\nb,1,2,3,4,0\n", "CSV"),
        ("image,x,y,w,h,label\na,1,2,3,4,cat\n", "table of boxes"),
        ("image,class,x,y,w,h,score\na,cat,1,2,3,4,0.5\n", "table of boxes"),
        ("image,system,x,y,w,h\na,A,1,2,3,4\n", "table of boxes"),
        ("filename,xmin,ymin,xmax,ymax\na,0.1,0.2,0.3,0.4\n", "table of boxes"),
        ("image,x,y,w,h\n", "table of boxes"),
    ],
)
def test_tables_of_boxes(write: Write, content: str, expected: str) -> None:
    assert form(write(content, "t.csv")) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("docno,lat,lon,score\nd1,1,2,3\nd2,1,2,2\n", "CSV"),
        ("query,docno,lat,lon,rel\nq,d1,1,2,1\n", "CSV"),
        ("id,route,lat,lon,score\na,r,1,2,1\nb,r,2,3,0\n", "CSV"),
        ("id,lat,lon,track\na,1,0,1\nb,0,1,1\n", "CSV"),
        ("track,lat,lon\na,1,2\nb,2,3\n", "CSV"),
        ("track,lat,lon\na,1,2\na,2,3\n", "table of tracks"),
        ("lat,lon\n1,2\n2,3\n", "table of tracks"),
        ("lat,lon\n4500,1200\n4600,1300\n", "CSV"),
        ("trip,lat,lon\n", "table of tracks"),
    ],
)
def test_tables_of_tracks(write: Write, content: str, expected: str) -> None:
    assert form(write(content, "t.csv")) == expected


LINE = {"type": "LineString", "coordinates": [[11.5, 48.1], [11.6, 48.2]]}
FEATURE = {"type": "Feature", "id": "a", "properties": {"item": "x"}, "geometry": LINE}


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([{"query": "q", "item": "a", "score": 1, "point": "POINT(1 2)"}] * 2, "JSON lines"),
        ([{"id": "a", "score": 1, "point": "POINT(1 2)"}] * 2, "JSON lines"),
        ([{"id": "a", "point": "POINT(1 2)"}, {"id": "b", "point": "POINT(1 2)"}], "JSON lines"),
        ([{"id": "a", "point": "POINT(1 2)"}] * 2, "points of tracks, one a line"),
        ([{"item": "a", "score": 1, **FEATURE}] * 2, "JSON lines"),
        ([{"item": "a", "score": 1, "where": FEATURE}] * 2, "JSON lines"),
        ([{"item": "a", "score": 1, "geometry": LINE}], "JSON lines"),
        ([FEATURE, FEATURE], "GeoJSON, one a line"),
        ([LINE, LINE], "GeoJSON, one a line"),
        ([FEATURE], "GeoJSON"),
        ([{**FEATURE, "geometry": {"type": "Point", "coordinates": [1, 2]}}] * 2, "JSON lines"),
        ([{"image_id": 1, "bbox": [1, 2, 3, 4], "vote": 1}] * 2, "JSON lines"),
        ([{"image_id": 1, "bbox": [1, 2, 3, 4]}] * 2, "COCO results, one a line"),
        ([{"images": [{"item": "a", "score": 1}]}], "JSON"),
        ([{"images": [{"id": "a", "score": 1}], "annotations": []}], "JSON"),
        ([{"images": ["a"], "annotations": ["c"], "categories": ["bbox"]}], "JSON"),
        ([{"images": [{"id": 1}], "annotations": []}], "COCO ground truth"),
    ],
)
def test_json(write: Write, rows: list[object], expected: str) -> None:
    assert form(write("\n".join(map(json.dumps, rows)), "x.json")) == expected


def test_features_one_a_line_are_read(write: Write) -> None:
    path = write(f"{json.dumps(FEATURE)}\n\n{json.dumps(LINE)}\n", "x.geojson")
    found = cs.read_tracks(path)
    assert [one.name for one in found.tracks] == ["a", "x 2"]
    assert found.source.recognised == "GeoJSON, one a line"
    with pytest.raises(InputError, match=r"x\.geojson:3: this is no JSON object"):
        cs.read_tracks(write("\n".join([json.dumps(LINE)] * 2 + ["{"]), "x.geojson"))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0\t2\tspeech\n2\t5\tmusic\n", "label file"),
        ("0.5\t1.5\tspeech\n", "label file"),
        ("1.0 1.2 upgrade\n2.0 2.1 upgrade notes\n", "list"),
        ("0.000 2.612 N\n2.612 4.500 E:min\n", "label file"),
        ("0.0 2.5 N\n2.5 4.5 E:min\n", "label file"),
        ("0.0\tSilence\n0.4\tIntro\n16\tEnd\n", "boundaries"),
        ("SPEAKER systems for big rooms are not that easy\n" * 2, "list"),
        (
            "SPEAKER a 1 0.5 1 <NA> <NA> A <NA>\nSPEAKER b 1 x 1 <NA> <NA> A <NA>\n",
            "RTTM",
        ),
        ("SPEAKER a 1 0.5 1 <NA> <NA> A <NA>\nSPEAKER b 1\n", "RTTM"),
        ("onset, offset\nstart, stop\nfoo\n", "list"),
        ("lat, lon\nfoo\n", "list"),
        ("onset, offset\n", "list"),
        ('<gpx version="1.1">\n<trk>\n', "GPX"),
    ],
)
def test_lists(write: Write, content: str, expected: str) -> None:
    assert form(write(content, "alone/x.txt")) == expected


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("1\t1999\tThe Matrix\n2\t2003\tReloaded\n", "2 lines hold tabs"),
        ("1\t1999\tThe Matrix\n", "a line holds a tab"),
        ("0.9\t0.95\tBM25\n0.5\t0.7\tTF\n0.3\t0.4\tRM\n", "3 lines hold tabs"),
        ("1\tbegin\n2\tmiddle\n3\tend\n", "3 lines hold tabs"),
        ("start\tend\nbegin\tstop\n", "2 lines hold tabs"),
        ("<gpx tag>\nfoo\n", "1 of the first 2 lines hold tags"),
        ("<gpx>\nfoo\n", "1 of the first 2 lines hold tags"),
    ],
)
def test_what_looks_like_no_list_is_refused(write: Write, content: str, why: str) -> None:
    with pytest.raises(InputError, match=f"does not look like a list: {why}"):
        cs.read(write(content, "alone/x.txt"))


def test_scored_time_is_named(write: Write) -> None:
    said = r"this is a UEM file .* \(fix: give it to soft beside segments: --region\)"
    with pytest.raises(InputError, match=said):
        cs.read(write("rec 1 0.0 12.5\nrec 1 20.0 30.0\n", "x.txt"))
    with pytest.raises(InputError, match=said):
        cs.read(write("rec 1 0 12\n", "x.uem"))
    for content in ("q1 0 12 12.5\n", "q1 0 1.5 2\n", "q1 0 3.5 0.5\n"):
        assert form(write(content)) == "TREC qrels"
