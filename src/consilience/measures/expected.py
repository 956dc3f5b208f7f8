r"""Expected values of ranked measures, when it is uncertain which items are relevant.

Items are relevant independently of each other with probabilities p_i; R is their number. Measures
that divide by R have no simple mean, but

    E[1 / (c + K)] = ∫ t^(c-1) E[t^K] dt    over t from 0 to 1

turns each into one integral over a product. With s = 1 - t, G(s) = Π (1 - p_i s) over all items
of the query, and u_i(s) = p_i / (1 - p_i s):

    E[X_i / R; R > 0]   = ∫ G u_i ds                                 (the share of recall of item i)
    E[AP; R > 0]        = ∫ G Σ_k (u_k / k) (1 + t Σ_{j<k} u_j) ds   (k: positions of the list)

The integrals are taken by Gauss–Legendre quadrature on panels that grow with the distance from
s = 0, where G is largest; the error is below 1e-12. Values are given that something is relevant
(R > 0), as all measures that divide by R are undefined otherwise. With probabilities of 0 and 1
they are the textbook's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import UsageError, is_number, quote
from consilience.measures.sets import ratio
from consilience.measures.streams import BLOCK, Stretch, added
from consilience.measures.trials import probabilities
from consilience.study.lists import blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.hits import Hits

#: The integrand falls at least as exp(-Σp s): beyond this exponent it is nothing.
FAR = 45.0
#: Ends of the panels, as shares of the whole.
EDGES = (0.0, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
#: Points per panel.
POINTS = 20


@cache
def _nodes() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give points and weights of the quadrature on [0, 1]."""
    x, w = np.polynomial.legendre.leggauss(POINTS)
    ends = list(pairwise(EDGES))
    return (
        np.concatenate([low + (high - low) * (x + 1) / 2 for low, high in ends]),
        np.concatenate([w * (high - low) / 2 for low, high in ends]),
    )


def shares_of_relevant(
    p: NDArray[np.float64], *, more: int = 0, p_more: float = 0.0
) -> NDArray[np.float64]:
    """Give E[X_i / R] of every item, given that something is relevant: expected recall, itemwise.

    The expected recall of a list is the sum over its items. ``more`` further items have the
    probability ``p_more`` each.

    Examples
    --------
    Lamiroy & Sun's Table 3: S1 returns the items 1, 2, 4 and 5.

    >>> share = shares_of_relevant(np.array([0.8, 0.8, 0.4, 0.4, 0.4, 0.4, 0.2]))
    >>> round(float(share[[0, 1, 3, 4]].sum()), 6)
    0.727021
    """
    x, w = _nodes()
    size = float(p.sum()) + more * p_more
    if not size:
        return np.full(len(p), np.nan)
    if _sure(p) and not more * p_more:
        return p / size
    reach = min(1.0, FAR / size)
    total = np.zeros(len(p))
    for s, weight in zip((x * reach).tolist(), (w * reach).tolist(), strict=True):
        left = 1 - p * s
        total += weight * np.exp(np.log(left).sum() + more * np.log1p(-p_more * s)) * (p / left)
    return total / _something(p, more, p_more)


def _something(p: NDArray[np.float64], more: int, p_more: float) -> float:
    """Give the probability that something is relevant."""
    with np.errstate(divide="ignore"):
        return float(-np.expm1(np.log1p(-p).sum() + (more * np.log1p(-p_more) if more else 0.0)))


def expected_ap(
    ranked: NDArray[np.float64],
    p: NDArray[np.float64],
    *,
    more: int = 0,
    p_more: float = 0.0,
) -> float:
    """Give the expected average precision (step) of a list, given that something is relevant.

    Parameters
    ----------
    ranked
        The probabilities of the returned items, best first.
    p
        The probabilities of all items of the query, in any order.
    more, p_more
        So many further items, with this probability each.

    Examples
    --------
    >>> both = np.array([0.5, 0.5])
    >>> round(expected_ap(both, both), 6)  # (1/4 · 1 + 1/4 · 1/2 + 1/4 · 1) / (3/4)
    0.833333
    """
    for name, value in (("more", more), ("p_more", p_more)):
        if not is_number(value) or not value >= 0:
            raise UsageError(f"{name} is a number from 0, found {quote(value)} (fix: {name}=0)")
    both = probabilities(ranked), probabilities(p)
    return float(expected_aps([both[0]], both[1], more=more, p_more=p_more)[0])


