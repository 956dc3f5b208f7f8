"""Without a mouse: every page is reached, worked and left by keys, and one sees where one is."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from consilience.web.frame import PAGES
from tests.web import worlds
from tests.web.asked import FILES
from tests.web.served import PROGRAM, Served
from tests.web.worlds import World, by_number, settle, visit

#: Focuses everything that can be, in turn; names what does not show it.
UNSEEN = """() => {
  const wanted =
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
  const bad = [];
  for (const one of document.querySelectorAll(wanted)) {
    if (one.disabled || one.closest("dialog:not([open])") || !one.checkVisibility()) continue;
    one.focus({ focusVisible: true });
    const name = one.outerHTML.slice(0, 90);
    if (document.activeElement !== one) bad.push(`no focus: ${name}`);
    const shown = [one, one.closest("label, li")].filter(Boolean).some((el) => {
      const style = getComputedStyle(el);
      return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    });
    if (!shown) bad.push(`not seen: ${name}`);
  }
  document.activeElement?.blur();
  return bad;
}"""
#: Where the focus is.
FOCUSED = """() => {
  const one = document.activeElement;
  return one === document.body ? "" : `${one.tagName} ${one.id} ${one.textContent.slice(0, 30)}`;
}"""


@pytest.fixture(scope="module")
def world(app: Served) -> Iterator[World]:
    with httpx.Client(base_url=app.url, headers=PROGRAM, timeout=60) as client:
        yield World(client, app.db)


@pytest.fixture(scope="module")
def slug(world: World) -> str:
    made = worlds.runs(world, "Keys")
    world.ask(made, "relevance", ["Ann", "Bob"], overlap=2)
    for name in ("Ann", "Bob"):
        world.say(world.links[name], 5, by_number)
    for place in ("compare", "people", "label", "overview"):
        world.data(f"/p/{made}/{place}.json")
    return made


def tabbed(page: Page, most: int = 400) -> list[str]:
    """Go through a page with Tab until it is left; give where the focus was."""
    seen: list[str] = []
    for _ in range(most):
        page.keyboard.press("Tab")
        where = page.evaluate(FOCUSED)
        if not where:
            return seen
        seen.append(where)
    raise AssertionError(f"the focus stays on {page.url}: {seen[-5:]}")


def test_begin_a_project_bring_a_file_and_compare(page: Page, app: Served) -> None:
    page.goto(app.url)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    expect(page.get_by_role("link", name="Skip to the content")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.locator("#name").evaluate("(one) => one === document.activeElement"):
            break
    page.keyboard.type("By keys")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/p/by-keys/overview$"))
    settle(page)
    page.locator("#files").focus()
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Space")
    chooser.value.set_files(FILES / "votes.csv")
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED).endswith("Read them"):
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("row", name=re.compile("votes.csv"))).to_be_visible()
    settle(page)
    page.keyboard.press("g")
    page.keyboard.press("c")
    expect(page).to_have_url(re.compile("/p/by-keys/compare$"))
    settle(page)
    expect(page.locator(".verdict")).to_be_visible()


def test_keys_go_to_every_page_and_are_listed(page: Page, app: Served, slug: str) -> None:
    visit(page, f"{app.url}/p/{slug}/overview")
    for key, place, _ in (*PAGES, ("s", "soft", "Soft match")):
        page.keyboard.press("?")
        dialog = page.get_by_role("dialog")
        expect(dialog).to_be_visible()
        expect(dialog).to_contain_text("go to Soft match")
        page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        page.keyboard.press("g")
        page.keyboard.press(key)
        expect(page).to_have_url(re.compile(f"/{place}$"))
        settle(page)
    page.keyboard.press("g")
    page.keyboard.press("h")
    expect(page).to_have_url(f"{app.url}/")


def test_letters_that_are_typed_are_no_keys(page: Page, app: Served, slug: str) -> None:
    visit(page, f"{app.url}/p/{slug}/items")
    page.get_by_label("Item or query holds").focus()
    page.keyboard.type("gc?[]")
    expect(page.get_by_label("Item or query holds")).to_have_value("gc?[]")
    assert page.get_by_role("dialog").count() == 0
    assert page.url.endswith("/items")


def test_pages_of_a_table_by_keys(page: Page, app: Served, slug: str) -> None:
    visit(page, f"{app.url}/p/{slug}/items")
    page.keyboard.press("]")
    expect(page).to_have_url(re.compile("page=2"))
    settle(page)
    page.keyboard.press("[")
    expect(page).to_have_url(re.compile("page=1"))
    settle(page)
    page.get_by_role("link", name="disagreement").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("sort=disagreement"))


def test_the_focus_is_seen_everywhere_and_held_nowhere(
    page: Page, app: Served, world: World, slug: str
) -> None:
    here = f"{app.url}/p/{slug}"
    item = world.data(f"/p/{slug}/items.json")["items"][0]["address"]
    result = world.data(f"/p/{slug}/reports.json")["results"][0]["id"]
    page.goto(world.links["Ann"])
    page.wait_for_url("**/work")
    for address in (
        *(app.url, f"{app.url}/login", f"{app.url}/api", f"{app.url}/work/answers"),
        *(f"{here}/{place}" for _, place, _ in PAGES),
        *(app.url + item, f"{here}/reports/{result}", f"{here}/archive"),
        f"{app.url}/soft?gold=cafe%0Apizza&predicted=caffe%0Apizza",
        f"{app.url}/work",
    ):
        visit(page, address)
        seen = tabbed(page)
        assert any(one.strip().endswith("Skip to the content") for one in seen[:1]), address
        assert any("Keys" in one for one in seen), address
        page.locator("main details").evaluate_all(
            "(all) => { for (const d of all) d.open = true; }"
        )
        assert page.evaluate(UNSEEN) == [], address


def test_the_dialog_of_keys_holds_the_focus_and_gives_it_back(
    page: Page, app: Served, slug: str
) -> None:
    visit(page, f"{app.url}/p/{slug}/reports")
    page.locator("#keys-button").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    for _ in range(4):
        page.keyboard.press("Tab")
        inside = page.evaluate(
            "() => document.activeElement === document.body ||"
            " document.querySelector('dialog').contains(document.activeElement)"
        )
        assert inside
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page.locator("#keys-button")).to_be_focused()
