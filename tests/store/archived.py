"""Projects that hold something in every table, and what of them an archive must bring along."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import consilience as cs
from consilience.store import schema as s
from consilience.store.archive import here
from consilience.store.archive_form import TABLES, fields_of, key_of
from consilience.store.connect import Database, reading
from consilience.store.content import add_items, add_picture, add_queries
from consilience.store.draws import draw_items, draw_pairs, draw_rankings, draw_tasks
from consilience.store.labels import Said, restore, save_label, withdraw
from consilience.store.people import Respondent, add_person
from consilience.store.projects import Project, make_project, project
from consilience.store.question import SINGLE, Question, ask
from consilience.store.results import keep_result
from consilience.store.sources import add_files, set_aside
from consilience.store.studies import study_of
from consilience.store.tasks import next_task
from tests.store.labelling import write_runs

DATA = Path(__file__).parent.parent.parent / "docs" / "files"
#: Pictures of one pixel or less: what they are is told by their beginnings.
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(60))
GIF = b"GIF89a" + bytes(40)

#: Puts a project with something in every table into a database, by its kind of question.
Full = Callable[..., Project]

_TREE = "category,parent\nall,\nold,all\nnew,all\n"


def full_project(
    db: Database, folder: Path, *, name: str = "Café <b>", kind: str = "grades"
) -> Project:
    """Make a project with files, trees, texts, pictures, tasks, labels of people and results."""
    folder.mkdir(parents=True, exist_ok=True)
    made = make_project(db, name)
    files = write_runs(folder / "runs")
    (folder / "extra.run").write_text("q1 Q0 a 1 -0.0 extra\nq1 Q0 ü\u2060x 2 -1.5 extra\n")
    (folder / "tree.csv").write_text(_TREE)
    (folder / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\nq2 0 b 2\nq3 0 z -1\n")
    (folder / "judges.csv").write_text(
        "query,item,respondent,kind,family,grade,probability,round\n"
        "q1,a,Ann,person,team,1,0.5,1\nq2,b,Ann,person,team,0,0.25,1\nq2,c,bot,llm,,1,,\n"
    )
    truth = [folder / "qrels.txt", folder / "judges.csv"]
    add_files(db, made, [*files, folder / "extra.run", folder / "tree.csv"], truth=truth)
    (folder / "aside.csv").write_text("item,query,S1,S2\na,q9,1,0\nb,q9,0,\n")
    aside = add_files(db, made, [folder / "aside.csv"])
    set_aside(db, made, aside[0].id, aside=True)
    add_items(db, made, [("a", "<script>alert(1)</script>"), ("b", ""), ("new", "one more")])
    add_queries(db, made, [("q1", "cheap flights\nin two lines")])
    add_picture(db, made, io.BytesIO(PNG), "c.png")
    add_picture(db, made, io.BytesIO(GIF), "d")
    labelled(db, made, kind)
    made = project(db, made.slug)
    study = study_of(db, made)
    for seed in (0, 1):
        payload = cs.rank(study, seed=seed).payload()
        keep_result(db, made, payload, settings={"seed": seed}, version=made.version, name="first")
    return made


def labelled(db: Database, project: Project, kind: str) -> None:
    """Let three people answer questions of a kind; one undoes, one cannot tell."""
    asked: Any = {"kind": kind, "overlap": 2, "guide": "Read first."}
    if kind == "grades":
        asked["grades"] = ("no", "perhaps", "yes")
    ask(db, project, Question(**asked))
    if kind == "pairs":
        draw_pairs(db, project, number=9, seed=1)
    elif kind == "ranking":
        draw_rankings(db, project, number=3, seed=1)
    elif kind == "category":
        draw_items(db, project, "random", number=5, seed=3)
    else:
        made = cs.next_labels(study_of(db, project), budget=5)
        draw_tasks(db, project, made.rows)
    ann, bob, _ = (add_person(db, project, who)[0] for who in ("Ann Lee", "Bob", "Cleo"))
    for person in (ann, bob):
        for turn in range(4):
            _say(db, project, person, kind, turn)
    if kind in SINGLE:
        draw_items(db, project, "random", number=3, seed=2)
    next_task(db, project, ann)
    withdraw(db, project, ann.id, key=f"w1 {project.id}")
    withdraw(db, project, bob.id, key=f"w2 {project.id}")
    restore(db, project, bob.id, key=f"r2 {project.id}")
    _say(db, project, ann, kind, 1, again="x")


def _say(
    db: Database, project: Project, person: Respondent, kind: str, turn: int, again: str = ""
) -> None:
    task = next_task(db, project, person)
    if task is None:
        return
    values: dict[str, Any] = {
        "relevance": turn % 2 == 0,
        "grades": turn % 3,
        "category": ("old", "new")[turn % 2],
        "pairs": task.items[0].id if turn else 0,
        "ranking": [item.id for item in task.items][: turn + 1],
    }
    value = None if turn == 3 else values[kind]
    said = Said(value, confidence=0.75, seconds=1.5 + turn, shown={"tree": "hidden", "n": [1, 2]})
    for number in range(2):
        key = f"{person.name}{project.id} {kind} {turn}{again} {number}"
        save_label(db, project, person.id, task.id, said, key=key)


def content(db: Database, project: Project) -> dict[str, list[tuple[Any, ...]]]:
    """Give the rows of all tables with places instead of ids: what two databases have in common."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    with reading(db) as conn:
        places: dict[str, dict[int, int]] = {}
        for table in TABLES:
            key = key_of(table)
            order = [key] if key is not None else [*table.primary_key]
            rows = conn.execute(
                table.select().where(here(table, project.id)).order_by(*order)
            ).all()
            if key is not None:
                places[table.name] = {getattr(row, key.name): n for n, row in enumerate(rows)}
            found[table.name] = [
                tuple(
                    (getattr(row, field.name))
                    if field.refers is None or getattr(row, field.name) is None
                    else places[field.refers][getattr(row, field.name)]
                    for field in fields_of(table)
                    if (table.name, field.name) != ("project", "slug")
                )
                for row in rows
            ]
    return found


