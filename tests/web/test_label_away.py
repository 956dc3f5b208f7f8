"""A server that takes a task's answer and then says nothing: told, tried again, nothing lost."""

from __future__ import annotations

from collections.abc import Callable

import httpx
from playwright.sync_api import Page, Route, expect

from tests.web.labelling import draw, invite, runs

expect.set_options(timeout=15_000)


def test_a_next_task_that_never_comes_is_told_and_fetched_again(
    page: Page, client: httpx.Client, make_project: Callable[..., str]
) -> None:
    slug = make_project("Runs", runs())
    draw(client, slug, "random", "3")
    (link,) = invite(client, slug, "Ann")
    page.clock.install()
    page.goto(link)
    silent = list[Route]()
    page.route("**/work", lambda route: silent.append(route))  # asked, and never answered
    with page.expect_request("**/work"):
        page.keyboard.press("y")
    page.clock.run_for(21_000)
    warning = page.get_by_role("alert").filter(has_text="could not be fetched")
    expect(warning).to_contain_text("Saved.")
    page.keyboard.press("n")  # the task that was answered is not answered again
    page.unroute("**/work")
    page.clock.run_for(3_000)
    expect(page.locator("#work .far b").first).to_have_text("1")
    expect(warning).to_be_hidden()
    page.keyboard.press("n")
    expect(page.locator("#work .far b").first).to_have_text("2")
    assert len(silent) == 1
    (share,) = client.get(f"/p/{slug}/label.json").json()["progress"]["people"]
    assert share["done"] == 2
