"""Work that is done part by part: by several processes, with progress, and resumed after a stop.

What a finished part gave is kept in a folder until all are finished. Should the work stop, because
of an error, a full disk, a killed process, the same command finds what is there and goes on.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import queue
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from consilience import progress
from consilience._version import __version__
from consilience.engine.opening import forget
from consilience.engine.worker import attempt
from consilience.errors import ConsilienceError, UsageError

if TYPE_CHECKING:
    from consilience.engine.source import Votes
    from consilience.study import Study

_T = TypeVar("_T")

#: Names of folders that hold finished parts.
_KEY = re.compile(r"[0-9a-f]{32}")
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
    content = pickle.dumps(found, protocol=pickle.HIGHEST_PROTOCOL)
    try:
        aside.write_bytes(hashlib.sha256(content).digest() + content)
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
    try:
        if parts.workers == 1:
            for place in left:
                told.hear(place, attempt(task, place), parts)
        else:
            crew = _Crew(task, left)
            crew.run(parts.workers, lambda place, reply: told.hear(place, reply, parts))
    finally:
        _leave(task.folder, done=told.done == told.count)
    return parts


def _leave(folder: Path | None, *, done: bool) -> None:
    """Remove the folder of work that is done, or of which nothing is finished."""
    if folder is None:
        return
    if done:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        with suppress(OSError):
            folder.rmdir()


def _home(folder: Path, key: str) -> Path | None:
    """Make the folder of this work, and remove those that were forgotten."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        forget(one for one in folder.iterdir() if one.name != key and _KEY.fullmatch(one.name))
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
        content = (folder / f"{place}.part").read_bytes()
    except OSError:
        return False, None
    digest, content = content[:32], content[32:]
    if hashlib.sha256(content).digest() != digest:
        return False, None
    return True, pickle.loads(content)


@dataclass(slots=True)
class _Told:
    """Hears how parts came out: says how far the work is, or what went wrong."""

    task: Task
    count: int
    done: int = 0

    def hear(self, place: int, reply: tuple[str, Any], parts: Parts) -> None:
        how, said = reply
        if how == "done":
            parts.found[place] = said
            self.done += 1
            progress.report(self.done, self.count)
        elif how == "usage":
            raise UsageError(said)
        else:
            raise ConsilienceError(self._wrong(place, how, said))

    def _wrong(self, place: int, how: str, said: str) -> str:
        """Say what went wrong, and what to do."""
        if how == "error":
            return said
        low, high = self.task.ranges[place]
        votes = int(self.task.votes.votes[low:high].sum())
        kept = f"; {self._kept()}" if self.task.folder is not None else ""
        less = f"(fix: --memory with less, so that parts are smaller; or free some{kept})"
        if how == "memory":
            what = f"{high - low:,} queries with {votes:,} votes"
            return f"there is not enough memory for {what} {less}"
        ended = f"a worker process ended ({said}) at part {place + 1}"
        if how == "killed":
            return f"{ended}, most likely for want of memory {less}"
        return f"{ended}; it said why, above (fix: mend that{kept})"

    def _kept(self) -> str:
        finished = len(self.task.ranges) - self.count + self.done
        return f"{_GO_ON}: {finished} of {len(self.task.ranges)} parts"


class _Crew:
    """Some worker processes, each fed by a thread of its own."""

    def __init__(self, task: Task, places: Sequence[int]) -> None:
        self.message = pickle.dumps(task, protocol=pickle.HIGHEST_PROTOCOL)
        self.places: queue.SimpleQueue[int] = queue.SimpleQueue()
        for place in places:
            self.places.put(place)
        self.count = len(places)
        self.replies: queue.SimpleQueue[tuple[int, tuple[str, Any]]] = queue.SimpleQueue()

    def run(self, workers: int, hear: Callable[[int, tuple[str, Any]], None]) -> None:
        """Have all parts done; whatever goes wrong, no worker is left behind."""
        crew: list[subprocess.Popen[bytes]] = []
        try:
            for _ in range(workers):
                crew.append(_started())
                threading.Thread(target=self._feed, args=(crew[-1],), daemon=True).start()
            for _ in range(self.count):
                hear(*self.replies.get())
        finally:
            for worker in crew:
                worker.kill()
                worker.wait()
                for stream in (worker.stdin, worker.stdout):
                    if stream is not None:
                        _close(stream)

    def _feed(self, worker: subprocess.Popen[bytes]) -> None:
        """Give a worker one part after the other."""
        assert worker.stdin is not None
        assert worker.stdout is not None
        place, told = -1, False
        try:
            worker.stdin.write(self.message)
            while True:
                place = self.places.get(block=False)
                pickle.dump(place, worker.stdin)
                worker.stdin.flush()
                self.replies.put((place, pickle.load(worker.stdout)))
        except queue.Empty:
            told = True
        except MemoryError:
            self.replies.put((max(place, 0), ("memory", "")))
            told = True
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            told = False
        finally:
            if not told:  # somebody waits for word, whatever went wrong
                self.replies.put((max(place, 0), _ended(worker)))


def _started() -> subprocess.Popen[bytes]:
    """Start a worker that finds the modules that are found here, and no others."""
    path = os.pathsep.join(str(place) or os.getcwd() for place in sys.path)
    environment = {**_ONE_THREAD, **os.environ, "PYTHONPATH": path}
    command = [sys.executable, "-P", "-m", "consilience.engine.worker"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment)


def _ended(worker: subprocess.Popen[bytes]) -> tuple[str, str]:
    """Tell how a worker ended: it was killed, or it failed."""
    try:
        code = worker.wait(timeout=5)
    except subprocess.TimeoutExpired:
        return "killed", "without a word"
    return ("killed", f"signal {-code}") if code < 0 else ("failed", f"exit code {code}")


def _close(stream: Any) -> None:
    try:
        stream.close()
    except OSError:
        return
