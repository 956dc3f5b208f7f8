"""``consilience distributions``: precision and recall as distributions, for any belief."""

from __future__ import annotations

from typing import Any

import click

from consilience.cli.believing import BELIEVING, believing, chosen_belief, graded, weights_of
from consilience.cli.engines import ENGINES, chosen_engine, engines
from consilience.cli.shared import (
    FORMATS,
    alive,
    mapping,
    read_study,
    reading,
    show,
    universe_of,
    writing,
)
from consilience.errors import UsageError, unknown

#: The options that :func:`spreading` adds.
SPREADING = ("measure", "level", "delta", "beta", "ties", "draws", "seed")


def spreading(function: Any) -> Any:
    """Add the options that say how distributions are computed and compared."""
    options = (
        click.option(
            *("-m", "--measure"),
            default="F1",
            show_default=True,
            metavar="F1|P|R|AP",
            help="What ranks the systems.",
        ),
        click.option(
            "--level", type=float, default=0.95, show_default=True, help="Probability of intervals."
        ),
        click.option(
            "--delta",
            type=float,
            default=0.0,
            show_default=True,
            metavar="D",
            help="The difference that matters: gives P(A ≥ B + D).",
        ),
        click.option(
            "--beta",
            type=float,
            default=1.0,
            show_default=True,
            metavar="B",
            help="Weight of recall in F; F1 is given in any case.",
        ),
        click.option(
            "--ties",
            default="trec",
            show_default=True,
            metavar="RULE",
            help="Equal scores: trec, rank, order, best, worst.",
        ),
        click.option(
            "--draws",
            type=int,
            default=2000,
            show_default=True,
            metavar="N",
            help="Truths that are drawn where not all can be gone through.",
        ),
        click.option("--seed", type=int, default=0, show_default=True, help="Where chance starts."),
    )
    for option in reversed(options):
        function = option(function)
    return function


def settings(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options of :func:`spreading` out of all options, checked."""
    from consilience.study.ranking import TIES

    taken = {name: options.pop(name) for name in SPREADING}
    if taken["ties"] not in TIES:
        raise unknown("rule for ties", taken["ties"], TIES)
    return taken


@click.command("distributions")
@click.argument("files", nargs=-1, required=True, metavar="FILES…")
@reading
@engines
@believing
@click.option("--depth", type=int, metavar="K", help="Count only the first K answers of each list.")
@graded
@spreading
@writing(*FORMATS)
def command(files: tuple[str, ...], depth: int | None, rel: float, **options: Any) -> None:
    """Give precision, recall, F and AP as distributions where the truth is uncertain.

    Works for any belief: shares of judges, consensus, weights, all that --belief knows.

    \b
    consilience distributions runs/*.trec --truth judges.csv -o report.html
    consilience distributions votes.csv --belief consensus --delta 0.05
    """
    from consilience.study.depth import cut
    from consilience.verdict.uncertain import distributions

    chosen = {name: options.pop(name) for name in BELIEVING}
    output = {name: options.pop(name) for name in ("as_json", "fmt", "output", "no_save")}
    spread = settings(options)
    where = {name: options.pop(name) for name in ENGINES}
    engine = chosen_engine(files, **where)
    if engine == "spark":
        raise UsageError("distributions are not made of sums (fix: --engine duckdb, or memory)")
    if engine == "duckdb":
        with alive("computing distributions"):
            payload = _beyond(files, options, chosen, where["memory"], depth, rel, spread)
        show(payload, **output)
        return
    study = read_study(files, **options)
    study, believe = chosen_belief(study, **chosen)
    if depth is not None:
        made = believe(study) if spread["ties"] in ("best", "worst") else None
        study = cut(study, depth, ties=spread["ties"], worth=None if made is None else made.of)
    with alive("computing distributions"):
        payload = distributions(study, belief=believe, rel=rel, **spread).payload()
    show(payload, **output)


def _beyond(
    files: tuple[str, ...],
    options: dict[str, Any],
    chosen: dict[str, Any],
    memory: str | None,
    depth: int | None,
    rel: float,
    spread: dict[str, Any],
) -> dict[str, Any]:
    """Compute distributions of what does not fit into memory, part by part."""
    from consilience.engine.asked import Asked
    from consilience.engine.distributed import distribute_tables

    weights = None if chosen["weights"] is None else weights_of(chosen["weights"])
    found = distribute_tables(
        files,
        truth=options["truth"],
        asked=Asked(
            chosen["belief"], weights, chosen["families"], chosen["evidence"], (), (), None, depth
        ),
        memory=memory,
        reading={
            "columns": mapping(options["columns"]),
            "encoding": options["encoding"],
            "duplicates": options["duplicates"],
            "universe": universe_of(options["universe"]),
        },
        spread={"rel": rel, **spread},
    )
    return found.payload()
