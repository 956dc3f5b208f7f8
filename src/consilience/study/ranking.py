"""In which order did a system answer? Scores decide; ties are settled by a stated rule.

trec_eval sorts by score, highest first, and equal scores by item name, descending by bytes; the
rank column is ignored. That is the default here, too (``ties="trec"``). Alternatives: ``"rank"``
(the rank column settles ties), ``"order"`` (the order of the file), ``"best"`` and ``"worst"``
(relevant items first or last: what ties could do at most).

Most runs come sorted and without ties; then nothing is sorted. Otherwise lists of similar length
are sorted side by side as rows of a matrix, and only tied items are looked at again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from consilience.columns import FEW, numbers
from consilience.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study.model import Answers, Study

#: Gives the worth of some items, such as their probability of being relevant.
Worth: TypeAlias = "Callable[[NDArray[np.integer]], NDArray[np.float64]]"

Ties = Literal["trec", "rank", "order", "best", "worst"]
TIES: tuple[Ties, ...] = ("trec", "rank", "order", "best", "worst")

#: How many cells of a matrix of lists are sorted at a time.
CELLS = 1 << 17


@dataclass(frozen=True, slots=True)
class Ranking:
    """Returned items, list by list, best first.

    List ``l`` fills the places ``starts[l]`` to ``starts[l + 1] - 1``. A place holds the returned
    answer of the same number, but where lists had to be sorted: ``moved_places[j]`` holds
    ``moved_rows[j]``. ``returned`` gives the answers that were returned (None: all). ``ordered``
    tells which lists have an order at all; ``tied`` how many answers share their score.
    """

    returned: NDArray[np.int64] | None
    starts: NDArray[np.int64]
    ordered: NDArray[np.bool_]
    moved_places: NDArray[np.int64]
    moved_rows: NDArray[np.int64]
    tied: int

    def answers(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the answers that stand at some places."""
        rows = self.rows(places)
        return rows if self.returned is None else self.returned[rows]

    def rows(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the returned answers at some places, numbered among those that were returned."""
        return _swap(places, self.moved_places, self.moved_rows)

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the places of some returned answers (numbered among those that were returned)."""
        if not len(self.moved_rows):
            return rows
        shift = self.moved_places - np.arange(len(self.moved_places))  # one throughout a list
        back = np.empty_like(self.moved_places)
        back[self.moved_rows - shift] = self.moved_places
        return _swap(rows, self.moved_places, back)


def _swap(
    values: NDArray[np.int64], keys: NDArray[np.int64], to: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Replace those values that are among the (rising) keys."""
    if not len(keys):
        return values
    place = np.minimum(np.searchsorted(keys, values), len(keys) - 1)
    return np.where(keys[place] == values, to[place], values)


def rank_answers(study: Study, *, ties: Ties = "trec", worth: Worth | None = None) -> Ranking:
    """Put every list of a study's systems in order.

    Parameters
    ----------
    study
        The study.
    ties
        How equal scores are settled.
    worth
        What items are worth, for ``"best"`` and ``"worst"``: usually ``belief.of``.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"s": {"q": {"a": 1.0, "b": 3.0, "c": 1.0}}})
    >>> made.items.names(made.answers.item[rank_answers(made).answers(np.arange(3))])
    ['b', 'c', 'a']
    """
    answers = study.answers
    returned, starts = _returned(answers)
    nothing = np.zeros(0, np.int64)
    if returned is None and _rises(answers):
        return Ranking(None, starts, np.ones(answers.lists, bool), nothing, nothing, 0)
    key = _key(study, returned)
    if key is None:
        return Ranking(returned, starts, np.zeros(answers.lists, bool), nothing, nothing, 0)
    odd = _out_of_order(key, starts)
    ordered = np.ones(answers.lists, bool)
    if len(odd):
        unknown = np.isnan(key).nonzero()[0]
        ordered[np.searchsorted(starts, unknown, side="right") - 1] = False
        odd = odd[ordered[odd]]
    if not len(odd):
        return Ranking(returned, starts, ordered, nothing, nothing, 0)
    places, list_of = _members(starts, odd)
    rows = _sorted_lists(key, starts, odd)
    tied = _settle(study, rows, list_of, key, returned, ties, worth)
    return Ranking(returned, starts, ordered, places, rows, tied)


def _rises(answers: Answers) -> bool:
    """Tell whether ranks alone order the answers, and all of them rise from place to place."""
    rank, starts = answers.rank, answers.starts
    if rank is None or answers.score is not None:
        return False
    first = starts[:-1][starts[1:] > starts[:-1]]
    falls = 0
    for begin in range(0, len(rank), CELLS):
        here = rank[begin : begin + CELLS + 1]
        falls += int(np.count_nonzero(here[1:] <= here[:-1]))
    between = first[1:]
    expected = int(np.count_nonzero(rank[between] <= rank[between - 1]))
    return falls == expected and bool((rank[first] > 0).all())


def _out_of_order(key: NDArray[np.float64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the lists whose keys do not fall from place to place; NaN never does.

    Examples
    --------
    >>> _out_of_order(np.array([3.0, 1.0, 2.0, 2.0, np.nan]), np.array([0, 2, 4, 4, 5])).tolist()
    [1, 3]
    """
    found = []
    for begin in range(0, len(key), CELLS):
        here = key[begin : begin + CELLS + 1]
        found.append(begin + 1 + (~(here[1:] < here[:-1])).nonzero()[0])
    first = starts[:-1][starts[1:] > starts[:-1]]
    places = np.concatenate([*found, first[np.isnan(key[first])]])
    lists = np.searchsorted(starts, places, side="right") - 1
    odd = np.zeros(len(starts) - 1, bool)
    odd[lists[(places != starts[lists]) | np.isnan(key[places])]] = True
    return odd.nonzero()[0]


