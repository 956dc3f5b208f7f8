"""Worst and best cases: found by trying every truth that the judgments allow, and laws.

``brute`` gives every unjudged item each grade that it may have, computes the measure by its slow
twin and keeps the extremes.
"""

import itertools
import math
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.belief import gold
from consilience.measures.bounds import COUNTED, WALKED, bounds
from consilience.measures.extremes import discounted
from consilience.measures.names import Measure, parse
from consilience.measures.scores import CONVENTIONS
from tests.measures.made import Problem, Qrels, Run, every_measure, random_problem
from tests.measures.twins import Case, case, counts, from_counts, twin

MEASURES = [
    measure
    for measure in every_measure(cutoffs=(1, 3))
    if measure.base in (*COUNTED, *WALKED) and measure.variant == "step" and not measure.judged_only
]
BINARY = [
    measure
    for measure in MEASURES
    if measure.base != "nDCG" and measure.rel == 1 and measure.beta < 2
]
GRADED = [measure for measure in MEASURES if measure.base == "nDCG"]
ITEMS = ("a", "b", "c", "d", "e", "f")


@st.composite
def small(draw: st.DrawFn, *, grades: int = 1, unjudged: int = 5, queries: int = 2) -> Problem:
    """Draw a few short lists; at most so many items of a query are not judged."""
    asked = [f"q{number}" for number in range(draw(st.integers(1, queries)))]
    qrels: Qrels = {}
    runs: dict[str, Run] = {"s": {}, "t": {}}
    for query in asked:
        judged = draw(
            st.dictionaries(st.sampled_from(ITEMS), st.integers(0, grades), min_size=1, max_size=6)
        )
        qrels[query] = judged
        for system in runs:
            if system == "t" and query == asked[0]:
                continue
            some = draw(st.lists(st.sampled_from(ITEMS), unique=True, max_size=6))
            scores = draw(st.lists(st.integers(0, 3), min_size=len(some), max_size=len(some)))
            runs[system][query] = dict(zip(some, map(float, scores), strict=True))
    problem = Problem({s: run for s, run in runs.items() if run}, qrels)
    for query in asked:
        assume(len(problem.pool(query) - set(qrels[query])) <= unjudged)
    assume(any(grade == 0 for one in qrels.values() for grade in one.values()))
    assume(all(items for run in problem.runs.values() for items in run.values()))
    return problem


def open_items(problem: Problem, query: str, universe: int | None) -> list[str]:
    """Name the unjudged items of a query, and those that nobody mentioned."""
    pool = problem.pool(query)
    more = 0 if universe is None else max(universe - len(pool), 0)
    found = sorted(pool - {i for i, grade in problem.qrels[query].items() if grade >= 0})
    return found + [f"new{number}" for number in range(more)]


def truths(problem: Problem, system: str, query: str, highest: int, universe: int | None):
    """Give the cell under every truth that the judgments allow."""
    items = open_items(problem, query, universe)
    one = case(problem, system, query)
    for grades in itertools.product(range(highest + 1), repeat=len(items)):
        yield Case(
            one.ranked,
            {**problem.qrels[query], **dict(zip(items, grades, strict=True))},
            one.pool,
            one.scores,
        )


def entering(one: Case, measure: Measure, convention: str, missing: bool) -> float:
    """What a cell adds to an average; NaN: it is left out."""
    value = twin(one, measure)
    if convention == "trec_eval":
        value = None if missing else value or 0.0
    elif convention == "ir_measures":
        value = 0.0 if missing else value or 0.0
    elif convention == "missing-skipped":
        value = None if missing else value
    elif missing and not (value is None and not one.relevant(measure.rel)):
        value = 0.0
    return math.nan if value is None else value


