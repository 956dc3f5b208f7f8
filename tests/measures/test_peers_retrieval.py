"""The same figures as pytrec_eval and ir_measures, or a difference that is pinned with numbers.

Expected values are computed by those programs while the test runs; pytrec_eval carries the C code
of trec_eval 9.
"""

import math

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import assume, given, settings

import consilience as cs
from consilience.measures.names import parse
from tests.measures.made import Problem, problems, random_problem

CUTS = "1,3,5,10,20"
TREC = {
    "map", "Rprec", "recip_rank", "ndcg", "set_P", "set_recall", "set_F",
    *(f"{name}.{CUTS}" for name in ("P", "recall", "map_cut", "ndcg_cut", "success", "relative_P")),
}  # fmt: skip


def trec_eval(run, qrels, rel=1):
    return pytrec_eval.RelevanceEvaluator(qrels, TREC, relevance_level=rel).evaluate(run)


def assert_same_as_trec_eval(problem: Problem, rel: int) -> None:
    study = problem.study()
    for system, run in problem.runs.items():
        theirs = trec_eval(run, problem.qrels, rel)
        names = sorted(next(iter(theirs.values())))
        ours = {name: with_rel(name, rel) for name in names}
        scores = cs.score(study, measures=list(ours.values()), convention="trec_eval")
        for name, measure in ours.items():
            one = scores[system][measure]
            expected = [theirs.get(query, {}).get(name, math.nan) for query in scores.queries]
            np.testing.assert_allclose(
                one.per_query, expected, rtol=0, atol=1e-9, err_msg=f"{system} {name}"
            )
            assert one.value == pytest.approx(np.nanmean(expected), abs=1e-9)


def with_rel(name: str, rel: int) -> str:
    """Our name of a trec_eval measure with the option -l (nDCG has none: it reads grades)."""
    measure = str(parse(name))
    base, _, k = measure.partition("@")
    option = f"(rel={rel})" if rel != 1 and base != "nDCG" else ""
    return str(parse(base + option + (f"@{k}" if k else "")))


