"""Systems against individual subjects: one figure for each, then averages, then comparisons."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

import consilience as cs
from consilience.study.subjects import subject_lists
from consilience.verdict.paired_tests import sign_test

Said = dict[tuple[str, str], list[tuple[str, float]]]


def frame(said: Said, **more: list[Any]) -> dict[str, list[Any]]:
    """Rows of query, subject, item, relevance."""
    rows = [(q, who, item, s) for (who, q), pairs in said.items() for item, s in pairs]
    names = ("query", "subject", "item", "relevance")
    return {name: [row[k] for row in rows] for k, name in enumerate(names)} | more


# By hand, g = 1/(1 + w). Ann has two queries, Bob one.
#   near  Ann q1: a b | a b → 0, quality 1      Ann q2: c d | d c → 1·1 + .5·1 = 1.5, quality .4
#         Bob q1: b a | a b → 1·1 + .5·1 = 1.5, quality .4
#   far   Ann q1: a b | x a, n = 2: a |1 − 2| = 1; b missing at 3: .5·1 → 1.5, quality .4
#         Ann q2: c d | c d → 0, quality 1
#         Bob q1: b a | x a: a |2 − 2| = 0; b missing at 3: 1·2 = 2, quality 1/3
# Means: near Ann .7, Bob .4 → .55; over all three lists it would be .6. far: Ann .7, Bob 1/3.
SAID: Said = {
    ("Ann", "q1"): [("a", 1.0), ("b", 0.5)],
    ("Ann", "q2"): [("c", 1.0), ("d", 0.5)],
    ("Bob", "q1"): [("b", 1.0), ("a", 0.5)],
}
RUNS = {"near": {"q1": ["a", "b"], "q2": ["d", "c"]}, "far": {"q1": ["x", "a"], "q2": ["c", "d"]}}


def payload(runs: Any = RUNS, said: Said = SAID, **options: Any) -> dict[str, Any]:
    made: dict[str, Any] = cs.displacement(cs.study(runs, truth=frame(said)), **options).payload()
    json.dumps(made, allow_nan=False)
    return made


def entry(made: dict[str, Any], system: str, query: str, name: str) -> dict[str, Any]:
    one: dict[str, Any]
    (one,) = [
        one
        for one in made["subjects"]
        if (one["system"], one["query"], one["name"]) == (system, query, name)
    ]
    return one


def test_each_subject_first_then_averages():
    made = payload(collection=10)
    assert entry(made, "near", "q2", "Ann")["w"] == 1.5
    bob = entry(made, "far", "q1", "Bob")
    assert (bob["w"], bob["w_optimist"], bob["w_pessimist"]) == (2.0, 2.0, 10.0)
    assert (bob["exact"], bob["hypothesis"], bob["in_both"], bob["missing"]) == (
        *(False, "optimist"),
        *(1, 1),
    )
    assert bob["quality_bounds"] == pytest.approx([1 / 11, 1 / 3])
    assert entry(made, "near", "q1", "Ann")["hypothesis"] == "exact"
    near, far = made["aggregate"]["near"], made["aggregate"]["far"]
    assert near["by_subject"] == pytest.approx({"Ann": 0.7, "Bob": 0.4})
    assert near["quality"] == pytest.approx(0.55)  # not .6: subjects count alike, not lists
    assert near["by_query"] == pytest.approx({"q1": 0.7, "q2": 0.4})
    assert far["quality"] == pytest.approx((0.7 + 1 / 3) / 2)
    assert near["w"] == pytest.approx((0.75 + 1.5) / 2)
    assert far["w_pessimist"] == pytest.approx((((1 + 5) + 0) / 2 + 10) / 2)
    assert (near["subjects"], near["queries"], near["lists"], near["exact"]) == (2, 2, 3, 3)
    assert near["spread"]["sd"] == pytest.approx(np.std([0.7, 0.4], ddof=1))
    assert near["interval"] is None
    assert made["resampling"] is None
    assert "fewer than 3 subjects" in made["no_interval"]


def test_the_pessimist_where_he_is_asked():
    made = payload(collection=10, hypothesis="pessimist")
    bob = entry(made, "far", "q1", "Bob")
    assert (bob["w"], bob["hypothesis"], bob["quality"]) == (10.0, "pessimist", 1 / 11)
    with pytest.raises(cs.UsageError, match="the pessimist needs the size of the collection"):
        payload(hypothesis="pessimist")
    exact = {"near": RUNS["near"]}
    assert payload(exact, hypothesis="pessimist")["aggregate"]["near"]["w"] == 1.125


def test_without_a_collection_there_is_a_reason():
    made = payload()
    bob = entry(made, "far", "q1", "Bob")
    assert bob["w_pessimist"] is None
    assert "the size of the collection is not given" in bob["undefined"]
    assert bob["quality_bounds"] == [0.0, pytest.approx(1 / 3)]
    assert made["aggregate"]["far"]["w_pessimist"] is None
    assert made["aggregate"]["far"]["undefined"]
    assert made["aggregate"]["near"]["undefined"] is None
    with pytest.raises(cs.UsageError, match="a collection of 2 items is too small"):
        payload(collection=2)


def test_a_query_without_an_answer_counts_as_the_worst():
    runs = {"near": RUNS["near"], "half": {"q1": ["a", "b"]}}
    made = payload(runs)
    lost = entry(made, "half", "q2", "Ann")
    assert (lost["w"], lost["quality"], lost["answered"]) == (None, 0.0, False)
    assert "nothing was returned" in lost["undefined"]
    assert made["aggregate"]["half"]["by_subject"]["Ann"] == 0.5
    assert made["aggregate"]["half"]["unanswered"] == 1
    assert any("half returned nothing for 1 query (q2)" in note for note in made["notes"])
    known = entry(payload(runs, collection=20), "half", "q2", "Ann")
    assert (known["w"], known["w_optimist"], known["hypothesis"]) == (30.0, None, "pessimist")
    assert known["quality"] == 1 / 31


people = st.dictionaries(
    st.tuples(st.sampled_from(["A", "B", "C", "D"]), st.sampled_from(["q1", "q2"])),
    st.lists(
        st.tuples(st.sampled_from("abcdefg"), st.sampled_from([0.0, 0.3, 0.6, 1.0])),
        unique_by=lambda pair: pair[0],
        min_size=1,
        max_size=5,
    ),
    min_size=1,
    max_size=6,
)
runs_ = st.fixed_dictionaries(
    {q: st.lists(st.sampled_from("abcdefgxyz"), unique=True, min_size=1) for q in ("q1", "q2")}
)


@given(people, runs_, runs_)
def test_every_figure_is_that_of_the_two_lists_alone(said, one, two):
    made = payload({"one": one, "two": two}, said, collection=50, quality="exponential:lambda=0.1")
    for found in made["subjects"]:
        run = {"one": one, "two": two}[found["system"]]
        alone = cs.weighted_displacement(
            said[found["name"], found["query"]], run[found["query"]], collection=50
        )
        assert found["w_optimist"] == pytest.approx(alone.w_optimist, abs=1e-12)
        assert found["w_pessimist"] == pytest.approx(alone.w_pessimist, abs=1e-12)
        assert (found["exact"], found["in_both"]) == (alone.exact, alone.in_both)
        assert found["quality"] == pytest.approx(np.exp(-0.1 * alone.w))
        low, high = found["quality_bounds"]
        assert low <= found["quality"] <= high + 1e-15
    for name, total in made["aggregate"].items():
        mine = [found for found in made["subjects"] if found["system"] == name]
        by: dict[str, list[float]] = {}
        for found in mine:
            by.setdefault(found["name"], []).append(found["quality"])
        assert total["quality"] == pytest.approx(np.mean([np.mean(v) for v in by.values()]))


@given(people, runs_, st.randoms(use_true_random=False))
def test_row_order_does_not_matter_where_there_are_ranks(said, run, chance):
    said = {key: sorted(pairs, key=lambda pair: -pair[1]) for key, pairs in said.items()}
    rank = [k for pairs in said.values() for k in range(1, len(pairs) + 1)]
    table = frame(said, rank=rank)
    order = list(range(len(rank)))
    chance.shuffle(order)
    mixed = {name: [column[k] for k in order] for name, column in table.items()}
    figures = [
        {
            (one["name"], one["query"]): one["w"]
            for one in cs.displacement(cs.study({"s": run}, truth=truth)).payload()["subjects"]
        }
        for truth in (table, mixed)
    ]
    assert figures[0] == figures[1]


def test_ranks_alone_weigh_every_item_alike_and_leave_no_ties():
    table = {"query": ["q"] * 3, "subject": ["A"] * 3, "item": list("abc"), "rank": [3, 1, 2]}
    study = cs.study({"s": {"q": ["b", "c", "a"]}}, truth=table)
    made = cs.displacement(study).payload()
    assert made["subjects"][0]["w"] == 0
    assert made["subjects"][0]["ties"] == 0
    assert made["notes"] == []


def test_ties_are_counted_and_bounded():
    said: Said = {("A", "q1"): [("a", 1.0), ("b", 0.5), ("c", 0.5)]}
    runs = {"s": {"q1": ["a", "c", "b"]}}
    made = payload(runs, said)
    assert (made["subjects"][0]["w"], made["subjects"][0]["ties"]) == (1.0, 2)
    (note,) = made["notes"]
    assert note.startswith("2 of 3 items in the subjects' lists are of the same relevance")
    assert "its mean quality is 1.0000 and 0.5000 (s)" in note
    assert payload(runs, said, subject_ties="best")["subjects"][0]["w"] == 0.0


def test_ties_of_a_system_follow_the_rule():
    said: Said = {("A", "q1"): [("a", 1.0), ("b", 0.5)]}
    runs = {"s": {"q1": {"a": 2.0, "b": 2.0}}}
    assert payload(runs, said)["subjects"][0]["w"] == 1.5  # trec: b before a
    assert payload(runs, said, ties="order")["subjects"][0]["w"] == 0.0
    assert payload(runs, said, ties="best")["subjects"][0]["w"] == 0.0
    assert payload(runs, said, ties="worst")["subjects"][0]["w"] == 1.5
    assert payload(runs, said)["notes"] == [
        "2 answers of systems share their score: settled by 'trec'"
    ]


def test_a_system_is_asked_until_all_is_seen():
    order = {"q1": "xyabz", "q2": "dcz"}
    drawn: dict[str, int] = {}

    def results(query: str) -> Iterator[str]:
        for k, item in enumerate(itertools.chain(order[query], itertools.repeat("!")), start=1):
            drawn[query] = k
            yield item

    study = cs.study(RUNS, truth=frame(SAID))
    made = cs.displacement(study, ask={"new": results}).payload()
    assert made["systems"] == ["near", "far", "new"]
    assert drawn == {"q1": 4, "q2": 2}
    assert entry(made, "new", "q1", "Ann")["w"] == 2 + 0.5 * 2
    assert all(one["exact"] for one in made["subjects"] if one["system"] == "new")
    subjects = cs.study(frame(SAID))  # nobody but subjects: the system is only asked
    assert subjects.systems == ()
    alone = cs.displacement(subjects, ask={"new": results}).payload()
    assert alone["aggregate"]["new"] == made["aggregate"]["new"]
    with pytest.raises(cs.UsageError, match="there is no system to compare"):
        cs.displacement(subjects)


def test_a_stored_run_goes_on_where_it_ended():
    study = cs.study(RUNS, truth=frame(SAID))
    more = {"q1": ["x", "a", "y", "b"], "q2": ["c", "d"]}
    made = cs.displacement(study, ask={"far": lambda q: iter(more[q])}).payload()
    bob = entry(made, "far", "q1", "Bob")
    assert (bob["w"], bob["exact"]) == (3.0, True)  # b at 4: |1 − 4|; the optimist hoped for 2
    assert made["settings"]["asked"] == ["far"]
    with pytest.raises(cs.UsageError, match="'far', query 'q1': asked now, the system puts 'y'"):
        cs.displacement(study, ask={"far": lambda q: iter(["x", "y"])})


def test_asking_ends_at_the_limit_and_says_so():
    study = cs.study(RUNS, truth=frame(SAID))
    made = cs.displacement(
        study, ask={"new": lambda q: (str(k) for k in itertools.count())}, limit=30
    ).payload()
    assert entry(made, "new", "q1", "Bob")["w"] == 30 + 0.5 * 30
    said = "new was asked for up to 30 results; 3 of 3 lists are still not exact"
    assert said in made["notes"]


@pytest.mark.parametrize(("better", "worse"), [(5, 0), (3, 1), (0, 0), (7, 9), (40, 12), (6, 6)])
def test_the_sign_test_is_that_of_scipy(better, worse):
    expected = binomtest(better, better + worse).pvalue if better + worse else 1.0
    assert sign_test(better, worse) == pytest.approx(min(1.0, expected))


def five() -> Said:
    """Five subjects who all hold a before b; Eve, the fifth, the other way."""
    said: Said = {(who, "q"): [("a", 1.0), ("b", 0.5)] for who in ("A", "B", "C", "D")}
    return said | {("Eve", "q"): [("b", 1.0), ("a", 0.5)]}


def test_systems_are_compared_subject_by_subject():
    runs = {"ba": {"q": ["b", "a"]}, "ab": {"q": ["a", "b"]}, "ab2": {"q": ["a", "b", "c"]}}
    made = payload(runs, five())
    pairs = {(pair["a"], pair["b"]): pair for pair in made["pairs"]}
    pair = pairs["ab", "ba"]
    assert (pair["nearer_a"], pair["nearer_b"], pair["equal"]) == (4, 1, 0)
    assert pair["difference"] == pytest.approx((4 * 0.6 - 0.6) / 5)
    assert pair["sign_test"] == {"p": 0.375, "p_holm": 1.0}
    assert pair["interval"][0] <= pair["difference"] <= pair["interval"][1]
    assert pairs["ab", "ab2"]["equal"] == 5
    drawn = made["resampling"]
    assert (drawn["unit"], drawn["n"], drawn["seed"]) == ("subjects", 5, 0)
    assert made["aggregate"]["ab"]["interval"] is not None
    two = payload({name: runs[name] for name in ("ab", "ba")}, five())
    assert two["headline"].startswith(
        "ab is nearer to 4 of 5 subjects than ba, and ba to 1 (mean quality 0.8800 and 0.5200)."
    )
    assert "Not settled" in two["headline"]
    assert "best" not in two["headline"]


def test_enough_subjects_settle_it():
    said: Said = {(str(k), "q"): [("a", 1.0), ("b", 0.5)] for k in range(8)}
    made = payload({"ab": {"q": ["a", "b"]}, "ba": {"q": ["b", "a"]}}, said)
    assert "Chance alone would hardly do that (sign test p = 0.00781)." in made["headline"]


def test_depth_cuts_and_scale_divides():
    cut = payload({"s": {"q1": ["x", "a", "b"], "q2": ["c"]}}, depth=1)
    assert entry(cut, "s", "q1", "Ann")["in_both"] == 0
    assert cut["settings"]["depth"] == 1
    graded: Said = {("A", "q1"): [("b", 3.0), ("a", 1.5)]}
    made = payload({"s": {"q1": ["a", "b"]}}, graded, scale=3)
    assert made["subjects"][0]["w"] == 1.5
    with pytest.raises(cs.UsageError, match=r"relevance must be in \[0, 1\], found 3: subject 'A'"):
        payload({"s": {"q1": ["a", "b"]}}, graded)


def test_notes_count_what_is_odd():
    table = frame({("A", "q1"): [("a", 1.0), ("b", float("nan"))], ("B", "q1"): [("a", 0.0)]})
    study = cs.study({"s": {"q1": ["a"], "q7": ["z"]}, "t": {"q1": ["x", "y"]}}, truth=table)
    made = cs.displacement(study).payload()
    notes = " / ".join(made["notes"])
    assert "1 answer of subjects say 'cannot tell': left out" in notes
    assert "1 query of the runs without a subject: not used (q7)" in notes
    assert "1 list of subjects hold nothing relevant" in notes
    assert subject_lists(study).left_out == 1


def test_the_optimist_favours_short_lists_and_says_so():
    runs = {"short": {"q1": ["x"], "q2": ["y"]}, "long": {"q1": list("xyzuvw"), "q2": ["c", "d"]}}
    notes = " ".join(payload(runs)["notes"])
    assert "hold from 1 to 6 items" in notes
    assert "shorter lists look better" in notes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "trek"}, "did you mean 'trec'"),
        ({"subject_ties": "bst"}, "did you mean 'best'"),
        ({"hypothesis": "optimistic"}, "did you mean 'optimist'"),
        ({"level": 2}, "the level must be between 0 and 1"),
        ({"scale": 0}, "a scale is the highest relevance"),
        ({"depth": 0}, "the depth must be at least 1"),
        ({"collection": "many"}, "a collection is a number of items"),
        ({"ask": {"s": lambda q: iter("ab")}, "limit": 0}, "a limit is how many results"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(cs.UsageError, match=message):
        payload(**options)


def test_studies_that_cannot_be_compared():
    with pytest.raises(cs.UsageError, match="share no query: runs have '1'; subjects have 'q1'"):
        payload({"s": {"1": ["a"]}})
    with pytest.raises(cs.UsageError, match="there are no subjects' lists"):
        cs.displacement(cs.study({"s": {"q": ["a"]}}))
    table = {"query": ["q1"], "system": ["s"], "item": ["a"], "vote": [1]}
    unordered = cs.study(table, truth=frame(SAID))
    with pytest.raises(cs.UsageError, match="'s' has no order"):
        cs.displacement(unordered)


def test_the_same_question_has_the_same_id_and_shows_itself():
    study = cs.study(RUNS, truth=frame(SAID))
    one, two = cs.displacement(study), cs.displacement(study)
    assert (
        one.payload()["id"]
        == two.payload()["id"]
        != cs.displacement(study, level=0.9).payload()["id"]
    )
    assert str(one).startswith(one.headline[:30])
    assert "<table" in one._repr_html_()
    assert {*cs.charts(one)} == {"qualities", "ranges"}
