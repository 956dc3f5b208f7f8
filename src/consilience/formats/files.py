"""Files as people have them: folders, globs, .gz, any encoding, and clear words when unreadable."""

from __future__ import annotations

import codecs
import difflib
import glob
import gzip
import io
import os
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from consilience.errors import EmptyError, InputError, Problem, Problems, UsageError, bad, quote
from consilience.formats import pipes
from consilience.formats.beside import inside

#: How much of a file is looked at to recognise it, and how much at most to see two whole lines.
HEAD = 1 << 16
_LONGEST_HEAD = 1 << 24
_GZIP = b"\x1f\x8b"
#: How much is unpacked at once; beyond the second, what grows more than so many times is no table.
_PIECE = 1 << 20
_LARGE, _GROWN = 1 << 28, 250
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_KNOWN_BINARY = (
    (b"%PDF-", "a PDF"),
    (b"\x89PNG\r\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"BZh91AY&SY", "a bzip2 archive"),
    (b"\xfd7zXZ\0", "an xz archive"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"ARROW1\0", "an Arrow file"),
    (b"MThd", "a MIDI file"),
    (b"\x80\x04\x95", "a Python pickle"),
    (b"\x80\x05\x95", "a Python pickle"),
    (b"\x04\x22\x4d\x18", "an LZ4 archive (such as ranx writes)"),
)
#: What a zip archive is, by a mark in the name of a member.
_ZIPPED = (
    (b".npy", "a NumPy archive (npz)"),
    (b"xl/", "an Excel file (xlsx)"),
    (b"word/", "a Word document (docx)"),
    (b"content.xml", "an OpenDocument file"),
    (b"_journal/", "a log of Inspect (.eval)"),
)
_ZIP, _NAME = b"PK\x03\x04", 30
#: Where a tar archive says that it is one.
_TAR = slice(257, 262)
#: Bytes that text hardly holds: control characters but white space and escape.
_CONTROL = bytes(byte for byte in (*range(32), 127) if byte not in b"\t\n\v\f\r\x1b")
_UTF8 = ("utf-8", "utf-8-sig")
_ENDINGS = (
    *("run", "trec", "res", "results", "out", "qrels", "qrel", "txt", "lst"),
    *("csv", "tsv", "tab", "jsonl", "ndjson", "json", "parquet", "parq", "gpx", "geojson"),
)
#: What is said of what is no text.
_BINARY, _TEXT = "this is a binary file, not text", "give text or Parquet"
#: What a line with a NUL byte is called by every reader.
NUL = ("holds a NUL byte", "remove it, or write the file again")


@dataclass(frozen=True, slots=True)
class File:
    """A file that exists, can be opened, and whose beginning has been looked at.

    ``name`` is what messages call it: its path, or what its owner calls it, where it lies
    elsewhere. ``held`` holds the bytes of a piece that was cut from a file. What can be read only
    once lies in a file (:mod:`consilience.formats.pipes`).
    """

    path: Path
    name: str
    head: bytes
    gzipped: bool
    encoding: str
    held: bytes | None = None

    @property
    def plain(self) -> bool:
        """Whether the bytes are UTF-8 text as they stand."""
        return not self.gzipped and self.encoding in _UTF8

    @property
    def size(self) -> int:
        """How many bytes there are, packed where it is packed."""
        return self.path.stat().st_size if self.held is None else len(self.held)

    @property
    def called(self) -> str:
        """The last part of its name: respondents may be called after it."""
        return Path(self.name).name

    @property
    def folder(self) -> str:
        """The name of the folder that it lies in, as its owner sees it."""
        own = self.name == str(self.path)
        return (self.path.resolve() if own else Path(self.name)).parent.name

    @property
    def ending(self) -> str:
        """The file name's ending in lower case, that of a packed file without ``.gz``."""
        name = self.called.lower().removesuffix(".gz")
        return name.rpartition(".")[2] if "." in name else ""

    def open(self) -> BinaryIO:
        """Open the file's bytes, unpacked where it is packed."""
        if self.held is not None:
            return io.BytesIO(self.held)
        return _unpacked(self.path) if self.gzipped else self.path.open("rb")

    def raw(self) -> bytes:
        """Read everything as it stands, unpacked where it is packed."""
        try:
            with self.open() as stream:
                return stream.read()
        except (OSError, EOFError, zlib.error) as error:
            raise _unreadable(self.name, error) from None

    def read(self, problems: Problems | None = None) -> bytes:
        """Read everything as UTF-8 bytes without a byte order mark.

        Lines that cannot be decoded from another encoding are noted in ``problems`` and read as
        far as possible; without it they are raised.
        """
        data = self.raw()
        if self.encoding in _UTF8:
            return data.removeprefix(codecs.BOM_UTF8)
        try:
            return data.decode(self.encoding).encode()
        except UnicodeError:
            return self._patched(data, problems)

    def _patched(self, data: bytes, problems: Problems | None) -> bytes:
        found = f"not valid {self.encoding}"
        fix = "name the right encoding with --encoding"
        try:
            text = data.decode(self.encoding, errors="replace").encode(errors="replace").decode()
        except UnicodeError:
            raise bad(self.name, None, found, fix) from None
        mine = Problems() if problems is None else problems
        broken = [n for n, line in enumerate(_lines(text), start=1) if "\ufffd" in line] or [1]
        mine.many(broken, lambda line: Problem(self.name, line, found, fix))
        if problems is None:
            mine.raise_any()
        return text.encode()

    def text(self, problems: Problems) -> str:
        """Read everything as text; bytes that cannot be decoded are noted and replaced."""
        data = self.read(problems)
        try:
            return data.decode()
        except UnicodeDecodeError:
            lines = data.splitlines(keepends=True)
            return "".join(self._line(n, raw, problems) for n, raw in enumerate(lines, start=1))

    def _line(self, number: int, raw: bytes, problems: Problems) -> str:
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            found = f"not valid UTF-8: byte 0x{raw[error.start]:02x} at column {error.start + 1}"
            fix = "save it as UTF-8, or name its encoding, such as --encoding latin-1"
            problems.add(Problem(self.name, number, found, fix))
            return raw.decode(errors="replace")

    def lines(self, problems: Problems | None = None) -> Iterator[tuple[int, str]]:
        """Give the lines with their numbers, decoded, whatever ends them.

        A line that cannot be decoded is noted in ``problems`` and left out; without ``problems``
        all such lines are raised at the end.
        """
        mine = Problems() if problems is None else problems
        for number, raw in enumerate(self.read(mine).splitlines(), start=1):
            before = mine.total
            line = self._line(number, raw, mine)
            if mine.total == before:
                yield number, line
        if problems is None:
            mine.raise_any()


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def expand(
    paths: Iterable[str | os.PathLike[str]], problems: Problems
) -> tuple[list[Path], list[Path]]:
    """Turn files, folders and globs into a list of files, each once, in a fixed order.

    A folder stands for the files in it (hidden ones, a README and its like, and folders inside it
    aside). What is missing, and a pattern or folder that holds no file, is noted as a problem:
    nothing is silently empty.

    Returns
    -------
    tuple
        The files, and those that were named more than once.
    """
    found: dict[Path, Path] = {}
    again: dict[Path, None] = {}
    given = list(paths)
    try:
        given = once(given)
    except InputError as error:
        problems.merge(error)
        given = [one for one in given if not pipes.is_stream(one)]
    for one in given:
        named = _files(one)
        if isinstance(named, Problem):
            problems.add(named)
            continue
        for path in named:
            if found.setdefault(path.resolve(), path) is not path:
                again[found[path.resolve()]] = None
    return list(found.values()), list(again)


def once(paths: Iterable[str | os.PathLike[str]]) -> list[str | os.PathLike[str]]:
    """Return names of files, in which files that can be read again stand for pipes and FIFOs.

    Raises
    ------
    InputError
        If something is a device, no text, or cannot be read.
    """
    given = list(paths)
    streams = [os.fspath(one) for one in given if pipes.is_stream(one)]
    kept = pipes.keep(pipes.named(streams), check_stream) if streams else {}
    return [kept.get(os.fspath(one), one) for one in given]


def check_stream(name: str, head: bytes) -> None:
    """Refuse what begins like no text in any encoding, before the rest of it is read."""
    if head.startswith((_GZIP, b"PAR1")):
        return
    _check_known(name, head)
    letters = head.replace(b"\0", b"")
    if head and (not letters or _controls(letters) > len(letters) // 20 + 8):
        raise bad(name, None, _BINARY, _TEXT)


def _files(given: str | os.PathLike[str]) -> list[Path] | Problem:
    name = str(os.fspath(given))
    if not name.strip() or "\0" in name:
        return Problem(quote(name), None, "this is not the name of a file", "name a file")
    path = Path(name)
    try:
        if path.is_dir():
            dangling = next(filter(_points_to_nothing, sorted(path.iterdir())), None)
            if dangling is not None:
                return _dangling(dangling)
            return inside(path) or Problem(
                name, None, "the folder holds no files", "name the files"
            )
        if path.exists():
            return [path]
    except OSError as error:
        return Problem(name, None, f"cannot be read: {error.strerror}", "check the rights")
    if _points_to_nothing(path):
        return _dangling(path)
    if not glob.has_magic(name):
        return _missing(path)
    matches = sorted(Path(match) for match in glob.glob(name, recursive=True))
    dangling = next(filter(_points_to_nothing, matches), None)
    if dangling is not None:
        return _dangling(dangling)
    files = [match for match in matches if match.is_file()]
    return files or Problem(name, None, "no file matches this pattern", "check the folder")


def _points_to_nothing(path: Path) -> bool:
    return path.is_symlink() and not path.exists()


def _dangling(path: Path) -> Problem:
    found = f"the link points to nothing: {quote(os.readlink(path))}"
    return Problem(str(path), None, found, "fetch what it points to, or remove the link")


def _missing(path: Path) -> Problem:
    parent = path.parent
    try:
        siblings = [child.name for child in parent.iterdir()] if parent.is_dir() else []
    except OSError:
        siblings = []
    near = difflib.get_close_matches(path.name, siblings, n=1, cutoff=0.75)
    fix = f"did you mean {parent / near[0]}?" if near else "check the name and the folder"
    return Problem(str(path), None, "there is no such file", fix)


def look(path: Path, *, encoding: str | None = None, name: str | None = None) -> File:
    """Open a file far enough to know how to read it; messages call it by its path, or ``name``.

    Raises
    ------
    InputError
        If the file is empty, cannot be opened, or is not text (Parquet aside).
    """
    if pipes.is_stream(path):
        path = pipes.keep(pipes.named([str(path)]), check_stream)[str(path)]
    name = pipes.shown(str(path)) if name is None else name
    try:
        with path.open("rb") as stream:
            gzipped = stream.read(2) == _GZIP
        with _unpacked(path) if gzipped else path.open("rb") as bytes_:
            head = _head(bytes_)
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(name, error) from None
    file = File(path, name, head, gzipped, _encoding(name, head, encoding))
    if file.encoding != "parquet" and not _words(file):
        wrong = Problem(name, None, "the file is empty", "leave it out, or write it again")
        raise EmptyError(wrong, "list")
    return file


def _unpacked(path: Path) -> BinaryIO:
    return io.BufferedReader(_Unpacked(path), _PIECE)


class _Unpacked(io.RawIOBase):
    """The unpacked bytes of a file; one that grows beyond all measure is not unpacked further."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._most = max(_LARGE, _GROWN * path.stat().st_size)
        self._stream = gzip.GzipFile(path)

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Unpack some more."""
        size = self._stream.readinto(buffer)
        if self._stream.tell() > self._most:
            grown = f"it unpacks into more than {_GROWN} times its size"
            raise gzip.BadGzipFile(f"{grown}, and that is more than {self._most >> 20:,} MB")
        return size

    def seekable(self) -> bool:
        """It is, though slowly."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place among the unpacked bytes."""
        return self._stream.seek(offset, whence)

    def readall(self) -> bytes:
        """Unpack the rest, in pieces that are not small."""
        pieces = []
        while piece := self.read(_PIECE):
            pieces.append(piece)
        return b"".join(pieces)

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            self._stream.close()
        super().close()


def _head(stream: BinaryIO) -> bytes:
    """Read the beginning: at least two whole lines with something on them, where there are."""
    head = stream.read(HEAD)
    while len(head.split(None, 1)) < 2 or len(head.strip().splitlines()) < 3:
        more = stream.read(len(head)) if len(head) < _LONGEST_HEAD else b""
        if not more:
            break
        head += more
    return head


def _words(file: File) -> bool:
    """Tell whether there is anything but white space at the beginning."""
    encoding = "utf-8" if file.encoding in _UTF8 else file.encoding
    return bool(file.head.decode(encoding, errors="replace").removeprefix("\ufeff").strip())


def _unreadable(name: str, error: Exception) -> Exception:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    packed = not isinstance(error, OSError) or isinstance(error, gzip.BadGzipFile)
    fix = "copy it or pack it again" if packed else "check the file and its rights"
    fix = "if that is meant, unpack it first" if "unpacks into" in reason else fix
    return bad(name, None, f"cannot be read: {reason}", fix)


def stem_of(name: str) -> str:
    """Name a respondent after its file: the usual endings are taken off.

    Examples
    --------
    >>> stem_of("bm25.run.gz"), stem_of("bm25.k1=0.9.trec"), stem_of("notes"), stem_of(".csv")
    ('bm25', 'bm25.k1=0.9', 'notes', '.csv')
    """
    for endings in (("gz",), _ENDINGS):
        stem, dot, ending = name.rpartition(".")
        if stem and dot and ending.lower() in endings:
            name = stem
    return name


def _encoding(name: str, head: bytes, given: str | None) -> str:
    """Tell how the bytes are to be read: a byte order mark first, then what the user says."""
    if head.startswith(b"PAR1"):
        return "parquet"
    _check_known(name, head)
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            return encoding
    if given is not None:
        return _named(given)
    _check_text(name, head)
    return "utf-8"


def _zipped(head: bytes) -> str:
    """Return what a zip archive is, told from the names of its first members."""
    names = []
    for piece in head.split(_ZIP)[1:]:
        size = int.from_bytes(piece[_NAME - 8 : _NAME - 6], "little")
        names.append(piece[_NAME - 4 :][:size])
    found = (what for mark, what in _ZIPPED if any(mark in name for name in names))
    return next(found, "a zip archive")


def _check_known(name: str, head: bytes) -> None:
    if head.startswith(_ZIP):
        raise bad(name, None, f"this is {_zipped(head)}, not a table or a list", _TEXT)
    if head[_TAR] == b"ustar":
        raise bad(name, None, "this is a tar archive, not a table or a list", _TEXT)
    for magic, what in _KNOWN_BINARY:
        if head.startswith(magic):
            raise bad(name, None, f"this is {what}, not a table or a list", _TEXT)


def _controls(letters: bytes) -> int:
    return len(letters) - len(letters.translate(None, _CONTROL))


def _named(encoding: object) -> str:
    if not isinstance(encoding, str):
        raise UsageError(f"{quote(encoding)} is no encoding (fix: a name such as 'latin-1')")
    try:
        b"text".decode(encoding, errors="replace")  # codecs that give bytes are no encodings
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):
        fix = "use a name such as utf-8, latin-1 or utf-16"
        raise UsageError(f"unknown encoding {quote(encoding)} (fix: {fix})") from None


def _check_text(name: str, head: bytes) -> None:
    """Tell text, be it with a stray NUL byte that its reader reports, from what is not text."""
    zeros = [head[start::2].count(0) for start in (0, 1)]
    if max(zeros) > len(head) // 4 and min(zeros) < max(zeros) // 4:
        which = "utf-16-le" if zeros[1] > zeros[0] else "utf-16-be"
        found = "looks like UTF-16 without a byte order mark"
        raise bad(name, None, found, f"name the encoding: --encoding {which}")
    if _controls(head) > len(head) // 20 + 8:
        raise bad(name, None, _BINARY, _TEXT)
