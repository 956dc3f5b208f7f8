"""The time that is scored: UEM files (``recording channel start end``), and the same in Python."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from consilience.errors import Problem, Problems, UsageError, bad, quote
from consilience.formats.files import look
from consilience.formats.roles import read_number
from consilience.formats.segment_text import wrong_times

#: Recording → stretches of time; None stands for every recording.
Region = dict[str | None, list[tuple[float, float]]]
_SHAPE = "write 'recording channel start end', one stretch of time a line"
_FIX = "give (start, end), a list of these, a dict from recording to such a list, or a UEM file"


def read_uem(path: str | os.PathLike[str], *, encoding: str | None = None) -> Region:
    """Read a UEM file: which stretches of which recordings are scored.

    Raises
    ------
    InputError
        With the lines that do not say ``recording channel start end``.
    """
    file = look(Path(path), encoding=encoding)
    found: Region = {}
    strange: list[tuple[int, str]] = []
    problems = Problems()
    for number, line in file.lines(problems):
        fields = line.split()
        if not fields or line.lstrip().startswith(";"):
            continue
        if not _is_stretch(fields):
            strange.append((number, quote(" ".join(fields))))
            continue
        mistake = wrong_times(float(fields[2]), float(fields[3]))
        if mistake is not None:
            problems.add(Problem(file.name, number, *mistake))
        else:
            found.setdefault(fields[0], []).append((float(fields[2]), float(fields[3])))
    if strange:
        number, first = strange[0]
        more = f", nor are {len(strange) - 1:,} more" if len(strange) > 1 else ""
        said = f"this is no line of a UEM file{more}: {first}"
        problems.add(Problem(file.name, number, said, _SHAPE))
    problems.sorted().raise_any()
    if not found:
        raise bad(file.name, None, "there is no stretch of time in it", _SHAPE)
    return found


def _is_stretch(fields: Sequence[str]) -> bool:
    numbers = [read_number(text) for text in fields[2:]]
    return len(fields) == 4 and all(value is not None and value == value for value in numbers)


def region_of(given: Any, *, encoding: str | None = None) -> Region | None:
    """Take a region as the user gives it.

    Examples
    --------
    >>> region_of((0, 60)), region_of({"a": [(0, 5), (7, 9)]})
    ({None: [(0.0, 60.0)]}, {'a': [(0.0, 5.0), (7.0, 9.0)]})
    """
    if given is None:
        return None
    if isinstance(given, (str, os.PathLike)):
        return read_uem(given, encoding=encoding)
    if isinstance(given, Mapping):
        return {
            None if name is None else str(name): _stretches(some) for name, some in given.items()
        }
    return {None: _stretches(given)}


def _stretches(given: Any) -> list[tuple[float, float]]:
    try:
        pairs = [tuple(given)] if not _nested(given) else [tuple(one) for one in given]
        found = [(float(start), float(end)) for start, end in pairs]
    except (TypeError, ValueError):
        raise UsageError(f"{quote(given)} is no region (fix: {_FIX})") from None
    for start, end in found:
        mistake = wrong_times(start, end)
        if mistake is not None:
            raise UsageError(f"the region {mistake[0]} (fix: {mistake[1]})")
    return found


def _nested(given: Any) -> bool:
    return len(given) == 0 or not isinstance(given[0], (int, float))
