"""Systems under an uncertain truth: papers' figures, all truths by hand, coverage, laws."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.belief.names import BELIEFS, belief_by_name
from consilience.errors import UsageError
from consilience.verdict.uncertain import Distributions
from tests.verdict.judging import TABLE3, judged, of, random_study


def test_the_papers_table_3_to_six_digits() -> None:
    found = cs.distributions(cs.study(TABLE3), belief=cs.consensus)
    s1 = of(found, "S1")
    assert round(s1.means["recall"], 6) == 0.727021
    assert round(s1.p_none_relevant, 6) == 0.004147
    assert round(s1.means["f1"], 6) == 0.634729
    assert s1.means["precision"] == pytest.approx(0.6)
    assert s1.means["recall_fixed"] == pytest.approx(2.4 / 3.4)
    assert found.draws is None  # seven items: everything was gone through
    payload = found.payload()
    json.dumps(payload, allow_nan=False)
    assert payload["caveat"] == "no ground truth was used: this is agreement"


def by_hand(study: cs.Study, found: Distributions, measure: str) -> np.ndarray:
    """Score all systems under all truths of the single query: weights first, then systems."""
    belief = found.belief.of_all(len(study.items))
    names = study.items.names(np.arange(len(study.items)))
    number = {name: i for i, name in enumerate(names)}
    lists = []
    for system in range(len(study.systems)):
        rows = slice(*study.answers.starts[system : system + 2])
        lists.append([number[name] for name in study.items.names(study.answers.item[rows])])
    table = []
    for bits in product((0, 1), repeat=len(belief)):
        truth = np.array(bits)
        weight = float(np.prod(np.where(truth, belief, 1 - belief)))
        values = []
        for place in lists:
            mine, total = truth[place], truth.sum()
            hits = np.cumsum(mine) / np.arange(1, len(mine) + 1)
            values.append(
                {
                    "precision": mine.sum() / len(mine),
                    "recall": mine.sum() / total if total else np.nan,
                    "f1": 2 * mine.sum() / (total + len(mine)),
                    "ap": (hits * mine).sum() / total if total else np.nan,
                }[measure]
            )
        table.append([weight, *values])
    return np.array(table)


@pytest.mark.parametrize("measure", ["precision", "recall", "f1", "ap"])
@pytest.mark.parametrize("seed", range(3))
def test_one_query_against_all_truths(measure: str, seed: int) -> None:
    study = random_study(seed)
    found = cs.distributions(study, delta=0.1)
    table = by_hand(study, found, measure)
    weight = table[:, 0]
    for system, name in enumerate(study.systems):
        values = table[:, 1 + system]
        known = ~np.isnan(values)
        mean = (values[known] @ weight[known]) / weight[known].sum()
        one = of(found, name)
        assert one.means[measure] == pytest.approx(mean)
        assert one.values[measure].p_undefined == pytest.approx(weight[~known].sum())
        assert found.standings[system].means[measure] == pytest.approx(mean)
    duel = next(d for d in found.duels if d.measure == measure)
    first, second = (1 + study.systems.index(name) for name in (duel.a, duel.b))
    gap = table[:, first] - table[:, second]
    known = ~np.isnan(gap)
    share = weight[known] / weight[known].sum()
    assert duel.paired.method == "exact"
    assert duel.paired.greater == pytest.approx((share * (gap[known] > 1e-12)).sum())
    assert duel.paired.by(0.1) == pytest.approx((share * (gap[known] >= 0.1 - 1e-12)).sum())
    behind = (share * (gap[known] <= -0.1 + 1e-12)).sum()
    assert duel.paired.behind(0.1) == pytest.approx(behind)


def test_long_lists_agree_with_short_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same query gone through by counts and by all truths gives the same pairs."""
    study = random_study(11)
    exact = cs.distributions(study)
    monkeypatch.setattr("consilience.measures.truths.EXACT", 2)
    counted = cs.distributions(study, draws=20_000)
    assert counted.draws == 20_000
    for one, other in zip(exact.duels, counted.duels, strict=True):
        assert one.difference == pytest.approx(other.difference, abs=1e-9)
        if one.measure == "ap":
            assert other.paired.method == "simulation"
            assert other.paired.greater == pytest.approx(one.paired.greater, abs=0.02)
        else:
            assert other.paired.method == "exact"
            assert other.paired.greater == pytest.approx(one.paired.greater)
    for a, b in zip(exact.outcomes, counted.outcomes, strict=True):
        assert a.means == pytest.approx(b.means)  # expected AP is exact in both


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.sampled_from([n for n in BELIEFS if n not in ("hds", "aipw")]))
def test_laws_under_every_belief(seed: int, name: str) -> None:
    study = random_study(seed, queries=2)
    found = cs.distributions(study, belief=belief_by_name(name), draws=200)
    for one in found.outcomes:
        for measure, values in one.values.items():
            if not len(values):
                assert one.reasons[measure]
                continue
            assert values.mass.sum() == pytest.approx(1)
            assert (values.support >= 0).all()
            if measure != "recall_fixed":
                assert (values.support <= 1 + 1e-12).all()
            low, high = values.interval(0.95)
            assert low <= values.median <= high
        assert one.means["precision"] == pytest.approx(
            cs.score(study, measures=["P"], belief=found.belief)[one.system]["P"].per_query[
                found.queries.index(one.query)
            ]
        )


