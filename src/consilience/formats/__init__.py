"""Files, frames, dicts and arrays in; rows of answers out.

Everything people have is brought into one form, :class:`~consilience.formats.rows.Rows`: who
said what of which item under which query. Files are recognised by content; problems are gathered
and raised together with their lines. Nothing is computed here and nothing is dropped silently.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consilience.errors import (
    EmptyError,
    InputError,
    KindError,
    Problem,
    Problems,
    UsageError,
    placed,
    unknown,
)
from consilience.formats import files, folders, recognise, refused, roles
from consilience.formats.answer_kinds import (
    ANSWER_KINDS,
    AnswerKind,
    answer_kind,
    beside_truth,
    not_mapped,
    truth_mapping,
)
from consilience.formats.naming import tell_apart
from consilience.formats.nothing import nothing, without_boxes
from consilience.formats.rows import ONLY_QUERY, Kind, Rows, Source

if TYPE_CHECKING:
    from consilience.formats.box_layout import Layout
    from consilience.formats.boxes import Opened
    from consilience.formats.cells import Sheet
    from consilience.formats.files import File

__all__ = [
    "ANSWER_KINDS",
    "Kind",
    "Rows",
    "Source",
    "check_mapping",
    "check_mappings",
    "names_of",
    "read_files",
    "read_object",
    "read_sides",
]

Paths = Iterable[str | os.PathLike[str]]


def read_files(
    paths: Paths,
    *,
    truth: Paths = (),
    kind: Kind = "system",
    columns: Mapping[str, str] | None = None,
    truth_columns: Mapping[str, str] | None = None,
    answers: str | None = None,
    encoding: str | None = None,
    labels: bool = False,
    lenient: bool = False,
    empty: bool = False,
    names: Mapping[Path, str] | None = None,
    boxes: Layout | None = None,
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
    truth_columns
        The same of the truth's columns; ``columns`` are then those of ``paths`` alone.
    answers
        The kind of answers, where it is not to be recognised: one of ``ANSWER_KINDS``.
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
    boxes
        What the four numbers of a line are in text files of boxes: corners, sizes or centres.
        None: what fits.
    """
    said, judged = read_sides(
        paths,
        truth=truth,
        kind=kind,
        columns=columns,
        truth_columns=truth_columns,
        answers=answers,
        encoding=encoding,
        labels=labels,
        lenient=lenient,
        empty=empty,
        names=names,
        boxes=boxes,
    )
    return said + judged


def read_sides(
    paths: Paths,
    *,
    truth: Paths = (),
    kind: Kind = "system",
    columns: Mapping[str, str] | None = None,
    truth_columns: Mapping[str, str] | None = None,
    answers: str | None = None,
    encoding: str | None = None,
    labels: bool = False,
    lenient: bool = False,
    empty: bool = False,
    names: Mapping[Path, str] | None = None,
    boxes: Layout | None = None,
) -> tuple[list[Rows], list[Rows]]:
    """Read files as :func:`read_files` does; give tables of ``paths`` and of ``truth`` apart."""
    golden = list(folders.unfolded(truth))
    said = beside_truth(answer_kind(answers), truth=bool(golden))
    reader = _Reader(said, answer_kind(answers), encoding, labels, names or {}, boxes)
    mine = roles.by_role(columns or {})
    answered = reader.group(list(folders.unfolded(paths)), kind, mine)
    theirs = truth_mapping(columns or {}, truth_columns, answered.seen)
    judged = reader.group(golden, "gold", theirs, unmapped=columns or {})
    groups, problems = [answered, judged], reader.problems
    if not problems:
        reader.settle(groups)
    sides = [reader.side(group, empty) for group in groups]
    if not problems and not labels:
        refused.check_files(sides[0], said)
        refused.check_sides(sides[0], sides[1], said)
    if not lenient and (answered.seen or judged.seen or not problems):
        check_mappings(columns or {}, truth_columns, [*answered.seen], [*judged.seen])
    problems.raise_any()
    folders.check_paired(answered.folders, judged.folders, [*sides[0], *sides[1]])
    return sides[0], sides[1]


