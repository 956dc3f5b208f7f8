"""What distributions need of a study: each system's list, and all that it could have returned.

A *cell* is a system under a query, as in :mod:`consilience.measures.hits`. Here every item of a
list counts, in its order, with its probability; and so does every item of the query that the
list leaves out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import UsageError
from consilience.measures.trials import Count, number_relevant
from consilience.study.ranking import rank_answers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief import Belief
    from consilience.study import Study
    from consilience.study.ranking import Ties


@dataclass(frozen=True, slots=True)
class Cell:
    """One system's answer to one query.

    ``place`` numbers the returned items among the items of the query (best first where
    ``ordered``), ``p`` holds their probabilities. ``spoken`` marks the items of the query that
    the system can be held to: all of them (None), or those that it spoke of where its silence
    means "unknown". ``put`` is False where the system was not asked.
    """

    place: NDArray[np.int64]
    p: NDArray[np.float64]
    spoken: NDArray[np.bool_] | None
    ordered: bool
    put: bool
    unjudged: int

    @property
    def returned(self) -> int:
        """How many items were returned."""
        return len(self.place)

    def inside(self, items: int) -> NDArray[np.bool_]:
        """Mark the returned ones among the items of the query."""
        mask = np.zeros(items, bool)
        mask[self.place] = True
        return mask


@dataclass(frozen=True, slots=True)
class Query:
    """One query: the probability of each of its items, and every system's cell.

    ``more`` items that nobody mentioned are relevant with probability ``p_more`` each.
    """

    name: str
    p: NDArray[np.float64]
    more: int
    p_more: float
    cells: tuple[Cell, ...]

    @property
    def size(self) -> float:
        """The expected number of relevant items, |ω|."""
        return float(self.p.sum()) + self.more * self.p_more

    def rest(self, cell: Cell, upto: int | None = None) -> Count:
        """Count the relevant items beyond the first ``upto`` of a list (by default beyond all)."""
        left = np.ones(len(self.p), bool) if cell.spoken is None else cell.spoken.copy()
        left[cell.place[:upto]] = False
        count = number_relevant(self.p[left])
        return count.plus(self.unmentioned()) if self.more else count

    def unmentioned(self) -> Count:
        """Count the relevant ones among the items that nobody mentioned."""
        return number_relevant(np.full(self.more, self.p_more))

    def something(self, cell: Cell | None) -> float:
        """Give the probability that something is relevant, as far as a system is held to it."""
        p = self.p if cell is None or cell.spoken is None else self.p[cell.spoken]
        with np.errstate(divide="ignore"):
            none = np.log1p(-p).sum() + (self.more * np.log1p(-self.p_more) if self.more else 0.0)
        return float(-np.expm1(none))

    def size_for(self, cell: Cell) -> float:
        """Give |ω| as far as a system can be held to it."""
        p = self.p if cell.spoken is None else self.p[cell.spoken]
        return float(p.sum()) + self.more * self.p_more


@dataclass(frozen=True, slots=True)
class Lists:
    """All queries that a belief speaks of, one after the other when asked for.

    ``tied`` counts the answers that share their score with another one of their list.
    """

    study: Study
    belief: Belief
    systems: tuple[str, ...]
    queries: tuple[str, ...]
    tied: int
    _list: NDArray[np.int64]  # systems × queries, -1: not put
    _item: NDArray[np.int64]  # items of all lists, best first
    _starts: NDArray[np.int64]
    _ordered: NDArray[np.bool_]
    _evaluated: NDArray[np.int64]
    _p: NDArray[np.float64]

    def __iter__(self) -> Iterator[Query]:
        for column in range(len(self.queries)):
            yield self.query(column)

    def query(self, column: int) -> Query:
        """Give one query."""
        code = self._evaluated[column]
        begin, end = self.study.items.starts[code : code + 2]
        belief, universe = self.belief, self.study.universe
        more = 0 if universe is None or belief.unseen is None else universe - int(end - begin)
        return Query(
            self.queries[column],
            np.nan_to_num(self._p[begin:end]),
            max(more, 0),
            0.0 if belief.unseen is None else float(np.nan_to_num(belief.unseen[code])),
            tuple(self._cell(number, begin, end) for number in self._list[:, column].tolist()),
        )

    def _cell(self, number: int, begin: int, end: int) -> Cell:
        if number < 0:
            nothing = np.zeros(0, np.int64)
            return Cell(nothing, np.zeros(0), None, ordered=False, put=False, unjudged=0)
        item = self._item[self._starts[number] : self._starts[number + 1]]
        p = self._p[item]
        answers, people = self.study.answers, self.study.respondents
        spoken = None
        if people.silence[answers.respondent[number]] == "unknown" and answers.vote is not None:
            rows = slice(*answers.starts[number : number + 2])
            spoken = np.zeros(end - begin, bool)
            spoken[answers.item[rows][~np.isnan(answers.vote[rows])] - begin] = True
            spoken = None if spoken.all() else spoken  # then nothing is left out
        return Cell(
            item - begin,
            np.nan_to_num(p),
            spoken,
            ordered=bool(self._ordered[number]),
            put=True,
            unjudged=int(np.isnan(p).sum()),
        )

    @property
    def longest(self) -> int:
        """The length of the longest list."""
        return max((self.longest_of(number) for number in range(len(self.systems))), default=0)

    def longest_of(self, system: int) -> int:
        """Give the length of a system's longest list."""
        lists = self._list[system][self._list[system] >= 0]
        return int((self._starts[lists + 1] - self._starts[lists]).max(initial=0))

    def ordered(self, system: int) -> bool:
        """Tell whether all lists of a system that hold something have an order."""
        lists = self._list[system][self._list[system] >= 0]
        empty = self._starts[lists + 1] == self._starts[lists]
        return bool((self._ordered[lists] | empty).all())

    @property
    def answers(self) -> int:
        """How many items the systems returned in all."""
        lists = self._list[self._list >= 0]
        return int((self._starts[lists + 1] - self._starts[lists]).sum())


