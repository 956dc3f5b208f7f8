"""Which text files hold the boxes of an image, a box a line.

Runs and plain lists may look alike: ``q1 0 12 1 2.5`` is a line of a run, ``hotel 1 2 3 4`` may be
a phrase. So boxes are told only where no run can be meant and several lines say so, or several
files of one folder. Lines that fit a run as well as boxes are refused. What the four numbers are
is another question (:mod:`consilience.formats.box_layout`).
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import bad, quote
from consilience.formats.boxes_text import LINES, YOLO, fields_of
from consilience.formats.recognise import trec
from consilience.formats.roles import read_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.formats.files import File

_ENDINGS = ("txt", "")
#: How many files of the same folder are looked at, and how many bytes of each.
_BESIDE = 12
_BYTES = 4096
#: How far a box may reach over the border of its image.
_OVER = 0.02


def form_of(lines: Sequence[str], file: File, *, sure: bool = False) -> tuple[str, str] | None:
    """Tell lines of boxes, with the reason; only text files hold them.

    Parameters
    ----------
    lines
        The first lines of the file.
    file
        The file; others in its folder may tell what few lines do not.
    sure
        Whether somebody said that these are boxes.
    """
    if file.ending not in _ENDINGS or not lines:
        return None
    form = _shape(lines)
    if form is None:
        return None
    if not (sure or _is_told(lines, form) or _is_one_of_many(file, lines, form)):
        _check_run(lines, file)
        return None
    scored = len(fields_of(lines[0])) == 6
    parts = ", in parts of the image" if form == YOLO else ""
    order = f"a class, {'a score ' if scored else ''}and four numbers{parts}"
    return form, f"all of the first {len(lines)} lines read as {order}"


def _check_run(lines: Sequence[str], file: File) -> None:
    """Refuse lines that fit both a run and boxes: its ranks would not count, its mark is none."""
    rows = [fields_of(line) for line in lines]
    second = {float(row[1]) for row in rows}
    if len(second) > 1 or not all(_is_whole(row[3]) for row in rows):
        return
    counts = _count([row[0] for row in rows], [float(row[3]) for row in rows])
    scored = len(rows[0]) == 6
    if not scored and (trec(lines) is None or counts):
        return
    if scored and counts and (second == {0.0} or len(rows) > 2):
        return
    run = "query mark item rank score tag" if scored else "query mark item rank score"
    boxes = "class score and four numbers" if scored else "class and four numbers"
    found = f"{quote(lines[0])} reads as '{run}' of a run and as '{boxes}' of boxes"
    fix = "for a run, write Q0 as its second field; for boxes, add --boxes corners or --boxes sizes"
    raise bad(file.name, 1, found, fix)


def _is_whole(text: str) -> bool:
    return float(text).is_integer()


def _shape(lines: Sequence[str]) -> str | None:
    """Tell which form all lines fit."""
    rows = [fields_of(line) for line in lines]
    if not rows or len({len(row) for row in rows}) != 1 or len(rows[0]) not in (5, 6):
        return None
    numbers = [[read_number(cell) for cell in row[1:]] for row in rows]
    if any(value is None or value != value for row in numbers for value in row):
        return None
    values = np.array(numbers, np.float64)
    if _is_yolo(rows, values):
        return YOLO
    if not _are_classes([row[0] for row in rows]) or not bool((values[:, -2:] >= 0).all()):
        return None
    scored = bool(((values[:, 0] >= 0) & (values[:, 0] <= 1)).all())
    return LINES if values.shape[1] == 4 or scored else None


def _are_classes(names: Sequence[str]) -> bool:
    """Tell classes: all of them words, or all of them numbers."""
    return all(read_number(name) is None for name in names) or all(map(str.isdigit, names))


def _is_yolo(rows: Sequence[Sequence[str]], values: NDArray[np.float64]) -> bool:
    """Tell numbers of classes, and boxes that lie within their image."""
    centre, half = values[:, :2], values[:, 2:4] / 2
    inside = (centre - half > -_OVER) & (centre + half < 1 + _OVER) & (half > 0)
    scores = (values[:, 4:] >= 0) & (values[:, 4:] <= 1)
    pointed = all(any("." in cell for cell in row[1:5]) for row in rows)
    return bool(inside.all() and scores.all()) and pointed and all(row[0].isdigit() for row in rows)


def _are_scores(rows: Sequence[Sequence[str]]) -> bool:
    """Tell scores of detections from the second field of a run, which is 0, Q0 or always the same.

    The fourth field of a run is its rank, and ranks count.
    """
    second = [float(row[1]) for row in rows]
    between = any(0 < score < 1 for score in second)
    if len({*second}) > 1:
        return between
    ranks = [float(row[3]) for row in rows]
    return between and len(rows) < 3 and not _count([row[0] for row in rows], ranks)


def _count(queries: Sequence[str], ranks: Sequence[float]) -> bool:
    """Tell whether the ranks of every query begin at 0 or 1 and count up."""
    parts = itertools.groupby(zip(queries, ranks, strict=True), key=lambda pair: pair[0])
    every = [[rank for _, rank in part] for _, part in parts]
    return all(part[0] in (0, 1) and _is_count(part) for part in every)


def _is_count(ranks: Sequence[float]) -> bool:
    return all(b == a + 1 for a, b in itertools.pairwise(ranks))


def _is_told(lines: Sequence[str], form: str) -> bool:
    """Tell whether lines that fit say by themselves that they are boxes.

    A class and four numbers without a score are not told where classes are numbers, too, and the
    others no parts of an image: such a line may be anything.
    """
    rows = [fields_of(line) for line in lines]
    scored = len(rows[0]) == 6
    worded = not any(row[0].isdigit() for row in rows)
    return (scored or worded or form == YOLO) and _is_no_run(lines, form)


def _is_no_run(lines: Sequence[str], form: str) -> bool:
    """Tell whether lines that fit cannot be a run: no item of one lies within an image."""
    rows = [fields_of(line) for line in lines]
    if form == YOLO:
        return True
    return _are_scores(rows) if len(rows[0]) == 6 else trec(lines) is None


def _is_one_of_many(file: File, lines: Sequence[str], form: str) -> bool:
    """Tell whether most text files of the same folder hold boxes of the same form."""
    if file.held is not None:
        return False
    width = len(fields_of(lines[0]))
    votes = [
        _shape(some) is not None
        and len(fields_of(some[0])) == width
        and _is_no_run(some, _shape(some) or form)
        for some in _beside(file.path)
    ]
    return sum(votes) * 2 > len(votes)


def _beside(path: Path) -> Iterator[list[str]]:
    """Give the first lines of other files in the folder of a file."""
    folder = path.resolve().parent
    try:
        names = _names(folder, path.suffix, folder.stat().st_mtime_ns)
        for name in names:
            if name != path.name:
                with (folder / name).open("rb") as stream:
                    text = stream.read(_BYTES).decode(errors="replace")
                lines = [line for line in text.splitlines() if line.strip()]
                if lines:
                    yield lines if len(text) < _BYTES or len(lines) == 1 else lines[:-1]
    except OSError:
        return


@functools.lru_cache(maxsize=16)
def _names(folder: Path, ending: str, _changed: int) -> tuple[str, ...]:
    """Name the first files of a folder that have an ending; a changed folder is looked at again."""
    inside = sorted(one for one in folder.iterdir() if one.suffix == ending and one.is_file())
    return tuple(one.name for one in inside if not one.name.startswith("."))[:_BESIDE]
