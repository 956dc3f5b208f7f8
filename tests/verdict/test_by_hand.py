"""Figures of inference that can be had by hand: every constant in them, to the last digit.

Each test turns red if its formula is changed in one place: a label seen twice, a draw in the order
of a file, a p of 0, a factor n/(n − 1) that is dropped, degrees of freedom that are doubled.
"""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

import consilience as cs
from consilience.belief.agreement import effective
from consilience.belief.prediction import _cross_fitted, expit, logit, predict
from consilience.belief.sample import Sample, sample_of
from consilience.measures.corrected import Returned, returned_items
from consilience.measures.names import parse
from consilience.study import Study
from consilience.verdict.design import draw, frame
from consilience.verdict.designed import Estimated, _expected, designed
from consilience.verdict.estimated import _tied, of_design
from consilience.verdict.paired_tests import ALL, SWAPS, pair_tests, paired_tests
from consilience.verdict.pairs import Pair, tie_groups
from consilience.verdict.resample import expanded_tail
from consilience.verdict.settling import near
from consilience.verdict.standing import standings
from consilience.verdict.stop import _race, stop_rule

ITEMS = [f"i{number:02d}" for number in range(40)]


def labels(count: int, *, flip: int | None = None) -> dict[str, list[Any]]:
    """Label the first items of two queries in turn; one label may be turned over."""
    said = [int(number % 3 != 0) for number in range(count)]
    if flip is not None:
        said[flip] = 1 - said[flip]
    return {
        "query": [f"q{number % 2}" for number in range(count)],
        "item": ITEMS[:count],
        "label": said,
        "probability": [0.5] * count,
    }


