"""Archives changed by chance: refused in one clear sentence, or as good as any."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from consilience.store.connect import Database
from tests.store.archived import (
    rewritten,
    rows_of_all,
)
from tests.store.hostile import is_valid


@pytest.mark.parametrize("seed", range(2))
def test_flipped_bytes(good: Path, untouched: Database, tmp_path: Path, seed: int) -> None:
    rng, whole, path = random.Random(seed), good.read_bytes(), tmp_path / "bad.zip"
    before = rows_of_all(untouched)
    for _ in range(60):
        text = bytearray(whole)
        for _ in range(rng.choice((1, 1, 2, 8))):
            text[rng.randrange(len(text))] ^= 1 << rng.randrange(8)
        path.write_bytes(text)
        is_valid(untouched, path)
    assert rows_of_all(untouched) == before | {"file": rows_of_all(untouched)["file"]}


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


@pytest.mark.parametrize("seed", range(5))
def test_other_json(good: Path, untouched: Database, tmp_path: Path, seed: int) -> None:
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
        taken += is_valid(untouched, rewritten(good, path, edit))
    assert taken < 25


def test_other_json_in_results(good: Path, untouched: Database, tmp_path: Path) -> None:
    rng, path = random.Random(1), tmp_path / "bad.zip"

    def edit(members: dict[str, bytes]) -> None:
        lines = members["tables/result.jsonl"].splitlines()
        row = json.loads(lines[0])
        payload = json.loads(row["payload"])
        cell = rng.choice([*payload])
        payload[cell] = mutated(rng, payload[cell])
        row["payload"] = json.dumps(payload)
        members["tables/result.jsonl"] = json.dumps(row).encode() + b"\n"

    for _ in range(25):
        is_valid(untouched, rewritten(good, path, edit))
