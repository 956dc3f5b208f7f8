"""Laws of reading: order, renaming, fingerprints, and encoding against a plain dict."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.columns import Text
from consilience.study.encode import encode

Row = tuple[str, str, str, float]
rows_of_runs = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2", "q3"]),
        st.sampled_from(["A", "B"]),
        st.sampled_from([f"d{n}" for n in range(8)]),
    ),
    min_size=1,
    max_size=40,
    unique=True,
)
TRUTH = {q: {f"d{n}": (n * k) % 3 for n in range(8)} for k, q in enumerate(["q1", "q2", "q3"], 1)}
MEASURES = ["P@2", "AP", "nDCG@5", "R", "RR"]


def table(rows: list[Row]) -> dict[str, list[Any]]:
    names = ("query", "system", "item", "score")
    return {name: [row[k] for row in rows] for k, name in enumerate(names)}


def scores_of(rows: list[Row], truth: Any) -> dict[tuple[str, str], float]:
    made = cs.study(table(rows), truth=truth)
    scores = cs.score(made, measures=MEASURES)
    return {
        (system, measure): scores[system][measure].value
        for system in scores.systems
        for measure in MEASURES
    }


@settings(max_examples=40)
@given(keys=rows_of_runs, seed=st.integers(0, 2**16))
def test_the_order_of_rows_and_tables_does_not_change_scores(keys, seed: int) -> None:
    rng = random.Random(seed)
    rows: list[Row] = [(*key, float(rng.randrange(5))) for key in keys]
    expected = scores_of(rows, TRUTH)
    rng.shuffle(rows)
    assert scores_of(rows, TRUTH) == pytest.approx(expected, nan_ok=True)
    by_system = {
        name: table([row for row in rows if row[1] == name]) for name in {row[1] for row in rows}
    }
    made = cs.study(by_system, truth=dict(reversed(TRUTH.items())))
    scores = cs.score(made, measures=MEASURES)
    got = {key: scores[key[0]][key[1]].value for key in expected}
    assert got == pytest.approx(expected, nan_ok=True)


@settings(max_examples=30)
@given(keys=rows_of_runs)
def test_renaming_renames_and_nothing_else(keys) -> None:
    rows: list[Row] = [(*key, float(place)) for place, key in enumerate(keys)]
    # ties are settled by name, so that only names change, not their order: no ties here
    renamed: list[Row] = [(f"Q{q}", f"é {s}", f"item/{d}", score) for q, s, d, score in rows]
    truth = {f"Q{q}": {f"item/{d}": g for d, g in grades.items()} for q, grades in TRUTH.items()}
    expected = {(f"é {s}", m): value for (s, m), value in scores_of(rows, TRUTH).items()}
    assert scores_of(renamed, truth) == pytest.approx(expected, nan_ok=True)


BASE: dict[str, Any] = {
    "query": ["q1", "q1", "q2"],
    "item": ["a", "b", "a"],
    "respondent": ["A", "A", "g"],
    "kind": ["system", "system", "gold"],
    "family": ["x", "x", "y"],
    "vote": [1.0, 0.5, 1.0],
    "score": [2.0, 1.0, None],
    "probability": [None, None, 0.5],
    "category": ["", "", "c"],
}
CHANGES = {
    "query": ["q1", "q1", "q1"],
    "item": ["a", "bb", "a"],
    "respondent": ["A", "A", "h"],
    "kind": ["system", "system", "person"],
    "family": ["x", "x", "z"],
    "vote": [1.0, 0.25, 1.0],
    "score": [2.0, 1.5, None],
    "probability": [None, None, 0.25],
    "category": ["", "", "d"],
}


def test_fingerprints() -> None:
    base = cs.study(BASE).fingerprint()
    assert cs.study(BASE).fingerprint() == base
    others = {cs.study(BASE | {name: value}).fingerprint() for name, value in CHANGES.items()}
    others |= {cs.study(BASE, universe=7).fingerprint()}
    assert len(others) == len(CHANGES) + 1
    assert base not in others
    plain = {"item": ["a"], "system": ["A"], "vote": [1.0]}
    graded = {"item": ["a"], "system": ["A"], "score": [1.0]}
    assert cs.study(plain).fingerprint() != cs.study(graded).fingerprint()
    assert cs.study({"q": ["ab", "c"]}).fingerprint() != cs.study({"q": ["a", "bc"]}).fingerprint()


def test_fingerprints_of_files_do_not_depend_on_packing(tmp_path) -> None:
    import gzip

    text = "".join(f"q{n // 50} Q0 doc{n} {n % 50 + 1} {-n} t\n" for n in range(5000))
    (tmp_path / "a.run").write_text(text)
    (tmp_path / "b.run.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    (tmp_path / "c.run").write_text(text.replace(" ", "\t\t"))
    prints = {cs.read(path).fingerprint() for path in sorted(tmp_path.iterdir())}
    assert len(prints) == 1


def plain_encode(tables: list[tuple[list[int], list[str]]]) -> list[list[tuple[int, str]]]:
    return [list(zip(query, names, strict=True)) for query, names in tables]


long_names = st.builds(
    lambda head, middle, tail: head * 8 + middle + tail * 8,
    st.sampled_from("ab"),
    st.text("xyz", max_size=3),
    st.sampled_from("cd"),
)
names = st.one_of(st.text(max_size=3), st.text("ab", min_size=7, max_size=18), long_names)
tables_of_names = st.lists(
    st.lists(st.tuples(st.integers(0, 3), names), max_size=30), min_size=1, max_size=3
)


def check_encoding(drawn: list[list[tuple[int, str]]]) -> None:
    tables = [([q for q, _ in rows], [name for _, name in rows]) for rows in drawn]
    encoded = encode(
        [(np.array(query, np.int32), Text.of(text)) for query, text in tables], queries=4
    )
    everything = [pair for rows in plain_encode(tables) for pair in rows]
    codes = np.concatenate(encoded.codes).tolist()
    by_code: dict[int, tuple[int, str]] = {}
    for code, pair in zip(codes, everything, strict=True):
        assert by_code.setdefault(code, pair) == pair
    assert len(by_code) == len({*everything}) == len(encoded.rows)
    assert sorted(by_code) == list(range(len(by_code)))
    for code, (query, _) in by_code.items():
        assert encoded.starts[query] <= code < encoded.starts[query + 1]
        assert everything[encoded.rows[code]] == by_code[code]
    repeats = [len({*rows}) < len(rows) for rows in plain_encode(tables)]
    assert list(encoded.repeats) == repeats


@settings(max_examples=150)
@given(drawn=tables_of_names)
def test_encoding_equals_a_dict(drawn) -> None:
    check_encoding(drawn)


@settings(max_examples=60)
@given(drawn=tables_of_names)
def test_encoding_does_not_rest_on_luck(drawn) -> None:
    """Hashes that are nearly always equal, for the first seeds: names are still told apart."""
    from consilience.study.spelling import Spelling

    endings, hashes = Spelling.endings, Spelling.hashes

    def few(self: Spelling) -> Any:
        return endings(self) % np.uint64(3)

    def few_at_first(self: Spelling, seed: int) -> Any:
        return hashes(self, seed) % np.uint64(3 if seed < 4 else 2**63)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Spelling, "endings", few)
        patch.setattr(Spelling, "hashes", few_at_first)
        check_encoding(drawn)
