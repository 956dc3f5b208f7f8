"""``consilience displacement``: systems against individual subjects, one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli.paths import INPUT
from consilience.cli.shared import FORMATS, WRITING, alive, mapping, show, taken, writing
from consilience.errors import UsageError, unknown

if TYPE_CHECKING:
    from consilience.study import Study


@click.command("displacement")
@click.argument("runs", type=INPUT, nargs=-1, required=True, metavar="RUN…")
@click.option(
    "--subjects",
    type=INPUT,
    multiple=True,
    metavar="FILE",
    help="Subjects' lists: rows of query, subject, item, relevance and/or rank (repeatable).",
)
@click.option(
    "--benchmark",
    type=INPUT,
    metavar="DIR",
    help="A folder with items.csv, queries.csv and subjects.csv, instead of --subjects.",
)
@click.option(
    "--collection",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many items the systems chose from, for the pessimist; by default the benchmark's.",
)
@click.option(
    "--quality",
    default="rational:p=1",
    show_default=True,
    metavar="NAME",
    help="From displacement to quality: rational:p=1, exponential:lambda=0.1.",
)
@click.option(
    "--hypothesis",
    default="optimist",
    show_default=True,
    metavar="optimist|pessimist",
    help="What counts where a system did not return all of a subject's items.",
)
@click.option(
    "--scale",
    type=float,
    default=1.0,
    show_default=True,
    metavar="X",
    help="The highest relevance that subjects could give: relevances are divided by it.",
)
@click.option(
    "--subject-ties",
    default="order",
    show_default=True,
    metavar="order|best|worst",
    help="A subject's items of equal relevance: as given, or in the order that suits a system "
    "best or worst.",
)
@click.option(
    "--ties",
    default="trec",
    show_default=True,
    metavar="RULE",
    help="A system's equal scores: trec (by name, descending), rank, order (of the file), best, "
    "worst.",
)
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    metavar="K",
    help="Count only the first K answers of each system's list.",
)
@click.option(
    "--level", type=float, default=0.95, show_default=True, help="The coverage of intervals."
)
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of chance.")
@click.option(
    "--columns",
    multiple=True,
    metavar="ROLE=NAME",
    help="Which column is what, such as query=topic_nr (repeatable).",
)
@click.option("--encoding", metavar="NAME", help="The files' text encoding, where it is not UTF-8.")
@click.option(
    "--duplicates",
    default="error",
    show_default=True,
    metavar="error|first|last",
    help="What to do when a system answers with an item twice, differently.",
)
@writing(*FORMATS)
def command(
    runs: tuple[str, ...],
    subjects: tuple[str, ...],
    benchmark: str | None,
    columns: tuple[str, ...],
    encoding: str | None,
    duplicates: str,
    **options: Any,
) -> None:
    """Compare systems with individual subjects: how far each list is from each subject's.

    One figure for each subject first, then averages.

    \b
    consilience displacement --subjects subjects.csv runs/*.run
    consilience displacement --subjects grades.csv --scale 3 --collection 5000 mine.run
    consilience displacement --benchmark images/ new.csv -o report.html
    """
    from consilience.verdict.subjects import HYPOTHESES, displacement

    output = taken(options, WRITING)
    _check(options["ties"], options["subject_ties"])
    if options["hypothesis"] not in HYPOTHESES:
        raise unknown("hypothesis", options["hypothesis"], HYPOTHESES)
    if bool(subjects) == bool(benchmark):
        raise UsageError(
            "displacement compares with subjects: name them with --subjects FILE, or a stored "
            "benchmark with --benchmark DIR"
            + (", not both" if benchmark else " (fix: --subjects subjects.csv)")
        )
    reading = {"columns": mapping(columns), "encoding": encoding, "duplicates": duplicates}
    with alive("reading"):
        study = _study(runs, subjects, benchmark, options["scale"], reading)
    with alive("comparing"):
        payload = displacement(study, **options).payload()
    show(payload, **output)


def _study(
    runs: tuple[str, ...],
    subjects: tuple[str, ...],
    benchmark: str | None,
    scale: float,
    reading: dict[str, Any],
) -> Study:
    from consilience.study import DUPLICATES
    from consilience.study.benchmark import read_benchmark, with_runs
    from consilience.study.subjects import read_subjects

    ways = DUPLICATES[:3]
    if reading["duplicates"] not in ways:
        raise unknown("way with duplicates", reading["duplicates"], ways)
    if benchmark is None:
        return read_subjects(subjects, runs=runs, scale=scale, **reading)
    if scale != 1:
        raise UsageError("a benchmark's relevances lie in [0, 1] already (fix: leave out --scale)")
    return with_runs(read_benchmark(benchmark), list(runs), **reading)


def _check(ties: str, subject_ties: str) -> None:
    from consilience.measures.displaced import SUBJECT_TIES
    from consilience.study.ranking import TIES

    if ties not in TIES:
        raise unknown("rule for ties", ties, TIES)
    if subject_ties not in SUBJECT_TIES:
        raise unknown("way with a subject's ties", subject_ties, SUBJECT_TIES)
