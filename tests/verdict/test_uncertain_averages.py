"""Averages over queries under an uncertain truth, what intervals cover, and what is said of it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import consilience as cs
from tests.verdict.judging import TABLE3, judged, random_study


def test_several_queries_are_averaged_and_drawn() -> None:
    study = random_study(5, queries=6)
    found = cs.distributions(study, draws=4000, seed=3)
    again = cs.distributions(study, draws=4000, seed=3)
    assert found.payload()["pairs"] == again.payload()["pairs"]
    for standing in found.standings:
        mine = [one.means["f1"] for one in found.outcomes if one.system == standing.name]
        assert standing.means["f1"] == pytest.approx(np.mean(mine))
        low, high = standing.intervals["f1"] or (1, 0)
        assert low < standing.means["f1"] < high
        # the variance of a mean of independent queries
        sd = np.sqrt(
            sum(o.values["f1"].sd ** 2 for o in found.outcomes if o.system == standing.name)
        )
        assert high - low == pytest.approx(2 * 1.96 * sd / 6, rel=0.15)
    duel = found.duels[0]
    assert duel.n == 6
    assert len(duel.meetings) == 6
    assert {one.paired.method for one in duel.meetings} == {"exact"}
    assert duel.paired.method == "simulation"


def test_intervals_cover_the_truth() -> None:
    """Draw the truth from the belief 300 times: a 90 % interval holds the score in 9 of 10."""
    rng = np.random.default_rng(0)
    study = random_study(8, queries=4, items=12)
    found = cs.distributions(study, level=0.9)
    belief = found.belief.of_all(len(study.items))
    inside = []
    for _ in range(300):
        truth = rng.random(len(belief)) < belief
        names = study.items.names(np.arange(len(study.items)))
        query = study.items.query(np.arange(len(study.items)))
        known: dict[str, dict[str, int]] = {}
        for name, q, x in zip(names, query.tolist(), truth.tolist(), strict=True):
            known.setdefault(study.queries[q], {})[name] = int(x)
        lists = {
            system: {
                study.queries[q]: study.items.names(
                    study.answers.item[study.answers.starts[n] : study.answers.starts[n + 1]]
                )
                for n, (r, q) in enumerate(
                    zip(
                        study.answers.respondent.tolist(), study.answers.query.tolist(), strict=True
                    )
                )
                if study.respondents.names[r] == system
            }
            for system in study.systems
        }
        scores = cs.score(cs.study(lists, truth=known), measures=["P", "F1"])
        for standing in found.standings:
            for ours, theirs in (("precision", "P"), ("f1", "F1")):
                low, high = standing.intervals[ours] or (1, 0)
                value = scores[standing.name][theirs].value
                inside.append(low - 1e-9 <= value <= high + 1e-9)
    share = float(np.mean(inside))
    # values are discrete, so intervals hold a little more than they must
    assert 0.9 - 3 * np.sqrt(0.09 / 300) <= share <= 0.97


def test_averages_and_their_distribution_have_the_same_mean() -> None:
    """Recall of the second query is undefined with probability ¼: given that it is not, it is ½."""
    study = judged(
        {"q": {"x": 4, "y": 4}, "r": {"x": 2, "y": 2}},
        {"s": {"q": ["x"], "r": ["x"]}, "t": {"q": ["y"], "r": ["x", "y"]}},
    )
    found = cs.distributions(study, draws=20_000)
    assert found.outcomes[2].values["recall"].p_undefined == pytest.approx(0.25)
    for one in found.standings:
        for measure in ("precision", "recall", "f1", "ap"):
            assert one.means[measure] == pytest.approx(one.spreads[measure].mean, abs=0.005)
    duel = next(one for one in found.duels if one.measure == "recall")
    assert duel.paired.difference.mean == pytest.approx(duel.difference, abs=0.005)


def test_rare_relevance_is_drawn_given_that_there_is_some() -> None:
    """Each of two items is relevant with 1e-4: given that one is, it is A's or B's, evenly."""
    judge = {"query": ["q", "q", "r"], "item": ["x", "w", "z"], "annotator": ["j"] * 3}
    truth = {**judge, "vote": [1e-4, 1e-4, 1.0]}
    study = cs.study({"A": {"q": ["x"], "r": ["z"]}, "B": {"q": ["w"], "r": ["z"]}}, truth=truth)
    for seed in range(3):
        found = cs.distributions(study, seed=seed)
        for one in found.standings:
            assert one.means["recall"] == pytest.approx(0.75, abs=1e-4)
            assert one.spreads["recall"].mean == pytest.approx(0.75, abs=0.04)
            assert one.intervals["recall"] == (0.5, 1.0)
            assert one.spreads["ap"].mean == pytest.approx(0.75, abs=0.04)
        duel = next(one for one in found.duels if one.measure == "recall")
        assert duel.paired.greater == pytest.approx(0.5, abs=0.06)


def test_systems_that_spoke_of_different_items_do_not_disturb_each_other() -> None:
    rows: dict[str, list[Any]] = {
        "query": ["q"] * 4 + ["r"] * 2,
        "item": ["a", "b", "c", "d", "a", "b"],
        "S1": [1, 0, None, None, 1, 0],
        "S2": [1, None, 1, 1, 0, 1],
    }
    truth = {
        "query": [q for q in rows["query"] for _ in range(2)],
        "item": [i for i in rows["item"] for _ in range(2)],
        "annotator": ["x", "y"] * 6,
        "vote": [1, 0, 0, 0, 1, 0, 1, 1, 1, 0, 1, 1],
    }
    found = cs.distributions(cs.study(rows, truth=truth), draws=20_000)
    for one in found.standings:
        assert one.spreads["recall"].mean == pytest.approx(one.means["recall"], abs=0.01)


def test_small_probabilities_are_drawn_finely() -> None:
    """Ten thousand items of 1e-9 change nothing; rounded to 24 bits they would, now and then."""
    items = [f"i{number}" for number in range(20_000)]
    truth = {"item": items, "annotator": ["j"] * len(items), "vote": [0.5] + [1e-9] * 19_999}
    study = cs.study({"s": {"all": items[:3]}}, truth=truth)
    found = cs.distributions(study, draws=20_000).outcomes[0]
    assert found.methods["ap"] == "simulation"
    assert found.values["ap"].quantile(0.01) == pytest.approx(1.0)


def test_the_same_items_in_another_order_do_not_differ() -> None:
    """Sums in another order differ by 1e-17: that is no difference to test."""
    rng = np.random.default_rng(1)
    shares = {f"q{q}": {f"i{i}": int(rng.integers(0, 8)) for i in range(7)} for q in range(12)}
    lists = {
        "a": {q: list(items) for q, items in shares.items()},
        "b": {q: list(items)[::-1] for q, items in shares.items()},
    }
    found = cs.distributions(judged(shares, lists, judges=7), draws=200)
    for duel in found.duels:
        if duel.measure != "ap":
            assert {p for p, _ in duel.tests.values()} == {1.0}


def test_more_systems_than_have_bands_is_said() -> None:
    lists = {f"s{n}": {q: [f"i{n % 5}", "i1"] for q in ("q", "r")} for n in range(31)}
    shares = {q: {f"i{n}": n % 4 + 1 for n in range(5)} for q in ("q", "r")}
    found = cs.distributions(judged(shares, lists), draws=200)
    assert [one.band for one in found.standings] == [None] * 31
    assert any("bands over several queries are given for so many" in note for note in found.notes)


def test_nothing_relevant_anywhere_says_so_and_warns_nobody() -> None:
    shares = {q: {"x": 0, "y": 0} for q in ("q", "r")}
    lists = {name: {q: ["x"] for q in ("q", "r")} for name in ("a", "b")}
    payload = cs.distributions(judged(shares, lists), draws=200).payload()
    assert payload["systems"][0]["recall"]["undefined"] == "no item can be relevant"
    json.dumps(payload, allow_nan=False)


def sentence(votes: list[int], level: float = 0.95) -> str:
    """Say who is better: a returns x, b returns y, which so many of 4 judges call relevant."""
    x, y = votes
    study = judged({"q": {"x": x, "y": y}}, {"a": {"q": ["x"]}, "b": {"q": ["y"]}})
    payload = cs.distributions(study, level=level).payload()
    assert payload["settled"] == ("Not settled" not in payload["headline"])
    said: str = payload["headline"]
    return said


def test_headlines() -> None:
    assert sentence([4, 0]).startswith("Nothing is random here: the truth is 0 or 1. a has")
    assert sentence([3, 1]).startswith("Not settled: a has the highest expected F1 (")
    assert sentence([2, 2]).startswith("Not settled: a and b have the same expected F1")
    # a beats b with ¾·¾ = 0.5625
    assert sentence([3, 1], 0.5).startswith("a has the highest expected F1: 0.6875 [")
    assert "with probability 0.56 and loses with 0.06" in sentence([3, 1], 0.5)
    agreed = cs.distributions(cs.study(TABLE3), belief=cs.consensus).payload()
    assert agreed["headline"].startswith("Not settled: S1 agrees most with the others")
    assert not agreed["settled"]


@pytest.mark.parametrize("seed", range(4))
def test_drawn_averages_agree_with_exact_ones_of_single_queries(seed: int) -> None:
    """The differences on two queries, exact and independent, add up to that of the average."""
    found = cs.distributions(random_study(seed, queries=2), draws=20_000, seed=seed)
    for duel in found.duels:
        one, other = (meeting.paired.difference for meeting in duel.meetings)
        mass = np.outer(one.mass, other.mass)
        mean = np.add.outer(one.support, other.support) / 2
        near = 4 * np.sqrt(0.25 / 20_000)
        assert duel.paired.greater == pytest.approx(mass[mean > 1e-12].sum(), abs=near)
        assert duel.paired.less == pytest.approx(mass[mean < -1e-12].sum(), abs=near)
        assert duel.difference == pytest.approx(float((mean * mass).sum()), abs=1e-9)
