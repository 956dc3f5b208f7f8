"""When to stop: wrong seldom, whatever was picked and however often one looked."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from consilience.belief.prediction import Prediction
from consilience.belief.sample import Sample
from consilience.examples.pipelines import Engine, pipelines
from consilience.measures.names import parse
from consilience.verdict.designed import Designed, Estimated, Unit, designed
from consilience.verdict.stop import level_at, rounded, stop_rule
from tests.verdict.labelled import labelled_in_rounds, remember_families, true_scores, truth_of

POPULATION = 10_000


def said(
    value: NDArray[np.float64],
    covariance: NDArray[np.float64],
    *,
    labels: tuple[int, ...] = (100,),
    degrees: float = math.inf,
) -> Designed:
    """Make estimates with a covariance, as if from so many labels, round by round."""
    count = sum(labels)
    ones = np.ones(count)
    sample = Sample(
        np.arange(count), ones, ones, ones, ones, np.ones(count, np.int64), labels, labels
    )
    guess = Prediction(np.zeros(POPULATION), np.ones(POPULATION, bool), "ls-eb", False, 0)
    speaking = np.random.default_rng(0).normal(size=(len(value), 200))
    found = Estimated(
        value, value, value, covariance, np.zeros(covariance.shape), speaking, np.ones(200), degrees
    )
    unit: Unit = "labels" if np.isinf(degrees) else "queries"
    nobody = np.zeros(POPULATION, bool)
    return Designed(sample, guess, {"F1": found}, {}, unit, 40, nobody)


def correlated(systems: int, error: float, rho: float) -> NDArray[np.float64]:
    return error**2 * ((1 - rho) * np.eye(systems) + rho)


def names(systems: int) -> list[str]:
    return [f"s{number}" for number in range(systems)]


def test_two_systems_are_the_textbook() -> None:
    """P(a − b > −δ) for a normal difference: scipy.stats.norm.cdf((0.03 + 0.02) / 0.02)."""
    found = stop_rule(said(np.array([0.5, 0.53]), np.eye(2) * 0.0002), ["b", "a"])
    assert found.first == "a"
    assert found.probability == pytest.approx(0.99379, abs=0.003)
    assert found.confidence == pytest.approx(0.99379, abs=0.003)
    assert found.settled
    assert (found.needed, found.looks, found.level_used) == (0, 1, 0.975)


@pytest.mark.parametrize(("systems", "looks"), [(2, 1), (2, 4), (24, 1), (8, 3)])
def test_false_settling_is_as_rare_as_said(systems: int, looks: int) -> None:
    """One system is best; the others are just further behind than δ: naming one of them is wrong.

    Errors are a third of δ after the last look, where picking the luckiest of many does most harm.
    """
    rng = np.random.default_rng(systems + looks)
    delta, trials, wrong, naive = 0.02, 150, 0, 0
    truth = np.where(np.arange(systems) == 0, 0.5, 0.5 - 1.01 * delta)
    covariance = correlated(systems, delta / 3 / math.sqrt(0.4), 0.6)
    root = np.linalg.cholesky(covariance) * math.sqrt(looks)
    for _ in range(trials):
        fresh = truth + rng.standard_normal((looks, systems)) @ root.T
        stopped = fooled = False
        for look in range(1, looks + 1):
            value = fresh[:look].mean(axis=0)
            made = said(value, covariance * looks / look, labels=(50,) * look)
            found = stop_rule(made, names(systems), delta=delta)
            assert found.probability is not None
            fooled |= found.first != "s0" and found.probability >= level_at(0.95, 1)
            if found.settled and not stopped:
                stopped, wrong = True, wrong + (found.first != "s0")
        naive += fooled
    allowed = trials * 0.05
    assert wrong <= allowed + 2.5 * math.sqrt(allowed)
    if (systems, looks) == (24, 1):  # without allowing for having picked, it would be too often
        assert naive > wrong


def test_labels_drawn_by_design_settle_wrongly_at_most_as_often_as_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The whole way, two rounds: δ is a little less than what the best system is ahead."""
    fine, fair = Engine("fine", 0.05, 0.005), Engine("fair", 0.12, 0.01)
    study = pipelines(((fine, 1), (fair, 4)), pages=5, items=100, prevalence=0.2, seed=1)
    remember_families(study, monkeypatch)
    measure, truth = parse("F1(average=micro)"), truth_of(study)
    right = true_scores(study, measure, truth)
    best, second = np.argsort(-right)[:2]
    delta = 0.95 * float(right[best] - right[second])
    trials, wrong, settled = 80, 0, 0
    for seed in range(trials):
        for budgets in ((60,), (60, 60)):
            now = labelled_in_rounds(study, truth, measure, budgets, seed=seed)
            made = designed(now, measures=[measure], seed=seed)
            found = stop_rule(made, study.systems, delta=delta, seed=seed)
            if found.settled:
                settled += 1
                wrong += found.first != study.systems[best]
                break
    assert settled > trials / 8
    assert wrong <= 0.05 * trials + 2.5 * math.sqrt(0.05 * trials)


