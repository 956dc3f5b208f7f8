"""Laws that hold for every measure, and a few that hold for some."""

import math
import random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.measures.names import AP_VARIANTS, BASES, Measure, parse
from consilience.measures.scores import CONVENTIONS, Scores
from tests.measures.made import ITEMS, Problem, every_measure, problems

MEASURES = every_measure(cutoffs=(1, 3, 20))
NAMES = [str(measure) for measure in MEASURES]
Values = dict[tuple[str, str], float]
Rows = dict[str, Any]
#: Measures that look at the items nobody returned: another system may add some.
UNIVERSAL = ("Accuracy", "Specificity", "MCC", "AUC")


def values(scores: Scores) -> Values:
    return {
        (system, measure): scores[system][measure].value
        for system in scores.systems
        for measure in scores.measures
    }


def score(problem: Problem, measures: list[str] = NAMES, **options) -> Scores:
    return cs.score(problem.study(), measures=measures, **options)


def assert_same(a: Values, b: Values) -> None:
    assert a.keys() == b.keys()
    for key, value in a.items():
        assert value == pytest.approx(b[key], abs=1e-12, nan_ok=True), key


def test_every_measure_is_here():
    assert {measure.base for measure in MEASURES} == set(BASES)
    assert len(NAMES) == len(set(NAMES)) > 150


