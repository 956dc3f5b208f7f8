"""Draws: which items are labelled, with which probability, and for how many they speak."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import pytest
import sqlalchemy as sa

import consilience as cs
from consilience.errors import UsageError
from consilience.store import schema as s
from consilience.store.connect import Database, reading, writing
from consilience.store.draws import draw_items, draw_pairs, draw_rankings, draw_tasks
from consilience.store.projects import Project
from consilience.store.question import Question, ask
from consilience.store.sources import add_files
from consilience.store.studies import study_of
from consilience.store.tasks import (
    next_task,
)
from tests.store.labelling import NAMED, PLACES, asked_project, people, tasks_of, work


def test_rows_of_next_keep_their_draw(db: Database, project: Project, tmp_path: Path) -> None:
    asked_project(db, project, tmp_path)
    made = cs.next_labels(study_of(db, project), budget=6)
    assert draw_tasks(db, project, made.rows) == len(made.rows)
    found = [(row.probability, row.round, row.place) for row in tasks_of(db, project)]
    assert found == [(row["probability"], 1, place) for place, row in enumerate(made.rows)]
    with pytest.raises(UsageError, match="was drawn before"):
        draw_tasks(db, project, made.rows)
    assert len(tasks_of(db, project)) == len(made.rows)


def test_strange_rows_are_refused(db: Database, project: Project, tmp_path: Path) -> None:
    asked_project(db, project, tmp_path)
    row = {"query": "q1", "item": "a", "probability": 0.5, "round": 1}
    with pytest.raises(UsageError, match="unknown item 'z'"):
        draw_tasks(db, project, [row | {"item": "z"}])
    with pytest.raises(UsageError, match="several rounds"):
        draw_tasks(db, project, [row, row | {"item": "b", "round": 2}])
    with pytest.raises(UsageError, match="nothing was drawn"):
        draw_tasks(db, project, [])
    assert not tasks_of(db, project)


def test_a_number_of_items_is_drawn_evenly(db: Database, project: Project, tmp_path: Path) -> None:
    asked_project(db, project, tmp_path)
    assert draw_items(db, project, "random", number=4, seed=3) == 4
    assert {row.probability for row in tasks_of(db, project)} == {4 / len(PLACES)}
    work(db, project, people(db, project, "Ann")[0], 1)
    assert draw_items(db, project, "all") == len(PLACES) - 4
    found = tasks_of(db, project)
    assert Counter(row.round for row in found) == {1: 4, 2: len(PLACES) - 4}
    assert {row.probability for row in found if row.round == 2} == {1.0}
    assert len({(row.query_id, row.item_id) for row in found}) == len(PLACES)
    with pytest.raises(UsageError, match="every item has a label, or waits"):
        draw_items(db, project, "all")


def test_disputed_items_come_first(db: Database, project: Project, tmp_path: Path) -> None:
    asked_project(db, project, tmp_path)
    draw_items(db, project, "disputed", number=3)
    with reading(db) as conn:
        rows = conn.execute(
            sa.select(s.query.c.name, s.item.c.name, s.task.c.probability, s.task.c.round)
            .join(s.query, s.query.c.id == s.task.c.query_id)
            .join(s.item, s.item.c.id == s.task.c.item_id)
        ).all()
    for query, item, probability, turn in rows:
        votes = sum(item in lists[query] for lists in NAMED.values())
        assert votes in (1, 2)
        assert (probability, turn) == (None, 0)


def test_a_design_takes_what_waits_without_one(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path)
    draw_items(db, project, "disputed", number=3)
    assert draw_items(db, project, "all") == len(PLACES)
    assert {row.round for row in tasks_of(db, project)} == {1}


def test_what_files_label_is_drawn_only_again(
    db: Database, project: Project, tmp_path: Path
) -> None:
    from consilience.store.sources import add_files

    asked_project(db, project, tmp_path)
    truth = tmp_path / "qrels.txt"
    truth.write_text("q1 0 a 1\nq1 0 b 0\n")
    add_files(db, project, [], truth=[truth])
    assert draw_items(db, project, "all") == len(PLACES) - 2
    assert draw_items(db, project, "all", again=True) == 2
    assert Counter(row.round for row in tasks_of(db, project)) == {1: len(PLACES) - 2, 0: 2}


def test_pairs_are_of_one_query_and_all_different(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path, kind="pairs")
    sizes = Counter(query for query, _ in PLACES).values()
    total = sum(n * (n - 1) // 2 for n in sizes)
    assert draw_pairs(db, project, number=5, seed=1) == 5
    assert {row.probability for row in tasks_of(db, project)} == {5 / total}
    assert draw_pairs(db, project) == total - 5
    found = {(row.query_id, *sorted((row.item_id, row.other_id))) for row in tasks_of(db, project)}
    assert len(found) == total
    with pytest.raises(UsageError, match="no pair"):
        draw_pairs(db, project)
    with pytest.raises(UsageError, match="about pairs"):
        draw_items(db, project, "all")


def test_rankings_hold_the_items_of_a_query(db: Database, project: Project, tmp_path: Path) -> None:
    project = asked_project(db, project, tmp_path, kind="ranking", most=3)
    assert draw_rankings(db, project) == 4
    (ann,) = people(db, project, "Ann")
    task = next_task(db, project, ann)
    assert task is not None
    assert len(task.items) == 3
    assert {(task.query.name, item.name) for item in task.items} <= PLACES


def test_items_without_systems_can_be_drawn(db: Database, project: Project) -> None:
    with writing(db) as conn:
        rows = [{"project_id": project.id, "name": name} for name in "abc"]
        conn.execute(s.item.insert(), rows)
    ask(db, project, Question(kind="category", words=("cat", "dog")))
    assert draw_items(db, project, "all") == 3


def test_pairs_are_counted_as_they_stand() -> None:
    from consilience.store.draws import _pair

    for size in range(2, 7):
        every = [_pair(range(size), place) for place in range(size * (size - 1) // 2)]
        assert every == [*itertools.combinations(range(size), 2)]


def spoken_for(db: Database, project: Project) -> float:
    """Tell for how many items labels speak, themselves among them: n items drawn evenly of N."""
    from consilience.belief.sample import sample_of

    sample = sample_of(study_of(db, project))
    assert sample is not None
    return float(sample.weight.sum())


def test_labels_speak_for_every_item_once(db: Database, project: Project, tmp_path: Path) -> None:
    """Whatever was labelled without a draw, before and after draws, is not counted twice."""
    asked_project(db, project, tmp_path)
    (ann,) = people(db, project, "Ann")
    draw_items(db, project, "disputed", number=5)
    work(db, project, ann, 4)
    assert draw_items(db, project, "random", number=3) == 3
    assert {row.probability for row in tasks_of(db, project) if row.round == 1} == {3 / 12}
    work(db, project, ann, 3)
    assert spoken_for(db, project) == pytest.approx(16)
    draw_items(db, project, "disputed", number=4)  # what the draw could have taken
    work(db, project, ann)
    assert spoken_for(db, project) == pytest.approx(16)
    waiting = len(PLACES) - len(tasks_of(db, project))
    assert draw_items(db, project, "random", number=2) == 2
    assert {row.probability for row in tasks_of(db, project) if row.round == 2} == {2 / waiting}
    work(db, project, ann)
    assert spoken_for(db, project) == pytest.approx(16)


def test_a_round_without_labels_is_made_larger(
    db: Database, project: Project, tmp_path: Path
) -> None:
    """Two numbers that are drawn one after the other are one draw while nobody has answered."""
    asked_project(db, project, tmp_path)
    (ann,) = people(db, project, "Ann")
    for number in (3, 2):
        draw_items(db, project, "random", number=number)
    assert {(row.round, row.probability) for row in tasks_of(db, project)} == {(1, 5 / 16)}
    assert [row.place for row in tasks_of(db, project)] == [*range(5)]
    work(db, project, ann, 2)
    assert spoken_for(db, project) == pytest.approx(16)
    draw_items(db, project, "random", number=2)
    assert {(row.round, row.probability) for row in tasks_of(db, project)} == {
        (1, 5 / 16),
        (2, 2 / 11),
    }


def test_a_round_of_next_comes_before_what_is_drawn_after_it(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path)
    (ann,) = people(db, project, "Ann")
    made = cs.next_labels(study_of(db, project), budget=6)
    other = cs.next_labels(study_of(db, project), budget=3, seed=5)
    draw_tasks(db, project, made.rows)
    with pytest.raises(UsageError, match="round 1 was drawn and none of its items has a label"):
        draw_items(db, project, "random", number=3)
    drawn = {(row["query"], row["item"]) for row in made.rows}
    apart = [row for row in other.rows if (row["query"], row["item"]) not in drawn]
    with pytest.raises(UsageError, match="round 1 was drawn meanwhile"):
        draw_tasks(db, project, apart)
    work(db, project, ann, 1)
    assert draw_items(db, project, "random", number=3) == 3


def test_labels_of_a_file_that_comes_after_a_draw_are_not_counted_twice(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path)
    (ann,) = people(db, project, "Ann")
    draw_items(db, project, "random", number=6)
    drawn = {(task.query.name, task.items[0].name) for task in work(db, project, ann)}
    late = tmp_path / "late.csv"
    rows = [f"{query},Eve,{item},1" for query, item in sorted(PLACES - drawn)[:5]]
    late.write_text("\n".join(["query,annotator,item,label", *rows]) + "\n")
    add_files(db, project, [], truth=[late])
    assert spoken_for(db, project) == pytest.approx(len(PLACES))
