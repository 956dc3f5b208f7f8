"""Reports: stored results in a list, one by one, side by side, in every format; kept and gone."""

from __future__ import annotations

import io
import json
from typing import Any

import httpx
import pyarrow.parquet as pq
import pytest

from consilience.experiments import reproduce
from consilience.render import VERBS, render
from consilience.store.projects import project as fetch_project
from consilience.store.reports import listed
from consilience.store.results import keep_result, result
from consilience.verdict.compared import compared
from consilience.web.pages import reports as pages
from tests.web.asked import LABELS, QRELS, RUNS, html, settled
from tests.web.served import Served


@pytest.fixture(scope="module")
def ids() -> dict[str, str]:
    """The project and its results, made once."""
    return {}


@pytest.fixture
def made(client: httpx.Client, make_project: Any, ids: dict[str, str]) -> dict[str, str]:
    """A project with two rankings and a distribution, and their ids."""
    if not ids:
        slug = make_project("Reports", RUNS, QRELS)
        ids["slug"] = slug
        for name, asked in (
            ("first", "measures=AP"),
            ("second", "measures=AP,P@5&level=0.9"),
            ("spread", "verb=distributions"),
        ):
            ids[name] = settled(client, f"/p/{slug}/compare.json?{asked}")["result"]["id"]
    return ids


def test_the_list_has_the_newest_first(client: httpx.Client, made: dict[str, str]) -> None:
    data = settled(client, f"/p/{made['slug']}/reports.json")
    names = ["spread", "second", "first"]
    assert [one["id"] for one in data["results"]] == [made[name] for name in names]
    told = data["results"][1]
    assert told["said"] == "measures AP, P@5; level 0.9"
    assert told["headline"]
    assert (told["seed"], told["kept"], told["current"]) == (0, False, True)
    assert data["pair"] == {"a": made["first"], "b": made["second"]}
    shown = html(client, f"/p/{made['slug']}/reports")
    assert shown.count("<h1>") == 1
    assert "measures AP, P@5; level 0.9" in shown


def test_the_list_is_paged_and_chosen_from(
    client: httpx.Client, made: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "SIZE", 1)
    address = f"/p/{made['slug']}/reports"
    data = settled(client, f"{address}.json?verb=rank&page=2")
    assert data["paging"] == {"page": 2, "pages": 2, "all": 2}
    assert [one["id"] for one in data["results"]] == [made["first"]]
    assert f"{address}?verb=rank&amp;page=1" in html(client, f"{address}?verb=rank&page=2")
    far = settled(client, f"{address}.json?verb=rank&page=99")
    assert (far["paging"], far["results"]) == (data["paging"], data["results"])
    assert "There is no such result" in html(client, f"{address}?verb=agree")


def test_a_result_has_its_own_page(app: Served, client: httpx.Client, made: dict[str, str]) -> None:
    address = f"/p/{made['slug']}/reports/{made['second']}"
    data = settled(client, f"{address}.json")
    assert data["result"] == result(app.db, made["second"]).payload
    assert data["methods"].endswith(f"result {made['second']}.")
    assert data["input_hash"] == data["result"]["input_hash"]
    assert data["again"] == f"/p/{made['slug']}/compare?verb=rank&level=0.9&measures=AP%2CP%405"
    again = settled(client, data["again"].replace("compare?", "compare.json?"))
    assert again["result"]["id"] == made["second"]
    shown = html(client, address)
    assert shown.count("<h1>") == 1
    assert 'data-copy="methods"' in shown
    assert data["input_hash"] in shown
    assert client.get(f"/p/{made['slug']}/reports/rank-nothing.json").status_code == 404
    for odd in ("rank%00", "%2e%2e", "a%20b"):
        assert client.get(f"/p/{made['slug']}/reports/{odd}.json").status_code in (400, 404, 422)
        assert client.get(f"/p/{made['slug']}/reports.json?verb={odd}").status_code in (400, 422)
    other = client.post("/projects", data={"name": "Other"}).json()["slug"]
    assert client.get(f"/p/{other}/reports/{made['second']}.json").status_code == 404


@pytest.mark.parametrize("name", ["first", "spread"])
def test_every_format_is_what_the_library_writes(
    app: Served, client: httpx.Client, made: dict[str, str], name: str
) -> None:
    kept = result(app.db, made[name])
    data = settled(client, f"/p/{made['slug']}/reports/{kept.id}.json")
    assert {one["format"] for one in data["formats"]} == {*VERBS[kept.verb]}
    for one in data["formats"]:
        answer = client.get(one["address"]).raise_for_status()
        written = render(kept.payload, one["format"])
        expected = written if isinstance(written, bytes) else written.encode()
        assert answer.content == expected
        ending = {"latex": "tex", "text": "txt"}.get(one["format"], one["format"])
        file = f'attachment; filename="{made["slug"]}-{kept.id}.{ending}"'
        assert answer.headers["content-disposition"] == file
        assert answer.headers["x-content-type-options"] == "nosniff"
    content = client.get(f"/p/{made['slug']}/reports/{kept.id}/as/parquet").content
    assert pq.read_table(io.BytesIO(content)).num_rows > 0
    assert json.loads(client.get(f"/p/{made['slug']}/reports/{kept.id}/as/json").content)
    wrong = client.get(f"/p/{made['slug']}/reports/{kept.id}/as/latx")
    assert wrong.status_code == 422
    assert "did you mean 'latex'?" in wrong.json()["error"]


