"""What all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("consilience", deadline=None, max_examples=60, print_blob=True)
settings.load_profile("consilience")

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
