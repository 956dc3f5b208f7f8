"""Labelling through the app: settings, links, draws, tasks, undo; only one's own work is seen."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from consilience.store.content import add_items, add_picture
from consilience.store.projects import project
from tests.web.labelling import ask, draw, invite, person, runs, task_of
from tests.web.served import PROGRAM, Served

Make = Callable[..., str]
#: The smallest picture: one transparent dot.
DOT = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


@pytest.fixture
def slug(make_project: Make) -> str:
    """A project of three runs."""
    return make_project("Runs", runs())


def test_a_person_labels_and_takes_back(client: httpx.Client, slug: str) -> None:
    ask(client, slug, guide="Look twice.")
    assert draw(client, slug) == 16
    (link,) = invite(client, slug, "Ann")
    with person(link) as ann:
        data = ann.get("/work.json").json()
        assert data["question"]["guide"] == "Look twice."
        assert data["progress"] == {"done": 0, "left": 16, "elsewhere": 0}
        task = data["task"]
        sent = {"task": task["id"], "said": "yes", "key": "k1", "seconds": "1.5"}
        saved = ann.post("/work/save", data=sent).raise_for_status().json()
        again = ann.post("/work/save", data=sent).raise_for_status().json()
        assert (saved["again"], again) == (False, {**saved, "again": True})
        after = ann.get("/work.json").json()
        assert after["progress"] == {"done": 1, "left": 15, "elsewhere": 0}
        assert after["task"]["id"] != task["id"]
        ann.post("/work/undo", data={"key": "u1"}).raise_for_status()
        back = task_of(ann)
        assert back is not None
        assert back["id"] == task["id"]
        assert back["before"]["said"] == "yes"
        ann.post("/work/redo", data={"key": "r1", "task": str(task["id"])}).raise_for_status()
        listed = ann.get("/work/answers.json").json()["answers"]
        assert [(one["task"], one["said"]) for one in listed] == [(task["id"], "yes")]
        sent = {"task": after["task"]["id"], "cannot_tell": "true", "key": "k2"}
        ann.post("/work/save", data=sent).raise_for_status()
    (share,) = client.get(f"/p/{slug}/label.json").json()["progress"]["people"]
    assert (share["done"], share["cannot_tell"], share["seconds"]) == (2, 1, 1.5)


@pytest.mark.parametrize(
    ("kind", "settings", "said"),
    [
        ("relevance", {}, {"said": "maybe"}),
        ("relevance", {}, {}),
        ("grades", {"grades": "low\nhigh"}, {"said": "2"}),
        ("grades", {"grades": "low\nhigh"}, {"said": "high"}),
        ("category", {"words": "cat\ndog"}, {"said": "cow"}),
        ("pairs", {}, {"said": "999999"}),
        ("ranking", {}, {"item": ["1", "2"], "place": ["1"]}),
        ("ranking", {}, {"item": ["999999"], "place": ["1"]}),
        ("ranking", {}, {"item": ["1", "1"], "place": ["1", "2"]}),
        ("ranking", {}, {"item": ["1"], "place": ["first"]}),
    ],
)
def test_what_does_not_fit_is_refused(
    client: httpx.Client, slug: str, kind: str, settings: dict[str, str], said: dict[str, Any]
) -> None:
    ask(client, slug, kind, **settings)
    draw(client, slug)
    (link,) = invite(client, slug, "Ann")
    with person(link) as ann:
        task = task_of(ann)
        assert task is not None
        refused = ann.post("/work/save", data={"task": task["id"], "key": "k", **said})
        assert refused.status_code == 422
        assert any(word in refused.json()["error"] for word in ("fix:", "possible:"))
        assert ann.get("/work.json").json()["progress"]["done"] == 0


def test_a_question_that_was_changed_is_asked_anew(client: httpx.Client, slug: str) -> None:
    ask(client, slug, "grades", grades="low\nhigh")
    draw(client, slug)
    (link,) = invite(client, slug, "Ann")
    with person(link) as ann:
        seen = ann.get("/work.json").json()
        ask(client, slug, "grades", grades="bad\ngood")
        sent = {"task": seen["task"]["id"], "said": "1", "key": "k"}
        mark = {"mark": seen["question"]["mark"]}
        refused = ann.post("/work/save", data=sent | mark)
        assert refused.status_code == 422
        assert "question was changed" in refused.json()["error"]
        mark = {"mark": ann.get("/work.json").json()["question"]["mark"]}
        ann.post("/work/save", data=sent | mark).raise_for_status()


def test_work_is_for_people_with_a_link(app: Served, client: httpx.Client, slug: str) -> None:
    draw(client, slug)
    assert client.get("/work.json").status_code == 401
    assert client.post("/work/save", data={"task": 1, "key": "k", "said": "yes"}).status_code == 401
    assert httpx.get(app.url + "/work").headers["location"] == "/login"
    (link,) = invite(client, slug, "Ann")
    with person(link) as ann:
        assert task_of(ann) is not None
        (one,) = client.get(f"/p/{slug}/label.json").json()["progress"]["people"]
        client.post(f"/p/{slug}/label/people/{one['id']}/revoke").raise_for_status()
        assert ann.get("/work.json").status_code == 401
        assert httpx.get(link).status_code == 404
        fresh = client.post(f"/p/{slug}/label/people/{one['id']}/link").raise_for_status().json()
        assert ann.get("/work.json").status_code == 401
    with person(fresh["links"][0]["link"]) as ann:
        assert task_of(ann) is not None


def test_nobody_reaches_anothers_tasks(make_project: Make, client: httpx.Client) -> None:
    one, other = make_project("One", runs()), make_project("Other", runs())
    for slug in (one, other):
        draw(client, slug)
    (link,) = invite(client, one, "Ann")
    (foreign,) = invite(client, other, "Eve")
    with person(link) as ann, person(foreign) as eve:
        task = task_of(ann)
        assert task is not None
        sent = {"task": task["id"], "said": "yes", "key": "stolen"}
        assert eve.post("/work/save", data=sent).status_code == 422
        ann.post("/work/save", data=sent | {"key": "mine"}).raise_for_status()
        assert eve.post("/work/undo", data={"key": "u", "task": task["id"]}).status_code == 422
        assert eve.post("/work/save", data=sent | {"key": "mine"}).status_code == 422
        assert ann.get("/work.json").json()["progress"]["done"] == 1


def test_nobody_looks_at_tasks_by_answering_them(client: httpx.Client, slug: str) -> None:
    """Tasks have numbers that are easily guessed; an answer needs one that was lent."""
    draw(client, slug)
    links = invite(client, slug, "Ann", "Ben")
    with person(links[0]) as ann, person(links[1]) as ben:
        task, own = task_of(ann), task_of(ben)
        assert task is not None
        assert own is not None
        sent = {"task": task["id"], "said": "yes", "key": "guessed"}
        assert ben.post("/work/save", data=sent).status_code == 422
        assert ben.get("/work/answers.json").json()["answers"] == []
        assert ben.get("/work.json").json()["task"] == own


def test_a_key_stands_for_one_answer(client: httpx.Client, slug: str) -> None:
    draw(client, slug)
    (link,) = invite(client, slug, "Ann")
    with person(link) as ann:
        for status in (200, 422):  # the second task's answer must not be taken for the first's
            task = task_of(ann)
            assert task is not None
            sent = {"task": task["id"], "said": "yes", "key": "one for all"}
            assert ann.post("/work/save", data=sent).status_code == status
        assert ann.get("/work.json").json()["progress"]["done"] == 1


def test_blind_tasks_tell_nothing_of_others(client: httpx.Client, slug: str) -> None:
    ask(client, slug, overlap=2)
    draw(client, slug)
    links = invite(client, slug, "Ann", "Ben")
    with person(links[0]) as ann:
        for number in range(16):
            task = task_of(ann)
            assert task is not None
            sent = {"task": task["id"], "said": "yes", "key": f"blind {number}"}
            ann.post("/work/save", data=sent).raise_for_status()
    with person(links[1]) as ben:
        text = ben.get("/work.json").text
        assert not any(word in text for word in ("bm25", "dense", "mixed", "Ann"))
        ask(client, slug, overlap=2, predictions="true", others="true")
        task = task_of(ben)
        assert task is not None
        assert task["others"] == [{"name": "Ann", "said": "yes"}]
        assert {*task["items"][0]["systems"]} <= {"bm25", "dense", "mixed"}


@pytest.mark.parametrize("kind", ["relevance", "pairs", "ranking"])
def test_nothing_of_a_blind_task_follows_what_systems_said(
    client: httpx.Client, slug: str, kind: str
) -> None:
    """Items have no numbers: the first system's list is numbered as it is ranked."""
    ask(client, slug, kind)
    draw(client, slug)
    (link,) = invite(client, slug, "Ann")
    with person(link) as ann:
        task = task_of(ann)
        assert task is not None
        assert task.keys() == {"id", "query", "items", "choices", "before"}
        for one in (task["query"], *task["items"]):
            assert one.keys() == {"name", "text", "picture"}
        page = ann.get("/work", headers={"accept": "text/html"}).text
        assert "probability" not in page
        assert not any(word in page for word in ("bm25", "dense", "mixed"))


