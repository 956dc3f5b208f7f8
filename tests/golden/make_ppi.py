"""Record what ppi-python says of a mean, beside which estimates from uniform labels are held.

Run in an environment of its own (importing ppi_py silences all warnings)::

    uv venv ppi && uv pip install --python ppi/bin/python ppi_python==0.2.3
    ppi/bin/python tests/golden/make_ppi.py

``lam=1`` is prediction-powered inference without power tuning: the mean of the guess over all
items, plus the mean of truth minus guess over the labelled ones.
"""

from __future__ import annotations

import importlib
import json
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

CASES = ((0, 60, 15), (1, 200, 20), (2, 40, 30))
LEVEL = 0.95


def case(seed: int, items: int, labels: int) -> dict[str, Any]:
    """Guess all items, label some, and ask."""
    ppi = importlib.import_module("ppi_py")
    rng = np.random.default_rng(seed)
    guess = rng.beta(1, 2, items).round(4)
    truth = (rng.random(items) < guess**0.7).astype(float)
    drawn = np.sort(rng.choice(items, labels, replace=False))
    given = truth[drawn], guess[drawn], guess
    low, high = ppi.ppi_mean_ci(*given, alpha=1 - LEVEL, lam=1)
    return {
        "guess": guess.tolist(),
        "drawn": drawn.tolist(),
        "truth": truth[drawn].tolist(),
        "value": float(np.ravel(ppi.ppi_mean_pointestimate(*given, lam=1))[0]),
        "interval": [float(np.ravel(low)[0]), float(np.ravel(high)[0])],
    }


if __name__ == "__main__":
    made = {
        "made by": "tests/golden/make_ppi.py",
        "versions": {name: metadata.version(name) for name in ("ppi_python", "numpy")},
        "level": LEVEL,
        "cases": [case(*one) for one in CASES],
    }
    path = Path(__file__).with_name("ppi.json")
    path.write_text(json.dumps(made, indent=1) + "\n")
