"""``consilience curve``: precision-recall at every cutoff, every average precision by name."""

from __future__ import annotations

from typing import Any

import click

from consilience.cli.paths import INPUT
from consilience.cli.shared import FORMATS, WRITING, read_study, reading, show, taken, writing
from consilience.errors import unknown


@click.command("curve")
@click.argument("file", type=INPUT, metavar="FILE")
@reading
@click.option(
    "--claimed", metavar="X", help="A figure somebody claims: says which variant gives it."
)
@click.option(
    "--relevant",
    type=int,
    metavar="N",
    help="How many items are relevant in all, where some were not returned.",
)
@click.option(
    "--rel",
    type=float,
    default=1.0,
    show_default=True,
    metavar="GRADE",
    help="The lowest grade that counts as relevant.",
)
@click.option("--system", metavar="NAME", help="Which system, where the file holds several.")
@click.option("--query", metavar="NAME", help="Which query; by default all, averaged.")
@click.option(
    "--ties",
    default="trec",
    show_default=True,
    metavar="RULE",
    help="Equal scores: trec, rank, order, best, worst.",
)
@writing(*FORMATS)
def command(
    file: str,
    claimed: str | None,
    relevant: int | None,
    system: str | None,
    query: str | None,
    ties: str,
    rel: float,
    **options: Any,
) -> None:
    """Show precision and recall at every cutoff and all average precisions.

    FILE holds rows of item, score or rank, relevant; or a run, with --truth.

    \b
    consilience curve airplanes.csv --claimed 0.803
    consilience curve bm25.run --truth qrels.txt --query 301 -o curve.html
    """
    from consilience.study.ranking import TIES
    from consilience.verdict.curve import curve

    rule = next((name for name in TIES if name == ties), None)
    if rule is None:
        raise unknown("rule for ties", ties, TIES)
    output = taken(options, WRITING)
    study = read_study((file,), **options)
    result = curve(
        study, system=system, query=query, relevant=relevant, claimed=claimed, ties=rule, rel=rel
    )
    show(result.payload(), **output)
