r"""No truth, and systems that share engines: Dawid–Skene with a hidden engine for every family.

Systems of one family (pipelines on one OCR engine, prompts of one language model) do not err
independently. Here the family's *engine* g sees the truth T through two coins, and its systems s
see only what the engine says (HDS)::

    P(T = 1) = π      P(E_g = 1 | T = 1) = α_g,  P(E_g = 1 | T = 0) = β_g
                      P(v_s = 1 | E_g = 1) = u_s,  P(v_s = 1 | E_g = 0) = w_s

so that twelve copies of one engine are one voice about T, however loud. EM sums the engines out,
family by family::

    log P(v_g | T = t) = log( a_t Π_s P(v_s | E = 1) + (1 − a_t) Π_s P(v_s | E = 0) ),   a = (β, α)

Conventions
-----------
- A system alone in its family is its own engine (u = 1, w = 0, not estimated). Where all are alone
  the model is :func:`consilience.belief.coins.dawid_skene` without its merging of copies.
- Priors, fractional votes, known items and the start are as in :mod:`consilience.belief.coins`; to
  start with, an engine says what its systems say on average, and each family counts once.
- Which state of an engine is "yes" is settled by its systems: on average u ≥ w.
- The number of free parameters is 1 + 2G + 2S', with G engines and S' systems that are not alone in
  their family: BIC = −2 log L + (1 + 2G + 2S') log n, over the n items somebody spoke of.

With fewer than three families the truth cannot be told from votes, here as elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

from consilience.belief.coins import (
    PSEUDO,
    belief_of,
    known_truth,
    prevalence_prior,
    prior_items,
    start,
    turned,
)
from consilience.belief.families import codes, declared_families
from consilience.belief.patterns import Patterns, patterns_of
from consilience.belief.votes import Evidence, Votes, votes_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief.model import Belief
    from consilience.study import Study

#: BIC of more patterns of votes than this is that of a sample of the items.
MOST = 5_000


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
class Engines:
    """What EM found; ``p`` is the probability of every pattern."""

    p: NDArray[np.float64]
    rates: Rates
    log_likelihood: float
    bic: float
    iterations: int
    converged: bool


@dataclass(frozen=True, slots=True)
class _Model:
    """Votes sorted into families.

    ``alone`` marks the systems that are their own engine; ``several`` are the other engines, whose
    members the columns of ``shared`` mark (voters × several); ``spoken`` (patterns × several)
    tells where somebody of the family said something.
    """

    patterns: Patterns
    family: NDArray[np.int64]
    alone: NDArray[np.bool_]
    several: NDArray[np.int64]
    shared: NDArray[np.float64]
    count: NDArray[np.float64]
    free: NDArray[np.bool_]
    spoken: NDArray[np.float64]


def hierarchical(
    study: Study,
    *,
    families: Mapping[str, str] | None = None,
    evidence: Evidence = "clamp",
    relevant_from: float = 1.0,
    iterations: int = 500,
    tolerance: float = 1e-8,
) -> Belief:
    """Believe what engines, seen through their systems, most probably saw (HDS).

    Parameters
    ----------
    study
        The study.
    families
        System → family; None: the study's own. Who is not named is a family of its own.
    evidence, relevant_from
        As in :func:`consilience.belief.coins.dawid_skene`.
    iterations, tolerance
        EM ends after so many steps, or when a step adds less than this to the log-likelihood
        of an item.

    Returns
    -------
    Belief
        ``details`` has "engines" (family → its rates and members), "sensitivity" and
        "false_positive_rate" of the systems by name, "prevalence", "log_likelihood", "bic",
        "iterations" and "converged".

    Examples
    --------
    Three systems of one family say x, two on their own say y.

    >>> from consilience.study import study
    >>> lists = {
    ...     "a1": ["x", "z"],
    ...     "a2": ["x", "z"],
    ...     "a3": ["x", "z"],
    ...     "b": ["y", "z"],
    ...     "c": ["y", "z"],
    ... }
    >>> made = study({name: {"q": items} for name, items in lists.items()}, universe=20)
    >>> belief = hierarchical(made, families={"a1": "a", "a2": "a", "a3": "a"})
    >>> p = dict(zip(made.items.names(belief.item), belief.p.tolist()))
    >>> p["y"] > p["x"], list(belief.details["engines"])
    (True, ['a', 'b', 'c'])
    """
    votes = votes_of(study, evidence=evidence, relevant_from=relevant_from)
    known, unseen = known_truth(study, evidence, relevant_from)
    patterns = patterns_of(votes, known=known, known_unseen=unseen)
    labels = _labels(votes, families)
    family = codes(labels)
    found = em(patterns, family, iterations=iterations, tolerance=tolerance)
    rates = found.rates.of_systems(family)
    return belief_of(
        votes,
        patterns,
        found.p,
        method="hds",
        assumes="given the truth, families err independently; a system sees only its engine",
        effective=float(family.max() + 1),
        details={
            "engines": _named(votes.names, labels, found.rates),
            "sensitivity": dict(zip(votes.names, rates[:, 0].tolist(), strict=True)),
            "false_positive_rate": dict(zip(votes.names, rates[:, 1].tolist(), strict=True)),
            "prevalence": found.rates.prevalence,
            "log_likelihood": found.log_likelihood,
            "bic": found.bic,
            "iterations": found.iterations,
            "converged": found.converged,
        },
    )


def bic(votes: Votes | Patterns, families: Mapping[str, str] | NDArray[np.int64]) -> float:
    """Tell how well families explain votes; less is better (Schwarz 1978).

    Where votes fall into very many patterns this is the BIC of a sample of items, the same ones
    whatever the families: values of the same votes can be compared.

    Parameters
    ----------
    votes
        The votes, or their patterns where many partitions are to be compared.
    families
        System → family (who is not named is alone), or a number for every voter.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y"]}, "b": {"q": ["x", "y"]}, "c": {"q": ["z"]}})
    >>> votes = votes_of(made)
    >>> bic(votes, {"a": "one", "b": "one"}) == bic(patterns_of(votes), np.array([0, 0, 1]))
    True
    """
    if isinstance(families, Mapping):
        if isinstance(votes, Patterns):
            raise TypeError("patterns have no names: give a number for every voter")
        family = codes(_labels(votes, families))
    else:
        family = np.unique(families, return_inverse=True)[1]
    patterns = votes if isinstance(votes, Patterns) else patterns_of(votes)
    return em(patterns.thinned(MOST), family, iterations=100, tolerance=1e-5).bic


def em(
    patterns: Patterns,
    family: NDArray[np.int64],
    *,
    iterations: int = 500,
    tolerance: float = 1e-8,
) -> Engines:
    """Run EM over patterns of votes; ``family`` numbers every voter's engine from 0."""
    model = _model(patterns, family)
    p, mean, engine_says = _start(model)
    rates = _m_step(model, p, engine_says, engine_says, mean=mean)
    last, gained, step = -np.inf, np.inf, 0
    likelihood = 0.0
    while step < iterations and gained > tolerance:
        p, if_true, if_false, likelihood = _e_step(model, rates)
        objective = likelihood + _prior(model, rates, mean)
        rates = _m_step(model, p, if_true, if_false, mean=mean)
        gained = (objective - last) / max(float(model.count.sum()), 1.0)
        last, step = objective, step + 1
    rates, exchanged = _oriented(model, rates)
    if exchanged:
        p = np.where(model.free, 1 - p, p)
    free = 1 + 2 * len(rates.engine) + 2 * int((~model.alone).sum())
    size = max(float(model.count.sum()), 1.0)
    value = -2 * likelihood + free * float(np.log(size))
    return Engines(p, rates, likelihood, value, step, bool(gained <= tolerance))


