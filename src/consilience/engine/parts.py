"""Work that is done part by part: by several processes, with progress, and resumed after a stop.

What a finished part gave is kept in a folder until all are finished. Should the work stop, because
of an error, a full disk, a killed process, the same command finds what is there and goes on.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from consilience import progress
from consilience._version import __version__
from consilience.engine.worker import attempt
from consilience.errors import ConsilienceError, UsageError

if TYPE_CHECKING:
    from consilience.engine.source import Votes
    from consilience.study import Study

_T = TypeVar("_T")

#: Finished parts of work that nobody went on with are removed after so many seconds: a week.
FORGOTTEN = 7 * 24 * 3600
#: Libraries that would start threads of their own in every worker.
_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "ARROW_NUM_THREADS"), "1"
)
_GO_ON = "what is finished is kept, and the same command goes on from there"


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be done with each part; it travels to the workers.

    ``work`` is called with the study of a range of queries and gives something small.
    """

    votes: Votes
    ranges: tuple[tuple[int, int], ...]
    work: Callable[[Study], Any]
    folder: Path | None = None

    def do(self, place: int) -> Any:
        """Do a part, and keep what it gave."""
        found = self.work(self.votes.study(self.ranges[place]))
        if self.folder is not None:
            _keep(self.folder / f"{place}.part", found)
        return found

    @property
    def key(self) -> str:
        """Tell work apart: by what goes in, what is done, and which version does it."""
        about = (self.votes.fingerprint(), self.ranges, self.work, __version__)
        return hashlib.sha256(repr(about).encode(errors="backslashreplace")).hexdigest()[:32]


def _keep(path: Path, found: Any) -> None:
    """Write a part's result aside, then rename it; a full disk is no reason to stop."""
    aside = path.with_suffix(f".{os.getpid()}")
    try:
        aside.write_bytes(pickle.dumps(found, protocol=pickle.HIGHEST_PROTOCOL))
        aside.replace(path)
    except OSError:
        aside.unlink(missing_ok=True)


@dataclass(slots=True)
class Parts:
    """How the parts of one piece of work came out: ``resumed`` of them were finished before."""

    found: list[Any]
    resumed: int = 0
    workers: int = 1


def each(task: Task, *, workers: int, folder: Path | None = None) -> Parts:
    """Do the work on every part, some at a time; give the results in the order of the parts.

    Parameters
    ----------
    task
        What is to be done.
    workers
        How many processes work; one part, or one worker, needs none.
    folder
        Where finished parts are kept until all are done (None: nowhere).

    Raises
    ------
    ConsilienceError
        Where a worker was killed or ran out of memory; finished parts are kept.
    """
    if folder is not None:
        task = Task(task.votes, task.ranges, task.work, _home(folder, task.key))
    parts = Parts([None] * len(task.ranges))
    left = []
    for place in range(len(task.ranges)):
        known, found = _kept(task.folder, place)
        parts.found[place] = found
        parts.resumed += known
        if not known:
            left.append(place)
    parts.workers = max(min(workers, len(left)), 1)
    told = _Told(task, len(left))
    if parts.workers == 1:
        for place in left:
            told.hear(place, attempt(task, place), parts)
    elif left:
        _Crew(task, left, parts.workers).run(lambda place, reply: told.hear(place, reply, parts))
    if task.folder is not None:
        shutil.rmtree(task.folder, ignore_errors=True)
    return parts


def _home(folder: Path, key: str) -> Path | None:
    """Make the folder of this work, and remove those that were forgotten."""
    now = time.time()
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for other in folder.iterdir():
            if other.name != key and now - other.stat().st_mtime > FORGOTTEN:
                shutil.rmtree(other, ignore_errors=True)
        mine = folder / key
        mine.mkdir(exist_ok=True, mode=0o700)
    except OSError:
        return None
    return mine


def _kept(folder: Path | None, place: int) -> tuple[bool, Any]:
    """Find what a part gave before, if it is whole."""
    if folder is None:
        return False, None
    try:
        return True, pickle.loads((folder / f"{place}.part").read_bytes())
    except (OSError, pickle.UnpicklingError, EOFError, AttributeError, ImportError):
        return False, None


@dataclass(slots=True)
class _Told:
    """Hears how parts came out: says how far the work is, or what went wrong."""

    task: Task
    count: int
    done: int = 0
    size: list[int] = field(default_factory=list)

    def hear(self, place: int, reply: tuple[str, Any], parts: Parts) -> None:
        how, said = reply
        finished = f"{len(self.task.ranges) - self.count + self.done} of {len(self.task.ranges)}"
        if how == "usage":
            raise UsageError(said)
        if how == "error":
            raise ConsilienceError(said)
        low, high = self.task.ranges[place]
        votes = int(self.task.votes.votes[low:high].sum())
        if how == "memory":
            raise ConsilienceError(
                f"there is not enough memory for {high - low:,} queries with {votes:,} votes "
                f"(fix: --memory with less, so that parts are smaller; {_GO_ON}: {finished} parts)"
            )
        if how == "killed":
            raise ConsilienceError(
                f"a worker process ended ({said}) at part {place + 1}, most likely for want of "
                f"memory (fix: --memory with less, so that parts are smaller; {_GO_ON}: "
                f"{finished} parts)"
            )
        parts.found[place] = said
        self.done += 1
        progress.report(self.done, self.count)


class _Crew:
    """Some worker processes, each fed by a thread of its own."""

    def __init__(self, task: Task, places: Sequence[int], workers: int) -> None:
        self.message = pickle.dumps(task, protocol=pickle.HIGHEST_PROTOCOL)
        self.places: queue.SimpleQueue[int] = queue.SimpleQueue()
        for place in places:
            self.places.put(place)
        self.count = len(places)
        self.replies: queue.SimpleQueue[tuple[int, tuple[str, Any]]] = queue.SimpleQueue()
        command = [sys.executable, "-m", "consilience.engine.worker"]
        environment = {**_ONE_THREAD, **os.environ}
        pipe = subprocess.PIPE
        self.workers = [
            subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment)
            for _ in range(workers)
        ]

    def run(self, hear: Callable[[int, tuple[str, Any]], None]) -> None:
        """Have all parts done; whatever goes wrong, no worker is left behind."""
        feeders = [
            threading.Thread(target=self._feed, args=(worker,), daemon=True)
            for worker in self.workers
        ]
        try:
            for feeder in feeders:
                feeder.start()
            for _ in range(self.count):
                hear(*self.replies.get())
        finally:
            for worker in self.workers:
                worker.kill()
                worker.wait()
                for stream in (worker.stdin, worker.stdout):
                    if stream is not None:
                        _close(stream)

    def _feed(self, worker: subprocess.Popen[bytes]) -> None:
        """Give a worker one part after the other."""
        assert worker.stdin is not None
        assert worker.stdout is not None
        place = -1
        try:
            worker.stdin.write(self.message)
            while True:
                place = self.places.get(block=False)
                pickle.dump(place, worker.stdin)
                worker.stdin.flush()
                self.replies.put((place, pickle.load(worker.stdout)))
        except queue.Empty:
            return
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            self.replies.put((max(place, 0), ("killed", _ended(worker))))


def _ended(worker: subprocess.Popen[bytes]) -> str:
    try:
        code = worker.wait(timeout=5)
    except subprocess.TimeoutExpired:
        return "without a word"
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _close(stream: Any) -> None:
    try:
        stream.close()
    except OSError:
        return
