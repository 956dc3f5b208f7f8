"""Boxes in text files and tables.

- One file an image, one box a line: a class, for detections a score, and four numbers; a box that
  need not be found ends with ``difficult`` (Cartucho's mAP). What the numbers are is decided for
  all files together (:mod:`consilience.formats.box_layout`).
- The same as YOLO writes it, in parts of the image: ``class centre_x centre_y width height``, with
  the score last. Overlaps are the same in parts of an image as in pixels; what is small or large
  cannot be told.
- A table with a header: left and top (``x``, ``xmin``, ``x1``, ``left`` …) and either width and
  height or right and bottom, and where they are known class, score, image and system.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import Problem, Problems, bad, quote
from consilience.formats.aside import check_pooled
from consilience.formats.box_layout import CALLED, Decided, boxes_of, keys_of
from consilience.formats.boxed import Boxes, fault, made
from consilience.formats.files import stem_of
from consilience.formats.roles import read_number
from consilience.formats.rows import ONLY_QUERY, Source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.formats.cells import Sheet
    from consilience.formats.files import File

LINES, YOLO, TABLE = "boxes of an image", "boxes of an image (YOLO)", "table of boxes"
#: What a column of a table of boxes is called.
NAMES: dict[str, tuple[str, ...]] = {
    "left": ("left", "x", "xmin", "x_min", "x1", "x0", "bbox_x", "bbox_left"),
    "top": ("top", "y", "ymin", "y_min", "y1", "y0", "bbox_y", "bbox_top"),
    "width": ("w", "width", "bbox_w", "bbox_width"),
    "height": ("h", "height", "bbox_h", "bbox_height"),
    "right": ("right", "xmax", "x_max", "x2", "bbox_right"),
    "bottom": ("bottom", "ymax", "y_max", "y2", "bbox_bottom"),
    "image_width": ("image_width", "img_width", "img_w", "im_width"),
    "image_height": ("image_height", "img_height", "img_h", "im_height"),
    "class": (
        *("class", "class_name", "label", "category", "category_id", "object", "name"),
        *("labelname", "label_name"),
    ),
    "score": ("score", "confidence", "conf", "probability"),
    "image": (
        *(
            "image",
            "image_id",
            "image_name",
            "image_path",
            "img",
            "img_name",
            "photo",
            "filename",
            "file_name",
            "file",
            "path",
        ),
        *("frame", "imageid", "image_file"),
    ),
    "system": ("system", "model", "detector", "respondent", "run", "annotator", "source"),
    "crowd": ("iscrowd", "is_crowd", "crowd"),
    "difficult": ("difficult", "is_difficult"),
    "area": ("area",),
}
#: How far a box may reach over the border of its image, in parts of it.
_OVER = 0.02
#: A table with one of these columns is a table of items.
_ITEMS = ("item", "item_id", "text", "start", "end", "onset")


def header_of(header: Sequence[str]) -> dict[str, str] | None:
    """Tell which column of a table of boxes is what; None where this is no such table.

    Examples
    --------
    >>> header_of(["filename", "width", "height", "class", "xmin", "ymin", "xmax", "ymax"])
    {'left': 'xmin', 'top': 'ymin', 'right': 'xmax', 'bottom': 'ymax', 'class': 'class', ...}
    >>> header_of(["query", "item", "x", "y", "w", "h"]) is None
    True
    """
    plain = {name.strip().lower().replace(" ", "_").replace("-", "_"): name for name in header}
    if any(name in plain for name in _ITEMS):
        return None
    found: dict[str, str] = {}
    for role, names in NAMES.items():
        known = [plain[name] for name in names if name in plain]
        if known:
            found[role] = known[0]
    if "right" in found and "bottom" in found:  # a width beside a right end is the image's
        for role in ("width", "height"):
            if (column := found.pop(role, None)) is not None:
                found[f"image_{role}"] = column
    ends = {"width", "height"} <= found.keys() or {"right", "bottom"} <= found.keys()
    return found if {"left", "top"} <= found.keys() and ends else None


@dataclass(frozen=True, slots=True)
class Lines:
    """The boxes of one image as they are written: what the numbers are is decided later.

    ``values`` has four numbers a line, or five with scores; ``numbers`` are the lines' numbers;
    ``difficult`` marks boxes that need not be found. The image is called like the file, who drew
    the boxes like its folder.
    """

    file: File
    form: str
    why: str
    labels: list[str]
    values: NDArray[np.float64]
    numbers: list[int]
    difficult: list[bool]

    @property
    def image(self) -> str:
        """What the image is called."""
        return stem_of(self.file.called)

    def boxes(self, decided: Decided, notes: Sequence[str] = ()) -> Boxes:
        """Make boxes of the numbers."""
        box, score = boxes_of(self.values, decided.reading)
        wrong = fault(box)
        if wrong is not None:
            found = f"the box has {wrong[1]}"
            order = f"write {CALLED[decided.reading.layout]}"
            raise bad(self.file.name, self.numbers[wrong[0]], found, order)
        form = YOLO if decided.reading.layout == "centres" else LINES
        lines = "1 line reads" if len(self.labels) == 1 else f"{len(self.labels):,} lines read"
        why = f"{lines} as {_order(decided, score is not None)}"
        return made(
            self.file.folder or "boxes",
            Source(self.file.name, form, why, len(self.labels), tuple(notes)),
            image=[self.image] * len(self.labels),
            images=[self.image],
            box=box,
            label=self.labels,
            score=score,
            relative=decided.parts,
            difficult=np.array(self.difficult, bool) if any(self.difficult) else None,
            locate=self.numbers.__getitem__,
        )


def _order(decided: Decided, scored: bool) -> str:
    """Name the fields of a line."""
    reading = decided.reading
    order = "x y width height" if reading.layout == "centres" else CALLED[reading.layout]
    order = f"class {order} score" if reading.last else f"class {'score ' * scored}{order}"
    return f"'{order}', in parts of the image" if decided.parts else f"'{order}'"


def read_lines(file: File, form: str, why: str) -> Lines:
    """Read the boxes of one image as they are written."""
    problems = Problems()
    labels: list[str] = []
    numbers: list[int] = []
    values: list[list[float]] = []
    difficult: list[bool] = []
    width = 0
    for number, line in file.lines(problems):
        fields = fields_of(line)
        if not fields:
            continue
        row = [read_number(field) for field in fields[1:]]
        width = width or len(row)
        if len(row) != width or width not in (4, 5) or any(v is None or v != v for v in row):
            blank = has_blanks(line)
            found = f"expected a class and {width or 4} numbers, found {quote(line)}"
            fix = "write as in the lines before" if blank is None else blank[1]
            problems.add(Problem(file.name, number, found if blank is None else blank[0], fix))
            continue
        labels.append(fields[0])
        numbers.append(number)
        difficult.append(len(fields) < len(line.split()))
        values.append([float(v) for v in row if v is not None])
    table = np.array(values, np.float64).reshape(len(values), max(width, 4))
    problems.sorted().raise_any()
    return Lines(file, form, why, labels, table, numbers, difficult)


def fields_of(line: str) -> list[str]:
    """Return the fields of a line, without the mark of a true box that need not be found.

    Examples
    --------
    >>> fields_of("cat 10 20 30 40 difficult")
    ['cat', '10', '20', '30', '40']
    """
    fields = line.split()
    return fields[:-1] if len(fields) == 6 and fields[-1] == "difficult" else fields


def has_blanks(line: str) -> tuple[str, str] | None:
    """Say so where the class of a box is written in several words: a file of lines has no such.

    Examples
    --------
    >>> has_blanks("traffic light 0 0 10 10")
    ("the class 'traffic light' holds a blank", 'write traffic_light')
    >>> has_blanks("light 0 0 10 10") is None
    True
    """
    fields = line.split()
    words = list(itertools.takewhile(lambda field: read_number(field) is None, fields))
    if len(words) < 2 or len(fields) - len(words) not in (4, 5):
        return None
    if any(read_number(field) is None for field in fields[len(words) :]):
        return None
    return f"the class {quote(' '.join(words))} holds a blank", f"write {'_'.join(words)}"


def check_header(sheet: Sheet) -> None:
    """See that no two columns have one name, and that boxes have two corners, not four."""
    names = sheet.table.column_names
    corners = [name for name in names if name.strip().lower() in ("x3", "y3", "x4", "y4")]
    if len(corners) > 1:
        found = f"{', '.join(map(quote, corners))}: quadrilaterals, which are not compared"
        fix = "write the box around each: image, left, top, width, height"
        raise bad(sheet.name, sheet.header, found, fix)
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        found = f"two columns are called {quote(doubled)}"
        raise bad(sheet.name, sheet.header, found, "give each its own name")


def _check_centres(sheet: Sheet, columns: Mapping[str, str], box: NDArray[np.float64]) -> None:
    """Refuse ``x`` and ``y`` in parts of an image from which boxes reach beyond it: centres."""
    named = {columns["left"].strip().lower(), columns["top"].strip().lower()} == {"x", "y"}
    parts = bool(((box >= 0) & (box <= 1)).all()) and bool((box % 1 != 0).any())
    beyond = np.flatnonzero((box[:, :2] + box[:, 2:] > 1 + _OVER).any(axis=1))
    if named and parts and "width" in columns and len(beyond):
        found = "x and y may be the box's centre: from its left and top edge it leaves the image"
        fix = "write the left and the top edge in columns left, top, width, height"
        raise bad(*_placed(sheet, int(beyond[0]), found), fix)


def read_table(sheet: Sheet, columns: Mapping[str, str]) -> list[Boxes]:
    """Read a table of boxes: one :class:`Boxes` for each system."""
    problems = Problems()
    problems.merge(sheet.problems)
    problems.raise_any()
    if "image" not in columns:
        check_pooled(sheet, columns.values(), "image")
    cells = {role: sheet.table[name].to_pylist() for role, name in columns.items()}
    sides = [role for role in ("left", "top", "width", "height") if role in columns]
    sides += [role for role in ("right", "bottom") if role in columns]
    sides += ["score"] if "score" in columns else []
    sides += ["area"] if "area" in columns else []
    read = {role: _numbers(sheet, columns[role], cells[role], problems) for role in sides}
    problems.raise_any()
    if "right" in read:
        ends = (read["right"] - read["left"], read["bottom"] - read["top"])
    else:
        ends = (read["width"], read["height"])
    box = np.stack([read["left"], read["top"], *ends], axis=1)
    _check_centres(sheet, columns, box)
    wrong = fault(box)
    if wrong is not None:
        fix = "right and bottom lie beyond left and top"
        raise bad(*_placed(sheet, wrong[0], f"the box has {wrong[1]}"), fix)
    who = [name.strip() or sheet.stem for name in cells.get("system", [sheet.stem] * len(box))]
    return [
        _of_one(sheet, name, np.array([one == name for one in who]), box, read, cells)
        for name in dict.fromkeys(who)
    ]


def _of_one(
    sheet: Sheet,
    name: str,
    mine: NDArray[np.bool_],
    box: NDArray[np.float64],
    read: Mapping[str, NDArray[np.float64]],
    cells: Mapping[str, Sequence[str]],
) -> Boxes:
    rows = np.flatnonzero(mine)
    locate = sheet.locate

    def some(role: str, otherwise: str) -> list[str]:
        return [cells[role][row].strip() if role in cells else otherwise for row in rows.tolist()]

    def marked(role: str) -> list[bool]:
        return [cell.lower() in ("1", "1.0", "true", "yes") for cell in some(role, "")]

    score = read["score"][rows] if "score" in read else None
    images = some("image", ONLY_QUERY)
    return made(
        name,
        Source(sheet.name, TABLE, sheet.why, len(rows)),
        image=images,
        box=box[rows],
        label=some("class", ""),
        score=score,
        area=read["area"][rows].tolist() if "area" in read else None,
        crowd=marked("crowd"),
        difficult=np.array(marked("difficult"), bool),
        sizes=_sizes(images, some("image_width", ""), some("image_height", "")),
        locate=None if locate is None else lambda row: locate(int(rows[row])),
        relative=_are_parts(box),
    )


def _are_parts(box: NDArray[np.float64]) -> bool:
    """Return whether boxes are given in parts of their images: none is as large as a pixel."""
    ends = box[:, :2] + box[:, 2:]
    return len(box) > 0 and bool((ends <= 1 + 1e-6).all()) and bool((box % 1 != 0).any())


def _sizes(
    images: Sequence[str], widths: Sequence[str], heights: Sequence[str]
) -> dict[str, tuple[float, float]]:
    """Give the width and height of images by name, where a table tells them."""
    found: dict[str, tuple[float, float]] = {}
    for image, *cells in zip(images, widths, heights, strict=True):
        width, height = (read_number(cell) or 0.0 for cell in cells)
        if width > 0 and height > 0:
            found |= dict.fromkeys(keys_of(image), (width, height))
    return found


def _numbers(
    sheet: Sheet, column: str, cells: Sequence[str], problems: Problems
) -> NDArray[np.float64]:
    found = np.zeros(len(cells))
    for row, cell in enumerate(cells):
        value = read_number(cell)
        if value is None or not np.isfinite(value):
            said = f"{column} must be a number, found {quote(cell)}"
            problems.add(sheet.problem(row, said, "write a number"))
        else:
            found[row] = value
    return found


def _placed(sheet: Sheet, row: int, found: str) -> tuple[str, int | None, str]:
    line = None if sheet.locate is None else sheet.locate(row)
    return sheet.name, line, found if line is not None else f"row {row + 1}: {found}"
