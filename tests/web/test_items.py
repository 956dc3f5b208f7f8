"""Items: pages of a long table, sorted and filtered on the server; each item with its history."""

from __future__ import annotations

import csv
import io
import struct
import threading
import zlib
from collections import OrderedDict
from typing import Any
from urllib.parse import quote

import httpx
import numpy as np
import pytest

import consilience as cs
from consilience.store.content import add_items, add_picture, file_of
from consilience.store.labels import Said, save_label, withdraw
from consilience.store.people import add_person
from consilience.store.projects import make_project, project
from consilience.store.sources import add_files
from consilience.store.studies import study_of
from consilience.store.tasks import next_task
from consilience.verdict.items_split import split_items
from consilience.verdict.items_table import ItemsTable, items_table
from consilience.web import items_index
from consilience.web.items_index import Index, Wanted
from consilience.web.pages import items as pages_items
from tests.web.asked import ASSIGNED, FILES, PICTURES, RUNS, html
from tests.web.served import Served

BOXES = ("detector", "truth")
NASTY = '<img src=x onerror="alert(1)">'
NAMES = [f"doc {number:03d}" for number in range(119)] + [NASTY]


def table() -> bytes:
    """Three systems, two people who disagree here and there, a model; 120 items of two queries."""
    rng = np.random.default_rng(3)
    lines = ["query,item,respondent,kind,vote"]
    who = [("ann", "person"), ("ben", "person"), ("bot", "llm")]
    who += [(name, "system") for name in ("a", "b", "<i>c</i>")]
    for place, name in enumerate(NAMES):
        query = "cats" if place < 60 else "dogs & more"
        for person, kind in who:
            if kind == "person" and place % 3 == 2:
                continue
            cell = '"' + name.replace('"', '""') + '"'
            lines.append(f"{query},{cell},{person},{kind},{rng.integers(2)}")
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def slug(app: Served) -> str:
    made = make_project(app.db, "Items")
    assert app.db.files is not None
    file = app.db.files.parent / "votes.csv"
    file.write_bytes(table())
    add_files(app.db, made, [file], names={file: "votes.csv"})
    return made.slug


def got(client: httpx.Client, slug: str, status: int = 200, **given: Any) -> dict[str, Any]:
    """Get the page as HTML and its twin."""
    page = client.get(f"/p/{slug}/items", params=given, headers={"accept": "text/html"})
    twin = client.get(f"/p/{slug}/items.json", params=given)
    assert page.status_code == twin.status_code == status, twin.text
    told: dict[str, Any] = twin.json()
    if status == 200:
        assert page.text.count('<th scope="row"') == len(told["items"])
    return told


@pytest.fixture(scope="module")
def known(app: Served, slug: str) -> ItemsTable:
    return items_table(study_of(app.db, project(app.db, slug)))


def test_pages_hold_all_items_in_order(client: httpx.Client, slug: str, known: ItemsTable) -> None:
    pages = [got(client, slug, page=number) for number in (1, 2, 3)]
    assert [len(one["items"]) for one in pages] == [50, 50, 20]
    assert pages[0]["paging"] == {"page": 1, "pages": 3, "all": 120, "size": 50}
    codes = [row["code"] for one in pages for row in one["items"]]
    assert codes == known.order("influence").tolist()
    assert got(client, slug, page=99)["paging"]["page"] == 3
    assert pages[0]["every"] == 120
    assert pages[0]["measure"] == known.measure


@pytest.mark.parametrize("sort", ["influence", "disagreement", "belief", "answers", "name"])
@pytest.mark.parametrize("reverse", [False, True])
def test_sorted(
    client: httpx.Client, slug: str, known: ItemsTable, sort: str, reverse: bool
) -> None:
    told = got(client, slug, sort=sort, reverse=reverse)
    codes = [row["code"] for row in told["items"]]
    if sort == "name":
        names = [(row["query"], row["item"]) for row in told["items"]]
        assert names == sorted(names, reverse=reverse)
    else:
        column = {"answers": "answered"}.get(sort, sort)
        assert codes == known.order(column, descending=not reverse)[:50].tolist()


