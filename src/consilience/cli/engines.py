"""Options that say where the work is done, and how much memory it may use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

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
