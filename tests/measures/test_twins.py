"""Every measure against its slow twin, on many random studies of several systems and queries."""

import math

import numpy as np
import pytest

import consilience as cs
from consilience.measures.names import BASES, Measure
from consilience.measures.scores import CONVENTIONS
from tests.measures.made import Problem, every_measure, random_problem
from tests.measures.twins import TWINS, Case, case, condensed, counts, from_counts, twin

MEASURES = every_measure()
MACRO = [measure for measure in MEASURES if measure.average == "macro"]
MICRO = [measure for measure in MEASURES if measure.average == "micro"]


def test_no_measure_is_forgotten():
    assert set(TWINS) == set(BASES)
    assert {measure.base for measure in MEASURES} == set(BASES)


def expected(measure: Measure, problem: Problem, system: str, convention: str) -> list[float]:
    """What enters the average, query by query: the rules of ``convention``, said plainly."""
    values = []
    for query in sorted(problem.qrels):
        one = case(problem, system, query)
        value = twin(one, measure)
        missing = query not in problem.runs[system]
        if convention == "trec_eval":
            value = None if missing else value or 0.0
        elif convention == "ir_measures":
            value = 0.0 if missing else value or 0.0
        elif convention == "missing-skipped":
            value = None if missing else value
        elif missing and not (value is None and not one.relevant(measure.rel)):
            value = 0.0
        values.append(math.nan if value is None else value)
    return values


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("seed", range(6))
def test_macro(seed, convention):
    problem = random_problem(seed)
    scores = cs.score(problem.study(), measures=MACRO, convention=convention)
    assert sorted(scores.queries) == sorted(problem.qrels)
    by = np.argsort(scores.queries)
    for system in problem.runs:
        for measure in MACRO:
            one = scores[system][str(measure)]
            twins = np.array(expected(measure, problem, system, convention))
            np.testing.assert_allclose(
                one.per_query[by], twins, rtol=0, atol=1e-12, err_msg=f"{system} {measure}"
            )
            defined = twins[~np.isnan(twins)]
            assert one.defined == len(defined)
            if len(defined):
                assert one.value == pytest.approx(defined.mean(), abs=1e-12)
                assert one.reason is None
            else:
                assert math.isnan(one.value)
                assert one.reason


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("seed", range(6))
def test_micro(seed, convention):
    problem = random_problem(seed)
    scores = cs.score(problem.study(), measures=MICRO, convention=convention)
    for system, run in problem.runs.items():
        for measure in MICRO:
            total = [0, 0, 0, 0]
            for query in problem.qrels:
                if query not in run and convention not in ("ours", "ir_measures"):
                    continue
                one = case(problem, system, query)
                one = condensed(one) if measure.judged_only else one
                tp, fp, fn, tn = counts(one, measure)
                if query not in run and measure.base in ("Accuracy", "Specificity", "MCC"):
                    fp, tn = fp + tn, 0
                total = [a + b for a, b in zip(total, (tp, fp, fn, tn), strict=True)]
            value = from_counts(measure, *total)
            found = scores[system][str(measure)].value
            if value is None:
                assert math.isnan(found)
            else:
                assert found == pytest.approx(value, abs=1e-12), f"{system} {measure}"


def test_twins_can_tell_good_from_bad():
    """The twins' own anchor: the airplane list, by hand."""
    ranked = [f"i{place}" for place in range(1, 11)]
    grades = {item: int(item in {"i1", "i2", "i4", "i6", "i10"}) for item in ranked}
    airplanes = Case(ranked, grades, set(ranked), {i: -float(i[1:]) for i in ranked})
    values = {str(m): twin(airplanes, m) for m in MACRO if m.rel == 1}
    assert values["AP"] == pytest.approx((1 + 1 + 3 / 4 + 4 / 6 + 5 / 10) / 5)
    assert values["P@5"] == 3 / 5
    assert values["R@5"] == 3 / 5
    assert values["RR"] == 1
    assert values["Rprec"] == 3 / 5
    assert values["AUC"] == (5 + 5 + 4 + 3 + 0) / 25
