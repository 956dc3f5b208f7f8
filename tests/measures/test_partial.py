"""Measures for truth on some items: the same figures as trec_eval and ir_measures, and laws.

pytrec_eval carries the C code of trec_eval 9; expected values are computed while the test runs.
"""

import math
from dataclasses import replace
from pathlib import Path

import ir_measures
import numpy as np
import pytest
import pytrec_eval
from hypothesis import assume, given, settings

import consilience as cs
from consilience.measures.names import parse
from consilience.measures.partial import pooled
from tests.measures.made import Problem, problems, random_problem

FILES = Path(__file__).parents[1] / "data" / "trec_eval"
THEIRS = {"bpref", "infAP"}


def assert_same_as_trec_eval(problem: Problem, rel: int = 1) -> None:
    names = {"bpref": f"Bpref(rel={rel})", "infAP": f"infAP(rel={rel})"}
    scores = cs.score(problem.study(), measures=list(names.values()), convention="trec_eval")
    for system, run in problem.runs.items():
        evaluator = pytrec_eval.RelevanceEvaluator(problem.qrels, THEIRS, relevance_level=rel)
        theirs = evaluator.evaluate(run)
        for name, ours in names.items():
            expected = [theirs.get(query, {}).get(name, math.nan) for query in scores.queries]
            found = scores[system][str(parse(ours))].per_query
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("rel", [1, 2])
@pytest.mark.parametrize("lowest", [-1, 0])
@pytest.mark.parametrize("seed", range(10))
def test_bpref_and_inferred_ap_of_trec_eval(seed, lowest, rel):
    """With pooled items that were not judged (grade -1), and without."""
    assert_same_as_trec_eval(random_problem(seed, items=60, lowest=lowest), rel)


def judged_item_by_item(problem: Problem) -> bool:
    """Tell whether some item was judged not relevant; else the truth lists what is relevant."""
    return any(grade <= 0 for grades in problem.qrels.values() for grade in grades.values())


@given(problems(systems=2))
@settings(max_examples=100, deadline=None)
def test_odd_cases(problem):
    """Where all grades of a query are negative, trec_eval 9 reads memory that nobody has set."""
    assume(all(max(grades.values()) >= 0 for grades in problem.qrels.values()))
    assume(judged_item_by_item(problem))
    assert_same_as_trec_eval(problem)


def test_trec_eval_on_its_own_graded_judgments():
    """Grades from -1 to 4: the file that trec_eval tests relevance levels with."""
    study = cs.read(FILES / "results.test.gz", truth=FILES / "qrels.rel_level.gz")
    run: dict[str, dict[str, float]] = {}
    qrels: dict[str, dict[str, int]] = {}
    answers, evidence = study.answers, study.evidence
    assert answers.score is not None
    assert evidence.grade is not None
    for number, query in enumerate(answers.query):
        rows = slice(*answers.starts[number : number + 2])
        items = study.items.names(answers.item[rows])
        run[study.queries[query]] = dict(zip(items, answers.score[rows].tolist(), strict=True))
    for number, query in enumerate(evidence.query):
        rows = slice(*evidence.starts[number : number + 2])
        items = study.items.names(evidence.item[rows])
        grades = (int(grade) for grade in evidence.grade[rows])
        qrels[study.queries[query]] = dict(zip(items, grades, strict=True))
    assert min(grade for grades in qrels.values() for grade in grades.values()) == -1
    for rel in (1, 3):
        assert_same_as_trec_eval(Problem({"s": run}, qrels), rel)


def test_pooled_and_never_pooled_differ():
    """Two unjudged items above b: 2/4 where nobody pooled them, 1 where somebody did."""
    runs = {"s": {"q": {"a": 4.0, "x": 3.0, "y": 2.0, "b": 1.0}}}
    never, both = {"a": 1, "b": 1, "c": 0}, {"a": 1, "b": 1, "c": 0, "x": -1, "y": -1}
    values = [
        cs.score(cs.study(runs, truth={"q": truth}), measures=["infAP", "Bpref"])["s"]
        for truth in (never, both)
    ]
    assert values[0]["infAP"].value == pytest.approx((1 + 2 / 4) / 2, abs=1e-4)
    assert values[1]["infAP"].value == pytest.approx(1.0, abs=1e-4)
    assert values[0]["Bpref"].value == values[1]["Bpref"].value == 1.0


def test_a_language_model_pools_nothing():
    judges = {"ann": {"q": {"a": 1, "b": -1}}, "model": {"q": {"c": 0}}}
    study = cs.study({"s": {"q": ["a", "b", "c", "d"]}}, truth=judges)
    people = study.respondents
    kinds = tuple(
        "llm" if name == "model" else people.kind[code] for code, name in enumerate(people.names)
    )
    study = replace(study, respondents=replace(people, kind=kinds))
    names = study.items.names(np.arange(len(study.items)))
    found = {name for name, here in zip(names, pooled(study), strict=True) if here}
    assert found == {"a", "b"}


