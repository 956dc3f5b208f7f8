"""Wide tables of assignments: every subject is heard, and what is no subject is noted."""

from __future__ import annotations

from pathlib import Path

import pytest

import consilience as cs
from consilience.errors import InputError

TREE = cs.tree({"animal": {"dog": {}, "cat": {}}})


def read(folder: Path, text: str) -> cs.Study:
    (folder / "wide.csv").write_text(text)
    return cs.read_assignments(folder / "wide.csv", tree=TREE)


def test_a_subject_who_errs_most_of_the_time_is_heard(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, "item,ann,bob\na,dog,Dog\nb,cat,Cat\nc,dog,dog\nd,cat,cta\n")
    assert [(p.line, p.found) for p in caught.value.problems] == [
        (2, "the tree has no category 'Dog'"),
        (3, "the tree has no category 'Cat'"),
        (5, "the tree has no category 'cta'"),
    ]
    assert "did you mean 'dog'?" in caught.value.problems[0].fix


def test_other_capitals_are_mistakes_of_a_subject(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="2: the tree has no category 'Dog'"):
        read(tmp_path, "item,ann,bob\na,dog,Dog\nb,cat,Cat\n")


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ("comment", ["dog", "dark", "dark", "dark"]),
        ("thoughts", ["cat", "it is too dark to see anything", "it may be one of them", "?"]),
        ("place", ["park", "street", "park", "park"]),
    ],
)
def test_what_is_no_subject_is_noted(tmp_path: Path, column: str, cells: list[str]) -> None:
    rows = [f"{item},dog,cat,{cell}" for item, cell in zip("abcd", cells, strict=True)]
    study = read(tmp_path, f"item,ann,bob,{column}\n" + "\n".join(rows) + "\n")
    assert study.respondents.names == ("ann", "bob")
    assert study.notes == (f"{tmp_path / 'wide.csv'}: columns not used: {column}",)


def test_missing_answers_are_counted(tmp_path: Path) -> None:
    wide = read(tmp_path, "item,ann,bob\na,dog,cannot tell\nb,?,\nc,dog,cat\n")
    assert wide.notes == (f"{tmp_path / 'wide.csv'}: 2 answers are missing (?, cannot tell)",)
    long = read(tmp_path, "item,subject,category\na,ann,dog\na,bob,\nb,ann,n/a\n")
    assert long.notes[0].endswith("2 answers are missing (empty, n/a)")


def test_a_long_table_may_call_its_categories_as_it_likes(tmp_path: Path) -> None:
    study = read(
        tmp_path,
        "item,subject,choice,sure\na,ann,dog,0.5\na,bob,cat,1\nb,ann,cta,1\n".replace("cta", "dog"),
    )
    assert study.respondents.names == ("ann", "bob")
    assert study.notes[0].endswith("columns not used: sure")


def test_a_table_without_subjects_asks_who_they_are(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is 'who' the annotator\\? --columns respondent=who"):
        read(tmp_path, "item,who,category\na,ann,dog\na,bob,cat\nb,ann,dog\nb,bob,dog\n")
    study = read(tmp_path, "item,who,category\na,ann,dog\nb,bob,cat\nc,ann,dog\nd,bob,dog\n")
    assert "all rows count as 'wide'; is 'who' the subject?" in study.notes[0]
