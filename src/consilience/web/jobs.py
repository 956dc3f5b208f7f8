"""Work in the background: one process computes, the app answers meanwhile.

A job is the work that a verb does for a project (``rank``, ``agree``, …) or the reading of files.
The same job is not done twice. Jobs run one after the other in a process of their own, which is
started with the first one; a job is cancelled by ending that process, so nothing needs to ask
whether it should stop. What a job has computed it has stored itself; here is only how far it is.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from consilience.errors import ConsilienceError, UsageError
from consilience.store.connect import UnavailableError

if TYPE_CHECKING:
    from consilience.store.connect import Database
    from consilience.store.projects import Project

State = Literal["waiting", "running", "done", "failed", "cancelled"]
Process: TypeAlias = "subprocess.Popen[bytes]"
#: What is said of a job whose process is no more.
GONE = "the work ended unexpectedly; was there not enough memory? (fix: try again)"
#: What is said where the database is not there for it; the log says what is wrong with it.
AWAY = (
    "the database does not answer as it should just now (fix: try again in a moment; if it stays "
    "like this, tell whoever runs the app: its log says why)"
)
#: What changes a project or makes a file: that it failed is told until somebody has seen it.
CHANGES = ("add", "content", "draw", "pack", "unpack")
#: How many finished jobs are remembered.
REMEMBERED = 200
#: How many jobs may wait.
MOST = 100


class FullError(ConsilienceError):
    """So much waits already that nothing more is taken on."""


@dataclass(slots=True, eq=False)
class Job:
    """One piece of work and how far it is; changed by :class:`Jobs` alone."""

    id: int
    key: str
    project: int
    verb: str
    request: dict[str, Any]
    state: State = "waiting"
    share: float | None = None
    message: str | None = None
    result: Any = None
    seen: bool = False
    ended: threading.Event = field(default_factory=threading.Event)

    def told(self) -> dict[str, Any]:
        """Give the job as plain data."""
        return {
            "id": self.id,
            "verb": self.verb,
            "state": self.state,
            "share": self.share,
            "message": self.message,
            "result": self.result,
        }


def _address(db: Database) -> str:
    """Tell another process where the database is."""
    if db.is_sqlite:
        return str(db.engine.url.database)
    return db.engine.url.render_as_string(hide_password=False)


class Jobs:
    """The jobs of an app.

    Parameters
    ----------
    db
        The database of the app.
    patience
        How many seconds a request waits for the job that it began, before it answers without.
    """

    def __init__(self, db: Database, *, patience: float = 2.5) -> None:
        self.patience = patience
        self._where = {"where": _address(db), "files": None if db.files is None else str(db.files)}
        self._numbers = itertools.count(1)
        self._jobs: dict[int, Job] = {}
        self._lock = threading.Condition()
        self._process: Process | None = None
        self._closed = False
        self._thread: threading.Thread | None = None

    def start(
        self,
        project: Project,
        verb: str,
        settings: dict[str, Any],
        *,
        after: Callable[[], None] | None = None,
    ) -> Job:
        """Begin a job, or find the same one for the same state of the project.

        A result that failed is found as well, where the same work would fail again. What changes a
        project is tried anew, for it may go well without a new state; and so is what was cancelled.
        ``after`` is called when the job has ended, however, or cannot begin.
        """
        said = json.dumps(settings, sort_keys=True, ensure_ascii=False)
        key = f"{project.id} {project.version} {verb} {said}"
        with self._lock:
            known = [job for job in self._jobs.values() if job.key == key]
            over = {"cancelled", "done"} | ({"failed"} if verb in CHANGES else set())
            known = [job for job in known if job.state not in over]
            known = known or self._waiting(project, verb, settings)
            if known:
                known[-1].key = key  # what waits will be computed of the newest state
                return known[-1]
            if self._closed or sum(job.state == "waiting" for job in self._jobs.values()) >= MOST:
                if after is not None:
                    after()
                raise FullError(
                    "too much is being computed already (fix: wait, or cancel some of it)"
                )
            request = {"project": project.slug, "verb": verb, "settings": settings}
            job = Job(next(self._numbers), key, project.id, verb, request | {"after": after})
            self._jobs[job.id] = job
            self._forget()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)
                self._thread.start()
            self._lock.notify_all()
            return job

    def _waiting(self, project: Project, verb: str, settings: dict[str, Any]) -> list[Job]:
        """Find the same work that has not begun, for whichever state of the project."""
        asked = {"project": project.slug, "verb": verb, "settings": settings, "after": None}
        here = (job for job in self._jobs.values() if job.state == "waiting")
        return [job for job in here if job.request == asked]

    def of(self, project: Project) -> list[Job]:
        """Give the jobs of a project, newest first."""
        with self._lock:
            return [job for job in reversed(self._jobs.values()) if job.project == project.id]

    def to_tell(self, project: Project, verbs: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
        """Choose the jobs that a page tells of: what is ``going`` on, and what has ``failed``.

        Of each verb the last one that failed is told, until a later one is done or somebody has
        seen it: whoever began the work may have left the page before it ended.
        """
        wanted = [*verbs]
        with self._lock:
            here = [job for job in self._jobs.values() if job.project == project.id]
            here = [job for job in reversed(here) if job.verb in wanted]
            failed = [self._unseen(project.id, verb) for verb in wanted]
        return {
            "going": [job.told() for job in here if job.state in ("waiting", "running")],
            "failed": [job.told() for job in failed if job is not None],
        }

    def _unseen(self, project: int, verb: str) -> Job | None:
        """Find the last job of a kind that failed unseen; None where one is done since."""
        for job in reversed(self._jobs.values()):
            if (job.project, job.verb) != (project, verb):
                continue
            if job.state == "done":
                return None
            if job.state == "failed" and not job.seen:
                return job
        return None

    def wait_for(self, job: Job) -> None:
        """Wait for a job; where it fails meanwhile, whoever asked for it is told at once."""
        job.ended.wait(self.patience)
        if job.state == "failed":
            job.seen = True
            kind = UnavailableError if job.message == AWAY else UsageError
            raise kind(job.message or "the work failed (fix: try again)")

    def dismiss(self, job: Job) -> None:
        """Tell no more of a job that failed, nor of those of its kind before it."""
        with self._lock:
            for one in self._jobs.values():
                if (one.project, one.verb) == (job.project, job.verb) and one.id <= job.id:
                    one.seen = True

    def find(self, number: int) -> Job | None:
        """Find a job by its number."""
        return self._jobs.get(number)

    def drop(self, number: int) -> None:
        """Forget a job that has ended, where what it made is there no more."""
        with self._lock:
            job = self._jobs.get(number)
            if job is not None and job.ended.is_set() and not self._waits(job):
                del self._jobs[number]

    def cancel(self, job: Job) -> None:
        """Stop a job, or see that it never begins."""
        with self._lock:
            if job.state == "running":
                self._stop_process()
            if job.state in ("waiting", "running"):
                self._end(job, "cancelled", "cancelled")

    def close(self) -> None:
        """Stop everything."""
        with self._lock:
            self._closed = True
            self._stop_process()
            for job in self._jobs.values():
                if job.state in ("waiting", "running"):
                    self._end(job, "cancelled", "the app was stopped")
            self._lock.notify_all()

    def _forget(self) -> None:
        over = [job for job in self._jobs.values() if job.ended.is_set() and not self._waits(job)]
        for job in over[: max(len(over) - REMEMBERED, 0)]:
            del self._jobs[job.id]

    def _waits(self, job: Job) -> bool:
        """Tell whether somebody must still be told of a job."""
        return job.verb in CHANGES and self._unseen(job.project, job.verb) is job

    def _end(self, job: Job, state: State, message: str | None, result: Any = None) -> None:
        job.state, job.message, job.result = state, message, result
        after = job.request["after"]
        if after is not None:
            after()
        job.ended.set()

    def _run(self) -> None:
        while True:
            with self._lock:
                job = self._next()
                while job is None and not self._closed:
                    self._lock.wait()
                    job = self._next()
                if job is None or self._closed:
                    return
                job.state = "running"
                process = self._asked(job)
            if process is not None:
                self._listen(job, process)

    def _asked(self, job: Job) -> Process | None:
        """Have a job done; None where no process can be started, which the job then tells."""
        try:
            process = self._worker()
        except OSError as error:
            job.key = ""  # another attempt may go better
            self._end(
                job, "failed", f"no process can be started: {error.strerror} (fix: try again)"
            )
            return None
        _tell(process, {name: job.request[name] for name in ("project", "verb", "settings")})
        return process

    def _next(self) -> Job | None:
        return next((job for job in self._jobs.values() if job.state == "waiting"), None)

    def _listen(self, job: Job, process: Process) -> None:
        """Hear of a job until it has ended, or until nobody is there to tell."""
        while True:
            told = _heard(process)
            with self._lock:
                if job.state != "running":  # it was cancelled meanwhile
                    return
                if told is None:
                    self._stop_process()
                    told = {"state": "failed", "message": GONE, "again": True}
                if "share" in told:
                    job.share = told["share"]
                    continue
                if told.get("again"):
                    job.key = ""  # another attempt may go better
                self._end(job, told["state"], told.get("message"), told.get("result"))
                return

    def _worker(self) -> Process:
        """Give the process that computes; start one where there is none."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "consilience.web.worker"],  # no modules lying about
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            _tell(self._process, self._where)
        return self._process

    def _stop_process(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                with contextlib.suppress(OSError):
                    if stream is not None:
                        stream.close()
        self._process = None


def _tell(process: Process, what: dict[str, Any]) -> None:
    """Say something to the process that computes; that it has gone is heard later."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.write(json.dumps(what).encode() + b"\n")
        process.stdin.flush()


def _heard(process: Process) -> dict[str, Any] | None:
    """Hear what the process says; None where it has gone."""
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        said: dict[str, Any] | None = json.loads(line) if line.endswith(b"\n") else None
    except (OSError, ValueError):  # closed while we listened
        return None
    return said
