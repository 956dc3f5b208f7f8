"""Pictures of every page for the documentation: ``.venv/bin/python tools/screenshots.py``.

A scratch database with the bundled examples is served, its pages are looked at by Chromium, and
what it saw goes to ``docs/images``, in few colours so that the files stay small.
"""

from __future__ import annotations

import contextlib
import csv
import shutil
import struct
import sys
import tempfile
import zlib
from collections import defaultdict
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from consilience.examples import example  # noqa: E402
from tests.conftest import CHROMIUM  # noqa: E402
from tests.web.served import PROGRAM, serving  # noqa: E402
from tests.web.worlds import World, visit  # noqa: E402

IMAGES = ROOT / "docs" / "images"
WIDTH, HEIGHT = 1200, 800
#: Pages in dark colours as well.
DARK = ("compare", "label-task")
_SIGN = b"\x89PNG\r\n\x1a\n"


def main() -> None:
    """Make all pictures, or those that are named."""
    wanted = sys.argv[1:]
    IMAGES.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),  # the first page tells where everything is kept
        serving("benchmark.db") as app,
        httpx.Client(base_url=app.url, headers=PROGRAM, timeout=120) as client,
        sync_playwright() as playwright,
    ):
        world = World(client, app.db)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=CHROMIUM
        )
        for name, address, link, low in filled(world):
            if wanted and name not in wanted:
                continue
            for dark in (False, True) if name in DARK else (False,):
                shot(browser, app.url, name, address, link, low, dark=dark)
        browser.close()


