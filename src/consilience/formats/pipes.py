"""What can be read only once: standard input, pipes, FIFOs.

It is read once, into a file that every reader opens as often as it likes; messages and results
call it by the name that it was given. Devices never end and are refused.
"""

from __future__ import annotations

import atexit
import os
import queue
import re
import shutil
import stat
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from consilience.errors import InputError, bad

#: How much may come through a pipe; what is more belongs into a file.
LIMIT = 4 * 10**9
#: What standard input is called.
STDIN = "stdin"
#: How much is looked at before more is read, and how much is read at once.
_HEAD, _PIECE = 1 << 16, 1 << 20
_DESCRIPTOR = re.compile(r"/(?:dev|proc/(?:self|thread-self|\d+))/fd/(\d+)")
#: Files that hold what came through pipes → what users call it.
_KEPT: dict[str, str] = {}

#: Looks at the beginning, by name: raises where it can be no input.
Check = Callable[[str, bytes], object]


@dataclass(frozen=True, slots=True)
class Stream:
    """Something that can be read once: where it is, and what it is called."""

    given: str
    name: str

    @property
    def is_stdin(self) -> bool:
        """Whether it is standard input."""
        return is_stdin(self.given)


def is_stdin(name: str) -> bool:
    """Tell whether a name stands for standard input.

    Examples
    --------
    >>> is_stdin("-"), is_stdin("/dev/fd/0"), is_stdin("/dev/fd/63")
    (True, True, False)
    """
    return name in ("-", "/dev/stdin") or descriptor(name) == 0


def descriptor(name: str) -> int | None:
    """Return the number of the open file that a name such as /dev/fd/63 stands for, else None."""
    found = _DESCRIPTOR.fullmatch(name)
    return int(found[1]) if found else None


def is_stream(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path names something that is neither a file nor a folder."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def named(given: Sequence[str]) -> list[Stream]:
    """Name streams: those without a name of their own are numbered.

    Examples
    --------
    >>> [one.name for one in named(["/dev/fd/63", "-", "in/bm25.run", "/dev/fd/62"])]
    ['pipe-1', 'stdin', 'in/bm25.run', 'pipe-2']
    """
    found: list[Stream] = []
    for one in dict.fromkeys(given):
        count = sum(stream.name.startswith("pipe-") for stream in found) + 1
        nameless = f"pipe-{count}" if descriptor(one) is not None else one
        found.append(Stream(one, STDIN if is_stdin(one) else nameless))
    return found


def keep(streams: Sequence[Stream], check: Check) -> dict[str, Path]:
    """Read streams to their ends, all at the same time: what is given → the file that holds it.

    One that is written to only while another is read would otherwise be waited for in vain.

    Raises
    ------
    InputError
        Where one is no input, holds more than :data:`LIMIT`, or cannot be read.
    """
    done: queue.Queue[tuple[str, Path | InputError]] = queue.Queue()
    folder = Path(tempfile.mkdtemp(prefix="consilience-pipes-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        for number, stream in enumerate(streams):
            # two of the same name in different folders stay apart by their folders
            path = folder / str(number) / _last(stream, 2) / _last(stream, 1)
            path.parent.mkdir(parents=True)
            work = (stream, path, check, done)
            threading.Thread(target=_work, args=work, daemon=True).start()
        found: dict[str, Path] = {}
        for _ in streams:
            given, what = done.get()
            if isinstance(what, InputError):
                raise what
            found[given] = what
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    _KEPT.update({str(found[one.given]): one.name for one in streams})
    return found


def _last(stream: Stream, place: int) -> str:
    parts = [part for part in Path(stream.name).parts if part not in ("/", "..")]
    return parts[-place] if len(parts) >= place else "-"


def _work(
    stream: Stream, path: Path, check: Check, done: queue.Queue[tuple[str, Path | InputError]]
) -> None:
    found: Path | InputError = bad(stream.name, None, "cannot be read", "write it into a file")
    try:
        _read(stream, path, check)
        found = path
    except InputError as error:
        found = error
    except OSError as error:
        found = _unreadable(stream.name, error)
    finally:  # whoever waits for it hears it
        done.put((stream.given, found))


def _read(stream: Stream, path: Path, check: Check) -> None:
    """Write what comes into a file."""
    source = _opened(stream)
    most = min(LIMIT, shutil.disk_usage(path.parent).free // 2)
    try:
        head = b""
        while len(head) < _HEAD and (piece := os.read(source, _PIECE)):
            head += piece
        check(stream.name, head)
        size = len(head)
        with path.open("wb") as target:
            _written(target.write, stream.name, head)
            while piece := os.read(source, _PIECE):
                size += len(piece)
                if size > most:
                    found = f"more than {most / 1e9:.3g} GB came through this pipe"
                    raise bad(stream.name, None, found, "write it into a file, and name that")
                _written(target.write, stream.name, piece)
    finally:
        os.close(source)


def _written(write: Callable[[bytes], int], name: str, piece: bytes) -> None:
    try:
        write(piece)
    except OSError as error:
        found = f"cannot be kept in {tempfile.gettempdir()}: {error.strerror}"
        raise bad(name, None, found, "TMPDIR names another folder") from None


def _opened(stream: Stream) -> int:
    """Open a stream; a device is refused, but for the one that is empty."""
    if stream.is_stdin:
        source = os.dup(0)
        if os.isatty(source):
            os.close(source)
            found, fix = "standard input is the terminal", "send something into it, or name a file"
            raise bad(stream.name, None, found, fix)
    else:
        check_device(stream.given, stream.name)
        source = os.open(stream.given, os.O_RDONLY)
    return source


def check_device(path: str | os.PathLike[str], name: str) -> None:
    """Refuse a device: it is no file, and may never end; that of nothing is an empty file."""
    about = os.stat(path)
    nothing = os.path.exists(os.devnull) and os.path.samestat(about, os.stat(os.devnull))
    if (stat.S_ISCHR(about.st_mode) and not nothing) or stat.S_ISBLK(about.st_mode):
        raise bad(name, None, "this is a device, not a file", "name a file, or a pipe")


def _unreadable(name: str, error: OSError) -> InputError:
    return bad(name, None, f"cannot be read: {error.strerror or error}", "check what sends it")


def forget(paths: Mapping[str, Path]) -> None:
    """Remove files that were kept; what they were called is still known to messages."""
    for path in paths.values():
        path.unlink(missing_ok=True)


def shown(name: str) -> str:
    """Return what users call a file: of one that holds what came through a pipe, the pipe."""
    return _KEPT.get(name, name)


def renamed(text: str) -> str:
    """Return a message in which every file that holds a pipe is called as users call it."""
    for path, name in _KEPT.items():
        text = text.replace(path, name)
    return text
