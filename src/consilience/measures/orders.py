"""How far two rankings of the same systems agree: rank correlations.

A ranking is a column of scores, one a system, the higher the better (for ranks, pass their
negatives). Only the order counts. A system without a finite score in both columns is left out.
What is undefined is NaN: a correlation of fewer than two systems, or of a ranking in which all
systems are tied.

===================== ============================ ============================================
function              what an error costs          ties
===================== ============================ ============================================
:func:`kendall`       everywhere the same          τ_b: a ranking's tied pairs are left out of
                                                   its half of the denominator
:func:`tau_ap`        more at the top              τ_ap,b (Urbano & Marrero 2017)
:func:`weighted_tau`  more at the top of either    as τ_b, every pair weighted
:func:`spearman`      by how far ranks are apart   mean ranks
===================== ============================ ============================================

What is about the top alone (RBO, overlap, regret) is in :mod:`consilience.measures.tops`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import UsageError
from consilience.given import numbers_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: So many comparisons are held at a time.
CELLS = 1 << 18


@dataclass(frozen=True, slots=True)
class Crossed:
    """What the pairs of systems say, system by system; one row for each draw of the scores.

    ``both`` counts the systems that both rankings put above a system, ``neither`` those that both
    put below it; ``only_a`` and ``only_b`` those that one puts above and the other below.
    ``above_a``, ``below_a``, ``above_b`` and ``below_b`` count what one ranking says.
    """

    both: NDArray[np.int64]
    neither: NDArray[np.int64]
    only_a: NDArray[np.int64]
    only_b: NDArray[np.int64]
    above_a: NDArray[np.int64]
    below_a: NDArray[np.int64]
    above_b: NDArray[np.int64]
    below_b: NDArray[np.int64]

    def kendall(self) -> NDArray[np.float64]:
        """Give τ_b of every draw."""
        over = (self.both - self.only_b).sum(axis=1)
        untied = self.above_a.sum(axis=1) * self.above_b.sum(axis=1).astype(np.float64)
        return divided(over, np.sqrt(untied))

    def tau_ap(self) -> NDArray[np.float64]:
        """Give τ_ap of every draw, with ``a`` as the reference."""
        return self._tau_ap(self.above_a, self.above_b)

    def tau_ap_symmetric(self) -> NDArray[np.float64]:
        """Give the mean of both directions of τ_ap, of every draw."""
        forth = self._tau_ap(self.above_a, self.above_b)
        return (forth + self._tau_ap(self.above_b, self.above_a)) / 2

    def _tau_ap(
        self, reference: NDArray[np.int64], other: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Average, over who is not first, how many of those above rightly are above.

        ``reference`` and ``other`` count who is above each system in either ranking.
        """
        share = (self.both / np.maximum(other, 1)).sum(axis=1)
        ordered = reference.any(axis=1)  # a reference that ties all systems orders none of them
        return 2 * divided(share, (other > 0).sum(axis=1) * ordered) - 1

    def weighted(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the weighted τ of every draw, for weights of systems that add up over pairs."""
        net = self.both + self.neither - self.only_a - self.only_b
        sides = (self.above_a + self.below_a, self.above_b + self.below_b)
        a, b = ((weight * side).sum(axis=1) for side in sides)
        return divided((weight * net).sum(axis=1), np.sqrt(a * b))


def crossed(a: NDArray[np.float64], b: NDArray[np.float64]) -> Crossed:
    """Count, for every system, whom each ranking puts above and below it.

    Parameters
    ----------
    a, b
        Draws × systems; a system with an undefined score in a draw takes no part in it.

    Examples
    --------
    >>> found = crossed(np.array([[3.0, 2, 1]]), np.array([[2.0, 3, 1]]))
    >>> found.both.tolist(), found.only_a.tolist(), found.only_b.tolist()
    ([[0, 0, 2]], [[0, 1, 0]], [[1, 0, 0]])
    """
    both = np.isfinite(a) & np.isfinite(b)
    a, b = np.where(both, a, np.nan), np.where(both, b, np.nan)
    draws, systems = a.shape
    counts = np.zeros((8, draws, systems), np.int64)
    step = max(1, CELLS // max(systems, 1))
    for begin in range(0, draws, step):
        here = slice(begin, begin + step)
        for system in range(systems):
            counts[:, here, system] = _around(a[here], b[here], system)
    return Crossed(*counts)


def _around(a: NDArray[np.float64], b: NDArray[np.float64], system: int) -> list[NDArray[np.int64]]:
    """Count what is above and below one system, in the order of :class:`Crossed`."""
    mine, yours = a[:, [system]], b[:, [system]]
    above_a, below_a, above_b, below_b = a > mine, a < mine, b > yours, b < yours
    told = (
        *(above_a & above_b, below_a & below_b, above_a & below_b, below_a & above_b),
        *(above_a, below_a, above_b, below_b),
    )
    return [np.count_nonzero(one, axis=1) for one in told]


def divided(over: NDArray[np.number], under: NDArray[np.number]) -> NDArray[np.float64]:
    """Divide; NaN where there is nothing to divide by."""
    made = np.full(over.shape, np.nan)
    np.divide(over, under, out=made, where=under > 0)
    return made


def kendall(a: ArrayLike, b: ArrayLike) -> float:
    """Kendall's τ_b of two rankings.

    (C − D) / √(U_a U_b): C pairs of systems stand in the same order in both rankings, D in opposite
    orders; U_a pairs are not tied in ``a``, and U_b are not tied in ``b``.

    Parameters
    ----------
    a, b
        Scores of the same systems, the higher the better.

    References
    ----------
    M. G. Kendall, "The treatment of ties in ranking problems", Biometrika 33 (1945) 239–251.

    Examples
    --------
    >>> kendall([1, 2, 3, 4], [1, 2, 4, 3])
    0.6666666666666666
    """
    return float(crossed(*_rows(a, b)).kendall()[0])


def tau_ap(reference: ArrayLike, other: ArrayLike, *, symmetric: bool = False) -> float:
    """AP correlation: Kendall's τ with more weight on errors at the top of the other ranking.

    τ_ap = 2 / (n − 1) Σ_{i=2}^{n} C(i) / (i − 1) − 1. C(i) counts, of the systems above rank i of
    ``other``, those that the reference puts above that system, too: with 1 for a perfect order
    and −1 for its reverse. Where ``other`` has ties, the sum runs over the systems that are not
    tied for its first place, and i − 1 is the number of systems strictly above (one half of
    τ_ap,b); a pair that the reference ties is not in the right order.

    Parameters
    ----------
    reference, other
        Scores of the same systems, the higher the better; the reference is held for true.
    symmetric
        The mean of both directions: τ_ap,b, which is the symmetric τ_ap where nothing is tied.

    References
    ----------
    E. Yilmaz, J. A. Aslam and S. Robertson, "A new rank correlation coefficient for information
    retrieval", SIGIR 2008, 587–594.
    J. Urbano and M. Marrero, "The treatment of ties in AP correlation", ICTIR 2017, 321–324.

    Examples
    --------
    An error at the top costs more than one at the bottom.

    >>> round(tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), 4), round(tau_ap([4, 3, 2, 1], [4, 3, 1, 2]), 4)
    (0.3333, 0.7778)
    """
    found = crossed(*_rows(reference, other))
    return float((found.tau_ap_symmetric() if symmetric else found.tau_ap())[0])


def weighted_tau(a: ArrayLike, b: ArrayLike) -> float:
    """Vigna's weighted τ with additive hyperbolic weights.

    Σ s_ij w_ij / √(Σ a_ij² w_ij · Σ b_ij² w_ij) over pairs i < j, where a_ij and b_ij are the signs
    of the differences, s_ij = a_ij b_ij, and w_ij = 1 / (r_i + 1) + 1 / (r_j + 1) for ranks r from
    0 on. The ranks are those of ``a`` (ties by ``b``), then those of ``b`` (ties by ``a``), and
    the two figures are averaged, as :func:`scipy.stats.weightedtau` does.

    Parameters
    ----------
    a, b
        Scores of the same systems, the higher the better.

    References
    ----------
    S. Vigna, "A weighted correlation index for rankings with ties", WWW 2015, 1166–1176.

    Examples
    --------
    >>> round(weighted_tau([4, 3, 2, 1], [3, 4, 2, 1]), 4)
    0.52
    """
    one, other = known(a, b)
    found = crossed(one[None], other[None])
    weights = (_hyperbolic(one, other), _hyperbolic(other, one))
    return float(np.mean([found.weighted(weight)[0] for weight in weights]))


def _hyperbolic(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weigh systems by their rank in one ranking, ties settled by the other."""
    weight = np.empty(len(first))
    weight[np.lexsort((-second, -first))] = 1 / np.arange(1, len(first) + 1)
    return weight


