"""Open a benchmark database: a SQLite file, or PostgreSQL by its URL.

SQLite's defaults lose writes when several people save at once. Here a writer says so when its
transaction begins (``BEGIN IMMEDIATE``), waits for its turn, and is on the disk before it is
acknowledged (write-ahead log, ``synchronous=FULL``).
"""

from __future__ import annotations

import itertools
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DataError,
    DisconnectionError,
    NoSuchModuleError,
    TimeoutError,
)

from consilience.errors import ConsilienceError, UsageError, quote
from consilience.formats.pipes import is_stream
from consilience.store.drives import check_drive
from consilience.store.protect import identity

if TYPE_CHECKING:
    from sqlalchemy.engine import URL, Connection, Engine, ExceptionContext
    from sqlalchemy.pool import ConnectionPoolEntry

#: How long a writer waits for another one, in seconds; how long a server may take to answer.
PATIENCE, ANSWER = 30, 10
_SQLITE = b"SQLite format 3\0"
_PRAGMAS = (
    f"PRAGMA busy_timeout = {PATIENCE * 1000}",
    "PRAGMA foreign_keys = ON",
    "PRAGMA synchronous = FULL",
    "PRAGMA cache_size = -65536",
)
#: As many connections as a web server has threads: nobody waits for one.
_POOL: dict[str, int] = {"pool_size": 10, "max_overflow": 30}
_SERVERS = ("postgresql", "postgres", "postgresql+psycopg")
#: Parts of a URL that no message repeats.
_SECRET = ("password", "sslpassword", "passfile", "oauth_client_secret", "scram_client_key")
#: What a server says of itself, not of our statements: it is gone, full, corrupt or only read, the
#: user or the database is not known, a right or a schema is missing (SQLSTATE).
_OUTSIDE = ("08", "28", "3D", "3F", "53", "57", "58", "XX", "25006", "42501")
#: Those that say of a user that more must be allowed.
_RIGHTS = ("42501", "3F000")
#: The numbers of locks: of those who choose a project's slug, of those who make the secret.
SLUGS, SECRETS = 0x436F6E74, 0x436F6E75
_opened = itertools.count(1)


class UnavailableError(ConsilienceError):
    """The database is busy, full, damaged, gone or closed to this; the same may go well later.

    The message names the place, as whoever runs the program needs it: it is not for everybody.
    """


@dataclass(frozen=True, slots=True)
class Database:
    """An open database; ``where`` is its path, or its URL without the password.

    ``files`` is the folder where pictures lie, None where a server was given no folder. ``id``
    tells open databases apart, whatever they are called: what is kept in memory is kept by it.
    """

    engine: Engine
    where: str
    files: Path | None
    id: int = field(default_factory=lambda: next(_opened))

    @property
    def is_sqlite(self) -> bool:
        """Whether it is a SQLite file."""
        return self.engine.dialect.name == "sqlite"

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def open_database(where: str | Path, *, files: Path | None = None, create: bool = True) -> Database:
    """Open a database; make it, or bring its tables up to date, where need be.

    Parameters
    ----------
    where
        The path of a SQLite file, or ``postgresql://user@host/database``.
    files
        Where pictures lie; by default beside a SQLite file, in ``<file>.files``.
    create
        Whether a missing SQLite file is made.

    Raises
    ------
    UsageError
        Where it cannot be opened, is somebody else's, was made by a later Consilience, or is a
        SQLite file on a network drive.

    Examples
    --------
    >>> import tempfile
    >>> db = open_database(Path(tempfile.mkdtemp()) / "benchmark.db")
    >>> with reading(db) as conn:
    ...     conn.exec_driver_sql("SELECT count(*) FROM project").scalar()
    0
    >>> db.close()
    """
    from consilience.store.migrate import bring_up_to_date

    if isinstance(where, str) and "://" in where:
        db = _server(where, files)
    else:
        db = _file(Path(where), files, create)
    sa.event.listen(db.engine, "handle_error", _refused)
    try:
        bring_up_to_date(db)
    except DatabaseError as error:
        db.close()
        if not _is_outside(db, error):
            raise
        raise _unopened(db, error) from None
    except ConsilienceError:
        db.close()
        raise
    return db


@contextmanager
def reading(db: Database) -> Iterator[Connection]:
    """Read in one transaction: everything is as it was at one moment."""
    options: dict[str, Any] = {}
    if not db.is_sqlite:
        options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
    with _told(db), db.engine.connect().execution_options(**options) as conn, conn.begin():
        yield conn


@contextmanager
def writing(db: Database) -> Iterator[Connection]:
    """Write in one transaction: all of it is kept, or nothing."""
    with _told(db), db.engine.connect().execution_options(writing=True) as conn, conn.begin():
        yield conn


