"""Kinds of answers that are not compared yet are refused in one sentence, in every verb."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

import consilience as cs
from consilience.errors import KindError
from tests.cli.command import consilience

OUTCOMES = "item,system,score\na,A,1\nb,A,0\na,B,0\nb,B,1\n"
PROBABILITIES = "id,y_true,A,B\n0,0,0.1,0.6\n1,1,0.9,1\n2,1,0.4,0.7\n"
CLASSES = "id,y_true,A,B\n0,2,2,2\n1,8,8,8\n2,0,0,6\n3,1,7,1\n4,6,6,0\n"
WORDS = "id,gold,A,B\n0,two,two,six\n1,six,six,six\n2,ten,two,ten\n3,two,two,two\n"
LONG_CLASSES = "system,item,category\nA,a,cat\nA,b,dog\nB,a,dog\nB,b,dog\n"
SEVERAL = "doc,gold,A,B\n0,a|b,a|b,a\n1,b,b,b\n2,a,c,a\n3,a|b,a|b,a|b\n"
KINDS = {
    "outcomes": (OUTCOMES, "outcomes"),
    "correct": (OUTCOMES.replace("score", "correct"), "outcomes"),
    "measure": (OUTCOMES.replace("score", "ndcg@10"), "outcomes"),
    "repeated": ("model,item,score,run\nA,q,1,1\nA,q,0,2\nB,q,1,1\n", "outcomes"),
    "questions": ("question,model,score\nq,A,1\nq,B,0\n", "outcomes"),
    "tasks": ("model,SciFact,ArguAna\ne5,0.65,0.5\nbge,0.7,0.6\n", "outcomes"),
    "harness": ("doc_id,acc,acc_norm\n0,1,1\n1,0,1\n", "outcomes"),
    "probabilities": (PROBABILITIES, "probabilities"),
    "submission": ("id,target\n0,0.25\n1,0.75\n", "probabilities"),
    "classes": (CLASSES, "classification"),
    "words": (WORDS, "classification"),
    "long": (LONG_CLASSES, "classification"),
    "several labels": (SEVERAL, "classification"),
    "labels of a system": ("id,label\n0,2\n1,0\n2,9\n3,9\n", "classification"),
    "predictions": ("index,prediction\n0,yes\n1,maybe\n2,maybe\n3,maybe\n", "classification"),
    "free text": (
        "item,system,answer\n"
        + "".join(f"q{n},{s},{s} thinks of {n} things\n" for n in range(5) for s in ("Ann", "Ben")),
        "free text",
    ),
    "battles": ("model_a,model_b,winner\nA,B,model_a\nB,A,tie\n", "arena"),
}
VERBS = ("check", "rank", "belief", "distributions", "next --budget 1", "curve")


def listed(values: NDArray[np.float64] | None) -> list[float]:
    """Return the values of a column that must be there."""
    assert values is not None
    return list(values.tolist())


@pytest.fixture
def write(tmp_path: Path):
    """Return a function that writes a file."""

    def write(text: str, name: str = "table.csv") -> Path:
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_in_one_sentence(write, name: str) -> None:
    text, kind = KINDS[name]
    path = write(text)
    for verb in VERBS:
        ran = consilience(*verb.split(), path)
        assert ran.code == 2, verb
        assert kind in ran.err.partition("(fix:")[0], verb
        assert ran.err.count("\n") == 1
    with pytest.raises(cs.InputError, match=kind):
        cs.read(path)
    columns, *rows = [line.split(",") for line in text.splitlines()]
    with pytest.raises(cs.InputError, match=kind):
        cs.study(pd.DataFrame(rows, columns=columns))


@pytest.mark.parametrize("name", ["outcomes", "correct", "repeated", "long", "labels of a system"])
@pytest.mark.parametrize("more", [["-m", "P"], ["-m", "AP"]])
def test_engines_refuse_them(write, name: str, more: list[str]) -> None:
    text, kind = KINDS[name]
    path = write(text)
    for arguments in (["rank", path, "--engine", "duckdb", *more], ["convert", path, "x.parquet"]):
        ran = consilience(*arguments, cwd=path.parent)
        assert (ran.code, ran.err.count("\n")) == (2, 1)
        assert kind in ran.err


def test_lists_as_the_user_says(write) -> None:
    path = write(OUTCOMES)
    assert listed(cs.read(path, answers="lists").answers.score) == [1, 0, 0, 1]
    assert consilience("rank", path, "--answers", "lists", "--engine", "duckdb").code == 0
    named = write(OUTCOMES.replace("score", "correct"), "correct.csv")
    assert listed(cs.read(named, columns={"vote": "correct"}).answers.vote) == [1, 0, 0, 1]
    assert (
        consilience("convert", path, path.with_suffix(".parquet"), "--answers", "lists").code == 0
    )


def test_a_score_beside_a_truth_orders_a_list(write) -> None:
    """AP of A is 1, of B one half: item a is relevant."""
    path, truth = write(OUTCOMES), write("item,relevant\na,1\nb,0\n", "truth.csv")
    for engine in ("memory", "duckdb"):
        verdict = cs.rank_tables(path, truth=truth, engine=engine, measures=["AP"])
        assert [one.scores["AP"].value for one in verdict.standings] == [1, 0.5]
    frame = {"item": list("abab"), "system": list("AABB"), "score": [1, 0, 0, 1]}
    assert cs.study(frame, truth={"item": ["a", "b"], "relevant": [1, 0]}).answers.score is not None


def test_what_is_no_outcome(write) -> None:
    for text in (
        OUTCOMES.replace("score", "vote"),
        "item,system,score\na,A,1\nb,B,2\n",
        "query,item,system,score\nq,a,A,1\nq,a,B,2\n",
        "item,score,relevant\na,1,1\nb,2,0\n",
        "item,annotator,rating\na,Ann,1\na,Ben,0\n",
    ):
        assert cs.read(write(text)).items is not None


def test_outcomes_in_files_of_their_own(write) -> None:
    files = [write("id,score\n0,1\n1,0\n", "a.csv"), write("id,score\n0,0\n1,0\n", "b.csv")]
    for arguments in (["rank"], ["check"], ["rank", "--engine", "duckdb", "-m", "P"]):
        ran = consilience(arguments[0], *files, *arguments[1:])
        assert (ran.code, "outcomes" in ran.err) == (2, True)
    ran = consilience("convert", *files, "x.parquet", cwd=files[0].parent)
    assert (ran.code, "outcomes" in ran.err) == (2, True)
    with pytest.raises(KindError):
        cs.study({"a": {"id": [0, 1], "score": [1, 0]}, "b": {"id": [0, 1], "score": [0, 1]}})
    assert cs.read(files, answers="lists").systems == ("a", "b")
    assert cs.read([files[0], write("id,score\n7,1\n", "c.csv")]).systems == ("a", "c")


def test_blocks_of_a_large_file(write) -> None:
    """Systems follow each other: no block holds two of them."""
    from consilience.engine.convert import convert

    rows = [f"d{item},{system},{item}" for system in "AB" for item in range(40_000)]
    path = write("\n".join(["item,system,score", *rows]) + "\n")
    from consilience.engine.blocks import Input

    small = Input(path, "system", {}, None, None, 1 << 10, 1 << 16, 1 << 10)
    with pytest.raises(cs.InputError, match="outcomes"):
        list(small.blocks())
    assert convert(path, path.with_name("x.parquet"), answers="lists").index.rows == 80_000


def test_probabilities_as_the_user_says(write) -> None:
    path = write(PROBABILITIES)
    study = cs.read(path, answers="votes")
    assert study.answers.vote is not None
    assert "numbers between 0 and 1 count as shares of a vote" in study.sources[0].notes
    without = write(PROBABILITIES.replace("y_true", "year"), "without.csv")
    assert listed(cs.read(without).answers.vote).count(0.4) == 1


def test_probabilities_beside_a_truth_of_its_own(write) -> None:
    path = write("id,A,B\n0,0.1,0.6\n1,0.9,1\n")
    truth = write("id,gold\n0,0\n1,1\n", "truth.csv")
    ran = consilience("rank", path, "--truth", truth)
    assert (ran.code, "probabilities" in ran.err) == (2, True)
    drawn = write("id,label,probability\n0,0,0.5\n1,1,0.5\n", "drawn.csv")
    assert consilience("rank", path, "--truth", drawn).code == 0
    assert consilience("rank", path, "--truth", truth, "--answers", "votes").code == 0


def test_probabilities_of_kaggle(write) -> None:
    """AP by hand: relevant are 1 and 2; A orders 1, 2, 0 and B 1, 0, 2."""
    files = [
        write("id,target\n0,0.1\n1,0.9\n2,0.4\n", "A.csv"),
        write("id,target\n0,0.6\n1,0.9\n2,0.4\n", "B.csv"),
    ]
    truth = write("id,target\n0,0\n1,1\n2,1\n", "truth.csv")
    for more in ([], ["--truth-columns", "grade=target"]):
        mapped = ["--columns", "score=target", *more, "--json", "--no-save", "-m", "AP"]
        ran = consilience("rank", *files, "--truth", truth, *mapped)
        systems = json.loads(ran.out)["systems"]
        values = {one["name"]: one["scores"]["AP"]["value"] for one in systems}
        assert values == pytest.approx({"A": 1, "B": (1 + 2 / 3) / 2})


def test_people_put_items_into_categories_all_the_same(write) -> None:
    said = write(LONG_CLASSES.replace("system", "subject"))
    assert cs.read(said).categories == ("cat", "dog")
    for text in (WORDS, LONG_CLASSES, SEVERAL):
        assert consilience("agree", write(text), "--no-save").code == 0
    words = write("item,anna,ben\na,cat,cat\nb,dog,cat\nc,dog,dog\nd,cow,cow\n")
    assert consilience("check", words).code == 0


def test_a_few_mistakes_are_no_classes(write) -> None:
    with pytest.raises(cs.InputError, match="label must be a grade, found 'x'") as caught:
        cs.read(write("item,system,label\na,A,1\nb,A,x\nc,A,0\nd,A,1\n"))
    assert not isinstance(caught.value, KindError)


def test_classes_as_items_give_accuracy(write) -> None:
    """The way out that the message names: two of three rows are right."""
    said = write("query,system,item\n0,A,two\n1,A,six\n2,A,six\n")
    gold = write("query,item\n0,two\n1,six\n2,ten\n", "gold.csv")
    ran = consilience("rank", said, "--truth", gold, "-m", "P", "--json", "--no-save")
    (system,) = json.loads(ran.out)["systems"]
    assert system["scores"]["P"]["value"] == pytest.approx(2 / 3)


def test_one_column_in_several_files_is_named_after_them(write) -> None:
    files = [
        write("PassengerId,Survived\n1,0\n2,1\n", "mine.csv"),
        write("PassengerId,Survived\n1,1\n2,1\n", "yours.csv"),
    ]
    study = cs.read(files)
    assert study.systems == ("mine", "yours")
    assert "PassengerId" in study.sources[0].notes[0]


@pytest.mark.parametrize("more", [[], ["--engine", "duckdb"]])
def test_a_score_in_the_truth_is_asked_about(write, tmp_path: Path, more: list[str]) -> None:
    """Read as the order of a list, the items with 0 would be relevant: AP 1 for everybody."""
    answers = write("query,item,system,score\nq,a,A,1\nq,b,A,2\nq,a,B,2\nq,b,B,1\n", "answers.csv")
    truth = write("query,item,score\nq,a,1\nq,b,0\n", "truth.csv")
    asked = ("rank", answers, "--truth", truth, "-m", "AP", "--json", *more)
    ran = consilience(*asked, cwd=tmp_path)
    assert ran.code == 2
    for way in ("--truth-columns grade=score", "--truth-columns score=score"):
        assert way in ran.err

    def values(way: str) -> dict[str, float]:
        systems = consilience(*asked, "--truth-columns", way, cwd=tmp_path).json()["systems"]
        return {one["name"]: one["scores"]["AP"]["value"] for one in systems}

    assert values("grade=score") == {"A": 0.5, "B": 1.0}
    assert values("score=score") == {"A": 1.0, "B": 1.0}
    frame = pd.read_csv(truth)
    with pytest.raises(KindError, match="may be a grade"):
        cs.study(pd.read_csv(answers), truth=frame)
    study = cs.study(pd.read_csv(answers), truth=frame, truth_columns={"grade": "score"})
    assert "truth complete" in repr(study)


def test_a_run_as_the_truth_says_what_it_means(write, tmp_path: Path) -> None:
    run = write("q Q0 a 1 2 A\nq Q0 b 2 1 A\n", "a.run")
    other = write("q Q0 a 1 2 B\n", "b.run")
    ran = consilience("rank", run, "--truth", other, cwd=tmp_path)
    said = " ".join(ran.out.split())
    assert "b.run: a run as the truth: every item in it counts as relevant" in said


MISREAD = {
    "columns in JSON": ('{"y_true":[1,0,1],"y_pred":[1,1,0]}', "these are columns"),
    "measures of queries": (
        '{"q1":{"map":0.5,"P_10":0.3},"q2":{"map":0.2,"P_10":0.1}}',
        "measures",
    ),
    "measures of systems": ('{"bm25":{"nDCG@10":0.5},"dense":{"nDCG@10":0.6}}', "measures"),
    "rows of whom": (
        '{"q1":[{"docid":"d1","score":3}],"q2":[{"docid":"d7","score":2}]}',
        "may be a",
    ),
    "lists in lines": (
        '{"doc_id":"d1","keyphrases":["rome"]}\n{"doc_id":"d2","keyphrases":[]}\n',
        "keyphrases",
    ),
    "texts with entities": (
        '{"text":"Al in Rome","entities":[[0,2]]}\n{"text":"Bo","entities":[]}\n',
        "entities",
    ),
    "confidence": ("id,label,prediction,probability\na,1,1,0.9\nb,0,1,0.6\n", "how sure"),
    "measures in a table": ("id,P,R,F1\nq1,0.5,0.2,0.3\nq2,0.7,0.1,0.2\n", "outcomes"),
    "confidence of a system": (
        "query,system,item,probability\nq,A,a,0.5\nq,B,a,0.25\n",
        "how sure",
    ),
    "numbers beside items": (
        "query,system,item,latency\nq,A,a,12\nq,A,b,13\nq,B,a,11\n",
        "'latency' is not used",
    ),
    "words beside items": (
        "query,system,item,mood\nq,A,a,up\nq,A,b,down\nq,B,a,down\n",
        "'mood' is not used",
    ),
    "percentages": ("item;A;B\na;17%;72%\nb;90%;4%\nc;55%;61%\n", "'A' (or 'B')"),
    "a column called pred": (
        "id,pred,S1\n1,cat,1\n2,dog,0\n3,cat,1\n",
        "'pred' holds labels, and 'S1' votes",
    ),
    "marks": ("item,A,B\na,,\nb,x,x\nc,,x\nd,x,\n", "'A' says 'x' of some items"),
    "two texts": (
        "id,article,summary\n" + "".join(f"d{n},text {n} of it,sum {n} of it\n" for n in range(9)),
        "'article' (or 'summary') is not used",
    ),
    "attributes of ids": (
        "id,name,city\n" + "".join(f"d{n},Name {n},City {n}\n" for n in range(9)),
        "'name' (or 'city') is not used",
    ),
    "a score beside a prediction": (
        "id,label,prediction,score\n1,1,1,.9\n2,0,1,.6\n3,1,0,.2\n",
        "'prediction' holds votes, and 'score' would order a list",
    ),
    "sureness of a class": (
        "id,predicted_class,conf\n1,cat,.9\n2,dog,.6\n3,cat,.2\n4,dog,.7\n",
        "'predicted_class' holds labels, and 'conf' votes",
    ),
    "lists of several queries": (
        "question_id,model,text,score\n1,A,w,2\n1,A,x,1\n2,A,y,2\n2,A,z,1\n",
        "'question_id' is not used",
    ),
    "boxes of several pictures": (
        "picture,class,xmin,ymin,xmax,ymax\np1,cat,1,1,6,6\np2,cat,20,20,26,26\n",
        "'picture' is not used",
    ),
    "tracks of several vehicles": (
        "taxi_id,time,longitude,latitude\n1,8,13.1,52.1\n1,9,13.2,52.2\n2,8,9.1,48.1\n2,9,9.2,48.2\n",
        "'taxi_id' is not used",
    ),
    "segments of several recordings": (
        "utt,start,end,label\nu1,0,1,a\nu1,1,2,b\nu2,0,1,b\nu2,1,2,a\n",
        "'utt' is not used",
    ),
    "scores against scores": (
        "id,y_true,A,B\n1,0.35,0.32,0.39\n2,0.21,0.22,0.25\n3,0.99,0.87,0.91\n",
        "scores against scores",
    ),
    "centres of boxes": (
        "image,class,x_center,y_center,width,height\na,cat,.3,.3,.1,.1\nb,cat,.5,.5,.2,.2\n",
        "are coordinates",
    ),
    "a similarity for each item and system": (
        "item,system,similarity\na,A,0.9\nb,A,0.4\na,B,0.1\nb,B,0.8\n",
        "similarity",
    ),
    "measures as columns": (
        "item,faithfulness,answer_relevancy\na,0.9,0.8\nb,0.7,1\n",
        "outcomes",
    ),
    "a measure with a system's name": ("id,A_bleu,B_bleu\n1,0.3,0.4\n2,0.2,0.5\n", "outcomes"),
    "classes that sum to 1": ("id,cat,dog,owl\n1,.5,.25,.25\n2,.1,.2,.7\n", "sum to 1"),
    "one class of several": (
        "id,cat,dog,owl\n"
        + "".join(f"{n},{n % 3 // 2},{n % 3 % 2},{0 ** (n % 3)}\n" for n in range(6)),
        "sum to 1",
    ),
    "features beside a prediction": (
        "id,sex_male,y_true,pred\n1,1,1,1\n2,0,0,1\n3,1,0,0\n",
        "'sex_male' stands beside it",
    ),
    "a header alone": ("keyphrase\nnew york\nparis\n", "header"),
}


@pytest.mark.parametrize("name", MISREAD)
def test_what_would_be_misread_is_refused(write, name: str, tmp_path: Path) -> None:
    text, said = MISREAD[name]
    ending = "jsonl" if "}\n{" in text else "json" if text.startswith("{") else "csv"
    path = write(text, f"a.{ending}")
    for verb in (("check",), ("rank", "--no-save"), ("soft", path, "--no-save")):
        ran = consilience(*verb[:2], path, *verb[2:], cwd=tmp_path)
        assert ran.code == 2, (verb, ran.out)
        assert said in ran.err.partition("(fix:")[0], (verb, ran.err)


@pytest.mark.parametrize("more", [[], ["--engine", "duckdb"]])
def test_lists_beside_a_column_that_is_not_used(write, tmp_path: Path, more: list[str]) -> None:
    """It is refused in every engine, with a truth as well; the user may say that it is a list."""
    path = write("query,system,item,latency\nq,A,a,12\nq,A,b,13\nq,B,a,11\n")
    negative = write("query,system,item,score\nq,A,a,-12\nq,A,b,-13\nq,B,a,-11\n", "score.csv")
    truth = write("query,item,grade\nq,a,1\nq,b,0\n", "truth.csv")
    for beside in ([], ["--truth", truth]):
        asked = ("rank", path, *beside, *more, "-m", "P", "--no-save", "--json")
        ran = consilience(*asked, cwd=tmp_path)
        assert ran.code == 2
        assert "write its negative in a column score" in ran.err
        named = consilience("rank", negative, *beside, *more, "-m", "P", "--no-save", cwd=tmp_path)
        assert named.code == 0, named.err
        ran = consilience(*asked, "--answers", "lists", cwd=tmp_path)
        assert ran.code == 0, ran.err
    scores = {one["name"]: one["scores"]["P"]["value"] for one in ran.json()["systems"]}
    assert scores == {"A": 0.5, "B": 1.0}


def test_several_labels_are_no_systems(write, tmp_path: Path) -> None:
    text = "id,toxic,insult\n1,0,1\n2,1,0\n3,1,1\n4,0,0\n"
    answers, truth = write(text, "answers.csv"), write(text, "truth.csv")
    for verb in ("rank", "distributions"):
        ran = consilience(verb, answers, "--truth", truth, cwd=tmp_path)
        assert (ran.code, "several labels" in ran.err) == (2, True)


def test_scores_in_files_of_their_own(write, tmp_path: Path) -> None:
    answers = write("id,A,B\n1,0.3,0.4\n2,0.2,0.9\n", "answers.csv")
    truth = write("id,gold\n1,0.35\n2,0.25\n", "truth.csv")
    ran = consilience("rank", answers, "--truth", truth, cwd=tmp_path)
    assert (ran.code, "scores against scores" in ran.err) == (2, True)
    ran = consilience("rank", answers, "--truth", truth, "--answers", "votes", cwd=tmp_path)
    assert ran.code == 0, ran.err


def test_a_weight_in_a_truth_may_be_its_grade(write, tmp_path: Path) -> None:
    """AP is 3/4: what has the weight 0 is not relevant."""
    run = write("q1 Q0 d1 1 2 A\nq1 Q0 d2 2 1 A\nq2 Q0 d4 1 2 A\nq2 Q0 d3 2 1 A\n", "a.run")
    truth = write("query,item,weight\nq1,d1,1\nq1,d2,0\nq2,d4,0\nq2,d3,1\n", "truth.csv")
    asked = ("rank", run, "--truth", truth, "-m", "AP", "--json", "--no-save")
    ran = consilience(*asked, cwd=tmp_path)
    assert (ran.code, "--truth-columns grade=weight" in ran.err) == (2, True)
    ran = consilience(*asked, "--truth-columns", "grade=weight", cwd=tmp_path)
    assert ran.json()["systems"][0]["scores"]["AP"]["value"] == 0.75


def test_what_a_column_says_of_an_item_is_no_answer(write) -> None:
    """Both systems' rows say the same of an item: that is what it is."""
    rows = "q,A,a,news\nq,A,b,web\nq,B,a,news\nq,B,c,web\n"
    assert cs.read(write("query,system,item,domain\n" + rows)).systems == ("A", "B")


