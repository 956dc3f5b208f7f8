"""The wheel holds everything that the app needs, little of it, and runs from there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from consilience.web.static_files import FILES

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "consilience"
#: Where what a browser loads, or what pages are made of, lies.
INTERFACE = ("web/static/", "web/templates/", "render/assets/")
#: The most that all of it may take in the wheel, in bytes.
MOST = 500_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as it is built from this tree, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds nothing but the wheel's content."""
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_every_file_of_the_package_is_in_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name.removeprefix("consilience/") for name in archive.namelist()}
    kinds = {".py", ".html", ".css", ".js", ".svg", ".csv", ".txt", ".md", ".typed"}
    files = [path for path in SOURCE.rglob("*") if path.suffix in kinds or path.name == "py.typed"]
    assert len(files) > 200
    lacking = {str(path.relative_to(SOURCE)) for path in files} - held
    assert not lacking
    assert "store/migrations/versions/0001_first.py" in held


def test_the_interface_takes_less_than_half_a_megabyte(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        sizes = {
            one.filename: one.compress_size
            for one in archive.infolist()
            if one.filename.removeprefix("consilience/").startswith(INTERFACE)
        }
    assert "consilience/web/static/htmx.min.js" in sizes
    assert sum(sizes.values()) < MOST, sizes


def test_pages_name_only_files_that_are_served_and_none_lies_unused() -> None:
    templates = (SOURCE / "web" / "templates").glob("*.html")
    named = {
        name
        for path in templates
        for name in re.findall(r"static\('([^']+)'\)", path.read_text(encoding="utf-8"))
    }
    assert named == set(FILES)
    lying = {path.name for path in (SOURCE / "web" / "static").iterdir()} - {"README.md"}
    assert lying <= named


def test_templates_hold_nothing_that_the_policy_forbids() -> None:
    forbidden = re.compile(
        r"<style|<script(?![^>]*(?:\bsrc=|type=\"application/json\"))|\sstyle=|\son[a-z]+=|"
        r"javascript:|\|\s*safe\b|https?://",
        re.IGNORECASE,
    )
    for path in (SOURCE / "web" / "templates").glob("*.html"):
        assert not forbidden.findall(path.read_text(encoding="utf-8")), path.name


@pytest.fixture
def started(unpacked: Path, tmp_path: Path) -> Iterator[str]:
    """The app as the wheel's own command starts it; gives its address."""
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}
    command = [sys.executable, "-c", "from consilience.cli import main; main()", "serve"]
    with subprocess.Popen(
        [*command, "--port", "0", "--no-browser", "--database", "study.db"],
        cwd=tmp_path,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        yield said.removeprefix("Consilience is at ").strip().removesuffix("/")
        process.terminate()


def test_the_app_runs_from_the_wheel(started: str, unpacked: Path, tmp_path: Path) -> None:
    with httpx.Client(base_url=started, headers={"x-consilience-client": "tests"}) as client:
        assert "There is no project yet" in client.get("/").raise_for_status().text
        for name in FILES:
            assert client.get(f"/static/{name}").raise_for_status().content
        sent = [("files", ("votes.csv", b"item,S1,S2\na,1,0\nb,1,1\nc,0,1\n"))]
        client.post("/projects", data={"name": "Bare"})
        assert client.post("/p/bare/upload", files=sent).status_code == 303
        assert "Bare" in client.get("/p/bare/overview").raise_for_status().text
    assert (tmp_path / "study.db").exists()
    assert not [*unpacked.rglob("*.db")]
