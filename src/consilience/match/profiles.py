"""Groups of aligned sequences as layers: the different tokens of each column, and how many of each.

A column of twenty sources mostly holds one token, sometimes two or three. Its *layers* are those
tokens, the most frequent first, with their counts; what two columns cost side by side is a sum over
their layers instead of over all pairs of sources.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from consilience.errors import UsageError, quote
from consilience.match.kernel import Comparer, Similarity, check_values, comparer
from consilience.match.pairwise import Costs

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Similarities of the tokens of two arrays of codes, one by one.
Alike: TypeAlias = "Callable[[NDArray[np.int32], NDArray[np.int32]], NDArray[np.float64]]"
#: By how much an equal token is favoured over what costs the same: it decides only between those.
FAVOUR = 1e-6
#: Codes that stand for no token: of a left and of a right column, so that they never are equal.
NONE, NEITHER = -1, -2


@dataclass(frozen=True, slots=True)
class Layers:
    """The different tokens of each column (layers × columns; -1: no more) and their counts."""

    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    rows: int


def layers_of(columns: NDArray[np.int32]) -> Layers:
    """Count the tokens of each column, the most frequent first, then the lowest code.

    Examples
    --------
    >>> found = layers_of(np.array([[5, 7], [4, -1], [5, -1]], np.int32))
    >>> found.codes.tolist(), found.counts.tolist()
    ([[5, 7], [4, -1]], [[2, 1], [1, 0]])
    """
    rows, length = columns.shape
    by = np.sort(columns.T, axis=1)
    new = np.ones(by.shape, bool)
    new[:, 1:] = by[:, 1:] != by[:, :-1]
    begin = np.flatnonzero(new)
    count = np.diff(begin, append=by.size)
    column, code = begin // max(rows, 1), by.ravel()[begin]
    said = code >= 0
    column, code, count = column[said], code[said], count[said]
    order = np.lexsort((code, -count, column))
    column, code, count = column[order], code[order], count[order]
    layer = np.arange(len(column)) - np.searchsorted(column, column)
    depth = int(layer.max(initial=0)) + 1
    codes = np.full((depth, length), NONE, np.int32)
    counts = np.zeros((depth, length), np.int64)
    codes[layer, column], counts[layer, column] = code, count
    return Layers(codes, counts, rows)


def costs_of(one: Layers, other: Layers, gap: float, alike: Alike | None) -> Costs:
    """Tell what the columns of two groups cost side by side: the sum over pairs of sources.

    A pair of tokens costs 1 - similarity, a token and a gap cost ``gap``, two gaps nothing. Of
    alignments that cost the same, those with more equal tokens are favoured, ever so slightly.
    """
    here, there = one.counts.sum(axis=0), other.counts.sum(axis=0)
    theirs = np.where(other.codes < 0, NEITHER, other.codes).astype(np.int32)

    def beside(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.float64]:
        n, m = here[left], there[right]
        cost = n * m + gap * (n * (other.rows - m) + m * (one.rows - n))
        depth = int((one.counts[:, left[..., 0]] > 0).any(axis=(1, 2)).sum())
        width = int((other.counts[:, right[:, 0]] > 0).any(axis=(1, 2)).sum())
        for i in range(depth):
            for j in range(width):
                a, b = one.codes[i][left], theirs[j][right]
                weight = one.counts[i][left] * other.counts[j][right]
                weight = weight * (1 + FAVOUR)
                cost = cost - weight * (a == b if alike is None else _both(alike, a, b))
        return np.asarray(cost, np.float64)

    return Costs(beside, gap * here * other.rows, gap * there * one.rows)


def _both(alike: Alike, a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.float64]:
    """Compare all tokens of pieces, each different pair once."""
    wide = np.broadcast_arrays(a, b)
    left, right = wide[0].ravel(), wide[1].ravel()
    found = np.zeros(len(left))
    said = (left >= 0) & (right >= 0)
    found[said] = alike(left[said], right[said])
    return found.reshape(wide[0].shape)


def sum_of_pairs(columns: NDArray[np.int32], gap: float, alike: Alike | None) -> float:
    """Add up what an alignment costs, over all pairs of its rows.

    Examples
    --------
    >>> sum_of_pairs(np.array([[0, 1, 2], [0, 3, -1], [0, 3, 2]], np.int32), 1.0, None)
    4.0
    """
    layers = layers_of(columns)
    count = layers.counts
    said = count.sum(axis=0)
    cost = (said * (said - 1) - (count * (count - 1)).sum(axis=0)).sum() / 2
    if alike is not None:
        for i in range(len(count)):
            for j in range(i):
                both = np.flatnonzero(count[i])
                likes = alike(layers.codes[i, both], layers.codes[j, both])
                cost -= (count[i, both] * count[j, both] * likes).sum()
    return float(cost + gap * (said * (len(columns) - said)).sum())


def cost_of_row(columns: NDArray[np.int32], row: int, gap: float, alike: Alike | None) -> float:
    """Add up what one row of an alignment costs, beside each of the others.

    Examples
    --------
    >>> cost_of_row(np.array([[0, 1, 2], [0, 3, -1], [0, 3, 2]], np.int32), 1, 1.0, None)
    3.0
    """
    mine = columns[row]
    differ = columns != mine
    lone = differ & ((columns < 0) | (mine < 0))
    cost = float(differ.sum() - lone.sum() + gap * lone.sum())
    if alike is not None:
        who, where = np.nonzero(differ & ~lone)
        cost -= float(alike(columns[who, where], mine[where]).sum())
    return cost


def likeness(
    similarity: Similarity | Comparer, tokens: Sequence[str], floor: float | None
) -> Alike:
    """Make a similarity of codes from a similarity of tokens."""
    how = similarity if isinstance(similarity, Comparer) else comparer(similarity)
    least = how.many.floor if floor is None else floor
    if not 0 <= least <= 1:
        raise UsageError(f"a floor lies in [0, 1], found {quote(floor)} (fix: floor=0.5)")
    prepared = how.prepare(tokens)
    how.check_same(prepared, tokens)

    def alike(left: NDArray[np.int32], right: NDArray[np.int32]) -> NDArray[np.float64]:
        key, place = np.unique(left.astype(np.int64) * len(tokens) + right, return_inverse=True)
        a, b = np.divmod(key, max(len(tokens), 1))
        found = np.ones(len(key))
        differ = np.flatnonzero(a != b)
        found[differ] = _pairs(how, prepared, a[differ], b[differ], float(least))
        return found[place]

    return alike


def _pairs(
    how: Comparer, prepared: Any, a: NDArray[np.int64], b: NDArray[np.int64], floor: float
) -> NDArray[np.float64]:
    """Compare tokens pair by pair, or as a table where that is less work."""
    if not len(a):
        return np.zeros(0)
    rows, row = np.unique(a, return_inverse=True)
    columns, column = np.unique(b, return_inverse=True)
    one_by_one = how.many.pairs
    if one_by_one is None or (how.trusted and len(rows) * len(columns) <= 2 * len(a)):
        table: NDArray[np.float64] = how.block(prepared[rows], prepared[columns], floor)
        found: NDArray[np.float64] = table[row, column]
        return found
    found = one_by_one(prepared[a], prepared[b], floor=floor, **how.settings)
    if not how.many.symmetric:
        found = (found + one_by_one(prepared[b], prepared[a], floor=floor, **how.settings)) / 2
    if not how.trusted:
        check_values(found, how.name)
    found[found < floor - 1e-9] = 0.0
    return found
