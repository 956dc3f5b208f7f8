"""Charts on a served page with a strict content security policy, in a real browser.

The page stands for one of the web app: it loads scripts and styles as files from its own address,
and the header lets nothing else through.
"""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from consilience.render import parts
from consilience.render.bundle import SCRIPTS, asset, embedded_json
from tests.render.every_verb import result_of

POLICY = "default-src 'self'; style-src 'self'; script-src 'self'; img-src 'self' data: blob:"
START = "consilience.draw(document.querySelector('main'));"
FRAME = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>charts</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/report.css">
<link rel="stylesheet" href="/charts.css">
<script defer src="/draw.js" data-scripts="{scripts}"></script>
<script defer src="/start.js"></script></head><body><main>{content}</main></body></html>"""
#: Notes in the page what the policy forbade, before any other script runs.
WATCH = """window.forbidden = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.forbidden.push(`${event.violatedDirective}: ${event.sample || event.blockedURI}`));"""


def told(name: str, prefix: str = "") -> str:
    """Give the content of a result with its charts, as a page of the web app holds it."""
    one = parts(result_of(name), prefix=prefix)
    charts = embedded_json(one.drawings)
    return f'{one.content}<script type="application/json" class="charts">{charts}</script>'


class Site(http.server.BaseHTTPRequestHandler):
    """Serves one page at ``/NAME+NAME``, and the files that it needs."""

    def do_GET(self) -> None:
        name = self.path.lstrip("/")
        kind = "text/css" if name.endswith(".css") else "text/javascript"
        if name == "start.js":
            body = START
        elif name in {*SCRIPTS, "draw.js", "report.css", "charts.css"}:
            body = asset(name)
        else:
            kind, results = "text/html", name.replace("%20", " ").split("+")
            content = "".join(told(one, f"{place}-") for place, one in enumerate(results))
            scripts = " ".join(f"/{script}" for script in SCRIPTS)
            body = FRAME.format(scripts=scripts, content=content)
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class Visit:
    """A page that was opened, with all that its console said."""

    def __init__(self, browser: Browser, address: str, **options: Any) -> None:
        self.page: Page = browser.new_page(**options)
        self.said: list[str] = []
        self.page.on("console", lambda said: self.said.append(f"{said.type}: {said.text}"))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.add_init_script(WATCH)
        self.page.goto(address)
        self.page.wait_for_selector("main[data-charts=drawn], main[data-charts=failed]")

    def drawn(self) -> int:
        return self.page.locator("figure .on-screen svg.marks").count()

    def complaints(self) -> list[str]:
        forbidden: list[str] = self.page.evaluate("window.forbidden")
        return self.said + forbidden


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["rank without truth", "agree", "soft", "next"])
def test_every_chart_is_drawn_and_nothing_is_forbidden(
    browser: Browser, site: str, name: str, scheme: Any
) -> None:
    visit = Visit(browser, f"{site}/{name}", color_scheme=scheme)
    assert visit.complaints() == []
    charts = parts(result_of(name)).drawings
    assert visit.drawn() == len(charts) > 0
    paper = visit.page.locator("figure .on-paper svg.marks").count()
    assert paper == (len(charts) if scheme == "dark" else 0)
    assert visit.page.locator("style").count() == 0
    assert visit.page.locator(".chart-menu summary").count() == len(charts)
    visit.page.close()


def test_the_policy_is_alive(browser: Browser, site: str) -> None:
    visit = Visit(browser, f"{site}/curve")
    visit.page.evaluate("document.body.append(document.createElement('style'))")
    visit.page.evaluate("document.querySelector('style').textContent = 'p { color: red }'")
    visit.page.wait_for_function("window.forbidden.length > 0")
    assert any("style-src" in said for said in visit.complaints())
    visit.page.close()


def test_two_results_share_a_page(browser: Browser, site: str) -> None:
    visit = Visit(browser, f"{site}/curve+curve+soft")
    assert visit.complaints() == []
    assert visit.drawn() == 2 + len(parts(result_of("soft")).drawings)
    visit.page.close()


def test_a_chart_answers_the_pointer_with_text(browser: Browser, site: str) -> None:
    visit = Visit(browser, f"{site}/rank")
    visit.page.locator('figure[data-chart="0-forest"] [aria-roledescription="point"]').first.hover()
    tooltip = visit.page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()
    assert "</script><img src=x" in tooltip.inner_text()
    assert tooltip.evaluate("element => getComputedStyle(element).position") == "fixed"
    assert visit.page.locator("main img, #vg-tooltip-element img").count() == 0
    assert visit.complaints() == []
    visit.page.close()


@pytest.mark.parametrize(("kind", "start"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_a_chart_is_saved_by_keyboard(
    browser: Browser, site: str, tmp_path: Path, kind: str, start: bytes
) -> None:
    visit = Visit(browser, f"{site}/curve")
    menu = visit.page.locator(".chart-menu")
    menu.locator("summary").focus()
    visit.page.keyboard.press("Enter")
    menu.get_by_role("button", name=f"Save as {kind.upper()}").focus()
    with visit.page.expect_download() as waiting:
        visit.page.keyboard.press("Enter")
    place = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(place)
    assert place.name == f"0-curve.{kind}"
    assert place.read_bytes().startswith(start)
    assert menu.get_attribute("open") is None
    assert visit.complaints() == []
    visit.page.close()


def test_a_menu_closes_on_escape_and_on_a_click_elsewhere(browser: Browser, site: str) -> None:
    visit = Visit(browser, f"{site}/curve")
    summary = visit.page.locator(".chart-menu summary")
    opened = visit.page.locator(".chart-menu[open]")
    for leave in (
        lambda: visit.page.keyboard.press("Escape"),
        lambda: visit.page.locator("h2").first.click(),
    ):
        summary.click()
        assert opened.count() == 1
        leave()
        assert opened.count() == 0
    visit.page.close()


def test_content_that_comes_later_is_drawn(browser: Browser, site: str) -> None:
    visit = Visit(browser, f"{site}/curve")
    swap = """async (html) => {
      const place = document.createElement("div");
      place.id = "later";
      place.innerHTML = html;
      document.querySelector("main").replaceChildren(place);
      return [await consilience.draw(place), place.dataset.charts];
    }"""
    for name in ("soft", "next"):
        assert visit.page.evaluate(swap, told(name)) == ["drawn", "drawn"]
        assert visit.drawn() == len(parts(result_of(name)).drawings)
    assert visit.page.evaluate(swap, "<p>no chart</p>") == ["none", "none"]
    assert visit.complaints() == []
    visit.page.close()


def test_a_chart_follows_the_window_and_the_theme(browser: Browser, site: str) -> None:
    visit = Visit(browser, f"{site}/curve", viewport={"width": 1100, "height": 800})
    width = "document.querySelector('.on-screen svg').getBoundingClientRect().width"
    ground = "document.querySelector('.on-screen svg').style.backgroundColor"
    assert visit.page.evaluate(width) > 900
    visit.page.set_viewport_size({"width": 500, "height": 800})
    visit.page.wait_for_function(f"document.querySelector('.on-screen svg') && {width} < 480")
    assert visit.page.evaluate(ground) == "rgb(255, 255, 255)"
    visit.page.evaluate("document.documentElement.dataset.theme = 'dark'")
    visit.page.wait_for_function(
        f"document.querySelector('.on-screen svg') && {ground} === 'rgb(22, 25, 29)'"
    )
    visit.page.locator(".on-paper svg").wait_for(state="attached")
    assert visit.complaints() == []
    visit.page.close()


def test_a_chart_that_is_hidden_is_drawn_when_it_shows(browser: Browser, site: str) -> None:
    visit = Visit(browser, f"{site}/curve")
    fold = """async (html) => {
      const place = document.createElement("div");
      place.hidden = true;
      place.innerHTML = html;
      document.querySelector("main").replaceChildren(place);
      return await consilience.draw(place);
    }"""
    assert visit.page.evaluate(fold, told("curve", "b-")) == "drawn"
    assert visit.drawn() == 0
    visit.page.evaluate("document.querySelector('main > div').hidden = false")
    visit.page.locator('figure[data-chart="b-curve"] .on-screen svg').wait_for()
    assert visit.complaints() == []
    visit.page.close()


def test_without_the_drawing_code_the_page_says_so(browser: Browser, site: str) -> None:
    page = browser.new_page()
    page.route("**/vega-lite.min.js", lambda route: route.abort())
    page.goto(f"{site}/curve")
    page.wait_for_selector("main[data-charts=failed]")
    hint = page.locator("figure .on-screen.hint").inner_text()
    assert "could not be drawn here (/vega-lite.min.js did not come)" in hint
    page.close()
