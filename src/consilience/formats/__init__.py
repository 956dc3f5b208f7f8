"""Files, frames, dicts and arrays in; rows of answers out.

Everything people have is brought into one form, :class:`~consilience.formats.rows.Rows`: who
said what of which item under which query. Files are recognised by content; problems are gathered
and raised together with their lines. Nothing is computed here and nothing is dropped silently.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consilience.errors import InputError, Problem, bad
from consilience.formats import files, recognise
from consilience.formats.rows import ONLY_QUERY, Kind, Rows, Source

if TYPE_CHECKING:
    from consilience.formats.files import File

__all__ = ["Kind", "Rows", "Source", "read_files"]


def read_files(
    paths: Iterable[str | os.PathLike[str]],
    *,
    kind: Kind = "system",
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> list[Rows]:
    """Read files, folders and globs; all problems of all files are raised in one go.

    Parameters
    ----------
    paths
        Files, folders or glob patterns.
    kind
        What the respondents are where the files do not say.
    columns
        Role → column name, where a table's names do not say what they are.
    encoding
        The text encoding, where it is not UTF-8 and no byte order mark tells.
    """
    problems: list[Problem] = []
    total = 0
    tables: list[Rows] = []
    for path in files.expand(paths):
        try:
            file = files.look(path, encoding=encoding)
            tables += _read_file(file, kind=kind, columns=columns or {})
        except InputError as error:
            problems += error.problems
            total += error.total
    if problems:
        raise InputError(problems, total)
    return _tell_apart(tables)


def _tell_apart(tables: list[Rows]) -> list[Rows]:
    """Name runs after their files where several files carry one tag for the same queries."""
    runs = [rows for rows in tables if rows.source.recognised == "TREC run"]
    clashing = {
        id(rows)
        for one, rows in enumerate(runs)
        for two, other in enumerate(runs)
        if one != two
        and {*rows.respondent.names} & {*other.respondent.names}
        and {*rows.query.names} & {*other.query.names}
    }
    return [_named_by_file(rows) if id(rows) in clashing else rows for rows in tables]


def _named_by_file(rows: Rows) -> Rows:
    stem = files.stem_of(Path(rows.source.name).name)
    tags = rows.respondent.names
    names = (stem,) if len(tags) == 1 else tuple(f"{stem}:{tag}" for tag in tags)
    note = f"named {', '.join(names)} after the file: other files carry the tag {', '.join(tags)} too"
    source = replace(rows.source, notes=(*rows.source.notes, note))
    return replace(rows, source=source, respondent=replace(rows.respondent, names=names))


def _read_file(file: File, *, kind: Kind, columns: Mapping[str, str]) -> list[Rows]:
    from consilience.formats import sheets, table, trec

    found = recognise.recognise(file, columns=columns)
    if found.form == "TREC run":
        return [trec.read(file, "TREC run", kind=kind, why=found.why)]
    if found.form == "TREC qrels":
        judge: Kind = "gold" if kind == "system" else kind
        return [trec.read(file, "TREC qrels", kind=judge, why=found.why)]
    if found.form == "list":
        return [_read_list(file, kind=kind, why=found.why)]
    if found.form == "Parquet":
        sheet = sheets.read_parquet(file, why=found.why)
    elif found.form == "JSON lines":
        sheet = sheets.read_json_lines(file, why=found.why)
    else:
        sheet = sheets.read_delimited(
            file, delimiter=found.delimiter, form=found.form, why=found.why
        )
    return table.read(sheet, kind=kind, columns=columns)


def _read_list(file: File, *, kind: Kind, why: str) -> Rows:
    """Read a plain list: one item a line, the file is the respondent, order is the rank."""
    import numpy as np

    from consilience.columns import Codes, Text

    pairs = [(number, line.strip()) for number, line in file.lines() if line.strip()]
    for number, line in pairs:
        if "\0" in line:
            raise bad(file.name, number, "holds a NUL byte", "remove it, or write the file again")
    numbers = [number for number, _ in pairs]
    return Rows(
        Source(file.name, "list", why, len(pairs)),
        Codes.constant(ONLY_QUERY, len(pairs)),
        Codes.constant(files.stem_of(file.path.name), len(pairs)),
        Text.of(line for _, line in pairs),
        kind=(kind,),
        family=(None,),
        silence="no",
        rank=np.arange(1, len(pairs) + 1),
        locate=numbers.__getitem__,
    )


def read_object(
    data: Any, *, name: str, kind: Kind = "system", columns: Mapping[str, str] | None = None
) -> list[Rows]:
    """Take what Python users hold: a path, a frame, a dict, an array of votes."""
    from consilience.formats import objects

    if isinstance(data, (str, Path, os.PathLike)):
        return read_files([data], kind=kind, columns=columns)
    return objects.read(data, name=name, kind=kind, columns=columns or {})

