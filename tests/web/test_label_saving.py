"""Answers in a real browser when saving fails: kept, sent again, once, as whose they are."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.web.label_pages import Begin, beginning, done, said
from tests.web.labelling import ask
from tests.web.served import Served, Watched
from tests.web.test_database_away import closed, overwritten

expect.set_options(timeout=15_000)


@pytest.fixture
def begin(make_project: Any, client: httpx.Client) -> Begin:
    """Begins a project with tasks; gives its slug and a link for everybody."""
    return beginning(make_project, client)


def test_an_answer_that_cannot_be_saved_is_kept_and_sent_again(
    page: Page, watched: Watched, app: Served, begin: Begin
) -> None:
    slug, link = begin(number="2")
    page.goto(link)
    away = {"left": 1000}

    def answer(route: Route) -> None:
        away["left"] -= 1
        if away["left"] >= 0:
            route.abort("connectionrefused")
        else:
            route.continue_()

    page.route("**/work/save", answer)
    page.keyboard.press("y")
    warning = page.get_by_role("alert").filter(has_text="Not saved yet")
    expect(warning).to_be_visible()
    expect(warning).to_contain_text("The server cannot be reached.")
    page.keyboard.press("n")  # one answer at a time: this one is not taken
    away["left"] = 0
    page.get_by_role("button", name="Send it now").click()
    done(page, 1)
    expect(warning).to_be_hidden()
    assert said(app, slug) == [True]
    watched.expect("error: Failed to load resource: net::ERR_CONNECTION_REFUSED")


def test_an_answer_whose_acknowledgement_is_lost_is_kept_once(
    page: Page, watched: Watched, app: Served, begin: Begin
) -> None:
    slug, link = begin(number="2")
    page.goto(link)
    lost = list[Any]()

    def answer(route: Route) -> None:
        if not lost:
            lost.append(route.fetch())  # it arrives, and nobody hears of it
            route.abort("connectionreset")
        else:
            route.continue_()

    page.route("**/work/save", answer)
    page.keyboard.press("y")
    expect(page.get_by_role("alert").filter(has_text="Not saved yet")).to_be_visible()
    page.get_by_role("button", name="Send it now").click()
    done(page, 1)
    assert said(app, slug) == [True]
    watched.expect("error: Failed to load resource: net::ERR_CONNECTION_RESET")


def test_an_unsaved_answer_survives_a_reload(
    page: Page, watched: Watched, app: Served, begin: Begin
) -> None:
    slug, link = begin(number="2")
    page.goto(link)
    page.route("**/work/save", lambda route: route.abort("connectionrefused"))
    page.keyboard.press("n")
    expect(page.get_by_role("alert").filter(has_text="Not saved yet")).to_be_visible()
    page.unroute("**/work/save")
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    done(page, 1)
    assert said(app, slug) == [False]
    watched.expect("error: Failed to load resource: net::ERR_CONNECTION_REFUSED")


def test_an_answer_outlives_its_session(
    page: Page, context: BrowserContext, watched: Watched, app: Served, begin: Begin
) -> None:
    """The session ends in the middle; the link, opened in another tab, brings the answer home."""
    slug, link = begin(number="2")
    page.goto(link)
    context.clear_cookies()
    page.keyboard.press("n")
    warning = page.get_by_role("alert").filter(has_text="Not saved yet")
    expect(warning).to_contain_text("open it again")
    other = context.new_page()
    other.goto(link)
    page.get_by_role(
        "button", name="Send it now"
    ).click()  # finds out that the session is a new one
    page.wait_for_function("() => document.querySelector('#unsaved').hidden", timeout=15_000)
    done(page, 1)
    assert said(app, slug) == [False]
    watched.expect("error: Failed to load resource: the server responded with a status of 401")
    watched.expect("error: Failed to load resource: the server responded with a status of 403")


def test_what_somebody_says_is_not_kept_as_anothers(
    page: Page, context: BrowserContext, watched: Watched, app: Served, begin: Begin
) -> None:
    """Two share a browser: the second opens their link while the first one's page is open."""
    slug, ann_link, ben_link = begin("relevance", "Ann", "Ben", number="4")
    page.goto(ann_link)
    other = context.new_page()
    other.goto(ben_link)
    page.keyboard.press("y")
    expect(page.get_by_role("alert").filter(has_text="Not saved yet")).to_contain_text("Ben")
    assert said(app, slug, "Ben") == []
    other.keyboard.press("n")
    done(other, 1)
    page.on("dialog", lambda dialog: dialog.accept())
    page.goto(ann_link)  # the answer waits in the tab
    done(page, 1)
    assert (said(app, slug, "Ann"), said(app, slug, "Ben")) == ([True], [False])
    watched.expect("error: Failed to load resource: the server responded with a status of 409")


def test_a_key_that_is_held_and_a_double_click_answer_once(
    page: Page, app: Served, begin: Begin
) -> None:
    slug, link = begin(number="6")
    page.goto(link)
    page.keyboard.down("y")
    done(page, 1)
    for _ in range(3):
        page.keyboard.down("y")  # the key repeats
    page.keyboard.up("y")
    done(page, 1)
    option = page.locator(".option").first
    option.dblclick(delay=50)
    done(page, 2)
    option.click()
    done(page, 3)
    page.keyboard.press("Space")  # scrolls, and is no answer
    done(page, 3)
    assert said(app, slug) == [True] * 3


def test_a_changed_question_is_told_and_nothing_is_lost(
    page: Page, watched: Watched, app: Served, client: httpx.Client, begin: Begin
) -> None:
    slug, link = begin("grades", grades="bad\ngood", number="2")
    page.goto(link)
    ask(client, slug, "grades", grades="poor\nrich")
    page.keyboard.press("1")
    expect(page.locator(".refused")).to_contain_text("the question was changed")
    page.reload()
    page.keyboard.press("2")
    done(page, 1)
    assert said(app, slug) == [1]
    watched.expect("error: Failed to load resource: the server responded with a status of 422")


def test_an_answer_outlives_a_database_that_is_away(
    page: Page, watched: Watched, app: Served, begin: Begin
) -> None:
    """It takes nothing for a while: the answer is sent again by itself, and is there once."""
    slug, link = begin(number="2")
    page.goto(link)
    with closed(app.db):
        page.keyboard.press("n")
        warning = page.get_by_role("alert").filter(has_text="Not saved yet")
        expect(warning).to_contain_text("the database does not answer as it should just now")
        assert "study.db" not in page.content()
        assert said(app, slug) == []
    done(page, 1)
    expect(warning).to_be_hidden()
    assert said(app, slug) == [False]
    watched.expect("error: Failed to load resource: the server responded with a status of 503")


def test_a_next_task_outlives_a_database_that_is_away(
    page: Page, watched: Watched, app: Served, begin: Begin
) -> None:
    slug, link = begin(number="2")
    page.goto(link)
    page.route("**/work/save", lambda route: route.fulfill(json={}))  # "saved", and then away
    with overwritten(app.db):
        page.keyboard.press("n")
        warning = page.get_by_role("alert").filter(has_text="could not be fetched")
        expect(warning).to_be_visible()
        page.unroute("**/work/save")
    expect(warning).to_be_hidden()
    page.keyboard.press("y")
    done(page, 1)
    assert said(app, slug) == [True]
    watched.expect("error: Failed to load resource: the server responded with a status of 503")
