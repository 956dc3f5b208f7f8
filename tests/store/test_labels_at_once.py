"""Twenty people save at once, fifty answers each; none is lost, on either database."""

from __future__ import annotations

import threading
from pathlib import Path

import sqlalchemy as sa

from consilience.store import schema as s
from consilience.store.connect import Database, open_database, reading
from consilience.store.draws import draw_items
from consilience.store.labels import Said, save_label
from consilience.store.people import Respondent
from consilience.store.projects import Project
from consilience.store.question import Question, ask
from consilience.store.sources import add_files
from consilience.store.tasks import progress
from tests.store.labelling import people, write_runs

PEOPLE, SAVES = 20, 10


def test_none_of_many_saves_at_once_is_lost(db: Database, project: Project, tmp_path: Path) -> None:
    named = {"s": {f"q{number}": "abcde" for number in range(SAVES // 5)}}
    add_files(db, project, write_runs(tmp_path / "runs", named))
    ask(db, project, Question(overlap=PEOPLE))
    assert draw_items(db, project, "all") == SAVES
    with reading(db) as conn:
        tasks = [*conn.scalars(sa.select(s.task.c.id))]
    everybody = people(db, project, *(f"p{number}" for number in range(PEOPLE)))
    where = db.engine.url.render_as_string(hide_password=False)
    where = db.where if db.is_sqlite else where.replace("+psycopg", "")
    barrier, wrong = threading.Barrier(PEOPLE), list[Exception]()

    def save(person: Respondent) -> None:
        own = open_database(where, files=db.files)
        barrier.wait()
        try:
            for number in tasks:
                said = Said((number + person.id) % 2 == 0)
                save_label(own, project, person.id, number, said, key=f"{person.id} {number}")
        except Exception as error:
            wrong.append(error)
            raise
        finally:
            own.close()

    threads = [threading.Thread(target=save, args=(person,)) for person in everybody]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    with reading(db) as conn:
        a = s.answer.c
        rows = conn.execute(s.answer.select().where(a.key.is_not(None)).order_by(a.place)).all()
    assert {row.key for row in rows} == {f"{one.id} {task}" for one in everybody for task in tasks}
    assert [row.place for row in rows] == [*range(PEOPLE * SAVES)]
    far = progress(db, project)
    assert (far.complete, far.answers) == (SAVES, PEOPLE * SAVES)
