"""Intervals over documents, items, images, recordings and subjects hold the truth."""

from __future__ import annotations

import pytest

from bench.coverage.trials import Simulation
from tests.verdict.covering import check, quick


@pytest.mark.parametrize(
    "one",
    quick("soft", "agree, 50", "boxes", "segments", "subjects", "correlate, 25"),
    ids=lambda one: one.name,
)
def test_coverage(one: Simulation) -> None:
    check(one, one.simulate(one.few, 7))
