"""The benchmark on small inputs, so that it cannot rot."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bench.__main__ import main
from bench.accuracy.__main__ import main as accuracy
from bench.accuracy.trials import METHODS, compared
from bench.bars import Bar
from bench.sections import SECTIONS

#: A Java machine that lives for seconds: optimising would take longer than the work.
BRIEF = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def test_bars_are_met_or_missed():
    assert Bar("ratio", 5.0, least=5.0).met
    assert not Bar("ratio", 4.9, least=5.0).met
    assert Bar("share", 1.0, most=1.0).met
    assert str(Bar("share", 1.2, most=1.0)) == "share: 1.2 (at most 1) MISSED"


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_runs_and_computes_the_same_values(
    section: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "spark-defaults.conf").write_text(f"spark.driver.extraJavaOptions {BRIEF}\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert main([section, "--quick", "--results", str(tmp_path)]) == 0
    result = json.loads((tmp_path / f"{section}.json").read_text())
    assert result["rows"]
    judged = [bar for bar in result["bars"] if "apart" in bar["name"] or "equal" in bar["name"]]
    wrong = [bar["name"] for bar in judged if not bar["met"]]
    assert not wrong
    assert (tmp_path / f"{section}.md").read_text().startswith(f"# {section}")


def test_accuracy_says_what_is_missing_and_tries_the_rest(tmp_path: Path, capsys):
    assert accuracy(["--quick", "--data", str(tmp_path / "no"), "--results", str(tmp_path)]) == 0
    result = json.loads((tmp_path / "accuracy.json").read_text())
    assert len(result["missing"]) == 5
    assert "ir_llmjudge does not exist" in capsys.readouterr().err
    assert {one["method"] for one in result["simulated"]} == set(METHODS)
    assert (tmp_path / "accuracy.md").read_text().startswith("# Accuracy")


def test_accuracy_compares_rankings():
    found = compared(np.array([0.2, 0.9, np.nan]), np.array([0.1, 0.4, 0.5]), same_scale=True)
    assert found.tau == pytest.approx(-1 / 3)
    assert found.mae == pytest.approx(0.3)
    assert found.regret == pytest.approx(0.1)
