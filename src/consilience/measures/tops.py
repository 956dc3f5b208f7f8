"""How far two rankings of the same systems agree at the top, and what a wrong choice costs.

As in :mod:`consilience.measures.orders`, a ranking is a column of scores, the higher the better,
and a system without a finite score in both columns is left out. Where there is no system,
everything is undefined (NaN).

===================== ===================================== ===================================
function              what counts                           ties
===================== ===================================== ===================================
:func:`rbo`           who is there from the top down,       RBO^b (Corsi & Urbano 2024), or
                      weighted geometrically                RBO^a, RBO^w
:func:`top_overlap`   who is among the first k              expected, if ties were broken by
                                                            lot
:func:`regret`        what the one chosen lacks to the      expected, if ties were broken by
                      best                                  lot
===================== ===================================== ===================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.errors import UsageError, is_number, unknown
from consilience.measures.orders import CELLS, divided, known, places

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: How far down the top goes, and how patient the reader of RBO is, when nobody says.
TOP, PATIENCE = 10, 0.9
#: How ties are treated in RBO: corrected for, averaged over, or as equal ranks.
RboTies = Literal["b", "a", "w"]
RBO_TIES: tuple[RboTies, ...] = ("b", "a", "w")


def _within(scores: NDArray[np.float64], depths: NDArray[np.int64]) -> NDArray[np.float64]:
    """Give the chance of each system to be among the first d, if ties were broken by lot."""
    first, last = places(scores)
    share = (depths[:, None] - first + 1) / (last - first + 1)
    return np.clip(share, 0.0, 1.0)


def rbo(a: ArrayLike, b: ArrayLike, *, p: float = PATIENCE, ties: RboTies = "b") -> float:
    """Rank-biased overlap, extrapolated: RBO_EXT of two rankings of the same systems.

    (1 − p) / p · Σ_{d=1}^{n} A_d p^d + p^n, where A_d is the agreement of the first d systems (the
    share that both have). A reader goes on from one rank to the next with probability p. Both
    rankings hold the same n systems, so that A_n = 1, and below rank n the agreement stays 1:
    equation (32) of the paper for lists of equal length. For that reason even a reversed ranking
    is above 0.

    With c the chance of a system to be among the first d if its ties were broken by lot, A_d is
    Σ c_a c_b / √(Σ c_a² Σ c_b²) for ``ties="b"`` and Σ c_a c_b / d for ``"a"``, the expected RBO
    over orders of the ties. For ``"w"``, systems that share a rank all stand at its first place,
    and A_d is twice the number in both over the sum of the numbers in either, as Webber et al.
    wrote.

    Parameters
    ----------
    a, b
        Scores of the same systems, the higher the better.
    p
        How patient the reader is: above 0, below 1. About 86 % of the weight is on the first ten
        ranks for 0.9.
    ties
        "b": corrected for, so that a ranking agrees with itself by 1; "a": averaged over; "w":
        equal ranks.

    References
    ----------
    W. Webber, A. Moffat and J. Zobel, "A similarity measure for indefinite rankings", ACM TOIS 28
    (2010) 20:1–20:38, equations (32) and (36).
    M. Corsi and J. Urbano, "The treatment of ties in rank-biased overlap", SIGIR 2024.

    Examples
    --------
    >>> round(rbo([4, 3, 2, 1], [3, 4, 2, 1], p=0.9), 4)
    0.9
    >>> tied = [2, 2, 1]
    >>> rbo(tied, tied), round(rbo(tied, tied, ties="a"), 4)
    (1.0, 0.95)
    """
    check_patience(p)
    if ties not in RBO_TIES:
        raise unknown("way with ties", str(ties), RBO_TIES)
    one, other = known(a, b)
    systems = len(one)
    if not systems:
        return float("nan")
    agreement = np.empty(systems)
    step = max(1, CELLS // systems)
    for begin in range(0, systems, step):
        depths = np.arange(begin + 1, min(begin + step, systems) + 1)
        agreement[depths - 1] = _agreement(one, other, depths, ties)
    depth = np.arange(1, systems + 1)
    weight = (1 - p) * p ** (depth - 1.0)
    return float(1 - weight @ (1 - np.minimum(agreement, 1.0)))


def _agreement(
    a: NDArray[np.float64], b: NDArray[np.float64], depths: NDArray[np.int64], ties: RboTies
) -> NDArray[np.float64]:
    """Give A_d, the agreement of the first d systems, for some depths."""
    if ties == "w":
        one, other = ((places(column)[0] <= depths[:, None]) * 1.0 for column in (a, b))
    else:
        one, other = _within(a, depths), _within(b, depths)
    shared = (one * other).sum(axis=1)
    size: NDArray[np.floating[Any]] = depths * 1.0
    if ties == "w":
        size = (one.sum(axis=1) + other.sum(axis=1)) / 2
    elif ties == "b":
        size = np.sqrt((one * one).sum(axis=1) * (other * other).sum(axis=1))
    return divided(shared, size)


def check_patience(p: object) -> None:
    """Refuse what cannot be RBO's p."""
    if not is_number(p) or not 0 < p < 1:
        raise UsageError(f"RBO's p lies between 0 and 1, found {p} (fix: 0.9)")


