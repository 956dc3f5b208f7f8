"""Files of answers become one votes file: sorted by query, checked once, in bounded memory.

Two passes. Files are read in turn, by the readers that every verb uses; rows wait to be sorted
(:mod:`consilience.engine.sorting`), what must be known of whole tables is noted
(:mod:`consilience.engine.collecting`). Then queries are taken range by range: second answers are
settled as :func:`consilience.study.build.build` does it, and what remains is written
(:mod:`consilience.engine.votes_file`).
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience import progress
from consilience._version import __version__
from consilience.engine import blocks, sizes
from consilience.engine.aside import aside, clean, told
from consilience.engine.blocks import Input
from consilience.engine.collecting import Collected
from consilience.engine.finishing import Finisher
from consilience.engine.sorting import Sorter
from consilience.engine.votes_file import GROUP, Index, VotesWriter, read_index
from consilience.errors import InputError, Problems, UsageError, quote, unknown
from consilience.formats import check_mapping, files, roles
from consilience.formats.answer_kinds import AnswerKind, answer_kind, are_lists
from consilience.formats.folders import check_tables, unfolded
from consilience.formats.refused import check_one
from consilience.formats.rows import KINDS, Kind
from consilience.study.repeats import Duplicates

if TYPE_CHECKING:
    from numpy.typing import NDArray

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

#: What to do with second answers about an item that say something else.
DUPLICATES: tuple[Duplicates, ...] = ("error", "first", "last")
#: Shares of the memory: for rows that wait, for a file that is read at once, for a block, and for
#: a range of queries while it is made ready (another one is written meanwhile).
_WAITING, _WHOLE, _BLOCK, _RANGE = 0.35, 1 / 16, 1 / 32, 1 / 8
#: Bytes that a row of one query takes while the query is made ready (measured, rounded up).
_PER_ROW = 250
#: How much of the work reading is, about.
_READ = 0.6


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is held at once: bytes of waiting rows, of a file, of a block; rows of a group.

    ``most`` is all the memory that may be used, where it is known.
    """

    waiting: int
    small: int = blocks.SMALL
    block: int = blocks.BLOCK
    rows: int = blocks.ROWS
    group: int = GROUP
    most: int | None = None

    @staticmethod
    def of(memory: str | int | None) -> Limits:
        """Part the memory that may be used."""
        most = sizes.limit(memory)
        return Limits(
            waiting=int(most * _WAITING),
            small=min(blocks.SMALL, int(most * _WHOLE)),
            block=min(blocks.BLOCK, int(most * _BLOCK)),
            group=min(GROUP, int(most * _RANGE / _PER_ROW)),
            most=most,
        )


@dataclass(frozen=True, slots=True)
class Converted:
    """What was written: the file, its index, and what it took."""

    path: Path
    index: Index
    bytes_in: int
    bytes_out: int
    seconds: float

    def payload(self) -> dict[str, Any]:
        """Give the facts as JSON knows them."""
        index = self.index
        return {
            "verb": "convert",
            "version": __version__,
            "output": str(self.path),
            "rows": index.rows,
            "queries": len(index.queries),
            "respondents": len(index.respondents),
            "items": int(index.items.sum()),
            "bytes_in": self.bytes_in,
            "bytes_out": self.bytes_out,
            "seconds": round(self.seconds, 3),
            "fingerprint": index.fingerprint,
            "notes": [*index.notes],
        }


def convert(
    files: Paths,
    output: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    answers: str | None = None,
    duplicates: Duplicates = "error",
    kind: Kind = "system",
    memory: str | int | None = None,
) -> Converted:
    """Write answers as one votes file: a Parquet table sorted by query, with an index.

    Whatever reads the inputs reads the file, and gives the same numbers, but need not hold more
    than some queries at a time. Systems' answers and judges' answers go into files of their own.

    Parameters
    ----------
    files
        Files, folders or globs, as :func:`consilience.read` takes them.
    output
        The file to write; what is there is replaced when the new one is whole.
    columns, encoding, answers
        As in :func:`consilience.read`.
    duplicates
        What to do when a respondent answers the same item twice, differently: "error", or the
        "first" or "last" answer counts.
    kind
        What the respondents are where the files do not say: "system", "person", "llm" or "gold".
    memory
        How much may be used, such as "4GB"; None: a share of what is free. Rows beyond it wait in
        files beside the output. The rows of one query must fit.

    Raises
    ------
    InputError
        With every problem of every file.
    ConsilienceError
        Where the output cannot be written; nothing is left behind.

    Examples
    --------
    >>> import tempfile
    >>> import consilience as cs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = cs.convert(cs.example("keyphrases.csv"), f"{folder}/votes.parquet")
    ...     cs.read(made.path)
    <Study: 8 systems, 60 queries, 2,652 items, 4,660 answers, truth absent>
    """
    given = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    named = answer_kind(answers)
    how = Reading(dict(columns or {}), encoding, duplicates, kind, Limits.of(memory), named)
    return written(given, Path(output), how)