def test_two_results_side_by_side(app: Served, client: httpx.Client, made: dict[str, str]) -> None:
    address = f"/p/{made['slug']}/reports/diff"
    query = f"?a={made['first']}&b={made['second']}"
    data = settled(client, f"{address}.json{query}")
    twin = compared(*(result(app.db, made[name]).payload for name in ("first", "second")))
    del twin["created"], data["diff"]["created"]
    assert data["diff"] == json.loads(json.dumps(twin))
    assert {one["name"] for one in data["diff"]["settings"]} == {"level", "measures"}
    shown = html(client, address + query)
    assert '<figure data-chart="moved">' in shown
    assert shown.count("<h1>") == 1
    for one in data["formats"]:
        assert client.get(one["address"]).raise_for_status().content
    assert client.get(f"{address}.json?a={made['first']}&b=rank-0").status_code == 404


def test_different_questions_are_not_compared(client: httpx.Client, made: dict[str, str]) -> None:
    query = f"?a={made['first']}&b={made['spread']}"
    data = settled(client, f"/p/{made['slug']}/reports/diff.json{query}")
    assert data["diff"] is None
    assert "answer different questions" in data["problem"]
    shown = html(client, f"/p/{made['slug']}/reports/diff{query}")
    assert "These two cannot be compared" in shown
    assert f'value="{made["spread"]}" selected>' in shown
    assert "<h1>" in html(client, f"/p/{made['slug']}/reports/diff")


def test_results_are_kept_renamed_and_forgotten(
    app: Served, client: httpx.Client, make_project: Any
) -> None:
    slug = make_project("Kept", {}, LABELS)
    id = settled(client, f"/p/{slug}/people.json")["result"]["id"]
    address = f"/p/{slug}/reports/{id}"
    for name in ("<script>alert(1)</script>", "of May"):
        client.post(f"{address}/keep", data={"name": name}).raise_for_status()
        shown = html(client, f"/p/{slug}/reports?kept=true")
        assert "<script>alert" not in shown
    told = settled(client, f"{address}.json")["about"]
    assert (told["name"], told["kept"]) == ("of May", True)
    refused = client.post(f"{address}/forget")
    assert refused.status_code == 422
    assert "this result is kept" in refused.json()["error"]
    assert client.post(f"{address}/keep", data={"name": "a\tb"}).status_code == 422
    client.post(f"{address}/release").raise_for_status()
    assert not settled(client, f"{address}.json")["about"]["kept"]
    client.post(f"{address}/forget").raise_for_status()
    assert listed(app.db, fetch_project(app.db, slug)) == ([], 0)
    assert client.post(f"{address}/forget").status_code == 404
    again = settled(client, f"/p/{slug}/people.json")["result"]["id"]
    assert again == id
    client.post(f"{address}/keep").raise_for_status()
    client.post(f"{address}/forget", data={"sure": "true"}).raise_for_status()


def test_an_experiment_of_the_papers_is_a_report_like_any_other(
    app: Served, client: httpx.Client
) -> None:
    slug = client.post("/projects", data={"name": "Experiments"}).json()["slug"]
    for n in (1, 2):
        payload = reproduce("words", seed=n).payload() | {"id": f"reproduce-{n}"}
        keep_result(app.db, fetch_project(app.db, slug), payload, settings={"n": n}, version=1)
    ids = [one["id"] for one in settled(client, f"/p/{slug}/reports.json")["results"]]
    assert ids == ["reproduce-2", "reproduce-1"]
    assert "cardinalities" in html(client, f"/p/{slug}/reports")
    told = settled(client, f"/p/{slug}/reports/{ids[0]}.json")
    assert {one["format"] for one in told["formats"]} == {*VERBS["reproduce"]}
    assert told["again"] is None
    for one in told["formats"]:
        assert client.get(one["address"]).raise_for_status().content
    assert "What agrees, what does not" in html(client, f"/p/{slug}/reports/{ids[0]}")
    html(client, f"/p/{slug}/reports/diff?a={ids[1]}&b={ids[0]}")


def test_a_project_without_results_says_where_they_come_from(
    client: httpx.Client, make_project: Any
) -> None:
    slug = make_project("None", {})
    assert "No result has been computed yet" in html(client, f"/p/{slug}/reports")
    assert "No result has been computed yet" in html(client, f"/p/{slug}/reports/diff")


def test_changes_need_the_page_or_a_program(app: Served, made: dict[str, str]) -> None:
    with httpx.Client(base_url=app.url) as stranger:
        for action in ("keep", "release", "forget"):
            address = f"/p/{made['slug']}/reports/{made['first']}/{action}"
            assert stranger.post(address, data={"sure": "true"}).status_code == 403
