"""``consilience rank``: which system is better, how sure, who is tied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli import say
from consilience.cli.shared import alive, read_study, reading, show, writing
from consilience.errors import unknown

if TYPE_CHECKING:
    from consilience.study import Study
    from consilience.study.ranking import Ties


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
    from consilience.measures.names import parse
    from consilience.verdict.conditions import check_systems, met, parse_condition
    from consilience.verdict.rank import default_measures, rank

    if belief != "gold":
        raise unknown("belief", belief, ("gold",))
    asked = [str(parse(name, rel=rel)) for name in measures]
    fail_if = [parse_condition(text, rel=rel) for text in conditions]
    settings = {name: options.pop(name) for name in ("level", "seed")}
    settings |= _rules(options.pop("ties"), options.pop("convention"))
    output = {name: options.pop(name) for name in ("as_json", "fmt", "output", "no_save")}
    study = read_study(files, **options)
    check_systems(fail_if, study.systems)
    if depth is not None:
        study = _cut(study, depth, settings["ties"])
    names = asked or [str(parse(name, rel=rel)) for name in default_measures(study)]
    names = list(dict.fromkeys([*names, *(condition.measure for condition in fail_if)]))
    with alive("ranking"):
        payload = rank(study, measures=names, **settings).payload()
    show(payload, **output)
    failures = [said for condition in fail_if for said in met(condition, payload)]
    for failure in failures:
        say(f"failed: {failure}")
    if failures:
        raise click.exceptions.Exit(3)


def _cut(study: Study, depth: int, ties: Ties) -> Study:
    """Count only the first answers of each list."""
    from consilience.belief import gold
    from consilience.study.depth import cut

    return cut(study, depth, ties=ties, worth=gold(study).of if study.evidence.lists else None)


def _rules(ties: str, convention: str) -> dict[str, Any]:
    from consilience.measures.scores import CONVENTIONS
    from consilience.study.ranking import TIES

    if ties not in TIES:
        raise unknown("rule for ties", ties, TIES)
    if convention not in CONVENTIONS:
        raise unknown("convention", convention, CONVENTIONS)
    return {"ties": ties, "convention": convention}
