"""``consilience rank``: which system is better, how sure, who is tied."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from consilience.cli.shared import alive, read_study, reading, show, writing
from consilience.errors import unknown


@click.command("rank")
@click.argument("files", nargs=-1, required=True, metavar="FILES…")
@reading
@click.option(
    "--measure",
    "-m",
    "measures",
    multiple=True,
    metavar="NAME",
    help="A measure such as AP, nDCG@10, F1 (repeatable; the first one ranks).",
)
@click.option(
    "--belief",
    default="gold",
    show_default=True,
    metavar="NAME",
    help="Whom to believe: gold (the truth that was given).",
)
@click.option(
    "--rel",
    type=float,
    metavar="GRADE",
    help="The lowest grade that counts as relevant, where a measure's name does not say (rel=…).",
)
@click.option("--depth", type=int, metavar="K", help="Count only the first K answers of each list.")
@click.option(
    "--ties",
    default="trec",
    show_default=True,
    metavar="RULE",
    help="Equal scores: trec (by name, descending), rank, order (of the file), best, worst.",
)
@click.option(
    "--convention",
    default="ours",
    show_default=True,
    metavar="NAME",
    help="Averages: ours (a missing query is 0, an undefined one left out), missing-skipped, "
    "trec_eval, ir_measures.",
)
@click.option(
    "--level", type=float, default=0.95, show_default=True, help="The coverage of intervals."
)
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of chance.")
@click.option(
    "--fail-if",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help="Exit with 3 if a score meets it, such as 'F1 < 0.8' or 'bm25: P@10 < 0.5' (repeatable).",
)
@writing
def command(
    files: tuple[str, ...],
    measures: tuple[str, ...],
    belief: str,
    rel: float | None,
    depth: int | None,
    conditions: tuple[str, ...],
    **options: Any,
) -> None:
    """Rank systems against the truth.

    \b
    consilience rank runs/*.trec --truth qrels.txt
    consilience rank votes.csv --measure F1 --measure P --json
    consilience rank mine.run --truth qrels.txt --fail-if "nDCG@10 < 0.4"
    consilience rank runs/ --truth qrels.txt -o report.html
    """
    from consilience.measures.names import parse, with_threshold
    from consilience.verdict.conditions import met, parse_condition
    from consilience.verdict.rank import default_measures, rank

    if belief != "gold":
        raise unknown("belief", belief, ("gold",))
    asked = [str(parse(name)) for name in measures]
    fail_if = [parse_condition(text) for text in conditions]
    settings = {name: options.pop(name) for name in ("level", "seed")}
    ties, convention = _rules(options.pop("ties"), options.pop("convention"))
    output = {name: options.pop(name) for name in ("as_json", "fmt", "output", "no_save")}
    study = read_study(files, **options)
    if depth is not None:
        from consilience.measures.depth import cut

        study = cut(study, depth, ties=ties)
    names = asked or default_measures(study)
    names = list(dict.fromkeys([*names, *(condition.measure for condition in fail_if)]))
    if rel is not None:
        names = [with_threshold(name, rel) for name in names]
        fail_if = [replace(one, measure=with_threshold(one.measure, rel)) for one in fail_if]
    with alive("ranking"):
        payload = rank(
            study, measures=names, ties=ties, convention=convention, **settings
        ).payload()
    show(payload, **output)
    failures = [said for condition in fail_if for said in met(condition, payload)]
    for said in failures:
        click.echo(f"failed: {said}", err=True)
    if failures:
        raise click.exceptions.Exit(3)


def _rules(ties: str, convention: str) -> tuple[Any, Any]:
    from consilience.measures.ranking import TIES
    from consilience.measures.scores import CONVENTIONS

    if ties not in TIES:
        raise unknown("rule for ties", ties, TIES)
    if convention not in CONVENTIONS:
        raise unknown("convention", convention, CONVENTIONS)
    return ties, convention
