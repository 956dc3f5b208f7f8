"""Estimates from few labels: exact where all is labelled, right on average otherwise."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import consilience as cs
from consilience.belief.sample import Sample, sample_of
from consilience.measures.corrected import (
    Returned,
    estimate,
    returned_items,
    slopes,
)
from consilience.measures.names import Measure, parse
from consilience.study import Study

MEASURES = ("P", "P(average=micro)", "R(average=micro)", "F1(average=micro)", "F2(average=micro)")
ONE_STEP = ("R", "F1")
ITEMS = 6


def two_systems(seed: int, *, wide: bool = False) -> Study:
    """Two queries of six items; systems list what they found, or say yes, no or nothing."""
    rng = np.random.default_rng(seed)
    names = [f"i{number}" for number in range(ITEMS)]
    if wide:
        rows = [(query, name) for query in "qr" for name in names]
        votes = rng.choice([0.0, 1.0, 0.5, np.nan], (len(rows), 2), p=[0.4, 0.4, 0.1, 0.1])
        votes[0] = votes[ITEMS] = 1.0
        return cs.study(
            {
                "query": [query for query, _ in rows],
                "item": [name for _, name in rows],
                "a": [None if np.isnan(vote) else float(vote) for vote in votes[:, 0]],
                "b": [None if np.isnan(vote) else float(vote) for vote in votes[:, 1]],
            }
        )
    answers = {
        system: {
            query: [names[0], *(name for name in names[1:] if rng.random() < 0.5)] for query in "qr"
        }
        for system in "ab"
    }
    answers["all"] = dict.fromkeys("qr", names)
    return cs.study(answers)


def labels(truth: NDArray[np.float64], pi: NDArray[np.float64], drawn: NDArray[np.bool_]) -> Sample:
    """Make a sample of one round."""
    item = np.flatnonzero(drawn)
    chance = pi[item]
    return Sample(
        item,
        truth[item],
        1 / chance,
        (1 - chance) / chance**2,
        chance,
        np.ones(len(item), np.int64),
        (len(item),),
        (len(item),),
    )


@pytest.mark.parametrize("name", [*MEASURES, *ONE_STEP, "P@2", "R(average=micro)@3"])
@pytest.mark.parametrize("wide", [False, True])
def test_all_labels_are_the_textbook(name: str, wide: bool) -> None:
    """With a label on every item the guess does not matter, and scores are those of the truth."""
    measure = parse(name)
    if wide and measure.k:
        return
    made = two_systems(1, wide=wide)
    rng = np.random.default_rng(2)
    truth = (rng.random(len(made.items)) < 0.5).astype(float)
    table = returned_items(made, k=measure.k)
    everything = labels(truth, np.ones(len(truth)), np.ones(len(truth), bool))
    guess = truth if name in ONE_STEP else rng.random(len(truth))
    gold = {
        query: {
            item: int(truth[place])
            for place, (item, owner) in enumerate(
                zip(
                    made.items.names(np.arange(len(truth))),
                    made.items.query(np.arange(len(truth))),
                    strict=True,
                )
            )
            if made.queries[owner] == query
        }
        for query in made.queries
    }
    seen = _with_truth(made, gold, wide=wide)
    expected = cs.score(seen, measures=[name])
    found = estimate(table, measure, guess, everything).value
    for place, system in enumerate(made.systems):
        assert found[place] == pytest.approx(expected[system][str(measure)].value, abs=1e-12)


def _with_truth(made: Study, gold: dict[str, dict[str, int]], *, wide: bool) -> Study:
    answers: dict[str, dict[str, object]] = {system: {} for system in made.systems}
    for row, part in enumerate(made.answers.respondent):
        system = made.respondents.names[part]
        query = made.queries[made.answers.query[row]]
        rows = slice(made.answers.starts[row], made.answers.starts[row + 1])
        answers[system][query] = made.items.names(made.answers.item[rows])
    if not wide:
        return cs.study(answers, truth=gold)
    votes = made.answers.vote
    assert votes is not None
    owner = made.answers.list_of_row()
    table: dict[str, list[object]] = {"query": [], "item": [], "system": [], "vote": []}
    for row, item in enumerate(made.items.names(made.answers.item)):
        table["query"].append(made.queries[made.answers.query[owner[row]]])
        table["item"].append(item)
        table["system"].append(made.respondents.names[made.answers.respondent[owner[row]]])
        table["vote"].append(None if np.isnan(votes[row]) else float(votes[row]))
    return cs.study(table, truth=gold)


@pytest.mark.parametrize("name", ["P", "P(average=micro)", "P@2"])
def test_precision_is_right_on_average(name: str) -> None:
    """Over all samples, each with its probability: no bias, and the variance is as estimated."""
    made = two_systems(3)
    measure = parse(name)
    rng = np.random.default_rng(4)
    count = len(made.items)
    truth = (rng.random(count) < 0.5).astype(float)
    guess = rng.random(count)
    pi = rng.uniform(0.3, 0.9, count)
    table = returned_items(made, k=measure.k)
    goal = estimate(table, measure, guess, labels(truth, np.ones(count), np.ones(count, bool)))
    mean, square, variance = (np.zeros(len(made.systems)) for _ in range(3))
    for bits in product([False, True], repeat=count):
        drawn = np.array(bits)
        chance = float(np.where(drawn, pi, 1 - pi).prod())
        sample = labels(truth, pi, drawn)
        found = estimate(table, measure, guess, sample)
        mean += chance * found.value
        square += chance * found.value**2
        variance += chance * ((found.slope * found.residual) ** 2 @ sample.spread)
    np.testing.assert_allclose(mean, goal.value, atol=1e-9)
    np.testing.assert_allclose(variance, square - mean**2, atol=1e-9)


def test_rounds_that_learn_stay_right_on_average() -> None:
    """Two rounds, the second drawn by what the first has shown: exact over all samples."""
    truth, first = np.array([1.0, 0.0, 1.0, 1.0]), np.array([0.5, 0.3, 0.6, 0.4])
    worth = np.array([2.0, 1.0, 3.0, 0.5])  # what is added up over items
    shares = np.array([0.5, 0.5])
    mean = 0.0
    for one in product([False, True], repeat=4):
        early = np.array(one)
        p_early = float(np.where(early, first, 1 - first).prod())
        second = np.where(truth[early].sum() > 1, 0.8, 0.25) * np.ones(4)  # adapts to labels
        for other in product([False, True], repeat=4):
            late = np.array(other) & ~early
            if (np.array(other) & early).any():
                continue
            p_late = float(np.where(late, second, 1 - second)[~early].prod())
            weight = np.zeros(4)
            weight[early] = shares[0] / first[early] + shares[1]
            weight[late] = shares[1] / second[late]
            mean += p_early * p_late * float(weight @ (truth * worth))
    assert mean == pytest.approx(float(truth @ worth), abs=1e-12)


def test_weights_of_rounds_are_those_that_are_right_on_average() -> None:
    """The weights that a study's labels get are the ones of the enumeration above."""
    table = {
        "query": ["q"] * 4,
        "item": ["a", "b", "c", "d"],
        "label": [1, 0, 1, 1],
        "probability": [0.5, 0.3, 0.25, 0.25],
        "round": [1, 1, 2, 2],
    }
    made = cs.study({"s": {"q": ["a", "b", "c", "d", "e"]}}, truth=table)
    sample = sample_of(made)
    assert sample is not None
    np.testing.assert_allclose(sample.weight, [0.5 / 0.5 + 0.5, 0.5 / 0.3 + 0.5, 2.0, 2.0])
    np.testing.assert_allclose(sample.spread[2:], 0.25 * 0.75 / 0.25**2)


