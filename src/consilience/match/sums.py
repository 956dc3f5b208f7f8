"""What soft measures need of similarities: sums and best matches, never a whole table.

For an entry i of a document and a set A of its entries with weights m: Σ_j m_j · S(i, j) over A,
and the j of A that is most similar to i. A document with many entries goes block by block over
the upper triangle of its table; many documents with few entries go together, pair by pair, in
whole-array arithmetic. Memory grows with the number of entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.match.entries import Entries
from consilience.match.kernel import TINY, Comparer, check_values, spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A document of so many entries goes by blocks, one of fewer together with others.
LARGE = 256
#: Pairs that are compared together: their numbers stay in the cache.
_PAIRS = 1 << 18
#: A table of all different items is made where it has so many cells a pair at most.
_CELLS = 4


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums of similarities and best matches of every entry.

    ``weighted`` (entries × columns) holds the sums under each column of weights. ``best_gold`` is
    the similarity to the most similar gold item of the document and ``best_gold_at`` its entry
    (-1: there is none), likewise for predicted items.
    """

    weighted: NDArray[np.float64]
    best_gold: NDArray[np.float64]
    best_gold_at: NDArray[np.int64]
    best_predicted: NDArray[np.float64]
    best_predicted_at: NDArray[np.int64]


def sums(
    how: Comparer,
    given: Entries,
    weights: NDArray[np.float64],
    floor: float,
    *,
    matches: bool = True,
) -> Sums:
    """Add up similarities within documents and find the best matches.

    Parameters
    ----------
    how
        The similarity.
    given
        The items of the documents.
    weights
        A column (or several) of weights, one for each entry.
    floor
        Similarities below it count as 0.
    matches
        Whether the best matches are wanted, too.
    """
    prepared = how.prepare(given.items)
    how.check_same(prepared, given.items)
    n = len(given.code)
    found = Sums(
        weights.astype(np.float64),  # an item is wholly similar to itself
        np.where(given.gold > 0, 1.0, -1.0),
        np.where(given.gold > 0, np.arange(n), -1),
        np.where(given.predicted > 0, 1.0, -1.0),
        np.where(given.predicted > 0, np.arange(n), -1),
    )
    work = _Work(how, prepared, given, weights, floor, matches, found)
    size = np.diff(given.starts)
    for document in np.nonzero(size >= LARGE)[0]:
        _by_blocks(work, int(document))
    _by_pairs(work, np.where(size < LARGE, size, 0))
    for best in (found.best_gold, found.best_predicted):
        np.maximum(best, 0.0, out=best)
    return found


@dataclass(frozen=True, slots=True)
class _Work:
    """What is added up, and what has been found so far."""

    how: Comparer
    prepared: Any
    given: Entries
    weights: NDArray[np.float64]
    floor: float
    matches: bool
    found: Sums
    begin: int = 0  # the first entry of this part

    def part(self, documents: slice) -> _Work:
        """Give some documents; what is found goes to the same arrays."""
        entries = slice(
            int(self.given.starts[documents.start]), int(self.given.starts[documents.stop])
        )
        found = Sums(*(getattr(self.found, field.name)[entries] for field in fields(Sums)))
        return replace(
            self,
            given=self.given.part(documents.start, documents.stop),
            weights=self.weights[entries],
            found=found,
            begin=entries.start,
        )

    def bests(self) -> tuple[tuple[Any, Any, Any], ...]:
        """For either side: whose entries it has, the best similarities to them, where."""
        found = self.found
        return (
            (self.given.gold > 0, found.best_gold, found.best_gold_at),
            (self.given.predicted > 0, found.best_predicted, found.best_predicted_at),
        )


def _by_blocks(work: _Work, document: int) -> None:
    """Go over the upper triangle of one document's table."""
    begin, end = int(work.given.starts[document]), int(work.given.starts[document + 1])
    mine = work.prepared[work.given.code[begin:end]]
    for rows in spans(end - begin):
        for columns in spans(end - begin):
            if columns.start < rows.start:
                continue
            block = work.how.block(mine[rows], mine[columns], work.floor)
            if rows == columns:
                np.fill_diagonal(block, 0.0)
            here, there = _shifted(rows, begin), _shifted(columns, begin)
            _add(work, block, here, there)
            if rows != columns:
                _add(work, block.T, there, here)


def _shifted(span: slice, by: int) -> slice:
    return slice(span.start + by, span.stop + by)


