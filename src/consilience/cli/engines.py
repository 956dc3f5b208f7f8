"""Options that say where the work is done, and how much memory it may use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from consilience.cli import say
from consilience.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])

#: The options that :func:`engines` adds; ``master`` only where a cluster can do the work.
ENGINES = ("engine", "memory", "master")
#: Why ``--memory`` bounds nothing on an engine that was named.
_UNBOUND = {
    "memory": "takes what it needs (fix: --engine duckdb keeps to it)",
    "spark": "has the memory that its settings give it (fix: spark.driver.memory, "
    "spark.executor.memory)",
}


def engines(*, cluster: bool) -> Callable[[F], F]:
    """Add the options that say where the work is done; with ``cluster`` also on Spark."""
    spark = ", spark (a cluster)" if cluster else ""
    options = [
        click.option(
            "--engine",
            default="auto",
            show_default=True,
            metavar="auto|memory|duckdb|spark" if cluster else "auto|memory|duckdb",
            help=f"Where the work is done: memory (arrays), duckdb (this machine, beyond memory)"
            f"{spark}; auto: memory where the votes fit, else duckdb.",
        ),
        click.option(
            "--memory",
            metavar="SIZE",
            help="How much memory auto and duckdb may use, such as 4GB; by default 60 % of what "
            "is free.",
        ),
    ]
    master = click.option(
        "--master",
        metavar="URL",
        help="With --engine spark: the cluster, such as spark://host:7077; by default this "
        "machine.",
    )

    def with_options(function: F) -> F:
        for option in reversed([*options, *([master] if cluster else ())]):
            function = option(function)
        return function

    return with_options


def chosen_engine(
    files: tuple[str, ...], *, engine: str, memory: str | None, master: str | None = None
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
    if found == engine and memory is not None and found in _UNBOUND:
        say(f"note: --memory bounds nothing here: --engine {found} {_UNBOUND[found]}")
    return found
