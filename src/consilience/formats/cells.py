"""Columns of a table: cells become numbers or names, bad ones become problems with their lines.

Cells are read once per *different* value, and columns that hold nothing but numbers in one go: a
million votes cost a handful of Python calls.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.columns import Codes, Text, coded, numbers, views
from consilience.errors import InputError, Problem, Problems, bad, quote
from consilience.formats import roles as r
from consilience.formats.numbered import ends, numbered
from consilience.formats.values import EXACT, READERS, fits

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table as read, how to find a row's line, and what was wrong with its lines.

    ``notes`` and ``unused`` (columns) are what was told and set aside before. ``own`` tells that
    nobody else holds the table's memory: what is made of it may share it. ``melted`` is how many
    rows the table had before its columns were put one below the other.
    """

    name: str
    form: str
    table: pa.Table
    stem: str
    locate: Callable[[int], int] | None = None
    why: str = ""
    problems: Problems = field(default_factory=Problems)
    notes: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    own: bool = False
    melted: int = 0

    @property
    def header(self) -> int | None:
        """The line of the header, where there is one."""
        return None if self.locate is None else 1

    def problem(self, row: int, found: str, fix: str) -> Problem:
        """Describe what is wrong in a row."""
        if self.locate is not None:
            return Problem(self.name, self.locate(row), found, fix)
        row = row % self.melted if self.melted else row
        return Problem(self.name, None, f"row {row + 1}: {found}", fix)


@dataclass(slots=True)
class Reading:
    """A table while it is read: what was found wrong so far, and what is worth a note."""

    sheet: Sheet
    problems: Problems
    notes: list[str] = field(default_factory=list)

    def wrong(self, rows: NDArray[np.intp], describe: Callable[[int], tuple[str, str]]) -> None:
        """Note the same kind of problem in some rows."""
        self.problems.many(rows, lambda row: self.sheet.problem(int(row), *describe(int(row))))  # type: ignore[arg-type]

    def cell(self, column: str, row: int) -> str:
        """Repeat a cell for a message."""
        value = self.sheet.table[column][row].as_py()
        return quote("" if value is None else value)

    def raise_any(self) -> None:
        """Raise all problems, in the order of their lines."""
        self.problems.sorted().raise_any()


def read_values(reading: Reading, column: str, role: str) -> NDArray[np.float64]:
    """Read a column's cells as numbers, NaN where a cell is empty or unknown."""
    read_cell, what, fix = READERS[role]
    data = reading.sheet.table[column]
    said = as_numbers(data)
    if said is not None and not (role == "score" and _says_nan(data, said)):
        wrong = ~fits(role, said)
    else:
        cells = Codes.of_arrow(strings(reading.sheet, column))
        read = [read_cell(cell) for cell in cells.names]
        values = np.array([np.nan if value is None else value for value in read], np.float64)
        unread = np.array([value is None for value in read], bool)
        said, wrong = values[cells.code], (unread | ~fits(role, values))[cells.code]

    def describe(row: int) -> tuple[str, str]:
        cell = reading.cell(column, row)
        if role == "score" and r.is_boundless(cell[1:-1]):
            return f"{column} must be finite, found {cell}", r.FINITE_FIX
        point = "write decimals with a point" if _DECIMAL_COMMA.fullmatch(cell[1:-1]) else fix
        return f"{column} must be {what}, found {cell}", point

    reading.wrong(np.nonzero(wrong)[0], describe)
    return np.where(wrong, 0.0, said) if wrong.any() else said  # said once is enough


def read_whole(reading: Reading, column: str, *, least: int) -> NDArray[np.integer] | None:
    """Read a column of whole numbers from ``least`` on, without gaps; None where it holds others.

    The usual column of ranks: nothing of it needs to become a fraction.

    Examples
    --------
    >>> import pyarrow as pa
    >>> sheet = Sheet("runs", "table", pa.table({"rank": [1, 2], "score": [0.5, 0.25]}), "runs")
    >>> reading = Reading(sheet, Problems())
    >>> read_whole(reading, "rank", least=1).tolist()
    [1, 2]
    >>> read_whole(reading, "rank", least=2), read_whole(reading, "score", least=0)
    (None, None)
    """
    import pyarrow as pa

    data = reading.sheet.table[column]
    if not pa.types.is_integer(data.type) or data.null_count or not len(data):
        return None
    pieces = views(data.chunks)
    low, high = ends(pieces)
    if low < least or high >= EXACT:
        return None
    kind = np.int32 if high < np.iinfo(np.int32).max else np.int64
    if reading.sheet.own and len(pieces) == 1 and pieces[0].dtype.itemsize <= 4:
        return pieces[0]
    return np.concatenate(pieces, dtype=kind, casting="unsafe")


