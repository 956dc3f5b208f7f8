"""``consilience check``: what have I got, what joins, what is missing, what comes next."""

from __future__ import annotations

import json
import shlex
from typing import Any

import click

from consilience.cli.believing import with_families
from consilience.cli.shared import alive, emit, read_study, reading


@click.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILES…")
@reading
@click.option(
    "--families",
    metavar="FILE|auto|none",
    help="Systems with a common cause of error, as for rank.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    files: tuple[str, ...],
    truth: tuple[str, ...],
    families: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Say what the files are, what joins, what is missing, and what can be computed.

    \b
    consilience check runs/*.trec --truth qrels.txt
    """
    from consilience.belief.dependence import dependence
    from consilience.render.overview import overview_text
    from consilience.study.overview import overview
    from consilience.verdict.agreed import of_dependence

    study = with_families(read_study(files, truth=truth, **options), families)
    facts = overview(study)
    with alive("comparing"):
        facts["dependence"] = of_dependence(dependence(study))
    if facts["dependence"] and facts["condition"] != "absent":
        facts["dependence"]["warning"] = None  # truth tells who is right
    facts["next"] = _next(facts, files, truth, options, families)
    if as_json:
        emit(json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=2) + "\n")
    else:
        emit(overview_text(facts) + "\n")


def _repeated(options: dict[str, Any], families: str | None) -> str:
    """Repeat the options that say how files are read, where they are not the usual ones."""
    said = [("--columns", pair) for pair in options["columns"]]
    usual = {"encoding": None, "duplicates": "error", "universe": "pool"}
    said += [(f"--{name}", options[name]) for name in usual if options[name] != usual[name]]
    said += [("--families", families)] if families is not None else []
    return "".join(f" {option} {shlex.quote(str(value))}" for option, value in said)


def _next(
    facts: dict[str, Any],
    files: tuple[str, ...],
    truth: tuple[str, ...],
    options: dict[str, Any],
    families: str | None,
) -> str:
    """Give the command that comes next, ready to be pasted."""
    named = " ".join(shlex.quote(name) for name in files)
    judged = "".join(f" --truth {shlex.quote(name)}" for name in truth)
    if not facts["systems"] and facts["condition"] == "uncertain" and not truth:
        return f"consilience agree {named}{_repeated({**options, 'universe': 'pool'}, None)}"
    said = _repeated(options, families)
    if facts["systems"] and facts["categories"]:
        people = "".join(f" --assignments {shlex.quote(name)}" for name in truth or ("FILE",))
        results = "".join(f" --results {shlex.quote(name)}" for name in files)
        return f"consilience tree --tree FILE{people}{results}"
    if not facts["systems"]:
        return f"consilience check SYSTEMS… --truth {named}{said}"
    if facts["condition"] == "absent" and (truth or len(facts["systems"]) < 2):
        return f"consilience check {named} --truth {'OTHER-FILE' if truth else 'FILE'}{said}"
    if len(facts["systems"]) == 1 and facts["ordered"] and facts["condition"] == "complete":
        return f"consilience curve {named}{judged}{said}"
    verb = "distributions" if facts["condition"] == "uncertain" else "rank"
    return f"consilience {verb} {named}{judged}{said}"
