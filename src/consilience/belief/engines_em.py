r"""EM for hidden engines, over blocks of patterns.

The model is that of :mod:`consilience.belief.engines`. Given the truth, the engine of a family says
yes with the odds that its systems' votes give it (D, a sum over them) times its own. So for T = 1
and T = 0, with a = α or β::

    log P(v_g | T) = log P(v_g | E = 0) + log(1 − a) + log(1 + exp(logit a + D_g))
    P(E = 1 | T, v) = 1 / (1 + exp(−logit a − D_g))

The first term is linear in the votes and the same for either T. As with two coins, everything is a
sum over patterns, and one product with the votes is made each way.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.belief.blocks import Block, Totals, even, totals_of
from consilience.belief.coins_em import (
    PSEUDO,
    ROUNDING,
    begun,
    contrast,
    irrelevant,
    mean_vote,
    prevalence_prior,
    prior_items,
    rate,
    rest,
    turned,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Rates:
    """The coins: ``engine`` (engines × relevant, not), ``system`` (systems × engine yes, no).

    The row of a system that is alone in its family is (1, 0).
    """

    engine: NDArray[np.float64]
    system: NDArray[np.float64]
    prevalence: float

    def of_systems(self, family: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give P(v = 1 | T) of every system, its engine summed out (systems × relevant, not)."""
        engine = self.engine[family]
        return engine * self.system[:, :1] + (1 - engine) * self.system[:, 1:]


@dataclass(frozen=True, slots=True)
class Fitted:
    """What EM found, free of patterns.

    Probabilities are those of the last E step: ``last`` has the rates that they follow from (None:
    EM made no step, and they are what it started with). ``turned`` tells that the two classes were
    exchanged in the end.
    """

    rates: Rates
    log_likelihood: float
    bic: float
    iterations: int
    converged: bool
    family: NDArray[np.int64]
    mean: float
    last: Rates | None
    turned: bool

    def of(self, block: Block) -> NDArray[np.float64]:
        """Give the probability of every pattern of a block."""
        families = families_of(self.family)
        if self.last is None:
            p = begun(block, families.weight, self.mean)
        else:
            p = expected(block, self.last, families).p
        return block.believed(1 - p if self.turned else p)


@dataclass(frozen=True, slots=True)
class Families:
    """Who belongs to which engine; ``alone`` marks the systems that are their own.

    ``several`` are the other engines; ``weight`` is one over the size of a voter's family.
    """

    family: NDArray[np.int64]
    alone: NDArray[np.bool_]
    several: NDArray[np.int64]
    weight: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Expected:
    """An E step: P(T = 1), P(E = 1 | T = 1), P(E = 1 | T = 0), and a log-likelihood.

    ``soft``, the log-likelihood, is what goes beyond votes of engines that say no to everything.
    """

    p: NDArray[np.float64]
    if_true: NDArray[np.float64]
    if_false: NDArray[np.float64]
    soft: float


@dataclass(slots=True)
class _Sums:
    """What the M step needs: ``says`` and ``asked`` are engines' (several × relevant, not)."""

    items: float
    yes: NDArray[np.float64]
    spoken: NDArray[np.float64]
    says: NDArray[np.float64]
    asked: NDArray[np.float64]
    soft: float

    def add(self, other: _Sums) -> None:
        """Add the sums over other patterns."""
        self.items += other.items
        self.yes += other.yes
        self.spoken += other.spoken
        self.says += other.says
        self.asked += other.asked
        self.soft += other.soft


def families_of(family: NDArray[np.int64]) -> Families:
    """Sort the voters into families."""
    size = np.bincount(family)
    return Families(family, size[family] == 1, np.flatnonzero(size > 1), 1.0 / size[family])


