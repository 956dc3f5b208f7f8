"""Similarities of strings by their best alignment, as biologists align sequences.

An alignment writes two strings one above the other, with gaps. Equal characters that stand above
each other score ``match``, different ones ``mismatch``, and a gap of n characters costs
gap + (n − 1) · extend. The best score is found by dynamic programming, row by row; gaps within a
row are found with a running maximum instead of a loop (a gap that follows a gap is never better,
as long as going on with a gap costs no more than beginning one).

- *Global* (Needleman–Wunsch): all of both strings is aligned. The similarity is the score over
  that of the longer string with itself; a negative score counts as 0.
- *Local* (Smith–Waterman): the best part of one string with the best part of the other. The
  similarity is the score over that of the shorter string with itself: it is 1 when one string is
  part of the other.

Other programs have other scores for defaults and other ways to bring them to [0, 1]; see
docs/differences.

References
----------
S. B. Needleman, C. D. Wunsch, J. Mol. Biol. 48 (1970) 443–453; T. F. Smith, M. S. Waterman, J. Mol.
Biol. 147 (1981) 195–197; O. Gotoh, J. Mol. Biol. 162 (1982) 705–708.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import UsageError
from consilience.match.codes import LEFT_END, RIGHT_END, Codes, all_pairs, coded, in_batches
from consilience.match.kernel import many

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _running_maximum(values: NDArray[np.float64]) -> None:
    """Make each row the largest of those up to it, in place.

    For many columns row by row: numpy's own ``accumulate`` goes down column by column.
    """
    if values.shape[1] < 64:
        np.maximum.accumulate(values, axis=0, out=values)
        return
    for above, row in pairwise(values):
        np.maximum(row, above, out=row)


def _global_scores(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    *,
    match: float,
    mismatch: float,
    gap: float,
) -> NDArray[np.float64]:
    """Give the best scores of whole strings, a pair in each column.

    best[j] is the best score of the left string so far with j characters of the right one. Raised
    by what gaps up to j cost (``slope``), it only has to be passed on within a row.
    """
    slope = gap * np.arange(len(right) + 1.0)[:, None]
    best = np.tile(-slope, (1, right.shape[1]))
    beside = np.empty(right.shape)
    lengths = (right != RIGHT_END).sum(axis=0)
    every = np.arange(right.shape[1])
    scores: NDArray[np.float64] = best[lengths, every]
    for character in left:
        np.multiply(right == character, match - mismatch, out=beside)
        beside += best[:-1]
        beside += mismatch
        best -= gap
        np.maximum(best[1:], beside, out=best[1:])
        best += slope
        _running_maximum(best)
        best -= slope
        inside = character != LEFT_END
        scores[inside] = best[lengths[inside], every[inside]]
    return scores


def _local_scores(
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    *,
    match: float,
    mismatch: float,
    gap: float,
    extend: float,
) -> NDArray[np.float64]:
    """Give the best scores of parts of strings, a pair in each column.

    best[j] ends with the j-th character of the right string and the present one of the left;
    ``apart`` holds those that end in a gap. Beyond the ends of strings nothing matches, so that
    nothing there is better than what came before.
    """
    slope = extend * np.arange(len(right) + 1.0)[:, None]
    best = np.zeros((len(right) + 1, right.shape[1]))
    apart = np.zeros_like(best)
    beside, across = np.empty(right.shape), np.empty(right.shape)
    highest = np.zeros(right.shape[1])
    for character in left:
        np.multiply(right == character, match - mismatch, out=beside)
        beside += best[:-1]
        beside += mismatch
        apart -= extend
        best -= gap
        np.maximum(apart, best, out=apart)
        np.maximum(apart, 0.0, out=best)
        np.maximum(best[1:], beside, out=best[1:])
        np.add(best[:-1], slope[:-1], out=across)
        _running_maximum(across)
        across -= slope[:-1] + gap
        np.maximum(best[1:], across, out=best[1:])
        np.maximum(highest, best.max(axis=0), out=highest)
    return highest


def _shares(
    scores: NDArray[np.float64], most: NDArray[np.int64], left: Codes, right: Codes, match: float
) -> NDArray[np.float64]:
    """Divide scores by the best that could be; nothing is like nothing, and like nothing else."""
    shares = np.clip(scores / (match * np.maximum(1, most)), 0.0, 1.0)
    return np.where((left.lengths == 0) & (right.lengths == 0), 1.0, shares)


def _check(match: float, mismatch: float, gap: float, extend: float) -> None:
    numbers = np.array([match, mismatch, gap, extend], np.float64)
    if not (np.isfinite(numbers).all() and match > 0 >= mismatch and gap >= extend >= 0):
        raise UsageError(
            f"match {match:g}, mismatch {mismatch:g}, gap {gap:g} and extend {extend:g} give no "
            "similarity (fix: match is above 0, mismatch is 0 or below, gap and extend are costs: "
            "0 or above, and extend no more than gap)"
        )


def _needleman_pairs(
    left: Codes,
    right: Codes,
    *,
    floor: float,
    match: float = 1.0,
    mismatch: float = 0.0,
    gap: float = 1.0,
) -> NDArray[np.float64]:
    _check(match, mismatch, gap, gap)
    how = partial(_global_scores, match=match, mismatch=mismatch, gap=gap)
    most = np.maximum(left.lengths, right.lengths)
    return _shares(in_batches(how, left, right), most, left, right, match)


def _waterman_pairs(
    left: Codes,
    right: Codes,
    *,
    floor: float,
    match: float = 1.0,
    mismatch: float = -1.0,
    gap: float = 1.0,
) -> NDArray[np.float64]:
    return _gotoh_pairs(
        left, right, floor=floor, match=match, mismatch=mismatch, gap=gap, extend=gap
    )


def _gotoh_pairs(
    left: Codes,
    right: Codes,
    *,
    floor: float,
    match: float = 1.0,
    mismatch: float = -1.0,
    gap: float = 1.0,
    extend: float = 0.5,
) -> NDArray[np.float64]:
    _check(match, mismatch, gap, extend)
    how = partial(_local_scores, match=match, mismatch=mismatch, gap=gap, extend=extend)
    most = np.minimum(left.lengths, right.lengths)
    return _shares(in_batches(how, left, right), most, left, right, match)


def _prepared(items: list[str], **settings: float) -> Codes:
    return coded(items)


_needleman_block = partial(all_pairs, _needleman_pairs)
_waterman_block = partial(all_pairs, _waterman_pairs)
_gotoh_block = partial(all_pairs, _gotoh_pairs)


@many(prepare=_prepared, compare=_needleman_block, pairs=_needleman_pairs, floor=0.35)
def needleman_wunsch(
    a: str, b: str, *, match: float = 1.0, mismatch: float = 0.0, gap: float = 1.0
) -> float:
    """Score of the best alignment of two whole strings, over that of the longer with itself.

    Parameters
    ----------
    a, b
        Two strings.
    match, mismatch
        What equal and different characters above each other score.
    gap
        What each character without a partner costs.

    Examples
    --------
    >>> needleman_wunsch("grey", "gray"), needleman_wunsch("color", "colour")
    (0.75, 0.6666666666666666)
    >>> needleman_wunsch("color", "colour", gap=0.5)
    0.75
    """
    settings = {"match": match, "mismatch": mismatch, "gap": gap}
    return float(_needleman_pairs(coded([a]), coded([b]), floor=0.0, **settings)[0])


@many(prepare=_prepared, compare=_waterman_block, pairs=_waterman_pairs, floor=0.6)
def smith_waterman(
    a: str, b: str, *, match: float = 1.0, mismatch: float = -1.0, gap: float = 1.0
) -> float:
    """Score of the best alignment of parts of two strings, over that of the shorter with itself.

    Parameters
    ----------
    a, b
        Two strings.
    match, mismatch
        What equal and different characters above each other score.
    gap
        What each character without a partner costs.

    Examples
    --------
    >>> smith_waterman("neural network", "deep neural networks")
    1.0
    >>> smith_waterman("colour", "color space")
    0.6666666666666666
    """
    settings = {"match": match, "mismatch": mismatch, "gap": gap}
    return float(_waterman_pairs(coded([a]), coded([b]), floor=0.0, **settings)[0])


@many(prepare=_prepared, compare=_gotoh_block, pairs=_gotoh_pairs, floor=0.6)
def smith_waterman_gotoh(
    a: str,
    b: str,
    *,
    match: float = 1.0,
    mismatch: float = -1.0,
    gap: float = 1.0,
    extend: float = 0.5,
) -> float:
    """Smith–Waterman in which going on with a gap costs less than beginning one.

    Parameters
    ----------
    a, b
        Two strings.
    match, mismatch
        What equal and different characters above each other score.
    gap, extend
        What the first and every other character of a gap costs.

    Examples
    --------
    >>> smith_waterman_gotoh("neural networks", "neural and networks")
    0.8333333333333334
    >>> smith_waterman("neural networks", "neural and networks")
    0.7333333333333333
    """
    settings = {"match": match, "mismatch": mismatch, "gap": gap, "extend": extend}
    return float(_gotoh_pairs(coded([a]), coded([b]), floor=0.0, **settings)[0])
