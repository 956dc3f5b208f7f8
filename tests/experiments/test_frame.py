"""What all experiments have in common: the list, the payload, the words, the recordings."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

import consilience as cs
from consilience.experiments import EXPERIMENTS, recorded
from consilience.experiments.reproduced import Asked
from consilience.render import render
from tests.cli.command import consilience
from tests.render.every_verb import reproduce_payload

SLOW = [name for name, one in EXPERIMENTS.items() if one.slow]


def test_the_list_names_every_experiment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    told = consilience("reproduce")
    assert told.code == 0
    listed, _ = told.out.split("\n\n")
    begun = [line.split()[0] for line in listed.splitlines() if not line.startswith(" ")]
    assert begun == [*EXPERIMENTS]
    assert max(map(len, listed.splitlines())) <= 80
    rows = json.loads(consilience("reproduce", "--json").out)["experiments"]
    assert [one["name"] for one in rows] == [*EXPERIMENTS]


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (["reproduce", "tuors"], "did you mean 'tours'"),
        (["reproduce", "tours", "--size", "0"], "--size"),
        (["reproduce", "words", "--size", "2"], "words is small already"),
        (["reproduce", "words", "--again"], "words has no slow stage"),
        (["reproduce", "binarization", "--again", "--data", "."], "reads no others' data"),
        (["reproduce", "--size", "3"], "which experiment?"),
        (["reproduce", "-o", "all.html"], "which experiment?"),
        (["reproduce", "runs", "--data", "."], "add --again"),
        (["reproduce", "which-ap", "--size", "3"], "--again --size 3"),
    ],
)
def test_what_cannot_be_asked(said: list[str], error: str) -> None:
    told = consilience(*said)
    assert told.code == 2
    assert error in told.err


@pytest.mark.parametrize("name", SLOW)
def test_slow_stages_can_be_run_again(name: str) -> None:
    module = importlib.import_module(f"consilience.experiments.{EXPERIMENTS[name].module}")
    assert callable(module.record)
    kept = recorded.load(module.RECORDED)
    assert kept.recorded
    assert kept.seconds > 0
    assert kept.versions


def test_a_recording_is_read_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorded, "FOLDER", tmp_path)
    made = recorded.made("reading", {"page": ["café", None, 0.5]}, versions={"a": "1"}, seconds=3)
    first = recorded.save("one", made).read_bytes()
    again = recorded.load("one")
    assert again.output == made.output
    assert again.stage().recorded
    assert recorded.save("one", made).read_bytes() == first


def test_a_recording_that_cannot_be_written_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(recorded, "FOLDER", tmp_path)
    path = recorded.save("one", recorded.made("reading", 1, versions={}, seconds=3))
    before = path.read_bytes()
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(cs.ConsilienceError, match="no space left"):
        recorded.save("one", recorded.made("reading", 2, versions={}, seconds=3))
    assert path.read_bytes() == before


def test_others_data_are_looked_for_where_somebody_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "runs").mkdir()
    assert recorded.others_data("runs", Asked(data=tmp_path)) == tmp_path / "runs"
    with pytest.raises(cs.UsageError, match="--data names the folder"):
        recorded.others_data("tracks", Asked(data=tmp_path))
    monkeypatch.setenv(recorded.VARIABLE, str(tmp_path))
    assert recorded.others_data("runs", Asked()) == tmp_path / "runs"
    assert recorded.others_data("tracks", Asked()) is None


def test_what_a_stage_lacks_is_said_at_once() -> None:
    with pytest.raises(cs.UsageError, match=r"no_such_module, no-such-program must be here.*apt"):
        recorded.need(modules=["json", "no_such_module"], programs=["no-such-program"])
    recorded.need(modules=["json"], programs=["sh"])


def test_words_tell_the_paper_and_ours() -> None:
    text = str(render(reproduce_payload(), "text"))
    assert "1 of 2 claims comes out as published." in text
    assert "Differs: F of a. Paper: 0.14; ours: 0.20. A misprint." in text
    assert "Besides: words. Not printed. Nothing to compare." in text
    assert "0.25 to 0.50" in text
    assert "1,200" in text
    assert "recorded, 2026-01-01, 12 s; program 1.0" in text
    assert "No ground truth was used" in text


def test_the_id_does_not_depend_on_the_time_it_took() -> None:
    first, second = cs.reproduce("words"), cs.reproduce("words")
    assert first.seconds != second.seconds
    assert first.payload()["id"] == second.payload()["id"]
