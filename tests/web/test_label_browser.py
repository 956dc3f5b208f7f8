"""Labelling in a real browser: by keyboard alone, two at once, undo, closed tabs, plain forms."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from consilience.store.content import add_items
from consilience.store.labels import history
from consilience.store.people import respondents
from consilience.store.projects import project
from tests.web.label_pages import Begin, beginning, done, order, said
from tests.web.labelling import ask, draw, invite, runs
from tests.web.served import Served, Watched

expect.set_options(timeout=15_000)

BAD = "<script>window.hurt = 1</script><img src=x onerror='window.hurt = 2'> & {{ 7 * 7 }}"


@pytest.fixture
def begin(make_project: Any, client: httpx.Client) -> Begin:
    """Begins a project with tasks; gives its slug and a link for everybody."""
    return beginning(make_project, client)


def test_yes_and_no_by_keyboard(page: Page, app: Served, begin: Begin) -> None:
    slug, link = begin(number="6")
    page.goto(link)
    for count, key in enumerate(("y", "n", "1", "2", "0"), 1):
        page.keyboard.press(key)
        done(page, count)
        expect(page.locator("#asked")).to_be_focused()
        expect(page.locator("#told")).to_contain_text(f"Saved. {count} done")
    page.keyboard.press("ArrowDown")  # going through choices is no answer yet
    page.keyboard.press("ArrowDown")
    done(page, 5)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Nothing is left for you now")).to_be_focused()
    assert said(app, slug) == [True, False, True, False, None, False]


def test_grades_with_confidence_by_keyboard(page: Page, app: Served, begin: Begin) -> None:
    slug, link = begin("grades", grades="bad\nfair\ngood", confidence="true", number="2")
    page.goto(link)
    page.keyboard.press("3")
    page.keyboard.press("-")
    page.keyboard.press("+")
    expect(page.get_by_label("fairly sure")).to_be_checked()
    done(page, 0)
    page.keyboard.press("Enter")
    done(page, 1)
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.locator(".end")).to_be_visible()
    assert said(app, slug) == [2, 1]
    here = project(app.db, slug)
    (ann,) = [one for one in respondents(app.db, here) if one.kind == "person"]
    sure = [one["confidence"] for one in history(app.db, here, ann.id)]
    assert sure == [None, pytest.approx(2 / 3)]


def test_categories_by_keyboard(page: Page, app: Served, begin: Begin) -> None:
    words = "\n".join(["animal", "dog", "cat", *(f"plant {number}" for number in range(20))])
    slug, link = begin("category", words=words, number="4")
    page.goto(link)
    page.keyboard.press("2")
    done(page, 1)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    done(page, 2)
    page.keyboard.press("/")
    page.keyboard.type("plant 1")
    expect(page.locator("#found")).to_have_text("11 found")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    done(page, 3)
    page.keyboard.press("/")
    page.keyboard.type("xu0")  # letters that are keys elsewhere
    expect(page.locator("#found")).to_have_text("0 found")
    page.keyboard.press("Enter")
    done(page, 3)
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    expect(page.locator(".end")).to_be_visible()
    assert said(app, slug) == ["dog", "cat", "plant 10", None]


def test_pairs_by_keyboard(page: Page, app: Served, begin: Begin) -> None:
    slug, link = begin("pairs", number="4")
    page.goto(link)
    chosen = []
    for count, (key, side) in enumerate((("ArrowLeft", 0), ("ArrowRight", 1), ("=", 2)), 1):
        chosen.append(page.locator(".pair .text").nth(side).inner_text() if side < 2 else 0)
        page.keyboard.press(key)
        done(page, count)
    page.keyboard.press("x")
    expect(page.locator(".end")).to_be_visible()
    assert said(app, slug) == [*chosen, None]


def test_orders_by_keyboard(page: Page, app: Served, begin: Begin) -> None:
    slug, link = begin("ranking", number="2")
    page.goto(link)
    a, b, c, *rest = order(page)
    page.keyboard.press("ArrowDown")  # to the first item
    page.keyboard.press("Alt+ArrowDown")
    assert order(page) == [b, a, c, *rest]
    page.keyboard.press("ArrowDown")
    page.keyboard.press(" ")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press(" ")
    assert order(page) == [c, b, a, *rest]
    expect(page.locator("#told")).to_contain_text("let go")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Delete")
    expect(page.locator("#told")).to_contain_text("not relevant")
    page.keyboard.press("Enter")
    done(page, 1)
    assert said(app, slug) == [[c, a, *rest]]


def test_orders_by_mouse(page: Page, app: Served, begin: Begin) -> None:
    slug, link = begin("ranking", number="1")
    page.goto(link)
    a, *rest = order(page)
    items = page.locator("#order li[data-item]")
    items.first.drag_to(items.last, target_position={"x": 50, "y": 30})
    assert order(page) == [*rest, a]
    page.get_by_role("button", name="Up").last.click()
    assert order(page) == [*rest[:-1], a, rest[-1]]
    page.get_by_role("button", name="Save this order").click()
    expect(page.locator(".end")).to_be_visible()
    assert said(app, slug) == [[*rest[:-1], a, rest[-1]]]


def test_undo_and_redo_by_keyboard(page: Page, app: Served, begin: Begin) -> None:
    slug, link = begin(number="3")
    page.goto(link)
    page.keyboard.press("y")
    done(page, 1)
    first = page.locator("#work").get_attribute("data-task")
    page.keyboard.press("n")
    done(page, 2)
    page.keyboard.press("u")
    done(page, 1)
    expect(page.locator("#work")).to_have_attribute("data-task", first or "")
    expect(page.locator(".before")).to_have_text("You took back: no")
    page.keyboard.press("r")
    done(page, 2)
    page.keyboard.press("u")
    done(page, 1)
    page.keyboard.press("y")
    done(page, 2)
    assert said(app, slug) == [True, True]
    page.get_by_role("link", name="Your answers").click()
    page.get_by_role("button", name="Take back").last.click()
    done(page, 1)
    assert said(app, slug) == [True]


def test_a_closed_tab_goes_on_where_it_was(context: BrowserContext, begin: Begin) -> None:
    _, link = begin()
    tab = context.new_page()
    tab.goto(link)
    tab.keyboard.press("y")
    done(tab, 1)
    open_one = tab.locator("#work").get_attribute("data-task")
    tab.close()
    again = context.new_page()
    again.goto(link)
    expect(again.locator("#work")).to_have_attribute("data-task", open_one or "")
    done(again, 1)


def test_two_people_at_once(
    browser: Browser, watched: Watched, app: Served, client: httpx.Client, begin: Begin
) -> None:
    slug, ann_link, ben_link = begin("relevance", "Ann", "Ben", number="8")
    pages = []
    for link in (ann_link, ben_link):
        own = browser.new_context()
        own.on("page", watched.follow)
        pages.append(own.new_page())
        pages[-1].goto(link)
    for count in range(1, 5):
        tasks = [page.locator("#work").get_attribute("data-task") for page in pages]
        assert tasks[0] != tasks[1]  # one person for each task: nobody gets another's
        for page in pages:
            page.keyboard.press("y" if page is pages[0] else "n")
        for page in pages:
            done(page, count)
    for page in pages:
        expect(page.locator(".end")).to_be_visible()
        page.context.close()
    assert said(app, slug, "Ann") == [True] * 4
    assert said(app, slug, "Ben") == [False] * 4
    far = client.get(f"/p/{slug}/label.json").json()["progress"]
    assert (far["complete"], far["answers"]) == (8, 8)


def test_a_word_that_is_being_put_together_chooses_nothing(
    page: Page, app: Served, begin: Begin
) -> None:
    slug, link = begin("category", words="cat\ndog", number="2")
    page.goto(link)
    page.keyboard.press("/")
    page.evaluate(
        """() => document.getElementById("filter").dispatchEvent(new KeyboardEvent("keydown",
            {key: "Enter", isComposing: true, bubbles: true, cancelable: true}))"""
    )
    done(page, 0)
    page.keyboard.type("do")
    page.keyboard.press("Enter")
    done(page, 1)
    assert said(app, slug) == ["dog"]


@pytest.mark.parametrize("kind", ["relevance", "category", "pairs", "ranking"])
def test_what_items_hold_stays_text(
    page: Page, app: Served, client: httpx.Client, make_project: Any, kind: str
) -> None:
    slug = make_project("Runs", runs())
    add_items(app.db, project(app.db, slug), [(name, BAD) for name in "abcde"])
    ask(client, slug, kind, text=BAD, guide=BAD, words=f"plain\n{BAD}")
    draw(client, slug)
    (link,) = invite(client, slug, BAD)
    page.goto(link)
    expect(page.locator(".item-content .text").first).to_contain_text(BAD)
    expect(page.locator("#asked")).to_have_text(BAD)
    page.keyboard.press("x")
    done(page, 1)
    page.goto(f"{app.url}/work/answers")
    expect(page.get_by_role("button", name="Take back")).to_have_count(1)
    page.goto(f"{app.url}/p/{slug}/label")
    expect(page.get_by_role("rowheader", name=BAD)).to_be_visible()
    assert page.evaluate("window.hurt") is None


def test_plain_forms_work_without_scripts(browser: Browser, app: Served, begin: Begin) -> None:
    own = browser.new_context(java_script_enabled=False)
    page = own.new_page()
    slug, link = begin(number="3")
    page.goto(link)
    page.get_by_role("radio", name="yes").check()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Cannot tell").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".before")).to_have_text("You took back: cannot tell")
    page.get_by_role("radio", name="no").check()
    page.get_by_role("button", name="Save").click()
    assert said(app, slug) == [True, False]
    slug, link = begin("ranking", number="1")
    page.goto(link)
    places = page.locator("#order input.place")
    count = places.count()
    for place in range(count):
        places.nth(place).fill("" if place == 0 else str(count - place))
    items = order(page)
    page.get_by_role("button", name="Save this order").click()
    expect(page.locator(".end")).to_be_visible()
    assert said(app, slug) == [items[:0:-1]]
    own.close()


def test_the_organiser_asks_draws_and_invites(
    page: Page, watched: Watched, app: Served, make_project: Any
) -> None:
    slug = make_project("Runs", runs())
    page.goto(f"{app.url}/p/{slug}/label")
    page.get_by_label("People say").select_option("grades")
    page.get_by_label("Grades, one a line").fill("only one")
    page.get_by_role("button", name="Ask this").click()
    expect(page.get_by_role("alert")).to_contain_text("one grade leaves no choice")
    watched.expect("error: Failed to load resource: the server responded with a status of 422")
    page.get_by_label("Grades, one a line").fill("bad\ngood")
    page.get_by_label("People for each task").fill("2")
    page.get_by_role("button", name="Ask this").click()
    expect(page.get_by_text("How relevant is this to the query?").first).to_be_visible()
    page.get_by_label("Which items").select_option("next")
    page.get_by_label("How many").fill("5")
    page.get_by_role("button", name="Draw", exact=True).click()
    expect(page.locator("#draw tbody tr")).to_have_count(1)
    page.get_by_label("Names, one a line").fill("Ann\nBen")
    page.get_by_role("button", name="Make links").click()
    links = page.locator(".links code")
    expect(links).to_have_count(2)
    link = links.first.inner_text()
    page.get_by_role("button", name="Revoke the link of Ben").click()
    expect(page.get_by_text("none is out")).to_be_visible()
    page.goto(link)
    page.keyboard.press("1")
    done(page, 1)
    page.goto(f"{app.url}/p/{slug}/label")
    expect(page.get_by_role("row").filter(has_text="Ann").get_by_role("cell").first).to_have_text(
        "1"
    )
