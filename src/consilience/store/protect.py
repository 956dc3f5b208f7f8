"""What must not be written onto: the inputs of the work that goes on, labels that people gave.

The command line says what its inputs are (:func:`protecting`); whatever writes a file asks first
(:func:`check`). Files are told apart by what they are, not by how they are spelt: links of both
kinds and other paths lead to the same file.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from consilience.errors import UsageError

#: A file, whatever its name: its device and its number there.
Identity = tuple[int, int]

_PROGRAM = Path(__file__).resolve().parents[1]
_COUNTED = re.compile(r"(.+)-(\d{1,2})")


@dataclass(frozen=True, slots=True)
class Protected:
    """Inputs, each with how it was named; ``lists`` are outputs that must not replace labels."""

    inputs: dict[Identity, str] = field(default_factory=dict)
    lists: frozenset[Path] = frozenset()


_NOW: ContextVar[Protected | None] = ContextVar("protected", default=None)


def identity(path: str | os.PathLike[str] | int) -> Identity | None:
    """Return what a file is, links followed; None where there is no file."""
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return None
    return (about.st_dev, about.st_ino) if stat.S_ISREG(about.st_mode) else None


@contextmanager
def protecting(inputs: Mapping[Identity, str], lists: frozenset[Path]) -> Iterator[None]:
    """Protect files as long as the work goes on."""
    token = _NOW.set(Protected(dict(inputs), lists))
    try:
        yield
    finally:
        _NOW.reset(token)


def protect(path: Path) -> None:
    """Protect one more file: it is an input, as was found out later."""
    now, found = _NOW.get(), identity(path)
    if now is not None and found is not None:
        now.inputs.setdefault(found, str(path))


def is_input(file: str | os.PathLike[str] | int) -> bool:
    """Tell whether a file, or what is open under a number, is an input."""
    now = _NOW.get()
    return now is not None and identity(file) in now.inputs


def check(path: str | os.PathLike[str], *, ending: str | None = None) -> None:
    """Refuse to write onto an input of the work that goes on, or onto labels.

    ``ending`` is what the name of the output should end with, where that is known.

    Raises
    ------
    UsageError
        With a name that is free.
    """
    now, target = _NOW.get(), Path(path)
    found = None if now is None else identity(target)
    if now is None or found is None:
        return
    free = f"(fix: write to {free_name(target.with_suffix(ending) if ending else target)})"
    if found in now.inputs:
        named = now.inputs[found]
        said = "" if named == str(path) else f", named as {named}"
        raise UsageError(f"{path}: this is an input{said}, and would be replaced {free}")
    if target.resolve().is_relative_to(_PROGRAM):
        raise UsageError(f"{path}: this is a part of Consilience, and would be replaced {free}")
    if target.resolve() in now.lists:
        from consilience.render.unfilled import is_unfilled

        if not is_unfilled(target):
            raise UsageError(f"{path}: this may hold labels, and would be replaced {free}")


def free_name(path: Path) -> Path:
    """Return a name that nobody has: the one given, else with -2, -3 and so on at its end.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "labels.csv").touch()
    >>> free_name(folder / "labels.csv").name
    'labels-2.csv'
    >>> (folder / "labels-2.csv").touch()
    >>> free_name(folder / "labels.csv").name, free_name(folder / "labels-2.csv").name
    ('labels-3.csv', 'labels-3.csv')
    >>> (folder / "labels.csv.gz").touch()
    >>> free_name(folder / "labels.csv.gz").name
    'labels-2.csv.gz'
    """
    ending = "".join(path.suffixes[-2:]) if path.suffix == ".gz" else path.suffix
    stem, number = path.name.removesuffix(ending), 1
    if counted := _COUNTED.fullmatch(stem):
        stem, number = counted[1], int(counted[2])
    made = path
    while os.path.lexists(made):
        number += 1
        made = path.with_name(f"{stem}-{number}{ending}")
    return made
