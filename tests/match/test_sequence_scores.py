"""Similarities by alignment: Biopython, py_stringmatching, textdistance, and plain twins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import textdistance
from hypothesis import given
from hypothesis import strategies as st

from consilience.errors import UsageError
from consilience.match.kernel import Similarity
from consilience.match.sequence_scores import (
    needleman_wunsch,
    smith_waterman,
    smith_waterman_gotoh,
)

GOLDEN = Path(__file__).parent.parent / "golden" / "strings_py_stringmatching.json"
OTHERS = json.loads(GOLDEN.read_text(encoding="utf-8"))
PAIRS = [tuple(pair) for pair in OTHERS["pairs"]]
texts = st.text(st.sampled_from("abc"), max_size=8)
steps = st.integers(0, 8).map(lambda n: n / 4)


def plain_global(a: str, b: str, match: float, mismatch: float, gap: float) -> float:
    if not a or not b:
        return -gap * (len(a) + len(b))
    last = match if a[-1] == b[-1] else mismatch
    row = [-gap * j for j in range(len(b) + 1)]
    for i, left in enumerate(a, start=1):
        above, row = row, [-gap * i]
        for j, right in enumerate(b, start=1):
            last = match if left == right else mismatch
            row.append(max(above[j - 1] + last, above[j] - gap, row[-1] - gap))
    return row[-1]


def plain_local(a: str, b: str, match: float, mismatch: float, gap: float, extend: float) -> float:
    """Waterman, Smith and Beyer: a gap of any length at once, in cubic time."""
    best = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            beside = best[i - 1][j - 1] + (match if a[i - 1] == b[j - 1] else mismatch)
            up = [best[i - k][j] - gap - extend * (k - 1) for k in range(1, i + 1)]
            back = [best[i][j - k] - gap - extend * (k - 1) for k in range(1, j + 1)]
            best[i][j] = max(0.0, beside, *up, *back)
    return max(map(max, best))


@given(a=texts, b=texts, match=steps, mismatch=steps, gap=steps)
def test_global_twin(a: str, b: str, match: float, mismatch: float, gap: float) -> None:
    match += 0.25
    score = plain_global(a, b, match, -mismatch, gap)
    longest = max(len(a), len(b))
    found = needleman_wunsch(a, b, match=match, mismatch=-mismatch, gap=gap)
    assert found == pytest.approx(max(0, score) / (match * longest) if longest else 1, abs=1e-12)


@given(a=texts, b=texts, match=steps, mismatch=steps, gap=steps, extend=steps)
def test_local_twin(
    a: str, b: str, match: float, mismatch: float, gap: float, extend: float
) -> None:
    match += 0.25
    extend = min(gap, extend)
    shortest = min(len(a), len(b))
    score = plain_local(a, b, match, -mismatch, gap, extend)
    wanted = score / (match * shortest) if shortest else float(a == b)
    settings = {"match": match, "mismatch": -mismatch, "gap": gap}
    found = smith_waterman_gotoh(a, b, **settings, extend=extend)
    assert found == pytest.approx(wanted, abs=1e-12)
    assert smith_waterman(a, b, **settings) == pytest.approx(
        smith_waterman_gotoh(a, b, **settings, extend=gap), abs=1e-12
    )


def test_scores_of_biopython() -> None:
    functions: dict[str, Similarity] = {
        "needleman": needleman_wunsch,
        "smith": smith_waterman,
        "gotoh": smith_waterman_gotoh,
    }
    for one in OTHERS["biopython"]:
        function = functions[one["name"]]
        keys = ("match", "mismatch", "gap", *(("extend",) if one["name"] == "gotoh" else ()))
        settings = {key: one[key] for key in keys}
        for (a, b), score in zip(PAIRS, one["scores"], strict=True):
            size = (max if one["name"] == "needleman" else min)(len(a), len(b))
            wanted = max(0.0, score) / (one["match"] * size)
            assert function(a, b, **settings) == pytest.approx(wanted, abs=1e-9), (one, a, b)


def test_scores_of_py_stringmatching() -> None:
    """Its scores are 1, 0 and gaps of 1 for both; not divided by anything."""
    theirs = OTHERS["py_stringmatching"]
    for place, (a, b) in enumerate(PAIRS):
        score = theirs["needleman_wunsch raw"][place]
        wanted = max(0.0, score) / max(len(a), len(b))
        assert needleman_wunsch(a, b) == pytest.approx(wanted, abs=1e-12)
        wanted = theirs["smith_waterman raw"][place] / min(len(a), len(b))
        assert smith_waterman(a, b, mismatch=0) == pytest.approx(wanted, abs=1e-12)


@given(a=texts, b=texts)
def test_scores_of_textdistance(a: str, b: str) -> None:
    if a and b:
        score = textdistance.NeedlemanWunsch(external=False)(a, b)
        wanted = max(0.0, float(score)) / max(len(a), len(b))
        assert needleman_wunsch(a, b) == pytest.approx(wanted, abs=1e-12)


def test_scores_that_are_none() -> None:
    with pytest.raises(UsageError, match="mismatch is 0 or below"):
        needleman_wunsch("a", "b", mismatch=0.5)
    with pytest.raises(UsageError, match="extend no more than gap"):
        smith_waterman_gotoh("a", "b", gap=0.5, extend=1)
    with pytest.raises(UsageError, match="match is above 0"):
        smith_waterman("a", "b", match=0)