def test_pictures_are_sent_to_whom_they_are_shown(
    app: Served, client: httpx.Client, slug: str
) -> None:
    here = project(app.db, slug)
    for name in "abcde":
        add_picture(app.db, here, io.BytesIO(DOT), name)
    draw(client, slug)
    ann_link, ben_link = invite(client, slug, "Ann", "Ben")
    with person(ann_link) as ann, person(ben_link) as ben:
        task = task_of(ann)
        assert task is not None
        address = task["items"][0]["picture"]
        sent = ann.get(address)
        assert sent.content == DOT
        assert sent.headers["content-type"] == "image/png"
        assert sent.headers["content-security-policy"] == "default-src 'none'; sandbox"
        assert ben.get(address).status_code == 404
        assert ann.get("/work/pictures/" + "0" * 64).status_code == 404
        assert ann.get("/work/pictures/..%2f..%2fstudy.db").status_code in (404, 422)
    assert httpx.get(app.url + address, headers=PROGRAM).status_code == 401


def test_settings_that_cannot_be_are_told_where_they_are_made(
    client: httpx.Client, slug: str
) -> None:
    address = f"/p/{slug}/label/question"
    refused = client.post(address, data={"kind": "grade"})
    assert refused.status_code == 422
    assert "did you mean 'grades'" in refused.json()["error"]
    as_page = {"accept": "text/html"}
    wrong = {"kind": "grades", "grades": "only", "text": "How <b>good</b>?"}
    shown = client.post(address, data=wrong, headers=as_page)
    assert shown.status_code == 422
    assert "one grade leaves no choice" in shown.text
    assert "How &lt;b&gt;good&lt;/b&gt;?" in shown.text  # what was typed is still there
    for sent, found in (
        ({"how": "magic"}, "unknown way to draw"),
        ({"how": "next"}, "a budget is needed"),
        ({"how": "random", "number": "-3"}, "no number of tasks"),
    ):
        told = client.post(f"/p/{slug}/label/draw", data=sent)
        assert told.status_code == 422
        assert found in told.json()["error"]
    assert client.post(f"/p/{slug}/label/people", data={"names": " "}).status_code == 422


