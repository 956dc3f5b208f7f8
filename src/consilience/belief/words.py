r"""Votes spelt in words: what some voters say together is looked up, not added up one by one.

A step of EM adds up, for every pattern i of votes, what its voters say, and for every voter, the
weights of the patterns it spoke of::

    forth:  r_i = Σ_k v_ik f_k + s_ik g_k           back:  y_k = Σ_i v_ik m_i,  z_k = Σ_i s_ik m_i

A sparse matrix of the votes needs one multiplication for each of them. But votes are mostly yes,
no, and nothing. With L such *levels*, what b voters say is a *word* of b letters, and there are no
more than L^b words. So r is made of the sums of all words, which are few, and of one look-up for
each word of a pattern; y and z are made of the weights of the words in the same way. Twelve voters
that say yes or no make one word: with a hundred systems a step has nine look-ups for a pattern
instead of a hundred votes.

Words in which nobody says anything beside silence are not stored, so that there are never more
words than votes. Where votes have too many levels (:class:`Plain`) they are stored as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from consilience.belief.patterns import Patterns

#: More levels of votes than this are not spelt.
LEVELS = 16
#: There are at most so many words that some voters can say, and that all of them can.
WORDS, ALL_WORDS = 4096, 1 << 18
#: Keeps levels of votes apart that differ in who spoke.
_APART = 64

#: What voters can be found to say, as (vote, shift); silence, (0, 0), first.
Levels = tuple[tuple[float, float], ...]
#: Words by number, where the words of each row begin, and how much each counts (None: once).
Written = tuple["NDArray[np.int32]", "NDArray[np.int64]", "NDArray[np.float64] | None"]


@dataclass(frozen=True, slots=True)
class Spelt:
    """Words of ``width`` letters; voter k is the letter ``slot[k]``, counted over all words.

    ``levels`` are what a letter can say, as (vote, shift); ``part`` tells of every place for a word
    to which part of the voters it belongs.
    """

    slot: NDArray[np.int64]
    part: NDArray[np.int64]
    width: int
    levels: Levels

    @property
    def words(self) -> int:
        """How many words there are, for one place."""
        return int(len(self.levels) ** self.width)

    @property
    def columns(self) -> int:
        """How many words there are, over all places."""
        return len(self.part) * self.words

    def forth(
        self, if_yes: NDArray[np.float64], if_spoken: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Add up what every word says, given what a yes and having spoken are worth."""
        vote, shift = np.array(self.levels).T
        letters = np.zeros((len(self.part) * self.width, len(self.levels)))
        letters[self.slot] = np.outer(if_yes, vote) + np.outer(if_spoken, shift)
        apart = letters.reshape(len(self.part), self.width, len(self.levels))
        total = np.zeros((len(self.part), 1))
        for place in range(self.width):
            total = (apart[:, place, :, None] + total[:, None, :]).reshape(len(self.part), -1)
        return total.ravel()

    def back(self, weight: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Add up for every voter the weights of words: those it says yes in, and its shifts."""
        letters = np.empty((len(self.part), self.width, len(self.levels)))
        for place in reversed(range(self.width)):
            split = weight.reshape(len(self.part), len(self.levels), -1)
            letters[:, place] = split.sum(axis=2)
            weight = split.sum(axis=1)
        said = letters.reshape(-1, len(self.levels))[self.slot]
        vote, shift = np.array(self.levels).T
        return (said * vote).sum(axis=1), (said * shift).sum(axis=1)

    def write(self, patterns: Patterns, parts: int) -> Written:
        """Spell patterns; a row for each pattern and part of the voters."""
        cells = _numbered(patterns, self.levels)
        assert cells is not None
        slot = self.slot.astype(np.int32)[cells.indices]
        row = np.repeat(np.arange(cells.shape[0]), np.diff(cells.indptr))
        place = row * len(self.part) + slot // self.width
        if bool((np.diff(self.slot) < 0).any()):
            order = np.argsort(place, kind="stable")
            place, slot, digit = place[order], slot[order], cells.data[order]
        else:
            digit = cells.data
        letter = len(self.levels) ** np.arange(self.width, dtype=np.int32)
        first = np.flatnonzero(np.diff(place, prepend=-1))
        word = np.add.reduceat(digit * letter[slot % self.width], first) if len(first) else first
        row, group = np.divmod(place[first], len(self.part))
        starts = _starts(row * parts + self.part[group], cells.shape[0] * parts)
        return (word + group * self.words).astype(np.int32), starts, None


@dataclass(frozen=True, slots=True)
class Plain:
    """Votes as they are: the word of voter k is k, and that it spoke is one more word."""

    part: NDArray[np.int64]

    @property
    def columns(self) -> int:
        """How many words there are."""
        return 2 * len(self.part)

    def forth(
        self, if_yes: NDArray[np.float64], if_spoken: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Give what a full yes of every voter says, and that it spoke."""
        return np.concatenate([if_yes, if_spoken])

    def back(self, weight: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give for every voter the weights it says yes to, and its shifts."""
        return weight[: len(self.part)], weight[len(self.part) :]

    def write(self, patterns: Patterns, parts: int) -> Written:
        """Put votes and shifts side by side; a row for each pattern and part of the voters."""
        from scipy.sparse import csr_array, hstack

        nothing = csr_array(patterns.yes.shape)
        shift = nothing if patterns.shift is None else patterns.shift
        cells = csr_array(hstack([patterns.yes, shift]))
        row = np.repeat(np.arange(cells.shape[0]), np.diff(cells.indptr))
        place = row * parts + self.part[cells.indices % len(self.part)]
        starts = _starts(place, cells.shape[0] * parts)
        if parts == 1:
            return cells.indices.astype(np.int32), starts, cells.data
        order = np.argsort(place, kind="stable")
        return cells.indices[order].astype(np.int32), starts, cells.data[order]


Alphabet = Spelt | Plain


def alphabet_of(levels: Levels | None, part: NDArray[np.int64], most: int = ALL_WORDS) -> Alphabet:
    """Choose how to write votes of such levels.

    Parameters
    ----------
    levels
        What a voter can be found to say, as (vote, shift), silence (0, 0) first; None: too much.
    part
        The part of the voters that each belongs to; no word spans two parts.
    most
        How many words there may be in all, as far as that can be.

    Examples
    --------
    Three voters that say yes or nothing can say eight words.

    >>> alphabet = alphabet_of(((0.0, 0.0), (1.0, 0.0)), np.zeros(3, np.int64))
    >>> alphabet.forth(np.array([1.0, 10.0, 100.0]), np.zeros(3)).tolist()
    [0.0, 1.0, 10.0, 11.0, 100.0, 101.0, 110.0, 111.0]
    """
    if levels is None:
        return Plain(part)
    size = np.bincount(part)
    width = _width(len(levels), size, most)
    places = -(-size // width)
    begin = np.concatenate([[0], np.cumsum(places)[:-1]]) * width
    slot = np.empty(len(part), np.int64)
    order = np.argsort(part, kind="stable")
    slot[order] = np.arange(len(part)) - np.repeat(np.cumsum(size) - size - begin, size)
    return Spelt(slot, np.repeat(np.arange(len(size)), places), width, levels)


def levels_of(patterns: Patterns) -> Levels | None:
    """Find the different things that voters are found to say; None if there are too many.

    Examples
    --------
    >>> from consilience.belief.patterns import patterns_of
    >>> from consilience.belief.votes import votes_of
    >>> from consilience.study import study
    >>> levels_of(patterns_of(votes_of(study({"a": {"q": ["x"]}, "b": {"q": ["y"]}}))))
    ((0.0, 0.0), (1.0, 0.0))
    """
    known = _few(patterns.yes.data)
    if known is None:
        return None
    if patterns.shift is None:
        return ((0.0, 0.0), *((vote, 0.0) for vote in known.tolist()))
    cells = _combined(patterns, known)
    seen = np.flatnonzero(np.bincount(cells.data + _APART, minlength=1)) - _APART
    if len(seen) >= LEVELS:
        return None
    return ((0.0, 0.0), *(_level(int(number), known) for number in seen))


def _few(values: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Give the different values, if they are few; most often there is only one."""
    some = np.unique(values[:: max(1, len(values) // 1000)])
    if len(some) >= LEVELS:
        return None
    if not len(values) or (len(some) == 1 and bool((values == some[0]).all())):
        return some
    place = np.minimum(np.searchsorted(some, values), len(some) - 1)
    if not bool((some[place] == values).all()):
        some = np.unique(values)
    return some if len(some) < LEVELS else None


def _combined(patterns: Patterns, known: NDArray[np.float64]) -> csr_array:
    """Number what voters say: the number of the vote from 1, plus or minus 64 where it shifts."""
    from scipy.sparse import csr_array

    yes = patterns.yes
    number = np.searchsorted(known, yes.data).astype(np.int32) + np.int32(1)
    cells = csr_array((number, yes.indices, yes.indptr), shape=yes.shape)
    if patterns.shift is not None:
        cells = csr_array(cells + patterns.shift.astype(np.int32) * np.int32(_APART))
    cells.sort_indices()
    return cells


def _level(number: int, known: NDArray[np.float64]) -> tuple[float, float]:
    """Turn such a number back into a vote and a shift."""
    shift = (number > _APART // 2) * 1.0 - (number < 0) * 1.0
    vote = int(number - shift * _APART)
    return float(known[vote - 1]) if vote else 0.0, shift


def _numbered(patterns: Patterns, levels: Levels) -> csr_array | None:
    """Number what voters say by its level; None if that has not all been seen before."""
    known = _few(patterns.yes.data)
    if known is None:
        return None
    cells = _combined(patterns, known)
    if levels == ((0.0, 0.0), (1.0, 0.0)) and patterns.shift is None and known.tolist() == [1.0]:
        return cells
    number = np.zeros(2 * _APART + LEVELS, np.int32)
    place: dict[Any, int] = {level: code for code, level in enumerate(levels)}
    for seen in (np.flatnonzero(np.bincount(cells.data + _APART, minlength=1)) - _APART).tolist():
        level = _level(seen, known)
        if level not in place:
            return None
        number[seen + _APART] = place[level]
    cells.data = number[cells.data + _APART]
    return cells


def _width(levels: int, size: NDArray[np.int64], most: int) -> int:
    """Choose how long words are: as long as there are not too many of them."""
    width = 1
    while width < int(size.max()) and levels ** (width + 1) <= WORDS:
        longer = width + 1
        if levels**longer * int((-(-size // longer)).sum()) > most:
            break
        width = longer
    return width


def _starts(row: NDArray[np.int64], rows: int) -> NDArray[np.int64]:
    """Tell where each row begins, given the row of every entry, in order."""
    return np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))]).astype(np.int64)
