"""``consilience belief``: the probability of each (query, item)."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from consilience.cli import say
from consilience.cli.believing import BELIEVING, believing, chosen_belief, graded
from consilience.cli.shared import alive, read_study, reading, show, writing


@click.command("belief")
@click.argument("files", nargs=-1, required=True, metavar="FILES…")
@reading
@believing
@click.option("--depth", type=int, metavar="K", help="Count only the first K answers of each list.")
@graded
@writing("text", "json", "csv", "md", "parquet", "qrels")
def command(files: tuple[str, ...], depth: int | None, rel: float, **options: Any) -> None:
    """Give the probability that each item is relevant to its query.

    \b
    consilience belief runs/*.trec -o belief.csv
    consilience belief votes.csv --belief dawid-skene -f qrels
    """
    from consilience.study.depth import cut
    from consilience.verdict.believed import believed, believed_categories

    chosen = {name: options.pop(name) for name in BELIEVING}
    output = {name: options.pop(name) for name in ("as_json", "fmt", "output", "no_save")}
    study = read_study(files, **options)
    if study.categories:
        with alive("believing"):
            payload = believed_categories(study, chosen["belief"])
    else:
        study, believe = chosen_belief(study, **chosen)
        if depth is not None:
            study = cut(study, depth)
        with alive("believing"):
            payload = believed(study, partial(believe, relevant_from=rel))
    show(payload, **output)
    if payload["caveat"]:  # rows alone do not carry it
        say(f"note: {payload['caveat']}")