@given(problems(), st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_order_of_rows_does_not_matter(problem, chance):
    def shuffled(rows: Rows) -> Rows:
        keys = list(rows)
        chance.shuffle(keys)
        return {key: rows[key] for key in keys}

    runs = {
        system: shuffled({query: shuffled(items) for query, items in run.items()})
        for system, run in problem.runs.items()
    }
    qrels = shuffled({query: shuffled(items) for query, items in problem.qrels.items()})
    assert_same(values(score(Problem(shuffled(runs), qrels))), values(score(problem)))


@given(problems())
@settings(max_examples=30)
def test_names_do_not_matter(problem):
    """Items keep their alphabetical order, which settles ties."""
    systems = {f"s{number}": f"z{9 - number}" for number in range(9)}
    queries = {f"q{number}": f"{9 - number}?" for number in range(9)}
    items = {item: f"renamed-{number:03d}-with-a-long-name" for number, item in enumerate(ITEMS)}

    def lists(rows: Rows) -> Rows:
        return {
            queries[query]: {items[item]: value for item, value in answers.items()}
            for query, answers in rows.items()
        }

    renamed = Problem(
        {systems[s]: lists(run) for s, run in problem.runs.items()}, lists(problem.qrels)
    )
    expected = {(systems[system], name): v for (system, name), v in values(score(problem)).items()}
    assert_same(values(score(renamed)), expected)


@given(problems(), st.sampled_from(CONVENTIONS))
@settings(max_examples=30)
def test_range(problem, convention):
    scores = score(problem, convention=convention)
    for system in scores.systems:
        for measure in MEASURES:
            one = scores[system][str(measure)]
            low = -1.0 if measure.base == "MCC" else 0.0
            for value in (one.value, *one.per_query.tolist()):
                assert math.isnan(value) or low <= value <= 1.0 + 1e-12, measure
            assert math.isnan(one.value) == (one.reason is not None)
            assert one.defined + one.undefined <= len(scores.queries)


@given(problems())
@settings(max_examples=30)
def test_monotone_transforms_of_scores_do_not_matter(problem):
    runs = {
        system: {q: {i: math.exp(v) + v**3 for i, v in items.items()} for q, items in run.items()}
        for system, run in problem.runs.items()
    }
    assert_same(values(score(Problem(runs, problem.qrels))), values(score(problem)))


@given(problems())
@settings(max_examples=30)
def test_whole_queries_twice_leave_averages_alone(problem):
    def twice(rows: Rows) -> Rows:
        return rows | {f"{query}-again": answers for query, answers in rows.items()}

    doubled = Problem({s: twice(run) for s, run in problem.runs.items()}, twice(problem.qrels))
    assert_same(values(score(doubled)), values(score(problem)))


@given(problems(queries=1))
@settings(max_examples=30)
def test_micro_is_macro_for_one_query(problem):
    scores = score(problem)
    for system in scores.systems:
        for measure in MEASURES:
            if measure.average == "micro":
                macro = str(Measure(measure.base, measure.k, rel=measure.rel, beta=measure.beta))
                micro = scores[system][str(measure)].value
                assert micro == pytest.approx(scores[system][macro].value, nan_ok=True, abs=1e-12)


@given(problems(systems=1))
@settings(max_examples=30)
def test_an_irrelevant_item_at_the_end_never_helps(problem):
    worse = {
        system: {query: items | {"zzz": -99.0} for query, items in run.items()}
        for system, run in problem.runs.items()
    }
    qrels = {query: grades | {"zzz": 0} for query, grades in problem.qrels.items()}
    assume(any(grade <= 0 for grades in problem.qrels.values() for grade in grades.values()))
    left_out = ("Judged", "Bpref", *UNIVERSAL)  # Bpref: judging another item changes its scale
    names = [str(m) for m in MEASURES if m.base not in left_out]
    before, after = values(score(problem, names)), values(score(Problem(worse, qrels), names))
    for (system, name), value in after.items():
        if not math.isnan(value + before[system, name]):  # a condensed list may have been empty
            assert value <= before[system, name] + 1e-12, name
        if parse(name).ranked:  # what stands behind everything changes no ranked figure
            assert value == pytest.approx(before[system, name], nan_ok=True), name


@given(problems())
@settings(max_examples=30)
def test_other_systems_do_not_matter(problem):
    """All but the measures of what was left alone, whose universe is what anybody mentioned."""
    names = [str(measure) for measure in MEASURES if measure.base not in UNIVERSAL]
    together = values(score(problem, names))
    for system, run in problem.runs.items():
        alone = values(score(Problem({system: run}, problem.qrels), names))
        assert_same(alone, {key: value for key, value in together.items() if key[0] == system})


@given(problems(lowest=0))
@settings(max_examples=30)
def test_a_perfect_ranking_gets_one(problem):
    runs = {"best": {q: {i: float(g) for i, g in gs.items()} for q, gs in problem.qrels.items()}}
    names = ["nDCG", "nDCG@3", "nDCG(gain=exponential)", "RR", "Rprec", "AUC", "Efficiency@3"]
    names += [str(parse(f"AP(variant={variant})")) for variant in AP_VARIANTS]
    scores = score(Problem(runs, problem.qrels), names)
    for name, one in scores["best"].items():
        assert math.isnan(one.value) or one.value == pytest.approx(1.0), name
        relevant = any(grade > 0 for gs in problem.qrels.values() for grade in gs.values())
        if relevant and name != "AUC":
            assert one.value == pytest.approx(1.0), name


@given(problems(scores=(0.0, 1.0)))
@settings(max_examples=40)
def test_best_and_worst_settling_of_ties(problem):
    names = ["RR", "RR@2", "P@1", "P@3", "R@2", "AP@2", "Success@1", "Rprec"]
    names += [str(parse(f"AP(variant={variant})")) for variant in AP_VARIANTS]
    best, trec, worst = (values(score(problem, names, ties=t)) for t in ("best", "trec", "worst"))
    for key, value in trec.items():
        if not math.isnan(value):
            assert best[key] >= value - 1e-12, key
            assert value >= worst[key] - 1e-12, key


@given(problems(scores=(0.0, 1.0)))
@settings(max_examples=20)
def test_auc_does_not_depend_on_how_ties_are_settled(problem):
    found = [
        values(score(problem, ["AUC"], ties=ties)) for ties in ("trec", "order", "best", "worst")
    ]
    for other in found[1:]:
        assert_same(other, found[0])


@given(problems())
@settings(max_examples=30)
def test_asking_for_one_measure_or_for_all_gives_the_same(problem):
    together = values(score(problem))
    for name in random.Random(0).sample(NAMES, 12):
        for key, value in values(score(problem, [name])).items():
            assert value == pytest.approx(together[key], nan_ok=True, abs=0)
