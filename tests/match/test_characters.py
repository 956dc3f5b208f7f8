"""Similarities by characters: published examples, other programs, plain twins."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import textdistance
from hypothesis import given
from hypothesis import strategies as st

from consilience.errors import UsageError
from consilience.match.characters import (
    damerau,
    hamming,
    jaro,
    jaro_winkler,
    lcs,
    levenshtein,
    substring,
)
from consilience.match.kernel import table

GOLDEN = Path(__file__).parent.parent / "golden"
OTHERS = json.loads((GOLDEN / "strings_py_stringmatching.json").read_text(encoding="utf-8"))
PAIRS = [tuple(pair) for pair in OTHERS["pairs"]]
texts = st.text(st.sampled_from("abcé"), max_size=9)


def test_levenshtein_of_the_paper() -> None:
    """Fränti and Mariescu-Istodor, Fig. 5; the distance of cafe and coffee is 3, not 2."""
    predicted = ["cafe", "coffee", "caffe", "pizza", "plaza"]
    found = table(levenshtein, predicted)
    counts = 1 / found.sum(axis=1)
    assert counts.round(2).tolist() == [0.40, 0.46, 0.41, 0.62, 0.56]
    assert levenshtein("cafe", "coffee") == 0.5


def test_soft_cardinalities_by_sentropy() -> None:
    golden = json.loads((GOLDEN / "soft_sentropy.json").read_text(encoding="utf-8"))
    for one in golden["sets"]:
        counts = 1 / table(levenshtein, one["items"]).sum(axis=1)
        assert counts.sum() == pytest.approx(one["cardinality"], abs=1e-12), one["name"]


@pytest.mark.parametrize(
    ("a", "b", "plain", "winkler"),
    [
        ("SHACKLEFORD", "SHACKELFORD", 0.970, 0.982),
        ("DUNNINGHAM", "CUNNIGHAM", 0.896, 0.896),
        ("NICHLESON", "NICHULSON", 0.926, 0.956),
        ("JONES", "JOHNSON", 0.790, 0.832),
        ("MASSEY", "MASSIE", 0.889, 0.933),
        ("ABROMS", "ABRAMS", 0.889, 0.922),
        ("JERALDINE", "GERALDINE", 0.926, 0.926),
        ("MARHTA", "MARTHA", 0.944, 0.961),
        ("MICHELLE", "MICHAEL", 0.869, 0.921),
        ("JULIES", "JULIUS", 0.889, 0.933),
        ("TANYA", "TONYA", 0.867, 0.880),
        ("DWAYNE", "DUANE", 0.822, 0.840),
        ("SEAN", "SUSAN", 0.783, 0.805),
        ("JON", "JOHN", 0.917, 0.933),
    ],
)
def test_jaro_of_winkler(a: str, b: str, plain: float, winkler: float) -> None:
    """Names of people and their similarities, as listed in W. E. Winkler's papers."""
    assert jaro(a, b) == pytest.approx(plain, abs=5.1e-4)
    assert jaro_winkler(a, b) == pytest.approx(winkler, abs=5.1e-4)


def test_jaro_winkler_raises_only_what_is_above_seven_tenths() -> None:
    low, high = ("abcx", "abdefghijk"), ("DIXON", "DICKSONX")
    assert jaro_winkler(*low) == jaro(*low) < 0.7
    assert jaro_winkler(*high) == pytest.approx(jaro(*high) + 0.2 * (1 - jaro(*high)))
    with pytest.raises(UsageError, match=r"prefix must lie in \[0, 0.25\], found 0.3"):
        jaro_winkler("a", "b", prefix=0.3)


def test_damerau_edits_again_what_changed_places() -> None:
    assert damerau("CA", "ABC") == pytest.approx(1 - 2 / 3)
    restricted = textdistance.DamerauLevenshtein(restricted=True, external=False)
    assert restricted.distance("CA", "ABC") == 3


def test_figures_of_py_stringmatching() -> None:
    """It computes Jaro's in 32 bits."""
    theirs = OTHERS["py_stringmatching"]
    for place, (a, b) in enumerate(PAIRS):
        assert levenshtein(a, b) == pytest.approx(theirs["levenshtein"][place], abs=1e-12)
        assert jaro(a, b) == pytest.approx(theirs["jaro"][place], abs=1e-6)
        if theirs["hamming"][place] is not None:
            assert hamming(a, b) == pytest.approx(theirs["hamming"][place], abs=1e-12)
        if jaro(a, b) > 0.7:  # theirs raises the rest as well
            assert jaro_winkler(a, b) == pytest.approx(theirs["jaro_winkler"][place], abs=1e-6)
        else:
            assert jaro_winkler(a, b) <= theirs["jaro_winkler"][place] + 1e-6


@given(a=texts, b=texts)
def test_figures_of_textdistance(a: str, b: str) -> None:
    plain: dict[str, Any] = {"external": False}
    longest = max(len(a), len(b), 1)
    peers = {
        levenshtein: textdistance.Levenshtein(**plain).distance,
        damerau: textdistance.DamerauLevenshtein(restricted=False, **plain).distance,
        hamming: textdistance.Hamming(**plain).distance,
    }
    for ours, theirs in peers.items():
        assert ours(a, b) == pytest.approx(1 - theirs(a, b) / longest, abs=1e-12)
    if a and b:
        found = textdistance.Jaro(**plain).similarity(a, b)
        assert jaro(a, b) == pytest.approx(found, abs=1e-12)
        assert lcs(a, b) == pytest.approx(len(textdistance.LCSSeq(**plain)(a, b)) / longest)
        assert substring(a, b) == pytest.approx(len(textdistance.LCSStr(**plain)(a, b)) / longest)


@given(a=texts, b=texts)
def test_substring_twin(a: str, b: str) -> None:
    parts = {a[i:j] for i in range(len(a)) for j in range(i + 1, len(a) + 1)}
    common = max((len(part) for part in parts if part in b), default=0)
    longest = max(len(a), len(b))
    assert substring(a, b) == (common / longest if longest else 1)


def test_many_long_and_short_strings_in_batches() -> None:
    rng = np.random.default_rng(3)
    items = ["".join(rng.choice([*"ab"], size)) for size in rng.integers(0, 400, 40)]
    found = table(substring, items)
    for i, j in rng.integers(0, 40, (60, 2)):
        assert found[i, j] == substring(items[i], items[j])
