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

_WORD = 8
_ODD = np.uint64(0x9E3779B97F4A7C15)
#: For 0 to 8 bytes: the bits of a little-endian word that they fill.
_MASKS = np.array([(1 << (8 * count)) - 1 for count in range(_WORD + 1)], np.uint64)


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
        return Text(kept, np.concatenate([[0], np.cumsum([len(chunk) for chunk in kept])]).astype(np.int64))

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
        names: list[str] = self.arrow(rows).to_pylist()
        return names

    def same(self, left: NDArray[np.integer], right: NDArray[np.integer]) -> bool:
        """Tell whether the names at ``left`` equal those at ``right``, letter by letter."""
        return not len(left) or bool(self.arrow(left).equals(self.arrow(right)))

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
class Prints:
    """Fingerprints of names: length, first and last eight bytes, and a 64-bit hash of the whole.

    Two names of up to sixteen bytes with equal length, head and tail are the same name.
    """

    key: NDArray[np.uint64]
    length: NDArray[np.int32]
    head: NDArray[np.uint64]
    tail: NDArray[np.uint64]

    @staticmethod
    def of(arrays: Sequence[pa.Array], *, seed: int = 0) -> Prints:
        """Take the fingerprints of Arrow arrays of strings, whole arrays at a time."""
        parts = [_prints(array, np.uint64(seed)) for array in arrays]
        return Prints(*(parts[0] if len(parts) == 1 else map(np.concatenate, zip(*parts, strict=True))))


def _prints(array: pa.Array, seed: np.uint64) -> tuple[NDArray[Any], ...]:
    _, offsets_buffer, data_buffer = array.buffers()
    offsets = np.frombuffer(offsets_buffer, np.int32)[array.offset : array.offset + len(array) + 1]
    first, last = int(offsets[0]), int(offsets[-1])
    data = np.zeros(last - first + 2 * _WORD, np.uint8)  # slack before and behind: any eight bytes
    if last > first:
        data[_WORD:-_WORD] = np.frombuffer(data_buffer, np.uint8)[first:last]
    words = np.ndarray(len(data) - _WORD + 1, np.uint64, data, strides=(1,))
    length = np.diff(offsets)
    start = offsets[:-1].astype(np.int64)
    start += _WORD - first
    head = words[start]
    tail = words[start + (length - _WORD)]
    short = np.nonzero(length < _WORD)[0]
    head[short] &= _MASKS[length[short]]
    tail[short] = 0
    key = length.astype(np.uint64)
    key += seed
    key *= _ODD
    key ^= head
    key *= _ODD
    key ^= key >> np.uint64(32)
    key += tail
    key *= _ODD
    middle = np.nonzero(length > 2 * _WORD)[0]
    done = _WORD
    while len(middle):
        mixed = key[middle] ^ words[start[middle] + done]
        mixed ^= mixed >> np.uint64(31)
        key[middle] = mixed * _ODD
        done += _WORD
        middle = middle[length[middle] > done + _WORD]
    key ^= key >> np.uint64(29)
    return key, length, head, tail


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
