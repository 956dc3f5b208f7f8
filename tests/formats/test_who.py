"""Who answered: by which names people are known, and what is said where no column names them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import consilience as cs
from consilience.errors import InputError, UsageError
from consilience.formats.roles import ROLES, by_role
from consilience.study.subjects import read_subjects
from tests.cli.command import consilience

PEOPLE = ["coder", "participant", "reviewer", "labeler", "labeller", "expert", "user_id"]
PEOPLE += ["judge_id", "email", "created_by", "marker", "grader", "evaluator", "assessor_id"]
PEOPLE += ["rater_id", "Coder ID"]
TREE = cs.tree({"animal": {"dog": {}, "cat": {}}})


@pytest.mark.parametrize("column", PEOPLE)
def test_people_go_by_many_names(column: str) -> None:
    rows = {"item": ["a", "a"], column: ["x", "y"], "label": [1, 0]}
    made = cs.study(rows)
    assert made.respondents.names == ("x", "y")
    assert made.respondents.kind == ("person", "person")
    said = cs.assignments(
        {"item": ["a", "a"], column: ["x", "y"], "category": ["dog", "cat"]}, tree=TREE
    )
    assert said.respondents.names == ("x", "y")


def test_a_lesser_name_yields_to_another_and_may_be_a_column_of_labels() -> None:
    both = {"item": ["a"], "worker": ["w"], "email": ["w@x"], "label": [1]}
    assert cs.study(both).respondents.names == ("w",)
    wide: dict[str, Any] = {"item": ["a", "b"], "ann": ["dog", "cat"], "expert": ["dog", "dog"]}
    assert cs.study(wide, labels=True).respondents.names == ("ann", "expert")
    assert cs.assignments(wide, tree=TREE).respondents.names == ("ann", "expert")
    votes = cs.study({"item": ["a", "b"], "ann": [1, 0], "expert": [1, 1]})
    assert votes.systems == ("ann", "expert")


@pytest.mark.parametrize(
    ("alias", "role"), [(name, role) for role, names in ROLES.items() for name in names]
)
def test_every_name_of_a_role_may_be_mapped(alias: str, role: str) -> None:
    assert by_role({alias: "x"}) == {role: "x"}


def test_mappings_by_any_name(tmp_path: Path) -> None:
    rows = {"seite": ["a", "a"], "wer": ["x", "y"], "note": [1, 0]}
    made = cs.study(rows, columns={"document": "seite", "subject": "wer", "relevance": "note"})
    assert made.respondents.names == ("x", "y")
    with pytest.raises(UsageError, match="'subject' and 'judge' are both the respondent"):
        cs.study(rows, columns={"subject": "wer", "judge": "note"})
    (tmp_path / "a.csv").write_text("seite,wer,wahl\na,x,dog\na,y,cat\n")
    (tmp_path / "tree.csv").write_text("category,parent\nanimal,\ndog,animal\ncat,animal\n")
    asked = ("--columns", "doc_id=seite,subject=wer,label=wahl", "--json")
    told = consilience("agree", "a.csv", *asked, cwd=tmp_path).json()
    assert told["labels"] == 2
    tree = ("tree", "--tree", "tree.csv", "--assignments", "a.csv")
    told = consilience(*tree, *asked, cwd=tmp_path).json()
    assert told["direct"]["a"] == {"animal": 0, "dog": 0.5, "cat": 0.5}


@pytest.mark.parametrize("labels", [True, False])
def test_disagreement_is_not_to_be_deleted(tmp_path: Path, labels: bool) -> None:
    path = tmp_path / "said.csv"
    path.write_text("item,who,label,comment\na,ann,1,so\na,bob,0,\nb,ann,0,\nb,bob,0,\n")
    with pytest.raises(InputError) as caught:
        cs.read(path, labels=labels)
    said = str(caught.value)
    assert "said.csv:3: item 'a' was answered before (line 2) and differently" in said
    assert "no column says who answered, so all rows are taken for answers of 'said'" in said
    assert "columns not used: who, comment" in said
    assert "(fix: is 'who' the annotator? --columns respondent=who;" in said
    assert len(cs.read(path, labels=labels, columns={"annotator": "who"}).respondents) == 2


def test_the_same_answers_of_nobody_in_particular(tmp_path: Path) -> None:
    path = tmp_path / "said.csv"
    path.write_text("item,who,label\na,ann,1\na,bob,1\n")
    note, *_ = cs.read(path).notes
    assert note == (
        f"1 answer was given twice, word for word: counted once; {path}: is 'who' the annotator? "
        "--columns respondent=who"
    )


def test_subjects_are_not_merged_silently(tmp_path: Path) -> None:
    path = tmp_path / "subjects.csv"
    path.write_text("query,who,item,relevance\nq,ann,a,1\nq,ann,b,0.5\nq,bob,c,1\nq,bob,d,0.2\n")
    (note, unused) = read_subjects(path).notes
    assert note.endswith(
        "no column says who answered: all rows count as 'subjects'; is 'who' the annotator? "
        "--columns respondent=who"
    )
    assert unused.endswith("columns not used: who")
    path.write_text("query,who,item,relevance\nq,ann,a,1\nq,ann,b,0.5\nq,bob,a,1\nq,bob,d,0.2\n")
    with pytest.raises(InputError, match="is 'who' the subject\\? --columns respondent=who"):
        read_subjects(path)


def test_notes_of_files_reach_every_result(tmp_path: Path) -> None:
    """What was not used is said wherever a figure is shown."""
    (tmp_path / "runs.csv").write_text("system,query,item,score,lang\n" + _runs())
    (tmp_path / "people.csv").write_text("query,subject,item,relevance,mood\n" + _people())
    (tmp_path / "one.csv").write_text("query,item,gold,mood\nq1,a,1,ok\nq1,b,0,ok\n")
    run, people = "runs.csv: columns not used: lang", "people.csv: columns not used: mood"
    truth = ("runs.csv", "--truth", "people.csv")
    for asked in (
        ("rank", *truth),
        ("distributions", *truth),
        ("belief", *truth),
        ("displacement", "runs.csv", "--subjects", "people.csv"),
        ("curve", "runs.csv", "--truth", "one.csv", "--system", "A"),
    ):
        notes = consilience(*asked, "--json", cwd=tmp_path).json()["notes"]
        assert notes.count(run) == 1, asked
        assert notes.count(people.replace("people", "one" if "one.csv" in asked else "people")) == 1


def _runs() -> str:
    return "".join(
        f"{s},q{q},{i},{9 - k},en\n" for s in "AB" for q in "123" for k, i in enumerate("abc")
    )


def _people() -> str:
    said = [
        f"q{q},{who},{item},{item == who},ok\n" for q in "123" for who in "ab" for item in "abc"
    ]
    return "".join(said).replace("True", "1").replace("False", "0")


@pytest.mark.parametrize("column", ["username", "email", "reviewer", "expert", "created_by"])
def test_what_a_system_s_list_says_of_its_items_is_no_respondent(
    column: str, tmp_path: Path
) -> None:
    """Whose post was retrieved does not make a run a person's judgments."""
    for name, rows in {"A": ("d1", "d2"), "C": ("d2", "d3")}.items():
        lines = [f"q,{item},{n},{2 - n},u{n}\n" for n, item in enumerate(rows, start=1)]
        (tmp_path / f"{name}.csv").write_text(f"query,item,rank,score,{column}\n" + "".join(lines))
    study = cs.read([tmp_path / "A.csv", tmp_path / "C.csv"])
    assert study.systems == ("A", "C")
    assert any(f"columns not used: {column}" in note for note in study.notes)
    curve = {"item": ["a", "b"], "score": [2, 1], "relevant": [1, 0], column: ["x", "y"]}
    assert cs.study(curve).systems


def test_voters_of_a_wide_table_may_have_lesser_names() -> None:
    rows = {"item": ["a", "b", "c"], "expert": [1, 0, 1], "novice": [1, 1, 0], "gold": [1, 0, 1]}
    assert cs.study(rows).systems == ("expert", "novice")
    assert cs.study({"item": ["a", "b"], "expert": [1, 0]}).systems == ("expert",)
    two = {"item": ["a", "b"], "reviewer": [1, 0], "grader": [1, 1]}
    assert cs.study(two).systems == ("reviewer", "grader")
    words = {"item": ["a", "b"], "expert": ["x", "y"], "novice": ["x", "x"]}
    assert cs.study(words, labels=True).respondents.names == ("expert", "novice")


def test_two_lesser_names_are_passed_over() -> None:
    rows = {"query": ["q"], "item": ["a"], "score": [1], "email": ["x"], "user_id": ["7"]}
    assert len(cs.study(rows).systems) == 1
