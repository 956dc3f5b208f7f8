"""Projects, people with their links, and results."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from consilience.errors import UsageError
from consilience.store import results as r
from consilience.store import schema as s
from consilience.store.connect import Database, reading
from consilience.store.people import (
    add_person,
    new_link,
    person_by_id,
    person_of,
    respondent,
    respondents,
    revoke_link,
)
from consilience.store.projects import (
    Project,
    make_project,
    project,
    projects,
    remove_project,
    rename,
)
from consilience.store.reports import keep, listed, release
from consilience.store.sources import add_files

DOCS = Path(__file__).parent.parent.parent / "docs" / "files"


def test_projects(db: Database) -> None:
    one = make_project(db, "  Über <b>Fotos</b>! ")
    assert (one.slug, one.name) == ("uber-b-fotos-b", "Über <b>Fotos</b>!")
    assert make_project(db, "猫").slug == "project"
    assert [found.id for found in projects(db)] == [2, 1]
    assert rename(db, one, "Photos").name == "Photos"
    assert project(db, one.slug).name == "Photos"
    with pytest.raises(UsageError, match="unknown project 'photos'"):
        project(db, "photos")
    for wrong in ("", "  ", "a\0b", "x" * 301, "\ud800"):
        with pytest.raises(UsageError, match="the name of a project"):
            make_project(db, wrong)


def test_projects_made_at_once_have_different_slugs(db: Database) -> None:
    threads = [threading.Thread(target=make_project, args=(db, "Same")) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({one.slug for one in projects(db)}) == 6


def test_removed_project_is_gone_and_others_stay(db: Database) -> None:
    kept, gone = make_project(db, "kept"), make_project(db, "gone")
    for one in (kept, gone):
        add_files(
            db,
            one,
            [DOCS / "pictures" / "tree.csv", *sorted(DOCS.glob("runs/*.run"))],
            truth=[DOCS / "pictures" / "assignments.csv"],
        )
        add_person(db, one, "Ann")
        r.keep_result(db, one, payload("rank-1"), settings={}, version=1)
    before = rows(db, kept)
    remove_project(db, gone.slug)
    assert rows(db, kept) == before
    assert not any(rows(db, gone).values())
    with reading(db) as conn:  # and nothing is left that belongs to nobody
        for child, key in ((s.voice, s.source), (s.posed, s.source), (s.category, s.tree)):
            column = child.c.source_id if key is s.source else child.c.tree_id
            lost = sa.select(sa.func.count()).where(column.not_in(sa.select(key.c.id)))
            assert conn.execute(lost).scalar() == 0
    later = make_project(db, "later")
    assert later.id > gone.id  # numbers are not given twice


def rows(db: Database, here: Project) -> dict[str, int]:
    with reading(db) as conn:
        return {
            name: conn.execute(
                sa.select(sa.func.count()).where(table.c.project_id == here.id)
            ).scalar_one()
            for name, table in s.metadata.tables.items()
            if "project_id" in table.c
        }


def test_links(db: Database, project: Project) -> None:
    ann, secret = add_person(db, project, "Ann")
    assert len(secret) == 43
    assert person_of(db, secret) == (project, ann)
    assert person_by_id(db, ann.id) == (project, ann)
    assert respondent(db, project, ann.id) == ann
    assert person_of(db, ann.link_hash or "") is None
    for wrong in ("", "x", secret[:-1], secret + "x", "\ud800", "\0"):
        assert person_of(db, wrong) is None
    second = new_link(db, project, ann.id)
    assert person_of(db, secret) is None
    assert person_of(db, second) is not None
    revoke_link(db, project, ann.id)
    assert person_of(db, second) is None
    assert person_by_id(db, 999) is None


def test_the_secret_is_not_kept(db: Database, project: Project) -> None:
    _, secret = add_person(db, project, "Ann")
    with reading(db) as conn:
        for table in s.metadata.tables.values():
            for row in conn.execute(table.select()):
                assert secret not in repr(row)
    assert "link_hash" not in repr(respondents(db, project))


def test_people_are_told_apart(db: Database, project: Project) -> None:
    ann, _ = add_person(db, project, " Ann ")
    bot, _ = add_person(db, project, "gpt-9", "llm")
    assert [(one.name, one.kind) for one in respondents(db, project)] == [
        ("Ann", "person"),
        ("gpt-9", "llm"),
    ]
    for name in ("Ann", "gpt-9"):
        with pytest.raises(UsageError, match="is in this project already"):
            add_person(db, project, name)
    with pytest.raises(UsageError, match="unknown kind of person 'gold'"):
        add_person(db, project, "Ben", "gold")
    with pytest.raises(UsageError, match="no respondent 999"):
        new_link(db, project, 999)
    other = make_project(db, "other")
    with pytest.raises(UsageError, match="no respondent"):
        new_link(db, other, ann.id)  # of another project
    add_person(db, other, "Ann")
    assert bot.seed != ann.seed
    with pytest.raises(UsageError, match="not there any more"):
        add_person(db, replace(project, id=999), "Zoe")


def test_systems_get_no_links(db: Database, project: Project) -> None:
    add_files(db, project, [DOCS / "runs" / "bm25.run"])
    (system,) = respondents(db, project)
    with pytest.raises(UsageError, match="'bm25' is of kind system"):
        new_link(db, project, system.id)
    person, _ = add_person(db, project, "bm25")  # somebody may be called like a system
    assert person.id != system.id


def payload(id: str, **more: Any) -> dict[str, Any]:
    return {"verb": id.partition("-")[0], "id": id, "version": "0.8", "seed": 2**40, **more}


def test_results_are_found_by_what_was_asked(db: Database, project: Project) -> None:
    settings = {"level": 0.95, "measures": ["F1"]}
    assert r.latest(db, project, "rank", settings) is None
    said = payload("rank-a", verdict="“not settled” \0 \ud800?", score=0.1)
    assert r.keep_result(db, project, said, settings=settings, version=3) == "rank-a"
    found = r.latest(db, project, "rank", dict(reversed(settings.items())))
    assert found is not None
    assert (found.payload, found.version, found.seed) == (said, 3, 2**40)
    assert r.latest(db, project, "rank", {}) is None
    assert r.latest(db, project, "agree", settings) is None
    assert r.latest(db, make_project(db, "other"), "rank", settings) is None
    again = payload("rank-b")
    r.keep_result(db, project, again, settings=settings, version=3)  # computed twice
    newest = r.latest(db, project, "rank", settings)
    assert newest is not None
    assert newest.id == "rank-b"
    assert [one.headline for one in listed(db, project)[0]] == [""]
    with pytest.raises(ValueError, match="not JSON compliant"):
        r.keep_result(db, project, payload("rank-c", x=float("nan")), settings={}, version=1)


def test_results_that_are_kept_stay(db: Database, project: Project) -> None:
    """Another result of the same state and question takes the place of a loose one alone."""
    r.keep_result(db, project, payload("rank-a"), settings={}, version=1)
    keep(db, project, "rank-a")
    r.keep_result(db, project, payload("rank-b"), settings={}, version=1)
    newest = r.latest(db, project, "rank", {})
    assert newest is not None
    assert newest.id == "rank-a"
    release(db, project, "rank-a")
    r.keep_result(db, project, payload("rank-b"), settings={}, version=1)
    with pytest.raises(UsageError, match="no result 'rank-a'"):
        release(db, project, "rank-a")


def test_results_of_odd_texts_and_numbers(db: Database, project: Project) -> None:
    odd = payload("rank-odd", verdict="a\0b \ud800", seed=2**64)
    r.keep_result(db, project, odd, settings={"name": "a\0b \ud800"}, version=1)
    fine = payload("rank-fine", verdict="Zürich \U0001f600 \\u00e9")
    r.keep_result(db, project, fine, settings={}, version=1)
    assert listed(db, project)[0][0].headline == "Zürich \U0001f600 \\u00e9"
    assert r.result(db, "rank-odd").payload == odd


def test_results_of_a_project_that_is_gone(db: Database, project: Project) -> None:
    remove_project(db, project.slug)
    with pytest.raises(UsageError, match="not there any more"):
        r.keep_result(db, project, payload("rank-a"), settings={}, version=1)
    with pytest.raises(UsageError, match="not there any more"):
        rename(db, project, "another")


def test_results_are_listed_and_the_old_ones_go(db: Database, project: Project) -> None:
    for version in range(8):
        r.keep_result(db, project, payload(f"rank-{version}"), settings={}, version=version)
        if version == 1:
            keep(db, project, "rank-1", name="for the paper")
    found, count = listed(db, project)
    assert [one.kept.id for one in found] == [*(f"rank-{k}" for k in (7, 6, 5, 4, 3)), "rank-1"]
    assert count == 6
    last = found[-1].kept
    assert (last.name, last.kept, last.payload) == ("for the paper", True, {})
    page, count = listed(db, project, page=2, size=4)
    assert [one.kept.id for one in page] == ["rank-3", "rank-1"]
    assert listed(db, project, page=9)[0] == []
    assert json.loads(json.dumps(r.result(db, "rank-1").payload)) == payload("rank-1")
    with pytest.raises(UsageError, match="no result 'rank-0'"):
        r.result(db, "rank-0")
    with pytest.raises(UsageError, match="no result"):
        r.result(db, "rank-1", project=make_project(db, "other"))
