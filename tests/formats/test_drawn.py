"""Labels drawn by design are read with their probability and round, labelled or not."""

from __future__ import annotations

import math

import pytest

import consilience as cs
from consilience.formats.exports import exported

HEAD = "query,item,probability,round,label\n"
RUN = {"A": {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, "B": {"q": {"c": 2.0, "d": 1.0}}}
NAN = math.nan


def read(path, **options):
    return cs.study(RUN, truth=path, **options)


def read_files(path, **options):
    return cs.read(path, **options)


def read_placed(path, **options):
    return cs.read_assignments(path, **options)


@pytest.mark.parametrize("named", ["label", "grade", "vote", "relevant", "relevance", "judgment"])
@pytest.mark.parametrize(
    ("yes", "no"), [("yes", "no"), ("1", "0"), ("Relevant", "not relevant"), ("1.0", "0.0")]
)
def test_a_drawn_row_without_a_label_stays_without_one(write, named, yes, no) -> None:
    content = HEAD.replace("label", named) + f"q,a,0.5,1,{yes}\nq,b,0.25,1,\nq,c,0.125,2,{no}\n"
    study = read(write(content, "labels.csv"))
    evidence = study.evidence
    said = evidence.vote if named == "vote" else evidence.grade
    assert said.tolist() == pytest.approx([1, NAN, 0], nan_ok=True)
    assert evidence.probability.tolist() == [0.5, 0.25, 0.125]
    assert evidence.round.tolist() == [1, 1, 2]
    assert study.respondents.kind[-1] == "gold"
    assert cs.condition(study).judged == 0.5
    assert dict(zip(study.items.names(cs.gold(study).item), cs.gold(study).p, strict=True)) == {
        "a": 1,
        "c": 0,
    }


def test_grades_are_kept_and_rounds_may_be_missing(write) -> None:
    study = read(write(HEAD + "q,a,0.5,1,3\nq,b,1,,0\nq,c,,,2\n", "x.csv"))
    assert study.evidence.grade.tolist() == [3, 0, 2]
    assert study.evidence.round.tolist() == [1, 0, 0]
    assert study.evidence.probability.tolist() == pytest.approx([0.5, 1, NAN], nan_ok=True)
    bare = read(write("query,item,pi,label\nq,a,0.5,1\n", "x.csv"))
    assert bare.evidence.round is None
    empty = read(write(HEAD + "q,a,0.5,,1\n", "x.csv"))
    assert empty.evidence.round is None


def test_labels_that_all_say_yes_are_no_list_of_what_is_relevant(write) -> None:
    """Without a probability they are one: then silence means no."""
    drawn = read(write(HEAD + "q,a,0.5,1,1\nq,b,0.5,1,1\n", "x.csv"))
    assert drawn.respondents.silence[-1] == "unknown"
    assert cs.condition(drawn).name == "partial"
    listed = read(write("query,item,label\nq,a,1\nq,b,1\n", "x.csv"))
    assert listed.respondents.silence[-1] == "no"


def test_rows_without_a_column_of_labels_are_no_yes(write) -> None:
    study = read(write("query,item,probability,round\nq,a,0.5,1\nq,b,0.5,1\n", "x.csv"))
    assert all(map(math.isnan, study.evidence.vote.tolist()))
    what = cs.condition(study)
    assert (what.name, what.why) == (
        "absent",
        "items were drawn to be judged, and none has a label yet",
    )
    with pytest.raises(cs.UsageError, match="none has a label yet"):
        cs.gold(study)
    assert cs.rank(study).payload()["belief"]["method"] == "ls-eb"


@pytest.mark.parametrize("cell", ["0", "-1", "1.5", "first", "inf"])
def test_a_round_is_a_whole_number_from_1(write, cell) -> None:
    path = write(HEAD + f"q,a,0.5,1,1\nq,b,0.5,{cell},1\n", "x.csv")
    with pytest.raises(cs.InputError, match=r"x\.csv:3: round must be a whole number from 1, fo"):
        read(path)


@pytest.mark.parametrize("cell", ["0", "1.1", "-0.5", "often"])
def test_a_probability_is_above_0_and_up_to_1(write, cell) -> None:
    path = write(HEAD + f"q,a,{cell},1,1\n", "x.csv")
    with pytest.raises(cs.InputError, match=r"x\.csv:2: probability must be a probability above 0"):
        read(path)


def test_without_a_probability_a_round_is_what_it_was(write) -> None:
    """A respondent of a wide table, a column that is not used, or the iteration of judgments."""
    wide = read_files(write("item,S1,round\na,1,1\nb,0,0\n", "x.csv"))
    assert wide.systems == ("S1", "round")
    long = read_files(write("item,system,vote,round\na,A,1,7\nb,A,0,x\n", "x.csv"))
    assert (long.answers.round, long.sources[0].notes) == (None, ("columns not used: round",))
    qrels = read_files(write("q 1 a 1\nq 2 b 0\n", "qrels.txt"))
    assert (qrels.evidence.round, qrels.evidence.probability) == (None, None)


def test_names_can_be_mapped(write) -> None:
    path = write("query,item,chance,draw,label\nq,a,0.5,2,1\n", "x.csv")
    study = read(path, columns={"probability": "chance", "round": "draw"})
    assert (study.evidence.probability.tolist(), study.evidence.round.tolist()) == ([0.5], [2])
    with pytest.raises(cs.UsageError, match="no column holds the probability with which"):
        read(path, columns={"round": "draw"})


def test_wide_tables_keep_how_the_gold_column_was_drawn(write) -> None:
    content = "item,S1,S2,gold,probability,round\na,1,0,1,0.5,1\nb,1,0,,0.25,2\nc,1,1,,,\n"
    study = read_files(write(content, "x.csv"))
    assert study.systems == ("S1", "S2")
    assert study.evidence.grade.tolist() == pytest.approx([1, NAN, NAN], nan_ok=True)
    assert study.evidence.probability.tolist() == pytest.approx([0.5, 0.25, NAN], nan_ok=True)
    assert study.evidence.round.tolist() == [1, 2, 0]
    assert (study.answers.probability, study.answers.round) == (None, None)
    people = read(write("query,item,ann,ben,pi,wave\nq,a,1,,0.5,1\nq,b,0,1,0.25,1\n", "x.csv"))
    assert people.evidence.probability.tolist() == [0.5, 0.25] * 2
    assert people.evidence.round.tolist() == [1] * 4


@pytest.mark.parametrize(
    "content",
    [
        "item,annotator,label,probability,round\na,ann,cat,0.5,1\nb,ann,dog,0.25,2\n",
        "item,ann,probability,round\na,cat,0.5,1\nb,dog,0.25,2\n",
        "item,ann,ben,probability,round\na,cat,cat,0.5,1\nb,dog,cat,0.25,2\n",
    ],
)
def test_labels_that_are_words_keep_how_they_were_drawn(write, content) -> None:
    study = read_files(write(content, "x.csv"), labels=True)
    people = len(study.respondents)
    assert study.evidence.probability.tolist() == [0.5, 0.25] * people
    assert study.evidence.round.tolist() == [1, 2] * people
    tree: dict[str, object] = {"all": {"cat": {}, "dog": {}}}
    placed = read_placed(write(content, "x.csv"), tree=tree)
    assert placed.evidence.probability.tolist() == [0.5, 0.25] * people
    assert placed.evidence.round.tolist() == [1, 2] * people


def test_who_has_not_labelled_yet_needs_no_name(write) -> None:
    rows = "annotator,query,item,probability,label\n{}q,a,0.5,1\n,q,b,0.5,\n{}q,c,0.5,0\n"
    one = read(write(rows.format("ann,", "ann,"), "x.csv"))
    assert one.respondents.names[2:] == ("ann",)
    two = read(write(rows.format("ann,", "ben,"), "x.csv"))
    assert two.respondents.names[2:] == ("ann", "not labelled", "ben")
    with pytest.raises(cs.InputError, match=r"x\.csv:2: annotator: the respondent is empty"):
        read(write(rows.format(",", "ben,"), "x.csv"))


def test_a_system_may_give_what_it_calls_probability(write) -> None:
    """How sure a system is tells nothing of how items were drawn, unless the user says so."""
    path = write("query,system,item,probability\nq,A,a,0.5\n", "x.csv")
    with pytest.raises(cs.InputError, match="may be how sure the system was"):
        read_files(path)
    study = read_files(path, columns={"probability": "probability"})
    assert study.answers.vote is None
    assert exported([{"item": "a", "probability": 0.5}]) is None
