"""Which columns are the truth's, and which kind of answers the user named."""

from __future__ import annotations

from pathlib import Path

import pytest

import consilience as cs
from tests.cli.command import consilience

ANSWERS = "page,value\na,0.9\nb,0.4\nc,0.1\n"
TRUTH = "page,value\na,1\nb,0\nc,1\n"


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    """Return answers and truth whose columns have the same names."""
    (tmp_path / "sys.csv").write_text(ANSWERS)
    (tmp_path / "truth.csv").write_text(TRUTH)
    return tmp_path / "sys.csv", tmp_path / "truth.csv"


def test_columns_map_answers_and_truth_columns_the_truth(sides: tuple[Path, Path]) -> None:
    """The same column is the score here and the grade there."""
    study = cs.read(
        sides[0],
        truth=sides[1],
        columns={"item": "page", "score": "value"},
        truth_columns={"item": "page", "grade": "value"},
    )
    assert study.answers.score is not None
    assert study.evidence.grade is not None
    assert study.evidence.grade.tolist() == [1, 0, 1]


def test_a_frame_and_its_truth_are_mapped_apart() -> None:
    """What Python users hold, too."""
    frame = {"page": ["a", "b"], "value": [0.9, 0.1]}
    study = cs.study(
        frame,
        truth={"page": ["a", "b"], "value": [1, 0]},
        columns={"item": "page", "score": "value"},
        truth_columns={"item": "page", "grade": "value"},
    )
    assert study.answers.score is not None
    assert study.evidence.grade is not None


def test_a_mapped_score_is_not_the_truths(tmp_path: Path) -> None:
    """The truth keeps what its own names say, and a note tells how to map it."""
    (tmp_path / "sys.csv").write_text("id,target\na,0.9\nb,0.4\n")
    (tmp_path / "truth.csv").write_text("id,target\na,1\nb,0\n")
    study = cs.read(tmp_path / "sys.csv", truth=tmp_path / "truth.csv", columns={"score": "target"})
    assert study.evidence.grade is not None
    (note,) = [note for note in study.sources[1].notes if "target" in note]
    assert "--truth-columns" in note


def test_what_only_the_truth_has_is_mapped_there(tmp_path: Path) -> None:
    """One mapping is enough where nobody can mistake it."""
    (tmp_path / "sys.csv").write_text("id,score\na,0.9\nb,0.4\n")
    (tmp_path / "truth.csv").write_text("id,verdict\na,1\nb,0\n")
    study = cs.read(
        tmp_path / "sys.csv", truth=tmp_path / "truth.csv", columns={"grade": "verdict"}
    )
    assert study.evidence.grade is not None


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_engines_map_them_apart(sides: tuple[Path, Path], engine: str) -> None:
    """Every engine gives AP of the list a, b, c with a and c relevant: (1 + 2/3) / 2."""
    verdict = cs.rank_tables(
        sides[0],
        truth=sides[1],
        engine=engine,
        measures=["AP"],
        columns={"item": "page", "score": "value"},
        truth_columns={"item": "page", "grade": "value"},
    )
    assert verdict.standings[0].scores["AP"].value == pytest.approx(5 / 6)


def test_a_truth_column_that_is_not_there(sides: tuple[Path, Path]) -> None:
    """The message speaks of the truth."""
    mapped = ["--columns", "item=page,score=value", "--truth-columns", "item=page,grade=valeu"]
    told = consilience("rank", sides[0], "--truth", sides[1], *mapped)
    assert told.code == 2
    assert "column of the truth (mapped to grade)" in told.err


def test_truth_columns_need_a_truth(sides: tuple[Path, Path]) -> None:
    """A mapping of nothing is a mistake."""
    told = consilience("check", sides[0], "--truth-columns", "grade=value")
    assert told.code == 2
    assert "name it with --truth" in told.err


@pytest.mark.parametrize("kind", ["outcomes", "labels", "probabilities"])
def test_kinds_that_come_later(sides: tuple[Path, Path], kind: str) -> None:
    """One sentence, no guess."""
    assert "not read yet" in consilience("rank", sides[0], "--answers", kind).err


def test_lines_whatever_they_look_like(tmp_path: Path) -> None:
    """Every line is an item, the header too."""
    file = tmp_path / "list.txt"
    file.write_text("query,item,score\nq,a,1\n")
    assert len(cs.read(file, answers="lines").answers.item) == 2
    assert len(cs.read(file).answers.item) == 1


def test_an_unknown_kind() -> None:
    """The possible ones are named."""
    with pytest.raises(cs.UsageError, match="lines, lists, votes"):
        cs.study({"q": {"a": 1}}, answer_kind="line")