def test_ids_and_numbers_of_parts_are_no_votes(write) -> None:
    study = cs.read(write("query,item,chunk_id\nq,a,0\nq,b,1\nr,c,0\n", "mine.csv"))
    assert study.systems == ("mine",)
    assert len(study.answers) == 3


def test_results_of_pyterrier_are_read(write) -> None:
    """It writes the query's words beside its id, and the number of a document beside its name."""
    rows = "q1,0,d1,0,3.5,what is it\nq1,1,d2,1,2.5,what is it\n"
    study = cs.read(write("qid,docid,docno,rank,score,query\n" + rows, "bm25.csv"))
    assert (study.queries, study.items.names([0, 1])) == (("q1",), ["d1", "d2"])


def test_judgments_of_beir_are_no_list(tmp_path: Path) -> None:
    table = {"query-id": ["q", "q"], "corpus-id": ["a", "b"], "score": [1, 0]}
    path = tmp_path / "qrels.parquet"
    pq.write_table(pa.table(table), path)
    with pytest.raises(KindError, match="judgments of BEIR"):
        cs.read(path)
    mapped = {"query": "query-id", "item": "corpus-id", "grade": "score"}
    assert cs.read((), truth=path, truth_columns=mapped).queries == ("q",)


def test_scores_that_rise_with_ranks_are_noted(write) -> None:
    rising = "q Q0 a 1 0.1 s\nq Q0 b 2 0.5 s\nr Q0 a 1 0.2 s\nr Q0 b 2 0.3 s\n"
    assert "scores rise from rank to rank" in cs.read(write(rising, "a.run")).sources[0].notes[0]
    mixed = rising.replace("r Q0 a 1 0.2", "r Q0 a 1 0.7")
    assert cs.read(write(mixed, "b.run")).sources[0].notes == ()