def brute(problem: Problem, system: str, measure: Measure, convention: str, universe=None):
    """Find the lowest and highest average over all truths."""
    highest = max(grade for grades in problem.qrels.values() for grade in grades.values()) or 1
    graded = measure.base == "nDCG"
    options: list[set[Any]] = []
    for query in sorted(problem.qrels):
        missing = query not in problem.runs[system]
        cells = truths(problem, system, query, highest if graded else 1, universe)
        if measure.average == "micro":
            skip = missing and convention not in ("ours", "ir_measures")
            options.append({(0, 0, 0, 0) if skip else counts(one, measure) for one in cells})
        else:
            options.append({entering(one, measure, convention, missing) for one in cells})
    values = []
    for chosen in itertools.product(*options):
        if measure.average == "micro":
            value = from_counts(measure, *(sum(part) for part in zip(*chosen, strict=True)))
            values += [] if value is None else [value]
        else:
            known = [value for value in chosen if not math.isnan(value)]
            values += [math.fsum(known) / len(known)] if known else []
    return (min(values), max(values)) if values else (math.nan, math.nan)


def assert_as_brute(problem, measures, convention, universe=None):
    found = bounds(problem.study(universe), measures=measures, convention=convention)
    for measure in measures:
        for place, system in enumerate(found.systems):
            expected = brute(problem, system, measure, convention, universe)
            np.testing.assert_allclose(
                found.table[str(measure)][place],
                expected,
                rtol=0,
                atol=1e-12,
                err_msg=f"{system} {measure} {problem}",
            )


@given(small(), st.sampled_from(CONVENTIONS))
@settings(max_examples=60, deadline=None)
def test_every_truth_is_tried(problem, convention):
    assert_as_brute(problem, BINARY, convention)


@given(small(unjudged=3, queries=2), st.sampled_from(CONVENTIONS), st.integers(6, 8))
@settings(max_examples=40, deadline=None)
def test_items_that_nobody_mentioned_count_with_a_universe(problem, convention, universe):
    assume(all(len(open_items(problem, query, universe)) <= 6 for query in problem.qrels))
    assert_as_brute(problem, BINARY, convention, universe)


@given(small(grades=3, unjudged=4, queries=2), st.sampled_from(CONVENTIONS))
@settings(max_examples=60, deadline=None)
def test_every_grade_is_tried(problem, convention):
    assert_as_brute(problem, GRADED, convention)


@given(small(grades=2, unjudged=2, queries=1), st.integers(6, 8))
@settings(max_examples=40, deadline=None)
def test_grades_of_items_that_nobody_mentioned(problem, universe):
    assume(all(len(open_items(problem, query, universe)) <= 6 for query in problem.qrels))
    assert_as_brute(problem, GRADED, "ours", universe)


@given(small(grades=2), st.sampled_from(["best", "worst"]))
@settings(max_examples=40, deadline=None)
def test_ties_that_are_settled_by_relevance(problem, ties):
    """No truth lies outside; the end on the side of the rule is attained."""
    names = [str(measure) for measure in BINARY if measure.ranked and measure.average == "macro"]
    found = bounds(problem.study(), measures=names, ties=ties)
    queries = sorted(problem.qrels)
    items = [open_items(problem, query, None) for query in queries]
    assume(sum(map(len, items)) <= 6)
    values: dict[tuple[str, str], list[float]] = {}
    for grades in itertools.product((0, 1), repeat=sum(map(len, items))):
        left = iter(grades)
        qrels = {
            query: problem.qrels[query] | {item: next(left) for item in some}
            for query, some in zip(queries, items, strict=True)
        }
        scores = cs.score(Problem(problem.runs, qrels).study(), measures=names, ties=ties)
        for system in scores.systems:
            for name in names:
                values.setdefault((system, name), []).append(scores[system][name].value)
    for (system, name), some in values.items():
        known = [value for value in some if not math.isnan(value)]
        if not known:
            continue
        low, high = found.table[name][found.systems.index(system)]
        assert low - 1e-12 <= min(known) <= max(known) <= high + 1e-12, (name, problem)
        exact = (
            high == pytest.approx(max(known))
            if ties == "best"
            else low == pytest.approx(min(known))
        )
        assert exact, (name, problem)
        assert not found.exact[name]


