"""Compare: every question that a study allows, choices in the address, what is missing, changes."""

from __future__ import annotations

import itertools
import json
from typing import Any

import httpx
import pytest

import consilience as cs
from consilience.store.draws import draw_items
from consilience.store.labels import Said, save_label
from consilience.store.people import add_person
from consilience.store.projects import project as fetch_project
from consilience.store.question import Question, ask
from consilience.store.results import latest, result
from consilience.store.sources import sources
from consilience.store.tasks import next_task
from consilience.web.pages import compare as pages
from tests.web.asked import ASSIGNED, FILES, JUDGES, LABELS, PICTURES, QRELS, RUNS, html, settled
from tests.web.served import Served

keys = (f"key-{number}" for number in itertools.count())


@pytest.fixture(scope="module")
def slugs() -> dict[str, str]:
    """Projects that were made already, by name."""
    return {}


@pytest.fixture
def ranked(make_project: Any, slugs: dict[str, str]) -> str:
    """Two runs with truth."""
    if "ranked" not in slugs:
        slugs["ranked"] = make_project("Two <b>runs</b>", RUNS, QRELS)
    return slugs["ranked"]


@pytest.fixture
def pictures(make_project: Any, slugs: dict[str, str]) -> str:
    """Pictures in a tree of categories."""
    if "pictures" not in slugs:
        slugs["pictures"] = make_project("Pictures", PICTURES, ASSIGNED)
    return slugs["pictures"]


def test_the_page_tells_the_stored_ranking(app: Served, client: httpx.Client, ranked: str) -> None:
    data = settled(client, f"/p/{ranked}/compare.json")
    assert (data["verb"], data["usual"], data["error"]) == ("rank", "rank", None)
    kept = latest(app.db, fetch_project(app.db, ranked), "rank", {})
    assert kept is not None
    assert data["result"] == kept.payload == result(app.db, data["about"]["id"]).payload
    assert data["computed"] == {
        "result": kept.id,
        "current": True,
        "job": None,
        "error": None,
    }
    shown = html(client, f"/p/{ranked}/compare")
    assert kept.payload["verdict"].split(",")[0] in shown
    assert shown.count("<h1>") == 1
    assert "Two &lt;b&gt;runs&lt;/b&gt;" in shown
    assert "<b>runs" not in shown
    for chart in ("forest", "ranks", "pairs"):
        assert f'<figure data-chart="{chart}">' in shown


def test_the_library_gives_the_same(client: httpx.Client, ranked: str) -> None:
    data = settled(client, f"/p/{ranked}/compare.json?measures=map,P@5&level=0.9&seed=3")
    assert data["settings"] == {"level": 0.9, "measures": ["AP", "P@5"], "seed": 3}
    study = cs.read(
        [FILES / "runs" / "bm25.run", FILES / "runs" / "dense.run"], truth=[FILES / "qrels.txt"]
    )
    twin = cs.rank(study, measures=["AP", "P@5"], level=0.9, seed=3).payload()
    for key in ("systems", "ties", "verdict", "settled", "beats", "input_hash"):
        assert data["result"][key] == json.loads(json.dumps(twin[key]))


def test_what_is_usual_is_the_same_question(client: httpx.Client, ranked: str) -> None:
    plain = settled(client, f"/p/{ranked}/compare.json")
    chosen = "verb=rank&level=0.95&seed=0&belief=auto&universe=pool&measures=&depth="
    spelt = settled(client, f"/p/{ranked}/compare.json?{chosen}")
    assert spelt["settings"] == {}
    assert spelt["result"]["id"] == plain["result"]["id"]


def test_depth_and_belief_reach_the_result(client: httpx.Client, ranked: str) -> None:
    data = settled(client, f"/p/{ranked}/compare.json?depth=3&belief=majority&universe=100")
    assert data["result"]["settings"]["depth"] == 3
    assert data["result"]["settings"]["universe"] == 100
    assert data["result"]["belief"]["method"] == "majority"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("measures=nDGC", "unknown measure"),
        ("level=95", "the level must be between 0 and 1"),
        ("level=many", "the level must be a number"),
        ("belief=majorty", "did you mean &#39;majority&#39;?"),
        ("families=/etc/passwd", "unknown way with families"),
        ("delta=-1", "δ must be a number, 0 or more"),
        ("universe=0", "must be a whole number, 1 or more"),
        ("seed=x", "the seed must be a whole number"),
        ("depth=0", "the depth must be a whole number, 1 or more"),
        ("weights=S1", "is not a weight"),
        ("measures=" + "P," * 600, "is no choice"),
        ("verb=nothing", "unknown question"),
        ("verb=tree", "cannot be asked of these data"),
    ],
)
def test_choices_that_cannot_be_are_told_beside_the_form(
    client: httpx.Client, ranked: str, typed: str, said: str
) -> None:
    shown = html(client, f"/p/{ranked}/compare?{typed}", status=422)
    assert said in shown
    name, _, value = typed.partition("=")
    if name != "verb":
        assert f'value="{value}"' in shown
        assert 'aria-invalid="true"' in shown
    data = client.get(f"/p/{ranked}/compare.json?{typed}")
    assert data.status_code == 422
    assert data.json()["error"]


def test_what_cannot_be_computed_is_told_beside_the_form(client: httpx.Client, ranked: str) -> None:
    data = settled(client, f"/p/{ranked}/compare.json?belief=hds", status=422)
    assert "hds needs families" in data["error"]
    shown = html(client, f"/p/{ranked}/compare?belief=hds", status=422)
    assert "This cannot be computed" in shown
    assert '<option value="hds" selected>' in shown


