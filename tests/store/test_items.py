"""Items one by one, on both databases: found by name, with all that was said, asked about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from consilience.errors import UsageError
from consilience.store.connect import Database
from consilience.store.content import add_items, query_view
from consilience.store.draws import draw_items, draw_pairs, draw_rankings
from consilience.store.items import Who, ask_about, contents, has_picture, history, is_asked, unsure
from consilience.store.labels import Said, save_label, withdraw
from consilience.store.people import add_person
from consilience.store.projects import Project, make_project
from consilience.store.question import Question, ask
from consilience.store.sources import add_files, set_aside, sources
from consilience.store.studies import study_of
from consilience.store.tasks import next_task

ODD = "ünï 'quoted' <b>%_\\"


@pytest.fixture
def filled(db: Database, project: Project, tmp_path: Path) -> Project:
    file = tmp_path / "runs.csv"
    file.write_text(f'query,item,system,vote\nq,x,a,1\nq,x,b,0\nq,"{ODD}",a,1\nr,x,a,0\n')
    add_files(db, project, [file])
    return project


def numbers(db: Database, project: Project, query: str, item: str) -> dict[str, int]:
    queries, items = contents(db, project, queries=[query], items=[item])
    return {"query_id": queries[query].id, "item_id": items[item].id}


def test_names_are_found_in_one_project(db: Database, filled: Project) -> None:
    add_items(db, filled, [(ODD, "what it says")])
    queries, items = contents(db, filled, queries=["q", "q", "nobody's"], items=["x", ODD])
    assert [*queries] == ["q"]
    assert {*items} == {"x", ODD}
    assert items[ODD].text == "what it says"
    assert query_view(db, filled, queries["q"].id).name == "q"
    other = make_project(db, "Other")
    assert contents(db, other, queries=["q"], items=["x"]) == ({}, {})
    assert contents(db, filled, queries=[], items=[]) == ({}, {})


def test_history_holds_one_item_of_one_query(db: Database, filled: Project) -> None:
    said = history(db, filled, **numbers(db, filled, "q", "x"))
    assert [(one.respondent, one.said["vote"]) for one in said] == [("b", 0), ("a", 1)]
    assert {(one.state, one.role) for one in said} == {("counts", "answers")}
    assert all(one.when.endswith("Z") for one in said)
    (source,) = study_of(db, filled).sources
    assert {one.source for one in said} == {source.name}
    assert history(db, make_project(db, "Other"), **numbers(db, filled, "q", "x")) == []
    set_aside(db, filled, 1, True)
    assert {one.state for one in history(db, filled, **numbers(db, filled, "q", "x"))} == {
        "left out"
    }


def test_items_of_other_projects_are_not_asked_about(db: Database, filled: Project) -> None:
    """Their texts and pictures are not this project's to show."""
    here = numbers(db, filled, "q", "x")
    with pytest.raises(UsageError, match="the project has no query"):
        ask_about(db, make_project(db, "other"), **here)
    with pytest.raises(UsageError, match="the project has no item 999"):
        ask_about(db, filled, **{**here, "item_id": 999})


def test_an_item_is_asked_about_once(db: Database, filled: Project) -> None:
    here = numbers(db, filled, "q", ODD)
    assert not is_asked(db, filled, **here)
    ask_about(db, filled, **here)
    assert is_asked(db, filled, **here)
    with pytest.raises(UsageError, match="asked about this item already"):
        ask_about(db, filled, **here)
    ann, _ = add_person(db, filled, "Ann")
    task = next_task(db, filled, ann)
    assert task is not None
    assert (task.items[0].name, task.round, task.probability) == (ODD, 0, None)
    save_label(db, filled, ann.id, task.id, Said(True), key="a" * 20)
    save_label(db, filled, ann.id, task.id, Said(False), key="b" * 20)
    withdraw(db, filled, ann.id, key="c" * 20)
    said = [one for one in history(db, filled, **here) if one.role == "labels"]
    assert [one.state for one in said] == ["taken back", "replaced", "replaced"]


def test_pictures_belong_to_projects(db: Database, filled: Project) -> None:
    assert not has_picture(db, filled, "0" * 64)


@pytest.mark.parametrize("kind", ["relevance", "pairs", "ranking"])
def test_who_cannot_tell_is_found(db: Database, filled: Project, kind: Any) -> None:
    """What was said later, taken back or left out is not; pairs and orders have several items."""
    here = ask(db, filled, Question(kind=kind))
    if kind == "pairs":
        draw_pairs(db, here)
    elif kind == "ranking":
        draw_rankings(db, here)
    else:
        draw_items(db, here, "all")
    ann = add_person(db, here, "Ann")[0]
    ben = add_person(db, here, "Ben")[0]
    task = next_task(db, here, ann)
    assert task is not None
    for who in (ann, ben):
        save_label(db, here, who.id, task.id, Said(None), key=f"{who.id} first")
    places = {(task.query.name, item.name) for item in task.items}
    assert len(places) == (1 if kind == "relevance" else 2)
    both = [Who("Ann", "person", None), Who("Ben", "person", None)]
    assert unsure(db, here) == dict.fromkeys(places, both)
    assert unsure(db, make_project(db, "Other")) == {}
    withdraw(db, here, ann.id, key="back")
    assert unsure(db, here) == dict.fromkeys(places, both[1:])
    said: Any = {"relevance": True, "pairs": 0, "ranking": []}[kind]
    save_label(db, here, ben.id, task.id, Said(said), key="later")
    assert unsure(db, here) == {}
    save_label(db, here, ben.id, task.id, Said(None), key="again")
    assert unsure(db, here) == dict.fromkeys(places, both[1:])
    (labels,) = [one for one in sources(db, here) if one.role == "labels"]
    set_aside(db, here, labels.id, True)
    assert unsure(db, here) == {}
