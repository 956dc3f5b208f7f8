from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from consilience.render import render
from tests.cli.command import consilience

FILES = Path(__file__).parents[2] / "docs" / "files"
COLUMNS = ["query", "item", "probability", "round", "label"]
RUN = "{} Q0 {} {} {} {}\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    shutil.copytree(FILES / "labelling", tmp_path / "labelling")
    runs = {"a": "abcdefgh", "b": "badcxyzu", "c": "hgfedcba"}
    for name, items in runs.items():
        lines = [
            RUN.format(query, query + item, rank, 20 - rank, name)
            for query in ("q1", "q2", "q3")
            for rank, item in enumerate(items, start=1)
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path


def rows_of(drawn: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(drawn.read_text(encoding="utf-8"))))


def filled(drawn: Path, relevant: set[str], *, first: int | None = None) -> None:
    """Label a file by the truth, all of it or from the top."""
    rows = rows_of(drawn)
    for row in rows[:first]:
        row["label"] = "1" if row["item"] in relevant else "0"
    with drawn.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


def test_the_contract(place: Path) -> None:
    asked = ["next", "labelling/votes.csv", "--budget", "40"]
    made = consilience(*asked, "--json", cwd=place).json()
    assert made["verb"] == "next"
    assert (made["budget"], made["population"], made["labelled"], made["round"]) == (40, 600, 0, 1)
    assert made["measure"] == "F1(average=micro)"
    assert {*made["rows"][0]} == {"query", "item", "probability", "round"}
    assert made["stop"] is None
    ran = consilience(*asked, "-f", "csv", cwd=place)
    table = list(csv.reader(io.StringIO(ran.out)))
    assert table[0] == COLUMNS
    assert [(row[0], row[1]) for row in table[1:]] == [
        (row["query"], row["item"]) for row in made["rows"]
    ]
    assert {row[4] for row in table[1:]} == {""}


def test_two_rounds_from_end_to_end(place: Path) -> None:
    """Draw, label, draw again: probabilities and rounds come back, and rank reads them."""
    runs = ["a.run", "b.run", "c.run"]
    relevant = {query + item for query in ("q1", "q2", "q3") for item in "abcdx"}
    asked = ["next", *runs, "--budget", "12", "-m", "P@5"]
    ran = consilience(*asked, "-o", "labels.csv", cwd=place)
    assert (ran.code, ran.out) == (0, "")
    filled(place / "labels.csv", relevant)
    second = consilience(*asked, "--truth", "labels.csv", "-o", "more.csv", cwd=place)
    assert second.code == 0, second.err
    before, after = rows_of(place / "labels.csv"), rows_of(place / "more.csv")
    assert {row["round"] for row in before} == {"1"}
    assert {row["round"] for row in after} == {"2"}
    assert not {row["item"] for row in before} & {row["item"] for row in after}
    filled(place / "more.csv", relevant, first=len(after) - 2)
    both = ["--truth", "labels.csv", "--truth", "more.csv"]
    ranked = consilience("rank", *runs, *both, "-m", "P@5", "--delta", "0.05", "--json", cwd=place)
    design = ranked.json()["design"]
    assert (design["rounds"], design["drawn"]) == (2, len(before) + len(after))
    assert design["labels"] == len(before) + len(after) - 2
    third = consilience(*asked, *both, "--json", cwd=place).json()
    assert third["round"] == 3
    assert third["labelled"] == len(before) + len(after) - 2
    waiting = {row["item"] for row in after[-2:]}
    assert not waiting & {row["item"] for row in third["rows"]}
    assert any("2 items were drawn before and still without a label" in n for n in third["notes"])
    assert third["stop"]["looks"] == 2


def test_every_format_and_export(place: Path) -> None:
    asked = ["next", "labelling/votes.csv", "--truth", "labelling/labels-1.csv", "--budget", "20"]
    tasks = json.loads(consilience(*asked, "-f", "label-studio", cwd=place).out)
    assert {*tasks[0]["data"]} == {"query", "item", "probability", "round"}
    assert consilience(*asked, "-o", "labels.parquet", cwd=place).code == 0
    payload = consilience("export", "latest", "-f", "json", cwd=place).json()
    for fmt in ("text", "csv", "md", "latex", "html", "label-studio", "argilla", "queue"):
        assert render(payload, fmt)
    records = json.loads(render(payload, "argilla"))
    assert {*records[0]["metadata"]} == {"probability", "round"}
    queue = json.loads(render(payload, "queue"))
    assert [row["order"] for row in queue["tasks"]] == list(range(1, len(queue["tasks"]) + 1))
    text = consilience(*asked, cwd=place).out
    assert text.startswith("Label these ")
    assert "Not settled at 95 % for δ = 0.02 after 41 of 600 labels" in text


def test_options_reach_the_result(place: Path) -> None:
    votes = ["next", "labelling/votes.csv", "--budget", "30", "--json"]
    made = consilience(
        *(*votes, "-m", "R", "--rel", "2", "--delta", "0.05", "--level", "0.9", "--seed", "4"),
        *("--families", "labelling/families.csv", "--truth", "labelling/labels-1.csv"),
        cwd=place,
    ).json()
    assert made["measure"] == "R(rel=2)"
    assert (made["delta"], made["level"], made["seed"]) == (0.05, 0.9, 4)
    assert (made["stop"]["delta"], made["stop"]["level"]) == (0.05, 0.9)
    assert any("R(rel=2) divides query by query" in note for note in made["notes"])
    one = consilience(*votes, "--proxy", "wolf-good", cwd=place).json()
    assert one["prediction"]["from"] == "wolf-good"
    asked = ["next", "a.run", "b.run", "c.run", "--budget", "5", "--json"]
    cut = consilience(*asked, "--depth", "3", "--ties", "rank", cwd=place).json()
    assert (cut["settings"]["depth"], cut["measure"]) == (3, "P@10")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "Missing option '--budget'"),
        (["--budget", "0"], "the budget must be a whole number from 1, found '0'"),
        (["--budget", "5", "-m", "nDCG@10"], "cannot be estimated from few labels"),
        (["--budget", "5", "--ties", "none"], "unknown rule for ties 'none'"),
        (["--budget", "5", "--proxy", "nobody"], "unknown proxy 'nobody'"),
        (["--budget", "5", "--families", "no.csv"], "no.csv"),
        (["--budget", "5", "-f", "qrels"], "qrels is a format for the result of belief"),
    ],
)
def test_what_is_wrong_is_said(place: Path, args: list[str], said: str) -> None:
    ran = consilience("next", "labelling/votes.csv", *args, cwd=place)
    assert ran.code == 2, ran.err
    assert said in ran.err
    assert not ran.out


def test_an_unlabelled_round_comes_first(place: Path) -> None:
    asked = ["next", "labelling/votes.csv", "--budget", "10"]
    consilience(*asked, "-o", "labels.csv", cwd=place)
    ran = consilience(*asked, "--truth", "labels.csv", cwd=place)
    assert ran.code == 2
    assert "round 1 was drawn and none of its items has a label yet (fix: label some" in ran.err
