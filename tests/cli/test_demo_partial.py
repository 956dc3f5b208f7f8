"""The demonstration of labels drawn by design, from drawing to verdict."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import consilience


def test_the_demonstration_of_a_few_labels(tmp_path: Path) -> None:
    ran = consilience("demo", "partial", cwd=tmp_path)
    assert ran.code == 0
    assert "labels of 10,000 items" in ran.out
    assert "The truth is known here" in ran.err
    assert (tmp_path / "consilience-demo.html").stat().st_size > 100_000
    made = consilience("demo", "partial", "--json", cwd=tmp_path).json()
    assert made["design"]["population"] == 10_000
    assert made["stop"]["delta"] == 0.02
