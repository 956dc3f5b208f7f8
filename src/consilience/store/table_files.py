"""Tables as files, written some rows at a time: CSV or Parquet, by the file's ending."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


class TableFile:
    """A file of a table; the first rows tell its columns."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stack = ExitStack()
        self._writer: Any = None

    def __enter__(self) -> TableFile:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        return self

    def write(self, table: pa.Table) -> None:
        """Write rows."""
        if self._writer is None:
            self._writer = self._stack.enter_context(self._opened(table.schema))
        self._writer.write_table(table)

    def _opened(self, schema: pa.Schema) -> Any:
        from pyarrow import csv, parquet

        if self.path.suffix == ".parquet":
            return parquet.ParquetWriter(self.path, schema, compression="zstd")
        return csv.CSVWriter(self.path, schema)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()
