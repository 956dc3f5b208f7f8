"""GPX files: tracks with their segments, and routes.

The file is read by Python's own XML parser. A document type declaration is refused: GPX needs
none, and with one a small file can be made to unfold into a large one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

import numpy as np

from consilience.errors import EmptyError, InputError, Problem, Problems, bad, quote
from consilience.formats.files import stem_of
from consilience.formats.rows import Source
from consilience.formats.tracked import Track, Tracks

if TYPE_CHECKING:
    from consilience.formats.files import File

GPX = "GPX"
#: The element gpx: with attributes, or with something else than words in it.
_MARK = re.compile(
    r"<(?:[\w.-]+:)?gpx(?:(?:\s+[\w.:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'))+\s*/?>|\s*/>|\s*>\s*<)", re.I
)
_LEAD = re.compile(
    r"\s*(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^<>\[]*(?:\[.*?\])?\s*>|\s+)*", re.S | re.I
)
_POINTS = ("trkpt", "rtept")


def is_gpx(text: str) -> bool:
    """Tell whether text is the beginning of a GPX document.

    Examples
    --------
    >>> is_gpx('<?xml version="1.0"?><!-- made by hand --><gpx version="1.1">')
    True
    >>> is_gpx("<html><gpx>")
    False
    """
    lead = _LEAD.match(text)
    return lead is not None and _MARK.match(text, lead.end()) is not None


class _Reader:
    """Collects the points of tracks and routes while the document is parsed."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems = Problems()
        self.tracks: list[tuple[str, list[list[tuple[float, float]]]]] = []
        self.routes: list[tuple[str, list[list[tuple[float, float]]]]] = []
        self.waypoints = 0
        self.open: list[str] = []
        self.letters: list[str] = []
        self.parser = expat.ParserCreate(None, " ")
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.letters.append

    def doctype(self, *_: Any) -> None:
        fix = "take the line <!DOCTYPE …> out: GPX needs none"
        raise bad(self.file, self.parser.CurrentLineNumber, "a document type declaration", fix)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        self.open.append(name)
        self.letters.clear()
        if name in ("trk", "rte"):
            kind = self.tracks if name == "trk" else self.routes
            kind.append(("", [] if name == "trk" else [[]]))
        elif name == "trkseg" and self.tracks:
            self.tracks[-1][1].append([])
        elif name == "wpt":
            self.waypoints += 1
        elif name in _POINTS:
            self.point(name, attributes)

    def point(self, name: str, attributes: dict[str, str]) -> None:
        kind = self.tracks if name == "trkpt" else self.routes
        line = self.parser.CurrentLineNumber
        if not kind or not kind[-1][1]:
            found = f"a {name} stands outside of a {'trkseg' if name == 'trkpt' else 'rte'}"
            self.problems.add(Problem(self.file, line, found, "put points into segments"))
            return
        values = [_number(attributes.get(key)) for key in ("lon", "lat")]
        longitude, latitude = values
        if longitude is None or latitude is None or abs(latitude) > 90 or abs(longitude) > 180:
            lat, lon = (quote(attributes.get(key, "")) for key in ("lat", "lon"))
            found = f"lat and lon must be degrees, found {lat} and {lon}"
            self.problems.add(Problem(self.file, line, found, 'write lat="48.1" lon="11.5"'))
            return
        kind[-1][1][-1].append((longitude, latitude))

    def end(self, tag: str) -> None:
        name = self.open.pop()
        above = self.open[-1] if self.open else ""
        if name == "name" and above in ("trk", "rte"):
            kind = self.tracks if above == "trk" else self.routes
            kind[-1] = ("".join(self.letters).strip(), kind[-1][1])
        self.letters.clear()


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    return value if value is not None and np.isfinite(value) else None


def read(file: File, why: str) -> Tracks:
    """Read the tracks of a GPX file, or its routes where it has no tracks."""
    reader = _Reader(file.name)
    data = file.raw() if file.encoding.startswith("utf") else _declared(file.read())
    try:
        reader.parser.Parse(data, True)
    except LookupError as error:
        fix = 'write encoding="UTF-8", or name it: --encoding latin-1'
        raise bad(file.name, 1, str(error).replace("encoding: ", "encoding "), fix) from None
    except expat.ExpatError as error:
        found = f"not well-formed XML: {expat.ErrorString(error.code)}"
        raise bad(file.name, error.lineno, found, "write the file again") from None
    reader.problems.raise_any()
    return _tracks(file, reader, why)


def _declared(data: bytes) -> bytes:
    """Take the encoding out of the declaration of a file that was decoded already."""
    return re.sub(rb"^(\s*<\?xml[^>]*?)\sencoding=[\"'][^\"']*[\"']", rb"\1", data, count=1)


def _tracks(file: File, reader: _Reader, why: str) -> Tracks:
    stem = stem_of(file.called)
    notes = []
    made, bare = _made(reader.tracks, stem)
    routes, empty = _made(reader.routes, stem)
    if not made:
        made = routes
        bare += empty
        if routes:
            notes.append("no tracks: routes were read, which name turns rather than a path")
    elif routes:
        notes.append(f"{len(routes)} routes beside the tracks were left out")
    if not made:
        raise _nothing(file.name, reader, bare)
    if bare:
        notes.append(f"{bare} tracks without points were left out")
    return Tracks(tuple(made), Source(file.name, GPX, why, len(made), notes=tuple(notes)))


def _nothing(name: str, reader: _Reader, bare: int) -> InputError:
    fix = "record a track: <trk><trkseg><trkpt …/></trkseg></trk>"
    if bare:
        return bad(name, None, "its tracks have no points", fix)
    if reader.waypoints:
        found = f"holds {reader.waypoints} waypoints, but no track or route"
        return bad(name, None, found, fix)
    return EmptyError(Problem(name, None, "holds no track or route", fix), GPX)


def _made(
    found: list[tuple[str, list[list[tuple[float, float]]]]], stem: str
) -> tuple[list[Track], int]:
    """Make tracks of points; tell how many have none."""
    made, bare = [], 0
    for place, (name, parts) in enumerate(found, start=1):
        kept = tuple(np.array(part, np.float64) for part in parts if part)
        if kept:
            called = name or (stem if len(found) == 1 else f"{stem} {place}")
            made.append(Track(called, kept, own=bool(name)))
        else:
            bare += 1
    return made, bare