@contextmanager
def rewriting(db: Database) -> Iterator[Connection]:
    """Write in one transaction, without SQLite's foreign keys: the caller leaves none broken."""
    with _told(db), db.engine.connect().execution_options(writing=True) as conn:
        if db.is_sqlite:
            plain = conn.connection.driver_connection
            assert plain is not None
            plain.execute("PRAGMA foreign_keys = OFF")  # does nothing once a transaction has begun
        try:
            with conn.begin():
                yield conn
        finally:
            conn.invalidate()  # the next one has foreign keys


def take_turn(conn: Connection, number: int) -> None:
    """Wait for others who took the same lock, and keep them out until the transaction ends.

    Unlike a lock on a table it stops nobody else; writers of a SQLite file wait for each other
    anyway.
    """
    if conn.dialect.name != "sqlite":
        conn.exec_driver_sql(f"SELECT pg_advisory_xact_lock({number})")


def now() -> str:
    """Give the time as the tables have it.

    Examples
    --------
    >>> len(now()), now()[-1]
    (24, 'Z')
    """
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@contextmanager
def _told(db: Database) -> Iterator[None]:
    """Say in plain words that the database is busy, full, damaged, gone or not open to this."""
    try:
        yield
    except TimeoutError:
        raise UnavailableError(f"{db.where}: all connections are in use (fix: try again)") from None
    except (DatabaseError, db.engine.dialect.loaded_dbapi.DatabaseError) as error:
        if not _is_outside(db, error):
            raise
        fix = _remedy(db, error)
        said = f"{db.where}: {_reason(db, error)}"
        raise UnavailableError(f"{said} (fix: {fix})" if fix else said) from error


def _is_outside(db: Database, error: Exception) -> bool:
    """Tell whether what the program runs in is at fault, not one of its statements."""
    driver, told = db.engine.dialect.loaded_dbapi, _plain(error)
    if isinstance(told, driver.OperationalError):
        return True
    if db.is_sqlite:  # its word for a file that is damaged
        return type(told) is sqlite3.DatabaseError
    state: str | None = getattr(told, "sqlstate", None)
    if state is None:  # the driver refuses to connect in this way
        return isinstance(error, DatabaseError) and error.statement is None
    return state.startswith(_OUTSIDE)


def _plain(error: Exception) -> BaseException:
    """Give the driver's own error."""
    told = error.orig if isinstance(error, DatabaseError) else error
    return error if told is None else told


def _remedy(db: Database, error: Exception) -> str | None:
    """Say what helps, where that is known."""
    told = _plain(error)
    if db.is_sqlite:
        damaged = type(told) is sqlite3.DatabaseError
        return "use a copy of the file that is whole" if damaged else None
    if getattr(told, "sqlstate", None) not in _RIGHTS:
        return None
    user = db.engine.url.username or "this user"
    statement = error.statement if isinstance(error, DatabaseError) else None
    if (statement or "").lstrip().startswith("CREATE"):
        return (
            f"let the owner of the database run GRANT CREATE ON SCHEMA public TO {user}, or open "
            "it once and grant rights on the tables"
        )
    return (
        f"let the owner of the tables run GRANT ALL ON ALL TABLES IN SCHEMA public TO {user}, and "
        "the same for ALL SEQUENCES"
    )


def _refused(context: ExceptionContext) -> UsageError | None:
    """Say in plain words that a number is too large or a text no text, such as in an address."""
    odd = isinstance(context.original_exception, (OverflowError, UnicodeEncodeError))
    if odd or isinstance(context.sqlalchemy_exception, DataError):
        return UsageError(
            "a number or a text is none that a database can hold (fix: use smaller numbers, and "
            "text without NUL characters)"
        )
    return None


def _reason(db: Database, error: Exception) -> str:
    """Say why something failed, in one line and without a password."""
    said = str(_plain(error))
    if "database is locked" in said:
        return f"another program has been writing for {PATIENCE} seconds (fix: try again)"
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    reason = lines[0] if lines else type(error).__name__
    url = db.engine.url
    for secret in (url.password, *(url.query.get(name) for name in _SECRET)):
        reason = reason.replace(str(secret), "***") if secret else reason
    return reason


def _unopened(db: Database, error: DatabaseError) -> UsageError:
    reason, remedy = _reason(db, error), _remedy(db, error)
    if remedy is not None and not db.is_sqlite:
        return UsageError(f"{db.where}: cannot be opened: {reason} (fix: {remedy})")
    if db.is_sqlite:
        fix = "check the file and its rights"
        return UsageError(f"{db.where}: cannot be opened: {reason} (fix: {fix})")
    fix = "check the address, and that the server runs and knows this user and database"
    return UsageError(f"{db.where}: the server cannot be reached: {reason} (fix: {fix})")


