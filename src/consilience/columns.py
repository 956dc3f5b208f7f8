"""Columns of names: many different ones as :class:`Text`, few repeated ones as :class:`Codes`.

Item names are by far the largest part of a study. Ten million Python strings would take a
gigabyte; the same names laid end to end take a tenth of it and can be hashed and compared with
whole-array arithmetic. Names of queries and respondents repeat: a number per row and a short
list of names says the same. Items, too, may come so (Parquet files, categories, whole numbers):
then a :class:`Text` keeps the numbers, and names are looked at once each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError, quote

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray
#: So many names are fetched or sorted one by one; more of them with Arrow's functions.
FEW = 10_000
#: Values looked at together: what is made of them stays in the processor's cache.
_BLOCK = 1 << 18
#: Of so many names one may be text for all to be numbered.
_RARE = 5


@dataclass(frozen=True, slots=True)
class Text:
    """Many names, as Arrow arrays of strings: kept where they were read, never copied.

    ``stored`` holds strings, or in all its arrays numbers of strings (Arrow's dictionaries).

    Examples
    --------
    >>> names = Text.of(["doc7", "", "Zürich"])
    >>> len(names), names[2], names.take([2, 0])
    (3, 'Zürich', ['Zürich', 'doc7'])
    """

    stored: tuple[pa.Array, ...]
    starts: NDArray[np.int64]

    @staticmethod
    def of(names: Iterable[str]) -> Text:
        """Take Python strings."""
        import pyarrow as pa

        try:
            encoded = [name.encode() for name in names]
        except UnicodeEncodeError as error:
            raise UsageError(
                f"{quote(error.object)} is not valid text (fix: mend its encoding)"
            ) from None
        offsets = np.zeros(len(encoded) + 1, np.int32)
        np.cumsum([len(name) for name in encoded], out=offsets[1:])
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(encoded))]
        return Text.of_arrow([pa.Array.from_buffers(pa.string(), len(encoded), buffers)])

    @staticmethod
    def of_arrow(arrays: Iterable[pa.Array]) -> Text:
        """Take Arrow arrays of type ``string``, or dictionaries of it, without nulls."""
        kept = tuple(array for array in arrays if len(array))
        return Text(
            kept, np.concatenate([[0], np.cumsum([len(array) for array in kept])]).astype(np.int64)
        )

    @staticmethod
    def of_codes(code: NDArray[np.integer], names: pa.Array) -> Text:
        """Take a number per row and the names that the numbers stand for."""
        return Text.of_arrow([coded(code, names)])

    @staticmethod
    def concat(texts: Iterable[Text]) -> Text:
        """Put several columns one after the other."""
        return Text.of_arrow(array for text in alike([*texts]) for array in text.stored)

    def combined(self) -> Text:
        """Give the names in a single array, from which any rows are fetched quickly."""
        import pyarrow as pa

        return self if len(self.chunks) < 2 else Text.of_arrow([pa.concat_arrays(self.chunks)])

    @property
    def chunks(self) -> tuple[pa.Array, ...]:
        """The names of all rows, as arrays of strings."""
        if not self.numbered:
            return self.stored
        return tuple(piece for array in self.stored for piece in _spelt(array))

    @property
    def numbered(self) -> bool:
        """Whether the rows carry numbers of names."""
        import pyarrow as pa

        return bool(self.stored) and pa.types.is_dictionary(self.stored[0].type)

    def codes(self) -> tuple[NDArray[np.integer], pa.Array]:
        """Give a number per row, and the different names (some may be no row's)."""
        import pyarrow as pa

        if not self.stored:
            return np.zeros(0, np.int32), pa.nulls(0, pa.string())
        if self.numbered:
            return of_dictionaries(self.stored, own=True)
        column = pa.chunked_array(self.stored).dictionary_encode()
        code = numbers([chunk.indices for chunk in column.chunks], copy=False)
        return code.astype(np.int32, copy=False), column.chunk(0).dictionary

    def __len__(self) -> int:
        return int(self.starts[-1])

    def __getitem__(self, row: int) -> str:
        chunk = int(np.searchsorted(self.starts, row, side="right")) - 1
        name: str = self.stored[chunk][int(row - self.starts[chunk])].as_py()
        return name

    def pick(self, rows: NDArray[np.integer]) -> Text:
        """Give some of the names, stored as they are here."""
        if not self.numbered:
            return Text.of_arrow(self.arrow(rows).chunks)
        code, names = self.codes()
        return Text.of_codes(code[rows], names)

    def arrow(self, rows: NDArray[np.integer] | Sequence[int]) -> pa.ChunkedArray:
        """Give some of the names as an Arrow array."""
        import pyarrow as pa

        rows = np.ascontiguousarray(rows, np.int64)
        if self.numbered:
            code, names = self.codes()
            return pa.chunked_array(_spelt(coded(code[rows], names)))
        return pa.chunked_array(self.stored, pa.string()).take(whole(rows))

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
            found.append(self.stored[chunk].slice(low, end - begin))
            begin, chunk = int(self.starts[chunk + 1]), chunk + 1
        return found


def alike(texts: Sequence[Text]) -> list[Text]:
    """Store the names of several columns alike: numbered from one list, or all as text.

    Names are numbered where most rows carry numbers: numbering text costs more than it saves.

    Examples
    --------
    >>> names = Text.of(["a", "b"]).chunks[0]
    >>> some = Text.of_codes(np.array([1, 0, 1, 1]), names)
    >>> one, two = alike([some, Text.of(["c"])])
    >>> one.codes()[0].tolist(), two.codes()[0].tolist()
    ([1, 0, 1, 1], [2])
    >>> [text.numbered for text in alike([some, Text.of(["c", "b"])])]
    [False, False]
    """
    rows = sum(map(len, texts))
    others = sum(len(text) for text in texts if not text.numbered)
    if others == rows:
        return [*texts]
    import pyarrow as pa

    try:
        if others * _RARE > rows:
            return [Text.of_arrow(text.chunks) for text in texts]
        codes, names = zip(*(text.codes() for text in texts), strict=True)
        if all(names[0].equals(others) for others in names[1:]):
            return [Text.of_codes(code, names[0]) for code in codes]
        every = pa.concat_arrays(names).dictionary_encode()
    except pa.ArrowException:  # together the names are too long for one array
        return [Text.of_arrow(text.chunks) for text in texts]
    to = np.split(numbers([every.indices]), np.cumsum([len(some) for some in names])[:-1])
    recoded = zip(to, codes, strict=True)
    return [Text.of_codes(new[code], every.dictionary) for new, code in recoded]


def _spelt(array: pa.DictionaryArray) -> list[pa.Array]:
    """Give the names of a dictionary's rows, as one array of strings if they are not too long."""
    import pyarrow as pa

    try:
        return [array.dictionary.take(array.indices)]
    except pa.ArrowException:
        half = len(array) // 2
        return [*_spelt(array.slice(0, half)), *_spelt(array.slice(half))]


def coded(code: NDArray[np.integer], names: pa.Array) -> pa.DictionaryArray:
    """Make an Arrow array of a number per row and the names that the numbers stand for."""
    import pyarrow as pa

    code = np.ascontiguousarray(code)
    indices = whole(code if code.dtype.itemsize <= 4 else code.astype(np.int32))
    return pa.DictionaryArray.from_arrays(indices, names, safe=False)


def whole(values: NDArray[np.integer]) -> pa.Array:
    """Make an Arrow array of whole numbers, which shares their memory."""
    import pyarrow as pa

    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])


