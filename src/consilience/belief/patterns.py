"""The different ways in which items are voted on: items that look alike are handled once.

To a model of voters, two items are the same if the same voters spoke of them and said the same.
A hundred thousand items seen by ten systems fall into at most 1,024 such *patterns*, so an EM step
over patterns costs next to nothing, however many items there are::

    Σ_items f(item) = Σ_patterns count · f(pattern)

The items of a universe that nobody mentioned form one more pattern for each group of queries that
were put to the same voters; they are never written out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.study.subset import chosen

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from consilience.belief.votes import Votes


@dataclass(frozen=True, slots=True)
class Patterns:
    """Rows of different votes, with how many items each stands for.

    ``yes`` (patterns × voters) holds the votes; ``says_no`` (voters × groups) tells whose silence
    means no in which group of queries, ``group`` the group of each pattern, and ``shift`` (or
    None) corrects who spoke, as in :meth:`consilience.belief.votes.Votes.shift`. ``known`` is what
    is known of a pattern's truth (NaN: nothing). ``of_item`` and ``of_unseen`` give the pattern
    of every item, and of every query's items that nobody mentioned.
    """

    yes: csr_array
    shift: csr_array | None
    says_no: NDArray[np.bool_]
    group: NDArray[np.int64]
    count: NDArray[np.float64]
    known: NDArray[np.float64]
    of_item: NDArray[np.int64]
    of_unseen: NDArray[np.int64]

    @property
    def voters(self) -> int:
        """How many voters there are."""
        return len(self.says_no)

    def log_likelihood(
        self, if_yes: NDArray[np.float64], if_no: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Add up, for every pattern, what its votes say: ``Σ_k v·if_yes_k + (1 − v)·if_no_k``.

        ``if_yes`` and ``if_no`` (voters × columns) are logs of probabilities, one column for
        each state of the world; the sum runs over the voters that spoke.
        """
        total: NDArray[np.float64] = (self.says_no.T @ if_no)[self.group]
        total += self.yes @ (if_yes - if_no)
        if self.shift is not None:
            total += self.shift @ if_no
        return total

    def masses(
        self, weight: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Add up, for every voter, the weights (patterns × columns) it said yes to and spoke of."""
        yes: NDArray[np.float64] = self.yes.T @ weight
        spoken: NDArray[np.float64] = self.says_no @ (self.grouped().T @ weight)
        if self.shift is not None:
            spoken += self.shift.T @ weight
        return yes, spoken

    def grouped(self) -> csr_array:
        """Give the group of each pattern as a sparse matrix, patterns × groups."""
        from scipy.sparse import csr_array

        count = len(self.group)
        return csr_array(
            (np.ones(count), self.group, np.arange(count + 1)),
            shape=(count, self.says_no.shape[1]),
        )

    def spoken(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up the weights (voters × columns) of those that spoke of each pattern."""
        return self.log_likelihood(weight, weight)

    def counted(self) -> NDArray[np.float64]:
        """How many items each pattern stands for; none where nobody spoke of them."""
        heard = self.spoken(np.ones((self.voters, 1)))[:, 0] > 0
        return np.where(heard, self.count, 0.0)

    def some(self, rows: slice | NDArray[np.int64]) -> Patterns:
        """Give some of the patterns; which items they stand for is left open."""
        return Patterns(
            self.yes[rows],
            None if self.shift is None else self.shift[rows],
            self.says_no,
            self.group[rows],
            self.count[rows],
            self.known[rows],
            np.empty(0, np.int64),
            np.empty(0, np.int64),
        )

    def thinned(self, most: int) -> Patterns:
        """Keep one item in n, if there are more than so many patterns: a sample of the items."""
        step = -(-len(self.count) // most)
        if step <= 1:
            return self
        count = np.bincount(
            self.of_item[chosen(len(self.of_item), step)], minlength=len(self.count)
        )
        unmentioned = self.count - np.bincount(self.of_item, minlength=len(self.count))
        total = count + np.maximum(unmentioned, 0.0) / step
        kept = np.flatnonzero(total)
        return replace(self.some(kept), count=total[kept])


def patterns_of(
    votes: Votes,
    *,
    known: NDArray[np.float64] | None = None,
    known_unseen: NDArray[np.float64] | None = None,
) -> Patterns:
    """Find the different ways in which the items of a study are voted on.

    Parameters
    ----------
    votes
        The votes.
    known, known_unseen
        What is known of the items' truth, and query by query of items nobody mentioned; NaN
        where nothing is. None: nothing is known.

    Examples
    --------
    >>> from consilience.belief.votes import votes_of
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y", "z"]}, "b": {"q": ["x", "y"]}}, universe=10)
    >>> patterns = patterns_of(votes_of(made))
    >>> for votes, count in zip(patterns.yes.toarray().tolist(), patterns.count.tolist()):
    ...     print(votes, count)
    [0.0, 0.0] 7.0
    [1.0, 1.0] 2.0
    [1.0, 0.0] 1.0
    """
    from scipy.sparse import csr_array, vstack

    queries = len(votes.study.queries)
    silent = np.concatenate([votes.says_no, votes.says_no_to_unmentioned], axis=1)
    columns, group_of = np.unique(silent, axis=1, return_inverse=True)
    items = len(votes.study.items)
    empty = csr_array((queries, len(votes)))
    shift = votes.shift()
    yes = csr_array(vstack([votes.matrix(), empty]))
    shift = None if shift is None else csr_array(vstack([shift, empty]))
    group = np.concatenate([group_of[votes.query], group_of[queries:]])
    truth = np.concatenate(
        [
            np.full(items, np.nan) if known is None else known,
            np.full(queries, np.nan) if known_unseen is None else known_unseen,
        ]
    )
    first, place = _alike(yes, shift, group, truth)
    count = np.concatenate([np.ones(items), votes.unmentioned])
    total: NDArray[np.float64] = np.zeros(len(first))
    np.add.at(total, place, count)
    return Patterns(
        yes[first],
        None if shift is None else shift[first],
        columns,
        group[first],
        total,
        truth[first],
        place[:items],
        place[items:],
    )


def joined(several: Sequence[Patterns]) -> Patterns:
    """Make one of several patterns of the same voters; what is alike is counted together.

    Examples
    --------
    >>> from consilience.belief.votes import votes_of
    >>> from consilience.study import study
    >>> one = patterns_of(votes_of(study({"a": {"q": ["x", "y"]}, "b": {"q": ["x"]}})))
    >>> other = patterns_of(votes_of(study({"a": {"r": ["z"]}, "b": {"r": ["z"]}})))
    >>> patterns = joined([one, other])
    >>> for votes, count in zip(patterns.yes.toarray().tolist(), patterns.count.tolist()):
    ...     print(votes, count)
    [0.0, 0.0] 0.0
    [1.0, 1.0] 2.0
    [1.0, 0.0] 1.0
    """
    from scipy.sparse import csr_array, vstack

    says_no = np.concatenate([one.says_no for one in several], axis=1)
    columns, place = np.unique(says_no, axis=1, return_inverse=True)
    before = np.cumsum([0, *(one.says_no.shape[1] for one in several)])
    group = np.concatenate(
        [place[one.group + begin] for one, begin in zip(several, before, strict=False)]
    )
    yes = csr_array(vstack([one.yes for one in several]))
    shift = None
    if any(one.shift is not None for one in several):
        shifts = [csr_array(one.yes.shape) if one.shift is None else one.shift for one in several]
        shift = csr_array(vstack(shifts))
    known = np.concatenate([one.known for one in several])
    first, kind = _alike(yes, shift, group, known)
    count = np.bincount(kind, np.concatenate([one.count for one in several]), len(first))
    return Patterns(
        yes[first],
        None if shift is None else shift[first],
        columns,
        group[first],
        count.astype(np.float64, copy=False),
        known[first],
        np.empty(0, np.int64),
        np.empty(0, np.int64),
    )


def _alike(
    yes: csr_array,
    shift: csr_array | None,
    group: NDArray[np.int64],
    known: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number rows that are alike; give the first of each kind, and every row's kind.

    Kinds are numbered by what their rows say, so that the order of items does not matter.
    """
    keys = [*_hashes(yes), _codes(known)]
    if shift is not None:
        keys += _hashes(shift)
    keys.append(group.astype(np.uint64))  # so that those of a group lie together
    order = np.lexsort(keys)
    new = np.zeros(len(order), bool)
    new[:1] = True
    for key in keys:
        new[1:] |= key[order[1:]] != key[order[:-1]]
    kind = np.empty(len(order), np.int64)
    kind[order] = np.cumsum(new) - 1
    return order[new], kind


def _hashes(matrix: csr_array) -> list[NDArray[np.uint64]]:
    """Hash the rows of a sparse matrix twice: 128 bits, so that different rows never meet.

    Row i becomes ``Σ_k r_k · c(v_ik) mod 2^64``, with r random and odd and c the number of a value.
    """
    rng = np.random.default_rng(20110913)
    hashes = []
    codes = _codes(matrix.data)
    starts = matrix.indptr[:-1]
    filled = np.diff(matrix.indptr) > 0
    for _ in range(2):
        random = rng.integers(0, 1 << 63, matrix.shape[1], np.uint64) * np.uint64(2) + np.uint64(1)
        total = np.zeros(matrix.shape[0], np.uint64)
        if filled.any():
            total[filled] = np.add.reduceat(random[matrix.indices] * codes, starts[filled])
        hashes.append(total)
    return hashes


def _codes(values: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Number values from 1; NaN is a value like another."""
    if len(values) and bool((values == values[0]).all()):
        return np.ones(len(values), np.uint64)
    return (np.unique(values, return_inverse=True)[1] + 1).astype(np.uint64)
