"""The payload of ``next``: which labels to ask for, simulated."""

from __future__ import annotations

from typing import Any

import numpy as np


def next_payload(rows: int = 100, *, labelled: int = 40, stop: bool = True) -> dict[str, Any]:
    """Give labels to ask for, drawn with probabilities that follow a skewed weight."""
    rng = np.random.default_rng(rows)
    weights = rng.gamma(0.6, 1.0, 10_000)
    chances = np.minimum(1.0, max(1, rows) * (0.9 * weights / weights.sum() + 0.1 / 10_000))
    chosen = np.argsort(rng.random(10_000) / chances)[:rows]
    steps = [round(share * max(1, rows)) for share in (0.25, 0.5, 1, 1.5, 2, 3, 4)]
    curve = [
        {
            "labels": n,
            "designed": 0.17 / (labelled + n) ** 0.5,
            "uniform": 0.31 / (labelled + n) ** 0.5,
        }
        for n in dict.fromkeys(steps)
    ]
    return {
        "verb": "next",
        "id": "next-0123456789ab",
        "version": "0.2.0",
        "created": "2026-11-15T10:00:00Z",
        "seed": 0,
        "inputs": [{"file": "runs.csv", "rows": 90, "recognised": "table", "why": "columns"}],
        "input_hash": "ab" * 32,
        "rows": [
            {
                "query": f"q{int(i) % 50 + 1:02d}",
                "item": f"doc-{int(i):05d}",
                "probability": float(chances[i]),
                "round": 2 if labelled else 1,
            }
            for i in chosen
        ],
        "budget": 100,
        "drawn": rows,
        "expected": 98.7,
        "population": 10_000,
        "labelled": labelled,
        "round": 2 if labelled else 1,
        "measure": "F1",
        "level": 0.95,
        "delta": 0.02,
        "prediction": {"from": "ls-eb", "calibrated": bool(labelled), "labels_used": labelled},
        "settings": {"depth": None, "universe": "pool", "uniform_share": 0.1},
        "gain": {
            "standard_error_now": 0.041 if labelled else None,
            "standard_error_after": 0.0168,
            "standard_error_uniform": 0.0309,
            "worth": 338.4,
            "ratio": 3.384,
            "curve": curve,
            "pair": {
                "a": "bm25+rm3",
                "b": "dense-e5",
                "standard_error_after": 0.0121,
                "standard_error_uniform": 0.0204,
            },
        },
        "stop": {
            "settled": False,
            "level": 0.95,
            "delta": 0.02,
            "labels": labelled,
            "population": 10_000,
            "looks": 1,
            "level_used": 0.95,
            "first": "bm25+rm3",
            "probability": 0.83,
            "needed": 210,
            "sentence": "Not settled at 95% for δ = 0.02 after 40 of 10,000 labels; "
            "about 210 more would settle it.",
        }
        if stop
        else None,
        "headline": f"Label these {rows} items next, of 10,000: they are drawn where a label "
        "moves F1 most.",
        "notes": ["3 items were labelled already and are left out."],
    }