@dataclass(frozen=True, slots=True)
class Codes:
    """Repeated names as numbers: row ``i`` carries ``names[code[i]]``.

    Examples
    --------
    >>> column = Codes.of(["q2", "q1", "q2"])
    >>> column.names, column.code.tolist()
    (('q2', 'q1'), [0, 1, 0])
    """

    code: NDArray[np.integer]
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
        """Number the names of an Arrow column of strings or dictionaries (no nulls).

        Names that no row carries are left out, the others stand in order of first appearance.
        """
        code, names = Text.of_arrow(column.chunks).codes()
        said = code[changes(code)]
        first = np.full(len(names), -1)
        first[said[::-1]] = np.arange(len(said))[::-1]  # of several writers the last one stays
        used = np.flatnonzero(first >= 0)
        order = used[np.argsort(first[used])]
        if not np.array_equal(order, np.arange(len(names))):
            to = np.zeros(len(names), np.int32)
            to[order] = np.arange(len(order), dtype=np.int32)
            code, names = to[code], names.take(whole(order))
        return Codes(code, tuple(names.to_pylist()))

    def __len__(self) -> int:
        return len(self.code)


def numbers(chunks: Sequence[pa.Array], *, copy: bool = True) -> NDArray[Any]:
    """Give Arrow arrays of numbers without nulls as one array.

    Arrow's own conversion would import pandas, where it is installed, to learn its types. What is
    kept must be a copy: Arrow may share memory with a frame that its owner can still change.
    """
    pieces = views(chunks)
    if len(pieces) == 1 and not copy:
        return pieces[0]
    return np.concatenate(pieces) if pieces else np.zeros(0)


