"""The first tables."""

from __future__ import annotations

from typing import Any

from alembic import op
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

revision = "0001"
down_revision = None

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


Table("setting", metadata, _text("name", primary_key=True), _text("value"))

Table(
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

Table(
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

Table(
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

Table(
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

for _table in (query, item):
    _plain = Index(f"uq_{_table.name}_name", _table.c.project_id, _table.c.name, unique=True)
    _plain.ddl_if(dialect="sqlite")
    _hash = func.md5(_table.c.name)
    _hashed = Index(f"uq_{_table.name}_md5", _table.c.project_id, _hash, unique=True)
    _hashed.ddl_if(dialect="postgresql")
    _given = _table.c.file.is_not(None)
    Index(f"ix_{_table.name}_file", _table.c.file, sqlite_where=_given, postgresql_where=_given)

Table(
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

Table(
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

Table(
    "category",
    metadata,
    _id(),
    _of("tree"),
    Column("place", Integer, nullable=False),
    _text("name"),
    UniqueConstraint("tree_id", "place"),
)

Table(
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

Table(
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

Table(
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

Table(
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


def upgrade() -> None:
    """Make the tables; answers are added, never changed, and go with their project alone."""
    metadata.create_all(op.get_bind(), checkfirst=False)
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "CREATE TRIGGER answer_append_only BEFORE UPDATE ON answer "
            "BEGIN SELECT RAISE(ABORT, 'answers are added, never changed'); END"
        )
        op.execute(
            "CREATE TRIGGER answer_stays BEFORE DELETE ON answer "
            "WHEN EXISTS (SELECT 1 FROM project WHERE id = OLD.project_id) "
            "BEGIN SELECT RAISE(ABORT, 'answers go with their project alone'); END"
        )
        return
    op.execute(
        "CREATE FUNCTION answer_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'answers are added, never changed'; END $$"
    )
    op.execute(
        "CREATE TRIGGER answer_append_only BEFORE UPDATE ON answer "
        "FOR EACH ROW EXECUTE FUNCTION answer_append_only()"
    )
    op.execute(
        "CREATE FUNCTION answer_stays() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN IF EXISTS (SELECT FROM project WHERE id IN (SELECT project_id FROM gone)) "
        "THEN RAISE EXCEPTION 'answers go with their project alone'; END IF; RETURN NULL; END $$"
    )
    op.execute(
        "CREATE TRIGGER answer_stays AFTER DELETE ON answer REFERENCING OLD TABLE AS gone "
        "FOR EACH STATEMENT EXECUTE FUNCTION answer_stays()"
    )
    lost = " OR ".join(
        f"EXISTS (SELECT FROM added a WHERE a.{name} IS NOT NULL "
        f'AND NOT EXISTS (SELECT FROM "{refers}" r WHERE r.id = a.{name}))'
        for name, refers in REFERS.items()
    )
    op.execute(
        "CREATE FUNCTION answer_refers() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN IF {lost} THEN RAISE foreign_key_violation "
        "USING MESSAGE = 'an answer refers to what is not there'; END IF; RETURN NULL; END $$"
    )
    op.execute(
        "CREATE TRIGGER answer_refers AFTER INSERT ON answer REFERENCING NEW TABLE AS added "
        "FOR EACH STATEMENT EXECUTE FUNCTION answer_refers()"
    )
    op.execute(
        "CREATE FUNCTION source_gone() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN DELETE FROM answer WHERE project_id = OLD.project_id AND source_id = OLD.id; "
        "RETURN OLD; END $$"
    )
    op.execute(
        "CREATE TRIGGER source_gone BEFORE DELETE ON source "
        "FOR EACH ROW EXECUTE FUNCTION source_gone()"
    )
