"""Who says that they cannot tell has answered: on all pages, and whatever was asked."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import httpx
import pytest

from consilience.store.content import add_items
from consilience.store.projects import project
from consilience.store.question import SINGLE
from tests.web.asked import html, settled
from tests.web.labelling import ask, draw, invite, person, runs, task_of
from tests.web.served import Served
from tests.web.worlds import first

#: What can be asked, and what goes with it.
ASKED: dict[str, dict[str, str]] = {
    "relevance": {},
    "grades": {"grades": "bad\ngood"},
    "category": {"words": "cat\ndog"},
    "ranking": {},
    "pairs": {},
}


class Cells(HTMLParser):
    """The words in the cells of the table of items."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []
        self.within = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "td":
            self.within = ("class", "said") in attrs
            self.said += [""] * self.within

    def handle_endtag(self, tag: str) -> None:
        self.within = self.within and tag != "td"

    def handle_data(self, data: str) -> None:
        if self.within:
            self.said[-1] += data


def begun(client: httpx.Client, make_project: Any, kind: str, *names: str) -> list[str]:
    """Have tasks of a kind drawn by design; give the project's slug and a link for everybody."""
    slug = make_project("Asked", runs())
    ask(client, slug, kind, overlap=len(names), **ASKED[kind])
    draw(client, slug, *(("random", "8") if kind in SINGLE else ("all", "")))
    return [slug, *invite(client, slug, *names)]


def say(link: str, said: Any) -> dict[str, Any]:
    """Answer the next task; None: cannot tell. Give the task."""
    with person(link) as who:
        task = task_of(who)
        assert task is not None
        sent: dict[str, Any] = {"task": task["id"], "key": f"{link[-20:]} {task['id']}"}
        sent |= {"cannot_tell": "true"} if said is None else said(task)
        who.post("/work/save", data=sent).raise_for_status()
        return task


