"""The spectral meta-learner: pairwise sums, the rank-one fit, voters ranked and weighed."""

import numpy as np
import pytest
from hypothesis import given

import consilience as cs
from consilience.belief.coins import dawid_skene
from consilience.belief.eigen import pairs_of, rank_one, spectral
from consilience.belief.patterns import patterns_of
from consilience.belief.votes import votes_of
from consilience.study import Study
from tests.belief.opinions import opinions, simulated, voted

RATES = {
    "best": (0.95, 0.05),
    "good": (0.9, 0.15),
    "fair": (0.7, 0.1),
    "poor": (0.6, 0.3),
    "dice": (0.5, 0.5),
}


@given(voted())
def test_pairs_as_plain_sums(study: Study) -> None:
    pairs = pairs_of(patterns_of(votes_of(study)))
    voters, rows = opinions(study)
    for k, one in enumerate(voters):
        for m, other in enumerate(voters):
            both = [(r[one], r[other], n) for r, n in rows if one in r and other in r and n]
            total = sum(n for _, _, n in both)
            assert pairs.shared[k, m] == pytest.approx(total)
            if not total:
                assert pairs.covariance[k, m] == 0
                continue
            x, y, n = (np.array(column) for column in zip(*both, strict=True))
            x, y = 2 * x - 1, 2 * y - 1
            mean = (n @ x) / total, (n @ y) / total
            covariance = (n @ (x * y)) / total - mean[0] * mean[1]
            assert pairs.covariance[k, m] == pytest.approx(covariance, abs=1e-9)
            if k == m:
                assert pairs.mean[k] == pytest.approx(mean[0])


def test_rank_one_with_gaps() -> None:
    """The diagonal and the pairs that nobody knows are filled in; here the fit is exact."""
    v = np.array([0.9, 0.6, 0.5, 0.3, -0.2])
    trust = 1 - np.eye(5)
    trust[0, 1] = trust[1, 0] = 0
    matrix = np.outer(v, v)
    matrix[trust == 0] = 7.0
    np.testing.assert_allclose(rank_one(matrix, trust), v, atol=1e-9)


def test_no_voter_is_better_than_its_variance_allows() -> None:
    quarrel = np.full((3, 3), -0.3) + 1.3 * np.eye(3)
    assert np.abs(rank_one(quarrel, 1 - np.eye(3))).max() <= 1


def test_three_voters_by_hand() -> None:
    """v_1² = Q12 Q13 / Q23."""
    covariance = np.array([[1, 0.4, 0.3], [0.4, 1, 0.2], [0.3, 0.2, 1]])
    v = rank_one(covariance, 1 - np.eye(3))
    assert v[0] ** 2 == pytest.approx(0.4 * 0.3 / 0.2)
    assert v[1] ** 2 == pytest.approx(0.4 * 0.2 / 0.3)


@pytest.mark.parametrize("prevalence", [0.5, 0.1])
def test_voters_are_ranked_and_their_rates_found(prevalence: float) -> None:
    table, truth = simulated(
        np.random.default_rng(1), items=20_000, prevalence=prevalence, rates=RATES
    )
    belief = spectral(cs.study(table))
    details = belief.details
    ranked = sorted(RATES, key=lambda name: -details["eigenvector"][name])
    balanced = {name: (a + 1 - b) / 2 for name, (a, b) in RATES.items()}
    assert ranked == sorted(RATES, key=lambda name: -balanced[name])
    for name, (sensitivity, false_alarm) in RATES.items():
        assert details["sensitivity"][name] == pytest.approx(sensitivity, abs=0.05)
        assert details["false_positive_rate"][name] == pytest.approx(false_alarm, abs=0.03)
        assert details["balanced_accuracy"][name] == pytest.approx(balanced[name], abs=0.03)
    assert details["prevalence"] == pytest.approx(prevalence, abs=0.02)
    assert details["rank_one"] > 0.99
    assert ((belief.p > 0.5) == truth).mean() > 0.93
    np.testing.assert_allclose(belief.p, dawid_skene(cs.study(table)).p, atol=0.15)


