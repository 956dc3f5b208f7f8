"""Large Parquet files row group by row group, each column into one array.

Read in one go, a file takes its own memory, and what is made of its columns takes the same again.
Here the memory of a row group is used for the next one, and a column of whole numbers or of names
that are numbered stands in one array, which need not be copied once more. It takes as few bytes a
row as hold its numbers: two for ranks up to a thousand, whatever the file says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.columns import narrowest, numbers, views, whole
from consilience.formats.numbered import ends

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

#: Files of fewer rows are read in one go.
MANY = 1 << 20


def read_groups(stored: Any) -> pa.Table:
    """Read an open Parquet file; every column is as it would be read in one go.

    But for chunks, and for the bytes that a whole number takes.
    """
    known = stored.metadata
    if known.num_rows < MANY or known.num_row_groups < 2:
        table = stored.read()
        table.validate(full=True)
        return table
    schema = stored.schema_arrow
    columns = [_Column.of(field.type, known.num_rows) for field in schema]
    for group in range(known.num_row_groups):
        table = stored.read_row_group(group)
        table.validate(full=True)
        for column, read in zip(columns, table.columns, strict=True):
            column.add(read)
    import pyarrow as pa

    return pa.Table.from_arrays([column.joined() for column in columns], names=schema.names)


@dataclass(slots=True)
class _Column:
    """A column that grows: its chunks, or one array of numbers and the names they stand for."""

    kind: pa.DataType
    values: NDArray[Any] | None
    chunks: list[pa.Array]
    names: list[pa.Array]
    ends: list[int]

    @staticmethod
    def of(kind: pa.DataType, rows: int) -> _Column:
        import pyarrow as pa

        listed = pa.types.is_dictionary(kind) and kind.index_type == pa.int32()
        held = np.empty(rows, np.uint8) if listed or pa.types.is_integer(kind) else None
        return _Column(kind, held, [], [], [0])

    def add(self, read: pa.ChunkedArray) -> None:
        """Take the next rows."""
        for chunk in read.chunks:
            if self.values is None or chunk.null_count:
                self._give_up()
                self.chunks.append(chunk)
                continue
            numbered = hasattr(chunk, "dictionary")
            (said,) = views([chunk.indices if numbered else chunk])
            if numbered:
                self.names.append(chunk.dictionary)
                self._widen(0, len(chunk.dictionary))
            elif len(said):
                self._widen(*ends([said]))
            end = self.ends[-1] + len(chunk)
            self.values[self.ends[-1] : end] = said
            self.ends.append(end)

    def _widen(self, low: int, high: int) -> None:
        """Make room for numbers from a lowest to a highest one."""
        assert self.values is not None
        held = self.values.dtype
        if held == (needed := narrowest(held, low, high)):
            return
        filled, wider = self.ends[-1], np.empty(len(self.values), needed)
        wider[:filled] = self.values[:filled]
        self.values = wider

    def _give_up(self) -> None:
        """Go on with chunks: a gap has no number."""
        if self.values is None:
            return
        spans = zip(self.ends[:-1], self.ends[1:], strict=True)
        for place, (begin, end) in enumerate(spans):
            chunk = self._chunk(begin, end, self.names[place] if self.names else None)
            self.chunks.append(chunk.cast(self.kind))
        self.values = None

    def _chunk(self, begin: int, end: int, names: pa.Array | None) -> pa.Array:
        import pyarrow as pa

        assert self.values is not None
        code = whole(self.values[begin:end])
        return code if names is None else pa.DictionaryArray.from_arrays(code, names, safe=False)

    def joined(self) -> pa.ChunkedArray:
        """Give the whole column; names that several row groups list get one number each."""
        import pyarrow as pa

        if self.values is None:
            return pa.chunked_array(self.chunks, self.kind)
        names = None
        if self.names:
            try:
                names = self._unified()
            except pa.ArrowException:  # together the names are too long for one array
                self._give_up()
                return pa.chunked_array(self.chunks, self.kind)
        return pa.chunked_array([self._chunk(0, self.ends[-1], names)])

    def _unified(self) -> pa.Array:
        """Make one list of the names of all row groups, and number the rows by it, in place."""
        import pyarrow as pa

        if all(self.names[0].equals(others) for others in self.names[1:]):
            return self.names[0]
        every = pa.concat_arrays(self.names).dictionary_encode(null_encoding="encode")
        to = np.split(numbers([every.indices]), np.cumsum([len(one) for one in self.names])[:-1])
        self._widen(0, len(every.dictionary))
        assert self.values is not None
        for place, new in enumerate(to):
            here = self.values[self.ends[place] : self.ends[place + 1]]
            here[:] = new[here]
        return every.dictionary
