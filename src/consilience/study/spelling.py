"""How names are spelt: hashed and compared eight bytes at a time, thousands of names together.

The names of a block are laid end to end, and any eight neighbouring bytes can be fetched as one
64-bit word; so whole-array arithmetic does what a loop over letters would. A name's last eight
bytes and its length nearly always tell it from the others of its query, and cost a single fetch
(:meth:`Spelling.endings`). Where they do not, the whole name is hashed (:meth:`Spelling.hashes`).
Either way what seems equal is compared to the last letter (:meth:`Spelling.same`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.columns import letters

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

_WORD = 8
_BITS = np.uint64(8)
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class Spelling:
    """Names laid end to end; ``words[end]`` is the word of the eight bytes before ``end``.

    Name ``i`` fills the bytes ``start[i]`` to ``start[i] + length[i] - 1``.

    Examples
    --------
    >>> from consilience.columns import Text
    >>> spelt = Spelling.of(Text.of(["doc7", "a name of some length", "doc7"]).chunks)
    >>> hashes = spelt.hashes(seed=0)
    >>> bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
    (True, False)
    >>> spelt.same(np.array([0]), np.array([2])), spelt.same(np.array([0]), np.array([1]))
    (True, False)
    """

    words: NDArray[np.uint64]
    start: NDArray[np.int64]
    length: NDArray[np.int32]

    @staticmethod
    def of(arrays: Sequence[pa.Array]) -> Spelling:
        """Lay the names of Arrow arrays of strings end to end."""
        stored = [letters(array) for array in arrays]
        size = sum(int(begin[-1]) - int(begin[0]) for begin, _ in stored)
        data = np.zeros(size + 2 * _WORD, np.uint8)  # slack before and behind: any eight bytes
        start = np.empty(sum(map(len, arrays)), np.int64)
        length = np.empty(len(start), np.int32)
        row = byte = 0
        for begin, text in stored:
            text = text[begin[0] : begin[-1]]
            here = slice(row, row + len(begin) - 1)
            data[_WORD + byte : _WORD + byte + len(text)] = text
            start[here] = begin[:-1]
            start[here] += byte - int(begin[0])
            np.subtract(begin[1:], begin[:-1], out=length[here])
            row, byte = here.stop, byte + len(text)
        return Spelling(np.ndarray(size + _WORD + 1, "<u8", data, strides=(1,)), start, length)

    def endings(self) -> NDArray[np.uint64]:
        """Give a number to every name that tells its last eight bytes and, mostly, its length."""
        endings = self._last_word()
        endings += self.length.astype(np.uint64) * _ODD
        return _mixed(endings)

    def hashes(self, seed: int) -> NDArray[np.uint64]:
        """Hash the names whole, to 64 bits each."""
        key = self.length.astype(np.uint64)
        key += np.uint64(seed)
        key = _mixed(_mixed(key) + self._last_word())
        done = 0
        rows = np.flatnonzero(self.length > _WORD)
        while len(rows):
            done += _WORD
            key[rows] = _mixed(key[rows] + self.words[self.start[rows] + done])
            rows = rows[self.length[rows] > done + _WORD]
        return key

    def same(self, left: NDArray[np.integer], right: NDArray[np.integer]) -> bool:
        """Tell whether the names at ``left`` equal those at ``right``, letter by letter."""
        length, one, two = self.length[left], self.start[left], self.start[right]
        if not np.array_equal(length, self.length[right]):
            return False
        ends = self._last_word(left), self._last_word(right)
        if not np.array_equal(*ends):
            return False
        done = 0
        rows = np.flatnonzero(length > _WORD)
        while len(rows):
            done += _WORD
            if not np.array_equal(self.words[one[rows] + done], self.words[two[rows] + done]):
                return False
            rows = rows[length[rows] > done + _WORD]
        return True

    def _last_word(self, rows: NDArray[np.integer] | slice = slice(None)) -> NDArray[np.uint64]:
        """Give the last eight bytes of names, or the whole name where it is shorter."""
        length = self.length[rows]
        word: NDArray[np.uint64] = self.words[self.start[rows] + length]
        short = np.flatnonzero(length < _WORD)
        if len(short):
            word[short] >>= _BITS * (_WORD - length[short]).astype(np.uint64)
        return word


def _mixed(key: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Stir numbers, in place, so that every bit of the input moves the highest bits."""
    key *= _ODD
    key ^= key >> np.uint64(32)
    key *= _ODD
    return key
