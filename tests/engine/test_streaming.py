"""EM over parts: however a study is split, the rates and beliefs are those of the whole."""

import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.belief import Belief
from consilience.belief.dependence import distinct
from consilience.belief.joined import joined_belief
from consilience.belief.votes import Evidence, votes_of
from consilience.engine import kept, streaming
from consilience.engine.streaming import How, Streamed
from consilience.progress import listening
from consilience.study import Study
from consilience.study.outline import ranges

VOTES: dict[str, tuple[float | None, ...]] = {
    "yes and no": (1.0, 1.0, 0.0),
    "cannot tell": (1.0, 1.0, 0.0, None),
    "fractions": (1.0, 0.25, 0.5, 0.0, None),
}


@st.composite
def cases(draw: st.DrawFn) -> tuple[Study, list[int]]:
    """Draw a study of lists or votes, with judges or without, and where to cut it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    queries, systems = draw(st.integers(1, 6)), draw(st.integers(1, 14))
    universe = draw(st.sampled_from([None, 40]))
    truth = _truth(rng, queries, draw(st.sampled_from(["none", "gold", "lists", "people"])))
    kind = draw(st.sampled_from(["lists", "random", *VOTES]))
    options = {"truth": truth, "universe": universe}
    made = _lists(rng, queries, systems) if kind == "lists" else None
    if made is None:
        votes = VOTES.get(kind, tuple(rng.random(40).tolist()))
        made = _votes(rng, queries, systems, votes)
    study = cs.study(made, **{key: value for key, value in options.items() if value is not None})
    cuts = draw(st.lists(st.integers(0, len(study.queries)), max_size=4))
    return study, cuts


def _lists(rng: np.random.Generator, queries: int, systems: int) -> dict[str, Any]:
    """Some queries are put to some systems only, and some answers are empty."""
    worth = rng.random((queries, 9)) < 0.3
    made: dict[str, dict[str, list[str]]] = {}
    for system in range(systems):
        mine = {}
        for query in range(queries):
            if rng.random() < 0.85 or query == 0:
                hit = rng.random(9) < np.where(worth[query], 0.8, 0.2) * (rng.random() < 0.9)
                mine[f"q{query}"] = [f"d{item}" for item in np.flatnonzero(hit)]
        made[f"s{system}"] = mine
    made["s0"]["q0"] = ["d0"]
    return made


def _votes(
    rng: np.random.Generator, queries: int, systems: int, votes: tuple[float | None, ...]
) -> dict[str, Any]:
    rows: list[tuple[str, str, str, float | None]]
    rows = [("q0", "d0", "s0", 1.0), ("q0", "d1", "s0", 0.0)]
    for query in range(queries):
        for item in range(9):
            for system in range(systems):
                if rng.random() < 0.6 and (query, item, system) not in ((0, 0, 0), (0, 1, 0)):
                    vote = votes[rng.integers(len(votes))]
                    rows.append((f"q{query}", f"d{item}", f"s{system}", vote))
    names = ("query", "item", "system", "vote")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _truth(rng: np.random.Generator, queries: int, kind: str) -> Any:
    """Gold with grades or with lists for some queries, or people and a language model."""
    judged = [f"q{query}" for query in range(queries) if rng.random() < 0.7] or ["q0"]
    if kind == "none":
        return None
    if kind == "lists":
        return {query: [f"d{item}" for item in range(3)] for query in judged}
    if kind == "gold":
        return {
            query: {f"d{item}": int(rng.integers(3)) for item in range(0, 12, 2)}
            for query in judged
        }
    rows = [
        (query, f"d{item}", judge, "llm" if judge == "bot" else "person", int(rng.integers(2)))
        for query in judged
        for judge in ("ann", "bob", "bot")
        for item in range(5)
    ]
    names = ("query", "item", "judge", "kind", "label")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def by_code(study: Study, evidence: Evidence) -> np.ndarray:
    """The weights that Dawid–Skene finds by itself, by respondents' codes."""
    votes = votes_of(study, evidence=evidence)
    weight = np.zeros(len(study.respondents))
    weight[votes.respondent] = distinct(votes)
    return weight


