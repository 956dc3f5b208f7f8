"""Judges beside the systems: their word stands, they vote, or they leave no trace."""

import itertools
from functools import partial

import pytest

import consilience as cs
from consilience.belief.agreement import consensus, ls_eb, majority
from tests.belief.made import by_item


def test_gold_clamps_or_votes():
    runs = {"a": {"q": ["x", "y"]}, "b": {"q": ["x", "z"]}}
    study = cs.study(runs, truth={"q": {"x": 0, "y": 1}})
    clamped = by_item(study, ls_eb(study))
    assert (clamped["q", "x"], clamped["q", "y"]) == (0.0, 1.0)
    assert 0 < clamped["q", "z"] < 1
    voted = by_item(study, consensus(study))
    assert voted["q", "x"] == pytest.approx((1 + 2) / 5)  # two systems and ⊤ of five
    assert voted["q", "z"] == pytest.approx((1 + 1) / 4)  # gold is silent about it
    ignored = consensus(study, evidence="ignore")
    assert by_item(study, ignored)["q", "x"] == pytest.approx(3 / 4)
    assert ignored.truth == 0.0
    assert ls_eb(study).truth == pytest.approx(2 / 3)


def test_people_vote_where_gold_clamps():
    table = {
        "query": ["q"] * 4,
        "item": ["x", "y", "x", "y"],
        "respondent": ["a", "b", "anna", "anna"],
        "kind": ["system", "system", "person", "person"],
        "vote": [1, 1, 0, 1],
    }
    study = cs.study(table)
    found = by_item(study, consensus(study))
    assert found["q", "x"] == pytest.approx(2 / 5)
    assert found["q", "y"] == pytest.approx(3 / 5)


def test_judges_that_vote_are_no_truth():
    """However many items they judged: what voters say beside them is agreement."""
    runs = {"a": {"q": ["x", "y"]}, "b": {"q": ["x", "z"]}, "c": {"q": ["z", "y"]}}
    study = cs.study(runs, truth={"q": {"x": 1, "y": 0, "z": 1}})
    for believe in (consensus, partial(ls_eb, evidence="vote"), _voting_skene):
        belief = believe(study)
        assert (belief.truth, belief.heard) == (0.0, 1.0)
    verdict = cs.rank(study, measures=["F1"], belief=consensus)
    assert not verdict.settled
    assert verdict.payload()["caveat"] == ("judges voted on 100.0% of the items: this is agreement")
    assert ls_eb(study).truth == 1.0
    assert consensus(study, weights={"oracle": 1}).truth == 1.0


def _voting_skene(study: cs.Study) -> cs.Belief:
    return cs.dawid_skene(study, evidence="vote")


@pytest.mark.parametrize("name", ["consensus", "ls_eb", "majority", "dawid_skene", "hierarchical"])
def test_ignored_judges_leave_no_trace(name):
    """Also the items that only they mentioned are gone: the same as without the truth file."""
    believe = partial(getattr(cs, name), evidence="ignore")
    blind, seen = cs.read(cs.example("keyphrases.csv")), cs.example_study("keyphrases")
    measures = ["P", "R", "F1", "nDCG", "Accuracy"]
    one = cs.score(blind, measures=measures, belief=believe)
    other = cs.score(seen, measures=measures, belief=believe)
    for system, measure in itertools.product(blind.systems, measures):
        expected = one[system][measure].value
        assert other[system][measure].value == pytest.approx(expected, abs=1e-9), measure
    assert other.belief.heard == 0.0


def test_a_judged_query_that_nobody_answered():
    runs = {"a": {"q1": ["x", "y"]}, "b": {"q1": ["x", "z"]}, "c": {"q1": ["w", "x"]}}
    study = cs.study(runs, truth={"q1": {"x": 1, "y": 0}, "q2": {"v": 1}})
    for believe in (ls_eb, majority, cs.dawid_skene, consensus):
        scores = cs.score(study, measures=["nDCG", "F1"], belief=believe)
        assert 0 < scores["a"]["nDCG"].value <= 1


def test_people_who_list_what_they_found_say_no_to_the_rest():
    listed = {"anna": ["x", "y"], "ben": ["x"], "eva": ["x", "z"]}
    rows = [(item, who) for who, items in listed.items() for item in items]
    truth = {"item": [i for i, _ in rows], "annotator": [w for _, w in rows]}
    study = cs.study({"S": {"all": list("xyz")}}, truth=truth)
    found = by_item(study, cs.gold(study))
    assert found == pytest.approx({("all", "x"): 1, ("all", "y"): 1 / 3, ("all", "z"): 1 / 3})


def test_truth_alone_leaves_nothing_to_belief():
    """Gold has judged all that was returned; what nobody returned is believed a little, though."""
    runs = {"A": {"q": ["d1"]}, "B": {"q": ["d1", "d2"]}, "C": {"q": ["d2"]}}
    truth = {"q": {"d1": 1, "d2": 0}}
    assert ls_eb(cs.study(runs, truth=truth)).truth == 1.0
    wide = cs.study(runs, truth=truth, universe=100)
    for believe in (ls_eb, partial(consensus, evidence="clamp"), cs.dawid_skene):
        assert believe(wide).truth < 0.1
        verdict = cs.rank(wide, measures=["R"], belief=believe)
        assert verdict.payload()["caveat"].startswith("ground truth was used for 2.0% of the items")
        assert not verdict.settled


def test_an_item_that_only_a_person_returned_is_no_truth():
    table = {
        "item": ["d1", "d2", "d1", "d2", "d9"],
        "respondent": ["g", "g", "S", "S", "anna"],
        "kind": ["gold", "gold", "system", "system", "person"],
        "vote": [1, 0, 1, 1, 1],
    }
    assert ls_eb(cs.study(table)).truth == pytest.approx(2 / 3)
