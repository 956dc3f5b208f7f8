"""Files as people have them: folders, globs, .gz, any encoding, and clear words when unreadable."""

from __future__ import annotations

import codecs
import glob
import gzip
import io
import os
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from consilience.errors import InputError, Problem, UsageError, bad, quote

#: How much of a file is looked at to recognise it.
HEAD = 1 << 16
_GZIP = b"\x1f\x8b"
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_KNOWN_BINARY = (
    (b"PK\x03\x04", "a zip archive (or an office document)"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
)
_ENDINGS = (
    *("run", "trec", "res", "results", "out", "qrels", "qrel", "txt", "lst"),
    *("csv", "tsv", "tab", "jsonl", "ndjson", "json", "parquet"),
)


@dataclass(frozen=True, slots=True)
class File:
    """A file that exists, can be opened, and whose beginning has been looked at."""

    path: Path
    name: str
    head: bytes
    gzipped: bool
    encoding: str

    @property
    def plain(self) -> bool:
        """Whether the bytes on disk are UTF-8 text as they stand."""
        return not self.gzipped and self.encoding in ("utf-8", "utf-8-sig")

    def open(self) -> BinaryIO:
        """Open the file's bytes, unpacked where it is packed."""
        return gzip.open(self.path) if self.gzipped else self.path.open("rb")  # type: ignore[return-value]

    def read(self) -> bytes:
        """Read everything as UTF-8 bytes without a byte order mark; say where that fails."""
        try:
            with self.open() as stream:
                data = stream.read()
        except (OSError, EOFError, zlib.error) as error:
            raise bad(
                self.name, None, f"cannot be read to its end: {error}", "copy or pack it again"
            ) from None
        if self.encoding not in ("utf-8", "utf-8-sig"):
            return self._decode(data).encode()
        return data.removeprefix(codecs.BOM_UTF8)

    def _decode(self, data: bytes) -> str:
        try:
            return data.decode(self.encoding)
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise bad(
                self.name,
                line,
                f"not valid {self.encoding}: byte 0x{data[error.start]:02x}",
                "name the right one with --encoding",
            ) from None

    def lines(self) -> Iterator[tuple[int, str]]:
        """Give the lines with their numbers, decoded; say which line cannot be decoded."""
        problems: list[Problem] = []
        count = 0
        for number, raw in enumerate(io.BytesIO(self.read()), start=1):
            try:
                line = raw.decode()
            except UnicodeDecodeError as error:
                count += 1
                byte = raw[error.start]
                problems.append(
                    Problem(
                        self.name,
                        number,
                        f"not valid UTF-8: byte 0x{byte:02x} at column {error.start + 1}",
                        "save it as UTF-8, or name its encoding, such as --encoding latin-1",
                    )
                )
                continue
            yield number, line.rstrip("\r\n")
        if problems:
            raise InputError(problems, count)


def expand(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Turn files, folders and globs into a list of files, each once, in a fixed order.

    A folder stands for the files in it (hidden ones and folders inside it aside). A pattern or
    folder that holds no file is an error: nothing is silently empty.
    """
    found: dict[Path, None] = {}
    for given in paths:
        path = Path(given)
        if path.is_dir():
            inside = sorted(
                child
                for child in path.iterdir()
                if child.is_file() and not child.name.startswith(".")
            )
            if not inside:
                raise UsageError(f"{path}: the folder holds no files (fix: name the files, or a glob)")
            found.update(dict.fromkeys(inside))
        elif path.exists():
            found[path] = None
        elif glob.has_magic(str(given)):
            matches = sorted(Path(m) for m in glob.glob(str(given), recursive=True))
            matches = [match for match in matches if match.is_file()]
            if not matches:
                raise UsageError(f"{given}: no file matches this pattern (fix: check the folder)")
            found.update(dict.fromkeys(matches))
        else:
            raise _missing(path)
    return list(found)


def look(path: Path, *, encoding: str | None = None) -> File:
    """Open a file far enough to know how to read it.

    Raises
    ------
    InputError
        If the file is empty, cannot be opened, or is not text (Parquet aside).
    """
    name = str(path)
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD)
        gzipped = head.startswith(_GZIP)
        if gzipped:
            with gzip.open(path) as packed:
                head = packed.read(HEAD)
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise bad(name, None, f"cannot be read: {reason}", "check the file and its rights") from None
    if not head.strip():
        raise bad(name, None, "the file is empty", "leave it out, or write it again")
    return File(path, name, head, gzipped, _encoding(name, head, encoding))


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
    if head.startswith(b"PAR1"):
        return "parquet"
    if given is not None:
        try:
            return codecs.lookup(given).name
        except LookupError:
            raise UsageError(
                f"unknown encoding {quote(given)} (fix: use a name such as utf-8 or latin-1)"
            ) from None
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            return encoding
    for magic, what in _KNOWN_BINARY:
        if head.startswith(magic):
            raise bad(name, None, f"this is {what}, not a table or a list", "give text or Parquet")
    if b"\0" in head:
        line = head.count(b"\n", 0, head.index(b"\0")) + 1
        raise bad(name, line, "holds a NUL byte: a binary file, or a broken one", "give text or Parquet")
    return "utf-8"


def _missing(path: Path) -> UsageError:
    import difflib

    parent = path.parent
    siblings = [child.name for child in parent.iterdir()] if parent.is_dir() else []
    near = difflib.get_close_matches(path.name, siblings, n=1)
    hint = f"did you mean {parent / near[0]}?" if near else "check the name and the folder"
    return UsageError(f"{path}: there is no such file ({hint})")
