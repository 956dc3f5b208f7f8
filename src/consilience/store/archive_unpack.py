"""An archive becomes a project of a database: all of it in one transaction, or nothing."""

from __future__ import annotations

import json
import os
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa

from consilience import progress
from consilience.errors import ConsilienceError, UsageError
from consilience.store import schema as s
from consilience.store.answers import _fetched
from consilience.store.archive import picture_path
from consilience.store.archive_answers import Answers, said_twice, superseding_others
from consilience.store.archive_cells import WrongError, columns_of
from consilience.store.archive_checks import CHECKS, Known
from consilience.store.archive_form import (
    TABLES,
    fields_of,
    key_of,
    picture_member,
    table_member,
)
from consilience.store.archive_read import Archive, Limits, opened, refused
from consilience.store.bulk import add_rows, inserting
from consilience.store.connect import SLUGS, UnavailableError, take_turn, writing
from consilience.store.content import clear_file, media_type_of
from consilience.store.projects import Project, _free, _slug, project_of
from consilience.store.sources import duplicates_of
from consilience.study.build import build

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sqlalchemy.engine import Connection

    from consilience.store.connect import Database

#: Tables whose rows are handed over as columns.
_MANY = (s.answer, s.query, s.item, s.posed, s.asked)
#: How much of the work reading the rows is, about.
_ROWS = 0.8


def unpack(
    db: Database, path: str | os.PathLike[str], *, limits: Limits | None = None, name: str = ""
) -> Project:
    """Bring an archive into a database, as a new project.

    Parameters
    ----------
    db
        Where it goes; projects that are there stay as they are.
    path
        The archive, as :func:`consilience.store.archive.pack` wrote it.
    limits
        How much it may hold.
    name
        What messages call the file, where that is not its path.

    Returns
    -------
    Project
        The new project. Its slug is that of the archive, or one like it where that is taken.

    Raises
    ------
    UsageError
        Where it is not an archive, was changed, or holds what a project cannot hold. Then the
        database is as it was.

    Examples
    --------
    >>> import tempfile
    >>> from consilience.store.archive import pack
    >>> from consilience.store.connect import open_database
    >>> from consilience.store.projects import make_project
    >>> folder = tempfile.mkdtemp()
    >>> db = open_database(folder + "/benchmark.db")
    >>> _ = pack(db, make_project(db, "Photos"), folder + "/photos.zip")
    >>> unpack(db, folder + "/photos.zip").slug
    'photos-2'
    >>> db.close()
    """
    fresh: list[Path] = []
    with opened(path, limits or Limits(), name=name) as archive, ExitStack() as vain:
        vain.callback(_clear, db, fresh)
        with writing(db) as conn, _refusing(archive, conn):
            work = _Unpacking(db, conn, archive)
            work.read()
            work.check()
            work.put_pictures(fresh)
            made = work.finish()
        vain.pop_all()  # they belong to a project now
    return made


@contextmanager
def _refusing(archive: Archive, conn: Connection) -> Iterator[None]:
    """Say in plain words that the database takes something for wrong."""
    driver: Any = conn.dialect.dbapi
    wrong = (sa.exc.IntegrityError, sa.exc.DataError, driver.IntegrityError, driver.DataError)
    try:
        yield
    except wrong as error:
        lines = str(getattr(error, "orig", None) or error).strip().splitlines()
        reason = lines[0][:200] if lines else type(error).__name__
        raise refused(archive.name, f"the database does not take it: {reason}") from None
    except UsageError as error:
        if str(error).startswith(f"{archive.name}: "):
            raise
        raise UsageError(f"{archive.name}: {error}") from None


class _Numbers:
    """The numbers that rows were given here, in the order of the archive."""

    def __init__(self) -> None:
        self.array = np.zeros(1 << 10, np.int64)
        self.count = 0

    def add(self, numbers: NDArray[np.int64]) -> None:
        """Add those of more rows."""
        while self.count + len(numbers) > len(self.array):
            self.array = np.concatenate([self.array, np.zeros_like(self.array)])
        self.array[self.count : self.count + len(numbers)] = numbers
        self.count += len(numbers)

    def of(self, cells: Sequence[int | None]) -> list[int | None]:
        """Give the numbers of some rows, which count from 1."""
        new = self.array[np.array([cell or 1 for cell in cells], np.int64) - 1].tolist()
        return [None if cell is None else one for cell, one in zip(cells, new, strict=True)]


