"""Options of verbs that work on a benchmark database: which one, which project, which folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from consilience.cli.paths import Output
from consilience.errors import UsageError, unknown

if TYPE_CHECKING:
    from consilience.store.connect import Database
    from consilience.store.projects import Project

#: Adds the option that says which database.
in_database = click.option(
    *("--database", "-d", "where"),
    type=Output(database=True),
    default="consilience.db",
    show_default=True,
    metavar="FILE|URL",
    help="The database: a SQLite file, or postgresql://… for a team.",
)
#: Adds the option that says which project.
of_project = click.option(
    *("--project", "name"),
    metavar="NAME",
    help="Which project, by its name or short name, where the database holds several.",
)
#: Adds the option that says where pictures are.
with_pictures = click.option(
    *("--files", "folder"),
    type=Output(folder=True, own=True),
    metavar="FOLDER",
    help="Where pictures are kept; by default beside the SQLite file.",
)


def chosen(db: Database, name: str | None) -> Project:
    """Find the project by its short name, else by its name; the only one needs none."""
    from consilience.store.projects import projects

    known = projects(db)
    found = [one for one in known if name in (None, one.slug)]  # a short name is one project's
    found = found or [one for one in known if name == one.name]
    if not known:
        raise UsageError(f"{db.where} holds no project yet (fix: begin one: consilience serve)")
    if not found:
        raise unknown("project", str(name), [one.slug for one in known])
    if len(found) > 1:
        several = ", ".join(one.slug for one in found[:5])
        more = f", … ({len(found):,} in all)" if len(found) > 5 else ""
        raise UsageError(f"{db.where} holds several projects: {several}{more} (fix: --project ONE)")
    return found[0]
