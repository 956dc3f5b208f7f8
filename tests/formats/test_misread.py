"""Tables that were read as something else: each is refused in a sentence that says what it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.command import Ran, consilience

TRUTH = "id,label\na,0\nb,0\nc,1\nd,1\n"
VOTES = "id,gold,m1,m2\na,1,1,0\nb,0,0,0\nc,1,0,1\nd,0,0,1\n"
REVIEWS = """id,review,sentiment
1,a fine film indeed,pos
2,what a bore,neg
3,never again please,neg
4,loved all of it,pos
"""
#: What the file holds, the verb with its options, and what is said.
REFUSED: Mapping[str, tuple[Mapping[str, str], str, str]] = {
    "a predicted label beside a score": (
        {"a.csv": "id,label,score\na,1,.9\nb,1,.8\nc,0,.7\nd,0,.6\n", "t.csv": TRUTH},
        "rank a.csv --truth t.csv",
        "'label' beside 'score' may be the truth, or what was told",
    ),
    "the same alone": (
        {"a.csv": "id,label,score\na,1,.9\nb,1,.8\nc,0,.7\nd,0,.6\n"},
        "rank a.csv",
        "--columns grade=label",
    ),
    "labels beside texts": ({"a.csv": REVIEWS}, "rank a.csv --truth a.csv", "'sentiment'"),
    "languages of texts": (
        {"a.csv": "id,language\n1,de\n2,en\n3,de\n4,en\n"},
        "rank a.csv --truth a.csv",
        "'language' is not used",
    ),
    "which of two answers is better": (
        {"a.csv": "prompt_id,response_a,response_b,preferred\n1,x y,z,a\n2,u,v w,b\n"},
        "rank a.csv",
        "pairwise preferences",
    ),
    "how sure a system was": (
        {"a.csv": VOTES.replace("m2\n", "m2,probability\n").replace("0\n", "0,.8\n")},
        "rank a.csv",
        "may be how sure the system was",
    ),
    "predictions from 0 to 1": (
        {"a.csv": "id,gold,prediction\na,1,.9\nb,0,.2\nc,1,.6\nd,0,.4\n"},
        "rank a.csv",
        "probabilities, which are not compared yet",
    ),
    "the same with a truth beside": (
        {
            "a.csv": "id,model,prediction\na,m,.9\nb,m,.2\nc,m,.6\nd,m,.4\n",
            "t.csv": "id,gold\na,1\nb,0\nc,1\nd,0\n",
        },
        "rank a.csv --truth t.csv",
        "probabilities, which are not compared yet",
    ),
    "a confidence beside votes": (
        {"a.csv": "id,gold,m1,confidence\na,1,1,.6\nb,0,0,.9\nc,1,1,.7\nd,0,0,.8\n"},
        "rank a.csv",
        "'m1' holds votes, and 'confidence' would order a list",
    ),
    "labels of people beside a flag": (
        {"a.csv": "item,flag,ann,ben\na,0,pos,pos\nb,1,neg,neg\nc,0,pos,neg\nd,1,neg,neg\n"},
        "rank a.csv",
        "'ann' and 'ben' hold labels, and 'flag' votes",
    ),
    "whom items are recommended to": (
        {"a.csv": "user,item,score\nu1,a,4\nu1,b,3\nu2,a,2\nu2,c,5\n"},
        "rank a.csv --answers lists",
        "--columns query=user",
    ),
    "two classes": (
        {"a.csv": "id,prob_neg,prob_pos\na,.2,.8\nb,.6,.4\nc,.5,.5\nd,.9,.1\n"},
        "rank a.csv",
        "sum to 1 in every row",
    ),
    "counts of labels": (
        {"a.csv": "item,yes,no,unsure\na,3,0,0\nb,0,3,0\nc,1,1,1\nd,2,0,1\n"},
        "agree a.csv",
        "sum to 3 in every row: counts of labels",
    ),
    "categories with queries": (
        {"a.csv": "query,system,item,category\nq,a,i1,x\nq,a,i2,y\nq,b,i1,x\nq,b,i2,x\n"},
        "rank a.csv",
        "'category' holds labels",
    ),
    "codes of classes": (
        {"a.csv": "item,system,label\n" + "".join(f"i{n},s,c{n % 3}\n" for n in range(9))},
        "rank a.csv",
        "'label' holds labels",
    ),
    "the truth for what people answered": (
        {
            "a.csv": "worker,item,response,gold\n"
            + "".join(f"w{n % 3},i{n // 3},{n % 2},{n // 6}\n" for n in range(12))
        },
        "agree a.csv --columns item=item",
        "'gold' is the same whoever answered, and 'response' is not used",
    ),
    "a column beside one of the items": (
        {
            "a.csv": "system,item,dataset,preference\n"
            + "".join(f"s{n % 2},i{n // 2},d,{1 + n % 3 / 2}\n" for n in range(8))
        },
        "rank a.csv",
        "'preference' is not used",
    ),
    "figures of topics and systems": (
        {"a.csv": "topic,sys1,sys2\n1,.8,.6\n2,.3,.7\n3,1,0\n"},
        "check a.csv",
        "one number for each query and system (sys1, sys2)",
    ),
    "the same with topics as items": (
        {"a.csv": "topic,sys1,sys2\n1,.8,.6\n2,.3,.7\n3,1,0\n"},
        "rank a.csv --columns item=topic",
        "outcomes, which are not compared yet",
    ),
    "four corners": (
        {"a.csv": "image,x1,y1,x2,y2,x3,y3,x4,y4\na,1,1,5,1,5,4,1,4\n"},
        "check a.csv",
        "quadrilaterals, which are not compared",
    ),
    "items of several data sets": (
        {
            "a.csv": "model,item,benchmark,vote\n"
            + "".join(f"m,{n % 4},b{n // 4},{n % 3 % 2}\n" for n in range(8))
        },
        "rank a.csv",
        "--columns query=benchmark",
    ),
    "votes on items of several data sets": (
        {
            "a.csv": "benchmark,item,m1,m2\n"
            + "".join(f"b{n // 4},{n % 4},{n % 3 % 2},1\n" for n in range(8))
        },
        "rank a.csv",
        "--columns query=benchmark",
    ),
    "figures of systems": (
        {"a.csv": "system,team,map,p@5\nA,x,.5,.6\nB,y,.4,.7\n"},
        "check a.csv",
        "tables of systems with a score each go to consilience correlate",
    ),
    "judgments for answers": (
        {"a.txt": "1 0 d1 1\n1 0 d2 0\n"},
        "rank a.txt",
        "'a' judged, which consilience agree compares",
    ),
    "words among numbers, in rows of JSON": (
        {
            "a.json": '[{"item": 1, "x": 1, "y": 2}, {"item": 2, "x": 2, "y": "r"}, '
            '{"item": 3, "x": 3, "y": 1}]'
        },
        "agree a.json",
        "row 2: label must be a grade, found 'r'",
    ),
    "centres of boxes": (
        {"a.csv": "image,class,x,y,w,h\na,cat,.5,.5,.6,.6\n"},
        "check a.csv",
        "x and y may be the box's centre",
    ),
    "points between thousands": (
        {"a.csv": "query;item;score\nq1;a;1.250\nq1;b;980\nq1;c;875\n"},
        "rank a.csv",
        "'1.250' may be 1250",
    ),
    "distances": (
        {"a.csv": "query,doc,distance\nq,a,.5\nq,b,.25\n"},
        "rank a.csv",
        "write its negative in a column score",
    ),
    "votes by system and query": (
        {"a.json": '{"S1": {"q": {"d1": 1, "d2": 0}}, "S2": {"q": {"d1": 0, "d2": 0}}}'},
        "rank a.json",
        "scores, or votes (fix: say which: --answers lists, or --answers votes",
    ),
    "votes without items": (
        {"a.json": '{"q1": [1, 0, 1, 0]}'},
        "check a.json",
        "these are votes or labels, not items",
    ),
    "ids that are spelt otherwise": (
        {"a.csv": "query,item\nq,1\nq,2\n", "t.csv": "query,item,grade\nq,001,1\nq,002,0\n"},
        "rank a.csv --truth t.csv",
        "share no item, and '1' may be '001'",
    ),
    "queries that one of two systems calls otherwise": (
        {
            "a.run": "q1 Q0 d1 1 2 a\n",
            "b.run": "1 Q0 d1 1 2 b\n",
            "t.txt": "1 0 d1 1\n2 0 d1 1\n",
        },
        "rank a.run b.run --truth t.txt",
        "a answered no query of the truth, and would count 0",
    ),
    "recordings that are called otherwise": (
        {"a.csv": "filename,onset,offset\na.wav,1,2\n", "t.csv": "filename,onset,offset\na,1,2\n"},
        "soft t.csv a.csv",
        "no recording in common",
    ),
}


def run(folder: Path, files: Mapping[str, str], command: str) -> Ran:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return consilience(*command.split(), cwd=folder)


@pytest.mark.parametrize("case", REFUSED)
def test_refused(tmp_path: Path, case: str) -> None:
    files, command, said = REFUSED[case]
    ran = run(tmp_path, files, command)
    assert ran.code == 2, ran.out
    assert said in ran.err
    assert ran.out == ""


def test_a_refused_pair_is_read_by_its_fix(tmp_path: Path) -> None:
    files, command, _ = REFUSED["a predicted label beside a score"]
    ran = run(tmp_path, files, f"{command.replace(' --truth t.csv', '')} --columns grade=label")
    assert ran.code == 0
    files, command, _ = REFUSED["whom items are recommended to"]
    files = {**files, "t.csv": "user,item,grade\nu1,a,1\nu1,b,0\nu2,a,0\nu2,c,1\n"}
    said = "rank a.csv --truth t.csv --columns query=user -m AP --json --no-save"
    (system,) = run(tmp_path, files, said).json()["systems"]
    assert system["scores"]["AP"]["value"] == 1.0


def test_votes_by_system_and_query(tmp_path: Path) -> None:
    """Zeros counted as returned; by the papers' Table 3 recall is .4 (20 items in all)."""
    table = {"S1": "1100110", "S2": "1110000", "S3": "1100001"}
    said = {
        name: {"q": {f"d{n}": int(vote) for n, vote in enumerate(votes)}}
        for name, votes in table.items()
    }
    command = "rank a.json --answers votes --belief consensus -m R --universe 20 --json --no-save"
    made = run(tmp_path, {"a.json": json.dumps(said)}, command).json()
    recall = {one["name"]: one["scores"]["R"]["value"] for one in made["systems"]}
    assert recall == pytest.approx({"S1": 0.4, "S2": 1 / 3, "S3": 1 / 3})


