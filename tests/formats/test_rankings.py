"""Rankings of systems in files: every form, told by names or by what columns hold; clear errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from consilience.errors import UsageError
from consilience.formats.rankings import Listed, read_ranking

EXPECTED = {"a": 0.5, "b": 0.25, "c": 0.75}
FORMS = {
    "plain.csv": "system,score\na,0.5\nb,0.25\nc,0.75\n",
    "tabs.tsv": "run\tvalue\na\t0.5\nb\t0.25\nc\t0.75\n",
    "semicolons.csv": "Model;Mean\na;0.5\nb;0.25\nc;0.75\n",
    "own-names.csv": "who,how good\na,0.5\nb,0.25\nc,0.75\n",
    "rows.jsonl": '{"system": "a", "score": 0.5}\n{"system": "b", "score": 0.25}\n'
    '{"system": "c", "score": 0.75}\n',
    "array.json": '[{"system": "a", "score": 0.5}, {"system": "b", "score": 0.25},\n'
    ' {"system": "c", "score": 0.75}]',
    "object.json": '{"a": 0.5, "b": 0.25, "c": 0.75}',
    "lines.json": '{\n "a": 0.5,\n "b": 0.25,\n "c": 0.75\n}\n',
    "many.csv": "system,measure,value\na,AP,0.5\na,P,1\nb,AP,0.25\nc,AP,0.75\nb,P,1\n",
    "beside.csv": "system,rank,score,note\na,2,0.5,x\nb,3,0.25,y\nc,1,0.75,z\n",
}


def listed(path: Path, **options: Any) -> Listed:
    found = read_ranking(path, **options)
    assert isinstance(found, Listed)
    return found


@pytest.mark.parametrize("name", FORMS)
def test_every_form_says_the_same(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FORMS[name])
    found = listed(tmp_path / name)
    assert found.scores == EXPECTED
    assert not found.ranks
    assert found.source.rows == 3
    assert found.source.recognised.endswith("a ranking")


def test_parquet_and_gzip_are_read(tmp_path: Path) -> None:
    frame = pd.DataFrame({"system": list("abc"), "score": [0.5, 0.25, 0.75]})
    frame.to_parquet(tmp_path / "r.parquet")
    frame.to_csv(tmp_path / "r.csv.gz", index=False)
    assert listed(tmp_path / "r.parquet").scores == listed(tmp_path / "r.csv.gz").scores == EXPECTED


def test_ranks_are_turned_round(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("team,position\na,2\nb,3.5\nc,1\n")
    found = listed(path)
    assert found.ranks
    assert found.scores == {"a": -2, "b": -3.5, "c": -1}
    assert found.measure is None


def test_where_scores_are_withheld_ranks_count(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("system,rank,measure,value\na,2,nDCG,\nb,1,nDCG,\n")
    found = listed(path)
    assert found.ranks
    assert found.scores == {"a": -2, "b": -1}


def test_a_measure_is_a_column_or_rows_of_its_name(tmp_path: Path) -> None:
    wide, long = tmp_path / "wide.csv", tmp_path / "long.csv"
    wide.write_text("system,AP,nDCG@10\na,0.5,0.6\nb,0.4,0.7\n")
    long.write_text("system,metric,value\na,AP,0.5\na,nDCG@10,0.6\nb,AP,0.4\nb,nDCG@10,0.7\n")
    for path in (wide, long):
        found = listed(path, measure="ndcg@10")
        assert (found.scores, found.measure) == ({"a": 0.6, "b": 0.7}, "nDCG@10")
    with pytest.raises(UsageError, match=r"long.csv: unknown measure 'Z'; possible: AP, nDCG@10"):
        read_ranking(long, measure="Z")
    with pytest.raises(UsageError, match=r"several columns may be the score: AP, nDCG@10 \(fix: "):
        read_ranking(wide)
    assert listed(wide, columns={"score": "AP"}).scores == {"a": 0.5, "b": 0.4}
    assert listed(wide, columns={"rank": "AP"}).scores == {"a": -0.5, "b": -0.4}


def test_a_measure_that_a_plain_table_does_not_have_is_for_another_ranking(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("system,score\na,0.5\n")
    assert listed(path, measure="AP").scores == {"a": 0.5}


def test_an_empty_score_is_none(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("system,score\na,0.5\nb,\n")
    assert np.isnan(listed(path).scores["b"])
    (tmp_path / "r.json").write_text('{"a": 0.5, "b": null}')
    assert np.isnan(listed(tmp_path / "r.json").scores["b"])


def test_a_stored_result_is_given_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"verb": "rank", "systems": []}, indent=1))
    assert read_ranking(path) == {"verb": "rank", "systems": []}


WRONG = {
    "twice.csv": ("system,score\na,1\nb,2\na,3\n", r"twice.csv:4: 'a' stands here a second time"),
    "word.csv": ("system,score\na,1\nb,good\n", r"word.csv:3: score must be .*, found 'good'"),
    "bare.csv": ("a,1\nb,2\n", r"bare.csv:1: no header line; the first line is 'a,1' \(fix: begin"),
    "run.txt": (
        "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n",
        r"run.txt:1: this is a TREC run, not a ran",
    ),
    "list.txt": ("alpha\nbeta\n", r"list.txt:1: no table of systems and scores, not a ranking"),
    "words.csv": (
        "system,note\na,x\n",
        r"words.csv:1: no column holds scores or ranks; found 'note",
    ),
    "two.csv": ("x,y,score\na,b,1\nc,d,2\n", r"two.csv:1: no column holds the systems; found 'x'"),
    "empty.csv": (
        "system,score\n",
        r"empty.csv: the table has a header and no rows \(fix: add rows",
    ),
    "deep.json": ('{"a": {"b": 1}}', r"deep.json: the score of 'a' is no number \(fix: write"),
    "none.json": ("{}", r"none.json: the JSON object is empty \(fix: write"),
    "flat.json": ("[1, 2]", r"flat.json: the JSON holds no ranking \(fix: write"),
    "nameless.csv": ("system,score\n,1\n", r"nameless.csv:2: system: the system is empty"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said_with_its_place(name: str, tmp_path: Path) -> None:
    text, message = WRONG[name]
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match=message):
        read_ranking(tmp_path / name)


def test_mappings_and_folders_are_checked(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("system,score\na,1\n")
    (tmp_path / "b.csv").write_text("system,score\na,1\n")
    with pytest.raises(UsageError, match=r"a ranking is one file, found 2 \(fix: .*--truth"):
        read_ranking(tmp_path)
    with pytest.raises(
        UsageError, match=r"unknown role 'query'; possible: system, score, rank, me"
    ):
        read_ranking(tmp_path / "a.csv", columns={"query": "a"})
    with pytest.raises(UsageError, match=r"unknown column \(mapped to score\) 'AP'; possible: "):
        read_ranking(tmp_path / "a.csv", columns={"score": "AP"})
    with pytest.raises(UsageError, match=r"no such file|does not exist|not found"):
        read_ranking(tmp_path / "c.csv")


@pytest.mark.parametrize(
    "name",
    ["WER", "test WER (%)", "loss", "val_loss", "perplexity", "seconds", "latency_ms", "RMSE"],
)
def test_numbers_of_which_less_is_better_are_no_scores(name: str, tmp_path: Path) -> None:
    """The system with the most errors was put first; what the message says to do works."""
    path = tmp_path / "r.csv"
    path.write_text(f"system,{name}\na,0.1\nb,0.4\n")
    said = r"r.csv:1: of '.*' less is better, .*\(fix: .* in a column 'rank'.* call .* 'score'"
    for measure in (None, name):
        with pytest.raises(UsageError, match=said):
            read_ranking(path, measure=measure)
    assert listed(path, columns={"score": name}).scores == {"a": 0.1, "b": 0.4}
    assert listed(path, columns={"rank": name}).scores == {"a": -0.1, "b": -0.4}
    path.write_text("system,rank\na,0.1\nb,0.4\n")
    assert listed(path).scores == {"a": -0.1, "b": -0.4}
    path.write_text(f"system,{name},rank\na,0.1,1\nb,0.4,2\n")
    assert listed(path).scores == {"a": -1, "b": -2}
    path.write_text(f"system,measure,value\na,{name},0.1\nb,{name},0.4\na,AP,0.3\nb,AP,0.2\n")
    with pytest.raises(UsageError, match="less is better"):
        read_ranking(path)
    assert listed(path, measure="AP").scores == {"a": 0.3, "b": 0.2}


@pytest.mark.parametrize(
    "name",
    [
        *("neg_loss", "1-WER", "100-WER", "error_detection_F1", "ERR", "MRR", "map"),
        *("TPR@FPR=1%", "Recall @ FPR=1%", "percentile_rank", "Robustness to errors"),
        *("Working Memory", "New York Times", "1/perplexity", "Fewer errors"),
    ],
)
def test_numbers_of_which_more_is_better_are_scores(name: str, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text(f"system,{name}\na,0.5\nb,0.4\n")
    assert listed(path).scores == {"a": 0.5, "b": 0.4}


def test_a_rank_that_is_asked_for_is_one(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("system,rank,score\na,1,0.5\nb,2,0.4\n")
    assert listed(path, measure="rank").scores == {"a": -1, "b": -2}
