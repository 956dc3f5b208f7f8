"""TREC runs and judgments (qrels): the slow readable reader, and the fast one beside it.

A run line is ``query Q0 item rank score tag``, a judgment line ``query iteration item grade``,
fields parted by any white space. The rank may be missing (``-``, or five fields), the tag too;
then the file's name stands for it. Scores order a list; ranks are kept but do not (trec_eval's
rule). A negative grade means "pooled, but not judged".

:func:`read_lines` defines what a file means and finds every problem with its line.
:func:`read_fast` reads well-formed files through Arrow's CSV reader at some ten million lines a
second and core; where it stumbles it gives up and the slow reader speaks. Tests compare the two.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.columns import Codes, Text, numbers
from consilience.errors import InputError, Problem, quote
from consilience.formats.files import stem_of
from consilience.formats.rows import Kind, Rows, Silence, Source

if TYPE_CHECKING:
    import pyarrow as pa
    from consilience.formats.files import File

Form = Literal["TREC run", "TREC qrels"]

_RUN = ("query", "q0", "item", "rank", "score", "tag")
_QRELS = ("query", "iteration", "item", "grade")
_NO_RANK = ("-", "NA", "nan")
_WHITE = re.compile(rb"[ \t\v\f]+")
_BLOCK_SIZES = (1 << 20, 1 << 26)


def read(file: File, form: Form, *, kind: Kind, why: str) -> Rows:
    """Read a run or a file of judgments, the fast way where possible."""
    columns = read_fast(file, form)
    if columns is None:
        columns = read_lines(file, form)
    return _rows(file, form, columns, kind=kind, why=why)


def read_lines(file: File, form: Form) -> dict[str, Any]:
    """Read line by line, gather every problem, and raise them together.

    Returns the columns by name; ``rank`` and ``tag`` hold None where a line has none.
    """
    names = _RUN if form == "TREC run" else _QRELS
    columns: dict[str, list[Any]] = {name: [] for name in names if name not in ("q0", "iteration")}
    problems: list[Problem] = []
    for number, line in file.lines():
        fields = line.split()
        if not fields:
            continue
        found = _run_line(fields) if form == "TREC run" else _qrels_line(fields)
        if "\0" in line:
            found = ("holds a NUL byte", "remove it, or write the file again")
        if isinstance(found, tuple):
            problems.append(Problem(file.name, number, *found))
        else:
            for name, value in found.items():
                columns[name].append(value)
    if problems:
        raise InputError(problems)
    return columns


def _run_line(fields: Sequence[str]) -> dict[str, Any] | tuple[str, str]:
    shape = "query Q0 item rank score tag"
    if len(fields) == 5:  # either the rank or the tag is missing
        fields = [*fields, None] if _number(fields[4]) is not None else [*fields[:3], "-", *fields[3:]]  # type: ignore[list-item]
    if len(fields) != 6:
        return f"expected 6 fields ({shape}), found {len(fields)}", "one line per item, as shown"
    query, _, item, rank, score, tag = fields
    if rank not in _NO_RANK and _whole(rank) is None:
        return f"rank must be a whole number, found {quote(rank)}", "write its position, or -"
    value = _number(score)
    if value is None or value != value:
        return f"score must be a number, found {quote(score)}", "write a number such as 12.5"
    position = None if rank in _NO_RANK else _whole(rank)
    return {"query": query, "item": item, "rank": position, "score": value, "tag": tag}


def _qrels_line(fields: Sequence[str]) -> dict[str, Any] | tuple[str, str]:
    if len(fields) != 4:
        shape = "query iteration item grade"
        return f"expected 4 fields ({shape}), found {len(fields)}", "one line per judgment, as shown"
    query, _, item, grade = fields
    value = _number(grade)
    if value is None or value != value or value in (float("inf"), float("-inf")):
        return f"grade must be a number, found {quote(grade)}", "write a grade such as 0, 1 or 2"
    return {"query": query, "item": item, "grade": value}


def _number(text: str) -> float | None:
    try:
        return float(text) if "_" not in text else None
    except ValueError:
        return None


def _whole(text: str) -> int | None:
    value = _number(text)
    return int(value) if value is not None and abs(value) < 2**53 and value == int(value) else None


def read_fast(file: File, form: Form) -> dict[str, Any] | None:
    """Read a well-formed file through Arrow; None where anything is out of the ordinary."""
    import pyarrow as pa

    separator = _separator(file.head)
    attempts = [(None, block) for block in _BLOCK_SIZES]
    for single, block in [(separator, _BLOCK_SIZES[0]), *attempts] if separator else attempts:
        source: Any = str(file.path)
        size = file.path.stat().st_size
        if single is None or not file.plain:
            data = _normalised(file.read())
            source, size = io.BytesIO(data), len(data)
        try:
            columns = _gather(_batches(source, form, single or " ", block), form, size)
        except pa.ArrowInvalid:
            continue
        if columns is not None:
            return columns
    return None


def _separator(head: bytes) -> str | None:
    """Tell whether single blanks or single tabs part the fields of the first lines."""
    lines = head.removeprefix(b"\xef\xbb\xbf").splitlines()[:100]
    for separator in (b" ", b"\t"):
        if all(len(line.split(separator)) == len(line.split()) for line in lines):
            return separator.decode()
    return None


def _normalised(data: bytes) -> bytes:
    """Part all fields by one blank, whatever white space parted them."""
    data = _WHITE.sub(b" ", data.replace(b"\r\n", b"\n"))
    return data.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def _batches(source: Any, form: Form, separator: str, block: int) -> Iterator[pa.RecordBatch]:
    """Parse a file piece by piece, so that what is not kept need not be held."""
    import pyarrow as pa
    import pyarrow.csv

    names = _RUN if form == "TREC run" else _QRELS
    types = {"query": pa.dictionary(pa.int32(), pa.string()), "rank": pa.int32()}
    types |= {"score": pa.float64(), "grade": pa.float64()}
    types |= dict.fromkeys(("item", "tag"), pa.string())
    return iter(
        pyarrow.csv.open_csv(
            source,
            read_options=pyarrow.csv.ReadOptions(column_names=list(names), block_size=block),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=separator, quote_char=False, double_quote=False, escape_char=False
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                include_columns=[name for name in names if name not in ("q0", "iteration")],
                column_types=types,
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    )


def _gather(batches: Iterator[pa.RecordBatch], form: Form, size: int) -> dict[str, Any] | None:
    """Put the pieces together; None where Arrow let something through that needs a closer look."""
    query, tag = _Names(), _Names()
    queries, rank, score, grade = (_Column(kind) for kind in (np.int32, np.int32, float, float))
    items: list[pa.Array] = []
    tags: list[NDArray[np.int32]] = []
    for batch in batches:
        expected = int(size / max(batch.get_total_buffer_size(), 1) * len(batch) * 1.5)
        if not _is_clean(batch):
            return None
        items.append(batch["item"])
        queries.add(query.codes(batch["query"]), expected)
        if form == "TREC run":
            tags.append(tag.repeated(batch["tag"]))
            rank.add(numbers([batch["rank"]]), expected)
            score.add(numbers([batch["score"]]), expected)
        else:
            grade.add(numbers([batch["grade"]]), expected)
    columns = {
        "query": Codes(queries.values(), query.names()),
        "item": Text.of_arrow(items),
    }
    if form == "TREC qrels":
        return {**columns, "grade": grade.values()}
    if len(tag.numbers) == 1:
        respondent = Codes.constant(*tag.names(), len(columns["item"]))
    else:
        full = [np.broadcast_to(code, len(item)) for code, item in zip(tags, items, strict=True)]
        respondent = Codes(np.concatenate(full), tag.names())
    return {**columns, "rank": rank.values(), "score": score.values(), "tag": respondent}


class _Column:
    """Numbers that arrive in pieces and end as one array, each written once."""

    __slots__ = ("array", "filled")

    def __init__(self, kind: Any) -> None:
        self.array = np.empty(0, kind)
        self.filled = 0

    def add(self, piece: NDArray[Any], expected: int) -> None:
        end = self.filled + len(piece)
        if end > len(self.array):
            grown = np.empty(max(end, expected, 2 * len(self.array)), self.array.dtype)
            grown[: self.filled] = self.array[: self.filled]
            self.array = grown
        self.array[self.filled : end] = piece
        self.filled = end

    def values(self) -> NDArray[Any]:
        return self.array[: self.filled]


class _Names:
    """Names numbered over pieces that each number them anew."""

    __slots__ = ("numbers",)

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def names(self) -> tuple[str, ...]:
        return tuple(self.numbers)

    def codes(self, column: pa.DictionaryArray) -> NDArray[np.int32]:
        names = column.dictionary.to_pylist()
        common = np.array([self.numbers.setdefault(n, len(self.numbers)) for n in names], np.int32)
        return common[numbers([column.indices])]

    def repeated(self, column: pa.StringArray) -> NDArray[np.int32]:
        """Number a column that mostly says one name; one number stands for a column of equals."""
        name = column[0].as_py()
        if _says_only(name.encode(), column):
            return np.array([self.numbers.setdefault(name, len(self.numbers))], np.int32)
        return self.codes(column.dictionary_encode())


def _is_clean(batch: pa.RecordBatch) -> bool:
    """Check what Arrow lets through: white space or NUL in names, NaN as a number."""
    names = [batch["query"].dictionary, batch["item"]]
    names += [batch["tag"]] if "tag" in batch.schema.names else []
    for column in names:
        data = column.buffers()[2]
        if data is not None and bool((np.frombuffer(data, np.uint8) <= 32).any()):
            return False
    return all(
        bool(np.isfinite(numbers([batch[name]])).all())
        for name in ("score", "grade")
        if name in batch.schema.names
    )


def _says_only(name: bytes, column: pa.StringArray) -> bool:
    """Tell whether an array of strings holds one name over and over."""
    import pyarrow as pa

    offsets = np.frombuffer(column.buffers()[1], np.int32)[: len(column) + 1]
    same_length = bool((np.diff(offsets) == len(name)).all())
    whole = column.buffers()[2][: int(offsets[-1])]
    return same_length and bool(whole.equals(pa.py_buffer(name * len(column))))


def _rows(file: File, form: Form, columns: dict[str, Any], *, kind: Kind, why: str) -> Rows:
    """Make rows of the columns of either reader."""
    query, item = columns["query"], columns["item"]
    query = query if isinstance(query, Codes) else Codes.of(query)
    item = item if isinstance(item, Text) else Text.of(item)
    stem = stem_of(file.path.name)
    rank = columns.get("rank")
    notes: list[str] = []
    if isinstance(rank, list):
        missing = sum(position is None for position in rank)
        notes += [f"{missing:,} lines without a rank (ranks are not used: scores order)"] * bool(missing)
        rank = None if missing else np.array(rank, np.int32)
    if form == "TREC run":
        tags = columns["tag"]
        respondent = tags if isinstance(tags, Codes) else Codes.of(tag or stem for tag in tags)
        silence: Silence = "no"
    else:
        respondent, silence = Codes.constant(stem, len(item)), "unknown"
    return Rows(
        Source(file.name, form, why, len(item), tuple(notes)),
        query,
        respondent,
        item,
        kind=(kind,) * len(respondent.names),
        family=(None,) * len(respondent.names),
        silence=silence,
        score=None if form == "TREC qrels" else np.asarray(columns["score"], np.float64),
        grade=None if form == "TREC run" else np.asarray(columns["grade"], np.float64),
        rank=rank,
        locate=lambda row: _line_of(file, row),
    )


def _line_of(file: File, row: int) -> int:
    """Find the line of a row by counting the lines that are not blank."""
    seen = -1
    for number, line in file.lines():
        seen += bool(line.strip())
        if seen == row:
            return number
    return row + 1
