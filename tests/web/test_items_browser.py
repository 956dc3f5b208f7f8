"""Items in a real browser: sorted by a click, paged by keys, everything stays text."""

from __future__ import annotations

import re
from collections import OrderedDict

import pytest
from playwright.sync_api import Page, expect

from consilience.web import items_index
from consilience.web.pages import items as pages_items
from tests.web.served import Served
from tests.web.test_items import NASTY, slug

__all__ = ["slug"]


def test_sorting_and_paging_by_keyboard(page: Page, app: Served, slug: str) -> None:
    page.goto(f"{app.url}/p/{slug}/items")
    page.get_by_role("columnheader", name="item").get_by_role("link").click()
    expect(page).to_have_url(re.compile("sort=name"))
    names = page.locator("tbody th a")
    expect(names.first).to_have_text("doc 000")
    page.keyboard.press("]")
    expect(names.first).to_have_text("doc 050")
    page.keyboard.press("]")
    expect(page.get_by_text("page 3 of 3").first).to_be_visible()
    page.keyboard.press("[")
    expect(names.first).to_have_text("doc 050")
    expect(page).to_have_url(re.compile("sort=name&page=2"))
    page.get_by_label("Item or query holds").fill("img")
    page.keyboard.press("Enter")
    expect(names).to_have_count(1)
    expect(names.first).to_have_text(NASTY)
    assert page.locator("table img").count() == 0


def test_a_page_that_waits_fills_itself(
    page: Page, app: Served, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(items_index, "_indices", OrderedDict())
    monkeypatch.setattr(pages_items, "PATIENCE", 0)
    page.goto(f"{app.url}/p/{slug}/items?sort=name&page=2")
    expect(page.locator("tbody th a").first).to_have_text("doc 050")
    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    expect(page.get_by_text("Reading all answers")).to_have_count(0)


def test_an_item_opens_and_narrow_pages_fit(page: Page, app: Served, slug: str) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(f"{app.url}/p/{slug}/items?text=img")
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    page.get_by_role("link", name=NASTY).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(NASTY)
    expect(page.get_by_role("table", name="Every answer as it was given")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 400
    page.get_by_role("button", name="Have people label it").click()
    expect(page).to_have_url(re.compile("/label$"))
