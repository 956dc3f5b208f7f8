"""The ranking by truth against rankings without: the same figures as by hand; coverage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import consilience as cs
from consilience.belief.names import belief_by_name
from consilience.errors import UsageError
from consilience.measures.orders import crossed
from consilience.measures.tops import regrets
from consilience.verdict.correlation_study import interval
from consilience.verdict.panel import MEMBERS
from consilience.verdict.resample import expanded_tail, resample


def label_free(name: str) -> Any:
    make = belief_by_name(name)
    return lambda study, **more: make(study, evidence="ignore", **more)


@pytest.fixture(scope="module")
def study() -> cs.Study:
    return cs.example_study("keyphrases")


@pytest.mark.parametrize("measure", ["AP", "F1", "F1(average=micro)"])
def test_rankings_are_those_of_rank(study: cs.Study, measure: str) -> None:
    made = cs.correlate_study(study, measure=measure, beliefs=["ls-eb", "majority"], samples=50)
    truth = cs.score(study, measures=[measure])
    expected = [truth[system][measure].value for system in study.systems]
    found = [made.reference.scores[system] for system in study.systems]
    assert found == pytest.approx(expected, abs=1e-12)
    for one in made.rankings:
        scores = cs.score(study, measures=[measure], belief=label_free(one.ranking.name))
        values = [scores[system][measure].value for system in study.systems]
        assert [one.ranking.scores[system] for system in study.systems] == pytest.approx(values)
        tau = stats.kendalltau(expected, values).statistic
        assert one.figures["tau_b"] == pytest.approx(tau)
        assert one.figures["regret"] == pytest.approx(max(expected) - expected[np.argmax(values)])


def test_all_methods_of_the_panel_are_compared(study: cs.Study) -> None:
    made = cs.correlate_study(study, samples=20)
    assert [one.ranking.name for one in made.rankings] == list(MEMBERS)
    assert "Over 6 methods without truth τ_b goes from " in made.headline
    said = "rest on agreement alone: no ground truth was used for them, only to compare"
    assert any(note.endswith(said) for note in made.notes)
    payload = made.payload()
    assert payload["condition"] == "complete"
    assert payload["resampling"] == {
        "unit": "queries",
        "n": 60,
        "samples": 20,
        "method": "bootstrap: Student's t times the standard error, and expanded percentiles",
        "seed": 0,
        "about": "queries were drawn anew, the same for both rankings; every belief was formed "
        "once, from all queries",
        "assumes": None,
    }


def test_intervals_are_made_of_the_same_draws(study: cs.Study) -> None:
    made = cs.correlate_study(study, measure="AP", beliefs=["ls-eb"], samples=200, seed=5)
    truth = cs.score(study, measures=["AP"]).matrix("AP")
    other = cs.score(study, measures=["AP"], belief=label_free("ls-eb")).matrix("AP")
    known = ~np.isnan(truth).all(axis=0)
    draws = [resample(one[:, known], seed=5, samples=200).draws for one in (truth, other)]
    taus = [stats.kendalltau(*pair).statistic for pair in zip(*draws, strict=True)]
    n = int(known.sum())
    reach = stats.t.ppf(0.975, n - 1) * np.std(taus) * np.sqrt(n / (n - 1))
    (one,) = made.rankings
    value = one.figures["tau_b"]
    tail = expanded_tail(0.95, n)
    low, high = np.quantile(taus, [tail, 1 - tail])
    expected = (min(value - reach, low), max(value + reach, high))
    assert one.intervals["tau_b"] == pytest.approx(expected)
    assert {*one.intervals} == {"tau_b", "tau_ap", "regret"}
    narrow = cs.correlate_study(study, beliefs=["ls-eb"], samples=200, seed=5, level=0.5)
    low, high = narrow.rankings[0].intervals["tau_b"] or (0, 0)
    assert high - low < expected[1] - expected[0]
    again = cs.correlate_study(study, measure="AP", beliefs=["ls-eb"], samples=200, seed=5)
    assert again.payload()["id"] == made.payload()["id"]
    other_seed = cs.correlate_study(study, measure="AP", beliefs=["ls-eb"], samples=200, seed=6)
    assert other_seed.rankings[0].intervals != one.intervals


def runs(queries: int, seed: int = 0) -> dict[str, dict[str, list[str]]]:
    rng = np.random.default_rng(seed)
    made: dict[str, dict[str, list[str]]] = {}
    for system in "abcd":
        lists = {f"q{q}": [f"d{d}" for d in rng.permutation(8)[:5]] for q in range(queries)}
        made[system] = lists
    return made


def test_two_queries_say_nothing_about_other_queries() -> None:
    truth = {f"q{q}": {f"d{d}": d % 2 for d in range(8)} for q in range(2)}
    made = cs.correlate_study(cs.study(runs(2), truth=truth), beliefs=["ls-eb"])
    assert made.payload()["resampling"] is None
    assert made.rankings[0].intervals == {}
    assert "no intervals: 2 queries say nothing about other queries" in made.notes


def test_queries_that_truth_does_not_know_are_left_out() -> None:
    truth: dict[str, Any] = {f"q{q}": {f"d{d}": d % 2 for d in range(8)} for q in range(5)}
    truth["q4"] = dict.fromkeys(truth["q4"], 0)  # nothing is relevant: undefined by truth
    made = cs.correlate_study(cs.study(runs(7), truth=truth), measure="AP", beliefs=["ls-eb"])
    assert made.drawn is not None
    assert made.drawn.queries == 4
    said = "3 queries were left out of all rankings: the truth says nothing there"
    assert said in made.notes
    part = cs.study(runs(7), truth=truth)
    scores = cs.score(part, measures=["AP"], belief=label_free("ls-eb"))
    expected = scores.matrix("AP")[:, :4].mean(axis=1)
    found = [made.rankings[0].ranking.scores[system] for system in part.systems]
    assert found == pytest.approx(expected)


def test_a_method_that_is_undefined_on_a_query_does_not_change_the_reference(
    study: cs.Study,
) -> None:
    made = cs.correlate_study(study, measure="AP", beliefs=["ls-eb", "majority"], samples=20)
    assert "by majority, AP is undefined on 4 of 60 queries" in made.notes
    alone = cs.correlate_study(study, measure="AP", beliefs=["ls-eb"], samples=20)
    assert made.reference.scores == alone.reference.scores
    assert made.rankings[0].intervals == alone.rankings[0].intervals


def test_partial_truth_is_noted() -> None:
    truth = {f"q{q}": {f"d{d}": d % 2 for d in range(4)} for q in range(5)}
    made = cs.correlate_study(cs.study(runs(5), truth=truth), beliefs=["ls-eb"])
    assert any(note.startswith("the truth is partial (") for note in made.notes)
    assumed = made.payload()["resampling"]["assumes"]
    assert assumed == "an item that was not judged is not relevant"


def test_a_measure_that_needs_certainty_is_undefined_without_truth() -> None:
    truth = {f"q{q}": {f"d{d}": d % 2 for d in range(8)} for q in range(5)}
    made = cs.correlate_study(cs.study(runs(5), truth=truth), measure="AUC", beliefs=["ls-eb"])
    (one,) = made.rankings
    assert np.isnan(one.figures["tau_b"])
    assert one.reasons["tau_b"] == "no system has a score in both rankings"
    assert "ls-eb has no AUC: needs a 0/1 belief and 0/1 votes" in made.notes


def test_methods_that_do_not_fit_are_told_or_refused() -> None:
    truth = {f"q{q}": {f"d{d}": d % 2 for d in range(8)} for q in range(5)}
    study = cs.study(runs(5), truth=truth)
    made = cs.correlate_study(study, samples=20)
    assert "hds was left out: it needs declared families (--families FILE)" in made.notes
    (alone,) = cs.correlate_study(study, beliefs=["hds"], samples=20).rankings
    assert alone.ranking.name == "hds"  # who asks for it gets it: every system is a family
    with pytest.raises(UsageError, match=r"^gold is the truth that others are compared with"):
        cs.correlate_study(study, beliefs=["gold"])
    with pytest.raises(UsageError, match=r"^unknown belief 'lseb'; did you mean 'ls-eb'"):
        cs.correlate_study(study, beliefs=["lseb"])
    with pytest.raises(UsageError, match=r"^no method to compare with the truth"):
        cs.correlate_study(study, beliefs=[])
    with pytest.raises(UsageError, match=r"^samples is a whole number from 2, found 1"):
        cs.correlate_study(study, samples=1)


def test_there_must_be_truth_and_systems() -> None:
    with pytest.raises(UsageError, match=r"^there is no truth to compare with \(fix: "):
        cs.correlate_study(cs.study(runs(3)))
    with pytest.raises(UsageError, match=r"^a ranking needs at least two systems, found 1"):
        cs.correlate_study(cs.study({"a": {"q": ["x"]}}, truth={"q": {"x": 1}}))
    with pytest.raises(UsageError, match=r"^truth and answers share no query"):
        cs.correlate_study(cs.study(runs(3), truth={"other": {"d1": 1}}))


# Coverage, by simulation: systems with true scores, a method whose scores correlate with these, and
# noise from query to query that both share in part. An interval should hold the figure that so many
# queries give on average, which is found from many samples of queries of the same kind.

FIGURES = ("tau_b", "tau_ap", "regret")


def figures(a: NDArray[np.float64], b: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    pairs = crossed(a, b)
    return {"tau_b": pairs.kendall(), "tau_ap": pairs.tau_ap(), "regret": regrets(a, b)}


def noise(rng: np.random.Generator, shape: tuple[int, ...], size: float) -> Any:
    one = rng.normal(0, size, shape)
    return one, 0.5 * one + np.sqrt(0.75) * rng.normal(0, size, shape)


@pytest.mark.parametrize(
    ("systems", "queries", "agreement"), [(8, 10, 0.7), (20, 50, 0.7), (20, 50, 1.0), (40, 25, 0.9)]
)
def test_intervals_cover(systems: int, queries: int, agreement: float) -> None:
    rng = np.random.default_rng(17)
    hits = dict.fromkeys(FIGURES, 0)
    rounds, times = 40, 6
    for _ in range(rounds):
        true = rng.normal(0.4, 0.05, systems)
        guess = agreement * true + np.sqrt(1 - agreement**2) * rng.normal(0, 0.05, systems)
        a, b = noise(rng, (1500, systems), 0.15 / np.sqrt(queries))
        expected = {name: f.mean() for name, f in figures(true + a, guess + b).items()}
        for _ in range(times):
            a, b = noise(rng, (systems, queries), 0.15)
            a, b = a + true[:, None], b + guess[:, None]
            drawn = resample(np.vstack([a, b]), seed=1, samples=200).draws
            found = figures(a.mean(axis=1)[None], b.mean(axis=1)[None])
            spread = figures(drawn[:, :systems], drawn[:, systems:])
            for name in FIGURES:
                value = float(found[name][0])
                made = interval(value, spread[name], name, level=0.95, queries=queries)
                assert made is not None
                hits[name] += made[0] <= expected[name] <= made[1]
    trials = rounds * times
    least = 0.95 - 3 * np.sqrt(0.95 * 0.05 / trials)
    assert {name: hit / trials for name, hit in hits.items() if hit / trials < least} == {}
