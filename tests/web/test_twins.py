"""Every page has its data, every chart its table, and every address holds what is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi.responses import HTMLResponse
from fastapi.routing import APIRoute
from playwright.sync_api import Browser, Page, expect

from consilience.web.frame import Plain
from consilience.web.pages import ORGANISER, PERSON, PUBLIC
from tests.web import worlds
from tests.web.served import PROGRAM, Served, Watched
from tests.web.worlds import World, by_number, visit

ROUTES = [
    route
    for router in (*PUBLIC, *ORGANISER, *PERSON)
    for route in router.routes
    if isinstance(route, APIRoute)
]
PAGES = sorted(one.path for one in ROUTES if one.response_class is HTMLResponse)
DATA = {one.path for one in ROUTES if one.response_class is Plain}
#: What may differ between two looks: keys of forms, made anew each time.
FRESH = ("key",)


@pytest.fixture(scope="module")
def world(app: Served) -> Iterator[World]:
    with httpx.Client(base_url=app.url, headers=PROGRAM, timeout=60) as client:
        yield World(client, app.db)


@pytest.fixture(scope="module")
def slugs(world: World) -> dict[str, str]:
    """Projects with something on every page."""
    made = {
        "runs": worlds.runs(world),
        "pictures": worlds.pictures(world),
        "annotators": worlds.annotators(world),
    }
    links = world.ask(made["runs"], "relevance", ["Ann", "Bob"], overlap=2)
    for link in links:
        world.say(link, 8, by_number)
    return made


def addresses(world: World, slugs: dict[str, str]) -> list[str]:
    """Every page of every project."""
    found = ["/", "/login", "/api", "/soft?gold=cafe%0Apizza&predicted=caffe%0Apizza"]
    for slug in slugs.values():
        here = f"/p/{slug}"
        verbs = [one["verb"] for one in world.data(f"{here}/compare.json")["verbs"]]
        for place in (*(f"compare?verb={verb}" for verb in verbs), "people", "label", "overview"):
            name, _, query = place.partition("?")
            world.data(f"{here}/{name}.json?{query}")
            found.append(f"{here}/{place}")
        found += [f"{here}/items", f"{here}/reports", f"{here}/archive"]
        found.append(world.data(f"{here}/items.json")["items"][0]["address"])
        results = world.data(f"{here}/reports.json")["results"]
        found += [f"{here}/reports/{one['id']}" for one in results]
        if len(results) > 1:
            found.append(f"{here}/reports/diff?a={results[0]['id']}&b={results[1]['id']}")
    return [*found, "/work", "/work/answers"]


def test_no_page_is_without_its_data() -> None:
    assert len(PAGES) >= 15
    lacking = [
        path for path in PAGES if (f"{path}.json" if path != "/" else "/index.json") not in DATA
    ]
    assert not lacking


def test_every_page_names_its_data_and_shows_them(world: World, slugs: dict[str, str]) -> None:
    seen: set[str] = set()
    with httpx.Client(base_url=world.client.base_url, timeout=60) as person:
        person.get(world.links["Ann"])
        for address in addresses(world, slugs):
            page = person.get(address, headers={"accept": "text/html"})
            assert page.status_code == 200, address
            twin = re.search(r'href="([^"]+)">this page as JSON', page.text)
            assert twin, address
            data = person.get(twin[1].replace("&amp;", "&"))
            assert data.status_code == 200, twin[1]
            assert data.headers["content-type"].startswith("application/json")
            told = data.json()
            again = person.get(twin[1].replace("&amp;", "&")).json()
            assert lasting(told) == lasting(again)
            for name in names(told):
                assert escaped(name) in page.text, (address, name)
            seen |= {path for path in PAGES if matches(path, urlsplit(address).path)}
    assert set(PAGES) - seen <= {"/jobs/{number}"}


def lasting(told: Any) -> Any:
    """Leave out what is made anew at each look."""
    if isinstance(told, dict):
        return {key: lasting(value) for key, value in told.items() if key not in FRESH}
    return [lasting(one) for one in told] if isinstance(told, list) else told


def names(told: dict[str, Any]) -> list[str]:
    """Take some names out of a page's data that its reader must find."""
    found = [told[key]["name"] for key in ("project", "study") if told.get(key)]
    for key in ("respondents", "sources", "projects"):
        found += [one["name"] for one in told.get(key) or []]
    found += [one["item"] for one in told.get("items") or [] if isinstance(one, dict)]
    result = told.get("result")
    if isinstance(result, dict):
        found += [one["name"] for one in result.get("systems") or [] if "name" in one]
    return [name for name in found if name != "all"]


