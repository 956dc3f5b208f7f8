"""What people, models and gold say of items, for other programs: TREC qrels, Label Studio.

Everybody's labels stay their own: one file of judgments each, one annotation each. Whoever wants
them merged asks for a belief (``consilience belief -f qrels``), which says how.

Label Studio takes annotations of its own users only; names of others would be refused. So the name
of the annotator is part of the annotation, as a text called ``annotator``: Label Studio keeps it,
and reading its export tells people apart by it.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import sqlalchemy as sa

from consilience.errors import UsageError
from consilience.render.beliefs import RELEVANT, _field
from consilience.store import schema as s
from consilience.store.sources import duplicates_of
from consilience.store.tables_long import _by_role
from consilience.study.build import build

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from consilience.store.projects import Project
    from consilience.study.model import Study

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_NOTHING = "nobody has judged anything yet"


@dataclass(frozen=True, slots=True)
class _Said:
    """What somebody says of an item; what is None was not said."""

    who: int
    query: str
    item: str
    vote: float | None
    grade: float | None
    rank: float | None
    category: str | None
    probability: float | None
    round: int | None


def _judging(conn: Connection, project: Project) -> Study:
    tables = [rows for some in _by_role(conn, project).values() for rows in some]
    if not tables:
        raise UsageError(f"{_NOTHING} (fix: bring judgments, or let people label)")
    return build(tables, duplicates=duplicates_of(conn, project.id))


def _said(study: Study) -> Iterator[_Said]:
    """Give what bears on the truth, row by row, in the order of the lists."""
    evidence = study.evidence
    names = study.items.names(evidence.item)
    lists = evidence.list_of_row()
    columns = {name: _cells(getattr(evidence, name)) for name in ("vote", "grade", "probability")}
    counted = {name: _cells(getattr(evidence, name), 0) for name in ("rank", "round")}
    category = _cells(evidence.category, -1)
    plain = evidence.vote is None and evidence.grade is None and evidence.category is None
    for row, item in enumerate(names):
        place = category[row] if category else None
        vote = columns["vote"][row] if columns["vote"] else (1.0 if plain else None)
        grade, chance = (columns[name][row] if columns[name] else None for name in _SOME)
        rank, turn = (counted[name][row] if counted[name] else None for name in ("rank", "round"))
        yield _Said(
            int(evidence.respondent[lists[row]]),
            study.queries[int(evidence.query[lists[row]])],
            item,
            vote,
            grade,
            rank,
            None if place is None else study.categories[int(place)],
            chance,
            None if turn is None else int(turn),
        )


_SOME = ("grade", "probability")


def _cells(column: np.ndarray[Any, Any] | None, unsaid: float = np.nan) -> list[Any]:
    """Give a column's cells, None where nothing is said; none where there is no such column."""
    if column is None:
        return []
    none = np.isnan(column) if unsaid != unsaid else column == unsaid
    return [
        None if gone else cell for cell, gone in zip(column.tolist(), none.tolist(), strict=True)
    ]


