"""Files of word vectors: word2vec (text or binary) and GloVe, also compressed with gzip.

Text has a word and its numbers on every line; word2vec's begins with a line that says how many
words and numbers there are, GloVe's does not. Binary has the same first line, then each word, a
space and its numbers as 32-bit floats, the lowest byte first.
"""

from __future__ import annotations

import gzip
import re
import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

import numpy as np

from consilience.errors import Problem, Problems, UsageError, bad, quote

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: No word is longer, and no line.
LONGEST_WORD, LONGEST_LINE = 10_000, 1 << 20
_GZIP = b"\x1f\x8b"
_PARTS = re.compile(r"[^\W_]+")
_AGAIN = "the file is cut off or damaged: get it again"


def read_vectors(
    path: str | PathLike[str], *, only: Iterable[str] | None = None
) -> dict[str, NDArray[np.float32]]:
    r"""Read word vectors from a word2vec file (text or binary) or a GloVe file.

    Parameters
    ----------
    path
        The file; compressed with gzip or not.
    only
        Items that will be compared: just what these need is kept, which saves memory.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "tiny.txt"
    >>> _ = file.write_text("coffee 0.6 0.8\ntea 0.8 0.6\nchair -1 0\n")
    >>> list(read_vectors(file)), list(read_vectors(file, only=["black tea"]))
    (['coffee', 'tea', 'chair'], ['tea'])
    """
    if isinstance(only, str):
        raise UsageError(f"only={quote(only)} is one text (fix: give a list of items)")
    wanted = None if only is None else {name for item in only for name in names_of(item)}
    with _opened(Path(path)) as file:
        first = file.readline(LONGEST_LINE)
        size = _header(first)
        if size is None:
            file.seek(0)
            return _read_text(file, str(path), wanted, None)
        if _numbers(file.readline(LONGEST_LINE).partition(b" ")[2], size[1]) is not None:
            file.seek(len(first))
            return _read_text(file, str(path), wanted, size)
        file.seek(len(first))
        return _read_binary(file, str(path), wanted, size)


def names_of(item: str) -> Iterator[str]:
    """Give the names under which a file may have an item, or one of its words."""
    yield from _whole(item)
    for word in item.split():
        yield from _spellings(word)
        for part in _PARTS.findall(word):
            yield from _spellings(part)


def vector_of(item: str, known: Mapping[Any, ArrayLike]) -> NDArray[np.float64] | None:
    """Find an item's vector: its own, or the mean of those of its words; None without any.

    A word is looked for as it is, then in lower case, then by its parts (``well-known`` by *well*
    and *known*). Words that are not known are left out of the mean.
    """
    own = _first(_whole(item), known)
    if own is not None:
        return own
    found: list[NDArray[np.float64]] = []
    for word in item.split():
        vector = _first(_spellings(word), known)
        parts = _PARTS.findall(word) if vector is None else ()
        each = [vector, *(_first(_spellings(part), known) for part in parts)]
        found += [one for one in each if one is not None]
    if len({len(one) for one in found}) > 1:
        raise UsageError(
            f"the words of {quote(item)} have vectors of different lengths (fix: all vectors must "
            "come from the same model)"
        )
    return np.mean(found, axis=0) if found else None


def numbers_of(name: Any, vector: ArrayLike) -> NDArray[np.float64]:
    """See that a vector is a list of numbers."""
    try:
        found = np.asarray(vector, np.float64)
    except (TypeError, ValueError):
        found = np.zeros(())
    if found.ndim != 1 or not len(found) or not np.isfinite(found).all():
        raise UsageError(
            f"the vector of {quote(name)} is no list of finite numbers (fix: give as many numbers "
            "to every item)"
        )
    return found


def _whole(item: str) -> Iterator[str]:
    for text in _spellings(item):
        yield text
        if " " in text:
            yield text.replace(" ", "_")  # as word2vec writes phrases


def _spellings(word: str) -> tuple[str, ...]:
    return (word,) if word == word.lower() else (word, word.lower())


