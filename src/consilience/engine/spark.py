"""Spark: votes that outgrow one machine. The same expressions, on a cluster or on this machine.

Spark needs Java 17 or later, and the extra: ``pip install consilience[spark]``. By default it runs
inside this machine (``local[*]``); any master URL starts it elsewhere, and a session that is
passed in is used as it is, and never stopped.

Queries and respondents are numbered in order of first appearance. Rows of a Parquet file are
numbered by Spark itself, rows of a CSV file as they are read; a frame of Spark has no order: what
appears in it is numbered by name, and a note says so.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consilience.engine.assembling import assemble
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
from consilience.engine.spark_start import LOCAL, first_line, started, without_warnings
from consilience.engine.tables import Tables
from consilience.engine.votes_file import read_index
from consilience.errors import ConsilienceError, Problems, bad
from consilience.formats import files as f

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import pyarrow as pa

    from consilience.formats.answer_kinds import AnswerKind
    from consilience.formats.rows import Kind

_WHOLE = ("tinyint", "smallint", "int", "bigint")
_PLAIN = ("boolean", "decimal", "void")
#: Files of a folder elsewhere that are opened one by one, at most.
MANY = 64
_ROW = "row of file"


@dataclass(frozen=True, slots=True)
class Spark:
    """A session of Spark."""

    session: Any

    def collect(self, frame: nw.LazyFrame[Any]) -> pa.Table:
        """Compute a frame; what goes wrong is said in our words."""
        with told():
            return frame.to_native().toArrow()

    def small(self, columns: Mapping[str, pa.Array]) -> nw.LazyFrame[Any]:
        """Make a frame of a few rows that are here."""
        import narwhals.stable.v2 as nw
        import pyarrow as pa

        with told():
            made: nw.LazyFrame[Any] = nw.from_native(
                self.session.createDataFrame(pa.table(dict(columns)))
            )
        return made


@contextlib.contextmanager
def connected(
    *,
    master: str = LOCAL,
    session: Any = None,
    settings: Mapping[str, str] | None = None,
) -> Iterator[Spark]:
    """Start Spark, or use a session that is there already.

    Parameters
    ----------
    master
        Where it runs: ``local[4]`` (four cores of this machine), ``spark://host:7077``, ``yarn``,
        ``k8s://…``.
    session
        A session to use; it is not stopped afterwards.
    settings
        More settings of a session that is started, by Spark's names.
    """
    if session is not None:
        yield Spark(session)
        return
    made = started(master, settings or {})
    try:
        yield Spark(made)
    finally:
        made.stop()


@contextlib.contextmanager
def told(name: str | None = None) -> Iterator[None]:
    """Say in our words what Spark cannot do, and what to do about it."""
    from py4j.protocol import Py4JError, Py4JNetworkError
    from pyspark.errors import PySparkException

    try:
        with without_warnings():
            yield
    except (PySparkException, Py4JError) as error:
        raise _in_our_words(error, name) from None
    except (ConnectionError, EOFError):
        raise ConsilienceError(_GONE) from None
    except Py4JNetworkError:
        raise ConsilienceError(_GONE) from None


#: Where Java's errors name a file, and their causes.
_FILE = re.compile(r"reading file (?:file://)?(\S+?)\.?(?:\s|$)")
_CAUSE = re.compile(r"^Caused by: [\w.$]+: (?:\[[\w.]+\] )?(.+?)(?: +SQLSTATE.*)?$", re.MULTILINE)
_GONE = (
    "Spark's own process has ended, most likely for want of memory (fix: give it more with "
    "spark.driver.memory, and look into its log)"
)
#: What Spark's messages hold, and what we say instead.
_WORDS = (
    (
        ("OutOfMemoryError", "Java heap space", "GC overhead", "UNABLE_TO_ACQUIRE_MEMORY"),
        "Spark has not enough memory (fix: give it more with spark.driver.memory and "
        "spark.executor.memory, or set more spark.sql.shuffle.partitions)",
    ),
    (
        (
            "ExecutorLostFailure",
            "Lost executor",
            "FetchFailed",
            "executor lost",
            "SparkContext was",
        ),
        "Spark lost workers more often than it may start their work again (fix: look into their "
        "logs; most likely they have too little memory: spark.executor.memory)",
    ),
    (
        ("No space left on device",),
        "there is no room left where Spark puts what does not fit into memory (fix: set "
        "spark.local.dir to a folder with room)",
    ),
)


def _in_our_words(error: Exception, name: str | None) -> ConsilienceError:
    text = str(error)
    for signs, words in _WORDS:
        if any(sign in text for sign in signs):
            return ConsilienceError(words)
    if any(sign in text for sign in ("CANNOT_READ", "FAILED_READ_FILE", "is not a Parquet file")):
        file = _FILE.search(text)
        found = f"not readable: {_cause(error)}"
        return bad(name or (file[1] if file else "a file"), None, found, "write it again")
    if any(sign in text for sign in ("PATH_NOT_FOUND", "FileNotFoundException")):
        return bad(name or "a file", None, "is not there", "name files that all workers can read")
    return ConsilienceError(f"Spark: {_cause(error)}")


def _cause(error: Exception) -> str:
    """Give the innermost cause that Java names, else the first line."""
    causes = _CAUSE.findall(str(error))
    return str(causes[-1]) if causes else first_line(error)


def open_spark(
    spark: Spark,
    files: Sequence[Any],
    *,
    truth: Sequence[Any] = (),
    columns: Mapping[str, str] | None = None,
    truth_columns: Mapping[str, str] | None = None,
    answers: AnswerKind | None = None,
    universe: int | None = None,
) -> Tables:
    """Open Parquet and CSV files (globs, folders, URLs that Spark reads) and frames of Spark.

    Parameters
    ----------
    spark
        A session, from :func:`connected`.
    files, truth
        Systems' answers, and what judges said: long tables.
    columns
        Role → column, where names do not say it.
    truth_columns, answers
        As in :func:`consilience.read`.
    universe
        How many items each query chooses from; None: those that somebody mentioned.
    """
    sheets: list[Sheet] = []
    given: list[tuple[Sequence[Any], Kind]] = [(files, "system"), (truth, "gold")]
    for named, kind in given:
        mapped = given_to(kind, sheets, columns, truth_columns)
        for one in named:
            if hasattr(one, "sparkSession"):
                name = f"frame {len(sheets) + 1}"
                sheets.append(_sheet(spark, one, name, name, kind, None))
            else:
                for path in _paths(one):
                    sheets += _files(spark, path, kind, mapped, answers)
    mappings = columns or {}, given_to("gold", sheets, columns, truth_columns)
    return assemble(
        spark, sheets, columns=mappings, answers=answers, universe=universe, rows=1 << 62
    )


def _paths(given: Any) -> list[str]:
    """Give the files that a name stands for; what is elsewhere is Spark's to find."""
    name = os.fspath(given)
    if "://" in name:
        return [name]
    problems = Problems()
    found, _ = f.expand([name], problems)
    problems.raise_any()
    return [str(path) for path in found]