def _file(path: Path, files: Path | None, create: bool) -> Database:
    """See that a file is a SQLite database, or may become one."""
    name = str(path)
    if not _names_file(name):
        raise UsageError(f"{quote(name)} is not the name of a file (fix: name one)")
    whole = Path(os.path.realpath(path))  # what a link points to: its pictures lie beside it
    check_drive(whole)
    try:
        _check_file(whole, name, create)
    except OSError as error:
        raise UsageError(
            f"{name}: cannot be opened: {error.strerror} (fix: check its rights)"
        ) from None
    engine = sa.create_engine(sa.URL.create("sqlite", database=str(whole)), **_POOL)
    sa.event.listen(engine, "do_connect", partial(_check_there, whole))
    sa.event.listen(engine, "connect", partial(_noted, whole))
    sa.event.listen(engine, "connect", _connected)
    sa.event.listen(engine, "checkout", partial(_check_same, whole))
    sa.event.listen(engine, "begin", _begun)
    folder = whole.with_name(whole.name + ".files") if files is None else files
    return Database(engine, name, folder)


def _names_file(name: str) -> bool:
    """Tell whether a file can be called so; SQLite's names for memory and its URIs are none."""
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return False
    return "\0" not in name and not name.startswith((":memory:", "file:"))


def _check_file(path: Path, name: str, create: bool) -> None:
    if path.is_dir():
        raise UsageError(f"{name}: this is a folder (fix: name a file in it)")
    if is_stream(name):
        found = "this is a device or a pipe, and a database is a file on a disk"
        raise UsageError(f"{name}: {found} (fix: name a file)")
    if not path.parent.is_dir():
        fix = "make it, or name a file in another one"
        raise UsageError(f"{name}: the folder {path.parent} is missing (fix: {fix})")
    if not path.exists():
        if not create:
            raise UsageError(f"{name}: there is no such database (fix: check the name)")
        path.touch(0o600)  # for its owner's eyes; another program may be making it, too
        return
    with path.open("r+b") as stream:
        head = stream.read(len(_SQLITE))
    if head and head != _SQLITE:
        fix = "name a new file, or a database that Consilience made"
        raise UsageError(f"{name}: this is no SQLite database (fix: {fix})")


def _check_there(path: Path, *_: object) -> None:
    """Refuse to connect to a file that was removed: SQLite would make an empty one."""
    if identity(path) is None:
        raise sqlite3.OperationalError("the file is not there any more")


def _noted(path: Path, _: sqlite3.Connection, record: ConnectionPoolEntry) -> None:
    record.info["file"] = identity(path)


def _check_same(path: Path, _: object, record: ConnectionPoolEntry, __: object) -> None:
    """Let go of a connection to a file that was removed, or that another one has replaced.

    What is written there nobody finds again.
    """
    if record.info.get("file") != identity(path):
        raise DisconnectionError


def _connected(connection: sqlite3.Connection, _: object) -> None:
    connection.isolation_level = None  # transactions begin where we say so
    for pragma in _PRAGMAS:
        connection.execute(pragma)


def _begun(conn: Connection) -> None:
    writes = conn.get_execution_options().get("writing", False)
    conn.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _server(where: str, files: Path | None) -> Database:
    """Take PostgreSQL's URL."""
    try:
        url = sa.make_url(where)
    except (ArgumentError, ValueError):
        fix = "write postgresql://user:password@host/database"
        raise UsageError(f"the URL of the database cannot be read (fix: {fix})") from None
    shown = _without_secrets(url)
    if url.drivername not in _SERVERS:
        found = f"{shown}: {quote(url.drivername)} is no kind of database known here"
        raise UsageError(f"{found} (fix: name a file, or postgresql://user@host/database)")
    try:
        engine = sa.create_engine(
            url.set(drivername="postgresql+psycopg"),
            **_POOL,
            pool_pre_ping=True,  # the server may have been started anew
            connect_args={} if "connect_timeout" in url.query else {"connect_timeout": ANSWER},
        )
    except (ImportError, NoSuchModuleError):
        found = f"{shown}: PostgreSQL's driver is not installed"
        fix = "pip install '.[postgres]' in a checkout of Consilience"
        raise UsageError(f"{found} (fix: {fix})") from None
    driver: Any = engine.dialect.loaded_dbapi
    known = {option.keyword.decode() for option in driver.pq.Conninfo.get_defaults()}
    for name in url.query:  # the driver would take others for arguments of its own
        if name not in known:
            found = f"{shown}: PostgreSQL knows no option {quote(name)} of a URL"
            raise UsageError(f"{found} (fix: one such as connect_timeout or sslmode)")
    return Database(engine, shown, files)


def _without_secrets(url: URL) -> str:
    plain = url.difference_update_query(_SECRET)
    return plain.render_as_string(hide_password=True)