def write_qrels(conn: Connection, project: Project, folder: Path, _: str) -> list[str]:
    """Write TREC judgments, a file for everybody who judged; ``annotators.csv`` tells who is who.

    A vote is relevant (1) from 0.5 on. What nobody could tell is not in it; categories have no
    such form.
    """
    study = _judging(conn, project)
    lines: dict[int, list[str]] = {}
    words = 0
    for one in _said(study):
        if one.grade is None and one.vote is None:
            words += one.category is not None
            continue
        lines.setdefault(one.who, []).append(_qrels_line(one))
    if not lines:
        if not words:
            raise UsageError(f"{_NOTHING} (fix: bring judgments, or let people label)")
        raise UsageError("labels are categories, which qrels cannot hold (fix: use csv or parquet)")
    names = _file_names([study.respondents.names[who] for who in lines])
    with (folder / "annotators.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["file", "annotator", "kind"])
        for who, name in zip(lines, names, strict=True):
            about = (study.respondents.names[who], study.respondents.kind[who])
            writer.writerow([f"{name}.qrels", *about])
            text = "".join(lines[who])
            (folder / f"{name}.qrels").write_text(text, encoding="utf-8", newline="\n")
    if not words:
        return []
    return [
        f"{words:,} {'label is a category' if words == 1 else 'labels are categories'}: not in it"
    ]


def _qrels_line(one: _Said) -> str:
    grade = int((one.vote or 0) >= RELEVANT) if one.grade is None else one.grade
    if grade != int(grade):
        found = f"a grade of {grade:g} cannot stand in qrels, whose grades are whole numbers"
        raise UsageError(f"{found} (fix: use csv or parquet)")
    return f"{_field(one.query, 'query')} 0 {_field(one.item, 'item')} {int(grade)}\n"


def _file_names(people: Sequence[str]) -> list[str]:
    """Give everybody the name of a file that every system takes, each another one.

    Examples
    --------
    >>> _file_names(["Ann Lee", "ann-lee", "../Bob", "…"])
    ['Ann-Lee', 'ann-lee-2', 'Bob', 'annotator']
    """
    names: list[str] = []
    for name in people:
        stem = _UNSAFE.sub("-", name).strip("-._")[:80] or "annotator"
        taken = {one.lower() for one in names}
        number, free = 2, stem
        while free.lower() in taken:
            free, number = f"{stem}-{number}", number + 1
        names.append(free)
    return names


def write_label_studio(conn: Connection, project: Project, folder: Path, _: str) -> list[str]:
    """Write tasks with everybody's annotations, and the interface that shows them."""
    study = _judging(conn, project)
    texts = {table: _texts(conn, project, table) for table in (s.query, s.item)}
    tasks: dict[tuple[str, str], dict[str, Any]] = {}
    words: dict[str, None] = {}
    for one in _said(study):
        data: dict[str, Any] = {"query": one.query, "item": one.item}
        data |= _given(query_text=texts[s.query].get(one.query))
        data |= _given(item_text=texts[s.item].get(one.item))
        task = tasks.setdefault((one.query, one.item), {"data": data, "annotations": []})
        task["data"] |= _given(probability=one.probability, round=one.round)
        if one.category is not None:
            words[one.category] = None
        annotation = _annotation(one, study.respondents.names[one.who])
        if annotation is not None:
            task["annotations"].append(annotation)
    if not tasks:
        raise UsageError(f"{_NOTHING} (fix: bring judgments, or let people label)")
    with (folder / "tasks.json").open("w", encoding="utf-8", newline="\n") as stream:
        for place, task in enumerate(tasks.values()):
            stream.write(",\n " if place else "[\n ")
            stream.write(json.dumps(task, ensure_ascii=False, allow_nan=False))
        stream.write("\n]\n")
    (folder / "interface.xml").write_text(_interface([*words]), encoding="utf-8", newline="\n")
    return []


def _texts(conn: Connection, project: Project, table: sa.Table) -> dict[str, str]:
    c = table.c
    here = sa.select(c.name, c.text).where(c.project_id == project.id, c.text.is_not(None))
    return dict(conn.execute(here).all())


def _given(**cells: Any) -> dict[str, Any]:
    return {name: cell for name, cell in cells.items() if cell is not None}


def _annotation(one: _Said, who: str) -> dict[str, Any] | None:
    """Write what somebody says as an annotation; None where nothing is said."""
    label = one.vote if one.grade is None else one.grade
    said: list[dict[str, Any]] = []
    if label is not None:
        said.append(_result("label" if one.grade is not None else "vote", "number", number=label))
    if one.rank is not None and label is not None:
        said.append(_result("rank", "number", number=one.rank))
    if one.category is not None:
        said.append(_result("category", "choices", choices=[one.category]))
    if not said:
        return None
    said.append(_result("annotator", "textarea", text=[who]))
    return {"was_cancelled": False, "result": said}


def _result(name: str, kind: str, **value: Any) -> dict[str, Any]:
    return {"from_name": name, "to_name": "item", "type": kind, "value": value}


def _interface(words: Sequence[str]) -> str:
    """Write Label Studio's labelling interface for these tasks."""
    from xml.sax.saxutils import quoteattr

    choices = "".join(f"\n    <Choice value={quoteattr(word)}/>" for word in words)
    category = (
        f'\n  <Choices name="category" toName="item">{choices}\n  </Choices>' if words else ""
    )
    return (
        '<View>\n  <Header value="$query"/>\n  <Text name="item" value="$item"/>\n'
        '  <Number name="label" toName="item"/>\n  <Number name="vote" toName="item"/>\n'
        f'  <Number name="rank" toName="item"/>{category}\n'
        '  <TextArea name="annotator" toName="item"/>\n</View>\n'
    )