def top_overlap(a: ArrayLike, b: ArrayLike, *, k: int = TOP) -> float:
    """Share of the first k systems that two rankings have in common.

    Σ c_a c_b / k, where c is a system's chance to be among the first k: 1 or 0, and in between
    where rank k falls among tied systems, as if ties were broken by lot. With fewer than k
    systems, all of them are the top.

    Parameters
    ----------
    a, b
        Scores of the same systems, the higher the better.
    k
        How many systems the top is.

    Examples
    --------
    >>> top_overlap([5, 4, 3, 2, 1], [5, 1, 4, 3, 2], k=3), top_overlap([2, 1, 1], [3, 2, 1], k=2)
    (0.6666666666666666, 0.75)
    """
    check_top(k)
    one, other = known(a, b)
    if not len(one):
        return float("nan")
    depth = np.array([min(k, len(one))])
    shared = (_within(one, depth) * _within(other, depth)).sum()
    return float(shared / depth[0])


def check_top(k: object) -> None:
    """Refuse what cannot be the number of systems at the top."""
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise UsageError(f"the top is a whole number of systems from 1, found {k} (fix: 10)")


def regret(reference: ArrayLike, other: ArrayLike, *, k: int = 1) -> float:
    """What it costs to choose by another ranking: the best score minus the best one chosen.

    max_i r_i − max_{i ∈ T} r_i, where r are the reference's scores and T is the top k of ``other``.
    For k = 1 that is the regret of the one system chosen; for larger k, of somebody who looks
    closely at the k first. Where ``other`` ties systems at rank k, the expected cost if ties were
    broken by lot: for k = 1, the mean over those that share the first place.

    Parameters
    ----------
    reference
        True scores, the higher the better.
    other
        Scores of the same systems by which the choice is made.
    k
        How many are chosen.

    Examples
    --------
    >>> round(regret([0.5, 0.4, 0.3], [1, 3, 2]), 4), round(regret([0.5, 0.4, 0.3], [1, 3, 3]), 4)
    (0.1, 0.15)
    >>> round(regret([0.5, 0.4, 0.3], [2, 1, 3], k=2), 4)
    0.0
    """
    check_top(k)
    true, guess = known(reference, other)
    if not len(true):
        return float("nan")
    return _lost(true.max() - true, guess, min(k, len(true)))


def _lost(loss: NDArray[np.float64], guess: NDArray[np.float64], k: int) -> float:
    """Expect the least loss among the first k, if ties at rank k were broken by lot.

    Of m tied systems r are drawn: the j-th best of them is the best one drawn with probability
    C(m − j, r − 1) / C(m, r): r / m times the product of (m − r − i) / (m − 1 − i) for i < j − 1.
    """
    edge = np.partition(guess, -k)[-k]
    sure = loss[guess > edge]
    tied = np.sort(loss[guess == edge])
    drawn = k - len(sure)
    many = len(tied) - drawn + 1  # beyond these, fewer are left than are drawn
    step = np.arange(many - 1)
    chance = np.cumprod([drawn / len(tied), *((many - 1 - step) / (len(tied) - 1 - step))])
    return float(chance @ np.minimum(tied[:many], sure.min(initial=np.inf)))


def regrets(reference: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Regret of the system put first, of every draw (draws × systems); NaN where all is undefined.

    Examples
    --------
    >>> regrets(np.array([[0.5, 0.25], [0.5, 0.25]]), np.array([[1.0, 2], [2, 2]])).tolist()
    [0.25, 0.125]
    """
    both = np.isfinite(reference) & np.isfinite(other)
    guess = np.where(both, other, -np.inf)
    first = both & (guess == guess.max(axis=1, keepdims=True))
    best = np.where(both, reference, -np.inf).max(axis=1, keepdims=True)
    loss = np.subtract(best, reference, out=np.zeros(reference.shape), where=first)
    return divided(loss.sum(axis=1), first.sum(axis=1))
