"""Files read block by block, each through the readers that whole files go through.

Text is cut between lines (outside quotes, where cells may hold line ends) and every block of a
table gets the header of the first; Parquet is read some row groups at a time. What a file *is* is
told once, from its first block: the later ones are read alike. Lines in messages are those of the
file. What depends on a whole table, such as whether its ranks begin at 0, is left to
:mod:`consilience.engine.collecting`.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from consilience import formats
from consilience.engine import pieces
from consilience.engine.alike import Like
from consilience.engine.pieces import Piece
from consilience.engine.sizes import PACKED, shown
from consilience.errors import EmptyError, InputError, Problem, Problems, bad
from consilience.formats import files, footer, recognise, roles, sheets
from consilience.formats.cells import Sheet

if TYPE_CHECKING:
    from concurrent.futures import Future

    import pyarrow as pa

    from consilience.formats.answer_kinds import AnswerKind
    from consilience.formats.files import File
    from consilience.formats.recognise import Recognised
    from consilience.formats.rows import Kind, Rows

#: Files up to so many bytes of text are read at once; packed files count for more.
SMALL = 1 << 28
#: Bytes of text that are read at a time from larger files, and rows of Parquet.
BLOCK = 1 << 26
ROWS = 1 << 20
#: Bytes that a row of Parquet counts for, however well it is packed.
_ROW_BYTES = 64
#: So many files are read at the same time.
_WORKERS = 4
_LINES = ("TREC run", "TREC qrels", "JSON lines")
_ROW = re.compile(r"row (\d+): ")

#: Reads a block: its tables, when it is called.
Read = Callable[[], "list[Rows]"]


@dataclass(slots=True, eq=False)
class Input:
    """A file, and how it is to be read.

    ``small`` is the most bytes that are read at once, ``block`` how many of larger files at a time
    (``rows`` of Parquet). ``weight`` is how many bytes of text it comes to, about; ``streamed``
    tells whether it is read in blocks.
    """

    path: Path
    kind: Kind = "system"
    columns: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None
    answers: AnswerKind | None = None
    small: int = SMALL
    block: int = BLOCK
    rows: int = ROWS
    weight: int = field(init=False)
    streamed: bool = field(init=False)
    _like: Like = field(default_factory=Like)
    _cuts: list[tuple[int, Read | None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.weight = self._weigh()
        self.streamed = self.weight > self.small

    @property
    def size(self) -> int:
        """The bytes of the file on disk."""
        return self.path.stat().st_size if self.path.is_file() else 0

    def blocks(self) -> Iterator[list[Rows]]:
        """Read the file, at once or in blocks; every block gives the same tables, in order.

        Raises
        ------
        InputError
            With everything that is wrong in the file, when all of it has been looked at.
        """
        if not self.streamed:
            yield self._whole()
            return
        problems = Problems()
        said: set[Problem] = set()
        row = 0
        try:
            for read, again in self._reads():
                try:
                    tables = read()
                except EmptyError:  # nothing but the header
                    continue
                except InputError as error:
                    if said.intersection(error.problems):
                        break  # of the header, or of all the file: every block would say it
                    said.update(error.problems)
                    problems.merge(error)
                    continue
                self._cuts.append((row, again))
                row += len(tables[0])
                yield tables
        except InputError as error:
            problems.merge(error)
        problems.raise_any()

    def place(self, number: int, row: int) -> int | None:
        """Find the line of a row of one of the file's tables, by reading the file again.

        None where there are no lines, or the file can be read only once, as a pipe.
        """
        if not self.path.is_file():
            return None
        if not self.streamed:
            return _again(self._whole)[number].place(row)
        first, again = next(cut for cut in reversed(self._cuts) if cut[0] <= row)
        return None if again is None else _again(again)[number].place(row - first)

    def _weigh(self) -> int:
        """Tell how large the file is when it is unpacked; what cannot be opened is told later."""
        if not self.path.is_file():
            return 0
        mark = b""
        with contextlib.suppress(OSError), self.path.open("rb") as stream:
            mark = stream.read(4)
        if mark == b"PAR1":
            return _rows_of(self.path) * _ROW_BYTES
        return self.size * (PACKED if mark.startswith(b"\x1f\x8b") else 1)

    def _whole(self) -> list[Rows]:
        return formats.read_files(
            [self.path],
            kind=self.kind,
            columns=self.columns,
            encoding=self.encoding,
            answers=self.answers,
            lenient=True,
        )

    def _reads(self) -> Iterator[tuple[Read, Read | None]]:
        """Give for every block how it is read, and how its lines are found again."""
        file = files.look(self.path, encoding=self.encoding)
        found = recognise.recognise(file, columns=self.columns, answers=self.answers)
        if found.form == "Parquet" and not file.gzipped:
            yield from self._parquet(file, found.why)
        elif found.form in _LINES or found.delimiter:
            yield from self._text(file, found)
        else:
            what = f"{found.form} of {shown(file.size)} is too large to be read at once"
            fix = "write it as CSV, JSON lines, Parquet or a TREC file, or give more --memory"
            raise bad(file.name, None, what, fix)

    def _text(self, file: File, found: Recognised) -> Iterator[tuple[Read, Read | None]]:
        head = b""
        for piece, data in pieces.pieces(file, self.block, quoted=bool(found.delimiter)):
            if data.isspace():
                continue
            yield (
                partial(self._lines, file, head, piece, data),
                partial(self._lines, file, head, piece, None),
            )
            if found.delimiter and not head:
                head = pieces.header_of(data, pieces.line_end(file))

    def _lines(self, file: File, head: bytes, piece: Piece, data: bytes | None) -> list[Rows]:
        """Read some lines behind a header; the lines of messages are those of the file."""
        data = pieces.again(file, piece) if data is None else data
        before = head.count(pieces.line_end(file))

        def moved(line: int) -> int:
            return line if line <= before else line - before + piece.line - 1

        held = replace(file, held=head + data, gzipped=False)
        try:
            opened = formats.open_file(held, self.kind, self.columns, self.answers)
            if not isinstance(opened, list):
                opened = self._like.read(opened, self.kind, self.columns, self.answers)
        except InputError as error:
            raise _with(error, lambda problem: _on(problem, moved)) from None
        return [_located(rows, moved) for rows in opened]

    def _parquet(self, file: File, why: str) -> Iterator[tuple[Read, Read | None]]:
        import pyarrow as pa

        try:
            with sheets.open_parquet(str(file.path)) as opened:
                known, schema = opened.metadata, opened.schema_arrow
                names = sheets.texts(opened, self.columns)
        except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
            raise sheets.unreadable(file, error) from None
        _check_names(file, schema, self.columns)
        held = footer.held(known, file.size)
        row = 0
        with sheets.open_parquet(str(file.path), known, names) as opened:
            for group in range(known.num_row_groups):
                for batch in _batches(file, opened, group, self.rows):
                    columns = sheets.named(batch.columns, batch.schema.names)
                    stem = files.stem_of(file.path.name)
                    table = columns.replace_schema_metadata(held)
                    sheet = Sheet(file.name, "Parquet", table, stem, None, why)
                    yield partial(self._rows, sheet, row), None
                    row += batch.num_rows

    def _rows(self, sheet: Sheet, before: int) -> list[Rows]:
        """Read some rows of Parquet; messages count rows from the first of the file."""
        try:
            return self._like.read(sheet, self.kind, self.columns, self.answers)
        except InputError as error:
            raise _with(error, lambda problem: _counted(problem, before)) from None


def ahead(inputs: Sequence[Input], most: int) -> Iterator[tuple[Input, Iterator[list[Rows]]]]:
    """Give files with their blocks; those that are read at once are read ahead, side by side.

    Parameters
    ----------
    inputs
        The files, in order.
    most
        The bytes of text that are read at the same time, at most (one file aside).
    """
    from concurrent.futures import ThreadPoolExecutor

    waiting: deque[tuple[Input, Future[list[list[Rows]]] | None]] = deque()
    workers = min(_WORKERS, os.cpu_count() or 1)
    with ThreadPoolExecutor(workers) as pool:
        try:
            for one in inputs:
                busy = sum(other.weight for other, _ in waiting)
                while waiting and (busy + one.weight > most or len(waiting) > workers):
                    busy -= waiting[0][0].weight
                    yield _read(*waiting.popleft())
                waiting.append((one, None if one.streamed else pool.submit(_listed, one)))
            while waiting:
                yield _read(*waiting.popleft())
        finally:
            pool.shutdown(cancel_futures=True)


def _listed(one: Input) -> list[list[Rows]]:
    return list(one.blocks())


def _read(
    one: Input, future: Future[list[list[Rows]]] | None
) -> tuple[Input, Iterator[list[Rows]]]:
    return one, one.blocks() if future is None else _given(future)


def _given(future: Future[list[list[Rows]]]) -> Iterator[list[Rows]]:
    """Wait for a file; what is wrong with it is raised here."""
    yield from future.result()


def _rows_of(path: Path) -> int:
    """Tell how many rows a Parquet file has; 0 where it cannot be read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return int(pq.read_metadata(str(path)).num_rows)
    except (OSError, pa.ArrowException, UnicodeDecodeError):
        return 0


