"""Files of boxes: recognised by content, read as arrays or as rows like all others.

COCO's ground truths and results (:mod:`consilience.formats.boxes_coco`), text files with one box a
line and tables of boxes (:mod:`consilience.formats.boxes_text`). In a study an image is a query and
a box is an item (:mod:`consilience.formats.boxed`); what a study cannot hold (crowds, areas, names
of classes beside their ids) is there in what :func:`read_boxes` gives.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import (
    EmptyError,
    InputError,
    Problem,
    Problems,
    UsageError,
    bad,
    unknown,
)
from consilience.formats import boxes_coco, boxes_lines, boxes_text, files
from consilience.formats.boxed import Boxes, made, parsed, written
from consilience.formats.rows import Source

if TYPE_CHECKING:
    from consilience.formats.files import File
    from consilience.formats.recognise import Recognised
    from consilience.formats.rows import Kind, Rows

__all__ = ["FORMS", "Boxes", "holds_boxes", "parsed", "read", "read_boxes", "recognise", "written"]

#: The forms that are read here.
FORMS: tuple[str, ...] = (
    *(boxes_coco.TRUTH, boxes_coco.RESULTS, boxes_coco.RESULT_LINES),
    *(boxes_text.LINES, boxes_text.YOLO, boxes_text.TABLE),
)
_DELIMITERS = (",", "\t", ";", "|")


def recognise(file: File, lines: Sequence[str]) -> Recognised | None:
    """Tell a form from the first lines."""
    from consilience.formats import apart
    from consilience.formats.recognise import Recognised, cells

    begin = lines[0].lstrip()
    if begin.startswith(("{", "[")):
        found = boxes_coco.form_of("\n".join(lines))
        return None if found is None else Recognised(*found)
    for delimiter in _DELIMITERS:
        columns = boxes_text.header_of(cells(lines[0], delimiter))
        body = apart.body_of(lines, delimiter, file.ending) if columns else None
        if body is not None and columns is not None and apart.holds_boxes(body, columns):
            why = f"header line {', '.join(body.header)}"
            return Recognised(boxes_text.TABLE, why, delimiter)
    found = boxes_lines.form_of(lines, file)
    return None if found is None else Recognised(*found)


def read(file: File, form: str, *, kind: Kind, why: str) -> list[Rows]:
    """Read a file; a ground truth is held for one unless something else was said."""
    judge: Kind = "gold" if form == boxes_coco.TRUTH and kind == "system" else kind
    return [one.rows(judge) for one in _read(file, form, why)]


def _read(file: File, form: str, why: str) -> list[Boxes]:
    if form in (boxes_text.LINES, boxes_text.YOLO):
        return [boxes_text.read_lines(file, form, why)]
    if form == boxes_text.TABLE:
        return _read_table(file, why)
    return [boxes_coco.read(file, form, why)]


def _read_table(file: File, why: str) -> list[Boxes]:
    from consilience.formats.recognise import recognise as told
    from consilience.formats.sheets import read_delimited

    delimiter = told(file).delimiter
    sheet = read_delimited(file, delimiter=delimiter, form=boxes_text.TABLE, why=why)
    boxes_text.check_header(sheet)
    columns = boxes_text.header_of(sheet.table.column_names)
    if columns is None:
        raise bad(file.name, 1, "this is no table of boxes", "name columns x, y, w and h")
    if not sheet.table.num_rows:
        sheet.problems.raise_any()
        wrong = Problem(file.name, None, "the table has a header and no boxes", "add rows")
        raise EmptyError(wrong, boxes_text.TABLE, sheet.table.column_names)
    return boxes_text.read_table(sheet, columns)


def read_boxes(
    data: str | os.PathLike[str] | Mapping[str, Any] | Sequence[Any] | Boxes,
    *,
    system: str | None = None,
    encoding: str | None = None,
) -> Boxes:
    """Read boxes from a file, a folder of text files, or COCO's objects in Python.

    Parameters
    ----------
    data
        COCO's ground truth or results (a JSON file, or what it holds), a table of boxes, or a
        folder with a text file for each image; an empty file there is an image without a box. Any
        other file that holds nothing says that nothing was found.
    system
        Whose boxes are wanted where a table holds those of several systems.
    encoding
        The text encoding, where it is not UTF-8.

    Examples
    --------
    >>> read_boxes([{"image_id": 7, "category_id": 1, "bbox": [10, 20, 30, 40], "score": 0.9}])
    <Boxes: boxes, 1 boxes of 1 classes in 1 images>
    """
    if isinstance(data, Boxes):
        return data
    if not isinstance(data, (str, os.PathLike)):
        return boxes_coco.of_object(data, "boxes", "boxes")
    path = Path(data)
    if path.is_dir():
        return _read_folder(path, encoding)
    problems = Problems()
    found, _ = files.expand([path], problems)
    problems.raise_any()
    if len(found) != 1:
        raise bad(
            str(path), None, f"expected one file, found {len(found)}", "name one, or a folder"
        )
    try:
        several = _read_file(files.look(found[0], encoding=encoding))
    except EmptyError as error:  # nothing was found
        source = Source(str(path), error.form, "holds no boxes", 0)
        return made(files.stem_of(path.name), source, image=[], box=[], label=[])
    return _of_system(several, system, str(path))


def holds_boxes(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file, or the first file of a folder that is not empty, holds boxes."""
    given = Path(path)
    inside = sorted(_inside(given)) if given.is_dir() else [given]
    first = next((one for one in inside if one.is_file() and one.stat().st_size), None)
    if first is None:
        return False
    try:
        return _told(files.look(first)) is not None
    except InputError:
        return False


