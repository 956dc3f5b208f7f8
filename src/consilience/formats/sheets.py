"""CSV, TSV and Parquet files as tables; frames and dicts of columns alike."""

from __future__ import annotations

import contextlib
import csv
import functools
import io
import re
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import Problem, Problems, UsageError, bad, quote, written
from consilience.formats import footer, roles
from consilience.formats.aside import INDEX
from consilience.formats.cells import Sheet, strings_of
from consilience.formats.files import NUL, stem_of
from consilience.formats.row_groups import read_groups
from consilience.given import is_missing, kinds_within

if TYPE_CHECKING:
    import pyarrow as pa

    from consilience.formats.files import File

#: Columns that a frame's index leaves behind when it is stored.
_INDEX = re.compile(r"__index_level_\d+__|Unnamed: \d+|")
_BLANK_LINES = re.compile(rb"\A(?:[ \t]*(?:\r\n|\r|\n))+")
_LONGEST_CELL = 1 << 30
_LOCK = threading.Lock()
#: The limits of those who read cells now, as each of them found it.
_LIMITS: list[int] = []
#: Types of numpy's that Arrow does not know beside others.
_ODD = (np.datetime64, np.timedelta64, np.complexfloating, np.longdouble, np.void, np.object_)
_RAGGED_FIX = "quote cells that hold the separator, or fill in what is missing"

_UNCLOSED = ("a quote opens in this row and never closes", "close it, or write an inner one twice")


def read_delimited(file: File, *, delimiter: str, form: str, why: str) -> Sheet:
    """Read a CSV or TSV file with a header line; every cell is text.

    Arrow reads well-formed files; where it stumbles, Python's reader finds the lines that are
    wrong.
    """
    problems = Problems()
    data = file.read(problems)
    table = None if problems or b"\0" in data else _read_fast(data, delimiter)
    stem = stem_of(file.called)
    if table is not None:
        lines = functools.cache(lambda: _row_lines(data.decode(), delimiter))
        return Sheet(file.name, form, table, stem, lambda row: lines()[row], why)
    table, numbers, problems = _read_slowly(file, delimiter)
    return Sheet(file.name, form, table, stem, numbers.__getitem__, why, problems)


def _read_fast(data: bytes, delimiter: str) -> pa.Table | None:
    """Read a well-formed table through Arrow; None where anything is out of the ordinary."""
    import pyarrow as pa
    import pyarrow.csv

    if data.count(b'"') % 2:  # a quote that opens and never closes, or one inside a cell
        return None
    try:
        header = next(rows_of(data[: 1 << 24].decode(errors="replace"), delimiter))[1]
    except csv.Error:
        return None
    if _is_damaged(header):  # Arrow looks at the rows only
        return None
    data = _BLANK_LINES.sub(b"", data, count=1)
    places = [str(place) for place in range(len(header))]  # header names may be doubled
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(_copied(data)),
            read_options=pyarrow.csv.ReadOptions(
                column_names=places,
                skip_rows_after_names=1,
                block_size=max(1 << 20, min(len(data), 1 << 28)),
            ),
            parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(places, pa.string()), strings_can_be_null=False
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        return None
    if len(header) == 1:  # a row of blanks is none, as it is for :func:`rows_of`
        import pyarrow.compute as pc

        table = table.filter(pc.not_equal(pc.utf8_trim_whitespace(table.column(0)), ""))
    return named(table.columns, header)


def _copied(data: bytes) -> pa.Buffer:
    """Return Arrow's own copy of the data.

    A thread of Arrow's may let go of it last, when Python is already leaving; memory of Python's
    cannot be freed then, and the process ends by a signal (apache/arrow issue 34314).
    """
    import pyarrow as pa

    buffer = pa.allocate_buffer(len(data))
    np.frombuffer(buffer, np.uint8)[:] = np.frombuffer(data, np.uint8)
    return buffer


def _is_damaged(header: Sequence[str]) -> bool:
    """Tell whether a header may hold a byte that could not be decoded."""
    return any("\ufffd" in name for name in header)


def named(columns: Sequence[Any], header: Sequence[str]) -> pa.Table:
    """Name the columns; what an index left behind, without a name of its own, is no column.

    Where no other column is called as items are, it may hold them: then it is kept.
    """
    import pyarrow as pa

    names = [name.strip() for name in header]
    left = [place for place, name in enumerate(names) if _INDEX.fullmatch(name)]
    if len(left) == 1 and not any(roles.role_of(name) == "item" for name in names):
        names[left[0]] = INDEX
    kept = [place for place, name in enumerate(names) if not _INDEX.fullmatch(name)]
    chosen = [columns[place] for place in kept]
    return pa.Table.from_arrays(chosen, names=[names[place] for place in kept])


