"""Lists with items that nobody has judged, side by side: what worst and best cases are found in.

A *cell* is a system under a query, as in :mod:`consilience.measures.hits`. Every returned item is
judged relevant, judged not relevant, or unjudged; the unjudged items of the query that a list
does not hold stand *outside*. Lists of similar length become rows of a matrix, so that nothing
here walks over answers one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.hits import Hits, find_hits, held_to

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief import Belief
    from consilience.study import Study
    from consilience.study.ranking import Ties

#: How many places of lists are looked at together.
BLOCK = 1 << 18


@dataclass(frozen=True, slots=True)
class Block:
    """Some cells: row by row what stands at each place.

    ``good`` marks judged relevant items, ``open`` unjudged ones, ``gain`` holds the gains.
    ``relevant`` counts the judged relevant items of each cell in all, ``unjudged`` the unjudged
    ones, returned or not, that the system is held to; ``around`` those of the whole query.
    """

    cell: NDArray[np.int64]
    query: NDArray[np.int64]
    good: NDArray[np.bool_]
    open: NDArray[np.bool_]
    gain: NDArray[np.float64]
    relevant: NDArray[np.float64]
    unjudged: NDArray[np.float64]
    around: NDArray[np.float64]

    @property
    def position(self) -> NDArray[np.float64]:
        """The places, from 1 on."""
        return np.arange(1.0, self.good.shape[1] + 1)

    @property
    def inside(self) -> NDArray[np.float64]:
        """How many unjudged items each list holds."""
        count: NDArray[np.float64] = np.sum(self.open, axis=1, dtype=np.float64)
        return count

    def first(self, k: int | None) -> Block:
        """Keep the first ``k`` places."""
        if k is None or k >= self.good.shape[1]:
            return self
        good, unknown = self.good[:, :k], self.open[:, :k]
        return replace(self, good=good, open=unknown, gain=self.gain[:, :k])


@dataclass(frozen=True, slots=True)
class OpenLists:
    """All lists of a study's systems, as a belief sees them."""

    hits: Hits
    unjudged: NDArray[np.float64]
    around: NDArray[np.float64]

    def blocks(self, deepest: int | None, *, graded: bool) -> Iterator[Block]:
        """Give the cells block by block, the longest lists first, as far down as ``deepest``."""
        study, belief = self.hits.judged.study, self.hits.judged.belief
        p = belief.of_all(len(study.items))
        gain = belief.gain_of(np.arange(len(study.items))) if graded else np.zeros(len(p))
        kind = np.where(np.isnan(p), 2, p > 0).astype(np.int8)
        order = self._order()
        length = self.hits.length if deepest is None else np.minimum(self.hits.length, deepest)
        query = self.hits.query_of_cell()
        by, begin = np.argsort(-length, kind="stable"), 0
        while begin < len(by):
            width = max(int(length[by[begin]]), 1)
            cell = by[begin : begin + max(1, BLOCK // width)]
            across = np.arange(width)
            there = across < length[cell][:, None]
            place = np.where(there, self.hits.judged.starts[cell][:, None] + across, 0)
            item = order[place] if len(order) else np.zeros(place.shape, np.int64)
            what = np.where(there, kind[item], 0) if len(kind) else np.zeros(place.shape, np.int8)
            worth = np.where(there, gain[item], 0.0) if graded else np.zeros((len(cell), width))
            yield Block(
                cell, query[cell], what == 1, what == 2, worth,
                self.hits.relevant[cell], self.unjudged[cell], self.around[cell],
            )  # fmt: skip
            begin += len(cell)

    def _order(self) -> NDArray[np.int32]:
        """Give the items of all lists, best first."""
        ranking = self.hits.judged.ranking
        rows = np.arange(int(ranking.starts[-1]))
        rows[ranking.moved_places] = ranking.moved_rows
        rows = rows if ranking.returned is None else ranking.returned[rows]
        return self.hits.judged.study.answers.item[rows]


def open_lists(study: Study, belief: Belief, *, ties: Ties = "trec") -> OpenLists:
    """Look at the lists of a study with a belief that does not speak of all items.

    Where ties are settled by relevance, unjudged items stand between relevant ones and others.

    Examples
    --------
    >>> from consilience.belief import gold
    >>> from consilience.study import study
    >>> made = study({"s": {"q": ["x", "a"]}, "t": {"q": ["y"]}}, truth={"q": {"a": 1, "b": 0}})
    >>> lists = open_lists(made, gold(made))
    >>> block = next(lists.blocks(None, graded=False))
    >>> block.good.tolist(), block.open.tolist()
    ([[False, True], [False, False]], [[True, False], [True, False]])
    >>> block.unjudged.tolist()
    [2.0, 2.0]
    """

    def worth(items: NDArray[np.integer]) -> NDArray[np.float64]:
        return np.nan_to_num(belief.of(items), nan=0.5)

    hits = find_hits(study, belief, ties=ties, worth=worth)
    unknown = np.isnan(belief.of_all(len(study.items)))
    query = np.bincount(study.items.query(np.nonzero(unknown)[0]), minlength=len(study.queries))
    around = np.tile(query[belief.queries], hits.systems).astype(np.float64)
    unjudged = held_to(hits, unknown)
    if study.universe is not None and np.isnan(belief.elsewhere):
        more = np.maximum(study.universe - np.diff(study.items.starts), 0)[belief.queries]
        more = np.tile(more, hits.systems)
        around, unjudged = around + more, unjudged + more
    return OpenLists(hits, unjudged, around)
