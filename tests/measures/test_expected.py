"""Expected AP, reciprocal rank and success: brute force over truths, laws, real judges."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.measures.expected import expected_ap, shares_of_relevant

PROBABILITY = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0.01, 0.99))


def truths(p: np.ndarray) -> list[tuple[np.ndarray, float]]:
    rows = (np.array(bits) for bits in product((0, 1), repeat=len(p)))
    return [(x, float(np.prod(np.where(x, p, 1 - p)))) for x in rows]


def by_hand(p: np.ndarray, place: list[int], measure: str, k: int = 99) -> float:
    """Average a measure over every truth in which something is relevant."""
    total = defined = 0.0
    for x, weight in truths(p):
        if not x.sum() or not weight:
            continue
        mine = x[place]
        hits = np.flatnonzero(mine[:k])
        value = {
            "AP": sum(mine[: i + 1].sum() / (i + 1) for i in hits) / x.sum(),
            "RR": 1 / (hits[0] + 1) if len(hits) else 0.0,
            "Success": float(len(hits) > 0),
            "R": mine.sum() / x.sum(),
        }[measure]
        total += weight * value
        defined += weight
    return total / defined if defined else float("nan")


@given(st.lists(PROBABILITY, min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_expected_ap_and_recall_over_all_truths(p: list[float], random: object) -> None:
    belief = np.array(p)
    place = random.sample(range(len(p)), random.randint(0, len(p)))  # type: ignore[attr-defined]
    assert expected_ap(belief[place], belief) == pytest.approx(
        by_hand(belief, place, "AP"), abs=1e-12, nan_ok=True
    )
    share = shares_of_relevant(belief)[place].sum() if belief.sum() else float("nan")
    assert share == pytest.approx(by_hand(belief, place, "R"), abs=1e-12, nan_ok=True)


def a_study(p: np.ndarray, lists: dict[str, list[int]], judges: int = 4) -> cs.Study:
    """Make judges whose shares are the given probabilities (quarters)."""
    names = [f"i{number}" for number in range(len(p))]
    votes = (np.arange(judges) < np.round(p[:, None] * judges)).astype(int)
    truth = {
        "item": np.repeat(names, judges).tolist(),
        "annotator": [f"a{j}" for j in range(judges)] * len(names),
        "vote": votes.ravel().tolist(),
    }
    answers = {name: {"all": [names[i] for i in place]} for name, place in lists.items()}
    return cs.study(answers, truth=truth)


@pytest.mark.parametrize("seed", range(4))
def test_scores_under_judges_who_disagree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = rng.integers(0, 5, 8) / 4
    p[0] = 0.75
    lists = {"a": rng.permutation(8)[:5].tolist(), "b": rng.permutation(8)[:3].tolist()}
    scores = cs.score(a_study(p, lists), measures=["AP", "RR", "Success@2", "AP@2", "RR@2"])
    for name, place in lists.items():
        got = {measure: one.value for measure, one in scores[name].items()}
        assert got["AP"] == pytest.approx(by_hand(p, place, "AP"))
        assert got["RR"] == pytest.approx(by_hand(p, place, "RR"))
        assert got["AP@2"] == pytest.approx(by_hand(p, place, "AP", 2))
        assert got["RR@2"] == pytest.approx(by_hand(p, place, "RR", 2))
        assert got["Success@2"] == pytest.approx(by_hand(p, place, "Success", 2))


def test_systems_that_spoke_of_some_items_are_held_to_those() -> None:
    study = cs.study(
        {"item": ["a", "b", "c"], "S": [1, None, 0]},
        truth={
            "item": ["a", "a", "b", "b", "c", "c"],
            "annotator": ["x", "y"] * 3,
            "vote": [1, 0, 1, 1, 1, 0],
        },
    )
    # b is unknown to S: relevant for S are a and c, each with ½; S returns a
    found = cs.distributions(study).outcomes[0]
    assert found.means["recall"] == pytest.approx((0.25 * 1 + 0.25 * 0.5) / 0.75)
    assert found.p_none_relevant == pytest.approx(0.25)


@given(st.integers(1, 3000), st.integers(0, 3000))
def test_unanimous_judges_give_the_textbook_s_value(returned: int, missed: int) -> None:
    p = np.ones(returned + missed)
    assert expected_ap(p[:returned], p) == pytest.approx(returned / (returned + missed), rel=1e-14)
    assert expected_ap(p, p) == 1.0


def test_items_that_nobody_mentioned_count() -> None:
    p = np.array([0.5, 0.25])
    together = np.append(p, np.full(4, 0.1))
    assert expected_ap(p, p, more=4, p_more=0.1) == pytest.approx(expected_ap(p, together))
    shares = shares_of_relevant(p, more=4, p_more=0.1)
    np.testing.assert_allclose(shares, shares_of_relevant(together)[:2])


def test_other_variants_still_say_why_they_have_no_value() -> None:
    study = a_study(np.array([0.5, 0.25]), {"a": [0, 1]})
    scores = cs.score(study, measures=["AP(variant=interpolated)", "Rprec"])
    assert scores["a"]["Rprec"].reason == "needs a 0/1 belief and 0/1 votes"
    assert scores["a"]["AP(variant=interpolated)"].reason == "needs a 0/1 belief and 0/1 votes"
