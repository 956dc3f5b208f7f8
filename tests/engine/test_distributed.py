"""Distributions of votes on disk: part by part, the same as in memory."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from consilience.cli.distributions import command
from consilience.engine import ranking
from consilience.errors import UsageError

KEPT = ("id", "created", "input_hash", "inputs")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Four systems, twelve queries, two judges who disagree."""
    monkeypatch.setattr(ranking, "PART", 30)
    monkeypatch.setattr(ranking, "SMALLEST", 1)
    monkeypatch.setenv("CONSILIENCE_WORK", str(tmp_path / "work"))
    rng = np.random.default_rng(3)
    votes, truth = tmp_path / "votes.csv", tmp_path / "truth.csv"
    with votes.open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["query", "system", "item", "score"])
        for system in range(4):
            for query in range(12):
                for item in rng.permutation(9)[: rng.integers(1, 7)]:
                    rows.writerow([f"q{query}", f"s{system}", f"d{item}", rng.integers(1, 9)])
    with truth.open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow(["query", "judge", "item", "relevant"])
        for query in range(11):
            for judge in ("ann", "bob"):
                for item in range(10):
                    rows.writerow([f"q{query}", judge, f"d{item}", rng.integers(0, 2)])
    return str(votes), str(truth)


def payload(*arguments: str) -> dict[str, Any]:
    said = CliRunner().invoke(command, [*arguments, "--json", "--no-save"])
    assert said.exit_code == 0, said.exception
    found: dict[str, Any] = json.loads(said.stdout)
    return {name: value for name, value in found.items() if name not in KEPT}


def flat(value: Any, name: str = "") -> dict[str, Any]:
    if isinstance(value, dict):
        return {k: v for key, one in value.items() for k, v in flat(one, f"{name}/{key}").items()}
    if isinstance(value, list):
        found = {f"{name}#": len(value)}
        for place, one in enumerate(value):
            found |= flat(one, f"{name}/{place}")
        return found
    return {name: value}


@pytest.mark.parametrize(
    "options",
    [("--truth",), ("--belief", "consensus"), ("--belief", "dawid-skene"), ("--depth", "2")],
    ids=["judges", "consensus", "dawid-skene", "depth"],
)
def test_parts_give_the_distributions_of_the_whole(
    files: tuple[str, str], options: tuple[str, ...]
) -> None:
    votes, truth = files
    given = [votes, *options, *([truth] if options == ("--truth",) else [])]
    whole = flat(payload(*given, "--engine", "memory"))
    parts = flat(payload(*given, "--engine", "duckdb", "--memory", "1GB"))
    assert whole.keys() == parts.keys()
    assert {whole.pop("/engine/name"), parts.pop("/engine/name")} == {"memory", "duckdb"}
    assert parts["/engine/parts"] > whole["/engine/parts"] == 1
    for name, value in whole.items():
        if name.startswith("/engine/"):
            continue
        if isinstance(value, float):
            assert parts[name] == pytest.approx(value, rel=0, abs=1e-9), name
        else:
            assert parts[name] == value, name


def test_they_are_not_made_of_sums(files: tuple[str, str]) -> None:
    with pytest.raises(UsageError, match=r"not made of sums \(fix: --engine duckdb, or memory\)"):
        command.main([files[0], "--engine", "spark"], standalone_mode=False)
