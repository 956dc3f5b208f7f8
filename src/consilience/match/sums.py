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
from consilience.match.kernel import BLOCK, TINY, Comparer, check_values, spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: A document of so many entries goes by blocks, one of fewer together with others.
LARGE = 256
#: A document of so many entries goes as a whole, where the similarity knows how to.
VAST = 20_000
#: Pairs that are compared together: their numbers stay in the cache.
_PAIRS = 1 << 16
#: Items are compared once for all documents where that takes so many cells a pair at most.
_CELLS = 4
#: Items that are compared once for all documents, at most: that makes 130 megabytes.
_HELD = 5_600


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
    size = given.lengths()
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


def _by_blocks(work: _Work, document: int) -> None:
    """Go over the upper triangle of one document's table."""
    begin, end = int(work.given.starts[document]), int(work.given.starts[document + 1])
    mine = work.prepared[work.given.code[begin:end]]
    if end - begin >= VAST and work.how.many.sums is not None:
        _at_once(work, document, mine)
        return
    for rows in spans(end - begin):
        for columns in spans(end - begin):
            if columns.start < rows.start:
                continue
            block = work.how.block(mine[rows], mine[columns], work.floor)
            if rows == columns:
                np.fill_diagonal(block, 0.0)
            here, there = _shifted(rows, begin), _shifted(columns, begin)
            work.found.weighted[here] += block @ work.weights[there]
            if rows != columns:
                work.found.weighted[there] += block.T @ work.weights[here]
            if work.matches:
                _match_block(work, document, block, here, there)


def _at_once(work: _Work, document: int, mine: Any) -> None:
    """Let the similarity add up, and match, all entries of a document itself."""
    many, given, found = work.how.many, work.given, work.found
    begin, end = int(given.starts[document]), int(given.starts[document + 1])
    settings = {"floor": work.floor, **work.how.settings}
    if many.sums is not None:
        found.weighted[begin:end] = many.sums(mine, work.weights[begin:end], **settings)
    if not work.matches or many.best is None:
        return
    gold, predicted = int(given.gold_ends[document]), int(given.predicted_starts[document])
    for one, other, best, at in (
        (
            slice(begin, predicted),
            slice(predicted, end),
            found.best_predicted,
            found.best_predicted_at,
        ),
        (slice(gold, end), slice(begin, gold), found.best_gold, found.best_gold_at),
    ):
        rows, columns = mine[_shifted(one, -begin)], mine[_shifted(other, -begin)]
        best[one], place = many.best(rows, columns, **settings)
        at[one] = np.where(place < 0, -1, place + other.start)


def _shifted(span: slice, by: int) -> slice:
    return slice(span.start + by, span.stop + by)


def _match_block(
    work: _Work, document: int, block: NDArray[np.float64], rows: slice, columns: slice
) -> None:
    """Look for better matches in a block on or above the diagonal.

    Whom an entry of one side is most similar to on its own side is known: itself. So it is enough
    to compare those that only gold has with predicted ones, which come later, and those that only
    the prediction has with gold ones, which come before.
    """
    found, given = work.found, work.given
    split = int(given.predicted_starts[document])
    part = block[: max(0, split - rows.start), max(0, split - columns.start) :]
    first = max(split, columns.start)
    _match(part, found.best_predicted[rows], found.best_predicted_at[rows], first)
    split = int(given.gold_ends[document])
    part = block[: max(0, split - rows.start), max(0, split - columns.start) :]
    mine = slice(max(split, columns.start), columns.stop)
    _match(part.T, found.best_gold[mine], found.best_gold_at[mine], rows.start)


def _match(
    part: NDArray[np.float64], best: NDArray[np.float64], at: NDArray[np.int64], first: int
) -> None:
    """Raise the best similarities of rows; columns are the entries from the first on."""
    if not part.size:
        return
    value = part.max(axis=1)
    better = np.nonzero((value > best[: len(part)]) & (value != 0))[0]
    best[better] = value[better]
    at[better] = part[better].argmax(axis=1) + first


def _by_pairs(work: _Work, size: NDArray[np.int64]) -> None:
    """Compare the pairs of many small documents together."""
    pairs = size * (size - 1) // 2
    known = _known(work, size, int(pairs.sum()))
    for documents in _together(pairs):
        part = work.part(documents)
        left, right = _pairs(part.given, size[documents])
        if known is not None:
            value = known.values(part.given.code, left, right)
        elif work.how.many.light:
            value = _one_by_one(part, size[documents], left, right)
        else:
            a, b = part.given.code[left], part.given.code[right]
            value = compared(work.how, work.prepared, a, b, work.floor)
        _add_pairs(part, left, right, value)