@dataclass(frozen=True, slots=True)
class Reading:
    """How inputs are read."""

    columns: Mapping[str, str]
    encoding: str | None
    duplicates: Duplicates
    kind: Kind
    limits: Limits
    answers: AnswerKind | None = None


def written(given: list[str | os.PathLike[str]], output: Path, how: Reading) -> Converted:
    """Read files and write a votes file."""
    begun = time.monotonic()
    if how.duplicates not in DUPLICATES:
        raise unknown("way with duplicates", str(how.duplicates), DUPLICATES)
    if how.kind not in KINDS:
        raise unknown("kind", str(how.kind), KINDS)
    given = unfolded(given)
    check_tables(given, how.encoding)
    problems = Problems()
    paths, again = files.expand(given, problems)
    with told(output):
        _check_output(output, paths)
        folder = aside(output.resolve(), "sorting")
        clean(output.resolve())
    try:
        found = _collected(
            paths, again, problems, Collected(Sorter(folder, how.limits.waiting)), how
        )
        index = _sorted(found, output, how)
    finally:
        blocks.forget()
        shutil.rmtree(folder, ignore_errors=True)
    size = sum(one.size for one in found.inputs)
    seconds = time.monotonic() - begun
    return Converted(output, index, size, output.stat().st_size, seconds)


def _check_output(output: Path, paths: list[Path]) -> None:
    """See that the output is no input, and replaces nothing that somebody else wrote."""
    name = str(output)
    if output.suffix.lower() != ".parquet":
        raise UsageError(
            f"{name}: a votes file is called .parquet (fix: name the output last, such as "
            "votes.parquet)"
        )
    if output.is_dir():
        raise UsageError(f"{name} is a folder (fix: name a file)")
    if output.resolve() in {path.resolve() for path in paths}:
        raise UsageError(f"{name} is one of the inputs (fix: name another file, elsewhere)")
    if output.exists():
        try:
            ours = read_index(output) is not None
        except InputError:
            ours = False
        if not ours:
            raise UsageError(
                f"{name} is there and is no votes file (fix: name the output last; remove the "
                "file if it is the output)"
            )


def _collected(
    paths: list[Path], again: list[Path], problems: Problems, found: Collected, how: Reading
) -> Collected:
    """Read all files; what is wrong with any of them is raised together."""
    given = roles.by_role(how.columns)
    limits = how.limits
    total = sum(path.stat().st_size for path in paths if path.is_file())
    seen: dict[str, None] = {}
    done = 0
    found.inputs = [
        Input(
            path,
            how.kind,
            given,
            how.encoding,
            how.answers,
            limits.small,
            limits.block,
            limits.rows,
        )
        for path in paths
    ]
    scored: set[tuple[str, ...]] = set()
    for one, read in blocks.ahead(found.inputs, limits.small):
        try:
            for tables in read:
                if not are_lists(how.answers):
                    check_one(tables, scored)
                for number, rows in enumerate(tables):
                    seen |= dict.fromkeys(rows.source.columns)
                    found.add(one, number, rows)
        except InputError as error:
            problems.merge(error)
        if one.path in again and found.tables and found.tables[-1].input is one:
            found.tables[-1].notes.append("the file was named twice: read once")
        done += one.size
        progress.report(_READ * done, total)
    if seen or not problems:
        check_mapping(given, list(seen))
    problems.raise_any()
    if not found.tables:
        raise UsageError("there is nothing to read (fix: name at least one file)")
    return found


def _check_largest(queries: Sequence[str], votes: NDArray[np.int64], most: int | None) -> None:
    """See that the rows of every query fit into memory."""
    need = int(votes.max(initial=0)) * _PER_ROW
    if most is not None and need > most:
        query = int(votes.argmax())
        raise UsageError(
            f"query {quote(queries[query])} alone has {votes[query]:,} rows, which take some "
            f"{sizes.shown(need)} of memory; {sizes.shown(most)} may be used "
            f"(fix: --memory {sizes.shown(need * 1.1)})"
        )


def _sorted(found: Collected, output: Path, how: Reading) -> Index:
    """Write what was read, query by query."""
    from concurrent.futures import Future, ThreadPoolExecutor

    columns = found.used()
    finish = Finisher(found.tables, found.starts, tuple(found.queries), columns, how.duplicates)
    votes = np.zeros(len(found.queries), np.int64)
    votes[: len(found.votes)] = found.votes
    _check_largest(finish.queries, votes, how.limits.most)
    done = 0
    with VotesWriter(output, finish.queries, finish.respondents, columns) as writer:
        with ThreadPoolExecutor(1) as pool:  # a range is written while the next is made
            writing: Future[None] | None = None
            for low, high, chunks in found.sorter.ranges(votes, how.limits.group):
                batch = finish.batch(low, high, chunks)
                if writing is not None:
                    writing.result()
                writing = None if batch is None else pool.submit(writer.write, batch)
                done += int(votes[low:high].sum())
                progress.report(_READ + (1 - _READ) * done / max(found.rows, 1), 1)
            if writing is not None:
                writing.result()
        finish.problems.raise_any()
        return writer.finish(asked=finish.empty, sources=finish.sources, notes=finish.notes())
