"""The form of an archive: one .zip that holds everything of a project.

It holds ``manifest.json``, a file of JSON lines for every table (``tables/answer.jsonl``) and the
pictures by their hash (``files/<sha256>``). A line is a row. Rows are numbered from 1 in the order
of the lines, and a column that refers to another table holds the number of a row there: so an
archive fits into any database, whatever is in it already. What is null, and a flag that is not set,
is left out of a line.

Three columns are never written: the hash of a person's link, the key under which an answer was sent
and the time until which a task is lent. They mean something to one database only. Nor is anything
of the table of settings, where the secret of sessions is.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import sqlalchemy as sa

from consilience.store import schema as s

#: What the manifest calls the format, and the version of it that is written.
FORMAT, VERSION = "consilience archive", 1
#: The member that tells what the others are.
MANIFEST = "manifest.json"
#: The tables in the order in which they are written and read: a row refers to earlier tables.
TABLES: tuple[sa.Table, ...] = (
    *(s.project, s.file, s.source, s.respondent, s.voice, s.query, s.item, s.posed, s.asked),
    *(s.tree, s.category, s.category_parent, s.answer, s.task, s.assignment, s.result),
)
#: Columns that mean something to one database only.
LEFT_OUT = ("respondent.link_hash", "answer.key", "assignment.leased_until")

#: What a column can hold.
Kind: TypeAlias = Literal["whole", "large", "number", "flag", "text", "data"]

_TABLE = re.compile(r"tables/([a-z_]+)\.jsonl")
_PICTURE = re.compile(r"files/([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Field:
    """A column as an archive has it; ``refers`` names the table that its numbers are rows of."""

    name: str
    kind: Kind
    needed: bool
    refers: str | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A file of an archive: its size and hash; of a table also how many rows it has."""

    name: str
    bytes: int
    sha256: str
    rows: int | None = None

    def told(self) -> dict[str, Any]:
        """Give it as the manifest has it."""
        told: dict[str, Any] = {"name": self.name, "bytes": self.bytes, "sha256": self.sha256}
        return told if self.rows is None else told | {"rows": self.rows}


def key_of(table: sa.Table) -> sa.Column[Any] | None:
    """Give the column that numbers a table's rows; None where nothing does."""
    key = [column for column in table.primary_key if isinstance(column.type, sa.Integer)]
    return key[0] if len(table.primary_key) == 1 and key else None


@functools.cache
def fields_of(table: sa.Table) -> tuple[Field, ...]:
    """List the columns of a table that an archive holds.

    Examples
    --------
    >>> [(field.name, field.kind, field.refers) for field in fields_of(s.voice)][:3]
    [('source_id', 'whole', 'source'), ('place', 'whole', None), ('respondent_id', ...)]
    """
    return tuple(
        _field(column)
        for column in table.c
        if column is not key_of(table)
        and column.name != "project_id"
        and f"{table.name}.{column.name}" not in LEFT_OUT
    )


def _field(column: sa.Column[Any]) -> Field:
    kinds: tuple[tuple[Any, Kind], ...] = (
        (sa.Boolean, "flag"),
        (sa.BigInteger, "large"),
        (sa.Integer, "whole"),
        (sa.Double, "number"),
        (sa.Text, "text"),
        (sa.JSON, "data"),
    )
    kind = next(name for type_, name in kinds if isinstance(column.type, type_))
    refers = [key.column.table.name for key in column.foreign_keys]
    numbered = refers and refers[0] != "file"  # files are known by their hash
    return Field(column.name, kind, not column.nullable, refers[0] if numbered else None)


def table_member(table: sa.Table) -> str:
    """Name the member that holds a table."""
    return f"tables/{table.name}.jsonl"


def picture_member(sha256: str) -> str:
    """Name the member that holds a picture."""
    return f"files/{sha256}"


def picture_of(member: str) -> str | None:
    """Give the hash of the picture that a member is; None where it is none."""
    found = _PICTURE.fullmatch(member)
    return None if found is None else found[1]


def is_member(name: str) -> bool:
    """Tell whether an archive may hold a file of this name, the manifest aside.

    Examples
    --------
    >>> is_member("tables/answer.jsonl"), is_member("tables/../answer.jsonl"), is_member("/x")
    (True, False, False)
    """
    found = _TABLE.fullmatch(name)
    known = found is not None and any(table.name == found[1] for table in TABLES)
    return known or picture_of(name) is not None
