"""Jobs as pages tell of them: failures until they are seen, a page of their own, no typing lost."""

from __future__ import annotations

import itertools
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from consilience.store.projects import make_project, project
from consilience.web import jobs as work
from consilience.web.jobs import Job
from tests.web.asked import html
from tests.web.served import Served

#: Each kind of change, and the page that begins it and tells of it.
PLACES = {
    "add": "overview",
    "content": "overview",
    "draw": "label",
    "pack": "archive",
    "unpack": "",
}
_numbers = itertools.count(1_000_000)


@pytest.fixture
def slug(app: Served) -> str:
    return make_project(app.db, "told").slug


def begun(app: Served, slug: str, verb: str) -> Job:
    """Have a job that ends when the test says so."""
    of = project(app.db, slug) if verb != "unpack" else None
    asked: dict[str, Any] = {
        "project": of.slug if of else "",
        "verb": verb,
        "settings": {},
        "after": None,
    }
    job = Job(next(_numbers), "", of.id if of else 0, verb, asked, "running")
    app.jobs._jobs[job.id] = job
    return job


def told(client: httpx.Client, slug: str, verb: str) -> list[int]:
    """Give the jobs that failed as a page tells them."""
    page = PLACES[verb]
    data = client.get(f"/p/{slug}/{page}.json" if page else "/index.json").raise_for_status()
    return [one["id"] for one in data.json()["failed"] if one["verb"] == verb]


@pytest.mark.parametrize("verb", PLACES)
def test_work_that_failed_is_told_until_it_is_seen(
    app: Served, client: httpx.Client, slug: str, verb: str
) -> None:
    address = f"/p/{slug}/{PLACES[verb]}" if PLACES[verb] else "/"
    first, second, third = (begun(app, slug, verb) for _ in range(3))
    app.jobs._end(first, "failed", "x.csv:3: <b>no</b> vote")
    assert told(client, slug, verb) == [first.id]
    shown = html(client, address)
    assert "x.csv:3: &lt;b&gt;no&lt;/b&gt; vote" in shown
    assert f'action="/jobs/{first.id}/dismiss"' in shown
    app.jobs._end(second, "failed", "another")
    assert told(client, slug, verb) == [second.id], "the last one"
    with httpx.Client(base_url=app.url) as stranger:
        assert stranger.post(f"/jobs/{second.id}/dismiss").status_code == 403
    assert told(client, slug, verb) == [second.id]
    said = client.post(f"/jobs/{second.id}/dismiss").raise_for_status().json()
    assert said["next"] == address
    assert told(client, slug, verb) == []
    app.jobs._end(third, "failed", "once more")
    assert told(client, slug, verb) == [third.id]
    app.jobs._end(begun(app, slug, verb), "done", None)
    assert told(client, slug, verb) == []


def test_what_was_told_at_once_is_not_told_again_and_nothing_untold_is_forgotten(
    app: Served, client: httpx.Client, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = begun(app, slug, "add")
    app.jobs._end(late, "failed", "too late")
    sent = [("files", ("bad.csv", b"item,system,vote\nd1,A,7\n"))]
    assert client.post(f"/p/{slug}/upload", files=sent).status_code == 422
    assert told(client, slug, "add") == [late.id]
    monkeypatch.setattr(work, "REMEMBERED", 0)
    app.jobs._forget()
    assert told(client, slug, "add") == [late.id]
    assert sum(job.ended.is_set() for job in app.jobs._jobs.values()) == 1


def test_a_job_has_a_page_of_its_own(app: Served, client: httpx.Client, slug: str) -> None:
    job = begun(app, slug, "rank")
    here = f"/jobs/{job.id}"
    shown = html(client, here)
    assert "<html" in shown
    assert f'href="/p/{slug}/compare"' in shown
    assert '<noscript><meta http-equiv="refresh"' in shown
    assert f'<a href="{here}">Look again</a>' in shown
    part = client.get(here, headers={"hx-request": "true"}).text
    assert "<html" not in part
    assert "<progress" in part
    app.jobs._end(job, "done", None, "rank-12ab")
    shown = html(client, here)
    assert "http-equiv" not in shown
    assert f'<a href="/p/{slug}/reports/rank-12ab">Show it</a>' in shown
    assert '<a href="">Show it</a>' in client.get(here, headers={"hx-request": "true"}).text
    for verb, place in (("add", f"/p/{slug}/overview"), ("pack", f"/p/{slug}/archive?job=")):
        job = begun(app, slug, verb)
        app.jobs._end(job, "done", None, None)
        more = job.id if verb == "pack" else ""
        assert f'<a href="{place}{more}">Show it</a>' in html(client, f"/jobs/{job.id}")
    job = begun(app, slug, "unpack")
    app.jobs._end(job, "done", None, slug)
    assert f'<a href="/p/{slug}/overview">Show it</a>' in html(client, f"/jobs/{job.id}")


def typed(page: Page) -> None:
    page.get_by_label("Encoding").fill("latin-1")
    page.locator("main").focus()


def chosen(page: Page) -> None:
    page.get_by_label("Files: choose them").set_input_files(
        {"name": "a.csv", "mimeType": "text/csv", "buffer": b"item,vote\nd1,1\n"}
    )


def selected(page: Page) -> None:
    page.get_by_label("They are").select_option("truth")
    page.locator("main").focus()


def asked(page: Page) -> None:
    page.keyboard.press("?")


def pressing(page: Page) -> None:
    page.mouse.move(600, 20)
    page.mouse.down()


@pytest.mark.parametrize("doing", [typed, chosen, selected, asked, pressing])
def test_a_page_that_somebody_uses_is_not_pulled_away(
    page: Page, app: Served, slug: str, doing: Any
) -> None:
    job = begun(app, slug, "content")
    page.goto(f"{app.url}/p/{slug}/overview")
    page.evaluate("window.here = true")
    doing(page)
    app.jobs._end(job, "done", None, {})
    link = page.get_by_role("link", name="Show it", include_hidden=True)
    expect(link).to_have_count(1)
    page.wait_for_timeout(1100 if doing in (typed, pressing) else 200)
    assert page.evaluate("window.here")
    if doing is pressing:
        page.mouse.up()
    elif doing is typed:
        assert page.get_by_label("Encoding").input_value() == "latin-1"
        link.click()
    else:
        return
    page.wait_for_function("() => !window.here && !document.querySelector('[data-done]')")


def test_a_failure_is_dismissed_where_it_stands(page: Page, app: Served, slug: str) -> None:
    job = begun(app, slug, "add")
    page.goto(f"{app.url}/p/{slug}/overview")
    page.get_by_label("Encoding").fill("latin-1")
    app.jobs._end(job, "failed", "x.csv: no")
    expect(page.get_by_role("alert")).to_contain_text("x.csv: no")
    page.get_by_role("button", name="Dismiss").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_label("Encoding")).to_have_value("latin-1")
