"""Files of boxes, tracks and events that are broken: one message that says what, where and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from consilience.errors import EmptyError, InputError
from consilience.formats.boxes import read_boxes
from consilience.formats.tracks import read_tracks
from consilience.match.lists import kind_of_files
from consilience.study import read
from consilience.verdict.segments import segments

HUGE = "9" * 400
BOX = '"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1]'
TRUTH = '{"images": [{"id": 1}], "annotations": [{%s}]%s}'
POINT = '{"id": 1, "point": "POINT(11 %d)"}\n'
GPX = "<trk><trkseg><trkpt lat='48' lon='11'/></trkseg></trk>"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TRUTH % (BOX, ', "categories": 5'), "categories must be a list, found '5'"),
        (TRUTH % (f'{BOX}, "area": NaN', ""), "annotation 1: area must be a number"),
        (TRUTH % (f'{BOX}, "area": {HUGE}', ""), "annotation 1: area must be a number"),
        (TRUTH % (f'{BOX}, "area": "12"', ""), "annotation 1: area must be a number"),
        (TRUTH % (BOX.replace("0, 0", f"0, {HUGE}"), ""), "bbox has a number that is not finite"),
        (f'[{{{BOX}, "score": {HUGE}}}]', "entry 1: score must be a number"),
        (f'[{{{BOX}, "score": Infinity}}]', "entry 1: score must be a number"),
    ],
)
def test_boxes_in_json(tmp_path: Path, text: str, message: str):
    with pytest.raises(InputError, match=message):
        read_boxes(write(tmp_path, "a.json", text))


def test_areas_that_are_missing_are_those_of_the_sides(tmp_path: Path):
    text = TRUTH % (f'{BOX}, "area": 0.5}}, {{{BOX}, "area": null}}, {{{BOX}', "")
    assert read_boxes(write(tmp_path, "a.json", text)).area.tolist() == [0.5, 1, 1]


def test_classes_of_several_words_in_a_file_of_lines(tmp_path: Path):
    for folder in ("true", "found"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder, "2.txt", "cat 3.5 7 10 10\ncat 5.5 3 5 5\n")
    write(tmp_path / "found", "1.txt", "traffic light 0 0 10 10\ncat 1.5 4 5 5\n")
    assert kind_of_files(tmp_path / "true", tmp_path / "found") == "boxes"
    with pytest.raises(InputError, match=r"1\.txt: the class 'traffic light' holds a blank"):
        read_boxes(tmp_path / "found")
    write(tmp_path / "found", "1.txt", "cat 1.5 4 5 5\ncat 7.5 4 5 5\ntraffic light 0 0 10 10\n")
    with pytest.raises(InputError, match="the class 'traffic light' holds a blank"):
        read_boxes(tmp_path / "found")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.geojson", '{"type":"FeatureCollection","features":5}', "features must be a list"),
        ("a.geojson", '{"type":"GeometryCollection","geometries":5}', "geometries must be a list"),
        ("a.geojson", '{"type":"MultiLineString","coordinates":5}', "must be a list"),
        ("a.geojson", '{"type":"MultiLineString","coordinates":[5]}', "'5' are not points"),
        ("a.geojson", f'{{"type":"LineString","coordinates":[[{HUGE},1]]}}', "is not finite"),
        ("a.jsonl", f"{POINT % 48}{POINT % 148}", "2: .* a point: latitude 148 is not within"),
        ("a.gpx", f'<?xml version="1.0" encoding="foo-99"?><gpx>{GPX}</gpx>', "unknown encoding"),
    ],
)
def test_tracks(tmp_path: Path, name: str, text: str, message: str):
    with pytest.raises(InputError, match=message) as error:
        read_tracks(write(tmp_path, name, text))
    assert not isinstance(error.value, EmptyError)


def test_shapes_that_are_no_lines(tmp_path: Path):
    areas = '{"type":"FeatureCollection","features":[%s]}'
    area = '{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[1,2],[2,3],[1,2]]]}}'
    with pytest.raises(InputError, match="holds no lines, but 2 Polygon"):
        read_tracks(write(tmp_path, "a.geojson", areas % f"{area},{area}"))
    with pytest.raises(InputError, match="Point"):
        read(write(tmp_path, "b.geojson", '{"type": "Point", "coordinates": [11, 48]}'))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "track,lon,lat\n"),
        ("a.geojson", '{"type":"FeatureCollection","features":[]}'),
        ("a.gpx", "<gpx></gpx>"),
    ],
)
def test_files_without_tracks(tmp_path: Path, name: str, text: str):
    with pytest.raises(EmptyError, match=r"holds no|a header and no points"):
        read_tracks(write(tmp_path, name, text))


def test_an_event_table_with_a_column_twice(tmp_path: Path):
    path = write(tmp_path, "a.csv", "filename,onset,onset,offset,label\na.wav,0,1,2,dog\n")
    with pytest.raises(InputError, match=r"a\.csv:1: two columns are called 'onset'"):
        segments(path, path)
