"""Segments as events: brute force, mir_eval, and what sed_eval found."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import mir_eval
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.measures.durations import Spans
from consilience.measures.events import (
    Pairs,
    event_pairs,
    iou_pairs,
    matched,
    overlap_pairs,
    shattered,
)

GOLDEN = Path(__file__).parents[1] / "golden" / "segments_sed_eval.json"


def _best(pairs: Pairs, most: bool) -> tuple[int, float]:
    """Try all choices of pairs in which no segment is used twice."""
    rows = [*zip(pairs.gold.tolist(), pairs.predicted.tolist(), pairs.worth, strict=True)]
    found = [(0, 0.0)]
    for size in range(1, len(rows) + 1):
        for some in itertools.combinations(rows, size):
            if len({i for i, _, _ in some}) == len({j for _, j, _ in some}) == size:
                found.append((size, float(sum(worth for _, _, worth in some))))
    return max(found) if most else max(found, key=lambda one: one[1])


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 4), st.integers(0, 4)), st.integers(1, 20), max_size=9
    ),
    st.booleans(),
)
def test_matching_is_the_best_of_all(worth: dict[tuple[int, int], int], most: bool) -> None:
    keys = np.array([*worth], np.int64).reshape(-1, 2)
    pairs = Pairs(keys[:, 0], keys[:, 1], np.array([*worth.values()], np.float64))
    found = matched(pairs, most=most)
    assert len({*found.gold.tolist()}) == len({*found.predicted.tolist()}) == len(found)
    size, total = _best(pairs, most)
    assert found.worth.sum() == pytest.approx(total)
    if most:
        assert len(found) == size


def test_many_that_hang_together_and_many_that_do_not() -> None:
    rng = np.random.default_rng(3)
    chain = np.arange(3000)
    gold, predicted = np.repeat(chain, 2)[1:], np.repeat(chain, 2)[:-1]
    pairs = Pairs(gold, predicted, rng.uniform(0.5, 1, len(gold)))
    assert len(matched(pairs)) == 3000
    apart = Pairs(gold + 3 * (gold // 3), predicted, pairs.worth)
    assert len(matched(apart, most=False)) <= 3000


def test_mir_eval_note_onsets() -> None:
    """Matching by onset and offset is mir_eval's of notes of the same pitch."""
    rng = np.random.default_rng(8)
    for _ in range(20):
        sides = []
        for _ in range(2):
            start = rng.uniform(0, 20, 25).round(3)
            sides.append(np.stack([start, start + rng.uniform(0.1, 3, 25).round(3)], axis=1))
        zero = np.zeros(25, np.int64)
        spans = [Spans(zero, zero, side[:, 0], side[:, 1]) for side in sides]
        pitch = np.full(25, 440.0)
        for share in (0.2, None):
            expected = mir_eval.transcription.match_notes(
                sides[0],
                pitch,
                sides[1],
                pitch,
                onset_tolerance=0.2,
                offset_ratio=share,
                offset_min_tolerance=0.2,
            )
            found = matched(event_pairs(*spans, onset=0.2, offset=share))
            assert len(found) == len(expected)


def test_mir_eval_boundaries() -> None:
    rng = np.random.default_rng(9)
    for _ in range(20):
        edges = [np.append(0, np.cumsum(rng.uniform(0.5, 9, 20).round(2))) for _ in range(2)]
        sides = [np.stack([one[:-1], one[1:]], axis=1) for one in edges]
        expected = mir_eval.segment.detection(*sides, window=0.5, trim=False)
        lists = [[tuple(row) for row in side.tolist()] for side in sides]
        found = cs.segments(*lists, onset=0.5).payload()["boundaries"]
        assert (found["precision"], found["recall"], found["f1"]) == pytest.approx(expected)
        off = mir_eval.segment.deviation(*sides, trim=False)
        assert (found["deviation"]["gold"], found["deviation"]["predicted"]) == pytest.approx(off)


def _side(name: str) -> dict[str, list[tuple[float, float, str]]]:
    made: dict[str, Any] = defaultdict(list)
    for file, start, end, label in json.loads(GOLDEN.read_text())[name]:
        made[file].append((start, end, label))
    return dict(made)


def test_sed_eval() -> None:
    known = json.loads(GOLDEN.read_text())
    gold, predicted = _side("gold"), _side("predicted")
    found = cs.segments(gold, predicted).payload()
    onsets = cs.segments(gold, predicted, offset=None).payload()
    for ours, name in (
        (found["grid"], "segment_based"),
        (found["events"], "event_based"),
        (onsets["events"], "onset_based"),
    ):
        theirs = known[name]["overall"]["f_measure"]
        for key, value in (("precision", "precision"), ("recall", "recall"), ("f1", "f_measure")):
            assert ours[key] == pytest.approx(theirs[value])
    rates = known["segment_based"]["overall"]["error_rate"]
    errors = found["grid"]["errors"]
    assert errors["rate"] == pytest.approx(rates["error_rate"])
    for ours, theirs in (
        ("missed", "deletion_rate"),
        ("false", "insertion_rate"),
        ("confused", "substitution_rate"),
    ):
        wrong = errors["missed"] + errors["false"] + errors["confused"]
        assert errors[ours] / wrong * errors["rate"] == pytest.approx(rates[theirs])


def test_pieces_and_points() -> None:
    gold = Spans.of([(0, 0, 0, 10), (0, 0, 20, 22), (0, 0, 23, 25), (0, 0, 30, 30)])
    predicted = Spans.of([(0, 0, 0, 4), (0, 0, 5, 11), (0, 0, 19, 26), (0, 0, 30, 30)])
    overlaps = overlap_pairs(gold, predicted)
    found = shattered(gold, predicted, overlaps)
    assert (found.fragments.tolist(), found.merges.tolist()) == ([0], [2])
    alike = iou_pairs(gold, predicted, overlaps)
    point = alike.gold == 3
    assert (alike.predicted[point].tolist(), alike.worth[point].tolist()) == ([3], [1.0])


def test_tolerances_include_their_end() -> None:
    gold, predicted = Spans.of([(0, 0, 100.1, 101)]), Spans.of([(0, 0, 100.3, 101.2)])
    assert len(event_pairs(gold, predicted, onset=0.2, offset=0.0)) == 1
    assert len(event_pairs(gold, predicted, onset=0.19, offset=0.0)) == 0
