"""Text cut into pieces of whole lines, each with its place in the file."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consilience.errors import bad

if TYPE_CHECKING:
    from consilience.formats.files import File

_BLANK = re.compile(rb"(?:\xef\xbb\xbf)?\s*")


@dataclass(frozen=True, slots=True)
class Piece:
    """Some whole lines of a file: where they begin, how many bytes, and the first one's number."""

    offset: int
    length: int
    line: int


def pieces(file: File, size: int, *, quoted: bool = False) -> Iterator[tuple[Piece, bytes]]:
    """Cut a file's text into pieces of about ``size`` bytes.

    Parameters
    ----------
    file
        The file; its text is unpacked where it is packed.
    size
        Bytes of a piece; one with a longer line is longer.
    quoted
        Whether line ends between quotes do not end a row.

    Raises
    ------
    InputError
        If the file cannot be read to its end.
    """
    end = line_end(file)
    offset, line, rest = 0, 1, b""
    try:
        with file.open() as stream:
            while True:
                more = stream.read(size)
                data = rest + more
                cut = len(data) if not more else _cut(data, end, quoted)
                if cut:
                    yield Piece(offset, cut, line), data[:cut]
                    line += data.count(end, 0, cut)
                offset, rest = offset + cut, data[cut:]
                if not more:
                    return
    except (OSError, EOFError, zlib.error) as error:
        reason = str(getattr(error, "strerror", None) or error)
        raise bad(file.name, None, f"cannot be read: {reason}", "copy it again") from None


def again(file: File, piece: Piece) -> bytes:
    """Read a piece once more."""
    with file.open() as stream:
        stream.seek(piece.offset)
        return stream.read(piece.length)


def line_end(file: File) -> bytes:
    """Tell what ends the lines of a file.

    Raises
    ------
    InputError
        If line ends cannot be told from other bytes, as in UTF-16.
    """
    encoding = "utf-8" if file.encoding == "utf-8-sig" else file.encoding
    if "\n".encode(encoding) != b"\n":
        found = f"a file of {file.size:,} bytes is read in blocks, and {encoding} cannot be cut"
        raise bad(file.name, None, found, "save it as UTF-8")
    return b"\n" if b"\n" in file.head or b"\r" not in file.head else b"\r"


def _cut(data: bytes, end: bytes, quoted: bool) -> int:
    r"""Find where the last whole line ends, 0 where there is none.

    A line end between quotes is passed over, unless there is no other: then a quote is a letter.

    Examples
    --------
    >>> _cut(b'a,b\n"c\nd', b"\n", True), _cut(b'a,b\n"c\nd', b"\n", False), _cut(b"a", b"\n", True)
    (4, 7, 0)
    """
    last = data.rfind(end) + 1
    if not quoted:
        return last
    place, odd = last, data.count(b'"', 0, last) % 2
    while place and odd:
        before = data.rfind(end, 0, place - 1) + 1
        odd = (odd + data.count(b'"', before, place)) % 2
        place = before
    return place or last


def header_of(data: bytes, end: bytes) -> bytes:
    r"""Give a table's header line, and the blank lines before it.

    Examples
    --------
    >>> header_of(b'\nitem,"two\nlines"\na,b\n', b"\n")
    b'\nitem,"two\nlines"\n'
    """
    begin = _BLANK.match(data)
    place = begin.end() if begin else 0
    while (place := data.find(end, place) + 1) and data.count(b'"', 0, place) % 2:
        continue
    return data[:place] if place else data
