"""Projects with something to label, and people who label."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from consilience.store import schema as s
from consilience.store.connect import Database, reading
from consilience.store.labels import Said, save_label
from consilience.store.people import Respondent, add_person
from consilience.store.projects import Project
from consilience.store.question import Question, ask
from consilience.store.sources import add_files
from consilience.store.tasks import Task, next_task

#: Three systems that name some of five documents for each of four queries.
NAMED = {
    "bm25": {"q1": "abc", "q2": "ab", "q3": "cde", "q4": "a"},
    "dense": {"q1": "ab", "q2": "bcd", "q3": "c", "q4": "abcde"},
    "mixed": {"q1": "ad", "q2": "abc", "q3": "cd", "q4": "ae"},
}
#: What systems name in all.
PLACES = {(q, i) for lists in NAMED.values() for q, items in lists.items() for i in items}


def write_runs(folder: Path, named: dict[str, dict[str, str]] = NAMED) -> list[Path]:
    """Write the runs of systems as TREC files."""
    folder.mkdir(exist_ok=True)
    files = []
    for system, lists in named.items():
        lines = [
            f"{query} Q0 {item} {rank} {1 / rank} {system}"
            for query, items in lists.items()
            for rank, item in enumerate(items, 1)
        ]
        files.append(folder / f"{system}.run")
        files[-1].write_text("\n".join(lines) + "\n")
    return files


def asked_project(db: Database, project: Project, folder: Path, **question: Any) -> Project:
    """Bring runs into a project and settle what is asked about their items."""
    add_files(db, project, write_runs(folder / "runs"))
    return ask(db, project, Question(**question))


def people(db: Database, project: Project, *names: str) -> list[Respondent]:
    """Let people label."""
    return [add_person(db, project, name)[0] for name in names]


def tasks_of(db: Database, project: Project) -> list[Any]:
    """Give all tasks, as they were drawn."""
    with reading(db) as conn:
        c = s.task.c
        return [*conn.execute(s.task.select().order_by(c.round, c.place))]


def work(db: Database, project: Project, person: Respondent, most: int | None = None) -> list[Task]:
    """Say yes to what comes, until nothing comes."""
    seen: list[Task] = []
    while (most is None or len(seen) < most) and (task := next_task(db, project, person)):
        save_label(db, project, person.id, task.id, Said(True), key=f"{person.id} {task.id}")
        seen.append(task)
    return seen
