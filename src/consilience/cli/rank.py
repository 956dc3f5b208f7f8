"""``consilience rank``: which system is better, how sure, who is tied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli import say
from consilience.cli.believing import (
    BELIEVING,
    believing,
    check_rules,
    chosen_belief,
    ruled,
    weights_of,
)
from consilience.cli.engines import ENGINES, chosen_engine, engines
from consilience.cli.matching import (
    MATCHING,
    SCORING,
    check_matching,
    chosen_match,
    matching,
    read_matched,
)
from consilience.cli.paths import INPUT
from consilience.cli.shared import (
    FORMATS,
    WRITING,
    alive,
    boxing,
    how_read,
    reading,
    show,
    taken,
    writing,
)
from consilience.errors import UsageError, unknown

if TYPE_CHECKING:
    from consilience.study import Study
    from consilience.study.ranking import Ties
    from consilience.verdict.rank import Verdict

#: Options about chance, and about what counts, that functions call by the same names.
_CHANCE = ("level", "seed", "samples", "delta", "unit", "proxy")
_RULES = ("ties", "convention", "leave_out")


@click.command("rank")
@click.argument("files", type=INPUT, nargs=-1, required=True, metavar="FILES…")
@reading
@boxing
@engines(cluster=True)
@click.option(
    "--measure",
    "-m",
    "measures",
    multiple=True,
    metavar="NAME",
    help="A measure such as AP, nDCG@10, F1 (repeatable; the first one ranks).",
)
@believing
@matching(scores=True)
@click.option(
    "--rel",
    type=float,
    metavar="GRADE",
    help="The lowest grade that counts as relevant, where a measure's name does not say (rel=…).",
)
@click.option("--depth", type=int, metavar="K", help="Count only the first K answers of each list.")
@ruled
@click.option(
    "--level", type=float, default=0.95, show_default=True, help="The coverage of intervals."
)
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of chance.")
@click.option(
    "--samples",
    type=click.IntRange(min=100, max=1_000_000),
    default=2000,
    show_default=True,
    help="How often queries are drawn anew.",
)
@click.option(
    "--delta",
    type=float,
    metavar="D",
    help="Differences up to ±D do not matter (the region of practical equivalence).",
)
@click.option(
    "--unit",
    default="labels",
    show_default=True,
    metavar="labels|queries",
    help="With labels drawn by design: intervals for these queries, or for queries like these.",
)
@click.option(
    "--proxy",
    metavar="NAME",
    help="With labels drawn by design: whose votes are the guess that labels correct, such as an "
    "LLM judge's; by default the consensus.",
)
@click.option(
    "--leave-out",
    default="none",
    show_default=True,
    metavar="none|system|family",
    help="Without truth: whose votes are left out of what a system is measured against.",
)
@click.option(
    "--panel/--no-panel",
    default=None,
    help="Run other methods side by side; usual where there is no truth.",
)
@click.option(
    "--cutoffs",
    type=click.IntRange(min=0),
    metavar="K",
    help="Precision and recall over the first 1 … K answers; 10 for ranked answers without truth.",
)
@click.option("--virtual", is_flag=True, help="Show ⊤ (returns everything) and ⊥ (nothing), too.")
@click.option(
    "--fail-if",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help="Exit with 3 if a score meets it, such as 'F1 < 0.8' or 'bm25: P@10 < 0.5' (repeatable).",
)
@writing(*FORMATS)
def command(
    files: tuple[str, ...],
    measures: tuple[str, ...],
    conditions: tuple[str, ...],
    **options: Any,
) -> None:
    """Rank systems against the truth, or without any by how far they agree.

    \b
    consilience rank runs/*.trec --truth qrels.txt
    consilience rank runs/*.trec
    consilience rank votes.csv --belief consensus --universe 7 --virtual
    consilience rank votes.csv --measure F1 --measure P --json
    consilience rank votes.csv --truth labels.csv --delta 0.02
    consilience rank mine.run --truth qrels.txt --fail-if "nDCG@10 < 0.4"
    consilience rank phrases.csv --truth gold.csv --match soft --case fold
    consilience rank tesseract.txt calamari.txt --truth page.txt --match aligned
    consilience rank runs/ --truth qrels.txt -o report.html
    consilience rank votes.parquet --engine duckdb --memory 4GB
    """
    from consilience.verdict.conditions import check_systems, met, parse_condition

    believed, output = taken(options, BELIEVING), taken(options, WRITING)
    matched, where = taken(options, (*MATCHING, *SCORING)), taken(options, ENGINES)
    check_matching(matched)
    fail_if = [parse_condition(text, rel=options["rel"]) for text in conditions]
    settings = _settings(options, measures)
    settings["also"] = [condition.measure for condition in fail_if]
    engine = chosen_engine(files, **where)
    if engine == "memory":
        verdict = _in_memory(files, options, believed, matched, settings)
    else:
        _no_matching(matched)
        verdict = _beyond(files, options, settings | believed | where | {"engine": engine})
    check_systems(fail_if, verdict.study.systems)
    with alive("ranking"):
        payload = verdict.payload()
    show(payload, **output)
    failures = [said for condition in fail_if for said in met(condition, payload)]
    for failure in failures:
        say(f"failed: {failure}")
    if failures and payload["caveat"]:
        say(f"note: {payload['caveat']}")
    if failures:
        raise click.exceptions.Exit(3)


def _settings(options: dict[str, Any], measures: tuple[str, ...]) -> dict[str, Any]:
    """Take what :func:`consilience.rank_tables` calls by the same names out of the options."""
    from consilience.measures.names import parse
    from consilience.verdict.agreement import Wanted

    settings = taken(options, ("rel", "depth", *_CHANCE, *_RULES))
    _check_rules(settings)
    settings["measures"] = [str(parse(name, rel=settings["rel"])) for name in measures]
    settings["show"] = Wanted(**taken(options, ("panel", "cutoffs", "virtual")))
    return settings


def _in_memory(
    files: tuple[str, ...],
    options: dict[str, Any],
    believed: dict[str, Any],
    matched: dict[str, Any],
    settings: dict[str, Any],
) -> Verdict:
    """Read everything into memory and rank it there."""
    from consilience.belief import gold
    from consilience.measures.names import parse
    from consilience.verdict.rank import SET_MEASURES, default_measures, rank

    asked, also, rel, depth = (settings.pop(name) for name in ("measures", "also", "rel", "depth"))
    study, believe = chosen_belief(read_matched(files, matched, options), **believed)
    if depth is not None:
        study = _cut(study, depth, settings["ties"])
    match = chosen_match(matched, study, truth=believe is gold)
    usual = SET_MEASURES if match else default_measures(study, belief=believe)
    names = asked or [str(parse(name, rel=rel)) for name in usual]
    with alive("ranking"):
        return rank(
            study,
            measures=list(dict.fromkeys([*names, *also])),
            belief=believe,
            match=match or "exact",
            **settings,
        )


def _beyond(files: tuple[str, ...], options: dict[str, Any], settings: dict[str, Any]) -> Verdict:
    """Rank what does not fit into memory."""
    from consilience.engine.ranked import rank_tables

    settings["weights"] = weights_of(settings["weights"])
    if options.pop("boxes") is not None:
        raise UsageError("--boxes needs everything in memory (fix: --engine memory)")
    truth, how = options.pop("truth"), how_read(**options)
    with alive("ranking"):
        return rank_tables(files, truth=truth, **how, **settings)


def _no_matching(matched: dict[str, Any]) -> None:
    """See that items need not be matched: similarities are computed in memory."""
    if matched["match"] not in (None, "exact"):
        raise UsageError(
            f"--match {matched['match']} needs everything in memory (fix: --engine memory)"
        )


def _cut(study: Study, depth: int, ties: Ties) -> Study:
    """Count only the first answers of each list."""
    from consilience.belief import gold
    from consilience.study.condition import no_truth
    from consilience.study.depth import cut

    worth = gold(study).of if no_truth(study) is None else None
    return cut(study, depth, ties=ties, worth=worth)


def _check_rules(settings: dict[str, Any]) -> None:
    """Refuse rules that are not known, before anything is read."""
    from consilience.measures.left_out import LEAVE_OUT

    check_rules(settings["ties"], settings["convention"])
    if settings["leave_out"] not in LEAVE_OUT:
        raise unknown("thing to leave out", settings["leave_out"], LEAVE_OUT)
