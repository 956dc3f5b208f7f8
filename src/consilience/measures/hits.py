"""Where the relevant items stand: all that measures need to know of ten million answers.

A *cell* is a system under a query. For every cell there is how much was returned and how much is
relevant; for every *hit*, a returned item of positive probability or gain, its cell, its position
and its worth. Nearly all rows of a run are misses; leaving them out makes measuring almost free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.measures.streams import BLOCK, Stretch, list_sums, stretches
from consilience.study.ranking import Ranking, Ties, Worth, rank_answers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief import Belief
    from consilience.study import Study


@dataclass(frozen=True, slots=True)
class Hits:
    """Systems × queries, flattened: cell ``s * queries + q``; hits sorted by cell, then position.

    ``returned`` and ``relevant`` are sums of votes and of probabilities; ``universe`` is the
    number of items a cell chooses from. ``put`` tells whether the system was asked the query.
    ``cumulated`` counts the relevant hits of the cell up to and including each. Where not every
    hit is kept, ``found`` is what was found of the relevant in all, and ``all`` gives all hits,
    some at a time.
    """

    systems: int
    queries: int
    put: NDArray[np.bool_]
    ordered: NDArray[np.bool_]
    returned: NDArray[np.float64]
    length: NDArray[np.int64]
    relevant: NDArray[np.float64]
    universe: NDArray[np.float64]
    cell: NDArray[np.int64]
    position: NDArray[np.int64]
    p: NDArray[np.float64]
    vote: NDArray[np.float64]
    gain: NDArray[np.float64]
    cumulated: NDArray[np.float64]
    ideal: Ideal
    judged: Judged
    crisp: bool
    tied: int
    found: NDArray[np.float64] | None = None
    all: Callable[[], Iterator[Stretch]] | None = None

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return self.systems * self.queries

    def sum(
        self, worth: NDArray[np.float64], where: NDArray[np.bool_] | None = None
    ) -> NDArray[np.float64]:
        """Add something up over the hits of each cell."""
        cell = self.cell if where is None else self.cell[where]
        worth = worth if where is None else worth[where]
        return np.bincount(cell, worth, self.cells).astype(np.float64, copy=False)

    def within(self, k: int | None) -> NDArray[np.bool_] | None:
        """Tell which hits stand among the first ``k``."""
        return None if k is None else self.position <= k

    def query_of_cell(self) -> NDArray[np.int64]:
        """Give the (evaluated) query of each cell."""
        return np.tile(np.arange(self.queries), self.systems)


@dataclass(frozen=True, slots=True)
class Ideal:
    """The gains of each query's judged items, sorted by query, then highest first."""

    query: NDArray[np.int64]
    position: NDArray[np.int64]
    gain: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judged:
    """What is needed to tell how much of a list's beginning has been judged."""

    study: Study
    belief: Belief
    ranking: Ranking
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]

    def known(self, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell which of some places hold an item that somebody has judged."""
        return ~np.isnan(self.belief.of(self.study.answers.item[self.ranking.answers(places)]))


def find_hits(
    study: Study,
    belief: Belief,
    *,
    ties: Ties = "trec",
    deepest: int | None = None,
    graded: bool = True,
    worth: Worth | None = None,
) -> Hits:
    """Find where the relevant items stand in the systems' answers.

    Where nearly every item is somewhat probable, nearly every answer is a hit. Then ``deepest``
    says how far down hits are kept; what lies below is only added up (``found``, ``all``).
    ``graded`` tells whether the ideal order of gains is needed; ``worth`` what items are worth
    where ties are settled by that (None: their probabilities).

    Examples
    --------
    >>> from consilience.belief import gold
    >>> from consilience.study import study
    >>> made = study({"s": {"q": ["a", "b", "c"]}}, truth={"q": {"a": 1, "b": 0, "c": 1, "d": 1}})
    >>> hits = find_hits(made, gold(made))
    >>> hits.position.tolist(), hits.relevant.tolist()
    ([1, 3], [3.0])
    """
    answers = study.answers
    ranking = rank_answers(study, ties=ties, worth=worth or belief.of)
    evaluated = np.nonzero(belief.queries)[0]
    column = _column(study, belief)
    systems = study.respondents.of_kind("system")
    cell_of_list = _cell_of_list(study, belief)
    place, list_of = _worthy(study, belief, ranking, cell_of_list, deepest)
    if len(ranking.moved_rows):
        by = np.argsort(place, kind="stable")  # lists are in the order of cells already
        place, list_of = place[by], list_of[by]
    cell = cell_of_list[list_of]
    rows = ranking.answers(place)
    item = answers.item[rows]
    p, gain = _worth(study, belief, item)
    vote = np.ones(len(rows)) if answers.vote is None else answers.vote[rows]
    put, ordered, returned, length, relevant, universe = _cells(
        study, belief, ranking, cell_of_list, len(systems), evaluated
    )
    crisp = belief.crisp and (answers.vote is None or not _fractional(answers.vote))
    return Hits(
        len(systems), len(evaluated), put, ordered, returned, length, relevant, universe, cell,
        place - ranking.starts[list_of] + 1, p, vote, gain,
        _cumulated(cell, p),
        _ideal(study, belief, column, graded),
        _judged(study, belief, ranking, cell_of_list, len(systems) * len(evaluated)),
        crisp, ranking.tied,
        None if deepest is None else _found(study, belief, cell_of_list, len(put)),
        None if deepest is None else partial(stretches, study, belief, ranking, cell_of_list),
    )  # fmt: skip


def _worth(
    study: Study, belief: Belief, item: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the probabilities and the gains of some items."""
    if len(belief.item) == len(study.items):  # it speaks of every item
        return np.nan_to_num(belief.p[item]), belief.gain[item]
    return np.nan_to_num(belief.of(item)), belief.gain_of(item)


def _column(study: Study, belief: Belief) -> NDArray[np.int64]:
    """Number the queries that a belief speaks of; -1: the others."""
    column = np.full(len(study.queries), -1)
    column[belief.queries] = np.arange(int(belief.queries.sum()))
    return column


def _cell_of_list(study: Study, belief: Belief) -> NDArray[np.int64]:
    """Give the cell of every list; -1 where the belief does not speak of its query."""
    answers, column = study.answers, _column(study, belief)
    systems = study.respondents.of_kind("system")
    line = np.full(len(study.respondents), -1)
    line[systems] = np.arange(len(systems))
    cell = line[answers.respondent] * int(belief.queries.sum()) + column[answers.query]
    cell[column[answers.query] < 0] = -1
    return cell


def _fractional(vote: NDArray[np.float64]) -> bool:
    return bool(((vote > 0) & (vote < 1)).any())


def _worthy(
    study: Study,
    belief: Belief,
    ranking: Ranking,
    cell_of_list: NDArray[np.int64],
    deepest: int | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the places of hits and their lists, as far down as they are needed."""
    worth = np.zeros(len(study.items), bool)
    worth[belief.item[(belief.p > 0) | (belief.gain > 0)]] = True
    item = study.answers.item
    item = item if ranking.returned is None else item[ranking.returned]
    rows = _near_the_top(ranking, deepest)
    if rows is None:
        blocks = range(0, len(item), BLOCK)
        found = [begin + worth[item[begin : begin + BLOCK]].nonzero()[0] for begin in blocks]
        rows = np.concatenate([np.zeros(0, np.int64), *found])
    else:
        rows = rows[worth[item[rows]]]
    list_of = np.searchsorted(ranking.starts, rows, side="right") - 1
    known = cell_of_list[list_of] >= 0
    return ranking.places(rows[known]), list_of[known]


def _near_the_top(ranking: Ranking, deepest: int | None) -> NDArray[np.int64] | None:
    """Give the rows that stand among the first of their lists; None: all are wanted."""
    if deepest is None:
        return None
    length = np.minimum(np.diff(ranking.starts), deepest)
    list_of = np.repeat(np.arange(len(length)), length)
    inside = np.arange(len(list_of)) - (np.cumsum(length) - length)[list_of]
    rows = ranking.rows(ranking.starts[:-1][list_of] + inside)
    return np.sort(rows) if len(ranking.moved_rows) else rows


def _found(
    study: Study, belief: Belief, cell_of_list: NDArray[np.int64], cells: int
) -> NDArray[np.float64]:
    """Add up the probabilities of all that was returned, times the votes, for every cell."""
    answers = study.answers
    p = np.nan_to_num(belief.of_all(len(study.items)))

    def worth(begin: int, end: int) -> NDArray[np.float64]:
        here = np.empty(end - begin)
        p.take(answers.item[begin:end], out=here, mode="clip")
        return here if answers.vote is None else here * np.nan_to_num(answers.vote[begin:end])

    total = list_sums(answers.starts, worth)
    known = cell_of_list >= 0
    return np.bincount(cell_of_list[known], total[known], cells).astype(np.float64, copy=False)


def _cells(
    study: Study,
    belief: Belief,
    ranking: Ranking,
    cell_of_list: NDArray[np.int64],
    systems: int,
    evaluated: NDArray[np.int64],
) -> tuple[NDArray[Any], ...]:
    """Say for each cell: was it put, is it ordered, how much was returned, is relevant, exists."""
    count = systems * len(evaluated)
    put, ordered = np.zeros(count, bool), np.zeros(count, bool)
    length, returned = np.zeros(count, np.int64), np.zeros(count)
    known = cell_of_list >= 0
    cell = cell_of_list[known]
    put[cell] = True
    ordered[cell] = ranking.ordered[known]
    length[cell] = np.diff(ranking.starts)[known]
    returned[cell] = length[cell]
    if study.answers.vote is not None:
        votes = study.answers.vote
        total = list_sums(study.answers.starts, lambda begin, end: np.nan_to_num(votes[begin:end]))
        returned[cell] = total[known]
    relevant, universe = _held_to(study, belief, cell_of_list, systems)
    return put, ordered, returned, length, relevant, universe


def query_sums(study: Study, belief: Belief) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Tell for each query how much is relevant in all (Σ p), and how many items there are."""
    query = study.items.query(belief.item)
    p = np.nan_to_num(belief.p)
    relevant = np.bincount(query, p, len(study.queries)).astype(np.float64, copy=False)
    more_relevant, more = _unmentioned_sums(study, belief)
    return relevant + more_relevant, _pool(study, belief) + more


def _pool(study: Study, belief: Belief) -> NDArray[np.float64]:
    """Count the items of each query that a belief reckons as mentioned."""
    if belief.unseen is None:
        return np.diff(study.items.starts).astype(np.float64)
    query = study.items.query(belief.item)  # it speaks of all items but those that it leaves out
    return np.bincount(query, minlength=len(study.queries)).astype(np.float64)


def _unmentioned_sums(
    study: Study, belief: Belief
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Tell how much is relevant of the items that nobody mentioned, and how many there are."""
    none = np.zeros(len(study.queries))
    if study.universe is None:
        return none, none
    more = study.universe - _pool(study, belief)
    return none if belief.unseen is None else more * belief.unseen, more


def _held_to(
    study: Study, belief: Belief, cell_of_list: NDArray[np.int64], systems: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Tell what each cell is held to: how much is relevant, out of how many items.

    A system whose silence means "unknown" is held to the items it spoke of, and to those that
    nobody mentioned: these it has not returned.
    """
    relevant, universe = (
        np.tile(one[belief.queries], systems) for one in query_sums(study, belief)
    )
    more_relevant, more = (
        np.tile(one[belief.queries], systems) for one in _unmentioned_sums(study, belief)
    )
    here, cell, item = _spoken_of(study, cell_of_list)
    p, cells = np.nan_to_num(belief.of(item)), len(relevant)
    relevant[here] = (np.bincount(cell, p, cells) + more_relevant)[here]
    universe[here] = (np.bincount(cell, minlength=cells) + more)[here]
    return relevant, universe


def _spoken_of(
    study: Study, cell_of_list: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Find the cells whose silence means "unknown", and the items that they spoke of, cell by cell.

    Gives these cells; then, for every item spoken of, its cell and the item.
    """
    answers = study.answers
    unsure = np.array([silence == "unknown" for silence in study.respondents.silence], bool)
    lists = unsure[answers.respondent] & (cell_of_list >= 0)
    if not lists.any() or answers.vote is None:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int32)
    list_of_row = answers.list_of_row()
    rows = np.nonzero(lists[list_of_row] & ~np.isnan(answers.vote))[0]
    return cell_of_list[lists], cell_of_list[list_of_row[rows]], answers.item[rows]


def held_to(hits: Hits, marked: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Count some items for every cell: those of its query, or those that the system spoke of.

    ``marked`` tells of every item of the study whether it counts.

    Examples
    --------
    >>> from consilience.belief import gold
    >>> from consilience.study import study
    >>> made = study({"s": {"q": ["a"]}, "t": {"q": ["b"]}}, truth={"q": {"a": 1, "c": 0}})
    >>> belief = gold(made)
    >>> held_to(find_hits(made, belief), belief.of_all(3) == 0).tolist()
    [1.0, 1.0]
    """
    study, belief = hits.judged.study, hits.judged.belief
    items = np.nonzero(marked)[0]
    count = np.bincount(study.items.query(items), minlength=len(study.queries))
    counts = np.tile(count[belief.queries], hits.systems).astype(np.float64)
    here, cell, item = _spoken_of(study, _cell_of_list(study, belief))
    counts[here] = np.bincount(cell, marked[item], hits.cells)[here]
    return counts


def _cumulated(cell: NDArray[np.int64], p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up the probabilities of each cell's hits, first to last."""
    total = np.cumsum(p)
    first = np.ones(len(cell), bool)
    np.not_equal(cell[1:], cell[:-1], out=first[1:])
    before = (total - p)[first]
    return total - np.repeat(before, np.diff(np.append(np.nonzero(first)[0], len(cell))))


def _ideal(study: Study, belief: Belief, column: NDArray[np.int64], graded: bool) -> Ideal:
    worthy = belief.gain > 0 if graded else np.zeros(len(belief.gain), bool)
    worthy &= column[study.items.query(belief.item)] >= 0
    query, gain = column[study.items.query(belief.item[worthy])], belief.gain[worthy]
    by = np.lexsort((-gain, query))
    query, gain = query[by], gain[by]
    starts = np.searchsorted(query, query, side="left")
    return Ideal(query, np.arange(len(query)) - starts + 1, gain)


def _judged(
    study: Study, belief: Belief, ranking: Ranking, cell_of_list: NDArray[np.int64], cells: int
) -> Judged:
    starts, ends = np.zeros(cells, np.int64), np.zeros(cells, np.int64)
    known = cell_of_list >= 0
    starts[cell_of_list[known]] = ranking.starts[:-1][known]
    ends[cell_of_list[known]] = ranking.starts[1:][known]
    return Judged(study, belief, ranking, starts, ends)