@given(small(grades=2), st.sampled_from(CONVENTIONS), st.sampled_from([None, 9]))
@settings(max_examples=30, deadline=None)
def test_the_value_lies_within(problem, convention, universe):
    study = problem.study(universe)
    scores = cs.score(study, measures=MEASURES, convention=convention)
    found = bounds(study, measures=MEASURES, convention=convention)
    for measure in MEASURES:
        for system, (low, high) in zip(found.systems, found.table[str(measure)], strict=True):
            value = scores[system][str(measure)].value
            assert 0 <= low <= high <= 1 + 1e-12 or math.isnan(low + high)
            assert math.isnan(value) or low - 1e-12 <= value <= high + 1e-12, (system, measure)


@given(small(grades=2), st.data())
@settings(max_examples=30, deadline=None)
def test_more_labels_never_widen(problem, data):
    """A label for an item that somebody mentioned, of a grade that was given already."""
    query = data.draw(st.sampled_from(sorted(problem.qrels)))
    left = open_items(problem, query, None)
    assume(left)
    highest = max(grade for grades in problem.qrels.values() for grade in grades.values())
    label = {data.draw(st.sampled_from(left)): data.draw(st.integers(0, highest))}
    more = Problem(problem.runs, problem.qrels | {query: problem.qrels[query] | label})
    before = bounds(problem.study(), measures=MEASURES).table
    after = bounds(more.study(), measures=MEASURES).table
    for name, (wide, narrow) in {n: (before[n], after[n]) for n in before}.items():
        inside = (wide[:, 0] <= narrow[:, 0] + 1e-12) & (narrow[:, 1] <= wide[:, 1] + 1e-12)
        assert (inside | np.isnan(narrow[:, 0])).all(), name


@given(small(grades=2), st.sampled_from(CONVENTIONS))
@settings(max_examples=30, deadline=None)
def test_complete_truth_leaves_no_room(problem, convention):
    qrels = {
        query: dict.fromkeys(problem.pool(query), 0) | grades
        for query, grades in problem.qrels.items()
    }
    study = Problem(problem.runs, qrels).study()
    scores = cs.score(study, measures=MEASURES, convention=convention)
    found = bounds(study, measures=MEASURES, convention=convention)
    for measure in MEASURES:
        values = [scores[system][str(measure)].value for system in scores.systems]
        for end in found.table[str(measure)].T:
            np.testing.assert_allclose(end, values, rtol=0, atol=1e-12, err_msg=str(measure))


def test_grades_in_between_may_be_best():
    """x stands above a (grade 1): as high as a is best, the highest grade given is not."""
    truth = {"q": {"a": 1, "b": 0}, "other": {"z": 3}}
    study = cs.study({"s": {"q": ["b", "x", "a"], "other": ["z"]}}, truth=truth)
    found = bounds(study, measures=["nDCG"])
    problem = Problem(
        {"s": {"q": {"b": 3.0, "x": 2.0, "a": 1.0}, "other": {"z": 1.0}}},
        {"q": {"a": 1, "b": 0}, "other": {"z": 3}},
    )
    low, high = brute(problem, "s", parse("nDCG"), "ours")
    assert found.table["nDCG"][0].tolist() == pytest.approx([low, high])
    by_hand = (1 / math.log2(3) + 1 / 2) / (1 + 1 / math.log2(3))
    assert high == pytest.approx((1 + by_hand) / 2)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("AUC", "no worst and best case"),
        ("Accuracy", "no worst and best case"),
        ("AP(variant=11-point)", "the step variant"),
        ("AP(judged_only=True)", "leaves unjudged items out"),
        ("infAP", "leaves unjudged items out"),
    ],
)
def test_what_has_no_bounds_says_why(name, says):
    study = cs.study({"s": {"q": ["x", "a"]}}, truth={"q": {"a": 1, "b": 0}})
    found = bounds(study, measures=[name, "P"])
    assert says in str(found.why[name])
    assert np.isnan(found.table[name]).all()
    assert found.why["P"] is None