def rows_of_all(db: Database) -> dict[str, int]:
    """Count the rows of every table."""
    with reading(db) as conn:
        return {
            name: conn.exec_driver_sql(f'SELECT count(*) FROM "{name}"').scalar_one()
            for name in s.metadata.tables
        }


def pictures_on_disk(db: Database) -> list[str]:
    """Name the files that lie in the folder of pictures."""
    if db.files is None or not db.files.exists():
        return []
    return sorted(str(path.relative_to(db.files)) for path in db.files.rglob("*") if path.is_file())


Edit = Callable[[dict[str, bytes]], object]


def rewritten(source: Path, target: Path, edit: Edit, *, honest: bool = True) -> Path:
    """Write an archive anew with other members; ``honest``: the manifest tells of them."""
    with zipfile.ZipFile(source) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = members.pop("manifest.json")
    edit(members)
    if honest:
        manifest = told(json.loads(manifest), members)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {**members, "manifest.json": manifest}.items():
            archive.writestr(name, text)
    return target


def told(manifest: dict[str, Any], members: dict[str, bytes]) -> bytes:
    """Write the manifest of other members."""
    import hashlib

    manifest["members"] = [
        {"name": name, "bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()}
        | ({"rows": text.count(b"\n")} if name.startswith("tables/") else {})
        for name, text in members.items()
    ]
    return json.dumps(manifest).encode()


def edited_row(table: str, line: int, **cells: Any) -> Edit:
    """Change cells of a row; ... takes a cell away."""

    def edit(members: dict[str, bytes]) -> None:
        name = f"tables/{table}.jsonl"
        lines = members[name].splitlines(keepends=False)
        row = json.loads(lines[line - 1])
        for cell, value in cells.items():
            row.pop(cell, None)
            if value is not ...:
                row[cell] = value
        lines[line - 1] = json.dumps(row).encode()
        members[name] = b"\n".join(lines) + b"\n"

    return edit