def test_truth_that_lists_what_is_relevant_leaves_nothing_unjudged_here():
    """Only relevant items in the judgments: trec_eval takes the rest for unjudged, we do not."""
    run, qrels = {"q": {"x": 2.0, "a": 1.0}}, {"q": {"a": 1}}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, THEIRS).evaluate(run)["q"]
    assert theirs == pytest.approx({"bpref": 1.0, "infAP": 0.5})
    condensed = ir_measures.parse_measure("AP(judged_only=True)")
    assert ir_measures.calc_aggregate([condensed], qrels, run)[condensed] == 1.0
    names = ["Bpref", "infAP", "AP(judged_only=True)"]
    scores = cs.score(cs.study({"s": run}, truth=qrels), measures=names)["s"]
    assert [round(scores[name].value, 4) for name in names] == [0.0, 0.5, 0.5]


def test_undefined_stays_undefined():
    study = cs.study({"s": {"q": ["a", "b"]}}, truth={"q": {"a": 0, "b": -1}})
    scores = cs.score(study, measures=["Bpref", "infAP", "AP(judged_only=True)"])["s"]
    assert all(math.isnan(one.value) and one.reason for one in scores.values())


def test_no_order_no_figure():
    study = cs.study({"s": {"q": {"a", "b"}}}, truth={"q": {"a": 1, "c": 0}})
    scores = cs.score(study, measures=["Bpref", "P(judged_only=True)"])["s"]
    assert "no order" in str(scores["Bpref"].reason)
    assert scores["P(judged_only=True)"].value == 1.0


JUDGED_ONLY = [
    "AP(judged_only=True)", "AP(judged_only=True)@5", "AP(judged_only=True,rel=2)@3",
    "P(judged_only=True)@1", "P(judged_only=True)@10", "P(judged_only=True,rel=2)@5",
    "R(judged_only=True)@5", "nDCG(judged_only=True)", "nDCG(judged_only=True)@10",
    "RR(judged_only=True)", "RR(judged_only=True,rel=2)", "Rprec(judged_only=True)",
    "Rprec(judged_only=True,rel=2)", "Success(judged_only=True)@5", "SetP(judged_only=True)",
    "SetP(judged_only=True,rel=2)", "SetF(judged_only=True)", "Bpref", "Bpref(rel=2)",
    "infAP", "infAP(rel=2)",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_ir_measures(seed):
    problem = random_problem(seed)
    theirs = [ir_measures.parse_measure(name) for name in JUDGED_ONLY]
    scores = cs.score(problem.study(), measures=JUDGED_ONLY, convention="ir_measures")
    for system, run in problem.runs.items():
        values = {
            (one.measure, one.query_id): one.value
            for one in ir_measures.iter_calc(theirs, problem.qrels, run)
        }
        for name, measure in zip(JUDGED_ONLY, theirs, strict=True):
            expected = [values[measure, query] for query in scores.queries]
            found = scores[system][str(parse(name))].per_query
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9, err_msg=name)


@given(problems())
@settings(max_examples=40)
def test_a_condensed_list_is_the_list_without_what_nobody_judged(problem):
    """Each measure of the condensed list is the plain one of a run that never had the rest."""
    assume(judged_item_by_item(problem))
    runs = {
        system: {
            query: {i: v for i, v in items.items() if problem.qrels[query].get(i, -1) >= 0}
            for query, items in run.items()
        }
        for system, run in problem.runs.items()
    }
    bases = ("P", "P@3", "R@2", "F0.5", "AP", "AP@3", "nDCG@4", "RR@2", "Rprec", "Success@2")
    kept = {s: {q: items for q, items in run.items() if items} for s, run in runs.items()}
    assume(all(len(kept[system]) == len(runs[system]) for system in runs))
    plain = cs.score(Problem(runs, problem.qrels).study(), measures=bases)
    names = [str(parse(_judged_only(base))) for base in bases]
    found = cs.score(problem.study(), measures=names)
    for system in problem.runs:
        for base, name in zip(plain.measures, names, strict=True):
            expected, one = plain[system][base], found[system][name]
            assert one.value == pytest.approx(expected.value, abs=1e-12, nan_ok=True), name


def _judged_only(name: str) -> str:
    base, _, k = name.partition("@")
    return f"{base}(judged_only=True)" + (f"@{k}" if k else "")


@given(problems(lowest=0))
@settings(max_examples=30)
def test_where_all_is_judged_nothing_changes(problem):
    """Condensed lists are the lists; infAP is AP but for trec_eval's 0.00001."""
    qrels = {
        query: dict.fromkeys(problem.pool(query), 0) | grades
        for query, grades in problem.qrels.items()
    }
    study = Problem(problem.runs, qrels).study()
    names = ["AP", "AP(judged_only=True)", "P@3", "P(judged_only=True)@3", "infAP"]
    scores = cs.score(study, measures=names)
    for system in scores.systems:
        ap, condensed, p, condensed_p, inferred = (one.value for one in scores[system].values())
        assert condensed == pytest.approx(ap, abs=0, nan_ok=True)
        assert condensed_p == pytest.approx(p, abs=0, nan_ok=True)
        assert inferred == pytest.approx(ap, abs=1e-3, nan_ok=True)
