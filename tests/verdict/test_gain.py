"""What labels would buy: near what came out, and never less for a larger budget."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.examples.pipelines import BAD, GOOD, Engine, pipelines
from consilience.measures.names import parse
from consilience.study import Study
from consilience.verdict.design import draw, even, frame, probabilities, variances
from consilience.verdict.designed import designed
from consilience.verdict.gain import gain
from tests.verdict.labelled import (
    hidden,
    labelled_in_rounds,
    remember_families,
    true_scores,
    truth_of,
    with_draws,
)

F1 = parse("F1(average=micro)")
FAIR = Engine("fair", 0.2, 0.02)


@pytest.fixture(scope="module")
def study() -> Study:
    return pipelines(((GOOD, 3), (BAD, 3), (FAIR, 2)), pages=6, items=120, prevalence=0.15, seed=3)


@pytest.mark.parametrize("before", [(), (60,)], ids=["first round", "second round"])
def test_forecasts_are_near_what_comes_out(
    study: Study, before: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    remember_families(study, monkeypatch)
    truth = truth_of(study)
    right = true_scores(study, F1, truth)
    errors, forecast = [], []
    for seed in range(50):
        now = labelled_in_rounds(study, truth, F1, before, seed=seed) if before else hidden(study)
        known = frame(now, F1, seed=seed)
        so_far = designed(now, measures=[F1], seed=seed).measures[str(F1)] if before else None
        bought = gain(known, 60, measure=F1, names=study.systems, found=so_far)
        forecast.append(bought.after)
        then = labelled_in_rounds(study, truth, F1, (*before, 60), seed=seed)
        found = designed(then, measures=[F1], seed=seed).measures[str(F1)]
        errors.append(found.value - right)
    came = np.sqrt(np.mean(np.square(errors)))
    if before:
        assert np.mean(forecast) == pytest.approx(came, rel=0.3)
    else:  # labels also improve the guess
        assert came < np.mean(forecast) < 3 * came


def test_what_a_budget_is_worth(study: Study) -> None:
    """So many labels drawn evenly have the same expected variance: tried, not computed again."""
    known = frame(hidden(study), F1)
    bought = gain(known, 50, measure=F1, names=study.systems)
    as_many = np.sqrt(variances(known, even(known, bought.worth)).mean())
    assert as_many == pytest.approx(bought.after, rel=0.01)
    assert bought.ratio == pytest.approx(bought.worth / 50)
    assert bought.ratio > 1.3
    assert bought.now is None


def test_a_second_round_counts_with_the_first(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember_families(study, monkeypatch)
    now = labelled_in_rounds(study, truth_of(study), F1, (60,), seed=0)
    known = frame(now, F1)
    found = designed(now, measures=[F1]).measures[str(F1)]
    bought = gain(known, 60, measure=F1, names=study.systems, found=found)
    assert bought.now is not None
    assert bought.now == pytest.approx(float(np.sqrt(np.mean(found.standard_error**2))))
    assert bought.after < bought.uniform < bought.now
    before = found.standard_error**2
    as_many = np.sqrt(variances(known, even(known, bought.worth), before=before).mean())
    assert as_many == pytest.approx(bought.after, rel=0.01)


def test_the_curve_falls_and_ends_at_nothing_to_draw(study: Study) -> None:
    known = frame(hidden(study), F1)
    bought = gain(known, 200, measure=F1, names=study.systems)
    labels = [one.labels for one in bought.curve]
    assert labels == [50, 100, 200, 400, 720]
    errors = [one.designed for one in bought.curve]
    assert errors == sorted(errors, reverse=True)
    assert all(one.designed <= one.uniform + 1e-12 for one in bought.curve)
    assert errors[-1] == 0
    all_of_it = gain(known, 5000, measure=F1, names=study.systems)
    assert (all_of_it.after, all_of_it.worth, all_of_it.ratio) == (0, 720, 1)


def test_the_pair_is_that_of_the_leading_systems(study: Study) -> None:
    """Brute force: Σ (g_a − g_b)² p(1 − p) (1 − π) / π, item by item."""
    known = frame(hidden(study), F1)
    bought = gain(known, 50, measure=F1, names=study.systems)
    assert bought.pair is not None
    assert bought.apart is not None
    a, b = (study.systems.index(name) for name in bought.pair)
    pi = probabilities(known, 50)
    total = 0.0
    for item, chance in zip(known.open.tolist(), pi.tolist(), strict=True):
        slope = known.slope.at(known.table, np.array([item]))[:, 0]
        total += (slope[a] - slope[b]) ** 2 * known.noise[item] * (1 - chance) / chance
    assert bought.apart[0] == pytest.approx(np.sqrt(total))
    assert bought.apart[0] < bought.apart[1]


def test_labels_on_all_items_leave_no_error(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    remember_families(study, monkeypatch)
    truth = truth_of(study)
    known = frame(hidden(study), F1)
    first = draw(known, probabilities(known, 100))
    now = with_draws(study, truth, [first])
    rest = frame(now, F1)
    so_far = designed(now, measures=[F1]).measures[str(F1)]
    bought = gain(rest, len(rest.open), measure=F1, names=study.systems, found=so_far)
    assert bought.after == 0
    second = draw(rest, probabilities(rest, len(rest.open)))
    assert second.probability.tolist() == [1.0] * len(rest.open)
    found = designed(with_draws(study, truth, [first, second]), measures=[F1]).measures[str(F1)]
    assert found.value == pytest.approx(true_scores(study, F1, truth))
    assert found.standard_error == pytest.approx(np.zeros(8))


answers = st.dictionaries(
    st.sampled_from("abcd"),
    st.dictionaries(
        st.sampled_from(["q", "r"]), st.sets(st.integers(0, 12), min_size=1), min_size=1
    ),
    min_size=2,
)


def made_of(found: dict[str, dict[str, set[int]]], *, truth: bool = False) -> Study:
    """Make a study of numbered items; with truth, all of them are relevant."""
    named = {
        name: {query: [f"i{item}" for item in sorted(items)] for query, items in lists.items()}
        for name, lists in found.items()
    }
    right = {
        query: dict.fromkeys(items, 1) for one in named.values() for query, items in one.items()
    }
    return cs.study(named, truth=right) if truth else cs.study(named)


@given(answers, st.integers(1, 30), st.integers(0, 5), st.sampled_from(["P", "R", "F1"]))
@settings(max_examples=60, deadline=None)
def test_draws_obey_their_laws(
    found: dict[str, dict[str, set[int]]], budget: int, seed: int, base: str
) -> None:
    study, measure = made_of(found), parse(f"{base}(average=micro)")
    known = frame(study, measure)
    pi = probabilities(known, budget)
    assert (pi > 0).all()
    assert (pi <= 1).all()
    assert pi.sum() == pytest.approx(min(budget, len(pi)), rel=1e-6)
    made = draw(known, pi, seed=seed)
    again = draw(known, pi, seed=seed)
    assert made.item.tolist() == again.item.tolist()
    assert len(set(made.item.tolist())) == len(made.item)
    assert np.isin(made.item, known.open).all()
    if budget >= len(pi):
        assert len(made.item) == len(pi)


@given(answers, st.integers(1, 10), st.integers(0, 5))
@settings(max_examples=30, deadline=None)
def test_what_was_drawn_is_not_drawn_again(
    found: dict[str, dict[str, set[int]]], budget: int, seed: int
) -> None:
    study = made_of(found, truth=True)
    known = frame(hidden(study), F1)
    first = draw(known, probabilities(known, budget), seed=seed)
    if not len(first.item):
        return
    then = frame(with_draws(study, np.ones(len(study.items)), [first]), F1)
    assert (known.round, first.round, then.round) == (1, 1, 2)
    assert sorted([*then.open, *first.item]) == known.open.tolist()
    assert then.labelled == len(first.item)


@given(st.integers(0, 2**20))
@settings(max_examples=30, deadline=None)
def test_a_smaller_budget_draws_a_first_part(seed: int) -> None:
    """In the order of u / π: the first part of a draw is a draw with smaller probabilities."""
    study = made_of({"a": {"q": set(range(13))}, "b": {"q": set(range(5, 13))}, "c": {"q": {1, 6}}})
    known = frame(study, F1)
    pi = probabilities(known, 6)
    whole = draw(known, pi, seed=seed)
    half = draw(known, pi / 2, seed=seed)
    assert half.item.tolist() == whole.item[: len(half.item)].tolist()
