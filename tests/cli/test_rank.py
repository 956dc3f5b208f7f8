from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.cli.command import consilience

SCORE_KEYS = {"value", "interval", "bounds", "undefined"}


def test_the_contract_of_rank_json(files: Path) -> None:
    ran = consilience("rank", "runs", "--truth", "qrels.txt", "--json", cwd=files)
    assert ran.code == 0
    result = ran.json()
    assert {
        *("condition", "belief", "measure", "systems", "ties", "settled"),
        *("verdict", "notes", "seed", "id", "input_hash", "version"),
    } <= result.keys()
    assert {"method", "effective_respondents", "assumes"} <= result["belief"].keys()
    for system in result["systems"]:
        assert {"name", "rank", "rank_interval", "p_best", "scores"} <= system.keys()
        for score in system["scores"].values():
            assert score.keys() >= SCORE_KEYS
            assert (score["interval"] is None) == (score["interval_withheld"] is not None)
            low, high = score["interval"] or score["given"]["interval"]
            assert low <= score["value"] <= high
            worst, best = score["bounds"]  # most of what was returned was not judged
            assert 0 <= worst <= low < high <= best <= 1
    assert [system["rank"] for system in result["systems"]] == [1, 2, 3]
    assert sum(system["p_best"] for system in result["systems"]) == pytest.approx(1)


def test_the_first_measure_ranks_and_names_print_as_they_parse(files: Path) -> None:
    asked = ["-m", "map", "-m", "ndcg_cut_10", "-m", "F1"]
    result = consilience("rank", "runs", "--truth", "qrels.txt", *asked, "--json", cwd=files).json()
    assert result["measure"] == "AP"
    assert result["measures"] == ["AP", "nDCG@10", "F1"]


def test_the_same_seed_gives_the_same_result_and_id(files: Path) -> None:
    def run(seed: str) -> dict[str, object]:
        ran = consilience(
            "rank", "runs", "--truth", "qrels.txt", "--seed", seed, "--json", cwd=files
        )
        result: dict[str, object] = ran.json()
        del result["created"]
        return result

    assert run("7") == run("7")
    assert run("7")["id"] != run("8")["id"]


def test_a_wide_table_with_gold_needs_no_truth_file(files: Path) -> None:
    result = consilience(
        "rank", "votes.csv", "-m", "F1", "-m", "P", "-m", "R", "--json", cwd=files
    ).json()
    first = result["systems"][0]
    assert first["name"] == "S1"
    assert first["scores"]["P"]["value"] == pytest.approx(3 / 4)
    assert first["scores"]["R"]["value"] == pytest.approx(1)
    assert first["p_best"] is None  # one query says nothing about others
    assert not result["settled"]
    assert "add queries" in result["verdict"]


@pytest.mark.parametrize(
    ("condition", "code"),
    [
        ("nDCG@10 < 0.9", 3),
        ("nDCG@10 < 0.1", 0),
        ("dense: AP >= 0.6", 3),
        ("dense: AP >= 0.7", 0),
        ("P@3 < 0.99", 3),
        ("P(rel=2)@10 < 0.5", 3),
        ("dense: nDCG(gain=exponential)@10 >= 0.99", 0),
    ],
)
def test_fail_if(files: Path, condition: str, code: int) -> None:
    ran = consilience(
        "rank",
        "runs/dense.run",
        "--truth",
        "qrels.txt",
        "--fail-if",
        condition,
        "--json",
        cwd=files,
    )
    assert ran.code == code
    assert ran.json()["systems"]  # the result is printed either way
    assert ("failed: dense" in ran.err) == (code == 3)


