"""The sentence that people quote, made from numbers: never "best" without a probability."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.examples.pipelines import pipelines
from consilience.measures.names import parse
from consilience.render.words import chance
from consilience.study import Study
from consilience.verdict import sentence
from tests.verdict.labelled import labelled_in_rounds, truth_of

PARTIAL = {f"q{n}": {"a": 1, "b": 0, "c": 1} for n in range(8)}


def searched(seed: int = 0, *, queries: int = 8, truth: object = PARTIAL) -> Study:
    """Three ranked runs over five items a query; truth knows three of the items."""
    rng = np.random.default_rng(seed)
    names = np.array(list("abcde"))
    runs = {
        system: {
            f"q{query}": {
                name: float(score)
                for name, score in zip(
                    names, rng.random(5) + skill * np.isin(names, ["a", "c"]), strict=True
                )
            }
            for query in range(queries)
        }
        for system, skill in (("good", 0.8), ("fair", 0.3), ("poor", 0.0))
    }
    return cs.study(runs, truth=truth)


def labelled(budget: int, *, seed: int) -> Study:
    """Pipelines whose truth is hidden but for some labels that were drawn by design."""
    made = pipelines(pages=4, items=200, seed=1)
    measure = parse("F1(average=micro)")
    return labelled_in_rounds(made, truth_of(made), measure, (budget,), seed=seed)


def said_of(study: Study, *, measures: list[str] | None = None, delta: float | None = None) -> str:
    return cs.rank(study, measures=measures, delta=delta).sentence


@pytest.fixture(scope="module")
def sentences() -> list[str]:
    """Sentences from every kind of truth."""
    complete = {f"q{n}": {"a": 1, "b": 0, "c": 1, "d": 0, "e": 0} for n in range(8)}
    more = {f"q{n}": {"a": 1, "b": 0, "c": 1, "d": 0, "e": 0} for n in range(20)}
    return [
        said_of(searched(3, queries=20, truth=more), measures=["AP"]),
        said_of(searched(truth=complete), measures=["AP"]),
        said_of(searched(truth=complete), measures=["AP"], delta=0.5),
        said_of(searched(truth=complete, queries=2), measures=["AP"]),
        said_of(searched(), measures=["AP"]),
        said_of(searched(), measures=["AP(judged_only=True)"]),
        said_of(searched(truth=None)),
        said_of(labelled(60, seed=1)),
        said_of(labelled(400, seed=1), delta=0.1),
    ]


def test_nothing_is_best_without_a_probability(sentences: list[str]) -> None:
    parts = [part for said in sentences for part in re.split(r"(?<=\.)\s+(?=[A-Z])", said)]
    claims = [part for part in parts if re.search(r"\bbest\b", part)]
    assert len(claims) > 3
    for claim in claims:
        assert re.search(r"with (probability|confidence) (above )?0\.\d+", claim), claim


def test_what_is_tied_is_not_called_best_with_a_probability(sentences: list[str]) -> None:
    tied = [said for said in sentences if "tied" in said and "within" not in said]
    assert len(tied) > 2
    for said in tied:
        assert "with probability" not in said
        assert re.search(r"in (more than )?\d\d?\.\d % of all resamples( \(.*\))?, but ", said), (
            said
        )


def test_what_is_not_settled_has_a_next_step(sentences: list[str]) -> None:
    for said in sentences:
        open_end = said.startswith("Not settled") or "this is agreement" in said
        assert ("Next step: " in said) == open_end, said
        assert said.endswith(".")
        assert "nan" not in said.lower().split()
    assert {said.startswith("Not settled") for said in sentences} == {True, False}


def test_complete_truth_says_who_is_best_by_what_over_how_many_queries() -> None:
    truth = {f"q{n}": {"a": 1, "b": 0, "c": 1, "d": 0, "e": 0} for n in range(20)}
    said = said_of(searched(3, queries=20, truth=truth), measures=["AP"])
    assert re.fullmatch(
        r"good is best by AP \(0\.\d{4}\) with probability (above )?0\.\d+, ahead of \w+ "
        r"\(0\.\d{4}\), over 20 queries\.",
        said,
    ), said


def test_partial_truth_says_what_it_supposes() -> None:
    """Items that nobody judged could turn the order, so the sentence says what it supposes."""
    verdict = cs.rank(searched(), measures=["AP"])
    assert verdict.condition.name == "partial"
    assert "ounting unjudged items as not relevant, " in verdict.sentence
    condensed = said_of(searched(), measures=["AP(judged_only=True)"])
    assert "eaving unjudged items out, " in condensed


def test_what_is_judged_all_through_supposes_nothing() -> None:
    """P@1 of lists whose first answers were all judged: nothing is left to suppose."""
    study = cs.study(
        {
            "x": {f"q{n}": {"a": 2.0, "z": 1.0} for n in range(10)},
            "y": {f"q{n}": {"b": 2.0, "z": 1.0} for n in range(10)},
        },
        truth={f"q{n}": {"a": int(n < 9), "b": int(n == 9)} for n in range(10)},
    )
    verdict = cs.rank(study, measures=["P@1"])
    assert verdict.condition.name == "partial"
    assert "unjudged" not in verdict.sentence
    assert verdict.standings[0].intervals["P@1"] is not None
    deeper = cs.rank(study, measures=["P@2"])
    assert deeper.standings[0].intervals["P@2"] is None
    assert deeper.standings[0].details["P@2"].withheld


def test_practical_equivalence_settles_what_cannot_be_told_apart() -> None:
    truth = {f"q{n}": {"a": 1, "b": 0, "c": 1, "d": 0, "e": 0} for n in range(8)}
    study = searched(5, truth=truth)
    plain, near = (cs.rank(study, measures=["AP"], delta=delta) for delta in (None, 0.9))
    assert near.settled
    if not plain.settled:
        assert "or within 0.9 of the best, with probability" in near.sentence


def test_few_labels_say_how_many_more() -> None:
    few = cs.rank(labelled(40, seed=2), delta=0.01)
    assert not few.settled
    assert re.search(r"by \d+ labels of 800 items", few.sentence)
    assert "Next step: " in few.sentence
    assert few.stop is not None
    assert few.stop.sentence.startswith("not settled at 95 % for δ = 0.01 after ")
    many = cs.rank(labelled(790, seed=2), delta=0.05)
    assert many.settled
    assert "Settled at 95 % for δ = 0.05 after " in many.sentence


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 9))
def test_sentences_never_claim_more_than_the_numbers(seed: int, queries: int) -> None:
    """Whatever came out: "is best" only where it is settled, the figure is the first's."""
    verdict = cs.rank(searched(seed, queries=queries), measures=["P@2"])
    first = verdict.standings[0]
    if verdict.settled:
        assert first.p_best is not None
        assert first.p_best > 0.5
        assert not verdict.sentence.startswith("Not settled")
    else:
        assert verdict.sentence.startswith("Not settled")
    assert f"{first.scores['P@2'].value:.4f}" in verdict.sentence


def test_shares_are_rounded_once() -> None:
    """The headline and the table say the same of every number of draws."""
    for draws in range(2000):
        shown = chance(draws / 2000)
        if shown[0] == "0":
            assert sentence._share(draws / 2000) == f"{100 * float(shown):.1f} %"
