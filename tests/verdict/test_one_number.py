"""One number for one thing: what a result says of one question is the same wherever it is said."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.cli.next import command as next_command
from consilience.study import Study
from consilience.verdict.agreement import Wanted
from consilience.verdict.compared import compared
from consilience.verdict.designed import Estimated
from consilience.verdict.gain import Gain
from consilience.verdict.labelling import next_labels
from consilience.verdict.paired_tests import holm, paired_t
from consilience.verdict.pairs import Pair, compare, tie_groups
from consilience.verdict.rank import Verdict
from consilience.verdict.resample import resample
from consilience.verdict.settling import near
from consilience.verdict.stop import DELTA, stop_rule
from consilience.web.pages import label

NAMES = ("a", "b", "c", "d")


def searched(queries: int = 12, depth: int = 20, *, truth: Any = None, systems: int = 4) -> Study:
    """Ranked lists of systems that are good in the order of their names."""
    rng = np.random.default_rng(1)
    lists: dict[str, dict[str, dict[str, float]]] = {}
    for place, name in enumerate(NAMES[:systems]):
        lists[name] = {}
        for query in range(queries):
            worth = (np.arange(60) < 15) * 1.0 + rng.normal(0, 0.6 + 0.3 * place, 60)
            best = np.argsort(-worth)[:depth]
            lists[name][f"q{query}"] = {f"d{item:02d}": float(worth[item]) for item in best}
    return cs.study(lists, truth=truth)


def few_labels(count: int = 24, *, seed: int = 3, systems: int = 4) -> Study:
    """The same, with a few labels drawn with small and unequal probabilities."""
    blank = searched(systems=systems)
    drawn = next_labels(blank, budget=count, seed=seed).rows
    truth = {
        "query": [row["query"] for row in drawn],
        "item": [row["item"] for row in drawn],
        "probability": [row["probability"] for row in drawn],
        "label": [int(row["item"] < "d15") for row in drawn],
    }
    return searched(truth=truth, systems=systems)


@pytest.fixture(scope="module")
def verdict() -> Verdict:
    return cs.rank(few_labels())


def test_pairs_and_the_matrix_say_the_same(verdict: Verdict) -> None:
    payload = verdict.payload()
    names = payload["beats"]["systems"]
    assert len(payload["pairs"]) == 6
    for pair in payload["pairs"]:
        row, column = names.index(pair["a"]), names.index(pair["b"])
        assert payload["beats"]["p"][row][column] == pair["p_a_beats_b"]
        assert payload["beats"]["p"][column][row] == 1 - pair["p_a_beats_b"]


def test_of_two_systems_every_probability_is_one_number() -> None:
    """P(best), P(beats), the matrix and the confidence without a δ: the same, to one draw."""
    found = cs.rank(few_labels(systems=2), delta=0.0)
    (pair,), first = found.pairs, found.standings[0]
    matrix = found.beats()
    assert found.stop is not None
    assert matrix is not None
    assert 0.5 < pair.p_a_beats_b < 0.999
    assert matrix[0, 1] == pair.p_a_beats_b
    assert first.p_best == pytest.approx(pair.p_a_beats_b, abs=2e-4)
    assert found.stop.probability == pytest.approx(pair.p_a_beats_b, abs=2e-4)
    assert found.stop.confidence == pytest.approx(pair.p_a_beats_b, abs=0.01)
    assert found.stop.confidence is not None
    assert found.stop.probability is not None
    assert found.stop.confidence <= found.stop.probability


def test_draws_and_pairs_agree_on_the_leader(verdict: Verdict) -> None:
    """The share of draws in which the leader is ahead of another system is P(it beats it)."""
    code = {name: place for place, name in enumerate(verdict.scores.systems)}
    first = verdict.standings[0].name
    for pair in (one for one in verdict.pairs if one.a == first):
        ahead = verdict.sure.draws[:, code[first]] - verdict.sure.draws[:, code[pair.b]]
        assert (ahead > 0).mean() == pytest.approx(pair.p_a_beats_b, abs=2e-4)


def test_the_headline_has_the_stricter_number_and_no_other(verdict: Verdict) -> None:
    assert verdict.stop is not None
    assert verdict.stop.confidence is not None
    first = verdict.standings[0]
    assert first.p_best is not None
    assert verdict.stop.confidence <= first.p_best
    assert f"with confidence {verdict.stop.confidence:.2f}" in verdict.sentence
    assert "probability" not in verdict.sentence
    assert f"with confidence {verdict.stop.confidence:.2f}" in verdict.stop.sentence
    assert "P(best): the share of joint draws" in " ".join(str(verdict).split())


def test_rank_and_next_forecast_the_same(verdict: Verdict) -> None:
    """With one δ for every door: how many more labels would settle it, and how sure it is now."""
    study = few_labels()
    asked = next_labels(study, budget=20).stop
    assert verdict.stop == asked
    assert asked is not None
    assert asked.delta == DELTA
    assert asked.needed is not None
    assert f"about {asked.needed:,}"[:9] in verdict.sentence
    doors = (
        inspect.signature(next_labels).parameters["delta"].default,
        inspect.signature(stop_rule).parameters["delta"].default,
        next(one for one in next_command.params if one.name == "delta").default,
        label.DELTA,
    )
    assert doors == (DELTA,) * 4


def test_nothing_is_beyond_what_is_possible(verdict: Verdict) -> None:
    for one in verdict.standings:
        for detail in one.details.values():
            assert detail.standard_error is not None
            assert detail.standard_error <= 0.5
    for pair in verdict.pairs:
        values = [
            one.scores[verdict.measure].value
            for name in (pair.a, pair.b)
            for one in verdict.standings
            if one.name == name
        ]
        assert values[0] is not None
        assert values[1] is not None
        assert pair.difference is not None
        assert pair.difference == pytest.approx(values[0] - values[1], abs=1e-12)
        assert pair.interval is not None
        assert -1 <= pair.interval[0] <= pair.difference <= pair.interval[1] <= 1
        assert pair.standard_error is not None
        assert pair.standard_error <= 1


def test_errors_are_at_most_half_of_what_scores_range_over() -> None:
    wild = np.eye(2) * 9.0
    nothing = np.zeros((2, 2))
    value = np.array([0.7, 0.4])
    found = Estimated(value, value, value, wild, nothing, np.eye(2), np.ones(2), math.inf)
    assert found.standard_error.tolist() == [0.5, 0.5]
    assert found.error(np.array([[1.0, -1.0]])).tolist() == [1.0]


def test_forecasts_are_possible_too() -> None:
    gain: Gain = next_labels(searched(queries=30, depth=40), budget=2).gain
    assert max(point.uniform for point in gain.curve) <= 0.5
    assert gain.apart is not None
    assert max(gain.apart) <= 1


def close_race() -> np.ndarray:
    """Scores of four systems on 60 queries: the lead is real to resampling, not after Holm."""
    rng = np.random.default_rng(8)
    base = 0.4 + 0.2 * rng.random(60)
    luck = rng.permutation(np.linspace(-1, 1, 60))
    lead = 0.05 + 0.16 * luck / luck.std()  # t = 0.05 · √59 / 0.16 = 2.4
    return np.stack([base + lead, base, *(base + rng.normal(-0.002, 0.02, (2, 60)))])


def test_a_tie_is_what_the_stricter_of_interval_and_test_says() -> None:
    matrix = close_race()
    drawn = resample(matrix, seed=0)
    tail = drawn.tail(0.95)
    how: dict[str, Any] = {"names": NAMES, "tail": tail}
    pairs = compare(drawn.draws, values=matrix.mean(axis=1), matrix=matrix, **how)
    lead = next(one for one in pairs if (one.a, one.b) == ("a", "b"))
    assert lead.interval is not None
    assert lead.interval[0] > 0  # the interval leaves 0 out
    assert lead.tests is not None
    p, corrected = lead.tests["t"]
    assert p < 0.05 < corrected  # and the corrected test does not
    assert tie_groups(drawn.draws, **how) == (("b", "c", "d"),)
    assert tie_groups(drawn.draws, pairs=pairs, **how)[0][:2] == ("a", "b")


def test_pairs_that_are_not_listed_are_corrected_by_bonferroni() -> None:
    """Beyond 200 systems few pairs are listed; the others' tests are made when they are needed."""
    matrix = close_race()
    drawn = resample(matrix, seed=0)
    tail = drawn.tail(0.95)
    how: dict[str, Any] = {"names": NAMES, "tail": tail}
    listed: list[Pair] = list(
        compare(drawn.draws, values=matrix.mean(axis=1), matrix=matrix, most=2, **how)
    )
    p = float(paired_t((matrix[0] - matrix[1])[None, :])[0])
    few = [one for one in listed if (one.a, one.b) != ("a", "b")]
    assert p < 0.05 < p * len(few)
    assert "b" in tie_groups(drawn.draws, pairs=few, matrix=matrix, **how)[0]
    assert "b" not in tie_groups(drawn.draws, pairs=few, **how)[0]  # no test, no objection


