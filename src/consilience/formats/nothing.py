"""Files that hold nothing: a mistake for most readers, an answer where nothing was found."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from consilience.columns import Codes, Text
from consilience.errors import EmptyError
from consilience.formats.files import stem_of
from consilience.formats.rows import ONLY_QUERY, Kind, Rows, Source

_ENDINGS = re.compile(r"\.(rttm|lab|seg|labels?)$", re.IGNORECASE)
_BOXES = ("boxes of an image", "boxes of an image (YOLO)")


def nothing(path: str | os.PathLike[str], kind: Kind, error: EmptyError) -> Rows:
    """Make rows of a file that holds nothing: its respondent answered, and named no item."""
    why = "holds nothing: a list without items"
    name = stem_of(_ENDINGS.sub("", Path(path).name.removesuffix(".gz")))
    return _rows(Source(str(path), error.form, why, 0, columns=error.columns), name, kind)


def _rows(source: Source, who: str, kind: Kind, query: str = ONLY_QUERY) -> Rows:
    return Rows(
        source,
        Codes.constant(query, 0),
        Codes.constant(who, 0),
        Text.of(()),
        kind=(kind,),
        family=(None,),
        silence="no",
        asked=((who, query),),
    )


def without_boxes(path: Path, read: Sequence[Rows], kind: Kind) -> Rows | None:
    """Take an empty text file beside files of boxes for an image without a box; None for others."""
    for rows in read:
        beside = Path(rows.source.name)
        form = rows.source.recognised
        if form in _BOXES and beside.parent == path.parent and beside.suffix == path.suffix:
            source = Source(str(path), form, "an empty file: an image without a box", 0)
            return _rows(source, rows.respondent.names[0], kind, stem_of(path.name))
    return None


def asked_alike(tables: Sequence[Rows], others: Sequence[Rows]) -> list[Rows]:
    """Let a side that holds nothing answer every query of the other side, with no item."""
    if (
        len(tables) != 1
        or len(tables[0])
        or [query for _, query in tables[0].asked] != [ONLY_QUERY]
    ):
        return list(tables)
    named = dict.fromkeys(query for rows in others for query in _queries(rows))
    who = tables[0].asked[0][0]
    asked = tuple((who, query) for query in named or (ONLY_QUERY,))
    return [replace(tables[0], query=Codes.constant(asked[0][1], 0), asked=asked)]


def _queries(rows: Rows) -> Sequence[str]:
    return (
        [*rows.query.names, *(query for _, query in rows.asked)]
        if len(rows)
        else [query for _, query in rows.asked]
    )
