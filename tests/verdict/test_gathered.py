"""A study cut into parts, gathered and finished, is ranked as the whole is."""

import math
import pickle
import re
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.belief import Belief
from consilience.belief.weights import BOTTOM, TOP
from consilience.errors import ConsilienceError
from consilience.measures.averaged import eleven_points
from consilience.measures.left_out import LEAVE_OUT
from consilience.measures.scores import CONVENTIONS
from consilience.study import Study
from consilience.study.condition import (
    condition,
    condition_of,
    facts,
    joined_facts,
    no_common_query,
    no_common_query_of,
)
from consilience.study.outline import Outline, outline, ranges
from consilience.study.ranking import TIES
from consilience.verdict.agreement import Agreement, Wanted
from consilience.verdict.gathered import (
    Gathered,
    Survey,
    finish,
    gather,
    joined_scores,
    joined_survey,
    survey,
)
from consilience.verdict.posterior import posteriors
from consilience.verdict.rank import Verdict, decide
from consilience.verdict.settling import Rules
from tests.verdict.parted import FORMS, TRUTHS, Made, made_up

SETS = ("F1", "P", "R", "F1(average=micro)", "Accuracy(average=micro)", "MCC", "Judged", "R(rel=2)")
RANKED = (
    "AP",
    "nDCG@3",
    "P@3",
    "RR",
    "Success@2",
    "Rprec",
    "Bpref",
    "AUC",
    "AP(variant=interpolated)",
    "nDCG(gain=exponential)",
    "P(average=micro)@3",
    "AP(rel=2)",
    "AP(judged_only=True)",
    "Judged@2",
)
SAMPLES = 20


@st.composite
def studies(draw: st.DrawFn, truths: tuple[str, ...] = TRUTHS) -> Made:
    """Draw a study of any form, with any truth."""
    return made_up(
        draw(st.integers(0, 10**6)),
        draw(st.sampled_from(FORMS)),
        draw(st.sampled_from(truths)),
        universe=draw(st.booleans()),
    )


@st.composite
def measures(draw: st.DrawFn) -> list[str]:
    return draw(st.lists(st.sampled_from(SETS + RANKED), min_size=1, max_size=5, unique=True))


def cuts_of(study: Study, seed: int) -> list[int]:
    rng = np.random.default_rng(seed)
    return [place for place in range(1, len(study.queries)) if rng.random() < 0.5]


def surveyed(parts: list[Study]) -> Survey:
    return joined_survey([travelled(survey(part)) for part in parts])


def travelled(found: Any) -> Any:
    """Send something to another process and back."""
    return pickle.loads(pickle.dumps(found))


def in_parts(study: Study, parts: list[Study], beside: Any, rules: Rules, **asked: Any) -> Verdict:
    """Rank a study by its parts alone; what stands beside a ranking without truth is given."""
    known = surveyed(parts)
    options: dict[str, Any] = {"ties": rules.ties, "convention": rules.convention}
    options |= {"leave_out": rules.leave_out}
    gathered: list[Gathered] = [
        travelled(gather(part, survey=known, **options, **asked)) for part in parts
    ]
    whole = cs.score(study, belief=asked["believe"], measures=asked["measures"], ties=rules.ties)
    told = partial(_told, study, whole.belief)
    found = finish(gathered, beside, rules, scores=joined_scores(gathered), posteriors=told)
    return decide(outline(study), found, rules, beside)


def _told(study: Study, belief: Belief, scores: Any, **options: Any) -> Any:
    """Tell how far scores move with who is right, as the whole study tells it."""
    return posteriors(study, replace(scores, belief=belief), **options)


def compare(study: Study, cuts: list[int], believe: Any, names: list[str], rules: Rules) -> None:
    """Rank a study as a whole and in parts, and see that both say the same."""
    parts = ranges(study, cuts)
    asked: dict[str, Any] = {"believe": believe, "measures": names}
    whole, why = _whole(study, believe, names, rules)
    if whole is None:
        with pytest.raises(ConsilienceError) as error:
            in_parts(study, parts, Agreement(), rules, **asked)
        known = re.sub(r" it has .*?;(?= the truth has)", "", why or "")  # parts know no names
        assert rules.leave_out != "none" or str(error.value) == known
        return
    verdict = in_parts(study, parts, whole.agreement, rules, **asked)
    assert isinstance(verdict.study, Outline)
    expected, found = whole.payload(), verdict.payload()
    for payload in (expected, found):
        del payload["created"], payload["id"]
    assert_alike(found, expected, "")


