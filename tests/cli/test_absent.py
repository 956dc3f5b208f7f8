"""The command line without truth, as a user would try it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from consilience.examples import example
from tests.cli.command import consilience

TABLE_3 = "item,S1,S2,S3\nd1,+,+,+\nd2,+,+,+\nd3,-,+,-\nd4,+,-,-\nd5,+,-,-\nd6,-,-,+\nd7,-,-,-\n"


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(TABLE_3)
    return path


def test_table_3_to_the_digit(votes: Path) -> None:
    measures = ["-m", "P", "-m", "R", "-m", "F1"]
    ran = consilience(
        "rank", votes, "--belief", "consensus", *measures, "--virtual", "--json", "--no-save"
    )
    assert ran.code == 0
    result = ran.json()
    found = {
        system["name"]: [round(system["scores"][m]["value"], 6) for m in ("P", "R")]
        for system in result["systems"]
    }
    assert found == {
        "S1": [0.6, 0.705882],
        "S2": [0.666667, 0.588235],
        "S3": [0.666667, 0.588235],
    }
    rows = {row["name"]: row["scores"] for row in result["virtual"]}
    assert [round(rows["⊤"][m]["value"], 6) for m in ("P", "R")] == [0.485714, 1.0]
    assert rows["⊥"]["P"]["value"] is None
    assert rows["⊥"]["R"]["value"] == 0.0


def test_table_3_from_trec_runs(tmp_path: Path) -> None:
    for system, items in {"S1": "1245", "S2": "123", "S3": "126"}.items():
        lines = [f"q Q0 d{i} {rank} {9 - rank} {system}" for rank, i in enumerate(items, 1)]
        (tmp_path / f"{system}.run").write_text("\n".join(lines) + "\n")
    options = ["--belief", "consensus", "--universe", "7", "-m", "P", "-m", "R", "--json"]
    result = consilience("rank", ".", *options, "--no-save", cwd=tmp_path).json()
    first = next(one for one in result["systems"] if one["name"] == "S1")
    assert first["scores"]["P"]["value"] == pytest.approx(0.6)
    assert first["scores"]["R"]["value"] == pytest.approx(2.4 / 3.4)


def test_weights_and_an_oracle(votes: Path, tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("item,relevant\nd1,1\nd2,0\nd3,1\nd4,0\nd5,0\nd6,0\nd7,0\n")
    options = ["-m", "P", "-m", "R", "--json", "--no-save"]
    truth = ["--truth", "gold.csv"]
    textbook = consilience("rank", votes, *truth, *options, cwd=tmp_path).json()
    believed = consilience("rank", votes, *truth, "--weights", "gold=1", *options, cwd=tmp_path)
    result = believed.json()
    assert result["belief"]["method"] == "consensus"

    def values(result: dict[str, Any]) -> dict[str, Any]:
        return {
            one["name"]: {m: s["value"] for m, s in one["scores"].items()}
            for one in result["systems"]
        }

    assert values(result) == values(textbook)
    half = consilience("rank", votes, *truth, "--weights", "gold=0.5", *options, cwd=tmp_path)
    assert half.json()["belief"]["details"]["weights"]["S1"] == pytest.approx(0.1)
    assert half.json()["belief"]["details"]["weights"]["⊤"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--belief", "concensus"], "did you mean 'consensus'"),
        (["--weights", "S1:0.5"], "is not a weight"),
        (["--weights", "S1=0.5,S1=0.1"], "two weights"),
        (["--weights", "S7=0.5"], "unknown voter 'S7'"),
        (["--weights", "S1=0.9,S2=0.9"], "add up to 1.8"),
        (["--belief", "ls-eb", "--weights", "S1=0.5"], "--weights are for --belief consensus"),
        (["--belief", "gold", "--evidence", "vote"], "--evidence is for a consensus"),
        (["--evidence", "clam"], "did you mean 'clamp'"),
        (["--leave-out", "sytem"], "did you mean 'system'"),
        (["--families", "nowhere.csv"], "nowhere.csv: cannot be read"),
        (["--belief", "gold"], "there is no truth"),
        (["--belief", "discounted"], "neither scores nor ranks"),
    ],
)
def test_wrong_usage(votes: Path, options: list[str], said: str) -> None:
    ran = consilience("rank", votes, "--no-save", *options)
    assert ran.code == 2
    assert ran.out == ""
    assert said in ran.err


def test_families_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "families.csv").write_text("system,family\nyake-1,y\nyake-2,y\nyake-3,y\n")
    (tmp_path / "families.json").write_text(json.dumps({"y": ["yake-1", "yake-2", "yake-3"]}))
    options = ["-m", "F1", "--belief", "families", "--no-panel", "--json", "--no-save"]

    def ranked(families: str) -> dict[str, Any]:
        given = ["--families", families]
        ran = consilience("rank", example("keyphrases.csv"), *given, *options, cwd=tmp_path)
        result: dict[str, Any] = ran.json()
        return result

    by_csv, by_json = ranked("families.csv"), ranked("families.json")
    declared = {one["name"]: one["members"] for one in by_csv["dependence"]["families"]}
    assert sorted(declared["y"]) == ["yake-1", "yake-2", "yake-3"]
    assert by_csv["systems"] == by_json["systems"]
    assert ranked("auto")["dependence"]["sources_from"] == "learned"
    alone = ranked("none")
    assert alone["dependence"]["sources"] == 8
    assert all(one["family"] is None for one in alone["systems"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("yake-1\n", "families.csv:1: expected a system and its family, found 1 fields"),
        ("yake-1,a\nyake-1,b\n", "families.csv:2: 'yake-1' is of family 'a' above, 'b' here"),
        ("yakke-1,a\n", "unknown system 'yakke-1'; did you mean"),
        ("", "no families here"),
        ('{"a": 3}', "neither a family nor a list"),
        ('{"a": ', "families.csv:1: not JSON"),
    ],
)
def test_bad_families(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "families.csv").write_text(text)
    ran = consilience("rank", example("keyphrases.csv"), "--families", "families.csv", cwd=tmp_path)
    assert ran.code == 2
    assert said in ran.err


def test_runs_without_truth_have_cutoffs_and_a_panel(files: Path) -> None:
    result = consilience("rank", "runs", "--json", "--no-save", cwd=files).json()
    assert result["measures"] == ["nDCG", "P@10", "R@10", "F1@10"]
    assert len(result["cutoffs"][0]["points"]) == 10
    assert {member["name"] for member in result["panel"]["methods"]} >= {"ls-eb", "dawid-skene"}
    assert result["caveat"] == "no ground truth was used: this is agreement"
    bare = consilience(
        "rank", "runs", "--no-panel", "--cutoffs", "0", "--json", "--no-save", cwd=files
    ).json()
    assert bare["panel"] is None
    assert bare["cutoffs"] is None
    assert bare["systems"][0]["scores"]["nDCG"]["bounds"] is None


def test_fail_if_speaks_of_agreement_too(files: Path) -> None:
    ran = consilience("rank", "runs", "--fail-if", "P@10 < 0.99", "--no-save", cwd=files)
    assert ran.code == 3


def test_belief_rows(votes: Path, tmp_path: Path) -> None:
    ran = consilience(
        "belief", votes, "--belief", "consensus", "-f", "csv", "--no-save", cwd=tmp_path
    )
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert list(rows[0]) == ["query", "item", "belief"]
    assert [float(row["belief"]) for row in rows] == pytest.approx(
        [0.8, 0.8, 0.4, 0.4, 0.4, 0.4, 0.2]
    )
    qrels = consilience("belief", votes, "-f", "qrels", "--no-save").out.splitlines()
    assert qrels[0].split() == ["all", "0", "d1", "1"]
    assert qrels[-1].split() == ["all", "0", "d7", "0"]
    told = consilience("belief", votes, "--json", "--no-save").json()
    assert told["caveat"] == "no ground truth was used: this is agreement"
    assert consilience("belief", votes, "-o", "b.parquet", cwd=tmp_path).code == 0
    assert (tmp_path / "b.parquet").stat().st_size > 100
    assert consilience("belief", votes, "-f", "html", "--no-save").code == 2


def test_a_belief_can_be_the_truth_of_another_run(votes: Path, tmp_path: Path) -> None:
    made = tmp_path / "belief.qrels"
    assert consilience("belief", votes, "--belief", "majority", "-o", made, "--no-save").code == 0
    result = consilience("rank", votes, "--truth", made, "-m", "P", "--json", "--no-save").json()
    direct = consilience(
        "rank", votes, "--belief", "majority", "--no-panel", "-m", "P", "--json", "--no-save"
    ).json()
    assert {s["name"]: s["scores"]["P"]["value"] for s in result["systems"]} == pytest.approx(
        {s["name"]: s["scores"]["P"]["value"] for s in direct["systems"]}
    )


def test_demo_absent(tmp_path: Path) -> None:
    ran = consilience("demo", "absent", cwd=tmp_path)
    assert ran.code == 0
    assert "agrees most with the others" in ran.out
    assert "Kendall's τ" in ran.err
    report = (tmp_path / "consilience-demo.html").read_text()
    assert "no ground truth was used" in report


def test_check_shows_dependence_and_the_next_step(files: Path) -> None:
    facts = consilience("check", "runs", "--json", cwd=files).json()
    assert facts["dependence"]["systems"] == ["bm25", "dense", "random"]
    assert facts["next"].startswith("consilience rank")
    assert "agrees most" in facts["can"][0]


def test_categories(tmp_path: Path) -> None:
    rows = ["x,anna,cat", "x,ben,cat", "x,eva,dog", "y,anna,dog", "y,eva,dog"]
    (tmp_path / "crowd.csv").write_text("item,worker,category\n" + "\n".join(rows) + "\n")
    ran = consilience("belief", "crowd.csv", "-f", "csv", "--no-save", cwd=tmp_path)
    found = {
        (row["item"], row["category"]): float(row["belief"])
        for row in csv.DictReader(io.StringIO(ran.out))
    }
    assert found == pytest.approx(
        {("x", "cat"): 2 / 3, ("x", "dog"): 1 / 3, ("y", "cat"): 0, ("y", "dog"): 1}
    )
    skene = consilience("belief", "crowd.csv", "--belief", "dawid-skene", "--json", cwd=tmp_path)
    assert skene.json()["method"] == "dawid-skene"
    wrong = consilience("belief", "crowd.csv", "--belief", "spectral", cwd=tmp_path)
    assert wrong.code == 2
    assert "majority" in wrong.err


def test_a_families_file_serves_more_runs_than_these(tmp_path: Path) -> None:
    rows = ["family;system;note", "y;yake-1;", "y;yake-2;x", "z;somebody-else;"]
    (tmp_path / "families.csv").write_text("\ufeff" + "\n".join(rows) + "\n")
    options = ["--families", "families.csv", "-m", "F1", "--no-panel", "--json", "--no-save"]
    result = consilience("rank", example("keyphrases.csv"), *options, cwd=tmp_path).json()
    families = {one["name"]: one["members"] for one in result["dependence"]["families"]}
    assert sorted(families["y"]) == ["yake-1", "yake-2"]
    assert any("1 of 3 names are not among the systems" in note for note in result["notes"])


def test_hidden_engines_need_families(votes: Path) -> None:
    ran = consilience("rank", votes, "--belief", "hds", "--no-save")
    assert ran.code == 2
    assert "--families" in ran.err
    options = ["--belief", "hds", "--families", "auto", "--no-panel", "--json", "--no-save"]
    assert consilience("rank", votes, *options).json()["belief"]["method"] == "hds"


def test_rows_of_beliefs_come_with_a_note(votes: Path) -> None:
    ran = consilience("belief", votes, "-f", "csv", "--no-save")
    assert ran.err.strip() == "note: no ground truth was used: this is agreement"
    failed = consilience("rank", votes, "--fail-if", "F1 < 0.9", "--no-save")
    assert failed.code == 3
    assert "note: no ground truth was used" in failed.err


def test_mentions_of_a_multiset(tmp_path: Path) -> None:
    for name, words in {"a": "the cat the", "b": "the cat", "c": "the the dog"}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(words.split()) + "\n")
    each = ("--answers", "lines", "--duplicates", "each")
    ran = consilience("belief", ".", *each, "-f", "csv", cwd=tmp_path)
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    found = {(row["item"], row["mention"]) for row in rows}
    assert found == {("the", "1"), ("the", "2"), ("cat", "1"), ("dog", "1")}
    refused = consilience("belief", ".", *each, "-f", "qrels", cwd=tmp_path)
    assert refused.code == 2


def test_truth_leaves_no_own_vote(files: Path) -> None:
    ran = consilience("rank", "runs", "--truth", "qrels.txt", "--leave-out", "system", cwd=files)
    assert ran.code == 2
    assert "drop --leave-out" in ran.err
    told = consilience("rank", "runs", "--truth", "qrels.txt", "--no-save", cwd=files)
    assert "own vote" not in told.out


def test_a_single_judge_may_be_called_oracle(votes: Path, tmp_path: Path) -> None:
    (tmp_path / "anna.csv").write_text("item,relevant\nd1,1\nd2,0\n")
    options = ["--truth", "anna.csv", "--weights", "S1=0.3,oracle=0.7", "--json", "--no-save"]
    result = consilience("rank", votes, *options, cwd=tmp_path).json()
    assert result["belief"]["details"]["weights"]["anna"] == pytest.approx(0.7)
