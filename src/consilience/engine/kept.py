"""Patterns of votes, kept as words: in memory as far as they fit, else in files.

Votes are read once, part by part. What stays of a part are its patterns, with those of other parts
that are alike, spelt in words (:mod:`consilience.belief.words`): with a hundred systems some forty
bytes for an item, whatever the number of votes. Every step of EM goes over all of them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief.blocks import Block, block, cut
from consilience.belief.patterns import Patterns, joined
from consilience.belief.words import LEVELS, Alphabet, Plain, alphabet_of, levels_of
from consilience.errors import ConsilienceError
from consilience.progress import report

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief.words import Levels

#: Patterns of parts are joined when there are so many, or when they hold so many votes.
ROWS, VOTES = 1 << 17, 1 << 22
#: A pass over all patterns is taken for one of so many that are still to come.
PASSES = 20


@dataclass(slots=True)
class Kept:
    """Blocks of patterns, which can be gone through many times; closing it removes its files.

    ``part`` sorts the voters into parts, ``memory`` is how many bytes of words may stay in memory,
    ``scratch`` the folder for files of the others (None: where the system has room for such).
    """

    part: NDArray[np.int64]
    memory: int
    scratch: Path | None
    levels: Levels = ((0.0, 0.0),)
    alphabets: dict[Levels | None, Alphabet] = field(default_factory=dict)
    pending: list[Patterns] = field(default_factory=list)
    blocks: list[Block | tuple[Path, Alphabet]] = field(default_factory=list)
    used: int = 0
    passes: int = 0
    folder: tempfile.TemporaryDirectory[str] | None = None

    def close(self) -> None:
        """Remove the files."""
        if self.folder is not None:
            self.folder.cleanup()

    def add(self, patterns: Patterns) -> None:
        """Keep the patterns of a part; items that nobody spoke of are let go."""
        count = patterns.counted()
        heard = np.flatnonzero(count)
        if not len(heard):
            return
        self.pending.append(replace(patterns.some(heard), count=count[heard]))
        if _large(self.pending):
            self._settle()

    def finish(self) -> None:
        """Say that there are no more parts."""
        if self.pending:
            self._write(self.pending[0] if len(self.pending) == 1 else joined(self.pending))
            self.pending = []
        if not self.blocks:
            self._write(_nothing(len(self.part)))

    def __iter__(self) -> Iterator[Block]:
        """Go through all blocks once."""
        for number, one in enumerate(self.blocks, start=1):
            yield one if isinstance(one, Block) else self._read(*one)
            done = self.passes + number / len(self.blocks)
            report(done, done + PASSES)
        self.passes += 1

    def _settle(self) -> None:
        """Join what is pending; keep it so while parts have much in common, else write it."""
        before = sum(len(one.count) for one in self.pending)
        whole = self.pending[0] if len(self.pending) == 1 else joined(self.pending)
        if len(self.pending) > 1 and 2 * len(whole.count) <= before and not _large([whole]):
            self.pending = [whole]
            return
        self._write(whole)
        self.pending = []

    def _write(self, patterns: Patterns) -> None:
        """Spell patterns, and put them away."""
        for one in cut(patterns, self._alphabet(patterns), self.part):
            size = sum(array.nbytes for array in _arrays(one))
            if self.used + size <= self.memory:
                self.used += size
                self.blocks.append(one)
            else:
                self.blocks.append((self._save(one), one.alphabet))

    def _alphabet(self, patterns: Patterns) -> Alphabet:
        """Choose the alphabet: that of all levels so far, if they are not too many."""
        found = levels_of(patterns)
        if found is not None:
            self.levels += tuple(level for level in found if level not in self.levels)
            found = self.levels if len(self.levels) <= LEVELS else found
        if found not in self.alphabets:
            self.alphabets[found] = alphabet_of(found, self.part)
        return self.alphabets[found]

    def _save(self, one: Block) -> Path:
        """Write a block to a file."""
        try:
            if self.folder is None:
                self.folder = tempfile.TemporaryDirectory(dir=self.scratch, prefix="votes-")
            path = Path(self.folder.name) / f"{len(self.blocks)}.words"
            with path.open("wb") as file:
                for array in _arrays(one):
                    np.save(file, array)
        except OSError as error:
            where, why = self.scratch or tempfile.gettempdir(), error.strerror or str(error)
            raise ConsilienceError(
                f"what EM needs cannot be written to {where}: {why} "
                "(fix: CONSILIENCE_WORK names another folder; or more --memory)"
            ) from None
        return path

    def _read(self, path: Path, alphabet: Alphabet) -> Block:
        """Read a block from its file."""
        with path.open("rb") as file:
            words, starts, data, says_no, group, count, known, heard = (
                np.load(file) for _ in range(8)
            )
        return block(
            alphabet,
            self.part,
            (words, starts, data if len(data) else None),
            says_no,
            group,
            count,
            known if len(known) else None,
            heard,
        )


def _arrays(one: Block) -> list[NDArray[Any]]:
    """Give what a block is made of; data that are all 1 need no place."""
    none = np.zeros(0)
    return [
        one.words.indices,
        one.words.indptr,
        one.words.data if isinstance(one.alphabet, Plain) else none,
        one.says_no,
        one.group,
        one.count,
        none if one.known is None else one.known,
        one.heard,
    ]


def _large(several: list[Patterns]) -> bool:
    """Tell whether patterns are so many that they should be joined, or written."""
    rows = sum(len(one.count) for one in several)
    return rows > ROWS or sum(one.yes.nnz for one in several) > VOTES


def _nothing(voters: int) -> Patterns:
    """Make a pattern of which nobody spoke, and which no item has."""
    from scipy.sparse import csr_array

    return Patterns(
        csr_array((1, voters)),
        None,
        np.zeros((voters, 1), bool),
        np.zeros(1, np.int64),
        np.zeros(1),
        np.full(1, np.nan),
        np.empty(0, np.int64),
        np.empty(0, np.int64),
    )
