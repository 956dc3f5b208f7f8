"""``consilience label``: links for people who label in the web app."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from consilience.cli import say
from consilience.cli.databases import chosen, in_database, of_project

if TYPE_CHECKING:
    from consilience.store.connect import Database
    from consilience.store.projects import Project

#: Where the app listens when nobody says it.
HERE = "http://127.0.0.1:8765"


@click.command("label")
@click.argument("names", nargs=-1, metavar="[NAMES…]")
@in_database
@of_project
@click.option(
    *("--address", "--at", "home"),
    default=HERE,
    show_default=True,
    metavar="URL",
    help="Where people reach the app; links begin with it.",
)
@click.option(
    "--new",
    is_flag=True,
    help="Give a new link to those of NAMES who have one; the old one no longer opens.",
)
@click.option(
    "--revoke",
    multiple=True,
    metavar="NAME",
    help="Take a person's link back; what they said stays (repeatable).",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    names: tuple[str, ...],
    where: str,
    name: str | None,
    home: str,
    new: bool,
    revoke: tuple[str, ...],
    as_json: bool,
) -> None:
    """Make a link for each of NAMES, by which they label and see nothing but their own work.

    A link is shown once and kept nowhere. Without NAMES: who labels, and how far they are.

    \b
    consilience label --database study.db Ann Ben
    consilience label --database study.db Ann --new --address https://bench.example.org
    consilience label --database study.db --revoke Ben
    consilience label --database study.db
    """
    from consilience.store.connect import open_database
    from consilience.store.people import change_links
    from consilience.web.access import address_of, opens_here_only

    start = address_of(home)
    db = open_database(where, create=False)
    try:
        project = chosen(db, name)
        asked = bool(names or revoke)  # who only looks waits for nobody
        secrets = change_links(db, project, names, again=new, revoke=revoke) if asked else {}
        links = [{"name": who, "link": f"{start}/w/{secret}"} for who, secret in secrets.items()]
        result: dict[str, Any] = {
            "verb": "label",
            "project": {"slug": project.slug, "name": project.name},
            "links": links,
            "revoked": [*dict.fromkeys(revoke)],
            **_far(db, project),
        }
    finally:
        db.close()
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False, allow_nan=False, indent=1))
        return
    for line in _lines(result):
        click.echo(line)
    if links:
        say("Each link is shown once; whoever has it labels under that name.")
        if opens_here_only(start):
            say("They open on this machine only; --address gives them another beginning.")


def _far(db: Database, project: Project) -> dict[str, Any]:
    """Tell how far labelling is."""
    from consilience.store.people import respondents
    from consilience.store.tasks import progress

    far = progress(db, project)
    linked = {one.id for one in respondents(db, project) if one.link_hash is not None}
    people = [{**asdict(one), "link": one.id in linked} for one in far.people]
    return {"tasks": far.tasks, "complete": far.complete, "answers": far.answers, "people": people}


def _lines(result: dict[str, Any]) -> list[str]:
    """Say it in words."""
    if result["links"] or result["revoked"]:
        width = max((len(one["name"]) for one in result["links"]), default=0)
        made = [f"{one['name']:<{width}}  {one['link']}" for one in result["links"]]
        return [*made, *(f"{name}: the link no longer opens" for name in result["revoked"])]
    told = f"{result['project']['name']}: {result['complete']:,} of {result['tasks']:,} tasks "
    lines = [f"{told}complete, {result['answers']:,} answers"]
    for one in result["people"]:
        link = "" if one["link"] else ", no link"
        unsure = f", {one['cannot_tell']:,} cannot tell" if one["cannot_tell"] else ""
        lines.append(f"{one['name']}: {one['done']:,} done{unsure}, {one['open']:,} left{link}")
    return lines
