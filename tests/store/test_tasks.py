"""Tasks: drawn with their probabilities, lent to as many people as are to see them."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import consilience as cs
from consilience.errors import UsageError
from consilience.store import schema as s
from consilience.store.connect import Database, reading, writing
from consilience.store.draws import draw_items, draw_rankings, draw_tasks
from consilience.store.labels import Said, save_label
from consilience.store.people import Respondent
from consilience.store.projects import Project
from consilience.store.question import Question, ask
from consilience.store.tasks import (
    Far,
    Task,
    how_far,
    load_task,
    mixed,
    next_task,
    progress,
    sees_file,
)
from tests.store.labelling import PLACES, asked_project, people, tasks_of, work


def test_everybody_has_an_order_of_their_own(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path, overlap=9)
    draw_items(db, project, "random", number=6)
    everybody = people(db, project, *"ABC")
    first = work(db, project, everybody[0], 1)
    draw_items(db, project, "all")
    orders = [work(db, project, person) for person in everybody]
    orders[0][:0] = first
    for order in orders:
        assert len({task.id for task in order}) == len(PLACES)
        assert [task.round for task in order] == sorted(task.round for task in order)
    assert len({tuple(task.id for task in order) for order in orders}) == 3


def test_the_order_of_the_draw_can_be_asked_for(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path, overlap=2, order="draw")
    draw_items(db, project, "all")
    for person in people(db, project, "Ann", "Ben"):
        assert [task.place for task in work(db, project, person)] == [*range(len(PLACES))]


def test_orders_are_fair(db: Database, project: Project, tmp_path: Path) -> None:
    """The first task of many people is any of the tasks, about equally often."""
    asked_project(db, project, tmp_path, overlap=90)
    draw_items(db, project, "random", number=5)
    everybody = people(db, project, *(f"p{k}" for k in range(50)))
    firsts = [next_task(db, project, person) for person in everybody]
    counts = Counter(task.place for task in firsts if task is not None)
    assert sorted(counts) == [*range(5)]
    # χ² with 4 degrees of freedom is above 23.5 once in 10,000 such tests
    assert sum((n - 10) ** 2 / 10 for n in counts.values()) < 23.5


def test_any_first_part_of_an_order_is_a_random_part() -> None:
    """Over many people each place, and each two places, are as often among the first ones."""
    rng = np.random.default_rng(8)
    people, places, first = 4000, 30, 9
    counts = np.zeros((places, places))
    for seed in rng.integers(0, 1 << 31, people).tolist():
        chosen = np.argsort([mixed(place, seed) for place in range(places)])[:first]
        counts[np.ix_(chosen, chosen)] += 1
    one = first / places
    alone = (np.diag(counts) - people * one) / np.sqrt(people * one * (1 - one))
    two = one * (first - 1) / (places - 1)
    pairs = counts[np.triu_indices(places, 1)]
    together = (pairs - people * two) / np.sqrt(people * two * (1 - two))
    # 30 and 435 figures of about the standard normal distribution
    assert np.abs(alone).max() < 4
    assert np.abs(together).max() < 4.5


def test_orders_in_sql_are_those_in_python(db: Database, project: Project, tmp_path: Path) -> None:
    asked_project(db, project, tmp_path)
    draw_items(db, project, "all")
    (ann,) = people(db, project, "Ann")
    order = [task.place for task in work(db, project, ann)]
    assert order == sorted(range(len(PLACES)), key=lambda place: mixed(place, ann.seed))


def test_as_many_see_a_task_as_are_to(db: Database, project: Project, tmp_path: Path) -> None:
    asked_project(db, project, tmp_path, overlap=2)
    draw_items(db, project, "all")
    everybody = people(db, project, "Ann", "Ben", "Cem")
    seen = [
        work(db, project, person, most)
        for person, most in zip(everybody, (6, 9, None), strict=True)
    ]
    seen += [work(db, project, person) for person in everybody]
    counts = Counter(task.id for tasks in seen for task in tasks)
    assert set(counts.values()) == {2}
    assert len(counts) == len(PLACES)


def test_a_closed_tab_finds_its_task_again(db: Database, project: Project, tmp_path: Path) -> None:
    asked_project(db, project, tmp_path)
    draw_items(db, project, "all")
    ann, ben = people(db, project, "Ann", "Ben")
    first = next_task(db, project, ann)
    assert first == next_task(db, project, ann)
    others = work(db, project, ben)
    assert first is not None
    assert first.id not in {task.id for task in others}
    assert len(others) == len(PLACES) - 1
    assert how_far(db, project, ben) == Far(len(PLACES) - 1, 0, elsewhere=1)


def test_what_nobody_came_back_to_is_lent_to_others(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path)
    draw_items(db, project, "all")
    ann, ben = people(db, project, "Ann", "Ben")
    late = next_task(db, project, ann, minutes=-1)
    assert late is not None
    assert late.id in {task.id for task in work(db, project, ben)}
    saved = save_label(db, project, ann.id, late.id, Said(False), key="late")
    assert not saved.again
    far = progress(db, project)
    assert (far.answers, far.complete) == (len(PLACES) + 1, len(PLACES))


def test_two_never_take_the_last_place_together(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path, overlap=2)
    draw_items(db, project, "random", number=3)
    everybody = people(db, project, *(f"p{k}" for k in range(12)))
    barrier, got = threading.Barrier(len(everybody)), list[Task | None]()

    def come(person: Respondent) -> None:
        barrier.wait()
        got.append(next_task(db, project, person))

    threads = [threading.Thread(target=come, args=(person,)) for person in everybody]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = Counter(task.id for task in got if task is not None)
    assert counts == dict.fromkeys(counts, 2)
    assert sum(counts.values()) == 6
    assert got.count(None) == 6


def test_progress_tells_how_far_everybody_is(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path, overlap=2)
    draw_items(db, project, "random", number=5)
    ann, ben = people(db, project, "Ann", "Ben")
    for number in range(3):
        task = next_task(db, project, ann)
        assert task is not None
        said = Said(None if number == 0 else True, seconds=float(number))
        save_label(db, project, ann.id, task.id, said, key=f"k{number}")
    work(db, project, ben, 1)
    far = progress(db, project)
    assert (far.tasks, far.answers, far.rounds[0][:2]) == (5, 4, (1, 5))
    mine, other = far.people
    assert (mine.done, mine.open, mine.cannot_tell, mine.seconds) == (3, 2, 1, 1.0)
    assert (other.done, other.open, other.seconds) == (1, 4, None)
    for person in (ann, ben):
        (share,) = [one for one in far.people if one.id == person.id]
        assert how_far(db, project, person) == Far(share.done, share.open, 0)


def test_pictures_are_seen_by_whom_their_task_was_lent_to(
    db: Database, project: Project, tmp_path: Path
) -> None:
    project = asked_project(db, project, tmp_path, kind="ranking")
    ann, ben = people(db, project, "Ann", "Ben")
    draw_rankings(db, project)
    task = next_task(db, project, ann)
    assert task is not None
    last = task.items[-1].id
    with writing(db) as conn:
        about = {"media_type": "image/png", "bytes": 1, "name": "a.png", "created": ""}
        conn.execute(s.file.insert().values(sha256="ab" * 32, **about))
        conn.execute(s.item.update().where(s.item.c.id == last).values(file="ab" * 32))
    assert sees_file(db, project, ann, "ab" * 32)
    assert not sees_file(db, project, ben, "ab" * 32)
    assert not sees_file(db, project, ann, "cd" * 32)


def test_questions_are_checked(db: Database, project: Project) -> None:
    for wrong, found in (
        (Question(kind="yes"), "unknown kind of question 'yes'"),  # type: ignore[arg-type]
        (Question(overlap=0), "overlap"),
        (Question(kind="grades", grades=("one",)), "one grade leaves no choice"),
        (Question(kind="category", words=("a", "a")), "stands there twice"),
        (Question(kind="ranking", most=1), "items to put in order"),
        (Question(text="x" * 501), "501 characters"),
        (Question(tree="maybe"), "unknown way to show the tree"),  # type: ignore[arg-type]
    ):
        with pytest.raises(UsageError, match=found):
            ask(db, project, wrong)


def test_another_kind_of_question_is_asked_before_the_first_answer_alone(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path)
    draw_items(db, project, "all")
    ask(db, project, Question(kind="grades"))
    assert len(tasks_of(db, project)) == len(PLACES)  # they fit this question as well
    ask(db, project, Question(kind="pairs"))
    assert not tasks_of(db, project)
    ask(db, project, Question(kind="grades", grades=("no", "yes")))
    draw_items(db, project, "all")
    (ann,) = people(db, project, "Ann")
    task = next_task(db, project, ann)
    assert task is not None
    save_label(db, project, ann.id, task.id, Said(1), key="k")
    ask(db, project, Question(kind="grades", grades=("bad", "good"), overlap=2))
    with pytest.raises(UsageError, match="cannot become pairs"):
        ask(db, project, Question(kind="pairs"))
    with pytest.raises(UsageError, match="there cannot be 3 grades now"):
        ask(db, project, Question(kind="grades", grades=tuple("abc")))


def test_tasks_of_other_projects_are_not_shown(
    db: Database, project: Project, tmp_path: Path
) -> None:
    from consilience.store.projects import make_project

    asked_project(db, project, tmp_path)
    draw_items(db, project, "all")
    other = make_project(db, "Other")
    (ann,) = people(db, other, "Ann")
    assert next_task(db, other, ann) is None
    number = tasks_of(db, project)[0].id
    with reading(db) as conn, pytest.raises(UsageError, match="no such task"):
        load_task(conn, other, number, Question())
    with pytest.raises(UsageError, match="no such task"):
        save_label(db, other, ann.id, number, Said(True), key="k")
    with pytest.raises(UsageError, match="no such person"):
        save_label(db, project, ann.id, number, Said(True), key="k")


def test_places_in_a_tree_are_asked_of_items_by_themselves(
    db: Database, project: Project, tmp_path: Path
) -> None:
    """A picture that several queries found is put into a category once."""
    from consilience.store.studies import assigned_study
    from consilience.store.trees import add_tree

    add_tree(db, project, cs.tree({"all": {"cat": {}, "dog": {}}}), name="animals")
    project = asked_project(db, project, tmp_path, kind="category", overlap=2)
    items = {item for _, item in PLACES}
    assert draw_items(db, project, "all") == len(items)
    for person, said in zip(people(db, project, "Ann", "Bob"), ("cat", "dog"), strict=True):
        for _ in items:
            task = next_task(db, project, person)
            assert task is not None
            save_label(db, project, person.id, task.id, Said(said), key=f"{said} {task.id}")
    study = assigned_study(db, project)
    assert study.queries == ("all",)
    assert len(study.items) == len(items)
    with pytest.raises(UsageError, match="fix: draw at random, or all"):
        draw_tasks(db, project, [{"query": "q1", "item": "a", "probability": 0.5}])