def _one_by_one(
    work: _Work, size: NDArray[np.int64], left: NDArray[np.int64], right: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Compare the items of one document after the other; size 0 leaves a document out."""
    given = work.given
    mine = work.prepared[given.code]
    tables: list[NDArray[np.float64]] = []
    for begin, n in zip(given.starts[:-1].tolist(), size.tolist(), strict=True):
        some = mine[begin : begin + n]
        tables.append(work.how.block(some, some[:], work.floor).ravel())
    row = np.repeat(np.cumsum(size**2) - size**2 - given.starts[:-1] * (size + 1), given.lengths())
    row += np.arange(len(row)) * size[given.document()]
    return np.concatenate(tables).take(row.take(left) + right)


@dataclass(frozen=True, slots=True)
class _Known:
    """Similarities of all items, compared once for all documents.

    ``rank`` tells of every item how many are named more often: those lie close together. Only the
    upper triangle is held: the similarity of ranks a ≤ b stands in ``cells[row[a] + b]``.
    """

    rank: NDArray[np.int32]
    row: NDArray[np.int64]
    cells: NDArray[np.float64]

    def values(
        self, code: NDArray[np.int64], left: NDArray[np.int64], right: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Give the similarities of pairs of entries."""
        rank = self.rank[code]
        a, b = rank.take(left), rank.take(right)
        return self.cells.take(self.row.take(np.minimum(a, b)) + np.maximum(a, b))


def _known(work: _Work, size: NDArray[np.int64], pairs: int) -> _Known | None:
    """Compare all items once, where that pays."""
    given, different = work.given, len(work.given.items)
    if different > _HELD or different**2 > _CELLS * pairs:
        return None
    rank = np.arange(different, dtype=np.int32)
    if different <= BLOCK:
        return _Known(rank, *_triangle(work, work.prepared))
    code = given.code[np.repeat(size > 0, given.lengths())]
    often = np.argsort(-np.bincount(code, minlength=different), kind="stable")
    rank[often] = np.arange(different)
    return _Known(rank, *_triangle(work, work.prepared[often]))


def _triangle(work: _Work, mine: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Compare items by blocks on and above the diagonal; see :class:`_Known`."""
    n = len(mine)
    row = np.empty(n, np.int64)
    cells = np.empty(sum((rows.stop - rows.start) * (n - rows.start) for rows in spans(n)))
    begin = 0
    for rows in spans(n):
        height, width = rows.stop - rows.start, n - rows.start
        row[rows] = begin - rows.start + width * np.arange(height)
        strip = cells[begin : begin + height * width].reshape(height, width)
        for columns in spans(width):
            there = mine[_shifted(columns, rows.start)]
            strip[:, columns] = work.how.block(mine[rows], there, work.floor)
        begin += height * width
    return row, cells


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
    least = floor if how.many.symmetric else 0.0
    value = pairs(prepared[a], prepared[b], floor=least, **how.settings)
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


def _pairs(given: Entries, size: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the pairs of entries of each document; size 0 leaves a document out."""
    length = given.lengths()
    partners = np.repeat(given.starts[1:], length) - np.arange(len(given.code)) - 1
    partners[np.repeat(size == 0, length)] = 0
    left = np.repeat(np.arange(len(partners)), partners)
    first = np.arange(1, len(partners) + 1) - (np.cumsum(partners) - partners)
    right = np.repeat(first, partners)
    right += np.arange(len(right))
    return left, right


def _add_pairs(
    work: _Work,
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    value: NDArray[np.float64],
) -> None:
    """Add pairs to the sums of both their entries, and look for better matches."""
    alike = np.nonzero(value != 0)[0]
    left, right, value = left.take(alike), right.take(alike), value.take(alike)
    n = len(work.weights)
    for column, added in zip(work.weights.T, work.found.weighted.T, strict=True):
        added += np.bincount(left, value * column.take(right), minlength=n)
        added += np.bincount(right, value * column.take(left), minlength=n)
    if not work.matches:
        return
    found, gold, predicted = work.found, work.given.gold > 0, work.given.predicted > 0
    for one, other, side, best, at in (  # gold ones come before predicted ones
        (left, right, predicted, found.best_predicted, found.best_predicted_at),
        (right, left, gold, found.best_gold, found.best_gold_at),
    ):
        mine = np.nonzero(side.take(other) > side.take(one))[0]
        chosen = mine[_better(one.take(mine), value.take(mine), best)]
        at[one[chosen]] = other[chosen] + work.begin


def _better(
    one: NDArray[np.int64], value: NDArray[np.float64], best: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Raise the best similarities, and tell which pairs did; the first of equals comes last."""
    before = best[one]
    np.maximum.at(best, one, value)
    return np.nonzero((value > before) & (value == best[one]))[0][::-1]
