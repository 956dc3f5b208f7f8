"""What all tests share."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The same examples in every run; `pytest --hypothesis-profile=explore` looks for new ones.
settings.register_profile("steady", deadline=None, max_examples=60, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("steady")

ROOT = Path(__file__).parent.parent
#: What Chromium is started with: nothing of its own goes over a network.
CHROMIUM = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
]


@pytest.fixture(autouse=True)
def _kept_results(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keep results of tests away from the user's."""
    monkeypatch.setenv("CONSILIENCE_RESULTS", str(tmp_path_factory.mktemp("results")))


@pytest.fixture
def files() -> Path:
    """The small files that the documentation works on."""
    return ROOT / "docs" / "files"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium, started once; a test that looks at a page opens one of its own."""
    from playwright.sync_api import sync_playwright

    place = shutil.which("chromium")
    if place is None:
        pytest.fail("no chromium found; install the Debian package chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=place, args=CHROMIUM)
        yield started
        started.close()
