from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.cli.command import consilience

SUBJECTS = "query,subject,item,relevance\nq1,Ann,a,1\nq1,Ann,b,0.8\nq1,Ann,c,0.5\nq1,Ann,d,0.2\n"
BARE = "query,subject,item\nq1,Ann,c\nq1,Ann,b\nq1,Bob,b\nq1,Cy,a\n"
RUN = "query,item,rank\nq1,b,1\nq1,x,2\nq1,a,3\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "subjects.csv").write_text(SUBJECTS)
    (tmp_path / "run.csv").write_text(RUN)
    (tmp_path / "other.run").write_text("q1 Q0 a 1 4.0 o\nq1 Q0 b 2 3.0 o\nq1 Q0 c 3 2.0 o\n")
    return tmp_path


def test_the_contract(place: Path):
    # a: 1·2, b: .8·1; c and d missing: at best .5·1 + .2·1, with 50 items .7·50
    asked = ["displacement", "--subjects", "subjects.csv", "run.csv", "--collection", "50"]
    made = consilience(*asked, "--json", cwd=place).json()
    (one,) = made["subjects"]
    assert (one["name"], one["system"], one["query"]) == ("Ann", "run", "q1")
    assert one["w"] == one["w_optimist"] == pytest.approx(3.5)
    assert one["w_pessimist"] == pytest.approx(37.8)
    assert one["quality"] == pytest.approx(1 / 4.5)
    assert made["aggregate"]["run"]["quality"] == pytest.approx(1 / 4.5)
    assert (made["verb"], made["seed"]) == ("displacement", 0)
    exponential = consilience(*asked, "--quality", "exponential:lambda=0.1", "--json", cwd=place)
    assert exponential.json()["subjects"][0]["quality"] == pytest.approx(2.718281828**-0.35)
    pessimist = consilience(*asked, "--hypothesis", "pessimist", "--json", cwd=place).json()
    assert pessimist["subjects"][0]["w"] == pytest.approx(37.8)


def test_trec_runs_and_several_systems(place: Path):
    asked = ["displacement", "--subjects", "subjects.csv", "run.csv", "other.run"]
    made = consilience(*asked, "--json", cwd=place).json()
    assert made["systems"] == ["run", "o"]
    assert made["headline"].startswith("o is nearer to 1 of 1 subject than run")
    text = consilience(*asked, cwd=place)
    assert text.code == 0
    assert text.out.startswith("o is nearer to 1 of 1 subject than run")
    assert "– is undefined. run, o: the size of the collection is not given" in text.out


def test_every_format(place: Path):
    asked = ["displacement", "--subjects", "subjects.csv", "run.csv", "other.run"]
    table = consilience(*asked, "-f", "csv", cwd=place).out
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["system"] for row in rows] == ["run", "o"]
    assert float(rows[0]["w"]) == pytest.approx(3.5)
    assert rows[0]["w_pessimist"] == ""
    assert "Mean quality for each subject" in consilience(*asked, "-f", "md", cwd=place).out
    assert "\\begin{" in consilience(*asked, "-f", "latex", cwd=place).out
    page = consilience(*asked, "-o", "page.html", cwd=place)
    assert page.code == 0
    assert "Who is nearer to whom" in (place / "page.html").read_text()
    assert consilience(*asked, "-o", "rows.parquet", cwd=place).code == 0
    import pyarrow.parquet as pq

    assert pq.read_table(place / "rows.parquet").num_rows == 2
    kept = consilience("export", "latest", "-f", "csv", cwd=place)
    assert kept.out == table


def test_grades_on_another_scale(place: Path):
    (place / "graded.csv").write_text("query,subject,item,grade\nq1,Ann,a,3\nq1,Ann,b,1.5\n")
    asked = ["displacement", "--subjects", "graded.csv", "run.csv"]
    wrong = consilience(*asked, cwd=place)
    assert wrong.code == 2
    assert "graded.csv:2: relevance must be in [0, 1], found 3 (fix: --scale 3" in wrong.err
    made = consilience(*asked, "--scale", "3", "--json", cwd=place).json()
    assert made["subjects"][0]["w"] == pytest.approx(1 * 2 + 0.5 * 1)