@given(st.integers(0, 10_000), st.sampled_from([*MEASURES, *ONE_STEP]), st.booleans())
def test_slope_is_the_derivative(seed: int, name: str, wide: bool) -> None:
    """Move the guess of one item a little: scores move by the slope."""
    made, measure = two_systems(seed, wide=wide), parse(name)
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.2, 0.8, len(made.items))
    table = returned_items(made)
    at = slopes(table, measure, table.by_query(p)).at(table, np.arange(len(p)))
    nobody = labels(p, np.ones(len(p)), np.zeros(len(p), bool))
    step = 1e-6
    for item in range(0, len(p), 5):
        up, down = p.copy(), p.copy()
        up[item] += step
        down[item] -= step
        high, low = (estimate(table, measure, guess, nobody).value for guess in (up, down))
        np.testing.assert_allclose((high - low) / (2 * step), at[:, item], atol=1e-6)


@given(st.integers(0, 10_000), st.sampled_from([*MEASURES, *ONE_STEP]), st.booleans())
def test_sums_over_slopes_are_those_of_the_dense_table(seed: int, name: str, wide: bool) -> None:
    """What is made in one pass over the votes equals what the whole table gives."""
    made, measure = two_systems(seed, wide=wide), parse(name)
    rng = np.random.default_rng(seed)
    p, worth = rng.uniform(0.2, 0.8, (2, len(made.items)))
    table: Returned = returned_items(made)
    slope = slopes(table, measure, table.by_query(p))
    dense = slope.at(table, np.arange(len(p)))
    np.testing.assert_allclose(slope.mean_square(table), (dense**2).mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(slope.variances(table, worth), dense**2 @ worth, atol=1e-12)
    together = (dense * worth) @ dense.T
    np.testing.assert_allclose(slope.covariance(table, worth), together, atol=1e-12)


@given(st.integers(0, 10_000), st.sampled_from([*MEASURES, *ONE_STEP]))
def test_queries_add_up_to_the_estimate(seed: int, name: str) -> None:
    """What queries add to the error sums to 0: the estimate is their centre."""
    made, measure = two_systems(seed), parse(name)
    rng = np.random.default_rng(seed)
    count = len(made.items)
    p, pi = rng.uniform(0.2, 0.8, (2, count))
    sample = labels((rng.random(count) < p).astype(float), pi, rng.random(count) < pi)
    found = estimate(returned_items(made), measure, p, sample)
    np.testing.assert_allclose(found.by_query.sum(axis=1), 0.0, atol=1e-9)


def test_a_query_without_an_answer_counts_as_its_convention_says() -> None:
    """A query that a system was not asked: precision 0, or left out."""
    made = cs.study({"a": {"q": ["x"], "r": ["y"]}, "b": {"q": ["x"]}})
    measure: Measure = parse("P")
    p = np.array([1.0, 1.0])
    none = labels(p, np.ones(2), np.zeros(2, bool))
    counted = estimate(returned_items(made), measure, p, none).value
    skipped = estimate(returned_items(made, convention="missing-skipped"), measure, p, none).value
    assert counted.tolist() == [1.0, 0.5]
    assert skipped.tolist() == [1.0, 1.0]
