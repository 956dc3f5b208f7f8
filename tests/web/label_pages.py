"""Labelling in a browser: projects that begin with tasks, and what somebody said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
from playwright.sync_api import Page, expect

from consilience.store.labels import history
from consilience.store.people import respondents
from consilience.store.projects import project
from tests.web.labelling import ask, draw, invite, runs
from tests.web.served import Served

Begin = Callable[..., list[str]]


def beginning(make_project: Any, client: httpx.Client) -> Begin:
    """Give what begins a project with tasks: its slug, and a link for everybody."""

    def made(kind: str = "relevance", *names: str, number: str = "", **settings: Any) -> list[str]:
        slug = make_project("Runs", runs())
        ask(client, slug, kind, **settings)
        draw(client, slug, "random" if number else "all", number)
        return [slug, *invite(client, slug, *(names or ("Ann",)))]

    return made


def said(app: Served, slug: str, name: str = "Ann") -> list[Any]:
    """Give what somebody said, the first first; items by name."""
    here = project(app.db, slug)
    (who,) = [one for one in respondents(app.db, here) if one.name == name]
    found = []
    for one in reversed(history(app.db, here, who.id)):
        names = {item.id: item.name for item in one["items"]} if len(one["items"]) > 1 else {}
        value = one["value"]
        found.append([names[item] for item in value] if isinstance(value, list) else value)
        if names and not isinstance(value, list) and value:
            found[-1] = names[value]
    return found


def done(page: Page, count: int) -> None:
    """Wait until so many tasks are done."""
    expect(page.locator("#work .far b").first).to_have_text(str(count))
    expect(page.locator("#work[aria-busy]")).to_have_count(0)


def order(page: Page) -> list[str]:
    return page.locator("#order [data-item] .text").all_inner_texts()
