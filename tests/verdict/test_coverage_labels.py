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
    quick("100 labels", "100 labels, 2 rounds", "200 labels, evenly", "15 queries"),
    ids=lambda one: one.name,
)
def test_coverage(one: Simulation) -> None:
    check(one, one.simulate(one.few, 7))


def test_what_is_narrow_is_said() -> None:
    rng = np.random.default_rng(0)
    study, truth = simulated(rng, 5)
    seen = labelled(study, truth, 60, 1, evenly=False, seed=0)
    (note,) = [one for one in cs.rank(seen, measures=["F1", "R"]).notes if "too narrow" in one]
    assert note.startswith("R: an average of recalls")
    micro = cs.rank(seen, measures=["F1", "R(average=micro)"])
    assert not [one for one in micro.notes if "too narrow" in one]
