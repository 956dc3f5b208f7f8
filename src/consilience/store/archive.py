"""Everything of a project as one archive, to keep, to send, and to bring into another database.

The same content gives the same bytes: rows stand in the order in which they came, under numbers of
their own, and the archive knows nothing of the moment or the database that it was made in. Rows are
read and written some thousands at a time.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa

from consilience import progress
from consilience._version import __version__
from consilience.errors import ConsilienceError, UsageError
from consilience.store import schema as s
from consilience.store import whole_file
from consilience.store.archive_form import (
    FORMAT,
    MANIFEST,
    TABLES,
    VERSION,
    Field,
    Member,
    fields_of,
    key_of,
    picture_member,
    table_member,
)
from consilience.store.bulk import fetch_columns
from consilience.store.connect import reading
from consilience.store.migrate import revision
from consilience.store.projects import project_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sqlalchemy.engine import Connection

    from consilience.store.connect import Database
    from consilience.store.projects import Project

#: Rows that are written together, and bytes of a picture.
BLOCK, PIECE = 10_000, 1 << 20
#: The time that all members carry: the first that a .zip can tell.
_TIME = (1980, 1, 1, 0, 0, 0)

_write_json = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True
).encode


def pack(db: Database, project: Project, path: str | os.PathLike[str]) -> list[Member]:
    """Write everything of a project into one .zip.

    Parameters
    ----------
    db, project
        What is packed, as it is at this moment.
    path
        The file to write; what is there is replaced when the new one is whole.

    Returns
    -------
    list of Member
        What the archive holds, the manifest aside.

    Raises
    ------
    UsageError
        Where a picture of the project is not there any more.
    ConsilienceError
        Where the file cannot be written; then nothing is left behind.

    Examples
    --------
    >>> import tempfile
    >>> from consilience.store.connect import open_database
    >>> from consilience.store.projects import make_project
    >>> folder = tempfile.mkdtemp()
    >>> db = open_database(folder + "/benchmark.db")
    >>> members = pack(db, make_project(db, "Photos"), folder + "/photos.zip")
    >>> members[0].name, members[0].rows
    ('tables/project.jsonl', 1)
    >>> db.close()
    """
    with whole_file(Path(path)) as stream, reading(db) as conn:
        return _Packing(db, conn, project).write(stream)


class _Packing:
    """The writing of one archive."""

    def __init__(self, db: Database, conn: Connection, project: Project) -> None:
        self.db, self.conn, self.project = db, conn, project_of(conn, project.id)
        self.ids: dict[str, NDArray[np.int64]] = {}
        self.members: list[Member] = []

    def write(self, stream: IO[bytes]) -> list[Member]:
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            self.ids = {
                table.name: self._numbers(table) for table in TABLES if key_of(table) is not None
            }
            all_rows = sum(map(len, self.ids.values()))
            for table in TABLES:
                self._write_table(archive, table, all_rows)
            for sha256 in self._pictures():
                self._write_picture(archive, sha256)
            with archive.open(member_info(MANIFEST), "w") as member:
                member.write(self._manifest())
        return self.members

    def _numbers(self, table: sa.Table) -> NDArray[np.int64]:
        """Fetch the ids of a table's rows, rising: their places are their new numbers."""
        key = key_of(table)
        assert key is not None
        statement = sa.select(key).where(here(table, self.project.id)).order_by(key)
        return fetch_columns(self.conn, statement, ["int"])[0]

    def _write_table(self, archive: zipfile.ZipFile, table: sa.Table, of: int) -> None:
        digest, size, rows = hashlib.sha256(), 0, 0
        done = sum(one.rows or 0 for one in self.members)
        with archive.open(member_info(table_member(table)), "w", force_zip64=True) as member:
            for block in self._blocks(table):
                text = self._lines(table, block)
                digest.update(text)
                size, rows = size + len(text), rows + len(block)
                member.write(text)
                progress.report(done + rows, of)
        name = table_member(table)
        self.members.append(Member(name, size, digest.hexdigest(), rows))

    def _blocks(self, table: sa.Table) -> Iterator[Sequence[tuple[Any, ...]]]:
        columns = [table.c[field.name] for field in fields_of(table)]
        order = [key] if (key := key_of(table)) is not None else [*table.primary_key]
        statement = sa.select(*columns).where(here(table, self.project.id)).order_by(*order)
        found = self.conn.execute(statement, execution_options={"yield_per": BLOCK})
        for block in found.partitions():
            yield [tuple(row) for row in block]

    def _lines(self, table: sa.Table, block: Sequence[tuple[Any, ...]]) -> bytes:
        """Write rows as lines of JSON; columns that say nothing are left out."""
        said = {
            field.name: (field, self._renumbered(field, column))
            for field, column in zip(fields_of(table), zip(*block, strict=True), strict=True)
            if any(cell is not None and cell is not False for cell in column)
        }
        named = dict(sorted(said.items()))
        if all(None not in column and field.kind != "flag" for field, column in named.values()):
            return _full_lines(table, named)
        names, columns = [*named], [column for _, column in named.values()]
        try:
            lines = [
                _write_json(
                    {n: cell for n, cell in pairs if cell is not None and cell is not False}
                )
                for pairs in (zip(names, row, strict=True) for row in zip(*columns, strict=True))
            ]
        except ValueError:
            raise _not_finite(table) from None
        return ("\n".join(lines or ["{}"] * len(block)) + "\n").encode()

    def _renumbered(self, field: Field, column: tuple[Any, ...]) -> Sequence[Any]:
        if field.refers is not None:
            ids = np.array([cell or 0 for cell in column], np.int64)
            places = np.searchsorted(self.ids[field.refers], ids) + 1
            if None not in column:
                return [*places.tolist()]
            return [
                None if old is None else new
                for old, new in zip(column, places.tolist(), strict=True)
            ]
        if field.kind == "number":  # SQLite keeps no sign of zero
            return [None if cell is None else cell + 0.0 for cell in column]
        return column

    def _pictures(self) -> list[str]:
        found = sa.select(s.file.c.sha256).where(here(s.file, self.project.id))
        return [*self.conn.scalars(found.order_by(s.file.c.sha256))]

    def _write_picture(self, archive: zipfile.ZipFile, sha256: str) -> None:
        digest, size = hashlib.sha256(), 0
        info = member_info(picture_member(sha256))
        info.compress_type = zipfile.ZIP_STORED  # pictures are compressed already
        with _opened(self.db, sha256) as source, archive.open(info, "w", force_zip64=True) as to:
            while piece := source.read(PIECE):
                digest.update(piece)
                size += len(piece)
                to.write(piece)
        if digest.hexdigest() != sha256:
            fix = "bring the file of your backup, or the picture anew"
            raise UsageError(
                f"{picture_path(self.db, sha256)}: this picture has changed on the disk (fix: "
                f"{fix})"
            )
        self.members.append(Member(picture_member(sha256), size, sha256))

    def _manifest(self) -> bytes:
        told = {
            "format": FORMAT,
            "version": VERSION,
            "schema": revision(self.conn),
            "made_by": __version__,
            "project": {"slug": self.project.slug, "name": self.project.name},
            "members": [member.told() for member in self.members],
        }
        return (json.dumps(told, ensure_ascii=False, indent=1) + "\n").encode()


