"""Run the papers' experiments and write docs/experiments.md with its figures.

``python -m bench.experiments`` runs every stage for real, keeps what slow stages gave and writes
the page; ``--recorded`` computes from what was kept; names restrict it to some experiments (the
page then keeps what it says of the others).
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
import time
from pathlib import Path
from typing import Any

import vl_convert

from consilience.errors import ConsilienceError
from consilience.experiments import EXPERIMENTS, recorded, reproduce
from consilience.experiments.reproduced import Asked
from consilience.render import charts_of, render

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "experiments.md"
PICTURES = ROOT / "docs" / "images" / "experiments"
RESULTS = ROOT / "bench" / "results" / "experiments.json"
VEGA_LITE = "6.4"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*EXPERIMENTS, []], metavar="NAME")
    parser.add_argument("--recorded", action="store_true")
    asked = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name in asked.names or EXPERIMENTS:
        begun = time.perf_counter()
        if EXPERIMENTS[name].slow and not asked.recorded:
            anew(name)
        results[name] = reproduce(name).payload()
        print(f"{name}: {results[name]['headline']} ({time.perf_counter() - begun:.0f} s)")
    results = {name: results[name] for name in EXPERIMENTS if name in results}
    RESULTS.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n")
    write(results)


def anew(name: str) -> None:
    """Run a slow stage for real and keep what it gave."""
    module = importlib.import_module(f"consilience.experiments.{EXPERIMENTS[name].module}")
    try:
        recording = module.record(Asked())
    except ConsilienceError as error:
        sys.exit(f"{name}: {error}")
    recorded.save(module.RECORDED, recording)


def write(results: dict[str, Any]) -> None:
    """Write the page, and the figures as SVG beside it."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for path in PICTURES.glob("*.svg"):
        path.unlink()
    parts = [opening(results), *(section(name, one) for name, one in results.items())]
    PAGE.write_text("\n".join(parts))


def opening(results: dict[str, Any]) -> str:
    """Say what the page is, and list the experiments."""
    rows = [
        f"| [`{name}`](#{name}) | {one['source']} | {tally(one)} | {one['seconds']:.1f} s |"
        for name, one in results.items()
    ]
    return f"""# The papers' experiments

The experiments of the papers behind Consilience, remade on real pipelines and real data with the
functions that everybody uses. Each says what agrees with the paper, what does not, and why.

`consilience reproduce` lists them, `consilience reproduce NAME` computes one; `--again` runs slow
stages (OCR, shape descriptors, others' data) for real instead of reading what was recorded. This
page is written by `make experiments`.

```console
$ consilience reproduce words
...
2 of 3 claims come out as in the paper.
...
```

| experiment | from | claims that come out as in the paper | time, slow stages recorded |
|---|---|---|---|
{chr(10).join(rows)}
"""


def tally(one: dict[str, Any]) -> str:
    found = [finding["agrees"] for finding in one["findings"]]
    return f"{found.count(True)} of {len(found) - found.count(None)}"


def section(name: str, payload: dict[str, Any]) -> str:
    """Tell one experiment: its headline, its figures, then all the rest as Markdown."""
    told = render(payload, "md")
    assert isinstance(told, str)
    headline, rest = told.split("\n\n", 1)
    about = EXPERIMENTS[name].about
    title = f"## {name}\n\n*{about[0].upper()}{about[1:]}* ({payload['source']}).\n\n{headline}\n"
    parts = [title, *(picture(payload, one) for one in payload["figures"]), rest]
    return "\n".join(parts)


def picture(payload: dict[str, Any], figure: dict[str, Any]) -> str:
    """Draw a figure and say how the page shows it."""
    spec = charts_of(payload)[figure["name"]]
    path = PICTURES / f"{payload['name']}-{figure['name']}.svg"
    svg = vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE)
    path.write_text(re.sub(r"-?\d+\.\d{4,}", lambda found: f"{float(found[0]):.3f}", svg))
    words = figure["words"].replace("[", "(").replace("]", ")")
    shown = path.relative_to(PAGE.parent).as_posix()
    return f"{figure['title']}\n\n![{words}]({shown})\n"


if __name__ == "__main__":
    main()