def _first(names: Iterable[str], known: Mapping[Any, ArrayLike]) -> NDArray[np.float64] | None:
    name = next((name for name in names if name in known), None)
    return None if name is None else numbers_of(name, known[name])


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    try:
        with path.open("rb") as file:
            if file.read(2) != _GZIP:
                file.seek(0)
                yield file
                return
        with gzip.open(path) as unpacked:
            yield cast("IO[bytes]", unpacked)
    except OSError as error:  # also what gzip says of damaged files
        said = error.strerror or str(error)
        raise bad(str(path), None, f"cannot be read: {said}", "name a file of vectors") from None
    except (EOFError, zlib.error):
        raise bad(str(path), None, "cannot be unpacked to its end", _AGAIN) from None


def _header(line: bytes) -> tuple[int, int] | None:
    """Read how many words and how many numbers each, from the first line of word2vec files."""
    parts = line.split()
    if len(parts) != 2 or not all(part.isdigit() for part in parts):
        return None
    return int(parts[0]), int(parts[1])


def _numbers(text: bytes, size: int | None) -> NDArray[np.float32] | None:
    """Read numbers; None where they are not numbers, or not so many."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # what comes after the numbers
        try:
            found = np.fromstring(text.decode("latin-1"), np.float32, sep=" ")
        except (DeprecationWarning, ValueError):
            return None
    return found if len(found) and (size is None or len(found) == size) else None


def _read_text(
    file: IO[bytes], path: str, wanted: set[str] | None, said: tuple[int, int] | None
) -> dict[str, NDArray[np.float32]]:
    size = said[1] if said else None
    known: dict[str, NDArray[np.float32]] = {}
    problems, count = Problems(), 0
    for place, line in enumerate(file, 2 if said else 1):
        if not line.strip():
            continue
        count += 1
        name, _, rest = line.partition(b" ")
        vector = None
        if wanted is None or size is None or _text(name) in wanted:
            vector = _numbers(rest, size)
            if vector is None and size is not None:
                name, vector = _with_spaces(line, size)
            if vector is None or not np.isfinite(vector).all():
                problems.add(_wrong(path, place, name, rest, size))
                if size is None:
                    break
                continue
            size = len(vector)
        if vector is not None and (wanted is None or _text(name) in wanted):
            known.setdefault(_text(name), vector)
    problems.raise_any()
    if not count:
        raise bad(path, None, "has no vectors", "give a file with a word and numbers on each line")
    if said and count != said[0]:
        found = f"has {count:,} words, and its first line says {said[0]:,}"
        raise bad(path, None, found, _AGAIN)
    return known


def _with_spaces(line: bytes, size: int) -> tuple[bytes, NDArray[np.float32] | None]:
    """Read a line whose word has spaces in it: its last numbers count."""
    parts = line.rsplit(None, size)
    if len(parts) != size + 1:
        return parts[0], None
    return parts[0], _numbers(b" ".join(parts[1:]), size)


def _wrong(path: str, place: int, name: bytes, rest: bytes, size: int | None) -> Problem:
    found = len(rest.split())
    if size is None:
        what = f"no vectors: found {quote(_text(name + b' ' + rest).strip())}"
        return Problem(path, place, what, "every line is a word and its numbers")
    if found != size:
        what = f"{quote(_text(name))} has {found} numbers, expected {size}"
        return Problem(path, place, what, "give every word as many numbers as the first one")
    return Problem(path, place, f"{quote(_text(name))} has something other than numbers", _AGAIN)


def _read_binary(
    file: IO[bytes], path: str, wanted: set[str] | None, said: tuple[int, int]
) -> dict[str, NDArray[np.float32]]:
    count, size = said
    known: dict[str, NDArray[np.float32]] = {}
    for place in range(count):
        name = _word(file)
        held = file.read(4 * size)
        if name is None or len(held) < 4 * size:
            found = f"ends within word {place + 1:,} of {count:,}"
            raise bad(path, None, found, _AGAIN)
        word = _text(name)
        if wanted is None or word in wanted:
            vector = np.frombuffer(held, "<f4").astype(np.float32)
            if not np.isfinite(vector).all():
                found = f"word {place + 1:,} has numbers that are not finite"
                raise bad(path, None, found, _AGAIN)
            known.setdefault(word, vector)
    return known


def _word(file: IO[bytes]) -> bytes | None:
    """Read up to the next space; None where there is none."""
    letters = bytearray()
    while len(letters) <= LONGEST_WORD:
        letter = file.read(1)
        if letter == b" ":
            return bytes(letters).lstrip(b"\n")
        if not letter:
            return None
        letters += letter
    return None


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")