@dataclass(slots=True)
class _Group:
    """What was read of one group of files: a table in each place, or boxes that wait for others."""

    kind: Kind
    columns: Mapping[str, str]
    unmapped: Mapping[str, str]
    folders: Mapping[Path, Sequence[Path]]
    seen: dict[str, None] = field(default_factory=dict)
    read: list[list[Rows]] = field(default_factory=list)
    bare: list[tuple[Path, EmptyError]] = field(default_factory=list)
    waiting: dict[int, Opened] = field(default_factory=dict)


@dataclass(slots=True)
class _Reader:
    """How files are read, and what was found on the way.

    ``asked`` is the kind of answers that the user named, ``answers`` what follows beside a truth.
    """

    answers: AnswerKind | None
    asked: AnswerKind | None
    encoding: str | None
    labels: bool
    names: Mapping[Path, str]
    layout: Layout | None
    problems: Problems = field(default_factory=Problems)

    def group(
        self,
        paths: Sequence[str | os.PathLike[str]],
        kind: Kind,
        columns: Mapping[str, str],
        *,
        unmapped: Mapping[str, str] | None = None,
    ) -> _Group:
        """Read a group of files; boxes wait for those of the other group.

        Tables that have a column of ``unmapped``, which maps those of the other group, note it.
        """
        missing = Problems()
        found, again = files.expand(paths, missing)
        self.problems.merge(missing)
        made = _Group(kind, columns, unmapped or {}, folders.by_folder(paths, found))
        for path in found:
            try:
                made.read.append(self._file(path, path in again, made))
            except KindError:  # one sentence, whatever else may be wrong
                raise
            except EmptyError as error:
                made.bare.append((Path(self.names.get(path, path)), error))
            except InputError as error:
                self.problems.merge(error)
        return made

    def _file(self, path: Path, again: bool, group: _Group) -> list[Rows]:
        from consilience.formats import boxes

        file = files.look(path, encoding=self.encoding, name=self.names.get(path))
        found = boxes.asked(file) if self.layout else None
        found = found or recognise.recognise(file, columns=group.columns, answers=self.answers)
        if found.form in boxes.FORMS:
            group.waiting[len(group.read)] = boxes.opened(file, found.form, found.why)
            return []
        sheet = _opened(file, found, group.kind, group.columns, self.asked)
        group.seen.update(dict.fromkeys(_columns(sheet)))
        if not isinstance(sheet, list):
            told = not_mapped(group.unmapped, group.columns, sheet.table.column_names)
            sheet = replace(sheet, notes=(*sheet.notes, *told)) if told else sheet
            sheet = _read_table(sheet, group.kind, group.columns, self.labels, self.answers)
        return named_twice(sheet) if again else sheet

    def settle(self, groups: Sequence[_Group]) -> None:
        """Read boxes, those of all groups together: what their numbers mean is decided once."""
        waiting = [(group, place, one) for group in groups for place, one in group.waiting.items()]
        if not waiting:
            return
        from consilience.formats import boxes

        truth = [group.kind == "gold" for group, _, _ in waiting]
        made = boxes.settled([one for *_, one in waiting], layout=self.layout, truth=truth)
        for (group, place, _), some in zip(waiting, made, strict=True):
            group.read[place] = boxes.rows_of(some, group.kind, judged=any(truth))

    def side(self, group: _Group, empty: bool) -> list[Rows]:
        """Put the tables of a group together, folder by folder."""
        read = [rows for some in group.read for rows in some]
        told = {str(path): some for some in group.folders.values() for path in some}
        for path, wrong in group.bare:
            made = without_boxes(path, read, group.kind)
            beside = [rows for rows in read if Path(rows.source.name) in told.get(str(path), ())]
            documents = bool(beside) and all(map(folders.is_document, beside))
            if made is None and (empty or documents):
                made = nothing(path, group.kind, wrong)
            read += [] if made is None else [made]
            if made is None:
                self.problems.merge(wrong)
        return tell_apart(folders.read_as_one(read, group.folders, self.problems))


def _read_table(
    sheet: Sheet,
    kind: Kind,
    columns: Mapping[str, str],
    labels: bool,
    answers: AnswerKind | None,
) -> list[Rows]:
    """Read a table; a votes file as its footer says, unless it is to be read in another way."""
    from consilience.formats import stored, table

    if not labels and not {*columns.values()} & {*sheet.table.column_names}:
        rows = stored.read(sheet, kind=kind)
        if rows is not None:
            return [rows]
    return table.read(sheet, kind=kind, columns=columns, labels=labels, answers=answers)