def _whole(
    study: Study, believe: Any, names: list[str], rules: Rules
) -> tuple[Verdict | None, str | None]:
    """Rank a study as a whole, or say why that cannot be."""
    options: dict[str, Any] = {"ties": rules.ties, "convention": rules.convention}
    options |= {"leave_out": rules.leave_out}
    asked: dict[str, Any] = {"samples": rules.samples, "show": rules.show, "measures": names}
    try:
        return cs.rank(study, belief=believe, **options, **asked), None
    except ConsilienceError as error:
        return None, str(error)


def assert_alike(found: Any, expected: Any, where: str) -> None:
    """See that two payloads say the same, but for the last digits of numbers."""
    assert type(found) is type(expected), f"{where}: {found} is not {expected}"
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for key in expected:
            assert_alike(found[key], expected[key], f"{where}/{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for place, (one, other) in enumerate(zip(found, expected, strict=True)):
            assert_alike(one, other, f"{where}/{place}")
    elif isinstance(expected, float):
        assert math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12), (
            f"{where}: {found} is not {expected}"
        )
    else:
        assert found == expected, f"{where}: {found} is not {expected}"


def rules_of(ties: Any, convention: Any, leave_out: Any = "none") -> Rules:
    return Rules(
        ties, convention, 0.95, 0, SAMPLES, None, leave_out, Wanted(panel=False, cutoffs=0)
    )


@given(
    studies(TRUTHS[1:]),
    st.integers(0, 10**6),
    measures(),
    st.sampled_from(TIES),
    st.sampled_from(CONVENTIONS),
)
def test_by_truth(made: Made, seed: int, names: list[str], ties: Any, convention: Any) -> None:
    study = made.study
    if no_common_query(study) is not None or made.truth == "model":
        return
    ties = "trec" if ties == "rank" and study.answers.rank is None else ties
    compare(study, cuts_of(study, seed), cs.gold, names, rules_of(ties, convention))


@given(
    studies(),
    st.integers(0, 10**6),
    measures(),
    st.sampled_from(LEAVE_OUT),
    st.sampled_from(CONVENTIONS),
    st.sampled_from(["vote", "clamp", "ignore"]),
    st.booleans(),
)
def test_by_consensus(
    made: Made,
    seed: int,
    names: list[str],
    leave_out: Any,
    convention: Any,
    evidence: Any,
    virtual: bool,
) -> None:
    """Weights are given: whom the consensus believes how much is no matter of single queries."""
    study = made.study
    voters = [*study.systems, *((TOP, BOTTOM) if virtual else ())]
    weights = {name: 1 / (len(voters) + 1) for name in voters}
    believe = partial(cs.consensus, evidence=evidence, virtual=virtual)
    if leave_out == "none" and (evidence == "vote" and study.evidence.lists):
        believe = partial(believe, weights=weights)
    compare(study, cuts_of(study, seed), believe, names, rules_of("trec", convention, leave_out))


@given(studies(), st.integers(0, 10**6), measures(), st.sampled_from(LEAVE_OUT))
def test_by_prevalence(made: Made, seed: int, names: list[str], leave_out: Any) -> None:
    """With nobody's copies counted as one, LS-EB is a matter of single queries."""
    study = made.study
    believe = partial(cs.ls_eb, near=None)
    compare(study, cuts_of(study, seed), believe, names, rules_of("trec", "ours", leave_out))


@given(studies(), st.integers(0, 10**6))
def test_facts_add_up(made: Made, seed: int) -> None:
    study = made.study
    parts = [facts(part) for part in ranges(study, cuts_of(study, seed))]
    found = joined_facts([travelled(part) for part in parts])
    assert found == facts(study)
    assert condition_of(found) == condition(study)
    told = None if found.sorts_only else no_common_query_of(found.shared)
    assert told == no_common_query(study)


def test_facts_of_categories_add_up() -> None:
    """Categories do not depend on the query: items are known by their names."""
    said = {"query": ["q", "q", "r"], "item": ["a", "b", "c"], "judge": ["ann", "bob", "ann"]}
    said |= {"category": ["dog", "cat", "dog"]}
    runs = {"s": {"q": ["a", "c"], "r": ["b", "x"], "t": ["y"]}}
    study = cs.study(runs, truth=said)
    assert facts(study).sorts_only
    for cut in range(1, len(study.queries)):
        found = joined_facts([facts(part) for part in ranges(study, [cut])])
        assert found == facts(study)
        assert condition_of(found) == condition(study)


