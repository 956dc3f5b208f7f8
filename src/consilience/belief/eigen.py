r"""No truth: how good voters are can be read off the covariances of their votes.

Let x_k = ±1 be the votes on an item. If voters err independently given the truth, the covariance of
two voters depends on nothing but how good each is (Parisi et al. 2014)::

    Q_kl = cov(x_k, x_l) = (1 − b²) (2π_k − 1)(2π_l − 1) = v_k v_l          k ≠ l

with π_k the balanced accuracy of k and b = 2·prevalence − 1. So Q, but for its diagonal, has rank
one, and its eigenvector v orders the voters by balanced accuracy: the *spectral meta-learner*.
With μ_k = mean x_k the two rates of a voter follow, once b is known (Jaffe et al. 2015)::

    sensitivity_k = ½ (1 + μ_k + v_k √((1−b)/(1+b)))
    specificity_k = ½ (1 − μ_k + v_k √((1+b)/(1−b)))

b is the value under which these rates make the votes most likely (the *restricted likelihood* of
Jaffe et al., a search in one dimension), and the belief is what the two coins of
:mod:`consilience.belief.coins` then say. Nothing is iterated between belief and rates, so there are
no local optima; where voters do depend on each other it errs as Dawid–Skene does.

Conventions
-----------
- v is the rank-one fit by least squares to the off-diagonal, each pair weighted by the number of
  items that both spoke of; diagonal, unshared and merged pairs are filled in by the fit until it
  stands (Srebro & Jaakkola 2003). Items that nobody mentioned are votes of no.
- Copies (φ > ``near``) say nothing about each other and weigh as one voter.
- The sign of v is such that the voters are, on average, better than chance.
- Rates are kept half a vote away from 0 and 1.
- Whoever shares items with fewer than two others, who share some too, has no say (v = 0).

References
----------
F. Parisi, F. Strino, B. Nadler and Y. Kluger, "Ranking and combining multiple predictors without
labeled data", PNAS 111 (2014), pp. 1253–1258.

A. Jaffe, B. Nadler and Y. Kluger, "Estimating the accuracies of multiple classifiers without
labeled data", AISTATS 2015, PMLR 38, pp. 407–415.

N. Srebro and T. Jaakkola, "Weighted low-rank approximations", ICML 2003, pp. 720–727.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

from consilience.belief.coins import belief_of, e_step, known_truth
from consilience.belief.coins_em import PSEUDO
from consilience.belief.dependence import copy_groups
from consilience.belief.families import one_each
from consilience.belief.patterns import Patterns, patterns_of
from consilience.belief.votes import Evidence, votes_of
from consilience.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from consilience.belief.model import Belief
    from consilience.study import Study

#: Covariances below the square of this are rounding.
FLAT = 1e-6
#: Prevalences at which the likelihood is looked at first; the best is then refined.
_GRID = 41


@dataclass(frozen=True, slots=True)
class Pairs:
    """Votes of every two voters: shared items and covariance; and each one's mean.

    Votes count as ±1; covariances run over the items that both spoke of, and are 0 where there
    are none.
    """

    shared: NDArray[np.float64]
    covariance: NDArray[np.float64]
    mean: NDArray[np.float64]


def spectral(
    study: Study,
    *,
    near: float | None = 0.95,
    evidence: Evidence = "clamp",
    relevant_from: float = 1.0,
) -> Belief:
    """Believe voters as far as the covariances of their votes say they are good (SML).

    Parameters
    ----------
    study
        The study; at least three of its voters must have spoken of the same items.
    near
        The correlation φ beyond which voters are copies, which weigh as one; None: nobody is.
    evidence, relevant_from
        As in :func:`consilience.belief.coins.dawid_skene`.

    Returns
    -------
    Belief
        ``details`` has "eigenvector" (v), "balanced_accuracy", "sensitivity" and
        "false_positive_rate" by name, "prevalence", "log_likelihood", and "rank_one", the share
        of the squared covariances that v explains: 1 where voters are independent.

    Raises
    ------
    UsageError
        If fewer than three voters can be compared with each other.

    Examples
    --------
    >>> from consilience.study import study
    >>> votes = {
    ...     "item": list("stuvwxyz"),
    ...     "a": [1, 1, 1, 1, 0, 0, 0, 0],
    ...     "b": [1, 1, 1, 0, 0, 0, 0, 1],
    ...     "c": [1, 1, 0, 1, 0, 0, 1, 0],
    ... }
    >>> belief = spectral(study(votes))
    >>> (belief.p > 0.5).tolist()
    [True, True, True, True, False, False, False, False]
    """
    votes = votes_of(study, evidence=evidence, relevant_from=relevant_from)
    known, unseen = known_truth(study, evidence, relevant_from)
    patterns = patterns_of(votes, known=known, known_unseen=unseen)
    pairs = pairs_of(patterns)
    group = copy_groups(votes, near=near)
    weight = one_each(group)
    trust = _trust(pairs, group, weight)
    v = rank_one(pairs.covariance, trust)
    if not float(np.abs(v).max(initial=0.0)) > FLAT:
        raise UsageError(
            "the votes do not vary together, so the spectral belief has nothing to go by "
            "(fix: another belief, such as ls-eb)"
        )
    prevalence, coin, p, likelihood = _most_likely(patterns, pairs, v, weight)
    rates = {
        "eigenvector": v,
        "balanced_accuracy": (coin[:, 0] + 1 - coin[:, 1]) / 2,
        "sensitivity": coin[:, 0],
        "false_positive_rate": coin[:, 1],
    }
    named = {key: dict(zip(votes.names, rate.tolist(), strict=True)) for key, rate in rates.items()}
    return belief_of(
        votes,
        patterns,
        p,
        method="spectral",
        assumes="given the truth, voters err independently; most are better than chance",
        effective=float(weight.sum()),
        details={
            **named,
            "prevalence": prevalence,
            "log_likelihood": likelihood,
            "rank_one": _explained(pairs.covariance, trust, v),
        },
    )


def pairs_of(patterns: Patterns) -> Pairs:
    """Compare every two voters, from sparse sums.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y"]}, "b": {"q": ["x", "z"]}}, universe=4)
    >>> pairs = pairs_of(patterns_of(votes_of(made)))
    >>> pairs.shared.tolist(), pairs.covariance.tolist(), pairs.mean.tolist()
    ([[4.0, 4.0], [4.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0])
    """
    counted = patterns.yes.multiply(patterns.count[:, None]).tocsr()
    both = (patterns.yes.T @ counted).toarray()
    mine = _where_spoken(patterns, counted)
    shared = _shared(patterns)
    known = np.maximum(shared, 1e-12)
    covariance = 4 * (both / known - (mine / known) * (mine / known).T)
    own = np.diag(mine) / np.maximum(np.diag(shared), 1e-12)
    return Pairs(shared, np.where(shared > 0, covariance, 0.0), 2 * own - 1)


def _where_spoken(patterns: Patterns, table: csr_array) -> NDArray[np.float64]:
    """Add up a table of votes (rows of the result) over the items each voter spoke of."""
    silent = patterns.says_no.T.astype(np.float64)
    total: NDArray[np.float64] = (table.T @ patterns.grouped()) @ silent
    if patterns.shift is not None:
        total += (table.T @ patterns.shift).toarray()
    return total


def _shared(patterns: Patterns) -> NDArray[np.float64]:
    """Count the items that every two voters spoke of."""
    silent = patterns.says_no.astype(np.float64)
    size = np.bincount(patterns.group, weights=patterns.count, minlength=silent.shape[1])
    total: NDArray[np.float64] = (silent * size) @ silent.T
    if patterns.shift is not None:
        shift = patterns.shift.multiply(patterns.count[:, None]).tocsr()
        total += (shift.T @ patterns.shift).toarray()
        one_sided = _where_spoken(patterns, shift) - (shift.T @ patterns.shift).toarray()
        total += one_sided + one_sided.T
    return total


def _trust(
    pairs: Pairs, group: NDArray[np.int64], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Weigh pairs by the items that they share; a pair of copies, or of one, counts nothing.

    Copies share the weight of one voter, here as in the belief.
    """
    trust = np.where(group[:, None] == group[None, :], 0.0, pairs.shared)
    trust *= np.outer(weight, weight)
    known = (trust > 0).astype(np.float64)
    compared = np.diag(known @ known @ known) > 0
    if not compared.any():
        raise UsageError(
            "the spectral belief compares three voters or more that spoke of the same items and "
            f"are no copies of each other; among these {len(group)} there are none "
            "(fix: another belief, such as ls-eb or dawid-skene)"
        )
    trust *= compared[:, None] & compared[None, :]
    scaled: NDArray[np.float64] = trust / trust.max()
    return scaled


def rank_one(
    matrix: NDArray[np.float64],
    trust: NDArray[np.float64],
    *,
    iterations: int = 2000,
    tolerance: float = 1e-12,
) -> NDArray[np.float64]:
    """Fit ``v v'`` to covariances by least squares, entries weighted by trust in [0, 1].

    v² cannot be more than the variances on the diagonal, though these are not fitted.

    Examples
    --------
    >>> v = np.array([0.9, 0.5, 0.4, 0.1])
    >>> covariance = np.outer(v, v) + np.diag([0.1, 0.2, 0.3, 0.4])
    >>> rank_one(covariance, 1 - np.eye(4)).round(6).tolist()
    [0.9, 0.5, 0.4, 0.1]
    """
    from scipy.linalg import eigh

    last, most = len(matrix) - 1, np.sqrt(np.maximum(np.diag(matrix), 0.0))
    v, seen = np.zeros(len(matrix)), trust * matrix
    for _ in range(iterations):
        value, vector = eigh(
            seen + (1 - trust) * np.outer(v, v), subset_by_index=[last, last], check_finite=False
        )
        new = np.sqrt(max(float(value[0]), 0.0)) * vector[:, 0]
        new = np.clip(new if new.sum() >= 0 else -new, -most, most)
        moved, v = float(np.abs(new - v).max()), new
        if moved <= tolerance:
            break
    return v


def _explained(
    matrix: NDArray[np.float64], trust: NDArray[np.float64], v: NDArray[np.float64]
) -> float:
    """The share of the weighted squared entries that ``v v'`` explains."""
    total = float((trust * matrix**2).sum())
    rest = float((trust * (matrix - np.outer(v, v)) ** 2).sum())
    return 1 - rest / total if total > 0 else float("nan")


def _rates(pairs: Pairs, v: NDArray[np.float64], prevalence: float) -> NDArray[np.float64]:
    """Give P(yes | relevant) and P(yes | not) of every voter (Jaffe et al. 2015)."""
    ratio = np.sqrt((1 - prevalence) / prevalence)
    coin = (1 + pairs.mean[:, None] + v[:, None] * np.array([ratio, -1 / ratio])) / 2
    edge = (PSEUDO / (np.diag(pairs.shared) + 2 * PSEUDO))[:, None]
    clipped: NDArray[np.float64] = np.clip(coin, edge, 1 - edge)
    return clipped


def _most_likely(
    patterns: Patterns, pairs: Pairs, v: NDArray[np.float64], weight: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64], NDArray[np.float64], float]:
    """Find the prevalence that makes the votes most likely; give rates, belief and likelihood."""
    from scipy.optimize import minimize_scalar

    count = patterns.counted()

    def unlikely(odds: float) -> float:
        prevalence = float(expit(odds))
        return -float(count @ e_step(patterns, _rates(pairs, v, prevalence), prevalence, weight)[1])

    edge = float(logit(PSEUDO / (count.sum() + 2 * PSEUDO)))
    grid = np.linspace(edge, -edge, _GRID)
    best = int(np.argmin([unlikely(odds) for odds in grid.tolist()]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
    found = minimize_scalar(unlikely, bounds=(low, high), method="bounded")
    odds = float(found.x) if found.fun <= unlikely(float(grid[best])) else float(grid[best])
    prevalence = float(expit(odds))
    coin = _rates(pairs, v, prevalence)
    scores, likelihood = e_step(patterns, coin, prevalence, weight)
    p = np.where(np.isnan(patterns.known), expit(scores), patterns.known)
    return prevalence, coin, p, float(count @ likelihood)
