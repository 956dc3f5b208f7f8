"""Hidden engines: the twin sums them out one by one; nothing but singles is Dawid–Skene."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.belief.blocks import blocks_of, totals_of
from consilience.belief.coins import dawid_skene
from consilience.belief.coins_em import PSEUDO
from consilience.belief.engines import bic, hierarchical
from consilience.belief.engines_em import Rates, base, expected, families_of, fit, parts_of
from consilience.belief.patterns import patterns_of
from consilience.belief.votes import votes_of
from consilience.study import Study
from tests.belief.opinions import opinions, voted


def likelihood(
    row: dict[str, float], voters: list[str], family: list[int], rates: Rates
) -> tuple[float, float, list[float]]:
    """Enumerate truth and all engines' states; give P(row), P(T|row), P(E_g|row)."""
    engines = len(rates.engine)
    total, true, on = 0.0, 0.0, [0.0] * engines
    for truth in (0, 1):  # column 0 of the rates is for relevant items
        for states in itertools.product((0, 1), repeat=engines):
            p = rates.prevalence if truth == 0 else 1 - rates.prevalence
            for g, state in enumerate(states):
                rate = rates.engine[g, truth]
                p *= rate if state == 0 else 1 - rate
            for k, name in enumerate(voters):
                if name in row:
                    rate = rates.system[k, states[family[k]]]
                    p *= rate ** row[name] * (1 - rate) ** (1 - row[name])
            total += p
            true += p * (truth == 0)
            on = [share + p * (state == 0) for share, state in zip(on, states, strict=True)]
    return total, true / total, [share / total for share in on]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Study, list[int]]:
    study = draw(voted(systems=5, items=4))
    voters = len(votes_of(study))
    numbers = draw(st.lists(st.integers(0, 2), min_size=voters, max_size=voters))
    return study, np.unique(numbers, return_inverse=True)[1].tolist()


@given(cases(), st.integers(0, 2**32 - 1))
def test_the_e_step_as_enumeration(case: tuple[Study, list[int]], seed: int) -> None:
    study, family = case
    patterns, families = patterns_of(votes_of(study)), families_of(np.array(family))
    (block,) = blocks_of(patterns, parts_of(families.family))
    rng = np.random.default_rng(seed)
    system = rng.uniform(0.1, 0.9, (len(family), 2))
    system[families.alone] = (1.0, 0.0)
    rates = Rates(rng.uniform(0.1, 0.9, (max(family) + 1, 2)), system, 0.3)
    found = expected(block, rates, families)
    p = found.p
    on = p[:, None] * found.if_true + (1 - p)[:, None] * found.if_false
    voters, rows = opinions(study)
    items = iter(patterns.of_item)
    unseen = iter(patterns.of_unseen)
    total_log = 0.0
    sizes = np.diff(study.items.starts).tolist()
    order = [
        next(items) if number < size else next(unseen)
        for size in sizes
        for number in range(size + 1)
    ]
    for (row, count), pattern in zip(rows, order, strict=True):
        whole = all(vote in (0, 1) for vote in row.values())
        if not whole and families.alone.any():
            continue  # a single's fraction is not a state of its engine
        total, true, states = likelihood(row, voters, family, rates)
        total_log += count * math.log(total) if row else 0.0
        assert p[pattern] == pytest.approx(true)
        for column, g in enumerate(families.several):
            if block.heard[pattern, 1 + column]:
                assert on[pattern, column] == pytest.approx(states[g])
    if all(vote in (0, 1) for row, _ in rows for vote in row.values()):
        log_likelihood = base(rates, families, totals_of([block])) + found.soft
        assert log_likelihood == pytest.approx(total_log)


@given(cases())
def test_every_step_raises_what_em_maximises(case: tuple[Study, list[int]]) -> None:
    study, family = case
    families, last = families_of(np.array(family)), -np.inf
    blocks = blocks_of(patterns_of(votes_of(study)), parts_of(families.family))
    for steps in range(1, 10):
        found = fit(blocks, families.family, iterations=steps, tolerance=-np.inf)
        rates, m = found.last, found.mean
        assert rates is not None
        rate = np.concatenate([rates.engine.ravel(), rates.system[~families.alone].ravel()])
        value = found.log_likelihood + PSEUDO * np.log(rate * (1 - rate)).sum()
        value += m / min(m, 1 - m) * np.log(rates.prevalence)
        value += (1 - m) / min(m, 1 - m) * np.log(1 - rates.prevalence)
        assert value >= last - 1e-9
        last = value


@given(voted())
def test_singles_are_dawid_and_skene(study: Study) -> None:
    options: dict[str, float] = {"iterations": 20, "tolerance": -math.inf}
    hds = hierarchical(study, **options)  # type: ignore[arg-type]
    coins = dawid_skene(study, near=None, **options)  # type: ignore[arg-type]
    np.testing.assert_allclose(hds.p, coins.p, atol=1e-9)
    for key in ("sensitivity", "false_positive_rate"):
        assert hds.details[key] == pytest.approx(coins.details[key], abs=1e-9)
    assert hds.details["log_likelihood"] == pytest.approx(
        coins.details["log_likelihood"], abs=1e-2 * len(study.items) + 1e-6
    )


