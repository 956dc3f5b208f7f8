"""DuckDB: files larger than memory on one machine, in bounded memory; what is too much spills.

Parquet and CSV files are opened as they are. The parts of a file that is sorted by query are
worked on one after the other, so that windows stay small; other files are sorted by DuckDB,
on disk where memory does not suffice.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consilience.engine.assembling import ROWS, assemble
from consilience.engine.sheets import (
    BLANKS,
    Dialect,
    Sheet,
    Sort,
    delimiter_of,
    given_to,
    header_of,
    line_in,
)
from consilience.engine.tables import Tables
from consilience.engine.votes_file import read_index
from consilience.errors import ConsilienceError, Problems, UsageError, bad
from consilience.formats import files as f

if TYPE_CHECKING:
    import duckdb
    import narwhals.stable.v2 as nw
    import pyarrow as pa

    from consilience.formats.answer_kinds import AnswerKind
    from consilience.formats.rows import Kind

Paths = Sequence[str | os.PathLike[str]]
#: Tables of text are told apart by number.
_NUMBERS = itertools.count()
#: What numbers the rows of Parquet files, and those of text.
_ROW, _ROW_OF_TEXT = "file_row_number", "row of file"
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_PLAIN = ("BOOLEAN", "DECIMAL", "UBIGINT", "HUGEINT", "UHUGEINT", '"NULL"')


#: It splits a group into ranges of names, and reads the rows anew for each: our parts are ranges.
_UNWANTED = "partitioned_execution"


@dataclass(frozen=True, slots=True)
class Duck:
    """A connection to DuckDB with a limit of memory, and a folder for what does not fit."""

    connection: duckdb.DuckDBPyConnection
    folder: Path

    def collect(self, frame: nw.LazyFrame[Any]) -> pa.Table:
        """Compute a frame; what goes wrong is said in our words."""
        with told(self.folder):
            return frame.to_native().to_arrow_table()

    def small(self, columns: Mapping[str, pa.Array]) -> nw.LazyFrame[Any]:
        """Make a frame of a few rows that are here."""
        import narwhals.stable.v2 as nw
        import pyarrow as pa

        return nw.from_native(self.connection.from_arrow(pa.table(dict(columns))))


@contextlib.contextmanager
def connected(
    *,
    memory: int | None = None,
    threads: int | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Iterator[Duck]:
    """Start DuckDB, and leave nothing behind.

    Parameters
    ----------
    memory
        Bytes that it may use (None: what DuckDB takes by itself, four fifths of the machine's).
    threads
        How many threads work (None: one a core).
    folder
        Where that is written which does not fit (None: the system's folder for such files).

    Examples
    --------
    >>> with connected(memory=10**9) as duck:
    ...     duck.connection.sql("SELECT current_setting('memory_limit')").fetchall()
    [('953.6 MiB',)]
    """
    import duckdb

    try:
        spill = Path(tempfile.mkdtemp(prefix="consilience-", dir=folder))
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"nothing can be written to {folder or tempfile.gettempdir()}: {reason} (fix: set "
            "TMPDIR to a folder with room)"
        ) from None
    settings: dict[str, Any] = {"temp_directory": str(spill), "preserve_insertion_order": "false"}
    if memory is not None:
        settings["memory_limit"] = f"{memory}B"
    if threads is not None:
        settings["threads"] = str(threads)
    connection = duckdb.connect(config=settings)
    with contextlib.suppress(duckdb.ParserException):  # where DuckDB has none of that name
        connection.execute(f"SET disabled_optimizers = '{_UNWANTED}'")
    try:
        yield Duck(connection, spill)
    finally:
        connection.close()
        shutil.rmtree(spill, ignore_errors=True)


@contextlib.contextmanager
def told(folder: Path, name: str | None = None) -> Iterator[None]:
    """Say in our words what DuckDB cannot do, and what to do about it."""
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        reason = str(error).splitlines()[0]
        if "No space left" in reason or "max_temp_directory_size" in reason:
            raise ConsilienceError(_full(folder)) from None
        raise ConsilienceError(
            "DuckDB needs more memory than it may use (fix: give it more with --memory, or sort "
            "the votes by query: consilience convert FILE votes.parquet)"
        ) from None
    except duckdb.IOException as error:
        reason = str(error).splitlines()[0]
        if "No space left" in reason:
            raise ConsilienceError(_full(folder)) from None
        raise _unreadable(name, reason) from None
    except (duckdb.InvalidInputException, duckdb.ConversionException) as error:
        raise _in_text(name, str(error)) or _unreadable(name, str(error).splitlines()[0]) from None
    except duckdb.Error as error:
        raise ConsilienceError(f"DuckDB: {str(error).splitlines()[0]}") from None


def _full(folder: Path) -> str:
    return (
        f"there is no room left in {folder.parent}, where DuckDB puts what does not fit into "
        "memory (fix: set TMPDIR to a folder with more room, or give more with --memory)"
    )


def _in_text(name: str | None, said: str) -> ConsilienceError | None:
    """Say what is wrong with a line of a file of text; None where it is something else."""
    found = re.match(r".*CSV Error on Line: (\d+)\nOriginal Line:.*\n(.+)", said)
    if name is None or found is None:
        return None
    reason = found[2].replace("Number of Columns: ", "cells: ")
    return bad(name, int(found[1]), reason, "write as many cells as the header has, in UTF-8")


def _unreadable(name: str | None, reason: str) -> ConsilienceError:
    if name is None:
        return ConsilienceError(f"a file cannot be read: {reason} (fix: write it again)")
    return bad(name, None, f"cannot be read: {reason}", "write it again")


def open_duck(
    duck: Duck,
    files: Paths,
    *,
    truth: Paths = (),
    columns: Mapping[str, str] | None = None,
    truth_columns: Mapping[str, str] | None = None,
    answers: AnswerKind | None = None,
    universe: int | None = None,
    rows: int = ROWS,
) -> Tables:
    """Open Parquet and CSV files, folders and globs of long tables.

    Queries and respondents are numbered in order of first appearance: files in the order given,
    rows as they stand.

    Parameters
    ----------
    duck
        A connection, from :func:`connected`.
    files, truth
        Files of systems' answers, and of what judges said.
    columns
        Role → column, where names do not say it.
    truth_columns, answers
        As in :func:`consilience.read`.
    universe
        How many items each query chooses from; None: those that somebody mentioned.
    rows
        How many answers are worked on together, where files are sorted by query.
    """
    sheets: list[Sheet] = []
    given: list[tuple[Paths, Kind]] = [(files, "system"), (truth, "gold")]
    for paths, kind in given:
        problems = Problems()
        found, _ = f.expand(list(paths), problems)
        problems.raise_any()
        mapped = given_to(kind, sheets, columns, truth_columns)
        sheets += [_sheet(duck, path, kind, mapped, answers) for path in found]
    mappings = columns or {}, given_to("gold", sheets, columns, truth_columns)
    return assemble(duck, sheets, columns=mappings, answers=answers, universe=universe, rows=rows)


def _sheet(
    duck: Duck,
    path: Path,
    kind: Kind,
    columns: Mapping[str, str],
    answers: AnswerKind | None = None,
) -> Sheet:
    """Open a file: Parquet as it is, CSV as a table of text."""
    import narwhals.stable.v2 as nw

    name = str(path)
    delimiter = delimiter_of(path, columns, answers)
    with told(duck.folder, name):
        if delimiter is None:
            where, row = f"read_parquet({_literal(name)}, file_row_number = true)", _ROW
        else:
            where, row = _loaded(duck, path, delimiter), _ROW_OF_TEXT
        relation = duck.connection.sql(f"SELECT * FROM {where}")
    sorts = {
        column: _sort(str(kind_of))
        for column, kind_of in zip(relation.columns, relation.types, strict=True)
        if column != row
    }

    def select(expressions: Sequence[str]) -> nw.LazyFrame[Any]:
        with told(duck.folder, name):
            made = duck.connection.sql(f"SELECT {', '.join(expressions)} FROM {where}")
        return nw.from_native(made)

    dialect = Dialect(_quoted, lambda text: f"trim({text}, {_blanks()})", duck.collect)
    sheet = Sheet(
        name, f.stem_of(path.name), sorts, select, dialect, kind, _quoted(row), cheap=True
    )
    if delimiter is None:
        return replace(sheet, index=read_index(path))
    return replace(sheet, line=line_in(path, delimiter))


def _loaded(duck: Duck, path: Path, delimiter: str) -> str:
    """Read a file of text into a table; nothing of its form is guessed, no line is a comment."""
    table = _quoted(f"sheet {next(_NUMBERS)}")
    columns = ", ".join(f"{_literal(one)}: 'VARCHAR'" for one in header_of(path, delimiter))
    form = f"delim = {_literal(delimiter)}, quote = '\"', escape = '\"'"
    packed = "gzip" if f.look(path).gzipped else "none"
    duck.connection.execute("SET preserve_insertion_order = true")
    duck.connection.execute(
        f"CREATE TEMP TABLE {table} AS SELECT *, row_number() OVER () - 1 AS "
        f"{_quoted(_ROW_OF_TEXT)} FROM read_csv({_literal(str(path))}, header = true, "
        f"auto_detect = false, columns = {{{columns}}}, compression = '{packed}', {form})"
    )
    duck.connection.execute("SET preserve_insertion_order = false")
    return table


def _sort(kind: str) -> Sort:
    if kind in _WHOLE:
        return "whole"
    if kind.partition("(")[0] in _PLAIN:
        return "plain"
    named: dict[str, Sort] = {"VARCHAR": "text", "FLOAT": "number", "DOUBLE": "number"}
    return named.get(kind, "other")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _blanks() -> str:
    letters = BLANKS.encode().decode("unicode_escape")
    return " || ".join(f"chr({ord(letter)})" for letter in letters)
