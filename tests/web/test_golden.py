"""What users come for, from the first page to the last, in a real browser: three ways through."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, FilePayload, Page, expect

from consilience.examples import example
from tests.web.served import Served, Watched
from tests.web.worlds import World, settle, visit

#: How many documents of the bundled key phrases are looked at, by how many systems.
DOCUMENTS, SYSTEMS = 6, 6
#: How many labels are made.
LABELS = 20


def keyphrase_runs() -> tuple[dict[str, str], dict[str, set[str]]]:
    """Give the runs of six systems as TREC files, and what is true of each document."""
    with example("keyphrases.csv").open(encoding="utf-8", newline="") as stream:
        rows = [*csv.DictReader(stream)]
    with example("keyphrases-gold.csv").open(encoding="utf-8", newline="") as stream:
        truth = defaultdict(set)
        for row in csv.DictReader(stream):
            truth[row["query"]].add(row["item"])
    systems = [*dict.fromkeys(row["system"] for row in rows)][:SYSTEMS]
    documents = [*dict.fromkeys(row["query"] for row in rows)][:DOCUMENTS]
    runs = dict.fromkeys(systems, "")
    for row in rows:
        if row["system"] in runs and row["query"] in documents:
            item = row["item"].replace(" ", "_")
            line = f"{row['query']} Q0 {item} {row['rank']} {1 / int(row['rank']):.4f} "
            runs[row["system"]] += line + row["system"] + "\n"
    known = {query: {item.replace(" ", "_") for item in items} for query, items in truth.items()}
    return {f"{name}.run": text for name, text in runs.items()}, known


DROP = """([zone, files]) => {
  const held = new DataTransfer();
  for (const [name, text] of Object.entries(files)) held.items.add(new File([text], name));
  for (const kind of ["dragenter", "dragover", "drop"]) {
    document.querySelector(zone).dispatchEvent(
      new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: held }));
  }
}"""


def begin(page: Page, app: Served, name: str) -> None:
    page.goto(app.url)
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_text("Nothing has been read yet")).to_be_visible()


def go(page: Page, name: str) -> None:
    """Go to a page by its place in the bar, and wait until it is all there."""
    page.get_by_role("navigation", name="Pages").get_by_role("link", name=name).click()
    page.wait_for_url(f"**/{name.lower()}")
    settle(page)


def test_six_runs_without_labels_then_twenty_labels(
    page: Page, app: Served, browser: Browser, watched: Watched
) -> None:
    runs, truth = keyphrase_runs()
    assert len(runs) == 6
    begin(page, app, "Key phrases")
    page.evaluate(DROP, [".drop", runs])
    page.get_by_role("button", name="Read them").click()
    expect(page.get_by_role("row", name=re.compile("TREC run"))).to_have_count(6)
    settle(page)
    expect(page.locator("main")).to_contain_text("absent")

    go(page, "Compare")
    before = page.locator(".verdict").inner_text()
    expect(page.locator(".badges")).to_contain_text("no ground truth was used")
    assert "agree" in before
    expect(page.locator("figure[data-chart] svg").first).to_be_visible()

    go(page, "Label")
    page.get_by_label("People say").select_option("relevance")
    page.get_by_label("The question").fill("Is this a key phrase of the document?")
    page.get_by_role("button", name="Ask this").click()
    page.get_by_label("Which items").select_option("next")
    page.get_by_label("How many").fill(str(LABELS))
    page.get_by_role("button", name="Draw", exact=True).click()
    settle(page)
    drawn = int(page.locator(".figures dd").first.inner_text())
    assert LABELS / 2 <= drawn <= 2 * LABELS, "the draw is random in size, near the budget"
    page.get_by_label("Names, one a line").fill("Ann")
    page.get_by_role("button", name="Make links").click()
    link = page.locator(".links code").inner_text()

    other: BrowserContext = browser.new_context()
    other.on("page", watched.follow)
    ann = other.new_page()
    ann.goto(link)
    assert ann.url == f"{app.url}/work"
    assert ann.get_by_role("link", name="Compare").count() == 0
    expect(ann.get_by_role("heading", level=1)).to_have_text(
        "Is this a key phrase of the document?"
    )
    for count in range(drawn):
        query = ann.locator(".query-content .text, .query-content .name").first.inner_text()
        item = ann.locator(".item-content .text, .item-content .name").first.inner_text()
        ann.keyboard.press("y" if item.strip() in truth[query.strip()] else "n")
        if count + 1 < drawn:
            expect(ann.locator(".far b").first).to_have_text(str(count + 1))
    expect(ann.get_by_role("heading", level=1)).to_have_text("Nothing is left for you now")
    other.close()

    go(page, "Compare")
    expect(page.locator(".since").first).to_contain_text("What changed")
    after = page.locator(".verdict").inner_text()
    assert after != before
    badges = page.locator(".badges").inner_text()
    assert "no ground truth was used" not in badges
    go(page, "Overview")
    expect(page.locator("main")).to_contain_text("partial")
    go(page, "Label")
    expect(page.get_by_role("row", name=re.compile("Ann"))).to_contain_text(str(drawn))
    expect(page.locator("#next")).to_contain_text("label")


def test_three_annotators_and_a_tree(
    page: Page, app: Served, browser: Browser, watched: Watched, client: httpx.Client
) -> None:
    world = World(client, app.db)
    begin(page, app, "Pictures")
    paths = [example(f"pictures-{name}.csv") for name in ("tree", "results")]
    page.locator("#files").set_input_files(paths)
    page.get_by_role("button", name="Read them").click()
    expect(page.get_by_role("row", name=re.compile("pictures-tree"))).to_be_visible()
    settle(page)

    go(page, "Label")
    page.get_by_label("People say").select_option("category")
    page.get_by_label("People for each task").fill("3")
    page.get_by_role("button", name="Ask this").click()
    page.get_by_label("Which items").select_option("all")
    page.get_by_role("button", name="Draw", exact=True).click()
    tasks = int(page.locator(".figures dd").first.inner_text().replace(",", ""))
    page.get_by_label("Names, one a line").fill("Ann\nBob\nCem")
    page.get_by_role("button", name="Make links").click()
    links = page.locator(".links code").all_inner_texts()
    assert len(links) == 3
    for place, link in enumerate(links):
        other = browser.new_context()
        other.on("page", watched.follow)
        one = other.new_page()
        one.goto(link)
        one.keyboard.press("/")
        one.keyboard.type("a")
        one.keyboard.press("ArrowDown")
        one.keyboard.press("Enter")
        expect(one.locator(".far b").first).to_have_text("1")
        one.keyboard.press(str(place + 1))
        expect(one.locator(".far b").first).to_have_text("2")
        one.keyboard.press("u")
        expect(one.locator(".before")).to_be_visible()
        one.keyboard.press("r")
        expect(one.locator(".far b").first).to_have_text("2")
        other.close()

        def choose(task: dict[str, Any], place: int = place) -> dict[str, Any]:
            names = [choice["value"] for choice in task["choices"]]
            return {"said": names[(task["id"] * 7 + (place == 2) * task["id"] % 3) % len(names)]}

        world.say(link, tasks, choose)

    go(page, "People")
    expect(page.locator(".verdict")).to_contain_text("agree")
    expect(page.get_by_role("heading", name=re.compile("onfus"))).to_be_visible()
    expect(page.locator("main")).to_contain_text("Ann")
    go(page, "Compare")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.url.endswith("/compare")
    expect(page.locator("figure[data-chart] svg").first).to_be_visible()
    slug = page.url.split("/")[-2]
    told = world.data(f"/p/{slug}/compare.json")
    assert told["verb"] == "tree"
    spread = told["result"]["results"][0]["precision"]
    assert len(spread["support"]) == len(spread["mass"]) > 1
    assert sum(spread["mass"]) == pytest.approx(1)
    go(page, "Label")
    expect(page.locator("#agreement .verdict")).to_be_visible()


def test_two_lists_pasted(page: Page, app: Served, tmp_path: Path) -> None:
    page.goto(app.url)
    page.get_by_role("link", name="Soft match").last.click()
    page.wait_for_url("**/soft")
    settle(page)
    page.locator("#gold").fill("cafe\npizza\nhotel")
    page.locator("#predicted").fill("cafe\ncoffee\ncaffe\npizza\nplaza")
    expect(page.locator('[data-figure="soft f1"]')).to_have_text("0.719")
    expect(page.locator('[data-figure="crisp f1"]')).to_have_text("0.500")
    expect(page.locator('[data-chart="similarities"] svg').first).to_be_visible()
    matched = page.get_by_role("region", name=re.compile("were matched"))
    expect(matched).to_contain_text("caffe")
    shown = {
        name: page.locator(f'[data-figure="soft {name}"]').inner_text().strip()
        for name in ("precision", "recall", "f1")
    }
    code = page.locator("#python").inner_text()
    script = tmp_path / "same.py"
    script.write_text(f"{code}\nprint(*map(float, (result.precision, result.recall, result.f1)))\n")
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    same = [f"{float(value):.3f}" for value in done.stdout.splitlines()[-1].split()]
    assert same == [*shown.values()]
    for name in ("gold", "predicted"):
        (tmp_path / f"{name}.txt").write_text(page.locator(f"#{name}").input_value() + "\n")
    command = page.locator("#command").inner_text()
    assert command.startswith("consilience soft ")
    ran = subprocess.run(
        [sys.executable, "-m", *command.split(), "--json"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert f"{json.loads(ran.stdout)['f1']:.3f}" == shown["f1"]
    fresh = FilePayload(name="p.txt", mimeType="text/plain", buffer=b"cafe\npizza\nhotel\n")
    page.locator("#predicted_file").set_input_files(fresh)
    expect(page.locator('[data-figure="soft f1"]')).to_have_text("1.000")
    visit(page, page.url)
    expect(page.locator('[data-figure="soft f1"]')).to_have_text("1.000")