def test_filtered(client: httpx.Client, slug: str, known: ItemsTable) -> None:
    told = got(client, slug, query="dogs & more", text="DOC 07")
    assert sorted(row["item"] for row in told["items"]) == [f"doc 07{n}" for n in range(10)]
    assert got(client, slug, judged="yes")["paging"]["all"] == int(known.judged.sum()) == 80
    assert got(client, slug, judged="no")["paging"]["all"] == 40
    split = got(client, slug, split=True)
    assert split["paging"]["all"] == int(split_items(known.study).sum())
    for row in split["items"]:
        said = {one["said"] for one in row["answers"][:3] if one["said"]}
        assert said == {"yes", "no"}
    nothing = got(client, slug, text="no such thing")
    assert nothing["items"] == []
    assert "No item is like that" in client.get(f"/p/{slug}/items?text=zz").text


def test_split_is_what_a_loop_finds() -> None:
    """A twin that goes through every label, also of grades and categories."""
    rng = np.random.default_rng(0)
    for kind in ("label", "category"):
        rows = [
            (f"d{item}", who, rng.choice(["a", "b"]) if kind == "category" else rng.integers(3))
            for item in range(40)
            for who in ("ann", "ben", "cy")
            if rng.random() < 0.5
        ]
        columns = zip(*rows, strict=True)
        said = dict(zip(("item", "annotator", kind), map(list, columns), strict=True))
        made = cs.study({"s": {"all": [f"d{item}" for item in range(45)]}}, truth=said)
        by_item: dict[str, set[Any]] = {}
        for item, _, label in rows:
            by_item.setdefault(item, set()).add(label)
        names = made.items.names(np.flatnonzero(split_items(made)))
        assert {*names} == {item for item, labels in by_item.items() if len(labels) > 1}


def test_wrong_choices_are_told(client: httpx.Client, slug: str) -> None:
    for wrong, words in (
        ({"sort": "influenc"}, "did you mean 'influence'"),
        ({"query": "cat"}, "did you mean 'cats'"),
        ({"judged": "maybe"}, "possible: yes, no"),
    ):
        assert words in got(client, slug, 422, **wrong)["error"]
    assert client.get(f"/p/{slug}/items.json?page=0").status_code == 422
    assert client.get("/p/nowhere/items.json").status_code == 404


def test_a_project_without_answers(client: httpx.Client) -> None:
    slug = client.post("/projects", data={"name": "Bare"}).json()["slug"]
    told = got(client, slug)
    assert told["items"] == []
    assert "holds no answers yet" in told["error"]
    assert "Bring files" in client.get(f"/p/{slug}/items").text


def test_everybody_stands_beside_each_other(client: httpx.Client, slug: str) -> None:
    told = got(client, slug)
    kinds = [one["kind"] for one in told["respondents"]]
    assert kinds == ["person", "person", "llm", "system", "system", "system"]
    assert told["groups"][0] == {"kind": "person", "columns": 2}
    for row in told["items"]:
        assert len(row["answers"]) == 6
        spoken = [one["said"] for one in row["answers"] if one["said"]]
        share = spoken.count("yes") / len(spoken)
        assert row["disagreement"] == pytest.approx(2 * share * (1 - share))


def test_where_nobody_knows_belief_is_called_a_guess(
    client: httpx.Client, make_project: Any
) -> None:
    slug = make_project("Absent", RUNS)
    told = got(client, slug)
    assert "no ground truth was used" in told["caveat"]
    page = html(client, f"/p/{slug}/items")
    assert told["caveat"] in page
    assert page.count(">guess<") == len(told["items"])
    assert told["caveat"] in html(client, told["items"][0]["address"])


def test_boxes_that_are_not_matched_have_no_figures(
    client: httpx.Client, make_project: Any
) -> None:
    boxes = {f"{name}.json": (FILES / "boxes" / f"{name}.json").read_bytes() for name in BOXES}
    slug = make_project("Boxes", boxes)
    told = got(client, slug)
    assert told["unmatched"] == "boxes"
    for one in told["items"]:
        assert one["belief"] is one["influence"] is one["disagreement"] is None
        assert [said["said"] for said in one["answers"]].count("yes") == 1, "nobody said no"
    assert "/soft?similarity=boxes" in html(client, f"/p/{slug}/items")


