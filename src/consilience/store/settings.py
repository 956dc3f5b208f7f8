"""What a database knows of itself; none of it is ever exported."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import sqlalchemy as sa

from consilience.store import schema as s
from consilience.store.connect import SECRETS, reading, take_turn, writing

if TYPE_CHECKING:
    from consilience.store.connect import Database


def secret(db: Database) -> str:
    """Give the secret that sessions are signed with: 256 bits, made once, the same ever after.

    Examples
    --------
    >>> import tempfile
    >>> from consilience.store.connect import open_database
    >>> db = open_database(tempfile.mkdtemp() + "/benchmark.db")
    >>> secret(db) == secret(db)
    True
    >>> db.close()
    """
    here = sa.select(s.setting.c.value).where(s.setting.c.name == "secret")
    with reading(db) as conn:
        found = conn.execute(here).scalar()
    if found is not None:
        return str(found)
    with writing(db) as conn:
        take_turn(conn, SECRETS)  # another program may be making one
        found = conn.execute(here).scalar()
        if found is None:
            found = secrets.token_urlsafe(32)
            conn.execute(s.setting.insert().values(name="secret", value=found))
    return str(found)
