"""How much memory there is, how much a study takes, and which engine that leaves."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from consilience.errors import UsageError, quote, unknown
from consilience.formats.roles import assign

#: Where the work is done: on arrays in memory, on one machine beyond memory, on a cluster.
Engine = Literal["auto", "memory", "duckdb", "spark"]
ENGINES: tuple[Engine, ...] = ("auto", "memory", "duckdb", "spark")

#: What is used of the memory that is free, where nobody says how much may be.
SHARE = 0.6
#: The least that anything but a toy needs.
LEAST = 10**9
#: Bytes that reading and ranking a vote takes in memory, at the peak (measured, rounded up).
PER_VOTE = 100
#: Bytes of text that hold a vote, about.
TEXT = 20
#: How many times as large packed text is when it is unpacked, about.
PACKED = 8

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?\s*", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def size(text: str) -> int:
    """Read a size such as 4GB, 500MB or 1.5GiB; k, m, g and t are powers of 1,000, ki of 1,024.

    Examples
    --------
    >>> size("4GB"), size("1.5 GiB"), size("800m")
    (4000000000, 1610612736, 800000000)
    >>> size("much")
    Traceback (most recent call last):
    consilience.errors.UsageError: 'much' is not a size (fix: write one such as 4GB)
    """
    found = _SIZE.fullmatch(text)
    if found is None:
        raise UsageError(f"{quote(text)} is not a size (fix: write one such as 4GB)")
    number, unit, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** _POWERS[unit.lower()])


def limit(memory: str | int | None) -> int:
    """Give the bytes that may be used: what was asked for, else a share of what is free."""
    if memory is None:
        return max(int(SHARE * free()), LEAST)
    asked = size(memory) if isinstance(memory, str) else int(memory)
    if asked < LEAST:
        raise UsageError(
            f"{shown(asked)} of memory are too few to work with (fix: --memory {shown(LEAST)})"
        )
    return asked


def free() -> int:
    """Tell how many bytes of memory are free, within what this process may use."""
    known = [_installed()]
    for line in _lines("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            known.append(int(line.split()[1]) * 1024)
    most, used = "".join(_lines("/sys/fs/cgroup/memory.max")).strip(), 0
    if most.isdecimal():
        used = int("".join(_lines("/sys/fs/cgroup/memory.current")).strip() or 0)
        known.append(max(int(most) - used, 0))
    return min(known)


def _installed() -> int:
    """Tell how many bytes of memory there are; where the system does not say, 4 GB are supposed."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 4 * 10**9


def processors() -> int:
    """Tell how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _lines(path: str) -> Iterable[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def shown(count: float) -> str:
    """Write a number of bytes for people.

    Examples
    --------
    >>> shown(1 << 30), shown(4e9), shown(123)
    ('1.1GB', '4GB', '123B')
    """
    units = ["B", "KB", "MB", "GB", "TB"]
    while count >= 999.95 and len(units) > 1:
        count, units = count / 1000, units[1:]
    return f"{count:.1f}".removesuffix(".0") + units[0]


@dataclass(frozen=True, slots=True)
class Fit:
    """How many votes some files hold, as far as their sizes tell, and what they take in memory."""

    votes: int
    bytes: int


def weigh(paths: Sequence[Path]) -> Fit:
    """Estimate how many votes files hold: Parquet says it, text is judged by its size."""
    votes = sum(map(_votes, paths))
    return Fit(votes, votes * PER_VOTE)


def _votes(path: Path) -> int:
    try:
        with path.open("rb") as stream:
            mark = stream.read(4)
        if mark != b"PAR1":
            return path.stat().st_size * (PACKED if mark[:2] == b"\x1f\x8b" else 1) // TEXT
    except OSError:  # whoever reads it says what is wrong with it
        return 0
    import pyarrow as pa
    import pyarrow.parquet

    try:
        known = pyarrow.parquet.read_metadata(str(path))
    except (OSError, pa.ArrowException, UnicodeDecodeError):
        return 0
    return int(known.num_rows) * _voters(known.schema.names)


def _voters(columns: Sequence[str]) -> int:
    """Tell how many votes a row may hold: in a wide table every column is a respondent's.

    Examples
    --------
    >>> _voters(["query", "system", "item", "rank"]), _voters(["item", "Ann", "Bob", "gold"])
    (1, 3)
    """
    try:
        roles = assign(columns, {})
    except UsageError:  # as above
        return 1
    long = {"respondent", "vote", "score", "rank"} & {*roles}
    named = [column for role, column in roles.items() if role in ("query", "item")]
    return 1 if long else max(len(columns) - len(named), 1)


def chosen(engine: str, fit: Fit, most: int) -> Engine:
    """Choose an engine: the one that was named, or memory where the votes fit, else DuckDB.

    Examples
    --------
    >>> chosen("auto", Fit(1000, 100_000), 1 << 30), chosen("auto", Fit(10**9, 10**11), 1 << 30)
    ('memory', 'duckdb')
    """
    named = next((one for one in ENGINES if one == engine), None)
    if named is None:
        raise unknown("engine", engine, ENGINES)
    if named != "auto":
        return named
    return "memory" if fit.bytes <= most else "duckdb"
