"""The small files of the documentation, and how they are read without a database."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

import consilience as cs
from consilience.store import schema as s
from consilience.store.connect import Database, reading

ROOT = Path(__file__).parent.parent.parent
DOCS, EXAMPLES = ROOT / "docs" / "files", ROOT / "src" / "consilience" / "examples"


def globbed(names: Sequence[str]) -> list[Path]:
    return [path for name in names for path in sorted(DOCS.glob(name))]


def alike(found: cs.Study, wanted: cs.Study) -> None:
    assert found.fingerprint() == wanted.fingerprint()
    assert found.sources == wanted.sources
    assert found.notes == wanted.notes


def checked(files: list[Path], truth: list[Path]) -> cs.Study:
    """Read as ``check`` does: labels may be words."""
    from consilience.cli.check import _study

    options: dict[str, Any] = {"columns": (), "truth_columns": (), "answers": None}
    options |= {"encoding": None, "duplicates": "error", "universe": "pool"}
    return _study(tuple(map(str, files)), tuple(map(str, truth)), options)


def counts(db: Database) -> dict[str, int]:
    """Count the rows of all tables but those about the database itself."""
    with reading(db) as conn:
        return {
            name: conn.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for name, table in s.metadata.tables.items()
            if name not in ("setting", "project")
        }