def test_the_forecast_is_near() -> None:
    """Standard errors go with 1/√labels: with so many times the labels it is settled, just."""
    value, covariance = np.array([0.51, 0.5, 0.45]), correlated(3, 0.03, 0.5)
    found = stop_rule(said(value, covariance), names(3), delta=0.01)
    assert not found.settled
    assert found.needed is not None
    times = (100 + found.needed) / 100
    again = stop_rule(
        said(value, covariance / times, labels=(100, found.needed)), names(3), delta=0.01
    )
    assert again.confidence == pytest.approx(level_at(0.95, 2), abs=0.003)


def test_sentences() -> None:
    settled = stop_rule(said(np.array([0.6, 0.5]), np.eye(2) * 1e-6, labels=(80, 60)), ["a", "b"])
    assert settled.sentence == "settled at 95 % for δ = 0.02 after 140 of 10,000 labels"
    open_ = stop_rule(
        said(np.array([0.51, 0.5]), np.eye(2) * 0.0006, labels=(60,)), ["a", "b"], seed=3
    )
    assert open_.sentence == (
        "not settled at 95 % for δ = 0.02 after 60 of 10,000 labels: a is best or within δ with "
        f"confidence {open_.confidence:.2f}; about {rounded(open_.needed or 0)} more labels would "
        "settle it"
    )
    assert 0.78 < (open_.confidence or 0) < 0.83
    assert 270 < (open_.needed or 0) < 420
    close = stop_rule(said(np.array([0.52, 0.5]), np.eye(2) * 0.00024), ["a", "b"])
    assert "with confidence 0.96" in close.sentence
    assert " (look 1 asks for 0.975); about" in close.sentence
    never = stop_rule(said(np.array([0.5, 0.5]), np.eye(2) * 0.01), ["a", "b"], delta=0.001)
    assert never.needed is None
    assert never.sentence.endswith("; that will take nearly all labels, or a larger δ")
    exact = stop_rule(said(np.array([0.5, 0.5]), np.eye(2) * 0.01), ["a", "b"], delta=0.0)
    assert exact.sentence.startswith(
        "not settled at 95 % after 100 of 10,000 labels: a is best with confidence 0.5"
    )
    other = stop_rule(said(np.array([0.51, 0.5]), np.eye(2) * 0.01, degrees=39.0), ["a", "b"])
    assert other.sentence.startswith("not settled at 95 % for δ = 0.02 for queries like these 40, ")
    assert other.sentence.endswith("; other queries would tell more than further labels")
    assert other.needed is None


def test_nothing_to_settle() -> None:
    found = stop_rule(said(np.array([0.5, np.nan]), np.diag([0.01, 0.0])), ["a", "b"])
    assert (found.settled, found.first, found.probability, found.needed) == (
        False,
        None,
        None,
        None,
    )
    assert found.sentence == "nothing to settle: fewer than two systems can be ranked"


def test_equal_systems_and_certain_ones_are_no_trouble() -> None:
    same = np.full((2, 2), 0.01)
    equal = stop_rule(said(np.array([0.5, 0.5]), same), ["a", "b"], delta=0.0)
    assert (equal.settled, equal.first, equal.confidence) == (False, "a", 0.5)
    assert stop_rule(said(np.array([0.5, 0.5]), same), ["a", "b"], delta=0.01).settled
    sure = np.zeros((3, 3))
    found = stop_rule(said(np.array([0.5, 0.6, 0.4]), sure), ["a", "b", "c"], delta=0.0)
    assert (found.settled, found.first, found.confidence) == (True, "b", 1.0)


def test_all_looks_together_keep_the_level() -> None:
    spent = sum(1 - level_at(0.95, look) for look in range(1, 2000))
    assert spent == pytest.approx(0.05, abs=1e-4)
    assert spent < 0.05


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=6),
    st.floats(0.001, 0.2),
    st.floats(0, 0.1),
)
@settings(max_examples=25, deadline=None)
def test_laws(values: list[float], error: float, delta: float) -> None:
    value = np.array(values)
    made = said(value, correlated(len(value), error, 0.3))
    found = stop_rule(made, names(len(value)), delta=delta)
    wider = stop_rule(made, names(len(value)), delta=delta + 0.05)
    assert found.confidence is not None
    assert wider.confidence is not None
    assert found.confidence <= wider.confidence + 1e-12
    assert found.confidence <= (found.probability or 0)
    assert found.settled == (found.confidence >= found.level_used)
    assert (found.needed == 0) == found.settled
    assert value[int(str(found.first)[1:])] == value.max()