def shot(
    browser: Browser, home: str, name: str, address: str, link: str, low: str, *, dark: bool
) -> None:
    """Look at one page, from the part that is named on, and keep what is seen."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="dark" if dark else "light"
    )
    page: Page = context.new_page()
    if link:
        page.goto(link)
    visit(page, home + address)
    if low:
        page.locator(low).first.evaluate("(one) => one.scrollIntoView()")
    page.mouse.move(0, 0)
    page.wait_for_timeout(300)
    path = IMAGES / f"{name}{'-dark' if dark else ''}.png"
    path.write_bytes(in_few_colours(page.screenshot()))
    context.close()


def filled(world: World) -> list[tuple[str, str, str, str]]:
    """Fill the database; give pages: name, address, the link to come by, where to look."""
    phrases, pictures = key_phrases(world), of_pictures(world)
    here, tree = f"/p/{phrases}", f"/p/{pictures}"
    item = world.data(f"{here}/items.json?sort=disagreement&judged=yes")["items"][0]["address"]
    ranked = world.data(f"{here}/reports.json?verb=rank")["results"]
    both = f"a={ranked[-1]['id']}&b={ranked[0]['id']}"  # without labels, and with them
    soft = "/soft?gold=cafe%0Apizza%0Ahotel&predicted=cafe%0Acoffee%0Acaffe%0Apizza%0Aplaza"
    return [
        ("projects", "/", "", ""),
        ("overview", f"{here}/overview", "", ""),
        ("compare", f"{here}/compare", "", ""),
        ("compare-charts", f"{here}/compare", "", "main figure[data-chart]"),
        ("compare-distributions", f"{tree}/compare", "", "main figure[data-chart]"),
        ("compare-categories", f"{tree}/compare", "", ""),
        ("items", f"{here}/items?sort=disagreement", "", ""),
        ("item", item, "", ""),
        ("people", f"{tree}/people", "", ""),
        ("label", f"{here}/label", "", ""),
        ("label-next", f"{here}/label", "", "#next"),
        ("label-task", "/work", world.links["Cem"], ""),
        ("label-categories", "/work", world.links["Eva"], ""),
        ("soft-match", soft, "", ""),
        ("reports", f"{here}/reports", "", ""),
        ("reports-diff", f"{here}/reports/diff?{both}", "", ""),
        ("archive", f"{here}/archive", "", ""),
    ]


def rows(name: str) -> list[dict[str, str]]:
    """Read a bundled table."""
    with example(name).open(encoding="utf-8", newline="") as stream:
        return [*csv.DictReader(stream)]


def key_phrases(world: World) -> str:
    """Eight extractors, no truth; then labels of people who mostly know it."""
    truth: dict[str, set[str]] = defaultdict(set)
    for row in rows("keyphrases-gold.csv"):
        truth[row["query"]].add(row["item"])
    slug = world.begin("Key phrases")
    world.bring(slug, {"keyphrases.csv": example("keyphrases.csv").read_bytes()})
    world.data(f"/p/{slug}/compare.json")
    text = "Is this a key phrase of the document?"
    here = f"/p/{slug}/label"
    world.post(f"{here}/question", kind="relevance", text=text, overlap=2)
    for one in world.post(f"{here}/people", names="Ann\nBob\nCem")["links"]:
        world.links[one["name"]] = one["link"]
    world.post(f"{here}/draw", how="next", number="80", seed=1)

    def say(wrong: int) -> Any:
        def choose(task: dict[str, Any]) -> dict[str, Any]:
            item, query = task["items"][0]["name"], task["query"]["name"]
            right = (item in truth[query]) != (task["id"] % wrong == 0)
            return {"said": "yes" if right else "no"}

        return choose

    for name, number, wrong in (("Ann", 60, 17), ("Bob", 50, 9), ("Cem", 12, 7)):
        world.say(world.links[name], number, say(wrong))
    for place in ("compare", "label", "people", "overview"):
        world.data(f"/p/{slug}/{place}.json")
    return slug


def of_pictures(world: World) -> str:
    """A tree, what people make of pictures, and a fourth person who begins."""
    slug = world.begin("Pictures")
    held = {
        name: example(f"pictures-{name}.csv").read_bytes()
        for name in ("tree", "results", "assignments")
    }
    world.bring(slug, {f"pictures-{name}.csv": held[name] for name in ("tree", "results")})
    world.bring(slug, {"pictures-assignments.csv": held["assignments"]}, "truth")
    world.post(f"/p/{slug}/label/question", kind="category", confidence="true")
    (eva,) = world.post(f"/p/{slug}/label/people", names="Eva")["links"]
    world.links["Eva"] = eva["link"]
    world.post(f"/p/{slug}/label/draw", how="all", again="true")
    for place in ("compare", "people"):
        world.data(f"/p/{slug}/{place}.json")
    return slug


def in_few_colours(png: bytes, colours: int = 256) -> bytes:
    """Write a picture with a palette: the most frequent colours, the others as the nearest."""
    pixels = decoded(png)
    height, width, _ = pixels.shape
    whole = pixels.astype(np.uint32)
    code = (whole[..., 0] << 16 | whole[..., 1] << 8 | whole[..., 2]).ravel()
    found, place, count = np.unique(code, return_inverse=True, return_counts=True)
    kept = np.argsort(-count, kind="stable")[:colours]
    rgb = np.stack([found >> 16 & 255, found >> 8 & 255, found & 255], 1).astype(np.int32)
    nearest = np.empty(len(found), np.uint8)
    for begin in range(0, len(found), 4096):
        part = rgb[begin : begin + 4096, None] - rgb[None, kept]
        nearest[begin : begin + 4096] = (part**2).sum(2).argmin(1)
    lines = nearest[place].reshape(height, width)
    raw = np.concatenate([np.zeros((height, 1), np.uint8), lines], 1).tobytes()
    return b"".join(
        [
            _SIGN,
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            chunk(b"PLTE", rgb[kept].astype(np.uint8).tobytes()),
            chunk(b"IDAT", zlib.compress(raw, 9)),
            chunk(b"IEND", b""),
        ]
    )


def chunk(name: bytes, data: bytes) -> bytes:
    """Write a part of a PNG file."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def decoded(png: bytes) -> np.ndarray:
    """Read a PNG file of 8-bit colours, as browsers write it."""
    place, data, head = len(_SIGN), b"", b""
    while place < len(png):
        size, name = struct.unpack(">I4s", png[place : place + 8])
        held = png[place + 8 : place + 8 + size]
        head = held if name == b"IHDR" else head
        data += held if name == b"IDAT" else b""
        place += size + 12
    width, height, _, kind = struct.unpack(">IIBB", head[:10])
    depth = {2: 3, 6: 4}[kind]
    lines = np.frombuffer(zlib.decompress(data), np.uint8).reshape(height, 1 + width * depth)
    made = np.zeros((height + 1, width + 1, depth), np.int32)
    for row in range(height):
        method, cells = lines[row, 0], lines[row, 1:].reshape(width, depth).astype(np.int32)
        above = made[row, 1:]
        if method in (0, 2):
            made[row + 1, 1:] = (cells + (above if method == 2 else 0)) & 255
        elif method == 1:
            made[row + 1, 1:] = np.cumsum(cells, 0) & 255
        else:
            unfiltered(made, row, cells, paeth=method == 4)
    return made[1:, 1:, :3].astype(np.uint8)


def unfiltered(made: np.ndarray, row: int, cells: np.ndarray, *, paeth: bool) -> None:
    """Undo the filters that look at the neighbours on the left and above, cell by cell."""
    for column, cell in enumerate(cells):
        left, above, corner = made[row + 1, column], made[row, column + 1], made[row, column]
        if paeth:
            guess = left + above - corner
            a, b, c = abs(guess - left), abs(guess - above), abs(guess - corner)
            near = np.where((a <= b) & (a <= c), left, np.where(b <= c, above, corner))
        else:
            near = (left + above) // 2
        made[row + 1, column + 1] = (cell + near) & 255


if __name__ == "__main__":
    main()
