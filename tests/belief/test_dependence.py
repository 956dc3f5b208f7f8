"""Who answers alike: correlations, copies, families, and the limits of a majority."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.metrics import adjusted_rand_score

import consilience as cs
from consilience.belief import looked, products
from consilience.belief.dependence import (
    correlations,
    dependence,
    distinct,
    effective_number,
    near_groups,
)
from consilience.belief.families import adjusted_rand
from consilience.belief.limits import majority_limits
from consilience.belief.looked import sample
from consilience.belief.votes import votes_of
from consilience.examples.pipelines import BAD, GOOD, Engine, pipelines
from tests.belief.made import Poll, polls, random_poll


def known(study: cs.Study) -> cs.Dependence:
    found = dependence(study)
    assert found is not None
    return found


def opinions(poll: Poll) -> tuple[list[str], np.ndarray]:
    """Every item's votes as a table, NaN where a system did not speak."""
    systems = list(poll.study().systems)
    table = [[said.get(s, np.nan) for s in systems] for said in poll.opinions().values()]
    for query in poll.study().queries:
        count, silent = poll.unmentioned(query)
        table += [[0.0 if s in silent else np.nan for s in systems]] * count
    return systems, np.array(table)


@given(polls())
@settings(max_examples=80)
def test_correlations_are_pearsons_over_common_items(poll: Poll):
    systems, table = opinions(poll)
    votes = votes_of(poll.study())
    assert list(votes.names) == systems
    pairs = correlations(votes)
    phi = pairs.phi
    for a, b in itertools.combinations(range(len(systems)), 2):
        both = table[~np.isnan(table[:, [a, b]]).any(axis=1)][:, [a, b]]
        if len(both) and (both[:, 0] == both[:, 1]).all():
            assert phi[a, b] == 1.0
        elif len(both) < 2 or (both.std(axis=0) < 1e-12).any():
            assert np.isnan(phi[a, b])
        else:
            assert phi[a, b] == pytest.approx(np.corrcoef(both.T)[0, 1], abs=1e-9)
        if (both**2).sum() > 0:
            dice = 2 * both.prod(axis=1).sum() / (both**2).sum()
            assert pairs.overlap[a, b] == pytest.approx(dice)


def test_dense_and_sparse_products_agree(monkeypatch):
    votes = votes_of(random_poll(np.random.default_rng(1), systems=8, items=60).study())
    dense = correlations(votes).phi
    monkeypatch.setattr(products, "SPARSE", 0)
    sparse = correlations(votes).phi
    assert dense == pytest.approx(sparse, abs=1e-6)


@pytest.mark.parametrize("fractions", [False, True])
def test_products_block_by_block(fractions, monkeypatch):
    """Against the sparse matrices of all votes; tables of a few items, of several queries."""
    rng = np.random.default_rng(2)
    said = {
        f"s{system}": {
            f"q{query}": {f"d{item}": rng.choice([0.25, 0.5, 1.0]) for item in range(90)}
            for query in range(9)
        }
        for system in range(7)
    }
    for lists in said.values():
        for answers in lists.values():
            for item in rng.permutation(90)[: rng.integers(20, 60)]:
                del answers[f"d{item}"]
    rows = [
        (s, q, d, v) for s, lists in said.items() for q, a in lists.items() for d, v in a.items()
    ]
    system, query, item, vote = (list(column) for column in zip(*rows, strict=True))
    table = {"system": system, "query": query, "item": item}
    study = cs.study(table | ({"vote": vote} if fractions else {}))
    votes = votes_of(study)
    expected = (votes.matrix().T @ votes.matrix()).todense()
    for sizes in ((1 << 14, 1 << 16, 1 << 16), (100, 200, 500), (64, 64, 1)):
        for name, size in zip(("ITEMS", "MOST", "BLOCK"), sizes, strict=True):
            monkeypatch.setattr(products, name, size)
        found = products.products(votes)
        assert found.both == pytest.approx(np.asarray(expected))
        assert found.yes.sum(axis=1) == pytest.approx(votes.matrix().sum(axis=0))
        assert found.square.sum(axis=1) == pytest.approx(votes.matrix().power(2).sum(axis=0))
        each = [votes.matrix()[votes.query == q].sum(axis=0) for q in range(9)]
        assert found.yes == pytest.approx(np.transpose(each))


def test_a_sample_of_items_comes_close(monkeypatch):
    study = pipelines(pages=40)
    whole = correlations(votes_of(study)).phi
    monkeypatch.setattr(looked, "ITEMS", 1000)
    part, taken = sample(votes_of(study))
    assert (len(taken.queries), taken.one_in, taken.step) == (20, 2, 4)
    assert np.abs(whole - correlations(part).phi).mean() < 0.05
    verdict = cs.rank(
        study, measures=["F1"], belief=_label_free, show=cs.Wanted(panel=False, cutoffs=0)
    )
    assert any("on 20 of 40 queries (one item in 4)" in note for note in verdict.notes)
    assert verdict.payload()["dependence"]["looked"] == 20


