"""``consilience reproduce``: the papers' tables and figures beside ours."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import click

from consilience.cli.paths import DEEP
from consilience.cli.shared import FORMATS, WRITING, alive, emit, show, taken, writing
from consilience.errors import UsageError


@click.command("reproduce")
@click.argument("name", required=False, metavar="[NAME]")
@click.option(
    "--again",
    is_flag=True,
    help="Run slow stages (OCR, descriptors, others' data) for real instead of reading what was "
    "recorded.",
)
@click.option(
    "--size",
    type=click.IntRange(min=1),
    metavar="N",
    help="Take so many pages, queries, repetitions … only: a quick look.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of chance.")
@click.option(
    "--data",
    type=DEEP,
    metavar="FOLDER",
    help="With --again: the folder of others' data that may not be passed on; by default what the "
    "variable CONSILIENCE_DATA says.",
)
@writing(*FORMATS)
def command(name: str | None, **options: Any) -> None:
    """Remake an experiment of the papers; without a name, list them."""
    written = taken(options, WRITING)
    if name is None:
        _list(options, **written)
        return
    from consilience.experiments import reproduce

    data = options.pop("data")
    with alive("computing"):
        result = reproduce(name, data=None if data is None else Path(data), **options)
        payload = result.payload()
    show(payload, **written)


def _list(options: dict[str, Any], *, as_json: bool, **written: Any) -> None:
    """Name the experiments, each with what it does and whose it is."""
    from consilience.experiments import EXPERIMENTS

    if any(options.values()) or written["output"] or written["fmt"] not in (None, "json", "text"):
        raise UsageError(
            "which experiment? (fix: consilience reproduce NAME …; consilience reproduce lists "
            "the names)"
        )
    if as_json or written["fmt"] == "json":
        rows = [
            {
                "name": name,
                "about": one.about,
                "source": one.source,
                "size": one.size or None,
                "slow": one.slow,
                "others": one.others,
            }
            for name, one in EXPERIMENTS.items()
        ]
        emit(json.dumps({"experiments": rows}, ensure_ascii=False, indent=2) + "\n")
        return
    width = max(40, shutil.get_terminal_size((100, 24)).columns)
    told = click.HelpFormatter(width=width)
    told.write_dl([(name, f"{one.about} ({one.source})") for name, one in EXPERIMENTS.items()])
    emit(told.getvalue())
    emit("\nRun one: consilience reproduce NAME; slow stages for real: --again\n")
