"""What must not be written onto: the inputs of the work that goes on, what people gave.

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
class Outputs:
    """Files that are written: results, lists for labelling, and others; databases are none.

    Who writes others sees to what they may replace.
    """

    results: frozenset[Path] = frozenset()
    lists: frozenset[Path] = frozenset()
    others: frozenset[Path] = frozenset()


@dataclass(frozen=True, slots=True)
class Protected:
    """Inputs, each with how it was named; folders that are read, each with the one that was named.

    ``parents`` are those whose folders are read.
    """

    inputs: dict[Identity, str] = field(default_factory=dict)
    folders: Mapping[Path, str] = field(default_factory=dict)
    parents: Mapping[Path, str] = field(default_factory=dict)
    outputs: Outputs = field(default_factory=Outputs)

    def folder_of(self, target: Path) -> str | None:
        """Give the folder that was named as an input, where a file in it would be read."""
        place = target.resolve().parent
        return self.folders.get(place, self.parents.get(place.parent))


_NOW: ContextVar[Protected | None] = ContextVar("protected", default=None)


def identity(path: str | os.PathLike[str] | int) -> Identity | None:
    """Return what a file is, links followed; None where there is no file."""
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return None
    return (about.st_dev, about.st_ino) if stat.S_ISREG(about.st_mode) else None


@contextmanager
def protecting(now: Protected) -> Iterator[None]:
    """Protect files as long as the work goes on."""
    token = _NOW.set(now)
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
    """Refuse to write onto an input of the work that goes on, or onto what people gave.

    Every verb asks this of what it writes. A result may replace an earlier result or a
    page; neither a database nor any other file: it may hold labels or answers. A new file does not
    go into a folder that is an input: it would be read with the others from then on.

    Parameters
    ----------
    path
        The file that is to be written.
    ending
        What the name of the output should end with, where that is known.

    Raises
    ------
    UsageError
        With a name that is free.
    """
    now, target = _NOW.get(), Path(path)
    if now is None:
        return
    found, why = identity(target), None
    if found is None and not os.path.lexists(target):
        why = _why_not_there(now, target)
    elif found in now.inputs:
        named = now.inputs[found]
        said = "" if named == str(path) else f", named as {named}"
        why = f"this is an input{said}, and would be replaced"
    elif found is not None:
        what = _what_is_lost(now, target.resolve())
        why = what and f"{what}, and would be replaced"
    if why is not None:
        free = _free(now, target.with_suffix(ending) if ending else target)
        raise UsageError(f"{path}: {why} (fix: write to {free})")


def _why_not_there(now: Protected, target: Path) -> str | None:
    """Say why a new file does not go where it should; None where it does."""
    folder, out = now.folder_of(target), now.outputs
    if folder is None or target.resolve() not in out.results | out.lists | out.others:
        return None
    return f"the folder {folder} is an input, and this would be read with it"


def _what_is_lost(now: Protected, target: Path) -> str | None:
    """Say what a file is that may not be replaced; None where it may be."""
    if target.is_relative_to(_PROGRAM):
        return "this is a part of Consilience"
    if target not in now.outputs.results | now.outputs.lists:
        return None
    from consilience.render.unfilled import is_unfilled
    from consilience.render.written import is_database, may_hold_labels

    try:
        if is_database(target):
            return "this is a database"
    except OSError:  # what cannot be read may be anything
        return "this cannot be read"
    if is_unfilled(target):
        return None
    if target in now.outputs.lists:
        return "this may hold labels"
    return "this may hold labels or answers" if may_hold_labels(target) else None


def _free(now: Protected, target: Path) -> Path:
    """Return a name that nobody has, outside of the folders that are inputs."""
    made, seen = target, set()
    while (folder := now.folder_of(made)) is not None and folder not in seen:
        seen.add(folder)
        made = Path(os.path.normpath(os.path.join(folder, os.pardir, target.name)))
    return free_name(made)


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