def test_a_sample_has_no_pattern(monkeypatch):
    """Items come in the order of mention: every second one would be one system's."""
    queries = [f"q{number}" for number in range(3000)]
    lists = {"a": ["x"], "b": ["x", "y"], "c": ["y"]}
    study = cs.study({name: dict.fromkeys(queries, items) for name, items in lists.items()})
    monkeypatch.setattr(looked, "ITEMS", 2000)
    assert distinct(votes_of(study)).tolist() == [1.0, 1.0, 1.0]
    phi = correlations(sample(votes_of(study))[0]).phi
    assert phi[0, 2] == pytest.approx(-1.0)


def test_constant_fractions_have_no_correlation():
    rng = np.random.default_rng(4)
    votes = {"item": [str(n) for n in range(50)], "a": [0.3] * 50, "c": [0.7] * 50}
    votes["b"] = rng.random(50).round(2).tolist()
    votes["twin"] = [0.3] * 50
    made = votes_of(cs.study(votes))
    phi = correlations(made).phi
    place = {name: code for code, name in enumerate(made.names)}
    assert np.isnan(phi[place["a"], place["c"]])
    assert np.isnan(phi[place["a"], place["b"]])
    assert phi[place["a"], place["twin"]] == 1.0


def test_nearly_constant_votes_correlate_as_numpy_says():
    rng = np.random.default_rng(5)
    a, b = 0.5 + 1e-3 * rng.random((2, 5000))
    made = votes_of(cs.study({"item": list(map(str, range(5000))), "a": a, "b": b}))
    assert correlations(made).phi[0, 1] == pytest.approx(np.corrcoef(a, b)[0, 1], abs=1e-4)


def test_copies_are_one_source():
    runs = {"a": {"q": ["x", "y"]}, "b": {"q": ["y", "z"]}, "copy": {"q": ["x", "y"]}}
    found = known(cs.study(runs))
    assert found.sources == 2
    assert "fewer than three" in (found.warning or "")


def test_systems_that_never_meet_have_nothing_to_agree_on():
    table = {"item": list("abc"), "S1": [1, None, None], "S2": [None, 1, None]}
    study = cs.study(table | {"S3": [None, None, 1]})
    assert "nothing that they could agree on" in (known(study).warning or "")
    assert cs.rank(study).payload()["systems"][0]["scores"]["F1"]["value"] is None


def _label_free(study: cs.Study, **options) -> cs.Belief:
    return cs.ls_eb(study, evidence="ignore", **options)


def test_effective_number_is_that_of_the_eigenvalues():
    rng = np.random.default_rng(2)
    phi = np.asarray(np.corrcoef(rng.normal(size=(6, 40))))
    values = np.linalg.eigvalsh(phi)
    assert effective_number(phi) == pytest.approx(values.sum() ** 2 / (values**2).sum())


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12))
def test_adjusted_rand_index_is_scikit_learns(pairs):
    a, b = ([str(pair[side]) for pair in pairs] for side in (0, 1))
    assert adjusted_rand(a, b) == pytest.approx(adjusted_rand_score(a, b))


def test_near_duplicates_count_as_one():
    rng = np.random.default_rng(3)
    found = {f"s{n}": set(np.flatnonzero(rng.random(400) < 0.3).tolist()) for n in range(3)}
    nearly = set(found["s0"]) ^ {7}
    runs = {
        name: {"q": [f"i{i}" for i in sorted(items)]}
        for name, items in {**found, "twin": nearly}.items()
    }
    study = cs.study(runs)
    assert distinct(votes_of(study)).tolist() == [0.5, 1.0, 1.0, 0.5]
    assert distinct(votes_of(study), near=None).tolist() == [1.0] * 4
    assert known(study).duplicates == (("s0", "twin"),)


def test_copies_of_a_copy_are_not_copies():
    """The second is near the first and near the third, which are not near each other."""
    alike = np.array([[1, 0.98, 0.9], [0.98, 1, 0.97], [0.9, 0.97, 1]])
    assert near_groups(alike, 0.95).tolist() == [0, 0, 1]


@pytest.mark.parametrize(("moved", "counted"), [(3, 3.0), (2, 2.0)])
def test_systems_count_as_one_from_a_correlation_of_95(moved, counted):
    """Two systems say yes to 100 of 200 items, all but ``moved`` the same: φ = 1 − moved / 50."""
    names = [f"i{n:03d}" for n in range(200)]
    lists = {"a": names[:100], "b": names[moved : 100 + moved], "c": names[50:]}
    study = cs.study({name: {"q": items} for name, items in lists.items()})
    phi = correlations(votes_of(study)).phi
    assert phi[0, 1] == pytest.approx(1 - moved / 50)
    assert cs.majority(study).effective_respondents == counted


def test_copies_say_the_same():
    """A third of each of a's votes: φ is 1, and the overlap 2·⅓ / (1 + ⅑) = .6."""
    a = [0.9, 0.6, 0.3, 0.6]
    votes = votes_of(cs.study({"item": list("wxyz"), "a": a, "b": [one / 3 for one in a]}))
    pairs = correlations(votes)
    assert pairs.phi[0, 1] == pytest.approx(1.0)
    assert pairs.overlap[0, 1] == pytest.approx(0.6)
    assert distinct(votes).tolist() == [1.0, 1.0]


