"""Similarities of strings, character by character.

All compare the strings as they are: capitals, accents and spaces count. What should not count is
taken away before (:mod:`consilience.match.text`). A character is a Unicode code point.

Each lies in [0, 1], is 1 for equal strings (two empty ones, too), 0 for an empty and another
string, and the same both ways. Lengths are written |a|. Most are computed by rapidfuzz; where
other programs give another figure under the same name, docs/differences says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError
from consilience.match.codes import ONE_BY_ONE, Codes, all_pairs, check_lengths, coded, in_batches
from consilience.match.kernel import many, objects

if TYPE_CHECKING:
    from numpy.typing import NDArray

Compare = Callable[..., "NDArray[np.float64]"]

#: More than the rounding of a number in [0, 1] to 32 bits.
ROUNDING = 1e-6


def strings(items: Sequence[str]) -> NDArray[np.object_]:
    """Return an array of strings, none of them too long for 64 characters at a time."""
    check_lengths(items, 100_000)
    return objects(items)


def short(items: Sequence[str]) -> NDArray[np.object_]:
    """Return an array of strings, none of them too long for one character at a time."""
    check_lengths(items, ONE_BY_ONE)
    return objects(items)


def _fast(measure: str) -> tuple[Compare, Compare]:
    """Give the comparisons of blocks and of pairs by one of rapidfuzz's measures.

    What lies below the floor is not computed to the end. rapidfuzz rounds its cutoff to 32 bits and
    then drops similarities that equal it (2/3 at a cutoff of 2/3): the floor is passed on lower
    than that rounding can be, and the kernel does the rest.
    """

    def compare(
        rows: NDArray[np.object_], columns: NDArray[np.object_], *, floor: float, **settings: Any
    ) -> NDArray[np.float64]:
        from rapidfuzz import process

        if not len(rows) or not len(columns):
            return np.zeros((len(rows), len(columns)))
        found: NDArray[np.float64] = process.cdist(
            rows, columns, **_how(measure, floor, settings), dtype=np.float64
        )
        return found

    def pairs(
        left: NDArray[np.object_], right: NDArray[np.object_], *, floor: float, **settings: Any
    ) -> NDArray[np.float64]:
        from rapidfuzz import process

        if not len(left):
            return np.zeros(0)
        found: NDArray[np.float64] = process.cpdist(
            left, right, **_how(measure, floor, settings), dtype=np.float64
        )
        return found

    return compare, pairs


def _how(measure: str, floor: float, settings: dict[str, Any]) -> dict[str, Any]:
    """Say it in rapidfuzz's words."""
    given = dict(settings)
    if measure == "JaroWinkler":
        given = {"prefix_weight": _weight(given.get("prefix", 0.1))}
    return {
        "scorer": _scorer(measure),
        "scorer_kwargs": given,
        "score_cutoff": max(0.0, floor - ROUNDING),
    }


def _scorer(measure: str) -> Callable[..., float]:
    from rapidfuzz import distance

    found: Callable[..., float] = getattr(distance, measure).normalized_similarity
    return found


def _weight(prefix: float) -> float:
    if not 0 <= prefix <= 0.25:
        raise UsageError(
            f"prefix must lie in [0, 0.25], found {prefix} (fix: 0.1 is Winkler's; more than 0.25 "
            "would give similarities above 1)"
        )
    return float(prefix)


def _plain(items: Sequence[str], *, prefix: float = 0.1) -> NDArray[np.object_]:
    return strings(items)


_levenshtein = _fast("Levenshtein")
_damerau = _fast("DamerauLevenshtein")
_hamming = _fast("Hamming")
_jaro = _fast("Jaro")
_jaro_winkler = _fast("JaroWinkler")
_lcs = _fast("LCSseq")


def _same_block(
    rows: NDArray[np.object_], columns: NDArray[np.object_], *, floor: float
) -> NDArray[np.float64]:
    return np.equal.outer(rows, columns).astype(np.float64)


def _same_pairs(
    left: NDArray[np.object_], right: NDArray[np.object_], *, floor: float
) -> NDArray[np.float64]:
    return np.equal(left, right).astype(np.float64)


@many(prepare=objects, compare=_same_block, pairs=_same_pairs)
def exact(a: str, b: str) -> float:
    """Tell whether two strings are the same: 1 or 0.

    With it, everything soft becomes crisp again.

    Examples
    --------
    >>> exact("grey", "grey"), exact("grey", "gray")
    (1.0, 0.0)
    """
    return float(a == b)


@many(prepare=strings, compare=_levenshtein[0], pairs=_levenshtein[1], floor=0.5, light=True)
def levenshtein(a: str, b: str) -> float:
    """Edit similarity: 1 − d / max(|a|, |b|).

    d is the least number of insertions, deletions and replacements of a character that turn one
    string into the other. This is the similarity of Fränti and Mariescu-Istodor [1]_, eq. 6.

    References
    ----------
    .. [1] P. Fränti, R. Mariescu-Istodor, Soft precision and recall, Pattern Recognition Letters
       167 (2023) 115–121.

    Examples
    --------
    >>> levenshtein("cafe", "caffe"), levenshtein("cafe", "coffee")
    (0.8, 0.5)
    """
    return float(_scorer("Levenshtein")(a, b))


