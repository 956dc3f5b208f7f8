"""The page of experiments: all are on it, with their pictures, and quick ones say the same now."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

import consilience as cs
from consilience.experiments import EXPERIMENTS

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = DOCS / "experiments.md"
PAGES = [PAGE, *(DOCS / "experiments" / f"{name}.md" for name in EXPERIMENTS)]
#: Experiments that take less than three seconds.
QUICK = ("words", "which-ap", "runs")


def as_read(text: str) -> str:
    """Take the markup away that keeps MkDocs from seeing markup."""
    return html.unescape(re.sub(r"\\([\\`*_\[\]#|])", r"\1", text))


def parts() -> dict[str, str]:
    """Give what the main page says of each experiment."""
    pieces = re.split(r"^## (.+)\n", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {name: as_read(text) for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def test_every_experiment_is_on_the_page_and_has_its_own() -> None:
    assert list(parts()) == list(EXPERIMENTS)
    rows = re.findall(r"^\| \[`(.+?)`\]\(#(.+?)\)", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [(name, name) for name in EXPERIMENTS]
    assert sorted(PAGES[1:]) == sorted((DOCS / "experiments").glob("*.md"))
    menu = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
    assert re.findall(r"- experiments/(.+)\.md$", menu, re.MULTILINE) == list(EXPERIMENTS)


def test_every_picture_is_there_and_every_one_is_shown() -> None:
    shown = {
        (page.parent / link).resolve()
        for page in (DOCS.parent / "README.md", *PAGES)
        for link in re.findall(r"!\[[^\]]*\]\((.+?)\)", page.read_text(encoding="utf-8"))
    }
    lying = {path.resolve() for path in (DOCS / "images" / "experiments").iterdir()}
    assert {path for path in shown if path.parent.name == "experiments"} == lying


@pytest.mark.parametrize("name", QUICK)
def test_the_page_says_what_comes_out_now(name: str) -> None:
    """Headline, warning and claims: who mends an experiment writes the page again."""
    told = cs.reproduce(name)
    said = parts()[name]
    assert f"**{told.headline}**" in said
    assert not told.caveat or told.caveat[1:] in said
    claims = re.findall(r"^- (Agrees|Differs): (.+)\.$", said, re.MULTILINE)
    words = {True: "Agrees", False: "Differs"}
    compared = [one for one in told.findings if one.paper and one.agrees is not None]
    found = [(words[bool(one.agrees)], one.claim.rstrip(".")) for one in compared]
    assert sorted(claims) == sorted(found)
