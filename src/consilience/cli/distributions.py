"""``consilience distributions``: precision and recall as distributions, for any belief."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli.believing import BELIEVING, believing, chosen_belief, graded, weights_of
from consilience.cli.engines import chosen_engine, engines
from consilience.cli.paths import INPUT
from consilience.cli.shared import (
    FORMATS,
    WRITING,
    alive,
    how_read,
    read_study,
    reading,
    show,
    taken,
    writing,
)
from consilience.errors import UsageError, unknown

if TYPE_CHECKING:
    from consilience.engine.asked import Asked

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

    spread = taken(options, SPREADING)
    if spread["ties"] not in TIES:
        raise unknown("rule for ties", spread["ties"], TIES)
    return spread


@click.command("distributions")
@click.argument("files", type=INPUT, nargs=-1, required=True, metavar="FILES…")
@reading
@engines(cluster=False)
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
    believed, output = taken(options, BELIEVING), taken(options, WRITING)
    spread = settings(options) | {"rel": rel}
    where = taken(options, ("engine", "memory"))
    engine = chosen_engine(files, **where)
    if engine == "spark":
        raise UsageError("distributions are not made of sums (fix: --engine duckdb, or memory)")
    if engine == "duckdb":
        asked = _asked(believed, depth)
        with alive("computing distributions"):
            payload = _beyond(files, options, asked, where["memory"], spread)
    else:
        payload = _in_memory(files, options, believed, depth, spread)
    show(payload, **output)


def _in_memory(
    files: tuple[str, ...],
    options: dict[str, Any],
    believed: dict[str, Any],
    depth: int | None,
    spread: dict[str, Any],
) -> dict[str, Any]:
    """Read everything into memory and compute distributions there."""
    from consilience.study.depth import cut
    from consilience.verdict.uncertain import distributions

    study, believe = chosen_belief(read_study(files, **options), **believed)
    if depth is not None:
        made = believe(study) if spread["ties"] in ("best", "worst") else None
        study = cut(study, depth, ties=spread["ties"], worth=None if made is None else made.of)
    with alive("computing distributions"):
        return distributions(study, belief=believe, **spread).payload()


def _asked(believed: dict[str, Any], depth: int | None) -> Asked:
    """Say whom to believe as engines take it."""
    from consilience.engine.asked import Asked

    weights = weights_of(believed["weights"])
    none: dict[str, Any] = {"measures": (), "also": (), "rel": None}
    return Asked(**believed | none | {"weights": weights, "depth": depth})


def _beyond(
    files: tuple[str, ...],
    options: dict[str, Any],
    asked: Asked,
    memory: str | None,
    spread: dict[str, Any],
) -> dict[str, Any]:
    """Compute distributions of what does not fit into memory, part by part."""
    from consilience.engine.distributed import distribute_tables

    truth, how = options.pop("truth"), how_read(**options)
    found = distribute_tables(
        files, truth=truth, asked=asked, memory=memory, reading=how, spread=spread
    )
    return found.payload()