def rows_of(text: str, delimiter: str, *, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Give the rows that are not blank, each with the line it begins on."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
    with _long_cells():
        before = 0
        for row in reader:
            if len(row) > 1 or (row and row[0].strip()):
                yield before + 1, row
            before = reader.line_num


@contextlib.contextmanager
def _long_cells() -> Iterator[None]:
    """Let cells be long while anybody reads; files may be read side by side."""
    with _LOCK:
        _LIMITS.append(csv.field_size_limit(_LONGEST_CELL))
    try:
        yield
    finally:
        with _LOCK:
            limit = max(_LIMITS)  # what was found first is given back last
            _LIMITS.remove(limit)
            if not _LIMITS:
                csv.field_size_limit(limit)


def _row_lines(text: str, delimiter: str) -> list[int]:
    """Find the line of every row below the header; a quoted cell may span several."""
    return [line for line, _ in rows_of(text, delimiter)][1:]


def _read_slowly(file: File, delimiter: str) -> tuple[pa.Table, list[int], Problems]:
    """Read with Python's csv reader; note every problem with its line."""
    problems = Problems()
    text = file.text(problems)
    opened = _unclosed(text, delimiter)
    header: list[str] | None = None
    lines: list[int] = []
    cells: list[list[str]] = []
    line = 0
    try:
        for line, row in rows_of(text, delimiter):
            if header is None:
                header = row
                if _is_damaged(header):  # what its columns are cannot be told
                    problems.raise_any()
                continue
            found, fix = _row_problem(row, len(header)) if line != opened else _UNCLOSED
            if found:
                problems.add(Problem(file.name, line, found, fix))
            else:
                lines.append(line)
                cells.append(row)
    except csv.Error as error:
        problems.add(Problem(file.name, line + 1, str(error), "write the line again"))
    header = header or []
    columns = zip(*cells, strict=True) if cells else [()] * len(header)
    table = named([strings_of(column) for column in columns], header)
    return table, lines, problems


def _row_problem(row: Sequence[str], width: int) -> tuple[str, str]:
    if any("\0" in cell for cell in row):
        return NUL
    if len(row) != width:
        return f"expected {width} cells, found {len(row)}", _RAGGED_FIX
    return "", ""


def _unclosed(text: str, delimiter: str) -> int | None:
    """Find the row in which a quote opens that never closes."""
    last = 0
    try:
        for line, row in rows_of(text, delimiter, strict=True):
            last = line + sum(cell.count("\n") for cell in row)
    except csv.Error as error:
        return last + 1 if "unexpected end of data" in str(error) else None
    return None


def read_parquet(file: File, *, why: str, columns: Mapping[str, str]) -> Sheet:
    """Read a Parquet file; names that are stored as dictionaries are left so.

    ``columns`` maps roles to columns, where names do not say what they are. The table of a votes
    file keeps what stands in its footer.
    """
    import pyarrow as pa
    import pyarrow.parquet

    try:
        packed = file.gzipped or file.held is not None
        source = _copied(file.raw()) if packed else str(file.path)
        with pyarrow.parquet.ParquetFile(_opened(source)) as stored:
            known = stored.metadata
            names = texts(stored, columns)
            size = file.path.stat().st_size if isinstance(source, str) else len(source)
        with open_parquet(source, known, names) as stored:
            table = read_groups(stored)
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        raise unreadable(file, error) from None
    columns_read = named(table.columns, table.column_names)
    columns_read = columns_read.replace_schema_metadata(footer.held(known, size))
    return Sheet(file.name, "Parquet", columns_read, stem_of(file.called), None, why, own=True)


def open_parquet(source: Any, known: Any = None, names: Sequence[str] = ()) -> Any:
    """Open a Parquet file; ``names`` are columns of text to be left as dictionaries."""
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(
        _opened(source),
        metadata=known,
        read_dictionary=[*names],
        page_checksum_verification=True,
    )


def unreadable(file: File, error: Exception) -> Exception:
    """Say that a Parquet file cannot be read; name the row group, where it is only one."""
    reason = str(error).splitlines()[0].replace(f" '{file.path}'", "")
    broken = "" if file.gzipped or file.held is not None else _broken(str(file.path))
    return bad(file.name, None, f"not readable as Parquet: {broken}{reason}", "write it again")


def _broken(path: str) -> str:
    """Find the first row group that cannot be read."""
    import pyarrow as pa

    try:
        with open_parquet(path) as stored:
            for group in range(stored.num_row_groups):
                try:
                    stored.read_row_group(group).validate(full=True)
                except (OSError, pa.ArrowException, UnicodeDecodeError):
                    return f"row group {group + 1} of {stored.num_row_groups}: "
    except (OSError, pa.ArrowException, UnicodeDecodeError):  # not even its footer can be read
        return ""
    return ""


def _opened(source: Any) -> Any:
    import pyarrow as pa

    return source if isinstance(source, str) else pa.BufferReader(source)


def texts(stored: Any, columns: Mapping[str, str]) -> list[str]:
    """Name the columns of names of an open Parquet file that are text in a dictionary.

    Where names hardly repeat, a dictionary costs more than it saves. Without one a name takes four
    bytes and its letters: a column that takes less holds numbers.
    """
    import pyarrow as pa

    schema, known = stored.schema_arrow, stored.metadata
    found = [field.name.strip() for field in schema]
    try:
        given = {role: name for role, name in columns.items() if name in found}
        assigned = roles.assign(found, given)
    except UsageError:  # whoever reads the table says it
        return []
    wanted = [assigned.get(role) for role in ("query", "item", "respondent")]
    text = {field.name for field in schema if field.type in (pa.string(), pa.large_string())}
    places = {known.schema.column(n).path: n for n in range(known.num_columns)}
    asked = [name for name in places if name in text and name.strip() in wanted]
    if asked and known.num_row_groups:
        # Arrow ends the process where it is asked about a column that its schema contradicts;
        # where such a column is read, it says so.
        next(stored.iter_batches(batch_size=1, row_groups=[0], columns=asked), None)
    small = []
    for name in asked:
        size = rows = 0
        for group in range(known.num_row_groups):
            about = known.row_group(group).column(places[name])
            size += about.total_uncompressed_size
            rows += about.num_values if about.has_dictionary_page else 0
        small += [name] if size < 4 * rows else []
    return small


def of_frame(frame: Any, *, name: str) -> Sheet:
    """Take a pandas, polars, pyarrow or other frame that narwhals knows."""
    import narwhals as nw
    import pyarrow as pa

    kinds = kinds_within(frame, name)
    if isinstance(frame, pa.RecordBatch):
        frame = pa.Table.from_batches([frame])
    try:
        native = nw.from_native(frame)
    except nw.exceptions.NarwhalsError as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"{name}: cannot be read: {reason} (fix: rename the columns)") from None
    eager = native.collect() if isinstance(native, nw.LazyFrame) else native
    form = f"{str(eager.implementation).lower().rpartition('.')[2]} frame"
    header = [text_of(column) for column in eager.columns]
    _check_header(name, header)
    try:
        _check_kinds(kinds)
        made = eager.to_arrow()
        columns = made.columns
        header += made.column_names[len(header) :]  # an index of pandas that has a name
    except Exception:  # noqa: BLE001 (a column of mixed types, of objects, without rows)
        found = zip(header, eager.iter_columns(), strict=True)
        columns = [_column(values.to_list(), name, column) for column, values in found]
    return Sheet(name, form, named(columns, header), name)


