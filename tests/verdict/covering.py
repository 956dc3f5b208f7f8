"""What must hold of a simulation of intervals, on few runs."""

from __future__ import annotations

from bench.coverage.registry import SIMULATIONS
from bench.coverage.trials import LEVEL, Simulation, Trials

#: Intervals that are known to be narrow hold the truth so much less often, at most.
NARROW = 0.12


def quick(*names: str) -> list[Simulation]:
    """Give those of some simulations that are tried in tests."""
    made = [one for one in SIMULATIONS if one.name in names and one.few]
    assert {one.name for one in made} == {*names}
    return made


def check(simulation: Simulation, trials: dict[str, Trials]) -> None:
    """See that intervals hold the truth, and that half of each would not.

    The tolerance is three standard errors of a share of so many runs. Where half an interval held
    the truth as often as the whole one must, the first test would say nothing.
    """
    for name, case in simulation.cases.items():
        coverage, _, runs = trials[name].coverage()
        slack = 3 * (LEVEL * (1 - LEVEL) / runs) ** 0.5
        least = case.most - slack - (NARROW if case.narrow else 0)
        assert coverage >= least, f"{name}: {coverage:.3f} of {runs} runs"
        halved, _, _ = trials[name].coverage(0.5)
        if case.bends:
            assert halved < LEVEL - slack, f"{name}: half of each interval holds {halved:.3f}"
