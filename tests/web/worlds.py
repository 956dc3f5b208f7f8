"""Projects for tests of all pages: plain ones, and one in which every name is an attack."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
from playwright.sync_api import expect

from consilience.store.connect import Database
from consilience.store.content import add_items, add_picture, add_queries
from consilience.store.projects import project
from tests.web.asked import ASSIGNED, FILES, JUDGES, LABELS, PICTURES, QRELS
from tests.web.served import PROGRAM

expect.set_options(timeout=15_000)  # cores are shared

#: Names that would run a script, break out of where they stand, or be computed.
IMAGE = "<img src=x onerror=alert(1)>"
SCRIPT = "</script><script>alert(1)</script>"
BRACES = "{{7*7}}${7*7}<%= 7*7 %>"
LINK = "javascript:alert(1)"
QUOTES = "\"'><svg onload=alert(1)> onfocus='alert(1)' autofocus x=\""
COMMENT = "--><!-- <!--<script> ]]> <style>*{display:none}</style>"
NASTY = (IMAGE, SCRIPT, BRACES, LINK, QUOTES, COMMENT)
#: The smallest picture: one transparent dot.
DOT = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489"
    "0000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


def as_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """Write a table as CSV."""
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    return text.getvalue().encode()


@dataclass
class World:
    """A running app, a program that talks to it, and what was made there."""

    client: httpx.Client
    db: Database
    links: dict[str, str] = field(default_factory=dict)

    def begin(self, name: str) -> str:
        """Begin a project; give its slug."""
        made = self.client.post("/projects", data={"name": name}).raise_for_status()
        return str(made.json()["slug"])

    def bring(self, slug: str, files: dict[str, bytes], role: str = "answers") -> None:
        """Bring files, and wait until they are read."""
        sent = [("files", (name, content)) for name, content in files.items()]
        answer = self.client.post(f"/p/{slug}/upload", files=sent, data={"role": role})
        assert answer.status_code == 200, answer.text
        job = answer.json()["job"]
        while job["state"] in ("waiting", "running"):
            time.sleep(0.05)
            job = self.client.get(f"/jobs/{job['id']}.json").raise_for_status().json()["job"]
        assert job["state"] == "done", job

    def data(self, address: str) -> dict[str, Any]:
        """Ask for a page's data until nothing is being computed."""
        for _ in range(600):
            answer = self.client.get(address)
            assert answer.status_code in (200, 422), answer.text
            data: dict[str, Any] = answer.json()
            states = [data.get(name) for name in ("computed", "agreement_state", "next_state")]
            if not any((one or {}).get("job") for one in states) and not data.get("reading"):
                return data
            time.sleep(0.05)
        raise AssertionError(f"{address} is computing for ever")

    def ask(
        self, slug: str, kind: str, people: Sequence[str], *, number: str = "", **settings: Any
    ) -> list[str]:
        """Settle what is asked, invite people, draw a number or all; give the people's links."""
        here = f"/p/{slug}/label"
        self.post(f"{here}/question", kind=kind, **settings)
        invited = self.post(f"{here}/people", names="\n".join(people))["links"]
        how = "random" if number else "all"
        self.post(f"{here}/draw", how=how, number=number, seed=1, again="true")
        for one in invited:
            self.links[one["name"]] = one["link"]
        return [one["link"] for one in invited]

    def say(self, link: str, how_many: int, choose: Any = None) -> None:
        """Answer some tasks, as the person of a link."""
        with httpx.Client(base_url=self.client.base_url, headers=PROGRAM, timeout=60) as person:
            assert person.get(link).status_code == 303
            for _ in range(how_many):
                seen = person.get("/work.json").raise_for_status().json()
                task = seen["task"]
                if task is None:
                    return
                sent = {"task": task["id"], "key": seen["key"], "seconds": 2.5}
                if choose is None or choose(task) is None:
                    sent |= {"cannot_tell": "true"}
                else:
                    sent |= choose(task)
                answer = person.post("/work/save", data=sent)
                assert answer.status_code == 200, answer.text

    def post(self, address: str, **form: Any) -> dict[str, Any]:
        """Send a form; give what is told."""
        answer = self.client.post(address, data=form)
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told


def first(task: dict[str, Any]) -> dict[str, Any]:
    """Choose the first of what can be said."""
    if task["choices"]:
        return {"said": task["choices"][0]["value"]}
    places = [str(place) for place, _ in enumerate(task["items"], 1)]
    return {"item": places, "place": places}


def by_number(task: dict[str, Any]) -> dict[str, Any]:
    """Choose by the number of the task."""
    return {"said": task["choices"][task["id"] % len(task["choices"])]["value"]}