@many(prepare=short, compare=_damerau[0], pairs=_damerau[1], floor=0.5)
def damerau(a: str, b: str) -> float:
    """Edit similarity in which neighbours may also change places: 1 − d / max(|a|, |b|).

    The true Damerau–Levenshtein distance: characters may be edited again after they changed
    places, so that d("CA", "ABC") is 2. The *optimal string alignment* distance, which many
    programs compute under this name, forbids it and gives 3.

    Examples
    --------
    >>> damerau("form", "from"), levenshtein("form", "from")
    (0.75, 0.5)
    """
    return float(_scorer("DamerauLevenshtein")(a, b))


@many(prepare=strings, compare=_hamming[0], pairs=_hamming[1], floor=0.35)
def hamming(a: str, b: str) -> float:
    """Share of places with the same character: 1 − d / max(|a|, |b|).

    Strings of unequal length are laid side by side at their beginnings; the places that only the
    longer one has count as different.

    Examples
    --------
    >>> hamming("10110", "10011"), hamming("grey", "greyish")
    (0.6, 0.5714285714285714)
    """
    return float(_scorer("Hamming")(a, b))


@many(prepare=strings, compare=_jaro[0], pairs=_jaro[1], floor=0.75, light=True)
def jaro(a: str, b: str) -> float:
    """Jaro's similarity: (m/|a| + m/|b| + (m − t)/m) / 3, and 0 when m = 0.

    m characters match: they are equal and stand at most ⌊max(|a|, |b|) / 2⌋ − 1 places apart; t is
    half the number of matching characters that stand in another order [1]_.

    References
    ----------
    .. [1] M. A. Jaro, Advances in record-linkage methodology as applied to matching the 1985
       census of Tampa, Florida, JASA 84 (1989) 414–420.

    Examples
    --------
    >>> round(jaro("MARTHA", "MARHTA"), 3), round(jaro("DIXON", "DICKSONX"), 3)
    (0.944, 0.767)
    """
    return float(_scorer("Jaro")(a, b))


@many(prepare=_plain, compare=_jaro_winkler[0], pairs=_jaro_winkler[1], floor=0.75, light=True)
def jaro_winkler(a: str, b: str, *, prefix: float = 0.1) -> float:
    """Jaro's similarity j, raised for a common beginning: j + l · prefix · (1 − j).

    l is the length of the common beginning, 4 at most. As in Winkler's own program, only a j above
    0.7 is raised [1]_.

    Parameters
    ----------
    a, b
        Two strings.
    prefix
        The weight of each common character, in [0, 0.25].

    References
    ----------
    .. [1] W. E. Winkler, String comparator metrics and enhanced decision rules in the
       Fellegi–Sunter model of record linkage, Proc. Section on Survey Research Methods, American
       Statistical Association (1990) 354–359.

    Examples
    --------
    >>> round(jaro_winkler("MARTHA", "MARHTA"), 3), round(jaro_winkler("DIXON", "DICKSONX"), 3)
    (0.961, 0.813)
    """
    return float(_scorer("JaroWinkler")(a, b, prefix_weight=_weight(prefix)))


@many(prepare=strings, compare=_lcs[0], pairs=_lcs[1], floor=0.55, light=True)
def lcs(a: str, b: str) -> float:
    """Longest common subsequence / max(|a|, |b|): characters in the same order, with gaps.

    Examples
    --------
    >>> lcs("traveller", "taverner")
    0.6666666666666667
    """
    return float(_scorer("LCSseq")(a, b))


def _longest_runs(left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.float64]:
    """Give the length of the longest common substring of pairs, held in columns.

    runs[j] is the length of the common run that ends with the j-th character of the right string
    and the present one of the left.
    """
    runs = np.zeros((len(right) + 1, right.shape[1]), np.int32)
    longest = np.zeros(right.shape[1], np.int32)
    for character in left:
        runs[1:] = (runs[:-1] + 1) * (right == character)
        np.maximum(longest, runs.max(axis=0), out=longest)
    return longest.astype(np.float64)


def _substring_pairs(left: Codes, right: Codes, *, floor: float) -> NDArray[np.float64]:
    longer = np.maximum(left.lengths, right.lengths)
    return np.where(
        longer == 0, 1.0, in_batches(_longest_runs, left, right) / np.maximum(1, longer)
    )


def _substring_block(rows: Codes, columns: Codes, *, floor: float) -> NDArray[np.float64]:
    return all_pairs(_substring_pairs, rows, columns, floor=floor)


@many(prepare=coded, compare=_substring_block, pairs=_substring_pairs, floor=0.4)
def substring(a: str, b: str) -> float:
    """Longest common substring / max(|a|, |b|): characters in the same order, without gaps.

    Examples
    --------
    >>> substring("grey colour", "colourful")
    0.5454545454545454
    """
    return float(_substring_pairs(coded([a]), coded([b]), floor=0.0)[0])
