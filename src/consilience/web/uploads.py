"""Files that a browser sends: put aside under names of our own, read, thrown away."""

from __future__ import annotations

import contextlib
import gzip
import shutil
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from consilience.errors import UsageError, quote
from consilience.store.connect import UnavailableError

if TYPE_CHECKING:
    from fastapi import UploadFile

    from consilience.store.connect import Database

#: How many files one request may bring.
MOST = 1000
#: How many bytes are copied at a time.
_BLOCK = 1 << 20
#: How folders are called that hold what goes again, and how old those are that nobody uses.
_PREFIX, _OLD = ".consilience-", 24 * 3600


def folder_aside(db: Database, what: str) -> Path:
    """Make a folder for files that do not stay; it is for its owner's eyes alone."""
    with _room(db):
        if db.files is not None:
            db.files.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{what}-", dir=db.files))


@contextlib.contextmanager
def _room(db: Database) -> Iterator[None]:
    """Tell a disk that is full, or takes nothing, like a database that is."""
    try:
        yield
    except OSError as error:
        raise UnavailableError(f"{db.files}: cannot be written: {error.strerror}") from error


def clear_old(db: Database) -> None:
    """Throw away what an app that was killed has left; younger folders may be another app's."""
    for folder in () if db.files is None else db.files.glob(f"{_PREFIX}*-*"):
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime > _OLD:
                clear(folder)


def put_aside(
    db: Database, given: Sequence[UploadFile], *, most: int
) -> tuple[Path, dict[Path, str]]:
    """Keep what was sent in a new folder.

    Parameters
    ----------
    db, given
        Where, and what.
    most
        How many bytes it may be; of files that are packed, what they hold counts.

    Returns
    -------
    tuple
        The folder, and path → the name that the user knows the file by. Paths are made here: no
        name from elsewhere becomes one.
    """
    if not given or not any(one.filename for one in given):
        raise UsageError("no file came (fix: choose files, or drop them here)")
    if len(given) > MOST:
        raise UsageError(f"{len(given):,} files at once are too many (fix: at most {MOST:,})")
    called = [file_name(one.filename or "") for one in given]
    folder, names, left = folder_aside(db, "upload"), dict[Path, str](), most
    with contextlib.ExitStack() as undo:
        undo.callback(clear, folder)
        for place, (one, name) in enumerate(zip(given, called, strict=True)):
            path = folder / f"{place:04d}"
            with _room(db), path.open("xb") as stream:
                shutil.copyfileobj(one.file, stream, _BLOCK)
            left -= _unpacked(path, left)
            if left < 0:
                raise UsageError(
                    f"{name}: unpacked, this is more than {most:,} bytes, the most that a request "
                    "may bring here (fix: bring less, or start the app with a larger --max-upload)"
                )
            names[path] = name
        undo.pop_all()
    return folder, names


def _unpacked(path: Path, most: int) -> int:
    """Count the bytes that a file holds, unpacked, at least as far as ``most``.

    A file that is broken is counted as far as it can be read: its reader says what is wrong.
    """
    with path.open("rb") as stream:
        head = stream.read(4)
    if head == b"PAR1":
        return max(path.stat().st_size, _cells(path))
    if head[:2] != b"\x1f\x8b":
        return path.stat().st_size
    came = 0
    with contextlib.suppress(OSError, EOFError, zlib.error), gzip.open(path) as unpacked:
        while came <= most and (piece := unpacked.read(_BLOCK)):
            came += len(piece)
    return came


def _cells(path: Path) -> int:
    """Count the cells of a Parquet file: a value that repeats takes no room in it."""
    import pyarrow as pa
    from pyarrow.parquet import read_metadata

    try:
        about = read_metadata(path)
    except (OSError, pa.ArrowException, UnicodeDecodeError):
        return 0
    return int(about.num_rows * about.num_columns)


def file_name(given: str) -> str:
    r"""Take the last part of a path, whichever system wrote it.

    Examples
    --------
    >>> file_name("runs/bm25.run"), file_name(r"C:\\runs\\bm25.run"), file_name("../../etc/passwd")
    ('bm25.run', 'bm25.run', 'passwd')
    """
    name = PurePosixPath(PureWindowsPath(given).as_posix()).name
    if "\0" in name or len(name) > 255:
        raise UsageError(f"{quote(name)} is no name for a file (fix: rename it)")
    return name or "file"


def clear(folder: Path) -> None:
    """Throw away what was put aside."""
    shutil.rmtree(folder, ignore_errors=True)
