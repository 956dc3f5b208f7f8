"""Databases that stay open from test to test, and hold nothing when a test begins.

What SQLAlchemy has worked out about our statements stays known, as in an app that runs. Rows do
not: a SQLite file is copied anew; in a database of a server all rows are removed, and numbers begin
at 1 again. What a database holds can be kept and put back, too.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import psycopg

from consilience.store.connect import Database
from consilience.store.migrate import HEAD, TABLE
from consilience.store.schema import metadata

_TABLES = [f'"{name}"' for name in metadata.tables]
#: Nobody waits for a test that has left a transaction open; triggers and foreign keys rest.
_BEGIN = "SET LOCAL lock_timeout = '10s'; SET LOCAL session_replication_role = replica;"
_CLEAR = "".join(f"DELETE FROM {table};" for table in _TABLES)
_HEAD = f"UPDATE {TABLE} SET version_num = '{HEAD}';"
#: So many bytes of answers are left by tests with many of them: then the room is given back.
_MUCH = 1 << 20


class Kept(Protocol):
    """A database that stays open."""

    def fresh(self, files: Path) -> Database:
        """Give it without rows; pictures lie in a folder."""

    def state(self, folder: Path) -> Any:
        """Give what it holds; a folder is there for it."""

    def put(self, state: Any) -> None:
        """Let it hold that again."""


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A SQLite file; ``template`` has our tables and no rows."""

    db: Database
    template: Path

    def fresh(self, files: Path) -> Database:
        """Give it without rows; pictures lie in a folder."""
        self.put(self.template)
        return Database(self.db.engine, self.db.where, files)

    def state(self, folder: Path) -> Path:
        """Give what it holds: whoever closes it last writes all of it into the file."""
        self.db.close()
        assert not Path(self.db.where + "-wal").exists()
        return Path(shutil.copy(self.db.where, folder / "state.db"))

    def put(self, state: Path) -> None:
        """Let it hold that again."""
        self.db.close()
        for ending in ("", "-wal", "-shm"):
            Path(self.db.where + ending).unlink(missing_ok=True)
        shutil.copy(state, self.db.where)


@dataclass(slots=True)
class State:
    """What a server's database holds: rows as PostgreSQL gives them, and the numbers to go on."""

    rows: dict[str, bytes] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KeptOnServer:
    """A database of a server; ``conn`` looks after it."""

    db: Database
    conn: psycopg.Connection[Any]

    def fresh(self, files: Path) -> Database:
        """Give it without rows; pictures lie in a folder."""
        self.put(State())
        return Database(self.db.engine, self.db.where, files)

    def state(self, folder: Path) -> State:
        """Give what it holds."""
        found = State(numbers=self._numbers())
        with self.conn.cursor() as cursor:
            for table in _TABLES:
                with cursor.copy(f"COPY {table} TO STDOUT (FORMAT binary)") as copy:
                    found.rows[table] = b"".join(bytes(piece) for piece in copy)
        return found

    def put(self, state: State) -> None:
        """Let it hold that again."""
        with self.conn.transaction(), self.conn.cursor() as cursor:
            cursor.execute(_BEGIN + _CLEAR + _HEAD)
            for table, rows in state.rows.items():
                with cursor.copy(f"COPY {table} FROM STDIN (FORMAT binary)") as copy:
                    copy.write(rows)
            for name in {**self._numbers(), **state.numbers}:
                last = state.numbers.get(name)
                cursor.execute("SELECT setval(%s, %s, %s)", (name, last or 1, last is not None))
        left = self.conn.execute("SELECT pg_relation_size('answer')").fetchone()
        if left is not None and left[0] > _MUCH:
            self.conn.execute("VACUUM")

    def _numbers(self) -> dict[str, int]:
        """Give the last number of every sequence that has given one."""
        return dict(
            self.conn.execute(
                "SELECT sequencename, last_value FROM pg_sequences WHERE last_value IS NOT NULL"
            ).fetchall()
        )
