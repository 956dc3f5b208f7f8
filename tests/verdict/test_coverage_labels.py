"""Intervals from labels that were drawn by design hold the truth as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs
from bench.coverage.labels import labelled, simulated
from bench.coverage.trials import Simulation
from tests.verdict.covering import check, quick


@pytest.mark.parametrize(
    "one",
    quick(
        *("100 labels", "100 labels, 2 rounds", "200 labels, evenly", "15 queries"),
        *("labels between rounds", "systems between rounds"),
    ),
    ids=lambda one: one.name,
)
def test_coverage(one: Simulation) -> None:
    check(one, one.simulate(one.few, 7))


@pytest.mark.parametrize(("budget", "kept"), [(60, True), (15, False)])
def test_means_of_ratios_have_intervals_only_with_enough_labels(budget: int, kept: bool) -> None:
    """Five queries: sixty labels are enough for recall query by query, fifteen are not."""
    rng = np.random.default_rng(0)
    study, truth = simulated(rng, 5)
    seen = labelled(study, truth, budget, 1, evenly=False, seed=0)
    found = cs.rank(seen, measures=["R", "F1", "P", "R(average=micro)"]).standings[0].details
    for name in ("R", "F1"):
        assert (found[name].interval is not None) == kept
        assert (found[name].withheld is None) == kept
        assert (found[name].given is None) == kept
    assert found["P"].interval is not None
    assert found["R(average=micro)"].interval is not None