@lru_cache(maxsize=1)
def _again(read: Read) -> list[Rows]:
    """Read once more; messages mostly ask for several lines of one file."""
    return read()


def forget() -> None:
    """Let go of what was read once more."""
    _again.cache_clear()


def _batches(file: File, opened: object, group: int, rows: int) -> Iterator[pa.RecordBatch]:
    """Read a row group, some rows at a time."""
    import pyarrow as pa

    try:
        for batch in opened.iter_batches(batch_size=rows, row_groups=[group]):  # type: ignore[attr-defined]
            batch.validate(full=True)
            yield batch
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        count = opened.num_row_groups  # type: ignore[attr-defined]
        found = f"not readable as Parquet: row group {group + 1} of {count}: {reason}"
        raise bad(file.name, None, found, "write it again") from None


def _check_names(file: File, schema: pa.Schema, columns: Mapping[str, str]) -> None:
    """See that no name is a broken number: how it is written depends on all the others."""
    import pyarrow as pa

    found = [name.strip() for name in schema.names]
    given = {role: name for role, name in columns.items() if name in found}
    assigned = roles.assign(found, given)
    for role in ("query", "item", "respondent"):
        if role in assigned and pa.types.is_floating(schema.types[found.index(assigned[role])]):
            what = f"{assigned[role]} holds numbers with a point, and the file is read in blocks"
            raise bad(file.name, None, what, "store it as text or as whole numbers")


def _with(error: InputError, change: Callable[[Problem], Problem]) -> InputError:
    changed = [change(problem) for problem in error.problems]
    if isinstance(error, EmptyError):
        return EmptyError(changed[0], error.form, error.columns)
    return InputError(changed, error.total)


def _on(problem: Problem, moved: Callable[[int], int]) -> Problem:
    return problem if problem.line is None else replace(problem, line=moved(problem.line))


def _counted(problem: Problem, before: int) -> Problem:
    """Count the row that a message names from the beginning of the file."""
    found = _ROW.sub(lambda row: f"row {int(row[1]) + before}: ", problem.found, count=1)
    return replace(problem, found=found)


def _located(rows: Rows, moved: Callable[[int], int]) -> Rows:
    locate = rows.locate
    return rows if locate is None else replace(rows, locate=lambda row: moved(locate(row)))