def test_titles_and_addresses_beside_items_are_passed_over(write) -> None:
    path = write("query,system,item,title,url\nq,A,a,One,x.org/1\nq,B,a,One,x.org/1\n")
    assert len(cs.read(path).answers) == 2


@pytest.mark.parametrize(
    "truth",
    [
        "query_id,iter,doc,rel\nq1,0,d1,1\nq1,0,d2,0\nq1,0,d3,1\n",
        "query,Q0,item,grade\nq1,0,d1,1\nq1,0,d2,0\nq1,0,d3,1\n",
        "qid,docid,relevance,is_train\nq1,d1,1,0\nq1,d2,0,1\nq1,d3,1,1\n",
    ],
)
def test_a_truth_with_a_grade_has_one_judge(write, tmp_path: Path, truth: str) -> None:
    run = write("q1 Q0 d1 1 2.5 A\nq1 Q0 d2 2 1.5 A\nq1 Q0 d3 3 1 A\n", "a.run")
    ran = consilience("rank", run, "--truth", write(truth), "--json", "--no-save", cwd=tmp_path)
    assert ran.json()["condition"] == "complete"
    (one,) = ran.json()["systems"]
    assert one["scores"]["AP"]["value"] == pytest.approx((1 + 2 / 3) / 2)


def test_the_grade_that_the_user_names_is_the_only_one(write, tmp_path: Path) -> None:
    run = write("q1 Q0 d0 1 2.5 A\nq1 Q0 d1 2 1.5 A\n", "a.run")
    truth = write("query,item,gold,target\nq1,d0,0,1\nq1,d1,1,0\n")
    asked = ("rank", run, "--truth", truth, "-m", "AP", "--json", "--no-save")
    for column, value in (("target", 1.0), ("gold", 0.5)):
        ran = consilience(*asked, "--truth-columns", f"grade={column}", cwd=tmp_path)
        assert ran.json()["systems"][0]["scores"]["AP"]["value"] == value


