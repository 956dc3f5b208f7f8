"""Intervals over queries hold the truth as often as they say; so do ranks and probabilities."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import consilience
from bench.coverage.chances import calibration
from bench.coverage.registry import SIMULATIONS, TRIED
from bench.coverage.trials import Simulation, Trials, verdict
from tests.verdict.covering import check, quick

SOURCE = Path(consilience.__file__).parent


@pytest.mark.parametrize(
    "one", quick("means", "differences", "micro", "ranks"), ids=lambda one: one.name
)
def test_coverage_over_queries(one: Simulation) -> None:
    check(one, one.simulate(one.few, 7))


def test_probabilities_come_true_about_as_often_as_they_say() -> None:
    """P(best) is a little too sure: the first of many was also lucky."""
    for one in calibration(150, 3):
        assert one.true == pytest.approx(one.told, abs=0.12 + 3 * one.error), one


def test_no_interval_was_forgotten() -> None:
    """Whatever tells its readers an interval has a simulation, or a new one is needed."""
    given = {
        str(path.relative_to(SOURCE))
        for room in ("verdict", "measures")
        for path in (SOURCE / room).glob("*.py")
        if re.search(r'"intervals?": ', path.read_text(encoding="utf-8"))
    }
    given -= {"verdict/compared.py"}  # it repeats those of two results
    assert given == {*TRIED} - {"measures/counts_posterior.py"}
    names = {one.name for one in SIMULATIONS}
    assert {name for several in TRIED.values() for name in several} == names


def test_coverage_is_counted_by_runs() -> None:
    trials = Trials.of(
        [
            (0, 0.5, (0.4, 0.6), 0.5),
            (0, 0.5, (0.4, 0.6), 0.56),
            (1, 0.5, (0.4, 0.6), 0.7),
            (2, 0.5, None, 0.5),
        ]
    )
    coverage, error, runs = trials.coverage()
    assert coverage == pytest.approx(2 / 3)
    assert runs == 2
    assert error > 0.3
    assert trials.coverage(0.5)[0] == pytest.approx(1 / 3)
    assert trials.withheld == 0.25


@pytest.mark.parametrize(
    ("coverage", "error", "said"),
    [(0.936, 0.005, "covers"), (0.93, 0.005, "nearly covers"), (0.9, 0.005, "too narrow")],
)
def test_verdicts(coverage: float, error: float, said: str) -> None:
    assert verdict(coverage, error) == said
