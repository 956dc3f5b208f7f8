"""Results are kept: each under its id, as JSON, to be shown and exported again.

They live in one folder per user (``CONSILIENCE_RESULTS``, else the platform's place for
application data), one file a result, written aside and then renamed, so that a file is whole or
not there.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from consilience.errors import ConsilienceError, UsageError, quote, unknown
from consilience.formats.pipes import descriptor, is_stream
from consilience.store import protect

#: Names of files that hold a result end like this.
ENDING = ".json"


def folder() -> Path:
    """Tell where results are kept."""
    given = os.environ.get("CONSILIENCE_RESULTS")
    if given:
        return Path(given)
    data = os.environ.get("XDG_DATA_HOME")
    if not data:
        try:
            data = str(Path.home() / ".local" / "share")
        except RuntimeError:
            raise ConsilienceError(
                "no folder for results: this user has no home (fix: set CONSILIENCE_RESULTS)"
            ) from None
    return Path(data) / "consilience" / "results"


def save(payload: dict[str, Any]) -> Path:
    """Keep a result; the same result is kept once."""
    path = folder() / f"{payload['id']}{ENDING}"
    text = json.dumps(payload, ensure_ascii=False, allow_nan=False, indent=1)
    write(path, text.encode(errors="backslashreplace"))
    return path


def write(path: Path, content: bytes) -> None:
    """Write a file aside, then rename it: it is whole, or it is not there.

    What a link points to is written, not the link; pipes and devices are written to as they are,
    and what is open already (/dev/stdout) is written on.

    Raises
    ------
    UsageError
        Where the file is an input of the work that goes on (:mod:`consilience.store.protect`).
    ConsilienceError
        Where the file cannot be written; what was there before is untouched.
    """
    number = _OPEN.get(str(path), descriptor(str(path)))
    try:
        if number is not None or is_stream(path):
            _write_on(path if number is None else os.dup(number), content)
            return
    except BrokenPipeError:
        return  # a reader that went away is no failure
    except OSError as error:
        raise _unwritten(path, error) from None
    with whole_file(path) as stream:
        stream.write(content)


#: What is open already, by its usual names.
_OPEN = {"/dev/stdout": 1, "/dev/stderr": 2}


def _write_on(to: Path | int, content: bytes) -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    with open(to, "wb") as stream:
        stream.write(content)


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Write a file aside and rename it: it is whole, or it is not there.

    One that was there keeps its rights; what a link points to is replaced, not the link.

    Raises
    ------
    UsageError
        Where something is there that is no file, or is an input of the work that goes on.
    ConsilienceError
        Where the file cannot be written; what was there before is untouched.
    """
    aside: Path | None = None
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            fix = "name another one"
            raise UsageError(f"{path}: this is no file that can be replaced (fix: {fix})")
        protect.check(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=".", delete=False) as stream:
            aside = Path(stream.name)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        like(target, aside)
        protect.check(path)
        aside.replace(target)
        aside = None
    except OSError as error:
        raise _unwritten(path, error) from None
    finally:
        if aside is not None:
            aside.unlink(missing_ok=True)


def like(target: Path, aside: Path) -> None:
    """Give a new file the owner and the rights of the one that it replaces, or the usual rights."""
    try:
        about = target.stat()
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        aside.chmod(0o666 & ~umask)
        return
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(aside, about.st_uid, about.st_gid)
    aside.chmod(stat.S_IMODE(about.st_mode))


class UnwrittenError(ConsilienceError):
    """A file cannot be written: the disk is full, or the folder is closed to this."""


def _unwritten(path: Path, error: OSError) -> UnwrittenError:
    fix = "check the folder, its rights and the space left"
    return UnwrittenError(f"{path}: cannot be written: {error.strerror or error} (fix: {fix})")


def load(name: str) -> dict[str, Any]:
    """Fetch a result by its id, the beginning of its id, ``latest``, or the path of its file.

    Raises
    ------
    UsageError
        Where there is no such result, or more than one.
    """
    path = Path(name)
    if not _is_file(path):
        path = _find(name)
    protect.protect(path)
    try:
        payload = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read as a result: {error}") from None
    if not isinstance(payload, dict) or not {"verb", "id", "version"} <= payload.keys():
        raise UsageError(
            f"{path}: not a result of Consilience (fix: name what a verb such as rank has written "
            "with --json)"
        )
    return payload


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name no file can have
        return False


def _find(name: str) -> Path:
    kept = sorted(folder().glob(f"*{ENDING}"), key=lambda path: path.stat().st_mtime)
    if not kept:
        raise UsageError(
            f"no result {quote(name)}: none has been kept yet (fix: run a verb that computes "
            "something first, such as rank, tree or displacement, without --no-save)"
        )
    if name == "latest":
        return kept[-1]
    matches = [path for path in kept if path.stem.startswith(name)]
    if not matches:
        raise unknown("result", name, [path.stem for path in kept[-10:]])
    if len(matches) > 1:
        found = ", ".join(path.stem for path in matches[:10])
        raise UsageError(f"several results begin with {quote(name)}: {found} (fix: write more)")
    return matches[0]
