"""Tables of a project for other programs: read again they say the same."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import pytrec_eval

import consilience as cs
from consilience.errors import UsageError
from consilience.store import schema as s
from consilience.store.connect import Database, reading
from consilience.store.labels import Said, save_label
from consilience.store.people import add_person
from consilience.store.projects import Project, make_project
from consilience.store.question import KINDS, Question, ask
from consilience.store.sources import add_files
from consilience.store.studies import study_of, tree_of
from consilience.store.tables import FORMATS, export_tables
from consilience.store.tasks import next_task
from consilience.study.model import Answers, Study
from tests.store.archived import DATA, Full
from tests.store.kept import Kept

#: What is known of respondents.
ABOUT = ("names", "kind", "family", "silence")


def said(study: Study, side: Answers) -> list[tuple[Any, ...]]:
    """Write a side of a study with names, whatever the order of its rows."""
    lists = side.list_of_row()
    names = study.items.names(side.item)
    columns = [getattr(side, name) for name in s.VALUES]
    rows = []
    for row, item in enumerate(names):
        cells = [None if column is None else column[row] for column in columns]
        place = cells.pop()
        category = None if place is None or place < 0 else study.categories[place]
        figures = [None if c is None or np.isnan(c) or c == 0 else float(c) for c in cells[2:]]
        votes = [None if c is None or np.isnan(c) else float(c) for c in cells[:2]]
        who = study.respondents.names[side.respondent[lists[row]]]
        rows.append((who, study.queries[side.query[lists[row]]], item, *votes, *figures, category))
    return sorted(rows, key=repr)


def same(one: Study, other: Study, *, about: tuple[str, ...] = ABOUT) -> None:
    """See that two studies say the same."""
    people = [
        sorted(zip(*(getattr(x.respondents, name) for name in about), strict=True))
        for x in (one, other)
    ]
    assert people[0] == people[1]
    assert said(one, one.answers) == said(other, other.answers)
    assert said(one, one.evidence) == said(other, other.evidence)


def read_again(folder: Path, **options: Any) -> Study:
    """Read the long tables of a folder, as the documentation says."""
    truth = [one for one in folder.glob("*.*") if one.name.startswith(("truth", "labels"))]
    return cs.read(sorted(folder.glob("answers*")), truth=sorted(truth), **options)


@pytest.mark.parametrize("fmt", ["csv", "parquet"])
def test_read_again_it_is_the_same_study(
    db: Database, full: Full, tmp_path: Path, fmt: str
) -> None:
    made = full()
    wrote = export_tables(db, made, tmp_path / "out", fmt)
    assert wrote.notes == ()
    study, again = study_of(db, made), read_again(tmp_path / "out")
    same(study, again)
    ranked = [cs.rank(one).payload() for one in (study, again)]
    for name in ("condition", "verdict", "ties", "settled"):
        assert ranked[0][name] == ranked[1][name]
    scores = [{one["name"]: one["scores"] for one in found["systems"]} for found in ranked]
    assert scores[0] == scores[1]
    assert cs.tree(tmp_path / "out" / f"tree.{fmt}") == tree_of(db, made)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "grades"])
def test_labels_of_every_kind(db: Database, full: Full, tmp_path: Path, kind: str) -> None:
    made = full(kind)
    notes = export_tables(db, made, tmp_path / "out", "csv").notes
    assert bool(notes) == (kind == "category"), "a table of categories does not tell of silence"
    about = ABOUT[:-1] if kind == "category" else ABOUT
    same(study_of(db, made), read_again(tmp_path / "out"), about=about)


@pytest.mark.parametrize(
    ("answers", "truth"),
    [
        (["runs"], ["qrels.txt"]),
        (["votes.csv"], []),
        (["table3.csv"], []),
        (["airplanes.csv"], []),
        (["runs"], ["qrels.txt", "judges.csv"]),
        (["runs", "votes.csv"], []),
        (["words"], []),
    ],
)
def test_real_files(
    kept: Callable[[str], Kept], tmp_path: Path, answers: list[str], truth: list[str]
) -> None:
    db = kept("sqlite").fresh(tmp_path / "files")
    made = make_project(db, "real")
    kind = "lines" if answers == ["words"] else None  # of words that recur
    judged = [DATA / one for one in truth]
    add_files(db, made, [DATA / one for one in answers], truth=judged, answers=kind)
    for fmt in ("csv", "parquet"):
        export_tables(db, made, tmp_path / fmt, fmt)
        same(study_of(db, made), read_again(tmp_path / fmt))


def test_names_that_csv_must_quote(db: Database, project: Project, tmp_path: Path) -> None:
    names = ['a,b "c"', "two\nlines", "=1+1", "-1", "NA", "007", "1e5", "é ü", "<b>", "'x'", "null"]
    rows = [
        {"query": "q,1", "item": name, "system": 'S"1"', "vote": k % 2}
        for k, name in enumerate(names)
    ]
    pd.DataFrame(rows).to_parquet(tmp_path / "in.parquet")
    add_files(db, project, [tmp_path / "in.parquet"])
    for fmt in ("csv", "parquet"):
        export_tables(db, project, tmp_path / fmt, fmt)
        same(study_of(db, project), read_again(tmp_path / fmt))


def test_everything_with_names(db: Database, full: Full, tmp_path: Path) -> None:
    made = full()
    export_tables(db, made, tmp_path / "csv", "csv")
    export_tables(db, made, tmp_path / "parquet", "parquet")
    for path in (tmp_path / "csv" / "everything").iterdir():
        found = pq.read_table(tmp_path / "parquet" / "everything" / f"{path.stem}.parquet")
        read = pd.read_csv(path, keep_default_na=False, dtype=str)
        assert [*read.columns] == found.column_names
        assert len(read) == found.num_rows, path.stem
    answers = pd.read_parquet(tmp_path / "parquet" / "everything" / "answers.parquet")
    with reading(db) as conn:
        rows = conn.execute(s.answer.select().where(s.answer.c.project_id == made.id)).all()
    assert len(answers) == len(rows)
    assert answers.number.tolist() == [*range(1, len(rows) + 1)]
    mine = answers[answers.role == "labels"]
    later = {*mine.supersedes.dropna().astype(int)}
    by_hand = ~mine.withdrawn & ~mine.number.isin(later)
    assert mine.counts.tolist() == by_hand.tolist()
    assert 0 < by_hand.sum() < len(mine)
    aside = answers[answers.source.str.endswith("aside.csv")]
    assert len(aside)
    assert not aside.counts.any()
    assert set(mine.respondent) == {"Ann Lee", "Bob"}
    people = pd.read_parquet(tmp_path / "parquet" / "everything" / "respondents.parquet")
    assert "link_hash" not in people.columns


def test_a_zip_holds_the_same_files(db: Database, full: Full, tmp_path: Path) -> None:
    made = full()
    wrote = export_tables(db, made, tmp_path / "out", "csv")
    packed = export_tables(db, made, tmp_path / "out.zip", "csv")
    assert packed.files == wrote.files
    with zipfile.ZipFile(tmp_path / "out.zip") as archive:
        assert tuple(archive.namelist()) == wrote.files
        for name in wrote.files:
            assert archive.read(name) == (tmp_path / "out" / name).read_bytes()
    before = (tmp_path / "out.zip").read_bytes()
    export_tables(db, made, tmp_path / "out.zip", "csv")
    assert (tmp_path / "out.zip").read_bytes() == before
    assert {one.name for one in tmp_path.iterdir() if one.name.startswith((".tab", "tab"))} == set()


def test_folders_in_use_are_left_alone(db: Database, project: Project, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("")
    with pytest.raises(UsageError, match="there is something already"):
        export_tables(db, project, tmp_path / "out", "csv")
    with pytest.raises(UsageError, match="unknown format of tables 'xml'"):
        export_tables(db, project, tmp_path / "new", "xml")
    for fmt in FORMATS[2:]:
        with pytest.raises(UsageError, match="nobody has judged anything yet"):
            export_tables(db, project, tmp_path / "new", fmt)
    assert not (tmp_path / "new").exists()


def test_qrels_for_everybody(db: Database, full: Full, tmp_path: Path) -> None:
    made = full()
    export_tables(db, made, tmp_path / "out", "qrels")
    with (tmp_path / "out" / "annotators.csv").open() as stream:
        who = {row["annotator"]: row["file"] for row in csv.DictReader(stream)}
    study = study_of(db, made)
    assert {*who} == {study.respondents.names[k] for k in study.judging} - {"not labelled"}
    for name, file in who.items():
        text = (tmp_path / "out" / file).read_text()
        theirs = pytrec_eval.parse_qrel(io.StringIO(text))
        ours = {
            (query, item): grade
            for n, query, item, _, grade, *_ in said(study, study.evidence)
            if n == name and grade is not None
        }
        assert {(q, i): g for q, items in theirs.items() for i, g in items.items()} == ours
        read = cs.read([DATA / "runs"], truth=tmp_path / "out" / file)
        assert len(read.evidence) == len(ours)


def test_what_qrels_cannot_say(db: Database, project: Project, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,item,annotator,grade\nq1,a b,Ann,1\nq1,c,Ann,0\n")
    add_files(db, project, [tmp_path / "a.csv"])
    with pytest.raises(UsageError, match="the item 'a b' cannot stand in qrels"):
        export_tables(db, project, tmp_path / "out", "qrels")
    other = make_project(db, "other")
    (tmp_path / "b.csv").write_text("query,item,annotator,grade\nq1,a,Ann,1.5\nq1,c,Ann,0\n")
    add_files(db, other, [tmp_path / "b.csv"])
    with pytest.raises(UsageError, match=r"a grade of 1\.5 cannot stand in qrels"):
        export_tables(db, other, tmp_path / "out", "qrels")
    third = make_project(db, "third")
    (tmp_path / "c.csv").write_text("item,annotator,category\na,Ann,cat\nc,Ann,dog\n")
    add_files(db, third, [tmp_path / "c.csv"])
    with pytest.raises(UsageError, match="labels are categories"):
        export_tables(db, third, tmp_path / "out", "qrels")


@pytest.mark.parametrize("kind", KINDS)
def test_label_studio_and_back(db: Database, full: Full, tmp_path: Path, kind: str) -> None:
    made = full(kind)
    export_tables(db, made, tmp_path / "out", "label-studio")
    tasks = json.loads((tmp_path / "out" / "tasks.json").read_text())
    assert all({*task} == {"data", "annotations"} for task in tasks)
    assert not any("completed_by" in one for task in tasks for one in task["annotations"])
    study = study_of(db, made)
    again = cs.read(tmp_path / "out" / "tasks.json", truth=tmp_path / "out" / "tasks.json")
    labels = [
        sorted(
            ((row[0].removesuffix(" (person)"), *row[1:5], row[-1]) for row in rows if _says(row)),
            key=repr,
        )
        for rows in (said(study, study.evidence), said(again, again.evidence))
    ]
    assert labels[0] == labels[1]


def _says(row: tuple[Any, ...]) -> bool:
    return row[3] is not None or row[4] is not None or row[-1] is not None


def test_label_studio_shows_texts_as_they_are(db: Database, full: Full, tmp_path: Path) -> None:
    made = full()
    export_tables(db, made, tmp_path / "out", "label-studio")
    tasks = json.loads((tmp_path / "out" / "tasks.json").read_text())
    data = {(task["data"]["query"], task["data"]["item"]): task["data"] for task in tasks}
    assert data["q1", "a"]["item_text"] == "<script>alert(1)</script>"
    assert data["q1", "a"]["query_text"] == "cheap flights\nin two lines"
    assert "<Header" in (tmp_path / "out" / "interface.xml").read_text()


def test_what_tables_cannot_say_is_noted(db: Database, project: Project, tmp_path: Path) -> None:
    ask(db, project, Question())
    (tmp_path / "x.run").write_text("q1 Q0 a 1 2 x\nq1 Q0 b 2 1 x\n")
    (tmp_path / "y.run").write_text("q1 Q0 b 1 2 y\n")
    add_files(db, project, [tmp_path / "x.run", tmp_path / "y.run"])
    from consilience.store.draws import draw_items

    draw_items(db, project, "disputed", number=1)
    ann, _ = add_person(db, project, "Ann")
    task = next_task(db, project, ann)
    assert task is not None
    save_label(db, project, ann.id, task.id, Said(True), key="1")
    wrote = export_tables(db, project, tmp_path / "out", "csv")
    assert wrote.notes == (
        "labels.csv: nothing there tells what silence of Ann means; read again, it means something "
        "else",
    )
