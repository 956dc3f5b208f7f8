"""Results of a project: kept with what was asked, found again while nothing has changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from consilience.errors import UsageError, quote
from consilience.store import schema as s
from consilience.store.bulk import inserting
from consilience.store.connect import now, reading, writing
from consilience.store.projects import lock

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection, Row

    from consilience.store.connect import Database
    from consilience.store.projects import Project

#: How many results a page lists.
PAGE = 50
#: How many answers to one question stay, and how many results in all, where nobody keeps them.
STAY, LOOSE = 5, 50
_MOST = 2**63


@dataclass(frozen=True, slots=True)
class Kept:
    """A stored result.

    ``version`` is that of the project when it was computed, ``kept`` tells that somebody wants it
    to stay; ``payload`` is the result as it was given, empty in lists (:mod:`.reports`).
    """

    id: str
    verb: str
    settings: Mapping[str, Any]
    version: int
    seed: int | None
    made_by: str
    created: str
    name: str | None
    kept: bool
    payload: dict[str, Any] = field(repr=False)


def keep_result(
    db: Database,
    project: Project,
    payload: Mapping[str, Any],
    *,
    settings: Mapping[str, Any],
    version: int,
    name: str | None = None,
) -> str:
    """Keep a result; give its id.

    Of the answers to one question (a verb and its settings) the last few stay, of all results of
    a project the last fifty; and those that somebody wants to keep, for which none other is taken.

    Raises
    ------
    ValueError
        Where a number of the result is not finite: JSON has none of these.
    """
    verb, key = str(payload["verb"]), key_of(str(payload["verb"]), settings)
    seed = payload.get("seed")
    values = {
        "id": payload["id"],
        "project_id": project.id,
        "verb": verb,
        "settings": dict(settings),
        "key": key,
        "version": version,
        "input_hash": payload.get("input_hash"),
        "seed": seed if seed is None or seed < _MOST else None,  # the payload has it anyhow
        "made_by": payload["version"],
        "payload": _text(payload),
        "created": now(),
        "name": name,
    }
    c = s.result.c
    mine = (c.project_id == project.id) & (c.key == key)
    with writing(db) as conn:
        lock(conn, project.id)  # who clears results waits for others who do
        insert = inserting(conn, s.result).values(values)
        same = ["project_id", "key", "version"]
        stays = {*same, "name"} if name is None else {*same}
        again = {column: insert.excluded[column] for column in values if column not in stays}
        loose = ~c.kept | (c.id == insert.excluded.id)
        conn.execute(insert.on_conflict_do_update(index_elements=same, set_=again, where=loose))
        here = c.project_id == project.id
        _clear(conn, sa.select(c.number).where(mine, ~c.kept).order_by(-c.version).offset(STAY))
        _clear(conn, sa.select(c.number).where(here, ~c.kept).order_by(-c.number).offset(LOOSE))
    return str(payload["id"])


def latest(db: Database, project: Project, verb: str, settings: Mapping[str, Any]) -> Kept | None:
    """Fetch the newest answer to a question; its ``version`` tells whether it is up to date."""
    c = s.result.c
    here = (c.project_id == project.id) & (c.key == key_of(verb, settings))
    with reading(db) as conn:
        row = conn.execute(s.result.select().where(here).order_by(-c.version).limit(1)).first()
    return None if row is None else _kept(row)


def result(db: Database, id: str, *, project: Project | None = None) -> Kept:
    """Fetch a result by its id; of one project, where that is named."""
    c = s.result.c
    here = c.id == id if project is None else (c.id == id) & (c.project_id == project.id)
    with reading(db) as conn:
        row = conn.execute(s.result.select().where(here).order_by(-c.number).limit(1)).first()
    if row is None:
        raise UsageError(f"no result {quote(id)} is kept here (fix: compute it again)")
    return _kept(row)


def key_of(verb: str, settings: Mapping[str, Any]) -> str:
    """Hash a question: a verb and its settings, in whatever order they stand.

    Examples
    --------
    >>> key_of("rank", {"level": 0.95, "depth": 10}) == key_of("rank", {"depth": 10, "level": 0.95})
    True
    """
    asked = json.dumps([verb, dict(settings)], sort_keys=True, allow_nan=False)
    return hashlib.sha256(asked.encode()).hexdigest()


def _text(payload: Mapping[str, Any]) -> str:
    """Write a result as JSON; halves of characters, which no text can hold, as numbers."""
    text = json.dumps(payload, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(payload, allow_nan=False)
    return text


def _clear(conn: Connection, old: sa.Select[tuple[int]]) -> None:
    """Remove results by their numbers."""
    conn.execute(s.result.delete().where(s.result.c.number.in_([*conn.scalars(old)])))


def _kept(row: Row[Any]) -> Kept:
    about = (row.seed, row.made_by, row.created, row.name, row.kept)
    payload = json.loads(row.payload) if "payload" in row._fields else {}
    return Kept(row.id, row.verb, row.settings or {}, row.version, *about, payload)
