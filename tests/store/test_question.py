"""What is asked changes: what was drawn for another question, and results that tell of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from consilience.errors import UsageError
from consilience.store.connect import Database
from consilience.store.draws import draw_items, draw_pairs
from consilience.store.labels import Said, save_label
from consilience.store.projects import Project
from consilience.store.projects import project as fetched
from consilience.store.question import Question, ask
from consilience.store.studies import study_of
from consilience.store.tasks import how_many, lent_task, next_task
from tests.store.labelling import asked_project, people, tasks_of, work


def test_another_kind_of_question_makes_results_of_the_first_one_old(
    db: Database, project: Project, tmp_path: Path
) -> None:
    """Tasks of one shape stay, lent as they are; the study tells of the new question."""
    asked_project(db, project, tmp_path)
    draw_items(db, project, "random", number=6)
    (ann,) = people(db, project, "Ann")
    held = next_task(db, project, ann)
    before, version = tasks_of(db, project), fetched(db, project.slug).version
    assert study_of(db, project).evidence.category is None
    now = ask(db, project, Question(kind="category", words=("cat", "dog")))
    assert now.version > version
    assert study_of(db, project).evidence.category is not None
    assert (tasks_of(db, project), next_task(db, project, ann)) == (before, held)
    again = ask(db, project, Question(kind="category", words=("cat", "dog"), overlap=2))
    assert again.version == now.version, "the study does not tell how many are asked"


def test_tasks_of_another_shape_are_not_asked_any_more(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path, kind="pairs")
    draw_pairs(db, project, number=5)
    (ann,) = people(db, project, "Ann")
    held = next_task(db, project, ann)
    assert held is not None
    pair, version = held.items[0].id, fetched(db, project.slug).version
    now = ask(db, project, Question())
    assert (how_many(db, project), next_task(db, project, ann)) == (0, None)
    assert now.version > version
    draw_items(db, project, "all")
    with pytest.raises(UsageError, match="no such task"):
        lent_task(db, project, ann, held.id)
    late = Said(pair, mark=Question(kind="pairs").mark)  # her page is still open
    for task in tasks_of(db, project):
        with pytest.raises(UsageError, match=r"yes or no was asked|question was changed"):
            save_label(db, project, ann.id, task.id, late, key=f"late {task.id}")
    assert len(work(db, project, ann)) == how_many(db, project) == len(tasks_of(db, project))


def test_categories_of_words_do_not_become_those_of_the_tree(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path, kind="category", words=("cat", "dog"))
    draw_items(db, project, "random", number=2)
    (ann,) = people(db, project, "Ann")
    task = next_task(db, project, ann)
    assert task is not None
    save_label(db, project, ann.id, task.id, Said("cat"), key="k")
    with pytest.raises(UsageError, match="categories of a list of words; they cannot become"):
        ask(db, project, Question(kind="category"))
    ask(db, project, Question(kind="category", words=("cat", "dog", "cow")))
