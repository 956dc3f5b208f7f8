"""What people say: added, superseded, taken back, said again; never changed, never lost."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DatabaseError

import consilience as cs
from consilience.errors import UsageError
from consilience.store import schema as s
from consilience.store.connect import Database, reading, writing
from consilience.store.draws import draw_items, draw_pairs, draw_rankings, draw_tasks
from consilience.store.labels import Said, history, restore, save_label, withdraw
from consilience.store.projects import Project
from consilience.store.projects import project as fetch_project
from consilience.store.question import Question, ask
from consilience.store.sources import add_files, set_aside, sources
from consilience.store.studies import labels_study, study_of
from consilience.store.tasks import next_task
from consilience.study import Study
from tests.store.labelling import asked_project, people, write_runs

keys = (f"key-{number}" for number in itertools.count())


def answers(db: Database) -> list[Any]:
    with reading(db) as conn:
        given = sa.select(s.source.c.id).where(s.source.c.role == "labels")
        here = s.answer.select().where(s.answer.c.source_id.in_(given))
        return [*conn.execute(here.order_by(s.answer.c.id))]


def said_of(db: Database, project: Project, person: int) -> list[Any]:
    return [one["value"] for one in history(db, project, person)]


def said(study: Study) -> list[tuple[str, float, int]]:
    """Give the items that people voted on, with votes and ranks."""
    evidence = study.evidence
    assert evidence.vote is not None
    rank = np.zeros(len(evidence)) if evidence.rank is None else evidence.rank
    names = study.items.names(evidence.item)
    return [*zip(names, evidence.vote.tolist(), rank.tolist(), strict=True)]


def test_an_answer_is_kept_with_its_draw(db: Database, project: Project, tmp_path: Path) -> None:
    asked_project(db, project, tmp_path)
    (ann,) = people(db, project, "Ann")
    draw_items(db, project, "random", number=4)
    task = next_task(db, project, ann)
    assert task is not None
    said = Said(True, confidence=0.5, seconds=2.5, shown={"tree": "hidden"})
    version = fetch_project(db, project.slug).version
    saved = save_label(db, project, ann.id, task.id, said, key="k1")
    assert fetch_project(db, project.slug).version == version + 1
    (row,) = answers(db)
    assert (row.id, row.grade, row.confidence, row.seconds) == (saved.id, 1.0, 0.5, 2.5)
    assert (row.probability, row.round) == (task.probability, 1)
    assert row.shown == {"tree": "hidden"}
    (source,) = [one for one in sources(db, project) if one.role == "labels"]
    assert source.rows == 1


def test_a_save_that_is_sent_twice_is_kept_once(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path)
    ann, ben = people(db, project, "Ann", "Ben")
    draw_items(db, project, "all")
    task = next_task(db, project, ann)
    assert task is not None
    first = save_label(db, project, ann.id, task.id, Said(True), key="same")
    again = save_label(db, project, ann.id, task.id, Said(True), key="same")
    assert (again.id, again.again) == (first.id, True)
    assert len(answers(db)) == 1
    with pytest.raises(UsageError, match="somebody else"):
        save_label(db, project, ben.id, task.id, Said(True), key="same")
    with pytest.raises(UsageError, match="another answer was sent with this key"):
        save_label(db, project, ann.id, task.id, Said(False), key="same")  # a page gone back to
    for wrong in ("", "x" * 101):
        with pytest.raises(UsageError, match="key of 1 to 100"):
            save_label(db, project, ann.id, task.id, Said(True), key=wrong)


def test_saying_something_else_supersedes(db: Database, project: Project, tmp_path: Path) -> None:
    asked_project(db, project, tmp_path)
    (ann,) = people(db, project, "Ann")
    draw_items(db, project, "all")
    task = next_task(db, project, ann)
    assert task is not None
    for value in (True, False, None):
        save_label(db, project, ann.id, task.id, Said(value), key=next(keys))
    rows = answers(db)
    assert [row.supersedes for row in rows] == [None, rows[0].id, rows[1].id]
    assert [(row.grade, row.cannot_tell) for row in rows] == [(1, False), (0, False), (None, True)]
    assert said_of(db, project, ann.id) == [None]


def test_undo_and_redo(db: Database, project: Project, tmp_path: Path) -> None:
    asked_project(db, project, tmp_path)
    (ann,) = people(db, project, "Ann")
    draw_items(db, project, "all")
    assert withdraw(db, project, ann.id, key=next(keys)) is None
    seen = []
    for value in (True, False):
        task = next_task(db, project, ann)
        assert task is not None
        save_label(db, project, ann.id, task.id, Said(value, seconds=3.0), key=next(keys))
        seen.append(task.id)
    open_one = next_task(db, project, ann)
    undone = withdraw(db, project, ann.id, key="undo")
    assert undone is not None
    assert undone.task_id == seen[1]
    assert withdraw(db, project, ann.id, key="undo") == type(undone)(undone.id, seen[1], again=True)
    assert said_of(db, project, ann.id) == [True]
    back = next_task(db, project, ann)
    assert back is not None
    assert back.id == seen[1]  # it comes next, before the one that was open
    redone = restore(db, project, ann.id, key="redo")
    assert redone is not None
    assert redone.task_id == seen[1]
    assert said_of(db, project, ann.id) == [False, True]
    assert answers(db)[-1].seconds == 3.0
    assert restore(db, project, ann.id, key=next(keys)) is None
    assert next_task(db, project, ann) == open_one
    for left in ([True], []):
        assert withdraw(db, project, ann.id, key=next(keys)) is not None
        assert said_of(db, project, ann.id) == left
    assert withdraw(db, project, ann.id, key=next(keys)) is None
    (source,) = [one for one in sources(db, project) if one.role == "labels"]
    assert source.rows == 0


def test_one_of_many_answers_can_be_taken_back(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path)
    (ann,) = people(db, project, "Ann")
    draw_items(db, project, "all")
    tasks = []
    for _ in range(3):
        task = next_task(db, project, ann)
        assert task is not None
        tasks.append(task.id)
        save_label(db, project, ann.id, task.id, Said(True), key=next(keys))
    assert withdraw(db, project, ann.id, key=next(keys), task_id=tasks[0]) is not None
    assert [one["task"] for one in history(db, project, ann.id)] == [tasks[2], tasks[1]]
    assert withdraw(db, project, ann.id, key=next(keys), task_id=tasks[0]) is None


def test_answers_are_never_changed(db: Database, project: Project, tmp_path: Path) -> None:
    asked_project(db, project, tmp_path)
    (ann,) = people(db, project, "Ann")
    draw_items(db, project, "all")
    task = next_task(db, project, ann)
    assert task is not None
    save_label(db, project, ann.id, task.id, Said(True), key=next(keys))
    change = s.answer.update().where(s.answer.c.key.is_not(None)).values(grade=0.0)
    with pytest.raises(DatabaseError, match="never changed"), writing(db) as conn:
        conn.execute(change)


def test_answers_fit_the_question(db: Database, project: Project, tmp_path: Path) -> None:
    kinds: dict[str, tuple[dict[str, Any], list[Any]]] = {
        "relevance": ({}, [2, "yes", [1]]),
        "grades": ({"grades": ("low", "high")}, [2, -1, True, "high"]),
        "category": ({"words": ("cat", "dog")}, ["cow", 1]),
        "pairs": ({}, [10**6, "left"]),
        "ranking": ({}, [[10**6], "abc"]),
    }
    asked_project(db, project, tmp_path)
    (ann,) = people(db, project, "Ann")
    for kind, (settings, wrong) in kinds.items():
        project = ask(db, project, Question(kind=kind, **settings))  # type: ignore[arg-type]
        {"pairs": draw_pairs, "ranking": draw_rankings}.get(
            kind, lambda db, project: draw_items(db, project, "all", again=True)
        )(db, project)
        task = next_task(db, project, ann)
        assert task is not None
        for value in wrong:
            with pytest.raises(UsageError):
                save_label(db, project, ann.id, task.id, Said(value), key=next(keys))
        with writing(db) as conn:
            conn.execute(s.task.delete())
    assert not answers(db)
    for said, found in (
        (Said(True, confidence=1.5), "between 0 and 1"),
        (Said(True, seconds=-1), "cannot be"),
        (Said(True, seconds=float("nan")), "cannot be"),
    ):
        with pytest.raises(UsageError, match=found):
            save_label(db, project, ann.id, 1, said, key=next(keys))


def test_categories_of_the_tree_and_of_words(db: Database, project: Project) -> None:
    from consilience.store.beside import choices
    from consilience.store.trees import add_tree

    add_tree(db, project, cs.tree({"animal": {"dog": {}, "cat": {}}, "plant": {}}), name="t")
    shown = Question(kind="category")
    with reading(db) as conn:
        tree = choices(conn, project, shown)
        assert [(one.name, one.level) for one in tree] == [
            ("animal", 0),
            ("dog", 1),
            ("cat", 1),
            ("plant", 0),
        ]
        assert tree[2].above == ("animal",)
        hidden = choices(conn, project, Question(kind="category", tree="hidden"))
        assert [(one.name, one.level) for one in hidden] == [
            (name, 0) for name in ("animal", "cat", "dog", "plant")
        ]
        words = choices(conn, project, Question(kind="category", words=("z", "a")))
        assert [one.name for one in words] == ["z", "a"]


def test_labels_count_as_the_same_labels_in_a_file(
    db: Database, project: Project, tmp_path: Path, files: Path
) -> None:
    """What ``rank`` makes of labels given here equals what it makes of them as a CSV file."""
    votes = files / "labelling" / "votes.csv"
    add_files(db, project, [votes])
    project = ask(db, project, Question(overlap=2))
    drawn = cs.next_labels(study_of(db, project), budget=30, seed=2).rows
    draw_tasks(db, project, drawn)
    assert study_of(db, project).evidence.probability is not None  # drawn, and no label yet
    ann, ben = people(db, project, "Ann", "Ben")
    told: dict[tuple[str, str], list[tuple[str, str]]] = {}
    rng = np.random.default_rng(1)
    for person, most in ((ann, 14), (ben, 9)):
        for _ in range(most):
            task = next_task(db, project, person)
            assert task is not None
            value = [True, False, None][int(rng.choice(3, p=[0.5, 0.4, 0.1]))]
            save_label(db, project, person.id, task.id, Said(value), key=next(keys))
            word = {True: "yes", False: "no", None: ""}[value]
            place = (task.query.name, task.items[0].name)
            told.setdefault(place, []).append((person.name, word))
    labels = tmp_path / "labels.csv"
    with labels.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("query", "item", "annotator", "label", "probability", "round"))
        for row in drawn:
            for who, word in told.get((row["query"], row["item"]), [("", "")]):
                writer.writerow((row["query"], row["item"], who, word, row["probability"], 1))
    ours, theirs = study_of(db, project), cs.read(votes, truth=labels)
    one, other = (
        cs.rank(study, measures=["F1(average=micro)"]).payload() for study in (ours, theirs)
    )
    assert one["condition"] == other["condition"]
    assert one["systems"] == other["systems"]
    assert one["verdict"] == other["verdict"]
    more = [cs.next_labels(study, budget=20).rows for study in (ours, theirs)]
    assert more[0] == more[1]
    assert more[0][0]["round"] == 2
    assert not {(row["query"], row["item"]) for row in more[0]} & {
        (row["query"], row["item"]) for row in drawn
    }


def test_labels_that_are_set_aside_do_not_count(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path)
    (ann,) = people(db, project, "Ann")
    draw_items(db, project, "all")
    task = next_task(db, project, ann)
    assert task is not None
    save_label(db, project, ann.id, task.id, Said(True), key=next(keys))
    (given,) = [one for one in sources(db, project) if one.role == "labels"]
    assert study_of(db, project).evidence.lists
    set_aside(db, project, given.id, True)
    assert not study_of(db, project).evidence.lists


def test_orders_become_ranks(db: Database, project: Project, tmp_path: Path) -> None:
    project = asked_project(db, project, tmp_path, kind="ranking")
    (ann,) = people(db, project, "Ann")
    draw_rankings(db, project, number=1)
    task = next_task(db, project, ann)
    assert task is not None
    items = [item.id for item in task.items]
    order = items[::-1][:2]
    save_label(db, project, ann.id, task.id, Said(order), key=next(keys))
    assert said_of(db, project, ann.id) == [order]
    study = study_of(db, project)
    got = {name: (rank, vote) for name, vote, rank in said(study)}
    by_id = {item.id: item.name for item in task.items}
    assert got[by_id[order[0]]] == (1, 1.0)
    assert got[by_id[order[1]]] == (2, 1.0)
    assert all(got[by_id[item]] == (3, 0.0) for item in items[:-2])
    assert cs.displacement(study).payload()["subjects"]
    assert withdraw(db, project, ann.id, key=next(keys)) is not None
    assert said_of(db, project, ann.id) == []
    assert restore(db, project, ann.id, key=next(keys)) is not None
    assert said_of(db, project, ann.id) == [order]
    save_label(db, project, ann.id, task.id, Said([]), key=next(keys))
    assert said_of(db, project, ann.id) == [[]]
    assert {vote for _, vote, _ in said(study_of(db, project))} == {0.0}


def test_pairs_become_shares_won(db: Database, project: Project, tmp_path: Path) -> None:
    """By hand: a beats b and c, b and c are equal, and of d nobody can tell."""
    runs = write_runs(tmp_path / "runs", {"s": {"q": "abcd"}})
    add_files(db, project, runs)
    project = ask(db, project, Question(kind="pairs"))
    (ann,) = people(db, project, "Ann")
    assert draw_pairs(db, project) == 6
    while (task := next_task(db, project, ann)) is not None:
        one, other = task.items
        pair = {one.name: one.id, other.name: other.id}
        value = None if "d" in pair else pair.get("a", 0)
        save_label(db, project, ann.id, task.id, Said(value), key=next(keys))
    study = study_of(db, project)
    won = {name: vote for name, vote, _ in said(study)}
    assert won == {"a": 1.0, "b": 0.25, "c": 0.25}
    assert study.evidence.probability is None


def test_categories_are_compared(db: Database, project: Project, tmp_path: Path) -> None:
    project = asked_project(db, project, tmp_path, kind="category", words=("cat", "dog"), overlap=2)
    draw_items(db, project, "random", number=6)
    for person, word in zip(people(db, project, "Ann", "Ben"), ("cat", "dog"), strict=True):
        for number in range(6):
            task = next_task(db, project, person)
            assert task is not None
            said = Said("cat" if task.place < 4 else word if number else None)
            save_label(db, project, person.id, task.id, said, key=next(keys))
    found = cs.agree(labels_study(db, project)).payload()
    assert {one["name"] for one in found["annotators"]} == {"Ann", "Ben"}
