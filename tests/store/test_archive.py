"""Archives: everything comes along, into either kind of database, and packs to the same bytes."""

from __future__ import annotations

import json
import stat
import zipfile
from pathlib import Path

import pytest

import consilience as cs
from consilience.errors import ConsilienceError, UsageError
from consilience.store import schema as s
from consilience.store.archive import pack
from consilience.store.archive_form import FORMAT, LEFT_OUT, TABLES, fields_of, key_of
from consilience.store.archive_unpack import unpack
from consilience.store.connect import Database, reading
from consilience.store.labels import history
from consilience.store.people import respondents
from consilience.store.projects import Project, make_project, projects
from consilience.store.question import KINDS, question_of
from consilience.store.reports import listed
from consilience.store.results import result
from consilience.store.settings import secret
from consilience.store.sources import add_files, sources
from consilience.store.studies import labels_study, study_of, tree_of
from consilience.store.tasks import progress
from tests.store.archived import DATA, Full, content, full_project, pictures_on_disk


@pytest.mark.parametrize("kind", KINDS)
def test_everything_comes_along(
    db: Database, elsewhere: Database, full: Full, tmp_path: Path, kind: str
) -> None:
    """A project is the same in a database of the other kind, and packs to the same bytes there."""
    made = full(kind)
    members = pack(db, made, tmp_path / "one.zip")
    brought = unpack(elsewhere, tmp_path / "one.zip")
    before, after = content(db, made), content(elsewhere, brought)
    for name, rows in before.items():
        assert rows or name in ("asked",), f"the project has no row of {name}"
        assert after[name] == rows, name
    assert {one.name: one.rows for one in members if one.rows is not None} == {
        f"tables/{name}.jsonl": len(rows) for name, rows in before.items()
    }
    assert study_of(db, made).fingerprint() == study_of(elsewhere, brought).fingerprint()
    assert labels_study(db, made).fingerprint() == labels_study(elsewhere, brought).fingerprint()
    assert tree_of(db, made) == tree_of(elsewhere, brought)
    assert question_of(brought) == question_of(made)
    assert pictures_on_disk(elsewhere) == pictures_on_disk(db)
    assert elsewhere.files is not None
    assert stat.S_IMODE(elsewhere.files.stat().st_mode) == 0o700
    assert [result(db, one.kept.id, project=made).payload for one in listed(db, made)[0]] == [
        result(elsewhere, one.kept.id, project=brought).payload
        for one in listed(elsewhere, brought)[0]
    ]
    people = [(a.name, a.kind) for a in respondents(elsewhere, brought)]
    assert people == [(a.name, a.kind) for a in respondents(db, made)]
    pack(elsewhere, brought, tmp_path / "two.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_what_is_brought_can_be_worked_with(
    db: Database, elsewhere: Database, full: Full, tmp_path: Path
) -> None:
    made = full()
    pack(db, made, tmp_path / "one.zip")
    brought = unpack(elsewhere, tmp_path / "one.zip")
    one, other = progress(db, made), progress(elsewhere, brought)
    assert (one.tasks, one.complete, one.answers) == (other.tasks, other.complete, other.answers)
    (ann,) = (one for one in respondents(elsewhere, brought) if one.name == "Ann Lee")
    (before,) = (one for one in respondents(db, made) if one.name == "Ann Lee")
    said = [(h["query"].name, h["value"]) for h in history(elsewhere, brought, ann.id)]
    assert said == [(h["query"].name, h["value"]) for h in history(db, made, before.id)]
    (tmp_path / "more.run").write_text("q1 Q0 b 1 2.5 more\n")
    add_files(elsewhere, brought, [tmp_path / "more.run"])
    assert "more" in study_of(elsewhere, brought).systems
    assert {*cs.rank(study_of(elsewhere, brought)).payload()} >= {"systems"}
    full_project(elsewhere, tmp_path / "again", name="after the archive")


def test_secrets_stay(db: Database, full: Full, tmp_path: Path) -> None:
    made = full()
    kept = [secret(db), *(one.link_hash for one in respondents(db, made) if one.link_hash)]
    assert len(kept) == 4
    pack(db, made, tmp_path / "one.zip")
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        text = b"".join(archive.read(name) for name in archive.namelist())
    assert not [one for one in (*kept, "link_hash", "leased_until") if one.encode() in text]
    brought = unpack(db, tmp_path / "one.zip")
    assert {one.link_hash for one in respondents(db, brought)} == {None}
    with reading(db) as conn:
        mine = conn.execute(s.answer.select().where(s.answer.c.project_id == brought.id)).all()
        assert {row.key for row in mine} == {None}
        lent = s.assignment.join(s.task)
        for row in conn.execute(
            s.assignment.select().select_from(lent).where(s.task.c.project_id == brought.id)
        ):
            assert row.leased_until is None


