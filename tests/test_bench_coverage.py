"""The bench of intervals runs, and the page for users shows what it found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.coverage.__main__ import PAGE, RESULTS, main, with_tables
from bench.coverage.registry import SIMULATIONS
from bench.coverage.tables import Results, as_markdown


def kept() -> Results:
    return Results.of(json.loads((RESULTS / "coverage.json").read_text()))


def test_the_page_shows_what_was_found() -> None:
    text = PAGE.read_text()
    assert with_tables(text, kept()) == text


def test_the_record_is_whole_and_explains_what_is_narrow() -> None:
    results = kept()
    tried = {(one.simulation, one.case) for one in results.found}
    assert tried == {(one.name, case) for one in SIMULATIONS for case in one.cases}
    assert not results.unexplained()
    assert all(one.runs / (1 - one.withheld) > 299 for one in results.found)  # some are withheld
    assert all(one.coverage > one.halved for one in results.found)
    assert {one.what for one in results.chances} == {"P(best)", "P(a beats b)"}
    about = (RESULTS / "coverage.md").read_text()
    tables = as_markdown(results, "").split("## Runs")[0].partition("## How often")[2]
    assert tables in about


def test_one_simulation_can_be_tried_again(tmp_path: Path, capsys) -> None:
    asked = ["--quick", "--results", str(tmp_path), "--only"]
    assert main([*asked, "counts"]) == 0
    assert main([*asked, "chances", "ranks"]) == 0
    results = Results.of(json.loads((tmp_path / "coverage.json").read_text()))
    assert {one.simulation for one in results.found} == {"counts", "ranks"}
    assert results.chances
    assert (tmp_path / "coverage.md").read_text().startswith("# Coverage of intervals")
    assert "counts from uniform labels" in capsys.readouterr().out


def test_unknown_simulations_are_refused(capsys) -> None:
    with pytest.raises(SystemExit):
        main(["--only", "no such"])
    assert "there is no simulation no such" in capsys.readouterr().err