def test_the_headline_does_not_claim_what_the_tests_deny() -> None:
    """Rows won 16 to 5 of 285: P(best) is .99, Holm's p of the pair above .05, and it is a tie."""
    rows = 285
    right = np.ones((4, rows), int)
    right[0, :5] = 0
    for place, first in ((1, 5), (2, 8), (3, 11)):
        right[place, first : first + 16] = 0
    truth = {f"r{row:03d}": {"yes": 1, "no": 0} for row in range(rows)}
    answers = {
        name: {f"r{row:03d}": ["yes" if right[place, row] else "no"] for row in range(rows)}
        for place, name in enumerate(NAMES)
    }
    found = cs.rank(cs.study(answers, truth=truth), measures=["P"])
    assert found.standings[0].name == "a"
    share = found.standings[0].p_best
    assert share is not None
    assert share > 0.98
    (pair,) = (one for one in found.pairs if (one.a, one.b) == ("a", "b"))
    assert pair.tests is not None
    corrected = pair.tests["t"][1]
    assert 0.05 < corrected < 0.1
    assert not found.settled
    assert "b" in found.ties[0]
    assert f"Holm-corrected for 6 pairs: p = {corrected:.3f}" in found.sentence
    assert f"comes first in {100 * share:.1f} % of all resamples" in found.sentence