def test_the_same_archive_twice_gives_two_projects(
    db: Database, full: Full, tmp_path: Path
) -> None:
    made = full()
    pack(db, made, tmp_path / "one.zip")
    slugs = [unpack(db, tmp_path / "one.zip").slug for _ in range(2)]
    assert slugs == ["cafe-b-2", "cafe-b-3"]
    assert len(projects(db)) == 3
    first, second, third = (content(db, one) for one in projects(db))
    assert first == second == third


def test_only_the_slug_differs_where_it_was_taken(db: Database, full: Full, tmp_path: Path) -> None:
    made = full()
    pack(db, made, tmp_path / "one.zip")
    pack(db, unpack(db, tmp_path / "one.zip"), tmp_path / "two.zip")
    texts = []
    for name in ("one.zip", "two.zip"):
        with zipfile.ZipFile(tmp_path / name) as archive:
            texts.append({member: archive.read(member) for member in archive.namelist()})
    differ = {name for name in texts[0] if texts[0][name] != texts[1][name]}
    assert differ == {"manifest.json", "tables/project.jsonl"}
    one, two = (json.loads(text["tables/project.jsonl"]) for text in texts)
    assert {name for name in one if one[name] != two[name]} == {"slug"}


def test_an_empty_project(db: Database, project: Project, tmp_path: Path) -> None:
    pack(db, project, tmp_path / "empty.zip")
    brought = unpack(db, tmp_path / "empty.zip")
    assert content(db, brought) == content(db, project)
    assert sources(db, brought) == []


def test_real_files_in_all_their_forms(db: Database, elsewhere: Database, tmp_path: Path) -> None:
    names = ["runs", "votes.csv", "table3.csv", "pictures", "airplanes.csv", "soft", "meeting"]
    for number, name in enumerate(names):
        made = make_project(db, f"of {name}")
        try:
            add_files(db, made, [DATA / name])
        except UsageError:
            files = sorted(one for one in (DATA / name).iterdir() if one.is_file())
            add_files(db, made, files[:1])
        pack(db, made, tmp_path / f"{number}.zip")
        brought = unpack(elsewhere, tmp_path / f"{number}.zip")
        assert study_of(db, made).fingerprint() == study_of(elsewhere, brought).fingerprint(), name
        assert study_of(db, made).notes == study_of(elsewhere, brought).notes


def test_every_column_is_in_an_archive_or_left_out_on_purpose() -> None:
    ids = {f"{table.name}.{key.name}" for table in TABLES if (key := key_of(table)) is not None}
    ids |= {f"{table.name}.project_id" for table in TABLES if "project_id" in table.c}
    held = {f"{table.name}.{field.name}" for table in TABLES for field in fields_of(table)}
    every = {f"{t.name}.{c.name}" for t in s.metadata.tables.values() for c in t.c}
    assert every == held | ids | {*LEFT_OUT} | {"setting.name", "setting.value"}


def test_the_manifest(db: Database, full: Full, tmp_path: Path) -> None:
    pack(db, full(), tmp_path / "one.zip")
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        manifest = json.loads(archive.read("manifest.json"))
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {one["name"] for one in manifest["members"]} == {*archive.namelist()} - {
            "manifest.json"
        }
    assert manifest["format"] == FORMAT
    assert (manifest["version"], manifest["made_by"]) == (1, cs.__version__)
    assert manifest["project"] == {"slug": "cafe-b", "name": "Café <b>"}


def test_what_is_there_is_replaced_by_a_whole_archive_only(
    db: Database, full: Full, tmp_path: Path
) -> None:
    made = full()
    target = tmp_path / "out" / "one.zip"
    pack(db, made, target)
    kept = target.read_bytes()
    assert db.files is not None
    lost = next(path for path in db.files.rglob("*") if path.is_file())
    lost.write_bytes(b"x")
    with pytest.raises(UsageError, match="has changed on the disk"):
        pack(db, made, target)
    lost.unlink()
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        pack(db, made, target)
    assert target.read_bytes() == kept
    assert [*target.parent.iterdir()] == [target]
    with pytest.raises(UsageError, match="no file that can be replaced"):
        pack(db, made, target.parent)
    (tmp_path / "file").write_text("")
    with pytest.raises(ConsilienceError, match="cannot be written"):
        pack(db, made, tmp_path / "file" / "one.zip")


def test_pictures_need_a_folder(db: Database, full: Full, tmp_path: Path) -> None:
    made = full()
    pack(db, made, tmp_path / "one.zip")
    bare = Database(db.engine, db.where, None, db.id)
    with pytest.raises(UsageError, match="fix: --files FOLDER"):
        pack(bare, made, tmp_path / "two.zip")
    before = len(projects(db))
    with pytest.raises(UsageError, match="fix: --files FOLDER"):
        unpack(bare, tmp_path / "one.zip")
    assert len(projects(db)) == before
