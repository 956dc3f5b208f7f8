from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.command import consilience

GOLD = "cafe\npizza\nhotel\n"
MINE = "cafe\ncoffee\ncaffe\npizza\nplaza\n"
RTTM = "SPEAKER a 1 {} {} <NA> <NA> ann <NA> <NA>\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "gold.txt").write_text(GOLD)
    (tmp_path / "mine.txt").write_text(MINE)
    (tmp_path / "gold.csv").write_text("document,item\na,cafe\na,pizza\nb,hotel\nc,bar\n")
    (tmp_path / "mine.csv").write_text("document,item\na,caffe\na,plaza\nb,motel\nd,x\n")
    (tmp_path / "gold.rttm").write_text(RTTM.format(0, 10))
    (tmp_path / "mine.rttm").write_text(RTTM.format(2, 10))
    return tmp_path


def test_the_contract(place: Path):
    # METHODS: the paper's first example; its cardinalities, and the crisp figures beside them
    asked = ["soft", "gold.txt", "mine.txt", "--variant", "paper", "--json"]
    made = consilience(*asked, cwd=place).json()
    assert made["verb"] == "soft"
    figures = [made[key] for key in ("precision", "recall", "f1")]
    assert figures == pytest.approx([0.900266, 0.826275, 0.861685], abs=1e-6)
    cards = [made["cardinality"][key] for key in ("gold", "predicted", "union", "intersection")]
    assert cards == pytest.approx([2.666667, 2.447499, 2.910766, 2.203401], abs=1e-6)
    assert {entry["item"] for entry in made["counts"]["predicted"]} == {*MINE.split()}
    assert {"gold", "predicted", "similarity"} <= {*made["pairs"][0]}
    assert made["names"] == {"gold": "gold", "predicted": "mine"}
    assert [one["file"] for one in made["inputs"]] == ["gold.txt", "mine.txt"]
    crisp = next(one for one in made["baselines"] if one["name"] == "crisp")
    assert (crisp["precision"], crisp["recall"], crisp["f1"]) == pytest.approx((0.4, 2 / 3, 0.5))
    assert consilience(*asked, cwd=place).json()["id"] == made["id"]


def test_options_reach_the_result(place: Path):
    (place / "accents.txt").write_text("Café\nPIZZA\n", encoding="utf-8")
    asked = ["soft", "gold.txt", "accents.txt", "--json"]
    folded = consilience(*asked, "--unicode", "ascii", "--case", "fold", cwd=place).json()
    assert folded["precision"] == 1
    assert folded["text"] == {"unicode": "ascii", "case": "fold", "space": "collapse"}
    other = consilience(
        *("soft", "gold.txt", "mine.txt", "--similarity", "jaro-winkler", "--floor", "0.6"),
        *("--threshold", "0.9", "--mode", "instances", "--json"),
        cwd=place,
    ).json()
    assert other["similarity"]["name"] == "jaro-winkler"
    assert other["similarity"]["floor"] == 0.6
    assert (other["threshold"], other["mode"]) == (0.9, "instances")


def test_documents_are_joined_by_name_and_what_is_left_is_said(place: Path):
    made = consilience("soft", "gold.csv", "mine.csv", "--json", cwd=place).json()
    assert [one["document"] for one in made["per_document"]] == ["a", "b", "c"]
    last = made["per_document"][2]
    assert (last["predicted"], last["precision"], last["recall"]) == (0, None, 0)
    notes = " ".join(made["notes"])
    assert "1 document has no gold: left out ('d')" in notes
    assert "1 document has no predictions: recall 0, precision undefined ('c')" in notes
    rows = list(
        csv.DictReader(
            io.StringIO(consilience("soft", "gold.csv", "mine.csv", "-f", "csv", cwd=place).out)
        )
    )
    assert [row["document"] for row in rows] == ["a", "b", "c"]
    assert rows[2]["precision"] == ""


def test_every_format_and_export(place: Path):
    asked = ["soft", "gold.txt", "mine.txt"]
    table = consilience(*asked, "-f", "csv", cwd=place).out
    assert table.splitlines()[0] == "side,item,times,count,best,similarity"
    assert "| gold | predicted |" in consilience(*asked, "-f", "md", cwd=place).out
    assert "\\begin{tabular}" in consilience(*asked, "-f", "latex", cwd=place).out
    assert consilience(*asked, "-o", "page.html", cwd=place).code == 0
    assert "A frame marks matched pairs." in (place / "page.html").read_text()
    assert consilience(*asked, "-o", "rows.parquet", cwd=place).code == 0
    import pyarrow.parquet as pq

    assert pq.read_table(place / "rows.parquet").num_rows == 8
    assert consilience("export", "latest", "-f", "csv", cwd=place).out == table


def test_a_pipe_is_read_once(place: Path):
    import subprocess
    import sys

    script = f"{sys.executable} -m consilience soft <(cat gold.txt) <(cat mine.txt) --json"
    done = subprocess.run(
        ["bash", "-c", script], cwd=place, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout)["sizes"] == {"gold": 3, "predicted": 5}


