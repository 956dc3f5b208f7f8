"""Where every system stands: its rank, how often it would come first, its scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.verdict.pairs import places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.scores import Score, Scores
    from consilience.study.outline import Known
    from consilience.verdict.sureness import Detail, Interval, Sureness


#: Scores that agree in so many decimals are equal.
DIGITS = 12


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one system stands; ``details`` says of every score how sure it is.

    ``rank_interval`` is that of this system by itself: intervals of all systems together do not
    hold as often as the level says.
    """

    name: str
    family: str | None
    rank: int | None
    rank_interval: tuple[int, int] | None
    p_best: float | None
    scores: dict[str, Score]
    details: dict[str, Detail]

    @property
    def intervals(self) -> dict[str, Interval | None]:
        """The intervals of the scores, by measure; None where they are withheld."""
        return {name: detail.interval for name, detail in self.details.items()}

    @property
    def bounds(self) -> dict[str, Interval | None]:
        """What the data cannot settle about the scores, by measure."""
        return {name: detail.bounds for name, detail in self.details.items()}


def standings(study: Known, scores: Scores, sure: Sureness) -> tuple[Standing, ...]:
    """Say of every system where it stands, in order of rank."""
    first = scores.measures[0]
    families = [study.respondents.family[code] for code in study.respondents.of_kind("system")]
    alone = families == list(scores.systems)  # everybody is a family: there are none
    tail = 0.025 if sure.tail is None else sure.tail
    best, ranks = places(sure.draws, tail)
    found = []
    for code, place in order(scores, first, sure.values):
        mine = scores[scores.systems[code]]
        undefined = bool(np.isnan(mine[first].value))
        known = sure.tail is not None and not undefined
        found.append(
            Standing(
                scores.systems[code],
                None if alone else families[code],
                None if undefined else place,
                ranks[code] if known else None,
                float(best[code]) if known else None,
                mine,
                {name: sure.details[name][code] for name in scores.measures},
            )
        )
    return tuple(found)


def order(
    scores: Scores, measure: str, values: NDArray[np.float64] | None = None
) -> list[tuple[int, int]]:
    """Give (system, rank), highest score first; equal scores share a rank, undefined come last.

    Scores are equal that differ by no more than rounding: the same sum in another order.
    """
    if values is None:
        values = np.array([scores[system][measure].value for system in scores.systems])
    key = np.where(np.isnan(values), -np.inf, np.round(values, DIGITS))
    codes = sorted(range(len(values)), key=lambda code: (-key[code], scores.systems[code]))
    return [(code, 1 + int((key > key[code]).sum())) for code in codes]
