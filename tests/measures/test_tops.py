"""RBO, overlap at the top and regret: other programs, the paper's equation, slow twins, laws."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.errors import UsageError
from consilience.measures.tops import RboTies, regrets

#: RBO_EXT by rbo (PyPI) and by the program of Corsi and Urbano; see make_rbo.py beside it.
GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "golden" / "rbo.json").read_text()
)
#: Two columns of scores, with ties.
tied = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=6)


@pytest.mark.parametrize("case", GOLDEN["untied"], ids=lambda case: f"{len(case['x'])} {case['p']}")
def test_rbo_is_that_of_the_package_rbo(case: dict[str, Any]) -> None:
    for ties in ("a", "b", "w"):
        found = cs.rbo(case["x"], case["y"], p=case["p"], ties=ties)
        assert found == pytest.approx(case["ext"], abs=1e-12)


@pytest.mark.parametrize("case", GOLDEN["ties"], ids=lambda case: f"{len(case['x'])} {case['p']}")
@pytest.mark.parametrize("ties", ["a", "b", "w"])
def test_ties_are_those_of_corsi_and_urbano(case: dict[str, Any], ties: RboTies) -> None:
    found = cs.rbo(case["x"], case["y"], p=case["p"], ties=ties)
    assert found == pytest.approx(case[ties], abs=1e-12)


def equation_32(short: Sequence[int], long: Sequence[int], p: float) -> float:
    """RBO_EXT of two lists without ties, as equation (32) of Webber et al. (2010) is written."""
    s, length = len(short), len(long)
    shared = [len({*short[:d]} & {*long[:d]}) for d in range(length + 1)]
    first = sum(shared[d] / d * p**d for d in range(1, length + 1))
    second = sum(shared[s] * (d - s) / (s * d) * p**d for d in range(s + 1, length + 1))
    rest = (shared[length] - shared[s]) / length + shared[s] / s
    return (1 - p) / p * (first + second) + rest * p**length


@given(st.integers(1, 30), st.floats(0.05, 0.99), st.integers(0, 10_000))
def test_rbo_is_the_papers_equation(systems: int, p: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = (rng.permutation(systems) for _ in "ab")
    one, other = (np.argsort(-scores).tolist() for scores in (a, b))
    assert cs.rbo(a, b, p=p) == pytest.approx(equation_32(one, other, p), abs=1e-12)


def orders(scores: Sequence[float]) -> list[tuple[int, ...]]:
    """All orders of the systems in which no lower score stands above a higher one."""
    every = permutations(range(len(scores)))
    return [o for o in every if all(scores[i] >= scores[j] for i, j in pairwise(o))]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=5))
def test_ties_are_broken_by_lot(pairs: list[tuple[int, int]]) -> None:
    a, b = ([float(pair[side]) for pair in pairs] for side in (0, 1))
    both = [(one, other) for one in orders(a) for other in orders(b)]
    expected = np.mean([equation_32(one, other, 0.8) for one, other in both])
    assert cs.rbo(a, b, p=0.8, ties="a") == pytest.approx(expected, abs=1e-12)
    for k in range(1, len(a) + 1):
        shared = np.mean([len({*one[:k]} & {*other[:k]}) / k for one, other in both])
        assert cs.top_overlap(a, b, k=k) == pytest.approx(shared, abs=1e-12)
        lost = np.mean([max(a) - max(a[place] for place in other[:k]) for other in orders(b)])
        assert cs.regret(a, b, k=k) == pytest.approx(lost, abs=1e-12)


@given(tied)
def test_laws_of_the_top(pairs: list[tuple[int, int]]) -> None:
    a, b = ([float(pair[side]) for pair in pairs] for side in (0, 1))
    assert cs.rbo(a, a) == pytest.approx(1.0, abs=1e-12)
    assert cs.rbo(a, a, ties="w") == pytest.approx(1.0, abs=1e-12)
    one, other = cs.rbo(a, b), cs.rbo(b, a)
    assert one == pytest.approx(other, abs=1e-12)
    assert 0 <= one <= 1
    assert cs.rbo(a, b, ties="a") <= one + 1e-12
    grown = [np.exp(value) for value in b]
    assert cs.rbo(a, grown) == pytest.approx(one, abs=1e-12)
    assert cs.top_overlap(a, b, k=2) == pytest.approx(cs.top_overlap(grown, a, k=2))
    assert cs.top_overlap(a, b, k=len(a)) == pytest.approx(1.0, abs=1e-12)
    assert cs.regret(a, a) == 0
    lost = [cs.regret(a, grown, k=k) for k in range(1, len(a) + 1)]
    assert lost == pytest.approx(sorted(lost, reverse=True), abs=1e-12)
    assert lost[-1] == 0
    shifted = [7 + 2 * value for value in a]
    assert cs.regret(shifted, b) == pytest.approx(2 * lost[0], abs=1e-12)


def test_what_has_no_score_in_both_is_left_out() -> None:
    a, b = [0.5, 0.4, 0.9, np.nan], [1.0, 2.0, np.nan, 5.0]
    assert cs.regret(a, b) == pytest.approx(0.1)
    assert cs.top_overlap(a, b, k=1) == 0
    assert cs.rbo(a, b) == cs.rbo(a[:2], b[:2])


def test_nothing_to_compare_is_undefined() -> None:
    for nothing in ([], [np.nan]):
        figures = (cs.rbo(nothing, nothing), cs.top_overlap(nothing, nothing))
        assert np.isnan([*figures, cs.regret(nothing, nothing)]).all()


def test_all_systems_are_the_top_where_there_are_fewer() -> None:
    assert cs.top_overlap([3, 2, 1], [1, 2, 3], k=10) == 1
    assert cs.regret([3, 2, 1], [1, 2, 3], k=10) == 0


def test_many_draws_at_once_are_each_alone() -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.integers(0, 4, (200, 7)).astype(float) for _ in "ab")
    a[rng.random(a.shape) < 0.3] = np.nan
    a[0] = np.nan
    alone = [cs.regret(*pair) for pair in zip(a, b, strict=True)]
    assert regrets(a, b) == pytest.approx(alone, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("p", [0, 1, -0.5, "0.9", None, float("nan")])
def test_a_patience_that_is_none_is_refused(p: Any) -> None:
    with pytest.raises(UsageError, match=r"^RBO's p lies between 0 and 1, found .* \(fix: 0.9\)"):
        cs.rbo([1, 2], [1, 2], p=p)


def test_other_options_that_are_none_are_refused() -> None:
    ties: Any = "c"
    with pytest.raises(UsageError, match=r"^unknown way with ties 'c'; possible: b, a, w"):
        cs.rbo([1, 2], [1, 2], ties=ties)
    k: Any
    for k in (0, -1, 2.0, True):
        with pytest.raises(UsageError, match=r"^the top is a whole number of systems from 1"):
            cs.top_overlap([1, 2], [1, 2], k=k)
        with pytest.raises(UsageError, match=r"^the top is a whole number of systems from 1"):
            cs.regret([1, 2], [1, 2], k=k)
