"""``consilience correlate``: how far two rankings agree, and what a choice by one costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli.paths import FAMILIES, INPUT
from consilience.cli.shared import (
    FORMATS,
    WRITING,
    alive,
    mapping,
    read_study,
    reading,
    show,
    taken,
    writing,
)
from consilience.errors import UsageError

if TYPE_CHECKING:
    from consilience.verdict.correlation import Correlation


@click.command("correlate")
@click.argument("files", type=INPUT, nargs=-1, required=True, metavar="RANKING RANKING… | RUN…")
@reading
@click.option(
    "--measure",
    "-m",
    metavar="NAME",
    help="What rankings are by: a measure of a stored result, a column of a table; of runs, any "
    "measure such as AP, nDCG@10, F1.",
)
@click.option(
    "--belief",
    "beliefs",
    multiple=True,
    metavar="NAME",
    help="For runs: a method without truth to compare with the ranking by truth (repeatable); by "
    "default ls-eb, families, discounted, dawid-skene, hds and spectral.",
)
@click.option(
    "--families",
    type=FAMILIES,
    metavar="FILE|auto|none",
    help="For runs: systems with a common cause of error, as in rank.",
)
@click.option(
    "--rel",
    type=click.FloatRange(min=0, min_open=True),
    metavar="GRADE",
    help="For runs: the lowest grade that counts as relevant.",
)
@click.option(
    "--top",
    type=click.IntRange(min=1),
    metavar="K",
    help="How many systems the top is; by default 10, of 10 systems or fewer 3, of 3 or fewer 1.",
)
@click.option(
    "--rbo-p",
    type=float,
    default=0.9,
    show_default=True,
    metavar="P",
    help="How patient the reader of RBO is: above 0, below 1.",
)
@click.option(
    "--level", type=float, default=0.95, show_default=True, help="The coverage of intervals."
)
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of chance.")
@click.option(
    "--samples",
    type=click.IntRange(min=2),
    default=2000,
    show_default=True,
    metavar="N",
    help="How often queries are drawn anew.",
)
@writing(*FORMATS)
def command(files: tuple[str, ...], truth: tuple[str, ...], **options: Any) -> None:
    """Compare rankings of systems: the first one is the reference, the others stand against it.

    A ranking is the id of a stored result of rank, a file written with rank --json, or a table
    with a column of systems and one of scores or ranks. With --truth, the files are runs: their
    ranking by truth is compared with those of methods that look at no truth.

    \b
    consilience correlate by-truth.json by-agreement.json
    consilience correlate leaderboard.csv rank-3f2a91 --measure AP --top 5
    consilience correlate runs/ --truth qrels.txt
    consilience correlate runs/ --truth qrels.txt --belief ls-eb --belief majority -o report.html
    """
    output = taken(options, WRITING)
    made = _study(files, truth, options) if truth or len(files) == 1 else _two(files, options)
    show(made.payload(), **output)


def _study(files: tuple[str, ...], truth: tuple[str, ...], options: dict[str, Any]) -> Correlation:
    """Compare the ranking of runs by truth with those without."""
    from consilience.belief.declaring import declared
    from consilience.measures.names import parse
    from consilience.verdict.correlation_study import correlate_study
    from consilience.verdict.rank import default_measures

    if not truth:
        _check_one(files, options)
    beliefs, measure, rel = (options.pop(name) for name in ("beliefs", "measure", "rel"))
    families = options.pop("families")
    how = {name: options.pop(name) for name in READING}
    study = declared(read_study(files, truth=truth, **how), families)
    of = parse(measure or default_measures(study)[0], rel=rel)
    with alive("comparing"):
        return correlate_study(study, measure=of, beliefs=beliefs or None, **options)


#: The options that say how files are read.
READING = ("columns", "truth_columns", "answers", "encoding", "duplicates", "universe")
#: Options that say something of runs only, with what stands where nobody says anything.
_OF_RUNS = {
    "beliefs": (),
    "families": None,
    "rel": None,
    "truth_columns": (),
    "answers": None,
    "duplicates": "error",
    "universe": "pool",
    "level": 0.95,
    "seed": 0,
    "samples": 2000,
}


def _check_one(files: tuple[str, ...], options: dict[str, Any]) -> None:
    """Say so where a single name without truth is a ranking, and not runs with their truth."""
    from pathlib import Path

    from consilience.store.rankings import correlate, ranking_of

    if Path(files[0]).is_file():
        chosen = {name: options[name] for name in ("measure", "encoding")}
        try:
            ranking_of(files[0], name="", columns=mapping(options["columns"]), **chosen)
        except UsageError:
            return
    if not Path(files[0]).is_dir():
        correlate(files[0])


def _two(files: tuple[str, ...], options: dict[str, Any]) -> Correlation:
    """Compare rankings with the first one."""
    from consilience.store.rankings import correlate

    for name, usual in _OF_RUNS.items():
        if options[name] != usual:
            flag = {"beliefs": "belief"}.get(name, name).replace("_", "-")
            raise UsageError(
                f"--{flag} is for runs and their truth, and these are rankings "
                f"(fix: leave out --{flag}, or name the truth with --truth)"
            )
    chosen = {name: options[name] for name in ("measure", "top", "rbo_p", "encoding")}
    return correlate(*files, columns=mapping(options["columns"]), **chosen)
