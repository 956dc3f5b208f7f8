"""Rows of archives that no program would have stored: refused, on either database."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from consilience.store.connect import Database
from tests.store.archived import (
    edited_row,
    rewritten,
)
from tests.store.hostile import add, is_valid, refused

ROWS: list[tuple[str, int, dict[str, Any], str]] = [
    ("project", 1, {"name": 7}, "line 1: name is of the wrong type: int"),
    ("project", 1, {"name": ...}, "name is missing"),
    ("project", 1, {"name": "a\0b"}, "NUL"),
    ("project", 1, {"name": "\ud800"}, "cannot be kept"),
    ("project", 1, {"name": " x "}, "cannot be that of a project"),
    ("project", 1, {"version": 2**31}, "version is too large"),
    ("project", 1, {"version": -1}, "version is out of range"),
    ("project", 1, {"version": True}, "wrong type: bool"),
    ("project", 1, {"version": 1.5}, "wrong type: float"),
    ("project", 1, {"created": "today"}, "created is no time"),
    ("project", 1, {"task": {"kind": "guess"}}, "unknown kind of question"),
    ("project", 1, {"task": {"kind": 7}}, "does not say what is labelled"),
    ("project", 1, {"task": {"grades": [1]}}, "does not say what is labelled"),
    ("project", 1, {"task": {"x": "\0"}}, "holds what cannot be kept"),
    ("project", 1, {"task": {"x": 1e999}}, "is no JSON|cannot be kept"),
    ("project", 1, {"task": [1]}, "does not say"),
    ("project", 1, {"id": 7}, "there is no column 'id'"),
    ("project", 1, {"link_hash": "0"}, "there is no column 'link_hash'"),
    ("respondent", 1, {"link_hash": "0" * 64}, "there is no column 'link_hash'"),
    ("respondent", 1, {"kind": "king"}, "kind is not known"),
    ("respondent", 1, {"seed": -1}, "seed is below 0"),
    ("source", 1, {"role": "boss"}, "role is not known"),
    ("source", 1, {"project_id": 1}, "no column 'project_id'"),
    ("source", 1, {"first_id": 1}, "does not name an earlier"),
    ("source", 1, {"first_id": 99}, "first_id names no row of source"),
    ("source", 1, {"has": ["vote", "mind"]}, "has does not name columns"),
    ("source", 1, {"has": ["category"]}, "layout does not tell"),
    ("source", 1, {"layout": ...}, "layout does not tell"),
    ("source", 1, {"layout": {"chunks": [-1], "numbered": True, "negative": {}}}, "layout does"),
    ("source", 1, {"layout": {"chunks": [3], "numbered": True, "negative": {}}}, "layout tells"),
    ("source", 1, {"options": {"duplicates": "all"}}, "options are not"),
    ("source", 1, {"notes": "x"}, "notes is of the wrong type"),
    ("source", 1, {"notes": [1]}, "notes is no list of texts"),
    ("source", 1, {"sha256": "0"}, "sha256 is no hash"),
    ("voice", 1, {"respondent_id": 0}, "names no row of respondent"),
    ("voice", 1, {"respondent_id": 99}, "names no row of respondent"),
    ("voice", 1, {"respondent_id": -1}, "names no row of respondent"),
    ("voice", 1, {"place": 5}, "place is 5, and 0 was expected"),
    ("voice", 1, {"silence": "gold"}, "silence is not known"),
    ("voice", 1, {"respondent_id": 2}, "names nobody who speaks"),
    ("item", 2, {"name": "a"}, "the database does not take it: UNIQUE"),
    ("item", 1, {"file": "0" * 64}, "names no picture of the archive"),
    ("item", 1, {"media_type": "image/png"}, "not that of the picture"),
    ("query", 1, {"text": "\0"}, "NUL"),
    ("file", 1, {"media_type": "text/html"}, "no kind of picture"),
    ("file", 1, {"bytes": 7}, "its pictures are not those"),
    ("posed", 2, {"query_id": 1}, "a query of a source is there twice"),
    ("category", 2, {"name": "all"}, "a category is there twice"),
    ("category", 1, {"tree_id": 2}, "names no row of tree"),
    ("category_parent", 1, {"parent_id": 3}, "names no category before it"),
    ("category_parent", 1, {"parent_id": 2}, "names no category before it"),
    ("answer", 1, {"source_id": 2}, "place does not count on"),
    ("answer", 1, {"place": 1}, "place does not count on"),
    ("answer", 1, {"respondent_id": 3}, "names nobody who speaks in the source"),
    ("answer", 1, {"item_id": 10**6}, "item_id names no row of item"),
    ("answer", 1, {"item_id": 10**30}, "item_id names no row of item"),
    ("answer", 1, {"item_id": "1"}, "wrong type: str"),
    ("answer", 1, {"vote": 2}, "vote is out of bounds"),
    ("answer", 1, {"vote": 10**400}, "is no JSON|not finite"),
    ("answer", 1, {"probability": 0}, "probability is 0"),
    ("answer", 1, {"rank": 2**63}, "rank is too large"),
    ("answer", 1, {"supersedes": 1}, "stands at an answer that was read|no earlier answer"),
    ("answer", 1, {"withdrawn": True}, "withdrawn stands at an answer that was read"),
    ("answer", 1, {"other_id": 1}, "other_id stands at an answer"),
    ("answer", 1, {"category": "x"}, "category is none of the source"),
    ("answer", 1, {"key": "k"}, "there is no column 'key'"),
    ("answer", -1, {"grade": 7}, "does not answer a question about grades"),
    ("answer", -1, {"grade": ...}, "does not answer a question about grades"),
    ("answer", -1, {"other_id": 1}, "other_id does not fit"),
    ("answer", -1, {"created": ...}, "created is missing"),
    ("answer", -1, {"created": "x"}, "created is no time"),
    ("answer", -1, {"confidence": 1.5}, "confidence is out of bounds"),
    ("answer", -1, {"seconds": -1}, "seconds is out of bounds"),
    ("answer", -1, {"supersedes": ...}, "somebody says two things of one item"),
    ("answer", -1, {"supersedes": 1}, "supersedes what was said of something else"),
    ("answer", -1, {"withdrawn": True, "supersedes": ...}, "what was taken back is not there"),
    ("answer", -1, {"shown": 7}, "shown is of the wrong type"),
    ("task", 1, {"other_id": 1}, "other_id does not fit a question about grades"),
    ("task", 1, {"probability": 2}, "probability is not within"),
    ("task", 1, {"round": -1}, "round is below 0"),
    ("assignment", 2, {"task_id": 1, "respondent_id": 1}, ""),
    ("assignment", 1, {"task_id": 99}, "task_id names no row of task"),
    ("assignment", 1, {"done": 1}, "done is of the wrong type: int"),
    ("assignment", 1, {"leased_until": "x"}, "there is no column 'leased_until'"),
    ("result", 1, {"payload": "{"}, "payload is no JSON"),
    ("result", 1, {"payload": "[]"}, "are no objects"),
    ("result", 1, {"payload": "{}"}, "payload is that of another result"),
    ("result", 1, {"key": "0"}, "key is not that of"),
    ("result", 1, {"version": 10**6}, "version is out of range"),
    ("result", 1, {"verb": "agree"}, "key is not that of"),
]


@pytest.mark.parametrize(
    ("table", "line", "cells", "match"), ROWS, ids=lambda value: str(value)[:40]
)
def test_rows_that_no_program_would_have_stored(
    good: Path, untouched: Database, tmp_path: Path, table: str, line: int, cells: Any, match: str
) -> None:
    with zipfile.ZipFile(good) as archive:
        count = archive.read(f"tables/{table}.jsonl").count(b"\n")
    edit = edited_row(table, line if line > 0 else count + 1 + line, **cells)
    path = rewritten(good, tmp_path / "bad.zip", edit)
    if match:
        refused(untouched, path, match)
    else:
        assert is_valid(untouched, path)


def test_lines_that_are_no_rows(good: Path, untouched: Database, tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    deep = b'{"name":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    for text, match in [
        (b"[]\n", "is no list of rows"),
        (b"1\n", "is no list of rows"),
        (b'{"name":"x"},{"name":"y"}\n', "is no list of rows"),
        (b"{\n", "is no JSON"),
        (b'{"name":"x"}', "ends within a line"),
        (b'\xff{"name":"x"}\n', "is no JSON"),
        (b'{"name":NaN}\n', "NaN is no number of JSON"),
        (b'{"name":' + b"1" * 5000 + b"}\n", "is no JSON"),
        (deep, "is no JSON"),
    ]:
        made = rewritten(good, path, add("tables/item.jsonl", text))
        refused(untouched, made, match)
    name = "tables/project.jsonl"
    refused(untouched, rewritten(good, path, add(name, b"")), "it holds no project")
    two = rewritten(good, path, lambda m: m.update({name: 2 * m[name]}))
    refused(untouched, two, "an archive holds one project")


def test_pictures_that_are_none(good: Path, untouched: Database, tmp_path: Path) -> None:
    with zipfile.ZipFile(good) as archive:
        (name, *_) = (name for name in archive.namelist() if name.startswith("files/"))
    path = tmp_path / "bad.zip"
    changed = rewritten(good, path, add(name, b"<svg onload=alert(1)>"), honest=False)
    refused(untouched, changed, "announced|its hash is another|no such picture")
    page = b"<svg onload=alert(1)>"
    sha256 = hashlib.sha256(page).hexdigest()

    def svg(members: dict[str, bytes]) -> None:
        members[f"files/{sha256}"] = page
        row = {"sha256": sha256, "media_type": "image/png", "bytes": len(page), "name": "x"}
        row["created"] = "2026-11-16T06:33:05.123Z"
        members["tables/file.jsonl"] += json.dumps(row).encode() + b"\n"

    refused(untouched, rewritten(good, path, svg), f"files/{sha256} is no such picture")


def test_orders_of_items_have_one_that_stands_for_all(
    archive: Callable[[str], Path], untouched: Database, tmp_path: Path
) -> None:
    good = archive("ranking")
    with zipfile.ZipFile(good) as packed:
        rows = [json.loads(line) for line in packed.read("tables/task.jsonl").splitlines()]
    head = next(n for n, row in enumerate(rows, 1) if row["item_id"] == row["other_id"])
    part = next(n for n, row in enumerate(rows, 1) if row["item_id"] != row["other_id"])
    path = tmp_path / "bad.zip"
    other = edited_row("task", head, item_id=rows[part - 1]["item_id"])
    refused(untouched, rewritten(good, path, other), "names a part of a task|lack the one")
    lent = edited_row("assignment", 1, task_id=part)
    refused(untouched, rewritten(good, path, lent), "task_id names a part of a task")


def test_refused_on_either_database(good: Path, db: Database, tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    for edit in (
        edited_row("item", 2, name="a"),
        edited_row("result", 1, payload="{"),
        edited_row("answer", 3, vote=7),
        edited_row("answer", 3, supersedes=1),
    ):
        refused(db, rewritten(good, path, edit), "line|does not take it")
    assert is_valid(db, good)
