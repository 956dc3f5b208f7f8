r"""TREC files read fast: several million lines a second.

Arrow's CSV reader takes the lines apart. It knows neither white space nor TREC, so the text must
be *plain*: printable ASCII, fields parted by one blank (or one tab), lines by ``\n``. A stream
that watches what passes through it (:class:`_Watched`) tells: no two separators side by side, no
carriage return, and in the end as many bytes at or below the blank as there were fields. So
Arrow and :func:`consilience.formats.trec.read_lines` cannot have seen different fields.

A file that is not plain as it stands (several blanks, ``\r\n``, another encoding) is brought into
plain form in memory. Whatever still resists (a missing rank, a broken line) is left to
``read_lines``, which defines what a file means and can say what is wrong with it.

Names repeat: a run says the same query for a thousand lines and the same tag throughout. So names
of queries are looked at only where they differ from the line before (:func:`_changes`).
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

import numpy as np

from consilience.columns import Codes, Text, letters, numbers

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from consilience.formats.files import File

Form = Literal["TREC run", "TREC qrels"]
RUN = ("query", "q0", "item", "rank", "score", "tag")
QRELS = ("query", "iteration", "item", "grade")

#: How much of a file is parsed at a time: what is made of it stays in the processor's cache.
BLOCK = 1 << 20
#: How many pieces in no order are numbered together.
_TOGETHER = 64
#: How much of a piece is watched at a time.
_GLANCE = 1 << 16
_BLANK = ord(" ")
_WHITE = re.compile(rb"[ \t\v\f]+")
_OTHER_WHITE = re.compile(r"[^\S \n]")


def read_fast(file: File, form: Form) -> dict[str, Any] | None:
    """Read a well-formed file; None where anything is out of the ordinary.

    Returns the columns by name, as :func:`consilience.formats.trec.read_lines` does, but names as
    :class:`~consilience.columns.Codes` and :class:`~consilience.columns.Text`, numbers as arrays.
    """
    separator = _separator(file.head)
    if separator and file.plain:
        with file.open() as stream:
            columns = _gather(stream, form, separator, file.size)
        if columns is not None:
            return columns
    data = _normalised(file.read())
    return None if data is None else _gather(io.BytesIO(data), form, " ", len(data), ascii=False)


def _separator(head: bytes) -> str | None:
    """Tell whether single blanks or single tabs part the fields of the first lines."""
    lines = head.splitlines()[:100]
    for separator in (b" ", b"\t"):
        if all(len(line.split(separator)) == len(line.split()) for line in lines):
            return separator.decode()
    return None


def _normalised(data: bytes) -> bytes | None:
    """Part all fields by one blank, whatever white space parted them; None: it cannot be done."""
    data = _WHITE.sub(b" ", data.replace(b"\r\n", b"\n"))
    data = re.sub(rb" ?\n[ \n]*", b"\n", data).strip(b" \n")
    try:
        unusual = not data.isascii() and _OTHER_WHITE.search(data.decode())
    except UnicodeDecodeError:
        return None
    return None if unusual else data


def _gather(
    stream: BinaryIO, form: Form, separator: str, size: int, *, ascii: bool = True
) -> dict[str, Any] | None:
    """Parse a stream of ``size`` bytes piece by piece, and put the pieces together."""
    import pyarrow as pa

    names = RUN if form == "TREC run" else QRELS
    columns: dict[str, Any] = {"query": _Stretches()}
    if form == "TREC run":
        columns |= {"rank": _Column(np.int32), "score": _Column(float), "tag": _Stretches()}
    else:
        columns |= {"grade": _Column(float)}
    items: list[pa.Array] = []
    watched = _Watched(stream, ascii=ascii)
    try:
        for batch in _batches(watched, names, separator):
            if not watched.plain:
                return None
            expected = int(size / max(batch.get_total_buffer_size(), 1) * len(batch) * 1.5)
            items.append(batch["item"])
            if not all(column.add(batch[name], expected) for name, column in columns.items()):
                return None
    except pa.ArrowInvalid:
        return None
    if not watched.all_parts(fields=len(names) * sum(map(len, items))):
        return None
    return {name: column.values() for name, column in columns.items()} | {
        "item": Text.of_arrow(items)
    }


class _Watched:
    """A stream of bytes that is looked at as it is read.

    ``plain`` tells whether all was well so far, ``white`` how many bytes part fields or lines.
    """

    def __init__(self, stream: BinaryIO, *, ascii: bool) -> None:
        self.stream = stream
        self.ascii = ascii
        self.closed = False
        self.plain = True
        self.white = 0
        self.last = True
        self.end = b""

    def read(self, size: int = -1) -> bytes:
        """Read on, and look at what was read."""
        data = self.stream.read(size)
        self.plain &= b"\r" not in data and (data.isascii() or not self.ascii)
        letters = np.frombuffer(data, np.uint8)
        for begin in range(0, len(letters), _GLANCE):
            white = letters[begin : begin + _GLANCE] <= _BLANK
            self.plain &= not ((self.last and white[0]) or (white[1:] & white[:-1]).any())
            self.white += int(np.count_nonzero(white))
            self.last = bool(white[-1])
        self.end = data[-1:] or self.end
        return data

    def all_parts(self, *, fields: int) -> bool:
        """Tell whether white space stood behind every field, once (the last may lack it)."""
        return self.plain and self.white == fields - (self.end != b"\n")

    def readable(self) -> bool:
        """It is."""
        return True

    def close(self) -> None:
        """Leave the stream to whoever opened it."""
        self.closed = True


def _batches(stream: _Watched, names: tuple[str, ...], separator: str) -> Iterator[pa.RecordBatch]:
    """Have Arrow parse a stream as it is: no quotes, no escapes, no words for null."""
    import pyarrow as pa
    from pyarrow import csv

    types = {"rank": pa.int32(), "score": pa.float64(), "grade": pa.float64()}
    types |= dict.fromkeys(("query", "item", "tag"), pa.string())
    return iter(
        csv.open_csv(
            pa.PythonFile(stream, mode="r"),
            read_options=csv.ReadOptions(
                column_names=list(names),
                block_size=BLOCK,
                use_threads=False,  # what is parsed is used at once, in the same core's cache
            ),
            parse_options=csv.ParseOptions(
                delimiter=separator, quote_char=False, double_quote=False, escape_char=False
            ),
            convert_options=csv.ConvertOptions(
                include_columns=[name for name in names if name not in ("q0", "iteration")],
                column_types=types,
                null_values=[],
                strings_can_be_null=False,
                check_utf8=False,  # the text is ASCII, or was decoded before
            ),
        )
    )


class _Column:
    """Numbers that arrive in pieces and end as one array, each written once."""

    __slots__ = ("array", "filled")

    def __init__(self, kind: Any) -> None:
        self.array = np.empty(0, kind)
        self.filled = 0

    def add(self, piece: pa.Array, expected: int) -> bool:
        """Append numbers; False where one is not finite."""
        values = numbers([piece])
        end = self.filled + len(values)
        if end > len(self.array):
            grown = np.empty(max(end, expected, 2 * len(self.array)), self.array.dtype)
            grown[: self.filled] = self.array[: self.filled]
            self.array = grown
        self.array[self.filled : end] = values
        self.filled = end
        return values.dtype.kind == "i" or bool(np.isfinite(values).all())

    def values(self) -> NDArray[Any]:
        return self.array[: self.filled]


class _Stretches:
    """Names that mostly repeat the one before, kept as stretches: which, and how many rows.

    Where they do not, columns wait until Arrow numbers many of them together.
    """

    __slots__ = ("codes", "counts", "names", "waiting")

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.codes: list[NDArray[np.int32]] = []
        self.counts: list[NDArray[np.int32]] = []
        self.waiting: list[pa.Array] = []

    def add(self, column: pa.StringArray, _: int) -> bool:
        """Append names, all of which will do."""
        begins = _changes(column)
        if begins is None:
            self.waiting.append(column)
        if begins is not None or len(self.waiting) == _TOGETHER:
            self._number_waiting()
        if begins is not None:
            self.codes.append(self._numbered([column[row].as_py() for row in begins.tolist()]))
            ends = np.concatenate([begins[1:], [len(column)]])
            self.counts.append((ends - begins).astype(np.int32))
        return True

    def _number_waiting(self) -> None:
        import pyarrow as pa

        if self.waiting:
            coded = pa.concat_arrays(self.waiting).dictionary_encode()
            codes = self._numbered(coded.dictionary.to_pylist())
            self.codes.append(codes[numbers([coded.indices])])
            self.counts.append(np.ones(len(coded), np.int32))
            self.waiting.clear()

    def _numbered(self, names: list[str]) -> NDArray[np.int32]:
        return np.array([self.names.setdefault(n, len(self.names)) for n in names], np.int32)

    def values(self) -> Codes:
        """Give all names, a number for every row."""
        self._number_waiting()
        counts = np.concatenate(self.counts)
        if len(self.names) == 1:
            return Codes.constant(next(iter(self.names)), int(counts.sum()))
        return Codes(np.repeat(np.concatenate(self.codes), counts), tuple(self.names))


def _changes(column: pa.StringArray) -> NDArray[np.int64] | None:
    """Give the rows whose name differs from the one before; None where that is common.

    Where neighbours have one length, equal names are equal bytes at that distance.

    Examples
    --------
    >>> (names,) = Text.of(["q1"] * 20 + ["q2"] * 20 + ["q10"] * 20).chunks
    >>> _changes(names).tolist()
    [0, 20, 40]
    """
    offsets, data = letters(column)
    length = offsets[1:] - offsets[:-1]
    edges = (length[1:] != length[:-1]).nonzero()[0] + 1
    common = len(length) // 8 + 1
    if len(edges) > common:
        return None
    begins: list[int] = []
    for begin, end in pairwise([0, *edges.tolist(), len(length)]):
        distance = int(length[begin])
        names = data[offsets[begin] : offsets[end]]
        differ = (names[distance:] != names[:-distance]).nonzero()[0]
        if len(differ) > common * distance:
            return None
        begins += [begin, *sorted({begin + 1 + place // distance for place in differ.tolist()})]
    return np.array(begins) if len(begins) <= common else None
