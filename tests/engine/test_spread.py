"""Distributions over parts: the same draws, and so the same figures, however a study is split."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.belief import Belief, gold
from consilience.belief.dependence import dependence
from consilience.engine import spread, streaming
from consilience.study import Study
from consilience.study.outline import outline, ranges
from consilience.verdict import over_queries

#: What differs from run to run, and what names the files.
STAMP = ("id", "created", "inputs", "input_hash")


def same(found: Any, expected: Any, at: str = "") -> None:
    """Compare plain data; numbers to 1e-9."""
    if isinstance(expected, dict):
        assert list(found) == list(expected), at
        for key, value in expected.items():
            same(found[key], value, f"{at}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), at
        for place, (one, other) in enumerate(zip(found, expected, strict=True)):
            same(one, other, f"{at}[{place}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9), at
    else:
        assert found == expected, at


def plain(found: cs.Distributions) -> dict[str, Any]:
    return {key: value for key, value in found.payload().items() if key not in STAMP}


def agree(
    study: Study,
    cuts: list[int],
    belief: Callable[..., Belief],
    of_parts: Callable[..., Belief] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Compute distributions of the whole and of parts; see that they are the same."""
    parts = ranges(study, cuts)
    by_parts = spread.distributions(
        parts, study=outline(study), belief=of_parts or belief, **options
    )
    whole = plain(cs.distributions(study, belief=belief, **options))
    same(plain(by_parts), whole)
    return whole


def lists(
    rng: np.random.Generator, queries: int, systems: int, items: int = 7
) -> dict[str, dict[str, dict[str, float]]]:
    """Scored answers; some queries are not put to somebody, some answers are empty."""
    made: dict[str, dict[str, dict[str, float]]] = {}
    for system in range(systems):
        made[f"s{system}"] = {
            f"q{query}": {
                f"d{item}": float(rng.integers(1, 6))
                for item in np.flatnonzero(rng.random(items) < 0.5)
            }
            for query in range(queries)
            if rng.random() < 0.9 or query == 0
        }
        made[f"s{system}"]["q0"]["d0"] = 9.0
    return made


def judges(rng: np.random.Generator, queries: int) -> dict[str, list[object]]:
    """Three people who disagree, on some of the queries."""
    rows: list[tuple[object, ...]] = [
        (f"q{query}", f"d{item}", judge, int(rng.random() < 0.4))
        for query in range(queries)
        if query == 0 or rng.random() < 0.7
        for judge in ("ann", "bob", "cy")
        for item in range(6)
    ]
    names = ("query", "item", "judge", "relevant")
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


@settings(max_examples=8)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 5),
    st.integers(1, 4),
    st.lists(st.integers(0, 5), max_size=3),
    st.sampled_from([None, 12]),
)
def test_shares_of_judges(
    seed: int, queries: int, systems: int, cuts: list[int], universe: int | None
) -> None:
    rng = np.random.default_rng(seed)
    made = cs.study(lists(rng, queries, systems), truth=judges(rng, queries), universe=universe)
    cuts = [cut for cut in cuts if cut <= len(made.queries)]
    agree(made, cuts, gold, draws=200, seed=3, delta=0.05, beta=2.0)


@settings(max_examples=5)
@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(0, 4), min_size=1, max_size=3),
    st.sampled_from(["AP", "P", "R"]),
)
def test_consensus(seed: int, cuts: list[int], measure: str) -> None:
    made = cs.study(lists(np.random.default_rng(seed), 4, 4))
    agree(made, cuts, cs.consensus, draws=200, measure=measure, ties="order", level=0.9)


def test_dawid_skene_over_parts_is_a_belief_like_another() -> None:
    rng = np.random.default_rng(2)
    made = cs.study(lists(rng, 6, 5), universe=20)
    found = streaming.dawid_skene(ranges(made, [1, 4]))

    def whole(study: Study) -> Belief:
        return cs.dawid_skene(study, near=None)

    def known() -> Any:
        return dependence(made)

    parts = spread.distributions(
        lambda: ranges(made, [1, 4]), study=outline(made), belief=found, sources=known, draws=300
    )
    same(plain(parts), plain(cs.distributions(made, belief=whole, draws=300)))


def test_long_lists_and_many_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not all truths can be gone through; distributions are thinned, and only some are shown."""
    monkeypatch.setattr(over_queries, "LISTS", 10)
    monkeypatch.setattr(over_queries, "SYSTEMS", 3)
    monkeypatch.setattr(spread, "SYSTEMS", 3)
    rng = np.random.default_rng(3)
    made = cs.study(lists(rng, 6, 5, items=40))
    whole = agree(made, [2, 3], cs.consensus, draws=200)
    assert whole["simulation"] == {"draws": 200, "seed": 0, "unit": "truths"}
    assert any("first 3 of 5 systems" in note for note in whole["notes"])
    assert len(whole["pairs"][0]["per_query"]) == 6


def test_pairs_are_not_compared_on_each_of_very_many_queries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Then only as many points are kept as are written."""
    from consilience.verdict import duels, uncertain_payload

    monkeypatch.setattr(over_queries, "LISTS", 10)
    monkeypatch.setattr(duels, "MEETINGS", 5)
    monkeypatch.setattr(spread, "MEETINGS", 5)
    monkeypatch.setattr(uncertain_payload, "ALL_POINTS", 600)
    rng = np.random.default_rng(4)
    made = cs.study(lists(rng, 6, 4, items=40))
    whole = agree(made, [1, 5], cs.consensus, draws=200)
    assert whole["pairs"][0]["per_query"] == []
    found = spread.distributions(
        ranges(made, [3]), study=outline(made), belief=cs.consensus, draws=200
    )
    assert max(len(one.values["f1"]) for one in found.outcomes) <= 25


def test_a_query_alone_is_exact() -> None:
    made = cs.study(lists(np.random.default_rng(5), 1, 3))
    whole = agree(made, [], cs.consensus)
    assert whole["simulation"] is None


def test_what_cannot_be_told_is_refused() -> None:
    made = cs.study({"a": {"q": ["x"], "r": ["y"]}, "b": {"q": ["x"], "r": ["y"]}})
    options: dict[str, Any] = {"study": outline(made), "belief": cs.ls_eb}
    with pytest.raises(cs.UsageError, match="fewer than three independent sources"):
        spread.distributions(ranges(made, [1]), sources=lambda: dependence(made), **options)
    with pytest.raises(cs.UsageError, match="at least 200 truths"):
        spread.distributions(ranges(made, [1]), draws=3, **options)
    with pytest.raises(cs.UsageError, match="no part of a study"):
        spread.distributions([], **options)
    alone = cs.study({"a": {"q": ["x"]}})
    with pytest.raises(cs.UsageError, match="no other system to agree with"):
        spread.distributions([alone], study=outline(alone), belief=cs.consensus)
