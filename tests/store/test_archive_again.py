"""Archives take whatever a project takes, tell how far labelling is, and come in side by side."""

from __future__ import annotations

import csv
import shutil
import threading
import zipfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from consilience.errors import UsageError
from consilience.store.archive import pack
from consilience.store.archive_unpack import _Unpacking, unpack
from consilience.store.connect import Database, open_database
from consilience.store.draws import draw_items, draw_pairs, draw_rankings
from consilience.store.labels import Said, save_label
from consilience.store.people import LONGEST, respondents
from consilience.store.projects import Project, make_project
from consilience.store.sources import add_files, sources
from consilience.store.studies import study_of
from consilience.store.tasks import next_task, progress
from tests import postgres
from tests.store.archived import content, edited_row, pictures_on_disk, rewritten
from tests.store.labelling import asked_project, people

_NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
_EACH_EXAMPLE = [HealthCheck.function_scoped_fixture]


def same(db: Database, made: Project, folder: Path) -> None:
    """See that a project is the same after it was packed and unpacked."""
    pack(db, made, folder / "one.zip")
    brought = unpack(db, folder / "one.zip")
    assert content(db, brought) == content(db, made)
    assert [one.name for one in respondents(db, brought)] == [
        one.name for one in respondents(db, made)
    ]
    assert study_of(db, brought).fingerprint() == study_of(db, made).fingerprint()


def judged(path: Path, rows: list[tuple[str, str, str]]) -> Path:
    """Write what people say: query, person, item."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("query", "respondent", "kind", "item", "grade"))
        writer.writerows((query, name, "person", item, 1) for query, name, item in rows)
        writer.writerow(("q", "other", "person", "else", 0))
    return path


@settings(max_examples=8, deadline=None, suppress_health_check=_EACH_EXAMPLE)
@given(query=_NAMES, name=_NAMES, item=_NAMES)
def test_what_files_name_survives(
    template: Path, tmp_path: Path, query: str, name: str, item: str
) -> None:
    shutil.copy(template, tmp_path / "a.db")
    db = open_database(tmp_path / "a.db")
    made = make_project(db, "names")
    with suppress(UsageError):  # some it does not take
        add_files(db, made, [], truth=[judged(tmp_path / "judges.csv", [(query, name, item)])])
    if sources(db, made):
        same(db, made, tmp_path)
    db.close()


#: Names that no project can have, and files can give to people.
_ODD = (
    "x" * 301,
    "ü" * (LONGEST // 2),
    "a\tb",
    "a\x1b[31mb",
    "\x7f",
    "\u00a0Ann",
    "a\x85b",
    "a\nb",
    "\u2028",
    "\u202ea",
)


def test_odd_names_survive(db: Database, project: Project, tmp_path: Path) -> None:
    rows = [(name[:300], name, name[:300]) for name in _ODD]
    add_files(db, project, [], truth=[judged(tmp_path / "judges.csv", rows)])
    assert len(respondents(db, project)) > 6
    same(db, project, tmp_path)


def test_a_long_tag_of_a_run_survives(db: Database, project: Project, tmp_path: Path) -> None:
    tag = "s" * 400
    (tmp_path / "a.run").write_text(f"q1 Q0 d1 1 2.0 {tag}\nq1 Q0 d2 2 1.0 {tag}\n")
    add_files(db, project, [tmp_path / "a.run"])
    same(db, project, tmp_path)


def test_a_longer_name_than_files_can_hold_is_refused(
    db: Database, project: Project, tmp_path: Path
) -> None:
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.0 tag\nq1 Q0 d2 2 1.0 tag\n")
    add_files(db, project, [tmp_path / "a.run"])
    pack(db, project, tmp_path / "one.zip")
    longer = edited_row("respondent", 1, name="ü" * (LONGEST // 2) + "x")
    with pytest.raises(UsageError, match="name cannot be that of a respondent"):
        unpack(db, rewritten(tmp_path / "one.zip", tmp_path / "two.zip", longer))


@pytest.mark.parametrize("kind", ["relevance", "pairs", "ranking"])
def test_labelling_is_as_far_as_it_was(
    db: Database, project: Project, tmp_path: Path, kind: str
) -> None:
    project = asked_project(db, project, tmp_path, kind=kind)
    draw = {"pairs": draw_pairs, "ranking": draw_rankings}.get(kind)
    if draw is None:
        draw_items(db, project, "all")
    else:
        draw(db, project)
    (ann,) = people(db, project, "Ann")
    for number in range(3):
        task = next_task(db, project, ann)
        assert task is not None
        values: dict[str, Any] = {"relevance": True, "pairs": 0, "ranking": [task.items[0].id]}
        said = Said(None if number else values[kind], seconds=number)
        save_label(db, project, ann.id, task.id, said, key=f"k{number}")
    pack(db, project, tmp_path / "one.zip")
    before, after = progress(db, project), progress(db, unpack(db, tmp_path / "one.zip"))
    assert [one.cannot_tell for one in before.people] == [2]
    assert replace(after, people=()) == replace(before, people=())
    assert [replace(one, id=0) for one in after.people] == [
        replace(one, id=0) for one in before.people
    ]


def test_two_archives_come_in_at_once(
    server: postgres.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have rows of the table of projects when they choose a slug."""
    source = open_database(tmp_path / "source.db")
    for name in ("one", "two"):
        made = make_project(source, "Photos")
        (tmp_path / "a.run").write_text(f"q1 Q0 d1 1 2.0 {name}\nq1 Q0 d2 2 1.0 {name}\n")
        add_files(source, made, [tmp_path / "a.run"])
        pack(source, made, tmp_path / f"{name}.zip")
    source.close()
    db, both = open_database(server.fresh(), files=tmp_path / "files"), threading.Barrier(2)
    finish = _Unpacking.finish

    def together(self: _Unpacking) -> Project:
        both.wait(10)
        return finish(self)

    monkeypatch.setattr(_Unpacking, "finish", together)
    slugs = _unpacked(db, [tmp_path / "one.zip", tmp_path / "two.zip"])
    assert sorted(slugs) == ["photos", "photos-2"]
    db.close()


def test_one_archive_with_pictures_comes_in_three_times_at_once(
    server: postgres.Server, good: Path, tmp_path: Path
) -> None:
    db = open_database(server.fresh(), files=tmp_path / "files")
    slugs = _unpacked(db, [good] * 3)
    assert sorted(slugs) == ["cafe-b", "cafe-b-2", "cafe-b-3"]
    with zipfile.ZipFile(good) as archive:
        held = {name.rpartition("/")[2] for name in archive.namelist() if name.startswith("files/")}
    assert {Path(name).name for name in pictures_on_disk(db)} == held
    assert len(held) == 2
    db.close()


def _unpacked(db: Database, archives: list[Path]) -> list[Any]:
    """Unpack archives at once; give their slugs, and what failed."""
    found: list[Any] = []

    def bring(path: Path) -> None:
        try:
            found.append(unpack(db, path).slug)
        except Exception as error:
            found.append(error)
            raise

    threads = [threading.Thread(target=bring, args=(path,)) for path in archives]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found
