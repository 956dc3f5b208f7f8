"""Files of word vectors, made here: word2vec text and binary, GloVe, gzip, and broken ones."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.errors import InputError, UsageError
from consilience.match.vector_files import read_vectors

WORDS = {
    "coffee": [0.5, -0.25, 2.0],
    "New_York": [1.0, 0.0, 0.125],
    "café": [-1.5, 3.0, 0.0],
    "the": [0.25, 0.5, 0.75],
}


def as_text(words: dict[str, list[float]], *, header: bool) -> bytes:
    lines = [f"{len(words)} {len(next(iter(words.values())))}"] if header else []
    lines += [f"{word} {' '.join(map(repr, numbers))}" for word, numbers in words.items()]
    return ("\n".join(lines) + "\n").encode()


def as_binary(words: dict[str, list[float]], *, ends: bytes = b"\n") -> bytes:
    size = len(next(iter(words.values())))
    held = f"{len(words)} {size}\n".encode()
    for word, numbers in words.items():
        held += word.encode() + b" " + struct.pack(f"<{size}f", *numbers) + ends
    return held


FORMATS = {
    "glove": as_text(WORDS, header=False),
    "word2vec": as_text(WORDS, header=True),
    "fasttext": as_text(WORDS, header=True).replace(b"\n", b" \n").replace(b"4 3 \n", b"4 3\n"),
    "windows": as_text(WORDS, header=True).replace(b"\n", b"\r\n"),
    "binary": as_binary(WORDS),
    "binary without line ends": as_binary(WORDS, ends=b""),
}
PACKED = gzip.compress(FORMATS["glove"], mtime=0)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_gives_the_same_vectors(tmp_path: Path, kind: str, packed: bool):
    file = tmp_path / "vectors"
    file.write_bytes(gzip.compress(FORMATS[kind], mtime=0) if packed else FORMATS[kind])
    found = read_vectors(file)
    assert {word: vector.tolist() for word, vector in found.items()} == WORDS
    assert {vector.dtype for vector in found.values()} == {np.dtype(np.float32)}
    assert list(read_vectors(file, only=["The new york coffee"])) == ["coffee", "the"]
    assert list(read_vectors(file, only=["New York"])) == ["New_York"]
    assert read_vectors(file, only=[]) == {}


@given(st.dictionaries(
    st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=6),
    st.lists(st.floats(-1e6, 1e6, width=32), min_size=4, max_size=4),
    min_size=1, max_size=6,
))  # fmt: skip
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, words):
    file = tmp_path_factory.mktemp("made") / "vectors"
    for held in (as_text(words, header=True), as_text(words, header=False), as_binary(words)):
        file.write_bytes(held)
        found = read_vectors(file)
        assert {word: vector.tolist() for word, vector in found.items()} == words


def test_words_with_spaces_and_repeated_words(tmp_path: Path):
    file = tmp_path / "glove.txt"
    file.write_text("the 1 2\n. . . 3 4\nat name@domain.com 5 6\nthe 7 8\n\n")
    found = {word: vector.tolist() for word, vector in read_vectors(file).items()}
    assert found == {"the": [1, 2], ". . .": [3, 4], "at name@domain.com": [5, 6]}


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (b"the 1 2\ncat 1\n", ":2: 'cat' has 1 numbers, expected 2 .fix: give every word as many"),
        (b"the 1 2\ncat 1 x\n", ":2: 'cat' has something other than numbers .fix: "),
        (b"the 1 2\ncat 1 nan\n", ":2: 'cat' has something other than numbers .fix: "),
        (b"word,x,y\nthe,1,2\n", ":1: no vectors: found 'word,x,y' .fix: every line is a word"),
        (b"", "has no vectors"),
        (b"3 2\nthe 1 2\ncat 3 4\n", "has 2 words, and its first line says 3 .fix: "),
        (as_binary(WORDS)[:-9], "ends within word 4 of 4 .fix: the file is cut off"),
        (b"2 2\n" + b"x" * 20_000, "ends within word 1 of 2"),
        (as_binary({"a": [float("nan")]}), "word 1 has numbers that are not finite"),
        (PACKED[:-12], "cannot be unpacked to its end"),
        (b"\x1f\x8bno gzip", "cannot be unpacked to its end"),
        (PACKED[:10] + b"\xff" * 40, "cannot be unpacked to its end"),
    ],
)  # fmt: skip
def test_broken_files_say_where_and_what_to_do(tmp_path: Path, held: bytes, message: str):
    file = tmp_path / "broken.vec"
    file.write_bytes(held)
    with pytest.raises(InputError, match=message) as raised:
        read_vectors(file)
    assert str(file) in str(raised.value)


def test_all_bad_lines_are_counted(tmp_path: Path):
    file = tmp_path / "broken.txt"
    file.write_text("the 1 2\n" + "cat 1\n" * 30)
    with pytest.raises(InputError, match="30 problems in all"):
        read_vectors(file)


def test_no_file_and_a_text_for_a_list(tmp_path: Path):
    with pytest.raises(InputError, match="cannot be read"):
        read_vectors(tmp_path)
    with pytest.raises(UsageError, match="is one text"):
        read_vectors(tmp_path / "glove.txt", only="coffee")
