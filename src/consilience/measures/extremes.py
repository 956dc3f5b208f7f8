"""Worst and best value of ranked measures over all truths that unjudged items allow, list by list.

For a fixed number m of unjudged items that are relevant, a list is best off when these are the m
that stand highest in it, and worst off when they stand outside it, or else lowest: to swap a
relevant item with one further down never helps. So one walk over m finds both ends.

- *Average precision* divides by a number of relevant items that grows with m; both ends come from
  sums that change by one term from m to m + 1.
- *nDCG*: an unjudged item may have any grade from 0 to the highest one given. Discounted gain is
  linear in the gains and its ideal convex, so their ratio is quasi-concave: lowest where all
  unjudged grades are 0 or the highest. Its maximum may need grades in between, but only such as
  judged items of the query have. Write a gain as a sum of steps between grades: the ideal is then
  the sum, over steps, of the discounts of so many first places as there are items that reach the
  step, and "gain − t · ideal" falls apart into one choice of m for every step (Dinkelbach 1967).

Each function gives (lowest, highest) for the cells of a block, as far as the measure is defined;
NaN where no truth makes it so. ``tests/measures/test_bounds.py`` tries all truths.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.ranked import worth
from consilience.measures.sets import ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief import Belief
    from consilience.measures.unjudged import Block
    from consilience.study import Study

    Ends = tuple[NDArray[np.float64], NDArray[np.float64]]

#: With more different grades than this, bounds of nDCG are not looked for.
MOST_GRADES = 50
#: How often a maximum of nDCG is improved at most; five times are usual.
ROUNDS = 100
#: The sums of discounts beyond so many places are computed by an integral.
TABLE = 1 << 20


def average_precision(block: Block) -> Ends:
    """Σ precision at relevant items / R (step), its lowest and highest value."""
    inverse = 1 / block.position
    good, seen = block.good * inverse, block.open * inverse
    found = np.cumsum(block.good, axis=1)
    known = (found * good).sum(axis=1)
    below = good.sum(axis=1, keepdims=True) - np.cumsum(good, axis=1)
    count = np.cumsum(block.open, axis=1)
    gained = np.cumsum(np.where(block.open, (found + count) * inverse + below, 0.0), axis=1)
    high = np.fmax(
        ratio(known, block.relevant),
        np.fmax.reduce(ratio(known[:, None] + gained, block.relevant[:, None] + count), axis=1),
    )
    below += seen.sum(axis=1, keepdims=True) - np.cumsum(seen, axis=1)
    gained = _from_here(np.where(block.open, (found + 1) * inverse + below, 0.0))
    least = block.relevant + block.unjudged - block.inside
    low = np.fmin(
        ratio(known, least),
        np.fmin.reduce(
            ratio(known[:, None] + gained, least[:, None] + _from_here(block.open)), axis=1
        ),
    )
    return low, np.where(np.isnan(high) & ~np.isnan(low), 0.0, high)


def _from_here(values: NDArray[np.generic]) -> NDArray[np.float64]:
    """Add up from each place to the end of the row."""
    total: NDArray[np.float64] = np.cumsum(values[:, ::-1], axis=1, dtype=np.float64)[:, ::-1]
    return total


def reciprocal_rank(block: Block) -> Ends:
    """1 / place of the first relevant item, its lowest and highest value."""
    good, seen = (_first(part) for part in (block.good, block.open))
    last = block.open.shape[1] + 1 - _first(block.open[:, ::-1])
    outside = block.unjudged > block.inside
    possible = (block.relevant > 0) | (block.unjudged > 0)
    low = np.where((block.relevant > 0) | outside, 1 / good, 1 / np.maximum(last, 1.0))
    return np.where(possible, low, np.nan), np.where(possible, 1 / np.minimum(good, seen), np.nan)


def _first(marked: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Give the first marked place of each row, infinite where there is none."""
    return np.where(marked.any(axis=1), marked.argmax(axis=1) + 1.0, np.inf)


def r_precision(block: Block) -> Ends:
    """Precision among the first R, its lowest and highest value; R itself is not known.

    With R = x, x − R_judged unjudged items are relevant. Beyond the end of the list (and of the
    block) the highest value rises while there are unjudged items in the list to be relevant,
    the lowest falls while there are some outside it.
    """
    known, unjudged, inside = block.relevant, block.unjudged, block.inside
    width = float(block.good.shape[1])
    found, seen = np.cumsum(block.good, axis=1), np.cumsum(block.open, axis=1)
    size = block.position[None, :]
    more = size - known[:, None]
    possible = (more >= 0) & (more <= unjudged[:, None])
    high = np.where(possible, (found + np.minimum(more, seen)) / size, np.nan)
    forced = np.maximum(more - (unjudged[:, None] - seen), 0)
    low = np.where(possible, (found + forced) / size, np.nan)

    def beyond(more: NDArray[np.float64]) -> NDArray[np.float64]:
        furthest = known + unjudged
        at = np.minimum(np.maximum(known + more, np.maximum(width, known)), furthest)
        return np.where(furthest >= width, at, np.nan)

    total = found[:, -1]
    best, worst = beyond(inside), beyond(unjudged - inside)
    high_beyond = (total + np.minimum(best - known, inside)) / best
    low_beyond = (total + np.maximum(worst - known - (unjudged - inside), 0)) / worst
    return (
        np.fmin(np.fmin.reduce(low, axis=1), low_beyond),
        np.fmax(np.fmax.reduce(high, axis=1), high_beyond),
    )