@pytest.mark.parametrize("rel", [1, 2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_pytrec_eval(seed, rel):
    assert_same_as_trec_eval(random_problem(seed, items=60), rel)


@given(problems(systems=2))
@settings(max_examples=60, deadline=None)
def test_pytrec_eval_odd_cases(problem):
    """Where all grades of a query are negative, trec_eval 9 reads memory that nobody has set."""
    assume(all(max(grades.values()) >= 0 for grades in problem.qrels.values()))
    assert_same_as_trec_eval(problem, 1)


def test_scores_that_differ_beyond_float32_tie_in_pytrec_eval_but_not_here():
    """trec_eval 9 keeps scores as float32; trec_eval 10 and we as double."""
    run = {"q": {"a": 1.0 + 1e-9, "b": 1.0, "c": 0.5}}
    qrels = {"q": {"a": 1, "b": 0, "c": 0}}
    assert trec_eval(run, qrels)["q"]["recip_rank"] == 0.5  # a tie: b before a
    study = cs.study({"s": run}, truth=qrels)
    assert cs.score(study, measures=["RR"])["s"]["RR"].value == 1.0
    single = {"q": {item: float(np.float32(score)) for item, score in run["q"].items()}}
    study = cs.study({"s": single}, truth=qrels)
    assert cs.score(study, measures=["RR"])["s"]["RR"].value == 0.5


MISSING = Problem(
    runs={"s": {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0}}},
    qrels={"q1": {"a": 1, "b": 0}, "q2": {"c": 0}, "q3": {"d": 1}},
)  # q1: AP 1; q2: nothing relevant; q3: no answer


@pytest.mark.parametrize(
    ("convention", "value", "undefined"),
    [
        ("ours", 1 / 2, 1),  # q1 and q3; q2 is left out
        ("missing-skipped", 1.0, 1),  # q1 alone
        ("trec_eval", 1 / 2, 0),  # q1 and q2
        ("ir_measures", 1 / 3, 0),  # all three
    ],
)
def test_conventions(convention, value, undefined):
    scores = cs.score(MISSING.study(), measures=["AP"], convention=convention)
    one = scores["s"]["AP"]
    assert one.value == pytest.approx(value)
    assert (one.undefined, one.missing) == (undefined, 1)
    run = MISSING.runs["s"]
    if convention == "trec_eval":
        theirs = trec_eval(run, MISSING.qrels)
        assert np.mean([one["map"] for one in theirs.values()]) == pytest.approx(value)
    if convention == "ir_measures":
        theirs = ir_measures.calc_aggregate([ir_measures.AP], MISSING.qrels, run)
        assert theirs[ir_measures.AP] == pytest.approx(value)


IR_MEASURES = [
    "P@10", "P(rel=2)@10", "AP", "AP@5", "AP(rel=2)", "AP(rel=2)@5", "nDCG", "nDCG@10", "NDCG@3",
    "RR", "MRR", "RR(rel=2)", "Rprec", "RPrec", "Rprec(rel=2)", "R@5", "Recall@10", "R(rel=2)@5",
    "SetP", "SetP(rel=2)", "SetR", "SetR(rel=2)", "SetF", "SetF(rel=2)", "Precision@5",
    "Success@1", "Success@5", "Success(rel=2)@5",
]  # fmt: skip
#: Ties stand in the other order in these (item names rising).
IR_MEASURES_TIES_RISING = ["RR@3", "RR(rel=2)@5", "MRR@10", "Judged@5", "Judged@50", "Judged"]


def assert_same_as_ir_measures(problem: Problem, names: list[str]) -> None:
    theirs = {name: ir_measures.parse_measure(name) for name in names}
    scores = cs.score(problem.study(), measures=names, convention="ir_measures")
    for system, run in problem.runs.items():
        values = {
            (one.measure, one.query_id): one.value
            for one in ir_measures.iter_calc(list(theirs.values()), problem.qrels, run)
        }
        averages = ir_measures.calc_aggregate(list(theirs.values()), problem.qrels, run)
        for name, measure in theirs.items():
            one = scores[system][str(parse(name))]
            expected = [values[measure, query] for query in scores.queries]
            np.testing.assert_allclose(one.per_query, expected, rtol=0, atol=1e-9, err_msg=name)
            assert one.value == pytest.approx(averages[measure], abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_ir_measures(seed):
    assert_same_as_ir_measures(random_problem(seed), IR_MEASURES)


@pytest.mark.parametrize("seed", range(6))
def test_ir_measures_without_ties(seed):
    """RR@k and Judged@k of ir_measures settle ties the other way round: take scores apart."""
    made = random_problem(seed, lowest=0)
    runs = {
        system: {
            query: {item: score + place * 1e-6 for place, (item, score) in enumerate(run.items())}
            for query, run in answers.items()
        }
        for system, answers in made.runs.items()
    }
    untied = Problem(runs, made.qrels)
    assert_same_as_ir_measures(untied, [*IR_MEASURES, *IR_MEASURES_TIES_RISING])


def test_ir_measures_settles_ties_in_two_ways():
    run = {"q": {"a": 1.0, "b": 1.0}}
    qrels = {"q": {"a": 1, "b": 0}}
    measures = [ir_measures.parse_measure(name) for name in ("RR", "RR@2")]
    theirs = ir_measures.calc_aggregate(measures, qrels, run)
    assert [theirs[measure] for measure in measures] == [0.5, 1.0]
    ours = cs.score(cs.study({"s": run}, truth=qrels), measures=["RR", "RR@2"])["s"]
    assert [one.value for one in ours.values()] == [0.5, 0.5]


def test_beta_of_ir_measures_is_squared_here():
    """P = .5, R = 1: F with β = 2 is 5·.5/(4·.5 + 1); ir_measures takes 2 for β²."""
    run = {"q": {"a": 2.0, "b": 1.0}}
    qrels = {"q": {"a": 1, "b": 0}}
    theirs = ir_measures.parse_measure("SetF(beta=2.0)")
    assert ir_measures.calc_aggregate([theirs], qrels, run)[theirs] == pytest.approx(0.75)
    root = f"F{math.sqrt(2)}"
    ours = cs.score(cs.study({"s": run}, truth=qrels), measures=["SetF(beta=2)", root])["s"]
    assert ours["F2"].value == pytest.approx(2.5 / 3)
    assert ours[root].value == pytest.approx(0.75)


def test_a_negative_grade_is_judged_in_ir_measures_but_not_here():
    run = {"q": {"a": 2.0, "b": 1.0}}
    qrels = {"q": {"a": 1, "b": -1}}
    theirs = ir_measures.parse_measure("Judged@2")
    assert ir_measures.calc_aggregate([theirs], qrels, run)[theirs] == 1.0
    ours = cs.score(cs.study({"s": run}, truth=qrels), measures=["Judged@2"])["s"]
    assert ours["Judged@2"].value == 0.5


def test_accuracy_means_something_else_in_ir_measures():
    """There it is a share of pairs; here of items rightly returned or left alone."""
    run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
    qrels = {"q": {"a": 0, "b": 1, "c": 0}}
    theirs = ir_measures.parse_measure("Accuracy")
    assert ir_measures.calc_aggregate([theirs], qrels, run)[theirs] == 0.5
    ours = cs.score(cs.study({"s": run}, truth=qrels), measures=["Accuracy", "AUC"])["s"]
    assert ours["Accuracy"].value == pytest.approx(1 / 3)
    assert ours["AUC"].value == 0.5


@pytest.mark.parametrize(("total", "theirs", "ours"), [(3, 0.7424, 0.7273), (5, 0.4848, 0.4848)])
def test_eleven_points_of_trec_eval_9(total, theirs, ours):
    """Relevant at ranks 1, 3, 6: level .7 of 3 needs 2.1 hits, trec_eval 9 takes two for enough."""
    run = {"q": {f"d{place}": 10.0 - place for place in range(1, 7)}}
    qrels = {"q": {"d1": 1, "d3": 1, "d6": 1} | {f"m{n}": 1 for n in range(total - 3)}}
    found = pytrec_eval.RelevanceEvaluator(qrels, {"11pt_avg"}).evaluate(run)["q"]["11pt_avg"]
    assert found == pytest.approx(theirs, abs=0.5e-4)
    name = "AP(variant=11-point)"
    scores = cs.score(cs.study({"s": run}, truth=qrels), measures=[name])
    assert scores["s"][name].value == pytest.approx(ours, abs=0.5e-4)