def expected_aps(
    lists: Sequence[NDArray[np.float64]],
    p: NDArray[np.float64],
    *,
    more: int = 0,
    p_more: float = 0.0,
) -> NDArray[np.float64]:
    """Give the expected average precision of several lists of the same query at once."""
    x, w = _nodes()
    size = float(p.sum()) + more * p_more
    if not size:
        return np.full(len(lists), np.nan)
    if _sure(p) and not more * p_more:
        return np.array([_ap(one, size) for one in lists])
    reach = min(1.0, FAR / size)
    length = np.array([len(one) for one in lists], np.int64)
    ranked = np.concatenate([np.zeros(0), *lists])
    number = np.repeat(np.arange(len(lists)), length)
    first = (np.cumsum(length) - length)[number]
    position = np.arange(1, len(ranked) + 1) - first
    total = np.zeros(len(lists))
    for s, weight in zip((x * reach).tolist(), (w * reach).tolist(), strict=True):
        u = ranked / (1 - ranked * s)
        before = np.cumsum(u) - u
        before -= before[first]
        product = np.exp(np.log(1 - p * s).sum() + more * np.log1p(-p_more * s))
        term = u / position * (1 + (1 - s) * before)
        total += weight * product * np.bincount(number, term, len(lists))
    return np.minimum(total / _something(p, more, p_more), 1.0)


def _sure(p: NDArray[np.float64]) -> bool:
    return bool(((p == 0.0) | (p == 1.0)).all())


def _ap(ranked: NDArray[np.float64], size: float) -> float:
    """Give the textbook's average precision of a list under a sure truth."""
    found = np.flatnonzero(ranked)
    return float((np.arange(1, len(found) + 1) / (found + 1)).sum() / size)


def average_precision(hits: Hits, *, k: int | None = None) -> NDArray[np.float64]:
    """Give the expected average precision (step) of every cell, as :func:`expected_ap` does."""
    x, w = _nodes()
    pools = _pools(hits)
    reach = np.minimum(1.0, FAR / np.maximum(pools.size, 1e-300))
    points = np.outer(x, reach)
    product = np.stack(
        [weight * reach * np.exp(pools.log(s)) for weight, s in zip(w, points, strict=True)]
    )
    total = np.zeros(hits.cells)
    for near in _some(hits, k):
        first = np.searchsorted(near.cell, near.cell)
        mine = pools.of_cell[near.cell]
        here = np.zeros(len(near.cell))
        for s, weight in zip(points, product, strict=True):
            u = near.p / (1 - near.p * s[mine])
            before = np.cumsum(u) - u
            before -= before[first]
            here += weight[mine] * (u / near.position * (1 + (1 - s[mine]) * before))
        added(near, here, total)
    return ratio(total, pools.something()[pools.of_cell])


def _some(hits: Hits, k: int | None) -> Iterator[Stretch]:
    """Give the hits that may be relevant, some at a time; those among the first ``k``."""
    several = hits.all() if k is None and hits.all is not None else _kept(hits)
    for one in several:
        near = one.p > 0 if k is None else (one.p > 0) & (one.position <= k)
        yield Stretch(one.cell[near], one.position[near], one.p[near], one.gain[near])


def _kept(hits: Hits) -> Iterator[Stretch]:
    """Give the hits that were kept, whole cells together."""
    ends = np.searchsorted(hits.cell, np.arange(hits.cells + 1))
    for low, high in blocks(ends, BLOCK):
        here = slice(int(ends[low]), int(ends[high]))
        yield Stretch(hits.cell[here], hits.position[here], hits.p[here], hits.gain[here])


def reciprocal_rank(hits: Hits, *, k: int | None = None) -> NDArray[np.float64]:
    """Give the expected reciprocal rank of every cell: Σ p_k / k Π_{j<k} (1 - p_j)."""
    value = np.zeros(hits.cells)
    for near in _some(hits, k):
        first = np.searchsorted(near.cell, near.cell)
        sure = near.p == 1.0
        none = np.log1p(-np.where(sure, 0.0, near.p))
        above, found = np.cumsum(none) - none, np.cumsum(sure) - sure
        unsure = found == found[first]  # nothing above is sure to be relevant
        before = np.where(unsure, np.exp(above - above[first]), 0.0)
        added(near, near.p * before / near.position, value)
    pools = _pools(hits)
    return ratio(value, pools.something()[pools.of_cell])


