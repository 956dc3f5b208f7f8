"""Large Parquet files row group by row group, each column into one array.

Read in one go, a file takes its own memory, and what is made of its columns takes the same again.
Here the memory of a row group is used for the next one, and a column of whole numbers or of names
that are numbered stands in one array, which need not be copied once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.columns import numbers, views

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

#: Files of fewer rows are read in one go.
MANY = 1 << 20


def read_groups(stored: Any) -> pa.Table:
    """Read an open Parquet file; every column is as it would be read in one go, but for chunks."""
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

    return pa.Table.from_arrays([column.joined() for column in columns], schema=schema)


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

        held = None
        if pa.types.is_integer(kind):
            held = np.empty(rows, kind.to_pandas_dtype())
        elif pa.types.is_dictionary(kind) and kind.index_type == pa.int32():
            held = np.empty(rows, np.int32)
        return _Column(kind, held, [], [], [0])

    def add(self, read: pa.ChunkedArray) -> None:
        """Take the next rows."""
        for chunk in read.chunks:
            if self.values is None or chunk.null_count:
                self._give_up()
                self.chunks.append(chunk)
                continue
            begin, end = self.ends[-1], self.ends[-1] + len(chunk)
            numbered = hasattr(chunk, "dictionary")
            (self.values[begin:end],) = views([chunk.indices if numbered else chunk])
            self.names += [chunk.dictionary] if numbered else []
            self.ends.append(end)

    def _give_up(self) -> None:
        """Go on with chunks: a gap has no number."""
        if self.values is None:
            return
        spans = zip(self.ends[:-1], self.ends[1:], strict=True)
        for place, (begin, end) in enumerate(spans):
            self.chunks.append(self._chunk(begin, end, self.names[place] if self.names else None))
        self.values = None

    def _chunk(self, begin: int, end: int, names: pa.Array | None) -> pa.Array:
        import pyarrow as pa

        assert self.values is not None
        data = pa.py_buffer(self.values[begin:end])
        if names is None:
            return pa.Array.from_buffers(self.kind, end - begin, [None, data])
        code = pa.Array.from_buffers(pa.int32(), end - begin, [None, data])
        return pa.DictionaryArray.from_arrays(code, names, safe=False)

    def joined(self) -> pa.ChunkedArray:
        """Give the whole column; names that several row groups list get one number each."""
        import pyarrow as pa

        if self.values is None:
            return pa.chunked_array(self.chunks, self.kind)
        if not self.names:
            return pa.chunked_array([self._chunk(0, self.ends[-1], None)])
        try:
            names = self._unified()
        except pa.ArrowException:  # together the names are too long for one array
            self._give_up()
            return pa.chunked_array(self.chunks, self.kind)
        return pa.chunked_array([self._chunk(0, self.ends[-1], names)])

    def _unified(self) -> pa.Array:
        """Make one list of the names of all row groups, and number the rows by it, in place."""
        import pyarrow as pa

        assert self.values is not None
        if all(self.names[0].equals(others) for others in self.names[1:]):
            return self.names[0]
        every = pa.concat_arrays(self.names).dictionary_encode(null_encoding="encode")
        to = np.split(numbers([every.indices]), np.cumsum([len(one) for one in self.names])[:-1])
        for place, new in enumerate(to):
            here = self.values[self.ends[place] : self.ends[place + 1]]
            here[:] = new[here]
        return every.dictionary
