"""Options that say where the work is done, and how much memory it may use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from consilience.cli import say
from consilience.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])

#: The options that :func:`engines` adds.
ENGINES = ("engine", "memory", "master")


def engines(function: F) -> F:
    """Add the options that say where the work is done."""
    options = (
        click.option(
            "--engine",
            default="auto",
            show_default=True,
            metavar="auto|memory|duckdb|spark",
            help="Where the work is done: on arrays in memory, beyond memory on this machine, on "
            "a cluster; auto: in memory where the votes fit, else duckdb.",
        ),
        click.option(
            "--memory",
            metavar="SIZE",
            help="How much memory may be used, such as 4GB; by default 60 % of what is free.",
        ),
        click.option(
            "--master",
            metavar="URL",
            help="With --engine spark: the cluster, such as spark://host:7077; by default this "
            "machine.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def chosen_engine(
    files: tuple[str, ...], *, engine: str, memory: str | None, master: str | None
) -> str:
    """Choose the engine; say so where the votes are too many for memory.

    Files that cannot be found are left to whoever reads them: it says so best.
    """
    from consilience.engine.opening import expanded
    from consilience.engine.sizes import chosen, limit, shown, weigh

    if master is not None and engine != "spark":
        raise UsageError("--master is for --engine spark (fix: add it, or leave --master out)")
    most = limit(memory)
    try:
        fit = weigh([] if engine != "auto" else expanded(files))
    except UsageError:
        return "memory"
    found = chosen(engine, fit, most)
    if found != engine and found != "memory":
        say(
            f"note: about {fit.votes:,} votes need some {shown(fit.bytes)} in memory, more than "
            f"{shown(most)}: --engine {found} (another limit: --memory)"
        )
    return found