@pytest.mark.parametrize("truth", ["complete", "partial"])
def test_one_query_a_part(truth: str) -> None:
    made = made_up(7, "scores", truth)
    cuts = [*range(1, len(made.study.queries))]
    rules = rules_of("trec", "ours")
    compare(made.study, cuts, cs.gold, ["AP", "nDCG", "P@3"], rules)
    known = surveyed(ranges(made.study, cuts))
    found = [
        gather(part, believe=cs.gold, measures=["AP"], survey=known)
        for part in ranges(made.study, cuts)
    ]
    curves = finish(found, cs.rank(made.study).agreement, rules).curves
    expected = eleven_points(made.study, cs.score(made.study, measures=["AP"]))
    assert curves is not None
    assert curves.keys() == expected.keys()
    for system in expected:
        np.testing.assert_allclose(curves[system], expected[system], rtol=0, atol=1e-12)


def test_what_parts_give_is_small() -> None:
    """Neither answers nor items travel: the size depends on systems and queries alone."""
    sizes = []
    for length in (10, 1000):
        run = {"q": {f"d{number}": float(number) for number in range(length)}}
        study = cs.study({"a": run, "b": run}, truth={"q": {"d1": 1, "x": 0}})
        known = survey(study)
        found = gather(study, believe=cs.gold, measures=["AP", "P@5"], survey=known)
        sizes.append(len(pickle.dumps(found)))
    assert sizes[1] - sizes[0] < 16  # some numbers have more digits


def test_parts_without_answers_or_truth() -> None:
    """The first part has truth alone, the last one answers alone."""
    truth = {"t": {"a": 1}, "q": {"a": 1, "b": 0}, "r": {"a": 0, "b": 2}}
    runs = {"s": {"q": ["a", "b", "c"], "r": ["b"], "u": ["x"]}, "t": {"r": ["c", "a"]}}
    study = cs.study(runs, truth=truth)
    for cut in range(1, len(study.queries)):
        compare(study, [cut], cs.gold, ["AP", "P", "nDCG"], rules_of("trec", "ours"))


def test_a_listing_judge_elsewhere_does_not_make_silence_mean_no() -> None:
    """What gold did not list is not relevant only if all judges list what is."""
    said = {
        "query": ["q", "q", "r", "r"],
        "item": ["a", "b", "a", "c"],
        "judge": ["one", "one", "two", "two"],
        "kind": ["gold"] * 4,
        "label": [1, 1, 1, 0],
    }
    study = cs.study({"s": {"q": ["a", "x"], "r": ["c", "y"]}}, truth=said)
    compare(study, [1], cs.gold, ["AP", "P", "Judged"], rules_of("trec", "ours"))


def test_the_highest_grade_is_that_of_the_whole() -> None:
    """An unjudged item may have any grade that was given anywhere."""
    truth = {"q": {"a": 1, "b": 0}, "r": {"a": 3, "b": 0}}
    study = cs.study({"s": {"q": ["x", "a"], "r": ["x", "a"]}}, truth=truth)
    compare(study, [1], cs.gold, ["nDCG", "nDCG(gain=exponential)"], rules_of("trec", "ours"))


def test_a_sure_part_of_an_unsure_whole() -> None:
    """In one part nobody disagrees: measures that need a 0/1 truth stay undefined there, too."""
    said = {
        "query": ["q", "q", "r", "r"],
        "item": ["a", "b", "a", "a"],
        "judge": ["ann", "ann", "ann", "bob"],
        "kind": ["person"] * 4,
        "label": [1, 0, 1, 0],
    }
    runs = {"s": {"q": ["b", "a"], "r": ["a"]}, "t": {"q": ["a"], "r": ["x", "a"]}}
    names = ["AP", "RR", "Success@1", "Rprec", "Bpref", "AP(variant=interpolated)", "AUC", "nDCG"]
    compare(cs.study(runs, truth=said), [1], cs.gold, names, rules_of("trec", "ours"))


@pytest.mark.parametrize("weight", [0.0, 0.25])
def test_a_sure_part_with_unseen_items(weight: float) -> None:
    """Every item of the first query is sure, but for those that nobody mentioned."""
    runs = {"s": {"q": ["a", "b"], "r": ["a", "b"]}, "t": {"q": ["b", "a"], "r": ["a", "c"]}}
    study = cs.study(runs, universe=6)
    weights = {"s": (1 - weight) / 2, "t": (1 - weight) / 2, TOP: weight, BOTTOM: 0.0}
    believe = partial(cs.consensus, weights=weights)
    compare(study, [1], believe, ["AP", "RR", "P@1"], rules_of("trec", "ours"))
