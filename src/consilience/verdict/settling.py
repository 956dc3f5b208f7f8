"""Is it settled? Systems pair by pair, who is tied, and whether the first is ahead of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.verdict.pairs import Pair, compare, tie_groups

if TYPE_CHECKING:
    from consilience.measures.left_out import LeaveOut
    from consilience.measures.scores import Convention, Scores
    from consilience.study.ranking import Ties
    from consilience.verdict.agreement import Wanted
    from consilience.verdict.standing import Standing
    from consilience.verdict.sureness import Sureness


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
    draws, matrix = sure.draws[:, columns], scores.matrix(first)[columns]
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


def settled(
    standing: Sequence[Standing],
    tied: Sequence[Sequence[str]],
    sure: Sureness,
    near: float | None,
    rules: Rules,
) -> bool:
    """Tell whether the first system is ahead of all others, or near enough to the best."""
    if sure.tail is None or sum(one.rank is not None for one in standing) < 2:
        return False
    if near is not None and near >= rules.level:
        return True
    return not any(standing[0].name in group for group in tied)


def near(
    standing: Sequence[Standing], scores: Scores, sure: Sureness, delta: float | None
) -> float | None:
    """Tell how often no other system is better than the first one by more than delta."""
    if delta is None or sure.tail is None:
        return None
    filled = np.where(np.isnan(sure.draws), -np.inf, sure.draws)
    first = filled[:, scores.systems.index(standing[0].name)]
    return float((first >= filled.max(axis=1) - delta).mean())