def test_an_undefined_score_meets_every_condition(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q Q0 d 1 1.0 s\n")
    (tmp_path / "qrels").write_text("q 0 d 0\n")
    ran = consilience("rank", "run", "--truth", "qrels", "--fail-if", "AP < 0", cwd=tmp_path)
    assert ran.code == 3
    assert "undefined" in ran.err


def test_formats(files: Path, tmp_path: Path) -> None:
    asked = ["rank", "runs", "--truth", "qrels.txt", "-m", "AP"]
    rows = list(csv.DictReader(io.StringIO(consilience(*asked, "-f", "csv", cwd=files).out)))
    assert [row["system"] for row in rows] == ["dense", "bm25", "random"]
    assert r"\toprule" in consilience(*asked, "-f", "latex", cwd=files).out
    assert consilience(*asked, "-f", "md", cwd=files).out.count("|") > 10
    report = tmp_path / "report.html"
    ran = consilience(*asked, "-o", report, cwd=files)
    assert ran.code == 0
    assert ran.out == ""
    assert report.stat().st_size < 1_000_000
    assert "dense" in report.read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_depth_cuts_lists(files: Path) -> None:
    asked = ["rank", "runs/dense.run", "--truth", "qrels.txt", "--json"]
    cut = consilience(*asked, "--depth", "5", "-m", "P", cwd=files).json()
    at_five = consilience(*asked, "-m", "P@5", cwd=files).json()
    value = cut["systems"][0]["scores"]["P"]["value"]
    assert value == at_five["systems"][0]["scores"]["P@5"]["value"]


def test_a_threshold_for_all_measures(files: Path) -> None:
    asked = ["rank", "runs", "--truth", "qrels.txt", "--json", "-m", "P@5", "-m", "nDCG"]
    result = consilience(*asked, "--rel", "2", cwd=files).json()
    assert result["measures"] == ["P(rel=2)@5", "nDCG"]
    strict = result["systems"][0]["scores"]["P(rel=2)@5"]["value"]
    assert strict < consilience(*asked, cwd=files).json()["systems"][0]["scores"]["P@5"]["value"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-m", "nDGC@10"], "did you mean 'nDCG'?"),
        (["-m", "P@x"], "cutoff"),
        (["--ties", "randomly"], "possible: trec, rank, order, best, worst"),
        (["--convention", "trec"], "did you mean 'trec_eval'?"),
        (["--duplicates", "drop"], "possible: error, first, last, each"),
        (["--universe", "3"], "too small"),
        (["--level", "95"], "between 0 and 1"),
        (["--columns", "query"], "ROLE=NAME"),
        (["--belief", "golden"], "did you mean 'gold'?"),
        (["-f", "latx"], "did you mean 'latex'?"),
        (["--json", "-f", "csv"], "contradict"),
        (["-o", "report.xyz"], "ending"),
        (["--fail-if", "F1 is low"], "not a condition"),
        (["--fail-if", "nobody: AP < 1"], "unknown system 'nobody'"),
        (["--truth", "qrel.txt"], "did you mean qrels.txt?"),
        (["--nonsense"], "No such option"),
        (["--fail-if", "P@10 < nan"], "'nan' is not a number"),
        (["--seed", "-1"], "seed must be a whole number"),
        (["-m", "Judged@99999999999999999999999"], "cutoff"),
        (["-m", "P@" + "9" * 5000], "cutoff"),
        (["-m", "F(beta=1e200)"], "beta must be a number"),
        (["-m", "F_1"], "F1@10"),
        (["--universe", "9" * 5000], "whole number or pool"),
        (["--columns", "query=a", "--columns", "query=b"], "twice"),
        (["--depth", "0"], "at least 1"),
    ],
)
def test_wrong_usage_says_what_to_do(files: Path, options: list[str], said: str) -> None:
    ran = consilience("rank", "runs", "--truth", "qrels.txt", *options, cwd=files)
    assert ran.code == 2
    assert said in ran.err


def test_no_truth_is_said(files: Path) -> None:
    ran = consilience("rank", "runs", "--belief", "gold", cwd=files)
    assert ran.code == 2
    assert "--truth" in ran.err


def test_an_output_that_cannot_be_written_fails_and_leaves_nothing(
    files: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine")
    ran = consilience(
        "rank", "runs", "--truth", "qrels.txt", "-o", tmp_path / "file" / "r.json", cwd=files
    )
    assert ran.code == 1
    assert "cannot be written" in ran.err
    assert (tmp_path / "file").read_text() == "mine"


def test_a_system_is_named_before_anything_is_computed(files: Path) -> None:
    ran = consilience("rank", "runs", "--truth", "qrels.txt", "--fail-if", "x: AP < 1", cwd=files)
    assert ran.code == 2
    assert ran.out == ""


def test_names_with_colons_can_be_meant(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q Q0 d 1 1.0 a:b\n")
    (tmp_path / "qrels").write_text("q 0 d 1\n")
    ran = consilience("rank", "run", "--truth", "qrels", "--fail-if", "a:b: AP < 2", cwd=tmp_path)
    assert ran.code == 3


def test_a_result_says_its_settings(files: Path) -> None:
    asked = ["rank", "runs", "--truth", "qrels.txt", "--json", "--convention", "trec_eval"]
    asked += ["--ties", "best", "--depth", "5", "--universe", "1000"]
    settings = consilience(*asked, cwd=files).json()["settings"]
    assert settings["ties"] == "best"
    assert settings["convention"] == "trec_eval"
    assert settings["depth"] == 5
    assert settings["universe"] == 1000


def test_a_threshold_said_in_the_name_stays(files: Path) -> None:
    asked = ["rank", "runs", "--truth", "qrels.txt", "--json", "--rel", "2"]
    result = consilience(*asked, "-m", "P(rel=1)@10", "-m", "P@10", cwd=files).json()
    assert result["measures"] == ["P@10", "P(rel=2)@10"]


def test_tie_groups_of_many_systems(tmp_path: Path) -> None:
    # the i-th system finds the one relevant item at place i: all can be told apart but twins
    places = [1, 2, 2, *range(4, 66)]
    for number, place in enumerate(places):
        rows = [
            f"q{query} Q0 {'hit' if at == place else f'd{at}'} {at} {100 - at} s{number:02d}"
            for query in range(30)
            for at in range(1, 70)
        ]
        (tmp_path / f"s{number:02d}.run").write_text("\n".join(rows) + "\n")
    (tmp_path / "qrels").write_text("".join(f"q{query} 0 hit 1\n" for query in range(30)))
    runs = sorted(str(path) for path in tmp_path.glob("*.run"))
    ran = consilience("rank", *runs, "--truth", tmp_path / "qrels", "-m", "RR", "--json")
    assert ran.json()["ties"] == [["s01", "s02"]]


@pytest.mark.parametrize("verb", ["rank", "curve"])
def test_truth_for_other_queries_is_refused(verb: str, tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q1 Q0 d 1 1.0 a\n")
    (tmp_path / "qrels").write_text("z1 0 d 1\n")
    ran = consilience(verb, "run", "--truth", "qrels", cwd=tmp_path)
    assert ran.code == 2
    assert "share no query: answers have 'q1'; truth has 'z1'" in ran.err