def lists_of(study: Study, belief: Belief, *, ties: Ties = "trec") -> Lists:
    """Look at a study list by list.

    Examples
    --------
    >>> from consilience.belief import gold
    >>> from consilience.study import study
    >>> made = study({"s": {"q": ["a", "c"]}}, truth={"q": {"a": 1, "b": 1, "c": 0}})
    >>> query = lists_of(made, gold(made)).query(0)
    >>> query.cells[0].p.tolist(), query.size
    ([1.0, 0.0], 2.0)
    """
    answers = study.answers
    if answers.vote is not None and bool(((answers.vote > 0) & (answers.vote < 1)).any()):
        raise UsageError(
            "distributions need answers of yes and no, and some votes are fractions "
            "(fix: write 1 and 0; a fraction can stand in a column 'score')"
        )
    ranking = rank_answers(study, ties=ties, worth=belief.of)
    systems = study.respondents.of_kind("system")
    line = np.full(len(study.respondents), -1)
    line[systems] = np.arange(len(systems))
    evaluated = np.nonzero(belief.queries)[0]
    column = np.full(len(study.queries), -1)
    column[evaluated] = np.arange(len(evaluated))
    number = np.full((len(systems), len(evaluated)), -1, np.int64)
    known = (line[answers.respondent] >= 0) & (column[answers.query] >= 0)
    number[line[answers.respondent[known]], column[answers.query[known]]] = np.nonzero(known)[0]
    places = np.arange(int(ranking.starts[-1]))
    return Lists(
        study,
        belief,
        study.systems,
        tuple(study.queries[code] for code in evaluated),
        ranking.tied,
        number,
        answers.item[ranking.answers(places)].astype(np.int64),
        ranking.starts,
        ranking.ordered,
        evaluated,
        np.clip(belief.of_all(len(study.items)), 0.0, 1.0),  # sums of shares may end at 1 + 1e-16
    )
