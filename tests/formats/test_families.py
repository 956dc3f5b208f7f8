"""Files that say which families systems are of."""

from __future__ import annotations

from pathlib import Path

import pytest

from consilience.errors import UsageError
from consilience.formats.families import read_families


def test_long_names_of_families(tmp_path: Path) -> None:
    path = tmp_path / "families.csv"
    path.write_text(f"system,family\nbm25,{'x' * 10**6}\n")
    assert read_families(path) == {"bm25": "x" * 10**6}
    path.write_text(f"system,family\nbm25,{'x' * 10**5}\nbm25,{'y' * 10**5}\n")
    with pytest.raises(UsageError) as caught:
        read_families(path)
    assert len(str(caught.value)) < 1000
    path.write_text('{"bm25": ' + "[" * 10**5)
    with pytest.raises(UsageError, match="not JSON"):
        read_families(path)