def _model(patterns: Patterns, family: NDArray[np.int64]) -> _Model:
    """Sort the voters into families."""
    size = np.bincount(family)
    several = np.flatnonzero(size > 1)
    shared = (family[:, None] == several).astype(np.float64)
    return _Model(
        patterns,
        family,
        size[family] == 1,
        several,
        shared,
        patterns.counted(),
        np.isnan(patterns.known),
        (patterns.spoken(shared) > 0).astype(np.float64),
    )


def _start(model: _Model) -> tuple[NDArray[np.float64], float, NDArray[np.float64]]:
    """Begin with shares of yes: of families that count once each, and inside every family."""
    size = np.bincount(model.family)
    p, mean = start(model.patterns, 1.0 / size[model.family], model.count)
    p = np.where(model.free, p, model.patterns.known)
    yes = model.patterns.log_likelihood(model.shared, np.zeros_like(model.shared))
    spoken = model.patterns.spoken(model.shared)
    inside = (model.count @ yes) / np.maximum(model.count @ spoken, 1e-12)
    return p, mean, (yes + inside) / (spoken + 1)


def _m_step(
    model: _Model,
    p: NDArray[np.float64],
    if_true: NDArray[np.float64],
    if_false: NDArray[np.float64],
    *,
    mean: float,
) -> Rates:
    """Estimate all coins, given P(T) and P(E | T, votes) for either T (patterns × several)."""
    mass = np.stack([model.count * p, model.count * (1 - p)], axis=1)
    yes, spoken = model.patterns.masses(mass)
    engine = np.empty((int(model.family.max()) + 1, 2))
    engine[model.family[model.alone]] = _rate(yes[model.alone], spoken[model.alone])
    true, false = mass[:, :1] * model.spoken, mass[:, 1:] * model.spoken
    says = np.stack([(true * if_true).sum(axis=0), (false * if_false).sum(axis=0)], axis=1)
    asked = np.stack([true.sum(axis=0), false.sum(axis=0)], axis=1)
    engine[model.several] = _rate(says, asked)
    size = prior_items(mean)
    return Rates(
        engine,
        _systems(model, mass[:, :1] * if_true + mass[:, 1:] * if_false),
        float((mass[:, 0].sum() + size * mean) / (model.count.sum() + size)),
    )


