"""The tables of the benchmark database: who was asked what, and every answer as it was given.

Names of items, queries and respondents are kept once per project; answers carry numbers. An answer
is never changed: whoever says something else adds an answer that ``supersedes`` the earlier one. In
a column that a source ``has``, NULL stands for what was not said: NaN, and 0 of a rank or a round.
Times are text in UTC, such as ``2026-11-16T06:33:05.123Z``.

Answers refer to a source, a respondent, a query and items. PostgreSQL would look at a million new
answers one by one; there a trigger looks at all new ones at once. Answers go with their project and
with nothing else: whoever removes a project removes its row first.

The tables are made by migrations alone (:mod:`consilience.store.migrate`); a test sees that these
make what is written here.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    false,
    func,
    text,
)

#: What a source can be: answers, files that were given as truth, labels given in the app.
ROLES = ("answers", "truth", "labels")
#: What an answer can carry beside its item, in the order of the table.
VALUES = ("vote", "grade", "score", "rank", "probability", "round", "category")
#: What an answer refers to, by column.
REFERS = {
    "source_id": "source",
    "respondent_id": "respondent",
    "query_id": "query",
    "item_id": "item",
    "other_id": "item",
    "supersedes": "answer",
}

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

#: Numbers of rows that may be many; SQLite numbers rows by columns called INTEGER alone.
_LARGE = BigInteger().with_variant(Integer, "sqlite")
_JSON = JSON(none_as_null=True)


def _id() -> Column[int]:
    return Column("id", Integer, primary_key=True)


def _of(table: str, name: str = "", **options: Any) -> Column[int]:
    """Give a column that refers to a table: its rows go when what they refer to goes."""
    options = {"nullable": False, **options}
    refers = ForeignKey(f"{table}.id", ondelete="CASCADE")
    return Column(name or f"{table}_id", Integer, refers, **options)


def _text(name: str, **options: Any) -> Column[str]:
    return Column(name, Text, **{"nullable": False, **options})


def _flag(name: str) -> Column[bool]:
    return Column(name, Boolean, nullable=False, default=False, server_default=false())


setting = Table("setting", metadata, _text("name", primary_key=True), _text("value"))

project = Table(
    "project",
    metadata,
    _id(),
    _text("slug", unique=True),
    _text("name"),
    _text("created"),
    Column("version", Integer, nullable=False, default=0, server_default=text("0")),
    Column("task", _JSON),
    sqlite_autoincrement=True,  # numbers are not given twice: studies are kept in memory by them
)

source = Table(
    "source",
    metadata,
    _id(),
    _of("project", index=True),
    _of("source", "first_id", nullable=True, index=True),  # the first table of the same file
    _text("name"),
    _text("role"),
    _text("recognised"),
    _text("why"),
    Column("rows", Integer, nullable=False),
    Column("notes", _JSON),
    Column("columns", _JSON),
    Column("who", _JSON),
    _text("silence"),
    _flag("counted"),
    Column("has", _JSON),
    Column("layout", _JSON),  # how the columns lay in memory: read again, they hash alike
    _text("sha256", nullable=True),
    Column("options", _JSON),
    _text("created"),
    _flag("set_aside"),
    CheckConstraint("role IN ('answers', 'truth', 'labels')", name="role"),
    sqlite_autoincrement=True,
)

respondent = Table(
    "respondent",
    metadata,
    _id(),
    _of("project"),
    _text("name"),
    _text("kind"),
    _text("family", nullable=True),
    _text("created"),
    _text("link_hash", nullable=True, unique=True),
    Column("seed", Integer, nullable=False),
    UniqueConstraint("project_id", "name", "kind"),
    CheckConstraint("kind IN ('system', 'person', 'llm', 'gold')", name="kind"),
)

voice = Table(
    "voice",
    metadata,
    _of("source", primary_key=True),
    Column("place", Integer, primary_key=True),
    _of("respondent", index=True),
    _text("family", nullable=True),
    _text("silence", nullable=True),
)

query = Table(
    "query",
    metadata,
    _id(),
    _of("project"),
    _text("name"),
    _text("text", nullable=True),
    Column("file", Text, ForeignKey("file.sha256")),
)

item = Table(
    "item",
    metadata,
    _id(),
    _of("project"),
    _text("name"),
    _text("text", nullable=True),
    Column("file", Text, ForeignKey("file.sha256")),
    _text("media_type", nullable=True),
)

for _table in (query, item):  # PostgreSQL's indexes hold no long names
    _plain = Index(f"uq_{_table.name}_name", _table.c.project_id, _table.c.name, unique=True)
    _plain.ddl_if(dialect="sqlite")
    _hash = func.md5(_table.c.name)
    _hashed = Index(f"uq_{_table.name}_md5", _table.c.project_id, _hash, unique=True)
    _hashed.ddl_if(dialect="postgresql")
    _given = _table.c.file.is_not(None)
    Index(f"ix_{_table.name}_file", _table.c.file, sqlite_where=_given, postgresql_where=_given)

file = Table(
    "file",
    metadata,
    _text("sha256", primary_key=True),
    _text("media_type"),
    Column("bytes", Integer, nullable=False),
    _text("name"),
    _text("created"),
)

posed = Table(  # the queries of a source, in the order of their numbers there
    "posed",
    metadata,
    _of("source", primary_key=True),
    Column("place", Integer, primary_key=True),
    _of("query", index=True),
)

asked = Table(  # who was asked what and gave no answer
    "asked",
    metadata,
    _of("source", primary_key=True),
    Column("place", Integer, primary_key=True),
    _of("respondent", index=True),
    _of("query", index=True),
)

tree = Table(
    "tree",
    metadata,
    _id(),
    _of("project", index=True),
    _text("name"),
    _flag("dag"),
    _flag("paths"),
    Column("notes", _JSON),
    _text("sha256", nullable=True),
    _text("created"),
    _flag("set_aside"),
)

category = Table(
    "category",
    metadata,
    _id(),
    _of("tree"),
    Column("place", Integer, nullable=False),
    _text("name"),
    UniqueConstraint("tree_id", "place"),
)

category_parent = Table(
    "category_parent",
    metadata,
    _of("category", primary_key=True),
    Column("place", Integer, primary_key=True),
    _of("category", "parent_id", index=True),
)

answer = Table(
    "answer",
    metadata,
    Column("id", _LARGE, primary_key=True),
    Column("project_id", Integer, nullable=False),  # that of the source
    *(
        Column(name, Integer, nullable=name == "other_id")
        for name in ("source_id", "place", "respondent_id", "query_id", "item_id", "other_id")
    ),
    *(Column(name, Double) for name in ("vote", "grade", "score")),
    Column("rank", BigInteger),
    Column("probability", Double),
    Column("round", BigInteger),
    Column("category", Text),
    _flag("cannot_tell"),
    Column("confidence", Double),
    Column("seconds", Double),
    Column("shown", _JSON),
    Column("supersedes", _LARGE),
    _flag("withdrawn"),
    Column("key", Text),
    Column("created", Text),
    Index(None, "project_id", "source_id", "place"),
    Index(None, "respondent_id", "query_id", "item_id"),
    Index(None, "query_id", "item_id"),
)

for _refer, _refers in REFERS.items():  # PostgreSQL would look at answers one by one: a trigger
    _key = ForeignKeyConstraint([_refer], [f"{_refers}.id"], ondelete="CASCADE")
    answer.append_constraint(_key.ddl_if(dialect="sqlite"))

for _column in ("other_id", "supersedes", "key"):
    _given = answer.c[_column].is_not(None)
    Index(
        f"ix_answer_{_column}",
        answer.c[_column],
        unique=_column != "other_id",
        sqlite_where=_given,
        postgresql_where=_given,
    )

task = Table(
    "task",
    metadata,
    _id(),
    _of("project"),
    _of("query", index=True),
    _of("item", index=True),
    _of("item", "other_id", nullable=True, index=True),
    Column("round", Integer, nullable=False),
    Column("probability", Double),
    Column("place", Integer, nullable=False),
    Index(None, "project_id", "round", "place"),
)

assignment = Table(
    "assignment",
    metadata,
    _id(),
    _of("task"),
    _of("respondent", index=True),
    _text("leased_until", nullable=True),
    _text("created"),
    _flag("done"),
    UniqueConstraint("task_id", "respondent_id"),
)

result = Table(
    "result",
    metadata,
    Column("number", Integer, primary_key=True),
    _text("id", index=True),
    _of("project"),
    _text("verb"),
    Column("settings", _JSON),
    _text("key"),
    Column("version", Integer, nullable=False),
    _text("input_hash", nullable=True),
    Column("seed", _LARGE),
    _text("made_by"),
    _text("payload"),
    _text("created"),
    _text("name", nullable=True),
    _flag("kept"),
    UniqueConstraint("project_id", "key", "version"),
)
