"""Which queries tell who answers alike: the rule, and that it needs nothing but them."""

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.belief import looked as rules
from consilience.belief.dependence import correlations, dependence, distinct
from consilience.belief.looked import items_of, looked_at, sample, sampled_order
from consilience.belief.votes import votes_of
from consilience.columns import Text
from consilience.study.model import Items

NAMES = st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=60, unique=True)


def runs(queries: list[str], *, items: int) -> dict[str, dict[str, list[str]]]:
    """Four systems that return about half of the items of every query each; together all."""
    rng = np.random.default_rng(0)
    named = [f"d{number}" for number in range(items)]
    table: dict[str, dict[str, list[str]]] = {f"s{system}": {} for system in range(4)}
    for query in queries:
        said = rng.random((items, 4)) < 0.5
        said[~said.any(axis=1), 0] = True
        for system, lists in enumerate(table.values()):
            lists[query] = [named[item] for item in np.flatnonzero(said[:, system])]
    return table


def slowly(names: list[str], sizes: list[int], most: int, fewest: int) -> tuple[set[str], int]:
    """The rule in plain words: by hash, as many as fit, at least some; then one item in n."""
    if sum(sizes) <= most:
        return {*names}, 1
    by_hash = sorted(
        (name for name, size in zip(names, sizes, strict=True) if size),
        key=lambda name: hashlib.blake2b(name.encode(), digest_size=8).digest(),
    )
    size = dict(zip(names, sizes, strict=True))
    taken: list[str] = []
    for name in by_hash:
        fits = sum(size[one] for one in [*taken, name]) <= most
        if not fits and len(taken) >= fewest:
            break
        taken.append(name)
    items = sum(size[name] for name in taken)
    return {*taken}, next(n for n in range(1, items + 1) if n * most >= items)


@given(data=st.data(), names=NAMES, most=st.integers(1, 200))
def test_the_rule(data: st.DataObject, names: list[str], most: int) -> None:
    sizes = data.draw(st.lists(st.integers(0, 30), min_size=len(names), max_size=len(names)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "ITEMS", most)
        patch.setattr(rules, "FEWEST_QUERIES", 5)
        found = looked_at(names, sizes, voters=3)
        taken, one_in = slowly(names, sizes, most, 5)
        assert {names[query] for query in found.queries.tolist()} == taken
        assert found.one_in == one_in
        other = data.draw(st.permutations(range(len(names))))
        again = looked_at([names[k] for k in other], [sizes[k] for k in other], voters=3)
        assert {names[other[query]] for query in again.queries.tolist()} == taken
        assert (again.one_in, again.step) == (found.one_in, found.step)


def test_the_order_is_that_of_a_hash() -> None:
    """``printf %s NAME | b2sum -l 64`` (GNU coreutils 9.1): the order may never change."""
    digest = {
        "q1": "e7837aa50ee28068",
        "q2": "6a1d8ee949a4246a",
        "q3": "49c2cbd8fecab421",
        "Zürich": "707438faa779d508",
    }
    names = [*digest]
    found = [names[place] for place in sampled_order(names)]
    assert found == sorted(names, key=digest.__getitem__) == ["q3", "q2", "Zürich", "q1"]


def test_items_do_not_depend_on_other_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"q{number}" for number in range(50)]
    sizes = np.full(50, 400)
    monkeypatch.setattr(rules, "ITEMS", 2000)
    taken = looked_at(names, sizes, voters=3)
    assert (len(taken.queries), taken.one_in, taken.step) == (20, 4, 10)
    text = Text.of([f"d{number}" for number in range(400)])
    items = Items(text, np.tile(np.arange(400), 50), np.arange(51) * 400)
    kept = items_of(names, items, taken).reshape(50, 400)
    assert 0.2 < kept[taken.queries].mean() < 0.3
    assert not kept[np.setdiff1d(np.arange(50), taken.queries)].any()
    alone = rules.Looked(np.array([0]), taken.one_in, taken.step)
    for query in taken.queries.tolist():
        one = Items(text, np.arange(400), np.array([0, 400]))
        assert np.array_equal(items_of([names[query]], one, alone), kept[query])
        order = np.random.default_rng(query).permutation(400)  # nor on who was named first
        shuffled = items_of([names[query]], replace(one, rows=order), alone)
        assert np.array_equal(shuffled, kept[query][order])
    assert len({row.tobytes() for row in kept[taken.queries]}) == 20  # no pattern over queries


@pytest.mark.parametrize("universe", [None, 500])
@pytest.mark.parametrize("items", [10, 60])
def test_the_chosen_queries_are_all_that_is_needed(
    monkeypatch: pytest.MonkeyPatch, items: int, universe: int | None
) -> None:
    queries = [f"q{number}" for number in range(60)]
    said = runs(queries, items=items)
    said["copy"] = said["s1"]
    whole = cs.study(said, universe=universe)
    monkeypatch.setattr(rules, "ITEMS", 300)
    part, taken = sample(votes_of(whole))
    assert len(taken.queries) == max(20, 300 // items)
    chosen = [queries[query] for query in taken.queries.tolist()]
    few = cs.study(
        {name: {query: lists[query] for query in chosen} for name, lists in said.items()},
        universe=universe,
    )
    votes = votes_of(few)
    if taken.one_in == 1:
        assert np.array_equal(correlations(part).phi, correlations(votes).phi)
    found = dependence(whole)
    assert found is not None
    assert (found.queries, found.looked, found.step) == (60, len(chosen), taken.step)
    assert distinct(votes_of(whole)).tolist() == [1.0, 0.5, 1.0, 1.0, 0.5]
    assert part.matrix().sum() == pytest.approx(votes.matrix().sum() / taken.one_in, rel=0.2)


def test_votes_and_judges_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    """What people said of an item that is looked at stays; of others it goes."""
    queries = [f"q{number}" for number in range(40)]
    said = runs(queries, items=20)
    judge: dict[str, list[Any]] = {name: [] for name in ("item", "query", "label", "judge", "kind")}
    for number, query in enumerate(queries):
        judge["item"] += ["d0", "d1"]
        judge["query"] += [query, query]
        judge["label"] += [number % 2, 1]
        judge["judge"] += ["ann", "ann"]
        judge["kind"] += ["person", "person"]
    study = cs.study(said, truth=judge)
    monkeypatch.setattr(rules, "ITEMS", 410)
    votes = votes_of(study, evidence="vote")
    part, taken = sample(votes)
    assert taken.one_in == 1
    assert len(taken.queries) == 20
    mine = part.matrix()[:, part.names.index("ann")].sum()
    assert mine == sum(1 + query % 2 for query in taken.queries.tolist())
    names = part.study.items.names(range(len(part.study.items)))
    assert names == study.items.names(part.items)