def test_whatever_is_settled_passes_the_printed_test() -> None:
    for seed in range(30):
        rng = np.random.default_rng(seed)
        truth = {f"q{n}": {"x": 1, "y": 0} for n in range(25)}
        answers = {
            name: {f"q{n}": ["x" if rng.random() < rate else "y"] for n in range(25)}
            for name, rate in zip(NAMES, (0.95, 0.7, 0.65, 0.6), strict=True)
        }
        found = cs.rank(cs.study(answers, truth=truth), measures=["P"])
        top = [one for one in found.pairs if one.a == found.standings[0].name]
        worst = max(one.tests["t"][1] for one in top if one.tests is not None)
        if found.settled:
            assert worst <= 0.05


def test_holm_counts_down() -> None:
    assert holm([0.01, 0.02, 0.04]).tolist() == [0.03, 0.04, 0.04]


def test_the_chart_of_cutoffs_shows_what_the_table_shows() -> None:
    """Without truth, too: P@10 and R@10 at k = 10, and precision is not recall."""
    for belief in (cs.ls_eb, cs.consensus, cs.majority):
        found = cs.rank(searched(), belief=belief, measures=["nDCG", "P@10", "R@10", "P@3"])
        payload = found.payload()
        assert payload["cutoffs"]
        for line in payload["cutoffs"]:
            (scores,) = (one["scores"] for one in payload["systems"] if one["name"] == line["name"])
            tenth, third = line["points"][9], line["points"][2]
            assert tenth["precision"] == pytest.approx(scores["P@10"]["value"], abs=1e-12)
            assert tenth["recall"] == pytest.approx(scores["R@10"]["value"], abs=1e-12)
            assert third["precision"] == pytest.approx(scores["P@3"]["value"], abs=1e-12)
            assert tenth["precision"] > tenth["recall"] + 0.01


