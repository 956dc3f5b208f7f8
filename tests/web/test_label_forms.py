"""The page Label: what was typed stays where it is refused; older results are told to be such."""

from __future__ import annotations

from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from consilience.store.connect import Database, open_database
from consilience.store.draws import draw_items
from consilience.store.projects import Project, make_project
from consilience.store.projects import project as fetched
from consilience.store.results import keep_result
from consilience.store.sources import add_files
from consilience.web import jobs
from consilience.web.app import create_app
from consilience.web.pages import label
from consilience.web.verbs import agree
from tests.store.labelling import asked_project, people, work, write_runs
from tests.web.served import PATIENCE, PROGRAM

HERE = "/p/runs/label"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    """A database with the project Runs: three systems, and two people for each task."""
    made = open_database(tmp_path / "a.db")
    asked_project(made, make_project(made, "Runs"), tmp_path, overlap=2)
    yield made
    made.close()


@pytest.fixture
def runs(db: Database) -> Project:
    return fetched(db, "runs")


@pytest.fixture
def browser(db: Database) -> Iterator[TestClient]:
    headers = PROGRAM | {"accept": "text/html"}
    app = create_app(db, patience=PATIENCE)
    with TestClient(app, base_url="http://localhost", headers=headers) as made:
        yield made


def section(page: str, name: str) -> str:
    """Cut a section out of the page."""
    return unescape(page.partition(f'<section id="{name}"')[2].partition("</section>")[0])


def field(page: str, name: str) -> str:
    """Give what stands in a field of several lines."""
    return page.partition(f'name="{name}"')[2].partition(">")[2].partition("</textarea>")[0]


def test_names_that_are_refused_stay_and_the_others_get_their_links(
    browser: TestClient, db: Database, runs: Project
) -> None:
    people(db, runs, "Ann")
    names = {"names": f"Ann\r\nBen\r\n{'x' * 301}\r\nCem\r\nBen"}
    page = browser.post(f"{HERE}/people", data=names)
    assert page.status_code == 200
    assert page.text.count("http://localhost/w/") == 2
    told = section(page.text, "people")
    assert field(told, "names").split("\n") == ["Ann", "x" * 301]
    assert "'Ann' is in this project already" in told
    assert "too long" in told
    again = browser.post(f"{HERE}/people", data={"names": "Ann\nBen"})
    assert again.status_code == 422
    assert field(section(again.text, "people"), "names") == "Ann\nBen"
    data = browser.post(f"{HERE}/people", data={"names": "Dan\nBen"}, headers=PROGRAM).json()
    assert [one["name"] for one in data["refused"]] == ["Ben"]
    many = "\n".join(map(str, range(201)))
    page = browser.post(f"{HERE}/people", data={"names": many})
    assert field(section(page.text, "people"), "names") == many


def test_choices_of_a_draw_stay_where_it_is_refused(browser: TestClient) -> None:
    sent = {"how": "disputed", "number": "a few", "again": "true"}
    page = browser.post(f"{HERE}/draw", data=sent)
    assert page.status_code == 422
    told = section(page.text, "draw")
    assert "'a few' is no number of tasks" in told
    assert 'value="a few"' in told
    assert '<option value="disputed" selected>' in told
    assert 'name="again" value="true" checked' in told
    assert "did not work" not in section(page.text, "question")


def test_a_draw_that_failed_is_tried_again(browser: TestClient) -> None:
    sent = {"how": "next", "number": "3"}
    browser.post(f"{HERE}/question", data={"kind": "category"})
    assert "categories are asked about" in browser.post(f"{HERE}/draw", data=sent).text
    browser.post(f"{HERE}/question", data={"kind": "relevance"})
    assert browser.post(f"{HERE}/draw", data=sent).status_code == 200


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"overlap": "two"}, "'two' is no number of people"),
        ({"overlap": "1000"}, "from 1 to 100"),
        ({"kind": "ranking", "most": "1"}, "from 2 to 50"),
    ],
)
def test_what_is_asked_stays_as_it_was_typed(
    browser: TestClient, wrong: dict[str, str], said: str
) -> None:
    typed = {"kind": "grades", "text": "How good?", "guide": "Look\r\ntwice.", "grades": "a\r\nb"}
    typed |= {"order": "draw", "others": "true"} | wrong
    page = browser.post(f"{HERE}/question", data=typed)
    assert page.status_code == 422
    told = section(page.text, "question")
    assert said in told
    assert f'<option value="{typed["kind"]}" selected>' in told
    assert 'value="How good?"' in told
    assert field(told, "guide") == "Look\ntwice."
    assert field(told, "grades") == "a\nb"
    assert '<option value="draw" selected>' in told
    assert 'name="others" value="true" checked' in told
    for name, value in wrong.items():
        assert name == "kind" or f'value="{value}"' in told
    assert "Is this relevant to the query?</b>" in told, "what is settled is told as it is"


def test_agreement_from_before_is_told_to_be_such(
    browser: TestClient, db: Database, runs: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_items(db, runs, "all")
    ann, ben = people(db, runs, "Ann", "Ben")
    for person in (ann, ben):
        work(db, runs, person, 8)
    now = fetched(db, "runs")
    keep_result(db, now, agree(db, now, {}), settings={}, version=now.version)
    assert "come since" not in section(browser.get(HERE).text, "agreement")
    work(db, runs, ben, 2)
    monkeypatch.setattr(label, "PATIENCE", 0)
    told = section(browser.get(HERE).text, "agreement")
    assert "2 answers have come since: computing. Below is the result from before." in told


def test_times_are_told_as_the_clock_on_the_wall_shows_them(
    browser: TestClient, db: Database, runs: Project
) -> None:
    draw_items(db, runs, "all")
    (ann,) = people(db, runs, "Ann")
    work(db, runs, ann, 1)
    assert '<time datetime="2' in section(browser.get(HERE).text, "people")
    links = browser.post(f"{HERE}/people/{ann.id}/link", headers=PROGRAM).json()["links"]
    browser.get(links[0]["link"])
    assert '<time datetime="2' in browser.get("/work/answers").text


def test_items_that_came_after_the_draw_are_told(
    browser: TestClient, db: Database, runs: Project, tmp_path: Path
) -> None:
    draw_items(db, runs, "random", number=5)
    (ann,) = people(db, runs, "Ann")
    work(db, runs, ann)
    add_files(db, runs, write_runs(tmp_path / "later", {"later": {"q1": "abe", "q2": "e"}}))
    told = "2 items came after the draw, and no label speaks for them yet: draw again to cover"
    assert told in section(browser.get(HERE).text, "draw")
    sent = {"how": "all", "number": ""}
    browser.post(f"{HERE}/draw", data=sent, follow_redirects=False)
    assert "came after" not in section(browser.get(HERE).text, "draw")


def test_a_draw_for_which_there_is_no_room_is_not_typed_again(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "MOST", 0)
    answer = browser.post(f"{HERE}/draw", data={"how": "next", "number": "17"})
    assert answer.status_code == 422
    assert "too much is being computed" in section(answer.text, "draw")
    assert 'value="17"' in answer.text
    programs = browser.post(f"{HERE}/draw", data={"how": "next", "number": "17"}, headers=PROGRAM)
    assert programs.status_code == 409
