"""Products of votes, voter by voter, straight from the lists.

Where most voters speak of most items a table of voters × some thousand items is filled at a time
and multiplied with itself; that costs less than sorting the votes into a sparse matrix. Votes of
yes and no are packed into bits, sixty-four of which are multiplied at once, and counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.study.encode import group
from consilience.study.lists import blocks
from consilience.study.subset import rows_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from consilience.belief.votes import Part, Votes

#: Votes handled at a time, at least: what is made of them stays in the processor's cache.
BLOCK = 1 << 16
#: Items of a table, at least (but for the last one) and at most.
ITEMS, MOST = 1 << 14, 1 << 16
#: Words of 64 bits that are multiplied together.
WORDS = 256
#: How much dearer a product is where votes are stored sparsely.
SPARSE = 20


@dataclass(frozen=True, slots=True)
class Products:
    """Sums of votes and of their squares (voters × queries), and of products (voters × voters)."""

    yes: NDArray[np.float64]
    square: NDArray[np.float64]
    both: NDArray[np.float64]


def few_pairs(spoken: NDArray[np.integer], voters: int) -> bool:
    """Tell whether so few speak of an item that products are better made sparsely."""
    return float((spoken.astype(np.float64) ** 2).sum()) * SPARSE < len(spoken) * voters**2


def is_sparse(votes: Votes) -> bool:
    """Tell whether few of the voters speak of an item."""
    spoken = np.zeros(len(votes.study.items), np.int64)
    for item, _, vote in votes.blocks():
        said = item if vote is None else item[vote > 0]
        if len(said):
            low = int(said.min())
            here = np.bincount(said - low)
            spoken[low : low + len(here)] += here
    return few_pairs(spoken, len(votes))


def products(votes: Votes) -> Products:
    """Add up votes, their squares and their products; who could not tell has said nothing.

    Examples
    --------
    >>> from consilience.belief.votes import votes_of
    >>> from consilience.study import study
    >>> found = products(votes_of(study({"a": {"q": ["x", "y"]}, "b": {"q": ["x"]}})))
    >>> found.yes.tolist(), found.both.tolist()
    ([[2.0], [1.0]], [[2.0, 1.0], [1.0, 1.0]])
    """
    voters, queries = len(votes), len(votes.study.queries)
    starts = votes.study.items.starts
    kind: Any = bool if all(_is_crisp(part.vote) for part in votes.parts) else np.float64
    yes, square = np.zeros((voters, queries)), np.zeros((voters, queries))
    both = np.zeros((voters, voters))
    lists = [_Lists.of(part, queries) for part in votes.parts]
    rows = np.concatenate([[0], np.cumsum(sum(one.sizes() for one in lists))])
    for low, high in blocks(starts, ITEMS):
        for first in range(int(starts[low]), int(starts[high]), MOST):
            table = np.zeros((voters, min(int(starts[high]) - first, MOST)), kind)
            for begin, end in blocks(rows[low : high + 1], BLOCK):
                for one in lists:
                    item, voter, query, vote = one.rows(low + begin, low + end)
                    if first == starts[low]:  # a table may hold only some of a query's items
                        _add(yes, query, voter, vote)
                        if kind is not bool:
                            _add(square, query, voter, vote**2)
                    _fill(table, item - first, voter, vote)
            both += _counted(table) if kind is bool else table @ table.T
    return Products(yes, yes if kind is bool else square, both)


def matrix_of(votes: Votes) -> csr_array:
    """Give the votes above 0 as a sparse matrix, items × voters.

    Some queries' votes are sorted at a time, by item; voters are in order already.

    Examples
    --------
    >>> from consilience.belief.votes import votes_of
    >>> from consilience.study import study
    >>> matrix_of(votes_of(study({"a": {"q": ["x", "y"]}, "b": {"q": ["y"]}}))).toarray().tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    from scipy.sparse import csr_array

    starts = votes.study.items.starts
    lists = [_Lists.of(part, len(starts) - 1) for part in votes.parts]
    rows = np.concatenate([[0], np.cumsum(sum(one.sizes() for one in lists))])
    spoken = np.zeros(len(votes.study.items), np.int64)
    said, who = [np.zeros(0)], [np.zeros(0, np.int64)]
    for low, high in blocks(rows, BLOCK):
        pieces = [one.rows(low, high) for one in lists]
        item, voter, _, vote = (np.concatenate(column) for column in zip(*pieces, strict=True))
        first, last = int(starts[low]), int(starts[high])
        order = group((item - first).astype(np.int32))
        said.append(vote if order is None else vote[order])
        who.append(voter if order is None else voter[order])
        spoken[first:last] = np.bincount(item - first, minlength=last - first)
    ends = np.concatenate([[0], np.cumsum(spoken)])
    shape = (len(spoken), len(votes))
    matrix = csr_array((np.concatenate(said), np.concatenate(who), ends), shape=shape)
    matrix.sort_indices()
    return matrix


