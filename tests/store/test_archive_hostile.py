"""Archives from anybody: refused in one clear sentence, and nothing is left behind."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

from consilience.store.archive_read import Limits
from consilience.store.connect import Database
from tests.store.archived import (
    edited_row,
    rewritten,
)
from tests.store.hostile import add, refused

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
def test_strange_members(good: Path, untouched: Database, tmp_path: Path, name: str) -> None:
    path = tmp_path / "bad.zip"
    refused(untouched, rewritten(good, path, add(name)), NAMES[name])


def test_links(good: Path, untouched: Database, tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    path.write_bytes(good.read_bytes())
    with zipfile.ZipFile(path, "a") as archive:
        info = zipfile.ZipInfo("files/" + "0" * 64)
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    refused(untouched, path, "is a link")


def test_a_name_that_goes_on_behind_a_nul(good: Path, untouched: Database, tmp_path: Path) -> None:
    path = rewritten(good, tmp_path / "bad.zip", add("files/" + "0" * 64 + "xyz"))
    path.write_bytes(path.read_bytes().replace(b"0" * 64 + b"xyz", b"0" * 64 + b"\0yz"))
    refused(untouched, path, "is no part")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_the_same_member_twice(good: Path, untouched: Database, tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    path.write_bytes(good.read_bytes())
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("tables/answer.jsonl", b"")
    refused(untouched, path, "'tables/answer.jsonl' is in it twice")


def test_a_member_that_the_manifest_does_not_name(
    good: Path, untouched: Database, tmp_path: Path
) -> None:
    path = tmp_path / "bad.zip"
    refused(
        untouched, rewritten(good, path, add("files/" + "0" * 64), honest=False), "does not name"
    )
    refused(untouched, rewritten(good, path, lambda m: m.pop("tables/task.jsonl")), "is missing")
    without = rewritten(good, path, lambda m: m.pop("tables/task.jsonl"), honest=False)
    refused(untouched, without, "task.jsonl is missing")


def test_what_is_no_archive(good: Path, untouched: Database, tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    refused(untouched, tmp_path / "none.zip", "cannot be opened: No such file")
    refused(untouched, tmp_path, "cannot be opened: Is a directory")
    for text in (b"", b"PK", b"query,item\n", b"PK\5\6" + bytes(18), b"\0" * 100_000):
        path.write_bytes(text)
        refused(untouched, path, "no .zip that can be read|holds no manifest")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", "{}")
    refused(untouched, path, "not that of an archive")


def test_cut_short(good: Path, untouched: Database, tmp_path: Path) -> None:
    whole, path = good.read_bytes(), tmp_path / "bad.zip"
    for share in (0.01, 0.3, 0.6, 0.9, 0.999):
        path.write_bytes(whole[: int(share * len(whole))])
        refused(untouched, path, "no .zip that can be read")


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
    good: Path, untouched: Database, tmp_path: Path, change: dict[str, Any], match: str
) -> None:
    with zipfile.ZipFile(good) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(members.pop("manifest.json")) | change
    path = tmp_path / "bad.zip"
    with zipfile.ZipFile(path, "w") as made:
        for name, text in {**members, "manifest.json": json.dumps(manifest).encode()}.items():
            made.writestr(name, text)
    refused(untouched, path, match)


def test_what_was_changed_after_it_was_packed(
    good: Path, untouched: Database, tmp_path: Path
) -> None:
    path = tmp_path / "bad.zip"
    changed = edited_row("answer", 1, score=99.0)
    refused(
        untouched, rewritten(good, path, changed, honest=False), "its hash is|than the .* announced"
    )
    name = "tables/item.jsonl"
    longer = rewritten(good, path, lambda m: m.update({name: 2 * m[name]}), honest=False)
    refused(untouched, longer, "longer than the .* bytes announced")
    refused(untouched, rewritten(good, path, add(name, b""), honest=False), "shorter than the")


def bomb(good: Path, path: Path, size: int) -> Path:
    """Write an archive that tells of a small table, and holds a large one."""

    def edit(members: dict[str, bytes]) -> None:
        members["tables/item.jsonl"] = b'{"name":"' + b" " * size + b'"}\n'

    return rewritten(good, path, edit)


def test_bombs(good: Path, untouched: Database, tmp_path: Path) -> None:
    path = bomb(good, tmp_path / "bad.zip", 40_000_000)
    assert path.stat().st_size < 200_000
    few = Limits(free=1 << 20, ratio=100)
    refused(untouched, path, "more than 100 times its size .fix: do not trust it", few)
    refused(untouched, path, "more than 5,000,000 bytes, the most", Limits(total=5_000_000))
    refused(untouched, path, "line that is too long", Limits(line=1 << 20))


def test_a_bomb_that_announces_little(good: Path, untouched: Database, tmp_path: Path) -> None:
    path = bomb(good, tmp_path / "bad.zip", 40_000_000)
    text = bytearray(path.read_bytes())
    size = struct.pack("<L", 40_000_000 + 12)
    for _ in range(2):  # before the member, and in the list of members
        at = text.find(size)
        if at >= 0:
            text[at : at + 4] = struct.pack("<L", 12)
    path.write_bytes(text)
    refused(untouched, path, "no .zip that can be read|announced|is no JSON")


def test_a_long_list_of_members(good: Path, untouched: Database, tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    path.write_bytes(good.read_bytes())
    refused(untouched, path, "its list of members has", Limits(listed=100))


def test_encrypted_and_other_ways_to_pack(good: Path, untouched: Database, tmp_path: Path) -> None:
    path = tmp_path / "bad.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("manifest.json", b"{}")
    refused(untouched, path, "packed in a way that is not known")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("manifest.json", b"{}")
    text = bytearray(path.read_bytes())
    at = text.rfind(b"PK\1\2")
    text[at + 8] |= 1
    path.write_bytes(text)
    refused(untouched, path, "it is encrypted")
