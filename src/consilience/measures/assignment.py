"""Instances: every item counts, and each is matched with one of the other side at most.

Keywords are concepts: two spellings of one count once. Boxes, events and tours are instances: six
tours around the same lake are six. Then the best one-to-one matching counts (Kuhn 1955)::

    T = max Σ S(g, p) over matched pairs      P = T / |P|     R = T / |G|     F = 2 T / (|G| + |P|)

Similarities below the floor match nothing. What cannot meet falls into separate groups, which are
matched one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError
from consilience.match.entries import Entries
from consilience.match.kernel import Comparer, spans
from consilience.measures.sets import ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Tables of so many cells are matched as a whole, larger ones group by group.
_SMALL = 1_000_000
#: The most cells of a group.
_MOST_CELLS = 25_000_000


@dataclass(frozen=True, slots=True)
class Matched:
    """Matched pairs of entries with their similarity and how often they were matched."""

    gold: NDArray[np.int64]
    predicted: NDArray[np.int64]
    similarity: NDArray[np.float64]
    times: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class InstanceScores:
    """Precision, recall and F1 of documents when items are matched one to one.

    ``gold`` and ``predicted`` are the lengths of the lists, ``matched`` the sum of similarities of
    matched pairs; ``pairs`` names these pairs.
    """

    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    f1: NDArray[np.float64]
    gold: NDArray[np.float64]
    predicted: NDArray[np.float64]
    matched: NDArray[np.float64]
    pairs: Matched


def instance_scores(how: Comparer, given: Entries, *, floor: float | None = None) -> InstanceScores:
    """Match items one to one and score every document.

    Parameters
    ----------
    how
        The similarity.
    given
        The lists; repeated items are instances of their own.
    floor
        Similarities below it match nothing; None: the similarity's usual floor.

    Examples
    --------
    >>> from consilience.match.characters import levenshtein
    >>> from consilience.match.entries import entries
    >>> from consilience.match.kernel import comparer
    >>> lists = entries([["gray", "color"]], [["the", "grey", "colour"]])
    >>> scores = instance_scores(comparer(levenshtein), lists)
    >>> round(float(scores.precision[0]), 4), round(float(scores.recall[0]), 4)
    (0.5278, 0.7917)
    """
    least = how.many.floor if floor is None else floor
    prepared = how.prepare(given.items)
    how.check_same(prepared, given.items)
    found = [
        _document(how, prepared, given, document, least) for document in range(given.documents)
    ]
    pairs = Matched(
        *(
            np.concatenate([np.asarray(one[column], kind) for one in found])
            if found
            else np.zeros(0, kind)
            for column, kind in enumerate((np.int64, np.int64, np.float64, np.int64))
        )
    )
    matched = np.array([float((one[2] * one[3]).sum()) for one in found])
    gold, predicted = (size.astype(np.float64) for size in given.sizes())
    return InstanceScores(
        ratio(matched, predicted),
        ratio(matched, gold),
        ratio(2 * matched, gold + predicted),
        gold,
        predicted,
        matched,
        pairs,
    )


def _document(
    how: Comparer, prepared: Any, given: Entries, document: int, floor: float
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Match the items of one document: entries of gold, of the prediction, similarity, times."""
    begin, end = int(given.starts[document]), int(given.starts[document + 1])
    rows = np.arange(begin, int(given.gold_ends[document]))
    columns = np.arange(int(given.predicted_starts[document]), end)
    rows, columns = np.repeat(rows, given.gold[rows]), np.repeat(columns, given.predicted[columns])
    found = [
        (rows[one], columns[other], value)
        for one, other, value in _matchings(
            how, prepared[given.code[rows]], prepared[given.code[columns]], floor
        )
    ]
    if not found:
        return (np.zeros(0, np.int64),) * 2 + (np.zeros(0), np.zeros(0, np.int64))
    left, right, value = (np.concatenate([one[part] for one in found]) for part in range(3))
    key, first, times = np.unique(left * (end + 1) + right, return_index=True, return_counts=True)
    return key // (end + 1), key % (end + 1), value[first], times


def _matchings(
    how: Comparer, rows: Any, columns: Any, floor: float
) -> Iterator[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """Match rows with columns: the whole table where it is small, else group by group."""
    if not len(rows) or not len(columns):
        return
    if len(rows) * len(columns) <= _SMALL:
        yield _best(how.block(rows, columns, floor))
        return
    from scipy.sparse import coo_array, csr_array
    from scipy.sparse.csgraph import connected_components

    kept, seen, alike = [], 0, 0
    large = len(rows) * len(columns) > _MOST_CELLS
    for mine in spans(len(rows)):
        for theirs in spans(len(columns)):
            block = how.block(rows[mine], columns[theirs], floor)
            one, other = np.nonzero(block)
            kept.append((one + mine.start, other + theirs.start, block[one, other]))
            seen, alike = seen + block.size, alike + len(one)
            if alike > _MOST_CELLS or (large and floor <= 0 and alike > seen / 2):
                raise _entangled(len(rows), len(columns))
    one, other, value = (np.concatenate([part[place] for part in kept]) for place in range(3))
    n = len(rows) + len(columns)
    graph = coo_array((value, (one, other + len(rows))), shape=(n, n))
    groups, group = connected_components(graph, directed=False)
    table = csr_array((value, (one, other)), shape=(len(rows), len(columns)))
    order = np.argsort(group, kind="stable")
    edges = np.searchsorted(group[order], np.arange(groups + 1))
    for place in np.nonzero(np.diff(edges) > 1)[0]:
        members = order[edges[place] : edges[place + 1]]
        upper, lower = members[members < len(rows)], members[members >= len(rows)] - len(rows)
        if len(upper) * len(lower) > _MOST_CELLS:
            raise _entangled(len(upper), len(lower))
        left, right, found = _best(table[upper][:, lower].toarray())
        yield upper[left], lower[right], found


def _entangled(rows: int, columns: int) -> UsageError:
    return UsageError(
        f"{rows:,} items of one side and {columns:,} of the other are all entangled, too many to "
        "match one to one (fix: a higher floor, or mode concepts)"
    )


def _best(
    table: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Find the matching with the highest sum; pairs without any similarity are not matched."""
    from scipy.optimize import linear_sum_assignment

    left, right = linear_sum_assignment(table, maximize=True)
    value = table[left, right]
    alike = value > 0
    return left[alike], right[alike], value[alike]
