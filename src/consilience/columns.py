"""Columns of names: many different ones as :class:`Text`, few repeated ones as :class:`Codes`.

Item names are by far the largest part of a study. Ten million Python strings would take a
gigabyte; the same names laid end to end take a tenth of it and can be hashed and compared with
whole-array arithmetic. Names of queries and respondents repeat: a number per row and a short
list of names says the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray
#: So many names are fetched or sorted one by one; more of them with Arrow's functions.
FEW = 10_000


@dataclass(frozen=True, slots=True)
class Text:
    """Many names, as Arrow arrays of strings: kept where they were read, never copied.

    Examples
    --------
    >>> names = Text.of(["doc7", "", "Zürich"])
    >>> len(names), names[2], names.take([2, 0])
    (3, 'Zürich', ['Zürich', 'doc7'])
    """

    chunks: tuple[pa.Array, ...]
    starts: NDArray[np.int64]

    @staticmethod
    def of(names: Iterable[str]) -> Text:
        """Take Python strings."""
        import pyarrow as pa

        encoded = [name.encode() for name in names]
        offsets = np.zeros(len(encoded) + 1, np.int32)
        np.cumsum([len(name) for name in encoded], out=offsets[1:])
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
        return Text.of_arrow([pa.Array.from_buffers(pa.string(), len(encoded), buffers)])

    @staticmethod
    def of_arrow(chunks: Iterable[pa.Array]) -> Text:
        """Take Arrow arrays of type ``string`` without nulls."""
        kept = tuple(chunk for chunk in chunks if len(chunk))
        return Text(
            kept, np.concatenate([[0], np.cumsum([len(chunk) for chunk in kept])]).astype(np.int64)
        )

    @staticmethod
    def concat(texts: Iterable[Text]) -> Text:
        """Put several columns one after the other."""
        return Text.of_arrow(chunk for text in texts for chunk in text.chunks)

    def combined(self) -> Text:
        """Give the names in a single array, from which any rows are fetched quickly."""
        import pyarrow as pa

        return self if len(self.chunks) < 2 else Text.of_arrow([pa.concat_arrays(self.chunks)])

    def __len__(self) -> int:
        return int(self.starts[-1])

    def __getitem__(self, row: int) -> str:
        chunk = int(np.searchsorted(self.starts, row, side="right")) - 1
        name: str = self.chunks[chunk][int(row - self.starts[chunk])].as_py()
        return name

    def arrow(self, rows: NDArray[np.integer] | Sequence[int]) -> pa.ChunkedArray:
        """Give some of the names as an Arrow array."""
        import pyarrow as pa

        rows = np.ascontiguousarray(rows, np.int64)
        places = pa.Array.from_buffers(pa.int64(), len(rows), [None, pa.py_buffer(rows)])
        return pa.chunked_array(self.chunks, pa.string()).take(places)

    def take(self, rows: NDArray[np.integer] | Sequence[int]) -> list[str]:
        """Give some of the names as Python strings."""
        if len(rows) <= FEW:  # not worth loading Arrow's functions
            return [self[int(row)] for row in rows]
        names: list[str] = self.arrow(rows).to_pylist()
        return names

    def pieces(self, begin: int, end: int) -> list[pa.Array]:
        """Give rows ``begin`` to ``end - 1`` as slices of the arrays that hold them."""
        found = []
        chunk = int(np.searchsorted(self.starts, begin, side="right")) - 1
        while begin < end:
            low = begin - int(self.starts[chunk])
            found.append(self.chunks[chunk].slice(low, end - begin))
            begin, chunk = int(self.starts[chunk + 1]), chunk + 1
        return found


@dataclass(frozen=True, slots=True)
class Codes:
    """Repeated names as numbers: row ``i`` carries ``names[code[i]]``.

    Examples
    --------
    >>> column = Codes.of(["q2", "q1", "q2"])
    >>> column.names, column.code.tolist()
    (('q2', 'q1'), [0, 1, 0])
    """

    code: NDArray[np.int32]
    names: tuple[str, ...]

    @staticmethod
    def of(values: Iterable[str]) -> Codes:
        """Number the names in order of first appearance."""
        numbers: dict[str, int] = {}
        code = [numbers.setdefault(value, len(numbers)) for value in values]
        return Codes(np.array(code, np.int32), tuple(numbers))

    @staticmethod
    def constant(name: str, rows: int) -> Codes:
        """Give every row the same name."""
        return Codes(np.zeros(rows, np.int32), (name,))

    @staticmethod
    def of_arrow(column: pa.ChunkedArray) -> Codes:
        """Number the names of an Arrow column of strings or dictionaries (no nulls)."""
        import pyarrow as pa

        if not pa.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        if not column.num_chunks:
            return Codes(np.zeros(0, np.int32), ())
        chunks = column.unify_dictionaries().chunks
        codes = numbers([chunk.indices for chunk in chunks])
        return Codes(codes.astype(np.int32, copy=False), tuple(chunks[0].dictionary.to_pylist()))

    def __len__(self) -> int:
        return len(self.code)


def numbers(chunks: Sequence[pa.Array]) -> NDArray[Any]:
    """Give Arrow arrays of numbers without nulls as one array.

    Arrow's own conversion would import pandas, where it is installed, to learn its types.
    """
    pieces = []
    for chunk in chunks:
        kind = np.dtype(chunk.type.to_pandas_dtype())
        values = np.frombuffer(chunk.buffers()[1] or b"", kind)
        pieces.append(values[chunk.offset : chunk.offset + len(chunk)])
    return np.concatenate(pieces) if pieces else np.zeros(0)


def letters(names: pa.Array) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Give an Arrow array of strings as it is stored: where names begin, and all their bytes.

    Examples
    --------
    >>> begin, data = letters(Text.of(["ab", "c"]).chunks[0])
    >>> begin.tolist(), bytes(data)
    ([0, 2, 3], b'abc')
    """
    _, offsets, data = names.buffers()
    begin = np.frombuffer(offsets, np.int32)[names.offset : names.offset + len(names) + 1]
    return begin, np.frombuffer(data or b"", np.uint8)