@dataclass(frozen=True, slots=True)
class Steps:
    """Gains as sums of steps: how high each step is, how many judged items of a query reach it."""

    height: NDArray[np.float64]
    count: NDArray[np.int64]  # queries × steps
    gain: str

    @property
    def top(self) -> float:
        """What the highest grade is worth."""
        return float(self.height.sum())


def grades_of(study: Study, belief: Belief) -> NDArray[np.float64]:
    """Give the different grades above 0 that were given, rising; one more than may be, at most.

    Examples
    --------
    >>> from consilience.belief import gold
    >>> from consilience.study import study
    >>> made = study({"s": {"q": ["a"]}}, truth={"q": {"a": 2, "b": 0, "c": 1, "d": 2}})
    >>> grades_of(made, gold(made)).tolist()
    [1.0, 2.0]
    """
    given = (belief.gain > 0) & belief.queries[study.items.query(belief.item)]
    return np.unique(belief.gain[given])[: MOST_GRADES + 1]


def steps(
    study: Study, belief: Belief, *, gain: str, grades: NDArray[np.float64] | None = None
) -> Steps | None:
    """Find the steps between the grades that were given; None: there are too many.

    ``grades`` are those of the whole where the study is a part of one; None: its own.
    """
    grades = grades_of(study, belief) if grades is None else grades
    grades = grades if len(grades) else np.ones(1)
    if len(grades) > MOST_GRADES:
        return None
    given = (belief.gain > 0) & belief.queries[study.items.query(belief.item)]
    column = np.cumsum(belief.queries) - 1
    query = column[study.items.query(belief.item[given])]
    exactly = np.zeros((int(belief.queries.sum()), len(grades)), np.int64)
    np.add.at(exactly, (query, np.searchsorted(grades, belief.gain[given])), 1)
    height = np.diff(worth(grades, gain), prepend=0.0)
    return Steps(height, np.cumsum(exactly[:, ::-1], axis=1)[:, ::-1], gain)


def ndcg(block: Block, *, steps: Steps, k: int | None) -> Ends:
    """Discounted gain over the ideal one, its lowest and highest value."""
    discount = 1 / np.log2(1 + block.position)
    got = (worth(block.gain, steps.gain) * discount).sum(axis=1)
    reach = steps.count[block.query]

    def ideal(more: NDArray[np.float64], step: int) -> NDArray[np.float64]:
        places = reach[:, step, None] + more
        return discounted(places if k is None else np.minimum(places, k))

    seen, none = block.open * discount, np.zeros((len(got), 1))
    number = len(steps.height)
    bottom = np.hstack([_from_here(block.open), none])
    outside = (block.around - block.inside)[:, None]
    least = sum(height * ideal(outside + bottom, step) for step, height in enumerate(steps.height))
    tail = np.hstack([_from_here(seen), none])
    low = np.fmin.reduce(ratio(got[:, None] + steps.top * tail, least), axis=1)
    picked = np.hstack([none, np.cumsum(seen, axis=1)])
    count = np.hstack([none, np.cumsum(block.open, axis=1)])
    high = _highest(got, picked, [ideal(count, step) for step in range(number)], steps)
    return low, np.where(np.isnan(high) & ~np.isnan(low), 0.0, high)


def _highest(
    got: NDArray[np.float64],
    picked: NDArray[np.float64],
    ideal: list[NDArray[np.float64]],
    steps: Steps,
) -> NDArray[np.float64]:
    """Raise nDCG, from the best truth with the highest grade alone, until nothing raises it."""
    whole = sum(height * one for height, one in zip(steps.height, ideal, strict=True))
    best: NDArray[np.float64] = np.fmax.reduce(
        ratio(got[:, None] + steps.top * picked, whole), axis=1
    )
    row = np.arange(len(got))
    for _ in range(ROUNDS):
        above, below = got.copy(), np.zeros(len(got))
        for height, one in zip(steps.height, ideal, strict=True):
            chosen = np.argmax(picked - best[:, None] * one, axis=1)
            above += height * picked[row, chosen]
            below += height * one[row, chosen]
        raised = np.fmax(best, ratio(above, below))
        if not bool((raised > best + 1e-15).any()):
            break
        best = raised
    return best


def discounted(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up 1 / log2(1 + i) for i from 1 to so many places.

    Beyond 2^20 places by the sum formula of Euler and Maclaurin; what it leaves out is below
    1e-15 of the sum.

    Examples
    --------
    >>> discounted(np.array([0.0, 1.0, 3.0])).round(4).tolist()
    [0.0, 1.0, 2.1309]
    """
    deepest = int(places.max(initial=0.0))
    table = _near(1 << min(deepest, TABLE).bit_length())
    sums: NDArray[np.float64] = table[np.minimum(places, len(table) - 1).astype(np.int64)]
    if deepest > TABLE:
        far = places > TABLE
        sums[far] = table[TABLE] + _far(places[far]) - _far(np.array(float(TABLE)))
    return sums


@cache
def _near(size: int) -> NDArray[np.float64]:
    """Tabulate the sums of the first discounts."""
    return np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(2.0, size + 2)))])


def _far(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of discounts up to far places, but for a constant."""
    from scipy.special import expi

    log = np.log1p(places)
    slope = -1 / ((1 + places) * log**2)
    far: NDArray[np.float64] = np.log(2) * (expi(log) + 1 / (2 * log) + slope / 12)
    return far