def test_people_who_agree_are_not_copies():
    table = {
        "item": ["x", "y"] * 3,
        "respondent": ["a", "a", "anna", "anna", "ben", "ben"],
        "kind": ["system"] * 2 + ["person"] * 4,
        "vote": [1, 0, 1, 0, 1, 0],
    }
    votes = votes_of(cs.study(table), evidence="vote")
    assert distinct(votes).tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("seed", range(3))
def test_engines_are_found_from_the_votes_alone(seed):
    third = Engine("third", 0.1, 0.02)
    study = pipelines(((GOOD, 6), (BAD, 6), (third, 6)), pages=8, seed=seed)
    found = known(study)
    assert (found.ari or 0) > 0.8
    assert all(one.counted_as < 2.5 for one in found.declared)
    assert found.warning is None


def test_two_engines_are_too_few():
    found = known(pipelines(pages=5))
    assert found.sources == 2
    assert "fewer than three independent sources (2)" in (found.warning or "")


def test_the_papers_paradox_and_what_helps():
    """24 pipelines on two engines: overall the bad one wins, within an engine the order holds."""
    study = pipelines(seed=1)
    truth = cs.score(study, measures=["F1"])
    family = dict(zip(study.respondents.names, study.respondents.family, strict=True))

    def values(scores: cs.Scores, engine: str | None = None) -> np.ndarray:
        return np.array(
            [scores[s]["F1"].value for s in study.systems if engine in (None, family[s])]
        )

    def agreed(believe, made: cs.Study = study) -> cs.Scores:
        return cs.score(made, measures=["F1"], belief=lambda s: believe(s, evidence="ignore"))

    papers = agreed(cs.consensus)
    assert values(truth, "good").min() > values(truth, "bad").max()
    assert values(papers, "good").mean() < values(papers, "bad").mean()
    for engine in ("good", "bad"):
        assert cs.kendall(values(papers, engine), values(truth, engine)) > 0.75
    third = pipelines(((GOOD, 12), (BAD, 12), (Engine("third", 0.1, 0.02), 6)), seed=1)
    right, hidden = cs.score(third, measures=["F1"]), agreed(cs.hierarchical, third)
    pairs = np.array([[right[s]["F1"].value, hidden[s]["F1"].value] for s in third.systems])
    assert cs.kendall(*pairs.T) > 0.9
    assert np.abs(pairs[:, 0] - pairs[:, 1]).mean() < 0.05


def patterns(accuracy: list[float]) -> tuple[float, float]:
    """How often a majority is right, at least and at most, over all joint laws."""
    voters = len(accuracy)
    worlds = np.array(list(itertools.product([0, 1], repeat=voters)))
    right = (worlds.sum(axis=1) > voters / 2).astype(float)
    equal = np.vstack([worlds.T, np.ones(len(worlds))])
    goal = [*accuracy, 1.0]
    found = [linprog(sign * right, A_eq=equal, b_eq=goal, bounds=(0, 1)) for sign in (1, -1)]
    return float(found[0].fun or 0.0), -float(found[1].fun or 0.0)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_limits_of_a_majority_are_those_of_all_joint_laws(accuracy):
    limits = majority_limits(accuracy)
    low, high = patterns(accuracy)
    assert limits.least == pytest.approx(low, abs=1e-7)
    assert limits.most == pytest.approx(high, abs=1e-7)
    assert limits.least - 1e-9 <= limits.independent <= limits.most + 1e-9


def test_limits_of_equal_voters_are_kunchevas():
    """Kuncheva et al. (2003): with p = 0.6 and three voters, 0.4 to 0.9."""
    limits = majority_limits([0.6] * 3)
    assert (limits.least, limits.most) == pytest.approx((0.4, 0.9))
    for voters, p in ((5, 0.7), (7, 0.55), (9, 0.8)):
        half = voters // 2
        limits = majority_limits([p] * voters)
        assert limits.most == pytest.approx(min(1, p * voters / (half + 1)))
        assert limits.least == pytest.approx(max(0, (p * voters - half) / (half + 1)))


@pytest.mark.parametrize("accuracy", [[], [1.2], [-0.1, 0.5], [float("nan")]])
def test_bad_accuracies(accuracy):
    with pytest.raises(cs.UsageError, match="from 0 to 1"):
        majority_limits(accuracy)


def test_the_majority_carries_its_limits():
    verdict = cs.rank(
        cs.example_study("keyphrases"),
        measures=["F1"],
        belief=lambda study, **more: cs.majority(study, evidence="ignore", **more),
    )
    bounds = verdict.payload()["belief"]["bounds"]
    assert bounds["of"] == "accuracy of the majority vote"
    assert 0 <= bounds["low"] <= bounds["independent"] <= bounds["high"] <= 1
