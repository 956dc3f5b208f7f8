"""Strings cut into pieces, words or q-grams, and how the pieces of many strings are held.

*Words* are what stands between spaces: hyphens and punctuation belong to them. *q-grams* are all
runs of q characters; a string shorter than q is one piece. With ``pad``, q − 1 marks stand before
and behind the string, so that its beginning and its end weigh as much as its middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError
from consilience.match.kernel import objects

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

#: Marks before and behind a string; they occur in no text that people write.
BEGIN, END = "\x02", "\x03"


def pieces(text: str, *, q: int = 0, pad: bool = False) -> list[str]:
    """Cut a string into words (q = 0) or q-grams.

    Examples
    --------
    >>> pieces("grey  colour")
    ['grey', 'colour']
    >>> pieces("grey", q=3), pieces("ab", q=3), len(pieces("grey", q=3, pad=True))
    (['gre', 'rey'], ['ab'], 6)
    """
    if q < 0:
        raise UsageError(f"q must be a whole number, 0 or above, found {q} (fix: q=0 for words)")
    if q == 0 and pad:
        raise UsageError("only q-grams are padded, and q is 0: words (fix: q=2, or no pad)")
    if q == 0:
        return text.split()
    if pad and text:
        text = BEGIN * (q - 1) + text + END * (q - 1)
    if len(text) <= q:
        return [text] if text else []
    return [text[begin : begin + q] for begin in range(len(text) - q + 1)]


@dataclass(frozen=True, slots=True)
class Pieces:
    """The different pieces of many strings, with how often each one occurs in its string.

    The pieces of the i-th string are ``names[codes[starts[i] : starts[i] + sizes[i]]]``, in the
    order in which they first occur.

    Examples
    --------
    >>> two = held([["to", "be", "to"], ["be"]])
    >>> two.names.tolist(), two.codes.tolist(), two.times.tolist(), two[1:].sizes.tolist()
    (['to', 'be'], [0, 1, 1], [2.0, 1.0, 1.0], [1])
    """

    names: NDArray[np.object_]
    codes: NDArray[np.int64]
    times: NDArray[np.float64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, places: slice | NDArray[Any]) -> Pieces:
        """Give some of the strings, with no more than their own pieces in ``codes``."""
        starts, sizes = self.starts[places], self.sizes[places]
        begins = np.cumsum(sizes) - sizes
        taken = np.arange(int(sizes.sum())) + np.repeat(starts - begins, sizes)
        return Pieces(self.names, self.codes[taken], self.times[taken], begins, sizes)

    @property
    def owners(self) -> NDArray[np.int64]:
        """The string of each piece."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def sums(self, of: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum up what the pieces of each string have."""
        found = np.bincount(self.owners, weights=of, minlength=len(self))
        return found.astype(np.float64, copy=False)

    def squares(self) -> NDArray[np.float64]:
        """Sum up the squared counts of each string: for sets the number of its pieces."""
        return self.sums(self.times**2)


def held(cut: Sequence[Sequence[str]]) -> Pieces:
    """Hold the pieces of many strings."""
    known: dict[str, int] = {}
    codes: list[int] = []
    times: list[int] = []
    sizes = np.zeros(len(cut), np.int64)
    for place, found in enumerate(cut):
        counted: dict[str, int] = {}
        for piece in found:
            counted[piece] = counted.get(piece, 0) + 1
        codes += [known.setdefault(piece, len(known)) for piece in counted]
        times += counted.values()
        sizes[place] = len(counted)
    return Pieces(
        objects(list(known)),
        np.array(codes, np.int64),
        np.array(times, np.float64),
        np.cumsum(sizes) - sizes,
        sizes,
    )


def used(some: Pieces) -> tuple[NDArray[np.object_], NDArray[np.int64]]:
    """Give the pieces that occur, and the place of each occurrence among them."""
    codes, places = np.unique(some.codes, return_inverse=True)
    return some.names[codes], places.reshape(-1)


def matrices(rows: Pieces, columns: Pieces) -> tuple[csr_array, csr_array]:
    """Lay counts out in two sparse tables: a row for each string, a column for each piece."""
    from scipy.sparse import csr_array

    row_codes, column_codes, width = rows.codes, columns.codes, len(rows.names)
    if rows.names is not columns.names:
        names, row_codes = used(rows)
        others, places = used(columns)
        known = {name: code for code, name in enumerate(names)}
        to = np.array([known.setdefault(name, len(known)) for name in others], np.int64)
        column_codes, width = to[places], len(known)
    shape = max(1, width)
    return (
        csr_array((rows.times, row_codes, _bounds(rows)), shape=(len(rows), shape)),
        csr_array((columns.times, column_codes, _bounds(columns)), shape=(len(columns), shape)),
    )


def _bounds(some: Pieces) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(some.sizes)])
