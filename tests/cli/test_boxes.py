"""Boxes on the command line: what they are is decided, said and asked."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest

import consilience as cs
from consilience.errors import UsageError
from tests.cli.command import consilience
from tests.shipped import SHIPPED

PADILLA = SHIPPED / "padilla"
FILES = Path(__file__).parents[2] / "docs/files"


@pytest.fixture
def corners(tmp_path: Path) -> Path:
    """Write corner boxes as Cartucho's mAP takes them: too few to decide."""
    for side, score in (("gold", ""), ("mine", "0.9 ")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.txt").write_text(f"14 {score}162 96 189 245\n")
        (tmp_path / side / "b.txt").write_text(f"14 {score}10 20 30 60\n")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "soft gold mine --json",
        "check mine --truth gold --json",
        "rank mine --truth gold --match soft --json",
    ],
)
def test_what_fits_both_is_asked_with_two_commands(corners: Path, command: str) -> None:
    ran = consilience(*command.split(), cwd=corners)
    assert ran.code == 2
    error, *offered = ran.err.splitlines()
    assert "'left top right bottom' or 'left top width height'" in error
    assert [line.strip() for line in offered] == [
        f"consilience {command} --boxes corners",
        f"consilience {command} --boxes sizes",
    ]
    for line in offered:
        again = consilience(*shlex.split(line)[1:], cwd=corners)
        assert again.code == 0, again.err
        assert "chosen" in again.out


def test_what_was_decided_is_said(tmp_path: Path) -> None:
    sides = (PADILLA / "groundtruths", PADILLA / "detections")
    said = "boxes are left top width height: as corners, "
    assert any(said in note for note in consilience("soft", *sides, "--json").json()["notes"])
    ran = consilience("check", sides[1], "--truth", sides[0], "--json")
    files = ran.json()["files"]
    assert any(said in note for one in files for note in one["notes"])


def test_an_unknown_layout_is_refused(corners: Path) -> None:
    ran = consilience("soft", "gold", "mine", "--boxes", "edges", cwd=corners)
    assert ran.code == 2
    assert "possible: corners, sizes, centres" in ran.err


def test_folders_are_systems_in_rank_as_in_soft(tmp_path: Path) -> None:
    for system in ("s1", "s2", "s3"):
        (tmp_path / system).mkdir()
        (tmp_path / system / "d1.txt").write_text("lake view\nfree wifi\n")
        (tmp_path / system / "d2.txt").write_text(f"old town {system}\n")
    ranked = consilience(
        *("rank", "s1", "s2", "--truth", "s3", "--match", "soft", "--json"), cwd=tmp_path
    ).json()
    alone = consilience("soft", "s3", "s1", "--json", cwd=tmp_path).json()
    assert [one["name"] for one in ranked["systems"]] == ["s1", "s2"]
    assert ranked["systems"][0]["scores"]["F1"]["value"] == pytest.approx(alone["f1"])


@pytest.mark.parametrize(
    "words",
    [
        "curve boxes/detector.json --truth boxes/truth.json",
        "distributions boxes/detector.json --truth boxes/truth.json",
        "correlate boxes/detector.json other.json --truth boxes/truth.json",
        "next boxes/detector.json other.json --budget 3",
        "agree boxes/detector.json other.json",
        "agree meeting/gold.rttm meeting/mine.rttm",
    ],
)
def test_verbs_of_equal_items_refuse_shapes(words: str, tmp_path: Path) -> None:
    """Boxes that moved by a pixel counted as other items: AP was 0."""
    for name in ("boxes", "meeting"):
        shutil.copytree(FILES / name, tmp_path / name)
    moved = [
        one | {"bbox": [one["bbox"][0] + 1, *one["bbox"][1:]]}
        for one in json.loads((FILES / "boxes/detector.json").read_text())
    ]
    (tmp_path / "other.json").write_text(json.dumps(moved))
    ran = consilience(*words.split(), "--no-save", cwd=tmp_path)
    assert ran.code == 2
    assert "which are hardly ever equal" in ran.err


def test_python_refuses_shapes_that_are_ranked_as_equal() -> None:
    study = cs.read(FILES / "boxes/detector.json", truth=FILES / "boxes/truth.json")
    with pytest.raises(UsageError, match="boxes, which are hardly ever equal"):
        cs.rank(study)
    assert cs.rank(study, match="exact").scores["detector"]["AP"].value == 0
