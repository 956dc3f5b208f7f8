"""Names of a million characters: each verb ends, and shows as much of them as can be read."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest

from consilience.render.layout import cells_of, cut, shortened
from consilience.render.words import plain
from tests.cli.command import consilience

#: No name is longer, and no output is: a name may stand in it a hundred times.
COUNT = 10**6
MOST = 100_000
LETTERS = {"ascii": "x", "wide": "検", "combining": "e\u0301", "invisible": "\x9b"}


def run(tag: str, query: str, item: str) -> str:
    rows = [(query, item, 1, 2.0), (query, "d2", 2, 1.0), ("q2", "d3", 1, 1.0)]
    return "".join(f"{q} Q0 {i} {rank} {score} {tag}\n" for q, i, rank, score in rows)


def wide(who: str, query: str, item: str) -> str:
    rows = [(query, item, 1, 0), (query, "d2", 0, 0), ("q2", "d3", 1, 1), ("q2", "d4", 0, 1)]
    return f"query,item,{who},b\n" + "".join(f"{q},{i},{a},{b}\n" for q, i, a, b in rows)


@pytest.fixture(params=["respondent", "query", "item"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Files in which one name is long: that of a system or annotator, a query or an item."""
    said = {"respondent": "a", "query": "q1", "item": "d1"}
    said[request.param] = "n" * COUNT
    who, query, item = said.values()
    (tmp_path / "a.run").write_text(run(who, query, item))
    (tmp_path / "b.run").write_text(run("b", query, item))
    (tmp_path / "qrels.txt").write_text(f"{query} 0 {item} 1\n{query} 0 d2 0\nq2 0 d3 1\n")
    (tmp_path / "labels.csv").write_text(wide(who, query, item))
    (tmp_path / "subjects.csv").write_text(
        f"query,subject,item,relevance\n{query},{who},{item},1\n{query},Ben,d2,1\nq2,Ben,d3,0\n"
    )
    (tmp_path / "a.txt").write_text(f"{item}\nlake view\n")
    (tmp_path / "b.txt").write_text("old town\nlake view\n")
    return tmp_path


VERBS = {
    "check": ("a.run", "b.run"),
    "rank": ("a.run", "b.run"),
    "rank with truth": ("a.run", "b.run", "--truth", "qrels.txt"),
    "rank in Markdown": ("a.run", "b.run", "-f", "md"),
    "rank in LaTeX": ("a.run", "b.run", "-f", "latex"),
    "rank of annotators": ("labels.csv",),
    "belief": ("a.run", "b.run"),
    "distributions": ("a.run", "b.run"),
    "correlate": ("a.run", "b.run", "--truth", "qrels.txt"),
    "next": ("a.run", "b.run", "--budget", "2"),
    "curve": ("a.run", "--truth", "qrels.txt"),
    "displacement": ("a.run", "b.run", "--subjects", "subjects.csv"),
    "agree": ("labels.csv",),
    "soft": ("a.txt", "b.txt"),
    "align": ("a.txt", "b.txt"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_long_names_are_cut_before_they_are_laid_out(verb: str, folder: Path) -> None:
    saved = () if verb in ("check", "belief", "next") else ("--no-save",)
    ran = consilience(verb.partition(" ")[0], *VERBS[verb], *saved, cwd=folder)
    assert ran.code in (0, 2), ran.err[:1000]
    assert len(ran.out) + len(ran.err) < MOST


def test_json_has_them_whole(folder: Path) -> None:
    ran = consilience("rank", "a.run", "b.run", "--json", "--no-save", cwd=folder)
    names = [one["name"] for one in ran.json()["systems"]]
    tags = {line.split()[-1] for line in (folder / "a.run").read_text().splitlines()}
    assert {*names} == {*tags, "b"}


@pytest.mark.parametrize("letter", LETTERS.values(), ids=[*LETTERS])
def test_only_what_may_be_shown_is_measured(letter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = letter * COUNT
    asked: list[int] = []
    monkeypatch.setattr("consilience.render.layout.cells_of", _counted(asked))
    short = cut(plain(name), 30)
    assert cells_of(short) <= 30
    assert sum(asked) < 50_000
    assert shortened([plain(name), "b"], 30)[1] == "b"


def _counted(asked: list[int]) -> Any:
    def measured(entry: str) -> int:
        asked.append(len(entry))
        return cells_of(entry)

    return measured


def test_accents_take_no_cells_and_are_cut_all_the_same() -> None:
    """A letter with more accents than anybody writes is not measured to its end."""
    pile = "a" + "\u0301" * 10_000
    assert cells_of(pile) == 1
    assert len(cut(pile, 10)) < 1000
    kept = cut("ab" * 20 + "e\u0301", 9)
    assert cells_of(kept) <= 9
    assert unicodedata.normalize("NFC", kept).endswith("é")