def test_cutoffs_leave_out_what_the_table_leaves_out() -> None:
    found = cs.rank(
        searched(), belief=cs.ls_eb, measures=["P@5"], leave_out="system", show=Wanted(cutoffs=5)
    )
    for line in found.payload()["cutoffs"]:
        (one,) = (one for one in found.standings if one.name == line["name"])
        assert line["points"][4]["precision"] == pytest.approx(one.scores["P@5"].value, abs=1e-12)


def test_a_change_of_measure_is_no_same_verdict() -> None:
    """From nDCG without labels to P@10 with some: the same system is first, by something else."""
    before, after = cs.rank(searched()), cs.rank(few_labels(200))
    assert (before.measure, after.measure) == ("nDCG", "P@10")
    assert before.standings[0].name == after.standings[0].name
    made = compared(before.payload(), after.payload())
    assert made["headline"].startswith("Before: a is first by nDCG")
    assert "Now: a is first by P@10" in made["headline"]
    assert "nDCG ranked before, P@10 ranks now: ranks are not comparable" in made["notes"]
    assert "P@10 ranks: labels drawn by design estimate P, R and F" in " ".join(after.notes)
    same = compared(after.payload(), after.payload())
    assert same["headline"].startswith("The same verdict: a is first, ")


def lists_of(found: list[list[int]]) -> Study:
    """Systems whose first ten hold so many relevant items, query by query: P@10 in tenths."""
    truth: dict[str, dict[str, int]] = {}
    lists: dict[str, dict[str, list[str]]] = {f"s{one}": {} for one in range(len(found))}
    for query in range(len(found[0])):
        good, bad = [f"r{n}" for n in range(10)], [f"n{n}" for n in range(10)]
        truth[f"q{query:02d}"] = dict.fromkeys(good, 1) | dict.fromkeys(bad, 0)
        for name, hits in zip(lists, found, strict=True):
            lists[name][f"q{query:02d}"] = good[: hits[query]] + bad[: 10 - hits[query]]
    return cs.study(lists, truth=truth)


def all_labelled(seed: int) -> Study:
    """Two systems that find the same number of items, all of which are labelled by design."""
    rng = np.random.default_rng(seed)
    hits = rng.permutation(np.repeat([4, 6, 8], 2)).tolist()
    other = hits[::-1]
    truth: dict[str, list[Any]] = {"query": [], "item": [], "label": [], "probability": []}
    lists: dict[str, dict[str, list[str]]] = {"a": {}, "b": {}}
    for query, (one, two) in enumerate(zip(hits, other, strict=True)):
        good, bad = [f"r{n}" for n in range(10)], [f"n{n}" for n in range(10)]
        for name, count in (("a", one), ("b", two)):
            lists[name][f"q{query}"] = good[:count] + bad[: 10 - count]
        shown = sorted({*lists["a"][f"q{query}"], *lists["b"][f"q{query}"]})
        truth["query"] += [f"q{query}"] * len(shown)
        truth["item"] += shown
        truth["label"] += [int(item.startswith("r")) for item in shown]
        truth["probability"] += [1.0] * len(shown)
    return cs.study(lists, truth=truth)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("delta", [0.0, 0.02])
def test_an_exact_tie_is_one_everywhere(seed: int, delta: float) -> None:
    """All is labelled, and both have the same P@10: sums that differ by rounding decide nothing."""
    found = cs.rank(all_labelled(seed), measures=["P@10"], delta=delta)
    (pair,), stop = found.pairs, found.stop
    assert [one.p_best for one in found.standings] == pytest.approx([0.5, 0.5])
    assert (pair.p_a_beats_b, pair.p_equivalent) == (0.5, 1.0)
    assert found.ties == (("a", "b"),)
    assert stop is not None
    assert stop.first == found.standings[0].name == "a"
    assert (found.settled, stop.confidence) == ((True, 1.0) if delta else (False, 0.5))


def test_a_tiny_delta_settles_nothing_that_is_tied() -> None:
    """Three queries, better by .1, .2 and .1: p of the t-test is .057, whatever resamples say."""
    study = lists_of([[6, 7, 5], [5, 5, 4]])
    p = 0.0571909584
    plain = cs.rank(study, measures=["P@10"])
    assert plain.pairs[0].tests is not None
    assert plain.pairs[0].tests["t"][1] == pytest.approx(p)
    for delta in (0.0, 0.001):
        found = cs.rank(study, measures=["P@10"], delta=delta)
        assert not plain.settled
        assert not found.settled
        assert found.ties == plain.ties == (("s0", "s1"),)
    assert cs.rank(study, measures=["P@10"], delta=0.1).settled