def runs(world: World, name: str = "Runs") -> str:
    """Three systems and a truth for some of what they found."""
    slug = world.begin(name)
    found = {path.name: path.read_bytes() for path in sorted((FILES / "runs").glob("*.run"))}
    world.bring(slug, found)
    world.bring(slug, QRELS, "truth")
    return slug


def judged(world: World, name: str = "Judges") -> str:
    """Systems, and several people who judge."""
    slug = world.begin(name)
    found = {path.name: path.read_bytes() for path in sorted((FILES / "runs").glob("*.run"))}
    world.bring(slug, found)
    world.bring(slug, JUDGES, "truth")
    return slug


def pictures(world: World, name: str = "Pictures") -> str:
    """A tree, what people make of pictures, what systems find."""
    slug = world.begin(name)
    world.bring(slug, PICTURES)
    world.bring(slug, ASSIGNED, "truth")
    return slug


def annotators(world: World, name: str = "Annotators") -> str:
    """Labels of people alone."""
    slug = world.begin(name)
    world.bring(slug, LABELS, "truth")
    return slug


def hostile(world: World) -> str:
    """A project in which every name, text and answer is an attack."""
    slug = world.begin(IMAGE)
    items = [f"{one} {number}" for number in range(3) for one in NASTY]
    systems, people = NASTY[:4], (NASTY[4], NASTY[1], NASTY[5])
    votes = [
        (query, system, item, (place + len(system) * turn) % 3 % 2, f"{NASTY[turn % 2]} family")
        for turn, system in enumerate(systems)
        for query in NASTY[:3]
        for place, item in enumerate(items)
    ]
    header = ("query", "system", "item", "vote", "family")
    world.bring(slug, {f"{IMAGE}.csv": as_csv(header, votes)})
    said = [
        (query, person, item, (place * (turn + 1)) % 3 % 2)
        for turn, person in enumerate(people)
        for query in NASTY[:2]
        for place, item in enumerate(items[:10])
    ]
    judges = {f"{QUOTES}.csv": as_csv(("query", "judge", "item", "relevant"), said)}
    world.bring(slug, judges, "truth")
    here = project(world.db, slug)
    add_items(world.db, here, [(name, f"{SCRIPT} text {name}") for name in items[1:]])
    add_queries(world.db, here, [(name, f"{IMAGE} text {name}") for name in NASTY[:2]])
    world.ask(
        *(slug, "grades", [f"{IMAGE} Ann", f"{SCRIPT} Bob"]),
        text=f"{QUOTES} {SCRIPT} {BRACES}?",
        guide=f"{IMAGE}\n{COMMENT}",
        grades="\n".join(NASTY[:4]),
        overlap=2,
        predictions="true",
        others="true",
        confidence="true",
    )
    for name in (f"{IMAGE} Ann", f"{SCRIPT} Bob"):
        world.say(world.links[name], 6, by_number)
    return slug


def hostile_tree(world: World) -> str:
    """A tree of attacks, and pictures with such names."""
    slug = world.begin(SCRIPT)
    names = [*NASTY, *(f"{one} leaf" for one in NASTY)]
    rows = [("all", "")] + [(one, "all") for one in NASTY] + [(f"{one} leaf", one) for one in NASTY]
    world.bring(slug, {f"{COMMENT.replace('/', '')}.csv": as_csv(("category", "parent"), rows)})
    items = [f"{one} picture" for one in NASTY]
    found = [
        (system, query, place + 1, item)
        for turn, system in enumerate(NASTY[:3])
        for query in NASTY[:2]
        for place, item in enumerate(items[turn:])
    ]
    results = as_csv(("system", "query", "rank", "item"), found)
    world.bring(slug, {"results.csv": results})
    said = [
        (item, person, names[(place * (turn + 2)) % len(names)])
        for turn, person in enumerate(NASTY[:3])
        for place, item in enumerate(items)
    ]
    world.bring(slug, {"said.csv": as_csv(("item", "subject", "category"), said)}, "truth")
    return slug


def with_picture(world: World, slug: str, item: str) -> None:
    """Give an item a picture."""
    add_picture(world.db, project(world.db, slug), io.BytesIO(DOT), f"{item}.png")


#: Whether all charts of a page are drawn and nothing is being computed.
READY = """() => !document.querySelector(".job progress, [data-done], [data-charts=waiting]") &&
  [...document.querySelectorAll("figure[data-chart]")].every(
    (one) => one.clientWidth === 0 || one.querySelector(".chart-menu"))"""


def visit(page: Any, address: str) -> None:
    """Open a page and wait until all that it shows is there."""
    page.goto(address)
    settle(page)


def settle(page: Any) -> None:
    """Wait until a page that was gone to is all there, with its scripts."""
    page.wait_for_load_state("load")
    page.wait_for_function(READY)
