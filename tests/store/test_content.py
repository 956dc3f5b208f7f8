"""Texts and pictures of items and queries."""

from __future__ import annotations

import hashlib
import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy.engine import Connection

from consilience.errors import ConsilienceError, InputError, UsageError
from consilience.store import content as c
from consilience.store.archive_unpack import _clear
from consilience.store.connect import Database, now, reading, writing
from consilience.store.projects import Project, make_project, project
from consilience.store.schema import file as files
from consilience.store.schema import item as items
from consilience.store.sources import add_files

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 60
PICTURES = {
    "image/png": PNG,
    "image/jpeg": b"\xff\xd8\xff\xe0" + b"\1" * 60,
    "image/gif": b"GIF89a" + b"\2" * 60,
    "image/webp": b"RIFF\x10\0\0\0WEBPVP8 " + b"\3" * 60,
}


def ids(db: Database, here: Project) -> dict[str, int]:
    with reading(db) as conn:
        found = conn.execute(items.select().where(items.c.project_id == here.id))
        return {row.name: row.id for row in found}


def test_texts_come_by_name(db: Database, tmp_path: Path) -> None:
    here = make_project(db, "texts")
    run = tmp_path / "a.run"
    run.write_text("q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n")
    add_files(db, here, [run])
    before = project(db, here.slug).version
    assert c.add_items(db, here, [("d1", "<script>alert(1)</script>"), ("d3", "Zürich\n猫")]) == 2
    assert c.add_items(db, here, [("d1", "later")]) == 1
    assert c.add_queries(db, here, [("q1", "cheap flights")]) == 1
    known = ids(db, here)
    assert [c.item_view(db, here, known[name]).text for name in ("d1", "d2", "d3")] == [
        "later",
        None,
        "Zürich\n猫",
    ]
    assert c.query_view(db, here, 1).text == "cheap flights"
    assert project(db, here.slug).version == before  # the study is the same
    with pytest.raises(UsageError, match="no item 999"):
        c.item_view(db, here, 999)
    with pytest.raises(UsageError, match="no item"):
        c.item_view(db, make_project(db, "other"), known["d1"])
    with pytest.raises(UsageError, match="'d1' has two different texts"):
        c.add_items(db, here, [("d1", "one"), ("d2", "x"), ("d1", "another")])
    for wrong in (("a\0", "x"), ("a", "x\0"), (" ", "x")):
        with pytest.raises(UsageError, match=r"the name of an item|an empty name"):
            c.add_items(db, here, [wrong])


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.csv", 'item,text\nd1,"cheap, and good"\n', ("item", [("d1", "cheap, and good")])),
        ("a.tsv", "docid\ttitle\nd1\tHello\n", ("item", [("d1", "Hello")])),
        ("a.jsonl", '{"query": "q1", "text": "why?"}\n' * 2, ("query", [("q1", "why?")] * 2)),
        ("a.csv", "qid,question\nq1,why?\n", ("query", [("q1", "why?")])),
    ],
)
def test_tables_of_texts(tmp_path: Path, name: str, text: str, told: tuple[str, object]) -> None:
    (tmp_path / "x").write_text(text)
    assert c.read_texts(tmp_path / "x", name=name) == told