def member_info(name: str) -> zipfile.ZipInfo:
    """Describe a member by its name alone."""
    info = zipfile.ZipInfo(name, _TIME)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3  # Unix, whichever system writes this
    info.external_attr = 0o644 << 16
    return info


def _full_lines(table: sa.Table, named: dict[str, tuple[Field, Sequence[Any]]]) -> bytes:
    """Write rows in which nothing is missing: one pattern for all of them."""
    columns: list[Sequence[Any]] = []
    parts = []
    for name, (field, column) in named.items():
        if field.kind == "number" and not all(map(math.isfinite, column)):
            raise _not_finite(table)
        written = field.kind in ("text", "data")
        columns.append([_write_json(cell) for cell in column] if written else column)
        parts.append(f'"{name}":%{"s" if written else "r"}')
    pattern = "{" + ",".join(parts) + "}\n"
    return "".join(map(pattern.__mod__, zip(*columns, strict=True))).encode()


def _not_finite(table: sa.Table) -> ConsilienceError:
    return ConsilienceError(
        f"the table {table.name} holds a number that is not finite; another program has written "
        "it, and no archive can hold it (fix: go back to a copy of the database from before)"
    )


def here(table: sa.Table, project_id: int) -> sa.ColumnElement[bool]:
    """Tell which rows of a table are a project's."""
    if table is s.project:
        return s.project.c.id == project_id
    if "project_id" in table.c:
        return table.c.project_id == project_id
    if table is s.file:
        shown = [
            sa.select(one.c.file).where(one.c.project_id == project_id, one.c.file.is_not(None))
            for one in (s.query, s.item)
        ]
        return s.file.c.sha256.in_(sa.union(*shown))
    owner = {"voice": s.source, "posed": s.source, "asked": s.source, "category": s.tree}
    owner |= {"category_parent": s.category, "assignment": s.task}
    above = owner[table.name]
    return table.c[f"{above.name}_id"].in_(sa.select(above.c.id).where(here(above, project_id)))


def picture_path(db: Database, sha256: str) -> Path:
    """Tell where a picture lies."""
    if db.files is None:
        raise UsageError(
            "the project has pictures, and nobody said where they lie (fix: --files FOLDER)"
        )
    return db.files / sha256[:2] / sha256


def _opened(db: Database, sha256: str) -> IO[bytes]:
    path = picture_path(db, sha256)
    try:
        return path.open("rb")
    except OSError as error:
        fix = "name the folder of the pictures with --files, or put the file back"
        raise UsageError(
            f"{path}: a picture of the project cannot be read: {error.strerror} (fix: {fix})"
        ) from None
