"""``consilience label``: links for people who label in the web app."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from consilience.cli import say
from consilience.cli.databases import chosen, in_database, of_project
from consilience.errors import UsageError, quote, unknown

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
    "--at",
    "home",
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
    consilience label --database study.db Ann --new --at https://bench.example.org
    consilience label --database study.db --revoke Ben
    consilience label --database study.db
    """
    from consilience.store.connect import open_database

    start = _home(home)
    db = open_database(where, create=False)
    try:
        project = chosen(db, name)
        gone = [_revoked(db, project, one) for one in dict.fromkeys(revoke)]
        links = [
            {"name": who, "link": f"{start}/w/{secret}"}
            for who, secret in _secrets(db, project, names, new)
        ]
        result: dict[str, Any] = {
            "verb": "label",
            "project": {"slug": project.slug, "name": project.name},
            "links": links,
            "revoked": gone,
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


def _home(given: str) -> str:
    """See that links can begin with an address; give it without a slash at its end."""
    parts = urlsplit(given)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise UsageError(f"{quote(given)} is no address of an app (fix: such as {HERE})")
    return given.rstrip("/")


def _secrets(
    db: Database, project: Project, names: tuple[str, ...], new: bool
) -> list[tuple[str, str]]:
    """Make the secrets of links; all names are looked at before the first is made."""
    from consilience.store.people import LABELLING, add_person, new_link, respondents

    known = {one.name: one for one in respondents(db, project) if one.kind in LABELLING}
    wanted = [*dict.fromkeys(name.strip() for name in names)]
    for name in wanted:
        if name in known and known[name].link_hash is not None and not new:
            raise UsageError(
                f"{quote(name)} has a link already (fix: --new gives another one, and the old one "
                "no longer opens)"
            )
    return [
        (name, new_link(db, project, known[name].id))
        if name in known
        else (name, add_person(db, project, name)[1])
        for name in wanted
    ]


def _revoked(db: Database, project: Project, name: str) -> str:
    from consilience.store.people import LABELLING, respondents, revoke_link

    known = {one.name: one.id for one in respondents(db, project) if one.kind in LABELLING}
    if name not in known:
        raise unknown("person", name, [*known])
    revoke_link(db, project, known[name])
    return name


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
