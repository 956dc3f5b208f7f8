"""Run the papers' experiments and write docs/experiments.md, its pages and its figures.

``python -m bench.experiments`` runs every stage for real and keeps what slow stages gave;
``--recorded`` computes from what was kept; names restrict which slow stages are run again.
"""

from __future__ import annotations

import argparse
import html
import importlib
import re
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import vl_convert

from consilience.errors import ConsilienceError
from consilience.experiments import EXPERIMENTS, recorded, reproduce
from consilience.experiments.reproduced import Asked
from consilience.render import charts_of
from consilience.render.reproduce_report import cell, tally, verdict
from consilience.render.words import sentence

DOCS = Path(__file__).parent.parent / "docs"
PAGE, PAGES = DOCS / "experiments.md", DOCS / "experiments"
PICTURES = DOCS / "images" / "experiments"
VEGA_LITE = "6.4"
#: Letters of the same widths on every machine: names at the edge would be cut off otherwise.
FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"
#: Numbers in SVG with more digits than anybody sees.
LONG = re.compile(r"-?\d+\.\d{4,}")
#: What may become of a claim, in the order of the main page.
VERDICTS = ("Agrees", "Differs", "Not compared", "Besides")


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
        (PAGES / f"{name}.md").write_text(whole(one))


def opening(results: dict[str, Any]) -> str:
    """Say what the page is, and list the experiments."""
    rows = [
        f"| [`{name}`](#{name}) | {safe(one['source'])} | {compared(one)} "
        f"| {max(1, round(one['seconds']))} s |"
        for name, one in results.items()
    ]
    example = textwrap.fill(results["words"]["headline"], 78)
    return f"""# The papers' experiments

The experiments of the papers behind Consilience, remade with real programs and the functions that
everybody uses. Drawn symbols, meetings, votes on pictures, detections and search runs are real
data; pages to be read by OCR, rides with GPS and misspelt names are made. Each says what agrees
with the paper, what does not, and why. Where the papers' own data were not published, others of
the same kind stand in for them.

`consilience reproduce` lists them, `consilience reproduce NAME` computes one; `--again` runs slow
stages (OCR, shape descriptors, others' data) for real instead of reading what was recorded. This
page is written by `make experiments`.

```console
$ consilience reproduce words
{example}
...
```

| experiment | from | claims that come out as published | time |
|---|---|---|---|
{chr(10).join(rows)}

Times are those of one run with slow stages as recorded.
"""


def safe(text: str) -> str:
    """Write text as it is: MkDocs does not know a backslash before & and <, as others do."""
    return re.sub(r"([\\`*_\[\]#|])", r"\\\1", html.escape(text, quote=False))


def compared(one: dict[str, Any]) -> str:
    found = [finding["agrees"] for finding in one["findings"]]
    return f"{found.count(True)} of {len(found) - found.count(None)}"


def summary(name: str, payload: dict[str, Any]) -> str:
    """Tell one experiment on the main page: its headline, its first figure, its claims."""
    about = safe(sentence(EXPERIMENTS[name].about))
    said = [
        f"## {name}",
        f"*{about}* From: {safe(payload['source'])}.",
        *head(payload),
        picture(payload, payload["figures"][0], PAGE),
        safe(tally(payload["findings"])),
        "\n".join(claims(payload)),
        f"[Figures, tables, and why: all of {name}](experiments/{name}.md)",
    ]
    return "\n\n".join(said) + "\n"


def head(payload: dict[str, Any]) -> list[str]:
    """Give the headline, and what must be known of figures without truth."""
    told = [f"**{safe(payload['headline'])}**"]
    return [*told, f"*{safe(sentence(payload['caveat']))}*"] if payload["caveat"] else told


def claims(payload: dict[str, Any]) -> list[str]:
    """List the claims that a paper makes, by what became of them; what is besides has its page."""
    found = sorted(payload["findings"], key=lambda one: VERDICTS.index(verdict(one)))
    return [
        f"- {verdict(one)}: {safe(one['claim'].rstrip('.'))}."
        for one in found
        if verdict(one) != "Besides"
    ]


def whole(payload: dict[str, Any]) -> str:
    """Tell all of one experiment on a page of its own."""
    page = PAGES / f"{payload['name']}.md"
    said = [
        f"# {safe(payload['title'])}",
        f"From: {safe(payload['source'])}.",
        *head(payload),
        *(picture(payload, one, page) for one in payload["figures"]),
        "## What agrees, what does not",
        safe(tally(payload["findings"])),
        "\n".join(finding(one) for one in payload["findings"]),
        "## The paper and ours",
        *(table(one) for one in payload["tables"]),
        "## How to run it",
        "\n".join(["```sh", *payload["commands"], "```"]),
    ]
    if payload["notes"]:
        said += ["## Notes", listed([sentence(one) for one in payload["notes"]])]
    said += ["## Data and versions", listed(facts(payload))]
    return "\n\n".join(said) + "\n"


def finding(one: dict[str, Any]) -> str:
    """Tell a claim with what the paper says of it, what came out here, and why."""
    lines = [f"- **{verdict(one)}: {safe(one['claim'].rstrip('.'))}.**"]
    for word, key in (("Paper", "paper"), ("Ours", "ours"), ("Why", "why")):
        if one[key]:
            lines.append(f"    - {word}: {safe(one[key].rstrip('.'))}.")
    return "\n".join(lines)


def table(one: dict[str, Any]) -> str:
    columns = one["columns"]
    rows = [
        [cell(value, column) for value, column in zip(row, columns, strict=True)]
        for row in one["rows"]
    ]
    said = [f"**{safe(one['title'])}**"]
    lines = [[column["name"] for column in columns], *rows]
    written = [f"| {' | '.join(safe(entry) for entry in line)} |" for line in lines]
    said.append("\n".join([written[0], "|" + "---|" * len(columns), *written[1:]]))
    return "\n\n".join([*said, safe(one["note"])] if one["note"] else said)


def facts(payload: dict[str, Any]) -> list[str]:
    """Tell data, slow stages and versions; nothing that another run would change."""
    told = [f"Data: {payload['data']}."] if payload["data"] else []
    for stage in payload["stages"]:
        told.append(
            f"{sentence(stage['what'])[:-1]}: recorded on {stage['when']} in "
            f"{stage['seconds']:,.0f} s, with {versions(stage)}."
        )
    return [*told, f"Computed with {versions(payload)}; seed {payload['seed']}."]


def versions(told: dict[str, Any]) -> str:
    return ", ".join(f"{name} {version}" for name, version in told["versions"].items())


def listed(lines: list[str]) -> str:
    return "\n".join(f"- {safe(line)}" for line in lines)


def picture(payload: dict[str, Any], figure: dict[str, Any], page: Path) -> str:
    """Draw a figure and say how a page shows it."""
    path = PICTURES / f"{payload['name']}-{figure['name']}.svg"
    if not path.exists():
        spec = charts_of(payload)[figure["name"]]
        spec["config"] = {**spec["config"], "font": FONT, "padding": 10}
        svg = vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE)
        path.write_text(LONG.sub(lambda found: f"{float(found[0]):.3f}", svg))
    words = figure["words"].replace("[", "(").replace("]", ")")
    up = "../" if page.parent == PAGES else ""
    title = safe(sentence(figure["title"]))
    return f"{title}\n\n![{words}]({up}{path.relative_to(DOCS).as_posix()})"


if __name__ == "__main__":
    main()