def test_a_stored_benchmark(files: Path):
    asked = ["displacement", "--benchmark", "benchmark", "runs/dense.run", "runs/bm25.run"]
    made = consilience(*asked, "--json", cwd=files).json()
    assert made["settings"]["collection"] == 40
    assert (len(made["subjects"]), made["queries"], len(made["people"])) == (42, 4, 6)
    assert made["aggregate"]["dense"]["interval"] is not None
    best = consilience(*asked, "--subject-ties", "best", "--json", cwd=files).json()
    assert best["aggregate"]["dense"]["quality"] >= made["aggregate"]["dense"]["quality"]
    shallow = consilience(*asked, "--depth", "3", "--json", cwd=files).json()
    assert {one["returned"] for one in shallow["subjects"]} == {3}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["run.csv"], "name them with --subjects FILE"),
        (["--subjects", "subjects.csv", "--benchmark", "x", "run.csv"], "not both"),
        (["--subjects", "nowhere.csv", "run.csv"], "nowhere.csv"),
        (["--benchmark", "nowhere", "run.csv"], "there is no such folder"),
        (["--subjects", "subjects.csv", "run.csv", "--quality", "linear"], "unknown quality"),
        (["--subjects", "subjects.csv", "run.csv", "--hypothesis", "o"], "unknown hypothesis"),
        (["--subjects", "subjects.csv", "run.csv", "--ties", "t"], "unknown rule for ties"),
        (["--subjects", "subjects.csv", "run.csv", "--subject-ties", "t"], "subject's ties"),
        (["--subjects", "subjects.csv", "run.csv", "--duplicates", "each"], "possible: error"),
        (["--subjects", "subjects.csv", "run.csv", "--collection", "3"], "too small"),
        (["--subjects", "subjects.csv", "run.csv", "--collection", "0"], "--collection"),
        (["--subjects", "subjects.csv", "run.csv", "--hypothesis", "pessimist"], "--collection N"),
        (["--subjects", "subjects.csv", "strange.csv"], "share no query"),
        (
            ["--subjects", "ranks.csv", "run.csv", "--scale", "3"],
            "ranks.csv: subjects gave no relev",
        ),
        (["--subjects", "bare.csv", "run.csv", "--scale", "3"], "(fix: leave --scale out"),
    ],
)
def test_wrong_usage_is_said_in_one_message(place: Path, options: list[str], message: str):
    (place / "strange.csv").write_text("query,item,rank\nz9,b,1\n")
    (place / "ranks.csv").write_text("query,subject,item,rank\nq1,Ann,a,1\nq1,Ann,b,2\n")
    (place / "bare.csv").write_text(BARE)
    ran = consilience("displacement", *options, cwd=place)
    assert ran.code == 2
    assert message in ran.err
    assert not ran.out


def test_names_alone_stand_in_the_order_of_the_rows_and_that_is_said(place: Path):
    (place / "bare.csv").write_text(BARE)
    asked = ["displacement", "run.csv", "--json", "--subjects"]
    made = consilience(*asked, "bare.csv", cwd=place).json()
    # c is missing and stands at 4; b moved from 2 to 1
    assert made["subjects"][0]["w"] == pytest.approx(3 + 1)
    assert made["notes"][0] == (
        "subjects gave neither relevances nor ranks: their items stand in the order of the rows, "
        "and each weighs 1"
    )
    said = consilience(*asked, "subjects.csv", cwd=place).json()
    assert not [note for note in said["notes"] if "neither" in note]


def test_tables_say_what_brackets_are_and_what_is_at_worst(place: Path):
    (place / "bare.csv").write_text(BARE)
    asked = ["displacement", "--subjects", "bare.csv", "run.csv", "other.run"]
    for form in ("text", "latex", "md"):
        told = " ".join(consilience(*asked, "-f", form, cwd=place).out.replace("\\", "").split())
        assert "in brackets beside a quality: its 95% interval over subjects" in told
        assert "N not given: the quality of a list that is not exact is at worst 0." in told
    assert "first second nearer to first nearer to second alike" in " ".join(
        consilience(*asked, cwd=place).out.split()
    )
    whole = consilience(*asked, "--collection", "9", cwd=place).out
    assert "at worst" not in whole
    one = consilience("displacement", "--subjects", "subjects.csv", "run.csv", cwd=place).out
    assert "in brackets" not in one