def engines(rng: np.random.Generator, items: int, good: int, bad: int, third: int):
    """ESTIMATORS.md: the good engine loses 5 % and invents .5 %, the bad one 45 % and 5 %.

    A third, middling engine makes the truth identifiable.
    """
    truth = rng.random(items) < 0.05
    table: dict[str, list[object]] = {"item": [f"d{item}" for item in range(items)]}
    families = {}
    for engine, size, lost, invented in (
        ("good", good, 0.05, 0.005),
        ("bad", bad, 0.45, 0.05),
        ("third", third, 0.2, 0.02),
    ):
        sees = np.where(truth, rng.random(items) > lost, rng.random(items) < invented)
        for number in range(size):
            flips = rng.random(items) < np.where(sees, 0.05 + 0.02 * number, 0.004)
            name = f"{engine}{number}"
            table[name] = (sees ^ flips).astype(float).tolist()
            families[name] = engine
    return table, families, truth


def f1(p: np.ndarray, votes: np.ndarray) -> np.ndarray:
    values: np.ndarray = 2 * (p @ votes) / (p.sum() + votes.sum(axis=0))
    return values


@pytest.mark.parametrize(("good", "bad", "third"), [(12, 12, 4), (4, 12, 4)])
def test_engines_are_seen_through_where_heads_are_counted_wrong(
    good: int, bad: int, third: int
) -> None:
    """Two engines with 12 systems each, or a bad one that outvotes a good one.

    Dawid–Skene takes the consistent errors of many systems for truth; engines do not.
    """
    table, families, truth = engines(
        np.random.default_rng(0), 10_000, good=good, bad=bad, third=third
    )
    study = cs.study(table)
    votes = votes_of(study).matrix().toarray()
    true = f1(truth.astype(float), votes)
    errors = {}
    for name, belief in (
        ("ds", dawid_skene(study, near=None)),
        ("hds", hierarchical(study, families=families)),
    ):
        errors[name] = np.abs(f1(belief.p, votes) - true).mean()
    assert errors["hds"] < 0.03
    assert errors["ds"] > 0.2
    found = hierarchical(study, families=families).details["engines"]
    assert found["good"]["sensitivity"] == pytest.approx(0.95, abs=0.05)
    assert found["bad"]["sensitivity"] == pytest.approx(0.55, abs=0.06)
    assert found["bad"]["false_positive_rate"] == pytest.approx(0.05, abs=0.01)
    assert found["third"]["members"] == ("third0", "third1", "third2", "third3")


def test_bic_prefers_the_families_that_there_are() -> None:
    table, families, _ = engines(np.random.default_rng(1), 4000, good=3, bad=3, third=3)
    votes = votes_of(cs.study(table))
    right = bic(votes, families)
    wrong = dict(zip(families, [*list(families.values())[1:], "good"], strict=True))
    for other in ({}, dict.fromkeys(families, "one"), wrong):
        assert right < bic(votes, other)
    numbers = np.unique(list(families.values()), return_inverse=True)[1]
    assert bic(patterns_of(votes), numbers) == pytest.approx(right)


def test_bic_counts_parameters() -> None:
    """1 + 2G + 2S': three singles have 7, a pair and a single 1 + 4 + 4 = 9."""
    table, _, _ = engines(np.random.default_rng(2), 300, good=1, bad=1, third=1)
    study = cs.study(table)
    for families, free in (({}, 7), ({"good0": "x", "bad0": "x"}, 9)):
        details = hierarchical(study, families=families).details
        expected = -2 * details["log_likelihood"] + free * math.log(300)
        assert details["bic"] == pytest.approx(expected)


def test_families_are_those_of_the_study_unless_given() -> None:
    rows = {
        "query": ["q"] * 8,
        "item": list("xyxyxzxw"),
        "system": list("aabbccdd"),
        "family": ["one"] * 4 + ["two"] * 2 + ["three"] * 2,
    }
    study = cs.study(rows)
    assert list(hierarchical(study).details["engines"]) == ["one", "two", "three"]
    assert hierarchical(study).effective_respondents == 3
    given_ = hierarchical(study, families={"a": "d"}).details["engines"]
    assert [tuple(engine["members"]) for engine in given_.values()] == [
        ("a",),
        ("b",),
        ("c",),
        ("d",),
    ]
    with pytest.raises(cs.UsageError, match="unknown system 'e'"):
        hierarchical(study, families={"e": "one"})


def test_the_names_of_families_do_not_matter() -> None:
    table, families, _ = engines(np.random.default_rng(3), 500, good=2, bad=3, third=2)
    straight = hierarchical(cs.study(table), families=families)
    renamed = {name: f"x{family}" for name, family in reversed(families.items())}
    turned = hierarchical(cs.study(dict(reversed(table.items()))), families=renamed)
    np.testing.assert_allclose(straight.p, turned.p, atol=1e-6)


def test_gold_s_word_stands() -> None:
    study = cs.study(
        {"a": {"q": ["x", "y"]}, "b": {"q": ["x", "y"]}, "c": {"q": ["x", "z"]}},
        truth={"q": {"x": 0, "z": 1}},
        universe=12,
    )
    belief = hierarchical(study, families={"a": "one", "b": "one"})
    p = dict(zip(study.items.names(belief.item), belief.p.tolist(), strict=True))
    assert (p["x"], p["z"]) == (0.0, 1.0)
    assert 0 < p["y"] < 1
    assert belief.truth == pytest.approx(2 / 12)  # of all items that may be relevant
