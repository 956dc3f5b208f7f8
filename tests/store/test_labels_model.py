"""Labels given in any order by several people, against a model that keeps a dictionary of them."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.errors import UsageError
from consilience.store import schema as s
from consilience.store.connect import Database, reading
from consilience.store.draws import draw_items, draw_tasks
from consilience.store.labels import Said, restore, save_label, withdraw
from consilience.store.people import Respondent
from consilience.store.projects import Project
from consilience.store.question import Question, ask
from consilience.store.studies import study_of
from consilience.store.tasks import next_task
from tests.store.labelling import asked_project, people, write_runs

#: Three grades, and None: cannot tell.
VALUES = (0, 1, 2, None)
Place = tuple[str, str]


class Model:
    """What everybody says: the history of each task, and the last thing that each did."""

    def __init__(self) -> None:
        self.said: dict[tuple[str, Place], Any] = {}
        self.gone: dict[tuple[str, Place], Any] = {}
        self.drawn: dict[Place, tuple[float, int]] = {}
        self.known: dict[tuple[str, Place], int] = {}

    def save(self, who: str, place: Place, value: Any) -> None:
        key = (who, place)
        if self.said.get(key) is None:  # a label that is changed was known since the first
            self.known[key] = max((turn for _, turn in self.drawn.values()), default=0)
        self.said.pop(key, None)
        self.said[key] = value  # the last one stands last
        self.gone.pop(key, None)

    def undo(self, who: str) -> None:
        mine = [key for key in self.said if key[0] == who]
        if mine:
            self.gone[mine[-1]] = self.said.pop(mine[-1])

    def redo(self, who: str) -> None:
        mine = [key for key in self.gone if key[0] == who]
        if mine:
            self.save(who, mine[-1][1], self.gone[mine[-1]])

    def rows(self) -> list[tuple[Any, ...]]:
        """Give it as the rows of a file."""
        rows: list[tuple[Any, ...]] = []
        for (who, place), value in self.said.items():
            chance, turn = self.drawn.get(place, (None, None))
            if chance is None and value is not None:
                turn = self.known[who, place]
            rows.append((who, *place, value, chance, turn or None))
        told = {place for _, place in self.said}
        return rows + [
            ("", *place, None, *draw) for place, draw in self.drawn.items() if place not in told
        ]


def read(runs: list[Path], rows: list[tuple[Any, ...]], file: Path) -> cs.Study:
    """Read runs, and labels from a file."""
    with file.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("annotator", "query", "item", "grade", "probability", "round"))
        writer.writerows(rows)
    return cs.read(runs, truth=file)


def evidence(study: cs.Study) -> set[tuple[Any, ...]]:
    """Give what is said of items, whoever is numbered first."""
    told = study.evidence
    lists = told.list_of_row()
    query = [study.queries[code] for code in told.query[lists]]
    who = [study.respondents.names[code] for code in told.respondent[lists]]
    count = len(told)
    columns = [
        np.full(count, np.nan) if column is None else column.astype(float)
        for column in (told.grade, told.probability, told.round)
    ]
    cells = [np.where(np.isnan(column), -1, column).tolist() for column in columns]
    cells[2] = [max(turn, 0) for turn in cells[2]]
    return {*zip(who, query, study.items.names(told.item), *cells, strict=True)}


def tasks_of(db: Database, project: Project) -> dict[Place, Any]:
    """Give the tasks that were drawn, by the names of query and item."""
    with reading(db) as conn:
        rows = conn.execute(
            s.task.select()
            .add_columns(s.query.c.name.label("query"), s.item.c.name.label("item"))
            .join(s.query, s.query.c.id == s.task.c.query_id)
            .join(s.item, s.item.c.id == s.task.c.item_id)
            .where(s.task.c.project_id == project.id)
        )
        return {(row.query, row.item): row for row in rows}


def drawn_now(db: Database, project: Project, rng: np.random.Generator) -> None:
    """Draw something in one of the ways there are, where that can be."""
    way = ["random", "disputed", "next"][int(rng.integers(3))]
    try:
        if way == "next":
            seed = int(rng.integers(1000))
            draw_tasks(db, project, cs.next_labels(study_of(db, project), budget=3, seed=seed).rows)
        else:
            draw_items(db, project, way, number=2, seed=int(rng.integers(1000)))  # type: ignore[arg-type]
    except UsageError:
        return


def act(
    db: Database, project: Project, model: Model, who: Respondent, rng: np.random.Generator
) -> None:
    """Let somebody do one thing."""
    key = f"{who.id} {rng.integers(1 << 60)}"
    what = rng.choice(["save", "again", "undo", "redo"], p=[0.55, 0.15, 0.2, 0.1])
    value = VALUES[int(rng.integers(4))]
    tasks = tasks_of(db, project)
    mine = [place for name, place in model.said if name == who.name]
    if what == "save" and (task := next_task(db, project, who)) is not None:
        save_label(db, project, who.id, task.id, Said(value), key=key)
        model.save(who.name, (task.query.name, task.items[0].name), value)
    elif what == "again" and mine:
        place = mine[int(rng.integers(len(mine)))]
        save_label(db, project, who.id, tasks[place].id, Said(value), key=key)
        model.save(who.name, place, value)
    elif what == "undo":
        withdraw(db, project, who.id, key=key)
        model.undo(who.name)
    elif what == "redo":
        restore(db, project, who.id, key=key)
        model.redo(who.name)


@pytest.mark.parametrize("seed", range(2))
def test_the_study_is_that_of_the_same_labels_in_a_file(
    db: Database, project: Project, tmp_path: Path, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    question = Question(kind="grades", grades=("a", "b", "c"), overlap=2)
    project = ask(db, asked_project(db, project, tmp_path), question)
    everybody, model = people(db, project, "Ann", "Ben", "Cem"), Model()
    runs = write_runs(tmp_path / "runs")
    for turn in range(40):
        if turn % 10 == 0:
            drawn_now(db, project, rng)
            model.drawn = {
                place: (row.probability, row.round)
                for place, row in tasks_of(db, project).items()
                if row.probability is not None
            }
            ask(db, project, replace(question, overlap=int(rng.integers(1, 4))))
        act(db, project, model, everybody[int(rng.integers(3))], rng)
        if turn % 4 == 3 and model.rows():
            theirs = read(runs, model.rows(), tmp_path / "labels.csv")
            assert evidence(study_of(db, project)) == evidence(theirs)
    assert model.said
