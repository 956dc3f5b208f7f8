"""``correlate`` on the command line: two rankings, runs with truth, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import click
import pytest

from consilience.cli import group
from consilience.errors import UsageError
from tests.cli.command import consilience


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "truth.csv").write_text("system,AP,P\na,0.5,0.1\nb,0.4,0.3\nc,0.3,0.2\nx,0.2,0\n")
    (tmp_path / "guess.tsv").write_text("model\tscore\na\t2\nb\t3\nc\t1\ny\t9\n")
    (tmp_path / "places.jsonl").write_text(
        "".join(json.dumps({"run": run, "rank": i}) + "\n" for i, run in enumerate("cba", start=1))
    )
    return tmp_path


def test_two_rankings(place: Path) -> None:
    asked = ["correlate", "truth.csv", "guess.tsv", "-m", "AP"]
    made = consilience(*asked, "--json", cwd=place).json()
    (one,) = made["rankings"]
    assert (made["reference"]["name"], one["name"], one["systems"]) == ("truth", "guess", 3)
    assert one["tau_b"] == pytest.approx(1 / 3)
    assert one["regret"] == pytest.approx(0.1)
    assert made["notes"][:2] == [
        "1 system only in truth, not in guess, left out: x",
        "1 system only in guess, not in truth, left out: y",
    ]
    text = consilience(*asked, cwd=place)
    assert (text.code, text.err) == (0, "")
    assert text.out.startswith("τ_b = 0.33 between truth and guess (3 systems); they put different")
    other = consilience(
        "correlate", "truth.csv", "guess.tsv", "-m", "P", "--json", cwd=place
    ).json()
    assert other["rankings"][0]["regret"] == 0


def test_several_rankings_and_every_format(place: Path) -> None:
    asked = ["correlate", "truth.csv", "guess.tsv", "places.jsonl", "--columns", "score=AP"]
    wrong = consilience(*asked, cwd=place)
    assert wrong.code == 2
    assert "unknown column (mapped to score) 'AP'; possible: model, score" in wrong.err
    asked = ["correlate", "truth.csv", "guess.tsv", "places.jsonl", "--measure", "AP"]
    table = consilience(*asked, "-f", "csv", cwd=place).out
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["ranking"] for row in rows] == ["guess", "places"]
    assert [row["tau_b"] for row in rows] == ["0.3333333333333333", "-1.0"]
    assert rows[0]["tau_b_low"] == rows[0]["undefined"] == ""
    assert "Agreement with the ranking by truth" in consilience(*asked, "-f", "md", cwd=place).out
    assert "\\begin{" in consilience(*asked, "-f", "latex", cwd=place).out
    done = consilience(*asked, "-o", "report.html", cwd=place)
    assert done.code == 0
    assert "</html>" in (place / "report.html").read_text()
    stored = consilience("export", "latest", "--json", cwd=place).json()
    assert stored["verb"] == "correlate"


def test_stored_results_by_their_id(files: Path, tmp_path: Path) -> None:
    truth = consilience("rank", files / "runs", "--truth", files / "qrels.txt", "--json").json()
    other = consilience("rank", files / "runs", "--json")
    (tmp_path / "other.json").write_text(other.out)
    made = consilience("correlate", truth["id"], tmp_path / "other.json", "--json").json()
    assert made["reference"] == {
        "name": truth["id"],
        "measure": "AP",
        "by": "scores",
        "systems": 3,
    }
    assert made["rankings"][0]["measure"] == "nDCG"
    both = consilience("correlate", truth["id"], tmp_path / "other.json", "-m", "P@10", "--json")
    assert both.json()["rankings"][0]["measure"] == "P@10"
    none = consilience("correlate", truth["id"], tmp_path / "other.json", "-m", "AP")
    assert none.code == 2
    assert "other: unknown measure 'AP'" in none.err


def test_runs_and_their_truth(files: Path) -> None:
    asked = ["correlate", str(files / "runs"), "--truth", str(files / "qrels.txt")]
    asked += ["--samples", "100"]
    made = consilience(*asked, "--json", "--seed", "3", "--level", "0.9").json()
    names = [one["name"] for one in made["rankings"]]
    assert names == ["ls-eb", "families", "discounted", "dawid-skene", "spectral"]
    assert made["resampling"]["n"] == 12
    assert (made["resampling"]["samples"], made["seed"], made["level"]) == (100, 3, 0.9)
    assert made["rankings"][0]["caveat"] == "no ground truth was used: this is agreement"
    few = consilience(*asked, "--belief", "majority", "--measure", "P@5", "--rel", "2", "--json")
    assert few.json()["reference"]["measure"] == "P(rel=2)@5"
    assert [one["name"] for one in few.json()["rankings"]] == ["majority"]


def test_a_file_that_holds_its_truth_needs_no_second(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    rows = ["item,a,b,c,gold"] + [f"d{n},{n % 2},{n % 3 > 0:d},1,{n % 2}" for n in range(12)]
    path.write_text("\n".join(rows) + "\n")
    made = consilience("correlate", path, "--belief", "majority", "--json").json()
    assert made["reference"] == {"name": "truth", "measure": "F1", "by": "scores", "systems": 3}
    assert "no intervals: 1 queries say nothing about other queries" in made["notes"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["truth.csv", "-m", "AP"], "there is one ranking and nothing to compare it with (fix: "),
        (["nothing"], "there is one ranking and nothing to compare it with (fix: name a second"),
        (["truth.csv", "guess.tsv"], "truth.csv:1: several columns may be the score: AP, P (fix: "),
        (["truth.csv", "none.csv", "-m", "AP"], "none.csv"),
        (["truth.csv", "none", "-m", "AP"], "'none' is neither a file nor a stored result: "),
        (["truth.csv", "guess.tsv", "-m", "AP", "--top", "0"], "0 is not in the range x>=1"),
        (["truth.csv", "guess.tsv", "-m", "AP", "--rbo-p", "2"], "RBO's p lies between 0 and 1"),
        (
            ["truth.csv", "guess.tsv", "-m", "AP", "--belief", "ls-eb"],
            "--belief is for runs and their truth, and these are rankings (fix: leave out --belief",
        ),
        (["truth.csv", "guess.tsv", "--seed", "3"], "--seed is for runs and their truth"),
        (["truth.csv", "guess.tsv", "--columns", "query=a"], "unknown role 'query'; possible: sys"),
    ],
)
def test_what_makes_no_sense_is_refused(
    place: Path, options: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    with pytest.raises((UsageError, click.UsageError), match=re.escape(message)):
        group.main(["correlate", *options], standalone_mode=False)


def test_runs_are_no_rankings(files: Path) -> None:
    ran = consilience("correlate", files / "runs" / "bm25.run", files / "runs" / "dense.run")
    assert ran.code == 2
    assert "this is a TREC run, not a ranking of systems (fix: " in ran.err
    ran = consilience("correlate", files / "runs")
    assert ran.code == 2
    assert "there is no truth to compare with (fix: name a file with --truth" in ran.err