class _Unpacking:
    """The reading of one archive into a database."""

    def __init__(self, db: Database, conn: Connection, archive: Archive) -> None:
        self.db, self.conn, self.archive = db, conn, archive
        self.known = Known()
        self.ids: dict[str, _Numbers] = {table.name: _Numbers() for table in TABLES}
        self.reserved: dict[str, int] = {}
        self.project_id = 0
        self.wanted = ""
        self.answers: Answers | None = None

    def read(self) -> None:
        """Read all tables."""
        rows = sum(member.rows or 0 for member in self.archive.members.values())
        done = 0
        for table in TABLES:
            if table is s.answer:
                self.answers = Answers(self.known)
            for first, block in self.archive.blocks(table_member(table)):
                self._take(table, first, block)
                done += len(block)
                progress.report(_ROWS * done, rows)
            if not self.project_id:
                raise refused(self.archive.name, "it holds no project")

    def _take(self, table: sa.Table, first: int, rows: list[Any]) -> None:
        """Check rows, give them numbers of this database, and add them."""
        member = table_member(table)
        counts = {name: ids.count for name, ids in self.ids.items()}
        counts[table.name] = first + len(rows) - 1
        try:
            columns = columns_of(rows, fields_of(table), counts)
            if table is s.answer:
                assert self.answers is not None
                self.answers.check(columns, first)
            else:
                CHECKS[table.name](self.known, columns)
        except WrongError as error:
            line = first + error.row
            raise refused(self.archive.name, f"{member}, line {line:,}: {error}") from None
        if table is s.project:
            self._begin(columns)
            return
        numbers = self._reserve(table, len(rows))
        self.ids[table.name].add(numbers)
        self._add(table, self._renumbered(table, columns), numbers)

    def _begin(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """Make the project; it is called by its slug in the end."""
        cells = {name: column[0] for name, column in columns.items()}
        self.wanted = cells["slug"]
        cells["slug"] = uuid.uuid4().hex
        cells["task"] = cells["task"] or {}
        statement = s.project.insert().values(cells).returning(s.project.c.id)
        self.project_id = int(self.conn.execute(statement).scalar_one())

    def _reserve(self, table: sa.Table, count: int) -> NDArray[np.int64]:
        """Take numbers for new rows, rising; nobody else is given them."""
        key = key_of(table)
        if key is None:
            return np.zeros(0, np.int64)
        if self.db.is_sqlite:
            begin = self.reserved.get(table.name) or self._next(table, key)
            self.reserved[table.name] = begin + count
            return np.arange(begin, begin + count)
        sequence = f"pg_get_serial_sequence('{table.name}', '{key.name}')"
        taken = self.conn.exec_driver_sql(
            f"SELECT nextval({sequence}) FROM generate_series(1, {count})"
        )
        return np.sort(np.fromiter((number for (number,) in taken), np.int64, count))

    def _next(self, table: sa.Table, key: sa.Column[Any]) -> int:
        last = self.conn.scalar(sa.select(sa.func.max(key))) or 0
        if table.dialect_options["sqlite"]["autoincrement"]:
            given = "SELECT seq FROM sqlite_sequence WHERE name = ?"
            last = max(last, self.conn.exec_driver_sql(given, (table.name,)).scalar() or 0)
        return int(last) + 1

    def _renumbered(
        self, table: sa.Table, columns: Mapping[str, list[Any]]
    ) -> dict[str, list[Any]]:
        """Turn numbers of rows into those of this database."""
        return {
            field.name: columns[field.name]
            if field.refers is None
            else self.ids[field.refers].of(columns[field.name])
            for field in fields_of(table)
        }

    def _add(
        self, table: sa.Table, columns: dict[str, list[Any]], numbers: NDArray[np.int64]
    ) -> None:
        key, count = key_of(table), len(next(iter(columns.values())))
        if key is not None:
            columns[key.name] = numbers.tolist()
        if "project_id" in table.c:
            columns["project_id"] = [self.project_id] * count
        if table in _MANY:
            kinds = {field.name: field.kind for field in fields_of(table)}
            laid = {
                name: _laid(cells, kinds.get(name, ""))
                for name, cells in columns.items()
                if _says(cells, table, name)
            }
            add_rows(self.conn, table, laid)
            return
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        if table is s.file:  # another project may have the same picture
            self.conn.execute(inserting(self.conn, table).on_conflict_do_nothing(), rows)
            return
        self.conn.execute(table.insert(), rows)

    def check(self) -> None:
        """See that the rows make a project that can be worked with."""
        try:
            if self.answers is not None:
                self.answers.check_counts()
            if self.conn.execute(superseding_others(self.project_id)).first() is not None:
                raise WrongError("an answer supersedes what was said of something else")
            if self.conn.execute(said_twice(self.project_id)).first() is not None:
                raise WrongError("somebody says two things of one item")
        except WrongError as error:
            raise refused(self.archive.name, f"{table_member(s.answer)}: {error}") from None
        for number in range(1, len(self.known.dags) + 1):
            if not self.known.places.get("category", {}).get(number):
                raise refused(self.archive.name, f"tree {number} has no categories")
        if not all(self.known.groups.values()):
            found = "items that are to be put in order lack the one that stands for them"
            raise refused(self.archive.name, f"{table_member(s.task)}: {found}")
        self._check_pictures()
        self._check_study()
        progress.report(0.95, 1)

    def _check_pictures(self) -> None:
        told = self.known.files
        held = {sha256: member.bytes for sha256, member in self.archive.pictures().items()}
        if held != {sha256: size for sha256, (_, size) in told.items()}:
            raise refused(self.archive.name, f"its pictures are not those that {_FILES} names")
        if held:
            picture_path(self.db, "")  # is there a folder for them?

    def _check_study(self) -> None:
        """Fetch every source, build what counts: what fails here would fail on every page."""
        from consilience.store.label_rows import label_rows

        c = s.source.c
        found = self.conn.execute(s.source.select().where(c.project_id == self.project_id)).all()
        found = sorted(found, key=lambda row: (s.ROLES.index(row.role), row.id))
        counted = []
        try:
            for row in found:
                labels = row.role == "labels"
                rows = label_rows(self.conn, row) if labels else _fetched(self.conn, row)
                if not row.set_aside and (len(rows) or not labels):
                    counted.append(rows)
            if counted:
                build(counted, duplicates=duplicates_of(self.conn, self.project_id))
        except UsageError as error:
            said = str(error).splitlines()[0].partition(" (fix: ")[0]
            raise refused(self.archive.name, f"its answers make no study: {said}") from None

    def put_pictures(self, fresh: list[Path]) -> None:
        """Put pictures onto the disk that are not there; ``fresh`` notes those."""
        for sha256 in self.archive.pictures():
            path = picture_path(self.db, sha256)
            there = path.is_file()
            try:
                self._put_picture(path, sha256, fresh, there=there)
            except OSError as error:
                raise UnavailableError(
                    f"{path}: cannot be written: {error.strerror} (fix: check the folder of the "
                    "pictures and the space left)"
                ) from None

    def _put_picture(self, path: Path, sha256: str, fresh: list[Path], *, there: bool) -> None:
        pieces = self._picture(sha256)
        if there:
            for _ in pieces:  # is it the picture that it says it is?
                pass
            return
        for folder in (path.parent.parent, path.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as stream:
            aside = Path(stream.name)
            fresh.append(aside)
            for piece in pieces:
                stream.write(piece)
            stream.flush()
            os.fsync(stream.fileno())
        fresh.append(path)
        aside.replace(path)

    def _picture(self, sha256: str) -> Iterator[bytes]:
        """Read a picture; its first bytes must tell what the table says of it."""
        begun = False
        for piece in self.archive.pieces(picture_member(sha256)):
            if not begun and media_type_of(piece[:16]) != self.known.files[sha256][0]:
                raise refused(self.archive.name, f"{picture_member(sha256)} is no such picture")
            begun = True
            yield piece
        if not begun:
            raise refused(self.archive.name, f"{picture_member(sha256)} is empty")

    def finish(self) -> Project:
        """Give the project its slug: the one that it had, or one like it."""
        take_turn(self.conn, SLUGS)  # two programs do not choose one slug
        c = s.project.c
        taken = {*self.conn.scalars(sa.select(c.slug).where(c.id != self.project_id))}
        slug = _free(_slug(self.wanted), taken)
        self.conn.execute(s.project.update().where(c.id == self.project_id).values(slug=slug))
        return project_of(self.conn, self.project_id)


_FILES = table_member(s.file)


def _laid(cells: list[Any], kind: str) -> Any:
    """Lay cells as both databases take many of them at once; text is read as what it stands for."""
    if kind == "number":
        return np.array([np.nan if cell is None else cell for cell in cells], np.float64)
    if kind == "data":
        return [None if cell is None else json.dumps(cell) for cell in cells]
    if kind == "text":
        return cells
    if None in cells or kind == "flag":
        return [None if cell is None else str(int(cell)) for cell in cells]
    return np.array(cells, np.int64)


def _says(cells: list[Any], table: sa.Table, name: str) -> bool:
    """Tell whether a column must be handed over: in some it is what stands there anyway."""
    flag = table is s.answer and name in ("cannot_tell", "withdrawn")
    return cells.count(False if flag else None) < len(cells)


def _clear(db: Database, fresh: Sequence[Path]) -> None:
    """Remove pictures that were put onto the disk in vain, but for those of other projects."""
    for path in fresh:
        with suppress(ConsilienceError, OSError):  # why unpacking failed is what must be told
            if path.name.startswith("."):  # a part that was never called by its hash
                path.unlink(missing_ok=True)
            else:
                clear_file(db, path)
