"""What a majority vote can and cannot guarantee.

Each of L voters is right with a known probability; how their errors go together is unknown. Then
the majority is right with a probability between two limits, and both are reached by some
dependence [1]_ (for unequal accuracies [2]_). With equal accuracy p and odd L = 2l + 1::

    most  = min(1, p L / (l + 1))        the "pattern of success"
    least = max(0, (p L − l) / (l + 1))  the "pattern of failure"

Between them lies the figure for independent voters. Three voters of accuracy 0.6 can be right
together 0.9 of the time, or 0.4 of the time: less than each alone.

References
----------
.. [1] L. I. Kuncheva, C. J. Whitaker, C. A. Shipp and R. P. W. Duin, "Limits on the majority vote
   accuracy in classifier fusion", Pattern Analysis & Applications 6, 2003, pp. 22–31.
.. [2] O. Matan, "On voting ensembles of classifiers", AAAI-96 Workshop on Integrating Multiple
   Learned Models, 1996, pp. 84–88.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import UsageError
from consilience.given import numbers_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: Fewer items than this are none.
NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class Limits:
    """How often a majority is right: at least, at most, and if the voters were independent.

    ``agreed`` counts the items on which each voter agrees with the majority, and all that it spoke
    of (2 × voters), where accuracies were found so; those of parts of a study add up.
    """

    least: float
    most: float
    independent: float
    agreed: NDArray[np.float64] | None = field(default=None, compare=False, repr=False)


def agreed_limits(agreed: NDArray[np.float64]) -> Limits | None:
    """Bound the accuracy of a majority of voters who are right as often as they agree with it.

    Examples
    --------
    >>> limits = agreed_limits(np.array([[6.0, 6.0, 6.0, 0.0], [10.0, 10.0, 10.0, 0.0]]))
    >>> round(limits.least, 6), round(limits.most, 6)
    (0.4, 0.9)
    """
    spoke = agreed[1] > NOTHING
    if not spoke.any():
        return None
    found = majority_limits(np.clip(agreed[0, spoke] / agreed[1, spoke], 0.0, 1.0))
    return replace(found, agreed=agreed)


def majority_limits(accuracy: ArrayLike) -> Limits:
    """Bound the accuracy of the majority vote of voters with given accuracies.

    The majority is right when more than half of the voters are; with an even number a draw counts
    as wrong. With accuracies rising p_1 ≤ … ≤ p_L and k = ⌊L/2⌋ + 1 votes needed::

        most  = min(1, min_m Σ_{i ≤ L−k+m} p_i / m)            m = 1 … k

    and the least is 1 − the same for the voters' errors 1 − p_i, of which L − k + 1 are needed.

    Examples
    --------
    >>> limits = majority_limits([0.6, 0.6, 0.6])
    >>> round(limits.least, 6), round(limits.most, 6), round(limits.independent, 6)
    (0.4, 0.9, 0.648)
    """
    p = np.sort(numbers_of(accuracy, "accuracies", fix="[0.6, 0.7, 0.6]"))
    if not len(p) or not bool(((p >= 0) & (p <= 1)).all()):
        raise UsageError("accuracies are numbers from 0 to 1, at least one of them (fix: [0.6])")
    needed = len(p) // 2 + 1
    most = _most(p, needed)
    least = 1 - _most(1 - p[::-1], len(p) - needed + 1)
    right = np.ones(1)
    for one in p:  # the distribution of how many are right, one voter at a time
        right = np.convolve(right, [1 - one, one])
    return Limits(least, most, float(right[needed:].sum()))


def _most(p: NDArray[np.float64], needed: int) -> float:
    """How often so many things happen together, at most, if each happens p (rising) of the time."""
    m = np.arange(1, needed + 1)
    below = np.concatenate([[0.0], np.cumsum(p)])
    return min(1.0, float((below[len(p) - needed + m] / m).min()))
