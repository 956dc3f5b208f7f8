"""``consilience demo``: a bundled example, end to end."""

from __future__ import annotations

from pathlib import Path

import click

from consilience.cli.shared import show
from consilience.errors import UsageError, unknown

#: Demonstration → what it shows.
DEMOS = {
    "complete": "eight keyphrase extractors against the phrases of professional indexers",
    "airplanes": "one ranked list, every average precision, and a claimed figure explained",
}


@click.command("demo")
@click.argument("name", default="complete", metavar="[complete|airplanes]")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where the HTML report goes; by default ./consilience-demo.html.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON and write no report."
)
def command(name: str, output: str | None, as_json: bool) -> None:
    """Run a bundled example: print the result, write a report to look at."""
    from consilience.examples import example, example_study
    from consilience.render import render
    from consilience.store import write
    from consilience.verdict.curve import curve
    from consilience.verdict.rank import rank

    if name not in DEMOS:
        raise unknown("demo", name, list(DEMOS))
    if as_json and output:
        raise UsageError("--json prints to standard output and writes no report (fix: drop -o)")
    if name == "airplanes":
        typed = f"consilience curve {example('airplanes.csv')} --claimed 0.803"
        payload = curve(example_study("airplanes"), claimed="0.803").payload()
    else:
        files = example("keyphrases.csv"), example("keyphrases-gold.csv")
        typed = f"consilience rank {files[0]} --truth {files[1]} -m F1 -m AP -m P@5"
        payload = rank(example_study("keyphrases"), measures=["F1", "AP", "P@5"]).payload()
    if as_json:
        show(payload, fmt="json", as_json=True, output=None)
        return
    click.echo(f"{DEMOS[name]}; the same by hand:\n  {typed}\n", err=True)
    show(payload, fmt="text", as_json=False, output=None)
    path = Path(output or "consilience-demo.html")
    report = render(payload, "html")
    write(path, report.encode() if isinstance(report, str) else report)
    click.echo(f"\nThe report with pictures: {path}", err=True)
