"""Files as they come in: what they hold is told as ``check`` tells it, before anything is kept."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consilience import formats
from consilience.errors import InputError, KindError, Problems, UsageError, quote
from consilience.formats import files as f
from consilience.formats.folders import unfolded
from consilience.formats.sorts import is_tree
from consilience.store.bulk import storable
from consilience.store.trees import read_tree
from consilience.study.build import build
from consilience.study.looking import is_benchmark, is_shared, mostly_words, names_only

if TYPE_CHECKING:
    from consilience.formats.rows import Rows
    from consilience.study.repeats import Duplicates
    from consilience.study.taxonomy import Tree

Paths = Iterable[str | os.PathLike[str]]
Named = Sequence[str | os.PathLike[str]]


@dataclass(frozen=True, slots=True)
class How:
    """How files are read: as :func:`consilience.read` takes it, and what their owner calls them."""

    columns: Mapping[str, str] = field(default_factory=dict)
    encoding: str | None = None
    duplicates: Duplicates = "error"
    names: Mapping[Path, str] = field(default_factory=dict)
    answers: str | None = None

    def options(self) -> dict[str, Any]:
        """Give what is kept with a source."""
        return {
            "columns": dict(self.columns),
            "encoding": self.encoding,
            "duplicates": self.duplicates,
            "answers": self.answers,
        }

    def called(self, path: Path) -> str:
        """Tell what a file is called."""
        return self.names.get(path, str(path))


@dataclass(frozen=True, slots=True)
class Incoming:
    """What files hold: tables of answers and of truth, trees; and hashes of the files by name."""

    answers: list[Rows]
    truth: list[Rows]
    trees: list[tuple[str, Tree]]
    sha256: dict[str, str]

    @property
    def tables(self) -> list[tuple[str, Rows]]:
        """The tables with their roles, in the order in which they make a study."""
        return [("answers", rows) for rows in self.answers] + [
            ("truth", rows) for rows in self.truth
        ]


def read_incoming(files: Paths, truth: Paths, how: How) -> Incoming:
    """Read files; trees are parted from answers, and labels may be words.

    Raises
    ------
    InputError
        With every problem of every file, as :func:`consilience.read` raises it.
    """
    asked, also = _given(files), _given(truth)
    found, judged = _expanded(asked), _expanded(also)
    if not found and not judged:
        raise UsageError("there is nothing to read (fix: name at least one file)")
    called = Counter(how.called(path) for path in dict.fromkeys([*found, *judged]))
    storable([*called], "file")
    twice = [name for name, count in called.items() if count > 1]
    if twice:
        raise UsageError(f"two files are called {quote(twice[0])} (fix: rename one of them)")
    grown = [p for p in found if is_tree(p, encoding=how.encoding, name=how.called(p))]
    trees = [
        (how.called(path), read_tree(path, encoding=how.encoding, name=how.called(path)))
        for path in grown
    ]
    rest: Named = asked
    if grown:
        rest = [path for path in found if path not in grown]
    answers, known = _tables(rest, also, how) if rest or judged else ([], [])
    hashes = {how.called(path): _hash(path) for path in (*found, *judged)}
    return Incoming(answers, known, trees, hashes)


def _given(paths: Paths) -> list[str | os.PathLike[str]]:
    """Give files and folders as they were named; a folder of folders as those in it."""
    given = [paths] if isinstance(paths, (str, os.PathLike)) else [*paths]
    for path in given:
        if is_benchmark(str(path)):
            fix = "add its files: subjects.csv as truth, tree.csv, and assignments.csv as truth"
            raise UsageError(f"{path} is the folder of a stored benchmark (fix: {fix})")
    return unfolded(given)


def _expanded(given: Paths) -> list[Path]:
    problems = Problems()
    found, _ = f.expand(given, problems)
    problems.raise_any()
    return found


def _tables(files: Named, truth: Named, how: How) -> tuple[list[Rows], list[Rows]]:
    """Read answers; where they are none, labels that are words: as ``check`` does."""
    try:
        sides = formats.read_sides(
            files,
            truth=truth,
            columns=how.columns,
            answers=how.answers,
            encoding=how.encoding,
            names=how.names,
        )
        made = build([*sides[0], *sides[1]], duplicates=how.duplicates)
    except KindError:
        raise
    except InputError as error:
        twice = any("answered before" in problem.found for problem in error.problems)
        words = None if twice else _words(files, truth, how)
        if words is None or not mostly_words(build([*words[0], *words[1]])):
            raise
        return words
    if names_only(made) and not truth:
        words = _words(files, truth, how)
        if words is not None and is_shared(build([*words[0], *words[1]])):
            return words
    return sides


def _words(files: Named, truth: Named, how: How) -> tuple[list[Rows], list[Rows]] | None:
    """Read labels that are words: those of the truth where there is one, else those of the files.

    None where they are not words, or cannot be read as such either.
    """
    options: dict[str, Any] = {
        "columns": how.columns,
        "encoding": how.encoding,
        "names": how.names,
        "lenient": True,
    }
    try:
        runs = formats.read_sides(files, **options)[0] if truth else []
        people, _ = formats.read_sides(truth or files, kind="person", labels=True, **options)
        made = build([*runs, *people], duplicates=how.duplicates)
    except UsageError:
        return None
    if made.evidence.category is None:
        return None
    return (runs, people) if truth else (people, [])


def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
