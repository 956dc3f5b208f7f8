"""Many draws in one row: how right ranking and figures were, and how honest the intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from bench.accuracy.trials import compared
from bench.labels.draws import Outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Row:
    """One way of spending labels on one set, averaged over draws.

    ``regret`` is what the system put first lacks to the best one. ``coverage`` is the share of true
    scores inside their 95 % interval, ``coverage_error`` its standard error (draws differ, systems
    of a draw err together). ``rmse`` is how far estimates really were from the truth (root mean
    square over draws, mean over systems), ``standard_error`` how far they said they would be,
    ``expected`` what was forecast before labelling.
    """

    set: str
    measure: str
    method: str
    budget: int
    labels: float
    draws: int
    tau: float
    mae: float
    regret: float
    bias: float
    rmse: float
    coverage: float | None = None
    coverage_error: float | None = None
    standard_error: float | None = None
    expected: float | None = None
    drawn_for: str | None = None


@dataclass
class Tally:
    """Outcomes of many draws, each beside the truth."""

    outcomes: list[Outcome] = field(default_factory=list)
    truths: list[NDArray[np.float64]] = field(default_factory=list)

    def add(self, outcome: Outcome, true: NDArray[np.float64]) -> None:
        """Note one more draw."""
        self.outcomes.append(outcome)
        self.truths.append(true)

    def row(
        self, name: str, measure: str, method: str, budget: int, drawn_for: str | None = None
    ) -> Row:
        """Average over the draws."""
        pairs = list(zip(self.outcomes, self.truths, strict=True))
        found = [compared(one.value, true, same_scale=True) for one, true in pairs]
        error = np.array([one.value - true for one, true in pairs])
        covered = [
            np.abs(one.value - true) <= one.reach + 1e-12
            for one, true in pairs
            if one.reach is not None
        ]
        shares = np.array(covered).mean(axis=1) if covered else None
        return Row(
            name,
            measure,
            method,
            budget,
            float(np.mean([one.labels for one in self.outcomes])),
            len(pairs),
            float(np.mean([one.tau or 0.0 for one in found])),
            float(np.nanmean(np.abs(error))),
            float(np.mean([one.regret for one in found])),
            float(np.nanmean(error)),
            float(np.nanmean(np.sqrt(np.nanmean(error**2, axis=0)))),
            None if shares is None else float(shares.mean()),
            None if shares is None else spread(shares),
            _root([x.standard_error for x in self.outcomes if x.standard_error is not None]),
            _root([x.expected for x in self.outcomes if x.expected is not None]),
            drawn_for,
        )


def _root(errors: Sequence[NDArray[np.float64]]) -> float | None:
    """Give the root mean square over draws, averaged over systems."""
    if not errors:
        return None
    return float(np.nanmean(np.sqrt(np.nanmean(np.square(errors), axis=0))))


def spread(values: NDArray[np.float64]) -> float:
    """Give the standard error of a mean over draws."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
