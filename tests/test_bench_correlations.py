"""The trial of correlate's intervals on small samples, so that it cannot rot."""

from __future__ import annotations

from pathlib import Path

from bench.correlations import FIGURES, HEADER, MADE, main


def test_without_data_simulated_systems_are_tried(tmp_path: Path) -> None:
    result = tmp_path / "correlations.md"
    assert main(["--data", str(tmp_path), "--rounds", "3", "--result", str(result)]) == 0
    rows = [line for line in result.read_text().splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(MADE) * len(FIGURES)
    assert {line.count("|") for line in rows} == {len(HEADER) + 1}
