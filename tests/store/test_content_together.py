"""Texts and pictures that come together are kept together, or not at all."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from consilience.errors import UsageError
from consilience.store import content as c
from consilience.store.connect import Database, reading
from consilience.store.projects import Project, make_project
from consilience.store.schema import file as files
from consilience.store.schema import item as items

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 60
KNOWN, NEW, LARGE = PNG + b"known", PNG + b"new", PNG + b"large" * 100
ONE: tuple[c.What, list[tuple[str, str]]] = ("item", [("d1", "a text")])


def laid(folder: Path, *pictures: bytes) -> dict[Path, str]:
    """Lay files as an upload does."""
    named = {folder / str(place): f"{place}.png" for place in range(len(pictures))}
    for path, content in zip(named, pictures, strict=True):
        path.write_bytes(content)
    return named


def there(db: Database) -> tuple[int, int, set[bytes]]:
    """Count the items and the rows of pictures; give what lies in the folder."""
    assert db.files is not None
    with reading(db) as conn:
        counts = [len(conn.execute(table.select()).all()) for table in (items, files)]
    lying = {path.read_bytes() for path in db.files.rglob("*") if path.is_file()}
    return counts[0], counts[1], lying


@pytest.fixture
def here(db: Database) -> Project:
    """A project, and a picture that is kept already."""
    c.add_file(db, io.BytesIO(KNOWN), "known.png")
    return make_project(db, "together")


def test_all_are_kept(db: Database, here: Project, tmp_path: Path) -> None:
    texts: Any = [ONE, ("item", [("1", "of a picture")]), ("query", [("q", "what?")])]
    told = c.add_content(db, here, texts, laid(tmp_path, KNOWN, NEW, NEW))
    assert told == {"texts": 3, "pictures": 3}
    assert c.content_counts(db, here) == {"item texts": 2, "query texts": 1, "pictures": 3}
    assert there(db) == (4, 2, {KNOWN, NEW}), "d1, 0.png, 1 and 2.png"


@pytest.mark.parametrize(
    ("texts", "pictures"),
    [
        ([ONE, ("item", [("d2", "x"), ("d2", "y")])], [NEW]),
        ([ONE, ("query", [(" ", "x")])], [NEW]),
        ([ONE, ("item", [("a\0", "x")])], [NEW]),
        ([ONE], [KNOWN, NEW, LARGE]),
        ([ONE], [KNOWN, NEW, b"<svg>"]),
    ],
)
def test_where_one_is_refused_nothing_is_kept(
    db: Database, here: Project, tmp_path: Path, texts: Any, pictures: list[bytes]
) -> None:
    with pytest.raises(UsageError):
        c.add_content(db, here, texts, laid(tmp_path, *pictures), most=100)
    assert there(db) == (0, 1, {KNOWN})


def test_pictures_that_many_bring_at_once_are_taken_in_one_order(
    db: Database, here: Project, tmp_path: Path
) -> None:
    """Whoever waits for a picture of another one holds none that this one waits for."""
    pictures = [PNG + bytes([number]) for number in range(12)]
    others = make_project(db, "others")

    def bring(project: Project, folder: Path, order: list[bytes]) -> None:
        folder.mkdir()
        for number in range(4):
            fresh = [one + bytes([number]) for one in order]
            c.add_content(db, project, [], laid(folder, *fresh))

    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(bring, here, tmp_path / "one", pictures)
        other = pool.submit(bring, others, tmp_path / "other", pictures[::-1])
        assert (one.result(), other.result()) == (None, None)
    assert there(db)[1] == 1 + 4 * len(pictures)


def test_pictures_go_again_where_writing_fails(
    db: Database, here: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert db.files is not None
    folder = db.files

    def full(*_: object) -> int:
        lying = {path.read_bytes() for path in folder.glob("[!.]*/*")}
        assert lying == {KNOWN, NEW}, "it was put there before"
        raise UsageError("no more room")

    monkeypatch.setattr(c, "_show", full)
    with pytest.raises(UsageError, match="no more room"):
        c.add_content(db, here, [ONE], laid(tmp_path, NEW, KNOWN))
    assert there(db) == (0, 1, {KNOWN})
