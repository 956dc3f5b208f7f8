"""Intervals of an uncertain truth hold it as often as they say, if the belief is right."""

from __future__ import annotations

import pytest

from bench.coverage.trials import Simulation
from tests.verdict.covering import check, quick


@pytest.mark.parametrize(
    "one", quick("posterior", "distributions", "counts"), ids=lambda one: one.name
)
def test_coverage(one: Simulation) -> None:
    check(one, one.simulate(one.few, 7))
