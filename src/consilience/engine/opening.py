"""From files that users name to a votes file that is read part by part."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from consilience import formats, progress, store
from consilience._version import __version__
from consilience.belief.declaring import declared
from consilience.engine.source import Votes, open_votes
from consilience.engine.votes_file import read_index
from consilience.errors import ConsilienceError, Problems, UsageError
from consilience.formats import files as f
from consilience.formats.answer_kinds import answer_kind, beside_truth, truth_mapping
from consilience.formats.folders import check_tables, unfolded

if TYPE_CHECKING:
    from consilience.study.repeats import Duplicates

#: How much of the work is done when the votes are sorted.
SORTED = 0.5
#: What nobody went on with is removed after so many seconds: a week.
FORGOTTEN = 7 * 24 * 3600
#: Names that are made in the work folder: whatever else is there is somebody else's.
_OURS = re.compile(
    r"[0-9a-f]{32}\.votes\.(parquet|lock)"
    r"|\.[0-9a-f]{32}\.votes\.parquet\..+\.(part|sorting)"
    r"|(votes|consilience)-[a-z0-9_]{8}"
)


def work_folder() -> Path:
    """Tell where unfinished work is kept: ``CONSILIENCE_WORK``, else beside the results."""
    given = os.environ.get("CONSILIENCE_WORK")
    return Path(given) if given else store.folder().parent / "work"


def expanded(files: Sequence[str | os.PathLike[str]]) -> list[Path]:
    """Give the files that names, folders and globs stand for."""
    problems = Problems()
    found, _ = f.expand(unfolded(files), problems)
    problems.raise_any()
    return found


def is_votes_file(files: Sequence[str | os.PathLike[str]]) -> bool:
    """Tell whether files are one votes file, which is sorted by query."""
    paths = expanded(files)
    return len(paths) == 1 and _is_parquet(paths[0]) and read_index(paths[0]) is not None


@contextmanager
def opened(
    files: Sequence[str | os.PathLike[str]],
    *,
    truth: Sequence[str | os.PathLike[str]] = (),
    columns: Mapping[str, str] | None = None,
    truth_columns: Mapping[str, str] | None = None,
    answers: str | None = None,
    encoding: str | None = None,
    duplicates: Duplicates = "error",
    universe: int | None = None,
    memory: int | None = None,
) -> Iterator[Votes]:
    """Open files to be read part by part; what is no votes file is sorted into one first.

    The sorted copy stays in the work folder until the work is done, so that work which was
    stopped does not sort again.
    """
    if duplicates == "each":
        raise UsageError("items that are counted by mention need --engine memory (fix: add it)")
    check_tables(unfolded(files), encoding, fix="--engine memory")
    paths = expanded(files)
    reading: dict[str, Any] = {"columns": columns, "encoding": encoding, "answers": answers}
    judges = judged(paths, truth, truth_columns=truth_columns, **reading)
    index = read_index(paths[0]) if len(paths) == 1 and _is_parquet(paths[0]) else None
    if index is not None:
        yield open_votes(paths[0], index, truth=judges, universe=universe, duplicates=duplicates)
        return
    reading["answers"] = beside_truth(answer_kind(answers), truth=bool(judges))
    with _sorted(paths, {**reading, "duplicates": duplicates}, memory) as path:
        index = read_index(path)
        assert index is not None
        votes = open_votes(path, index, truth=judges, universe=universe, duplicates=duplicates)
        yield replace(votes, scratch=True)


def judged(
    paths: Sequence[Path],
    truth: Sequence[str | os.PathLike[str]],
    *,
    columns: Mapping[str, str] | None,
    truth_columns: Mapping[str, str] | None,
    **reading: Any,
) -> list[formats.Rows]:
    """Read what judges said of the answers in some files, which are not read."""
    if columns and truth and not truth_columns:
        answered = {name for path in paths for name in formats.names_of(path, columns)}
        columns = truth_mapping(columns, None, answered)
    return formats.read_files(
        *([],),
        truth=list(truth),
        columns=columns,
        truth_columns=truth_columns,
        lenient=True,
        **reading,
    )


def rest(votes: Votes) -> AbstractContextManager[None]:
    """Report the progress of what is left to do once votes are opened."""
    return progress.part(SORTED if votes.scratch else 0.0, 1.0)


@contextmanager
def _sorted(paths: Sequence[Path], how: Mapping[str, Any], memory: int | None) -> Iterator[Path]:
    """Sort files into a votes file, unless that was done before; remove it when all is done.

    Of several that want the same one sorts, and the last one removes it.
    """
    path = ready() / f"{_named(paths, how)}.votes.parquet"
    with _held(path) as lock:
        if not path.exists():  # then nobody else holds the lock
            from consilience.engine import convert

            reading = {**how, "columns": dict(how["columns"] or {}), "kind": "system"}
            try:
                with progress.part(0.0, SORTED):
                    limits = convert.Limits.of(memory)
                    convert.written([*paths], path, convert.Reading(limits=limits, **reading))
            except BaseException:
                _remove(Path(lock.name))
                raise
        for one in (path, lock.name):
            os.utime(one)
        _flock(lock, shared=True)
        yield path
        if _flock(lock, wait=False):
            _remove(path)
            _remove(Path(lock.name))


def _remove(path: Path) -> None:
    """Remove a file; where a system keeps it as long as it is open, it is forgotten later."""
    with suppress(OSError):
        path.unlink(missing_ok=True)


def ready() -> Path:
    """Make the work folder, and remove from it what was forgotten there."""
    folder = work_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        forget(one for one in folder.iterdir() if _OURS.fullmatch(one.name))
    except OSError as error:
        why = error.strerror or str(error)
        raise ConsilienceError(
            f"cannot work in {folder}: {why} (fix: CONSILIENCE_WORK names another folder)"
        ) from None
    return folder


def forget(paths: Iterable[Path]) -> None:
    """Remove what nobody has gone on with for a week; others may be removing it, too."""
    now = time.time()
    for one in paths:
        with suppress(FileNotFoundError):
            if now - one.stat().st_mtime > FORGOTTEN:
                shutil.rmtree(one, ignore_errors=True) if one.is_dir() else one.unlink()


def _held(path: Path) -> IO[str]:
    """Hold the lock of a copy: with others where it is there, alone where it is to be made.

    While somebody else makes it, this waits; a lock that was removed meanwhile is made anew.
    """
    place = path.with_suffix(".lock")
    while True:
        file = place.open("a", encoding="utf-8")
        mine = not path.exists() and _flock(file, wait=False)
        if not mine:
            _flock(file, shared=True)
        with suppress(FileNotFoundError):
            same = os.path.samestat(os.fstat(file.fileno()), place.stat())
            if same and (mine or path.exists()):
                return file
        file.close()


def _flock(file: IO[str], *, shared: bool = False, wait: bool = True) -> bool:
    """Hold a file alone, or with others; tell whether that could be had without waiting."""
    try:
        import fcntl
    except ImportError:  # a system without such locks
        return True
    try:
        mode = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(file, mode if wait else mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a disk without such locks
        return True
    return True


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


def _named(paths: Sequence[Path], how: Mapping[str, Any]) -> str:
    """Name what files hold: by where they are, how large, and when they were last written."""
    seen = [(str(path.resolve()), path.stat().st_size, path.stat().st_mtime_ns) for path in paths]
    said = repr((seen, {**how, "columns": sorted((how["columns"] or {}).items())}, __version__))
    return hashlib.sha256(said.encode(errors="backslashreplace")).hexdigest()[:32]
