"""``pack`` and ``unpack`` as users have them: one line each, and nothing lost where it fails."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

import consilience as cs
from consilience.cli.databases import chosen
from consilience.errors import UsageError
from consilience.store import archive_unpack
from consilience.store.connect import Database, open_database
from consilience.store.projects import make_project, projects, rename
from consilience.store.sources import add_files
from consilience.store.studies import study_of
from tests.cli.command import consilience, own_process


@pytest.fixture
def study(files: Path, tmp_path: Path) -> Path:
    """A database with one project."""
    db = open_database(tmp_path / "study.db")
    made = make_project(db, "Search engines")
    add_files(db, made, [files / "runs"], truth=[files / "qrels.txt"])
    db.close()
    return tmp_path / "study.db"


def test_there_and_back(study: Path, tmp_path: Path) -> None:
    ran = own_process("pack", "study.db", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("search-engines.zip: 535 answers, 4 respondents, 12 queries, ")
    ran = own_process("unpack", "search-engines.zip", "other.db", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("other.db: the project Search engines (search-engines): 535 answers")
    one, two = (open_database(tmp_path / name) for name in ("study.db", "other.db"))
    prints = [study_of(db, projects(db)[0]).fingerprint() for db in (one, two)]
    assert prints[0] == prints[1]
    one.close()
    two.close()
    again = consilience("unpack", "search-engines.zip", "other.db", "--json", cwd=tmp_path)
    assert again.json()["project"] == {"slug": "search-engines-2", "name": "Search engines"}
    told = consilience("pack", "study.db", "-o", "x.zip", "--json", cwd=tmp_path).json()
    assert told["bytes"] == (tmp_path / "x.zip").stat().st_size
    assert {one["name"] for one in told["members"]} >= {"tables/answer.jsonl"}


def test_several_projects_need_a_name(study: Path, tmp_path: Path) -> None:
    db = open_database(study)
    make_project(db, "Photos")
    db.close()
    ran = consilience("pack", "study.db", cwd=tmp_path)
    assert ran.code == 2
    assert "holds several projects: photos, search-engines (fix: --project ONE)" in ran.err
    assert consilience("pack", "study.db", "--project", "photo", cwd=tmp_path).code == 2
    assert consilience("pack", "study.db", "--project", "Photos", cwd=tmp_path).code == 0
    ran = consilience("pack", "study.db", "--project", "photos", cwd=tmp_path)
    assert ran.out.startswith("photos.zip: a project without answers; ")


def test_tables(study: Path, tmp_path: Path) -> None:
    ran = consilience("pack", "study.db", "--tables", "csv", "-o", "tables", cwd=tmp_path)
    assert ran.out.splitlines()[:2] == ["tables/answers.csv", "tables/everything/answers.csv"]
    again = cs.read(tmp_path / "tables" / "answers.csv", truth=tmp_path / "tables" / "truth.csv")
    db = open_database(study)
    assert repr(again) == repr(study_of(db, projects(db)[0]))
    db.close()
    ran = consilience("pack", "study.db", "--tables", "csv", "-o", "tables", cwd=tmp_path)
    assert ran.code == 2
    assert "there is something already" in ran.err
    told = consilience(
        "pack", "study.db", "--tables", "qrels", "-o", "q.zip", "--json", cwd=tmp_path
    ).json()
    assert told["files"] == ["annotators.csv", "qrels.qrels"]
    with zipfile.ZipFile(tmp_path / "q.zip") as archive:
        assert archive.namelist() == told["files"]


def test_only_an_archive_of_the_same_project_is_replaced(study: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "search-engines.zip", "w") as mine:
        mine.writestr("labels.csv", "query,item,label\nq1,d1,yes\n")
    before = (tmp_path / "search-engines.zip").read_bytes()
    ran = consilience("pack", "study.db", cwd=tmp_path)
    assert ran.code == 2
    assert "no archive of this project" in ran.err
    assert "(fix: -o search-engines-2.zip)" in ran.err
    assert (tmp_path / "search-engines.zip").read_bytes() == before

    db = open_database(tmp_path / "other.db")
    make_project(db, "Photos")
    db.close()
    assert consilience("pack", "other.db", "-o", "backup.zip", cwd=tmp_path).code == 0
    kept = (tmp_path / "backup.zip").read_bytes()
    for words in ([], ["--tables", "csv"]):
        ran = consilience("pack", "study.db", *words, "-o", "backup.zip", cwd=tmp_path)
        assert ran.code == 2
        assert "there is an archive of the project 'Photos'" in ran.err
        assert (tmp_path / "backup.zip").read_bytes() == kept

    db = open_database(study)
    for _ in range(2):  # the same project again, also after a change
        assert consilience("pack", "study.db", "-o", "mine.zip", cwd=tmp_path).code == 0
        rename(db, projects(db)[0], "Engines")
    db.close()
    assert consilience("pack", "study.db", "-o", "mine.zip", cwd=tmp_path).code == 0
    consilience("unpack", "mine.zip", "third.db", cwd=tmp_path)
    assert consilience("pack", "third.db", "-o", "mine.zip", cwd=tmp_path).code == 0
    ran = consilience("pack", "study.db", "--tables", "csv", "-o", "mine.zip", cwd=tmp_path)
    assert ran.code == 2
    (tmp_path / "empty.zip").touch()
    assert consilience("pack", "study.db", "-o", "empty.zip", cwd=tmp_path).code == 0


def test_mistakes(study: Path, tmp_path: Path) -> None:
    for args, said in {
        ("pack", "none.db"): "none.db: there is no such database",
        ("pack", "study.db", "--tables", "xls"): "unknown format of tables 'xls'",
        ("pack", "study.db", "-o", "study.db"): "this is an input, and would be replaced (fix: "
        "write to study.zip)",
        ("pack", "study.db", "-o", "new.db"): "is no name for an archive (fix: end it with .zip)",
        ("pack", "study.db", "-o", "text.zip"): "there is a file that is no archive of this",
        ("unpack", "text.zip", "new.db"): "text.zip: this is no .zip that can be read",
        ("unpack", "none.zip", "new.db"): "none.zip: cannot be opened: No such file or directory",
        ("unpack", "study.db", "new.db"): "this is no .zip that can be read",
        ("unpack", "bad.zip", "new.db"): "bad.zip: tables/project.jsonl, line 1: name is missing",
        ("unpack", "bad.zip", "mysql://x/y"): "is no kind of database known here",
    }.items():
        (tmp_path / "text.zip").write_text("text")
        bad(study, tmp_path / "bad.zip")
        ran = consilience(*args, cwd=tmp_path)
        assert ran.code == 2, args
        assert ran.err.startswith("error: ")
        assert said in ran.err
        assert "fix: " in ran.err or "possible: " in ran.err
        there = ["new.db"] if "bad.zip" in args and "new.db" in args else []
        assert [path.name for path in tmp_path.glob("new.db*")] == there, "no archive, no database"
        if there:
            assert names_in(tmp_path / "new.db") == []
            (tmp_path / "new.db").unlink()


def names_in(path: Path) -> list[str]:
    """Give the names of the projects of a database."""
    db = open_database(path)
    found = [one.name for one in projects(db)]
    db.close()
    return found


@pytest.mark.parametrize("ending", [UsageError("cut"), KeyboardInterrupt()])
def test_what_others_put_into_a_new_database_stays(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: BaseException
) -> None:
    """Somebody works in the database while an archive is unpacked, which fails or is stopped."""

    def failing(*_: object, **__: object) -> None:
        db = open_database(tmp_path / "new.db")
        make_project(db, "mine")
        db.close()
        raise ending

    consilience("pack", study, "-o", tmp_path / "good.zip")
    monkeypatch.setattr(archive_unpack, "unpack", failing)
    assert consilience("unpack", "good.zip", "new.db", cwd=tmp_path).code != 0
    assert names_in(tmp_path / "new.db") == ["mine"]


def test_a_stop_after_all_is_kept_removes_nothing(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = archive_unpack.unpack

    def stopped(db: Database, path: str, **given: Any) -> None:
        whole(db, path, **given)
        raise KeyboardInterrupt

    consilience("pack", study, "-o", tmp_path / "good.zip")
    monkeypatch.setattr(archive_unpack, "unpack", stopped)
    assert consilience("unpack", "good.zip", "new.db", cwd=tmp_path).code != 0
    assert names_in(tmp_path / "new.db") == ["Search engines"]


def test_a_link_to_a_database_stays_a_link(study: Path, tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "new.db")
    bad(study, tmp_path / "bad.zip")
    assert consilience("unpack", "bad.zip", "link.db", cwd=tmp_path).code == 2
    assert (tmp_path / "link.db").is_symlink()
    assert names_in(tmp_path / "link.db") == []


def test_a_short_name_comes_before_names(study: Path, tmp_path: Path) -> None:
    db = open_database(study)
    first, second = make_project(db, "ct"), make_project(db, "ct")
    assert (chosen(db, "ct"), chosen(db, "ct-2")) == (first, second)
    rename(db, second, "search-engines")
    assert chosen(db, "search-engines").name == "Search engines"
    make_project(db, "Search engines")
    with pytest.raises(UsageError, match="several projects: search-engines-2, search-engines"):
        chosen(db, "Search engines")
    db.close()


def bad(study: Path, path: Path) -> None:
    """Write an archive that is whole, and whose project has no name."""
    from tests.store.archived import edited_row, rewritten

    consilience("pack", study, "-o", path.with_name("good.zip"))
    rewritten(path.with_name("good.zip"), path, edited_row("project", 1, name=...))


def test_a_small_limit(study: Path, tmp_path: Path) -> None:
    consilience("pack", "study.db", "-o", "good.zip", cwd=tmp_path)
    ran = consilience("unpack", "good.zip", "new.db", "--max-size", "0", cwd=tmp_path)
    assert ran.code == 2
