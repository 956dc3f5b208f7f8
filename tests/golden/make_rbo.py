"""Rank-biased overlap by two other programs, for tests/measures/test_tops.py.

The tests do not need these programs; this script was run once in an environment of its own:

    uv venv scratch && uv pip install --python scratch/bin/python rbo==0.1.3 "numpy<2"
    scratch/bin/python tests/golden/make_rbo.py tied_rbo.py > tests/golden/rbo.json

``rbo`` (PyPI) gives RBO_EXT of rankings without ties. ``tied_rbo.py`` is the program that Corsi and
Urbano published with "The treatment of ties in rank-biased overlap" (SIGIR 2024): rbo/Python/rbo.py
of github.com/julian-urbano/sigir2024-rbo, commit 0338fd9; of it, what RBO_EXT needs. It gives
RBO^w, RBO^a and RBO^b; for its own example (two lists of different length) the published figures.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from importlib.metadata import version
from itertools import groupby
from typing import Any

import numpy as np


def load(path: str) -> Any:
    spec = importlib.util.spec_from_file_location("tied_rbo", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def ranking(scores: list[int]) -> list[str | set[str]]:
    """Name systems s0, s1, … from the top down; tied ones stand in a set."""
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    made: list[str | set[str]] = []
    for _, group in groupby(order, key=lambda place: scores[place]):
        names = {f"s{place}" for place in group}
        made.append(names if len(names) > 1 else names.pop())
    return made


def main() -> None:
    tied, rbo = load(sys.argv[1]), importlib.import_module("rbo")
    rng = np.random.default_rng(0)
    untied, ties = [], []
    for systems in (1, 2, 3, 5, 8, 20, 60):
        for p in (0.5, 0.9, 0.98):
            a, b = (rng.permutation(systems).tolist() for _ in "ab")
            found = rbo.RankingSimilarity(ranking(a), ranking(b)).rbo_ext(p=p)
            untied.append({"x": a, "y": b, "p": p, "ext": found})
            c, d = (rng.integers(0, max(1, systems // 2), systems).tolist() for _ in "cd")
            three = {
                way: tied.rbo(ranking(c), ranking(d), p, ties=way, score=("ext",))["ext"]
                for way in "wab"
            }
            ties.append({"x": c, "y": d, "p": p, **three})
    versions = {"rbo": version("rbo"), "sigir2024-rbo": "0338fd9", "numpy": np.__version__}
    json.dump({"versions": versions, "untied": untied, "ties": ties}, sys.stdout, indent=None)


if __name__ == "__main__":
    main()
