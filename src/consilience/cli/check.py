"""``consilience check``: what have I got, what joins, what is missing, what comes next."""

from __future__ import annotations

import json
import shlex
from typing import Any

import click

from consilience.cli.shared import read_study, reading


@click.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILES…")
@reading
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(files: tuple[str, ...], truth: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Say what the files are, what joins, what is missing, and what can be computed.

    \b
    consilience check runs/*.trec --truth qrels.txt
    """
    from consilience.render.overview import overview_text
    from consilience.study.overview import overview

    facts = overview(read_study(files, truth=truth, **options))
    facts["next"] = _next(facts, files, truth)
    if as_json:
        click.echo(json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=2))
    else:
        click.echo(overview_text(facts))


def _next(facts: dict[str, Any], files: tuple[str, ...], truth: tuple[str, ...]) -> str:
    """Give the command that comes next, ready to be pasted."""
    named = " ".join(shlex.quote(name) for name in files)
    judged = "".join(f" --truth {shlex.quote(name)}" for name in truth)
    if not facts["systems"]:
        return f"consilience check SYSTEMS… --truth {named}"
    if facts["condition"] == "absent":
        return f"consilience check {named} --truth FILE"
    if len(facts["systems"]) == 1 and facts["ordered"] and facts["condition"] == "complete":
        return f"consilience curve {named}{judged}"
    return f"consilience rank {named}{judged}"
