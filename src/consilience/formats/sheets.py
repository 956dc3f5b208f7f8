"""CSV, TSV, JSON lines and Parquet files as tables; frames and dicts of columns alike."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from consilience.errors import InputError, Problem, bad, quote
from consilience.formats.files import stem_of
from consilience.formats.table import Sheet

if TYPE_CHECKING:
    import pyarrow as pa

    from consilience.formats.files import File

csv.field_size_limit(1 << 30)


def read_delimited(file: File, *, delimiter: str, form: str, why: str) -> Sheet:
    """Read a CSV or TSV file with a header line; every cell is text.

    Arrow reads well-formed files; where it stumbles, Python's reader finds the lines that are
    wrong.
    """
    import pyarrow as pa
    import pyarrow.csv

    data = file.read()
    header = next(csv.reader(io.StringIO(data[: 1 << 20].decode(errors="replace")), delimiter=delimiter))
    try:
        table = pyarrow.csv.read_csv(
            io.BytesIO(data),
            read_options=pyarrow.csv.ReadOptions(
                column_names=header, skip_rows_after_names=1, block_size=max(1 << 20, min(len(data), 1 << 28))
            ),
            parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=dict.fromkeys(header, pa.string()), strings_can_be_null=False
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError):
        table = _read_slowly(file, delimiter)
    locate = _delimited_lines(file, delimiter)
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise bad(file.name, line, "holds a NUL byte", "remove it, or write the file again")
    if not table.num_rows:
        raise bad(file.name, None, "the table has a header and no rows", "add rows, or leave it out")
    return Sheet(file.name, form, table, stem_of(file.path.name), locate, why)


def _read_slowly(file: File, delimiter: str) -> pa.Table:
    """Read with Python's csv reader; raise every problem with its line."""
    import pyarrow as pa

    text = io.StringIO("\n".join(line for _, line in file.lines()))
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    header = next(reader)
    problems: list[Problem] = []
    rows: list[list[str]] = []
    try:
        for row in reader:
            if row and len(row) != len(header):
                found = f"expected {len(header)} cells, found {len(row)}"
                fix = "quote cells that hold the separator, or fill in what is missing"
                problems.append(Problem(file.name, reader.line_num, found, fix))
            elif row:
                rows.append(row)
    except csv.Error as error:
        fix = "close the quotes, or write the file again"
        problems.append(Problem(file.name, reader.line_num, str(error), fix))
    if problems:
        raise InputError(problems)
    columns = zip(*rows, strict=True) if rows else [()] * len(header)
    return pa.table([pa.array(column, pa.string()) for column in columns], names=header)


def _delimited_lines(file: File, delimiter: str) -> Callable[[int], int]:
    """Give a function that finds a row's line; a quoted cell may span several."""

    def locate(row: int) -> int:
        text = io.StringIO("\n".join(line for _, line in file.lines()))
        reader = csv.reader(text, delimiter=delimiter)
        for seen, _ in enumerate((cells for cells in reader if cells), start=-1):
            if seen == row:
                return reader.line_num
        return row + 2

    return locate


def read_json_lines(file: File, *, why: str) -> Sheet:
    """Read one JSON object a line; cells of nested values are an error with their line."""
    import pyarrow as pa

    rows: list[dict[str, str]] = []
    lines: list[int] = []
    problems: list[Problem] = []
    for number, line in file.lines():
        if not line.strip():
            continue
        found = _json_row(line)
        if isinstance(found, str):
            problems.append(Problem(file.name, number, found, "write one flat JSON object a line"))
        else:
            rows.append(found)
            lines.append(number)
    if problems:
        raise InputError(problems)
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [pa.array([row.get(name) for row in rows], pa.string()) for name in names]
    table = pa.table(columns, names=names)
    return Sheet(file.name, "JSON lines", table, stem_of(file.path.name), lines.__getitem__, why)


def _json_row(line: str) -> dict[str, str] | str:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        return f"not JSON: {error.msg} at column {error.colno}"
    if not isinstance(row, dict):
        return f"expected a JSON object, found {quote(line)}"
    for name, value in row.items():
        if isinstance(value, (dict, list)):
            return f"{name} holds {quote(json.dumps(value))}, not a single value"
    return {name: _cell(value) for name, value in row.items()}


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    return value if isinstance(value, str) else repr(value)


def read_parquet(file: File, *, why: str) -> Sheet:
    """Read a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet

    try:
        table = pyarrow.parquet.read_table(file.path)
    except (OSError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0]
        raise bad(file.name, None, f"not readable as Parquet: {reason}", "write it again") from None
    return Sheet(file.name, "Parquet", table, stem_of(file.path.name), None, why)


def of_frame(frame: Any, *, name: str) -> Sheet:
    """Take a pandas, polars, pyarrow or other frame that narwhals knows."""
    import narwhals as nw

    native = nw.from_native(frame)
    eager = native.collect() if isinstance(native, nw.LazyFrame) else native
    return Sheet(name, f"{eager.implementation} frame", eager.to_arrow(), name)


def of_columns(columns: Mapping[str, Any], *, name: str) -> Sheet:
    """Take a dict of columns (lists or arrays of equal length)."""
    import pyarrow as pa

    lengths = {column: len(values) for column, values in columns.items()}
    if len(set(lengths.values())) > 1:
        says = ", ".join(f"{column}: {length}" for column, length in lengths.items())
        raise bad(name, None, f"columns differ in length ({says})", "give one value per row")
    return Sheet(name, "dict of columns", pa.table({k: pa.array(v) for k, v in columns.items()}), name)
