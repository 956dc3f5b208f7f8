"""The page on the database: its archive and its queries, on both kinds of database."""

from __future__ import annotations

import re
from typing import Any

import sqlalchemy as sa

from consilience.store.archive_form import TABLES
from consilience.store.archive_unpack import unpack
from consilience.store.connect import Database, reading
from consilience.store.studies import labels_study, study_of
from tests.store.archived import DATA

PAGE = DATA.parent / "database.md"


def queries() -> list[str]:
    found = re.findall(r"^```sql\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    assert len(found) == 2
    return found


def test_queries_give_what_the_study_says(db: Database) -> None:
    made = unpack(db, DATA / "search.zip")
    with reading(db) as conn:
        people, differing = ([tuple(row) for row in conn.execute(sa.text(q))] for q in queries())
    study = labels_study(db, made)
    said: dict[Any, list[float]] = {}
    by_item: dict[Any, dict[str, float]] = {}
    evidence, grade = study.evidence, study.evidence.grade
    assert grade is not None
    for row, (item, number) in enumerate(
        zip(study.items.names(evidence.item), evidence.list_of_row(), strict=True)
    ):
        who = study.respondents.names[evidence.respondent[number]]
        if who in ("Ann", "Ben"):
            said.setdefault(who, []).append(grade[row])
            place = (study.queries[evidence.query[number]], item)
            by_item.setdefault(place, {})[who] = grade[row]
    expected = [(who, len(some), sum(some) / len(some)) for who, some in sorted(said.items())]
    assert [(a, b, round(c, 9)) for a, b, c in people] == [
        (a, b, round(c, 9)) for a, b, c in expected
    ]
    odd = {at: of for at, of in by_item.items() if len({*of.values()}) > 1}
    assert differing == [
        (*at, min(of.values()), max(of.values())) for at, of in sorted(odd.items())
    ]
    assert odd


def test_the_page_names_every_table() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for table in TABLES:
        assert f"`{table.name}`" in text


def test_an_archive_of_the_first_version_can_be_read(db: Database) -> None:
    made = unpack(db, DATA / "search.zip")
    assert study_of(db, made).fingerprint()[:12] == FINGERPRINT


#: The fingerprint of the study when the archive was written.
FINGERPRINT = "eee36a572389"
