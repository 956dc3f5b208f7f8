"""Files that come after a draw bring items that it could not take: told, and not guessed over."""

from __future__ import annotations

from pathlib import Path

import pytest

import consilience as cs
from consilience.belief.sample import sample_of
from consilience.errors import UsageError
from consilience.store import schema as s
from consilience.store.archive import pack
from consilience.store.archive_unpack import unpack
from consilience.store.connect import Database, writing
from consilience.store.draws import draw_items, draw_tasks
from consilience.store.frames import came_after, counting
from consilience.store.projects import Project, changed
from consilience.store.question import Question, ask
from consilience.store.sources import add_files, set_aside, sources
from consilience.store.studies import study_of
from consilience.study.subset import only
from tests.store.labelling import asked_project, people, work, write_runs

#: A system that comes later, with two items that nobody had named for their queries.
LATER = {"later": {"q1": "abe", "q4": "a", "q2": "e"}}


@pytest.fixture
def drawn(db: Database, project: Project, tmp_path: Path) -> Project:
    """Three runs, of whose items one in two was drawn and labelled; then another run."""
    asked_project(db, project, tmp_path)
    draw_items(db, project, "random", number=8)
    (ann,) = people(db, project, "Ann")
    work(db, project, ann)
    assert came_after(db, project) == 0
    add_files(db, project, write_runs(tmp_path / "later", LATER))
    return project


def late(db: Database, project: Project) -> int:
    sample = sample_of(study_of(db, project))
    assert sample is not None
    return sample.late


def test_items_that_came_after_a_draw_are_told(db: Database, drawn: Project) -> None:
    assert (came_after(db, drawn), late(db, drawn)) == (2, 2)
    told = "2 items came after the draw, and no label speaks for them yet"
    study = study_of(db, drawn)
    ranked, planned = cs.rank(study), cs.next_labels(study, budget=3)
    assert any(told in note for note in ranked.notes)
    assert any(told in note for note in planned.notes)
    assert not ranked.settled
    assert planned.stop is not None
    assert not planned.stop.settled


def test_another_draw_speaks_for_them(db: Database, drawn: Project, tmp_path: Path) -> None:
    """Also in another database: rows have other numbers there."""
    draw_items(db, drawn, "all")
    assert (came_after(db, drawn), late(db, drawn)) == (0, 2), "drawn, and not labelled yet"
    pack(db, drawn, tmp_path / "a.zip")
    again = unpack(db, tmp_path / "a.zip")
    assert (came_after(db, again), late(db, again)) == (0, 2)
    (ben,) = people(db, drawn, "Ben")
    work(db, drawn, ben, 1)
    assert late(db, drawn) == 0
    work(db, drawn, ben)
    sample = sample_of(study_of(db, drawn))
    assert sample is not None
    assert sample.weight == pytest.approx(1)


def test_files_that_were_left_out_when_a_round_was_drawn_came_after_it(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path)
    (new,) = add_files(db, project, write_runs(tmp_path / "later", LATER))
    set_aside(db, project, new.id, aside=True)
    draw_items(db, project, "random", number=8)
    assert came_after(db, project) == 0
    set_aside(db, project, new.id, aside=False)
    assert came_after(db, project) == 2
    ask(db, project, Question(kind="pairs"))  # what was drawn is no more
    assert came_after(db, ask(db, project, Question())) == 0
    draw_items(db, project, "random", number=8)
    assert came_after(db, project) == 0


def test_what_was_said_before_a_draw_may_be_said_again_after_it(
    db: Database, project: Project, tmp_path: Path
) -> None:
    """One name is one respondent in however many tables: systems, and people who judge."""

    def table(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text)
        return tmp_path / name

    first = table("first.csv", "system,query,item\na,q,x\na,q,y\nb,q,x\nb,q,w\n")
    judged = table("judged.csv", "respondent,kind,query,item,label\nJo,person,q,x,1\n")
    add_files(db, project, [first], truth=[judged])
    ask(db, project, Question())
    draw_items(db, project, "all")
    again = table("again.csv", "system,query,item\na,q,x\na,q,z\n")
    more = table("more.csv", "respondent,kind,query,item,label\nJo,person,q,x,1\n")
    add_files(db, project, [again], truth=[more])
    assert came_after(db, project) == 1
    study = study_of(db, project)
    assert study.answers.round is not None
    assert study.answers.round.tolist() == [0, 0, 1, 0, 0], "a names x and y first, then z"


