"""What items and queries are: their texts, and their pictures.

Names are always there; content is optional. Pictures lie on the disk, each under the hash of its
bytes: no name that a user gave becomes a path. What a file is, its first bytes say.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal

import sqlalchemy as sa

from consilience.errors import ConsilienceError, UsageError, bad, quote
from consilience.store import schema as s
from consilience.store.bulk import inserting, name_ids, storable
from consilience.store.connect import UnavailableError, now, reading, writing
from consilience.store.projects import checked_name, lock

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Row

    from consilience.store.connect import Database
    from consilience.store.projects import Project

#: The largest picture, in bytes, where nobody says otherwise.
LARGEST = 20_000_000
_BLOCK = 1 << 20
_HEAD = 16
#: What columns of texts may be called.
_TEXT = ("text", "content", "body", "title", "question", "description", "passage", "caption")
_NAMED = {
    "item": ("item", "item_id", "doc", "doc_id", "docid", "docno", "document", "id", "image"),
    "query": ("query", "query_id", "qid", "topic", "topic_id", "q"),
}

What = Literal["item", "query"]
_TABLES = {"item": s.item, "query": s.query}


@dataclass(frozen=True, slots=True)
class View:
    """An item or a query as people see it: its name, and its text or picture where it has one.

    ``file`` is the hash of the picture, ``media_type`` what it is, such as image/png.
    """

    id: int
    name: str
    text: str | None
    file: str | None
    media_type: str | None


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A picture, and where it lies."""

    sha256: str
    media_type: str
    bytes: int
    name: str
    path: Path


def add_items(db: Database, project: Project, rows: Iterable[tuple[str, str]]) -> int:
    """Give items their texts, by name; items that are new are added. Gives how many were told."""
    return _add_texts(db, project, "item", rows)


def add_queries(db: Database, project: Project, rows: Iterable[tuple[str, str]]) -> int:
    """Give queries their texts, by name; queries that are new are added."""
    return _add_texts(db, project, "query", rows)


def add_content(
    db: Database,
    project: Project,
    texts: Iterable[tuple[What, Iterable[tuple[str, str]]]],
    pictures: Mapping[Path, str],
    *,
    most: int = LARGEST,
) -> dict[str, int]:
    """Keep texts and pictures that came together: all of them, or nothing where one is refused.

    Parameters
    ----------
    db, project
        Whose items and queries they are of.
    texts
        Tables as :func:`read_texts` gives them.
    pictures
        Where each picture lies, and what it is called: like its item.
    most
        The largest picture, in bytes.

    Returns
    -------
    dict
        How many ``texts`` and ``pictures`` were kept.
    """
    checked = [(what, _texts(what, rows)) for what, rows in texts]
    placed: list[Path] = []
    with _aside(db) if pictures else nullcontext("") as folder:
        read = [_read(path, name, Path(folder), most) for path, name in pictures.items()]
        try:
            with writing(db) as conn:
                lock(conn, project.id)
                for what, named in checked:
                    _tell(conn, project, what, named)
                for one in sorted(read, key=lambda one: one.sha256):  # all wait in one order
                    placed.append(_keep(conn, db, one))
                for one in read:
                    _show(conn, project, _item_of(conn, project, one.name), one)
            placed.clear()  # they have their rows
        finally:
            for path in placed:
                with suppress(ConsilienceError, OSError):  # why it failed is what must be told
                    clear_file(db, path)
    return {"texts": sum(len(named) for _, named in checked), "pictures": len(read)}


def _add_texts(db: Database, project: Project, what: What, rows: Iterable[tuple[str, str]]) -> int:
    texts = _texts(what, rows)
    with writing(db) as conn:
        lock(conn, project.id)
        _tell(conn, project, what, texts)
    return len(texts)


def _texts(what: What, rows: Iterable[tuple[str, str]]) -> dict[str, str]:
    """See that texts can be kept; give them by name."""
    texts: dict[str, str] = {}
    for name, text in rows:
        if texts.setdefault(name, text) != text:
            raise UsageError(f"{quote(name)} has two different texts (fix: keep one of them)")
    storable([*texts.values()], what)
    if any(not name.strip() for name in texts):
        raise UsageError(f"an empty name stands for no {what} (fix: name each {what})")
    return texts


def _tell(conn: Connection, project: Project, what: What, texts: Mapping[str, str]) -> None:
    """Write texts to items or queries, within a transaction that has locked the project."""
    table = _TABLES[what]
    ids = name_ids(conn, table, project.id, [*texts]).tolist()
    told = [{"of": number, "said": text} for number, text in zip(ids, texts.values(), strict=True)]
    if told:
        here = table.c.id == sa.bindparam("of")
        conn.execute(table.update().where(here).values(text=sa.bindparam("said")), told)


