r"""No truth, but voters of different quality: the two coins of Dawid and Skene.

Every voter k tosses one of two coins. If an item is relevant it says yes with probability
``a_k``, its *sensitivity*; if not, with ``b_k``, its *false-positive rate*. Given the truth, voters
are independent. With prevalence π, the item that was voted on with v_k ∈ [0, 1] has::

    log P(v | relevant) = Σ_k w_k [ v_k log a_k + (1 − v_k) log(1 − a_k) ]       and b for a if not
    p = π P(v | relevant) / (π P(v | relevant) + (1 − π) P(v | not))

EM alternates between p (E step) and the shares of yes that p implies (M step)::

    a_k = (Σ_i p_i v_ik + ½) / (Σ_i p_i + 1)       over the items k spoke of; b_k with 1 − p
    π   = (Σ_i p_i + S m) / (n + S)                m = share of yes, S = 1 / min(m, 1 − m)

Conventions
-----------
- What is added are priors, of which these are the modes: Beta(3/2, 3/2) for the coins, so that
  nothing becomes 0 or 1, and for π so many items at the share of yes among all votes that one is
  of the rarer kind. Where votes cannot tell (one voter, say) π stays near m.
- *One prevalence* for all queries. Prevalences query by query, however strongly drawn together,
  changed the τ of rankings by at most .007 on real data (33 judges of TREC topics, 68 runs of CLEF
  eHealth, 8 keyphrase extractors), and are poorly determined where a query has few items.
- A fractional vote enters linearly, as so much of a yes and so much of a no.
- A voter's weight w_k multiplies its voice in the E step: k copies of weight 1/k are one voter.
- EM starts from the weighted share of yes with one more voter at m. Which of the two classes is
  called relevant is settled by the voters: on average they say yes to it more often (Σ_k w_k n_k
  (a_k − b_k) ≥ 0, with n_k the items k spoke of). Known items settle it by themselves.
- Items that nobody spoke of get π and take no part in the estimation.

What it assumes is strong: systems that share a cause of error are not independent, and EM then
takes the largest group of like-minded voters for the truth.

References
----------
A. P. Dawid and A. M. Skene, "Maximum Likelihood Estimation of Observer Error-Rates Using the EM
Algorithm", Applied Statistics 28 (1979), pp. 20–28.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief.blocks import Block, blocks_of
from consilience.belief.coins_em import Fitted, fit
from consilience.belief.dependence import distinct
from consilience.belief.judges import clamped, shares_of_judges
from consilience.belief.model import Belief
from consilience.belief.patterns import Patterns, patterns_of
from consilience.belief.votes import Evidence, Votes, votes_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Study


@dataclass(frozen=True, slots=True)
class Coins:
    """What EM found: a probability for every pattern, and two coins for every voter."""

    p: NDArray[np.float64]
    sensitivity: NDArray[np.float64]
    false_positive_rate: NDArray[np.float64]
    prevalence: float
    log_likelihood: float
    iterations: int
    converged: bool


def dawid_skene(
    study: Study,
    *,
    evidence: Evidence = "clamp",
    near: float | None = 0.95,
    relevant_from: float = 1.0,
    iterations: int = 200,
    tolerance: float = 1e-8,
) -> Belief:
    """Believe what voters of different quality most probably saw (two-coin Dawid–Skene).

    Parameters
    ----------
    study
        The study; its systems vote, and people and language models among its judges.
    evidence
        "clamp": gold's word stands, in every step; "vote": gold is one more voter; "ignore":
        judges are left out.
    near
        The correlation φ beyond which voters are copies; a group of copies weighs as one. None:
        every voter counts.
    relevant_from
        The lowest grade of a judge that counts as relevant.
    iterations, tolerance
        EM ends after so many steps, or when a step adds less than this to the log-likelihood
        of an item.

    Returns
    -------
    Belief
        ``details`` has "sensitivity" and "false_positive_rate" by name, "prevalence",
        "log_likelihood", "iterations" and "converged".

    Examples
    --------
    Three voters; c says yes to nearly everything, so its word for v weighs little.

    >>> from consilience.study import study
    >>> votes = {
    ...     "item": list("stuvwxyz"),
    ...     "a": [1, 1, 1, 0, 0, 0, 0, 0],
    ...     "b": [1, 1, 1, 0, 0, 0, 0, 0],
    ...     "c": [1, 1, 0, 1, 1, 1, 1, 0],
    ... }
    >>> belief = dawid_skene(study(votes), near=None)
    >>> [round(p, 1) for p in belief.p.tolist()]
    [1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    >>> false_alarms = belief.details["false_positive_rate"]
    >>> max(false_alarms, key=false_alarms.get)
    'c'
    """
    votes = votes_of(study, evidence=evidence, relevant_from=relevant_from)
    known, unseen = known_truth(study, evidence, relevant_from)
    patterns = patterns_of(votes, known=known, known_unseen=unseen)
    weight = distinct(votes, near=near)
    blocks = blocks_of(patterns)
    found = fit(blocks, weight=weight, iterations=iterations, tolerance=tolerance)
    return believed(votes, patterns, blocks, found)


def believed(votes: Votes, patterns: Patterns, blocks: Iterable[Block], found: Fitted) -> Belief:
    """Make a belief of what EM found, of votes that may be a part of those it saw."""
    coins = dict(zip(("sensitivity", "false_positive_rate"), found.coin.T.tolist(), strict=True))
    return belief_of(
        votes,
        patterns,
        np.concatenate([found.of(block) for block in blocks]),
        method="dawid-skene",
        assumes="given the truth, voters err independently; each errs at its own two rates",
        effective=float(found.weight.sum()),
        details={
            **{key: dict(zip(votes.names, rates, strict=True)) for key, rates in coins.items()},
            "prevalence": found.prevalence,
            "log_likelihood": found.log_likelihood,
            "iterations": found.iterations,
            "converged": found.converged,
        },
    )


def em(
    patterns: Patterns,
    *,
    weight: NDArray[np.float64] | None = None,
    iterations: int = 200,
    tolerance: float = 1e-8,
) -> Coins:
    """Run EM over patterns of votes; the core of :func:`dawid_skene`, free of names.

    Examples
    --------
    >>> from consilience.belief.votes import votes_of
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y"]}, "b": {"q": ["x", "y"]}, "c": {"q": ["x", "z"]}})
    >>> coins = em(patterns_of(votes_of(made)))
    >>> coins.converged, coins.sensitivity.round(1).tolist()
    (True, [0.8, 0.8, 0.5])
    """
    w = np.ones(patterns.voters) if weight is None else weight
    blocks = blocks_of(patterns)
    found = fit(blocks, weight=w, iterations=iterations, tolerance=tolerance)
    return Coins(
        np.concatenate([found.of(block) for block in blocks]),
        found.coin[:, 0],
        found.coin[:, 1],
        found.prevalence,
        found.log_likelihood,
        found.iterations,
        found.converged,
    )


def e_step(
    patterns: Patterns,
    coin: NDArray[np.float64],
    prevalence: float,
    weight: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give every pattern's log-odds of being relevant, and the log-likelihood of an item of it.

    What is known of a pattern counts as observed.
    """
    w = weight[:, None]
    joint = patterns.log_likelihood(w * np.log(coin), w * np.log1p(-coin))
    joint += np.log([prevalence, 1 - prevalence])
    known = patterns.known
    seen = joint[:, 0] * known + joint[:, 1] * (1 - known)
    return joint[:, 0] - joint[:, 1], np.where(
        np.isnan(known), np.logaddexp(joint[:, 0], joint[:, 1]), seen
    )


def known_truth(
    study: Study, evidence: Evidence, relevant_from: float
) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
    """Give what gold says of every item, and of every query's unmentioned ones; NaN: nothing."""
    if evidence != "clamp" or not study.evidence.lists:
        return None, None
    nothing = np.full(len(study.items), np.nan), np.full(len(study.queries), np.nan)
    p, unseen, _ = clamped(study, *nothing, relevant_from)
    return p, unseen


def belief_of(
    votes: Votes,
    patterns: Patterns,
    p: NDArray[np.float64],
    *,
    method: str,
    assumes: str,
    effective: float,
    details: dict[str, Any],
) -> Belief:
    """Make a belief of the probabilities of patterns."""
    asked: NDArray[np.bool_] = np.any(votes.asked, axis=0)
    item = p[patterns.of_item]
    known, unseen = ~np.isnan(patterns.known[patterns.of_item]), p[patterns.of_unseen]
    tally = shares_of_judges(votes, known, item, unseen)
    return Belief(
        votes.items,
        item,
        item,
        elsewhere=float("nan"),
        queries=asked,
        method=method,
        assumes=assumes,
        effective_respondents=effective,
        unseen=unseen,
        truth=tally.truth,
        heard=tally.voiced,
        details=details,
        tally=tally,
    )