def test_predictions_of_zero_and_one_are_votes(write, tmp_path: Path) -> None:
    path = write("id,y_true,y_pred\n0,1,1\n1,0,1\n2,1,0\n3,0,0\n")
    ran = consilience("rank", path, "--json", "--no-save", cwd=tmp_path)
    (one,) = ran.json()["systems"]
    assert one["name"] == "y_pred"
    assert one["scores"]["F1"]["value"] == 0.5
    numbers = write("id,y_true,y_pred\n0,3.5,2.9\n1,1.2,2\n2,2.7,2.5\n", "regression.csv")
    assert consilience("rank", numbers, "--no-save", cwd=tmp_path).code == 2


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        (
            "image,id,class,xc,yc,w,h\na,1,cat,10,20,30,40\n",
            "leave out id and write the left and the top edge instead of centres, left, top, width",
        ),
        ("docno,x1,y1,x2,y2\na,10,20,30,40\n", "leave out docno and call them left, top, width"),
    ],
)
def test_coordinates_are_told_how_to_become_boxes(write, text: str, fix: str) -> None:
    ran = consilience("rank", write(text))
    assert ran.code == 2
    assert "coordinates, not answers" in ran.err
    assert fix in ran.err


@pytest.mark.parametrize(
    ("text", "found", "fix"),
    [
        ("item,start,end\na,1,5\nb,13,17\n", "start, end: numbers", "for segments, name a column"),
        (
            "item,lat,lon\na,48,11\nb,49,12\n",
            "'lat' (or 'lon') is not used",
            "for tracks, keep the columns",
        ),
        ("item,A,B,sum\na,0.5,0.2,3\nb,0.1,1,20\n", "sum: numbers", "rescale them"),
    ],
)
def test_numbers_that_are_no_votes_are_told_what_they_may_be(
    write, text: str, found: str, fix: str
) -> None:
    ran = consilience("rank", write(text))
    assert ran.code == 2
    assert found in ran.err
    assert f"(fix: {fix}" in ran.err


