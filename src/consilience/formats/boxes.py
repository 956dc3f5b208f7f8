"""Files of boxes: recognised by content, read as arrays or as rows like all others.

COCO's ground truths and results (:mod:`consilience.formats.boxes_coco`), text files with one box a
line and tables of boxes (:mod:`consilience.formats.boxes_text`). In a study an image is a query and
a box is an item (:mod:`consilience.formats.boxed`); what a study cannot hold (crowds, areas, names
of classes beside their ids) is there in what :func:`read_boxes` gives.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
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
from consilience.formats.beside import inside
from consilience.formats.box_layout import Layout, Written, check_layout, decide, keys_of
from consilience.formats.boxed import Boxes, made, parsed, written
from consilience.formats.boxes_joined import in_pixels, joined
from consilience.formats.boxes_text import Lines
from consilience.formats.rows import Source

if TYPE_CHECKING:
    from consilience.formats.files import File
    from consilience.formats.recognise import Recognised
    from consilience.formats.rows import Kind, Rows

__all__ = [
    "FORMS",
    "Boxes",
    "asked",
    "holds_boxes",
    "opened",
    "parsed",
    "read",
    "read_boxes",
    "read_several",
    "recognise",
    "rows_of",
    "settled",
    "written",
]

#: The forms that are read here.
FORMS: tuple[str, ...] = (
    *(boxes_coco.TRUTH, boxes_coco.RESULTS, boxes_coco.RESULT_LINES),
    *(boxes_text.LINES, boxes_text.YOLO, boxes_text.TABLE),
)
_DELIMITERS = (",", "\t", ";", "|")
#: What a file holds: boxes, those of one system after the other, or lines that may be several.
Opened = Sequence[Boxes] | Lines


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
    return rows_of(settled([opened(file, form, why)])[0], kind)


def rows_of(several: Sequence[Boxes], kind: Kind, *, judged: bool = False) -> list[Rows]:
    """Give boxes as answers; a ground truth is held for one unless something else was said.

    Scores say that a file of that form holds detections, and so does another truth (``judged``).
    """
    held = kind == "system" and not judged
    return [one.rows("gold" if held and _is_truth(one) else kind) for one in several]


def _is_truth(boxes: Boxes) -> bool:
    return boxes.source.recognised == boxes_coco.TRUTH and boxes.score is None


def opened(file: File, form: str, why: str) -> Opened:
    """Read a file as far as it goes by itself: what lines mean, others of its side may tell."""
    if form in (boxes_text.LINES, boxes_text.YOLO):
        return boxes_text.read_lines(file, form, why)
    if form == boxes_text.TABLE:
        return _read_table(file, why)
    return [boxes_coco.read(file, form, why)]


def settled(
    several: Sequence[Opened], *, layout: Layout | None = None, truth: Sequence[bool] = ()
) -> list[list[Boxes]]:
    """Return the boxes of files that are read together.

    What the numbers of lines are is decided for all of them, COCO files get one numbering of
    images and classes, and parts of an image become pixels where other files are in pixels.

    Parameters
    ----------
    several
        What :func:`opened` gave.
    layout
        What the numbers of lines are, where somebody said it.
    truth
        Which files are the truth's; by default none is. Folders are sides of their own.
    """
    check_layout(layout)
    sizes = {
        name: size
        for one in several
        if not isinstance(one, Lines)
        for boxes in one
        for name, size in boxes.sizes.items()
    }
    made: list[list[Boxes]] = [[] if isinstance(one, Lines) else list(one) for one in several]
    groups: dict[object, list[int]] = {}
    for place, one in enumerate(several):
        if isinstance(one, Lines):
            key = (bool(truth) and truth[place], str(Path(one.file.name).parent))
            groups.setdefault(key, []).append(place)
    lines = [
        _written([one for place in group if isinstance(one := several[place], Lines)], sizes)
        for group in groups.values()
    ]
    problems = Problems()
    for group, decided in zip(groups.values(), decide(lines, layout), strict=True):
        for place in group:
            one = several[place]
            assert isinstance(one, Lines)
            try:
                made[place] = [one.boxes(decided, [decided.why] * (place == group[0]))]
            except InputError as error:
                problems.merge(error)
    problems.raise_any()
    return joined(in_pixels(made, sizes), truth or [False] * len(made))


def _written(some: Sequence[Lines], sizes: Mapping[str, tuple[float, float]]) -> Written:
    """Put the lines of one side together."""
    widths = {one.values.shape[1] for one in some}
    name = some[0].file.name
    folder = str(Path(name).parent) if len(some) > 1 else name
    if len(widths) > 1:
        raise bad(folder, None, "some files have scores, some do not", "give all a score")
    count = [len(one.labels) for one in some]
    size = [_size_of(one.image, sizes) for one in some]
    return Written(
        folder,
        np.concatenate([one.values for one in some]),
        np.repeat(np.arange(len(some)), count),
        np.repeat(np.array(size), count, axis=0),
        all(label.isdigit() for one in some for label in one.labels),
        [one.file.name for one in some for _ in one.labels],
        [number for one in some for number in one.numbers],
    )


def _size_of(image: str, sizes: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
    found = (sizes[key] for key in keys_of(image) if key in sizes)
    return next(found, (np.nan, np.nan))


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
    boxes: Layout | None = None,
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
    boxes
        What the four numbers of a line are, in text files: ``"corners"`` (left, top, right,
        bottom), ``"sizes"`` (left, top, width, height) or ``"centres"`` (YOLO's). None: what fits
        (:mod:`consilience.formats.box_layout`).

    Examples
    --------
    >>> read_boxes([{"image_id": 7, "category_id": 1, "bbox": [10, 20, 30, 40], "score": 0.9}])
    <Boxes: boxes, 1 boxes of 1 classes in 1 images>
    """
    return read_several([data], system=system, encoding=encoding, boxes=boxes)[0]