def check_mappings(
    columns: Mapping[str, str],
    truth_columns: Mapping[str, str] | None,
    answered: Sequence[str],
    judged: Sequence[str],
) -> None:
    """See that mapped columns are there: in the answers or, where it has no mapping, the truth."""
    check_mapping(roles.by_role(columns), [*answered, *([] if truth_columns else judged)])
    check_mapping(roles.by_role(truth_columns or {}), judged, of="the truth")


def check_mapping(given: Mapping[str, str], columns: Sequence[str], *, of: str = "") -> None:
    """See that every column that the user mapped is one of those that were read."""
    where = f" of {of}" if of else ""
    for role, column in given.items():
        if not columns:
            raise UsageError(
                f"nothing that was read{where} has named columns, so none can be mapped to {role}: "
                f"TREC files and lists have none (fix: leave out the mapping {role}={column})"
            )
        if column not in columns:
            raise unknown(f"column{where} (mapped to {role})", column, columns)


def _columns(read: Sheet | list[Rows]) -> Sequence[str]:
    if isinstance(read, list):
        return [name for rows in read for name in rows.source.columns]
    names: list[str] = read.table.column_names
    return names


def names_of(path: Path, columns: Mapping[str, str]) -> list[str]:
    """Return the names of a table's columns, its rows unread; none of what is no table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = files.look(path)
        found = recognise.recognise(file, columns=columns)
        if found.form == "Parquet":
            source = str(path) if file.held is None else pa.BufferReader(file.raw())
            return [name.strip() for name in pq.read_schema(source).names]
        return recognise.names(found, recognise.sample(file))
    except (InputError, OSError, pa.ArrowException):  # whoever reads the file says what is wrong
        return []


def named_twice(rows: list[Rows]) -> list[Rows]:
    """Note that a file was named twice."""
    source = rows[0].source
    note = replace(source, notes=(*source.notes, "the file was named twice: read once"))
    return [replace(one, source=note) for one in rows]


def open_file(
    file: File, kind: Kind, columns: Mapping[str, str], answers: AnswerKind | None = None
) -> Sheet | list[Rows]:
    """Read a file as far as its form goes: a table as it stands, anything else as rows."""
    found = recognise.recognise(file, columns=columns, answers=answers)
    return _opened(file, found, kind, columns, answers)


def _opened(
    file: File,
    found: recognise.Recognised,
    kind: Kind,
    columns: Mapping[str, str],
    answers: AnswerKind | None,
) -> Sheet | list[Rows]:
    from consilience.formats import documents, shapes, sheets, trec
    from consilience.formats.cells import Sheet

    shaped = shapes.read(file, found.form, kind=kind, why=found.why, columns=columns)
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
        return (
            data if isinstance(data, Sheet) else _read_nested(file, data, kind, found.why, answers)
        )
    return sheets.read_delimited(file, delimiter=found.delimiter, form=found.form, why=found.why)


def _read_nested(
    file: File, data: Any, kind: Kind, why: str, answers: AnswerKind | None
) -> list[Rows]:
    """Read what a JSON document holds as the same in Python: {query: {item: score}} and so on."""
    from consilience.formats import objects

    stem = files.stem_of(file.called)
    if isinstance(data, list) and all(isinstance(item, (str, int)) for item in data):
        data = {ONLY_QUERY: data}
    try:
        if answers is None:
            objects.check_votes(data, name=stem, kind=kind)
        rows = objects.read(data, name=stem, kind=kind, columns={}, answers=answers)
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
    answers: str | None = None,
    labels: bool = False,
) -> list[Rows]:
    """Take what Python users hold: a path, a frame, a dict, an array of votes."""
    from consilience.formats import objects
    from consilience.given import kinds_within

    if isinstance(data, (str, Path, os.PathLike)):
        return read_files(
            [data], kind=kind, columns=columns, answers=answers, labels=labels, lenient=True
        )
    kinds_within(data, name)
    given = roles.by_role(columns or {})
    kind_of = answer_kind(answers)
    return objects.read(data, name=name, kind=kind, columns=given, labels=labels, answers=kind_of)
