"""A project as tables that other programs read: CSV, Parquet, TREC qrels, Label Studio.

CSV and Parquet come in two forms. ``answers``, ``truth`` and ``labels`` are long tables, ready to
be read again: :func:`consilience.read` makes the same study of them. ``everything/`` holds all
tables with names instead of numbers: every answer that was ever given, and which of them count.

An archive (:mod:`consilience.store.archive`) is what comes back as a project; tables are for
looking and computing elsewhere.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from consilience.errors import ConsilienceError, UsageError, unknown
from consilience.store import whole_file
from consilience.store.archive import PIECE, member_info
from consilience.store.connect import reading
from consilience.store.projects import project_of
from consilience.store.tables_all import write_everything
from consilience.store.tables_labels import write_label_studio, write_qrels
from consilience.store.tables_long import write_long

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from consilience.store.connect import Database
    from consilience.store.projects import Project

#: What tables can be written as.
FORMATS = ("parquet", "csv", "qrels", "label-studio")


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: files by their names in the folder, and what they could not say."""

    path: Path
    files: tuple[str, ...]
    notes: tuple[str, ...]


def export_tables(
    db: Database, project: Project, target: str | os.PathLike[str], fmt: str
) -> Exported:
    """Write a project as tables, into a new folder or one .zip.

    Parameters
    ----------
    db, project
        What is written, as it is at this moment.
    target
        A folder, which must be new or empty; or a file that ends in .zip.
    fmt
        ``parquet`` or ``csv``: all tables with names instead of numbers, and long tables that
        :func:`consilience.read` takes. ``qrels``: a file of TREC judgments for everybody who
        judged. ``label-studio``: tasks with everybody's annotations.

    Raises
    ------
    UsageError
        Where the folder is in use, or the project holds nothing that the format can say.

    Examples
    --------
    >>> from consilience.store.connect import open_database
    >>> from consilience.store.projects import make_project
    >>> from consilience.store.sources import add_files
    >>> import consilience as cs
    >>> folder = tempfile.mkdtemp()
    >>> db = open_database(folder + "/benchmark.db")
    >>> made = make_project(db, "Keyphrases")
    >>> _ = add_files(db, made, [cs.example("keyphrases.csv")])
    >>> export_tables(db, made, folder + "/tables", "csv").files[:2]
    ('answers.csv', 'everything/answers.csv')
    >>> cs.read(folder + "/tables/answers.csv")
    <Study: 8 systems, 60 queries, 2,652 items, 4,660 answers, truth absent>
    >>> db.close()
    """
    if fmt not in FORMATS:
        raise unknown("format of tables", fmt, FORMATS)
    path = Path(target)
    if path.suffix.lower() == ".zip":
        with tempfile.TemporaryDirectory(prefix="tables-", dir=_beside(path)) as folder:
            made = _written(db, project, Path(folder), fmt)
            with whole_file(path) as stream, zipfile.ZipFile(stream, "w") as archive:
                for name in made.files:
                    _pack(archive, name, Path(folder) / name)
        return Exported(path, made.files, made.notes)
    _check_free(path)
    aside = Path(tempfile.mkdtemp(prefix=".tables-", dir=_beside(path.resolve())))
    try:
        made = _written(db, project, aside, fmt)
        target, mode = path.resolve(), 0o755  # what a link points to is replaced, not the link
        if target.exists():
            mode = target.stat().st_mode
            target.rmdir()
        aside.chmod(mode & 0o7777)
        aside.rename(target)
    except OSError as error:
        raise ConsilienceError(f"{path}: cannot be written: {error.strerror or error}") from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return Exported(path, made.files, made.notes)


def _beside(path: Path) -> Path:
    """Give the folder that something is written into, made where it is missing."""
    folder = path.absolute().parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConsilienceError(f"{folder}: cannot be made: {error.strerror}") from None
    return folder


def _check_free(path: Path) -> None:
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise UsageError(
            f"{path}: there is something already (fix: name a new folder, or a new .zip)"
        )


def _written(db: Database, project: Project, folder: Path, fmt: str) -> Exported:
    with reading(db) as conn:
        notes = _WRITERS[fmt](conn, project_of(conn, project.id), folder, fmt)
    files = sorted(str(one.relative_to(folder)) for one in folder.rglob("*") if one.is_file())
    return Exported(folder, tuple(name.replace(os.sep, "/") for name in files), tuple(notes))


def _tables(conn: Connection, project: Project, folder: Path, fmt: str) -> list[str]:
    notes = write_long(conn, project, folder, fmt)
    write_everything(conn, project, folder / "everything", fmt)
    return notes


#: How each format is written; gives notes.
_WRITERS: dict[str, Callable[[Connection, Project, Path, str], list[str]]] = {
    "parquet": _tables,
    "csv": _tables,
    "qrels": write_qrels,
    "label-studio": write_label_studio,
}


def _pack(archive: zipfile.ZipFile, name: str, path: Path) -> None:
    with path.open("rb") as source, archive.open(member_info(name), "w", force_zip64=True) as to:
        shutil.copyfileobj(source, to, PIECE)