def test_categories_stand_beside_every_query(client: httpx.Client, make_project: Any) -> None:
    slug = make_project("Pictures", PICTURES, ASSIGNED)
    told = got(client, slug, query="city")
    assert told["measure"] is None, "the tree tells what is relevant"
    assert not told["believed"]
    people = [who["name"] for who in told["respondents"] if who["kind"] == "person"]
    said = csv.DictReader(io.StringIO(ASSIGNED["pictures-assignments.csv"].decode()))
    given = {(row["item"], row["subject"]): row["category"] for row in said}
    for one in told["items"]:
        for who, answer in zip(people, one["answers"], strict=False):
            wanted = given.get((one["item"], who), "cannot tell")
            assert wanted in (answer["said"], "cannot tell"), (one["item"], who)
    assert {one["answers"][-1]["said"] for one in told["items"]} <= {"yes", "no", None}


def test_many_respondents_come_in_groups(
    client: httpx.Client, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages_items, "WIDE", 4)
    told = got(client, slug, beside=2)
    assert [one["name"] for one in told["respondents"]] == ["b", "<i>c</i>"]
    assert told["beside"] == {"page": 2, "pages": 2, "all": 6}
    assert "beside=2" in client.get(f"/p/{slug}/items?sort=name").text


def test_an_item_and_its_history(client: httpx.Client, app: Served, slug: str) -> None:
    row = got(client, slug, text="doc 004")["items"][0]
    told = client.get(f"{row['address']}.json").raise_for_status().json()
    assert told["item"]["name"] == "doc 004"
    assert told["now"]["answers"][0]["name"] == "ann"
    who = {one["respondent"] for one in told["history"]}
    assert who == {"ann", "ben", "bot", "a", "b", "<i>c</i>"}
    assert {one["state"] for one in told["history"]} == {"counts"}
    assert {one["source"] for one in told["history"]} == {"votes.csv"}
    page = client.get(row["address"], headers={"accept": "text/html"}).text
    assert "<i>c" not in page
    assert "&lt;i&gt;c" in page
    assert client.get(f"/p/{slug}/items/999999/1.json").status_code == 404
    assert client.get(f"/p/{slug}/items/x/1.json").status_code == 422


def test_what_was_said_before_is_kept(client: httpx.Client, app: Served) -> None:
    """A label that is given anew, and one that is taken back, stay in the history."""
    files = [("files", ("s.csv", b"item,s1,s2\nx,1,0\ny,0,1\n"))]
    slug = client.post("/projects", data={"name": "Anew"}).json()["slug"]
    client.post(f"/p/{slug}/upload", files=files).raise_for_status()
    row = got(client, slug, text="x")["items"][0]
    asked = client.post(f"{row['address']}/ask")
    assert asked.raise_for_status().json()["next"] == f"/p/{slug}/label"
    again = client.post(f"{row['address']}/ask")
    assert again.status_code == 422
    assert "already" in again.json()["error"]
    here = project(app.db, slug)
    ann, _ = add_person(app.db, here, "Ann")
    task = next_task(app.db, here, ann)
    assert task is not None
    for value, key in ((True, "key-1"), (False, "key-2")):
        save_label(app.db, here, ann.id, task.id, Said(value, seconds=2.5), key=key * 4)
    told = client.get(f"{row['address']}.json").json()
    assert told["waiting"]
    assert [one["state"] for one in told["history"]] == ["counts", "replaced", "counts", "counts"]
    assert [one["said"]["grade"] for one in told["history"][:2]] == [0, 1]
    assert got(client, slug, text="x")["items"][0]["judged"]  # what is labelled is there at once
    withdraw(app.db, here, ann.id, key="key-3" * 4)
    told = client.get(f"{row['address']}.json").json()
    states = [one["state"] for one in told["history"] if one["respondent"] == "Ann"]
    assert states == ["taken back", "replaced", "replaced"]
    page = client.get(row["address"], headers={"accept": "text/html"}).text
    assert "in 2.5 s" in page