def test_tables_without_texts_are_told(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("item,vote\nd1,1\n")
    with pytest.raises(
        InputError, match=r"^up\.csv:1: no columns of names and texts; found 'item'"
    ):
        c.read_texts(tmp_path / "x", name="up.csv")
    (tmp_path / "x").write_text("one\ntwo\n")
    with pytest.raises(InputError, match=r"^up\.txt: this is no table"):
        c.read_texts(tmp_path / "x", name="up.txt")


@pytest.mark.parametrize("media_type", PICTURES)
def test_pictures_lie_under_their_hash(db: Database, media_type: str) -> None:
    data = PICTURES[media_type]
    digest = c.add_file(db, io.BytesIO(data), "../../etc/passwd.svg")
    assert digest == hashlib.sha256(data).hexdigest()
    assert c.add_file(db, io.BytesIO(data), "again.png") == digest
    found = c.file_of(db, digest)
    assert found.path.read_bytes() == data
    assert (found.media_type, found.bytes, found.name) == (
        media_type,
        len(data),
        "../../etc/passwd.svg",
    )
    assert db.files is not None
    assert found.path == db.files / digest[:2] / digest
    assert [path for path in db.files.rglob("*") if path.is_file()] == [found.path]


@pytest.mark.parametrize(
    "data", [b"", b"<svg onload='alert(1)'>", b"%PDF-1.7", b"BM123456", b"RIFF1234WAVE", b"GIF8"]
)
def test_other_files_are_refused(db: Database, data: bytes) -> None:
    with pytest.raises(UsageError, match=r"x\.png: this is no picture \(fix: give PNG"):
        c.add_file(db, io.BytesIO(data), "x.png")


def test_large_pictures_are_refused_and_leave_nothing(db: Database) -> None:
    with pytest.raises(UsageError, match=r"larger than 50 bytes"):
        c.add_file(db, io.BytesIO(PNG), "x.png", most=50)
    assert db.files is not None
    assert [*db.files.rglob("*")] == []
    c.add_file(db, io.BytesIO(PNG), "x.png", most=len(PNG))


def test_pictures_become_items(db: Database, tmp_path: Path) -> None:
    here = make_project(db, "pictures")
    (tmp_path / "a.csv").write_text("item,system,vote\ncat,A,1\ndog.png,A,0\n")
    add_files(db, here, [tmp_path / "a.csv"])
    first = c.add_picture(db, here, io.BytesIO(PNG), "cat.jpg")
    second = c.add_picture(db, here, io.BytesIO(PNG), "dog.png")
    third = c.add_picture(db, here, io.BytesIO(PNG), "new.png")
    assert ids(db, here) == {"cat": first, "dog.png": second, "new.png": third}
    view = c.item_view(db, here, first)
    assert (view.name, view.media_type) == ("cat", "image/png")
    assert c.file_of(db, view.file or "").bytes == len(PNG)
    with pytest.raises(UsageError, match="no picture 'ffff' is kept"):
        c.show_picture(db, here, "cat", "ffff")


def test_folder_for_pictures_is_needed(db: Database, tmp_path: Path) -> None:
    nowhere = Database(db.engine, db.where, None, db.id)
    with pytest.raises(UsageError, match="no folder for pictures"):
        c.add_file(nowhere, io.BytesIO(PNG), "x.png")
    (tmp_path / "taken").write_text("a file")
    taken = Database(db.engine, db.where, tmp_path / "taken", db.id)
    with pytest.raises(ConsilienceError, match="cannot be written"):
        c.add_file(taken, io.BytesIO(PNG), "x.png")


def put(db: Database, data: bytes) -> Path:
    """Put a picture onto the disk without a row, as an archive does that fails later."""
    assert db.files is not None
    digest = hashlib.sha256(data).hexdigest()
    path = db.files / digest[:2] / digest
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def test_pictures_without_a_row_are_cleared(db: Database) -> None:
    one, two = put(db, PNG), put(db, PNG + b"2")
    c.add_file(db, io.BytesIO(PNG), "x.png")
    _clear(db, [one, two])
    assert (one.is_file(), two.is_file()) == (True, False)
    with reading(db) as conn:
        assert [row.sha256 for row in conn.execute(files.select())] == [one.name]


def test_a_picture_whose_row_is_being_written_is_not_cleared(db: Database) -> None:
    path = put(db, PNG)
    with writing(db) as conn:
        conn.execute(files.insert().values((path.name, "image/png", len(PNG), "x.png", now())))
        clearing = threading.Thread(target=_clear, args=(db, [path]))
        clearing.start()
        clearing.join(0.3)
        assert clearing.is_alive(), "it waits until it is known whether the row stays"
    clearing.join(20)
    assert path.read_bytes() == PNG


def test_a_picture_that_is_cleared_while_it_is_added_is_there(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(db, PNG)

    @contextmanager
    def late(db: Database) -> Iterator[Connection]:
        monkeypatch.undo()
        _clear(db, [path])
        with writing(db) as conn:
            yield conn

    monkeypatch.setattr(c, "writing", late)
    c.add_file(db, io.BytesIO(PNG), "x.png")
    assert path.read_bytes() == PNG
