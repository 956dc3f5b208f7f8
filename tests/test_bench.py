"""The benchmark on small inputs, so that it cannot rot."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.__main__ import main
from bench.bars import Bar
from bench.sections import SECTIONS


def test_bars_are_met_or_missed():
    assert Bar("ratio", 5.0, least=5.0).met
    assert not Bar("ratio", 4.9, least=5.0).met
    assert Bar("share", 1.0, most=1.0).met
    assert str(Bar("share", 1.2, most=1.0)) == "share: 1.2 (at most 1) MISSED"


@pytest.mark.parametrize("section", SECTIONS)
def test_every_section_runs_and_computes_the_same_values(section: str, tmp_path: Path):
    assert main([section, "--quick", "--results", str(tmp_path)]) == 0
    result = json.loads((tmp_path / f"{section}.json").read_text())
    assert result["rows"]
    judged = [bar for bar in result["bars"] if "apart" in bar["name"] or "equal" in bar["name"]]
    wrong = [bar["name"] for bar in judged if not bar["met"]]
    assert not wrong
    assert (tmp_path / f"{section}.md").read_text().startswith(f"# {section}")
