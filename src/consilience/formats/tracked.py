"""Tracks as points, and as the text that stands for a track in a study.

A track is written as well-known text, longitude before latitude:
``LINESTRING (11.56 48.16, 11.57 48.17)``, or ``MULTILINESTRING ((…), (…))`` where it was
interrupted. Numbers are written so that they read back as the same numbers. The name that a file
gives to a track follows after a blank, ``LINESTRING (…) Monday``: people know it by that, and
similarities leave it aside.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.columns import Codes, Text
from consilience.errors import UsageError, quote
from consilience.formats.rows import ONLY_QUERY, Kind, Rows, Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FIX = "write LINESTRING (longitude latitude, longitude latitude, …)"
_TEXT = re.compile(
    r"\s*+(?:SRID=4326;)?\s*+(MULTI)?(LINESTRING|POINT)\s*(Z|M|ZM)?\s*"
    r"(\((?:[^()]++|\([^()]*+\))*+\))(?:\s+(\S.*))?\s*",
    re.I | re.S,
)
#: A mean radius of the earth in kilometres, for lengths that people read.
_RADIUS = 6371.0088


@dataclass(frozen=True, slots=True)
class Track:
    """A track: a name, and its parts as arrays of longitude and latitude (points × 2).

    ``own`` tells whether the file gave the name, which then belongs to the track's text.
    """

    name: str
    parts: tuple[NDArray[np.float64], ...]
    system: str = ""
    query: str = ONLY_QUERY
    own: bool = True

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __repr__(self) -> str:
        return f"<Track: {self.name}, {len(self):,} points, {kilometres(self.parts):.1f} km>"

    @property
    def text(self) -> str:
        """The text that stands for the track in a study."""
        return written(self.parts, self.name if self.own else "")


@dataclass(frozen=True, slots=True)
class Tracks:
    """The tracks of a file, and where they came from."""

    tracks: tuple[Track, ...]
    source: Source

    def __len__(self) -> int:
        return len(self.tracks)

    def __repr__(self) -> str:
        names = ", ".join(one.name for one in self.tracks[:4]) + (", …" if len(self) > 4 else "")
        return f"<Tracks: {len(self):,} of {self.source.name}: {names}>"

    def rows(self, kind: Kind, stem: str) -> Rows:
        """Give the tracks as answers: a file is a respondent, a track is an item."""
        who = Codes.of(one.system or stem for one in self.tracks)
        return Rows(
            self.source,
            Codes.of(one.query for one in self.tracks),
            who,
            Text.of(one.text for one in self.tracks),
            kind=(kind,) * len(who.names),
            family=(None,) * len(who.names),
            silence="no",
        )


def written(parts: Sequence[NDArray[np.float64]], name: str = "") -> str:
    """Write a track as text.

    Examples
    --------
    >>> written([np.array([[11.5, 48.0], [11.25, 48.1]])], "there and back")
    'LINESTRING (11.5 48.0, 11.25 48.1) there and back'
    """
    lines = [f"({', '.join(f'{x!r} {y!r}' for x, y in part.tolist())})" for part in parts]
    line = f"LINESTRING {lines[0]}" if len(lines) == 1 else f"MULTILINESTRING ({', '.join(lines)})"
    return " ".join([line, *name.split()])


def labelled(text: str) -> str | None:
    """Name a track in a few words without reading its points; None where it is no track.

    Examples
    --------
    >>> labelled("LINESTRING (11.5 48, 11.51 48.001) Monday"), labelled("Monday")
    ('Monday, 2 points', None)
    >>> labelled("LINESTRING (11.561234567 48, 11.57 48.001)")
    '2 points from 11.5612 48'
    """
    found = _TEXT.fullmatch(text)
    if found is None:
        return None
    *_, inside, name = found.groups()
    many = inside.count(",") + 1
    points = f"{many:,} point{'s' if many > 1 else ''}"
    if name:
        return f"{' '.join(name.split())}, {points}"
    begin = inside.partition(",")[0].replace("(", " ").replace(")", " ").split()
    return f"{points} from {' '.join(part[:7] for part in begin[:2])}"


def parsed(item: Any) -> tuple[NDArray[np.float64], ...]:
    """Read a track from its text, from points (longitude, latitude), or as it was read.

    Examples
    --------
    >>> [part.tolist() for part in parsed("LINESTRING (11.5 48, 11.25 48.1)")]
    [[[11.5, 48.0], [11.25, 48.1]]]
    >>> len(parsed("MULTILINESTRING ((0 0, 1 1), (2 2, 3 3))"))
    2
    """
    if isinstance(item, Track):
        parts = item.parts
    elif isinstance(item, str):
        parts = _of_text(item)
    else:
        parts = _of_points(item)
    for part in parts:
        wrong = fault(part)
        if wrong:
            raise UsageError(f"{quote(item)} is not a track: {wrong} (fix: {_FIX})")
    return parts


def _of_text(text: str) -> tuple[NDArray[np.float64], ...]:
    found = _TEXT.fullmatch(text)
    if found is None:
        raise UsageError(f"{quote(text)} is not a track (fix: {_FIX})")
    several, kind, extra, inside, _ = found.groups()
    body = inside.strip()[1:-1]
    pieces = re.findall(r"\(([^()]*)\)", body) if several and kind.upper() != "POINT" else [body]
    width = 2 + len(extra or "")
    try:
        parts = tuple(_numbers(piece, width) for piece in pieces)
    except ValueError:
        raise UsageError(f"{quote(text)} is not a track (fix: {_FIX})") from None
    if not parts or not all(map(len, parts)):
        raise UsageError(f"{quote(text)} has no points (fix: {_FIX})")
    return parts


def _numbers(piece: str, width: int) -> NDArray[np.float64]:
    first = piece.partition(",")[0].replace("(", " ").replace(")", " ").split()
    many = max(width, len(first))
    plain = piece.replace(",", " ").replace("(", " ").replace(")", " ")
    values = np.array(plain.split(), np.float64).reshape(-1, many)
    return np.ascontiguousarray(values[:, :2])


def _of_points(points: Any) -> tuple[NDArray[np.float64], ...]:
    try:
        held = np.array(points, np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"{quote(points)} is not a track (fix: {_FIX})") from None
    if held.ndim != 2 or held.shape[1] != 2 or not len(held):
        raise UsageError(f"{quote(points)} is not a track (fix: give points × 2, or {_FIX})")
    return (held,)


def fault(points: NDArray[np.float64]) -> str:
    """Say what is wrong with longitudes and latitudes; nothing where all is well.

    Examples
    --------
    >>> fault(np.array([[11.0, 148.0]]))
    'latitude 148 is not within -90 and 90'
    """
    if not np.isfinite(points).all():
        return "a coordinate is not finite"
    high = np.abs(points[:, 1]) > 90
    if high.any():
        return f"latitude {points[high][0, 1]:g} is not within -90 and 90"
    wide = np.abs(points[:, 0]) > 360
    return f"longitude {points[wide][0, 0]:g} is not within -180 and 180" if wide.any() else ""


def kilometres(parts: Sequence[NDArray[np.float64]]) -> float:
    """How long a track is, along great circles.

    Examples
    --------
    >>> round(kilometres([np.array([[0.0, 0.0], [0.0, 1.0]])]), 2)
    111.2
    """
    total = 0.0
    for part in parts:
        x, y = np.radians(part).T
        half = np.sin(np.diff(y) / 2) ** 2
        half += np.cos(y[1:]) * np.cos(y[:-1]) * np.sin(np.diff(x) / 2) ** 2
        total += float((2 * _RADIUS * np.arcsin(np.sqrt(np.clip(half, 0, 1)))).sum())
    return total


def short(item: Any) -> str:
    """Say in a few words what a track is; its text is too long to be read.

    Examples
    --------
    >>> short("LINESTRING (11.5 48, 11.51 48.001, 11.52 48)")
    'track of 3 points, 1.5 km, from 48.0000 11.5000'
    >>> short("LINESTRING (11.5 48, 11.51 48.001, 11.52 48) Monday")
    'Monday, 3 points, 1.5 km'
    """
    parts = parsed(item)
    points = sum(map(len, parts))
    name = item.name if isinstance(item, Track) else ""
    found = _TEXT.fullmatch(item) if isinstance(item, str) else None
    name = " ".join(((found[5] if found else name) or "").split())
    if name:
        return f"{name}, {points:,} points, {kilometres(parts):.1f} km"
    x, y = parts[0][0]
    return f"track of {points:,} points, {kilometres(parts):.1f} km, from {y:.4f} {x:.4f}"