def test_near_enough_is_what_the_pair_leaves() -> None:
    """P(best or within δ) of two systems is 1 − P(the other is better by more than δ)."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        found = rng.integers(2, 8, (2, 10)).tolist()
        verdict = cs.rank(lists_of(found), measures=["P@10"], delta=0.1)
        close = near(verdict.standings, verdict.scores, verdict.sure, 0.1)
        (pair,) = verdict.pairs
        assert pair.p_b_better is not None
        assert close == pytest.approx(1 - pair.p_b_better, abs=1e-12)


def test_a_difference_that_is_always_the_same_needs_enough_queries() -> None:
    """The t-test says nothing then; signs of n queries fall alike by chance with 2 / 2ⁿ."""
    few = cs.rank(lists_of([[6] * 4, [5] * 4]), measures=["P@10"])
    assert few.pairs[0].tests is not None
    assert math.isnan(few.pairs[0].tests["t"][0])
    assert (few.settled, few.ties) == (False, (("s0", "s1"),))
    assert "nan" not in few.sentence
    assert cs.rank(lists_of([[6] * 6, [5] * 6]), measures=["P@10"]).settled


def test_a_figure_over_all_queries_is_not_tested_by_figures_over_single_ones() -> None:
    """By micro precision s0 is ahead, by the mean of 20 queries it is behind."""
    truth, lists = {}, {"s0": {}, "s1": {}}  # type: ignore[var-annotated]
    for query in range(20):
        name, many = f"q{query:02d}", query % 2 == 0
        truth[name] = {f"r{n}": 1 for n in range(40)}
        good, bad = [f"r{n}" for n in range(40)], [f"n{n}" for n in range(40)]
        lists["s0"][name] = good[:36] + bad[:4] if many else good[:1] + bad[:3]
        lists["s1"][name] = good[:4] + bad[:2] if many else good[:3] + bad[:1]
    micro = cs.rank(cs.study(lists, truth=truth), measures=["P(average=micro)", "P"])
    (pair,) = micro.pairs
    assert [one.name for one in micro.standings] == ["s0", "s1"]
    assert micro.standings[0].scores["P"].value < micro.standings[1].scores["P"].value
    assert (pair.tests, pair.effect) == (None, None)
    assert any("no mean over queries" in note for note in micro.notes)
    macro = cs.rank(cs.study(lists, truth=truth), measures=["P"])
    assert macro.pairs[0].tests is not None


def test_shared_first_places_are_named_where_they_count() -> None:
    """A system that is first in every draw has P(best) below 1, for others are first with it."""
    found = cs.rank(lists_of([[9] * 8, [9] * 7 + [8]]), measures=["P@10"])
    first = found.standings[0]
    assert first.rank_interval == (1, 1)
    assert first.p_best is not None
    assert first.p_best < 0.95
    assert "(shared first places in part)" in found.sentence


def test_equal_differences_are_no_tie_however_many_pairs_are_compared() -> None:
    """The sign test is exact where a randomisation test would end at its number of draws."""
    names = [f"s{n:02d}" for n in range(60)]
    worth = np.linspace(0.9, 0.1, 60)
    matrix = worth[:, None] + np.random.default_rng(0).uniform(0, 0.05, 40)[None, :]
    drawn = resample(matrix, seed=0)
    pairs = compare(drawn.draws, values=worth, names=names, tail=0.025, matrix=matrix, most=60)
    assert len(pairs) == 60 * 59 // 2
    tests = next(one.tests for one in pairs if (one.a, one.b) == ("s00", "s01"))
    assert tests is not None
    assert math.isnan(tests["t"][0])
    assert tests["sign"][0] == pytest.approx(2.0**-39)
    assert tests["randomisation"][1] > 0.05
    assert tie_groups(drawn.draws, names=names, tail=0.025, pairs=pairs, matrix=matrix) == ()
