"""Names that are attacks stay text: on every page, in every state, in every report."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, expect

from tests.web import worlds
from tests.web.served import PROGRAM, Served, Watched
from tests.web.worlds import IMAGE, NASTY, SCRIPT, World, visit

#: What an attack that came through would leave behind.
MADE = (
    "img[src=x], svg[onload], [onerror], [onload], [onfocus], [autofocus], main style, "
    "a[href^='javascript:' i], script:not([src]):not([type='application/json'])"
)


@pytest.fixture(scope="module")
def world(app: Served) -> Iterator[World]:
    with httpx.Client(base_url=app.url, headers=PROGRAM, timeout=60) as client:
        yield World(client, app.db)


@pytest.fixture(scope="module")
def slugs(world: World) -> tuple[str, str]:
    """The project of attacks, and that with a tree of them."""
    made = worlds.hostile(world), worlds.hostile_tree(world)
    worlds.with_picture(world, made[1], f"{IMAGE} picture")
    return made


def listening(page: Page) -> list[str]:
    """Gather what dialogs say, and errors of the console."""
    said: list[str] = []

    def asked(dialog: Dialog) -> None:
        said.append(dialog.message)
        dialog.dismiss()

    def told(message: ConsoleMessage) -> None:
        if "Content Security Policy" in message.text:
            said.append(message.text)

    page.on("dialog", asked)
    page.on("console", told)
    return said


@pytest.fixture
def watchful(page: Page) -> Iterator[Page]:
    """A page on which nothing may be said by a dialog."""
    said = listening(page)
    page.add_init_script("window.alert = () => { document.title = 'attacked'; }")
    yield page
    assert not said


def look(page: Page, address: str, *texts: str) -> None:
    """Visit a page: nothing ran, nothing was made, names are read as they are."""
    visit(page, address)
    assert "attacked" not in page.title()
    assert page.locator(MADE).count() == 0, address
    shown = page.locator("body").inner_text()
    for text in texts:
        assert text in shown, (address, text)
    assert "49$49" not in shown


def addresses(world: World, slug: str) -> Iterator[str]:
    """Every page of a project, once there is something on it."""
    here = f"/p/{slug}"
    for verb in [one["verb"] for one in world.data(f"{here}/compare.json")["verbs"]]:
        world.data(f"{here}/compare.json?verb={verb}")
        yield f"{here}/compare?verb={verb}"
    for place in ("overview", "items", "people", "label"):
        world.data(f"{here}/{place}.json")
        yield f"{here}/{place}"
    for row in world.data(f"{here}/items.json")["items"][:2]:
        yield row["address"]
    results = world.data(f"{here}/reports.json")["results"]
    for one in results:
        world.post(f"{here}/reports/{one['id']}/keep", name=f"{SCRIPT}{IMAGE}")
        yield f"{here}/reports/{one['id']}"
    yield f"{here}/reports"
    same = [one["id"] for one in results if one["verb"] == "rank"]
    if len(same) > 1:
        yield f"{here}/reports/diff?a={same[0]}&b={same[1]}"


def test_every_page_of_a_project_of_attacks(
    watchful: Page, world: World, slugs: tuple[str, str], app: Served
) -> None:
    world.data(f"/p/{slugs[0]}/compare.json?measures=P@5")
    seen = 0
    for slug, name in zip(slugs, (IMAGE, SCRIPT), strict=True):
        for address in addresses(world, slug):
            look(watchful, app.url + address, name)
            seen += 1
    assert seen > 20
    look(watchful, app.url, IMAGE, SCRIPT)


def test_what_is_chosen_comes_back_as_text(
    watchful: Page, slugs: tuple[str, str], app: Served, watched: Watched
) -> None:
    here, text = f"{app.url}/p/{slugs[0]}", " ".join(NASTY)
    for place, name in (
        ("compare", "measures"),
        ("compare", "verb"),
        ("people", "scale"),
        ("items", "text"),
        ("items", "query"),
        ("items", "sort"),
        ("reports", "verb"),
    ):
        look(watchful, f"{here}/{place}?{urlencode({name: text[:1000]})}")
    lists = {"gold": "\n".join([*NASTY, "cafe"]), "predicted": "\n".join(["caffe", *NASTY])}
    look(watchful, f"{app.url}/soft?{urlencode(lists)}", *NASTY)
    look(watchful, f"{app.url}/p/{IMAGE.replace('/', '')}/overview", IMAGE)
    watched.expect("the server responded with a status of 4")


def test_whoever_labels_sees_text(
    watchful: Page, world: World, slugs: tuple[str, str], app: Served
) -> None:
    watchful.goto(world.links[f"{IMAGE} Ann"])
    look(watchful, f"{app.url}/work", IMAGE, SCRIPT, f"{IMAGE} Ann")
    watchful.keyboard.press("?")
    expect(watchful.get_by_role("dialog")).to_be_visible()
    watchful.keyboard.press("Escape")
    watchful.locator("summary").first.click()
    look(watchful, f"{app.url}/work/answers", IMAGE)
    world.ask(slugs[1], "category", [f"{SCRIPT} Cem"], text=SCRIPT, overlap=2)
    watchful.goto(world.links[f"{SCRIPT} Cem"])
    look(watchful, f"{app.url}/work", SCRIPT)
    watchful.keyboard.press("/")
    watchful.keyboard.type("leaf")
    watchful.keyboard.press("Enter")
    expect(watchful.locator(".far")).to_contain_text("1 done")
    assert watchful.locator(MADE).count() == 0


def test_reports_in_every_format_are_inert(
    world: World, slugs: tuple[str, str], browser: Browser, tmp_path: Path
) -> None:
    made = 0
    context = browser.new_context()
    page = context.new_page()
    said = listening(page)
    for slug in slugs:
        assert [*addresses(world, slug)]  # there are results of all kinds, and they are kept
        for one in world.data(f"/p/{slug}/reports.json")["results"]:
            for kind in world.data(f"/p/{slug}/reports/{one['id']}.json")["formats"]:
                answer = world.client.get(kind["address"]).raise_for_status()
                assert answer.headers["content-disposition"].startswith("attachment")
                if kind["format"] != "html":
                    continue
                made += 1
                file = tmp_path / f"{made}.html"
                file.write_bytes(answer.content)
                visit(page, f"file://{file}")
                assert page.locator("img[src=x], svg[onload], [onerror], [onfocus]").count() == 0
                assert not re.search(r"\bNaN\b", page.locator("body").inner_text())
    context.close()
    assert made > 5
    assert not said


def test_files_with_such_names_are_refused_or_named_with_care(
    world: World, slugs: tuple[str, str]
) -> None:
    """Messages about files hold their names; programs get them as data, people as text."""
    bad: dict[str, Any] = {f"{SCRIPT}.csv": b"q1 Q0 d1 <script>alert(1) 0.5 bm25\n"}
    sent = [("files", (name, content)) for name, content in bad.items()]
    for accept in ("application/json", "text/html"):
        answer = world.client.post(f"/p/{slugs[0]}/upload", files=sent, headers={"accept": accept})
        assert answer.status_code in (409, 422)
        if accept == "text/html":
            assert "&lt;script&gt;alert" in answer.text
            assert "<script>alert" not in answer.text