def voted(truth: dict[str, list[Any]] | None) -> Study:
    """Three systems that answer both queries."""
    lists = {
        name: {
            f"q{query}": [ITEMS[n] for n in range(query, 40, 2) if (n // 2) % step != 0]
            for query in (0, 1)
        }
        for name, step in (("a", 2), ("b", 3), ("c", 5))
    }
    return cs.study(lists, truth=truth)


def test_a_label_has_no_part_in_the_guess_of_its_own_item() -> None:
    """Cross-fitting: turned over, it moves the guesses of others, and not of its own item."""
    for flip in (4, 7, 15):
        one, other = (voted(labels(24, flip=which)) for which in (None, flip))
        before, after = (predict(study, sample_of(study)) for study in (one, other))
        assert before.calibrated
        assert after.calibrated
        place = one.items.names(range(len(one.items))).index(ITEMS[flip])
        assert after.p[place] == before.p[place]
        assert np.abs(after.p - before.p).max() > 0.01


def test_labels_weigh_the_root_of_their_weight_in_the_calibration() -> None:
    """The documented sum, minimised by scipy: drawn with 1/9 and with certainty, 3 counts to 1."""
    start = logit(np.linspace(0.05, 0.95, 30))
    x = np.stack([np.ones(30), start], axis=1)
    item, weight = np.arange(20), np.tile([9.0, 1.0], 10)
    truth = (np.arange(20) % 3 == 0).astype(float)
    none = np.zeros(20, np.int64)
    sample = Sample(item, truth, weight, weight, 1 / weight, none + 1, (20,), (20,))
    found = _cross_fitted(x, np.zeros(30, np.int64), sample, item % 10)
    counts = np.tile([3.0, 1.0], 10) / 2  # of mean 1

    def loss(b: np.ndarray) -> float:
        eta = x[:20] @ b[:2] + b[2]
        held = 0.01 * b[0] ** 2 + 0.1 * (b[1] - 1) ** 2 + b[2] ** 2
        return float(counts @ (np.logaddexp(0, eta) - truth * eta) + held / 2)

    least = optimize.minimize(loss, np.array([0.0, 1.0, 0.0]), tol=1e-12).x
    assert found[20:] == pytest.approx(expit(x[20:] @ least[:2] + least[2]), abs=1e-5)


def test_drawn_items_stand_in_the_order_of_their_chance() -> None:
    """By u / π, u the random number that drew them: the first part of a draw is a draw."""
    study = voted(None)
    known = frame(study, parse("F1(average=micro)"))
    pi = np.linspace(0.2, 0.9, len(known.open))
    found = draw(known, pi, seed=3)
    names = study.items.names(known.open)
    query = study.items.query(known.open)
    by_name = sorted(range(len(names)), key=lambda one: (study.queries[query[one]], names[one]))
    numbers = np.random.default_rng([3, 1]).random(len(pi))
    chance = {names[one]: numbers[place] / pi[one] for place, one in enumerate(by_name)}
    expected = sorted((name for name in names if chance[name] < 1), key=chance.__getitem__)
    assert study.items.names(found.item) == expected
    assert expected != sorted(expected)  # the order of the file is another one


def test_the_order_of_a_file_does_not_matter_to_a_draw() -> None:
    lists = {"a": {"q": ITEMS[:30]}, "b": {"q": ITEMS[20:]}}
    turned = {name: {"q": run["q"][::-1]} for name, run in lists.items()}
    found = []
    for made in (cs.study(lists), cs.study(turned)):
        known = frame(made, parse("F1"))
        found.append(made.items.names(draw(known, np.full(len(known.open), 0.4), seed=1).item))
    assert found[0] == found[1]


def test_the_smallest_p_of_drawn_swaps_is_not_zero() -> None:
    """No swap of 60 equal signs is as far: the data count as one of 10,001."""
    ahead = np.linspace(0.9, 1.0, 60)
    least = 1 / (SWAPS + 1)
    assert len(ahead) > ALL
    assert paired_tests(ahead).p["randomisation"] == least
    assert pair_tests(np.stack([ahead, np.zeros(60)]), np.array([0]), np.array([1]))[
        "randomisation"
    ].tolist() == [least]


def test_all_swaps_are_counted_where_queries_are_few() -> None:
    """Of 2⁵ ways to swap two are as far: all, and none."""
    assert paired_tests([0.1, 0.2, 0.3, 0.4, 0.5]).p["randomisation"] == 2 / 32


def _late() -> Study:
    """Thirty items of the first round, twenty of them drawn; six more came after that."""
    truth: dict[str, list[Any]] = {
        "query": ["q"] * 20,
        "item": ITEMS[:20],
        "probability": [0.5] * 20,
        "label": [1] * 10 + [0] * 10,
    }
    lists = {"a": {"q": ITEMS[:10] + ITEMS[30:36]}, "b": {"q": ITEMS[8:30]}}
    made = cs.study(lists, truth=truth)
    late = np.isin(made.items.names(made.answers.item), ITEMS[30:36])
    return replace(made, answers=replace(made.answers, round=late.astype(np.int64)))


def test_nothing_is_settled_while_no_label_speaks_for_items_that_came_late() -> None:
    late = designed(_late(), measures=["P"])
    assert late.sample.late == 6
    found = stop_rule(late, ["a", "b"], delta=0.02)
    assert not found.settled
    assert "6 items came after the draw" in found.sentence
    surer = replace(late, sample=replace(late.sample, late=0))
    assert stop_rule(surer, ["a", "b"], delta=0.02).settled  # nothing else stood in its way


def _by_query() -> tuple[Study, np.ndarray]:
    """Six queries of ten items each, all labelled; what P of "a" and of "b" is in each."""
    rng = np.random.default_rng(5)
    lists: dict[str, Any] = {"a": {}, "b": {}}
    truth: dict[str, list[Any]] = {"query": [], "item": [], "label": [], "probability": []}
    share = np.zeros((2, 6))
    for query in range(6):
        said = rng.random(10) < 0.6
        for place, (system, items) in enumerate((("a", range(7)), ("b", range(3, 10)))):
            lists[system][f"q{query}"] = [ITEMS[item] for item in items]
            share[place, query] = said[list(items)].mean()
        truth["query"] += [f"q{query}"] * 10
        truth["item"] += ITEMS[:10]
        truth["label"] += said.astype(int).tolist()
        truth["probability"] += [1.0] * 10
    return cs.study(lists, truth=truth), share


def test_the_error_over_queries_is_that_of_a_mean_of_clusters() -> None:
    """With every item labelled nothing but the queries is left: s² / n, Student's t of n − 1."""
    study, share = _by_query()
    found = designed(study, measures=["P"], unit="queries").measures["P"]
    assert found.value == pytest.approx(share.mean(axis=1), abs=1e-12)
    assert found.covariance == pytest.approx(np.cov(share) / 6, abs=1e-12)
    assert found.standard_error == pytest.approx(stats.sem(share, axis=1), abs=1e-12)
    assert found.degrees == 5
    assert found.quantile(0.95) == pytest.approx([stats.t(5).ppf(0.975)] * 2)
    assert found.quantile(0.9, np.array([[1.0, -1.0]])) == pytest.approx([stats.t(5).ppf(0.95)])


def _estimate(slope: list[list[float]], degrees: float) -> Estimated:
    """Two systems whose labels add what is told; all labels are worth the same."""
    table = np.array(slope)
    cover, nothing = table @ table.T / 100, np.zeros((2, 2))
    value = np.array([0.7, 0.4])
    worth = np.ones(table.shape[1])
    return Estimated(value, value, value, cover, nothing, table, worth, degrees)


def test_degrees_of_freedom_are_two_for_each_label_that_speaks() -> None:
    """Four labels add alike to a, one alone to b: eight degrees, and two."""
    found = _estimate([[1, 1, 1, 1, 0], [0, 0, 0, 0, 2]], math.inf)
    assert found.speaking(np.eye(2)).tolist() == [4.0, 1.0]
    assert found.freedom(np.eye(2)).tolist() == [8.0, 2.0]
    reach = [stats.t(8).ppf(0.975), stats.t(2).ppf(0.975)]
    assert found.quantile(0.95) == pytest.approx(reach)


def test_the_stop_rule_brings_margins_down_by_students_tails() -> None:
    """One label speaks of the difference: two degrees, twice the labels make four."""
    found = _estimate([[2, 0], [0, 0]], math.inf)
    race = _race(found, [0, 1], 0.0, 0.0005, 0)
    for times in (1.0, 2.0):
        reached = 0.3 / 0.2 * math.sqrt(times)
        tail = stats.t(2 * times).cdf(-reached)
        assert race.careful(times)[1] == pytest.approx(-stats.norm.ppf(tail), abs=1e-9)


def test_the_confidence_has_students_tails() -> None:
    """1.5 standard errors ahead by one label: Student's t of two degrees, ½ + 1.5 / (2√(2 + 1.5²)).

    A normal deviate of 1.5 would give .933.
    """
    race = _race(_estimate([[2, 0], [0, 0]], math.inf), [0, 1], 0.0, 0.0005, 0)
    assert race.reached[1] == pytest.approx(1.5)
    assert race.confidence() == pytest.approx(0.5 + 1.5 / (2 * math.sqrt(4.25)), abs=0.004)


@pytest.mark.parametrize(("level", "tied"), [(0.95, True), (0.73, True), (0.72, False)])
def test_estimates_are_tied_within_students_interval(level: float, tied: bool) -> None:
    """Two systems are 1.5 standard errors apart, with two degrees: 1.5 / √(2 + 1.5²) = .7276."""
    found = _estimate([[2, 0], [0, 0]], math.inf)
    known: list[Any] = [SimpleNamespace(name=name) for name in "ab"]
    assert _tied(known, found, np.arange(2), level) == ((("a", "b"),) if tied else ())


@pytest.mark.parametrize(
    ("labels", "square"), [(0, 0.07), (1, 0.06), (2, 0.37 / 7), (5, 0.04), (20, 0.04)]
)
def test_the_floor_counts_for_more_where_few_labels_speak(labels: int, square: float) -> None:
    """λ var + (1 − λ) floor with var = .01, floor = .07: λ = m / (m + 5), and ½ from five on."""
    nothing = np.zeros(1)
    slope = np.ones((1, labels)) if labels else np.zeros((1, 1))
    var, floor = np.array([[0.01]]), np.array([[0.07]])
    worth = np.ones(slope.shape[1])
    found = Estimated(nothing, nothing, nothing, var, floor, slope, worth, math.inf)
    assert found.standard_error == pytest.approx([math.sqrt(square)])


def _drawn(leads: list[float], tail: float) -> cs.Verdict:
    """Return a ranking of a before b whose draws say how far a leads."""
    found = cs.rank(
        cs.study({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, truth={"q": ["x"]}), measures=["P"]
    )
    draws = np.stack([0.5 + np.array(leads), np.full(len(leads), 0.5)], axis=1)
    return replace(found, sure=replace(found.sure, draws=draws, tail=tail))


@pytest.mark.parametrize(("tail", "last"), [(0.025, 2), (0.09, 2), (0.11, 1)])
def test_rank_intervals_have_the_tail_of_the_level(tail: float, last: int) -> None:
    """In 10 of 100 draws a is second: with 11 % beyond each end its interval is the first rank."""
    found = _drawn([0.1] * 90 + [-0.1] * 10, tail)
    first = standings(found.study, found.scores, found.sure)[0]
    assert first.name == "a"
    assert first.rank_interval == (1, last)


def test_near_is_at_most_delta_behind() -> None:
    """Of four draws a leads in one, and is .005, .015 and .03 behind in the others."""
    found = _drawn([0.1, -0.005, -0.015, -0.03], 0.025)
    share = [near(found.standings, found.scores, found.sure, d) for d in (0.0, 0.01, 0.02, 0.04)]
    assert share == [0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize(
    ("level", "p", "tied"), [(0.95, 0.049, 0), (0.95, 0.051, 1), (0.9, 0.09, 0)]
)
def test_ties_are_tested_at_the_level(level: float, p: float, tied: int) -> None:
    """In every draw a leads; the test decides, and p is two-sided: at most 1 − level."""
    pair = Pair("a", "b", 1.0, 0.3, (0.2, 0.4), tests={"t": (p, p)})
    draws = np.array([[0.8, 0.5]] * 10)
    assert len(tie_groups(draws, names="ab", tail=0.025, level=level, pairs=[pair])) == tied


def test_p_of_the_paired_t_test_has_n_minus_one_degrees() -> None:
    apart = [0.1, 0.3, -0.05, 0.2, 0.15]
    assert paired_tests(apart).p["t"] == pytest.approx(
        stats.ttest_1samp(apart, 0).pvalue, abs=1e-12
    )


def test_resampled_quantiles_are_as_wide_as_students_interval() -> None:
    """Five queries: Φ(−√(n / (n − 1)) t) with Student's t of four degrees."""
    expected = stats.norm.cdf(-math.sqrt(5 / 4) * stats.t(4).ppf(0.975))
    assert expanded_tail(0.95, 5) == pytest.approx(expected, abs=1e-9)


def _sample(count: int) -> tuple[Returned, Sample]:
    study = cs.study({"s": {"q": ITEMS[:12]}}, truth={**labels(count), "query": ["q"] * count})
    sample = sample_of(study)
    assert sample is not None
    return returned_items(study), sample


@pytest.mark.parametrize("count", [1, 3, 8])
def test_a_guess_is_no_surer_than_laplaces_rule_allows(count: int) -> None:
    """After m labels without an exception the next is one with probability 1 / (m + 2)."""
    table, sample = _sample(count)
    edge = 1 / (count + 2)
    for sure in (0.0, 1.0):
        found = _expected(table, sample, np.full(12, sure))
        assert found == pytest.approx(np.full(12, edge * (1 - edge)), abs=1e-15)


def test_draws_and_luck_have_the_spread_of_the_standard_errors() -> None:
    """Draws of Student's t with 5 degrees spread 5/3 times as far; luck is counted without that."""
    found = _estimate([[1, 2, 0], [0, 1, 3]], 5.0)
    drawn = found.draws(0, 100_000, heavy=False) - found.value
    lead = drawn[:, 1] - drawn[:, 0]
    apart = found.covariance[0, 0] + found.covariance[1, 1] - 2 * found.covariance[0, 1]
    assert stats.kstest(lead / math.sqrt(apart), stats.t(5).cdf).pvalue > 0.001
    race = _race(found, [0, 1], 0.0, 0.0005, 0)
    assert race.spread == pytest.approx(found.covariance, abs=0.003)


def test_dawid_skene_keeps_its_classes_where_gold_is_known() -> None:
    """Voters err four times of five, gold has said so of half the items: it names classes."""
    rng = np.random.default_rng(0)
    truth = rng.random(200) < 0.5
    right = {f"s{n}": rng.random(200) < 0.2 for n in range(5)}
    names = [f"d{n:03d}" for n in range(200)]
    table: dict[str, Any] = {"item": names}
    table |= {name: (truth == good).astype(int).tolist() for name, good in right.items()}
    gold = {"item": names[:100], "label": truth[:100].astype(int).tolist()}
    believed = cs.dawid_skene(cs.study(table, truth=gold), near=None)
    majority = np.mean([table[name][100:] for name in right], axis=0) > 0.5
    assert ((believed.p[100:] > 0.5) == ~majority).all()  # what most say is wrong
    assert ((believed.p[100:] > 0.5) == truth[100:]).mean() > 0.9
    assert all(rate < 0.3 for rate in believed.details["sensitivity"].values())


@pytest.mark.parametrize(
    ("pi", "expected"), [([0.2] * 3, 3.0), ([0.5, 0.25, 0.25], 100 / 36), ([1.0], 1.0)]
)
def test_kishs_effective_number(pi: list[float], expected: float) -> None:
    """(Σ w)² / Σ w² with w = 1/π: three labels of equal weight are three."""
    count = len(pi)
    truth = {"query": ["q"] * count, "item": ITEMS[:count], "label": [1] * count}
    study = cs.study({"s": {"q": ITEMS[:30]}}, truth={**truth, "probability": pi})
    found = of_design(designed(study, measures=["P"]))
    assert found["effective"] == pytest.approx(expected, abs=1e-12)
    assert effective(1 / np.array(pi)) == pytest.approx(expected, abs=1e-12)
