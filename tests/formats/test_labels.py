"""Labels as people keep them: text or numbers, long or wide, with gaps and with truth beside."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.errors import InputError, UsageError
from consilience.study.labels import labels_of


def said(data: Any) -> set[tuple[str, str, str]]:
    """Read labels: (annotator, item, label)."""
    study = cs.study(data, labels=True)
    labels = labels_of(study)
    names = study.items.names(labels.items)
    return {
        (labels.annotators[a], names[i], labels.categories[c])
        for a, i, c in zip(labels.annotator, labels.item, labels.category, strict=True)
    }


def test_wide_text_and_long_text_are_the_same() -> None:
    wide = {"item": ["p1", "p2"], "ann": ["crowd", "city"], "ben": ["crowd", None]}
    long = {"item": ["p1", "p2", "p1"], "annotator": ["ann", "ann", "ben"]}
    long["label"] = ["crowd", "city", "crowd"]
    assert (
        said(wide)
        == said(long)
        == {("ann", "p1", "crowd"), ("ann", "p2", "city")} | {("ben", "p1", "crowd")}
    )


def test_wide_grades_need_not_be_votes() -> None:
    assert said({"item": ["p1", "p2"], "ann": [1, 5], "ben": [3, None]}) == {
        ("ann", "p1", "1"),
        ("ann", "p2", "5"),
        ("ben", "p1", "3"),
    }


@pytest.mark.parametrize("column", ["label", "category", "vote", "grade", "relevance", "answer"])
def test_labels_go_by_many_names(column: str) -> None:
    rows = {"item": ["p1", "p1"], "worker": ["w1", "w2"], column: ["crowd", "city "]}
    assert said(rows) == {("w1", "p1", "crowd"), ("w2", "p1", "city")}


@pytest.mark.parametrize("who", ["annotator", "worker", "subject", "rater", "model", "system"])
def test_everybody_is_an_annotator(who: str) -> None:
    rows = {"item": ["p1", "p1"], who: ["w1", "w2"], "label": [3, 1]}
    assert said(rows) == {("w1", "p1", "3"), ("w2", "p1", "1")}


def test_gaps_are_no_labels_but_none_and_unknown_may_be() -> None:
    rows = {"item": list("abcdef"), "annotator": ["x"] * 6}
    rows["label"] = ["none", "unknown", "?", "NA", "", "crowd"]
    labels = {label for _, _, label in said(rows)}
    assert labels == {"none", "unknown", "crowd"}


def test_yes_and_no_are_two_values_in_any_spelling() -> None:
    rows = {"item": list("abcd"), "annotator": ["x"] * 4, "label": ["yes", "N", "1", "?"]}
    assert said(rows) == {("x", "a", "1"), ("x", "b", "0"), ("x", "c", "1")}


def test_truth_beside_the_labels_is_no_annotator_and_no_label() -> None:
    rows = {"item": ["p1"], "worker": ["w1"], "label": ["crowd"], "gold": ["city"]}
    assert said(rows) == {("w1", "p1", "crowd")}


def test_comments_are_no_annotator() -> None:
    rows = {"item": ["p1", "p2"], "ann": ["a", "b"], "ben": ["b", "b"], "note": ["so", "hm"]}
    assert {who for who, _, _ in said(rows)} == {"ann", "ben"}
    (source,) = cs.study(rows, labels=True).sources
    assert source.notes == ("columns not used: note",)


def annotators(data: dict[str, Any]) -> list[str]:
    return sorted({who for who, _, _ in said(data)})


def test_no_annotator_is_left_out_for_the_words_that_only_they_use() -> None:
    rows: dict[str, Any] = {"item": list("abcd"), "ann": ["dog", "cat"] * 2}
    rows["bob"] = rows["ann"]
    rows["cy"] = ["Dog", "Cat", "Cat", "Dog"]
    assert annotators(rows) == ["ann", "bob", "cy"]
    rows["cy"] = ["chien", "chat", "chat", "chien"]
    assert annotators(rows) == ["ann", "bob", "cy"]
    (note,) = cs.agree(cs.study(rows, labels=True)).notes
    assert note.startswith("answers: cy shares no label with other columns; if it is no annotator")
    strangers = {"item": list("abcd"), "ann": ["x", "y"] * 2, "bob": ["u", "v"] * 2}
    assert annotators(strangers) == ["ann", "bob"]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("comment", ["dark", "dark", "", "dark"]),
        ("said", ["one cannot see much on it", "it is too dark for me to say", "?", ""]),
        ("code", ["k17", "k18", "k19", "k20"]),
        ("seconds", [12, 14, 12, 14]),
    ],
)
@pytest.mark.parametrize("labels", [["dog", "cat", "cat", "dog"], [1, 2, 3, 1]])
def test_what_holds_no_labels_is_noted(name: str, cells: list[Any], labels: list[Any]) -> None:
    rows = {"item": list("abcd"), "ann": labels, "bob": labels[::-1], name: cells}
    study = cs.study(rows, labels=True)
    assert labels_of(study).annotators == ("ann", "bob")
    assert f"answers: columns not used: {name}" in cs.agree(study).payload()["notes"]


def test_yes_and_no_stay_as_they_are_written() -> None:
    rows = {"item": list("ab") * 2, "annotator": list("xxyy"), "label": ["yes"] * 4}
    assert cs.agree(cs.study(rows, labels=True)).alpha.undefined == (
        "all labels are 'yes': chance would agree as well"
    )
    rows["label"] = ["no", "yes", "unknown", "no"]
    study = cs.study(rows, labels=True)
    assert labels_of(study).categories == ("no", "yes")
    assert study.notes == ("answers: 1 answer is missing (unknown)",)


def test_yes_and_no_of_several_files_meet(tmp_path: Path) -> None:
    for name, words in (("ann", ("yes", "no")), ("ben", ("1", "0")), ("cy", ("Y", "N"))):
        (tmp_path / f"{name}.csv").write_text(f"item,label\np1,{words[0]}\np2,{words[1]}\n")
    labels = labels_of(cs.read(tmp_path, labels=True))
    assert labels.categories == ("0", "1")
    assert labels.category.tolist() == [1, 0] * 3


def test_who_never_tells_has_no_label() -> None:
    rows = {"item": list("aab"), "annotator": list("xyz"), "label": ["cat", "dog", "cannot tell"]}
    study = cs.study(rows, labels=True)
    assert labels_of(study).annotators == ("x", "y")
    assert labels_of(study).categories == ("cat", "dog")
    assert study.notes == ("answers: 1 answer is missing (cannot tell)",)


def test_missing_labels_are_counted() -> None:
    wide = {"item": list("abc"), "x": ["cat", "?", "dog"], "y": ["cat", "cannot tell", None]}
    assert cs.study(wide, labels=True).notes == ("answers: 2 answers are missing (?, cannot tell)",)


def test_numbers_mapped_to_category_are_names() -> None:
    rows = {"item": ["p1", "p1", "p2"], "worker": ["v", "w", "w"], "label": [7, 2, 3]}
    study = cs.study(rows, labels=True, columns={"category": "label"})
    assert cs.agree(study).scale.name == "nominal"
    assert cs.agree(cs.study(rows, labels=True)).scale.name == "ordinal"


def test_a_misprint_among_numbers_is_found_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("item,worker,label\np1,x,3\np1,y,4\np2,x,r\n")
    with pytest.raises(InputError, match=r"a\.csv:4: label must be a grade, found 'r'"):
        cs.read(path, labels=True)


def test_a_file_for_each_annotator(tmp_path: Path) -> None:
    for name, label in (("ann", "crowd"), ("ben", "city")):
        (tmp_path / f"{name}.csv").write_text(f"item,label\np1,{label}\n")
    labels = labels_of(cs.read(tmp_path, labels=True))
    assert labels.annotators == ("ann", "ben")
    assert labels.categories == ("city", "crowd")


def test_other_verbs_still_refuse_text_for_grades() -> None:
    rows = {"item": ["p1"], "annotator": ["x"], "label": ["crowd"]}
    with pytest.raises(InputError, match="label must be a grade, found 'crowd'"):
        cs.study(rows)


def test_systems_read_as_usual_have_labels_too() -> None:
    study = cs.study({"item": ["a", "b"], "s1": [1, 0], "s2": [0.5, None]})
    labels = labels_of(study)
    assert labels.categories == ("0", "0.5", "1")
    assert labels.values is not None
    assert len(labels) == 3


def test_some_label_with_categories_some_with_votes() -> None:
    one = {"item": ["a", "b"], "annotator": ["x", "x"], "category": ["cat", ""]}
    two = {"item": ["a"], "annotator": ["y"], "vote": [1]}
    study = cs.study(
        {"item": ["a", "b", "a"], "annotator": ["x", "x", "y"]} | {"category": ["cat", "", "dog"]}
    )
    assert len(labels_of(study)) == 2  # an empty category says nothing
    assert labels_of(cs.study(one, truth=two)).categories == ("1", "cat")


@settings(max_examples=200)
@given(
    st.dictionaries(
        st.sampled_from(["item", "annotator", "label", "gold", "score", "a1", "a2", "query"]),
        st.lists(
            st.none()
            | st.integers(-1, 3)
            | st.floats()
            | st.sampled_from(["a", "b", "?", "", "yes", "none", " a"]),
            min_size=4,
            max_size=4,
        ),
        min_size=2,
        max_size=5,
    )
)
def test_whatever_a_table_holds_there_is_an_answer_or_an_error(data: dict[str, Any]) -> None:
    with contextlib.suppress(UsageError):  # anything else is a bug
        str(cs.agree(cs.study(data, labels=True, duplicates="first")))


def test_labels_in_a_column_of_any_name() -> None:
    rows: dict[str, Any] = {"item": list("abab"), "annotator": list("xxyy")}
    rows["mark"] = ["low", "high", "low", "low"]
    assert said(rows) == {("x", "a", "low"), ("x", "b", "high")} | {("y", k, "low") for k in "ab"}
    with pytest.raises(InputError, match=r"labels could stand in 'mark', 'mood' .*=mark"):
        said({**rows, "mood": ["so", "so", "bad", "bad"]})


def test_what_is_computed_of_answers_is_nobodys_answer() -> None:
    people: dict[str, Any] = {"item": list("abcd"), "ann": list("xyxx"), "ben": list("xyyx")}
    beside = {
        "ann_conf": [0.5, 1, 0.3, 1],
        "majority": list("xyxx"),
        "num_labels": [2, 2, 2, 2],
        "fold": [0, 1, 0, 1],
    }
    assert said({**people, **beside}) == said(people)
    unused = ", ".join(beside)
    notes = cs.study({**people, **beside}, labels=True).notes
    assert any(f"columns not used: {unused}" in str(note) for note in notes)
