"""Soft cardinalities by another program: similarity-sensitive diversity of order 0 by sentropy.

    python make_soft_sentropy.py soft_sentropy.json

sentropy 1.5.0 (PyPI) imports torch, of which the numpy path needs only the name of a class: where
torch is missing, an empty class stands in. The similarities are 1 − edits / longer length, computed
here by the plain table of Wagner and Fischer.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import platform
import random
import sys
import types
from pathlib import Path
from typing import Any

CAFE_G = ["cafe", "pizza", "hotel"]
CAFE_P = ["cafe", "coffee", "caffe", "pizza", "plaza"]
GRAY_G = ["gray", "color"]
GRAY_P = ["the", "colour", "grey"]
WORDS = [
    "colour", "color", "grey", "gray", "centre", "center", "theatre", "theater",
    "catalogue", "catalog", "analyse", "analyze", "defence", "defense", "travel",
    "traveller", "traveler", "label", "labelled", "labeled", "model", "modelling",
    "modeling", "metre", "meter", "river", "rivers", "lake", "lakes", "mountain",
    "mountains", "valley", "forest", "tree", "trees", "stone", "stones", "bridge",
    "bridges", "road", "café", "naïve", "Zürich", "Łódź",
]  # fmt: skip


def edits(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, start=1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(b, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (left != right))
    return row[-1]


def alike(a: str, b: str) -> float:
    longest = max(len(a), len(b))
    return 1 - edits(a, b) / longest if longest else 1.0


def sets() -> dict[str, list[str]]:
    found = {
        "Café G": CAFE_G,
        "Café P": CAFE_P,
        "Café union": CAFE_G + CAFE_P,
        "Gray Color G": GRAY_G,
        "Gray Color P": GRAY_P,
        "Gray Color union": GRAY_G + GRAY_P,
    }
    rng = random.Random(20230115)
    for number in range(1, 31):
        size = rng.randint(1, 15)
        found[f"random {number}"] = (
            rng.choices(WORDS, k=size)
            if number % 2
            else ["".join(rng.choices("abcd", k=rng.randint(1, 8))) for _ in range(size)]
        )
    return found


def cardinality(items: list[str]) -> float:
    import numpy as np

    sentropy: Any = importlib.import_module("sentropy").sentropy
    similarity = np.array([[alike(a, b) for b in items] for a in items])
    found = sentropy(np.ones(len(items)), similarity=similarity, q=0)
    return float(found(q=0) if callable(found) else found)


def main() -> None:
    if importlib.util.find_spec("torch") is None:
        stand_in = types.ModuleType("torch")
        setattr(stand_in, "Tensor", type("Tensor", (), {}))  # noqa: B010
        sys.modules["torch"] = stand_in
    from importlib.metadata import version

    made = {
        "made by": "tests/golden/make_soft_sentropy.py",
        "versions": {"sentropy": version("sentropy"), "python": platform.python_version()},
        "what": "soft cardinality: similarity-sensitive diversity, order 0, uniform weights",
        "similarity": "levenshtein, no floor, strings as they are",
        "sets": [
            {"name": name, "items": items, "cardinality": cardinality(items)}
            for name, items in sets().items()
        ],
    }
    text = json.dumps(made, ensure_ascii=False, indent=1)
    Path(sys.argv[1]).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
