"""``consilience convert``: answers of any form, sorted by query into one Parquet file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from consilience.cli import say
from consilience.cli.paths import Input
from consilience.cli.shared import alive, emit, mapping
from consilience.errors import UsageError, unknown

if TYPE_CHECKING:
    from consilience.engine.convert import Converted


@click.command("convert")
@click.argument(
    "files", type=Input(last=True), nargs=-1, required=True, metavar="FILES… OUT.parquet"
)
@click.option(
    "--columns",
    multiple=True,
    metavar="ROLE=NAME",
    help="Which column is what, such as query=topic_nr (repeatable).",
)
@click.option(
    "--answers",
    metavar="lines|lists|votes",
    help="The kind of answers, where it is not to be recognised.",
)
@click.option("--encoding", metavar="NAME", help="The files' text encoding, where it is not UTF-8.")
@click.option(
    "--duplicates",
    default="error",
    show_default=True,
    metavar="error|first|last",
    help="What to do when an item is answered twice, differently.",
)
@click.option(
    "--kind",
    default="system",
    show_default=True,
    metavar="system|person|llm|gold",
    help="What the respondents are, where the files do not say.",
)
@click.option(
    "--memory",
    metavar="SIZE",
    help="How much memory may be used, such as 4GB; by default 60 % of what is free.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    files: tuple[str, ...],
    columns: tuple[str, ...],
    answers: str | None,
    encoding: str | None,
    duplicates: str,
    kind: str,
    memory: str | None,
    as_json: bool,
) -> None:
    """Write files, folders and globs of answers as one votes file, sorted by query.

    \b
    consilience convert runs/*.trec votes.parquet
    consilience convert qrels.txt truth.parquet
    """
    from consilience.engine.convert import DUPLICATES, convert
    from consilience.formats.rows import KINDS

    if len(files) < 2:
        raise UsageError(
            f"{files[0]} alone: what is the input, what the output? (fix: name the inputs, and "
            "last the file to write, such as votes.parquet)"
        )
    rule = next((name for name in DUPLICATES if name == duplicates), None)
    if rule is None:
        raise unknown("way with duplicates", duplicates, DUPLICATES)
    who = next((name for name in KINDS if name == kind), None)
    if who is None:
        raise unknown("kind", kind, KINDS)
    with alive("converting"):
        made = convert(
            files[:-1],
            files[-1],
            columns=mapping(columns),
            answers=answers,
            encoding=encoding,
            duplicates=rule,
            kind=who,
            memory=memory,
        )
    if as_json:
        emit(json.dumps(made.payload(), ensure_ascii=False, allow_nan=False, indent=2) + "\n")
        return
    for note in made.index.notes:
        say(f"note: {note}")
    emit(f"{_told(made)}\n")


def _told(made: Converted) -> str:
    """Say in one line what was written."""
    from consilience.engine.sizes import shown

    index = made.index
    counts = (
        (index.rows, "row", "rows"),
        (len(index.queries), "query", "queries"),
        (len(index.respondents), "respondent", "respondents"),
    )
    said = ", ".join(f"{n:,} {one if n == 1 else several}" for n, one, several in counts)
    sizes = f"{shown(made.bytes_in)} in, {shown(made.bytes_out)} out"
    return f"{made.path}: {said}; {sizes}, {made.seconds:.1f} s"
