"""Every page, in every state that matters, in light and dark: no barrier that axe can find."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.web import worlds
from tests.web.asked import FILES
from tests.web.served import PROGRAM, Served, Watched
from tests.web.worlds import World, by_number, first, settle

#: The checker itself, as its package carries it: nothing is loaded from elsewhere.
AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
#: The rules of WCAG 2.0 to 2.2, levels A and AA.
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
WHOLE = {"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations"]}
#: What can differ in other colours.
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}, "resultTypes": ["violations"]}


class Checker:
    """Looks at pages with axe, and gathers what it finds."""

    def __init__(self, page: Page, home: str) -> None:
        self.page = page
        self.home = home
        self.found: list[str] = []

    def visit(self, address: str) -> None:
        """Open a page and look at it."""
        self.page.goto(address if address.startswith("http") else self.home + address)
        self.look(address)

    def look(self, what: str) -> None:
        """Look at the page as it is now, in light and in dark."""
        for colours, options in (("light", WHOLE), ("dark", COLOURS)):
            self.page.emulate_media(color_scheme=colours)  # type: ignore[arg-type]
            settle(self.page)
            self.found += [f"{what} ({colours}): {one}" for one in self._run(options)]
        self.page.emulate_media(color_scheme="light")

    def _run(self, options: dict[str, Any]) -> Iterator[str]:
        if not self.page.evaluate("() => typeof axe === 'object'"):
            self.page.evaluate(AXE)
        told = self.page.evaluate("(options) => axe.run(document, options)", options)
        for one in told["violations"]:
            for node in one["nodes"]:
                summary = node["failureSummary"].replace("\n", " ")
                yield f"{one['id']} {node['target']} {node['html'][:120]} {summary[:300]}"


@pytest.fixture
def checker(page: Page, app: Served) -> Iterator[Checker]:
    """A checker of which everything must be free of barriers in the end."""
    made = Checker(page, app.url)
    yield made
    assert not made.found, "\n".join(made.found)


@pytest.fixture(scope="module")
def world(app: Served) -> Iterator[World]:
    with httpx.Client(base_url=app.url, headers=PROGRAM, timeout=60) as client:
        yield World(client, app.db)


def test_pages_without_anything(checker: Checker, world: World, watched: Watched) -> None:
    checker.visit("/")
    slug = world.begin("Empty")
    checker.visit("/login")
    checker.visit("/api")
    for place in ("overview", "compare", "items", "people", "label", "reports"):
        checker.visit(f"/p/{slug}/{place}")
    checker.visit("/p/nothing/overview")
    watched.expect("the server responded with a status of 404")


def test_pages_with_a_verdict(checker: Checker, world: World, watched: Watched) -> None:
    slug = worlds.runs(world)
    here = f"/p/{slug}"
    checker.visit("/")
    world.data(f"{here}/compare.json?measures=P@5")
    world.data(f"{here}/compare.json")
    checker.visit(f"{here}/overview")
    checker.visit(f"{here}/compare")
    checker.page.locator("summary").evaluate_all("all => all.forEach((one) => one.click())")
    checker.page.keyboard.press("?")
    expect(checker.page.get_by_role("dialog")).to_be_visible()
    checker.look("keys and choices open")
    checker.visit(f"{here}/compare?measures=nonsense&level=2")
    checker.visit(f"{here}/items")
    checker.visit(f"{here}/items?sort=nonsense")
    checker.visit(world.data(f"{here}/items.json")["items"][0]["address"])
    checker.visit(f"{here}/people")
    checker.visit(f"{here}/label")
    checker.visit(f"{here}/reports")
    ranked = [one["id"] for one in world.data(f"{here}/reports.json?verb=rank")["results"]]
    checker.visit(f"{here}/reports/{ranked[0]}")
    checker.visit(f"{here}/reports/diff?a={ranked[0]}&b={ranked[1]}")
    watched.expect("the server responded with a status of 4")


def test_pages_of_people_and_trees(checker: Checker, world: World, watched: Watched) -> None:
    made = ""
    for make, places in (
        (worlds.annotators, ("compare", "people", "items")),
        (worlds.pictures, ("overview", "compare", "people")),
    ):
        made = make(world)
        for place in places:
            world.data(f"/p/{made}/{place}.json")
            checker.visit(f"/p/{made}/{place}")
    broken = FILES / "broken.run"
    checker.page.goto(f"{checker.home}/p/{made}/overview")
    checker.page.locator("#files").set_input_files(broken)
    checker.page.get_by_role("button", name="Read them").click()
    expect(checker.page.get_by_role("alert")).to_be_visible()
    checker.look("a file that was refused")
    watched.expect("the server responded with a status of 4", "Response Status Error Code 422")


def test_soft_match(checker: Checker, watched: Watched) -> None:
    checker.visit("/soft")
    checker.visit("/soft?gold=cafe%0Apizza&predicted=caffe%0Apizza")
    checker.visit("/soft?gold=a&predicted=b&floor=7")
    watched.expect("the server responded with a status of 422")


@pytest.mark.parametrize("kind", ["relevance", "grades", "category", "ranking", "pairs"])
def test_labelling(
    checker: Checker, world: World, context: BrowserContext, kind: str, watched: Watched
) -> None:
    of_tree = kind == "category"
    slug = (worlds.pictures if of_tree else worlds.runs)(world, f"Label {kind}")
    settings = {"confidence": "true", "guide": "Look twice."} if kind != "relevance" else {}
    shown = {"predictions": "true", "others": "true"} if kind == "grades" else {}
    links = world.ask(slug, kind, ["Ann", "Bob"], number="9", overlap=2, **settings, **shown)
    world.say(links[0], 3, first if kind == "ranking" else by_number)
    world.data(f"/p/{slug}/label.json")
    checker.visit(f"/p/{slug}/label")
    if kind == "relevance":
        checker.page.locator("#names").fill("Cem")
        checker.page.get_by_role("button", name="Make links").click()
        expect(checker.page.get_by_text("send each to its person")).to_be_visible()
        checker.look("links")
    checker.visit(links[1])
    for one in checker.page.locator("details summary").all():
        one.click()
    checker.look(f"{kind}: open")
    checker.page.goto(links[0])
    checker.visit("/work/answers")
    checker.page.goto(f"{checker.home}/work")
    checker.page.keyboard.press("u")
    expect(checker.page.locator(".before")).to_be_visible()
    checker.look(f"{kind}: after undo")
    if kind == "relevance":
        world.say(links[0], 20, by_number)
        checker.visit("/work")
        expect(checker.page.locator(".end")).to_be_visible()
