"""``consilience belief``: the probability of each (query, item)."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from consilience.cli import say
from consilience.cli.believing import BELIEVING, believing, chosen_belief, graded
from consilience.cli.matching import (
    MATCHING,
    check_matching,
    chosen_match,
    matching,
    read_matched,
)
from consilience.cli.paths import INPUT
from consilience.cli.shared import WRITING, alive, boxing, reading, show, taken, writing


@click.command("belief")
@click.argument("files", type=INPUT, nargs=-1, required=True, metavar="FILES…")
@reading
@boxing
@believing
@matching(scores=False)
@click.option("--depth", type=int, metavar="K", help="Count only the first K answers of each list.")
@graded
@writing("text", "json", "csv", "md", "parquet", "qrels")
def command(files: tuple[str, ...], depth: int | None, rel: float, **options: Any) -> None:
    """Give the probability that each item is relevant to its query.

    \b
    consilience belief runs/*.trec -o belief.csv
    consilience belief votes.csv --belief dawid-skene -f qrels
    consilience belief phrases.csv --match soft --similarity jaro-winkler
    """
    from consilience.study.depth import cut
    from consilience.verdict.believed import believed, believed_categories
    from consilience.verdict.matched import soft_votes

    chosen = {name: options.pop(name) for name in BELIEVING}
    output = taken(options, WRITING)
    matched = {name: options.pop(name) for name in MATCHING}
    check_matching(matched)
    study = read_matched(files, matched, options)
    if study.categories:
        with alive("believing"):
            payload = believed_categories(study, chosen["belief"])
    else:
        study, believe = chosen_belief(study, **chosen)
        if depth is not None:
            study = cut(study, depth)
        match = chosen_match(matched, study, truth=False)
        with alive("believing"):
            study = study if match is None else soft_votes(study, match)
            payload = believed(study, partial(believe, relevant_from=rel))
    show(payload, **output)
    if payload["caveat"]:  # rows alone do not carry it
        say(f"note: {payload['caveat']}")
