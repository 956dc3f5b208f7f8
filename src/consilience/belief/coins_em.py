"""EM for two coins a voter, over blocks of patterns: the arithmetic of Dawid and Skene.

The model is that of :mod:`consilience.belief.coins`. Everything here is a sum over patterns, so
that blocks of them may lie in memory or be read anew in every step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.belief.blocks import Block, Totals, even, totals_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Pseudo-votes of yes and of no that every coin starts with.
PSEUDO = 0.5
#: Voters lean to neither side if the share by which they do is less than this.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Fitted:
    """What EM found, free of patterns: ``coin`` has every voter's rates (voters × relevant, not).

    Probabilities are those of the last E step: ``last`` has the rates and the prevalence that they
    follow from (None: EM made no step, and they are what it started with). ``turned`` tells that
    the two classes were exchanged in the end.
    """

    coin: NDArray[np.float64]
    prevalence: float
    log_likelihood: float
    iterations: int
    converged: bool
    weight: NDArray[np.float64]
    mean: float
    last: tuple[NDArray[np.float64], float] | None
    turned: bool

    def of(self, block: Block) -> NDArray[np.float64]:
        """Give the probability of every pattern of a block."""
        if self.last is None:
            p = begun(block, self.weight, self.mean)
        else:
            p, _ = even(_odds(block, *self.last, self.weight))
        return block.believed(1 - p if self.turned else p)


def fit(
    blocks: Iterable[Block],
    *,
    weight: NDArray[np.float64],
    iterations: int = 200,
    tolerance: float = 1e-8,
) -> Fitted:
    """Run EM over blocks of patterns, which are gone through once in every step.

    Only one product with the votes is made each way. The log-odds of an item are a sum over its
    voters; the log-likelihood is that of an item that is not relevant, which adds up to something
    linear in the voters' totals, plus ``log(1 + odds)``. And what voters say of items that are
    not relevant is what they say of all, less what they say of those that are.
    """
    totals = totals_of(blocks)
    mean = mean_vote(totals, weight)
    sums = _sums(blocks, lambda block: (begun(block, weight, mean), None))
    coin, prevalence = _rates(sums, totals, mean)
    used: tuple[NDArray[np.float64], float] | None = None
    last, gained, step = -np.inf, np.inf, 0
    while step < iterations and gained > tolerance:
        used = coin, prevalence
        sums = _expected(blocks, *used, weight)
        objective = _likelihood(*used, weight, totals, sums) + _prior(*used, weight, mean)
        gained = (objective - last) / totals.size
        last, step = objective, step + 1
        coin, prevalence = _rates(sums, totals, mean)
    likelihood = _likelihood(
        coin, prevalence, weight, totals, _expected(blocks, coin, prevalence, weight)
    )
    turn = turned(totals, coin, weight)
    if turn:
        coin, prevalence = coin[:, ::-1], 1 - prevalence
    ended = bool(gained <= tolerance)
    return Fitted(coin, prevalence, likelihood, step, ended, weight, mean, used, turn)


@dataclass(slots=True)
class _Sums:
    """Sums over patterns of what is relevant: items, and for every voter its yes and spoken.

    ``soft`` is the log-likelihood beyond that of items of which none is relevant.
    """

    items: float
    yes: NDArray[np.float64]
    spoken: NDArray[np.float64]
    soft: float


def mean_vote(totals: Totals, weight: NDArray[np.float64]) -> float:
    """Give the weighted share of yes among all votes, m."""
    return (float(weight @ totals.yes) + PSEUDO) / (float(weight @ totals.spoken) + 2 * PSEUDO)


def begun(block: Block, weight: NDArray[np.float64], mean: float) -> NDArray[np.float64]:
    """Begin with the weighted share of yes, and one more voter at the mean share m."""
    nothing = np.zeros(len(weight))
    yes = block.rows(weight, nothing).sum(axis=1)
    spoken = block.rows(nothing, weight).sum(axis=1)
    share: NDArray[np.float64] = (yes + mean) / (spoken + 1)
    return share


def _odds(
    block: Block, coin: NDArray[np.float64], prevalence: float, weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Give the log-odds of every pattern of a block."""
    odds = block.rows(*contrast(coin, weight))[:, 0]
    odds += np.log(prevalence) - np.log1p(-prevalence)
    return odds