def _members(
    starts: NDArray[np.int64], lists: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the places of some (rising) lists, and the list of each."""
    length = starts[lists + 1] - starts[lists]
    list_of = np.repeat(np.arange(len(lists)), length)
    ends = np.cumsum(length)
    return np.arange(len(list_of)) - (ends - length)[list_of] + starts[lists][list_of], list_of


def _returned(answers: Answers) -> tuple[NDArray[np.int64] | None, NDArray[np.int64]]:
    """Leave out what a system said no to, or could not tell."""
    if answers.vote is None:
        return None, answers.starts
    yes = answers.vote > 0
    if bool(yes.all()):
        return None, answers.starts
    return np.nonzero(yes)[0], np.concatenate([[0], np.cumsum(yes)])[answers.starts]


def _key(study: Study, rows: NDArray[np.int64] | None) -> NDArray[np.float64] | None:
    """What orders the answers, highest first: scores, else ranks, else votes that are fractions.

    Where a vote is a fraction anywhere, votes order all lists: in every part of a study.
    """
    answers = study.answers
    picked = slice(None) if rows is None else rows
    key: NDArray[np.float64] | None = None
    if answers.score is not None:
        key = answers.score[picked]
    if answers.rank is not None and (key is None or bool(np.isnan(key).any())):
        by_rank = np.where(
            answers.rank[picked] > 0, -answers.rank[picked].astype(np.float64), np.nan
        )
        key = by_rank if key is None else np.where(np.isnan(key), by_rank, key)
    if key is None and answers.vote is not None:
        vote = answers.vote[picked]
        elsewhere = study.whole is not None and bool(study.whole.fractions)
        return vote if elsewhere or bool((vote < 1).any()) else None
    return key


def _sorted_lists(
    key: NDArray[np.float64], starts: NDArray[np.int64], lists: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Sort some lists by falling key, lists of similar length side by side."""
    length = starts[lists + 1] - starts[lists]
    into = np.cumsum(length) - length
    rows = np.empty(int(length.sum()), np.int64)
    width = np.ceil(np.log2(np.maximum(length, 1))).astype(np.int64)
    for power in np.unique(width):
        alike = np.nonzero(width == power)[0]
        widest = int(length[alike].max())
        step = max(1, CELLS // widest)
        for begin in range(0, len(alike), step):
            some = alike[begin : begin + step]
            start, count = starts[lists[some]][:, None], length[some][:, None]
            across = np.arange(widest)
            inside = across < count
            cells = np.where(inside, -key[np.minimum(start + across, len(key) - 1)], np.inf)
            order = np.argsort(cells, axis=1)
            real = order < count  # padding may stand before keys of minus infinity
            rows[(into[some][:, None] + across)[inside]] = (start + order)[real]
    return rows


def _settle(
    study: Study,
    rows: NDArray[np.int64],
    list_of: NDArray[np.int64],
    key: NDArray[np.float64],
    returned: NDArray[np.int64] | None,
    ties: Ties,
    worth: Worth | None,
) -> int:
    """Bring tied answers into the order that the rule wants, in place; tell how many there are."""
    ranked = key[rows]
    same = np.zeros(len(rows), bool)
    np.equal(ranked[1:], ranked[:-1], out=same[1:])
    same[1:] &= list_of[1:] == list_of[:-1]
    member = same.copy()
    member[:-1] |= same[1:]
    places = np.nonzero(member)[0]
    if not len(places):
        return 0
    groups = np.cumsum(~same)[places]
    answers = rows[places] if returned is None else returned[rows[places]]
    rows[places] = rows[places][np.lexsort((_tie_key(study, answers, ties, worth), groups))]
    return len(places)


def _tie_key(
    study: Study, rows: NDArray[np.int64], ties: Ties, worth: Worth | None
) -> NDArray[np.generic]:
    """What tied answers are sorted by, lowest first."""
    answers = study.answers
    if ties == "order":
        return rows
    if ties == "rank":
        if answers.rank is None:
            raise UsageError("ties cannot be settled by rank: there are no ranks (fix: ties=trec)")
        return answers.rank[rows]
    if ties == "trec":
        return -_name_order(study, answers.item[rows])
    if worth is None:
        raise UsageError(f"ties={ties} needs a belief (fix: name a file with --truth)")
    relevance = np.nan_to_num(worth(answers.item[rows]))
    return -relevance if ties == "best" else relevance


def _name_order(study: Study, items: NDArray[np.int32]) -> NDArray[np.int64]:
    """Number items by name, ascending by bytes (which is ascending by letters in UTF-8)."""
    rows = study.items.rows[items]
    if len(rows) <= FEW:
        names = study.items.text.take(rows)
        by_name = np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
    else:
        import pyarrow.compute as pc

        by_name = numbers([pc.sort_indices(study.items.text.arrow(rows))]).astype(np.int64)
    place = np.empty(len(items), np.int64)
    place[by_name] = np.arange(len(items))
    return place
