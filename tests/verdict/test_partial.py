"""Beside a ranking by partial truth: judged shares, worst and best cases, companions."""

import json
import math

import ir_measures
import numpy as np
import pytest
from scipy.stats import kendalltau

import consilience as cs
from consilience.measures.names import parse
from consilience.verdict.partial import partial_truth
from tests.measures.made import random_problem

TRUTH = {"q": {"a": 1, "b": 1, "n": 0}, "p": {"c": 1, "m": 0}}
RUNS = {
    "known": {"q": ["a", "n", "b"], "p": ["c", "m"]},
    "novel": {"q": ["x", "a", "b", "y"], "p": ["z", "c"]},
}


def told(study, scores):
    """What is said beside scores by partial truth."""
    one = partial_truth(study, scores)
    assert one is not None
    return one


def found(measures=("AP", "P@2"), runs=RUNS, truth=TRUTH, **options):
    study = cs.study(runs, truth=truth)
    return told(study, cs.score(study, measures=measures, **options))


def test_judged_shares():
    """By hand: novel has a, b of four and c of two judged; at 2 one of two each."""
    assert found().judged == {
        "known": {"@2": 1.0, "@10": 1.0, "all": 1.0},
        "novel": {"@2": 0.5, "@10": 0.5, "all": 0.5},
    }
    assert found().share == pytest.approx(5 / 8)


def test_who_is_first_may_depend_on_unjudged_items():
    one = found()
    assert [c.measure for c in one.companions] == ["AP(judged_only=True)", "Bpref", "infAP"]
    condensed, bpref, inferred = one.companions
    assert condensed.values == pytest.approx([(5 / 6 + 1) / 2, 1.0])
    assert condensed.first == bpref.first == ("novel",)
    assert inferred.first == ("known",)
    assert [c.same_first for c in one.companions] == [False, False, True]
    assert [c.tau for c in one.companions] == [-1, -1, 1]
    assert not one.agree
    assert one.about == (
        "AP(judged_only=True) puts novel first; Bpref puts novel first: how unjudged items are "
        "counted decides who leads"
    )
    assert "grade below 0" in inferred.about


def test_companions_that_agree():
    runs = RUNS | {"known": {"q": ["a", "b", "n"], "p": ["c", "m"]}}
    one = found(runs=runs)
    assert one.agree
    assert one.about.startswith("AP(judged_only=True), Bpref and infAP, which treat unjudged")
    assert one.about.endswith("put known first, too")


def test_bounds_hold_the_values():
    study = cs.study(RUNS, truth=TRUTH)
    scores = cs.score(study, measures=["AP", "P@2", "AUC", "nDCG@3"])
    one = told(study, scores)
    for name in ("AP", "P@2", "nDCG@3"):
        for place, system in enumerate(scores.systems):
            low, high = one.bounds[name][place]
            assert low <= scores[system][name].value <= high
    assert one.bounds["P@2"].tolist() == [[0.5, 0.5], [0.5, 1.0]]
    assert np.isnan(one.bounds["AUC"]).all()
    assert one.why["AUC"] is not None


def test_pooled_items_make_inferred_ap_tell():
    truth = TRUTH | {"q": TRUTH["q"] | {"x": -1}}
    assert (
        found(truth=truth).companions[2].about == "AP as inferred from the judged part of the pool"
    )


@pytest.mark.parametrize("measure", ["P", "AP(rel=2)", "nDCG@5", "F1", "Success@3"])
@pytest.mark.parametrize("seed", [0, 3])
def test_companions_are_those_of_ir_measures(seed, measure):
    """The same figures by ir_measures, in its convention; τ-b by scipy."""
    problem = random_problem(seed, systems=5)
    study = problem.study()
    scores = cs.score(study, measures=[measure], convention="ir_measures")
    one = told(study, scores)
    plain = [scores[system][scores.measures[0]].value for system in scores.systems]
    for companion in one.companions:
        name = {"P": "SetP", "F1": "SetF"}.get(measure)
        theirs = companion.measure if name is None else companion.measure.replace(measure, name, 1)
        theirs = companion.measure if companion.measure[0] in "Bi" else theirs
        parsed = ir_measures.parse_measure(theirs)
        expected = [
            ir_measures.calc_aggregate([parsed], problem.qrels, problem.runs[system])[parsed]
            for system in scores.systems
        ]
        np.testing.assert_allclose(companion.values, expected, atol=1e-9, err_msg=theirs)
        assert companion.tau == pytest.approx(kendalltau(plain, companion.values).statistic)
    rel = parse(measure).rel
    assert parse(one.companions[1].measure).rel == rel