def contrast(
    coin: NDArray[np.float64], weight: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give what a yes, and having spoken, add to the log-odds: log a/b and log (1 − a)/(1 − b).

    A no is worth the second; a yes that much more than a no as the first says.
    """
    yes, no = np.log(coin), np.log1p(-coin)
    if_no = weight * (no[:, 0] - no[:, 1])
    return weight * (yes[:, 0] - yes[:, 1]) - if_no, if_no


def _expected(
    blocks: Iterable[Block],
    coin: NDArray[np.float64],
    prevalence: float,
    weight: NDArray[np.float64],
) -> _Sums:
    """Make the E step, and add up what the M step needs."""

    def believe(block: Block) -> tuple[NDArray[np.float64], float]:
        odds = _odds(block, coin, prevalence, weight)
        p, soft = even(odds)
        return p, block.likelihood(odds, soft)

    return _sums(blocks, believe)


def _sums(
    blocks: Iterable[Block], believe: Callable[[Block], tuple[NDArray[np.float64], float | None]]
) -> _Sums:
    total: _Sums | None = None
    for block in blocks:
        p, soft = believe(block)
        mass = block.count * block.believed(p)
        mine = _Sums(float(mass.sum()), *block.masses(mass[:, None]), soft or 0.0)
        if total is None:
            total = mine
        else:
            total.items += mine.items
            total.yes += mine.yes
            total.spoken += mine.spoken
            total.soft += mine.soft
    assert total is not None
    return total


def _rates(sums: _Sums, totals: Totals, mean: float) -> tuple[NDArray[np.float64], float]:
    """Give every voter's rates of yes (voters × relevant, not), and the prevalence: the M step."""
    yes = np.stack([sums.yes, rest(totals.yes, sums.yes)], axis=1)
    spoken = np.stack([sums.spoken, rest(totals.spoken, sums.spoken)], axis=1)
    size = prior_items(mean)
    return rate(yes, spoken), (sums.items + size * mean) / (totals.items + size)


def rest(whole: NDArray[np.float64], part: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give what is left of a whole; never less than nothing, whatever the rounding."""
    left: NDArray[np.float64] = np.maximum(whole - part, 0.0)
    return left


def rate(yes: NDArray[np.float64], spoken: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the rate of yes, with the prior's votes."""
    return (yes + PSEUDO) / (spoken + 2 * PSEUDO)


def _likelihood(
    coin: NDArray[np.float64],
    prevalence: float,
    weight: NDArray[np.float64],
    totals: Totals,
    sums: _Sums,
) -> float:
    """Give the log-likelihood: that of items which are not relevant, and what goes beyond it."""
    voices = weight * irrelevant(coin[:, 1], totals)
    return float(voices.sum()) + totals.items * float(np.log1p(-prevalence)) + sums.soft


def irrelevant(rate: NDArray[np.float64], totals: Totals) -> NDArray[np.float64]:
    """Give the log-likelihood of every voter's votes if it says yes at one rate throughout."""
    return totals.yes * np.log(rate) + rest(totals.spoken, totals.yes) * np.log1p(-rate)


def prior_items(mean: float) -> float:
    """How many items the prior of the prevalence counts as: one of them of the rarer kind."""
    return 1 / min(mean, 1 - mean)


def prevalence_prior(prevalence: float, mean: float) -> float:
    """Give the log of the density of a prevalence, up to a constant."""
    shape = mean * float(np.log(prevalence)) + (1 - mean) * float(np.log1p(-prevalence))
    return prior_items(mean) * shape


def turned(totals: Totals, coin: NDArray[np.float64], weight: NDArray[np.float64]) -> bool:
    """Tell whether voters say yes more often where items are not relevant, and none is known."""
    voice = weight * totals.spoken
    lead = float(voice @ (coin[:, 0] - coin[:, 1]))
    return not totals.known and lead < -ROUNDING * float(voice.sum())


def _prior(
    coin: NDArray[np.float64], prevalence: float, weight: NDArray[np.float64], mean: float
) -> float:
    """Give the log of the priors' density, up to a constant; EM raises likelihood plus this."""
    coins = PSEUDO * float((weight @ (np.log(coin) + np.log1p(-coin))).sum())
    return coins + prevalence_prior(prevalence, mean)