def _told(file: File) -> Recognised | None:
    from consilience.formats.recognise import recognise as told

    found = told(file)
    return found if found.form in FORMS else None


def _asked(file: File) -> Recognised | None:
    """Tell lines of boxes where somebody said that they are: few lines do not say it themselves."""
    from consilience.formats.recognise import Recognised, sample

    found = boxes_lines.form_of(sample(file), file, sure=True)
    return None if found is None else Recognised(*found)


def _read_file(file: File) -> list[Boxes]:
    text = file.head.decode(errors="replace").strip() if len(file.head) < 100 else ""
    if text == "[]":
        return [boxes_coco.of_object([], file.name, files.stem_of(file.called), "no boxes")]
    found = _told(file) or _asked(file)
    if found is None:
        lines = file.head.decode(errors="replace").splitlines()
        blank = next(filter(None, map(boxes_text.has_blanks, lines)), None)
        if blank is not None:
            raise bad(file.name, None, *blank)
        fix = "give COCO JSON, a table with x, y, w and h, or lines 'class left top width height'"
        raise bad(file.name, 1, "this file holds no boxes that can be read", fix)
    return _read(file, found.form, found.why)


def _of_system(several: Sequence[Boxes], system: str | None, name: str) -> Boxes:
    names = [one.name for one in several]
    if system is not None:
        if system not in names:
            raise unknown("system", system, names)
        return several[names.index(system)]
    if len(several) != 1:
        raise UsageError(
            f"{name} holds boxes of {len(several)} systems: {', '.join(names[:8])} "
            "(fix: say whose with system=, or give each a file)"
        )
    return several[0]


def _inside(folder: Path) -> list[Path]:
    return [one for one in folder.iterdir() if one.is_file() and not one.name.startswith(".")]


def _read_folder(folder: Path, encoding: str | None) -> Boxes:
    """Read a folder with a text file for each image."""
    problems = Problems()
    parts: list[Boxes] = []
    empty: list[str] = []
    inside = sorted(one for one in _inside(folder) if one.suffix.lower() == ".txt")
    if not inside:
        raise bad(str(folder), None, "the folder holds no .txt files", "name the file of boxes")
    for path in inside:
        if not path.read_bytes().strip():
            empty.append(files.stem_of(path.name))
            continue
        try:
            parts += _read_file(files.look(path, encoding=encoding))
        except InputError as error:
            problems.merge(error)
    problems.raise_any()
    forms = dict.fromkeys(one.source.recognised for one in parts)
    if len(forms) > 1:
        raise bad(str(folder), None, f"files of several forms: {', '.join(forms)}", "keep one")
    return _joined(folder, parts, empty)


def _joined(folder: Path, parts: Sequence[Boxes], empty: Sequence[str]) -> Boxes:
    """Put the boxes of several images together."""
    scored = [one.score is not None for one in parts if len(one)]
    if any(scored) and not all(scored):
        raise bad(str(folder), None, "some files have scores, some do not", "give all a score")
    form = parts[0].source.recognised if parts else boxes_text.LINES
    several = f"{len(parts) + len(empty)} files, one an image"
    source = Source(str(folder), form, f"{several}: {parts[0].source.why}" if parts else several, 0)
    every = sorted([*empty, *(image for one in parts for image in one.images)])
    scores = [one.score for one in parts if one.score is not None]
    return made(
        folder.resolve().name or "boxes",
        source,
        image=[one.images[code] for one in parts for code in one.image.tolist()],
        images=every,
        box=np.concatenate([one.box for one in parts]) if parts else [],
        label=[one.classes[code] for one in parts for code in one.label.tolist()],
        score=np.concatenate(scores) if scores else None,
        listed=False,
        relative=any(one.relative for one in parts),
    )


def of_texts(name: str, source: Source, image: Sequence[str], items: Sequence[str]) -> Boxes:
    """Make boxes of the texts that stand for them in a study."""
    try:
        box, names = parsed(items)
    except UsageError as error:
        raise InputError([Problem(source.name, None, *_parts(error))]) from None
    return made(name, replace(source), image=image, box=box, label=names)


def _parts(error: UsageError) -> tuple[str, str]:
    found, _, fix = str(error).removesuffix(")").partition(" (fix: ")
    return found, fix
