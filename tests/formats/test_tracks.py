"""Files of tracks: what is read, what is refused, and what stays what it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import consilience as cs
from consilience.errors import InputError
from consilience.formats.files import look
from consilience.formats.recognise import recognise
from consilience.formats.tracked import labelled, short
from consilience.formats.tracks import read_tracks

TRACKS = Path(__file__).parent.parent / "data" / "tracks"
POINT = '<trkpt lat="48.1" lon="11.5"/><trkpt lat="48.2" lon="11.6"/>'


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_real_tracks() -> None:
    tour = read_tracks(TRACKS / "test1.gpx")
    assert repr(tour.tracks[0]) == "<Track: GraphHopper, 264 points, 9.6 km>"
    assert tour.source.notes == ("1 routes beside the tracks were left out",)
    for name in ("x0001-015.geojson.gz", "x0001-015.json.gz"):
        drive = read_tracks(TRACKS / name)
        assert len(drive) == 1
        assert len(drive.tracks[0]) == 80
        assert drive.tracks[0].parts[0][0].tolist() == [11.564388282625075, 48.16350662940509]
    study = cs.read([TRACKS / "tour-with-loop.gpx"], truth=[TRACKS / "tour2-with-loop.gpx"])
    assert study.systems == ("tour-with-loop",)
    assert study.items.names([0])[0].startswith("LINESTRING (12.3")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no_trk.gpx", "holds no track or route"),
        ("no_trkseg.gpx", "its tracks have no points"),
        ("no_trkpt.gpx", "its tracks have no points"),
    ],
)
def test_files_without_a_track_are_told(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        cs.read([TRACKS / name])


def test_several_tracks_segments_and_routes(tmp_path: Path) -> None:
    text = (
        f"<gpx><trk><name>there &amp; back</name><trkseg>{POINT}</trkseg><trkseg>{POINT}</trkseg>"
        f"</trk><trk><trkseg>{POINT}</trkseg></trk><trk/></gpx>"
    )
    found = read_tracks(write(tmp_path, "two.gpx", text))
    assert [one.name for one in found.tracks] == ["there & back", "two 2"]
    assert found.tracks[0].text.startswith("MULTILINESTRING ((11.5 48.1, 11.6 48.2), (")
    assert found.source.notes == ("1 tracks without points were left out",)
    route = f"<gpx><rte>{POINT.replace('trkpt', 'rtept')}</rte></gpx>"
    assert read_tracks(write(tmp_path, "route.gpx", route)).tracks[0].name == "route"
    points = '<gpx><wpt lat="1" lon="2"/></gpx>'
    with pytest.raises(InputError, match="holds 1 waypoints, but no track"):
        read_tracks(write(tmp_path, "points.gpx", points))


@pytest.mark.parametrize(
    "declared",
    [
        '<!DOCTYPE gpx SYSTEM "http://example.org/gpx.dtd">',
        '<!DOCTYPE gpx [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;">]>',
    ],
)
def test_declarations_that_could_unfold_are_refused(tmp_path: Path, declared: str) -> None:
    text = f'<?xml version="1.0"?>\n{declared}\n<gpx><trk><name>&b;</name></trk></gpx>'
    with pytest.raises(InputError, match=r"bomb\.gpx:2: a document type declaration \(fix: "):
        read_tracks(write(tmp_path, "bomb.gpx", text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"<gpx>\n<trk><trkseg>{POINT}", "a.gpx:2: not well-formed XML: no element found"),
        (
            '<gpx>\n<trk><trkseg>\n<trkpt lat="95" lon="1"/></trkseg></trk></gpx>',
            "a.gpx:3: lat and",
        ),
        ('<gpx><trk><trkseg><trkpt lat="x" lon="1"/></trkseg></trk></gpx>', "found 'x' and '1'"),
        (f"<gpx><trk>{POINT}</trk></gpx>", "a trkpt stands outside of a trkseg"),
    ],
)
def test_broken_tracks_are_told_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_tracks(write(tmp_path, "a.gpx", text))
    assert message in str(error.value)


def test_other_encodings(tmp_path: Path) -> None:
    text = '<?xml version="1.0" encoding="{0}"?>'
    text += "<gpx><trk><name>Fučik</name><trkseg>{1}</trkseg></trk></gpx>"
    for encoding in ("utf-8", "utf-16"):
        path = tmp_path / "a.gpx"
        path.write_bytes(text.format(encoding, POINT).encode(encoding))
        assert read_tracks(path).tracks[0].name == "Fučik"
    path.write_bytes(text.replace("č", "ü").format("ISO-8859-1", POINT).encode("latin-1"))
    assert read_tracks(path).tracks[0].name == "Fuüik"
    assert read_tracks(path, encoding="latin-1").tracks[0].name == "Fuüik"


@pytest.mark.parametrize("indent", [None, 1])
def test_geojson(tmp_path: Path, indent: int | None) -> None:
    line = {"type": "LineString", "coordinates": [[11.5, 48.1, 500], [11.6, 48.2, 501]]}
    several = {"coordinates": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], "type": "MultiLineString"}
    features = {
        "type": "FeatureCollection",
        "features": [
            {"type": "Feature", "properties": {"name": "tour"}, "geometry": line},
            {"type": "Feature", "properties": None, "geometry": several},
            {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}},
        ],
    }
    found = read_tracks(write(tmp_path, "a.geojson", json.dumps(features, indent=indent)))
    assert [one.name for one in found.tracks] == ["tour", "a 2"]
    assert found.tracks[0].text == "LINESTRING (11.5 48.1, 11.6 48.2) tour"
    assert len(found.tracks[1].parts) == 2
    alone = read_tracks(write(tmp_path, "b.json", json.dumps(several, indent=indent)))
    assert alone.tracks[0].text == found.tracks[1].text
    points = {"type": "FeatureCollection", "features": [features["features"][2]]}
    with pytest.raises(InputError, match="holds no lines"):
        read_tracks(write(tmp_path, "c.geojson", json.dumps(points)))
    line["coordinates"] = [[11.5, 148.1]]
    with pytest.raises(InputError, match=r"latitude 148\.1 is not within"):
        read_tracks(write(tmp_path, "d.geojson", json.dumps(line)))


def test_tables_of_points(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "walks.csv",
        "trip,time,lat,lon,device\n1,8:00,48.1,11.5,A\n1,8:01,48.2,11.6,A\n2,9:00,48.3,11.7,B\n",
    )
    found = read_tracks(path)
    assert [(one.name, len(one), one.system) for one in found.tracks] == [
        ("1", 2, "A"),
        ("2", 1, "B"),
    ]
    assert cs.read([path]).systems == ("A", "B")
    with pytest.raises(InputError, match=r"a\.csv:3: lat must be degrees, found '95'"):
        read_tracks(write(tmp_path, "a.csv", "lat,lon\n48,11\n95,11\n"))


def test_points_one_a_line(tmp_path: Path) -> None:
    lines = [json.dumps({"point": f"POINT({x} 48.5)", "id": "a"}) for x in (11.5, 11.6)]
    path = write(tmp_path, "a.jsonl", "\n".join(lines))
    assert read_tracks(path).tracks[0].text == "LINESTRING (11.5 48.5, 11.6 48.5) a"
    with pytest.raises(InputError, match=r"b\.jsonl:3: expected an object with a point"):
        read_tracks(write(tmp_path, "b.jsonl", "\n".join([*lines, '{"id": "a"}'])))


def test_names_belong_to_the_text_where_the_file_gives_them(tmp_path: Path) -> None:
    text = f"<gpx><trk><name> Tour (2)\n by bike</name><trkseg>{POINT}</trkseg></trk></gpx>"
    (named,) = read_tracks(write(tmp_path, "a.gpx", text)).tracks
    plain = text.replace(text[text.index("<name>") : text.index("</name>") + 7], "")
    (bare,) = read_tracks(write(tmp_path, "b.gpx", plain)).tracks
    assert bare.text == "LINESTRING (11.5 48.1, 11.6 48.2)"
    assert named.text == f"{bare.text} Tour (2) by bike"
    assert cs.similarity.c_sim(named.text, bare.text) == 1
    assert cs.similarity.c_sim(named, bare.text) == 1
    assert labelled(named.text) == "Tour (2) by bike, 2 points"
    assert short(named) == short(named.text) == "Tour (2) by bike, 2 points, 13.4 km"


def test_other_markup_is_refused_by_name(tmp_path: Path) -> None:
    forms = (
        ("<?xml version='1.0'?><kml><gpx/></kml>", "this is KML"),
        ("<html><body>gpx</body></html>", "this is an HTML page"),
    )
    for text, said in forms:
        with pytest.raises(InputError, match=said):
            cs.read([write(tmp_path, "a.xml", text)])


def test_places_are_no_tracks(tmp_path: Path) -> None:
    path = write(tmp_path, "cafes.csv", "item,lat,lon\nA,48.1,11.5\nB,48.2,11.6\n")
    assert recognise(look(path)).form == "CSV"
    with pytest.raises(InputError, match="holds no tracks"):
        read_tracks(path)