def read_several(
    data: Sequence[str | os.PathLike[str] | Mapping[str, Any] | Sequence[Any] | Boxes],
    *,
    system: str | None = None,
    encoding: str | None = None,
    boxes: Layout | None = None,
) -> list[Boxes]:
    """Read the boxes of several sides, the truth first; lines are decided for all of them."""
    check_layout(boxes)
    problems = Problems()
    planned: list[_Side] = []
    for one in data:
        try:
            planned.append(_planned(one, system, encoding))
        except InputError as error:
            problems.merge(error)
    problems.raise_any()
    several = [part for side in planned for part in side.parts]
    truth = [number == 0 for number, side in enumerate(planned) for _ in side.parts]
    made = iter(settled(several, layout=boxes, truth=truth))
    return [side.joined([next(made) for _ in side.parts]) for side in planned]


@dataclass(frozen=True, slots=True)
class _Side:
    """What was read of one side, and how its parts are put together."""

    parts: Sequence[Opened]
    joined: Callable[[Sequence[Sequence[Boxes]]], Boxes]


def _planned(data: Any, system: str | None, encoding: str | None) -> _Side:
    if isinstance(data, Boxes):
        return _Side([[data]], lambda parts: parts[0][0])
    if not isinstance(data, (str, os.PathLike)):
        boxes = boxes_coco.of_object(data, "boxes", "boxes")
        return _Side([[boxes]], lambda parts: parts[0][0])
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
        boxes = made(files.stem_of(path.name), source, image=[], box=[], label=[])
        return _Side([[boxes]], lambda parts: parts[0][0])
    return _Side([several], lambda parts: _of_system(parts[0], system, str(path)))


def holds_boxes(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file, or the first file of a folder that is not empty, holds boxes."""
    given = Path(path)
    named = inside(given) if given.is_dir() else [given]
    first = next((one for one in named if one.is_file() and one.stat().st_size), None)
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


def asked(file: File) -> Recognised | None:
    """Tell lines of boxes where somebody said that they are: few lines do not say it themselves."""
    from consilience.formats.recognise import Recognised, sample

    found = boxes_lines.form_of(sample(file), file, sure=True)
    return None if found is None else Recognised(*found)


def _read_file(file: File) -> Opened:
    text = file.head.decode(errors="replace").strip() if len(file.head) < 100 else ""
    if text == "[]":
        return [boxes_coco.of_object([], file.name, files.stem_of(file.called), "no boxes")]
    found = asked(file)
    if found is None:
        lines = file.head.decode(errors="replace").splitlines()
        blank = next(filter(None, map(boxes_text.has_blanks, lines)), None)
        if blank is not None:
            raise bad(file.name, None, *blank)
        found = _told(file)
    if found is None:
        fix = "give COCO JSON, a table with x, y, w and h, or lines 'class left top width height'"
        raise bad(file.name, 1, "this file holds no boxes that can be read", fix)
    return opened(file, found.form, found.why)


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


def _read_folder(folder: Path, encoding: str | None) -> _Side:
    """Read a folder with a text file for each image."""
    problems = Problems()
    parts: list[Opened] = []
    empty: list[str] = []
    named = [one for one in inside(folder) if one.suffix.lower() == ".txt"]
    if not named:
        raise bad(str(folder), None, "the folder holds no .txt files", "name the file of boxes")
    for path in named:
        if not path.read_bytes().strip():
            empty.append(files.stem_of(path.name))
            continue
        try:
            parts.append(_read_file(files.look(path, encoding=encoding)))
        except InputError as error:
            problems.merge(error)
    problems.raise_any()
    return _Side(parts, lambda made: _together(folder, [one for of in made for one in of], empty))


def _together(folder: Path, parts: Sequence[Boxes], empty: Sequence[str]) -> Boxes:
    """Put the boxes of several images together."""
    forms = dict.fromkeys(one.source.recognised for one in parts)
    if len(forms) > 1:
        raise bad(str(folder), None, f"files of several forms: {', '.join(forms)}", "keep one")
    scored = [one.score is not None for one in parts if len(one)]
    if any(scored) and not all(scored):
        raise bad(str(folder), None, "some files have scores, some do not", "give all a score")
    form = parts[0].source.recognised if parts else boxes_text.LINES
    several = f"{len(parts) + len(empty)} files, one an image"
    why = f"{several}: such as {parts[0].source.why}" if parts else several
    notes = dict.fromkeys(note for one in parts for note in one.source.notes)
    source = Source(str(folder), form, why, 0, tuple(notes))
    every = sorted([*empty, *(image for one in parts for image in one.images)])
    scores = [one.score for one in parts if one.score is not None]
    difficult = [
        np.zeros(len(one), bool) if one.difficult is None else one.difficult for one in parts
    ]
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
        difficult=np.concatenate(difficult) if any(map(np.any, difficult)) else None,
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
