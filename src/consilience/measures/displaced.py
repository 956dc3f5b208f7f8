"""Weighted displacement: how far a system's order is from one subject's order.

A subject's answer is a list of items with relevances s₁ ≥ s₂ ≥ …; the system places the k-th of
them at π_k. The *weighted displacement* is

    w = Σ_k s_k |k − π_k|,

0 for identical lists. Where the system returned n items and not all of the subject's, the items
split into A (in both lists), B (the subject's only) and C (the system's only, which weigh nothing).

- *exact*: every item that weighs something was returned; w = w_A.
- *optimist*: the i-th item of B, in the subject's order, stands at n + i. The system showed n
  items without it, so it cannot stand before n + 1; no arrangement of the unseen rest gives a
  smaller w. With lists of equal length m this is the paper's m + i (eq. 22).
- *pessimist*: every item of B is N places away, N the size of the collection: w_B = Σ_B s·N
  (eq. 23). Without N it is undefined.

A system that returned nothing gives the optimist nothing to go by (by his rule an empty list would
be a perfect one). It is left to the pessimist.

Ties in a subject's relevances leave the order open: ``order`` keeps the rows as given, ``best``
sorts tied items by the system's positions (those it did not return last), ``worst`` the other way.

References
----------
S. Santini, "Benchmarking without ground truth", §5, eq. 17–23.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.errors import UsageError, quote, unknown
from consilience.given import float_of, listed
from consilience.measures.asking import (
    Answer,
    check_items,
    drawn,
    drawn_whole,
    is_number,
    pairs_of,
)
from consilience.study.subjects import SubjectLists

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study.model import Study
    from consilience.study.ranking import Ranking

#: How a subject's tied items are ordered.
SubjectTies = Literal["order", "best", "worst"]
SUBJECT_TIES: tuple[SubjectTies, ...] = ("order", "best", "worst")
#: Why w is undefined.
NO_COLLECTION = "the size of the collection is not given, and not all items were returned"
NOTHING = "nothing was returned"


@dataclass(frozen=True, slots=True)
class Seen:
    """One system's answers as positions.

    ``position[i]`` is where item i of the study stands in its list, from 1; 0 where the system did
    not return it. ``returned[q]`` is how many items it returned for query q.
    """

    position: NDArray[np.int64]
    returned: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Displaced:
    """One system against every list of every subject; one entry a list.

    ``w_both`` is w_A, ``w_beyond`` the optimist's w_B, ``weight_beyond`` is Σ_B s. ``missing``
    counts items of B that weigh something, ``in_both`` all items of A.
    """

    w_both: NDArray[np.float64]
    w_beyond: NDArray[np.float64]
    weight_beyond: NDArray[np.float64]
    in_both: NDArray[np.int64]
    missing: NDArray[np.int64]
    returned: NDArray[np.int64]

    @property
    def exact(self) -> NDArray[np.bool_]:
        """Whether every item that weighs something was returned."""
        return np.equal(self.missing, 0)

    @property
    def optimist(self) -> NDArray[np.float64]:
        """The optimist's w; NaN where nothing was returned of what weighs something."""
        empty = (self.returned == 0) & ~self.exact
        return np.where(empty, np.nan, self.w_both + self.w_beyond)

    def pessimist(self, collection: int | None) -> NDArray[np.float64]:
        """The pessimist's w; NaN where it takes the size of the collection to tell."""
        far = np.nan if collection is None else float(collection)
        return np.where(self.exact, self.w_both, self.w_both + self.weight_beyond * far)


def seen_by(study: Study, ranking: Ranking, system: int) -> Seen:
    """Lay a system's ranked answers out as positions.

    Parameters
    ----------
    study, ranking
        The study and the order of its answers.
    system
        The number of the respondent.
    """
    answers = study.answers
    lists = np.flatnonzero(answers.respondent == system)
    position = np.zeros(len(study.items), np.int64)
    returned = np.zeros(len(study.queries), np.int64)
    if len(lists):
        first, last = int(lists[0]), int(lists[-1]) + 1
        starts = ranking.starts[first : last + 1]
        length = np.diff(starts)
        places = np.arange(int(starts[0]), int(starts[-1]))
        item = answers.item[ranking.answers(places)]
        position[item] = places - np.repeat(starts[:-1], length) + 1
        returned[answers.query[lists]] = length
    return Seen(position, returned)