def _says_nan(column: pa.ChunkedArray, said: NDArray[np.float64]) -> bool:
    """Tell whether a column of text holds the word NaN: a score that went wrong, not a gap."""
    import pyarrow as pa
    import pyarrow.compute as pc

    unsaid = np.isnan(said)
    column = _plain_text(column)
    if not unsaid.any() or not pa.types.is_string(column.type):
        return False
    return bool((unsaid & ~is_empty(pc.ascii_trim_whitespace(column))).any())


def _plain_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Bring the other forms of text that Arrow has into the plain one."""
    import pyarrow as pa

    others = (pa.types.is_large_string, pa.types.is_string_view)
    return column.cast(pa.string()) if any(other(column.type) for other in others) else column


def as_numbers(column: pa.ChunkedArray) -> NDArray[np.float64] | None:
    """Read a column of nothing but numbers and empty cells in one go; None where it holds more."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = _plain_text(column)
    kind = column.type
    if pa.types.is_dictionary(kind):
        return None
    try:
        if pa.types.is_string(kind) and not column.null_count:
            column = pc.ascii_trim_whitespace(column)
            column = pa.chunked_array([_gaps(chunk) for chunk in column.chunks], pa.string())
        cast = column.cast(pa.float64(), safe=not pa.types.is_integer(kind))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    said = numbers(cast.chunks).astype(np.float64, copy=False)
    if cast.null_count:
        said = np.where(_flags(cast.is_null().chunks), np.nan, said)
    return said


# Arrow looks for pandas, where it is installed, whenever a Python value becomes an Arrow one; the
# import takes longer than reading a million rows. So these compare with numpy.


def strings_of(cells: Iterable[str]) -> pa.ChunkedArray:
    """Make an Arrow column of Python strings."""
    import pyarrow as pa

    return pa.chunked_array(Text.of(cells).chunks, pa.string())


