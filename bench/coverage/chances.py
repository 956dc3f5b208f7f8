"""Do probabilities hold what they say? P(best) and P(a beats b) against what is true."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from consilience.verdict.pairs import beats, places
from consilience.verdict.resample import resample

#: Probabilities are grouped between these.
EDGES = (0.0, 0.05, 0.2, 0.5, 0.8, 0.95, 1.0)
SYSTEMS, QUERIES = 6, 30


@dataclass(frozen=True)
class Calibrated:
    """Of probabilities about so large: how large on average, and how often it came true."""

    what: str
    low: float
    high: float
    told: float
    true: float
    error: float
    count: int


def calibration(runs: int, seed: int) -> list[Calibrated]:
    """Draw systems, then queries; ask afterwards which system is best over all queries."""
    best, first, wins, better = [], [], [], []
    pairs = np.triu_indices(SYSTEMS, 1)
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        true = rng.normal(0.5, 0.04, SYSTEMS)
        hard = rng.normal(0, 0.15, QUERIES)
        values = true[:, None] + hard + rng.normal(0, 0.12, (SYSTEMS, QUERIES))
        draws = resample(values, seed=run).draws
        best.append(places(draws, 0.025)[0])
        first.append(true == true.max())
        wins.append(beats(draws)[pairs])
        better.append(true[pairs[0]] > true[pairs[1]])
    return [
        *_grouped("P(best)", np.ravel(best), np.ravel(first)),
        *_grouped("P(a beats b)", np.ravel(wins), np.ravel(better)),
    ]


def _grouped(what: str, told: np.ndarray, true: np.ndarray) -> list[Calibrated]:
    made = []
    for low, high in pairwise(EDGES):
        here = (told >= low) & ((told < high) | (high == 1.0))
        count = int(here.sum())
        if not count:
            continue
        share = float(true[here].mean())
        error = max(share * (1 - share), 1 / count) ** 0.5 / count**0.5
        made.append(Calibrated(what, low, high, float(told[here].mean()), share, error, count))
    return made