def test_segments_have_measures_of_their_own(place: Path):
    made = consilience("soft", "gold.rttm", "mine.rttm", "--json", cwd=place).json()
    assert (made["of"], made["variant"]) == ("segments", "duration")
    assert made["precision"] == pytest.approx(0.8)
    assert made["recall"] == pytest.approx(0.8)
    collar = consilience("soft", "gold.rttm", "mine.rttm", "--collar", "2", "--json", cwd=place)
    assert collar.json()["recall"] == 1
    items = consilience(
        "soft", "gold.rttm", "mine.rttm", "--similarity", "segments", "--json", cwd=place
    ).json()
    assert (items["of"], items["mode"]) == ("segments", "instances")
    assert consilience("soft", "gold.rttm", "mine.rttm", cwd=place).code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nowhere.txt", "mine.txt"], "nowhere.txt: there is no such file"),
        (["gold.txt", "mine.txt", "--similarity", "levenstein"], "did you mean 'levenshtein'?"),
        (["gold.txt", "mine.txt", "--variant", "papr"], "possible: coverage"),
        (["gold.txt", "mine.txt", "--mode", "things"], "concepts, instances"),
        (["gold.txt", "mine.txt", "--unicode", "latin"], "unknown unicode 'latin'"),
        (["gold.txt", "mine.txt", "--floor", "2"], "floor"),
        (["gold.txt", "mine.txt", "--collar", "1"], "--collar is for segments, and these items"),
        (["gold.txt", "mine.txt", "--iou", "1"], "--iou is for segments and boxes"),
        (["gold.rttm", "mine.rttm", "--case", "fold"], "--case is not for segments"),
        (["gold.rttm", "mine.rttm", "--labels", "x"], "unknown way with labels 'x'"),
        (["gold.rttm", "mine.txt"], "gold holds segments and predicted holds text"),
        (["gold.txt", "both.csv"], "rank PREDICTED --truth GOLD --match soft"),
        (["gold.txt", "mine.csv"], "share no document"),
    ],
)
def test_wrong_usage_is_said_in_one_message(place: Path, options: list[str], message: str):
    (place / "both.csv").write_text("system,item\nA,cafe\nB,pizza\n")
    ran = consilience("soft", *options, cwd=place)
    assert ran.code == 2
    assert message in ran.err
    assert not ran.out


def test_the_demo(place: Path):
    ran = consilience("demo", "inexact", cwd=place)
    assert ran.code == 0
    assert "consilience soft" in ran.err
    assert "0.86" in ran.err
    assert (place / "consilience-demo.html").exists()
    made = consilience("demo", "inexact", "--json", cwd=place).json()
    assert (made["verb"], made["documents"]) == ("soft", 60)


def test_check_names_the_next_command(files: Path):
    asked = ["check", "soft/phrases.csv", "--truth", "soft/phrases-gold.csv"]
    made = consilience(*asked, "--json", cwd=files).json()
    assert made["near"] == {"looked": 18, "exact": 2, "near": 6, "beside": 0}
    assert made["next"] == "consilience soft soft/phrases-gold.csv soft/phrases.csv"
    assert "near misses: of 18 gold items" in consilience(*asked, cwd=files).out


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("soft/predicted.txt --truth soft/gold.txt", "soft soft/gold.txt soft/predicted.txt"),
        ("tracks/planned.gpx tracks/recorded.gpx", "soft tracks/planned.gpx tracks/recorded.gpx"),
        ("boxes/detector.json boxes/truth.json", "soft boxes/truth.json boxes/detector.json"),
        (
            "meeting/gold.rttm meeting/mine.rttm meeting/events.tsv",
            "rank meeting/gold.rttm meeting/mine.rttm meeting/events.tsv --match soft",
        ),
        ("readings/old.txt readings/quick.txt", "align readings/old.txt readings/quick.txt"),
        (
            "readings/old.txt --truth readings/typed.txt",
            "align readings/old.txt --truth readings/typed.txt",
        ),
        (
            "words/otsu.txt words/wolf.txt --answers lines",
            "rank words/otsu.txt words/wolf.txt --answers lines",
        ),
    ],
)
def test_check_sees_shapes_running_text_and_single_near_misses(files: Path, asked: str, told: str):
    made = consilience("check", *asked.split(), "--json", cwd=files).json()
    assert made["next"] == f"consilience {told}"
    if made["of"] != "text" or made["text"]:
        assert made["dependence"] is None


def test_check_knows_segments(place: Path):
    made = consilience("check", "mine.rttm", "--truth", "gold.rttm", "--json", cwd=place).json()
    assert made["of"] == "segments"
    assert made["next"] == "consilience soft gold.rttm mine.rttm"
    assert made["can"] == ["how far segments overlap that are not equal (consilience soft)"]


def test_answers_says_that_lines_are_items(place: Path):
    for name in ("gold", "mine"):
        (place / f"{name}.html").write_text("<p>bar</p>\n" + (place / f"{name}.txt").read_text())
    asked = ["soft", "gold.html", "mine.html", "--json"]
    assert "an HTML page" in consilience(*asked, cwd=place).err
    made = consilience(*asked, "--answers", "lines", cwd=place).json()
    assert {"gold": "<p>bar</p>", "predicted": "<p>bar</p>"}.items() <= made["pairs"][0].items()
    assert "possible: lines" in consilience(*asked, "--answers", "words", cwd=place).err


def test_messages_name_the_option_that_soft_has(place: Path):
    (place / "scored.csv").write_text("item,score\ncafe,0.5\nbar,0.4\n")
    ran = consilience("soft", "scored.csv", "scored.csv", cwd=place)
    assert ran.code == 2
    assert "--columns grade=score, or --columns score=score" in ran.err
    taken = consilience("soft", "scored.csv", "scored.csv", "--columns", "score=score", cwd=place)
    assert taken.code == 0
