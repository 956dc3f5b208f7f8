"""``consilience unpack``: an archive becomes a project of a database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from consilience.cli.databases import with_pictures
from consilience.cli.shared import alive, emit
from consilience.errors import ConsilienceError

if TYPE_CHECKING:
    from consilience.store.archive_read import Limits
    from consilience.store.connect import Database
    from consilience.store.projects import Project


@click.command("unpack")
@click.argument("archive", metavar="FILE.zip")
@click.argument("database", metavar="FILE|URL")
@with_pictures
@click.option(
    "--max-size",
    type=click.IntRange(min=1),
    default=64,
    show_default=True,
    metavar="GB",
    help="The most that the archive may unpack into.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(archive: str, database: str, folder: str | None, max_size: int, as_json: bool) -> None:
    """Bring an archive that pack has written into a database, as a new project.

    Other projects of the database stay as they are. What the archive holds is checked; of one that
    is not as it was packed nothing is kept.

    \b
    consilience unpack photos.zip study.db
    consilience unpack photos.zip postgresql://ann@db.example.org/bench --files /srv/bench
    """
    from consilience.store.archive_read import Limits, opened
    from consilience.store.connect import open_database

    limits = Limits(total=max_size << 30)
    with opened(archive, limits):  # what is no archive makes no database
        pass
    fresh = "://" not in database and not Path(database).exists()
    db = open_database(database, files=None if folder is None else Path(folder))
    try:
        with alive("unpacking"):
            project, said = _unpacked(db, archive, limits)
    except (ConsilienceError, KeyboardInterrupt):
        db.close()
        if fresh:
            _remove(Path(database))
        raise
    db.close()
    if as_json:
        told = {"slug": project.slug, "name": project.name}
        result = {"verb": "unpack", "project": told, "database": db.where}
        emit(json.dumps(result, ensure_ascii=False, allow_nan=False, indent=2) + "\n")
        return
    emit(f"{db.where}: the project {project.name} ({project.slug}): {said}\n")


def _unpacked(db: Database, archive: str, limits: Limits) -> tuple[Project, str]:
    from consilience.cli.pack import counted
    from consilience.store.archive_read import opened
    from consilience.store.archive_unpack import unpack

    made = unpack(db, archive, limits=limits)
    with opened(archive, limits) as held:
        return made, counted([*held.members.values()])


def _remove(path: Path) -> None:
    """Remove a database that was made for an archive that was refused."""
    for ending in ("", "-wal", "-shm"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