def test_who_was_not_asked_everything() -> None:
    rng = np.random.default_rng(2)
    table, truth = simulated(rng, items=6000, prevalence=0.3, rates=RATES)
    rows: dict[str, list[object]] = {"item": [], "system": [], "vote": []}
    for name in RATES:
        for item in np.flatnonzero(rng.random(6000) < 0.6).tolist():
            for key, value in (
                ("item", f"d{item}"),
                ("system", name),
                ("vote", table[name][item]),
            ):
                rows[key].append(value)
    study = cs.study(rows)
    belief = spectral(study)
    for name, (sensitivity, _) in RATES.items():
        assert belief.details["sensitivity"][name] == pytest.approx(sensitivity, abs=0.08)
    right = [truth[int(name[1:])] for name in study.items.names(belief.item)]
    assert ((belief.p > 0.5) == np.array(right)).mean() > 0.85


def test_copies_count_as_one() -> None:
    table, _ = simulated(np.random.default_rng(3), items=2000, prevalence=0.3, rates=RATES)
    copied = table | {f"copy {number}": table["poor"] for number in range(4)}
    single, several = spectral(cs.study(table)), spectral(cs.study(copied))
    np.testing.assert_allclose(single.p, several.p, atol=1e-5)
    counted = spectral(cs.study(copied), near=None)
    assert counted.details["eigenvector"]["poor"] > counted.details["eigenvector"]["best"]


def test_the_order_and_the_names_of_things_do_not_matter() -> None:
    rng = np.random.default_rng(4)
    table, _ = simulated(rng, items=200, prevalence=0.3, rates=RATES)
    order = rng.permutation(200)
    shuffled = {
        key if key == "item" else f"x{key}": [column[row] for row in order]
        for key, column in reversed(table.items())
    }
    one, other = spectral(cs.study(table)), spectral(cs.study(shuffled))
    np.testing.assert_allclose(one.p[order], other.p, atol=1e-5)


def test_a_universe_is_as_many_items_that_nobody_returned() -> None:
    lists = {"a": "stuv", "b": "stu", "c": "stw", "d": "suv"}
    rest = [f"rest {number}" for number in range(14)]
    wide: dict[str, list[object]] = {"item": [*"stuvw", *rest]}
    for name, items in lists.items():
        wide[name] = [float(item in list(items)) for item in wide["item"]]
    written = spectral(cs.study(wide))
    implied = spectral(cs.study({k: {"q": list(v)} for k, v in lists.items()}, universe=19))
    assert implied.details["eigenvector"] == pytest.approx(written.details["eigenvector"])
    assert implied.unseen is not None
    assert implied.unseen[0] == pytest.approx(written.p[-1], abs=1e-5)


def test_gold_s_word_stands() -> None:
    table, truth = simulated(np.random.default_rng(5), items=300, prevalence=0.3, rates=RATES)
    names = [str(name) for name in table["item"]]
    runs = {
        name: {"q": [item for item, vote in zip(names, table[name], strict=True) if vote]}
        for name in RATES
    }
    judged = {f"d{item}": int(not truth[item]) for item in range(10)}  # gold, though wrong
    study = cs.study(runs, truth={"q": judged})
    belief = spectral(study)
    p = dict(zip(study.items.names(belief.item), belief.p.tolist(), strict=True))
    assert all(p[name] == grade for name, grade in judged.items())
    assert 0 < belief.truth < 0.1


@pytest.mark.parametrize(
    "table",
    [
        {"item": ["x", "y", "z"], "a": [1, 0, 0], "b": [1, 1, 0]},
        {"item": ["x", "y", "z"], "a": [1, 0, 0], "b": [1, 0, 0], "c": [0, 1, 0]},
    ],
    ids=["two voters", "two of three are copies"],
)
def test_fewer_than_three_voters_cannot_be_told_apart(table: dict[str, list[object]]) -> None:
    with pytest.raises(cs.UsageError, match=r"three voters or more .* \(fix: another belief"):
        spectral(cs.study(table))
