"""Verdicts: what may be called best, what is tied, what the payload promises."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.render import render
from consilience.verdict.standing import order
from consilience.verdict.sureness import FLAT, UNJUDGED
from tests.measures.made import problems


def study_of(values, *, steps=20):
    """A study in which system s has precision ``values[s][q]`` (in twentieths) under query q."""
    values = np.atleast_2d(values)
    answers, truth = {}, {}
    for query in range(values.shape[1]):
        truth[f"q{query}"] = {f"i{n:02d}": int(n < steps) for n in range(2 * steps)}
    for system, row in enumerate(values):
        answers[f"s{system}"] = {
            f"q{query}": [f"i{n:02d}" for n in range(steps - round(v * steps), 2 * steps)][:steps]
            for query, v in enumerate(row)
        }
    return cs.study(answers, truth=truth)


def chance(seed, systems, queries, *, gaps=()):
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.2, 0.7, queries)
    noise = rng.normal(0, 0.1, (systems, queries))
    return np.clip(base + noise + np.resize([0.0, *gaps], systems)[:, None], 0, 1)


def test_the_made_studies_have_the_values_asked_for():
    values = np.array([[0.5, 0.25, 1.0, 0.0], [0.1, 0.2, 0.3, 0.4]])
    verdict = cs.rank(study_of(values), measures=["P"])
    np.testing.assert_allclose(verdict.scores.matrix("P"), values, atol=1e-12)


def test_a_clear_difference_is_settled():
    verdict = cs.rank(study_of(chance(0, 2, 40, gaps=[0.2])), measures=["P"])
    assert verdict.settled
    assert verdict.ties == ()
    first, second = verdict.standings
    says = r"s1 is best by P \(0\.\d{4}\) with probability (above )?0\.99"
    assert re.match(says, verdict.sentence)
    assert (first.name, first.rank, second.rank) == ("s1", 1, 2)
    assert first.p_best == pytest.approx(1, abs=0.01)
    assert second.p_best == pytest.approx(0, abs=0.01)
    assert (first.rank_interval, second.rank_interval) == ((1, 1), (2, 2))
    assert re.search(
        r"s1 is best by P \(0\.\d{4}\) with probability (above )?0\.99", verdict.sentence
    )


def test_a_small_difference_is_not_settled():
    verdict = cs.rank(study_of(chance(1, 2, 10, gaps=[0.01])), measures=["P"])
    assert not verdict.settled
    assert sorted(verdict.ties[0]) == ["s0", "s1"]
    assert verdict.sentence.startswith("Not settled: ")
    assert "of all resamples" in verdict.sentence
    assert "Next step: " in verdict.sentence
    assert {one.rank_interval for one in verdict.standings} == {(1, 2)}


def test_equal_systems_share_everything():
    values = np.tile(chance(2, 1, 12), (3, 1))
    verdict = cs.rank(study_of(values), measures=["P"])
    assert [one.rank for one in verdict.standings] == [1, 1, 1]
    assert [one.p_best for one in verdict.standings] == pytest.approx([1 / 3] * 3)
    assert {pair.p_a_beats_b for pair in verdict.pairs} == {0.5}
    assert verdict.ties == (("s0", "s1", "s2"),)
    assert not verdict.settled


def test_three_systems_one_apart():
    verdict = cs.rank(study_of(chance(3, 3, 40, gaps=[0.01, 0.3])), measures=["P"])
    assert verdict.standings[0].name == "s2"
    assert verdict.settled
    assert [sorted(group) for group in verdict.ties] == [["s0", "s1"]]


def test_probability_best_against_brute_force():
    """All 3³ draws of three queries, each as likely: how often each system comes first."""
    values = np.array([[0.9, 0.1, 0.5], [0.5, 0.6, 0.3]])
    draws = np.stack(np.meshgrid(*[range(3)] * 3), -1).reshape(-1, 3)
    means = values[:, draws].mean(axis=2)
    wins = (means[0] > means[1] + 1e-12) + 0.5 * (np.abs(means[0] - means[1]) <= 1e-12)
    verdict = cs.rank(study_of(values), measures=["P"])
    found = {one.name: one.p_best for one in verdict.standings}
    assert found["s0"] == pytest.approx(wins.mean(), abs=0.04)
    (pair,) = verdict.pairs
    assert pair.a == "s0"
    assert pair.p_a_beats_b == pytest.approx(wins.mean(), abs=0.04)


@pytest.mark.parametrize("queries", [1, 2])
def test_few_queries_settle_nothing(queries):
    verdict = cs.rank(study_of(np.tile([[0.9], [0.1]], queries)), measures=["P"])
    assert not verdict.settled
    assert [one.p_best for one in verdict.standings] == [None, None]
    assert verdict.standings[0].intervals == {"P": None}
    assert verdict.sentence.startswith("Not settled: s0 has the highest P (0.9000)")
    assert f"over {queries} quer" in verdict.sentence
    assert "Next step: add queries" in verdict.sentence
    assert "best" not in verdict.sentence


def test_one_system():
    verdict = cs.rank(study_of(chance(4, 1, 10)), measures=["P"])
    assert not verdict.settled
    assert verdict.pairs == ()
    assert "best" not in verdict.sentence
    assert "no other system" in verdict.sentence


def test_nothing_can_be_ranked():
    study = cs.study({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, truth={"q": {"x": 0, "y": 0}})
    verdict = cs.rank(study, measures=["AP"])
    assert verdict.sentence.startswith("No system can be ranked by AP: ")
    assert not verdict.settled
    payload = verdict.payload()
    assert payload["systems"][0]["scores"]["AP"]["value"] is None
    assert payload["systems"][0]["scores"]["AP"]["undefined"]
    json.dumps(payload, allow_nan=False)


def test_a_rival_without_a_figure_settles_nothing():
    """Answers of ``b`` are sets: they have no average precision."""
    queries = [f"q{number}" for number in range(10)]
    runs = {
        "a": {query: {"x": 2.0, "y": 1.0} for query in queries},
        "b": {query: {"x", "y"} for query in queries},
    }
    study = cs.study(runs, truth={query: {"x": 1, "y": 0} for query in queries})
    verdict = cs.rank(study, measures=["AP", "P"])
    assert not verdict.settled
    assert verdict.sentence.startswith("Not settled: a has AP 1.0000")
    assert "nan" not in verdict.sentence
    assert "no order" in verdict.sentence
    json.dumps(verdict.payload(), allow_nan=False)


def test_only_defined_queries_count():
    """Eight of ten queries have nothing relevant: two queries settle nothing."""
    queries = [f"q{number}" for number in range(10)]
    truth = {query: {"x": int(query in queries[:2]), "y": 0} for query in queries}
    runs = {
        "a": {query: {"x": 2.0, "y": 1.0} for query in queries},
        "b": {query: {"x": 1.0, "y": 2.0} for query in queries},
    }
    verdict = cs.rank(cs.study(runs, truth=truth), measures=["AP"])
    assert not verdict.settled
    assert "over 2 queries" in verdict.sentence
    assert verdict.standings[0].scores["AP"].undefined == 8


def test_micro_averages_have_their_own_uncertainty():
    """One large query makes ``b`` better in micro average, nine small ones ``a`` in macro."""
    sizes = [50] + [1] * 9
    truth = {f"q{q}": {f"x{n}": 1 for n in range(size)} | {"y": 0} for q, size in enumerate(sizes)}
    everything = {query: [item for item in items if item != "y"] for query, items in truth.items()}
    runs = {
        "a": {query: ["y"] if query == "q0" else items for query, items in everything.items()},
        "b": {query: items if query == "q0" else ["y"] for query, items in everything.items()},
    }
    study = cs.study(runs, truth=truth)
    macro = cs.rank(study, measures=["R"])
    micro = cs.rank(study, measures=["R(average=micro)"])
    assert macro.standings[0].name == "a"
    assert micro.standings[0].name == "b"
    # b is ahead in a draw where the large query comes at all: 1 − .9¹⁰ = .65
    assert micro.standings[0].p_best == pytest.approx(1 - 0.9**10, abs=0.04)
    value = micro.standings[0].scores["R(average=micro)"].value
    low, high = micro.standings[0].intervals["R(average=micro)"] or (np.nan, np.nan)
    assert value == pytest.approx(50 / 59)
    assert low < value < high
    assert not micro.settled


def test_same_seed_same_result():
    study = study_of(chance(5, 3, 15))
    payloads = []
    for seed in (7, 7, 8):
        payload = cs.rank(study, measures=["P", "R"], seed=seed).payload()
        payload.pop("created")
        payloads.append(json.dumps(payload))
    assert payloads[0] == payloads[1] != payloads[2]


def test_level():
    study = study_of(chance(6, 2, 15))
    narrow = cs.rank(study, measures=["P"], level=0.5).standings[0].intervals["P"]
    wide = cs.rank(study, measures=["P"], level=0.99).standings[0].intervals["P"]
    assert wide is not None
    assert narrow is not None
    assert wide[0] < narrow[0] < narrow[1] < wide[1]
    with pytest.raises(cs.UsageError, match=r"between 0 and 1, found 95"):
        cs.rank(study, level=95)


CONTRACT = {
    "condition", "belief", "measure", "systems", "ties", "settled", "verdict", "notes", "seed",
    "id",
}  # fmt: skip


@given(problems(queries=5), st.sampled_from(["ours", "trec_eval", "missing-skipped"]))
@settings(max_examples=60)
def test_payload(problem, convention):
    """Keys of the contract, no NaN, values within intervals, sentences that keep their word."""
    names = ["AP", "nDCG@10", "P@3", "F1", "P(average=micro)", "AUC", "Judged@5"]
    verdict = cs.rank(problem.study(), measures=names, convention=convention)
    payload = json.loads(json.dumps(verdict.payload(), allow_nan=False))
    assert payload.keys() >= CONTRACT
    assert payload["belief"].keys() >= {"method", "effective_respondents", "assumes"}
    for system in payload["systems"]:
        assert system.keys() >= {"name", "rank", "rank_interval", "p_best", "scores"}
        assert list(system["scores"]) == payload["measures"]
        for score in system["scores"].values():
            assert score.keys() >= {"value", "interval", "bounds", "undefined"}
            assert (score["value"] is None) == (score["undefined"] is not None)
            if score["interval"] is not None:
                assert score["interval"][0] <= score["value"] <= score["interval"][1]
        if system["rank_interval"] is not None:
            assert 1 <= system["rank_interval"][0] <= system["rank_interval"][1]
            assert system["rank_interval"][1] <= len(payload["systems"])
    known = [one["p_best"] for one in payload["systems"] if one["p_best"] is not None]
    assert not known or sum(known) == pytest.approx(1)
    sentence = payload["verdict"]
    assert "nan" not in sentence
    assert "best" not in sentence or "probability" in sentence
    assert not sentence.startswith("Not settled") or "Next step: " in sentence
    assert payload["settled"] == (" is best by " in sentence)


def test_ranks_are_in_order_of_the_first_measure():
    verdict = cs.rank(study_of(chance(8, 6, 20)), measures=["P", "R"])
    values = [one.scores["P"].value for one in verdict.standings]
    assert values == sorted(values, reverse=True)
    ranks = [one.rank for one in verdict.standings]
    assert ranks == [1 + sum(other > value for other in values) for value in values]
    assert verdict.measure == "P"


def test_scores_that_differ_by_rounding_share_a_rank():
    """0.1 + 0.2 + 0.3 in two orders: the sums differ in their last digit."""
    values = np.array([0.1, 0.2, 0.3, 0.7])
    verdict = cs.rank(
        study_of([values, values[[2, 1, 0, 3]], values[[1, 2, 0, 3]] - 0.05]), measures=["P"]
    )
    apart = {one.name: one.scores["P"].value for one in verdict.standings}
    assert abs(apart["s0"] - apart["s1"]) < 1e-15
    assert [(one.name, one.rank) for one in verdict.standings] == [("s0", 1), ("s1", 1), ("s2", 3)]
    scores = verdict.scores
    shaken = np.array([0.5, 0.5 + 1e-16 * 4, 0.4])
    assert order(scores, "P", shaken) == [(0, 1), (1, 1), (2, 3)]


def test_the_library_s_names_work_in_any_order():
    """The module ``consilience.study`` stands where the function of the same name does."""
    cs.rank(cs.example_study("airplanes"))
    assert cs.study({"s": {"q": ["a"]}}).systems == ("s",)


def test_who_is_not_told_from_the_first_is_tied_with_it_whoever_stands_between():
    """b is always a little below a; c moves wildly: a is not settled to be above c."""
    a = np.full(10, 0.7)
    c = np.array([0.05, 1.0, 0.1, 0.95, 0.6, 1.0, 0.9, 0.1, 0.9, 0.1])
    verdict = cs.rank(study_of(np.stack([a, a - 0.1, c])), measures=["P"])
    assert [one.name for one in verdict.standings] == ["s0", "s1", "s2"]
    assert verdict.ties == (("s0", "s2"),)
    assert not verdict.settled
    assert "s2 is statistically tied" in verdict.sentence


def test_a_second_judge_does_not_make_unjudged_items_known():
    runs = {name: {f"q{n}": ["a", "b", "c", name] for n in range(5)} for name in ("x", "y")}
    judged: dict[str, list[object]] = {"query": [], "item": [], "judge": [], "relevant": []}
    for n in range(5):
        judged["query"].append(f"q{n}")
        judged["item"].append("a")
        judged["judge"].append("ann")
        judged["relevant"].append(int(n != 1))
    one = cs.rank(cs.study(runs, truth=judged), measures=["P"])
    for column, value in (("query", "q0"), ("item", "a"), ("judge", "bob"), ("relevant", 0)):
        judged[column].append(value)
    two = cs.rank(cs.study(runs, truth=judged), measures=["P"])
    assert (one.condition.name, two.condition.name) == ("partial", "uncertain")
    for verdict in (one, two):
        assert verdict.standings[0].intervals["P"] is None
        assert verdict.standings[0].details["P"].given is not None


def test_no_interval_where_all_queries_score_alike():
    """Ten zeros in a row do not show that there are no others."""
    queries = [f"q{number}" for number in range(10)]
    runs = {
        "never": {query: ["x"] for query in queries},
        "always": {query: ["y"] for query in queries},
        "often": {query: ["y" if place % 3 else "x"] for place, query in enumerate(queries)},
    }
    truth = {query: {"y": 1, "x": 0} for query in queries}
    for measures in (["P"], ["F1(average=micro)"]):
        verdict = cs.rank(cs.study(runs, truth=truth), measures=measures)
        found = {one.name: one.details[verdict.measure] for one in verdict.standings}
        for name in ("never", "always"):
            assert found[name].interval is found[name].given is None
            assert found[name].withheld == FLAT
        assert found["often"].withheld is None
        assert found["often"].interval is not None
        assert [one.p_best is not None for one in verdict.standings] == [True] * 3
        assert all(one["interval"] for one in verdict.payload()["pairs"])
        assert verdict.payload()["uncertainty"]["withheld"] is None
        assert "A score without one: all queries score alike" in str(
            render(verdict.payload(), "md")
        )
        two = {name: runs[name] for name in ("never", "always")}
        payload = cs.rank(cs.study(two, truth=truth), measures=measures).payload()
        assert payload["uncertainty"]["withheld"] == FLAT
        told = " ".join(str(render(payload, "text")).split())
        assert f"No intervals: {FLAT}." in told
    agreed = cs.rank(cs.study(runs | {"also": runs["often"]}), measures=["P"])
    for one in agreed.standings:
        detail = one.details["P"]
        assert detail.interval is None
        assert detail.given is None or detail.given[0] < detail.given[1]


def test_no_interval_under_an_assumption_where_all_queries_score_alike():
    """Unjudged items matter still."""
    runs = {name: {f"q{n}": [name, "z"] for n in range(8)} for name in ("x", "y")}
    truth = {f"q{n}": {"x": 1, "y": 0} for n in range(8)}
    verdict = cs.rank(cs.study(runs, truth=truth), measures=["P"])
    for one in verdict.standings:
        detail = one.details["P"]
        assert (detail.interval, detail.given, detail.withheld) == (None, None, UNJUDGED)
        assert detail.bounds is not None
