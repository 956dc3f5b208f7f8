"""The files that a verb is given: nothing is written onto an input, and a pipe is read once.

Every verb goes through :func:`guarded`. Options and arguments that are paths say so by their type
(:class:`Input`, :class:`Output`), so that one place sees to all of them.
"""

from __future__ import annotations

import copy
import glob
import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.errors import UsageError

if TYPE_CHECKING:
    from consilience.store.protect import Outputs

#: What SQLite writes beside a database.
_BESIDE = ("", "-wal", "-shm", "-journal")
#: A file among settings, also those of a similarity inside another one; blanks are no part of it.
_OF = re.compile(r"([:,]\s*of\s*=\s*)([^,]*)")


class Input(click.types.StringParamType):
    """The name of something that is read.

    ``words`` are no names of files. ``deep``: all folders in a folder are read. ``last``: of
    several, the last one is written. ``settings``: files are named among settings (name:of=FILE).
    ``binary``: it need not be text. ``database``: it must lie on a disk.
    """

    name = "file"

    def __init__(
        self,
        *,
        words: Sequence[str] = (),
        deep: bool = False,
        last: bool = False,
        settings: bool = False,
        binary: bool = False,
        database: bool = False,
    ) -> None:
        self.words, self.deep, self.last = tuple(words), deep, last
        self.settings, self.binary, self.database = settings, binary, database


class Output(click.types.StringParamType):
    """The name of something that is written, with its usual ending; "-" may be standard output.

    ``database``: what is there is added to, not replaced. ``own``: the verb itself sees to what is
    replaced.
    """

    name = "file"

    def __init__(
        self,
        *,
        stdout: bool = False,
        folder: bool = False,
        ending: str | None = None,
        database: bool = False,
        own: bool = False,
    ) -> None:
        self.stdout, self.folder, self.ending = stdout, folder, ending
        self.database, self.own = database, own


INPUT = Input()
DEEP = Input(deep=True)
SETTINGS = Input(settings=True)
FAMILIES = Input(words=("auto", "none"))
OUTPUT = Output(stdout=True)


@dataclass(frozen=True, slots=True)
class Given:
    """A name that a user gave: for which parameter, and what is read there."""

    parameter: str
    option: str
    name: str
    kind: Input

    @property
    def said(self) -> str:
        """How it was said."""
        return f"{self.option} {self.name}".strip()


def guarded(command: click.Command) -> click.Command:
    """Return a verb that protects its inputs and reads pipes once before it begins."""
    made = copy.copy(command)
    made.callback = partial(_run, command)
    return made


def _run(command: click.Command, **params: Any) -> Any:
    from consilience.store.protect import Protected, protecting

    inputs = [*_inputs(command, params)]
    outputs = [*_outputs(command, params)]
    for name, kind in outputs:
        if kind.stdout and name == "-":
            params["output"] = None
    assert command.callback is not None
    if not inputs and not outputs:
        return command.callback(**params)
    deep = params.get("match") in ("aligned", "bag")
    apart = ("truth",) if command.name == "next" else ()  # lists lie beside earlier labels
    now = Protected(*_protected(inputs, deep=deep, apart=apart), _written(command, outputs))
    with protecting(now):
        _check_outputs(command, params, outputs)
        kept = _kept(inputs)
        try:
            return command.callback(**_replaced(params, inputs, kept))
        finally:
            if kept:
                from consilience.formats import pipes

                pipes.forget(kept)


def _inputs(command: click.Command, params: dict[str, Any]) -> Iterator[Given]:
    """Give the names of inputs, in the order of the options."""
    for param in command.params:
        kind, value = param.type, params.get(param.name or "")
        if not isinstance(kind, Input) or value is None:
            continue
        names = [str(one) for one in value] if isinstance(value, tuple) else [str(value)]
        option = max(param.opts, key=len) if isinstance(param, click.Option) else ""
        for name in names[:-1] if kind.last else names:
            for one in _among(name) if kind.settings else [name]:
                if one not in kind.words and "://" not in one:
                    yield Given(param.name or "", option, one, kind)


def _among(settings: str) -> list[str]:
    """Find the names of files among the settings of a name, such as vectors:of=glove.txt.

    Examples
    --------
    >>> _among("vectors: of = glove.txt ,clip=no"), _among("levenshtein")
    (['glove.txt'], [])
    >>> _among("monge-elkan:inner=vectors:of=glove.txt")
    ['glove.txt']
    """
    return [name.strip() for _, name in _OF.findall(settings)]


def _exchanged(settings: str, name: str, path: str) -> str:
    """Put another file into settings.

    Examples
    --------
    >>> _exchanged("vectors: of = - ,clip=no", "-", "/tmp/0/stdin")
    'vectors: of = /tmp/0/stdin,clip=no'
    """
    return _OF.sub(lambda one: one[1] + path if one[2].strip() == name else one[0], settings)


def _outputs(command: click.Command, params: dict[str, Any]) -> Iterator[tuple[str, Output]]:
    """Give the names of what is written."""
    for param in command.params:
        value = params.get(param.name or "")
        if isinstance(param.type, Output) and value is not None and "://" not in str(value):
            yield str(value), param.type
        if isinstance(param.type, Input) and param.type.last and len(value or ()) > 1:
            yield params[param.name or ""][-1], Output(ending=".parquet", own=True)