def test_what_a_file_named_that_is_left_out_now_could_be_drawn(
    db: Database, drawn: Project, tmp_path: Path
) -> None:
    """A run is brought anew, with an item more: that one alone came after the draw."""
    before = next(one for one in sources(db, drawn) if one.name.endswith("dense.run"))
    again = {"again": {"q1": "ab", "q2": "bcd", "q3": "c", "q4": "abcdef"}}
    set_aside(db, drawn, before.id, aside=True)
    add_files(db, drawn, write_runs(tmp_path / "again", again))
    assert (came_after(db, drawn), late(db, drawn)) == (3, 3), "two of the later run, and f"
    draw_items(db, drawn, "random", number=1)
    assert came_after(db, drawn) == 0
    set_aside(db, drawn, before.id, aside=False)
    assert came_after(db, drawn) == 0, "all that it names was named by the other one"


def test_a_round_is_made_larger_with_items_that_it_could_draw(
    db: Database, project: Project, tmp_path: Path
) -> None:
    """As many items go as come, and none of them was drawn: their number says nothing."""
    asked_project(db, project, tmp_path)
    (gone,) = add_files(db, project, write_runs(tmp_path / "gone", {"gone": {"q1": "xyz"}}))
    draw_items(db, project, "random", number=1)
    set_aside(db, project, gone.id, aside=True)
    add_files(db, project, write_runs(tmp_path / "come", {"come": {"q1": "uvw"}}))
    assert came_after(db, project) == 3
    with pytest.raises(UsageError, match="label some of them first"):
        draw_items(db, project, "random", number=1)


def test_an_item_that_could_be_drawn_stays_one_where_few_systems_are_looked_at(
    db: Database, drawn: Project, tmp_path: Path
) -> None:
    study = study_of(db, drawn)
    sample = sample_of(only(study, ["later"]))
    assert sample is not None
    assert sample.late == 2, "what others named before was drawn from"


def test_a_later_file_that_brings_nothing_new_changes_nothing(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path)
    draw_items(db, project, "random", number=8)
    add_files(db, project, write_runs(tmp_path / "later", {"later": {"q1": "cab"}}))
    assert study_of(db, project).answers.round is None


def test_files_that_come_while_something_is_drawn_are_not_taken_for_drawn_from(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path)
    known = counting(db, project)
    rows = [{"query": "q1", "item": "a", "probability": 0.1, "round": 1}]
    add_files(db, project, write_runs(tmp_path / "later", LATER))
    with pytest.raises(UsageError, match="files came while this was drawn"):
        draw_tasks(db, project, rows, files=known)
    assert draw_tasks(db, project, rows, files=counting(db, project)) == 1


def test_items_that_are_asked_about_by_themselves_are_counted_once(
    db: Database, project: Project, tmp_path: Path
) -> None:
    asked_project(db, project, tmp_path, kind="category")
    draw_items(db, project, "all")
    add_files(db, project, write_runs(tmp_path / "later", {"later": {"q2": "eg", "q3": "abg"}}))
    assert came_after(db, project) == 1, "g; all others were drawn, for other queries"


@pytest.mark.parametrize("wrong", [7, {"x": 1}, {"1": "all"}, {"1": ["a", None]}, {"-1": []}])
def test_what_an_archive_says_of_draws_may_be_anything(
    db: Database, drawn: Project, wrong: object
) -> None:
    with writing(db) as conn:
        here = s.project.c.id == drawn.id
        conn.execute(s.project.update().where(here).values(task={"drawn": wrong}))
        changed(conn, drawn.id)
    assert came_after(db, drawn) >= 0
    assert late(db, drawn) >= 0