@pytest.mark.parametrize("queries", [1, 3])
def test_unanimous_subjects_give_points_at_the_textbook_s_values(queries: int) -> None:
    rng = np.random.default_rng(queries)
    shares = {
        f"q{q}": {f"i{i}": int(rng.random() < 0.4) * 4 for i in range(9)} | {"i0": 4}
        for q in range(queries)
    }
    lists = {
        system: {q: rng.permutation(list(items)).tolist()[:5] for q, items in shares.items()}
        for system in "ab"
    }
    study = judged(shares, lists)
    found = cs.distributions(study, draws=200)
    textbook = cs.score(study, measures=["P", "R", "F1", "AP"])
    for one in found.outcomes:
        at = found.queries.index(one.query)
        for ours, theirs in {"precision": "P", "recall": "R", "f1": "F1", "ap": "AP"}.items():
            values = one.values[ours]
            expected = textbook[one.system][theirs].per_query[at]
            assert values.support.tolist() == pytest.approx([expected])
            assert values.p_undefined == 0
    for standing in found.standings:
        low, high = standing.intervals["ap"] or (1, 0)
        assert low == pytest.approx(high)
        assert standing.means["ap"] == pytest.approx(textbook[standing.name]["AP"].value)


def test_bands_at_every_cutoff() -> None:
    study = random_study(2)
    found = cs.distributions(study, level=0.8)
    one = of(found, "a")
    assert one.band is not None
    assert one.band.k.tolist() == list(range(1, one.returned + 1))
    from consilience.study.depth import cut

    for at, k in enumerate(one.band.k.tolist()):
        short = of(cs.distributions(cut(study, k), level=0.8, belief=found.belief), "a")
        assert one.band.precision[at] == pytest.approx(short.means["precision"])
        assert one.band.recall[at] == pytest.approx(short.means["recall"])
        assert one.band.recall_interval[:, at].tolist() == pytest.approx(
            list(short.values["recall"].interval(0.8))
        )
        assert one.band.precision_interval[:, at].tolist() == pytest.approx(
            list(short.values["precision"].interval(0.8))
        )


def test_a_universe_larger_than_the_pool() -> None:
    lists = {
        system: {"all": [d for d, vote in zip(TABLE3["item"], TABLE3[system], strict=True) if vote]}
        for system in ("S1", "S2", "S3")
    }
    seven = cs.distributions(cs.study(lists, universe=7), belief=cs.consensus)
    far = cs.distributions(cs.study(lists, universe=50), belief=cs.consensus)
    # d7, which nobody returned, has 1/5; so have 43 further items
    assert of(seven, "S1").means["recall"] == pytest.approx(0.727021, abs=5e-7)
    assert of(far, "S1").means["recall"] < 0.4
    assert of(far, "S1").means["recall_fixed"] == pytest.approx(2.4 / (3.4 + 43 / 5))
    assert of(far, "S1").p_none_relevant == pytest.approx(0.0041472 * 0.8**43)


def test_odd_cases_are_said() -> None:
    study = judged(
        {"q": {"x": 2, "y": 0}, "r": {"x": 0, "y": 0}}, {"s": {"q": ["x", "z"], "r": []}}
    )
    found = cs.distributions(study)
    first, second = found.outcomes
    assert first.unjudged == 1
    assert second.reasons["precision"] == "nothing was returned"
    assert second.reasons["recall"] == "no item can be relevant"
    assert second.p_none_relevant == 1.0
    assert found.payload()["judged"] == 0.5
    missing = judged({"q": {"x": 2}, "r": {"x": 2}}, {"s": {"q": ["x"]}, "t": {"r": ["x"]}})
    told = cs.distributions(missing)
    assert [one.missing for one in told.standings] == [1, 1]
    assert told.standings[0].means["recall"] == pytest.approx(0.5)
    json.dumps(found.payload(), allow_nan=False)
    json.dumps(told.payload(), allow_nan=False)


def test_agreement_of_one_or_two_is_refused() -> None:
    with pytest.raises(UsageError, match="no other system to agree with"):
        cs.distributions(cs.study({"a": {"q": ["x"]}}), belief=cs.ls_eb)
    two = cs.study({"a": {"q": ["x", "y"]}, "b": {"q": ["y", "z"]}})
    with pytest.raises(UsageError, match="fewer than three"):
        cs.distributions(two, belief=cs.ls_eb)
    assert cs.distributions(two, belief=cs.consensus).outcomes


def test_grades_that_are_fractions_are_noted_and_can_count() -> None:
    truth = {
        "item": ["x", "x", "y", "y"],
        "annotator": ["i", "j"] * 2,
        "relevance": [0.4, 0.8, 1.0, 0.0],
    }
    study = cs.study({"s": {"all": ["x", "y"]}}, truth=truth)
    plain = cs.distributions(study)
    assert any("2 grades lie between 0 and 1" in note for note in plain.notes)
    assert plain.outcomes[0].means["precision"] == pytest.approx(0.25)
    lower = cs.distributions(study, rel=0.4)
    assert lower.outcomes[0].means["precision"] == pytest.approx(0.75)
    assert not any("grades lie between" in note for note in lower.notes)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"level": 1.0}, "level must be between"),
        ({"beta": 0}, "β must be above 0"),
        ({"delta": -1}, "δ must be 0 or more"),
        ({"draws": 10}, "at least 200"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"rel": 0}, "lowest relevant grade must be above 0"),
        ({"measure": "MAP"}, "unknown measure"),
        ({"ties": "trek"}, "unknown rule for ties"),
    ],
)
def test_settings_that_make_no_sense(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        cs.distributions(cs.study(TABLE3), belief=cs.consensus, **wrong)


def test_fractional_votes_are_refused() -> None:
    votes = {"item": ["a", "b"], "S": [0.5, 1]}
    study = cs.study(votes, truth={"all": {"a": 1, "b": 0}}, answer_kind="votes")
    with pytest.raises(UsageError, match="yes and no"):
        cs.distributions(study)
