"""Files of segments, boxes and tracks: recognised by content, read as rows like all others.

Such an item is written as text, so that a study needs no other kind of items: a segment as
``106.183 106.808 speaker1`` (start, end, class), a box as ``10 20 30 40 cat`` (left, top, width,
height, class), a track as ``LINESTRING (11.56 48.16, 11.57 48.17) Monday`` (longitude, latitude,
the name where it has one). The similarities of the room of matching read that text again.

Each kind has a module here with its ``FORMS``, a function ``recognise`` that tells one of them
from the first lines, and a function ``read``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from consilience.formats.files import File
    from consilience.formats.recognise import Recognised
    from consilience.formats.rows import Kind, Rows


def _modules() -> Sequence[Any]:
    from consilience.formats import boxes, segments, tracks

    return (segments, boxes, tracks)


def recognise(
    file: File, lines: Sequence[str], given: Mapping[str, str] | None = None
) -> Recognised | None:
    """Tell whether a file holds segments, boxes or tracks.

    ``given`` maps roles to columns that the file has: only a table of events may have such.
    """
    if given:
        from consilience.formats import event_tables

        return event_tables.recognise(lines, file.ending, given)
    found = (module.recognise(file, lines) for module in _modules())
    return next((one for one in found if one is not None), None)


def read(
    file: File, form: str, *, kind: Kind, why: str, columns: Mapping[str, str] | None = None
) -> list[Rows] | None:
    """Read a file of one of the forms known here; None for another form."""
    from consilience.formats import event_tables

    if form == event_tables.FORM:
        return event_tables.read(file, kind=kind, why=why, columns=columns)
    for module in _modules():
        if form in module.FORMS:
            rows: list[Rows] = module.read(file, form, kind=kind, why=why)
            return rows
    return None


def kind_of_form(form: str) -> str:
    """Tell what the items of a form are: segments, boxes, tracks or text."""
    for module in _modules():
        if form in module.FORMS:
            return str(module.__name__.rpartition(".")[2])
    return "text"