def escaped(text: str) -> str:
    for plain, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("'", "&#39;")):
        text = text.replace(plain, written)
    return text


def matches(pattern: str, path: str) -> bool:
    return re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", pattern), path) is not None


def test_every_chart_has_its_table_and_no_page_complains(
    page: Page, world: World, slugs: dict[str, str], app: Served
) -> None:
    """Charts are drawn on all pages; beside each lies a table with the same figures."""
    page.goto(world.links["Ann"])
    charts = 0
    for address in addresses(world, slugs):
        visit(page, app.url + address)
        figures = page.locator("figure[data-chart]")
        for place in range(figures.count()):
            figure = figures.nth(place)
            name = figure.get_attribute("data-chart")
            twin = figure.evaluate(
                "(one) => { const s = one.closest('section') ?? one.parentElement;"
                " return [...s.querySelectorAll('table')].map((t) => t.rows.length); }"
            )
            assert twin, (address, name)
            assert max(twin) > 1, (address, name)
            assert figure.locator("figcaption").inner_text().strip(), (address, name)
            charts += 1
        titles = page.locator("h1").count()
        assert titles == 1, (address, titles)
    assert charts > 15


@pytest.mark.parametrize(
    "address",
    [
        "/p/{runs}/compare?measures=AP,P@5&level=0.9",
        "/p/{runs}/items?sort=disagreement&reverse=true&page=2&judged=yes",
        "/p/{annotators}/people?level=0.9",
        "/p/{runs}/label?budget=30&delta=0.05",
        "/p/{runs}/reports?verb=rank",
        "/soft?gold=cafe%0Apizza&predicted=caffe%0Apizza&variant=paper&threshold=0.5",
    ],
)
def test_the_address_holds_the_state(
    browser: Browser,
    world: World,
    slugs: dict[str, str],
    app: Served,
    address: str,
    watched: Watched,
) -> None:
    """A reload shows the same, and so does another browser."""
    shown = []
    for _ in range(2):
        context = browser.new_context()
        context.on("page", watched.follow)
        page = context.new_page()
        visit(page, app.url + address.format(**slugs))
        for _ in range(2):
            state = page.evaluate(
                "() => [...document.querySelectorAll('main input, main select')]"
                ".filter((one) => one.type !== 'hidden')"
                ".map((one) => [one.name, one.type === 'checkbox' ? one.checked : one.value])"
            )
            shown.append((page.locator("main").inner_text(), state))
            page.reload()
            worlds.settle(page)
        context.close()
    assert all(one == shown[0] for one in shown[1:])


def test_choices_go_into_the_address(page: Page, slugs: dict[str, str], app: Served) -> None:
    visit(page, f"{app.url}/p/{slugs['runs']}/compare?verb=rank")
    page.get_by_label("Measures, the first one ranks").fill("AP")
    page.get_by_role("button", name="Show").first.click()
    expect(page).to_have_url(re.compile(r"/compare\?verb=rank&measures=AP$"))
    expect(page.get_by_label("Measures, the first one ranks")).to_have_value("AP")
    visit(page, f"{app.url}/p/{slugs['runs']}/items")
    page.get_by_label("Sorted by").select_option("name")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile("sort=name"))
    page.keyboard.press("]")
    expect(page).to_have_url(re.compile("sort=name.*page=2"))
    page.go_back()
    expect(page).to_have_url(re.compile("sort=name"))
    assert "page=2" not in page.url
