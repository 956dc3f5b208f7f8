"""What scores may be where judges disagree: against enumeration, and against distributions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import consilience as cs
from consilience.measures.distribution import Distribution
from consilience.verdict import posterior
from consilience.verdict.posterior import posteriors
from tests.verdict.judging import TABLE3, judged, random_study

#: Query → item → how many of four judges call it relevant.
SHARES = {"q": {"x": 1, "y": 2, "z": 4}, "r": {"x": 3, "y": 0, "z": 2}}
#: b has no answer to r, c returned nothing for q.
LISTS = {
    "a": {"q": ["x", "z"], "r": ["x", "y", "z"]},
    "b": {"q": ["y", "x", "z"]},
    "c": {"q": [], "r": ["z"]},
}
MACRO = ("P", "R", "F1", "F2", "AP", "P@2", "R@2", "F1@2", "RR", "RR@1", "Success@2")
MICRO = tuple(f"{base}(average=micro){k}" for base in ("P", "R", "F1", "F2") for k in ("", "@2"))


def found_in(study: cs.Study, *names: str, level: float = 0.95, seed: int = 0):
    return posteriors(study, cs.score(study, measures=names), level=level, seed=seed)


def truths(shares: dict[str, int]) -> list[tuple[float, dict[str, int]]]:
    """Go through all truths of a query, each with its probability."""
    made = []
    for bits in product((0, 1), repeat=len(shares)):
        both = zip(bits, shares.values(), strict=True)
        p = [votes / 4 if bit else 1 - votes / 4 for bit, votes in both]
        made.append((float(np.prod(p)), dict(zip(shares, bits, strict=True))))
    return [one for one in made if one[0] > 0]


def by_query(name: str, system: str) -> list[Distribution]:
    """Score a system under every truth of each query alone, given that it has a value."""
    made = []
    for query, shares in SHARES.items():
        values, weights = [], []
        lists = {who: {query: answers.get(query, [])} for who, answers in LISTS.items()}
        lists = {who: one for who, one in lists.items() if query in LISTS[who] or who == system}
        for weight, truth in truths(shares):
            score = cs.score(cs.study(lists, truth={query: truth}), measures=[name])
            value = score[system][name].value
            values.append(0.0 if query not in LISTS[system] else value)
            weights.append(weight)
        known = ~np.isnan(values)
        made.append(Distribution.of(np.array(values)[known], np.array(weights)[known]))
    return made


def mean_of(parts: list[Distribution]) -> Distribution:
    """Give the mean of independent measures, those that never have a value left out."""
    parts = [one for one in parts if len(one)]
    values, weights = np.zeros(1), np.ones(1)
    for one in parts:
        values = np.add.outer(values, one.support / len(parts)).ravel()
        weights = np.outer(weights, one.mass).ravel()
    return Distribution.of(values, weights)


@pytest.mark.parametrize("name", MACRO)
def test_averages_are_those_of_all_truths(name: str) -> None:
    found = found_in(judged(SHARES, LISTS), name)[name]
    for system, one in zip(LISTS, found, strict=True):
        true = mean_of(by_query(name, system))
        assert one is not None
        exact = "mean and sd are exact" in one.how
        assert one.mean == pytest.approx(true.mean, abs=1e-12 if exact else 5 * true.sd / 2000**0.5)
        assert one.sd == pytest.approx(true.sd, abs=1e-12 if exact else 0.08 * true.sd)
        low, high = one.interval
        inside = (true.support >= low - 1e-9) & (true.support <= high + 1e-9)
        assert true.mass[inside].sum() > 0.93
        assert true.at_least(high + 1e-9) < 0.035
        assert 1 - true.at_least(low - 1e-9) < 0.035


@pytest.mark.parametrize("name", MICRO)
def test_sums_over_queries_are_exact(name: str) -> None:
    study = judged(SHARES, LISTS)
    values: dict[str, list[float]] = {system: [] for system in LISTS}
    weights = []
    for (one, q), (other, r) in product(truths(SHARES["q"]), truths(SHARES["r"])):
        score = cs.score(cs.study(LISTS, truth={"q": q, "r": r}), measures=[name])
        weights.append(one * other)
        for system in LISTS:
            values[system].append(score[system][name].value)
    found = found_in(study, name)[name]
    for system, one in zip(LISTS, found, strict=True):
        known = ~np.isnan(values[system])
        true = Distribution.of(np.array(values[system])[known], np.array(weights)[known])
        assert one is not None
        assert one.how.startswith("exact")
        assert one.mean == pytest.approx(true.mean, abs=1e-12)
        assert one.sd == pytest.approx(true.sd, abs=1e-12)
        assert one.interval == pytest.approx(true.interval(0.95), abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_one_query_is_exact_and_equals_distributions(seed: int) -> None:
    study = random_study(seed, items=8)
    found = cs.distributions(study, beta=2.0)
    made = found_in(study, "P", "R", "F1", "F2", "AP")
    ours = {"P": "precision", "R": "recall", "F1": "f1", "F2": "f_beta", "AP": "ap"}
    for name, theirs in ours.items():
        for one, outcome in zip(made[name], found.outcomes, strict=True):
            assert one is not None
            assert one.mean == pytest.approx(outcome.means[theirs], abs=1e-12)
            assert one.sd == pytest.approx(outcome.values[theirs].sd, abs=1e-12)
            assert one.interval == pytest.approx(outcome.intervals[theirs], abs=1e-12)
            assert one.how.startswith(("exact", "all truths"))


@pytest.mark.parametrize("seed", range(3))
def test_several_queries_equal_distributions(seed: int) -> None:
    study = random_study(seed, queries=5, items=9)
    found = cs.distributions(study, seed=seed)
    made = found_in(study, "P", "R", "F1", "AP", seed=seed)
    ours = {"P": "precision", "R": "recall", "F1": "f1", "AP": "ap"}
    for name, theirs in ours.items():
        for one, standing in zip(made[name], found.standings, strict=True):
            assert one is not None
            assert one.interval == pytest.approx(standing.intervals[theirs], abs=1e-12)
            exact = name == "P"
            mean = standing.means[theirs] if exact else standing.spreads[theirs].mean
            assert one.mean == pytest.approx(mean, abs=1e-9)


def test_the_papers_table() -> None:
    """Lamiroy & Sun's Table 3 under their consensus, as on the page about uncertain truth."""
    study = cs.study(TABLE3)
    scores = cs.score(study, measures=["R", "F1"], belief=cs.consensus)
    found = posteriors(study, scores, level=0.95, seed=0)
    assert found["R"][0] is not None
    assert found["F1"][0] is not None
    assert found["R"][0].mean == pytest.approx(0.727021, abs=1e-6)
    assert found["F1"][0].mean == pytest.approx(0.634729, abs=1e-6)


