"""Items that are still being read: nobody waits for ever, programs are told when to come again."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from consilience.web import items_index
from consilience.web.items_index import Index, index_of
from consilience.web.pages import items as pages_items
from tests.web.asked import html
from tests.web.served import PROGRAM, Served


@pytest.fixture
def slowly(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Tables that are made when somebody says so."""
    go_on, build = threading.Event(), items_index._made

    def made(db: Any, of: Any) -> Index:
        assert go_on.wait(30)
        return build(db, of)

    monkeypatch.setattr(items_index, "_made", made)
    monkeypatch.setattr(items_index, "_indices", OrderedDict())
    monkeypatch.setattr(pages_items, "PATIENCE", 0.05)
    monkeypatch.setattr(pages_items, "LONGER", 0.3)
    yield go_on
    go_on.set()


def test_nobody_waits_for_ever(
    client: httpx.Client, app: Served, make_project: Any, slowly: threading.Event
) -> None:
    slug = make_project("Slow", {"s.csv": b"item,s1,s2\nx,1,0\ny,0,1\n"})
    here = f"/p/{slug}/items"
    early = client.get(f"{here}.json")
    assert early.status_code == 503
    assert early.headers["retry-after"] == "1"
    assert "still being read" in early.json()["error"]
    assert early.json()["waiting"]
    item = f"{here}/1/1"
    assert client.get(f"{item}.json").status_code == 503
    live = client.get(here, headers={"accept": "text/html", "hx-request": "true"})
    assert live.status_code == 200, "what is not 200 is not shown by a page that is open"
    assert f'hx-get="{here}?page=1"' in live.text
    assert f'hx-get="{item}"' in html(client, item)
    with ThreadPoolExecutor(50) as people:
        begun = time.monotonic()
        asked = [
            people.submit(httpx.get, f"{app.url}{here}.json", headers=PROGRAM, timeout=30)
            for _ in range(50)
        ]
        assert client.get(f"/p/{slug}/overview").status_code == 200
        assert {one.result().status_code for one in asked} == {503}
        assert time.monotonic() - begun < 10
    slowly.set()
    for _ in range(100):
        if client.get(f"{here}.json").status_code == 200:
            break
    assert client.get(f"{here}.json").json()["every"] == 2
    assert "What everybody says" in html(client, item)


def test_many_projects_at_once_are_read_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was being read was forgotten for the next one, and begun again for ever."""
    db: Any = SimpleNamespace(id="db")
    go_on, begun = threading.Event(), list[tuple[int, int]]()

    def made(db: Any, of: Any) -> Any:
        begun.append((of.id, of.version))
        assert go_on.wait(30)
        return of.version

    def asked(project: int, version: int = 1, patience: float = 0.0) -> Any:
        of: Any = SimpleNamespace(id=project, version=version)
        return index_of(db, of, patience=patience)

    monkeypatch.setattr(items_index, "_made", made)
    monkeypatch.setattr(items_index, "_indices", OrderedDict())
    many = range(2 * items_index.TABLES)
    for _ in range(3):
        assert [asked(project) for project in many] == [None] * len(many)
    assert asked(many[-1], 2) is None, "its older version was not begun yet"
    go_on.set()
    wait(items_index._indices.values(), 30)
    assert sorted(begun) == [*((project, 1) for project in many[:-1]), (many[-1], 2)]
    assert asked(many[-1], 2) == 2
    assert len(items_index._indices) == items_index.TABLES