def parts_of(family: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number the parts of the voters: 0 for those alone, then every family of several.

    Examples
    --------
    >>> parts_of(np.array([0, 1, 0, 2, 3, 3])).tolist()
    [1, 0, 1, 0, 2, 2]
    """
    families = families_of(family)
    part = np.searchsorted(families.several, family) + 1
    return np.where(families.alone, 0, part)


def fit(
    blocks: Iterable[Block],
    family: NDArray[np.int64],
    *,
    iterations: int = 500,
    tolerance: float = 1e-8,
) -> Fitted:
    """Run EM over blocks of patterns whose voters are sorted by :func:`parts_of`."""
    families, totals = families_of(family), totals_of(blocks)
    mean = mean_vote(totals, families.weight)
    inside = _inside(families, totals)
    rates = _rates(
        _added(_started(one, families, mean, inside) for one in blocks), *(families, totals, mean)
    )
    used: Rates | None = None
    last, gained, step, likelihood = -np.inf, np.inf, 0, 0.0
    while step < iterations and gained > tolerance:
        used = rates
        sums = _added(_summed(one, expected(one, used, families)) for one in blocks)
        likelihood = base(used, families, totals) + sums.soft
        objective = likelihood + _prior(used, families, mean)
        rates = _rates(sums, families, totals, mean)
        gained = (objective - last) / totals.size
        last, step = objective, step + 1
    rates, turn = _oriented(rates, families, totals)
    free = 1 + 2 * len(rates.engine) + 2 * int((~families.alone).sum())
    bic = -2 * likelihood + free * float(np.log(totals.size))
    ended = bool(gained <= tolerance)
    return Fitted(rates, likelihood, bic, step, ended, family, mean, used, turn)


def _inside(families: Families, totals: Totals) -> NDArray[np.float64]:
    """Give the share of yes inside every family of several."""
    yes, spoken = (np.bincount(families.family, sums) for sums in (totals.yes, totals.spoken))
    share: NDArray[np.float64] = (yes / np.maximum(spoken, 1e-12))[families.several]
    return share


def _started(block: Block, families: Families, mean: float, inside: NDArray[np.float64]) -> _Sums:
    """Begin with shares of yes: of families that count once each, and inside every family."""
    nothing, each = np.zeros(len(families.family)), np.ones(len(families.family))
    yes, spoken = block.rows(each, nothing)[:, 1:], block.rows(nothing, each)[:, 1:]
    p = block.believed(begun(block, families.weight, mean))
    says = (yes + inside) / (spoken + 1)
    return _summed(block, Expected(p, says, says, 0.0))


def expected(block: Block, rates: Rates, families: Families) -> Expected:
    """Make the E step for one block."""
    alone = families.alone[:, None]
    coin = np.where(alone, rates.engine[families.family], rates.system)
    votes = block.rows(*contrast(coin, np.ones(len(coin))))
    spoken = block.heard[:, 1:]
    engine = rates.engine[families.several]
    yes, no = np.log(engine), np.log1p(-engine)
    (if_true, true), (if_false, false) = (
        even(votes[:, 1:] + (yes[:, truth] - no[:, truth])) for truth in (0, 1)
    )
    true, false = (np.where(spoken, one + no[:, t], 0.0) for t, one in enumerate((true, false)))
    odds = votes[:, 0] + (true - false).sum(axis=1)
    odds += np.log(rates.prevalence) - np.log1p(-rates.prevalence)
    p, soft = even(odds)
    likelihood = block.likelihood(odds, soft) + float((block.count * false.sum(axis=1)).sum())
    return Expected(block.believed(p), if_true, if_false, likelihood)


def base(rates: Rates, families: Families, totals: Totals) -> float:
    """Give the log-likelihood of what is linear in votes: engines say no, nothing is relevant."""
    low = np.where(families.alone, rates.engine[families.family, 1], rates.system[:, 1])
    return float(irrelevant(low, totals).sum() + totals.items * np.log1p(-rates.prevalence))


def _summed(block: Block, seen: Expected) -> _Sums:
    """Add up what the M step needs, over one block."""
    true = block.count * seen.p
    false = block.count - true
    on, off = true[:, None] * seen.if_true, false[:, None] * seen.if_false
    yes, spoken = block.masses(np.concatenate([true[:, None], on + off], axis=1))
    said, each = block.heard[:, 1:], (true[:, None], false[:, None])
    return _Sums(
        float(true.sum()),
        yes,
        spoken,
        np.stack([(mass * said).sum(axis=0) for mass in (on, off)], axis=1),
        np.stack([(mass * said).sum(axis=0) for mass in each], axis=1),
        seen.soft,
    )


def _added(each: Iterable[_Sums]) -> _Sums:
    """Add up the sums of blocks."""
    total: _Sums | None = None
    for one in each:
        if total is None:
            total = one
        else:
            total.add(one)
    assert total is not None
    return total


def _rates(sums: _Sums, families: Families, totals: Totals, mean: float) -> Rates:
    """Estimate all coins: the M step."""
    coin = rate(
        np.stack([sums.yes, rest(totals.yes, sums.yes)], axis=1),
        np.stack([sums.spoken, rest(totals.spoken, sums.spoken)], axis=1),
    )
    engine = np.empty((int(families.family.max()) + 1, 2))
    engine[families.family[families.alone]] = coin[families.alone]
    engine[families.several] = rate(sums.says, sums.asked)
    system = np.where(families.alone[:, None], [1.0, 0.0], coin)
    size = prior_items(mean)
    return Rates(engine, system, (sums.items + size * mean) / (totals.items + size))


def _prior(rates: Rates, families: Families, mean: float) -> float:
    """Give the log of the priors' density, up to a constant."""
    each = np.append(rates.engine.ravel(), rates.system[~families.alone].ravel())
    coins = PSEUDO * float((np.log(each) + np.log1p(-each)).sum())
    return coins + prevalence_prior(rates.prevalence, mean)


def _oriented(rates: Rates, families: Families, totals: Totals) -> tuple[Rates, bool]:
    """Name states so that systems say yes where engines do, and engines where items are relevant.

    The second result tells that relevant and not were exchanged; known items forbid it.
    """
    family = families.family
    gap = np.bincount(family, rates.system[:, 0] - rates.system[:, 1])
    turn = gap < -ROUNDING
    engine = np.where(turn[:, None], 1 - rates.engine, rates.engine)
    system = np.where(turn[family][:, None], rates.system[:, ::-1], rates.system)
    rates = Rates(engine, system, rates.prevalence)
    if not turned(totals, rates.of_systems(family), families.weight):
        return rates, False
    return Rates(engine[:, ::-1], system, 1 - rates.prevalence), True
