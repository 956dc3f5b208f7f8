"""Random studies, and how to compare what engines make of them with what memory does."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

import consilience as cs
from consilience.engine.sums import Sums, cutoffs_of, scores_of
from consilience.measures.hits import find_hits
from consilience.measures.scores import score

MEASURES = ("P@3", "R@3", "F2@1", "P", "R", "F0.5", "Judged@3", "Judged", "F1(average=micro)@3")
MICRO = ("P(average=micro)", "R(average=micro)@3")
CUT = cutoffs_of(MEASURES)


@dataclass(frozen=True)
class Case:
    """How a random study looks."""

    seed: int
    ids: str
    votes: str
    order: str
    truth: str
    queries: int
    sorted: bool
    universe: int | None


CASES = st.builds(
    Case,
    seed=st.integers(0, 10_000),
    ids=st.sampled_from(["text", "whole"]),
    votes=st.sampled_from(["none", "yes", "binary", "fractions", "gaps"]),
    order=st.sampled_from(["none", "score", "rank", "both", "sparse"]),
    truth=st.sampled_from(["absent", "complete", "partial", "listed", "judges", "people"]),
    queries=st.integers(1, 5),
    sorted=st.booleans(),
    universe=st.sampled_from([None, 40]),
)


def tables_of(case: Case) -> tuple[pa.Table, pa.Table | None]:
    """Make a table of answers and one of truth."""
    rng = np.random.default_rng(case.seed)
    items = rng.permutation([7, 8, 9, 10, 11, 70, 100, 101, 999])
    rows: list[dict[str, Any]] = []
    for query, system in itertools.product(range(case.queries), range(int(rng.integers(2, 5)))):
        if rng.random() < 0.2:  # the query was not put
            continue
        some = rng.permutation(items)[: rng.integers(1, len(items)) // (1 + 2 * (query % 2))]
        for place, item in enumerate(some.tolist()):
            rank = {"sparse": 3 * place + 2}.get(case.order, place + 1)
            vote = {
                "yes": 1.0,
                "binary": float(rng.integers(2)),
                "fractions": float(rng.choice([0.0, 0.25, 0.5, 1.0])),
                "gaps": [0.0, 1.0, 0.5, None][int(rng.integers(4))],
            }.get(case.votes)
            score = float(rng.integers(3))
            rows.append(
                {"query": query + 5, "system": system + 3, "item": item}
                | ({"vote": vote} if case.votes != "none" else {})
                | ({"score": score} if case.order in ("score", "both") else {})
                | ({"rank": rank} if case.order in ("rank", "both", "sparse") else {})
            )
    if not rows:
        rows = [{"query": 5, "system": 3, "item": 7}]
    if not case.sorted:
        rows = [rows[place] for place in rng.permutation(len(rows))]
    answers = _named(pa.Table.from_pylist(rows, schema=_schema(rows)), case)
    return answers, _truth(case, rng, items)


def _schema(rows: list[dict[str, Any]]) -> pa.Schema:
    kinds = {"vote": pa.float64(), "score": pa.float64()}
    return pa.schema([(name, kinds.get(name, pa.int64())) for name in rows[0]])


def _truth(case: Case, rng: np.random.Generator, items: np.ndarray) -> pa.Table | None:
    if case.truth == "absent":
        return None
    rows: list[dict[str, Any]] = []
    judges = 3 if case.truth in ("judges", "people") else 1
    for query, judge in itertools.product(range(case.queries + 1), range(judges)):
        for item in rng.permutation(items).tolist():
            if case.truth != "complete" and rng.random() < 0.4:
                continue
            grade = int(rng.integers(-1, 3)) if case.truth == "partial" else int(rng.integers(2))
            if case.truth in ("listed", "people") and not grade:
                continue
            row = {"query": query + 5, "item": item}
            row |= {"annotator": judge + 1} if judges > 1 else {}
            rows.append(row | ({"grade": grade} if case.truth in _GRADED else {}))
    if not rows:
        return None
    return _named(pa.Table.from_pylist(rows), case)


_GRADED = ("complete", "partial", "judges")


def _named(table: pa.Table, case: Case) -> pa.Table:
    """Call queries, systems and items by words, where they are not whole numbers."""
    if case.ids == "whole":
        return table
    for place, name in enumerate(table.column_names):
        if name in ("query", "item", "system", "annotator"):
            words = pa.array([f"{name[0]}{value}" for value in table[name].to_pylist()])
            table = table.set_column(place, name, words)
    return table


def same(study: cs.Study, belief: Any, sums: Sums, convention: Any = "ours") -> None:
    """Compare what engines add up, and the scores that follow, with those in memory."""
    hits = find_hits(study, belief)
    shape = sums.put.shape
    assert sums.systems == study.systems
    for name in ("put", "length", "returned", "relevant", "universe"):
        ours = getattr(hits, name).reshape(shape)
        np.testing.assert_allclose(getattr(sums, name), ours, rtol=0, atol=1e-9, err_msg=name)
    answered = hits.put & (hits.length > 0)
    np.testing.assert_array_equal(
        sums.ordered.ravel()[answered], hits.ordered[answered], err_msg="ordered"
    )
    wanted = [*MEASURES, *MICRO]
    expected = score(study, measures=wanted, belief=belief, convention=convention)
    assert sums.queries == expected.queries
    found = scores_of(sums, wanted, convention=convention)
    for system, measure in itertools.product(expected.systems, expected.measures):
        one, other = expected[system][measure], found[system][measure]
        np.testing.assert_allclose(other.per_query, one.per_query, rtol=0, atol=1e-9)
        np.testing.assert_allclose(other.value, one.value, rtol=0, atol=1e-9)
        counts = (one.defined, one.undefined, one.missing, one.reason)
        assert (other.defined, other.undefined, other.missing, other.reason) == counts