def read_texts(
    path: Path, *, encoding: str | None = None, name: str | None = None
) -> tuple[What, list[tuple[str, str]]]:
    r"""Read a table of texts: columns ``item`` and ``text``, or ``query`` and ``text``.

    Parameters
    ----------
    path
        The file: CSV, TSV, JSON lines, JSON or Parquet.
    encoding
        The text encoding, where it is not UTF-8.
    name
        What messages call the file, where that is not its path.

    Returns
    -------
    tuple
        Whether they are items or queries, and pairs of name and text.

    Examples
    --------
    >>> file = Path(tempfile.mkdtemp()) / "queries.csv"
    >>> _ = file.write_text("query,text\nq1,cheap flights\n")
    >>> read_texts(file)
    ('query', [('q1', 'cheap flights')])
    """
    from consilience.formats import open_file
    from consilience.formats.cells import Sheet, strings
    from consilience.formats.files import look
    from consilience.formats.links import plain

    file = look(path, encoding=encoding, name=name)
    sheet = open_file(file, "system", {})
    fix = "begin with a header line such as item,text or query,text"
    if not isinstance(sheet, Sheet):
        raise bad(file.name, None, "this is no table with columns", fix)
    sheet.problems.raise_any()
    by_name = {plain(column): column for column in reversed(sheet.table.column_names)}
    for what, names in _NAMED.items():
        found = [by_name[one] for one in names if one in by_name]
        texts = [by_name[one] for one in _TEXT if one in by_name and by_name[one] not in found]
        if found and texts:
            pairs = (strings(sheet, one).to_pylist() for one in (found[0], texts[0]))
            return ("item" if what == "item" else "query"), [*zip(*pairs, strict=True)]
    columns = ", ".join(map(quote, sheet.table.column_names))
    raise bad(file.name, sheet.header, f"no columns of names and texts; found {columns}", fix)


def add_file(db: Database, stream: IO[bytes], name: str, *, most: int = LARGEST) -> str:
    """Keep a picture; give the hash that it is known by. The same picture is kept once.

    Raises
    ------
    UsageError
        Where it is no PNG, JPEG, GIF or WebP, is too large, or there is no folder for pictures.
    """
    with _aside(db) as folder:
        one = _written(stream, name, Path(folder), most)
        with writing(db) as conn:
            _keep(conn, db, one)
    return one.sha256


@contextmanager
def _aside(db: Database) -> Iterator[str]:
    """Make a folder beside the pictures for some that are not kept yet; it goes again."""
    if db.files is None:
        raise UsageError(
            "there is no folder for pictures: the database is on a server (fix: name one with "
            "--files FOLDER)"
        )
    try:
        db.files.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".consilience-pictures-", dir=db.files) as folder:
            yield folder
    except OSError as error:
        raise UnavailableError(f"{db.files}: cannot be written: {error.strerror}") from None


def _keep(conn: Connection, db: Database, one: StoredFile) -> Path:
    """Put a picture where pictures lie; its row comes first: then nobody clears the file away."""
    assert db.files is not None
    values = (one.sha256, one.media_type, one.bytes, one.name, now())
    conn.execute(inserting(conn, s.file).values(values).on_conflict_do_nothing())
    place = _place(db.files, one.sha256)
    place.parent.mkdir(exist_ok=True)
    os.replace(one.path, place)
    return place


def clear_file(db: Database, path: Path) -> None:
    """Remove a picture that was put onto the disk in vain; one that has a row stays.

    Whoever adds a picture writes its row first, and the file before that is committed. The row is
    taken here as they would take it: so they wait until the file is gone, or this waits for them.
    """
    values = (path.name, "", 0, "", now())
    with writing(db) as conn:
        row = inserting(conn, s.file).values(values).on_conflict_do_nothing()
        if conn.execute(row.returning(s.file.c.sha256)).first() is None:
            return
        path.unlink(missing_ok=True)
        conn.execute(s.file.delete().where(s.file.c.sha256 == path.name))


def media_type_of(head: bytes) -> str | None:
    r"""Tell what a picture is by its first bytes; None where it is none that is kept here.

    Examples
    --------
    >>> media_type_of(b"\x89PNG\r\n\x1a\n"), media_type_of(b"<svg onload=")
    ('image/png', None)
    """
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if head.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if head.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    return "image/webp" if head[:4] == b"RIFF" and head[8:12] == b"WEBP" else None