def test_a_button_that_is_pressed_twice_draws_once(client: httpx.Client, slug: str) -> None:
    sent = {"how": "random", "number": "4", "seen": "0"}
    pressed = list[int]()

    def press() -> None:
        pressed.append(client.post(f"/p/{slug}/label/draw", data=sent).status_code)

    threads = [threading.Thread(target=press) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(pressed) == [200, 422, 422, 422]
    assert client.get(f"/p/{slug}/label.json").json()["progress"]["tasks"] == 4


def test_a_name_is_given_one_link(client: httpx.Client, slug: str) -> None:
    invite(client, slug, "Ann")
    both = client.post(f"/p/{slug}/label/people", data={"names": "Ben\nAnn"}).json()
    assert [one["name"] for one in both["links"]] == ["Ben"]
    assert "'Ann' is in this project already" in both["problem"]
    secret = both["links"][0]["link"].rpartition("/")[2]
    assert secret not in client.get(f"/p/{slug}/label.json").text


def test_labels_drawn_by_design_change_the_verdict_and_the_plan(
    make_project: Make, client: httpx.Client, files: Any
) -> None:
    slug = make_project("Pages", {"votes.csv": (files / "labelling" / "votes.csv").read_bytes()})
    ask(client, slug)
    before = _computed(client, f"/p/{slug}/label.json?budget=30", "next")
    assert (before["next"]["round"], before["next"]["stop"]) == (1, None)
    job = client.post(f"/p/{slug}/label/draw", data={"how": "next", "number": "30"})
    job = job.raise_for_status().json()["job"]
    while job["state"] in ("waiting", "running"):
        time.sleep(0.05)
        job = client.get(f"/jobs/{job['id']}.json").raise_for_status().json()["job"]
    assert job["state"] == "done", job
    drawn = client.get(f"/p/{slug}/label.json").json()
    assert drawn["progress"]["tasks"] == job["result"] == len(before["next"]["rows"])
    assert drawn["next_state"] is None  # nothing can be told before the first label
    links = invite(client, slug, "Ann")
    with person(links[0]) as ann:
        for number in range(12):
            task = task_of(ann)
            assert task is not None
            said = "no" if number % 3 else "yes"
            sent = {"task": task["id"], "said": said, "key": f"{slug} {number}"}
            ann.post("/work/save", data=sent).raise_for_status()
    after = _computed(client, f"/p/{slug}/label.json?budget=30", "next")
    assert (after["next"]["round"], after["next"]["labelled"]) == (2, 12)
    assert after["next"]["stop"] is not None


def test_agreement_is_told_from_two_people_on(client: httpx.Client, slug: str) -> None:
    ask(client, slug, overlap=2)
    draw(client, slug)
    assert client.get(f"/p/{slug}/label.json").json()["agreement_state"] is None
    for link in invite(client, slug, "Ann", "Ben"):
        with person(link) as somebody:
            for number in range(16):
                task = task_of(somebody)
                assert task is not None
                said = "yes" if task["items"][0]["name"] in "abc" else "no"
                sent = {"task": task["id"], "said": said, "key": f"{link[-9:]} {number}"}
                somebody.post("/work/save", data=sent).raise_for_status()
    found = _computed(client, f"/p/{slug}/label.json", "agreement")["agreement"]
    assert {one["name"] for one in found["annotators"]} == {"Ann", "Ben"}
    page = client.get(f"/p/{slug}/label", headers={"accept": "text/html"}).text
    assert "Agreement so far" in page


def test_items_are_shown_as_text(app: Served, client: httpx.Client, slug: str) -> None:
    bad = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    add_items(app.db, project(app.db, slug), [(name, bad) for name in "abcde"])
    draw(client, slug)
    (link,) = invite(client, slug, "</script><b>Ann")
    with person(link) as ann:
        page = ann.get("/work", headers={"accept": "text/html"}).text
        assert bad not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert "<b>Ann" not in page


def _computed(client: httpx.Client, address: str, what: str) -> dict[str, Any]:
    """Ask for a page until its result is there."""
    for _ in range(600):
        data: dict[str, Any] = client.get(address).raise_for_status().json()
        state = data[f"{what}_state"]
        if state["current"]:
            return data
        assert not state["error"], state
        time.sleep(0.05)
    raise AssertionError(f"{what} is computing for ever")
