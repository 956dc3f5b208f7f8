"""By day property tests see the same examples; by night they search."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
#: Two property tests that write down what they see; one of them names a number of examples.
SEARCH = """
from pathlib import Path
from hypothesis import given, settings, strategies as st

def note(name, number):
    with Path({place!r}, name).open("a") as file:
        file.write(f"{{number}}\\n")

@given(st.integers())
def test_usual(number):
    note("usual", number)

@given(st.integers())
@settings(max_examples=30)
def test_few(number):
    note("few", number)
"""


def examples(folder: Path, profile: str | None) -> dict[str, list[str]]:
    """Run the tests with this project's settings; give what they have seen."""
    folder.mkdir()
    written = SEARCH.format(place=str(folder))
    (folder / "conftest.py").write_text((ROOT / "tests" / "conftest.py").read_text())
    (folder / "test_search.py").write_text(written)
    surroundings = {name: value for name, value in os.environ.items() if "HYPOTHESIS" not in name}
    if profile is not None:
        surroundings["HYPOTHESIS_PROFILE"] = profile
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    subprocess.run(
        [*command, "--rootdir", str(folder), str(folder / "test_search.py")],
        check=True,
        cwd=folder,
        env=surroundings,
        capture_output=True,
    )
    return {name: (folder / name).read_text().split() for name in ("usual", "few")}


def test_by_day_examples_stay_the_same(tmp_path: Path) -> None:
    one, other = (examples(tmp_path / name, None) for name in ("one", "other"))
    assert one == other
    assert [len(one[name]) for name in ("usual", "few")] == [60, 30]


def test_by_night_they_are_many_and_new(tmp_path: Path) -> None:
    one, other = (examples(tmp_path / name, "nightly") for name in ("one", "other"))
    assert one != other
    assert [len(one[name]) for name in ("usual", "few")] == pytest.approx([2000, 1000], rel=0.1)