def success(hits: Hits, *, k: int | None) -> NDArray[np.float64]:
    """Give the probability that a relevant item stands among the first ``k``."""
    none = np.zeros(hits.cells)
    for near in _some(hits, k):
        added(near, _log_none(near.p), none)
    pools = _pools(hits)
    return ratio(-np.expm1(none), pools.something()[pools.of_cell])


def _log_none(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give log(1 - p); for p = 1 a number that no sum brings back."""
    with np.errstate(divide="ignore"):
        return np.maximum(np.log1p(-p), -1e4)


@dataclass(frozen=True, slots=True)
class _Pools:
    """All items that could be relevant to a cell: those of its query, or those it spoke of.

    Item ``i`` is in pool ``pool[i]`` and has probability ``p[i]``; in each pool there are ``more``
    items with ``p_more``.
    """

    of_cell: NDArray[np.int64]
    pool: NDArray[np.int64]
    p: NDArray[np.float64]
    more: NDArray[np.float64]
    p_more: NDArray[np.float64]

    @property
    def size(self) -> NDArray[np.float64]:
        """How many items of each pool are expected to be relevant."""
        return np.bincount(self.pool, self.p, len(self.more)) + self.more * self.p_more

    def log(self, s: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give log Π (1 - p s) of every pool, at a point for each."""
        inside = np.bincount(self.pool, _log_none(self.p * s[self.pool]), len(self.more))
        return inside + self.more * _log_none(self.p_more * s)

    def something(self) -> NDArray[np.float64]:
        """Give the probability that something is relevant; 0 where nothing can be."""
        return -np.expm1(self.log(np.ones(len(self.more))))


def _pools(hits: Hits) -> _Pools:
    study, belief = hits.judged.study, hits.judged.belief
    evaluated = np.nonzero(belief.queries)[0]
    column = np.full(len(study.queries), -1)
    column[evaluated] = np.arange(len(evaluated))
    known = np.nan_to_num(belief.p) > 0
    pool = column[study.items.query(belief.item[known])]
    p = belief.p[known][pool >= 0]
    mentioned = np.diff(study.items.starts)[evaluated]
    more, p_more = np.zeros(len(evaluated)), np.zeros(len(evaluated))
    if study.universe is not None and belief.unseen is not None:
        spoken = np.bincount(column[study.items.query(belief.item)] + 1, minlength=len(more) + 1)
        more = np.maximum(study.universe - np.minimum(spoken[1:], mentioned), 0.0)
        p_more = np.nan_to_num(belief.unseen[evaluated])
    of_cell = hits.query_of_cell()
    own, own_pool, own_p = _own_pools(hits, column)
    asked = of_cell[own]
    of_cell[own] = len(evaluated) + np.arange(len(own))
    return _Pools(
        of_cell,
        np.concatenate([pool[pool >= 0], len(evaluated) + own_pool]),
        np.concatenate([p, own_p]),
        np.concatenate([more, more[asked]]),
        np.concatenate([p_more, p_more[asked]]),
    )


def _own_pools(
    hits: Hits, column: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Find the cells that are judged by what they spoke of, and those items' probabilities."""
    study, belief = hits.judged.study, hits.judged.belief
    answers, people = study.answers, study.respondents
    unsure = np.array([silence == "unknown" for silence in people.silence], bool)
    lists = unsure[answers.respondent] & (column[answers.query] >= 0)
    if answers.vote is None or not lists.any():
        nothing = np.zeros(0, np.int64)
        return nothing, nothing, np.zeros(0)
    line = np.full(len(people), -1)
    systems = people.of_kind("system")
    line[systems] = np.arange(len(systems))
    cell = line[answers.respondent] * hits.queries + column[answers.query]
    number = np.cumsum(lists) - 1
    list_of_row = answers.list_of_row()
    rows = np.nonzero(lists[list_of_row] & ~np.isnan(answers.vote))[0]
    p = np.nan_to_num(belief.of(answers.item[rows]))
    return cell[lists], number[list_of_row[rows]], p
