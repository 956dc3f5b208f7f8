"""Archives from anybody: refused in one clear sentence, and nothing is left behind."""

from __future__ import annotations

import hashlib
import json
import random
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

from consilience.errors import UsageError
from consilience.store.archive import pack
from consilience.store.archive_read import Limits
from consilience.store.archive_unpack import unpack
from consilience.store.connect import Database, open_database
from consilience.store.people import respondents
from consilience.store.projects import Project, remove_project
from consilience.store.reports import listed
from consilience.store.studies import labels_study, study_of, tree_of
from consilience.store.tasks import progress
from tests.store.archived import (
    Edit,
    edited_row,
    full_project,
    pictures_on_disk,
    rewritten,
    rows_of_all,
)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with something in every table."""
    folder = tmp_path_factory.mktemp("good")
    db = open_database(folder / "benchmark.db")
    pack(db, full_project(db, folder / "in"), folder / "good.zip")
    db.close()
    return folder / "good.zip"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """A database that bad archives must leave as it is."""
    return open_database(tmp_path_factory.mktemp("fresh") / "benchmark.db")


def refused(db: Database, path: Path, match: str, limits: Limits | None = None) -> None:
    """See that an archive is refused in one sentence and leaves nothing behind."""
    before = rows_of_all(db), pictures_on_disk(db)
    with pytest.raises(UsageError, match=match) as error:
        unpack(db, path, limits=limits)
    said = str(error.value)
    assert said.startswith(f"{path}: ")
    assert said.endswith(")")
    assert "(fix: " in said
    assert len(said.splitlines()) == 1, said
    assert (rows_of_all(db), pictures_on_disk(db)) == before


def add(name: str, text: bytes = b"x") -> Edit:
    return lambda members: members.update({name: text})


NAMES = {
    "../evil": "is no part",
    "/etc/passwd": "is no part",
    "tables/../../evil.jsonl": "is no part",
    "tables\\answer.jsonl": "is no part",
    "C:/evil": "is no part",
    "tables/": "is no part",
    "tables/setting.jsonl": "is no part",
    "tables/nothing.jsonl": "is no part",
    "files/abc": "is no part",
    "files/" + "A" * 64: "is no part",
    "readme.txt": "is no part",
}


@pytest.mark.parametrize("name", NAMES)
def test_strange_members(good: Path, fresh: Database, tmp_path: Path, name: str) -> None:
    path = tmp_path / "bad.zip"
    refused(fresh, rewritten(good, path, add(name)), NAMES[name])


def test_links(good: Path, fresh: Database, tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    path.write_bytes(good.read_bytes())
    with zipfile.ZipFile(path, "a") as archive:
        info = zipfile.ZipInfo("files/" + "0" * 64)
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    refused(fresh, path, "is a link")


def test_a_name_that_goes_on_behind_a_nul(good: Path, fresh: Database, tmp_path: Path) -> None:
    path = rewritten(good, tmp_path / "bad.zip", add("files/" + "0" * 64 + "xyz"))
    path.write_bytes(path.read_bytes().replace(b"0" * 64 + b"xyz", b"0" * 64 + b"\0yz"))
    refused(fresh, path, "is no part")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_same_member_twice(good: Path, fresh: Database, tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    path.write_bytes(good.read_bytes())
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("tables/answer.jsonl", b"")
    refused(fresh, path, "'tables/answer.jsonl' is in it twice")


def test_a_member_that_the_manifest_does_not_name(
    good: Path, fresh: Database, tmp_path: Path
) -> None:
    path = tmp_path / "bad.zip"
    refused(fresh, rewritten(good, path, add("files/" + "0" * 64), honest=False), "does not name")
    refused(fresh, rewritten(good, path, lambda m: m.pop("tables/task.jsonl")), "is missing")
    without = rewritten(good, path, lambda m: m.pop("tables/task.jsonl"), honest=False)
    refused(fresh, without, "task.jsonl is missing")


def test_what_is_no_archive(good: Path, fresh: Database, tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    refused(fresh, tmp_path / "none.zip", "cannot be opened: No such file")
    refused(fresh, tmp_path, "cannot be opened: Is a directory")
    for text in (b"", b"PK", b"query,item\n", b"PK\5\6" + bytes(18), b"\0" * 100_000):
        path.write_bytes(text)
        refused(fresh, path, "no .zip that can be read|holds no manifest")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", "{}")
    refused(fresh, path, "not that of an archive")


def test_cut_short(good: Path, fresh: Database, tmp_path: Path) -> None:
    whole, path = good.read_bytes(), tmp_path / "bad.zip"
    for share in (0.01, 0.3, 0.6, 0.9, 0.999):
        path.write_bytes(whole[: int(share * len(whole))])
        refused(fresh, path, "no .zip that can be read")


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"version": 2}, "written by a later Consilience: version 2 .* install a later version"),
        ({"schema": "9999"}, "written by a later Consilience: version 1 with tables 9999"),
        ({"schema": "*"}, "the revision of its tables is"),
        ({"schema": None}, "the revision of its tables is"),
        ({"version": "1"}, "its version is '1'"),
        ({"version": True}, "its version is 'True'"),
        ({"format": "other"}, "not that of an archive"),
        ({"members": {}}, "lists no members"),
        ({"members": [1]}, "wrong entry: '1'"),
        ({"members": [{"name": "../x", "bytes": 1, "sha256": "0" * 64}]}, "wrong entry"),
    ],
)
def test_manifests(
    good: Path, fresh: Database, tmp_path: Path, change: dict[str, Any], match: str
) -> None:
    with zipfile.ZipFile(good) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members.pop("manifest.json")) | change
    path = tmp_path / "bad.zip"
    with zipfile.ZipFile(path, "w") as made:
        for name, text in {**members, "manifest.json": json.dumps(manifest).encode()}.items():
            made.writestr(name, text)
    refused(fresh, path, match)


def test_what_was_changed_after_it_was_packed(good: Path, fresh: Database, tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    changed = edited_row("answer", 1, score=99.0)
    refused(
        fresh, rewritten(good, path, changed, honest=False), "its hash is|than the .* announced"
    )
    name = "tables/item.jsonl"
    longer = rewritten(good, path, lambda m: m.update({name: 2 * m[name]}), honest=False)
    refused(fresh, longer, "longer than the .* bytes announced")
    refused(fresh, rewritten(good, path, add(name, b""), honest=False), "shorter than the")


def bomb(good: Path, path: Path, size: int) -> Path:
    """Write an archive that tells of a small table, and holds a large one."""

    def edit(members: dict[str, bytes]) -> None:
        members["tables/item.jsonl"] = b'{"name":"' + b" " * size + b'"}\n'

    return rewritten(good, path, edit)


def test_bombs(good: Path, fresh: Database, tmp_path: Path) -> None:
    path = bomb(good, tmp_path / "bad.zip", 40_000_000)
    assert path.stat().st_size < 200_000
    few = Limits(free=1 << 20, ratio=100)
    refused(fresh, path, "more than 100 times its size .fix: do not trust it", few)
    refused(fresh, path, "more than 5,000,000 bytes, the most", Limits(total=5_000_000))
    refused(fresh, path, "line that is too long", Limits(line=1 << 20))


def test_a_bomb_that_announces_little(good: Path, fresh: Database, tmp_path: Path) -> None:
    path = bomb(good, tmp_path / "bad.zip", 40_000_000)
    text = bytearray(path.read_bytes())
    size = struct.pack("<L", 40_000_000 + 12)
    for _ in range(2):  # before the member, and in the list of members
        at = text.find(size)
        if at >= 0:
            text[at : at + 4] = struct.pack("<L", 12)
    path.write_bytes(text)
    refused(fresh, path, "no .zip that can be read|announced|is no JSON")


def test_a_long_list_of_members(good: Path, fresh: Database, tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    path.write_bytes(good.read_bytes())
    refused(fresh, path, "its list of members has", Limits(listed=100))


def test_encrypted_and_other_ways_to_pack(good: Path, fresh: Database, tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("manifest.json", b"{}")
    refused(fresh, path, "packed in a way that is not known")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", b"{}")
    text = bytearray(path.read_bytes())
    at = text.rfind(b"PK\1\2")
    text[at + 8] |= 1
    path.write_bytes(text)
    refused(fresh, path, "it is encrypted")


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
    good: Path, fresh: Database, tmp_path: Path, table: str, line: int, cells: Any, match: str
) -> None:
    with zipfile.ZipFile(good) as archive:
        count = archive.read(f"tables/{table}.jsonl").count(b"\n")
    edit = edited_row(table, line if line > 0 else count + 1 + line, **cells)
    path = rewritten(good, tmp_path / "bad.zip", edit)
    if match:
        refused(fresh, path, match)
    else:
        assert is_valid(fresh, path)


def test_lines_that_are_no_rows(good: Path, fresh: Database, tmp_path: Path) -> None:
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
        refused(fresh, made, match)
    name = "tables/project.jsonl"
    refused(fresh, rewritten(good, path, add(name, b"")), "it holds no project")
    two = rewritten(good, path, lambda m: m.update({name: 2 * m[name]}))
    refused(fresh, two, "an archive holds one project")


def test_pictures_that_are_none(good: Path, fresh: Database, tmp_path: Path) -> None:
    with zipfile.ZipFile(good) as archive:
        (name, *_) = (name for name in archive.namelist() if name.startswith("files/"))
    path = tmp_path / "bad.zip"
    changed = rewritten(good, path, add(name, b"<svg onload=alert(1)>"), honest=False)
    refused(fresh, changed, "announced|its hash is another|no such picture")
    page = b"<svg onload=alert(1)>"
    sha256 = hashlib.sha256(page).hexdigest()

    def svg(members: dict[str, bytes]) -> None:
        members[f"files/{sha256}"] = page
        row = {"sha256": sha256, "media_type": "image/png", "bytes": len(page), "name": "x"}
        row["created"] = "2026-11-16T06:33:05.123Z"
        members["tables/file.jsonl"] += json.dumps(row).encode() + b"\n"

    refused(fresh, rewritten(good, path, svg), f"files/{sha256} is no such picture")


def test_orders_of_items_have_one_that_stands_for_all(fresh: Database, tmp_path: Path) -> None:
    db = open_database(tmp_path / "ranking.db")
    good = tmp_path / "ranking.zip"
    pack(db, full_project(db, tmp_path / "in", kind="ranking"), good)
    db.close()
    with zipfile.ZipFile(good) as archive:
        rows = [json.loads(line) for line in archive.read("tables/task.jsonl").splitlines()]
    head = next(n for n, row in enumerate(rows, 1) if row["item_id"] == row["other_id"])
    part = next(n for n, row in enumerate(rows, 1) if row["item_id"] != row["other_id"])
    path = tmp_path / "bad.zip"
    other = edited_row("task", head, item_id=rows[part - 1]["item_id"])
    refused(fresh, rewritten(good, path, other), "names a part of a task|lack the one")
    lent = edited_row("assignment", 1, task_id=part)
    refused(fresh, rewritten(good, path, lent), "task_id names a part of a task")


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


def is_valid(db: Database, path: Path) -> bool:
    """Bring an archive; tell whether it is taken. Then everything of it can be looked at."""
    try:
        made = unpack(db, path)
    except UsageError:
        return False
    looked_at(db, made)
    remove_project(db, made.slug)
    return True


def looked_at(db: Database, project: Project) -> None:
    for look in (study_of, labels_study, tree_of, progress, respondents, listed):
        try:
            look(db, project)
        except UsageError:
            continue


@pytest.mark.parametrize("seed", range(4))
def test_flipped_bytes(good: Path, fresh: Database, tmp_path: Path, seed: int) -> None:
    rng, whole, path = random.Random(seed), good.read_bytes(), tmp_path / "bad.zip"
    before = rows_of_all(fresh)
    for _ in range(60):
        text = bytearray(whole)
        for _ in range(rng.choice((1, 1, 2, 8))):
            text[rng.randrange(len(text))] ^= 1 << rng.randrange(8)
        path.write_bytes(text)
        is_valid(fresh, path)
    assert rows_of_all(fresh) == before | {"file": rows_of_all(fresh)["file"]}


STRANGE: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 7, 0.5, -0.5, 1e308, 2**31, 2**63, 10**25),
    *("", "x", "a", "\0", "\ud800", "é" * 300, "2026-11-16T06:33:05.123Z", "person", "labels"),
    *([], [1], ["x"], {}, {"x": 1}, {"kind": "pairs"}, [[[]]]),
)


def mutated(rng: random.Random, value: Any) -> Any:
    """Change a piece of JSON somewhere."""
    if isinstance(value, dict) and value and rng.random() < 0.6:
        name = rng.choice([*value])
        return {**value, name: mutated(rng, value[name])}
    if isinstance(value, list) and value and rng.random() < 0.6:
        place = rng.randrange(len(value))
        return [*value[:place], mutated(rng, value[place]), *value[place + 1 :]]
    if isinstance(value, int) and rng.random() < 0.5:
        return value + rng.choice((-1, 1))
    return rng.choice(STRANGE)


@pytest.mark.parametrize("seed", range(8))
def test_other_json(good: Path, fresh: Database, tmp_path: Path, seed: int) -> None:
    rng, path = random.Random(seed), tmp_path / "bad.zip"
    taken = 0

    def edit(members: dict[str, bytes]) -> None:
        name = rng.choice(
            [one for one, text in members.items() if one.startswith("tables/") and text]
        )
        lines = members[name].rstrip(b"\n").split(b"\n")
        how, place = rng.random(), rng.randrange(len(lines))
        if how < 0.08:
            del lines[place]
        elif how < 0.16:
            lines.insert(rng.randrange(len(lines) + 1), lines[place])
        elif how < 0.24:
            rng.shuffle(lines)
        else:
            row = json.loads(lines[place])
            cell = rng.choice([*row])
            row[cell] = mutated(rng, row[cell])
            if name == "tables/result.jsonl" and cell == "payload":
                row[cell] = json.dumps(mutated(rng, json.loads(lines[place])["payload"]))
            lines[place] = json.dumps(row).encode()
        members[name] = b"".join(line + b"\n" for line in lines)

    for _ in range(25):
        taken += is_valid(fresh, rewritten(good, path, edit))
    assert taken < 25


def test_other_json_in_results(good: Path, fresh: Database, tmp_path: Path) -> None:
    rng, path = random.Random(1), tmp_path / "bad.zip"

    def edit(members: dict[str, bytes]) -> None:
        lines = members["tables/result.jsonl"].splitlines()
        row = json.loads(lines[0])
        payload = json.loads(row["payload"])
        cell = rng.choice([*payload])
        payload[cell] = mutated(rng, payload[cell])
        row["payload"] = json.dumps(payload)
        members["tables/result.jsonl"] = json.dumps(row).encode() + b"\n"

    for _ in range(40):
        is_valid(fresh, rewritten(good, path, edit))
