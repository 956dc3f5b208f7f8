"""Files as engines have opened them: their columns, their rows, and where in a file a row is."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

from consilience.errors import InputError, Problem, UsageError, bad, quote
from consilience.formats.answer_kinds import truth_mapping
from consilience.formats.rows import Kind

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import pyarrow as pa

    from consilience.formats.answer_kinds import AnswerKind

#: What a column holds: whole numbers, floats, text, or what becomes a number or text by itself (yes
#: and no, decimals, large numbers, nothing at all); anything else has no role.
Sort = Literal["whole", "number", "text", "plain", "other"]
#: More rows than a file has.
FAR = 1 << 40
#: Lines of rows up to here are looked for.
DEEP = 5_000_000
#: What is taken off around names, as SQL writes it: \\v and \\f would be letters to Spark.
BLANKS = " \\t\\n\\u000b\\u000c\\r"
#: What to do with files that engines do not read.
CONVERT = "consilience convert FILE votes.parquet makes a long table of it"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an engine writes what is not the same everywhere, and how it computes."""

    quote: Callable[[str], str]
    trim: Callable[[str], str]
    collect: Callable[[nw.LazyFrame[Any]], pa.Table]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file on an engine: its columns, and ``select``, which computes new ones in SQL.

    ``row`` is SQL for the number of a row, in the order of the file; without an order (``ordered``)
    it is the same for all. ``cheap`` tells that a range of rows can be read without the rest.
    ``line`` finds the line of a row in a file of text; None: too far down to look for it.
    """

    name: str
    stem: str
    columns: Mapping[str, Sort]
    select: Callable[[Sequence[str]], nw.LazyFrame[Any]]
    dialect: Dialect
    kind: Kind
    row: str
    ordered: bool = True
    cheap: bool = False
    line: Callable[[int], int | None] | None = None
    index: Any = None

    def place(self, row: int | None) -> str:
        """Say where a row is, inside this file."""
        if row is None or not self.ordered:
            return self.name
        line = None if self.line is None else self.line(row)
        return f"row {row + 1:,}" if line is None else f"line {line}"

    def problem(self, row: int | None, found: str, fix: str) -> Problem:
        """Describe what is wrong, and in which row."""
        place = self.place(row)
        if place.startswith("line "):
            return Problem(self.name, int(place.removeprefix("line ")), found, fix)
        return Problem(self.name, None, found if place == self.name else f"{place}: {found}", fix)

    def bad(self, row: int | None, found: str, fix: str) -> UsageError:
        """Make an error of what is wrong in a row."""
        return InputError([self.problem(row, found, fix)])


def given_to(
    kind: Kind,
    sheets: Sequence[Sheet],
    columns: Mapping[str, str] | None,
    truth_columns: Mapping[str, str] | None,
) -> Mapping[str, str]:
    """Return which columns the user mapped: the systems', or the truth's beside the systems'."""
    if kind == "system":
        return columns or {}
    answered = {name for sheet in sheets if sheet.kind == "system" for name in sheet.columns}
    return truth_mapping(columns or {}, truth_columns, answered)


def delimiter_of(
    path: Path, columns: Mapping[str, str], answers: AnswerKind | None = None
) -> str | None:
    """Tell what stands between the cells of a file of text; None of a Parquet file.

    Engines read no other forms.
    """
    from consilience.formats.files import look
    from consilience.formats.recognise import recognise

    file = look(path)
    found = recognise(file, columns=columns, answers=answers)
    if found.form == "Parquet" and not file.gzipped:
        return None
    if not found.form.startswith(("CSV", "TSV")):
        said = f"this is a {found.form}, and engines read Parquet and CSV"
        raise bad(file.name, None, said, CONVERT)
    if file.encoding not in ("utf-8", "utf-8-sig"):
        raise bad(file.name, None, f"its text is {file.encoding}, not UTF-8", CONVERT)
    return found.delimiter


def header_of(path: Path, delimiter: str) -> list[str]:
    """Read the names of the columns of a file of text: each must be there once."""
    with _text(path) as stream:
        names = next(csv.reader(stream, delimiter=delimiter), [])
    if not any(name.strip() for name in names):
        raise bad(str(path), 1, "the first line is empty", "begin with the header")
    count = Counter(name.lower() for name in names)  # engines do not tell capitals apart
    twice = [name for name in names if count[name.lower()] > 1]
    if twice:
        raise bad(str(path), 1, f"column {quote(twice[0])} appears twice", "rename one of them")
    return [name or f"column {place + 1}" for place, name in enumerate(names)]


def line_in(path: Path, delimiter: str) -> Callable[[int], int | None]:
    """Make what finds the line of a row: cells may hold line breaks, and empty lines are no rows.

    Of a row further down than some million nobody waits to hear it.
    """

    def line(row: int) -> int | None:
        if row >= DEEP:
            return None
        with _text(path) as stream:
            cells = csv.reader(stream, delimiter=delimiter)
            begin, seen = 1, -1  # the header is before all rows
            try:
                for one in cells:
                    if one and seen == row:
                        return begin
                    begin, seen = cells.line_num + 1, seen + bool(one)
            except csv.Error:
                return None
        return None

    return line


def _text(path: Path) -> TextIO:
    from consilience.formats.files import look

    return io.TextIOWrapper(look(path).open(), "utf-8-sig", errors="replace", newline="")