def displaced(lists: SubjectLists, seen: Seen, *, ties: SubjectTies = "order") -> Displaced:
    """Compare one system with all lists of all subjects at once.

    Parameters
    ----------
    lists
        The subjects' lists.
    seen
        The system's answers.
    ties
        How a subject's tied items are ordered.
    """
    at = seen.position[lists.item]
    if ties != "order":
        at = _rearranged(at, lists, worst=ties == "worst")
    of, starts = lists.list_of_row(), lists.starts
    k = np.arange(len(of)) - starts[of] + 1
    here = at > 0
    beyond = ~here & (lists.relevance > 0)
    count = np.concatenate([[0], np.cumsum(beyond)])
    nth = count[1:] - count[starts[of]]
    returned = seen.returned[lists.query]

    def total(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(of, weights, minlength=len(lists)).astype(np.float64, copy=False)

    s = lists.relevance
    return Displaced(
        total(np.where(here, s * np.abs(k - at), 0.0)),
        total(np.where(beyond, s * (returned[of] + nth - k), 0.0)),
        total(np.where(beyond, s, 0.0)),
        np.bincount(of, here, minlength=len(lists)).astype(np.int64),
        np.diff(count[starts]),
        returned,
    )


def _rearranged(at: NDArray[np.int64], lists: SubjectLists, *, worst: bool) -> NDArray[np.int64]:
    """Give the positions as they stand once tied items are sorted by them."""
    tied = np.flatnonzero(lists.tied())
    behind = np.where(at[tied] > 0, at[tied], np.iinfo(np.int64).max)
    order = np.lexsort((-behind if worst else behind, lists.group[tied]))
    moved = at.copy()
    moved[tied] = at[tied[order]]
    return moved


@dataclass(frozen=True, slots=True)
class Displacement:
    """One subject's list against one system's.

    ``w`` is exact, or where ``exact`` is false the optimist's; where nothing was returned it is
    the pessimist's. An undefined w is NaN, and ``undefined`` says why. ``asked`` is how many
    results were looked at, ``tied`` how many of the subject's items are tied.
    """

    w: float
    w_optimist: float
    w_pessimist: float
    exact: bool
    asked: int
    in_both: int
    subject_only: int
    system_only: int
    missing: tuple[str, ...]
    tied: int
    undefined: str | None


def weighted_displacement(
    subject: Mapping[str, float] | Sequence[str] | Sequence[tuple[str, float]],
    answer: Answer,
    *,
    collection: int | None = None,
    limit: int = 10_000,
    ties: SubjectTies = "order",
) -> Displacement:
    """Compute w = Σ_k s_k |k − π_k| of one subject's list against one system's.

    Parameters
    ----------
    subject
        Items with relevances in [0, 1]: ``{item: relevance}``, pairs, or a pandas Series with items
        for its index; or items alone, in order, each of relevance 1. Relevances order the list,
        highest first.
    answer
        The system's list; ``{item: score}``, highest first (equal scores by name, descending); or
        where to get it: an iterator, or a function of n that gives the first n results. Then no
        more is asked for than it takes to see all items that weigh something.
    collection
        N, for the pessimist.
    limit
        The most results that are asked for.
    ties
        How items of equal relevance are ordered: "order" (as given), "best", "worst".

    Examples
    --------
    The subject ranks a, b, c; the system b, a, d. a moves by 1 and weighs 1, b by 1 and weighs
    0.5; c, 0.2, is missing: at best it stands at 4, one place further down than at 3.

    >>> found = weighted_displacement({"a": 1, "b": 0.5, "c": 0.2}, ["b", "a", "d"], collection=100)
    >>> found.w, found.exact, found.w_pessimist
    (1.7, False, 21.5)

    A system that can be asked for more is asked until all is seen:

    >>> found = weighted_displacement({"a": 1, "b": 0.5, "c": 0.2}, iter("badxcyz"))
    >>> found.w, found.exact, found.asked
    (1.9, True, 5)
    """
    if ties not in SUBJECT_TIES:
        raise unknown("way with a subject's ties", str(ties), SUBJECT_TIES)
    items, s = _subject(subject)
    wanted = {item for item, weight in zip(items, s.tolist(), strict=True) if weight > 0}
    given = hasattr(answer, "__len__") and not callable(answer)
    found = drawn_whole(answer) if given else drawn(answer, wanted, limit=limit)  # type: ignore[arg-type]
    place = {item: k for k, item in enumerate(found, start=1)}
    check_collection(collection, len({*items, *found}), "the two lists")
    one, every = np.zeros(1, np.int64), np.arange(len(items))
    group = np.concatenate([[0], np.cumsum(np.diff(s) != 0)])[: len(items)]
    lists = SubjectLists(("subject",), one, one, np.array([0, len(s)]), every, s, group)
    seen = Seen(np.array([place.get(item, 0) for item in items], np.int64), np.array([len(found)]))
    result = displaced(lists, seen, ties=ties)
    optimist, pessimist = float(result.optimist[0]), float(result.pessimist(collection)[0])
    w = pessimist if np.isnan(optimist) else optimist
    both = int(result.in_both[0])
    return Displacement(
        w,
        optimist,
        pessimist,
        bool(result.exact[0]),
        len(found),
        both,
        len(items) - both,
        len(found) - both,
        tuple(item for item in items if item in wanted and item not in place),
        int(lists.tied().sum()),
        why_undefined(optimist, pessimist),
    )


def why_undefined(optimist: float, pessimist: float) -> str | None:
    """Say what of w is undefined, and why; None where all is defined."""
    if np.isnan(optimist):
        return NOTHING if not np.isnan(pessimist) else f"{NOTHING}; {NO_COLLECTION}"
    return NO_COLLECTION if np.isnan(pessimist) else None


def check_collection(collection: int | None, named: int, where: str) -> None:
    """See that a collection can hold what was named."""
    if collection is None:
        return
    if isinstance(collection, bool) or not isinstance(collection, (int, np.integer)):
        raise UsageError(
            f"a collection is a number of items, found {quote(collection)} (fix: --collection N)"
        )
    if collection < named:
        raise UsageError(
            f"a collection of {collection:,} items is too small: {where} name {named:,} different "
            f"items (fix: --collection {named} or more, as many as the systems chose from)"
        )


def _subject(given: Any) -> tuple[list[str], NDArray[np.float64]]:
    """Bring a subject's list into order: relevances fall, equal ones stay as they were given."""
    if isinstance(given, (str, bytes)):
        raise UsageError(f"{quote(given)} is no list of items (fix: write [{quote(given)}])")
    if isinstance(given, (set, frozenset)):
        raise UsageError("a set of items has no order (fix: give a list, best first)")
    rows = pairs_of(given)
    rows = listed(given) if rows is None else rows
    if rows is None:
        raise UsageError(f"{quote(given)} is no list of items (fix: give a list, best first)")
    pairs = [tuple(row) if _is_pair(row) else (row, 1.0) for row in rows]
    check_items(item for item, _ in pairs)
    for item, relevance in pairs:
        if not is_number(relevance):
            raise UsageError(
                f"the relevance of {quote(item)} is {quote(relevance)} (fix: a number in [0, 1])"
            )
        if not 0 <= relevance <= 1:
            number = f"{float_of(relevance):g}"
            raise UsageError(
                f"the relevance of {quote(item)} is {number} (fix: divide by the highest "
                "possible one, so that it lies in [0, 1])"
            )
    items = [item for item, _ in pairs]
    if len({*items}) < len(items):
        twice = next(item for k, item in enumerate(items) if item in items[:k])
        raise UsageError(f"the subject names {quote(twice)} twice (fix: keep one of the two)")
    pairs.sort(key=lambda pair: -float(pair[1]))
    s = np.array([float(relevance) for _, relevance in pairs], np.float64)
    return [item for item, _ in pairs], s


def _is_pair(row: object) -> bool:
    return isinstance(row, (tuple, list)) and len(row) == 2
