"""Rounds of labels, simulated where the truth is known: right on average, and as sure as said.

Seeded; figures are checked within the error of the simulation itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from consilience.examples.pipelines import BAD, GOOD, Engine, pipelines
from consilience.measures.names import parse
from consilience.study import Study
from consilience.verdict.designed import designed
from tests.verdict.labelled import (
    labelled_in_rounds,
    remember_families,
    true_scores,
    truth_of,
)

#: Something between the two engines of the example.
FAIR = Engine("fair", 0.2, 0.02)
DRAWS = 120
MEASURE = "F1(average=micro)"


@pytest.fixture(scope="module")
def study() -> Study:
    return pipelines(((GOOD, 3), (BAD, 3), (FAIR, 2)), pages=6, items=120, prevalence=0.15, seed=3)


@dataclass(frozen=True)
class Trials:
    """Errors of estimates (draws × systems), and the standard errors that they gave."""

    error: NDArray[np.float64]
    said: NDArray[np.float64]

    @property
    def mae(self) -> float:
        return float(np.abs(self.error).mean())

    @property
    def coverage(self) -> float:
        return float((np.abs(self.error) <= 1.96 * self.said).mean())

    def bias(self) -> NDArray[np.float64]:
        """Give each system's mean error, in standard errors of that mean."""
        error = self.error.std(axis=0) / math.sqrt(len(self.error))
        return np.asarray(self.error.mean(axis=0) / error, np.float64)


def trials(
    study: Study, name: str, budgets: tuple[int, ...], *, evenly: bool = False, draws: int = DRAWS
) -> Trials:
    measure, truth = parse(name), truth_of(study)
    right = true_scores(study, measure, truth)
    error, said = [], []
    for seed in range(draws):
        now = labelled_in_rounds(study, truth, measure, budgets, seed=seed, evenly=evenly)
        found = designed(now, measures=[measure], seed=seed).measures[str(measure)]
        error.append(found.value - right)
        said.append(found.standard_error)
    return Trials(np.array(error), np.array(said))


@pytest.mark.parametrize("budgets", [(80,), (40, 40), (20, 20, 20, 20)], ids=len)
def test_rounds_are_right_on_average_and_intervals_hold(
    study: Study, budgets: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    remember_families(study, monkeypatch)
    made = trials(study, MEASURE, budgets)
    # the errors of one draw are shared by all systems: so many draws are the sample, not so many
    # errors; F is a ratio, and off by a small part of its error
    slack = 3 * math.sqrt(0.95 * 0.05 / DRAWS)
    assert made.coverage >= 0.93 - slack / 2
    assert np.abs(made.error.mean(axis=0)).max() < 0.5 * made.said.mean()
    assert made.said.mean() == pytest.approx(np.sqrt((made.error**2).mean()), rel=0.25)


def test_precision_has_no_bias_over_four_rounds(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Precision divides by a number that is known: what remains is chance."""
    remember_families(study, monkeypatch)
    made = trials(study, "P(average=micro)", (20, 20, 20, 20))
    assert np.abs(made.bias()).max() < 3.5


def test_designed_labels_are_worth_more_than_even_ones(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember_families(study, monkeypatch)
    by_design = trials(study, MEASURE, (60,), draws=60)
    evenly = trials(study, MEASURE, (60,), evenly=True, draws=60)
    assert by_design.mae < 0.75 * evenly.mae