@pytest.mark.parametrize("name", ["ground_truth", "gt", "y_test", "y", "Actual", "true_label"])
def test_names_of_the_truth(tmp_path: Path, name: str) -> None:
    """The truth was ranked as a system."""
    ran = run(tmp_path, {"a.csv": VOTES.replace("gold", name)}, "rank a.csv --json --no-save")
    made = ran.json()
    assert {one["name"] for one in made["systems"]} == {"m1", "m2"}
    assert made["condition"] == "complete"


def test_labels_beside_the_truth_are_those_of_systems(tmp_path: Path) -> None:
    """``label`` and ``gold`` could both be the grade; mapped by hand the truth was dropped."""
    rows = [f"i{n},{m},{(n + (m == 'B')) % 2},{n % 2}" for n in range(6) for m in "AB"]
    table = "\n".join(["item,model,label,gold", *rows, ""])
    made = run(tmp_path, {"a.csv": table}, "rank a.csv -m F1 --json --no-save").json()
    scores = {one["name"]: one["scores"]["F1"]["value"] for one in made["systems"]}
    assert scores == {"A": 1.0, "B": 0.0}


@pytest.mark.parametrize("column", ["start", "page", "hour", "batch_id", "difficulty", "age"])
def test_figures_beside_labels_are_no_annotators(tmp_path: Path, column: str) -> None:
    table = f"item,{column},ann,ben\na,0,1,1\nb,1,0,0\nc,2,1,1\nd,3,0,0\ne,4,1,1\n"
    made = run(tmp_path, {"a.csv": table}, "agree a.csv --json --no-save").json()
    assert len(made["annotators"]) == 2
    assert made["alpha"]["value"] == 1.0


def test_labels_that_are_mapped_are_taken(tmp_path: Path) -> None:
    """A column called category was taken instead, and without a column of people all others."""
    rows = [f"i{n},{who},cat,{'cat' if n % 3 else who}" for n in range(6) for who in ("ann", "ben")]
    table = "\n".join(["item,who,category,said", *rows, ""])
    command = "agree a.csv --columns annotator=who --columns label=said --json --no-save"
    made = run(tmp_path, {"a.csv": table}, command).json()
    assert made["alpha"]["value"] < 1
    one = "item,trial,said,seen\n" + "".join(f"i{n},{n},{n % 2},{n % 2}\n" for n in range(6))
    files = {f"{who}.csv": one for who in ("ann", "ben")}
    made = run(
        tmp_path, files, "agree ann.csv ben.csv --columns label=said --json --no-save"
    ).json()
    assert len(made["annotators"]) == 2
