"""How large a difference between two systems is, query by query.

A p-value says whether a difference could be chance, not whether it matters. Beside it stand

- *dz*, the mean of the differences over their standard deviation (Cohen's d for paired data;
  Cohen 1988, §2.3.5): 0.2 is called small, 0.5 medium, 0.8 large;
- on how many queries the one system wins, draws and loses, and the *probability of superiority*
  (wins + draws / 2) / n, which needs no scale at all (Grissom & Kim 2012, §5).

References
----------
J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", 2nd ed., 1988.
R. J. Grissom and J. J. Kim, "Effect Sizes for Research", 2nd ed., 2012.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.verdict.paired_tests import moments, undusted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class Effect:
    """How much better the first of two systems is; None where that is undefined."""

    dz: float | None
    wins: int
    draws: int
    losses: int
    superiority: float | None


def effects(differences: ArrayLike) -> list[Effect]:
    """Give the effect sizes of rows of differences, one per query; NaN is left out.

    Examples
    --------
    >>> effects([[0.2, 0.1, -0.1, 0.0], [0.1, 0.1, 0.1, np.nan]])
    [Effect(dz=0.387..., wins=2, draws=1, losses=1, superiority=0.625),
     Effect(dz=None, wins=3, draws=0, losses=0, superiority=1.0)]
    """
    rows = undusted(np.atleast_2d(np.asarray(differences, np.float64)))
    mean, sd = moments(rows)
    dz = np.full(len(rows), np.nan)
    np.divide(mean, sd, out=dz, where=sd > 0)
    wins, draws, losses = (sign.sum(axis=1).tolist() for sign in (rows > 0, rows == 0, rows < 0))
    return [
        Effect(
            None if np.isnan(one) else one,
            win,
            draw,
            loss,
            (win + draw / 2) / (win + draw + loss) if win + draw + loss else None,
        )
        for one, win, draw, loss in zip(dz.tolist(), wins, draws, losses, strict=True)
    ]
