"""``consilience agree``: do annotators agree, where not, and who differs most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli.paths import INPUT
from consilience.cli.shared import (
    FORMATS,
    WRITING,
    alive,
    mapping,
    read_study,
    show,
    taken,
    writing,
)

if TYPE_CHECKING:
    from consilience.study import Study
    from consilience.study.taxonomy import Tree


@click.command("agree")
@click.argument("labels", type=INPUT, metavar="LABELS…", nargs=-1, required=True)
@click.option(
    "--scale",
    default="auto",
    show_default=True,
    metavar="auto|nominal|ordinal|interval|tree",
    help="How labels are compared: as names, ranks, numbers, or places in a tree.",
)
@click.option(
    "--tree",
    type=INPUT,
    metavar="FILE",
    help="The tree of categories: rows of category, parent; paths; nested JSON.",
)
@click.option("--dag", is_flag=True, help="Let a category of the tree have several parents.")
@click.option(
    "--order", metavar="LOW,…,HIGH", help="The order of labels that are text, from low to high."
)
@click.option(
    "--columns",
    multiple=True,
    metavar="ROLE=NAME",
    help="Which column is what, such as category=answer (repeatable).",
)
@click.option("--encoding", metavar="NAME", help="The text encoding, where it is not UTF-8.")
@click.option(
    "--duplicates",
    default="error",
    show_default=True,
    metavar="error|first|last|each",
    help="What to do when an annotator labels an item twice, differently.",
)
@click.option(
    "--level",
    type=float,
    default=0.95,
    show_default=True,
    metavar="L",
    help="The coverage of intervals.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, metavar="N", help="The seed of chance."
)
@writing(*FORMATS)
def command(
    labels: tuple[str, ...],
    scale: str,
    tree: str | None,
    dag: bool,
    order: str | None,
    level: float,
    seed: int,
    **options: Any,
) -> None:
    """Tell whether annotators agree, where they do not, and who differs most.

    LABELS are files of rows item, annotator, label (optional query), or of rows item, ann1, ann2,
    …; everybody in them counts as an annotator. What was not labelled is missing, never a no.

    \b
    consilience agree labels.csv
    consilience agree labels.csv --tree tree.csv -o agreement.html
    consilience agree ratings.csv --order low,mid,high
    """
    from consilience.errors import UsageError
    from consilience.study.labels import check_order, labels_of
    from consilience.verdict.annotators import agree

    if dag and tree is None:
        raise UsageError("--dag is about a tree (fix: name its file with --tree)")
    output = taken(options, WRITING)
    known, ordered = None, None if order is None else order.split(",")
    if tree is None:
        study = read_study(labels, truth=(), universe="pool", labels=True, **options)
    else:
        study, known = _placed(labels, tree, dag, options)
    if ordered is not None:
        check_order(labels_of(study), ordered)
    with alive("comparing"):
        result = agree(study, scale=scale, tree=known, order=ordered, level=level, seed=seed)
    show(result.payload(), **output)


def _placed(
    labels: tuple[str, ...], tree: str, dag: bool, options: dict[str, Any]
) -> tuple[Study, Tree]:
    """Read labels that are places in a tree, and the tree."""
    from consilience.study.assigned import read_labels
    from consilience.study.taxonomy import tree as read_tree

    with alive("reading"):
        known = read_tree(tree, dag=dag, encoding=options["encoding"])
        reading = {name: options[name] for name in ("encoding", "duplicates")}
        return read_labels(
            labels, tree=known, columns=mapping(options["columns"]), **reading
        ), known