def test_texts_and_pictures_are_shown(client: httpx.Client, app: Served, slug: str) -> None:
    here = project(app.db, slug)
    add_items(app.db, here, [("doc 001", f"a text with {NASTY}")])
    add_picture(app.db, here, io.BytesIO(png()), "doc 002.png")
    row = got(client, slug, text="doc 001")["items"][0]
    assert row["text"].startswith("a text with")
    page = client.get(f"/p/{slug}/items?text=doc 00", headers={"accept": "text/html"}).text
    assert "<img src=x" not in page
    address = f"/p/{slug}/pictures/{got(client, slug, text='doc 002')['items'][0]['file']}"
    assert address in page
    sent = client.get(address).raise_for_status()
    assert sent.content == png()
    assert sent.headers["content-type"] == "image/png"
    assert "sandbox" in sent.headers["content-security-policy"]
    other = client.post("/projects", data={"name": "Other"}).json()["slug"]
    assert client.get(address.replace(slug, other)).status_code == 404
    assert client.get(f"/p/{slug}/pictures/{'0' * 64}").status_code == 404
    file_of(app.db, address.rpartition("/")[2]).path.unlink()
    assert "not on the disk any more" in client.get(address).json()["error"]
    outside = client.get(f"/p/{slug}/pictures/{quote('../votes.csv', safe='')}")
    assert outside.status_code in (404, 422)


def png() -> bytes:
    """A picture of one grey point."""

    def part(kind: bytes, data: bytes) -> bytes:
        whole = kind + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    body = zlib.compress(b"\0\x80")
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", body) + part(b"IEND", b"")


def test_a_page_costs_what_it_shows(
    client: httpx.Client, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table is made once for a version of the project; rows are made for a page alone."""
    made: list[str] = []
    shown: list[int] = []
    build, rows = items_index._made, ItemsTable.rows

    def built(db: Any, of: Any) -> Index:
        made.append(of.slug)
        return build(db, of)

    def listed(self: ItemsTable, items: Any) -> list[dict[str, Any]]:
        shown.append(len(items))
        return rows(self, items)

    monkeypatch.setattr(items_index, "_made", built)
    monkeypatch.setattr(ItemsTable, "rows", listed)
    monkeypatch.setattr(items_index, "_indices", OrderedDict())
    for number in (1, 2, 3, 1):
        client.get(f"/p/{slug}/items.json?page={number}&sort=name").raise_for_status()
    assert made == [slug]
    assert shown == [50, 50, 20, 50]


def test_a_page_that_opens_does_not_wait_for_long(
    client: httpx.Client, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page says that it reads; it then asks for what it waits for, and gets it."""
    go_on, build = threading.Event(), items_index._made

    def slowly(db: Any, of: Any) -> Index:
        assert go_on.wait(30)
        return build(db, of)

    monkeypatch.setattr(items_index, "_made", slowly)
    monkeypatch.setattr(items_index, "_indices", OrderedDict())
    monkeypatch.setattr(pages_items, "PATIENCE", 0.05)
    html = {"accept": "text/html"}
    page = client.get(f"/p/{slug}/items?sort=name&page=2", headers=html).text
    assert "Reading all answers" in page
    assert f'hx-get="/p/{slug}/items?sort=name&amp;page=2"' in page
    go_on.set()
    page = client.get(
        f"/p/{slug}/items?sort=name&page=2", headers={**html, "hx-request": "true"}
    ).text
    assert "doc 050" in page
    assert "Reading" not in page


def test_lists_are_made_once(known: ItemsTable, monkeypatch: pytest.MonkeyPatch) -> None:
    index = Index(known)
    first = index.select(Wanted(text="doc"))
    assert index.select(Wanted(text="doc")) is first
    for number in range(items_index.LISTS):
        index.select(Wanted(text=str(number)))
    assert index.select(Wanted(text="doc")) is not first  # the oldest are forgotten
