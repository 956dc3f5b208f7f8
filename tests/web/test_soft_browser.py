"""Soft match in a real browser: paste, slide, drop; figures, heat map and address follow."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, FilePayload, Page, Route, expect

from consilience.web import soft_compare
from consilience.web.soft_turns import Turns
from tests.web.served import Served, Watched

NASTY = '<img src=x onerror="alert(1)">'


def figure(page: Page, name: str) -> Any:
    return page.locator(f'[data-figure="{name}"]')


def test_paste_two_lists(page: Page, app: Served) -> None:
    page.goto(f"{app.url}/soft")
    expect(page.get_by_text("Nothing to compare yet")).to_be_visible()
    page.get_by_label("Gold").first.fill("cafe\npizza\nhotel")
    page.get_by_label("Predicted").first.fill("cafe\ncoffee\ncaffe\npizza\nplaza")
    expect(figure(page, "soft f1")).to_have_text("0.719")
    expect(figure(page, "crisp f1")).to_have_text("0.500")
    expect(page.locator("#gold-count")).to_have_text("(3 items)")
    expect(page.locator('[data-chart="similarities"] svg').first).to_be_visible()
    expect(page.locator("#python")).to_contain_text('gold = ["cafe", "pizza", "hotel"]')
    expect(page).to_have_url(re.compile(r"/soft\?gold=cafe%0Apizza"))

    page.locator("#threshold").focus()
    page.keyboard.press("Home")  # everything is the same from 0 on
    expect(figure(page, "crisp* f1")).to_have_text("1.000")
    expect(page.locator("#threshold-said")).to_have_text("0")
    page.get_by_label("Variant").select_option("paper")
    expect(figure(page, "soft f1")).to_have_text("0.862")
    expect(page).to_have_url(re.compile("variant=paper&threshold=0$"))
    expect(page.locator('[data-chart="similarities"] svg').first).to_be_visible()
    page.reload()
    expect(figure(page, "soft f1")).to_have_text("0.862")
    assert page.locator("#gold").input_value() == "cafe\npizza\nhotel"


def test_errors_come_and_go_beside_the_form(page: Page, app: Served, watched: Watched) -> None:
    page.goto(f"{app.url}/soft?gold=a&predicted=b")
    page.get_by_label("Its settings").fill("q=2")
    expect(page.get_by_role("alert")).to_contain_text("levenshtein has no settings")
    page.get_by_label("Similarity").select_option("jaccard")
    expect(figure(page, "soft f1")).to_have_text("0.000")
    expect(page.locator("#about")).to_contain_text("q=0,bag=no,pad=no")
    assert page.locator("#settings").input_value() == ""
    watched.expect("error: Failed to load resource: the server responded with a status of 422")
    watched.expect("error: Response Status Error Code 422")


#: Answers that are no result: status (0: none comes), what comes, what is told of it.
FAILED = [
    (400, "<html><body><div class='problem'>half of it came</div></body></html>", "half of it"),
    (403, "<!DOCTYPE html><html><div class='problem'>not from here</div></html>", "not from here"),
    (413, "this is more than 12 MB", "more than 12 MB"),
    (500, "", "The app answered with an error (500)"),
    (0, "", "The app does not answer"),
]


def test_whatever_fails_is_told(page: Page, app: Served, watched: Watched) -> None:
    """An older result does not stay, as if it were of what is typed now."""
    page.goto(f"{app.url}/soft?gold=a&predicted=a")
    for status, body, words in FAILED:
        page.get_by_role("button", name="Compare").click()
        expect(page.locator(".result")).to_have_count(1)
        page.route("**/soft", failing(status, body))
        page.get_by_label("Gold").first.fill(f"a{status}")
        expect(page.locator("#result").get_by_role("alert")).to_contain_text(words)
        expect(page.locator(".result")).to_have_count(0)
        expect(page.locator("header.bar")).to_have_count(1)
        page.unroute("**/soft")
    watched.expect("Failed to load resource", "Response Status Error", "htmx:")


def failing(status: int, body: str) -> Callable[[Route], None]:
    def answer(route: Route) -> None:
        if status:
            route.fulfill(status=status, body=body)
        else:
            route.abort()

    return answer


def test_a_page_that_came_when_all_were_busy_asks_again(
    page: Page, app: Served, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.goto(f"{app.url}/soft?predicted=again")
    monkeypatch.setattr(soft_compare, "TURNS", Turns(at_once=1, waiting=-1, patience=0))
    page.get_by_label("Gold").first.fill("again and")
    told = page.get_by_role("alert")
    expect(told).to_contain_text("other comparisons are being computed")
    monkeypatch.undo()
    expect(figure(page, "crisp f1")).to_have_text("0.000")
    expect(told).to_have_count(0)
    watched.expect("Failed to load resource", "Response Status Error Code 503")


def test_a_file_becomes_a_list(page: Page, app: Served) -> None:
    page.goto(f"{app.url}/soft?gold=cafe")
    held = f"item\ncafe\n{NASTY}\n".encode()
    csv = FilePayload(name="p.csv", mimeType="text/csv", buffer=held)
    page.locator("#predicted_file").set_input_files(csv)
    expect(figure(page, "crisp precision")).to_have_text("0.500")
    expect(page.locator("#predicted")).to_have_value(f"cafe\n{NASTY}")
    assert page.locator("#predicted_file").input_value() == ""
    assert page.locator(".result img").count() == 0


def test_without_scripts_it_is_a_form(app: Served, browser: Any, watched: Watched) -> None:
    context: BrowserContext = browser.new_context(java_script_enabled=False)
    context.on("page", watched.follow)
    page = context.new_page()
    page.goto(f"{app.url}/soft")
    page.locator("#gold").fill("cafe\npizza")
    page.locator("#predicted").fill("caffe\npizza")
    page.get_by_role("button", name="Compare").click()
    expect(figure(page, "soft f1")).to_have_text("0.900")
    assert page.locator("#gold").input_value() == "cafe\npizza"
    expect(page).to_have_url(re.compile("gold=cafe"))
    context.close()


def test_whoever_comes_back_sees_the_result_of_what_is_filled_in(page: Page, app: Served) -> None:
    """Long lists are not in the address: the browser fills them in again."""
    long = "\n".join(f"neural network number {n}" for n in range(100))
    page.goto(f"{app.url}/soft")
    page.locator("#gold").fill(long)
    page.locator("#predicted").fill(long)
    expect(figure(page, "soft f1")).to_have_text("1.000")
    page.goto(f"{app.url}/")
    page.go_back()
    expect(page.locator("#gold")).to_have_value(long)
    expect(figure(page, "soft f1")).to_have_text("1.000")
    expect(page.locator("#gold-count")).to_have_text("(100 items)")
