"""``consilience tree``: category beliefs, sizes, precision and recall under them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from consilience.cli.distributions import settings, spreading
from consilience.cli.paths import INPUT
from consilience.cli.shared import FORMATS, WRITING, alive, mapping, show, taken, writing
from consilience.errors import UsageError, unknown


@click.command("tree")
@click.option(
    "--tree",
    "tree_file",
    type=INPUT,
    metavar="FILE",
    help="The tree: rows of category and parent, paths such as animal/dog, or nested JSON.",
)
@click.option(
    "--assignments",
    type=INPUT,
    multiple=True,
    metavar="FILE",
    help="Rows of item, subject, category (repeatable; files, folders, globs).",
)
@click.option(
    "--results",
    type=INPUT,
    multiple=True,
    metavar="FILE",
    help="The systems' answers: rows of system, item (query, rank), or any run (repeatable).",
)
@click.option(
    "--benchmark",
    type=INPUT,
    metavar="DIR",
    help="A benchmark folder: its tree.csv and assignments.csv.",
)
@click.option("--category", metavar="NAME", help="What all queries ask for: a category.")
@click.option("--query-item", metavar="ITEM", help="What all queries ask for: more like this item.")
@click.option(
    "--weights",
    default="direct",
    show_default=True,
    metavar="direct|inclusive",
    help="How a query item weighs categories: by direct shares, or inclusive ones, normalised.",
)
@click.option("--dag", is_flag=True, help="A category may have several parents.")
@click.option(
    "--columns",
    multiple=True,
    metavar="ROLE=NAME",
    help="Which column of the assignments is what, such as category=choice (repeatable).",
)
@click.option("--encoding", metavar="NAME", help="The files' text encoding, if not UTF-8.")
@click.option(
    "--duplicates",
    default="error",
    show_default=True,
    metavar="error|first|last",
    help="What to do when a subject puts an item into two categories.",
)
@click.option("--depth", type=int, metavar="K", help="Count only the first K answers of each list.")
@spreading
@writing(*FORMATS)
def command(
    tree_file: str | None,
    assignments: tuple[str, ...],
    results: tuple[str, ...],
    benchmark: str | None,
    depth: int | None,
    **options: Any,
) -> None:
    """Tell what subjects make of items, and what systems score under that uncertain truth.

    \b
    consilience tree --tree tree.csv --assignments answers.csv
    consilience tree --tree tree.csv --assignments answers.csv --results runs.csv --category dog
    consilience tree --tree tree.csv --assignments answers.csv --results runs.csv --query-item i7
    """
    from consilience.belief.categories import WEIGHTS
    from consilience.formats.rows import Source
    from consilience.study import read
    from consilience.study.assigned import read_assignments
    from consilience.study.depth import cut
    from consilience.study.taxonomy import tree
    from consilience.verdict.categorised import by_tree

    output = taken(options, WRITING)
    spread = settings(options)
    if options["weights"] not in WEIGHTS:
        raise unknown("kind of weights", options["weights"], WEIGHTS)
    tree_file, assignments = _files(tree_file, assignments, benchmark)
    _check(results, options)
    with alive("reading"):
        made = tree(tree_file, dag=options["dag"], encoding=options["encoding"])
        assigned = read_assignments(
            list(assignments),
            tree=made,
            columns=mapping(options["columns"]),
            encoding=options["encoding"],
            duplicates=options["duplicates"],
        )
        runs = read(list(results), encoding=options["encoding"]) if results else None
    if runs is not None and depth is not None:
        if spread["ties"] in ("best", "worst"):
            raise UsageError(
                f"--ties {spread['ties']} looks at what is relevant, and --depth cuts before that "
                "is known (fix: drop one of them)"
            )
        runs = cut(runs, depth, ties=spread["ties"])
    with alive("computing distributions"):
        result = by_tree(
            assigned,
            tree=made,
            results=runs,
            category=options["category"],
            query_item=options["query_item"],
            weights=options["weights"],
            **spread,
        )
        source = Source(tree_file, "tree", f"{len(made):,} categories", len(made))
        payload = replace(result, tree_source=source).payload()
    show(payload, **output)


def _files(
    tree_file: str | None, assignments: tuple[str, ...], benchmark: str | None
) -> tuple[str, tuple[str, ...]]:
    """Settle where the tree and the assignments are."""
    if benchmark is not None:
        from pathlib import Path

        if tree_file or assignments:
            raise UsageError("--benchmark has its own tree and assignments (fix: drop the others)")
        folder = Path(benchmark)
        lacking = [
            name for name in ("tree.csv", "assignments.csv") if not (folder / name).is_file()
        ]
        if folder.is_dir() and lacking:
            raise UsageError(
                f"{benchmark}: the benchmark has no {' and no '.join(lacking)}: optional in a "
                "benchmark, and needed here (fix: add it, or name files with --tree and "
                "--assignments)"
            )
        return str(folder / "tree.csv"), (str(folder / "assignments.csv"),)
    if tree_file is None:
        raise UsageError("there is no tree (fix: name its file with --tree)")
    if not assignments:
        raise UsageError("there are no assignments (fix: name their file with --assignments)")
    return tree_file, assignments


def _check(results: tuple[str, ...], options: dict[str, Any]) -> None:
    """Refuse a query without results."""
    asked = [name for name in ("category", "query_item") if options[name] is not None]
    if len(asked) > 1:
        raise UsageError("--category and --query-item exclude each other (fix: name one of them)")
    if asked and not results:
        raise UsageError(
            f"--{asked[0].replace('_', '-')} says what systems were asked for, and there are no "
            "results (fix: add --results FILE)"
        )
