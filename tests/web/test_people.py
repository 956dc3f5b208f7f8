"""People: agreement as the library tells it, who answered how much, what is missing."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

import consilience as cs
from consilience.store.people import add_person
from consilience.store.projects import project as fetch_project
from consilience.store.results import result
from consilience.web.pages import people as pages
from tests.web.asked import ASSIGNED, FILES, LABELS, PICTURES, QRELS, RUNS, html, settled
from tests.web.served import Served


@pytest.fixture(scope="module")
def slugs() -> dict[str, str]:
    """Projects that were made already, by name."""
    return {}


@pytest.fixture
def labelled(make_project: Any, slugs: dict[str, str]) -> str:
    """Five people and their labels."""
    if "labelled" not in slugs:
        slugs["labelled"] = make_project("Labels", {}, LABELS)
    return slugs["labelled"]


def test_the_page_tells_the_stored_agreement(
    app: Served, client: httpx.Client, labelled: str
) -> None:
    data = settled(client, f"/p/{labelled}/people.json")
    assert data["result"] == result(app.db, data["about"]["id"]).payload
    twin = cs.agree(cs.read([FILES / "labels.csv"], labels=True)).payload()
    for key in ("alpha", "pairs", "confusions", "discuss"):
        assert data["result"][key] == json.loads(json.dumps(twin[key]))
    shown = html(client, f"/p/{labelled}/people")
    assert shown.count("<h1>") == 1
    assert "Do annotators agree?" in shown
    assert "Who answered how much" in shown


def test_scale_and_level_are_in_the_address(client: httpx.Client, labelled: str) -> None:
    data = settled(client, f"/p/{labelled}/people.json?scale=nominal&level=0.8")
    assert data["settings"] == {"level": 0.8, "scale": "nominal"}
    assert data["result"]["level"] == 0.8
    wrong = html(client, f"/p/{labelled}/people?scale=nominl&level=2", status=422)
    assert wrong.count('aria-invalid="true"') == 2
    assert "did you mean &#39;nominal&#39;?" in wrong
    unfit = settled(client, f"/p/{labelled}/people.json?scale=tree", status=422)
    assert unfit["error"]
    assert "Who answered how much" in html(client, f"/p/{labelled}/people?scale=tree", status=422)


def test_confusion_over_the_tree(client: httpx.Client, make_project: Any) -> None:
    slug = make_project("Pictures", PICTURES, ASSIGNED)
    data = settled(client, f"/p/{slug}/people.json")
    assert data["result"]["scale"]["name"] == "tree"
    assert data["result"]["tree"]
    kinds = [one["kind"] for one in data["respondents"]]
    assert kinds == ["person"] * 5 + ["system"] * 3


def test_language_models_stand_on_the_same_scale(client: httpx.Client, make_project: Any) -> None:
    rows = ["query,item,respondent,kind,vote"]
    for k in range(20):
        said = (("ann", "person", k % 2), ("gpt", "llm", (k + (k == 3)) % 2))
        rows += [f"q,d{k},{who},{kind},{vote}" for who, kind, vote in said]
    slug = make_project("Models", RUNS, {"said.csv": "\n".join(rows).encode()})
    data = settled(client, f"/p/{slug}/people.json")
    assert {one["name"]: one["kind"] for one in data["result"]["annotators"]} == {
        "ann": "person",
        "gpt": "llm",
    }
    page = html(client, f"/p/{slug}/people")
    assert "gpt (language model)" in page
    assert "2 annotators, 1 language model among them" in page


def test_one_person_is_told_what_to_do(
    app: Served, client: httpx.Client, make_project: Any
) -> None:
    slug = make_project("One judge", RUNS, QRELS)
    data = settled(client, f"/p/{slug}/people.json")
    assert "agreement takes two" in data["missing"]["what"]
    assert data["missing"]["todo"][0]["address"] == f"/p/{slug}/label"
    add_person(app.db, fetch_project(app.db, slug), "<i>Ann</i>")
    shown = html(client, f"/p/{slug}/people")
    assert "&lt;i&gt;Ann&lt;/i&gt;" in shown
    assert "<i>Ann" not in shown


def test_nobody_at_all(client: httpx.Client, make_project: Any) -> None:
    slug = make_project("Empty", {})
    assert "Nobody has labelled" in settled(client, f"/p/{slug}/people.json")["missing"]["what"]
    assert "<h1>People</h1>" in html(client, f"/p/{slug}/people")


def test_many_respondents_are_paged(
    client: httpx.Client, labelled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "SIZE", 2)
    found: list[str] = []
    for number in (1, 2, 3):
        data = settled(client, f"/p/{labelled}/people.json?level=0.8&page={number}")
        assert data["paging"] == {"page": number, "pages": 3, "all": 5}
        found += [one["name"] for one in data["respondents"]]
    assert sorted(found) == ["ann", "ben", "cleo", "dan", "eva"]
    shown = html(client, f"/p/{labelled}/people?level=0.8&page=2")
    assert 'href="?level=0.8&amp;page=3#respondents"' in shown
    assert settled(client, f"/p/{labelled}/people.json?page=99")["paging"]["page"] == 3