def _is_crisp(vote: NDArray[np.float64] | None) -> bool:
    """Tell whether votes are yes and no, as far as they are said."""
    return vote is None or not bool(((vote > 0) & (vote < 1)).any())


def _add(
    total: NDArray[np.float64],
    query: NDArray[np.int64],
    voter: NDArray[np.int64],
    worth: NDArray[np.float64],
) -> None:
    """Add something up by voter and query, in place; queries lie close together."""
    if len(query):
        low, high = int(query.min()), int(query.max()) + 1
        here = np.bincount(voter * (high - low) + query - low, worth, len(total) * (high - low))
        total[:, low:high] += here.reshape(len(total), high - low)


def _fill(
    table: NDArray[Any],
    item: NDArray[np.int64],
    voter: NDArray[np.int64],
    vote: NDArray[np.float64],
) -> None:
    """Put votes on the items of a table into their places."""
    inside = (item >= 0) & (item < table.shape[1])
    if not bool(inside.all()):
        item, voter, vote = item[inside], voter[inside], vote[inside]
    table.reshape(-1)[voter * table.shape[1] + item] = vote


def _counted(table: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Count for every two rows the places where both say yes.

    Examples
    --------
    >>> _counted(np.array([[True, True, False], [False, True, True]])).tolist()
    [[2.0, 1.0], [1.0, 2.0]]
    """
    packed = np.packbits(table, axis=1)
    bits = np.zeros((len(table), -(-packed.shape[1] // 8) * 8), np.uint8)
    bits[:, : packed.shape[1]] = packed
    words = bits.view(np.uint64)
    total = np.zeros((len(table), len(table)))
    for begin in range(0, words.shape[1], WORDS):
        here = np.ascontiguousarray(words[:, begin : begin + WORDS])
        for row in range(len(here)):
            total[row, row:] += np.bitwise_count(here[row] & here[row:]).sum(axis=1)
    return total + np.triu(total, 1).T


@dataclass(frozen=True, slots=True)
class _Lists:
    """The lists of voters by query: those of query ``q`` are ``order[edges[q] : edges[q + 1]]``."""

    part: Part
    order: NDArray[np.int64]
    edges: NDArray[np.int64]

    @staticmethod
    def of(part: Part, queries: int) -> _Lists:
        votes = np.flatnonzero(part.voter >= 0)
        order = votes[np.argsort(part.lists.query[votes], kind="stable")]
        edges = np.searchsorted(part.lists.query[order], np.arange(queries + 1))
        return _Lists(part, order, edges)

    def sizes(self) -> NDArray[np.int64]:
        """Count the votes under each query."""
        length = np.diff(self.part.lists.starts)[self.order]
        upto = np.concatenate([[0], np.cumsum(length)])
        return np.diff(upto[self.edges])

    def rows(self, low: int, high: int) -> tuple[NDArray[Any], ...]:
        """Give items, voters, queries and votes above 0 under some queries."""
        lists, part = self.order[self.edges[low] : self.edges[high]], self.part
        length = part.lists.starts[lists + 1] - part.lists.starts[lists]
        rows = rows_of(part.lists.starts[lists], length)
        item = part.lists.item[rows].astype(np.int64)
        voter = np.repeat(part.voter[lists], length)
        query = np.repeat(part.lists.query[lists].astype(np.int64), length)
        if part.vote is None:
            return item, voter, query, np.ones(len(rows))
        vote = part.vote[rows]
        known = vote > 0
        return item[known], voter[known], query[known], vote[known]
