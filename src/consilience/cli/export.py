"""``consilience export``: show a stored result again, without computing it anew."""

from __future__ import annotations

import click

from consilience.cli.paths import INPUT, OUTPUT
from consilience.cli.shared import FORMATS, show


@click.command("export")
@click.argument("result", type=INPUT, metavar="RESULT")
@click.option(
    "-f",
    "--format",
    "fmt",
    metavar="|".join(FORMATS),
    help="The format; by default that of -o's ending, else text.",
)
@click.option("--json", "as_json", is_flag=True, help="Short for -f json.")
@click.option(
    "-o",
    "--output",
    type=OUTPUT,
    metavar="FILE",
    help="Write to a file instead of standard output.",
)
def command(result: str, fmt: str | None, as_json: bool, output: str | None) -> None:
    """Show a stored result again.

    RESULT is an id (or its beginning), 'latest', or a file written with --json.

    \b
    consilience export latest -f latex
    consilience export rank-3f2a91 -o report.html
    """
    from consilience.store import load

    show(load(result), fmt=fmt, as_json=as_json, output=output)