def told(client: httpx.Client, slug: str, name: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Give what somebody says of every item, as the page has it."""
    data = settled(client, f"/p/{slug}/items.json")
    (column,) = [place for place, one in enumerate(data["respondents"]) if one["name"] == name]
    return {(row["query"], row["item"]): row["answers"][column] for row in data["items"]}


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("kind", ASKED)
def test_cannot_tell_is_an_answer(
    client: httpx.Client, make_project: Any, kind: str, alone: bool
) -> None:
    """Also of who cannot tell of anything, and beside somebody who can."""
    slug, ann, ben = begun(client, make_project, kind, "Ann", "Ben")
    unsure = say(ann, None)
    others = [say(ben, first)] if not alone else []
    query = unsure["query"]["name"] if unsure["query"] else None
    names = {item["name"] for item in unsure["items"]}
    here = {place for place in told(client, slug, "Ann") if place[1] in names}
    here = {place for place in here if query is None or place[0] == query}
    assert here
    for place, one in told(client, slug, "Ann").items():
        assert (one["said"] == "cannot tell") == one["cannot_tell"] == (place in here), place
        assert one["asked"] or place not in here
    shown = Cells()
    shown.feed(html(client, f"/p/{slug}/items"))
    assert [one.strip() for one in shown.said].count("cannot tell") == len(here)
    if others:
        assert not any(one["cannot_tell"] for one in told(client, slug, "Ben").values())


@pytest.mark.parametrize("kind", ["relevance", "grades", "category"])
def test_items_without_a_label_are_not_judged(
    client: httpx.Client, make_project: Any, kind: str
) -> None:
    """Neither what somebody cannot tell nor what waits; nobody was asked about other items."""
    slug = make_project("Asked", runs())
    ask(client, slug, kind, overlap=1, **ASKED[kind])
    drawn = draw(client, slug, "random", "5")
    (ann,) = invite(client, slug, "Ann")
    say(ann, first)
    for _ in range(2):
        say(ann, None)
    here = f"/p/{slug}/items.json"
    rows = settled(client, here)["items"]
    assert [row["item"] for row in rows if row["judged"]] == [
        row["item"] for row in rows if row["labelled"]
    ]
    judged, other = (
        {(row["query"], row["item"]) for row in settled(client, f"{here}?judged={word}")["items"]}
        for word in ("yes", "no")
    )
    assert (len(judged), len(judged | other)) == (1, len(rows))
    said = told(client, slug, "Ann")
    assert sum(one["asked"] for one in said.values()) == drawn < len(said)
    assert {one["said"] for one in said.values() if not one["asked"]} == {None}


@pytest.mark.parametrize("kind", ASKED)
def test_an_item_tells_who_cannot_tell(client: httpx.Client, make_project: Any, kind: str) -> None:
    slug, ann = begun(client, make_project, kind, "Ann")
    names = {item["name"] for item in say(ann, None)["items"]}
    rows = settled(client, f"/p/{slug}/items.json")["items"]
    (address, *_) = [
        row["address"]
        for row in rows
        if row["item"] in names and any(one["cannot_tell"] for one in row["answers"])
    ]
    now = settled(client, f"{address}.json")["now"]
    (said,) = [one for one in now["answers"] if one["name"] == "Ann"]
    assert (said["said"], said["cannot_tell"]) == ("cannot tell", True)
    assert "cannot tell" in html(client, address).partition("How it came about")[0]


def test_what_is_taken_back_or_said_later_is_not_cannot_tell(
    client: httpx.Client, make_project: Any
) -> None:
    slug, ann = begun(client, make_project, "relevance", "Ann")
    task = say(ann, None)
    with person(ann) as who:
        who.post("/work/undo", data={"key": "undo"}).raise_for_status()
    assert "cannot tell" not in str(settled(client, f"/p/{slug}/items.json")["items"])
    with person(ann) as who:
        sent = {"task": task["id"], "key": "once more", "said": "yes"}
        who.post("/work/save", data=sent).raise_for_status()
    said = [one["said"] for one in told(client, slug, "Ann").values()]
    assert said.count("yes") == 1
    assert "cannot tell" not in said


def test_some_pairs_of_an_item_are_told_and_others_cannot_be(
    client: httpx.Client, make_project: Any
) -> None:
    slug, ann = begun(client, make_project, "pairs", "Ann")
    left = client.get(f"/p/{slug}/label.json").json()["progress"]["tasks"]
    pairs = [say(ann, None if number else first) for number in range(left)]
    told_of = {(pairs[0]["query"]["name"], item["name"]) for item in pairs[0]["items"]}
    both = {
        (pair["query"]["name"], item["name"]) for pair in pairs[1:] for item in pair["items"]
    } & told_of
    assert both, "an item stands in several pairs"
    answers = told(client, slug, "Ann")
    for place in both:
        assert answers[place]["said"] in ("yes", "no")
        assert answers[place]["cannot_tell"]
    assert "of some pairs: cannot tell" in html(client, f"/p/{slug}/items")


@pytest.mark.parametrize("kind", ASKED)
def test_pages_that_count_answers_tell_who_cannot_tell(
    client: httpx.Client, make_project: Any, kind: str
) -> None:
    slug, ann = begun(client, make_project, kind, "Ann")
    items = len(say(ann, None)["items"])
    people = settled(client, f"/p/{slug}/people.json")["respondents"]
    (count,) = [one["cannot_tell"] for one in people if one["name"] == "Ann"]
    assert count == items
    assert {one["cannot_tell"] for one in people if one["name"] != "Ann"} == {0}
    there = settled(client, f"/p/{slug}/overview.json")["cannot_tell"]
    assert there == [{"name": "Ann", "kind": "person", "items": items}]
    word = "1 item" if items == 1 else f"{items} items"
    assert f"Ann cannot tell of {word}." in html(client, f"/p/{slug}/overview")


@pytest.mark.parametrize("kind", ["pairs", "ranking"])
def test_where_nothing_else_was_said_that_is_told(
    app: Served, client: httpx.Client, kind: str
) -> None:
    slug = client.post("/projects", data={"name": "Texts"}).raise_for_status().json()["slug"]
    add_items(app.db, project(app.db, slug), [("x", "A text"), ("y", "Another one")])
    ask(client, slug, kind)
    draw(client, slug)
    (ann,) = invite(client, slug, "Ann")
    say(ann, None)
    told = settled(client, f"/p/{slug}/items.json")
    assert told["cannot_tell"] == [{"name": "Ann", "kind": "person", "items": 2}]
    assert "Ann cannot tell of 2 items." in html(client, f"/p/{slug}/items")
