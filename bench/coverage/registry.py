"""All simulations, and which part of the product gives the intervals that each tries."""

from __future__ import annotations

from bench.coverage import beliefs, between, documents, labels, queries
from bench.coverage.trials import Simulation

SIMULATIONS: tuple[Simulation, ...] = (
    *queries.SIMULATIONS,
    *labels.SIMULATIONS,
    *between.SIMULATIONS,
    *beliefs.SIMULATIONS,
    *documents.SIMULATIONS,
)
#: What gives intervals to its readers → the simulations that try them.
TRIED = {
    "verdict/sure_payload.py": (
        *(one.name for one in queries.SIMULATIONS),
        *(one.name for one in (*labels.SIMULATIONS, *between.SIMULATIONS)),
        "posterior",
    ),
    "verdict/uncertain_payload.py": ("distributions",),
    "verdict/annotators_told.py": ("agree, 20", "agree, 50", "agree, 200"),
    "verdict/boxes_payload.py": ("boxes",),
    "verdict/correlation_told.py": ("correlate, 25", "correlate, 100"),
    "verdict/nearness.py": ("subjects",),
    "verdict/segments_told.py": ("segments",),
    "verdict/soft_payload.py": ("soft",),
    "measures/counts_posterior.py": ("counts",),
}
