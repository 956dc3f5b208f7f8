"""One browser and one app for the tests of a module; every page is watched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.web.served import PROGRAM, Served, Watched, serving


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A running app on a new SQLite file."""
    with serving(tmp_path_factory.mktemp("app") / "study.db") as served:
        yield served


@pytest.fixture
def client(app: Served) -> Iterator[httpx.Client]:
    """A program that talks to the app."""
    with httpx.Client(base_url=app.url, headers=PROGRAM, timeout=60) as made:
        yield made


@pytest.fixture
def watched(app: Served) -> Iterator[Watched]:
    """What pages said and asked for; nothing of it may be wrong in the end."""
    made = Watched(app.url)
    yield made
    assert not made.elsewhere, "requests left the machine"
    assert not made.messages, "the console holds errors"


@pytest.fixture
def context(browser: Browser, watched: Watched) -> Iterator[BrowserContext]:
    """A browser without a past: cookies of its own."""
    made = browser.new_context(viewport={"width": 1200, "height": 900})
    made.set_default_timeout(15_000)
    made.on("page", watched.follow)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A page of a browser."""
    return context.new_page()


@pytest.fixture
def make_project(client: httpx.Client) -> Any:
    """Begin a project and bring files, as a program; gives its slug."""

    def make(name: str, files: dict[str, bytes], truth: dict[str, bytes] | None = None) -> str:
        slug = client.post("/projects", data={"name": name}).raise_for_status().json()["slug"]
        for role, some in (("answers", files), ("truth", truth or {})):
            if not some:
                continue
            sent = [("files", (file, content)) for file, content in some.items()]
            answer = client.post(f"/p/{slug}/upload", files=sent, data={"role": role})
            answer.raise_for_status()
            job = answer.json()["job"]
            while job["state"] in ("waiting", "running"):
                job = client.get(f"/jobs/{job['id']}.json").raise_for_status().json()["job"]
            assert job["state"] == "done", job
        return str(slug)

    return make
