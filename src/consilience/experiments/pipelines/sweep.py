"""The minority sweep: k pipelines on the good engine among twelve on the bad one.

The fewer good pipelines there are, the more the bad engine's shared errors look like truth. For
each k several sets of k good pipelines are drawn (all twelve bad ones stay), and every method ranks
them. The truth, of which all methods and labels alike see only what some of these pipelines read,
is looked at only to tell how right each was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from consilience import progress
from consilience.experiments.pipelines.study import (
    BUDGET,
    LABELS,
    METHODS,
    SHRUNK,
    Readings,
    blind,
    by_labels,
    pooled,
    scores,
    seen,
)
from consilience.measures.orders import kendall
from consilience.measures.tops import regret

#: How many pipelines of the good engine there are.
MINORITIES = (1, 2, 3, 4, 6, 8, 10, 12)
#: How often k good pipelines are drawn, each time with labels of their own.
DRAWS = 3
#: Pages have ten times as many words as entities: so many pages are enough of them.
WORD_PAGES = 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """How right a method was: over all draws of k good pipelines, on average.

    ``tau`` is Kendall's τ with the ranking by truth; ``gap`` the mean F of the good engine's
    pipelines minus that of the bad one's, as the method sees it; ``regret`` what choosing by the
    method costs in true F; ``low`` and ``high`` are the extremes of τ over the draws, ``inverted``
    the number of draws in which the gap is below zero.
    """

    k: int
    method: str
    tau: float
    gap: float
    regret: float
    low: float
    high: float
    inverted: int


def sweep(
    whole: Readings, good: str, *, seed: int, sizes: Sequence[int], draws: int = DRAWS
) -> list[Outcome]:
    """Rank k good and all bad pipelines by every method, for every k."""
    rng = np.random.default_rng(seed)
    better = [name for name in whole.engine if whole.engine[name] == good]
    worse = [name for name in whole.engine if whole.engine[name] != good]
    made: list[Outcome] = []
    for done, k in enumerate(sizes, start=1):
        rows: dict[str, list[tuple[float, float, float]]] = {}
        for draw in range(draws):
            chosen = rng.choice(len(better), k, replace=False)
            part = whole.of({*(better[at] for at in chosen), *worse})
            for method, row in _methods(part, good, seed=seed + draw):
                rows.setdefault(method, []).append(row)
        made += [_outcome(k, method, np.array(one)) for method, one in rows.items()]
        progress.report(done, len(sizes))
    return made


def _methods(
    part: Readings, good: str, *, seed: int
) -> list[tuple[str, tuple[float, float, float]]]:
    """Tell how right every method is about one set of pipelines, the truth first."""
    part = pooled(part)
    truth = scores(seen(part))
    made = blind(part)
    is_good = np.array([part.engine[name] == good for name in made.systems])
    found = {"truth": truth}
    for method, belief in METHODS.items():
        found[method] = scores(made, belief)
    drawn = by_labels(part, BUDGET, seed=seed)
    found |= {LABELS: drawn.value, SHRUNK: drawn.shrunk}
    return [
        (
            method,
            (
                kendall(truth, values),
                float(values[is_good].mean() - values[~is_good].mean()),
                regret(truth, values),
            ),
        )
        for method, values in found.items()
    ]


def _outcome(k: int, method: str, rows: np.ndarray) -> Outcome:
    tau, gap, cost = rows.mean(axis=0)
    taus = rows[:, 0]
    inverted = int((rows[:, 1] < 0).sum())
    return Outcome(k, method, float(tau), float(gap), float(cost), taus.min(), taus.max(), inverted)
