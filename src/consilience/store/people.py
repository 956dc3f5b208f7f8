"""Who answers: systems, people, language models, gold; and the links by which people come in.

A link holds a secret of 256 bits. The database keeps its hash alone: whoever reads the database
cannot come in by it.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from consilience.errors import UsageError, quote, unknown
from consilience.formats.rows import KINDS
from consilience.store import schema as s
from consilience.store.bulk import storable
from consilience.store.connect import now, reading, writing
from consilience.store.projects import Project, checked_name, lock, project_of

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Row
    from sqlalchemy.sql import ColumnElement

    from consilience.formats.rows import Kind
    from consilience.store.connect import Database

#: The longest name of a respondent, in bytes: PostgreSQL's indexes hold no longer ones.
LONGEST = 2000
#: Those who can be given a link.
LABELLING: tuple[Kind, ...] = ("person", "llm")


@dataclass(frozen=True, slots=True)
class Respondent:
    """Somebody who answers; ``seed`` orders what they see.

    ``link_hash`` is the hash of their link's secret, None where no link is out.
    """

    id: int
    name: str
    kind: Kind
    family: str | None
    created: str
    link_hash: str | None = field(repr=False)
    seed: int


def respondents(db: Database, project: Project) -> list[Respondent]:
    """List all who answer or may, in the order in which they came."""
    with reading(db) as conn:
        here = s.respondent.c.project_id == project.id
        rows = conn.execute(s.respondent.select().where(here).order_by(s.respondent.c.id))
        return [_respondent(row) for row in rows]


def respondent(db: Database, project: Project, respondent_id: int) -> Respondent:
    """Fetch one of a project's respondents."""
    with reading(db) as conn:
        return _respondent(_one(conn, project, respondent_id))


def add_person(
    db: Database, project: Project, name: str, kind: Kind = "person"
) -> tuple[Respondent, str]:
    """Let somebody label: a person, or a language model that saves labels as a person does.

    Returns
    -------
    tuple
        Who it is, and the secret of the link, which cannot be read again.

    Examples
    --------
    >>> import tempfile
    >>> from consilience.store.connect import open_database
    >>> from consilience.store.projects import make_project
    >>> db = open_database(tempfile.mkdtemp() + "/benchmark.db")
    >>> project = make_project(db, "Photos")
    >>> ann, secret = add_person(db, project, "Ann")
    >>> person_of(db, secret)[1] == ann, person_of(db, "guessed")
    (True, None)
    >>> db.close()
    """
    if kind not in LABELLING:
        raise unknown("kind of person", kind, LABELLING)
    with writing(db) as conn:
        lock(conn, project.id)
        return _add_person(conn, project, name, kind)


def add_people(
    db: Database, project: Project, names: Iterable[str]
) -> tuple[list[tuple[Respondent, str]], dict[str, str]]:
    r"""Let several people label; who cannot be added keeps nobody else out.

    Returns
    -------
    tuple
        Who they are, each with the secret of their link; and by name why others were refused.

    Examples
    --------
    >>> import tempfile
    >>> from consilience.store.connect import open_database
    >>> from consilience.store.projects import make_project
    >>> db = open_database(tempfile.mkdtemp() + "/benchmark.db")
    >>> project = make_project(db, "Photos")
    >>> made, refused = add_people(db, project, ["Ann", "Be\tn", "Cem"])
    >>> [one.name for one, _ in made], [*refused]
    (['Ann', 'Cem'], ['Be\tn'])
    >>> db.close()
    """
    made, refused = list[tuple[Respondent, str]](), dict[str, str]()
    with writing(db) as conn:
        lock(conn, project.id)
        for name in dict.fromkeys(names):
            try:
                made.append(_add_person(conn, project, name, "person"))
            except UsageError as error:  # found before anything is written
                refused[name] = str(error)
    return made, refused


def _add_person(
    conn: Connection, project: Project, name: str, kind: Kind
) -> tuple[Respondent, str]:
    called, secret = checked_name(name, "person"), secrets.token_urlsafe(32)
    here = (s.respondent.c.project_id == project.id) & (s.respondent.c.name == called)
    found = conn.execute(s.respondent.select().where(here)).all()
    if any(row.kind != "system" for row in found):
        fix = "give them a new link, or choose another name"
        raise UsageError(f"{quote(called)} is in this project already (fix: {fix})")
    values = {"link_hash": _hash(secret), **_new(project.id, called, kind)}
    row = conn.execute(s.respondent.insert().values(values).returning(s.respondent)).one()
    return _respondent(row), secret


