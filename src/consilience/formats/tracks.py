"""Files of tracks: GPX, GeoJSON, tables and lists of points.

- GPX (:mod:`consilience.formats.tracks_gpx`);
- GeoJSON, whole or one feature a line: LineString, MultiLineString, and MultiPoint (whose points
  are taken in their order), alone, in features or in collections;
- a table with columns for longitude and latitude and, where there are several tracks, one called
  ``track`` or ``trip``; points stand in their order;
- JSON objects with a ``point`` such as ``POINT(11.56 48.16)`` and an ``id``, in a list or one a
  line.

A file is a respondent, a track is an item (:mod:`consilience.formats.tracked`).
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import EmptyError, Problem, Problems, UsageError, bad, quote
from consilience.formats import documents, files, tracks_gpx, tracks_told
from consilience.formats.aside import check_pooled
from consilience.formats.boxes_text import check_header
from consilience.formats.files import stem_of
from consilience.formats.roles import read_number
from consilience.formats.rows import ONLY_QUERY, Source
from consilience.formats.tracked import Track, Tracks, fault, parsed
from consilience.formats.tracks_told import GEOJSON, GEOJSON_LINES, LINES, POINT_LINES, POINTS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.formats.files import File
    from consilience.formats.recognise import Recognised
    from consilience.formats.rows import Kind, Rows

__all__ = ["FORMS", "Track", "Tracks", "read", "read_tracks", "recognise"]

TABLE = "table of tracks"
#: The forms that are read here.
FORMS: tuple[str, ...] = (tracks_gpx.GPX, GEOJSON, GEOJSON_LINES, POINTS, POINT_LINES, TABLE)
_DELIMITERS = (",", "\t", ";", "|")
#: What columns of a table of tracks are called.
_NAMES = {
    "longitude": ("lon", "lng", "long", "longitude"),
    "latitude": ("lat", "latitude"),
    "track": (
        *("track", "track_id", "trackid", "trip", "trip_id", "trace", "trace_id", "tour"),
        *("tour_id", "trajectory", "trajectory_id", "route", "route_id"),
    ),
    "system": ("system", "respondent", "device", "user", "annotator", "model", "source"),
    "query": ("group",),
}
_ITEMS = ("item", "item_id", "text", "relevant", "vote", "grade")


def recognise(file: File, lines: Sequence[str]) -> Recognised | None:
    """Tell a form from the first lines."""
    from consilience.formats import apart
    from consilience.formats.recognise import Recognised, cells

    begin = "\n".join(lines).lstrip("\ufeff \t\r\n")
    if begin.startswith("<"):
        found = tracks_gpx.is_gpx(begin)
        return Recognised(tracks_gpx.GPX, "an XML document <gpx>") if found else None
    if begin.startswith(("{", "[")):
        return tracks_told.recognise(lines)
    for delimiter in _DELIMITERS:
        columns = header_of(cells(lines[0], delimiter))
        body = apart.body_of(lines, delimiter, file.ending) if columns else None
        if body is not None and columns is not None and apart.holds_tracks(body, columns):
            return Recognised(TABLE, f"header line {', '.join(body.header)}", delimiter)
    return None


def header_of(header: Sequence[str]) -> dict[str, str] | None:
    """Tell which column of a table of tracks is what; None where this is no such table.

    Examples
    --------
    >>> header_of(["trip_id", "time", "lat", "lon"])
    {'longitude': 'lon', 'latitude': 'lat', 'track': 'trip_id'}
    >>> header_of(["id", "name", "lat", "lon"]) is None  # places, not points of a track
    True
    """
    plain = {name.strip().lower().replace(" ", "_").replace("-", "_"): name for name in header}
    found: dict[str, str] = {}
    for role, names in _NAMES.items():
        known = [plain[name] for name in names if name in plain]
        if known:
            found[role] = known[0]
    if not {"longitude", "latitude"} <= found.keys() or any(name in plain for name in _ITEMS):
        return None
    others = {"id", "name", "place", "address", "label", "category"} & plain.keys()
    return found if "track" in found or not others else None


def read(file: File, form: str, *, kind: Kind, why: str) -> list[Rows]:
    """Read a file."""
    return [_read(file, form, why).rows(kind, stem_of(file.called))]


def read_tracks(path: str | os.PathLike[str], *, encoding: str | None = None) -> Tracks:
    """Read the tracks of a file with their names.

    Parameters
    ----------
    path
        A GPX or GeoJSON file, a table with longitude and latitude, or JSON objects with points.
    encoding
        The text encoding, where it is not UTF-8.
    """
    from consilience.formats.recognise import recognise as told

    if not isinstance(path, (str, os.PathLike)):
        raise UsageError(f"{quote(path)} is not the name of a file (fix: name a file of tracks)")
    problems = Problems()
    found, _ = files.expand([path], problems)
    problems.raise_any()
    if len(found) != 1:
        raise bad(str(path), None, f"expected one file, found {len(found)}", "name one file")
    file = files.look(found[0], encoding=encoding)
    known = told(file)
    if known.form not in FORMS:
        fix = "give GPX, GeoJSON, or a table with lon, lat and track"
        raise bad(file.name, 1, "this file holds no tracks that can be read", fix)
    return _read(file, known.form, known.why)


def _read(file: File, form: str, why: str) -> Tracks:
    if form == tracks_gpx.GPX:
        return tracks_gpx.read(file, why)
    if form in (GEOJSON, GEOJSON_LINES):
        return _of_geojson(file, form, why)
    if form == TABLE:
        return _of_table(file, why)
    return _of_points(file, form, why)


def _of_geojson(file: File, form: str, why: str) -> Tracks:
    data = documents.load(file) if form == GEOJSON else _features(file)
    stem = stem_of(file.called)
    notes = set()
    made: list[Track] = []
    others: Counter[str] = Counter()
    for name, kind, coordinates in _geometries(data, "", file.name, others):
        if kind == "MultiPoint":
            notes.add("points without a line were taken for a track, in their order")
        if not isinstance(coordinates, list):
            raise bad(file.name, None, f"coordinates of a {kind} must be a list", _DEGREES)
        parts = coordinates if kind == "MultiLineString" else [coordinates]
        arrays = tuple(_array(part, file.name) for part in parts if part)
        if arrays:
            made.append(Track(name or f"{stem} {len(made) + 1}", arrays, own=bool(name)))
    if not made and others:
        some = ", ".join(f"{count:,} {kind}" for kind, count in others.items())
        raise bad(file.name, None, f"holds no lines, but {some}", _LINE)
    if not made:
        raise EmptyError(Problem(file.name, None, "holds no lines", _LINE), GEOJSON)
    return Tracks(tuple(made), Source(file.name, form, why, len(made), notes=tuple(notes)))


def _features(file: File) -> Any:
    """Read features, one a line."""
    data, wrong = tracks_told.loaded(list(file.lines()))
    problems = Problems()
    fix = "write one GeoJSON object a line"
    problems.many(wrong, lambda line: Problem(file.name, line, "this is no JSON object", fix))
    problems.raise_any()
    return data


_LINE = "give LineString or MultiLineString, whose coordinates are points of a track in order"
_DEGREES = "write [longitude, latitude]"


def _geometries(
    data: Any, name: str, file: str, others: Counter[str]
) -> Iterator[tuple[str, str, Any]]:
    """Find the lines of a document, with the names of their features; count what is no line."""
    if not isinstance(data, Mapping):
        return
    kind = data.get("type", "LineString" if "coordinates" in data else None)
    if kind == "Feature":
        said = data.get("properties") or {}
        called = said.get("name") if isinstance(said, Mapping) else None
        called = called or data.get("id") or ""
        yield from _geometries(data.get("geometry"), str(called), file, others)
    elif kind in ("FeatureCollection", "GeometryCollection"):
        key = "features" if kind == "FeatureCollection" else "geometries"
        listed = data.get(key) or []
        if not isinstance(listed, list):
            raise bad(
                file, None, f"{key} must be a list, found {quote(listed)}", f"write {key}: […]"
            )
        for one in listed:
            yield from _geometries(one, name, file, others)
    elif kind in LINES:
        yield name, str(kind), data.get("coordinates") or []
    else:
        others[quote(kind) if kind is None or len(str(kind)) > 20 else str(kind)] += 1


def _array(points: Any, file: str) -> NDArray[np.float64]:
    try:
        held = np.array([[float(point[0]), float(point[1])] for point in points], np.float64)
    except OverflowError:
        raise bad(file, None, "a coordinate is not finite", _DEGREES) from None
    except (TypeError, ValueError, IndexError, KeyError):
        raise bad(file, None, f"{quote(json.dumps(points))} are not points", _DEGREES) from None
    return _checked(held.reshape(-1, 2), file, None)


def _checked(held: NDArray[np.float64], file: str, line: int | None) -> NDArray[np.float64]:
    wrong = fault(held)
    if wrong:
        raise bad(file, line, wrong, "write degrees, longitude before latitude")
    return held


def _of_points(file: File, form: str, why: str) -> Tracks:
    """Read objects with a point each; those of one id are a track."""
    entries: list[tuple[int | None, Any]]
    if form == POINTS:
        entries = [(None, entry) for entry in documents.load(file)]
    else:
        entries = [(n, _object(line)) for n, line in file.lines() if line.strip()]
    problems = Problems()
    held: dict[str, list[NDArray[np.float64]]] = {}
    for number, entry in entries:
        if not isinstance(entry, Mapping) or "point" not in entry:
            found = f"expected an object with a point, found {quote(json.dumps(entry))}"
            problems.add(Problem(file.name, number, found, "write POINT(longitude latitude)"))
            continue
        try:
            point = parsed(str(entry["point"]))[0]
        except UsageError as error:
            found = str(error).partition(" (fix: ")[0].replace("a track", "a point")
            problems.add(Problem(file.name, number, found, "write POINT(longitude latitude)"))
            continue
        held.setdefault(str(entry.get("id", "")), []).append(point)
    problems.raise_any()
    stem = stem_of(file.called)
    made = [
        Track(name or stem, (np.concatenate(points),), own=bool(name))
        for name, points in held.items()
    ]
    return Tracks(tuple(made), Source(file.name, form, why, len(made)))


def _object(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return line


def _of_table(file: File, why: str) -> Tracks:
    from consilience.formats.recognise import recognise as told
    from consilience.formats.sheets import read_delimited

    sheet = read_delimited(file, delimiter=told(file).delimiter, form=TABLE, why=why)
    check_header(sheet)
    columns = header_of(sheet.table.column_names)
    if columns is None:
        raise bad(file.name, 1, "this is no table of tracks", "name columns lon, lat and track")
    problems = sheet.problems
    problems.raise_any()
    if not sheet.table.num_rows:
        wrong = Problem(file.name, None, "the table has a header and no points", "add rows")
        raise EmptyError(wrong, TABLE, sheet.table.column_names)
    if "track" not in columns:
        check_pooled(sheet, columns.values(), "track")
    cells = {role: sheet.table[name].to_pylist() for role, name in columns.items()}
    points = np.zeros((sheet.table.num_rows, 2))
    for axis, (role, most) in enumerate((("longitude", 180), ("latitude", 90))):
        for row, cell in enumerate(cells[role]):
            value = read_number(cell)
            if value is None or not abs(value) <= most:
                found = f"{columns[role]} must be degrees, found {quote(cell)}"
                problems.add(sheet.problem(row, found, f"write a number up to {most}"))
            else:
                points[row, axis] = value
    problems.raise_any()
    rows: dict[tuple[str, str, str], list[int]] = {}
    for row in range(len(points)):
        key = tuple(cells[role][row].strip() if role in cells else "" for role in _KEYS)
        rows.setdefault((key[0], key[1], key[2]), []).append(row)
    made = [
        Track(name or sheet.stem, (points[places],), system, query or ONLY_QUERY, bool(name))
        for (name, system, query), places in rows.items()
    ]
    note = ("points of a track stand in the order of the rows",)
    return Tracks(tuple(made), Source(file.name, TABLE, why, len(made), notes=note))


_KEYS = ("track", "system", "query")
