"""``consilience label``: links are made, renewed and taken back; how far people are."""

from __future__ import annotations

from pathlib import Path

import pytest

from consilience.store.connect import open_database
from consilience.store.people import person_of, respondents
from consilience.store.projects import make_project, projects
from consilience.store.sources import add_files
from tests.cli.command import consilience


@pytest.fixture
def where(tmp_path: Path) -> Path:
    """A database with one project."""
    path = tmp_path / "study.db"
    db = open_database(path)
    make_project(db, "Photos")
    db.close()
    return path


def test_links_open_for_their_people(where: Path) -> None:
    ran = consilience("label", "--database", where, "Ann", "Ben", "--json").json()
    assert [one["name"] for one in ran["links"]] == ["Ann", "Ben"]
    db = open_database(where)
    for one in ran["links"]:
        home, _, secret = one["link"].rpartition("/w/")
        assert home == "http://127.0.0.1:8765"
        found = person_of(db, secret)
        assert found is not None
        assert found[1].name == one["name"]
    db.close()
    listed = consilience("label", "--database", where)
    assert listed.out.splitlines() == [
        "Photos: 0 of 0 tasks complete, 0 answers",
        "Ann: 0 done, 0 left",
        "Ben: 0 done, 0 left",
    ]


def test_a_link_is_made_once_unless_a_new_one_is_asked_for(where: Path) -> None:
    first = consilience("label", "--database", where, "Ann", "--json").json()["links"][0]["link"]
    again = consilience("label", "--database", where, "Ben", "Ann")
    assert again.code == 2
    assert "'Ann' has a link already (fix: --new" in again.err
    asked = ("label", "--database", where, "Ann", "--new", "--at", "https://bench.example.org/")
    fresh = consilience(*asked)
    assert fresh.code == 0
    link = fresh.out.split()[-1]
    assert link.startswith("https://bench.example.org/w/")
    db = open_database(where)
    assert person_of(db, first.rpartition("/")[2]) is None
    assert person_of(db, link.rpartition("/")[2]) is not None
    db.close()
    gone = consilience("label", "--database", where, "--revoke", "Ann")
    assert gone.out == "Ann: the link no longer opens\n"
    db = open_database(where)
    assert person_of(db, link.rpartition("/")[2]) is None
    db.close()


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (["--revoke", "Zoe"], "unknown person 'Zoe'"),
        (["Ann", "--project", "Photo"], "unknown project 'Photo'"),
        (["Ann", "--at", "bench.example.org"], "no address of an app"),
        (["Ann", "--at", "http://["], "'http://[' is no address of an app (fix: such as"),
        (["Ann", "--at", "http://a:b"], "no address of an app"),
        ([""], "the name of a person is empty"),
    ],
)
def test_mistakes_are_told(where: Path, asked: list[str], found: str) -> None:
    ran = consilience("label", "--database", where, *asked)
    assert ran.code == 2
    assert found in ran.err


def test_several_projects_are_told_apart(where: Path, tmp_path: Path) -> None:
    db = open_database(where)
    make_project(db, "Texts")
    db.close()
    ran = consilience("label", "--database", where, "Ann")
    assert ran.code == 2
    assert "holds several projects" in ran.err
    assert consilience("label", "--database", where, "Ann", "--project", "Texts").code == 0
    missing = consilience("label", "--database", tmp_path / "no.db", "Ann")
    assert missing.code == 2
    assert "there is no such database" in missing.err


@pytest.mark.parametrize(
    ("wrong", "found"),
    [
        ([""], "is empty"),
        (["a\tb"], "control character"),
        (["x" * 301], "too long"),
        (["gold"], "'gold' is in this project already"),
        (["--revoke", "Zoe"], "unknown person 'Zoe'"),
    ],
)
def test_one_wrong_name_changes_nothing(
    where: Path, tmp_path: Path, wrong: list[str], found: str
) -> None:
    """Links that were made before it would be shown to nobody, and old ones be dead."""
    db = open_database(where)
    (tmp_path / "run.csv").write_text("query,system,item\nq1,s1,d1\n")
    (tmp_path / "gold.csv").write_text("query,respondent,kind,item,label\nq1,gold,gold,d1,1\n")
    (here,) = projects(db)
    add_files(db, here, [tmp_path / "run.csv"], truth=[tmp_path / "gold.csv"])
    consilience("label", "--database", where, "Ann", "Ben")
    before = respondents(db, here)
    asked = ("Carl", "Ann", "--new", "--revoke", "Ben")
    ran = consilience("label", "--database", where, *asked, *wrong)
    assert ran.code == 2
    assert found in ran.err
    assert respondents(db, here) == before
    assert consilience("label", "--database", where, *asked).code == 0
    assert [one.link_hash is None for one in respondents(db, here) if one.kind == "person"] == [
        False,
        True,
        False,
    ]
    db.close()