def of_columns(columns: Mapping[Any, Any], *, name: str) -> Sheet:
    """Take a dict of columns (lists or arrays of equal length)."""
    import pyarrow as pa

    header = [text_of(column) for column in columns]
    _check_header(name, header)
    for column, values in zip(header, columns.values(), strict=True):
        if not _is_column(values):
            found = f"column {quote(column)} is one {type(values).__name__}"
            raise bad(name, None, found, "give a list with one value per row")
    lengths = [len(values) for values in columns.values()]
    if len(set(lengths)) > 1:
        says = ", ".join(f"{column}: {n}" for column, n in zip(header, lengths, strict=True))
        raise bad(name, None, f"columns differ in length ({says})", "give one value per row")
    made = [
        _column(values, name, column)
        for column, values in zip(header, columns.values(), strict=True)
    ]
    return Sheet(name, "dict of columns", pa.Table.from_arrays(made, names=header), name)


def _check_header(name: str, header: Sequence[str]) -> None:
    """Refuse columns whose names cannot be written, or that are the same once they are text."""
    for column, count in Counter(header).items():
        if count > 1:
            found = f"{count} columns are called {quote(column)}"
            raise bad(name, None, found, "give every column a name of its own")
        if "\0" in column:
            raise bad(name, None, f"the name of a column: {quote(column)} has a NUL", NUL[1])
        _check_text(column, name, "the name of a column")


def _check_text(text: str, name: str, where: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        found = f"{where}: {quote(text)} is not valid text"
        raise bad(name, None, found, "mend its encoding") from None


def _is_column(values: Any) -> bool:
    """Return whether something is a list, an array or a Series: a value per row, in their order."""
    if isinstance(values, (str, bytes, bytearray, Mapping, Set)) or hasattr(values, "columns"):
        return False
    return hasattr(values, "__len__") and getattr(values, "ndim", 1) == 1


def _check_kinds(kinds: Set[type]) -> None:
    """Refuse types that Arrow ends the process on, or makes other values of, beside others."""
    odd = any(issubclass(kind, _ODD) for kind in kinds)
    if odd and len(kinds - {type(None)}) > 1:
        raise TypeError


def _column(values: Any, name: str, column: str) -> pa.Array:
    """Make an Arrow array of what Python users hold; mixed types become text."""
    import pyarrow as pa

    kinds = kinds_within(values, name)
    try:
        _check_kinds(kinds)
        return pa.array(values)
    except Exception:  # noqa: BLE001 (mixed types, objects of any class)
        cells = [None if is_missing(value) else text_of(value) for value in values]
    for row, cell in enumerate(cells, start=1):
        _check_text(cell or "", name, f"row {row}, column {quote(column)}")
    return pa.array(cells, pa.string())


def text_of(value: object) -> str:
    """Write a name as tables would: whole numbers without a point, yes and no as 1 and 0.

    Examples
    --------
    >>> text_of(7), text_of(7.0), text_of("07"), text_of(True), text_of(b"d7")
    ('7', '7', '07', '1', 'd7')
    """
    if isinstance(value, (bool, np.bool_)):
        return "1" if value else "0"
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return written(value)
