"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run; `pytest --hypothesis-profile=explore` looks for new ones.
settings.register_profile("steady", deadline=None, max_examples=60, derandomize=True)
settings.register_profile("explore", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("steady")

ROOT = Path(__file__).parent.parent


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