def _systems(model: _Model, mass: NDArray[np.float64]) -> NDArray[np.float64]:
    """Estimate the systems' coins, given the mass with which each engine says yes."""
    system = np.tile([1.0, 0.0], (len(model.family), 1))
    if len(model.several):
        member = ~model.alone
        own = member, np.searchsorted(model.several, model.family[member])
        for state, weight in enumerate((mass, model.count[:, None] - mass)):
            yes, spoken = model.patterns.masses(weight)
            system[member, state] = _rate(yes, spoken)[own]
    return system


def _rate(yes: NDArray[np.float64], spoken: NDArray[np.float64]) -> NDArray[np.float64]:
    return (yes + PSEUDO) / (spoken + 2 * PSEUDO)


def _e_step(
    model: _Model, rates: Rates
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float]:
    """Give P(T = 1), P(E = 1 | T = 1), P(E = 1 | T = 0) and the log-likelihood."""
    patterns, alone = model.patterns, model.alone[:, None]
    coin = rates.of_systems(model.family)
    joint = patterns.log_likelihood(
        np.where(alone, np.log(coin), 0.0), np.where(alone, np.log1p(-coin), 0.0)
    )
    joint += np.log([rates.prevalence, 1 - rates.prevalence])
    system = np.where(alone, 0.5, rates.system)
    on, off = (
        patterns.log_likelihood(
            model.shared * np.log(system[:, [state]]), model.shared * np.log1p(-system[:, [state]])
        )
        for state in (0, 1)
    )
    says = []
    engine = rates.engine[model.several]
    for truth in (0, 1):
        yes, no = np.log(engine[:, truth]) + on, np.log1p(-engine[:, truth]) + off
        either, share = _either(yes, no)
        joint[:, truth] += (model.spoken * either).sum(axis=1)
        says.append(share)
    known = patterns.known
    seen = joint[:, 0] * known + joint[:, 1] * (1 - known)
    likelihood = np.where(model.free, np.logaddexp(joint[:, 0], joint[:, 1]), seen)
    p = np.where(model.free, expit(joint[:, 0] - joint[:, 1]), known)
    return p, says[0], says[1], float(model.count @ likelihood)


def _either(
    yes: NDArray[np.float64], no: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give ``log(exp(yes) + exp(no))`` and the share of yes in it, with one exponential."""
    less = np.exp(-np.abs(yes - no))
    whole = 1 + less
    return np.maximum(yes, no) + np.log(whole), np.where(yes >= no, 1.0, less) / whole


def _prior(model: _Model, rates: Rates, mean: float) -> float:
    """Give the log of the priors' density, up to a constant."""
    rate = np.append(rates.engine.ravel(), rates.system[~model.alone].ravel())
    coins = PSEUDO * float((np.log(rate) + np.log1p(-rate)).sum())
    return coins + prevalence_prior(rates.prevalence, mean)


def _oriented(model: _Model, rates: Rates) -> tuple[Rates, bool]:
    """Name states so that systems say yes where engines do, and engines where items are relevant.

    The second result tells that relevant and not were exchanged; known items forbid it.
    """
    gap = rates.system[:, 0] - rates.system[:, 1]
    turn = np.bincount(model.family, gap) < 0
    engine = np.where(turn[:, None], 1 - rates.engine, rates.engine)
    system = np.where(turn[model.family][:, None], rates.system[:, ::-1], rates.system)
    rates = Rates(engine, system, rates.prevalence)
    weight = 1.0 / np.bincount(model.family)[model.family]
    if not turned(model.patterns, rates.of_systems(model.family), weight, model.count):
        return rates, False
    return Rates(engine[:, ::-1], system, 1 - rates.prevalence), True


def _labels(votes: Votes, families: Mapping[str, str] | None) -> list[str]:
    """Name every voter's family; who has none is marked by a first character that no name has."""
    return declared_families(votes, families) or [f"\0{name}" for name in votes.names]


def _named(names: tuple[str, ...], labels: list[str], rates: Rates) -> dict[str, dict[str, Any]]:
    """Give every engine's rates and members, by the name of the family."""
    found: dict[str, dict[str, Any]] = {}
    for code, label in enumerate(dict.fromkeys(labels)):
        name = label.removeprefix("\0")
        found[name if name == label or name not in labels else f"{name} (alone)"] = {
            "sensitivity": float(rates.engine[code, 0]),
            "false_positive_rate": float(rates.engine[code, 1]),
            "members": tuple(one for one, own in zip(names, labels, strict=True) if own == label),
        }
    return found