def is_empty(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    """Tell which cells of a column of strings are empty."""
    import pyarrow.compute as pc

    empty: NDArray[np.bool_] = numbers(pc.binary_length(column).chunks) == 0
    return empty


def _gaps(chunk: pa.Array) -> pa.Array:
    """Make empty cells of an array of strings unsaid ones."""
    import pyarrow as pa

    _, offsets, data = chunk.buffers()
    ends = np.frombuffer(offsets, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    said = np.diff(ends) > 0
    if said.all():
        return chunk
    valid = pa.py_buffer(np.packbits(said, bitorder="little"))
    return pa.Array.from_buffers(pa.string(), len(chunk), [valid, pa.py_buffer(ends), data])


def _flags(chunks: Sequence[pa.Array]) -> NDArray[np.bool_]:
    """Give Arrow arrays of yes and no as one array."""
    pieces = [
        np.unpackbits(np.frombuffer(chunk.buffers()[1], np.uint8), bitorder="little")[
            chunk.offset : chunk.offset + len(chunk)
        ]
        for chunk in chunks
    ]
    return np.concatenate(pieces).astype(bool)


def _holds_nul(column: pa.ChunkedArray) -> bool:
    for chunk in column.chunks:
        _, offsets, data = chunk.buffers()
        ends = np.frombuffer(offsets, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
        if b"\0" in memoryview(data or b"")[int(ends[0]) : int(ends[-1])].tobytes():
            return True
    return False


def vote_share(sheet: Sheet, column: str) -> float:
    """Tell which share of a column's cells are votes; unknown ones aside, 0 where all are."""
    said = as_numbers(sheet.table[column])
    if said is not None:
        known = said[~np.isnan(said)]
        return float(fits("vote", known).mean()) if len(known) else 0.0
    try:
        cells = Codes.of_arrow(strings(sheet, column))
    except InputError:  # lists, pictures: a column that is not asked for
        return 0.0
    votes = [r.read_vote(cell) for cell in cells.names]
    count = np.bincount(cells.code, minlength=len(votes)).astype(np.float64)
    count[[vote is not None and vote != vote for vote in votes]] = 0
    yes = count[[vote is not None for vote in votes]].sum()
    return float(yes / count.sum()) if count.any() else 0.0


def strings(sheet: Sheet, column: str) -> pa.ChunkedArray:
    """Give a column as text, empty where nothing is said."""
    import pyarrow as pa

    data = sheet.table[column]
    if pa.types.is_dictionary(data.type):
        data = data.cast(data.type.value_type)
    return _as_text(sheet, column, data)


def _as_text(sheet: Sheet, column: str, data: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write the cells of a column as text.

    Whole numbers are written without a point, whatever type carries them: pandas turns a column
    of whole numbers with a gap into 1.0, 2.0, …
    """
    import pyarrow as pa

    if pa.types.is_nested(data.type):
        found = f"column {quote(column)} holds {data.type}, not single values"
        raise bad(sheet.name, None, found, "give one value a cell, or leave the column out")
    try:
        if pa.types.is_floating(data.type):
            data = _without_nan(data)
        text = data.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        reason = str(error).splitlines()[0]
        found = f"column {quote(column)} cannot be read as text: {reason}"
        raise bad(sheet.name, None, found, "write it as text") from None
    return text.fill_null("") if text.null_count else text


def _without_nan(data: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    data = pc.if_else(pc.is_nan(data), pa.scalar(None, data.type), data)
    whole = pc.and_(pc.equal(pc.floor(data), data), pc.less(pc.abs(data), EXACT))
    return data.cast(pa.int64()) if pc.all(whole).as_py() else data


def read_names(reading: Reading, column: str, role: str) -> pa.ChunkedArray:
    """Read a column of names; blanks around them are taken off, empty ones are problems.

    Where a column comes as a dictionary, or as whole numbers, each different name is read once,
    and the column stays a dictionary.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    sheet = reading.sheet
    code, values = numbered(sheet.table[column], many=role == "item", own=sheet.own)
    text = strings(sheet, column) if code is None else _as_text(sheet, column, values)

    def rows(flags: NDArray[np.bool_]) -> NDArray[np.intp]:
        if code is not None and flags.any():
            flags = flags[code]
        return np.nonzero(flags)[0]

    trimmed = pc.ascii_trim_whitespace(text)
    if not trimmed.equals(text):
        count = len(rows(_flags(pc.not_equal(trimmed, text).chunks)))
        if count:
            reading.notes.append(f"{column}: blanks around {count:,} names were taken off")
    fix = "fill it in, or remove the row"
    reading.wrong(rows(is_empty(trimmed)), lambda row: (f"{column}: the {role} is empty", fix))
    if _holds_nul(trimmed):
        nul = rows(_flags(pc.match_substring(trimmed, "\0").chunks))
        reading.wrong(nul, lambda row: (f"{column} holds a NUL character", "remove it"))
    if code is None:
        return trimmed
    names = trimmed.combine_chunks()
    if pa.types.is_dictionary(sheet.table[column].type):  # it may hold a name twice
        names = names.dictionary_encode()
        if len(names.dictionary) < len(names):
            code = numbers([names.indices])[code]
        names = names.dictionary
    return pa.chunked_array([coded(code, names)])


def once_per_respondent(
    reading: Reading, column: str, respondent: Codes, *, role: str
) -> tuple[str | None, ...]:
    """Read a column that must say the same in all rows of a respondent."""
    sheet = reading.sheet
    cells = Codes.of_arrow(strings(sheet, column))
    said = [name.strip() or None for name in cells.names]
    size = max(len(said), 1)
    pairs = np.unique(respondent.code.astype(np.int64) * size + cells.code)
    words: dict[int, Any] = {}
    for who, cell in zip((pairs // size).tolist(), (pairs % size).tolist(), strict=True):
        if words.setdefault(who, said[cell]) != said[cell]:
            row = np.nonzero((respondent.code == who) & (cells.code == cell))[0][:1]
            name, here, there = respondent.names[who], said[cell] or "", words[who] or ""
            found = f"{role} of {quote(name)} is {quote(here)} here and {quote(there)} elsewhere"
            reading.wrong(row, lambda _, found=found: (found, "write the same in all its rows"))  # type: ignore[misc]
    return tuple(words.get(who) for who in range(len(respondent.names)))
