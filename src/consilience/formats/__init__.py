"""Files, frames, dicts and arrays in; rows of answers out.

Everything people have is brought into one form, :class:`~consilience.formats.rows.Rows`: who
said what of which item under which query. Files are recognised by content; problems are gathered
and raised together with their lines. Nothing is computed here and nothing is dropped silently.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consilience.errors import (
    EmptyError,
    InputError,
    Problem,
    Problems,
    UsageError,
    placed,
    unknown,
)
from consilience.formats import files, recognise, roles
from consilience.formats.naming import tell_apart
from consilience.formats.nothing import nothing, without_boxes
from consilience.formats.rows import ONLY_QUERY, Kind, Rows, Source

if TYPE_CHECKING:
    from consilience.formats.cells import Sheet
    from consilience.formats.files import File

__all__ = ["Kind", "Rows", "Source", "check_mapping", "read_files", "read_object", "read_sides"]

Paths = Iterable[str | os.PathLike[str]]


def read_files(
    paths: Paths,
    *,
    truth: Paths = (),
    kind: Kind = "system",
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    labels: bool = False,
    lenient: bool = False,
    empty: bool = False,
    names: Mapping[Path, str] | None = None,
) -> list[Rows]:
    """Read files, folders and globs; all problems of all files are raised in one go.

    Parameters
    ----------
    paths
        Files, folders or glob patterns.
    truth
        The same, of files whose respondents know or judge what is relevant.
    kind
        What the respondents of ``paths`` are where the files do not say.
    columns
        Role → column name, where a table's names do not say what they are.
    encoding
        The text encoding, where it is not UTF-8 and no byte order mark tells.
    labels
        Whether everybody is an annotator whose labels may be text.
    lenient
        Whether a mapped column may be missing in all files, because the caller has more tables.
    empty
        Whether a file that holds nothing is an answer: nothing was found. An empty text file
        among the boxes of images always is one: an image without a box.
    names
        What files are called that lie elsewhere than their owner knows: by path.
    """
    answers, judged = read_sides(
        paths,
        truth=truth,
        kind=kind,
        columns=columns,
        encoding=encoding,
        labels=labels,
        lenient=lenient,
        empty=empty,
        names=names,
    )
    return answers + judged


def read_sides(
    paths: Paths,
    *,
    truth: Paths = (),
    kind: Kind = "system",
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    labels: bool = False,
    lenient: bool = False,
    empty: bool = False,
    names: Mapping[Path, str] | None = None,
) -> tuple[list[Rows], list[Rows]]:
    """Read files as :func:`read_files` does; give tables of ``paths`` and of ``truth`` apart."""
    given = roles.by_role(columns or {})
    called = names or {}
    problems = Problems()
    sides: list[list[Rows]] = []
    seen: dict[str, None] = {}
    for group, kind_of_group in ((paths, kind), (truth, "gold")):
        found, again = files.expand(group, problems)
        read: list[Rows] = []
        bare: list[tuple[Path, EmptyError]] = []
        for path in found:
            try:
                file = files.look(path, encoding=encoding, name=called.get(path))
                sheet = open_file(file, kind_of_group, given)
                seen.update(dict.fromkeys(_columns(sheet)))
                rows = sheet
                if not isinstance(rows, list):
                    rows = _read_table(rows, kind_of_group, given, labels)
                read += named_twice(rows) if path in again else rows
            except EmptyError as error:
                bare.append((Path(called.get(path, path)), error))
            except InputError as error:
                problems.merge(error)
        for path, wrong in bare:
            made = without_boxes(path, read, kind_of_group)
            made = nothing(path, kind_of_group, wrong) if made is None and empty else made
            read += [] if made is None else [made]
            if made is None:
                problems.merge(wrong)
        sides.append(tell_apart(read))
    if not lenient and (seen or not problems):
        check_mapping(given, list(seen))
    problems.raise_any()
    return sides[0], sides[1]


def _read_table(sheet: Sheet, kind: Kind, columns: Mapping[str, str], labels: bool) -> list[Rows]:
    """Read a table; a votes file as its footer says, unless it is to be read in another way."""
    from consilience.formats import stored, table

    if not labels and not {*columns.values()} & {*sheet.table.column_names}:
        rows = stored.read(sheet, kind=kind)
        if rows is not None:
            return [rows]
    return table.read(sheet, kind=kind, columns=columns, labels=labels)


def check_mapping(given: Mapping[str, str], columns: Sequence[str]) -> None:
    """See that every column that the user mapped is one of those that were read."""
    for role, column in given.items():
        if not columns:
            raise UsageError(
                f"nothing that was read has named columns, so none can be mapped to {role}: TREC "
                f"files and lists have none (fix: leave out the mapping {role}={column})"
            )
        if column not in columns:
            raise unknown(f"column (mapped to {role})", column, columns)


def _columns(read: Sheet | list[Rows]) -> Sequence[str]:
    return [] if isinstance(read, list) else read.table.column_names


def named_twice(rows: list[Rows]) -> list[Rows]:
    """Note that a file was named twice."""
    source = rows[0].source
    note = replace(source, notes=(*source.notes, "the file was named twice: read once"))
    return [replace(one, source=note) for one in rows]


def open_file(file: File, kind: Kind, columns: Mapping[str, str]) -> Sheet | list[Rows]:
    """Read a file as far as its form goes: a table as it stands, anything else as rows."""
    from consilience.formats import documents, shapes, sheets, trec
    from consilience.formats.cells import Sheet

    found = recognise.recognise(file, columns=columns)
    shaped = shapes.read(file, found.form, kind=kind, why=found.why)
    if shaped is not None:
        return shaped
    if found.form == "TREC run":
        return [trec.read(file, "TREC run", kind=kind, why=found.why)]
    if found.form == "TREC qrels":
        judge: Kind = "gold" if kind == "system" else kind
        return [trec.read(file, "TREC qrels", kind=judge, why=found.why)]
    if found.form == "list":
        return [_read_list(file, kind=kind, why=found.why)]
    if found.form == "Parquet":
        return sheets.read_parquet(file, why=found.why, columns=columns)
    if found.form == "JSON lines":
        return documents.read_json_lines(file, why=found.why, columns=columns)
    if found.form == "JSON":
        data = documents.read_document(file, columns=columns)
        return data if isinstance(data, Sheet) else _read_nested(file, data, kind, found.why)
    return sheets.read_delimited(file, delimiter=found.delimiter, form=found.form, why=found.why)


def _read_nested(file: File, data: Any, kind: Kind, why: str) -> list[Rows]:
    """Read what a JSON document holds as the same in Python: {query: {item: score}} and so on."""
    from consilience.formats import objects

    stem = files.stem_of(file.called)
    if isinstance(data, list) and all(isinstance(item, (str, int)) for item in data):
        data = {ONLY_QUERY: data}
    try:
        rows = objects.read(data, name=stem, kind=kind, columns={})
    except InputError as error:
        raise InputError([replace(p, file=file.name) for p in error.problems]) from None
    except UsageError as error:
        raise placed(error, file.name) from None
    source = Source(file.name, "JSON", why, sum(map(len, rows)))
    return [replace(one, source=source) for one in rows]


def _read_list(file: File, *, kind: Kind, why: str) -> Rows:
    """Read a plain list: one item a line, the file is the respondent, order is the rank."""
    import numpy as np

    from consilience.columns import Codes, Text

    problems = Problems()
    pairs = [(number, line.strip(" \t\v\f")) for number, line in file.lines(problems)]
    pairs = [(number, line) for number, line in pairs if line.strip()]
    broken = [number for number, line in pairs if "\0" in line]
    problems.many(broken, lambda number: Problem(file.name, number, *files.NUL))
    problems.sorted().raise_any()
    numbers = [number for number, _ in pairs]
    return Rows(
        Source(file.name, "list", why, len(pairs)),
        Codes.constant(ONLY_QUERY, len(pairs)),
        Codes.constant(files.stem_of(file.called), len(pairs)),
        Text.of(line for _, line in pairs),
        kind=(kind,),
        family=(None,),
        silence="no",
        rank=np.arange(1, len(pairs) + 1),
        counted=True,
        locate=numbers.__getitem__,
    )


def read_object(
    data: Any,
    *,
    name: str,
    kind: Kind = "system",
    columns: Mapping[str, str] | None = None,
    labels: bool = False,
) -> list[Rows]:
    """Take what Python users hold: a path, a frame, a dict, an array of votes."""
    from consilience.formats import objects

    if isinstance(data, (str, Path, os.PathLike)):
        return read_files([data], kind=kind, columns=columns, labels=labels, lenient=True)
    given = roles.by_role(columns or {})
    return objects.read(data, name=name, kind=kind, columns=given, labels=labels)
