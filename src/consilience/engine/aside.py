"""Work beside a file: it becomes the file when it is whole, and leaves nothing behind otherwise.

Names of such files begin with a point, so that folders are read without them, and carry the
machine and the process that works on them: what a killed process left is removed by the next.
"""

from __future__ import annotations

import contextlib
import glob
import itertools
import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from consilience.errors import ConsilienceError

#: Tells apart what one process works on at the same time.
_NUMBERS = itertools.count()


@contextlib.contextmanager
def told(path: Path) -> Iterator[None]:
    """Say which file could not be written, and why.

    Examples
    --------
    >>> with told(Path("v.parquet")):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
    consilience.errors.ConsilienceError: v.parquet: cannot be written: No space left on device ...
    """
    try:
        yield
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise ConsilienceError(
            f"{path}: cannot be written: {reason} (fix: make room, or name another place)"
        ) from None


def aside(path: Path, ending: str) -> Path:
    """Name a file or folder beside ``path`` that is this process's while it works."""
    return path.with_name(f".{path.name}.{_host()}-{os.getpid()}-{next(_NUMBERS)}.{ending}")


def clean(path: Path) -> None:
    """Remove what processes of this machine that are no more left beside ``path``."""
    before = f".{path.name}.{_host()}-"
    for left in path.parent.glob(f"{glob.escape(before)}*"):
        number, _, ending = left.name.removeprefix(before).partition(".")
        process = number.partition("-")[0]
        if process.isdigit() and ending in ("part", "sorting") and not _runs(int(process)):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)


def _host() -> str:
    return "".join(letter for letter in socket.gethostname() if letter.isalnum()) or "here"


def _runs(process: int) -> bool:
    if process == os.getpid():
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def sync_folder(folder: Path) -> None:
    """See a new name to the disk, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class Hashed:
    """A file that is hashed as it is written; given up, it takes what comes and writes nothing."""

    def __init__(self, stream: BinaryIO, digest: Any) -> None:
        self.stream = stream
        self.digest = digest
        self.closed = False

    def write(self, data: Any) -> int:
        """Write on, and hash what was written."""
        if not self.stream.closed:
            self.stream.write(data)
            self.digest.update(data)
        return len(data)

    def tell(self) -> int:
        """Tell how much was written."""
        return 0 if self.stream.closed else self.stream.tell()

    def flush(self) -> None:
        """Leave it to the end."""

    def writable(self) -> bool:
        """It is."""
        return True

    def sync(self) -> None:
        """See everything to the disk."""
        self.stream.flush()
        os.fsync(self.stream.fileno())
        self.stream.close()

    def give_up(self) -> None:
        """Write nothing any more."""
        with contextlib.suppress(OSError):
            self.stream.close()

    def close(self) -> None:
        """Leave the file to whoever opened it."""
        self.closed = True
