"""What tells a table of segments, boxes or points from a table of items: its columns and its rows.

A table that names items, grades, votes, ranks or queries is a table of items. Where the only item
is a document or an image, which may also be where segments or boxes lie, the rows decide: an
annotator who marks several segments in one document does not give it one label.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from consilience.formats import roles
from consilience.formats.recognise import TABLE_ENDINGS, cells, roles_of

_ITEMS = frozenset(roles.ROLES["item"])
_QUERIES = frozenset(roles.ROLES["query"])
#: Names of columns that hold answers about items; a label may as well be the class of a segment.
_ANSWERS = frozenset((*roles.ROLES["vote"], *roles.ROLES["grade"], *roles.ROLES["rank"]))
_GRADES = _ANSWERS - {"label"}
_SCORES = frozenset(roles.ROLES["score"])
_LABELS = frozenset(("label", "category"))
_DOCUMENTS = frozenset(("document", "doc", "document_id", "doc_id", "docid"))
_IMAGES = frozenset(("image", "image_id"))
_SIDES = ("left", "top", "width", "height", "right", "bottom")


@dataclass(frozen=True, slots=True)
class Body:
    """The header of a table and those of its first rows that have as many cells."""

    header: list[str]
    rows: list[list[str]]
    delimiter: str

    @property
    def names(self) -> frozenset[str]:
        """The names of the columns in one spelling."""
        return frozenset(map(plain, self.header))

    def column(self, name: str | None) -> list[str]:
        """Give the cells of a column; empty ones for None."""
        if name is None:
            return [""] * len(self.rows)
        place = self.header.index(name)
        return [row[place] for row in self.rows]

    def numbers(self, names: Sequence[str]) -> list[float] | None:
        """Give the numbers of some columns; None where half of the filled cells are none."""
        filled = [cell for name in names for cell in self.column(name) if cell]
        read = [roles.read_number(cell) for cell in filled]
        found = [value for value in read if value is not None and value == value]
        return found if len(found) * 2 > len(filled) or not filled else None

    def are_apart(self, names: Sequence[str | None]) -> bool:
        """Tell whether no two rows have the same cells in some columns."""
        keys = list(zip(*map(self.column, names), strict=True))
        return len(set(keys)) == len(keys)


def plain(name: str) -> str:
    """Spell the name of a column in one way."""
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def body_of(lines: Sequence[str], delimiter: str, ending: str) -> Body | None:
    """Read the first lines as a table; None where most rows have other cells than the header.

    A header alone is a table only in a file that is called one.
    """
    header = cells(lines[0], delimiter)
    every = [cells(line, delimiter) for line in lines[1:]]
    rows = [row for row in every if len(row) == len(header)]
    empty = not every and ending not in TABLE_ENDINGS
    if len(header) < 2 or empty or len(rows) * 2 < len(every):
        return None
    return Body(header, rows, delimiter)


def holds_events(body: Body, found: Mapping[str, str]) -> bool:
    """Tell whether the rows of a table with columns of times are events.

    Examples
    --------
    >>> from consilience.formats.event_tables import columns_of
    >>> marked = ["doc,annotator,start,end", "d1,Ann,0,2.5", "d1,Ann,3,4"]
    >>> body = body_of(marked, ",", "csv")
    >>> holds_events(body, columns_of(body.header))
    True
    >>> body = body_of(marked[:2], ",", "csv")  # one row for a document: perhaps an answer
    >>> holds_events(body, columns_of(body.header))
    False
    """
    ends = found.get("end", found.get("duration", ""))
    times = body.numbers([found["start"], ends])
    known = roles_of(body.header, {})
    if times is None:
        return False
    told = {"label", "recording"} <= found.keys() and known.get("respondent") in {
        None,
        *found.values(),
    }
    if told and not body.names & (_GRADES | _QUERIES):
        whose = [found["recording"], found.get("respondent")]
        if not (body.are_apart(whose) or _are_votes(times)):  # several in a document, with labels
            return True
    if plain(known.get("item", "doc")) not in _DOCUMENTS:
        return False
    if "item" not in known:
        return plain(found.get("recording", "")) not in _QUERIES or not body.names & _GRADES
    if body.names & _GRADES or len(found) < len(body.header):
        return False
    if body.are_apart([found["recording"], found.get("respondent")]):
        return known.keys() == {"item"} and any(value > 1 for value in times)
    return not _are_votes(times)


def holds_boxes(body: Body, found: Mapping[str, str]) -> bool:
    """Tell whether the rows of a table with columns of coordinates are boxes.

    Examples
    --------
    >>> from consilience.formats.boxes_text import header_of
    >>> body = body_of(["image,x,y,w,h", "a.jpg,10,20,30,40"], ",", "csv")
    >>> holds_boxes(body, header_of(body.header))
    True
    >>> body = body_of(["image,x,y,w,h", "a.jpg,1,0,0,1"], ",", "csv")  # votes of four systems
    >>> holds_boxes(body, header_of(body.header))
    False
    """
    sure = {"image", "class"} <= found.keys()  # then an id is that of the box
    if body.names & ((_ITEMS - _IMAGES - ({"id"} if sure else set())) | _GRADES | _QUERIES):
        return False
    sides = body.numbers([found[side] for side in _SIDES if side in found])
    if sides is None or (body.rows and _are_votes(sides)):
        return False
    who = roles_of(body.header, {}).get("respondent")
    if who is not None and who != found.get("system"):
        return False
    if not body.names & _IMAGES or not body.are_apart([found["image"], who]):
        return True
    called = plain(found.get("class", ""))
    if called in _LABELS:
        values = body.numbers([found["class"]])
        return "system" not in found and (values is None or not _are_votes(values))
    parts = all(0 <= value <= 1 for value in sides)
    return bool(called) or "score" in found or not parts or not body.rows


def holds_tracks(body: Body, found: Mapping[str, str]) -> bool:
    """Tell whether the rows of a table with longitude and latitude are points of tracks.

    Examples
    --------
    >>> from consilience.formats.tracks import header_of
    >>> body = body_of(["trip,lat,lon", "1,48.1,11.5", "1,48.2,11.6"], ",", "csv")
    >>> holds_tracks(body, header_of(body.header))
    True
    >>> body = body_of(["trip,lat,lon", "1,48.1,11.5", "2,48.2,11.6"], ",", "csv")
    >>> holds_tracks(body, header_of(body.header))
    False
    """
    if body.names & (_ITEMS | _ANSWERS | _QUERIES | _SCORES):
        return False
    degrees = body.numbers([found["longitude"], found["latitude"]])
    if degrees is None or sum(abs(value) <= 180 for value in degrees) * 2 < len(degrees):
        return False
    return "track" not in found or not body.rows or is_repeated(body.column(found["track"]))


def is_repeated(names: Sequence[str]) -> bool:
    """Tell whether a name stands twice in a row: points of one track follow each other."""
    return any(a == b for a, b in itertools.pairwise(names))


def is_about_items(keys: Collection[str], *, but: Collection[str] = ()) -> bool:
    """Tell whether the keys of a JSON object name an item, a query or an answer.

    Examples
    --------
    >>> is_about_items(["item", "point"]), is_about_items(["id", "point"], but=["id"])
    (True, False)
    """
    names = {plain(key) for key in keys} - {*but}
    return bool(names & (_ITEMS | _ANSWERS | _QUERIES | _SCORES))


def _are_votes(values: Sequence[float]) -> bool:
    return all(value in (0, 1) for value in values)
