"""Files of other programs: each is read as what it is, or refused by its name."""

from __future__ import annotations

import re
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Ran, consilience

HERE = Path(__file__).parent
#: Everything that computes something from files, as it would be asked for one file or for two.
VERBS = {
    "rank": ("{0}", "{1}", "--no-save"),
    "rank with truth": ("{0}", "--truth", "{1}", "--no-save"),
    "soft": ("{0}", "{1}", "--no-save"),
    "agree": ("{0}", "{1}", "--no-save"),
    "curve": ("{0}", "--truth", "{1}", "--no-save"),
    "belief": ("{0}", "{1}"),
    "correlate": ("{0}", "{1}", "--no-save"),
    "displacement": ("{0}", "--subjects", "subjects.csv", "--no-save"),
    "displacement of subjects": ("mine.run", "--subjects", "{0}", "--no-save"),
    "distributions": ("{0}", "--truth", "{1}", "--no-save"),
    "next": ("{0}", "{1}", "--budget", "1"),
    "tree": ("--tree", "{0}", "--assignments", "answers.csv", "--no-save"),
    "tree of answers": ("--tree", "tree.csv", "--assignments", "{0}", "--no-save"),
    "convert": ("{0}", "out.parquet"),
    "align": ("{0}", "{1}", "--no-save"),
}
#: Files that stand beside those in question, and what each verb takes without a complaint.
RUN = "q1 Q0 d1 1 2.5 {0}\nq1 Q0 d2 2 1.5 {0}\n"
BESIDE = {
    "mine.run": RUN.format("mine"),
    "other.run": RUN.format("other"),
    "qrels.txt": "q1 0 d1 1\nq1 0 d2 0\n",
    "subjects.csv": "query,subject,item,relevance\nq1,Ann,d1,1\nq1,Ann,d2,0\n",
    "tree.csv": "category,parent\nanimal,\ndog,animal\ncat,animal\n",
    "answers.csv": "item,subject,category\ni1,Ann,dog\ni1,Ben,cat\n",
    "board.csv": "system,score\nA,1\nB,2\nC,3\n",
    "labels.csv": "item,Ann,Ben\na,1,1\nb,0,1\n",
    "mine.txt": "lake view\nold town\n",
    "other.txt": "lake view\nnew town\n",
}
RIGHT = {
    "rank with truth": ("mine.run", "qrels.txt"),
    "curve": ("mine.run", "qrels.txt"),
    "distributions": ("mine.run", "qrels.txt"),
    "soft": ("mine.txt", "other.txt"),
    "align": ("mine.txt", "other.txt"),
    "agree": ("labels.csv", "labels.csv"),
    "correlate": ("board.csv", "board.csv"),
    "displacement of subjects": ("subjects.csv", ""),
    "tree": ("tree.csv", ""),
    "tree of answers": ("answers.csv", ""),
}


def ask(verb: str, files: tuple[Path | str, Path | str], folder: Path) -> Ran:
    """Run a verb in a folder."""
    for name, text in BESIDE.items():
        (folder / name).write_text(text)
    named = [argument.format(*files) for argument in VERBS[verb]]
    return consilience(verb.partition(" ")[0], *named, cwd=folder)


@dataclass(frozen=True)
class Entry:
    """A line of the table: what a file is, and what must become of it."""

    path: str
    form: str
    made_by: str
    expected: dict[str, str]
    says: str = ""
    text: bool = False
    ranking: bool = False
    labels: bool = False

    @property
    def read(self) -> str | None:
        return self.expected.get("read")

    @property
    def refused(self) -> str:
        return self.expected["refused"]


def entries() -> list[Entry]:
    table: dict[str, list[dict[str, Any]]] = tomllib.loads(
        (HERE / "corpus.toml").read_text("utf-8")
    )
    return [Entry(**row) for row in table["file"]]


ENTRIES = entries()
REFUSED = [entry for entry in ENTRIES if entry.read is None]


def by_path(entries: list[Entry]) -> list[Any]:
    """Return the entries as parameters that are called by their paths."""
    return [pytest.param(entry, id=entry.path) for entry in entries]


def given(entry: Entry, folder: Path, name: str) -> Path:
    """Copy a file or folder: its name must not tell what it is, its ending may."""
    source = HERE / entry.path
    place = folder / f"{name}{source.suffix}"
    if source.is_dir():
        shutil.copytree(source, place)
    else:
        shutil.copy(source, place)
    return place


def found(ran: Ran, *places: Path) -> str:
    """What a refusal says it found: neither the file's name nor the fix, which names many forms."""
    lines = [line.partition("(fix:")[0] for line in ran.err.splitlines()]
    text = "\n".join(lines)
    for place in places:
        text = text.replace(str(place), "").replace(place.name, "")
    return text


@pytest.mark.parametrize("entry", by_path(ENTRIES))
def test_check_reads_it_or_names_it(entry: Entry, tmp_path: Path) -> None:
    place = given(entry, tmp_path, "given")
    ran = consilience("check", place, "--json")
    if entry.read is None:
        assert ran.code == 2, f"read as {[one['recognised'] for one in ran.json()['files']]}"
        assert re.search(rf"\b{re.escape(entry.refused)}\b", found(ran, place)), ran.err
        return
    assert ran.code == 0, ran.err
    forms = [one["recognised"] for one in ran.json()["files"]]
    assert forms
    assert all(entry.read in form for form in forms), forms
    assert entry.says in ran.out


@pytest.mark.parametrize("entry", by_path(REFUSED))
def test_no_verb_scores_it(entry: Entry, tmp_path: Path) -> None:
    """What is no table, list or run has no precision; a text may be aligned with a text.

    Names with a number each are a ranking, whatever else they may be meant for, and of labels it
    can be said how far two files agree.
    """
    places = given(entry, tmp_path, "given"), given(entry, tmp_path, "other")
    codes = {}
    for verb in VERBS:
        if {"align": entry.text, "correlate": entry.ranking, "agree": entry.labels}.get(verb):
            continue
        codes[verb] = ask(verb, places, tmp_path).code
    assert {verb: code for verb, code in codes.items() if code != 2} == {}


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_takes_right_files(verb: str, tmp_path: Path) -> None:
    """Else a refusal would say nothing about the file."""
    ran = ask(verb, RIGHT.get(verb, ("mine.run", "other.run")), tmp_path)
    assert ran.code == 0, ran.err


def test_every_file_stands_in_the_table() -> None:
    """And every line of the table has its file, and says who wrote it."""
    aside = {"make", "__pycache__"}
    there = {
        path.relative_to(HERE).as_posix()
        for folder in HERE.iterdir()
        if folder.is_dir() and folder.name not in aside
        for path in folder.rglob("*")
        if path.is_file()
    }
    told = {entry.path for entry in ENTRIES}
    assert {name for name in told if not (HERE / name).exists()} == set()
    beside = {"brat/lovelace.txt", "yolo/classes.txt"}
    covered = {name for name in there if any(name == t or name.startswith(f"{t}/") for t in told)}
    assert there - covered - beside == set()
    assert all(entry.made_by and entry.form for entry in ENTRIES)
    assert all({*entry.expected} in ({"read"}, {"refused"}) for entry in ENTRIES)