def views(chunks: Sequence[pa.Array]) -> list[NDArray[Any]]:
    """Show Arrow arrays of numbers without nulls as arrays that share their memory."""
    pieces = []
    for chunk in chunks:
        kind = np.dtype(chunk.type.to_pandas_dtype())
        values = np.frombuffer(chunk.buffers()[1] or b"", kind)
        pieces.append(values[chunk.offset : chunk.offset + len(chunk)])
    return pieces


def of_dictionaries(
    chunks: Sequence[pa.DictionaryArray], *, own: bool = False
) -> tuple[NDArray[np.integer], pa.Array]:
    """Number the rows of dictionaries from one list of names, in order of their lists.

    ``own`` tells that nobody can change them: then numbers may be given as they are.

    Examples
    --------
    >>> one, two = (coded(np.array([0, 1]), Text.of(names).chunks[0]) for names in ("ab", "cb"))
    >>> code, names = of_dictionaries([one, two])
    >>> code.tolist(), names.to_pylist()
    ([0, 1, 2, 1], ['a', 'b', 'c'])
    """
    import pyarrow as pa

    indices = views([chunk.indices for chunk in chunks])
    names = [chunk.dictionary for chunk in chunks]
    if own and len(chunks) == 1:
        return indices[0], names[0]
    code = np.empty(sum(map(len, chunks)), np.int32)
    ends = np.cumsum([len(chunk) for chunk in chunks]).tolist()
    places = [code[end - len(said) : end] for end, said in zip(ends, indices, strict=True)]
    if all(names[0].equals(others) for others in names[1:]):
        for place, said in zip(places, indices, strict=True):
            place[:] = said
        return code, names[0]
    every = pa.concat_arrays(names).dictionary_encode(null_encoding="encode")
    to = np.split(numbers([every.indices]), np.cumsum([len(some) for some in names])[:-1])
    for place, said, new in zip(places, indices, to, strict=True):
        if len(said):
            new.take(said, out=place, mode="clip")
    return code, every.dictionary


def narrowest(held: np.dtype[Any], low: int, high: int) -> np.dtype[Any]:
    """Give the type of the fewest bytes that holds what ``held`` does and numbers between two.

    Examples
    --------
    >>> narrowest(np.dtype(np.uint8), 1, 1_000), narrowest(np.dtype(np.uint16), -1, 5)
    (dtype('uint16'), dtype('int32'))
    >>> narrowest(np.dtype(np.uint8), 0, 2**64 - 1), narrowest(np.dtype(np.uint8), -1, 2**40)
    (dtype('uint64'), dtype('int64'))
    """
    needed = np.result_type(held, np.min_scalar_type(low), np.min_scalar_type(high))
    return needed if needed.kind in "iu" else np.dtype(np.int64)


def rises(values: NDArray[Any]) -> bool:
    """Tell whether values never fall; they are looked at some at a time.

    Examples
    --------
    >>> rises(np.array([1, 1, 2])), rises(np.array([2, 1]))
    (True, False)
    """
    for begin in range(0, len(values) - 1, _BLOCK):
        here = values[begin : begin + _BLOCK + 1]
        if bool((here[1:] < here[:-1]).any()):
            return False
    return True


def let_go(*, everything: bool = False) -> None:
    """Give back the memory that Arrow keeps for tables to come, once a large one has been read.

    ``everything``: and what the C library keeps, where nothing as large will follow. Of ten million
    votes that are done with the two keep some 800 MB.
    """
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    if not everything:
        return
    import ctypes
    import sys

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:  # not every C library has it
        trim(0)


def changes(*columns: NDArray[Any]) -> NDArray[np.int64]:
    """Find the rows that say something else than the row before; the first row is one of them.

    Of several columns of equal length a row may differ in any.

    Examples
    --------
    >>> changes(np.array([7, 7, 5, 5, 7])).tolist()
    [0, 2, 4]
    >>> changes(np.array([7, 7, 5, 5]), np.array([1, 2, 2, 2])).tolist()
    [0, 1, 2]
    """
    rows = len(columns[0])
    found = [np.zeros(min(rows, 1), np.int64)]
    for begin in range(0, rows - 1, _BLOCK):
        differs = np.zeros(min(_BLOCK, rows - 1 - begin), bool)
        for column in columns:
            here = column[begin : begin + _BLOCK + 1]
            differs |= here[1:] != here[:-1]
        found.append(begin + 1 + differs.nonzero()[0])
    return np.concatenate(found)


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
