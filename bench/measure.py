"""One contestant in a process of its own: CPU of all its threads and children, peak memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from bench.watch import Tree


@dataclass(frozen=True)
class Cost:
    """What one run of a contestant took, and what it computed."""

    cpu: float  # seconds
    peak: float  # MB
    values: dict[str, float]


def run(
    contestant: str,
    *files: Path | str,
    cache: Path | None,
    variables: Mapping[str, str] | None = None,
    tree: bool = False,
) -> Cost:
    """Run a contestant once; compiled Python and the like are kept in ``cache``.

    The peak is that of the largest process; with ``tree`` that of all of them together, and the
    wall time is among the values.
    """
    environment = dict(os.environ) | dict(variables or {})
    if cache is not None:
        environment |= {"PYTHONPYCACHEPREFIX": str(cache), "NUMBA_CACHE_DIR": str(cache)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-W", "ignore", "-m", "bench.contestants", contestant]
    began = time.monotonic()
    with (
        TemporaryFile() as complaints,
        subprocess.Popen(
            [*command, *map(str, files)],
            stdout=subprocess.PIPE,
            stderr=complaints,
            env=environment,
            cwd=Path(__file__).parents[1],
        ) as process,
    ):
        assert process.stdout is not None
        with Tree(process.pid) if tree else nullcontext() as watch:
            printed = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        complaints.seek(0)
        complained = complaints.read().decode()
    if process.returncode:
        raise RuntimeError(f"{contestant} failed:\n{complained}")
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes elsewhere
    peak = max(used.ru_maxrss * unit / 1e6, watch.peak if watch else 0.0)
    values = json.loads(printed.splitlines()[-1])
    if tree:
        values["wall s"] = time.monotonic() - began
    return Cost(used.ru_utime + used.ru_stime, peak, values)


def best(
    contestants: Sequence[str],
    *files: Path | str,
    cache: Path | None,
    times: int,
    first: Sequence[Path | str] = (),
    variables: Mapping[str, str] | None = None,
) -> dict[str, Cost]:
    """Run contestants in turn, several times, and keep each one's cheapest run.

    In turn, so that a busy minute of the machine falls on all of them. With a cache each runs once
    before, on the files ``first`` (or the same), so that compiled code lies ready for all.
    """
    costs: dict[str, list[Cost]] = {name: [] for name in contestants}
    for name in contestants if cache else ():
        run(name, *(first or files), cache=cache)
    for _ in range(times):
        for name in contestants:
            costs[name].append(run(name, *files, cache=cache, variables=variables))
    return {name: min(each, key=lambda cost: cost.cpu) for name, each in costs.items()}
