"""Constants and corrections of inference, one by one, by figures that can be had by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

import consilience as cs
from consilience.belief.agreement import ls_eb
from consilience.belief.dependence import near_groups
from consilience.belief.eigen import spectral
from consilience.belief.families import families_of
from consilience.belief.prediction import Prediction, _folds, logit, predict
from consilience.belief.sample import Sample, sample_of, unfit
from consilience.measures.corrected import estimate, returned_items
from consilience.measures.names import parse
from consilience.study import Study
from consilience.verdict import design
from consilience.verdict.correlation_study import interval
from consilience.verdict.design import draw, frame, moves
from consilience.verdict.designed import Estimated, designed
from consilience.verdict.effects import effects
from consilience.verdict.items_anew import corrected_tails
from consilience.verdict.pairs import ahead
from consilience.verdict.rank import Verdict
from consilience.verdict.resample import resample
from consilience.verdict.settling import settled, shares_first
from consilience.verdict.stop import _race, stop_rule

ITEMS = [f"i{number:02d}" for number in range(40)]


def labels(count: int, chance: float = 0.5) -> dict[str, list[Any]]:
    """Label the first items of a query."""
    said = [int(number % 3 != 0) for number in range(count)]
    return {
        "query": ["q"] * count,
        "item": ITEMS[:count],
        "label": said,
        "probability": [chance] * count,
    }


def two(truth: dict[str, list[Any]] | None = None) -> Study:
    """Two systems, one of which returns half of what the other one does."""
    return cs.study({"a": {"q": ITEMS}, "b": {"q": ITEMS[:20]}}, truth=truth)


def estimated(
    cover: Any, floor: Any, slope: Any, value: Sequence[float] | np.ndarray = (0.7, 0.4)
) -> Estimated:
    """An estimate of two systems or more with infinitely many degrees of freedom."""
    table, known = np.array(slope, float), np.array(value)
    noise = (np.array(cover, float), np.array(floor, float))
    return Estimated(known, known, known, *noise, table, np.ones(table.shape[1]), math.inf)


def silent() -> Estimated:
    """An estimate for which no label speaks: all that is known is the floor of its error."""
    return estimated(np.zeros((2, 2)), np.eye(2) * 0.02, [[0.0], [0.0]])


def sample(study: Study) -> Sample:
    """The labels of a study, which were drawn by design."""
    found = sample_of(study)
    assert found is not None
    return found


def ranked(hits: dict[str, list[int]]) -> Verdict:
    """Rank systems by how many of ten answers to each of four queries are relevant."""
    found = {
        name: {
            f"q{query}": [f"{name}{query}{'yes' if n < count else 'no'}{n}" for n in range(10)]
            for query, count in enumerate(counts)
        }
        for name, counts in hits.items()
    }
    truth = {
        f"q{query}": [
            item for each in found.values() for item in each[f"q{query}"] if "yes" in item
        ]
        for query in range(4)
    }
    return cs.rank(cs.study(found, truth=truth), measures=["P"])


# Paired comparisons and what settles them


def test_the_sign_test_in_reserve_is_two_sided_and_corrected() -> None:
    """All differences equal: 2/2⁵ = .0625, 2/2⁶ = .03125, and twice that for two comparisons."""
    draws, how = np.full(100, 0.1), {"tail": 0.025, "level": 0.95}
    assert not ahead(draws, np.full(5, 0.1), **how, among=1)
    assert ahead(draws, np.full(6, 0.1), **how, among=1)
    assert not ahead(draws, np.full(6, 0.1), **how, among=2)


@pytest.mark.parametrize(("more", "told"), [({}, True), ({"c": [0, 0, 1, 0]}, False)])
def test_a_verdict_is_settled_by_p_of_all_comparisons(
    more: dict[str, list[int]], told: bool
) -> None:
    """Differences of .1, .1, .2, .3 have p = .035, and .106 among three comparisons."""
    found = ranked({"a": [7, 8, 7, 9], "b": [6, 7, 5, 6]} | more)
    assert [one.name for one in found.standings][:2] == ["a", "b"]
    rules: Any = SimpleNamespace(level=0.95, delta=0.0)
    sure = replace(found.sure, tail=0.025)
    assert settled(found.standings, [("a", "b")], found.scores, sure, 1.0, rules) is told


@pytest.mark.parametrize(("ties", "told"), [(10, False), (12, True)])
def test_from_when_on_a_leader_shares_the_first_place(ties: int, told: bool) -> None:
    """Of 100 draws k are ties: P(best) loses k/200, which is told beyond .05."""
    study = cs.study({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, truth={"q": ["x"]})
    found = cs.rank(study, measures=["P"])
    draws = np.stack([np.full(100, 0.5), np.repeat([0.5, 0.4], [ties, 100 - ties])], axis=1)
    standing = [replace(found.standings[0], p_best=1 - ties / 200)]
    sure = replace(found.sure, draws=draws)
    assert shares_first(standing, found.scores, sure) is told


@pytest.mark.parametrize(("queries", "said"), [(9, True), (10, False)])
def test_few_queries_are_told(queries: int, said: bool) -> None:
    found = {
        name: {f"q{query}": [f"{name}{query}{n}" for n in range(4)] for query in range(queries)}
        for name in "ab"
    }
    truth = {
        f"q{query}": [f"a{query}{n}" for n in range(1 + query % 3)] + [f"b{query}0"]
        for query in range(queries)
    }
    verdict = cs.rank(cs.study(found, truth=truth), measures=["P"])
    assert any("intervals hold less often" in note for note in verdict.notes) is said


def test_how_many_draws() -> None:
    assert resample(np.array([[0.2, 0.4, 0.9]]), seed=0).draws.shape == (2000, 1)


def test_a_draw_is_half_a_win() -> None:
    """Two wins, two draws, one loss."""
    (found,) = effects([[0.2, 0.1, -0.1, 0.0, 0.0]])
    assert found.superiority == 0.6


# Labels drawn by design


def test_without_labels_the_degrees_of_freedom_are_the_fewest() -> None:
    assert silent().freedom(np.eye(2)).tolist() == [2.0, 2.0]


def test_without_labels_a_race_has_cauchys_tails() -> None:
    """A lead of .3 with an error of .2: one degree of freedom."""
    race = _race(silent(), [0, 1], 0.0, 0.0005, 0)
    assert race.reached[1] == pytest.approx(1.5)
    tail = 0.5 - math.atan(1.5) / math.pi
    assert race.careful(1.0)[1] == pytest.approx(-stats.norm.ppf(tail), abs=1e-9)


def test_the_confidence_is_that_against_the_likeliest_rival() -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        root = rng.normal(size=(6, 3)) * 0.02
        cover = root @ root.T + np.diag(rng.uniform(0, 2e-4, 6))
        value = np.sort(rng.normal(0.5, 0.02, 6))[::-1]
        found = estimated(cover, np.zeros((6, 6)), rng.normal(size=(6, 400)), value)
        race = _race(found, list(range(6)), 0.0, 0.005, 0)
        margin = race.careful(1.0)
        wrong = [float((race._luck(rival) > margin[rival]).mean()) for rival in range(1, 6)]
        assert race.confidence() == pytest.approx(1 - max(wrong), abs=1e-12)


def test_a_round_without_a_label_is_no_look() -> None:
    made = designed(two(labels(20)), measures=["P"])
    second = replace(made, sample=replace(made.sample, drawn=(20, 5), labelled=(20, 0)))
    found = stop_rule(second, ["a", "b"])
    assert (found.looks, found.level_used) == (1, 0.975)


def test_smaller_chances_take_more_draws() -> None:
    found = estimated(np.eye(2) * 0.01, np.zeros((2, 2)), np.eye(2))
    races = [_race(found, [0, 1], 0.0, beyond, 0) for beyond in (0.01, 0.001, 1e-9)]
    assert [len(race.error) for race in races] == [10_000, 50_000, 100_000]


def test_a_measure_stays_where_it_can_be() -> None:
    """Two items returned, both relevant, each drawn with a chance of .1: not 5.5 but 1."""
    truth = {"query": ["q"] * 2, "item": ITEMS[:2], "label": [1, 1], "probability": [0.1] * 2}
    made = cs.study({"a": {"q": ITEMS[:2]}, "b": {"q": ITEMS[2:6]}}, truth=truth)
    assert designed(made, measures=["P"]).measures["P"].value[0] == 1.0


def test_draws_are_widened_to_the_floor_of_a_difference() -> None:
    """That floor, .04, is above the variance of the draws."""
    cover, floor = np.ones((2, 2)) * 0.01, [[0.03, 0.01], [0.01, 0.03]]
    found = estimated(cover, floor, [[1.0] * 10, [1.0] * 9 + [0.0]])
    drawn = found.draws(0, 100_000, heavy=False)
    error = found.error(np.array([[1.0, -1.0]]))[0]
    assert (drawn[:, 0] - drawn[:, 1]).std() == pytest.approx(error, rel=0.01)
    assert found.standard_error[0] ** 2 == pytest.approx(0.02)


def test_no_calibrated_guess_is_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    made = two()
    guess = Prediction(np.repeat([0.0, 1.0], 20), np.ones(40, bool), "x", True, 9)
    monkeypatch.setattr(design, "predict", lambda *_, **__: guess)
    assert moves(made, parse("P")).noise == pytest.approx(np.full(40, 0.005 * 0.995), abs=1e-15)


def test_each_round_draws_by_its_own_number() -> None:
    made = two()
    found = draw(replace(frame(made, parse("F1")), rounds=1), np.full(40, 0.4), seed=3)
    chance = np.random.default_rng([3, 2]).random(40)
    expected = [ITEMS[place] for place in np.argsort(chance) if chance[place] < 0.4]
    assert made.items.names(found.item) == expected


def test_too_few_labels_for_too_many_items() -> None:
    """Two labels with a chance of ½ speak for 4 · (2 · 2 + 6 · √4) = 64 items."""
    for count, fits in ((64, True), (65, False)):
        items = [f"d{number}" for number in range(count)]
        truth = {"query": ["q"] * 2, "item": items[:2], "label": [1, 0], "probability": [0.5] * 2}
        assert (unfit(cs.study({"s": {"q": items}}, truth=truth)) is None) is fits


def test_one_step_of_a_macro_average_is_for_all_queries() -> None:
    """R of the first is .6 + ((2 − 1.5) − .6 (3 − 2.5)) / 2.5 = .68, of the second .5."""
    truth = {"query": ["q1"], "item": ["x"], "label": [1], "probability": [0.5]}
    systems = {"s": {"q1": ["x", "y"], "q2": ["u"]}, "t": {"q1": ["z", "w"], "q2": ["v"]}}
    made = cs.study(systems, truth=truth)
    believed = np.full(len(made.items), 0.5)
    found = estimate(returned_items(made), parse("R"), believed, sample(made))
    assert found.value[0] == pytest.approx(0.59, abs=1e-12)


# Guesses of labels


def test_a_model_errs_once_in_twenty_times_before_it_is_known() -> None:
    found = predict(two(), proxy="b").p
    assert found == pytest.approx(np.repeat([0.95, 0.05], 20), abs=1e-12)


def test_no_chance_is_0_or_1() -> None:
    """They are 1 : 9,999 at least."""
    assert logit(np.array([0.0, 1.0])) == pytest.approx([-math.log(9999), math.log(9999)])


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("count", "told"), [(2, False), (3, True)])
def test_three_labels_of_each_kind_calibrate(count: int, told: bool, turned: bool) -> None:
    truth = labels(20)
    truth["label"] = [int((number < count) != turned) for number in range(20)]
    made = two(truth)
    assert predict(made, sample(made)).calibrated is told


def test_guesses_are_made_in_ten_folds() -> None:
    made = two(labels(24))
    sizes = np.bincount(_folds(made, sample(made), 0))
    assert sorted(sizes.tolist()) == [2] * 6 + [3] * 4


# Belief without truth


def test_items_that_nobody_mentions_have_the_prior_below_them() -> None:
    """3 of 20 votes are yes, and the prior weighs 3: 3 · .15 / (2 + 3)."""
    made = cs.study({"a": {"q": ["x", "y"]}, "b": {"q": ["x"]}}, universe=10)
    assert ls_eb(made, near=None, prior=3.0).unseen == pytest.approx([0.09])


def test_what_a_family_counts_as() -> None:
    """Three members, φ = ½: 9 / (3 + 6 · ¼)."""
    phi = np.full((3, 3), 0.5) + 0.5 * np.eye(3)
    (found,) = families_of(("a", "b", "c"), ["f"] * 3, phi)
    assert found.counted_as == pytest.approx(2.0)


def test_a_pair_exactly_as_alike_as_asked_is_apart() -> None:
    alike = np.eye(4)
    alike[0, 1] = alike[1, 0] = 0.875
    alike[2, 3] = alike[3, 2] = 0.75
    assert near_groups(alike, 0.75).tolist() == [0, 0, 1, 2]


def test_rates_of_perfect_voters_stay_below_1() -> None:
    """By half an item of the nine that are counted."""
    vote = [1, 1, 1, 1, 0, 0, 0, 0]
    found = spectral(cs.study({"item": list("stuvwxyz"), **dict.fromkeys("abc", vote)}), near=None)
    assert [*found.details["sensitivity"].values()] == pytest.approx([1 - 0.5 / 9] * 3)
    assert [*found.details["false_positive_rate"].values()] == pytest.approx([0.5 / 9] * 3)


# Intervals of agreement and correlation


def test_bias_corrected_tails() -> None:
    """Half of the draws that are equal count as below."""
    draws = np.repeat([0.4, 0.6, 0.8], [30, 40, 30])
    assert corrected_tails(0.6, draws, 0.025) == pytest.approx((0.025, 0.975), abs=1e-9)
    shift, quantile = stats.norm.ppf(0.85), stats.norm.ppf(0.975)
    expected = stats.norm.cdf([2 * shift - quantile, 2 * shift + quantile])
    assert corrected_tails(0.8, draws, 0.025) == pytest.approx(expected, abs=1e-9)


def test_an_interval_of_a_correlation_reaches_as_far_as_its_draws() -> None:
    """By Student's t it would end at .7 − .4348; 3 % of the draws are −.6."""
    draws = np.concatenate([np.full(60, -0.6), np.full(1940, 0.7)])
    found = interval(0.7, draws, "tau_b", level=0.95, queries=10_000)
    assert found is not None
    assert found == pytest.approx((-0.6, 1.0))