def test_distributions_where_judges_disagree(client: httpx.Client, make_project: Any) -> None:
    slug = make_project("Judges", RUNS, JUDGES)
    data = settled(client, f"/p/{slug}/compare.json")
    assert data["verb"] == data["result"]["verb"] == "distributions"
    assert [one["verb"] for one in data["verbs"]] == ["rank", "distributions"]
    other = settled(client, f"/p/{slug}/compare.json?verb=distributions&measure=AP")
    assert other["result"]["measure"] == "ap"
    assert settled(client, f"/p/{slug}/compare.json?verb=rank")["result"]["verb"] == "rank"


def test_by_category(client: httpx.Client, pictures: str) -> None:
    data = settled(client, f"/p/{pictures}/compare.json?category=people")
    assert data["verb"] == data["result"]["verb"] == "tree"
    assert data["result"]["headline"].startswith("Asked for people: faces")
    (field,) = [one for one in data["fields"] if one["name"] == "category"]
    assert {"people", "city", "dog"} <= {*field["suggested"]}
    wrong = settled(client, f"/p/{pictures}/compare.json?category=peopel", status=422)
    assert "people" in wrong["error"]


def test_against_each_person(client: httpx.Client, make_project: Any) -> None:
    lines = [
        f"{query},{who},d{(place * step) % 5},{1 - place / 5}"
        for query in ("q1", "q2")
        for who, step in (("ann", 1), ("ben", 2))
        for place in range(5)
    ]
    truth = {"s.csv": ("query,subject,item,relevance\n" + "\n".join(lines)).encode()}
    runs = {
        f"s{step}.run": "\n".join(
            f"{query} Q0 d{(place * step) % 5} {place + 1} {5 - place} s{step}"
            for query in ("q1", "q2")
            for place in range(5)
        ).encode()
        for step in (3, 4)
    }
    slug = make_project("Subjects", runs, truth)
    data = settled(client, f"/p/{slug}/compare.json?verb=displacement&quality=rational:p=2")
    assert data["result"]["verb"] == "displacement"
    assert {one["name"] for one in data["result"]["subjects"]} == {"ann", "ben"}
    assert data["settings"] == {"quality": "rational:p=2"}


@pytest.mark.parametrize(
    ("name", "files", "truth", "said"),
    [
        ("Nothing", {}, {}, "Nothing has been read yet."),
        ("People", {}, LABELS, "No system has answered yet"),
        ("One", {"bm25.run": RUNS["bm25.run"]}, {}, "Only bm25 has answered, and nobody knows"),
        ("No tree", {"pictures-results.csv": PICTURES["pictures-results.csv"]}, ASSIGNED, "tree"),
    ],
)
def test_nothing_to_compare_says_what_to_do(
    client: httpx.Client, make_project: Any, name: str, files: Any, truth: Any, said: str
) -> None:
    slug = make_project(name, files, truth)
    data = settled(client, f"/p/{slug}/compare.json")
    assert said in data["missing"]["what"]
    assert data["missing"]["todo"]
    assert data["result"] is None
    shown = html(client, f"/p/{slug}/compare")
    assert "<h1>Compare</h1>" in shown
    assert data["missing"]["todo"][0]["say"] in shown


def test_one_system_with_truth_has_scores_and_a_word_on_it(
    client: httpx.Client, make_project: Any
) -> None:
    slug = make_project("One with truth", {"bm25.run": RUNS["bm25.run"]}, QRELS)
    data = settled(client, f"/p/{slug}/compare.json")
    assert "nobody to be compared with" in data["missing"]["what"]
    assert [one["name"] for one in data["result"]["systems"]] == ["bm25"]


def test_answers_that_come_change_the_verdict_and_are_counted(
    app: Served, client: httpx.Client, make_project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    slug = make_project("Labelled", RUNS)
    project = ask(app.db, fetch_project(app.db, slug), Question())
    ann, _ = add_person(app.db, project, "Ann")
    draw_items(app.db, project, "all")
    before = settled(client, f"/p/{slug}/compare.json")
    assert (before["since"], before["changed"]) == (None, None)
    for _ in range(3):
        task = next_task(app.db, project, ann)
        assert task is not None
        save_label(app.db, project, ann.id, task.id, Said(True), key=next(keys))
    monkeypatch.setattr(pages, "PATIENCE", 0)
    shown = html(client, f"/p/{slug}/compare")
    assert "3 answers have come since: computing." in shown
    assert before["result"]["verdict"].split(",")[0] in shown
    assert 'role="status"' in shown
    after = settled(client, f"/p/{slug}/compare.json")
    assert after["since"] is None
    assert after["changed"]["before"] == before["result"]["id"]
    assert after["changed"]["after"] == after["result"]["id"]
    assert after["changed"]["headline"].startswith(("Before: ", "The same verdict: "))
    assert after["result"]["condition"] != before["result"]["condition"]
    shown = html(client, f"/p/{slug}/compare")
    assert "What changed: " in shown
    assert f"/p/{slug}/reports/diff?a={before['result']['id']}" in shown


def test_other_changes_are_counted_as_changes(
    app: Served, client: httpx.Client, make_project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    slug = make_project("Set aside", RUNS, QRELS)
    settled(client, f"/p/{slug}/compare.json")
    (truth,) = [one for one in sources(app.db, fetch_project(app.db, slug)) if one.role == "truth"]
    client.post(f"/p/{slug}/sources/{truth.id}/aside", data={"aside": "true"}).raise_for_status()
    monkeypatch.setattr(pages, "PATIENCE", 0)
    assert "The study has changed 1 time since: computing." in html(client, f"/p/{slug}/compare")
    after = settled(client, f"/p/{slug}/compare.json")
    assert after["result"]["condition"] == "absent"
    assert after["changed"] is not None
