"""Compare, People and Reports in a browser: charts, choices, keys, both grounds, narrow screens."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from consilience.web.pages import compare as pages
from tests.web.asked import ASSIGNED, PICTURES, QRELS, RUNS, settled
from tests.web.served import Served, Watched


@pytest.fixture(scope="module")
def slugs() -> dict[str, str]:
    """Projects that were made already, by name."""
    return {}


@pytest.fixture
def ranked(make_project: Any, slugs: dict[str, str]) -> str:
    """Two runs with truth."""
    if "ranked" not in slugs:
        slugs["ranked"] = make_project("Two runs", RUNS, QRELS)
    return slugs["ranked"]


def test_charts_are_drawn_and_have_a_table(page: Page, app: Served, ranked: str) -> None:
    page.goto(f"{app.url}/p/{ranked}/compare")
    for chart in ("forest", "ranks", "pairs"):
        figure = page.locator(f"figure[data-chart={chart}]")
        expect(figure.locator(".on-screen svg")).to_be_visible()
        expect(figure.get_by_text("The same figures as a table")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_have_count(1)


def test_choices_are_in_the_address_and_nothing_else(page: Page, app: Served, ranked: str) -> None:
    page.goto(f"{app.url}/p/{ranked}/compare")
    page.get_by_label("Measures, the first one ranks").fill("P@5")
    page.get_by_text("More choices").click()
    page.get_by_label("Seed of chance").fill("7")
    page.get_by_label("Seed of chance").press("Enter")
    expect(page).to_have_url(f"{app.url}/p/{ranked}/compare?measures=P%405&seed=7")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ranking by P@5")
    expect(page.get_by_label("Seed of chance")).to_have_value("7")
    page.get_by_role("link", name="As distributions").click()
    expect(page).to_have_url(f"{app.url}/p/{ranked}/compare?verb=distributions")
    expect(page.locator(".tabs [aria-current]")).to_have_text("As distributions")


def test_a_wrong_choice_stays_and_is_explained(
    page: Page, watched: Watched, app: Served, ranked: str
) -> None:
    page.goto(f"{app.url}/p/{ranked}/compare")
    page.get_by_label("Measures, the first one ranks").fill("nDGC")
    page.get_by_role("button", name="Show").first.press("Enter")
    field = page.get_by_label("Measures, the first one ranks")
    expect(field).to_have_value("nDGC")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#choice-measures-wrong")).to_contain_text("did you mean 'nDCG'?")
    watched.expect("422")


def test_a_page_shows_the_result_when_it_is_there(
    page: Page, app: Served, ranked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PATIENCE", 0)
    page.goto(f"{app.url}/p/{ranked}/compare?measures=R&seed=11")
    expect(page.get_by_role("heading", level=1)).to_have_text("Ranking by R")
    expect(page.locator("figure[data-chart=forest] svg")).to_be_visible()


def test_an_app_that_was_started_anew_is_asked_again(
    page: Page, app: Served, watched: Watched, ranked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PATIENCE", 0)
    for answer in ("abort", "404"):  # it is away; it is back and knows of no job
        gone = {
            "abort": lambda route: route.abort(),
            "404": lambda route: route.fulfill(status=404),
        }
        page.route("**/jobs/*", gone[answer], times=1)
        page.goto(f"{app.url}/p/{ranked}/compare?measures=Rprec&seed={len(answer)}")
        expect(page.get_by_role("heading", level=1)).to_have_text("Ranking by Rprec")
    watched.expect("404", "ERR_FAILED", "htmx:")


def test_long_results_say_what_stands_where(page: Page, app: Served, ranked: str) -> None:
    page.goto(f"{app.url}/p/{ranked}/compare")
    page.get_by_role("navigation", name="On this page").get_by_text("Who beats whom").click()
    expect(page).to_have_url(f"{app.url}/p/{ranked}/compare#part-who-beats-whom")
    expect(page.get_by_role("heading", name="Who beats whom")).to_be_in_viewport()


def test_a_result_is_kept_and_put_beside_another_by_keys_alone(
    page: Page, app: Served, client: httpx.Client, ranked: str
) -> None:
    settled(client, f"/p/{ranked}/compare.json?measures=AP")
    page.goto(f"{app.url}/p/{ranked}/compare?measures=F1")
    page.locator("summary", has_text="Keep this result").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("of today")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Name")).to_have_value("of today")
    page.keyboard.press("Escape")
    page.locator("main").focus()
    page.keyboard.press("g")
    page.keyboard.press("r")
    expect(page).to_have_url(f"{app.url}/p/{ranked}/reports")
    expect(page.get_by_role("link", name="of today")).to_be_visible()
    page.get_by_role("button", name="Both side by side").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Two results of rank, side by side")


def test_two_results_are_drawn(page: Page, app: Served, client: httpx.Client, ranked: str) -> None:
    ids = [
        settled(client, f"/p/{ranked}/compare.json?measures=AP&{more}")["result"]["id"]
        for more in ("depth=2", "depth=5")
    ]
    page.goto(f"{app.url}/p/{ranked}/reports/diff?a={ids[0]}&b={ids[1]}")
    expect(page.locator("figure[data-chart=moved] svg").first).to_be_visible()
    shown = page.locator("option").all_text_contents()
    assert not [one for one in shown if "UTC" in one], "times as the clock on the wall has them"
    page.get_by_role("link", name="the other way round").click()
    expect(page.get_by_label("Before", exact=True)).to_have_value(ids[1])


def test_the_paragraph_on_methods_is_copied(
    context: BrowserContext, page: Page, app: Served, client: httpx.Client, ranked: str
) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    id = settled(client, f"/p/{ranked}/compare.json")["result"]["id"]
    page.goto(f"{app.url}/p/{ranked}/reports/{id}")
    page.get_by_role("button", name="Copy the paragraph").press("Enter")
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("#methods").text_content()


@pytest.mark.parametrize("place", ["compare", "people", "reports"])
def test_narrow_and_dark_pages_fit(
    browser: Browser, app: Served, watched: Watched, make_project: Any, slugs: Any, place: str
) -> None:
    if "pictures" not in slugs:
        slugs["pictures"] = make_project("Pictures", PICTURES, ASSIGNED)
    made = browser.new_context(viewport={"width": 400, "height": 800}, color_scheme="dark")
    page = made.new_page()
    watched.follow(page)
    page.goto(f"{app.url}/p/{slugs['pictures']}/{place}")
    if place != "reports":
        expect(page.locator("figure svg").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    made.close()
