"""Decimal commas in tables whose cells are parted by semicolons or tabs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import consilience as cs
from tests.cli.command import consilience

MARKS = "item;Ann;Ben;Bemerkung\na;0,2;0,25;gut\nb;0,9;1;gut\nc;0,5;0,4;gut\nd;1,0;0,75;na ja\n"


def listed(values: NDArray[np.float64] | None) -> list[float]:
    """Return the values of a column that must be there."""
    assert values is not None
    return list(values.tolist())


def write(folder: Path, text: str, name: str = "x.csv") -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_numbers_with_a_comma(tmp_path: Path, mark: str) -> None:
    study = cs.read(write(tmp_path, MARKS.replace(";", mark)))
    assert study.systems == ("Ann", "Ben")
    assert listed(study.answers.vote) == [0.2, 0.9, 0.5, 1, 0.25, 1, 0.4, 0.75]
    assert study.sources[0].notes[0] == "decimal commas were read as points: Ann, Ben"
    assert "decimal commas" in consilience("check", write(tmp_path, MARKS)).out


def test_people_agree_on_a_scale_of_numbers(tmp_path: Path) -> None:
    """The same α as of points; remarks are nobody's labels."""
    told = [
        consilience("agree", write(tmp_path, text), "--json", "--no-save").json()
        for text in (MARKS, MARKS.replace(",", "."))
    ]
    assert told[0]["alpha"] == told[1]["alpha"]
    assert "Bemerkung" not in [one["name"] for one in told[0]["annotators"]]


def test_names_stay_as_they_are(tmp_path: Path) -> None:
    study = cs.read(write(tmp_path, "query;item;system;score\n1,5;2,5;A;0,5\n1,5;3,5;A;0,25\n"))
    assert (study.queries, study.items.names([0, 1])) == (("1,5",), ["2,5", "3,5"])
    assert listed(study.answers.score) == [0.5, 0.25]


def test_thousands_may_be_meant(tmp_path: Path) -> None:
    """Then it is asked, as in a table whose cells are parted by commas."""
    text = "query;item;system;score\nq;a;A;1,234\nq;b;A;2,345\n"
    with pytest.raises(cs.InputError, match="write decimals with a point"):
        cs.read(write(tmp_path, text))
    with pytest.raises(cs.InputError, match="write decimals with a point"):
        cs.read(write(tmp_path, 'query,item,system,score\nq,a,A,"0,5"\n'))


def test_engines_read_them_alike(tmp_path: Path) -> None:
    path = write(tmp_path, "query;item;system;score\nq;a;A;0,5\nq;b;A;10,5\nq;c;A;2\n")
    truth = write(tmp_path, "query,item,relevant\nq,b,1\nq,a,0\nq,c,0\n", "truth.csv")
    for engine in ("memory", "duckdb"):
        verdict = cs.rank_tables(path, truth=truth, engine=engine, measures=["P@1"])
        assert verdict.standings[0].scores["P@1"].value == 1
    made = tmp_path / "votes.parquet"
    assert consilience("convert", path, made).code == 0
    assert sorted(listed(cs.read(made).answers.score)) == [0.5, 2, 10.5]