def _written(command: click.Command, outputs: Sequence[tuple[str, Output]]) -> Outputs:
    """Say of what is written what it may replace, and where it may lie."""
    from consilience.store.protect import Outputs

    files = {
        own: frozenset(
            Path(name).resolve()
            for name, kind in outputs
            if kind.own == own and not kind.database and "\0" not in name
        )
        for own in (False, True)
    }
    none: frozenset[Path] = frozenset()
    lists = command.name == "next"
    return Outputs(none if lists else files[False], files[False] if lists else none, files[True])


def _protected(
    inputs: Sequence[Given], *, deep: bool, apart: Sequence[str]
) -> tuple[dict[tuple[int, int], str], dict[Path, str], dict[Path, str]]:
    """Find out which files are inputs, also in folders and by patterns; and which folders are.

    Folders of the parameters ``apart`` may get new files.
    """
    from consilience.store.protect import identity

    found: dict[tuple[int, int], str] = {}
    folders: dict[Path, str] = {}
    parents: dict[Path, str] = {}
    for given in inputs:
        noted = ({}, {}) if given.parameter in apart else (folders, parents)
        for path in _files(given, *noted, deep=deep or given.kind.deep):
            what = identity(path)
            if what is not None:
                inside = given.name != str(path) and not isinstance(path, int)
                found.setdefault(what, f"{path} in {given.said}" if inside else given.said)
    return found, folders, parents


def _files(
    given: Given, folders: dict[Path, str], parents: dict[Path, str], *, deep: bool
) -> Iterator[str | int]:
    """Name the files that are read, and note their folders."""
    if given.name == "-":
        yield 0
        return
    if given.kind.database:
        yield from (given.name + beside for beside in _BESIDE)
        return
    try:
        magic = glob.has_magic(given.name) and not os.path.exists(given.name)
        for name in glob.iglob(given.name, recursive=True) if magic else [given.name]:
            if not os.path.isdir(name):
                yield name
                continue
            tops = _tops(name)
            if len(tops) > 1:
                parents.setdefault(Path(name).resolve(), name)
            for place, files in _walked(tops, deep=deep):
                folders.setdefault(Path(place).resolve(), name)
                yield from (os.path.join(place, file) for file in files)
    except (OSError, ValueError):  # whoever reads it says what is wrong with it
        return


def _tops(folder: str) -> list[str]:
    """Name a folder, and the folders in it that are read instead."""
    from consilience.formats.folders import unfolded

    inside = [os.fspath(one) for one in unfolded([folder])]
    return [folder, *(one for one in inside if one != folder)]


def _walked(tops: Sequence[str], *, deep: bool) -> Iterator[tuple[str, list[str]]]:
    """Give folders with the files in them; links, too."""
    seen: set[str] = set()  # links may lead back to where they are
    for top in tops:
        for place, folders, files in os.walk(top, followlinks=True):
            where = os.path.realpath(place)
            if where in seen or not deep:
                folders.clear()
            if where not in seen:
                yield place, files
            seen.add(where)


def _check_outputs(
    command: click.Command, params: dict[str, Any], outputs: Sequence[tuple[str, Output]]
) -> None:
    """See that everything can be written before the work begins."""
    from consilience.formats import pipes
    from consilience.store import protect

    _check_stdout()
    for name, kind in outputs:
        if kind.stdout and "fmt" in params:
            from consilience.cli.shared import format_of

            format_of(params["fmt"], as_json=params["as_json"], output=params["output"])
        if pipes.descriptor(name) is not None or name in ("-", "/dev/stdout", "/dev/stderr"):
            continue
        if not name.strip() or "\0" in name:
            raise UsageError("the output has no name (fix: name a file)")
        if os.path.isdir(name) and not kind.folder:
            raise UsageError(f"{name} is a folder (fix: name a file in it)")
        protect.check(name, ending=kind.ending)


def _check_stdout() -> None:
    """Refuse to add to an input what is printed (>> FILE)."""
    from consilience.store import protect

    try:
        number = sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):  # closed, or no file
        return
    if protect.is_input(number):
        raise UsageError("standard output is one of the inputs (fix: send it into another file)")


def _kept(inputs: Sequence[Given]) -> dict[str, Path]:
    """Read pipes and standard input to their ends; they lie in files then."""
    from consilience.formats import files, pipes

    streams = [one for one in inputs if one.name == "-" or pipes.is_stream(one.name)]
    stdin = [one for one in inputs if pipes.is_stdin(one.name)]
    if len(stdin) > 1:
        both = " and ".join(one.said for one in stdin)
        raise UsageError(
            f"standard input is named twice ({both}), and can be read once (fix: name files)"
        )
    for one in streams:
        if one.kind.database:
            raise UsageError(f"{one.name}: a database is a file on a disk (fix: name it)")
    if not streams:
        return {}
    from consilience.cli.shared import alive

    named = pipes.named([one.name for one in streams])
    text = not any(one.kind.binary for one in streams)
    with alive("reading"):
        return pipes.keep(named, files.check_stream if text else lambda name, head: None)


def _replaced(
    params: dict[str, Any], inputs: Sequence[Given], kept: dict[str, Path]
) -> dict[str, Any]:
    """Put the files that hold pipes into the pipes' places."""
    new = dict(params)
    for given in inputs:
        if given.name not in kept:
            continue
        value, path = new[given.parameter], str(kept[given.name])
        if isinstance(value, tuple):
            new[given.parameter] = tuple(path if one == given.name else one for one in value)
        elif given.kind.settings:
            new[given.parameter] = _exchanged(value, given.name, path)
        else:
            new[given.parameter] = type(value)(path)
    return new
