"""Run the papers' experiments and write docs/experiments.md, its pages and its figures.

``python -m bench.experiments`` runs every stage for real and keeps what slow stages gave;
``--recorded`` computes from what was kept; names restrict which slow stages are run again.
"""

from __future__ import annotations

import argparse
import importlib
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

DOCS = Path(__file__).parent.parent / "docs"
PAGE, PAGES = DOCS / "experiments.md", DOCS / "experiments"
PICTURES = DOCS / "images" / "experiments"
VEGA_LITE = "6.4"
#: Numbers in SVG with more digits than anybody sees.
LONG = re.compile(r"-?\d+\.\d{4,}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--recorded", action="store_true")
    asked = parser.parse_args()
    if unknown := [name for name in asked.names if name not in EXPERIMENTS]:
        parser.error(f"no such experiment: {', '.join(unknown)}")
    if not asked.recorded:
        run_again(asked.names or list(EXPERIMENTS))
    results = {}
    for name in EXPERIMENTS:
        results[name] = reproduce(name).payload()
        print(f"{name}: {results[name]['headline']} ({results[name]['seconds']:.1f} s)")
    write(results)


def run_again(names: list[str]) -> None:
    """Run slow stages for real and keep what they gave; two experiments may share one."""
    modules = {}
    for name in names:
        if EXPERIMENTS[name].slow:
            one = importlib.import_module(f"consilience.experiments.{EXPERIMENTS[name].module}")
            modules[one.RECORDED] = one
    for kept, module in modules.items():  # of those that share one the last, which needs most
        begun = time.perf_counter()
        try:
            recorded.save(kept, module.record(Asked()))
        except ConsilienceError as error:
            sys.exit(f"{kept}: {error}")
        print(f"{kept} recorded ({time.perf_counter() - begun:.0f} s)")


def write(results: dict[str, Any]) -> None:
    """Write the page, a page for each experiment, and the figures as SVG."""
    for folder, kind in ((PICTURES, "*.svg"), (PAGES, "*.md")):
        folder.mkdir(parents=True, exist_ok=True)
        for path in folder.glob(kind):
            path.unlink()
    parts = [opening(results), *(summary(name, one) for name, one in results.items())]
    PAGE.write_text("\n".join(parts))
    for name, one in results.items():
        (PAGES / f"{name}.md").write_text(whole(name, one))


def opening(results: dict[str, Any]) -> str:
    """Say what the page is, and list the experiments."""
    rows = [
        f"| [`{name}`](#{name}) | {one['source']} | {tally(one)} | {one['seconds']:.0f} s |"
        for name, one in results.items()
    ]
    return f"""# The papers' experiments

The experiments of the papers behind Consilience, remade on real pipelines and real data with the
functions that everybody uses. Each says what agrees with the paper, what does not, and why. Where
the papers' own data were not published, others of the same kind stand in for them.

`consilience reproduce` lists them, `consilience reproduce NAME` computes one; `--again` runs slow
stages (OCR, shape descriptors, others' data) for real instead of reading what was recorded. This
page is written by `make experiments`.

```console
$ consilience reproduce words
15 of 16 cardinalities of Café and Gray Color equal the paper's digits: Café's G ∩ P is 2.20, not
2.21.
...
```

| experiment | from | claims that come out as in the paper | time |
|---|---|---|---|
{chr(10).join(rows)}

Times are those of one run with slow stages as recorded.
"""


def tally(one: dict[str, Any]) -> str:
    found = [finding["agrees"] for finding in one["findings"]]
    return f"{found.count(True)} of {len(found) - found.count(None)}"


def parts_of(payload: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """Give a result's headline and its sections as Markdown, by title."""
    told = render(payload, "md")
    assert isinstance(told, str)
    headline, rest = told.split("\n\n", 1)
    pieces = re.split(r"^### (.+)\n", rest, flags=re.MULTILINE)
    return headline, dict(zip(pieces[1::2], pieces[2::2], strict=True))


def summary(name: str, payload: dict[str, Any]) -> str:
    """Tell one experiment on the main page: its headline, its first figure, its findings."""
    headline, sections = parts_of(payload)
    about = EXPERIMENTS[name].about
    found = sections["What agrees, what does not"].strip()
    return (
        f"## {name}\n\n*{about[0].upper()}{about[1:]}* ({payload['source']}).\n\n{headline}\n\n"
        f"{picture(payload, payload['figures'][0], PAGE)}\n{found}\n\n"
        f"[All tables and figures of {name}](experiments/{name}.md)\n"
    )


def whole(name: str, payload: dict[str, Any]) -> str:
    """Tell all of one experiment on a page of its own."""
    headline, sections = parts_of(payload)
    figures = [picture(payload, one, PAGES / "x.md") for one in payload["figures"]]
    told = [f"## {title}\n\n{text.strip()}\n" for title, text in sections.items()]
    return "\n".join([f"# {payload['title']}\n\n{headline}\n", *figures, *told])


def picture(payload: dict[str, Any], figure: dict[str, Any], page: Path) -> str:
    """Draw a figure and say how a page shows it."""
    path = PICTURES / f"{payload['name']}-{figure['name']}.svg"
    if not path.exists():
        spec = charts_of(payload)[figure["name"]]
        svg = vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE)
        path.write_text(LONG.sub(lambda found: f"{float(found[0]):.3f}", svg))
    words = figure["words"].replace("[", "(").replace("]", ")")
    up = "../" if page.parent == PAGES else ""
    return f"{figure['title']}.\n\n![{words}]({up}{path.relative_to(DOCS).as_posix()})\n"


if __name__ == "__main__":
    main()
