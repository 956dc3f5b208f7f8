"""Intervals from labels that were drawn by design hold the truth as often as they say."""

from __future__ import annotations

import pytest

from bench.coverage.trials import Simulation
from tests.verdict.covering import check, quick


@pytest.mark.parametrize(
    "one",
    quick("100 labels", "100 labels, 2 rounds", "200 labels, evenly", "15 queries"),
    ids=lambda one: one.name,
)
def test_coverage(one: Simulation) -> None:
    check(one, one.simulate(one.few, 7))
