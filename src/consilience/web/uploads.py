"""Files that a browser sends: put aside under names of our own, read, thrown away."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from consilience.errors import UsageError, quote

if TYPE_CHECKING:
    from fastapi import UploadFile

    from consilience.store.connect import Database

#: How many files one request may bring.
MOST = 1000
#: How many bytes are copied at a time.
_BLOCK = 1 << 20


def put_aside(db: Database, given: Sequence[UploadFile]) -> tuple[Path, dict[Path, str]]:
    """Keep what was sent in a new folder.

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
    if db.files is not None:
        db.files.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="upload-", dir=db.files))
    names: dict[Path, str] = {}
    for place, one in enumerate(given):
        path = folder / f"{place:04d}"
        with path.open("xb") as stream:
            shutil.copyfileobj(one.file, stream, _BLOCK)
        names[path] = file_name(one.filename or "")
    return folder, names


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