def spearman(a: ArrayLike, b: ArrayLike) -> float:
    """Spearman's ρ: the linear correlation of the ranks; tied systems have their mean rank.

    Parameters
    ----------
    a, b
        Scores of the same systems, the higher the better.

    References
    ----------
    C. Spearman, "The proof and measurement of association between two things", American Journal
    of Psychology 15 (1904) 72–101.

    Examples
    --------
    >>> round(spearman([1, 2, 3, 4], [1, 2, 4, 3]), 4)
    0.8
    """
    one, other = (_middle(column) for column in known(a, b))
    spread = np.sqrt((one @ one) * (other @ other))
    return float(one @ other / spread) if spread else float("nan")


def _middle(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the systems' ranks, tied ones their mean, counted from the middle."""
    first, last = places(scores)
    return (first + last) / 2 - (len(scores) + 1) / 2


def places(scores: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the first and the last rank that a system shares with those it is tied to, from 1 on.

    Examples
    --------
    >>> [ranks.tolist() for ranks in places(np.array([0.5, 0.7, 0.5]))]
    [[2, 1, 2], [3, 1, 3]]
    """
    rising = np.sort(-scores)
    first = np.searchsorted(rising, -scores, side="left") + 1
    return first, np.searchsorted(rising, -scores, side="right")


def known(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the scores of the systems that have one in both columns.

    Examples
    --------
    >>> [column.tolist() for column in known([1, np.nan, 3], [3, 2, 1])]
    [[1.0, 3.0], [3.0, 1.0]]
    """
    one, other = (numbers_of(column, "scores", axes=None) for column in (a, b))
    if one.ndim != 1 or one.shape != other.shape:
        raise UsageError(
            f"two rankings of the same systems are two columns of one length, found shapes "
            f"{one.shape} and {other.shape} (fix: give a score for every system in both)"
        )
    both = np.isfinite(one) & np.isfinite(other)
    return one[both], other[both]


def _rows(a: ArrayLike, b: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    one, other = known(a, b)
    return one[None], other[None]