def test_ties_and_conventions_are_those_of_the_scores():
    runs = {"s": {"q": {"x": 1.0, "a": 1.0, "n": 1.0}}, "t": {"q": {"n": 2.0, "a": 1.0}}}
    truth = {"q": {"a": 1, "n": 0}, "p": {"c": 1}}
    best, worst = (found(["AP"], runs, truth, ties=ties) for ties in ("best", "worst"))
    assert best.companions[0].values.tolist() == [0.5, 0.25]
    assert worst.companions[0].values.tolist() == [0.25, 0.25]
    skipped = found(["AP"], runs, truth, ties="best", convention="missing-skipped")
    assert skipped.companions[0].values.tolist() == [1.0, 0.5]
    assert skipped.bounds["AP"][1].tolist() == [0.25, 0.5]


def test_sets_have_condensed_sets_alone():
    runs = {"s": {"q": {"a", "x"}}, "t": {"q": {"a", "n"}}}
    one = found(["F1"], runs, {"q": {"a": 1, "n": 0}})
    assert [c.measure for c in one.companions] == ["F1(judged_only=True)"]
    assert one.judged == {"s": {"all": 0.5}, "t": {"all": 1.0}}
    assert one.companions[0].first == ("s",)
    assert one.about == (
        "F1(judged_only=True), which treats unjudged items otherwise, puts s first, too"
    )


def test_a_measure_is_not_its_own_companion():
    assert [c.measure for c in found(["Bpref"]).companions] == ["infAP"]
    assert [c.measure for c in found(["AP(judged_only=True)"]).companions] == ["Bpref", "infAP"]


def test_nothing_to_say():
    alone = found(runs={"novel": RUNS["novel"]})
    assert alone.about == "There is no other system that unjudged items could put first"
    nothing = found(["Accuracy"], {"s": {"q": {"x"}}, "t": {"q": {"a"}}}, {"q": {"a": 1, "n": 0}})
    assert nothing.companions == ()
    assert nothing.agree
    assert nothing.about.startswith("No measure")


@pytest.mark.parametrize(
    "truth",
    [
        {"q": {"a": 1, "b": 1, "n": 0, "x": 0, "y": 0}, "p": {"c": 1, "m": 0, "z": 1}},  # complete
        {"q": ["a", "b"], "p": ["c"]},  # listed
        {"ann": TRUTH, "bob": {"q": {"a": 0}}},  # uncertain
    ],
)
def test_other_truths_have_nothing_to_say(truth):
    study = cs.study(RUNS, truth=truth)
    assert partial_truth(study, cs.score(study, measures=["P"])) is None


def test_agreement_has_nothing_to_say():
    study = cs.study(RUNS, truth=TRUTH)
    assert partial_truth(study, cs.score(study, measures=["P"], belief=cs.ls_eb)) is None


def test_payload_is_plain_data():
    one = found()
    body = json.loads(json.dumps(one.payload(), allow_nan=False))
    assert set(body) == {"judged", "companions", "agree", "about"}
    assert set(body["companions"][0]) == {
        "measure",
        "about",
        "first",
        "tau",
        "same_first",
        "scores",
    }
    assert body["companions"][0]["scores"]["novel"] == 1.0


def test_undefined_values_are_null_in_the_payload():
    runs = {"s": {"q": {"a", "x"}}, "t": {"q": ["n", "a"]}, "u": {"q": ["x", "y"]}}
    one = found(["P"], runs, {"q": {"a": 1, "n": 0}})
    values = {c["measure"]: c["scores"] for c in one.payload()["companions"]}
    assert values["P(judged_only=True)"]["u"] is None  # nothing of it was judged
    tau = one.payload()["companions"][0]["tau"]
    assert tau is None or math.isfinite(tau)