def test_a_price_beside_votes_is_no_system(write) -> None:
    study = cs.read(write("item,A,B,price\na,1,0,3\nb,0,1,20\n"))
    assert study.respondents.names == ("A", "B")


def test_ratings_and_tokens_are_sent_where_they_are_compared(write) -> None:
    ran = consilience("rank", write("query,item,ann,bob\n1,a,3,4\n1,b,1,2\n2,a,4,4\n"))
    assert ran.code == 2
    assert "ratings of several people go to consilience agree" in ran.err


READ = {
    "a relation beside votes": "item,predicate,S1,S2\na,capital of,1,0\nb,near,0,1\nc,near,1,1\n",
    "a column that is half filled": "item,type\na,PER\nb,\nc,PER\n",
    "languages in some rows": "item,lang\na,en\nb,\nc,en\n",
    "documents with titles": "query,docid,title,url\nq,a,On it,x.org/1\nq,b,Of it,x.org/2\n",
}


@pytest.mark.parametrize("name", READ)
def test_columns_beside_items_are_not_taken_for_answers(write, name: str) -> None:
    assert consilience("check", write(READ[name])).code == 0


def test_a_score_beside_a_prediction_is_a_list_where_the_user_says_so(write) -> None:
    path = write("item,score,predicted,label\na,.9,1,1\nb,.4,0,0\nc,.7,1,0\n")
    ran = consilience("curve", path, "--no-save")
    assert ran.code == 2
    assert "--answers lists" in ran.err
    assert consilience("curve", path, "--answers", "lists", "--no-save").code == 0


def test_judgments_with_a_word_as_their_second_field_are_told_what_to_write(write) -> None:
    path = write("q1 pool apple 1\nq1 pool banana 0\nq2 pool cherry 1\n", "qrels.txt")
    assert "for judgments, write 0 as the second field" in consilience("check", path).err
