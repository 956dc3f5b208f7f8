"""``consilience next``: which items to label next, what that buys, when to stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli.believing import check_rules, ruled
from consilience.cli.paths import FAMILIES, INPUT
from consilience.cli.shared import (
    FORMATS,
    WRITING,
    alive,
    read_study,
    reading,
    show,
    taken,
    writing,
)

if TYPE_CHECKING:
    from consilience.study import Study
    from consilience.study.ranking import Ties


@click.command("next")
@click.argument("files", type=INPUT, nargs=-1, required=True, metavar="FILES…")
@reading
@click.option(
    "--budget",
    type=int,
    required=True,
    metavar="N",
    help="How many labels you can make now; about so many items are drawn.",
)
@click.option(
    "--measure",
    "-m",
    metavar="NAME",
    help="The measure that is to become precise: P, R or F, such as P@10 (usual for ranked "
    "answers) or 'F1(average=micro)' (usual for sets).",
)
@click.option(
    "--rel",
    type=float,
    metavar="GRADE",
    help="The lowest grade that counts as relevant, where the measure's name does not say (rel=…).",
)
@click.option("--depth", type=int, metavar="K", help="Count only the first K answers of each list.")
@click.option(
    "--delta",
    type=float,
    default=0.02,
    show_default=True,
    metavar="D",
    help="The difference between systems that does not matter, for the stop rule.",
)
@click.option(
    "--level",
    type=float,
    default=0.95,
    show_default=True,
    help="How sure the stop rule is to be, over all rounds together.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of chance.")
@click.option(
    "--proxy",
    metavar="NAME",
    help="Whose votes are the guess to start from, such as an LLM judge; by default the consensus.",
)
@click.option(
    "--families",
    type=FAMILIES,
    metavar="FILE|auto|none",
    help="Systems with a common cause of error: a file of system and family, auto (learn them), "
    "none. By default what a column 'family' says.",
)
@ruled
@writing(*FORMATS, "label-studio", "argilla", "queue")
def command(
    files: tuple[str, ...],
    budget: int,
    measure: str | None,
    rel: float | None,
    depth: int | None,
    families: str | None,
    **options: Any,
) -> None:
    """Choose which items to label next, so that few labels tell which system is better.

    Labels that exist already go in with --truth; each keeps the column probability (and round)
    that this verb gave it.

    \b
    consilience next runs/*.run --budget 100 -o labels.csv
    consilience next runs/*.run --truth labels.csv --budget 100 -o more.csv
    consilience next votes.csv --budget 50 -m "F1(average=micro)" --delta 0.01
    consilience next runs/*.run --budget 100 -f label-studio -o tasks.json
    consilience next runs/*.run --truth judge.jsonl --proxy gpt --budget 100
    """
    from consilience.belief.declaring import declared
    from consilience.measures.names import parse
    from consilience.verdict.labelling import next_labels, usual_measure

    output = taken(options, WRITING)
    names = ("delta", "level", "seed", "proxy", "ties", "convention")
    settings = {name: options.pop(name) for name in names}
    check_rules(settings["ties"], settings["convention"])
    study = declared(read_study(files, **options), families)
    if depth is not None:
        study = _cut(study, depth, settings["ties"])
    wanted = parse(measure or usual_measure(study), rel=rel)
    with alive("drawing"):
        payload = next_labels(study, budget=budget, measure=wanted, **settings).payload()
    show(payload, **output)


def _cut(study: Study, depth: int, ties: Ties) -> Study:
    """Count only the first answers of each list."""
    import numpy as np

    from consilience.study.depth import cut

    return cut(study, depth, ties=ties, worth=lambda items: np.zeros(len(items)))
