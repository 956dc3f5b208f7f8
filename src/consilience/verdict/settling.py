"""Is it settled? Systems pair by pair, who is tied, and whether the first is ahead of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.names import parse
from consilience.verdict.paired_tests import DUST
from consilience.verdict.pairs import Pair, ahead, compare, tie_groups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.left_out import LeaveOut
    from consilience.measures.scores import Convention, Scores
    from consilience.study.ranking import Ties
    from consilience.verdict.agreement import Wanted
    from consilience.verdict.standing import Standing
    from consilience.verdict.sureness import Sureness

#: A difference of shares that is worth a word.
_SEEN = 0.05


@dataclass(frozen=True, slots=True)
class Rules:
    """How a ranking is made, whatever it is made from."""

    ties: Ties
    convention: Convention
    level: float
    seed: int
    samples: int
    delta: float | None
    leave_out: LeaveOut
    show: Wanted


def compared(
    standing: Sequence[Standing], scores: Scores, sure: Sureness, rules: Rules
) -> tuple[tuple[Pair, ...], tuple[tuple[str, ...], ...]]:
    """Return how systems compare pair by pair, and groups of those that are tied."""
    if sure.tail is None:
        return (), ()
    first = scores.measures[0]
    known = [one for one in standing if one.rank is not None]
    code = {name: place for place, name in enumerate(scores.systems)}
    columns = [code[one.name] for one in known]
    names = [one.name for one in known]
    draws, matrix = sure.draws[:, columns], per_query(scores, first)
    matrix = None if matrix is None else matrix[columns]
    pairs = compare(
        draws,
        values=[one.scores[first].value for one in known],
        names=names,
        tail=sure.tail,
        delta=rules.delta,
        matrix=matrix,
        seed=rules.seed,
    )
    tied = tie_groups(
        draws, names=names, tail=sure.tail, level=rules.level, pairs=pairs, matrix=matrix
    )
    return pairs, tied


def per_query(scores: Scores, measure: str) -> NDArray[np.float64] | None:
    """Return the values whose mean is the score, systems × queries; None where it is no mean.

    A figure over all queries together (``average=micro``) is not the mean of its figures over
    single ones, and tests of these would speak of something else.
    """
    return None if parse(measure).average == "micro" else scores.matrix(measure)


def settled(
    standing: Sequence[Standing],
    tied: Sequence[Sequence[str]],
    scores: Scores,
    sure: Sureness,
    near: float | None,
    rules: Rules,
) -> bool:
    """Return whether the first system is ahead of all others, or near enough to the best.

    It is near enough if the share of draws says so, *and* it is distinguishable from every system
    that is better by delta, as tied systems are told from others: by interval and corrected t-test.
    """
    known = [one.name for one in standing if one.rank is not None]
    if sure.tail is None or len(known) < 2:
        return False
    if not any(known[0] in group for group in tied):
        return True
    if near is None or near < rules.level:
        return False
    first, *others = (scores.systems.index(name) for name in known)
    values = per_query(scores, scores.measures[0])
    return all(
        ahead(
            sure.draws[:, first] - sure.draws[:, one] + (rules.delta or 0.0),
            None if values is None else values[first] - values[one] + (rules.delta or 0.0),
            tail=sure.tail,
            level=rules.level,
            among=len(known) * (len(known) - 1) // 2,
        )
        for one in others
    )


def shares_first(standing: Sequence[Standing], scores: Scores, sure: Sureness) -> bool:
    """Return whether P(best) of the first system would be higher by .05 if ties counted in full."""
    if standing[0].p_best is None:
        return False
    draws = np.nan_to_num(sure.draws, nan=-np.inf)
    first = draws[:, scores.systems.index(standing[0].name)]
    return float((first >= draws.max(axis=1) - DUST).mean()) > standing[0].p_best + _SEEN


def near(
    standing: Sequence[Standing], scores: Scores, sure: Sureness, delta: float | None
) -> float | None:
    """Return how often no other system is better than the first one by more than delta."""
    if delta is None or sure.tail is None:
        return None
    filled = np.where(np.isnan(sure.draws), -np.inf, sure.draws)
    first = filled[:, scores.systems.index(standing[0].name)]
    return float((first >= filled.max(axis=1) - delta - DUST).mean())
