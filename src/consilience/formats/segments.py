"""Files of segments of time: RTTM, label files, tables of events, boundaries.

=============  =====================================================================
form           what a file looks like
=============  =====================================================================
RTTM           ``SPEAKER recording channel start duration <NA> <NA> speaker <NA> <NA>``
labels         ``start end label`` a line, parted by tabs (Audacity) or by blanks
event table    CSV or TSV with columns onset and offset (or start and end, or duration)
boundaries     ``time label`` a line, parted by tabs; each label lasts to the next line,
               and the last time is called ``End``
=============  =====================================================================

An item is written ``start end class`` (:mod:`consilience.formats.segment_text`), its query is the
recording. Who answered is the file's name, or what a column system or annotator says.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from consilience.columns import Codes, Text
from consilience.errors import EmptyError, Problem, Problems, quote
from consilience.formats import event_tables
from consilience.formats.files import NUL, stem_of
from consilience.formats.recognise import Recognised, trec
from consilience.formats.roles import read_number
from consilience.formats.rows import ONLY_QUERY, Kind, Rows, Source
from consilience.formats.segment_text import as_text, end_of, wrong_times

if TYPE_CHECKING:
    from consilience.formats.files import File

RTTM, LABELS, EVENTS, BOUNDARIES = "RTTM", "label file", event_tables.FORM, "boundaries"
#: The forms that are read here.
FORMS: tuple[str, ...] = (RTTM, LABELS, EVENTS, BOUNDARIES)

#: The types of lines that RTTM knows; segments are those of type SPEAKER.
_TYPES = frozenset(
    (
        *("SEGMENT", "NOSCORE", "NO_RT_METADATA", "LEXEME", "NON-LEX", "NON-SPEECH", "FILLER"),
        *("EDIT", "SU", "IP", "CB", "A/P", "SPEAKER", "SPKR-INFO"),
    )
)
_SHAPE = "SPEAKER recording channel start duration <NA> <NA> speaker <NA> <NA>"
_ENDINGS = re.compile(r"\.(rttm|lab|seg|labels?)$", re.IGNORECASE)
_DECIMAL = re.compile(r"[-+]?\d*\.\d+|[-+]?\d+\.\d*")


def recognise(file: File, lines: Sequence[str]) -> Recognised | None:
    """Tell a form from the first lines."""
    ending = file.ending
    return (
        _is_rttm(lines)
        or _is_labels(lines, ending)
        or _is_boundaries(lines)
        or event_tables.recognise(lines, ending)
    )


def _is_rttm(lines: Sequence[str]) -> Recognised | None:
    rows = [line.split() for line in lines if not line.lstrip().startswith(";")]
    typed = [row for row in rows if len(row) >= 8 and row[0] in _TYPES]
    said = [row for row in typed if row[0] == "SPEAKER"]
    spoken = sum(_is_time(row[3]) and _is_time(row[4]) for row in said)
    if not spoken or spoken * 2 < len(said) or len(typed) * 2 < len(rows):
        return None
    share = f"{spoken} of the first {len(lines)} lines read as"
    return Recognised(RTTM, f"{share} 'SPEAKER recording channel start duration …'")


def _is_labels(lines: Sequence[str], ending: str) -> Recognised | None:
    """Tell start, end and label; a rank, a year and a title, or two versions, are none."""
    lines = [line for line in lines if not line.startswith("#")]
    rows = [line.rstrip("\r\n").split("\t") for line in lines if not line.startswith("\\")]
    by = "tabs"
    if not all(len(row) == 3 for row in rows):
        rows, by = [line.split(None, 2) for line in lines], "blanks"
    fitting = [row for row in rows if len(row) == 3 and _is_time(row[0]) and _is_time(row[1])]
    worded = any(not _is_time(row[2]) for row in fitting)
    if not worded or len(fitting) * 2 <= len(rows):
        return None
    if not (_are_tabbed(fitting) if by == "tabs" else _are_blanked(fitting, lines, ending)):
        return None
    share = f"{len(fitting)} of the first {len(lines)} lines"
    return Recognised(LABELS, f"{share} read as 'start end label' parted by {by}", by)


def _are_tabbed(rows: Sequence[Sequence[str]]) -> bool:
    """Tell times parted by tabs: with points, or one segment after the other."""
    times = [(float(row[0]), float(row[1])) for row in rows]
    pairs = list(itertools.pairwise(times))
    if sum(a <= b for a, b in times) * 2 <= len(times):
        return False
    pointed = all(any(_DECIMAL.fullmatch(row[side].strip()) for row in rows) for side in (0, 1))
    rising = sum(a[0] <= b[0] for a, b in pairs) * 2 >= len(pairs)
    apart = all(a < b for a, b in times) and all(a[1] <= b[0] for a, b in pairs)
    return (pointed and rising) or (apart and bool(pairs))


def _are_blanked(rows: Sequence[Sequence[str]], lines: Sequence[str], ending: str) -> bool:
    """Tell times parted by blanks: all with points, exact ones, or each from the end before it."""
    cells = [cell for row in rows for cell in row[:2]]
    if not all(map(_DECIMAL.fullmatch, cells)) or trec(lines) is not None:
        return False
    if sum(float(row[0]) <= float(row[1]) for row in rows) * 2 <= len(rows):
        return False
    pairs = list(itertools.pairwise(rows))
    joined = sum(float(a[1]) == float(b[0]) for a, b in pairs)
    exact = sum(len(cell.partition(".")[2]) > 2 for cell in cells)
    following = bool(pairs) and joined * 2 >= len(pairs)
    return following or exact * 2 >= len(cells) or ending in ("lab", "labels", "seg")


def _is_boundaries(lines: Sequence[str]) -> Recognised | None:
    """Tell times with points that grow, each with a label, up to a line called End."""
    rows = [line.split("\t") for line in lines]
    if len(rows) < 2 or not all(len(row) == 2 and _is_time(row[0]) for row in rows):
        return None
    if sum(_DECIMAL.fullmatch(row[0].strip()) is not None for row in rows) * 2 < len(rows):
        return None
    times = [float(row[0]) for row in rows]
    grows = all(a <= b for a, b in itertools.pairwise(times))
    last = [row[1] for row, time in zip(rows, times, strict=True) if time == times[-1]]
    if not grows or any(_is_time(row[1]) for row in rows) or not any(map(_is_end, last)):
        return None
    return Recognised(BOUNDARIES, "times grow, each with a label, and the last is called End")


def _is_end(label: str) -> bool:
    return label.strip().lower() == "end"


def _is_time(text: str) -> bool:
    value = read_number(text)
    return value is not None and value == value


@dataclass(slots=True)
class Found:
    """What was read so far: columns of rows, the line of each, and what is wrong."""

    file: File
    query: list[str] = field(default_factory=list)
    item: list[str] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    problems: Problems = field(default_factory=Problems)
    notes: list[str] = field(default_factory=list)

    def wrong(self, line: int, found: str, fix: str) -> None:
        """Note what is wrong with a line."""
        self.problems.add(Problem(self.file.name, line, found, fix))

    def add(self, line: int, query: str, start: float, end: float, label: str) -> None:
        """Take a segment, unless its times are wrong."""
        mistake = wrong_times(start, end, negative=False)
        if mistake is not None:
            self.wrong(line, *mistake)
            return
        self.query.append(query)
        self.item.append(as_text(start, end, label.strip()))
        self.line.append(line)


def read(file: File, form: str, *, kind: Kind, why: str) -> list[Rows]:
    """Read a file."""
    found = Found(file)
    readers: dict[str, Callable[[Found], None]] = {
        RTTM: _read_rttm,
        LABELS: _read_labels,
        BOUNDARIES: _read_boundaries,
    }
    readers[form](found)
    found.problems.sorted().raise_any()
    if not found.item:
        wrong = Problem(file.name, None, "there is no segment in it", "leave it out")
        raise EmptyError(wrong, form)
    return [_rows(found, form, kind, why)]


def _rows(found: Found, form: str, kind: Kind, why: str) -> Rows:
    who = stem_of(_ENDINGS.sub("", found.file.called.removesuffix(".gz")))
    lines = found.line
    return Rows(
        Source(found.file.name, form, why, len(lines), tuple(found.notes)),
        Codes.of(found.query),
        Codes.constant(who, len(lines)),
        Text.of(found.item),
        kind=(kind,),
        family=(None,),
        silence="no",
        locate=lines.__getitem__,
    )


def _read_rttm(found: Found) -> None:
    others = 0
    for number, line in found.file.lines(found.problems):
        fields = line.split()
        if not fields or line.lstrip().startswith(";"):
            continue
        if fields[0] != "SPEAKER" and fields[0] in _TYPES:
            others += 1
            continue
        mistake = _wrong_rttm(line, fields)
        if mistake is not None:
            found.wrong(number, *mistake)
            continue
        end = end_of(fields[3], fields[4])
        found.add(number, fields[1], float(fields[3]), end, fields[7])
    if others:
        are = "line is" if others == 1 else "lines are"
        found.notes.append(f"{others:,} {are} of another type than SPEAKER: not read")


def _wrong_rttm(line: str, fields: Sequence[str]) -> tuple[str, str] | None:
    if "\0" in line:
        return NUL
    if fields[0] != "SPEAKER":
        return f"unknown type {quote(fields[0])}", "begin lines of segments with SPEAKER"
    if len(fields) < 8:
        return f"expected at least 8 fields ({_SHAPE}), found {len(fields)}", "write it as shown"
    for name, text in (("start", fields[3]), ("duration", fields[4])):
        if not _is_time(text):
            return f"{name} must be a number, found {quote(text)}", "write seconds such as 12.5"
    if float(fields[4]) < 0:
        return f"duration is negative: {quote(fields[4])}", "write how long it lasts in seconds"
    return None


def _read_labels(found: Found) -> None:
    aside = comments = 0
    for number, line in found.file.lines(found.problems):
        if line.startswith("\\"):  # Audacity: the frequencies that a label spans
            aside += 1
            continue
        if line.startswith("#"):
            comments += 1
            continue
        cells = line.split("\t") if "\t" in line else line.split(None, 2)
        if not line.strip():
            continue
        if "\0" in line:
            found.wrong(number, *NUL)
        elif len(cells) not in (2, 3) or not all(map(_is_time, cells[:2])):
            found.wrong(number, f"expected start, end and label, found {quote(line)}", _TABBED)
        else:
            label = cells[2] if len(cells) > 2 else ""
            found.add(number, ONLY_QUERY, float(cells[0]), float(cells[1]), label)
    if aside:
        found.notes.append(f"{aside:,} lines of frequencies are not read")
    if comments:
        are = "line is a comment" if comments == 1 else "lines are comments"
        found.notes.append(f"{comments:,} {are} (#): not read")


_TABBED = "write seconds, seconds and a label, parted by tabs"


def _read_boundaries(found: Found) -> None:
    before: tuple[int, float, str] | None = None
    beside = 0
    for number, line in found.file.lines(found.problems):
        cells = line.split("\t")
        if not line.strip():
            continue
        if "\0" in line or len(cells) != 2 or not _is_time(cells[0]):
            found.wrong(number, f"expected a time and a label, found {quote(line)}", _TIMED)
            continue
        if before is not None and _is_end(before[2]):
            if float(cells[0]) == before[1]:
                beside += 1
            else:
                found.wrong(number, "a line stands after End", "put End last")
            continue
        if before is not None:
            found.add(before[0], ONLY_QUERY, before[1], float(cells[0]), before[2])
        before = number, float(cells[0]), cells[1]
    if before is not None and not _is_end(before[2]):
        found.wrong(before[0], "the last label has no end", _LAST)
    if beside:
        last = "label at the end lasts" if beside == 1 else "labels at the end last"
        found.notes.append(f"{beside:,} {last} no time: not read")


_TIMED = "write seconds and a label, parted by a tab"
_LAST = "add a line with the time at which it ends, a tab and End"
