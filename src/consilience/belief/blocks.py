"""Patterns of votes, some thousands at a time, ready for the sums that EM needs.

EM goes over all patterns in every step, and keeps nothing but sums over them. So patterns may lie
in several blocks, in memory or elsewhere; what each model adds up is all the same.

Voters may be sorted into *parts* (families): a sum over voters is then made for each part, and the
weights that come back are those of a voter's own part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from consilience.belief.words import Alphabet, alphabet_of, levels_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csc_array, csr_array

    from consilience.belief.patterns import Patterns
    from consilience.belief.words import Written

#: So many numbers are handled at a time: patterns, times the parts of the voters.
ROWS = 1 << 16


@dataclass(frozen=True, slots=True)
class Block:
    """Some patterns: their words, how many items each stands for, and what is known of its truth.

    ``words`` has a row for each pattern and part. ``says_no`` (voters × groups) tells whose
    silence says no in which group of queries, ``group`` the group of each pattern. ``count`` is 0
    where nobody spoke; ``known`` is NaN where nothing is known, and None if that is so everywhere.
    ``heard`` (patterns × parts) tells where somebody of a part spoke.
    """

    alphabet: Alphabet
    part: NDArray[np.int64]
    parts: int
    words: csr_array
    back: csc_array
    says_no: NDArray[np.bool_]
    group: NDArray[np.integer]
    count: NDArray[np.float64]
    known: NDArray[np.float64] | None
    heard: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.group)

    def rows(
        self, if_yes: NDArray[np.float64], if_spoken: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Add up ``v · if_yes + if_spoken`` over the voters that spoke (patterns × parts)."""
        total = self.words @ self.alphabet.forth(if_yes, if_spoken)
        shaped: NDArray[np.float64] = total.reshape(len(self), self.parts)
        silent = self.says_no.T @ self._apart(if_spoken)
        shaped += silent if len(silent) == 1 else silent[self.group]
        return shaped

    def masses(
        self, weight: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Add up for every voter the weights (patterns × parts) it said yes to and spoke of."""
        yes, shift = self.alphabet.back(self.back @ weight.ravel())
        groups = self.says_no.shape[1]
        if groups == 1:
            whole = weight.sum(axis=0)[None, :]
        else:
            cell = self.group[:, None] * self.parts + np.arange(self.parts)
            whole = np.bincount(cell.ravel(), weight.ravel(), groups * self.parts)
            whole = whole.reshape(groups, self.parts)
        return yes, shift + (self.says_no * whole.T[self.part]).sum(axis=1)

    def believed(self, p: NDArray[np.float64]) -> NDArray[np.float64]:
        """Put what is known in the place of what is estimated."""
        return p if self.known is None else np.where(np.isnan(self.known), p, self.known)

    def likelihood(self, odds: NDArray[np.float64], soft: NDArray[np.float64]) -> float:
        """Add up how much likelier items are than if none were relevant: log(1 + odds).

        ``soft`` is that, by pattern, where nothing is known; where the truth is known, it
        counts as observed.
        """
        if self.known is not None:
            soft = np.where(np.isnan(self.known), soft, self.known * odds)
        return float((self.count * soft).sum())

    def _apart(self, value: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sort the voters' values into parts (voters × parts)."""
        if self.parts == 1:
            return value[:, None]
        apart = np.zeros((len(value), self.parts))
        apart[np.arange(len(value)), self.part] = value
        return apart


@dataclass(frozen=True, slots=True)
class Totals:
    """What never changes: items that somebody spoke of, every voter's yes and what it spoke of.

    ``known`` tells whether the truth of any of the items is.
    """

    items: float
    yes: NDArray[np.float64]
    spoken: NDArray[np.float64]
    known: bool

    @property
    def size(self) -> float:
        """How many items there are, one at least."""
        return max(self.items, 1.0)


def blocks_of(patterns: Patterns, part: NDArray[np.int64] | None = None) -> list[Block]:
    """Make blocks of patterns, whose voters are sorted into parts (None: into one).

    Examples
    --------
    >>> from consilience.belief.patterns import patterns_of
    >>> from consilience.belief.votes import votes_of
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y", "z"]}, "b": {"q": ["x"]}}, universe=10)
    >>> (block,) = blocks_of(patterns_of(votes_of(made)))
    >>> block.rows(np.array([1.0, 10.0]), np.zeros(2)).ravel().tolist(), block.count.tolist()
    ([0.0, 11.0, 1.0], [7.0, 1.0, 2.0])
    >>> [sums.tolist() for sums in block.masses(block.count[:, None])]
    [[3.0, 1.0], [10.0, 10.0]]
    """
    if part is None:
        part = np.zeros(patterns.voters, np.int64)
    most = max(patterns.yes.nnz // 4, 64)
    alphabet = alphabet_of(levels_of(patterns), part, most)
    return list(cut(patterns, alphabet, part))


def cut(patterns: Patterns, alphabet: Alphabet, part: NDArray[np.int64]) -> Iterator[Block]:
    """Write patterns in an alphabet, block by block; items that nobody spoke of do not count."""
    parts = int(part.max()) + 1
    step = max(ROWS // parts, 1)
    nothing, each = np.zeros(len(part)), np.ones(len(part))
    for begin in range(0, len(patterns.count), step):
        some = patterns.some(slice(begin, begin + step))
        written = alphabet.write(some, parts)
        groups, group = np.unique(some.group, return_inverse=True)
        says_no = some.says_no[:, groups]
        made = block(
            alphabet, part, written, says_no, group.astype(np.int32), some.count, some.known
        )
        heard = made.rows(nothing, each) > 0
        yield replace(made, count=np.where(heard.any(axis=1), some.count, 0.0), heard=heard)


def block(
    alphabet: Alphabet,
    part: NDArray[np.int64],
    written: Written,
    says_no: NDArray[np.bool_],
    group: NDArray[np.integer],
    count: NDArray[np.float64],
    known: NDArray[np.float64] | None,
    heard: NDArray[np.bool_] | None = None,
) -> Block:
    """Make a block of what is written; unless told otherwise, somebody spoke everywhere."""
    from scipy.sparse import csr_array

    words, starts, data = written
    if data is None:
        data = _ones(1 << len(words).bit_length())[: len(words)]
    table = csr_array((data, words, starts), shape=(len(starts) - 1, alphabet.columns))
    if known is not None and bool(np.isnan(known).all()):
        known = None
    parts = int(part.max()) + 1
    if heard is None:
        heard = np.ones((len(group), parts), bool)
    return Block(alphabet, part, parts, table, table.T, says_no, group, count, known, heard)


@lru_cache(maxsize=4)
def _ones(count: int) -> NDArray[np.float64]:
    """Give ones that all blocks share: words that count once need no memory for that."""
    return np.ones(count)


def totals_of(blocks: Iterable[Block]) -> Totals:
    """Add up what never changes."""
    items, known = 0.0, False
    yes: NDArray[np.float64] | float = 0.0
    spoken: NDArray[np.float64] | float = 0.0
    for one in blocks:
        mine, mine_spoken = one.masses(np.repeat(one.count[:, None], one.parts, axis=1))
        items += float(one.count.sum())
        yes, spoken = yes + mine, spoken + mine_spoken
        known |= one.known is not None and not bool(np.isnan(one.known[one.count > 0]).all())
    return Totals(items, np.asarray(yes), np.asarray(spoken), known)


def even(odds: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the probability that log-odds stand for, and ``log(1 + exp(odds))``.

    Examples
    --------
    >>> p, soft = even(np.array([-1000.0, 0.0, 1000.0]))
    >>> p.tolist(), soft.round(3).tolist()
    ([0.0, 0.5, 1.0], [0.0, 0.693, 1000.0])
    """
    less = np.exp(-np.abs(odds))
    whole = 1 + less
    return np.where(odds >= 0, 1.0, less) / whole, np.maximum(odds, 0.0) + np.log(whole)
