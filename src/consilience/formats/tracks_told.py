"""Which JSON holds tracks: GeoJSON, whole or one feature a line, and objects with a point each.

Objects that name an item, a query or a score are answers, whatever geometry stands beside; so are
points of which each has an id of its own: these are places.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from consilience.formats.boxes_coco import top_keys
from consilience.formats.files import HEAD
from consilience.formats.recognise import Recognised

GEOJSON, GEOJSON_LINES = "GeoJSON", "GeoJSON, one a line"
POINTS, POINT_LINES = "points of tracks", "points of tracks, one a line"
#: The types of GeoJSON that are lines.
LINES = ("LineString", "MultiLineString", "MultiPoint")
_TYPES = (*LINES, "Feature", "FeatureCollection", "GeometryCollection")
_TYPE = re.compile(rf'"type"\s*:\s*"({"|".join(_TYPES)})"')
_WORD = re.compile(r'\s*"(\w+)"')
_WITHIN = frozenset(("coordinates", "geometry", "geometries", "features"))
_BARE = re.compile(r'\{\s*"coordinates"\s*:\s*\[\s*\[')
_POINT = re.compile(r"\s*POINT\s*(?:Z\s*)?\(", re.I)
_OWN = ("id",)


def recognise(lines: Sequence[str]) -> Recognised | None:
    """Tell a form of tracks from the first lines of JSON."""
    begin = "\n".join(lines).lstrip("\ufeff \t\r\n")
    if _are_points(_objects(begin.lstrip("[ \t\r\n")[:HEAD])):
        form = POINTS if begin.startswith("[") else POINT_LINES
        return Recognised(form, "objects with a point such as POINT(11.56 48.16)")
    if not begin.startswith("{"):
        return None
    several = [_object(line) for line in lines] if len(lines) > 1 and _object(lines[0]) else []
    if several:
        return _recognised_lines(several)
    keys, whole = top_keys(begin)
    kind = _kind(begin, keys)
    inside = _TYPE.search(begin) if kind is None and not whole else None
    held = kind in _TYPES and (bool(_WITHIN & keys.keys()) or not whole)
    if _is_about_items(keys) or not (
        held or (inside and _WITHIN & keys.keys()) or _bare(begin, kind)
    ):
        return None
    called = kind or (inside[1] if inside else "coordinates")
    return Recognised(GEOJSON, f"one JSON object with {called}")


def _recognised_lines(objects: Sequence[Mapping[str, Any]]) -> Recognised | None:
    """Tell features, one a line, of which some are lines."""
    fitting = [
        one for one in objects if one.get("type") in _TYPES and not _is_about_items(one.keys())
    ]
    geometries = [one.get("geometry", one) for one in fitting]
    drawn = any(isinstance(one, dict) and one.get("type") in LINES for one in geometries)
    if not drawn or len(fitting) * 2 <= len(objects):
        return None
    share = f"{len(fitting)} of the first {len(objects)} lines"
    return Recognised(GEOJSON_LINES, f"{share} are GeoJSON objects")


def _is_about_items(keys: Any) -> bool:
    from consilience.formats import apart

    return apart.is_about_items(keys, but=_OWN)


def _bare(begin: str, kind: str | None) -> bool:
    return kind is None and _BARE.match(begin) is not None


def _kind(text: str, keys: Mapping[str, int]) -> str | None:
    """Read the type of the outermost object."""
    found = _WORD.match(text, keys["type"]) if "type" in keys else None
    return None if found is None else found[1]


def _are_points(objects: Sequence[Mapping[str, Any]]) -> bool:
    from consilience.formats import apart

    if not objects or not _POINT.match(str(objects[0].get("point", ""))):
        return False
    names = [str(one.get("id")) for one in objects]
    repeated = "id" not in objects[0] or apart.is_repeated(names)
    return repeated and not any(_is_about_items(one) for one in objects)


def _objects(text: str) -> list[Mapping[str, Any]]:
    """Read the objects that a text begins with, as far as they are whole."""
    found: list[Mapping[str, Any]] = []
    place, decoder = 0, json.JSONDecoder()
    while place < len(text) and text[place] == "{":
        try:
            one, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        found.append(one)
        place += len(text[place:]) - len(text[place:].lstrip(", \t\r\n"))
        if len(found) >= _MOST:
            break
    return found


_MOST = 200


def _object(line: str) -> Mapping[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def loaded(lines: Sequence[tuple[int, str]]) -> tuple[dict[str, Any], list[int]]:
    """Read features one a line as a collection; give the lines that are no objects, too."""
    found = [(number, _object(line)) for number, line in lines if line.strip()]
    features = [one for _, one in found if one]
    wrong = [number for number, one in found if not one]
    return {"type": "FeatureCollection", "features": features}, wrong
