"""From files that users name to a votes file that is read part by part."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from consilience import formats, progress, store
from consilience.belief.declaring import declared
from consilience.engine.source import Votes, open_votes
from consilience.engine.votes_file import read_index
from consilience.errors import Problems, UsageError
from consilience.formats import files as f

if TYPE_CHECKING:
    from consilience.study.repeats import Duplicates

#: How much of reading is done when the votes are sorted.
_SORTED = 0.9


def work_folder() -> Path:
    """Tell where unfinished work is kept: ``CONSILIENCE_WORK``, else beside the results."""
    given = os.environ.get("CONSILIENCE_WORK")
    return Path(given) if given else store.folder().parent / "work"


def expanded(files: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """Give the files that names, folders and globs stand for."""
    problems = Problems()
    found, _ = f.expand(files, problems)
    problems.raise_any()
    return found


def is_votes_file(files: Sequence[str | os.PathLike[str]]) -> bool:
    """Tell whether files are one votes file, which is sorted by query."""
    paths = expanded(files)
    return len(paths) == 1 and _is_parquet(paths[0]) and read_index(paths[0]) is not None


def opened(
    files: Sequence[str | os.PathLike[str]],
    *,
    truth: Sequence[str | os.PathLike[str]] = (),
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    duplicates: Duplicates = "error",
    universe: int | None = None,
    memory: int | None = None,
) -> Votes:
    """Open files to be read part by part; what is no votes file is sorted into one first.

    The sorted copy stays in the work folder until the work is done, so that work which was
    stopped does not sort again.
    """
    if duplicates == "each":
        raise UsageError("items that are counted by mention need --engine memory (fix: add it)")
    paths = expanded(files)
    index = read_index(paths[0]) if len(paths) == 1 and _is_parquet(paths[0]) else None
    path, scratch = paths[0], index is None
    if index is None:
        from consilience.engine.convert import convert

        path = work_folder() / f"{_named(paths, columns, encoding, duplicates)}.votes.parquet"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with progress.part(0.0, _SORTED):
                convert(
                    [str(one) for one in paths],
                    path,
                    columns=columns,
                    encoding=encoding,
                    duplicates=duplicates,
                    memory=memory,
                )
        index = read_index(path)
        assert index is not None
    judges = formats.read_files(
        [], truth=list(truth), columns=columns, encoding=encoding, lenient=True
    )
    votes = open_votes(path, index, truth=judges, universe=universe, duplicates=duplicates)
    return replace(votes, scratch=scratch)


def grouped(votes: Votes, families: str | None) -> Votes:
    """Declare families, as :func:`consilience.belief.declaring.declared` does of a study."""
    people = declared(replace(votes.judges(), notes=()), families)
    return replace(votes, families=people.respondents.family, noted=people.notes)


def _is_parquet(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(4) == b"PAR1"
    except OSError:
        return False


def _named(
    paths: Sequence[Path], columns: Mapping[str, str] | None, encoding: str | None, rule: str
) -> str:
    """Name what files hold: by where they are, how large, and when they were last written."""
    seen = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in paths]
    said = repr((seen, sorted((columns or {}).items()), encoding, rule))
    return hashlib.sha256(said.encode(errors="backslashreplace")).hexdigest()[:32]
