"""What all tests share."""

from __future__ import annotations

import gc
import itertools
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# The same examples in every run; `make nightly` looks for new ones (HYPOTHESIS_PROFILE=nightly).
STEADY, NIGHTLY = 60, 2000
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "steady")
settings.register_profile("steady", deadline=None, max_examples=STEADY, derandomize=True)
settings.register_profile(
    "nightly", deadline=None, max_examples=NIGHTLY, derandomize=False, print_blob=True
)
settings.load_profile(PROFILE)

# Processes of tests share the cores: threads of linear algebra would wait for one another. It is
# read when numpy is loaded, also by the processes that are started from here.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

ROOT = Path(__file__).parent.parent
#: Files with long tests, which begin first: none of them is left for the end, when cores idle.
LONG = ("test_docs.py", "test_bench.py", "test_spark.py", "test_ranked_spark.py")
#: Tests that share a running app, each file its own; they take long, too.
SERVED = ROOT / "tests" / "web"
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests first; by night those that ask for fewer examples get more of them, too."""
    if PROFILE == "nightly":
        for item in items:
            search_longer(getattr(item, "obj", None))
    items.sort(key=lambda item: item.path.name not in LONG and item.path.parent != SERVED)


def search_longer(test: object) -> None:
    """Let a property test that names a number of examples look for as many more as others do.

    One that names more than are usual has taken its number from the profile.
    """
    attribute = "_hypothesis_internal_use_settings"  # hypothesis has no public name for it
    asked = getattr(test, attribute, None)
    if asked is not None and asked.max_examples <= STEADY:
        more = settings(asked, max_examples=asked.max_examples * NIGHTLY // STEADY)
        setattr(getattr(test, "__func__", test), attribute, more)


def pytest_collection_finish() -> None:
    """What was loaded so far stays: it need not be looked through again and again."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """In the end all of it goes."""
    gc.unfreeze()


@pytest.fixture(scope="session")
def _results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders for results, one after the other; a folder is made when something is kept in it."""
    place = tmp_path_factory.mktemp("results")
    return (place / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def _kept_results(_results: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep results of tests away from the user's, and from those of other tests."""
    monkeypatch.setenv("CONSILIENCE_RESULTS", str(next(_results)))


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
