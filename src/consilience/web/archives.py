"""Archives and tables that are made in the background, and archives that come in."""

from __future__ import annotations

import itertools
import shutil
import threading
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from consilience.store.archive_read import Limits
from consilience.store.connect import reading
from consilience.store.projects import Project, project
from consilience.web.uploads import folder_aside

if TYPE_CHECKING:
    from consilience.store.connect import Database
    from consilience.web.frame import Context
    from consilience.web.jobs import Job, Jobs

#: What a project can be written as: the archive, and tables.
FORMS = {
    "archive": "One archive: everything, to keep or to bring into another database",
    "csv": "Tables as CSV",
    "parquet": "Tables as Parquet",
    "qrels": "TREC judgments, one file for everybody who judged",
    "label-studio": "Label Studio: tasks with everybody's annotations",
}
#: How much an archive that comes in may hold.
LIMITS = Limits(total=16 << 30, line=32 << 20)
#: How many files stay that were made.
STAY = 8
#: Archives that come in belong to no project yet.
NOBODY = Project(0, "", "", "", 0)


def packed(db: Database, slug: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Write a project as an archive or as tables; give what is worth telling."""
    from consilience.store.archive import pack
    from consilience.store.tables import export_tables

    path = Path(settings["path"])
    notes: tuple[str, ...] = ()
    if settings["form"] == "archive":
        pack(db, project(db, slug), path)
    else:
        notes = export_tables(db, project(db, slug), path, settings["form"]).notes
    return {"bytes": path.stat().st_size, "notes": [*notes]}


def unpacked(db: Database, _: str, settings: dict[str, Any]) -> str:
    """Bring an archive; give the slug of its project."""
    from consilience.store.archive_unpack import unpack

    return unpack(db, settings["path"], limits=LIMITS, name=settings["name"]).slug


def state_of(db: Database, of: Project) -> str:
    """Mark a project's state: where the mark is the same, nothing of it was written since.

    An archive holds texts, pictures, tasks and stored results too, with which the version of the
    study does not rise. So this marks the last write to the whole database.
    """
    if not db.is_sqlite:
        with reading(db) as conn:
            last = conn.execute(sa.text("SELECT CAST(txid_current_snapshot() AS text)")).scalar()
        return f"{of.id} {of.version} {last}"
    file = Path(str(db.engine.url.database))
    both = [one for one in (file, file.with_name(f"{file.name}-wal")) if one.exists()]
    last = " ".join(f"{one.stat().st_size} {one.stat().st_mtime_ns}" for one in both)
    return f"{of.id} {of.version} {last}"


@dataclass(frozen=True, slots=True)
class Made:
    """A file that a job makes: where it lies, what it is called, whose it is, of which state."""

    path: Path
    name: str
    project: int
    form: str
    state: str


@dataclass(eq=False)
class Workshop:
    """The files that were made for downloads; they go with the app."""

    folder: Path
    made: dict[int, Made] = field(default_factory=dict)
    numbers: itertools.count[int] = field(default_factory=itertools.count)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def place(self) -> Path:
        """Give a path for a new file."""
        self.folder.mkdir(mode=0o700, exist_ok=True)  # another app may take it for an old one
        return self.folder / f"{next(self.numbers)}.zip"

    def make(self, jobs: Jobs, of: Project, form: str, *, name: str, state: str) -> Job:
        """Have a file made; one of the same state that is there, or being made, is given again."""
        with self.lock:
            for number, made in self.made.items():
                job = jobs.find(number)
                same = (made.project, made.form, made.state) == (of.id, form, state)
                if same and job is not None and _is_good(job, made):
                    return job
            path = self.place()
            job = jobs.start(of, "pack", {"form": form, "path": str(path)})
            self.made[job.id] = Made(path, name, of.id, form, state)
            self._clear(jobs)
            return job

    def _clear(self, jobs: Jobs) -> None:
        """Let the oldest go, with the jobs that made them; what is being made stays."""
        found = {number: jobs.find(number) for number in self.made}
        over = [number for number, job in found.items() if job is None or job.ended.is_set()]
        for number in over[: max(len(self.made) - STAY, 0)]:
            self.made.pop(number).path.unlink(missing_ok=True)
            jobs.drop(number)


def _is_good(job: Job, made: Made) -> bool:
    """Tell whether a file is there, or will be."""
    return job.state in ("waiting", "running") or (job.state == "done" and made.path.is_file())


_opening = threading.Lock()


def workshop(ctx: Context) -> Workshop:
    """Give the app's workshop; the first to ask opens it."""
    state = ctx.request.app.state
    with _opening:
        found: Workshop | None = getattr(state, "workshop", None)
        if found is None:
            folder = folder_aside(ctx.db, "made")
            found = state.workshop = Workshop(folder)
            weakref.finalize(found, shutil.rmtree, folder, ignore_errors=True)
        return found