def change_links(
    db: Database,
    project: Project,
    names: Iterable[str],
    *,
    again: bool = False,
    revoke: Iterable[str] = (),
) -> dict[str, str]:
    """Take links back, then make links by name: all of them, or where one cannot be none.

    Parameters
    ----------
    names
        Who gets a link; who is new is added as a person.
    again
        Whether those who have a link get a new one; the old one is no longer good.
    revoke
        Whose links are taken back.

    Returns
    -------
    dict
        The secrets of the new links by name.

    Examples
    --------
    >>> import tempfile
    >>> from consilience.store.connect import open_database
    >>> from consilience.store.projects import make_project
    >>> db = open_database(tempfile.mkdtemp() + "/benchmark.db")
    >>> project = make_project(db, "Photos")
    >>> change_links(db, project, ["Ann", ""])
    Traceback (most recent call last):
    consilience.errors.UsageError: the name of a person is empty (fix: give it one)
    >>> respondents(db, project)
    []
    >>> [*change_links(db, project, ["Ann", "Ben"])]
    ['Ann', 'Ben']
    >>> db.close()
    """
    with writing(db) as conn:
        lock(conn, project.id)
        c = s.respondent.c
        those = (c.project_id == project.id) & c.kind.in_(LABELLING)
        known = {row.name: row for row in conn.execute(s.respondent.select().where(those))}
        gone = dict.fromkeys(revoke)
        for name in gone:
            if name not in known:
                raise unknown("person", name, [*known])
            _put_link(conn, known[name].id, None)
        made: dict[str, str] = {}
        for name in dict.fromkeys(one.strip() for one in names):
            row = known.get(name)
            if row is None:
                made[name] = _add_person(conn, project, name, "person")[1]
                continue
            if row.link_hash is not None and name not in gone and not again:
                raise UsageError(
                    f"{quote(name)} has a link already (fix: --new gives another one, and the old "
                    "one no longer opens)"
                )
            made[name] = secrets.token_urlsafe(32)
            _put_link(conn, row.id, _hash(made[name]))
    return made


def new_link(db: Database, project: Project, respondent_id: int) -> str:
    """Give somebody a new link; the old one is no longer good."""
    secret = secrets.token_urlsafe(32)
    _set_link(db, project, respondent_id, _hash(secret))
    return secret


def revoke_link(db: Database, project: Project, respondent_id: int) -> None:
    """Take somebody's link back; what they said stays."""
    _set_link(db, project, respondent_id, None)


def _set_link(db: Database, project: Project, respondent_id: int, digest: str | None) -> None:
    with writing(db) as conn:
        found = _one(conn, project, respondent_id)
        if found.kind not in LABELLING:
            fix = "give links to people and language models"
            raise UsageError(f"{quote(found.name)} is of kind {found.kind} (fix: {fix})")
        _put_link(conn, respondent_id, digest)


def _put_link(conn: Connection, respondent_id: int, digest: str | None) -> None:
    here = s.respondent.c.id == respondent_id
    conn.execute(s.respondent.update().where(here).values(link_hash=digest))


def person_of(db: Database, secret: str) -> tuple[Project, Respondent] | None:
    """Tell who comes in by a link; None where the link is not good."""
    return _whose(db, s.respondent.c.link_hash == _hash(secret))


def person_by_id(db: Database, respondent_id: int) -> tuple[Project, Respondent] | None:
    """Find somebody, and their project, by their number; None where nobody has it."""
    return _whose(db, s.respondent.c.id == respondent_id)


def _whose(db: Database, here: ColumnElement[bool]) -> tuple[Project, Respondent] | None:
    with reading(db) as conn:
        row = conn.execute(s.respondent.select().where(here)).first()
        return None if row is None else (project_of(conn, row.project_id), _respondent(row))


def respondent_ids(
    conn: Connection, project_id: int, who: list[tuple[str, Kind, str | None]]
) -> list[int]:
    """Give the numbers of respondents by name, kind and family; who is new is added."""
    storable([name for name, _, _ in who], "respondent")
    for name, _, _ in who:
        if len(name.encode()) > LONGEST:
            fix = f"use at most {LONGEST:,} bytes"
            raise UsageError(f"the name of a respondent is too long: {quote(name)} (fix: {fix})")
    c = s.respondent.c
    statement = sa.select(c.name, c.kind, c.id).where(c.project_id == project_id)
    known = {(name, kind): number for name, kind, number in conn.execute(statement)}
    for name, kind, family in who:
        if (name, kind) not in known:
            values = {**_new(project_id, name, kind), "family": family}
            added = conn.execute(s.respondent.insert().values(values).returning(c.id))
            known[name, kind] = added.scalar_one()
    return [known[name, kind] for name, kind, _ in who]


def _new(project_id: int, name: str, kind: Kind) -> dict[str, Any]:
    assert kind in KINDS
    seed = secrets.randbits(31)
    return {"project_id": project_id, "name": name, "kind": kind, "created": now(), "seed": seed}


def _one(conn: Connection, project: Project, respondent_id: int) -> Row[Any]:
    here = (s.respondent.c.project_id == project.id) & (s.respondent.c.id == respondent_id)
    found = conn.execute(s.respondent.select().where(here)).first()
    if found is None:
        raise UsageError(f"the project has no respondent {respondent_id} (fix: choose one of it)")
    return found


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _respondent(row: Row[Any]) -> Respondent:
    about = (row.name, row.kind, row.family, row.created)
    return Respondent(row.id, *about, row.link_hash, row.seed)