def _files(
    spark: Spark,
    path: str,
    kind: Kind,
    columns: Mapping[str, str],
    answers: AnswerKind | None,
) -> list[Sheet]:
    """Open a file, or a folder of files elsewhere, each by itself: so rows keep their order.

    Of very many files nobody waits for each: then rows have no order.
    """
    delimiter = _delimiter(path, columns, answers)
    with told(path):
        frame = _read(spark, path, delimiter)
        inside = sorted(frame.inputFiles()) if "://" in path else []
        if len(inside) > MANY:
            return [_sheet(spark, frame, path, _stem(path), kind, None)]
        sheets = []
        for name in inside if len(inside) > 1 else [path]:
            row = "_metadata.row_index" if delimiter is None else "monotonically_increasing_id()"
            frame = _read(spark, name, delimiter).selectExpr("*", f"{row} AS {_quoted(_ROW)}")
            sheet = _sheet(spark, frame, name, _stem(name), kind, _ROW)
            sheets.append(_known(sheet, name.removeprefix("file://"), delimiter))
    return sheets


def _known(sheet: Sheet, path: str, delimiter: str | None) -> Sheet:
    """Say what can be known of a file that is on this machine: its lines, the index of votes."""
    if "://" in path:
        return sheet
    if delimiter is not None:
        header_of(Path(path), delimiter)
        return replace(sheet, line=line_in(Path(path), delimiter))
    return replace(sheet, index=read_index(path) if Path(path).is_file() else None)


def _read(spark: Spark, path: str, delimiter: str | None) -> Any:
    if delimiter is None:
        return spark.session.read.parquet(path)
    return spark.session.read.csv(
        path, sep=delimiter, header=True, multiLine=True, escape='"', mode="FAILFAST"
    )


def _delimiter(path: str, columns: Mapping[str, str], answers: AnswerKind | None) -> str | None:
    """Tell what stands between cells; None of Parquet. Elsewhere the ending has to tell."""
    if "://" not in path:
        return delimiter_of(Path(path), columns, answers)
    plain = path.lower().removesuffix(".gz")
    return {"csv": ",", "tsv": "\t", "tab": "\t"}.get(plain.rpartition(".")[2])


def _stem(path: str) -> str:
    return f.stem_of(path.rstrip("/").rpartition("/")[2])


def _sheet(spark: Spark, frame: Any, name: str, stem: str, kind: Kind, row: str | None) -> Sheet:
    import narwhals.stable.v2 as nw

    sorts = {column: _sort(sort) for column, sort in frame.dtypes if column != row}

    def select(expressions: Sequence[str]) -> nw.LazyFrame[Any]:
        with told(name):
            made: nw.LazyFrame[Any] = nw.from_native(frame.selectExpr(*expressions))
        return made

    dialect = Dialect(_quoted, lambda text: f"btrim({text}, '{BLANKS}')", spark.collect)
    number = "CAST(0 AS BIGINT)" if row is None else _quoted(row)
    return Sheet(name, stem, sorts, select, dialect, kind, number, ordered=row is not None)


def _sort(kind: str) -> Sort:
    if kind in _WHOLE:
        return "whole"
    if kind.partition("(")[0] in _PLAIN:
        return "plain"
    named: dict[str, Sort] = {"string": "text", "float": "number", "double": "number"}
    return named.get(kind, "other")


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