def agree(found: Streamed, parts: list[Study], whole: Belief) -> None:
    """See that the beliefs of parts, joined, are that of the whole."""
    beliefs = [found(part) for part in parts]
    assert whole.unseen is not None
    p = np.concatenate([belief.p for belief in beliefs])
    np.testing.assert_allclose(p, whole.p, rtol=0, atol=1e-9)
    before = np.cumsum([0, *(len(part.items) for part in parts)])
    item = [belief.item + begin for belief, begin in zip(beliefs, before, strict=False)]
    np.testing.assert_array_equal(np.concatenate(item), whole.item)
    joined = joined_belief(beliefs)
    assert joined.unseen is not None
    np.testing.assert_allclose(joined.unseen, whole.unseen, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(joined.queries, whole.queries)
    assert (joined.method, joined.assumes) == (whole.method, whole.assumes)
    assert (joined.truth, joined.heard) == pytest.approx((whole.truth, whole.heard), abs=1e-12)
    assert joined.effective_respondents == pytest.approx(whole.effective_respondents, abs=1e-12)
    same(joined.details, whole.details)


def same(found: Any, expected: Any) -> None:
    """Compare details: the same keys in the same order, the same figures."""
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for key, value in expected.items():
            same(found[key], value)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
    else:
        assert found == expected


@settings(max_examples=40)
@given(cases(), st.sampled_from(["clamp", "vote", "ignore"]), st.integers(0, 2))
def test_dawid_skene_is_that_of_the_whole(
    case: tuple[Study, list[int]], evidence: Evidence, small: int
) -> None:
    study, cuts = case
    parts = ranges(study, cuts)
    how = How(evidence=evidence, memory=small * 400)
    found = streaming.dawid_skene(parts, weight=by_code(study, evidence), how=how)
    agree(found, parts, cs.dawid_skene(study, evidence=evidence))


@settings(max_examples=40)
@given(
    cases(),
    st.sampled_from(["clamp", "vote", "ignore"]),
    st.lists(st.sampled_from([None, "x", "y", "z"]), min_size=14, max_size=14),
)
def test_hidden_engines_are_those_of_the_whole(
    case: tuple[Study, list[int]], evidence: Evidence, family: list[str | None]
) -> None:
    study, cuts = case
    parts = ranges(study, cuts)
    families = {name: own for name, own in zip(study.systems, family, strict=False) if own}
    whole = cs.hierarchical(study, families=families, evidence=evidence)
    found = streaming.hierarchical(parts, families=families, how=How(evidence=evidence))
    agree(found, parts, whole)


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_as_many_steps_as_in_memory(steps: int) -> None:
    rng = np.random.default_rng(4)
    study = cs.study(_lists(rng, 5, 4))
    parts = ranges(study, [1, 3])
    how = How(iterations=steps, tolerance=-np.inf)
    options: dict[str, Any] = {"iterations": steps, "tolerance": -np.inf}
    found = streaming.dawid_skene(parts, how=how)
    agree(found, parts, cs.dawid_skene(study, near=None, **options))
    families = {"s0": "x", "s1": "x"}
    engines = streaming.hierarchical(parts, families=families, how=how)
    agree(engines, parts, cs.hierarchical(study, families=families, **options))


def crowd(rng: np.random.Generator, queries: int) -> Study:
    """Five voters on many items: there are few patterns, and parts share them."""
    rows: dict[str, list[object]] = {"query": [], "item": [], "system": []}
    for query in range(queries):
        for item in range(50):
            for system in np.flatnonzero(rng.random(5) < 0.5):
                rows["query"].append(f"q{query}")
                rows["item"].append(f"d{item}")
                rows["system"].append(f"s{system}")
    return cs.study(rows)


def test_patterns_that_parts_share_are_kept_once(monkeypatch: pytest.MonkeyPatch) -> None:
    study = crowd(np.random.default_rng(0), 40)
    parts = ranges(study, range(40))
    monkeypatch.setattr(kept, "ROWS", 100)
    seen = []
    monkeypatch.setattr(kept.Kept, "close", lambda self: seen.append(self))
    found = streaming.dawid_skene(parts)
    (store,) = seen
    assert sum(len(block) for block in store) == 31  # all that five voters can say, but nothing
    agree(found, parts, cs.dawid_skene(study, near=None))


def test_what_does_not_fit_goes_to_files_that_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(1)
    study = cs.study(_votes(rng, 12, 13, VOTES["fractions"]))
    parts = ranges(study, range(12))
    monkeypatch.setattr(kept, "ROWS", 20)
    files: list[set[str]] = []

    def look(share: float) -> None:
        files.append({path.name for path in tmp_path.rglob("*.words")})

    with listening(look):
        found = streaming.dawid_skene(parts, how=How(memory=1_000, scratch=tmp_path))
    assert max(map(len, files)) >= 3
    assert not any(tmp_path.iterdir())
    agree(found, parts, cs.dawid_skene(study, near=None))


def test_files_are_removed_where_reading_fails(tmp_path: Path, monkeypatch) -> None:
    study = crowd(np.random.default_rng(2), 6)
    monkeypatch.setattr(kept, "ROWS", 20)

    def broken() -> Iterator[Study]:
        yield from ranges(study, range(6))
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        streaming.dawid_skene(broken, how=How(memory=0, scratch=tmp_path))
    assert not any(tmp_path.iterdir())


def test_levels_may_turn_up_late_and_be_too_many() -> None:
    """The first part says yes and no, the second also ½, the third anything."""
    rng = np.random.default_rng(3)
    table = _votes(rng, 3, 6, (1.0, 0.0))
    for row, query in enumerate(table["query"]):
        if query == "q1" and rng.random() < 0.3:
            table["vote"][row] = 0.5
        if query == "q2":
            table["vote"][row] = float(rng.random())
    study = cs.study(table)
    for memory in (0, 1 << 20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kept, "ROWS", 1)
            parts = ranges(study, [1, 2])
            found = streaming.dawid_skene(parts, how=How(memory=memory))
            agree(found, parts, cs.dawid_skene(study, near=None))


def test_progress_only_grows_and_ends() -> None:
    study = crowd(np.random.default_rng(4), 8)
    heard: list[float] = []
    with listening(heard.append):
        streaming.hierarchical(lambda: ranges(study, range(8)), families={"s0": "x", "s1": "x"})
    assert heard == sorted(heard)
    assert heard[-1] == 1.0
    assert len(heard) > 10


def test_what_was_found_travels_and_has_a_name() -> None:
    study = crowd(np.random.default_rng(5), 4)
    parts = ranges(study, [2])
    found = streaming.dawid_skene(parts)
    sent = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(sent(parts[0]).p, found(parts[0]).p)
    assert repr(sent) == repr(found) == repr(streaming.dawid_skene(parts))
    assert repr(found) != repr(streaming.dawid_skene(parts, how=How(iterations=2)))


def test_parts_have_the_same_voters() -> None:
    one = cs.study({"a": {"q": ["x"]}, "b": {"q": ["x", "y"]}})
    other = cs.study({"a": {"r": ["x"]}, "c": {"r": ["x", "y"]}})
    with pytest.raises(cs.UsageError, match="'b' for one"):
        streaming.dawid_skene([one, other])
    with pytest.raises(cs.UsageError, match="'b' for one"):
        streaming.dawid_skene([one])(other)
    with pytest.raises(cs.UsageError, match="no part of a study"):
        streaming.dawid_skene([])
    with pytest.raises(cs.UsageError, match="from 1 count as relevant, not from 2"):
        streaming.dawid_skene([one])(one, relevant_from=2.0)


def test_what_nobody_votes_on_is_no_harm() -> None:
    study = cs.study({"a": {"q": [], "r": ["x"]}, "b": {"q": [], "r": ["x", "y"]}})
    parts = ranges(study, [1])
    found = streaming.dawid_skene(parts)
    agree(found, parts, cs.dawid_skene(study, near=None))
    assert sorted(len(found(part).p) for part in parts) == [0, 2]


def test_a_full_disk_is_said_to_be_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    study = crowd(np.random.default_rng(6), 4)
    with pytest.raises(cs.ConsilienceError, match=r"No space left on device.*CONSILIENCE_WORK"):
        streaming.dawid_skene([study], how=How(memory=0, scratch=tmp_path))
    assert not any(tmp_path.iterdir())