def test_fractions_ties_grades_and_sets_say_why():
    study = cs.study({"s": {"q": ["x", "a"]}}, truth={"q": {"a": 1, "b": 0}})
    assert "ties" in str(bounds(study, measures=["nDCG"], ties="best").why["nDCG"])
    judges = {"anna": {"q": {"a": 1, "b": 0}}, "ben": {"q": {"a": 0}}}
    unsure = cs.study({"s": {"q": ["x", "a"]}}, truth=judges)
    assert "fractions" in str(bounds(unsure, measures=["P"]).why["P"])
    grades = {f"d{number}": number / 10 for number in range(60)}
    many = cs.study({"s": {"q": ["x", "d1"]}}, truth={"q": grades})
    assert "different grades" in str(bounds(many, measures=["nDCG"]).why["nDCG"])
    unordered = cs.study({"s": {"q": {"x", "a"}}}, truth={"q": {"a": 1, "b": 0}})
    found = bounds(unordered, measures=["AP", "P"]).table
    assert np.isnan(found["AP"]).all()
    assert found["P"].tolist() == [[0.5, 1.0]]


@pytest.mark.parametrize(("option", "value"), [("ties", "coin"), ("convention", "mine")])
def test_what_is_wrong_is_said(option, value):
    study = cs.study({"s": {"q": ["x", "a"]}}, truth={"q": {"a": 1, "b": 0}})
    with pytest.raises(cs.UsageError, match="unknown"):
        bounds(study, measures=["P"], **{option: value})


def test_systems_are_held_to_what_they_spoke_of():
    """s says no to y, which may be relevant; of z, which only t mentions, it was not asked."""
    votes = {"s": {"x": 1, "y": 0, "a": 1}, "t": {"z": 1, "a": 1}}
    rows = [
        {"respondent": system, "query": "q", "item": item, "vote": vote}
        for system, said in votes.items()
        for item, vote in said.items()
    ]
    study = cs.study(rows, truth={"q": {"a": 1, "b": 0}})
    assert study.respondents.silence[:2] == ("unknown", "unknown")
    found = bounds(study, measures=["R", "F1"]).table
    assert found["R"].tolist() == [[1 / 2, 1], [1, 1]]
    assert found["F1"].tolist() == [[1 / 2, 1], [2 / 3, 1]]


def test_discounts_of_very_many_places():
    """Against the plain sum, which numpy takes pairwise."""
    for count in (1 << 20, (1 << 20) + 1, 3_000_000):
        direct = (1 / np.log2(np.arange(2.0, count + 2))).sum()
        assert discounted(np.array([float(count)]))[0] == pytest.approx(direct, rel=1e-13)


def test_a_large_universe_costs_nothing():
    study = random_problem(3).study(universe=50_000_000)
    found = bounds(study, measures=["AP", "nDCG", "R", "P@10"])
    assert (found.table["R"][:, 0] < 1e-5).all()
    assert (found.table["nDCG"][:, 0] < 1e-3).all()


def test_many_systems_are_fast():
    """143 systems, 30 queries, 1,000 answers each took about a second; a tenth of that here."""
    rng = np.random.default_rng(0)
    names = [f"d{number:04d}" for number in range(3000)]
    runs = {
        f"s{system}": {
            f"q{query}": [names[i] for i in rng.choice(3000, 300, replace=False)]
            for query in range(10)
        }
        for system in range(100)
    }
    truth = {
        f"q{query}": {names[i]: int(rng.random() < 0.3) for i in rng.choice(3000, 300)}
        for query in range(10)
    }
    study = cs.study(runs, truth=truth)
    gold(study)
    begin = time.perf_counter()
    found = bounds(study, measures=["AP", "nDCG", "nDCG@10", "P@10", "RR", "Rprec", "F1"])
    assert time.perf_counter() - begin < 5
    assert all((table[:, 0] <= table[:, 1]).all() for table in found.table.values())