def _read(path: Path, name: str, folder: Path, most: int) -> StoredFile:
    with path.open("rb") as stream:
        return _written(stream, name, folder, most)


def _written(stream: IO[bytes], name: str, folder: Path, most: int) -> StoredFile:
    """Write a picture aside, to the disk; tell what it is and where it lies."""
    called, block = checked_name(name, "file"), stream.read(_HEAD)
    media_type = media_type_of(block)
    if media_type is None:
        raise UsageError(f"{called}: this is no picture (fix: give PNG, JPEG, GIF or WebP)")
    digest, size = hashlib.sha256(), 0
    with tempfile.NamedTemporaryFile(dir=folder, delete=False) as aside:
        while block:
            size += len(block)
            if size > most:
                raise UsageError(
                    f"{called}: the picture is larger than {most:,} bytes (fix: make it smaller)"
                )
            digest.update(block)
            aside.write(block)
            block = stream.read(_BLOCK)
        aside.flush()
        os.fsync(aside.fileno())
    return StoredFile(digest.hexdigest(), media_type, size, called, Path(aside.name))


def _place(folder: Path, digest: str) -> Path:
    return folder / digest[:2] / digest


def file_of(db: Database, sha256: str) -> StoredFile:
    """Find a picture by its hash."""
    with reading(db) as conn:
        row = conn.execute(s.file.select().where(s.file.c.sha256 == sha256)).first()
    if row is None or db.files is None:
        raise UsageError(f"no picture {quote(sha256)} is kept here (fix: add it again)")
    return StoredFile(row.sha256, row.media_type, row.bytes, row.name, _place(db.files, row.sha256))


def show_picture(db: Database, project: Project, item: str, sha256: str) -> int:
    """Let an item be a picture that is kept; an item that is new is added. Gives its number."""
    known = file_of(db, sha256)
    with writing(db) as conn:
        lock(conn, project.id)
        return _show(conn, project, item, known)


def _show(conn: Connection, project: Project, item: str, known: StoredFile) -> int:
    (number,) = name_ids(conn, s.item, project.id, [item]).tolist()
    here = s.item.update().where(s.item.c.id == number)
    conn.execute(here.values(file=known.sha256, media_type=known.media_type))
    return int(number)


def add_picture(
    db: Database, project: Project, stream: IO[bytes], name: str, *, most: int = LARGEST
) -> int:
    """Keep a picture as the item that is called like it, with or without its ending.

    Where there is no such item, one is added that is called like the file. Gives its number.
    """
    digest = add_file(db, stream, name, most=most)
    with reading(db) as conn:
        item = _item_of(conn, project, checked_name(name, "file"))
    return show_picture(db, project, item, digest)


def _item_of(conn: Connection, project: Project, called: str) -> str:
    """Name the item that a picture is of; where there is none, one will be called like it."""
    names, c = [called, called.rpartition(".")[0] or called], s.item.c
    here = (c.project_id == project.id) & c.name.in_(names)
    known = {*conn.scalars(sa.select(c.name).where(here))}
    return next((one for one in names if one in known), called)


def content_counts(db: Database, project: Project) -> dict[str, int]:
    """Count the items and queries that have a text, and the items that are pictures."""
    with reading(db) as conn:
        counts = {
            f"{what} texts": sa.select(sa.func.count()).where(
                table.c.project_id == project.id, table.c.text.is_not(None)
            )
            for what, table in _TABLES.items()
        }
        pictures = s.item.c.file.is_not(None) & (s.item.c.project_id == project.id)
        counts["pictures"] = sa.select(sa.func.count()).where(pictures)
        return {what: int(conn.execute(count).scalar_one()) for what, count in counts.items()}


def item_view(db: Database, project: Project, item_id: int) -> View:
    """Give an item as people see it."""
    return _view(db, project, "item", item_id)


def query_view(db: Database, project: Project, query_id: int) -> View:
    """Give a query as people see it."""
    return _view(db, project, "query", query_id)


def _view(db: Database, project: Project, what: What, number: int) -> View:
    table = _TABLES[what]
    with reading(db) as conn:
        here = (table.c.id == number) & (table.c.project_id == project.id)
        row = conn.execute(table.select().where(here)).first()
    if row is None:
        raise UsageError(f"the project has no {what} {number} (fix: choose one of it)")
    return view_of(row)


def view_of(row: Row[Any]) -> View:
    """Give a row of items or queries as people see it."""
    return View(row.id, row.name, row.text, row.file, getattr(row, "media_type", None))
