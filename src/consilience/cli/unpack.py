"""``consilience unpack``: an archive becomes a project of a database."""

from __future__ import annotations

import json
from pathlib import Path

import click

from consilience.cli.databases import with_pictures
from consilience.cli.paths import Input, Output
from consilience.cli.shared import alive, emit


@click.command("unpack")
@click.argument("archive", type=Input(binary=True), metavar="FILE.zip")
@click.argument("database", type=Output(database=True), metavar="FILE|URL")
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
    is not as it was packed nothing is kept. A database that was made for it stays, and is empty.

    \b
    consilience unpack photos.zip study.db
    consilience unpack photos.zip postgresql://ann@db.example.org/bench --files /srv/bench
    """
    from consilience.cli.pack import counted
    from consilience.store.archive_read import Limits, opened
    from consilience.store.archive_unpack import unpack
    from consilience.store.connect import open_database

    limits = Limits(total=max_size << 30)
    with opened(archive, limits) as held:  # what is no archive makes no database
        said = counted([*held.members.values()])
    db = open_database(database, files=None if folder is None else Path(folder))
    try:
        with alive("unpacking"):
            project = unpack(db, archive, limits=limits)
    finally:
        db.close()  # a new database stays, whatever happens: others may use it by now
    if as_json:
        told = {"slug": project.slug, "name": project.name}
        result = {"verb": "unpack", "project": told, "database": db.where}
        emit(json.dumps(result, ensure_ascii=False, allow_nan=False, indent=2) + "\n")
        return
    emit(f"{db.where}: the project {project.name} ({project.slug}): {said}\n")
