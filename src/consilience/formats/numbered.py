"""Columns of names that come as numbers: whole numbers, and Arrow's dictionaries.

Each different name is spelt once; the rows carry numbers. Where values stand in many rows on end
only the first of them is looked at, and whole numbers that lie close together number themselves,
so that most columns cost little more than a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from consilience.columns import changes, narrowest, numbers, of_dictionaries, views

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

#: So many rows tell whether whole numbers repeat.
_SAMPLE = 1 << 14
#: Whole numbers between the least and the highest of which there are so many times as many rows
#: are their own numbers.
_DENSE = 8
#: So many names cost nothing, used or not.
_FEW = 1 << 10


def numbered(
    column: pa.ChunkedArray, *, many: bool, own: bool = False
) -> tuple[NDArray[np.integer] | None, pa.ChunkedArray]:
    """Give a column as a number per row and the values they stand for; no numbers if it has gaps.

    Only whole numbers are numbered here, and what comes numbered and holds whole numbers or text.
    ``many`` tells that names may hardly repeat: then whole numbers are left alone, too; ``own``
    that nobody else holds the column: then its numbers may be given as they are.
    """
    import pyarrow as pa

    kind = column.type
    held = kind.value_type if pa.types.is_dictionary(kind) else kind
    usual = pa.types.is_integer(held) or (held in (pa.string(), pa.large_string()) and held != kind)
    if not usual or column.null_count or not len(column):
        return None, column
    if held == kind:
        return _numbered_anew(column, many=many, own=own)
    try:
        code, values = of_dictionaries(column.chunks, own=own)
    except pa.ArrowException:  # names too long for one array
        return None, column
    return (None, column) if values.null_count else (code, pa.chunked_array([values]))


def _hardly_repeats(pieces: Sequence[NDArray[np.integer]], count: int) -> bool:
    """Tell, from a sample, whether the numbers of a long column stand in fewer than four rows each.

    Of ``n`` rows that draw from ``d`` numbers about ``n**2 / 2d`` repeat one that was drawn before.
    """
    if count <= _SAMPLE:
        return False
    drawn = np.concatenate([piece[:: count // _SAMPLE + 1] for piece in pieces])
    repeated = len(drawn) - len(changes(np.sort(drawn)))
    return repeated * count < 2 * len(drawn) ** 2


def _numbered_anew(
    column: pa.ChunkedArray, *, many: bool, own: bool
) -> tuple[NDArray[np.integer] | None, pa.ChunkedArray]:
    """Give a column of whole numbers as a number per row and the different values.

    Where a value mostly stands in many rows on end, only the first of them is looked at. Numbers
    that lie close together number themselves.
    """
    pieces, count = views(column.chunks), len(column)
    low, high = ends(pieces)
    close = max(count // _DENSE, _FEW)
    if own and len(pieces) == 1 and low >= 0 and high < close:
        return pieces[0], _rising(0, high, column.type)
    first = next(piece for piece in pieces if len(piece))[:_SAMPLE]
    if len(changes(first)) * 8 < len(first):
        begins = [changes(piece) for piece in pieces]
        said = np.concatenate([piece[here] for piece, here in zip(pieces, begins, strict=True)])
        length = [
            np.diff(here, append=len(piece)) for piece, here in zip(pieces, begins, strict=True)
        ]
        code, values = _encoded([said], column.type)
        narrow = code.astype(narrowest(np.dtype(np.uint8), 0, len(values)))
        return np.repeat(narrow, np.concatenate(length)), values
    if high - low < close:
        return _from_lowest(pieces, low, count), _rising(low, high, column.type)
    if many and _hardly_repeats(pieces, count):
        return None, column
    return _encoded(pieces, column.type)


def _encoded(
    pieces: Sequence[NDArray[np.integer]], kind: pa.DataType
) -> tuple[NDArray[np.int32], pa.ChunkedArray]:
    """Number whole numbers as they come."""
    import pyarrow as pa

    column = pa.chunked_array([_arrow(piece, kind) for piece in pieces], kind)
    chunks = column.dictionary_encode().unify_dictionaries().chunks
    code = numbers([chunk.indices for chunk in chunks], copy=False)
    return code, pa.chunked_array([chunks[0].dictionary])


def _arrow(values: NDArray[np.integer], kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])


def _from_lowest(pieces: Sequence[NDArray[np.integer]], low: int, count: int) -> NDArray[np.int32]:
    """Count whole numbers from the lowest one; what wraps around while subtracting wraps back."""
    code = np.empty(count, np.int32)
    kind = np.int32 if pieces[0].dtype.itemsize <= 4 else np.int64
    lowest = np.array([low], pieces[0].dtype).astype(kind)
    begin = 0
    for piece in pieces:
        here = code[begin : begin + len(piece)]
        np.subtract(piece, lowest, out=here, dtype=kind, casting="unsafe")
        begin += len(piece)
    return code


def _rising(low: int, high: int, kind: pa.DataType) -> pa.ChunkedArray:
    """Give all whole numbers from the lowest to the highest."""
    import pyarrow as pa

    held = np.dtype(kind.to_pandas_dtype())
    values = np.arange(high - low + 1).astype(held) + np.array([low], held)
    return pa.chunked_array([_arrow(values, kind)])


def ends(pieces: Sequence[NDArray[np.integer]]) -> tuple[int, int]:
    """Give the least and the highest of some numbers."""
    some = [piece for piece in pieces if len(piece)]
    return min(int(piece.min()) for piece in some), max(int(piece.max()) for piece in some)
