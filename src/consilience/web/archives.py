"""Archives and tables that are made in the background, and archives that come in."""

from __future__ import annotations

import itertools
import shutil
import threading
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consilience.store.archive_read import Limits
from consilience.store.projects import Project, project
from consilience.web.uploads import folder_aside

if TYPE_CHECKING:
    from consilience.store.connect import Database
    from consilience.web.frame import Context

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


def unpacking(ctx: Context) -> list[dict[str, Any]]:
    """List the archives that are coming in."""
    jobs = ctx.jobs.of(NOBODY)
    return [job.told() for job in jobs if job.state in ("waiting", "running")]


@dataclass(frozen=True, slots=True)
class Made:
    """A file that a job makes: where it lies, what it is called, whose it is."""

    path: Path
    name: str
    slug: str
    form: str


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

    def keep(self, job: int, made: Made) -> None:
        """Remember what a job makes; the oldest goes."""
        with self.lock:
            self.made[job] = made
            while len(self.made) > STAY:
                self.made.pop(next(iter(self.made))).path.unlink(missing_ok=True)


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
