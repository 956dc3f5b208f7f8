"""``consilience pack``: everything of a project as one archive, or as tables for other programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import say
from consilience.cli.databases import chosen, of_project, with_pictures
from consilience.cli.paths import Input, Output
from consilience.cli.shared import alive, emit
from consilience.errors import UsageError, quote, unknown

if TYPE_CHECKING:
    from consilience.store.archive_form import Member
    from consilience.store.connect import Database
    from consilience.store.projects import Project

#: What tables can be written as.
TABLES = ("parquet", "csv", "qrels", "label-studio")
#: What a line of the result counts, by table.
COUNTED = {
    "answer": ("answer", "answers"),
    "respondent": ("respondent", "respondents"),
    "query": ("query", "queries"),
    "item": ("item", "items"),
    "file": ("picture", "pictures"),
    "result": ("stored result", "stored results"),
}


@click.command("pack")
@click.argument("database", type=Input(database=True), metavar="FILE|URL")
@of_project
@click.option(
    "--tables",
    "fmt",
    metavar="|".join(TABLES),
    help="Write tables for other programs instead of an archive.",
)
@click.option(
    *("-o", "--output"),
    type=Output(folder=True, ending=".zip", own=True),
    metavar="FILE.zip|FOLDER",
    help="Where to write; by default a name after the project, in this folder.",
)
@with_pictures
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    database: str,
    name: str | None,
    fmt: str | None,
    output: str | None,
    folder: str | None,
    as_json: bool,
) -> None:
    """Write everything of a project into one archive, which unpack brings into any database.

    With --tables it is written as tables that other programs read, into a new folder or a .zip.

    \b
    consilience pack study.db
    consilience pack study.db --project photos -o photos.zip
    consilience pack study.db --tables csv -o tables
    consilience pack postgresql://ann@db.example.org/bench --project photos
    """
    from consilience.store.connect import open_database

    if fmt is not None and fmt not in TABLES:
        raise unknown("format of tables", fmt, TABLES)
    db = open_database(database, files=None if folder is None else Path(folder), create=False)
    try:
        project = chosen(db, name)
        target = Path(output or (f"{project.slug}.zip" if fmt is None else f"{project.slug}-{fmt}"))
        _check_target(target, project, archive=fmt is None)
        with alive("packing"):
            told = (
                _packed(db, project, target) if fmt is None else _tables(db, project, target, fmt)
            )
    finally:
        db.close()
    result = {
        "verb": "pack",
        "project": {"slug": project.slug, "name": project.name},
        "output": str(target),
        **told,
    }
    if as_json:
        emit(json.dumps(result, ensure_ascii=False, allow_nan=False, indent=2) + "\n")
        return
    for note in told.get("notes", ()):
        say(f"note: {note}")
    emit(f"{target}: {told['said']}\n" if fmt is None else _listed(target, told["files"]))


def _check_target(target: Path, project: Project, *, archive: bool) -> None:
    """See that nothing is replaced but an archive of the same project."""
    zipped = target.suffix.lower() == ".zip"
    if archive and not zipped:
        raise UsageError(f"{quote(target)} is no name for an archive (fix: end it with .zip)")
    if not zipped or not target.is_file() or not target.stat().st_size:
        return
    from consilience.store.archive_read import project_in
    from consilience.store.protect import free_name

    held = project_in(target)
    if archive and held is not None and _is_same(held, project):
        return
    if held is not None:
        said = f"there is an archive of the project {quote(held.get('name'))}"
    else:
        said = "there is a file that is no archive of this project"
    raise UsageError(f"{target}: {said}, and it would be replaced (fix: -o {free_name(target)})")


def _is_same(held: Mapping[str, Any], project: Project) -> bool:
    """Tell whether an archive holds a project as it was once, perhaps under one other name."""
    named = held.get("name") == project.name or held.get("slug") == project.slug
    return named and held.get("created") == project.created


def _packed(db: Database, project: Project, target: Path) -> dict[str, Any]:
    from consilience.engine.sizes import shown
    from consilience.store.archive import pack

    members = pack(db, project, target)
    size = target.stat().st_size
    return {
        "said": f"{counted(members)}; {shown(size)}",
        "bytes": size,
        "members": [member.told() for member in members],
    }


def counted(members: list[Member]) -> str:
    """Say what an archive holds."""
    rows = {
        member.name.removeprefix("tables/").removesuffix(".jsonl"): member.rows
        for member in members
    }
    said = ((rows.get(table) or 0, words) for table, words in COUNTED.items())
    held = [f"{n:,} {one if n == 1 else several}" for n, (one, several) in said if n]
    return ", ".join(held) or "a project without answers"


def _tables(db: Database, project: Project, target: Path, fmt: str) -> dict[str, Any]:
    from consilience.store.tables import export_tables

    made = export_tables(db, project, target, fmt)
    return {"files": [*made.files], "notes": [*made.notes]}


def _listed(target: Path, files: list[str]) -> str:
    return "".join(f"{target}/{name}\n" for name in files)
