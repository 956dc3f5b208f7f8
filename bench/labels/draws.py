"""Labels drawn from a hidden truth in one round or in several, by design or evenly; pools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bench.labels.hidden import Hidden, exact
from consilience.belief.sample import sample_of
from consilience.measures.corrected import estimate
from consilience.measures.names import parse
from consilience.verdict.design import draw, even, frame, probabilities, variances
from consilience.verdict.designed import Designed, designed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience import Study

LEVEL = 0.95


@dataclass(frozen=True)
class Outcome:
    """What some labels say of all systems.

    ``reach`` is half the width of the interval of each score (None: there is none); ``expected``
    the standard errors that were forecast before the last round was drawn.
    """

    labels: int
    value: NDArray[np.float64]
    reach: NDArray[np.float64] | None = None
    standard_error: NDArray[np.float64] | None = None
    expected: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class Labelled:
    """A study with the labels that were drawn, and the standard errors that were expected."""

    study: Study
    labels: int
    expected: NDArray[np.float64]


def rounds(
    hidden: Hidden, measure: str, budgets: Sequence[float], *, seed: int, evenly: bool = False
) -> Iterator[Labelled]:
    """Draw labels round by round, and tell them after each."""
    parsed = parse(measure)
    study = hidden.study
    item, turn = np.zeros((2, 0), np.int64)
    probability = np.zeros(0)
    for budget in budgets:
        seen = frame(study, parsed, seed=seed)
        pi = even(seen, budget) if evenly else probabilities(seen, budget)
        expected = np.sqrt(variances(seen, pi))
        drawn = draw(seen, pi, seed=seed)
        item = np.concatenate([item, drawn.item])
        probability = np.concatenate([probability, drawn.probability])
        turn = np.concatenate([turn, np.full(len(drawn.item), drawn.round)])
        study = hidden.labelled(item, probability, turn)
        yield Labelled(study, len(item), expected)


def corrected(told: Labelled, measures: Sequence[str], *, seed: int) -> Designed:
    """Estimate scores from a guess that labels correct."""
    return designed(told.study, measures=measures, seed=seed)


def plain(told: Labelled, found: Designed, measure: str) -> Outcome:
    """Take the estimates as they are, with their interval."""
    one = found.measures[str(parse(measure))]
    error = one.standard_error
    return Outcome(told.labels, one.value, one.quantile(LEVEL) * error, error, told.expected)


def shrunk(told: Labelled, found: Designed, measure: str) -> Outcome:
    """Take the estimates that are drawn towards the guess; the interval is the plain one's."""
    one = found.measures[str(parse(measure))]
    return Outcome(told.labels, one.shrunk)


def labels_only(hidden: Hidden, told: Labelled, measure: str) -> Outcome:
    """Estimate scores from labels alone: the same formulas with a guess of 0."""
    sample = sample_of(told.study)
    assert sample is not None
    nothing = np.zeros(len(hidden.truth))
    made = estimate(hidden.table(measure), parse(measure), nothing, sample)
    error = np.sqrt(made.slope**2 @ (sample.spread * made.residual**2))
    return Outcome(told.labels, made.value, 1.959964 * error, error)


def pool(hidden: Hidden, budget: int, *, seed: int) -> NDArray[np.bool_]:
    """Choose what a pool of so many items holds: all first answers, then all second ones, …

    The last depth that does not fit is filled at random.
    """
    chance = np.random.default_rng(seed).random(len(hidden.place))
    held = np.zeros(len(hidden.place), bool)
    held[np.lexsort((chance, hidden.place))[:budget]] = True
    return held


def unjudged_wrong(hidden: Hidden, held: NDArray[np.bool_], measure: str) -> Outcome:
    """Score by a pool; what is not in it counts as not relevant."""
    value = exact(hidden.table(measure), measure, hidden.truth * held)
    return Outcome(int(held.sum()), value)


def judged_only(hidden: Hidden, held: NDArray[np.bool_], measure: str) -> Outcome:
    """Score by a pool over the items that are in it (condensed lists)."""
    table = hidden.table(measure)
    returned = table.by_query(held.astype(np.float64))[0]
    value = exact(replace(table, returned=returned), measure, hidden.truth * held)
    return Outcome(int(held.sum()), value)
