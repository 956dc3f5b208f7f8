"""Make ``docs/files/search.zip``: the archive that the documentation unpacks.

Run from the root of the repository: ``python tests/golden/make_search_archive.py``. It was written
by version 1 of the format and stays as it is: later programs must be able to read it.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from consilience.store.archive import pack
from consilience.store.connect import open_database
from consilience.store.content import add_queries
from consilience.store.draws import draw_items
from consilience.store.labels import Said, save_label
from consilience.store.people import add_person
from consilience.store.projects import make_project, project
from consilience.store.question import Question, ask
from consilience.store.sources import add_files
from consilience.store.tasks import next_task

FILES = Path(__file__).parent.parent.parent / "docs" / "files"


def main() -> None:
    """Three search engines, their judgments, and two people who label twelve documents."""
    judged = {
        (query, item): int(grade)
        for query, _, item, grade in map(str.split, (FILES / "qrels.txt").read_text().splitlines())
    }
    with tempfile.TemporaryDirectory() as folder:
        db = open_database(Path(folder) / "study.db")
        made = make_project(db, "Search")
        runs = sorted((FILES / "runs").glob("*.run"))
        names = {path: path.name for path in (*runs, FILES / "qrels.txt")}
        add_files(db, made, runs, truth=[FILES / "qrels.txt"], names=names)
        add_queries(db, made, [("q1", "cheap flights to Rome")])
        ask(db, made, Question(kind="grades", grades=("no", "related", "yes"), overlap=2))
        draw_items(db, made, "random", number=12, seed=8, again=True)
        ann, ben = (add_person(db, made, name)[0] for name in ("Ann", "Ben"))
        for turn in range(12):
            for who in (ann, ben):
                task = next_task(db, made, who)
                assert task is not None
                grade = judged.get((task.query.name, task.items[0].name), 0)
                said = Said(min(grade + (who is ben and turn % 4 == 0), 2), seconds=3.5 + turn)
                save_label(db, made, who.id, task.id, said, key=f"{who.name} {turn}")
                if who is ann and turn == 5:
                    save_label(db, made, who.id, task.id, Said(2), key="changed")
        pack(db, project(db, made.slug), FILES / "search.zip")
        db.close()


if __name__ == "__main__":
    main()