def test_large_counts_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    study = random_study(1, queries=4, items=9)
    names = ("R(average=micro)", "F2(average=micro)")
    exact = found_in(study, *names)
    monkeypatch.setattr(posterior, "PAIRS", 1)
    drawn = found_in(study, *names)
    for name in names:
        for one, other in zip(exact[name], drawn[name], strict=True):
            assert one is not None
            assert other is not None
            assert other.how.startswith("20,000 drawn truths")
            assert other.mean == pytest.approx(one.mean, abs=5 * one.sd / 20_000**0.5)
            assert other.sd == pytest.approx(one.sd, rel=0.03)
            assert other.interval == pytest.approx(one.interval, abs=0.02)


def test_what_has_no_posterior(monkeypatch: pytest.MonkeyPatch) -> None:
    study = random_study(2, queries=3)
    names = ("P", "nDCG", "AP@3", "P(rel=2)", "P(judged_only=True)", "MCC", "Rprec")
    found = found_in(study, *names)
    assert [found[name][0] is None for name in names] == [False, *[True] * 6]
    scores = cs.score(study, measures=["P"], convention="trec_eval")
    assert posteriors(study, scores, level=0.95, seed=0)["P"] == (None,) * 3
    monkeypatch.setattr(posterior, "LARGEST", 10)
    assert found_in(study, "P")["P"] == (None,) * 3


def test_fractions_of_votes_have_none() -> None:
    rows = {"item": ["a", "b"], "S1": [0.5, 1.0], "S2": [1.0, 0.0]}
    truth = {"item": list("aabb"), "judge": list("ijij"), "relevant": [1, 0, 1, 1]}
    study = cs.study(rows, truth=truth, answer_kind="votes")
    assert found_in(study, "P")["P"] == (None, None)


def test_a_ranking_tells_how_far_judges_leave_it_open() -> None:
    study = random_study(3, queries=6)
    verdict = cs.rank(study, measures=["F1", "nDCG"], seed=4)
    made = found_in(study, "F1", seed=4)["F1"]
    order = {name: place for place, name in enumerate(verdict.scores.systems)}
    for one in verdict.payload()["systems"]:
        told, mine = one["scores"]["F1"]["posterior"], made[order[one["name"]]]
        assert mine is not None
        assert told == {
            "interval": list(mine.interval),
            "mean": mine.mean,
            "sd": mine.sd,
            "how": mine.how,
        }
        assert one["scores"]["nDCG"]["posterior"] is None


def test_no_posterior_where_nothing_is_open() -> None:
    lists = {"a": {"q": ["x", "y"]}, "b": {"q": ["y"]}}
    sure = cs.rank(cs.study(lists, truth={"q": {"x": 1, "y": 0}}), measures=["P"])
    without = cs.rank(random_study(0, queries=4), measures=["P"], belief=cs.ls_eb)
    matched = cs.rank(
        random_study(0, queries=4), measures=["P"], match=cs.soft_matching("levenshtein")
    )
    for verdict in (sure, without, matched):
        assert all(one.details["P"].posterior is None for one in verdict.standings)


def test_items_that_nobody_judged_are_said_to_count_as_not_relevant() -> None:
    whole = judged(SHARES, LISTS)
    more = judged(SHARES, {**LISTS, "d": {"q": ["x", "unknown"], "r": ["x"]}})
    for study, said in ((whole, False), (more, True)):
        for name in ("P", "RR", "R(average=micro)"):
            one = found_in(study, name)[name][0]
            assert one is not None
            assert ("nobody judged" in one.how) == said