def _add(work: _Work, block: NDArray[np.float64], rows: slice, columns: slice) -> None:
    """Add a block to the sums of its rows, and look for better matches in its columns."""
    work.found.weighted[rows] += block @ work.weights[columns]
    if not work.matches:
        return
    for side, best, at in work.bests():
        mine = np.nonzero(side[columns])[0]
        if not len(mine):
            continue
        part = block if len(mine) == block.shape[1] else block[:, mine]
        place = part.argmax(axis=1)
        value = part[np.arange(len(part)), place]
        better = value > best[rows]
        best[rows][better] = value[better]
        at[rows][better] = mine[place[better]] + columns.start


def _by_pairs(work: _Work, size: NDArray[np.int64]) -> None:
    """Compare the pairs of many small documents together."""
    given, how = work.given, work.how
    pairs = size * (size - 1) // 2
    known = None
    if pairs.any() and len(given.items) ** 2 <= _CELLS * pairs.sum():
        known = how.block(work.prepared, work.prepared, work.floor)
    for documents in _together(pairs):
        part = work.part(documents)
        left, right = _pairs(part.given, size[documents])
        a, b = part.given.code[left], part.given.code[right]
        if known is None:
            value = compared(how, work.prepared, a, b, work.floor)
        else:
            value = known.ravel().take(a * len(known) + b)
        _add_pairs(part, left, right, value)


def _together(pairs: NDArray[np.int64]) -> Iterator[slice]:
    """Part documents into stretches with so many pairs each."""
    total = np.concatenate([[0], np.cumsum(pairs)])
    begin = 0
    while begin < len(pairs):
        end = int(np.searchsorted(total, total[begin] + _PAIRS, side="right")) - 1
        end = min(max(end, begin + 1), len(pairs))
        if total[end] > total[begin]:
            yield slice(begin, end)
        begin = end


def compared(
    how: Comparer, prepared: Any, a: NDArray[np.int64], b: NDArray[np.int64], floor: float
) -> NDArray[np.float64]:
    """Compare prepared items pair by pair."""
    pairs = how.many.pairs
    if pairs is None:
        one_by_one = [
            how.block(prepared[i : i + 1], prepared[j : j + 1], floor)[0, 0]
            for i, j in zip(a.tolist(), b.tolist(), strict=True)
        ]
        return np.array(one_by_one, np.float64)
    value = pairs(prepared[a], prepared[b], floor=floor, **how.settings)
    if not how.trusted:
        check_values(value, how.name)
    if not how.many.symmetric:
        other = pairs(prepared[b], prepared[a], floor=0.0, **how.settings)
        if not how.trusted:
            check_values(other, how.name)
        if np.abs(value - other).max(initial=0.0) > TINY:
            how.repairs.add(f"{how.name} is not symmetric: both ways were averaged")
        value = (value + other) / 2
    if floor > 0:
        value[value < floor - TINY] = 0.0
    return value


def _pairs(given: Entries, size: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Give the pairs of entries of each document; size 0 leaves a document out."""
    length = np.diff(given.starts)
    partners = np.repeat(given.starts[1:], length) - np.arange(len(given.code)) - 1
    partners[np.repeat(size == 0, length)] = 0
    left = np.repeat(np.arange(len(partners), dtype=np.int32), partners)
    first = (np.arange(1, len(partners) + 1) - (np.cumsum(partners) - partners)).astype(np.int32)
    right = np.repeat(first, partners)
    right += np.arange(len(right), dtype=np.int32)
    return left, right


def _add_pairs(
    work: _Work,
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    value: NDArray[np.float64],
) -> None:
    """Add pairs to the sums of both their entries, and look for better matches."""
    alike = np.nonzero(value)[0]
    left, right, value = left[alike], right[alike], value[alike]
    n = len(work.weights)
    for column, added in zip(work.weights.T, work.found.weighted.T, strict=True):
        added += np.bincount(left, value * column[right], minlength=n)
        added += np.bincount(right, value * column[left], minlength=n)
    if not work.matches:
        return
    for one, other in ((left, right), (right, left)):
        for side, best, at in work.bests():
            mine = np.nonzero(side[other] & (best[one] < 1.0))[0]
            chosen = _better(one[mine], value[mine], best)
            at[one[mine][chosen]] = other[mine][chosen] + work.begin


def _better(
    one: NDArray[np.int32], value: NDArray[np.float64], best: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Raise the best similarities, and tell which pairs did; the first of equals comes last."""
    before = best[one]
    np.maximum.at(best, one, value)
    return np.nonzero((value > before) & (value == best[one]))[0][::-1]
