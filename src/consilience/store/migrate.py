"""Bring a database's tables up to date, from any earlier revision, without losing a row.

Tables are changed by Alembic's operations, in one transaction, by one program at a time. Alembic is
imported only where there is something to change. SQLite rewrites a table to change it, which would
take the rows that refer to it along: foreign keys are off meanwhile and looked over afterwards. Its
triggers would go, too, and are made again. A SQLite file that holds projects is copied before it is
changed.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from consilience.errors import ConsilienceError, UsageError
from consilience.store.connect import PATIENCE, Database, rewriting

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

#: The revision that this program works with.
HEAD = "0001"
#: Where changes are kept, one file a revision.
VERSIONS = Path(__file__).parent / "migrations" / "versions"
#: The table that tells a database's revision.
TABLE = "schema_version"
#: Tables that tell our databases from others, in all revisions: others may count versions, too.
_OURS = {TABLE, "setting", "project"}
#: The number of the lock that programs take which change tables of one server.
_LOCK = 0x436F6E73


def bring_up_to_date(
    db: Database, *, head: str | None = None, versions: Path | None = None
) -> None:
    """Change a database's tables where they are not up to date.

    Parameters
    ----------
    db
        The database.
    head, versions
        The revision to reach and the folder of revisions, where they are not the program's own.

    Raises
    ------
    UsageError
        Where it was made by a later Consilience, or is not Consilience's.
    """
    head, versions = head or HEAD, versions or VERSIONS
    if db.is_sqlite:
        _write_ahead(db)
    with db.engine.connect() as conn:
        found = revision(conn)
        if found == head:
            return
        _check(db, conn, found, head, versions)
    with _alone(db) as conn:
        found = revision(conn)  # another program may have been quicker
        if found != head:
            _check(db, conn, found, head, versions)
            _keep_copy(db, conn, found, head)
            triggers = _triggers(conn)
            _change(conn, found, head, versions)
            there = _triggers(conn)
            for lost in (one for name, one in triggers.items() if name not in there):
                conn.exec_driver_sql(lost)
            _look_over(db, conn)


def revision(conn: Connection) -> str | None:
    """Tell the revision of a database's tables; None where it has none of ours."""
    if _OURS - {*sa.inspect(conn).get_table_names()}:
        return None
    found: str | None = conn.exec_driver_sql(f"SELECT version_num FROM {TABLE}").scalar()
    return found


def _check(db: Database, conn: Connection, found: str | None, head: str, versions: Path) -> None:
    """Refuse what this program cannot change."""
    if found is None:
        others = sa.inspect(conn).get_table_names()
        if others:
            raise UsageError(
                f"{db.where}: this database is not Consilience's: it holds the table "
                f"{others[0]!r} (fix: name a new file, or an empty database)"
            )
    elif not any(versions.glob(f"{found}_*.py")):
        raise UsageError(
            f"{db.where}: this database was made by a later Consilience: its tables have revision "
            f"{found}, and this program knows them up to {head} (fix: install a later version)"
        )


def _write_ahead(db: Database) -> None:
    """Turn a file to its write-ahead log; the switch does not wait for others by itself."""
    until = time.monotonic() + PATIENCE
    with db.engine.connect() as conn:
        plain = conn.connection.driver_connection
        assert plain is not None
        while True:
            try:
                plain.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.DatabaseError as error:
                if "locked" in str(error) and time.monotonic() < until:
                    time.sleep(0.02)
                    continue
                raise UsageError(
                    f"{db.where}: cannot be opened: {error} (fix: check the file and its rights)"
                ) from None


@contextmanager
def _alone(db: Database) -> Iterator[Connection]:
    """Change tables in one transaction, while no other program does."""
    with rewriting(db) as conn:
        if db.is_sqlite:  # triggers of other tables do not see that one is away for a moment
            conn.exec_driver_sql("PRAGMA legacy_alter_table = ON")
        else:
            conn.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
        yield conn


def _keep_copy(db: Database, conn: Connection, found: str | None, head: str) -> None:
    """Copy a SQLite file that holds projects: ``<name>.before-<revision>``."""
    if not db.is_sqlite or found is None:
        return
    if not conn.exec_driver_sql("SELECT count(*) FROM project").scalar():
        return
    path = Path(str(db.engine.url.database))
    kept = path.with_name(f"{path.name}.before-{head}")
    aside = kept.with_name(f".{kept.name}.part")
    aside.unlink(missing_ok=True)
    try:
        aside.touch(0o600)
        with closing(sqlite3.connect(path)) as old, closing(sqlite3.connect(aside)) as new:
            old.backup(new)
            new.execute("PRAGMA journal_mode = DELETE")
        aside.replace(kept)
    except (OSError, sqlite3.Error) as error:
        aside.unlink(missing_ok=True)
        raise ConsilienceError(
            f"{kept}: the copy of the database before its tables change cannot be written: {error} "
            "(fix: make room beside the database)"
        ) from None


def _triggers(conn: Connection) -> dict[str, str]:
    """Give SQLite's triggers: they go with a table that is rewritten, and are made again.

    A revision that wants another one gives it the same name.
    """
    if conn.dialect.name != "sqlite":
        return {}
    made = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
    return {row.name: row.sql for row in conn.exec_driver_sql(made)}


def _change(conn: Connection, found: str | None, head: str, versions: Path) -> None:
    """Run the revisions that a database lacks."""
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    from consilience.store.schema import metadata

    scripts = ScriptDirectory(str(versions.parent), version_locations=[str(versions)])
    lacking = [*scripts.iterate_revisions(head, found or "base")]
    context = MigrationContext.configure(
        conn, opts={"version_table": TABLE, "target_metadata": metadata}
    )
    with Operations.context(context):
        for script in reversed(lacking):
            script.module.upgrade()
    context.stamp(scripts, head)


def _look_over(db: Database, conn: Connection) -> None:
    """See that every row still refers to one that is there."""
    if not db.is_sqlite:
        return
    lost = conn.exec_driver_sql("PRAGMA foreign_key_check").first()
    if lost is not None:
        raise ConsilienceError(
            f"{db.where}: not changed: rows of {lost[0]} refer to rows of {lost[2]} that are not "
            "there (fix: use a copy of the database that is whole)"
        )
